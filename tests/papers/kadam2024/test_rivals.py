"""The mechanisms that the paper compares with: their matrices, deltas and least costs, and curves with jumps."""

import math
from typing import Literal

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import gumbel_r

from discreet import design
from discreet.papers.kadam2024.claims_comparison import (
    ERROR_RATE,
    MSE,
    counts_eta,
    dp_geometric,
    error_rate_rivals,
    gaussian_with_mse,
    gumbel_with_mse,
)
from discreet.papers.kadam2024.jumps import probabilistic_steps, with_breaks
from discreet.papers.kadam2024.rivals import (
    Kind,
    clamped,
    data_independent,
    error_rate,
    gaussian,
    gaussian_matrix,
    gumbel_matrix,
    least_cost,
    matrix_delta,
    smallest_parameter,
)


@pytest.mark.parametrize("sigma2", [0.05, 0.6, 3.38, 40.0])
def test_clamped_gaussian_noise_is_the_designs(sigma2: float) -> None:
    expected = clamped(design.gaussian(sigma2=sigma2), 8).matrix()
    np.testing.assert_allclose(gaussian_matrix(8, sigma2), expected, atol=1e-11)


@pytest.mark.parametrize("scale", [0.1, 1.0, 5.0])
def test_rounded_gumbel_noise_is_scipys(scale: float) -> None:
    matrix = gumbel_matrix(8, scale)
    np.testing.assert_allclose(matrix.sum(axis=0), 1, atol=1e-14)
    inside = gumbel_r.cdf(np.array([0.5, 1.5]), scale=scale) - gumbel_r.cdf(np.array([-0.5, 0.5]), scale=scale)
    assert matrix[[4, 5], 4] == pytest.approx(inside, abs=1e-14)
    assert matrix[8, 2] == pytest.approx(gumbel_r.sf(5.5, scale=scale), abs=1e-14)


@pytest.mark.parametrize("epsilon", [0.2, 0.9, 2.5])
def test_the_quick_delta_is_the_mechanisms(epsilon: float) -> None:
    mechanism = gaussian(8, 1.7)
    assert matrix_delta(mechanism.matrix(), epsilon, "dp") == pytest.approx(mechanism.delta(epsilon), abs=1e-14)
    pdp = mechanism.delta(epsilon, kind="pdp")
    assert matrix_delta(mechanism.matrix(), epsilon, "pdp") == pytest.approx(pdp, abs=1e-14)


@pytest.mark.parametrize("kind", ["dp", "pdp"])
def test_the_smallest_parameter_is_private_and_a_smaller_one_is_not(kind: Kind) -> None:
    found = smallest_parameter(lambda value: gaussian_matrix(8, value), 0.02, 300, 1.0, 0.3, kind)
    assert gaussian(8, found).delta(1.0, kind=kind) <= 0.3
    assert gaussian(8, found * 0.999).delta(1.0, kind=kind) > 0.3


def test_rivals_have_the_error_that_was_asked_for() -> None:
    for rival in error_rate_rivals(7)[:2]:
        assert error_rate(rival) == pytest.approx(ERROR_RATE, abs=1e-9)
    assert error_rate(data_independent(7, ERROR_RATE)) == pytest.approx(ERROR_RATE, abs=1e-15)
    outputs = np.arange(-4, 5)
    weights = np.exp(-(np.arange(-60, 61) ** 2) / (2 * gaussian_with_mse(MSE)))
    assert (weights / weights.sum())[56:65] @ outputs**2 == pytest.approx(MSE, abs=1e-9)
    below = gumbel_r.cdf(np.arange(-4, 6) - 0.5, scale=gumbel_with_mse(MSE))
    assert np.diff(below) @ outputs**2 == pytest.approx(MSE, abs=1e-9)


def test_rivals_have_the_delta_that_was_asked_for() -> None:
    for epsilon, delta in ((0.25, 0.3), (1.0, 0.3), (2.0, 0.01)):
        assert dp_geometric(8, epsilon, delta).delta(epsilon) == pytest.approx(delta, abs=1e-12)
    assert counts_eta(1.0, 0.5) == pytest.approx(math.e / (1 + math.e), abs=1e-6)


@pytest.mark.parametrize("aggregate", ["mean", "worst"])
def test_the_least_cost_of_any_mechanism_is_scipys(aggregate: Literal["mean", "worst"]) -> None:
    n, epsilon, delta = 3, 0.8, 0.1
    size = n + 1
    matrix = size * size
    pairs = [(q, q + 1) for q in range(n)] + [(q + 1, q) for q in range(n)]
    variables = matrix + len(pairs) * size + 1
    rows, bounds = [], []
    for k, (q, other) in enumerate(pairs):
        total = np.zeros(variables)
        for y in range(size):
            row = np.zeros(variables)
            row[[q * size + y, other * size + y, matrix + k * size + y]] = 1, -math.exp(epsilon), -1
            total[matrix + k * size + y] = 1
            rows.append(row)
            bounds.append(0.0)
        rows.append(total)
        bounds.append(delta)
    cost = np.zeros(variables)
    for q in range(size):
        squares = (np.arange(size) - q) ** 2
        if aggregate == "mean":
            cost[q * size : (q + 1) * size] = squares / size
        else:
            row = np.zeros(variables)
            row[q * size : (q + 1) * size], row[-1] = squares, -1
            rows.append(row)
            bounds.append(0.0)
    cost[-1] = aggregate == "worst"
    whole = np.zeros((size, variables))
    for q in range(size):
        whole[q, q * size : (q + 1) * size] = 1
    found = linprog(cost, np.array(rows), bounds, whole, np.ones(size), method="highs")
    assert least_cost(n, epsilon, delta, "squared", aggregate) == pytest.approx(found.fun, abs=1e-8)


# Jumps


def test_the_steps_of_a_probabilistic_delta_are_its_values() -> None:
    mechanism = gaussian(8, 3.38)
    begins, heights = probabilistic_steps(mechanism, 0.05, 2.0)
    for epsilon in np.random.default_rng(3).uniform(0.05, 2, 50):
        place = int(np.searchsorted(begins, epsilon, side="right")) - 1
        assert mechanism.delta(float(epsilon), kind="pdp") == pytest.approx(heights[place], abs=1e-14)
    assert (np.diff(heights) <= 1e-15).all()


def test_a_jump_is_found_and_a_slope_is_not_taken_for_one() -> None:
    x, y = with_breaks(lambda at: 3.0 * at + (at > 0.6180339), np.linspace(0, 1, 6), 0.1)
    (gap,) = np.flatnonzero(np.isnan(y))
    assert x[gap] == pytest.approx(0.6180339, abs=1e-4)
    assert y[gap + 1] - y[gap - 1] == pytest.approx(1, abs=1e-3)
    assert not np.isnan(with_breaks(lambda at: 3 * at, np.linspace(0, 1, 6), 0.1)[1]).any()
