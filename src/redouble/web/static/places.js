// Places to put something, on a board that may be larger than its window. A place is chosen by a tap,
// a mouse over it, or the keyboard's focus: the page shows what would lie there. Another tap, a click
// or the button that is sure plays it. Other buttons turn it and go through all places by points.
// Where squares are small there is a close-up, with a map and what lies outside it.
import { $, meet, onChange } from "./shared.js";

const SMALL = 44; // pixels of a mark's side; smaller ones are shown close up
const CLOSEST = 96;
document.documentElement.classList.add("has-script");
const felt = () => $("felt");
const all = (selector) => [...document.querySelectorAll(selector)];
const places = () => all("#felt [data-ask]").filter((one) => one.checkVisibility());
const points = (place) => Number(place.dataset.points);
const byPoints = () => places().sort((a, b) => points(b) - points(a));
const chosen = () => document.querySelector("#felt .chosen");
const touching = (place) => place.dataset.turn.split(" ");
let finger = false, // whether the last pointer was one
  held = false, // whether the map is
  turns = []; // the ways to lie at the chosen place

const choose = (place, turned = false) => {
  if (!turned)
    turns = place
      ? places().filter((one) => touching(one).some((at) => touching(place).includes(at)))
      : [];
  for (const one of all("#felt [data-ask]")) {
    one.classList.toggle("chosen", one === place);
    one.classList.toggle("turned", one !== place && turns.includes(one));
  }
  for (const button of all("#felt :is([data-sure], [data-step])")) button.hidden = !place;
  const sure = document.querySelector("[data-sure]"),
    turn = document.querySelector("button[data-turn]:not([data-ask])");
  if (sure && place) sure.textContent = place.dataset.ask;
  if (turn) turn.hidden = turns.length < 2;
  say(place);
  draw();
};
// What a place brings, over the prompt: its points, and what they come from.
const say = (place) => {
  const [said, more] = document.querySelector("#felt .said")?.children ?? [];
  if (!said) return;
  [said.textContent, more.textContent] = ["", ""];
  if (!place) return;
  const { says, bonus, others } = place.parentElement.dataset,
    [gained, extra] = [points(place), Number(bonus ?? 0)],
    parts = [];
  if (gained > extra) parts.push(`${gained - extra} from diamonds`);
  if (extra) parts.push(`${extra} as a bonus`);
  const own = parts.length ? [`${parts.join(", ")}.`] : [];
  said.textContent = `${says} ${gained || "no"} point${gained === 1 ? "" : "s"}`;
  more.textContent = [...own, ...(others ? [others] : [])].join(" ");
};
const after = (list, one, by) => list[(list.indexOf(one) + by + list.length) % list.length];

// The close-up. Its switch is a checkbox, which works without this script too.
const zoomed = () => $("close-up")?.checked;
let byItself = false, // the close-up was not asked for, so it ends by itself
  refused = false;
const look = (x, y) => {
  const port = $("window");
  port.scrollTo(x - port.clientWidth / 2, y - port.clientHeight / 2);
};
const lookAt = (one) => {
  const port = $("window"),
    [box, frame] = [one.getBoundingClientRect(), port.getBoundingClientRect()];
  look(
    box.x + box.width / 2 - frame.x + port.scrollLeft,
    box.y + box.height / 2 - frame.y + port.scrollTop,
  );
};
// Changes the scale, and keeps what lies at a point of the page there.
const zoom = (on, x, y, scale) => {
  const inside = () => $("window").firstElementChild.getBoundingClientRect();
  const before = inside(),
    [u, v] = [(x - before.x) / before.width, (y - before.y) / before.height];
  $("close-up").checked = on;
  if (scale) document.documentElement.style.setProperty("--close", scale);
  const now = inside();
  $("window").scrollBy(now.x + u * now.width - x, now.y + v * now.height - y);
  draw();
};
const show = () => {
  const one =
    chosen() ??
    places().find((place) => place.matches(".hinted")) ??
    byPoints()[0] ??
    document.querySelector("#window .last");
  if (zoomed() && one) lookAt(one);
  draw();
};

