"""Assign every byte of a Parquet file to the pages of a column, a copy of its metadata, or the footer.

A Parquet file is "PAR1", the columns, a footer, the length of the footer, "PAR1". A column is a sequence of pages, each
with a header. Versions of pyarrow before 18 write the metadata of a column a second time, after its pages. Headers and
footer are structures of the Thrift compact protocol, which names a field by a number.
"""

from typing import Any

MARK = b"PAR1"
DICTIONARY_PAGE = 2
DEEPEST = 16

Struct = dict[int, Any]


class UnclaimedBytesError(ValueError):
    """The file has bytes that belong to no column and not to the footer."""


def columns(raw: bytes) -> list[list[int]]:
    """Return the sizes of the dictionaries of each column of each group of rows, in the order of the file.

    Raises
    ------
    UnclaimedBytesError
        If there are bytes between columns, or after the metadata in the footer.
    ValueError, LookupError, TypeError
        If the bytes are not a Parquet file.
    """
    footer = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    if raw[:4] != MARK or raw[-4:] != MARK or footer < len(MARK):
        raise ValueError("not a Parquet file")
    metadata, end = _struct(raw, footer, len(raw) - 8)
    if end != len(raw) - 8:
        raise UnclaimedBytesError("bytes follow the metadata in the footer")
    at, sizes = len(MARK), []
    for group in metadata[4]:
        for chunk in group[1]:
            column = chunk[3]
            first = min(offset for offset in (column.get(11), column[9]) if offset is not None)
            if first != at:
                raise UnclaimedBytesError("bytes lie before a column")
            at = first + column[7]
            sizes.append(_dictionaries(raw, first, at))
            if at < footer and chunk.get(2) == at:
                copy, at = _struct(raw, at, footer)
                if copy != chunk:
                    raise UnclaimedBytesError("the metadata after a column is not the metadata in the footer")
    if at != footer:
        raise UnclaimedBytesError("bytes lie before the footer")
    return sizes


def _dictionaries(raw: bytes, at: int, end: int) -> list[int]:
    """Return the sizes of the dictionaries of a column. Raise an error if its pages do not fill `at` to `end`."""
    sizes = []
    while at < end:
        header, at = _struct(raw, at, end)
        at += header[3]
        if header[1] == DICTIONARY_PAGE:
            sizes.append(header[7][1])
    if at != end:
        raise UnclaimedBytesError("the pages of a column do not end where the column ends")
    return sizes


def _struct(raw: bytes, at: int, end: int, depth: int = 0) -> tuple[Struct, int]:
    """Read a structure. Return its fields by number, and the position after the structure."""
    if depth > DEEPEST:
        raise ValueError("structures are nested too deeply")
    fields: Struct = {}
    field = 0
    while True:
        if at >= end:
            raise ValueError("a structure does not end")
        head = raw[at]
        at += 1
        if head == 0:
            return fields, at
        if head >> 4:
            field += head >> 4
        else:
            field, at = _signed(raw, at, end)
        kind = head & 15
        if field in fields:
            raise ValueError("a field occurs twice")
        if kind in (1, 2):
            fields[field] = kind == 1
        else:
            fields[field], at = _value(raw, at, end, kind, depth)


def _value(raw: bytes, at: int, end: int, kind: int, depth: int) -> tuple[Any, int]:
    """Read a value of the given kind. Return the value, and the position after it."""
    if kind in (1, 2, 3):
        return raw[at], at + 1
    if kind in (4, 5, 6):
        return _signed(raw, at, end)
    if kind == 7:
        return raw[at : at + 8], at + 8
    if kind == 8:
        size, at = _unsigned(raw, at, end)
        if at + size > end:
            raise ValueError("a text does not end")
        return raw[at : at + size], at + size
    if kind in (9, 10):
        size, inner = raw[at] >> 4, raw[at] & 15
        at += 1
        if size == 15:
            size, at = _unsigned(raw, at, end)
        if size > end - at:
            raise ValueError("a list does not end")
        items = []
        for _ in range(size):
            item, at = _value(raw, at, end, inner, depth + 1)
            items.append(item)
        return items, at
    if kind == 12:
        return _struct(raw, at, end, depth + 1)
    raise ValueError("a value has an unknown kind")


def _unsigned(raw: bytes, at: int, end: int) -> tuple[int, int]:
    """Read an integer that is stored in groups of 7 bits, the lowest first."""
    value = shift = 0
    while at < end and shift < 70:
        value |= (raw[at] & 127) << shift
        shift += 7
        at += 1
        if raw[at - 1] < 128:
            return value, at
    raise ValueError("an integer does not end")


def _signed(raw: bytes, at: int, end: int) -> tuple[int, int]:
    """Read an integer whose lowest bit is its sign (zigzag)."""
    value, at = _unsigned(raw, at, end)
    return (value >> 1) ^ -(value & 1), at
