"""What plays by itself at tables: bots, also when a player's time runs out; the dealer; endings."""

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from redouble.analysis.finish import finishing_moves
from redouble.bots import BOTS, Bot, own_chance
from redouble.bots.levels import EXPERT, USUAL_LEVEL, searches
from redouble.kernel.errors import RedoubleError
from redouble.match.match import Match
from redouble.web.errors import Stale
from redouble.web.limits import Limits
from redouble.web.live.live import Live
from redouble.web.live.neighbors import Neighbors
from redouble.web.live.pipeline import TRIES, Pipeline
from redouble.web.store.clock import CLOCK
from redouble.web.table import PACES, TABLE, Event, Table
from redouble.web.table.acts.clocks import time_out
from redouble.web.table.acts.deals import deal
from redouble.web.table.acts.play import Move, PlayOut, bot_move, make_move
from redouble.web.table.clocks import ONCE
from redouble.web.table.pace import Deadlines
from redouble.web.thinking.compiler import Compiler
from redouble.web.thinking.pools import Pool

FINISH_PACE = 0.06
"""Seconds between the moves of a game that finishes automatically."""
NOTICEABLE = 0.5
"""Seconds of loading after which the pages say why a bot doesn't move."""
RETRY_SECONDS = 5.0
"""Seconds until a bot whose move failed tries again."""
REVEAL_SECONDS = 10.0
"""How long a deal waits for the shares that players have promised."""
PATIENCE_SECONDS = 1.0
"""What a bot's move at another server may take besides the bots' pace."""
_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Robots:
    """Makes the moves of bots, in threads, and deals without shares that don't come."""

    pipeline: Pipeline
    compiler: Compiler
    limits: Limits
    neighbors: Neighbors
    closing: asyncio.Event
    """Set when the bots have to stop."""
    deadlines: Deadlines = field(default_factory=Deadlines, init=False)
    quick: Pool = field(default_factory=lambda: Pool("bots"), init=False)
    """What bots think in, except those that search."""
    _searching: Pool = field(default_factory=lambda: Pool("searching-bots"), init=False)

    @property
    def thinking(self) -> int:
        """The number of moves that bots think about, or wait to."""
        return self.quick.begun + self._searching.begun

    def wake(self, live: Live) -> None:
        """Let bots play if it is a bot's turn, and load what those at this table search with."""
        table = live.table
        if live.dropped or self.closing.is_set() or table.over:
            return
        if any(seat.bot and searches(seat.bot) for seat in table.seats):
            self.compiler.begin(table.game)
        if table.dealing and live.dealer is None:
            live.dealer = asyncio.create_task(self._deal(live))
        elif live.dealer is not None and not table.dealing:
            live.dealer.cancel()
        if table.turn is None or not table.seats[table.turn].bot or live.robot is not None:
            return
        live.robot = asyncio.create_task(self._play(live))

    def finish(self, live: Live) -> None:
        """Finish a won solitaire game, one visible move after the other, in the background.

        Raises :class:`Stale` if cards are still hidden, there is a choice or the game isn't won.
        """
        if live.finishing:
            return
        moves = finishing_moves(live.table.match)
        if not moves:
            raise Stale(
                "this game can't finish automatically: cards are hidden, you have a choice, or it "
                "can't be won"
            )
        live.finishing, live.hurried = True, False
        self.pipeline.begin(self._finish(live, [*live.table.match.moves, *moves]))

    async def play_out(self, live: Live) -> None:
        """Play a game to its end at once, if only bots still play. Raises :class:`Stale` else."""
        for _ in range(TRIES):
            seen = live.table
            if not seen.only_bots_play():
                raise Stale("you can only skip to the end when nobody else plays")
            if live.robot is not None:
                live.robot.cancel()
            levels = [seat.bot or USUAL_LEVEL for seat in seen.seats]
            # Nobody waits for these moves, so what searches plays without.
            bots = [bot_at_table(EXPERT if searches(one) else one) for one in levels]
            moves = await self.quick.run(_played_out, seen.match.copy(), bots)
            with contextlib.suppress(Stale):
                await self.pipeline.act(live, partial(_all_if_unmoved, seen, moves))
                return
        self.wake(live)
        raise Stale("a bot moved first: try again")

    async def time_out(self, live: Live, stepped: float | None = None) -> None:
        """Do what a table's clock asks for now that the time of the player to move has run out.

        Where it is a bot's turn, let it play: the server that did so has stopped. A game that
        nobody has come back to ends. ``stepped`` is when the machine's clock was set, if it was
        lately. Raises :class:`Stale` if there is time.
        """
        table, control = live.table, live.table.clocks.control
        seat = table.thinking
        if seat is None and not table.deserted:
            self.wake(live)
            return
        action = None
        if control.then == ONCE and seat is not None:
            await asyncio.sleep(self.neighbors.rank(table.header.token, live.watched))
            time_out(live.table, CLOCK.now(), stepped=stepped)
            action = await self._chosen(table, BOTS[USUAL_LEVEL], seat)

        def command(now: Table) -> list[Event]:
            if action is not None and now.last_move != table.last_move:
                raise Stale("the table has changed while the bot was thinking")
            return time_out(now, CLOCK.now(), action, stepped)

        await self.pipeline.act(live, command)

    async def close(self) -> None:
        """End the threads."""
        await self.quick.close()
        await self._searching.close()

    async def _finish(self, live: Live, game: list[str]) -> None:
        """Make the moves that lead to the whole ``game``, unless the player does something else.

        The player may make some of them: there is no other.
        """
        clock, due = asyncio.get_running_loop().time, 0.0
        try:
            while not self.closing.is_set():
                due = max(due, clock()) + FINISH_PACE
                made = live.table.match.moves
                if live.table.over or list(made) != game[: len(made)]:
                    return
                left = game[len(made) :] if live.hurried else [game[len(made)]]
                await self._make(live, left)
                await asyncio.sleep(due - clock())
        except RedoubleError as error:
            _log.error("table %s can't finish: %s", live.table.header.token, error)
        finally:
            live.finishing = False
            live.touch()

    async def _make(self, live: Live, moves: Sequence[str]) -> None:
        """Make moves of a solitaire game, of which the first is checked, if none was made since."""
        ply, others = live.table.ply, [Move(seat=0, move=move) for move in moves[1:]]
        with contextlib.suppress(Stale):
            await self.pipeline.act(
                live, lambda table: [*make_move(table, 0, moves[0], ply), *others]
            )

    async def _deal(self, live: Live) -> None:
        try:
            while not live.dropped and live.table.dealing:
                await asyncio.sleep(REVEAL_SECONDS)
                try:
                    await self.pipeline.act(live, deal)
                except RedoubleError as error:
                    _log.error("table %s can't be dealt: %s", live.table.header.token, error)
        finally:
            live.dealer = None

    async def _play(self, live: Live) -> None:
        try:
            while not live.dropped and (seat := live.table.turn) is not None:
                if not live.table.seats[seat].bot:
                    break
                try:
                    waited = await self._wait_for_others(live)
                    await self._move(live, seat, waited)
                except Stale:
                    continue
                except Exception as error:  # the others wait for this seat: try again
                    _log.error("table %s: its bot can't move: %s", live.table.header.token, error)
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            live.robot = None
        self.wake(live)

    async def _wait_for_others(self, live: Live) -> float:
        """Give the servers that come first the time for a bot's move; return the seconds it took.

        Raises :class:`Stale` once one of them has made it.
        """
        if not (rank := self.neighbors.rank(live.table.header.token, live.watched)):
            return 0.0
        clock, ply = asyncio.get_running_loop().time, live.table.ply
        begun, pace = clock(), PACES[live.table.pace]
        await live.pause_over()
        while clock() - begun < rank * (pace + PATIENCE_SECONDS):
            if live.table.ply != ply or live.dropped or self.closing.is_set():
                raise Stale("another server has moved")
            await asyncio.sleep(0.05)
        return clock() - begun

    async def _move(self, live: Live, seat: int, waited: float) -> None:
        """Make the move of the bot at a seat, at its deadline, if it is still its turn then.

        With a choice or without, it waits for the same things, so that the time tells nothing.
        What it has ``waited`` before counts.
        """
        table, clock = live.table, asyncio.get_running_loop().time
        bot = bot_at_table(table.seats[seat].bot)
        if searches(bot.name):
            await self._prepare(live)
        await live.pause_over()
        begun = clock()
        action = await self._chosen(table, bot, seat)
        self.deadlines.note(bot, table.game.name, clock() - begun)
        seconds = self.deadlines.seconds(table.pace, bot, table.game.name)
        if bots_alone(live):
            seconds = max(seconds, self.limits.bot_table_milliseconds / 1000)
        await asyncio.sleep(begun + seconds - waited - clock())

        def command(now: Table) -> list[Event]:
            same_bot = now.seats[seat].bot == table.seats[seat].bot
            if now.last_move != table.last_move or now.turn != seat or not same_bot:
                raise Stale("the table has changed while the bot was thinking")
            return bot_move(now, action)

        await self.pipeline.act(live, command)

    async def _chosen(self, table: Table, bot: Bot, seat: int) -> int:
        chance = own_chance(table.match.seed, seat, table.match.ply)
        pool = self._searching if searches(bot.name) else self.quick
        return await pool.run(bot.choose, table.match.observation(), chance)

    async def _prepare(self, live: Live) -> None:
        """Load the code of the search; the pages say so if that takes a while."""
        loading = asyncio.ensure_future(self.compiler.load(live.table.game))
        try:
            await asyncio.wait_for(asyncio.shield(loading), NOTICEABLE)
        except TimeoutError:
            live.preparing = True
            live.touch()
            try:
                await loading
            finally:
                live.preparing = False
                live.touch()


def bot_at_table(name: str) -> Bot:
    """Return the bot of a seat, or one of the usual level if there is no such bot any more."""
    if name in BOTS:
        return BOTS[name]
    _warn_once(name)
    return BOTS[USUAL_LEVEL]


@cache
def _warn_once(name: str) -> None:
    _log.warning("there is no bot named %s: a %s bot plays instead", name, USUAL_LEVEL)


def bots_alone(live: Live) -> bool:
    """Return whether only bots play at a table."""
    return all(seat.bot and not seat.person for seat in live.table.seats)


def _all_if_unmoved(seen: Table, moves: Sequence[Move], table: Table) -> list[Event]:
    """Return the moves of bots that looked at ``seen``; refused if things have changed."""
    if table.last_move != seen.last_move or not table.only_bots_play():
        raise Stale("the table has changed")
    return [PlayOut(seat=TABLE), *moves]


def _played_out(match: Match, bots: Sequence[Bot]) -> list[Move]:
    moves = []
    while (seat := match.turn) is not None:
        chance = own_chance(match.seed, seat, match.ply)
        match.push_action(bots[seat].choose(match.observation(), chance))
        moves.append(Move(seat=seat, move=match.moves[-1]))
    return moves
