"""What players say to each other: reactions, phrases and chat, and how often."""

from __future__ import annotations

from typing import NamedTuple

from redouble.web.errors import WebError

REACTIONS = {
    "smile": ("Smile", "{name} smiles."),
    "laugh": ("Laugh", "{name} laughs."),
    "wow": ("Wow", "{name} is amazed."),
    "sad": ("Sad", "{name} is sad."),
    "heart": ("Heart", "{name} sends a heart."),
    "thumb": ("Thumbs up", "{name} gives a thumbs up."),
}
"""Each reaction by its drawing's name: its button, and what screen readers say of a player."""
SHOWN_SECONDS = 6.0
"""How long a reaction is shown at the plate of the player who sent it."""
REACTION_BURST, REACTION_SECONDS = 3, 10.0
"""A person sends at most ``REACTION_BURST`` reactions in ``REACTION_SECONDS`` seconds."""
PHRASES = ("Well played!", "Thanks!", "Sorry!", "One moment.", "Your turn.")
"""Lines of chat that are sent by one tap."""
CHAT_LENGTH = 200
"""Characters in a line of chat."""
CHAT_BURST, CHAT_SECONDS = 5, 10.0
"""A person writes at most ``CHAT_BURST`` lines of chat in ``CHAT_SECONDS`` seconds."""
OPEN_CHAT, PUBLIC_CHAT, NO_CHAT = "open", "5-seconds", "off"
CHATS: dict[str, int | None] = {OPEN_CHAT: 0, PUBLIC_CHAT: 5, "30-seconds": 30, NO_CHAT: None}
"""The seconds between two lines of chat of one person that a host can choose; None without chat."""


class Reaction(NamedTuple):
    """What a player shows to the others for a moment."""

    ply: int
    seat: int
    look: str
    """One of ``REACTIONS``."""
    at: float
    """When it was sent, in seconds since 1970."""

    def shown(self, now: float) -> bool:
        """Return whether pages show it now."""
        return 0 <= now - self.at < SHOWN_SECONDS

    def words(self, name: str) -> str:
        """Return the sentence about a player."""
        return REACTIONS[self.look][1].format(name=name)


def check_chat(chat: str) -> None:
    """Raise :class:`WebError` unless a host can choose this."""
    if chat not in CHATS:
        raise WebError(f"chat {chat!r} is unknown: use one of {', '.join(CHATS)}")


def wait_for(times: tuple[float, ...], burst: int, seconds: float, now: float) -> float:
    """Return how long somebody waits who did something at ``times``; 0 if they needn't.

    What seems to come later doesn't count: the clock has been set back.
    """
    recent = [at for at in times if at <= now][-burst:]
    return max(0.0, seconds - (now - recent[0])) if len(recent) == burst else 0.0
