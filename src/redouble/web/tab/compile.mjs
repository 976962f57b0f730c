// Compiles Python's sources with a browser's Python: node compile.mjs RUNTIME FOLDER
//
// In the folder are `ours` and `others`, whose documentation is left out. So are the columns of
// statements, a third of what is compiled. A file isn't compared with anything when it is imported.
import { pathToFileURL } from "node:url";

const [runtime, folder] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${runtime}/pyodide.mjs`));
const python = await loadPyodide({ env: { HOME: "/home", PYTHONNODEBUGRANGES: "1" } });
python.mountNodeFS("/sources", folder);
python.runPython(`
from importlib._bootstrap_external import _code_to_hash_pyc
from pathlib import Path

for kind, optimize in (("ours", 0), ("others", 2)):
    top = Path("/sources", kind)
    for path in top.rglob("*.py"):
        name = f"/{path.relative_to(top)}"
        code = compile(path.read_bytes(), name, "exec", dont_inherit=True, optimize=optimize)
        path.with_suffix(".pyc").write_bytes(_code_to_hash_pyc(code, bytes(8), False))
`);
