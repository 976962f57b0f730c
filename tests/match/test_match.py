"""Match, View and Record: the public API."""

import json
from collections.abc import Callable
from importlib.metadata import entry_points
from random import Random
from typing import Any

import pytest

import redouble
from redouble import GAMES, SPECTATOR, Match, Record
from redouble.contract import registry
from redouble.contract.game import WORK
from redouble.kernel.errors import IllegalMove, InputError
from redouble.kernel.rng import seed_words
from redouble.match.match import SNAPSHOTS
from redouble.match.story import Story, StoryLine, last_move, move_in_words
from tests.helpers.known import known
from tests.helpers.worlds import Setting, settings


def test_the_information_state_grows_with_each_ply_and_hides_secret_moves() -> None:
    match = redouble.new("double-decker", seats=4, seed="memory")
    dice, before = Random(1), [""] * 4
    for ply in range(40):
        now = [match.information_state_string(seat) for seat in range(4)]
        assert all(text.startswith(old) for text, old in zip(now, before, strict=True))
        assert all(text.count("\n") == ply for text in now)
        assert len(set(now)) == 4
        before = now
        match.push(dice.choice(list(match.legal_moves)))
    with pytest.raises(redouble.RedoubleError, match="there is no seat 4"):
        match.information_state_string(4)

    secret, dice = redouble.new("double-dominoes", seats=2, seed="pit 9"), Random(1)
    for _ in range(3):
        secret.push(dice.choice(list(secret.legal_moves)))
    mover = known(secret.turn)
    secret.push("pit 2-6")
    own, other = (secret.information_state_string(seat) for seat in (mover, 1 - mover))
    assert f"\n{mover} pit 2-6: " in own
    assert f"\n{mover} ?: " in other
    assert "2-6" not in other


def test_legal_moves_are_lazy_ordered_and_behave_like_a_sequence() -> None:
    match = redouble.new("double-down", seats=2, seed="lazy")
    moves = match.legal_moves
    assert len(moves) == len(list(moves)) > 0
    assert moves[0] in moves
    assert "nonsense" not in moves
    nothing: Any = 7
    assert nothing not in moves
    assert moves[:2] == tuple(moves)[:2]
    with pytest.raises(IndexError):
        moves[len(moves)]
    assert bool(moves)
    assert moves == tuple(moves)
    assert list(moves)[-1] == moves[-1]
    assert repr(moves).startswith("<LegalMoves ")


@pytest.mark.parametrize("game", GAMES)
def test_a_match_and_its_views_print_as_tables(game: str) -> None:
    match = redouble.new(game, seed="print")
    assert repr(match).startswith(f"<Match of {match.game.title}: {match.seats} seats, ply 0, ")
    assert repr(match.view(0)) == f"<View for seat 0: {game} at ply 0>"
    names, view = match.names, match.view()
    printed, own, other = str(match), str(view), str(match.view(SPECTATOR))
    assert printed.splitlines()[0].startswith(f"--- {match.game.title}")
    assert printed.splitlines()[1:] == own.splitlines()[1:]
    assert f"{names[known(match.turn)]} is to move: {', '.join(match.legal_moves)}" in printed
    assert all(f"{name}: " in printed for name in names if match.seats > 1)
    hands = {"hand: " + " ".join(card.face for card in zone.cards) for zone in view.zones
             if zone.seat is not None and zone.kind == "hand"}  # fmt: skip
    assert all(hand in printed and hand not in other for hand in hands)
    while match.turn is not None:
        match.push(match.legal_moves[0])
    assert "The game is over (" in str(match)


def test_the_package_lists_the_names_that_it_promises() -> None:
    assert dir(redouble) == sorted(redouble.__all__)


def test_a_finished_match_has_an_outcome_and_refuses_moves() -> None:
    match = redouble.new("double-down", seats=2, seed="whole")
    assert match.outcome is None
    while match.turn is not None:
        assert not match.view().outcome
        match.push(match.legal_moves[-1])
    assert match.outcome is not None
    assert sorted(match.outcome.ranks) == [1, 2]
    assert match.outcome.reason == "last player standing"
    assert not match.legal_moves
    assert match.view(0).outcome == {
        "ranks": list(match.outcome.ranks),
        "scores": None,
        "won": [rank == 1 for rank in match.outcome.ranks],
        "reason": "last player standing",
    }
    with pytest.raises(redouble.IllegalMove, match="the game is over"):
        match.push("2")
    with pytest.raises(redouble.IllegalMove, match="the game is over"):
        match.observation()


