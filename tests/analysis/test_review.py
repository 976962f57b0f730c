"""Reviews: blunders are found, the parts add up, and nothing hidden plays a part.

``python -m tests.analysis.test_review`` writes what the reviews of the golden records come to: anew
when ``VERSION`` was raised.
"""

import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import redouble
from redouble.analysis import review as reviews
from redouble.analysis import shares
from redouble.analysis.hint import ONLY, QUICK, advise, guess
from redouble.analysis.review import VERSION, Review, ReviewError, ReviewStopped, judge, review
from redouble.bots import BOTS, own_chance
from redouble.contract.game import WORK, Game
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from redouble.match.match import Match
from redouble.match.story import midsentence
from redouble.terminal.ask.screen import Screen
from redouble.terminal.study.review import as_text
from tests.helpers.command import Run
from tests.helpers.known import known
from tests.helpers.places import GOLDEN
from tests.helpers.tables import play_on
from tests.helpers.worlds import own_games

CHOSEN = [game for game in GAMES.values() if game.name in own_games()]
EACH = pytest.mark.parametrize("game", CHOSEN, ids=lambda game: game.name)
SHORT = 60
"""Iterations: what is tested here depends on no figure."""


def step(match: Match) -> None:
    """A move of a careful player."""
    observation = match.observation()
    chance = own_chance("review", observation.seat, match.ply)
    match.push_action(BOTS["greedy"].choose(observation, chance))


def played(game: Game, plies: int = 5000) -> Match:
    """A game of careful players."""
    match = Match(game, game.usual_seats, "review")
    while match.turn is not None and match.ply < plies:
        step(match)
    return match


def chips(match: Match, seat: int) -> int:
    return int(match.view().fact("chips", seat).value)


def chips_after(match: Match, move: str) -> int:
    """What the seat to move has left after a move."""
    after, seat = match.copy(), match.turn
    assert seat is not None
    after.push(move)
    return chips(after, seat)


@pytest.fixture(scope="module")
def blunder() -> tuple[Match, int, str]:
    """A game for two in which a player needlessly gives a chip away; the ply and the move."""
    match = redouble.new("double-down", seats=["Anna", "Ben"], seed="blunder")
    ply, move = -1, ""
    while match.turn is not None:
        seat = match.turn
        if ply < 0 and chips(match, seat) == 2:
            left = {move: chips_after(match, move) for move in match.legal_moves}
            if len(set(left.values())) == 2:
                ply, move = match.ply, min(left, key=lambda move: left[move])
                match.push(move)
                continue
        step(match)
    assert ply > 0
    return match, ply, move


def test_a_planted_blunder_is_found_and_a_better_move_is_named(
    blunder: tuple[Match, int, str],
) -> None:
    match, ply, move = blunder
    found = review(match, 300)
    (decision,) = (one for one in found.decisions if one.ply == ply)
    assert decision.move == move
    assert decision.loss > reviews.CLEAR * decision.error > 0
    assert decision in found.moments()
    before = match.copy()
    while before.ply > ply:
        before.pop()
    assert decision.seat == before.turn
    assert chips_after(before, decision.better) == chips(before, decision.seat)
    assert chips_after(before, move) < chips(before, decision.seat)
    assert found.accounts[decision.seat].mistakes >= 1


@EACH
def test_the_parts_add_up(game: Game) -> None:
    match = played(game)
    found = review(match, SHORT)
    assert found.over
    assert found.seats == match.seats
    assert found.plies == match.ply
    for account in found.accounts:
        parts = account.deal + account.gifts + account.chance - account.lost
        assert account.result - account.start == pytest.approx(parts)
        assert account.luck - account.lost == pytest.approx(account.result - account.start)
        mine = [one for one in found.decisions if one.seat == account.seat]
        assert account.lost == pytest.approx(sum(one.loss for one in mine))
        assert account.decisions == len(mine)
        assert account.mistakes == sum(one in found.mistakes for one in mine)
        assert account.result == found.points[-1].shares[account.seat]
    if match.seats > 1:
        # What one loses the others gain, so the totals balance.
        assert sum(a.gifts - a.lost for a in found.accounts) == pytest.approx(0, abs=1e-9)
        assert sum(a.result for a in found.accounts) == pytest.approx(match.seats / 2)
        assert sum(a.start for a in found.accounts) == pytest.approx(match.seats / 2)
    assert all(0 <= share <= 1 for point in found.points for share in point.shares)
    assert [point.ply for point in found.points] == sorted({p.ply for p in found.points})
    assert (found.points[0].ply, found.points[-1].ply) == (0, match.ply)
    choices = [one.ply for one in found.decisions]
    assert choices == sorted(choices)
    for one in found.decisions:
        assert match.moves[one.ply] == one.move != one.better
        assert bool(one.better) == (one.loss > 0) == any(one.moved)


