"""Wrong arguments to bots, searches and contests: refused, before they reach compiled code."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from redouble.analysis.hint import advise
from redouble.analysis.solve import SolveError, Solving
from redouble.bots import BOTS, UnknownBot
from redouble.bots.policy import Policy
from redouble.bots.search import Search, think
from redouble.contract.moments import who
from redouble.contract.registry import GAMES
from redouble.contract.view import Card, Fact, Zone
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.rng import seed_words
from redouble.lab.contest import Contest, numbered_words
from redouble.match.match import Match, Observation

GAME = GAMES["double-down"]
RANDOM = Policy(mistakes=1.0)
RNG = seed_words("inputs")


@pytest.fixture
def observation() -> Observation:
    match = Match(GAME, 2, "inputs")
    while len(match.legal_moves) == 1:
        match.push(match.legal_moves[0])
    return match.observation()


@pytest.fixture(scope="module")
def contest() -> Contest:
    return Contest(GAME, 2, [RANDOM])


def test_a_contest_with_too_few_seeds_is_refused(contest: Contest) -> None:
    """It read on behind the array, and could not be stopped."""
    with pytest.raises(InputError, match="seeds has 1 texts: give one for each of 3 games"):
        contest.play([[0, 0]] * 3, ["one"])
    with pytest.raises(InputError, match="8 words for each of 3 games"):
        contest.play([[0, 0]] * 3, numbered_words("few", 0, 2))


def test_a_search_with_two_words_of_chance_is_refused(observation: Observation) -> None:
    """It ended the process."""
    with pytest.raises(InputError, match="rng has 2 words: give four"):
        Search(observation, [1, 2])


def test_a_move_that_is_not_legal_is_refused(observation: Observation) -> None:
    """It gave plausible numbers."""
    with pytest.raises(InputError, match=r"moves cannot be \[999\]: give different ones of"):
        Search(observation, RNG, moves=[999])


def test_an_unknown_policy_is_refused(contest: Contest) -> None:
    """It gave plausible numbers."""
    with pytest.raises(InputError, match="a policy that does not exist: give 0 to 0"):
        contest.play([[0, 1]], ["seed"])


@pytest.mark.parametrize(
    "players",
    [[[0]], [0, 0], [[0, 0, 0]], [[0.5, 0.5]], [[0, -1]], [["0", "0"]], [[0], [0, 0]], None, "00"],
)
def test_players_have_to_be_policy_numbers(contest: Contest, players: Any) -> None:
    with pytest.raises(InputError, match="players"):
        contest.play(players, ["seed"])


@pytest.mark.parametrize(
    "seeds", [None, "x", [1], np.zeros((1, 8)), np.zeros((1, 8), np.uint64), np.ones((1, 4), int)]
)
def test_seeds_have_to_be_texts_or_words(contest: Contest, seeds: Any) -> None:
    with pytest.raises(InputError, match="seed"):
        contest.play([[0, 0]], seeds)


@pytest.mark.parametrize(
    "field",
    [
        *({"mistakes": value} for value in (-0.1, 1.1, float("nan"), "much", None)),
        *({"iterations": value} for value in (-1, 1.5, 10**12, True)),
        *({"care": value} for value in (2.0, float("inf"))),
        *({"horizon": value} for value in (-1, 10**9)),
    ],
)
def test_a_policy_outside_its_ranges_is_refused(field: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(field))):
        Policy(**field)


@pytest.mark.parametrize(
    "rng", [None, "abcd", [0, 0, 0, 0], [1, 2, 3, -1], [1, 2, 3, 1 << 64], [1.0] * 4]
)
def test_a_generator_has_to_be_four_words(observation: Observation, rng: Any) -> None:
    with pytest.raises(InputError, match="rng"):
        Search(observation, rng)
    for bot in BOTS.values():
        with pytest.raises(InputError, match="rng"):
            bot.choose(observation, rng)


def test_a_position_of_another_game_is_refused(observation: Observation) -> None:
    with pytest.raises(InputError, match="a position of Double Decker"):
        replace(observation, game=GAMES["double-decker"])


def test_a_position_that_does_not_fit_its_fields_is_refused(observation: Observation) -> None:
    for change in ({"turn": 7}, {"seats": 100}, {"rng": [0]}, {"reason": 10**6}):
        state = observation.state.copy()
        for name, value in change.items():
            setattr(state, name, value)
        with pytest.raises(InputError, match=r"give a position of a match|cannot be"):
            Search(replace(observation, state=state), RNG)


def test_illegal_moves_in_an_observation_are_refused(observation: Observation) -> None:
    with pytest.raises(InputError, match="legal"):
        Search(replace(observation, legal=observation.legal[1:]), RNG)


def test_a_search_needs_a_number_of_iterations(observation: Observation) -> None:
    search = Search(observation, RNG)
    for iterations in (-1, 1.5, "many", 10**12):
        with pytest.raises(InputError, match="iterations"):
            search.run(iterations)  # type: ignore[arg-type]  # wrong on purpose
    for seconds in (-1.0, float("nan"), "long"):
        with pytest.raises(InputError, match="seconds"):
            search.run(1, seconds=seconds)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(InputError, match="threads"):
        think(observation, RNG, Policy(iterations=1), threads=0)
    with pytest.raises(InputError, match="iterations is 0"):
        think(observation, RNG, Policy())


def test_a_contest_needs_policies() -> None:
    with pytest.raises(InputError, match="policies is empty"):
        Contest(GAME, 2, [])
    with pytest.raises(InputError, match="a policy cannot be 'novice'"):
        Contest(GAME, 2, ["novice"])  # type: ignore[list-item]  # wrong on purpose


def test_bots_are_a_read_only_mapping() -> None:
    with pytest.raises(UnknownBot, match="there is no bot 'hal': the bots are novice"):
        BOTS["hal"]
    with pytest.raises(TypeError):
        BOTS["hal"] = BOTS["greedy"]  # type: ignore[index]  # wrong on purpose
    assert "hal" not in BOTS
    assert BOTS.get("hal") is None


ENDLESS = {
    "flat": ("Search(match.observation(), seed_words('x')).run", "1", "10**9"),
    "contest": (
        "Contest(game, 2, [Policy(mistakes=1.0)]).play",
        "[[0, 0]], ['x']",
        "np.zeros((10**7, 2), int), numbered_words('x', 0, 10**7)",
    ),
    "simulate": ("Simulator(game, 2).playouts", "1", "10**9"),
}
"""By the module's name: a function, its arguments for a little work, and for work without end."""


