"""The house-rule lab: its counting against the interpreted engine, its statistics against known
answers, and the command as people use it."""

import io
import json
import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from redouble.commands.findings import show
from redouble.contract.game import WORK
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.kernel.rng import below, seed_words
from redouble.lab.contest import Contest, numbered_words
from redouble.lab.shards import Threads
from redouble.lab.studies import series
from redouble.lab.studies.figures import Findings, bars, findings, shown, spread_of
from redouble.lab.studies.luck import Luck, jackknife_error
from redouble.lab.studies.page import page
from redouble.lab.studies.plan import (
    POLICIES,
    StudyPlan,
    StudySetting,
    other_setting,
    setting,
    skill_pair,
    split_against,
)
from redouble.lab.studies.run import carry_out
from redouble.lab.studies.tally import Sums, quantile, unequal
from redouble.match.match import Match
from tests.helpers.command import Run
from tests.helpers.known import known
from tests.helpers.programs import python
from tests.helpers.worlds import own_games

CHOSEN = 120


def ignore(done: int, of: int) -> None:
    """A progress callback that does nothing."""


def studied(*settings: StudySetting, games: int = 500, skill: str = "greedy,novice") -> Findings:
    plan = StudyPlan(settings, games, "test", skill_pair(skill))
    return findings(carry_out(plan, Threads(2), ignore))


def played(name: str, seats: int, seed: str, policies: list[str]) -> dict[str, float]:
    """A game on the interpreted engine by the bots ``random`` and ``greedy``, and what to count."""
    game = GAMES[name]
    match = Match(game, seats, seed)
    rng, work = seed_words(f"players of {seed}"), [0] * WORK
    forced = changes = 0
    leader = None
    while match.turn is not None:
        observation = match.observation()
        legal = observation.legal
        if len(legal) == 1:
            action = legal[0]
            forced += 1
        elif policies[match.turn] == "random":
            action = legal[below(rng, len(legal))]
        else:
            action = game.player.greedy(observation.state, [*legal, 0], len(legal), rng, work)
        match.push_action(action)
        stands = [0] * seats
        game.player.evaluate(match.state, stands)
        best = [seat for seat in range(seats) if stands[seat] == max(stands)]
        if len(best) == 1 and best[0] != leader:
            changes += leader is not None
            leader = best[0]
    outcome = known(match.outcome)
    ranks, scores = outcome.ranks, outcome.scores or (0,) * seats
    wins = [(rank == 1) / ranks.count(1) for rank in ranks]
    counted: dict[str, float] = {
        "moves": match.ply,
        "decisions": match.ply - forced,
        "forced": forced / match.ply,
        "leads": changes,
        "shared_first": ranks.count(1) > 1,
        "ties": len(set(ranks)) < seats,
        "won": outcome.won[0],
        "points": sum(scores) / seats,
        "points_spread": max(scores) - min(scores),
        f"ends: {outcome.reason}": 1,
    }
    for seat, rank in enumerate(ranks):
        others = [other for i, other in enumerate(ranks) if i != seat]
        beaten = sum((rank < other) + (rank == other) / 2 for other in others)
        counted[f"seat {seat + 1} wins"] = wins[seat]
        counted[f"seat {seat + 1} beats"] = beaten / max(len(others), 1)
    for bot in set(policies):
        mine = [i for i, policy in enumerate(policies) if policy == bot]
        counted[f"{bot} wins"] = sum(wins[i] for i in mine) / len(mine)
        counted[f"{bot} beats"] = sum(counted[f"seat {i + 1} beats"] for i in mine) / len(mine)
    if seats > 1:
        order = sorted(range(seats), key=lambda seat: ranks[seat])
        counted["points_gap"] = abs(scores[order[0]] - scores[order[1]])
    return counted


