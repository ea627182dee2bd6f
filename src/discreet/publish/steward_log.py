"""The steward's private log: numbers made from the true counts, which show whether a release went well.

The log is written only on request, is readable by its owner only, and is never inside the folder. To publish it would
break the guarantee.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet import files
from discreet.arrays import Integers
from discreet.count.contributions import Leaves
from discreet.count.engines.engine import Engine
from discreet.count.recode import CountPlan
from discreet.errors import ManyValuesError, OutputError
from discreet.plan.layout import Layout
from discreet.publish import pending
from discreet.publish.folder import Published
from discreet.reconcile import moved

WARNING = "PRIVATE: this holds numbers made from the microdata without noise. Do not publish it."

SHOWN = 100
"""The most undeclared values that are listed for a dimension."""

MOST_VALUES = 100_000
"""The most different values of a column that are looked at."""


@dataclass(frozen=True, repr=False)
class Truth:
    """What a log is made from.

    Attributes
    ----------
    rows
        What `row_summary` returned; empty without a log.
    counts
        The true count of each distinct cell.
    """

    rows: Mapping[str, Any]
    counts: Integers


def log_path(path: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the real path of the log.

    Parameters
    ----------
    path
        The path that the steward gave.
    folder
        The folder that will be published; None if there is no folder.

    Raises
    ------
    OutputError
        If the path is inside the folder, exists, has the suffix of a file of measurements, or cannot be written.
    """
    target = Path(os.path.realpath(path))
    if folder is not None and Path(os.path.realpath(folder)) in (target, *target.parents):
        raise OutputError(f"the log {path} is inside the folder that is published; give a path outside the folder")
    if target.name.endswith(pending.SUFFIX):
        raise OutputError(f"the log {path} ends in {pending.SUFFIX}, as a file of measurements does; give another name")
    if os.path.lexists(target):
        raise OutputError(f"the log {path} exists already; give a new name")
    if not target.parent.is_dir():
        raise OutputError(f"the log {path} is in a folder that does not exist; make it first")
    return files.writable_path(target)


def row_summary(engine: Engine, plan: CountPlan, layout: Layout, leaves: Leaves) -> dict[str, Any]:
    """Return how many rows the source has, how many were counted, and which values were not declared.

    Parameters
    ----------
    engine
        The open source.
    plan
        The columns that were counted.
    layout
        The groupings of the release.
    leaves
        The true counts of leaf combinations.
    """
    rows = engine.count(CountPlan()).column("count").to_pylist()
    dimensions: dict[str, Any] = {}
    for book, recode, codes in zip(layout.books, plan.recodes, leaves.codes, strict=True):
        other = int(leaves.counts[codes == len(book.leaves) - 1].sum())
        dimensions[book.name] = {"rows_in_other": other}
        if recode.values is not None and other:
            dimensions[book.name] |= _undeclared(engine, recode.column, recode.values)
    return {
        "rows_in_source": int(rows[0]) if rows else 0,
        "rows_counted": int(leaves.counts.sum()),
        "dimensions": dimensions,
    }


def _undeclared(engine: Engine, column: str, declared: Mapping[str, int]) -> dict[str, Any]:
    """Return the first values of a column that were not declared, and how many there are."""
    try:
        values = [value for value in engine.values(column, MOST_VALUES) if value not in declared]
    except ManyValuesError:
        return {"undeclared": f"more than {MOST_VALUES:,} different values"}
    return {"undeclared": values[:SHOWN], "undeclared_in_all": len(values)}


@contextmanager
def written_log(path: Path | None, truth: Truth | None, published: Published) -> Iterator[None]:
    """Write the log, and remove it if the context fails. Do nothing if `path` is None.

    Parameters
    ----------
    path
        The path of the log, or None.
    truth
        What the log is made from, or None.
    published
        What is published, to be compared with the truth.
    """
    if path is None or truth is None:
        yield
        return
    content = _content(truth, published)
    try:
        files.write(path, content, private=True)
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _errors(counts: Integers, numbers: Integers) -> dict[str, float]:
    """Return how far numbers are from the true counts: the largest, the mean and the root mean square error."""
    distances = moved(counts, numbers)
    return {
        "largest_error": distances.largest,
        "mean_absolute_error": distances.mean,
        "root_mean_square_error": distances.root_mean_square,
    }


def _content(truth: Truth, published: Published) -> bytes:
    """Return the log as JSON: the summary of rows, and the error of each grouping and table."""
    layout = published.plan.layout
    true_counts = [
        truth.counts[cells].reshape(grouping.shape)
        for grouping, cells in zip(layout.groupings, layout.cells.indices, strict=True)
    ]
    document: dict[str, Any] = {"warning": WARNING, "version": published.plan.spec.version, **truth.rows}
    document["groupings"] = [
        {
            "dimensions": [axis.book.name for axis in grouping.axes],
            "cells": grouping.size,
            "error_of_measurements": None if measurements is None else _errors(counts, measurements),
        }
        for grouping, counts, measurements in zip(layout.groupings, true_counts, published.measurements, strict=True)
    ]
    document["tables"] = [
        {
            "table": table.name,
            "errors": [
                _errors(true_counts[index], counts) for index, counts in zip(grouping_indices, margins, strict=True)
            ],
        }
        for (table, grouping_indices), margins in zip(layout.tables, published.tables, strict=True)
    ]
    if published.table_plan.parts and published.expected.failed is not None:
        document["expected_errors"] = (
            f"left out of the report, as they could not be simulated: {published.expected.failed}"
        )
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()
