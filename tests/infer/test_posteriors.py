"""Posteriors of counts equal plain fractions: in the middle, at the ends of the domain, and far out."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet import Counts, Cycle, PTable, design
from discreet.errors import DiscreetError, InputError, ParameterError
from discreet.infer import NegativeBinomial, Poisson, Posterior, intervals, posterior
from tests.infer.tables import TABLES, by_fractions, flat, poisson, random_table

MEASURED = range(-12, 22)
WIDE = design.gaussian(sigma2=180).certify(epsilon="0.4")
"""A table whose noise has 163 values."""


def agrees(actual: Posterior, expected: dict[int, Fraction]) -> None:
    probabilities = dict(zip(actual.support.tolist(), actual.probabilities.tolist(), strict=True))
    assert sum(p for count, p in probabilities.items() if count not in expected) < 1e-15
    for count, p in expected.items():
        assert probabilities.get(count, 0) == pytest.approx(float(p), rel=1e-11, abs=1e-15)
    mean = sum(count * p for count, p in expected.items())
    assert actual.mean() == pytest.approx(float(mean), rel=1e-11, abs=1e-11)
    assert max(expected.values()) - expected[actual.mode()] <= Fraction(1, 10**12)
    low, high = actual.interval("0.9")
    assert sum(p for count, p in expected.items() if count < low) <= Fraction(1, 20)
    if low == min(expected) and sum(p for count, p in expected.items() if count <= low) <= Fraction(1, 20):
        assert expected[low] >= expected[high] * (1 - Fraction(1, 10**9))  # the least value is no less likely
    else:
        assert sum(p for count, p in expected.items() if count <= low) > Fraction(1, 20) * (1 - Fraction(2, 10**8))
    assert sum(p for count, p in expected.items() if count > high) <= Fraction(1, 20)
    assert sum(p for count, p in expected.items() if count >= high) > Fraction(1, 20) * (1 - Fraction(2, 10**8))


@pytest.mark.parametrize("name", TABLES)
def test_posteriors_under_a_flat_prior_equal_fractions(name: str) -> None:
    table = TABLES[name]
    possible = 0
    for measured in MEASURED:
        expected = by_fractions(table, measured, flat(table), range(200))
        if expected:
            possible += 1
            agrees(posterior(table, measured), expected)
        else:
            with pytest.raises(ParameterError, match=f"{measured}"):
                posterior(table, measured)
    assert possible >= 6


@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(7), Fraction(40)])
@pytest.mark.parametrize("name", TABLES)
def test_posteriors_under_a_poisson_prior_equal_fractions(name: str, rate: Fraction) -> None:
    """Counts beyond the domain are measured like its ends, and the prior distinguishes them."""
    table = TABLES[name]
    for measured in MEASURED:
        expected = by_fractions(table, measured, poisson(rate), range(300))
        if expected:
            agrees(posterior(table, measured, Poisson(float(rate))), expected)


@pytest.mark.parametrize("name", TABLES)
def test_posteriors_under_listed_weights_equal_fractions(name: str) -> None:
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
            with pytest.raises(ParameterError, match=f"{measured}"):
                posterior(table, measured, weights)
    assert excluded or name in ("geometric", "geometric, strict", "geometric on 0..6", "fair on 0..5", "gaussian")


def test_posteriors_under_a_negative_binomial_prior_equal_the_closed_form() -> None:
    table = TABLES["geometric, strict"]
    prior = NegativeBinomial(mean=12, dispersion=0.3)
    q = 12 / 12.3
    actual = posterior(table, 20, prior)
    counts = actual.support.tolist()
    log_prior = [math.lgamma(k + 0.3) - math.lgamma(0.3) - math.lgamma(k + 1) + k * math.log(q) for k in counts]
    logs = np.array(log_prior) + np.log([float(table.table.row(k).at(20)) for k in counts])
    weights = np.exp(logs - logs.max())
    assert actual.probabilities == pytest.approx(weights / weights.sum(), rel=1e-11)
    geometric = posterior(TABLES["fair on 0..5"], 3, NegativeBinomial(2, 1))  # ratio 2/3
    ratio = geometric.probabilities[1:] / geometric.probabilities[:-1]
    assert ratio[geometric.support[1:] > 5] == pytest.approx(2 / 3)


def test_large_rates_and_unexpected_measurements_keep_their_digits() -> None:
    table = TABLES["geometric"]
    million = posterior(table, 1_000_000, Poisson(1e6))
    noise = posterior(table, 1_000_000)
    assert million.interval() == noise.interval() == (999_997, 1_000_003)
    step = [math.log(1e6 / k) for k in range(999_999, 1_000_002)]
    under_poisson = {int(k): float(p) for k, p in zip(million.support, million.probabilities, strict=True)}
    under_flat = {int(k): float(p) for k, p in zip(noise.support, noise.probabilities, strict=True)}
    log_ratio, flat_log_ratio = (math.log(p[1_000_001] / p[999_999]) for p in (under_poisson, under_flat))
    assert log_ratio - flat_log_ratio == pytest.approx(step[1] + step[2], abs=1e-12)
    low = posterior(table, 1_000_000, Poisson(1e-3))
    assert low.mode() == low.support[0] == 1_000_000 - max(table.interior[0].first * -1, 0)
    high = posterior(table, 0, Poisson(1e9))
    assert high.mode() == high.support[-1] == len(table.interior[0].weights) // 2
    clamped = posterior(TABLES["geometric on 0..6"], 6, Poisson(1e6))
    assert clamped.mean() == pytest.approx(1e6, rel=1e-9)
    assert clamped.variance() == pytest.approx(1e6, rel=1e-6)


def test_a_number_has_one_posterior_and_an_array_a_list() -> None:
    table = TABLES["geometric"]
    assert isinstance(posterior(table, 3), Posterior)
    assert isinstance(posterior(table, np.int32(3)), Posterior)
    posteriors = posterior(table, np.array([[3, 4], [3, -1]]))
    assert [count.mode() for count in posteriors] == [3, 4, 3, 0]
    assert posteriors[0] is posteriors[2]
    assert posterior(table, []) == []
    assert [count.mode() for count in posterior(table, [3.0, 4.0])] == [3, 4]
    assert intervals(table, []).low.shape == (0,)
    assert "0..3" in repr(posterior(table, 0))


def half_width(table: PTable, level: str) -> int:
    """Return half the width of the widest interval of large measurements, rounded up; 0 if all of them meet an end."""
    integers, domain = table.table, table.domain
    assert isinstance(domain, Counts)
    small = [(row.first - count, len(row.weights)) for count, row in enumerate(integers.rows, domain.lower)]
    noise = small + [(row.first, len(row.weights)) for row in integers.interior]
    start = integers.start + max(first + length for first, length in noise) - 1
    large = range(start, start + len(integers.interior))
    if domain.upper is not None and (not large or large[-1] - min(noise)[0] > domain.upper):
        return 0
    ends = [posterior(table, measured).interval(level) for measured in large]
    return -(-max((high - low for low, high in ends), default=0) // 2)


@pytest.mark.parametrize("below", [0, 10, 25])
def test_a_measurement_far_below_0_says_few_and_never_nobody(below: int) -> None:
    table = design.gaussian(sigma2=25, support=30).certify(epsilon=1)
    low, high = posterior(table, 500).interval()
    cells = intervals(table, [-below])
    assert cells.low.tolist() == [0]
    assert cells.high[0] >= -(-(high - low) // 2) > 0
    assert posterior(table, -30).interval() == (0, 0)
    assert intervals(table, [-30]).high.tolist() == [-(-(high - low) // 2)]


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
    cells = intervals(table, [[measured]], "0.9", prior)
    low, high = expected.interval("0.9")
    high = max(high, half_width(table, "0.9")) if low == 0 and prior == "uniform" else high
    assert (int(cells.low[0, 0]), int(cells.high[0, 0])) == (low, high)
    assert int(cells.mode[0, 0]) == expected.mode()
    assert float(cells.mean[0, 0]) == pytest.approx(expected.mean(), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("prior", [None, "poisson:30", "negative-binomial:50:0.5", [1.0] * 500])
@pytest.mark.parametrize("name", TABLES)
def test_many_intervals_at_once_are_those_of_the_posteriors(name: str, prior: object) -> None:
    table = TABLES[name]
    rng = np.random.default_rng(5)
    true = np.concatenate([rng.integers(0, 15, 300), rng.integers(0, 400, 100)])
    measured = np.asarray(table.perturb(true, keys=rng.integers(0, 1 << table.bits, 400)))
    cells = intervals(table, measured, prior=prior)
    counts = posterior(table, measured, prior)
    half = half_width(table, "0.95") if prior is None else 0
    ends = [(low, high if low else max(high, half)) for low, high in (count.interval() for count in counts)]
    assert list(zip(cells.low.tolist(), cells.high.tolist(), strict=True)) == ends
    assert cells.mode.tolist() == [count.mode() for count in counts]
    assert cells.mean == pytest.approx([count.mean() for count in counts], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("start", [90, 1_000_000])
@pytest.mark.parametrize("prior", ["poisson:5", "poisson:2e6", "negative-binomial:3:1", "negative-binomial:1e6:0.5"])
@pytest.mark.parametrize("apart", [1, 40, 10_000])
def test_intervals_of_large_counts_are_those_of_the_posteriors(apart: int, prior: str, start: int) -> None:
    """With priors that are steep or flat near the counts; with posteriors that overlap or do not."""
    measured = start + apart * np.arange(1500)
    cells = intervals(WIDE, measured, prior=prior)
    sample = slice(None, None, 83)
    counts = posterior(WIDE, measured[sample], prior)
    ends = list(zip(cells.low[sample].tolist(), cells.high[sample].tolist(), strict=True))
    assert ends == [count.interval() for count in counts]
    assert cells.mode[sample].tolist() == [count.mode() for count in counts]
    assert cells.mean[sample] == pytest.approx([count.mean() for count in counts], rel=1e-12)


def test_the_posterior_of_a_residue_is_the_noise_around_it() -> None:
    table = design.cyclic(size=5, epsilon=1).certify()
    noise = table.interior[0].weights
    residue = posterior(table, 3)
    assert residue.support.tolist() == [0, 1, 2, 3, 4]
    assert residue.probabilities == pytest.approx([noise[(3 - x) % 5] / table.table.total for x in range(5)])
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


def test_wrong_residues_and_priors_are_refused() -> None:
    table, plane = design.cyclic(size=5, epsilon=1).certify(), design.cyclic(shape=(2, 3), epsilon=1).certify()
    for outside in (5, -1):
        with pytest.raises(ParameterError, match=f"{outside}"):
            posterior(table, outside)
    with pytest.raises(ParameterError, match=r"Poisson\(rate=2\.0\)"):
        posterior(table, 3, "poisson:2")
    with pytest.raises(InputError, match=r"\(3,\)"):
        posterior(plane, [1, 2, 3])
    with pytest.raises(ParameterError, match="Cycle"):
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
        with pytest.raises(InputError, match="measurements"):
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
def test_a_wrong_prior_is_refused(prior: object) -> None:
    with pytest.raises(ParameterError, match="prior"):
        posterior(TABLES["geometric"], 3, prior)


@pytest.mark.parametrize(
    ("build", "named"),
    [
        (lambda: Poisson(0), "rate is 0"),
        (lambda: Poisson(math.inf), "rate is inf"),
        (lambda: NegativeBinomial(3, 0), "dispersion is 0"),
    ],
)
def test_parameters_of_priors_are_above_0(build: Callable[[], object], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        build()


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, math.nan, "x", None])
def test_a_level_is_between_0_and_1(level: object) -> None:
    with pytest.raises(DiscreetError, match="level"):
        posterior(TABLES["geometric"], 3).interval(level)
    with pytest.raises(DiscreetError, match="level"):
        intervals(TABLES["geometric"], [3], level)  # type: ignore[arg-type]


def test_a_prior_too_wide_for_a_clamped_table_is_refused() -> None:
    with pytest.raises(ParameterError, match="NegativeBinomial"):
        posterior(TABLES["geometric on 0..6"], 6, NegativeBinomial(1e9, 0.1))
    assert posterior(TABLES["geometric"], 6, NegativeBinomial(1e9, 0.1)).mode() == 6


def test_infer_is_public() -> None:
    assert discreet.infer.posterior is posterior


@pytest.mark.parametrize("table", [None, "noise.json", design.geometric(epsilon=1)])
def test_a_table_that_is_not_certified_is_refused(table: Any) -> None:
    for function in (posterior, intervals, discreet.infer.coverage):
        with pytest.raises(ParameterError, match="ptable"):
            function(table, 3)


def test_the_end_of_the_domain_is_open() -> None:
    table = design.geometric(epsilon=1, upper=50).certify()
    counts = posterior(table, [50, 46, 43, 3])
    assert [count.open_end for count in counts] == [True, True, True, False]
    assert [count.endless() for count in counts] == [True, False, False, False]
    assert counts[2].endless("0.9999")
    assert "47..50 or more" in repr(counts[0])
    assert intervals(table, [[50, 46], [43, 3]]).open_end.tolist() == [[True, False], [False, False]]
    assert not intervals(table, [50], prior="poisson:40").open_end.any()
    assert not posterior(table, 50, [1] * 51).open_end
    assert not posterior(TABLES["geometric"], 50).open_end
    assert discreet.infer.coverage(table, counts=[50, 51, 10**9]).chances[1:] == (
        discreet.infer.coverage(table, counts=[50]).chances * 2
    )


@pytest.mark.parametrize("measured", [50, 10**15 + 1, 10**17 + 7, 2**60 + 77])
def test_the_variance_of_a_large_count_is_that_of_the_noise(measured: int) -> None:
    expected = 2 * math.exp(-1) / (1 - math.exp(-1)) ** 2
    assert posterior(design.geometric(epsilon=1).certify(), measured).variance() == pytest.approx(expected, rel=1e-6)


def test_values_of_a_posterior_are_integers() -> None:
    with pytest.raises(ParameterError, match="float64"):
        Posterior(np.array([0.5, 1.7]), np.array([0.5, 0.5]))
