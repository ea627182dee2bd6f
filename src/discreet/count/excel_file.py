"""Excel workbooks (.xlsx): a sheet is copied, cell by cell, to a Parquet file of texts.

Every cell of a workbook has its own type, so every cell becomes its own canonical text (`canonical_text`): the number 7
is `7`, a date is `2024-05-31`, true is `true`. No cell decides how another cell is read, or whether the sheet can be
read. Rows are read so:

    rows without any value         no row; the first other row names the columns
    columns without a name         beyond the last name: not read; before it: column1, column2, ...
    a number beyond 2**53          missing, because Excel does not keep its digits: two ids could become one
    a formula                      the value that Excel stored
    an error, such as #N/A         missing
    a text of more than 16 MB      missing

The sheet is read as a stream (`_sheet_rows`), in memory that does not depend on the place of its cells. A workbook is
refused only for damage to the file as a whole.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from discreet.count._sheet_rows import Row, SheetRows, width
from discreet.count._text_copy import write_copy
from discreet.count._workbook_parts import SharedTexts, Sheet, WorkbookParts
from discreet.count._workbook_xml import DamagedPartError
from discreet.count.csv_file import FULL, no_room
from discreet.count.file_kind import require_kind
from discreet.errors import InputError

NAMED_COLUMNS = "The first row of the sheet with a value must name the columns; give sheet for another sheet"
"""What to check if a column is missing."""


def sheet_names(path: Path) -> list[str]:
    """Return the names of the sheets of a workbook, in order.

    Raises
    ------
    InputError
        The file does not exist, is no workbook, or has a password.
    """
    with _opened(path) as workbook:
        return [sheet.name for sheet in workbook.sheets]


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
    try:
        with _opened(path) as workbook, closing(SharedTexts((folder / "shared-texts").open("w+b"))) as texts:
            part = _sheet(path, workbook, sheet).part
            workbook.read_shared_texts(texts)
            rows = iter(SheetRows(workbook, part, texts))
            names = _names(path, next(rows, {}))
            needed = set(names if column_names is None else column_names)
            all_known = needed <= set(names)
            indices = [i for i, name in enumerate(names) if name in needed or not all_known] or [0]
            copy = write_copy(([row.get(index) or None for index in indices] for row in rows), len(indices), folder)
    except OSError as error:
        if error.errno in FULL:
            raise InputError(no_room(path, folder)) from None
        raise InputError(f"{path} cannot be read ({error.strerror or 'damaged'}); check the path") from None
    return tuple(names[index] for index in indices), copy


@contextmanager
def _opened(path: Path) -> Iterator[WorkbookParts]:
    require_kind(path, "excel")
    try:
        with closing(WorkbookParts(path)) as workbook:
            yield workbook
    except DamagedPartError:
        raise InputError(f"{path} is damaged, or is no Excel workbook; save it again as .xlsx, or as CSV") from None


def _sheet(path: Path, workbook: WorkbookParts, name: str | None) -> Sheet:
    if not workbook.sheets:
        raise InputError(f"{path} has no sheets; give a workbook with a sheet of rows")
    for sheet in workbook.sheets:
        if name is None or sheet.name == name:
            return sheet
    listed = ", ".join(sheet.name for sheet in workbook.sheets[:20])
    raise InputError(f"{path} has no sheet {name!r}; give one of its sheets: {listed}")


def _names(path: Path, first: Row) -> tuple[str, ...]:
    """Return the names of columns, from the first row with a value."""
    if not width(first):
        raise InputError(f"the sheet of {path} is empty; its first row must name the columns")
    names = [first.get(column) or f"column{column + 1}" for column in range(width(first))]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError(
                f"columns {names.index(name) + 1} and {i + 1} of {path} have the same name; rename one of them. The"
                " first row must name the columns"
            )
    return tuple(names)