def test_the_same_game_gets_the_same_review() -> None:
    match = played(CHOSEN[0], 40)
    first = review(match, SHORT, threads=1)
    assert first == review(match, SHORT, threads=3)
    assert first == review(match.record(), SHORT)


@EACH
def test_worlds_that_the_seat_cannot_tell_apart_get_the_same_judgment_and_hint(game: Game) -> None:
    match, different = played(game, 1), 0
    for ply in range(24):
        observation = match.observation() if match.turn is not None else None
        if observation is None:
            break
        state = observation.state.copy()
        game.rules.determinize(state, seed_words(f"other {ply}"), [0] * WORK)
        different += state != match.state
        game.rules.redact(state, observation.seat)
        other = replace(observation, state=state)
        if len(observation.legal) > 1 and ply % 3 == 0:
            action = observation.legal[-1]
            assert judge(observation, action, ply, SHORT) == judge(other, action, ply, SHORT)
            assert advise(observation, match.names, SHORT) == advise(other, match.names, SHORT)
            assert guess(observation) == guess(other)
        step(match)
    assert different


@EACH
def test_a_hint_is_a_legal_move_with_a_reason(game: Game) -> None:
    names = [f"Seat {letter}" for letter in "ABCDEFGHIJKL"][: game.usual_seats]
    match = Match(game, names, "hint")
    for _ in range(12):
        if match.turn is None:
            break
        observation = match.observation()
        advice = advise(observation, match.names, SHORT)
        assert advice.action in observation.legal
        assert advice.move == observation.name(advice.action)
        assert not advice.quick
        assert (advice.reason == ONLY) == (len(observation.legal) == 1)
        quick = guess(observation)
        assert quick.quick
        assert quick.reason == QUICK
        assert quick.action in observation.legal
        step(match)


def test_the_danger_is_a_reply_that_another_player_could_make() -> None:
    """Near the end of a game for two, the next move can decide it."""
    match = redouble.new("double-down", seats=["Anna", "Ben"], seed="fear")
    feared = set()
    while match.turn is not None:
        if len(match.legal_moves) > 1:
            reason = advise(match.observation(), match.names, 200).reason
            if found := re.search(r"Watch out: (\w+) could (play .+)$", reason):
                assert found[1] == match.names[1 - match.turn]
                feared.add(found[2])
        step(match)
    assert feared


def test_the_danger_need_not_be_legal_yet() -> None:
    """Another player's reply is named, although the player who gets the hint can't make it."""
    match = redouble.new("double-dominoes", seats=4, seed="danger 25")
    match.push("1-4 g8 e")
    advice = advise(match.observation(), match.names)
    found = known(re.search(r"Watch out: Player 3 could (place \d-\d .+)$", advice.reason))
    legal = {midsentence(match.describe(move)) for move in match.legal_moves}
    assert found[1] not in legal


