"""The laws that every game obeys, one function each.

A law takes a :class:`Setting` and plays random games in it. It returns when the game obeys and
raises :class:`LawBroken` at the first contradiction. ``effort`` multiplies how much is played;
random games are the same in every run.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, wraps
from random import Random
from typing import Any, TypeVar, cast

from redouble.contract.game import WORK
from redouble.contract.view import KEPT_CARDS, Card, View
from redouble.kernel import checks, kinds
from redouble.kernel.errors import IllegalMove
from redouble.kernel.moments import watch
from redouble.kernel.piles import ERASED, IN_SIGHT, MAX_PLACES
from redouble.kernel.rng import seed_words
from redouble.kernel.state import NOBODY, SPECTATOR, State, size
from redouble.match import transcript
from redouble.match.match import Match
from redouble.match.record import Record
from redouble.testing.chance import History, Impossible, differing, play_history
from redouble.testing.settings import Setting

__all__ = ["LAWS", "Law", "LawBroken"]
# And the laws themselves, which are added below.

Law = Callable[[Setting, int], None]
_Law = TypeVar("_Law", bound=Callable[..., None])

MAX_STATE_BYTES = 2048
"""A larger state would slow the compiled engine down."""
MAX_EFFORT = 10_000
"""More would take days."""
PLIES = 1200
"""How many moves L1 and L8 play in each setting, times the effort."""
MAX_EYES = 3
"""Seats that look at a position in the laws that look at many. They are others each time."""
MAX_DESCRIBED = 40
"""Legal moves of a position that L14 reads in words."""
NONSENSE = ("", "nonsense", "0 0", "x" * 500, "7\x00")
"""Texts that are hardly ever moves."""


class LawBroken(AssertionError):
    """A game contradicts a law. The text says how and in which position."""


_laws: list[Law] = []


def checked(law: _Law) -> _Law:
    """Add a law to the others, with a check of its arguments before it plays anything."""

    @wraps(law)
    def first_check(setting: Setting, effort: int = 1) -> None:
        checks.instance(setting, Setting, "setting")
        law(setting, checks.whole(effort, "effort", 1, MAX_EFFORT))

    _laws.append(first_check)
    return cast(_Law, first_check)


@checked
def l1_legal_moves_ascend_without_repeats_and_end_with_the_game(
    setting: Setting, effort: int = 1
) -> None:
    """L1: legal moves are ascending, without repeats and never none before the end.

    After the end there are none, and the state says why the game ended.
    """
    rules = setting.game.rules
    dice = Random(str(setting))
    played = 0
    game = 0
    while played < PLIES * effort:
        state = setting.header(f"L1 {game}")
        game += 1
        rules.setup(state)
        out = [0] * (rules.ACTIONS + 1)
        while state.turn >= 0 and played < PLIES * effort:
            n = rules.legal(state, out)
            legal = out[:n]
            if not 0 < n <= rules.MAX_LEGAL:
                raise LawBroken(f"{n} moves are legal, not 1 to MAX_LEGAL ({rules.MAX_LEGAL})")
            if legal != sorted(set(legal)):
                raise LawBroken(f"legal moves are not ascending without repeats: {legal}")
            if not 0 <= legal[0] <= legal[-1] < rules.ACTIONS:
                raise LawBroken(f"legal moves are not from 0 to ACTIONS - 1: {legal}")
            rules.play(state, dice.choice(legal))
            played += 1
        if state.turn < 0:
            if n := rules.legal(state, out):
                raise LawBroken(f"the game is over, yet moves are legal: {out[:n]}")
            if not 0 < state.reason < len(setting.game.text.REASONS):
                raise LawBroken(f"the game is over for reason {state.reason}, not one of REASONS")


@checked
def l2_a_moves_text_reads_back_as_the_move(setting: Setting, effort: int = 1) -> None:
    """L2: the texts of legal moves differ, and each reads back as its move."""
    match = random_match(setting, "L2", plies=0)
    dice = Random(str(setting))
    text = setting.game.text
    for _ in range(150 * effort):
        if match.turn is None:
            break
        state = match.state
        actions = list(match.legal_moves.actions)
        names = [text.name(state, action) for action in actions]
        if len(set(names)) != len(names):
            raise LawBroken(f"two legal moves have the same text: {names}")
        if (read := [text.parse(state, name) for name in names]) != actions:
            raise LawBroken(f"moves {actions} are called {names} and read back as {read}")
        match.push(dice.choice(names))


@checked
def l3_a_determinization_looks_the_same(setting: Setting, effort: int = 1) -> None:
    """L3: ``redact`` leaves the same of a determinization as of the real position.

    A seat can't tell the two apart. ``redact`` also erases the generator, and redacting twice
    changes nothing more.
    """
    eyes = Random(str(setting))
    for state in random_states(setting, "L3", games=2 * effort, every=7):
        for seat in some_observers(setting, eyes):
            seen = setting.game.redacted(state, seat)
            if any(seen.rng):
                raise LawBroken(f"redact leaves seat {seat} the generator: erase it")
            world = determinized(setting, seen, f"{seat}")
            again = setting.game.redacted(world, seat)
            _same(again, seen, f"seat {seat} can tell a determinization from the real position")
            twice = setting.game.redacted(seen, seat)
            _same(twice, seen, f"redacting twice for seat {seat} erases more")


@checked
def l4_a_determinizations_history_is_legal_and_leads_to_it(
    setting: Setting, effort: int = 1
) -> None:
    """L4: a determinization could have happened.

    Its own shuffles and hidden moves, played from the start, are legal and lead to exactly it.
    """
    dice, eyes = Random(str(setting)), Random(f"eyes {setting}")
    for game in range(3 * effort):
        history = random_history(setting, f"L4 {game}", dice.choice((5, 20, 60, 150, 300)), dice)
        state = history.states[-1]
        for seat in some_observers(setting, eyes):
            seen = setting.game.redacted(state, seat)
            world = determinized(setting, seen, f"{game} {seat}")
            try:
                reached = history.replay(world, seen, seat, only_ends=True).states[-1]
            except Impossible as error:
                raise LawBroken(
                    f"a determinization for seat {seat} cannot have happened: {error}"
                ) from error
            reached.rng = world.rng
            _same(reached, world, f"a determinization for seat {seat} cannot be reached")


@checked
def l5_every_other_action_is_refused_and_changes_nothing(setting: Setting, effort: int = 1) -> None:
    """L5: an action or text that is not legal is refused and changes nothing.

    Of a game with many actions, some are tried.
    """
    match = random_match(setting, "L5", plies=9)
    before = match.state
    legal = set(match.legal_moves.actions)
    count = setting.game.rules.ACTIONS
    tried = Random(str(setting)).sample(range(count), min(count, 500 * effort))
    for action in {-1, *tried, count} - legal:
        _refused(match.push_action, action)
    for text in NONSENSE:
        if text not in match.legal_moves:
            refusal = str(_refused(match.push, text))
            if "legal" not in refusal and "the game is over" not in refusal:
                raise LawBroken(f"refusing {text!r} does not say what is legal: {refusal}")
    _same(match.state, before, "a refused move changed the position")


@checked
def l6_undo_restores_every_field(setting: Setting, effort: int = 1) -> None:
    """L6: undoing every move of a game restores every position on the way back."""
    match = random_match(setting, "L6", plies=0)
    dice = Random(str(setting))
    states = [match.state]
    while match.turn is not None and match.ply < 60 * effort:
        match.push(dice.choice(list(match.legal_moves)))
        states.append(match.state)
    while match.ply:
        _same(match.state, states.pop(), f"undoing does not restore the position at {match.ply}")
        match.pop()
    _same(match.state, states.pop(), "undoing does not restore the start")


@checked
def l7_cards_are_kept_and_ranks_are_complete(setting: Setting, effort: int = 1) -> None:
    """L7: no card is made or lost at any ply, and at the end every seat has a rank.

    The zones of a view count every card of the deck. Ranks are 1 for the first; ties share the
    better rank. Points, if the game counts any, are given for every seat.
    """
    for game in range(effort):
        match = random_match(setting, f"L7 {game}" if game else "L7", plies=0)
        dice = Random(str(setting))
        box = sorted(match.state.box[: match.state.deck_n])
        while match.turn is not None and match.ply < 20_000:
            if match.ply % 10 == 0:
                counted = sum(zone.size for zone in match.view().zones)
                if counted != len(box):
                    raise LawBroken(f"ply {match.ply}: zones count {counted} cards of {len(box)}")
                if sorted(match.state.box[: match.state.deck_n]) != box:
                    raise LawBroken(f"ply {match.ply}: the cards in use have changed")
            match.push(dice.choice(list(match.legal_moves)))
        if match.outcome is None:
            raise LawBroken("the game does not end: 20,000 random moves were played")
        ranks, scores = match.outcome.ranks, match.outcome.scores
        expected = tuple(1 + sum(other < rank for other in ranks) for rank in ranks)
        if len(ranks) != setting.seats or ranks != expected:
            raise LawBroken(f"ranks {ranks} are not 1 for the first, with ties sharing the better")
        if scores is not None and len(scores) != setting.seats:
            raise LawBroken(f"{len(scores)} scores for {setting.seats} seats")


@checked
def l8_interpreted_and_compiled_agree_field_for_field(setting: Setting, effort: int = 1) -> None:
    """L8: interpreted and compiled rules give the same positions, moves and results."""
    from redouble.kernel import engine

    engines_agree(setting, effort, engine.compiled)


def engines_agree(setting: Setting, effort: int, compiled: Callable[..., Any]) -> None:
    """Raise LawBroken where rules as ``compiled`` returns them differ from interpreted ones.

    They are compared in whole random games, and in a long game with every number of the options at
    its highest, in which each seat plays by habit and its numbers grow: always its first move, its
    last one, or a random one.
    """
    from redouble.kernel import engine
    from redouble.kernel.engine import np

    rules = setting.game.rules
    setup, legal, play = (compiled(f) for f in (rules.setup, rules.legal, rules.play))
    redact, determinize = compiled(rules.redact), compiled(rules.determinize)
    rank, score = compiled(rules.rank), compiled(rules.score)
    dice = Random(str(setting))
    cls = rules.Position
    out, there = [0] * (rules.MAX_LEGAL + 1), np.zeros(rules.MAX_LEGAL + 1, np.int16)
    game = played = 0
    while played < PLIES * effort:
        state = setting.header(f"L8 {game}")
        game += 1
        records = engine.to_records(state)
        record = records[0]
        rules.setup(state)
        setup(record)
        for ply in range(400):
            n = rules.legal(state, out)
            found = there[: legal(record, there)].tolist()
            if found != out[:n]:
                raise LawBroken(f"ply {ply}: legal moves are {out[:n]}, compiled {found}")
            _same(engine.from_record(cls, record), state, f"ply {ply}: compiled rules differ")
            if not n:
                break
            if ply % 13 == 0:
                seat = dice.randint(-1, setting.seats - 1)
                seen, there_seen = state.copy(), records.copy()[0]
                rules.redact(seen, seat)
                redact(there_seen, seat)
                where = f"ply {ply}: for seat {seat} compiled"
                _same(engine.from_record(cls, there_seen), seen, f"{where} redact differs")
                rules.determinize(seen, seed_words("w"), [0] * WORK)
                words = np.array(seed_words("w"), np.uint64)
                determinize(there_seen, words, np.zeros(WORK, np.int64))
                _same(engine.from_record(cls, there_seen), seen, f"{where} determinize differs")
            action = dice.choice(out[:n])
            rules.play(state, action)
            play(record, action)
            played += 1
        if state.turn < 0:
            for name, function, twin in (("rank", rules.rank, rank), ("score", rules.score, score)):
                ours, theirs = [0] * setting.seats, np.zeros(setting.seats, np.int64)
                if function(state, ours) != twin(record, theirs) or theirs.tolist() != ours:
                    raise LawBroken(f"{name} gives {ours}, compiled {theirs.tolist()}")
    for game in range(3):
        state = setting.widest().header(f"L8 widest {game}")
        record = engine.to_records(state)[0]
        rules.setup(state)
        setup(record)
        for ply in range(PLIES * effort // 3):
            n = rules.legal(state, out)
            if not n:
                break
            habit = (state.turn + game) % 3
            action = out[0] if habit == 0 else out[n - 1] if habit == 1 else dice.choice(out[:n])
            rules.play(state, action)
            play(record, action)
            if ply % 50 == 0:
                where = f"widest options, ply {ply}: compiled rules differ"
                _same(engine.from_record(cls, record), state, where)
        _same(engine.from_record(cls, record), state, "widest options, at the end: compiled differ")


@checked
def l9_a_record_read_back_gives_the_same_position(setting: Setting, effort: int = 1) -> None:
    """L9: a game's record is one line, and replaying it gives the same position and line."""
    match = random_match(setting, "L9", plies=80 * effort)
    line = str(match.record())
    if "\n" in line:
        raise LawBroken(f"the record is not one line: {line}")
    record = Record.parse(line)
    again = Match(setting.game, record.seats, record.seed, record.options, record.deck)
    for move in record.moves:
        again.push(move)
    _same(again.state, match.state, "a replayed record leads to another position")
    if (back := str(again.record())) != line:
        raise LawBroken(f"the record changes when it is read and written: {line} becomes {back}")


