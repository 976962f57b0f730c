"""The shared statistics against SciPy's own."""

import pytest
from scipy import stats as scipy_stats

from redouble.analysis.stats import chi_square_tail, holm, t95, two_sided, wilson


@pytest.mark.parametrize(("wins", "games"), [(0, 10), (3, 10), (50, 1000), (1000, 1000)])
def test_the_interval_of_a_share_is_wilsons(wins: int, games: int) -> None:
    right = scipy_stats.binomtest(wins, games).proportion_ci(0.95, "wilson")
    assert wilson(wins / games, games) == pytest.approx((right.low, right.high))


def test_without_trials_a_share_may_be_anything() -> None:
    assert wilson(0.0, 0) == (0.0, 1.0)


def test_an_interval_contains_its_own_share() -> None:
    for n in range(1, 200):
        for wins in range(n + 1):
            low, high = wilson(wins / n, n)
            assert 0.0 <= low <= wins / n <= high <= 1.0


def test_the_quantile_is_students_t() -> None:
    for freedom in (*range(1, 60), 100, 1000, 100_000):
        assert t95(freedom) == pytest.approx(scipy_stats.t.ppf(0.975, freedom)), freedom


def test_the_tail_is_chi_squared() -> None:
    for freedom in range(1, 12):
        for statistic in (0.0, 0.5, 3.0, 20.0, 80.0):
            right = scipy_stats.chi2.sf(statistic, freedom)
            found = chi_square_tail(statistic, freedom)
            assert found == pytest.approx(right, rel=1e-9), (statistic, freedom)


def test_a_difference_is_judged_by_its_error() -> None:
    assert two_sided(1.959964, 1.0) == pytest.approx(0.05, abs=1e-6)
    assert (two_sided(0.0, 0.0), two_sided(1.0, 0.0)) == (1.0, 0.0)


def test_several_tests_together_err_once_in_twenty() -> None:
    assert holm([0.2, 0.001, 0.02, 0.03]) == [False, True, False, False]
    assert holm([0.001, 0.01, 0.02, 0.04]) == [True, True, True, True]
    assert not any(holm([0.01] * 20))
