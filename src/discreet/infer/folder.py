"""What a release folder says about the true counts, for anyone who holds it.

All of it is made from `measurements.csv` and the certificate, never from the published tables, whose numbers were
clamped at 0 or reconciled.

Cells are chosen by their labels: "district=Abbey,age=0-15" is one cell of a table with these two dimensions, and
"district=Abbey" is all of its cells in that district. Their beliefs are added up as independent, so no person may be in
two of them: cells that overlap (18+ and 65+), and a cell chosen twice, are refused. Where the chosen cells are a margin
that was measured itself, that measurement tells more about the sum than its parts do.

A label is one of the table's own, or of any level of its dimension ("district=north"), and then means all cells inside;
cells that are partly inside cannot be chosen by it. Changes are of the same people in both folders: the codebooks, the
leaves of every label and the filters are compared, not just names.
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

from discreet.errors import ParameterError, SpecError
from discreet.exact import Number
from discreet.infer import combine
from discreet.infer import prior as priors
from discreet.infer.belief import Posterior
from discreet.infer.columns import alike, heads, intervals, listed
from discreet.infer.combine import Estimate
from discreet.infer.posterior import posterior
from discreet.infer.prior import Flat

if TYPE_CHECKING:
    from discreet.release.cells import Grouping, Side
    from discreet.release.check import Folder
    from discreet.release.codebook import Codebook
    from discreet.release.spec import TableSpec

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def folder(path: str | os.PathLike[str]) -> "Readings":
    """A release folder, its files and its certificate checked against its manifest.

    Raises
    ------
    CertificateError
        The folder is not one, or a file in it is not the one that its manifest names.
    """
    from discreet.release.check import read  # the engines take a while to load

    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError(f"the folder is {path!r:.60}; give the path of a release folder")
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

        def known(_: str, place: int, believed: Any) -> tuple[Integers, list[list[Any]]]:
            measured = self.held.measurements[place].ravel()
            return measured, listed(intervals(self.held.ptable, measured, level, believed))

        return self._csv(table, ("measured", *heads(self.held.ptable)), known, prior)

    def changes(self, before: "Readings", level: Number = 0.95, prior: Any = None, table: str | None = None) -> str:
        """Every cell of one table, or of all: both measurements, and what is known of the change since `before`.

        Where a count may be at the end of its table's domain or beyond, the change has no end on that side.
        """
        self._apart(before)

        def known(name: str, place: int, believed: Any) -> tuple[Integers, list[list[Any]]]:
            at = self._same(before, name, place)
            now, then = self.held.measurements[place].ravel(), before.held.measurements[at].ravel()
            pairs, inverse = np.unique(np.stack([now, then], axis=1), axis=0, return_inverse=True)
            ours = posterior(self.held.ptable, pairs[:, 0], believed)
            theirs = posterior(before.held.ptable, pairs[:, 1], believed)
            moved = [_moved(one, other, level) for one, other in zip(ours, theirs, strict=True)]
            return np.stack([now, then], axis=1), [moved[at] for at in inverse.ravel().tolist()]

        found = heads(self.held.ptable, before.held.ptable)
        return self._csv(table, ("measured", "measured_before", *found), known, prior)

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
        spec, places = self._table(table)
        self._same(before, spec.name, places[0])
        return combine.difference(self.total(chosen, prior, spec.name), before.total(chosen, prior, spec.name))

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
            if {side.book.name for side in sides} == set(labels) and all(
                labels[side.book.name] in side.labels for side in sides
            ):
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

    def _csv(self, name: str | None, columns: tuple[str, ...], known: Any, prior: Any) -> str:
        from discreet.release.output import rows

        chosen = list(self.tables.values()) if name is None else [self._table(name)]
        names = [book.name for book in self.held.layout.books]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["table", *names, *columns])
        for table, places in chosen:
            at = [1 + names.index(axis.dimension) for axis in table.dimensions]
            for place in places:
                measured, found = known(table.name, place, prior if place == places[0] else None)
                cells = rows(table, [(self.held.layout.groupings[place], self.held.measurements[place])])
                for (*labels, _), given, about in zip(cells, measured.tolist(), found, strict=True):
                    row: list[Any] = [table.name, *[""] * len(names)]
                    for column, label in zip(at, labels, strict=True):
                        row[column] = label
                    row += [*(given if isinstance(given, list) else [given]), *about]
                    writer.writerow(row[: 1 + len(names) + len(columns)])
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
        """The grouping of the other folder with the same table, dimensions, labels, filters and people in each."""
        ours = self.held.layout.groupings[place]
        asked = [side.book.name for side in ours.sides]
        for at in before.tables[name][1] if name in before.tables else ():
            theirs = before.held.layout.groupings[at]
            if [side.book.name for side in theirs.sides] == asked:
                if said := _differing(ours, theirs):
                    raise ParameterError(
                        f"table {name!r} of {before.held.path} is of other people: {said}; changes need the same"
                        " dimensions, levels and filters, so choose a table in which they are, or publish both versions"
                        " by one specification"
                    )
                return at
        by = " by ".join(asked) or "the total"
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
        here = np.array(_inside(side, label))
        mask &= here.reshape([-1 if at == axis else 1 for at in range(mask.ndim)])
    return mask


def _inside(side: "Side", label: str) -> list[bool]:
    """Which groups of a side a label means: the one of that name, or all inside the leaf or group of any level."""
    if label in side.labels:
        return [each == label for each in side.labels]
    try:
        leaves = side.book.select([label])
    except SpecError:
        leaves = frozenset()
    if not any(members & leaves for members in side.members):
        known = ", ".join(side.labels[:20])
        raise ParameterError(f"dimension {side.book.name!r} has no label {label!r}; choose one of: {known}") from None
    for name, members in zip(side.labels, side.members, strict=True):
        if members & leaves and not members <= leaves:
            raise ParameterError(
                f"{name!r} of {side.book.name!r} is partly inside {label!r}, whose count the table's cells do not tell;"
                f" choose whole ones, of: {', '.join(side.labels[:20])}"
            )
    return [members <= leaves for members in side.members]


def _moved(one: Posterior, other: Posterior, level: Number) -> list[Any]:
    """Low, high, mean, mode and a note of a change; what an open end leaves unknown is empty."""
    change = combine.difference(*(Posterior(each.support, each.probabilities) for each in (one, other)))
    low, high = change.interval(level)
    if not (one.open_end or other.open_end):
        return [low, high, f"{change.mean():.2f}", change.mode(), ""]
    ends = sorted({int(each.support[-1]) for each in (one, other) if each.open_end})
    note = "; ".join(alike(end) for end in ends)
    return ["" if other.open_end else low, "" if one.open_end else high, "", "", note]


def _differing(ours: "Grouping", theirs: "Grouping") -> str | None:
    """In words, the first difference between the people of two groupings with the same dimensions."""
    for one, other in zip(ours.sides, theirs.sides, strict=True):
        name = one.book.name
        if said := _recoded(one.book, other.book):
            return said
        if one.labels != other.labels:
            apart = sorted({*one.labels} ^ {*other.labels}) or [*one.labels]
            return f"the labels of {name!r} differ or are in another order ({', '.join(apart[:5])})"
        for label, mine, its in zip(one.labels, one.members, other.members, strict=True):
            if _names(one.book, mine) != _names(other.book, its):
                return (
                    f"{label!r} of {name!r} holds {', '.join(_names(other.book, its))} there and"
                    f" {', '.join(_names(one.book, mine))} here"
                )
    here, there = _filters(ours), _filters(theirs)
    for name in sorted({*here, *there}):
        if name in here and name in there and (said := _recoded(here[name][0], there[name][0])):
            return said
        kept = [", ".join(_names(*given[name])) if name in given else "all" for given in (there, here)]
        if kept[0] != kept[1]:
            return f"its filter on {name!r} keeps {kept[0]} there and {kept[1]} here"
    return None


def _filters(grouping: "Grouping") -> dict[str, tuple["Codebook", frozenset[int]]]:
    """What a grouping is filtered to, by dimension; a filter that leaves everyone is none."""
    return {book.name: (book, kept) for book, kept in grouping.within if len(kept) < len(book.leaves)}


def _recoded(one: "Codebook", other: "Codebook") -> str | None:
    """In words, how two codebooks of one name differ: by their digests."""
    if one.digest == other.digest:
        return None
    if apart := sorted({*one.leaves} ^ {*other.leaves}):
        return f"the categories of {one.name!r} differ ({', '.join(apart[:5])})"
    return f"the categories of {one.name!r} are made from another column or from other raw values"


def _names(book: "Codebook", leaves: frozenset[int]) -> list[str]:
    return sorted(book.leaves[leaf] for leaf in leaves)


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
