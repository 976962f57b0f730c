// Without a connection: loads what was asked for as soon as the server answers again. A page that loads itself again
// has it too, since a request can hang.
const EVERY = 4000;
const known = document.querySelector("link[rel=manifest]"); // what the server has in any case
const look = async () => {
  try {
    const signal = AbortSignal.timeout?.(EVERY);
    const answer = await fetch(known.href, { cache: "no-store", signal });
    if (answer.ok) location.reload();
  } catch {} // still without
};
addEventListener("online", look);
setInterval(look, EVERY);