@EACH
def test_an_observation_names_every_action_of_its_game(game: Game) -> None:
    """Hints and drawn searches name replies, which are not legal at once."""
    match = Match(game, game.usual_seats, "names")
    observation = match.observation()
    actions = range(0, game.rules.ACTIONS, max(1, game.rules.ACTIONS // 5000))
    named = [action for action in actions if observation.name(action)]
    assert set(named) - set(observation.legal)
    assert set(observation.legal) & set(actions) <= set(named)


def test_an_unfinished_game_is_reviewed_as_far_as_it_goes() -> None:
    match = played(CHOSEN[0], 10)
    found = review(match, SHORT)
    assert not found.over
    assert found.points[-1].ply == 10
    assert all(account.rank is None for account in found.accounts)
    with pytest.raises(ReviewError, match="not over"):
        reviews.results(match)


def test_games_that_cannot_be_reviewed_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ReviewError, match="no move was made"):
        review(played(CHOSEN[0], 0))
    monkeypatch.setattr(reviews, "MAX_DECISIONS", 1)
    with pytest.raises(ReviewError, match="are too many to review: give a game with at most 1"):
        review(played(CHOSEN[0], 10))


def test_the_progress_callback_sees_every_step_and_can_stop() -> None:
    match = played(CHOSEN[0], 10)
    steps: list[tuple[int, int]] = []

    def watch(done: int, total: int) -> bool:
        steps.append((done, total))
        return True

    review(match, SHORT, watch)
    total = steps[0][1]
    assert steps == [(done, total) for done in range(1, total + 1)]
    with pytest.raises(ReviewStopped):
        review(match, SHORT, lambda done, total: done < 3)


def test_a_long_game_gets_fewer_iterations_per_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "TOTAL", 1500)
    found = review(played(CHOSEN[0], 10), 1000)
    assert found.iterations == 1500 // len(found.decisions)


def test_shares_in_words() -> None:
    assert shares.of_ranks((1, 2, 2, 4)) == (1.0, 0.5, 0.5, 0.0)
    assert [shares.expected(0.4, seats) for seats in (1, 2, 4)] == ["40%", "40 of 100", "2.8"]
    assert [shares.difference(0.2, seats) for seats in (1, 2, 4)] == ["+20", "+20", "+0.60"]
    assert shares.difference(-0.001, 2) == "0"
    assert shares.difference(-0.2, 4, sign=False) == "0.60"
    places = [shares.place_in_words(share, 7) for share in (1.0, 0.75, 0.7, -0.01)]
    assert places == ["1st", "2nd or 3rd", "3rd", "7th"]
    losses = [shares.loss_in_words(0.8, share, 7) for share in (0.77, 0.7, 0.63, 0.4)]
    assert losses == ["a little worse", "half a place worse", "a place worse", "2 places worse"]
    assert shares.loss_in_words(0.6, 0.45, 2) == "with 45 of 100"


def test_the_command_shows_a_review(
    run: Run, tmp_path: Path, blunder: tuple[Match, int, str]
) -> None:
    match, ply, move = blunder
    file = tmp_path / "game.json"
    file.write_text(f"{match.record()}\n", encoding="utf-8")
    shown = run("review", str(file), "--iterations", "300")
    assert shown.code == 0, shown.err
    assert f"Move {ply + 1}: {match.names[ply % 2]} plays {move}: " in shown.out
    assert " Better: play the " in " ".join(shown.out.split())
    assert "chance (cards and play)" in " ".join(shown.out.split())
    # The table is as that seat saw it, and that seat is not the reader.
    assert re.search(rf"^{match.names[ply % 2]}: chips 2; hand: (\S+ ){{4}}\S+$", shown.out, re.M)
    assert "(you)" not in shown.out
    row = json.loads(run("review", str(file), "--iterations", "300", "--json", "-").out)
    assert row["game"] == match.game.name
    assert row["decisions"] == review(match, 300).to_dict()["decisions"]
    one = run("review", str(file), "--iterations", "20", "--seat", "1").out
    assert re.search(r"^Ben +[12]\.", one, re.M)
    assert not re.search(r"^Anna ", one, re.M)


def test_after_a_game_at_the_terminal_the_moments_are_those_of_its_players(
    capsys: pytest.CaptureFixture[str], blunder: tuple[Match, int, str]
) -> None:
    match, ply, _ = blunder
    found, seat = review(match, 300), ply % 2
    worst = f"1. Move {ply + 1}: {match.names[seat]} plays "
    for players, theirs in (((), True), ((0, 1), True), ((seat,), True), ((1 - seat,), False)):
        as_text(match, found, Screen(plain=True), players=players)
        shown = capsys.readouterr().out
        assert (worst in shown) == theirs
        assert (f" of {match.names[1 - seat]}" in shown) == (players == (1 - seat,))
        assert all(re.search(f"^{name} ", shown, re.M) for name in match.names)


