"""The paper's programs by enumeration: every choice of values that exceed, and a linear program of scipy for each."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog


def largest_first(
    n: int,
    differences: Sequence[int],
    epsilon: float,
    delta: float,
    shared: bool,
    equalities: Sequence[Sequence[float]] = (),
) -> float:
    """Return the largest f(0), one-sided.

    Parameters
    ----------
    shared
        True for (13), where a value exceeds for all differences or for none; False for Definition 2.
    equalities
        Rows whose product with the noise is 0.
    """
    size = n + 1
    places = list(range(size)) if shared else list(itertools.product(differences, range(size)))
    best = 0.0
    for count in range(len(places) + 1):
        for chosen in itertools.combinations(places, count):
            value = _with_choice(size, differences, epsilon, delta, set(chosen), shared, equalities)
            best = max(best, value)
        if delta == 0:
            break
    return best


def _with_choice(
    size: int,
    differences: Sequence[int],
    epsilon: float,
    delta: float,
    chosen: set[object],
    shared: bool,
    equalities: Sequence[Sequence[float]],
) -> float:
    rows, bounds = [], []
    for mu in differences:
        mass = np.zeros(size)
        for x in range(size):
            row = np.zeros(size)
            row[x] += 1
            row[(x + mu) % size] -= math.exp(epsilon)
            exceeds = (x if shared else (mu, x)) in chosen
            mass[x] = exceeds
            if not exceeds:
                rows.append(row)
                bounds.append(0.0)
            elif shared:
                rows.append(-row)
                bounds.append(0.0)
        rows.append(mass)
        bounds.append(delta)
    whole = np.vstack([np.ones(size), *equalities]) if equalities else np.ones((1, size))
    sums = np.append(1.0, np.zeros(len(equalities)))
    found = linprog(-np.eye(size)[0], np.array(rows), bounds, whole, sums, method="highs")
    return -found.fun if found.status == 0 else 0.0
