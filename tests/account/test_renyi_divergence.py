"""Renyi divergences and zCDP: never below the definition in 50 digits, close to it, and infinite where noise ends."""

import math
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Counts, Mechanism, Row, design
from discreet.account import renyi
from discreet.account.renyi_divergence import TOLERANCE
from discreet.errors import ParameterError
from tests.assess.test_privacy import cycles, mechanisms, pairs

ORDERS = (1.0, 1.000001, 1.01, 1.5, 2.0, 3.0, 8.0, 40.0, 1000.0)

Distribution = dict[object, Fraction]


def decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def both_ways(mechanism: Mechanism) -> Iterator[tuple[Distribution, Distribution]]:
    for p, q in pairs(mechanism):
        yield {y: mass for y, mass in p.items() if mass}, {y: mass for y, mass in q.items() if mass}
        yield {y: mass for y, mass in q.items() if mass}, {y: mass for y, mass in p.items() if mass}


def defined(p: Distribution, q: Distribution, order: float) -> Decimal:
    """The Renyi divergence, in 50 digits."""
    if p.keys() - q.keys():
        return Decimal("inf")
    with localcontext(prec=50):
        losses = {y: (decimal(p[y]) / decimal(q[y])).ln() for y in p}
        if order == 1:
            return sum((decimal(p[y]) * losses[y] for y in p), Decimal(0))
        if order == math.inf:
            return max(losses.values())
        above = Decimal(order) - 1
        return sum((decimal(p[y]) * (above * losses[y]).exp() for y in p), Decimal(0)).ln() / above


def given_common(p: Distribution, q: Distribution) -> tuple[Distribution, Distribution]:
    """Both distributions, given an output that both can have."""
    shared = p.keys() & q.keys()
    chances = [sum((x[y] for y in shared), Fraction(0)) for x in (p, q)]
    first, second = ({y: x[y] / chance for y in shared} for x, chance in zip((p, q), chances, strict=True))
    return first, second


@st.composite
def full(draw: st.DrawFn) -> Mechanism:
    """Rows on the same outputs, all of them possible."""
    weights = st.lists(st.integers(1, 50), min_size=4, max_size=4)
    rows = [draw(weights) for _ in range(draw(st.integers(2, 4)))]
    return Mechanism(Counts(0, len(rows) - 1), tuple(Row.of(0, [Fraction(w, sum(row)) for w in row]) for row in rows))


@settings(max_examples=60)
@given(full() | mechanisms() | cycles(), st.sampled_from([*ORDERS, math.inf]))
def test_the_divergence_is_just_above_the_definition(mechanism: Mechanism, order: float) -> None:
    truth = max((defined(p, q, order) for p, q in both_ways(mechanism)), default=Decimal(0))
    bound = renyi(mechanism).divergence(order)
    if truth == Decimal("inf"):
        assert bound == math.inf
    else:
        assert truth * (1 - Decimal("1e-45")) <= Decimal(bound) <= truth + Decimal("1e-12")


@settings(max_examples=40)
@given(full() | mechanisms() | cycles())
def test_rho_is_just_above_the_supremum(mechanism: Mechanism) -> None:
    """Given the outputs that both neighbours can have; where supports are the same that is zCDP itself."""
    curve = renyi(mechanism)
    every = list(both_ways(mechanism))
    lost = max((sum((p[y] for y in p.keys() - q.keys()), Fraction(0)) for p, q in every), default=Fraction(0))
    assert lost <= Fraction(curve.lost) <= lost + Fraction(1, 10**14)
    assert curve.rho == (math.inf if lost else curve.approximate_rho)
    if lost > Fraction(15, 16):
        assert curve.approximate_rho == math.inf
        return
    orders = [1.0, *(1 + 2.0 ** (k / 2) for k in range(-16, 14))]
    known = max(defined(*given_common(p, q), order) / Decimal(order) for p, q in every for order in orders)
    assert known <= Decimal(curve.approximate_rho)
    assert (
        curve.approximate_rho <= 0.5 * max(float(defined(*given_common(p, q), math.inf)) for p, q in every) ** 2 + 1e-12
    )


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 3, 8])
def test_randomized_response_has_its_closed_form(epsilon: float) -> None:
    curve = renyi(design.randomized_response(epsilon=epsilon))
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    for order in (1.5, 2.0, 7.0):
        closed = math.log(truth**order * (1 - truth) ** (1 - order) + (1 - truth) ** order * truth ** (1 - order))
        assert curve.divergence(order) == pytest.approx(closed / (order - 1), rel=1e-9)
    assert curve.divergence(1) == pytest.approx(epsilon * math.tanh(epsilon / 2), rel=1e-9)
    assert curve.divergence(math.inf) == pytest.approx(epsilon, rel=1e-12)
    orders = np.linspace(1, 2 + 2 / epsilon, 4001)[1:]
    densely = max(curve.divergence(order) / order for order in orders.tolist())
    assert densely <= curve.rho * (1 + 1e-12)
    assert curve.rho <= max(densely, curve.divergence(1)) * (1 + 2 * TOLERANCE)


@pytest.mark.parametrize("support", [11, 25, 60])
def test_noise_that_ends_has_no_renyi_guarantee(support: int) -> None:
    curve = renyi(design.gaussian(sigma2=49, support=support).certify(epsilon=1, bits=62))
    assert [curve.divergence(order) for order in (*ORDERS, math.inf)] == [math.inf] * 10
    assert curve.rho == math.inf
    assert 0 < curve.lost < 0.05


def test_wide_gaussian_noise_is_nearly_concentrated() -> None:
    """The discrete Gaussian has rho = 1 / (2 sigma^2) (Canonne, Kamath and Steinke 2020); ends of chance 1e-17 cut."""
    curve = renyi(design.gaussian(sigma2=49, support=60))
    assert curve.lost < 1e-16
    assert curve.approximate_rho == pytest.approx(1 / 98, rel=2 * TOLERANCE)
    assert curve.rho == math.inf


def test_small_losses_keep_their_digits() -> None:
    """Geometric noise of epsilon 1e-6: rho is epsilon^2 / 2, where sums of floats cancel to 12 digits."""
    curve = renyi(design.geometric(epsilon="1e-6", upper=40))
    assert curve.divergence(1) <= curve.rho
    assert curve.rho == pytest.approx(5e-13, rel=1e-2)


def test_equal_rows_lose_nothing() -> None:
    curve = renyi(design.uniform(n=5))
    assert (curve.rho, curve.lost, curve.divergence(3)) == (0, 0, 0)


def test_neighbours_without_a_common_output_have_no_rho_at_all() -> None:
    apart = Mechanism(Counts(0, 1), (Row.of(0, [Fraction(1)]), Row.of(1, [Fraction(1)])))
    curve = renyi(apart)
    assert (curve.lost, curve.rho, curve.approximate_rho) == (1, math.inf, math.inf)


def test_a_table_and_its_mechanism_have_the_same_divergence() -> None:
    table = design.geometric(epsilon=1, upper=8).certify(bits=16)
    exact = Mechanism.from_table(table.table)
    for source in (table, table.table, exact):
        assert renyi(source).divergence(2) == renyi(table).divergence(2)


@pytest.mark.parametrize("order", [0.5, 0, -1, "one", None, math.nan])
def test_orders_below_1_are_refused(order: object) -> None:
    with pytest.raises(ParameterError, match="order is"):
        renyi(design.uniform(n=2)).divergence(order)  # type: ignore[arg-type]


def test_other_things_are_refused() -> None:
    with pytest.raises(ParameterError, match="3"):
        renyi(3)  # type: ignore[arg-type]
