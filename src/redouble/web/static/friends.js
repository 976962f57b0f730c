// Who is online, who wants to be friends and who invites, on whatever page is open. A table hears it by its stream.
const calls = document.getElementById("calls"),
  now = document.getElementById("friends-now"),
  table = document.getElementById("live");
if (now || document.querySelector("[data-calls]")) keep.set("friends", "on");
const show = (html) => (calls.innerHTML = html);
const look = async () => {
  try {
    const reply = await fetch(calls.dataset.news, { cache: "no-store" });
    if (reply.ok) show(await reply.text());
  } catch {} // the home page shows it, too
};
document.addEventListener("news", look);
calls.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { target, submitter } = event,
    body = new URLSearchParams(new FormData(target, submitter));
  try {
    await fetch(target.action, { method: "POST", body, redirect: "manual" });
  } catch {}
  look();
});
let source;
const follow = () => {
  source?.close();
  source = undefined;
  if (document.hidden) return;
  source = new EventSource(calls.dataset.stream);
  source.addEventListener("calls", ({ data }) => show(data));
  source.addEventListener("called", () => {
    if (document.querySelector("[data-calls=again]")) location.reload();
  });
  source.addEventListener("friends", ({ data }) => {
    if (now && !now.contains(document.activeElement)) now.innerHTML = data;
  });
};
if (keep.get("friends")) {
  if (table) look();
  else {
    follow();
    document.addEventListener("visibilitychange", follow);
    addEventListener("pagehide", () => source?.close());
    addEventListener("pageshow", ({ persisted }) => persisted && follow());
  }
}
