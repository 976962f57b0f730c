"""What ``redouble solve`` prints: one deal solved, or how many of several can be won."""

import textwrap
from collections.abc import Mapping
from pathlib import Path
from secrets import randbelow
from typing import Any

from redouble.contract.game import Game
from redouble.contract.options import written
from redouble.contract.registry import GAMES
from redouble.kernel.checks import either
from redouble.kernel.errors import OptionError, RecordError, RedoubleError
from redouble.match.match import Match, listed
from redouble.match.replay import replay
from redouble.match.story import line_in_words, midsentence
from redouble.terminal.files import naming, read_record

DEALS = 1_000_000
"""The number of numbered deals, from which one is drawn."""
LINE_COLUMNS = 78


def solvable(name: str | None) -> Game:
    """Return the game of this name, or the first with a solver. Raises :class:`RedoubleError`."""
    able = [game for game in GAMES.values() if game.solver is not None]
    if name is None:
        if not able:
            raise RedoubleError("no installed game has a solver")
        return able[0]
    game = GAMES[name]
    if game.solver is None:
        known = listed(one.name for one in able) or "none"
        raise RedoubleError(f"{game.title} has no solver: games with one are {known}")
    return game


def read_deal(game: Game, deal: str, options: Mapping[str, Any], line: int | None = None) -> Match:
    """Return the deal of a number, or the game of a file's only record, or of the one on a line.

    ``-`` is standard input. A numbered deal has the usual options, changed by those given. Raises
    :class:`RedoubleError` or :class:`OSError`.
    """
    if deal.isascii() and deal.isdigit():
        if line is not None:
            raise RedoubleError(f"--line {line} can't go with the number of a deal: leave it out")
        return Match(game, 1, deal, game.as_played(options))
    if deal != "-" and not Path(deal).exists():
        raise RecordError(f"there is no file {deal}: check its name, or give the number of a deal")
    line, record = read_record(Path(deal), line)
    if options:
        raise OptionError(f"option {next(iter(options))} can't go with a record: leave it out")
    with naming(deal):
        match = replay(record, line)
        if match.game.solver is None:
            raise RedoubleError(f"line {line}: {match.game.title} has no solver")
        if match.solver is None:
            raise RedoubleError(
                f"line {line}: {match.seats} played: only a solitaire game can be solved"
            )
    return match


def deal_of_difficulty(game: Game, options: Mapping[str, Any], difficulty: str) -> str:
    """Return the number of a random deal that can be won. Raises :class:`RedoubleError`."""
    from redouble.analysis.solve import GRADES, MAX_TRIES, Solving

    known = ["any", *(name for name, _ in GRADES)]
    if difficulty not in known:
        raise RedoubleError(f"there is no difficulty {difficulty!r}: choose {either(known)}")
    checked = game.check_options(1, options)
    deal = Solving(game).find_deal(checked, difficulty, 1 + randbelow(DEALS), DEALS)
    if not deal:
        kind = "can be won" if difficulty == "any" else f"can be won and is {difficulty}"
        raise RedoubleError(f"none of {MAX_TRIES} deals {kind} with these rules: try other options")
    return deal


def losing_move(match: Match) -> str:
    """Say in a sentence which move lost a game that is over."""
    from redouble.analysis.solve import solving_for

    return solving_for(match.game).foresight(match).said(match)


def report(match: Match, max_positions: int) -> dict[str, Any]:
    """Return what is known about a game's deal, and about how it was played, as plain JSON."""
    from redouble.analysis.solve import Solving, grade

    solving = Solving(match.game)
    start = match.restarted()
    solution = solving.solve(start.state, max_positions)
    ease = solving.ease(start.state) if solution.winnable else 0.0
    found: dict[str, Any] = {
        "game": match.game.name,
        "deal": match.seed,
        "options": match.options,
        "winnable": solution.winnable,
        "moves": list(solution.moves),
        "shortest": solution.shortest,
        "ease": ease,
        "difficulty": grade(ease) if solution.winnable else None,
    }
    if match.turn is not None:
        found["chances"] = solving.chances(match.observation(), match.seed)
    if match.ply:
        found |= {
            "played": match.ply,
            "won": match.outcome is not None and match.outcome.won[0],
            "lost_at": 0 if solution.winnable is False else solving.lost_at(match),
            "still_winnable": match.turn is not None
            and solving.winnable(match.state, max_positions),
        }
    return found


def in_words(match: Match, found: Mapping[str, Any]) -> list[str]:
    """Return the report on a match as lines of text."""
    given = [(name, value) for name, value in found["options"].items() if value is not None]
    options = " ".join(f"{name}={written(value)}" for name, value in given)
    lines = [f"{GAMES[found['game']].title}, deal {found['deal']} ({options})"]
    moves = found["moves"]
    if found["winnable"] is None:
        lines.append(
            "Undecided: the search reached its limit. A higher --max-positions may decide it."
        )
    elif not found["winnable"]:
        lines.append("It can't be won.")
    else:
        kind = "the shortest way" if found["shortest"] else "no shorter way is known"
        lines.append(f"It can be won, in {len(moves)} moves ({kind}):")
        start = match.restarted()
        lines += _on_lines(f"{line_in_words(start, moves)}.", "  ")
        share = f"{found['ease']:.0%}"
        said = f"Difficulty: {found['difficulty']}. A careful player who sometimes slips"
        lines += _on_lines(f"{said} wins this deal {share} of the time.")
    if "played" in found and found["winnable"] is not False:
        lines.append(f"The game as played {_fate(match, found)}.")
    if found["winnable"] and found.get("chances"):
        best = sorted(found["chances"].items(), key=lambda pair: -pair[1])
        weighed = ", ".join(
            f"{midsentence(match.describe(move))} {chance:.0%}" for move, chance in best
        )
        said = "Chance to win by careful play without knowing the stock, by first move:"
        lines += _on_lines(f"{said} {weighed}.")
    return lines


def _fate(match: Match, found: Mapping[str, Any]) -> str:
    at, played = found["lost_at"], found["played"]
    if found["won"]:
        return f"was won in {played} moves"
    if at is not None and found["winnable"]:
        return f"was lost with move {at} of {played}"
    if match.turn is None:
        return "was lost"
    if at is not None:
        return f"can't be won any more after move {at} of {played}"
    undecided = "may still be won: the search reached its limit"
    return "can still be won" if found["still_winnable"] else undecided


def _on_lines(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, LINE_COLUMNS, initial_indent=indent, subsequent_indent=indent)