@checked
def l10_views_and_messages_tell_nothing_hidden(setting: Setting, effort: int = 1) -> None:
    """L10: views and messages are the same, byte by byte, in positions a seat can't tell apart.

    The places of cards are in views, so this also holds for them and for the order of backs.
    """
    dice, eyes = Random(str(setting)), Random(f"eyes {setting}")
    rules, text = setting.game.rules, setting.game.text
    for game in range(effort):
        seed = f"L10 {game}" if game else "L10"
        history = random_history(setting, seed, dice.choice((10, 40, 90)), dice)
        for ply in range(0, len(history.actions), 5):
            before, after = history.states[ply], history.states[ply + 1]
            action = history.actions[ply]
            for seat in some_observers(setting, eyes):
                seen = setting.game.redacted(after, seat)
                world = determinized(setting, seen, str(ply))
                sights = [setting.game.redacted(s, seat) for s in (after, world)]
                scenes = [json.dumps(text.show(s, seat), default=vars) for s in sights]
                if scenes[0] != scenes[1]:
                    raise LawBroken(f"ply {ply}: what seat {seat} is shown tells more than it may"
                                    f" know:\n{scenes[0]}\n{scenes[1]}")  # fmt: skip
                secret = seat != before.turn and rules.hidden(before, action)
                known = setting.game.redacted(before, seat)
                told = [text.tell(known, s, -1 if secret else action) for s in sights]
                if told[0] != told[1]:
                    raise LawBroken(f"ply {ply}: the words for seat {seat} show more than it may"
                                    f" know: {told[0]!r}, {told[1]!r}")  # fmt: skip


