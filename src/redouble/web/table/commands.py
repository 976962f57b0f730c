"""What people and bots can do at a table.

Each command checks whether it is allowed and returns the events to log, without changing the
table. It raises a ``RedoubleError`` that says what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from redouble.bots import BOTS
from redouble.kernel.checks import either
from redouble.kernel.errors import IllegalMove, RecordError
from redouble.match.fair import check_digits, digest
from redouble.match.match import listed
from redouble.match.story import midsentence
from redouble.web.errors import NotYours, Stale, TooLarge, TooMuch, WebError
from redouble.web.table import events
from redouble.web.table.clocks import TimeControl
from redouble.web.table.events import TABLE, Event
from redouble.web.table.pace import check_pace
from redouble.web.table.rest import known_zone
from redouble.web.table.state import Table
from redouble.web.table.talk import (
    CHAT_LENGTH,
    REACTION_BURST,
    REACTION_SECONDS,
    REACTIONS,
    check_chat,
    wait_for,
)
from redouble.web.table.wordlist import WORDS

MOVES_LISTED = 12
"""Legal moves that the refusal of an illegal one names."""
MOVES_IN_WORDS = 6
"""Legal moves that it puts into words, which are longer."""


def move(table: Table, seat: int, move: str, ply: int) -> list[Event]:
    """Make a move on a page that showed the first ``ply`` entries of the log.

    Returns no event when this move was already made from there: the request was sent twice.
    Raises :class:`Stale` when the position is no longer the one on the page, :class:`NotYours` and
    :class:`IllegalMove`.
    """
    if ply < table.last_move:
        if any(made.matches(seat, move, ply) for made in table.made):
            return []
        _check_running(table)
        raise Stale(
            "the position has changed since you loaded this page: look again",
            f"ply {ply} is outdated: the last move is newer",
        )
    if ply > table.ply:
        raise Stale(
            f"the table has {table.ply} entries, not yet {ply}: reload it",
            f"ply {ply} is too high: the table is at {table.ply}",
        )
    _check_running(table)
    if table.match.turn != seat:
        raise NotYours(f"it is {table.seats[_on_turn(table)].name}'s turn, not yours")
    _check_no_bot(table, seat)
    action = table.match.legal_moves.action(move)
    if action is None:
        raise _not_legal(table, move)
    return [events.Move(seat=seat, move=table.match.legal_moves.name(action))]


def bot_move(table: Table, action: int) -> list[Event]:
    """Make the move of the bot whose turn it is."""
    return [events.Move(seat=_on_turn(table), move=table.match.legal_moves.name(action))]


def undo(table: Table, person: str, step: bool = True) -> list[Event]:
    """Undo to the person's last move, or ask the others to agree to it.

    Without ``step``, undo forced moves with the decision before them.
    """
    if table.header.compares:
        raise WebError("a deal that others play, too, is played without undo")
    keep = table.undo_to(person, step)
    if keep is None:
        raise WebError("you have no decision to undo")
    seat = table.movers[keep]
    if table.alone or not table.others(person):
        hindsight = not table.alone and table.match.learned(seat, keep)
        return [events.Undo(seat=seat, keep=keep, hindsight=hindsight)]
    if table.undo_request is not None:
        raise Stale("a player has already asked to undo: answer that first")
    return [events.AskUndo(seat=seat, keep=keep)]


def undo_costs(table: Table, person: str, step: bool = True) -> bool:
    """Return whether the game would no longer count once the person has undone."""
    if table.hindsight:
        return False
    return any(isinstance(one, events.Undo) and one.hindsight for one in undo(table, person, step))


def redo(table: Table, person: str, step: bool = True) -> list[Event]:
    """Make the move again that was undone last. Only in a solitaire game.

    Without ``step``, make the forced moves after it, too.
    """
    _check_running(table)
    if not table.alone or not table.undone:
        raise WebError("there is no move to redo")
    seat = _on_turn(table)
    if table.seats[seat].person != person:
        raise NotYours("this isn't your game")
    _check_no_bot(table, seat)
    again, match = [events.Redo(seat=seat, move=table.undone[-1])], table.match.copy()
    for move in reversed(table.undone[:-1]):
        match.push(again[-1].move)
        if step or len(match.legal_moves) > 1:
            break
        again.append(events.Redo(seat=seat, move=move))
    return [*again]


def answer(table: Table, person: str, agree: bool) -> list[Event]:
    """Agree to an undo or refuse it; when everyone has agreed, the moves are undone."""
    request = table.undo_request
    if request is None:
        raise Stale("the undo request is gone: look again")
    mine = table.people().get(person)
    if not mine:
        raise NotYours("only players can answer")
    asker = table.seats[request.seat].person
    if not agree:
        return [events.RefuseUndo(seat=mine[0])]
    if person == asker:
        raise NotYours("the other players have to agree; you can withdraw your request")
    if person in request.agreed:
        raise Stale("you have already agreed: wait for the others")
    agreed: list[Event] = [events.AgreeToUndo(seat=mine[0])]
    if table.others(asker) <= request.agreed | {person}:
        agreed.append(events.Undo(seat=request.seat, keep=request.keep))
    return agreed


def resign(table: Table, person: str, level: str) -> list[Event]:
    """Give up: a bot of this level plays the person's seats to the end."""
    if table.over:
        raise WebError("the game is over")
    if table.gathering:
        raise WebError("the game hasn't begun: leave the table instead")
    BOTS[level]
    mine = [i for i in table.seats_of(person) if not table.seats[i].resigned]
    if not mine:
        raise NotYours("you aren't playing here")
    return [events.Resign(seat=seat, level=level) for seat in mine]


