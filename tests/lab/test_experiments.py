"""What holds of every experiment: threads change nothing, Ctrl-C keeps what was played in order,
and its shards cover all games once, on other machines too."""

import pickle
from typing import Any

import pytest

from redouble.bots.policy import Policy
from redouble.contract.registry import GAMES
from redouble.lab.arena import play
from redouble.lab.arena.entrants import entrants
from redouble.lab.arena.plan import TournamentPlan
from redouble.lab.arena.play import TournamentJob
from redouble.lab.arena.tournament import Tournament
from redouble.lab.dataset.job import DatasetJob
from redouble.lab.selfplay import SelfPlayJob, self_play
from redouble.lab.shards import Threads
from redouble.lab.solitaire import DealsJob, tally_deals
from redouble.lab.strength import StrengthJob, measure_strength
from redouble.lab.studies.figures import findings
from redouble.lab.studies.plan import StudyPlan, setting
from redouble.lab.studies.run import StudyJob, carry_out
from tests.helpers.interrupting import CtrlC

GAME = GAMES["double-down"]
CLUB, NOVICE = Policy(mistakes=0.2), Policy(mistakes=0.5)
PAIR = ("greedy", "novice")


def tournament(games: int, how: dict[str, Any], margin: float | None = None) -> Any:
    results = Tournament(GAME, entrants(PAIR), games, 5, seed="x", margin=margin).play(**how)
    return results.to_dict(), games, results.interrupted


def study(games: int, how: dict[str, Any], skill: Any = None) -> Any:
    mixed = setting(GAMES["three-up"], 3, {"play-on": True}, "novice,club,random")
    outcome = carry_out(StudyPlan((mixed,), games, "x", skill), how["executor"], how["watch"])
    return findings(outcome).to_dict()["settings"], outcome.main.games, outcome.stopped


def selfplay(games: int, how: dict[str, Any], bots: Any = ("club", "random")) -> Any:
    found = self_play(GAME, bots, games, 2, **how)
    samples = [array.tobytes() for array in vars(found.samples()).values()]
    return [found.digest(), *samples], found.games, found.stopped


def strength(games: int, how: dict[str, Any]) -> Any:
    found = measure_strength(GAME, CLUB, NOVICE, 3, games, **how)
    return found.tally, found.tally.games, found.stopped


def deals(games: int, how: dict[str, Any]) -> Any:
    found = tally_deals(GAMES["double-or-quits"], {}, games, "x", **how)
    return found.tally, found.tally.deals, found.stopped


def how(threads: int, watch: Any = lambda *numbers: None) -> dict[str, Any]:
    return {"executor": Threads(threads), "watch": watch}


@pytest.mark.parametrize(
    ("experiment", "games", "more"),
    [
        *((tournament, 300, ()), (tournament, 20_000, (5.0,)), (study, 5000, (PAIR,))),
        *((selfplay, 150, ()), (selfplay, 3, (["search:flat,iterations=8"],))),
        *((strength, 1029, ()), (deals, 1500, ())),
    ],
)
def test_any_number_of_threads_finds_the_same(
    experiment: Any, games: int, more: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = experiment(games, how(1), *more)
    assert one[1:] == (games, False)
    monkeypatch.setattr(play, "CHUNK", 1)  # nor does the size of a tournament's shards matter
    assert experiment(games, how(3), *more) == one


@pytest.mark.parametrize("experiment", [study, selfplay, strength, deals])
def test_ctrl_c_keeps_the_games_played_in_order(experiment: Any) -> None:
    found, games, stopped = experiment(10**6, how(1, CtrlC()))
    assert stopped
    assert 0 < games < 10**6
    again, *rest = experiment(games, how(1))
    assert rest == [games, False]
    if experiment is not strength:  # which has two series, and of fewer games other halves
        assert again == found


def duel(bot: str) -> TournamentJob:
    bots = tuple(entrants([bot, "random"]))
    return TournamentJob(GAME, TournamentPlan(2, 2, 100, "x"), bots, {}, 1.0)


def studied(games: int, *skill: str) -> StudyJob:
    return StudyJob(StudyPlan((setting(GAME, 4, {}, "random"),), games, "", (skill[0], skill[1])))


@pytest.mark.parametrize(
    ("job", "series"),
    [
        (duel("greedy"), {"games": (200, 3)}),
        (duel("master"), {"games": (200, 1)}),
        (studied(5000, *PAIR), {"main": (5000, 2048), "skill": (1250, 512)}),
        (studied(30, "master", "club"), {"main": (30, 2048), "skill": (8, 1)}),
        (SelfPlayJob(GAME.name, 2, PAIR, 65, "x", {}), {"games": (65, 64)}),
        (DatasetJob(GAME.name, 2, PAIR, 2, "x", {}, puzzles=False), {"games": (2, 1)}),
        (
            StrengthJob(GAME.name, 2, CLUB, NOVICE, 515, {}),
            {"strength 0": (258, 256), "strength 1": (257, 256)},
        ),
        (DealsJob("double-or-quits", {}, 1001), {"deals": (1001, 500)}),
    ],
)
def test_shards_cover_all_games_once(job: Any, series: dict[str, tuple[int, int]]) -> None:
    """The games of each series, and the most in a shard."""
    shards = list(job.shards())
    assert list(pickle.loads(pickle.dumps(job)).shards()) == shards
    assert {shard.series for shard in shards} == set(series)
    for name, (games, most) in series.items():
        parts = [(shard.first, shard.count) for shard in shards if shard.series == name]
        assert parts == [(n, min(most, games - n)) for n in range(0, games, most)]
