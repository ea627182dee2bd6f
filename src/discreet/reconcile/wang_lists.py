"""Make components and their total add up (Wang 2020, and least squares).

Noise is two-sided geometric, with ratio alpha = exp(-epsilon), on each of S components a_i and on the total n. One
person changes one component and the total, so the privacy spent is 2 epsilon. Reconciliation is post-processing and
spends none.

"1i"   A total is drawn from its posterior, P(N | n) ~ alpha**|N - n| on N >= 0. Proportions are drawn from the
       posteriors of the components in the same way. Then comes a multinomial draw.
"1c"   As "1i", with the posterior of the total given the noisy total and the noisy sum: P(N | n) times P_S(N - sum a).
       P_S is the distribution of the sum of S noises, a difference of two negative binomials (the paper's equation 6).
"2"    A multinomial draw of size n with the noisy proportions; negative components are replaced by 0.
"3"    The mode of that multinomial, in exact integers (`apportion.mode`).
"gls"  x = argmin over x >= 0 of sum (a_i - x_i)**2 + (n - sum x)**2. Let A be the sum of the m components that stay
       positive. Then x_i = max(0, a_i + t) with t = (n - A) / (m + 1). Integers: the sum of x is rounded, and every
       positive x is rounded down or up. All have the same remainder, so chance decides which go up.

The paper leaves two cases open. If no component is positive, the proportions are equal. A negative total counts as 0.
"""

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers, integers
from discreet.errors import InputError, ParameterError
from discreet.exact import Epsilon, Number
from discreet.reconcile import apportion, tie_breaking

Algorithm = Literal["gls", "1i", "1c", "2", "3"]
Ties = Literal["random", "first", "last", "paper"]

ROOM = 5_000_000
"""Most possible totals over all tables that are drawn at a time; bounds the memory of algorithm 1c."""

LONGEST = 2_000_000
"""Farthest value of the sum of the noises that algorithm 1c follows."""


def wang(
    components: npt.ArrayLike,
    total: npt.ArrayLike,
    *,
    epsilon: Number | None = None,
    algorithm: Algorithm = "gls",
    ties: Ties = "random",
    seed: int | None = None,
    alpha: Number | None = None,
) -> Integers:
    """Return non-negative integers that add up, from noisy components and their noisy total.

    Parameters
    ----------
    components
        Noisy integers: one table, or one table a row.
    total
        The noisy total, one a table.
    epsilon, alpha
        The epsilon, or alpha = exp(-epsilon), of the noise of one count. Algorithms "1i" and "1c" need one of them.
    algorithm
        "gls" (least squares), or Wang's "1i", "1c", "2", "3".
    ties
        Which of several components with an equal claim gets a unit, in "gls" and "3": "random", the "first", the
        "last". "paper" is for "3" only and computes the mode in floats, as the paper does. `infer.wang` needs to know
        the rule, and assumes "first".
    seed
        An integer from 0 for the draws and the random ties. None takes a fresh one.

    Returns
    -------
    numpy.ndarray
        int64, of the shape of `components`. The total of a table is its sum.

    Raises
    ------
    InputError
        Components or totals are not integers, or their shapes do not fit.
    ParameterError
        An option is not what it should be, or algorithm "1c" gets a total too far from the sum of the components.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.reconcile.wang([18, 20, -1], 40, seed=1).tolist()
    [18, 21, 0]
    >>> dc.reconcile.wang([18, 20, -1], 40, algorithm="3", ties="first").tolist()
    [19, 21, 0]
    """
    cells, totals, single = _tables(components, total)
    if algorithm not in get_args(Algorithm):
        raise ParameterError(f"algorithm is {algorithm!r}; choose from {', '.join(get_args(Algorithm))}")
    if ties not in get_args(Ties):
        raise ParameterError(f"ties is {ties!r}; choose from {', '.join(get_args(Ties))}")
    if ties == "paper" and algorithm != "3":
        raise ParameterError(f"ties is 'paper' with algorithm {algorithm!r}; ties='paper' is for algorithm '3' only")
    ratio = None if epsilon is None and alpha is None else float(Epsilon.of(epsilon, alpha).alpha)
    seed_key = tie_breaking.key(seed)
    if algorithm == "gls":
        result = _least_squares(cells, totals, _priority(cells, ties, seed_key))
    elif algorithm == "3":
        weights, seats = cells.clip(0), totals.clip(0)
        if ties == "paper":
            result = _paper_mode(weights, seats)
        else:
            result = apportion.mode(weights, seats, _priority(cells, ties, seed_key))
    elif algorithm == "2":
        result = _multinomial(totals.clip(0), cells.clip(0), np.random.default_rng(seed_key))
    else:
        if ratio is None:
            raise ParameterError(f"algorithm {algorithm!r} draws from posteriors; give epsilon (or alpha)")
        generator = np.random.default_rng(seed_key)
        if algorithm == "1i":
            sizes = _posterior_draw(totals, ratio, generator)
        else:
            sizes = _combined_total(cells, totals, ratio, generator)
        result = _multinomial(sizes, _posterior_draw(cells, ratio, generator), generator)
    return result[0] if single else result


