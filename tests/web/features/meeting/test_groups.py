"""Nobody who looks for people waits past somebody else: those who fit are paired, or asked."""

from itertools import combinations, count
from random import Random

import pytest

from redouble.contract.registry import GAMES
from redouble.web.features.meeting.groups import (
    ASK_SECONDS,
    CASUAL,
    KINDS,
    LEASTS,
    RATED,
    Crowd,
    SearchWishes,
    Seeker,
)

SEVERAL = [game for game in GAMES.values() if game.max_seats > 1]


def seeker(number: int, wishes: SearchWishes) -> Seeker:
    return Seeker(f"search {number}", f"person {number}", f"Guest {number}", wishes, number)


def plays(people: tuple[Seeker, ...], muted: set[tuple[str, str]], now: float) -> bool:
    """Whether these people have all said that they would play a game as it would be."""
    wishes = [one.wishes for one in people]
    if any((one.person, other.person) in muted for one in people for other in people):
        return False
    if {RATED, CASUAL} <= {one.kind for one in wishes}:
        return False
    least = max(one.least for one in wishes)
    agreed = all(one.bots is not None and one.bots <= now - ASK_SECONDS for one in wishes)
    return any(
        game.name in frozenset.intersection(*(one.games for one in wishes))
        and max(least, len(people)) <= game.max_seats
        and (len(people) >= max(least, game.min_seats) or agreed)
        for game in SEVERAL
    )


@pytest.mark.parametrize("seed", range(40))
def test_whoever_fits_is_paired_at_once_whatever_comes_before(seed: int) -> None:
    """People come, go, change what they want and agree to bots, in any order."""
    random, numbers, here = Random(seed), count(), list[Seeker]()
    muted: set[tuple[str, str]] = set()

    def wishes(now: int) -> SearchWishes:
        games = random.sample([game.name for game in SEVERAL], random.randint(1, 2))
        bots = now - ASK_SECONDS if random.random() < 0.2 else None
        return SearchWishes(frozenset(games), random.choice(LEASTS), random.choice(KINDS), bots)

    met = 0
    for now in range(80):
        if here and random.random() < 0.2:
            here.remove(random.choice(here))
            continue
        if here and random.random() < 0.3:
            one = random.choice(here)
            here.remove(one)
            one = Seeker(one.id, one.person, one.name, wishes(now), one.since)
        else:
            one = seeker(next(numbers), wishes(now))
            if here and random.random() < 0.3:
                muted.add((one.person, random.choice(here).person))
        here.append(one)
        group = Crowd(here, muted, now).group_of(one.person)
        if group is not None:
            met += 1
            assert one in group.people
            assert plays(group.people, muted, now)
            assert group.rated == all(other.wishes.kind != CASUAL for other in group.people)
            assert len(group.people) <= group.seats <= group.game.max_seats
            here = [other for other in here if other not in group.people]
            size = len(group.people) + 1
            for other in here if size - 1 == group.seats < group.game.max_seats else ():
                fits = group.game.name in other.wishes.games and other.wishes.least <= size
                assert not (fits and plays((*group.people, other), muted, now)), "left alone"
        for size in (2, 3, 4):
            left = [group for group in combinations(here, size) if plays(group, muted, now)]
            assert not left, "they wait past each other"
    assert met > 2


@pytest.mark.parametrize("seed", range(40))
def test_whoever_has_a_game_in_common_or_not_is_asked_on_a_page(seed: int) -> None:
    """What the buttons of two pages change is always enough for two to play together."""
    random = Random(seed)
    one, other = (
        SearchWishes(
            frozenset(random.sample([game.name for game in SEVERAL], random.randint(1, 3))),
            random.choice(LEASTS),
            random.choice(KINDS),
        )
        for _ in range(2)
    )
    mine, theirs = one.toward(other), other.toward(one)
    pair = [seeker(i, wishes) for i, wishes in enumerate((mine, theirs))]
    if Crowd(pair, set(), 0).group_of(pair[0].person) is None:  # too few: both are asked about bots
        agree = [SearchWishes(each.games, each.least, each.kind, 0.0) for each in (mine, theirs)]
        pair = [seeker(i, wishes) for i, wishes in enumerate(agree)]
        assert Crowd(pair, set(), 0).group_of(pair[0].person) is not None
    muted = {(pair[0].person, pair[1].person)}
    assert Crowd(pair, muted, 0).group_of(pair[1].person) is None
    assert not Crowd(pair, muted, 0).met_by(pair[0].person)


def test_nobody_begins_with_bots_before_everybody_was_asked() -> None:
    games = frozenset(game.name for game in SEVERAL if game.max_seats >= 4)
    agreed, asked = SearchWishes(games, 4, bots=100.0), SearchWishes(games, 4)
    crowd = [seeker(1, agreed), seeker(2, agreed), seeker(3, asked)]
    assert Crowd(crowd, set(), 100.0 + ASK_SECONDS / 2).group_of("person 1") is None
    group = Crowd(crowd, set(), 100.0 + ASK_SECONDS).group_of("person 1")
    assert group is not None
    assert [one.person for one in group.people] == ["person 1", "person 2"]
    assert group.seats == 4
    assert Crowd(crowd, set(), 200.0).group_of("person 3") is None
    alone = [seeker(1, agreed), seeker(3, asked)]
    assert Crowd(alone, set(), 100.0 + ASK_SECONDS / 2).group_of("person 1") is None
    group = Crowd(alone, set(), 100.0 + ASK_SECONDS).group_of("person 1")
    assert group is not None
    assert [one.person for one in group.people] == ["person 1"], "who doesn't answer isn't seated"
