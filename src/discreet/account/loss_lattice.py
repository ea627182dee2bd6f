"""Choose the step of a lattice of privacy losses.

The losses of noise proportional to exp(-gamma z**2) are odd multiples of gamma. The losses of geometric noise are plus
and minus epsilon. A lattice that holds all losses adds nothing to delta. Euclid's algorithm with a tolerance finds such
a step. The step is taken if the losses beside the lattice, each spread to the two nearest knots, add next to nothing to
the variance of the loss. Otherwise the step is a small part of the composed standard deviation; the error of
interpolation by lines falls with the square of the step.
"""

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from discreet.arrays import Floats

WIDTH = 24.0
"""Standard deviations of the loss that a transform has to hold."""

POINTS = 1 << 17
"""Points for that width if the step is free; up to eight times as many if the losses give the step."""

KNOTS = 1 << 14
"""Knots up to the largest loss if the step is free; up to four times as many if the losses give the step."""

EXCESS = 1e-6
"""Share of the variance that a lattice may add and still counts as holding the losses."""

MOST_LOSSES = 4096


class Curve(Protocol):
    """The figures of a profile or a pair that the choice depends on."""

    @property
    def largest(self) -> float:
        """The largest finite loss."""
        ...

    @property
    def variance(self) -> float:
        """The variance of the loss."""
        ...

    @property
    def losses(self) -> tuple[Floats, Floats]:
        """Losses above 0 and their masses."""
        ...


def choose(curves: Sequence[tuple[Curve, int]]) -> float:
    """Return a step for composing curves.

    Parameters
    ----------
    curves
        Every curve, and how many times it is used.
    """
    largest = max(curve.largest for curve, _ in curves)
    variance = math.fsum(times * curve.variance for curve, times in curves)
    free = max(WIDTH * math.sqrt(variance) / POINTS, largest / KNOTS)
    if free < 1e-12:
        return 1.0  # no output reveals anything
    losses, masses = (np.concatenate(parts) for parts in zip(*(curve.losses for curve, _ in curves), strict=True))
    allowed = max(EXCESS, free**2 * sum(times for _, times in curves) / (6 * variance) if variance else EXCESS)
    step = natural(losses, masses, max(WIDTH * math.sqrt(variance) / POINTS / 8, largest / KNOTS / 4), allowed)
    return free if step is None else step


def natural(losses: Floats, masses: Floats, smallest: float, allowed: float) -> float | None:
    """Return a step that holds all losses; None if there is none.

    Parameters
    ----------
    losses, masses
        The losses above 0, and the mass on each.
    smallest
        The step is not below this.
    allowed
        The share of the variance that the lattice may add.
    """
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
    offset = np.abs(losses / step - np.rint(losses / step))
    excess = float((masses * offset * (1 - offset)).sum()) * step**2
    return step if excess <= allowed * float((masses * losses**2).sum()) else None


def _common(larger: float, smaller: float, tolerance: float) -> float:
    """Return the largest number of which both numbers are multiples, within a tolerance."""
    while smaller > tolerance:
        larger, smaller = smaller, abs(larger - round(larger / smaller) * smaller)
    return larger
