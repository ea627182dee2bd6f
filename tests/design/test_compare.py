"""Designs side by side, tuned to equal privacy or to equal variance."""

from fractions import Fraction

import pytest

from discreet.design import registry
from discreet.design.compare import compare
from discreet.errors import ParameterError


def test_at_equal_privacy_each_design_has_the_least_noise() -> None:
    geometric, gaussian, staircase = compare(["geometric", "gaussian", "staircase"], epsilon=1, delta="1e-6")
    for entry in (geometric, gaussian, staircase):
        assert entry.delta <= 1e-6 * (1 + 1e-9)
        assert entry.epsilon <= 1 + 1e-6
    assert geometric.variance < 2 < gaussian.variance
    assert gaussian.delta == pytest.approx(1e-6, rel=1e-3)
    assert staircase.variance == pytest.approx(geometric.variance, rel=1e-4)


def test_noise_between_geometric_and_gaussian_noise_has_a_variance_between_theirs() -> None:
    geometric, power, gaussian = compare(["geometric", "power", "gaussian"], epsilon=1, delta="1e-6")
    assert geometric.variance < power.variance < gaussian.variance
    assert power.delta <= 1e-6 * (1 + 1e-9)
    assert power.mechanism.design["shape"] == "1.5"


def test_at_equal_variance_each_design_has_the_variance() -> None:
    entries = compare(["geometric", "gaussian"], epsilon=1, delta="1e-6", variance=5)
    assert [entry.variance for entry in entries] == pytest.approx([5, 5], rel=1e-6)


def test_designs_on_bounded_counts_are_pure() -> None:
    geometric, exponential, uniform = compare(["geometric", "exponential", "uniform"], epsilon=1, n=10)
    assert geometric.epsilon == pytest.approx(1, rel=1e-6)
    assert exponential.epsilon == pytest.approx(1, rel=1e-6)
    assert exponential.mechanism.design["epsilon"] > "1"  # it may be given more than 1 before it uses 1
    assert geometric.truth > exponential.truth > uniform.truth == pytest.approx(1 / 11)
    assert uniform.epsilon == 0


def test_fair_mechanisms_favour_the_middle_count() -> None:
    geometric, fair, honest = compare(["geometric", "fair", "weakly_honest"], epsilon="0.2", n=8)
    assert geometric.truth < honest.truth < fair.truth  # at the middle count; the geometric one favours the ends
    assert fair.epsilon == pytest.approx(0.2, rel=1e-6)


def test_within_is_the_smallest_band_of_95_percent() -> None:
    (entry,) = compare(["geometric"], epsilon=1, delta="1e-9")
    outputs, noise = entry.mechanism.pmf(0)
    assert noise[abs(outputs) <= entry.within].sum() >= 0.95 > noise[abs(outputs) < entry.within].sum()


@pytest.mark.parametrize(
    ("names", "options", "named"),
    [
        (["geometric"], {"epsilon": 1}, "delta is 0;"),
        (["laplace"], {"epsilon": 1, "delta": "1e-6"}, "designs are laplace;"),
        ([], {"epsilon": 1, "delta": "1e-6"}, "designs are none;"),
        (["gaussian"], {"epsilon": 1, "n": 5}, "designs are gaussian;"),
        (["geometric"], {"epsilon": 0, "delta": "1e-6"}, "epsilon is 0;"),
        (["geometric"], {"epsilon": 1, "delta": 1}, "delta is 1;"),
        (["geometric"], {"epsilon": 1, "delta": "1e-6", "variance": 0}, "variance is 0;"),
        (["uniform"], {"epsilon": 1, "n": 4, "variance": 50}, "uniform"),
    ],
)
def test_designs_that_cannot_be_compared_are_refused_by_name(
    names: list[str], options: dict[str, object], named: str
) -> None:
    with pytest.raises(ParameterError, match=named):
        compare(names, **options)  # type: ignore[arg-type]


def test_maximum_entropy_noise_keeps_its_smallest_support() -> None:
    """Sadeghi 2023, Example 1: the smallest support is 24; at equal variance it keeps that support."""
    geometric, maxent = compare(["geometric", "maxent"], epsilon="0.5", delta="1e-4")
    assert maxent.mechanism.design["support"] == 24
    assert geometric.variance < 8 < 38 < maxent.variance
    (wider,) = compare(["maxent"], epsilon="0.5", delta="1e-4", variance=40)
    assert wider.variance == pytest.approx(40)
    assert wider.mechanism.design["support"] == 24
    with pytest.raises(ParameterError, match=r"variance is 400;.* 200"):
        compare(["maxent"], epsilon="0.5", delta="1e-4", variance=400)
    with pytest.raises(ParameterError, match="designs are maxent;"):
        compare(["maxent"], epsilon=1, n=5)


@pytest.mark.parametrize("n", [1, 2, 9, 30])
@pytest.mark.parametrize(("epsilon", "delta"), [("0.3", 0), (2, 0), (1, "0.01")])
def test_a_design_on_bounded_counts_that_is_a_little_less_noisy_misses_the_privacy(
    n: int, epsilon: str | int, delta: str | int
) -> None:
    for entry in compare(["geometric", "fair", "weakly_honest", "exponential"], epsilon=epsilon, delta=delta, n=n):
        assert entry.delta <= float(delta) * (1 + 1e-9)
        parameters = dict(entry.mechanism.design)
        own = float(Fraction(parameters.pop("epsilon")))
        less = registry.design(parameters.pop("name"))(**parameters, epsilon=own * (1 + 1e-8))
        assert less.delta(epsilon) > float(delta)


@pytest.mark.parametrize("variance", ["0.5", 4, 40])
def test_designs_on_fifty_counts_have_the_variance_that_is_asked_for(variance: str | int) -> None:
    for entry in compare(["geometric", "fair", "weakly_honest", "exponential"], epsilon=1, variance=variance, n=50):
        assert entry.variance == pytest.approx(float(variance), rel=1e-7)
