"""A game for players who read and write words, such as language models."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redouble.bots import BOTS, own_chance
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.envs.text.answers import Answer, AnswerReader
from redouble.envs.text.rules import RULES, rules_in_words
from redouble.envs.trees.regret import MoveRegret, move_regrets
from redouble.kernel import checks
from redouble.kernel.errors import IllegalMove, InputError, SeatsError
from redouble.kernel.rng import below, seed_words
from redouble.kernel.shares import failed_last, nearness, placing
from redouble.match.match import Match
from redouble.match.record import Record
from redouble.match.story import Story, ending_in_words

__all__ = ["AnswerCounts", "AnswerResult", "TextGame", "TextPlayer"]

FALLBACKS = ("forfeit", "random", "first")
"""What happens when all answers at a decision are refused."""
MAX_RETRIES = 100
MAX_IN_WORDS = 60
"""Legal moves up to which each is listed with its words; more are listed by their texts."""

TextPlayer = Callable[[str], str]
"""A player: gets a prompt and returns an answer."""


@dataclass
class AnswerCounts:
    """What became of the answers of a seat."""

    legal: int = 0
    illegal: int = 0
    """Answers that name a move of the game that is not legal."""
    ambiguous: int = 0
    unreadable: int = 0
    replaced: int = 0
    """Moves that were made for the seat, since all its answers were refused."""
    forfeits: int = 0

    @property
    def answers(self) -> int:
        """All answers."""
        return self.legal + self.illegal + self.ambiguous + self.unreadable


@dataclass(frozen=True)
class AnswerResult:
    """What an answer led to."""

    seat: int
    move: str | None
    """The move that was made; None if the seat is asked again."""
    fault: str = ""
    """``illegal``, ``ambiguous`` or ``unreadable``; empty if the answer was a legal move."""
    reason: str = ""
    """The fault in a sentence for the player."""

    @property
    def legal(self) -> bool:
        """Whether the answer was a legal move."""
        return not self.fault


class TextGame:
    """A game in words for one or several seats.

    ``bots`` seats bots by the names of their levels; the other seats answer prompts. ``rules`` is
    how much of the rules a prompt has: ``brief``, ``full`` or ``none``. ``history`` is the number
    of moves that a prompt tells at most; None tells all.

    An answer that is no legal move is refused with the reason, ``retries`` times at each decision.
    After that, ``then`` decides: ``random`` or ``first`` makes a random or the first legal move,
    and with ``forfeit`` the seat comes last and random moves complete its game. A game in which
    only one player hasn't forfeited is over. After ``max_moves`` a game is cut off as a tie.
    ``moves`` have been made already when the players begin.

    The same seed and answers give the same texts and moves. Raises
    :class:`~redouble.kernel.errors.RedoubleError` if an argument can't be used.
    """

    def __init__(
        self,
        game: str | Game,
        seats: int | Sequence[str] | None = None,
        seed: str | None = None,
        options: Mapping[str, Any] | None = None,
        *,
        deck: Sequence[str] | None = None,
        bots: Mapping[int, str] | None = None,
        rules: str = "brief",
        history: int | None = None,
        retries: int = 2,
        then: str = "forfeit",
        max_moves: int = 10_000,
        moves: Sequence[str] = (),
    ) -> None:
        chosen = game if isinstance(game, Game) else GAMES[game]
        seed = checks.word(seed) if isinstance(seed, str) else seed
        seats = chosen.usual_seats if seats is None else seats
        self.match = Match(chosen, seats, seed, options, deck)
        """The match itself, with everything hidden: for tools, not for players."""
        self.names = self.match.names
        self.bots = _checked_bots(bots, self.match)
        self._bots = {seat: BOTS[name] for seat, name in self.bots.items()}
        self._rules = checks.one_of(rules, RULES, "rules")
        self._history = None if history is None else checks.whole(history, "history", 0)
        self._retries = checks.whole(retries, "retries", 0, MAX_RETRIES)
        self._then = checks.one_of(then, FALLBACKS, "then")
        self._max_moves = checks.whole(max_moves, "max_moves", 1)
        self.counts = tuple(AnswerCounts() for _ in self.names)
        """What became of each seat's answers."""
        self._story = Story(self.match, range(self.match.seats))
        self._asked = [0] * self.match.seats
        self._forfeits: dict[int, int] = {}
        self._refusals: list[str] = []
        self._reader: AnswerReader | None = None
        for move in checks.texts(moves, "moves", InputError):
            action = self.match.legal_moves.action(move)
            if action is None:
                raise IllegalMove(f"moves has {checks.quoted(move)}, which isn't legal there")
            self._push(action)
        self._begun = self.match.ply
        self._advance()

    @property
    def seats(self) -> int:
        """Number of seats."""
        return self.match.seats

    @property
    def players(self) -> tuple[int, ...]:
        """The seats that answer prompts."""
        return tuple(seat for seat in range(self.seats) if seat not in self._bots)

    @property
    def turn(self) -> int | None:
        """The seat whose answer is awaited; None when the game is over."""
        return None if self._decided or self.truncated else self.match.turn

    @property
    def truncated(self) -> bool:
        """Whether the game was cut off after ``max_moves``."""
        return self.match.turn is not None and self.match.ply >= self._max_moves

    @property
    def forfeited(self) -> tuple[int, ...]:
        """The seats that have forfeited."""
        return tuple(sorted(self._forfeits))

    @property
    def ranks(self) -> tuple[int, ...] | None:
        """The rank of each seat, those that forfeited last; None before the end."""
        if self.turn is not None:
            return None
        outcome = self.match.outcome
        ranks = (1,) * self.seats if outcome is None else outcome.ranks
        return tuple(failed_last(ranks, self._forfeits))

    @property
    def rewards(self) -> tuple[float, ...]:
        """What each seat made of the game; zeros before the end.

        Among several players, twice the share of opponents beaten less 1, a tie counting half: from
        -1 to 1. Alone, 1 for a win and otherwise how close the game came to one, from 0 up.
        """
        ranks = self.ranks
        if ranks is None or (self.seats == 1 and self._forfeits):
            return (0.0,) * self.seats
        if self.seats == 1:
            values = [0.0]
            self.match.game.player.evaluate(self.match.state, values)
            return (nearness(values[0]),)
        return tuple(placing(ranks, self.seats, seat) for seat in range(self.seats))

    def rules(self) -> str:
        """Return the rules, and how to answer: what a player reads once."""
        match = self.match
        told = rules_in_words(match.game, self.seats, match.options, self._rules)
        asked = "Answer with one of the legal moves that are listed, in square brackets: [MOVE]."
        return f"{told}\n\n{asked} {self._policy()}"

    def news(self, seat: int, since: int = 0) -> str:
        """Return the moves from ply ``since`` on, a line each, as ``seat`` may see them.

        Raises :class:`~redouble.kernel.errors.SeatsError`.
        """
        told = self._story.lines(self._seat(seat), since)
        lines = []
        for ply, line in enumerate(told):
            if ply >= since:
                lines += self._forfeits_at(ply)
                lines.append(f"{self.names[line.seat]} {line.text}.")
        lines += self._forfeits_at(len(told))
        return "\n".join(lines)

    def sight(self, seat: int) -> str:
        """Return the table in sentences, as ``seat`` sees it.

        Raises :class:`~redouble.kernel.errors.SeatsError`.
        """
        view = self.match.view(self._seat(seat))
        return "\n".join(view.lines(self.match.game.title, self.names))

    def moves(self) -> str:
        """Return the legal moves of the seat to move, a line each, with their words."""
        if self.turn is None:
            return ""
        legal = self.match.legal_moves
        if len(legal) > MAX_IN_WORDS:
            return "Legal moves: " + ", ".join(f"[{move}]" for move in legal)
        lines = [f"[{move}] {self.match.describe(move)}" for move in legal]
        return "\n".join(["Legal moves:", *lines])

    def prompt(self, seat: int | None = None, whole: bool = True) -> str:
        """Return what ``seat`` is asked, by default the seat to move.

        It has the rules, the moves so far, the table, the legal moves, and why the last answer was
        refused. Without ``whole`` it has neither the rules nor the moves before the seat's last
        one, which a player in a conversation has read. Raises
        :class:`~redouble.kernel.errors.SeatsError`.
        """
        seat = (self.turn or 0) if seat is None else self._seat(seat)
        since = 0 if whole else self._asked[seat]
        if self._history is not None:
            since = max(since, self.match.ply - self._history)
        news = self.news(seat, since)
        parts = [self.rules()] if whole else []
        if news:
            parts.append(("Moves so far:\n" if not since else "Latest moves:\n") + news)
        parts.append(self.sight(seat))
        if self.turn is None:
            parts.append(self.ending(seat))
        elif seat == self.turn:
            parts.append(self._question(seat))
        return "\n\n".join(parts)

    def messages(self, seat: int | None = None) -> list[dict[str, str]]:
        """Return the prompt as the messages of a chat: the rules as ``system``, the rest as
        ``user``.

        Raises :class:`~redouble.kernel.errors.SeatsError`.
        """
        rules = self.rules()
        rest = self.prompt(seat).removeprefix(rules).lstrip()
        return [{"role": "system", "content": rules}, {"role": "user", "content": rest}]

    def ending(self, seat: int) -> str:
        """Return how the game ended, in words for ``seat``; empty before the end.

        Raises :class:`~redouble.kernel.errors.SeatsError`.
        """
        ranks = self.ranks
        if ranks is None:
            return ""
        said = ["The game is over."]
        if self.truncated:
            said.append(f"It was cut off after {self._max_moves} moves.")
        ending = ending_in_words(self.match, self.names, self._seat(seat))
        if ending is not None:
            said.append(ending.decided)
        said += self._forfeits_at(None)
        if self.seats > 1:
            each = (f"{name} {rank}" for name, rank in zip(self.names, ranks, strict=True))
            said.append(f"Ranks: {', '.join(each)}.")
        return " ".join(said)

    def read(self, text: str) -> Answer:
        """Return what an answer of the seat to move means, and change nothing.

        Raises :class:`~redouble.kernel.errors.IllegalMove` if the game is over, and
        :class:`~redouble.kernel.errors.InputError` if the answer is not a text.
        """
        if self.turn is None:
            raise IllegalMove("there is no answer to read: the game is over")
        if self._reader is None:
            self._reader = AnswerReader(self.match)
        return self._reader.read(text)

    def answer(self, text: str) -> AnswerResult:
        """Take the answer of the seat to move, then let bots move.

        Raises what :meth:`read` raises.
        """
        answer, seat = self.read(text), self.turn
        assert seat is not None
        counts = self.counts[seat]
        if answer.action is not None:
            counts.legal += 1
            return AnswerResult(seat, self._make(answer.action))
        setattr(counts, answer.fault, getattr(counts, answer.fault) + 1)
        self._refusals.append(answer.reason)
        if len(self._refusals) <= self._retries:
            return AnswerResult(seat, None, answer.fault, answer.reason)
        if self._then == "forfeit":
            counts.forfeits += 1
            self._forfeits[seat] = self.match.ply
            self._refusals, self._reader = [], None
            self._advance()
            return AnswerResult(seat, None, answer.fault, answer.reason)
        counts.replaced += 1
        action = self._random(seat) if self._then == "random" else self.match.legal_moves.actions[0]
        return AnswerResult(seat, self._make(action), answer.fault, answer.reason)

    def play(self, players: Sequence[TextPlayer]) -> tuple[float, ...]:
        """Play to the end and return the rewards.

        ``players`` are those of the seats without bots, in order; a single one plays all of them.
        A player is a function that gets a prompt and returns an answer. Raises
        :class:`~redouble.kernel.errors.InputError`.
        """
        given = list(checks.items(players, "players", "functions"))
        mine = self.players
        for one in given:
            if not callable(one):
                raise checks.wrong("a player", one, "a function of a prompt", InputError)
        if len(given) == 1:
            given *= len(mine)
        if len(given) != len(mine):
            raise InputError(f"players: {len(given)} players, expected {len(mine)}: one per seat")
        by_seat = dict(zip(mine, given, strict=True))
        while (seat := self.turn) is not None:
            self.answer(by_seat[seat](self.prompt()))
        return self.rewards

    def regrets(self, seat: int | None = None) -> tuple[MoveRegret, ...]:
        """Return what the decisions of a seat gave away so far, by default of all without bots.

        Moves made before the game began, or after a forfeit, aren't counted. Where a decision can't
        be judged exactly, the regret is None. See :func:`redouble.envs.trees.regret.exact_values`.
        Raises :class:`~redouble.kernel.errors.SeatsError`.
        """
        seats = self.players if seat is None else (self._seat(seat),)
        found = move_regrets(self.match, seats, self._begun)
        until = {seat: self._forfeits.get(seat, self.match.ply) for seat in seats}
        return tuple(one for one in found if one.ply < until[one.seat])

    def record(self) -> Record:
        """Return the game as a record, forfeits as notes."""
        notes = [(ply, f"{self.names[seat]} forfeits.") for seat, ply in self._forfeits.items()]
        return self.match.record(sorted(notes))

    @property
    def _decided(self) -> bool:
        left = self.seats - len(self._forfeits)
        return self.match.turn is None or left == 0 or (left == 1 and self.seats > 1)

    def _policy(self) -> str:
        last = {
            "forfeit": "you lose the game",
            "random": "a random move is made for you",
            "first": "the first legal move is made for you",
        }[self._then]
        if not self._retries:
            return f"If your answer isn't a legal move, {last}."
        times = "once more" if self._retries == 1 else f"up to {self._retries} more times"
        return f"If your answer isn't a legal move, you are asked {times}. After that, {last}."

    def _question(self, seat: int) -> str:
        view = self.match.view(seat)
        parts = [f"You are {self.names[seat]}. {view.prompt}".rstrip(), self.moves()]
        if self._refusals:
            left = self._retries - len(self._refusals) + 1
            parts.append(
                f"Your last answer was refused: {self._refusals[-1]}. "
                f"You have {checks.counted(left, 'answer')} left."
            )
        return "\n".join(parts)

    def _forfeits_at(self, ply: int | None) -> list[str]:
        """Return the forfeits at a ply, in sentences; with None all of them."""
        return [
            f"{self.names[seat]} forfeits."
            for seat, at in self._forfeits.items()
            if ply is None or at == ply
        ]

    def _seat(self, seat: object) -> int:
        return checks.whole(seat, "seat", 0, self.seats - 1, SeatsError)

    def _random(self, seat: int) -> int:
        legal = self.match.legal_moves.actions
        rng = seed_words(f"answer of seat {seat}, ply {self.match.ply}, of {self.match.seed}")
        return legal[below(rng, len(legal))]

    def _make(self, action: int) -> str:
        """Make the move of the seat to move, then those of bots; return its text."""
        move = self._push(action)
        self._advance()
        return move

    def _push(self, action: int) -> str:
        seat = self.match.turn
        assert seat is not None
        self.match.push_action(action)
        self._story.hear(seat)
        self._refusals, self._reader = [], None
        self._asked[seat] = self.match.ply
        return self.match.moves[-1]

    def _advance(self) -> None:
        """Make the moves of bots and of seats that have forfeited."""
        while (seat := self.turn) is not None:
            if seat in self._forfeits:
                self._push(self._random(seat))
            elif seat in self._bots:
                rng = own_chance(self.match.seed, seat, self.match.ply)
                self._push(self._bots[seat].choose(self.match.observation(), rng))
            else:
                return


def _checked_bots(bots: object, match: Match) -> dict[int, str]:
    """Return the bots' names by seat. Raises :class:`InputError` or :class:`SeatsError`."""
    if bots is None:
        return {}
    if not isinstance(bots, Mapping):
        raise checks.wrong("bots", bots, "a mapping of seats to names of bots", InputError)
    found = {}
    for seat, name in bots.items():
        number = checks.whole(seat, "a seat of bots", 0, match.seats - 1, SeatsError)
        found[number] = BOTS[name].name
    return found