def test_the_command_says_what_knowing_the_stock_was_worth(run: Run, tmp_path: Path) -> None:
    game = next(game for game in CHOSEN if game.solver is not None)
    match = play_on(Match(game, 1, "5", {"free-flip": True}), Random(1))
    file = tmp_path / "game.json"
    file.write_text(f"{match.record()}\n", encoding="utf-8")
    words = ("review", str(file), "--iterations", "20")
    told = json.loads(run(*words, "--json", "-").out)["foresight"]
    assert told["winnable"]
    assert not told["won"]
    at = told["lost_at"]
    assert told["lost_by"] == match.moves[at - 1]
    shown = " ".join(run(*words).out.split())
    assert f"The solver, which knows the stock: Move {at} (" in shown
    assert "Before that, these moves would have won: " in shown
    assert "The player could not know this" in shown
    other = tmp_path / "other.json"
    other.write_text(f"{played(CHOSEN[0], 6).record()}\n", encoding="utf-8")
    assert "stock" not in run("review", str(other), "--iterations", "20").out


def test_the_command_says_what_is_wrong(run: Run, tmp_path: Path) -> None:
    match = played(CHOSEN[0], 6)
    file = tmp_path / "game.json"
    file.write_text(f"{match.record()}\n", encoding="utf-8")
    assert "The game isn't over" in run("review", str(file), "--iterations", "20").out
    assert "there is no seat 9" in run("review", str(file), "--seat", "9").refusal()
    file.write_text('{"game": 1}\n', encoding="utf-8")
    run("review", str(file)).refusal()


@EACH
def test_a_review_comes_back_from_plain_json_as_it_was(game: Game) -> None:
    found = review(played(game, 40), SHORT)
    data = json.loads(json.dumps(found.to_dict()))
    assert len(data["accounts"]) == found.seats
    assert set(data["accounts"][0]) >= set(asdict(found.accounts[0])) - {"seat"}
    again = Review.from_dict(data)
    assert again == found  # to the last digit
    assert again.to_dict() == found.to_dict()
    assert (found.foresight is None) == (game.solver is None)


@pytest.mark.parametrize(
    "change",
    [
        {"seats": 1},
        {"seats": True},
        {"plies": -1},
        {"iterations": "many"},
        {"accounts": []},
        {"graph": []},
        {"graph": [{"ply": 0, "shares": ["half", 0.5]}]},
        {"graph": {"ply": 0}},
        {"decisions": [{}]},
        {"decisions": None},
        {"foresight": {}},
    ],
    ids=str,
)
def test_an_invalid_review_is_refused(change: dict[str, Any]) -> None:
    data = review(played(CHOSEN[0], 6), 10).to_dict()
    assert Review.from_dict(data)
    with pytest.raises(ReviewError, match="this isn't a review"):
        Review.from_dict(data | change)


def test_names_can_be_left_out_and_put_back() -> None:
    match = played(CHOSEN[0], 6)
    found = review(match, 10)
    nameless = found.named([""] * match.seats)
    assert not any(name in json.dumps(nameless.to_dict()) for name in match.names)
    assert nameless.named(match.names) == found


REVIEWS = GOLDEN / "reviews.json"


def golden() -> dict[str, Any]:
    """What the reviews of the golden records come to."""
    told: dict[str, Any] = {"version": VERSION}
    for game in CHOSEN:
        line = (GOLDEN / f"{game.name}.txt").read_text(encoding="utf-8").partition("\n")[0]
        found = review(redouble.replay(line), SHORT).to_dict()
        told[game.name] = {name: found[name] for name in ("accounts", "moments", "foresight")}
    return told


def test_a_review_that_changes_has_a_new_version() -> None:
    """Otherwise pages would keep showing old reviews that differ for no visible reason."""
    kept = json.loads(REVIEWS.read_text(encoding="utf-8"))
    assert kept["version"] == VERSION, "write the golden reviews anew"
    found = golden()
    for name in found:
        assert found[name] == kept[name], "raise VERSION, then write the golden reviews anew"


def main() -> None:
    REVIEWS.write_text(json.dumps(golden(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {REVIEWS.name}")


if __name__ == "__main__":
    main()
