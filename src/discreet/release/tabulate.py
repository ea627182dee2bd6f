"""True counts of every cell, from one pass of the engine over the rows.

The engine counts leaf combinations. Rows beyond a person's contributions are dropped, in a keyed order that does not
depend on the order of the rows: they are subtracted from the leaf combinations they are in. All groupings are then sums
of leaf combinations, made here.

Nothing in this file is published. It holds the truth, and hands it to `measure` only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discreet.release import keys
from discreet.release.cells import Grouping, Layout
from discreet.release.engines import Engine, Plan
from discreet.release.engines.stream import numbers

Integers = npt.NDArray[np.int64]

HALF = 1 << 16


@dataclass(frozen=True, repr=False)
class Leaves:
    """Non-empty leaf combinations: a code for each dimension, how many rows, and the sums of their keys' components."""

    codes: tuple[Integers, ...]
    counts: Integers
    sums: tuple[npt.NDArray[np.uint64], ...] = ()

    def __repr__(self) -> str:
        return "Leaves(...)"


def leaves(engine: Engine, plan: Plan, contributions: int, secret: bytes) -> Leaves:
    """Count, and drop what is beyond the contributions."""
    dropped = _dropped(engine, plan, contributions, secret) if plan.unit is not None else None
    return _leaves(engine.count(plan), plan, dropped, 1)


def with_keys(
    engine: Engine,
    plan: Plan,
    contributions: int,
    secret: bytes,
    columns: Sequence[str],
    modulus: int,
    fractions: bool = False,
) -> Leaves:
    """The same, with sums of the components of record keys: those in the columns, or else made from the ids."""
    if columns:
        return _leaves(engine.key_sums(plan, columns, modulus, fractions), plan, None, modulus)
    dropped = _dropped(engine, plan, contributions, secret)
    return _leaves(engine.sums(plan, keys.record_keys(secret), dropped), plan, None, modulus)


def _leaves(table: pa.Table, plan: Plan, dropped: pa.Table | None, modulus: int) -> Leaves:
    codes = [numbers(table[name]).astype(np.int64) for name in plan.codes]
    counts = numbers(table["count"]).astype(np.int64)
    sums = tuple(
        numbers(table[name]).astype(np.uint64) % np.uint64(modulus)
        for name in table.column_names
        if name not in (*plan.codes, "count")
    )
    if dropped is not None:
        codes = [
            np.concatenate([here, numbers(dropped[name]).astype(np.int64)])
            for here, name in zip(codes, plan.codes, strict=True)
        ]
        counts = np.concatenate([counts, -numbers(dropped["times"]).astype(np.int64)])
    return Leaves(tuple(codes), counts, sums)


def _dropped(engine: Engine, plan: Plan, contributions: int, secret: bytes) -> pa.Table | None:
    """The rows of people who have more than may count, beyond the first so many in the keyed order, if any."""
    order = keys.keyed_order(secret)
    ids: list[str] = []
    lines: list[tuple[int, ...]] = []
    for batch in engine.excess(plan, contributions):
        for person, rows in _people(batch, plan):
            kept = 0
            for codes, times in sorted(rows, key=lambda row: order(person, repr(row[0]).encode())):
                over = max(0, min(times, kept + times - contributions))
                kept += times
                if over:
                    ids.append(person)
                    lines.append((*codes, over))
    if not lines:
        return None
    columns = list(zip(*lines, strict=True))
    arrays = [pa.array(ids, pa.string())] + [pa.array(c, pa.int32()) for c in columns[:-1]]
    return pa.table([*arrays, pa.array(columns[-1], pa.int64())], names=["id", *plan.codes, "times"])


def _people(batch: pa.RecordBatch, plan: Plan) -> Iterator[tuple[str, list[tuple[tuple[int, ...], int]]]]:
    """The lines of one person after the other."""
    ids = batch.column("id").to_pylist()
    parts = [batch.column(name).to_pylist() for name in plan.codes]
    times = batch.column("times").to_pylist()
    start = 0
    for end in range(1, len(ids) + 1):
        if end == len(ids) or ids[end] != ids[start]:
            yield ids[start], [(tuple(part[line] for part in parts), times[line]) for line in range(start, end)]
            start = end


def counts(grouping: Grouping, layout: Layout, found: Leaves) -> tuple[Integers, list[npt.NDArray[np.uint64]]]:
    """The true count of every cell of a grouping, in C order, and the sums of its keys' components."""
    rows = np.arange(len(found.counts))
    for book, members in grouping.within:
        inside = np.array([leaf in members for leaf in range(len(book.leaves))])
        rows = rows[inside[found.codes[layout.books.index(book)][rows]]]
    place = np.zeros(len(rows), dtype=np.int64)
    for side in grouping.sides:
        holders = [
            [group for group, members in enumerate(side.members) if leaf in members]
            for leaf in range(len(side.book.leaves))
        ]
        many = np.array([len(each) for each in holders])
        start = np.concatenate([[0], np.cumsum(many)[:-1]])
        flat = np.array([group for each in holders for group in each], dtype=np.int64)
        leaf = found.codes[layout.books.index(side.book)][rows]
        repeat = many[leaf]
        within = np.arange(repeat.sum()) - np.repeat(np.cumsum(repeat) - repeat, repeat)
        group = flat[np.repeat(start[leaf], repeat) + within]
        rows, place = np.repeat(rows, repeat), np.repeat(place, repeat) * len(side.members) + group
    size = grouping.size
    total = np.bincount(place, weights=found.counts[rows], minlength=size).astype(np.int64)  # exact below 2**53
    return total, [_sums(place, part[rows], size) for part in found.sums]


def _sums(place: Integers, values: npt.NDArray[np.uint64], size: int) -> npt.NDArray[np.uint64]:
    """Sums of reduced components, exactly: in two halves of 16 bits, each below 2**53."""
    low = np.bincount(place, weights=(values % HALF).astype(np.float64), minlength=size).astype(np.uint64)
    high = np.bincount(place, weights=(values // HALF).astype(np.float64), minlength=size).astype(np.uint64)
    return low + high * np.uint64(HALF)
