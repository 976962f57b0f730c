// What a table shows while its cards move: see test_motion.py.

// Notes what is told before the cards lie (`early`) or is asked no longer (`stale`), and how often something is `told`.
globalThis.watchWords = () => {
  const start = document.startViewTransition.bind(document),
    texts = (one) => one?.textContent;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const plays = "#felt [form=play], #felt label[for]",
    tools = ".tools :is(a, button:enabled)";
  const counting = () =>
    document
      .getAnimations()
      .filter((one) => one.transitionProperty === "--total" && one.playState === "running");
  // On a busy machine figures may count for longer than a page waits for them.
  const late = new WeakSet(),
    later = setTimeout.bind(window);
  window.setTimeout = (act, wait, ...values) => {
    const waits = wait === 600 ? counting() : [];
    const then = () => {
      for (const one of waits) late.add(one);
      act(...values);
    };
    return later(then, wait);
  };
  const shown = () => ({
    ticker: texts(document.getElementById("heard")),
    log: document.querySelector("#log li")?.id,
    headline: texts(document.querySelector(".prompt.headline")),
    ending: document.getElementById("ending") !== null,
    crowned: [...document.querySelectorAll(".best [id]")].map((one) => one.id).join(),
    chips: [...document.querySelectorAll(".chips .gone")].length,
    notes: [...document.querySelectorAll(".seat [class*=state-]")].map(texts).join(),
    points: [...document.querySelectorAll(".seat .points")].map(texts).join(),
    prompt: texts(document.getElementById("prompt")),
    title: document.title,
    turn: all(".seat.turn")
      .map((one) => one.dataset.seat)
      .join(),
    facts: all("#felt :is(.facts, .heading p, .caption, .last)").map(texts).join(),
    lanes: all(".lane")
      .map((one) => one.className + one.textContent)
      .join(),
    plays: all(plays).length,
    dim: all(".dim").length,
    tools: all(tools).map(texts).join(),
    counting: counting().some((one) => !late.has(one)),
  });
  const words = (now) => JSON.stringify({ ...now, counting: 0 });
  const asked = ["title", "plays", "dim", "tools"];
  let flying = 0,
    before = shown(),
    was = "",
    own = true,
    prompt = "";
  const asks = () =>
    all("#prompt:not(.headline) strong")
      .filter((one) => one.checkVisibility({ visibilityProperty: true }))
      .map(texts)
      .join();
  window.early = [];
  window.stale = [];
  window.told = 0;
  document.startViewTransition = (change) => {
    flying++;
    own = document.getElementById("board").dataset.mine === "1";
    const transition = start(async () => {
      await change();
      prompt = asks();
    });
    const over = () => flying--;
    transition.finished.then(over, over);
    return transition;
  };
  const watch = () => {
    const now = shown();
    if (words(now) !== was) window.told++;
    for (const key of Object.keys(now))
      if (
        now[key] !== before[key] &&
        (flying || now.counting) &&
        now[key] &&
        key !== "counting" &&
        !(own && asked.includes(key)) &&
        !(key === "chips" && now.chips < before.chips)
      )
        window.early.push([key, before[key], now[key], flying]);
    if (!flying && prompt && asks() && asks() !== prompt) window.stale.push([prompt, asks()]);
    if (!flying) prompt = "";
    [before, was] = [now, words(now)];
  };
  new MutationObserver(watch).observe(document.getElementById("live"), {
    attributes: true,
    childList: true,
    subtree: true,
    characterData: true,
  });
};

// Notes in `watched` what lay where before and after each transition, and what moved.
globalThis.watchCards = () => {
  const cards = () =>
    Object.fromEntries(
      [...document.querySelectorAll("#board [id^=card-]")].map((one) => [
        one.id,
        {
          seat: Number(one.closest("[data-seat]")?.dataset.seat ?? -1),
          mine: one.closest(".mine") !== null,
          centre: one.closest(".centre") !== null && one.closest("[data-seat]") === null,
          back: one.matches(".back, i"),
        },
      ]),
    );
  const start = document.startViewTransition.bind(document);
  window.running = 0;
  document.startViewTransition = (change) => {
    const one = {};
    window.running++;
    const transition = start(() => {
      const turn = document.querySelector("#board .seat.turn");
      Object.assign(one, { turn: Number(turn?.dataset.seat ?? -1), before: cards() });
      return change();
    });
    transition.ready.then(
      () => {
        one.after = cards();
        one.moving = document.getAnimations().map((it) => it.effect.pseudoElement ?? "");
        one.flashing = document
          .getAnimations()
          .filter((it) => it.effect.getKeyframes().some((frame) => frame.mixBlendMode)).length;
        window.watched.push(one);
      },
      () => {},
    );
    const over = () => window.running--;
    transition.finished.then(over, over);
    return transition;
  };
};

// Notes in `swept` how many cards of a pile moved, by the moment in which it was picked up or cleared.
globalThis.watchPiles = () => {
  const start = document.startViewTransition.bind(document);
  const ids = () => [...document.querySelectorAll("#board [id*=-hand-]")].map((one) => one.id);
  window.swept = {};
  document.startViewTransition = (change) => {
    const from = document.querySelector("[data-moment]")?.dataset.moment,
      before = ids();
    const lay = [...document.querySelectorAll(".discard [id]")].map((one) => one.id);
    const transition = start(change);
    if (from?.startsWith("pile-"))
      transition.ready.then(
        () =>
          setTimeout(() => {
            const moving = document
              .getAnimations()
              .filter((one) =>
                one.effect
                  .getKeyframes()
                  .some((frame) => frame.transform?.includes("rotate(") || frame.width),
              );
            const groups = moving.map(
              (one) => one.effect.pseudoElement?.match(/^::view-transition-group\((.*)\)$/)?.[1],
            );
            const come = ids().filter((one) => !before.includes(one));
            window.swept[from] = groups.filter((one) =>
              from === "pile-taken" ? come.includes(one) : lay.includes(one),
            ).length;
          }),
        () => {},
      );
    return transition;
  };
};
