"""The laws of the errors of many sums at once.

Sums are of one kind if their errors have one law. A table has few kinds: without levels, the law of a sum depends on
how many groups of each axis are added up (`reconcile.product_sums`). So a table of a thousand cells needs a few laws.
The ends of the error of a kind are remembered, because finding them takes a while. A kind may name every node of a tree
that is added up, so its name is the SHA-256 of its description.
"""

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.infer.any_table.source_cells import CellSums
from discreet.plan.planner import law_of_terms
from discreet.publish.joint_intervals import LEVEL
from discreet.reconcile.dense_estimates import DenseEstimates
from discreet.reconcile.product_sums import coefficients_of_product, kind_of_axis

if TYPE_CHECKING:
    from discreet.certify.ptable import PTable
    from discreet.infer.any_table.open_release import OpenRelease

DIGITS = 9
"""Sums are of one kind if their coefficients agree in so many decimals."""

NoiseTerms = list[tuple["PTable", Floats, Floats | None]]


@dataclass(frozen=True, eq=False)
class ErrorKinds:
    """The kinds of the cells of a table.

    Attributes
    ----------
    release
        The release.
    index
        The index of the grouping whose cells are added up.
    kinds
        The kind of every cell, in the shape of the table.
    names
        For every kind, a value that tells it from the other kinds of the release.
    groups
        For every kind the groups of the axes of one cell of the kind.
    """

    release: "OpenRelease"
    index: int
    kinds: Integers
    names: Sequence[bytes]
    groups: Sequence[Sequence[Integers]]

    def terms(self, kind: int) -> NoiseTerms:
        """Return the noises in the error of a kind, with their coefficients."""
        joint = self.release.published.joint
        part = joint.part_of[self.index]
        if isinstance(part, DenseEstimates):
            mask = np.zeros(self.release.layout.groupings[self.index].shape)
            mask[np.ix_(*self.groups[kind])] = 1.0
            return [(joint.ptables[table], values, None) for table, values in part.coefficients({self.index: mask})]
        return [
            (joint.ptables[table], values, numbers)
            for table, values, numbers in coefficients_of_product(part, self.index, self.groups[kind])
        ]

    def ends(self) -> tuple[Floats, Floats]:
        """Return the ends of the error of every cell, in the shape of the table."""
        by_kind = []
        for kind, name in enumerate(self.names):
            by_kind.append(self.release.ends.get(name, partial(self._ends_of, kind)))
        lower, upper = np.array(by_kind).T
        return lower[self.kinds], upper[self.kinds]

    def _ends_of(self, kind: int) -> tuple[float, float]:
        return law_of_terms(self.terms(kind)).ends(LEVEL)


def error_kinds(release: "OpenRelease", index: int, sums: CellSums) -> ErrorKinds | None:
    """Return the kinds of the cells of a table; None if no law of their errors is known.

    Parameters
    ----------
    release
        The release.
    index
        The index of the grouping whose cells are added up.
    sums
        How they are added up.
    """
    if index not in release.estimates:
        return None
    part = release.published.joint.part_of[index]
    if isinstance(part, DenseEstimates):
        return _dense_kinds(release, index, sums, part)
    kinds, names, first = _by_axis(
        [
            [_short_name(kind_of_axis(part, index, axis, own.of(number))) for number in range(len(own.sizes))]
            for axis, own in enumerate(sums.picked)
        ]
    )
    groups = [[own.of(number) for own, number in zip(sums.picked, numbers, strict=True)] for numbers in first]
    return ErrorKinds(release, index, sums.arranged(kinds), [_short_name((index, name)) for name in names], groups)


def _short_name(kind: Hashable) -> bytes:
    """Return the same 32 bytes for equal kinds, and others for other kinds: numbers, bytes, text, tuples."""
    return hashlib.sha256(repr(kind).encode()).digest()


def _by_axis(of_axes: list[list[Hashable]]) -> tuple[Integers, list[Hashable], list[tuple[int, ...]]]:
    """Return kinds of combinations: the kind of each, and for each kind its name and its first combination."""
    kinds: Integers = np.zeros((), dtype=np.int64)
    names: list[tuple[Hashable, ...]] = [()]
    first: list[tuple[int, ...]] = [()]
    for own in of_axes:
        numbers = {kind: number for number, kind in enumerate(dict.fromkeys(own))}
        at = {kind: position for position, kind in reversed(list(enumerate(own)))}
        kinds = np.add.outer(kinds * len(numbers), np.array([numbers[kind] for kind in own], dtype=np.int64))
        names = [(*name, kind) for name in names for kind in numbers]
        first = [(*position, at[kind]) for position in first for kind in numbers]
    return kinds, list(names), first


def _dense_kinds(release: "OpenRelease", index: int, sums: CellSums, part: DenseEstimates) -> ErrorKinds:
    """Return the kinds of cells whose coefficients are computed one by one."""
    shape = tuple(len(own.sizes) for own in sums.picked)
    cells = list(np.ndindex(*shape))
    groups = [[own.of(number) for own, number in zip(sums.picked, cell, strict=True)] for cell in cells]
    masks = np.zeros((len(cells), *release.layout.groupings[index].shape))
    for mask, own in zip(masks, groups, strict=True):
        mask[np.ix_(*own)] = 1.0
    coefficients = np.round(masks.reshape(len(cells), -1) @ part.matrices[index], DIGITS) + 0.0
    by_table = [np.sort(coefficients[:, part.tables == table], axis=1) for table in np.unique(part.tables)]
    _, first, kinds = np.unique(np.concatenate(by_table, axis=1), axis=0, return_index=True, return_inverse=True)
    names = [_short_name((index, np.concatenate([own[cell] for own in by_table]).tobytes())) for cell in first.tolist()]
    return ErrorKinds(
        release, index, sums.arranged(kinds.reshape(shape)), names, [groups[cell] for cell in first.tolist()]
    )