@checked
def l11_a_dimmed_card_is_in_no_move_and_only_its_seat_is_told(
    setting: Setting, effort: int = 1
) -> None:
    """L11: a card that a view dims lies face up and is in no legal move; only its seat knows."""
    match = random_match(setting, "L11", plies=0)
    dice, eyes = Random(str(setting)), Random(f"eyes {setting}")
    while match.turn is not None and match.ply < 60 * effort:
        view = match.view(match.turn)
        shown = {
            card.text
            for zone in [*view.zones_of(match.turn), *view.zones_of(None)]
            for card in zone.cards
            if card.up
        }
        moves = list(match.legal_moves)
        in_moves = {word for move in moves for word in move.split()}
        where = f"ply {match.ply}, seat {match.turn}"
        if unseen := view.dimmed.keys() - shown:
            raise LawBroken(f"{where}: dimmed, but not face up: {sorted(unseen)}")
        if playable := view.dimmed.keys() & in_moves:
            raise LawBroken(f"{where}: dimmed, but in a legal move: {sorted(playable)}")
        for reason in view.dimmed.values():
            if reason.count(".") != 1 or not reason.endswith("."):
                raise LawBroken(f"{where}: the reason is not one sentence: {reason!r}")
        if match.view().dimmed != view.dimmed:
            raise LawBroken(f"{where}: the view of everything dims other cards")
        for seat in set(some_observers(setting, eyes)) - {match.turn}:
            if match.view(seat).dimmed:
                raise LawBroken(f"{where}: cards are dimmed in the view of seat {seat}")
        match.push(dice.choice(moves))
    if match.turn is None and match.view().dimmed:
        raise LawBroken("cards are dimmed after the end")


