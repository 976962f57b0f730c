// Runs searches in a separate worker, so that pages don't wait for them.
import { call, load } from "./modules.js";

onmessage = ({ data: { number, game, code, name, numbers, places, memory } }) => {
  try {
    if (code) load(game, code);
    const [result] = call(game, name, numbers, places, memory);
    postMessage({ number, result, memory }, [memory.buffer]);
  } catch (error) {
    postMessage({ number, failed: String(error) });
  }
};
