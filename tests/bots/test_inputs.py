"""Wrong arguments to bots, searches and contests: refused, before they reach compiled code."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

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
from tests.helpers.programs import python

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


Call = Callable[[Any, Any], object]
"""With an observation and a contest."""
ARRAY: Any = np.zeros(3)
"""What is neither true nor false: where a default is filled in, Python itself would fail."""
NO_PLAYERS = ([[0]], [0, 0], [[0, 0, 0]], [[0.5, 0.5]], [[0, -1]], [["0", "0"]], [[0], [0, 0]])
NO_SEEDS = ("x", [1], np.zeros((1, 8)), np.zeros((1, 8), np.uint64), np.ones((1, 4), int))
NO_GENERATORS = ("abcd", [0, 0, 0, 0], [1, 2, 3, -1], [1, 2, 3, 1 << 64], [1.0] * 4)
NO_POLICIES: list[tuple[str, Any]] = [
    *(("mistakes", value) for value in (-0.1, 1.1, float("nan"), "much", None)),
    *(("iterations", value) for value in (-1, 1.5, 10**12, True)),
    *(("care", value) for value in (2.0, float("inf"))),
    *(("horizon", value) for value in (-1, 10**9)),
]


def with_state(observation: Observation, name: str, value: Any) -> Observation:
    """The observation with another value in a field of its position."""
    state = observation.state.copy()
    setattr(state, name, value)
    return replace(observation, state=state)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        # The first four once ended the process, or gave plausible numbers.
        (lambda o, c: c.play([[0, 0]] * 3, ["one"]), "seeds has 1 texts: give one for each of 3"),
        (lambda o, c: Search(o, [1, 2]), "rng has 2 words: give four"),
        (lambda o, c: Search(o, RNG, moves=[999]), r"moves cannot be \[999\]: give different ones"),
        (lambda o, c: c.play([[0, 1]], ["seed"]), "a policy that does not exist: give 0 to 0"),
        (
            lambda o, c: c.play([[0, 0]] * 3, numbered_words("few", 0, 2)),
            "8 words for each of 3 games",
        ),
        *((lambda o, c, p=p: c.play(p, ["seed"]), "players") for p in (*NO_PLAYERS, None, "00")),
        *((lambda o, c, s=s: c.play([[0, 0]], s), "seed") for s in (*NO_SEEDS, None)),
        *((lambda o, c, p=p: Policy(**dict([p])), p[0]) for p in NO_POLICIES),
        *((lambda o, c, r=r: Search(o, r), "rng") for r in (*NO_GENERATORS, None)),
        *(
            (lambda o, c, r=r, bot=bot: bot.choose(o, r), "rng")
            for r in (*NO_GENERATORS, None)
            for bot in BOTS.values()
        ),
        (lambda o, c: replace(o, game=GAMES["double-decker"]), "a position of Double Decker"),
        *(
            (lambda o, c, f=f: Search(with_state(o, *f), RNG), "give a position of a match|cannot")
            for f in (("turn", 7), ("seats", 100), ("rng", [0]), ("reason", 10**6))
        ),
        (lambda o, c: Search(replace(o, legal=o.legal[1:]), RNG), "legal"),
        *(
            (lambda o, c, n=n: Search(o, RNG).run(n), "iterations")
            for n in (-1, 1.5, "many", 10**12)
        ),
        *(
            (lambda o, c, s=s: Search(o, RNG).run(1, seconds=s), "seconds")
            for s in (-1.0, float("nan"), "long")
        ),
        (lambda o, c: think(o, RNG, Policy(iterations=1), threads=0), "threads"),
        (lambda o, c: think(o, RNG, Policy()), "iterations is 0"),
        (lambda o, c: Contest(GAME, 2, []), "policies is empty"),
        (lambda o, c: Contest(GAME, 2, cast(Any, ["novice"])), "a policy cannot be 'novice'"),
        (lambda o, c: advise(o, ["Ada"]), "names has 1 names: give one for each of 2 seats"),
        (lambda o, c: advise(replace(o, legal=()), ["Ada", "Ben"]), "no legal move"),
        (lambda o, c: Card(ARRAY), ""),
        (lambda o, c: Card("8", color=ARRAY), ""),
        (lambda o, c: Zone("hand", (), name=ARRAY), ""),
        (lambda o, c: Fact("round", 1, number=ARRAY), ""),
        (lambda o, c: Fact("round", 1, text=ARRAY), ""),
        (lambda o, c: who(0, ARRAY, "loses", "lose"), ""),
        (lambda o, c: checks.items(np.array(3), "moves", "texts"), ""),
    ],
)
def test_wrong_arguments_are_refused(
    call: Call, said: str, observation: Observation, contest: Contest
) -> None:
    with pytest.raises(InputError, match=said or None):
        call(observation, contest)


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
    result = python("-c", code, timeout=240)
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