@checked
def l12_a_determinization_keeps_what_is_not_erased(setting: Setting, effort: int = 1) -> None:
    """L12: ``determinize`` changes nothing that is not erased.

    Where nothing is erased it changes only the generator. In a redacted state it keeps each card
    of the deck that still shows, and each field that ``redact`` never touches.
    """
    eyes = Random(str(setting))
    erasable = {"rng"}
    worlds: list[tuple[int, State, State]] = []
    for state in random_states(setting, "L12", games=effort, every=11):
        whole = determinized(setting, state, "nothing is erased")
        if changed := set(type(state).differences(whole, state)) - {"rng"}:
            raise LawBroken(f"nothing is erased, yet determinize changes {sorted(changed)}")
        for seat in some_observers(setting, eyes):
            seen = setting.game.redacted(state, seat)
            erasable.update(type(state).differences(seen, state))
            worlds.append((seat, seen, determinized(setting, seen, f"{seat}")))
    for seat, seen, world in worlds:
        for path, (value, _) in differing(seen, world):
            if path[0] not in erasable or (path[0] == "deck" and value != ERASED):
                raise LawBroken(f"determinize for seat {seat} changes {path}, which shows")


@checked
def l13_which_of_equal_cards_was_played_shows_nowhere(setting: Setting, effort: int = 1) -> None:
    """L13: of equal unseen cards in a hand, no view or message tells which one was played.

    The same game is played twice, always with the first and always with the last of them. What
    is shown and told is the same, so no listing is ordered by where hidden cards lie. Places are
    left out of the comparison: everyone sees which of the cards in a hand is played, and because
    chance decides it, that tells nothing.
    """
    eyes = Random(str(setting))
    text, hidden = setting.game.text, setting.game.rules.hidden
    for game in range(2 * effort):
        one, other = (
            random_history(setting, f"L13 {game}", 120, Random(f"{game}"), copy)
            for copy in ("first", "last")
        )
        for ply, (state, twin) in enumerate(zip(one.states, other.states, strict=False)):
            if state.deck != twin.deck:
                break  # shuffled again: from here on the games differ
            if ply % 5:
                continue
            for seat in some_observers(setting, eyes):
                sights = [setting.game.redacted(s, seat) for s in (state, twin)]
                said = [_placeless(text.show(s, seat)) for s in sights]
                if said[0] == said[1] and ply:
                    before = [history.states[ply - 1] for history in (one, other)]
                    action = one.actions[ply - 1]
                    if seat != before[0].turn and hidden(before[0], action):
                        action = -1
                    said = [
                        text.tell(setting.game.redacted(s, seat), after, action)
                        for s, after in zip(before, sights, strict=True)
                    ]
                if said[0] != said[1]:
                    raise LawBroken(f"ply {ply}: seat {seat} can read which of equal cards was"
                                    f" played:\n{said[0]}\n{said[1]}")  # fmt: skip


@checked
def l14_a_move_in_words_is_a_short_instruction(setting: Setting, effort: int = 1) -> None:
    """L14: every legal move has words of its own, made from what its seat knows.

    They are an instruction that begins with a capital and has no full stop. What only records
    write, such as ``7r`` and ``2x7``, isn't in them, unless it is printed on a card or names a
    square of a board, such as ``h8``. Describing a move changes nothing.
    """
    dice = Random(str(setting))
    for game in range(effort):
        match = random_match(setting, f"L14 {game}", plies=0)
        while match.turn is not None and match.ply < 60:
            observation = match.observation()
            before = observation.state.copy()
            zones = match.view(match.turn).zones
            printed = {card.text for zone in zones for card in zone.cards if card.up}
            said: dict[str, str] = {}
            legal = observation.legal
            for action in dice.sample(legal, min(len(legal), MAX_DESCRIBED)):
                move, words = observation.name(action), observation.describe(action)
                where = f"ply {match.ply}: {move!r} in words is {words!r}"
                if not words[:1].isupper() or words != " ".join(words.split()) or words[-1] in ".{":
                    raise LawBroken(f"{where}: begin with a capital and end without a full stop")
                if words in said:
                    raise LawBroken(f"{where}, like {said[words]!r}: tell them apart")
                for word in _notation(move):
                    if word in words.split() and word not in printed and not _square(word):
                        raise LawBroken(f"{where}: {word!r} is for records, not for people")
                said[words] = move
            _same(observation.state, before, "describing a move changed the position")
            match.push(dice.choice(list(match.legal_moves)))


