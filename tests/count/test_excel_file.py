"""Excel workbooks: a value in one cell never decides whether a sheet is read, or how another cell is read."""

import datetime
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

import openpyxl
import pyarrow.parquet as pq
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from discreet.count import excel_file
from discreet.count._number_formats import is_date_format
from discreet.errors import InputError
from discreet.plan.canonical_text import canonical
from tests import workbooks
from tests.workbooks import Raw

SHARED = """<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>plain</t></si>
<si>
  <r><rPr><b/></rPr><t>Zü</t></r> <r><t xml:space="preserve">rich </t></r>
  <rPh sb="0" eb="1"><t>spoken</t></rPh>
</si><si><t/></si><si><t> blank: _x0020_ </t></si></sst>""".encode()
RELATIONS = b"""<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"
 Target="/xl/worksheets/sheet1.xml"/>
<Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
 Target="SharedStrings.xml"/>
<Relationship Id="y" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles"
 Target="styles.xml"/></Relationships>"""
PARTS = {"xl/sharedStrings.xml": SHARED, "xl/_rels/workbook.xml.rels": RELATIONS}

Rows = list[tuple[str | None, ...]]


def rows_of(path: Path, folder: Path, sheet: str | None = None) -> tuple[tuple[str, ...], Rows]:
    folder.mkdir(exist_ok=True)
    names, copy = excel_file.prepare(path, folder, sheet)
    return names, list(zip(*pq.read_table(copy).to_pydict().values(), strict=True))


def read(folder: Path, rows: Sequence[Sequence[object]], parts: dict[str, bytes] | None = None) -> Rows:
    path = workbooks.write(folder / "x.xlsx", {"People": rows}, PARTS | (parts or {}))
    return rows_of(path, folder / "copies")[1]


HOSTILE: dict[str, tuple[bytes, str | None]] = {
    "an error that is new": (b'<c PLACE t="e"><v>#SPILL!</v></c>', None),
    "an error that nobody knows": (b'<c PLACE t="e"><v>#NOPE</v></c>', None),
    "an unknown type": (b'<c PLACE t="quantum"><v>1</v></c>', None),
    "a shared text that does not exist": (b'<c PLACE t="s"><v>99</v></c>', None),
    "a shared text before the first": (b'<c PLACE t="s"><v>-1</v></c>', None),
    "a shared text without a number": (b'<c PLACE t="s"><v>x</v></c>', None),
    "a shared text with a number of 5,000 digits": (b'<c PLACE t="s"><v>' + b"9" * 5000 + b"</v></c>", None),
    "rich text with a pronunciation": (b'<c PLACE t="s"><v>1</v></c>', "Zürich"),
    "an empty shared text": (b'<c PLACE t="s"><v>2</v></c>', None),
    "rich text in the cell": (
        b'<c PLACE t="inlineStr"><is> <r><t>a</t></r> <r><t>b</t></r><rPh><t>c</t></rPh></is></c>', "ab"),
    "a style that does not exist": (b'<c PLACE s="99"><v>5</v></c>', "5"),
    "a style without a number": (b'<c PLACE s="bold"><v>5</v></c>', "5"),
    "a number that is none": (b"<c PLACE><v>5 km</v></c>", None),
    "not a number": (b"<c PLACE><v>nan</v></c>", None),
    "infinity": (b"<c PLACE><v>1e999</v></c>", None),
    "digits of another script": (b"<c PLACE><v>\xd9\xa3</v></c>", None),
    "an underscore": (b"<c PLACE><v>1_0</v></c>", None),
    "a number beyond 2**53": (b"<c PLACE><v>9007199254740994</v></c>", None),
    "zeros in front": (b"<c PLACE><v>007</v></c>", "7"),
    "digits that floats add": (b"<c PLACE><v>0.10000000000000001</v></c>", "0.1"),
    "a date of the year 10000": (b'<c PLACE s="1"><v>2958466</v></c>', "2958466"),
    "a date before 1900": (b'<c PLACE s="1"><v>-1</v></c>', "-1"),
    "a date that is text": (b'<c PLACE s="1" t="str"><v>soon</v></c>', "soon"),
    "a boolean that is none": (b'<c PLACE t="b"><v>2</v></c>', None),
    "a formula": (b'<c PLACE t="str"><f>A1&amp;"&lt;v&gt;"</f><v>made</v></c>', "made"),
    "a formula without a value": (b"<c PLACE><f>1+1</f></c>", None),
    "a value without a place": (b"<c><v>5</v></c>", "5"),
    "a text of 17 MB": (b'<c PLACE t="inlineStr"><is><t>' + b"x" * 17 * 2**20 + b"</t></is></c>", None),
    "a value of 17 MB": (b'<c PLACE t="str"><v>' + b"x" * 17 * 2**20 + b"</v></c>", None),
    "a formula of 17 MB": (b"<c PLACE><f>" + b"x" * 17 * 2**20 + b"</f><v>5</v></c>", "5"),
    "a control character": (b'<c PLACE t="str"><v>a\x01b</v></c>', "a\x01b"),
    "a reference to a control character": (b'<c PLACE t="str"><v>a&#1;b&#x0;&#10;c</v></c>', "a\x01b\x00\nc"),
    "a reference to half a character": (b'<c PLACE t="str"><v>&#xD83D;</v></c>', "\ufffd<d83d>"),
    "a reference to no character": (b'<c PLACE t="str"><v>&#x7FFFFFFF;</v></c>', "\ufffd"),
    "an escape": (b'<c PLACE t="str"><v>a_x0007_b</v></c>', "a\x07b"),
    "an escape of an escape": (b'<c PLACE t="str"><v>_x005F_x0007_</v></c>', "_x0007_"),
    "two halves of a character": (b'<c PLACE t="str"><v>_xD83D__xDE00_</v></c>', "\U0001f600"),
    "half a character": (b'<c PLACE t="str"><v>_xDE00_</v></c>', "\ufffd<de00>"),
    "a byte that is not UTF-8": (b'<c PLACE t="str"><v>Z\xfcrich</v></c>', "Z\ufffd<fc>rich"),
    "a text like the mark of a byte": (b'<c PLACE t="str"><v>Z\xef\xbf\xbd&lt;fc>rich</v></c>', "Z\ufffd<<fc>rich"),
    "a character that XML forbids": (b'<c PLACE t="str"><v>\xef\xbf\xbf</v></c>', "\uffff"),
    "CDATA": (b'<c PLACE t="str"><v><![CDATA[<v>]]></v></c>', "<v>"),
    "an element inside of a value": (b'<c PLACE t="str"><x/><v>y</v></c>', "y"),
}  # fmt: skip


