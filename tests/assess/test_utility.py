"""Losses, bias, variance and entropy, against Cormode 2019 and against sums made by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet import Counts, Cycle, Mechanism, Row, design
from discreet.errors import ParameterError


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8])
@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(2, 3), Fraction(9, 10), Fraction(10, 11)])
def test_l0_of_gm_is_its_formula(n: int, alpha: Fraction) -> None:
    """Cormode 2019, section 6.1: L0(GM) = 2 alpha / (1 + alpha), for every n."""
    assert design.geometric(alpha=alpha, upper=n).loss("L0") == pytest.approx(float(2 * alpha / (1 + alpha)), abs=1e-14)


@pytest.mark.parametrize(
    ("kind", "n", "alpha", "gm", "uniform"),
    [
        ("L1", 4, "0.76", 1.3600849454545456, 1.6),
        ("L1", 12, "0.62", 1.6073585935340167, 4.307692307692308),
        ("L2", 5, "0.67", 3.4500029014570863, 5.833333333333333),
        ("L2", 12, "0.76", 11.917417623823173, 28.0),
        (("L0", 1), 8, "0.91", 0.6744269924374637, None),
        (("L0", 0), 8, "0.91", 0.8470040721349623 * 9 / 8, 1.0),
        ("L0,1", 8, "0.91", 0.6744269924374637, None),
    ],
)
def test_losses_of_gm_and_um_are_the_golden_ones(
    kind: str, n: int, alpha: str, gm: float, uniform: float | None
) -> None:
    """Values recomputed from the definitions of Cormode 2019, section 3."""
    assert design.geometric(alpha=alpha, upper=n).loss(kind) == pytest.approx(gm, abs=1e-9)
    if uniform is not None:
        assert design.uniform(n=n).loss(kind) == pytest.approx(uniform, abs=1e-9)


@pytest.mark.parametrize(
    ("t", "n", "alpha", "value"),
    [(0, 4, "0.9", 0.9473684210526316), (1, 8, "0.9", 3.258), (2, 12, "0.76", 12.98261860538182)],
)
def test_the_largest_loss_over_counts_is_the_golden_one(t: int, n: int, alpha: str, value: float) -> None:
    """Minimax objective with weights 1, not rescaled."""
    assert design.geometric(alpha=alpha, upper=n).loss(f"L{t}", aggregate="max") == pytest.approx(value, abs=1e-9)


def test_the_uniform_mechanism_has_l0_of_one() -> None:
    assert design.uniform(n=6).loss("L0") == pytest.approx(1)


@pytest.mark.parametrize("aggregate", ["sum", "max"])
@pytest.mark.parametrize("weights", [None, [0.5, 0.2, 0.1, 0.1, 0.1]])
def test_the_three_names_of_l0_are_one_loss(weights: list[float] | None, aggregate: str) -> None:
    """Cormode 2019, section 3: L0 = L0,0."""
    mechanism = design.geometric(epsilon=1, upper=4)
    losses = {mechanism.loss(kind, weights, aggregate) for kind in ("L0", "L0,0", ("L0", 0))}
    assert len(losses) == 1


@pytest.mark.parametrize("d", [0, 1, 2])
def test_a_loss_may_be_written_as_text(d: int) -> None:
    mechanism = design.geometric(epsilon=1, upper=4)
    assert mechanism.loss(f"L0,{d}") == mechanism.loss(f"L0, {d}") == mechanism.loss(("L0", d))


def test_weights_choose_the_counts_that_matter() -> None:
    mechanism = Mechanism.from_matrix([[1.0, 0.5], [0.0, 0.5]])
    assert mechanism.loss("L1", weights=[1, 0]) == 0
    assert mechanism.loss("L1", weights=[0, 1]) == 0.5
    assert mechanism.loss("L0", weights=[0, 1]) == 1.0  # rescaled by 2/1
    assert mechanism.loss("L1", weights=[10, 2], aggregate="max") == 1.0


def test_unbounded_noise_has_the_loss_of_its_interior() -> None:
    mechanism = Mechanism(Counts(), (Row.of(0, [1.0]),), (Row.of(-1, [0.25, 0.5, 0.25]), Row.of(0, [1.0])))
    assert mechanism.loss("L1") == 0.25
    assert mechanism.loss("L1", aggregate="max") == 0.5


def test_bounded_noise_weighs_small_rows_and_interior_by_how_often_they_occur() -> None:
    mechanism = Mechanism(Counts(0, 3), (Row.of(0, [1.0]),), (Row.of(-1, [0.25, 0.5, 0.25]),))
    assert mechanism.loss("L2") == pytest.approx(3 * 0.5 / 4)


def test_a_long_domain_is_not_written_out() -> None:
    """10**12 counts, two rows of their own and a period of two."""
    rows = (Row.of(0, [1.0]), Row.of(0, [0.0, 1.0]))
    mechanism = Mechanism(Counts(0, 10**12), rows, (Row.of(-1, [0.5, 0.0, 0.5]), Row.of(0, [1.0])))
    assert mechanism.loss("L1") == pytest.approx(0.5)
    assert mechanism.loss("L1", aggregate="max") == 1.0
    short = Mechanism(Counts(0, 4), rows, (Row.of(-1, [0.5, 0.0, 0.5]), Row.of(0, [1.0])))
    assert short.loss("L1") == pytest.approx(2 / 5)  # counts 2 and 4
    assert short.loss("L1", weights=[0, 0, 0.5, 0.5, 0]) == pytest.approx(0.5)


def test_losses_on_a_cycle_go_the_shorter_way() -> None:
    clock = Mechanism(Cycle(4), interior=(Row.of(0, [0.4, 0.3, 0.2, 0.1]),))
    assert clock.loss("L1") == pytest.approx(0.3 + 0.4 + 0.1)
    assert clock.loss("L2") == pytest.approx(0.3 + 0.8 + 0.1)
    assert clock.loss(("L0", 1)) == pytest.approx(0.2)
    grid = Mechanism(Cycle((2, 3)), interior=(Row.of(0, [0.5, 0.1, 0.1, 0.1, 0.1, 0.1]),))
    assert grid.loss("L1") == pytest.approx(0.1 * (1 + 1 + 1 + 2 + 2))
    assert grid.loss("L2") == pytest.approx(0.1 * (1 + 1 + 1 + 2 + 2))


def test_bias_variance_and_rmse_are_those_of_the_definition() -> None:
    geometric = design.geometric(alpha="1/2", tail="1e-30")
    assert geometric.bias(7) == 0
    assert geometric.variance(7) == pytest.approx(2 * 0.5 / 0.25, rel=1e-12)  # 2 alpha / (1 - alpha)^2
    assert geometric.rmse(7) == pytest.approx(2, rel=1e-12)
    restricted = design.geometric(alpha="1/2", upper=1)
    assert restricted.bias(0) == pytest.approx(1 / 3)
    assert restricted.variance(0) == pytest.approx(2 / 9)
    assert restricted.rmse(0) == pytest.approx(math.sqrt(1 / 3))


def test_a_wrong_bound_costs_bias() -> None:
    assert design.geometric(epsilon=1, upper=3).bias(10) < -7


def test_sigma2_is_not_the_variance() -> None:
    """Sadeghi 2020 compares at sigma2 = .2660, which is a variance of .2370."""
    assert design.gaussian(sigma2=0.26601560104912575, tail="1e-20").variance(0) == pytest.approx(
        0.23702741362284863, abs=1e-12
    )


def test_entropy_is_in_bits() -> None:
    assert design.uniform(n=7).entropy(3) == pytest.approx(3)
    assert Mechanism(Counts(), interior=(Row.of(0, [1.0]),)).entropy(0) == 0


@pytest.mark.parametrize(
    "kind", ["L3", ("L0", -1), ("L1", 1), 2, None, "L0,-1", "L0,", "L0,1,2", "L1,1", ("L0", True), ("L0", 1.5)]
)
def test_an_unknown_loss_is_refused(kind: object) -> None:
    with pytest.raises(ParameterError, match="L0"):
        design.uniform(n=2).loss(kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ([1, 0], "shape"),
        ([0.5, 0.5, 0.5], "sum to"),
        ([2, -1, 0], "negative"),
        ([np.nan, 0, 1], "missing"),
        (["a"] * 3, "number"),
    ],
)
def test_weights_that_do_not_fit_are_refused_by_name(weights: object, complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint):
        design.uniform(n=2).loss("L1", weights=weights)  # type: ignore[arg-type]


def test_an_unknown_aggregate_is_refused() -> None:
    with pytest.raises(ParameterError, match="aggregate"):
        design.uniform(n=2).loss("L1", aggregate="mean")
