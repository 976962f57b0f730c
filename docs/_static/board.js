// Shows boards of the edition that runs in a browser, in the page that links to them.
"use strict";
addEventListener("click", (event) => {
  const link = event.target.closest(".board a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  for (const one of document.querySelectorAll(".board a")) one.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  const board = link.closest(".board"),
    started = board.querySelector("iframe"),
    page = started?.contentWindow.frames[0], // the edition shows its pages in an inner frame
    shown = started ?? board.appendChild(document.createElement("iframe"));
  board.scrollIntoView({ behavior: "smooth" });
  if (page) {
    page.location.href = link.href.replace("index.html#/", "");
    return;
  }
  shown.title = "Redouble";
  shown.src = link.href;
});