@pytest.mark.parametrize("name", own_games())
def test_the_figures_match_those_of_single_matches(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"figures {number}" for number in range(CHOSEN)]

    def words_of_texts(_: str, first: int, games: int) -> Any:
        words = [
            [*seed_words(text), *seed_words(f"players of {text}")]
            for text in texts[first : first + games]
        ]
        return np.array(words, np.uint64)

    monkeypatch.setattr(series, "numbered_words", words_of_texts)
    game = GAMES[name]
    seats = game.usual_seats
    bots = ["greedy", *["random"] * (seats - 1)]
    chosen = setting(game, None, {}, ",".join(bots))
    part = series.Series(StudyPlan((chosen,), CHOSEN, "", None)).main(0, CHOSEN)
    expected = []
    for number, text in enumerate(texts):
        turned = [bots[(seat + number) % seats] for seat in range(seats)]
        expected.append(played(name, seats, text, turned))
    assert part.games == part.sums[0].n == CHOSEN
    for column, key in enumerate(series.main_keys(chosen)):
        values = np.array([game.get(key, 0) for game in expected], np.float64)
        assert part.sums[0].mean(column) == pytest.approx(values.mean()), key
        assert part.sums[0].deviation(column) == pytest.approx(values.std(ddof=1), abs=1e-6), key
    moves, decisions = part.lengths[0]
    for counts, key in ((moves, "moves"), (decisions, "decisions")):
        lengths = [int(game[key]) for game in expected]
        assert counts.tolist() == np.bincount(lengths).tolist()


def test_skill_is_measured_on_one_deal_from_every_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Any, Any, Any]] = []
    real = Contest.play

    def play(self: Contest, players: Any, seeds: Any) -> Any:
        results = real(self, players, seeds)
        seen.append((players, seeds, results))
        return results

    monkeypatch.setattr(Contest, "play", play)
    chosen = setting(GAMES["three-up"], 3, {}, "random")
    part = series.Series(StudyPlan((chosen,), 60, "skill", ("greedy", "random"))).skill(0, 20)
    ((players, seeds, results),) = seen
    assert players.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]] * 20
    deals = seeds.reshape(20, 3, 8)
    assert (deals[:, :, :4] == deals[:, :1, :4]).all()
    assert len({tuple(words) for words in seeds[:, 4:].tolist()}) == 60
    assert len({tuple(words) for words in deals[:, 0, :4].tolist()}) == 20
    wins = results.wins()[players == 0].mean()
    assert part.sums[0].mean(0) == pytest.approx(wins)
    assert wins > 1 / 3


def test_numbered_words_do_not_depend_on_their_count() -> None:
    whole = numbered_words("series", 0, 100)
    assert (numbered_words("series", 37, 41) == whole[37:78]).all()
    assert (numbered_words("another", 0, 100) != whole).any()
    assert len({tuple(words) for words in whole.tolist()}) == 100


def test_a_contest_leaves_the_seeds_alone() -> None:
    seeds = numbered_words("series", 0, 10)
    contest = Contest(GAMES["double-down"], 2, [POLICIES["random"]])
    first = contest.play([[0, 0]] * 10, seeds)
    assert (seeds == numbered_words("series", 0, 10)).all()
    assert (contest.play([[0, 0]] * 10, seeds).counts == first.counts).all()


def test_a_mean_has_the_spread_and_error_of_its_games() -> None:
    values = np.random.default_rng(1).normal(5, 2, (4000, 2))
    halves = [Sums.of(half, half[:, :0]) for half in (values[:1500], values[1500:])]
    both = halves[0] + halves[1]
    assert both.mean(1) == pytest.approx(values[:, 1].mean())
    assert both.deviation(1) == pytest.approx(values[:, 1].std(ddof=1))
    assert both.error(1) == pytest.approx(values[:, 1].std(ddof=1) / 4000**0.5)


def test_the_test_of_the_seats_errs_once_in_twenty() -> None:
    dice = np.random.default_rng(2)
    chances = []
    for _ in range(400):
        ranks = dice.permuted(np.tile(np.arange(4), (200, 1)), axis=1) / 3
        chances.append(unequal(Sums.of(ranks, ranks), [0, 1, 2, 3], 0.5)[1])
    assert 0.02 < np.mean(np.array(chances) < 0.05) < 0.09
    assert 0.4 < np.mean(chances) < 0.6
    better = np.tile([0.9, 0.5, 0.4, 0.2], (200, 1)) + dice.normal(0, 0.1, (200, 4))
    assert unequal(Sums.of(better, better), [0, 1, 2, 3], 0.5)[1] < 1e-9


