"""The fold: a table is its header and its log, and a refused act leaves no trace."""

from dataclasses import replace
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
from redouble.web.errors import NotYours, Stale, TooMuch, WebError
from redouble.web.live.plan import rematch_begun
from redouble.web.table import CHAT_LENGTH, PACES, Act, Seat, Table, apply
from redouble.web.table import talk as chat
from redouble.web.table.acts import bots, rematch, seats, talk, undo
from redouble.web.table.acts import play as moves
from redouble.web.table.state import MAX_LINES
from tests.helpers.worlds import Setting
from tests.web.helpers.play import (
    SEATINGS,
    Command,
    Playing,
    asks,
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
UNDO, REDO = undo.Undoing(step=True), undo.Redoing(step=True)
AGREE, REFUSE = undo.AgreeToUndo(), undo.RefuseUndo()
LEAVE, BACK, RESIGN = seats.Leave(), bots.Return(), bots.Resigning(level="greedy")


def bot_at(seat: int, level: str = "greedy") -> Act:
    return bots.BotSeat.model_construct(seat=seat, level=level)


def says(text: str = "hello", seat: int | None = None) -> Act:
    return talk.Saying.model_construct(text=text, seat=seat)


def takes(who: int, name: str, seat: int | None = None) -> Command:
    """What a person does who takes a seat."""
    return lambda table: seats.sit(table, person(who), name, seat)


def at(game: Game, *kinds: str, seed: str = "seed") -> Playing:
    """A table with these seats, by default of three people."""
    return Playing(header(game, seated(*(kinds or ("p0", "p1", "p2"))), seed=seed))


def turn_of(play: Playing) -> int:
    assert play.table.turn is not None
    return play.table.turn


def refused(play: Playing, who: int, *acts: Act, says: str = ".", by: type = WebError) -> None:
    """Check that none of these acts is allowed."""
    for act in acts:
        with pytest.raises(by, match=says):
            play.ask(who, act)


def walks() -> list[Any]:
    return [
        pytest.param(setting, kind, id=f"{setting}-{kind}")
        for setting in SETTINGS
        for kind in SEATINGS
        if setting.seats > 1 or kind == "bots"
    ]


def any_command(play: Playing, dice: Random, clock: float) -> Command:
    """A command that a person could give: valid, late, or not theirs to give."""
    table, number = play.table, dice.choice((0, 0, 0, 1, 2, 9))
    seat = dice.randrange(-1, table.match.seats + 1)
    turn, level = table.turn, dice.choice(("greedy", "random", "greedy", "nobody"))
    legal: list[str] = list(table.match.legal_moves)
    if turn is not None and dice.random() < 0.6:
        if table.seats[turn].bot:
            return lambda t: moves.bot_move(t, dice.choice(t.match.legal_moves.actions))
        ply = dice.choice((table.ply, table.ply, table.last_move, table.ply + 1, 0))
        move = dice.choice([*legal, "nonsense"] if dice.random() < 0.2 else legal)
        return lambda t: moves.make_move(t, turn, move, ply)
    if dice.random() < 0.03:
        resigns = asks(person(number), bots.Resigning(level=level))
        return dice.choice((resigns, lambda t: rematch.begin_rematch(t, "next")))
    others: list[Command] = [
        lambda t: moves.make_move(t, seat, dice.choice([*legal, "none"]), t.ply),
        takes(dice.randrange(5), "Anna", dice.choice((None, seat))),
    ]
    acts: list[Act] = [
        *(UNDO, REDO, AGREE, REFUSE, LEAVE, BACK, bot_at(seat, level)),
        says(dice.choice(("hello", "", "fuck")), seat),
        talk.Reacting.model_construct(reaction=dice.choice(("smile", "nod")), seat=seat),
        talk.NewChat(chat=dice.choice((*chat.CHATS, "never"))),
        bots.NewPace(pace=dice.choice((*PACES, "never"))),
    ]
    absent, hosting = frozenset(dice.choice(((), (0, 1)))), dice.random() < 0.5
    asked = [
        asks(person(who), act, now=clock, absent=absent, hosting=hosting)
        for who in (number, dice.randrange(2))
        for act in acts
    ]
    return dice.choice([*others, *others, *asked])


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
    assert table.undone.request is None or table.undone.request.keep < table.match.ply
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
        if undo.undo_to(play.table, person(0)) is not None:
            play.ask(0, UNDO)
        play.ask(0, bot_at(0, "random"))
        play.ask(0, BACK)
    play.play_on(dice)
    assert play.status == "over"
    record = play.table.record()
    again = redouble.replay(str(record))
    assert again.state == play.table.match.state
    assert record.ranks == play.table.match.outcome.ranks  # type: ignore[union-attr]
    assert list(record.notes) == play.table.notes
    assert record.notes


def test_a_long_game_with_many_notes_has_a_valid_record() -> None:
    play = at(FOR_TWO[0], "p0", "b", "b")
    for _ in range(MAX_NOTES):
        play.ask(0, bot_at(0))
        play.ask(0, BACK)
    play.play_on(Random(1))
    redouble.replay(str(play.table.record()))


# Moves: late, repeated, and by the wrong person.


@by_game
def test_a_move_sent_twice_is_made_once(game: Game) -> None:
    play = at(game)
    turn, ply = turn_of(play), play.table.ply
    move = play.move()
    before = content(play.table)
    assert moves.make_move(play.table, turn, move, ply) == []
    assert moves.repeated(play.table, person(turn), move, ply) == turn
    assert moves.repeated(play.table, person(turn), move, play.table.ply) is None
    assert content(play.table) == before
    play.ask(0, says())
    for table in (play.table, play.again()):  # also after a chat message, and a restart
        assert moves.make_move(table, turn, move, ply) == []


@by_game
def test_a_move_from_an_old_page_is_refused(game: Game) -> None:
    play = at(game)
    play.move()
    turn, last = turn_of(play), list(play.table.match.legal_moves)[-1]
    for ply, said in (
        (0, "position has changed"),
        (-5, "position has changed"),
        (99, "not yet 99"),
    ):
        with pytest.raises(Stale, match=said):
            moves.make_move(play.table, turn, last, ply)


@by_game
def test_a_bots_move_is_not_taken_for_a_persons_that_was_sent_twice(game: Game) -> None:
    play = at(game)
    turn, shown, move = turn_of(play), play.table.ply, play.table.match.legal_moves[0]
    play.ask(turn, RESIGN)
    play.move()
    others = sorted({0, 1, 2} - {turn})
    for said, resigning in (("position has changed", others), ("the game is over", [])):
        for table in (play.table, play.again()):
            with pytest.raises(Stale, match=said):
                moves.make_move(table, turn, move, shown)
        for seat in resigning:
            play.ask(seat, RESIGN)


@by_game
def test_a_move_is_made_from_a_page_that_missed_only_chat_and_seating(game: Game) -> None:
    play = at(game, "p0", "p1", "-")
    play.ask(0, says("is anyone coming?"))
    play.do(takes(2, "Cleo"))
    shown = play.table.ply
    play.ask(2, says("here I am"))
    play.ask(0, bots.NewPace(pace="fast"))
    turn, move = turn_of(play), play.table.match.legal_moves[0]
    assert play.do(lambda t: moves.make_move(t, turn, move, shown))
    assert play.table.match.moves == (move,)
    assert moves.make_move(play.table, turn, move, shown) == []  # sent again from that page


@by_game
def test_no_one_moves_for_another_seat_or_for_their_own_stand_in(game: Game) -> None:
    play = at(game)
    turn, move = turn_of(play), play.table.match.legal_moves[0]
    for seat in {0, 1, 2, -1, 3} - {turn}:
        with pytest.raises(NotYours, match="turn, not yours"):
            moves.make_move(play.table, seat, move, play.table.ply)
    play.ask(turn, bot_at(turn))
    with pytest.raises(NotYours, match="take your seat back"):
        moves.make_move(play.table, turn, move, play.table.ply)


@by_game
def test_an_illegal_move_is_named_with_what_is_legal(game: Game) -> None:
    play = at(game)
    match = play.table.match
    with pytest.raises(IllegalMove) as wrong:
        moves.make_move(play.table, turn_of(play), "castle", play.table.ply)
    assert "'castle'" in str(wrong.value)
    assert match.legal_moves[0] in str(wrong.value)
    first = midsentence(match.describe(match.legal_moves[0]))
    assert wrong.value.in_words.startswith(f"that move isn't legal: you can {first}")
    assert "castle" not in wrong.value.in_words
    many = len(match.legal_moves) > moves.MOVES_IN_WORDS
    assert wrong.value.in_words.endswith("or make another move") == many


# Undo.


def some_moves(play: Playing, moves: int, seed: str) -> list[tuple[Any, int]]:
    """Play; the states and who was to move in them, before each move and after the last."""
    dice, states = Random(seed), []
    for _ in range(moves):
        states.append((play.table.match.state, turn_of(play)))
        play.move(dice.choice(list(play.table.match.legal_moves)))
    return states


@by_game
@pytest.mark.parametrize("moves", [1, 4, 9])
def test_against_bots_undo_goes_back_to_your_last_decision(game: Game, moves: int) -> None:
    play = at(game, "p0", "b", "b")
    states = some_moves(play, moves, f"{game.name}")
    if play.table.over:
        return  # a short game
    mine = [ply for ply, (_, turn) in enumerate(states) if turn == 0]
    if not mine:
        refused(play, 0, UNDO, says="no decision to undo")
        return
    learned = play.table.match.learned(0, mine[-1])
    play.ask(0, UNDO)
    table = play.table
    assert (table.match.state, table.turn) == (states[mine[-1]][0], 0)
    assert (table.undone.times, table.undone.hindsight) == (1, learned)
    assert table.notes


def test_undo_is_free_until_something_is_learned_and_counts_afterward() -> None:
    counted = set()
    for game in FOR_TWO:
        for seed in range(8):
            play = at(game, "p0", "b", "b", seed=f"{seed}")
            play.play_on(Random(seed), plies=1 + seed)
            if undo.undo_to(play.table, person(0)) is not None and play.table.turn is not None:
                play.ask(0, UNDO)
                said, hindsight = play.table.notes[-1][1], play.table.undone.hindsight
                assert ("new information" in said) == bool(hindsight)
                counted.add(hindsight)
    assert counted == {0, 1}


@by_game
def test_on_one_device_undo_needs_no_consent(game: Game) -> None:
    play = at(game, "p0", "p0", "p0")
    for state, _ in reversed(some_moves(play, 5, "device")):
        play.ask(0, UNDO)
        assert play.table.match.state == state
    refused(play, 0, UNDO, says="no decision to undo")


@by_game
def test_undo_needs_the_consent_of_all_other_people(game: Game) -> None:
    play = at(game)
    ((state, asker),) = some_moves(play, 1, "consent")
    first, second = sorted({0, 1, 2} - {asker})
    play.ask(asker, UNDO)
    assert play.table.undone.request is not None
    refused(play, asker, AGREE, UNDO)
    refused(play, 9, AGREE)
    play.ask(first, AGREE)
    assert play.table.match.ply == 1
    refused(play, first, AGREE, says="already agreed", by=Stale)
    play.ask(second, AGREE)
    assert play.table.match.state == state
    assert play.table.undone.request is None
    assert play.table.undone.hindsight == (game.name == "double-down")  # a card was drawn
    refused(play, second, AGREE, says="the undo request is no longer open", by=Stale)


@by_game
@pytest.mark.parametrize("end", ["move", "refuse", "withdraw", "hand over", "resign", "asker gone"])
def test_an_undo_request_ends_with_a_move_a_refusal_or_a_change_of_players(
    game: Game, end: str
) -> None:
    play = at(game)
    asker = some_moves(play, 1, "question")[0][1]
    other, third = {0, 1, 2} - {asker}
    play.ask(asker, UNDO)
    play.ask(other, AGREE)
    ends: dict[str, tuple[int, Act]] = {
        "refuse": (third, REFUSE),
        "withdraw": (asker, REFUSE),
        "hand over": (third, bot_at(third)),
        "resign": (third, RESIGN),
        "asker gone": (asker, RESIGN),
    }
    if end == "move":
        play.move()
    else:
        play.ask(*ends[end])
    assert play.table.undone.request is None
    assert play.table.match.ply == 1 + (end == "move")
    refused(play, third, AGREE, says="the undo request is no longer open", by=Stale)
    if end in ("refuse", "withdraw"):
        refused(play, asker, UNDO, says="this undo was refused")
        assert not undo.can_undo(play.table, person(asker))
    elif end != "asker gone":
        assert undo.can_undo(play.table, person(asker))


@by_game
def test_players_replaced_by_a_bot_are_not_asked(game: Game) -> None:
    play = at(game)
    ((state, asker),) = some_moves(play, 1, "bots")
    for other in {0, 1, 2} - {asker}:
        play.ask(other, bot_at(other))
    play.ask(asker, UNDO)
    assert play.table.match.state == state


@by_game_for_one
def test_a_game_for_one_has_unlimited_undo_and_redo(game: Game) -> None:
    play = at(game, "p0")
    match = play.table.match
    before = match.state, match.moves
    some_moves(play, 30, "one")
    after = match.state, match.moves
    for act, there, said in ((UNDO, before, "decision to undo"), (REDO, after, "move to redo")):
        for _ in range(30):
            play.ask(0, act)
        assert (match.state, match.moves) == there
        assert play.table.undone.hindsight == 0
        assert content(play.again()) == content(play.table)
        refused(play, 0, act, says=said)


@by_game_for_one
def test_a_new_move_clears_redo(game: Game) -> None:
    play = at(game, "p0")
    some_moves(play, 6, "forget")
    for _ in range(3):
        play.ask(0, UNDO)
    play.move(list(play.table.match.legal_moves)[-1])
    refused(play, 0, REDO, says="no move to redo")


@by_game_for_one
def test_undo_works_after_the_end_of_a_game_for_one_but_not_after_giving_up(game: Game) -> None:
    play = at(game, "p0")
    play.play_on(Random(3))
    assert play.table.over
    play.ask(0, UNDO)
    assert play.status == "playing"
    play.ask(0, RESIGN)
    assert play.status == "abandoned"
    refused(play, 0, UNDO, REDO)


@by_game_for_one
def test_there_is_no_undo_or_redo_while_a_bot_plays(game: Game) -> None:
    play = at(game, "p0")
    some_moves(play, 3, "bot")
    play.ask(0, UNDO)
    play.ask(0, bot_at(0))
    refused(play, 0, UNDO, REDO)


@by_game_for_one
def test_a_long_game_looks_the_same_after_loading(game: Game) -> None:
    play, dice = at(game, "p0"), Random("long")
    while play.table.turn is not None and play.table.match.ply < 2 * MAX_LINES:
        some_moves(play, 1, str(dice.random()))
    for _ in range(min(MAX_LINES, play.table.match.ply) - 5):
        play.ask(0, UNDO)
    assert any(line.texts[SPECTATOR] for line in play.table.lines)
    assert play.again().lines == play.table.lines


@by_game
def test_there_is_no_undo_after_a_game_for_several_is_over(game: Game) -> None:
    play = at(game, "p0", "b", "b")
    play.play_on(Random(5))
    assert undo.undo_to(play.table, person(0)) is None


# Seats.


@by_game
def test_a_player_who_resigns_stays_out_and_the_bot_plays_to_the_end(game: Game) -> None:
    play = at(game)
    play.ask(1, bots.Resigning(level="random"))
    assert play.table.seats[1] == Seat("Player 1", person(1), "random", resigned=True)
    refused(play, 1, BACK, RESIGN, LEAVE)
    play.play_on(Random(2))
    assert play.status == "over"
    assert any("resigns" in note for _, note in play.table.notes)


@by_game
def test_when_everyone_has_resigned_the_game_is_abandoned(game: Game) -> None:
    play = at(game, "p0", "p1", "b")
    for who, status in ((0, "playing"), (1, "abandoned")):
        play.ask(who, RESIGN)
        assert play.status == status
    assert play.table.turn is None
    first, second = (note for _, note in play.table.notes)
    assert first.endswith("resigns; a bot (greedy) takes over.")
    assert second.endswith("resigns.")  # nobody is left to play on for
    redouble.replay(str(play.table.record()))


@by_game
def test_a_bot_stands_in_until_its_player_returns(game: Game) -> None:
    play, absent = at(game), frozenset({1})
    while play.table.turn != 1:
        play.move()
    play.ask(0, bot_at(1), absent=absent)
    assert play.table.seats[1].stand_in
    with pytest.raises(Stale, match="already"):
        play.ask(0, bot_at(1), absent=absent)
    refused(play, 2, BACK, says="no bot plays for you", by=Stale)
    play.ask(1, BACK)
    assert play.table.seats[1] == Seat("Player 1", person(1))


@by_game
@pytest.mark.parametrize(
    ("who", "seat", "absent", "said"),
    [
        (0, 1, {0, 2}, "is at the table"),
        (2, 1, {0, 2}, "is at the table"),
        (9, 1, {1}, "only players"),
        (1, 7, set(), "no such seat at this table: its players are "),
    ],
)
def test_a_present_players_seat_cannot_be_given_to_a_bot(
    game: Game, who: int, seat: int, absent: set[int], said: str
) -> None:
    with pytest.raises(WebError, match=said):
        at(game).ask(who, bot_at(seat), absent=frozenset(absent))
    refused(at(game), 1, bot_at(1, "deep"), says="no bot 'deep'", by=RedoubleError)


@by_game
def test_friends_join_and_leave_while_the_game_waits_for_them(game: Game) -> None:
    play = at(game, "p0", "-", "-")
    assert (play.status, play.table.turn) == ("waiting", None)
    with pytest.raises(Stale, match="hasn't begun"):
        moves.make_move(play.table, play.table.match.turn or 0, play.table.match.legal_moves[0], 0)
    refused(play, 0, RESIGN, says="hasn't begun")
    play.do(takes(1, "Ben", 2))
    for command, said in (
        (takes(2, "Cleo", 2), "that seat is taken"),
        (takes(1, "Ben", 1), "already"),
    ):
        with pytest.raises(WebError, match=said):
            play.do(command)
    refused(play, 2, LEAVE, by=NotYours)
    play.ask(1, LEAVE)
    assert play.table.seats_of(person(1)) == []
    assert play.table.seats[2].open
    play.do(takes(1, "Ben"))
    play.ask(0, bot_at(2))
    assert play.status == "playing"
    with pytest.raises(Stale, match="every seat"):
        play.do(takes(3, "Dan"))
    refused(play, 1, LEAVE, says="has begun")
    assert content(play.again()) == content(play.table)


@by_game
def test_a_seat_that_is_open_again_loses_its_name(game: Game) -> None:
    play = at(game, "p0", "-", "-")
    play.ask(0, LEAVE)
    assert play.table.seats[0] == Seat("Player 1")
    said = play.table.lines[-1].heard(SPECTATOR)
    assert (said.name, said.words) == ("Player 0", "leaves the table")
    play.do(takes(1, "Ben", 0))
    play.do(takes(2, "Player 1", 1))
    play.ask(1, LEAVE)
    check(play.table)


@by_game
def test_a_new_player_does_not_inherit_the_previous_players_words(game: Game) -> None:
    play = at(game, "p0", "-", "-")
    play.do(takes(1, "Ben", 1))
    play.ask(0, says())
    play.ask(1, says("this is silly"))
    play.ask(1, LEAVE)
    play.do(takes(2, "Cleo", 1))
    assert heard(play) == ["hello"]
    play.ask(2, says("hi"))
    assert heard(play) == ["hello", "hi"]
    told = [line.heard(0) for line in play.table.lines if line.seat == 1]
    said = [(line.name, line.words) for line in told]
    assert said == [("Ben", "leaves the table"), ("Cleo", "sits down")], "who it was then"
    assert content(play.again()) == content(play.table)


# Chat.


def heard(play: Playing) -> list[str]:
    return [said.text for said in play.table.talk.chat]


@by_game
def test_chat_is_rate_limited_and_only_for_your_own_seat(game: Game) -> None:
    play = at(game)
    play.ask(0, says("x" * CHAT_LENGTH))
    refused(play, 0, *map(says, ("", "  \n ", "\x00\u202e\u2028")), says="message is empty")
    refused(play, 0, *[says(seat=seat) for seat in (1, -1, 3)])
    for number in range(1, chat.CHAT_BURST):
        play.ask(0, says(f"{number}"), at=1.0)
    for table in (play.table, play.again()):
        with pytest.raises(TooMuch):
            asks(person(0), says("again"), now=chat.CHAT_SECONDS - 0.1)(table)
        assert asks(person(0), says("again"), now=-3600.0)(table)  # the clock was set back
    play.ask(1, says("quiet!"), at=2.0)
    play.ask(0, says("again"), at=chat.CHAT_SECONDS)
    assert heard(play)[-2:] == ["quiet!", "again"]


def test_unprintable_characters_become_spaces_in_chat() -> None:
    play = at(FOR_TWO[0])
    play.ask(0, says("a\x00b\ud800c\u202ed\ne"))
    assert heard(play) == ["a b c d e"]


def test_a_reaction_is_shown_for_a_moment() -> None:
    play = at(FOR_TWO[0])

    def react(at: float, who: int = 1, seat: int = 1, look: str = "smile") -> None:
        play.ask(who, talk.Reacting(reaction=look, seat=seat), at=at)

    def seen(at: float) -> list[str]:
        return [one.look for one in play.table.talk.reacting(at)]

    react(5.0)
    assert seen(6.0) == ["smile"]
    assert seen(5.0 + chat.SHOWN_SECONDS) == []
    for wrong in ({"who": 0}, {"who": 9}, {"seat": 7}, {"look": "<b>"}):
        with pytest.raises(WebError):
            react(6.0, **wrong)
    for _ in range(chat.REACTION_BURST - 1):
        react(6.0, look="heart")
    for table in (play.table, play.again()):
        with pytest.raises(TooMuch, match="in 9 s"):
            asks(person(1), talk.Reacting(reaction="smile"), now=6.0)(table)
    react(5.0 + chat.REACTION_SECONDS)
    assert seen(16.0) == ["smile"]
    assert content(play.again()) == content(play.table)


def test_the_host_slows_the_chat_down_or_turns_it_off() -> None:
    play = at(FOR_TWO[0])
    refused(play, 1, talk.NewChat(chat="off"), by=NotYours)
    play.ask(1, talk.NewChat(chat="30-seconds"), hosting=True)
    play.ask(1, says(), at=100.0)
    with pytest.raises(TooMuch, match="again in 20 s"):
        play.ask(1, says(), at=110.0)
    play.ask(1, says(), at=130.0)
    play.ask(1, talk.NewChat(chat="off"), hosting=True)
    with pytest.raises(WebError, match="turned the chat off"):
        play.ask(1, says(), at=500.0)
    play.ask(1, talk.Reacting(reaction="smile"), at=500.0)
    assert [event.kind for event in rematch_begun(play.again(), play.table.seats)] == ["chat"]


def test_nobody_writes_faster_by_leaving_a_public_table_and_coming_back() -> None:
    play = Playing(replace(at(FOR_TWO[0], "p0", "-", "-").table.header, public=True))
    play.do(takes(1, "Ben", 1))
    play.ask(1, says(), at=9.0)
    play.ask(1, LEAVE)
    play.do(takes(1, "Ben", 1))
    with pytest.raises(TooMuch, match="again in 4 s"):
        play.ask(1, says(), at=10.0)


def test_what_concerns_another_player_is_for_players_and_about_people() -> None:
    play = at(FOR_TWO[0])
    assert talk.fellow_player(play.table, person(0), 1) == person(1)
    for who, seat in ((9, 1), (0, 0), (0, 8)):
        with pytest.raises(WebError):
            talk.fellow_player(play.table, person(who), seat)
    assert talk.other_person(play.table, person(9), 1) == person(1)


@by_game
def test_only_players_set_the_pace(game: Game) -> None:
    play = at(game)
    play.ask(1, bots.NewPace(pace="fast"))
    assert play.ask(2, bots.NewPace(pace="fast")) == []
    assert play.table.pace == "fast"
    refused(play, 9, bots.NewPace(pace="slow"), by=NotYours)
    refused(play, 1, bots.NewPace(pace="warp"), says="pace 'warp' is unknown")


def test_there_is_one_rematch() -> None:
    play = at(FOR_TWO[0])
    play.do(lambda t: rematch.begin_rematch(t, "next"))
    assert play.table.next.token == "next"
    with pytest.raises(Stale):
        rematch.begin_rematch(play.table, "another")


@by_game
def test_a_copy_is_independent(game: Game) -> None:
    play = at(game)
    play.ask(0, says())
    play.play_on(Random(1), plies=6)
    before = content(play.table)
    twin = Playing(play.table.header)
    twin.table = play.table.copy()
    twin.ask(0, says("bye"))
    for who, act in ((0, UNDO), (1, AGREE), (2, AGREE)):
        twin.ask(who, act)
    twin.play_on(Random(2))
    assert content(play.table) == before


def test_an_entry_out_of_order_is_refused() -> None:
    play = at(FOR_TWO[0])
    play.move()
    late = replace(play.log[0], ply=5)
    with pytest.raises(AssertionError, match="entry 5 after 1"):
        apply(play.table, late)
