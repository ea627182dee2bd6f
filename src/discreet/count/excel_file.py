"""Excel workbooks: a sheet is copied, cell by cell, to a Parquet file of texts.

Every cell of a workbook has its own type, so every cell becomes its own canonical text (`canonical_text`): the number 7
is `7`, a date is `2024-05-31`, true is `true`. No cell decides how another cell is read. Rows are read so:

    rows without any value         no row; the first other row names the columns
    columns without a name         beyond the last name: not read; before it: column1, column2, ...
    a number beyond 2**53          missing, because Excel does not keep its digits: two ids could become one
    a formula                      the value that Excel stored
    an error, such as #N/A         missing
    a text of more than 16 MB      missing

The workbook is read by calamine, which is fast and only reads.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from python_calamine import CalamineError, CalamineWorkbook, PasswordError, WorksheetNotFound, XmlError, ZipError

from discreet.count.csv_file import FULL, no_room
from discreet.count.file_kind import require_kind
from discreet.errors import InputError
from discreet.plan.canonical_text import LONGEST_TEXT, WHITE_SPACE, canonical

LARGEST_WHOLE = 2**53
"""Beyond this, a double does not hold every whole number."""

_ROWS = 2**16
"""Rows that are written to the copy at a time."""


def sheet_names(path: Path) -> list[str]:
    """Return the names of the sheets of a workbook, in order.

    Raises
    ------
    InputError
        The file does not exist, is no workbook, or has a password.
    """
    with _workbook(path) as workbook:
        return list(workbook.sheet_names)


def prepare(
    path: Path, folder: Path, sheet: str | None = None, column_names: Iterable[str] | None = None
) -> tuple[tuple[str, ...], Path]:
    """Copy a sheet to a Parquet file of texts.

    Parameters
    ----------
    path
        The workbook.
    folder
        A folder for the copy, private to the caller.
    sheet
        The name of the sheet. Default: the first sheet.
    column_names
        The columns that will be read. If the sheet has all of them, only these are copied.

    Returns
    -------
    names
        The names of the copied columns.
    copy
        The Parquet file. Its columns are f0, f1, ...

    Raises
    ------
    InputError
        The file is no workbook, there is no such sheet, or two columns have one name.
    """
    rows = _rows(path, sheet)
    names = _names(path, next(rows, []))
    wanted = set(names if column_names is None else column_names)
    indices = [i for i, name in enumerate(names) if name in wanted] if wanted <= set(names) else list(range(len(names)))
    indices = indices or [0]
    target = folder / f"sheet{len(os.listdir(folder))}.parquet"
    try:
        _write(rows, indices, target)
    except OSError as error:
        if error.errno in FULL:
            raise InputError(no_room(path, folder)) from None
        raise
    return tuple(names[index] for index in indices), target


def _workbook(path: Path) -> CalamineWorkbook:
    require_kind(path, "excel")
    try:
        return CalamineWorkbook.from_path(path)
    except PasswordError:
        raise InputError(f"{path} has a password; save it without one") from None
    except (CalamineError, ZipError, XmlError, OSError):
        raise InputError(f"{path} is no Excel workbook, or is damaged; save it again as .xlsx") from None


def _rows(path: Path, sheet: str | None) -> Iterator[list[Any]]:
    """Yield the rows of a sheet that have a value."""
    with _workbook(path) as workbook:
        if sheet is None and not workbook.sheet_names:
            raise InputError(f"{path} has no sheets; give a workbook with a sheet of rows")
        name = workbook.sheet_names[0] if sheet is None else sheet
        try:
            cells = workbook.get_sheet_by_name(name)
        except WorksheetNotFound:
            listed = ", ".join(workbook.sheet_names[:20])
            raise InputError(f"{path} has no sheet {name!r}; its sheets are {listed}") from None
        except (CalamineError, ZipError, XmlError):
            raise _unreadable(path, name) from None
        before = [""] * (cells.start[1] if cells.start else 0)  # columns are numbered from the first of the sheet
        rows = cells.iter_rows()
        while True:
            try:
                row = next(rows)
            except StopIteration:
                return
            except (CalamineError, OverflowError):
                raise _unreadable(path, name) from None
            if any(cell != "" for cell in row):
                yield before + row


def _unreadable(path: Path, sheet: str) -> InputError:
    return InputError(f"sheet {sheet!r} of {path} cannot be read; save the workbook again, or save the sheet as CSV")


def _names(path: Path, first: list[Any]) -> tuple[str, ...]:
    """Return the names of columns, from the first row with a value."""
    names = [_text(cell) or "" for cell in first]
    while names and not names[-1]:
        names.pop()
    if not names:
        raise InputError(f"the sheet of {path} is empty; its first row must name the columns")
    names = [name or f"column{i + 1}" for i, name in enumerate(names)]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError(
                f"columns {names.index(name) + 1} and {i + 1} of {path} have the same name; rename one of them. The"
                " first row must name the columns"
            )
    return tuple(names)


def _text(cell: Any) -> str | None:
    """Return the canonical text of a cell, or None if it counts as missing."""
    if isinstance(cell, str):
        cell = cell.strip(WHITE_SPACE)
        return None if len(cell) > LONGEST_TEXT // 4 and len(cell.encode()) > LONGEST_TEXT else cell or None
    if isinstance(cell, (int, float)) and not isinstance(cell, bool) and abs(cell) > LARGEST_WHOLE:
        return None
    return canonical(cell)


def _write(rows: Iterator[list[Any]], indices: list[int], target: Path) -> None:
    schema = pa.schema([(f"f{i}", pa.string()) for i in range(len(indices))])
    with pq.ParquetWriter(target, schema) as writer:
        batch: list[list[str | None]] = []

        def flush() -> None:
            columns = [pa.array(column, pa.string()) for column in zip(*batch, strict=True)]
            writer.write_table(pa.table(columns, schema=schema))
            batch.clear()

        for row in rows:
            batch.append([_text(row[index]) if index < len(row) else None for index in indices])
            if len(batch) >= _ROWS:
                flush()
        if batch:
            flush()
