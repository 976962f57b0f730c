"""OpenSpiel games: every installed game, with chance as a player.

Importing this module registers a game for each, such as ``redouble_NAME``, with OpenSpiel
(https://openspiel.readthedocs.io)::

    import pyspiel
    import redouble.envs.peers.openspiel
    game = pyspiel.load_game("redouble_NAME(players=2)")

Parameters are ``players``, ``deals``, ``seed``, ``max_moves`` and the game's options with
underscores for hyphens; items of lists and lines of decks are divided by ``;``. :func:`load` takes
the same as other environments do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from redouble.kernel.extras import needs

with needs("redouble.envs.peers.openspiel", "openspiel"):
    import numpy as np
    import pyspiel

from redouble.contract.game import Game
from redouble.contract.options import Data, Option, PerSeat
from redouble.contract.registry import GAMES
from redouble.envs.arrays.observation import observation
from redouble.envs.trees.tree import CHANCE, OVER, TreePoint, game_tree
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.state import SPECTATOR
from redouble.match import transcript

__all__ = ["load"]  # OpenSpiel makes the rest

MAX_DEALS = 1_000_000
MAX_MOVES = 10_000
"""Moves after which a game is cut off unless told otherwise; no random game comes near it."""
DIVIDER = ";"
COMMON: dict[str, Any] = {"deals": 0, "seed": "", "max_moves": MAX_MOVES}


def load(
    game: str,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    deals: int = 0,
    seed: str = "",
    max_moves: int = MAX_MOVES,
) -> Any:
    """Return a game of OpenSpiel.

    With ``deals``, it is a small game: chance makes one choice among that many deals, which
    ``seed`` names. After ``max_moves`` it ends as a tie. Raises
    :class:`~redouble.kernel.errors.RedoubleError` if an argument cannot be used.
    """
    played = GAMES[checks.text(game, "game")]
    players = played.usual_seats if seats is None else seats
    values = played.check_options(players, {} if options is None else options)
    checks.whole(deals, "deals", 0, MAX_DEALS)
    checks.whole(max_moves, "max_moves", 1, MAX_MOVES)
    parameters: dict[str, Any] = {
        "players": int(players),
        "deals": int(deals),
        "seed": _plain("seed", checks.text(seed, "seed")),
        "max_moves": int(max_moves),
    }
    for option in played.options:
        value = values[option.name]
        if value != option.default:
            if isinstance(value, list):
                value = DIVIDER.join(map(str, value))
            parameters[option.field] = _plain(option.name, value)
    return pyspiel.load_game(_short_name(played), parameters)


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel ships no types
    """A game as OpenSpiel asks for it. Each installed game is registered as a class of its own."""

    game: ClassVar[Game]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {} if params is None else dict(params)
        seats = given.get("players", self.game.usual_seats)
        options = {
            option.name: _read(option, given[option.field])
            for option in self.game.options
            if given.get(option.field, "") != ""
        }
        values = self.game.check_options(seats, options)
        self._tree = game_tree(
            self.game.name,
            seats,
            json.dumps(values),
            checks.whole(given.get("deals", 0), "deals", 0, MAX_DEALS),
            checks.text(given.get("seed", ""), "seed"),
            checks.whole(given.get("max_moves", MAX_MOVES), "max_moves", 1, MAX_MOVES),
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=self._tree.actions,
            max_chance_outcomes=self._tree.max_outcomes,
            num_players=seats,
            min_utility=0.0 if seats == 1 else -1.0,
            max_utility=1.0,
            utility_sum=None if seats == 1 else 0.0,
            max_game_length=self._tree.max_moves,
        )
        kept = {name: value for name, value in given.items() if value != ""}
        super().__init__(_type(self.game, seats, self._tree.remembers), info, kept)

    def new_initial_state(self) -> GameState:
        """Return the state before the deal."""
        return GameState(self, self._tree.start)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """Return what writes observations, or with perfect recall information states.

        Raises :class:`InputError` for parameters, and for a view of several hands at once.
        """
        if params:
            raise InputError(f"params cannot be {checks.quoted(params)}: there are none")
        usual = pyspiel.IIGObservationType(perfect_recall=False)
        return _Observer(self._tree, iig_obs_type or usual)

    def __reduce__(self) -> Any:
        return pyspiel.load_game, (str(self),)

    def max_chance_nodes_in_history(self) -> int:
        """Return 1 for a game of a number of deals. Raises :class:`InputError` for any other."""
        if self._tree.deals:
            return 1
        raise InputError("chance nodes have no bound: load the game with deals")


class GameState(pyspiel.State):  # type: ignore[misc]
    """A place in the tree of a game, where a player or chance is to move."""

    def __init__(self, game: SpielGame, point: TreePoint) -> None:
        super().__init__(game)
        self._point = point

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's number for chance or the end."""
        turn = self._point.turn
        if turn >= 0:
            return turn
        return int(pyspiel.PlayerId.CHANCE if turn == CHANCE else pyspiel.PlayerId.TERMINAL)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what chance can do with the probabilities; equal cards are one outcome."""
        return self._point.outcomes()

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._point.turn == OVER

    def returns(self) -> list[float]:
        """Return what each seat made of the game, as batches reward it; 0 before the end."""
        return self._point.returns()

    def resample_from_infostate(self, player_id: int, sampler: Callable[[], float]) -> GameState:
        """Return a state that a player can't tell from this one, dealt by ``determinize``.

        The others' memories begin with it, and so does its history; in a game of a number of deals
        both are complete. ``sampler`` gives random numbers from 0 to below 1. Raises
        :class:`InputError` at a chance node.
        """
        checks.whole(player_id, "player_id", 0, self._point.tree.seats - 1)
        game = self.get_game()
        point = self._point.resampled(player_id, sampler)
        if not point.tree.deals:
            return GameState(game, point)
        state: GameState = game.new_initial_state()
        for action in point.way():
            state.apply_action(action)
        return state

    def _legal_actions(self, player: int) -> list[int]:
        return self._point.legal()

    def _apply_action(self, action: int) -> None:
        self._point = self._point.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self._point.name(action)

    def __str__(self) -> str:
        point = self._point
        state = "" if point.node is None else transcript.whole(point.tree.game, point.node.state)
        pending = [point.action, point.answers, point.drawn] if point.event is not None else ""
        return f"{state} {pending}".strip()


class _Observer:
    """Writes what players see, or with perfect recall all that they have seen.

    Strings can also hold only what everyone sees, or only what a player sees beyond that. There is
    no tensor of these, nor of the memory of a long game.
    """

    def __init__(self, tree: Any, wanted: Any) -> None:
        hands = pyspiel.PrivateInfoType
        self._recall = wanted.perfect_recall
        self._public = wanted.private_info == hands.NONE
        self._private = not wanted.public_info
        if wanted.private_info == hands.ALL_PLAYERS or (
            self._private and (self._public or self._recall)
        ):
            raise InputError(
                "there is no such observation: ask for what everyone sees, for what one player "
                "sees, or without perfect recall for that player's secrets"
            )
        self.tensor: Any = None
        self.dict: dict[str, Any] = {}
        if self._public or self._private or (self._recall and not tree.remembers):
            return
        shape = (tree.max_moves + 1, tree.row_size) if self._recall else (tree.size,)
        name = "information_state" if self._recall else "observation"
        self.tensor = np.zeros(np.prod(shape), np.float32)
        self.dict[name] = self.tensor.reshape(shape)

    def set_from(self, state: GameState, player: int) -> None:
        """Write a player's tensor: zeros before the deal."""
        if self.tensor is None:
            raise InputError("there is no tensor of this kind: lower max_moves, or use the string")
        self.tensor.fill(0)
        point = state._point
        if point.node is None:
            return
        if self._recall:
            rows = point.rows(player)
            self.dict["information_state"][: len(rows)] = rows
        else:
            self.tensor[:] = observation(point.tree.game, point.node.state, player)

    def string_from(self, state: GameState, player: int) -> str:
        """Return what a player sees or has seen, as a text."""
        point = state._point
        seat = SPECTATOR if self._public else player
        if self._recall or point.node is None:
            return point.text(seat)
        tell = transcript.secrets if self._private else transcript.opening
        return tell(point.tree.game, point.node.state, seat)


