"""Tables with one entry for each count and key: those of ONS and Cantabular.

A cell's key is the sum of its records' keys modulo the number of keys, and its output is

    n + change(pcv(n), key),      pcv(n) = n for n <= 750, else (n - 1) % 250 + 501,

so the table has rows for the counts up to 500 and an interior of period 250. A weight is a number of keys, exactly.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.domain import Counts
from discreet.errors import InputError
from discreet.exact import is_integer
from discreet.formats._exact_weights import gathered
from discreet.formats._text_file import Source, integer
from discreet.mechanism import Mechanism, Row

LARGEST = 750
PERIOD = 250
START = LARGEST - PERIOD + 1
"""The first count of the interior."""

MOST_CHANGE = 2500


@dataclass(frozen=True, eq=False)
class KeyTable:
    """changes[count, key] for the counts 0..750; row 0 is what happens to an empty cell."""

    changes: Integers
    design: Mapping[str, Any] = field(default_factory=dict)

    @property
    def keys(self) -> int:
        """How many keys there are."""
        return int(self.changes.shape[1])

    def value(self, count: int, key: int) -> int:
        """The tool's output for a count and a cell key."""
        if not (_whole(count) and _whole(key)) or count < 0 or not 0 <= key < self.keys:
            raise InputError(f"count {count}, key {key}; give a count of 0 or more and a key from 0 to {self.keys - 1}")
        return count + int(self.changes[place(count), key])

    def mechanism(self) -> Mechanism:
        """The law of the output where the key is uniform."""
        rows = [self._row(count, count) for count in range(START)]
        interior = [self._row(count, 0) for count in range(START, LARGEST + 1)]
        return Mechanism(Counts(), rows, interior, design=self.design)  # type: ignore[arg-type]

    def _row(self, count: int, centre: int) -> Row:
        changes, often = np.unique(self.changes[count], return_counts=True)
        weights = dict(zip((changes + centre).tolist(), often.tolist(), strict=True))
        return gathered(weights, self.keys)


def _whole(value: object) -> bool:
    return is_integer(value)


def place(count: int) -> int:
    """pcv: the row in which a count is looked up."""
    return count if count <= LARGEST else (count - 1) % PERIOD + START


def read(source: Source, columns: Sequence[str], sizes: Sequence[int], ranges: bool, zeros: bool) -> Integers:
    """The changes in a file with columns for count, key and change, in that order of names.

    Parameters
    ----------
    sizes
        How many keys there may be.
    ranges
        Whether a key may be written a-b.
    zeros
        Whether the count 0 may have entries; where it has none it stays 0.
    """
    entries = _entries(source, columns, ranges)
    counts, lows, highs, changes, lines = entries
    size = _check_values(source, entries, columns, sizes, 0 if zeros else 1)
    many = highs - lows + 1
    cells = (LARGEST + 1) * size
    used = min(int(np.searchsorted(np.cumsum(many), cells)) + 1, len(many))  # beyond it something is there twice
    which = np.repeat(np.arange(used), many[:used])
    within = np.arange(len(which)) - np.repeat(np.cumsum(many[:used]) - many[:used], many[:used])
    cell = counts[which] * size + lows[which] + within
    order = np.argsort(cell, kind="stable")
    again = order[1:][cell[order[1:]] == cell[order[:-1]]]
    if len(again):
        second = again.min()
        first = int(np.flatnonzero(cell == cell[second])[0])
        count, key = divmod(int(cell[second]), size)
        raise source.refuse(
            int(lines[which[second]]),
            f"key {key} of count {count} has an entry already, on line {lines[which[first]]}; leave one of them out",
        )
    found = np.zeros(cells, dtype=np.int64)
    there = np.zeros(cells, dtype=np.bool_)
    found[cell], there[cell] = changes[which], True
    if not there[:size].any():
        there[:size] = True
    _check_complete(source, there.reshape(-1, size), int(lines[-1]))
    return found.reshape(-1, size)


