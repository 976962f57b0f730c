// How cards look, as this viewer chose: set before they are drawn.
"use strict";
for (const look of ["four-colors", "large-print"])
  if (keep.get(look) === "on") document.documentElement.classList.add(look);
