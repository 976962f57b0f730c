// Keeps the worker in which the site runs, and shows its pages in a frame.
//
// Pages come and go, but this one stays. Several tabs share the worker of one of them; when that is
// closed, another one starts its own. Before this text stand VERSION and
// HOME, the name of a copy of the first page.
const scope = new URL(".", document.baseURI).pathname;
const said = document.getElementById("said");
const done = document.getElementById("done");
const frame = document.querySelector("iframe");
const QUIET = 5000; // milliseconds from the first page to work for the next start
const NEEDED = {
  "service workers": () => "serviceWorker" in navigator && isSecureContext,
  WebAssembly: () => typeof WebAssembly === "object",
  "private files (OPFS)": () => "getDirectory" in (navigator.storage ?? {}),
  locks: () => "locks" in navigator,
  "packed streams": () => "DecompressionStream" in window,
  "JavaScript of 2023": () => "toSorted" in Array.prototype,
};

let worker;
let ready = false;
let claimed = false;
// Where to go when the site is there. Other sites link to its pages behind a #: the only page there
// is before it starts is this one.
let chosen = location.hash.startsWith("#/")
  ? scope + location.hash.slice(2)
  : location.href.replace(/index\.html$/, "");
let pressed = ""; // the form that is sent then
const wanted = []; // ports to the service worker, which asks every tab for the one that has the site

function host() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.said) tell(data.said, data.share);
    else if (data.failed) fail(data.failed);
    else {
      ready = true;
      wanted.splice(0).forEach(answer);
      if (!data.again) setTimeout(prepare, QUIET);
    }
  };
  worker.onerror = (event) => fail(event.message || "its worker didn't start");
  worker.postMessage({ open: scope });
  return new Promise(() => {}); // the lock is held as long as this page lives
}

// The next start needn't import everything again. Without room for that it does.
function prepare() {
  const second = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  second.onmessage = ({ data }) => {
    document.documentElement.dataset.prepared = data.failed ?? "yes";
    second.terminate();
  };
  second.postMessage({ prepare: true });
}

function tell(words, share) {
  said.textContent = words;
  done.value = share;
}

function fail(why) {
  frame.remove();
  document.body.classList.remove("drawn");
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

// Until the site has started, the first page is a copy that was made with this edition.
frame.addEventListener("load", () => {
  const { location: at, document: page } = frame.contentWindow;
  if (at.href === "about:blank") return;
  frame.hidden = false;
  document.body.classList.add("drawn");
  if ("copy" in page.documentElement.dataset) {
    page.addEventListener("click", choose);
    page.addEventListener("submit", choose);
    return;
  }
  history.replaceState(null, "", at.href);
  document.title = page.title;
  document.querySelector("main").hidden = true;
  if (pressed) page.querySelector(pressed)?.requestSubmit();
  pressed = "";
  if (at.pathname.includes("/t/")) warn();
});

// What is tapped in the copy happens as soon as it can.
function choose(event) {
  const link = event.target.closest("a[href]");
  if (event.type === "click" && !link) return;
  event.preventDefault();
  if (link) chosen = link.href;
  else pressed = `form[action$="${new URL(event.target.action).pathname}"]`;
  if (claimed && link) frame.contentWindow.location.replace(chosen);
}

// Says once, when there are games, what this browser doesn't do: keep them for sure, or let Python
// wait for searches.
async function warn() {
  const { storage } = navigator;
  if (!WebAssembly.Suspending) tellOnce("waiting");
  if (localStorage.storage || (await storage.persisted()) || (await storage.persist())) return;
  tellOnce("storage");
}

function tellOnce(name) {
  if (localStorage[name]) return;
  localStorage[name] = "told";
  const note = document.getElementById("note");
  document.getElementById(name).hidden = note.hidden = false;
  note.querySelector("button").onclick = () => (note.hidden = true);
}

// Answers when the service worker has this page's version; an older one stays with its tabs.
async function agree(registration) {
  const { serviceWorker, locks } = navigator;
  const turned = () =>
    new Promise((resolve) =>
      serviceWorker.addEventListener("controllerchange", resolve, { once: true }),
    );
  if (!serviceWorker.controller) await turned();
  else if (registration.waiting && !(await locks.query()).held.length) {
    registration.waiting.postMessage({ take: true });
    await turned();
  }
  const { port1, port2 } = new MessageChannel();
  serviceWorker.controller.postMessage({ version: true }, [port2]);
  const { data } = await new Promise((resolve) => (port1.onmessage = resolve));
  if (data === VERSION) return;
  location.reload();
  await new Promise(() => {});
}

async function start() {
  const missing = Object.keys(NEEDED).filter((name) => !NEEDED[name]());
  if (missing.length) {
    tell(`Redouble needs a newer browser, or one that isn't private: ${missing.join(", ")}.`, 1);
    return;
  }
  if (chosen === location.origin + scope) frame.src = scope + HOME;
  const { serviceWorker } = navigator;
  const registered = serviceWorker.register(`${scope}service-worker.js`, { scope });
  await agree(await registered);
  claimed = true;
  navigator.locks.request("redouble", host);
  if (frame.src) frame.contentWindow.location.replace(chosen);
  else frame.src = chosen;
}

start().catch((error) => fail(error.message));
