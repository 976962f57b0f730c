"""Whole games on pipes and with a fake clock: moves, commands, secrets and timing."""

import io
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

import redouble
from redouble.analysis.prepare import Purpose
from redouble.bots import BOTS
from redouble.bots.levels import LevelBot
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel.rng import Generator
from redouble.match.match import Match, Observation
from redouble.match.record import Record
from redouble.match.replay import Replay
from redouble.match.story import ties_broken
from redouble.terminal.ask.screen import Screen
from redouble.terminal.draw.blocks import Block
from redouble.terminal.play.session import Session
from redouble.terminal.play.setup import Setup
from redouble.terminal.study.replay import as_text
from tests.helpers.known import known
from tests.helpers.tables import play_on

Play = Callable[..., tuple[Session, str]]
"""Plays what is typed, in a set-up and from a match; the session, and what it printed."""


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Play:
    def play(
        lines: str,
        setup: Setup,
        match: Match | None = None,
        notes: Sequence[tuple[int, str]] = (),
        ends: bool = False,
    ) -> tuple[Session, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        one = setup.session(match or setup.start(), Screen())
        one.notes = list(notes)
        assert one.play() is ends
        return one, capsys.readouterr().out

    return play


STACKED = """
    7 8 9 10 11 2 2 2 3 3 3 0 0 0 0 4 4 4 5 5 5 6 6 6 7 7 8 8 9 9 10 10 10 10 10 10 10 22 33 44 55
    66 -10 -10 -10 -10 x2 x2 x2 x2 turn turn turn turn turn
"""


def double_down(**changes: Any) -> Setup:
    fields: dict[str, Any] = {
        "game": GAMES["double-down"],
        "seats": 2,
        "seed": "t",
        "options": {"ages": "11,30"},
        "deck": STACKED.split(),
    }
    return Setup(**{**fields, **changes})


def test_a_wrong_move_shows_what_is_legal_and_asks_again(play: Play) -> None:
    _, out = play("66\n7\n", double_down())
    can = "play the 2 (2), play the 3 (3), play the 7 (7), play the 9 (9) or play the 11 (11)"
    assert f"'66' is not a legal move. You can {can}." in out
    assert "You play 7: 7." in out
    assert out.endswith("moves.\n")


def test_undo_goes_back_to_the_players_previous_decision(play: Play) -> None:
    one, out = play("undo\n7\nundo\n9\nquit\n", double_down())
    assert "You have no earlier move to undo." in out
    assert "Back to your previous move." in out
    assert one.match.moves[0] == "9"


def test_undo_of_one_person_takes_back_the_other_persons_move_too(play: Play) -> None:
    one, _ = play("7\n10\nundo\nquit\n", double_down(people=2))
    assert one.match.moves == ()
    assert one.match.turn == 0


def test_undo_removes_later_notes(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    notes = [(0, "All sit down."), (1, "Ada gets a drink.")]
    play(f"7\nundo\nsave {file}\n", double_down(), notes=notes)
    assert Record.parse(file.read_text()).notes == ((0, "All sit down."),)


def test_a_hint_names_a_move_and_its_reason(play: Play) -> None:
    one, out = play("hint\n", double_down())
    said = (
        r"Hint: (Play the \S+) \(type (\S+)\)\. You win about \d+ of 100 games like this[;,.].*\.\n"
    )
    found = known(re.search(said, out))
    assert found[2] in one.match.legal_moves
    assert found[1] == one.match.describe(found[2])
    assert one.match.ply == 0


def test_a_forced_move_is_made_and_announced(play: Play) -> None:
    one, out = play("", Setup(GAMES["double-or-quits"], seed="forced", auto=True))
    assert one.match.ply > 0
    assert "You flip" in out


def test_a_whole_game_between_bots_ends_with_ranks_and_reason(play: Play) -> None:
    _, out = play("", double_down(people=0), ends=True)
    assert "Game over: last player standing." in out
    assert out.splitlines()[-2].split()[0] == "1."


def test_the_end_says_what_broke_a_tie(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    match = play_on(redouble.new("double-dominoes", seats=3, seed="x0", victory=1), Random(1))
    setup = Setup(match.game, seats=3, options={"victory": "1"}, people=0)
    one, out = play("", setup, match, ends=True)
    (tie,) = ties_broken(match.view(), one._names)
    assert tie.startswith("Tie broken by dots left in hand: ")
    assert out.splitlines()[-1] == tie
    as_text(Replay(match.record()), None, Screen())
    assert "Tie broken by dots left in hand: " in capsys.readouterr().out


def test_names_from_a_file_cannot_steer_the_terminal(play: Play) -> None:
    assert "\x1b" not in play("", double_down(names=["\x1b[2Jevil", "{0}"]))[1]


def test_a_failed_save_does_not_end_the_game(play: Play) -> None:
    one, out = play("save /no/where.json\n7\n", double_down())
    assert "Not saved: /no/where.json cannot be written: No such file or directory." in out
    assert one.match.ply > 0


def test_a_person_makes_a_forced_move_on_their_own_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise the other person, still looking, would learn that there was no choice."""
    setup = Setup(GAMES["three-up"], 3, 3, seed="forced", auto=True)
    one = setup.session(setup.start(), Screen())
    dice = Random(7)
    seen: list[tuple[int, int, int]] = []

    def decide(seat: int) -> None:
        one._hand_over(seat)
        one._push(dice.choice(one.match.legal_moves.actions))

    def push(action: int, push: Callable[[int], None] = one._push) -> None:
        assert one.match.turn is not None
        seen.append((one.match.turn, one._reader, len(one.match.legal_moves)))
        push(action)

    monkeypatch.setattr(one, "_decide", decide)
    monkeypatch.setattr(one, "_push", push)
    one.play()
    forced = [(mover, reader) for mover, reader, choices in seen if choices == 1]
    assert len(forced) > 5
    assert all(mover == reader for mover, reader in forced)


class Watched(Screen):
    """A live screen that only records what it shows, with a fake clock."""

    def __init__(self) -> None:
        super().__init__(plain=True)
        self.live = True
        self.now = 0.0
        self.last = ""

    def show(self, block: Block) -> None:
        self.last = block[-1].plain

    def clear(self) -> None:
        pass

    def rest(self, seconds: float) -> None:
        self.now += max(0.0, seconds)


class Prepared:
    """Stands in for code that is loaded in the background: its waiting takes seconds."""

    def __init__(self, game: Game, purpose: Purpose, screen: Watched | None = None) -> None:
        self.screen = screen
        self.ready = screen is None

    def wait(self) -> None:
        assert self.screen
        assert self.screen.last.endswith("is thinking... The first time, this can take a while.")
        self.screen.now += 3.0
        self.ready = True


def test_loading_the_search_is_not_taken_for_a_long_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Watched()
    setup = Setup(GAMES["double-down"], 2, 0, bot="master", seed="load", pace=0.6)
    one = setup.session(setup.start(), screen)
    monkeypatch.setattr(
        "redouble.terminal.play.session.Preparation", partial(Prepared, screen=screen)
    )
    monkeypatch.setattr("redouble.terminal.play.session.time.monotonic", lambda: screen.now)
    monkeypatch.setattr(LevelBot, "choose", lambda _, seen, rng: BOTS["greedy"].choose(seen, rng))
    assert one.play()
    assert screen.now == pytest.approx(3.0 + one.match.ply * 1.0 + seconds_of_moments(one.match))


def seconds_of_moments(match: Match) -> float:
    """The seconds for which the moments of a whole match are shown."""
    at, seconds = match.copy(), 0.0
    while at.ply:
        seconds += sum(moment.kind.seconds for moment in at.moments())
        at.pop()
    return seconds


def test_a_lost_chip_is_shown_before_the_next_round(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Watched()
    setup = Setup(GAMES["double-down"], 3, 0, bot="club", seed="chips", pace=0.6)
    one = setup.session(setup.start(), screen)
    shown: list[tuple[str, str, float]] = []

    def show(block: Block) -> None:
        lines = [line.plain for line in block]
        told = [line for line in lines if line.endswith((" chip.", " is out.")) and "hits" in line]
        shown.extend((line, "\n".join(lines), screen.now) for line in told)
        screen.last = lines[-1]

    monkeypatch.setattr("redouble.terminal.play.session.time.monotonic", lambda: screen.now)
    monkeypatch.setattr(screen, "show", show)
    assert one.play()
    losses = [line for line, _, _ in shown]
    assert len(losses) == 3 * 4 - max(one.match.state.lives)
    total = known(re.search(r"hits (-?\d+)", shown[0][0]))
    assert f"total {total[1]}" in shown[0][1]
    assert "round 1 " in shown[0][1]


@pytest.mark.parametrize(("level", "seconds"), [("master", 1.0), ("club", 0.6)])
def test_neither_words_nor_timing_reveal_whether_a_bot_had_a_choice(
    monkeypatch: pytest.MonkeyPatch, level: str, seconds: float
) -> None:
    """A choice takes time here, a forced move none; on the screen both take the same."""
    screen = Watched()
    setup = Setup(GAMES["three-up"], 2, 0, bot=level, seed="even", pace=0.6)
    one = setup.session(setup.start(), screen)
    moves: list[tuple[bool, str, float]] = []
    began = 0.0

    def choose(self: LevelBot, observation: Observation, rng: Generator) -> int:
        screen.now += 0.4 * (len(observation.legal) > 1)
        return BOTS["greedy"].choose(observation, rng)

    def push(action: int, push: Callable[[int], None] = one._push) -> None:
        nonlocal began
        assert one.match.turn is not None
        words = screen.last.replace(one.match.names[one.match.turn], "X")
        moves.append((len(one.match.legal_moves) == 1, words, round(screen.now - began, 6)))
        push(action)
        began = screen.now  # moments that are shown take their time, whoever moved

    monkeypatch.setattr("redouble.terminal.play.session.time.monotonic", lambda: screen.now)
    monkeypatch.setattr("redouble.terminal.play.session.Preparation", Prepared)
    monkeypatch.setattr(LevelBot, "choose", choose)
    monkeypatch.setattr(one, "_push", push)
    assert one.play()
    assert {forced for forced, _, _ in moves} == {True, False}
    assert {(words, took) for _, words, took in moves} == {("X is thinking...", seconds)}
