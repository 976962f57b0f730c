"""One match played at one terminal, by people and bots."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from redouble.analysis.hint import advise
from redouble.bots import Bot, own_chance
from redouble.bots.levels import Level
from redouble.kernel.errors import RedoubleError
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.match.record import Note
from redouble.match.story import Story
from redouble.terminal import plain
from redouble.terminal.blocks import Block, aligned, wrapped
from redouble.terminal.cards import QUIET
from redouble.terminal.files import default_path, save
from redouble.terminal.pages import show_rulebook
from redouble.terminal.prompt import COMMANDS, Choices, Typed, asking
from redouble.terminal.screen import Screen, shown, shown_names
from redouble.terminal.table import Picture, draw, name_style

SAVE_FIRST = "Save the game first? y, or a file name; Enter: no: "


class Leave(Exception):
    """The person at the keyboard wants to go."""


@dataclass
class Session:
    """A match and who plays it."""

    match: Match
    bots: Mapping[int, Bot]
    """The seats that bots play; people play the others."""
    screen: Screen
    pace: float = 0.0
    """Seconds to rest after each move that nobody at the keyboard chose."""
    auto: bool = True
    """Whether a move without an alternative is made without asking."""
    saved_to: Path | None = None
    notes: Sequence[Note] = ()
    """What the record that the match was loaded from says besides moves."""

    def __post_init__(self) -> None:
        self.people = [seat for seat in range(self.match.seats) if seat not in self.bots]
        self._names = shown_names(self.match.names)
        self._story = Story(self.match, self.people, self._names)
        self._asked: list[tuple[int, int]] = []  # the decisions of people: ply and seat
        # Whose view the screen shows: the only person's, else by turns, nobody's at first.
        self._reader = self.people[0] if len(self.people) == 1 else SPECTATOR

    def play(self) -> bool:
        """Play to the end; True when it was reached.

        At the end of input the game stops. That, and an interrupt, may be a slip of the finger:
        who has decided something is asked once whether to save it.
        """
        try:
            self._introduce()
            while (seat := self.match.turn) is not None:
                self._one_move(seat)
            self._show_end()
            return True
        except Leave:
            return False
        except EOFError:
            moves = "1 move" if self.match.ply == 1 else f"{self.match.ply} moves"
            self.screen.say(f"End of input: the game stops after {moves}.")
            self._offer_save_once()
            return False
        except KeyboardInterrupt:
            self.screen.say("Interrupted.")
            self._offer_save_once()
            raise

    def _offer_save_once(self) -> None:
        """Another end of input or interrupt is an answer, too: no."""
        if self._asked:
            with suppress(EOFError):
                self.offer_save(SAVE_FIRST)

    def offer_save(self, question: str) -> bool:
        """Ask for a file to save to, where somebody is there to answer; whether it was saved."""
        while self.screen.live:
            answer = self.screen.ask(question)
            if answer.lower() in ("", "n", "no"):
                return False
            said = self._save("" if answer.lower() in ("y", "yes") else answer)
            self.screen.say(said)
            if self.saved_to and said.startswith("Saved"):
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
        legal = self.match.legal_moves
        if seat in self.bots:
            if self.screen.live and self._thinks(seat):
                self._draw(self._waiting(seat))
            chance = own_chance(self.match.seed, seat, self.match.ply)
            self._push(self.bots[seat].choose(self.match.observation(), chance))
        elif self.auto and len(legal) == 1:
            self._push(legal.actions[0])
        else:
            self._decide(seat)

    def _thinks(self, seat: int) -> bool:
        """Whether the bot of a seat takes time over the move that is to be made now."""
        bot = self.bots.get(seat)
        searches = isinstance(bot, Level) and bot.policy.iterations > 0
        return searches and len(self.match.legal_moves) > 1

    def _waiting(self, seat: int) -> Block:
        """What is said while a bot thinks; its first search may have to be compiled."""
        first = (
            ""
            if "redouble.bots.search" in sys.modules
            else " The first time this can take a while."
        )
        return wrapped(Text(f"{self._names[seat]} thinks ...{first}", QUIET), self.screen.columns)

    def _push(self, action: int) -> None:
        """Make a move, and let everybody hear and see it."""
        mover = self.match.turn
        assert mover is not None
        self.match.push_action(action)
        self._story.hear(mover)
        if not self.screen.live:
            only = self.people[0] if len(self.people) == 1 else SPECTATOR
            self.screen.say(self._story.last(only))
        elif self.match.turn is not None and self.pace > 0:
            self._draw([Text()])  # an empty line where it stands who thinks: nothing jumps
            self.screen.rest(self.pace)

    def _decide(self, seat: int) -> None:
        """Ask a person until there is a move, or until moves are taken back."""
        self._hand_over(seat)
        choices = Choices.of(self.match, self.screen.rows if self.screen.live else None)
        self._put(choices)
        while True:
            line = self.screen.ask(completions=[*choices.moves, *COMMANDS])
            typed = choices.understand(line)
            if typed.move:
                self._asked.append((self.match.ply, seat))
                action = self.match.legal_moves.action(typed.move)
                assert action is not None
                self._push(action)
                return
            if typed.command == "undo" and self._undo(seat):
                return
            self._put_again(choices, self._obey(typed, seat))

    def _hand_over(self, seat: int) -> None:
        """With several people: nobody sees another's cards."""
        if len(self.people) > 1 and self._reader != seat:
            self.screen.wipe()
            self.screen.pause(f"Hand over to {self._names[seat]}, then press Enter. ")
            self.screen.clear()
        self._reader = seat

    def _put(self, choices: Choices, notice: str = "") -> None:
        """Show the table, what is asked and the choices."""
        view = self.match.view(self._reader)
        columns = self.screen.columns
        question = asking(view.prompt, choices, columns)
        if self.screen.live:
            said = [part for line in notice.splitlines() for part in wrapped(Text(line), columns)]
            self._draw([*said, *question])
            return
        for line in self._table_in_words():
            self.screen.say(line)
        self.screen.print(question)

    def _put_again(self, choices: Choices, notice: str) -> None:
        """After something that was no move: what there is to say; the choices when there is not."""
        if self.screen.live:
            self._put(choices, notice)
        elif notice:
            self.screen.say(notice)
        else:
            self.screen.print(choices.listing(self.screen.columns))

    def _draw(self, below: Block, reveal: bool = False) -> None:
        """The live screen: the table as its reader sees it; revealed, as it is."""
        since = max((ply for ply, seat in self._asked if seat == self._reader), default=0)
        picture = Picture(
            self.match.game.title,
            self.match.view(None if reveal else self._reader),
            self._names,
            self._reader_seat(),
            self._story.told(self._reader, since),
            below,
        )
        screen = self.screen
        screen.show(draw(picture, screen.glyphs, screen.columns, screen.rows - 1))

    def _reader_seat(self) -> int | None:
        return None if self._reader == SPECTATOR else self._reader

    def _obey(self, typed: Typed, seat: int) -> str:
        """Carry out a command; what there is to say about it."""
        match typed.command:
            case "help":
                self._help()
            case "hint":
                return self._hint()
            case "undo":
                return "There is no earlier decision of yours to go back to."
            case "table":
                self._page(self._table_in_words())
            case "rules":
                show_rulebook(self.match.game, self.screen)
                self.screen.clear()
            case "save":
                return self._save(typed.argument)
            case "quit":
                self.offer_save(SAVE_FIRST)
                raise Leave
        return typed.trouble

    def _hint(self) -> str:
        """The best move and why, by what the seat to move knows."""
        if self.screen.live:
            self.screen.say("Thinking ...", QUIET)  # the first time, code is compiled
        return f"Hint: {advise(self.match.observation(), self._names)}"

    def _help(self) -> None:
        lines = ["Type a move as it is written, or what stands before it in the list. Or:"]
        self._page(lines + [f"  {name:<12} {meaning}" for name, meaning in COMMANDS.items()])

    def _page(self, lines: Sequence[str]) -> None:
        """Lines to read at leisure."""
        self.screen.clear()
        for line in lines:
            self.screen.say(line)
        if self.screen.live:
            self.screen.pause("Press Enter to go on. ")
            self.screen.clear()

    def _table_in_words(self, reveal: bool = False) -> list[str]:
        view = self.match.view(None if reveal else self._reader)
        return plain.lines(self.match.game.title, view, self._names, self._reader_seat())

    def _save(self, name: str) -> str:
        """Write the game to a file of this name, or to the one before; what came of it."""
        try:
            path = Path(name) if name else self.saved_to or default_path(self.match)
            save(self.match, path.expanduser(), self.notes)
        except (RedoubleError, RuntimeError) as error:  # RuntimeError: there is no such ~user
            return f"Not saved: {error}."
        self.saved_to = path.expanduser()
        return f"Saved to {self.saved_to}."

    def _undo(self, seat: int) -> bool:
        """Take back to the seat's previous decision; False when there is none."""
        earlier = [at for at, (_, who) in enumerate(self._asked) if who == seat]
        if not earlier:
            return False
        ply = self._asked[earlier[-1]][0]
        del self._asked[earlier[-1] :]
        while self.match.ply > ply:
            self.match.pop()
        self._story.forget()
        self.notes = [(at, sentence) for at, sentence in self.notes if at <= ply]
        if not self.screen.live:
            self.screen.say(f"Taken back to the previous decision of {self._names[seat]}.")
        return True

    def _show_end(self) -> None:
        """The last table with everything turned up, and the result."""
        if self.screen.live:
            self._draw(self._result(), reveal=True)
            return
        for line in self._table_in_words(reveal=True):
            self.screen.say(line)
        self.screen.print(self._result())

    def _result(self) -> Block:
        """The reason of the end, ranks and points."""
        outcome = self.match.outcome
        assert outcome is not None
        rows: list[Sequence[Text]] = []
        for seat in sorted(range(self.match.seats), key=lambda seat: outcome.ranks[seat]):
            rank = f"{outcome.ranks[seat]}." if self.match.seats > 1 else ""
            row = [Text(rank), Text(self._names[seat], name_style(seat))]
            if outcome.scores is not None:
                row.append(Text(f"{outcome.scores[seat]}", "bold"))
            me = seat == self._reader and self.match.seats > 1
            rows.append([*row, Text("(you)" if me else "", QUIET)])
        return [Text(f"The game is over: {outcome.reason}.", "bold"), *aligned(rows)]
