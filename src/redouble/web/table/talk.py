"""What players say to each other: reactions, phrases and chat, and how often."""

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from redouble.match.story import called, move_in_words
from redouble.web.errors import WebError
from redouble.web.table.parts import Copyable

MAX_MESSAGES = 30
"""Lines of chat that a table's pages can show."""

REACTIONS = {
    "smile": ("Smile", "smiles"),
    "laugh": ("Laugh", "laughs"),
    "wow": ("Wow", "is amazed"),
    "sad": ("Sad", "is sad"),
    "heart": ("Heart", "sends a heart"),
    "thumb": ("Thumbs up", "gives a thumbs up"),
}
"""Each reaction by its drawing's name: its button, and what a player does for screen readers."""
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

    def words(self, names: tuple[str, ...], reader: int) -> str:
        """Return the sentence about a player, as a reader reads it."""
        does = move_in_words(REACTIONS[self.look][1], names, self.seat, reader)
        return f"{called(names, reader)[self.seat]} {does}."


class Message(NamedTuple):
    """A line of chat."""

    ply: int
    seat: int
    text: str


@dataclass
class Talk(Copyable):
    """What was said at a table."""

    mode: str
    """How often a person writes in the chat: one of ``CHATS``."""
    chat: deque[Message] = field(default_factory=lambda: deque(maxlen=MAX_MESSAGES))
    chat_times: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """By person: when they last wrote in the chat, also at a seat that they have left since."""
    reactions: dict[int, Reaction] = field(default_factory=dict)
    """By seat: its last reaction."""
    reaction_times: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """By person: when they last sent reactions."""

    @property
    def pause(self) -> int | None:
        """The seconds between two lines of chat of one person; None if nobody writes."""
        return CHATS[self.mode]

    def reacting(self, now: float) -> list[Reaction]:
        """Return the reactions that are shown now."""
        return [one for one in self.reactions.values() if one.shown(now)]

    def seconds_to_say(self, person: str, now: float) -> float:
        """Return how long a person waits until they can write in the chat; 0 if they needn't."""
        times = self.chat_times.get(person)
        if not times:
            return 0.0
        pause = wait_for(times, 1, self.pause or 0, now)
        return max(pause, wait_for(times, CHAT_BURST, CHAT_SECONDS, now))

    def seconds_to_react(self, person: str, now: float) -> float:
        """Return how long a person waits until they can send a reaction; 0 if they needn't."""
        times = self.reaction_times.get(person, ())
        return wait_for(times, REACTION_BURST, REACTION_SECONDS, now)

    def forget(self, seat: int) -> None:
        """Drop what was said at a seat: the next person there didn't say it."""
        self.chat = deque((said for said in self.chat if said.seat != seat), maxlen=MAX_MESSAGES)
        self.reactions.pop(seat, None)


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
