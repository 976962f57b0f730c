"""The features of this site: the only place that names them."""

from redouble.web.feature import FeatureList
from redouble.web.features.account import feature as account
from redouble.web.features.circles import feature as circles
from redouble.web.features.company import feature as company
from redouble.web.features.daily import feature as daily
from redouble.web.features.fair import feature as fair
from redouble.web.features.friends import feature as friends
from redouble.web.features.meeting import feature as meeting
from redouble.web.features.notices import feature as notices
from redouble.web.features.operate import feature as operate
from redouble.web.features.premoves import feature as premoves
from redouble.web.features.profile import feature as profile
from redouble.web.features.puzzles import feature as puzzles
from redouble.web.features.ratings import feature as ratings
from redouble.web.features.signin import feature as signin
from redouble.web.features.study import feature as study

FEATURES = FeatureList(
    (
        operate.FEATURE,
        profile.FEATURE,
        signin.FEATURE,
        friends.FEATURE,
        study.FEATURE,
        notices.FEATURE,
        company.FEATURE,
        fair.FEATURE,
        premoves.FEATURE,
        meeting.FEATURE,
        daily.FEATURE,
        circles.FEATURE,
        puzzles.FEATURE,
        ratings.FEATURE,
        account.FEATURE,
    )
)
