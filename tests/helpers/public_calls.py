"""Throws wrong shapes, types and ranges at the public callables of modules.

``python -m tests.helpers.public_calls`` is run by test_public_calls.py. It reads the name of a
module and a folder to work in from each line, and makes the module's calls in a process forked for
it, so that an abort or a hang is noticed. That process writes each call before making it, and the
failures at the end; then the exit status is written.

Nothing is listed here: callables are found by walking the ``__all__`` of the public modules, and
arguments are made from their annotations. An annotation that is not known gets hostile values only.
"""

import contextlib
import faulthandler
import importlib
import inspect
import os
import sys
import traceback
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import islice
from random import Random
from time import perf_counter
from typing import Any

import numpy as np

import redouble
from redouble import GAMES, Match, Record, RedoubleError
from redouble.bots.search.network import SparseNetwork, stored_network
from redouble.contract.game import Game
from redouble.kernel.state import State
from redouble.lab.arena.entrants import Entrant, entrant
from redouble.lab.arena.intervals import Estimate
from redouble.lab.arena.sequential import BotComparison
from redouble.lab.arena.tournament import Tournament
from redouble.lab.models import EvaluationPlan
from redouble.lab.selfplay import Samples, SelfPlay, SelfPlayJob, self_play
from redouble.lab.shards import Executor, Shard, Threads
from redouble.lab.studies.figures import Difference, Findings, Portrait, StudyFigure, findings
from redouble.lab.studies.plan import Axis, StudyPlan, StudySetting, other_setting, setting
from redouble.lab.studies.run import StudyOutcome, carry_out
from redouble.lab.studies.sweep import StudyTable, sweep
from redouble.testing import Setting
from tests.helpers.places import modules_with

APPLICATIONS = {"commands", "games", "terminal", "web"}
"""Packages without a library: programs, and rules, which are compiled and so check nothing."""
RULES = {
    *(f"redouble.kernel.{name}" for name in ("kinds", "moments", "piles", "primitives", "shares")),
    *(f"redouble.kernel.rng.{name}" for name in ("below", "erase", "reseed")),
    "redouble.contract.placeholders",
}
"""Modules and functions that are compiled together with rules and check nothing."""
UNCALLED = {
    "redouble.kernel.backend": "what it has is called where it comes from",
    "redouble.lab.cluster": "it needs a cluster",
}
"""Public modules whose callables are not called here, and why."""
ONLY_WRONG = {
    "redouble.lab.bench.measure": "it starts processes that compile everything from scratch"
}
"""Callables that are never called with good arguments only, and why."""
EXAMPLES = 30
"""Calls of each callable."""
SECONDS = 1.5
"""Seconds for one callable, after which it gets only bad arguments."""
SECONDS_IN_ALL = 4 * SECONDS
"""Seconds after which the callable is not called again."""
DUNDERS = ("__call__", "__contains__", "__eq__", "__getitem__", "__iter__", "__len__", "__repr__")
"""Special methods that are called like any other where a class of the package defines them."""


def public_modules() -> list[str]:
    """Return the modules of the library that say what is public and check their arguments."""
    return [
        name
        for name in modules_with("\n__all__")
        if name not in {*RULES, *UNCALLED} and f"{name}.".split(".")[1] not in APPLICATIONS
    ]


# Callables


def callables(module_name: str) -> Iterator[tuple[str, Callable[..., Any], Any]]:
    """Yield the name, the callable and, for a method, the class or instance it is looked up on."""
    module = importlib.import_module(module_name)
    for name in module.__all__:
        value = getattr(module, name)
        where = f"{module_name}.{name}"
        if where in RULES:
            continue
        if isinstance(value, type):
            if not _is_ours(value):
                continue
            if issubclass(value, BaseException):
                continue
            if not _is_abstract(value):
                yield where, value, None
            yield from _methods(where, value, value)
        elif inspect.isroutine(value):
            yield where, value, None
        elif _is_ours(type(value)):
            yield from _methods(where, type(value), value)


