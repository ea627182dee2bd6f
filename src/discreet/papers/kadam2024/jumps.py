"""Curves with jumps: where they are, so that a picture shows a jump and no slope."""

from collections.abc import Callable

import numpy as np

from discreet.arrays import Floats
from discreet.domain import Cycle
from discreet.mechanism import Mechanism

HALVINGS = 14

ROUNDING = 1e-9
"""Epsilons that differ by less are one."""


def probabilistic_steps(mechanism: Mechanism, low: float, high: float) -> tuple[Floats, Floats]:
    """Return the probabilistic delta of a mechanism from one epsilon to another, as a step function.

    The delta changes only where epsilon passes the logarithm of a ratio between neighbours.

    Returns
    -------
    tuple
        Where each step begins, and its height. The last height is repeated at `high`.
    """
    losses = _losses(mechanism)
    begins = distinct(np.concatenate([[low], losses[(losses > low) & (losses < high)], [high]]))
    middles = (begins[:-1] + begins[1:]) / 2
    heights = np.array([mechanism.delta(float(epsilon), kind="pdp") for epsilon in middles])
    return begins, np.append(heights, heights[-1])


def distinct(values: Floats) -> Floats:
    """Return sorted values without those that differ from the one before by rounding alone."""
    ordered = np.sort(values)
    return np.asarray(ordered[np.append(True, np.diff(ordered) > ROUNDING)])


def _losses(mechanism: Mechanism) -> Floats:
    """Return the finite privacy losses of a mechanism on a range of counts, on a cycle, or with one noise for all."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if isinstance(mechanism.domain, Cycle):
            noise = mechanism.interior[0].values
            losses = np.concatenate([np.log(noise / np.roll(noise, -mu)) for mu in mechanism.neighbours])
        elif mechanism.domain.upper is None:
            losses = np.diff(np.log(mechanism.interior[0].values))
        else:
            losses = np.diff(np.log(mechanism.matrix()), axis=1).ravel()
    losses = np.abs(losses[np.isfinite(losses)])
    return np.asarray(losses)


def with_breaks(curve: Callable[[float], float], x: Floats, jump: float) -> tuple[Floats, Floats]:
    """Evaluate a curve, and break it where it jumps by more than `jump` between two x.

    A curve that jumps is far from the mean of both ends in the middle. The place of the jump is found by halving. A
    missing value (nan) stands there, between the two ends of the jump.
    """
    xs, ys = [float(x[0])], [curve(float(x[0]))]
    for right in map(float, x[1:]):
        low, first, high, second = xs[-1], ys[-1], right, curve(right)
        end = second
        for _ in range(HALVINGS):
            if abs(second - first) <= jump:
                break
            middle = (low + high) / 2
            value = curve(middle)
            if abs(value - (first + second) / 2) < abs(second - first) / 4:
                break
            if abs(value - first) < abs(value - second):
                low, first = middle, value
            else:
                high, second = middle, value
        else:
            xs += [low, (low + high) / 2, high]
            ys += [first, np.nan, second]
        xs.append(right)
        ys.append(end)
    return np.array(xs), np.array(ys)
