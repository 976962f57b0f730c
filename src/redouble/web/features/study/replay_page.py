"""Replays of finished games, and downloading and importing their records."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import UploadFile

from redouble.analysis.review import Review
from redouble.contract.page.scene import BoardScene, Pile, Place
from redouble.contract.registry import GAMES
from redouble.kernel.checks import quoted
from redouble.kernel.errors import RecordError, RedoubleError
from redouble.match.guide import guide_of
from redouble.match.record import Record
from redouble.match.replay import Replay
from redouble.web.drawing.markup.scenes import draw_hands, draw_scene
from redouble.web.drawing.rulebook import examples_of
from redouble.web.errors import NotFound, WebError
from redouble.web.feature import Fragment, Visit
from redouble.web.features.study import records, saved
from redouble.web.features.study.reviews import Reviews, better_moves
from redouble.web.features.study.saved import OPEN, PlayedThere, SavedGame, replay_of
from redouble.web.live.resumed import ResumedPlan, can_resume
from redouble.web.people.people import Person
from redouble.web.site import Site, titles_of_games
from redouble.web.visitor import CurrentUser, FormText, SiteOf, Visitor, current_user, marked
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)

LISTED_WHOLE, LISTED = 300, 100
"""Moves of a game that is listed whole, and those that a page lists of a longer one."""
NO_EXAMPLE = {"kind": "Replay", "example": ""}


@dataclass(frozen=True)
class Stop:
    """Where a replay can stop: after a move, or at a moment in the middle of it."""

    ply: int
    moment: int = 0
    """Counted from 1; 0 after the move."""


@dataclass(frozen=True)
class Asked:
    """What an address asks to see of a replay; what isn't there becomes the nearest stop."""

    ply: str | None = None
    moment: str = ""
    eyes: str = OPEN

    @property
    def stop(self) -> Stop:
        numbers = [self.ply or "", self.moment]
        return Stop(*(int(one) if one.isdecimal() and len(one) < 10 else 0 for one in numbers))


async def _asked(ply: str | None = None, moment: str = "", eyes: str = OPEN) -> Asked:
    """Return what is asked; FastAPI would make a class in another thread, which no tab has."""
    return Asked(ply, moment, eyes)


View = Annotated[Asked, Depends(_asked)]


@router.get("/t/{token}/replay", Cost.RENDERING)
@router.get("/r/{token}", Cost.RENDERING)
async def show_replay(
    request: Request, played: PlayedThere, site: SiteOf, person: Visitor, asked: View
) -> HTMLResponse:
    """Show the replay of a finished table, or of an imported game."""
    mine = await saved.seats_played(site, played, person)
    return await _page(request, site, person, played, asked, mine[0] if mine else None)


@router.get("/t/{token}/resume", Cost.RENDERING)
@router.get("/r/{token}/resume", Cost.RENDERING)
async def offer_to_resume(
    played: PlayedThere, site: SiteOf, person: Visitor, ply: str = "", seat: str = ""
) -> HTMLResponse:
    """Ask whose cards to play from a position: the replay itself is the same for everyone."""
    plan = await _resumed(site, played, ply, seat)
    return site.page("study/resume.html", person=person, links=played.links, plan=plan)


@router.post("/t/{token}/resume", Cost.TABLE)
@router.post("/r/{token}/resume", Cost.TABLE)
async def resume(
    played: PlayedThere, site: SiteOf, person: CurrentUser, ply: FormText, seat: FormText
) -> RedirectResponse:
    """Make a table at which a recorded game continues from a position, against bots."""
    live = await site.create(person, await _resumed(site, played, ply, seat))
    return RedirectResponse(f"/t/{live.table.header.token}", 303)


async def _resumed(site: Site, played: SavedGame, ply: str, seat: str) -> ResumedPlan:
    if not (ply.isdecimal() and seat.isdecimal() and len(ply + seat) < 10):
        raise WebError("the move and the seat must be numbers: choose a move in the replay")
    return await site.renderings.run(ResumedPlan.of, played.replay, int(ply), int(seat))


