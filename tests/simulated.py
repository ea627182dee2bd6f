"""True counts of a plan from the people of its data, and measurements of them, without a release."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.plan.layout import Grouping
from discreet.plan.release_plan import ReleasePlan


def true_counts(plan: ReleasePlan, people: Any) -> list[Any]:
    """Return the true counts of every grouping.

    Parameters
    ----------
    plan
        The plan.
    people
        The number of people of every combination of leaves: an axis for every codebook of the layout, in order.
    """
    return [_counts(plan, grouping, people) for grouping in plan.layout.groupings]


def _counts(plan: ReleasePlan, grouping: Grouping, people: Any) -> Any:
    names = [book.name for book in plan.layout.books]
    kept = {book.name: leaves for book, leaves in grouping.within}
    of_axis = {axis.book.name: axis for axis in grouping.axes}
    counts = people
    for number, name in reversed(list(enumerate(names))):
        members: Sequence[Any] = of_axis[name].members if name in of_axis else [kept.get(name)]
        chosen = np.zeros((len(members), people.shape[number]))
        for group, leaves in enumerate(members):
            chosen[group, slice(None) if leaves is None else sorted(leaves)] = 1
        counts = np.moveaxis(np.tensordot(chosen, counts, axes=(1, number)), 0, number)
    dimensions = [names.index(axis.book.name) for axis in grouping.axes]
    order = dimensions + [number for number in range(len(names)) if number not in dimensions]
    return counts.transpose(order).reshape(grouping.shape).astype(np.int64)


def measured(plan: ReleasePlan, truth: Sequence[Any], rng: np.random.Generator) -> tuple[Any, ...]:
    """Return measurements of every grouping: one for every measured cell, with the noise of its table."""
    distinct = np.zeros(plan.measured.size, dtype=np.int64)
    for numbers, counts in zip(plan.measured.indices, truth, strict=True):
        if numbers is not None:
            distinct[numbers] = counts.ravel()
    for table, ptable in enumerate(plan.ptables):
        row, cells = ptable.interior[0], plan.measured.of_table(table)
        ends = np.cumsum(np.array(row.weights, dtype=np.float64) / ptable.table.total)
        distinct[cells] += np.minimum(np.searchsorted(ends, rng.random(len(cells))), len(ends) - 1) + row.first
    return plan.measured.by_grouping(distinct)
