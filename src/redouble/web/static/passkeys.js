// Adds a passkey, or signs in with one: the browser asks its owner, and the form sends what it says.
import { base64, post } from "./shared.js";

const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
const ask = async (address) => {
  const reply = await post(address);
  if (!reply.ok) throw new Error(`${reply.status}`);
  const publicKey = await reply.json();
  publicKey.challenge = bytes(publicKey.challenge);
  if (!publicKey.user) return navigator.credentials.get({ publicKey });
  publicKey.user.id = bytes(publicKey.user.id);
  for (const one of publicKey.excludeCredentials) one.id = bytes(one.id);
  return navigator.credentials.create({ publicKey });
};
const answer = ({ id, rawId, type, response }) => {
  const kinds = [
    "clientDataJSON",
    "attestationObject",
    "authenticatorData",
    "signature",
    "userHandle",
  ];
  const said = kinds.filter((kind) => response[kind]).map((kind) => [kind, base64(response[kind])]);
  return JSON.stringify({ id, rawId: base64(rawId), type, response: Object.fromEntries(said) });
};
const wrong = { NotAllowedError: "canceled", InvalidStateError: "known" };
for (const form of document.querySelectorAll("form[data-passkey]")) {
  form.hidden = !window.PublicKeyCredential;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [button, problem] = form.querySelectorAll("button, [role=alert]");
    button.disabled = true;
    problem.hidden = true;
    try {
      form.elements.answer.value = answer(await ask(form.dataset.passkey));
      form.submit();
    } catch (error) {
      problem.textContent = form.dataset[wrong[error.name]] ?? form.dataset.failed;
      problem.hidden = false;
      button.disabled = false;
    }
  });
}