@pytest.mark.parametrize("cell", HOSTILE)
def test_no_cell_changes_how_others_are_read(cell: str, tmp_path: Path) -> None:
    raw, text = HOSTILE[cell]
    before: list[list[object]] = [["id", "town", "n"], [1, "Bern", 1.5]]
    after: list[list[object]] = [[3, "Genf", datetime.date(2024, 2, 29)]]
    found = read(tmp_path, [*before, [2, Raw(raw), True], *after])
    assert found == [("1", "Bern", "1.5"), ("2", text, "true"), ("3", "Genf", "2024-02-29")]


@pytest.mark.parametrize("place", [b"XFD1048576", b"XFD3", b"ZZZ9", b"AAAA9", b"$A$9", b"9", b""])
def test_a_value_far_outside_of_the_columns_is_ignored(place: bytes, tmp_path: Path) -> None:
    far = Raw(b'<c r="A2"><v>1</v></c><c r="B2"><v>2</v></c><c r="' + place + b'"><v>7</v></c>')
    assert read(tmp_path, [["a", "b"], [far], [3, 4]]) == [("1", "2"), ("3", "4")]
    alone = Raw(b'<c r="XFD1048576" t="s"><v>0</v></c>')
    assert read(tmp_path, [["a", "b"], [1, 2], [alone]]) == [("1", "2")]


def test_rows_of_blank_cells_are_no_rows_and_rows_of_errors_are(tmp_path: Path) -> None:
    blank = [None, "  ", Raw(b'<c PLACE t="str"><v></v></c>'), Raw(b'<c PLACE t="s"><v>2</v></c>')]
    assert read(tmp_path, [blank, ["a", "b", "c", "d"], blank, ["#N/A"], blank]) == [(None, None, None, None)]


