"""Make the tables of a release from its measurements: non-negative integers that add up and meet public counts.

`reconcile` of a specification names the method:

    auto      a hierarchy as a tree, all other tables as a cube. Tables are clamped at 0 if their categories overlap, or
              if the noise has an upper end, because larger counts are then measured as if they were that end
    tree      groupings that nest (country, state, county), by exact least squares
    cube      crossed dimensions with any of their margins, by least squares over the published tables
    wang-3    one list and its total, by the mode of a multinomial (Wang 2020, algorithm 3)
    none      every measurement clamped at 0; tables do not add up

Trees and cubes settle the total first (`settle`): non-negativity pushes small counts up, least squares would let the
total rise with them, and the total is the number that most people read.

Only the measurements, the specification and its public seed are read, so anyone can make the tables again. Tables that
cannot be made are not published; the error is raised.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.domain import Counts
from discreet.errors import ParameterError, SolverError, SpecError
from discreet.plan.fixed import FixedCount
from discreet.plan.layout import Layout
from discreet.plan.measured_cells import MeasuredCells
from discreet.plan.release_plan import ReleasePlan
from discreet.reconcile import fixed_counts, methods
from discreet.reconcile._part_methods import mean_square, method_of_part
from discreet.reconcile.axes import Key
from discreet.reconcile.cliques import Part, in_order, parts
from discreet.reconcile.cubes import Deviation, ReconciledCube, fit_cubes, reconcile_cube, standard_deviations
from discreet.reconcile.settle import PRECISE

Measurements = Sequence[Integers | None]
"""For every grouping its measurements, or None if it is not measured."""

Tables = list[list[Integers]]
"""For every table the counts of each of its groupings, in the order of the layout."""

BATCH = 8
"""Simulated runs that are fitted at once: more take longer, because all wait for the hardest one."""

MOST_SIMULATED_SUMS = 350
"""The most sums in a cube that is simulated. To simulate larger cubes takes more than a fifth of a release."""


@dataclass(frozen=True)
class Fitted:
    """The numbers of one part.

    Attributes
    ----------
    counts
        The integers of every grouping of the part, by its index in the layout.
    free
        Least squares without bounds, by grouping index; None for methods without least squares.
    real
        The numbers of a cube before rounding, by grouping index; None for other methods.
    """

    counts: dict[int, Integers]
    free: dict[int, Floats] | None
    real: dict[int, Floats] | None = None

    def rounding(self, grouping_index: int) -> float:
        """Return the mean square change by rounding of the counts of a grouping; 0 for methods that do not round."""
        if self.real is None:
            return 0.0
        return float(np.mean((self.counts[grouping_index] - self.real[grouping_index]) ** 2))


@dataclass(frozen=True)
class TablePlan:
    """How the tables of a release are made.

    Attributes
    ----------
    measured
        The groupings of the release, and which of them are measured.
    parts
        Tables that are reconciled together, each part with its method, in the order in which they are made.
    clamped
        The indices of tables that are clamped at 0.
    literals
        The public counts of the specification.
    seed
        Decides ties.
    noise_variances
        For every table of noise, the variance of one measurement.
    part_deviations
        The `deviations` of every part. They depend on no measurement, so they are computed once, before the draw.
    """

    measured: MeasuredCells
    parts: tuple[tuple[str, Part], ...]
    clamped: tuple[int, ...]
    literals: tuple[FixedCount, ...]
    seed: int
    noise_variances: tuple[float, ...]
    part_deviations: tuple[dict[int, Deviation] | None, ...] = ()

    @property
    def layout(self) -> Layout:
        """The groupings and tables of the release."""
        return self.measured.layout

    def variance_of(self, grouping_index: int) -> float | None:
        """Return the variance of one measurement of a grouping; None if the grouping is not measured."""
        table = self.measured.noise_of[grouping_index]
        return None if table is None else self.noise_variances[table]

    @property
    def methods(self) -> list[tuple[list[str], str]]:
        """The names of tables that are made together, with their method; "none" for tables that are clamped."""
        names = [table.name for table, _ in self.layout.tables]
        methods = [([names[table] for table in part.tables], method) for method, part in self.parts]
        return methods + ([([names[table] for table in self.clamped], "none")] if self.clamped else [])

    def tables(self, measurements: Measurements) -> Tables:
        """Return the counts of every table, from the measurements of every grouping."""
        return self.by_table(measurements, self.fitted(measurements))

    def fitted(self, measurements: Measurements) -> list[Fitted]:
        """Return the numbers of every part, from the measurements of every grouping."""
        settled = self._nothing_settled()
        fitted = []
        for method, part in self.parts:
            fitted.append(self._fit_part(method, part, measurements, settled))
            self._settle(settled, fitted[-1])
        return fitted

    def by_table(self, measurements: Measurements, fitted: Sequence[Fitted]) -> Tables:
        """Return the counts of every table, from the measurements and the numbers of every part."""
        settled = self._nothing_settled()
        counts: dict[tuple[int, int], Integers] = {}
        for (_, part), fitted_part in zip(self.parts, fitted, strict=True):
            self._settle(settled, fitted_part)
            for table in part.tables:
                counts |= {(table, index): fitted_part.counts[index] for index in self.layout.tables[table][1]}
        for table in self.clamped:
            for index in self.layout.tables[table][1]:
                counts[table, index] = self._clamped(index, measurements[index], settled)
        return [[counts[table, index] for index in indices] for table, (_, indices) in enumerate(self.layout.tables)]

    def _nothing_settled(self) -> Integers:
        """Return -1 for every distinct cell: no part has settled its count."""
        return np.full(len(self.layout.cells.definitions), -1, dtype=np.int64)

    def _settle(self, settled: Integers, fitted: Fitted) -> None:
        """Give the counts of a part to all cells that no earlier part has settled."""
        for index, counts in fitted.counts.items():
            cells = self.layout.cells.indices[index]
            settled[cells] = np.where(settled[cells] < 0, counts.ravel(), settled[cells])

    def _clamped(self, grouping_index: int, measurements: Integers | None, settled: Integers) -> Integers:
        """Return measurements clamped at 0, with settled counts and literals in place of them."""
        assert measurements is not None, "all groupings of such a table are measured"
        known = settled[self.layout.cells.indices[grouping_index]].reshape(measurements.shape)
        counts = np.array(np.where(known >= 0, known, measurements.clip(0)))
        for literal, cells in fixed_counts.cells_of(self.literals, self.layout.groupings[grouping_index]):
            counts[cells] = literal.count
        return counts

    def meets_counts(self, part: Part, *, that_differ: bool = False) -> bool:
        """Return True if a literal above 0 is about the part, or about an earlier part.

        With `that_differ`, ask for a literal that differs from the microdata, as the specification says.
        """
        counts = [literal for literal in self.literals if literal.count and (literal.differs or not that_differ)]
        return any(
            fixed_counts.is_about(literal, other) for literal in counts for other in [*self._earlier(part), part]
        )

    def meets_literals(self, part: Part) -> bool:
        """Return True if a literal is about the part."""
        return any(fixed_counts.is_about(literal, part) for literal in self.literals)

    def follows(self, part: Part) -> bool:
        """Return True if an earlier part, of another population, may have settled counts of the part."""
        return any(part.population != other.population for other in self._earlier(part))

    def _earlier(self, part: Part) -> list[Part]:
        return [other for _, other in self.parts[: self._number(part)]]

    def _number(self, part: Part) -> int:
        return [other for _, other in self.parts].index(part)

    def deviations(self, part: Part) -> dict[int, Deviation] | None:
        """Return the standard deviations of least squares without bounds, over the cells of every grouping of a part.

        Return None if no formula gives it: two dimensions have several levels, or levels do not nest.
        """
        return self.part_deviations[self._number(part)]

    def exact_deviations(self) -> dict[int, Deviation]:
        """Return the standard deviations of least squares, by grouping index, wherever a formula gives it.

        No formula gives it for lists (`wang-3`), and for parts that meet public counts or follow other parts.
        """
        exact: dict[int, Deviation] = {}
        for method, part in self.parts:
            if method != "wang-3" and not self.meets_counts(part) and not self.follows(part):
                exact |= self.deviations(part) or {}
        return exact

    def simulated(self, number: int, runs: Sequence[Measurements]) -> list[dict[int, tuple[Floats, Floats]]] | None:
        """Return the numbers of a part for other measurements.

        Parameters
        ----------
        number
            The number of the part.
        runs
            For every run the measurements of every grouping.

        Returns
        -------
        list or None
            For every run and grouping index, least squares without bounds and the published counts; cubes are not
            rounded. None for parts that meet literals or follow others, for methods without least squares, and for
            cubes with more than `MOST_SIMULATED_SUMS` sums.
        """
        method, part = self.parts[number]
        too_large = method == "cube" and self._sums(part) > MOST_SIMULATED_SUMS
        if self.follows(part) or self.meets_literals(part) or method == "wang-3" or too_large:
            return None
        if method == "tree":
            fitted = [self._fit_part(method, part, measurements, self._nothing_settled()) for measurements in runs]
            return [
                {index: (run.free[index], counts.astype(np.float64)) for index, counts in run.counts.items()}
                for run in fitted
                if run.free is not None
            ]
        cubes = [self._by_key(part, measurements) for measurements in runs]
        variances, others = self.variances(part), self._unmeasured(part)
        batches = [cubes[start : start + BATCH] for start in range(0, len(cubes), BATCH)]
        fits = [cube_fit for batch in batches for cube_fit in fit_cubes(batch, variances, part.levels, others)]
        pairs = [(part.by_grouping(free), part.by_grouping(real)) for free, real in fits]
        return [{index: (free[index], real[index]) for index in part.keys} for free, real in pairs]

    def _sums(self, part: Part) -> int:
        """Return how many cells all margins of the tables of a part have."""
        finest = {in_order(part.keys[self.layout.tables[table][1][0]]) for table in part.tables}
        return sum(math.prod(part.shape(key)) for key in part.distinct if key not in finest)

    def _fit_part(self, method: str, part: Part, measurements: Measurements, settled: Integers) -> Fitted:
        noisy = self._by_key(part, measurements)
        if method == "wang-3":
            return Fitted(part.by_grouping(methods.reconcile_list(part, noisy, self.seed)), None)
        variances, shared = self.variances(part), self._settled_groupings(part, settled)
        if method == "tree":
            indices = part.chain(list(part.distinct.values()))
            assert indices is not None, "a tree is chosen if groupings nest"
            chain = [in_order(part.keys[index]) for index in indices]
            for key in self._unmeasured(part):
                noisy[key], variances[key] = np.zeros(part.shape(key), np.int64), np.asarray(np.inf)
            counts, free = methods.reconcile_chain(part, chain, noisy, variances, shared, self.seed)
            return Fitted(part.by_grouping(counts), part.by_grouping(free))
        cube = self._fit_cube(part, noisy, variances, shared)
        return Fitted(part.by_grouping(cube.values), part.by_grouping(cube.free or {}), part.by_grouping(cube.real))

    def _by_key(self, part: Part, measurements: Measurements) -> dict[Key, Integers]:
        """Return the measurements of a part by key, with axes in order."""
        return {
            key: part.in_axis_order(index, numbers)
            for key, index in part.distinct.items()
            if (numbers := measurements[index]) is not None
        }

    def _unmeasured(self, part: Part) -> list[Key]:
        """Return the keys of the groupings of a part that are not measured."""
        return [key for key, index in part.distinct.items() if self.measured.noise_of[index] is None]

    def variances(self, part: Part) -> dict[Key, Floats]:
        """Return the variance of every measurement, multiplied by the number of groupings that its cell is in.

        A measured cell that is in several groupings has one noise, which must count once.
        """
        cells = {index: self.measured.indices[index] for index in part.distinct.values()}
        times = np.zeros(self.measured.size, dtype=np.int64)
        for own in cells.values():
            if own is not None:
                np.add.at(times, own, 1)
        variances = {}
        for key, index in part.distinct.items():
            own, variance = cells[index], self.variance_of(index)
            if own is None or variance is None:
                continue
            factors = times[own].reshape(self.layout.groupings[index].shape)
            if (factors == 1).all():
                variances[key] = np.asarray(variance)
            else:
                variances[key] = part.in_axis_order(index, variance * factors.astype(np.float64))
        return variances

    def _fit_cube(
        self,
        part: Part,
        noisy: Mapping[Key, Integers],
        variances: Mapping[Key, Floats],
        settled: Mapping[Key, Integers],
    ) -> ReconciledCube:
        """Return a cube that meets literals, and numbers that earlier parts settled.

        If a literal is above 0, settled numbers count as measured with a small variance: they may contradict it.
        """
        literals, levels = fixed_counts.fixed_in_cube(self.literals, part)
        fixed: dict[Key, Any] = dict(literals)
        if any(count for counts in literals.values() for count in counts.values()):
            noisy = {**noisy, **settled}
            of_part = map(self.variance_of, part.grouping_indices)
            least = min(variance for variance in of_part if variance is not None)
            variances = {**variances, **{key: np.asarray(PRECISE * least) for key in settled}}
        else:
            fixed = fixed_counts.combined_fixed(settled, literals)
        others = [key for key in part.distinct if key not in noisy]
        return reconcile_cube(
            dict(noisy), dict(variances), fixed, self.seed, levels, part.naming(), total_first=True, others=others
        )

    def _settled_groupings(self, part: Part, settled: Integers) -> dict[Key, Integers]:
        """Return the groupings of a part whose counts are all settled, from coarse to fine, if they nest and agree."""
        chosen: dict[int, Integers] = {}
        for index in sorted(part.grouping_indices, key=lambda index: self.layout.groupings[index].size):
            counts = settled[self.layout.cells.indices[index]]
            if (counts >= 0).all() and all(
                part.adds_up((index, counts), (coarse, sums)) for coarse, sums in chosen.items()
            ):
                chosen[index] = counts
        return {
            in_order(part.keys[index]): part.in_axis_order(index, counts.reshape(self.layout.groupings[index].shape))
            for index, counts in chosen.items()
        }


def make_table_plan(plan: ReleasePlan) -> TablePlan:
    """Return how the tables of a release are made. Nothing is drawn before this is known to work.

    Raises
    ------
    SpecError
        The method does not fit the tables or the noise, or fixed counts cannot be met.
    """
    spec, layout, literals = plan.spec, plan.layout, plan.literals
    variances = tuple(mean_square(ptable) for ptable in plan.ptables)
    has_end = any(isinstance(ptable.domain, Counts) and ptable.domain.upper is not None for ptable in plan.ptables)
    if has_end and spec.reconcile not in ("auto", "none"):
        raise SpecError(
            f"reconcile is {spec.reconcile}, and the noise has an upper end: larger counts are measured as if they"
            " were that end, and would not add up; take noise without an upper end, or reconcile: none",
            ("reconcile",),
        )
    if spec.reconcile == "none" or has_end:
        table_plan = TablePlan(plan.measured, (), tuple(range(len(layout.tables))), literals, spec.seed, variances)
    else:
        chosen, overlapping = parts(layout, together=spec.reconcile != "wang-3")
        if overlapping and spec.reconcile != "auto":
            name = layout.tables[overlapping[0]][0].name
            raise SpecError(
                f"reconcile is {spec.reconcile}, and table {name!r} has categories that overlap, which cannot add up;"
                " take reconcile: auto, which clamps such tables, or none",
                ("reconcile",),
            )
        with_methods = tuple((method_of_part(spec.reconcile, part, layout, literals), part) for part in chosen)
        table_plan = TablePlan(plan.measured, with_methods, tuple(overlapping), literals, spec.seed, variances)
    _require_literals_met(table_plan)
    deviations = tuple(_deviations(table_plan, part) for _, part in table_plan.parts)
    return replace(table_plan, part_deviations=deviations)


def _deviations(table_plan: TablePlan, part: Part) -> dict[int, Deviation] | None:
    """Return the deviations of a part; None if no formula gives them (`variances`)."""
    variances = table_plan.variances(part)
    shapes = {key: part.shape(key) for key in variances}
    others = [key for key in part.distinct if key not in variances]
    by_key = standard_deviations(shapes, variances, part.levels, others)
    return None if by_key is None else {index: by_key[in_order(key)] for index, key in part.keys.items()}


def _require_literals_met(table_plan: TablePlan) -> None:
    """Raise SpecError if a literal is about no cell, or cannot be met: tried with measurements of 0."""
    fixed_counts.require_comparable(table_plan.literals, table_plan.measured, [part for _, part in table_plan.parts])
    try:
        if table_plan.literals:
            table_plan.tables(table_plan.measured.by_grouping(np.zeros(table_plan.measured.size, np.int64)))
    except (ParameterError, SolverError) as error:
        axes = "; ".join(
            f"axis {axis} is {name}" for _, part in table_plan.parts for axis, name in enumerate(part.dimensions)
        )
        raise SpecError(
            f"no tables were found that meet what is fixed: {error} ({axes or 'no axes'})", ("fixed",)
        ) from None
