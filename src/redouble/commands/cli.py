"""The ``redouble`` command."""

from __future__ import annotations

import codecs
import io
import json
import os
import shutil
import sys
import textwrap
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from redouble.bots.levels import LEVELS, USUAL_LEVEL
from redouble.commands.arena import arena
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.kernel.version import __version__

app = typer.Typer(
    name="redouble",
    help="Tabletop games. Without a command: the tables, in the browser.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

WRONG = 2
"""The exit code when what was asked for cannot be had."""
INTERRUPTED = 130
POORER = "redouble"
"""The name of our way to print where the output cannot hold every character."""
INSTEAD = {
    **{"\N{PLUS-MINUS SIGN}": "+-", "\N{EN DASH}": "-", "\N{HORIZONTAL ELLIPSIS}": "..."},
    **{"\N{BULLET}": "*", "\N{MINUS SIGN}": "-", "\N{BOX DRAWINGS LIGHT HORIZONTAL}": "-"},
    **{"\N{MULTIPLICATION SIGN}": "x", "\N{NO-BREAK SPACE}": " "},
}
PACE = 0.6
"""Seconds that each move of a bot stays on a live screen."""

Fast = Annotated[bool, typer.Option("--fast", help="No rest after the bots' moves.")]
Plain = Annotated[bool, typer.Option("--plain", help="Plain lines instead of a drawn table.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]

app.command("arena")(arena)


def main() -> NoReturn:
    """Run the command; bad input becomes one sentence and exit code 2, never a traceback."""
    codecs.register_error(POORER, _poorer)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=POORER)
    try:
        code = app(prog_name="redouble", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has enough. Python would complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        code = _complain(f"{name}{error.strerror or error}")
    except RedoubleError as error:
        code = _complain(str(error))
    except Exception as error:
        message = getattr(error, "format_message", None)  # what Typer says of a wrong command line
        if message is None:
            raise
        context = getattr(error, "ctx", None)
        help_at = "" if context is None else f"; see {context.command_path} --help"
        code = _complain(f"{message().rstrip('.')}{help_at}")
    if code == INTERRUPTED:
        print(file=sys.stderr)
    raise SystemExit(code if isinstance(code, int) else 0)


def _poorer(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that the output's encoding does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(INSTEAD.get(letter, "?") for letter in text), error.end


def _complain(sentence: str) -> int:
    text = f"redouble: {' '.join(sentence.split())}"
    if not text.endswith("..."):
        text = f"{text.rstrip('.')}."
    if sys.stderr.isatty():
        columns = shutil.get_terminal_size().columns
        text = textwrap.fill(text, columns, break_long_words=False, break_on_hyphens=False)
    print(text, file=sys.stderr)
    return WRONG


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="The version, and leave.")] = False,
) -> None:
    if version:
        print(f"redouble {__version__}")
    elif context.invoked_subcommand is None:
        from redouble.web.serve import LOOPBACK, serve

        serve(LOOPBACK, None, None, open_page=True)


def _menu() -> None:
    from redouble.terminal.menu import choose
    from redouble.terminal.screen import Screen

    screen = Screen()
    try:
        while (setup := choose(screen, PACE)) is not None:
            _play(setup, screen)
            if not screen.live:
                return
            screen.say()
    except EOFError:
        screen.say("End of input.")


@app.command("play")
def _play_command(
    game: Annotated[str | None, typer.Argument(help="The game's name.")] = None,
    seats: Annotated[int | None, typer.Option(help="How many play.")] = None,
    bot: Annotated[
        str, typer.Option(help=f"Who plays the other seats: {', '.join(LEVELS)}.")
    ] = USUAL_LEVEL,
    people: Annotated[
        int | None, typer.Option(help="How many of the seats people play, from the first on: 1.")
    ] = None,
    names: Annotated[str, typer.Option(help="Names of the seats, with commas.")] = "",
    seed: Annotated[str | None, typer.Option(help="A text that decides all chance.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="An option of the rules, name=value.")
    ] = None,
    deck: Annotated[
        str | None,
        typer.Option(help="Order of the first shuffle: cards with commas, or a file."),
    ] = None,
    load: Annotated[Path | None, typer.Option(help="Go on with a saved game.")] = None,
    pace: Annotated[float, typer.Option(help="Seconds to rest after a bot's move.")] = PACE,
    fast: Fast = False,
    auto: Annotated[
        bool | None,
        typer.Option(help="Make moves that have no alternative unasked (not with one seat)."),
    ] = None,
    winnable: Annotated[
        str | None,
        typer.Option(help="A deal for one that can be won: any, easy, medium or hard."),
    ] = None,
    plain: Plain = False,
) -> None:
    """Play in the terminal, against bots or several at one keyboard; without GAME: a menu."""
    from redouble.terminal.screen import Screen
    from redouble.terminal.setup import Setup, load_match, read_deck, read_options

    match: Any = None
    notes: Any = ()
    if load is not None:
        fixed = {"--seats": seats, "--names": names, "--seed": seed, "--option": option}
        fixed["--winnable"] = winnable
        if clash := [name for name, value in {**fixed, "--deck": deck}.items() if value]:
            raise RedoubleError(f"{clash[0]} cannot go with --load: the saved game has its own")
        match, notes = load_match(load)
        if game not in (None, match.game.name):
            raise RedoubleError(f"{load} holds a game of {match.game.name}, not of {game}")
        game = match.game.name
    if game is None:
        _menu()
        return
    chosen = GAMES[game]
    if winnable is not None:
        from redouble.terminal.screen import telling
        from redouble.terminal.solving import deal_of_level, solvable

        if seed is not None or deck is not None:
            raise RedoubleError("--winnable chooses the deal: give no --seed and no --deck with it")
        with telling("Looking for a deal ..."):
            seed = deal_of_level(solvable(game), read_options(chosen, option or []), winnable)
    setup = Setup(
        chosen,
        seats,
        people,
        bot,
        [name.strip() for name in names.split(",")] if names else [],
        seed,
        read_options(chosen, option or []),
        None if deck is None else read_deck(deck),
        0.0 if fast else max(0.0, pace),
        auto,
    )
    _play(setup, Screen(plain), match, load, notes)


def _play(
    setup: Any, screen: Any, match: Any = None, saved_to: Path | None = None, notes: Any = ()
) -> None:
    """Play, and on a live screen offer to save the record and to play again."""
    while True:
        session = setup.session(match or setup.start(), screen)
        session.saved_to, session.notes = saved_to, notes
        ended = session.play()
        if not ended or not screen.live:
            return
        try:
            if not _again(session, screen):
                return
        except EOFError:
            return
        setup, match, saved_to, notes = setup.again(), None, None, ()


def _again(session: Any, screen: Any) -> bool:
    """Offer what can be done after a game, until its player leaves or wants another."""
    outcome = session.match.outcome
    solved = session.match.game.solver is not None and outcome and not outcome.won[0]
    offers = {"Enter": "leave", "a": "play again", "r": "review"}
    offers |= {"w": "what lost it"} if solved else {}
    offers |= {"s": "save"}
    while True:
        listed = "   ".join(f"{key}: {what}" for key, what in offers.items())
        answer = screen.ask(f"{listed}: ").lower()
        if answer in ("a", "again", "play again"):
            return True
        if answer in ("", "q", "quit", "exit", "leave"):
            return False
        if answer in ("r", "review"):
            _show_review(session, screen)
        elif solved and answer == "w":
            from redouble.terminal.screen import telling
            from redouble.terminal.solving import what_lost_it

            with telling("Solving ..."):
                said = what_lost_it(session.match)
            screen.print(screen.wrapped(said))
        elif answer in ("s", "save"):
            if session.offer_save("Save to which file? y: a name of its own; Enter: none: "):
                offers.pop("s", None)
        else:
            screen.say(f"{answer!r} is none of these.")


def _show_review(session: Any, screen: Any) -> None:
    """The review of a game that was just played; stopped by an interrupt."""
    from redouble.terminal.review import as_text, reviewed

    try:
        match = session.match
        as_text(match, reviewed(match, screen), screen, players=session.people)
    except RedoubleError as error:
        screen.say(f"No review: {error}.")
    except KeyboardInterrupt:
        screen.say("The review was stopped.")


@app.command("serve")
def _serve_command(
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on; others than this machine's own"
            " loopback let other machines in."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port; without: a free one from 8765 on.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder for what is played; else the user's data folder.")
    ] = None,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
    prepared: Annotated[
        bool,
        typer.Option(
            "--prepare/--no-prepare", help="Meanwhile compile what thinking bots need, if need be."
        ),
    ] = True,
) -> None:
    """Serve the tables to browsers and programs."""
    from redouble.web.serve import serve

    serve(host, port, data, open_page, prepared)


@app.command("prepare")
def _prepare_command(
    game: Annotated[str | None, typer.Argument(help="Only this game.")] = None,
) -> None:
    """Compile the bots' search now, so that no game waits for it; once is enough."""
    from redouble.analysis.prepare import prepare

    for each in [GAMES[game]] if game else GAMES.values():
        print(f"{each.title} ...", end=" ", flush=True)
        prepare(each)
        print("ready", flush=True)


@app.command("rules")
def _rules_command(
    game: Annotated[str, typer.Argument(help="The game's name.")], plain: Plain = False
) -> None:
    """Read a game's rules."""
    from redouble.terminal.pages import show_rulebook
    from redouble.terminal.screen import Screen

    show_rulebook(GAMES[game], Screen(plain))


@app.command("puzzle")
def _puzzle_command(
    game: Annotated[str | None, typer.Argument(help="The game's name; without: any.")] = None,
    number: Annotated[
        int | None, typer.Option(help="The puzzle's number, to begin with; else by chance.")
    ] = None,
    level: Annotated[
        str | None, typer.Option(help="How hard: easy, medium, hard; else any.")
    ] = None,
    answer: Annotated[
        str | None, typer.Option(help="A move: judge it, and leave. With --number.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="The puzzles there are.")] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Find the best move in a position, as one seat sees it."""
    from redouble.analysis.puzzle import puzzles_at
    from redouble.terminal import puzzle as table
    from redouble.terminal.screen import Screen

    screen = Screen(plain)
    chosen = None if game is None else GAMES[game]
    if answer is not None and (number is None or listed):
        raise RedoubleError("--answer needs --number: say to which puzzle")
    found = puzzles_at(chosen, number, level, in_order=listed)
    if listed and as_json:
        print(json.dumps([one.summary() for one in found], ensure_ascii=False))
    elif listed:
        screen.console.print(table.listing(found, screen.glyphs))
    elif as_json:
        table.as_json(found[0], answer, screen)
    elif answer is not None:
        table.answer(found[0], answer, screen)
    else:
        table.solve(found, screen)


@app.command("replay")
def _replay_command(
    file: Annotated[Path, typer.Argument(help="A file of records, one a line; - is the input.")],
    line: Annotated[int | None, typer.Option(help="Only the record on this line.")] = None,
    seat: Annotated[int | None, typer.Option(help="As this seat sees it; else all.")] = None,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Step through a recorded game."""
    from redouble.match.record import Record
    from redouble.terminal import replay
    from redouble.terminal.screen import Screen
    from redouble.terminal.setup import numbered_lines, read_record

    screen = Screen(plain)
    if line is not None or (screen.live and not as_json):
        number, record = read_record(file, line)
        records = [(number, record)]
    else:
        records = [(n, Record.parse(text, n)) for n, text in numbered_lines(file)]
    for number, record in records:
        film = replay.Film(record, number, seat)
        if as_json:
            replay.as_json(film, screen)
        elif screen.live:
            replay.step_through(film, screen)
        else:
            replay.as_text(film, screen)


@app.command("review")
def _review_command(
    file: Annotated[Path, typer.Argument(help="A file of records, one a line; - is the input.")],
    line: Annotated[int | None, typer.Option(help="The record on this line: the first.")] = None,
    seat: Annotated[int | None, typer.Option(help="Only what concerns this seat.")] = None,
    iterations: Annotated[
        int, typer.Option(min=10, max=100_000, help="How long to search at each decision.")
    ] = 1000,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Look at a recorded game again: mistakes, luck, and what it turned on."""
    from redouble.match.replay import replay
    from redouble.terminal import review
    from redouble.terminal.screen import Screen
    from redouble.terminal.setup import read_record

    screen = Screen(plain)
    number, record = read_record(file, line)
    match = replay(record, number)
    if seat is not None:
        review.check_seat(match, seat)
    found = review.reviewed(match, screen, iterations)
    if as_json:
        review.as_json(match, number, found, screen)
    else:
        review.as_text(match, found, screen, seat)


@app.command("games")
def _games_command(as_json: AsJson = False) -> None:
    """The installed games."""
    if as_json:
        print(json.dumps([_game_row(game) for game in GAMES.values()], ensure_ascii=False))
        return
    from rich.console import Console

    from redouble.terminal.pages import games_table

    Console(highlight=False).print(games_table(GAMES))


def _game_row(game: Any) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "rules": game.version,
        "seats": [game.min_seats, game.max_seats],
        "summary": game.summary,
        "options": [
            {"name": o.name, "default": o.default, "meaning": o.meaning} for o in game.options
        ],
    }


@app.command("bench")
def _bench_command(
    game: Annotated[str | None, typer.Argument(help="The game's name; without: all.")] = None,
    seats: Annotated[int | None, typer.Option(help="How many play: the fewest.")] = None,
    seconds: Annotated[float, typer.Option(min=0.01, help="How long to measure each engine.")] = 2,
    as_json: AsJson = False,
) -> None:
    """Measure random play: both engines, one core and all, and the time to compile."""
    from redouble.lab.bench import machine, measure

    chosen = [GAMES[game]] if game else list(GAMES.values())
    for one in chosen:
        one.check_seats(seats or one.min_seats)
    if not as_json:
        print(", ".join(f"{name} {value}" for name, value in machine().items()))
    for one in chosen:
        report = measure(one, seats or one.min_seats, seconds)
        print(json.dumps(report.to_dict()) if as_json else report, flush=True)


@app.command("solve", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def _solve_command(
    context: typer.Context,
    deal: Annotated[
        str | None,
        typer.Argument(help="The number of a deal, or a file of records; - is the input."),
    ] = None,
    game: Annotated[str | None, typer.Option(help="The game's name.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="An option of the rules, name=value.")
    ] = None,
    deals: Annotated[
        int | None, typer.Option(min=1, help="Solve so many random deals and print their shares.")
    ] = None,
    seed: Annotated[str, typer.Option(help="With --deals: a text that decides them.")] = "",
    threads: Annotated[
        int | None, typer.Option(min=1, max=256, help="With --deals: threads; else all cores.")
    ] = None,
    most: Annotated[
        int, typer.Option(min=1, help="Positions searched before a deal stays undecided.")
    ] = 20_000,
    as_json: AsJson = False,
) -> None:
    """Whether a deal of a game for one can be won, and how; options also by their own names."""
    from redouble.terminal.setup import read_options
    from redouble.terminal.solving import loose_options, solvable, solve_one, solve_several

    chosen = solvable(game)
    words = list(context.args)
    if deal is not None and deal.startswith("--"):  # an option of the game's came before the deal
        words, deal = [deal, *words], None
        if words and not words[-1].startswith("--"):
            deal = words.pop()
    values = loose_options(chosen, words)
    for name, value in read_options(chosen, option or []).items():
        if name in values:
            raise RedoubleError(f"option {name} is given twice")
        values[name] = value
    if (deal is None) == (deals is None):
        raise RedoubleError("give the number of a deal, a file of records, or --deals with a count")
    if deals is not None:
        solve_several(chosen, deals, values, seed, threads, most, as_json)
    elif deal is not None:
        solve_one(chosen, deal, values, most, as_json)


@app.command("study")
def _study_command(
    game: Annotated[str, typer.Argument(help="The game's name.")],
    seats: Annotated[int | None, typer.Option(help="How many play.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="An option of the rules, name=value.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            help="Compare with a second setting, which differs by this: an option name=value,"
            " seats=5 or bots=club."
        ),
    ] = None,
    bots: Annotated[
        str, typer.Option(help="Who plays: a bot, or one a seat with commas; they go round.")
    ] = "random",
    skill: Annotated[
        str, typer.Option(help="The pair that measures skill, the stronger bot first; or none.")
    ] = "greedy,novice",
    number: Annotated[int, typer.Option("--games", help="Games to play of each setting.")] = 10_000,
    seed: Annotated[str, typer.Option(help="A text that decides all chance.")] = "study",
    threads: Annotated[
        int | None, typer.Option(min=1, max=256, help="Threads; else all cores.")
    ] = None,
    as_json: Annotated[
        Path | None, typer.Option("--json", help="Write JSON to this file; - is the output.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page with plots.")] = None,
) -> None:
    """What a game is like by its rules: simulate it, and compare house rules."""
    from redouble.lab.study.command import study
    from redouble.lab.study.plan import Plan, other_setting, setting, skill_pair, split_against
    from redouble.terminal.setup import read_options

    chosen = GAMES[game]
    settings = [setting(chosen, seats, read_options(chosen, option or []), bots)]
    if against:
        other_seats, other_bots, texts = split_against(against)
        changed = read_options(chosen, texts)
        settings.append(other_setting(settings[0], other_seats, other_bots, changed))
    plan = Plan(tuple(settings), number, seed, skill_pair(skill))
    study(plan, threads, as_json, report)
