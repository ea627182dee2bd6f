"""Coverage: the exact chances by plain fractions, and the promise that their average keeps the level."""

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
    """The interval of every measurement of a count, one by one."""
    total = Fraction(0)
    for measured in range(count - 60, count + 61):
        if p := weight(table, measured, count):
            found = posterior(table, measured, prior)
            low, high = found.interval(level)
            total += p * (low <= count and (count <= high or found.endless(level)))
    return total


@pytest.mark.parametrize("name", ["geometric", "fair on 0..5", "small rows", "from 2 to 11", "from 4 on"])
def test_chances_by_fractions(name: str) -> None:
    table = TABLES[name]
    for prior in (None, "poisson:5"):
        found = coverage(table, "0.8", prior, counts=range(4, 12) if name != "fair on 0..5" else range(6))
        for count, covered in zip(found.counts.tolist(), found.chances, strict=True):
            assert covered == chance(table, count, "0.8", prior)


def test_equal_tails_of_geometric_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """epsilon = 1, flat prior: equal tails cover between .964 and .987, the least at 0; ours never leave a 0 out."""
    found = coverage(TABLES["geometric"])
    assert found.counts[0] == 0
    assert float(min(found.chances)) == pytest.approx(0.9732, abs=5e-5)
    assert float(max(found.chances)) == pytest.approx(0.9866, abs=5e-5)
    monkeypatch.setattr(posterior_value, "credible_ends", posterior_value.equal_tail_ends)
    tails = coverage(TABLES["geometric"])
    assert float(min(tails.chances)) == pytest.approx(0.9636, abs=5e-5)
    assert float(max(tails.chances)) == pytest.approx(0.9866, abs=5e-5)
    assert min(tails.chances) == tails.chances[0]


@pytest.mark.parametrize("epsilon", ["0.02", "0.1", "0.5"])
def test_a_true_zero_is_covered_under_wide_noise(epsilon: str) -> None:
    """A count measured below 0 is most likely 0, though 0 by itself is unlikely: an interval must hold it."""
    table = design.geometric(epsilon=epsilon).certify()
    assert posterior(table, -5).interval()[0] == 0
    assert min(coverage(table, counts=[0, 1, 2, 5, 10, 50]).chances) >= Fraction(19, 20)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", TABLES)
def test_averages_keep_the_level(name: str, level: str) -> None:
    table = TABLES[name]
    weights = np.random.default_rng(2).integers(0, 9, 30).tolist()
    for prior in (None, weights, Poisson(3), Poisson(50), NegativeBinomial(4, 0.5)):
        assert coverage(table, level, prior, counts=[0]).average >= Fraction(level)


@pytest.mark.parametrize("level", LEVELS)
def test_without_an_end_every_large_count_is_covered(level: str) -> None:
    """Plain noise: period 1, so the average over a period is the chance of every count that small ones do not touch."""
    for name in ("geometric", "gaussian", "geometric, strict"):
        table = TABLES[name]
        found = coverage(table, level, counts=[400, 401, 10**12])
        assert set(found.chances) == {found.average}
        assert found.average >= Fraction(level)


def test_the_average_over_one_period() -> None:
    table = TABLES["period 3"]
    found = coverage(table, "0.5", counts=range(300, 306))
    assert sum(found.chances) / 6 == found.average >= Fraction(1, 2)
    assert found.chances[:3] == found.chances[3:]
    assert len(set(found.chances)) > 1


@pytest.mark.parametrize("upper", [11, 25, 26, 27, 28, 90])
def test_the_average_over_a_domain(upper: int) -> None:
    """A long domain is not walked through, and comes to the same."""
    table = random_table(4, lower=2, upper=upper, small=2, period=3)
    whole = coverage(table, "0.9", counts=range(2, upper + 1))
    assert whole.average == sum(whole.chances) / (upper - 1) >= Fraction(9, 10)


def test_a_domain_too_long_to_walk_through() -> None:
    table = random_table(4, lower=2, upper=10**15, small=2, period=3)
    without_end = random_table(4, lower=2, small=2, period=3)
    assert float(coverage(table, "0.9").average) == pytest.approx(float(coverage(without_end, "0.9").average))


def test_the_average_over_a_prior() -> None:
    table = TABLES["geometric on 0..6"]
    given_prior = coverage(table, "0.9", [1, 2, 3, 0, 4], counts=range(5))
    joint = sum(Fraction(w) * c for w, c in zip([1, 2, 3, 0, 4], given_prior.chances, strict=True))
    assert given_prior.average == joint / 10
    named = coverage(table, "0.9", Poisson(4), counts=range(80))
    law = poisson(Fraction(4))
    expected = sum(law(k) * c for k, c in enumerate(named.chances)) / sum(law(k) for k in range(80))
    assert named.average == pytest.approx(float(expected), abs=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(LEVELS), st.lists(st.integers(1, 50), min_size=1, max_size=25))
def test_the_promise_for_any_table_and_prior(seed: int, level: str, prior: list[int]) -> None:
    rng = np.random.default_rng(seed)
    upper = None if rng.integers(2) else int(rng.integers(12, 30))
    table = random_table(seed, int(rng.integers(0, 4)), upper, int(rng.integers(0, 4)), int(rng.integers(1, 4)))
    for believed in (None, prior):
        assert coverage(table, level, believed, counts=[0]).average >= Fraction(level)


def test_intervals_hold_the_truth_as_often_as_is_said() -> None:
    """Every key once, so that every measurement comes up as often as its weight says."""
    table = design.geometric(epsilon=1, upper=9).certify(bits=12)
    keys = np.arange(1 << 12)
    found = coverage(table, "0.9")
    for count, covered in zip(found.counts.tolist(), found.chances, strict=True):
        cells = intervals(table, table.perturb(np.full(len(keys), count), keys=keys), "0.9")
        assert Fraction(int(np.sum((cells.low <= count) & (count <= cells.high))), len(keys)) == covered


def test_refusals() -> None:
    table = TABLES["geometric"]
    with pytest.raises(ParameterError, match="0 or more"):
        coverage(table, counts=[-1])
    with pytest.raises(InputError, match="integers"):
        coverage(table, counts=[1.5])
    with pytest.raises(ParameterError, match="level"):
        coverage(table, 1)
    with pytest.raises(ParameterError, match="level"):
        coverage(table, math.nan)
    with pytest.raises(ParameterError, match="no order"):
        coverage(design.cyclic(size=5, epsilon=1).certify())


@pytest.mark.parametrize("upper", [5, 13, 14, 60])
def test_the_average_over_a_domain_with_an_end(upper: int) -> None:
    """With one row of noise for all of it, that is of every count by itself."""
    noise = design.geometric(epsilon=1, support=6).interior
    table = Mechanism(Counts(0, upper), interior=noise).certify(epsilon="1.5")
    found = coverage(table, counts=range(upper + 1))
    assert found.average == sum(found.chances) / (upper + 1)
