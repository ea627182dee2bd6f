"""Round the real tables of a fit: the groupings that tables share first, from coarse to fine, then each table.

A **separator** is a grouping that tables have in common: the finest grouping that all tables which refine it refine.
Fixed margins are treated like separators. If there are several tables, so are the published margins of two-way tables:
every number of a two-way table is then within 1 of its least-squares value. Each separator is rounded within the
separators below it, and then each table within the separators below it (`round_table`). So two tables have the same
integers in every margin that they share.

With at most two separators below a table, integers always exist. Three that cross may leave none. So the largest table
with such separators is rounded before the separators, and its sums are what other tables share with it. If another
table then has no integers, that table is rounded first as well, or all cells are moved a little and rounded again.
After `TRIES` attempts the tables are refused, and the error names those that cross.
"""

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.errors import SolverError
from discreet.reconcile import tie_breaking
from discreet.reconcile.axes import Key
from discreet.reconcile.margins import Margins
from discreet.reconcile.problem import Naming, Problem, bounds
from discreet.reconcile.round_table import TableRounding

TRIES = 8
"""Most attempts."""

CROSSING = 3
"""The number of separators of one table from which on there may be no integers."""

JITTER = 0.25
"""The largest change of cells, in counts, before they are rounded again."""


@dataclass(frozen=True)
class RoundedTables:
    """The integers of all tables and separators, and the largest step from a real cell to its integer."""

    tables: dict[Key, Integers]
    shift: float


def whole_numbers(problem: Problem, real: dict[Key, Floats], seed_key: int, naming: Naming) -> RoundedTables:
    """Return integers close to the real tables of a fit, equal in margins that tables share.

    Parameters
    ----------
    problem
        The problem with its fixed values.
    real
        The real tables.
    seed_key
        Decides ties.
    naming
        How error messages name margins.

    Raises
    ------
    SolverError
        No integers were found that meet fixed values, or sums that tables share.
    """
    shared = separators(problem)
    rounded = [key for key in shared if (problem.known.get(key, np.array(-1)) < 0).any()]
    first = _crossed_tables(problem, rounded)[:1]
    attempt = 0
    while True:
        jittered = _jittered(real, seed_key, attempt) if attempt else real
        try:
            tables = _Attempt(problem, jittered, shared, seed_key, naming).run(first)
        except _CrossingError as error:
            if len(rounded) < CROSSING or attempt + len(first) >= TRIES:
                raise
            if error.table in first or error.table in shared:
                attempt += 1
            else:
                first.append(error.table)
            continue
        return RoundedTables(tables, max(float(np.abs(tables[key] - real[key]).max()) for key in problem.tables))


def separators(problem: Problem) -> list[Key]:
    """Return the separators of a problem, from coarse to fine.

    With two fixed margins, the finest grouping that both refine is a separator, too.
    """
    axes = problem.axes
    keys = _shared_groupings(problem) if len(problem.tables) > 1 else set()
    fixed = [key for key, known in problem.known.items() if (known >= 0).all()]
    fixed_margins = [key for key in fixed if key]
    for key in fixed_margins:
        keys |= {axes.meet(key, other) for other in (*keys, *fixed_margins, *problem.tables)}
    keys |= set(fixed)
    return sorted(keys - set(problem.tables), key=lambda key: (axes.size(key), axes.rank(key)))


def _shared_groupings(problem: Problem) -> set[Key]:
    """Return the total, the finest groupings that several tables share, and given margins of two-way tables."""
    axes = problem.axes
    refining: dict[Key, list[Key]] = {}
    for table in problem.tables:
        for key in axes.below(table):
            refining.setdefault(key, []).append(table)
    shared: set[Key] = {()}
    for tables in refining.values():
        if len(tables) > 1:
            common = tables[0]
            for table in tables[1:]:
                common = axes.meet(common, table)
            shared.add(common)
    two_way = [table for table in problem.tables if len(table) == 2]
    margins = [key for key in (*problem.noisy, *problem.unmeasured) if len(key) == 1]
    return shared | {key for key in margins if any(axes.refines(table, key) for table in two_way)}