@pytest.mark.parametrize("seats", [1, 2, 4])
def test_luck_recovers_the_parts_of_the_results(seats: int) -> None:
    dice = np.random.default_rng(3)
    deals, plays = 4000, max(seats, 2)

    def free(values: Any) -> Any:
        """Seats of a game sum up to nothing, as shares of opponents beaten do."""
        return values - values.mean(axis=-1, keepdims=True) if seats > 1 else values

    strong = np.eye(seats) if seats > 1 else np.array([[1.0], [0.0]])
    by_deal = free(dice.normal(0, 2.0, (deals, 1, seats)))
    rest = free(dice.normal(0, 1.0, (deals, plays, seats)))
    reached = 0.5 + by_deal + rest + 3.0 * free(strong)
    luck = Luck.of(0, reached[:2500], strong) + Luck.of(2500, reached[2500:], strong)
    # One effect is fixed: its variance is that of the cells, in the seats' free directions.
    scale = (seats - 1) / seats if seats > 1 else 1.0
    centred = strong - strong.mean()
    skill = 9.0 * float((centred**2).mean()) / scale
    whole = 4.0 + 1.0 + skill
    errors = jackknife_error(luck.without_each())
    expected = {"skill": skill / whole, "seat": 0.0, "deal": 4 / whole, "rest": 1 / whole}
    assert luck.enough
    assert sum(luck.shares().values()) == pytest.approx(1.0)
    for (source, share), error in zip(luck.shares().items(), errors, strict=True):
        assert abs(share - expected[source]) < 4 * error + 0.002, source
        assert error < 0.02


def test_figures_have_the_digits_that_their_intervals_allow() -> None:
    assert shown(0.2714, 0.2692, 0.2736, True) == "27.14% ± 0.22"
    assert shown(109.13, 105.7, 112.5, False) == "109.1 ± 3.4"
    assert shown(1000.4, 960.0, 1040.0, False) == "1000 ± 40"
    assert shown(0.5, None, None, True) == "50.0%"
    assert shown(3.0, 3.0, 3.0, False) == "3.0 ± 0.0"


def test_bars_cover_every_game() -> None:
    counts = np.bincount([5, 7, 7, 30, 31, 99])
    for most, up_to in ((40, None), (3, None), (4, 20), (60, 30)):
        edges, heights = bars(counts, most, up_to)
        assert sum(heights) == 6
        assert len(heights) <= most
        assert len(edges) == len(heights) + 1
        assert len({b - a for a, b in pairwise(edges)}) == 1
    assert quantile(counts, 0.5) == 7
    assert spread_of(counts).quantiles["0.95"] == 99


def test_a_setting_does_not_differ_from_itself() -> None:
    mine = setting(GAMES["double-dominoes"], 3, {}, "random")
    found = studied(mine, other_setting(mine, None, None, {}), games=300)
    assert len(found.differences) > 15
    assert all(difference.mean == 0 for difference in found.differences)
    assert not any(difference.significant for difference in found.differences)


@pytest.mark.parametrize("columns", [80, 120])
def test_a_terminal_gets_lines_that_fit(columns: int) -> None:
    mine = setting(GAMES["double-dominoes"], 4, {}, "random")
    found = studied(mine, other_setting(mine, None, None, {"victory": 30}), games=300)
    text = io.StringIO()
    show(found, Console(file=text, width=columns, force_terminal=True, highlight=False))
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= columns
    told = " ".join(text.getvalue().split())
    assert all(difference.sentence in told for difference in found.differences[:2])
    assert any(line.startswith("Length: moves a game") for line in lines)


def test_a_real_effect_is_found() -> None:
    mine = setting(GAMES["three-up"], 4, {}, "random")
    found = studied(mine, other_setting(mine, None, None, {"play-on": True}), games=400)
    by_key = {difference.first.key: difference for difference in found.differences}
    moves = by_key["moves"]
    assert moves.significant
    assert known(moves.low) > 50
    assert "more in B, significant." in moves.sentence
    # The first player out is the same on the same deals, so the pairs show no difference.
    assert by_key["seat 1 wins"].mean == 0
    text = page(found).html()
    assert moves.sentence in text
    assert text.count("<svg") == 5


def test_settings_with_different_seats_compare_what_they_share() -> None:
    mine = setting(GAMES["double-down"], 3, {}, "random")
    found = studied(mine, other_setting(mine, 5, "club", {}), games=100)
    keys = {difference.first.key for difference in found.differences}
    assert {"moves", "decisions", "forced", "strong_wins", "luck: deal"} <= keys
    assert not any(key.startswith("seat ") for key in keys)
    assert found.portraits[1].setting.bots == ("club",) * 5


