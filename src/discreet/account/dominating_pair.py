"""A dominating pair on a lattice: two distributions that stand for a mechanism when it is composed.

A profile H is convex, falls from 1 at a = 0, and lies above 1 - a. Any function G >= H of that kind is the profile of
some pair of distributions (P, Q), and the pair can be composed in the mechanism's place, even if the next question
depends on the last answer (Zhu, Dong and Wang 2022). Here G is H at the knots a_i = e**(i step), joined by straight
lines in a (a line in epsilon would lie below H), and constant after the last knot. Then

    S_i = (H_i - H_{i+1}) / (a_{i+1} - a_i),      Q_i = S_{i-1} - S_i  (i > 0),      P_i = a_i Q_i,

the constant is P's mass on outputs that Q never has, and the rest lies at loss 0. Below 1, H(a) = 1 - a + a H(1/a)
makes the pair its own mirror image: P_{-i} = Q_i.

Rounding. The knots are the real numbers e**(i step). Slopes are rounded up and then made to fall, by the running
maximum from the right, so the line with these slopes lies above every value that it was made from. A difference of two
floats is right to the last bit, so each mass has a relative error, and is raised by that error. The composed delta
grows with every single mass. So masses that are too large give an upper bound, even if they sum to more than one.

The step. The losses of noise proportional to exp(-gamma z**2) are odd multiples of gamma. The losses of geometric noise
are plus and minus epsilon. A lattice that holds all losses adds nothing to delta. Euclid's algorithm with a tolerance
finds such a step. The step is taken if the losses beside the lattice, each spread to the two nearest knots, add next to
nothing to the variance of the loss. Otherwise the step is a small part of the composed standard deviation; the error of
interpolation by lines falls with the square of the step.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats

ULP = 2.0**-52

LARGEST_LOSS = 690.0
"""A ratio beyond e**690 counts as infinite."""

WIDTH = 24.0
"""Standard deviations of the loss that a transform has to hold."""

POINTS = 1 << 17
"""Points for that width if the step is free; up to eight times as many if the losses give the step."""

KNOTS = 1 << 14
"""Knots up to the largest loss if the step is free; up to four times as many if the losses give the step."""

EXCESS = 1e-6
"""Share of the variance that a lattice may add and still counts as holding the losses."""

BESIDE = 0.1
"""Mean of x (1 - x), x the distance of a loss from the lattice in steps, up to which a lattice holds the losses. Losses
that have nothing to do with a lattice have 1/6, however fine the lattice is."""

MOST_LOSSES = 4096


@dataclass(frozen=True, eq=False)
class Pair:
    """P on the losses step * (-n..n) and at infinity; Q's mass at a loss is P's times e**-loss.

    Attributes
    ----------
    step
        The distance between two losses.
    masses
        P's mass at every finite loss.
    infinite
        P's mass on outputs that Q never has.
    values
        The profile of the pair at the knots 0..n.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> pair = dc.account.profile(table).pair(0.25)
    >>> pair.reach, pair.largest >= 1
    (5, True)
    """

    step: float
    masses: Floats
    infinite: float
    values: Floats

    @classmethod
    def of(cls, step: float, bounds: Floats) -> "Pair":
        """Return a pair whose profile is at least bounds[i] at e**(i step), and constant after the last knot.

        Parameters
        ----------
        step
            The distance between two losses.
        bounds
            Upper bounds of the profile at the losses 0, step, 2 step, ...
        """
        x = step * np.arange(len(bounds))
        a, error = np.exp(x), (x + 8) * ULP
        gaps = a[:-1] * math.expm1(step)
        steepness = np.maximum(bounds[:-1] - bounds[1:], 0) / gaps * (1 + 2 * error[:-1])
        slopes = np.append(np.maximum.accumulate(steepness[::-1])[::-1], 0.0)
        q = slopes[:-1] - slopes[1:]
        p = a[1:] * q
        infinite = float(bounds[-1])
        values = infinite + np.append(np.cumsum((slopes[:-1] * gaps)[::-1])[::-1], 0.0)
        accounted = math.fsum((p * (1 - 2 * error[1:])).tolist()) + math.fsum(q.tolist())
        rest = max(0.0, 1 - (infinite + accounted) * (1 - 2 * ULP)) + ULP
        masses = np.concatenate([q[::-1] * (1 + ULP), [rest], p * (1 + 2 * error[1:])])
        return cls(step, masses, infinite, values * (1 + 2 * error + len(x) * ULP))

    def delta(self, epsilons: npt.ArrayLike) -> Floats:
        """Return the profile at every epsilon >= 0, rounded up."""
        return interpolate(self.step, self.values, np.asarray(epsilons, dtype=np.float64))

    @property
    def floor(self) -> float:
        """Delta never falls below this, however large epsilon is."""
        return self.infinite

    @property
    def reach(self) -> int:
        """The largest loss, in steps."""
        return len(self.masses) // 2

    @property
    def largest(self) -> float:
        """The largest finite loss."""
        return self.reach * self.step * (1 + ULP)

    @cached_property
    def total(self) -> float:
        """P's whole mass: 1 plus the rounding of all masses."""
        return (math.fsum(self.masses.tolist()) + self.infinite) * (1 + 2 * ULP)

    @cached_property
    def losses(self) -> tuple[Floats, Floats]:
        """Every finite loss > 0 and P's mass on it."""
        return np.asarray(self.step * np.arange(1, self.reach + 1)), self.masses[self.reach + 1 :]

    @cached_property
    def variance(self) -> float:
        """The variance of the finite loss."""
        x = self.step * np.arange(-self.reach, self.reach + 1)
        mean = float((self.masses * x).sum())
        return float((self.masses * (x - mean) ** 2).sum())

    def pair(self, step: float) -> "Pair":
        """Return a pair on another lattice, with a profile that is nowhere smaller."""
        if step == self.step:
            return self
        knots = min(int(self.largest / step) + 3, int(LARGEST_LOSS / step) + 1)
        return Pair.of(step, self.delta(step * np.arange(knots)))


