"""One match played at one terminal, by people and bots."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from redouble.analysis.hint import advise
from redouble.analysis.prepare import Preparation, Purpose
from redouble.bots import Bot, own_chance
from redouble.bots.levels import searches
from redouble.contract.view import View
from redouble.kernel.errors import RedoubleError
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.match.record import Note
from redouble.match.story import Story, called, last_moments, ties_broken
from redouble.terminal.ask.pages import show_rulebook
from redouble.terminal.ask.prompt import COMMANDS, Choices, Typed, asking
from redouble.terminal.ask.screen import (
    FIRST_TIME,
    InputEnded,
    Screen,
    first_time,
    shown,
    shown_names,
)
from redouble.terminal.draw.blocks import Block, aligned, wrapped
from redouble.terminal.draw.cards import QUIET
from redouble.terminal.draw.table import TablePicture, headline, name_style
from redouble.terminal.files import default_path, save

SAVE_FIRST = "Save the game? y: yes   a file name: save there   Enter: no > "
GO_ON = "Press Enter to go on. "

THINKING, MAX_THINKING = 1.0, 5.0
"""Seconds that each move of a bot that searches takes at least, and the most that a slow machine
makes of them."""


class QuitSession(Exception):
    """The person at the keyboard leaves the game."""


@dataclass
class Session:
    """A match, its players, and the terminal they play at."""

    match: Match
    bots: Mapping[int, Bot]
    """The seats that bots play; people play the others."""
    screen: Screen
    pace: float = 0.0
    """Seconds that each move takes which no person chooses, however fast the bot is."""
    auto: bool = True
    """Whether a person's only legal move is played without asking."""
    saved_to: Path | None = None
    notes: Sequence[Note] = ()
    """The notes of the record that the match was loaded from."""
    changed: Callable[[], object] = lambda: None
    """Called when a person has made a move or undone some."""
    cut_off: bool = False
    """Whether the input ended before a person could say whether to save the game."""

    def __post_init__(self) -> None:
        self.people = [seat for seat in range(self.match.seats) if seat not in self.bots]
        self._names = shown_names(self.match.names)
        self._story = Story(self.match, self.people, self._names, you=True)
        self._asked: list[tuple[int, int]] = []  # the decisions of people: ply and seat
        self._thinking = THINKING
        self._preparation: Preparation | None = None  # of what bots search with
        self._saved_at = self.match.ply  # nothing is lost by leaving at this ply
        # Whose view the screen shows: it changes when people take turns, and is nobody's at first.
        self._reader = self.people[0] if len(self.people) == 1 else SPECTATOR

    def play(self) -> bool:
        """Play to the end; return whether it was reached.

        Leaving, the end of input and Ctrl-C first offer to save a game in which a person has made
        a move since it was last saved.
        """
        try:
            self._introduce()
            if any(searches(bot.name) for bot in self.bots.values()):
                # Until the first of them is on turn, a person may have time to think.
                self._preparation = Preparation(self.match.game, Purpose.SEARCH)
            while (seat := self.match.turn) is not None:
                self._one_move(seat)
            self._show_end()
            return True
        except QuitSession:
            return False
        except InputEnded:
            moves = "1 move" if self.match.ply == 1 else f"{self.match.ply} moves"
            self.screen.say(f"End of input: the game stops after {moves}.")
            self._offer_save_once()
            return False
        except KeyboardInterrupt:
            self.screen.say()
            self._offer_save_once()
            raise

    def _offer_save_once(self) -> None:
        """Offer to save. Where the input ends, nobody has answered."""
        if self._asked and self.match.ply != self._saved_at:
            try:
                self.offer_save(SAVE_FIRST)
            except InputEnded:
                self.cut_off = True

    def offer_save(self, question: str) -> bool:
        """On a live screen, ask for a file to save to; return whether the game was saved."""
        while self.screen.live:
            answer = self.screen.ask(question)
            if answer.lower() in ("", "n", "no"):
                return False
            saved, said = self._save("" if answer.lower() in ("y", "yes") else answer)
            self.screen.say(said)
            if saved:
                return True
        return False

    def _introduce(self) -> None:
        if self.screen.live:
            self.screen.clear()
            return
        self.screen.say(f"{self.match.game.title}, seed {shown(self.match.seed)}.")
        if self.bots:
            played = (f"{self._names[seat]} ({bot.name})" for seat, bot in self.bots.items())
            self.screen.say(f"Bots: {', '.join(played)}.")

    def _one_move(self, seat: int) -> None:
        if seat in self.bots:
            self._let_bot_move(seat)
        elif self.auto and self._reader == seat and len(self.match.legal_moves) == 1:
            # Nobody's only move is played while another person looks: that would tell its lack
            # of a choice, and its owner would never see it.
            self._push(self.match.legal_moves.actions[0])
            if self.screen.live and self.match.turn is not None and self.pace > 0:
                self._draw([Text()])
                self.screen.rest(self.pace)
        else:
            self._decide(seat)

    def _let_bot_move(self, seat: int) -> None:
        """Play a bot's move, in words and in a time that don't tell whether it had a choice.

        The move appears at a deadline: when the pace has passed, and for a bot that searches when
        the longest search would have ended. Loading the search comes before: it would count as a
        long search. Without a pace nothing waits.
        """
        bot = self.bots[seat]
        thinks = searches(bot.name)
        if thinks and self._preparation is not None and not self._preparation.ready:
            if self.screen.live:
                self._draw(self._waiting(seat, FIRST_TIME))
            self._preparation.wait()
        if self.screen.live and (thinks or self.pace > 0):
            self._draw(self._waiting(seat))
        chance = own_chance(self.match.seed, seat, self.match.ply)
        began = time.monotonic()
        action = bot.choose(self.match.observation(), chance)
        took = time.monotonic() - began
        if thinks:
            self._thinking = min(max(self._thinking, took), MAX_THINKING)
        if self.pace > 0:
            self.screen.rest(max(self.pace, self._thinking if thinks else 0.0) - took)
        self._push(action)

    def _waiting(self, seat: int, why: str = "") -> Block:
        """The line shown while a bot decides, and why that takes a while."""
        said = f"{self._names[seat]} is thinking... {why or self.screen.notice}"
        return wrapped(Text(said.rstrip(), QUIET), self.screen.columns)

    def _push(self, action: int) -> None:
        mover = self.match.turn
        assert mover is not None
        self.match.push_action(action)
        self._story.hear(mover)
        if not self.screen.live:
            only = self.people[0] if len(self.people) == 1 else SPECTATOR
            self.screen.say(self._story.last(only))
            return
        for moment in last_moments(self.match, self._names, self._reader) if self.pace > 0 else ():
            self._draw(headline(moment, self.screen.columns), view=moment.view)
            if moment.kind.waits and self.people:
                self.screen.pause(GO_ON)
            else:
                self.screen.rest(moment.kind.lasts(len(self._names)))

    def _decide(self, seat: int) -> None:
        """Ask a person until they make a move or undo some."""
        self._hand_over(seat)
        choices = Choices.of(self.match, self.screen.rows if self.screen.live else None)
        self._put(choices, self.screen.notice)
        self.screen.notice = ""
        while True:
            line = self.screen.ask(completions=[*choices.moves, *COMMANDS])
            typed = choices.understand(line)
            if typed.move:
                self._asked.append((self.match.ply, seat))
                action = self.match.legal_moves.action(typed.move)
                assert action is not None
                self._push(action)
                self.changed()
                return
            if typed.command == "undo" and self._undo(seat):
                self.changed()
                return
            notice = self._obey(typed, seat)
            if self.screen.live:
                self._put(choices, notice)
            else:
                choices.answer(self.screen, typed, notice)

    def _hand_over(self, seat: int) -> None:
        """With several people, hide the cards until the next person sits at the screen."""
        if len(self.people) > 1 and self._reader != seat:
            self.screen.wipe()
            self.screen.pause(f"Pass to {self._names[seat]}. No peeking! Then press Enter. ")
            self.screen.clear()
        self._reader = seat

    def _put(self, choices: Choices, notice: str = "") -> None:
        view = self.match.view(self._reader)
        columns = self.screen.columns
        question = asking(view.prompt, choices, columns)
        if self.screen.live:
            said = [part for line in notice.splitlines() for part in wrapped(Text(line), columns)]
            self._draw([*said, *question])
            return
        self.screen.print([*self._table_in_words(), *question])

    def _draw(self, below: Block, reveal: bool = False, view: View | None = None) -> None:
        """Draw the live screen: the table as its reader sees it, everything, or another view."""
        since = max((ply for ply, seat in self._asked if seat == self._reader), default=0)
        picture = TablePicture(
            self.match.game.title,
            view or self.match.view(None if reveal else self._reader),
            self._names,
            self._reader_seat(),
            self._story.lines(self._reader, since),
            below,
        )
        self.screen.show_table(picture)

    def _reader_seat(self) -> int | None:
        return None if self._reader == SPECTATOR else self._reader

    def _obey(self, typed: Typed, seat: int) -> str:
        match typed.command:
            case "help":
                lines = ["Type a move, or its label in the list. Or type one of these:"]
                self._page(lines + [f"  {name:<12} {what}" for name, what in COMMANDS.items()])
            case "hint":
                return self._hint()
            case "undo":
                return "You have no earlier move to undo."
            case "table":
                self._page(self._table_in_words())
            case "rules":
                show_rulebook(self.match.game, self.screen)
                self.screen.clear()
            case "save":
                return self._save(typed.argument)[1]
            case "quit":
                if self.match.ply != self._saved_at or not self.saved_to:
                    self.offer_save(SAVE_FIRST)
                raise QuitSession
        return typed.trouble

    def _hint(self) -> str:
        if self.screen.live:
            self.screen.say(f"Thinking... {first_time()}", QUIET)
        advice = advise(self.match.observation(), self._names)
        return f"Hint: {advice.words} (type {advice.move}). {advice.why}"

    def _page(self, lines: Sequence[str]) -> None:
        self.screen.clear()
        self.screen.print(lines)
        if self.screen.live:
            self.screen.pause("Press Enter to continue. ")
            self.screen.clear()

    def _table_in_words(self, reveal: bool = False) -> list[str]:
        view = self.match.view(None if reveal else self._reader)
        return view.lines(self.match.game.title, self._names, self._reader_seat())

    def _save(self, name: str) -> tuple[bool, str]:
        """Save to a file of this name, or to the last one; return whether that worked, in words."""
        try:
            path = Path(name) if name else self.saved_to or default_path(self.match)
            save(self.match, path.expanduser(), self.notes)
        except (RedoubleError, RuntimeError) as error:  # RuntimeError: there is no such ~user
            return False, f"Not saved: {error}."
        self.saved_to, self._saved_at = path.expanduser(), self.match.ply
        return True, f"Saved to {self.saved_to}."

    def _undo(self, seat: int) -> bool:
        """Go back to the seat's previous decision; return False if there is none."""
        earlier = [at for at, (_, who) in enumerate(self._asked) if who == seat]
        if not earlier:
            return False
        ply = self._asked[earlier[-1]][0]
        del self._asked[earlier[-1] :]
        while self.match.ply > ply:
            self.match.pop()
        self._story.forget()
        self._saved_at = -1
        self.notes = [(at, sentence) for at, sentence in self.notes if at <= ply]
        if not self.screen.live:
            whose = "your" if len(self.people) == 1 else f"{self._names[seat]}'s"
            self.screen.say(f"Back to {whose} previous move.")
        return True

    def _show_end(self) -> None:
        if self.screen.live:
            self._draw(self._result(), reveal=True)
        else:
            self.screen.print([*self._table_in_words(reveal=True), *self._result()])

    def _result(self) -> Block:
        """Why the game ended, then ranks and points."""
        outcome = self.match.outcome
        assert outcome is not None
        names = called(self._names, self._reader) if self.match.seats > 1 else self._names
        rows: list[Sequence[Text]] = []
        for seat in sorted(range(self.match.seats), key=lambda seat: outcome.ranks[seat]):
            rank = f"{outcome.ranks[seat]}." if self.match.seats > 1 else ""
            row = [Text(rank), Text(names[seat], name_style(seat))]
            if outcome.scores is not None:
                row.append(Text(f"{outcome.scores[seat]}", "bold"))
            rows.append(row)
        said = f"Game over: {outcome.reason}. {self._winners(outcome.won)}"
        ties = ties_broken(self.match.view(SPECTATOR), self._names)
        explained = [line for tie in ties for line in wrapped(Text(tie), self.screen.columns)]
        return [*wrapped(Text(said, "bold"), self.screen.columns), *aligned(rows), *explained]

    def _winners(self, won: Sequence[bool]) -> str:
        """Who won, from the reader's view: ``You win!``, or by name."""
        seats = [seat for seat in range(self.match.seats) if won[seat]]
        if not seats:
            return "You lose." if self._reader in self.people else "The deal is lost."
        if seats == [self._reader] and len(self.people) == 1:
            return "You win!"
        names = [called(self._names, self._reader)[seat] for seat in seats]
        if len(names) == 1:
            return f"{names[0]} wins!"
        return f"{', '.join(names[:-1])} and {names[-1]} win!"
