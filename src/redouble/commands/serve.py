"""``redouble serve``: the web server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redouble.commands.arguments import Database


def serve(
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen on. The default serves this machine alone; any other allows"
            " access from other machines.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=65535,
            help="Port to listen on.",
            show_default="first free one from 8765",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Folder for the database.", show_default="your data folder"
        ),
    ] = None,
    database: Database = "",
    processes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            envvar="REDOUBLE_PROCESSES",
            min=1,
            max=256,
            help="Serve with N processes that share the PostgreSQL database, with each other and"
            " with other servers.",
            show_default="one that has it to itself",
        ),
    ] = None,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the home page in the browser.")
    ] = False,
    prepared: Annotated[
        bool,
        typer.Option(
            "--prepare/--no-prepare",
            help="Compile the bots' search in the background if needed.",
            show_default="yes",
        ),
    ] = True,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--trusted-proxy",
            metavar="ADDRESS",
            help="A proxy, or its network, whose X-Forwarded headers are believed. Can be"
            " repeated.",
        ),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Serve only requests for this host name. Can be repeated.",
            show_default="any name",
        ),
    ] = None,
    metrics: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS:PORT",
            help="Also serve figures for Prometheus, at this address.",
            show_default="none",
        ),
    ] = "",
    log_json: Annotated[
        bool,
        typer.Option("--log-json", help="Log lines of JSON, including one for each request."),
    ] = False,
    operator: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="Who runs the server and how to reach them, for its privacy page.",
            show_default="nobody",
        ),
    ] = "",
    site_address: Annotated[
        str,
        typer.Option(
            metavar="URL",
            envvar="REDOUBLE_SITE_ADDRESS",
            help="Where people find the site, such as https://example.org, for links in messages."
            " Without it, messages go to browsers only.",
            show_default="none",
        ),
    ] = "",
    mail: Annotated[
        str,
        typer.Option(
            metavar="URL",
            envvar="REDOUBLE_MAIL",
            help="Mail server and sender of messages, as an address of Apprise. Others on the"
            " machine can't see it in REDOUBLE_MAIL.",
            show_default="none",
        ),
    ] = "",
    messages: Annotated[
        str,
        typer.Option(
            metavar="WAYS",
            envvar="REDOUBLE_MESSAGES",
            help="How people can be sent messages: push, mail, services, or none.",
        ),
    ] = "push,mail,services",
    words: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A text file of words, one on each line, that names and chat may not have. It is"
            " read again when it changes.",
            show_default="none",
        ),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=N",
            help="Change a limit, such as streams-per-person=50. The hosting guide lists them all;"
            " repeat the option for several.",
        ),
    ] = None,
) -> None:
    """Start the web server, for browsers and programs."""
    from redouble.web.limits import LIMITS
    from redouble.web.server.serve import serve as run_server

    run_server(
        host,
        port,
        data,
        open_page,
        prepared,
        LIMITS.changed(limit or ()),
        proxy or (),
        allowed_host or (),
        metrics,
        log_json,
        operator,
        database,
        processes,
        site_address,
        mail,
        messages.replace(" ", "").split(","),
        words,
    )
