"""Fair deals: the generator that can't be predicted, and what ``verify`` finds in a record."""

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from hashlib import sha256
from random import Random
from typing import Any

import pytest

import redouble
from redouble.analysis.review import review
from redouble.kernel import rng
from redouble.kernel.engine import to_records
from redouble.kernel.errors import RecordError, SeatsError
from redouble.match.fair import FIRST, FairDeal, Share, digest, link_of, seed_of
from redouble.match.match import Match
from redouble.match.record import Record
from redouble.match.verify import verify
from tests.helpers.cases import case
from tests.helpers.tables import play_on

GAME = redouble.GAMES["three-up"]
OPTIONS = {"play-on": True}
SHARES = (
    Share(seat=0, share="1a" * 32),
    Share(seat=1, share="2b" * 32, promise=digest("2b" * 32)),
    Share(seat=2, promise="3c" * 32),
)


def fair_deal() -> FairDeal:
    secret = "5e" * 32
    commitment, previous = digest(secret), digest("the one before")
    link = link_of(7, previous, commitment)
    return FairDeal(
        number=7, previous=previous, commitment=commitment, link=link, secret=secret, shares=SHARES
    )


def fair_record() -> Record:
    deal = fair_deal()
    seed = seed_of(GAME.name, GAME.version, 4, deal.secret, deal.shares)
    match = Match(GAME, ["Ann", "Ben", "Cem", "Bot"], seed, OPTIONS, fair=deal)
    play_on(match, Random("fair"))
    return match.record([(3, "Ann says hello.")])


RECORD = fair_record()


def test_the_numbers_of_a_fair_deal_are_those_of_sha_256() -> None:
    generator = rng.unpredictable("seed")
    key = sha256(b"seed").digest()
    for number in range(3):
        first = sha256(key + number.to_bytes(8, "little")).digest()[:8]
        high, low = rng.words(generator)
        assert (low.to_bytes(4, "little") + high.to_bytes(4, "little")) == first


def test_a_seed_is_the_sha_256_of_json_that_anybody_can_write() -> None:
    text = (
        f'["redouble fair deal 1","three-up",{GAME.version},4,"{"5e" * 32}",'
        f'[[0,"{"1a" * 32}"],[1,"{"2b" * 32}","{digest("2b" * 32)}"],'
        f'[2,"","{"3c" * 32}"]]]'
    )
    assert RECORD.seed == sha256(text.encode()).hexdigest()


def test_a_fair_deal_is_dealt_again_from_its_start_and_reviewed() -> None:
    match = redouble.replay(RECORD)
    again = match.restarted()
    assert (again.ply, again.names, again.options) == (0, match.names, match.options)
    for move in match.moves:
        again.push(move)
    assert again.state == match.state
    while match.ply > 12:
        match.pop()
    assert review(match, 30).plies == 12


def test_the_cards_are_others_than_those_of_the_same_seed_without_a_fair_deal() -> None:
    without = Match(GAME, 4, RECORD.seed, OPTIONS)
    assert without.state.deck != Match(GAME, 4, RECORD.seed, OPTIONS, fair=RECORD.fair).state.deck


def test_a_fair_record_is_read_back_and_a_record_without_stays_as_it_was() -> None:
    assert Record.parse(str(RECORD)) == RECORD
    match = redouble.replay(RECORD)
    assert (match.record(RECORD.notes), match.fair) == (RECORD, RECORD.fair)
    assert "fair" not in redouble.new(GAME).record().to_dict()


def test_search_goes_on_from_what_a_seat_knows_of_a_fair_deal() -> None:
    match = redouble.replay(replace(RECORD, moves=RECORD.moves[:9], ranks=None))
    assert len(match.state.rng) > rng.WORDS
    for seat in (redouble.SPECTATOR, 0, 1):
        seen = match.seen_by(seat)
        assert list(to_records(seen)[0]["rng"]) == seen.rng == [0] * rng.WORDS
    before = match.state.copy()
    move = match.pop()
    match.push(move)
    assert match.state == before


def test_a_game_for_one_has_no_fair_deal() -> None:
    with pytest.raises(SeatsError, match="several players"):
        Match(redouble.GAMES["double-or-quits"], 1, "x", fair=fair_deal())


def test_an_honest_record_passes_and_says_who_had_a_part() -> None:
    deal = fair_deal()
    verdict = verify(RECORD, [deal.commitment, deal.link.upper(), f" {SHARES[1].share}\n"])
    assert verdict.fair
    assert len(verdict.findings) == 8
    assert verdict.shares == (
        "Ann and Ben gave a share: the server couldn't choose the cards against them.",
        "Cem promised a share and didn't reveal it, so it doesn't count.",
        "Bot gave no share, and had no part in the cards.",
    )
    assert len(verify(RECORD).not_checked) == len(verdict.not_checked) + 1


def test_a_deal_without_shares_says_that_it_proves_little() -> None:
    deal = replace(fair_deal(), shares=())
    seed = seed_of(GAME.name, GAME.version, 2, deal.secret, ())
    verdict = verify(Match(GAME, 2, seed, fair=deal).record())
    assert verdict.fair
    assert "No player gave a share" in verdict.shares[0]


def other(value: Any) -> Any:
    """A value of the same form."""
    if isinstance(value, str):
        return f"{'0' if value[:1] != '0' else '1'}{value[1:]}"
    if isinstance(value, dict):
        return {}
    return value + 1 if isinstance(value, int) else value[1:]


def tampered(data: Any) -> Iterator[tuple[str, Any]]:
    """JSON with each of its values changed, and with each left out."""
    keys = data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in keys:
        for way, value in tampered(data[key]):
            yield f"{key}.{way}", with_value(data, key, value)
        yield f"{key} changed", with_value(data, key, other(data[key]))
        yield f"{key} left out", with_value(data, key, None)


def with_value(data: Any, key: Any, value: Any) -> Any:
    copy = deepcopy(data)
    copy[key] = value
    if value is None:
        del copy[key]
    return copy


def test_every_value_that_is_changed_or_left_out_is_found() -> None:
    names_or_notes = ("seats.", "notes")  # what isn't checked, as ``not_checked`` says
    for way, data in tampered(json.loads(str(RECORD))):
        with case(way):
            try:
                record = Record.from_dict(data)
                fair = verify(record).fair
            except RecordError:
                continue  # it has no longer the form of a record, or no fair deal
            if record != RECORD and fair:
                assert way.startswith(names_or_notes)
                assert way != "seats left out"


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("fair.secret", "x" * 64, "fair: secret isn't 64 hexadecimal digits"),
        ("fair.secret", "5E" * 32, "fair: secret isn't 64 hexadecimal digits"),
        ("fair.number", 0, "the number"),
        ("fair.number", True, "give a whole number"),
        ("fair.shares.0.share", "", "a share is empty"),
        ("fair.extra", "", "unknown key"),
        ("fair.shares", [{"seat": 1, "share": "1a" * 32}] * 2, "order of their seats"),
    ],
)
def test_a_fair_deal_of_another_form_is_refused(path: str, value: object, said: str) -> None:
    data: dict[str, Any] = json.loads(str(RECORD))
    *way, last = path.split(".")
    held: Any = data
    for step in way:
        held = held[int(step)] if step.isdecimal() else held[step]
    held[last] = value
    with pytest.raises(RecordError, match=said):
        Record.from_dict(data)


def test_what_was_noted_and_is_not_in_the_record_is_found() -> None:
    for noted in (FIRST, "", "anything"):
        assert not verify(RECORD, [noted]).fair
    with pytest.raises(RecordError, match="no fair deal"):
        verify(redouble.new(GAME).record())
