"""Small Excel workbooks, written without a library: sheets of texts, numbers, booleans, dates and errors."""

import datetime
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_EPOCH = datetime.datetime(1899, 12, 30)


class Raw(bytes):
    """A cell as it stands in the part of the sheet, with PLACE instead of its place (r="A1")."""


def write(
    path: Path, sheets: Mapping[str, Sequence[Sequence[object]]], parts: Mapping[str, bytes] | None = None
) -> Path:
    """Write a workbook. A text that starts with # is an error, None is an empty cell. `parts` replace other parts."""
    listed = "".join(f'<sheet name="{escape(name)}" sheetId="{i}" r:id="r{i}"/>' for i, name in enumerate(sheets, 1))
    relations = "".join(
        f'<Relationship Id="r{i}" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in range(1, len(sheets) + 1)
    )
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
        for i in range(1, len(sheets) + 1)
    )
    own = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
        'PartName="/xl/workbook.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override '
        'PartName="/xl/styles.xml" '
        f'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}<Relationship '
        f'Id="styles" Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/>'
        "</cellXfs></styleSheet>",
    }
    sheet_parts = {}
    for i, rows in enumerate(sheets.values(), 1):
        lines = b"".join(
            f'<row r="{r}">'.encode() + b"".join(_cell(value, r, c) for c, value in enumerate(row)) + b"</row>"
            for r, row in enumerate(rows, 1)
        )
        head, tail = f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>', "</sheetData></worksheet>"
        sheet_parts[f"xl/worksheets/sheet{i}.xml"] = head.encode() + lines + tail.encode()
    everything = {name: f"{_XML}{content}".encode() for name, content in own.items()} | sheet_parts | dict(parts or {})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in everything.items():
            if data:
                archive.writestr(name, data)
    return path


def _cell(value: object, row: int, column: int) -> bytes:
    place = f'r="{chr(ord("A") + column)}{row}"'
    return value.replace(b"PLACE", place.encode()) if isinstance(value, Raw) else _own_cell(value, place).encode()


def _own_cell(value: object, place: str) -> str:
    match value:
        case None:
            return ""
        case bool():
            return f'<c {place} t="b"><v>{int(value)}</v></c>'
        case datetime.datetime():
            return f'<c {place} s="1"><v>{(value - _EPOCH) / datetime.timedelta(days=1)}</v></c>'
        case datetime.date():
            days = (datetime.datetime.combine(value, datetime.time()) - _EPOCH).days
            return f'<c {place} s="1"><v>{days}</v></c>'
        case int() | float():
            return f"<c {place}><v>{value!r}</v></c>"
        case _:
            text = str(value)
            if text.startswith("#"):
                return f'<c {place} t="e"><v>{text}</v></c>'
            return f'<c {place} t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
