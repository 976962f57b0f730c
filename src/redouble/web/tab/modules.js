// Runs the games that were compiled to WebAssembly: a call copies memory in, and out again.
const games = new Map();
const ALIGNMENT = 16;

export function load(game, code) {
  games.set(game, { code });
}

export function call(game, name, numbers, places, memory) {
  const loaded = games.get(game);
  loaded.exports ??= new WebAssembly.Instance(new WebAssembly.Module(loaded.code)).exports;
  const { memory: whole, __heap_base } = loaded.exports;
  const base = Math.ceil(__heap_base.value / ALIGNMENT) * ALIGNMENT;
  const missing = base + memory.length - whole.buffer.byteLength;
  if (missing > 0) whole.grow(Math.ceil(missing / 65536));
  const room = new Uint8Array(whole.buffer, base, memory.length);
  room.set(memory);
  for (const place of places) numbers[place] += base;
  try {
    const result = loaded.exports[name](...numbers);
    memory.set(room);
    return [result, memory];
  } catch (error) {
    loaded.exports = undefined; // its stack is lost
    throw error;
  }
}

// Runs the modules in a separate worker; a call returns a promise.
export function apart() {
  const worker = new Worker(new URL("thinker.js", import.meta.url), { type: "module" });
  const waiting = new Map();
  const loaded = new Set();
  let last = 0;
  worker.onmessage = ({ data: { number, result, memory, failed } }) => {
    const { resolve, reject } = waiting.get(number);
    waiting.delete(number);
    if (failed) reject(new Error(failed));
    else resolve([result, memory]);
  };
  worker.onerror = ({ message }) => {
    for (const { reject } of waiting.values()) reject(new Error(message));
    waiting.clear();
  };
  return (game, name, numbers, places, memory) => {
    const code = loaded.has(game) ? undefined : games.get(game).code;
    loaded.add(game);
    return new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      const message = { number: last, game, code, name, numbers, places, memory };
      worker.postMessage(message, [memory.buffer]);
    });
  };
}

// A call of Python's own, which may wait for promises while others run.
export function begin(work) {
  setTimeout(() => work.callPromising().finally(() => work.destroy()));
}
