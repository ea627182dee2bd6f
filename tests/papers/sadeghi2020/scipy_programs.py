"""Sadeghi 2020's linear programs, written again for these tests with scipy and dense matrices."""

import math

import numpy as np
from scipy.optimize import linprog


def _solved(cost: np.ndarray, below: list[np.ndarray], sums: list[np.ndarray], total: float = 1.0) -> float:
    found = linprog(
        cost,
        A_ub=np.array(below),
        b_ub=np.zeros(len(below)),
        A_eq=np.array(sums),
        b_eq=np.full(len(sums), total),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert found.status == 0
    return float(found.fun)


def least_in_two_point_noises(epsilon: float, eta: float, support: int, people: int) -> float:
    """Return the optimum of (9)-(13): weights of two-point noises for every count 1..N; the last variable is delta."""
    keys = [
        (n, down, up)
        for n in range(1, people + 1)
        for down in range(1, min(n, support) + 1)
        for up in range(1, support + 1)
    ]
    outputs = people + support + 1
    chances = np.zeros((people + 1, outputs, len(keys) + 1))
    for place, (n, down, up) in enumerate(keys):
        chances[n, n - down, place] = (1 - eta) * up / (up + down)
        chances[n, n, place] = eta
        chances[n, n + up, place] = (1 - eta) * down / (up + down)
    delta = np.eye(len(keys) + 1)[-1]
    pairs = [(n, m) for n in range(1, people + 1) for m in (n - 1, n + 1) if 1 <= m <= people]
    below = [chances[n, y] - math.exp(epsilon) * chances[m, y] - delta for n, m in pairs for y in range(outputs)]
    sums = [np.array([*(float(key[0] == n) for key in keys), 0.0]) for n in range(1, people + 1)]
    return _solved(delta, below, sums)


def least_in_matrix_16(epsilon: float, eta: float, support: int) -> float:
    """Return the least delta per output of (16), N = 2D: all neighbouring columns and outputs, both directions."""
    outputs, size = 3 * support + 1, support + 2
    chances = np.zeros((2 * support + 1, outputs, size))  # coefficients of alpha_1..alpha_D, of 1, and of delta
    for n in range(support, 2 * support + 1):
        chances[n, n, support] = eta
        for i in range(1, support + 1):
            chances[n, [n - i, n + i], i - 1] = (1 - eta) / 2
    delta = np.eye(size)[-1]
    pairs = [(n, m) for n in range(support, 2 * support + 1) for m in (n - 1, n + 1) if support <= m <= 2 * support]
    below = [chances[n, y] - math.exp(epsilon) * chances[m, y] - delta for n, m in pairs for y in range(outputs)]
    sums = [np.array([1.0] * support + [0.0, 0.0]), np.eye(size)[support]]
    return _solved(delta, below, sums)
