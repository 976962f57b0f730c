// Runs Python that is typed here, or that the page around sends: the examples of the documents.
const code = document.getElementById("code");
const printed = document.getElementById("printed");
const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const lines = [];
let last = "Python is starting…";

const show = () => {
  printed.textContent = [...lines, last].join("\n");
  printed.scrollTop = printed.scrollHeight;
};
const run = (text) => worker.postMessage({ run: text });
const fail = (why) => {
  last = `Python can't start here: ${why}`;
  show();
};
worker.onerror = ({ message }) => fail(message || "this browser is too old");
worker.onmessage = ({ data }) => {
  if (data.failed) return fail(data.failed);
  last = "";
  if ("printed" in data) lines.push(data.printed);
  show();
};
run("");

document.getElementById("run").addEventListener("submit", (event) => {
  event.preventDefault();
  run(code.value);
});
code.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run(code.value);
});
addEventListener("message", ({ origin, data }) => {
  if (origin !== location.origin || typeof data?.python !== "string") return;
  code.value = data.python;
  run(data.python);
});
