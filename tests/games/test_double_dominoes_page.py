"""Double Double Dominoes drawn: its places, its hand and its score track."""

import re
from random import Random

import pytest

import redouble
from redouble import Match
from redouble.analysis.hint import guess
from redouble.contract.registry import GAMES
from redouble.games.double_dominoes.rules import HIGH, LOW, PLACEMENTS, SQUARES, STEP, worth
from redouble.kernel.state import SPECTATOR
from redouble.web.drawing.board import Viewpoint
from redouble.web.drawing.markup.board import draw_board
from redouble.web.drawing.markup.scenes import draw_scene
from redouble.web.drawing.scene import scene_of
from redouble.web.live.live import Live
from redouble.web.thinking.hints import TableHint
from tests.helpers.known import known
from tests.web.helpers.markup import squeezed
from tests.web.helpers.play import Playing, header, seated

NAME = "double-dominoes"
SIDES = ("west", "north", "east", "south")


def playing(seats: int, seed: str = "page") -> Playing:
    return Playing(header(GAMES[NAME], seated(*[f"p{i}" for i in range(seats)]), seed))


def still(match: Match, points: list[int] | None = None) -> str:
    """A picture of a position for everybody, with the pieces moved to other points."""
    scene = scene_of(match.view(SPECTATOR), match.names, playable=False, still=True)
    for piece, space in zip(scene.board["pieces"], points or [], strict=False):
        piece |= {"space": space, "dots": space % 7 if space else None}
    return squeezed(draw_scene(GAMES[NAME], scene))


def places(html: str) -> list[str]:
    """The moves of the places on the board."""
    return re.findall(r'<button class="place [^>]* value="([^"]*)"', html)


@pytest.mark.parametrize("seats", [2, 6])
def test_every_move_can_be_selected_and_then_made(seats: int) -> None:
    play, dice = playing(seats), Random(seats)
    stops = 0
    while (seat := play.table.turn) is not None:
        match = play.table.match
        html = squeezed(draw_board(Live(play.table), Viewpoint(seat)))
        offered = re.findall(r' name="move" value="([^"]*)"', html)
        assert sorted(offered) == sorted(match.legal_moves)
        placed = [move for move in match.legal_moves if move[0].isdigit()]
        assert sorted(places(html)) == sorted(placed)
        groups = re.findall(r'<div class="p(\d+)" role="group" aria-label="Places for (.*?)"', html)
        chosen = re.findall(r'<input class="sr c(\d+)"[^>]* id="choose-\d+-(.*?)"', html)
        assert groups == chosen
        assert {domino for _, domino in groups} == {move.split()[0] for move in placed}
        assert html.count(" checked ") == (len(groups) == 1)
        stops += ">Stop here</button>" in html
        others = [other for other in range(seats) if other != seat] + [SPECTATOR]
        for other in others[:1] + others[-1:]:
            unseen = squeezed(draw_board(Live(play.table), Viewpoint(other)))
            assert not places(unseen)
            assert 'name="move"' not in unseen
        play.move(dice.choice(list(match.legal_moves)))
    assert stops


def test_a_domino_for_the_pit_is_chosen_in_the_hand() -> None:
    play = playing(2, "guide 1")
    play.move("0-1 g8 e")
    moves = list(play.table.match.legal_moves)
    assert [move.split()[0] for move in moves] == ["pit"] * 4
    html = squeezed(draw_board(Live(play.table), Viewpoint(play.table.turn or 0)))
    pressed = re.findall(r'<button class="dom [^>]* value="(.*?)" aria-label="(.*?)">', html)
    assert sorted(pressed) == sorted((m, f"Put {m[4:]} into the pit") for m in moves)
    assert html.count('name="move"') == 4


def test_the_first_domino_is_marked_on_the_star_and_round_it() -> None:
    """The second way to lie on the same squares has no mark: you turn the first."""
    table = playing(2).table
    html = squeezed(draw_board(Live(table), Viewpoint(table.turn or 0)))
    for group in html.split('" role="group" aria-label="Places for ')[1:]:
        buttons = re.findall(r'<button class="place.*?</button>', group)
        assert len(buttons) == (4 if group[0] == group[2] else 8)
        assert sum(button.count("<b ") for button in buttons) == 5
        assert sum(button.startswith('<button class="place h link') for button in buttons) in (0, 2)


