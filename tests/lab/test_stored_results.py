"""The JSON of tournaments and studies: kept byte for byte, read back, and refused when broken.

The results here are made up, so that no figure depends on a machine. ``python -m
tests.lab.test_stored_results`` writes tests/golden/arena.json and study.json anew.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import redouble
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.lab.arena.entrants import entrants
from redouble.lab.arena.intervals import Estimate
from redouble.lab.arena.results import Standings
from redouble.lab.arena.stored import BotResult, StoredTournament
from redouble.lab.arena.tournament import Tournament, TournamentResults
from redouble.lab.studies.figures import Difference, Findings, Portrait, StudyFigure
from redouble.lab.studies.plan import StudyPlan, other_setting, setting
from redouble.lab.studies.stored import SeatTest, StoredStudy
from tests.helpers.places import GOLDEN

NAME = "double-down"


def tournament_results() -> TournamentResults:
    """Return three bots of different kinds, two of which never met, and one that failed."""
    tournament = Tournament(
        GAMES[NAME],
        entrants(["greedy", "müde=random", "own=cmd:true"]),
        10,
        seats=2,
        options={"repeats-cost": True},
        seed="kept",
        seconds=2.5,
    )
    best = BotResult(
        name="greedy",
        kind="ours",
        played=6,
        utility=Estimate(2 / 3, 0.1, 1.0),
        wins=3.5,
        win_share=3.5 / 6,
        mean_rank=1.5,
        score=Estimate(-12.25, -20.0, -4.5),
        rating=Estimate(1e-07, -310.0, 310.0),
        failures=0,
        first_failure=None,
    )
    second = replace(best, name="müde", utility=Estimate(0.5), wins=0.0, win_share=0.0, score=None)
    failure = "no answer within 2.5 s"
    third = replace(best, name="own", kind="command", failures=2, first_failure=failure)
    share = Estimate(0.75, 0.5, 1.0)
    rows = (
        (None, share, None),
        (Estimate(0.25, 0.0, 0.5), None, share),
        (None, Estimate(0.5), None),
    )
    found = Standings((best, second, third), rows, 3, 9, 1, ((1, (0.5, 0.5, 0.5)),))
    return TournamentResults(tournament, found, interrupted=True)


def study_findings() -> Findings:
    """Return two settings with a figure of each kind, and their difference."""
    first = setting(GAMES[NAME], 2, {}, "random")
    second = other_setting(first, None, None, {"repeats-cost": True})
    plan = StudyPlan((first, second), 400, "kept", ("greedy", "novice"))
    moves = StudyFigure(
        *("moves", "moves a game", 30.5, 29.0, 32.0, 12.125, None, "It takes 30.5 ± 1.5 moves."),
        section="Length",
        percent=False,
    )
    wins = StudyFigure(
        *("seat 1 wins", "seat 1 wins", 0.5, None, None, None, 0.5, "Wins 50.0%."),
        section="Seats",
        percent=True,
    )
    test = SeatTest(1e-05, 1, 0.9975, "No seat is significantly better than another.")
    lengths = np.bincount([12, 12, 31, 60]), np.bincount([3, 5, 5, 9])
    portraits = (
        Portrait(first, (moves, wins), test, lengths),
        Portrait(second, (replace(moves, mean=33.25), wins), None, lengths),
    )
    difference = Difference(moves, portraits[1].figures[0], 2.75, 1.0, 4.5, 2e-09, True)
    return Findings(plan, 384, 192, True, 16, portraits, (difference,))


def written(data: dict[str, Any]) -> str:
    """Return the text of a file, as the commands write it."""
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def made() -> dict[str, dict[str, Any]]:
    """Return what each file is made of. The version of Redouble is kept from when it was made."""
    arena = replace(tournament_results().stored(), redouble="0.1.0")
    return {"arena.json": arena.to_dict(), "study.json": study_findings().to_dict()}


PARSERS: dict[str, Callable[[str], StoredTournament | StoredStudy]] = {
    "arena.json": StoredTournament.parse,
    "study.json": StoredStudy.parse,
}


@pytest.mark.parametrize("name", PARSERS)
def test_the_bytes_of_a_file_do_not_change(name: str) -> None:
    assert written(made()[name]) == (GOLDEN / name).read_text(encoding="utf-8")


def test_results_name_the_version_that_played_them() -> None:
    assert tournament_results().to_dict()["redouble"] == redouble.__version__


@pytest.mark.parametrize("name", PARSERS)
def test_a_file_reads_back_and_is_written_the_same(name: str) -> None:
    text = (GOLDEN / name).read_text(encoding="utf-8")
    found = PARSERS[name](text)
    assert written(found.to_dict()) == text
    assert PARSERS[name](written(found.to_dict())) == found


def test_what_is_read_back_equals_what_was_found() -> None:
    results = tournament_results()
    assert StoredTournament.parse(written(results.to_dict())) == results.stored()


def test_a_tournament_without_a_complete_deal_reads_back() -> None:
    none = replace(tournament_results(), standings=None).stored()
    assert (none.deals_complete, none.bots) == (0, ())
    assert StoredTournament.parse(written(none.to_dict())) == none


@pytest.mark.parametrize("name", PARSERS)
def test_a_truncated_file_is_refused(name: str) -> None:
    text = (GOLDEN / name).read_text(encoding="utf-8").rstrip()
    for end in range(0, len(text), 7):
        with pytest.raises(RedoubleError, match="not JSON"):
            PARSERS[name](text[:end])


@pytest.mark.parametrize("name", PARSERS)
def test_a_foreign_file_is_refused(name: str) -> None:
    other = next(each for each in PARSERS if each != name)
    with pytest.raises(RedoubleError, match="unknown key"):
        PARSERS[name]((GOLDEN / other).read_text(encoding="utf-8"))
    for text in ("", "[1]", "null", '{"a": 1, "a": 2}', "\ud800", "[" * 9000):
        with pytest.raises(RedoubleError, match=r"^these aren't the (results|findings) of a"):
            PARSERS[name](text)


def changed(data: Any, path: tuple[int | str, ...], value: object) -> Any:
    """Return data with another value at a path."""
    if not path:
        return value
    copy = data.copy()
    copy[path[0]] = changed(data[path[0]], path[1:], value)
    return copy


@pytest.mark.parametrize(
    ("name", "path", "value", "reason"),
    [
        ("arena.json", ("seats",), "2", "seats cannot be '2': give a whole number"),
        ("arena.json", ("deals",), 0, "deals cannot be 0: give at least 1"),
        ("arena.json", ("deals",), 2, "3 of 2 deals are complete"),
        ("arena.json", ("games",), 8, "8 games: 3 deals with 3 bots have 9"),
        ("arena.json", ("bots",), [], "0 bots for 3 complete deals"),
        ("arena.json", ("pairs",), [], "pairs needs 3 rows of 3"),
        ("arena.json", ("pairs", 1), [None], "pairs needs 3 rows of 3"),
        ("arena.json", ("bots", 0, "wins"), None, "bots[0].wins cannot be None: give a number"),
        ("arena.json", ("bots", 0, "utility"), {"mean": 1.0, "l": 1}, "'bots[0].utility.l'"),
        ("study.json", ("stopped",), 1, "stopped cannot be 1: give true or false"),
        ("study.json", ("settings",), [], "settings cannot be []: give at least 1 items"),
        ("study.json", ("settings", 0, "bots"), ["random"], "1 bots for 2 seats"),
        ("study.json", ("settings", 1, "moves", "histogram", "edges"), [1], "bars and 1 edges"),
        ("study.json", ("differences", 0, "p"), 1.5, "differences[0].p cannot be 1.5"),
    ],
)
def test_a_wrong_value_is_named(
    name: str, path: tuple[int | str, ...], value: object, reason: str
) -> None:
    data = json.loads((GOLDEN / name).read_text(encoding="utf-8"))
    with pytest.raises(RedoubleError) as refused:
        PARSERS[name](json.dumps(changed(data, path, value)))
    assert reason in str(refused.value)


def test_differences_need_two_settings() -> None:
    data = made()["study.json"]
    with pytest.raises(RedoubleError, match="differences need two settings"):
        StoredStudy.parse(json.dumps({**data, "settings": data["settings"][:1]}))


if __name__ == "__main__":
    for file, data in made().items():
        (GOLDEN / file).write_text(written(data), encoding="utf-8")
