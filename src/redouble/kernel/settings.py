"""The settings of a server, declared once.

``redouble serve`` has them as options, ``docs/command-line.md`` lists them, and the server reads
them. They stand here because the command line shows them where the web's packages are missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

LOOPBACK = "127.0.0.1"
PORT = 8765
"""The first port to try when none is given."""
MORE = "; repeat for several."
"""How the meaning ends of an option that can be given several times."""


def option(
    value: str,
    help: str,
    *names: str,
    usual: str = "",
    low: float | None = None,
    high: float | None = None,
    env: str | None = None,
    read: Callable[[Any], Any] | None = None,
) -> Any:
    """Declare an option.

    ``value`` is the word for what people type after its name. ``usual`` says in words what happens
    without the option, where its default doesn't. ``read`` turns what is given into the value.
    """
    return typer.Option(
        *names,
        metavar=value,
        help=help,
        show_default=usual or True,
        min=low,
        max=high,
        envvar=env,
        callback=read,
    )


def switch(names: str, help: str, usual: str = "") -> Any:
    """Declare an option without a value: ``--plain``, or ``--auto/--no-auto``."""
    return typer.Option(names, help=help, show_default=usual or True)


Data = Annotated[
    Path | None, option("FOLDER", "The server's data folder.", usual="your data folder")
]
Database = Annotated[
    str,
    option(
        "ADDRESS",
        "A PostgreSQL database: postgresql://user:password@host/name, rather in the environment,"
        " since process lists show options.",
        usual="a file in the data folder",
        env="REDOUBLE_DATABASE",
    ),
]
Metrics = Annotated[
    str,
    option("ADDRESS:PORT", "Serve Prometheus at this port; further processes take the next ones."),
]


@dataclass(frozen=True)
class Settings:
    """How a server runs."""

    host: Annotated[
        str, option("ADDRESS", "Address to listen on; the default lets no other machine in.")
    ] = LOOPBACK
    port: Annotated[
        int | None,
        option("N", "Port to listen on.", usual=f"a free one from {PORT}", low=0, high=65535),
    ] = None
    data: Data = None
    database: Database = ""
    workers: Annotated[
        int | None,
        option(
            "N",
            "Serve with N processes, which share the PostgreSQL database with all other servers.",
            usual="one that has it to itself",
            low=1,
            high=256,
            env="REDOUBLE_WORKERS",
        ),
    ] = None
    open_page: Annotated[bool, switch("--open", "Open the home page in the browser.")] = False
    prepare: Annotated[
        bool, switch("--prepare/--no-prepare", "Compile the bots' search in the background.")
    ] = True
    trusted_proxy: Annotated[
        list[str] | None,
        option("ADDRESS", f"A proxy or network whose X-Forwarded headers are believed{MORE}"),
    ] = None
    allowed_host: Annotated[
        list[str] | None,
        option("NAME", f"Serve only requests for this host name{MORE}", usual="any name"),
    ] = None
    metrics: Metrics = ""
    log_json: Annotated[bool, switch("--log-json", "Log requests too, as lines of JSON.")] = False
    operator: Annotated[
        str, option("TEXT", "Who runs the server and how to reach them, for its privacy page.")
    ] = ""
    site_address: Annotated[
        str,
        option(
            "URL",
            "The site's address in messages, such as https://example.org; without it they go to"
            " browsers only.",
            env="REDOUBLE_SITE_ADDRESS",
        ),
    ] = ""
    mail: Annotated[
        str,
        option(
            "URL",
            "Mail server and sender, as an address of Apprise, rather in the environment.",
            env="REDOUBLE_MAIL",
        ),
    ] = ""
    messages: Annotated[
        str,
        option(
            "WAYS",
            "How people can be sent messages: push, mail, services, or none.",
            env="REDOUBLE_MESSAGES",
        ),
    ] = "push,mail,services"
    words: Annotated[
        Path | None,
        option("FILE", "Words that names and chat may not have, one a line; changes are noticed."),
    ] = None
    limit: Annotated[
        list[str] | None,
        option("NAME=N", f"Change a limit of the hosting guide, such as new-guests=50/60{MORE}"),
    ] = None
