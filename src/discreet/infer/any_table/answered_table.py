"""The answer to a question: the cells of the table, its margins, and where they come from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.errors import UnpublishedTableError
from discreet.infer.any_table.counted_cells import CountedCells, counted, source_of
from discreet.infer.any_table.table_question import (
    MOST_TABLE_CELLS,
    AxisChoice,
    ResolvedAxis,
    ResolvedQuestion,
    TableQuestion,
    resolve_question,
)

if TYPE_CHECKING:
    from discreet.infer.any_table.open_release import OpenRelease


@dataclass(frozen=True, eq=False)
class AnsweredTable:
    """A table of a release. Made by `answer`.

    Attributes
    ----------
    release
        The release.
    resolved
        The question, with its names resolved.
    cells
        The cells, with one axis for each dimension of rows and then of columns.
    row_totals, column_totals, total
        The margins: everybody in a row, in a column, in the table. None if no published table adds up to the margin, or
        if the table has no dimension to sum over.
    """

    release: "OpenRelease"
    resolved: ResolvedQuestion
    cells: CountedCells
    row_totals: CountedCells | None
    column_totals: CountedCells | None
    total: CountedCells | None

    @property
    def blocks(self) -> dict[str, CountedCells]:
        """The cells and the margins that there are, by name."""
        named = {
            "cells": self.cells,
            "row_totals": self.row_totals,
            "column_totals": self.column_totals,
            "total": self.total,
        }
        return {name: block for name, block in named.items() if block is not None}

    @property
    def size(self) -> int:
        """How many cells, groups that are added up and labels of filters the answer holds."""
        kept = sum(len(labels) for _, labels in self.resolved.question.keep)
        blocks = self.blocks.values()
        return kept + sum(own.counts.size + sum(len(axis.flat) for axis in own.sums.picked) for own in blocks)

    @property
    def is_published(self) -> bool:
        """True if every number is published in one table or another."""
        return all(block.is_published for block in self.blocks.values())


def answer(release: "OpenRelease", question: TableQuestion, most: int = MOST_TABLE_CELLS) -> AnsweredTable:
    """Return the table that a reader asks for. The last answers are remembered; equal questions are computed once.

    Parameters
    ----------
    release
        The release.
    question
        The question.
    most
        The most cells that the table may have.

    Raises
    ------
    ParameterError, SpecError
        A name is unknown or given twice.
    TooLargeTableError
        The table has more than `most` cells.
    UnpublishedTableError
        No published table adds up to this one.
    """
    return release.answers.get((question, most), lambda: _computed(release, question, most))


def _computed(release: "OpenRelease", question: TableQuestion, most: int) -> AnsweredTable:
    resolved = resolve_question(question, release.books, most)
    rows, columns, within = resolved.rows, resolved.columns, resolved.within
    cells = counted(release, (*rows, *columns), within)
    of_rows, of_columns = _everyone(rows), _everyone(columns)
    return AnsweredTable(
        release,
        resolved,
        cells,
        _margin(release, rows, {**within, **of_columns}) if columns and rows else None,
        _margin(release, columns, {**within, **of_rows}) if columns and rows else None,
        _margin(release, (), {**within, **of_rows, **of_columns}) if columns or rows else None,
    )


def _everyone(axes: Sequence[ResolvedAxis]) -> dict[str, frozenset[int] | None]:
    return {axis.book.name: axis.everyone for axis in axes}


def _margin(
    release: "OpenRelease", axes: Sequence[ResolvedAxis], within: Mapping[str, frozenset[int] | None]
) -> CountedCells | None:
    try:
        return counted(release, axes, within)
    except UnpublishedTableError:
        return None


def is_published(release: "OpenRelease", question: TableQuestion) -> bool:
    """Return True if published tables add up to a table, of any size.

    Raises
    ------
    ParameterError, SpecError
        A name is unknown or given twice.
    """
    resolved = resolve_question(question, release.books, most=10**18)
    try:
        source_of(release, (*resolved.rows, *resolved.columns), resolved.within)
    except UnpublishedTableError:
        return False
    return True


def usable_levels(release: "OpenRelease", dimension: str) -> list[str | None]:
    """Return the levels at which a dimension can be shown, by itself, from the finest."""
    book = release.books[dimension]
    levels: list[str | None] = [level or None for level in book.levels]
    usable = [level for level in levels if is_published(release, TableQuestion((AxisChoice(dimension, level),)))]
    return sorted(usable, key=lambda level: -len(book.level(level).labels))