def test_skill_shows_and_equal_bots_do_not_differ() -> None:
    mine = setting(GAMES["double-down"], 4, {}, "random")
    wins = known(studied(mine, games=800).portraits[0].figure("strong_wins"))
    assert known(wins.low) > 0.9
    equal = studied(mine, games=2000, skill="random,random").portraits[0]
    beats, skill = equal.figure("strong_beats"), equal.figure("luck: skill")
    assert beats is not None
    assert skill is not None
    assert abs(beats.mean - 0.5) < 0.03
    assert skill.mean < 0.01


def test_a_game_for_one_counts_wins() -> None:
    game = GAMES["double-or-quits"]
    found = studied(
        setting(game, None, {}, "random"), setting(game, None, {"free-flip": True}, "random")
    )
    first, second = found.portraits
    assert first.test is None
    won = first.figure("won")
    more = second.figure("strong_more")
    assert won is not None
    assert more is not None
    assert 0.25 < won.mean < 0.45
    assert known(more.low) > 0.4
    deal = known(first.figure("luck: deal"))
    assert deal.mean == pytest.approx(
        1.0
    )  # under the published rules there are no choices: only the deal matters
    assert first.figure("leads") is None


def test_a_failure_in_a_thread_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Any, first: int, games: int) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(series.Series, "main", fail)
    mine = setting(GAMES["double-down"], 2, {}, "random")
    with pytest.raises(ZeroDivisionError):
        carry_out(StudyPlan((mine,), 10, "", None), Threads(2), ignore)


def test_the_command_prints_sentences_and_writes_both_files(run: Run, tmp_path: Path) -> None:
    data, report = tmp_path / "study.json", tmp_path / "study.html"
    code, out, err = run(
        "study",
        *("double-down", "--seats", "3", "--games", "300", "--against", "repeats-cost"),
        *("--json", str(data), "--report", str(report)),
    )
    assert code == 0
    found = json.loads(data.read_text(encoding="utf-8"))
    assert (found["games"], found["stopped"]) == (300, False)
    assert [s["options"]["repeats-cost"] for s in found["settings"]] == [False, True]
    text = unescape(report.read_text(encoding="utf-8"))
    for figure in found["settings"][0]["figures"]:
        assert figure["low"] <= figure["mean"] <= figure["high"], figure
        assert figure["sentence"] in out
        assert figure["sentence"] in text
    assert any(difference["significant"] for difference in found["differences"])
    assert found["settings"][0]["seat_test"]["sentence"] in out
    assert sum(found["settings"][0]["moves"]["histogram"]["games"]) == 300
    assert "\x1b" not in out
    assert f"Written: {report}\n" in err
    rate = known(re.search(r": ([\d,.]+) per second", err))
    assert "." not in rate[1] or float(rate[1]) < 10


def test_json_on_the_output_stands_alone(run: Run) -> None:
    code, out, _ = run("study", "double-decker", "--games", "1", "--skill", "none", "--json", "-")
    found = json.loads(out)
    assert code == 0
    assert found["skill"] is None
    moves = found["settings"][0]["figures"][0]
    assert (moves["key"], moves["low"], moves["high"]) == ("moves", None, None)


def test_against_can_name_seats_bots_and_options() -> None:
    assert split_against(["seats=5", "bots=club", "a=b", "flag"]) == (5, "club", ["a=b", "flag"])
    with pytest.raises(RedoubleError):
        skill_pair("a,b,c")
    assert skill_pair("none") is None


def test_ctrl_c_before_the_first_game_is_over_says_so(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("redouble.lab.studies.run.carry_out", stop)
    assert run("study", "double-down", "--games", "9") == (
        *(130, ""),
        "Stopped before a game was over: there are no results.\n\n",
    )


INTERRUPTED = """
import os, signal, sys
from redouble.lab.shards import InOrder

taken = []
take = InOrder.take

def interrupt(self, shard, part):
    taken.append(shard)
    if len(taken) == 3:  # once, from a thread: the signal goes to the main thread
        os.kill(os.getpid(), signal.SIGINT)
    return take(self, shard, part)

InOrder.take = interrupt
from redouble.commands.app import main
main()
"""


def test_ctrl_c_reports_the_results_so_far(tmp_path: Path) -> None:
    report = tmp_path / "study.html"
    command = ["study", "double-down", "--games", "10000000", "--report", str(report)]
    ended = python("-c", INTERRUPTED, *command, timeout=300)
    assert ended.returncode == 130, ended.stderr
    assert "games of 10,000,000, stopped early" in ended.stdout
    assert "A game takes " in ended.stdout
    assert "stopped early" in report.read_text(encoding="utf-8")
    assert "Traceback" not in ended.stderr
