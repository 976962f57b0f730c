// What the table's page can do only with a script; everything else works without.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const board = () => $("board");

  // The connection, honestly.
  const say = (text) => { const pill = $("connection"); pill.textContent = text; pill.hidden = !text; };
  document.addEventListener("htmx:sse:after:connection", (event) => say(event.detail.connection.status < 400 ? "" : "Cannot reach the table"));
  document.addEventListener("htmx:sse:error", () => say("Connection lost. Trying again ..."));
  document.addEventListener("htmx:sse:close", () => say("Disconnected: reload the page"));
  document.addEventListener("htmx:error", () => notice("The server cannot be reached; nothing was played."));

  // What a post has to complain about.
  let quiet;
  const notice = (text) => {
    const box = $("notice");
    box.textContent = text;
    box.hidden = !text;
    clearTimeout(quiet);
    quiet = setTimeout(() => { box.hidden = true; }, 7000);
  };
  document.addEventListener("htmx:after:request", async (event) => {
    const response = event.detail.ctx?.response;
    if (response && response.status >= 400) notice(event.detail.ctx.text || `Error ${response.status}`);
    if (response && response.status < 300 && event.target.matches?.(".say")) event.target.reset();
  });

  // After each change: the title, the keyboard's place, a sound.
  let turn = board().dataset.mine, ply = board().dataset.ply, context;
  const beep = (high) => {
    if ($("sound").getAttribute("aria-pressed") !== "true") return;
    context ??= new AudioContext();
    const tone = context.createOscillator(), gain = context.createGain();
    tone.frequency.value = high ? 660 : 330;
    gain.gain.setValueAtTime(.08, context.currentTime);
    gain.gain.exponentialRampToValueAtTime(.0001, context.currentTime + .25);
    tone.connect(gain).connect(context.destination);
    tone.start();
    tone.stop(context.currentTime + .26);
  };
  let keyboard = false;
  addEventListener("keydown", () => { keyboard = true; });
  addEventListener("pointerdown", () => { keyboard = false; });
  new MutationObserver(() => {
    const now = board();
    if (!now || now.dataset.ply === ply) return;
    const mine = now.dataset.mine === "1" && turn !== "1";
    [turn, ply] = [now.dataset.mine, now.dataset.ply];
    document.title = `${now.dataset.title} - Redouble`;
    beep(mine);
    if (keyboard && mine && document.activeElement === document.body) {
      now.querySelector("button[form=play]")?.focus({ preventScroll: true });
    }
  }).observe($("live"), { childList: true, subtree: true, attributes: true, attributeFilter: ["data-ply"] });

  // Sound, off until somebody wants it.
  const sound = $("sound");
  const hear = (on) => sound.setAttribute("aria-pressed", on);
  hear(localStorage.getItem("sound") === "on");
  sound.addEventListener("click", () => {
    const on = sound.getAttribute("aria-pressed") !== "true";
    hear(on);
    localStorage.setItem("sound", on ? "on" : "off");
    beep(true);
  });

  document.addEventListener("click", (event) => {
    const copy = event.target.closest("[data-copy]");
    if (copy) {
      $(copy.dataset.copy).select();
      navigator.clipboard?.writeText($(copy.dataset.copy).value).then(() => { copy.textContent = "Copied"; });
    }
    const pace = event.target.closest("[name=pace]");
    if (pace) for (const one of document.querySelectorAll("[name=pace]")) one.setAttribute("aria-pressed", one === pace);
  });

  // A card can be dragged: dropped anywhere but where it lay, it is played.
  let dragged;
  document.addEventListener("pointerdown", (event) => {
    const card = event.target.closest("button.card[form=play]");
    if (card && event.button === 0) dragged = { card, x: event.clientX, y: event.clientY, far: false };
  });
  document.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const [dx, dy] = [event.clientX - dragged.x, event.clientY - dragged.y];
    dragged.far ||= Math.hypot(dx, dy) > 12;
    if (dragged.far) Object.assign(dragged.card.style, { translate: `${dx}px ${dy}px`, zIndex: 9 });
  });
  document.addEventListener("pointerup", () => {
    if (!dragged) return;
    const { card, far } = dragged;
    dragged = undefined;
    card.style.translate = card.style.zIndex = "";
    if (!far || !card.isConnected) return;
    card.addEventListener("click", (event) => { if (event.isTrusted) event.stopImmediatePropagation(), event.preventDefault(); }, { once: true, capture: true });
    setTimeout(() => card.form?.requestSubmit(card));
  });
})();