def time_out(table: Table, now: float, action: int | None = None) -> list[Event]:
    """Note that the time of the player to move has run out, at ``now`` in seconds since 1970.

    ``action`` is the bot's move, where it makes this one. Raises :class:`Stale` if there is time.
    """
    turn, control = table.clocks.turn, table.clocks.control
    if turn is None or turn.until is None or now < turn.until:
        raise Stale("nobody's time has run out")
    out = events.TimeOut(seat=turn.seat, then=control.then, level=control.level)
    return [out] if action is None else [out, *bot_move(table, action)]


def ask_for_pause(table: Table, person: str) -> list[Event]:
    """Ask the other players for a pause; alone among bots, a player pauses at once."""
    _check_running(table)
    if not table.clocks.control:
        raise WebError("this table has no clock: take the time you need")
    if table.pause_request is not None:
        raise Stale("a player has already asked for a pause: answer that first")
    return [events.AskPause(seat=_playing(table, person))]


def agree_to_pause(table: Table, person: str) -> list[Event]:
    """Agree to a pause. It begins when all players have agreed."""
    request, seat = table.pause_request, _playing(table, person)
    if request is None:
        raise Stale("nobody asks for a pause any more: look again")
    if person == table.seats[request.seat].person:
        raise NotYours("the other players have to agree; you can withdraw your request")
    if person in request.agreed:
        raise Stale("you have already agreed: wait for the others")
    return [events.AgreeToPause(seat=seat)]


def end_pause(table: Table, person: str) -> list[Event]:
    """End the pause, or refuse or withdraw the request for one."""
    if table.over or not (table.paused or table.pause_request):
        raise Stale("there is no pause any more: look again")
    return [events.EndPause(seat=_playing(table, person))]


def leave(table: Table, person: str) -> list[Event]:
    """Leave a table that still waits: the person's seats are open again."""
    if not table.gathering:
        raise WebError("the game has begun: resign, or let a bot play for you")
    return [events.Leave(seat=seat) for seat in _mine(table, person)]


def free(table: Table, person: str, seat: int, hosting: bool) -> list[Event]:
    """Free a seat at a table that still waits, as its host."""
    if not table.gathering:
        raise WebError("the game has begun: let a bot play for a player who is away")
    _check_seat(table, seat)
    _check_hosting(hosting)
    if table.seats[seat].open:
        raise Stale("that seat is free already")
    if table.seats[seat].person == person:
        raise WebError("this seat is yours: leave the table instead")
    return [events.Free(seat=seat)]


def claim(table: Table, person: str, seat: int) -> list[Event]:
    """Say that a seat is the person's own, taken in another browser. The host has to agree."""
    _check_seat(table, seat)
    name = table.seats[seat].name
    if table.seats_of(person):
        raise WebError("you already have a seat at this table")
    if table.over or table.header.compares:
        raise Stale("nobody plays here any more")
    if table.seats[seat].person is None or table.seats[seat].resigned:
        raise WebError(f"nobody plays as {name}: take an open seat")
    if table.claims.get(seat) == person:
        return []
    _check_claimable(table)
    if (seat, person) in table.denied:
        raise NotYours(f"the host says that you aren't {name}")
    if seat in table.claims:
        raise Stale(f"another browser asks to play as {name}: wait for the host's answer")
    if person in table.claims.values():
        raise Stale("you have asked for another seat: wait for the host's answer")
    return [events.Claim(seat=seat, person=person)]


