"""Checks of the input of bots and searches, before it reaches compiled code."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from redouble.contract.game import Game
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.match.match import Observation, SeenMove

MAX_THREADS = 256
MAX_WORD = (1 << 64) - 1


def check_generator(rng: object) -> list[int]:
    """Return the four words of a random generator. Raises :class:`InputError`."""
    words = checks.items(rng, "rng", "four words of 64 bits, as seed_words() makes them")
    if len(words) != 4:
        raise InputError(f"rng has {len(words)} words: give four, as seed_words() makes them")
    found = [checks.whole(word, "a word of rng", 0, MAX_WORD) for word in words]
    if not any(found):
        raise InputError("rng is all zeros: give four words, as seed_words() makes them")
    return found


def check_state(game: Game, state: object, what: str = "state") -> Any:
    """Return a position of this game whose fields have their declared shapes and ranges.

    Raises :class:`InputError`.
    """
    kind = checks.instance(game, Game, "game").rules.Position
    if type(state) is not kind:
        raise checks.wrong(what, state, f"a position of {game.title}", InputError)
    for field in kind.FIELDS:
        name = field.width.type_name
        bits = int(name.lstrip("uint"))
        low, high = (
            (0, (1 << bits) - 1) if name[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)
        )
        _check_field(getattr(state, field.name, None), field.width.shape, low, high, field.name)
    if not game.min_seats <= state.seats <= game.max_seats:
        raise InputError(f"{what} has {state.seats} seats: give a position of a match")
    if not -1 <= state.turn < state.seats:
        raise InputError(f"{what} has seat {state.turn} to move: give a position of a match")
    return state


@dataclass(frozen=True)
class CheckedObservation(Observation):
    """An observation whose state, seat and legal actions agree, with a state of its own."""

    def __post_init__(self) -> None:
        super().__post_init__()
        game = self.game
        state = check_state(game, self.state, "observation.state").copy()
        object.__setattr__(self, "state", state)
        if not self.legal:
            return
        out = [0] * (game.rules.MAX_LEGAL + 1)
        try:
            right = tuple(out[: game.rules.legal(state.copy(), out)])
        except IndexError:
            right = ()
        if self.legal != right:
            raise InputError(
                "observation.legal does not have the legal actions of its state:"
                " take the observation from Match.observation()"
            )


def check_observation(observation: object) -> Observation:
    """Return an observation that compiled code can search; one checked before as it is.

    Raises :class:`InputError`.
    """
    found = checks.instance(observation, Observation, "observation")
    if isinstance(found, CheckedObservation):
        return found
    return CheckedObservation(found.game, found.seat, found.state, found.legal, found.past)


def check_past(observation: Observation) -> Sequence[SeenMove]:
    """Return the past of an observation whose positions can be used.

    Raises :class:`InputError`.
    """
    for move in observation.past:
        state = check_state(observation.game, move.state, "the position before a move of the past")
        if state.seats != observation.state.seats or state.turn < 0:
            raise InputError("observation.past is not that of the match: take it from Match")
    return observation.past


def check_decision(observation: object, rng: object) -> None:
    """Check the arguments of a bot: an observation with legal actions, and a generator.

    What an observation holds was checked when it was made. Raises :class:`InputError`.
    """
    if not checks.instance(observation, Observation, "observation").legal:
        raise InputError("the seat has no legal move: ask for a move when it is on turn")
    check_generator(rng)


def _check_field(value: Any, shape: tuple[int, ...], low: int, high: int, name: str) -> None:
    if not shape:
        checks.whole(value, f"the field {name}", low, high)
        return
    if not isinstance(value, list) or len(value) != shape[0]:
        raise InputError(
            f"the field {name} is not a list of {shape[0]}: give a position of a match"
        )
    if len(shape) == 1 and all(type(one) is int for one in value):
        if value and not (low <= min(value) and max(value) <= high):
            raise InputError(f"the field {name} is out of range: give a position of a match")
        return
    for one in value:
        _check_field(one, shape[1:], low, high, name)
