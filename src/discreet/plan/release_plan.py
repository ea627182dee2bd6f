"""The plan of a release: everything that is decided before a row is read.

    specification -> codebooks, layout, fixed counts -> tables of noise, measured cells -> touches -> promise

A plan is made from the specification alone, so nothing in a plan depends on the data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from discreet.certify.ptable import PTable
from discreet.errors import ReleaseError
from discreet.exact import exact, rounded_up
from discreet.plan import codebook
from discreet.plan.codebook import Codebook
from discreet.plan.fixed import FixedCount, fixed_counts
from discreet.plan.frozen_plan import FrozenPlan, require_earlier
from discreet.plan.guarantee import Promise, composed_promise
from discreet.plan.layout import Layout, make_layout
from discreet.plan.measure_by_default import with_measure
from discreet.plan.measured_cells import MeasuredCells
from discreet.plan.noise_table import ReleaseNoise, choose_noise
from discreet.plan.spec import ReleaseSpec
from discreet.plan.touches import Touches

if TYPE_CHECKING:
    from discreet.plan.planner.ledger_units import LedgerUnits


@dataclass(frozen=True)
class Resolved:
    """A specification whose names are resolved.

    Attributes
    ----------
    codebooks
        The codebook of each dimension.
    layout
        The groupings and cells of all tables.
    literals
        The counts that the specification fixes.
    """

    spec: ReleaseSpec
    codebooks: Mapping[str, Codebook]
    layout: Layout
    literals: tuple[FixedCount, ...]


@dataclass(frozen=True)
class ReleasePlan:
    """What a release will measure and promise. Made by `plan`.

    Attributes
    ----------
    spec, codebooks, layout, literals
        The specification, resolved: see `Resolved`.
    ptables
        The certified tables of noise.
    measured
        The groupings that are measured, each with the number of its table. Others are published by least squares.
    exposure
        In how many cells of each table one person is.
    promise
        The most that one person may lose in all, or None if nothing is promised.
    reason
        Why this noise was chosen, in words.
    planned
        True if the planner chose the noise.
    kept
        What earlier releases under the same version label measured, as it was when this plan was made.
    why_published
        Why everything is measured as it is published, in words; None if the specification says what is measured.
    published_table
        For a plan, the table if everything that is published were measured with one noise.
    unlimited
        For a plan that the units of a ledger limit, the noise of the best plan for epsilon and delta alone; None if it
        was not asked for.
    """

    spec: ReleaseSpec
    codebooks: Mapping[str, Codebook]
    layout: Layout
    literals: tuple[FixedCount, ...]
    ptables: tuple[PTable, ...]
    measured: MeasuredCells
    exposure: Touches
    promise: Promise | None
    reason: str = ""
    planned: bool = False
    kept: tuple[FrozenPlan, ...] = ()
    why_published: str | None = None
    published_table: PTable | None = None
    unlimited: ReleaseNoise | None = None

    @property
    def ptable(self) -> PTable:
        """The certified table of noise. Raise ReleaseError if there are several."""
        if len(self.ptables) > 1:
            raise ReleaseError(f"the release has {len(self.ptables)} tables of noise; take them from ptables")
        return self.ptables[0]

    @property
    def touches(self) -> int:
        """Number of times that one person's loss is composed."""
        return self.exposure.most

    @cached_property
    def frozen(self) -> FrozenPlan:
        """What is kept under the version label before anything is drawn."""
        plan = FrozenPlan.of(self.spec, self.measured, self.ptables, self.planned)
        reused = next((kept for kept in self.kept if self.planned and kept.repeats(plan)), plan)
        return replace(plan, budget=reused.budget)

    def ptable_of(self, grouping: int) -> PTable | None:
        """Return the table of noise of a grouping, given by its index; None if the grouping is not measured."""
        number = self.measured.noise_of[grouping]
        return None if number is None else self.ptables[number]

    def __repr__(self) -> str:
        promised = "nothing promised"
        if self.promise is not None:
            promised = f"epsilon {self.promise.epsilon}, delta {rounded_up(self.promise.delta)}"
        return (
            f"ReleasePlan({len(self.layout.tables)} tables, {len(self.layout.groupings)} groupings,"
            f" {self._noise()}, {self.touches} touches, {promised})"
        )

    def _noise(self) -> str:
        names = dict.fromkeys(str(ptable.design.get("name", "noise")) for ptable in self.ptables)
        several = "" if len(self.ptables) == 1 else f"{len(self.ptables)} tables of noise: "
        return several + ", ".join(names)


def resolve(spec: ReleaseSpec) -> Resolved:
    """Resolve the names of a specification.

    Raises
    ------
    SpecError
        A name is not declared, two declarations contradict each other, or categories are still to be taken from the
        data.
    """
    books = {name: codebook.resolve(name, dimension) for name, dimension in spec.dimensions.items()}
    layout = make_layout(spec, books)
    return Resolved(spec, books, layout, tuple(fixed_counts(spec, layout)))


def make_plan(
    spec: ReleaseSpec,
    kept: Sequence[FrozenPlan] = (),
    units: "LedgerUnits | None" = None,
    *,
    compare: bool = False,
) -> ReleasePlan:
    """Plan a release: choose and certify its noise, and compose its promise.

    Parameters
    ----------
    spec
        A specification. Categories that it takes from the data are filled in.
    kept
        What earlier releases under the same version label measured. A plan reuses it.
    units
        The units of its ledger that the release may cost, for `measure: plan`; None without a ledger.
    compare
        True to plan once more, without the limit that these units set.

    Returns
    -------
    ReleasePlan
        The plan. No data were read.

    Raises
    ------
    SpecError
        The specification contradicts itself.
    ReleaseError
        The budget does not suffice.
    """
    spec, why_published = with_measure(spec)
    resolved = resolve(spec)
    planned = spec.measure == "plan"
    if planned:
        from discreet.plan.planned_noise import planned_noise  # loads all designs, as the adviser does

        spec, noise, published_table, unlimited = planned_noise(spec, resolved.layout, kept, units, compare=compare)
        resolved = replace(resolved, spec=spec)
    else:
        noise, published_table, unlimited = choose_noise(spec, resolved.layout), None, None
    unpromised = plan_with(resolved, noise, None)
    if not planned:
        require_earlier(spec, unpromised.frozen, kept)
    promise = composed_promise(spec, unpromised.ptables, unpromised.exposure)
    if promise is not None and spec.budget is not None:
        promise = promise.stated(exact(spec.budget.delta, "delta"))
    return replace(
        unpromised,
        promise=promise,
        planned=planned,
        kept=tuple(kept),
        why_published=why_published,
        published_table=published_table,
        unlimited=unlimited,
    )


def plan_with(resolved: Resolved, noise: ReleaseNoise, promise: Promise | None) -> ReleasePlan:
    """Return the plan of a resolved specification.

    Parameters
    ----------
    resolved
        The specification, with its names resolved.
    noise
        The certified tables of noise, and the groupings that are measured.
    promise
        The composed guarantee, or None if nothing is promised.
    """
    spec = resolved.spec
    exposure = noise.measured.touches(spec.unit.contributions)
    return ReleasePlan(
        spec, resolved.codebooks, resolved.layout, resolved.literals, noise.ptables, noise.measured, exposure, promise,
        noise.reason,
    )  # fmt: skip