def _tables(components: Any, total: Any) -> tuple[Integers, Integers, bool]:
    """Return components with one table a row, totals with one a table, and whether one table was given."""
    cells, totals = integers(components, "components"), integers(total, "total")
    single = cells.ndim == 1
    if cells.ndim not in (1, 2) or cells.shape[-1] == 0:
        raise InputError(f"components have the shape {cells.shape}; give one table, or one table a row")
    if totals.shape != cells.shape[:-1]:
        raise InputError(
            f"components have the shape {cells.shape} and total has {totals.shape}; give one total for each table"
        )
    return cells.reshape(-1, cells.shape[-1]), totals.reshape(-1), single


def _priority(cells: Integers, ties: str, seed_key: int) -> tie_breaking.Words:
    """Return the priority of each component among equals; the greater goes first.

    Random priorities are a hash of the rank of the component in its table, so the order of components does not matter.
    """
    width = cells.shape[1]
    if ties == "first":
        return np.broadcast_to(np.arange(width, 0, -1, dtype=np.uint64) << np.uint64(1), cells.shape)
    if ties == "last":
        return np.broadcast_to(np.arange(1, width + 1, dtype=np.uint64) << np.uint64(1), cells.shape)
    drawn = tie_breaking.priorities(seed_key, cells.size).reshape(cells.shape)
    priority = np.empty_like(drawn)
    np.put_along_axis(priority, np.argsort(cells, axis=1, kind="stable"), drawn, axis=1)
    return priority


def _least_squares(cells: Integers, totals: Integers, priority: tie_breaking.Words) -> Integers:
    """Return the rounded least-squares values, x_i = a_i + (n - A) / (m + 1) for the m largest components.

    All computations are in integers. A component is among the m largest if x_i > 0.
    """
    largest = max(int(np.abs(values).max(initial=0)) for values in (cells, totals))
    if largest * (cells.shape[1] + 1) > 2**61:
        raise InputError(
            f"{cells.shape[1]} components of up to {largest} are too large to add up; give counts in larger units"
        )
    descending = -np.sort(-cells, axis=1)
    sums = np.cumsum(descending, axis=1)
    ranks = np.arange(1, cells.shape[1] + 1)
    positive = descending * (ranks + 1) + totals[:, None] - sums > 0
    kept = positive.sum(axis=1)  # positive holds up to a rank and fails from there on
    sums = np.where(kept > 0, np.take_along_axis(sums, (kept - 1).clip(0)[:, None], axis=1)[:, 0], 0)
    shift, rest = np.divmod(totals - sums, kept + 1)
    whole: Integers = (cells + shift[:, None]).clip(0)
    stays = cells * (kept[:, None] + 1) + (totals - sums)[:, None] > 0
    share = kept * rest
    up = share // (kept + 1)
    twice = 2 * (share % (kept + 1))
    floor = whole.sum(axis=1)
    up += (twice > kept + 1) | ((twice == kept + 1) & ((floor + up) % 2 == 1))  # a half goes to the even total
    order = np.argsort(np.where(stays, ~priority >> np.uint64(1), np.uint64(2**64 - 1)), axis=1, kind="stable")
    np.put_along_axis(whole, order, np.take_along_axis(whole, order, axis=1) + (ranks <= up[:, None]), axis=1)
    return whole


def _paper_mode(weights: Integers, seats: Integers) -> Integers:
    """Return the mode as the paper computes it, in floats (Finucan); the first component wins ties.

    Start from floor((n + S/2) p_i), and add or remove units where the quotient of the rest is least.
    """
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1)
    positive = weights > 0
    exact = (seats + weights.shape[1] / 2)[:, None] * (weights / weights.sum(axis=1, keepdims=True))
    counts = np.floor(exact)
    rest = exact - counts
    missing = seats - counts.sum(axis=1)
    for step in (1, -1):
        while len(rows := np.flatnonzero(missing * step > 0)):
            row_counts, row_rest = counts[rows], rest[rows]
            with np.errstate(divide="ignore", invalid="ignore"):
                cost = (1 - row_rest) / (row_counts + 1) if step == 1 else row_rest / row_counts
            cost[~positive[rows] | ((step == -1) & (row_counts <= 0))] = np.inf
            chosen = np.argmin(cost, axis=1)
            counts[rows, chosen] += step
            rest[rows, chosen] -= step
            missing[rows] -= step
    result: Integers = counts.astype(np.int64)
    return result


