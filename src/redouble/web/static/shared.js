// What several scripts use: elements, requests, bytes as text, and a call after each change of the board.
export const $ = (id) => document.getElementById(id);
export const board = () => $("board");
export const live = () => $("live"); // where boards are drawn

export const post = (address, fields, given) =>
  fetch(address, { method: "POST", body: new URLSearchParams(fields), ...given });

export const hex = (bytes) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const base64 = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

export const meet = (a, b) =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const KEYS = ["ply", "moment", "mine", "title", "until", "only", "reveal"];
const calls = [];
const callAll = () => {
  if (board()) for (const call of calls) call();
};
export const onChange = (call) => {
  if (!calls.length && live())
    new MutationObserver(callAll).observe(live(), {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: KEYS.map((key) => `data-${key}`),
    });
  calls.push(call);
};
