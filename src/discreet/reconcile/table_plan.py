"""Tables from measurements: non-negative integers that add up, met by what is public from elsewhere.

`reconcile` of a specification says how:

    auto      a hierarchy as a tree, everything else as a cube; tables whose categories overlap are clamped at 0, and
              so are all where the noise has an upper end, as larger counts are then measured as if they were that
    tree      groupings that nest (country, state, county), by exact least squares
    cube      crossed dimensions with any of their margins, by least squares over the tables that are published
    wang-3    one list and its total, by the mode of a multinomial (Wang 2020, algorithm 3)
    none      every measurement clamped at 0; tables do not add up

The total is settled first, in trees and cubes (`reconcile.settle`): to be non-negative pushes small counts up; least
squares would let the total rise with them, and the total is the number that most people read.

All of it reads the measurements, the specification and its public seed, so anyone can do it again. No failure is passed
over: tables that cannot be made are not published.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.certify.ptable import PTable
from discreet.domain import Counts
from discreet.errors import ParameterError, SolverError, SpecError
from discreet.mechanism import Mechanism
from discreet.plan.fixed import FixedCount
from discreet.plan.layout import Layout
from discreet.plan.release_plan import ReleasePlan
from discreet.reconcile import fixed_counts, methods
from discreet.reconcile.cliques import Key, Part, in_order, parts
from discreet.reconcile.cubes import ReconciledCube, fit_cubes, reconcile_cube, standard_deviations
from discreet.reconcile.settle import PRECISE

Tables = list[list[Integers]]
"""For every table the counts of each of its groupings, in the order of the layout."""

BATCH = 8
"""Simulated runs that are fitted at once: more take longer, as all wait for the hardest."""

LARGE = 10**6
"""A count from which on noise does not depend on the count."""


@dataclass(frozen=True)
class Fitted:
    """The numbers of one part.

    Attributes
    ----------
    counts
        The integers of every grouping that the part has, by its place in the layout.
    free
        Least squares without bounds, by the same places; None for methods without least squares.
    real
        The numbers of a cube before they were rounded, by the same places; None for other methods.
    """

    counts: dict[int, Integers]
    free: dict[int, Floats] | None
    real: dict[int, Floats] | None = None

    def rounding(self, place: int) -> float:
        """The mean square of what rounding did to the counts of a grouping; 0 for methods that make integers."""
        return 0.0 if self.real is None else float(np.mean((self.counts[place] - self.real[place]) ** 2))


@dataclass(frozen=True)
class TablePlan:
    """How the tables of a release are made: parts with their method, and tables that are clamped."""

    layout: Layout
    parts: tuple[tuple[str, Part], ...]
    clamped: tuple[int, ...]
    literals: tuple[FixedCount, ...]
    seed: int
    variance: float

    @property
    def methods(self) -> list[tuple[list[str], str]]:
        """Names of tables that are made together, with the method; "none" for tables that are clamped."""
        names = [table.name for table, _ in self.layout.tables]
        methods = [([names[table] for table in part.tables], method) for method, part in self.parts]
        return methods + ([([names[table] for table in self.clamped], "none")] if self.clamped else [])

    def tables(self, values: Sequence[Integers]) -> Tables:
        """The counts of every table, from the measurements of every grouping."""
        return self.by_table(values, self.fitted(values))

    def fitted(self, values: Sequence[Integers]) -> list[Fitted]:
        """The numbers of every part, one after the other."""
        settled = np.full(len(self.layout.cells[0]), -1, dtype=np.int64)
        found = []
        for method, part in self.parts:
            found.append(self._part(method, part, values, settled))
            self._settle(settled, found[-1])
        return found

    def by_table(self, values: Sequence[Integers], found: Sequence[Fitted]) -> Tables:
        """The counts of every table, from those of the parts."""
        settled = np.full(len(self.layout.cells[0]), -1, dtype=np.int64)
        made: dict[tuple[int, int], Integers] = {}
        for (_, part), each in zip(self.parts, found, strict=True):
            self._settle(settled, each)
            made |= {
                (table, place): each.counts[place] for table in part.tables for place in self.layout.tables[table][1]
            }
        for table in self.clamped:
            made |= {
                (table, place): self._clamped(place, values[place], settled) for place in self.layout.tables[table][1]
            }
        return [[made[number, place] for place in places] for number, (_, places) in enumerate(self.layout.tables)]

    def _settle(self, settled: Integers, found: Fitted) -> None:
        """Cells that no part before has settled get the counts of this one."""
        for place, numbers in found.counts.items():
            here = self.layout.cells[1][place]
            settled[here] = np.where(settled[here] < 0, numbers.ravel(), settled[here])

    def _clamped(self, place: int, values: Integers, settled: Integers) -> Integers:
        known = settled[self.layout.cells[1][place]].reshape(values.shape)
        counts = np.array(np.where(known >= 0, known, values.clip(0)))
        for one, cells in fixed_counts.at(self.literals, self.layout.groupings[place]):
            counts[cells] = one.count
        return counts

    def states_counts(self, part: Part) -> bool:
        """Whether a count other than 0 is given from elsewhere, for the part or for one that it follows."""
        numbers = [each for _, each in self.parts]
        before = numbers[: numbers.index(part) + 1]
        return any(one.count and fixed_counts.within(one, each) is not None for one in self.literals for each in before)

    def stated(self, part: Part) -> bool:
        """Whether a count is given from elsewhere for the part."""
        return any(fixed_counts.within(one, part) is not None for one in self.literals)

    def follows(self, part: Part) -> bool:
        """Whether an earlier part, of another population, may have settled some of its counts."""
        numbers = [each for _, each in self.parts]
        return any(part.population != other.population for other in numbers[: numbers.index(part)])

    def deviations(self, part: Part) -> dict[int, float] | None:
        """The standard deviation of least squares without bounds, over the cells of every grouping of a part.

        None where no formula gives it: where two dimensions have several levels, or levels do not nest.
        """
        found = standard_deviations({key: part.shape(key) for key in part.distinct}, self._variance(part), part.levels)
        return None if found is None else {place: found[in_order(key)] for place, key in part.keys.items()}

    def simulated(
        self, number: int, runs: Sequence[Sequence[Integers]]
    ) -> list[dict[int, tuple[Floats, Floats]]] | None:
        """What a part makes of other measurements: for every run and grouping, least squares and what is published.

        None for parts that meet given counts or follow others, and methods without least squares. Cubes are not
        rounded.
        """
        method, part = self.parts[number]
        if self.follows(part) or self.stated(part) or method == "wang-3":
            return None
        if method == "tree":
            none = np.full(len(self.layout.cells[0]), -1, dtype=np.int64)
            made = [self._part(method, part, values, none) for values in runs]
            return [
                {place: (each.free[place], counts.astype(np.float64)) for place, counts in each.counts.items()}
                for each in made
                if each.free is not None
            ]
        given = [{key: part.turned(p, values[p]) for key, p in part.distinct.items()} for values in runs]
        variance = self._variance(part)
        batches = [given[start : start + BATCH] for start in range(0, len(given), BATCH)]
        found = [each for batch in batches for each in fit_cubes(batch, variance, part.levels)]
        both = [(part.back(free), part.back(real)) for free, real in found]
        return [{place: (free[place], real[place]) for place in part.keys} for free, real in both]

    def _part(self, method: str, part: Part, values: Sequence[Integers], settled: Integers) -> Fitted:
        noisy = {key: part.turned(place, values[place]) for key, place in part.distinct.items()}
        variance = self._variance(part)
        if method == "wang-3":
            made, free = methods.wang_list(part, noisy, self.seed), None
        elif method == "tree":
            chain = part.chain(list(part.distinct.values()))
            assert chain is not None, "a tree is chosen where groupings nest"
            order = [in_order(part.keys[place]) for place in chain]
            made, free = methods.nested(part, order, noisy, variance, self._shared(part, settled), self.seed)
        else:
            found = self._cube(part, noisy, variance, self._shared(part, settled))
            return Fitted(part.back(found.values), part.back(found.free or {}), part.back(found.real))
        return Fitted(part.back(made), None if free is None else part.back(free))

    def _variance(self, part: Part) -> dict[Key, Floats]:
        """The variance of every measurement, as often as its cell is in a grouping: one noise counts once."""
        where = self.layout.cells[1]
        times = np.zeros(len(self.layout.cells[0]), dtype=np.int64)
        for place in part.distinct.values():
            np.add.at(times, where[place], 1)
        found = {}
        for key, place in part.distinct.items():
            often = times[where[place]].reshape(self.layout.groupings[place].shape)
            each = self.variance * often.astype(np.float64)
            found[key] = np.asarray(self.variance) if (often == 1).all() else part.turned(place, each)
        return found

    def _cube(
        self,
        part: Part,
        noisy: Mapping[Key, Integers],
        variance: Mapping[Key, Floats],
        shared: Mapping[Key, Integers],
    ) -> ReconciledCube:
        """Literals are always met. What earlier parts settled is met as well, or nearly, if counts are fixed here."""
        stated, levels = fixed_counts.in_cube(self.literals, part)
        known: dict[Key, Any] = dict(stated)
        if any(count for some in stated.values() for count in some.values()):
            noisy = {**noisy, **shared}
            variance = {**variance, **{key: np.asarray(PRECISE * self.variance) for key in shared}}
        else:
            known = methods.together(shared, stated)
        return reconcile_cube(
            dict(noisy), dict(variance), known, self.seed, levels, methods.naming(part), total_first=True
        )

    def _shared(self, part: Part, settled: Integers) -> dict[Key, Integers]:
        """Groupings whose numbers are settled by earlier parts: from coarse to fine, those that nest and agree."""
        chosen: dict[int, Integers] = {}
        for place in sorted(part.places, key=lambda place: self.layout.groupings[place].size):
            numbers = settled[self.layout.cells[1][place]]
            if (numbers >= 0).all() and all(
                self._agrees(part, place, numbers, other, chosen[other]) for other in chosen
            ):
                chosen[place] = numbers
        return {
            in_order(part.keys[place]): part.turned(place, numbers.reshape(self.layout.groupings[place].shape))
            for place, numbers in chosen.items()
        }

    def _agrees(self, part: Part, fine: int, numbers: Integers, coarse: int, sums: Integers) -> bool:
        holders = part.holders(part.keys[fine], part.keys[coarse])
        if holders is None:
            return False
        return np.array_equal(np.bincount(holders, numbers, minlength=len(sums)), sums)


def make_table_plan(plan: ReleasePlan) -> TablePlan:
    """How the tables of a specification are made; refused where that cannot be, before anything is drawn."""
    spec, layout, ptable, literals = plan.spec, plan.layout, plan.ptable, plan.literals
    every = tuple(range(len(layout.tables)))
    variance = _mean_square(ptable)
    ends = isinstance(ptable.domain, Counts) and ptable.domain.upper is not None
    if ends and spec.reconcile not in ("auto", "none"):
        raise SpecError(
            f"reconcile is {spec.reconcile}, and the noise has an upper end: larger counts are measured as if they"
            " were that, and would not add up; take noise without an end, or reconcile: none",
            ("reconcile",),
        )
    if spec.reconcile == "none" or ends:
        made = TablePlan(layout, (), every, literals, spec.seed, variance)
    else:
        found, overlapping = parts(layout, together=spec.reconcile != "wang-3")
        if overlapping and spec.reconcile != "auto":
            name = layout.tables[overlapping[0]][0].name
            raise SpecError(
                f"reconcile is {spec.reconcile}, and table {name!r} has categories that overlap, which cannot add up;"
                " take reconcile: auto, which leaves such tables as they are, or none",
                ("reconcile",),
            )
        methods = [(_method(spec.reconcile, part, layout, literals), part) for part in found]
        made = TablePlan(layout, tuple(methods), tuple(overlapping), literals, spec.seed, variance)
    _check(made, literals)
    return made


def _mean_square(ptable: PTable) -> float:
    """The mean square of the noise of a large count, the largest over a period; 1 for a table without noise."""
    mechanism = Mechanism.from_table(ptable.table)
    counts = range(LARGE, LARGE + max(1, len(ptable.table.interior)))
    return max(mechanism.variance(count) + mechanism.bias(count) ** 2 for count in counts) or 1.0


def _method(wanted: str, part: Part, layout: Layout, literals: Sequence[FixedCount]) -> str:
    name = layout.tables[part.tables[0]][0].name
    stated = any(fixed_counts.within(one, part) is not None for one in literals)
    if wanted == "wang-3":
        sizes = sorted(math.prod(part.shape(key)) for key in part.distinct)
        if len(sizes) != 2 or sizes[0] != 1 or stated:
            raise SpecError(
                f"reconcile is wang-3, which is for a list and its total, with nothing fixed; table {name!r} is not"
                " that: take auto",
                ("reconcile",),
            )
        return "wang-3"
    nested = part.chain(list(part.distinct.values())) is not None
    if wanted == "tree" and (not nested or stated):
        why = "it has fixed counts" if nested else "its groupings do not nest"
        raise SpecError(
            f"reconcile is tree, and table {name!r} is no hierarchy ({why}); take auto or cube", ("reconcile",)
        )
    return "tree" if wanted == "tree" or (wanted == "auto" and nested and not stated) else "cube"


def _check(made: TablePlan, literals: Sequence[FixedCount]) -> None:
    """Every literal is about some cell, and can be met: tried with measurements of 0, before any is drawn."""
    layout = made.layout
    if not literals:
        return
    for one in literals:
        shown = any(True for grouping in layout.groupings for _ in fixed_counts.at([one], grouping))
        summed = one.count > 0 and any(fixed_counts.within(one, part) is not None for _, part in made.parts)
        used = shown or summed
        if not used:
            raise SpecError(
                f"fixed gives {one.count} for {one.text}, who are no published cell, and no sum of such cells; leave it"
                " out, or publish the margin",
                one.yaml_path,
            )
    try:
        made.tables([np.zeros(grouping.shape, dtype=np.int64) for grouping in layout.groupings])
    except (ParameterError, SolverError) as error:
        axes = "; ".join(f"axis {axis} is {name}" for _, part in made.parts for axis, name in enumerate(part.names))
        raise SpecError(
            f"no tables were found that meet what is fixed: {error} ({axes or 'no axes'})", ("fixed",)
        ) from None
