"""``redouble work``: reviews made apart from the web servers."""

from __future__ import annotations

from typing import Annotated

import typer


def work(
    database: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            envvar="REDOUBLE_DATABASE",
            help="The servers' PostgreSQL database, such as postgresql://user:password@host/name."
            " Set it in the environment: process lists show options.",
            show_default="none",
        ),
    ] = "",
    processes: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=256, help="Make N reviews at a time, each in its own process."
        ),
    ] = 1,
    metrics: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS:PORT",
            help="Serve figures for Prometheus, /health/live and /health/ready at this address."
            " Each further process takes the next port.",
            show_default="none",
        ),
    ] = "",
) -> None:
    """Make reviews for servers that share a PostgreSQL database, so that they needn't."""
    from redouble.web.server.work import work as run_workers

    run_workers(database, processes, metrics)
