"""What a reader wants to see: which dimensions go into rows and columns, at which levels, and which people count."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from discreet.errors import ParameterError, TooLargeTableError
from discreet.labels import listed
from discreet.plan.codebook import Groups, grouped
from discreet.spelling import did_you_mean

if TYPE_CHECKING:
    from discreet.plan.codebook import Codebook

MOST_TABLE_CELLS = 50_000
"""The most cells of a table that is made for a reader."""


@dataclass(frozen=True)
class AxisChoice:
    """A dimension at one of its levels. The level None is the finest."""

    dimension: str
    level: str | None = None


@dataclass(frozen=True)
class TableQuestion:
    """A table that a reader asks for.

    Attributes
    ----------
    rows, columns
        The dimensions, from the outermost.
    keep
        For some dimensions, the labels of the leaves or groups that count. Other people are left out.
    """

    rows: tuple[AxisChoice, ...] = ()
    columns: tuple[AxisChoice, ...] = ()
    keep: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def axes(self) -> tuple[AxisChoice, ...]:
        """The dimensions of rows, and then of columns."""
        return (*self.rows, *self.columns)

    def pivoted(self) -> "TableQuestion":
        """Return the question with rows and columns exchanged."""
        return TableQuestion(self.columns, self.rows, self.keep)


@dataclass(frozen=True, eq=False)
class ResolvedAxis:
    """A dimension in rows or columns: the label and the leaves of each group that is shown."""

    book: "Codebook"
    level: str | None
    labels: tuple[str, ...]
    members: Groups

    @cached_property
    def everyone(self) -> frozenset[int] | None:
        """The leaves of all groups together; None if these are all leaves."""
        return restriction(self.book, frozenset(itertools.chain.from_iterable(self.members)))


@dataclass(frozen=True, eq=False)
class ResolvedQuestion:
    """A question whose names are resolved.

    Attributes
    ----------
    question
        The question.
    rows, columns
        The dimensions with their groups.
    within
        The leaves that count, for dimensions that are in no row and no column.
    """

    question: TableQuestion
    rows: tuple[ResolvedAxis, ...]
    columns: tuple[ResolvedAxis, ...]
    within: Mapping[str, frozenset[int]]

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and of columns."""
        rows, columns = (math.prod(len(axis.labels) for axis in axes) for axes in (self.rows, self.columns))
        return rows, columns


def restriction(book: "Codebook", leaves: frozenset[int]) -> frozenset[int] | None:
    """Return a set of leaves; None if it has all leaves, because all leaves are no restriction."""
    return None if len(leaves) == len(book.leaves) else leaves


def resolve_question(
    question: TableQuestion, books: Mapping[str, "Codebook"], most: int = MOST_TABLE_CELLS
) -> ResolvedQuestion:
    """Resolve the names of a question.

    Parameters
    ----------
    question
        The question of a reader.
    books
        The codebooks of a release.
    most
        The most cells that the table may have.

    Raises
    ------
    ParameterError
        A dimension, a level or a label is unknown, or a dimension is given twice.
    SpecError
        A label is unknown, or names two different populations.
    TooLargeTableError
        The table has more than `most` cells.
    """
    kept = {}
    for name, labels in question.keep:
        if name in kept:
            raise ParameterError(f"dimension {name!r:.60} is filtered twice; name all its labels together")
        kept[name] = _book(name, books).select(list(labels), "the filter on")
        if not kept[name]:
            raise ParameterError(f"the filter on {name!r:.60} keeps nobody; name a label, or leave the filter out")
    names = [axis.dimension for axis in question.axes]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"dimension {name!r:.60} is given twice; put it into rows or into columns, once")
    rows, columns = (
        tuple(_axis(axis, _book(axis.dimension, books), kept.get(axis.dimension)) for axis in axes)
        for axes in (question.rows, question.columns)
    )
    within = {
        name: leaves
        for name, leaves in kept.items()
        if name not in names and restriction(books[name], leaves) is not None
    }
    resolved = ResolvedQuestion(question, rows, columns, within)
    cells = math.prod(resolved.shape)
    if cells > most:
        raise TooLargeTableError(
            f"the table has {resolved.shape[0]:,} by {resolved.shape[1]:,} = {cells:,} cells; {most:,} can be shown:"
            " take a dimension out, choose a coarser level, or keep fewer categories",
            cells,
            most,
        )
    return resolved


def _book(name: str, books: Mapping[str, "Codebook"]) -> "Codebook":
    if name not in books:
        raise ParameterError(
            f"the release has no dimension {name!r:.60}; its dimensions are {listed(list(books))}"
            f"{did_you_mean(name, books)}"
        )
    return books[name]


def _axis(choice: AxisChoice, book: "Codebook", kept: frozenset[int] | None) -> ResolvedAxis:
    if choice.level is not None and (not choice.level or choice.level not in book.levels):
        known = listed([level for level in book.levels if level]) or "none"
        raise ParameterError(f"dimension {book.name!r} has no level {choice.level!r:.60}; its levels are: {known}")
    level = book.level(choice.level)
    if kept is None:
        return ResolvedAxis(book, choice.level, level.labels, level.members)
    groups = [(label, leaves & kept) for label, leaves in zip(level.labels, level.members, strict=True)]
    present: Sequence[tuple[str, frozenset[int]]] = [(label, leaves) for label, leaves in groups if leaves]
    return ResolvedAxis(
        book, choice.level, tuple(label for label, _ in present), grouped(leaves for _, leaves in present)
    )
