// What a table's page makes of streams, answers, other pages, clocks and posts.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  begin,
  boardIn,
  isHeld,
  PATIENCE,
  SILENCE,
  step,
  TICK,
} from "../../../src/redouble/web/static/table/state.js";

const HTML = (ply, more = "") => `<div id="board" data-ply="${ply}"${more}></div>`;
const drawn = (ply, more) => ({ drawn: boardIn(HTML(ply, more)) });
const MOMENT = { hold: "1000" };

// A page without a browser: its clock and timers, what it shows, and what the last event told it to do.
class Page {
  constructor(given) {
    this.now = 10_000;
    this.hidden = false;
    this.board = { ply: "5", moved: "5" };
    this.report = "";
    this.busy = false;
    this.timers = new Map();
    this.state = begin({
      number: 0.5,
      plenty: false,
      channel: true,
      clock: this.now,
      ...given,
    });
  }
  happen(type, given) {
    const { now, hidden, board } = this,
      { state, effects } = step(this.state, { type, now, hidden, board, ...given });
    [this.state, this.effects] = [state, effects];
    for (const { do: what, ms, then, value, ...more } of effects) {
      if (what === "wait") this.timers.set(`${then} ${more.id}`, { at: now + ms, then, more });
      if (what === "forget") this.timers.delete(`${then} ${more.id}`);
      if (what in { report: 1, busy: 1 }) this[what] = value;
    }
    return this.did;
  }
  get did() {
    return this.effects.map((one) => one.do).join(" ");
  }
  effect(what) {
    return this.effects.find((one) => one.do === what);
  }
  // Lets time pass; what it brings. The page ticks while it doesn't sleep.
  pass(milliseconds, { asleep = false } = {}) {
    const until = this.now + milliseconds,
      did = [];
    for (;;) {
      const due = [...this.timers].toSorted(([, a], [, b]) => a.at - b.at)[0],
        tick = asleep ? Infinity : Math.floor(this.now / TICK + 1) * TICK;
      if (Math.min(due?.[1].at ?? Infinity, tick) > until) break;
      if (due?.[1].at <= tick) {
        const [name, { at, then, more }] = due;
        this.timers.delete(name);
        this.now = Math.max(this.now, at);
        did.push(this.happen(then, more));
      } else {
        this.now = tick;
        did.push(this.happen("tick", { clock: tick }));
      }
    }
    this.now = until;
    return did.filter(Boolean).join(" ");
  }
  // The board that was to be drawn is there.
  draw(board) {
    this.board = { moved: this.board.moved, ...board };
    return this.happen("drawn");
  }
  static following(given) {
    const page = new Page(given);
    page.happen("claim");
    page.happen("still");
    page.pass(5000);
    return page;
  }
  // Two others of the browser have streams.
  static asking() {
    const page = new Page();
    page.happen("claim");
    for (let other = 0; other < 2; other++)
      page.happen("heard", { message: { answers: 0.5, by: other } });
    page.pass(200);
    return page;
  }
}

test("a page connects at once, and asks who else has a stream", () => {
  const page = new Page();
  assert.equal(page.happen("claim"), "connect tell wait");
  assert.deepEqual(page.effect("tell").message, { asks: 0.5, hidden: false });
  assert.equal(page.pass(200), "");
  assert.equal(page.state.stream, "open");
});

test("a third page gives its stream up, says nothing of it, and takes the place of one that leaves", () => {
  const page = new Page();
  page.happen("claim");
  const tellOf = (answers, by) => page.happen("heard", { message: { answers, by } });
  tellOf(0.7, 0.2);
  tellOf(0.5, 0.1);
  tellOf(0.5, 0.3);
  assert.equal(page.pass(200), "disconnect");
  assert.equal(page.report, "");
  assert.equal(page.happen("heard", { message: { leaves: true } }), "connect tell wait");
});

