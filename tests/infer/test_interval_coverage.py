"""Coverage: exact chances equal plain fractions, and their average is at least the level."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Counts, Mechanism, PTable, design
from discreet.errors import InputError, ParameterError
from discreet.infer import NegativeBinomial, Poisson, coverage, intervals, posterior, posterior_value
from tests.infer.tables import TABLES, poisson, random_table, weight

LEVELS = ("0.5", "0.8", "0.95", "0.99")


def chance(table: PTable, count: int, level: str, prior: object = None) -> Fraction:
    """Return the chance that an interval holds the count, from every measurement one by one."""
    total = Fraction(0)
    for measured in range(count - 60, count + 61):
        if p := weight(table, measured, count):
            true_count = posterior(table, measured, prior)
            low, high = true_count.interval(level)
            total += p * (low <= count and (count <= high or true_count.endless(level)))
    return total


@pytest.mark.parametrize("name", ["geometric", "fair on 0..5", "small rows", "from 2 to 11", "from 4 on"])
def test_chances_equal_plain_fractions(name: str) -> None:
    table = TABLES[name]
    for prior in (None, "poisson:5"):
        result = coverage(table, "0.8", prior, counts=range(4, 12) if name != "fair on 0..5" else range(6))
        for count, covered in zip(result.counts.tolist(), result.chances, strict=True):
            assert covered == chance(table, count, "0.8", prior)


def test_intervals_cover_0_more_often_than_equal_tails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Geometric noise of epsilon 1, flat prior: equal tails cover between .964 and .987, the least at 0."""
    ours = coverage(TABLES["geometric"])
    assert ours.counts[0] == 0
    assert float(min(ours.chances)) == pytest.approx(0.9732, abs=5e-5)
    assert float(max(ours.chances)) == pytest.approx(0.9866, abs=5e-5)
    monkeypatch.setattr(posterior_value, "credible_ends", posterior_value.equal_tail_ends)
    tails = coverage(TABLES["geometric"])
    assert float(min(tails.chances)) == pytest.approx(0.9636, abs=5e-5)
    assert float(max(tails.chances)) == pytest.approx(0.9866, abs=5e-5)
    assert min(tails.chances) == tails.chances[0]


@pytest.mark.parametrize("epsilon", ["0.02", "0.1", "0.5"])
def test_a_true_zero_is_covered_under_wide_noise(epsilon: str) -> None:
    """A count measured below 0 is most likely 0, though 0 by itself is unlikely. Its interval must hold 0."""
    table = design.geometric(epsilon=epsilon).certify()
    assert posterior(table, -5).interval()[0] == 0
    assert min(coverage(table, counts=[0, 1, 2, 5, 10, 50]).chances) >= Fraction(19, 20)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", TABLES)
def test_averages_are_at_least_the_level(name: str, level: str) -> None:
    table = TABLES[name]
    weights = np.random.default_rng(2).integers(0, 9, 30).tolist()
    for prior in (None, weights, Poisson(3), Poisson(50), NegativeBinomial(4, 0.5)):
        assert coverage(table, level, prior, counts=[0]).average >= Fraction(level)


@pytest.mark.parametrize("level", LEVELS)
def test_without_an_end_every_large_count_is_covered(level: str) -> None:
    """The same noise for all counts has period 1, so the average over a period is the chance of every large count."""
    for name in ("geometric", "gaussian", "geometric, strict"):
        table = TABLES[name]
        result = coverage(table, level, counts=[400, 401, 10**12])
        assert set(result.chances) == {result.average}
        assert result.average >= Fraction(level)


def test_without_an_end_the_average_is_over_one_period() -> None:
    table = TABLES["period 3"]
    result = coverage(table, "0.5", counts=range(300, 306))
    assert sum(result.chances) / 6 == result.average >= Fraction(1, 2)
    assert result.chances[:3] == result.chances[3:]
    assert len(set(result.chances)) > 1


@pytest.mark.parametrize("upper", [11, 25, 26, 27, 28, 90])
def test_with_an_end_the_average_is_over_the_domain(upper: int) -> None:
    """Counts in the middle of a long domain are not visited; the average is the same."""
    table = random_table(4, lower=2, upper=upper, small=2, period=3)
    whole = coverage(table, "0.9", counts=range(2, upper + 1))
    assert whole.average == sum(whole.chances) / (upper - 1) >= Fraction(9, 10)


def test_the_average_over_a_huge_domain_is_that_without_an_end() -> None:
    table = random_table(4, lower=2, upper=10**15, small=2, period=3)
    without_end = random_table(4, lower=2, small=2, period=3)
    assert float(coverage(table, "0.9").average) == pytest.approx(float(coverage(without_end, "0.9").average))


def test_with_a_prior_the_average_is_over_the_prior() -> None:
    table = TABLES["geometric on 0..6"]
    given_prior = coverage(table, "0.9", [1, 2, 3, 0, 4], counts=range(5))
    joint = sum(Fraction(w) * c for w, c in zip([1, 2, 3, 0, 4], given_prior.chances, strict=True))
    assert given_prior.average == joint / 10
    named = coverage(table, "0.9", Poisson(4), counts=range(80))
    weights = poisson(Fraction(4))
    expected = sum(weights(k) * c for k, c in enumerate(named.chances)) / sum(weights(k) for k in range(80))
    assert named.average == pytest.approx(float(expected), abs=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(LEVELS), st.lists(st.integers(1, 50), min_size=1, max_size=25))
def test_the_average_is_at_least_the_level_for_any_table_and_prior(seed: int, level: str, prior: list[int]) -> None:
    rng = np.random.default_rng(seed)
    upper = None if rng.integers(2) else int(rng.integers(12, 30))
    table = random_table(seed, int(rng.integers(0, 4)), upper, int(rng.integers(0, 4)), int(rng.integers(1, 4)))
    for known_prior in (None, prior):
        assert coverage(table, level, known_prior, counts=[0]).average >= Fraction(level)


def test_intervals_hold_the_truth_as_often_as_coverage_says() -> None:
    """Every key once, so that every measurement occurs as often as its weight says."""
    table = design.geometric(epsilon=1, upper=9).certify(bits=12)
    keys = np.arange(1 << 12)
    result = coverage(table, "0.9")
    for count, covered in zip(result.counts.tolist(), result.chances, strict=True):
        cells = intervals(table, table.perturb(np.full(len(keys), count), keys=keys), "0.9")
        assert Fraction(int(np.sum((cells.low <= count) & (count <= cells.high))), len(keys)) == covered


def test_wrong_counts_levels_and_tables_are_refused() -> None:
    table = TABLES["geometric"]
    with pytest.raises(ParameterError, match="-1"):
        coverage(table, counts=[-1])
    with pytest.raises(InputError, match=r"1\.5"):
        coverage(table, counts=[1.5])
    with pytest.raises(ParameterError, match="level"):
        coverage(table, 1)
    with pytest.raises(ParameterError, match="level"):
        coverage(table, math.nan)
    with pytest.raises(ParameterError, match="Cycle"):
        coverage(design.cyclic(size=5, epsilon=1).certify())


@pytest.mark.parametrize("upper", [5, 13, 14, 60])
def test_with_an_end_and_the_same_noise_the_average_is_over_the_domain(upper: int) -> None:
    noise = design.geometric(epsilon=1, support=6).interior
    table = Mechanism(Counts(0, upper), interior=noise).certify(epsilon="1.5")
    result = coverage(table, counts=range(upper + 1))
    assert result.average == sum(result.chances) / (upper + 1)
