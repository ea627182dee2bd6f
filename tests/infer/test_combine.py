"""Sums, differences, ratios and shares: against all pairs in fractions."""

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


def belief(values: dict[int, int]) -> Posterior:
    support = sorted(values)
    return Posterior(np.array(support), np.array([values[x] for x in support]) / sum(values.values()))


beliefs = st.dictionaries(st.integers(0, 30), st.integers(1, 20), min_size=1, max_size=6)


def law(parts: list[dict[int, int]], value: Callable[..., Fraction | int]) -> dict[Fraction | int, Fraction]:
    """The law of a function of independent numbers, by all combinations."""
    found: dict[Fraction | int, Fraction] = defaultdict(Fraction)
    for chosen in itertools.product(*parts):
        p = Fraction(1)
        for part, x in zip(parts, chosen, strict=True):
            p *= Fraction(part[x], sum(part.values()))
        found[value(*chosen)] += p
    return found


def same(found: Posterior, expected: dict[Fraction | int, Fraction]) -> None:
    assert found.support.tolist() == sorted(expected)
    assert found.probabilities == pytest.approx([float(expected[x]) for x in found.support.tolist()], rel=1e-12)


@given(st.lists(beliefs, min_size=1, max_size=4))
def test_sums(parts: list[dict[int, int]]) -> None:
    same(total([belief(part) for part in parts]), law(parts, lambda *x: sum(x)))


@given(beliefs, beliefs)
def test_differences(one: dict[int, int], other: dict[int, int]) -> None:
    same(difference(belief(one), belief(other)), law([one, other], lambda a, b: a - b))


@given(beliefs, beliefs)
def test_ratios_and_shares(one: dict[int, int], other: dict[int, int]) -> None:
    """Mean, interval and the chance of 0 in the denominator, exactly."""
    for function, bottom in ((ratio, lambda a, b: b), (share, lambda a, b: a + b)):
        chances = law([one, other], lambda a, b, bottom=bottom: Fraction(a, bottom(a, b)) if bottom(a, b) else -1)
        undefined = chances.pop(-1, Fraction(0))
        if undefined == 1:
            with pytest.raises(ParameterError, match="surely 0"):
                function(belief(one), belief(other))
            continue
        found = function(belief(one), belief(other), "0.9")
        rest = 1 - undefined
        assert found.error is None
        assert found.undefined == pytest.approx(float(undefined), abs=1e-12)
        assert found.mean == pytest.approx(float(sum(x * p for x, p in chances.items()) / rest), abs=1e-12)
        assert found.low in [float(x) for x in chances]
        below = sum(p for x, p in chances.items() if float(x) < found.low) / rest
        above = sum(p for x, p in chances.items() if float(x) > found.high) / rest
        at = [sum(p for x, p in chances.items() if float(x) == end) / rest for end in (found.low, found.high)]
        assert max(below, above) <= Fraction(1, 20)
        assert min(below + at[0], above + at[1]) > Fraction(1, 20) * (1 - Fraction(1, 10**9))


WIDE = {
    "the town's": design.gaussian(sigma2=180).certify(epsilon="0.4"),
    "epsilon .02": design.geometric(epsilon="0.02").certify(),
}


