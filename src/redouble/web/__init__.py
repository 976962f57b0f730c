"""The web site: pages, the interface for programs, and the server."""

from redouble.kernel.cores import IN_BROWSER
from redouble.kernel.extras import require

if not IN_BROWSER:  # a tab gets what it needs when its edition is made
    require(
        "the server",
        "web",
        *("fastapi", "uvicorn", "uvloop", "httptools", "sqlalchemy", "alembic", "itsdangerous"),
        *("jinja2", "markdown_it", "openskill", "python_multipart", "resvg_py", "segno", "tzdata"),
    )
