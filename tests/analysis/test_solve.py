"""The solver against a plain search over the interpreted rules, and what is made of it."""

import contextlib
import itertools
import json
from collections import deque
from pathlib import Path
from random import Random
from typing import Any

import pytest

from redouble.analysis.solve import (
    CAREFUL,
    DealTally,
    Foresight,
    Solution,
    SolveError,
    Solving,
    grade,
)
from redouble.contract.game import WORK
from redouble.contract.registry import GAMES
from redouble.games.double_or_quits import rules, solver
from redouble.kernel.errors import RedoubleError
from redouble.kernel.rng import seed_words
from redouble.lab.shards import Threads
from redouble.lab.solitaire import BLOCK, tally_deals
from redouble.match.match import Match, Reached
from redouble.match.story import midsentence
from tests.helpers.command import Run
from tests.helpers.interrupting import CtrlC
from tests.helpers.known import known
from tests.helpers.tables import play_on

GAME = GAMES["double-or-quits"]
FREE = {"free-flip": True}


@pytest.fixture(scope="module")
def solving() -> Solving:
    return Solving(GAME)


def won(match: Match) -> bool:
    return match.outcome is not None and match.outcome.won[0]


def replayed(match: Match, moves: tuple[str, ...]) -> Match:
    again = match.copy()
    for move in moves:
        again.push(move)
    return again


def key(s: Any) -> tuple[Any, ...]:
    """Everything that a position's future depends on: no suits, no order of the cells."""
    ranks = [s.deck[place] >> 2 for place in s.line[: s.waste_n]]
    stock = [s.deck[place] >> 2 for place in s.line[s.stock_at : s.stock_n]]
    cells = sorted(-1 if place < 0 else s.deck[place] >> 2 for place in s.cell)
    return tuple(ranks), tuple(stock), tuple(cells), s.redealt, s.foundation_n


def brute_force(start: Any, most: int = 60_000) -> int | None:
    """The fewest moves to a win, breadth first over the rules; -1 when there is none.

    None when there were more positions than ``most``.
    """
    seen = {key(start)}
    waiting = deque([(start, 0)])
    out = [0] * (rules.MAX_LEGAL + 1)
    while waiting:
        s, depth = waiting.popleft()
        if s.turn < 0:
            if s.reason == rules.WON:
                return depth
            continue
        for action in out[: rules.legal(s, out)]:
            after = s.copy()
            rules.play(after, action)
            name = key(after)
            if name not in seen:
                if len(seen) >= most:
                    return None
                seen.add(name)
                waiting.append((after, depth + 1))
    return -1


def late_positions(options: dict[str, Any], deals: int, left: int) -> list[Match]:
    """Games played at random, but forward, until so few cards are in the line."""
    dice = Random(f"{options} {left}")
    found = []
    for deal in itertools.count():
        match = Match(GAME, 1, f"late {deal}", options)
        while match.turn is not None:
            s = match.state
            if s.waste_n + s.stock_n - s.stock_at <= left:
                found.append(match)
                break
            plays = [a for a in match.legal_moves.actions if a < rules.FLIP]
            if plays and (dice.random() < 0.9 or len(match.legal_moves) == len(plays)):
                match.push_action(plays[0])
            else:
                match.push_action(match.legal_moves.actions[-1])
        if len(found) == deals:
            return found
    raise AssertionError


@pytest.mark.parametrize("left", [9, 12, 14])
@pytest.mark.parametrize("redeals", [1, 2, 3])
def test_late_positions_agree_with_brute_force(solving: Solving, redeals: int, left: int) -> None:
    judged = []
    shortest = []
    for match in late_positions(FREE | {"redeals": redeals}, 16, left):
        best = brute_force(match.state)
        if best is None:
            continue
        solution = solving.solve(match.state)
        assert solution.winnable is (best >= 0)
        assert solving.winnable(match.state) is (best >= 0)
        judged.append(best >= 0)
        if best >= 0:
            assert won(replayed(match, solution.moves))
            assert len(solution.moves) >= best
            if solution.shortest:
                assert len(solution.moves) == best
            shortest.append(solution.shortest)
    assert len(judged) > 8
    assert sum(shortest) >= 0.8 * len(shortest)