def _methods(where: str, cls: type, owner: Any) -> Iterator[tuple[str, Callable[..., Any], Any]]:
    for name in dir(cls):
        attribute = inspect.getattr_static(cls, name)
        defined = next(base for base in cls.__mro__ if name in vars(base))
        if (name.startswith("_") and name not in DUNDERS) or not _is_ours(defined):
            continue
        if isinstance(attribute, (classmethod, staticmethod)):
            yield f"{where}.{name}", getattr(cls, name), None
        elif isinstance(attribute, property) and attribute.fget:
            yield f"{where}.{name}", attribute.fget, owner
        elif inspect.isfunction(attribute):
            yield f"{where}.{name}", attribute, owner


def _is_ours(cls: type) -> bool:
    return cls.__module__.split(".")[0] == "redouble"


def _is_abstract(cls: type) -> bool:
    return inspect.isabstract(cls) or getattr(cls, "_is_protocol", False)


# Good values, by type


@cache
def _matches() -> list[Match]:
    start = redouble.new("double-down", seats=2, seed="start", ages=[11, 30])
    middle = redouble.new("double-down", seats=3, seed="middle", ages=[11, 30, 40])
    for _ in range(5):
        middle.push(middle.legal_moves[0])
    alone = redouble.new("double-or-quits", seed="alone")
    over = redouble.new("double-or-quits", seed="over")
    while over.turn is not None:
        over.push(over.legal_moves[0])
    return [start, middle, alone, over]


@cache
def _study() -> StudyOutcome:
    first = setting(GAMES["double-down"], 2, {}, "random")
    plan = StudyPlan((first, other_setting(first, 3, None, {})), 20, "study", ("greedy", "novice"))
    return carry_out(plan, Threads(1), lambda done, of: None)


@cache
def _selfplay() -> SelfPlay:
    return self_play("double-down", games=2, seats=2, executor=Threads(1))


def _rule(x: int) -> int:
    return x + 1


def _answer(prompt: str) -> str:
    return prompt[-9:]


def _watch(*numbers: int) -> bool:
    return True


def _samples(cls: type) -> list[Any]:
    """Return values of a class, made anew: a call may change them."""
    matches = [match.copy() for match in _matches()]
    made: dict[type, Callable[[], list[Any]]] = {
        Match: lambda: matches,
        Game: lambda: [GAMES["double-down"], GAMES["double-or-quits"]],
        Record: lambda: [match.record() for match in matches],
        redouble.LegalMoves: lambda: [match.legal_moves for match in matches],
        redouble.Observation: lambda: [match.observation() for match in matches[:3]],
        redouble.Outcome: lambda: [matches[3].outcome],
        redouble.View: lambda: [match.view(0) for match in matches],
        State: lambda: [match.state for match in matches],
        Entrant: lambda: [entrant("greedy"), entrant("random")],
        Tournament: lambda: [
            Tournament(GAMES["double-down"], [entrant("greedy"), entrant("random")], 2)
        ],
        BotComparison: lambda: [
            BotComparison("A", "B", "not clear", 5.0, 3, Estimate(0.0, -90.0, 90.0), "", ())
        ],
        StudySetting: lambda: [setting(GAMES["double-down"], 2, {}, "greedy")],
        StudyPlan: lambda: [
            StudyPlan((setting(GAMES["double-down"], 2, {}, "greedy"),), 2, "study"),
            StudyPlan((setting(GAMES["double-down"], 2, {}, "greedy,random"),), 2, "study"),
        ],
        StudyOutcome: lambda: [_study()],
        Findings: lambda: [findings(_study())],
        Portrait: lambda: list(findings(_study()).portraits),
        StudyFigure: lambda: list(findings(_study()).portraits[0].figures),
        Difference: lambda: list(findings(_study()).differences),
        EvaluationPlan: lambda: [
            EvaluationPlan("double-down", 2, deals, opponents="novice", endings=deals > 1)
            for deals in (1, 2)
        ],
        Axis: lambda: [Axis("seats", (2, 3)), Axis("bots", ("novice",))],
        StudyTable: lambda: [
            sweep(StudyPlan(_study().plan.settings[:1], 20, "x"), [Axis("seats", (2,))], Threads(1))
        ],
        SelfPlayJob: lambda: [_selfplay().job],
        SelfPlay: lambda: [_selfplay()],
        Samples: lambda: [_selfplay().samples()],
        Shard: lambda: [Shard("main", 0, 2)],
        SparseNetwork: lambda: [stored_network(GAMES["double-down"], 2)],
        Threads: lambda: [Threads(1)],
        Executor: lambda: [Threads(1)],
        Setting: lambda: [Setting(GAMES["double-or-quits"], 1), Setting(GAMES["double-down"], 2)],
    }
    if cls in made:
        return made[cls]()
    if issubclass(cls, Enum):
        return list(cls)
    if getattr(cls, "_is_protocol", False):
        return []
    games = [game for game in GAMES.values() if game.name != "three-up"]
    return [option for game in games for option in game.options if isinstance(option, cls)]


