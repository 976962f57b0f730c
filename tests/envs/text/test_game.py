"""Games in words: what players are told, what their answers do, and that nothing hidden is told."""

from random import Random

import pytest

import redouble
from redouble.contract.registry import GAMES
from redouble.envs.text import TextGame
from redouble.kernel.errors import IllegalMove, RedoubleError
from redouble.match.match import Match, Reached
from tests.helpers.known import known
from tests.helpers.worlds import own_games


def played(game: TextGame, plies: int) -> TextGame:
    """The game after some moves, chosen at random by the answers of all seats."""
    chance = Random(game.match.seed)
    for _ in range(plies):
        if game.turn is not None:
            game.answer(f"[{chance.choice(list(game.match.legal_moves))}]")
    return game


@pytest.mark.parametrize("name", GAMES)
def test_a_game_of_words_is_the_same_game(name: str) -> None:
    """Every game, by its usual number of players: prompts, a whole game, and its record."""
    twins = [TextGame(name, seed="whole", max_moves=120) for _ in range(2)]
    for game in twins:
        played(game, 120)
    first, second = twins
    assert first.prompt(0) == second.prompt(0)
    assert first.turn is None
    assert first.ranks is not None
    assert "The game is over." in first.prompt(0)
    assert str(first.record()) == str(second.record())
    assert redouble.replay(first.record()).moves == first.match.moves
    assert sum(one.legal for one in first.counts) == first.match.ply
    begun = TextGame(name, seed="whole")
    seat = known(begun.turn)
    asked = begun.prompt()
    assert GAMES[name].summary in asked
    assert all(f"[{move}]" in asked for move in begun.match.legal_moves)
    assert f"You are Player {seat + 1}." in asked
    assert begun.messages()[0] == {"role": "system", "content": begun.rules()}
    assert "\n\n".join(one["content"] for one in begun.messages()) == asked


def swapped(match: Match, first: int, second: int) -> Match | None:
    """The same moves with two cards of the first shuffle exchanged, if they can be made.

    A hidden move is another one, where there is one.
    """
    start = match.back_to(0)
    deck = [match.game.text.CARDS[card] for card in start.state.deck[: start.state.deck_n]]
    deck[first], deck[second] = deck[second], deck[first]
    other = Match(match.game, match.names, match.seed, match.options, deck)
    for move in match.moves:
        if other.turn is None:
            return None
        state, legal = other.state, other.legal_moves
        hidden = [one for one in legal.actions if match.game.rules.hidden(state, one)]
        action = legal.action(move)
        if action is None or action in hidden:
            action = next((one for one in hidden if one != action), action)
        if action is None:
            return None
        other.push_action(action)
    return other


def texts(match: Match, seat: int) -> str:
    """All that a seat is told in a game with these moves."""
    game = TextGame(match.game, match.names, match.seed, match.options, deck=match.deck)
    for move in match.moves:
        game.answer(move)
    said = [game.prompt(seat), game.prompt(seat, whole=False), game.ending(seat)]
    if game.turn == seat:
        game.answer("nothing")
        said += [game.prompt(), str(game.answer("99"))]
    return "\n".join(said)


@pytest.mark.parametrize("name", own_games())
def test_what_a_seat_is_told_is_the_same_in_worlds_it_cannot_tell_apart(name: str) -> None:
    usual = GAMES[name].usual_seats
    chance, compared = Random(name), 0
    cards = [
        GAMES[name].text.CARDS[c]
        for c in GAMES[name].text.box(usual, redouble.new(name, seats=usual).options)
    ]
    for trial in range(300):
        if compared > 5:
            break
        deck = chance.sample(cards, len(cards))
        match = redouble.new(name, seats=usual, seed=f"law {trial}", deck=deck)
        for _ in range(chance.randrange(2, 16)):
            if match.turn is not None:
                match.push(chance.choice(list(match.legal_moves)))
        other = swapped(match, *chance.sample(range(len(cards)), 2))
        if other is None or match.turn is None or other.turn is None:
            continue
        seen = [
            [one.information_state_string(seat) for seat in range(usual)] for one in (match, other)
        ]
        for seat in range(usual):
            if seen[0][seat] == seen[1][seat]:
                compared += match.state != other.state
                assert texts(match, seat) == texts(other, seat), (trial, seat)
    assert compared > 5


