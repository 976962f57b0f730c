// At how many other tables it is the player's turn: in the bar, which leads to the next one, and in the title.
"use strict";
(() => {
  const link = document.getElementById("next-turn"),
    board = () => document.getElementById("board"),
    EVERY = 60_000;
  let turns = Number(link?.hidden === false && link.textContent.match(/\d+/)),
    mine = board().dataset.mine;
  const show = () => {
    if (link) link.hidden = !turns;
    if (link) link.querySelector("b").textContent = turns;
    countTurns(turns, Number(board()?.dataset.mine === "1"));
  };
  const ask = async () => {
    if (!link || document.hidden) return;
    try {
      const reply = await fetch(`/turns${new URL(link.href).search}`);
      if (reply.ok) turns = await reply.json();
    } catch {
      // without a connection the last number stays
    }
    show();
  };
  show();
  setInterval(ask, EVERY);
  document.addEventListener("visibilitychange", ask);
  new MutationObserver(() => {
    show();
    const now = board()?.dataset.mine;
    if (now !== mine) ask();
    mine = now;
  }).observe(document.getElementById("live"), {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["data-mine", "data-title"],
  });
})();