def _square(word: str) -> bool:
    """Whether a word names a square as the edge of a board does, by its column and its row."""
    return word[0].isalpha() and word[1:].isdigit()


def _notation(move: str) -> list[str]:
    return [
        word for word in move.split() if any(map(str.isalpha, word)) and any(map(str.isdigit, word))
    ]


@checked
def l15_moments_change_nothing_and_show_the_whole_table(setting: Setting, effort: int = 1) -> None:
    """L15: watching a move changes nothing, and L3 and L7 hold at each of its moments.

    No card is missing while a move is carried out, and a determinization looks the same. A moment
    says what happens and asks no one for a move.
    """
    game, text = setting.game, setting.game.text
    dice, eyes = Random(str(setting)), Random(f"eyes {setting}")
    match = random_match(setting, "L15", plies=0)
    for _ in range(250 * effort):
        if match.turn is None:
            break
        before = match.state
        match.push(dice.choice(list(match.legal_moves)))
        action = match._actions[-1]
        seen = watch(game.rules.play, before, action)
        _same(before, match.state, f"ply {match.ply}: a watched move leads elsewhere")
        for kind, state in seen:
            if not 0 <= kind < len(game.words.moments):
                raise LawBroken(f"ply {match.ply}: moment {kind} is not one of the game's moments")
            where = f"ply {match.ply}, {game.words.moments[kind].name}"
            counted = sum(zone.size for zone in text.show(state, None).zones)
            if counted != state.deck_n:
                raise LawBroken(f"{where}: zones count {counted} cards of {state.deck_n}")
            for seat in some_observers(setting, eyes):
                known = setting.game.redacted(state, seat)
                world = determinized(setting, known, f"{match.ply} {seat}")
                again = setting.game.redacted(world, seat)
                _same(again, known, f"{where}: seat {seat} can tell a determinization")
        for viewer in (None, *some_observers(setting, eyes)):
            for one in match.moments(viewer):
                if one.view.legal_moves or one.view.prompt or not one.title:
                    raise LawBroken(f"ply {match.ply}, {one.kind.name}: it asks for a move, or"
                                    " says nothing")  # fmt: skip


def _placeless(of: Any) -> Any:
    """Return data as lists, in the order of its keys, and at every depth without places."""
    if isinstance(of, Card):
        return _placeless_card(of)
    if isinstance(of, (list, tuple)):
        return [_placeless(item) for item in of]
    if not isinstance(of, dict):
        if not hasattr(of, "__dict__"):
            return of
        of = vars(of)
    return [(key, _placeless(value)) for key, value in of.items() if key != "place"]


@lru_cache(maxsize=KEPT_CARDS)
def _placeless_card(card: Card) -> Card:
    return replace(card, place="")


@checked
def l16_a_card_keeps_its_place_wherever_it_lies(setting: Setting, effort: int = 1) -> None:
    """L16: a card has one place, in every view and wherever it moves, until it is shuffled.

    All cards of a view have places, each of them once. A place stands for the same card all game
    long, and a pile lists the same places to everyone, whether they see the cards or not. A card
    that comes face up to the table has the place that it had before: no other card with this face
    disappears. From the table, where all see it, a card may come into a hand under another place:
    a game can count cards that all have seen by kind, instead of following each.
    """
    dice, eyes = Random(str(setting)), Random(f"eyes {setting}")
    for game in range(effort):
        match = random_match(setting, f"L16 {game}", plies=0)
        faces: dict[str, Card] = {}
        before: dict[str, Card] = {}
        while match.ply < 250:
            whole = match.view()
            for one in match.moments():
                _note_faces(faces, _by_place(one.view, f"ply {match.ply}, {one.kind.name}"))
            after = _by_place(whole, f"ply {match.ply}")
            _note_faces(faces, after)
            gone = {(c.text, c.color) for place, c in before.items() if place not in after and c.up}
            for card in (card for zone in whole.zones_of(None) for card in zone.cards):
                if before and card.place not in before and (card.text, card.color) in gone:
                    raise LawBroken(f"ply {match.ply}: {card.spoken} comes to the table as another"
                                    f" card, {card.place!r}")  # fmt: skip
            for seat in some_observers(setting, eyes) if match.ply % 3 == 0 else ():
                view = match.view(seat)
                _by_place(view, f"ply {match.ply}, seat {seat}")
                for zone, open_zone in zip(view.zones, whole.zones, strict=True):
                    listed, there = ({c.place for c in z.cards} for z in (zone, open_zone))
                    if listed != there:
                        raise LawBroken(f"ply {match.ply}: seat {seat} sees other places in"
                                        f" {zone.name}: {listed} != {there}")  # fmt: skip
            before = after
            if match.turn is None:
                break
            match.push(dice.choice(list(match.legal_moves)))


