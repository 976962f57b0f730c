"""Learn the weights of a game's linear policy, and write them into the game's folder.

    .venv/bin/python scripts/weights.py GAME [--seats 2,3] [--updates 900] [--seed 1] [--write]

For each number of seats the policy begins as the heuristic and improves in games against experts,
2,000 to an update: two to seven minutes of one core. Prints a line now and then; ``--write`` puts
the weights into the game's weights.json, in place of those for as many seats. The same arguments
find the same weights. redouble.lab.training.gradient says how it is done.
"""

from __future__ import annotations

import argparse
import json
import time

from redouble.bots.learned import FILE
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.lab.training.gradient import Gradient

EVERY = 100
"""Updates between two lines."""
GAMES_MEASURED = 40_000
UNIT = 100
"""Weights in files are whole hundredths."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", type=GAMES.__getitem__)
    parser.add_argument("--seats", type=lambda text: [int(one) for one in text.split(",")])
    parser.add_argument("--updates", type=int, default=900)
    parser.add_argument("--seed", default="1", help="a text that decides all chance")
    parser.add_argument("--write", action="store_true", help=f"into the game's {FILE}")
    wanted = parser.parse_args()
    game: Game = wanted.game
    for seats in wanted.seats or range(max(2, game.min_seats), game.max_seats + 1):
        found = learn(game, seats, wanted.updates, wanted.seed)
        if wanted.write:
            file = game.folder / FILE
            kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
            kept[str(seats)] = found
            lines = [f'"{n}": {json.dumps(kept[n])}' for n in sorted(kept, key=int)]
            file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def learn(game: Game, seats: int, updates: int, seed: str) -> dict[str, object]:
    """Return the entry of a number of seats."""
    begun = time.monotonic()
    gradient = Gradient(game, seats, seed)
    for update in range(updates):
        share = gradient.improve(update / updates)
        if update % EVERY == EVERY - 1:
            seconds = time.monotonic() - begun
            print(
                f"{game.name} {seats}: {update + 1} updates, {share:.1%}, {seconds:.0f} s",
                flush=True,
            )
    whole = (gradient.weights * UNIT).round()
    reached = gradient.measure(GAMES_MEASURED, whole)
    beats = f"{100 * reached.share:.1f} +- {100 * reached.error:.1f} %"
    print(f"{game.name} {seats}: beats {beats} of experts", flush=True)
    options = f"--seats {seats} --updates {updates} --seed {seed}"
    return {
        "command": f".venv/bin/python scripts/weights.py {game.name} {options} --write",
        "beats_experts": beats,
        "games": GAMES_MEASURED,
        "weights": whole.astype(int).tolist(),
    }


if __name__ == "__main__":
    main()
