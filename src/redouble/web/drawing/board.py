"""The board: the part of a table's page that changes during play.

Everyone with the same :class:`Viewpoint` gets the same board, drawn once, from the view of that
seat and from nothing else. :mod:`redouble.web.drawing.markup.board` draws it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from redouble.analysis.finish import can_finish
from redouble.contract.moments import Headline
from redouble.contract.outcome import Ending
from redouble.contract.page.html import Html
from redouble.contract.page.scene import BoardScene
from redouble.kernel.state import SPECTATOR
from redouble.match.guide import guide_of
from redouble.match.match import Moment
from redouble.match.story import YOU, called, ending_in_words, headlines_since
from redouble.web.drawing.scene import scene_of
from redouble.web.errors import NotYourSeat
from redouble.web.live.live import Live, Slot
from redouble.web.people.people import Person
from redouble.web.table import Table
from redouble.web.table.acts.checks import can_agree, can_withdraw
from redouble.web.table.acts.undo import can_undo
from redouble.web.table.state import MAX_LINES, HeardLine, LogLine
from redouble.web.table.talk import Message, Reaction
from redouble.web.table.verdict import bots_at_end
from redouble.web.thinking.hints import TableHint

LOG_LINES = 24
"""Lines of the log beside a board."""
MAX_SINCE = 10
"""Moves in the summary of what happened; those with moments come first."""


@dataclass(frozen=True)
class Viewpoint:
    """Whose view a page shows.

    ``seat`` is the seat that the page acts for, or SPECTATOR. ``curtain`` is another seat on the
    same device: its player has to take the device before the page shows hidden cards.
    """

    seat: int
    curtain: int | None = None
    own: tuple[int, ...] = ()
    """The viewer's seats, if several play on this device."""
    guide: int = 0
    """Whether the game's tutorial is offered: 1, or 0 if it isn't."""
    wants: bool = False
    """Whether the viewer, a spectator, wants a seat in the next game."""

    @property
    def shared(self) -> bool:
        """Whether several seats play on this device."""
        return bool(self.own)

    @property
    def acting(self) -> bool:
        """Whether the page acts for a seat."""
        return self.seat >= 0 and self.curtain is None

    @property
    def eyes(self) -> int:
        return SPECTATOR if self.curtain is not None else self.seat


def viewpoint(
    table: Table, person: Person | None, seat: int | None = None, guide: int = 0
) -> Viewpoint:
    """Return the viewpoint of a person, at the ``seat`` of theirs that they ask for.

    ``guide`` offers the tutorial, if the game has one.
    Raises :class:`NotYourSeat` if the seat isn't theirs.
    """
    offered = guide > 0 and bool(guide_of(table.game).steps)
    return replace(_eyes(table, person, seat), guide=int(offered))


def _eyes(table: Table, person: Person | None, seat: int | None) -> Viewpoint:
    mine = table.seats_of(person.id if person else None)
    if seat is not None and seat != SPECTATOR and seat not in mine:
        raise NotYourSeat("that seat isn't yours: you can only watch")
    if not mine:
        return Viewpoint(SPECTATOR, wants=person is not None and person.id in table.next.wants)
    if len(mine) == 1:
        return Viewpoint(mine[0])
    turn = table.turn
    chosen = SPECTATOR if seat is None else seat
    hand_to = turn if turn in mine and turn != chosen else None
    return Viewpoint(chosen, hand_to, tuple(mine))


@dataclass(frozen=True)
class Happened:
    """A move in the summary of what happened since the viewer's own last one."""

    seat: int
    words: str
    """The move; empty for the viewer's own, of which only the moments are shown."""
    headlines: tuple[Headline, ...]
    """What there was to see in the middle of it."""