test("out of sight a page votes before it connects", () => {
  const page = new Page();
  page.hidden = true;
  assert.equal(page.happen("claim"), "tell wait");
  assert.equal(page.pass(200), "connect");
});

test("with HTTP/2 every page has a stream; an old browser has them only in sight", () => {
  const many = new Page({ plenty: true });
  many.hidden = true;
  assert.equal(many.happen("claim"), "connect");
  const old = new Page({ channel: false });
  assert.equal(old.happen("claim"), "connect");
  old.hidden = true;
  assert.equal(old.happen("vanishes"), "disconnect");
});

test("a page with a stream, or a lower number, answers those that are as much in sight", () => {
  const asks = (number, hidden = false) => ({ message: { asks: number, hidden } });
  const page = new Page();
  assert.equal(page.happen("heard", asks(0.9)), "", "it has none");
  page.happen("claim");
  assert.equal(page.happen("heard", asks(0.4)), "", "the other comes first");
  assert.equal(page.happen("heard", asks(0.9)), "tell");
  page.happen("voted");
  assert.equal(page.happen("heard", asks(0.4)), "tell");
  assert.deepEqual(page.effect("tell").message, { answers: 0.4, by: 0.5 });
  assert.equal(page.happen("heard", asks(0.4, true)), "");
  page.happen("broken");
  assert.equal(page.happen("heard", asks(0.4)), "tell", "it keeps its place meanwhile");
});

test("of six pages two have a stream, and others take their places", () => {
  let pages = Array.from({ length: 6 }, (_, i) => new Page({ number: ((5 * i) % 6) / 6 + 0.01 }));
  const tell = (from) => {
    for (const { do: what, message } of from.effects)
      for (const page of what === "tell" ? pages : [])
        if (page !== from) {
          page.happen("heard", { message });
          tell(page);
        }
  };
  const streams = () => pages.filter((page) => page.state.stream === "open");
  for (const page of pages) {
    page.happen("claim");
    tell(page);
  }
  for (const page of pages) page.pass(200);
  assert.equal(streams().length, 2);
  for (let closed = 0; closed < 2; closed++) {
    const [gone] = streams();
    pages = pages.filter((page) => page !== gone);
    gone.happen("left");
    tell(gone);
    for (const page of pages) page.pass(200);
    assert.equal(streams().length, 2);
  }
});

test("a stream that breaks is opened again, ever later, until it says something", () => {
  const page = Page.following();
  const pauses = [];
  for (let time = 0; time < 6; time++) {
    page.happen("broken");
    pauses.push(page.effect("wait").ms);
    page.now += pauses.at(-1);
    assert.equal(page.happen("connect"), "connect");
  }
  assert.deepEqual(pauses, [500, 1000, 2000, 4000, 5000, 5000]);
  assert.match(page.report, /^Connection lost/);
  page.happen("still");
  assert.equal(page.report, "");
  page.happen("broken");
  assert.equal(page.effect("wait").ms, 500);
  page.happen("disconnect");
  assert.equal(page.happen("connect"), "", "it was given up");
});

test("a silent stream is said to be delayed where questions are answered, else lost", () => {
  const page = new Page();
  page.happen("claim");
  assert.equal(page.pass(PATIENCE), "");
  assert.equal(page.pass(3 * TICK), "ask", "one question at a time");
  page.happen("answered", { ok: true });
  assert.match(page.report, /delayed/);
  assert.equal(page.pass(TICK), "ask");
  page.happen("unanswered");
  assert.match(page.report, /lost/);
  page.happen("said", drawn(6));
  assert.equal(page.report, "");
});

test("without a stream a page asks every two seconds, out of sight every ten", () => {
  const page = Page.asking();
  const asked = (seconds) => {
    let times = 0;
    for (let second = 0; second < seconds; second++)
      if (page.pass(TICK).includes("ask")) {
        times += 1;
        page.happen("answered", { ok: true });
      }
    return times;
  };
  assert.equal(asked(10), 5);
  assert.equal(page.report, "");
  page.hidden = true;
  page.state.looked = page.now;
  assert.equal(asked(11), 1);
});