@pytest.mark.parametrize("name", own_games())
def test_what_a_seat_sees_is_the_same_in_any_world_it_can_imagine(name: str) -> None:
    game = played(TextGame(name, seed="sight"), 20)
    seat = known(game.turn)
    before = game.prompt()
    world = game.match.seen_by(seat)
    game.match.game.rules.determinize(world, [1, 2, 3, 4], [0] * 2048)
    assert world != game.match.state
    game.match._here = Reached(game.match.game, world)
    assert game.prompt() == before


def test_an_answer_that_is_refused_is_asked_for_again() -> None:
    game = TextGame("double-down", seats=3, seed="friday")
    seat = known(game.turn)
    result = game.answer("What is the total?")
    assert (result.seat, result.move, result.fault) == (seat, None, "unreadable")
    assert "You have 2 answers left." in game.prompt()
    assert "refused" not in game.prompt((seat + 1) % 3)
    game.answer("[x3]")
    assert "You have 1 answer left." in game.prompt()
    assert game.answer(game.match.legal_moves[0]).legal
    assert "refused" not in game.prompt()
    assert (game.counts[seat].answers, game.counts[seat].legal) == (3, 1)


def test_each_fallback_does_what_it_says() -> None:
    made = {}
    for then in ("random", "first", "forfeit"):
        game = TextGame("double-down", seats=3, seed="friday", retries=0, then=then)
        seat = known(game.turn)
        legal = list(game.match.legal_moves)
        made[then] = game.answer("?").move
        if then != "forfeit":
            assert made[then] in legal
            assert game.counts[seat].replaced == 1
            continue
        assert game.forfeited == (seat,)
        assert game.turn not in (None, seat)
        assert f"Player {seat + 1} forfeits." in game.prompt()
        game.play([lambda prompt: prompt.split("Legal moves:\n[")[1].split("]")[0]])
        assert known(game.ranks)[seat] == 3
        assert game.rewards[seat] == -1.0
        assert game.record().notes == ((0, f"Player {seat + 1} forfeits."),)
    assert made["first"] == legal[0]


def test_bots_take_their_seats_and_a_lone_player_can_forfeit() -> None:
    game = TextGame("double-down", seats=2, seed="bots", bots={0: "expert", 1: "novice"})
    assert game.turn is None
    assert sum(game.rewards) == 0.0
    with pytest.raises(IllegalMove, match="the game is over"):
        game.answer("44")
    alone = TextGame("double-or-quits", seed="alone", retries=0)
    alone.answer("?")
    assert (alone.turn, alone.rewards) == (None, (0.0,))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"game": "chess"}, "no game 'chess'"),
        ({"seats": 9}, "2 to 7 players"),
        ({"bots": {5: "expert"}}, "from 0 to 1"),
        ({"bots": {0: "wizard"}}, "no bot 'wizard'"),
        ({"bots": ["expert"]}, "a mapping of seats"),
        ({"rules": "long"}, "rules"),
        ({"then": "cry"}, "then"),
        ({"retries": -1}, "retries"),
        ({"history": "all"}, "history"),
    ],
)
def test_wrong_arguments_are_named(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(RedoubleError, match=said):
        TextGame(**{"game": "double-down", "seats": 2, **wrong})  # type: ignore[arg-type]  # what is wrong


def test_rules_are_as_long_as_is_wanted() -> None:
    lengths = {
        rules: len(TextGame("double-down", seats=2, rules=rules).rules())
        for rules in ("none", "brief", "full")
    }
    assert lengths["none"] < lengths["brief"] < lengths["full"]
    told = TextGame("double-down", seats=2, options={"forgetful": True}).rules()
    assert "Forgetful drawing: yes." in told
    short = played(TextGame("double-down", seats=2, seed="h", history=2), 6)
    assert short.prompt().count(" plays ") == 2
