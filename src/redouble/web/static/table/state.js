// What a table's page knows of its connection, of boards to show and of what it has sent. `step` makes a new state
// of what happens, and says what the page is to do. It touches nothing, so tests need no browser.
export const PATIENCE = 3000; // milliseconds in which an answer, or the stream, should have come
export const SILENCE = 20_000; // longer than a stream is ever silent
const OFTEN = 2000, // between questions, in sight and out of sight
  RARELY = 10_000;
export const TICK = 1000;
const ASLEEP = 10_000; // between two ticks only if the computer slept; out of sight, timers are late
const STREAMS = 2; // for pages in sight, and for those out of sight: with HTTP/1 a browser has six connections
const VOTING = 200; // milliseconds in which other pages say that they have a stream
const CATCH_UP = 1000; // milliseconds after a page comes back in which it still catches up
const MANY = 12; // more changes at once aren't shown one by one, nor what came before them
const LOST = "Connection lost. Reconnecting…",
  HELD_UP = "Live updates are delayed. Checking every 2 seconds";
const UNANSWERED = "No answer yet. Still trying…",
  TOO_LATE = "The position changed before your move was sent. Choose again.",
  UNCERTAIN = "The server didn't answer. Look at the board before you try again.",
  UNSENT = "Can't reach the server. Your move was not played.",
  UNREACHED = "Can't reach the server. Try again.";

// `number` tells this page from others of the browser, which a `channel` asks unless connections are `plenty`.
export const begin = ({ number, plenty, channel, clock }) => ({
  ...{ number, plenty, channel },
  stream: "none", // or "open", or "waits" to be opened again
  due: 0, // when the stream should have said something
  pause: 500, // before it is opened again
  brought: 0, // when it last brought a board
  asked: 0, // the board that a question has brought since it began: those before that come late
  failing: false, // whether no stream comes through
  reached: false, // whether questions do
  asking: false, // whether other pages are being asked
  taken: [], // the numbers of those that have a stream
  claimed: 0, // when they were asked
  looking: false, // whether a question isn't answered yet
  looked: 0, // when it was asked
  had: 0, // when the stream had brought a board by then
  suspects: false, // whether a board in the answer shows that the stream is held back
  ticked: clock,
  woken: 0,
  queue: [], // boards to be shown
  drawing: false,
  newest: 0,
  until: 0, // when the moment ends that the page shows
  missed: false, // whether a moment wasn't shown
  broke: false, // whether boards were missed
  cameBack: -Infinity,
  sent: {}, // what isn't answered yet, by its number: when it was sent, and from which ply
  latest: undefined, // the move that was sent last
  notice: "",
});

// The board in a text, as far as it has to be known before it is drawn.
export const boardIn = (text) => ({
  text,
  ply: Number(text.match(/ data-ply="(\d+)"/)?.[1]),
  instant: text.includes(' data-pace="instant"'),
  reads: text.includes(" data-hold="), // there is much to read
  finishing: text.includes(" data-finishing="),
});

// An event has a `type`, the time `now`, whether the page is `hidden`, and the data of the `board` that it shows.
export const step = (state, event) => {
  const next = { ...state },
    effects = [],
    act = (what, given) => effects.push({ do: what, ...given });
  on[event.type](next, event, act);
  for (const [what, tell] of Object.entries({ report, busy: isBusy }))
    if (tell(next) !== tell(state)) act(what, { value: tell(next) });
  return { state: next, effects };
};
const report = ({ failing, reached }) => (!failing ? "" : reached ? HELD_UP : LOST);
// While boards wait or something was sent, the page isn't as the table is: no forced move is made then.
const isBusy = ({ queue, drawing, sent }) => drawing || Boolean(queue[0] || Object.keys(sent)[0]);
export const isHeld = ({ until }, { now, board }) => until > now || Boolean(board.finishing);

// The stream. It says something at once and then at least every 15 seconds: silence means that something holds it
// back or that it is dead.
const connect = (s, { now, board }, act) => {
  s.stream = "open";
  s.due = now + PATIENCE;
  s.asked = 0;
  act("connect", { seen: board.ply });
};
const disconnect = (s, event, act) => {
  s.stream = "none";
  act("disconnect");
};
const hear = (s, { now }) => {
  s.pause = 500;
  s.due = now + SILENCE;
  s.failing = s.reached = false;
};