def since_own_move(table: Table, point: Viewpoint) -> list[Happened]:
    """Return what happened since the viewer's last move, for pages that didn't show it.

    Empty for spectators, and while the game isn't being played.
    """
    if point.eyes == SPECTATOR or table.waiting or table.over:
        return []
    own = (ply for ply in reversed(range(table.match.ply)) if table.movers[ply] == point.eyes)
    first = next(own, 0)
    told = {line.moves: line.words for line in _lines_to(table, point) if line.move}
    heard = headlines_since(table.match, table.match.names, point.eyes, first)
    moves = [
        Happened(seat, "" if seat == point.eyes else told.get(ply, ""), headlines)
        for ply, (seat, headlines) in enumerate(
            zip(table.movers[first:], heard, strict=True), first
        )
    ]
    kept = [i for i, one in enumerate(moves) if one.headlines][-MAX_SINCE:]
    others = [i for i, one in enumerate(moves) if one.words and not one.headlines]
    room = MAX_SINCE - len(kept)
    kept += others[-room:] if room else []
    return [moves[i] for i in sorted(kept)]


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the buttons of a page offer to its viewer."""

    hint: bool = False
    host: bool = False
    """To let others in and out."""
    fill: bool = False
    """To call friends or bots for open seats."""
    skip: bool = False
    """To skip to the end of a game that only bots still play."""
    undo: bool = False
    redo: bool = False
    finish: bool = False
    """To let a won solitaire game finish."""
    rematch: bool = False
    share: bool = False
    chat: bool = False
    answer: bool = False
    """To agree to an undo or refuse it."""
    withdraw: bool = False
    """To no longer ask for one."""
    end_pause: bool = False
    answer_pause: bool = False
    withdraw_pause: bool = False


@dataclass(frozen=True)
class Board:
    """What a page shows of a table to one viewer."""

    live: Live
    point: Viewpoint
    scene: BoardScene
    can: Abilities
    lines: list[HeardLine]
    """The latest lines of the log, as the viewer reads them."""
    turn: int | None
    """Whose turn it is at the table; None while the game isn't being played."""
    over: bool
    """Whether no more moves will be made at the table."""
    moment: Moment | None = None
    """With a moment the board is as it was in the middle of the last move."""
    hint: TableHint | None = None
    """A hint for this position and this viewer."""
    endings: tuple[Html, ...] = ()
    """What features show at the end of the game."""
    ending: Ending | None = None
    """What decided the game, once it is over."""
    guided: bool = False
    """Whether the tutorial is offered; not while a hint takes its place."""
    undo_asked: bool = False
    """Whether the viewer is asked if they want to undo at a cost."""
    away: tuple[int, ...] = ()
    """The seats of people who aren't here."""
    since: Sequence[Happened] = ()
    """What happened since the viewer's own last move, if the page may not have shown it."""
    reactions: Sequence[Reaction] = ()
    """What other players and the viewer show now."""
    wait_to_say: int = 0
    """The seconds until the viewer can write in the chat again."""
    now: float = 0.0
    """When the page is drawn, in seconds since 1970, for what its clock shows without a script."""

    @property
    def table(self) -> Table:
        return self.live.table

    @property
    def until(self) -> float | None:
        """When the time of the player to move runs out; None without a running clock."""
        clocks = self.table.clocks
        if not clocks.control or self.over or self.moment is not None:
            return None
        return clocks.turn and clocks.turn.until

    @property
    def acting(self) -> bool:
        """Whether the page acts for a seat."""
        return self.point.acting

    @property
    def waits(self) -> bool:
        """Whether the page shows who has come to the table, and nothing of the game yet."""
        return self.table.waiting and not self.over

    @property
    def bots_offered(self) -> bool:
        """Whether the viewer can let bots take the open seats of a public table."""
        table, mine = self.table, {self.point.seat, *self.point.own}
        wanted = self.live.offers_bots or bool(table.want_bots)
        asked = not table.asks_about_bots or mine & table.asks_about_bots
        return table.for_anyone and wanted and self.can.fill and bool(asked)

    @property
    def to_move(self) -> bool:
        """Whether the viewer is to move."""
        seat, seats = self.point.seat, self.table.seats
        free = self.moment is None and not self.live.finishing
        return self.acting and self.turn == seat and not seats[seat].bot and free

    @property
    def only_move(self) -> str:
        """The viewer's only move, for the page to play if its viewer wants that; empty otherwise.

        Where other people play they would notice that there was no choice, nothing moves before a
        tutorial, and after an undo the page would make the same move again.
        """
        table, moves = self.table, self.scene.moves
        free = self.to_move and not (self.point.guide or table.undone.moves or self.undo_asked)
        return moves[0] if free and table.one_player and len(moves) == 1 else ""

    @property
    def asked_to_join(self) -> bool:
        """Whether the viewer is asked to join the next game, which another player wants."""
        table, seat = self.table, self.point.seat
        heard = table.next.by not in self.muted
        here = self.acting and heard and seat != table.next.by and seat not in table.next.later
        return bool(table.next.token) and not table.alone and (here or self.point.wants)

    @property
    def ended(self) -> bool:
        """Whether the page shows the end of the game."""
        return self.over and self.moment is None

    @property
    def headline(self) -> str:
        """How the game ended, for the viewer."""
        return "This table was closed" if self.table.closed else headline(self.scene, self.table)

    @property
    def celebrated(self) -> bool:
        """Whether the end is one to celebrate: not for a player who hasn't won."""
        outcome, mine = self.scene.outcome, self.scene.mine
        if outcome is None:
            return False
        if mine:
            return bool(outcome["won"][mine.seat]) and mine.seat not in bots_at_end(self.table)
        return any(outcome["won"])

    @property
    def solvable(self) -> bool:
        """Whether a solver can say how the game is won."""
        return self.table.match.solver is not None

    @property
    def chat(self) -> list[Message]:
        """The chat as the viewer sees it."""
        return self.live.chat(self.point.seat)

    @property
    def muted(self) -> frozenset[int]:
        """The seats that the viewer has muted."""
        return self.live.muted(self.point.seat)


