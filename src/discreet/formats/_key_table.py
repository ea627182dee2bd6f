"""Tables with one entry for each count and key, as ONS and Cantabular have them.

A cell's key is the sum of its records' keys modulo the number of keys, and its output is

    n + change(pcv(n), key),      pcv(n) = n for n <= 750, else (n - 1) % 250 + 501,

so the table has rows for the counts up to 500 and an interior of period 250. A weight is a number of keys, exactly.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from discreet.arrays import Booleans, Integers
from discreet.domain import Counts
from discreet.errors import InputError
from discreet.exact import is_integer
from discreet.formats._exact_weights import row_of
from discreet.formats._text_file import TextFile, parse_integer
from discreet.mechanism import Mechanism, Row

LARGEST = 750
"""The largest count with entries of its own."""

PERIOD = 250
START = LARGEST - PERIOD + 1
"""The first count of the interior."""

MOST_CHANGE = 2500


@dataclass(frozen=True, eq=False)
class KeyTable:
    """changes[count, key] for the counts 0..750. Row 0 is the change of an empty cell.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.formats import KeyTable
    >>> table = KeyTable(np.tile([-1, 0, 1], (751, 1)))
    >>> [table.value(24, key) for key in range(table.keys)]
    [23, 24, 25]
    >>> round(table.mechanism().variance(24), 6)
    0.666667
    """

    changes: Integers
    design: Mapping[str, Any] = field(default_factory=dict)

    @property
    def keys(self) -> int:
        """Number of keys."""
        return int(self.changes.shape[1])

    def value(self, count: int, key: int) -> int:
        """Return the tool's output for a count and a cell key.

        Parameters
        ----------
        count
            An integer of 0 or more.
        key
            The cell key, from 0 to the number of keys less 1.

        Returns
        -------
        int
            The output.

        Raises
        ------
        InputError
            The count is not an integer of 0 or more, or the key is not one of the table's.
        """
        if not (is_integer(count) and is_integer(key)) or count < 0 or not 0 <= key < self.keys:
            raise InputError(f"count {count}, key {key}; give a count of 0 or more and a key from 0 to {self.keys - 1}")
        return count + int(self.changes[_pcv(count), key])

    def mechanism(self) -> Mechanism:
        """Return the distribution of the output for a uniform key."""
        rows = [self._row(count, count) for count in range(START)]
        interior = [self._row(count, 0) for count in range(START, LARGEST + 1)]
        return Mechanism(Counts(), rows, interior, design=self.design)  # type: ignore[arg-type]

    def _row(self, count: int, centre: int) -> Row:
        changes, numbers_of_keys = np.unique(self.changes[count], return_counts=True)
        return row_of(dict(zip((changes + centre).tolist(), numbers_of_keys.tolist(), strict=True)), self.keys)


def _pcv(count: int) -> int:
    """Return the row in which a count is looked up."""
    return count if count <= LARGEST else (count - 1) % PERIOD + START


class _Entries(NamedTuple):
    """Count, first key, last key, change and line number of every record, and the names of the three columns."""

    counts: Integers
    first_keys: Integers
    last_keys: Integers
    changes: Integers
    lines: Integers
    columns: Sequence[str]


def read_changes(
    file: TextFile, columns: Sequence[str], sizes: Sequence[int], key_ranges: bool, perturbs_zero: bool
) -> Integers:
    """Return the changes in a file, by count and key.

    Parameters
    ----------
    columns
        The names of the columns for count, key and change.
    sizes
        The numbers of keys that a table may have.
    key_ranges
        True if a key may be a range a-b.
    perturbs_zero
        True if the count 0 may have entries. Without entries it stays 0.

    Raises
    ------
    FormatError
        A field is not an integer or is out of range, or an entry is missing or is there twice.
    """
    entries = _entries(file, columns, key_ranges)
    size = _check_values(file, entries, sizes, 0 if perturbs_zero else 1)
    numbers_of_keys = entries.last_keys - entries.first_keys + 1
    cells = (LARGEST + 1) * size
    # records beyond `used` would fill more than all cells, so an earlier record is there twice
    used = min(int(np.searchsorted(np.cumsum(numbers_of_keys), cells)) + 1, len(numbers_of_keys))
    spans = numbers_of_keys[:used]
    record = np.repeat(np.arange(used), spans)
    offset = np.arange(len(record)) - np.repeat(np.cumsum(spans) - spans, spans)
    cell = entries.counts[record] * size + entries.first_keys[record] + offset
    _check_once(file, cell, entries.lines[record], size)
    changes = np.zeros(cells, dtype=np.int64)
    present = np.zeros(cells, dtype=np.bool_)
    changes[cell], present[cell] = entries.changes[record], True
    if not present[:size].any():
        present[:size] = True
    _check_complete(file, present.reshape(-1, size), int(entries.lines[-1]))
    return changes.reshape(-1, size)


def _entries(file: TextFile, columns: Sequence[str], key_ranges: bool) -> _Entries:
    count_index, key_index, change_index = file.column_indices(columns).values()
    integers: dict[str, int] = {}
    ranges: dict[str, tuple[int, int]] = {}
    flat = array("q")
    for line, fields in file.records():
        count, key, change = fields[count_index], fields[key_index], fields[change_index]
        try:
            flat.extend((integers[count], *ranges[key], integers[change], line))
        except KeyError:
            integers[count] = _require_integer(file, line, columns[0], count)
            integers[change] = _require_integer(file, line, columns[2], change)
            ranges[key] = _key_range(file, line, columns[1], key, key_ranges)
            flat.extend((integers[count], *ranges[key], integers[change], line))
    if not flat:
        raise file.error(
            file.header_line, "the file has a header and nothing else; give one line for each count and key"
        )
    counts, first_keys, last_keys, changes, lines = np.frombuffer(flat, dtype=np.int64).reshape(-1, 5).T
    return _Entries(counts, first_keys, last_keys, changes, lines, columns)


def _require_integer(file: TextFile, line: int, name: str, written: str) -> int:
    value = parse_integer(written)
    if value is None:
        raise file.error(line, f"{name} is {written[:40]!r}; give an integer")
    return value


def _key_range(file: TextFile, line: int, name: str, written: str, allowed: bool) -> tuple[int, int]:
    """Return the first and the last key of a range a-b, or one key twice."""
    low, dash, high = written.partition("-")
    if not dash or not low:
        value = _require_integer(file, line, name, written)
        return value, value
    if not allowed:
        raise file.error(line, f"{name} is {written[:40]!r}; give an integer (only Cantabular has ranges of keys)")
    first, last = (_require_integer(file, line, name, end.strip()) for end in (low, high))
    if first > last:
        raise file.error(line, f"{name} is {written[:40]!r}; write the smaller key first")
    return first, last


def _first_true(wrong: Booleans) -> int | None:
    indices = np.flatnonzero(wrong)
    return int(indices[0]) if len(indices) else None


def _check_values(file: TextFile, entries: _Entries, sizes: Sequence[int], least_count: int) -> int:
    """Return the number of keys. Raise FormatError if a number is out of range."""
    counts, first_keys, last_keys, changes, lines, (count_name, key_name, change_name) = entries
    if (record := _first_true((counts < least_count) | (counts > LARGEST))) is not None:
        remedy = (
            "an empty cell has no records, so its key is always 0 and its noise never changes: leave count 0 out"
            if counts[record] == 0
            else f"give {least_count} to {LARGEST}; larger counts are looked up as {START} to {LARGEST}"
        )
        raise file.error(int(lines[record]), f"{count_name} is {counts[record]}; {remedy}")
    if (record := _first_true((first_keys < 0) | (last_keys >= max(sizes)))) is not None:
        key = first_keys[record] if first_keys[record] < 0 else last_keys[record]
        largest_keys = " or ".join(str(size - 1) for size in sizes)
        raise file.error(int(lines[record]), f"{key_name} is {key}; give keys from 0 to {largest_keys}")
    if (record := _first_true(np.abs(changes) > MOST_CHANGE)) is not None:
        raise file.error(
            int(lines[record]),
            f"{change_name} is {changes[record]}; no table changes a count by more than {MOST_CHANGE}",
        )
    if (record := _first_true(counts + changes < 0)) is not None:
        reversed_sign = not (counts - changes < 0).any()
        raise file.error(
            int(lines[record]),
            f"count {counts[record]} with {change_name} {changes[record]} gives {counts[record] + changes[record]},"
            f" below 0; {change_name} is output minus count"
            + (", and its sign seems to be reversed on every line" if reversed_sign else ""),
        )
    largest_key = int(last_keys.max())
    return min(size for size in sizes if largest_key < size)


def _check_once(file: TextFile, cell: Integers, lines: Integers, size: int) -> None:
    """Raise FormatError if a cell, count * size + key, occurs twice."""
    order = np.argsort(cell, kind="stable")
    repeated = order[1:][cell[order[1:]] == cell[order[:-1]]]
    if len(repeated):
        second = repeated.min()
        first = int(np.flatnonzero(cell == cell[second])[0])
        count, key = divmod(int(cell[second]), size)
        raise file.error(
            int(lines[second]),
            f"key {key} of count {count} has an entry already, on line {lines[first]}; leave one of them out",
        )


def _check_complete(file: TextFile, present: Booleans, last_line: int) -> None:
    """Raise FormatError if a count has no entry for a key: the tool would publish such a cell as it is."""
    missing = ~present
    if not missing.any():
        return
    counts = np.flatnonzero(missing.all(axis=1))
    if len(counts):
        raise file.error(
            last_line,
            f"the table ends, and {len(counts)} counts from {counts[0]} to {counts[-1]} have no entry:"
            f" the tool would publish them as they are; give counts 1 to {LARGEST}",
        )
    count, key = (int(indices[0]) for indices in np.nonzero(missing))
    raise file.error(
        last_line,
        f"the table ends, and key {key} of count {count} has no entry ({int(missing.sum())} pairs are missing):"
        f" the tool would publish such cells as they are; give every key from 0 to {present.shape[1] - 1}",
    )
