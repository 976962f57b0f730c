"""Language models beside bots: the same deals, a file that goes on, a budget that ends."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from redouble.analysis import review as reviewing
from redouble.contract.registry import GAMES
from redouble.envs.text import TextGame
from redouble.kernel.errors import RedoubleError
from redouble.lab import models
from redouble.lab.models import (
    EvaluationError,
    EvaluationPlan,
    Model,
    Reply,
    ending_plans,
    evaluate,
    summaries,
)
from tests.helpers.known import known
from tests.helpers.worlds import own_games

PLAN = EvaluationPlan("double-down", seats=2, deals=3, opponents="novice")


def first(prompt: str) -> Reply:
    move = prompt.split("Legal moves:\n")[1].splitlines()[0]
    return Reply(f"I play {move}", input_tokens=100, output_tokens=5, cost=0.5)


def mute(prompt: str) -> str:
    return "I don't know."


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_every_game_is_played_from_every_seat_of_every_deal(game: Any) -> None:
    plan = EvaluationPlan(game.name, game.min_seats, deals=1, opponents="novice", max_moves=400)
    found = evaluate(plan, {"first": first, "random": "random"})
    assert [one.key for one in found.games] == [
        (name, 1, seat) for seat in range(plan.seats) for name in ("first", "random")
    ]
    for one in found.games:
        assert json.loads(one.record)["game"] == game.name
        assert (one.cost > 0) == (one.player == "first") == bool(one.answers)


def test_a_bot_gets_what_it_gets_in_a_game_of_bots() -> None:
    found = evaluate(PLAN, {"expert": "expert"})
    for one in found.games:
        bots = {one.seat: "expert", 1 - one.seat: "novice"}
        game = TextGame("double-down", 2, f"models deal {one.deal}", bots=bots)
        assert (one.reward, one.record) == (game.rewards[one.seat], str(game.record()))


def test_an_evaluation_goes_on_from_its_file(tmp_path: Path) -> None:
    path, asked = tmp_path / "games.jsonl", []

    def counted(prompt: str) -> Reply:
        asked.append(prompt)
        return first(prompt)

    whole = evaluate(PLAN, {"model": counted, "casual": "casual"}, path)
    number = len(asked)
    again = evaluate(PLAN, {"model": counted, "casual": "casual"}, path, parallel=3)
    assert len(asked) == number
    assert again.games == whole.games
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:40])  # killed while it wrote
    cut = evaluate(PLAN, {"model": counted, "casual": "casual"}, path)
    assert [replace(one, seconds=0) for one in cut.games] == [
        replace(one, seconds=0) for one in whole.games
    ]
    assert len(evaluate(replace(PLAN, deals=4), {"model": counted}, path).games) == 8
    with pytest.raises(EvaluationError, match="of another evaluation \\(opponents, seed\\)"):
        evaluate(replace(PLAN, seed="other", opponents="casual"), {"model": counted}, path)
    path.write_text("hello\n")
    with pytest.raises(EvaluationError, match="isn't the file of an evaluation"):
        evaluate(PLAN, {"model": counted}, path)


@pytest.mark.parametrize(
    ("budget", "said"), [({"max_cost": 5.0}, "of 5 is"), ({"max_tokens": 900}, "900 tokens")]
)
def test_a_budget_ends_it_before_the_next_request(
    tmp_path: Path, budget: dict[str, Any], said: str
) -> None:
    path, asked = tmp_path / "games.jsonl", []

    def counted(prompt: str) -> Reply:
        asked.append(prompt)
        return first(prompt)

    assert said in evaluate(PLAN, {"model": counted}, path, **budget).stopped
    assert len(asked) == (10 if "max_cost" in budget else 9)
    assert evaluate(PLAN, {"model": counted}, path).stopped == ""


def test_answers_that_are_no_moves_forfeit_and_are_counted() -> None:
    found = evaluate(replace(PLAN, deals=1), {"mute": mute})
    assert [one.reward for one in found.games] == [-1.0, -1.0]
    assert all(one.answers["unreadable"] == 3 for one in found.games)
    [summary] = summaries(found)
    assert (summary.legal, summary.cost) == (0.0, 0.0)


def test_what_fails_says_who_and_what_was_played_stays(tmp_path: Path) -> None:
    calls = []

    def tired(prompt: str) -> Reply:
        calls.append(prompt)
        if len(calls) > 30:
            raise TimeoutError("no answer for 60 s")
        return first(prompt)

    path = tmp_path / "games.jsonl"
    with pytest.raises(EvaluationError, match="tired has failed: TimeoutError: no answer"):
        evaluate(PLAN, {"tired": tired}, path)
    assert len(path.read_text().splitlines()) > 1

    def odd(prompt: str) -> Any:
        return 7

    with pytest.raises(RedoubleError, match="a text or a Reply"):
        evaluate(PLAN, {"odd": odd})


@pytest.mark.parametrize(
    ("plan", "players", "said"),
    [
        (PLAN, {}, "nobody plays"),
        (PLAN, {"a": "grandmaster"}, "novice or casual"),
        (PLAN, {"a": 7}, "a function"),
        (replace(PLAN, seats=9), {"a": "novice"}, "2 to 7 players"),
        (replace(PLAN, opponents="me"), {"a": "novice"}, "novice"),
        (replace(PLAN, deals=0), {"a": "novice"}, "deals"),
    ],
)
def test_what_cannot_be_played_is_refused(plan: Any, players: Any, said: str) -> None:
    with pytest.raises(RedoubleError, match=said):
        evaluate(plan, players)


def test_reviews_tell_mistakes_from_luck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "review", lambda record: reviewing.review(record, 20))
    plan = replace(PLAN, deals=2)
    found = evaluate(plan, {"first": first, "expert": "expert"}, reviews=True)
    by_name = {one.player: one for one in summaries(found)}
    for one in by_name.values():
        assert None not in (one.reward, one.without_luck)
    lost = {name: one.lost.mean for name, one in by_name.items() if one.lost}
    assert lost["first"] > lost["expert"] >= 0.0


def test_the_command_shows_models_beside_bots(tmp_path: Path, run: Callable[..., Any]) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "def model(prompt): return prompt.split('Legal moves:\\n')[1].splitlines()[0]\n"
    )
    given = ["double-down", f"{file}", "casual", "--seats", "2", "--games", "4"]
    code, out, _ = run("models", *given, "--out", f"{tmp_path / 'games.jsonl'}")
    assert code == 0
    for shown in ("mine", "casual", "8 games of 2 deals"):
        assert shown in out
    for wrong, said in (
        ([f"{file}:other", "casual"], "no function other"),
        ([f"{tmp_path}/none.py"], "check its name"),
        (["casual", "casual"], "two players are called casual"),
    ):
        assert said in run("models", "double-down", *wrong).refusal()


def test_ends_of_games_are_played_once_and_judged_exactly(tmp_path: Path) -> None:
    plan = EvaluationPlan(
        "double-down", 2, 2, "ends", options=GAMES["double-down"].ending_options(2), endings=True
    )
    path = tmp_path / "ends.jsonl"
    players: dict[str, Model | str] = {"first": first, "random": "random"}
    found = evaluate(plan, players, path, regrets=True)
    assert [one.key for one in found.games] == [
        (name, deal, *plan.played_from(deal)) for deal in (1, 2) for name in players
    ]
    for one in found.games:
        assert known(one.regret) >= 0
        assert one.judged is not None
        assert "unjudged" not in one.judged
        assert len(json.loads(one.record)["moves"].split()) > plan.decided(one.deal) > 0
    assert evaluate(plan, players, path, regrets=True).games == found.games
    for summary in summaries(found):
        mine = [one for one in found.games if one.player == summary.player]
        assert known(summary.regret).mean == sum(known(one.regret) or 0.0 for one in mine) / 2
        assert sum(summary.judged.values()) == sum(sum((one.judged or {}).values()) for one in mine)


def test_whole_games_say_how_few_decisions_were_judged() -> None:
    found = evaluate(replace(PLAN, deals=1), {"first": first}, regrets=True)
    [summary] = summaries(found)
    assert summary.judged["unjudged"] > 0
    assert summary.regret is None
    plain = evaluate(replace(PLAN, deals=1), {"first": first})
    assert [one.judged for one in plain.games] == [None, None]
    assert summaries(plain)[0].regret is None
    forfeited = evaluate(replace(PLAN, deals=1), {"mute": mute}, regrets=True)
    assert [one.judged for one in forfeited.games] == [{}, {}]


def test_there_is_a_plan_of_ends_for_each_game_in_the_package() -> None:
    plans = ending_plans(deals=3, seed="plans")
    assert {plan.game for plan in plans} >= set(own_games())
    assert {("double-or-quits", 1), ("double-down", 2), ("three-up", 12)} <= {
        (plan.game, plan.seats) for plan in plans
    }
    assert all(plan.endings and plan.deals == 3 for plan in plans)
