"""What a plan should make small, in the publisher's words, and as a function of the variances of the groupings.

margins
    The mean over groupings of w_t var_t.
cells
    The mean over all published cells: every grouping counts by its number of cells, times w_t.
worst
    The largest w_t var_t. It is approached by the p-norm of all w_t var_t, with a rising p.

The weights w_t are 1 unless they are given. A grouping of weight 0 is published like the others, so a plan must
determine it; in the search its weight is `LEAST_WEIGHT` of the largest.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from discreet.arrays import Floats
from discreet.errors import ParameterError
from discreet.exact import is_integer
from discreet.plan.planner.workload import Workload

AIMS = ("margins", "cells", "worst")

LEAST_WEIGHT = 1e-6


class Target(NamedTuple):
    """An accuracy that a plan must reach.

    Attributes
    ----------
    grouping
        Index of the grouping.
    half_width
        The true count is within +-half_width of the least-squares estimate ...
    level
        ... with this probability, for example 0.95.
    """

    grouping: int
    half_width: float
    level: float


@dataclass(frozen=True)
class Aim:
    """What a plan makes small, and what it must reach.

    Parameters
    ----------
    name
        "margins" (mean variance of the groupings), "cells" (mean variance of all cells) or "worst" (the largest
        variance of a grouping).
    weights
        For every grouping a number of 0 or more that its variance is multiplied with. None: 1 for all.
    targets
        (index of a grouping, half width, level) for every grouping whose accuracy is given.
    no_worse_than_published
        True: no grouping gets a larger variance than by measuring all published groupings with one noise.

    Raises
    ------
    ParameterError
        The name is unknown, a weight is negative or not a number, all weights are 0, or a target is not one.

    Examples
    --------
    >>> from discreet.plan.planner import Aim
    >>> Aim("cells").weights is None
    True
    >>> Aim("margins", targets=[(2, 10, 0.95)]).targets[0].half_width
    10.0
    """

    name: str = "margins"
    weights: tuple[float, ...] | None = None
    targets: tuple[Target, ...] = ()
    no_worse_than_published: bool = False

    def __post_init__(self) -> None:
        if self.name not in AIMS:
            raise ParameterError(f"the aim is {self.name!r}; give one of {', '.join(AIMS)}")
        if self.weights is not None:
            object.__setattr__(self, "weights", _checked_weights(self.weights))
        object.__setattr__(self, "targets", tuple(_checked_target(target) for target in self.targets))

    def check(self, workload: Workload) -> None:
        """Raise ParameterError if weights or targets do not fit the groupings of a workload."""
        count = len(workload.groupings)
        if self.weights is not None and len(self.weights) != count:
            raise ParameterError(f"there are {len(self.weights)} weights; give one for each of {count} groupings")
        for target in self.targets:
            if target.grouping >= count:
                raise ParameterError(f"a target names grouping {target.grouping}; give an index below {count}")

    def emphasis(self, workload: Workload) -> Floats:
        """Return for every grouping the factor of its variance, with the mean or the largest factor at 1.

        The error of a plan is the sum of the factors times the variances; for "worst" it is the largest product.
        """
        weights = np.ones(len(workload.groupings)) if self.weights is None else np.array(self.weights)
        weights = np.maximum(weights / weights.max(), LEAST_WEIGHT)
        if self.name == "worst":
            return np.asarray(weights)
        if self.name == "cells":
            weights = weights * workload.cells
        return np.asarray(weights / weights.sum())

    def error(self, workload: Workload, variances: Floats) -> float:
        """Return what a plan makes small, as a variance: smaller is better."""
        products = self.emphasis(workload) * variances
        return float(products.max() if self.name == "worst" else products.sum())


def _checked_weights(weights: Sequence[Any]) -> tuple[float, ...]:
    try:
        numbers = tuple(float(weight) for weight in weights)
    except (TypeError, ValueError):
        raise ParameterError(f"weights are {weights!r:.60}; give one number of 0 or more for each grouping") from None
    for number, weight in enumerate(numbers):
        if not 0 <= weight < math.inf:
            raise ParameterError(f"the weight of grouping {number} is {weight}; give a finite number of 0 or more")
    if not any(numbers):
        raise ParameterError(f"all weights are 0: {numbers!r:.60}; give a weight above 0 to the groupings that matter")
    return numbers


def _checked_target(target: Any) -> Target:
    try:
        grouping, half_width, level = target
        checked = Target(int(grouping), float(half_width), float(level))
    except (TypeError, ValueError):
        raise ParameterError(f"a target is {target!r:.60}; give (index of a grouping, half width, level)") from None
    if not is_integer(grouping) or grouping < 0:
        raise ParameterError(f"a target names grouping {grouping!r:.60}; give its index, 0 or more")
    if not 0 < checked.half_width < math.inf:
        raise ParameterError(
            f"the target of grouping {grouping} has the half width {half_width!r:.60}; give a number above 0"
        )
    if not 0.5 <= checked.level <= 0.9999:
        raise ParameterError(
            f"the target of grouping {grouping} has level {level!r:.60}; give a number from 0.5 to 0.9999"
        )
    return checked
