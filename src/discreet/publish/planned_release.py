"""What a release would publish: its groupings, the noise of each, and the error to expect. No data are read.

The error to expect is the half width that 95% of all errors keep within:

measured        a grouping that is published as it was measured (clamped at 0). The smallest number that the noise keeps
                within with a chance of 95%, exact from the integers of the certified table.
law             a grouping that is made to add up. Half the width of its published intervals (before their ends are
                rounded, if estimates are not whole numbers), on average over its cells: the exact law of the error of
                least squares (`joint_intervals`). Counts are not negative and are rounded, which least squares does not
                know: counts near 0 have smaller errors as a rule.
least squares   the same where the law is not known. 1.96 standard deviations of least squares, which are exact
                (`reconcile.variances`), on average over the cells of the grouping.
no formula      a grouping that is made to add up in a way that no formula covers. The error of its measurements.
sums            the same for a grouping that is not measured. The error of sums of the measurements of a finer grouping.

Every number follows from the specification and the certified table alone.
"""

import json
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.certify.ptable import PTable
from discreet.errors import BudgetError
from discreet.measure import secrets
from discreet.measure.ledger_use import Charge, LedgerUse
from discreet.plan.guarantee import method_of, why_no_promise
from discreet.plan.named_groupings import in_words
from discreet.plan.noise_table import ReleaseNoise
from discreet.plan.release_plan import ReleasePlan, Resolved, plan_with
from discreet.publish.joint_intervals import JointIntervals, joint_intervals
from discreet.publish.noise_in_words import design_in_words, error_within
from discreet.publish.plan_in_words import guarantee_in_words
from discreet.reconcile.table_plan import TablePlan, make_table_plan

NORMAL = 1.959964
"""95% of a normal distribution is within so many standard deviations."""

WIDEST = 1500
"""The largest standard deviation of noise for which the law is computed; the tables of wider noise take seconds."""

BASES = {
    "measured": "exact, from the integers of the noise",
    "law": "half the width of the published intervals, from the exact law of the error of least squares",
    "least squares": "1.96 exact standard deviations of least squares",
    "no formula": "of the measurement; no formula for the published count",
    "sums": "1.96 standard deviations of a sum of measurements; no formula for the published count",
}
"""What the error of a grouping is computed from."""


@dataclass(frozen=True)
class PlannedGrouping:
    """One grouping of a release.

    Attributes
    ----------
    name
        The names of its dimensions.
    tables
        The names of the tables that publish it.
    cells
        Number of cells.
    cells_of_one_person
        Number of cells that hold one row of a person, at most.
    noise
        The design of the noise; None if the grouping is not measured.
    digest
        The digest of the certificate of the noise; None if the grouping is not measured.
    deviation
        Standard deviation of a measurement; None if the grouping is not measured.
    error
        Half width that 95% of the errors keep within.
    basis
        A key of `BASES`.
    typical_error
        The root mean square error, on average over the cells: of least squares; without a formula, of the measurement
        or of the sum of measurements.
    published_error
        The error if everything that is published were measured, with one noise. None if the release is not planned.
    unlimited_error
        The error of the best plan for epsilon and delta alone. None unless the units of a ledger limit the plan.
    """

    name: str
    tables: tuple[str, ...]
    cells: int
    cells_of_one_person: int
    noise: str | None
    digest: str | None
    deviation: float | None
    error: float
    basis: str
    typical_error: float
    published_error: float | None = None
    unlimited_error: float | None = None


