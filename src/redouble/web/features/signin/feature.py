"""Signing in: linking and recovery codes, and passkeys."""

from redouble.web.feature import Feature, PagePlace
from redouble.web.features.signin import data, devices, page

FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
    pages=(page.router, devices.router),
    sections={
        PagePlace.CHOICES: devices.signed_in,
        PagePlace.ACCOUNT: page.ways,
    },
    api="redouble.web.features.signin.api",
)
