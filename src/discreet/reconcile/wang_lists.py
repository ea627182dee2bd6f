"""Components and their total, made to add up (Wang 2020, and least squares).

Noise is two-sided geometric, with ratio alpha = exp(-epsilon), on each of S components a_i and on the total n. One
person changes one component and the total, so the privacy spent is 2 epsilon. Everything here is post-processing, which
spends none.

"1i"   a total from its posterior, P(N | n) ~ alpha**|N - n| on N >= 0; proportions from the components' posteriors,
       drawn the same way; then a multinomial draw.
"1c"   the same with the total's posterior given the noisy total and the noisy sum: times P_S(N - sum a), P_S being the
       law of the sum of S noises (a difference of two negative binomials; the paper's equation 6).
"2"    a multinomial draw of size n with the noisy proportions, negative ones replaced by 0.
"3"    the mode of that multinomial, in exact integers (`apportion.mode`).
"gls"  x = argmin over x >= 0 of sum (a_i - x_i)**2 + (n - sum x)**2, that is x_i = max(0, a_i + t) with
       t = (n - A) / (m + 1), A the sum of the m components that stay positive. Integers: the sum of x rounded, every
       positive x rounded down or up; they share one remainder, so chance decides who goes up.

Not defined in the paper: where no component is positive the proportions are equal, and a negative total counts as 0.
"""

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.errors import InputError, ParameterError
from discreet.exact import Epsilon, Number
from discreet.reconcile import apportion, inputs, tie_breaking

Algorithm = Literal["gls", "1i", "1c", "2", "3"]
Ties = Literal["random", "first", "last", "paper"]

ROOM = 5_000_000
"""Possible totals, over all tables that are drawn at a time: bounds the memory of algorithm 1c."""

LONGEST = 2_000_000
"""Farthest that the sum of the noises is followed for algorithm 1c."""


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
    """Non-negative integers that add up, from noisy components and their noisy total.

    Parameters
    ----------
    components
        Noisy integers: one table, or one table a row.
    total
        The noisy total, one a table.
    epsilon, alpha
        Of the noise of one count; algorithms 1i and 1c draw from posteriors and need one of them.
    algorithm
        "gls" (least squares), or Wang's "1i", "1c", "2", "3".
    ties
        Who gets a unit that several have an equal claim to, in "gls" and "3": "random", the "first", the "last", or for
        "3" as in the "paper", which computes the mode in floats. `infer.wang` needs to know it, and assumes "first".
    seed
        Of the draws and the random ties; None takes a fresh one.

    Returns
    -------
    int64 array of the shape of `components`; a table's total is its sum.
    """
    cells, totals, single = _tables(components, total)
    if algorithm not in get_args(Algorithm):
        raise ParameterError(f"algorithm is {algorithm!r}; choose from {', '.join(get_args(Algorithm))}")
    if ties not in get_args(Ties):
        raise ParameterError(f"ties is {ties!r}; choose from {', '.join(get_args(Ties))}")
    if ties == "paper" and algorithm != "3":
        raise ParameterError(f"ties is 'paper' with algorithm {algorithm!r}; the paper's rule belongs to '3'")
    ratio = None if epsilon is None and alpha is None else float(Epsilon.of(epsilon, alpha).alpha)
    key = tie_breaking.key(seed)
    if algorithm == "gls":
        result = _least_squares(cells, totals, _priority(cells, ties, key))
    elif algorithm == "3":
        weights, seats = cells.clip(0), totals.clip(0)
        paper = ties == "paper"
        result = _finucan(weights, seats) if paper else apportion.mode(weights, seats, _priority(cells, ties, key))
    elif algorithm == "2":
        result = _multinomial(totals.clip(0), cells.clip(0), np.random.default_rng(key))
    else:
        if ratio is None:
            raise ParameterError(f"algorithm {algorithm!r} draws from posteriors; give epsilon (or alpha)")
        generator = np.random.default_rng(key)
        draw = _own_total if algorithm == "1i" else _combined_total
        size = draw(cells, totals, ratio, generator)
        result = _multinomial(size, _posterior_draw(cells, ratio, generator), generator)
    return result[0] if single else result


def _tables(components: Any, total: Any) -> tuple[Integers, Integers, bool]:
    cells, totals = inputs.integers(components, "components"), inputs.integers(total, "total")
    single = cells.ndim == 1
    if cells.ndim not in (1, 2) or cells.shape[-1] == 0:
        raise InputError(f"components have the shape {cells.shape}; give one table, or one table a row")
    if totals.shape != cells.shape[:-1]:
        raise InputError(
            f"components have the shape {cells.shape} and total has {totals.shape}; give one total for each table"
        )
    return cells.reshape(-1, cells.shape[-1]), totals.reshape(-1), single


def _priority(cells: Integers, ties: str, key: int) -> tie_breaking.Words:
    """Who goes first among equals. At random: by a hash of the place of its value among those of its table."""
    width = cells.shape[1]
    if ties == "first":
        return np.broadcast_to(np.arange(width, 0, -1, dtype=np.uint64) << np.uint64(1), cells.shape)
    if ties == "last":
        return np.broadcast_to(np.arange(1, width + 1, dtype=np.uint64) << np.uint64(1), cells.shape)
    drawn = tie_breaking.priorities(key, cells.size).reshape(cells.shape)
    priority = np.empty_like(drawn)
    np.put_along_axis(priority, np.argsort(cells, axis=1, kind="stable"), drawn, axis=1)
    return priority


