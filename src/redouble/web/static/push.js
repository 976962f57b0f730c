// "Notify me" at a table also asks the browser for messages, which come when its page is closed.
"use strict";
(() => {
  const button = document.getElementById("notify");
  const worker = navigator.serviceWorker;
  if (!worker || !window.PushManager) return;
  const text = (key) =>
    btoa(String.fromCharCode(...new Uint8Array(key)))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");
  const begin = async () => {
    if ((await Notification.requestPermission()) !== "granted") return;
    const key = await fetch("/push/key", { method: "POST" });
    if (!key.ok) return; // the server sends none
    await worker.register("/service-worker.js");
    const { pushManager } = await worker.ready;
    const address = await pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: await key.text(),
    });
    const body = new URLSearchParams({
      endpoint: address.endpoint,
      p256dh: text(address.getKey("p256dh")),
      auth: text(address.getKey("auth")),
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
    await fetch("/push", { method: "POST", body });
  };
  const end = async () => {
    const address = await (await worker.getRegistration())?.pushManager.getSubscription();
    await address?.unsubscribe(); // its service tells the server with the next message
  };
  button.addEventListener("click", () => {
    const wanted = button.getAttribute("aria-pressed") === "true";
    // Without it, the page still notifies while it is open.
    (wanted ? begin() : end()).catch((error) => console.info(`no push messages: ${error.message}`));
  });
})();
