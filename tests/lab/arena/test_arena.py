"""Tournaments: duplicate deals, their statistics, and outside programs that fail."""

import io
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from scipy import stats

import redouble
from redouble.analysis.stats import wilson
from redouble.bots import UnknownBot
from redouble.bots.policy import Policy
from redouble.commands.standings import tables
from redouble.contract.registry import GAMES
from redouble.kernel.errors import InputError, RedoubleError, SeatsError
from redouble.kernel.rng import seed_words
from redouble.kernel.shares import failed_last
from redouble.lab.arena import outside, page, play
from redouble.lab.arena.entrants import EntrantError, entrant, entrants
from redouble.lab.arena.host import load, question, read_question
from redouble.lab.arena.intervals import DealSums
from redouble.lab.arena.outside import Broken, Program
from redouble.lab.arena.plan import TournamentPlan
from redouble.lab.arena.results import ELO, Standings, rate
from redouble.lab.arena.tournament import Tournament, TournamentResults
from redouble.lab.shards import Threads
from tests.helpers.command import Run
from tests.helpers.known import known
from tests.helpers.places import EXAMPLES
from tests.helpers.reading import Reader

GAME = "double-down"
ARENA = (sys.executable, "-m", "redouble", "arena")


def held(
    bots: list[str], games: int, threads: int = 2, game: str = GAME, **more: Any
) -> tuple[TournamentResults, Standings]:
    """A tournament that was played, with its standings."""
    made = Tournament(GAMES[game], entrants(bots), games, seed="test", **more)
    results = made.play(executor=Threads(threads))
    return results, known(results.standings)


@pytest.mark.parametrize(
    ("bots", "seats"), [(2, 2), (3, 3), (2, 4), (3, 4), (5, 2), (7, 4), (3, 1)]
)
def test_over_a_deal_each_bot_sits_once_in_each_seat(bots: int, seats: int) -> None:
    plan = TournamentPlan(bots, seats, 20, "s")
    lineups = plan.lineups(0, plan.games)
    assert len(lineups) == plan.games == 20 * bots
    for deal in range(20):
        mine = lineups[deal * bots : (deal + 1) * bots]
        for seat in range(seats):
            assert sorted(line[seat] for line in mine) == list(range(bots))
        assert len({plan.seed_of(deal * bots + i) for i in range(bots)}) == 1
        for line in mine:
            counts = Counter(line)
            assert max(counts.values()) - min(counts.get(b, 0) for b in range(bots)) <= 1
    assert len({plan.seed_of(game) for game in range(plan.games)}) == 20
    assert plan.lineups(3, 9) == lineups[3:9]


def test_an_interval_over_equal_clusters_is_the_standard_one() -> None:
    values = np.array([0.2, 0.5, 0.9, 0.4, 0.6])
    tally = DealSums()
    tally.add(values[:2] * 4, np.full(2, 4))
    tally.add(values[2:] * 4, np.full(3, 4))
    found = known(tally.estimate())
    low, high = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    assert (found.mean, found.low, found.high) == pytest.approx(
        (values.mean(), low, high), abs=1e-4
    )


def test_intervals_contain_the_true_value_as_often_as_they_claim() -> None:
    """Games within a deal are alike, and deals have different numbers of them."""
    dice = np.random.default_rng(1)
    held_it = 0
    for _ in range(400):
        count = dice.integers(0, 5, 60)
        points = dice.binomial(count, np.where(dice.random(60) < 0.5, 0.3, 0.7))
        tally = DealSums()
        tally.add(points.astype(float), count.astype(float))
        found = known(tally.estimate())
        held_it += known(found.low) <= 0.5 <= known(found.high)
    assert 365 <= held_it <= 395


def test_intervals_with_little_data() -> None:
    tally = DealSums()
    assert tally.estimate() is None
    tally.add(np.array([0.0]), np.array([0.0]))
    assert tally.estimate() is None
    tally.add(np.array([1.0]), np.array([2.0]))
    one = known(tally.estimate())
    assert (one.mean, one.low) == (0.5, None)
    always = DealSums()
    always.add(np.ones(20), np.ones(20))
    found = known(always.estimate())
    assert found.high == 1.0
    assert 0.8 < known(found.low) < 0.85


