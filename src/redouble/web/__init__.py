"""The web site: pages, the interface for programs, and the server."""

from redouble.kernel.extras import require

require(
    "the server",
    "web",
    *("fastapi", "uvicorn", "uvloop", "httptools", "sqlalchemy", "alembic", "itsdangerous"),
    *("jinja2", "markdown_it", "python_multipart", "resvg_py", "segno"),
)
