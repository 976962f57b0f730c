"""The games of a data set, and what is written about them, as sharded work."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from redouble.analysis.puzzle import RATERS, Puzzle, puzzles_of
from redouble.analysis.shares import of_ranks
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.envs.arrays.observation import observation as tensor_of
from redouble.kernel import checks
from redouble.kernel.engine import to_records
from redouble.kernel.errors import InputError
from redouble.kernel.rng import Generator, below, seed_words
from redouble.lab.dataset.columns import pack
from redouble.lab.dataset.values import MAX_WORLDS, WorldAnswers, searched, solved, winnable_after
from redouble.lab.selfplay import SelfPlayJob
from redouble.lab.shards import Shard, Stopped
from redouble.match.match import Match

__all__ = ["DatasetJob", "Rows"]

GAMES_SERIES, PUZZLES_SERIES = "games", "puzzles"
MAX_POSITIONS = 1_000_000

Rows = Mapping[str, list[dict[str, Any]]]
"""Rows by the name of their table. Those of ``worlds`` are together for each position: a value is
an array with an item for each world, or the same for all."""


@dataclass(frozen=True)
class DatasetJob:
    """A data set of one game: its games, positions of them, their worlds, and puzzles.

    The games are those of :class:`~redouble.lab.selfplay.SelfPlayJob`. Up to ``positions``
    decisions of each are valued, each in ``worlds`` worlds. ``puzzles`` is whether those that come
    with the game, for this number of seats and these options, are included.

    Raises what :class:`~redouble.lab.selfplay.SelfPlayJob` raises.
    """

    game: str
    seats: int
    bots: tuple[str, ...]
    games: int
    seed: str
    options: Mapping[str, Any]
    positions: int = 4
    worlds: int = 200
    puzzles: bool = True
    selfplay: SelfPlayJob = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        job = SelfPlayJob(self.game, self.seats, self.bots, self.games, self.seed, self.options)
        object.__setattr__(self, "selfplay", job)
        object.__setattr__(self, "bots", job.bots)
        object.__setattr__(self, "options", job.options)
        checks.whole(self.positions, "positions", 0, MAX_POSITIONS)
        checks.whole(self.worlds, "worlds", 2, MAX_WORLDS)
        checks.instance(self.puzzles, bool, "puzzles")
        if self.seats == 1 and GAMES[self.game].solver is None and self.positions:
            raise InputError(
                f"{GAMES[self.game].title} has no solver to value positions: give positions=0"
            )

    def seed_of(self, game: int, ply: int) -> str:
        """Return the text that seeds the worlds of a position."""
        return f"worlds of {self.selfplay.seed_of(game)} ply {checks.whole(ply, 'ply', 0)}"

    def shards(self) -> Iterator[Shard]:
        """Return the puzzles and then the games, one by one."""
        for number in range(len(self._puzzles)):
            yield Shard(PUZZLES_SERIES, number, 1)
        for game in range(self.games):
            yield Shard(GAMES_SERIES, game, 1)

    def warm(self) -> None:
        """Compile or load what plays games and values positions."""
        self.selfplay.warm()
        match = Match(GAMES[self.game], self.seats, "warm", self.options)
        while self.positions and match.turn is not None:
            if len(match.legal_moves) > 1:
                self._answers(match, "warm", 2)
                break
            match.push_action(match.legal_moves.actions[0])

    def player(self, stopped: Callable[[], bool]) -> Callable[[Shard], Rows]:
        """Return what makes the rows of a shard."""
        play = self.selfplay.player(stopped)

        def rows(shard: Shard) -> Rows:
            if shard.series == PUZZLES_SERIES:
                found = self._puzzles[shard.first : shard.first + shard.count]
                return {"puzzles": [self._puzzle_row(puzzle) for puzzle in found]}
            made: dict[str, list[dict[str, Any]]] = {"games": [], "positions": [], "worlds": []}
            for number in range(shard.first, shard.first + shard.count):
                ((_, actions),) = play(Shard(shard.series, number, 1))
                self._add_game(made, number, actions.tolist(), stopped)
            return made

        return rows

    @property
    def _game(self) -> Game:
        return GAMES[self.game]

    @cached_property
    def _puzzles(self) -> tuple[Puzzle, ...]:
        check = self._game.check_options
        return tuple(
            puzzle
            for puzzle in (puzzles_of(self._game) if self.puzzles else ())
            if puzzle.seats == self.seats
            and check(self.seats, puzzle.record.options) == self.options
        )

    def _add_game(
        self,
        made: dict[str, list[dict[str, Any]]],
        number: int,
        actions: list[int],
        stopped: Callable[[], bool],
    ) -> None:
        """Add the rows of a game, by the actions that were played."""
        seed = self.selfplay.seed_of(number)
        whole = Match(self._game, self.seats, seed, self.options)
        decisions = []
        for action in actions:
            if len(whole.legal_moves) > 1:
                decisions.append(whole.ply)
            whole.push_action(action)
        bots = [self.bots[bot] for bot in self.selfplay.lineup(number)]
        outcome = whole.outcome
        assert outcome is not None
        made["games"].append(
            {
                "game": number,
                "seed": seed,
                "bots": bots,
                "plies": whole.ply,
                "ranks": outcome.ranks,
                "scores": outcome.scores,
                "reason": outcome.reason,
                "record": str(whole.record()),
            }
        )
        results = of_ranks(outcome.ranks) if self.seats > 1 else (float(outcome.won[0]),)
        rng = seed_words(f"positions of {seed}")
        for ply in sorted(_sample(decisions, self.positions, rng)):
            if stopped():
                raise Stopped
            match = whole.back_to(ply)
            seat = match.turn
            assert seat is not None
            answers = self._answers(match, self.seed_of(number, ply), self.worlds)
            key = {"game": number, "ply": ply}
            row = {
                **key,
                **self._seen(match),
                "shares": answers.means,
                "errors": answers.errors,
                "action": actions[ply],
                "bot": bots[seat],
                "result": results[seat],
                **self._truth(match),
            }
            if answers.winnable is not None:
                row["winnable"] = winnable_after(self._game, match.state, row["legal"])
            made["positions"].append(row)
            made["worlds"].append(self._world_columns(key, answers))

    def _answers(self, match: Match, seed: str, worlds: int) -> WorldAnswers:
        if self.seats == 1:
            return solved(match.observation(), seed, worlds)
        return searched(match.observation(), seed_words(seed), worlds)

    def _world_columns(self, key: dict[str, int], answers: WorldAnswers) -> dict[str, Any]:
        """Return the rows of a position's worlds as columns: with many worlds, far faster."""
        worlds = answers.worlds
        names = np.array(self._game.text.CARDS, object)
        found = {
            **key,
            "world": np.arange(len(worlds)),
            "state": pack(self._game, worlds),
            "cards": names[worlds["deck"][:, : int(worlds["deck_n"][0])]],
            "shares": answers.shares,
        }
        return found if answers.winnable is None else {**found, "winnable": answers.winnable}

    def _seen(self, match: Match) -> dict[str, Any]:
        seat, legal = match.turn, match.legal_moves
        assert seat is not None
        text = match.view(seat).lines(self._game.title, match.names)
        return {
            "seat": seat,
            "observation": tensor_of(self._game, match.state, seat),
            "text": "\n".join(text),
            "legal": list(legal.actions),
            "moves": list(legal),
        }

    def _truth(self, match: Match) -> dict[str, Any]:
        packed = pack(self._game, to_records(match.state))
        return {"state": packed.tobytes(), "record": str(match.record())}

    def _puzzle_row(self, puzzle: Puzzle) -> dict[str, Any]:
        match, verdict = puzzle.match(), puzzle.verdict(puzzle.answer)
        seen, names = self._seen(match), puzzle.names

        return {
            "number": puzzle.number,
            "stars": puzzle.stars,
            **seen,
            "last_moves": [f"{names[line.seat]} {line.text}." for line in puzzle.last_moves()],
            "answer": match.legal_moves.action(puzzle.answer),
            "shares": [puzzle.shares[move] for move in seen["moves"]],
            "margin_search": puzzle.margins["search"].value,
            "margin_search_error": puzzle.margins["search"].error,
            "margin_trials": puzzle.margins["trials"].value,
            "margin_trials_error": puzzle.margins["trials"].error,
            "raters": list(RATERS),
            "found": [puzzle.found[rater] for rater in RATERS],
            "verdict": f"{verdict.headline} {verdict.sentence}",
            "why": verdict.why,
            **self._truth(match),
        }


def _sample(plies: list[int], number: int, rng: Generator) -> list[int]:
    """Return up to this many different plies, each as likely as the others."""
    left = plies[:]
    taken: list[int] = []
    while left and len(taken) < number:
        taken.append(left.pop(below(rng, len(left))))
    return taken