@pytest.mark.parametrize("what", ENDLESS)
def test_long_work_can_be_interrupted(what: str) -> None:
    function, little, endless = ENDLESS[what]
    code = (
        "import os, signal, sys, threading, time, numpy as np\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from redouble.bots.policy import Policy; from redouble.bots.search import Search\n"
        "from redouble.contract.registry import GAMES; from redouble.match.match import Match\n"
        "from redouble.kernel.rng import seed_words; from redouble.lab.simulate import Simulator\n"
        "from redouble.lab.contest import Contest, numbered_words\n"
        "def interrupt():\n"
        "    main, looks = threading.main_thread().ident, 0\n"
        "    while looks < 20:  # the work has begun in earnest\n"
        "        time.sleep(0.01)\n"
        "        file = sys._current_frames()[main].f_code.co_filename\n"
        f"        looks = looks + 1 if file.endswith('{what}.py') else 0\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "game = GAMES['double-down']; match = Match(game, 2, 'inputs')\n"
        "while len(match.legal_moves) == 1: match.push(match.legal_moves[0])\n"
        f"{function}({little}); much = ({endless},)\n"
        "try:\n"
        "    threading.Thread(target=interrupt, daemon=True).start()\n"
        f"    {function}(*much)\n"
        "except KeyboardInterrupt: print('stopped')\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=240, check=False
    )
    assert (result.returncode, result.stdout) == (0, "stopped\n"), result.stderr


def test_a_solver_refuses_an_incomplete_position() -> None:
    game = GAMES["double-or-quits"]
    match = Match(game, 1, "5")
    blank = game.rules.Position()
    blank.seats = 1
    for state in (blank, match.seen_by(0), Match(GAME, 2, "x").state, None):
        for call in (Solving(game).winnable, Solving(game).solve, Solving(game).ease):
            with pytest.raises(InputError):
                call(state)
    with pytest.raises(InputError, match="max_positions"):
        Solving(game).winnable(match.state, 0)
    with pytest.raises(InputError, match="games"):
        Solving(game).solve_deals({}, -1)
    with pytest.raises(SolveError, match="give one of Double or Quits"):
        Solving(game).foresight(Match(GAME, 2, "x"))


def test_a_hint_needs_names_and_a_legal_move(observation: Observation) -> None:
    with pytest.raises(InputError, match="names has 1 names: give one for each of 2 seats"):
        advise(observation, ["Ada"])
    with pytest.raises(InputError, match="no legal move"):
        advise(replace(observation, legal=()), ["Ada", "Ben"])


ARRAY: Any = np.zeros(3)
"""What is neither true nor false: where a default is filled in, Python itself would fail."""


@pytest.mark.parametrize(
    "make",
    [
        lambda: Card(ARRAY),
        lambda: Card("8", color=ARRAY),
        lambda: Zone("hand", (), name=ARRAY),
        lambda: Fact("round", 1, number=ARRAY),
        lambda: Fact("round", 1, text=ARRAY),
        lambda: who(0, ARRAY, "loses", "lose"),
        lambda: checks.items(np.array(3), "moves", "texts"),
    ],
)
def test_an_array_is_no_text_and_no_number(make: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        make()
