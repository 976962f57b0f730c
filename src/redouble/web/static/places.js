// Places to put something, on a board that may be larger than its window. On a touch screen the first
// tap on a place shows what would lie there; another tap on it, or the button that is sure, plays it.
// A mouse shows it by hovering. Everything else here is for small screens: other ways to lie at the
// same place, the next place by points, a close-up, and its map.
"use strict";
(() => {
  const SMALL = 40; // pixels of a place's shorter side; smaller places are shown close up
  const CLOSEST = 96;
  document.documentElement.classList.add("has-script");
  const $ = (id) => document.getElementById(id);
  const felt = () => $("felt");
  const all = (selector) => [...document.querySelectorAll(selector)];
  const places = () => all("#felt [data-ask]").filter((one) => one.checkVisibility());
  const points = (place) => Number(place.dataset.points);
  const byPoints = () => places().sort((a, b) => points(b) - points(a));
  const chosen = () => document.querySelector("#felt .chosen");
  const turns = (place) => places().filter((one) => one.dataset.turn === place.dataset.turn);
  let finger = false; // whether the last pointer was one

  const choose = (place) => {
    chosen()?.classList.remove("chosen");
    place?.classList.add("chosen");
    for (const button of all("#felt :is([data-sure], [data-step])")) button.hidden = !place;
    const sure = document.querySelector("[data-sure]"),
      turn = document.querySelector("button[data-turn]:not([data-ask])");
    if (sure && place) sure.textContent = place.dataset.ask;
    if (turn) turn.hidden = !place || turns(place).length < 2;
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
    const one = chosen() ?? byPoints()[0] ?? document.querySelector("#window .last");
    if (zoomed() && one) lookAt(one);
    draw();
  };

  // The map: what lies on the board, the places, and the part that the window shows.
  const draw = () => {
    const map = $("map"),
      port = $("window");
    if (!map?.checkVisibility()) return;
    const side = map.clientWidth * devicePixelRatio,
      scale = side / Math.max(port.scrollWidth, port.scrollHeight),
      frame = port.getBoundingClientRect(),
      looks = getComputedStyle(map),
      ink = map.getContext("2d");
    map.width = map.height = side;
    const rect = (box, color) => {
      ink.fillStyle = color;
      const [x, y] = [box.x - frame.x + port.scrollLeft, box.y - frame.y + port.scrollTop];
      ink.fillRect(x * scale, y * scale, box.width * scale - 1, box.height * scale - 1);
    };
    const gold = looks.getPropertyValue("--gold");
    for (const one of port.querySelectorAll(map.dataset.shows))
      rect(one.getBoundingClientRect(), looks.color);
    ink.globalAlpha = 0.6;
    for (const one of places()) rect(one.getBoundingClientRect(), gold);
    ink.globalAlpha = 1;
    if (chosen()) rect(chosen().getBoundingClientRect(), gold);
    ink.strokeStyle = gold;
    ink.lineWidth = 1.5 * devicePixelRatio;
    ink.strokeRect(
      port.scrollLeft * scale + 1,
      port.scrollTop * scale + 1,
      port.clientWidth * scale - 2,
      port.clientHeight * scale - 2,
    );
    map.classList.toggle("right", port.scrollLeft + port.clientWidth / 2 < port.scrollWidth / 2);
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
    event.target.setPointerCapture(event.pointerId);
    jump(event);
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
    },
    { capture: true },
  );
  document.addEventListener("click", (event) => {
    const { target } = event;
    const step = target.closest("[data-step]");
    if (target.closest("[data-sure]")) chosen()?.click();
    else if (step && chosen()) choose(after(byPoints(), chosen(), Number(step.dataset.step)));
    else if (target.closest("[data-turn]:not([data-ask])") && chosen())
      choose(after(turns(chosen()), chosen(), 1));
    else {
      // a tap beside the places: no place, or a closer look
      if (
        event.pointerType !== "touch" ||
        !target.closest("#window") ||
        target.closest("[data-ask]")
      )
        return;
      if (chosen()) choose();
      else if ($("board")?.dataset.hold === undefined && !zoomed() && $("map")) {
        [byItself, refused] = [false, false];
        zoom(true, event.clientX, event.clientY);
      }
      return;
    }
    if (zoomed() && chosen()) lookAt(chosen());
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
  // A domino that was chosen already, because no other fits, is tapped too.
  document.addEventListener("click", ({ target }) => {
    if (target.type !== "radio" || !felt().contains(target) || !$("close-up")) return;
    const one = places()[0];
    if (finger && !refused && !zoomed() && one) {
      const { width, height } = one.getBoundingClientRect();
      if (Math.min(width, height) < SMALL) $("close-up").checked = byItself = true;
    }
    show();
  });

  // When the board has changed, nothing is chosen on it, and the whole of it is shown again.
  if (!$("live")) return;
  new MutationObserver(() => {
    if (byItself && zoomed() && !places().length) $("close-up").checked = byItself = false;
    draw();
  }).observe($("live"), {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["data-ply"],
  });
})();
