"""Arrays without the values that DuckDB refuses to read. Such values become missing, and all others stay the same.

These are text that is not UTF-8, text of more than 16 MB, and times that DuckDB's microseconds cannot hold.
"""

import pyarrow as pa
import pyarrow.compute as pc

from discreet.plan.canonical_text import LONGEST_TEXT

LARGEST_TIME = 9_223_372_022_400_000_000
"""Microseconds before or after 1970 that DuckDB accepts, at most."""


def repaired(array: pa.Array) -> pa.Array:
    """Return an array in which values that DuckDB refuses are missing."""
    if pa.types.is_dictionary(array.type):
        array = pa.DictionaryArray.from_arrays(array.indices, _without_long_texts(array.dictionary)).dictionary_decode()
    array = _without_long_texts(array)
    if pa.types.is_timestamp(array.type) and array.type.unit in ("s", "ms"):
        largest = LARGEST_TIME // (1_000_000 if array.type.unit == "s" else 1000)
        ticks = array.cast(pa.int64())
        inside = pc.and_(pc.greater_equal(ticks, -largest), pc.less_equal(ticks, largest))
        return pc.if_else(inside, array, pa.scalar(None, array.type))
    if is_valid(array):
        return array
    kept = [index if is_valid(array.slice(index, 1)) else None for index in range(len(array))]
    return array.take(pa.array(kept, pa.int64()))


def _without_long_texts(array: pa.Array) -> pa.Array:
    """Return an array in which texts of more than 16 MB are missing."""
    kind = array.type
    if not any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)):
        return array
    is_long = pc.greater(pc.binary_length(array), LONGEST_TEXT)
    if not pc.any(is_long).as_py():
        return array
    return array.take(pa.array([None if long else i for i, long in enumerate(is_long.to_pylist())], pa.int64()))


def is_valid(array: pa.Array) -> bool:
    """Return True if every value of an array is valid, for example every text is UTF-8."""
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
