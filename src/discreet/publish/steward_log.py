"""The steward's private log: what one must see of the truth to know that a release went well.

It is off unless asked for, is readable by its owner only, and never lies inside the folder. It holds true numbers, and
publishing it would undo the guarantee.
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
"""Undeclared values that are listed, of each dimension."""

MOST_VALUES = 100_000


@dataclass(frozen=True, repr=False)
class Truth:
    """What a log is made from: what the rows held, and the true count of every distinct cell."""

    rows: Mapping[str, Any]
    counts: Integers


def place(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> Path:
    """Where the log goes: a new file, outside the folder."""
    target = Path(os.path.realpath(path))
    if target == Path(os.path.realpath(folder)) or Path(os.path.realpath(folder)) in target.parents:
        raise OutputError(f"the log {path} is inside the folder that is published; give a place outside of it")
    if target.name.endswith(pending.SUFFIX):
        raise OutputError(f"the log {path} ends in {pending.SUFFIX}, as a file of measurements does; give another name")
    if os.path.lexists(target):
        raise OutputError(f"the log {path} exists already; give a new name")
    if not target.parent.is_dir():
        raise OutputError(f"the log {path} is in a folder that does not exist; make it first")
    return files.ready(target)


def found(engine: Engine, plan: CountPlan, layout: Layout, leaves: Leaves) -> dict[str, Any]:
    """What the rows held: how many there are, how many count, and what was not declared."""
    rows = engine.count(CountPlan()).column("count").to_pylist()
    told: dict[str, Any] = {}
    for number, (book, codes) in enumerate(zip(layout.books, leaves.codes, strict=True)):
        recode = plan.recodes[number]
        other = int(leaves.counts[codes == len(book.leaves) - 1].sum())
        told[book.name] = {"rows_in_other": other}
        if recode.values is not None and other:
            told[book.name] |= _undeclared(engine, recode.column, recode.values)
    return {
        "rows_in_source": int(rows[0]) if rows else 0,
        "rows_counted": int(leaves.counts.sum()),
        "dimensions": told,
    }


def _undeclared(engine: Engine, column: str, declared: Mapping[str, int]) -> dict[str, Any]:
    try:
        values = [value for value in engine.values(column, MOST_VALUES) if value not in declared]
    except ManyValuesError:
        return {"undeclared": f"more than {MOST_VALUES:,} different values"}
    return {"undeclared": values[:SHOWN], "undeclared_in_all": len(values)}


@contextmanager
def written(path: Path | None, truth: Truth | None, published: Published) -> Iterator[None]:
    """The log as a JSON file, where one is wanted; gone again if what follows fails."""
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


def _content(truth: Truth, published: Published) -> bytes:
    counts, errors = truth.counts, []
    for place_, grouping in enumerate(published.plan.layout.groupings):
        true = counts[published.plan.layout.cells[1][place_]].reshape(grouping.shape)
        errors.append(
            {
                "dimensions": [side.book.name for side in grouping.axes],
                "cells": grouping.size,
                "error_of_measurements": vars(moved(true, published.measurements[place_])),
            }
        )
    tables = [
        {
            "table": table.name,
            "errors": [
                vars(moved(counts[published.plan.layout.cells[1][at]].reshape(numbers.shape), numbers))
                for at, numbers in zip(places, counted, strict=True)
            ],
        }
        for (table, places), counted in zip(published.plan.layout.tables, published.tables, strict=True)
    ]
    document: dict[str, Any] = {"warning": WARNING, "version": published.plan.spec.version, **truth.rows}
    document |= {"groupings": errors, "tables": tables}
    if published.table_plan.parts and published.expected.failed is not None:
        document["expected_errors"] = (
            f"left out of the report, as they could not be simulated: {published.expected.failed}"
        )
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()
