"""The posterior of two true counts that algorithm 1 of Wang 2020 released: future work of the paper (section 5.3).

Let x be the true counts with sum X, k the released counts with sum N, and the priors flat from 0.

**1i.** The weights b of the multinomial and its size are draws from posteriors of independent noisy counts, so

    Pr[x | k]  ~  K(N | X)  sum over b of Pr[k | N, b] K(b_1 | x_1) K(b_2 | x_2),

where K adds noise and draws (`geometric_draws.drawn_given_true`).

**1c.** The size is drawn from (6), which depends on the sum n* of the noisy components. So the sum is over the noisy
components too:

    Pr[x | k]  ~  sum over n_1, n_2 of p(n_1 | x_1) p(n_2 | x_2) T(N | X, n_1 + n_2) G(n_1, n_2),

G is the chance of k given N and the noisy components, T the chance that the size is N. T is the sum over the noisy
total n of p(n | X) times (6).

Noise is followed to exp(-40), and every sum is over all of it: nothing is simulated. All terms are positive. For more
components the sum over n* couples noise and true counts, and only two components are supported.
"""

import math
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.errors import ParameterError
from discreet.exact import Epsilon, Number
from discreet.papers.wang2020.geometric_draws import drawn_given_noisy, drawn_given_true, noise, reach
from discreet.papers.wang2020.posterior_grid import multinomial
from discreet.reconcile.wang_lists import sum_of_noises

LARGEST_TOTAL = 1000
SMALLEST_EPSILON = 0.5
"""Beyond these, tables of all pairs of counts take too long."""

NEGLIGIBLE = 1e-24
"""Noisy counts with a smaller part of the largest likelihood are left out."""


def algorithm_1(
    released: npt.ArrayLike, *, algorithm: Literal["1i", "1c"], epsilon: Number = 1
) -> tuple[Integers, Integers, Floats]:
    """Return the exact posterior of two true counts, given counts released by algorithm 1.

    Parameters
    ----------
    released
        Two integers from 0 with a sum of at most 1000.
    algorithm
        "1i" (approximation based on independence) or "1c" (on summed noisy totals).
    epsilon
        Of the noise of one count, 0.5 or more.

    Returns
    -------
    tuple of arrays
        The values of the first count, the values of the second, and the table of their probabilities, with one row for
        each value of the first count.

    Raises
    ------
    ParameterError
        There are not two components, one is no integer from 0, the total is too large, epsilon is too small, or the
        algorithm is another one.

    Examples
    --------
    >>> first, second, table = algorithm_1([3, 5], algorithm="1i")
    >>> round(float(table[first == 3, second == 5][0]), 4)
    0.0611
    """
    counts = _require_pair(released)
    if algorithm not in ("1i", "1c"):
        raise ParameterError(f"algorithm is {algorithm!r}; choose '1i' or '1c', or use infer.wang_pair for '2' and '3'")
    rate = float(Epsilon.of(epsilon, None))
    if rate < SMALLEST_EPSILON:
        raise ParameterError(f"epsilon is {rate:.6g}; give {SMALLEST_EPSILON} or more")
    table = (_independent if algorithm == "1i" else _summed)(counts, rate)
    values = np.arange(len(table))
    return values, values, table / table.sum()


def _require_pair(released: Any) -> tuple[int, int]:
    try:
        counts = np.asarray(released, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"released is {released!r}; give two integers from 0") from None
    if counts.shape != (2,):
        raise ParameterError(
            f"released has the shape {counts.shape}; the posterior of algorithm 1 is known for 2 components only"
        )
    wrong = ~np.isfinite(counts) | (counts < 0) | (counts != np.rint(counts))
    if wrong.any():
        raise ParameterError(f"released holds {counts[wrong][0]:g}; give integers from 0")
    if counts.sum() > LARGEST_TOTAL:
        raise ParameterError(f"released counts add up to {counts.sum():g}; give a sum of at most {LARGEST_TOTAL}")
    return int(counts[0]), int(counts[1])


