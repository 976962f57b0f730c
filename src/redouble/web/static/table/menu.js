// The menu of a table: switches and choices, the rules, what signs mean, and what can be done about a player.
import { $, board } from "../shared.js";

const isOn = (button) => button.getAttribute("aria-pressed") === "true";
const toggle = (button, usual) => {
  const set = (on) => button.setAttribute("aria-pressed", on);
  set((keep.get(button.id) ?? usual) === "on");
  button.addEventListener("click", () => {
    keep.set(button.id, isOn(button) ? "off" : "on");
    set(keep.get(button.id) === "on");
  });
};

// Forced moves are played in a solitaire game, and elsewhere if the viewer wants it.
export const offerSwitches = () => {
  if ($("play-forced-alone")) toggle($("play-forced-alone"), "on");
  if ($("play-forced")) toggle($("play-forced"), "off");
  document.addEventListener("click", ({ target }) => {
    const chosen = target.closest(":is([name=pace], [name=chat])");
    if (chosen)
      for (const one of document.getElementsByName(chosen.name))
        one.setAttribute("aria-pressed", one === chosen);
  });
};

// The rules' pictures come when they are opened, at the one that is most like the prompt, unless the reader has gone
// elsewhere meanwhile. They keep styles and names of their own.
export const offerRules = () => {
  const rules = $("short-rules"),
    drawer = $("table-menu");
  $("to-rules").addEventListener("click", () => (rules.open = true));
  rules.addEventListener("toggle", async () => {
    if (!rules.open) return;
    const was = drawer.scrollTop,
      place = rules.querySelector("div"),
      prompt = $("prompt")?.querySelector("small")?.textContent ?? "",
      reply = await fetch(`${place.dataset.from}?prompt=${encodeURIComponent(prompt)}`);
    if (!reply.ok) return;
    const root = place.shadowRoot ?? place.attachShadow({ mode: "open" }),
      went = drawer.scrollTop !== was,
      below = drawer.scrollHeight - drawer.scrollTop;
    root.innerHTML = await reply.text();
    const styles = [...root.querySelectorAll("link")].map(
      (style) => new Promise((done) => (style.onload = style.onerror = done)),
    );
    await Promise.all(styles);
    if (went) drawer.scrollTop = drawer.scrollHeight - below;
    else (root.getElementById("now") ?? rules).scrollIntoView({ block: "start" });
  });
};

// What a sign on the table means is told under the mouse. A tap on what does nothing else opens the list of all signs
// there.
export const explainSigns = () => {
  const OWN = "button, a, label, input, [data-why], #window"; // what a tap there does
  const signs = [...document.querySelectorAll("#signs [data-at]")],
    signOf = ({ target }) => {
      const [one] = signs
        .map((sign) => [sign, target.closest?.(`#board :is(${sign.dataset.at})`)])
        .filter(([, at]) => at)
        .sort(([, a], [, b]) => (a.contains(b) ? 1 : -1));
      return one ?? [];
    };
  document.addEventListener("pointerover", (event) => {
    const [sign, at] = signOf(event);
    if (at && !at.closest("[title], button, [data-why]"))
      at.title = sign.querySelector("dd").textContent;
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest(OWN) || board().dataset.hold) return;
    const [sign] = signOf(event);
    if (!sign) return;
    for (const one of signs) one.classList.toggle("now", one === sign);
    $("table-menu").showPopover();
    sign.scrollIntoView({ block: "center" });
  });
};

// A long press or a right click on a player, or the menu key, opens what can be done about them, as does their name
// below the chat.
export const openMenu = (player) => {
  const menu = $("player"),
    name = player.firstChild.textContent,
    muted = "muted" in player.dataset;
  menu.elements.other.value = player.dataset.seat;
  $("player-name").textContent = name;
  for (const one of menu.querySelectorAll("[data-says]")) {
    one.textContent = one.dataset.says.replace("{name}", () => name);
    one.hidden = one.value === (muted ? "mute" : "unmute");
  }
  menu.querySelector("a").href = `${player.href}#report`;
  if (!menu.matches(":popover-open")) menu.showPopover();
  menu.querySelector(":is(button, a):not([hidden])").focus();
};
export const offerPlayers = () => {
  // Players find in the menu, too, who sits at the table now.
  $("table-menu").addEventListener("beforetoggle", () => {
    const now = document.querySelector("#board .players");
    if (now) $("table-menu").querySelector(".players").innerHTML = now.innerHTML;
  });
  $("player")?.addEventListener("submit", () => $("player").hidePopover());
  document.addEventListener("click", (event) => {
    const player = event.target.closest(".players a");
    if (!player || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openMenu(player);
  });
};
