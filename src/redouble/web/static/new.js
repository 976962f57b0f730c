// The form of a new table tells which house rules differ from the printed ones. What is sent is the same without.
"use strict";
const form = document.getElementById("setup"),
  changed = document.getElementById("changed");
const difference = (option) => {
  const field = option.querySelector(
      "input:checked, input:not([type=radio], [type=checkbox]), textarea",
    ),
    { label, usual } = option.dataset;
  if (option.querySelector("[role=switch]")) return field ? label : "";
  if (field?.matches("textarea")) return field.value.trim() ? label : "";
  return field && field.value.trim() !== usual ? `${label}: ${field.value}` : "";
};
const tell = () => {
  const all = [...form.querySelectorAll(".option")].map(difference).filter(Boolean);
  changed?.replaceChildren(
    ...(all.length ? all : ["as printed"]).map((text) => {
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
