"""`measure: plan`: which groupings a release measures, and with which noise, chosen by the planner.

The planner sees the specification only. Its plan becomes the list `measure` of the specification, with a design for
each measured grouping: the published specification states the plan.

`planned_workload` says how filters, overlapping categories and levels are planned. If groups of a level have unequal
sizes, or levels are not nested, the planner's variances are means or bounds, so nothing can be demanded of single
groupings (`within`).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from discreet.certify.ptable import PTable
from discreet.design import registry
from discreet.errors import SpecError, TargetError
from discreet.plan.frozen_plan import (
    FrozenPlan,
    covers,
    digests_of,
    measured_before,
    noise_of,
    reused_plan,
    unit_digest,
)
from discreet.plan.later_plan import Given, later_noise, require_affordable, require_demands
from discreet.plan.layout import Layout
from discreet.plan.measure_by_default import why_not_planned
from discreet.plan.named_groupings import in_words, published_index
from discreet.plan.noise_table import ReleaseNoise, require_delta
from discreet.plan.planned_workload import planned_workload
from discreet.plan.planner import Aim, NoisePlan, Workload, plan_noise
from discreet.plan.planner.aim import Target
from discreet.plan.planner.ledger_units import LedgerUnits
from discreet.plan.sections import Accuracy, MeasuredGrouping
from discreet.plan.spec import ReleaseSpec


class PlannedNoise(NamedTuple):
    """The plan of a release.

    Attributes
    ----------
    spec
        The specification, with the plan as its list `measure`.
    noise
        The certified noise of the plan.
    published_table
        The table if everything that is published were measured with one noise. None if a kept plan decides.
    unlimited
        The noise of the best plan for epsilon and delta alone; None if it is not wanted, or is this plan.
    """

    spec: ReleaseSpec
    noise: ReleaseNoise
    published_table: PTable | None
    unlimited: ReleaseNoise | None = None


def planned_noise(
    spec: ReleaseSpec,
    layout: Layout,
    kept: Sequence[FrozenPlan] = (),
    units: LedgerUnits | None = None,
    *,
    compare: bool = False,
) -> PlannedNoise:
    """Return the plan of a release.

    Parameters
    ----------
    spec
        A specification with `measure: plan`.
    layout
        Its groupings.
    kept
        What earlier releases under the same version label measured.
    units
        The units of a ledger that the release may cost; None without a ledger.
    compare
        True to plan once more, without the limit that these units set.

    Raises
    ------
    SpecError
        No plan covers the tables, or a weight or a target names a grouping that is not published.
    TargetError
        The budget cannot buy a target. The error says what is possible.
    ReleaseError
        The budget does not suffice for what was measured before, or the release leaves it out.
    """
    _require_plannable(spec)
    require_delta(spec)
    planned = planned_workload(layout, spec.unit.contributions)
    workload, index_of = planned.workload, planned.index_of
    if planned.uneven is not None and (spec.accuracy.within or spec.accuracy.no_worse_than is not None):
        raise SpecError(
            f"groups of a level of dimension {planned.uneven!r} have different sizes (`_other` counts), or its levels"
            " are not nested; for such levels no plan can promise the accuracy of each cell: leave within and"
            " no_worse_than out",
            ("accuracy",),
        )
    assert spec.budget is not None
    aim = _aim(spec.accuracy, layout, index_of, len(workload.groupings))

    def planner(
        workload: Workload,
        aim: Aim,
        epsilon: str,
        delta: str,
        units: LedgerUnits | None,
        measured: Sequence[int] | None = None,
    ) -> NoisePlan:
        return plan_noise(
            workload,
            aim,
            epsilon=epsilon,
            delta=delta,
            bits=spec.bits,
            contributions=spec.unit.contributions,
            measured=measured,
            groups=planned.groups,
            exposure=None if planned.is_plain else planned.exposure,
            units=units,
        )

    earlier: frozenset[str] = frozenset()
    published_table, unlimited = None, None
    try:
        reused = reused_plan(spec, layout, kept)
        if reused is not None:
            tables = {ptable.table_digest: ptable for ptable in reused.ptables}
            table_of = {grouping.cells: tables[grouping.noise] for grouping in reused.measured}
            earlier = frozenset(grouping.cells for grouping in reused.measured if grouping.earlier)
            noise = noise_of(layout, table_of, _reused_in_words(spec, reused))
            given = Given(spec, layout, workload, index_of, {})
            require_affordable(given, noise)
            require_demands(given, aim, noise)
        elif before := measured_before(spec, layout, kept):
            earlier = frozenset(digests_of(layout)[index] for index in before)
            measured_tables = {index_of[index]: before[index] for index in before}
            given = Given(spec, layout, workload, index_of, measured_tables, planned.groups, units)
            noise = later_noise(given, aim, planner)
        else:
            plan = planner(workload, aim, spec.budget.epsilon, spec.budget.delta, units)
            numbers = [plan.noise_of[index] for index in index_of]
            noise = ReleaseNoise.in_order(layout, plan.tables, numbers)
            noise, published_table = noise._replace(reason=plan.reason), plan.published_table
            if compare and units is not None:
                free = planner(workload, aim, spec.budget.epsilon, spec.budget.delta, None)
                unlimited = ReleaseNoise.in_order(layout, free.tables, [free.noise_of[index] for index in index_of])
        noise = noise._replace(reason=f"the planner's choice: {noise.reason}")
    except TargetError as error:
        stated = f"grouping {error.grouping}, {workload.groupings[error.grouping]},"
        name = in_words(layout.groupings[index_of.index(error.grouping)])
        message = str(error).replace(stated, f"{name!r}")
        raise TargetError(f"accuracy: {message}", error.grouping, error.requested, error.possible) from None
    if not _holds_earlier_releases(spec, layout, noise, kept):
        earlier = frozenset()
    bits = {ptable.bits for ptable in noise.ptables}
    update = {
        "measure": _entries(layout, noise, earlier),
        "bits": bits.pop() if len(bits) == 1 else None,
        "accuracy": Accuracy(),
    }
    return PlannedNoise(spec.model_copy(update=update), noise, published_table, unlimited)


def _reused_in_words(spec: ReleaseSpec, kept: FrozenPlan) -> str:
    """Return what a kept plan is, what changes nothing in it, and how to get another one."""
    text, ignored = "the plan that is kept under this version label", []
    if kept.budget is not None:
        text += f", for a budget of epsilon {kept.budget[0]} and delta {kept.budget[1]}"
        if spec.budget is not None and kept.budget != (spec.budget.epsilon, spec.budget.delta):
            ignored.append(f"the budget of epsilon {spec.budget.epsilon} and delta {spec.budget.delta}")
    if spec.accuracy != Accuracy():
        ignored.append("accuracy")
    if not ignored:
        return text
    changes = "changes" if len(ignored) == 1 else "change"
    return (
        f"{text}; {' and '.join(ignored)} {changes} nothing in it. Another plan needs a new version label, and its cost"
        " comes on top of this one"
    )


def _holds_earlier_releases(spec: ReleaseSpec, layout: Layout, noise: ReleaseNoise, kept: Sequence[FrozenPlan]) -> bool:
    """Return True if the release measures again, with the same numbers, all that was measured under its label.

    Only then may its folder say that its promise covers the earlier releases. With a ledger a release may leave out
    what was measured, or draw it again.
    """
    digests = digests_of(layout)
    measured = frozenset(
        (digests[index], noise.ptables[number].table_digest)
        for index, number in enumerate(noise.measured.noise_of)
        if number is not None
    )
    fresh = "fresh" in (spec.key, *(plan.key for plan in kept))
    return not fresh and covers(measured, unit_digest(spec, layout), kept)


def _require_plannable(spec: ReleaseSpec) -> None:
    """Raise SpecError if a specification asks for a plan that there cannot be."""
    reason = why_not_planned(spec)
    if reason is not None:
        message, remedy, path = reason
        raise SpecError(
            f"measure is plan, and {message}; {remedy}, or take measure: published, or list the groupings to measure",
            path,
        )


def _aim(accuracy: Accuracy, layout: Layout, index_of: Sequence[int], size: int) -> Aim:
    """Return what the planner makes small, from the publisher's words."""
    names: dict[str, list[int]] = {}
    for index, planned in enumerate(index_of):
        names.setdefault(in_words(layout.groupings[index]), []).append(planned)
    weights = None
    if accuracy.weights:
        weights = [1.0] * size
        for name, weight in accuracy.weights.items():
            if name not in names:
                raise SpecError(
                    f"accuracy gives a weight to {name!r:.80}, which is not published; the groupings are"
                    f" {', '.join(map(repr, names))}",
                    ("accuracy", "weights"),
                )
            for planned in names[name]:
                weights[planned] = weight
    targets = [
        Target(
            index_of[published_index(layout, target.table, target.margin, ("accuracy", "within", position))],
            target.plus_minus,
            target.level,
        )
        for position, target in enumerate(accuracy.within)
    ]
    return Aim(
        accuracy.aim,
        None if weights is None else tuple(weights),
        tuple(targets),
        accuracy.no_worse_than == "published",
    )


