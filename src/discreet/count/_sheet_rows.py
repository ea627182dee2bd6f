"""The rows of a sheet, read as a stream: every cell becomes its own text, whatever stands in other cells.

    a text (shared, in the cell, or the result of a formula)   the text without white space at its ends
    a number                                                   its text, or a date by the number format of the cell
    true, false                                                true, false
    an error, and whatever cannot be read                      missing

A cell that lies outside of the columns costs nothing, wherever it lies.
"""

from collections.abc import Iterator

from discreet.count._number_formats import iso_date_text, number_text
from discreet.count._workbook_parts import SharedTexts, WorkbookParts
from discreet.count._workbook_xml import CollectedText, decoded, local_names, parse
from discreet.plan.canonical_text import WHITE_SPACE

MOST_COLUMNS = 16_384
"""Columns of a sheet."""

MISSING = ""
"""Stands for a cell whose value counts as missing. Cells without any value are left out."""

_MOST_CACHED = 2**16
"""Texts that are kept because cells are likely to repeat them."""
_LONGEST_CACHED = 256
_NAMES = local_names("row", "c", "v", "is", "t", "rPh")
_BOOLEANS = {"1": "true", "true": "true", "0": "false", "false": "false"}

Row = dict[int, str]
"""The values of a row by column, from 0."""


def width(names: Row) -> int:
    """Return the number of columns up to the last name."""
    return 1 + max((column for column, name in names.items() if name), default=-1)


class SheetRows:
    """The rows of a sheet that have a value. The first one names the columns.

    Columns after the last name are not read, and a row without a value in the other columns is no row.

    Parameters
    ----------
    workbook
        The workbook.
    part
        The part of the sheet.
    texts
        The shared texts.
    """

    def __init__(self, workbook: WorkbookParts, part: str, texts: SharedTexts) -> None:
        self._workbook, self._part, self._shared = workbook, part, texts
        self._date_styles = workbook.date_styles()
        self._letters: dict[str, int] = {}
        self._texts: dict[str, str | None] = {}
        self._dates: dict[str, str | None] = {}

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows.

        Raises
        ------
        DamagedPartError
            The sheet is damaged as a whole.
        """
        rows: list[Row] = []
        row: Row = {}
        text = CollectedText()
        columns, column = MOST_COLUMNS, -1  # before the first row, every column is read
        kind, style = "n", ""

        def start_element(name: str, attributes: dict[str, str]) -> None:
            nonlocal column, kind, style
            local = _NAMES.get(name)
            if local == "c":
                letters = attributes.get("r", "").rstrip("0123456789")
                known = self._letters.get(letters)
                column = self._column(letters, column) if known is None else known
                kind, style = attributes.get("t", "n"), attributes.get("s", "")
            elif local == "row":
                column = -1
            elif local is not None:
                text.start(local)

        def end_element(name: str) -> None:
            nonlocal columns, row
            local = _NAMES.get(name)
            if local == "v" or local == "is":
                value = self._value(kind, style, text.take(runs=local == "is")) if column < columns else None
                if value is not None:
                    row[column] = value
            elif local == "row":
                if row:
                    columns = width(row) if columns == MOST_COLUMNS else columns
                    rows.append(row)
                    row = {}
            elif local is not None:
                text.end(local)

        with self._workbook.open_part(self._part) as read:
            for _ in parse(read, start=start_element, end=end_element, text=text.pieces.append):
                text.limit()
                yield from rows
                rows.clear()

    def _column(self, letters: str, before: int) -> int:
        """Return the number of the column that letters such as AB name. Without a name, it is the next one."""
        if not (letters.isascii() and letters.isalpha() and len(letters) <= 3):
            return before + 1
        column = -1
        for letter in letters.upper():
            column = 26 * (column + 1) + ord(letter) - ord("A")
        self._letters[letters] = column
        return column

    def _value(self, kind: str, style: str, raw: str | None) -> str | None:
        """Return the text of a cell, MISSING, or None if the cell is blank."""
        if raw is None:
            return MISSING
        if kind == "s":
            return self._texts[raw] if raw in self._texts else self._shared_text(raw)
        if kind == "n":
            if style in self._date_styles:
                return self._dates[raw] if raw in self._dates else self._date(raw)
            if raw.isdigit() and raw.isascii() and len(raw) < 16 and raw[0] != "0":  # most numbers
                return raw
        if kind in ("str", "inlineStr"):
            return decoded(raw).strip(WHITE_SPACE) or None
        raw = raw.strip(WHITE_SPACE)
        if not raw:
            return None
        if kind == "n":
            return number_text(raw) or MISSING
        if kind == "b":
            return _BOOLEANS.get(raw, MISSING)
        return (iso_date_text(raw) or MISSING) if kind == "d" else MISSING

    def _shared_text(self, index: str) -> str | None:
        text = self._shared.get(index.strip(WHITE_SPACE))
        value = MISSING if text is None else text or None
        if len(self._texts) < _MOST_CACHED and len(value or "") < _LONGEST_CACHED:
            self._texts[index] = value
        return value

    def _date(self, raw: str) -> str | None:
        number = raw.strip(WHITE_SPACE)
        date = number_text(number, is_date=True, from_1904=self._workbook.from_1904) or MISSING if number else None
        if len(self._dates) < _MOST_CACHED and len(raw) < _LONGEST_CACHED:
            self._dates[raw] = date
        return date
