"""Groupings by the names that a specification gives them: a table and a margin, or the words of `discreet plan`."""

from collections.abc import Collection

from discreet.errors import SpecError
from discreet.plan.layout import Grouping, Layout
from discreet.plan.yaml_file import YamlPath
from discreet.spelling import did_you_mean


def in_words(grouping: Grouping) -> str:
    """Return the name of a grouping, with levels and filters."""
    axes = [axis.book.name if axis.level is None else f"{axis.book.name} ({axis.level})" for axis in grouping.axes]
    within = [
        f"{book.name} {', '.join(book.leaves[leaf] for leaf in sorted(leaves))}" for book, leaves in grouping.within
    ]
    return (" by ".join(axes) or "total") + (f" of {'; '.join(within)}" if within else "")


def margin_in_words(table: str, margin: Collection[str] | None) -> str:
    """Return how a specification names a grouping: by its table, and by its margin if it is not the table itself."""
    if margin is None:
        return f"table {table!r}"
    return f"the margin {' by '.join(margin) or 'total'} of {table!r}"


def published_index(layout: Layout, table: str, margin: Collection[str] | None, yaml_path: YamlPath) -> int:
    """Return the index of a published grouping.

    Parameters
    ----------
    layout
        The groupings.
    table
        The name of a table.
    margin
        The dimensions of a margin of the table; None for the table itself.
    yaml_path
        The place of the names in the specification.

    Raises
    ------
    SpecError
        There is no such table, or the margin is not published.
    """
    section = yaml_path[0]
    tables = {spec.name: (spec, indices) for spec, indices in layout.tables}
    if table not in tables:
        raise SpecError(
            f"{section} names the table {table!r:.80}, and there is no such table; the tables are {', '.join(tables)}"
            f"{did_you_mean(table, tables)}",
            (*yaml_path, "table"),
        )
    spec, indices = tables[table]
    names = [axis.dimension for axis in spec.dimensions]
    margin_names = set(names if margin is None else margin)
    if unknown := sorted(margin_names - set(names)):
        raise SpecError(
            f"{section} names a margin of {table!r} over {unknown[0]!r:.80}, which is none of its dimensions; they are"
            f" {', '.join(names) or 'none'}{did_you_mean(unknown[0], names)}",
            (*yaml_path, "margin"),
        )
    by_dimensions = {frozenset(axis.book.name for axis in layout.groupings[index].axes): index for index in indices}
    index = by_dimensions.get(frozenset(margin_names))
    if index is None:
        raise SpecError(
            f"{section} names {margin_in_words(table, margin)}, which is not published; add it to the margins of"
            f" {table!r}",
            (*yaml_path, "margin"),
        )
    return index
