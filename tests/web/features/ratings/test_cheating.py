"""Ways to cheat a rating or a season, all of which fail."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.errors import NotYours
from redouble.web.features.circles.circles import members_of
from redouble.web.features.circles.seasons import Season, season_table
from redouble.web.features.ratings import rows as rating_rows
from redouble.web.features.ratings.ratings import DAILY_LIMIT, FEW, first_rating
from redouble.web.live import table_rows
from redouble.web.table import Act
from redouble.web.table.acts.bots import BotSeat, Resigning
from redouble.web.table.acts.clocks import set_clock, time_out
from redouble.web.table.acts.undo import AgreeToUndo, Undoing
from redouble.web.table.clocks import ONCE, TimeControl
from tests.web.helpers.play import Playing, asks, header
from tests.web.helpers.visitors import Visitor, circle_link, circle_of, seats_for, stored

GAME = GAMES["double-down"]
RATING, SEASON = "rating", "season"
Script = Callable[["Club", Playing], None]
Cheat = Callable[["Club"], None]


class Club:
    """A circle of three known players who have met. Anna cheats."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.anna, self.ben, self.carl = (Visitor(client, one) for one in ("Anna", "Ben", "Carl"))
        self.here = circle_of(self.anna, self.ben, self.carl)
        self.games = 0
        first = first_rating(GAME.name)
        known = {"token": "any", "game": GAME.name, "points": first.points, "spread": first.spread}
        people = [{"person": one.id} for one in (self.anna, self.ben, self.carl)]
        rows = [known | {"games": FEW, "at": 0.0} | one for one in people]
        stored(client, lambda c: c.execute(sa.insert(rating_rows.ratings), rows))
        self.game(self.anna, self.ben, self.carl, wins=False)
        self.before = self.standing()

    @property
    def circle(self) -> str:
        return self.here.rpartition("/")[2]

    def standing(self) -> dict[str, float]:
        """Anna's points."""

        def job(connection: sa.Connection) -> dict[str, float]:
            members = members_of(connection, self.circle)
            rows = season_table(connection, self.circle, Season.at(0), members, sa.false())
            points = [row.points for row in rows if row.member.person == self.anna.id]
            rating = rating_rows.rating_of(connection, self.anna.id, GAME.name)
            return {RATING: rating.points, SEASON: sum(points)}

        return stored(self.client, job)

    def game(
        self, *people: Visitor, wins: bool = True, script: Script | None = None, hint: bool = False
    ) -> None:
        """Store a game that goes as a script says and then on to its end, as Anna wins or loses."""
        self.games += 1
        token = f"game-{self.games}"
        for seed in range(50):
            made = header(GAME, seats_for(*people), seed=f"{self.games} {seed}")
            playing = Playing(replace(made, token=token, invite=token, circle=self.circle))
            start = playing.table.copy()
            if script is not None:
                script(self, playing)
            playing.play_on(Random(seed))
            outcome = playing.table.match.outcome
            if outcome is not None and outcome.won[0] == wins:
                break
        else:
            raise AssertionError("Anna can't end like that")

        def job(connection: sa.Connection) -> None:
            table_rows.insert(connection, start)
            if hint:
                rating_rows.note_hint(connection, token, 0)
            table_rows.append(connection, playing.table, playing.log)
            rating_rows.rate(connection, playing.table)

        stored(self.client, job)

    def ask(self, playing: Playing, who: Visitor, act: Act, **about: Any) -> None:
        playing.do(asks(who.id, act, now=0.0, **about))


def turn_of(playing: Playing, seat: int, moves: int = 1) -> None:
    """Play until a seat is on turn that has made so many moves."""
    while playing.table.turn != seat or playing.table.hands.own.get(seat, 0) < moves:
        playing.move()


def beats_a_second_guest(club: Club) -> None:
    guest = Visitor(club.client, "Anna's phone")
    guest.post(circle_link(club.anna, club.here), name="Anna 2")
    for _ in range(3):
        club.game(club.anna, guest)


def plays_both_seats(club: Club) -> None:
    club.game(club.anna, club.anna)