def _note_faces(faces: dict[str, Card], seen: dict[str, Card]) -> None:
    """Note which card each place stands for; raise LawBroken if it stood for another one."""
    for place, card in seen.items():
        if card.up and faces.setdefault(place, card) != card:
            raise LawBroken(f"{place!r} stands for {faces[place].spoken}, then for {card.spoken}")


def _by_place(view: View, where: str) -> dict[str, Card]:
    cards: dict[str, Card] = {}
    for zone in view.zones:
        for card in zone.cards:
            if not re.fullmatch("[A-Za-z0-9_-]+", card.place):
                raise LawBroken(f"{where}: the place of a card in {zone.name} is {card.place!r}")
            if card.place in cards:
                raise LawBroken(f"{where}: two cards are {card.place!r}, the second in {zone.name}")
            cards[card.place] = card
    return cards


@checked
def l17_an_observation_tells_what_a_seat_may_know(setting: Setting, effort: int = 1) -> None:
    """L17: a seat's tensor says what it may know and can do, on both engines, wherever it sits.

    Positions that a seat can't tell apart have the same tensor. Positions with the same tensor have
    the same legal moves, which don't depend on what only earlier moves tell. Every slot is written
    and holds a number from -128 to 127. If all seats are counted from another one, every tensor
    stays the same.
    """
    from redouble.envs.arrays.observation import observe_rule, tensor_size
    from redouble.kernel import engine
    from redouble.kernel.engine import np

    rules = setting.game.rules
    observe = observe_rule(setting.game)
    eyes = Random(str(setting))
    compiled = engine.compiled(observe)
    size = tensor_size(setting.game, setting.seats)
    moves: dict[bytes, list[int]] = {}

    def tensor(seen: State, seat: int) -> list[int]:
        slots = [1000] * (size + 1)
        observe(seen, seat, slots)
        if slots.pop() != 1000 or not all(-128 <= slot <= 127 for slot in slots):
            raise LawBroken(f"the tensor of seat {seat} is not {size} numbers from -128 to 127")
        return slots

    legal = [0] * (rules.MAX_LEGAL + 1)
    there = np.full(size + 1, 77, np.int8)
    for state in random_states(setting, "L17", games=effort, every=11):
        for seat in {state.turn, *some_observers(setting, eyes)[1:]}:
            seen = setting.game.redacted(state, seat)
            slots = tensor(seen, seat)
            world = determinized(setting, seen, f"{seat}")
            if tensor(setting.game.redacted(world, seat), seat) != slots:
                raise LawBroken(f"the tensor of seat {seat} tells what it can't know")
            compiled(engine.to_records(seen)[0], seat, there)
            if there[:size].tolist() != slots or there[size] != 77:
                raise LawBroken(f"the compiled tensor of seat {seat} differs")
            if tensor(_counted_from_the_next(seen), (seat - 1) % setting.seats) != slots:
                raise LawBroken(f"the tensor of seat {seat} depends on its number")
            if seat == state.turn:
                found = legal[: rules.legal(state, legal)]
                if moves.setdefault(bytes(there[:size]), found) != found:
                    raise LawBroken(f"seat {seat} has other moves in positions of one tensor")
                if legal[: rules.legal(_without_history(state), legal)] != found:
                    raise LawBroken(f"the moves of seat {seat} depend on a field called HISTORY")


@checked
def l18_a_transcript_remembers_what_a_seat_was_shown(setting: Setting, effort: int = 1) -> None:
    """L18: a seat's transcript tells all that it has seen, and nothing else.

    In a determinization's own history, with other hidden cards and other hidden moves, it is the
    same. Where it is the same, so are the seat's legal moves and tensor.
    """
    from redouble.envs.arrays.observation import observation

    dice = Random(str(setting))
    rules = setting.game.rules
    legal = [0] * (rules.MAX_LEGAL + 1)
    for game in range(effort):
        seed = f"L18 {game}" if game else "L18"
        history = random_history(setting, seed, dice.choice((4, 15, 40)), dice)
        end = history.states[-1]
        for seat in dice.sample([SPECTATOR, *range(setting.seats)], 2):
            told = _transcript(history, seat)
            seen = setting.game.redacted(end, seat)
            world = history.replay(determinized(setting, seen, f"{game} {seat}"), seen, seat)
            if (other := _transcript(world, seat)) != told:
                at = next(ply for ply, line in enumerate(told) if line != other[ply])
                raise LawBroken(f"ply {at}: the transcript of seat {seat} tells what it can't know:"
                                f"\n{told[at]}\n{other[at]}")  # fmt: skip
            if seat == SPECTATOR:
                continue
            tensors = [observation(setting.game, each, seat) for each in (end, world.states[-1])]
            moves = [legal[: rules.legal(each, legal)] for each in (end, world.states[-1])]
            if tensors[0] != tensors[1] or (seat == end.turn and moves[0] != moves[1]):
                raise LawBroken(f"seat {seat} has one transcript, but other moves or observations")


