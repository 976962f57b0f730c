"""Clocks: a pure function of a table's log, in every player's own time zone."""

from datetime import datetime
from functools import partial
from random import Random
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.web.errors import NotYours, Stale, WebError
from redouble.web.table import Entry, apply, load
from redouble.web.table.acts.bots import BotSeat, Return
from redouble.web.table.acts.checks import check_running
from redouble.web.table.acts.clocks import SetZone, set_clock, time_out
from redouble.web.table.acts.pauses import AgreeToPause, AskPause, EndPause
from redouble.web.table.acts.play import bot_move, make_move
from redouble.web.table.acts.seats import sit
from redouble.web.table.acts.talk import Saying
from redouble.web.table.acts.undo import AgreeToUndo, Undoing
from redouble.web.table.clocks import (
    CONTROLS,
    CREDIT,
    DAY,
    FIRST_SECONDS,
    FOR_GOOD,
    ONCE,
    RETURN_SECONDS,
    THEN,
    UNTIL_BACK,
    Turn,
    control_of,
    left_in_words,
)
from redouble.web.table.rest import Rest, known_zone
from redouble.web.table.state import DESERTED_SECONDS
from redouble.web.table.verdict import verdicts
from tests.web.helpers.play import Command, Playing, asks, content, header, person, seated