def admit(
    table: Table, seat: int, hosting: bool, absent: Collection[int], agree: bool
) -> list[Event]:
    """Let the person who has claimed a seat have it, or don't, as the host.

    During a game the seat has to be empty: nobody looks at another player's cards.
    """
    _check_seat(table, seat)
    _check_hosting(hosting)
    if seat not in table.claims:
        raise Stale("nobody asks for this seat any more: look again")
    if not agree:
        return [events.Deny(seat=seat)]
    _check_claimable(table)
    if not table.gathering and seat not in absent:
        raise NotYours(
            f"{table.seats[seat].name} has this table open in the first browser: close it there, "
            "and agree half a minute later"
        )
    return [events.Admit(seat=seat, person=table.claims[seat])]


def sit(
    table: Table,
    person: str,
    name: str,
    seat: int | None = None,
    share: str = "",
    promise: str = "",
    zone: str = "",
) -> list[Event]:
    """Take an open seat, by default the first. Raises :class:`Stale` when it is taken.

    If the deal waits for shares, a player can give a share at once or promise one. The time
    ``zone`` is noted where nights or weekends are off.
    """
    if table.seats_of(person):
        raise WebError("you already have a seat at this table")
    WORDS.check_name(name)
    if table.closed:
        raise WebError("this table was closed: start another one")
    free = [i for i, one in enumerate(table.seats) if one.open]
    if not free:
        raise Stale("every seat at this table is taken; you can watch")
    if seat is None:
        seat = free[0]
    if seat not in free:
        raise Stale("that seat is taken: choose another")
    sits = events.Sit(seat=seat, person=person, name=table.unique_name(name, seat))
    # First, so that the clock that starts when the last seat is taken runs in its zone.
    zoned = in_zone(table.clocks.control, seat, person, zone)
    return [*zoned, sits] if table.dealt else [*zoned, sits, *part_in_deal(seat, share, promise)]


def in_zone(control: TimeControl, seat: int, person: str, zone: str) -> list[Event]:
    """Note the time zone of a seat, where nights or weekends are off."""
    known = known_zone(zone) if control.rest else ""
    return [events.SetZone(seat=seat, person=person, zone=known)] if known else []


def part_in_deal(seat: int, share: str, promise: str) -> list[Event]:
    """Give a share of a fair deal at once, or promise one. Raises :class:`WebError`."""
    if promise:
        return [events.PromiseShare(seat=seat, promise=checked_digits(promise, "promise"))]
    if share:
        return [events.GiveShare(seat=seat, share=checked_digits(share, "share"))]
    return []


def reveal(table: Table, person: str, share: str) -> list[Event]:
    """Reveal the share that a person has promised. Doing it twice changes nothing.

    Raises :class:`Stale` before all seats are taken: those who come later mustn't know it.
    """
    share = checked_digits(share, "share")
    promise = digest(share)
    for seat in _mine(table, person):
        promised = table.shares.get(seat)
        if promised is not None and promised.promise == promise:
            if table.owes_share(seat):
                return [events.GiveShare(seat=seat, share=share)]
            if table.gathering:
                raise Stale("keep your share until every seat is taken")
            return []
    raise WebError("this isn't the share that you promised")


def deal(table: Table) -> list[Event]:
    """Deal the cards now, without the shares that haven't been revealed in time."""
    return [events.Deal(seat=TABLE)] if table.dealing else []


def checked_digits(text: str, what: str) -> str:
    """Return 64 hexadecimal digits. Raises :class:`WebError` for anything else."""
    try:
        return check_digits(text, f"the {what}")
    except RecordError as error:
        raise WebError(str(error)) from None


