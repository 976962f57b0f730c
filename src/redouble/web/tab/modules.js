// Runs the games that were compiled to WebAssembly: a call copies memory in, and out again.
const games = new Map();
const ALIGNMENT = 16;

export function load(game, code) {
  const module = new WebAssembly.Module(code);
  games.set(game, { module, exports: new WebAssembly.Instance(module).exports });
}

export function call(game, name, numbers, places, memory) {
  const loaded = games.get(game);
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
    loaded.exports = new WebAssembly.Instance(loaded.module).exports; // its stack is lost
    throw error;
  }
}

// The same in workers of their own: calls are promises.
export function apart(workers) {
  const codes = new Map();
  const all = Array.from({ length: workers }, () => start(codes));
  return {
    load: (game, code) => codes.set(game, code),
    call: (...given) =>
      all.reduce((one, other) => (other.busy() < one.busy() ? other : one)).call(...given),
  };
}

function start(codes) {
  let worker;
  let last = 0;
  const waiting = new Map();
  const loaded = new Set();
  const begin = () => {
    worker = new Worker(new URL("thinker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data: { number, result, memory, failed } }) => {
      const { resolve, reject } = waiting.get(number);
      waiting.delete(number);
      if (failed) reject(new Error(failed));
      else resolve([result, memory]);
    };
    worker.onerror = ({ message }) => {
      for (const { reject } of waiting.values()) reject(new Error(message));
      waiting.clear();
      loaded.clear();
      worker = undefined;
    };
  };
  return {
    busy: () => waiting.size,
    call: (game, name, numbers, places, memory) => {
      if (!worker) begin();
      const code = loaded.has(game) ? undefined : codes.get(game);
      loaded.add(game);
      return new Promise((resolve, reject) => {
        waiting.set(++last, { resolve, reject });
        const message = { number: last, game, code, name, numbers, places, memory };
        worker.postMessage(message, [memory.buffer]);
      });
    },
  };
}

// A call of Python's own, which may wait for promises while others run.
export function begin(work) {
  return Promise.resolve()
    .then(() => work.callPromising())
    .finally(() => work.destroy());
}
