"""Where the tests find the parts of the repository."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
GOLDEN = ROOT / "tests" / "golden"
MIGRATIONS = ROOT / "src" / "redouble" / "web" / "store" / "migrations" / "versions"
OLD_DATABASES = ROOT / "tests" / "web" / "data"
