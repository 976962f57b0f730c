"""Games for TextArena: its turn-based interface for language models.

After the import every installed game has an id, ``redouble/NAME-vVERSION``, with the version of its
rules::

    import textarena
    import redouble.envs.peers.textarena
    env = textarena.make("redouble/NAME-v1")
    env.reset(num_players=3, seed=7)

A player reads the rules first, then before each of its moves what it has heard and sees. Answers
are shown only to the player who gave them, since they may tell its cards.
"""

from collections.abc import Mapping
from typing import Any

from redouble.contract.registry import GAMES
from redouble.envs.text import TextGame
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.extras import needs

with needs("redouble.envs.peers.textarena", "text"):
    import textarena as ta
    from textarena.envs.registration import ENV_REGISTRY, register_with_versions
    from textarena.wrappers import ActionFormattingWrapper, LLMObservationWrapper

__all__ = ["TextArenaEnv", "register_games"]


class TextArenaEnv(ta.Env):  # type: ignore[misc]  # TextArena ships no types
    """A game as an environment of TextArena.

    ``options`` are the game's. ``rules``, ``retries``, ``then`` and ``max_moves`` are those of
    :class:`~redouble.envs.text.TextGame`, and so are the rewards. Raises
    :class:`~redouble.kernel.errors.RedoubleError` if an argument can't be used.
    """

    def __init__(
        self,
        game: str,
        options: Mapping[str, Any] | None = None,
        rules: str = "brief",
        retries: int = 1,
        then: str = "forfeit",
        max_moves: int = 10_000,
    ) -> None:
        super().__init__()
        self._name = GAMES[checks.text(game, "game")].name
        self._options = options
        self._settings: dict[str, Any] = {"rules": rules, "retries": retries}
        self._settings |= {"then": then, "max_moves": max_moves}
        self._made(GAMES[self._name].usual_seats, None)

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Deal a new game; the same seed deals the same."""
        if seed is not None:
            seed = checks.whole(seed, "seed", 0)
        self.game = self._made(num_players, None if seed is None else str(seed))
        roles = dict(enumerate(self.game.names))
        self.state = ta.State(num_players=self.game.seats)
        self.state.standard_resets(
            game_state={},
            player_prompt_function=lambda player_id, game_state: (
                f"You are {self.game.names[player_id]}.\n\n{self.game.rules()}"
            ),
            role_mapping=roles,
        )
        self._ask()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Take the answer of the player whose turn it is.

        Returns whether the game is over, and what became of the answer. Raises
        :class:`~redouble.kernel.errors.InputError` if no game has begun or it is over.
        """
        game = self._begun()
        seat = self.state.current_player_id
        result = game.answer(action)
        kind = ta.ObservationType.PLAYER_ACTION
        self.state.add_observation(action, kind, from_id=seat, to_id=seat)
        self.state.game_info[seat]["turn_count"] = self.game.counts[seat].legal
        self.state.game_info[seat]["invalid_move"] = seat in self.game.forfeited
        self.state.step_info = {"move": result.move, "fault": result.fault}
        if self.game.turn is None:
            self._finish()
        else:
            self._ask()
        done, info = self.state.step()
        return bool(done), dict(info)

    def get_board_str(self) -> str:
        """Return the table as the player sees it whose turn it is, for renderers.

        Raises :class:`~redouble.kernel.errors.InputError` if no game has begun.
        """
        return self._begun().sight(self.state.current_player_id)

    def _begun(self) -> TextGame:
        if not hasattr(self, "game"):
            raise InputError("no game has begun: call reset() first")
        return self.game

    def _made(self, seats: int, seed: str | None) -> TextGame:
        names = [f"Player {seat}" for seat in range(checks.whole(seats, "num_players", 1))]
        return TextGame(self._name, names, seed, self._options, **self._settings)

    def _ask(self) -> None:
        seat = self.game.turn
        assert seat is not None
        self.state.current_player_id = seat
        kind = ta.ObservationType.GAME_BOARD
        self.state.add_observation(self.game.prompt(whole=False), kind, to_id=seat)

    def _finish(self) -> None:
        self.state.done = True
        self.state.rewards = dict(enumerate(self.game.rewards))
        for seat in range(self.game.seats):
            said = self.game.ending(seat)
            self.state.game_info[seat]["reason"] = said
            self.state.add_observation(said, ta.ObservationType.GAME_ADMIN, to_id=seat)


def register_games() -> None:
    """Register every installed game that isn't registered yet."""
    for game in GAMES.values():
        name = f"redouble/{game.name}-v{game.version}"
        if name not in ENV_REGISTRY:
            register_with_versions(
                name,
                "redouble.envs.peers.textarena:TextArenaEnv",
                {"default": [LLMObservationWrapper, ActionFormattingWrapper]},
                game=game.name,
            )


register_games()