@dataclass(frozen=True)
class PlannedRelease:
    """What a release would publish and promise. Made by `describe`.

    Attributes
    ----------
    plan
        The plan.
    groupings
        Every grouping, with its noise and error.
    charge
        What a ledger would be charged, and what is left there before; None without a ledger.
    published_units
        For a plan with a ledger, the units if everything that is published were measured with one noise. None without a
        ledger, for other releases, and if all units of the ledger do not cover that.
    unlimited_units
        For a plan that the units of a ledger limit, the units of the best plan for epsilon and delta alone. None for
        other releases, and if all units of the ledger do not cover that plan.
    """

    plan: ReleasePlan
    groupings: tuple[PlannedGrouping, ...]
    charge: Charge | None
    published_units: int | None = None
    unlimited_units: int | None = None

    def __repr__(self) -> str:
        errors = [grouping.error for grouping in self.groupings]
        return f"PlannedRelease({self.plan!r}, 95% errors from {min(errors):.3g} to {max(errors):.3g})"

    @property
    def guarantee(self) -> str:
        """The guarantee of the release, in words."""
        return guarantee_in_words(self.plan)

    def document(self) -> dict[str, Any]:
        """Return everything as numbers and texts, for machines."""
        plan, promise = self.plan, self.plan.promise
        return {
            "title": plan.spec.title,
            "version": plan.spec.version,
            "guarantee": None
            if promise is None
            else {"epsilon": promise.epsilon, "delta": promise.delta, "floor": promise.floor},
            "no_guarantee": why_no_promise(plan.spec),
            "unit": "one row" if plan.spec.unit.id is None else "one person",
            "contributions": plan.spec.unit.contributions,
            "contributions_by": method_of(plan.spec.unit.contributions),
            "touches": plan.touches,
            "cells": plan.measured.size,
            "noise": _noise_entry(plan.ptables[0]) if len(plan.ptables) == 1 else None,
            "noises": [
                _noise_entry(ptable) | {"touches": max(numbers[table] for numbers in plan.exposure.by_table)}
                for table, ptable in enumerate(plan.ptables)
            ],
            "reason": plan.reason,
            "why_published": plan.why_published,
            "groupings": [
                {
                    "name": grouping.name,
                    "tables": list(grouping.tables),
                    "cells": grouping.cells,
                    "cells_of_one_person": grouping.cells_of_one_person,
                    "measured": grouping.digest is not None,
                    "noise": grouping.digest,
                    "deviation": grouping.deviation,
                    "error_95": grouping.error,
                    "basis": grouping.basis,
                    "typical_error": grouping.typical_error,
                    "published_error_95": grouping.published_error,
                    "unlimited_error_95": grouping.unlimited_error,
                }
                for grouping in self.groupings
            ],
            "in_no_group": [
                {"dimension": name, "level": level, "leaves": leaves}
                for (name, level), leaves in plan.layout.in_no_group.items()
            ],
            "outside_filters": [
                {"table": table, "dimension": name, "level": level, "leaves": leaves}
                for (table, name, level), leaves in plan.layout.outside_filters.items()
            ],
            "ledger": None
            if self.charge is None
            else {
                "units": self.charge.units,
                "left": self.charge.left,
                "capacity": self.charge.capacity,
                "published_units": self.published_units,
                "unlimited_units": self.unlimited_units,
            },
        }

    def to_json(self) -> str:
        """Return `document` as JSON."""
        return json.dumps(self.document(), indent=2, ensure_ascii=False, default=str)


def _noise_entry(ptable: PTable) -> dict[str, Any]:
    return {"design": dict(ptable.design), "digest": ptable.digest, "bits": ptable.bits}


def describe(plan: ReleasePlan) -> PlannedRelease:
    """Return what a release would publish, with the error to expect, and what a ledger would be charged.

    Nothing is reserved in the ledger.

    Parameters
    ----------
    plan
        The plan of the release.

    Returns
    -------
    PlannedRelease
        The groupings with their errors, and the charge.

    Raises
    ------
    SpecError
        The tables cannot be made to add up as the specification asks.
    SecretError
        The specification names a ledger, and its secret cannot be read.
    LedgerError
        The ledger cannot be opened.
    BudgetError
        The release costs more units than the whole ledger has.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.publish.planned_release import describe
    >>> spec = {
    ...     "version": "2026",
    ...     "source": {"csv": "people.csv"},
    ...     "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
    ...     "tables": [{"name": "people", "dimensions": ["sex"], "margins": "all"}],
    ...     "design": {"name": "geometric", "epsilon": "0.5"},
    ...     "budget": {"epsilon": 1, "delta": "1e-6"},
    ...     "key": "fresh",
    ... }
    >>> planned = describe(dc.release.plan(spec))
    >>> [(grouping.name, round(grouping.error, 2), grouping.basis) for grouping in planned.groupings]
    [('sex', 5.05, 'law'), ('total', 5.05, 'law')]
    >>> planned.document()["cells"]
    4
    """
    described = PlannedRelease(plan, _groupings(plan), _charge(plan))
    if plan.published_table is not None:
        other = _measured_with(plan, ReleaseNoise.of_one_table(plan.layout, plan.published_table))
        pairs = zip(described.groupings, _groupings(other), strict=True)
        compared = tuple(replace(grouping, published_error=published.error) for grouping, published in pairs)
        described = replace(described, groupings=compared, published_units=_units(other))
    if plan.unlimited is not None:
        other = _measured_with(plan, plan.unlimited)
        pairs = zip(described.groupings, _groupings(other), strict=True)
        compared = tuple(replace(grouping, unlimited_error=unlimited.error) for grouping, unlimited in pairs)
        described = replace(described, groupings=compared, unlimited_units=_units(other))
    return described


