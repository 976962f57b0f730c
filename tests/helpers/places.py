"""Where the tests find the parts of the repository."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src"
EXAMPLES = ROOT / "examples"
GOLDEN = ROOT / "tests" / "golden"
EARLIER_SCHEMAS = ROOT / "scripts" / "earlier_schemas"
OLD_DATABASES = ROOT / "tests" / "web" / "data"


def modules_with(text: str) -> list[str]:
    """Return the names of the package's modules with a text in their source, importing none."""
    return [
        ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(SOURCES.rglob("*.py"))
        if text in path.read_text(encoding="utf-8")
    ]
