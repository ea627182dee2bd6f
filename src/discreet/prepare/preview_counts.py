"""What a specification counts, for the steward: rows by category, undeclared values, rows that do not count.

A preview holds true counts. It is printed to the steward's terminal, and nothing is written. Nothing that a release
prints depends on the data, so a preview is how the steward learns that a category is spelled otherwise in the data.
"""

from dataclasses import dataclass
from typing import Any

from discreet.count import found_categories
from discreet.count.arrow_batches import numbers
from discreet.count.engines.engine import Engine
from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.plan import codebook, read_spec
from discreet.plan.codebook import Codebook
from discreet.plan.layout import make_layout
from discreet.plan.source import Source
from discreet.prepare.undeclared_values import Undeclared, undeclared_value

SHOWN = 10
"""Undeclared values of a dimension that are listed."""


@dataclass(frozen=True, repr=False)
class DimensionPreview:
    """What the rows are in one dimension.

    Attributes
    ----------
    name, column
        The names of the dimension and of its column.
    ranges
        True if ranges are declared, False if categories are.
    rows
        The number of rows of every leaf, `_other` last.
    missing
        The rows without a value.
    undeclared
        The most frequent values that count as `_other`.
    more
        True if there are other such values.
    in_no_group
        The declared leaves that are in no group of a level, by level. They count as `_other` of the level.
    """

    name: str
    column: str
    ranges: bool
    rows: dict[str, int]
    missing: int
    undeclared: tuple[Undeclared, ...]
    more: bool
    in_no_group: dict[str, list[str]]

    @property
    def other(self) -> int:
        """The rows in `_other`."""
        return next(reversed(self.rows.values()))


@dataclass(frozen=True, repr=False)
class Preview:
    """What a specification counts. It holds the truth.

    Attributes
    ----------
    rows
        The rows of the source.
    without_id
        The rows without an id, which do not count.
    beyond
        The rows beyond the contributions of their person, which do not count.
    people_beyond
        The people with such rows.
    dimensions
        The dimensions that tables use. Rows beyond the contributions are included.
    marked
        What is marked as found in the data: names of dimensions, and "unit".
    """

    rows: int
    without_id: int
    beyond: int
    people_beyond: int
    contributions: int
    unit: str | None
    dimensions: tuple[DimensionPreview, ...]
    marked: tuple[str, ...]


def preview(spec: Any) -> Preview:
    """Count what a specification declares, without noise.

    Parameters
    ----------
    spec
        A path of a YAML file, a dict or a ReleaseSpec.

    Returns
    -------
    Preview
        True counts. Do not publish them.

    Raises
    ------
    DiscreetError
        The specification has a mistake, or the source cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> temporary = tempfile.TemporaryDirectory()
    >>> people = pathlib.Path(temporary.name, "people.csv")
    >>> _ = people.write_text("sex\\n" + 40 * "female\\n" + 60 * "Male\\n")
    >>> spec = {
    ...     "version": "2026",
    ...     "source": {"csv": str(people)},
    ...     "dimensions": {"sex": {"column": "sex", "categories": ["female", "male"]}},
    ...     "tables": [{"name": "people", "dimensions": ["sex"], "margins": "all"}],
    ...     "budget": {"epsilon": 1, "delta": "1e-6"},
    ...     "key": "fresh",
    ... }
    >>> (sex,) = preview(spec).dimensions
    >>> sex.rows
    {'female': 40, 'male': 0, '_other': 60}
    >>> [(found.value, found.rows, found.nearest) for found in sex.undeclared]
    [('Male', 60, 'male')]
    >>> temporary.cleanup()
    """
    spec_file = read_spec.read(spec)
    with spec_file.errors_with_lines():
        complete = found_categories.with_categories(spec_file.spec)
        resolved = {name: codebook.resolve(name, dimension) for name, dimension in complete.dimensions.items()}
        books = make_layout(complete, resolved).books
    unit, most = complete.unit.id, complete.unit.contributions
    marked = [name for name in sorted(complete.used) if complete.dimensions[name].found is not None]
    with open_engine(complete.source, column_names=complete.columns) as engine:
        CountPlan(tuple(book.recode for book in books), unit).check(engine.columns())
        rows = _rows(engine, None)
        beyond, people = (0, 0) if unit is None else _beyond(engine, unit, most)
        return Preview(
            rows=rows,
            without_id=0 if unit is None else rows - _rows(engine, unit),
            beyond=beyond,
            people_beyond=people,
            contributions=most,
            unit=unit,
            dimensions=tuple(_dimension(engine, book, unit, complete.source) for book in books),
            marked=(*marked, *(["unit"] if complete.unit.found is not None else [])),
        )


def _rows(engine: Engine, unit: str | None) -> int:
    """Return the number of rows; with a unit, of rows with an id."""
    return int(sum(engine.count(CountPlan(unit=unit)).column("count").to_pylist()))


def _beyond(engine: Engine, unit: str, most: int) -> tuple[int, int]:
    """Return the number of rows beyond the contributions, and of the people who have such rows."""
    rows = people = 0
    for batch in engine.excess(CountPlan(unit=unit), most):
        times = numbers(batch.column("times"))
        rows, people = rows + int((times - most).sum()), people + len(times)
    return rows, people


def _dimension(engine: Engine, book: Codebook, unit: str | None, source: Source | None) -> DimensionPreview:
    table = engine.count(CountPlan((book.recode,), unit))
    count_of_code = dict(zip(table.column("c0").to_pylist(), table.column("count").to_pylist(), strict=True))
    rows = {leaf: int(count_of_code.get(code, 0)) for code, leaf in enumerate(book.leaves)}
    listed = engine.undeclared(book.recode, unit, SHOWN + 2) if count_of_code.get(len(book.leaves) - 1) else []
    missing = sum(times for value, times in listed if value is None)
    values = [(value, times) for value, times in listed if value is not None]
    undeclared = [undeclared_value(value, times, book.recode, source) for value, times in values[:SHOWN]]
    return DimensionPreview(
        name=book.name,
        column=book.recode.column,
        ranges=book.recode.values is None,
        rows=rows,
        missing=missing,
        undeclared=tuple(undeclared),
        more=len(values) > SHOWN,
        in_no_group={level: leaves for level in book.levels if (leaves := book.in_no_group(level))},
    )
