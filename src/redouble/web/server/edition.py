"""Makes the edition that runs in a browser: a folder of files that any web host can serve.

It takes this environment's own packages, and fetches what browsers need besides: their Python (the
npm package ``pyodide``, by npm) and the one package that is compiled (a wheel, by pip).
"""

import hashlib
import importlib.metadata
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from redouble.contract.registry import GAMES
from redouble.exports.build import wasm_files
from redouble.kernel.errors import RedoubleError
from redouble.web.drawing.addresses import GAME_FILES, static_url
from redouble.web.pages import install
from redouble.web.store.sqlite import FILE, READY

PYODIDE = "314.0.7"
RUNTIME = (
    *("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"),
    "pyodide-lock.json",
)
STANDARD, INSTALLED = "lib/python314.zip", "lib/python3.14/site-packages"
"""Where a browser's Python has its own modules and the others."""
WHEELS = (
    *("--python-version", "3.14", "--implementation", "cp", "--abi", "cp314"),
    *("--platform", "pyemscripten_2026_0_wasm32"),
)
COMPILED = "pydantic-core"
PACKAGES = (
    *("alembic", "annotated-doc", "annotated-types", "anyio", "fastapi", "idna", "itsdangerous"),
    *("jinja2", "mako", "markdown-it-py", "markupsafe", "mdurl", "opentelemetry-api"),
    *("platformdirs", "pydantic", "python-multipart", "segno", "sqlalchemy", "starlette"),
    *("typing-extensions", "typing-inspection"),
)
"""What the site's packages need, whether they are compiled elsewhere or not."""
LEFT_OUT = (
    *("__pycache__", "/testing/", "/mako/ext/", "/pydantic/v1/", "/pydantic/mypy.py"),
    *("/dialects/mysql/", "/dialects/oracle/", "/dialects/mssql/"),
    *("/sqlalchemy/orm/", "/sqlalchemy/ext/a", "/sqlalchemy/ext/declarative/"),
    *("/sqlalchemy/ext/hybrid.py", "/sqlalchemy/ext/mutable.py", "/sqlalchemy/ext/mypy/"),
)
"""What packages have for others."""
LEFT_OUT_OF_PYTHON = (
    *("_pyrepl/", "ctypes/", "ftplib.py", "http/server.py", "imaplib.py", "mailbox.py"),
    *("multiprocessing/", "poplib.py", "smtplib.py", "wsgiref/", "xml/dom/", "xml/etree/"),
    *("xmlrpc/",),
)
"""Parts of Python's library that nothing here imports."""
ENCODINGS = re.compile(
    r"encodings/(?!__init__|aliases|ascii|cp1252|cp437|idna|latin_1|punycode|raw_unicode|"
    r"undefined|unicode_escape|utf_)"
)
"""Others of those parts: the characters of other times and places."""
LEFT_OUT_OF_OURS = ("envs/", "lab/", "web/static/", "web/tab/")
"""What needs a compiler, and what pages fetch by themselves."""
NOT_SERVED = ("service-worker.js", "*.ttf")
"""The worker for visits without a server, and fonts of pictures that servers draw."""
POLICY = (
    '<meta http-equiv="Content-Security-Policy" content="'
    "default-src 'self'; script-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
    '">'
)
AT_START = (
    *("_colorize", "annotationlib", "compression", "compression._common", "pyodide", "_pyodide"),
)
"""What only a browser's Python imports for it, with all that is in the last two."""
READ_THEMSELVES = re.compile("anyio/.*__init__")
"""Modules that look for names in their own source."""
DATABASE = """
import pathlib
from redouble.kernel import cores
cores.IN_BROWSER = True
from redouble.web.installed import FEATURES
from redouble.web.store.sqlite import SqliteDatabase
folder = pathlib.Path("data")
folder.mkdir()
SqliteDatabase(folder, FEATURES.tables).close()
"""
"""Makes a database as the edition has it, without rows."""
HOME = """
import asyncio, json, pathlib, sys
from redouble.kernel import cores
cores.IN_BROWSER = True
from redouble.web.server.tab import page_for_nobody
page = asyncio.run(page_for_nobody(pathlib.Path("data"), "/", prefix="."))
print(json.dumps([page.decode(), list(sys.modules)]))
"""
"""Prints the first page as the edition draws it, with links relative to its own address, and the
modules that are imported for it."""
SCRIPTS = (
    *("console.css", "console.js", "folder.js", "modules.js", "shell.css", "shell.js"),
    *("thinker.js", "worker.js"),
)
KNOWING = ("shell.js", "worker.js")
"""The scripts before whose text stand constants of the version."""
PACKAGE = Path(__file__).resolve().parents[2]
PAGES = PACKAGE / "web" / "tab"


