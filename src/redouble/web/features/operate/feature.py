"""The operator's work: backups, administration, migration, health."""

from redouble.web.feature import Feature
from redouble.web.features.operate import page

FEATURE = Feature(
    module=__name__,
    pages=(page.router,),
)
