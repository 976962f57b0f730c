"""The laws L1-L11 of docs/architecture.md, over every installed game, seat count and options.

A game that exists is tested: nothing here names one. ``--long`` plays a million plies a game.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import pytest

import redouble
from redouble.contract.game import WORK
from redouble.contract.registry import GAMES
from redouble.kernel import engine
from redouble.kernel.rng import seed_words
from redouble.kernel.state import SPECTATOR, State, size
from redouble.match.match import Match

from .chance import Impossible, play_history
from .worlds import Setting, settings

ALL = list(settings(spread=3))
by_setting = pytest.mark.parametrize("setting", ALL, ids=str)


def observers(setting: Setting) -> list[int]:
    return [SPECTATOR, *range(setting.seats)]


def redacted(setting: Setting, state: State, seat: int) -> Any:
    copy = state.copy()
    setting.game.rules.redact(copy, seat)
    return copy


def imagined(setting: Setting, seen: State, seed: str) -> Any:
    copy = seen.copy()
    setting.game.rules.determinize(copy, seed_words(seed), [0] * WORK)
    return copy


def fields_differing(one: State, other: State) -> list[str]:
    return type(one).differences(one, other)


@by_setting
def test_l1_legal_moves_are_ascending_without_repeats_and_end_with_the_game(
    setting: Setting, plies: int
) -> None:
    rules = setting.game.rules
    dice = Random(str(setting))
    played = 0
    game = 0
    while played < plies:
        state = setting.header(f"L1 {game}")
        game += 1
        rules.setup(state)
        out = [0] * (rules.MAX_LEGAL + 1)
        while state.turn >= 0 and played < plies:
            n = rules.legal(state, out)
            legal = out[:n]
            assert 0 < n <= rules.MAX_LEGAL
            assert legal == sorted(set(legal))
            assert legal[0] >= 0
            assert legal[-1] < rules.ACTIONS
            rules.play(state, dice.choice(legal))
            played += 1
        if state.turn < 0:
            assert rules.legal(state, out) == 0
            assert 0 < state.reason < len(setting.game.text.REASONS)


@by_setting
def test_l2_a_moves_text_reads_back_as_the_move(setting: Setting) -> None:
    match = random_match(setting, "L2", plies=0)
    dice = Random(str(setting))
    texts = setting.game.text
    for _ in range(150):
        if match.turn is None:
            break
        state = match.state
        names = [texts.name(state, action) for action in match.legal_moves.actions]
        assert len(set(names)) == len(names)
        assert [texts.parse(state, name) for name in names] == list(match.legal_moves.actions)
        match.push(dice.choice(names))


@by_setting
def test_l3_an_imagined_world_looks_the_same(setting: Setting, often: int) -> None:
    for state in random_states(setting, "L3", games=2 * often, every=7):
        for seat in observers(setting):
            seen = redacted(setting, state, seat)
            world = imagined(setting, seen, f"{seat}")
            again = redacted(setting, world, seat)
            assert fields_differing(again, seen) == []
            assert redacted(setting, seen, seat) == seen


@by_setting
def test_l4_an_imagined_worlds_own_history_is_legal_and_leads_to_it(
    setting: Setting, often: int
) -> None:
    dice = Random(str(setting))
    for game in range(3 * often):
        length = dice.choice((5, 20, 60, 150, 300))
        history = play_history(
            setting.game,
            setting.header(f"L4 {game}"),
            lambda state, legal: dice.choice(legal),
            plies=length,
        )
        state = history.states[-1]
        for seat in observers(setting):
            seen = redacted(setting, state, seat)
            for attempt in range(2):
                world = imagined(setting, seen, f"{game} {seat} {attempt}")
                try:
                    reached = history.replay(world, seen, seat)
                except Impossible as error:
                    pytest.fail(f"seat {seat}: the imagined world cannot have happened: {error}")
                reached.rng = world.rng
                assert fields_differing(reached, world) == []


@by_setting
def test_l5_every_unlisted_action_is_refused_and_changes_nothing(setting: Setting) -> None:
    match = random_match(setting, "L5", plies=9)
    before = match.state
    legal = set(match.legal_moves.actions)
    for action in range(-1, setting.game.rules.ACTIONS + 1):
        if action not in legal:
            with pytest.raises(redouble.IllegalMove):
                match.push_action(action)
    for text in ("", "nonsense", "0 0", "x" * 500, "7\x00"):
        if text not in match.legal_moves:
            with pytest.raises(redouble.IllegalMove, match=r"legal|the game is over"):
                match.push(text)
    assert match.state == before


@by_setting
def test_l6_taking_back_restores_every_field(setting: Setting) -> None:
    match = Match(setting.game, setting.seats, "L6", dict(setting.options))
    dice = Random(str(setting))
    states = [match.state]
    while match.turn is not None and match.ply < 60:
        match.push(dice.choice(list(match.legal_moves)))
        states.append(match.state)
    while match.ply:
        assert match.state == states.pop()
        match.pop()
    assert match.state == states.pop()
    with pytest.raises(IndexError):
        match.pop()


@by_setting
def test_l7_cards_are_kept_and_ranks_are_complete(setting: Setting) -> None:
    match = Match(setting.game, setting.seats, "L7", dict(setting.options))
    dice = Random(str(setting))
    box = sorted(match.state.box[: match.state.deck_n])
    while match.turn is not None and match.ply < 20_000:
        if match.ply % 10 == 0:
            assert sum(zone.size for zone in match.view().zones) == len(box)
            assert sorted(match.state.box[: match.state.deck_n]) == box
        match.push(dice.choice(list(match.legal_moves)))
    assert match.outcome is not None
    ranks = match.outcome.ranks
    assert len(ranks) == setting.seats
    for rank in ranks:
        assert rank == 1 + sum(other < rank for other in ranks)
    if match.outcome.scores is not None:
        assert len(match.outcome.scores) == setting.seats


@by_setting
def test_l8_interpreted_and_compiled_agree_field_for_field(setting: Setting, plies: int) -> None:
    rules = setting.game.rules
    setup, legal, play = (engine.compiled(f) for f in (rules.setup, rules.legal, rules.play))
    redact, determinize = engine.compiled(rules.redact), engine.compiled(rules.determinize)
    rank, score = engine.compiled(rules.rank), engine.compiled(rules.score)
    dice = Random(str(setting))
    cls = rules.Position
    out, there = [0] * (rules.MAX_LEGAL + 1), np.zeros(rules.MAX_LEGAL + 1, np.int16)
    game = played = 0
    while played < plies:
        state = setting.header(f"L8 {game}")
        game += 1
        records = engine.to_records(state)
        record = records[0]
        rules.setup(state)
        setup(record)
        for ply in range(400):
            n = rules.legal(state, out)
            assert legal(record, there) == n
            assert there[:n].tolist() == out[:n]
            assert engine.from_record(cls, record) == state
            if not n:
                break
            if ply % 13 == 0:
                seat = dice.randint(-1, setting.seats - 1)
                seen, there_seen = state.copy(), records.copy()[0]
                rules.redact(seen, seat)
                redact(there_seen, seat)
                assert engine.from_record(cls, there_seen) == seen
                rules.determinize(seen, seed_words("w"), [0] * WORK)
                words = np.array(seed_words("w"), np.uint64)
                determinize(there_seen, words, np.zeros(WORK, np.int64))
                assert engine.from_record(cls, there_seen) == seen
            action = dice.choice(out[:n])
            rules.play(state, action)
            play(record, action)
            played += 1
        if state.turn < 0:
            for function, twin in ((rules.rank, rank), (rules.score, score)):
                ours, theirs = [0] * setting.seats, np.zeros(setting.seats, np.int64)
                assert function(state, ours) == twin(record, theirs)
                assert theirs.tolist() == ours


@by_setting
def test_l9_a_record_read_back_gives_the_same_state(setting: Setting) -> None:
    match = random_match(setting, "L9", plies=80)
    line = str(match.record())
    assert "\n" not in line
    again = redouble.replay(line)
    assert again.state == match.state
    assert str(again.record()) == line


@by_setting
def test_l10_no_byte_differs_between_worlds_that_a_seat_cannot_tell_apart(setting: Setting) -> None:
    dice = Random(str(setting))
    rules, text = setting.game.rules, setting.game.text
    history = play_history(
        setting.game,
        setting.header("L10"),
        lambda state, legal: dice.choice(legal),
        plies=dice.choice((10, 40, 90)),
    )
    if not history.actions:
        return
    for ply in range(0, len(history.actions), 5):
        before, after = history.states[ply], history.states[ply + 1]
        action = history.actions[ply]
        for seat in observers(setting):
            seen = redacted(setting, after, seat)
            world = imagined(setting, seen, str(ply))
            scenes = [text.show(redacted(setting, s, seat), seat) for s in (after, world)]
            assert json.dumps(scenes[0], default=vars) == json.dumps(scenes[1], default=vars)
            secret = seat != before.turn and rules.hidden(before, action)
            told = [
                text.tell(
                    redacted(setting, before, seat),
                    redacted(setting, s, seat),
                    -1 if secret else action,
                )
                for s in (after, world)
            ]
            assert told[0] == told[1]


@by_setting
def test_l11_a_card_that_a_view_dims_is_in_no_move_and_only_its_seat_is_told(
    setting: Setting,
) -> None:
    match = random_match(setting, "L11", plies=0)
    dice = Random(str(setting))
    while match.turn is not None and match.ply < 60:
        view = match.view(match.turn)
        shown = {
            card.text
            for zone in [*view.zones_of(match.turn), *view.zones_of(None)]
            for card in zone.cards
            if card
        }
        moves = list(match.legal_moves)
        assert view.dimmed.keys() <= shown - {word for move in moves for word in move.split()}
        for reason in view.dimmed.values():
            assert reason.count(".") == 1
            assert reason.endswith(".")
        assert match.view().dimmed == view.dimmed
        for seat in set(observers(setting)) - {match.turn}:
            assert not match.view(seat).dimmed
        match.push(dice.choice(moves))
    if match.turn is None:
        assert not match.view().dimmed


@pytest.mark.parametrize("name", list(GAMES))
def test_a_state_is_small(name: str) -> None:
    assert size(GAMES[name].rules.Position) <= 2048


@by_setting
def test_greedy_plays_legal_moves_alike_on_both_engines(setting: Setting) -> None:
    rules, greedy = setting.game.rules, setting.game.greedy
    twin = engine.compiled(greedy)
    state = setting.header("greedy")
    rules.setup(state)
    out, work = [0] * (rules.MAX_LEGAL + 1), [0] * WORK
    rng, there_rng = seed_words("greedy"), np.array(seed_words("greedy"), np.uint64)
    there_work = np.zeros(WORK, np.int64)
    for _ in range(120):
        n = rules.legal(state, out)
        if not n:
            break
        seen = redacted(setting, state, state.turn)
        before = seen.copy()
        action = greedy(seen, out, n, rng, work)
        assert action in out[:n]
        there_out = np.array(out, np.int16)
        assert twin(engine.to_records(before)[0], there_out, n, there_rng, there_work) == action
        rules.play(state, action)


def random_match(setting: Setting, seed: str, plies: int) -> Match:
    match = Match(setting.game, setting.seats, seed, dict(setting.options))
    dice = Random(f"{seed} {setting}")
    while match.turn is not None and match.ply < plies:
        match.push(dice.choice(list(match.legal_moves)))
    return match


def random_states(setting: Setting, seed: str, games: int, every: int) -> list[State]:
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