@pytest.mark.parametrize("name", GAMES)
def test_views_and_words_leave_a_position_as_it_was(name: str) -> None:
    """A match asks for both from the same states, and its copies share them."""
    match = redouble.new(name, seed="looked at")
    for _ in range(12):
        if match.turn is None:
            break
        twin, before = match.copy(), match.state
        match.push(match.legal_moves[-1])
        after = match.state
        for seat in (None, SPECTATOR, *range(match.seats)):
            known = match.seen_by(seat)
            match.view(seat)
            match.tell(seat)
            match.moments(seat)
            assert match.seen_by(seat) == known
        assert (twin.state, match.state) == (before, after)


@pytest.mark.parametrize("back", range(2 * SNAPSHOTS + 2))
def test_after_any_undo_play_and_undo_go_on(back: int) -> None:
    match = redouble.new("double-down", seats=4, seed="deep")
    states = []
    for _ in range(3 * SNAPSHOTS):
        states.append(match.state)
        match.push(match.legal_moves[0])
    moves = list(match.moves)
    for _ in range(back):
        match.pop()
    for move in moves[match.ply :]:
        assert match.state == states[match.ply]
        match.push(move)
    while match.ply:
        match.pop()
        assert match.state == states[match.ply]


def test_without_a_seed_games_differ_and_still_replay() -> None:
    seeds = {redouble.new("double-down").seed for _ in range(20)}
    assert len(seeds) == 20
    match = redouble.new("double-down")
    assert redouble.replay(match.record()).state == match.state


@pytest.mark.parametrize("seats", [1, 8, 0, -1, ["only one"], "two", True])
def test_wrong_seats_are_refused(seats: Any) -> None:
    with pytest.raises(redouble.SeatsError):
        redouble.new("double-down", seats=seats)


def test_an_unknown_game_is_refused_with_the_available_ones() -> None:
    with pytest.raises(redouble.UnknownGame, match="double-down"):
        redouble.new("chess")


