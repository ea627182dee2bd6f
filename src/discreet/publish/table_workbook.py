"""Tables as Excel workbooks: one sheet with the published counts and their intervals, one with notes and guarantee.

Texts are written as text cells and never as formulas, whatever they start with. Counts are numbers. XlsxWriter makes
the parts of a workbook. They are stored without compression and without times, so the same table gives the same bytes
on every machine that has the same version of XlsxWriter. The properties of a workbook name that version.
"""

import datetime
import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import Any

from discreet.errors import SpecError
from discreet.extras import how_to_install, require
from discreet.plan.release_plan import ReleasePlan
from discreet.plan.sections import TableSpec
from discreet.publish.display_labels import DisplayLabels
from discreet.publish.report.guarantee_section import promise_text

EXTENSION = "xlsx"
MOST_ROWS = 1_048_575
"""Rows of a sheet below its header."""
NOT_MADE = b""
"""Stands for a workbook that cannot be made, because XlsxWriter is not installed."""

_LONGEST_NAME, _LARGEST_NUMBER = 31, 10**15
_CREATED = datetime.datetime(2000, 1, 1)
_CORE = "docProps/core.xml"
_MOST_BYTES = 2**16
_WRITER = re.compile(r"<dc:description>(XlsxWriter [0-9a-z.+-]{1,24})</dc:description>")


def require_workbooks(plan: ReleasePlan) -> None:
    """Raise an error if a release asks for workbooks that cannot be written. Call this before anything is drawn.

    Raises
    ------
    MissingExtraError
        XlsxWriter is not installed.
    SpecError
        A table has more cells than a sheet has rows.
    """
    if EXTENSION not in plan.spec.outputs:
        return
    require("xlsxwriter", "excel", "outputs: [xlsx]")
    for index, (table, grouping_indices) in enumerate(plan.layout.tables):
        cells = sum(plan.layout.groupings[i].size for i in grouping_indices)
        if cells > MOST_ROWS:
            raise SpecError(
                f"table {table.name!r} has {cells:,} cells, and a sheet of Excel has {MOST_ROWS:,} rows; leave xlsx out"
                " of outputs, or publish fewer cells",
                ("tables", index),
            )


def can_make() -> bool:
    """Return True if XlsxWriter is installed."""
    return find_spec("xlsxwriter") is not None