// Pages of the same browser leave each other room: each page with a stream answers one that wants one, and of those
// that ask at the same time the one with the lowest number comes first.
const claim = (s, event, act) => {
  const { now, hidden } = event;
  s.claimed = now;
  // Out of sight a timer can be a minute late: there a page votes before it connects.
  if (s.stream !== "open" && (s.plenty || !hidden)) connect(s, event, act);
  if (s.plenty) return;
  if (s.channel) {
    s.taken = [];
    s.asking = true;
    act("tell", { message: { asks: s.number, hidden } });
    act("wait", { ms: VOTING, then: "voted" });
  } else if (hidden) disconnect(s, event, act); // an old browser
};
const leave = (s, act) => {
  if (s.channel) act("tell", { message: { leaves: true } });
};

// The question: short, so that it comes through where a stream doesn't. Returns whether it is asked.
const look = (s, { now, board }, act) => {
  if (s.looking || s.until > now) return false;
  s.looking = true;
  s.looked = now;
  s.had = s.brought;
  act("ask", { seen: board.ply });
  return true;
};
// After a sleep or a break nobody waits for the stream.
const wake = (s, event, act) => {
  if (event.now < s.woken + TICK) return;
  s.woken = event.now;
  s.broke = true;
  disconnect(s, event, act);
  claim(s, event, act);
  look(s, event, act);
};

// A moment stays for its time, or until a tap on the felt or Space. Boards wait meanwhile. Out of sight nothing waits,
// so that a page that comes back shows the table as it is now; what it didn't show is told in words. After a break come
// no moments, only the table as it is now.
const arrive = (s, event, act) => {
  const { ply } = event.drawn;
  if (ply > (s.newest || Number(event.board.ply)) + MANY) {
    s.queue = [];
    s.until = 0;
  }
  s.newest = ply;
  s.queue = [...s.queue, event.drawn];
  showNext(s, event, act);
};
const showNext = (s, { now, board }, act) => {
  if (s.drawing || !s.queue.length) return;
  if (s.until > now) {
    if (s.until < Infinity) act("wait", { ms: s.until - now, then: "next" });
    return;
  }
  // Of boards that come at once, the last says it all, except where there is much to read.
  const last = s.queue.length - 1,
    at = s.queue.findIndex(({ instant, reads }, at) => at === last || !instant || reads),
    { text, ply, instant, finishing } = s.queue[at],
    many = instant || ply > Number(board.ply) + MANY;
  s.queue = s.queue.slice(at + 1);
  s.drawing = true;
  act("draw", { text, way: finishing ? "glide" : many ? "" : "fly" });
};
const tellMissed = (s, { hidden, board }, act) => {
  if (!s.missed || hidden || board.hold) return;
  s.missed = false;
  act("sumUp");
};

// What was sent and isn't answered yet. The server makes a move once, however often it comes: a second tap after a
// while is sent instead of the first. What it would refuse, as the board shows a later move, doesn't wait for an
// answer, nor hold up the next tap.
const isOutdated = (ply, board) => ply < Number(board.moved);
const abort = (s, act, isOver) => {
  for (const [id, one] of Object.entries(s.sent)) if (isOver(one)) act("abort", { id });
};
const notice = (s, act, text, stays = false) => {
  s.notice = text;
  act("notice", { text, stays });
};

