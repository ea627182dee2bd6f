"""Integers from the real tables of a fit: what tables share first, from coarse to fine, then each table within it.

A **separator** is what tables have in common: a grouping that is the finest one that all tables above it refine. Fixed
margins are treated like separators. So are the measured margins of two-way tables, if there are several tables: every
number of a two-way table is then within 1 of its least-squares value. Each separator is rounded within the separators
below it, and then each table within those below it, so two tables have the same integers wherever they agree.

One table within fixed sums (`_table`): the real cells are raked to the sums. In one and two dimensions every cell of
the raked table is rounded down or up (`round_2d`); if that leaves a cell more than 1 from its least-squares value, a
program looks for integers within 1. In more dimensions, or with levels, lists and two-way margins are rounded first, as
tables of their own: they are what the sums of the cells aim at. Cells are rounded down or up so that all margins come
close to their aims (`round_nd`), moved by units until the fixed sums are met (`fixed_sums`), and then moved in pairs so
that more sums meet their aims (`pair_moves`).

With at most two separators below a table integers always exist. Three that cross may leave none. So the largest table
of that kind is rounded before the separators, and its sums are what other tables share with it. If another one has no
integers then, it is rounded first as well, or all cells are moved a little and rounded again. After `TRIES` such
attempts the tables are refused, and the error names those that cross.
"""

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.errors import SolverError
from discreet.reconcile import tie_breaking
from discreet.reconcile.fixed_sums import balance, meet
from discreet.reconcile.margins import Margins
from discreet.reconcile.misfit import Misfit
from discreet.reconcile.pair_moves import mend
from discreet.reconcile.partitions import Key
from discreet.reconcile.problem import Naming, Problem, bounds
from discreet.reconcile.round_2d import controlled
from discreet.reconcile.round_nd import diffuse

NEAR = 0.1
"""How far raked cells may end from a fixed sum: rounding makes up for it."""

SWEEPS = 50
TRIES = 8
WHOLE_AIMS = 2
"""Dimensions of a margin up to which integers within all its sums always exist."""

CROSSING = 3
"""Separators of one table from which on there may be no integers."""

JITTER = 0.25
"""By how much cells are changed at most, in counts, before they are rounded again."""


@dataclass(frozen=True)
class Whole:
    """Integers of all tables and separators, and how far the largest step is from a real cell to its integer."""

    tables: dict[Key, Integers]
    shift: float


def whole_numbers(problem: Problem, real: dict[Key, Floats], key: int, naming: Naming) -> Whole:
    """Integers close to the real tables of a fit, equal where tables agree.

    Raises
    ------
    SolverError
        No integers were found that meet what is fixed, or what tables share.
    """
    shared = separators(problem)
    rounded = [each for each in shared if (problem.known.get(each, np.array(-1)) < 0).any()]
    first = _crossed(problem, rounded)[:1]
    attempt = 0
    while True:
        try:
            made = _attempt(problem, real, shared, first, key, attempt, naming)
        except _CrossingError as error:
            if len(rounded) < CROSSING or attempt + len(first) >= TRIES:
                raise
            if error.table in first or error.table in shared:
                attempt += 1
            else:
                first.append(error.table)
            continue
        return Whole(made, max(float(np.abs(made[table] - real[table]).max()) for table in problem.tables))


def _crossed(problem: Problem, separators: list[Key]) -> list[Key]:
    """The tables that have so many separators below them that there may be no integers, the largest first."""
    axes = problem.axes
    rounded = set(separators)
    below = {table: axes.maximal([key for key in axes.below(table) if key in rounded]) for table in problem.tables}
    found = [table for table, keys in below.items() if len(keys) >= CROSSING and max(map(len, keys)) > 1]
    return sorted(found, key=lambda table: -axes.size(table))


class _CrossingError(SolverError):
    """A table has no integers within the sums that are fixed already."""

    def __init__(self, message: str, table: Key) -> None:
        super().__init__(message)
        self.table = table


