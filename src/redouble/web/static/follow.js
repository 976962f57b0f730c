// Keeps a table's page as the table is: by its stream, and by asking where no stream comes through. Sends what the
// viewer does, and says so when no answer comes.
"use strict";
(() => {
  const PATIENCE = 3000; // milliseconds in which an answer, or the stream, should have come
  const SILENCE = 20000; // longer than a stream is ever silent
  const OFTEN = 2000, // between questions, in sight and out of sight
    RARELY = 10000;
  const TICK = 1000;
  const ASLEEP = 10000; // between two ticks only if the computer slept; out of sight, timers are late
  const STREAMS = 2; // for pages in sight, and for those out of sight: with HTTP/1 a browser has six connections
  const VOTING = 200; // milliseconds in which other pages say that they have a stream
  const CATCH_UP = 1000; // milliseconds after a page comes back in which it still catches up
  const LOST = "Connection lost. Reconnecting…",
    HELD_UP = "Live updates are delayed. Checking every 2 seconds";
  const $ = (id) => document.getElementById(id),
    board = () => $("board"),
    live = $("live"),
    now = () => performance.now();
  const say = (text) => {
    const pill = $("connection");
    if (pill.textContent !== text) pill.textContent = text;
    pill.hidden = !text;
  };

  // A moment stays for its time, or until a tap on the felt or Space. Messages wait meanwhile.
  // Out of sight nothing waits, so that a page that comes back shows the table as it is now; what
  // it didn't show is told in words. After a break come no moments, only the table as it is now.
  let goOn = () => {},
    until = 0,
    missed = false,
    broke = false,
    cameBack = -Infinity,
    shown = Promise.resolve();
  const catchesUp = () => document.hidden || now() < cameBack + CATCH_UP;
  // While boards wait or something was sent, the page isn't as the table is: see forced.js.
  let waiting = 0;
  const sent = new Map();
  const noteBusy = () => live.classList.toggle("busy", waiting > 0 || sent.size > 0);
  const MANY = 12; // more changes at once aren't shown one by one, nor what came before them
  const plyOf = (text) => Number(text.match(/ data-ply="(\d+)"/)?.[1]);
  let newest = 0,
    shows = 0,
    past = 0; // the number of the last show that isn't worth waiting for
  const show = (text) => {
    const number = ++shows;
    waiting += 1;
    noteBusy();
    if (plyOf(text) > (newest || Number(board().dataset.ply)) + MANY) {
      past = number - 1;
      until = 0;
      goOn();
    }
    newest = plyOf(text);
    const over = () => {
      waiting -= 1;
      noteBusy();
    };
    shown = shown
      .then(() => number > past && draw(text))
      .catch(console.error)
      .then(over);
  };
  const draw = async (text) => {
    const left = until - now();
    if (left > 0)
      await new Promise((resolve) => {
        goOn = resolve;
        if (left < Infinity) setTimeout(resolve, left);
      });
    const instant = text.includes(' data-pace="instant"');
    // Of boards that come at once, the last says it all, except where there is much to read.
    if (instant && waiting > 1 && !text.includes(" data-hold=")) return;
    const many = instant || plyOf(text) > Number(board().dataset.ply) + MANY,
      way = text.includes(" data-finishing=") ? "glide" : many ? "" : "fly";
    await beats.show(text, live, "innerMorph", way);
    dropOutdated();
    const { hold, waits } = board().dataset;
    until = hold && !catchesUp() ? (waits ? Infinity : now() + Number(hold)) : 0;
    missed ||= hold ? !until : broke && catchesUp();
    broke = false;
    if (!hold) tellMissed();
  };
  const summary = $("missed");
  const tellMissed = async () => {
    if (!missed || document.hidden) return;
    missed = false;
    const seat = new URLSearchParams(live.dataset.view).get("seat");
    if (seat < 0) return;
    try {
      const reply = await get(`since?seat=${seat}`);
      if (reply.status !== 200) return;
      summary.querySelector("[role=status]").innerHTML = await reply.text();
      summary.hidden = false;
    } catch {} // the log says it, too
  };
  // A page that has lost its seat is told where to watch, here and by its stream.
  const get = async (what, given) => {
    const signal = AbortSignal.timeout?.(SILENCE),
      reply = await fetch(`${location.pathname}/${what}`, { signal, ...given }),
      elsewhere = reply.headers.get("HX-Redirect");
    if (elsewhere) location.replace(elsewhere);
    return reply;
  };
  const closeSummary = () => {
    summary.hidden = true;
  };
  summary.querySelector("button").addEventListener("click", closeSummary);
  document.addEventListener("submit", ({ target }) => {
    if (target.id === "play") closeSummary();
  });
  const skip = () => {
    const finishing = board().dataset.finishing;
    if (until <= now() && !finishing) return;
    until = 0;
    goOn();
    get("go-on", { method: "POST" }).catch(() => {}); // bots wait a little longer
  };
  live.addEventListener("click", (event) => {
    if (event.target.closest("#felt") && !event.target.closest(".pause")) skip();
  });
  live.addEventListener("animationend", (event) => {
    if (event.target.matches(".clock")) skip();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.matches("a, button, input, select, textarea, summary"))
      return;
    if (until > now() || board().dataset.finishing) event.preventDefault();
    skip();
  });

  // The stream. It says something at once and then at least every 15 seconds: silence means that
  // something holds it back or that it is dead.
  let source,
    retry,
    pause = 500,
    brought = 0, // when it last brought a board
    asked = 0, // what a question has brought since it began: boards before that come late
    due = 0; // when it should have said something
  const address = (what) => `${what}?${live.dataset.view}&seen=${board().dataset.ply}`;
  let failing = false, // whether no stream comes through
    reached = false; // whether questions do
  const report = () => say(!failing ? "" : reached ? HELD_UP : LOST);
  const hear = () => {
    pause = 500;
    due = now() + SILENCE;
    failing = reached = false;
    report();
  };
  const wantsStream = () => Boolean(source || retry);
  const disconnect = () => {
    clearTimeout(retry);
    source?.close();
    source = retry = undefined;
  };
  const connect = () => {
    disconnect();
    due = now() + PATIENCE;
    asked = 0;
    source = new EventSource(`${location.pathname}/${address("stream")}`);
    source.addEventListener("still", hear);
    source.addEventListener("news", () => globalThis.lookForNews?.());
    source.addEventListener("elsewhere", ({ data }) => location.replace(data));
    source.onmessage = ({ data }) => {
      hear();
      if (plyOf(data) < asked) return;
      brought = now();
      show(data);
    };
    source.onopen = () => {
      if (broke) cameBack = now();
    };
    source.onerror = () => {
      disconnect();
      broke = failing = true;
      report();
      retry = setTimeout(connect, pause);
      pause = Math.min(pause * 2, 5000);
    };
  };

  // Pages of the same browser leave each other room: each page with a stream answers one that wants
  // one, and of those that ask at the same time the one with the lowest number comes first.
  const number = Math.random(),
    loaded = ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind)),
    plenty = loaded.some((one) => /^h[23]/.test(one.nextHopProtocol));
  let channel,
    taken = 0,
    asking,
    claimed = 0;
  const claim = () => {
    claimed = now();
    // Out of sight a timer can be a minute late: there a page votes before it connects.
    if (!source && (plenty || !document.hidden)) connect();
    if (plenty) return;
    if (!channel) {
      if (document.hidden) disconnect(); // an old browser
      return;
    }
    taken = 0;
    clearTimeout(asking);
    channel.postMessage({ asks: number, hidden: document.hidden });
    asking = setTimeout(() => {
      asking = undefined;
      if (taken < STREAMS) {
        if (!source) connect();
        return;
      }
      disconnect();
      failing = false;
      report();
    }, VOTING);
  };
  const hearOthers = ({ data }) => {
    if (data.answers === number) taken += 1;
    else if (data.leaves && !wantsStream()) claim();
    else if (data.asks && (wantsStream() || asking) && data.hidden === document.hidden)
      if (!asking || number < data.asks) channel.postMessage({ answers: data.asks });
  };
  const open = () => {
    if (!window.BroadcastChannel) return;
    channel = new BroadcastChannel("redouble streams");
    channel.onmessage = hearOthers;
  };
  const leave = () => channel?.postMessage({ leaves: true });

  // The question: short, so that it comes through where a stream doesn't.
  let looking = false,
    looked = 0;
  const look = async () => {
    if (looking || until > now()) return false;
    [looking, looked] = [true, now()];
    const before = brought;
    let news = false;
    try {
      const reply = await get(address("board"), {
        cache: "no-store",
        signal: AbortSignal.timeout?.(2 * PATIENCE),
      });
      const html = await reply.text();
      if (reply.status === 200 && brought === before) {
        show(html);
        asked = plyOf(html);
        news = true;
      }
      reached = reply.ok;
      failing = now() > due && (wantsStream() || !reached);
    } catch {
      reached = false;
      failing ||= now() > due;
    }
    looking = false;
    report();
    return news;
  };
  // After a sleep or a break nobody waits for the stream.
  let ticked = Date.now(),
    woken = 0;
  const wake = () => {
    if (now() < woken + TICK) return;
    woken = now();
    broke = true;
    disconnect();
    claim();
    look();
  };
  setInterval(() => {
    const slept = Date.now() - ticked;
    ticked = Date.now();
    if (slept > ASLEEP && !document.hidden) return wake();
    if (source && now() > due + SILENCE) connect();
    if (!wantsStream() && now() > claimed + SILENCE) claim(); // a page may be gone without a word
    const silent = !source || now() > due;
    if (silent && now() - looked >= (document.hidden ? RARELY : OFTEN)) look();
  }, TICK);
  document.addEventListener("visibilitychange", () => {
    leave();
    if (document.hidden) {
      missed ||= until > now();
      until = 0;
      goOn();
      claim();
      return;
    }
    cameBack = now();
    if (!board().dataset.hold) tellMissed();
    if (source && now() < due) {
      claim();
      look();
    } else wake();
  });
  addEventListener("online", wake);
  document.addEventListener("resume", wake);
  document.addEventListener("freeze", disconnect);
  addEventListener("pagehide", () => {
    leave();
    disconnect();
    channel?.close();
    channel = undefined;
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    open();
    wake();
  });
  open();
  claim();

  // What was clicked shows at once that it was taken, until the board changes or the post fails.
  document.addEventListener("submit", ({ submitter }) => {
    if (submitter?.closest("#board")) submitter.classList.add("sent");
  });
  const takeBack = () => {
    for (const one of document.querySelectorAll(".sent")) one.classList.remove("sent");
  };
  // What a post has to complain about.
  let quiet;
  const notice = (text, stays = false) => {
    const box = $("notice");
    box.textContent = text;
    box.hidden = !text;
    clearTimeout(quiet);
    if (stays) return;
    quiet = setTimeout(() => {
      box.hidden = true;
    }, 7000);
  };
  // What was sent and isn't answered yet. The server makes a move once, however often it comes: a
  // second tap after a while is sent instead of the first. What it would refuse, as the board shows
  // a later move, doesn't wait for an answer, nor hold up the next tap.
  const UNANSWERED = "No answer yet. Still trying…",
    TOO_LATE = "The position changed before your move was sent. Look again.";
  const isOutdated = ({ request: { body } }) =>
    Number(body?.get?.("ply") ?? Infinity) < board().dataset.moved;
  const dropOutdated = () => {
    for (const ctx of sent.keys()) if (isOutdated(ctx)) ctx.request.abort();
  };
  const isAct = ({ sourceEvent }) => ["submit", "click"].includes(sourceEvent?.type);
  let latest; // the move that was sent last
  document.addEventListener("htmx:before:request", (event) => {
    const { ctx } = event.detail,
      what = `${ctx.request.body}`;
    if (!isAct(ctx)) return;
    // It waited for the answer to another: the second tap of a double one, or another move.
    if (isOutdated(ctx) && latest) {
      event.preventDefault();
      if (what !== latest && ctx.sourceEvent.submitter !== live.automatic) notice(TOO_LATE);
      return;
    }
    if (ctx.request.body?.has?.("ply")) latest = what;
    const say = () => {
      notice(UNANSWERED, true);
      look();
    };
    sent.set(ctx, { at: now(), timer: setTimeout(say, PATIENCE) });
    noteBusy();
  });
  document.addEventListener(
    "submit",
    () => {
      dropOutdated();
      for (const [ctx, { at }] of sent) if (now() > at + PATIENCE) ctx.request.abort();
    },
    { capture: true },
  );
  document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
    const one = sent.get(ctx);
    if (!one) return;
    clearTimeout(one.timer);
    sent.delete(ctx);
    noteBusy();
    if ($("notice").textContent === UNANSWERED) notice("");
    if (ctx.response?.status !== 204 || !source) return;
    setTimeout(async () => {
      if (brought >= one.at || !(await look())) return;
      due = 0;
      failing = true;
      report();
    }, PATIENCE);
  });
  document.addEventListener("htmx:error", ({ detail: { ctx } }) => {
    takeBack();
    if (ctx?.request.signal.reason === "timeout")
      notice("The server didn't answer. Look at the board before you try again.");
    else if (ctx?.request.method === "POST")
      notice("Can't reach the server. Your move was not played.");
    else notice("Can't reach the server. Try again.");
    look();
  });
  document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => {
    if (!(ctx.response?.status >= 400)) return;
    takeBack();
    if (ctx.sourceEvent?.submitter === live.automatic) return look();
    notice(ctx.text || `Error ${ctx.response.status}`);
  });
})();
