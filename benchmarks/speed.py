"""Measure the speed of every game at every number of seats; print a JSON line for each.

    .venv/bin/python benchmarks/speed.py [--seconds 2] [--game NAME] [--write]

``--write`` updates results/speed.csv.
"""

from __future__ import annotations

import argparse
import json

from redouble.contract.registry import GAMES
from redouble.lab.bench import SpeedReport, machine, measure
from tables import millions, write

HEADS = (
    "game", "seats", "compiled, moves/s", "all cores", "interpreted", "playouts/s", "state",
    "cold", "warm",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--game", choices=list(GAMES))
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    print(json.dumps(machine()), flush=True)
    reports = []
    for name in [wanted.game] if wanted.game else GAMES:
        game = GAMES[name]
        for seats in range(game.min_seats, min(game.max_seats, 7) + 1):
            try:
                report = measure(game, seats, wanted.seconds)
            except ValueError:
                continue  # the default deck of 3UP 3DOWN is too small for seven
            print(json.dumps(report.to_dict()), flush=True)
            reports.append(report)
    if wanted.write:
        write("speed", HEADS, map(row, reports))


def row(report: SpeedReport) -> list[object]:
    return [
        report.game,
        report.seats,
        millions(report.compiled.moves_a_second),
        f"{millions(report.all_cores.moves_a_second)} on {report.threads}",
        millions(report.interpreted.moves_a_second),
        millions(report.compiled.games_a_second),
        f"{report.record_bytes} B",
        f"{report.cold_seconds:.1f} s",
        f"{report.warm_seconds:.2f} s",
    ]


if __name__ == "__main__":
    main()
