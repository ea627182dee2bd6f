"""The tables that can be shown and are nearest to a table that cannot be.

A published grouping determines a table if it determines every dimension of it (`source_cells`). So the nearest table of
a grouping is chosen dimension by dimension: the dimension as it is wanted; or at another level; or without its filter;
or not at all. The tables of all groupings are sorted by what they lost.
"""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.infer.any_table.source_cells import Population, axis_determines, filter_determines
from discreet.infer.any_table.table_question import (
    MOST_TABLE_CELLS,
    AxisChoice,
    TableQuestion,
    resolve_question,
    restriction,
)

if TYPE_CHECKING:
    from discreet.infer.any_table.open_release import OpenRelease
    from discreet.plan.layout import Grouping


NO_LIMIT = 10**18
"""More cells than a table has."""


@dataclass(frozen=True, eq=False)
class _Option:
    """One way to show a dimension of a question.

    Attributes
    ----------
    axis
        The dimension at a level; None if it is in no row and no column.
    keep
        The labels that count; None without a filter.
    population
        The groups or the leaves that a grouping has to determine.
    lost
        How many dimensions and filters of the question are left out.
    moved
        1 if the level is another one.
    cells
        The number of groups that are shown.
    """

    axis: AxisChoice | None
    keep: tuple[str, ...] | None
    population: Population
    lost: int
    moved: int
    cells: int = 1


@dataclass(frozen=True)
class _Candidate:
    lost: int
    moved: int
    question: TableQuestion

    def holds(self, other: "_Candidate") -> bool:
        """Return True if the other table is this one with fewer dimensions or filters."""
        own, less = self.question, other.question
        return {*less.axes} <= {*own.axes} and {*less.keep} <= {*own.keep}


def nearest(release: "OpenRelease", question: TableQuestion, most: int = 6) -> list[TableQuestion]:
    """Return tables that can be shown and are nearest to one that cannot be.

    Tables with more of the wanted dimensions and filters come first. Of these, tables with more of the wanted levels
    come first. A table that only leaves more out than an earlier one is not returned.

    Parameters
    ----------
    release
        The release.
    question
        A question whose names are right.
    most
        The most tables that are returned.
    """
    candidates = {own.question: own for own in _candidates(release, question)}
    near: list[_Candidate] = []
    for own in sorted(candidates.values(), key=lambda own: (own.lost, own.moved)):
        if len(near) == most:
            break
        if not any(other.holds(own) for other in near):
            near.append(own)
    return [own.question for own in near]


def _candidates(release: "OpenRelease", question: TableQuestion) -> Iterable[_Candidate]:
    """Return, for every grouping, the tables that it determines and that lose the least."""
    keep = dict(question.keep)
    wanted = {axis.dimension: axis for axis in question.axes}
    options = {
        name: _options(release, name, wanted.get(name), keep.get(name)) for name in dict.fromkeys([*wanted, *keep])
    }
    usable: dict[tuple[int, str], list[_Option]] = {}
    for grouping in release.layout.groupings:
        for chosen in _choices(grouping, options, usable):
            less = _question(question, chosen)
            cells = math.prod(option.cells for option in chosen.values())
            if (less.axes or less.keep) and less != question and cells <= MOST_TABLE_CELLS:
                lost, moved = (sum(getattr(option, name) for option in chosen.values()) for name in ("lost", "moved"))
                yield _Candidate(lost, moved, less)


def _options(release: "OpenRelease", name: str, axis: AxisChoice | None, keep: tuple[str, ...] | None) -> list[_Option]:
    """Return the ways to show a dimension of a question, those that lose the least first. Finer levels come first."""
    book = release.books[name]
    levels = sorted((level or None for level in book.levels), key=lambda level: -len(book.level(level).labels))
    axes = [] if axis is None else [axis, *(AxisChoice(name, level) for level in levels if level != axis.level)]
    options = []
    for own, kept in itertools.product([*axes, None], [None] if keep is None else [keep, None]):
        alone = TableQuestion((own,) if own else (), (), () if kept is None else ((name, kept),))
        resolved = resolve_question(alone, release.books, most=NO_LIMIT)
        lost = (own is None and axis is not None) + (kept is None and keep is not None)
        moved = own is not None and own != axis
        population = resolved.rows[0] if own else resolved.within.get(name)
        options.append(_Option(own, kept, population, lost, int(moved), resolved.shape[0]))
    return sorted(options, key=lambda option: (option.lost, option.moved))


def _choices(
    grouping: "Grouping", options: dict[str, list[_Option]], usable: dict[tuple[int, str], list[_Option]]
) -> list[dict[str, _Option]]:
    """Return the tables of a grouping that lose the least: an option for every dimension of the question.

    `usable` holds the options that an axis determines. Groupings share their axes.
    """
    axes = {axis.book.name: axis for axis in grouping.axes}
    filters = {book.name: restriction(book, leaves) for book, leaves in grouping.within}
    if not all(axis_determines(axis, None) for name, axis in axes.items() if name not in options):
        return []
    if any(leaves is not None for name, leaves in filters.items() if name not in options and name not in axes):
        return []
    best: dict[str, list[_Option]] = {}
    for name, own in options.items():
        if name in axes:
            key = id(axes[name]), name
            if key not in usable:
                usable[key] = [option for option in own if axis_determines(axes[name], option.population)]
            able = usable[key]
        else:
            able = [option for option in own if filter_determines(filters.get(name), option.population)]
        best[name] = [option for option in able if (option.lost, option.moved) == (able[0].lost, able[0].moved)]
    if not all(best.values()):
        return []
    first = {name: able[0] for name, able in best.items()}
    return [first, *(first | {name: option} for name, able in best.items() for option in able[1:])]


def _question(question: TableQuestion, chosen: dict[str, _Option]) -> TableQuestion:
    """Return a question with the chosen options, in its own order."""
    rows, columns = (
        tuple(own for axis in axes if (own := chosen[axis.dimension].axis) is not None)
        for axes in (question.rows, question.columns)
    )
    keep = tuple((name, labels) for name, labels in question.keep if chosen[name].keep is not None)
    return TableQuestion(rows, columns, keep)
