"""Work on a Ray cluster of two machines, which loses a process and then a machine on the way."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redouble.bots.policy import Policy
from redouble.commands.arguments import Workers
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.lab import cluster
from redouble.lab.arena.entrants import entrants
from redouble.lab.arena.tournament import Tournament, TournamentError
from redouble.lab.cluster import Cluster, ClusterError
from redouble.lab.selfplay import self_play
from redouble.lab.shards import Experiment, Shard, Threads
from redouble.lab.strength import measure_strength
from redouble.lab.studies.plan import StudyPlan, setting
from redouble.lab.studies.run import StudyJob
from tests.helpers.known import known
from tests.helpers.places import ROOT

PATIENCE = 300
"""Seconds for a step that takes a few on an idle machine."""
PLAN = StudyPlan((setting(GAMES["double-down"], 2, {}, "random"),), 1, "", None)
STUDY = ("study", "double-down", "--seats", "7", "--bots", "club", "--skill", "none")


class Elsewhere:
    """An executor that is not this machine, and plays nothing."""

    def prepare(self, job: Experiment[Any]) -> None:
        raise AssertionError("it was asked to play")

    def run(self, job: Experiment[Any], take: Any, stop: threading.Event) -> None:
        raise AssertionError("it was asked to play")


class TwoNodes:
    """The program tests/helpers/two_nodes.py: a private cluster, of which parts can be killed."""

    def __init__(self) -> None:
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.helpers.two_nodes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            text=True,
        )
        self.address = self._heard()

    def kill(self, what: str) -> None:
        """Kill the ``worker`` that plays on the second machine, or that whole ``node``."""
        known(self._program.stdin).write(f"kill {what}\n")
        known(self._program.stdin).flush()
        assert self._heard() == "done"

    def close(self) -> None:
        self._program.communicate(timeout=PATIENCE)

    def _heard(self) -> str:
        line = known(self._program.stdout).readline().strip()
        assert line, "the cluster did not start"
        return line


@pytest.fixture(scope="module")
def nodes() -> Iterator[TwoNodes]:
    nodes = TwoNodes()
    yield nodes
    nodes.close()


def run(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "redouble", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def result(program: subprocess.Popen[str]) -> str:
    out, err = program.communicate(timeout=PATIENCE)
    assert program.returncode == 0, err
    return out


@pytest.mark.thorough
def test_a_tournament_has_the_same_results_on_a_cluster(nodes: TwoNodes, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    bots = ("greedy", "novice")
    for more, margin in (((), None), (("--until-clear",), 5.0)):
        tournament = ("arena", "double-down", *bots, "--games", "2000", "--seed", "x", *more)
        result(run(*tournament, "--cluster", nodes.address, "--json", str(file)))
        made = Tournament(
            GAMES["double-down"], entrants(list(bots)), 2000, seed="x", margin=margin
        ).play(executor=Threads(2))
        found = json.loads(file.read_text(encoding="utf-8"))
        assert found == json.loads(json.dumps(made.to_dict()))
    assert found["deals_complete"] < 1000


@pytest.mark.thorough
def test_self_play_has_the_same_games_on_a_cluster(nodes: TwoNodes, tmp_path: Path) -> None:
    file = tmp_path / "games.npz"
    words = ("--seats", "2", "--bots", "club", "--games", "500", "--out", str(file))
    out = result(run("selfplay", "double-down", *words, "--cluster", nodes.address))
    found = self_play("double-down", ["club"], 500, 2, executor=Threads(2))
    assert f"Digest: {found.digest()}" in out
    assert file.exists()


@pytest.mark.thorough
def test_a_data_set_is_the_same_on_a_cluster(nodes: TwoNodes, tmp_path: Path) -> None:
    words = ["dataset", "double-down", "--seats", "2", "--games", "6", "--worlds", "20"]
    outs = [
        result(run(*words, "--no-puzzles", "--out", str(tmp_path / name), *where))
        for name, where in (("there", ["--cluster", nodes.address]), ("here", []))
    ]
    assert "Digest of the card: " in outs[0]
    assert outs[0] == outs[1]


def test_a_measurement_of_strength_is_the_same_on_a_cluster(nodes: TwoNodes) -> None:
    command = [sys.executable, "benchmarks/strength.py", "--game", "double-or-quits"]
    command += ["--games", "600", "--cluster", nodes.address]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as measuring:
        first = json.loads(known(measuring.stdout).readline())
        measuring.kill()  # the other rows are made as the first one is
    random = Policy(mistakes=1.0)
    tally = measure_strength(GAMES["double-or-quits"], random, random, 1, 600).tally
    assert (first["games"], first["won"]) == (600, tally.share)


@pytest.mark.thorough
def test_ctrl_c_keeps_what_the_cluster_has_played(nodes: TwoNodes) -> None:
    study = run(*STUDY, "--games", "100000000", "--cluster", nodes.address)
    nodes.kill("worker")  # it waits until one plays
    study.send_signal(signal.SIGINT)
    out, err = study.communicate(timeout=PATIENCE)
    assert out == "" or "stopped early" in out
    assert study.returncode == 130, err
    assert "Traceback" not in err


@pytest.mark.thorough
def test_what_a_killed_worker_and_a_killed_machine_had_is_played_again(nodes: TwoNodes) -> None:
    games = ("--games", "150000", "--json", "-")
    study = run(*STUDY, *games, "--cluster", nodes.address)
    nodes.kill("worker")
    nodes.kill("node")
    assert result(study) == result(run(*STUDY, *games, "--workers", "2"))


def test_a_cluster_that_is_not_there_is_reported_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for address, reason in (
        ("127.0.0.1:1", "Connection refused"),
        ("ray://127.0.0.1:1", "Connection refused"),
        ("nonsense", "Invalid address format: nonsense"),
    ):
        with pytest.raises(ClusterError, match=f"can't reach a Ray cluster at {address}: {reason}"):
            Cluster(address)
    assert capsys.readouterr() == ("", "")


def test_machines_with_other_code_are_refused() -> None:
    with pytest.raises(ClusterError, match="has other code: install the same version"):
        cluster.play_shards("another digest", StudyJob(PLAN), [Shard("main", 0, 1)])


def test_a_program_from_outside_plays_only_here() -> None:
    made = Tournament(GAMES["double-down"], entrants(["random", "cmd:true"]), 2)
    with pytest.raises(TournamentError, match="leave out the cluster"):
        made.play(executor=Elsewhere())


def test_threads_and_a_cluster_exclude_each_other() -> None:
    with pytest.raises(RedoubleError, match="--workers and --cluster exclude each other"):
        Workers(2, "auto").executor()
