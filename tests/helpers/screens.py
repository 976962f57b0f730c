"""The screen at a decision, as tests draw it."""

from redouble.match.match import Match
from redouble.match.story import Story
from redouble.terminal.ask.prompt import Choices, asking
from redouble.terminal.draw.blocks import Block
from redouble.terminal.draw.cards import ROUND
from redouble.terminal.draw.table import TablePicture, draw
from tests.helpers.known import known

COLUMNS, ROWS = 80, 24


def drawn(match: Match, story: Story, columns: int = COLUMNS, rows: int = ROWS) -> Block:
    """The screen at the decision of the seat to move, but for the line it types on."""
    seat = known(match.turn)
    view = match.view(seat)
    choices = Choices.of(match, rows)
    below = asking(view.prompt, choices, columns)
    told = story.lines(seat, max(0, match.ply - match.seats))
    shown = TablePicture(match.game.title, view, story.names, seat, told, below)
    return draw(shown, ROUND, columns, rows - 1)


def text_of(block: Block) -> str:
    return "\n".join(line.plain for line in block)