def _entries(source: Source, columns: Sequence[str], ranges: bool) -> tuple[Integers, ...]:
    """Count, first key, last key, change and line of every record."""
    for name in columns:
        if source.header.count(name) != 1:
            raise source.refuse(
                source.line,
                f"the header is {', '.join(source.header)!r:.120}; it needs one column {name} ({', '.join(columns)})",
            )
    count_at, key_at, change_at = (source.header.index(name) for name in columns)
    numbers: dict[str, int] = {}
    spans: dict[str, tuple[int, int]] = {}
    flat = array("q")
    for line, fields in source.records():
        count, key, change = fields[count_at], fields[key_at], fields[change_at]
        try:
            flat.extend((numbers[count], *spans[key], numbers[change], line))
        except KeyError:
            numbers[count] = _integer(source, line, columns[0], count)
            numbers[change] = _integer(source, line, columns[2], change)
            spans[key] = _span(source, line, columns[1], key, ranges)
            flat.extend((numbers[count], *spans[key], numbers[change], line))
    if not flat:
        raise source.refuse(source.line, "has a header and nothing else; give one line for each count and key")
    return tuple(np.frombuffer(flat, dtype=np.int64).reshape(-1, 5).T)


def _integer(source: Source, line: int, name: str, given: str) -> int:
    value = integer(given)
    if value is None:
        raise source.refuse(line, f"{name} is {given[:40]!r}; give an integer")
    return value


def _span(source: Source, line: int, name: str, given: str, ranges: bool) -> tuple[int, int]:
    """The first and the last key."""
    low, dash, high = given.partition("-")
    if not dash or not low:
        value = _integer(source, line, name, given)
        return value, value
    if not ranges:
        raise source.refuse(line, f"{name} is {given[:40]!r}; give an integer (ranges of keys are Cantabular's)")
    first, last = (_integer(source, line, name, end.strip()) for end in (low, high))
    if first > last:
        raise source.refuse(line, f"{name} is {given[:40]!r}; write the smaller key first")
    return first, last


def _check_values(
    source: Source, entries: tuple[Integers, ...], columns: Sequence[str], sizes: Sequence[int], least: int
) -> int:
    """The number of keys, after every number was found within its limits."""
    counts, lows, highs, changes, lines = entries
    count_name, key_name, change_name = columns

    def first(wrong: npt.NDArray[np.bool_]) -> int | None:
        places = np.flatnonzero(wrong)
        return int(places[0]) if len(places) else None

    if (bad := first((counts < least) | (counts > LARGEST))) is not None:
        why = (
            "an empty cell has no records, so its key is always 0 and its noise would be no noise: leave count 0 out"
            if counts[bad] == 0
            else f"give {least} to {LARGEST}; larger counts are looked up as {START} to {LARGEST}"
        )
        raise source.refuse(int(lines[bad]), f"{count_name} is {counts[bad]}; {why}")
    if (bad := first((lows < 0) | (highs >= max(sizes)))) is not None:
        raise source.refuse(
            int(lines[bad]),
            f"{key_name} is {lows[bad] if lows[bad] < 0 else highs[bad]}; keys run from 0 to"
            f" {' or '.join(str(size - 1) for size in sizes)}",
        )
    if (bad := first(np.abs(changes) > MOST_CHANGE)) is not None:
        raise source.refuse(
            int(lines[bad]), f"{change_name} is {changes[bad]}; no table changes a count by more than {MOST_CHANGE}"
        )
    if (bad := first(counts + changes < 0)) is not None:
        raise source.refuse(
            int(lines[bad]),
            f"count {counts[bad]} with {change_name} {changes[bad]} gives {counts[bad] + changes[bad]}, below 0;"
            f" {change_name} is output minus count"
            + ("" if (counts - changes < 0).any() else ", and here its sign seems to be reversed on every line"),
        )
    largest = int(highs.max())
    return min(size for size in sizes if largest < size)


def _check_complete(source: Source, there: npt.NDArray[np.bool_], line: int) -> None:
    """Every count has an entry for every key: what is missing would be published as it is."""
    missing = ~there
    if not missing.any():
        return
    without = np.flatnonzero(missing.all(axis=1))
    if len(without):
        raise source.refuse(
            line,
            f"the table ends, and {len(without)} counts from {without[0]} to {without[-1]} have no entry:"
            f" the tool would publish them as they are; give counts 1 to {LARGEST}",
        )
    count, key = (int(part[0]) for part in np.nonzero(missing))
    raise source.refuse(
        line,
        f"the table ends, and key {key} of count {count} has no entry ({int(missing.sum())} pairs are missing):"
        f" the tool would publish such cells as they are; give every key from 0 to {there.shape[1] - 1}",
    )
