// What a replay needs a script for: steps without reloading, the keyboard and automatic play.
"use strict";
(() => {
  const EVERY = 1000;
  const $ = (id) => document.getElementById(id);
  const stage = () => $("stage");
  const last = Number(stage().dataset.last);
  const list = $("moves");
  let shown = Number(stage().dataset.ply),
    wanted = shown,
    busy = false,
    timer;
  document.documentElement.classList.add("has-script");

  const mark = (ply) => {
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const link = list.querySelector(`[data-ply="${ply}"]`);
    link.setAttribute("aria-current", "step");
    list.scrollTop = link.parentElement.offsetTop - list.clientHeight / 2;
  };
  const address = (ply) => {
    const url = new URL(location.href);
    url.searchParams.set("ply", ply);
    return url.pathname + url.search;
  };

  // Steps that arrive faster than they can be drawn are merged into one.
  const go = async (ply) => {
    wanted = Math.min(Math.max(ply, 0), last);
    if (busy) return;
    busy = true;
    while (wanted !== shown) {
      const to = wanted;
      await htmx.ajax("GET", address(to), { target: "#stage", swap: "outerMorph transition:true" });
      if (Number(stage().dataset.ply) !== to) {
        location.href = address(to); // what came was no replay: the whole page says why
        break;
      }
      shown = to;
      mark(shown);
      history.replaceState(null, "", address(shown));
    }
    busy = false;
  };

  const play = (on) => {
    clearInterval(timer);
    timer = undefined;
    const button = $("replay-play");
    button.setAttribute("aria-pressed", on);
    button.textContent = on ? "Pause" : "Play";
    if (!on) return;
    if (wanted === last) go(0);
    timer = setInterval(() => {
      if (document.hidden || busy) return;
      go(shown + 1);
      if (wanted === last) play(false);
    }, EVERY);
  };
  const step = (ply) => {
    play(false);
    go(ply);
  };

  document.addEventListener("click", (event) => {
    if (event.target.closest("#replay-play")) return play(timer === undefined);
    const link = event.target.closest("a[data-ply]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const way = { "to-back": wanted - 1, "to-next": wanted + 1 }[link.id];
    step(way ?? Number(link.dataset.ply));
  });
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "jump") return;
    event.preventDefault();
    step(Math.round($("jump-to").valueAsNumber) || 0);
  });
  addEventListener("keydown", (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target.closest("input, textarea, select, summary")
    )
      return;
    const to = { ArrowLeft: wanted - 1, ArrowRight: wanted + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) (event.preventDefault(), step(to));
    if (event.key === " " && !event.target.closest("a, button"))
      (event.preventDefault(), play(timer === undefined));
  });
  mark(shown);
})();
