"""Where a person is signed in, for programs."""

from typing import Annotated

from fastapi import Path

from redouble.web.api.asking import Known
from redouble.web.api.docs import about
from redouble.web.api.shapes import Answered
from redouble.web.features.signin.devices import end_other_sessions, end_session
from redouble.web.visitor import SiteOf
from redouble.web.visitor.costs import Cost, Router

router = Router(prefix="/api", generate_unique_id_function=lambda route: route.name)


class DeviceRow(Answered):
    """A browser or program in which you are signed in."""

    id: str
    device: str
    """A plain name, such as `Firefox on Windows`."""
    first: float
    """When you signed in there, in seconds since 1970."""
    last: float
    """When it was last used, to within a few minutes."""
    this: bool
    """Whether it is the one that asks."""


class DeviceList(Answered):
    """The browsers and programs in which you are signed in."""

    devices: list[DeviceRow]


@router.get(
    "/me/devices",
    Cost.PAGE,
    **about(
        "List your devices",
        "The browsers and programs in which you are signed in.",
        "people",
        401,
        503,
    ),
)
async def devices(site: SiteOf, person: Known) -> DeviceList:
    """The browsers and programs in which you are signed in, the last used first."""
    found = [
        DeviceRow(
            id=one.id,
            device=one.device,
            first=one.begun,
            last=one.seen,
            this=one.id == person.session,
        )
        for one in await site.people.sessions_of(person)
    ]
    return DeviceList(devices=found)


@router.post(
    "/me/devices/end",
    Cost.PAGE,
    **about("Sign out everywhere else", "The devices that are left.", "people", 401, 403, 503),
)
async def end_other_devices(site: SiteOf, person: Known) -> DeviceList:
    """End all your sessions except the one of this token."""
    await end_other_sessions(site, person)
    return await devices(site, person)


@router.post(
    "/me/devices/{device}/end",
    Cost.PAGE,
    **about("Sign a device out", "The devices that are left.", "people", 401, 403, 404, 422, 503),
)
async def end_device(
    device: Annotated[str, Path(max_length=64, description="The device's id.")],
    site: SiteOf,
    person: Known,
) -> DeviceList:
    """End one of your sessions. Its streams end, and its token or cookie is no longer valid."""
    await end_session(site, person, device)
    return await devices(site, person)
