"""Encodings of CSV files: one byte is one character, so no byte decides how another byte is read.

A file in such an encoding is written to a private copy in UTF-8, and the copy is read. A byte that the encoding does
not define becomes U+FFFD and its number, as in <81>: different bytes stay different people. Every encoding here
contains ASCII, so delimiters, quotes and line ends are found before and after the translation at the same places.

UTF-8 itself needs no copy. UTF-16 and encodings with several bytes for a character are refused: there one damaged byte
could change how the bytes after it are read.
"""

import codecs
from functools import cache
from pathlib import Path
from typing import BinaryIO

from discreet.errors import InputError

UTF_8 = "utf-8"
ENCODINGS = (
    *(f"cp{number}" for number in (437, 850, 852, 855, 857, 858, 862, 866, *range(1250, 1259))),
    *(f"iso8859-{number}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16)),
    "koi8-r",
    "koi8-u",
    "mac-roman",
)
"""Python's names of the encodings with one byte for a character. Other spellings, such as windows-1252, are known."""

_CHUNK = 2**22


def encoding_name(encoding: str) -> str:
    """Return Python's name of an encoding.

    Raises
    ------
    InputError
        There is no such encoding, or it has several bytes for a character.
    """
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        name = ""
    if name in ("utf-8", "utf-8-sig", "ascii"):
        return UTF_8
    if name not in ENCODINGS:
        raise InputError(
            f"the encoding is {encoding!r:.60}; give utf-8, cp1252, or another encoding with one byte for a character"
            " (iso8859-1 to iso8859-16, cp1250 to cp1258, cp850, mac-roman, koi8-r), or save the file as UTF-8"
        )
    return name


def to_utf8(raw: bytes, name: str) -> bytes:
    """Return text of a one-byte encoding as UTF-8, with marks in place of undefined bytes."""
    try:
        return raw.decode(name).encode()
    except UnicodeDecodeError:
        return raw.decode("latin-1").translate(_characters(name)).encode()


@cache
def _characters(name: str) -> dict[int, str]:
    """Return the character of every byte, or the mark of a byte that the encoding does not define."""
    characters = {byte: bytes([byte]).decode(name, errors="replace") for byte in range(256)}
    return {byte: f"\ufffd<{byte:02x}>" if text == "\ufffd" else text for byte, text in characters.items()}


def copy_as_utf8(source: BinaryIO, target: Path, name: str) -> None:
    """Write the rest of an open file, in a one-byte encoding, to a copy in UTF-8."""
    with target.open("xb") as copy:
        while chunk := source.read(_CHUNK):
            copy.write(to_utf8(chunk, name))