def writer_of(raw: bytes) -> str | None:
    """Return the library that wrote a workbook, with its version, as the workbook states it; None if it does not."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive, archive.open(_CORE) as part:
            stated = _WRITER.search(part.read(_MOST_BYTES).decode())
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError, NotImplementedError, RuntimeError, EOFError, zlib.error):
        return None
    return None if stated is None else stated[1]


def why_not_compared(raw: bytes, expected: bytes) -> str | None:
    """Return why a workbook cannot be compared with the workbook that is made here; None if it can.

    Parameters
    ----------
    raw
        A workbook of a folder.
    expected
        The workbook that is made here, or NOT_MADE.
    """
    if expected == NOT_MADE:
        return f"XlsxWriter is not installed; {how_to_install('excel')}"
    stated = writer_of(raw)
    if stated is None or stated == running_writer():
        return None
    return f"it was written by {stated}, and this is {running_writer()}; install that version"


def running_writer() -> str:
    """Return the name and version of the library that writes workbooks here."""
    import xlsxwriter

    return f"XlsxWriter {xlsxwriter.__version__}"


def table_workbook(
    labels: DisplayLabels,
    plan: ReleasePlan,
    table: TableSpec,
    rows: Iterable[tuple[Any, ...]],
    *,
    is_in_folder: bool = True,
) -> bytes:
    """Return a table as a workbook, or NOT_MADE if XlsxWriter is not installed.

    Parameters
    ----------
    labels
        The words of the specification.
    plan
        The plan of the release.
    table
        The section of the specification.
    rows
        A label for each dimension, count, low and high of every cell. `high` is None if the interval has no end.
    is_in_folder
        True if the workbook is a file of a release folder. Its notes then say how to check the folder.
    """
    if not can_make():
        return NOT_MADE
    import xlsxwriter  # few releases need it

    out = io.BytesIO()
    workbook = xlsxwriter.Workbook(out, {"in_memory": True})
    workbook.set_properties({"title": labels.table(table.name), "created": _CREATED, "comments": running_writer()})
    name = re.sub(r"[\[\]:*?/\\']", "_", table.name)[:_LONGEST_NAME] or "table"
    notes_name = labels.words("notes")[:_LONGEST_NAME]
    notes_name = f"{notes_name[: _LONGEST_NAME - 2]} 2" if notes_name.casefold() == name.casefold() else notes_name
    bold, number = workbook.add_format({"bold": True}), workbook.add_format({"num_format": "#,##0"})
    _write_table(workbook.add_worksheet(name), labels, table, rows, bold, number)
    sheet = workbook.add_worksheet(notes_name)
    sheet.set_column(0, 0, 100, workbook.add_format({"text_wrap": True}))
    for line, text in enumerate(_notes(labels, plan, table, is_in_folder)):
        sheet.write_string(line, 0, text, bold if line == 0 else None)
    workbook.close()
    return _stored(out.getvalue())


def _write_table(
    sheet: Any, labels: DisplayLabels, table: TableSpec, rows: Iterable[tuple[Any, ...]], bold: Any, number: Any
) -> None:
    dimensions = [axis.dimension for axis in table.dimensions]
    heads = [labels.axis(axis.dimension, axis.level) for axis in table.dimensions]
    for column, head in enumerate([*heads, "count", "low", "high"]):
        sheet.write_string(0, column, head, bold)
    sheet.freeze_panes(1, len(dimensions))
    if dimensions:
        sheet.set_column(0, len(dimensions) - 1, 24)
    sheet.set_column(len(dimensions), len(dimensions) + 2, 12)
    for line, row in enumerate(rows, 1):
        for column, (dimension, label) in enumerate(zip(dimensions, row, strict=False)):
            sheet.write_string(line, column, labels.category(dimension, label))
        for column, value in enumerate(row[len(dimensions) :], len(dimensions)):
            if value is None:
                continue
            if value < _LARGEST_NUMBER:
                sheet.write_number(line, column, value, number)
            else:  # Excel keeps 15 digits
                sheet.write_string(line, column, str(value))


def _notes(labels: DisplayLabels, plan: ReleasePlan, table: TableSpec, is_in_folder: bool) -> Iterator[str]:
    """Yield the lines of the sheet of notes."""
    words, metadata = labels.words, labels.spec.metadata
    given = {"contact": metadata.contact, "licence": metadata.licence}
    yield from (
        labels.table(table.name),
        labels.title,
        *([labels.people(table)] if labels.people(table) else []),
        *([labels.description] if labels.description else []),
        words("version", version=labels.spec.version),
        *(words(name, text=text) for name, text in given.items() if text is not None),
        words("lead"),
        *_guarantee(labels, plan),
        words("readme_columns").replace("`", ""),
        *labels.notes,
        *([words("readme_check").replace("`", "")] if is_in_folder else []),
    )


def _guarantee(labels: DisplayLabels, plan: ReleasePlan) -> list[str]:
    if plan.promise is None:
        return [labels.words("no_guarantee")]
    numbers = f"epsilon = {plan.promise.epsilon}, delta = {plan.promise.delta!r}"
    return [promise_text(labels.words, labels.spec, plan.promise), numbers]


def _stored(raw: bytes) -> bytes:
    """Return an archive with the same parts, without compression, times and marks of a system."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as stored:
        for name in archive.namelist():
            entry = zipfile.ZipInfo(name)
            entry.create_system, entry.external_attr = 0, 0
            stored.writestr(entry, archive.read(name))
    return out.getvalue()
