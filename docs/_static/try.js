// Runs a page's Python examples in the browser.
"use strict";
addEventListener("DOMContentLoaded", () => {
  const NOT_THERE = /redouble\.(envs|lab)|numpy/; // what browsers have no compiler for
  const blocks = [...document.querySelectorAll(".highlight pre")].filter(
    ({ textContent }) => textContent.includes(">>> ") && !NOT_THERE.test(textContent),
  );
  const play = document.querySelector(".play-now a");
  if (!play) return; // these pages are alone
  const typed = ({ textContent }) =>
    textContent
      .split("\n")
      .filter((line) => /^(>>>|\.\.\.)( |$)/.test(line))
      .map((line) => line.slice(4))
      .join("\n");
  const frame = document.createElement("iframe");
  frame.className = "console";
  frame.title = "Python with Redouble";
  const started = new Promise((resolve) => frame.addEventListener("load", resolve));
  let ran = 0; // blocks, which may need those before them
  for (const [number, block] of blocks.entries()) {
    const button = document.createElement("button");
    button.className = "try";
    button.type = "button";
    button.textContent = "Try it here";
    button.addEventListener("click", async () => {
      if (!frame.isConnected) {
        frame.src = play.href.replace("index.html", "console.html");
        document.querySelector("article").append(frame);
      }
      await started;
      const wanted = blocks.slice(Math.min(ran, number), number + 1);
      ran = Math.max(ran, number + 1);
      frame.contentWindow.postMessage({ python: wanted.map(typed).join("\n") }, location.origin);
    });
    block.closest(".notranslate").after(button);
  }
});
