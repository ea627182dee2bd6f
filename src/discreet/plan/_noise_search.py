"""The search for the least noise of a family of designs that meets a budget, in floats. Nothing here is a proof.

Every family has a scale. The search halves the interval between a scale that is not enough and one that is. For many
contributions it runs with `SEARCHED` of them: noise that is k times as wide hides k times as many rows.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from discreet.account.composition import MOST_PARTITIONED, Composition, compose
from discreet.account.group_privacy import group_profile
from discreet.account.privacy_profile import profile
from discreet.certify.ptable import PTable
from discreet.domain import Cycle
from discreet.errors import DiscreetError
from discreet.exact import Epsilon, exact
from discreet.mechanism import Mechanism
from discreet.plan._noise_families import SHARES, Family, Make, between

CLOSE = 1.002
"""Ratio of the bounds between which the search for a scale ends."""

SMALLEST_SCALE, LARGEST_SCALE = 1e-2, 2e3
"""Standard deviations between which the search for noise goes."""

SEARCHED = 32
"""Contributions of the search if there are more."""

ROUGH = 64
"""Steps of a coarse lattice in one standard deviation of the loss in a grouping."""

COARSE = 256
"""Steps of a coarse lattice in one standard deviation of the loss in all groupings. It adds about 1e-3 of delta."""

ENDS = {"geometric": 1.0, "gaussian": 2.0}
"""The shapes of two families."""

GAIN = 0.99
"""Noise between geometric and Gaussian noise is advised if its variance is below this share of both of theirs."""

LEVELS = 4
"""Times that the step between shapes is halved: shapes are multiples of 1/16."""

STRIDE = 1.1
"""Ratio of the scales that are tried first, beside a scale that is about right."""

FARTHEST = 10.0
"""Scale, in units of sqrt(cells) * contributions / epsilon, at which a bell loses less than 1e-20 of delta in all."""


@dataclass(frozen=True)
class TotalBudget:
    """The most that one person may lose in all.

    Attributes
    ----------
    epsilon, delta
        The budget.
    cells
        Number of cells that one person touches.
    contributions
        Most rows of one person in each grouping.
    """

    epsilon: Epsilon
    delta: Fraction
    cells: int
    contributions: int

    def met(self, composed: Composition) -> bool:
        """Return True if the upper bound of a composition is within the budget."""
        return Fraction(composed.delta(float(self.epsilon) * (1 - 2.0**-50))) <= self.delta

    def met_by(self, ptable: PTable) -> bool:
        """Return True if a certified table is within the budget, by a sum over cells in fractions or by composition."""
        if self.epsilon.exponent is not None and (self.contributions == 1 or ptable.guarantee.delta == 0):
            cell_delta = ptable.delta(self.epsilon.exponent / (self.cells * self.contributions))
            if self.cells * cell_delta <= self.delta and (self.contributions == 1 or cell_delta == 0):
                return True
        return self.met(composed(self, ptable))

    def nearly(self, mechanism: Mechanism | PTable, coarse: bool = False) -> bool:
        """Return True if the budget is met with all rows of a person in one cell, and with all in different cells.

        This is a quick check, not a proof. For many rows it is group privacy, on a coarse lattice.
        """
        if self.contributions > MOST_PARTITIONED:
            grouping = group_profile(mechanism, self.contributions)
            return self.met(compose(grouping, self.cells, step=math.sqrt(grouping.variance) / ROUGH or None))
        curves = [(profile(mechanism), self.cells)]
        if self.contributions > 1:
            same_cell, different_cells = profile(mechanism, self.contributions), profile(mechanism, 1)
            curves = [(same_cell, self.cells), (different_cells, self.cells * self.contributions)]
        return all(
            self.met(compose(curve, cells, step=(coarse and math.sqrt(cells * curve.variance) / COARSE) or None))
            for curve, cells in curves
        )


@lru_cache(maxsize=2)
def composed(budget: TotalBudget, ptable: PTable) -> Composition:
    """Return the composition of a table over all cells."""
    return compose(ptable, budget.cells, contributions=None if budget.contributions == 1 else budget.contributions)


class Found(NamedTuple):
    """The least noise of a family that meets a budget, by the search.

    Attributes
    ----------
    noisiness
        The mean squared error, at the contributions of the search.
    scale
        The scale.
    end_delta
        The delta that the end of the noise costs in one cell.
    """

    noisiness: float
    scale: float
    end_delta: float


def found_scales(family: Family, budget: TotalBudget, near: float | None = None) -> list[Found]:
    """Return the least noise for each share of delta that the end may take, the best first.

    Parameters
    ----------
    near
        About the scale. None: it is not known.
    """
    searched = replace(budget, contributions=min(budget.contributions, SEARCHED))
    wider = budget.contributions / searched.contributions
    scales = []
    for share in family.shares or (1.0,):
        end_delta = share * float(budget.delta) / (budget.cells * searched.contributions)
        scale = _least_scale(family.roughly, not family.shares, family.coarse, end_delta, searched, near)
        if scale is not None:
            noisiness = mean_error(family.roughly(scale, end_delta))
            scales.append(Found(noisiness, scale * wider, end_delta / wider))
    return sorted(scales)


def best_between(candidates: Sequence[tuple[Family, list[Found]]], budget: TotalBudget) -> tuple[Family, list[Found]]:
    """Return the family of noise between geometric and Gaussian noise that has the least noise, and its scale.

    The noise falls and then rises with the shape. So ever closer neighbours of the best shape are tried. Return no
    scale if geometric or Gaussian noise is better, or nearly as good.

    Parameters
    ----------
    candidates
        The families at the ends, geometric and Gaussian, with their scales.
    """
    noisiness = {1.0: math.inf, 2.0: math.inf}
    for family, family_scales in candidates:
        if family_scales and family.name in ENDS:
            noisiness[ENDS[family.name]] = family_scales[0].noisiness
    scales: dict[float, list[Found]] = {}
    for level in range(1, LEVELS + 1):
        best = min(noisiness, key=lambda shape: noisiness[shape])
        near = math.sqrt(noisiness[best])
        for shape in (best - 0.5**level, best + 0.5**level):
            if 1 < shape < 2 and shape not in noisiness:
                scales[shape] = found_scales(between(shape), budget, near if math.isfinite(near) else None)
                noisiness[shape] = scales[shape][0].noisiness if scales[shape] else math.inf
    best = min(noisiness, key=lambda shape: noisiness[shape])
    is_better = noisiness[best] < GAIN * min(noisiness[1.0], noisiness[2.0])
    return between(best), scales[best] if is_better else []


@lru_cache(maxsize=len(SHARES))  # two families have the same bell
def _least_scale(
    roughly: Make, pure: bool, coarse: bool, end_delta: float, budget: TotalBudget, near: float | None
) -> float | None:
    """Return the smallest scale, to a fifth of a percent, whose composition meets the budget; None if there is none."""

    def enough(scale: float) -> bool:
        try:
            mechanism = roughly(scale, end_delta)
        except DiscreetError:
            return False
        if pure and _sum_is_within(mechanism, budget):
            return True
        return budget.delta > 0 and budget.nearly(mechanism, coarse)

    first_scale = budget.contributions / float(budget.epsilon)
    sum_scale = budget.cells * first_scale  # the sum of epsilons over cells meets the budget
    bell_scale = FARTHEST * math.sqrt(budget.cells) * first_scale
    largest = min(max(sum_scale, bell_scale), LARGEST_SCALE)
    bracket = _bracket(enough, first_scale, largest, 2.0) if near is None else _bracket(enough, near, largest, STRIDE)
    if bracket is None:
        return None
    low, high = bracket
    while high > CLOSE * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return sum_scale if low < sum_scale < high and enough(sum_scale) else high


def _bracket(
    enough: Callable[[float], bool], scale: float, largest: float, stride: float
) -> tuple[float, float] | None:
    """Return a scale that is not enough and one that is, a factor `stride` apart at most; None if none is enough."""
    if enough(scale):
        low, high = scale / stride, scale
        while enough(low) and high > SMALLEST_SCALE:
            low, high = low / stride, low
        return low, high
    while scale < largest:
        low, scale = scale, min(stride * scale, largest)
        if enough(scale):
            return low, scale
    return None


def _sum_is_within(mechanism: Mechanism, budget: TotalBudget) -> bool:
    """Return True if the sum of the epsilons of a pure design, over all rows and cells, is within the budget."""
    epsilon = exact(mechanism.design["epsilon"], "epsilon")
    total = epsilon * budget.cells * budget.contributions
    return budget.epsilon.exponent is not None and total <= budget.epsilon.exponent


def mean_error(mechanism: Mechanism) -> float:
    """Return the mean squared error over the true counts; on a cycle the error rate."""
    if isinstance(mechanism.domain, Cycle):
        return mechanism.loss("L0", aggregate="max")  # the error rate, not rescaled
    return mechanism.loss("L2")
