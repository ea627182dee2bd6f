"""Leaf combinations and how many rows each has, from one pass of the engine over the rows.

Rows beyond a person's contributions are dropped, in a keyed order that does not depend on the order of the rows: they
are subtracted from the leaf combinations that they are in.

Nothing in this file is published. It holds the truth.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discreet.arrays import Integers
from discreet.count.arrow_batches import column, numbers
from discreet.count.engines.engine import Engine
from discreet.count.recode import CountPlan, RecordKeys

Order = Callable[[bytes, bytes], bytes]
"""From the id of a person and the codes of a row to the digest that rows of the person are sorted by."""


@dataclass(frozen=True, repr=False)
class Leaves:
    """Non-empty leaf combinations: a code for each dimension, how many rows, and the sums of their keys' components."""

    codes: tuple[Integers, ...]
    counts: Integers
    sums: tuple[npt.NDArray[np.uint64], ...] = ()

    def __repr__(self) -> str:
        return "Leaves(...)"


def leaves(engine: Engine, plan: CountPlan, contributions: int, order: Order) -> Leaves:
    """Count leaf combinations, and drop the rows of a person beyond the contributions."""
    dropped = _by_codes(plan, _dropped(engine, plan, contributions, order)) if plan.unit is not None else None
    return _leaves(engine.count(plan), plan, dropped, 1)


def leaves_with_made_keys(
    engine: Engine, plan: CountPlan, contributions: int, order: Order, record_keys: RecordKeys, modulus: int
) -> Leaves:
    """Count as `leaves`, with sums of the components of record keys that are made from the ids."""
    batches = list(_dropped(engine, plan, contributions, order))
    dropped = pa.concat_tables(batches) if batches else None
    return _leaves(engine.sums(plan, record_keys, dropped), plan, None, modulus)


def leaves_with_given_keys(
    engine: Engine, plan: CountPlan, columns: Sequence[str], modulus: int, fractions: bool
) -> Leaves:
    """Count all rows, with sums of the record keys that came with the data in some columns."""
    return _leaves(engine.key_sums(plan, columns, modulus, fractions), plan, None, modulus)


def _leaves(table: pa.Table, plan: CountPlan, dropped: pa.Table | None, modulus: int) -> Leaves:
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


def _dropped(engine: Engine, plan: CountPlan, contributions: int, order: Order) -> Iterator[pa.Table]:
    """The rows of people who have more than may count, beyond the first so many in the keyed order.

    Columns id, c0, c1, ... and times, as `Engine.excess` gives them, a batch at a time.
    """
    for batch in engine.excess(plan, contributions):
        ids, times = batch.column("id"), numbers(batch.column("times"))
        person = _runs(ids)
        at = _sorted(person, ids, [numbers(batch.column(name)) for name in plan.codes], order)
        person, times = person[at], times[at]
        upto = np.cumsum(times)
        first = np.searchsorted(person, person)
        upto -= upto[first] - times[first]
        over = np.clip(upto - contributions, 0, times)
        left = np.flatnonzero(over)
        if len(left):
            lines = pa.Table.from_batches([batch]).select(["id", *plan.codes]).take(column(at[left]))
            yield lines.append_column("times", column(over[left]))


def _runs(ids: pa.Array) -> Integers:
    """The number of the person, 0, 1, ..., in each of the lines, where the lines of a person are next to each other."""
    import pyarrow.compute as pc  # few releases need it

    starts = pc.not_equal(ids[1:], ids[:-1]).cast(pa.uint8())
    return np.concatenate([[0], np.cumsum(numbers(starts), dtype=np.int64)])


def _sorted(person: Integers, ids: pa.Array, codes: Sequence[npt.NDArray[np.int32]], order: Order) -> Integers:
    """Sort lines by person, then by keyed digest. People with one line are not hashed."""
    shared = np.flatnonzero((np.bincount(person) > 1)[person])
    digests = np.zeros((len(person), 4), np.uint64)
    if len(shared):
        which = np.zeros(len(shared), np.int64)
        for code in codes:
            place = which * (code.max() + 1) + code[shared]
            _, example, which = np.unique(place, return_index=True, return_inverse=True)
        combinations = zip(*(code[shared[example]].tolist() for code in codes), strict=True) if codes else [()]
        texts = [repr(combination).encode() for combination in combinations]
        names = ids.take(column(shared)).cast(pa.binary()).to_pylist()
        made = b"".join(map(order, names, map(texts.__getitem__, which.tolist())))
        digests[shared] = np.frombuffer(made, ">u8").reshape(-1, 4)
    return np.lexsort((*digests.T[::-1], person))


def _by_codes(plan: CountPlan, batches: Iterable[pa.Table]) -> pa.Table | None:
    """How many rows are dropped in each leaf combination, in memory that does not grow with the rows."""
    total: pa.Table | None = None
    for batch in batches:
        lines = batch.select([*plan.codes, "times"])
        lines = lines if total is None else pa.concat_tables([total, lines])
        folded = lines.group_by(plan.codes).aggregate([("times", "sum")])
        total = folded.rename_columns({"times_sum": "times"})
    return total