def measurements(table: PTable) -> tuple[list[int], list[Fraction]]:
    """Those of a true 0, and the chance of each; of wide noise all but the rarest."""
    row = table.interior[0]
    places = [row.first + z for z, w in enumerate(row.weights) if w > table.table.total // 10**5]
    return places, [Fraction(row.at(y), table.table.total) for y in places]


@pytest.mark.parametrize("name", WIDE)
def test_a_true_part_of_0_is_in_the_interval_of_its_share(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By all its measurements, in as many cases as in the interval of the part; and so a share of 1 and a ratio of 0.

    Pairs are sampled here: the small counts do not depend on it.
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
    """The exception is for the small counts: by tails of equal size elsewhere, though single ratios are rare."""
    table = WIDE["the town's"]
    part, rest = posterior(table, [40, 5000])
    assert part.interval()[0] > 0
    found = share(part, rest)
    assert found.low > 0
    chances = np.outer(part.probabilities, rest.probabilities)
    below = chances[part.support[:, None] < found.low * (part.support[:, None] + rest.support)].sum()
    assert 0.02 < below <= 0.025


def test_a_ratio_to_a_small_count() -> None:
    """The least count of a denominator is 1: where its interval holds it, that of the ratio holds what is there."""
    table = WIDE["epsilon .02"]
    one, other = posterior(table, [5000, -30])
    assert ratio(one, other).high == one.interval()[1]
    change = Posterior(one.support - 5000, one.probabilities)
    assert -one.support[-1] < ratio(change, other).low < 0


@pytest.mark.parametrize("true", [(0, 0), (100, 0), (0, 100), (5, 100), (90, 100)])
def test_a_change_to_or_from_0_is_in_its_interval(true: tuple[int, int]) -> None:
    """By all pairs of measurements; tails of equal size hold the change from 100 to 0 in 93.5% of cases."""
    table = design.gaussian(sigma2=10).certify(epsilon=2)
    measured, chances = measurements(table)
    now, before = (posterior(table, [count + y for y in measured]) for count in true)
    covered = Fraction(0)
    for (one, p), (other, q) in itertools.product(zip(now, chances, strict=True), zip(before, chances, strict=True)):
        low, high = difference(one, other).interval()
        covered += p * q * (low <= true[0] - true[1] <= high)
    assert covered >= Fraction(95, 100)


@pytest.mark.parametrize("true", [(0, 3), (4, 0), (1, 6), (2, 2)])
def test_shares_of_all_pairs_of_measurements(true: tuple[int, int]) -> None:
    """The chance that the interval of a share holds the true one, exactly."""
    table = Mechanism(Counts(), (), (Row.exact(-8, [1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1]),)).certify(
        epsilon=50, bits=12
    )
    measured, chances = measurements(table)
    parts, rests = (posterior(table, [count + y for y in measured]) for count in true)
    covered = Fraction(0)
    for (part, p), (rest, q) in itertools.product(zip(parts, chances, strict=True), zip(rests, chances, strict=True)):
        found = share(part, rest)
        truth = true[0] / sum(true)
        covered += p * q * (found.low <= truth <= found.high)
    assert covered >= Fraction(95, 100)


def test_a_share_among_several_parts() -> None:
    parts = [{3: 1, 4: 2}, {0: 1, 7: 3}, {1: 1, 2: 1}]
    found = share(belief(parts[0]), [belief(part) for part in parts[1:]])
    chances = law(parts, lambda a, b, c: Fraction(a, a + b + c))
    assert found.mean == pytest.approx(float(sum(x * p for x, p in chances.items())))


def test_a_sampled_ratio_says_how_far_it_may_be_off(monkeypatch: pytest.MonkeyPatch) -> None:
    table = design.gaussian(sigma2=30).certify(epsilon=1)
    one, other = posterior(table, [500, 900])
    exact = ratio(one, other)
    monkeypatch.setattr(ratios, "PAIRS", 100)
    monkeypatch.setattr(ratios, "SAMPLES", 20_000)
    sampled = ratio(one, other, seed=3)
    assert sampled == ratio(one, other, seed=3)
    assert sampled != ratio(one, other, seed=4)
    assert sampled.error is not None
    assert 0 < abs(sampled.mean - exact.mean) < 5 * sampled.error
    assert exact.low - 0.01 < sampled.low <= exact.low < exact.high <= sampled.high < exact.high + 0.01


def test_a_long_sum_keeps_mean_and_variance() -> None:
    """What is left out at the ends is not noticed: moments of a sum are the sums of moments."""
    parts = posterior(TABLES["geometric, strict"], list(range(40, 640)))
    whole = total(parts)
    assert len(whole.support) < sum(len(part.support) for part in parts) / 10
    assert whole.mean() == pytest.approx(sum(part.mean() for part in parts), rel=1e-12)
    assert whole.variance() == pytest.approx(sum(part.variance() for part in parts), rel=1e-9)


@pytest.mark.parametrize("prior", [None, "poisson:3", [1, 0, 2, 5]])
@pytest.mark.parametrize("measured", [[1, 0], [-2, 3, -3], [4], [-1, -1, -1, -1]])
def test_a_prior_on_the_sum(measured: list[int], prior: Any) -> None:
    """Pr[sum of measurements | sum of counts] is the law of the sum of noises, by all combinations."""
    table = Mechanism(Counts(), (), (Row.exact(-3, [1, 2, 3, 5, 3, 2, 0, 1]),)).certify(epsilon=50, bits=12)
    noise = {table.interior[0].first + z: w for z, w in enumerate(table.interior[0].weights) if w}
    sums = law([noise] * len(measured), lambda *z: sum(z))
    weights = poisson(Fraction(3))

    def before(count: int) -> Fraction:
        if prior is None:
            return Fraction(1)
        if isinstance(prior, str):
            return weights(count)
        return Fraction(prior[count] if count < 4 else 0)

    joint = {count: before(count) * sums.get(sum(measured) - count, 0) for count in range(100)}
    whole = sum(joint.values())
    found = measured_total(table, measured, prior)
    same(found, {count: p / whole for count, p in joint.items() if p})
    if len(measured) == 1:
        assert found.mean() == pytest.approx(posterior(table, measured[0], prior).mean())


def test_empty_cells_add_up_to_little() -> None:
    """200 empty cells, the noise of whose sum has a standard deviation of 100: flat on the sum, and on each cell."""
    table = TABLES["geometric, strict"]
    keys = np.random.default_rng(3).integers(0, 1 << 62, 200)
    measured = table.perturb(np.zeros(200, dtype=int), keys=keys)
    assert measured_total(table, measured).interval()[0] < 10
    assert total(posterior(table, measured)).interval()[0] > 300


def test_a_margin_measured_besides_its_parts() -> None:
    """Two likelihoods multiplied, by plain fractions."""
    table = TABLES["fair on 0..5"]
    parts = posterior(table, [1, 0], [1] * 6)
    found = update(total(parts), table, 3)
    by_hand = {
        total_count: sum(
            weight(table, 1, a) * weight(table, 0, total_count - a) for a in range(6) if 0 <= total_count - a <= 5
        )
        * weight(table, 3, total_count)
        for total_count in range(11)
    }
    same(found, {x: p / sum(by_hand.values()) for x, p in by_hand.items()})


@pytest.mark.parametrize(
    "run",
    [
        lambda: total([]),
        lambda: total(belief({1: 1})),  # type: ignore[arg-type]
        lambda: total(None),  # type: ignore[arg-type]
        lambda: measured_total(design.geometric(epsilon=1), [1]),  # type: ignore[arg-type]
        lambda: update(belief({1: 1}), None, 3),  # type: ignore[arg-type]
        lambda: total([3]),  # type: ignore[list-item]
        lambda: difference(belief({1: 1}), 2),  # type: ignore[arg-type]
        lambda: ratio(belief({1: 1}), belief({-1: 1, 2: 1})),
        lambda: share(belief({-1: 1}), belief({2: 1})),
        lambda: share(belief({1: 1}), []),
        lambda: ratio(belief({1: 1}), belief({2: 1}), level=2),
        lambda: ratio(belief({1: 1}), belief({2: 1}), seed=-1),
        lambda: share(belief({1: 1}), belief({2: 1}), seed="x"),  # type: ignore[arg-type]
        lambda: share(belief({1: 1}), belief({2: 1}), seed=1.5),  # type: ignore[arg-type]
        lambda: total([belief({0: 1, 1 << 40: 1})] * 2),
        lambda: update(belief({1: 1}), TABLES["geometric on 0..6"], 30),
        lambda: measured_total(TABLES["small rows"], [1, 2]),
        lambda: measured_total(TABLES["geometric on 0..6"], [1, 2]),
        lambda: measured_total(TABLES["geometric"], []),
        lambda: measured_total(TABLES["geometric"], [1.5]),
        lambda: measured_total(TABLES["geometric"], [-400, -400]),
        lambda: update(belief({1: 1}), TABLES["geometric"], [3, 4]),  # type: ignore[arg-type]
        lambda: update(belief({1: 1}), design.cyclic(size=5, epsilon=1).certify(), 3),
    ],
)
def test_refusals(run: Callable[[], object]) -> None:
    with pytest.raises(DiscreetError):
        run()


def test_that_or_more_has_no_sum() -> None:
    """Larger counts are measured as the end is, so a flat prior leaves them open; any other prior tells them apart."""
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
        with pytest.raises(ParameterError, match="50 or more"):
            run()
    assert total(posterior(table, [3, 49], "poisson:60")).interval()[1] > 60
    assert total(posterior(table, [3, 49], [1] * 51)).interval()[1] <= 56


def test_residues_have_no_order_and_no_sum() -> None:
    """Hour 0 is next to hour 23, and neither is the mean of anything."""
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
        with pytest.raises(ParameterError, match="residues of a cycle"):
            refused()


def test_sums_beyond_what_is_held() -> None:
    table = design.geometric(epsilon=1).certify()
    with pytest.raises(ParameterError, match="2\\*\\*62"):
        measured_total(table, [2**61] * 8)
    with pytest.raises(ParameterError, match="2\\*\\*62"):
        total(posterior(table, [2**62] * 3))