def _least_squares(cells: Integers, totals: Integers, priority: tie_breaking.Words) -> Integers:
    """All in integers: x_i = a_i + (n - A) / (m + 1) for the m largest components."""
    largest = max(int(np.abs(values).max(initial=0)) for values in (cells, totals))
    if largest * (cells.shape[1] + 1) > 2**61:
        raise InputError(
            f"{cells.shape[1]} components of up to {largest} are too large to add up; give counts in larger units"
        )
    descending = -np.sort(-cells, axis=1)
    sums = np.cumsum(descending, axis=1)
    ranks = np.arange(1, cells.shape[1] + 1)
    positive = descending * (ranks + 1) + totals[:, None] - sums > 0
    kept = positive.sum(axis=1)  # the condition holds up to a rank and fails from there on
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


def _finucan(weights: Integers, seats: Integers) -> Integers:
    """The paper's float computation of the mode, first minimum in the order of the components."""
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1)
    positive = weights > 0
    exact = (seats + weights.shape[1] / 2)[:, None] * (weights / weights.sum(axis=1, keepdims=True))
    given = np.floor(exact)
    rest = exact - given
    missing = seats - given.sum(axis=1)
    for step in (1, -1):
        while len(rows := np.flatnonzero(missing * step > 0)):
            have, part = given[rows], rest[rows]
            with np.errstate(divide="ignore", invalid="ignore"):
                cost = (1 - part) / (have + 1) if step == 1 else part / have
            cost[~positive[rows] | ((step == -1) & (have <= 0))] = np.inf
            chosen = np.argmin(cost, axis=1)
            given[rows, chosen] += step
            rest[rows, chosen] -= step
            missing[rows] -= step
    result: Integers = given.astype(np.int64)
    return result


def _multinomial(size: Integers, weights: Integers, generator: np.random.Generator) -> Integers:
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1)
    shares = weights / weights.sum(axis=1, keepdims=True)
    drawn: Integers = generator.multinomial(size, shares).astype(np.int64)
    return drawn


def _posterior_draw(noisy: Integers, ratio: float, generator: np.random.Generator) -> Integers:
    """True counts given noisy ones: in proportion to ratio**|x - noisy| on x >= 0."""
    room = noisy.clip(0)
    below = ratio * -np.expm1(room * np.log(ratio))  # mass under the noisy value, that from it on being 1
    down = generator.random(noisy.shape) * (1 + below) < below
    uniform = generator.random(noisy.shape)
    up = np.floor(np.log1p(-uniform) / np.log(ratio))
    under = 1 + np.floor(np.log1p(uniform * np.expm1(room * np.log(ratio))) / np.log(ratio))
    drawn: Integers = np.where(down, room - np.minimum(under, room), room + up).astype(np.int64)
    return drawn


def _own_total(cells: Integers, totals: Integers, ratio: float, generator: np.random.Generator) -> Integers:
    return _posterior_draw(totals, ratio, generator)


def _combined_total(cells: Integers, totals: Integers, ratio: float, generator: np.random.Generator) -> Integers:
    """True totals given noisy totals and noisy sums.

    Their chances are followed between the two, and beyond them, where they fall by the ratio or more, until exp(-40).
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
    logs = _log_law(cells.shape[1], ratio, reach)
    uniform = generator.random(len(totals))
    drawn = np.empty_like(totals)
    widths = highest - lowest + 1
    order, first = np.argsort(-widths, kind="stable"), 0
    while first < len(order):
        width = int(widths[order[first]])
        part = order[first : first + max(ROOM // width, 1)]
        support = lowest[part, None] + np.arange(width)
        away = np.abs(support - sums[part, None])
        weights = logs[np.minimum(away, len(logs) - 1)]
        weights += np.abs(support - totals[part, None]) * np.log(ratio)
        edges = np.cumsum(np.exp(weights - weights.max(axis=1, keepdims=True)), axis=1)
        drawn[part] = lowest[part] + (edges <= uniform[part, None] * edges[:, -1:]).sum(axis=1)
        first += len(part)
    return drawn


def sum_of_noises(count: int, ratio: float) -> Floats:
    """The law of the sum of `count` two-sided geometric noises, centred (Wang 2020, equation 6)."""
    spread = np.sqrt(2 * count * ratio) / (1 - ratio)
    reach = int(np.ceil(count * ratio / (1 - ratio) + 12 * spread - 40 / np.log(ratio)))
    half = np.exp(_log_law(count, ratio, reach))
    law: Floats = np.concatenate([half[:0:-1], half]) / (2 * half.sum() - half[0])
    return law


def _log_law(count: int, ratio: float, farthest: int) -> Floats:
    """log P(k) / P(0) of the sum of so many noises, k from 0 on.

    Its generating function gives (k + 1 - S) a P(k+1) = k (1 + a**2) P(k) - (k - 1 + S) a P(k-1), a being the ratio;
    downwards, errors in P(k+1) / P(k) shrink by more than its square at every step.
    """
    step = ratio
    steps = [0.0] * (farthest + 1)
    for k in range(farthest + int(60 / -np.log(ratio)), 0, -1):
        step = ratio * (k - 1 + count) / (k * (1 + ratio * ratio) - ratio * (k + 1 - count) * step)
        if k <= farthest:
            steps[k] = step
    steps[0] = 1.0
    logs: Floats = np.cumsum(np.log(steps))
    return logs
