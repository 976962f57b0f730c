"""The review of a finished game: offer, progress and result."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Form
from fastapi.responses import HTMLResponse, RedirectResponse

from redouble.analysis import shares
from redouble.analysis.review import Decision, Review
from redouble.match.replay import Replay
from redouble.web.features.study.graph import NARROW, WIDE, graph_of
from redouble.web.features.study.queue import Job
from redouble.web.features.study.reviews import Reviews, better_moves
from redouble.web.features.study.saved import PlayedThere, seats_played
from redouble.web.visitor import CurrentUser, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


@router.get("/t/{token}/review", Cost.RENDERING)
@router.get("/r/{token}/review", Cost.RENDERING)
async def show_review(played: PlayedThere, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show the review, its progress or the offer to make one.

    Players see their own moments first.
    """
    replay = played.replay
    context: dict[str, Any] = {"replay": replay, "person": person, "links": played.links}
    state = await site.service(Reviews).state(replay)
    if isinstance(state, Review):
        own, drawn = await seats_played(site, played, person), site.renderings.run
        return site.page(
            "study/review.html",
            **context,
            review=state,
            graphs={"wide": graph_of(state, WIDE), "narrow": graph_of(state, NARROW)},
            story=await drawn(replay.story, None),
            better=await drawn(better_moves, replay, state),
            parts=_parts(state, own),
            foreseen=await drawn(_foreseen, replay, state),
            shares=shares,
        )
    job = state if isinstance(state, Job) else None
    return site.page(
        "study/reviewing.html",
        **context,
        job=job,
        before=job.before if job else 0,
        mine=job is not None and person is not None and job.person == person.id,
        problem="" if job else state,
    )


def _foreseen(replay: Replay, review: Review) -> tuple[str, str]:
    """Return what the solver says, and the moves that would have won, in words."""
    if review.foresight is None:
        return "", ""
    whole = replay.at(replay.last)
    return review.foresight.said(whole), review.foresight.line_said(whole)


def _parts(review: Review, own: Sequence[int]) -> dict[str, list[Decision]]:
    """Return the costliest moments of the ``game``, for its players as ``own`` and ``others``."""
    others = [seat for seat in range(review.seats) if seat not in own]
    if not (own and others and review.mistakes):
        return {"game": review.moments()}
    return {"own": review.moments(own), "others": review.moments(others)}


@router.post("/t/{token}/review", Cost.SEARCH)
@router.post("/r/{token}/review", Cost.SEARCH)
async def ask_for_review(
    played: PlayedThere,
    site: SiteOf,
    person: CurrentUser,
    command: Annotated[str, Form(max_length=20)] = "begin",
) -> RedirectResponse:
    """Start making the review, or stop."""
    if command == "stop":
        await site.service(Reviews).stop(played.replay, person.id)
        return RedirectResponse(f"{played.review_url}?stopped=1", 303)
    await site.service(Reviews).begin(played, person.id)
    return RedirectResponse(played.review_url, 303)
