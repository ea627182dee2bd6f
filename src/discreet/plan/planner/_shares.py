"""How a budget is best shared out among groupings, in real numbers. Nothing here is a proof.

One person is in `touches` cells of each measured grouping. What the person loses in all adds up, about (and the largest
loss counts if there are several kinds of person, such as women and men):

    geometric noise      sum of touches epsilon_g               precision cosh(epsilon_g) - 1
    noise of shape p     sum of touches (1 / sigma_g)^p         precision 1 / sigma_g^2

with p = 2 for bell-shaped noise, where the sum is mu^2 of Gaussian differential privacy. So a kind of noise is a
function from shares of one budget to precisions. For p = 2 the error of a plan is convex in the shares. Otherwise it is
not: many groupings get nothing and drop out, and which ones depends on the start. The search takes the logarithms of
shares as coordinates (softmax), many starts for kinds that are not convex, and L-BFGS (`_descent`). Slopes:

    d var_t / d lambda_s = - dim_s / (N_t lambda_s)^2,      d lambda_s / d tau_g = 1 / N_g      for s <= g.

Caps (largest variances that groupings may have) are met by an augmented Lagrangian in log(variance / cap).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.plan.planner._descent import minimise
from discreet.plan.planner.workload import Workload

SMALLEST_LOG = -40.0
"""Shares below e**-40 of the largest share count as that much."""

EXPONENTS = (8.0, 64.0, 512.0, 8192.0)
"""The p-norms that approach the largest variance, one after the other."""

MOST_STARTS = 96

MOST_WORK = 400_000
"""Starts times pairs (s, g) that are computed at a time."""

MOST_FINALISTS = 8
"""Starts that are followed to the end."""

ROUNDS = 10
"""Rounds of the augmented Lagrangian."""

SOFT, HARD = 4.0, 400.0
"""Stiffness of caps in the first rounds and in the last ones."""

NEARBY = 0.05
"""A start whose variances exceed caps by e to this power nearly keeps the caps."""

TOGETHER = 64.0
"""The exponent of the p-norm that stands for the largest loss of a kind of person, in the search."""

OUTSIDE = 1e-3
"""A plan whose variances exceed caps by e to this power counts as one that keeps the caps."""

IDLE = (0.02, 0.005, 1e-3, 1e-4, 1e-5, 1e-8)
"""Parts of the budget, relative to the mean of 16 noises, below which groupings are left out if that costs little."""

LOSS = 2e-4
"""A grouping drops out if the error grows by at most this share."""


@dataclass(frozen=True)
class Shape:
    """How a share of the budget becomes precision.

    Attributes
    ----------
    power
        p of noise in proportion to exp(-|x / s|^p), from 1 to 2.
    total
        The budget: epsilon for geometric noise. For other noise only ratios matter.
    """

    power: float
    total: float = 1.0

    @property
    def is_convex(self) -> bool:
        """True if the error of a plan is convex in the shares."""
        return self.power == 2

    def precision(self, share: Floats) -> tuple[Floats, Floats]:
        """Return the precision of a share, and its slope."""
        if self.power == 1:
            return 2 * np.sinh(share / 2) ** 2, np.sinh(share)
        exponent = 2 / self.power
        return share**exponent, exponent * share ** (exponent - 1)


@dataclass(frozen=True, eq=False)
class Goal:
    """What is minimised: the logarithm of the error, and penalties for groupings above their caps.

    Attributes
    ----------
    emphasis
        The factor of every variance.
    worst
        True: the largest product of factor and variance counts; False: the sum.
    caps
        The largest variance that each grouping may have; math.inf for any. None: no caps.
    exponent
        The p-norm that stands for the largest product.
    multipliers, stiffness
        Of the augmented Lagrangian, one row for every start.
    """

    emphasis: Floats
    worst: bool
    caps: Floats | None = None
    exponent: float = EXPONENTS[0]
    multipliers: Floats = field(default_factory=lambda: np.zeros((1, 1)))
    stiffness: Floats = field(default_factory=lambda: np.ones((1, 1)))

    def error(self, variances: Floats) -> Floats:
        """Return the error of every row of variances."""
        products = self.emphasis * variances
        return np.asarray(products.max(axis=-1) if self.worst else products.sum(axis=-1))

    def excess(self, variances: Floats) -> Floats:
        """Return the logarithm of the largest ratio of a variance and its cap, for every row; at least 0."""
        if self.caps is None:
            return np.zeros(variances.shape[:-1])
        return np.asarray(np.maximum(np.log(variances / self.caps).max(axis=-1), 0.0))

    def value(self, variances: Floats) -> tuple[Floats, Floats]:
        """Return what is minimised, and its slope by each variance."""
        products = self.emphasis * variances
        if self.worst:
            logs = self.exponent * np.log(products)
            top = logs.max(axis=-1, keepdims=True)
            powers = np.exp(logs - top)
            sums = powers.sum(axis=-1, keepdims=True)
            value = (top + np.log(sums))[..., 0] / self.exponent
            slope = powers / sums / variances
        else:
            sums = products.sum(axis=-1, keepdims=True)
            value, slope = np.log(sums)[..., 0], self.emphasis / sums
        if self.caps is not None:
            force = self.forces(variances)
            value = value + ((force**2 - self.multipliers**2) / (2 * self.stiffness)).sum(axis=-1)
            slope = slope + force / variances
        return value, slope

    def forces(self, variances: Floats) -> Floats:
        """Return by how much each cap pushes: the next multipliers."""
        assert self.caps is not None
        return np.maximum(0.0, self.multipliers + self.stiffness * np.log(variances / self.caps))


@dataclass(frozen=True)
class Split:
    """Shares of a budget: which groupings are measured, which of them have one noise, and how precise each noise is.

    Attributes
    ----------
    slots
        The groupings that are measured with each noise.
    precisions
        1 / variance of each noise, for the whole budget of the search.
    shares
        The share of each noise in the budget, for one touch.
    error
        What was minimised, as a variance.
    excess
        The logarithm of the largest ratio of a variance and its cap.
    """

    slots: tuple[tuple[int, ...], ...]
    precisions: Floats
    shares: Floats
    error: float
    excess: float


class Search:
    """Shares of a budget among slots: sets of groupings that have one noise.

    Parameters
    ----------
    workload
        What is published.
    slots
        The groupings of each slot. A grouping in no slot is not measured.
    shape
        How a share becomes precision.
    """

    def __init__(self, workload: Workload, slots: Sequence[tuple[int, ...]], shape: Shape) -> None:
        self.workload, self.slots, self.shape = workload, tuple(slots), shape
        self._members: Integers = np.array([grouping for slot in slots for grouping in slot])
        self._slot_of_member = np.repeat(np.arange(len(slots)), [len(slot) for slot in slots])
        self._starts = np.searchsorted(self._slot_of_member, np.arange(len(slots)))
        persons = np.array(workload.kinds_of_person, dtype=float)
        self._persons: Floats = np.add.reduceat(persons[:, self._members], self._starts, axis=1)
        self.costs: Floats = self._persons.max(axis=0)

    def tau(self, precisions: Floats) -> Floats:
        """Return the precision of every grouping from the precision of every slot, along the last axis."""
        tau = np.zeros((*precisions.shape[:-1], len(self.workload.groupings)))
        tau[..., self._members] = precisions[..., self._slot_of_member]
        return tau

    def shares(self, points: Floats) -> tuple[Floats, Floats]:
        """Return the part of the budget of every slot, and its share for one touch, of the largest possible shares."""
        parts = np.exp(np.maximum(points - points.max(axis=-1, keepdims=True), SMALLEST_LOG))
        parts /= self.loads(parts / self.costs).max(axis=-1, keepdims=True)
        return parts, self.shape.total * parts / self.costs

    def loads(self, shares: Floats) -> Floats:
        """Return what every kind of person loses, along the last axis."""
        return np.asarray(shares @ self._persons.T)

    def variances(self, points: Floats) -> Floats:
        """Return the variance of every grouping for every row of coordinates."""
        return self.workload.variances(self.tau(self.shape.precision(self.shares(points)[1])[0]))

    def _smooth_shares(self, points: Floats) -> tuple[Floats, Floats]:
        """Return shares for one touch that keep the budget by a p-norm, and the slope of the logarithm of the norm."""
        raw = np.exp(np.maximum(points - points.max(axis=-1, keepdims=True), SMALLEST_LOG)) / self.costs
        loads = self.loads(raw)
        top = loads.max(axis=-1, keepdims=True)
        norm = top * ((loads / top) ** TOGETHER).sum(axis=-1, keepdims=True) ** (1 / TOGETHER)
        slope = raw * (((loads / norm) ** (TOGETHER - 1)) @ self._persons) / norm
        return self.shape.total * raw / norm, slope

    def function(self, goal: Goal, points: Floats) -> tuple[Floats, Floats]:
        """Return what a goal minimises, and its slope, for every row of coordinates."""
        workload, spaces = self.workload, self.workload.spaces
        shares, slope_of_norm = self._smooth_shares(points)
        precisions, steepness = self.shape.precision(shares)
        inverse = 1 / workload.precisions(self.tau(precisions))
        variances = spaces.sum_below(spaces.dimensions * inverse) / workload.cells**2
        value, slope = goal.value(variances)
        above = spaces.sum_above(slope / workload.cells**2)
        by_grouping = -spaces.sum_below(spaces.dimensions * above * inverse**2) / workload.cells
        by_slot = np.add.reduceat(by_grouping[..., self._members], self._starts, axis=-1)
        by_share = by_slot * steepness * shares
        return value, by_share - by_share.sum(axis=-1, keepdims=True) * slope_of_norm

    def split(self, goal: Goal, points: Floats) -> Split:
        """Return the shares at one point."""
        _, shares = self.shares(points)
        variances = self.variances(points)
        precisions = self.shape.precision(shares)[0]
        return Split(self.slots, precisions, shares, float(goal.error(variances)), float(goal.excess(variances)))

    def descend(self, goal: Goal, starts: Floats, steps: int, exponents: Sequence[float] = EXPONENTS) -> Floats:
        """Return the points that the search reaches from some starts, the best first.

        For the largest variance the p-norm rises, and the worse starts are left behind each time.
        """
        points = starts
        for exponent in exponents if goal.worst else exponents[:1]:
            stage = replace(goal, exponent=exponent)
            points = (
                self._under_caps(stage, points, steps) if goal.caps is not None else self._free(stage, points, steps)
            )
            points = points[: max(3, len(points) // 4)]
        return points

    def _free(self, goal: Goal, points: Floats, steps: int) -> Floats:
        points, values = minimise(lambda rows: self.function(goal, rows), points, steps)
        return points[np.argsort(values, kind="stable")]

    def _under_caps(self, goal: Goal, points: Floats, steps: int) -> Floats:
        """Return points of an augmented Lagrangian. Caps are hard at once for starts that nearly keep them."""
        keeps = goal.excess(self.variances(points)) <= NEARBY
        goal = replace(
            goal,
            multipliers=np.zeros((len(points), len(goal.emphasis))),
            stiffness=np.where(keeps, HARD, SOFT)[:, None],
        )
        for _ in range(ROUNDS):
            points, _ = minimise(lambda rows, goal=goal: self.function(goal, rows), points, steps)  # type: ignore[misc]
            stiffness = np.minimum(goal.stiffness * 2, HARD)
            goal = replace(goal, multipliers=goal.forces(self.variances(points)), stiffness=stiffness)
        variances = self.variances(points)
        excess, error = goal.excess(variances), np.log(goal.error(variances))
        return points[np.argsort(error + 100 * np.maximum(excess - OUTSIDE, 0), kind="stable")]


def best_split(
    workload: Workload, slots: Sequence[tuple[int, ...]], shape: Shape, goal: Goal, hopeless: float = math.inf
) -> Split:
    """Return the best shares that the search finds, without the groupings that add next to nothing.

    Parameters
    ----------
    workload
        What is published.
    slots
        Sets of groupings that may be measured, each with one noise.
    shape
        How a share becomes precision.
    goal
        What is minimised.
    hopeless
        The search ends early if the error is still above this after its first steps.
    """
    search = Search(workload, slots, shape)
    starts = points = _starts(search)
    if not shape.is_convex:
        points = search.descend(replace(goal, caps=None), starts, 40)[:MOST_FINALISTS]
        first = search.split(goal, points[0])
        if first.error > hopeless:
            return first
    if goal.caps is not None:
        feasible = search.descend(Goal(1 / goal.caps, True), starts, 40)[:MOST_FINALISTS]
        points = np.concatenate([feasible, points])
    points = search.descend(goal, points, 200 if goal.caps is None else 60)
    return _without_idle_slots(search, goal, points[0])


def polished(split: Split, workload: Workload, slots: Sequence[tuple[int, ...]], shape: Shape, goal: Goal) -> Split:
    """Return the best shares near a split whose slots were put together into other slots."""
    share_of = {grouping: share for slot, share in zip(split.slots, split.shares, strict=True) for grouping in slot}
    search = Search(workload, slots, shape)
    most = np.max(workload.kinds_of_person, axis=0).tolist()
    parts = [sum(most[grouping] * share_of[grouping] for grouping in slot) for slot in slots]
    steps = 200 if goal.caps is None else 60
    points = search.descend(goal, np.log(np.array([parts])), steps, EXPONENTS[-2:])
    return search.split(goal, points[0])


def _starts(search: Search) -> Floats:
    """Return logarithms of shares to begin with: equal ones, the finest groupings alone, and random ones."""
    count = len(search.slots)
    cells = np.array([max(search.workload.cells[grouping] for grouping in slot) for slot in search.slots])
    simple = [np.zeros(count), np.log(search.costs), 0.5 * np.log(cells), -0.25 * np.log(cells)]
    if search.shape.is_convex:
        return np.array(simple[:3])
    generator = np.random.default_rng(16)
    pairs = len(search.workload.spaces.space_of_pair)
    most = max(8, min(MOST_STARTS, MOST_WORK // pairs)) - len(simple)
    random = [generator.normal(0, 1 + number % 3, count) for number in range(most)]
    return np.array([*simple, *random])


def _without_idle_slots(search: Search, goal: Goal, point: Floats) -> Split:
    """Return the shares without as many small ones as cost less than `LOSS` of the error."""
    best = search.split(goal, point)
    parts, _ = search.shares(point)
    for least in IDLE:
        kept = np.flatnonzero(parts >= least / max(1.0, len(parts) / 16))
        slots = [search.slots[number] for number in kept]
        measured = [grouping for slot in slots for grouping in slot]
        if len(kept) == len(parts) or not slots or search.workload.undetermined(measured):
            continue
        split = polished(best, search.workload, slots, search.shape, goal)
        if split.error <= best.error * (1 + LOSS) and split.excess <= max(best.excess, LOSS):
            return split
    return best