def _attempt(
    problem: Problem,
    real: dict[Key, Floats],
    shared: list[Key],
    first: list[Key],
    key: int,
    attempt: int,
    naming: Naming,
) -> dict[Key, Integers]:
    """The tables that are known or come first, then what is shared, then the other tables."""
    axes = problem.axes
    if attempt:
        real = {table: _jittered(values, key, attempt, number) for number, (table, values) in enumerate(real.items())}
    whole = {each: known for each, known in problem.known.items() if (known >= 0).all()}
    made = {each: known for each, known in whole.items() if each in shared}
    for table in [*(table for table in problem.tables if table in whole), *first]:
        if table in made:
            continue
        made[table] = whole[table] if table in whole else _table(problem, table, real[table], made, key, naming)
        for separator in shared:
            if separator not in made and axes.refines(table, separator):
                made[separator] = axes.add(made[table], table, separator).astype(np.int64)
    for separator in shared:
        if separator not in made:
            made[separator] = _separator(problem, separator, real, made, key, naming)
    for table in problem.tables:
        if table not in made:
            made[table] = _table(problem, table, real[table], made, key, naming)
    return made


def _jittered(values: Floats, key: int, attempt: int, number: int) -> Floats:
    """Real cells moved a little, another way in every attempt and for every table."""
    chance = tie_breaking.priorities(key, values.size, stream=attempt + TRIES * number).astype(np.float64) / 2.0**63 - 1
    return np.maximum(values + JITTER * chance.reshape(values.shape), 0.0)


def separators(problem: Problem) -> list[Key]:
    """What tables share, and fixed margins, from coarse to fine; with two of them, what both refine is one, too."""
    axes = problem.axes
    above: dict[Key, list[Key]] = {}
    if len(problem.tables) > 1:
        for table in problem.tables:
            for key in axes.below(table):
                above.setdefault(key, []).append(table)
    found: set[Key] = {()} if len(problem.tables) > 1 else set()
    for tables in above.values():
        if len(tables) > 1:
            common = tables[0]
            for table in tables[1:]:
                common = axes.meet(common, table)
            found.add(common)
    if len(problem.tables) > 1:
        pairs = [table for table in problem.tables if len(table) == 2]
        found |= {key for key in problem.noisy if len(key) == 1 and any(axes.refines(table, key) for table in pairs)}
    whole = [key for key, known in problem.known.items() if key and (known >= 0).all()]
    for key in whole:
        found |= {axes.meet(key, other) for other in (*found, *whole, *problem.tables)}
    found |= {key for key, known in problem.known.items() if (known >= 0).all()}
    return sorted(found - set(problem.tables), key=lambda key: (axes.size(key), axes.rank(key)))


def _separator(
    problem: Problem,
    separator: Key,
    real: dict[Key, Floats],
    made: dict[Key, Integers],
    key: int,
    naming: Naming,
) -> Integers:
    table = next(table for table in problem.tables if problem.axes.refines(table, separator))
    values = problem.axes.add(real[table], table, separator)
    if not separator:
        return np.rint(values).astype(np.int64)
    return _table(problem, separator, values, made, key, naming)


def _table(problem: Problem, table: Key, real: Floats, made: dict[Key, Integers], key: int, naming: Naming) -> Integers:
    """The integers of one table, within what is made already."""
    axes = problem.axes
    below = [other for other in axes.below(table) if other != table]
    within = {other: made[other] for other in axes.maximal([other for other in below if other in made])}
    within |= {other: problem.known[other] for other in below if other in problem.known and other not in made}
    loose = [other for other in below if other in problem.noisy and not any(axes.refines(one, other) for one in within)]
    local, labels = axes.local(table, [*within, *loose])
    margins = Margins(axes.shape(table), local, labels)
    if not margins.keys:
        low, high = bounds(problem, table)
        return np.rint(real).astype(np.int64).clip(low, high)
    fixed = dict(zip(local, within.values(), strict=False))
    spreads = [problem.variance.get(other) for other in (*within, *loose)]
    weights = dict(zip(local, [0.0 if s is None else 1 / float(np.mean(s)) for s in spreads], strict=True))
    rounding = _Rounding(margins, real, fixed, weights, bounds(problem, table), key)
    whole = rounding.run()
    if whole is None:
        raise _CrossingError(
            f"no non-negative integers were found for {naming.margin(table)} within its sums by"
            f" {', '.join(map(naming.margin, within))}; leave out one of the fixed values, or of the tables that cross"
            " there",
            table,
        )
    return whole


