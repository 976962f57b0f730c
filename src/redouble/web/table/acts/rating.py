"""Whether a game is rated or casual, which is said before anybody sits down."""

from redouble.web.errors import NotYours, Stale
from redouble.web.table.acts.base import Act, Event, Sender
from redouble.web.table.parts import TABLE
from redouble.web.table.state import Table


class SetRated(Event):
    """The game changes the ratings of its players, or doesn't."""

    kind = "rated"

    rated: bool

    def change(self, table: Table) -> None:
        table.casual = not self.rated


class RatedGame(Act):
    """Rated or casual."""

    name, operation, summary = "rated", "set_rated", "Make a game rated or casual"
    about = "Only the host can, and only until somebody else has sat down."

    rated: bool
    """Whether the game changes ratings."""

    def events(self, table: Table, sender: Sender) -> list[Event]:
        sender.check_hosts()
        if not table.gathering:
            raise Stale("the game has begun: make the rematch at another table")
        if table.others(sender.id):
            raise NotYours("others have sat down for this game as it is: open another table")
        return set_rated(self.rated) if self.rated == table.casual else []


def set_rated(rated: bool) -> list[Event]:
    """Return what the log has of it."""
    return [SetRated(seat=TABLE, rated=rated)]