def won_always(deals: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """For ratings: each of these deals is a group, and the first bot wins both of its games."""
    beaten = np.zeros((deals, 2, 2))
    beaten[:, 0, 1] = 2.0
    return beaten


def test_ratings_order_the_bots_and_handle_ties() -> None:
    beaten = np.zeros((30, 3, 3))
    beaten[:, 0, 1] = beaten[:, 1, 2] = beaten[:, 0, 2] = 1.0
    first, second, third = rate(beaten, 30)
    assert first.mean > second.mean > third.mean
    assert first.mean + second.mean + third.mean == pytest.approx(0.0, abs=1e-6)
    ties = np.zeros((10, 2, 2))
    ties[:, 0, 1] = ties[:, 1, 0] = 0.5
    assert rate(ties, 10)[0].mean == pytest.approx(0.0, abs=1e-6)


def test_a_certain_difference_shows_in_the_ratings() -> None:
    """A bot that always wins has an interval far from the other's; more deals make it surer."""
    lows = []
    for deals in (20, 200):
        better, worse = rate(won_always(deals), deals)
        assert known(better.low) > 0 > known(worse.high)
        lows.append(known(better.low) - known(worse.high))
    assert 200 < lows[0] < lows[1] < 2000


def test_the_interval_of_a_rating_matches_that_of_the_share() -> None:
    """With two bots a rating is the logarithm of the odds, so the intervals have to agree."""
    rng = np.random.default_rng(0)
    wins = rng.random(200) < 0.6
    beaten = np.zeros((200, 2, 2))
    beaten[wins, 0, 1] = beaten[~wins, 1, 0] = 1.0
    found, _ = rate(beaten, 200)
    low, high = wilson(wins.mean(), 200)
    for bound, share in ((found.low, low), (found.high, high), (found.mean, wins.mean())):
        assert bound is not None
        assert 2 * bound == pytest.approx(ELO * np.log(share / (1 - share)), abs=12)


def test_a_bot_that_failed_ranks_last() -> None:
    assert failed_last([1, 2, 3], set()) == [1, 2, 3]
    assert failed_last([1, 2, 3], {0}) == [3, 1, 2]
    assert failed_last([1, 1, 3, 4], {1, 3}) == [1, 3, 2, 3]
    assert failed_last([1], {0}) == [1]


def test_a_strong_bot_beats_a_weak_one() -> None:
    results, found = held(["random", "greedy"], 100)
    weak, strong = found.lines
    assert found.order == [1, 0]
    assert known(strong.utility.low) > 0.8
    assert strong.utility.mean + weak.utility.mean == pytest.approx(1.0)
    assert strong.wins + weak.wins == found.games == 100
    assert strong.mean_rank < weak.mean_rank
    assert known(strong.rating.low) > known(weak.rating.high)
    assert found.pairs[0][0] is None
    assert known(found.pairs[1][0]).mean == pytest.approx(strong.utility.mean)
    assert strong.score is None
    assert not results.interrupted


def test_luck_cancels_between_two_identical_bots() -> None:
    """Greedy with itself: whatever the deal, both come out even."""
    _, found = held(["greedy", "greedy"], 40)
    assert [line.name for line in found.lines] == ["greedy #1", "greedy #2"]
    assert [line.utility.mean for line in found.lines] == [0.5, 0.5]
    assert found.lines[0].utility.low == 0.5


def test_fewer_bots_than_seats_play_several_each_but_not_against_themselves() -> None:
    _, found = held(["greedy", "random"], 40, seats=5)
    assert [line.played for line in found.lines] == [100, 100]
    assert sum(line.utility.mean for line in found.lines) == pytest.approx(1.0)
    assert found.lines[0].utility.mean > 0.9
    assert sum(line.wins for line in found.lines) == 40


def test_games_are_rounded_up_to_whole_deals_and_scores_are_counted() -> None:
    results, found = held(["greedy", "random", "novice"], 31, game="double-dominoes")
    assert results.tournament.plan.deals == found.deals == 11
    assert found.games == 33
    for line in found.lines:
        assert line.score is not None
    deals, means = found.convergence[-1]
    assert deals == 11
    assert means == pytest.approx([line.utility.mean for line in found.lines])


def test_a_game_for_one_is_compared_deal_by_deal() -> None:
    _, found = held(["greedy", "random"], 60, game="double-or-quits", options={"free-flip": True})
    greedy, random = found.lines
    assert greedy.played == random.played == found.deals == 30
    assert greedy.utility.mean == greedy.wins / 30 > 0.5
    assert random.utility.mean < 0.2
    assert known(greedy.score).mean > known(random.score).mean
    pair = known(found.pairs[0][1])
    share = 0.5 + (greedy.utility.mean - random.utility.mean) / 2
    assert pair.mean == pytest.approx(share)


def test_compiled_games_equal_those_of_a_match() -> None:
    """Greedy makes the same moves on both engines where chance has no part in them."""
    made = Tournament(GAMES[GAME], entrants(["greedy", "greedy"]), 20, seed="test")
    lineups = made.plan.lineups(0, 20)
    job = play.TournamentJob(made.game, made.plan, tuple(made.bots), {}, 1.0)
    compiled = job.compiled_player()(0, lineups)
    matches = play.MatchRunner(job, lambda: False).play(0, lineups)
    assert compiled.done.all()
    assert matches.done.all()
    assert (compiled.ranks == matches.ranks).all(axis=1).mean() > 0.8


def script(tmp_path: Path, code: str, name: str = "bot.py") -> Path:
    path = tmp_path / name
    path.write_text(code, encoding="utf-8")
    return path


def command(tmp_path: Path, code: str) -> str:
    return f"own=cmd:{sys.executable} {script(tmp_path, code)}"


READS = "import json, sys\nfor line in sys.stdin:\n    view = json.loads(line)['view']\n"
TWICE = (  # in one piece, so that both lines are there when the next question comes
    "    answer = json.dumps({'move': view['legal_moves'][0]})\n"
    "    print(answer + '\\n' + answer, flush=True)\n"
)
FIRST = "    print(json.dumps({'move': view['legal_moves'][0]}), flush=True)\n"


def test_the_examples_play() -> None:
    stdio = f"stdio=cmd:{sys.executable} {EXAMPLES / 'stdio_bot.py'}"
    _, found = held(["random", stdio, str(EXAMPLES / "file_bot.py")], 6)
    assert [line.name for line in found.lines] == ["random", "stdio", "file_bot"]
    assert [line.kind for line in found.lines] == ["ours", "command", "file"]
    assert [line.failures for line in found.lines] == [0, 0, 0]
    assert found.order[0] == 2


def test_a_program_sees_its_seat_and_no_more(tmp_path: Path) -> None:
    """It gets its seat's view, byte for byte, and neither the seed nor hidden cards."""
    log = tmp_path / "log"
    code = (
        f"import json, sys\nlog = open({str(log)!r}, 'a')\nfor line in sys.stdin:\n"
        "    log.write(line)\n    view = json.loads(line)['view']\n"
    )
    held(["random", command(tmp_path, code + FIRST)], 2, threads=1)
    lines = log.read_text(encoding="utf-8").splitlines()
    assert lines
    for line in lines:
        asked = json.loads(line)
        assert set(asked) == {"view", "options", "time_limit"}
        assert asked["view"]["seat"] == asked["view"]["turn"]
        assert len(asked["view"]["legal_moves"]) > 1
        assert "test deal" not in line
    asked = json.loads(lines[0])
    plan = TournamentPlan(2, 2, 1, "test")
    match = redouble.new(GAME, seats=2, seed=plan.seed_of(0))
    seat = asked["view"]["seat"]
    if asked["view"]["ply"] == 0:
        assert asked["view"] == json.loads(json.dumps(match.view(seat).to_dict()))


def test_a_question_to_a_file_reads_back_and_is_redacted() -> None:
    match = redouble.new(GAME, seats=3, seed="q")
    observation = match.observation()
    rng = seed_words("r")
    back, chance = read_question(json.loads(json.dumps(question(observation, rng))))
    assert (back.seat, back.legal, chance) == (observation.seat, observation.legal, rng)
    assert back.state == observation.state
    assert back.state.rng == [0, 0, 0, 0]


BROKEN = {
    "crash at start": ("raise SystemExit('no model here')", "exit code 1: no model here"),
    "crash in a game": (READS + FIRST + "    1 / 0", "ZeroDivisionError"),
    "says nothing": ("import time\ntime.sleep(60)", "no answer within"),
    "stops reading": ("import os, time\nos.close(0)\ntime.sleep(60)", "no answer within"),
    "closes its output": (
        "import os, time\nos.close(1)\nos.close(2)\ntime.sleep(60)",
        "closed its output",
    ),
    "nonsense": (READS + "    print('knight to f6', flush=True)", "'knight to f6': not JSON"),
    "illegal": (READS + '    print(\'{"move": "zz"}\', flush=True)', "illegal move 'zz'"),
    "too long": (READS + "    print('x' * 20000, flush=True)", "more than 10000 bytes"),
    "too much": (READS + TWICE, "before it was asked"),
    "killed": ("import os\nos.kill(os.getpid(), 9)", "ended by signal 9"),
}


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "STARTING", 0.0)
    monkeypatch.setattr(outside, "LEAVING", 2.0)


