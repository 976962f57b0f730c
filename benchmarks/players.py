"""Players for benchmarks, some of which know more than a bot may, and games between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from redouble.bots import Bot, own_chance
from redouble.bots.policy import Policy
from redouble.bots.search import think
from redouble.contract.game import Game
from redouble.kernel.rng import Generator
from redouble.match.match import Match, Observation


class Player(Protocol):
    """Chooses the move of the seat to move; ``rng`` is the generator of this decision."""

    def choose(self, match: Match, rng: Generator) -> int:
        """Return a legal action."""


class Fair:
    """A bot: it gets what its seat may know."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    def choose(self, match: Match, rng: Generator) -> int:
        """Return the bot's move."""
        return self._bot.choose(match.observation(), rng)


class Searcher:
    """A bot that searches by a policy, in one thread."""

    def __init__(self, policy: Policy) -> None:
        self.name = f"{policy.method}, {policy.iterations}"
        self._policy = policy

    def choose(self, observation: Observation, rng: Generator) -> int:
        """Return the best move that the search finds."""
        if len(observation.legal) == 1:
            return observation.legal[0]
        return think(observation, rng, self._policy)[0].action


class SeesEverything:
    """A search that gets the whole position: all hands, and every card yet to be drawn.

    Nothing is left to imagine, so all its worlds are the real one. Only later shuffles and other
    chance yet to come are different in each.
    """

    def __init__(self, policy: Policy) -> None:
        self._search = Searcher(policy)

    def choose(self, match: Match, rng: Generator) -> int:
        """Return the best move that the search finds."""
        seen = match.observation()
        whole = Observation(seen.game, seen.seat, match.state.copy(), seen.legal)
        return self._search.choose(whole, rng)


class SeesHands:
    """A search that gets what all seats know together: all hands, but not the cards yet to come."""

    def __init__(self, policy: Policy) -> None:
        self._search = Searcher(policy)

    def choose(self, match: Match, rng: Generator) -> int:
        """Return the best move that the search finds."""
        seen = match.observation()
        told = told_to_all(seen.game, match.state)
        return self._search.choose(Observation(seen.game, seen.seat, told, seen.legal), rng)


def told_to_all(game: Game, state: Any) -> Any:
    """Return a position without what no seat knows, as if all had told each other what they know.

    A redaction erases whole numbers, so a number stays if it is the real one for any of the seats.
    """
    told = game.redacted(state, 0)
    for seat in range(1, state.seats):
        known = game.redacted(state, seat)
        for field in type(state).FIELDS:
            if field.name != "rng":
                values = (getattr(one, field.name) for one in (told, known, state))
                setattr(told, field.name, _joined(*values))
    return told


def _joined(told: Any, known: Any, real: Any) -> Any:
    if isinstance(real, list):
        return [_joined(*parts) for parts in zip(told, known, real, strict=True)]
    return known if known == real else told


def final_ranks(
    game: Game, seed: str, players: Sequence[Player], options: Mapping[str, Any]
) -> tuple[int, ...]:
    """Play a game to its end, with a player for each seat, and return the seats' ranks."""
    match = Match(game, len(players), seed, options)
    while match.turn is not None:
        legal = match.legal_moves.actions
        action = legal[0]
        if len(legal) > 1:
            chance = own_chance(seed, match.turn, match.ply)
            action = players[match.turn].choose(match, chance)
        match.push_action(action)
    assert match.outcome is not None
    return match.outcome.ranks
