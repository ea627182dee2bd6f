"""What a release folder says about the true counts, for anyone who holds it.

All of it is made from `measurements.csv` and the certificate, never from the published tables, whose numbers were
clamped at 0 or reconciled.

Cells are chosen by their labels: "district=Abbey,age=0-15" is one cell of a table with these two dimensions, and
"district=Abbey" is all of its cells in that district. Their beliefs are added up as independent, so no person may be in
two of them: cells that overlap (18+ and 65+), and a cell chosen twice, are refused. Where the chosen cells are a margin
that was measured itself, that measurement tells more about the sum than its parts do.
"""

import csv
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.errors import ParameterError
from discreet.exact import Number
from discreet.infer import combine
from discreet.infer import prior as priors
from discreet.infer.belief import Posterior
from discreet.infer.columns import Intervals, intervals
from discreet.infer.combine import Estimate
from discreet.infer.posterior import posterior
from discreet.infer.prior import Flat

if TYPE_CHECKING:
    from discreet.release.cells import Grouping
    from discreet.release.check import Folder
    from discreet.release.spec import TableSpec

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

FOUND = ("low", "high", "mean", "most_likely")


def folder(path: str | os.PathLike[str]) -> "Readings":
    """A release folder, its files and its certificate checked against its manifest.

    Raises
    ------
    CertificateError
        The folder is not one, or a file in it is not the one that its manifest names.
    """
    from discreet.release.check import read  # the engines take a while to load

    return Readings(read(path))


@dataclass(frozen=True, eq=False)
class Readings:
    """The measurements of a release, and what they say."""

    held: "Folder"

    @cached_property
    def tables(self) -> dict[str, tuple["TableSpec", tuple[int, ...]]]:
        """The tables by name, each with the places of its groupings, the finest first."""
        return {table.name: (table, places) for table, places in self.held.layout.tables}

    def csv(self, level: Number = 0.95, prior: Any = None, table: str | None = None) -> str:
        """Every cell of one table, or of all: its labels, its measurement, interval, mean and most likely count.

        The prior is about the cells of a table; its margins, which are sums of them, have the flat one.
        """

        def known(_: str, place: int, believed: Any) -> tuple[Integers, Intervals]:
            measured = self.held.measurements[place].ravel()
            return measured, intervals(self.held.ptable, measured, level, believed)

        return self._csv(table, ("measured",), known, prior)

    def changes(self, before: "Readings", level: Number = 0.95, prior: Any = None, table: str | None = None) -> str:
        """Every cell of one table, or of all: both measurements, and what is known of the change since `before`."""
        self._apart(before)

        def known(name: str, place: int, believed: Any) -> tuple[Integers, Intervals]:
            at = self._same(before, name, place)
            now, then = self.held.measurements[place].ravel(), before.held.measurements[at].ravel()
            pairs, inverse = np.unique(np.stack([now, then], axis=1), axis=0, return_inverse=True)
            ours = posterior(self.held.ptable, pairs[:, 0], believed)
            theirs = posterior(before.held.ptable, pairs[:, 1], believed)
            moved = [combine.difference(one, other) for one, other in zip(ours, theirs, strict=True)]
            ends = np.array([each.interval(level) for each in moved])
            means, modes = np.array([each.mean() for each in moved]), np.array([each.mode() for each in moved])
            row = inverse.ravel()
            return np.stack([now, then], axis=1), Intervals(ends[row, 0], ends[row, 1], means[row], modes[row])

        return self._csv(table, ("measured", "measured_before"), known, prior)

    def total(self, chosen: Sequence[str], prior: Any = None, table: str | None = None) -> Posterior:
        """The sum of the cells that are chosen.

        A flat prior is on the sum where the noise is plain (`combine.measured_total`); any other is on every cell.
        """
        place, mask = self._choose(chosen, table)
        return self._sum(place, mask, prior)

    def total_change(
        self, before: "Readings", chosen: Sequence[str], prior: Any = None, table: str | None = None
    ) -> Posterior:
        """The change of a sum since `before`, a folder of another version of the data."""
        self._apart(before)
        return combine.difference(self.total(chosen, prior, table), before.total(chosen, prior, table))

    def share(
        self,
        part: str,
        whole: Sequence[str] = ("",),
        level: Number = 0.95,
        prior: Any = None,
        table: str | None = None,
        seed: int = 0,
    ) -> Estimate:
        """The share of the part's cells in those of the whole, all of the table unless chosen."""
        place, within = self._choose(whole, table)
        _, inside = self._choose([part], table)
        if (inside & ~within).any():
            raise ParameterError(f"the part {part!r} has cells outside of the whole; choose a whole that holds it")
        if not (within & ~inside).any():
            raise ParameterError(f"the part {part!r} is the whole, so its share is 1; choose a smaller part")
        rest = self._sum(place, within & ~inside, prior)
        return combine.share(self._sum(place, inside, prior), rest, level, seed)

    def measured(self, chosen: str, table: str | None = None) -> int | None:
        """The measurement of the chosen cells as one, where the table has it: a cell itself, or a margin."""
        _, places = self._table(table)
        labels = _labels(chosen)
        for place in places:
            sides = self.held.layout.groupings[place].sides
            if {side.book.name for side in sides} == set(labels):
                at = tuple(side.labels.index(labels[side.book.name]) for side in sides)
                return int(self.held.measurements[place][at])
        return None

    def flat_sum(self, prior: Any = None) -> bool:
        """Whether sums are found under a flat prior on the sum, rather than under one on each of its cells."""
        return isinstance(priors.read(prior), Flat) and combine.plain(self.held.ptable)

    def number(self, chosen: Sequence[str], table: str | None = None) -> int:
        """How many cells are chosen."""
        return int(self._choose(chosen, table)[1].sum())

    def _table(self, name: str | None) -> tuple["TableSpec", tuple[int, ...]]:
        if name is None and len(self.tables) == 1:
            return next(iter(self.tables.values()))
        if name not in self.tables:
            said = "no table is named" if name is None else f"there is no table {name!r}"
            raise ParameterError(f"{said}; choose one of: {', '.join(self.tables)}")
        return self.tables[name]

    def _csv(self, name: str | None, heads: tuple[str, ...], known: Any, prior: Any) -> str:
        from discreet.release.output import rows

        chosen = list(self.tables.values()) if name is None else [self._table(name)]
        names = [book.name for book in self.held.layout.books]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["table", *names, *heads, *FOUND])
        for table, places in chosen:
            at = [1 + names.index(axis.dimension) for axis in table.dimensions]
            for place in places:
                measured, found = known(table.name, place, prior if place == places[0] else None)
                cells = rows(table, [(self.held.layout.groupings[place], self.held.measurements[place])])
                columns = (measured.tolist(), found.low.tolist(), found.high.tolist(), found.mean, found.mode.tolist())
                for (*labels, _), given, low, high, mean, mode in zip(cells, *columns, strict=True):
                    row: list[Any] = [table.name, *[""] * len(names)]
                    for column, label in zip(at, labels, strict=True):
                        row[column] = label
                    writer.writerow([*row, *np.atleast_1d(given).tolist(), low, high, f"{mean:.2f}", mode])
        return out.getvalue()

    def _choose(self, chosen: Sequence[str], table: str | None) -> tuple[int, Mask]:
        """The finest grouping of the table, and which of its cells are chosen."""
        _, places = self._table(table)
        grouping = self.held.layout.groupings[places[0]]
        mask = np.zeros(grouping.shape, dtype=bool)
        for text in chosen:
            more = _mask(grouping, _labels(text))
            if (mask & more).any():
                raise ParameterError(f"{text!r} names cells that are chosen already; a cell counts once in a sum")
            mask |= more
        _disjoint(grouping, mask)
        return places[0], mask

    def _sum(self, place: int, mask: Mask, prior: Any) -> Posterior:
        measured = self.held.measurements[place][mask]
        if self.flat_sum(prior):
            return combine.measured_total(self.held.ptable, measured, prior)
        return combine.total(posterior(self.held.ptable, measured, prior))

    def _apart(self, before: "Readings") -> None:
        if self.held.spec.version == before.held.spec.version:
            raise ParameterError(
                f"both folders are of the version {before.held.spec.version!r} of the data, so nothing changed between"
                " them; give folders of two versions"
            )

    def _same(self, before: "Readings", name: str, place: int) -> int:
        """The grouping of the other folder with the same table, dimensions and labels."""
        layout, other = self.held.layout, before.held.layout
        asked = [(side.book.name, side.labels) for side in layout.groupings[place].sides]
        for at in before.tables[name][1] if name in before.tables else ():
            if [(side.book.name, side.labels) for side in other.groupings[at].sides] == asked:
                return at
        by = " by ".join(dimension for dimension, _ in asked) or "the total"
        raise ParameterError(
            f"{before.held.path} does not have the cells of table {name!r}, {by}; choose a table that both folders have"
        )


