// Plays the viewer's only move after a pause, if the viewer wants that.
"use strict";
(() => {
  const button = document.querySelector("#play-forced, #play-forced-alone"),
    live = document.getElementById("live"),
    // What must end first; then the pause begins anew.
    BUSY = `#live.busy, ${CSS.supports("selector(:popover-open)") ? ":popover-open, " : ""}.dragged, .sent`;
  let timer, waitsFor, played;
  const now = () => document.getElementById("board")?.dataset ?? {};
  const play = () => {
    const { only, ply } = now();
    if (!only || ply !== waitsFor || ply === played) return;
    if (document.hidden || document.querySelector(BUSY)) return wait();
    const moves = document.querySelectorAll("button[form=play][name=move]");
    const move = [...moves].find((one) => one.value === only);
    if (!move) return;
    played = ply; // a move that was refused isn't tried again
    live.automatic = move; // nobody is told if it comes too late
    move.click();
  };
  const wait = () => {
    clearTimeout(timer);
    const { only, pause, ply } = now();
    waitsFor = only && ply;
    if (!only || ply === played || button.getAttribute("aria-pressed") !== "true") return;
    if (!document.hidden) timer = setTimeout(play, Number(pause));
  };
  document.addEventListener(
    "click",
    ({ isTrusted }) => {
      if (isTrusted) live.automatic = undefined;
    },
    { capture: true },
  );
  for (const kind of ["keydown", "pointerdown", "click", "toggle", "visibilitychange"])
    document.addEventListener(kind, wait, { capture: true });
  // Moments have a board of their own, which names no move.
  new MutationObserver(() => {
    const { only, ply } = now();
    if ((only && ply) !== waitsFor) wait();
  }).observe(live, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["data-ply", "data-only"],
  });
  wait();
})();
