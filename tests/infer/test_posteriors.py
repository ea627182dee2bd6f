"""Posteriors of counts: against plain fractions, at the ends, far out, and refused."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet import Cycle, design
from discreet.errors import DiscreetError, InputError, ParameterError
from discreet.infer import NegativeBinomial, Poisson, Posterior, intervals, posterior
from tests.infer.tables import TABLES, by_fractions, flat, poisson, random_table

MEASURED = range(-12, 22)
WIDE = design.gaussian(sigma2=180).certify(epsilon="0.4")
"""Noise of 163 values."""


def agrees(found: Posterior, expected: dict[int, Fraction]) -> None:
    shown = dict(zip(found.support.tolist(), found.probabilities.tolist(), strict=True))
    assert sum(p for count, p in shown.items() if count not in expected) < 1e-15
    for count, p in expected.items():
        assert shown.get(count, 0) == pytest.approx(float(p), rel=1e-11, abs=1e-15)
    mean = sum(count * p for count, p in expected.items())
    assert found.mean() == pytest.approx(float(mean), rel=1e-11, abs=1e-11)
    assert max(expected.values()) - expected[found.mode()] <= Fraction(1, 10**12)
    low, high = found.interval("0.9")
    assert sum(p for count, p in expected.items() if count < low) <= Fraction(1, 20)
    if low == min(expected) and sum(p for count, p in expected.items() if count <= low) <= Fraction(1, 20):
        assert expected[low] >= expected[high] * (1 - Fraction(1, 10**9))  # the least value is no less likely
    else:
        assert sum(p for count, p in expected.items() if count <= low) > Fraction(1, 20) * (1 - Fraction(2, 10**8))
    assert sum(p for count, p in expected.items() if count > high) <= Fraction(1, 20)
    assert sum(p for count, p in expected.items() if count >= high) > Fraction(1, 20) * (1 - Fraction(2, 10**8))


@pytest.mark.parametrize("name", TABLES)
def test_flat_prior_by_fractions(name: str) -> None:
    table = TABLES[name]
    possible = 0
    for measured in MEASURED:
        expected = by_fractions(table, measured, flat(table), range(200))
        if expected:
            possible += 1
            agrees(posterior(table, measured), expected)
        else:
            with pytest.raises(ParameterError, match=f"measured as {measured} "):
                posterior(table, measured)
    assert possible >= 6


@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(7), Fraction(40)])
@pytest.mark.parametrize("name", TABLES)
def test_poisson_prior_by_fractions(name: str, rate: Fraction) -> None:
    """Counts beyond the domain are measured as its ends are, and the prior tells them apart."""
    table = TABLES[name]
    for measured in MEASURED:
        expected = by_fractions(table, measured, poisson(rate), range(300))
        if expected:
            agrees(posterior(table, measured, Poisson(float(rate))), expected)


@pytest.mark.parametrize("name", TABLES)
def test_given_prior_by_fractions(name: str) -> None:
    table = TABLES[name]
    weights = [3, 0, 1, 0.5, 0, 0, 2, 9, 0.25, 1, 1, 0, 4]
    named = {count: weight for count, weight in enumerate(weights) if weight}
    excluded = 0
    for measured in MEASURED:
        expected = by_fractions(
            table, measured, lambda count: Fraction(weights[count]) if count < len(weights) else 0, range(50)
        )
        if expected:
            agrees(posterior(table, measured, weights), expected)
            agrees(posterior(table, measured, named), expected)
        else:
            excluded += 1
            with pytest.raises(ParameterError, match=r"weight 0|no true count"):
                posterior(table, measured, weights)
    assert excluded or name in ("geometric", "geometric, strict", "geometric on 0..6", "fair on 0..5", "gaussian")


def test_negative_binomial_weights() -> None:
    """Against the closed form, at every count of a long window."""
    table = TABLES["geometric, strict"]
    prior = NegativeBinomial(mean=12, dispersion=0.3)
    q = 12 / 12.3
    found = posterior(table, 20, prior)
    expected = [
        math.lgamma(k + 0.3) - math.lgamma(0.3) - math.lgamma(k + 1) + k * math.log(q) for k in found.support.tolist()
    ]
    logs = np.array(expected) + np.log([float(table.table.row(k).at(20)) for k in found.support.tolist()])
    law = np.exp(logs - logs.max())
    assert found.probabilities == pytest.approx(law / law.sum(), rel=1e-11)
    alone = posterior(TABLES["fair on 0..5"], 3, NegativeBinomial(2, 1))  # geometric, ratio 2/3
    ratio = alone.probabilities[1:] / alone.probabilities[:-1]
    assert ratio[alone.support[1:] > 5] == pytest.approx(2 / 3)


def test_nothing_is_lost_far_out() -> None:
    """Large rates and measurements, and measurements that the prior did not expect at all."""
    table = TABLES["geometric"]
    million = posterior(table, 1_000_000, Poisson(1e6))
    noise = posterior(table, 1_000_000)
    assert million.interval() == noise.interval() == (999_997, 1_000_003)
    step = [math.log(1e6 / k) for k in range(999_999, 1_000_002)]
    at = {int(k): float(p) for k, p in zip(million.support, million.probabilities, strict=True)}
    plain = {int(k): float(p) for k, p in zip(noise.support, noise.probabilities, strict=True)}
    assert math.log(at[1_000_001] / at[999_999]) - math.log(plain[1_000_001] / plain[999_999]) == pytest.approx(
        step[1] + step[2], abs=1e-12
    )
    low = posterior(table, 1_000_000, Poisson(1e-3))
    assert low.mode() == low.support[0] == 1_000_000 - max(table.interior[0].first * -1, 0)
    high = posterior(table, 0, Poisson(1e9))
    assert high.mode() == high.support[-1] == len(table.interior[0].weights) // 2
    clamped = posterior(TABLES["geometric on 0..6"], 6, Poisson(1e6))
    assert clamped.mean() == pytest.approx(1e6, rel=1e-9)
    assert clamped.variance() == pytest.approx(1e6, rel=1e-6)


def test_shapes() -> None:
    table = TABLES["geometric"]
    assert isinstance(posterior(table, 3), Posterior)
    assert isinstance(posterior(table, np.int32(3)), Posterior)
    found = posterior(table, np.array([[3, 4], [3, -1]]))
    assert [belief.mode() for belief in found] == [3, 4, 3, 0]
    assert found[0] is found[2]
    assert posterior(table, []) == []
    assert [belief.mode() for belief in posterior(table, [3.0, 4.0])] == [3, 4]
    assert intervals(table, []).low.shape == (0,)
    assert "95% within 0..3" in repr(posterior(table, 0))


@given(st.integers(0, 10**6), st.integers(-8, 40), st.sampled_from(["uniform", "poisson:4", "negative-binomial:9:2"]))
def test_intervals_are_those_of_the_posteriors(seed: int, measured: int, prior: str) -> None:
    rng = np.random.default_rng(seed)
    upper = None if rng.integers(2) else int(rng.integers(12, 30))
    table = random_table(seed, int(rng.integers(0, 4)), upper, int(rng.integers(0, 4)), int(rng.integers(1, 4)))
    try:
        expected = posterior(table, measured, prior)
    except ParameterError:
        with pytest.raises(ParameterError, match=str(measured)):
            intervals(table, [measured], prior=prior)
        return
    found = intervals(table, [[measured]], "0.9", prior)
    assert (int(found.low[0, 0]), int(found.high[0, 0])) == expected.interval("0.9")
    assert int(found.mode[0, 0]) == expected.mode()
    assert float(found.mean[0, 0]) == pytest.approx(expected.mean(), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("prior", [None, "poisson:30", "negative-binomial:50:0.5", [1.0] * 500])
@pytest.mark.parametrize("name", TABLES)
def test_many_intervals_at_once(name: str, prior: object) -> None:
    table = TABLES[name]
    rng = np.random.default_rng(5)
    true = np.concatenate([rng.integers(0, 15, 300), rng.integers(0, 400, 100)])
    measured = np.asarray(table.perturb(true, keys=rng.integers(0, 1 << table.bits, 400)))
    found = intervals(table, measured, prior=prior)
    beliefs = posterior(table, measured, prior)
    assert list(zip(found.low.tolist(), found.high.tolist(), strict=True)) == [b.interval() for b in beliefs]
    assert found.mode.tolist() == [b.mode() for b in beliefs]
    assert found.mean == pytest.approx([b.mean() for b in beliefs], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("start", [90, 1_000_000])
@pytest.mark.parametrize("prior", ["poisson:5", "poisson:2e6", "negative-binomial:3:1", "negative-binomial:1e6:0.5"])
@pytest.mark.parametrize("apart", [1, 40, 10_000])
def test_intervals_of_large_counts(apart: int, prior: str, start: int) -> None:
    """Priors that are steep where the counts are, and flat; counts whose posteriors overlap, and do not."""
    table = WIDE
    measured = start + apart * np.arange(1500)
    found = intervals(table, measured, prior=prior)
    some = slice(None, None, 83)
    beliefs = posterior(table, measured[some], prior)
    ends = list(zip(found.low[some].tolist(), found.high[some].tolist(), strict=True))
    assert ends == [b.interval() for b in beliefs]
    assert found.mode[some].tolist() == [b.mode() for b in beliefs]
    assert found.mean[some] == pytest.approx([b.mean() for b in beliefs], rel=1e-12)


def test_residues() -> None:
    table = design.cyclic(size=5, epsilon=1).certify()
    noise = table.interior[0].weights
    found = posterior(table, 3)
    assert found.support.tolist() == [0, 1, 2, 3, 4]
    assert found.probabilities == pytest.approx([noise[(3 - x) % 5] / table.table.total for x in range(5)])
    prior = [0, 1, 2, 0, 1]
    weighted = np.array([noise[(3 - x) % 5] * prior[x] for x in range(5)], dtype=float)
    by_prior = posterior(table, [3], prior)[0]
    assert by_prior.support.tolist() == [1, 2, 4]
    assert by_prior.probabilities == pytest.approx(weighted[[1, 2, 4]] / weighted.sum())
    plane = design.cyclic(shape=(2, 3), epsilon=1).certify()
    assert isinstance(plane.domain, Cycle)
    single = posterior(plane, [1, 2])
    assert single.mode() == 5
    assert len(posterior(plane, [[1, 2], [0, 0]])) == 2
    for bad in (5, -1):
        with pytest.raises(ParameterError, match="not a residue"):
            posterior(table, bad)
    with pytest.raises(ParameterError, match="5 weights"):
        posterior(table, 3, "poisson:2")
    with pytest.raises(InputError, match="last axis"):
        posterior(plane, [1, 2, 3])
    with pytest.raises(ParameterError, match="no order"):
        intervals(table, [3])


@pytest.mark.parametrize(
    "observed",
    [
        math.nan,
        1.5,
        "7",
        None,
        True,
        [1, None],
        [1, math.inf],
        np.ma.masked_array([1], [True]),
        [[1], [1, 2]],
        2**63,
        1j,
    ],
)
def test_a_measurement_is_an_integer(observed: Any) -> None:
    for function in (posterior, intervals):
        with pytest.raises(InputError, match=r"integers|masked"):
            function(TABLES["geometric"], observed)


@pytest.mark.parametrize(
    "prior",
    [
        "gauss:3",
        "poisson",
        "poisson:x",
        "poisson:-1",
        "poisson:nan",
        "negative-binomial:3",
        [],
        [0, 0],
        [1, -1],
        [1, math.nan],
        [[1, 2]],
        ["a"],
        {},
        {-1: 2},
        {"a": 1},
        {1: "x"},
        3,
        object(),
    ],
)
def test_a_prior_that_is_none(prior: object) -> None:
    with pytest.raises(ParameterError, match="prior"):
        posterior(TABLES["geometric"], 3, prior)


@pytest.mark.parametrize("build", [lambda: Poisson(0), lambda: Poisson(math.inf), lambda: NegativeBinomial(3, 0)])
def test_parameters_of_priors(build) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError, match="above 0"):
        build()


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, math.nan, "x", None])
def test_a_level_is_between_0_and_1(level: object) -> None:
    with pytest.raises(DiscreetError, match="level"):
        posterior(TABLES["geometric"], 3).interval(level)
    with pytest.raises(DiscreetError, match="level"):
        intervals(TABLES["geometric"], [3], level)  # type: ignore[arg-type]


def test_a_prior_too_wide_for_a_clamped_table() -> None:
    with pytest.raises(ParameterError, match="narrower"):
        posterior(TABLES["geometric on 0..6"], 6, NegativeBinomial(1e9, 0.1))
    assert posterior(TABLES["geometric"], 6, NegativeBinomial(1e9, 0.1)).mode() == 6


def test_infer_is_public() -> None:
    assert discreet.infer.posterior is posterior


@pytest.mark.parametrize("table", [None, "noise.json", design.geometric(epsilon=1)])
def test_a_table_is_certified(table: Any) -> None:
    for function in (posterior, intervals, discreet.infer.coverage):
        with pytest.raises(ParameterError, match="give a certified one"):
            function(table, 3)


def test_the_end_of_the_domain_is_open() -> None:
    table = design.geometric(epsilon=1, upper=50).certify()
    beliefs = posterior(table, [50, 46, 43, 3])
    assert [belief.open_end for belief in beliefs] == [True, True, True, False]
    assert [belief.endless() for belief in beliefs] == [True, False, False, False]
    assert beliefs[2].endless("0.9999")
    assert "47..50 or more" in repr(beliefs[0])
    assert intervals(table, [[50, 46], [43, 3]]).open_end.tolist() == [[True, False], [False, False]]
    assert not intervals(table, [50], prior="poisson:40").open_end.any()
    assert not posterior(table, 50, [1] * 51).open_end
    assert not posterior(TABLES["geometric"], 50).open_end
    assert discreet.infer.coverage(table, counts=[50, 51, 10**9]).chances[1:] == (
        discreet.infer.coverage(table, counts=[50]).chances * 2
    )


@pytest.mark.parametrize("measured", [50, 10**15 + 1, 10**17 + 7, 2**60 + 77])
def test_the_variance_of_large_counts(measured: int) -> None:
    """That of the noise, however large the count is."""
    expected = 2 * math.exp(-1) / (1 - math.exp(-1)) ** 2
    assert posterior(design.geometric(epsilon=1).certify(), measured).variance() == pytest.approx(expected, rel=1e-6)


def test_values_are_whole() -> None:
    with pytest.raises(ParameterError, match="not whole numbers"):
        Posterior(np.array([0.5, 1.7]), np.array([0.5, 0.5]))
