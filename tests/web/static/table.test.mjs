// What a table's page computes besides.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SOUNDS, soundsOf } from "../../../src/redouble/web/static/table/sounds.js";
import { inWords, showClock } from "../../../src/redouble/web/static/table/turn.js";

test("a move, a moment, the player's turn and a victory are heard, each once", () => {
  const before = { moves: "9", mine: "0", celebrated: "0", sound: "place" };
  const heard = (given) => soundsOf(before, { ...before, ...given });
  assert.deepEqual(heard({}), []);
  assert.deepEqual(heard({ moves: "10" }), ["place"]);
  assert.deepEqual(heard({ moves: "8" }), [], "an undone move");
  assert.deepEqual(heard({ moves: "10", mine: "1" }), ["place", "turn"]);
  assert.deepEqual(heard({ mine: "1", celebrated: "1" }), ["win"]);
  const moment = { moment: "pile-taken", heard: "trick pickup" };
  assert.deepEqual(heard({ moves: "10", ...moment }), ["place", "trick", "pickup"]);
  assert.deepEqual(soundsOf({ ...before, ...moment }, { ...before, ...moment }), []);
  assert.deepEqual(heard({ moment: "quiet" }), [""]);
});

test("every sound has voices that end within a second", () => {
  for (const [name, voices] of Object.entries(SOUNDS)) {
    const ends = voices.map(([, at, long]) => at + long + 0.03);
    assert.ok(ends.length && Math.max(...ends) < 1, name);
  }
});

test("the time that is left is written as the server does", () => {
  const written = Object.fromEntries(
    [0, 59, 65, 3599, 3600, 86_399, 172_799, 172_800].map((left) => [left, inWords(left)]),
  );
  assert.deepEqual(written, {
    0: "0:00",
    59: "0:59",
    65: "1:05",
    3599: "59:59",
    3600: "1 h",
    86_399: "23 h",
    172_799: "47 h",
    172_800: "2 days",
  });
});

test("setting the computer's clock changes no time that is left", (t) => {
  const said = { dataset: { soon: "Ten seconds" }, textContent: "" },
    letters = { data: "" },
    board = {
      dataset: { until: "300000", total: "300", mine: "1" },
      style: { setProperty() {} },
      classList: { toggle() {} },
      querySelectorAll: () => [{ firstChild: letters }],
    },
    live = { dataset: { now: "7000" } };
  globalThis.document = {
    addEventListener() {},
    getElementById: (id) => ({ "time-said": said, board, live })[id],
  };
  globalThis.MutationObserver = class {
    observe() {}
  };
  let passed = 0,
    clock = 1_000_000,
    show;
  t.mock.method(globalThis, "setInterval", (call) => (show = call));
  t.mock.method(Date, "now", () => clock);
  t.mock.method(performance, "now", () => passed);
  showClock();
  assert.equal(letters.data, "4:53");
  for (clock of [0, 9e12]) {
    passed += 1000;
    show();
    assert.equal(letters.data, inWords(293 - passed / 1000), `${clock}`);
  }
});