_STANDINGS = Slot[None, tuple[int | None, bool]]()
"""The seat to move, and whether the game is over."""
_ABILITIES = Slot[Viewpoint, Abilities]()
_LINES = Slot[Viewpoint, list[HeardLine]]()


def board_of(
    live: Live,
    point: Viewpoint,
    hint: TableHint | None = None,
    endings: tuple[Html, ...] = (),
    moment: Moment | None = None,
    since: Sequence[Happened] = (),
    moments_before: int = 0,
) -> Board:
    """Return what a page shows; with a ``moment``, the middle of the last move.

    A ``hint`` is shown only for its position and the seat whose turn it is.
    """
    table, now = live.table, live.now()
    turn, ended = live.drawn.kept(_STANDINGS, None, lambda: (table.turn, table.over))
    scene = table_scene(live, point, moment)
    reactions = live.reactions(point.seat)
    for one in reactions:
        scene.places[one.seat].reaction = one.look, one.ply
    if hint is not None and (hint.at != table.last_move or point.seat != turn):
        hint = None
    playing = turn is not None
    guided = bool(point.guide) and point.curtain is None and playing and moment is None and not hint
    scene.hint = hint.advice.move if hint else ""
    over = table.over_by_rules and moment is None
    # Nobody has to take a shared device while no card is dealt.
    seat = point.own[0] if point.own and table.gathering else point.seat
    person = table.seats[seat].person if seat >= 0 else None
    can = live.drawn.kept(_ABILITIES, point, lambda: abilities(live, point, person))
    lines = live.drawn.kept(_LINES, point, lambda: _lines_to(table, point, LOG_LINES))
    if moment is not None and lines[-1].move:
        lines = [*lines[:-1], lines[-1].up_to(moments_before)]
    return Board(
        live=live,
        point=point,
        scene=scene,
        can=can,
        lines=lines,
        turn=turn,
        over=ended,
        moment=moment,
        hint=hint,
        endings=endings,
        ending=ending_in_words(table.match, table.match.names, point.eyes) if over else None,
        guided=guided,
        undo_asked=can.undo and moment is None and live.asks_about_undo(person),
        away=tuple(place.seat for place in scene.places if place.away and not place.bot),
        since=since,
        reactions=reactions,
        wait_to_say=math.ceil(table.talk.seconds_to_say(person, now)) if person else 0,
        now=now,
    )


