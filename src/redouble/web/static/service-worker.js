// Shows a page of its own when there is no connection, and nothing else: tables are never kept.
// Before this text the server writes what is kept: CACHE, OFFLINE and KEPT.

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([OFFLINE, ...KEPT])));
});

addEventListener("activate", (event) => {
  const others = (names) => names.filter((name) => name !== CACHE);
  event.waitUntil(
    caches.keys().then((names) => Promise.all(others(names).map((name) => caches.delete(name)))),
  );
});

// A page that doesn't come in this time isn't waited for; what changes something is.
const PATIENCE = 30000;
const page = (request) => {
  const answers = [fetch(request)];
  if (request.method === "GET")
    answers.push(new Promise((_, reject) => setTimeout(reject, PATIENCE)));
  return Promise.race(answers).catch(() => caches.match(OFFLINE));
};

// Who opens a page has seen what a message said about it.
const closeMessages = (tag) =>
  registration.getNotifications({ tag }).then((all) => all.forEach((one) => one.close()));

addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, search } = new URL(request.url);
  if (request.mode === "navigate") {
    event.respondWith(page(request));
    event.waitUntil(closeMessages(pathname));
  } else if (KEPT.includes(pathname + search))
    event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
});

// A message of the server's: whose turn it is, unless that can be seen on the screen.
addEventListener("push", (event) => {
  const { title, body, url, stop } = event.data.json();
  const looks = { body, tag: url, renotify: true, icon: "icons/app-192.png", data: stop };
  looks.actions = [{ action: "stop", title: "Stop these messages" }];
  const seen = (one) => one.visibilityState === "visible" && new URL(one.url).pathname === url;
  event.waitUntil(
    clients
      .matchAll({ type: "window" })
      .then((all) => all.some(seen) || registration.showNotification(title, looks)),
  );
});

addEventListener("notificationclick", (event) => {
  event.notification.close();
  if (event.action === "stop") {
    event.waitUntil(clients.openWindow(event.notification.data));
    return;
  }
  const tables = clients.matchAll({ type: "window" });
  const shown = (one) => new URL(one.url).pathname === event.notification.tag;
  event.waitUntil(
    tables.then((all) => all.find(shown)?.focus() ?? clients.openWindow(event.notification.tag)),
  );
});
