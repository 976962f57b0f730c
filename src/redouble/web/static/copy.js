// Buttons that copy or share what stands in a field; it can be copied without a script, too.
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
// The share sheet of a phone or computer, where there is one.
if (navigator.share)
  for (const button of document.querySelectorAll("[data-share]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const url = document.getElementById(button.dataset.share).value;
      navigator.share({ title: button.dataset.title, url }).catch(() => {}); // put away unused
    });
  }