def hand_over(
    table: Table, person: str, seat: int, level: str, absent: Collection[int]
) -> list[Event]:
    """Let a bot play a seat: an open one, one of the ``absent`` ones, or the person's own."""
    BOTS[level]
    _check_seat(table, seat)
    if table.header.daily:
        raise WebError("no bot can play a daily deal for you: continue later, or give up")
    if table.header.evening and table.seats[seat].person == person:
        raise WebError("no bot can play this deal for you: continue later, or give up")
    if table.over:
        raise WebError("the game is over")
    if not table.seats_of(person) and person != table.header.host:
        raise NotYours("only players can give a seat to a bot")
    if table.seats[seat].bot:
        raise Stale(f"a bot already plays for {table.seats[seat].name}")
    if table.seats[seat].person not in (None, person) and seat not in absent:
        raise NotYours(f"{table.seats[seat].name} is here and plays this seat")
    if table.seats[seat].person not in (None, person) and table.waits_for_the_absent:
        raise NotYours(f"{table.seats[seat].name} still has time: the clock decides")
    return [events.HandOver(seat=seat, level=level)]


def back(table: Table, person: str) -> list[Event]:
    """Take back the seats that bots play for a person."""
    mine = [i for i in _mine(table, person) if table.seats[i].stand_in]
    if not mine or table.over:
        raise Stale("no bot plays for you")
    return [events.Return(seat=seat) for seat in mine]


def say(table: Table, person: str, seat: int, text: str, now: float) -> list[Event]:
    """Write a line of chat. ``now`` is in seconds since 1970."""
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not text:
        raise WebError("the message is empty: type something")
    if len(text) > CHAT_LENGTH:
        raise TooLarge(f"the message is too long: at most {CHAT_LENGTH} characters")
    check_owner(table, person, seat)
    WORDS.check_line(text)
    if table.chat_pause is None:
        raise WebError("the host has turned the chat off: send a reaction instead")
    if (wait := math.ceil(table.seconds_to_say(person, now))) > 0:
        raise TooMuch(f"one line after the other: you can write again in {wait} s", wait)
    return [events.Say(seat=seat, person=person, text=text)]


def react(table: Table, person: str, seat: int, reaction: str, now: float) -> list[Event]:
    """Show the others a reaction. ``now`` is in seconds since 1970."""
    if reaction not in REACTIONS:
        raise WebError(f"reaction {reaction!r} is unknown: use one of {', '.join(REACTIONS)}")
    check_owner(table, person, seat)
    times = table.reaction_times.get(person, ())
    if (wait := math.ceil(wait_for(times, REACTION_BURST, REACTION_SECONDS, now))) > 0:
        raise TooMuch(f"so many reactions: you can send another one in {wait} s", wait)
    return [events.React(seat=seat, person=person, reaction=reaction)]


def set_chat(table: Table, chat: str, hosting: bool) -> list[Event]:
    """Decide, as the host, how often a person can write in the chat."""
    check_chat(chat)
    _check_hosting(hosting)
    return [events.SetChat(seat=TABLE, chat=chat)] if chat != table.chat_mode else []


def mute(table: Table, pairs: Collection[tuple[str, str]]) -> list[Event]:
    """Let people hear nothing of others: each pair is a person, and who isn't heard by them."""
    return [
        events.Mute(seat=seat, person=person, other=other)
        for person, muted in sorted(pairs)
        for seat in table.seats_of(person)
        for other in table.seats_of(muted)
        if other not in table.muted.get(seat, ())
    ]


def unmute(table: Table, person: str, muted: str) -> list[Event]:
    """Let a person hear another one again."""
    return [
        events.Unmute(seat=seat, person=person, other=other)
        for seat in table.seats_of(person)
        for other in table.seats_of(muted)
        if other in table.muted.get(seat, ())
    ]


def fellow_player(table: Table, person: str, seat: int) -> str:
    """Return the person at another seat, for a player of the table.

    Raises :class:`NotYours` for a spectator, and what :func:`other_person` raises.
    """
    _mine(table, person)
    return other_person(table, person, seat)


def other_person(table: Table, person: str, seat: int) -> str:
    """Return the person at another seat. Raises :class:`WebError` where nobody else plays."""
    _check_seat(table, seat)
    other = table.seats[seat].person
    if other is None or other == person:
        raise WebError("nobody else plays at that seat")
    return other


def close(table: Table, reason: str) -> list[Event]:
    """End a game before it is over, for all its players."""
    if table.over:
        raise WebError("the game is over already")
    return [events.Close(seat=TABLE, reason=reason)]


def skip_guide(table: Table, person: str) -> list[Event]:
    """Stop showing a person the guide to a first game."""
    mine = _mine(table, person)
    return [] if table.unguided.intersection(mine) else [events.SkipGuide(seat=mine[0])]


