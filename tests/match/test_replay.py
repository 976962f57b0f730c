"""Replays: every step of a record as each reader may know it, and as the terminal prints it."""

import pytest

from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RecordError, SeatsError
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.match.record import Record
from redouble.match.replay import Replay
from redouble.match.story import last_moments, last_move
from redouble.terminal.ask.screen import Screen
from redouble.terminal.study.replay import as_text, check_seat
from tests.helpers.known import known

BOTH = pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
CHOOSING = GAMES["three-up"]


def played(game: Game, seats: int, plies: int = 60) -> Record:
    """The record of a game in which each move is the first legal one."""
    match = Match(game, seats, "replay")
    while match.turn is not None and match.ply < plies:
        match.push(match.legal_moves[0])
    return match.record()


@BOTH
def test_each_step_is_told_as_its_reader_may_know_it(game: Game) -> None:
    record = played(game, game.usual_seats)
    replay = Replay(record)
    for reader in (None, SPECTATOR, *range(replay.seats)):
        match = Match(game, record.seats, record.seed, record.options)
        deal, *steps = replay.steps(reader)
        assert (deal.line, deal.move, deal.ply) == (None, None, 0)
        assert deal.view == match.view(reader)
        assert [step.line for step in steps] == replay.story(reader)
        for move, step in zip(record.moves, steps, strict=True):
            mover = match.turn
            action = known(match.legal_moves.action(move))
            secret = game.rules.hidden(match.state, action) and reader not in (None, mover)
            match.push(move)
            assert step.view == match.view(reader)
            assert step.move == (None if secret else move)
            assert step.line is not None
            assert step.line.seat == mover
            assert step.line.text == last_move(match, replay.names, reader)
            assert step.moments == last_moments(match, replay.names, reader)
            assert step.moments == replay.moments(match.ply, reader)


@BOTH
def test_play_begins_with_the_deal_unless_secret_choices_come_first(game: Game) -> None:
    replay = Replay(played(game, game.usual_seats))
    assert replay.opening == (game.usual_seats if game is CHOOSING else 0)


@pytest.mark.parametrize("seat", [None, 1])
def test_the_terminal_shows_no_hands_from_before_the_secret_choice(
    capsys: pytest.CaptureFixture[str], seat: int | None
) -> None:
    as_text(Replay(played(CHOOSING, 3, plies=10)), seat, Screen(plain=True))
    lines = capsys.readouterr().out.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("---"))
    assert [line[:2] for line in lines[1:first]] == ["1.", "2.", "3."]
    table = lines[first : lines.index(next(line for line in lines if line.startswith("4.")))]
    assert not [line for line in table if "3UP: empty" in line]
    assert len([line for line in table if "3UP: " in line]) == 3


def test_a_record_that_ends_during_the_choice_shows_the_table_at_its_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    as_text(Replay(played(CHOOSING, 3, plies=2)), None, Screen(plain=True))
    assert capsys.readouterr().out.count("draw pile") == 1


def test_a_seat_that_is_not_in_the_game_is_refused() -> None:
    replay = Replay(played(CHOOSING, 3))
    check_seat(replay, 2)
    check_seat(replay, None)
    for seat in (-1, 3):
        with pytest.raises(SeatsError, match=r"give 0 for .*, 2 for "):
            check_seat(replay, seat)


def test_a_record_that_cannot_be_played_names_its_line() -> None:
    record = played(CHOOSING, 3)
    wrong = Record.parse(str(record).replace(record.moves[5], "nonsense"))
    with pytest.raises(RecordError, match="line 7: move"):
        Replay(wrong, 7)