test("a page without a stream wants one again, since another may be gone without a word", () => {
  const page = Page.asking();
  assert.ok(!page.pass(SILENCE - TICK).includes("tell"));
  assert.ok(page.pass(2 * TICK).includes("connect tell"));
});

test("boards of a held stream that come after newer ones are left out", () => {
  const page = new Page();
  page.happen("claim");
  page.pass(PATIENCE + TICK);
  assert.equal(page.happen("answered", { ok: true, ...drawn(8) }), "draw report busy");
  page.draw({ ply: "8" });
  assert.equal(page.happen("said", drawn(7)), "report", "it is no longer silent");
  assert.equal(page.happen("said", drawn(9)), "draw busy");
});

test("an answer that the stream has outrun is left out", () => {
  const page = Page.following();
  page.happen("look");
  page.happen("said", drawn(6));
  page.draw({ ply: "6" });
  assert.equal(page.happen("answered", { ok: true, ...drawn(6) }), "");
});

for (const [name, wakes] of Object.entries({
  "a page comes back online": (page) => page.happen("wake"),
  "the computer has slept": (page) => {
    page.pass(60_000, { asleep: true });
    return page.pass(TICK);
  },
  "a page that was out of sight without a stream appears": (page) => {
    page.happen("broken");
    return page.happen("appears");
  },
  "a page comes back from the browser's cache": (page) => {
    page.happen("left");
    page.now += 60_000;
    return page.happen("returned", { channel: true });
  },
}))
  test(`when ${name} it connects and asks`, () => {
    const page = Page.following();
    const did = wakes(page);
    assert.ok(did.includes("connect") && did.includes("ask"), did);
    assert.equal(page.happen("wake"), "", "once a second is enough");
    page.happen("opened");
    page.happen("said", drawn(6));
    page.draw({ ply: "6", ...MOMENT });
    assert.ok(!isHeld(page.state, page), "no moments after a break");
  });

test("a page that appears with its stream alive only asks", () => {
  const page = Page.following();
  assert.equal(page.happen("appears"), "tell tell wait ask");
});

test("a stream that is silent for long is opened anew", () => {
  const page = Page.following();
  page.happen("still");
  assert.ok(!page.pass(2 * SILENCE - TICK).includes("connect"));
  assert.ok(page.pass(2 * TICK).includes("connect"));
});

test("a moment stays for its time, and boards wait meanwhile", () => {
  const page = Page.following();
  page.happen("said", drawn(6, ' data-hold="1000"'));
  assert.equal(page.effect("draw").way, "fly");
  page.happen("said", drawn(7));
  assert.equal(page.draw({ ply: "6", ...MOMENT }), "wait");
  assert.equal(page.happen("look"), "", "what a question brings would wait, too");
  assert.equal(page.pass(999), "");
  assert.equal(page.pass(1), "draw");
  assert.equal(page.draw({ ply: "7" }), "busy");
  assert.equal(page.busy, false);
});

test("a moment that waits stays until a tap", () => {
  const page = Page.following();
  page.happen("said", drawn(6, ' data-hold="1000"'));
  page.draw({ ply: "6", ...MOMENT, waits: "1" });
  assert.equal(page.happen("said", drawn(7)), "busy");
  assert.ok(!page.pass(1e6).includes("draw"));
  assert.equal(page.happen("skip"), "goOn draw");
  page.draw({ ply: "7" });
  assert.equal(page.happen("skip"), "", "nothing is to be skipped");
  page.board.finishing = "1";
  assert.equal(page.happen("skip"), "goOn");
});