class SiteError(RedoubleError):
    """The edition can't be made here."""


def make(out: Path, *, packed: bool = True) -> int:
    """Make the edition in a new or empty folder; return the bytes that a first visit transfers.

    If ``packed``, node also writes each file in compressed forms. Raises :class:`SiteError` if the
    folder has something in it, or what is needed can't be fetched.
    """
    if out.exists() and any(out.iterdir()):
        raise SiteError(f"{out} isn't empty: name a new folder, or empty it")
    with tempfile.TemporaryDirectory() as folder:
        fetched, made = Path(folder, "fetched"), Path(folder, "made")
        fetched.mkdir()
        made.mkdir()
        compiled = _fetch_compiled(fetched)
        (library,) = (name for name in compiled if name.endswith(".so"))
        files = _Files(made)
        _write_statics(files)
        runtime = _fetch_python(fetched)
        installed = {**_packages(), **compiled, **_ours(), **_modules(), library: b""}
        everything = {
            **{f"{STANDARD}/{name}": content for name, content in _standard(runtime).items()},
            **{f"{INSTALLED}/{name}": content for name, content in installed.items()},
        }
        page, modules, everything[f"{INSTALLED}/redouble/{READY.name}"] = _first_page()
        _compile(everything, modules, fetched)
        _write_python(files, runtime, everything, compiled[library])
        _write_pages(files, page, f"/{INSTALLED}/{library}")
        paths = sorted(path for path in made.rglob("*") if path.is_file())
        if packed:
            _run("node", PAGES / "pack.mjs", *paths, cwd=made)
        shutil.copytree(made, out, dirs_exist_ok=True)
        return sum(Path(f"{path}.br" if packed else path).stat().st_size for path in paths)


