"""The laws themselves: each notices a game that breaks it and says how."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from redouble.contract.game import Game
from redouble.contract.parts import Words
from redouble.contract.registry import GAMES
from redouble.contract.view import Card, Fact, Zone
from redouble.games.double_down import rules, text
from redouble.games.double_down.rules import Position
from redouble.kernel.errors import RedoubleError, UnknownGame
from redouble.kernel.rng import Generator
from redouble.match.match import Match
from redouble.testing import LAWS, LawBroken, check_game, laws_named
from tests.helpers.strangers import ONLY_OURS, installed, run_module

GAME = GAMES["double-down"]
play = rules.play  # by name, as compiled rules call each other


def with_rules(**changed: Any) -> Game:
    """Double Down with other functions in its rules."""
    return replace(GAME, rules=SimpleNamespace(**{**vars(rules), **changed}))


def with_text(**changed: Any) -> Game:
    """Double Down with other functions in its text."""
    return replace(GAME, text=SimpleNamespace(**{**vars(text), **changed}))


def with_words(words: str) -> Game:
    """Double Down whose moves are described like this."""
    return replace(GAME, words=Words(describe=lambda s, action: words.format(action)))


def descending(s: Position, out: list[int]) -> int:
    n = rules.legal(s, out)
    out[:n] = out[:n][::-1]
    return n


def ends_in_silence(s: Position, action: int) -> None:
    rules.play(s, action)
    s.reason = 0


def leaves_the_generator(s: Position, seat: int) -> None:
    generator = list(s.rng)
    rules.redact(s, seat)
    s.rng[:] = generator


def changes_what_is_known(s: Position, rng: Generator, work: list[int]) -> None:
    rules.determinize(s, rng, work)
    s.total += 1


def deals_one_card_to_all(s: Position, rng: Generator, work: list[int]) -> None:
    hidden = [place for place in range(s.deck_n) if s.deck[place] < 0]
    rules.determinize(s, rng, work)
    for place in hidden:
        s.deck[place] = s.box[0]


def shows_hands_at_total_0(s: Position, seat: int) -> None:
    if s.total:
        rules.redact(s, seat)


def different_every_time() -> Callable[[Position, int], None]:
    calls = count()

    def play_otherwise(s: Position, action: int) -> None:
        rules.play(s, action)
        s.place_out[6] = next(calls) % 7  # of a seat that does not play

    return play_otherwise


def ranks_nobody_first(s: Position, out: list[int]) -> None:
    for seat in range(s.seats):
        out[seat] = 2


def overflows(s: Position, action: int) -> None:
    play(s, action)
    if s.turn >= 0:
        s.deck_n = (s.deck_n + 1000) * 1000 // 1000 - 1000 if s.total < 20 else s.deck_n + 40_000


def shows_the_generator(s: Position, seat: int | None) -> Any:
    return replace(text.show(s, seat), facts=(Fact("next", str(s.rng[0])),))


def dims_for_everyone(s: Position, seat: int | None) -> Any:
    return replace(text.show(s, seat), dimmed={"99": "Because."})


def loses_a_card(s: Position, seat: int | None) -> Any:
    return replace(text.show(s, seat), zones=(Zone("pile", (Card("6"),), size=1),))


LEAKY = replace(
    with_text(show=shows_the_generator), rules=with_rules(redact=leaves_the_generator).rules
)


FOR_RECORDS = with_text(name=lambda s, action: f"{action}b").text
RASH = replace(GAME.player, greedy=lambda s, out, n, rng, work: -1)

BROKEN: list[tuple[str, Game, str]] = [
    ("l1", with_rules(legal=descending), "not ascending"),
    ("l1", with_rules(play=ends_in_silence), "reason 0"),
    ("l1", with_rules(MAX_LEGAL=1), "MAX_LEGAL"),
    ("l2", with_text(name=lambda s, action: "card"), "the same text"),
    ("l2", with_text(parse=lambda s, words: 0), "read back"),
    ("l3", with_rules(redact=leaves_the_generator), "generator"),
    ("l3", with_rules(determinize=changes_what_is_known), "total"),
    ("l4", with_rules(determinize=deals_one_card_to_all), "cannot have happened"),
    ("l6", with_rules(play=different_every_time()), "undoing"),
    ("l7", with_rules(rank=ranks_nobody_first), "ranks"),
    ("l7", with_text(show=loses_a_card), "zones count 1 cards"),
    ("l8", with_rules(play=overflows), "deck_n"),
    ("l9", with_rules(play=different_every_time()), "another position"),
    ("l10", LEAKY, "tells more"),
    ("l11", with_text(show=dims_for_everyone), "not face up"),
    ("l14", with_words("Play a card"), "tell them apart"),
    ("l14", with_words(""), "begin with a capital"),
    ("l14", replace(with_words("Play {}b"), text=FOR_RECORDS), "b' is for records"),
    ("l18", with_rules(redact=shows_hands_at_total_0), "tells what it can't know"),
    ("greedy", replace(GAME, player=RASH), "greedy chooses -1"),
]


@pytest.mark.parametrize(
    ("law", "game", "said"), BROKEN, ids=[f"{law}-{said}" for law, _, said in BROKEN]
)
def test_each_law_notices_a_broken_game(law: str, game: Game, said: str) -> None:
    with pytest.raises(LawBroken, match=said) as caught:
        check_game(game, spread=0, laws=[law])
    assert "law l" in caught.value.__notes__[0] or "law greedy" in caught.value.__notes__[0]


def test_an_error_in_a_game_names_the_law_and_the_setting() -> None:
    def fails(s: Position, action: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        check_game(with_rules(play=fails), laws=["l6"])
    assert caught.value.__notes__ == ["law l6_undo_restores_every_field on double-down-2"]


def test_arguments_are_checked() -> None:
    with pytest.raises(UnknownGame, match="no-such-game"):
        check_game("no-such-game")
    with pytest.raises(RedoubleError, match="give a Game"):
        check_game(7)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(RedoubleError, match="effort cannot be 0"):
        check_game(GAME, effort=0)
    with pytest.raises(RedoubleError, match=r"spread cannot be 1\.5"):
        check_game(GAME, spread=1.5)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(RedoubleError, match="there is no law 'l99'"):
        check_game(GAME, laws=["l99"])


def test_a_game_without_its_own_words_gets_default_ones() -> None:
    plain = replace(GAME, words=Words())
    check_game(plain, spread=0, laws=["l14"])
    match = Match(plain, 2, "words", deck=None)
    hand = {match.legal_moves.name(action): action for action in match.legal_moves.actions}
    for move, action in hand.items():
        assert match.observation().describe(action) == f"Play {move}"
    assert plain.in_words(match.state, rules.DRAW) == "Draw"


def test_a_law_is_named_by_its_first_words() -> None:
    assert laws_named("l1") == LAWS[:1]
    assert laws_named(["l10_views", "l2"]) == (LAWS[1], LAWS[9])
    assert laws_named([law.__name__ for law in LAWS]) == LAWS


BROKEN_PACKAGE = """
from dataclasses import replace
from types import SimpleNamespace
from highest_card import GAME, text

