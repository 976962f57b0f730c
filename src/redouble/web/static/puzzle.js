// Remembers which puzzles were solved at the first try, for visitors without a name, and shows the whole hand.
import { keepFitting } from "./fit.js";

const KEY = "redouble-puzzles";
let known = {};
try {
  known = JSON.parse(keep.get(KEY)) || {};
} catch {} // what was kept isn't ours

const page = document.querySelector("main[data-puzzle]");
if (page?.dataset.right && !(page.dataset.puzzle in known)) {
  known[page.dataset.puzzle] = Number(page.dataset.right);
  keep.set(KEY, JSON.stringify(known));
}

for (const link of document.querySelectorAll("a[data-puzzle]")) {
  const right = known[link.dataset.puzzle];
  if (right === undefined || link.classList.length) continue;
  link.classList.add(right ? "solved" : "missed");
  link.setAttribute(
    "aria-label",
    `${link.getAttribute("aria-label")}, ${right ? "solved" : "missed"}`,
  );
}
for (const note of document.querySelectorAll(".solved-note")) {
  const links = [...note.closest("section").querySelectorAll("a[data-puzzle]")];
  const solved = links.filter((link) => link.classList.contains("solved")).length;
  note.textContent = `${solved} of ${links.length} solved`;
  note.hidden = solved === 0;
}

const felt = () => document.querySelector(".at-puzzle .felt");
if (felt()) keepFitting(felt);