class _Files:
    """The files of the edition, whose names have digests, by the addresses that pages ask for."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.names: dict[str, str] = {}

    def add(self, address: str, content: bytes, name: str = "") -> None:
        path = PurePosixPath(address)
        name = name or str(path.with_name(f"{path.stem}.{_digest(content)}{path.suffix}"))
        (self.out / name).parent.mkdir(parents=True, exist_ok=True)
        (self.out / name).write_bytes(content)
        self.names[address] = name

    def refer(self, text: str, folder: str = "") -> str:
        """Return a text that names files of a folder, with the names that they have."""

        def name(found: re.Match[str]) -> str:
            here, address = found[1] or "", f"{folder}{found[2]}"
            new = self.names.get(address.partition("?")[0])
            if new is None:
                return found[0]
            return (
                f'"{here}{new.removeprefix(folder)}"' if new.startswith(folder) else f'"../{new}"'
            )

        return re.sub(r'"(\./)?([^"\s]+)"', name, text)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def _write_statics(files: _Files) -> None:
    static = PACKAGE / "web" / "static"
    paths = [path for path in sorted(static.rglob("*")) if path.is_file()]
    for path in sorted(paths, key=lambda path: path.suffix == ".css"):  # they name fonts
        name = path.relative_to(static).as_posix()
        content = path.read_bytes()
        if path.suffix == ".css":
            content = files.refer(content.decode(), "static/").encode()
        if not any(path.match(pattern) for pattern in NOT_SERVED):
            files.add(static_url(name).partition("?")[0].removeprefix("/"), content)
    for game in GAMES.values():
        for path in filter(Path.exists, (game.folder / name for name in GAME_FILES)):
            files.add(f"games/{game.name}/{path.name}", path.read_bytes())


def _compile(everything: dict[str, bytes], modules: Collection[str], folder: Path) -> None:
    """Replace the sources of these modules by compiled ones: Python takes seconds to compile them.

    Others stay as they are, since compiled modules are larger.
    """
    names = {name.replace(".", "/") for name in modules}
    sources = folder / "sources"
    for path in list(everything):
        module = path.removeprefix(f"{STANDARD}/").removeprefix(f"{INSTALLED}/")
        module = module.removesuffix(".py").removesuffix("/__init__")
        top = module.partition("/")[0]
        wanted = path.endswith(".py") and not READ_THEMSELVES.search(path)
        if wanted and (module in names or top in AT_START):
            kind = "ours" if top == "redouble" else "others"
            (sources / kind / path).parent.mkdir(parents=True, exist_ok=True)
            (sources / kind / path).write_bytes(everything.pop(path))
    _run("node", PAGES / "compile.mjs", folder / "runtime", sources, cwd=folder)
    for made in sources.rglob("*.pyc"):
        everything["/".join(made.relative_to(sources).parts[1:])] = made.read_bytes()


def _write_python(
    files: _Files, runtime: dict[str, bytes], everything: dict[str, bytes], library: bytes
) -> None:
    """Write Python into a folder with a digest, since it asks for its files by their names.

    The packages are one file: the length of a list, the list of their paths and lengths, contents.
    """
    own = {path: content for path, content in everything.items() if path.startswith(STANDARD)}
    with io.BytesIO() as stored, zipfile.ZipFile(stored, "w") as target:  # hosts compress better
        for path, content in sorted(own.items()):
            target.writestr(zipfile.ZipInfo(path.removeprefix(f"{STANDARD}/")), content)
        target.close()
        runtime["python_stdlib.zip"] = stored.getvalue()
    runtime["library.so"] = library
    folder = f"pyodide.{_digest(b''.join(runtime.values()))}"
    for name, content in runtime.items():
        files.add(f"tab/pyodide/{name}", content, f"{folder}/{name}")
    files.names["tab/pyodide/"] = f"{folder}/"
    ordered = sorted((path, content) for path, content in everything.items() if path not in own)
    about = json.dumps([(f"/{path}", len(content)) for path, content in ordered]).encode()
    contents = (content for _, content in ordered)
    bundle = b"".join((len(about).to_bytes(4, "big"), about, *contents))
    files.add("tab/site.bin", bundle, f"site.{_digest(bundle)}.bin")


def _write_pages(files: _Files, page: str, library: str) -> None:
    manifest = install.about_app()
    for icon in manifest["icons"]:
        address = icon["src"].removeprefix("/")
        files.add(address, bytes(install.icon(Path(address).stem).body))
        icon["src"] = files.names[address]
    manifest |= {"id": "./", "start_url": "./", "scope": "./"}
    described = json.dumps(manifest).encode()
    files.add("manifest.webmanifest", described, "manifest.webmanifest")
    files.add("home.html", _copy(files, page).encode())
    source = {path.name: path.read_text(encoding="utf-8") for path in PAGES.iterdir()}
    version = _digest("".join([*files.names.values(), *sorted(source.values())]).encode())
    known = {"VERSION": version, "LIBRARY": library, "HOME": files.names["home.html"]}
    constants = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in known.items())
    scripts = {name: files.refer(source[name], "tab/") for name in SCRIPTS}
    for name, text in scripts.items():
        first = constants if name in KNOWING else ""
        files.add(f"tab/{name}", f"{first}{text}".encode(), f"tab.{version}/{name}")
    for page in ("index.html", "console.html"):  # others link to them
        files.add(page, files.refer(source[page]).encode(), page)
    del files.names["tab/pyodide/"]
    names = f"const FILES = {json.dumps(files.names)};\n"
    text = f"{constants}{names}{source['service-worker.js']}"
    files.add("service-worker.js", text.encode(), "service-worker.js")


def _first_page() -> tuple[str, list[str], bytes]:
    with tempfile.TemporaryDirectory() as folder:
        _run(sys.executable, "-c", DATABASE, cwd=Path(folder))
        database = Path(folder, "data", FILE).read_bytes()
        page, modules = json.loads(_run(sys.executable, "-c", HOME, cwd=Path(folder)))
    return page, modules, database


def _copy(files: _Files, page: str) -> str:
    """Return a copy of the first page, which is shown while the program starts."""
    loaded = r"<script.*?</script>|<link rel=.(?:manifest|modulepreload)[^>]*>"
    page = re.sub(loaded, "", page, flags=re.DOTALL)
    for place, added in (
        (r"<html\b", " data-copy"),
        (r"<head>", POLICY),
        (r'class="today"', ' style="visibility: hidden"'),
    ):
        found = re.search(place, page)
        if found is None:
            raise SiteError(f"the first page has no {place}: its copy can't be made")
        page = page[: found.end()] + added + page[found.end() :]
    return files.refer(page)


def _run(*command: str | Path, cwd: Path) -> str:
    try:
        done = subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise SiteError(f"{command[0]} isn't installed: install it, and try again") from None
    except subprocess.CalledProcessError as error:
        said = (error.stderr.strip().splitlines() or ["it doesn't say why"])[-1]
        raise SiteError(f"{' '.join(map(str, command[:4]))} failed: {said}") from None
    return done.stdout


def _fetch_python(folder: Path) -> dict[str, bytes]:
    packed = _run("npm", "pack", "--silent", f"pyodide@{PYODIDE}", cwd=folder).strip()
    with tarfile.open(folder / packed) as archive:
        archive.extractall(folder, filter="data")
    (folder / "package").rename(folder / "runtime")
    return {name: (folder / "runtime" / name).read_bytes() for name in RUNTIME}


def _standard(runtime: dict[str, bytes]) -> dict[str, bytes]:
    """Return the modules of a browser's Python that are of use here."""
    archive = zipfile.ZipFile(io.BytesIO(runtime["python_stdlib.zip"]))
    return {
        name: archive.read(name)
        for name in archive.namelist()
        if not name.endswith("/") and not name.startswith(LEFT_OUT_OF_PYTHON)
        if not ENCODINGS.match(name)
    }