def _short_name(game: Game) -> str:
    return f"redouble_{game.name.replace('-', '_')}"


def _type(game: Game, seats: int | None = None, remembers: bool = False) -> Any:
    """Return OpenSpiel's description of a game: for any number of players, or for this one."""
    parameters: dict[str, Any] = {"players": game.usual_seats, **COMMON}
    for option in game.options:  # a text stands for lists, and "" for none
        listed = isinstance(option, (Data, PerSeat))
        parameters[option.field] = "" if listed else option.default
    alone = (seats or game.max_seats) == 1
    utility = pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=_short_name(game),
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility.GENERAL_SUM if alone else utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.max_seats,
        min_num_players=game.min_seats,
        provides_information_state_string=True,
        provides_information_state_tensor=remembers,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=parameters,
    )


def _read(option: Option, value: Any) -> Any:
    if isinstance(option, Data):
        return [line.strip() for line in value.split(DIVIDER) if line.strip()]
    return value.split(DIVIDER) if isinstance(option, PerSeat) else value


def _plain(name: str, value: Any) -> Any:
    """Return a parameter. Raises InputError if OpenSpiel could not read it back from a text."""
    if isinstance(value, str) and set(value) & set("(),=\n"):
        raise InputError(f"{name} cannot be {checks.quoted(value)}: leave out ( ) , and =")
    return value


for _game in GAMES.values():
    # A class, because OpenSpiel lets go of it after Python's end, when nothing can be freed.
    pyspiel.register_game(_type(_game), type(_short_name(_game), (SpielGame,), {"game": _game}))
