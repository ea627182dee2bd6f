"""What a release folder says about the true counts, for anyone who holds it.

All of it is made from `measurements.csv` and the certificate, never from the published tables, whose numbers were
clamped at 0 or reconciled.

Cells are chosen by their labels (`choose`). A margin that was measured itself tells more than the sum of its parts, so
sums, shares and changes are made from the fewest measurements of a table that hold the chosen people, unless a prior
other than the flat one is given: that is about the finest cells, so they are used.

Changes are of the same people in both folders: the codebooks, the leaves of every label, the filters and who is counted
how often are compared, not just names.
"""

import csv
import io
import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import add, itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Integers
from discreet.domain import Counts
from discreet.errors import ParameterError
from discreet.exact import Number
from discreet.infer import _changes, _same_population, _select_cells, combine
from discreet.infer import prior as priors
from discreet.infer._select_cells import Cells
from discreet.infer.combine import Estimate
from discreet.infer.credible_intervals import heads, intervals, listed
from discreet.infer.posterior_value import Posterior
from discreet.infer.posteriors import posterior
from discreet.infer.prior import Flat

if TYPE_CHECKING:
    from discreet.plan.sections import TableSpec
    from discreet.publish.verify_folder import MeasuredFolder


Known = Callable[[str, int, Any], tuple[list[tuple[Any, ...]], Integers]]
"""From a table's name, a grouping and a prior: different ends of rows, and which of them each cell has."""

Used = tuple[int, tuple[str, ...]]
"""A number of cells, and the dimensions by which they were measured."""


def folder(path: str | os.PathLike[str]) -> "Readings":
    """A release folder, its files, its certificate and its promise checked against its manifest.

    That the tables are made from the measurements, and the rest of what it claims, is for `discreet verify`.

    Raises
    ------
    CertificateError
        The folder is not one, a file in it is not the one that its manifest names, or the certificate is not one with
        which the specification's design and budget hold.
    """
    from discreet.publish.verify_folder import read_folder  # the engines take a while to load

    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError(f"the folder is {path!r:.60}; give the path of a release folder")
    return Readings(read_folder(path))


