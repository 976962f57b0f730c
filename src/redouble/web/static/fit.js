// A position that is higher than its box becomes smaller until it fits, or could no longer be read; then it scrolls.
const LEAST = 0.45; // of the usual size
let size = 1;

export const fit = (box, anew) => {
  if (anew) size = 1;
  box.style.setProperty("--size", size);
  while (size > LEAST && box.scrollHeight > box.clientHeight + 1)
    box.style.setProperty("--size", (size -= 0.05));
};
export const keepFitting = (find) => {
  const again = () => fit(find(), true);
  addEventListener("resize", again);
  document.fonts.ready.then(again);
};