def _measured_with(plan: ReleasePlan, noise: ReleaseNoise) -> ReleasePlan:
    """Return a release of the same tables with other noise."""
    spec = plan.spec.model_copy(update={"measure": "published"})
    return plan_with(Resolved(spec, plan.codebooks, plan.layout, plan.literals), noise, None)


def _groupings(plan: ReleasePlan) -> tuple[PlannedGrouping, ...]:
    layout, table_plan = plan.layout, make_table_plan(plan)
    exact, joint = table_plan.exact_deviations(), joint_intervals(plan, table_plan)
    too_wide = any(ptable.utility["variance"][1] > WIDEST**2 for ptable in plan.ptables)
    half_widths = {} if too_wide or plan.spec.reconcile == "wang-3" else joint.half_widths()
    reconciled = {index for _, part in table_plan.parts for index in part.grouping_indices}
    groupings = []
    for index, grouping in enumerate(layout.groupings):
        ptable, variance = plan.ptable_of(index), table_plan.variance_of(index)
        typical = exact[index].typical if index in exact else None
        if index in half_widths:
            error, basis = float(half_widths[index].mean()), "law"
            typical = _typical(joint, index) if typical is None else typical
        elif typical is not None:
            error, basis = NORMAL * typical, "least squares"
        elif ptable is not None and variance is not None:
            typical = math.sqrt(variance)
            error, basis = float(error_within(ptable)), "no formula" if index in reconciled else "measured"
        else:
            typical = _largest_deviation(table_plan, index)
            error, basis = NORMAL * typical, "sums"
        tables = tuple(table.name for table, indices in layout.tables if index in indices)
        groupings.append(
            PlannedGrouping(
                in_words(grouping),
                tables,
                grouping.size,
                grouping.multiplicity,
                None if ptable is None else design_in_words(ptable),
                None if ptable is None else ptable.digest,
                None if variance is None else math.sqrt(variance),
                error,
                basis,
                typical,
            )
        )
    return tuple(groupings)


def _typical(joint: JointIntervals, index: int) -> float:
    """Return the root mean square error of a grouping, from the laws of the errors of its cells."""
    kinds, laws = joint.laws(index)
    return math.sqrt(float(np.mean(np.array([law.deviation**2 for law in laws])[kinds])))


def _largest_deviation(table_plan: TablePlan, index: int) -> float:
    """Return the standard deviation of the sums of measurements that give the cells of a grouping, at most."""
    part = next(part for _, part in table_plan.parts if index in part.grouping_indices)
    deviations = []
    for other in part.grouping_indices:
        variance = table_plan.variance_of(other)
        cells = None if variance is None else part.containing_cells(part.keys[other], part.keys[index])
        if variance is not None and cells is not None:
            deviations.append(math.sqrt(variance * int(np.bincount(cells).max())))
    return min(deviations)


def _charge(plan: ReleasePlan) -> Charge | None:
    if plan.spec.ledger is None:
        return None
    return LedgerUse.of(plan, secrets.of_spec(plan.spec.secret)).charge(plan)


def _units(plan: ReleasePlan) -> int | None:
    """Return what a ledger would be charged; None without a ledger, and if all its units do not cover the release."""
    try:
        charge = _charge(plan)
    except BudgetError:
        return None
    return None if charge is None else charge.units


def units_in_words(planned: PlannedRelease) -> str | None:
    """Return what a ledger would be charged, and what if everything were measured with one noise; None without one."""
    if planned.charge is None:
        return None
    words = charge_in_words(planned.charge)
    if planned.plan.published_table is None:
        return words
    words += f"; with measure: published, {_units_or_none(planned.published_units)}"
    if planned.plan.unlimited is not None:
        words += f"; without its limit, {_units_or_none(planned.unlimited_units)}"
    return words


def _units_or_none(units: int | None) -> str:
    return "all its units do not cover it" if units is None else f"{units} units"


def charge_in_words(charge: Charge) -> str:
    """Return what a ledger would be charged, and what would be left."""
    rest = charge.left - charge.units
    if rest < 0:
        return f"{charge.units} units, and {charge.left} of {charge.capacity} are left: the ledger would refuse"
    return f"{charge.units} units of {charge.capacity}; {rest} would be left"
