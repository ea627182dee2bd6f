"""What is done with rows that leave an engine: ids made canonical and kept whole, record keys made and added.

Record keys are a function of the id, so they need not go back to the engine that holds the rows: rows are streamed out
as ids and codes, and their keys are added here, batch by batch. No key is ever in a query, a plan, a temporary table
or a log, and the memory needed is that of one batch and of the cells.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.errors import InputError, ParameterError
from discreet.release.engines.canonical import ids
from discreet.release.engines.plan import COMPONENTS, Plan, RecordKeys

BATCH = 2**18
"""Rows in a batch."""
_FOLD = 2**22


def counts(plan: Plan, table: pa.Table, sums: int = 0) -> pa.Table:
    """The lines of a count in order of codes, with sums as uint64."""
    names = [(code, pa.int32()) for code in plan.codes] + [("count", pa.int64())]
    table = table.cast(pa.schema([*names, *((f"s{i}", pa.uint64()) for i in range(sums))]))
    return table.sort_by([(code, "ascending") for code in plan.codes]) if plan.codes else table.combine_chunks()


def whole_ids(plan: Plan, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Lines ordered by id in batches that never split an id, with canonical ids."""
    schema = pa.schema([("id", pa.string()), *((code, pa.int32()) for code in plan.codes), ("times", pa.int64())])
    held: list[pa.RecordBatch] = []
    for batch in batches:
        if not batch.num_rows:
            continue
        new = batch.set_column(0, "id", ids(batch.column(0))).cast(schema)
        name = new.column(0)
        last = pc.index(pc.equal(name, name[-1]), True).as_py()
        same = bool(held) and held[-1].column(0)[-1].as_py() == name[0].as_py()
        if same and last == 0:
            held.append(new)
            continue
        ready = [*held, new.slice(0, last)]
        held = [new.slice(last)]
        if sum(part.num_rows for part in ready):
            yield pa.Table.from_batches(ready).combine_chunks().to_batches()[0]
    if held:
        yield pa.Table.from_batches(held).combine_chunks().to_batches()[0]


def sums(plan: Plan, batches: Iterable[pa.RecordBatch], record_keys: RecordKeys, dropped: pa.Table | None) -> pa.Table:
    """Counts, and sums of record keys, of rows (id, c0, c1, ...) less those in `dropped` (id, c0, c1, ..., times)."""
    if plan.unit is None:
        raise ParameterError("record keys belong to people, and the plan has no unit; name the column with their id")
    parts: list[pa.Table] = []
    size = 0
    for batch in batches:
        if batch.num_rows:
            parts.append(_folded(plan, _keyed(plan, batch, record_keys)))
            size += parts[-1].num_rows
        if size > _FOLD:
            parts = [_folded(plan, pa.concat_tables(parts))]
            size = parts[0].num_rows if parts[0].num_rows > _FOLD // 2 else 0
    for batch in [] if dropped is None else dropped.combine_chunks().to_batches(max_chunksize=BATCH):
        if batch.num_rows:
            parts.append(_folded(plan, _less(plan, batch, record_keys)))
    total = _folded(plan, pa.concat_tables(parts)) if parts else _empty(plan)
    # Sums are modulo 2**64, where taking away is adding the complement: what is left is exact, as it is never negative.
    count = total.column("count").to_numpy().astype(np.int64)
    if (count < 0).any():
        raise InputError("rows are to be dropped that the source does not have; it changed since they were listed")
    total = total.set_column(len(plan.codes), "count", pa.array(count)).filter(pa.array(count > 0))
    return total.sort_by([(code, "ascending") for code in plan.codes]) if plan.codes else total.combine_chunks()


def _keyed(plan: Plan, batch: pa.RecordBatch, record_keys: RecordKeys) -> pa.Table:
    components = _components(batch, record_keys)
    columns = {code: batch.column(1 + i).cast(pa.int32()) for i, code in enumerate(plan.codes)}
    columns["count"] = pa.array(np.ones(batch.num_rows, np.uint64))
    return pa.table(columns | {f"s{i}": pa.array(part) for i, part in enumerate(components)})


def _less(plan: Plan, batch: pa.RecordBatch, record_keys: RecordKeys) -> pa.Table:
    components = _components(batch, record_keys)
    times = np.zeros(1, np.uint64) - batch.column("times").to_numpy().astype(np.uint64)
    columns = {code: batch.column(code).cast(pa.int32()) for code in plan.codes} | {"count": pa.array(times)}
    return pa.table(columns | {f"s{i}": pa.array(part * times) for i, part in enumerate(components)})


def _components(batch: pa.RecordBatch, record_keys: RecordKeys) -> list[np.ndarray[tuple[int], np.dtype[np.uint64]]]:
    components = record_keys(ids(batch.column(0)))
    if len(components) != COMPONENTS or any(part.shape != (batch.num_rows,) for part in components):
        raise ParameterError(f"record keys have {COMPONENTS} components, each with one number for every id")
    return [part.astype(np.uint64) for part in components]


def _folded(plan: Plan, table: pa.Table) -> pa.Table:
    names = ["count", *(f"s{i}" for i in range(COMPONENTS))]
    if not plan.codes:
        total = {name: np.add.reduce(table.column(name).to_numpy(), dtype=np.uint64) for name in names}
        return pa.table({name: pa.array([value], pa.uint64()) for name, value in total.items()})
    folded = table.group_by(plan.codes).aggregate([(name, "sum") for name in names])
    return folded.select([*plan.codes, *(f"{name}_sum" for name in names)]).rename_columns([*plan.codes, *names])


def _empty(plan: Plan) -> pa.Table:
    names = [(code, pa.int32()) for code in plan.codes]
    totals = [(name, pa.uint64()) for name in ("count", *(f"s{i}" for i in range(COMPONENTS)))]
    return pa.schema([*names, *totals]).empty_table()
