"""Check that published tables add up, agree with each other, and meet fixed counts (docs/folder.md)."""

from collections import defaultdict
from itertools import combinations, product
from typing import Any, NamedTuple

from .cells import Grouping, Layout, selected
from .findings import Report, WrongError, need
from .tables import Counts, TableCounts
from .weights import Table


class Published(NamedTuple):
    """The numbers of a folder.

    Attributes
    ----------
    measurements
        For every grouping of the layout; None if it is not measured.
    counts
        For every table of the layout; None if the table is published in Parquet only.
    """

    layout: Layout
    measurements: list[Counts | None]
    counts: list[TableCounts | None]


def adding_up(report: Report, manifest: dict[str, Any], tables: list[Table], published: Published) -> None:
    """Add findings on tables that add up, and on tables that are the measurements, clamped at 0.

    Raise WrongError if tables of one population do not add up or disagree, or if a clamped table has other counts.
    """
    spec, layout = manifest["spec"], published.layout
    need(spec["reconcile"] in ("auto", "tree", "cube", "wang-3", "none"), "spec.reconcile is no method")
    need(isinstance(spec["fixed"], list), "spec.fixed is no list")
    populations, clamped = populations_of(spec, layout, any(table.upper is not None for table in tables))
    names = [document["name"] for document, _ in layout.tables]
    _check_methods(manifest, names, populations, clamped)
    settled = [_consistent(published, numbers) for numbers in populations]
    _check_clamped(spec, published, clamped, settled)
    _check_fixed(spec, published, clamped)
    if populations and any(published.counts[number] is not None for numbers in populations for number in numbers):
        report.add("proved", "adding up", "every margin is the sum of its cells; tables of one population agree")
    if clamped:
        listed = ", ".join(names[number] for number in clamped)
        report.add("proved", "clamped tables", f"{listed}: measurements, not below 0; they are not made to add up")
    first, differ = dict[int, int](), set[int]()
    for cell_counts in settled[len(settled) == 1 :]:
        differ |= {cell for cell, count in cell_counts.items() if first.setdefault(cell, count) != count}
    if differ:
        report.state(
            f"{len(differ)} cells have two counts, in tables of different populations, which the format allows"
        )


def populations_of(spec: dict[str, Any], layout: Layout, ends: bool) -> tuple[list[list[int]], list[int]]:
    """Return the tables that are reconciled together, fewer filters first, and the tables that are clamped."""
    if spec["reconcile"] == "none" or ends:
        return [], list(range(len(layout.tables)))
    populations: list[tuple[dict[str, frozenset[str]], list[int]]] = []
    clamped = []
    for number, (_, indices) in enumerate(layout.tables):
        finest = layout.groupings[indices[0]]
        if any(sum(map(len, axis.members)) > len(frozenset().union(*axis.members)) for axis in finest.axes):
            clamped.append(number)
            continue
        people = dict(finest.within)
        people |= {axis.dimension: frozenset().union(*axis.members) for axis in finest.axes}
        people = {name: leaves for name, leaves in people.items() if leaves != layout.books[name].leaves}
        same = [numbers for other, numbers in populations if other == people and spec["reconcile"] != "wang-3"]
        if same:
            same[0].append(number)
        else:
            populations.append((people, [number]))
    return [numbers for _, numbers in sorted(populations, key=lambda population: len(population[0]))], clamped


def _check_methods(
    manifest: dict[str, Any], names: list[str], populations: list[list[int]], clamped: list[int]
) -> None:
    """Raise WrongError unless `reconciled` has the tables and the methods that the specification asks for."""
    entries = [(entry["tables"], entry["method"]) for entry in manifest["reconciled"]]
    expected = [[names[number] for number in numbers] for numbers in populations]
    expected += [[names[number] for number in clamped]] if clamped else []
    need(
        [tables for tables, _ in entries] == expected,
        "reconciled does not have the tables that the specification puts together",
    )
    reconcile = manifest["spec"]["reconcile"]
    allowed = ("tree", "cube") if reconcile == "auto" else (reconcile,)
    methods = [method for _, method in entries]
    need(
        all(method in allowed for method in methods[: len(populations)])
        and all(method == "none" for method in methods[len(populations) :]),
        "reconciled has a method that the specification does not ask for",
    )


def _check_clamped(
    spec: dict[str, Any], published: Published, clamped: list[int], settled: list[dict[int, int]]
) -> None:
    """Raise WrongError unless every count of a clamped table is max(0, measurement), fixed, or settled elsewhere."""
    layout = published.layout
    fixed = {literal["count"] for literal in spec["fixed"]}
    for number in clamped:
        document, indices = layout.tables[number]
        for index, values in zip(indices, published.counts[number] or [], strict=False):
            measurements = published.measurements[index]
            if measurements is None:
                raise WrongError(f"table {document['name']} has a margin that is neither measured nor made to add up")
            cells = zip(layout.cells[index], values, measurements, strict=True)
            for cell, count, measured in cells:
                explained = count in fixed or any(cell_counts.get(cell) == count for cell_counts in settled)
                need(
                    count == max(0, measured) or explained,
                    f"table {document['name']} has {count} where {measured} was measured",
                )