@dataclass(frozen=True, eq=False)
class Readings:
    """The measurements of a release, and what they say."""

    release: "MeasuredFolder"

    @cached_property
    def tables(self) -> dict[str, tuple["TableSpec", tuple[int, ...]]]:
        """The tables by name, each with the places of its groupings, the finest first."""
        return {table.name: (table, places) for table, places in self.release.plan.layout.tables}

    def csv(self, level: Number = 0.95, prior: Any = None, table: str | None = None) -> str:
        """Every cell of one table, or of all: its labels, its measurement, interval, mean and most likely count.

        The prior is about the cells of a table; its margins, which are sums of them, have the flat one.
        """

        def known(_: str, place: int, believed: Any) -> tuple[list[tuple[Any, ...]], Integers]:
            measured, which = np.unique(self.release.measurements[place], return_inverse=True)
            found = listed(intervals(self.release.plan.ptable, measured, level, believed))
            return [(number, *about) for number, about in zip(measured.tolist(), found, strict=True)], which

        return self._csv(table, ("measured", *heads(self.release.plan.ptable)), known, prior)

    def changes(self, before: "Readings", level: Number = 0.95, prior: Any = None, table: str | None = None) -> str:
        """Every cell of one table, or of all: both measurements, and what is known of the change since `before`.

        Where a count may be at the end of its table's domain or beyond, the change has no end on that side.
        """
        self._apart(before)

        def known(name: str, place: int, believed: Any) -> tuple[list[tuple[Any, ...]], Integers]:
            at = self._same(before, name, place)
            now, then = self.release.measurements[place].ravel(), before.release.measurements[at].ravel()
            pairs, which = np.unique(np.stack([now, then], axis=1), axis=0, return_inverse=True)
            found = _changes.changes((self.release.plan.ptable, before.release.plan.ptable), pairs, level, believed)
            return [(*pair, *about) for pair, about in zip(pairs.tolist(), found, strict=True)], which

        columns = heads(self.release.plan.ptable, before.release.plan.ptable)
        return self._csv(table, ("measured", "measured_before", *columns), known, prior)

    def total(self, chosen: Sequence[str], prior: Any = None, table: str | None = None) -> Posterior:
        """The sum of the cells that are chosen, from the fewest measurements that hold it.

        A flat prior is on the sum where the noise is plain (`combine.measured_total`), else on every cell that is used;
        any other prior is on every one of the finest cells.
        """
        return self._sum(self._cells(_listed(chosen), prior, table), prior)

    def total_change(
        self, before: "Readings", chosen: Sequence[str], prior: Any = None, table: str | None = None
    ) -> Posterior:
        """The change of a sum since `before`, a folder of another version of the data."""
        now, then = self._both(before, _listed(chosen), prior, table)
        return combine.difference(self._sum(now, prior), before._sum(then, prior))

    def share(
        self,
        part: str,
        whole: Sequence[str] = ("",),
        level: Number = 0.95,
        prior: Any = None,
        table: str | None = None,
        seed: int | None = 0,
    ) -> Estimate:
        """The share of the part's cells in those of the whole, all of the table unless chosen."""
        inside, rest = self._parts(part, _listed(whole), prior, table)
        return combine.share(self._sum(inside, prior), self._sum(rest, prior), level, seed)

    def used(
        self, chosen: Sequence[str], prior: Any = None, table: str | None = None, before: "Readings | None" = None
    ) -> list[Used]:
        """What a sum, or its change since `before`, is made from."""
        if before is None:
            return self._used(self._cells(_listed(chosen), prior, table))
        return self._used(self._both(before, _listed(chosen), prior, table)[0])

    def used_by_share(
        self, part: str, whole: Sequence[str] = ("",), prior: Any = None, table: str | None = None
    ) -> tuple[list[Used], list[Used]]:
        """What a part is made from, and what the rest of the whole is."""
        inside, rest = self._parts(part, _listed(whole), prior, table)
        return self._used(inside), self._used(rest)

    def measured(self, chosen: str, table: str | None = None) -> int | None:
        """The measurement of the chosen cells as one, where the table has it: a cell itself, or a margin."""
        _, places = self._table(table)
        labels = _select_cells.read(chosen)
        for place in places:
            sides = self.release.plan.layout.groupings[place].axes
            if {side.book.name for side in sides} == set(labels) and all(
                labels[side.book.name] in side.labels for side in sides
            ):
                at = tuple(side.labels.index(labels[side.book.name]) for side in sides)
                return int(self.release.measurements[place][at])
        return None

    def flat_sum(self, prior: Any = None) -> bool:
        """Whether sums are found under a flat prior on the sum, rather than under one on each of its cells."""
        return isinstance(priors.read(prior), Flat) and combine.plain(self.release.plan.ptable)

    def _table(self, name: str | None) -> tuple["TableSpec", tuple[int, ...]]:
        if name is None and len(self.tables) == 1:
            return next(iter(self.tables.values()))
        if name not in self.tables:
            said = "no table is named" if name is None else f"there is no table {name!r}"
            raise ParameterError(f"{said}; choose one of: {', '.join(self.tables)}")
        return self.tables[name]

    def _csv(self, name: str | None, columns: tuple[str, ...], known: Known, prior: Any) -> str:
        from discreet.labels import TOTAL

        chosen = list(self.tables.values()) if name is None else [self._table(name)]
        names = [book.name for book in self.release.plan.layout.books]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["table", *names, *columns])
        for table, places in chosen:
            here = {axis.dimension for axis in table.dimensions}
            for place in places:
                about, which = known(table.name, place, prior if place == places[0] else None)
                sides = self.release.plan.layout.groupings[place].axes
                at = {side.book.name: 3 + axis for axis, side in enumerate(sides)}
                labels = itertools.product([table.name], [""], [TOTAL], *(side.labels for side in sides))
                kept = [0, *(at.get(each, 2 if each in here else 1) for each in names)]
                start = 3 + len(sides)
                row = itemgetter(*kept, *range(start, start + len(columns)))
                writer.writerows(map(row, map(add, labels, map(about.__getitem__, which.ravel().tolist()))))
        return out.getvalue()

    def _cells(
        self, chosen: Sequence[str], prior: Any, table: str | None, without: Sequence[str | None] = ()
    ) -> list[Cells]:
        """The fewest cells of a table that hold what is chosen; `without` has what is left out of each, or None."""
        places = self._table(table)[1]
        return self._fewest(chosen, prior, places, self._ended, without)

    def _both(
        self, before: "Readings", chosen: Sequence[str], prior: Any, table: str | None
    ) -> tuple[list[Cells], list[Cells]]:
        """The fewest cells of a sum that both folders have, here and there."""
        self._apart(before)
        spec, places = self._table(table)
        shared = {places[0]: self._same(before, spec.name, places[0])}
        for place in places[1:]:
            if (at := self._matching(before, spec.name, place)) is not None:
                shared[place] = at

        def there(cells: Cells) -> Cells:
            return Cells(shared[cells.place], cells.mask)

        def ended(cells: Cells) -> bool:
            return self._ended(cells) or before._ended(there(cells))

        now = self._fewest(chosen, prior, list(shared), ended)
        return now, [there(cells) for cells in now]

    def _fewest(
        self,
        chosen: Sequence[str],
        prior: Any,
        places: Sequence[int],
        ended: Callable[[Cells], bool],
        without: Sequence[str | None] = (),
    ) -> list[Cells]:
        """The fewest cells of some groupings, the finest first; of those that have no sum only where all have none."""
        known = [(place, self.release.plan.layout.groupings[place]) for place in places]
        _select_cells.apart(known[0][1], chosen)
        if not isinstance(priors.read(prior), Flat):
            known = known[:1]
        found = []
        for text, left_out in itertools.zip_longest(chosen, without):
            ways = _select_cells.ways(
                known, _select_cells.read(text), None if left_out is None else _select_cells.read(left_out)
            )
            found.append(next((way for way in ways if not ended(way)), ways[-1]))
        return found

    def _ended(self, cells: Cells) -> bool:
        """Whether one of them may be at the end of the table's domain or beyond, under a flat prior."""
        domain = self.release.plan.ptable.domain
        if not isinstance(domain, Counts) or domain.upper is None:
            return False
        measured = self.release.measurements[cells.place][cells.mask]
        return any(belief.open_end for belief in posterior(self.release.plan.ptable, measured))

    def _parts(self, part: str, whole: Sequence[str], prior: Any, table: str | None) -> tuple[list[Cells], list[Cells]]:
        """The cells of a part, and of the rest of the whole."""
        finest = self.release.plan.layout.groupings[self._table(table)[1][0]]
        masks = _select_cells.apart(finest, whole)
        inside, within = _select_cells.mask(finest, _select_cells.read(part)), np.logical_or.reduce(masks)
        if (inside & ~within).any():
            raise ParameterError(f"the part {part!r} has cells outside of the whole; choose a whole that holds it")
        if not (within & ~inside).any():
            raise ParameterError(f"the part {part!r} is the whole, so its share is 1; choose a smaller part")
        rest = [(text, mask) for text, mask in zip(whole, masks, strict=True) if (mask & ~inside).any()]
        without = [part if (mask & inside).any() else None for _, mask in rest]
        return self._cells([part], prior, table), self._cells([text for text, _ in rest], prior, table, without)

    def _sum(self, cells: Sequence[Cells], prior: Any) -> Posterior:
        measured = np.concatenate([self.release.measurements[each.place][each.mask] for each in cells])
        if self.flat_sum(prior):
            return combine.measured_total(self.release.plan.ptable, measured, prior)
        return combine.total(posterior(self.release.plan.ptable, measured, prior))

    def _used(self, cells: Sequence[Cells]) -> list[Used]:
        numbers: dict[int, int] = {}
        for each in cells:
            numbers[each.place] = numbers.get(each.place, 0) + each.number
        return [
            (number, tuple(side.book.name for side in self.release.plan.layout.groupings[place].axes))
            for place, number in numbers.items()
        ]

    def _apart(self, before: "Readings") -> None:
        """Refuse a folder of the same version, and one that counts other units, or more or fewer of their rows."""
        if not isinstance(before, Readings):
            raise ParameterError(f"what was before is {before!r:.60}; give what folder(...) returns")
        if self.release.plan.spec.version == before.release.plan.spec.version:
            raise ParameterError(
                f"both folders are of version {self.release.plan.spec.version!r} of the data, so nothing changed"
                " between them; give folders of two versions"
            )
        here, there = (_same_population.counted(each.release.plan.spec.unit) for each in (self, before))
        if here != there:
            raise ParameterError(
                f"{before.release.path} counts {there} and {self.release.path} {here}, so their counts differ where"
                " nothing changed; give folders whose specifications have the same unit"
            )

    def _same(self, before: "Readings", name: str, place: int) -> int:
        """The grouping of the other folder with the same table, dimensions, labels, filters and people in each."""
        at = self._matching(before, name, place)
        if at is None:
            by = " by ".join(side.book.name for side in self.release.plan.layout.groupings[place].axes) or "the total"
            raise ParameterError(
                f"{before.release.path} does not have the cells of table {name!r}, {by}; choose a table that both"
                " folders have"
            )
        return at

    def _matching(self, before: "Readings", name: str, place: int) -> int | None:
        """The same, None where the other folder does not have it."""
        ours = self.release.plan.layout.groupings[place]
        asked = [side.book.name for side in ours.axes]
        for at in before.tables[name][1] if name in before.tables else ():
            theirs = before.release.plan.layout.groupings[at]
            if [side.book.name for side in theirs.axes] == asked:
                if said := _same_population.differing(ours, theirs):
                    raise ParameterError(
                        f"table {name!r} of {before.release.path} is of other people: {said}; changes need the same"
                        " dimensions, levels and filters, so choose a table in which they are, or publish both versions"
                        " by one specification"
                    )
                return at
        return None


def _listed(chosen: Any) -> Sequence[str]:
    """Choices of cells; one may be given by itself."""
    listed = [chosen] if isinstance(chosen, str) else list(chosen) if isinstance(chosen, Iterable) else []
    if not listed or not all(isinstance(text, str) for text in listed):
        raise ParameterError(f'cells are chosen by {chosen!r:.60}; give texts such as "district=Abbey", or "" for all')
    return listed