@router.get("/rules/{game}/examples/{number}", Cost.RENDERING)
async def example_replay(
    request: Request, game: str, number: str, site: SiteOf, person: Visitor, asked: View
) -> HTMLResponse:
    """Show a rulebook's worked example, from where it begins."""
    chosen = GAMES[game]
    texts = examples_of(chosen)
    if number not in map(str, range(1, len(texts) + 1)):
        raise NotFound(f"the rulebook of {chosen.title} has no such example")
    shown = guide_of(chosen).examples[int(number) - 1]
    played = SavedGame(replay_of(str(shown.record)), example=f"/rules/{game}/examples/{number}")
    if asked.ply is None:
        asked = replace(asked, ply=str(shown.begins))
    example = {"kind": f"Example {number}", "example": texts[int(number) - 1]}
    return await _page(request, site, person, played, asked, example=example)


@router.get("/t/{token}/record", Cost.RENDERING)
async def table_record(token: str, site: SiteOf, person: Visitor) -> Response:
    """Download the record of a finished table."""
    record = await site.table_record(token, person)
    return _file(str(record), f"{record.game}-{token[:6]}")


@router.get("/r/{token}/record", Cost.RENDERING)
async def record_file(token: str, site: SiteOf, person: Visitor) -> Response:
    """Download the record of an imported game."""
    line = await saved.record_line(site, token, person)
    replay = await site.renderings.run(replay_of, line)
    return _file(line, f"{replay.game.name}-{token[:6]}")


