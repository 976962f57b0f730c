"""Moments: what people see in the middle of a move, in every game."""

from collections import Counter
from random import Random
from typing import Any

import pytest

import redouble
from redouble.contract.game import Game
from redouble.contract.moments import SOUNDS, who
from redouble.contract.registry import GAMES
from redouble.kernel.errors import OutOfRange
from redouble.kernel.moments import moment, watch
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.match.story import headlines_since, last_moments
from tests.helpers.worlds import own_games

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "three-up": [{"reverse-ones": True, "games": 2}, {"play-on": True}],
    "double-or-quits": [{"redeals": 9, "free-flip": True}],
}
"""Options under which every kind of moment comes up."""
NAMES = ("Ada", "Ben", "Cleo", "Dan")


def random_game(game: Game, options: dict[str, Any], seed: str) -> Match:
    seats = game.usual_seats
    return Match(game, list(NAMES[:seats]), seed, options)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_every_kind_of_moment_comes_up_and_reads_as_a_sentence(game: Game) -> None:
    seen: Counter[str] = Counter()
    wanted = {kind.name for kind in game.words.moments}
    for number in range(400):
        if wanted <= seen.keys():
            break
        match = random_game(game, OPTIONS.get(game.name, [{}])[number % 2 - 1], f"moments {number}")
        dice = Random(number)
        while match.turn is not None and match.ply < 600:
            match.push(dice.choice(list(match.legal_moves)))
            for viewer in (0, SPECTATOR, None):
                for one in last_moments(match, match.names, viewer):
                    seen[one.kind.name] += 1
                    assert one.title
                    assert "{" not in one.title + one.detail
                    assert not one.title.endswith("."), one.title
                    assert not one.detail or one.detail.endswith("."), one.detail
                    assert one.title[0].isupper() or one.title[0] in "123", one.title
                    assert not one.view.legal_moves
                    assert not one.view.prompt
    assert wanted <= seen.keys(), f"never seen: {wanted - seen.keys()}"


@pytest.mark.parametrize("name", own_games())
def test_moments_are_listed_by_the_numbers_that_rules_give_to_them(name: str) -> None:
    rules, moments = GAMES[name].rules, GAMES[name].words.moments
    named = [kind.name.upper().replace("-", "_") for kind in moments]
    assert [getattr(rules, one) for one in named] == list(range(len(moments)))


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_headlines_of_earlier_moves_are_those_that_were_shown(game: Game) -> None:
    match = random_game(game, OPTIONS.get(game.name, [{}])[0], "headlines")
    dice = Random(1)
    shown: dict[int | None, list[list[tuple[str, str]]]] = {0: [], SPECTATOR: [], None: []}
    while match.turn is not None and match.ply < 300:
        match.push(dice.choice(list(match.legal_moves)))
        for viewer, moves in shown.items():
            told = last_moments(match, match.names, viewer)
            moves.append([(one.title, one.detail) for one in told])
    for viewer, moves in shown.items():
        for since in (0, match.ply // 2, match.ply):
            found = headlines_since(match, match.names, viewer, since)
            assert [[(one.title, one.detail) for one in move] for move in found] == moves[since:]
    with pytest.raises(OutOfRange, match=f"plies are 0 to {match.ply}"):
        match.headlines(match.ply + 1)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_all_viewers_see_the_same_kinds_of_moments(game: Game) -> None:
    match = random_game(game, {}, "all viewers")
    dice = Random(1)
    while match.turn is not None and match.ply < 200:
        match.push(dice.choice(list(match.legal_moves)))
        kinds = [
            [one.kind for one in match.moments(seat)]
            for seat in (None, SPECTATOR, *range(match.seats))
        ]
        assert all(each == kinds[0] for each in kinds)


def test_a_lost_chip_is_seen_before_the_next_round_is_dealt() -> None:
    match = lost_chip()
    (one,) = last_moments(match, match.names, 1)
    facts = {fact.key: fact.value for fact in one.view.facts if fact.seat is None}
    assert one.kind.name == "chip-lost"
    assert facts["total"] == 22
    assert facts["round"] == 1
    (pile,) = [zone for zone in one.view.zones if zone.key == "discard"]
    assert [card.text for card in pile.cards if card] == ["22"]
    assert one.title == "Ada hits 22 and loses a chip"
    assert one.detail == "Two chips left. Play goes on at 22."


def test_who_it_concerns_is_spoken_to() -> None:
    match = lost_chip()
    (one,) = last_moments(match, match.names, 0)
    assert one.title == "You hit 22 and lose a chip"
    assert who(3, 3, "hits", "hit") == "You hit"
    assert who(3, None, "hits", "hit") == "{3} hits"


def lost_chip() -> Match:
    """A game in which Ada has just played 22 as the first card."""
    for seed in range(500):
        match = redouble.new("double-down", seats=["Ada", "Ben"], seed=f"chip {seed}")
        if match.turn == 0 and "22" in match.legal_moves:
            match.push("22")
            return match
    raise AssertionError("no deal gives Ada a 22 and the first turn")


def test_undo_shows_the_moments_of_the_move_before() -> None:
    match = lost_chip()
    before = [one.title for one in match.moments()]
    match.push(match.legal_moves[0])
    match.pop()
    assert [one.title for one in match.moments()] == before
    match.pop()
    assert match.moments() == ()
    for _ in range(4):  # further back than positions are kept
        match.push(match.legal_moves[0])
    titles = []
    for _ in range(4):
        titles.append([one.title for one in match.moments()])
        match.pop()
    for shown in reversed(titles):
        match.push(match.legal_moves[0])
        assert [one.title for one in match.moments()] == shown


def test_unwatched_moments_are_not_kept() -> None:
    game = GAMES["double-down"]
    state = game.header(2, {}, "kept")
    kept = watch(lambda s, kind: moment(s, kind), state, 3)
    assert [(kind, s) for kind, s in kept] == [(3, state)]
    moment(state, 4)
    assert len(kept) == 1


def test_a_domino_that_scores_nothing_is_no_moment() -> None:
    match = redouble.new("double-dominoes", seats=4, seed="nothing to show")
    scored: set[bool] = set()
    while match.turn is not None and len(scored) < 2:
        points = match.state.points[:4]
        match.push(match.legal_moves[0])
        if not match.moves[-1].startswith(("stop", "pit")):
            gained = match.state.points[:4] != points
            assert bool(match.moments()) == gained
            scored.add(gained)
    assert scored == {True, False}


def test_a_placed_domino_says_what_it_brings_each_seat() -> None:
    match = redouble.new("double-dominoes", seats=3, seed="gains")
    counted = 0
    while match.turn is not None:
        before = match.state.points
        match.push(match.legal_moves[-1])
        for viewer in (SPECTATOR, 0, None):
            for one in match.moments(viewer):
                if one.kind.name == "placed":
                    gained = [
                        now - then for now, then in zip(match.state.points, before, strict=True)
                    ]
                    assert one.view.board["gains"] == gained[:3]
                    counted += 1
        assert "gains" not in match.view(0).board
    assert counted > 30


def test_games_let_hear_what_pages_can() -> None:
    for game in GAMES.values():
        heard = [*game.page.sound.split(), *(kind.sound for kind in game.words.moments)]
        assert {one for one in heard if one} <= set(SOUNDS)
