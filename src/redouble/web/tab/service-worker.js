// Answers the requests of pages: files from the cache, pages from the site in a tab's worker.
// Before this text stand VERSION and FILES: by the addresses that pages ask for, the names that
// files have on the host, below the scope. All but a few names have a digest of the content.
const SCOPE = new URL(registration.scope).pathname;
const CACHE = `redouble ${VERSION}`;
const NAMES = new Map(Object.values(FILES).map((name) => [name, name]));
for (const [address, name] of Object.entries(FILES)) NAMES.set(address, name);
const LARGE = /\.(bin|so|wasm|zip)$/;
const PATIENCE = 300000;

addEventListener("install", (event) => event.waitUntil(fill()));

// A file that another version has is not fetched again.
async function fill() {
  const cache = await caches.open(CACHE);
  await Promise.all(
    Object.entries(FILES).map(async ([address, name]) => {
      const always = name === address; // it has no digest
      const had = !always && (await caches.match(SCOPE + name));
      await cache.put(SCOPE + name, had || (await download(name, always ? "no-cache" : "default")));
    }),
  );
}

// Not every host compresses what isn't text, but each has the compressed files.
async function download(name, cache) {
  const got = await fetch(SCOPE + name, { cache });
  if (!got.ok) throw new Error(`${got.status} ${name}`);
  if (!LARGE.test(name) || got.headers.has("content-encoding")) return got;
  const packed = await fetch(`${SCOPE}${name}.gz`, { cache });
  if (!packed.ok) return got;
  await got.body.cancel();
  const { body } = packed;
  const open = packed.headers.has("content-encoding");
  return new Response(open ? body : body.pipeThrough(new DecompressionStream("gzip")), {
    headers: { "Content-Type": got.headers.get("content-type") },
  });
}

addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name.startsWith("redouble ") && name !== CACHE);
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(old(names).map((name) => caches.delete(name))))
      .then(() => clients.claim()),
  );
});

// A page that has just been opened takes a newer version, when there is no other one.
addEventListener("message", ({ data, ports }) => {
  if (data.take) skipWaiting();
  else if (data.version) ports[0].postMessage(VERSION);
});

addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== location.origin || !url.pathname.startsWith(SCOPE)) return;
  const name = NAMES.get(url.pathname.slice(SCOPE.length));
  if (event.request.destination === "document") event.respondWith(shell());
  else if (name) event.respondWith(file(name));
  else event.respondWith(page(event.request, url));
});

async function file(name) {
  return (await caches.match(SCOPE + name, { cacheName: CACHE })) ?? fetch(SCOPE + name);
}

// Every address opens the same page around the site's, whose own files lie below the scope.
async function shell() {
  const text = await (await file("index.html")).text();
  const based = text.replace("<head>", `<head><base href="${SCOPE}" />`);
  return new Response(based, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

let port;
let number = 0;
const waiting = new Map();

// The port to the site is kept as long as this worker lives; a closed tab doesn't answer any more.
async function connect() {
  const tabs = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const answers = tabs.map(
    (tab) =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ ports }) => resolve({ tab, port: ports[0] });
        tab.postMessage({ wanted: true }, [port2]);
      }),
  );
  const late = new Promise((_, reject) => setTimeout(reject, PATIENCE));
  const found = await Promise.race([...answers, late]);
  found.port.onmessage = receive;
  return found;
}

async function site() {
  if (port) {
    const { tab } = await port;
    if (!(await clients.get(tab.id))) port = undefined;
  }
  port ??= connect().catch((error) => {
    port = undefined;
    throw error;
  });
  return (await port).port;
}

function receive({ data }) {
  const one = waiting.get(data.number);
  if (!one) return;
  if (data.status) one.begin(data);
  else if (data.chunk) one.stream.enqueue(data.chunk);
  else {
    waiting.delete(data.number);
    one.fail(new Error(data.failed ?? "the answer has no beginning"));
    try {
      if (data.failed) one.stream.error(new Error(data.failed));
      else one.stream.close();
    } catch {} // it was canceled
  }
}

async function page(request, url) {
  let to;
  try {
    to = await site();
  } catch {
    return new Response("Redouble isn't running: open its page again.", { status: 503 });
  }
  const mine = ++number;
  const body = ["GET", "HEAD"].includes(request.method) ? null : await request.arrayBuffer();
  const cancel = () => {
    waiting.delete(mine);
    to.postMessage({ number: mine, cancel: true });
  };
  let controller;
  const stream = new ReadableStream({ start: (given) => (controller = given), cancel });
  const begun = new Promise((begin, fail) => {
    waiting.set(mine, { begin, fail, stream: controller });
  });
  request.signal.addEventListener("abort", cancel);
  to.postMessage({
    number: mine,
    method: request.method,
    address: "/" + url.pathname.slice(SCOPE.length) + url.search,
    headers: [...request.headers, ["sec-fetch-site", "same-origin"]],
    body,
  });
  const { status, headers } = await begun;
  const to_where = headers.find(([name]) => name === "location");
  if (to_where && request.mode === "navigate")
    return Response.redirect(new URL(to_where[1], url), status);
  const empty = status === 204 || status === 304;
  return new Response(empty ? null : stream, { status, headers });
}
