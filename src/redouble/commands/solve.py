"""``redouble puzzle`` and ``redouble solve``: positions and deals to solve."""

import sys
from typing import Annotated

from redouble.commands import arguments
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.kernel.settings import option, switch


def puzzle(
    game: arguments.OptionalGame = None,
    number: Annotated[
        int | None, option("N", "Number of the first puzzle.", usual="a random order")
    ] = None,
    difficulty: Annotated[
        str | None,
        option("DIFFICULTY", "Only puzzles that are easy, medium or hard.", usual="every one"),
    ] = None,
    answer: Annotated[
        str | None, option("MOVE", "Judge this answer to puzzle --number, and exit.")
    ] = None,
    listed: Annotated[bool, switch("--list", "List the puzzles.")] = False,
    plain: arguments.Plain = False,
    *,
    out: arguments.JsonFile,
) -> None:
    """Find the best move from what a player can see."""
    from redouble.analysis.puzzle import puzzles_at
    from redouble.terminal.ask.screen import Screen
    from redouble.terminal.study import puzzle as table

    screen = Screen(plain)
    chosen = None if game is None else GAMES[game]
    if answer is not None and (number is None or listed):
        raise RedoubleError("--answer needs a puzzle: give its number with --number")
    found = puzzles_at(chosen, number, difficulty, in_order=listed)
    if listed:
        out.write([one.summary() for one in found])
        if not out.printed:
            screen.console.print(table.listing(found, screen.glyphs))
        return
    verdict = {} if answer is None else {"verdict": found[0].verdict(answer).to_dict()}
    out.write(found[0].shown() | verdict)
    if out.json is None and answer is None:
        table.solve(found, screen)
    elif answer is not None and not out.printed:
        table.answer(found[0], answer, screen)


def solve(
    deal: Annotated[
        str | None,
        arguments.argument(
            "DEAL", "The number of a deal, or a file with a saved game; - reads standard input."
        ),
    ] = None,
    game: Annotated[
        str | None, option("GAME", "The game.", usual="the first with a solver")
    ] = None,
    options: arguments.Rule = None,
    line: Annotated[
        int | None, option("N", "In a file of several saved games: the one on this line.")
    ] = None,
    games: Annotated[
        int | None,
        option("N", "Count how many of N random deals can be won.", low=1),
    ] = None,
    seed: arguments.FixedSeed = "",
    max_positions: Annotated[
        int, option("N", "Positions to search before a deal is left undecided.", low=1)
    ] = 20_000,
    *,
    out: arguments.JsonFile,
    where: arguments.Workers,
) -> None:
    """Tell whether a solitaire deal can be won, and how.

    The rules are those by which people usually play; --option changes them. A record is solved by
    its own. Ctrl-C ends --games early and shows the results so far.
    """
    from redouble.terminal.ask.screen import telling
    from redouble.terminal.study.solving import in_words, read_deal, report, solvable

    chosen = solvable(game)
    given = chosen.read_options(options or [])
    if line is not None and deal is None:
        raise RedoubleError(f"--line {line} is for a file of saved games: name the file")
    if deal is not None and games is not None:
        raise RedoubleError(f"deal {deal} and --games {games} exclude each other: give one of them")
    if deal is not None:
        match = read_deal(chosen, deal, given, line)
        arguments.warn_if_slow()
        with telling("Solving..."):
            solved = report(match, max_positions)
        out.write(solved)
        if not out.printed:
            print("\n".join(in_words(match, solved)))
        return
    if games is None:
        raise RedoubleError(
            "no deal: give its number, a file with a saved game, or --games with how many to solve"
        )
    from redouble.lab.solitaire import tally_deals

    checked = chosen.check_options(1, chosen.as_played(given))
    with arguments.progress_bar() as bar:
        task = bar.add_task("deals", total=games)
        found = tally_deals(
            chosen,
            checked,
            games,
            seed,
            max_positions,
            executor=where.executor(),
            watch=lambda done: bar.update(task, completed=done),
        )
    row = {"game": chosen.name, "options": checked, "seed": seed}
    tally = found.tally
    out.write(row | tally.to_dict())
    if not out.printed:
        low, high = tally.interval
        print(
            f"{tally.deals:,} deals: {tally.share:.3%} can be won"
            f" (95% interval: {100 * low:.3f} to {100 * high:.3f}), {tally.undecided} undecided"
        )
    if found.stopped:
        print("Stopped early: these are the deals solved so far.", file=sys.stderr)
    arguments.exit_if_stopped(found.stopped)
