// Whether this browser's viewer wants messages, and whether the server sends them here.
import { post } from "./shared.js";

export const wantsMessages = () =>
  keep.get("notify") === "on" && globalThis.Notification?.permission === "granted";
export const subscription = async () => {
  const worker = await navigator.serviceWorker?.getRegistration();
  return worker?.pushManager?.getSubscription();
};
// null if this browser has no address or can't ask, false if they were stopped.
export const messagesCome = async () => {
  const { known } = document.body.dataset;
  try {
    const address = await subscription();
    if (!address || !known) return null;
    return (await (await post(known, { endpoint: address.endpoint })).text()) === "yes";
  } catch {
    return null;
  }
};