@pytest.mark.parametrize("left", [9, 12, 16])
def test_without_a_redeal_the_line_is_a_shortest_one(solving: Solving, left: int) -> None:
    results = []
    for match in late_positions(FREE | {"redeals": 9}, 80, left):
        s = match.state
        s.redealt = s.redeals  # none is left
        s.moves = rules._moves(s)
        if s.moves == 0:
            continue
        best = known(brute_force(s))
        solution = solving.solve(s)
        assert solution.winnable is (best >= 0)
        results.append(best >= 0)
        if best >= 0:
            assert solution.shortest
            assert len(solution.moves) == best
    assert {True, False} == set(results)


@pytest.mark.parametrize("redeals", [0, 1, 2, 3])
def test_by_the_published_rule_the_deal_plays_itself(solving: Solving, redeals: int) -> None:
    for deal in range(60):
        match = Match(GAME, 1, f"{deal}", {"redeals": redeals})
        end = play_on(match.copy(), Random(deal))
        solution = solving.solve(match.state)
        assert solution.winnable is won(end)
        if solution.winnable:
            assert solution.shortest
            assert len(solution.moves) == end.ply
            assert won(replayed(match, solution.moves))


def test_the_solver_gives_the_same_interpreted_and_compiled(solving: Solving) -> None:
    match = Match(GAME, 1, "1", FREE)
    expected = solving.solve(match.state)
    s = match.state
    out = [0] * (solver.MAX_MOVES + 1)
    n = solver.solve(s, out, [0] * solver.WORK, 20_000)
    assert s.reason == rules.WON
    assert tuple(GAME.text.name(s, action) for action in out[:n]) == expected.moves


def test_a_bounded_search_says_that_it_is_undecided(solving: Solving) -> None:
    undecided = 0
    for deal in range(80):
        match = Match(GAME, 1, f"{deal}", FREE | {"redeals": 1})
        bounded = solving.solve(match.state, max_positions=1)
        if bounded.winnable is None:
            undecided += 1
            assert bounded.moves == ()
        else:
            assert bounded.winnable is solving.winnable(match.state)
    assert undecided
    tally = solving.solve_deals(FREE | {"redeals": 1}, 40, "bounded", max_positions=1)
    assert tally.undecided
    assert tally.deals == 40


def test_the_players_chances_do_not_peek(solving: Solving) -> None:
    for deal in range(4):
        match = Match(GAME, 1, f"{deal}", FREE)
        for _ in range(8):
            match.push(match.legal_moves[-1])
        seen = match.seen_by(0)
        other = seen.copy()
        rules.determinize(other, seed_words("another world"), [0] * WORK)
        assert other.deck != match.state.deck
        twin = match.copy()
        twin._here = Reached(twin.game, other)
        assert twin.observation().state == match.observation().state
        assert solving.chances(twin.observation(), "x", 16) == solving.chances(
            match.observation(), "x", 16
        )


