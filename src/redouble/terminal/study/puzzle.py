"""Puzzles in a terminal: a position, a question, and a verdict on the answer."""

from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text

from redouble.analysis.puzzle import AnswerVerdict, Puzzle
from redouble.terminal.ask.pages import show_rulebook
from redouble.terminal.ask.prompt import Choices, asking
from redouble.terminal.ask.screen import InputEnded, Screen
from redouble.terminal.draw.blocks import aligned, wrapped
from redouble.terminal.draw.cards import QUIET, ROUND, Glyphs
from redouble.terminal.draw.table import TablePicture

MAX_STARS = 5
MAX_ROWS = 8
"""Moves in the table of a verdict."""
HELP = "Type a move, or its label in the list. Or type table, rules, skip or quit."


def solve(puzzles: Iterable[Puzzle], screen: Screen) -> None:
    """Ask one puzzle after another until the person leaves or the input ends."""
    asked = right = 0
    try:
        for puzzle in puzzles:
            verdict = _ask(puzzle, screen)
            if verdict is None:
                continue
            asked += 1
            right += verdict.right
            _show(puzzle, verdict, screen)
            if screen.live and screen.ask("Enter: next puzzle   q: leave > ").lower() in _LEAVE:
                break
    except InputEnded:
        screen.say("End of input.")
    except _Leave:
        pass
    if asked:
        screen.say(f"You solved {right} of {asked}.")


def answer(puzzle: Puzzle, move: str, screen: Screen) -> None:
    """Judge one move. Raises ``PuzzleError`` if it is not legal."""
    _show(puzzle, puzzle.verdict(move), screen)


def listing(puzzles: Sequence[Puzzle], glyphs: Glyphs) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bright_black")
    table.add_column("game", style="bold", no_wrap=True)
    for name in ("number", "players", "moves"):
        table.add_column(name, justify="right")
    table.add_column("stars")
    for puzzle in puzzles:
        row = puzzle.summary()
        numbers = [str(row[name]) for name in ("number", "seats", "moves")]
        table.add_row(row["game"], *numbers, stars(puzzle, glyphs))
    return table


def stars(puzzle: Puzzle, glyphs: Glyphs) -> str:
    full, empty = ("★", "☆") if glyphs is ROUND else ("*", ".")
    return full * puzzle.stars + empty * (MAX_STARS - puzzle.stars)


class _Leave(Exception):
    """The person at the keyboard leaves."""


_LEAVE = ("q", "quit", "exit")


def _ask(puzzle: Puzzle, screen: Screen) -> AnswerVerdict | None:
    """Return the verdict on the person's move; None if they skip the puzzle."""
    choices = Choices.of(puzzle.match(), screen.rows if screen.live else None)
    notice = ""
    _put(puzzle, choices, screen, notice)
    while True:
        line = screen.ask(completions=choices.moves)
        typed = choices.understand(line)
        if typed.move:
            return puzzle.verdict(typed.move)
        if line.lower() in _LEAVE:
            raise _Leave
        if line.lower() == "skip":
            return None
        match typed.command:
            case "quit":
                raise _Leave
            case "rules":
                show_rulebook(puzzle.game, screen)
                notice = ""
            case "table":
                notice = "\n".join(_words(puzzle))
            case "":
                notice = typed.trouble
            case _:
                notice = HELP
        if screen.live:
            _put(puzzle, choices, screen, notice)
        else:
            choices.answer(screen, typed, notice)


def _put(puzzle: Puzzle, choices: Choices, screen: Screen, notice: str) -> None:
    columns = screen.columns
    view = puzzle.view()
    title = f"{puzzle.game.title}, puzzle {puzzle.number} {stars(puzzle, screen.glyphs)}"
    below = asking(f"{view.prompt} Which move is best?".strip(), choices, columns)
    if screen.live:
        said = [part for line in notice.splitlines() for part in wrapped(Text(line), columns)]
        story = puzzle.last_moves()
        picture = TablePicture(title, view, puzzle.names, puzzle.seat, story, [*said, *below])
        screen.clear()
        screen.show_table(picture)
    else:
        screen.print([*_words(puzzle, title), *below])


def _words(puzzle: Puzzle, title: str = "") -> list[str]:
    story = [f"{puzzle.names[one.seat]} {one.text}." for one in puzzle.last_moves()]
    title = title or puzzle.game.title
    return [*puzzle.view().lines(title, puzzle.names), *story]


def _show(puzzle: Puzzle, verdict: AnswerVerdict, screen: Screen) -> None:
    style = "bold green" if verdict.right else "bold yellow"
    screen.say(Text(verdict.headline, style))
    screen.print(wrapped(Text(f"{verdict.why} {verdict.sentence}"), screen.columns))
    screen.print(aligned(list(_rows(verdict))))
    finders = []
    for name, share in verdict.found.items():
        word, _, iterations = name.partition(" ")
        who = f"search with {iterations} iterations" if iterations else word
        finders.append(f"{who} {share:.0%}")
    said = f"How often bots find it: {', '.join(finders)}."
    screen.print(wrapped(Text(said, QUIET), screen.columns))


def _rows(verdict: AnswerVerdict) -> Iterable[Sequence[Text]]:
    yield [Text(), Text(), Text(verdict.heading, QUIET)]
    for place, (move, words, _, value) in enumerate(verdict.moves):
        if place < MAX_ROWS or move == verdict.move:
            style = "bold" if move == verdict.answer else ""
            yield [
                Text(">" if move == verdict.move else ""),
                Text(words, style),
                Text(value, style),
            ]
