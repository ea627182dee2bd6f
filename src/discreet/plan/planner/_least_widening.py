"""The least noise whose composition meets a budget, in floats. Nothing here is a proof."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from discreet.account.composition import Curve, compose
from discreet.account.privacy_profile import DirectedPair, Profile
from discreet.arrays import Floats
from discreet.plan.planner._noise_kinds import Budget, Kind, Persons
from discreet.plan.planner.gaussian_bounds import mu_of

CLOSE = 2e-4
"""The search for a scale ends when its bounds are this close, relatively."""

NEAR = 2e-3
"""The search also ends where delta is this close to the delta of the budget, relatively."""

SEARCHED = 32
"""Contributions of the search if there are more."""

FARTHEST = 1e3
"""The search goes so far from its first guess, as a factor."""

ROUGH_INFLATION = 1e-4
"""Share of the variance of the loss that the lattice of the composition may add."""

UNITS_MISSED = 1.0
"""What stands for the logarithm of the excess of delta if the noises cost more units of a ledger than they may."""

MARGIN = 1 - 1e-9
"""Tables use no more than this share of delta, so that others, who sum in another order, come to no larger figure."""


def least_widening(
    kind: Kind, scales: Sequence[float], persons: Persons, end_delta: float, budget: Budget
) -> float | None:
    """Return the least factor of all scales whose composition meets the budget, in floats; None if none is found.

    All rows of a person are taken to be in one cell of each grouping. For noise with falling ratios this costs most.
    For many rows the search is for `SEARCHED` rows: noise that is k times as wide hides k times as many rows.
    """
    wider = max(budget.contributions / SEARCHED, 1.0)
    if wider > 1:
        scales, end_delta = [scale / wider for scale in scales], end_delta * wider
        budget = replace(budget, contributions=SEARCHED)

    def log_ratio(factor: float) -> float:
        profiles = []
        for scale in scales:
            logs = kind.logs(factor * scale, end_delta)
            if logs is None:
                return math.inf
            profiles.append(_profile(logs, budget.contributions))
        delta = 0.0
        for numbers in persons:
            curves = [(curve, cells) for curve, cells in zip(profiles, numbers, strict=True) if cells]
            together = compose(curves, step=lattice_step(curves, ROUGH_INFLATION))
            delta = max(delta, together.delta(budget.loss * (1 + 1e-9)))
            if budget.units is not None and not budget.units.dominate(together):
                return UNITS_MISSED
        return math.log(delta / float(budget.delta) / MARGIN) if delta > 0 else -math.inf

    return _crossing(log_ratio, _first_guess(kind, scales, persons, budget))


def _profile(half: Floats, rows: int) -> Profile:
    """Return the profile of noise with falling ratios, for counts that differ by a number of rows.

    Parameters
    ----------
    half
        The logarithms, up to a constant, of the probabilities of 0, 1, ...
    rows
        By how much counts differ.
    """
    logs = np.concatenate([half[:0:-1], half])
    logs = logs - math.log(math.fsum(np.exp(logs)))
    beyond = np.full(rows, -np.inf)
    p, q = np.append(beyond, logs)[::-1], np.append(logs, beyond)[::-1]  # the ratio p / q falls
    with np.errstate(over="ignore", invalid="ignore"):
        ratios = np.exp(p - q)
    kept = int(np.searchsorted(-ratios, -1.0, side="right"))
    p_sums, q_sums = (np.append(0.0, np.cumsum(np.exp(values[:kept]))) for values in (p, q))
    return Profile((DirectedPair(ratios[:kept], p_sums, q_sums, len(ratios)),))


def _first_guess(kind: Kind, scales: Sequence[float], persons: Persons, budget: Budget) -> float:
    """Return a factor with which the scales about meet the budget."""
    epsilon = float(budget.epsilon)
    if kind.power == 1:
        added = max(sum(cells / scale for cells, scale in zip(row, scales, strict=True)) for row in persons)
        return budget.contributions * added / epsilon
    squares = max(sum(cells / scale**2 for cells, scale in zip(row, scales, strict=True)) for row in persons)
    return budget.contributions * math.sqrt(squares) / mu_of(epsilon, float(budget.delta))


def _crossing(log_ratio: Callable[[float], float], guess: float) -> float | None:
    """Return the least factor at which a falling function is 0 or less, to `CLOSE`; None if there is none near.

    A guess that is nearly the least factor is returned as it is: for geometric noise it makes short numbers.
    """
    low = high = guess
    low_value = high_value = first_value = log_ratio(guess)
    stride = 1.004
    while low_value <= 0:
        if low < guess / FARTHEST:
            return low
        high, high_value = low, low_value
        low, stride = low / stride, min(stride**2, 2.0)
        low_value = log_ratio(low)
    while high_value > 0:
        if high > guess * FARTHEST:
            return None
        low, low_value = high, high_value
        high, stride = high * stride, min(stride**2, 2.0)
        high_value = log_ratio(high)
    while high > low * (1 + CLOSE) and high_value < -NEAR:
        finite = math.isfinite(low_value) and math.isfinite(high_value)
        share = min(max(low_value / (low_value - high_value), 0.1), 0.9) if finite else 0.5
        middle = low * (high / low) ** share
        value = log_ratio(middle)
        if value <= 0:
            high, high_value = middle, value
        else:
            low, low_value = middle, value
    return guess if first_value <= 0 and high > guess * (1 - 4 * CLOSE) else high


def lattice_step(curves: Sequence[tuple[Curve, int]], inflation: float) -> float:
    """Return a step of the lattice that adds a share to the variance of the loss."""
    variance = math.fsum(cells * curve.variance for curve, cells in curves)
    return math.sqrt(6 * inflation * variance / sum(cells for _, cells in curves))