FILES = {
    "raises": ("def choose(observation, rng):\n    raise KeyError('ouch')", "KeyError: 'ouch'"),
    "bad import": ("import nothing_like_it\ndef choose(observation, rng): pass", "nothing_like_it"),
    "no number": ("def choose(observation, rng):\n    return 'x'", "ValueError"),
    "illegal number": ("def choose(observation, rng):\n    return -5", "illegal action -5"),
    "hangs": ("def choose(observation, rng):\n    while True: pass", "no answer within"),
    "cannot choose": ("class A:\n    choose = 3", "no method choose"),
}


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("kind", [*BROKEN, *FILES])
def test_a_broken_bot_loses_and_the_tournament_goes_on(tmp_path: Path, kind: str) -> None:
    code, reason = (BROKEN | FILES)[kind]
    file = f"{script(tmp_path, code)}{':A' if kind == 'cannot choose' else ''}"
    bot = file if kind in FILES else command(tmp_path, code)
    quick = kind in ("says nothing", "stops reading", "hangs")
    _, found = held(["greedy", bot], 2, threads=2, seconds=0.5 if quick else 20.0)
    greedy, own = found.lines
    assert own.failures == 2 if kind in FILES else own.failures >= 1
    assert reason in str(own.first_failure)
    assert greedy.failures == 0
    assert found.games == 2
    if own.failures == 2:
        assert (own.utility.mean, own.mean_rank, greedy.wins) == (0.0, 2.0, 2)
    assert not outside._running


