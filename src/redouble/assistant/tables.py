"""Tables at which an assistant plays against bots, with the rights of its seat and no others."""

from secrets import token_hex
from threading import Lock
from typing import Any

from redouble.analysis.hint import advise
from redouble.analysis.review import review
from redouble.contract.registry import GAMES
from redouble.envs.text import TextGame, rules_in_words
from redouble.kernel import checks
from redouble.kernel.errors import InputError

__all__ = ["MAX_TABLES", "AssistantTables"]

MAX_TABLES = 100
"""Tables that are kept; a new one takes the place of the oldest."""


class AssistantTables:
    """The tables of one assistant, by their ids. All answers are texts.

    Raises :class:`~redouble.kernel.errors.RedoubleError` if an argument can't be used.
    """

    def __init__(self) -> None:
        self._tables: dict[str, tuple[TextGame, bool]] = {}
        self._lock = Lock()

    def games(self) -> str:
        """Return the games that can be played, a line each."""
        return "\n".join(
            f"{game.name}: {game.title}, for {game.min_seats} to {game.max_seats} players. "
            f"{game.summary}"
            + "".join(f"\n  option {one.name}: {one.meaning}" for one in game.options)
            for game in GAMES.values()
        )

    def rules(self, game: str, seats: int | None = None, full: bool = False) -> str:
        """Return a game's rules: in brief, or the whole rulebook."""
        chosen = GAMES[checks.text(game, "game")]
        players = chosen.usual_seats if seats is None else seats
        return rules_in_words(chosen, players, None, "full" if full else "brief")

    def start(
        self,
        game: str,
        seats: int | None = None,
        level: str = "club",
        seed: str | None = None,
        options: dict[str, Any] | None = None,
        hints: bool = True,
    ) -> str:
        """Start a table, with the assistant in a seat and bots of a level in the others."""
        chosen = GAMES[checks.text(game, "game")]
        players = chosen.usual_seats if seats is None else seats
        chosen.check_seats(players)
        table = token_hex(4)
        bots = dict.fromkeys(range(1, players), level)
        names = ["Player 1", *(f"Bot {number}" for number in range(1, players))]
        made = TextGame(
            chosen,
            names,
            seed,
            options,
            bots=bots,
            retries=100,
            then="forfeit",
        )
        with self._lock:
            while len(self._tables) >= MAX_TABLES:
                del self._tables[next(iter(self._tables))]
            self._tables[table] = (made, bool(hints))
        told = rules_in_words(chosen, players, made.match.options)
        return f"Table {table}.\n\n{told}\n\n{_seen(made)}"

    def listed(self) -> str:
        """Return the assistant's tables, a line each."""
        with self._lock:
            tables = list(self._tables.items())
        return (
            "\n".join(
                f"{table}: {game.match.game.title}, {checks.counted(game.match.ply, 'move')}, "
                + ("your turn" if game.turn is not None else game.ending(0))
                for table, (game, _) in tables
            )
            or "You have no tables."
        )

    def look(self, table: str) -> str:
        """Return what the assistant's seat sees and has heard, and its legal moves."""
        with self._lock:
            return _seen(self._of(table))

    def moves(self, table: str) -> str:
        """Return the legal moves; a sentence if the game is over."""
        with self._lock:
            game = self._of(table)
            return game.moves() or game.ending(0)

    def move(self, table: str, move: str | int) -> str:
        """Make a move, then let the bots move; return what has happened since."""
        with self._lock:
            game = self._of(table)
            answer = game.read(str(move))
            if answer.action is None:
                raise InputError(f"{answer.reason}: give one of the legal moves")
            game.answer(str(move))
            return game.prompt(0, whole=False)

    def hint(self, table: str) -> str:
        """Return the move that a search finds best, and the reason, if the table allows it."""
        with self._lock:
            game = self._of(table)
            if not self._tables[table][1]:
                raise InputError("this table has no hints: start one with hints")
            if game.turn is None:
                raise InputError("the game is over: ask for its review")
            return str(advise(game.match.observation(), game.names))

    def review(self, table: str) -> str:
        """Return the costliest decisions of the assistant in a game that is over."""
        with self._lock:
            game = self._over(table)
            found = review(game.match)
            costly = sorted(
                (one for one in found.decisions if one.seat == 0), key=lambda one: -one.loss
            )
            lines = [
                f"Move {one.ply + 1}: you played {one.move}; {one.better} was better by "
                f"{one.loss:.2f} in expected share of opponents beaten."
                for one in costly[:5]
                if one.better
            ]
            return "\n".join(lines) or "No decision cost you anything."

    def solve(self, table: str) -> str:
        """Return whether the deal could be won, once the game is over, where there is a solver."""
        from redouble.analysis.solve import Solving

        with self._lock:
            game = self._over(table)
            solution = Solving(game.match.game).solve(game.match.back_to(0).state)
            if solution.winnable is None:
                return "Whether this deal can be won is undecided."
            if not solution.winnable:
                return "This deal can't be won."
            return f"This deal can be won: {' '.join(m.replace(' ', '_') for m in solution.moves)}"

    def _of(self, table: str) -> TextGame:
        if checks.text(table, "table") not in self._tables:
            raise InputError(f"there is no table {checks.quoted(table)}: list your tables")
        return self._tables[table][0]

    def _over(self, table: str) -> TextGame:
        game = self._of(table)
        if game.turn is not None:
            raise InputError("the game is not over: play it to its end")
        return game


def _seen(game: TextGame) -> str:
    """Return the whole prompt of the assistant's seat without the rules."""
    return game.prompt(0).removeprefix(game.rules()).lstrip()
