// Buttons that copy or share what stands in a field; it can be copied without a script, too.
"use strict";
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  field.select();
  const copied = () => {
    button.textContent = "Copied";
  };
  // A page that isn't secure, such as one on the local network, has only the older way.
  const select = () => {
    field.focus();
    field.select();
    if (document.execCommand("copy")) copied();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(field.value).then(copied, select);
  else select();
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
