"""Batches of rows from an engine: make ids canonical, keep the lines of an id together, add up record keys.

A record key is a function of the id, so no key has to go to the engine. Rows come out as ids and codes, and their keys
are made and added here, batch by batch. No key is ever in a query, a plan, a temporary table or a log. The memory
needed is one batch and the sums of the cells.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discreet.count.recode import COMPONENTS, CountPlan, RecordKeys
from discreet.errors import InputError, ParameterError
from discreet.plan.canonical_text import texts

BATCH = 2**18
"""Rows in a batch."""
_FOLD = 2**22
"""Lines after which sums of the same leaf combination are added up."""
_DENSE = 2**20
"""Leaf combinations, at most, for which an array has one entry for each."""

Sums = npt.NDArray[np.uint64]


def numbers(column: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """Return a column of numbers, none of them missing, as an array. Arrow's own way would load pandas."""
    if isinstance(column, pa.ChunkedArray):
        return np.concatenate([np.from_dlpack(chunk) for chunk in (pa.nulls(0, column.type), *column.chunks)])
    return np.from_dlpack(column)


def column(numbers: npt.NDArray[Any]) -> pa.Array:
    """Return an array of numbers as a column."""
    array = np.ascontiguousarray(numbers)
    return pa.Array.from_buffers(pa.from_numpy_dtype(array.dtype), len(array), [None, pa.py_buffer(array)])


def counts(plan: CountPlan, table: pa.Table, sums: int = 0) -> pa.Table:
    """Return the lines of a count by codes, with sums as uint64."""
    columns = {name: numbers(table.column(name)) for name in table.column_names}
    return _ordered(plan, columns | {f"s{i}": columns[f"s{i}"].astype(np.uint64) for i in range(sums)})


def _ordered(plan: CountPlan, columns: Mapping[str, npt.NDArray[Any]]) -> pa.Table:
    order = np.lexsort([columns[code] for code in reversed(plan.codes)]) if plan.codes else slice(None)
    return pa.table({name: column(part[order]) for name, part in columns.items()})