def _multinomial(sizes: Integers, weights: Integers, generator: np.random.Generator) -> Integers:
    """Return a multinomial draw for each table, with probabilities in proportion to the weights."""
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1)
    shares = weights / weights.sum(axis=1, keepdims=True)
    drawn: Integers = generator.multinomial(sizes, shares).astype(np.int64)
    return drawn


def _posterior_draw(noisy: Integers, ratio: float, generator: np.random.Generator) -> Integers:
    """Return a draw of each true count given its noisy count: in proportion to ratio**|x - noisy| on x >= 0.

    From the noisy count on, the mass is 1 / (1 - ratio); below it, `below` times that.
    """
    room = noisy.clip(0)
    below = ratio * -np.expm1(room * np.log(ratio))
    down = generator.random(noisy.shape) * (1 + below) < below
    uniform = generator.random(noisy.shape)
    up = np.floor(np.log1p(-uniform) / np.log(ratio))
    under = 1 + np.floor(np.log1p(uniform * np.expm1(room * np.log(ratio))) / np.log(ratio))
    drawn: Integers = np.where(down, room - np.minimum(under, room), room + up).astype(np.int64)
    return drawn


def _combined_total(cells: Integers, totals: Integers, ratio: float, generator: np.random.Generator) -> Integers:
    """Return a draw of each true total given its noisy total and the noisy sum of its components.

    Probabilities are computed between the two, and beyond them down to exp(-40) of those there: beyond, they fall by
    the ratio or more at each step.
    """
    beyond = int(np.ceil(-40 / np.log(ratio)))
    sums = cells.sum(axis=1)
    lowest = (np.minimum(sums, totals) - beyond).clip(0)
    highest = np.maximum(sums, totals).clip(0) + beyond
    farthest = np.maximum(highest - sums, sums - lowest)
    if (reach := int(farthest.max(initial=0))) > LONGEST:
        worst = int(farthest.argmax())
        raise ParameterError(
            f"the total is {totals[worst]} and the components add up to {sums[worst]}: with noise that reaches {beyond}"
            f" the true total may be {reach} away from the sum, beyond {LONGEST}; use algorithm '1i' or 'gls'"
        )
    logs = _log_distribution(cells.shape[1], ratio, reach)
    uniform = generator.random(len(totals))
    drawn = np.empty_like(totals)
    widths = highest - lowest + 1
    order, first = np.argsort(-widths, kind="stable"), 0
    while first < len(order):
        width = int(widths[order[first]])
        tables = order[first : first + max(ROOM // width, 1)]
        bounds = np.stack([lowest - sums, totals - sums], axis=1)[tables]
        cases, case = np.unique(bounds, axis=0, return_inverse=True)  # few: the tables of a batch are much alike
        from_sum = cases[:, :1] + np.arange(width)
        weights = logs[np.minimum(np.abs(from_sum), len(logs) - 1)]
        weights += np.abs(from_sum - cases[:, 1:]) * np.log(ratio)
        edges = np.cumsum(np.exp(weights - weights.max(axis=1, keepdims=True)), axis=1)[case.ravel()]
        drawn[tables] = lowest[tables] + (edges <= uniform[tables, None] * edges[:, -1:]).sum(axis=1)
        first += len(tables)
    return drawn


def sum_of_noises(count: int, ratio: float) -> Floats:
    """Return the distribution of the sum of several two-sided geometric noises (Wang 2020, equation 6).

    Parameters
    ----------
    count
        The number of noises.
    ratio
        alpha = exp(-epsilon) of each noise.

    Returns
    -------
    numpy.ndarray
        Probabilities of -r, ..., r, with 0 in the middle and r far in the tail.
    """
    deviation = np.sqrt(2 * count * ratio) / (1 - ratio)
    reach = int(np.ceil(count * ratio / (1 - ratio) + 12 * deviation - 40 / np.log(ratio)))
    half = np.exp(_log_distribution(count, ratio, reach))
    distribution: Floats = np.concatenate([half[:0:-1], half]) / (2 * half.sum() - half[0])
    return distribution


def _log_distribution(count: int, ratio: float, farthest: int) -> Floats:
    """Return log P(k) / P(0), k = 0, 1, ..., `farthest`, of the sum of `count` noises.

    With a the ratio and S the count, the generating function gives

        (k + 1 - S) a P(k+1) = k (1 + a**2) P(k) - (k - 1 + S) a P(k-1).

    The recurrence runs downwards: errors in P(k+1) / P(k) shrink by more than its square at every step.
    """
    quotient = ratio
    quotients = [0.0] * (farthest + 1)
    for k in range(farthest + int(60 / -np.log(ratio)), 0, -1):
        quotient = ratio * (k - 1 + count) / (k * (1 + ratio * ratio) - ratio * (k + 1 - count) * quotient)
        if k <= farthest:
            quotients[k] = quotient
    quotients[0] = 1.0
    logs: Floats = np.cumsum(np.log(quotients))
    return logs