def _fetch_compiled(folder: Path) -> dict[str, bytes]:
    wanted = f"{COMPILED}=={importlib.metadata.version(COMPILED)}"
    how = ("--quiet", "--no-deps", "--only-binary=:all:", *WHEELS, "--dest", folder)
    _run(sys.executable, "-m", "pip", "download", *how, wanted, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return {
            name: _useful(PurePosixPath(name).name, archive.read(name))
            for name in archive.namelist()
            if not name.endswith((".pyi", "RECORD"))
        }


def _packages() -> dict[str, bytes]:
    """Return the sources of the packages that the site needs, by their paths."""
    return {
        str(file): _useful(file.name, Path(str(file.locate())).read_bytes())
        for name in PACKAGES
        for file in importlib.metadata.files(name) or []
        if file.suffix == ".py" or file.name in ("METADATA", "entry_points.txt")
        if not str(file).startswith("..") and not any(part in f"/{file}" for part in LEFT_OUT)
    }


def _useful(name: str, content: bytes) -> bytes:
    """Return what Python reads of a file: of a package's description only the head."""
    return content.partition(b"\n\n")[0] + b"\n" if name == "METADATA" else content


def _ours() -> dict[str, bytes]:
    """Return the package itself, with what says that it is installed."""
    distribution = importlib.metadata.distribution("redouble")
    installed = f"redouble-{distribution.version}.dist-info"
    entries = distribution.read_text("entry_points.txt") or ""
    about = f"Metadata-Version: 2.1\nName: redouble\nVersion: {distribution.version}\n"
    found = {
        f"{installed}/METADATA": about.encode(),
        f"{installed}/entry_points.txt": entries.encode(),
    }
    for path in filter(Path.is_file, PACKAGE.rglob("*")):
        name = path.relative_to(PACKAGE).as_posix()
        if "__pycache__" not in name and not name.startswith(LEFT_OUT_OF_OURS):
            found[f"redouble/{name}"] = path.read_bytes()
    static = PACKAGE / "web" / "static"  # pages name its files with a digest of their content
    for path in filter(Path.is_file, static.rglob("*")):
        if path.suffix != ".ttf":
            found[f"redouble/web/static/{path.relative_to(static).as_posix()}"] = path.read_bytes()
    return found


def _modules() -> dict[str, bytes]:
    return {
        f"redouble/modules/{name}": content
        for game in GAMES.values()
        for name, content in wasm_files(game).items()
    }