def whole_ids(plan: CountPlan, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield lines, which come by id, in batches that never split an id, with canonical ids."""
    schema = pa.schema([("id", pa.string()), *((code, pa.int32()) for code in plan.codes), ("times", pa.int64())])
    waiting: list[pa.RecordBatch] = []  # lines of the last id, which may go on in the next batch
    for batch in batches:
        if not batch.num_rows:
            continue
        lines = batch.set_column(0, "id", texts(batch.column(0))).cast(schema)
        ids = lines.column(0).to_pylist()
        last_start = ids.index(ids[-1])
        goes_on = bool(waiting) and waiting[-1].column(0)[-1].as_py() == ids[0]
        if goes_on and last_start == 0:
            waiting.append(lines)
            continue
        ready = [*waiting, lines.slice(0, last_start)]
        waiting = [lines.slice(last_start)]
        if sum(part.num_rows for part in ready):
            yield pa.Table.from_batches(ready).combine_chunks().to_batches()[0]
    if waiting:
        yield pa.Table.from_batches(waiting).combine_chunks().to_batches()[0]


def sums(
    plan: CountPlan, batches: Iterable[pa.RecordBatch], record_keys: RecordKeys, dropped: pa.Table | None
) -> pa.Table:
    """Return counts, and sums of record keys, by leaf combination.

    Parameters
    ----------
    plan
        The recodes and the unit.
    batches
        Rows: id, c0, c1, ...
    record_keys
        From ids to components.
    dropped
        Rows to subtract: id, c0, c1, ..., times.

    Raises
    ------
    ParameterError
        The plan has no unit.
    InputError
        Rows are to be subtracted that do not exist.
    """
    if plan.unit is None:
        raise ParameterError("record keys belong to people, and the plan has no unit; name the column of ids")
    totals = _Totals(plan)
    for batch in batches:
        if batch.num_rows:
            totals.add(batch, np.ones(batch.num_rows, np.uint64), _components(batch, record_keys))
    for batch in [] if dropped is None else dropped.combine_chunks().to_batches(max_chunksize=BATCH):
        if batch.num_rows:  # sums are modulo 2**64, and the difference is exact, because it is never negative
            times = np.zeros(1, np.uint64) - numbers(batch.column("times")).astype(np.uint64)
            totals.add(batch, times, [part * times for part in _components(batch, record_keys)])
    table = totals.table()
    count = numbers(table.column("count")).astype(np.int64)
    if (count < 0).any():
        raise InputError("the source does not have rows that it had before; keep it unchanged during the release")
    columns = {name: numbers(table.column(name))[count > 0] for name in table.column_names}
    return _ordered(plan, columns | {"count": count[count > 0]})


class _Totals:
    """Sums by leaf combination: in an array of all combinations if they are few, else in a table of those in use."""

    def __init__(self, plan: CountPlan) -> None:
        self._plan = plan
        self._shape = tuple(recode.leaves + 1 for recode in plan.recodes)
        self._dense = math.prod(self._shape) <= _DENSE
        self._totals = np.zeros((1 + COMPONENTS, math.prod(self._shape) if self._dense else 0), np.uint64)
        self._parts: list[pa.Table] = []
        self._limit = _FOLD

    def add(self, batch: pa.RecordBatch, count: Sums, components: Sequence[Sums]) -> None:
        """Add the numbers of the lines of a batch, whose leaf combinations are in its columns c0, c1, ..."""
        codes = [np.asarray(numbers(batch.column(code)), np.int32) for code in self._plan.codes]
        if self._dense:
            index = np.zeros(batch.num_rows, np.intp)
            for code, size in zip(codes, self._shape, strict=True):
                index = index * size + code
            for total, part in zip(self._totals, (count, *components), strict=True):
                np.add.at(total, index, part)
            return
        arrays = [*map(column, codes), *map(column, (count, *components))]
        self._parts.append(_folded(self._plan, pa.table(arrays, names=[*self._plan.codes, *_NAMES])))
        if sum(map(len, self._parts)) > self._limit:
            self._parts = [_folded(self._plan, pa.concat_tables(self._parts))]
            self._limit = _FOLD + 2 * len(self._parts[0])

    def table(self) -> pa.Table:
        """Return c0, c1, ..., count, s0, ..., one line for each leaf combination. A count may be 0."""
        if not self._dense:
            return _folded(self._plan, pa.concat_tables(self._parts)) if self._parts else _empty(self._plan)
        index = np.flatnonzero(self._totals[0])
        codes = np.unravel_index(index, self._shape) if self._shape else ()
        arrays = [column(part) for part in (*(code.astype(np.int32) for code in codes), *self._totals[:, index])]
        return pa.table(arrays, names=[*self._plan.codes, *_NAMES])


_NAMES = ["count", *(f"s{i}" for i in range(COMPONENTS))]


def _components(batch: pa.RecordBatch, record_keys: RecordKeys) -> list[Sums]:
    components = record_keys(texts(batch.column(0)))
    if len(components) != COMPONENTS or any(part.shape != (batch.num_rows,) for part in components):
        raise ParameterError(f"record keys must have {COMPONENTS} components, each with one number for every id")
    return [part.astype(np.uint64) for part in components]


def _folded(plan: CountPlan, table: pa.Table) -> pa.Table:
    folded = table.group_by(plan.codes).aggregate([(name, "sum") for name in _NAMES])
    return folded.select([*plan.codes, *(f"{name}_sum" for name in _NAMES)]).rename_columns([*plan.codes, *_NAMES])


def _empty(plan: CountPlan) -> pa.Table:
    names = [(code, pa.int32()) for code in plan.codes]
    return pa.schema([*names, *((name, pa.uint64()) for name in _NAMES)]).empty_table()