def parse(s, words):
    return 0

GAME = replace(GAME, text=SimpleNamespace(**{**vars(text), "parse": parse}))
"""


@pytest.fixture
def project(tmp_path: Path) -> tuple[dict[str, str], Path]:
    """A folder beside one into which the strangers' games are installed."""
    site, project = tmp_path / "site", tmp_path / "project"
    site.mkdir()
    project.mkdir()
    return installed(site) | ONLY_OURS, project


def test_the_plugin_reports_what_is_broken(project: tuple[dict[str, str], Path]) -> None:
    environment, folder = project
    (folder / "mine.py").write_text(BROKEN_PACKAGE)
    (folder / "pytest.ini").write_text("[pytest]\nredouble_games = mine:GAME\npythonpath = .\n")
    options = ("-q", "-k", "l2", "--redouble-spread=0")
    result = run_module(environment, "pytest", *options, folder=folder)
    assert result.returncode == 1, result.stdout
    assert "3 failed" in result.stdout
    assert "L2: the texts of legal moves differ, and each reads back as its move." in result.stdout
    assert "highest-card-2: moves [" in result.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--redouble-game=nothing"], "there is no game 'nothing'"),
        (["--redouble-game=json:dumps"], "json:dumps is not a Game"),
        (["--redouble-game=nowhere:GAME"], "there is no game at 'nowhere:GAME'"),
        (["--redouble-game=double-down", "--redouble-effort=0"], "effort cannot be 0"),
        ([], "collected 0 items"),
    ],
)
def test_the_plugin_checks_its_options(
    project: tuple[dict[str, str], Path], options: list[str], said: str
) -> None:
    environment, folder = project
    result = run_module(environment, "pytest", *options, folder=folder)
    refused = pytest.ExitCode.USAGE_ERROR if options else pytest.ExitCode.NO_TESTS_COLLECTED
    assert result.returncode == refused
    assert said in result.stdout + result.stderr