// The map: what lies on the board, the marks of places, and the part that the window shows.
const draw = () => {
  const map = $("map"),
    port = $("window");
  if (!map || !$("corner").checkVisibility() || !zoomed()) return;
  tell();
  const side = map.clientWidth * devicePixelRatio,
    scale = side / Math.max(port.scrollWidth, port.scrollHeight),
    frame = port.getBoundingClientRect(),
    looks = getComputedStyle(map),
    ink = map.getContext("2d");
  map.width = map.height = side;
  const rect = (one, color) => {
    const box = one.getBoundingClientRect(),
      [x, y] = [box.x - frame.x + port.scrollLeft, box.y - frame.y + port.scrollTop];
    ink.fillStyle = color;
    ink.fillRect(x * scale, y * scale, box.width * scale - 1, box.height * scale - 1);
  };
  const gold = looks.getPropertyValue("--gold");
  for (const one of port.querySelectorAll(map.dataset.shows)) rect(one, looks.color);
  for (const one of marks()) rect(one, gold);
  ink.strokeStyle = gold;
  ink.lineWidth = 1.5 * devicePixelRatio;
  ink.strokeRect(
    port.scrollLeft * scale + 1,
    port.scrollTop * scale + 1,
    port.clientWidth * scale - 2,
    port.clientHeight * scale - 2,
  );
};
// What can be seen of the places: their marks, and the chosen one's picture.
const marks = () =>
  all("#window [data-ask] > *").filter((one) => one.checkVisibility({ visibilityProperty: true }));
// Puts something over the window where it covers no mark, if need be in a smaller form.
const lay = (one, taken, sides, tight = false) => {
  one.classList.toggle("tight", tight);
  const room = $("window").getBoundingClientRect(),
    origin = one.offsetParent.getBoundingClientRect(),
    [width, height, gap, step] = [one.offsetWidth, one.offsetHeight, 6, 8];
  const spots = {
    now: [[one.offsetLeft + origin.left, one.offsetTop + origin.top]],
    left: [],
    right: [],
    up: [],
    down: [],
  };
  const [left, top] = [room.left + gap, room.top + gap],
    [right, bottom] = [room.right - gap - width, room.bottom - gap - height];
  for (let y = top; y <= bottom; y += step) {
    spots.left.push([left, y]);
    spots.right.push([right, y]);
  }
  for (let x = left; x <= right; x += step) {
    spots.up.push([x, top]);
    spots.down.push([x, bottom]);
  }
  const free = sides
    .flatMap((side) => spots[side])
    .map(([x, y]) => new DOMRect(x, y, width, height))
    .find(
      (box) =>
        box.left >= left - 1 &&
        box.right <= room.right &&
        box.bottom <= room.bottom &&
        box.top >= top - 1 &&
        !taken.some((other) => meet(box, other)),
    );
  if (!free && !tight) return lay(one, taken, sides, true);
  one.style.visibility = free ? "" : "hidden";
  if (free)
    [one.style.left, one.style.top] = [
      `${free.left - origin.left}px`,
      `${free.top - origin.top}px`,
    ];
  return free;
};
const inside = (mark) => {
  const box = mark.getBoundingClientRect(),
    port = $("window").getBoundingClientRect(),
    [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return x > port.left && x < port.right && y > port.top && y < port.bottom;
};
const outside = () =>
  byPoints().filter(
    (place) => place.matches(".mark") && ![...place.querySelectorAll("b")].some(inside),
  );
// Tells at the window's edge what lies outside it, and keeps the marks inside it free.
const tell = () => {
  const [more, corner, port] = [$("more"), $("corner"), $("window").getBoundingClientRect()],
    away = outside(),
    taken = marks().map((mark) => mark.getBoundingClientRect());
  if (more.hidden !== !away.length) more.hidden = !away.length;
  if (away.length) {
    const box = away[0].getBoundingClientRect(),
      [dx, dy] = [
        Math.max(port.left - box.right, box.left - port.right),
        Math.max(port.top - box.bottom, box.top - port.bottom),
      ],
      side =
        dx > dy ? (box.left < port.left ? "left" : "right") : box.top < port.top ? "up" : "down",
      best = points(away[0]) ? `, up to +${points(away[0])}` : "",
      text = `${away.length} more${best}`;
    if (more.textContent !== text) more.textContent = text;
    more.dataset.arrow = { left: "←", right: "→", up: "↑", down: "↓" }[side];
    const free = lay(more, taken, [side, "down", "up", "left", "right"]);
    if (free) taken.push(free);
  }
  if (!held) lay(corner, taken, ["now", "left", "right", "up", "down"]);
};
const jump = (event) => {
  const map = $("map").getBoundingClientRect(),
    whole = Math.max($("window").scrollWidth, $("window").scrollHeight);
  look(
    ((event.clientX - map.x) / map.width) * whole,
    ((event.clientY - map.y) / map.height) * whole,
  );
};
document.addEventListener("pointerdown", (event) => {
  finger = event.pointerType === "touch";
  if (event.target.id !== "map") return;
  held = true;
  event.target.setPointerCapture(event.pointerId);
  jump(event);
});
document.addEventListener("lostpointercapture", () => {
  held = false;
  draw();
});
document.addEventListener("pointermove", (event) => {
  if (event.target.id === "map" && event.buttons) jump(event);
});
document.addEventListener(
  "scroll",
  ({ target }) => {
    if (target.id === "window") requestAnimationFrame(draw);
  },
  { capture: true, passive: true },
);
addEventListener("resize", draw);

// Two fingers on the board.
let pinch;
const spread = ([a, b]) => ({
  gap: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY),
  x: (a.clientX + b.clientX) / 2,
  y: (a.clientY + b.clientY) / 2,
});
document.addEventListener("touchstart", (event) => {
  pinch = undefined;
  if (event.touches.length !== 2 || !$("close-up") || !event.target.closest("#window")) return;
  const square = document.querySelector("#window [style*='--size']"),
    size = Number(square.style.getPropertyValue("--size"));
  pinch = { gap: spread(event.touches).gap, side: square.offsetWidth / size, size };
});
document.addEventListener(
  "touchmove",
  (event) => {
    if (!pinch || event.touches.length !== 2) return;
    event.preventDefault();
    const { gap, x, y } = spread(event.touches),
      side = Math.min(CLOSEST, (pinch.side * gap) / pinch.gap),
      port = $("window"),
      fits = side * pinch.size <= Math.min(port.clientWidth, port.clientHeight);
    [byItself, refused] = [false, fits];
    zoom(!fits, x, y, `${side}px`);
  },
  { passive: false },
);

