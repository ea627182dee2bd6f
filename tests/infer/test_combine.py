"""Sums, differences, ratios and shares equal sums over all pairs, in fractions."""

import itertools
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Counts, Mechanism, PTable, Row, design
from discreet.errors import DiscreetError, ParameterError
from discreet.infer import Posterior, difference, measured_total, posterior, ratio, ratios, share, total, update
from tests.infer.tables import TABLES, poisson, weight


def posterior_of(values: dict[int, int]) -> Posterior:
    support = sorted(values)
    return Posterior(np.array(support), np.array([values[x] for x in support]) / sum(values.values()))


weights = st.dictionaries(st.integers(0, 30), st.integers(1, 20), min_size=1, max_size=6)


def distribution(parts: list[dict[int, int]], value: Callable[..., Fraction | int]) -> dict[Fraction | int, Fraction]:
    """Return the distribution of a function of independent numbers, by all combinations."""
    result: dict[Fraction | int, Fraction] = defaultdict(Fraction)
    for values in itertools.product(*parts):
        p = Fraction(1)
        for part, x in zip(parts, values, strict=True):
            p *= Fraction(part[x], sum(part.values()))
        result[value(*values)] += p
    return result


def same(actual: Posterior, expected: dict[Fraction | int, Fraction]) -> None:
    assert actual.support.tolist() == sorted(expected)
    assert actual.probabilities == pytest.approx([float(expected[x]) for x in actual.support.tolist()], rel=1e-12)


@given(st.lists(weights, min_size=1, max_size=4))
def test_sums_equal_all_combinations(parts: list[dict[int, int]]) -> None:
    same(total([posterior_of(part) for part in parts]), distribution(parts, lambda *x: sum(x)))


@given(weights, weights)
def test_differences_equal_all_combinations(first: dict[int, int], second: dict[int, int]) -> None:
    same(difference(posterior_of(first), posterior_of(second)), distribution([first, second], lambda a, b: a - b))


@given(weights, weights)
def test_ratios_and_shares_equal_all_combinations(first: dict[int, int], second: dict[int, int]) -> None:
    """Mean, interval and the probability of a denominator of 0."""
    for function, bottom in ((ratio, lambda a, b: b), (share, lambda a, b: a + b)):
        chances = distribution(
            [first, second], lambda a, b, bottom=bottom: Fraction(a, bottom(a, b)) if bottom(a, b) else -1
        )
        undefined = chances.pop(-1, Fraction(0))
        if undefined == 1:
            with pytest.raises(ParameterError, match="denominator"):
                function(posterior_of(first), posterior_of(second))
            continue
        estimate = function(posterior_of(first), posterior_of(second), "0.9")
        rest = 1 - undefined
        assert estimate.error is None
        assert estimate.undefined == pytest.approx(float(undefined), abs=1e-12)
        assert estimate.mean == pytest.approx(float(sum(x * p for x, p in chances.items()) / rest), abs=1e-12)
        assert estimate.low in [float(x) for x in chances]
        below = sum(p for x, p in chances.items() if float(x) < estimate.low) / rest
        above = sum(p for x, p in chances.items() if float(x) > estimate.high) / rest
        at_ends = [
            sum(p for x, p in chances.items() if float(x) == end) / rest for end in (estimate.low, estimate.high)
        ]
        assert max(below, above) <= Fraction(1, 20)
        assert min(below + at_ends[0], above + at_ends[1]) > Fraction(1, 20) * (1 - Fraction(1, 10**9))


WIDE = {
    "the town's": design.gaussian(sigma2=180).certify(epsilon="0.4"),
    "epsilon .02": design.geometric(epsilon="0.02").certify(),
}


