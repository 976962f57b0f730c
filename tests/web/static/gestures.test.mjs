// What a table's page makes of fingers and mice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, pressOnce, step } from "../../../src/redouble/web/static/table/gestures.js";

const UNDO = { on: "undo", which: "undo" },
  PLAYER = { on: "player", which: "Ben" },
  CARD = { on: "card", which: "7" };
const AT = { x: 100, y: 100 };

// What the page is told to do by events such as ["down", {main: true}], each in its turn.
const hand = () => {
  let state = begin;
  return (type, given) => {
    const result = step(state, { type, ...given });
    state = result.state;
    return result.effects.map((one) => one.do).join(" ");
  };
};
const down = (at, given) => ["down", { main: true, ...AT, ...at, ...given }];
const click = (given) => ["click", { trusted: true, shift: false, detail: 1, ...given }];

test("undo pressed for long goes back by one move, and its click goes nowhere", () => {
  const does = hand();
  assert.equal(does(...down(UNDO)), "wait");
  assert.equal(does("move", { x: 150, y: 100, ...UNDO }), "");
  assert.equal(does("held"), "stepBack");
  assert.equal(does(...click({ ...UNDO, trusted: false })), "", "the script's own click");
  assert.equal(does("menu", UNDO), "refuse");
  assert.equal(does("up"), "forget settle");
  assert.equal(does(...click(UNDO)), "refuse");
  assert.equal(does(...click(UNDO)), "");
  assert.equal(does(...click({ ...UNDO, shift: true })), "stepBack");
});

test("a finger that leaves undo, or another button, doesn't press it", () => {
  const does = hand();
  does(...down(UNDO));
  assert.equal(does("move", { x: 101, y: 100 }), "forget");
  assert.equal(does(...down(UNDO, { main: false })), "forget");
  assert.equal(does(...down({})), "forget");
});

test("a player pressed for long has a menu when the finger is up", () => {
  const does = hand();
  assert.equal(does(...down(PLAYER)), "wait");
  assert.equal(does("move", { x: 105, y: 105 }), "");
  assert.equal(does("held"), "");
  assert.equal(does("menu", PLAYER), "refuse settle");
  assert.equal(does("settled"), "", "the browser would close it again");
  assert.equal(does(...click({ move: "7" })), "refuse");
  does("up");
  assert.equal(does("settled"), "openMenu");
  assert.equal(does(...click({ move: "7" })), "");
});

test("a finger that moves on presses no player, and the menu key does", () => {
  const does = hand();
  does(...down(PLAYER));
  assert.equal(does("move", { x: 113, y: 100 }), "forget");
  does("cancel");
  assert.equal(does("settled"), "");
  assert.equal(does("menu", {}), "");
  assert.equal(does("menu", PLAYER), "refuse settle");
  assert.equal(does("settled"), "openMenu");
});

test("a dragged card is played where it lands, else it goes back", () => {
  for (const lands of [true, false]) {
    const does = hand();
    assert.equal(does(...down(CARD)), "forget");
    assert.equal(does("move", { x: 110, y: 100 }), "");
    assert.equal(does("move", { x: 113, y: 100 }), "forget lift drag");
    assert.equal(does("move", { x: 101, y: 100 }), "forget drag", "back where it was, too");
    assert.equal(does("up", { lands }), `${lands ? "play" : "release"} forget settle`);
    assert.equal(does(...click({ move: "7" })), "refuse", "the click that a browser makes of it");
    does("settled");
    assert.equal(does(...click({ move: "7" })), "");
  }
});

test("a card that is tapped isn't dragged, and one that the browser takes goes back", () => {
  const does = hand();
  does(...down(CARD));
  assert.equal(does("up"), "forget settle");
  assert.equal(does(...click({ move: "7" })), "");
  does(...down(CARD));
  assert.equal(does("cancel"), "release forget settle");
  assert.equal(does("move", { x: 150, y: 100 }), "");
});

test("the second click of a double click plays no other card than the first", () => {
  const does = hand();
  assert.equal(does(...click({ move: "7" })), "");
  assert.equal(does(...click({ move: "8", detail: 2 })), "refuse");
  assert.equal(does(...click({ move: "8", detail: 2 })), "", "its own second");
  assert.equal(does(...click({ detail: 2 })), "");
});

test("a held Enter presses once, and other keys do as they do", () => {
  for (const on of ["button", "input"])
    for (const [key, repeat, refused] of [
      ["Enter", false, false],
      ["Enter", true, true],
      ["ArrowDown", true, false],
    ]) {
      let wasRefused = false;
      const target = { closest: (kinds) => kinds.split(", ").includes(on) || null };
      pressOnce({ key, repeat, target, preventDefault: () => (wasRefused = true) });
      assert.equal(wasRefused, refused, `${on} ${key}`);
    }
});