WORDS = [
    *("double-down", "double-or-quits", "greedy", "novice", "Ada", "seed", "easy", "10", "flip"),
    str(_matches()[1].record()),
]
NUMBERS = [0, 1, 2, 3, 5]
COSTS: dict[str, Sequence[Any]] = {
    **dict.fromkeys(("deals", "decisions", "games", "iterations", "playouts"), range(4)),
    **dict.fromkeys(("effort", "spread", "threads", "worlds"), range(3)),
    **dict.fromkeys(
        ("limit", "max_cards", "max_children", "max_moves", "max_positions"), (1, 5, 1000)
    ),
    "seconds": (0.0, 0.001, 0.01),
    "laws": (["l6"], "l6", ["a_position_is_small"], []),
}
"""Parameters that say how much is done: they are always given, and small or wrong."""


def good(annotation: Any, dice: Random) -> Any:
    """Return a value that an argument of this type may have."""
    origin = typing.get_origin(annotation)
    inner: tuple[Any, ...] = typing.get_args(annotation)
    if annotation in (None, type(None)):
        return None
    if annotation in (Any, object, inspect.Parameter.empty):
        return dice.choice([dice.choice(NUMBERS), dice.choice(WORDS), [0, 1]])
    if origin is typing.Annotated:
        return good(inner[0], dice)
    if origin is typing.Literal:
        return dice.choice(inner)
    if origin in (typing.Union, types.UnionType):
        return good(dice.choice(inner), dice)
    simple: dict[Any, list[Any]] = {
        bool: [False, True],
        int: NUMBERS,
        float: [0.0, 0.1, 0.5, 1.0],
        str: WORDS,
    }
    if annotation in simple:
        return dice.choice(simple[annotation])
    if origin is tuple and inner and inner[-1] is not Ellipsis:
        return tuple(good(part, dice) for part in inner)
    if origin in (list, tuple, Sequence, Iterable):
        row = [good(inner[0], dice) for _ in range(dice.randrange(5))]
        return tuple(row) if origin is tuple else row
    if origin in (set, frozenset):
        return frozenset(good(inner[0], dice) for _ in range(dice.randrange(3)))
    if origin in (dict, Mapping):
        return {good(inner[0], dice): good(inner[1], dice) for _ in range(dice.randrange(3))}
    if origin is Callable:
        takes = inner[0] if inner else ...
        if takes == [str]:
            return _answer
        return _rule if takes is ... or len(takes) == 1 else _watch
    if origin is type:
        return type(_matches()[0].state)
    cls = origin or annotation
    if isinstance(cls, typing.TypeVar):
        return good(cls.__bound__ or Any, dice)
    if not isinstance(cls, type) or not _is_ours(cls):
        return hostile(dice)
    return _instance(cls, dice)


_returned: dict[type, list[Any]] = {}
"""Values that earlier calls returned: the best instances for the methods of their classes."""
_refusals: dict[type, int] = {}
"""Classes of which no instance could be made, and how often in a row."""


def _keep(result: Any) -> None:
    for value in result[:3] if isinstance(result, (list, tuple)) else [result]:
        kept = _returned.setdefault(type(value), [])
        if _is_ours(type(value)) and len(kept) < 5:
            kept.append(value)