def test_what_a_file_prints_is_not_taken_as_an_answer(tmp_path: Path) -> None:
    code = (
        "print('hello')\ndef choose(observation, rng):\n"
        "    print('hm')\n    return observation.legal[0]"
    )
    _, found = held(["random", str(script(tmp_path, code))], 2)
    assert found.lines[1].failures == 0


def test_an_endless_game_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(play, "MAX_MOVES", 2)
    code = "def choose(observation, rng):\n    return observation.legal[0]"
    _, found = held(["random", str(script(tmp_path, code))], 2)
    assert found.abandoned == 2
    assert [line.utility.mean for line in found.lines] == [0.5, 0.5]


def test_children_of_a_program_end_with_it(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    code = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(mark)!r}, 'w').write(str(child.pid))\n"
        "print('{}', flush=True)\ntime.sleep(600)\n"
    )
    program = Program((sys.executable, str(script(tmp_path, code))))
    assert program.ask(b"{}", 20, lambda: False) == b"{}"
    program.kill()
    assert gone(int(mark.read_text()))


def gone(pid: int) -> bool:
    """Whether a process ends soon; one that has not been reaped yet has ended."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_a_missing_program_counts_as_a_failure() -> None:
    with pytest.raises(Broken, match="cannot be started"):
        Program(("/nowhere/at/all",))


def test_bots_by_name_file_and_command(tmp_path: Path) -> None:
    assert entrant("greedy").kind == "ours"
    assert entrant("mine=greedy").name == "mine"
    searching = entrant("mine=search:flat,iterations=50,horizon=3")
    assert (searching.name, searching.kind) == ("mine", "ours")
    assert searching.policy == Policy(iterations=50, method="flat", horizon=3)
    own = script(tmp_path, "class A:\n    def choose(self, observation, rng): return 1\nB = A()\n")
    assert entrant(f"{own}").argv[-1] == "A"
    assert entrant(f"{own}:B").name == "bot:B"
    assert entrant(f"cmd:{sys.executable} -x 'a b'").argv == (sys.executable, "-x", "a b")
    assert callable(load(str(own), "A").choose)
    assert callable(load(str(own), "B").choose)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("grandmaster", "there is no bot 'grandmaster': choose novice"),
        ("nothing.py", "there is no file nothing.py: check"),
        ("cmd:", "names no program"),
        ("search:", "there is no search '': choose flat or best"),
        ("search:flat,depth=3", "a search has no 'depth': it has iterations"),
        ("search:flat,iterations=many", "iterations cannot be 'many': give a number"),
        ("search:flat,iterations=0", "iterations cannot be 0"),
        ("search:flat,learned=2", "learned cannot be '2': give a number"),
        ("search:flat,care=nan", "care cannot be"),
        ("cmd:nothing-like-it --x", "there is no program nothing-like-it"),
        ("cmd:'a", "cannot be read as a command"),
        ("{folder}/syntax.py", "syntax.py, line 1"),
        ("{folder}/none.py", "It has none"),
        ("{folder}/two.py", r"It has several \(A, B\)"),
        ("{folder}/two.py:C", "has no C; it has: A, B"),
        ("{folder}/bytes.py", "isn't UTF-8 text"),
    ],
)
def test_wrong_bots_are_refused(tmp_path: Path, text: str, reason: str) -> None:
    one = "    def choose(self, observation, rng): return 1\n"
    script(tmp_path, "def", "syntax.py")
    script(tmp_path, "x = 1", "none.py")
    script(tmp_path, f"class A:\n{one}class B:\n{one}", "two.py")
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe")
    with pytest.raises((EntrantError, UnknownBot, InputError), match=reason):
        entrant(text.format(folder=tmp_path))


def test_wrong_tournaments_are_refused() -> None:
    game = GAMES[GAME]
    with pytest.raises(RedoubleError, match="needs at least two bots"):
        entrants(["greedy"])
    two = entrants(["greedy", "random"])
    with pytest.raises(
        RedoubleError, match="games cannot be 0: give a whole number from 1 to 1000000"
    ):
        Tournament(game, two, 0)
    with pytest.raises(SeatsError):
        Tournament(game, two, 10, seats=8)
    with pytest.raises(RedoubleError, match="no option"):
        Tournament(game, two, 10, options={"x": 1})
    with pytest.raises(RedoubleError, match="time limit"):
        Tournament(game, two, 10, seconds=0)


def test_a_tournament_is_shown_and_written(run: Run, tmp_path: Path) -> None:
    page, file = tmp_path / "a.html", tmp_path / "a.json"
    arguments = (GAME, "greedy", "random", "weird=novice", "--games", "60", "--seed", "s")
    code, out, err = run("arena", *arguments, "--report", str(page), "--json", str(file))
    assert (code, err) == (0, f"Written: {file}\nWritten: {page}\n")
    assert "20 deals, each played 3 times: 60 games. Seed: s." in out
    assert "\x1b" not in out
    data = json.loads(file.read_text(encoding="utf-8"))
    assert data["deals_complete"] == 20
    assert data["interrupted"] is False
    assert [bot["name"] for bot in data["bots"]] == ["greedy", "random", "weird"]
    for bot in data["bots"]:
        assert 0 <= bot["utility"]["low"] <= bot["utility"]["mean"] <= bot["utility"]["high"] <= 1
        assert bot["rating"]["low"] <= bot["rating"]["mean"] <= bot["rating"]["high"]
    assert len(data["pairs"]) == 3
    assert Reader(page.read_text(encoding="utf-8")).addresses == ["data:,"]
    assert run("arena", *arguments)[1] == out


@pytest.mark.parametrize("columns", [70, 80, 100, 160])
def test_tables_fit_the_terminal_and_break_no_cell(columns: int) -> None:
    results, found = held(["greedy", "club", "casual", "novice", "random"], 50)
    console = Console(width=columns, file=io.StringIO())
    for table in tables(results, found, console):
        console.print(table)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert max(map(len, lines)) <= columns
    for line in found.lines:  # a bot has one line in each table, and its share stands on it
        mine = [text for text in lines if text.startswith(line.name)]
        assert len(mine) == 2
        assert page.percent(line.utility) in mine[0]
    assert not any(text.strip() in ("%", "\N{PLUS-MINUS SIGN}") for text in lines)


def test_failures_are_shown(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    bot = command(tmp_path, "raise SystemExit('<no> model $x$')")
    code, out, _ = run("arena", GAME, "greedy", bot, "--games", "2", "--report", str(page))
    assert code == 0
    expected = (
        "own failed in 2 of its 2 seats. The first failure: ended with exit code 1: <no> model"
    )
    assert expected in out
    Reader(text := page.read_text(encoding="utf-8"))
    assert "&lt;no&gt; model" in text


def test_ctrl_c_keeps_the_deals_that_are_complete() -> None:
    made = Tournament(GAMES[GAME], entrants(["greedy", "random"]), 1_000_000, seed="test")
    heard: list[int] = []

    def watch(games: int) -> None:
        heard.append(games)
        if len(heard) == 3:
            raise KeyboardInterrupt

    results = made.play(watch, Threads(2))
    assert results.interrupted
    assert 0 in heard
    assert sum(heard[:2]) / 2 - 2 <= known(results.standings).deals < made.plan.deals
    assert results.to_dict()["deals_complete"] == known(results.standings).deals


def test_a_second_ctrl_c_does_not_wait() -> None:
    made = Tournament(GAMES[GAME], entrants(["greedy", "random"]), 1_000_000, seed="test")

    def watch(games: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made.play(watch, Threads(2))


def test_an_immediate_ctrl_c_leaves_no_results(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Before a deal is complete there are no results, and the files say so."""

    def interrupted(self: Tournament, *_: Any) -> TournamentResults:
        return TournamentResults(self, None, True)

    monkeypatch.setattr(Tournament, "play", interrupted)
    page, file = tmp_path / "a.html", tmp_path / "a.json"
    files = ("--report", str(page), "--json", str(file))
    code, out, _ = run("arena", GAME, "greedy", "random", "--games", "10", *files)
    assert code == 130
    assert "Stopped before the first of 5 deals was complete." in out
    assert json.loads(file.read_text(encoding="utf-8"))["bots"] == []
    Reader(page.read_text(encoding="utf-8"))