def _entries(layout: Layout, noise: ReleaseNoise, earlier: frozenset[str]) -> list[MeasuredGrouping]:
    """Return the plan as a list of measured groupings, each once, with its design.

    Parameters
    ----------
    layout, noise
        The groupings, and the noise of each.
    earlier
        Digests of the groupings that an earlier release under the label measured.
    """
    digests = digests_of(layout) if earlier else [""] * len(layout.groupings)
    entries: dict[int, MeasuredGrouping] = {}
    for table, indices in layout.tables:
        for index in indices:
            number = noise.measured.noise_of[index]
            if number is not None and index not in entries:
                grouping = layout.groupings[index]
                margin = None if index == indices[0] else [axis.book.name for axis in grouping.axes]
                design = _stated_design(noise.ptables[number])
                mark = True if digests[index] in earlier else None
                entries[index] = MeasuredGrouping(table=table.name, margin=margin, design=design, earlier=mark)
    return list(entries.values())


def _stated_design(ptable: PTable) -> dict[str, Any] | None:
    """Return the design of a table as a specification states it, so that the same integers can be made from it.

    A table of other software has no design that can be stated: None.
    """
    if ptable.design.get("name") not in registry.MODULES:
        return None
    return {"name": ptable.design["name"], **ptable.design, "certify_at": str(ptable.certificate.epsilon)}
