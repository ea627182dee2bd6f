"""Measurements, tables, and whether tables add up (docs/folder.md)."""

import csv
import io
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

from .cells import Grouping, Layout, selected
from .findings import Report, json_of, need
from .weights import Table

Counts = list[int]
TOTAL = "_total"


def measurements(report: Report, layout: Layout, table: Table, content: dict[str, bytes]) -> list[Counts]:
    """The measurements of every grouping: the cells of the specification, each with a number the table can give."""
    rows = _rows(content["measurements.csv"])
    names = list(layout.books)
    need(next(rows, None) == ["grouping", *names, "measurement"], "its columns are not those of the specification")
    possible = reachable(table)
    found, known = [], dict[int, int]()
    for number, grouping in enumerate(layout.groupings):
        numbers = []
        labels = product(*(axis.labels for axis in grouping.axes))
        place = {axis.dimension: at for at, axis in enumerate(grouping.axes)}
        for cell, label in zip(layout.cells[number], labels, strict=True):
            row = next(rows, [])
            expected = [str(number), *(label[place[name]] if name in place else "" for name in names)]
            need(row[:-1] == expected, f"a row is {row!r:.120}, and should start with {expected!r:.120}")
            value = _integer(row[-1])
            need(known.setdefault(cell, value) == value, f"one cell has two measurements, {known[cell]} and {value}")
            numbers.append(value)
        found.append(numbers)
    need(next(rows, None) is None, "it has more rows than cells")
    for value in sorted(set(known.values())):
        need(possible(value), f"{value} is no measurement that the certificate's table can give")
    report.add("proved", "measurements.csv", f"{len(known)} cells, each with a number that the table can give it")
    return found


def reachable(table: Table) -> Callable[[int], bool]:
    """Whether a number is an output, with a weight, of some count from 0 on."""
    small = {row.first + at for row in table.rows for at, weight in enumerate(row.weights) if weight}
    start, period = len(table.rows), len(table.interior)
    noise = [
        (start + at, sorted(row.first + z for z, weight in enumerate(row.weights) if weight))
        for at, row in enumerate(table.interior)
    ]
    classes: list[tuple[int, dict[int, list[int]]]] = []
    for first, values in noise:
        by_class: dict[int, list[int]] = defaultdict(list)
        for z in values:
            by_class[(first + z) % period].append(z)
        classes.append((first, by_class))

    def possible(value: int) -> bool:
        if value in small:
            return True
        for first, by_class in classes:  # a count c >= first of this row with c + z == value
            here = by_class.get(value % period, [])
            at = 0 if table.upper is None else bisect_left(here, value - table.upper)
            if at < len(here) and here[at] <= value - first:
                return True
        return False

    return possible


def _rows(raw: bytes) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(raw.decode(), newline=""), strict=True)


def _integer(text: str) -> int:
    value = int(text)
    need(str(value) == text, f"{text!r:.40} is not written as an integer")
    return value


def counts(
    report: Report, spec: dict[str, Any], layout: Layout, content: dict[str, bytes]
) -> list[list[Counts] | None]:
    """The counts of every table, by its groupings; None where there is only Parquet."""
    found: list[list[Counts] | None] = []
    for table, places in layout.tables:
        groupings = [layout.groupings[place] for place in places]
        names = [axis["dimension"] for axis in table["dimensions"]]
        read = []
        if "csv" in spec["outputs"]:
            read.append(_from_csv(content[f"{table['name']}.csv"], table["name"], names, groupings))
        if "json-stat" in spec["outputs"]:
            read.append(_from_json(content[f"{table['name']}.json"], table["name"], names, groupings))
        need(all(each == read[0] for each in read), f"{table['name']}.json has other counts than {table['name']}.csv")
        least = min((min(numbers) for each in read for numbers in each), default=0)
        need(least >= 0, f"table {table['name']} has a negative count, {least}")
        if "parquet" in spec["outputs"]:
            report.state(f"{table['name']}.parquet: what is in it (its digest is checked, Parquet is not read here)")
        found.append(read[0] if read else None)
    if any(each is not None for each in found):
        report.add("proved", "tables", "they have the cells of the specification and no negative count")
    return found


def _labels(grouping: Grouping, names: list[str]) -> Iterator[tuple[str, ...]]:
    kept = {axis.dimension: axis.labels for axis in grouping.axes}
    return product(*(kept.get(name, (TOTAL,)) for name in names))


def _from_csv(raw: bytes, name: str, names: list[str], groupings: list[Grouping]) -> list[Counts]:
    rows = _rows(raw)
    need(next(rows, None) == [*names, "count"], f"{name}.csv has other columns than the specification")
    found = []
    for grouping in groupings:
        numbers = []
        for labels in _labels(grouping, names):
            row = next(rows, [""])
            need(row[:-1] == list(labels), f"{name}.csv: a row is {row!r:.120}, and should start with {labels!r:.120}")
            numbers.append(_integer(row[-1]))
        found.append(numbers)
    need(next(rows, None) is None, f"{name}.csv has more rows than cells")
    return found


