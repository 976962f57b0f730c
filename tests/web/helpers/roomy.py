"""Limits for the sites of tests: they make in seconds what a family makes in days."""

from dataclasses import fields, replace

from redouble.web.limits import LIMITS, Rate

ROOMY = replace(
    LIMITS,
    **{
        field.name: Rate(10**8, 1)
        for field in fields(LIMITS)
        if isinstance(getattr(LIMITS, field.name), Rate)
    },  # type: ignore[arg-type]
    bot_tables_per_person=10**6,
    bot_tables=10**6,
    bot_table_milliseconds=1,
    searches_waiting=10**6,
    uploads_waiting=10**6,
    free_megabytes=1,
)
OPTIONS = [
    f"--limit={field.name.replace('_', '-')}={getattr(ROOMY, field.name)}"
    for field in fields(ROOMY)
    if getattr(ROOMY, field.name) != getattr(LIMITS, field.name)
]
"""The same for ``redouble serve``."""
