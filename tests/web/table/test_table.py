"""The fold: a table is its header and its log, and a refused command leaves no trace."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

import redouble
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel.errors import IllegalMove, RedoubleError
from redouble.kernel.state import SPECTATOR
from redouble.match.record import MAX_NOTES
from redouble.match.story import midsentence
from redouble.web.errors import NotYours, Stale, TooLarge, TooMuch, WebError
from redouble.web.live.plan import rematch_begun
from redouble.web.table import CHAT_LENGTH, PACES, Seat, Table, apply, commands
from redouble.web.table.state import MAX_LINES
from redouble.web.table.talk import (
    CHAT_BURST,
    CHAT_SECONDS,
    CHATS,
    REACTION_BURST,
    REACTION_SECONDS,
    SHOWN_SECONDS,
)
from tests.helpers.worlds import Setting
from tests.web.helpers.play import (
    SEATINGS,
    Command,
    Playing,
    content,
    few_settings,
    header,
    person,
    seated,
)

WALK = 120
"""Commands of a random walk."""

SETTINGS = list(few_settings())
FOR_TWO = [game for game in GAMES.values() if game.min_seats <= 3 <= game.max_seats]
FOR_ONE = [game for game in GAMES.values() if game.min_seats == 1]
by_game = pytest.mark.parametrize("game", FOR_TWO, ids=lambda game: game.name)
by_game_for_one = pytest.mark.parametrize("game", FOR_ONE, ids=lambda game: game.name)


def walks() -> list[Any]:
    return [
        pytest.param(setting, kind, id=f"{setting}-{kind}")
        for setting in SETTINGS
        for kind in SEATINGS
        if setting.seats > 1 or kind == "bots"
    ]


def any_command(play: Playing, dice: Random, clock: float) -> Command:
    """A command that a person could give: valid, late, or not theirs to give."""
    table = play.table
    who = person(dice.choice((0, 0, 0, 1, 2, 9)))
    seat = dice.randrange(-1, table.match.seats + 1)
    turn = table.turn
    level = dice.choice(("greedy", "random", "greedy", "nobody"))
    moves: list[str] = list(table.match.legal_moves)
    if turn is not None and dice.random() < 0.6:
        if table.seats[turn].bot:
            return lambda t: commands.bot_move(t, dice.choice(t.match.legal_moves.actions))
        ply = dice.choice((table.ply, table.ply, table.last_move, table.ply + 1, 0))
        move = dice.choice([*moves, "nonsense"] if dice.random() < 0.2 else moves)
        return lambda t: commands.move(t, turn, move, ply)
    choices: list[Command] = [
        lambda t: commands.move(t, seat, dice.choice([*moves, "none"]), t.ply),
        lambda t: commands.undo(t, who),
        lambda t: commands.undo(t, person(0)),
        lambda t: commands.redo(t, who),
        lambda t: commands.redo(t, person(0)),
        lambda t: commands.answer(t, who, agree=True),
        lambda t: commands.answer(t, person(1), agree=True),
        lambda t: commands.answer(t, who, agree=False),
        lambda t: commands.leave(t, who),
        lambda t: commands.sit(t, person(dice.randrange(5)), "Anna", dice.choice((None, seat))),
        lambda t: commands.hand_over(t, who, seat, level, dice.choice(((), (0, 1)))),
        lambda t: commands.back(t, who),
        lambda t: commands.say(t, who, seat, dice.choice(("hello", "", "x" * 300)), clock),
        lambda t: commands.mute(t, [(who, person(dice.randrange(3)))]),
        lambda t: commands.unmute(t, who, person(dice.randrange(3))),
        lambda t: commands.react(t, who, seat, dice.choice(("smile", "nod")), clock),
        lambda t: commands.set_chat(t, dice.choice((*CHATS, "never")), dice.random() < 0.5),
        lambda t: commands.set_pace(t, who, dice.choice((*PACES, "never"))),
    ]
    if dice.random() < 0.03:
        choices = [
            lambda t: commands.resign(t, who, level),
            lambda t: commands.begin_rematch(t, "next"),
        ]
    return dice.choice(choices)


@pytest.mark.parametrize(("setting", "kind"), walks())
def test_a_table_equals_its_log_and_refused_commands_change_nothing(
    setting: Setting, kind: str
) -> None:
    dice = Random(f"{setting} {kind}")
    seats = seated(*SEATINGS[kind](setting.seats))
    play = Playing(header(setting.game, seats, **dict(setting.options)))
    for step in range(WALK):
        before, clock = content(play.table), float(step)
        try:
            entries = play.do(any_command(play, dice, clock), clock)
        except RedoubleError:
            entries = []
        if not entries:
            assert content(play.table) == before
        check(play.table)
        if step % 10 == 0 or (entries and entries[0].event.kind not in ("move", "say", "pace")):
            assert content(play.again()) == content(play.table)
    assert content(play.again()) == content(play.table)


def check(table: Table) -> None:
    """Check what is true of every table at any time."""
    names = [seat.name for seat in table.seats]
    assert len(set(names)) == len(names)
    assert tuple(names) == table.match.names
    assert (table.turn is None) == (table.status != "playing")
    assert all(seat.bot or not seat.resigned for seat in table.seats)
    assert table.undo_request is None or table.undo_request.keep < table.match.ply
    assert table.last_move <= table.ply


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_record_of_a_finished_game_replays_with_its_notes(setting: Setting) -> None:
    dice = Random(str(setting))
    seats = seated(*SEATINGS["bots"](setting.seats))
    play = Playing(header(setting.game, seats, **dict(setting.options)))
    with pytest.raises(NotYours, match="when the game is over"):
        play.table.record()
    for _ in range(5):
        play.play_on(dice, plies=dice.randrange(4))
        if play.table.undo_to(person(0)) is not None:
            play.do(lambda t: commands.undo(t, person(0)))
        play.do(lambda t: commands.hand_over(t, person(0), 0, "random", ()))
        play.do(lambda t: commands.back(t, person(0)))
    play.play_on(dice)
    assert play.status == "over"
    record = play.table.record()
    again = redouble.replay(str(record))
    assert again.state == play.table.match.state
    assert record.ranks == play.table.match.outcome.ranks  # type: ignore[union-attr]
    assert list(record.notes) == play.table.notes
    assert record.notes


def test_a_long_game_with_many_notes_has_a_valid_record() -> None:
    game = FOR_TWO[0]
    play = Playing(header(game, seated("p0", "b", "b")))
    for _ in range(MAX_NOTES):
        play.do(lambda t: commands.hand_over(t, person(0), 0, "greedy", ()))
        play.do(lambda t: commands.back(t, person(0)))
    play.play_on(Random(1))
    redouble.replay(str(play.table.record()))


# Moves: late, repeated, and by the wrong person.


def of_three(game: Game) -> Playing:
    return Playing(header(game, seated("p0", "p1", "p2")))


@by_game
def test_a_move_sent_twice_is_made_once(game: Game) -> None:
    play = of_three(game)
    turn, ply = play.table.match.turn, play.table.ply
    assert turn is not None
    move = play.move()
    before = content(play.table)
    assert commands.move(play.table, turn, move, ply) == []
    assert play.table.repeated(person(turn), move, ply) == turn
    assert play.table.repeated(person(turn), move, play.table.ply) is None
    assert content(play.table) == before
    play.do(lambda t: commands.say(t, person(0), 0, "hello", 0.0))
    assert commands.move(play.table, turn, move, ply) == []  # even after a chat message
    assert commands.move(play.again(), turn, move, ply) == []  # after a restart too


@by_game
def test_a_move_from_an_old_page_is_refused(game: Game) -> None:
    play = of_three(game)
    play.move()
    turn = play.table.turn
    assert turn is not None
    last = list(play.table.match.legal_moves)[-1]
    for ply in (0, -5):
        with pytest.raises(Stale, match="position has changed"):
            commands.move(play.table, turn, last, ply)
    with pytest.raises(Stale, match="not yet 99"):
        commands.move(play.table, turn, last, 99)


@by_game
def test_a_bots_move_is_not_taken_for_a_persons_that_was_sent_twice(game: Game) -> None:
    play = of_three(game)
    turn, shown = play.table.turn, play.table.ply
    assert turn is not None
    move = play.table.match.legal_moves[0]
    play.do(lambda t: commands.resign(t, person(turn), "greedy"))
    play.do(lambda t: commands.bot_move(t, t.match.legal_moves.actions[0]))
    for table in (play.table, play.again()):
        with pytest.raises(Stale, match="position has changed"):
            commands.move(table, turn, move, shown)
    for seat in {0, 1, 2} - {turn}:
        play.do(partial(commands.resign, person=person(seat), level="greedy"))
    for table in (play.table, play.again()):
        with pytest.raises(Stale, match="the game is over"):
            commands.move(table, turn, move, shown)


@by_game
def test_a_move_is_made_from_a_page_that_missed_only_chat_and_seating(game: Game) -> None:
    play = Playing(header(game, seated("p0", "p1", "-")))
    play.do(lambda t: commands.say(t, person(0), 0, "is anyone coming?", 0.0))
    play.do(lambda t: commands.sit(t, person(2), "Cleo"))
    shown = play.table.ply
    play.do(lambda t: commands.say(t, person(2), 2, "here I am", 0.0))
    play.do(lambda t: commands.set_pace(t, person(0), "fast"))
    play.do(lambda t: commands.mute(t, [(person(0), person(2))]))
    turn = play.table.turn
    assert turn is not None
    move = play.table.match.legal_moves[0]
    assert play.do(lambda t: commands.move(t, turn, move, shown))
    assert play.table.match.moves == (move,)
    assert commands.move(play.table, turn, move, shown) == []  # sent again from that page


@by_game
def test_no_one_moves_for_another_seat_or_for_their_own_stand_in(game: Game) -> None:
    play = of_three(game)
    turn = play.table.turn
    assert turn is not None
    move = play.table.match.legal_moves[0]
    for seat in {0, 1, 2, -1, 3} - {turn}:
        with pytest.raises(NotYours, match="turn, not yours"):
            commands.move(play.table, seat, move, play.table.ply)
    play.do(lambda t: commands.hand_over(t, person(turn), turn, "greedy", ()))
    with pytest.raises(NotYours, match="take your seat back"):
        commands.move(play.table, turn, move, play.table.ply)


@by_game
def test_an_illegal_move_is_named_with_what_is_legal(game: Game) -> None:
    play = of_three(game)
    turn = play.table.turn
    assert turn is not None
    match = play.table.match
    with pytest.raises(IllegalMove) as refused:
        commands.move(play.table, turn, "castle", play.table.ply)
    assert "'castle'" in str(refused.value)
    assert match.legal_moves[0] in str(refused.value)
    first = midsentence(match.describe(match.legal_moves[0]))
    assert refused.value.in_words.startswith(f"that move isn't legal: you can {first}")
    assert "castle" not in refused.value.in_words
    many = len(match.legal_moves) > commands.MOVES_IN_WORDS
    assert refused.value.in_words.endswith("or make another move") == many


# Undo.


def some_moves(play: Playing, moves: int, seed: str) -> list[tuple[Any, int]]:
    """Play; the states and who was to move in them, before each move and after the last."""
    dice, states = Random(seed), []
    for _ in range(moves):
        turn = play.table.turn
        assert turn is not None
        states.append((play.table.match.state, turn))
        play.move(dice.choice(list(play.table.match.legal_moves)))
    return states


@by_game
@pytest.mark.parametrize("moves", [1, 4, 9])
def test_against_bots_undo_goes_back_to_your_last_decision(game: Game, moves: int) -> None:
    play = Playing(header(game, seated("p0", "b", "b")))
    states = some_moves(play, moves, f"{game.name}")
    if play.table.over:
        return  # a short game
    mine = [ply for ply, (_, turn) in enumerate(states) if turn == 0]
    if not mine:
        with pytest.raises(WebError, match="no decision to undo"):
            commands.undo(play.table, person(0))
        return
    learned = play.table.match.learned(0, mine[-1])
    play.do(lambda t: commands.undo(t, person(0)))
    assert play.table.match.state == states[mine[-1]][0]
    assert play.table.turn == 0
    assert play.table.undos == 1
    assert play.table.hindsight == learned
    assert play.table.notes


def test_undo_is_free_until_something_is_learned_and_counts_afterward() -> None:
    counted = set()
    for game in FOR_TWO:
        for seed in range(8):
            play = Playing(header(game, seated("p0", "b", "b"), seed=f"{seed}"))
            play.play_on(Random(seed), plies=1 + seed)
            if play.table.undo_to(person(0)) is not None and play.table.turn is not None:
                play.do(lambda t: commands.undo(t, person(0)))
                said = play.table.notes[-1][1]
                assert ("new information" in said) == bool(play.table.hindsight)
                counted.add(play.table.hindsight)
    assert counted == {0, 1}


@by_game
def test_on_one_device_undo_needs_no_consent(game: Game) -> None:
    play = Playing(header(game, seated("p0", "p0", "p0")))
    states = some_moves(play, 5, "device")
    for ply in reversed(range(5)):
        play.do(lambda t: commands.undo(t, person(0)))
        assert play.table.match.state == states[ply][0]
    with pytest.raises(WebError, match="no decision to undo"):
        commands.undo(play.table, person(0))


@by_game
def test_undo_needs_the_consent_of_all_other_people(game: Game) -> None:
    play = of_three(game)
    states = some_moves(play, 1, "consent")
    asker, *others = [states[0][1], *({0, 1, 2} - {states[0][1]})]
    play.do(lambda t: commands.undo(t, person(asker)))
    assert play.table.undo_request is not None
    assert play.table.match.ply == 1
    for refused in (
        lambda t: commands.answer(t, person(asker), agree=True),
        lambda t: commands.answer(t, person(9), agree=True),
        lambda t: commands.undo(t, person(asker)),
    ):
        with pytest.raises(WebError):
            play.do(refused)
    play.do(lambda t: commands.answer(t, person(others[0]), agree=True))
    assert play.table.match.ply == 1
    with pytest.raises(Stale, match="already agreed"):
        commands.answer(play.table, person(others[0]), agree=True)
    play.do(lambda t: commands.answer(t, person(others[1]), agree=True))
    assert play.table.match.state == states[0][0]
    assert play.table.undo_request is None
    assert play.table.hindsight == 0
    with pytest.raises(Stale, match="the undo request is gone"):
        commands.answer(play.table, person(others[1]), agree=True)


@by_game
@pytest.mark.parametrize("end", ["move", "refuse", "withdraw", "hand over", "resign", "asker gone"])
def test_an_undo_request_ends_with_a_move_a_refusal_or_a_change_of_players(
    game: Game, end: str
) -> None:
    play = of_three(game)
    asker = some_moves(play, 1, "question")[0][1]
    other, third = {0, 1, 2} - {asker}
    play.do(lambda t: commands.undo(t, person(asker)))
    play.do(lambda t: commands.answer(t, person(other), agree=True))
    if end == "move":
        play.move()
    elif end == "refuse":
        play.do(lambda t: commands.answer(t, person(third), agree=False))
    elif end == "withdraw":
        play.do(lambda t: commands.answer(t, person(asker), agree=False))
    elif end == "hand over":
        play.do(lambda t: commands.hand_over(t, person(third), third, "greedy", ()))
    elif end == "resign":
        play.do(lambda t: commands.resign(t, person(third), "greedy"))
    else:
        play.do(lambda t: commands.resign(t, person(asker), "greedy"))
    assert play.table.undo_request is None
    assert play.table.match.ply == 1 + (end == "move")
    with pytest.raises(Stale, match="the undo request is gone"):
        commands.answer(play.table, person(third), agree=True)


@by_game
def test_players_replaced_by_a_bot_are_not_asked(game: Game) -> None:
    play = of_three(game)
    states = some_moves(play, 1, "bots")
    asker = states[0][1]
    for other in {0, 1, 2} - {asker}:
        play.do(lambda t, other=other: commands.hand_over(t, person(other), other, "greedy", ()))  # type: ignore[misc]
    play.do(lambda t: commands.undo(t, person(asker)))
    assert play.table.match.state == states[0][0]


@by_game_for_one
def test_a_game_for_one_has_unlimited_undo_and_redo(game: Game) -> None:
    play = Playing(header(game, seated("p0")))
    start = play.table.match.state
    some_moves(play, 30, "one")
    state, moves = play.table.match.state, play.table.match.moves
    for _ in range(30):
        play.do(lambda t: commands.undo(t, person(0)))
    assert play.table.match.state == start
    assert play.table.hindsight == 0
    assert content(play.again()) == content(play.table)
    with pytest.raises(WebError, match="no decision to undo"):
        commands.undo(play.table, person(0))
    for _ in range(30):
        play.do(lambda t: commands.redo(t, person(0)))
    assert (play.table.match.state, play.table.match.moves) == (state, moves)
    assert content(play.again()) == content(play.table)
    with pytest.raises(WebError, match="no move to redo"):
        commands.redo(play.table, person(0))


@by_game_for_one
def test_a_new_move_clears_redo(game: Game) -> None:
    play = Playing(header(game, seated("p0")))
    some_moves(play, 6, "forget")
    for _ in range(3):
        play.do(lambda t: commands.undo(t, person(0)))
    play.move(list(play.table.match.legal_moves)[-1])
    with pytest.raises(WebError, match="no move to redo"):
        commands.redo(play.table, person(0))


@by_game_for_one
def test_undo_works_after_the_end_of_a_game_for_one_but_not_after_giving_up(game: Game) -> None:
    play = Playing(header(game, seated("p0")))
    play.play_on(Random(3))
    assert play.table.over
    play.do(lambda t: commands.undo(t, person(0)))
    assert play.status == "playing"
    play.do(lambda t: commands.resign(t, person(0), "greedy"))
    assert play.status == "abandoned"
    for command in (lambda t: commands.undo(t, person(0)), lambda t: commands.redo(t, person(0))):
        with pytest.raises(WebError):
            play.do(command)


@by_game_for_one
def test_there_is_no_undo_or_redo_while_a_bot_plays(game: Game) -> None:
    play = Playing(header(game, seated("p0")))
    some_moves(play, 3, "bot")
    play.do(lambda t: commands.undo(t, person(0)))
    play.do(lambda t: commands.hand_over(t, person(0), 0, "greedy", ()))
    for command in (lambda t: commands.undo(t, person(0)), lambda t: commands.redo(t, person(0))):
        with pytest.raises(WebError):
            play.do(command)


@by_game_for_one
def test_a_long_game_looks_the_same_after_loading(game: Game) -> None:
    play = Playing(header(game, seated("p0")))
    dice = Random("long")
    while play.table.turn is not None and play.table.match.ply < 2 * MAX_LINES:
        some_moves(play, 1, str(dice.random()))
    for _ in range(min(MAX_LINES, play.table.match.ply) - 5):
        play.do(lambda t: commands.undo(t, person(0)))
    assert any(line.texts[SPECTATOR] for line in play.table.lines)
    assert play.again().lines == play.table.lines


@by_game
def test_there_is_no_undo_after_a_game_for_several_is_over(game: Game) -> None:
    play = Playing(header(game, seated("p0", "b", "b")))
    play.play_on(Random(5))
    assert play.table.undo_to(person(0)) is None


# Seats.


@by_game
def test_a_player_who_resigns_stays_out_and_the_bot_plays_to_the_end(game: Game) -> None:
    play = of_three(game)
    play.do(lambda t: commands.resign(t, person(1), "random"))
    assert play.table.seats[1] == Seat("Player 1", person(1), "random", resigned=True)
    for command in (
        lambda t: commands.back(t, person(1)),
        lambda t: commands.resign(t, person(1), "greedy"),
        lambda t: commands.leave(t, person(1)),
    ):
        with pytest.raises(WebError):
            play.do(command)
    play.play_on(Random(2))
    assert play.status == "over"
    assert any("resigns" in note for _, note in play.table.notes)


@by_game
def test_when_everyone_has_resigned_the_game_is_abandoned(game: Game) -> None:
    play = Playing(header(game, seated("p0", "p1", "b")))
    play.do(lambda t: commands.resign(t, person(0), "greedy"))
    assert play.status == "playing"
    play.do(lambda t: commands.resign(t, person(1), "greedy"))
    assert play.status == "abandoned"
    assert play.table.turn is None
    first, second = (note for _, note in play.table.notes)
    assert first.endswith("resigns; a bot (greedy) takes over.")
    assert second.endswith("resigns.")  # nobody is left to play on for
    redouble.replay(str(play.table.record()))


@by_game
def test_a_bot_stands_in_until_its_player_returns(game: Game) -> None:
    play = of_three(game)
    play.do(lambda t: commands.hand_over(t, person(0), 1, "greedy", absent={1}))
    assert play.table.seats[1].stand_in
    with pytest.raises(Stale, match="already"):
        commands.hand_over(play.table, person(0), 1, "greedy", {1})
    with pytest.raises(Stale, match="no bot plays for you"):
        commands.back(play.table, person(2))
    play.do(lambda t: commands.back(t, person(1)))
    assert play.table.seats[1] == Seat("Player 1", person(1))


@by_game
def test_a_present_players_seat_cannot_be_given_to_a_bot(game: Game) -> None:
    play = of_three(game)
    for who in (0, 2):
        with pytest.raises(NotYours, match="is here"):
            commands.hand_over(play.table, person(who), 1, "greedy", absent={0, 2})
    with pytest.raises(NotYours, match="only players"):
        commands.hand_over(play.table, person(9), 1, "greedy", absent={1})
    with pytest.raises(RedoubleError, match="no bot 'deep'"):
        commands.hand_over(play.table, person(1), 1, "deep", ())
    with pytest.raises(WebError, match="no such seat at this table: its players are "):
        commands.hand_over(play.table, person(1), 7, "greedy", ())


@by_game
def test_friends_join_and_leave_while_the_game_waits_for_them(game: Game) -> None:
    play = Playing(header(game, seated("p0", "-", "-")))
    assert play.status == "waiting"
    assert play.table.turn is None
    with pytest.raises(Stale, match="hasn't begun"):
        commands.move(play.table, play.table.match.turn or 0, play.table.match.legal_moves[0], 0)
    with pytest.raises(WebError, match="hasn't begun"):
        commands.resign(play.table, person(0), "greedy")
    play.do(lambda t: commands.sit(t, person(1), "Ben", 2))
    with pytest.raises(Stale, match="that seat is taken"):
        commands.sit(play.table, person(2), "Cleo", 2)
    with pytest.raises(WebError, match="already"):
        commands.sit(play.table, person(1), "Ben", 1)
    with pytest.raises(NotYours):
        commands.leave(play.table, person(2))
    play.do(lambda t: commands.leave(t, person(1)))
    assert play.table.seats_of(person(1)) == []
    assert play.table.seats[2].open
    play.do(lambda t: commands.sit(t, person(1), "Ben"))
    play.do(lambda t: commands.hand_over(t, person(0), 2, "greedy", ()))
    assert play.status == "playing"
    with pytest.raises(Stale, match="every seat"):
        commands.sit(play.table, person(3), "Dan")
    with pytest.raises(WebError, match="has begun"):
        commands.leave(play.table, person(1))
    assert content(play.again()) == content(play.table)


@by_game
def test_a_seat_that_is_open_again_loses_its_name(game: Game) -> None:
    play = Playing(header(game, seated("p0", "-", "-")))
    play.do(lambda t: commands.leave(t, person(0)))
    assert play.table.seats[0] == Seat("Player 1")
    assert play.table.lines[-1].texts[SPECTATOR] == "is open again: Player 0 left"
    play.do(lambda t: commands.sit(t, person(1), "Ben", 0))
    play.do(lambda t: commands.sit(t, person(2), "Player 1", 1))
    play.do(lambda t: commands.leave(t, person(1)))
    check(play.table)


@by_game
def test_a_new_player_does_not_inherit_the_previous_players_words(game: Game) -> None:
    play = Playing(header(game, seated("p0", "-", "-")))
    play.do(lambda t: commands.sit(t, person(1), "Ben", 1))
    play.do(lambda t: commands.say(t, person(0), 0, "hello", 0.0))
    play.do(lambda t: commands.say(t, person(1), 1, "this is silly", 0.0))
    play.do(lambda t: commands.mute(t, [(person(0), person(1))]))
    play.do(lambda t: commands.mute(t, [(person(1), person(0))]))
    play.do(lambda t: commands.leave(t, person(1)))
    play.do(lambda t: commands.sit(t, person(2), "Cleo", 1))
    assert [said.text for said in play.table.hears(1)] == ["hello"]
    play.do(lambda t: commands.say(t, person(2), 1, "hi", 0.0))
    assert [said.text for said in play.table.hears(0)] == ["hello", "hi"]
    told = [line.texts[SPECTATOR] for line in play.table.lines if line.seat == 1]
    assert told == ["is open again: Ben left", "sits down"]
    assert content(play.again()) == content(play.table)


# Chat.


@by_game
def test_chat_is_short_rate_limited_and_only_for_your_own_seat(game: Game) -> None:
    play = of_three(game)

    def say(text: str, at: float) -> Command:
        return lambda t: commands.say(t, person(0), 0, text, at)

    play.do(say("x" * CHAT_LENGTH, 0.0), at=0.0)
    with pytest.raises(TooLarge):
        play.do(say("x" * (CHAT_LENGTH + 1), 0.0))
    for nothing in ("", "  \n ", "\x00\u202e\u2028"):
        with pytest.raises(WebError, match="message is empty"):
            play.do(say(nothing, 0.0))
    for seat in (1, -1, 3):
        with pytest.raises(WebError):
            play.do(lambda t, seat=seat: commands.say(t, person(0), seat, "hello", 0.0))  # type: ignore[misc]
    for number in range(1, CHAT_BURST):
        play.do(say(f"{number}", 1.0), at=1.0)
    for table in (play.table, play.again()):
        with pytest.raises(TooMuch):
            commands.say(table, person(0), 0, "again", CHAT_SECONDS - 0.1)
        assert commands.say(table, person(0), 0, "again", -3600.0)  # the clock was set back
    play.do(lambda t: commands.say(t, person(1), 1, "quiet!", 2.0), at=2.0)
    play.do(say("again", CHAT_SECONDS), at=CHAT_SECONDS)
    assert [said.text for said in play.table.hears(2)][-2:] == ["quiet!", "again"]
    assert play.table.hears(SPECTATOR) == []


def test_unprintable_characters_become_spaces_in_chat() -> None:
    play = of_three(FOR_TWO[0])
    play.do(lambda t: commands.say(t, person(0), 0, "a\x00b\ud800c\u202ed\ne", 0.0))
    assert play.table.chat[-1].text == "a b c d e"


def test_a_reaction_is_shown_for_a_moment_to_players_who_have_not_muted_its_sender() -> None:
    play = of_three(FOR_TWO[0])

    def react(at: float, who: int = 1, seat: int = 1, look: str = "smile") -> None:
        play.do(lambda t: commands.react(t, person(who), seat, look, at), at=at)

    def seen(seat: int, at: float) -> list[str]:
        return [one.look for one in play.table.reacting(seat, at)]

    react(5.0)
    assert [seen(seat, 6.0) for seat in (0, 1, 2, SPECTATOR)] == [["smile"]] * 3 + [[]]
    assert seen(0, 5.0 + SHOWN_SECONDS) == []
    for refused in ({"who": 0}, {"who": 9}, {"seat": 7}, {"look": "<b>"}):
        with pytest.raises(WebError):
            react(6.0, **refused)
    for _ in range(REACTION_BURST - 1):
        react(6.0, look="heart")
    for table in (play.table, play.again()):
        with pytest.raises(TooMuch, match="in 9 s"):
            commands.react(table, person(1), 1, "smile", 6.0)
    react(5.0 + REACTION_SECONDS)
    play.do(lambda t: commands.mute(t, [(person(0), person(1))]))
    assert [seen(seat, 16.0) for seat in (0, 2)] == [[], ["smile"]]
    assert content(play.again()) == content(play.table)


def test_the_host_slows_the_chat_down_or_turns_it_off() -> None:
    play = of_three(FOR_TWO[0])

    def say(at: float) -> None:
        play.do(lambda t: commands.say(t, person(1), 1, "hello", at), at=at)

    with pytest.raises(NotYours):
        commands.set_chat(play.table, "off", hosting=False)
    play.do(lambda t: commands.set_chat(t, "30-seconds", hosting=True))
    say(100.0)
    with pytest.raises(TooMuch, match="again in 20 s"):
        say(110.0)
    say(130.0)
    play.do(lambda t: commands.set_chat(t, "off", hosting=True))
    with pytest.raises(WebError, match="turned the chat off"):
        say(500.0)
    play.do(lambda t: commands.react(t, person(1), 1, "smile", 500.0))
    assert [event.kind for event in rematch_begun(play.again())] == ["chat"]


def test_nobody_writes_faster_by_leaving_a_public_table_and_coming_back() -> None:
    play = Playing(replace(header(FOR_TWO[0], seated("p0", "-", "-")), public=True))
    play.do(lambda t: commands.sit(t, person(1), "Ben", 1))
    play.do(lambda t: commands.say(t, person(1), 1, "hello", 9.0), at=9.0)
    play.do(lambda t: commands.leave(t, person(1)))
    play.do(lambda t: commands.sit(t, person(1), "Ben", 1))
    with pytest.raises(TooMuch, match="again in 4 s"):
        commands.say(play.table, person(1), 1, "hello", 10.0)


@by_game
def test_muting_hides_a_player_from_that_seat_only(game: Game) -> None:
    play = of_three(game)
    play.do(lambda t: commands.mute(t, [(person(0), person(1))]))
    play.do(lambda t: commands.say(t, person(1), 1, "psst", 0.0))
    assert play.table.hears(0) == []
    assert [said.text for said in play.table.hears(2)] == ["psst"]
    assert play.do(lambda t: commands.mute(t, [(person(0), person(1))])) == []
    play.do(lambda t: commands.unmute(t, person(0), person(1)))
    assert [said.text for said in play.table.hears(0)] == ["psst"]
    assert commands.fellow_player(play.table, person(0), 1) == person(1)
    for who, seat in ((9, 1), (0, 0), (0, 8)):
        with pytest.raises(WebError):
            commands.fellow_player(play.table, person(who), seat)
    assert commands.other_person(play.table, person(9), 1) == person(1)


@by_game
def test_only_players_set_the_pace(game: Game) -> None:
    play = of_three(game)
    play.do(lambda t: commands.set_pace(t, person(1), "fast"))
    assert play.do(lambda t: commands.set_pace(t, person(2), "fast")) == []
    assert play.table.pace == "fast"
    with pytest.raises(NotYours):
        commands.set_pace(play.table, person(9), "slow")
    with pytest.raises(WebError, match="pace 'warp' is unknown"):
        commands.set_pace(play.table, person(1), "warp")


@by_game
def test_there_is_one_rematch(game: Game) -> None:
    play = of_three(game)
    play.do(lambda t: commands.begin_rematch(t, "next"))
    assert play.table.rematch == "next"
    with pytest.raises(Stale):
        commands.begin_rematch(play.table, "another")


@by_game
def test_a_copy_is_independent(game: Game) -> None:
    play = of_three(game)
    play.do(lambda t: commands.say(t, person(0), 0, "hello", 0.0))
    play.play_on(Random(1), plies=6)
    before = content(play.table)
    twin = Playing(play.table.header)
    twin.table = play.table.copy()
    twin.do(lambda t: commands.say(t, person(0), 0, "bye", 0.0))
    twin.do(lambda t: commands.mute(t, [(person(0), person(1))]))
    twin.do(lambda t: commands.undo(t, person(0)))
    twin.do(lambda t: commands.answer(t, person(1), agree=True))
    twin.do(lambda t: commands.answer(t, person(2), agree=True))
    twin.play_on(Random(2))
    assert content(play.table) == before


def test_an_entry_out_of_order_is_refused() -> None:
    play = of_three(FOR_TWO[0])
    play.move()
    late = replace(play.log[0], ply=5)
    with pytest.raises(AssertionError, match="entry 5 after 1"):
        apply(play.table, late)