def _from_json(raw: bytes, name: str, names: list[str], groupings: list[Grouping]) -> list[Counts]:
    """JSON-stat 2: one cube with all margins, null where a margin is not published."""
    finest = {axis.dimension: list(axis.labels) for axis in groupings[0].axes}
    for grouping in groupings:
        for one in set(finest) - {axis.dimension for axis in grouping.axes}:
            finest[one] += [] if TOTAL in finest[one] else [TOTAL]
    sides = [finest[one] for one in names]
    document = json_of(raw)
    values = document.pop("value")
    expected = {
        "version": "2.0",
        "class": "dataset",
        "label": name,
        "id": names,
        "size": [len(side) for side in sides],
        "dimension": {one: {"label": one, "category": {"index": finest[one]}} for one in names},
    }
    need(document == expected, f"{name}.json does not describe the dimensions of the specification")
    cube = dict(zip(product(*sides), values, strict=True))
    found = [[cube.pop(labels) for labels in _labels(grouping, names)] for grouping in groupings]
    need(all(type(value) is int for numbers in found for value in numbers), f"{name}.json has a count that is none")
    need(all(value is None for value in cube.values()), f"{name}.json has counts that are not published")
    return found


def adding(
    report: Report,
    manifest: dict[str, Any],
    layout: Layout,
    table: Table,
    values: list[Counts],
    published: list[list[Counts] | None],
) -> None:
    """Tables of one population add up and agree; those that are not made to are the measurements, clamped at 0."""
    spec = manifest["spec"]
    need(spec["reconcile"] in ("auto", "tree", "cube", "wang-3", "none"), "spec.reconcile is no method")
    need(isinstance(spec["fixed"], list), "spec.fixed is no list")
    parts, clamped = _parts(spec, layout, table)
    names = [given["name"] for given, _ in layout.tables]
    stated = [(each["tables"], each["method"]) for each in manifest["reconciled"]]
    groups = [[names[number] for number in numbers] for numbers in parts]
    need([tables for tables, _ in stated] == groups + ([[names[number] for number in clamped]] if clamped else []),
         "reconciled does not have the tables that the specification puts together")  # fmt: skip
    allowed = ("tree", "cube") if spec["reconcile"] == "auto" else (spec["reconcile"],)
    ways = [method for _, method in stated]
    need(all(way in allowed for way in ways[: len(parts)]) and all(way == "none" for way in ways[len(parts) :]),
         "reconciled has a method that the specification does not ask for")  # fmt: skip
    settled = [_consistent(layout, numbers, published) for numbers in parts]
    literals = {literal["count"] for literal in spec["fixed"]}
    for number in clamped:
        for place, found in zip(layout.tables[number][1], published[number] or [], strict=False):
            for cell, count, value in zip(layout.cells[place], found, values[place], strict=True):
                taken = count in literals or any(known.get(cell) == count for known in settled)
                need(count == max(0, value) or taken,
                     f"table {names[number]} has {count} where {value} was measured")  # fmt: skip
    _fixed(spec, layout, published, clamped)
    if parts and any(published[number] is not None for numbers in parts for number in numbers):
        report.add("proved", "adding up", "every margin is the sum of its cells; tables of one population agree")
    if clamped:
        report.add("proved", "clamped tables", f"{', '.join(names[number] for number in clamped)}: measurements, not"
                   " below 0; they are not made to add up")  # fmt: skip
    first, differ = dict[int, int](), set[int]()
    for known in settled[len(settled) == 1 :]:
        differ |= {cell for cell, count in known.items() if first.setdefault(cell, count) != count}
    if differ:
        report.state(
            f"{len(differ)} cells have two counts, in tables of different populations, which the format allows"
        )


def _parts(spec: dict[str, Any], layout: Layout, table: Table) -> tuple[list[list[int]], list[int]]:
    """Tables that are reconciled together, those with fewer filters first, and tables that are not."""
    if spec["reconcile"] == "none" or table.upper is not None:
        return [], list(range(len(layout.tables)))
    found: list[tuple[dict[str, frozenset[str]], list[int]]] = []
    clamped = []
    for number, (_, places) in enumerate(layout.tables):
        finest = layout.groupings[places[0]]
        if any(sum(map(len, axis.members)) > len(frozenset().union(*axis.members)) for axis in finest.axes):
            clamped.append(number)
            continue
        people = dict(finest.within)
        people |= {axis.dimension: frozenset().union(*axis.members) for axis in finest.axes}
        people = {name: leaves for name, leaves in people.items() if leaves != layout.books[name].leaves}
        same = [numbers for other, numbers in found if other == people and spec["reconcile"] != "wang-3"]
        if same:
            same[0].append(number)
        else:
            found.append((people, [number]))
    return [numbers for _, numbers in sorted(found, key=lambda part: len(part[0]))], clamped


