"""3UP 3DOWN in words: move texts, options, and what a seat sees."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from redouble.contract.options import (
    Choice,
    DeckData,
    Flag,
    Number,
    exclusion,
    read_counts,
    read_lines,
)
from redouble.contract.outcome import NOT_OVER, EndReason
from redouble.contract.parts import Outlook
from redouble.contract.view import KEPT_CARDS, KEPT_ZONES, Card, Fact, Scene, Zone, back, fact
from redouble.games.three_up.actions import (
    COLORED,
    COLORED_UP,
    DOWN,
    DRAW,
    KEEP,
    MAX_LEGAL,
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
    FROM_SEEN,
    FROM_UP,
    HAND,
    KINDS,
    MAX_CLEARS,
    MAX_DECK,
    MAX_OTHERS,
    MAX_SEATS,
    POINTS,
    RANKS,
    Position,
    down_place,
)
from redouble.games.three_up.rules import COUNTED, STALEMATE, legal, quiet_limit
from redouble.kernel.checks import counted, joined
from redouble.kernel.errors import DeckError, OptionError
from redouble.kernel.piles import ERASED

RANK_NAMES = (*(str(number) for number in range(1, 11)), "clear", "clear+1", "clear+2")
SPOKEN_RANKS = (*RANK_NAMES[:-2], "clear plus 1", "clear plus 2")
COLOR_NAMES = ("red", "blue", "green")
LETTERS = "rbg"
COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ORDINALS = ("first", "second", "third")
NEAR = 1000
"""Moves to a stalemate that are announced even if the option `stall` is off."""
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
            raise DeckError(f"deck: more than {most} of {CARDS[kind]}, the most there can be")
    return cards


COLORS_LEFT = (
    *("red", "red and blue", "red, blue and green"),
    *("red and green", "blue and green", "blue", "green"),
)
"""What the option `colors` leaves in the deck, from 1 on."""

OPTIONS = (
    Number("decks", "Decks", 1, "One deck is for up to 6 players, two for up to 12.", 1, 2),
    Choice(
        "colors",
        "Colors",
        3,
        "Fewer colors make a quicker game; every Clear+2 is green.",
        1,
        len(COLORS_LEFT),
        COLORS_LEFT,
    ),
    Flag(
        "play-on",
        "Play for all places",
        False,
        "When the first player is out, the others play on for their places.",
    ),
    Flag(
        "draw-instead",
        "Draw instead of playing",
        False,
        "You may draw a card instead of playing, which ends your turn; in an extra turn with fewer "
        "than three cards, you draw up to three and go on.",
    ),
    Flag("reverse-ones", "Ones reverse direction", False, "Each 1 played reverses the direction."),
    Number("games", "Games to score", 0, "Number of games to score (0 = off).", 0, 99),
    Flag(
        "swap-piles",
        "Swap piles",
        False,
        "Once set up, the 3UP 3DOWN piles are dealt out at random.",
    ),
    Flag(
        "pick-for-others",
        "Choose for your neighbor",
        False,
        "You choose the 3UP of the player on your left.",
    ),
    Flag(
        "color-four",
        "Four of a color",
        False,
        "Play the fourth card of a color in a row, and you may swap a hand card with a 3UP card.",
    ),
    Number(
        "stall",
        "Stalemate after",
        50,
        "Moves per player without a card drawn or the pile cleared after which the game ends: a "
        "rule of ours (0 = off).",
        0,
        999,
    ),
    DeckData("cards", "Your own deck", None, "The cards of your deck.", read=_read_deck),
)


def needed(seats: int) -> dict[str, Any]:
    """Return that more than six need two decks (TU2)."""
    return {"decks": 2} if seats > MAX_SEATS // 2 else {}


def box(seats: int, options: Mapping[str, Any]) -> list[int]:
    """Return the cards in use, of all decks: at least nine for every seat (TU2)."""
    one = _read_deck(options["cards"] or _DECK)
    left = COLORS_LEFT[options["colors"] - 1]
    cards = [kind for kind in one if COLOR_NAMES[kind % COLORS] in left]
    cards = sorted(cards * options["decks"])
    needed = (HAND + DEALT) * seats
    if len(cards) < needed:
        raise DeckError(
            f"deck: {len(cards)} cards, but {seats} players need {needed}: "
            "take more decks or colors"
        )
    return cards


def check(seats: int, options: Mapping[str, Any]) -> None:
    """One deck seats six (TU2), and points are counted when the first seat is out (TU18)."""
    if options["decks"] == 1 and seats > MAX_SEATS // 2:
        said = f"one deck is for up to {MAX_SEATS // 2} players: for {seats}"
        raise OptionError(f"{said} add --option decks=2", f"{said} choose 2 under “Decks”")
    if options["games"] and options["play-on"]:
        by_name = {option.name: option for option in OPTIONS}
        why = "a scored game ends when the first player is out"
        raise exclusion(by_name["games"], by_name["play-on"], why)
    box(seats, options)


def name(s: Position, action: int) -> str:
    """Return the move's text: ``7x2``, ``clear+1``, ``down 3``, ``take``, ``up 3 7 clear``..."""
    if action < DOWN:
        copies = action % COPIES + 1
        return RANK_NAMES[action // COPIES] + (f"x{copies}" if copies > 1 else "")
    if action < TAKE:
        return f"down {action - DOWN + 1}"
    if action < UP:
        return ("take", "draw", "keep")[action - TAKE]
    if action < COLORED:
        return "up " + " ".join(_chosen(action))
    if action < COLORED_UP:
        letters = "".join(LETTERS[color] * copies_of(action, color) for color in range(COLORS))
        return _in_colors(rank_of(action), letters)
    if action < SWAP:
        return "up " + " ".join(_chosen(action))
    give, get = divmod(action - SWAP, KINDS)
    return f"swap {CARDS[give]} {CARDS[get]}"


_PLAY = re.compile(r"(10|[1-9]|clear(?:\+[12])?)(?:x([1-9][0-9]?)|-?(r*b*g*))")


def parse(s: Position, text: str) -> int:
    """Return the action that :func:`name` gives this text, or -1."""
    action = _read(text)
    return action if action >= 0 and name(s, action) == text else -1


def _read(text: str) -> int:
    """Return an action whose name may be this text, or -1."""
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
    """Return, for instance, ``plays a clear+1, clears the pile and has an extra turn``."""
    said = _tell_move(before, after, action)
    seat = before.turn
    if after.game > before.game:
        return f"{said}{_tell_count(before, after)}; game {after.game} begins"
    if action >= 0 and not before.choosing:
        if after.cleared > before.cleared:
            said += ", clears the pile"
        if after.direction != before.direction:
            said += ", direction reverses"
        if after.place_out[seat]:
            said += " and is out of cards"
        elif after.turn == seat and after.extra_turn and action != DRAW and not after.asking:
            said += " and has an extra turn"
    if after.turn < 0 and stale(after):
        said += "; stalemate"
    return said + (_tell_count(before, after) if after.turn < 0 and after.games else "")


def stale(s: Position) -> bool:
    """Return whether a game that is over, perhaps the last of several, ended as a stalemate."""
    return s.reason == STALEMATE or (s.reason == COUNTED and not s.seats_out)


def out(s: Position, seat: int) -> bool:
    """Return whether a seat is rid of its cards, with no other game to come."""
    return s.place_out[seat] > 0 and not s.games


def outlook(before: Position, after: Position, seat: int) -> Outlook:
    """Return how many cards a seat has left, in hand and on the table."""
    left = after.size[seat] + after.up_n[seat] + after.down[seat].bit_count()
    return Outlook(
        left, "you have {} card{s} left", "the others have {} card{s} left in all", fewer=True
    )


def describe(s: Position, action: int) -> str:
    """Return, for instance, ``Play three 4s``, ``Turn up your second 3DOWN`` or ``Draw a card``."""
    if action == DRAW and _draws_before(s):
        return "Draw up to three cards"
    if s.choosing:
        whose = "for the player on your left" if s.pick_for_others else "as your 3UP"
        return f"Choose {_put_up(action)} {whose}"
    if DOWN <= action < TAKE:
        return f"Turn up your {ORDINALS[action - DOWN]} 3DOWN"
    if TAKE <= action < UP:
        return ("Take the pile", "Draw a card", "Keep your cards")[action - TAKE]
    if action >= SWAP:
        give, get = divmod(action - SWAP, KINDS)
        return f"Swap the {_colored(give)} for the {_colored(get)} of your 3UP"
    return f"Play {_played(action, 'the')}"


def _draws_before(s: Position) -> bool:
    """Return whether `draw` fills the hand before an extra turn (TU6)."""
    return s.extra_turn > 0 and s.size[s.turn] < HAND


def _tell_count(before: Position, after: Position) -> str:
    """Return who got how many points at the end of a game (TU16)."""
    gains = [after.points[seat] - before.points[seat] for seat in range(before.seats)]
    return "; points: " + ", ".join(f"{{{seat}}} {gain}" for seat, gain in enumerate(gains))


def _tell_move(before: Position, after: Position, action: int) -> str:
    seat = before.turn
    if before.choosing:
        other = f" for {{{(seat + 1) % before.seats}}}" if before.pick_for_others else ""
        if action < 0:
            return f"chooses the 3UP{other}"
        return f"puts {_put_up(action)} face up{other}"
    if DOWN <= action < TAKE:
        return _tell_down(before, after, action - DOWN)
    if action == TAKE:
        return f"can't play and picks up {_pile(before)}"
    if action == DRAW:
        before_it = _draws_before(before)
        return "draws before the extra turn" if before_it else "draws a card instead of playing"
    if action == KEEP:
        return "keeps all cards"
    if action >= SWAP:
        give, get = divmod(action - SWAP, KINDS)
        return f"swaps the {_colored(give)} for the {_colored(get)} of the 3UP"
    return f"plays {_played(action, 'a')}"


def _played(action: int, article: str) -> str:
    """Return the cards of a play: ``a 4``, ``three 4s``, ``two red 4s and one blue 4``."""
    rank = RANK_NAMES[rank_of(action)]
    if action < DOWN:
        return _counted_cards(action % COPIES + 1, rank, article)
    copies = {COLOR_NAMES[color]: copies_of(action, color) for color in range(COLORS)}
    if sum(copies.values()) > 1:
        article = ""
    parts = [
        _counted_cards(number, f"{color} {rank}", article)
        for color, number in copies.items()
        if number
    ]
    return joined(parts)


def _counted_cards(number: int, card: str, article: str) -> str:
    if number == 1:
        if article == "a" and card.startswith("8"):
            article = "an"
        return f"{article or 'one'} {card}"
    count = COUNTS[number] if number < len(COUNTS) else f"{number}"
    return f"{count} {card} cards" if "+" in card else f"{count} {card}s"


def _put_up(action: int) -> str:
    """Return three ranks or cards that an action puts up: ``3, 7 and clear``."""
    cards = [up_card(action, i) for i in range(3)]
    colored = action >= COLORED_UP
    return joined([_colored(card) if colored else RANK_NAMES[card] for card in cards])


def _colored(kind: int) -> str:
    return f"{COLOR_NAMES[kind % COLORS]} {RANK_NAMES[kind // COLORS]}"


def _tell_down(before: Position, after: Position, i: int) -> str:
    seat = before.turn
    said = f"turns up the {ORDINALS[i]} 3DOWN"
    if after.game > before.game:
        # All cards are dealt anew, but hands were laid open, and this one was empty before.
        for rank, copies in enumerate(after.counted[seat]):
            if copies > sum(before.pile[COLORS * rank : COLORS * (rank + 1)]):
                return f"{said}, {_counted_cards(1, RANK_NAMES[rank], 'a')}, which can't be played"
        return f"{said}, {_card_said(before, after.recent[before.pile_n % len(after.recent)])}"
    card = after.deck[down_place(before, seat, i)]
    if after.size[seat]:
        failed = "which" if card == ERASED else f"{_card_said(before, card)}, which"  # TU9
        return f"{said}, {failed} can't be played, and picks up {_pile(before)}"
    return f"{said}, {_card_said(before, card)}"


def _card_said(s: Position, kind: int) -> str:
    """Return a card in words, with its color only where colors count."""
    card = _colored(kind) if s.color_four else RANK_NAMES[kind // COLORS]
    return _counted_cards(1, card, "a")


def _card_text(colored: int, kind: int) -> str:
    """Return a card's text, with its color only where colors count: pictures show them anyway."""
    return CARDS[kind] if colored else RANK_NAMES[kind // COLORS]


def _pile(s: Position) -> str:
    return f"the pile ({counted(s.pile_n, 'card')})"


def show(s: Position, seat: int | None) -> Scene:
    """Return the piles on the table, and each seat's hand, 3UP and 3DOWN."""
    acting = s.turn >= 0 and seat in (None, s.turn)
    out = [0] * (MAX_LEGAL + 1)
    actions = out[: legal(s, out)] if acting else []
    moves = {name(s, action): _parts(action) for action in actions}
    return Scene(
        tuple(_zones(s)),
        tuple(_facts(s)),
        _prompt(s, moves),
        {"left": [_places_left(s, other) for other in range(s.seats)]},
        dimmed=_dimmed(s) if acting else {},
        moves=moves,
    )


def _parts(action: int) -> dict[str, Any]:
    """Return a move's kind, and the cards that it plays, puts up or swaps."""
    if action < DOWN:
        return _play(rank_of(action), action % COPIES + 1, [])
    if action < TAKE:
        return {"kind": "down", "number": action - DOWN + 1}
    if action < UP:
        return {"kind": ("take", "draw", "keep")[action - TAKE]}
    if action < COLORED or COLORED_UP <= action < SWAP:
        return {"kind": "up", "cards": _chosen(action)}
    if action < COLORED_UP:
        colors = [COLOR_NAMES[i] for i in range(COLORS) for _ in range(copies_of(action, i))]
        return _play(rank_of(action), len(colors), colors)
    give, get = (
        {"rank": RANK_NAMES[kind // COLORS], "color": COLOR_NAMES[kind % COLORS]}
        for kind in divmod(action - SWAP, KINDS)
    )
    return {"kind": "swap", "give": give, "get": get}


def _play(rank: int, copies: int, colors: list[str]) -> dict[str, Any]:
    return {
        "kind": "play",
        "rank": RANK_NAMES[rank],
        "spoken": SPOKEN_RANKS[rank],
        "copies": copies,
        "colors": colors,
    }


def _chosen(action: int) -> list[str]:
    names = RANK_NAMES if action < COLORED else CARDS
    return [names[up_card(action, i)] for i in range(3)]


def _zones(s: Position) -> list[Zone]:
    left = s.deck_n - s.drawn
    stock = [back(_id(s.game, s.drawn + i)) for i in range(min(left, HAND))]
    pile = _pile_cards(s)
    zones = [
        Zone("draw", tuple(stock[::-1]), size=left, name="draw pile"),
        Zone("discard", tuple(pile), size=s.pile_n, spread=True, name="discard pile"),
        Zone("cleared", (), size=s.cleared),
    ]
    for seat in range(s.seats):
        game, colored = s.game, s.color_four
        unseen = tuple([(s.deck[place], place) for place in _row(s, seat)])
        # After `redact` the counts hold only what the reader knows of the hand.
        zones.append(_hand(game, colored, seat, bytes(s.held[seat]), unseen))
        up = tuple(s.up[seat][: s.up_n[seat]])
        zones.append(_three_up(game, colored, seat, up, _dealt_up(s, seat)))
        places = [down_place(s, seat, i) for i in range(3) if s.down[seat] >> i & 1]
        covered = tuple([(s.deck[place], place) for place in places])
        zones.append(_three_down(game, colored, seat, covered))
    return zones


def _pile_cards(s: Position) -> list[Card]:
    """Return the cards on top of the pile, each as the card that it was before it was played."""
    pile = []
    above: Counter[tuple[int, int]] = Counter()
    for i in reversed(range(max(0, s.pile_n - len(s.recent)), s.pile_n)):
        kind, came = s.recent[i % len(s.recent)], s.came[i % len(s.came)]
        if came < FROM_SEEN:
            place = _id(s.game, came)
        else:
            # Equal cards that left a hand or the 3UP are numbered on, the last one first.
            copy = above[kind, came]
            above[kind, came] += 1
            if came < FROM_UP:
                seat = came - FROM_SEEN
                seen = s.held[seat][kind] - sum(s.deck[at] == kind for at in _row(s, seat))
                place = _seen_id(s.game, seat, kind, seen + copy)
            else:
                seat = came - FROM_UP
                copy += s.up[seat][: s.up_n[seat]].count(kind)
                place = _up_id(s.game, seat, kind, copy, _dealt_up(s, seat))
        pile.append(_card(s.color_four, kind, place))
    return pile[::-1]


@lru_cache(maxsize=KEPT_ZONES)
def _hand(
    game: int, colored: int, seat: int, held: bytes, row: tuple[tuple[int, int], ...]
) -> Zone:
    """Return a hand: the known cards by kind, then the others as they were drawn.

    ``held`` counts the known cards of each kind; ``row`` has the unseen cards' places. The counts
    are bytes because a tuple of them would take most of the memory of a kept hand.
    """
    hand: list[Card] = []
    for kind, copies in enumerate(held):
        if copies:
            unseen = [_id(game, place) for other, place in row if other == kind]
            seen = range(copies - len(unseen))
            ids = [_seen_id(game, seat, kind, copy) for copy in seen] + unseen
            hand += [_card(colored, kind, place) for place in ids]
    hand += [back(_id(game, place)) for kind, place in row if kind == ERASED]
    return Zone("hand", tuple(hand), seat, len(hand), spread=True)


@lru_cache(maxsize=KEPT_ZONES)
def _three_up(
    game: int, colored: int, seat: int, up: tuple[int, ...], dealt: tuple[tuple[int, int], ...]
) -> Zone:
    ids = (_up_id(game, seat, kind, up[:i].count(kind), dealt) for i, kind in enumerate(up))
    cards = tuple(_card(colored, kind, place) for kind, place in zip(up, ids, strict=True))
    return Zone("up", cards, seat, len(cards), spread=True, name="3UP")


@lru_cache(maxsize=KEPT_ZONES)
def _three_down(game: int, colored: int, seat: int, covered: tuple[tuple[int, int], ...]) -> Zone:
    cards = tuple(_card(colored, kind, _id(game, place)) for kind, place in covered)
    return Zone("down", cards, seat, len(cards), spread=True, name="3DOWN")


def _dealt_up(s: Position, seat: int) -> tuple[tuple[int, int], ...]:
    """Return the cards that were put up for a seat: their kinds and places."""
    dealt = s.pile_of[seat]
    order = (dealt - s.first - s.pick_for_others) % s.seats
    six = s.choice[(dealt - s.pick_for_others) % s.seats]
    places = [(HAND + i) * s.seats + order for i in range(DEALT) if six >> i & 1]
    return tuple((s.deck[place], place) for place in places)


def _row(s: Position, seat: int) -> list[int]:
    """Return the places of the unseen cards of a hand."""
    start = s.hand_at[seat]
    return s.hand[start : start + s.hand_n[seat]]


def _id(game: int, place: int) -> str:
    """Return the game and the place that the card had after its shuffle."""
    return f"{game}-{place}"


def _seen_id(game: int, seat: int, kind: int, copy: int) -> str:
    """Return what stands for the place of a card that came into a hand with the pile.

    The state holds only how many there are of each kind: docs/architecture.md says why, under
    Places.
    """
    return f"{game}-hand-{seat}-{kind}-{copy}"


def _up_id(game: int, seat: int, kind: int, copy: int, dealt: Sequence[tuple[int, int]]) -> str:
    """Return the place of one of the 3UP, or after a swap what stands for it."""
    chosen = [place for other, place in dealt if other == kind]
    return _id(game, chosen[copy]) if copy < len(chosen) else f"{game}-up-{seat}-{kind}-{copy}"


@lru_cache(maxsize=KEPT_CARDS)
def _card(colored: int, kind: int, place: str) -> Card:
    if kind == ERASED:
        return back(place)
    text = _card_text(colored, kind)
    rank, color = RANK_NAMES[kind // COLORS], COLOR_NAMES[kind % COLORS]
    spoken = f"{SPOKEN_RANKS[kind // COLORS]}, {color}"
    return Card(text, color, rank, spoken=spoken, place=place)


def _least(rank: int) -> str:
    """Return what can be played on a card: ``7 or higher``, ``a clear card``."""
    if rank == CLEAR:
        return "a clear card"
    return " or ".join(RANK_NAMES[rank:]) if rank > CLEAR else f"{RANK_NAMES[rank]} or higher"


def _facts(s: Position) -> list[Fact]:
    facts = []
    if s.games:
        facts.append(fact("game", s.game, text=f"{s.game} of {s.games}"))
    if not s.choosing:
        top = RANK_NAMES[s.top] if s.pile_n else ""
        least = _least(s.top) if top else "any card"
        facts.append(fact("beat", top, name="play", text=least))
        facts.append(fact("run", s.run, name="in a row"))
        facts.append(fact("extra", s.extra + s.extra_turn, name="extra turns"))
    if s.reverse_ones:
        facts.append(fact("direction", "left" if s.direction == 1 else "right"))
    moves_left = quiet_limit(s) - s.quiet
    if s.quiet >= s.seats and (s.stall or moves_left <= NEAR):
        facts.append(fact("stall", moves_left, name="moves to stalemate"))
    for seat in range(s.seats):
        if s.games:
            facts.append(fact("points", s.points[seat], seat))
        if s.choosing and s.game > 1:
            facts.append(fact("last", _last_game(s, seat), seat, name="last game"))
        if s.choosing and s.choice[seat]:
            secret = s.choice[seat] == ERASED
            chosen = "" if secret else " ".join(_chosen(s.choice[seat]))
            text = "made" if secret else _put_up(s.choice[seat])
            facts.append(fact("chosen", chosen, seat, name="choice", text=text))
        if s.place_out[seat]:
            facts.append(fact("out", s.place_out[seat], seat))
        elif 0 < s.down[seat] < 7:
            left = " ".join(map(str, _places_left(s, seat)))
            facts.append(fact("left", left, seat, name="3DOWN places"))
    return facts


def _places_left(s: Position, seat: int) -> list[int]:
    return [i + 1 for i in range(3) if s.down[seat] >> i & 1]


def _last_game(s: Position, seat: int) -> str:
    """Return the hand that was laid open at the end of the last game, and its points (TU16)."""
    ranks = [rank for rank, copies in enumerate(s.counted[seat]) for _ in range(copies)]
    points = counted(sum(POINTS[rank] for rank in ranks), "point")
    cards = " ".join(RANK_NAMES[rank] for rank in ranks)
    return f"{points} for {cards}" if cards else "no points: out of cards"


def _prompt(s: Position, moves: Mapping[str, Any]) -> str:
    """Return what is asked of the seat to move; ``moves`` is empty for all who can't know them."""
    if s.turn < 0:
        return ""
    seat = s.turn
    if s.choosing:
        return _ask_for_choice(s)
    if s.asking:
        return (
            "Four of a color in a row: swap a hand card with one of your 3UP, or keep your cards."
        )
    goal = _least(s.top) if s.pile_n else "any card on the empty pile"
    stuck = "take" in moves
    extra = "Extra turn. " if s.extra_turn else ""
    if s.size[seat]:
        draws = _draws_before(s) and s.drawn < s.deck_n
        if stuck and draws:
            return f"{extra}Nothing you hold is {goal}: draw up to three cards, or take the pile."
        if stuck:
            return f"{extra}Nothing you hold is {goal}: take the pile."
        asked = f"{extra}Play from your hand: {goal}."
        if draws:
            return f"{asked} You may draw up to three cards first."
        if "draw" in moves:
            return f"{asked} Or draw a card, which ends the {'extra ' if extra else ''}turn."
        return asked
    if s.up_n[seat]:
        if stuck:
            return f"{extra}None of your 3UP is {goal}: take the pile."
        return f"{extra}Play from your 3UP: {goal}."
    must = f"it must be {goal}" if s.pile_n else "any card will do on the empty pile"
    return f"{extra}Turn up one of your 3DOWN: {must}."


def _ask_for_choice(s: Position) -> str:
    if s.pick_for_others:
        return "Choose three of your six cards: they become the 3UP of the player on your left."
    if s.swap_piles:
        return "Choose three of your six cards as 3UP. Then the piles are dealt out at random."
    chosen = "Choose three of your six cards as your 3UP"
    return f"{chosen}: you play them after your hand and the draw pile."


def _dimmed(s: Position) -> dict[str, str]:
    if s.choosing or s.asking:
        return {}
    seat = s.turn
    hand = [kind for kind in range(KINDS) if s.held[seat][kind]]
    up = s.up[seat][: s.up_n[seat]]
    first, later = (hand, up) if hand else (up, [])
    reason = f"You need {_least(s.top)}."
    dimmed = {_card_text(s.color_four, kind): reason for kind in first if kind // COLORS < s.top}
    playable = {_card_text(s.color_four, kind) for kind in first} - dimmed.keys()
    for text in (_card_text(s.color_four, kind) for kind in later):
        if text not in playable:
            dimmed.setdefault(text, "Play your hand before your 3UP.")
    return dimmed


assert len(RANK_NAMES) == RANKS == len(EXTRA)


def numbers(s: Position) -> dict[str, int]:
    """Return the rank that a card must reach: 0 on an empty pile."""
    return {"the rank to reach": s.top + 1 if s.pile_n else 0}