def interpolate(step: float, values: Floats, epsilons: Floats, first: int = 0) -> Floats:
    """Return values at every epsilon, interpolated by lines in a = e**epsilon and constant beyond both ends.

    Every epsilon is lowered by its rounding error, so falling values give an upper bound.

    Parameters
    ----------
    step
        The knots are e**(i step).
    values
        The values at the knots i = first, first + 1, ...
    """
    farthest = abs(first * step) + len(values) * step + 1
    x = epsilons - (np.abs(epsilons) + farthest) * 4 * ULP - first * step
    index = np.clip(np.floor(x / step), 0, len(values) - 2).astype(np.int64)
    share = np.clip(np.expm1(np.clip(x - index * step, 0, step)) / math.expm1(step) * (1 - 8 * ULP), 0, 1)
    return np.asarray((values[index] * (1 - share) + values[index + 1] * share) * (1 + 4 * ULP))


class _Curve(Protocol):
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


def choose_step(curves: Sequence[tuple[_Curve, int]]) -> float:
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
    step = _natural_step(losses, masses, max(WIDTH * math.sqrt(variance) / POINTS / 8, largest / KNOTS / 4), allowed)
    return free if step is None else step


def _natural_step(losses: Floats, masses: Floats, smallest: float, allowed: float) -> float | None:
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
    beside = float((masses * offset * (1 - offset)).sum())
    holds = beside <= BESIDE * float(masses.sum())
    return step if holds and beside * step**2 <= allowed * float((masses * losses**2).sum()) else None


def _common(larger: float, smaller: float, tolerance: float) -> float:
    """Return the largest number of which both numbers are multiples, within a tolerance."""
    while smaller > tolerance:
        larger, smaller = smaller, abs(larger - round(larger / smaller) * smaller)
    return larger