def test_the_installed_games_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scans: list[str] = []

    def scan(group: str) -> tuple[Any, ...]:
        scans.append(group)
        return tuple(entry_points(group=group))

    monkeypatch.setattr(registry, "entry_points", scan)
    registry._points.cache_clear()
    try:
        assert list(GAMES) == list(GAMES) == sorted(GAMES)
        assert "three-up" in GAMES
        assert "chess" not in GAMES
        nothing: Any = []
        assert nothing not in GAMES
        assert len(GAMES) == len(registry.game_modules())
        assert scans == ["redouble.games"]
    finally:
        registry._points.cache_clear()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"forgetfull": True}, "no option 'forgetfull'"),
        ({"forgetful": "maybe"}, "forgetful cannot be 'maybe': give yes or no"),
        ({"forgetful": 1}, "forgetful cannot be 1"),
        ({"ages": [1, 2, 3]}, "2 whole numbers"),
        ({"ages": "11,x"}, "ages cannot be '11,x'"),
        ({"ages": [0, 11]}, "from 1 to 150"),
        ({"ages": [True, 11]}, "ages cannot be"),
        ({"cards": 3}, "cards cannot be 3"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(redouble.OptionError, match=message):
        redouble.new("double-down", seats=2, **options)


def test_options_can_be_given_as_text() -> None:
    match = redouble.new("double-down", seats=2, forgetful="yes", ages="11, 30")
    assert match.options["forgetful"] is True
    assert match.options["ages"] == [11, 30]


def test_a_view_is_plain_json_and_shows_legal_moves_to_the_mover_only() -> None:
    match = redouble.new("double-down", seats=3, seed="view", ages=[11, 20, 30])
    view = json.loads(json.dumps(match.view(0).to_dict()))
    assert view["legal_moves"] == list(match.legal_moves)
    assert view["turn"] == 0
    assert match.view(1).legal_moves == ()
    assert match.view(SPECTATOR).legal_moves == ()
    assert match.view().legal_moves == tuple(match.legal_moves)
    assert all(card.up for card in match.view().zone("hand", seat=1).cards)


def test_illegal_moves_and_actions_are_refused_in_the_words_of_the_caller() -> None:
    match = redouble.new("double-down", seats=2, seed="view", ages=[11, 20], deck=None)
    number = match.legal_moves.actions[0]
    text = match.legal_moves[0]
    for wrong, said in (
        (int(text), f"{text} is not the text of a move: give a text such as '{text}'; legal moves"),
        (None, f"None is not the text of a move: give a text such as '{text}'; legal moves: "),
        ("nonsense", f"'nonsense' is not legal for Player 1; legal moves: {text}"),
    ):
        for refuse in (match.push, match.describe):
            with pytest.raises(IllegalMove, match=said):
                refuse(wrong)  # type: ignore[arg-type]  # wrong on purpose
    observation = match.observation()
    for action in (text, -1, True, None, 10**6):
        listed = rf"is not the number of a legal action; legal actions: {number} \('{text}'\), "
        for refuse_action in (match.push_action, match.legal_moves.name, observation.describe):
            with pytest.raises(IllegalMove, match=listed):
                refuse_action(action)  # type: ignore[arg-type]  # wrong on purpose
    assert match.ply == 0


def test_a_view_finds_zones_and_facts_by_kind_or_lists_the_kinds() -> None:
    view = redouble.new("double-down", seats=2, seed="view", ages=[11, 20]).view(0)
    assert view.fact("total") is view.facts_of(None)[0]
    assert view.zone("hand", seat=1).size == 5
    for kind, seat, said in (
        ("totals", None, r"the table has no fact 'totals': there are total, round, direction"),
        ("chips", None, r"the table has no fact 'chips': give seat=0 or 1"),
        ("total", 1, r"seat 1 has no fact 'total': give seat=None"),
        ("chips", 2, r"seat 2 has no fact 'chips': give seat=0 or 1"),
        ("x", 2, r"seat 2 has no fact 'x': there are none"),
        (1, None, r"kind cannot be 1: give a text"),
        ("total", "0", r"seat cannot be '0': give a whole number"),
    ):
        with pytest.raises(InputError, match=said):
            view.fact(kind, seat)  # type: ignore[arg-type]  # wrong on purpose
    cells = redouble.new("double-or-quits", seed="view").view()
    assert cells.zone("cell", number=3) in cells.zones
    with pytest.raises(InputError, match=r"no zone 'cell': .*, cell \(number 1, .* or 7\), waste"):
        cells.zone("cell")


@pytest.mark.parametrize("seat", [3, -2, 99])
def test_a_view_of_a_missing_seat_is_refused(seat: int) -> None:
    with pytest.raises(redouble.SeatsError, match="seats are 0 to 2"):
        redouble.new("double-down", seats=3).view(seat)


def test_returned_views_and_states_are_copies() -> None:
    match = redouble.new("double-down", seats=2, seed="copy")
    before = match.state
    match.state.deck[0] = 99
    match.seen_by(0).hand[0][0] = 99
    match.observation().state.total = 99
    assert match.state == before


def test_an_observation_is_redacted() -> None:
    match = redouble.new("double-down", seats=4, seed="observation")
    observation = match.observation()
    assert observation.seat == match.turn
    assert observation.state.rng == [0, 0, 0, 0]
    assert observation.state == match.seen_by(match.turn)
    assert [observation.name(action) for action in observation.legal] == list(match.legal_moves)


def played(match: Match, *moves: str) -> Match:
    for move in moves:
        match.push(move)
    return match


def played_until(match: Match, wanted: Callable[[Match], bool]) -> Match:
    """The match played at random, the same at every call, until it stands as wanted."""
    dice = Random("learned")
    while not wanted(match):
        match.push(dice.choice(list(match.legal_moves)))
    return match


def test_drawing_a_card_reveals_something_and_playing_one_does_not() -> None:
    match = redouble.new("double-down", seats=2, seed="friday", ages=[11, 30], forgetful=True)
    played(match, "10")
    assert not match.learned(0, 0)
    played(match, "forget")
    assert not match.learned(0, 0)
    match.pop()
    played(match, "draw")
    assert match.learned(0, 1)
    assert match.learned(0, 0)


def before_a_pit() -> tuple[Match, int]:
    """A game of dominoes in which the seat to move has to put one into the pit, unseen."""
    match = redouble.new("double-dominoes", seats=4, seed="pit")
    played_until(match, lambda match: match.legal_moves[0].startswith("pit "))
    assert match.turn is not None
    return match, match.turn


def test_a_move_that_a_seat_cannot_see_counts_as_learned() -> None:
    match, seat = before_a_pit()
    state = match.state
    match.push_action(
        next(a for a in match.legal_moves.actions if match.game.rules.hidden(state, a))
    )
    assert not match.learned(seat, match.ply - 1)
    assert match.learned((seat + 1) % 4, match.ply - 1)
    assert match.learned(SPECTATOR, match.ply - 1, worlds=0), "whatever the worlds say"


def test_unknown_plies_and_seats_are_refused() -> None:
    match = played(redouble.new("double-down", seats=2, seed="friday", ages=[11, 30]), "10")
    with pytest.raises(IndexError, match="no ply 2: plies are 0 to 1"):
        match.learned(0, 2)
    with pytest.raises(IndexError, match="no ply -1"):
        match.learned(0, -1)
    with pytest.raises(redouble.SeatsError, match="seats are 0 to 1"):
        match.learned(2, 0)


@pytest.mark.parametrize("setting", list(settings(spread=1)), ids=str)
def test_what_was_learned_stays_learned(setting: Setting) -> None:
    """Nothing at the ply itself; and once something, something at every later move as well.

    A card is learned when it comes into sight and was another one in worlds that could have been.
    """
    dice = Random(f"learned {setting}")
    match = Match(setting.game, setting.seats, "learned", dict(setting.options))
    rules = setting.game.rules
    start = dice.choice((0, 15, 40))
    played_until(match, lambda m: m.turn is None or m.ply == start)
    ply = match.ply
    seats = range(SPECTATOR, setting.seats)
    then = {seat: match.seen_by(seat) for seat in seats}
    learned = {seat: match.learned(seat, ply) for seat in seats}
    assert not any(learned.values())
    while match.turn is not None and match.ply < ply + 6:
        mover, state = match.turn, match.state
        action = dice.choice(match.legal_moves.actions)
        match.push_action(action)
        for seat in seats:
            before, learned[seat] = learned[seat], match.learned(seat, ply)
            assert learned[seat] >= before
            assert learned[seat] or seat == mover or not rules.hidden(state, action)
            assert learned[seat] or not came_into_sight(match, then[seat], seat)


def came_into_sight(match: Match, then: Any, seat: int) -> bool:
    """Whether ``seat`` sees a card now that it couldn't know then."""
    now = match.seen_by(seat)
    places = [place for place in range(then.deck_n) if then.deck[place] < 0 <= now.deck[place]]
    rng, others = seed_words("another look"), 0
    for _ in range(4 if places else 0):
        world = then.copy()
        match.game.rules.determinize(world, rng, [0] * WORK)
        others += any(world.deck[place] != now.deck[place] for place in places)
    return others > 1


def test_the_last_move_is_told_with_names() -> None:
    match = redouble.new("double-dominoes", seats=2, seed="told")
    names = ["Ada", "{0}"]
    assert last_move(match, names, 0) == ""
    played_until(match, lambda match: "{1}" in match.tell() and "{0}" not in match.tell())
    assert last_move(match, names, None) == match.tell().replace("{1}", "{0}")


@pytest.mark.parametrize("name", list(GAMES))
def test_every_reader_is_you_in_every_line_of_a_game(name: str) -> None:
    """Verbs agree, whoever is the subject, and everything else stays as it was."""
    seats = min(4, GAMES[name].max_seats)
    match, dice = redouble.new(name, seats=seats, seed="you"), Random("you")
    names = tuple(f"N{seat}" for seat in range(match.seats))
    while match.turn is not None:
        mover = match.turn
        match.push(dice.choice(list(match.legal_moves)))
        told = move_in_words(match.tell(), names, mover)
        for reader in range(match.seats):
            read = move_in_words(match.tell(), names, mover, reader)
            assert names[reader] not in read
            if read == told:
                assert mover != reader
            for word, you in zip(told.split(), read.split(), strict=True):
                verb, plain = word.strip(",:;."), you.strip(",:;.")
                if plain.lower() not in ("you", "your"):
                    pairs = {"is": "are", "has": "have", plain + "s": plain, plain + "es": plain}
                    assert word == you or pairs[verb] == plain, (told, read)


TAKES = "plays 7; {1} takes red, {2} takes blue and leads"


@pytest.mark.parametrize(
    ("told", "reader", "read"),
    [
        (TAKES, 0, "play 7; B takes red, C takes blue and leads"),
        (TAKES, 2, "plays 7; B takes red, you take blue and lead"),
        ("can't play and picks up {0}'s pile", 0, "can't play and pick up your pile"),
        ("passes; {0}. {0} is out, {1} isn't", 0, "pass; you. You are out, B isn't"),
        ("no longer asks to undo", 0, "no longer ask to undo"),
        (
            "undoes it; a bot plays until they are back",
            0,
            "undo it; a bot plays until you are back",
        ),
    ],
)
def test_verbs_follow_you(told: str, reader: int, read: str) -> None:
    assert move_in_words(told, ("A", "B", "C"), 0, reader) == read


def test_a_story_tells_each_reader_what_it_may_hear() -> None:
    match, mover = before_a_pit()
    other = (mover + 1) % 4
    story, addressed = Story(match, [mover, other]), Story(match, [mover], you=True)
    move = match.legal_moves[-1]
    match.push(move)
    story.hear(mover)
    addressed.hear(mover)
    assert addressed.last(mover).startswith("You can't place a domino and put ")
    domino = move.split()[1]
    heard = {reader: story.lines(reader, 0) for reader in (mover, other, SPECTATOR)}
    assert [domino in told[0].text for told in heard.values()] == [True, False, False]
    assert story.last(mover) == f"Player {mover + 1} {heard[mover][0].text}."
    assert story.lines(other, match.ply) == [StoryLine(mover, heard[other][0].text, fresh=False)]
    match.pop()
    story.forget()
    assert story.lines(other, 0) == []


def finished() -> redouble.Match:
    match = redouble.new("double-down", seats=["Ada", "Ben"], seed="röd", ages=[33, 12])
    while match.turn is not None:
        match.push(match.legal_moves[0])
    return match


def test_a_record_is_one_json_line_in_the_documented_order() -> None:
    match = finished()
    line = str(match.record())
    data = json.loads(line)
    assert list(data) == ["game", "rules", "seats", "options", "seed", "moves", "ranks"]
    assert data["options"] == {"ages": [33, 12]}
    assert data["moves"] == " ".join(match.moves)
    assert redouble.replay(line).outcome == match.outcome


def test_a_record_keeps_a_stacked_deck() -> None:
    deck = ["2"] * 3 + ["3"] * 9
    cards = ["2 x3", "3 x9"]
    match = redouble.new("double-down", seats=2, deck=deck, cards=cards, ages=[11, 30])
    match.push("2")
    assert redouble.replay(str(match.record())).state == match.state


def test_a_record_can_hold_notes() -> None:
    match = finished()
    notes = [(0, "Ben's clock is a sandglass."), (2, "Ada left; a bot plays for her."), (2, "ö")]
    record = match.record(notes)
    data = json.loads(str(record))
    assert list(data)[-3:] == ["moves", "notes", "ranks"]
    assert data["notes"] == [list(note) for note in notes]
    assert Record.parse(str(record)) == record
    assert record.notes == tuple(notes)
    assert redouble.replay(record).record(record.notes) == record
    assert redouble.replay(str(record)).record() == match.record()
    assert "notes" not in match.record().to_dict()
    assert record.notes_at(2) == ["Ada left; a bot plays for her.", "ö"]
    assert record.notes_at(1) == []


def test_a_record_holds_a_note_at_its_last_ply_and_none_beyond() -> None:
    match = redouble.new("double-down", seats=2, seed="s")
    match.push(match.legal_moves[0])
    assert match.record([(1, "x" * 200)]).notes == ((1, "x" * 200),)
    with pytest.raises(redouble.RecordError, match="there is no ply 2; plies are 0 to 1"):
        match.record([(2, "x")])
    with pytest.raises(redouble.RecordError, match="201 characters"):
        match.record([(1, "x" * 201)])
    assert len(match.record([(0, "x")] * 200).notes) == 200
    with pytest.raises(redouble.RecordError, match="201 notes are too many: give at most 200"):
        match.record([(0, "x")] * 201)


BASE = {
    "game": "double-down",
    "rules": 2,
    "seats": ["a", "b"],
    "options": {"ages": [11, 30]},
    "seed": "s",
    "moves": "",
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "chess"}, "no game 'chess'"),
        ({"game": 5}, "game cannot be 5"),
        ({"rules": 3}, "rules version 3 of Double Down is not the one installed, 2"),
        ({"rules": "1"}, "rules cannot be '1'"),
        ({"rules": True}, "rules cannot be True"),
        ({"seats": ["a"]}, "not 1"),
        ({"seats": "ab"}, "seats cannot be 'ab'"),
        ({"seats": ["a", 2]}, r"seats\[1\] cannot be 2: give a string"),
        ({"options": {"speed": 1}}, "no option 'speed'"),
        ({"options": {"cards": "README.md"}}, "text is not allowed"),
        ({"options": []}, "options cannot be"),
        ({"seed": 5}, "seed cannot be 5"),
        ({"deck": ["0"]}, r"deck: 1 card, expected 55 \(missing: 0, 0, 0, 2, 2\)"),
        ({"moves": ["2"]}, "moves cannot be"),
        ({"moves": "0 flip"}, "move 1: '0' is not legal for a|move 2: 'flip' is not legal"),
        ({"ranks": [1, 2]}, "the game is not over"),
        ({"ranks": [True, 2]}, r"ranks\[0\] cannot be True: give a whole number"),
        ({"notes": "Ada left."}, "notes cannot be 'Ada left.': give a list"),
        ({"notes": None}, "notes cannot be None"),
        ({"notes": ["Ada left."]}, r"notes\[0\] cannot be 'Ada left.': give a list"),
        ({"notes": [[0]]}, r"notes\[0\] has only 1 item"),
        ({"notes": [[0, "Ada left.", 1]]}, r"notes\[0\] cannot be .*: give at most 2 items"),
        ({"notes": [["0", "Ada left."]]}, r"notes\[0\]\[0\] cannot be '0': give a whole number"),
        ({"notes": [[False, "Ada left."]]}, r"notes\[0\]\[0\] cannot be False"),
        ({"notes": [[0, None]]}, r"notes\[0\]\[1\] cannot be None: give a string"),
        ({"notes": [[0, ""]]}, "note 1: 0 characters; a note has 1 to 200"),
        ({"notes": [[0, "x" * 201]]}, "note 1: 201 characters"),
        ({"notes": [[0, "x"], [-1, "y"]]}, "note 2: there is no ply -1; plies are 0 to 0"),
        ({"notes": [[1, "x"]]}, "note 1: there is no ply 1; plies are 0 to 0"),
        ({"moves": "2 3", "notes": [[2, "x"], [1, "y"]]}, "note 2: ply 1 comes after ply 2"),
        ({"notes": [[0, "x"]] * 201}, "201 notes are too many: give at most 200"),
        ({"extra": 1}, "unknown key 'extra'"),
    ],
)
def test_a_record_that_is_wrong_is_refused_with_its_line(
    change: dict[str, Any], message: str
) -> None:
    with pytest.raises(redouble.RecordError, match=f"line 7: .*({message})"):
        redouble.replay(json.dumps({**BASE, **change}), number=7)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "not JSON"),
        ("[]", "not a JSON object"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"game": "a", "game": "b"}', "'game' appears twice"),
        ("{}", "the key 'game' is missing"),
    ],
)
def test_a_line_that_is_not_a_record_is_refused(line: str, message: str) -> None:
    with pytest.raises(redouble.RecordError, match=f"line 1: .*{message}"):
        redouble.replay(line)


def test_wrong_ranks_are_refused() -> None:
    data = finished().record().to_dict()
    data["ranks"] = data["ranks"][::-1]
    with pytest.raises(redouble.RecordError, match=r"ranks \[.*\] are wrong: the moves give"):
        redouble.replay(json.dumps(data))


def test_records_in_a_file_are_numbered_by_line() -> None:
    line = str(finished().record())
    assert len(list(redouble.read_records([line, "", "  ", line]))) == 2
    with pytest.raises(redouble.RecordError, match="line 3"):
        list(redouble.read_records([line, "", "nonsense"]))
