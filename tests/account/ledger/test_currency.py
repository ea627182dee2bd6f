"""The currency: capacity and cost against exact sums, and no order of questions that exceeds the budget."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet import Mechanism
from discreet.account import compose, profile
from discreet.account.composition import Composition
from discreet.account.ledger.currency import (
    Budget,
    Unit,
    _randomized_response,
    choose_unit,
    dominated,
    pack,
    unit_holds,
    unpack,
)
from discreet.certify.ptable import PTable
from discreet.errors import BudgetError, ParameterError
from tests.account.examples import Distribution, above, hockey, pairs, product, rows
from tests.account.ledger.town import table


def gaussian(sigma2: int = 49, support: int = 60) -> PTable:
    return dc.design.gaussian(sigma2=sigma2, support=support).certify(epsilon="0.5", bits=62)


# Capacity


@pytest.mark.parametrize(
    ("epsilon", "delta", "units"), [("0.01", 0, 1), ("0.1", 0, 10), (3, 0, 300), ("2.999", 0, 299), ("0.0199", 0, 1)]
)
def test_without_delta_epsilons_add_exactly(epsilon: str, delta: int, units: int) -> None:
    unit, capacity = choose_unit(table(), Budget.of(epsilon, delta))
    assert (unit.rule, capacity) == ("promise", units)
    assert unit_holds(unit, Budget.of(epsilon, delta), capacity)
    assert not unit_holds(unit, Budget.of(epsilon, delta), capacity + 1)


def test_a_budget_that_is_the_certificate_s_own_promise_holds_one_unit() -> None:
    ptable = dc.design.gaussian(sigma2=49, support=25).certify(epsilon="0.5", bits=32)
    assert ptable.guarantee.delta > 0
    assert choose_unit(ptable, Budget.of("0.5", ptable.guarantee.delta))[1] == 1
    with pytest.raises(BudgetError, match=r"epsilon 0\.5 "):
        choose_unit(ptable, Budget.of("0.5", ptable.guarantee.delta * Fraction(999, 1000)))
    with pytest.raises(BudgetError, match="epsilon 5 and delta 0 "):
        choose_unit(ptable, Budget.of(5, 0))


@pytest.mark.parametrize(("epsilon", "delta"), [(5, "1e-6"), (10, "1e-6"), (2, "1e-3"), (1, "1e-9")])
def test_the_capacity_is_the_largest_that_composes_within_the_budget(epsilon: int, delta: str) -> None:
    unit, capacity = choose_unit(gaussian(), Budget.of(epsilon, delta))
    assert unit.rule == "curve"
    assert (
        compose(gaussian(), capacity).delta(epsilon) <= float(delta) < compose(gaussian(), capacity + 1).delta(epsilon)
    )
    assert unit_holds(unit, Budget.of(epsilon, delta), capacity)
    assert not unit_holds(unit, Budget.of(epsilon, delta), capacity + 1)


def test_rows_of_one_person_cost_more() -> None:
    budget = Budget.of(10, "1e-6")
    one_row, three_rows = choose_unit(gaussian(), budget)[1], choose_unit(gaussian(), budget, contributions=3)[1]
    assert compose(gaussian(), three_rows, contributions=3).delta(10) <= 1e-6
    assert compose(gaussian(), three_rows + 1, contributions=3).delta(10) > 1e-6
    assert three_rows < one_row / 3
    assert choose_unit(table(), Budget.of(3, 0), contributions=3)[1] == 100


def test_a_cycle_is_its_own_currency() -> None:
    answers = dc.design.randomized_response(epsilon="0.1", categories=4).certify()
    unit, capacity = choose_unit(answers, Budget.of(1, 0))
    assert (capacity, unit.cost([(answers, 4)], 1, 10)) == (10, 4)
    with pytest.raises(ParameterError, match=r"Cycle\(4\)"):
        unit.cost([(table(), 1)], 1, 10)
    with pytest.raises(ParameterError):
        choose_unit(answers, Budget.of(1, 0), contributions=2)


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0), (-1, 0), ("x", 0), (1, 1), (1, -1), (1, "nan"), (math.inf, 0)])
def test_a_budget_has_an_epsilon_above_0_and_a_delta_below_1(epsilon: object, delta: object) -> None:
    with pytest.raises(ParameterError):
        Budget.of(epsilon, delta)  # type: ignore[arg-type]


@pytest.mark.parametrize("contributions", [0, -1, 1.5, True, 10**6 + 1])
def test_contributions_are_integers_from_1_to_a_million(contributions: int) -> None:
    with pytest.raises(ParameterError, match="contributions"):
        choose_unit(table(), Budget.of(1, 0), contributions)


def test_a_pair_is_kept_to_the_last_bit() -> None:
    for unit in (choose_unit(gaussian(), Budget.of(5, "1e-6"))[0], choose_unit(table(), Budget.of(1, 0))[0]):
        again = unpack(pack(unit.pair))
        assert (again.step, again.infinite) == (unit.pair.step, unit.pair.infinite)
        assert np.array_equal(again.masses, unit.pair.masses)
        assert np.array_equal(again.values, unit.pair.values)


# Cost


def test_a_release_of_the_unit_costs_what_one_person_touches() -> None:
    for budget in (Budget.of(3, 0), Budget.of(3, "1e-6")):
        unit, capacity = choose_unit(table(), budget)
        assert unit.cost([(table(), 7)], 1, capacity) == 7
        assert unit.cost([(table(), 7), (table(), 5)], 1, capacity) == 12
        assert unit.cost([(table(), capacity)], 1, capacity) == capacity
        assert unit.cost([(table(), capacity + 1)], 1, capacity) is None
        assert unit.cost([], 1, capacity) == unit.cost([(table(), 0)], 1, capacity) == 0


@pytest.mark.parametrize("touches", [1, 3, 10, 40])
@pytest.mark.parametrize("delta", [0, "1e-6"])
def test_the_cost_is_the_least_number_of_units_above_the_release(touches: int, delta: str) -> None:
    """Half the loss: half the units at least, by the largest loss; and no more, but for rounding."""
    unit, capacity = choose_unit(table("0.1", 20), Budget.of(4, delta))
    cost = unit.cost([(table("0.05", 30), touches)], 1, capacity)
    assert cost in (-(-touches // 2), touches // 2 + 1)
    least = _composed(unit, cost)
    assert float(profile(table("0.05", 30)).largest) * touches <= least.largest * (1 + 1e-9)


@pytest.mark.parametrize("touches", [1, 2, 20, 60])
def test_one_unit_less_would_not_do(touches: int) -> None:
    """The floor decides, 8.7e-18 against 6.3e-18 a cell, though the noise of the release has the larger variance."""
    unit, capacity = choose_unit(gaussian(), Budget.of(10, "1e-6"))
    release = compose(gaussian(60, 66), touches)
    cost = unit.cost([(gaussian(60, 66), touches)], 1, capacity)
    assert cost is not None
    assert dominated(release, _composed(unit, cost))
    assert cost == 1 or not dominated(release, _composed(unit, cost - 1))
    assert cost == math.floor(touches * release.parts[0].pair.infinite / unit.pair.infinite) + 1


@pytest.mark.parametrize(("sigma2", "support"), [(98, 110), (25, 50)])
@pytest.mark.parametrize("touches", [1, 8, 30])
def test_gaussian_noise_is_priced_by_its_variance(sigma2: int, support: int, touches: int) -> None:
    """n cells of variance s**2 are about as many of variance t**2 as n t**2 / s**2, rounded up."""
    noise = dc.design.gaussian(sigma2=sigma2, support=support)
    unit, _ = choose_unit(gaussian(), Budget.of(10, "1e-6"))
    release = compose(noise, touches)
    assert release.floor < unit.pair.infinite
    fair = touches * 49 / sigma2
    assert dominated(release, _composed(unit, math.floor(1.05 * fair) + 1))
    assert fair <= 1 or not dominated(release, _composed(unit, max(math.floor(0.98 * fair), 1)))


@pytest.mark.parametrize(("shape", "scale"), [("1.25", 12), ("1.5", 16), ("1.9", 18)])
def test_noise_of_another_shape_costs_units_that_dominate_it(shape: str, scale: int) -> None:
    """A ledger counts Gaussian units. Noise whose losses lie on another lattice is never priced below its losses."""
    noise = dc.design.power(scale=scale, shape=shape, tail="1e-22").certify(epsilon="0.5", bits=62)
    unit, capacity = choose_unit(gaussian(), Budget.of(10, "1e-6"))
    release = compose(noise, 10)
    cost = unit.cost([(noise, 10)], 1, capacity)
    assert cost is not None
    assert dominated(release, _composed(unit, cost))
    for epsilon in (0.1, 1.0, 3.0):
        assert release.delta(epsilon) <= _composed(unit, cost).delta(epsilon)


def test_a_release_that_reveals_more_than_any_units_has_no_price() -> None:
    """A chance of revealing the truth, however small, is above every power of noise that has none."""
    unit, capacity = choose_unit(table(), Budget.of(3, "1e-6"))
    cut = dc.design.geometric(epsilon="0.001").certify()
    assert cut.guarantee.delta > 0
    assert unit.cost([(cut, 1)], 1, capacity) is None


def test_the_worst_at_one_epsilon_is_not_the_worst() -> None:
    """A leak of 1e-3 is worse than randomized response of .3 at .3 and better below it: neither buys the other."""
    leak, response = compose(rows([999, 0, 1], [999, 1, 0])), compose(rows([57, 43], [43, 57]))
    assert not dominated(leak, response)
    assert not dominated(response, leak)
    assert dominated(leak, compose(leak, 2))
    assert not dominated(compose(leak, 2), leak)


def test_fewer_rows_cost_less() -> None:
    unit, capacity = choose_unit(gaussian(), Budget.of(10, "1e-6"), contributions=3)
    assert unit.cost([(gaussian(), 6)], 3, capacity) == 6
    fewer = unit.cost([(gaussian(), 6)], 1, capacity)
    assert fewer is not None
    assert fewer < 6


@pytest.mark.parametrize("touches", [-1, 1.5, True])
def test_touches_are_counts(touches: int) -> None:
    with pytest.raises(ParameterError, match="touches"):
        choose_unit(table(), Budget.of(1, 0))[0].cost([(table(), touches)], 1, 10)


def test_the_pair_of_a_promise_is_not_above_the_promise() -> None:
    for epsilon, delta in (
        (Fraction(1, 10), Fraction(0)),
        (Fraction(60), Fraction(1, 7)),
        (Fraction(1, 3), Fraction(1, 9)),
    ):
        pair = _randomized_response(epsilon, delta)
        assert pair.reach * Fraction(pair.step) <= epsilon
        exact = math.exp(float(epsilon))
        assert pair.masses[-1] < (1 - float(delta)) * exact / (1 + exact)
        assert pair.masses[-1] == pytest.approx((1 - float(delta)) * exact / (1 + exact), rel=1e-12)
        assert pair.infinite == pytest.approx(float(delta), rel=1e-12)
        assert pair.infinite <= float(delta)


# Against exact fractions


SMALL = st.tuples(st.integers(1, 12), st.integers(1, 12)).filter(lambda pair: pair[0] != pair[1])


def coin(a: int, b: int) -> Mechanism:
    """Return a mechanism whose pair is its own mirror image, so that its profile is exactly that of the pair."""
    return rows([a, b], [b, a])


def power(mechanism: Mechanism, times: int) -> tuple[Distribution, Distribution]:
    p, q = next(pairs(mechanism))
    return product((p,) * times), product((q,) * times)


@settings(max_examples=150)
@given(SMALL, st.integers(1, 4), SMALL, st.integers(1, 4), st.lists(st.fractions(0, 5), min_size=1, max_size=4))
def test_domination_is_true_at_every_a_and_found_where_it_is_clear(
    weights: tuple[int, int], n: int, unit_weights: tuple[int, int], c: int, more: list[Fraction]
) -> None:
    release, units = coin(*weights), coin(*unit_weights)
    powers = ((weights, n), (unit_weights, c))
    ratios = {Fraction(max(pair), min(pair)) ** k for pair, most in powers for k in range(most + 1)}
    exact = [(hockey(*power(release, n), a), hockey(*power(units, c), a)) for a in [*ratios, *more]]
    is_dominated = dominated(compose(release, n), compose(units, c))
    if is_dominated:
        assert all(small <= large for small, large in exact)
    clear = all(small * 1001 <= large * 1000 for small, large in exact)
    if clear and Fraction(max(weights), min(weights)) ** n < Fraction(max(unit_weights), min(unit_weights)) ** c:
        assert is_dominated


@settings(max_examples=40)
@given(st.lists(SMALL, min_size=2, max_size=4), SMALL, st.integers(2, 5), st.floats(0.05, 2))
def test_no_adaptive_choice_exceeds_the_capacity(
    tables: list[tuple[int, int]], unit_weights: tuple[int, int], capacity: int, epsilon: float
) -> None:
    """Every strategy: after each answer any table that the units left can pay for, or none.

    worst(a, left) is the largest hockey-stick sum at a that an adversary reaches with `left` units.
    """
    prices = []
    for weights in tables:
        release = compose(coin(*weights))
        cost = next((c for c in range(1, capacity + 1) if dominated(release, compose(coin(*unit_weights), c))), None)
        if cost is not None:
            prices.append((next(pairs(coin(*weights))), cost))

    def worst(a: Fraction, left: int) -> Fraction:
        largest = max(Fraction(0), 1 - a)
        for (p, q), cost in prices:
            if cost <= left:
                largest = max(largest, sum((p[y] * worst(a * q[y] / p[y], left - cost) for y in p), Fraction(0)))
        return largest

    assert worst(above(epsilon), capacity) <= Fraction(compose(coin(*unit_weights), capacity).delta(epsilon))


def _composed(unit: Unit, units: int | None) -> Composition:
    assert units is not None
    return compose(unit.pair, units, step=unit.pair.step)
