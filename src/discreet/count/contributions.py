"""Leaf combinations and the number of rows of each, from one pass of the engine over the rows.

Rows beyond a person's contributions are dropped. A keyed order, which does not depend on the order of the rows, decides
which. Dropped rows are subtracted from their leaf combinations.

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
"""From the id of a person and the codes of a row to a digest. The rows of the person are sorted by it."""


@dataclass(frozen=True, repr=False)
class Leaves:
    """Leaf combinations that occur. One may be listed several times; its counts, which may be negative, add up.

    Attributes
    ----------
    codes
        For each dimension, the code of every leaf combination.
    counts
        The number of rows of every leaf combination.
    sums
        The sums of each component of the record keys of these rows; empty if there are no record keys.
    """

    codes: tuple[Integers, ...]
    counts: Integers
    sums: tuple[npt.NDArray[np.uint64], ...] = ()

    def __repr__(self) -> str:
        return "Leaves(...)"


def leaves(engine: Engine, plan: CountPlan, contributions: int, order: Order) -> Leaves:
    """Count leaf combinations, without the rows of a person beyond the contributions.

    Parameters
    ----------
    engine
        The engine of the source.
    plan
        The recodes and the unit.
    contributions
        Most rows of one person that count.
    order
        The keyed order of a person's rows.
    """
    dropped = _by_codes(plan, _dropped(engine, plan, contributions, order)) if plan.unit is not None else None
    return _leaves(engine.count(plan), plan, dropped, 1)


def leaves_with_made_keys(
    engine: Engine, plan: CountPlan, contributions: int, order: Order, record_keys: RecordKeys, modulus: int
) -> Leaves:
    """Count as `leaves`, with sums of the components of record keys that are made from ids.

    Parameters
    ----------
    engine, plan, contributions, order
        As in `leaves`.
    record_keys
        From ids to components.
    modulus
        The sums are reduced by this number.
    """
    batches = list(_dropped(engine, plan, contributions, order))
    dropped = pa.concat_tables(batches) if batches else None
    return _leaves(engine.sums(plan, record_keys, dropped), plan, None, modulus)


def leaves_with_given_keys(
    engine: Engine, plan: CountPlan, columns: Sequence[str], modulus: int, fractions: bool
) -> Leaves:
    """Count all rows, with sums of record keys that came with the data.

    Parameters
    ----------
    engine, plan
        As in `leaves`.
    columns
        The columns of record keys.
    modulus
        Keys and sums are reduced by this number.
    fractions
        True if keys are numbers from 0 to below 1, False if they are integers.
    """
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
            np.concatenate([counted, numbers(dropped[name]).astype(np.int64)])
            for counted, name in zip(codes, plan.codes, strict=True)
        ]
        counts = np.concatenate([counts, -numbers(dropped["times"]).astype(np.int64)])
    return Leaves(tuple(codes), counts, sums)


def _dropped(engine: Engine, plan: CountPlan, contributions: int, order: Order) -> Iterator[pa.Table]:
    """Yield the rows that do not count: in the keyed order of a person's rows, all after the first `contributions`.

    Columns id, c0, c1, ... and times, as in `Engine.excess`, a batch at a time.
    """
    for batch in engine.excess(plan, contributions):
        ids, times = batch.column("id"), numbers(batch.column("times"))
        people = _person_numbers(ids)
        indices = _keyed_order(people, ids, [numbers(batch.column(name)) for name in plan.codes], order)
        people, times = people[indices], times[indices]
        rows_so_far = np.cumsum(times)
        first = np.searchsorted(people, people)
        rows_so_far -= rows_so_far[first] - times[first]
        excess = np.clip(rows_so_far - contributions, 0, times)
        with_excess = np.flatnonzero(excess)
        if len(with_excess):
            lines = pa.Table.from_batches([batch]).select(["id", *plan.codes]).take(column(indices[with_excess]))
            yield lines.append_column("times", column(excess[with_excess]))


def _person_numbers(ids: pa.Array) -> Integers:
    """Return the number of the person, 0, 1, ..., of every line. The lines of a person are next to each other."""
    import pyarrow.compute as pc  # few releases need it

    starts = pc.not_equal(ids[1:], ids[:-1]).cast(pa.uint8())
    return np.concatenate([[0], np.cumsum(numbers(starts), dtype=np.int64)])


def _keyed_order(people: Integers, ids: pa.Array, codes: Sequence[npt.NDArray[np.int32]], order: Order) -> Integers:
    """Sort lines by person, then by keyed digest. People with one line are not hashed."""
    shared = np.flatnonzero((np.bincount(people) > 1)[people])
    digests = np.zeros((len(people), 4), np.uint64)
    if len(shared):
        combination = np.zeros(len(shared), np.int64)
        for code in codes:
            joint_code = combination * (code.max() + 1) + code[shared]
            _, example, combination = np.unique(joint_code, return_index=True, return_inverse=True)
        combinations = zip(*(code[shared[example]].tolist() for code in codes), strict=True) if codes else [()]
        texts = [repr(codes_of_line).encode() for codes_of_line in combinations]
        names = ids.take(column(shared)).cast(pa.binary()).to_pylist()
        joined = b"".join(map(order, names, map(texts.__getitem__, combination.tolist())))
        digests[shared] = np.frombuffer(joined, ">u8").reshape(-1, 4)
    return np.lexsort((*digests.T[::-1], people))


def _by_codes(plan: CountPlan, batches: Iterable[pa.Table]) -> pa.Table | None:
    """Return the number of dropped rows of each leaf combination, in memory that does not grow with the rows."""
    total: pa.Table | None = None
    for batch in batches:
        lines = batch.select([*plan.codes, "times"])
        lines = lines if total is None else pa.concat_tables([total, lines])
        folded = lines.group_by(plan.codes).aggregate([("times", "sum")])
        total = folded.rename_columns({"times_sum": "times"})
    return total
