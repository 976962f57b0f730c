// What the scripts of all pages stand on, loaded before them: a memory where the browser keeps nothing, what older
// browsers lack, and what happens to a page that stays open for long.
"use strict";
{
  // Storage can be missing, full or forbidden. Then choices last as long as the page.
  const memory = new Map();
  globalThis.keep = {
    get(key, area = "localStorage") {
      if (memory.has(key)) return memory.get(key);
      try {
        return globalThis[area].getItem(key);
      } catch {
        return null;
      }
    },
    set(key, value, area = "localStorage") {
      try {
        globalThis[area].setItem(key, value);
        memory.delete(key);
      } catch {
        memory.set(key, String(value));
      }
    },
  };
  // How pages look, as this viewer chose: set before they are drawn.
  const page = document.documentElement;
  // Whoever has just signed in finds what they have chosen elsewhere.
  for (const [key, value] of new URLSearchParams(page.dataset.looks ?? "")) keep.set(key, value);
  globalThis.showLooks = () => {
    const looks = ["theme", "backs", "four-colors", "large-print"];
    page.dataset.looks = new URLSearchParams(looks.map((look) => [look, keep.get(look) ?? ""]));
  };
  showLooks();
  Element.prototype.checkVisibility ??= function () {
    return this.getClientRects().length > 0;
  };

  // At how many tables it is the viewer's turn: in front of the title, and on the installed app.
  globalThis.countTurns = (others, mine = 0) => {
    const title = document.title.replace(/^\(\d+\) /, ""),
      counted = others ? `(${others}) ${title}` : title;
    if (document.title !== counted) document.title = counted;
    navigator.setAppBadge?.(others + mine).catch(() => {}); // a page that isn't installed
  };
  document.addEventListener("DOMContentLoaded", () => {
    const turns = document.getElementById("turns");
    if (turns) countTurns(Number(turns.dataset.turns));
    for (const field of document.querySelectorAll("input[name=zone]"))
      field.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
    const local = {
      weekday: "short",
      day: "numeric",
      month: "long",
      hour: "2-digit",
      minute: "2-digit",
    };
    for (const time of document.querySelectorAll("time.local"))
      time.textContent = new Date(time.dateTime).toLocaleString("en", {
        ...local,
        hourCycle: "h23",
      });
    // Where a browser can install pages as an app, the service worker shows one without a connection.
    const { worker } = document.body.dataset;
    if (worker) navigator.serviceWorker?.register(worker);
    // The share sheet of a phone or computer, where there is one.
    if (!navigator.share) return;
    for (const button of document.querySelectorAll("button[data-share]")) {
      button.hidden = false;
      button.addEventListener("click", () => {
        const url = document.getElementById(button.dataset.share).value;
        navigator.share({ title: button.dataset.title, url }).catch(() => {}); // put away unused
      });
    }
  });

  // A page that comes back from the browser's cache is used anew, so what it sends is no repeat.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    const bytes = crypto.getRandomValues(new Uint8Array(16)),
      mark = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    for (const field of document.querySelectorAll("input[name=once]"))
      if (!field.closest("#live")) field.value = mark;
  });

  // Without cookies nobody is known at the next click: said before a seat is taken or a game begins.
  const keepsCookies = () => {
    const test = "redouble-test=1";
    document.cookie = `${test}; path=/; samesite=lax`;
    const kept = navigator.cookieEnabled && document.cookie.includes(test);
    document.cookie = `${test}; path=/; max-age=0`;
    return kept;
  };
  document.addEventListener("DOMContentLoaded", () => {
    const forms = Array.from(
      document.querySelectorAll("main input[name=once]"),
      ({ form }) => form,
    );
    if (!forms.length || keepsCookies()) return;
    const said = document.createElement("p");
    said.className = "notice";
    said.setAttribute("role", "alert");
    said.textContent = document.body.dataset.cookies;
    (forms.length > 1 ? document.querySelector("main > :first-child") : forms[0]).before(said);
    for (const form of forms)
      for (const field of form.elements)
        if (field.matches("button:not([type=button])")) field.disabled = true;
  });

  // What has a key is clicked by it, unless the viewer has turned keys off.
  document.addEventListener("keydown", (event) => {
    const { ctrlKey, metaKey, altKey, shiftKey, repeat, target } = event;
    if (ctrlKey || metaKey || altKey || repeat || keep.get("keys") === "off") return;
    if (target.matches("input:not([type=radio]), select, textarea")) return;
    // Caps Lock changes nothing; where a keyboard has no Latin letters, the key counts by its place.
    const key = /^[\x20-\x7e]$/.test(event.key)
      ? event.key.toLowerCase()
      : event.code.replace(/^Key/, "").toLowerCase();
    document
      .querySelector(`[aria-keyshortcuts="${CSS.escape(key)}"]`)
      ?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey }));
  });

  // Buttons that copy or share what stands in a field; it can be copied without a script, too.
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-copy]");
    if (!button) return;
    const field = document.getElementById(button.dataset.copy);
    field.select();
    const copied = () => (button.textContent = "Copied");
    // A page that isn't secure, such as one on the local network, has only the older way.
    const select = () => {
      field.focus();
      field.select();
      if (document.execCommand("copy")) copied();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(field.value).then(copied, select);
    else select();
  });

  // After an update of the server, a table's page has old scripts: it is loaded again when nobody uses it.
  const IDLE = 20_000;
  let used = performance.now();
  for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"])
    addEventListener(kind, () => (used = performance.now()), { capture: true, passive: true });
  setInterval(() => {
    const now = document.getElementById("board")?.dataset.version,
      typed = document.activeElement?.value && document.activeElement.matches("input, textarea");
    if (!now || now === page.dataset.version || typed) return;
    if (document.hidden || performance.now() - used > IDLE) location.reload();
  }, 5000);
}