test("of boards that come at once the last is shown, and those with much to read", () => {
  const instant = ' data-pace="instant"';
  const page = Page.following();
  for (const ply of [6, 7, 8]) page.happen("said", drawn(ply, instant));
  page.happen("said", drawn(9, `${instant} data-hold="500"`));
  page.happen("said", drawn(10, instant));
  const plies = [];
  for (let shown = 6; page.state.drawing; shown = plies.at(-1)) {
    page.draw({ ply: `${shown}` });
    if (!page.effect("draw")) break;
    plies.push(boardIn(page.effect("draw").text).ply);
    assert.equal(page.effect("draw").way, "");
  }
  assert.deepEqual(plies, [9, 10]);
});

test("many changes are one, whatever came before them", () => {
  const page = Page.following();
  page.happen("said", drawn(6));
  page.draw({ ply: "6", ...MOMENT, waits: "1" });
  for (const ply of [7, 8, 21]) page.happen("said", drawn(ply));
  assert.equal(boardIn(page.effect("draw").text).ply, 21);
  assert.equal(page.effect("draw").way, "");
});

test("cards of a finish glide, and a drawing that fails holds nothing up", () => {
  const page = Page.following();
  page.happen("said", drawn(6, ' data-finishing="1"'));
  assert.equal(page.effect("draw").way, "glide");
  page.happen("said", drawn(7));
  assert.equal(page.happen("undrawn"), "draw");
});

test("out of sight nothing waits, and what was missed is told when the page is back", () => {
  const page = Page.following();
  page.happen("said", drawn(6));
  page.draw({ ply: "6", ...MOMENT, waits: "1" });
  page.happen("said", drawn(7));
  page.hidden = true;
  assert.ok(page.happen("vanishes").includes("draw"));
  assert.ok(!page.draw({ ply: "7" }).includes("sumUp"));
  page.hidden = false;
  assert.ok(page.happen("appears").includes("sumUp"));
  assert.ok(!page.happen("appears").includes("sumUp"), "once");
});

test("a moment that ends out of sight is told after the next board", () => {
  const page = Page.following();
  page.hidden = true;
  page.happen("vanishes");
  page.happen("said", drawn(6));
  page.draw({ ply: "6", ...MOMENT });
  page.hidden = false;
  assert.ok(!page.happen("appears").includes("sumUp"), "the page still shows it");
  page.happen("said", drawn(7));
  assert.ok(page.draw({ ply: "7" }).includes("sumUp"));
});

test("a post that isn't answered is said, and the page asks", () => {
  const page = Page.following();
  assert.equal(page.happen("sending", { id: "1", ply: 5, what: "ply=5&move=a" }), "wait busy");
  assert.equal(page.pass(PATIENCE), "notice ask");
  assert.match(page.effect("notice").text, /No answer yet/);
  assert.ok(page.effect("notice").stays);
  page.now += 1;
  assert.equal(page.happen("tapped"), "abort", "a second tap is sent instead");
  assert.equal(page.happen("done", { id: "1" }), "forget notice busy");
  assert.equal(page.effect("notice").text, "");
  assert.equal(page.happen("done", { id: "1" }), "");
});

test("a move that comes too late is not sent", () => {
  const page = Page.following();
  const sends = (id, move, given) => {
    page.happen("sending", { id, ply: 5, what: `ply=5&move=${move}`, ...given });
    return id in page.state.sent;
  };
  assert.ok(sends("1", "a"));
  page.board.moved = "6";
  assert.ok(!sends("2", "a"));
  assert.equal(page.did, "", "the second half of a double tap");
  assert.ok(!sends("3", "b", { automatic: true }));
  assert.equal(page.did, "", "nobody made it");
  assert.ok(!sends("4", "b"));
  assert.match(page.effect("notice").text, /position changed/);
  page.happen("sending", { id: "5", what: "text=Hello" });
  assert.ok("5" in page.state.sent, "a message is never too late");
});

