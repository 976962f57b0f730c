// Buttons that copy what stands in a field; the field itself can be copied without a script.
"use strict";
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  field.select();
  navigator.clipboard?.writeText(field.value).then(() => {
    button.textContent = "Copied";
  });
});
