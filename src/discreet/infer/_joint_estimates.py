"""What all measurements of a release together tell about counts, sums, changes and shares.

Estimates are least squares without bounds, and the law of their errors is known (`publish.joint_intervals`). So the
interval of a count, a sum or a change holds the truth with a chance of at least the level, whatever the truth is.

**Sums.** A sum of cells is estimated by the sum of their estimates. Their errors are not independent. The coefficients
of the measurements in the sum give its law.

**Changes.** The measurements of two versions of the data are independent, so the laws of both sums are combined.

**Shares.** The share r of a part p in a whole w makes p - r w equal to 0. The law of the error of the estimate of
p - r w is known for every r. So the interval has the r at which this estimate is one that errors explain (Fieller).

**Posteriors.** Mean and most likely count are those of the law times a flat prior on counts. The law is discrete;
normal noise of standard deviation `SMOOTHING` is added to the error, so that the posterior is a smooth one.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.certify.ptable import PTable
from discreet.exact import Number, exact
from discreet.infer._select_cells import SelectedCells
from discreet.infer.posterior_value import Estimated, Posterior
from discreet.infer.ratios import Estimate
from discreet.plan.planner import ErrorLaw, interval_around, law_of_terms
from discreet.publish.joint_intervals import JointIntervals, joint_intervals
from discreet.publish.verify_folder import MeasuredFolder
from discreet.reconcile.dense_estimates import Terms
from discreet.reconcile.table_plan import Measurements, make_table_plan

SMOOTHING = 0.25
"""Standard deviation of the normal noise that is added to the law of a posterior."""

REACH = 9.0
"""Posteriors have the counts within so many standard deviations of the estimate."""

ROUNDS = 40
"""Most rounds of the search for an end of the interval of a share."""

STILL = 1e-9
"""The search ends when an end moves by less than this."""


@dataclass(frozen=True)
class JointSum:
    """The least-squares estimate of a sum of cells.

    Attributes
    ----------
    value
        The estimate.
    ptables
        The tables of noise.
    terms
        Their numbers, each with the coefficients of measured cells.
    """

    value: float
    ptables: tuple[PTable, ...]
    terms: Terms

    def law(self) -> ErrorLaw:
        """Return the law of the error."""
        return law_of_terms(self._weighted(1.0))

    def posterior(self) -> Posterior:
        """Return the posterior of the sum."""
        return law_posterior(self.value, self.law(), is_count=True)

    def change(self, before: "JointSum") -> Posterior:
        """Return the posterior of the change since an earlier version of the data."""
        law = law_of_terms([*self._weighted(1.0), *before._weighted(-1.0)])
        return law_posterior(self.value - before.value, law, is_count=False)

    def share(self, whole: "JointSum", level: Number) -> Estimate | None:
        """Return the share of this sum in another; None if noise explains that the other is 0 or near it.

        Parameters
        ----------
        whole
            The estimate of a sum that holds this one, of the same release.
        level
            The least chance, from 0.5 to 0.9999, that the interval holds the share.
        """
        inside = float(exact(level, "level"))
        lower, upper = whole.law().ends(inside)
        if whole.value <= 2 * max(-lower, upper):
            return None
        low, high = (self._end(whole, inside, side) for side in (1, 0))
        if low is None or high is None:
            return None
        mean = min(max(self.value / whole.value, 0.0), 1.0)
        return Estimate(mean, min(max(low, 0.0), mean), max(min(high, 1.0), mean), inside, 0.0, None)

    def _end(self, whole: "JointSum", level: float, side: int) -> float | None:
        """Return the share at which errors just explain the estimates; None if the search does not end."""
        share = min(max(self.value / whole.value, 0.0), 1.0)
        for _ in range(ROUNDS):
            terms = [
                (self.ptables[table], own - share * other, None)
                for (table, own), (_, other) in zip(self.terms, whole.terms, strict=True)
            ]
            last, share = share, (self.value - law_of_terms(terms).ends(level)[side]) / whole.value
            share = min(max(share, 0.0), 1.0)
            if abs(share - last) < STILL:
                return share + (-STILL if side else STILL)
        return None

    def _weighted(self, sign: float) -> list[tuple[PTable, Floats, None]]:
        return [(self.ptables[table], sign * values, None) for table, values in self.terms]


@dataclass(frozen=True, eq=False)
class JointReader:
    """The estimates of a release folder.

    Attributes
    ----------
    joint
        The laws of the errors of all groupings that have them.
    estimates
        The estimates of their cells, by grouping index.
    measurements
        The measurements of every grouping; None if it is not measured.
    """

    joint: JointIntervals
    estimates: Mapping[int, Floats]
    measurements: Measurements

    @classmethod
    def of(cls, release: MeasuredFolder) -> "JointReader":
        """Return the estimates of a release folder."""
        joint = joint_intervals(release.plan, make_table_plan(release.plan))
        return cls(joint, joint.estimates(release.measurements), release.measurements)

    def has(self, index: int) -> bool:
        """Return True if a grouping has joint estimates."""
        return index in self.estimates

    def sum(self, selected: Sequence[SelectedCells]) -> JointSum | None:
        """Return the estimate of the sum of selected cells; None if their groupings have no joint estimates."""
        weights: dict[int, Floats] = {}
        for cells in selected:
            times = cells.mask.astype(np.float64)
            weights[cells.grouping_index] = weights.get(cells.grouping_index, 0.0) + times
        parts = {id(self.joint.part_of.get(index)): self.joint.part_of.get(index) for index in weights}
        if len(parts) != 1 or not all(map(self.has, weights)):
            return None
        [part] = parts.values()
        assert part is not None
        value = sum(float((self.estimates[index] * times).sum()) for index, times in weights.items())
        return JointSum(value, self.joint.ptables, part.coefficients(weights))

    def rows(self, index: int, level: Number) -> list[tuple[Any, ...]]:
        """Return measurement, low, high, mean and most likely count of every cell of a grouping."""
        rows = self._count_rows(index, level)
        sources = self.joint.narrowest(float(exact(level, "level"))).get(index)
        if sources is not None:
            groupings, positions = (numbers.tolist() for numbers in sources)
            by_grouping = {source: self._count_rows(source, level) for source in {*groupings} - {index}} | {index: rows}
            rows = [by_grouping[source][position] for source, position in zip(groupings, positions, strict=True)]
        return [(number, *row) for number, row in zip(self._measured(index), rows, strict=True)]

    def _count_rows(self, index: int, level: Number) -> list[list[Any]]:
        """Return low, high, mean and most likely count of every cell, from the estimates of its own population."""
        return count_rows(self.estimates[index], *self.joint.laws(index), level)

    def change_rows(self, index: int, before: "JointReader", old_index: int, level: Number) -> list[tuple[Any, ...]]:
        """Return both measurements, low, high, mean and most likely change of every cell of a grouping."""
        (kinds, laws), (old_kinds, old_laws) = self.joint.laws(index), before.joint.laws(old_index)
        changes = self.estimates[index] - before.estimates[old_index]
        rows = change_rows(changes, (kinds, old_kinds), (laws, old_laws), level)
        measured = zip(self._measured(index), before._measured(old_index), rows, strict=True)
        return [(new, old, *row) for new, old, row in measured]

    def _measured(self, index: int) -> list[Any]:
        """Return the measurements of a grouping; empty texts if it is not measured."""
        numbers = self.measurements[index]
        return [""] * self.estimates[index].size if numbers is None else numbers.ravel().tolist()


def law_posterior(value: float, law: ErrorLaw, *, is_count: bool) -> Posterior:
    """Return the posterior of a number under a flat prior, from an estimate and the law of its error."""
    reach = REACH * max(law.deviation, 1.0)
    first, last = math.floor(value - reach), math.ceil(value + reach)
    support = np.arange(max(first, 0), max(last, 1) + 1) if is_count else np.arange(first, last + 1)
    if is_count and value < -reach / 2:
        support = np.arange(0, math.ceil(reach) + 1)
    weights = law.density(np.asarray(value - support, dtype=np.float64), SMOOTHING).clip(0)
    if not weights.any():  # the estimate is further below 0 than noise explains
        weights = (support == 0).astype(np.float64)
    positive = weights > 0
    return Posterior(
        support[positive], weights[positive] / weights.sum(), estimated=Estimated(float(value), law, is_count)
    )


def count_rows(estimates: Floats, kinds: Integers, laws: Sequence[ErrorLaw], level: Number) -> list[list[Any]]:
    """Return low, high, mean and most likely count of every cell, from the estimates of a grouping.

    Parameters
    ----------
    estimates
        The estimate of every cell.
    kinds
        The kind of every cell.
    laws
        The law of the errors of every kind.
    level
        The least chance that an interval holds the true count.
    """
    inside = float(exact(level, "level"))
    flat, of_cell = estimates.ravel(), kinds.ravel()
    lower, upper = np.array([law.ends(inside) for law in laws]).T
    low, high = interval_around(flat, lower[of_cell], upper[of_cell])
    means = np.empty(len(flat))
    for kind, law in enumerate(laws):
        means[of_cell == kind] = _means(flat[of_cell == kind], law)
    modes = np.maximum(np.rint(flat), 0).astype(np.int64)
    return _rows(low, high, means, modes)


def change_rows(
    changes: Floats,
    kinds: tuple[Integers, Integers],
    laws: tuple[Sequence[ErrorLaw], Sequence[ErrorLaw]],
    level: Number,
) -> list[list[Any]]:
    """Return low, high, mean and most likely change of every cell, from the differences of two estimates.

    Parameters
    ----------
    changes
        The new estimate of every cell minus the old one.
    kinds, laws
        Of the new and of the old estimates, as for `count_rows`.
    level
        The least chance that an interval holds the true change.
    """
    inside = float(exact(level, "level"))
    flat = changes.ravel()
    pairs, of_cell = np.unique(np.stack([kinds[0].ravel(), kinds[1].ravel()]), axis=1, return_inverse=True)
    ends = []
    for new, old in pairs.T.tolist():
        negated = [(table, -values, numbers) for table, values, numbers in laws[1][old].terms]
        ends.append(law_of_terms([*laws[0][new].terms, *negated]).ends(inside))
    lower, upper = np.array(ends).T[:, of_cell.ravel()]
    low, high = Estimated.ends_of_change(flat, lower, upper)
    return _rows(low, high, flat, np.rint(flat).astype(np.int64))


def _rows(low: Integers, high: Integers, means: Floats, modes: Integers) -> list[list[Any]]:
    texts = [f"{round(mean, 2) + 0.0:.2f}" for mean in means.tolist()]  # adding 0.0 turns -0.0 into 0.0
    return [list(row) for row in zip(low.tolist(), high.tolist(), texts, modes.tolist(), strict=True)]


def _means(estimates: Floats, law: ErrorLaw) -> Floats:
    """Return the posterior means of counts. Far above 0 they are the estimates."""
    means = estimates.copy()
    reach = REACH * max(law.deviation, 1.0)
    near = estimates < reach
    if near.any():
        width = max(SMOOTHING, law.deviation / 4)
        grid: Floats = np.arange(-3 * reach - 1, reach + 1, width / 8)
        density = law.density(grid, width).clip(0)
        counts: Floats = np.arange(math.ceil(2 * reach) + 1, dtype=np.float64)
        points: Floats = np.linspace(-reach, reach, 401)
        weights = np.interp(np.subtract.outer(points, counts), grid, density)
        means[near] = np.interp(estimates[near], points, weights @ counts / weights.sum(axis=1))
    return means
