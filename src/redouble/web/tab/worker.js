// Runs the site: the server's own program, in Python, with its data in the browser's private files.
//
// To import it takes Python seconds, so another such worker does that once more for the next
// start, and keeps its memory in a file. Before this text stand VERSION and LIBRARY, the path of
// the one package that is compiled: it has to be at the same place in both memories.
import { openFolder } from "./folder.js";
import * as modules from "./modules.js";
import { loadPyodide } from "./pyodide/pyodide.mjs";
import createPython from "./pyodide/pyodide.asm.mjs";

const DATA = "/data";
const KEPT = "redouble-memory";
const HEAD = 64;
const PYTHON = new URL("./pyodide/", import.meta.url).href;
let tab;

const say = (said, share) => postMessage({ said, share });

// Returns Python with the site's files: from its memory of an earlier start, if there is one.
async function load(memory, options) {
  const archive = fetch(new URL("site.bin", import.meta.url)).then((got) => got.arrayBuffer());
  const create = async (settings) => {
    const locate = settings.locateFile;
    settings.dynamicLibraries = [LIBRARY];
    settings.locateFile = (path) => (path === LIBRARY ? `${PYTHON}library.so` : locate(path));
    const module = await createPython(settings);
    if (memory) module.growMemory(memory.length);
    return module;
  };
  const python = await loadPyodide({
    indexURL: PYTHON,
    createPyodideModule: create,
    fsInit: async (FS) => unpack(FS, new Uint8Array(await archive)),
    _loadSnapshot: memory,
    ...options,
  });
  // What a memory has open by its number is open again: Python's own library.
  if (memory) python.FS.open("/lib/python314.zip", "r");
  return python;
}

// Makes the files of an archive: the length of its list, the list as JSON, and their contents.
function unpack(FS, archive) {
  const begin = 4 + new DataView(archive.buffer).getUint32(0);
  let at = begin;
  for (const [path, length] of JSON.parse(new TextDecoder().decode(archive.subarray(4, begin)))) {
    FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    FS.writeFile(path, archive.subarray(at, at + length), { canOwn: true });
    at += length;
  }
}

// Returns Python that can think, and whether it comes from a memory.
async function start() {
  let python;
  try {
    const memory = await recall();
    if (memory) python = await load(memory);
  } catch {} // it is made anew
  const again = Boolean(python);
  python ??= await load();
  python.registerJsModule("redouble_modules", modules);
  await python.runPythonAsync(`
import random
random.seed()  # a memory has the numbers of the start before
import pyodide.ffi, redouble_modules
from redouble.web.server.thinker import think_with
think_with(redouble_modules, pyodide.ffi)
`);
  return [python, again];
}

async function open(scope) {
  say("Python is starting…", 0.1);
  const [python, again] = await start();
  say("The games are being unpacked…", again ? 0.8 : 0.3);
  await openFolder(python.FS, python.ERRNO_CODES, DATA);
  say("The tables are being set up…", 0.6);
  tab = await python.runPythonAsync(`
from pathlib import Path
from redouble.web.server.tab import Tab
tab = Tab(Path(${JSON.stringify(DATA)}), ${JSON.stringify(scope.replace(/\/$/, ""))})
await tab.open()
tab
`);
  return again;
}

// Keeps the memory of Python that has imported the site, and answered once for nobody.
async function prepare() {
  const python = await load(undefined, { _makeSnapshot: true });
  await python.runPythonAsync("from redouble.web.server.tab import warm_up; await warm_up()");
  for (const name in python.loadedPackages) delete python.loadedPackages[name]; // as at the start
  const memory = python.makeMemorySnapshot();
  const file = await kept(true);
  try {
    file.truncate(0); // the head comes last: a memory without one is not complete
    file.write(memory, { at: HEAD });
    file.flush();
    file.write(new TextEncoder().encode(VERSION.padEnd(HEAD)), { at: 0 });
    file.flush();
  } catch (error) {
    file.truncate(0); // there is no room for it
    throw error;
  } finally {
    file.close();
  }
}

async function kept(create) {
  const root = await navigator.storage.getDirectory();
  return (await root.getFileHandle(KEPT, { create })).createSyncAccessHandle();
}

async function recall() {
  const file = await kept(false);
  try {
    const head = new Uint8Array(HEAD);
    file.read(head, { at: 0 });
    if (new TextDecoder().decode(head).trimEnd() !== VERSION) return undefined;
    const memory = new Uint8Array(file.getSize() - HEAD);
    file.read(memory, { at: HEAD });
    return memory;
  } finally {
    file.close();
  }
}

// Runs statements for a console, one after the other, and sends what they print.
let runner;
async function run(text) {
  runner ??= start().then(([python]) => {
    python.setStdout({ batched: (line) => postMessage({ printed: line }) });
    return python.runPython(CONSOLE);
  });
  const one = await runner;
  await (WebAssembly.Suspending ? one.callPromising(text) : one(text)); // it may wait for searches
  postMessage({ ran: true });
}

const CONSOLE = `
import ast, traceback
names = {"__name__": "__main__"}

def run(text):
    try:
        statements = ast.parse(text).body
    except SyntaxError as error:
        show(error)
        return
    for statement in statements:
        print(">", ast.get_source_segment(text, statement).replace("\\n", "\\n  "))
        try:
            exec(compile(ast.Interactive([statement]), "<console>", "single"), names)
        except BaseException as error:
            show(error)

def show(error):
    print("".join(traceback.format_exception_only(error)).rstrip())

run
`;

function ask(port, { number, method, address, headers, body, cancel }) {
  if (cancel) {
    tab.cancel(number);
    return;
  }
  const begin = (status, sent) => {
    port.postMessage({ number, status, headers: sent.toJs() });
    sent.destroy();
  };
  const give = (piece) => {
    const chunk = piece.toJs();
    piece.destroy();
    port.postMessage({ number, chunk }, [chunk.buffer]);
  };
  tab
    .ask(number, method, address, headers, new Uint8Array(body ?? 0), begin, give)
    .then(() => port.postMessage({ number }))
    .catch((error) => port.postMessage({ number, failed: String(error) }));
}

onmessage = ({ data, ports }) => {
  const failed = (error) => postMessage({ failed: String(error.message ?? error) });
  if (data.open) open(data.open).then((again) => postMessage({ ready: true, again }), failed);
  else if ("run" in data) run(data.run).catch(failed);
  else if (data.prepare) prepare().then(() => postMessage({ prepared: true }), failed);
  else if (data.asked) ports[0].onmessage = (event) => ask(ports[0], event.data);
};