def test_an_interrupt_from_outside_ends_all_programs_and_writes_the_results_so_far(
    tmp_path: Path,
) -> None:
    page, file, pids = tmp_path / "a.html", tmp_path / "a.json", tmp_path / "pids"
    pids.touch()
    code = f"import os\nopen({str(pids)!r}, 'a').write(f'{{os.getpid()}} ')\n"
    bot = command(tmp_path, code + READS + FIRST)
    files = ["--report", str(page), "--json", str(file)]
    with subprocess.Popen(
        [*ARENA, GAME, "random", bot, "--games", "1000000", "--workers", "1", *files],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as ran:
        while ran.poll() is None and len(pids.read_text().split()) < 4:
            time.sleep(0.02)  # three games of one thread: a deal is complete
        ran.send_signal(signal.SIGINT)
        try:
            out, err = ran.communicate(timeout=60)
        finally:
            ran.kill()
    assert ran.returncode == 130
    assert err.splitlines()[0] == "Stopping. The results so far follow."
    data = json.loads(file.read_text(encoding="utf-8"))
    assert data["interrupted"] is True
    assert 1 <= data["deals_complete"] < data["deals"]
    assert f"Stopped early, after {data['deals_complete']} of 500,000 deals." in out
    Reader(page.read_text(encoding="utf-8"))
    assert all(gone(int(pid)) for pid in pids.read_text().split())