def plays_the_same_one_all_day(club: Club) -> None:
    for _ in range(DAILY_LIMIT):
        club.game(club.anna, club.ben)
    club.before = club.standing()
    club.game(club.anna, club.ben)


def ben_resigns_unplayed(club: Club, playing: Playing) -> None:
    club.ask(playing, club.ben, Resigning(level="random"))


def two_give_up(club: Club, playing: Playing) -> None:
    turn_of(playing, 0)
    turn_of(playing, 1)
    for one in (club.anna, club.ben):
        club.ask(playing, one, Resigning(level="random"))


def what_was_seen_is_undone(club: Club, playing: Playing) -> None:
    turn_of(playing, 0, moves=3)
    club.ask(playing, club.anna, Undoing())
    club.ask(playing, club.ben, AgreeToUndo())


def a_bot_takes_over(club: Club, playing: Playing) -> None:
    turn_of(playing, 0, moves=3)
    club.ask(playing, club.anna, BotSeat(seat=0, level="random"))


def time_runs_out(club: Club, playing: Playing) -> None:
    playing.do(lambda table: set_clock(TimeControl(60, 0, 0, ONCE)))
    turn_of(playing, 0)
    legal, due = playing.table.match.legal_moves, playing.table.due
    assert due is not None
    playing.do(lambda table: time_out(table, due, legal.action(legal[0])), due)


def anna_takes_bens_turn(club: Club, playing: Playing) -> None:
    turn_of(playing, 1)
    with pytest.raises(NotYours):
        club.ask(playing, club.anna, BotSeat(seat=1, level="random"))


def anna_resigns(club: Club, playing: Playing) -> None:
    turn_of(playing, 0, moves=3)
    club.ask(playing, club.anna, Resigning(level="random"))


def one_game(script: Script | None = None, players: int = 2, **about: bool) -> Cheat:
    """A game of Anna with Ben, and with Carl if three play, that goes as a script says."""

    def cheat(club: Club) -> None:
        people = club.anna, club.ben, club.carl
        club.game(*people[:players], script=script, **about)

    return cheat


GIVING_UP = one_game(two_give_up, players=3, wins=False)
NO_GAIN: dict[str, tuple[Cheat, set[str]]] = {
    "a second guest": (beats_a_second_guest, {RATING, SEASON}),
    "who resigns unplayed": (one_game(ben_resigns_unplayed), {RATING, SEASON}),
    "giving up with another": (GIVING_UP, {RATING, SEASON}),
    "both seats": (plays_both_seats, {RATING, SEASON}),
    "undo": (one_game(what_was_seen_is_undone), {RATING, SEASON}),
    "a bot": (one_game(a_bot_takes_over), {RATING, SEASON}),
    "another's turn": (one_game(anna_takes_bens_turn, wins=False), {RATING, SEASON}),
    "a hint": (one_game(hint=True), {RATING}),
    "time runs out": (one_game(time_runs_out), {RATING}),
    "the same one all day": (plays_the_same_one_all_day, {RATING}),
}
STILL_LOST: dict[str, Cheat] = {
    "resigning": one_game(anna_resigns, wins=False),
    "a hint": one_game(wins=False, hint=True),
    "giving up with another": GIVING_UP,
}


@pytest.fixture
def club(client: TestClient) -> Club:
    return Club(client)


def test_a_win_lifts_both(club: Club) -> None:
    club.game(club.anna, club.ben)
    after = club.standing()
    assert all(after[what] > club.before[what] for what in (RATING, SEASON))


@pytest.mark.parametrize("name", NO_GAIN)
def test_who_cheats_gains_nothing(club: Club, name: str) -> None:
    cheat, gains = NO_GAIN[name]
    cheat(club)
    after = club.standing()
    assert all(after[what] <= club.before[what] for what in gains)


@pytest.mark.parametrize("name", STILL_LOST)
def test_who_loses_loses_points(club: Club, name: str) -> None:
    STILL_LOST[name](club)
    assert club.standing()[RATING] < club.before[RATING]
