"""Kadam 2024's one-sided reading of privacy: what the paper computes, never what is private.

f is the law of the noise on the residues of N = n + 1, M the paper's set of differences, not closed under negation.
Privacy asks f(x) <= E f(x + mu) for mu in M alone, E = e**epsilon. Neighbours are symmetric, so the promise is not
kept: `two_sided` gives the mechanism whose delta is true, and whoever prints a law from here prints that beside it.

Definition 2 bounds, for every mu, the mass of the x with f(x) > E f(x + mu). The program (13) that is to minimise
under it has u for mu and x, but one y for all mu. As y(x) = u f(x) for each of them, they exceed together: an x
counts towards delta for all mu at once, and then f(x) >= E f(x + mu) for all of them. That is less than Definition
2 allows, and it is what Table 1 shows: `literal`.

A staircase is a law c alpha^k(x) whose level k grows with x. Lemma 4's has the levels of size 1, mu, ... mu, r, where
n = b mu + r. If the last value of level i may exceed, level i + 1 is shorter by one, and what is missing goes to the
last level b + 1: those are the flat laws of Theorem 3, of which (h, j) takes the levels b - h, ... b - 1 without
b - h + j.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.design.cycle import _program
from discreet.domain import Cycle
from discreet.linear_program import Program
from discreet.mechanism import Mechanism, Row

SECONDS = 60.0
"""For one program; the longest takes less than one."""

MARGIN = 1e-12
"""How much a choice of outputs stays below delta."""


def two_sided(law: Floats, differences: Iterable[Any]) -> Mechanism:
    """The mechanism with this noise; its neighbours are the differences and their negatives."""
    domain = Cycle(len(law)) if law.ndim == 1 else Cycle(shape=law.shape)
    return Mechanism(domain, interior=(Row(0, law.ravel()),), neighbours=tuple(differences))


def probabilistic(law: Floats, differences: Iterable[int], epsilon: float) -> float:
    """Definition 2's delta, one-sided: the largest mass, over mu, of the x with f(x) > E f(x + mu)."""
    bound = math.exp(epsilon) * (1 + _program.TIE)
    return max(float(law[law > bound * np.roll(law, -mu)].sum()) for mu in differences)


# Closed forms


def pure(shape: tuple[int, ...], differences: Sequence[Any], epsilon: float) -> Floats:
    """Lemmas 3 and 4, and any M: alpha to the number of differences that lead from 0 to x, over their sum."""
    steps = np.full(shape, np.inf)
    steps[(0,) * len(shape)] = 0
    for _ in range(steps.size):
        before = steps.copy()
        for difference in differences:
            np.minimum(steps, np.roll(steps, difference, axis=tuple(range(len(shape)))) + 1, out=steps)
        if np.array_equal(before, steps):
            break
    law = np.exp(-epsilon * steps)
    return np.asarray(law / math.fsum(law.ravel()))


