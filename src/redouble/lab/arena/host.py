"""The program that a file's bot runs in: ``python -m redouble.lab.arena.host FILE NAME``.

It reads a question on each line, a position as the bot's seat knows it, and answers with an action.
The bot cannot write to that channel: what it prints goes to standard error.
"""

import importlib.util
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.kernel.rng import Generator
from redouble.kernel.state import State
from redouble.match.match import Observation, SeenMove


def question(observation: Observation, rng: Generator) -> dict[str, Any]:
    """Return the question to a bot as plain JSON, with the redacted states."""

    def fields(state: State) -> dict[str, Any]:
        return {field.name: getattr(state, field.name) for field in state.FIELDS}

    return {
        "game": observation.game.name,
        "seat": observation.seat,
        "state": fields(observation.state),
        "legal": list(observation.legal),
        "past": [[fields(move.state), move.action] for move in observation.past],
        "rng": rng,
    }


def read_question(data: dict[str, Any]) -> tuple[Observation, Generator]:
    """Return the observation and generator of a :func:`question`.

    It is not checked: it comes from the tournament's own process. Pydantic would nearly double the
    start of this program, which happens for every seat of every game.
    """
    game = GAMES[data["game"]]
    state, legal = _position(game, data["state"]), tuple(data["legal"])
    past = tuple(SeenMove(_position(game, fields), action) for fields, action in data["past"])
    return Observation(game, data["seat"], state, legal, past), data["rng"]


def _position(game: Game, fields: dict[str, Any]) -> Any:
    state = game.rules.Position()
    for name, value in fields.items():
        setattr(state, name, value)
    return state


def load(file: str, name: str) -> Any:
    """Return the bot of a file: the object with this name, or an instance if it is a class.

    ``.`` is the file itself. Raises :class:`RedoubleError` if the bot has no ``choose``.
    """
    sys.path.insert(0, str(Path(file).parent))
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    if spec is None or spec.loader is None:
        raise RedoubleError(f"{file} isn't a valid Python file: give a .py file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    bot = module if name == "." else getattr(module, name)
    if isinstance(bot, type):
        bot = bot()
    if not callable(getattr(bot, "choose", None)):
        raise RedoubleError(f"{name} has no method choose(observation, rng)")
    return bot


def serve(bot: Any, questions: Iterable[str], answers: TextIO) -> None:
    for line in questions:
        action = bot.choose(*read_question(json.loads(line)))
        print(json.dumps({"action": int(action)}), file=answers, flush=True)


def main() -> None:
    """Serve a bot, reserving standard input and output for questions and answers."""
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    try:
        bot = load(sys.argv[1], sys.argv[2])
    except RedoubleError as error:
        sys.exit(str(error))
    serve(bot, questions, answers)


if __name__ == "__main__":
    main()
