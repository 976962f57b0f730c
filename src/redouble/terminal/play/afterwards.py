"""Game after game at one terminal, and what is offered after each."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from redouble.kernel.errors import RedoubleError
from redouble.match.match import Match
from redouble.match.record import Note
from redouble.terminal.ask.screen import InputEnded, Screen, telling
from redouble.terminal.play.session import Session
from redouble.terminal.play.setup import Setup
from redouble.terminal.play.unfinished import Keeper
from redouble.terminal.study.review import as_text, reviewed
from redouble.terminal.study.solving import losing_move

SAVE_TO = "Save to which file? y: choose a name for me   Enter: don't save > "


def play_games(
    setup: Setup,
    screen: Screen,
    match: Match | None = None,
    saved_to: Path | None = None,
    notes: Sequence[Note] = (),
    keeper: Keeper | None = None,
) -> None:
    """Play, and on a live screen offer to play again.

    ``match``, ``saved_to`` and ``notes`` are those of a saved game to continue, which a ``keeper``
    may have already. At a terminal each game is kept until it has ended or its player has left it.
    """
    while True:
        session = setup.session(match or setup.start(), screen)
        session.saved_to, session.notes = saved_to, notes
        ended = _play_kept(setup, session, keeper or Keeper())
        keeper = None
        if not ended or not screen.live:
            return
        try:
            if not _wants_another(session, screen):
                return
        except InputEnded:
            return
        setup = replace(setup, seed=None, deck=None)  # another deal
        match, saved_to, notes = None, None, ()


def _play_kept(setup: Setup, session: Session, keeper: Keeper) -> bool:
    """Play to the end; return whether it was reached. What cuts it off leaves the game kept."""
    if session.screen.typing:
        session.changed = lambda: keeper.keep(setup, session)
    try:
        ended = session.play()
    except KeyboardInterrupt:
        if not session.cut_off:
            keeper.discard()
        raise
    if not session.cut_off:
        keeper.discard()
    return ended


def _wants_another(session: Session, screen: Screen) -> bool:
    """Offer what can be done after a game until the person leaves or wants another."""
    outcome = session.match.outcome
    solved = session.match.solver is not None and outcome and not outcome.won[0]
    offers = {"a": "play again", "r": "review", "s": "save"}
    offers |= {"w": "where did I lose it?"} if solved else {}
    offers |= {"Enter": "leave"}
    while True:
        listed = "   ".join(f"{key}: {what}" for key, what in offers.items())
        answer = screen.ask(f"{listed} > ").lower()
        if answer in ("a", "again", "play again"):
            return True
        if answer in ("", "q", "quit", "exit", "leave"):
            return False
        if answer in ("r", "review"):
            _show_review(session, screen)
        elif solved and answer in ("w", "where"):
            with telling("Solving..."):
                said = losing_move(session.match)
            screen.print(screen.wrapped(said))
        elif answer in ("s", "save"):
            if session.offer_save(SAVE_TO):
                offers.pop("s", None)
        else:
            screen.say(f"There is no choice {answer!r} here.")


def _show_review(session: Session, screen: Screen) -> None:
    try:
        match = session.match
        as_text(match, reviewed(match, screen), screen, players=session.people)
    except RedoubleError as error:
        screen.print(screen.wrapped(f"No review: {error}."))
    except KeyboardInterrupt:
        screen.say("\nReview stopped.")
