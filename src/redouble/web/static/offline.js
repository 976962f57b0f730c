// Without a connection: loads what was asked for as soon as the server answers again.
"use strict";
(() => {
  const EVERY = 4000;
  const look = async () => {
    try {
      const answer = await fetch("/manifest.webmanifest", { cache: "no-store" });
      if (answer.ok) location.reload();
    } catch {} // still without
  };
  addEventListener("online", look);
  setInterval(look, EVERY);
})();