test("what a new board makes too late doesn't hold up the next tap", () => {
  const page = Page.following();
  page.happen("sending", { id: "1", ply: 5, what: "ply=5&move=a" });
  page.happen("sending", { id: "2", what: "text=Hello" });
  page.happen("said", drawn(6));
  page.board.moved = "6";
  assert.equal(page.draw({ ply: "6" }), "abort");
  assert.equal(page.effect("abort").id, "1");
});

test("a stream that doesn't bring what was sent is held back", () => {
  const page = Page.following();
  const send = (id) => {
    page.happen("sending", { id, ply: 5, what: "move" });
    page.happen("done", { id, status: 204 });
  };
  send("1");
  assert.equal(page.pass(PATIENCE), "ask");
  page.happen("answered", { ok: true, ...drawn(6) });
  assert.match(page.report, /delayed/);
  page.draw({ ply: "6" });
  send("2");
  page.happen("said", drawn(7));
  assert.equal(page.report, "");
  assert.equal(page.pass(PATIENCE), "");
});

test("posts that fail or are refused are taken back and said", () => {
  const page = Page.following();
  const said = (type, given) => {
    const did = page.happen(type, given);
    page.happen("unanswered");
    return [did.includes("takeBack"), page.state.notice];
  };
  assert.match(said("unsent", { method: "POST" })[1], /was not played/);
  assert.match(said("unsent", { method: "GET" })[1], /Try again/);
  assert.match(said("unsent", { late: true, method: "POST" })[1], /before you try again/);
  assert.deepEqual(said("refused", { status: 409, text: "No." }), [true, "No."]);
  assert.deepEqual(said("refused", { status: 500, text: "" }), [true, "Error 500"]);
  assert.equal(page.happen("refused", { status: 409, text: "No.", quiet: true }), "takeBack ask");
});

test("whatever happens, no board waits for nothing", () => {
  let seed = 1,
    ply = 5,
    id = 0;
  const below = (most) => (seed = (seed * 48_271) % 2_147_483_647) % most;
  const page = new Page();
  const anytime = {
    heard: () => ({
      message: [{ asks: 0.7 }, { answers: 0.5, by: below(3) }, { leaves: true }][below(3)],
    }),
    look: () => ({}),
    wake: () => ({}),
    vanishes: () => ((page.hidden = true), {}),
    appears: () => ((page.hidden = false), {}),
    disconnect: () => ({}),
    skip: () => ({}),
    tapped: () => ({}),
    sending: () => ({ id: `${++id}`, ply: ply - below(2), what: "move" }),
    done: () => ({ id: `${id - below(3)}`, status: 204 }),
  };
  const following = {
    still: () => ({}),
    said: () => drawn((ply += below(9) ? 1 : 20), [' data-hold="9"', ""][below(2)]),
    opened: () => ({}),
    broken: () => ({}),
  };
  const asking = {
    answered: () => ({ ok: below(2) > 0, ...(below(2) ? drawn(ply) : {}) }),
    unanswered: () => ({}),
  };
  const drawing = {
    drawn: () => ((page.board = { ply, moved: `${ply}`, ...[{}, MOMENT][below(2)] }), {}),
    undrawn: () => ({}),
  };
  page.happen("claim");
  for (let time = 0; time < 20_000; time++) {
    const { state } = page,
      events = {
        ...anytime,
        ...(state.stream === "open" && following),
        ...(state.looking && asking),
        ...(state.drawing && drawing),
      },
      names = Object.keys(events),
      name = names[below(names.length)];
    page.happen(name, events[name]());
    page.pass(below(900));
    const { queue, until, sent } = page.state;
    assert.ok(!queue.length || page.state.drawing || until > page.now, name);
    assert.equal(
      page.busy,
      queue.length > 0 || page.state.drawing || Object.keys(sent).length > 0,
      name,
    );
    page.state.sent = Object.fromEntries(Object.entries(sent).slice(-5));
  }
});
