"""Check the interval beside each published count (docs/folder.md, "Intervals")."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate, product
from typing import Any

from .additivity import populations_of
from .cells import Grouping, Layout, Noise, selected
from .findings import Report, need
from .joint import Joint, has_one_law, joint_of
from .tables import FILTERS_SINCE, Counts, Ends, PublishedTable
from .weights import Table

JOINT_SINCE = 4
"""The version of the format since which intervals are computed from all measurements together."""

TIE = 1 + 1e-6
"""Intervals of one cell whose widths differ by less may be chosen differently by two machines."""

TAIL = 40
"""One part in so many is left out at either end of an interval, at most."""


def check_intervals(
    report: Report,
    manifest: dict[str, Any],
    layout: Layout,
    noise: Noise,
    tables: list[Table],
    measured: list[Counts | None],
    published: list[PublishedTable | None],
) -> None:
    """Add a finding if every interval is the one that the measurements give.

    Intervals that come from all measurements of a population with levels are not recomputed: they are stated.

    Raise WrongError if a count lies outside its interval, or if an interval that is recomputed has other ends.
    """
    spec = manifest["spec"]
    joint, with_levels = _joint(manifest, layout, noise, tables, measured)
    shared = _shared(layout, [*joint, *with_levels]) if manifest["version"] >= FILTERS_SINCE else {}
    rules = [_Rule(table) for table in tables]
    known: dict[tuple[int, int], tuple[int, int]] = {}
    number = unchecked = 0
    for (document, indices), numbers in zip(layout.tables, published, strict=True):
        if numbers is None or numbers.ends is None:
            continue
        for index, counts, ends in zip(indices, numbers.counts, numbers.ends, strict=True):
            fixed, table, values = _fixed(spec, layout, layout.groupings[index]), noise[index], measured[index]
            for cell, (count, stated) in enumerate(zip(counts, ends, strict=True)):
                low, high = stated
                where = f"table {document['name']}: the interval of a count of {count} is"
                need(
                    0 <= low <= count and (high is None or count <= high), f"{where} {low} to {high}, without the count"
                )
                candidates = shared.get(layout.cells[index][cell], [(index, cell)]) if index in joint else []
                if candidates and with_levels.isdisjoint(group for group, _ in candidates):
                    accepted = any(
                        joint[group].accepts(at, count, stated) for group, at in _narrowest(candidates, joint)
                    )
                    need(accepted, f"{where} {low} to {high}, and {joint[index].in_words(cell)}")
                    number += 1
                    continue
                if cell in fixed:
                    expected: Ends = (count, count)
                elif values is None or table is None or index in with_levels or candidates:
                    unchecked += 1
                    continue
                else:
                    value = values[cell]
                    if (table, value) not in known:
                        known[table, value] = rules[table].ends(value)
                    expected = _widened(*known[table, value], count, tables[table].upper)
                need(stated == expected, f"{where} {low} to {high}, and should be {expected[0]} to {expected[1]}")
                number += 1
    if number:
        report.add("proved", "intervals", f"each of {number} counts is inside the interval that the measurements give")
    if unchecked:
        report.state(f"the intervals of {unchecked} counts; each count is inside its interval")


def _joint(
    manifest: dict[str, Any], layout: Layout, noise: Noise, tables: list[Table], measured: list[Counts | None]
) -> tuple[dict[int, Joint], set[int]]:
    """Return the intervals from all measurements together, and the groupings of populations with levels."""
    spec = manifest["spec"]
    cell_by_cell = spec["fixed"] or spec["key"] == "contributors" or not all(map(has_one_law, tables))
    if manifest["version"] < JOINT_SINCE or cell_by_cell:
        return {}, set()
    by_grouping: dict[int, Joint] = {}
    with_levels: set[int] = set()
    populations, _ = populations_of(spec, layout, ends=False)
    for numbers in populations:
        indices = [index for number in numbers for index in layout.tables[number][1]]
        joint = joint_of(layout, indices, noise, tables, measured)
        if joint is None:
            with_levels |= {index for index in indices if index not in by_grouping}
        else:
            known = by_grouping.keys() | with_levels
            by_grouping |= {index: estimates for index, estimates in joint.items() if index not in known}
    return by_grouping, with_levels


def _shared(layout: Layout, indices: Iterable[int]) -> dict[int, list[tuple[int, int]]]:
    """Return groupings and positions of every cell that is in several groupings."""
    positions: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for index in indices:
        for position, cell in enumerate(layout.cells[index]):
            positions[cell].append((index, position))
    return {cell: own for cell, own in positions.items() if len(own) > 1}


def _narrowest(candidates: list[tuple[int, int]], joint: dict[int, Joint]) -> list[tuple[int, int]]:
    """Return the candidates whose errors have the least distance between their ends, up to rounding."""
    widths = [joint[index].upper - joint[index].lower for index, _ in candidates]
    return [candidate for candidate, width in zip(candidates, widths, strict=True) if width <= min(widths) * TIE]


def _widened(low: int, high: int, count: int, upper: int | None) -> Ends:
    """Return an interval that is widened to the count. It has no end if it reaches the end of the table."""
    return min(low, count), None if upper is not None and high >= upper else max(high, count)


class _Rule:
    """The interval of a measurement, from the weights of all counts that can give the measurement."""

    def __init__(self, table: Table) -> None:
        self.table = table
        small = [(row.first - count, len(row.weights)) for count, row in enumerate(table.rows)]
        noise = small + [(row.first, len(row.weights)) for row in table.interior]
        self.least = min(first for first, _ in noise)
        self.most = max(first + length - 1 for first, length in noise)
        self.start, self.period = len(table.rows), len(table.interior)
        self.far = self.start + self.most  # from here on, weights depend on the residue of the measurement only
        self.cached: dict[int, tuple[int, int]] = {}
        widths = [self._plain(self.far + residue, None) for residue in range(self.period)]
        self.half_width = max((-((low - high) // 2) for low, high in widths), default=0)

    def ends(self, measurement: int) -> tuple[int, int]:
        """Return the first and the last count of the interval of a measurement."""
        upper, moved = self.table.upper, 0
        if self.period and measurement >= self.far and (upper is None or measurement - self.least < upper):
            moved = (measurement - self.far) // self.period * self.period
        if measurement - moved not in self.cached:
            low, high = self._plain(measurement - moved, upper)
            self.cached[measurement - moved] = low, max(high, self.half_width) if low == 0 else high
        low, high = self.cached[measurement - moved]
        return low + moved, high + moved

    def _plain(self, measurement: int, upper: int | None) -> tuple[int, int]:
        """Return the ends before a short interval from 0 is made longer."""
        first, last = max(0, measurement - self.most), measurement - self.least
        last = last if upper is None else min(last, upper)
        weights = [self._weight(count, measurement) for count in range(first, last + 1)]
        sums = list(accumulate(weights))
        need(sums and sums[-1], f"no count can give the measurement {measurement}")
        low = bisect_right(sums, sums[-1] // TAIL)
        high = bisect_left(sums, -(-sums[-1] * (TAIL - 1) // TAIL))
        least = bisect_right(sums, 0)
        return first + (least if weights[least] >= weights[high] else low), first + high

    def _weight(self, count: int, measurement: int) -> int:
        if count < self.start:
            row, index = self.table.rows[count], measurement - self.table.rows[count].first
        else:
            row = self.table.interior[(count - self.start) % self.period]
            index = measurement - count - row.first
        return row.weights[index] if 0 <= index < len(row.weights) else 0


def _fixed(spec: dict[str, Any], layout: Layout, grouping: Grouping) -> set[int]:
    """Return the positions of cells that are fixed: exactly the people of a count, or some of the people of a zero."""
    positions: set[int] = set()
    within = dict(grouping.within)
    for literal in spec["fixed"]:
        exactly = literal["count"] > 0
        people = {name: selected(layout.books[name], [label]) for name, label in literal["where"].items()}
        people = {name: leaves for name, leaves in people.items() if leaves != layout.books[name].leaves}
        if not set(people) <= {axis.dimension for axis in grouping.axes} | set(within):
            continue
        if any(people.get(name) != leaves if exactly else not leaves <= people.get(name, leaves)
               for name, leaves in within.items()):  # fmt: skip
            continue
        chosen = []
        for axis in grouping.axes:
            leaves = people.get(axis.dimension, layout.books[axis.dimension].leaves)
            chosen.append([group == leaves if exactly else group <= leaves for group in axis.members])
        positions |= {position for position, inside in enumerate(product(*chosen)) if all(inside)}
    return positions