@router.get("/replays", Cost.RENDERING)
async def replays(site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show the form for importing a game."""
    return await _replays(site, person)


@router.post("/replays", Cost.UPLOAD)
async def upload_record(request: Request, site: SiteOf, person: Visitor) -> Response:
    """Import a game from a file or a text field, if its record is valid."""
    async with request.form() as form:
        text, which = (str(form.get(name, "")) for name in ("text", "which"))
        file = form.get("file")
        sent = await file.read() if isinstance(file, UploadFile) and file.filename else None
    try:
        given = text if sent is None else _decoded(sent)
        line, number = _chosen(given, which)
        line = await site.imports.run(_checked, line, site.limits.record_bytes, number)
        owner = await current_user(request)  # only now: a failed import creates no guest
        token = await records.save_record(site, owner, line)
    except RedoubleError as error:
        return marked(await _replays(site, person, error, text), request, error)
    return RedirectResponse(f"/r/{token}", 303)


def _checked(line: str, max_bytes: int, number: int) -> str:
    """Return a record as a line to save, as ``checked_record`` does, or say it to people.

    Raises :class:`RecordError`, which lists the games by their titles if the record's is not here.
    """
    game = Record.parse(line, number).game
    if game not in GAMES:
        raise RecordError(
            f"line {number}: there is no game {quoted(game)}: the games are {titles_of_games()}"
        )
    return records.checked_record(line, max_bytes, number)


async def _page(
    request: Request,
    site: Site,
    person: Person | None,
    played: SavedGame,
    asked: Asked,
    mine: int | None = None,
    example: Mapping[str, Any] | None = None,
) -> HTMLResponse:
    """Return the page, or to its script only what changes: with the stop, or with the moves listed.

    With an ``example`` of a rulebook its text stands in place of the result.
    """
    review = await site.service(Reviews).found(played.replay.record)
    scripted = "hx-request" in request.headers
    listed = scripted and "moves" in request.query_params
    name = "study/moves.html" if listed else "study/stage.html" if scripted else "study/replay.html"

    def drawn() -> HTMLResponse:
        context = _context(played, review, asked, mine)
        return site.page(name, person=person, **context, **(example or NO_EXAMPLE))

    return await site.renderings.run(drawn)


def _context(
    played: SavedGame, review: Review | None, asked: Asked, mine: int | None
) -> dict[str, Any]:
    """Return what the page shows at a stop. Of a long game it lists only the moves around it."""
    replay = played.replay
    reader = saved.reader_of(replay, asked.eyes)
    ply = min(asked.stop.ply, replay.last)
    moments = replay.moments(ply, reader)
    at = Stop(ply, asked.stop.moment if asked.stop.moment <= len(moments) else 0)
    moment = moments[at.moment - 1] if at.moment else None
    listed = replay.last if replay.last <= LISTED_WHOLE else LISTED
    before = max(ply - 1, 0) // max(listed, 1) * listed
    last = min(before + listed, replay.last)
    story = replay.story(reader, before + 1, last)
    scene = saved.scene_at(replay, ply, reader, mine, moment)
    drawn = draw_scene(replay.game, scene)
    better = {} if review is None else better_moves(replay, review, range(before, last))
    return {
        "links": played.links,
        "here": played.replay_url,
        "replay": replay,
        "ply": ply,
        "at": at,
        "moment": moment,
        "hold": 0 if moment is None else round(1000 * moment.kind.lasts(replay.seats)),
        "next": _next(replay, at, reader),
        "eyes": asked.eyes,
        "viewers": [OPEN, *map(str, range(replay.seats)), saved.ONLOOKER],
        "story": enumerate(story, before + 1),
        "before": before,
        "last": last,
        "line": story[ply - before - 1] if ply else None,
        "notes": [] if moment else replay.notes(ply),
        "marks": {at + 1: words for at, words in better.items()},
        "drawn": drawn,
        "resumed_by": _resumed_by(replay, at, reader, mine) if not played.example else None,
        "hands": draw_hands(scene, _unseen(scene, drawn)) if reader is None else "",
    }


def _resumed_by(replay: Replay, at: Stop, reader: int | None, mine: int | None) -> int | None:
    """Return the seat that can go on from a stop at a table; None if there is none."""
    if at.moment or not can_resume(replay, at.ply):
        return None
    seats = (reader, mine, replay.at(at.ply).turn)
    return next(seat for seat in seats if seat is not None and seat >= 0)


def _next(replay: Replay, at: Stop, reader: int | None) -> Stop | None:
    """Return the stop after one: a move is seen moment by moment, then as it ended."""
    if at.moment:
        more = at.moment < len(replay.moments(at.ply, reader))
        return Stop(at.ply, at.moment + 1 if more else 0)
    if at.ply == replay.last:
        return None
    return Stop(at.ply + 1, 1 if replay.moments(at.ply + 1, reader) else 0)


def _unseen(scene: BoardScene, drawn: str) -> list[tuple[Place, Pile]]:
    """Return the face-up piles, such as hands, that the game's own page doesn't draw."""
    return [
        (place, pile)
        for place in scene.round
        for pile in place.piles.values()
        if any(face.up for face in pile)
        and not any(f'id="{face.key}"' in drawn for face in pile if face.up)
    ]


@router.post("/me/records/{token}", Cost.PAGE)
async def drop_record(token: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Delete an imported game."""
    await site.store.run(records.delete_record, person.id, token)
    return RedirectResponse("/me", 303)


async def imported(visit: Visit) -> Fragment | None:
    """Show the imported games on a person's own page."""
    if visit.person is None:
        return None
    found = await records.records_of(visit.site.store, visit.person)
    return visit.part("study/my_records.html", records=found, now=visit.site.now())


async def _replays(
    site: Site, person: Person | None, error: RedoubleError | None = None, text: str = ""
) -> HTMLResponse:
    kept = await records.records_of(site.store, person) if person else []
    return site.page("study/replays.html", error=error, person=person, text=text, records=kept)


def _file(line: str, name: str) -> Response:
    return Response(
        f"{line}\n",
        media_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{name}.json"'},
    )


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(f"the file isn't UTF-8 text: byte {error.start} is wrong") from None


def _chosen(text: str, which: str) -> tuple[str, int]:
    """Return the chosen record and its line number."""
    games = [(line, number) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not games:
        raise RecordError("no record was given: choose a file, or paste a record's line")
    wanted = int(which) if which.isdecimal() and len(which) < 7 else 0 if which.strip() else 1
    if not 1 <= wanted <= len(games):
        raise RecordError(
            f"there is no game {which[:20]!r}: there are {len(games)}, counted from 1"
        )
    return games[wanted - 1]