document.addEventListener(
  "click",
  (event) => {
    const place = event.target.closest("[data-ask]");
    if (!place || event.pointerType !== "touch" || place.matches(".chosen")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    choose(place);
    if (zoomed() && ![...place.querySelectorAll("i")].every(inside)) lookAt(place);
  },
  { capture: true },
);
// A mouse over a place chooses it, and so does the keyboard's focus.
document.addEventListener("pointerover", (event) => {
  const place = event.target.closest("[data-ask]");
  if (place && event.pointerType !== "touch" && !place.matches(".chosen")) choose(place);
});
document.addEventListener("focusin", ({ target }) => {
  if (!target.matches("[data-ask]:focus-visible:not(.chosen)")) return;
  choose(target, turns.includes(target));
  if (zoomed()) lookAt(target);
});
document.addEventListener("click", (event) => {
  const { target } = event,
    now = chosen();
  if (target.closest("#more")) return lookAt(outside()[0]);
  const step = target.closest("[data-step]");
  if (target.closest("[data-sure]")) now?.click();
  else if (step && now) choose(after(byPoints(), now, Number(step.dataset.step)));
  else if (target.closest("[data-turn]:not([data-ask])") && now) choose(after(turns, now, 1), true);
  else {
    // a tap beside the places: no place, or a closer look
    if (!target.closest("#window") || target.closest("[data-ask]")) return;
    if (now) choose();
    else if (
      event.pointerType === "touch" &&
      $("board")?.dataset.hold === undefined &&
      !zoomed() &&
      $("map")
    ) {
      [byItself, refused] = [false, false];
      zoom(true, event.clientX, event.clientY);
    }
    return;
  }
  const next = chosen();
  if (now === document.activeElement) next?.focus();
  if (zoomed() && next) lookAt(next);
});
document.addEventListener("change", ({ target }) => {
  if (!felt().contains(target)) return;
  if (target.id === "close-up") {
    [byItself, refused] = [false, !target.checked];
    document.documentElement.style.removeProperty("--close");
    return show();
  }
  choose();
});
const comeCloser = () => {
  const one = places().find((place) => place.matches(".mark"));
  if (!refused && !zoomed() && one?.offsetWidth < SMALL) $("close-up").checked = byItself = true;
};
// A domino that was chosen already, because no other fits, is tapped too.
document.addEventListener("click", ({ target }) => {
  if (target.type !== "radio" || !felt().contains(target) || !$("close-up")) return;
  if (finger) comeCloser();
  show();
});

// When the board has changed, nothing is chosen on it, and the whole of it is shown again.
let hint;
onChange(() => {
  if (byItself && zoomed() && !places().length) $("close-up").checked = byItself = false;
  const before = hint;
  hint = places().find((place) => place.matches(".hinted"))?.value;
  if (!hint || hint === before || !$("close-up")) return draw();
  if (finger) comeCloser();
  show();
});