def set_pace(table: Table, person: str, pace: str) -> list[Event]:
    """Change how long bots take for a move."""
    check_pace(pace)
    if not table.seats_of(person) and person != table.header.host:
        raise NotYours("only players can change the pace of the bots")
    return [events.SetPace(seat=TABLE, pace=pace)] if pace != table.pace else []


def fill(table: Table, person: str, level: str) -> list[Event]:
    """Let bots of a level take the open seats of a table that waits."""
    BOTS[level]
    _mine(table, person)
    if not table.gathering:
        raise Stale("every seat is taken")
    return [events.HandOver(seat=i, level=level) for i, one in enumerate(table.seats) if one.open]


def want_seat(table: Table, person: str, name: str) -> list[Event]:
    """Ask, as a spectator of a public table, for the seat of a bot in the next game.

    Nobody takes one in the middle of a game: they could have watched it to choose a winning hand.
    """
    if person in table.wants:
        return []
    if table.seats_of(person):
        raise WebError("you already have a seat at this table")
    WORDS.check_name(name)
    if table.seats_to_want <= 0:
        raise Stale("no seat of a bot is free in the next game")
    return [events.WantSeat(seat=TABLE, person=person, name=name)]


def want_no_seat(table: Table, person: str) -> list[Event]:
    """No longer ask for a seat in the next game."""
    if person not in table.wants or table.rematch:
        raise Stale("you have no seat in the next game")
    return [events.WantNoSeat(seat=TABLE, person=person)]


def begin_rematch(table: Table, token: str, seat: int = TABLE) -> list[Event]:
    """Note the table of the rematch. Raises :class:`Stale` when there is one already."""
    if table.rematch:
        raise Stale("the rematch has already begun")
    return [events.Rematch(seat=seat, token=token)]


def later(table: Table, person: str) -> list[Event]:
    """Leave the rematch, which the others want to begin, for later. The seat there is kept."""
    mine = _mine(table, person)
    if not table.rematch:
        raise Stale("nobody wants another game yet")
    return [events.Later(seat=seat) for seat in mine if seat not in table.later]


def check_owner(table: Table, person: str, seat: int) -> None:
    """Raise :class:`NotYours` unless the seat belongs to this person."""
    _check_seat(table, seat)
    if table.seats[seat].person != person:
        raise NotYours(f"{table.seats[seat].name}'s seat isn't yours")


def _check_claimable(table: Table) -> None:
    """Refuse claims in a slow game: its players are away, so nobody could say that one is false."""
    if not table.claimable:
        raise NotYours("in a game over days no seat changes hands: link this browser to the other")


def _check_hosting(hosting: bool) -> None:
    if not hosting:
        raise NotYours("only the host can do this, or the next player while the host is away")


def _check_running(table: Table) -> None:
    if table.over:
        raise Stale("the game is over")
    if table.waiting:
        why = "seats are open" if table.gathering else "the cards are being dealt"
        raise Stale(f"the game hasn't begun: {why}")
    if table.paused:
        raise Stale("the game is paused: end the pause first")


def _check_no_bot(table: Table, seat: int) -> None:
    if table.seats[seat].bot:
        raise NotYours("a bot plays for you: take your seat back first")


def _check_seat(table: Table, seat: int) -> None:
    if not 0 <= seat < len(table.seats):
        names = ", ".join(table.match.names)
        raise WebError(f"there is no such seat at this table: its players are {names}")


def _on_turn(table: Table) -> int:
    turn = table.match.turn
    assert turn is not None
    return turn


def _mine(table: Table, person: str) -> list[int]:
    mine = table.seats_of(person)
    if not mine:
        raise NotYours("you don't have a seat at this table")
    return mine


def _playing(table: Table, person: str) -> int:
    """Return the first seat that a person plays. Raises :class:`NotYours` if a bot plays it."""
    mine = [seat for seat in _mine(table, person) if not table.seats[seat].bot]
    if not mine:
        raise NotYours("a bot plays for you: take your seat back first")
    return mine[0]


def _not_legal(table: Table, move: str) -> IllegalMove:
    """Return the error that names legal moves of the seat on turn, which sent an illegal one."""
    legal = list(table.match.legal_moves)
    said = f"{move!r} isn't a legal move: play one of {listed(legal, MOVES_LISTED)}"
    words = [midsentence(table.match.describe(one)) for one in legal[:MOVES_IN_WORDS]]
    if len(legal) > len(words):
        words.append("make another move")
    return IllegalMove(said, f"that move isn't legal: you can {either(words)}")