def test_each_touching_square_has_one_mark() -> None:
    """A place that links two lines has two, unless another is better at one of its squares."""
    play, dice, on_both = playing(3), Random(5), 0
    while (seat := play.table.turn) is not None:
        html = squeezed(draw_board(Live(play.table), Viewpoint(seat)))
        for group in html.split('" role="group" aria-label="Places for ')[1:]:
            buttons = re.findall(r'<button class="place.*?</button>', group)
            touched = [
                at for turn in re.findall(r'data-turn="(.*?)"', group) for at in turn.split()
            ]
            marks = [one.count("<b ") for one in buttons if " mark" in one.split('"')[1]]
            assert sum(marks) == len(set(touched))
            on_both += 2 in marks and '<span class="dom' in html
        play.move(dice.choice(list(play.table.match.legal_moves)))
    assert on_both > 1


def test_a_hint_chooses_the_domino_and_marks_its_place() -> None:
    play = playing(3)
    hint = TableHint(guess(play.table.match.observation()), play.table.last_move)
    html = squeezed(draw_board(Live(play.table), Viewpoint(play.table.turn or 0), hint))
    (move,) = re.findall(r'<button class="place [^"]* hinted"[^>]* value="([^"]*)"', html)
    domino = move.split()[0]
    assert re.findall(r'id="choose-0-(\S+)-hint" checked', html) == [domino]
    assert len(re.findall(r'<label class="dom h hinted', html)) == 1


def test_a_picture_has_no_buttons() -> None:
    match = redouble.new(NAME, seats=4, seed="picture")
    while match.turn is not None:
        assert not re.search(r"<(button|input|form|label)|\bid=", still(match))
        match.push(match.legal_moves[0])


@pytest.mark.parametrize("goal", [50, 75, 100])
def test_a_piece_stands_on_the_dots_of_its_points(goal: int) -> None:
    """Where a piece is drawn, the track shows as many dots as the rules say."""
    match = redouble.new(NAME, seats=2, seed="track", victory=goal)
    spots = set()
    for points in range(1, goal + 1):
        html = still(match, [points, 0])
        cells = int(re.findall(r"--cells:(\d+)", html)[0])
        drawn = re.findall(r'<i class="side-of n(\w)" style="--turn:(-?\d);--from:(\d)">', html)
        assert [int(turn) for _, turn, _ in drawn] == [-1, 0, 1, 2]
        spot = r'<span class="spot ([a-z ]+)"(?: style="--at:(.*?)")?>'
        ((_, _), (where, at)) = re.findall(spot, html)
        sides = where.split()
        side = SIDES.index(sides[0])
        if at:
            along = float(at) if sides[0] in ("north", "east") else 15 - float(at)
            cell = round(along * (cells - 1) / 15 - 0.5)
            assert 0 <= cell < cells - 1
            dots = (int(drawn[side][2]) + cell) % 7
        else:
            assert sides[1] == SIDES[side - 1]
            dots = int(drawn[side - 1][0])
        assert dots == points % 7
        spots.add((where, at))
    assert len(spots) == goal


def test_a_second_lap_of_the_track_is_announced() -> None:
    match = redouble.new(NAME, seats=2, seed="rounds", victory=300)
    once, again = still(match, [20, 0]), still(match, [119 + 20, 0])
    spot = re.compile(r'<span class="spot [a-z ]+" style="--at:.*?">')
    assert spot.findall(once) == spot.findall(again)
    assert "round 2" in again
    assert "<sup>2</sup>" in again
    assert "round" not in re.sub(r"<[^>]*>", "", once)


def test_places_say_what_their_points_come_from() -> None:
    play, dice = playing(3), Random(3)
    told: set[tuple[bool, bool]] = set()
    while (seat := play.table.turn) is not None:
        match, html = play.table.match, draw_board(Live(play.table), Viewpoint(seat))
        for group in html.split('" role="group" aria-label="Places for ')[1:]:
            bonus = re.findall(r'^[^>]* data-bonus="(\d+)"', group)
            others = re.findall(r'^[^>]* data-others="Bonus for (.*?)\."', group)
            for button in re.findall(r'<button class="place.*?>', group):
                said = dict(re.findall(r' (value|data-points)="(.*?)"', button))
                action = known(match.legal_moves.action(said["value"]))
                kind, spot = divmod(action, PLACEMENTS)
                direction, low = divmod(spot, SQUARES)
                high = low + STEP[direction]
                gains = [worth(match.state, kind, low, high, one) for one in range(3)]
                assert int(said["data-points"]) == gains.pop(seat)
                names = [name for i, name in enumerate(match.names) if i != seat]
                lucky = [name for name, gain in zip(names, gains, strict=True) if gain]
                assert others == ([" and ".join(lucky)] if lucky else [])
                mine = match.state.points[seat]
                lands = mine and mine % 7 in (LOW[kind], HIGH[kind])
                assert bonus == (["3"] if lands else [])
                told.add((bool(bonus), bool(others)))
        play.move(dice.choice(list(match.legal_moves)))
    assert told == {(False, False), (True, False), (False, True), (True, True)}