def _transcript(history: History, seat: int) -> list[str]:
    game, states = history.game, history.states
    lines = [transcript.opening(game, states[0], seat)]
    for ply, action in enumerate(history.actions):
        seen = history.moments[ply]
        lines.append(transcript.ply(game, states[ply], action, seen, states[ply + 1], seat))
    return lines


def _without_history(state: State) -> State:
    bare, zeros = state.copy(), type(state)()
    for field in state.FIELDS:
        if field.kind is kinds.HISTORY:
            setattr(bare, field.name, getattr(zeros, field.name))
    return bare


def _counted_from_the_next(state: State) -> State:
    """Return the same position with seat 1 called 0, seat 2 called 1, and so on."""
    turned = state.copy()
    by_seat = {name for field in state.FIELDS for name in _indexed_by_seat(field.name, field.kind)}
    for field in state.FIELDS:
        value = getattr(turned, field.name)
        if field.name in by_seat:
            value[: state.seats] = value[1 : state.seats] + value[:1]
        if field.kind in (kinds.SEAT, kinds.by_seat(kinds.SEAT)):
            setattr(turned, field.name, _one_less(value, state.seats))
    return turned


def _indexed_by_seat(name: str, kind: kinds.Kind | None) -> set[str]:
    """Return the fields that a kind says to have an element for each seat."""
    if not isinstance(kind, kinds.BySeatKind):
        return set()
    parts = kind.of.kinds if isinstance(kind.of, kinds.SeveralKind) else (kind.of,)
    names = {name}
    for part in parts:
        if isinstance(part, kinds.BagKind):
            names |= {part.start, part.stop, part.length}
        elif isinstance(part, kinds.CardsKind):
            names.add(part.stop)
    return names


def _one_less(seats: Any, n: int) -> Any:
    if isinstance(seats, list):
        return [_one_less(seat, n) for seat in seats]
    return (seats - 1) % n if seats >= 0 else seats


@checked
def l19_a_world_recalls_the_positions_before_it(setting: Setting, effort: int = 1) -> None:
    """L19: a world tells what other seats saw when they moved, if the game has ``beliefs``.

    The real position recalls it exactly. A determinization recalls something in which the move that
    was made is legal, and the rest is as the observer knows it.
    """
    beliefs, rules, redacted = setting.game.beliefs, setting.game.rules, setting.game.redacted
    if beliefs is None or setting.seats == 1:
        return
    dice, recalled = Random(str(setting)), 0
    out = [0] * (rules.MAX_LEGAL + 1)
    for game in range(2 * effort):
        history = random_history(setting, f"L19 {game}", dice.choice((40, 150)), dice)
        for _ in range(20):
            late = dice.randrange(1, len(history.states))
            early = dice.randrange(max(0, late - 20), late)
            before, action = history.states[early], history.actions[early]
            mover, seat = before.turn, dice.randrange(setting.seats)
            if seat == mover or rules.hidden(before, action):
                continue
            now = history.states[late]
            world = determinized(setting, redacted(now, seat), f"{game} {late}")
            for later in (now, world):
                where = f"ply {early} as seat {seat} recalls it at ply {late}"
                past = redacted(before, seat)
                if not beliefs.recall(past, later):
                    continue
                recalled += 1
                saw = redacted(past, mover)
                if later is now:
                    _same(saw, redacted(before, mover), f"{where} differs for its mover")
                if action not in out[: rules.legal(saw, out)]:
                    raise LawBroken(f"{where}: the move that was made isn't legal")
                both = redacted(redacted(before, mover), seat)
                _same(redacted(saw, seat), both, f"{where} differs for the seat itself")
    if not recalled:
        raise LawBroken("no position is ever recalled: leave beliefs out")


@checked
def l20_an_exchange_of_unseen_cards_changes_nothing_that_a_seat_knows(
    setting: Setting, effort: int = 1
) -> None:
    """L20: with ``exchange_unseen``, a determinization stays one, if the game has ``beliefs``.

    A seat can't tell the new one from the real position, nor from the one before. The same exchange
    leads back, and one that is refused changes nothing. ``holders`` names seats for unseen cards
    alone, and the seat that looks for none.
    """
    beliefs = setting.game.beliefs
    if beliefs is None or setting.seats == 1:
        return
    holders, exchange = beliefs.holders, beliefs.exchange_unseen
    dice, exchanged = Random(str(setting)), 0
    holding = [0] * MAX_PLACES
    for state in random_states(setting, "L20", games=2 * effort, every=11):
        seat = dice.randrange(setting.seats)
        seen = setting.game.redacted(state, seat)
        n = holders(seen, holding)
        unseen = [place for place in range(n) if holding[place] != IN_SIGHT]
        held = [place for place in unseen if holding[place] != NOBODY]
        if odd := {holding[place] for place in held} - (set(range(setting.seats)) - {seat}):
            raise LawBroken(f"holders says that {odd} hold cards which seat {seat} hasn't seen")
        for _ in range(10 if held else 0):
            world = determinized(setting, seen, f"{dice.random()}")
            first, second = dice.choice(held), dice.choice(unseen)
            before = world.copy()
            if first == second or not exchange(world, first, second):
                _same(world, before, "an exchange that is refused changes the position")
                continue
            exchanged += 1
            where = f"seat {seat}, exchange of places {first} and {second}"
            if world == before:
                raise LawBroken(f"{where}: nothing is changed")
            _same(setting.game.redacted(world, seat), seen, f"{where}: the seat can tell")
            full = determinized(setting, world, "full")
            full.rng = list(world.rng)
            _same(full, world, f"{where}: the position contradicts itself")
            if not exchange(world, first, second):
                raise LawBroken(f"{where}: it can't be taken back")
            _same(world, before, f"{where}: taking it back doesn't restore the position")
    if not exchanged:
        raise LawBroken("no cards are ever exchanged: leave beliefs out")


