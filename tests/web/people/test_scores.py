"""Running scores: what they count, and where people see them."""

from functools import partial
from random import Random

import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.people.scores import Score, between, of_series
from redouble.web.store import schema
from redouble.web.table.verdict import UNPLAYED
from tests.web.helpers.visitors import Visitor, befriend, play, rows, seats_for, stored

QUICK = GAMES["double-down"]
FLAGS = ("won", "counts")
TABLES = 8


def series_of(client: TestClient, people: list[Visitor], random: Random) -> list[str]:
    """Games of these people with random results, each but the first the rematch of the last."""
    tokens: list[str] = []

    def job(connection: sa.Connection) -> None:
        for row in connection.execute(sa.select(schema.results)).all():
            if row.token == tokens[-1]:
                chosen: dict[str, object] = {flag: random.random() < 0.7 for flag in FLAGS}
                chosen["reason"] = UNPLAYED if random.random() < 0.1 else row.reason
                mine = sa.update(schema.results).filter_by(token=row.token, seat=row.seat)
                connection.execute(mine.values(chosen))
        before = tokens[-2] if len(tokens) > 1 else ""
        table = sa.update(schema.tables).filter_by(token=tokens[-1])
        connection.execute(table.values(before=before))

    for _ in range(TABLES):
        tokens.append(play(client, QUICK, seats_for(*people)).header.token)
        stored(client, job)
    return tokens


def test_scores_count_what_the_results_say(client: TestClient) -> None:
    """For each pair, the games that one of them has won; for a series, all that each has won."""
    random = Random(49)
    anna, ben, carl = (Visitor(client, name) for name in ("Anna", "Ben", "Carl"))
    all_tables = [series_of(client, group, random) for group in ([anna, ben], [anna, ben, carl])]
    found = stored(client, lambda c: c.execute(sa.select(schema.results)).mappings().all())
    games: dict[str, dict[str, bool]] = {}
    unplayed = {row["token"] for row in found if row["reason"] == UNPLAYED}
    for row in found:
        if row["token"] not in unplayed:
            games.setdefault(row["token"], {})[row["person"]] = all(row[one] for one in FLAGS)
    for me in (anna.id, ben.id, carl.id):
        scores = stored(client, partial(between, person=me, others=[anna.id, ben.id, carl.id]))
        assert me not in scores
        for other in {anna.id, ben.id, carl.id} - {me}:
            met = [won for won in games.values() if me in won and other in won]
            mine = sum(won[me] and not won[other] for won in met)
            theirs = sum(won[other] and not won[me] for won in met)
            assert scores.get(other, Score(0, 0)) == Score(mine, theirs)
    for tokens in all_tables:
        for number, token in enumerate(tokens):
            series = [games[one] for one in tokens[: number + 1] if one in games]
            played, won = stored(client, partial(of_series, token=token))
            assert played == len(series)
            assert won == {who: sum(one[who] for one in series) for one in series for who in one}


def test_a_score_stands_where_people_are_named(client: TestClient) -> None:
    anna, ben = (Visitor(client, name) for name in ("Anna", "Ben"))
    friendship = befriend(anna, ben)
    assert "In your games together" not in anna.get(f"/friends/{friendship}")
    tokens = series_of(client, [anna, ben], Random(1))

    def decide(connection: sa.Connection) -> None:
        for number, token in enumerate(tokens[:3]):
            for one in (anna, ben):
                mine = sa.update(schema.results).filter_by(token=token, person=one.id)
                won = (one is anna) == (number < 2)
                connection.execute(mine.values(won=won, counts=True, reason="any"))
        later = schema.results.c.token.in_(tokens[3:])
        connection.execute(sa.delete(schema.results).where(later))

    stored(client, decide)
    assert rows(client, schema.results) == 6
    for one, other, said in ((anna, "Ben", "you lead 2 to 1"), (ben, "Anna", "you trail 1 to 2")):
        for page in ("/", "/me"):
            assert said in one.get(page)
        panel = one.get(f"/t/{tokens[2]}")
        assert f"At this table, {said}." in panel
        assert f"In all games with {other}, {said}." in panel
        assert "At this table" not in one.get(f"/t/{tokens[0]}")
    assert "In your games together, you lead 2 to 1." in anna.get(f"/friends/{friendship}")
    watched = Visitor(client, "Eve").get(f"/t/{tokens[2]}")
    assert "Games won at this table: Anna 2, Ben 1." in watched
    assert "In all games" not in watched
    assert str(Score(3, 3)) == "you are even, 3 to 3"
