// Keeps a table's page as the table is: by its stream, and by asking where no stream comes through. Sends what the
// viewer does, and says so when no answer comes. What is to be done is decided in state.js.
import { beats } from "../beats.js";
import { $, board, live } from "../shared.js";
import { pressOnce } from "./gestures.js";
import { PATIENCE, SILENCE, TICK, begin, boardIn, isHeld, step } from "./state.js";
import { isAutomatic } from "./turn.js";

let state, source, channel;
const around = () => ({
  now: performance.now(),
  hidden: document.hidden,
  board: { ...board()?.dataset },
});
// What happened makes a new state, and what this asks for is done at once.
const happen = (type, given) => {
  const { state: next, effects } = step(state, { type, ...around(), ...given });
  state = next;
  for (const { do: what, ...how } of effects) act[what](how);
};

// A page that has lost its seat is told where to watch, here and by its stream.
const get = async (what, given) => {
  const signal = AbortSignal.timeout?.(SILENCE),
    reply = await fetch(`${location.pathname}/${what}`, { signal, ...given }),
    elsewhere = reply.headers.get("HX-Redirect");
  if (elsewhere) location.replace(elsewhere);
  return reply;
};
const { version } = document.documentElement.dataset;
const address = (what, seen) => `${what}?${live().dataset.view}&version=${version}&seen=${seen}`;
const summary = $("missed");
const timers = new Map();
const forget = (name) => clearTimeout(timers.get(name));
const later = (name, ms, call) => {
  forget(name);
  timers.set(name, setTimeout(call, ms));
};
const sent = new Map(); // requests of htmx that aren't answered yet, by their numbers

const act = {
  connect({ seen }) {
    source?.close();
    source = new EventSource(`${location.pathname}/${address("stream", seen)}`);
    source.addEventListener("still", () => happen("still"));
    source.addEventListener("news", () => document.dispatchEvent(new Event("news")));
    source.addEventListener("elsewhere", () => {
      happen("disconnect");
      location.replace(location.pathname);
    });
    source.onmessage = ({ data }) => happen("said", { drawn: boardIn(data) });
    source.onopen = () => happen("opened");
    source.onerror = () => happen("broken");
  },
  disconnect() {
    source?.close();
  },
  tell({ message }) {
    channel.postMessage(message);
  },
  async ask({ seen }) {
    const answer = async () => {
      const signal = AbortSignal.timeout?.(2 * PATIENCE),
        reply = await get(address("board", seen), { cache: "no-store", signal }),
        text = await reply.text();
      return { ok: reply.ok, drawn: reply.status === 200 ? boardIn(text) : undefined };
    };
    const given = await answer().catch(() => undefined);
    happen(given ? "answered" : "unanswered", given);
  },
  wait({ ms, then, ...given }) {
    later(`${then} ${given.id}`, ms, () => happen(then, given));
  },
  forget({ then, id }) {
    forget(`${then} ${id}`);
  },
  async draw({ text, way }) {
    let drawn = "drawn";
    try {
      await beats.show(text, live(), "innerMorph", way);
    } catch (error) {
      console.error(error);
      drawn = "undrawn";
    }
    happen(drawn);
  },
  async sumUp() {
    const seat = new URLSearchParams(live().dataset.view).get("seat");
    if (seat < 0) return;
    try {
      const reply = await get(`since?seat=${seat}`);
      if (reply.status !== 200) return;
      summary.querySelector("[role=status]").innerHTML = await reply.text();
      summary.hidden = false;
    } catch {} // the log says it, too
  },
  goOn() {
    get("go-on", { method: "POST" }).catch(() => {});
  },
  // What a post has to complain about.
  notice({ text, stays }) {
    const box = $("notice");
    box.textContent = text;
    box.hidden = !text;
    if (stays) forget("notice");
    else later("notice", 7000, () => (box.hidden = true));
  },
  abort({ id }) {
    sent.get(id)?.request.abort();
  },
  takeBack() {
    for (const one of document.querySelectorAll(".sent")) one.classList.remove("sent");
  },
  report({ value }) {
    $("connection").textContent = value;
    $("connection").hidden = !value;
  },
  busy({ value }) {
    live().classList.toggle("busy", value);
  },
};

const hideSummary = () => (summary.hidden = true);
const open = () => {
  if (!window.BroadcastChannel) return;
  channel = new BroadcastChannel("redouble streams");
  channel.onmessage = ({ data }) => happen("heard", { message: data });
};
const listenToPage = () => {
  setInterval(() => happen("tick", { clock: Date.now() }), TICK);
  document.addEventListener("visibilitychange", () =>
    happen(document.hidden ? "vanishes" : "appears"),
  );
  addEventListener("online", () => happen("wake"));
  document.addEventListener("resume", () => happen("wake"));
  document.addEventListener("freeze", () => happen("disconnect"));
  addEventListener("pagehide", () => {
    happen("left");
    channel?.close();
    channel = undefined;
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    open();
    happen("returned", { channel: Boolean(channel) });
  });
  summary.querySelector("button").addEventListener("click", hideSummary);
  live().addEventListener("click", ({ target }) => {
    if (target.closest("#felt") && !target.closest(".pause")) happen("skip");
  });
  live().addEventListener("animationend", ({ target }) => {
    if (target.matches(".clock")) happen("skip");
  });
  addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.matches("a, button, input, select, textarea, summary"))
      return;
    if (isHeld(state, around())) event.preventDefault();
    happen("skip");
  });
};

// What was clicked shows at once that it was taken, until the board changes or the post fails.
const listenToPosts = () => {
  let number = 0;
  document.addEventListener("keydown", pressOnce);
  document.addEventListener(
    "submit",
    ({ target, submitter }) => {
      happen("tapped");
      if (target.id === "play") hideSummary();
      if (submitter?.closest("#board")) submitter.classList.add("sent");
    },
    { capture: true },
  );
  document.addEventListener("htmx:before:request", (event) => {
    const { ctx } = event.detail,
      { body } = ctx.request,
      id = `${++number}`;
    if (!isAct(ctx)) return;
    sent.set(id, ctx);
    happen("sending", {
      id,
      ply: body?.has?.("ply") ? Number(body.get("ply")) : undefined,
      what: `${body}`,
      automatic: isAutomatic(ctx.sourceEvent.submitter),
    });
    if (!(id in state.sent)) event.preventDefault();
  });
  document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
    for (const [id, one] of sent)
      if (one === ctx) {
        sent.delete(id);
        happen("done", { id, status: ctx.response?.status });
      }
  });
  document.addEventListener("htmx:error", ({ detail: { ctx } }) =>
    happen("unsent", {
      late: ctx?.request.signal.reason === "timeout",
      method: ctx?.request.method,
    }),
  );
  document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => {
    const { sourceEvent, response, text } = ctx,
      quiet = !isAct(ctx) || isAutomatic(sourceEvent.submitter);
    if (response?.status >= 400) happen("refused", { status: response.status, text, quiet });
  });
};
const isAct = ({ sourceEvent }) => ["submit", "click"].includes(sourceEvent?.type);

export const follow = () => {
  const loaded = ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind));
  open();
  state = begin({
    number: Math.random(),
    plenty: loaded.some((one) => /^h[23]/.test(one.nextHopProtocol)),
    channel: Boolean(channel),
    clock: Date.now(),
  });
  listenToPage();
  listenToPosts();
  happen("claim");
};
