"""A task for Inspect, the evaluation framework of the UK AI Security Institute.

pip install inspect-ai, then for instance
inspect eval examples/inspect_task.py -T game=double-down -T seats=2 --model PROVIDER/MODEL

A sample is one game. The model plays each deal once from every seat, against bots, so that luck
mostly cancels out; the standard error is computed over deals. Each decision is a request of its own
with the whole prompt, so Inspect's log has every prompt, answer and number of tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from redouble import GAMES
from redouble.envs.text import TextGame


@task
def play(
    game: str,
    seats: int | None = None,
    opponents: str = "expert",
    deals: int = 10,
    seed: str = "inspect",
    options: Mapping[str, Any] | None = None,
    rules: str = "brief",
    retries: int = 2,
    then: str = "forfeit",
    max_moves: int = 10_000,
) -> Task:
    """Return the task of playing ``deals`` deals, each from every seat, against bots of a level.

    The other arguments are those of ``TextGame``.
    """
    chosen = GAMES[game]
    players = chosen.usual_seats if seats is None else seats
    settings = {
        "seats": players,
        "options": dict(options or {}),
        "rules": rules,
        "retries": retries,
        "then": then,
        "max_moves": max_moves,
    }
    samples = []
    for deal in range(1, deals + 1):
        for seat in range(players):
            bots = {other: opponents for other in range(players) if other != seat}
            begun = TextGame(chosen, seed=f"{seed} deal {deal}", bots=bots, **settings)
            samples.append(
                Sample(
                    id=f"deal {deal}, seat {seat}",
                    input=begun.rules(),
                    metadata={
                        "game": chosen.name,
                        "deal": deal,
                        "seat": seat,
                        "seed": f"{seed} deal {deal}",
                        "opponents": opponents,
                        "settings": settings,
                    },
                )
            )
    return Task(
        dataset=samples,
        solver=play_games(),
        scorer=rewards(),
        name=f"redouble_{chosen.name}",
        version=chosen.version,
    )


@solver
def play_games() -> Solver:
    """Return a solver that plays the game of a sample to its end."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        given = state.metadata
        seat, settings = given["seat"], given["settings"]
        bots = {other: given["opponents"] for other in range(settings["seats"]) if other != seat}
        game = TextGame(given["game"], seed=given["seed"], bots=bots, **settings)
        while game.turn is not None:
            system, user = (message["content"] for message in game.messages())
            state.messages = [ChatMessageSystem(content=system), ChatMessageUser(content=user)]
            state.output = await get_model().generate(state.messages)
            state.messages.append(state.output.message)
            game.answer(state.output.completion)
        state.metadata["played"] = {
            "reward": game.rewards[seat],
            "answers": asdict(game.counts[seat]),
            "record": str(game.record()),
            "ending": game.ending(seat),
        }
        return state

    return solve


@scorer(metrics=[mean(), stderr(cluster="deal")])
def rewards() -> Scorer:
    """Return a scorer that gives the reward of the model's seat, with the game's record."""

    async def score(state: TaskState, target: Target) -> Score:
        played = state.metadata["played"]
        return Score(value=played["reward"], explanation=played["ending"], metadata=played)

    return score
