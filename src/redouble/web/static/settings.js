// *Your page*: each choice of looks and sound is shown and saved as it is made, and this browser asks for messages.
import { messagesCome, subscription, wantsMessages } from "./notify.js";
import { $, base64, post } from "./shared.js";
import { play } from "./table/sounds.js";

const SAVING = { redirect: "manual", keepalive: true }; // also if the viewer goes on at once
const choices = $("choices"),
  volume = $("volume"),
  keys = $("keys");
for (const one of choices.querySelectorAll("[data-by-script]")) one.hidden = false;
choices.querySelector("[data-without-script]").hidden = true;
volume.value = keep.get("volume") ?? volume.value;
keys.checked = keep.get("keys") !== "off";
const fields = choices.querySelectorAll(":is(select, [type=checkbox])[name]"),
  valueOf = (field) => (field.type !== "checkbox" ? field.value : field.checked ? "on" : "off");
for (const field of fields) {
  const kept = keep.get(field.name);
  if (field.type === "checkbox") field.checked = kept === "on";
  else field.value = kept ?? field.value;
}
choices.addEventListener("change", ({ target }) => {
  if (target === keys) return keep.set("keys", valueOf(keys));
  if (target === volume) {
    keep.set("volume", volume.value);
    keep.set("sound", "on");
    return play(["place"], Number(volume.value));
  }
  keep.set(target.name, valueOf(target));
  showLooks();
  if ("saved" in choices.dataset)
    post(choices.action, new FormData(choices), SAVING).catch(() => {});
});

// A notification when it is the player's turn and they look elsewhere, where a browser has them. A player also asks the
// browser for messages, which come when its page is closed. The switch shows what is so when the page opens, whatever
// the browser, its service or another page has done meanwhile.
const offerMessages = async () => {
  const button = $("notify");
  if (!isSecureContext || !button) return;
  const { worker } = navigator.serviceWorker && window.PushManager ? button.dataset : {},
    explain = (why) => {
      for (const one of document.querySelectorAll("[data-notify]"))
        one.hidden = one.dataset.notify !== why;
    };
  if (!window.Notification) {
    if (navigator.standalone === false) explain("home"); // Safari on an iPhone or iPad
    return;
  }
  const look = async () => {
    const { permission } = Notification,
      wanted = wantsMessages(),
      comes = wanted && worker ? await messagesCome() : null,
      on = wanted && comes !== false;
    button.setAttribute("aria-pressed", on);
    explain(permission === "denied" ? "blocked" : on && !comes ? "open" : "");
    button.hidden = false;
  };
  button.addEventListener("click", async () => {
    const wanted = button.getAttribute("aria-pressed") !== "true";
    if (wanted) await Notification.requestPermission();
    const on = wanted && Notification.permission === "granted";
    keep.set("notify", on ? "on" : "off");
    await look(); // a push service may never answer
    const change = on ? beginMessages : endMessages;
    // Without them, the page still notifies while it is open.
    if (worker) await change(button.dataset).catch((error) => console.info(error.message));
    await look();
  });
  await look();
};
const beginMessages = async ({ worker, key, messages }) => {
  const { serviceWorker } = navigator,
    given = await post(key);
  if (!given.ok) return; // the server sends none
  await serviceWorker.register(worker);
  const address = await (
    await serviceWorker.ready
  ).pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: await given.text(),
  });
  await post(messages, {
    endpoint: address.endpoint,
    p256dh: base64(address.getKey("p256dh")),
    auth: base64(address.getKey("auth")),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
};
const endMessages = async () => {
  await (await subscription())?.unsubscribe(); // its service tells the server with the next message
};
offerMessages();