class _Rounding:
    """One table: real cells, sums that must be met, weights of the others, bounds of cells."""

    def __init__(
        self,
        margins: Margins,
        real: Floats,
        fixed: dict[Key, Integers],
        weights: dict[Key, float],
        limits: tuple[Integers, Integers],
        key: int,
    ) -> None:
        self.margins, self.real, self.fixed, self.key = margins, real, fixed, key
        self.low, self.high = limits
        heaviest = max(weights.values()) or 1.0
        self.weights = [heaviest if named in fixed or not weights[named] else weights[named] for named in margins.keys]
        self.aims = [
            sums if fixed.get(named) is None else np.where(fixed[named] >= 0, fixed[named], sums)
            for named, sums in zip(margins.keys, margins.add(real), strict=True)
        ]
        self.owners, self.targets = self._fixed_sums()

    def run(self) -> Integers | None:
        """The integers; None where there are none."""
        cells = self._raked()
        whole = self._two_way(cells)
        if whole is None:
            aims = self._whole_aims()
            whole = diffuse(self.margins, cells, aims, self.weights, (self.low, self.high), self.key)
            whole = self._met(cells, whole)
            if whole is not None and self.plain:
                self._mended(cells, whole, aims)
        elif self.owners and np.abs(whole - self.real).max() > 1:
            whole = self._closer(whole)
        return whole if whole is not None and self._meets(whole) else None

    @property
    def plain(self) -> bool:
        """Return True if no margin has levels."""
        return all(name is None for named in self.margins.keys for _, name in named)

    def _whole_aims(self) -> list[Floats]:
        """Return what the margins aim at: integers for lists and two-way margins, real numbers for others."""
        if not self.plain:
            return self.aims
        aims = dict(zip(self.margins.keys, self.aims, strict=True))
        whole: dict[Key, Integers] = {}
        for named in sorted(aims, key=len):
            if len(named) <= WHOLE_AIMS:
                below = {other: values for other, values in whole.items() if set(other) < set(named)}
                found = self._whole_aim(named, aims[named], below)
                if found is not None:
                    whole[named] = found
        return [whole.get(named, aims[named]).astype(np.float64) for named in self.margins.keys]

    def _whole_aim(self, named: Key, aim: Floats, below: dict[Key, Integers]) -> Integers | None:
        """Return integers for one margin within the integers of coarser margins; None where there are none."""
        known = self.fixed.get(named)
        if known is not None and (known >= 0).all():
            return known
        if not below:
            return np.rint(aim).astype(np.int64)
        renumbered = {axis: number for number, (axis, _) in enumerate(named)}
        fixed: dict[Key, Integers] = {
            tuple((renumbered[axis], None) for axis, _ in other): values for other, values in below.items()
        }
        margins = Margins(np.shape(aim), list(fixed), {})
        limits = np.zeros(np.shape(aim), dtype=np.int64), np.full(np.shape(aim), np.iinfo(np.int64).max)
        return _Rounding(margins, aim, fixed, dict.fromkeys(fixed, 1.0), limits, self.key).run()

    def _mended(self, cells: Floats, whole: Integers, aims: list[Floats]) -> None:
        """Move units between pairs of cells so that more sums are what they aim at; fixed sums stay."""
        misfit = Misfit(self.margins, cells.reshape(-1), aims, [1.0] * len(aims), 1.0, whole.reshape(-1))
        aimed = [number for number, named in enumerate(self.margins.keys) if len(named) <= WHOLE_AIMS]
        mend(misfit, self.margins, aimed, {axis for named in self.fixed for axis, _ in named}, self.key)

    def _fixed_sums(self) -> tuple[list[Integers], list[Integers]]:
        """For each fixed margin the sum each cell belongs to, -1 for none, and the sums."""
        owners, targets = [], []
        every = np.arange(self.real.size)
        for named in self.margins.keys:
            if named in self.fixed:
                known = self.fixed[named].reshape(-1)
                owner = self.margins.owners(named, every)
                owners.append(np.where(known[owner] >= 0, owner, -1))
                targets.append(known.clip(0))
        return owners, targets

    def _raked(self) -> Floats:
        """The cells scaled, sum by sum, until the fixed sums are met; shifted where scaling does not get there."""
        cells = np.clip(self.real, self.low, self.high).reshape(-1)
        free = (self.low < self.high).reshape(-1)
        worst = np.inf
        for _ in range(SWEEPS if self.owners else 0):
            worst = 0.0
            for owner, target in zip(self.owners, self.targets, strict=True):
                inside = owner >= 0
                have = np.bincount(owner[inside], np.where(free, cells, 0.0)[inside], minlength=len(target)) + 0.0
                held = np.bincount(owner[inside], np.where(free, 0.0, cells)[inside], minlength=len(target))
                want = np.maximum(target - held, 0.0)
                asked = np.bincount(owner[inside], minlength=len(target)) > 0
                worst = max(worst, float(np.abs(np.where(asked, have - want, 0.0)).max()))
                ratio = np.divide(want, have, out=np.ones_like(have), where=(have > 0) & asked)
                cells = np.where(inside & free, cells * ratio[owner], cells)
            if worst < 1e-9:
                break
        if self.owners and worst > NEAR:
            cells = balance(cells, self.owners, self.targets, self.low.reshape(-1), self.high.reshape(-1))
        return cells.reshape(self.real.shape)

    def _two_way(self, cells: Floats) -> Integers | None:
        """Tables of at most two dimensions; a list is a table of one column, whose sum is the total."""
        if not self.plain or cells.ndim > 2 or any((values < 0).any() for values in self.fixed.values()):
            return None
        table = cells.reshape(cells.shape + (1,) * (2 - cells.ndim))
        known = {tuple(axis for axis, _ in named): values for named, values in self.fixed.items()}
        rows = known.get((0,)) if cells.ndim > 1 else None
        columns = known.get((1,)) if cells.ndim > 1 else known.get(())
        total = known.get(()) if cells.ndim > 1 else None
        rounded = controlled(table, rows, None if columns is None else np.atleast_1d(columns), total, self.key)
        return None if rounded is None else rounded.reshape(cells.shape)

    def _misfit(self, cells: Floats, whole: Integers) -> Misfit:
        return Misfit(self.margins, cells.reshape(-1), self.aims, self.weights, min(self.weights), whole.reshape(-1))

    def _met(self, cells: Floats, whole: Integers) -> Integers | None:
        """The integers moved so that the fixed sums are met; None where that cannot be."""
        if not self.owners:
            return whole
        misfit = self._misfit(cells, whole)
        priority = tie_breaking.priorities(self.key, whole.size)
        if not meet(misfit, self.owners, self.targets, self.low.reshape(-1), self.high.reshape(-1), priority):
            return None
        return misfit.whole.reshape(whole.shape)

    def _closer(self, whole: Integers) -> Integers:
        """Integers within 1 of the least-squares values, if a program finds some; otherwise those there are."""
        low = np.maximum(self.low, np.ceil(self.real - 1 - 1e-9).astype(np.int64))
        high = np.minimum(self.high, np.floor(self.real + 1 + 1e-9).astype(np.int64))
        start = np.rint(self.real).astype(np.int64).clip(low, high)
        misfit = self._misfit(self.real, start)
        priority = tie_breaking.priorities(self.key, whole.size)
        found = meet(misfit, self.owners, self.targets, low.reshape(-1), high.reshape(-1), priority)
        return misfit.whole.reshape(whole.shape) if found else whole

    def _meets(self, whole: Integers) -> bool:
        """Whether every fixed sum and every bound is met."""
        wrong = bool(((whole < self.low) | (whole > self.high)).any())
        for owner, target in zip(self.owners, self.targets, strict=True):
            inside = owner >= 0
            sums = np.bincount(owner[inside], whole.reshape(-1)[inside], minlength=len(target))
            asked = np.bincount(owner[inside], minlength=len(target)) > 0
            wrong |= bool((np.where(asked, sums - target, 0) != 0).any())
        return not wrong