def _instance(cls: type, dice: Any) -> Any:
    """Return a value of the class: a sample, one returned by a call, or one made."""
    if found := _samples(cls) or _returned.get(cls):
        return dice.choice(found)
    if _is_abstract(cls):
        kinds = [kind for kind in _subclasses(cls) if not _is_abstract(kind)]
        return _instance(dice.choice(kinds), dice) if kinds else None
    if issubclass(cls, BaseException) or _refusals.get(cls, 0) >= 3:
        return None
    made = _made(cls, dice)
    _refusals[cls] = 0 if made is not None else _refusals.get(cls, 0) + 1
    return made


def _subclasses(cls: type) -> list[type]:
    return cls.__subclasses__()


def _made(cls: type, dice: Any) -> Any:
    """Return an instance made with arguments of the right types; None if all were refused."""
    for _ in range(20):
        given = {
            name: good(annotation, dice)
            for name, (annotation, needed) in arguments(cls).items()
            if needed
        }
        with contextlib.suppress(RedoubleError):
            return cls(**given)
    return None


# Bad values


class Awkward:
    """A foreign class that cannot be shown, compared or counted."""

    def __repr__(self) -> str:
        raise RuntimeError("it has no repr")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("it cannot be compared")

    __hash__ = object.__hash__


HOSTILE = (
    *(None, True, -1, -2, 7, 99, 2**31, 2**63, 2**64, 10**30, -(10**30), 10**5000),
    *(0.5, -1.0, 2.0, 1e300, float("nan"), float("inf"), float("-inf"), 1j),
    *("", " ", "x", "0", "\0", "\ud800", "٣", "x" * 5000, "{0}", "../..", "/dev/zero", b"x"),
)
COSTLY = (7, 99, 2**31, 0.5, 2.0)
"""Hostile numbers that could ask for much work and be right."""
CALLABLES: tuple[Callable[[], Any], ...] = (lambda: int, lambda: _rule)
MADE: tuple[Callable[[], Any], ...] = (
    object,
    Awkward,
    lambda: iter([1, 2]),
    lambda: range(10**12),
    *CALLABLES,
    lambda: redouble,
    lambda: slice(None, None, 0),
    lambda: _matches()[0].copy(),
    lambda: _matches()[0].state,
    lambda: type(_matches()[0].state)(),
    lambda: GAMES["double-decker"],
    lambda: bytearray(b"x"),
    lambda: memoryview(b"xx"),
    lambda: np.zeros((2, 3)),
)


def hostile(dice: Random, costly: bool = True, callables: bool = True) -> Any:
    """Return a value that hardly any argument may have."""
    plain = HOSTILE if costly else [value for value in HOSTILE if value not in COSTLY]

    def row(most: int) -> list[Any]:
        return dice.choices(plain, k=dice.randrange(most + 1))

    match dice.randrange(7):
        case 0 | 1:
            return dice.choice(plain)
        case 2:
            return row(5)
        case 3:
            return dice.choice([tuple, set])(row(3))
        case 4:
            return {dice.choice(["a", "rules", 1, None]): value for value in row(2)}
        case 5:
            return [row(3) for _ in range(dice.randrange(4))]
        case _:
            made = MADE if callables else [make for make in MADE if make not in CALLABLES]
            return dice.choice(made)()


def wrong(annotation: Any, name: str, dice: Random) -> Any:
    """Return a hostile value, but none that asks for much work and is right.

    A function that is called back may raise what it likes, so no other is given in its place.
    """
    return hostile(dice, costly=name not in COSTS, callables="Callable" not in str(annotation))


# Calls


def arguments(function: Callable[..., Any]) -> dict[str, tuple[Any, bool]]:
    """Return the annotation of each parameter, and whether it must be given."""
    target: Any = function
    if isinstance(function, type):
        target = inspect.getattr_static(function, "__init__")
    try:
        hints = typing.get_type_hints(target)
    except NameError:
        hints = {}
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self" or parameter.kind is parameter.VAR_POSITIONAL:
            continue
        kind = parameter.kind is parameter.VAR_KEYWORD
        needed = parameter.default is parameter.empty and not kind
        found[name] = (hints.get(name, Any), needed)
    return found


