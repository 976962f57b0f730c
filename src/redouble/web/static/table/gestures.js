// What fingers and mice do on a table besides tapping: undo pressed for long goes back by one move, a player pressed
// for long opens their menu, a card is dragged, and the second half of a double click plays nothing.
import { meet } from "../shared.js";
import { openMenu } from "./menu.js";

const LONG = 500; // milliseconds
const FAR = 12; // pixels

export const begin = {
  down: false, // whether a finger or button is
  press: undefined, // where it went down, `on` what (undo, player or card), and on `which` one
  stepped: false, // whether undo went back by one move, so that its click doesn't go back again
  asked: undefined, // the player whose menu opens: while a finger is down, the browser would close it again
  swallow: "", // of which gesture the browser makes clicks: of a player or card
  clicked: undefined, // the move that was clicked last
};

export const step = (state, event) => {
  const next = { ...state },
    effects = [];
  on[event.type](next, event, (what, given) => effects.push({ do: what, ...given }));
  return { state: next, effects };
};
const end = (s, act) => {
  [s.down, s.press] = [false, undefined];
  act("forget");
  act("settle");
};
const on = {
  down(s, { main, on, ...at }, act) {
    s.down = true;
    s.press = main && on ? { on, far: false, ...at } : undefined;
    if (s.press && on !== "card") act("wait", { ms: LONG });
    else act("forget");
  },
  move(s, { x, y, on }, act) {
    const { press } = s;
    if (!press) return;
    const [dx, dy] = [x - press.x, y - press.y],
      far = press.far || Math.hypot(dx, dy) > FAR;
    if (press.on === "undo" ? on !== "undo" : far) act("forget");
    if (press.on !== "card" || !far) return;
    if (!press.far) act("lift", press);
    s.press = { ...press, far };
    act("drag", { which: press.which, dx, dy });
  },
  held(s, event, act) {
    const { on, which } = s.press;
    if (on === "undo") {
      s.stepped = true;
      act("stepBack", { which, clicks: true });
    } else [s.asked, s.swallow] = [which, "player"];
  },
  up(s, { lands }, act) {
    const { on, far, which } = s.press ?? {};
    if (on === "card" && far) {
      s.swallow = "card";
      act(lands ? "play" : "release", { which });
    }
    end(s, act);
  },
  cancel(s, event, act) {
    const { on, which } = s.press ?? {};
    if (on === "card") act("release", { which });
    end(s, act);
  },
  // after the click that a browser makes of a gesture
  settled(s, event, act) {
    if (s.swallow === "card") s.swallow = "";
    if (s.down || !s.asked) return;
    act("openMenu", { which: s.asked });
    [s.asked, s.swallow] = [undefined, ""];
  },
  // a phone's answer to a long press, a right click or the menu key
  menu(s, { on, which }, act) {
    if (on) act("refuse");
    if (on !== "player") return;
    s.asked = which;
    act("settle");
  },
  click(s, { trusted, shift, detail, on, which, move }, act) {
    const { stepped, clicked } = s;
    if (trusted) s.stepped = false;
    if (on === "undo") {
      if (stepped && trusted) return act("refuse");
      if (shift) act("stepBack", { which });
    }
    if (s.swallow === "player") return act("refuse");
    if (!move) return;
    s.clicked = move;
    // The second click of a double click plays no other card than the first.
    if (s.swallow === "card" || (detail > 1 && move !== clicked)) act("refuse");
  },
};

