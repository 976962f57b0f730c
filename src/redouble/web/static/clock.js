// How the time of the player to move passes: a ring around their plate, and figures beside the prompt. The server
// says when it runs out; a page whose computer's clock is wrong counts by the server's.
"use strict";
(() => {
  const live = document.getElementById("live"),
    said = document.getElementById("time-said"),
    ahead = Date.now() - Number(live.dataset.now),
    HOUR = 3600,
    DAY = 24 * HOUR;
  // As the server writes it: clocks.left_in_words.
  const inWords = (left) => {
    if (left < HOUR) return `${Math.floor(left / 60)}:${`${left % 60}`.padStart(2, "0")}`;
    return left < 2 * DAY ? `${Math.floor(left / HOUR)} h` : `${Math.floor(left / DAY)} days`;
  };
  let warned;
  const show = () => {
    const board = document.getElementById("board");
    if (!board?.dataset.until) return;
    const { until, total, mine } = board.dataset,
      left = Math.max(0, (Number(until) - Date.now() + ahead) / 1000),
      soon = left <= (Number(total) > HOUR ? 2 * HOUR : 10);
    board.style.setProperty("--time", Math.min(1, left / total).toFixed(3));
    board.classList.toggle("soon", soon);
    // Only the letters change, so nothing else looks at the board again.
    for (const { firstChild } of board.querySelectorAll(".time-left"))
      if (firstChild.data !== inWords(Math.floor(left)))
        firstChild.data = inWords(Math.floor(left));
    if (soon && mine === "1" && warned !== until) {
      warned = until;
      said.textContent = said.dataset.soon;
    } else if (!soon && said.textContent) said.textContent = "";
  };
  show();
  setInterval(() => document.hidden || show(), 500);
  document.addEventListener("visibilitychange", show);
  new MutationObserver(show).observe(live, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["data-until"],
  });
})();
