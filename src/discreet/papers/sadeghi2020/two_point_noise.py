"""Noise on two points and 0 (Sadeghi 2020, Proposition 1), its combinations (3), and the program over them (9)-(13)."""

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import numpy as np

from discreet.linear_program import Program
from discreet.papers.sadeghi2020.printed_noise import SECONDS, Setting

Points = tuple[int, int]
Noise = Mapping[int, Fraction]


def two_point(eta: Fraction, points: Points) -> dict[int, Fraction]:
    """Return (2): 0 with probability eta, and otherwise one of two points, such that the mean is 0."""
    down, up = points
    return {down: (1 - eta) * up / (up - down), 0: eta, up: (1 - eta) * -down / (up - down)}


def choices(count: int, support: int) -> list[Points]:
    """Return the pairs (i_1, i_2) of Proposition 1 at a true count."""
    return list(product(range(-min(count, support), 0), range(1, support + 1)))


def combined(weights: Mapping[Points, Fraction], eta: Fraction) -> dict[int, Fraction]:
    """Return the combination (3) of two-point noises."""
    noise: dict[int, Fraction] = {}
    for points, weight in weights.items():
        for z, mass in two_point(eta, points).items():
            noise[z] = noise.get(z, Fraction(0)) + weight * mass
    return noise


def decomposed(noise: Noise) -> dict[Points, Fraction]:
    """Return weights whose combination (3) is the given noise, which has mean 0.

    Let u(z) = |z| p(z). Both sides of u add up to one M. The weight of (i, j) is u(i) u(j)/M times
    (|i| + j) / (|i| j (1 - eta)): the two-point noise then has u(i) u(j)/M on either side, and the sums over i or j
    give u back.
    """
    moment = {z: abs(z) * p for z, p in noise.items() if z}
    total = sum((u for z, u in moment.items() if z > 0), Fraction(0))
    wrong = 1 - noise[0]
    pairs = product((z for z in moment if z < 0), (z for z in moment if z > 0))
    return {(i, j): moment[i] * moment[j] / total * (j - i) / (-i * j * wrong) for i, j in pairs}


def proposition_2(setting: Setting, people: int) -> float:
    """Return the least delta per output over counts 1..N by the program (9)-(13), as the paper writes it.

    The variables are the weights alpha of all two-point noises at all counts, and delta. Discreet's own program is over
    the probabilities p(y|n) instead.
    """
    epsilon, eta, support = setting
    exact_eta = Fraction(str(eta))
    keys = [(n, points) for n in range(1, people + 1) for points in choices(n, support)]
    delta = len(keys)
    below = Program(delta + 1)
    below.cost[delta] = 1.0
    terms: dict[tuple[int, int], list[tuple[int, float]]] = {}
    for variable, (n, points) in enumerate(keys):
        for z, mass in two_point(exact_eta, points).items():
            terms.setdefault((n, n + z), []).append((variable, float(mass)))
    for n in range(1, people + 1):
        below.rows(np.array([[v for v, (count, _) in enumerate(keys) if count == n]]), 1.0, 1.0, 1.0)
        for other in {n - 1, n + 1} & set(range(1, people + 1)):
            for y in range(people + support + 1):
                mine, theirs = terms.get((n, y), []), terms.get((other, y), [])
                if mine:
                    variables = [v for v, _ in mine] + [v for v, _ in theirs] + [delta]
                    factors = [-p for _, p in mine] + [math.exp(epsilon) * p for _, p in theirs] + [1.0]
                    below.rows(np.array([variables]), factors, 0.0, math.inf)
    return float(below.solve(SECONDS)[delta])