def _independent(released: tuple[int, int], epsilon: float) -> Floats:
    total, far = sum(released), reach(epsilon)
    true = np.arange(total + far + 1)
    drawn = np.arange(total + 3 * far + 1)
    weights = drawn_given_true(true, drawn, epsilon)
    joint = weights @ multinomial(released, drawn, drawn) @ weights.T
    sums = np.arange(2 * len(true) - 1)
    size = drawn_given_true(sums, np.array([total]), epsilon)[:, 0]
    return joint * size[np.add.outer(true, true)]


def _summed(released: tuple[int, int], epsilon: float) -> Floats:
    total, far = sum(released), reach(epsilon)
    true = np.arange(total + far + 1)
    drawn = np.arange(total + 3 * far + 1)
    noisy = np.arange(-far, total + 2 * far + 1)
    given = drawn_given_noisy(noisy.clip(0), drawn, epsilon)
    likelihood = given @ multinomial(released, drawn, drawn) @ given.T
    one, other = _that_matter(likelihood, np.abs(np.add.outer(noisy, noisy) - total) <= 3 * far)
    likelihood, noisy_sum = likelihood[one, other], np.add.outer(noisy[one], noisy[other])
    first = noise(noisy[one] - true[:, None], epsilon)
    second = noise(noisy[other] - true[:, None], epsilon)
    true_totals = np.arange(max(total - far, 0), total + far + 1)
    size_chances = _size_chances(total, true_totals, epsilon)
    index = np.clip(noisy_sum - total + 3 * far + 1, 0, 6 * far + 2)
    table = np.zeros((len(true), len(true)))
    for true_total, chances in zip(true_totals.tolist(), size_chances, strict=True):
        counts = np.arange(max(int(noisy[one][0]) - far, 0), min(int(noisy[one][-1]) + far, true_total) + 1)
        weighted = first[counts] @ (likelihood * chances[index])
        table[counts, true_total - counts] = (weighted * second[true_total - counts]).sum(axis=1)
    return table


def _that_matter(likelihood: Floats, near: npt.NDArray[np.bool_]) -> tuple[slice, slice]:
    """Return the rows and columns whose likelihood is above NEGLIGIBLE of the largest, at noisy sums near the total."""
    likely = np.where(near, likelihood, 0.0)
    ends = []
    for axis in (1, 0):
        kept = np.flatnonzero(likely.max(axis=axis) > NEGLIGIBLE * likely.max())
        ends.append(slice(int(kept[0]), int(kept[-1]) + 1))
    return ends[0], ends[1]


def _size_chances(total: int, true_totals: Integers, epsilon: float) -> Floats:
    """Return T(total | true total, noisy sum), with a row for each true total.

    Columns are noisy sums within three reaches of the total. A column of zeros on each side stands for all others,
    which no noise leads to.
    """
    far = reach(epsilon)
    sums = np.arange(total - 3 * far, total + 3 * far + 1)
    noisy_totals = np.arange(total - 2 * far, total + 2 * far + 1)
    sizes = np.arange(max(total - 4 * far, 0), total + 4 * far + 1)
    probabilities = sum_of_noises(2, math.exp(-epsilon))
    logs = np.log(probabilities[len(probabilities) // 2 :])
    away = np.abs(sizes[:, None] - sums)
    beyond = np.maximum(away - len(logs) + 1, 0)
    by_sum = np.exp(logs[np.minimum(away, len(logs) - 1)] - epsilon * beyond)
    by_total = np.exp(-epsilon * np.abs(sizes - noisy_totals[:, None]))
    drawn = by_total[:, sizes == total] * by_sum[sizes == total] / (by_total @ by_sum)
    return np.pad(noise(noisy_totals - true_totals[:, None], epsilon) @ drawn, ((0, 0), (1, 1)))
