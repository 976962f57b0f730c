"""Notifications: what people want to get, where it goes, and calendars."""

from collections.abc import Iterable

from redouble.web.feature import Feature, PagePlace
from redouble.web.features.notices import calendars, data, page
from redouble.web.features.notices.addresses import drop_unbound
from redouble.web.features.notices.letters import Channel
from redouble.web.features.notices.own import OwnAddresses
from redouble.web.features.notices.push import Push
from redouble.web.features.notices.reminders import Reminders, note_time_outs
from redouble.web.features.notices.sender import GuardedSender
from redouble.web.features.notices.wishes import OWN, PUSH
from redouble.web.live.hooks import Hooks
from redouble.web.people.seal import Seal
from redouble.web.site import Site


def _services(site: Site) -> Iterable[object]:
    seal = Seal(site.people.keys)
    sender = GuardedSender()
    push = Push(site, seal, sender)
    own = OwnAddresses(seal, site.people.key, lambda: site.telling, sender)
    ways: dict[str, Channel] = {PUSH: push, OWN: own}
    return seal, push, own, sender, Reminders(site, ways, own.code, sender.close)


FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
    pages=(
        page.router,
        calendars.router,
    ),
    hooks=Hooks(written=note_time_outs, signed_out=drop_unbound),
    services=_services,
    sections={
        PagePlace.CHOICES: page.choices,
    },
)
