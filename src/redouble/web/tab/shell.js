// Keeps the worker in which the site runs, and shows its pages in a frame.
//
// Pages come and go, but this one stays. Several tabs share the worker of one of them; when that is
// closed, another one starts its own.
const scope = new URL(".", document.baseURI).pathname;
const said = document.getElementById("said");
const done = document.getElementById("done");
const NEEDED = {
  "service workers": () => "serviceWorker" in navigator && isSecureContext,
  WebAssembly: () => typeof WebAssembly === "object",
  "private files (OPFS)": () => "getDirectory" in (navigator.storage ?? {}),
  locks: () => "locks" in navigator,
};

let worker;
let ready = false;
const wanted = []; // ports to the service worker, which asks every tab for the one that has the site

function host() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.said) tell(data.said, data.share);
    else if (data.failed) fail(data.failed);
    else {
      ready = true;
      wanted.splice(0).forEach(answer);
    }
  };
  worker.onerror = (event) => fail(event.message || "its worker didn't start");
  worker.postMessage({ open: scope });
  navigator.storage.persist?.();
  return new Promise(() => {}); // the lock is held as long as this page lives
}

function tell(words, share) {
  said.textContent = words;
  done.value = share;
}

function fail(why) {
  document.querySelector("iframe")?.remove();
  document.querySelector("main").hidden = false;
  tell(`Redouble can't start here: ${why}`, 1);
}

navigator.serviceWorker?.addEventListener("message", ({ data, ports }) => {
  if (!data.wanted) return;
  if (ready) answer(ports[0]);
  else wanted.push(ports[0]);
});

function answer(port) {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ asked: true }, [port1]);
  port.postMessage({ answers: true }, [port2]);
}

function show() {
  const frame = document.createElement("iframe");
  frame.hidden = true; // until it has something to show
  frame.title = "Redouble";
  frame.addEventListener("load", () => {
    const { location: at, document: page } = frame.contentWindow;
    if (at.href === "about:blank") return;
    history.replaceState(null, "", at.href);
    document.title = page.title;
    document.querySelector("main").hidden = true;
    frame.hidden = false;
  });
  // Other sites link to its pages behind a #: the only page there is before it starts is this one.
  frame.src = location.hash.startsWith("#/") ? scope + location.hash.slice(2) : location.href;
  document.body.append(frame);
}

async function start() {
  const missing = Object.keys(NEEDED).filter((name) => !NEEDED[name]());
  if (missing.length) {
    tell(`Redouble needs a newer browser, or one that isn't private: ${missing.join(", ")}.`, 1);
    return;
  }
  const claimed = new Promise((resolve) => {
    if (navigator.serviceWorker.controller) resolve();
    else navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true });
  });
  await navigator.serviceWorker.register(`${scope}service-worker.js`, { scope });
  await claimed;
  navigator.locks.request("redouble", host);
  show();
}

start().catch((error) => fail(error.message));
