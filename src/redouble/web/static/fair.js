// The part of this browser in a fair deal: it draws a share, sends it or its promise with the form that makes or joins
// a table, keeps it, and reveals it when all seats are taken. What is sent without this script is dealt all the same.
import { hex, onChange, post } from "./shared.js";

const key = (commitment) => `redouble.share.${commitment}`,
  AGAIN = 5000, // milliseconds until a share is sent again that wasn't taken
  drawn = new Map();
const draw = (field) => {
  if (drawn.has(field)) return;
  const share = hex(crypto.getRandomValues(new Uint8Array(32))),
    one = { share, promise: "" };
  drawn.set(field, one);
  // Only a secure page can compute a promise. Others give the share at once.
  globalThis.crypto.subtle
    ?.digest("SHA-256", new TextEncoder().encode(share))
    .then((promise) => (one.promise = hex(new Uint8Array(promise))));
};
const waits = (form, field) =>
  field.dataset.wait === "1" ||
  [...form.querySelectorAll("select")].some(
    (one) => one.value === "friend" && one.checkVisibility(),
  );
const kept = (commitment) => keep.get(key(commitment));
document.addEventListener("submit", (event) => {
  const form = event.target,
    field = form.elements?.namedItem("share");
  if (!field?.dataset?.commitment) return;
  draw(field);
  const { share, promise } = drawn.get(field),
    later = form.elements.namedItem("promise"),
    promises = Boolean(later && promise && waits(form, field));
  keep.set(key(field.dataset.commitment), share);
  field.disabled = promises;
  if (promises) later.value = promise;
  else field.value = share;
  if (later) later.disabled = !promises;
});
const look = () => {
  for (const field of document.querySelectorAll("input[data-commitment]")) draw(field);
  const commitment = document.querySelector("#board[data-reveal]")?.dataset.reveal,
    share = commitment && (kept(commitment) ?? kept("people"));
  if (!share || drawn.has(commitment)) return;
  drawn.set(commitment, share);
  keep.set(key(commitment), share); // it was promised before there was a table
  const signal = AbortSignal.timeout?.(AGAIN);
  post(`${location.pathname}/reveal`, { share }, { signal }).catch(() => {
    drawn.delete(commitment);
    setTimeout(look, AGAIN);
  });
};
for (const place of document.querySelectorAll("[data-own-share]")) {
  const share = kept(place.dataset.ownShare),
    given = [...document.querySelectorAll("[data-share]")].some(
      (one) => one.dataset.share === share,
    );
  if (share) {
    place.hidden = false;
    place.textContent = given
      ? "The share that this browser gave is in the deal."
      : "This browser drew a share, and it isn’t in the deal.";
  }
}
look();
onChange(look);
