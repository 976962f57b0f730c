"""Who of those who look for others plays together: the rule, without a database."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from redouble.contract.game import Game
from redouble.contract.registry import GAMES

EITHER, RATED, CASUAL = KINDS = ("either", "rated", "casual")
"""What a game may be for somebody; it is casual as soon as one of them wants that."""
LEASTS = (2, 3, 4)
"""How many people somebody can want at least."""
ASK_SECONDS = 10.0
"""How long others have to agree to bots, too, or to come, before those begin who have agreed."""


@dataclass(frozen=True)
class SearchWishes:
    """What somebody looks for."""

    games: frozenset[str]
    least: int = LEASTS[0]
    """How many people have to play, at least."""
    kind: str = EITHER
    bots: float | None = None
    """When they agreed that bots take the seats of people who are missing."""

    def toward(self, other: SearchWishes) -> SearchWishes:
        """Return what to look for in order to play with somebody else; the same if it is enough."""
        return replace(
            self,
            games=self.games if self.games & other.games else self.games | other.games,
            least=min(self.least, other.least),
            kind=self.kind if _kinds_agree(self, other) else EITHER,
        )


@dataclass(frozen=True)
class Seeker:
    """Somebody who looks for others now."""

    id: str
    """The id of this search, which others may know."""
    person: str
    name: str
    wishes: SearchWishes
    since: float
    promise: str = ""
    """Of a share in a fair deal."""


@dataclass(frozen=True)
class PlayGroup:
    """People who play together."""

    game: Game
    people: tuple[Seeker, ...]
    seats: int
    """Bots have those that are left."""

    @property
    def rated(self) -> bool:
        """Whether nobody wants a casual game."""
        return all(one.wishes.kind != CASUAL for one in self.people)


class Crowd:
    """Those who look for others, and who of them doesn't want to meet whom."""

    def __init__(self, here: Iterable[Seeker], muted: Collection[tuple[str, str]], now: float):
        self._here, self._muted, self._now = list(here), muted, now

    def group_of(self, person: str) -> PlayGroup | None:
        """Return the people with whom somebody can play now, the first ones first.

        A group of people comes before one with bots.
        """
        me = next((one for one in self._here if one.person == person), None)
        if me is None:
            return None
        wanted = [game for game in GAMES.values() if game.name in me.wishes.games]
        for game in wanted:
            if found := self._people_alone(game, me):
                return found
        return next(filter(None, (self._with_bots(game, me) for game in wanted)), None)

    def met_by(self, person: str) -> list[Seeker]:
        """Return the others whom somebody may meet, and who may meet them."""
        return [one for one in self._here if one.person != person and self._meets(person, one)]

    def _people_alone(self, game: Game, me: Seeker) -> PlayGroup | None:
        around = self._around(game, me)
        # The largest group first, so that nobody who wants three waits past two who want two.
        for size in range(game.max_seats, max(me.wishes.least, game.min_seats) - 1, -1):
            enough = [one for one in around if one.wishes.least <= size]
            if people := self._together([me], enough, size):
                return PlayGroup(game, tuple(people), size)
        return None

    def _with_bots(self, game: Game, me: Seeker) -> PlayGroup | None:
        """Return those who have agreed to bots, once everybody else who fits was asked.

        Nobody who doesn't answer keeps them waiting, even if only one has agreed.
        """
        around = [one for one in self._around(game, me) if one.wishes.least <= game.max_seats]
        people = [me]
        for one in around:
            if one.wishes.bots is not None and self._fits(one, people):
                people.append(one)
        agreed = [one.wishes.bots for one in people if one.wishes.bots is not None]
        if len(agreed) < len(people):
            return None
        seats = max(len(people), game.min_seats, *(one.wishes.least for one in people))
        asked = [one for one in around if one not in people and self._fits(one, people)]
        early = 0 <= self._now - max(agreed) < ASK_SECONDS
        if seats > game.max_seats or (early and (asked or len(people) == 1)):
            return None
        return PlayGroup(game, tuple(people), seats)

    def _around(self, game: Game, me: Seeker) -> list[Seeker]:
        wants = [one for one in self._here if one != me and game.name in one.wishes.games]
        return [one for one in wants if self._fits(one, [me])]

    def _together(
        self, people: list[Seeker], around: Sequence[Seeker], size: int
    ) -> list[Seeker] | None:
        """Return so many people who fit together: these, and some of those around."""
        if len(people) == size:
            return people
        for i, one in enumerate(around[: len(around) + len(people) - size + 1]):
            if self._fits(one, people):
                found = self._together([*people, one], around[i + 1 :], size)
                if found is not None:
                    return found
        return None

    def _fits(self, one: Seeker, people: Iterable[Seeker]) -> bool:
        return all(
            _kinds_agree(one.wishes, other.wishes) and self._meets(one.person, other)
            for other in people
        )

    def _meets(self, person: str, other: Seeker) -> bool:
        pairs = (person, other.person), (other.person, person)
        return not any(pair in self._muted for pair in pairs)


def _kinds_agree(one: SearchWishes, other: SearchWishes) -> bool:
    return EITHER in (one.kind, other.kind) or one.kind == other.kind
