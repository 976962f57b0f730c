// Runs the site: the server's own program, in Python, with its data in the browser's private files.
import { loadPyodide } from "./pyodide/pyodide.mjs";
import { openFolder } from "./folder.js";
import * as modules from "./modules.js";

const PACKAGES = "/lib/python3.14/site-packages";
const DATA = "/data";
let tab;

const say = (said, share) => postMessage({ said, share });

async function open(scope) {
  say("Python is starting…", 0.1);
  const archive = fetch(new URL("site.zip", import.meta.url)).then((got) => got.arrayBuffer());
  const python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  say("The games are being unpacked…", 0.4);
  python.unpackArchive(new Uint8Array(await archive), "zip", { extractDir: PACKAGES });
  await openFolder(python.FS, python.ERRNO_CODES, DATA);
  python.registerJsModule("redouble_modules", modules);
  say("The tables are being set up…", 0.6);
  tab = await python.runPythonAsync(`
from pathlib import Path
import pyodide.ffi, redouble_modules
from redouble.web.server.tab import Tab
from redouble.web.server.thinker import think_with
think_with(redouble_modules, pyodide.ffi)
tab = Tab(Path(${JSON.stringify(DATA)}), ${JSON.stringify(scope.replace(/\/$/, ""))})
await tab.open()
tab
`);
}

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
  if (data.open)
    open(data.open).then(
      () => postMessage({ ready: true }),
      (error) => postMessage({ failed: String(error.message ?? error) }),
    );
  else if (data.asked) ports[0].onmessage = (event) => ask(ports[0], event.data);
};