const on = {
  ...{ claim, look, wake, still: hear, disconnect, next: showNext },
  said(s, event, act) {
    hear(s, event);
    if (event.drawn.ply < s.asked) return;
    s.brought = event.now;
    arrive(s, event, act);
  },
  opened(s, { now }) {
    if (s.broke) s.cameBack = now;
  },
  broken(s, event, act) {
    disconnect(s, event, act);
    s.stream = "waits";
    s.broke = s.failing = true;
    act("wait", { ms: s.pause, then: "connect" });
    s.pause = Math.min(s.pause * 2, 5000);
  },
  connect(s, event, act) {
    if (s.stream === "waits") connect(s, event, act);
  },

  voted(s, event, act) {
    s.asking = false;
    if (new Set(s.taken).size >= STREAMS) {
      disconnect(s, event, act);
      s.failing = false;
    } else if (s.stream !== "open") connect(s, event, act);
  },
  heard(s, event, act) {
    const { answers, by, leaves, asks, hidden } = event.message,
      wants = s.stream !== "none";
    if (answers === s.number) s.taken = [...s.taken, by];
    else if (leaves && !wants) claim(s, event, act);
    else if (!asks || hidden !== event.hidden) return;
    else if (s.asking && asks < s.number) s.taken = [...s.taken, asks];
    else if (wants || s.asking) act("tell", { message: { answers: asks, by: s.number } });
  },

  answered(s, event, act) {
    const { now, ok, drawn } = event,
      news = drawn && s.brought === s.had;
    if (news) {
      arrive(s, event, act);
      s.asked = drawn.ply;
    }
    if (news && s.suspects) s.due = 0;
    s.looking = s.suspects = false;
    s.reached = ok;
    s.failing = now > s.due && (s.stream !== "none" || !ok);
  },
  unanswered(s, { now }) {
    s.looking = s.suspects = s.reached = false;
    s.failing ||= now > s.due;
  },
  tick(s, event, act) {
    const { now, clock, hidden } = event,
      slept = clock - s.ticked;
    s.ticked = clock;
    if (slept > ASLEEP && !hidden) return wake(s, event, act);
    if (s.stream === "open" && now > s.due + SILENCE) connect(s, event, act);
    // a page may be gone without a word
    if (s.stream === "none" && now > s.claimed + SILENCE) claim(s, event, act);
    const silent = s.stream !== "open" || now > s.due;
    if (silent && now - s.looked >= (hidden ? RARELY : OFTEN)) look(s, event, act);
  },

  appears(s, event, act) {
    leave(s, act);
    s.cameBack = event.now;
    tellMissed(s, event, act);
    if (s.stream !== "open" || event.now >= s.due) return wake(s, event, act);
    claim(s, event, act);
    look(s, event, act);
  },
  vanishes(s, event, act) {
    leave(s, act);
    s.missed ||= s.until > event.now;
    s.until = 0;
    showNext(s, event, act);
    claim(s, event, act);
  },
  left(s, event, act) {
    leave(s, act);
    disconnect(s, event, act);
    s.channel = false;
  },
  returned(s, event, act) {
    s.channel = event.channel;
    wake(s, event, act);
  },

  drawn(s, event, act) {
    const { now, hidden, board } = event,
      { hold, waits } = board,
      catchesUp = hidden || now < s.cameBack + CATCH_UP;
    s.drawing = false;
    abort(s, act, ({ ply }) => isOutdated(ply, board));
    s.until = hold && !catchesUp ? (waits ? Infinity : now + Number(hold)) : 0;
    s.missed ||= hold ? !s.until : s.broke && catchesUp;
    s.broke = false;
    tellMissed(s, event, act);
    showNext(s, event, act);
  },
  undrawn(s, event, act) {
    s.drawing = false;
    showNext(s, event, act);
  },
  skip(s, event, act) {
    if (!isHeld(s, event)) return;
    s.until = 0;
    act("goOn"); // bots wait a little longer
    showNext(s, event, act);
  },

  tapped(s, { now, board }, act) {
    abort(s, act, ({ at, ply }) => isOutdated(ply, board) || now > at + PATIENCE);
  },
  // `what` is sent from the board after `ply`. Unless it is in `sent` then, it must not be sent.
  sending(s, { id, now, ply, what, automatic, board }, act) {
    // It waited for the answer to another: the second tap of a double one, or another move.
    if (isOutdated(ply, board) && s.latest) {
      if (what !== s.latest && !automatic) notice(s, act, TOO_LATE);
      return;
    }
    if (ply !== undefined) s.latest = what;
    s.sent = { ...s.sent, [id]: { at: now, ply } };
    act("wait", { ms: PATIENCE, then: "late", id });
  },
  late(s, event, act) {
    notice(s, act, UNANSWERED, true);
    look(s, event, act);
  },
  done(s, { id, status }, act) {
    const { [id]: one, ...others } = s.sent;
    if (!one) return;
    s.sent = others;
    act("forget", { then: "late", id });
    if (s.notice === UNANSWERED) notice(s, act, "");
    if (status === 204 && s.stream === "open")
      act("wait", { ms: PATIENCE, then: "check", id, at: one.at });
  },
  // A stream that doesn't bring what was sent is held back.
  check(s, event, act) {
    if (s.brought < event.at && look(s, event, act)) s.suspects = true;
  },
  unsent(s, event, act) {
    act("takeBack");
    notice(s, act, event.late ? UNCERTAIN : event.method === "POST" ? UNSENT : UNREACHED);
    look(s, event, act);
  },
  refused(s, event, act) {
    act("takeBack");
    if (event.quiet) look(s, event, act);
    else notice(s, act, event.text || `Error ${event.status}`);
  },
};