def _consistent(published: Published, numbers: list[int]) -> dict[int, int]:
    """Return the count of every cell of tables of one population. Raise WrongError at a contradiction."""
    layout = published.layout
    cell_counts: dict[int, int] = {}
    finest = []
    for number in numbers:
        document, indices = layout.tables[number]
        table_counts = published.counts[number]
        if table_counts is None:
            continue
        name, whole = document["name"], layout.groupings[indices[0]]
        finest.append((name, whole, table_counts[0]))
        for index, values in zip(indices, table_counts, strict=True):
            grouping = layout.groupings[index]
            for cell, count in zip(layout.cells[index], values, strict=True):
                first = cell_counts.setdefault(cell, count)
                need(first == count, f"table {name}: one cell has two counts, {first} and {count}")
            if grouping is whole:
                continue
            groups = {axis.dimension: _group_of(axis.members) for axis in grouping.axes}
            sums, margin = _summed(whole, table_counts[0], groups), _summed(grouping, values, groups)
            need(sums == margin, f"table {name}: the margin {_name(grouping)} is not the sum of its cells")
    for table, other in combinations(finest, 2):
        _agree(*table, *other)
    return cell_counts


def _agree(
    name: str, grouping: Grouping, values: Counts, other_name: str, other_grouping: Grouping, other_values: Counts
) -> None:
    """Raise WrongError unless two tables have the same sums over the groups that both can be summed to."""
    members = {axis.dimension: axis.members for axis in grouping.axes}
    common = {
        axis.dimension: _joined([*members[axis.dimension], *axis.members])
        for axis in other_grouping.axes
        if axis.dimension in members
    }
    same = _summed(grouping, values, common) == _summed(other_grouping, other_values, common)
    need(same, f"tables {name} and {other_name} have different sums by {', '.join(common) or 'nothing'}")


def _name(grouping: Grouping) -> str:
    return " by ".join(axis.dimension for axis in grouping.axes) or "total"


def _group_of(members: tuple[frozenset[str], ...]) -> dict[str, int]:
    """Return for every leaf the index of its group."""
    return {leaf: index for index, group in enumerate(members) for leaf in group}


def _joined(groups: list[frozenset[str]]) -> dict[str, int]:
    """Return for every leaf the number of its group in the finest partition that keeps each of the groups whole."""
    parent = {leaf: leaf for group in groups for leaf in group}

    def root(leaf: str) -> str:
        while parent[leaf] != leaf:
            parent[leaf] = parent[parent[leaf]]
            leaf = parent[leaf]
        return leaf

    for group in groups:
        first, *others = group
        for leaf in others:
            parent[root(leaf)] = root(first)
    number: dict[str, int] = {}
    return {leaf: number.setdefault(root(leaf), len(number)) for leaf in parent}


def _summed(grouping: Grouping, values: Counts, groups: dict[str, dict[str, int]]) -> dict[tuple[int, ...], int]:
    """Return sums of a grouping's cells over `groups`, and over all of every dimension that `groups` leaves out.

    groups
        For every dimension to keep, the number of the group that each leaf goes into.
    """
    sums: dict[tuple[int, ...], int] = defaultdict(int)
    numbers = [
        [groups[axis.dimension][min(group)] for group in axis.members]
        if axis.dimension in groups
        else [-1] * len(axis.members)
        for axis in grouping.axes
    ]
    order = sorted(range(len(numbers)), key=lambda position: grouping.axes[position].dimension)
    kept = [position for position in order if grouping.axes[position].dimension in groups]
    for key, count in zip(product(*numbers), values, strict=True):
        sums[tuple(key[position] for position in kept)] += count
    return dict(sums)


def _check_fixed(spec: dict[str, Any], published: Published, clamped: list[int]) -> None:
    """Raise WrongError unless fixed counts are met by sums of published cells; in clamped tables by one cell."""
    layout = published.layout
    for literal in spec["fixed"]:
        fixed = literal["count"]
        population = {name: selected(layout.books[name], [label]) for name, label in literal["where"].items()}
        population = {name: leaves for name, leaves in population.items() if leaves != layout.books[name].leaves}
        for number, ((document, indices), table_counts) in enumerate(zip(layout.tables, published.counts, strict=True)):
            for index, values in zip(indices, table_counts or [], strict=False):
                inside = _inside(layout, layout.groupings[index], values, population, exactly=fixed > 0)
                if inside is None or (number in clamped and fixed > 0 and len(inside) > 1):
                    continue
                mismatch = f"{literal['where']!r:.120} is fixed at {fixed}, and is {sum(inside)}"
                need(sum(inside) == fixed, f"table {document['name']}: {mismatch}")


def _inside(
    layout: Layout, grouping: Grouping, values: Counts, population: dict[str, frozenset[str]], *, exactly: bool
) -> list[int] | None:
    """Return the counts of the cells inside a population; None if the grouping's dimensions cannot tell them apart.

    exactly
        If True, also return None if the cells inside the population are not the whole population, each person once.
    """
    within = dict(grouping.within)
    axes = {axis.dimension: axis.members for axis in grouping.axes}
    leaves_of = {name: population.get(name, book.leaves) for name, book in layout.books.items()}
    known = set(axes) | set(within)
    if not set(population) <= known or any(not leaves <= leaves_of[name] for name, leaves in within.items()):
        return None
    chosen = [[group <= leaves_of[name] for group in members] for name, members in axes.items()]
    if exactly:
        covers = [
            (leaves_of[name], [group for group in members if group <= leaves_of[name]])
            for name, members in axes.items()
        ]
        covers += [(leaves_of[name], [leaves]) for name, leaves in within.items()]
        if any(
            frozenset().union(*groups) != leaves or sum(map(len, groups)) > len(leaves) for leaves, groups in covers
        ):
            return None
    return [count for inside, count in zip(product(*chosen), values, strict=True) if all(inside)]