def headline(scene: BoardScene, table: Table) -> str:
    """Return how the game ended for its viewer: ``You win!``, ``Ada and Ben share first place``.

    No bot wins for anybody.
    """
    if scene.outcome is None:
        return "This game was abandoned"
    if len(scene.places) == 1 and not scene.outcome["won"][0]:
        reason: str = scene.outcome["reason"]
        return f"{reason[:1].upper()}{reason[1:]}"
    first = [place for place in scene.placing if place.rank == 1]
    bots = bots_at_end(table)
    names = [YOU] * any(place.me and place.seat not in bots for place in first)
    for place in first:
        if place.seat in bots:
            names.append("Your bot" if place.me else f"{place.name}'s bot")
        elif not place.me:
            names.append(place.name)
    if len(names) == 1:
        return "You win!" if names == [YOU] else f"{names[0]} wins"
    return f"{', '.join(names[:-1])} and {names[-1]} share first place"


def table_scene(live: Live, point: Viewpoint, moment: Moment | None = None) -> BoardScene:
    """Return the scene of a table; when the game is over, with all cards face up.

    With a ``moment``, return the scene as it was then.
    """
    table = live.table
    eyes = None if table.over_by_rules else point.eyes
    playable = table.turn is not None and table.turn == point.eyes
    playable = playable and not table.seats[point.eyes].bot and moment is None
    playable = playable and not live.finishing
    match = table.match
    view = table.view(eyes) if moment is None else moment.view
    you = SPECTATOR if point.shared and table.over else point.eyes
    scene = scene_of(view, called(match.names, you), playable, match.describe)
    scene.eyes = point.eyes
    for place, seat in zip(scene.places, table.seats, strict=True):
        place.bot, place.open = seat.bot, seat.open
        place.stand_in, place.resigned = seat.stand_in, seat.resigned
        place.away = live.away(place.seat)
        place.letter = seat.name[:1].upper()
        place.me = place.seat == point.seat
        place.motif = live.motifs.get(seat.person or "", "")
        place.turn = place.seat == view.turn and not table.waiting
    return scene


def abilities(live: Live, point: Viewpoint, person: str | None) -> Abilities:
    """Return what the page's buttons offer to a person."""
    if person is None:
        return Abilities()
    table, mine = live.table, live.table.seats[point.seat]
    over, turn, free = table.over, table.turn, not live.finishing
    request, pause = table.undone.request, table.pause.request
    pauses = not over and bool(table.clocks.control) and not mine.bot and mine.person == person
    return Abilities(
        hint=turn == point.seat and not mine.bot and not table.header.compares and free,
        host=not over and live.host() == person,
        fill=table.gathering,
        skip=not table.waiting and table.only_bots_play(),
        undo=can_undo(table, person),
        redo=table.alone and bool(table.undone.moves) and not over and free,
        finish=table.alone
        and turn is not None
        and not mine.bot
        and free
        and can_finish(table.match),
        rematch=over and not (table.header.evening and not table.header.deals_left),
        share=table.over_by_rules,
        chat=sum(bool(seat.person) for seat in table.seats) > 1 and not point.shared,
        answer=not mine.bot and can_agree(table, request, person),
        withdraw=not mine.bot and can_withdraw(table, request, person),
        end_pause=pauses and table.pause.begun,
        answer_pause=pauses and can_agree(table, pause, person),
        withdraw_pause=pauses and can_withdraw(table, pause, person),
    )


def lines_for(table: Table, eyes: int, number: int = MAX_LINES) -> list[HeardLine]:
    """Return the latest lines of the log in the words for one seat, with everyone's names."""
    return [line.heard(eyes) for line in _latest(table, number)]


def _lines_to(table: Table, point: Viewpoint, number: int = MAX_LINES) -> list[HeardLine]:
    """Return the latest lines in the words for a page's viewer; alone, they have no subject."""
    you = "" if table.alone or point.eyes < 0 else table.match.names[point.eyes]
    return [line.heard(point.eyes, you) for line in _latest(table, number)]


def _latest(table: Table, number: int) -> Iterator[LogLine]:
    return islice(table.lines, max(0, len(table.lines) - number), None)
