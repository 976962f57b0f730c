// What the player whose turn it is needs: their clock, the way to other tables that wait for them, and forced moves
// that are played for them.
import { $, board, live, onChange } from "../shared.js";

const HOUR = 3600,
  DAY = 24 * HOUR;
// As the server writes it: clocks.left_in_words.
export const inWords = (left) => {
  if (left < HOUR) return `${Math.floor(left / 60)}:${`${left % 60}`.padStart(2, "0")}`;
  return left < 2 * DAY ? `${Math.floor(left / HOUR)} h` : `${Math.floor(left / DAY)} days`;
};

// How the time of the player to move passes: a ring around their plate, and figures beside the prompt. The server says
// when it runs out; a page whose computer's clock is wrong, or is set meanwhile, counts by the server's.
export const showClock = () => {
  const said = $("time-said");
  if (!said) return;
  const began = Number(live().dataset.now) - performance.now();
  let warned;
  const show = () => {
    const { until, total, mine } = board()?.dataset ?? {};
    if (!until) {
      said.textContent = "";
      return;
    }
    const left = Math.max(0, (Number(until) - began - performance.now()) / 1000),
      words = inWords(Math.floor(left)),
      soon = left <= (Number(total) > HOUR ? 2 * HOUR : 10);
    board().style.setProperty("--time", Math.min(1, left / total).toFixed(3));
    board().classList.toggle("soon", soon);
    // Only the letters change, so nothing else looks at the board again.
    for (const { firstChild } of board().querySelectorAll(".time-left"))
      if (firstChild.data !== words) firstChild.data = words;
    if (soon && mine === "1" && warned !== until) {
      warned = until;
      said.textContent = said.dataset.soon;
    } else if (!soon && said.textContent) said.textContent = "";
  };
  show();
  setInterval(() => document.hidden || show(), 500);
  document.addEventListener("visibilitychange", show);
  onChange(show);
};

// At how many other tables it is the player's turn: in the bar, which leads to the next one, and in the title.
export const countOtherTables = () => {
  const link = $("next-turn"),
    EVERY = 60_000;
  let turns = Number(link?.hidden === false && link.textContent.match(/\d+/)),
    { mine } = board().dataset;
  const show = () => {
    if (link) link.hidden = !turns;
    if (link) link.querySelector("b").textContent = turns;
    countTurns(turns, Number(board()?.dataset.mine === "1"));
  };
  const ask = async () => {
    if (!link || document.hidden) return;
    try {
      const reply = await fetch(link.dataset.count);
      if (reply.ok) turns = await reply.json();
    } catch {
      // without a connection the last number stays
    }
    show();
  };
  show();
  setInterval(ask, EVERY);
  document.addEventListener("visibilitychange", ask);
  onChange(() => {
    show();
    if (board().dataset.mine !== mine) ask();
    ({ mine } = board().dataset);
  });
};

// The viewer's only move is played after a pause, if the viewer wants that.
let automatic; // the button of a move that was played so: nobody is told if it comes too late
export const isAutomatic = (button) => button !== undefined && button === automatic;
export const playForced = () => {
  const button = document.querySelector("#play-forced, #play-forced-alone"),
    // What must end first; then the pause begins anew.
    BUSY = `#live.busy, ${CSS.supports("selector(:popover-open)") ? ":popover-open, " : ""}.dragged, .sent`;
  if (!button) return;
  let timer, waitsFor, played;
  const now = () => board()?.dataset ?? {};
  const play = () => {
    const { only, ply } = now();
    if (!only || ply !== waitsFor || ply === played) return;
    if (document.hidden || document.querySelector(BUSY)) return wait();
    const moves = document.querySelectorAll("button[form=play][name=move]");
    const move = [...moves].find((one) => one.value === only);
    if (!move) return;
    played = ply; // a move that was refused isn't tried again
    automatic = move;
    move.click();
  };
  const wait = () => {
    clearTimeout(timer);
    const { only, pause, ply } = now();
    waitsFor = only && ply;
    if (!only || ply === played || button.getAttribute("aria-pressed") !== "true") return;
    if (!document.hidden) timer = setTimeout(play, Number(pause));
  };
  const heed = ({ type, isTrusted }) => {
    if (type === "click" && isTrusted) automatic = undefined;
    wait();
  };
  for (const kind of ["keydown", "pointerdown", "click", "toggle", "visibilitychange"])
    document.addEventListener(kind, heed, { capture: true });
  // Moments have a board of their own, which names no move.
  onChange(() => {
    const { only, ply } = now();
    if ((only && ply) !== waitsFor) wait();
  });
  wait();
};