def call(
    parameters: dict[str, tuple[Any, bool]], only_wrong: bool, dice: Random
) -> tuple[dict[str, Any], bool]:
    """Return keyword arguments: all good, one bad, or all bad; and whether any is bad."""
    names = list(parameters)
    ways = [[], *([name] for name in names), *([name] for name in names), names]
    bad = names if only_wrong else dice.choice(ways)
    given: dict[str, Any] = {}
    for name, (annotation, needed) in parameters.items():
        if name in bad:
            given[name] = wrong(annotation, name, dice)
        elif name in COSTS:
            given[name] = dice.choice(COSTS[name])
        elif needed or dice.random() < 0.5:
            given[name] = good(annotation, dice)
    return given, bool(bad)


def attempt(
    name: str, function: Callable[..., Any], owner: Any, given: dict[str, Any], bad: bool, dice: Any
) -> None:
    """Make one call: it gives a value, or a RedoubleError that changes nothing.

    What a class of plain data holds is its maker's affair: methods are called on instances that
    were made with good arguments.
    """
    print("CALL", name, _shown(given), flush=True)
    before: tuple[Any, ...] = ()
    subject: tuple[Any, ...] = ()
    if owner is not None:
        instance = _instance(owner, dice) if isinstance(owner, type) else owner
        if instance is None:
            return
        subject = (instance,)
        before = _snapshot(instance)
    signature = inspect.signature(function).parameters
    positional, rest = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_KEYWORD
    first = [value for key, value in given.items() if signature[key].kind is positional]
    keywords = {
        "anything" if signature[key].kind is rest else key: value
        for key, value in given.items()
        if signature[key].kind is not positional
    }
    refused = ""
    try:
        result = function(*subject, *first, **keywords)
        found = list(islice(result, 3)) if isinstance(result, Iterator) else result
        if not bad or not isinstance(function, type):
            _keep(found)
    except RedoubleError as error:
        refused = str(error) or "nothing"
    if refused:
        assert refused != "nothing", "the error says nothing"
        refused.encode()  # the message can be printed
        assert not subject or _snapshot(subject[0]) == before, "the refused call changed it"


def _snapshot(instance: Any) -> tuple[Any, ...]:
    if isinstance(instance, Match):
        return instance.names, instance.seed, instance.deck, instance.moves, instance.state
    return ()


def _shown(given: Mapping[str, Any]) -> str:
    def one(value: Any) -> str:
        try:
            text = repr(value)
        except Exception:  # some of the values passed cannot be shown
            text = f"<{type(value).__name__}>"
        return text if len(text) < 200 else f"{text[:200]}…"

    shown = ", ".join(f"{name}={one(value)}" for name, value in given.items())
    return shown.encode("ascii", "backslashreplace").decode().replace("\n", " ")


def throw(name: str, function: Callable[..., Any], owner: Any) -> None:
    """Make the calls of one callable; raise what is wrong with one of them."""
    dice, spent = Random(name), 0.0
    parameters = arguments(function)
    for _ in range(EXAMPLES if parameters else 3):
        given, bad = call(parameters, name in ONLY_WRONG, dice)
        if spent < SECONDS or (bad and spent < SECONDS_IN_ALL):
            begun = perf_counter()
            attempt(name, function, owner, given, bad, dice)
            spent += perf_counter() - begun


def call_all(module: str) -> int:
    """Make the calls of a module; return how many of its callables failed."""
    failed = 0
    # Methods last: what the functions return are the instances that they are called on.
    found = sorted(callables(module), key=lambda each: each[2] is not None)
    for name, function, owner in found:
        print("NEXT", name, flush=True)
        try:
            throw(name, function, owner)
        except BaseException:
            failed += 1
            print(f"FAILED {name}", flush=True)
            traceback.print_exc()
    print("DONE", flush=True)
    return failed


def main() -> None:
    faulthandler.enable()
    for line in sys.stdin:
        module, _, folder = line.rstrip("\n").partition(" ")
        if not (child := os.fork()):
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.chdir(folder)
            sys.exit(1 if call_all(module) else 0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(f"\nEXIT {status}", flush=True)


if __name__ == "__main__":
    main()
