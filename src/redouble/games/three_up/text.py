"""3UP 3DOWN in words: move texts, options, and what a seat sees."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from redouble.contract.options import DeckData, Flag, Number, read_counts, read_lines
from redouble.contract.outcome import NOT_OVER, EndReason
from redouble.contract.view import Card, Fact, Scene, Zone
from redouble.games.three_up.actions import (
    COLORED,
    COLORED_UP,
    DOWN,
    DRAW,
    KEEP,
    SWAP,
    TAKE,
    UP,
    colored_play,
    copies_of,
    rank_of,
    up_action,
    up_card,
)
from redouble.games.three_up.position import (
    CLEAR,
    COLORS,
    COPIES,
    DEALT,
    EXTRA,
    HAND,
    KINDS,
    MAX_CLEARS,
    MAX_DECK,
    MAX_OTHERS,
    MAX_SEATS,
    RANKS,
    Position,
    down_place,
)
from redouble.games.three_up.rules import STALEMATE
from redouble.kernel.errors import DeckError, OptionError
from redouble.kernel.piles import ERASED

RANK_NAMES = (*(str(number) for number in range(1, 11)), "clear", "clear+1", "clear+2")
COLOR_NAMES = ("red", "blue", "green")
LETTERS = "rbg"
REASONS = (
    NOT_OVER,
    EndReason("out of cards"),
    EndReason("all places decided"),
    EndReason("stalemate"),
    EndReason("points counted"),
)


def _in_colors(rank: int, letters: str) -> str:
    return f"{RANK_NAMES[rank]}{'-' if rank >= CLEAR else ''}{letters}"


CARDS = tuple(_in_colors(kind // COLORS, LETTERS[kind % COLORS]) for kind in range(KINDS))

_DECK = read_lines(Path(__file__).with_name("deck.txt"))


def _read_deck(lines: Sequence[str]) -> list[int]:
    cards = read_counts(lines, CARDS, MAX_DECK // 2)
    for kind in set(cards):
        most = (MAX_CLEARS if kind // COLORS == CLEAR else MAX_OTHERS) // 2
        if cards.count(kind) > most:
            raise DeckError(f"the deck has more than {most} cards {CARDS[kind]} (TU15)")
    return cards


OPTIONS = (
    Number(
        "decks", "Decks", 1, "decks shuffled together; one seats six, two seat twelve (TU2)", 1, 2
    ),
    Number("colors", "Colors", 3, "colors in the deck: the first so many (TU2)", 1, 3),
    Flag(
        "play-on", "Play for all places", False, "play for the places when the first is out (TU11)"
    ),
    Flag(
        "draw-instead",
        "Draw instead of playing",
        False,
        "a seat that could play may draw a card instead (TU11)",
    ),
    Flag("reverse-ones", "Ones reverse direction", False, "each 1 laid turns the direction (TU11)"),
    Number(
        "games", "Games to score", 0, "count points over so many games; 0 counts none (TU11)", 0, 99
    ),
    Flag(
        "swap-piles", "Swap piles", False, "3UP 3DOWN piles are dealt to the seats at random (TU11)"
    ),
    Flag(
        "pick-for-others",
        "Choose for your neighbor",
        False,
        "choose the 3UP of the seat to your left (TU11)",
    ),
    Flag(
        "color-four",
        "Four of a color",
        False,
        "the fourth of a color in a row may swap a card (TU11)",
    ),
    Number(
        "stall",
        "Stalemate after",
        50,
        "moves per seat without progress until stalemate; 0: never (TU13)",
        0,
        999,
    ),
    DeckData("cards", "Your own deck", None, "a deck file of your own (TU1)", read=_read_deck),
)


def box(seats: int, options: Mapping[str, Any]) -> list[int]:
    """The cards in use, of all decks; nine for every seat at least (TU2)."""
    one = _read_deck(options["cards"] or _DECK)
    cards = sorted([kind for kind in one if kind % COLORS < options["colors"]] * options["decks"])
    needed = (HAND + DEALT) * seats
    if len(cards) < needed:
        raise DeckError(
            f"the deck in use has {len(cards)} cards; {seats} seats need {needed}: "
            "take more decks or colors"
        )
    return cards


def check(seats: int, options: Mapping[str, Any]) -> None:
    """One deck seats six (TU2), and points are counted when the first seat is out (TU18)."""
    if options["decks"] == 1 and seats > MAX_SEATS // 2:
        raise OptionError(f"one deck seats at most {MAX_SEATS // 2}: for {seats} take decks=2")
    if options["games"] and options["play-on"]:
        raise OptionError(
            "games counts points when the first seat is out, so play-on cannot go with it"
        )
    box(seats, options)


def name(s: Position, action: int) -> str:
    """The move's text: ``7x2``, ``clear+1``, ``down 3``, ``take``, ``up 3 7 clear``..."""
    if action < DOWN:
        copies = action % COPIES + 1
        return RANK_NAMES[action // COPIES] + (f"x{copies}" if copies > 1 else "")
    if action < TAKE:
        return f"down {action - DOWN + 1}"
    if action < UP:
        return ("take", "draw", "keep")[action - TAKE]
    if action < COLORED:
        return "up " + " ".join(RANK_NAMES[up_card(action, i)] for i in range(3))
    if action < COLORED_UP:
        letters = "".join(LETTERS[color] * copies_of(action, color) for color in range(COLORS))
        return _in_colors(rank_of(action), letters)
    if action < SWAP:
        return "up " + " ".join(CARDS[up_card(action, i)] for i in range(3))
    give, get = divmod(action - SWAP, KINDS)
    return f"swap {CARDS[give]} {CARDS[get]}"


_PLAY = re.compile(r"(10|[1-9]|clear(?:\+[12])?)(?:x([1-9][0-9]?)|-?(r*b*g*))")


def parse(s: Position, text: str) -> int:
    """The inverse of :func:`name`; -1 when the text is no move."""
    action = _read(text)
    return action if action >= 0 and name(s, action) == text else -1


def _read(text: str) -> int:
    """An action whose name may be the text; -1 when there is none."""
    words = text.split(" ")
    if text in ("take", "draw", "keep"):
        return {"take": TAKE, "draw": DRAW, "keep": KEEP}[text]
    if words[0] == "down" and words[1:] in (["1"], ["2"], ["3"]):
        return DOWN + int(words[1]) - 1
    if words[0] in ("up", "swap"):
        for names in (RANK_NAMES, CARDS):
            if all(word in names for word in words[1:]):
                cards = [names.index(word) for word in words[1:]]
                if words[0] == "up" and len(cards) == 3:
                    low, middle, high = sorted(cards)
                    return up_action(int(names is CARDS), low, middle, high)
                if words[0] == "swap" and len(cards) == 2 and names is CARDS:
                    return SWAP + cards[0] * KINDS + cards[1]
        return -1
    found = _PLAY.fullmatch(text)
    if not found:
        return -1
    rank = RANK_NAMES.index(found[1])
    if found[3]:
        red, blue, green = (found[3].count(letter) for letter in LETTERS)
        most = MAX_CLEARS if rank == CLEAR else MAX_OTHERS
        return colored_play(rank, red, blue, green) if max(red, blue, green) <= most else -1
    copies = int(found[2] or 1)
    return rank * COPIES + copies - 1 if copies <= COPIES else -1


def tell(before: Position, after: Position, action: int) -> str:
    """For instance ``plays clear+1, clears the pile and has an extra turn``."""
    said = _tell_move(before, after, action)
    seat = before.turn
    if after.game > before.game:
        return f"{said}; points are counted, game {after.game} begins"
    if action >= 0 and not before.choosing:
        if after.cleared > before.cleared:
            said += ", clears the pile"
        if after.direction != before.direction:
            said += ", play turns round"
        if after.place_out[seat]:
            said += " and is out of cards"
        elif after.turn == seat and after.extra_turn and action != DRAW and not after.asking:
            said += " and has an extra turn"
    if after.turn < 0 and after.reason == STALEMATE:
        said += "; stalemate"
    return said


def _tell_move(before: Position, after: Position, action: int) -> str:
    seat = before.turn
    if before.choosing:
        other = f" for {{{(seat + 1) % before.seats}}}" if before.pick_for_others else ""
        if action < 0:
            return f"chooses 3UP{other}"
        return f"puts {name(before, action)[3:]} up{other}"
    if DOWN <= action < TAKE:
        return _tell_down(before, after, action - DOWN)
    if action == TAKE:
        return f"cannot play and takes the pile, {_cards(before.pile_n)}"
    if action == DRAW:
        instead = not before.extra_turn or before.size[seat] >= HAND
        return "draws a card instead of playing" if instead else "draws before the extra turn"
    if action == KEEP:
        return "swaps no card"
    if action >= SWAP:
        _, give, get = name(before, action).split()
        return f"swaps {give} for the {get} of the 3UP"
    return f"plays {name(before, action)}"


def _tell_down(before: Position, after: Position, i: int) -> str:
    seat = before.turn
    said = f"turns up 3DOWN {i + 1}"
    if after.game > before.game:
        return said
    card = after.deck[down_place(before, seat, i)]
    shown = "" if card == ERASED else f": {_card_text(before, card)}"
    if after.size[seat]:
        return f"{said}{shown}, cannot play it and takes the pile, {_cards(before.pile_n)}"
    return said + shown


def _card_text(s: Position, kind: int) -> str:
    """Letters for the colors where colors count; else the picture shows them well enough."""
    return CARDS[kind] if s.color_four else RANK_NAMES[kind // COLORS]


def _cards(n: int) -> str:
    return "1 card" if n == 1 else f"{n} cards"


def show(s: Position, seat: int | None) -> Scene:
    """The piles on the table, and each seat's hand, 3UP and 3DOWN."""
    dimmed = _dimmed(s) if s.turn >= 0 and seat in (None, s.turn) else {}
    return Scene(tuple(_zones(s)), tuple(_facts(s)), _prompt(s), dimmed=dimmed)


def _zones(s: Position) -> list[Zone]:
    left = s.deck_n - s.drawn
    shown = range(max(0, s.pile_n - len(s.recent)), s.pile_n)
    pile = [_card(s, s.recent[i % len(s.recent)]) for i in shown]
    zones = [
        Zone("draw pile", (None,) * min(left, 1), size=left),
        Zone("discard pile", tuple(pile), size=s.pile_n, spread=True),
        Zone("cleared", (), size=s.cleared),
    ]
    for seat in range(s.seats):
        # After `redact` the counts hold only what the reader knows of the hand.
        hand = [_card(s, kind) for kind in range(KINDS) for _ in range(s.held[seat][kind])]
        hand += [None] * (s.size[seat] - len(hand))
        up = [_card(s, kind) for kind in s.up[seat][: s.up_n[seat]]]
        down = [_card(s, s.deck[down_place(s, seat, i)]) for i in range(3) if s.down[seat] >> i & 1]
        for title, cards in (("hand", hand), ("3UP", up), ("3DOWN", down)):
            zones.append(Zone(title, tuple(cards), seat, len(cards), spread=True))
    return zones


def _card(s: Position, kind: int) -> Card | None:
    if kind == ERASED:
        return None
    return Card(_card_text(s, kind), COLOR_NAMES[kind % COLORS])


def _facts(s: Position) -> list[Fact]:
    facts = []
    if s.games:
        facts.append(Fact("game", f"{s.game} of {s.games}"))
    if not s.choosing:
        facts.append(Fact("to beat", RANK_NAMES[s.top] if s.pile_n else "nothing"))
        facts.append(Fact("in a row", s.run))
        facts.append(Fact("extra turns", s.extra + s.extra_turn))
    if s.reverse_ones:
        facts.append(Fact("direction", "left" if s.direction == 1 else "right"))
    if s.stall and s.quiet >= s.seats:
        facts.append(Fact("moves to stalemate", s.stall * s.seats - s.quiet))
    for seat in range(s.seats):
        if s.games:
            facts.append(Fact("points", s.points[seat], seat))
        if s.choosing and s.choice[seat]:
            secret = s.choice[seat] == ERASED
            facts.append(Fact("3UP", "chosen" if secret else name(s, s.choice[seat])[3:], seat))
        if s.place_out[seat]:
            facts.append(Fact("out", s.place_out[seat], seat))
        elif 0 < s.down[seat] < 7:
            places = [str(i + 1) for i in range(3) if s.down[seat] >> i & 1]
            facts.append(Fact("3DOWN places", " ".join(places), seat))
    return facts


def _prompt(s: Position) -> str:
    if s.turn < 0:
        return ""
    seat = s.turn
    if s.choosing:
        return _ask_for_choice(s)
    if s.asking:
        return (
            "The fourth of a color in a row: swap a hand card with one of your 3UP, or keep them."
        )
    goal = f"{RANK_NAMES[s.top]} or more" if s.pile_n else "anything: the pile is empty"
    extra = "An extra turn: " if s.extra_turn else ""
    if s.size[seat]:
        asked = f"play from your hand, {goal}."
        if s.extra_turn and s.size[seat] < HAND and s.drawn < s.deck_n:
            asked += " You may draw up to three cards first."
    elif s.up_n[seat]:
        asked = f"play from your 3UP, {goal}."
    else:
        asked = "turn up one of your 3DOWN; " + (
            f"it has to be {goal}." if s.pile_n else "any card can be played: the pile is empty."
        )
    return extra + asked if extra else asked[0].upper() + asked[1:]


def _ask_for_choice(s: Position) -> str:
    if s.pick_for_others:
        return "Choose three of your six cards: they become the 3UP of the seat to your left."
    if s.swap_piles:
        return "Choose three of your six cards as 3UP. The piles are then dealt round at random."
    return "Choose three of your six cards as your 3UP: played after your hand and the draw pile."


def _dimmed(s: Position) -> dict[str, str]:
    """Why a card of the hand or the 3UP of the seat to move cannot be played now."""
    if s.choosing or s.asking:
        return {}
    seat = s.turn
    hand = [kind for kind in range(KINDS) if s.held[seat][kind]]
    up = s.up[seat][: s.up_n[seat]]
    first, later = (hand, up) if hand else (up, [])
    reason = f"It must be {RANK_NAMES[s.top]} or more."
    dimmed = {_card_text(s, kind): reason for kind in first if kind // COLORS < s.top}
    playable = {_card_text(s, kind) for kind in first} - dimmed.keys()
    for kind in later:
        if _card_text(s, kind) not in playable:
            dimmed.setdefault(_card_text(s, kind), "Your hand is played before your 3UP.")
    return dimmed


assert len(RANK_NAMES) == RANKS == len(EXTRA)