def measurements(table: PTable) -> tuple[list[int], list[Fraction]]:
    """Return the measurements of a true 0 and the chance of each, without the rarest."""
    row = table.interior[0]
    measured = [row.first + z for z, w in enumerate(row.weights) if w > table.table.total // 10**5]
    return measured, [Fraction(row.at(y), table.table.total) for y in measured]


@pytest.mark.parametrize("name", WIDE)
def test_a_true_part_of_0_is_in_the_interval_of_its_share(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As often as 0 is in the interval of the part, over all measurements. So are a share of 1 and a ratio of 0.

    Pairs are sampled here, because sampling does not change how small counts are treated.
    """
    monkeypatch.setattr(ratios, "PAIRS", 0)
    monkeypatch.setattr(ratios, "SAMPLES", 100)
    table = WIDE[name]
    whole = posterior(table, 5000)
    measured, chances = measurements(table)
    covered = dict.fromkeys(("cell", "share", "rest", "ratio"), Fraction(0))
    for small, p in zip(posterior(table, measured), chances, strict=True):
        covered["cell"] += p * (small.interval()[0] == 0)
        covered["share"] += p * (share(small, whole).low == 0)
        covered["rest"] += p * (share(whole, small).high == 1)
        covered["ratio"] += p * (ratio(small, whole).low == 0)
    assert covered["cell"] > Fraction(97, 100)
    assert covered["share"] == covered["rest"] == covered["ratio"] == covered["cell"]


def test_a_part_that_was_measured_far_from_0_has_no_share_of_0() -> None:
    """The exception is for small counts. Elsewhere tails have equal size, though single ratios are rare."""
    table = WIDE["the town's"]
    part, rest = posterior(table, [40, 5000])
    assert part.interval()[0] > 0
    estimate = share(part, rest)
    assert estimate.low > 0
    chances = np.outer(part.probabilities, rest.probabilities)
    below = chances[part.support[:, None] < estimate.low * (part.support[:, None] + rest.support)].sum()
    assert 0.02 < below <= 0.025


def test_the_interval_of_a_ratio_holds_the_ratio_at_a_denominator_of_1() -> None:
    """If the interval of the denominator starts at its least count, 1."""
    table = WIDE["epsilon .02"]
    large, small = posterior(table, [5000, -30])
    assert ratio(large, small).high == large.interval()[1]
    change = Posterior(large.support - 5000, large.probabilities)
    assert -large.support[-1] < ratio(change, small).low < 0


@pytest.mark.parametrize("true", [(0, 0), (100, 0), (0, 100), (5, 100), (90, 100)])
def test_a_change_to_or_from_0_is_in_its_interval(true: tuple[int, int]) -> None:
    """Over all pairs of measurements. Tails of equal size would hold the change from 100 to 0 in 93.5% of cases."""
    table = design.gaussian(sigma2=10).certify(epsilon=2)
    measured, chances = measurements(table)
    now, before = (posterior(table, [count + y for y in measured]) for count in true)
    covered = Fraction(0)
    for (new, p), (old, q) in itertools.product(zip(now, chances, strict=True), zip(before, chances, strict=True)):
        low, high = difference(new, old).interval()
        covered += p * q * (low <= true[0] - true[1] <= high)
    assert covered >= Fraction(95, 100)


@pytest.mark.parametrize("true", [(0, 3), (4, 0), (1, 6), (2, 2)])
def test_the_interval_of_a_share_holds_the_true_share_in_95_percent_of_cases(true: tuple[int, int]) -> None:
    """Over all pairs of measurements."""
    table = Mechanism(Counts(), (), (Row.exact(-8, [1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1]),)).certify(
        epsilon=50, bits=12
    )
    measured, chances = measurements(table)
    parts, rests = (posterior(table, [count + y for y in measured]) for count in true)
    covered = Fraction(0)
    for (part, p), (rest, q) in itertools.product(zip(parts, chances, strict=True), zip(rests, chances, strict=True)):
        estimate = share(part, rest)
        truth = true[0] / sum(true)
        covered += p * q * (estimate.low <= truth <= estimate.high)
    assert covered >= Fraction(95, 100)


def test_the_rest_of_a_share_may_be_several_parts() -> None:
    parts = [{3: 1, 4: 2}, {0: 1, 7: 3}, {1: 1, 2: 1}]
    estimate = share(posterior_of(parts[0]), [posterior_of(part) for part in parts[1:]])
    chances = distribution(parts, lambda a, b, c: Fraction(a, a + b + c))
    assert estimate.mean == pytest.approx(float(sum(x * p for x, p in chances.items())))


def test_a_sampled_ratio_says_how_far_it_may_be_off(monkeypatch: pytest.MonkeyPatch) -> None:
    table = design.gaussian(sigma2=30).certify(epsilon=1)
    numerator, denominator = posterior(table, [500, 900])
    exact = ratio(numerator, denominator)
    monkeypatch.setattr(ratios, "PAIRS", 100)
    monkeypatch.setattr(ratios, "SAMPLES", 20_000)
    sampled = ratio(numerator, denominator, seed=3)
    assert sampled == ratio(numerator, denominator, seed=3)
    assert sampled != ratio(numerator, denominator, seed=4)
    assert sampled.error is not None
    assert 0 < abs(sampled.mean - exact.mean) < 5 * sampled.error
    assert exact.low - 0.01 < sampled.low <= exact.low < exact.high <= sampled.high < exact.high + 0.01


def test_a_long_sum_keeps_mean_and_variance() -> None:
    """The ends that are left out do not matter: moments of a sum are the sums of moments."""
    parts = posterior(TABLES["geometric, strict"], list(range(40, 640)))
    whole = total(parts)
    assert len(whole.support) < sum(len(part.support) for part in parts) / 10
    assert whole.mean() == pytest.approx(sum(part.mean() for part in parts), rel=1e-12)
    assert whole.variance() == pytest.approx(sum(part.variance() for part in parts), rel=1e-9)


@pytest.mark.parametrize("prior", [None, "poisson:3", [1, 0, 2, 5]])
@pytest.mark.parametrize("measured", [[1, 0], [-2, 3, -3], [4], [-1, -1, -1, -1]])
def test_measured_total_has_the_prior_on_the_sum(measured: list[int], prior: Any) -> None:
    """Pr[sum of measurements | sum of counts] is the distribution of the sum of noises, by all combinations."""
    table = Mechanism(Counts(), (), (Row.exact(-3, [1, 2, 3, 5, 3, 2, 0, 1]),)).certify(epsilon=50, bits=12)
    noise = {table.interior[0].first + z: w for z, w in enumerate(table.interior[0].weights) if w}
    sums = distribution([noise] * len(measured), lambda *z: sum(z))
    poisson_weight = poisson(Fraction(3))

    def before(count: int) -> Fraction:
        if prior is None:
            return Fraction(1)
        if isinstance(prior, str):
            return poisson_weight(count)
        return Fraction(prior[count] if count < 4 else 0)

    joint = {count: before(count) * sums.get(sum(measured) - count, 0) for count in range(100)}
    whole = sum(joint.values())
    actual = measured_total(table, measured, prior)
    same(actual, {count: p / whole for count, p in joint.items() if p})
    if len(measured) == 1:
        assert actual.mean() == pytest.approx(posterior(table, measured[0], prior).mean())


def test_a_flat_prior_on_the_sum_of_empty_cells_keeps_the_sum_small() -> None:
    """The noise of 200 cells has a standard deviation of 100 in all. A flat prior on each cell adds hundreds."""
    table = TABLES["geometric, strict"]
    keys = np.random.default_rng(3).integers(0, 1 << 62, 200)
    measured = table.perturb(np.zeros(200, dtype=int), keys=keys)
    assert measured_total(table, measured).interval()[0] < 10
    assert total(posterior(table, measured)).interval()[0] > 300


def test_a_margin_measured_besides_its_parts_multiplies_two_likelihoods() -> None:
    table = TABLES["fair on 0..5"]
    parts = posterior(table, [1, 0], [1] * 6)
    updated = update(total(parts), table, 3)
    by_hand = {
        total_count: sum(
            weight(table, 1, a) * weight(table, 0, total_count - a) for a in range(6) if 0 <= total_count - a <= 5
        )
        * weight(table, 3, total_count)
        for total_count in range(11)
    }
    same(updated, {x: p / sum(by_hand.values()) for x, p in by_hand.items()})


@pytest.mark.parametrize(
    "run",
    [
        lambda: total([]),
        lambda: total(posterior_of({1: 1})),  # type: ignore[arg-type]
        lambda: total(None),  # type: ignore[arg-type]
        lambda: measured_total(design.geometric(epsilon=1), [1]),  # type: ignore[arg-type]
        lambda: update(posterior_of({1: 1}), None, 3),  # type: ignore[arg-type]
        lambda: total([3]),  # type: ignore[list-item]
        lambda: difference(posterior_of({1: 1}), 2),  # type: ignore[arg-type]
        lambda: ratio(posterior_of({1: 1}), posterior_of({-1: 1, 2: 1})),
        lambda: share(posterior_of({-1: 1}), posterior_of({2: 1})),
        lambda: share(posterior_of({1: 1}), []),
        lambda: ratio(posterior_of({1: 1}), posterior_of({2: 1}), level=2),
        lambda: ratio(posterior_of({1: 1}), posterior_of({2: 1}), seed=-1),
        lambda: share(posterior_of({1: 1}), posterior_of({2: 1}), seed="x"),  # type: ignore[arg-type]
        lambda: share(posterior_of({1: 1}), posterior_of({2: 1}), seed=1.5),  # type: ignore[arg-type]
        lambda: total([posterior_of({0: 1, 1 << 40: 1})] * 2),
        lambda: update(posterior_of({1: 1}), TABLES["geometric on 0..6"], 30),
        lambda: measured_total(TABLES["small rows"], [1, 2]),
        lambda: measured_total(TABLES["geometric on 0..6"], [1, 2]),
        lambda: measured_total(TABLES["geometric"], []),
        lambda: measured_total(TABLES["geometric"], [1.5]),
        lambda: measured_total(TABLES["geometric"], [-400, -400]),
        lambda: update(posterior_of({1: 1}), TABLES["geometric"], [3, 4]),  # type: ignore[arg-type]
        lambda: update(posterior_of({1: 1}), design.cyclic(size=5, epsilon=1).certify(), 3),
    ],
)
def test_wrong_arguments_are_refused(run: Callable[[], object]) -> None:
    with pytest.raises(DiscreetError):
        run()


def test_a_posterior_with_an_open_end_has_no_sum() -> None:
    """Larger counts are measured like the end, so a flat prior leaves them open. Other priors distinguish them."""
    table = design.geometric(epsilon=1, upper=50).certify()
    far, near = posterior(table, [3, 49])
    assert (far.open_end, near.open_end) == (False, True)
    assert total([near]) is near
    for run in (
        lambda: total([far, near]),
        lambda: difference(far, near),
        lambda: ratio(far, near),
        lambda: share(near, far),
        lambda: update(near, table, 48),
    ):
        with pytest.raises(ParameterError, match="50"):
            run()
    assert total(posterior(table, [3, 49], "poisson:60")).interval()[1] > 60
    assert total(posterior(table, [3, 49], [1] * 51)).interval()[1] <= 56


def test_residues_have_no_order_and_no_sum() -> None:
    """Hour 0 is next to hour 23, and has no mean with it."""
    hours = design.cyclic(size=24, epsilon=2).certify()
    midnight, eleven = posterior(hours, [0, 23])
    assert (midnight.mode(), eleven.mode()) == (0, 23)
    assert "mean" not in repr(midnight)
    for refused in (
        midnight.mean,
        midnight.variance,
        midnight.interval,
        lambda: difference(midnight, eleven),
        lambda: total([midnight]),
        lambda: total([midnight, eleven]),
        lambda: ratio(eleven, midnight),
        lambda: share(eleven, midnight),
        lambda: update(midnight, design.geometric(epsilon=1).certify(), 3),
    ):
        with pytest.raises(ParameterError, match="residues"):
            refused()


def test_sums_beyond_2_to_the_62_are_refused() -> None:
    table = design.geometric(epsilon=1).certify()
    with pytest.raises(ParameterError, match="2\\*\\*62"):
        measured_total(table, [2**61] * 8)
    with pytest.raises(ParameterError, match="2\\*\\*62"):
        total(posterior(table, [2**62] * 3))
