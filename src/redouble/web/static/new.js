// The form of a new table tells which house rules differ from the printed ones, and who sits where in one line for
// screen readers. What is sent is the same without.
import { $ } from "./shared.js";

const form = $("setup"),
  changed = $("changed"),
  seated = $("seated");
// The seats in the order of play, such as "4 players: you, a friend by link and 2 club bots."
const seats = () => {
  const inPlay = [...form.querySelectorAll(".seat-list select")].filter((one) =>
      one.checkVisibility(),
    ),
    all = inPlay.map((one) => {
      const name = form.elements[one.name.replace("seat", "name")].value.trim();
      if (one.value === "here" && name) return `${name} on this device`;
      return one.selectedOptions[0].label.replace(",", "");
    });
  const groups = [];
  for (const text of all) {
    const last = groups.at(-1);
    if (last?.text === text && text.endsWith(" bot")) last.number += 1;
    else groups.push({ text, number: 1 });
  }
  const texts = groups.map(({ text, number }) => {
      if (number > 1) return `${number} ${text}s`;
      if (!text.endsWith(" bot")) return text;
      return `${/^[aeiou]/.test(text) ? "an" : "a"} ${text}`;
    }),
    end = texts.pop();
  return `${all.length} players: ${texts.length ? `${texts.join(", ")} and ` : ""}${end}.`;
};
const difference = (option) => {
  const field = option.querySelector(
      "input:checked, input:not([type=radio], [type=checkbox]), select, textarea",
    ),
    { label, usual } = option.dataset;
  if (option.querySelector("[role=switch]")) return field ? label : "";
  if (field?.matches("textarea")) return field.value.trim() ? label : "";
  if (!field || field.value.trim() === usual) return "";
  return `${label}: ${field.selectedOptions?.[0].label ?? field.value}`;
};
const tell = () => {
  const all = [...form.querySelectorAll(".option")].map(difference).filter(Boolean);
  changed?.replaceChildren(
    ...(all.length ? all : ["standard rules"]).map((text) => {
      const chip = document.createElement(all.length ? "span" : "small");
      if (all.length) chip.className = "changed";
      chip.textContent = text;
      return chip;
    }),
  );
  // Who invites friends gives a name, unless they have one.
  const friends = [...form.querySelectorAll(".seat-list select")].some(
    (one) => one.value === "friend" && one.checkVisibility(),
  );
  form.elements.name.required = friends && /^Guest( \d+)?$/.test(form.elements.name.placeholder);
};
form.addEventListener("input", tell);
tell();
// Said when a choice is made, not with every letter of a name.
const say = () => {
  const line = seats();
  if (seated.textContent !== line) seated.textContent = line;
};
if (seated) {
  form.addEventListener("change", say);
  say();
}