@checked
def a_position_is_small(setting: Setting, effort: int = 1) -> None:
    """A position takes at most ``MAX_STATE_BYTES`` bytes."""
    if (found := size(setting.game.rules.Position)) > MAX_STATE_BYTES:
        raise LawBroken(f"a position takes {found} bytes, more than {MAX_STATE_BYTES}")


@checked
def greedy_plays_legal_moves_alike_on_both_engines(setting: Setting, effort: int = 1) -> None:
    """``greedy`` chooses a legal move from a redacted state, and the same one when compiled."""
    from redouble.kernel import engine
    from redouble.kernel.engine import np

    rules, greedy = setting.game.rules, setting.game.player.greedy
    twin = engine.compiled(greedy)
    state = setting.header("greedy")
    rules.setup(state)
    out, work = [0] * (rules.MAX_LEGAL + 1), [0] * WORK
    rng, there_rng = seed_words("greedy"), np.array(seed_words("greedy"), np.uint64)
    there_work = np.zeros(WORK, np.int64)
    for ply in range(120 * effort):
        n = rules.legal(state, out)
        if not n:
            break
        seen = setting.game.redacted(state, state.turn)
        before = seen.copy()
        action = greedy(seen, out, n, rng, work)
        if action not in out[:n]:
            raise LawBroken(f"ply {ply}: greedy chooses {action}; legal are {out[:n]}")
        there_out = np.array(out, np.int16)
        there = twin(engine.to_records(before)[0], there_out, n, there_rng, there_work)
        if there != action:
            raise LawBroken(f"ply {ply}: greedy chooses {action}, compiled {there}")
        rules.play(state, action)


LAWS: tuple[Law, ...] = tuple(_laws)
"""All laws, in the order in which they are tried."""
__all__ += [law.__name__ for law in LAWS]


def some_observers(setting: Setting, dice: Random) -> list[int]:
    """Return a spectator and up to ``MAX_EYES`` seats, others each time."""
    return [SPECTATOR, *dice.sample(range(setting.seats), min(setting.seats, MAX_EYES))]


def determinized(setting: Setting, seen: State, seed: str) -> Any:
    """Return a full position consistent with a redacted state."""
    copy = seen.copy()
    setting.game.rules.determinize(copy, seed_words(seed), [0] * WORK)
    return copy


def random_match(setting: Setting, seed: str, plies: int) -> Match:
    """Return a match in which up to ``plies`` random moves were played."""
    match = Match(setting.game, setting.seats, seed, dict(setting.options))
    dice = Random(f"{seed} {setting}")
    while match.turn is not None and match.ply < plies:
        match.push(dice.choice(list(match.legal_moves)))
    return match


def random_history(
    setting: Setting, seed: str, plies: int, dice: Random, copy: str = ""
) -> History:
    """Return a game of up to ``plies`` random moves that can be replayed."""
    header = setting.header(seed)
    return play_history(setting.game, header, lambda _, legal: dice.choice(legal), plies, copy)


def random_states(setting: Setting, seed: str, games: int, every: int) -> list[State]:
    """Return states of random games: one in every ``every`` plies."""
    rules = setting.game.rules
    dice = Random(f"{seed} {setting}")
    states: list[State] = []
    for game in range(games):
        state = setting.header(f"{seed} {game}")
        rules.setup(state)
        out = [0] * (rules.MAX_LEGAL + 1)
        for ply in range(250):
            n = rules.legal(state, out)
            if not n:
                break
            if ply % every == 0:
                states.append(state.copy())
            rules.play(state, dice.choice(out[:n]))
    return states


def _same(found: State, expected: State, otherwise: str) -> None:
    """Raise LawBroken with the differing fields unless two states are equal."""
    if found != expected:
        fields = type(expected).differences(found, expected)
        shown = "; ".join(f"{f}: {getattr(found, f)} != {getattr(expected, f)}" for f in fields)
        raise LawBroken(f"{otherwise}: {shown}")


def _refused(push: Callable[[Any], None], move: Any) -> IllegalMove:
    try:
        push(move)
    except IllegalMove as error:
        return error
    raise LawBroken(f"{move!r} is played, but it is not legal")