@pytest.mark.parametrize("options", [{}, FREE, FREE | {"redeals": 0}, FREE | {"redeals": 1}])
def test_a_careful_player_does_not_peek(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In worlds that look alike so far it makes the same move, as long as anything is hidden."""
    made: list[tuple[str, int]] = []

    class AllSeen(Exception):
        pass

    def watched(s: Any, action: int) -> None:
        if s.redealt or s.stock_at >= s.stock_n - s.kings:
            raise AllSeen
        seen = s.copy()
        rules.redact(seen, 0)
        made.append((repr([getattr(seen, field.name) for field in seen.FIELDS]), action))
        rules.play(s, action)

    monkeypatch.setattr(solver, "play", watched)
    match = Match(GAME, 1, "7", options)
    answers: dict[str, int] = {}
    for world in range(6):
        s = match.seen_by(0)
        rules.determinize(s, seed_words(f"{world}"), [0] * WORK)
        made.clear()
        with contextlib.suppress(AllSeen):
            out = [0] * (solver.MAX_MOVES + 1)
            solver.careful(s, seed_words("own"), out, [0] * solver.WORK, 20_000)
        for seen, action in made:
            assert answers.setdefault(seen, action) == action
    assert len(answers) > 6


def test_the_chances_are_certain_once_all_is_known(solving: Solving) -> None:
    match = Match(GAME, 1, "5", FREE)
    while not match.state.redealt:
        match.push(match.legal_moves[-1])
    for move, chance in solving.chances(match.observation(), worlds=2).items():
        assert chance == float(bool(solving.winnable(replayed(match, (move,)).state)))


def test_careful_play_wins_more_than_greedy_and_less_than_can_be_won(solving: Solving) -> None:
    options = FREE | {"redeals": 1}
    shares = [solving.play_deals(options, 150, who, "s").share for who in (1.0, 0.0, CAREFUL)]
    assert shares == sorted(shares)
    assert shares[2] > shares[1] + 0.2
    assert solving.solve_deals(options, 150, "s").share >= shares[2]


@pytest.mark.parametrize("options", [FREE | {"redeals": 0}, FREE | {"redeals": 1}])
def test_the_move_that_lost_it_is_the_first_after_which_nothing_wins(
    solving: Solving, options: dict[str, Any]
) -> None:
    found = []
    dice = Random("lost")
    for deal in range(12):
        match = play_on(Match(GAME, 1, f"{deal}", options), dice)
        at = known(solving.lost_at(match))
        found.append(at)
        start = Match(GAME, 1, f"{deal}", options)
        assert solving.winnable(replayed(start, match.moves[:at]).state) is False
        if at:
            assert solving.winnable(replayed(start, match.moves[: at - 1]).state)
    assert any(found)


def test_a_winnable_game_has_not_been_lost(solving: Solving) -> None:
    match = Match(GAME, 1, "5", FREE)
    assert solving.lost_at(match) is None
    assert solving.lost_at(replayed(match, solving.solve(match.state).moves)) is None


def random_game(deal: str, seed: int) -> Match:
    return play_on(Match(GAME, 1, deal, FREE), Random(seed))


def test_foresight_names_the_move_that_lost_and_a_line_that_wins_before_it(
    solving: Solving,
) -> None:
    for seed in range(5):
        match = random_game("5", seed)
        told = solving.foresight(match)
        assert told.winnable
        assert not told.won
        assert told.lost_at == solving.lost_at(match)
        assert told.lost_at
        assert told.lost_by == match.moves[told.lost_at - 1]
        start = Match(GAME, 1, "5", FREE)
        before = replayed(start, match.moves[: told.lost_at - 1])
        assert won(replayed(before, told.line))
        assert solving.winnable(before.state)
        before.push(told.lost_by)
        assert solving.winnable(before.state) is False
        before.pop()
        words = midsentence(before.describe(told.lost_by))
        lost = f"Move {told.lost_at} ({words}) lost the game"
        assert told.said(match) == f"{lost}: until then it could be won."


def test_foresight_of_won_lost_and_open_deals(solving: Solving) -> None:
    start = Match(GAME, 1, "5", FREE)
    line = solving.solve(start.state).moves
    assert solving.foresight(replayed(start, line)) == Foresight(True, won=True)
    assert solving.foresight(replayed(start, line[:20])) == Foresight(True)
    assert Foresight(True).said(start) == "This game could be won to the end."
    hopeless = Match(GAME, 1, "3")
    while hopeless.turn is not None:
        hopeless.push(hopeless.legal_moves[0])
    assert solving.foresight(hopeless) == Foresight(False, lost_at=0)


def test_foresight_makes_no_claim_where_the_solver_is_undecided(
    solving: Solving, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = random_game("5", 1)
    at = solving.lost_at(match)
    assert at
    decided = solving.winnable

    def undecided(state: Any) -> bool | None:
        return False if decided(state) is False else None

    monkeypatch.setattr(solving, "winnable", undecided)
    monkeypatch.setattr(solving, "solve", lambda state: Solution(None))
    told = solving.foresight(match)
    assert told == Foresight(None, False, at, match.moves[at - 1])
    assert "it is not known which move lost it" in told.said(match)
    match.pop()
    while match.ply >= at:
        match.pop()
    assert solving.foresight(match) == Foresight(None)
    assert Foresight(None).said(match) == "It is not known whether this game could be won."


def test_a_line_is_described_briefly() -> None:
    match = Match(GAME, 1, "5", FREE)
    line: list[str] = []
    while len(line) < 2 or list(match.legal_moves) == ["flip"]:
        match.push("flip")
        line.append("flip")
    line.append(next(move for move in match.legal_moves if move != "flip"))
    said = f"flip a card ({len(line) - 1} times), {midsentence(match.describe(line[-1]))}"
    assert Foresight(True, False, 1, "flip", tuple(line)).line_said(match) == said
    assert Foresight(True).line_said(match) == ""


def test_win_rates_match_the_documents(solving: Solving) -> None:
    assert 0.32 < solving.solve_deals({}, 20_000, "rates").share < 0.36
    free = solving.solve_deals(FREE, 300, "rates")
    assert free.undecided == 0
    assert free.won >= 298
    assert 0.2 < solving.solve_deals(FREE | {"redeals": 0}, 200, "rates").share < 0.4


def test_any_number_of_threads_counts_the_same_deals() -> None:
    counts = [
        tally_deals(GAME, {}, 2 * BLOCK + 1, "threads", executor=Threads(n)).tally for n in (1, 3)
    ]
    assert counts[0] == counts[1]
    assert counts[0].deals == 2 * BLOCK + 1
    for mistakes in (0.0, CAREFUL):
        assert tally_deals(GAME, FREE, 5, "threads", mistakes=mistakes).tally.deals == 5


def test_ctrl_c_keeps_the_deals_solved_in_order() -> None:
    found = tally_deals(GAME, FREE, 100 * BLOCK, "stop", executor=Threads(1), watch=CtrlC())
    assert found.stopped
    whole = tally_deals(GAME, FREE, found.tally.deals, "stop").tally
    assert found.tally == whole
    assert 0 < whole.deals < 100 * BLOCK


def test_a_tally_of_other_numbers_is_refused() -> None:
    with pytest.raises(SolveError, match="has no solver"):
        tally_deals(GAMES["double-down"], {}, 5)
    for wrong in ({"deals": 0}, {"max_positions": 0}, {"mistakes": 2.0}, {"seed": 5}):
        with pytest.raises(RedoubleError):
            tally_deals(GAME, {}, **({"deals": 1} | wrong))


def test_an_undecided_deal_widens_the_interval() -> None:
    decided, open_ = DealTally(30, 70, 0), DealTally(30, 60, 10)
    assert decided.interval[0] == open_.interval[0]
    assert decided.interval[1] < open_.interval[1]
    assert DealTally(0, 0, 0).interval == (0.0, 1.0)


def test_grades_follow_the_share_that_slipping_players_win(solving: Solving) -> None:
    assert [grade(share) for share in (1.0, 0.8, 0.79, 0.5, 0.49, 0.0)] == [
        *("easy", "easy", "medium", "medium", "hard", "hard")
    ]
    match = Match(GAME, 1, "5", FREE)
    assert solving.ease(match.state) == solving.ease(match.state)
    assert solving.ease(Match(GAME, 1, "14", {}).state) == 1.0


def test_a_game_without_a_solver_says_so() -> None:
    with pytest.raises(SolveError, match="Double Down has no solver"):
        Solving(GAMES["double-down"])


def test_the_command_prints_a_line_that_wins(run: Run) -> None:
    done = run("solve", "5", "-o", "redeals=1", "--json", "-")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    match = Match(GAME, 1, "5", found["options"])
    assert found["options"] == {"free-flip": True, "redeals": 1}
    assert found["winnable"]
    assert won(replayed(match, tuple(found["moves"])))
    assert "It can be won, in 82 moves (the shortest way)" in run("solve", "14").out
    assert "It can't be won." in run("solve", "3", "-o", "free-flip=no").out


def test_the_command_says_where_a_record_was_lost(run: Run, tmp_path: Path) -> None:
    match = play_on(Match(GAME, 1, "5", FREE), Random(1))
    file = tmp_path / "game.jsonl"
    file.write_text(f"{match.record()}\n", encoding="utf-8")
    said = run("solve", str(file)).out
    assert f"of {match.ply}." in said
    assert run("solve", "-", typed=str(match.record())).out == said


def test_the_command_says_that_a_game_was_won_and_that_another_can_be(run: Run) -> None:
    solving = Solving(GAME)
    deal = solving.find_deal(GAME.check_options(1, FREE), "any", 1, 1000)
    match = Match(GAME, 1, deal, FREE)
    for move in solving.solve(match.state).moves:
        can_be = run("solve", "-", typed=str(match.record())).out if match.ply == 3 else ""
        assert match.ply != 3 or "The game as played can still be won." in can_be
        match.push(move)
    said = run("solve", "-", typed=str(match.record())).out
    assert f"The game as played was won in {match.ply} moves." in said
    assert "still" not in said
    assert json.loads(run("solve", "-", "--json", "-", typed=str(match.record())).out)["won"]


def test_the_command_solves_many_deals(run: Run) -> None:
    done = run("solve", "--games", "500", "--seed", "x", "--workers", "2", "--json", "-")
    found = json.loads(done.out)
    assert found["won"] + found["lost"] == found["deals"] == 500
    assert found["undecided"] == 0
