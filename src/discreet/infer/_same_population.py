"""Compare what two releases count: version, unit, codebooks, labels and filters. Refuse releases that differ."""

from typing import TYPE_CHECKING

from discreet.errors import ParameterError
from discreet.labels import listed

if TYPE_CHECKING:
    from discreet.plan.codebook import Codebook
    from discreet.plan.layout import Grouping, GroupingAxis
    from discreet.plan.sections import Unit
    from discreet.publish.verify_folder import MeasuredFolder


def require_comparable(now: "MeasuredFolder", before: "MeasuredFolder") -> None:
    """Raise ParameterError if two releases have the same version of the data, or count different units."""
    if now.plan.spec.version == before.plan.spec.version:
        raise ParameterError(
            f"both folders are of version {now.plan.spec.version!r} of the data, so nothing changed between them;"
            " give folders of two versions"
        )
    unit_now, unit_before = (unit_in_words(release.plan.spec.unit) for release in (now, before))
    if unit_now != unit_before:
        raise ParameterError(
            f"{before.path} counts {unit_before} and {now.path} {unit_now}, so their counts differ even if nothing"
            " changed; give folders whose specifications have the same unit"
        )


def require_matching_grouping(now: "MeasuredFolder", before: "MeasuredFolder", table: str, grouping_index: int) -> int:
    """Return the index, in `before`, of the grouping with the same table, dimensions, labels, filters and people.

    Raises
    ------
    ParameterError
        `before` has no such grouping, or it is of other people.
    """
    index = matching_grouping(now, before, table, grouping_index)
    if index is None:
        axes = now.plan.layout.groupings[grouping_index].axes
        dimensions = " by ".join(axis.book.name for axis in axes) or "the total"
        raise ParameterError(
            f"{before.path} does not have the cells of table {table!r}, {dimensions}; choose a table that both folders"
            " have"
        )
    return index


def matching_grouping(now: "MeasuredFolder", before: "MeasuredFolder", table: str, grouping_index: int) -> int | None:
    """Return the index of the grouping as `require_matching_grouping` does, or None if `before` has no such grouping.

    Raises
    ------
    ParameterError
        The grouping of `before` is of other people.
    """
    ours = now.plan.layout.groupings[grouping_index]
    dimensions = [axis.book.name for axis in ours.axes]
    indices = next((indices for spec, indices in before.plan.layout.tables if spec.name == table), ())
    for index in indices:
        theirs = before.plan.layout.groupings[index]
        if [axis.book.name for axis in theirs.axes] == dimensions:
            if difference := population_difference(ours, theirs):
                raise ParameterError(
                    f"table {table!r} of {before.path} is of other people: {difference}; a change needs the same"
                    " dimensions, levels and filters in both folders: choose such a table, or publish both versions by"
                    " one specification"
                )
            return index
    return None


def unit_in_words(unit: "Unit") -> str:
    """Return what a specification counts, in words."""
    rows = "one row" if unit.contributions == 1 else f"up to {unit.contributions} rows"
    return "every row" if unit.id is None else f"{rows} of each {unit.name or unit.id!r}"


def population_difference(ours: "Grouping", theirs: "Grouping") -> str | None:
    """Return the first difference between the people of two groupings with the same dimensions, in words.

    Return None if both groupings count the same people.
    """
    for our_axis, their_axis in zip(ours.axes, theirs.axes, strict=True):
        if difference := _axis_difference(our_axis, their_axis):
            return difference
    our_filters, their_filters = _filters(ours), _filters(theirs)
    for name in sorted({*our_filters, *their_filters}):
        in_both = name in our_filters and name in their_filters
        if in_both and (difference := codebook_difference(our_filters[name][0], their_filters[name][0])):
            return difference
        our_people, their_people = (
            ", ".join(_names(*filters[name])) if name in filters else "all" for filters in (our_filters, their_filters)
        )
        if our_people != their_people:
            return f"its filter on {name!r} keeps {their_people} there and {our_people} here"
    return None


def _axis_difference(ours: "GroupingAxis", theirs: "GroupingAxis") -> str | None:
    """Return the first difference between two axes of one dimension, in words: codebooks, labels or members."""
    name = ours.book.name
    if difference := codebook_difference(ours.book, theirs.book):
        return difference
    if ours.labels != theirs.labels:
        different = sorted({*ours.labels} ^ {*theirs.labels}) or [*ours.labels]
        return f"the labels of {name!r} differ or are in another order ({listed(different, 5)})"
    for label, our_leaves, their_leaves in zip(ours.labels, ours.members, theirs.members, strict=True):
        our_names, their_names = _names(ours.book, our_leaves), _names(theirs.book, their_leaves)
        if our_names != their_names:
            return f"{label!r} of {name!r} holds {', '.join(their_names)} there and {', '.join(our_names)} here"
    return None


def _filters(grouping: "Grouping") -> dict[str, tuple["Codebook", frozenset[int]]]:
    """Return codebook and kept leaves of every filter, by dimension. A filter that keeps everyone is left out."""
    return {book.name: (book, kept) for book, kept in grouping.within if len(kept) < len(book.leaves)}


def codebook_difference(ours: "Codebook", theirs: "Codebook") -> str | None:
    """Return how two codebooks of one name differ, in words. Return None if their digests are equal."""
    if ours.digest == theirs.digest:
        return None
    if different := sorted({*ours.leaves} ^ {*theirs.leaves}):
        return f"the categories of {ours.name!r} differ ({listed(different, 5)})"
    return f"the categories of {ours.name!r} are made from another column or from other raw values"


def _names(book: "Codebook", leaves: frozenset[int]) -> list[str]:
    return sorted(book.leaves[leaf] for leaf in leaves)
