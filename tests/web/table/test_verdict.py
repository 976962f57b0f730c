"""The verdict on a game: whose it is, in what place, and whether it counts."""

from random import Random

import pytest

from redouble.contract.registry import GAMES
from redouble.web.errors import NotYours
from redouble.web.table import verdict
from redouble.web.table.acts.bots import BotSeat, Resigning, Return
from redouble.web.table.acts.clocks import set_clock, time_out
from redouble.web.table.acts.undo import AgreeToUndo, Undoing
from redouble.web.table.clocks import FOR_GOOD, ONCE, UNTIL_BACK, TimeControl
from tests.helpers.worlds import Setting
from tests.web.helpers.play import Playing, few_settings, header, person, seated

QUICK = GAMES["double-down"]
SEVERAL = [setting for setting in few_settings() if setting.seats > 1]


def two(then: str = "") -> Playing:
    playing = Playing(header(QUICK, seated("p0", "p1"), seed="verdict"))
    if then:
        playing.do(lambda table: set_clock(TimeControl(60, 0, 0, then)))
    return playing


def turn_of(playing: Playing, seat: int, moves: int = 0) -> None:
    """Play until a seat is on turn that has made so many moves."""
    while playing.table.turn != seat or playing.table.hands.own.get(seat, 0) < moves:
        playing.move()


def ended(playing: Playing) -> dict[int, verdict.SeatVerdict]:
    """The verdicts at the end, by seat; the log gives the same ones."""
    playing.play_on(Random(1))
    found = verdict.verdicts(playing.table)
    assert verdict.verdicts(playing.again()) == found
    return {one.seat: one for one in found}


@pytest.mark.parametrize("setting", SEVERAL, ids=str)
def test_no_bot_wins_for_anybody_and_nobody_loses_unplayed(setting: Setting) -> None:
    """Whatever people do: hand over, come back, resign, be away."""
    game, seats = setting.game, setting.seats
    for seed in range(2):
        dice = Random(seed)
        playing = Playing(header(game, seated(*[f"p{i}" for i in range(seats)]), seed=str(seed)))
        while playing.table.turn is not None:
            seat, turn = dice.randrange(seats), playing.table.turn
            sits = playing.table.seats[seat]
            if dice.random() < 0.1 and not sits.bot:
                playing.ask(seat, BotSeat(seat=seat, level="random"))
            elif dice.random() < 0.02 and not playing.table.seats[turn].bot:
                playing.ask((turn + 1) % seats, BotSeat(seat=turn, level="random"), absent={turn})
            elif dice.random() < 0.05 and sits.stand_in:
                playing.ask(seat, Return())
            elif dice.random() < 0.01 and not sits.resigned:
                playing.ask(seat, Resigning(level="random"))
            else:
                playing.move(dice.choice(list(playing.table.match.legal_moves)))
        found = ended(playing)
        for i, sits in enumerate(playing.table.seats):
            if i not in found:
                assert not sits.resigned
                assert not playing.table.hands.own.get(i)
            elif sits.bot:
                assert not found[i].won
            assert (i in verdict.bots_at_end(playing.table)) == (i not in found or bool(sits.bot))
        assert all(
            one.rank == seats and not one.won
            for one in found.values()
            if one.reason in verdict.LAST
        )
        assert sum(one.won for one in found.values()) <= seats


def test_a_game_is_nobodys_who_never_came() -> None:
    """Their place was played by a bot: no win, no loss, no result."""
    playing = two()
    turn_of(playing, 0)
    playing.ask(1, BotSeat(seat=0, level="random"), absent={0})
    assert set(ended(playing)) == {1}


def test_a_stand_in_begins_on_the_turn_of_who_is_away() -> None:
    playing = two()
    turn_of(playing, 0)
    with pytest.raises(NotYours, match="it isn't Player 1's turn: a bot can play when it is"):
        playing.ask(0, BotSeat(seat=1, level="random"), absent={1})


def test_a_stand_in_has_no_effect_on_who_comes_back() -> None:
    playing, plain = two(), two()
    turn_of(playing, 0, moves=2)
    playing.ask(1, BotSeat(seat=0, level="random"), absent={0})
    playing.move()
    playing.ask(0, Return())
    before = ended(plain)
    assert {seat: one.reason for seat, one in ended(playing).items()} == {
        seat: one.reason for seat, one in before.items()
    }
    assert all(one.counts for one in before.values())


@pytest.mark.parametrize("then", [ONCE, UNTIL_BACK, FOR_GOOD])
def test_moves_when_time_has_run_out_are_not_ones_own(then: str) -> None:
    playing = two(then)
    turn_of(playing, 0)
    table = playing.table
    due = table.due
    assert due is not None
    action = table.match.legal_moves.action(table.match.legal_moves[0]) if then == ONCE else None
    playing.do(lambda table: time_out(table, due, action), due)
    if action is None:
        playing.move(at=due)
    assert table.hands.own.get(0, 0) == table.hands.own.get(1, 0) - (table.movers[0] == 1)
    assert table.hands.stand_in == {0: 1}


@pytest.mark.parametrize(("moves", "reason"), [(1, verdict.LEFT), (2, verdict.AWAY)])
def test_who_left_before_half_of_the_moves_is_last(moves: int, reason: str) -> None:
    """A game of two lasts as long as its chips; its last moves are made by the bot."""
    playing = two()
    turn_of(playing, 0, moves=moves if reason == verdict.LEFT else 0)
    if reason == verdict.AWAY:
        twin = Playing(playing.table.header)
        twin.play_on(Random(1))
        last = max(i for i, seat in enumerate(twin.table.movers) if seat == 0)
        playing.play_on(Random(1), plies=last - playing.table.match.ply)
    playing.ask(0, BotSeat(seat=0, level="random"))
    found = ended(playing)
    assert found[0].reason == reason
    assert (found[0].rank == 2) >= (reason == verdict.LEFT)
    assert not found[0].won


def test_who_resigns_at_once_loses_and_nobody_has_played_them() -> None:
    playing = two()
    playing.ask(1, Resigning(level="random"))
    found = ended(playing)
    assert (found[1].reason, found[1].rank, found[1].won) == (verdict.UNPLAYED, 2, False)


def test_an_undo_that_others_agree_to_counts_as_what_it_is() -> None:
    """If something new was seen, the request says what it costs, and the game counts for nobody."""
    playing = two()
    turn_of(playing, 0, moves=3)
    [asked] = playing.ask(0, Undoing())
    hindsight = asked.event.told(playing.table).endswith("; the game would no longer count")
    playing.ask(1, AgreeToUndo())
    assert playing.table.undone.times == 1
    assert playing.table.undone.hindsight == hindsight
    assert hindsight, "a card was drawn since"
    assert not any(one.counts for one in ended(playing).values())


def test_nothing_is_said_of_a_game_that_runs_or_was_closed() -> None:
    assert not verdict.verdicts(two().table)
    assert person(0) in {one.person for one in ended(two()).values()}
