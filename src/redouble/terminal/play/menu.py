"""The menu: which game, how many players, which bots."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from redouble.bots import BOTS
from redouble.bots.levels import LEVEL_WORDS, LEVELS, USUAL_LEVEL
from redouble.contract.game import Game
from redouble.contract.options import written
from redouble.contract.registry import GAMES
from redouble.kernel.errors import OptionError, RedoubleError
from redouble.terminal.ask.pages import games_table, seats_span
from redouble.terminal.ask.screen import Screen
from redouble.terminal.play.setup import Setup

T = TypeVar("T")


def choose(screen: Screen, pace: float) -> Setup | None:
    """Ask what to play; return None if the person leaves. Raises :class:`InputEnded`."""
    found = GAMES
    screen.say("Redouble", "bold")
    screen.console.print(games_table(found))
    screen.say()
    game = _ask(screen, "Which game? A number or a name; q to leave", "1", _one_of(found))
    if game is None:
        return None
    options = game.as_played({})
    usual = Setup(game, game.usual_seats, 1, USUAL_LEVEL, options=options, pace=pace)
    screen.say(f"Play {_in_words(usual)}?")
    plays_now = _ask(screen, "Enter: play   c: change players or rules", "", _play_or_change)
    return usual if plays_now else _settings(screen, game, pace)


def _in_words(setup: Setup) -> str:
    """The default game in words, such as ``Double Down against 3 club bots``."""
    bots = setup.seat_count() - 1
    said = setup.game.title
    if bots:
        said += f" against {bots} {setup.bot} bot{'s' if bots > 1 else ''}"
    return said + (f" with {_texts(setup.options)}" if setup.options else "")


def _texts(options: Mapping[str, Any]) -> str:
    """Options as people type them, such as ``free-flip=yes``; ``none`` if there are none."""
    return " ".join(f"{name}={written(value)}" for name, value in options.items()) or "none"


def _play_or_change(text: str) -> bool:
    if text.lower() in ("c", "change"):
        return False
    if text.lower() in ("", "p", "play"):
        return True
    raise RedoubleError(f"{text!r} is not an answer: press Enter to play, or type c")


def _settings(screen: Screen, game: Game, pace: float) -> Setup:
    seats, people, bot = game.usual_seats, 1, USUAL_LEVEL
    names: list[str] = []
    if game.min_seats < game.max_seats:
        question = f"How many players, {seats_span(game)}?"
        seats = _ask(screen, question, str(seats), _number(game.min_seats, game.max_seats))
    if seats > 1:
        people = _ask(screen, "How many of them are people?", "1", _number(0, seats))
    if people < seats:
        for level, words in LEVEL_WORDS.items():
            screen.say(f"{level:>8}  {words}", style="dim")
        question = f"Level of the bots: {', '.join(LEVELS)}?"
        bot = _ask(screen, question, bot, lambda text: BOTS[text].name)
    if people == 1:
        names = _ask(screen, "Your name?", "Player", _names(1))
    elif people:
        usual = ", ".join(f"Player {n}" for n in range(1, people + 1))
        names = _ask(screen, f"The {people} names, separated by commas?", usual, _names(people))
    options: Mapping[str, Any] = {}
    if game.options:
        question = "Rule options, as name=value; ? lists them"
        usual = _texts(game.as_played({}))
        options = _ask(screen, question, usual, _options(game, seats))
    return Setup(game, seats, people, bot, names, options=options, pace=pace)


def _ask(screen: Screen, question: str, usual: str, read: Callable[[str], T]) -> T:
    """Ask until the answer makes sense; an empty answer means the default."""
    while True:
        default = f" [{usual}]" if usual else ""
        answer = screen.ask(f"{question}{default}: ") or usual
        try:
            return read(answer)
        except RedoubleError as error:
            for line in str(error).splitlines():
                screen.print(screen.wrapped(line))


def _one_of(found: Mapping[str, Game]) -> Callable[[str], Game | None]:
    def read(text: str) -> Game | None:
        if text.lower() in ("q", "quit", "exit"):
            return None
        names = list(found)
        if text.isdecimal() and 1 <= int(text) <= len(names):
            return found[names[int(text) - 1]]
        word = text.lower().replace(" ", "-")
        fitting = [name for name in names if name.startswith(word)]
        fitting += [name for name, game in found.items() if game.title.lower() == text.lower()]
        if word in names or len(set(fitting)) == 1:
            return found[word if word in names else fitting[0]]
        raise RedoubleError(f"there is no game {text!r}: type a number from 1 to {len(names)}")

    return read


def _number(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise RedoubleError(f"{text!r} does not work: type a number from {low} to {high}")
        return int(text)

    return read


def _names(number: int) -> Callable[[str], list[str]]:
    def read(text: str) -> list[str]:
        names = [name.strip() for name in text.split(",")]
        if len(names) != number or not all(names):
            wanted = "one name" if number == 1 else f"{number} names, separated by commas"
            raise RedoubleError(f"{text!r} does not work: type {wanted}")
        return names

    return read


def _options(game: Game, seats: int) -> Callable[[str], dict[str, Any]]:
    def read(text: str) -> dict[str, Any]:
        if text == "?":
            raise OptionError("\n".join(f"  {o.name:<14} {o.meaning}" for o in game.options))
        given = {} if text.lower() == "none" else game.as_played(game.read_options(text.split()))
        game.check_options(seats, given)
        return given

    return read
