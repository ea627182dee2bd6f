"""The step of a lattice of privacy losses.

The losses of noise proportional to exp(-gamma z**2) are odd multiples of gamma, those of geometric noise are plus and
minus epsilon: a lattice that holds them all loses nothing. Where there is such a step it is found by Euclid's
algorithm with a tolerance, and taken where the rest, spread to the two knots beside it, adds next to nothing to the
variance of the loss. Elsewhere the step is a small part of the composed standard deviation; joining by lines
errs only by the square of the step.
"""

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from discreet.arrays import Floats

WIDTH = 24.0
"""Standard deviations that a transform has to hold."""

POINTS = 1 << 17
"""Points for that width where the step is free, and up to eight times as many where it is given by the losses."""

KNOTS = 1 << 14
"""Knots up to the largest loss where the step is free, and up to four times as many where it is given."""

EXCESS = 1e-6
"""Share of the variance that a lattice may add where it is to count as holding the losses."""

MOST_LOSSES = 4096


class Curve(Protocol):
    """What the choice needs to know of a profile or a pair."""

    @property
    def largest(self) -> float:
        """The largest finite loss."""
        ...

    @property
    def variance(self) -> float:
        """Of the loss."""
        ...

    @property
    def losses(self) -> tuple[Floats, Floats]:
        """Losses above 0 and their masses."""
        ...


def choose(curves: Sequence[tuple[Curve, int]]) -> float:
    """A step for composing each curve so many times."""
    largest = max(curve.largest for curve, _ in curves)
    variance = math.fsum(times * curve.variance for curve, times in curves)
    free = max(WIDTH * math.sqrt(variance) / POINTS, largest / KNOTS)
    if free < 1e-12:
        return 1.0  # no output tells anything apart
    losses, masses = (np.concatenate(parts) for parts in zip(*(curve.losses for curve, _ in curves), strict=True))
    allowed = max(EXCESS, free**2 * sum(times for _, times in curves) / (6 * variance) if variance else EXCESS)
    step = natural(losses, masses, max(WIDTH * math.sqrt(variance) / POINTS / 8, largest / KNOTS / 4), allowed)
    return free if step is None else step


def natural(losses: Floats, masses: Floats, smallest: float, allowed: float) -> float | None:
    """A step, not below `smallest`, of which all losses are multiples but for `allowed` of their variance."""
    heavy = np.sort(losses[masses > 1e-6 * masses.max()]) if masses.size else masses
    heavy = heavy[np.diff(heavy, prepend=-np.inf) > 0]
    if not 0 < heavy.size <= MOST_LOSSES:
        return None
    step = 0.0
    for loss in heavy.tolist():
        step = _common(loss, step, max(smallest, 1e-3 * float(heavy[0])))
        if step < smallest:
            return None
    for _ in range(2):
        counts = np.maximum(np.rint(losses / step), 1)
        step = float((masses * counts * losses).sum() / (masses * counts**2).sum())
    rest = np.abs(losses / step - np.rint(losses / step))
    excess = float((masses * rest * (1 - rest)).sum()) * step**2
    return step if excess <= allowed * float((masses * losses**2).sum()) else None


def _common(one: float, other: float, tolerance: float) -> float:
    """The largest number of which both are multiples, to a tolerance."""
    while other > tolerance:
        one, other = other, abs(one - round(one / other) * other)
    return one
