// What a replay needs a script for: steps without reloading, the keyboard and automatic play.
import { beats } from "./beats.js";
import { fit, keepFitting } from "./fit.js";
import { $ } from "./shared.js";

const EVERY = 1000,
  SWIPE = 40; // pixels
const stage = () => $("stage");
const last = Number(stage().dataset.last);
const list = () => $("moves");
const within = () => stage().dataset.moment !== undefined; // in the middle of a move
let shown = Number(stage().dataset.ply),
  wanted = shown,
  busy = false,
  goOn,
  timer;
document.documentElement.classList.add("has-script");

// Of a long game the list has only some moves; others replace them when the replay gets there.
const listed = (ply) => list().querySelector(`li:not(.part) > [data-ply="${ply}"]`);
const mark = async (ply) => {
  if (!listed(ply)) {
    const focused = list().contains(document.activeElement);
    await htmx.ajax("GET", `${address(ply)}&moves=1`, { target: "#moves", swap: "outerHTML" });
    if (focused) listed(ply)?.focus();
  }
  list().querySelector("[aria-current]")?.removeAttribute("aria-current");
  const link = listed(ply);
  if (!link) return; // the server didn't send them
  link.setAttribute("aria-current", "step");
  list().scrollTop = link.parentElement.offsetTop - list().clientHeight / 2;
};
const address = (ply, moment) => {
  const url = new URL(location.href);
  url.searchParams.set("ply", ply);
  url.searchParams.delete("moment");
  if (moment) url.searchParams.set("moment", moment);
  return url.pathname + url.search;
};

// A moment stays for its time, or until the reader goes on.
const hold = () =>
  new Promise((done) => {
    goOn = done;
    setTimeout(done, Number(stage().dataset.hold));
  });

let drawn; // the stage that came last; nothing if what came is none
document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => {
  drawn = ctx.response?.status === 200 && ctx.text.includes('id="stage"') ? ctx.text : "";
});

// Steps that arrive faster than they can be drawn are merged into one. A single step forward
// begins with the first moment of the move, if it has one, and goes on by itself.
const go = async (ply) => {
  wanted = Math.min(Math.max(ply, 0), last);
  goOn?.();
  if (busy) return;
  busy = true;
  while (wanted !== shown || within()) {
    const to = wanted;
    const from = to === shown ? $("to-next").href : address(to, to === shown + 1 ? 1 : 0);
    await htmx.ajax("GET", from, { target: "#stage", swap: "none" });
    if (drawn) await beats.show(drawn, stage(), "outerMorph");
    if (Number(stage().dataset.ply) !== to) {
      location.href = address(to); // what came was no replay: the whole page says why
      break;
    }
    shown = to;
    $("jump-to").value = wanted;
    fit(picture());
    await mark(shown);
    history.replaceState(null, "", address(shown));
    if (within() && wanted === to) await hold();
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
  if (event.target.closest(".picture")) return goOn?.();
  const link = event.target.closest("a[data-ply]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const way = { "to-back": wanted - 1, "to-next": wanted + 1 }[link.id];
  step(way ?? Number(link.dataset.ply));
});
document.addEventListener("input", ({ target }) => {
  if (target.id === "jump-to") step(target.valueAsNumber);
});
// A swipe across the table goes one move on or back, where nothing scrolls sideways under the finger.
const swipes = ({ target }) => {
  for (let one = target; !one.matches(".picture"); one = one.parentElement)
    if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible")
      return false;
  return true;
};
let touched;
document.addEventListener("touchstart", (event) => {
  const [finger] = event.touches;
  touched =
    event.touches.length === 1 && event.target.closest(".picture") && swipes(event) && finger;
});
document.addEventListener("touchend", ({ changedTouches: [finger] }) => {
  if (!touched) return;
  const across = finger.clientX - touched.clientX,
    along = finger.clientY - touched.clientY;
  touched = undefined;
  if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(along))
    step(wanted - Math.sign(across));
});
// The table and all hands fit above the controls, and don't grow from move to move.
const picture = () => document.querySelector(".picture");
keepFitting(picture);
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
