"""Trying all laws, or some of them, on one game."""

from collections.abc import Collection

from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.testing.laws import LAWS, MAX_EFFORT, Law
from redouble.testing.settings import MAX_SPREAD, settings_of

__all__ = ["check_game", "laws_named"]


def check_game(
    game: Game | str, *, spread: int = 3, effort: int = 1, laws: Collection[str] | None = None
) -> None:
    """Try the laws on a game in many settings; return when it obeys all of them.

    ``game`` is a :class:`Game`, registered or not, or the name of an installed one. ``spread`` is
    the number of random combinations of options tried for each seat count, beside the defaults.
    ``effort`` multiplies how much is played. ``laws`` names the laws to try, by their function
    names or the beginnings of these (``["l3", "l4"]``; default: all).

    Raises :class:`LawBroken` at the first law that the game breaks. What the game itself raises is
    passed on with a note that says which law was tried in which setting. Raises
    :class:`RedoubleError` for arguments that make no sense.
    """
    if isinstance(game, str):
        game = GAMES[game]
    if not isinstance(game, Game):
        raise checks.wrong("game", game, "a Game or the name of one", InputError)
    checks.whole(spread, "spread", 0, MAX_SPREAD)
    checks.whole(effort, "effort", 1, MAX_EFFORT)
    chosen = LAWS if laws is None else laws_named(laws)
    for setting in settings_of(game, spread):
        for law in chosen:
            try:
                law(setting, effort)
            except Exception as error:
                error.add_note(f"law {law.__name__} on {setting}")
                raise


def laws_named(names: Collection[str]) -> tuple[Law, ...]:
    """Return the laws with these function names or first parts of names, such as ``l3``.

    Raises :class:`RedoubleError` when a name fits no law.
    """
    wanted = [names] if isinstance(names, str) else checks.texts(names, "laws")
    for name in wanted:
        if not any(_fits(law, name) for law in LAWS):
            known = ", ".join(law.__name__ for law in LAWS)
            raise InputError(f"there is no law {checks.quoted(name)}: choose from {known}")
    return tuple(law for law in LAWS if any(_fits(law, name) for name in wanted))


def _fits(law: Law, name: object) -> bool:
    return isinstance(name, str) and f"{law.__name__}_".startswith(f"{name.lower()}_")
