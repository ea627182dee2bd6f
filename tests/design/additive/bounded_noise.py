"""Bounded noise, and its delta by other means."""

import math
import warnings
from itertools import pairwise

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from discreet import Counts, Mechanism, PTable
from discreet.design import bounded
from discreet.errors import PrecisionWarning


def noise(epsilon: float, eta: float, support: int, variant: str | None = None) -> Mechanism:
    """Noise for counts that are all at least the support."""
    return bounded(epsilon=epsilon, eta=eta, support=support, lowest=support, variant=variant)


def certified(mechanism: Mechanism, bits: int) -> PTable:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        return mechanism.certify(bits=bits)


def per_output(mechanism: Mechanism, epsilon: float) -> float:
    """The paper's delta, by its definition, over the counts, or the sixty smallest."""
    return max(
        mass - math.exp(epsilon) * other.get(output, 0.0)
        for one, other in _neighbours(mechanism)
        for output, mass in one.items()
    )


def summed(mechanism: Mechanism, epsilon: float) -> float:
    """delta by its definition: sums over dictionaries, over the counts, or the sixty smallest, both directions."""
    return max(
        math.fsum(max(0.0, mass - math.exp(epsilon) * other.get(output, 0.0)) for output, mass in one.items())
        for one, other in _neighbours(mechanism)
    )


def _neighbours(mechanism: Mechanism) -> list[tuple[dict[int, float], dict[int, float]]]:
    assert isinstance(mechanism.domain, Counts)
    lower, upper, laws = mechanism.domain.lower, mechanism.domain.upper, []
    for count in range(lower, lower + 60 if upper is None else upper + 1):
        outputs, probabilities = mechanism.pmf(count)
        laws.append(dict(zip(outputs.tolist(), probabilities.tolist(), strict=True)))
    up = list(pairwise(laws))
    return up + [(other, one) for one, other in up]


def least_delta(
    epsilon: float, eta: float, support: int, counts: range, per_output: bool = False, tolerance: float = 1e-10
) -> float:
    """Return the least delta over rows of their own for all counts, by a linear program written for these tests.

    Sadeghi 2020, Proposition 2, in the probabilities p(y|n) themselves: p(n|n) = eta, rows that sum to one, no bias
    from count 1 on. The exact delta has a slack s >= p(y|n) - E p(y|n') for every output; the paper's has one delta.
    """
    outputs = {n: range(max(0, n - support), n + support + 1) for n in counts}
    chance = {key: index for index, key in enumerate((n, y) for n in counts for y in outputs[n])}
    pairs = [(n, m) for n in counts for m in (n - 1, n + 1) if m in counts]
    slack = {key: len(chance) + index for index, key in enumerate((n, m, y) for n, m in pairs for y in outputs[n])}
    delta = len(chance) + len(slack)
    below, equal = [], []
    for n, m in pairs:
        for y in outputs[n]:
            terms = {chance[n, y]: 1.0, (delta if per_output else slack[n, m, y]): -1.0}
            below.append(terms | ({chance[m, y]: -math.exp(epsilon)} if (m, y) in chance else {}))
        below.append({slack[n, m, y]: 1.0 for y in outputs[n]} | {delta: -1.0})
    for n in counts:
        equal.append(({chance[n, y]: 1.0 for y in outputs[n]}, 1.0))
        equal.append(({chance[n, n]: 1.0}, eta))
        if n:
            equal.append(({chance[n, y]: float(y - n) for y in outputs[n]}, 0.0))
    solution = linprog(
        np.eye(1, delta + 1, delta)[0],
        A_ub=_sparse(below, delta + 1),
        b_ub=np.zeros(len(below)),
        A_eq=_sparse([terms for terms, _ in equal], delta + 1),
        b_eq=[value for _, value in equal],
        method="highs",
        options={"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance},
    )
    assert solution.status == 0
    return float(solution.fun)


def _sparse(rows: list[dict[int, float]], width: int) -> csr_matrix:
    row = np.repeat(np.arange(len(rows)), [len(terms) for terms in rows])
    columns = [column for terms in rows for column in terms]
    values = [value for terms in rows for value in terms.values()]
    return csr_matrix((values, (row, columns)), shape=(len(rows), width))