def _crossed_tables(problem: Problem, separators: list[Key]) -> list[Key]:
    """Return the tables that may have no integers, because many separators are below them, the largest first."""
    axes = problem.axes
    below = {table: axes.maximal([key for key in axes.below(table) if key in separators]) for table in problem.tables}
    crossed = [table for table, keys in below.items() if len(keys) >= CROSSING and max(map(len, keys)) > 1]
    return sorted(crossed, key=lambda table: -axes.size(table))


def _jittered(real: dict[Key, Floats], seed_key: int, attempt: int) -> dict[Key, Floats]:
    """Return real cells moved a little, another way in every attempt and for every table."""
    jittered = {}
    for number, (table, values) in enumerate(real.items()):
        words = tie_breaking.priorities(seed_key, values.size, stream=attempt + TRIES * number)
        change = words.astype(np.float64) / 2.0**63 - 1
        jittered[table] = np.maximum(values + JITTER * change.reshape(values.shape), 0.0)
    return jittered


class _CrossingError(SolverError):
    """A table has no integers within the sums that are fixed already."""

    def __init__(self, message: str, table: Key) -> None:
        super().__init__(message)
        self.table = table


class _Attempt:
    """One attempt to round all separators and tables of a problem."""

    def __init__(
        self, problem: Problem, real: dict[Key, Floats], shared: list[Key], seed_key: int, naming: Naming
    ) -> None:
        self.problem, self.real, self.shared = problem, real, shared
        self.seed_key, self.naming = seed_key, naming
        self.integers: dict[Key, Integers] = {}

    def run(self, first: list[Key]) -> dict[Key, Integers]:
        """Return the integers of all separators and tables: tables fixed or given first, then separators, then tables.

        Raise _CrossingError if a table has no integers within the sums that are fixed by then.
        """
        axes, integers = self.problem.axes, self.integers
        fixed = {key: known for key, known in self.problem.known.items() if (known >= 0).all()}
        integers |= {key: known for key, known in fixed.items() if key in self.shared}
        for table in [*(table for table in self.problem.tables if table in fixed), *first]:
            if table in integers:
                continue
            integers[table] = fixed[table] if table in fixed else self._rounded(table, self.real[table])
            for separator in self.shared:
                if separator not in integers and axes.refines(table, separator):
                    integers[separator] = axes.add(integers[table], table, separator).astype(np.int64)
        for separator in self.shared:
            if separator not in integers:
                integers[separator] = self._rounded_separator(separator)
        for table in self.problem.tables:
            if table not in integers:
                integers[table] = self._rounded(table, self.real[table])
        return integers

    def _rounded_separator(self, separator: Key) -> Integers:
        axes = self.problem.axes
        table = next(table for table in self.problem.tables if axes.refines(table, separator))
        values = axes.add(self.real[table], table, separator)
        return self._rounded(separator, values) if separator else np.rint(values).astype(np.int64)

    def _rounded(self, table: Key, real: Floats) -> Integers:
        """Return the integers of one table or separator, within the integers that are known already."""
        problem, axes = self.problem, self.problem.axes
        below = [key for key in axes.below(table) if key != table]
        within = {key: self.integers[key] for key in axes.maximal([key for key in below if key in self.integers])}
        within |= {key: problem.known[key] for key in below if key in problem.known and key not in self.integers}
        given = {*problem.noisy, *problem.unmeasured}
        loose = [key for key in below if key in given and not any(axes.refines(known, key) for known in within)]
        local_keys, labels = axes.local(table, [*within, *loose])
        margins = Margins(axes.shape(table), local_keys, labels)
        low, high = bounds(problem, table)
        if not margins.keys:
            return np.rint(real).astype(np.int64).clip(low, high)
        fixed = dict(zip(local_keys, within.values(), strict=False))
        variances = [problem.variance.get(key) for key in (*within, *loose)]
        precisions = [0.0 if variance is None else 1 / float(np.mean(variance)) for variance in variances]
        weights = dict(zip(local_keys, precisions, strict=True))
        integers = TableRounding(margins, real, fixed, weights, (low, high), self.seed_key).run()
        if integers is None:
            raise _CrossingError(
                f"no non-negative integers were found for {self.naming.margin(table)} within its sums by"
                f" {', '.join(map(self.naming.margin, within))}; leave out one of the fixed values, or of the tables"
                " that cross there",
                table,
            )
        return integers
