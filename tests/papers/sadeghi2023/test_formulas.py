"""The formulas of Sadeghi 2023, beside brute force: all events, all outputs, and an optimiser that knows no formula."""

import math
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from discreet.design import maxent
from discreet.design.additive.maxent_gamma import float_delta, of_variance
from discreet.papers.sadeghi2023.truncated_gaussian import (
    GRID,
    best_knot,
    end_mass,
    exact_masses,
    example_1,
    normalisation,
    polynomial,
    proposition_2,
    rule,
    search,
    stated_event,
    variance,
    worst_event,
)


def hockey(gamma: float, epsilon: float, support: int) -> float:
    """The definition: the sum of positive parts over all outputs of two neighbouring counts, the larger direction."""
    masses = {z: math.exp(-gamma * z * z) for z in range(-support, support + 1)}
    total = math.fsum(masses.values())
    outputs = range(-support - 1, support + 2)

    def excess(shift: int) -> float:
        gaps = (masses.get(y, 0.0) - math.exp(epsilon) * masses.get(y - shift, 0.0) for y in outputs)
        return math.fsum(gap for gap in gaps if gap > 0) / total

    return max(excess(1), excess(-1))


@pytest.mark.parametrize(("support", "spread"), [(2, 0.8), (3, 2.0), (5, 3.0)])
def test_no_noise_with_this_variance_has_more_entropy(support: int, spread: float) -> None:
    """(1.2)-(2.3), (A.1)-(A.3): an optimiser of the entropy finds the truncated Gaussian."""
    z = np.arange(-support, support + 1)
    constraints = [
        {"type": "eq", "fun": lambda p: p.sum() - 1},
        {"type": "eq", "fun": lambda p: z @ p},
        {"type": "ineq", "fun": lambda p: spread - z**2 @ p},
    ]
    start = np.full(len(z), 1 / len(z))
    found = minimize(
        lambda p: float(p @ np.log(p)),
        start,
        jac=lambda p: np.log(p) + 1,
        bounds=[(1e-12, 1)] * len(z),
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    noise = maxent(support=support, variance=spread)
    np.testing.assert_allclose(noise.pmf(0)[1], found.x, atol=2e-6)
    assert noise.entropy(0) * math.log(2) >= -found.fun - 1e-9


@pytest.mark.parametrize("support", [1, 2, 3])
@pytest.mark.parametrize("ratio", ["1/3", "1", "3/2", "3", "5", "20"])  # epsilon / gamma; odd numbers are ties
def test_the_worst_event_is_the_best_of_all_events(support: int, ratio: str) -> None:
    """(2.9)-(2.17): of all 2^(2D+2) events none has a larger difference."""
    gamma = Fraction(1, 5)
    epsilon = gamma * Fraction(ratio)
    masses = {z: math.exp(-float(gamma) * z * z) for z in range(-support, support + 1)}
    total = math.fsum(masses.values())

    def difference(event: tuple[int, ...] | list[int]) -> float:
        p, q = (math.fsum(masses.get(y - shift, 0.0) for y in event) / total for shift in (0, 1))
        return p - math.exp(epsilon) * q

    outputs = range(-support, support + 2)
    events = chain.from_iterable(combinations(outputs, size) for size in range(len(outputs) + 1))
    most = max(map(difference, events))
    assert difference(worst_event(gamma, epsilon, support)) == pytest.approx(most, rel=1e-12)
    assert difference(stated_event(gamma, epsilon, support)) == pytest.approx(most, rel=1e-9)
    assert proposition_2(float(gamma), float(epsilon), support) == pytest.approx(most, rel=1e-9)


def test_the_stated_event_is_one_too_large_at_a_tie() -> None:
    for support in (2, 5, 25):
        epsilon = Fraction(1, 2)
        gamma = epsilon / (2 * support - 1)
        assert worst_event(gamma, epsilon, support) == [-support]
        assert stated_event(gamma, epsilon, support) == [-support, -support + 1]


@given(st.floats(0.005, 2), st.floats(0.01, 5), st.integers(1, 20))
def test_proposition_2_is_the_definition(gamma: float, epsilon: float, support: int) -> None:
    assert proposition_2(gamma, epsilon, support) == pytest.approx(hockey(gamma, epsilon, support), rel=1e-7, abs=1e-13)


@given(st.integers(1, 30), st.floats(0.01, 0.99))
def test_the_root_of_the_polynomial_gives_the_variance(support: int, part: float) -> None:
    """(2.7), (2.21): V(gamma) inverts gamma(V), and Proposition 1 is the condition for gamma > 0."""
    most = support * (support + 1) / 3
    gamma = float(of_variance(support, Fraction(part * most)))
    assert gamma > 0
    assert variance(gamma, support) == pytest.approx(part * most, rel=1e-9)
    x = Fraction(math.exp(-gamma))
    spread = Fraction(part * most)
    low, high = (polynomial(x * (1 + Fraction(sign, 10**8)), support, spread) for sign in (-1, 1))
    assert low < 0 < high


@given(st.integers(1, 40), st.fractions(Fraction(1, 100), 5))
def test_the_rule_is_a_tenth_of_the_interval_below_its_end(support: int, epsilon: Fraction) -> None:
    left, right = epsilon / (2 * support + 1), epsilon / (2 * support - 1)
    assert rule(epsilon, support) == right - (right - left) / 10
    assert worst_event(rule(epsilon, support), epsilon, support) == [-support]


@pytest.mark.parametrize(("epsilon", "support"), [(0.3, 11), (1.0, 15), (2.5, 11)])
def test_the_search_of_figure_2_takes_the_least_delta_of_its_grid(epsilon: float, support: int) -> None:
    assert (GRID[0], GRID[-1], len(GRID)) == (0.0001, 0.3, 3000)
    deltas = [float_delta(gamma, epsilon, support) for gamma in GRID.tolist()]
    gamma, least = search(epsilon, support)
    assert least == pytest.approx(min(deltas), rel=1e-12)
    assert float_delta(gamma, epsilon, support) == pytest.approx(least, rel=1e-12)
    assert best_knot(epsilon, support)[1] <= least * (1 + 1e-12)


def test_masses_of_example_1_are_those_of_the_formula() -> None:
    noise = example_1()
    gamma = float(noise.design["gamma"])
    for z, mass in zip(range(-25, 26), exact_masses(noise), strict=True):
        assert float(mass) == pytest.approx(normalisation(gamma, 25) * math.exp(-gamma * z * z), rel=1e-12)
    assert end_mass(gamma, 25) == pytest.approx(noise.delta(0.5), rel=1e-12)
