"""`measure: plan`: which groupings a release measures, and with which noise, chosen by the planner.

The planner sees the specification only. Its plan becomes the list `measure` of the specification, with a design for
each measured grouping: the published specification states the plan.

A plan is for tables of all people whose categories do not overlap and that are made to add up. The levels of a
dimension must be nested: every group of a finer level lies in one group of each coarser level. If these groups have
unequal sizes, the planner's variances are means, so nothing can be demanded of single groupings (`within`).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from discreet.certify.ptable import PTable
from discreet.design import registry
from discreet.errors import SpecError, TargetError
from discreet.plan.codebook import Groups
from discreet.plan.frozen_plan import FrozenPlan, digests_of, measured_before, noise_of, reused_plan
from discreet.plan.later_plan import Given, later_noise, require_affordable, require_demands
from discreet.plan.layout import Layout
from discreet.plan.named_groupings import in_words, published_index
from discreet.plan.noise_table import ReleaseNoise
from discreet.plan.planner import Aim, NoisePlan, Workload, plan_noise
from discreet.plan.planner.aim import Target
from discreet.plan.sections import Accuracy, MeasuredGrouping
from discreet.plan.spec import ReleaseSpec


def planned_noise(
    spec: ReleaseSpec, layout: Layout, kept: Sequence[FrozenPlan] = ()
) -> tuple[ReleaseSpec, ReleaseNoise]:
    """Return the specification with the plan as its list `measure`, and the certified noise of the plan.

    Parameters
    ----------
    spec
        A specification with `measure: plan`.
    layout
        Its groupings.
    kept
        What earlier releases under the same version label measured.

    Raises
    ------
    SpecError
        No plan covers the tables, or a weight or a target names a grouping that is not published.
    TargetError
        The budget cannot buy a target. The error says what is possible.
    ReleaseError
        The budget does not suffice for what was measured before, or the release leaves it out.
    """
    _require_plain(spec, layout)
    demanding = bool(spec.accuracy.within) or spec.accuracy.no_worse_than is not None
    workload, index_of = _workload(layout, demanding)
    assert spec.budget is not None
    aim = _aim(spec.accuracy, layout, index_of, len(workload.groupings))

    def planner(
        workload: Workload, aim: Aim, epsilon: str, delta: str, measured: Sequence[int] | None = None
    ) -> NoisePlan:
        return plan_noise(
            workload,
            aim,
            epsilon=epsilon,
            delta=delta,
            bits=spec.bits,
            contributions=spec.unit.contributions,
            measured=measured,
        )

    earlier: frozenset[str] = frozenset()
    try:
        reused = reused_plan(spec, layout, kept)
        if reused is not None:
            tables = {ptable.table_digest: ptable for ptable in reused.ptables}
            table_of = {grouping.cells: tables[grouping.noise] for grouping in reused.measured}
            earlier = frozenset(grouping.cells for grouping in reused.measured if grouping.earlier)
            noise = noise_of(layout, table_of, "the plan that is kept under this version label")
            given = Given(spec, layout, workload, index_of, {})
            require_affordable(given, noise)
            require_demands(given, aim, noise)
        elif before := measured_before(spec, layout, kept):
            earlier = frozenset(digests_of(layout)[index] for index in before)
            given = Given(spec, layout, workload, index_of, {index_of[index]: before[index] for index in before})
            noise = later_noise(given, aim, planner)
        else:
            plan = planner(workload, aim, spec.budget.epsilon, spec.budget.delta)
            numbers = [plan.noise_of[index] for index in index_of]
            noise = ReleaseNoise.in_order(layout, plan.tables, numbers)
            noise = noise._replace(reason=plan.reason)
        noise = noise._replace(reason=f"the planner's choice: {noise.reason}")
    except TargetError as error:
        planned = f"grouping {error.grouping}, {workload.groupings[error.grouping]},"
        name = in_words(layout.groupings[index_of.index(error.grouping)])
        message = str(error).replace(planned, f"{name!r}")
        raise TargetError(f"accuracy: {message}", error.grouping, error.asked, error.possible) from None
    bits = {ptable.bits for ptable in noise.ptables}
    update = {
        "measure": _entries(layout, noise, earlier),
        "bits": bits.pop() if len(bits) == 1 else None,
        "accuracy": Accuracy(),
    }
    return spec.model_copy(update=update), noise


def _require_plain(spec: ReleaseSpec, layout: Layout) -> None:
    """Raise SpecError if the planner does not cover the keys, the design, the reconciliation or a table."""
    remedy = "take measure: published, or list the groupings to measure"
    if spec.design is not None:
        raise SpecError("measure is plan, which chooses the noise; leave design out, or " + remedy, ("design",))
    if spec.budget is None:
        raise SpecError("measure is plan, which needs a budget; give budget", ("budget",))
    if spec.reconcile in ("none", "wang-3"):
        raise SpecError(
            f"measure is plan, and reconcile is {spec.reconcile}; a plan publishes some groupings from others by least"
            f" squares: take reconcile: auto, or {remedy}",
            ("reconcile",),
        )
    for table, indices in layout.tables:
        groupings = [layout.groupings[index] for index in indices]
        if table.filter:
            raise SpecError(
                f"table {table.name!r} has a filter, and a plan is for tables of all people; {remedy}", ("measure",)
            )
        if any(axis.overlap > 1 for grouping in groupings for axis in grouping.axes):
            raise SpecError(f"categories of table {table.name!r} overlap, and a plan has none; {remedy}", ("measure",))


def _workload(layout: Layout, demanding: bool) -> tuple[Workload, list[int]]:
    """Return the groupings as the planner sees them, and for every grouping of the layout its index there.

    If `demanding`, refuse levels for which the variances of the planner are means over unequal cells.
    """
    levels: dict[str, list[Groups]] = {book.name: [] for book in layout.books}
    for grouping in layout.groupings:
        for axis in grouping.axes:
            if axis.members not in levels[axis.book.name] and len(axis.members) > 1:
                levels[axis.book.name].append(axis.members)
    for name, partitions in levels.items():
        partitions.sort(key=len)
        for coarse, fine in pairwise(partitions):
            if not _is_nested(coarse, fine):
                raise SpecError(
                    f"two levels of dimension {name!r} are not nested, and a plan needs nested levels; take measure:"
                    " published, or list the groupings to measure",
                    ("measure",),
                )
            if demanding and len({sum(group <= whole for group in fine) for whole in coarse}) > 1:
                raise SpecError(
                    f"groups of a level of dimension {name!r} have different sizes (`_other` counts), and for such"
                    " levels no plan can promise the accuracy of each cell; leave within and no_worse_than out",
                    ("accuracy",),
                )
    known: dict[tuple[int, ...], int] = {}
    index_of = []
    for grouping in layout.groupings:
        chosen = {axis.book.name: axis.members for axis in grouping.axes if len(axis.members) > 1}
        at = tuple(
            levels[book.name].index(chosen[book.name]) + 1 if book.name in chosen else 0 for book in layout.books
        )
        index_of.append(known.setdefault(at, len(known)))
    axes = tuple((1, *map(len, levels[book.name])) for book in layout.books)
    return Workload(axes, tuple(known)), index_of


def _is_nested(coarse: Groups, fine: Groups) -> bool:
    """Return True if every group of the fine level lies in one group of the coarse level."""
    group_of = {leaf: number for number, group in enumerate(coarse) for leaf in group}
    return len(coarse) < len(fine) and all(len({group_of[leaf] for leaf in group}) == 1 for group in fine)


def _aim(accuracy: Accuracy, layout: Layout, index_of: Sequence[int], size: int) -> Aim:
    """Return what the planner makes small, from the publisher's words."""
    names = {in_words(layout.groupings[index]): planned for index, planned in enumerate(index_of)}
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
            weights[names[name]] = weight
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