def _consistent(layout: Layout, numbers: list[int], published: list[list[Counts] | None]) -> dict[int, int]:
    """The count of every cell of tables that go together; a contradiction is refused."""
    known: dict[int, int] = {}
    finest = []
    for number in numbers:
        given, places = layout.tables[number]
        found = published[number]
        if found is None:
            continue
        whole = layout.groupings[places[0]]
        finest.append((given["name"], whole, found[0]))
        for place, counted in zip(places, found, strict=True):
            grouping = layout.groupings[place]
            for cell, count in zip(layout.cells[place], counted, strict=True):
                need(known.setdefault(cell, count) == count,
                     f"table {given['name']}: one cell has two counts, {known[cell]} and {count}")  # fmt: skip
            if grouping is whole:
                continue
            sums = _summed(whole, found[0], {axis.dimension: _own(axis.members) for axis in grouping.axes})
            own = _summed(grouping, counted, {axis.dimension: _own(axis.members) for axis in grouping.axes})
            need(sums == own, f"table {given['name']}: the margin {_name(grouping)} is not the sum of its cells")
    for (one, first, counts_one), (two, second, counts_two) in combinations(finest, 2):
        shared = {axis.dimension: axis.members for axis in first.axes}
        common = {
            axis.dimension: _joined([*shared[axis.dimension], *axis.members])
            for axis in second.axes
            if axis.dimension in shared
        }
        same = _summed(first, counts_one, common) == _summed(second, counts_two, common)
        need(same, f"tables {one} and {two} have different sums by {', '.join(common) or 'nothing'}")
    return known


def _name(grouping: Grouping) -> str:
    return " by ".join(axis.dimension for axis in grouping.axes) or "total"


def _own(members: tuple[frozenset[str], ...]) -> dict[str, int]:
    return {leaf: at for at, group in enumerate(members) for leaf in group}


def _joined(groups: list[frozenset[str]]) -> dict[str, int]:
    """The finest groups that hold each of these whole: a number for every leaf."""
    above = {leaf: leaf for group in groups for leaf in group}

    def top(leaf: str) -> str:
        while above[leaf] != leaf:
            above[leaf] = above[above[leaf]]
            leaf = above[leaf]
        return leaf

    for group in groups:
        first, *others = group
        for leaf in others:
            above[top(leaf)] = top(first)
    places: dict[str, int] = {}
    return {leaf: places.setdefault(top(leaf), len(places)) for leaf in above}


def _summed(grouping: Grouping, counted: Counts, into: dict[str, dict[str, int]]) -> dict[tuple[int, ...], int]:
    """Sums over the groups that each leaf goes into, by dimension; over everything else."""
    sums: dict[tuple[int, ...], int] = defaultdict(int)
    places = [
        [into[axis.dimension][min(group)] for group in axis.members]
        if axis.dimension in into
        else [-1] * len(axis.members)
        for axis in grouping.axes
    ]
    order = sorted(range(len(places)), key=lambda at: grouping.axes[at].dimension)
    kept = [at for at in order if grouping.axes[at].dimension in into]
    for key, count in zip(product(*places), counted, strict=True):
        sums[tuple(key[at] for at in kept)] += count
    return dict(sums)


def _fixed(spec: dict[str, Any], layout: Layout, published: list[list[Counts] | None], clamped: list[int]) -> None:
    """Counts that are given from elsewhere are met by sums of published cells; in clamped tables by one cell."""
    for literal in spec["fixed"]:
        where = {name: selected(layout.books[name], [label]) for name, label in literal["where"].items()}
        where = {name: leaves for name, leaves in where.items() if leaves != layout.books[name].leaves}
        for number, ((given, places), found) in enumerate(zip(layout.tables, published, strict=True)):
            for place, counted in zip(places, found or [], strict=False):
                inside = _inside(layout, layout.groupings[place], counted, where, exactly=literal["count"] > 0)
                if inside is None or (number in clamped and literal["count"] > 0 and len(inside) > 1):
                    continue
                said = f"{literal['where']!r:.120} is fixed at {literal['count']}, and is {sum(inside)}"
                need(sum(inside) == literal["count"], f"table {given['name']}: {said}")


def _inside(
    layout: Layout, grouping: Grouping, counted: Counts, where: dict[str, frozenset[str]], *, exactly: bool
) -> list[int] | None:
    """The counts of the cells inside a population; None if it is no matter of the grouping or, `exactly`, not all."""
    within = dict(grouping.within)
    axes = {axis.dimension: axis.members for axis in grouping.axes}
    every = {name: where.get(name, book.leaves) for name, book in layout.books.items()}
    if not set(where) <= set(axes) | set(within) or any(not leaves <= every[name] for name, leaves in within.items()):
        return None
    chosen = [[group <= every[name] for group in members] for name, members in axes.items()]
    if exactly:
        covers = [(every[name], [group for group in members if group <= every[name]]) for name, members in axes.items()]
        covers += [(every[name], [leaves]) for name, leaves in within.items()]
        if any(
            frozenset().union(*inside) != leaves or sum(map(len, inside)) > len(leaves) for leaves, inside in covers
        ):
            return None
    return [count for inside, count in zip(product(*chosen), counted, strict=True) if all(inside)]
