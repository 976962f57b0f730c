#!/usr/bin/env python3
"""Write the names of the public modules into docs/python/index.md, which lists these modules.

.venv/bin/python scripts/reference.py            write them
.venv/bin/python scripts/reference.py --check    exit 1 when they are not what would be written

The site has a page for each group of them, made by ``docs/conf.py``.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "python" / "index.md"
ROW = re.compile(r"^\| `(redouble[\w.]*)` \|(.*)\|$", re.MULTILINE)
GROUP = re.compile(r"^## (.+)$", re.MULTILINE)


def source(module: str) -> Path:
    """The file of a module."""
    path = ROOT / "src" / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def public(module: str) -> list[str]:
    """The names in a module's ``__all__``, read from its source: its packages may be missing.

    Modules of other packages that it hands on, and the version, are none of them.
    """
    tree = ast.parse(source(module).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    others = {alias.asname for node in imports for alias in node.names}
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            found = [name for name in ast.literal_eval(node.value) if name not in others]
            return [name for name in found if not name.startswith("_")]
    raise ValueError(f"{module} has no __all__: define one, or leave it out of {PAGE.name}")


def groups() -> dict[str, dict[str, list[str]]]:
    """The public modules and their names, by the title of their group."""
    _, *parts = GROUP.split(PAGE.read_text(encoding="utf-8"))
    found = {
        title: {module: public(module) for module, _ in ROW.findall(text)}
        for title, text in zip(parts[::2], parts[1::2], strict=True)
    }
    return {title: modules for title, modules in found.items() if modules}


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of a page for each group, for Sphinx."""
    found = groups()
    listed = {module for modules in found.values() for module in modules}
    for title, modules in found.items():
        name = re.sub(r"\W+", "-", title.lower())
        yield name, "\n".join([f"# {title}", "", *_directives(modules, listed)])


def _directives(modules: Mapping[str, list[str]], listed: set[str]) -> Iterator[str]:
    for module, names in modules.items():
        elsewhere = {
            alias.name
            for node in ast.parse(source(module).read_text(encoding="utf-8")).body
            if isinstance(node, ast.ImportFrom) and node.module in listed
            for alias in node.names
        }
        others = [name for name in names if name in elsewhere]
        yield from (f"## `{module}`", "", "```{eval-rst}", f".. automodule:: {module}")
        if others:
            yield f"   :exclude-members: {', '.join(others)}"
        yield from (*_inherited(module), "```", "")


def _inherited(module: str) -> list[str]:
    """Stored results are made of models, whose fields their bases declare."""
    return ["   :inherited-members: BaseModel"] if module.endswith(".stored") else []


def refreshed(text: str) -> str:
    """The page with the names of each module."""
    return ROW.sub(
        lambda row: f"| `{row[1]}` | {', '.join(f'`{name}`' for name in public(row[1]))} |", text
    )


def main(arguments: list[str]) -> int:
    text = PAGE.read_text(encoding="utf-8")
    if "--check" not in arguments:
        PAGE.write_text(refreshed(text), encoding="utf-8")
    elif refreshed(text) != text:
        print(f"{PAGE.name} is not what scripts/reference.py would write")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