GAME = next(game for game in GAMES.values() if game.min_seats <= 2 <= game.max_seats)
ZONES = ("", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe")
RESTS = [Rest(nights, weekends) for nights in (False, True) for weekends in (False, True)]
BEGIN = 1_790_000_000.0
BACK, ASK, AGREE, END = Return(), AskPause(), AgreeToPause(), EndPause()


def timed(
    name: str, then: str = UNTIL_BACK, *seats: str, nights: bool = False, weekends: bool = False
) -> Playing:
    """A table with a clock that starts at ``BEGIN``."""
    play = Playing(header(GAME, seated(*(seats or ("p0", "p1")))))
    play.do(lambda t: set_clock(control_of(name, then, nights, weekends)), BEGIN)
    return play


def bot_at(seat: int) -> BotSeat:
    return BotSeat(seat=seat, level="greedy")


def turn_of(play: Playing) -> Turn:
    turn = play.table.clocks.turn
    assert turn is not None
    return turn


def until(play: Playing) -> float:
    when = turn_of(play).until
    assert when is not None
    return when


@given(
    st.floats(1.7e9, 2e9),
    st.floats(0, 20 * DAY),
    st.sampled_from(ZONES),
    st.sampled_from(RESTS),
)
def test_as_much_time_passes_as_was_given(
    since: float, given: float, zone: str, rest: Rest
) -> None:
    """Also across the changes between summer and winter time, and never at night."""
    ends = rest.after(since, given, zone)
    assert ends >= since + given - 1e-3
    assert rest.between(since, ends, zone) == pytest.approx(given, abs=1e-3)
    assert rest.between(ends, since, zone) == 0
    there = datetime.fromtimestamp(ends - 1e-3, ZoneInfo(zone or "UTC"))
    if rest.nights and given > 1:
        assert 8 <= there.hour < 22
    if rest.weekends and given > 1:
        assert there.weekday() < 5


def test_a_day_for_a_move_goes_around_the_weekend_where_the_player_lives() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    friday = datetime(2026, 11, 27, 20, tzinfo=berlin).timestamp()
    assert Rest(nights=True, weekends=True).after(friday, DAY, "Europe/Berlin") == (
        datetime(2026, 12, 1, 16, tzinfo=berlin).timestamp()  # 2 hours, then 14 and 8
    )
    assert known_zone("Europe/Berlin") == "Europe/Berlin"
    for name in ("", "Mars/Base", "../../etc/passwd", "America", "x" * 99, "Europe/B\nerlin"):
        assert known_zone(name) == ""


@pytest.mark.parametrize("name", [name for name in CONTROLS if name != "none"])
def test_the_same_log_gives_the_same_clocks(name: str) -> None:
    """Read at any time, at once or entry by entry, with refusals in between."""
    for then in THEN:
        dice, slow = Random(f"{name} {then}"), CONTROLS[name].slow
        play = timed(name, then, "p0", "p1", "b", nights=slow, weekends=slow)
        now, seen = BEGIN, [play.table.clocks]
        for _ in range(60):
            now += dice.choice((0.2, 3.0, 20.0, 40_000.0 if slow else 5.0))
            before = content(play.table)
            try:
                play.do(any_command(play, dice, now), now)
            except RedoubleError:
                assert content(play.table) == before
            clocks = play.table.clocks
            seen += [clocks] * (play.table.ply - len(seen))
            assert all(left >= 0 for left in clocks.banks)
            assert (clocks.turn is None) == (play.table.thinking is None)
        assert content(play.again()) == content(play.table)
        for length in dice.sample(range(1, play.table.ply), 3):
            early = load(play.table.header, play.log[:length])
            for entry in play.log[length:]:
                apply(early, entry)
            assert early.clocks == play.table.clocks


def any_command(play: Playing, dice: Random, now: float) -> Command:
    who, table = dice.randrange(2), play.table
    actions = table.match.legal_moves.actions
    if table.turn is not None and dice.random() < 0.5:
        return lambda t: bot_move(t, dice.choice(actions))
    once = table.thinking is not None and table.clocks.control.then == ONCE
    bots = actions[0] if once else None
    acts = (ASK, AGREE, END, BACK, Undoing(step=True), AgreeToUndo(), bot_at(who))
    asked = [asks(person(who), act) for act in acts]
    return dice.choice([*asked, lambda t: time_out(t, now, bots)])


def test_a_bank_loses_what_a_move_took_and_gains_its_increment() -> None:
    play = timed("5-minutes")
    first = turn_of(play).seat
    assert until(play) == BEGIN + 300 + CREDIT
    play.move(at=BEGIN + 20 + CREDIT)
    assert play.table.clocks.banks[first] == 290
    play.ask(0, Saying(text="hm"), BEGIN + 25)
    assert turn_of(play).since == BEGIN + 20 + CREDIT  # chat starts no turn
    play.move(at=BEGIN + 20 + CREDIT + CREDIT / 2)  # the way through the network costs nothing
    assert play.table.clocks.banks == pytest.approx((290, 310) if first == 0 else (310, 290))


def test_a_bot_that_comes_and_goes_gives_nobody_more_time() -> None:
    play = timed("2-minutes")
    who = turn_of(play).seat
    for seconds in (10, 20, 30):
        at = BEGIN + seconds
        play.ask(who, bot_at(who), at)
        assert play.table.clocks.turn is None
        play.ask(who, BACK, at)
    assert until(play) - BEGIN == pytest.approx(120 + FIRST_SECONDS + CREDIT, abs=1e-3)


def test_the_first_move_of_a_game_gets_more_time() -> None:
    """Also read from the log again; the moves after it, and games over days, get no more."""
    for name, seconds in (("30-seconds", 30), ("2-minutes", 120)):
        play = timed(name)
        assert play.table.clocks == play.again().clocks
        assert until(play) - BEGIN == pytest.approx(seconds + FIRST_SECONDS + CREDIT, abs=1e-3)
        assert "The first move gets 30 seconds more." in play.table.clocks.control.sentences
        play.move(at=BEGIN + 45)
        assert until(play) - BEGIN - 45 == pytest.approx(seconds + CREDIT, abs=1e-3)
    for name in ("5-minutes", "1-day", "none"):
        assert "first" not in CONTROLS[name].sentences
    assert until(timed("1-day")) - BEGIN == pytest.approx(DAY + CREDIT, abs=1e-3)


def test_nobody_calls_a_bot_for_a_player_who_has_time_and_is_away() -> None:
    """Players of a slow game are away most of the time; an opponent would like a bot there."""
    play = timed("3-days", UNTIL_BACK, "p0", "p1", "-")
    play.ask(0, bot_at(2))  # an open seat
    with pytest.raises(NotYours, match="the clock decides"):
        play.ask(0, bot_at(1), absent=frozenset({1}))
    play.ask(1, bot_at(1))  # their own


def test_nobodys_time_runs_out_early() -> None:
    play = timed("30-seconds")
    with pytest.raises(Stale, match="nobody's time"):
        time_out(play.table, until(play) - 0.01)
    untimed = Playing(header(GAME, seated("p0", "p1"))).table
    assert untimed.clocks.turn == Turn(untimed.match.turn or 0, untimed.header.created, None)
    assert untimed.due is None
    with pytest.raises(Stale, match="nobody's time"):
        time_out(untimed, 1e12)


@pytest.mark.parametrize("then", THEN)
def test_what_was_agreed_happens_when_time_runs_out(then: str) -> None:
    """Never an end: the log says what happened, and the record, too."""
    play = timed("30-seconds", then)
    seat, at = turn_of(play).seat, until(play)
    action = play.table.match.legal_moves.actions[0] if then == ONCE else None
    play.do(lambda t: time_out(t, at, action), at)
    said = [line.heard(0).words for line in play.table.lines if not line.move]
    assert said[-1].startswith("runs out of time; a bot (club) ")
    assert any("runs out of time" in note for _, note in play.table.notes)
    assert play.table.status == "playing"
    if then == ONCE:
        assert not play.table.seats[seat].bot
        assert play.table.movers == [seat]
    elif then == UNTIL_BACK:
        play.ask(seat, BACK, at + 1)
        assert until(play) == pytest.approx(at + 1 + RETURN_SECONDS + CREDIT)
    else:
        with pytest.raises(Stale):
            play.ask(seat, BACK)


@pytest.mark.parametrize("name", ["30-seconds", "5-minutes", "3-days"])
@pytest.mark.parametrize("then", THEN)
def test_no_bot_plays_on_for_nobody(name: str, then: str) -> None:
    """Once everybody's time has run out, the game waits for a while, and is nobody's then."""
    play, at, left = timed(name, then), BEGIN, 2
    while play.table.turn is not None:
        assert left, "somebody plays"
        if play.table.thinking is not None and left:
            at, left = until(play), left - 1
            action = play.table.match.legal_moves.actions[0] if then == ONCE else None
            play.do(partial(time_out, now=at, action=action), at)
        else:
            play.move(at=at)
    if then == FOR_GOOD:
        assert play.table.status == "abandoned"
        return
    due = play.table.due
    assert due == at + max(DESERTED_SECONDS, CONTROLS[name].move)
    with pytest.raises(Stale, match="take your seat back"):
        check_running(play.table)
    with pytest.raises(Stale, match="nobody's time"):
        time_out(play.table, due - 1)
    missing = play.table.copy()
    play.ask(1, BACK, at + 1)
    assert play.table.turn == play.table.match.turn, "one is enough"
    assert content(play.again()) == content(play.table)
    (ends,) = time_out(missing, due)
    apply(missing, Entry(missing.ply, due, ends))
    assert missing.status == "abandoned"
    assert not verdicts(missing)


def test_a_pause_needs_everyone_and_anyone_ends_it() -> None:
    play = timed("5-minutes", UNTIL_BACK, "p0", "p1", "p2")
    play.ask(0, ASK, BEGIN + 10)
    play.ask(1, AGREE, BEGIN + 11)
    assert not play.table.pause.begun
    with pytest.raises(Stale, match="already agreed"):
        play.ask(1, AGREE)
    for who in (0, 9):
        with pytest.raises(NotYours):
            play.ask(who, AGREE)
    play.ask(2, AGREE, BEGIN + 20)
    assert play.table.pause.begun
    assert play.table.due is None
    with pytest.raises(Stale, match="paused"):
        make_move(play.table, 0, "", play.table.ply)
    play.ask(1, END, BEGIN + 9000)
    assert until(play) == pytest.approx(BEGIN + 9000 + 280 + CREDIT)
    for asker, ends in ((0, 1), (2, 2)):  # a refusal, and a withdrawal
        play.ask(asker, ASK, BEGIN + 9001)
        play.ask(ends, END, BEGIN + 9002)
        with pytest.raises(WebError, match="was refused"):
            play.ask(asker, ASK)
        assert play.table.pause.request is None
        assert until(play) == pytest.approx(BEGIN + 9000 + 280 + CREDIT)
    with pytest.raises(Stale, match="the pause is over"):
        play.ask(0, END)
    assert content(play.again()) == content(play.table)


def test_a_player_alone_among_bots_pauses_at_once() -> None:
    play = timed("2-minutes", UNTIL_BACK, "p0", "b")
    play.ask(0, ASK, BEGIN)
    assert play.table.pause.begun
    with pytest.raises(WebError, match="no clock"):
        Playing(header(GAME, seated("p0", "p1"))).ask(0, ASK)


def test_a_time_zone_is_noted_only_where_it_counts_and_leaves_with_its_player() -> None:
    for off in (False, True):
        play = timed("1-day", UNTIL_BACK, "p0", "-", nights=off)
        play.do(lambda t: sit(t, person(1), "Ben", zone="Asia/Kolkata"), BEGIN)
        zones = [one.event for one in play.log if isinstance(one.event, SetZone)]
        assert [one.zone for one in zones] == ["Asia/Kolkata"] * off
        assert play.table.clocks.zones.get(1, "") == ("Asia/Kolkata" if off else "")


def test_only_what_a_table_can_have_is_a_control() -> None:
    for wrong in (
        ("4-minutes", "", False),
        ("1-day", "explode", False),
        ("2-minutes", "", True),
    ):
        with pytest.raises(WebError):
            control_of(*wrong)
    assert not control_of("", "")
    assert [one.name for one in CONTROLS.values()] == list(CONTROLS)
    agreed = control_of("3-days", ONCE, nights=True, weekends=True)
    assert agreed.sentences == (
        "Each player has 3 days a move. Nights and weekends don't count. "
        "When the time runs out, a bot makes this one move."
    )
    assert [left_in_words(one) for one in (-1, 65, 7200, 3 * DAY)] == [
        "0:00", "1:05", "2 h", "3 days",
    ]  # fmt: skip
