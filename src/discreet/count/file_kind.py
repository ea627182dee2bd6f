"""What kind of file a path names, by the first and last bytes: so that a wrong kind has its own message and remedy.

Only the signature of a file is looked at. No row of a CSV file has one.
"""

import os
import re
from pathlib import Path
from typing import BinaryIO, Literal

from discreet import files
from discreet.errors import InputError

FileKind = Literal["csv", "parquet", "excel", "old excel", "locked excel", "gzip", "duckdb"]

_WORDS: dict[FileKind, tuple[str, str]] = {
    "csv": ("a text file", "give source: {csv: FILE}"),
    "parquet": ("a Parquet file", "give source: {parquet: FILE}"),
    "excel": (
        "an Excel workbook, or another zip archive",
        "give source: {excel: FILE}, or save the sheet as CSV UTF-8",
    ),
    "old excel": ("an Excel workbook in the format .xls", "save it as .xlsx, or save the sheet as CSV UTF-8"),
    "locked excel": (
        "a workbook with a password",
        "open it in Excel, remove the password (File, Info, Protect Workbook), and save it as .xlsx",
    ),
    "gzip": ("compressed with gzip", "give the file a name that ends in .gz, or decompress it"),
    "duckdb": ("a DuckDB database", "give source: {duckdb: FILE, table: ...}"),
}
"""What each kind is, and what to do if another kind was expected."""

_HEADER = 512
_COMPOUND = b"\xd0\xcf\x11\xe0"
"""How files of many streams start: workbooks in the format .xls, and workbooks with a password."""
_LOCKED = "EncryptedPackage".encode("utf-16-le")
"""The name of the stream that holds a workbook with a password."""
_DIRECTORY = 2**16
"""Bytes in which the names of streams are looked for."""
_ADDRESS = re.compile("([a-zA-Z][a-zA-Z0-9+.-]+):/+")


def file_kind(path: Path) -> FileKind:
    """Return the kind of a regular file. A file without a known signature counts as CSV.

    Raises
    ------
    OSError
        The file cannot be opened, or is a pipe or a device.
    """
    with files.open_file(path) as file:
        start = file.read(_HEADER)
        if start[:4] == _COMPOUND:
            return "locked excel" if _is_locked(file, start) else "old excel"
        file.seek(max(os.fstat(file.fileno()).st_size - 5, 0))
        end = file.read(5)
    if start[:4] == b"PK\x03\x04":
        return "excel"
    if start[:4] in (b"PAR1", b"PARE") and end == b"\0" + start[:4]:  # the length of the footer ends in a zero byte
        return "parquet"
    if start[:2] == b"\x1f\x8b":
        return "gzip"
    return "duckdb" if start[8:12] == b"DUCK" and b"\0" in start[12:20] else "csv"  # a version follows the signature


def _is_locked(file: BinaryIO, start: bytes) -> bool:
    """Return True if the directory of a file of many streams has a stream of a workbook with a password."""
    size, directory = (int.from_bytes(start[at : at + length], "little") for at, length in ((30, 2), (48, 4)))
    if not 9 <= size <= 12:
        return False
    file.seek((directory + 1) << size)
    return _LOCKED in file.read(_DIRECTORY)


def require_kind(path: Path, *expected: FileKind) -> None:
    """Raise InputError if a file does not exist, cannot be opened, or is of another kind."""
    if not os.path.exists(path):
        raise InputError(no_file(path))
    try:
        kind = file_kind(path)
    except IsADirectoryError:
        raise InputError(
            f"{path} is a folder; give a file, or source: {{parquet: FOLDER}} for a folder of Parquet files"
        ) from None
    except OSError as error:
        if not os.path.isfile(path):
            raise InputError(
                f"{path} is a pipe or a device and can be read only once; save the rows as a file first"
            ) from None
        raise InputError(f"{path} cannot be read ({error.strerror}); check its permissions") from None
    if kind not in expected:
        raise InputError(f"{path} is {_WORDS[kind][0]}, and {_WORDS[expected[0]][0]} is expected; {_WORDS[kind][1]}")


def require_csv(path: Path) -> None:
    """Raise InputError if a path is no CSV file. A file that is compressed with gzip has a name that ends in .gz."""
    if path.suffix == ".gz":
        require_kind(path, "csv", "gzip")
    else:
        require_kind(path, "csv")


def no_file(path: object) -> str:
    """Return the message for a path that does not exist."""
    if _ADDRESS.match(str(path)):
        return f"{path} is an address, and a file is expected; download the file, and give its path"
    return f"there is no file {path}; check the path: in a specification, a path starts at the folder of that file"
