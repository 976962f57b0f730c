"""Makes the edition that runs in a browser: a folder of files that any web host can serve.

It takes this environment's own packages, and fetches what browsers need besides: their Python (the
npm package ``pyodide``, by npm) and the one package that is compiled (a wheel, by pip).
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from redouble.contract.registry import GAMES
from redouble.exports.build import wasm_files
from redouble.kernel.errors import RedoubleError
from redouble.web.drawing.addresses import GAME_FILES
from redouble.web.pages import install

PYODIDE = "314.0.7"
RUNTIME = (
    *("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"),
    "pyodide-lock.json",
)
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
    *("__pycache__", "/testing/", "/mako/ext/", "/pydantic/v1/"),
    *("/dialects/mysql/", "/dialects/oracle/", "/dialects/mssql/"),
)
"""What packages have for others."""
LEFT_OUT_OF_OURS = ("envs/", "lab/", "web/static/", "web/tab/")
"""What needs a compiler, and what pages fetch by themselves."""
NOT_SERVED = ("service-worker.js", "*.ttf")
"""The worker for visits without a server, and fonts of pictures that servers draw."""
PACKAGE = Path(__file__).resolve().parents[1]
PAGES = PACKAGE / "web" / "tab"


class SiteError(RedoubleError):
    """The edition can't be made here."""


def make(out: Path) -> int:
    """Make the edition in a new or empty folder, and return its size in bytes.

    Raises :class:`SiteError` if the folder has something in it, or what is needed can't be fetched.
    """
    if out.exists() and any(out.iterdir()):
        raise SiteError(f"{out} isn't empty: name a new folder, or empty it")
    with tempfile.TemporaryDirectory() as folder:
        fetched, made = Path(folder, "fetched"), Path(folder, "made")
        fetched.mkdir()
        (made / "tab").mkdir(parents=True)
        _fetch_python(fetched, made / "tab" / "pyodide")
        files = {**_packages(), **_fetch_compiled(fetched), **_ours(), **_modules()}
        with zipfile.ZipFile(made / "tab" / "site.zip", "w") as archive:
            for name, content in sorted(files.items()):
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 9)
        _write_pages(made)
        size = _write_worker(made)
        shutil.copytree(made, out, dirs_exist_ok=True)
    return size


def _write_pages(made: Path) -> None:
    """Write the page around the site's, and the files that pages fetch by themselves."""
    shutil.copy(PAGES / "index.html", made)
    for name in ("folder.js", "modules.js", "shell.css", "shell.js", "thinker.js", "worker.js"):
        shutil.copy(PAGES / name, made / "tab")
    ignored = shutil.ignore_patterns(*NOT_SERVED)
    shutil.copytree(PACKAGE / "web" / "static", made / "static", ignore=ignored)
    for game in GAMES.values():
        (made / "games" / game.name).mkdir(parents=True)
        for path in filter(Path.exists, (game.folder / name for name in GAME_FILES)):
            shutil.copy(path, made / "games" / game.name)
    manifest = install.about_app()
    for icon in manifest["icons"]:
        icon["src"] = icon["src"].removeprefix("/")
        path = made / icon["src"]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(install.icon(path.stem).body))
    manifest |= {"id": "./", "start_url": "./", "scope": "./"}
    (made / "manifest.webmanifest").write_text(json.dumps(manifest), encoding="utf-8")


def _run(*command: str | Path, cwd: Path) -> str:
    """Run a command and return what it prints."""
    try:
        done = subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise SiteError(f"{command[0]} isn't installed: install it, and try again") from None
    except subprocess.CalledProcessError as error:
        said = (error.stderr.strip().splitlines() or ["it doesn't say why"])[-1]
        raise SiteError(f"{' '.join(map(str, command[:4]))} failed: {said}") from None
    return done.stdout


def _fetch_python(folder: Path, target: Path) -> None:
    packed = _run("npm", "pack", "--silent", f"pyodide@{PYODIDE}", cwd=folder).strip()
    target.mkdir()
    with tarfile.open(folder / packed) as archive:
        for name in RUNTIME:
            found = archive.extractfile(f"package/{name}")
            assert found is not None
            (target / name).write_bytes(found.read())


def _fetch_compiled(folder: Path) -> dict[str, bytes]:
    wanted = f"{COMPILED}=={importlib.metadata.version(COMPILED)}"
    how = ("--quiet", "--no-deps", "--only-binary=:all:", *WHEELS, "--dest", folder)
    _run(sys.executable, "-m", "pip", "download", *how, wanted, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _packages() -> dict[str, bytes]:
    """Return the sources of the packages that the site needs, by their paths."""
    return {
        str(file): Path(str(file.locate())).read_bytes()
        for name in PACKAGES
        for file in importlib.metadata.files(name) or []
        if file.suffix == ".py" or file.name in ("METADATA", "entry_points.txt")
        if not str(file).startswith("..") and not any(part in f"/{file}" for part in LEFT_OUT)
    }


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
    """Return the games as WebAssembly modules. Raises :class:`BuildError` without a linker."""
    return {
        f"redouble/modules/{name}": content
        for game in GAMES.values()
        for name, content in wasm_files(game).items()
    }


def _write_worker(out: Path) -> int:
    """Write the service worker, which knows all files and their version; return their bytes."""
    files = sorted(path for path in out.rglob("*") if path.is_file())
    names = [path.relative_to(out).as_posix() for path in files]
    digest = hashlib.sha256("".join(names).encode())
    for path in files:
        digest.update(path.read_bytes())
    script = (PAGES / "service-worker.js").read_text(encoding="utf-8")
    constants = f"const VERSION = {json.dumps(digest.hexdigest()[:16])};\n"
    constants += f"const FILES = {json.dumps(names)};\n"
    (out / "service-worker.js").write_text(constants + script, encoding="utf-8")
    return sum(path.stat().st_size for path in files)