def along(size: int, mu: int) -> Integers:
    """0, mu, 2 mu, ...: the cycle of a single difference, of length size / gcd(size, mu)."""
    return np.arange(size // math.gcd(size, mu)) * mu % size


def single(size: int, mu: int, epsilon: float, delta: float) -> Floats:
    """Theorem 2: f(0) = max(1/S_(L-1), max_(m < L-1) min(1/S_m, delta E^m)), S_m = 1 + alpha + ... + alpha^m.

    It falls by alpha for m steps; the rest of the mass is spread evenly over what comes after them.
    """
    places = along(size, mu)
    falling = np.exp(-epsilon * np.arange(len(places)))
    sums = np.cumsum(falling)
    firsts = np.append(np.minimum(1 / sums[:-1], delta / falling[:-1]), 1 / sums[-1])
    m = int(np.argmax(firsts))
    law = np.zeros(size)
    law[places[: m + 1]] = firsts[m] * falling[: m + 1]
    law[places[m + 1 :]] = max(0.0, 1 - firsts[m] * sums[m]) / max(1, len(places) - m - 1)
    return law


def regions(length: int, epsilon: float) -> list[tuple[float, float]]:
    """Equation (19): from which delta to which the law of Theorem 2 is the flat one with k zeros, k = 0..L-1."""
    falling = np.exp(-epsilon * np.arange(length))
    sums = np.cumsum(falling)
    found = []
    for k in range(length):
        last = length - 1 - k
        low = falling[last] / sums[last] if k else 0.0
        found.append((float(low), float(falling[last - 1] / sums[last]) if last else 1.0))
    return found


def least_delta(length: int, epsilon: float, rho: float) -> float:
    """Corollary 1: the least delta of Definition 2, one-sided, at which the error rate is at most rho."""
    falling = np.exp(-epsilon * np.arange(length))
    within = np.flatnonzero(1 / np.cumsum(falling) >= 1 - rho)
    return 0.0 if within[-1] == length - 1 else float((1 - rho) * falling[within[-1]])


def epsilons(length: int, rho: float) -> list[float]:
    """Corollary 1 (25): the epsilon at which the flat law with k zeros has the error rate rho, k = 0..L-1; 0: none."""
    return [_root(terms, 1 / (1 - rho)) if terms > 1 / (1 - rho) else 0.0 for terms in range(length, 0, -1)]


def _root(terms: int, total: float) -> float:
    """The epsilon at which 1 + alpha + ... of so many terms is the total, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(200):
        alpha = (low + high) / 2
        low, high = (alpha, high) if sum(alpha**i for i in range(terms)) < total else (low, alpha)
    return -math.log(high)


def exceeding_levels(n: int, mu: int, h: int, j: int) -> list[int]:
    """The levels whose last value exceeds in Theorem 3's flat law (h, j)."""
    b = n // mu
    return [level for level in range(b - h, b) if level != b - h + j]


def staircase(n: int, mu: int, epsilon: float, exceeding: Iterable[int] = ()) -> Floats:
    """The staircase for the differences 1..mu; the last value of each level named exceeds."""
    b, r = divmod(n, mu)
    shorter = {level + 1 for level in exceeding}
    sizes = [1, *(mu - (level in shorter) for level in range(1, b + 1)), r + len(shorter)]
    law = np.exp(-epsilon * np.repeat(np.arange(b + 2), sizes))
    return np.asarray(law / math.fsum(law))


def theorem_3(n: int, mu: int, epsilon: float, h: int, j: int) -> tuple[Floats, float, float]:
    """Theorem 3's flat law (h, j), the delta it claims, and f(0) by (34)-(36) as printed.

    The claim counts the levels b - h, ... b - h + j - 1. For j = h the printed closed form leaves (mu - 1) alpha^(b+1)
    out of the sum that f(0) is the inverse of.
    """
    b, alpha = n // mu, math.exp(-epsilon)
    law = staircase(n, mu, epsilon, exceeding_levels(n, mu, h, j))
    claimed = float(law[0]) * sum(alpha**level for level in range(b - h, b - h + j))
    return law, claimed, float(1 / (1 / law[0] - (j == h) * (mu - 1) * alpha ** (b + 1)))


def limit_52(mu: int, epsilon: float, c: int, j: int) -> tuple[float, float]:
    """f(0) of the flat laws as n grows, c = b - h: the limit of (34), and (53) as printed."""
    alpha = math.exp(-epsilon)
    whole = 1 + mu * alpha / (1 - alpha)
    limit = whole - alpha ** (c + 1) / (1 - alpha) + alpha ** (c + j + 1)
    return 1 / limit, 1 / (whole - alpha ** (c + j + 1) / (1 - alpha))


# Programs


def literal(n: int, differences: Sequence[int], epsilon: float, delta: float) -> Floats:
    """The law of least error rate under (13) as printed, one u and one y for all mu.

        f(x) - E f(x + mu) <= y(x) <= delta u(x),    y(x) >= f(x) + u(x) - 1,    sum_x y(x) <= delta,
        f(x) - E f(x + mu) >= E (u(x) - 1),          u(x) 0 or 1

    Once u is known the rest is a linear program, solved as one because its optimum is sharper.
    """
    size, bound = n + 1, math.exp(epsilon)
    law = np.arange(size)
    mass, chosen = law + size, law + 2 * size
    pairs = np.concatenate([np.stack([law, (law + mu) % size], axis=1) for mu in differences])
    program = _error_rate(3 * size, size)
    program.rows(np.column_stack([pairs, mass[pairs[:, 0]]]), [1.0, -bound, -1.0], -np.inf, 0.0)
    program.rows(np.column_stack([pairs, chosen[pairs[:, 0]]]), [1.0, -bound, -bound], -bound, np.inf)
    program.rows(np.column_stack([mass, chosen]), [1.0, -delta], -np.inf, 0.0)
    program.rows(np.column_stack([mass, law, chosen]), [1.0, -1.0, -1.0], -1.0, np.inf)
    program.rows(mass[None], 1.0, -np.inf, delta)
    program.binary = chosen
    exceeding = program.solve(SECONDS)[chosen] > 0.5

    refined, exceed = _error_rate(size, size), exceeding[pairs[:, 0]]
    refined.rows(pairs[~exceed], [1.0, -bound], -np.inf, 0.0)
    if exceeding.any():
        refined.rows(pairs[exceed], [1.0, -bound], 0.0, np.inf)
        refined.rows(law[exceeding][None], 1.0, -np.inf, max(delta - MARGIN, 0.0))
    found = np.maximum(refined.solve(SECONDS), 0)
    return np.asarray(found / math.fsum(found))


def _error_rate(variables: int, size: int) -> Program:
    """A program whose first variables are a law, with as much of it at 0 as can be."""
    program = Program(variables)
    program.cost[0] = -1
    program.rows(np.arange(size)[None], 1.0, 1.0, 1.0)
    return program


def wrong(n: int) -> Floats:
    """The cost of the error rate, for `definition_2`."""
    return np.array([0.0] + [1.0] * n)


def square(n: int) -> Floats:
    """The paper's squared error, that of a count of 0, for `definition_2`."""
    return np.arange(n + 1.0) ** 2


def definition_2(
    cost: Floats, differences: Sequence[int], epsilon: float, delta: float | None, limit: float = math.inf
) -> Floats:
    """The law of least cost under Definition 2, one-sided; delta=None: of least delta with a cost within the limit."""
    residues = np.arange(len(cost))
    problem = _program.Problem(
        costs=cost[None],
        moved=np.array([(residues + mu) % len(cost) for mu in differences]),
        mirror=-residues % len(cost),
        alpha=math.exp(-epsilon),
        delta=delta,
        limit=limit,
        time_limit=SECONDS,
    )
    return np.exp(_program.probabilistic(problem))