def test_the_dimension_that_a_sheet_states_does_not_matter(tmp_path: Path) -> None:
    path = workbooks.write(tmp_path / "x.xlsx", {"People": [["a", "b"], [1, 2]]})
    parts = {name: zipfile.ZipFile(path).read(name) for name in zipfile.ZipFile(path).namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    for dimension in (b'<dimension ref="A1"/>', b'<dimension ref="A1:XFD1048576"/>', b'<dimension ref="?"/>'):
        changed = sheet.replace(b"<sheetData>", dimension + b"<sheetData>")
        assert read(tmp_path, [[]], {"xl/worksheets/sheet1.xml": changed}) == [("1", "2")]


@pytest.mark.parametrize("change", ["prefix", "strict", "line ends"])
def test_other_ways_to_write_the_same_elements(change: str, tmp_path: Path) -> None:
    path = workbooks.write(tmp_path / "x.xlsx", {"People": [["a", "b"], [1, "x"]]})
    sheet = zipfile.ZipFile(path).read("xl/worksheets/sheet1.xml").decode()
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    if change == "prefix":
        for name in ("worksheet", "sheetData", "row", "c", "v", "is", "t"):
            sheet = sheet.replace(f"<{name} ", f"<x:{name} ").replace(f"<{name}>", f"<x:{name}>")
            sheet = sheet.replace(f"</{name}>", f"</x:{name}>")
        sheet = sheet.replace("xmlns=", "xmlns:x=")
    elif change == "strict":
        sheet = sheet.replace(main, "http://purl.oclc.org/ooxml/spreadsheetml/main")
    else:
        sheet = sheet.replace("><", ">\r\n<")
    assert read(tmp_path, [[]], {"xl/worksheets/sheet1.xml": sheet.encode()}) == [("1", "x")]


FORMATS = {
    "General": False, "0.00": False, '#,##0 "days"': False, "dd.mm.yyyy": True, "[$-407]d. mmmm yyyy;@": True,
    "yyyy-mm-dd hh:mm:ss": True, "[Red]0": False, "[h]:mm:ss": False, "mm:ss.0": True, "0.00E+00": False,
    "\\d0": False, '_("$"* #,##0_)': False, "[>100]0;d": False, "h:mm AM/PM": True, "@": False, "[DBNum1]0": False,
}  # fmt: skip


@pytest.mark.parametrize("code", FORMATS)
def test_only_the_number_format_makes_a_date(code: str) -> None:
    assert is_date_format(200, code) is FORMATS[code]


@pytest.mark.parametrize("from_1904", [False, True])
@pytest.mark.parametrize("serial", [1, 2.5, 59, 60, 61, 45443, 45443.354166666664, 0.5, 0.999999999, 2958465])
def test_days_are_those_of_openpyxl(serial: float, from_1904: bool, tmp_path: Path) -> None:
    workbook = xlsxwriter.Workbook(tmp_path / "x.xlsx", {"date_1904": from_1904})
    sheet = workbook.add_worksheet()
    sheet.write(0, 0, "born")
    sheet.write_number(1, 0, serial, workbook.add_format({"num_format": "dd.mm.yyyy hh:mm"}))
    workbook.close()
    ((found,),) = rows_of(tmp_path / "x.xlsx", tmp_path / "copies")[1]
    if serial == 60 and not from_1904:
        assert found == "1900-02-29", "a day that Excel counts, and that never was"
        return
    if from_1904 and serial == 2958465:
        assert found == "2958465", "after the year 9999"
        return
    (value,) = next(openpyxl.load_workbook(tmp_path / "x.xlsx").worksheets[0].iter_rows(min_row=2, values_only=True))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    assert found == canonical(value)


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=12)
MOMENTS = st.datetimes(datetime.datetime(1900, 3, 1), datetime.datetime(2100, 1, 1)).map(
    lambda moment: moment.replace(microsecond=0)
)
FLOATS = st.floats(-1e15, 1e15).map(lambda number: float(f"{number:.15g}"))  # the digits that Excel keeps
CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**15), 10**15), FLOATS, TEXTS,
    st.dates(datetime.date(1900, 3, 1), datetime.date(2100, 1, 1)), MOMENTS,
)  # fmt: skip


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=5), st.booleans())
def test_every_cell_is_what_another_writer_wrote(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[object]], by_openpyxl: bool
) -> None:
    folder = tmp_path_factory.mktemp("excel")
    names: list[object] = ["a", "b", "c"]
    path = folder / "x.xlsx"
    if by_openpyxl:
        illegal = openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE  # openpyxl refuses to write control characters
        rows = [[illegal.sub("", cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
        book = openpyxl.Workbook()
        for r, row in enumerate([names, *rows], 1):
            for c, value in enumerate(row, 1):
                cell = book.active.cell(r, c)
                cell.value = None if value == "" else value
                if isinstance(value, str) and value:
                    cell.data_type = "s"
        book.save(path)
    else:
        workbook = xlsxwriter.Workbook(path)
        sheet = workbook.add_worksheet()
        day, time = (workbook.add_format({"num_format": code}) for code in ("d/m/yy", "yyyy-mm-dd hh:mm:ss"))
        for r, row in enumerate([names, *rows]):
            for c, value in enumerate(row):
                match value:
                    case str():
                        sheet.write_string(r, c, value)
                    case bool():
                        sheet.write_boolean(r, c, value)
                    case int() | float():
                        sheet.write_number(r, c, value)
                    case datetime.date():
                        sheet.write_datetime(r, c, value, time if isinstance(value, datetime.datetime) else day)
        workbook.close()
    expected = [tuple(map(_text, row)) for row in rows]
    assert rows_of(path, folder / "copies")[1] == [row for row in expected if any(row)]


def _text(value: object) -> str | None:
    """Return the text of a value as workbooks keep it: midnight is a date."""
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, str):
        value = value.replace("\ufffd<", "\ufffd<<")
    return canonical(value)


def archive(path: Path, parts: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as target:
        for name, data in parts.items():
            target.writestr(name, data)
    return path


ENTITIES = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
MAIN = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
DAMAGED: dict[str, bytes] = {
    "no end": MAIN + b"<row><c><v>1</v></c></row>",
    "entities that grow": ENTITIES + MAIN + b"<row><c><v>&b;</v></c></row></sheetData></worksheet>",
    "UTF-16": "<worksheet/>".encode("utf-16"),
    "a tag of 3 MB": MAIN + b'<row><c r="' + b"A" * 3 * 2**20 + b'"><v>1</v></c></row></sheetData></worksheet>',
    "no XML": b"rows",
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_sheet_that_is_damaged_as_a_whole_is_refused(damage: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.xlsx .*save it again"):
        read(tmp_path, [["a"]], {"xl/worksheets/sheet1.xml": DAMAGED[damage]})


@pytest.mark.parametrize("part", ["xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"])
def test_missing_parts_are_refused_if_rows_need_them(part: str, tmp_path: Path) -> None:
    if part == "xl/worksheets/sheet1.xml":
        with pytest.raises(InputError, match=r"x\.xlsx"):
            read(tmp_path, [["a"]], {part: b""})
    else:
        assert read(tmp_path, [["a", "b"], [5, Raw(b'<c PLACE t="s"><v>0</v></c>')]], {part: b""})[0][0] == "5"


def test_damaged_bytes_in_the_archive_are_refused(tmp_path: Path) -> None:
    path = workbooks.write(tmp_path / "x.xlsx", {"People": [["a"], *([i] for i in range(5000))]})
    raw = bytearray(path.read_bytes())
    middle = raw.index(b"xl/worksheets/sheet1.xml") + 2000
    raw[middle : middle + 50] = bytes(50)
    path.write_bytes(raw)
    with pytest.raises(InputError, match=r"x\.xlsx"):
        rows_of(path, tmp_path / "copies")


@pytest.mark.parametrize(
    ("parts", "word"),
    [
        ({"content.xml": b"<x/>", "mimetype": b"application/vnd.oasis.opendocument.spreadsheet"}, r"\.ods"),
        ({"_rels/.rels": RELATIONS.replace(b"/worksheet", b"/officeDocument").replace(b"sheet1.xml", b".bin")}, "xlsb"),
        ({"notes.txt": b"x"}, "no Excel workbook"),
    ],
)
def test_other_archives_are_named(parts: dict[str, bytes], word: str, tmp_path: Path) -> None:
    path = archive(tmp_path / "x.xlsx", parts)
    with pytest.raises(InputError, match=rf"x\.xlsx is .*{word}.*save it as \.xlsx"):
        rows_of(path, tmp_path / "copies")


def test_a_chart_is_no_sheet_of_rows(tmp_path: Path) -> None:
    workbook = xlsxwriter.Workbook(tmp_path / "x.xlsx")
    chart = workbook.add_chart({"type": "line"})
    workbook.add_chartsheet("Chart").set_chart(chart)
    workbook.add_worksheet("Züge_x0041_").write_row(0, 0, ["a", "b"])
    chart.add_series({"values": "='Züge_x0041_'!$A$1:$B$1"})
    workbook.close()
    assert excel_file.sheet_names(tmp_path / "x.xlsx")[0].startswith("Z")
    assert rows_of(tmp_path / "x.xlsx", tmp_path / "copies") == (("a", "b"), [])


def test_texts_of_any_number_and_length_stay_on_disk(tmp_path: Path) -> None:
    texts = io.BytesIO()
    texts.write(b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">')
    for i in range(300):
        texts.write(f"<si><t>{i}{'x' * 100_000}</t></si>".encode())
    texts.write(b"<si><t>" + b"y" * 17 * 2**20 + b"</t></si><si><t>end</t></si></sst>")
    cells = [[Raw(f'<c PLACE t="s"><v>{index}</v></c>'.encode()), i] for i, index in enumerate([301, 300, 7, 299, 7])]
    found = read(tmp_path, [["a", "b"], *cells], {"xl/sharedStrings.xml": texts.getvalue()})
    assert [(text or "")[:3] for text, _ in found] == ["end", "", "7xx", "299", "7xx"]
    assert len(found[3][0] or "") == 100_003