// Undo goes back to the last decision; with this field, by one move.
const addStep = ({ form }) => {
  const field = { type: "hidden", name: "step", value: "1" },
    step = Object.assign(document.createElement("input"), field);
  form.append(step);
  setTimeout(() => step.remove());
};
const release = (card, { scrolls, left, top } = {}) => {
  card.classList.remove("dragged");
  card.style.translate = "";
  scrolls?.scrollTo({ left, top, behavior: "instant" });
};
// Dropped where it lay a card stays; dropped on what the scene marks as its aim, or anywhere else where nothing is
// marked, it is played.
const lands = ({ which: card, box }, { clientX: x, clientY: y }) => {
  const aim = document.querySelector("[data-drop]"),
    there = !aim || meet(card.getBoundingClientRect(), aim.getBoundingClientRect()),
    stays = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  return card.isConnected && there && !stays;
};
const undoAt = ({ target }) => {
  const undo = target.closest?.("[form=command][value=undo]");
  return undo && { on: "undo", which: undo };
};
const pressed = (event) => {
  const { target } = event,
    undo = undoAt(event),
    card = target.closest?.("button.card[form=play]");
  if (undo) return undo;
  if (card) return { on: "card", which: card, box: card.getBoundingClientRect() };
  return target.closest?.("button, a") ? {} : playerAt(event);
};
const playerAt = ({ target }) => {
  const { seat } = target.closest?.("[data-seat]")?.dataset ?? {},
    player = seat && document.querySelector(`.players [data-seat="${seat}"]`);
  return player ? { on: "player", which: player } : {};
};

// A key that is held presses a button, and sends a form, once.
export const pressOnce = (event) => {
  if (event.repeat && event.key === "Enter" && event.target.closest("button, input"))
    event.preventDefault();
};

export const listenToGestures = () => {
  let state = begin,
    timer,
    scrolled; // where a hand that scrolls was, which lets a card out
  const act = {
    wait({ ms }) {
      clearTimeout(timer);
      timer = setTimeout(happen, ms, "held");
    },
    forget: () => clearTimeout(timer),
    settle: () => setTimeout(happen, 0, "settled"),
    refuse(given, event) {
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    stepBack({ which, clicks }) {
      addStep(which);
      if (clicks) which.click();
    },
    openMenu: ({ which }) => openMenu(which),
    // Meanwhile the style sheet moves what was scrolled to.
    lift({ which }, { pointerId }) {
      const scrolls = which.closest(".scrolls");
      which.setPointerCapture(pointerId);
      scrolled = { scrolls, left: scrolls?.scrollLeft ?? 0, top: scrolls?.scrollTop ?? 0 };
      scrolls?.style.setProperty("--over-left", `${scrolled.left}px`);
      scrolls?.style.setProperty("--over-top", `${scrolled.top}px`);
    },
    drag({ which, dx, dy }) {
      which.classList.add("dragged");
      which.style.translate = `${dx}px ${dy}px`;
    },
    release: ({ which }) => release(which, scrolled),
    play({ which }) {
      which.form?.requestSubmit(which);
      setTimeout(release, 800, which, scrolled); // when it was not taken; else it lies elsewhere by then
    },
  };
  const happen = (type, given, event) => {
    const { state: next, effects } = step(state, { type, ...given });
    state = next;
    for (const { do: what, ...how } of effects) act[what](how, event);
  };
  document.addEventListener("pointerdown", (event) => {
    const { clientX: x, clientY: y, button } = event;
    happen("down", { x, y, main: button === 0, ...pressed(event) }, event);
  });
  document.addEventListener("pointermove", (event) => {
    const { press } = state;
    // the scene may have changed meanwhile
    if (!press || (press.on === "card" && !press.which.isConnected)) return;
    happen("move", { x: event.clientX, y: event.clientY, ...undoAt(event) }, event);
  });
  document.addEventListener("pointerup", (event) => {
    const { press } = state;
    happen("up", { lands: press?.far && lands(press, event) });
  });
  document.addEventListener("pointercancel", () => happen("cancel"));
  document.addEventListener("contextmenu", (event) =>
    happen("menu", undoAt(event) ?? playerAt(event), event),
  );
  document.addEventListener(
    "click",
    (event) => {
      const { isTrusted: trusted, shiftKey: shift, detail, target } = event,
        button = target.closest("[form=play]"),
        move = button && (button.id || button.value);
      happen("click", { trusted, shift, detail, move, ...undoAt(event) }, event);
    },
    { capture: true },
  );
};