def _labels(text: str) -> dict[str, str]:
    """ "district=Abbey,age=0-15" by dimension; a label with a comma in it goes in double quotes with its dimension."""
    found: dict[str, str] = {}
    for part in next(csv.reader([text], skipinitialspace=True), []):
        name, equals, label = part.partition("=")
        if not equals or name.strip() in found:
            raise ParameterError(f"cells are chosen by {text!r:.80}; write dimension=label, each dimension once")
        found[name.strip()] = label.strip()
    return found


def _mask(grouping: "Grouping", labels: dict[str, str]) -> Mask:
    names = [side.book.name for side in grouping.sides]
    for name in labels:
        if name not in names:
            raise ParameterError(f"the table has no dimension {name!r}; its dimensions are: {', '.join(names)}")
    mask = np.ones(grouping.shape, dtype=bool)
    for axis, side in enumerate(grouping.sides):
        if (label := labels.get(side.book.name)) is None:
            continue
        if label not in side.labels:
            known = ", ".join(side.labels[:20])
            raise ParameterError(f"dimension {side.book.name!r} has no label {label!r}; choose one of: {known}")
        here = np.zeros(grouping.shape[axis], dtype=bool)
        here[side.labels.index(label)] = True
        mask &= here.reshape([-1 if at == axis else 1 for at in range(mask.ndim)])
    return mask


def _disjoint(grouping: "Grouping", mask: Mask) -> None:
    """Refuse cells that may hold the same people: labels of one dimension that overlap."""
    for axis, side in enumerate(grouping.sides):
        used = np.flatnonzero(mask.any(axis=tuple(at for at in range(mask.ndim) if at != axis)))
        seen: dict[int, str] = {}
        for place in used.tolist():
            for leaf in side.members[place]:
                if leaf in seen:
                    raise ParameterError(
                        f"{side.labels[place]!r} and {seen[leaf]!r} of {side.book.name!r} overlap, so their cells"
                        " cannot be added up; choose labels that share nobody"
                    )
                seen[leaf] = side.labels[place]
