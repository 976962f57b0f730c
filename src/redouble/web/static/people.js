// Who looks for people now, while the page is open; it leads to the table that is found.
import { $ } from "./shared.js";

const here = $("here"),
  source = new EventSource(here.dataset.stream);
source.addEventListener("found", ({ data }) => {
  source.close();
  location.replace(data);
});
source.addEventListener("here", ({ data }) => {
  if (!here.contains(document.activeElement)) here.innerHTML = data;
});
addEventListener("pagehide", () => source.close());
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
