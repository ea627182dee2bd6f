"""Kadam 2024's one-sided reading of privacy: what the paper computes, never what is private.

The paper publishes (q + Z) modulo N = n + 1. f is the distribution of the noise Z, M the paper's set of differences
between neighbours, and E = e**epsilon. Privacy asks f(x) <= E f(x + mu) for mu in M. M holds mu without -mu. Neighbours
are symmetric, so the promise is not kept. `two_sided` returns the mechanism whose delta is true, and every noise from
this package is shown with its two-sided delta beside it.

Definition 2 bounds, for every mu, the mass of the x with f(x) > E f(x + mu). Program (13) has an indicator u for every
mu and x, and one y for all mu. y(x) = u f(x) has to hold for each mu, so an x exceeds for all mu together or for none.
An x that exceeds then has f(x) >= E f(x + mu) for all mu. That is less than Definition 2 allows, and it is what Table 1
shows: `program_13`.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Literal

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.design.cycle import cycle_program
from discreet.domain import Cycle
from discreet.linear_program import Program
from discreet.mechanism import Mechanism, Row

SECONDS = 60.0
"""For one program; the longest takes less than one."""

MARGIN = 1e-12
"""How much a choice of outputs stays below delta."""

Cost = Literal["error_rate", "squared"]


def two_sided(noise: Floats, differences: Iterable[Any]) -> Mechanism:
    """Return the mechanism with this noise whose neighbours are the differences and their negatives."""
    domain = Cycle(len(noise)) if noise.ndim == 1 else Cycle(shape=noise.shape)
    return Mechanism(domain, interior=(Row(0, noise.ravel()),), neighbours=tuple(differences))


def one_sided_delta(noise: Floats, differences: Iterable[int], epsilon: float) -> float:
    """Return the delta of Definition 2, one-sided: the largest mass, over mu, of the x with f(x) > E f(x + mu)."""
    bound = math.exp(epsilon) * (1 + cycle_program.TIE)
    return max(float(noise[noise > bound * np.roll(noise, -mu)].sum()) for mu in differences)


def pure(shape: tuple[int, ...], differences: Sequence[Any], epsilon: float) -> Floats:
    """Return the purely private noise of least error rate, one-sided, for any M: Lemmas 3 and 4, (57), Figures 13, 14.

    f(x) is proportional to alpha^k, where k is the least number of differences that add up to x.
    """
    steps = np.full(shape, np.inf)
    steps[(0,) * len(shape)] = 0
    for _ in range(steps.size):
        before = steps.copy()
        for difference in differences:
            np.minimum(steps, np.roll(steps, difference, axis=tuple(range(len(shape)))) + 1, out=steps)
        if np.array_equal(before, steps):
            break
    weights = np.exp(-epsilon * steps)
    return np.asarray(weights / math.fsum(weights.ravel()))


def cost_of_residues(n: int, cost: Cost) -> Floats:
    """Return the cost of every residue: 1 unless it is 0, or the square that (11) takes."""
    return np.array([0.0] + [1.0] * n) if cost == "error_rate" else np.arange(n + 1.0) ** 2


@cache
def program_13(n: int, differences: tuple[int, ...], epsilon: float, delta: float) -> Floats:
    """Return the noise of least error rate under (13) as printed, with one u and one y for all mu.

        f(x) - E f(x + mu) <= y(x) <= delta u(x),    y(x) >= f(x) + u(x) - 1,    sum_x y(x) <= delta,
        f(x) - E f(x + mu) >= E (u(x) - 1),          u(x) 0 or 1

    Once u is known the rest is a linear program. It is solved again as one, because its optimum is sharper.
    """
    size, bound = n + 1, math.exp(epsilon)
    noise = np.arange(size)
    mass, chosen = noise + size, noise + 2 * size
    pairs = np.concatenate([np.stack([noise, (noise + mu) % size], axis=1) for mu in differences])
    program = _least_error_rate(3 * size, size)
    program.rows(np.column_stack([pairs, mass[pairs[:, 0]]]), [1.0, -bound, -1.0], -np.inf, 0.0)
    program.rows(np.column_stack([pairs, chosen[pairs[:, 0]]]), [1.0, -bound, -bound], -bound, np.inf)
    program.rows(np.column_stack([mass, chosen]), [1.0, -delta], -np.inf, 0.0)
    program.rows(np.column_stack([mass, noise, chosen]), [1.0, -1.0, -1.0], -1.0, np.inf)
    program.rows(mass[None], 1.0, -np.inf, delta)
    program.binary = chosen
    exceeding = program.solve(SECONDS)[chosen] > 0.5

    refined, exceed = _least_error_rate(size, size), exceeding[pairs[:, 0]]
    refined.rows(pairs[~exceed], [1.0, -bound], -np.inf, 0.0)
    if exceeding.any():
        refined.rows(pairs[exceed], [1.0, -bound], 0.0, np.inf)
        refined.rows(noise[exceeding][None], 1.0, -np.inf, max(delta - MARGIN, 0.0))
    solution = np.maximum(refined.solve(SECONDS), 0)
    return np.asarray(solution / math.fsum(solution))


def _least_error_rate(variables: int, size: int) -> Program:
    """Return a program whose first variables are a distribution, with as much of it at 0 as possible."""
    program = Program(variables)
    program.cost[0] = -1
    program.rows(np.arange(size)[None], 1.0, 1.0, 1.0)
    return program


@cache
def definition_2(
    n: int,
    differences: tuple[int, ...],
    epsilon: float,
    delta: float | None,
    cost: Cost = "error_rate",
    limit: float = math.inf,
    zero_mean: bool = False,
    classes: tuple[int, ...] | None = None,
) -> Floats:
    """Return the noise of least cost under Definition 2, one-sided.

    Parameters
    ----------
    delta
        None for the least delta at which the cost is at most `limit`: program (15).
    zero_mean, classes
        The constraints of footnote 4: mean 0 of the signed residues, and one probability for each class of residues.
    """
    residues: Integers = np.arange(n + 1)
    signed = np.where(2 * residues == n + 1, 0, residues - (n + 1) * (2 * residues > n + 1))
    problem = cycle_program.Problem(
        costs=cost_of_residues(n, cost)[None],
        moved=np.array([(residues + mu) % (n + 1) for mu in differences]),
        mirror=-residues % (n + 1),
        alpha=math.exp(-epsilon),
        delta=delta,
        limit=limit,
        time_limit=SECONDS,
        signed=signed[None].astype(np.float64) if zero_mean else None,
        classes=None if classes is None else np.array(classes),
    )
    return np.exp(cycle_program.probabilistic(problem))
