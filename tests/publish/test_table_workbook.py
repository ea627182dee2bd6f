"""Tables as Excel workbooks: numbers and texts for readers, the same bytes for every checker."""

import csv
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import discreet as dc
from discreet.errors import CertificateError, MissingExtraError, SpecError
from discreet.publish import table_workbook
from discreet.publish.verify_folder import verify_folder
from tests.cli.conftest import Run, discreet  # noqa: F401
from tests.publish.changed import Copy, changed, release

INJECTED = ["=1+1", "+1", "-1", "@SUM(A1)"]


def injected(directory: Path, **fields: Any) -> Path:
    (directory / "people.csv").write_text("x\n" + "".join(f"{text}\n" for text in INJECTED))
    spec = {
        "version": "=2",
        "title": "=cmd",
        "source": {"csv": str(directory / "people.csv")},
        "dimensions": {"x": {"column": "x", "categories": INJECTED}},
        "tables": [{"name": "t", "dimensions": ["x"], "margins": "all"}],
        "budget": {"epsilon": "2", "delta": "1e-6"},
        "key": "fresh",
        "outputs": ["csv", "xlsx"],
        "metadata": {"notes": ["=note"], "contact": "@office"},
        **fields,
    }
    return dc.release.run(spec, directory / "released").folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("workbook"), outputs=["csv", "xlsx"])


def test_the_first_sheet_has_the_numbers_of_the_csv_file(folder: Path) -> None:
    sheet = openpyxl.load_workbook(folder / "t.xlsx").worksheets[0]
    head, *rows = sheet.iter_rows(values_only=True)
    with (folder / "t.intervals.csv").open(newline="") as file:
        csv_head, *csv_rows = csv.reader(file)
    words = {"_total": "Total", "_other": "Other or not stated"}
    assert list(head) == csv_head
    assert [list(row) for row in rows] == [
        [*(words.get(label, label) for label in row[:2]), *map(int, row[2:])] for row in csv_rows
    ]


def test_no_text_is_a_formula_and_every_count_is_a_number(tmp_path: Path) -> None:
    workbook = openpyxl.load_workbook(injected(tmp_path) / "t.xlsx")
    table, notes = workbook.worksheets
    assert [table.cell(row, 1).value for row in range(2, 6)] == INJECTED
    assert {cell.data_type for row in table.iter_rows(min_row=2, max_col=1) for cell in row} == {"s"}
    assert {cell.data_type for row in table.iter_rows(min_row=2, min_col=2) for cell in row} == {"n"}
    texts = [str(cell.value) for (cell,) in notes.iter_rows()]
    assert {cell.data_type for (cell,) in notes.iter_rows()} == {"s"}
    assert "=note" in texts
    assert any(text.startswith("epsilon = 2, delta = ") for text in texts)


def test_a_workbook_has_no_times_and_no_compression(folder: Path) -> None:
    with zipfile.ZipFile(folder / "t.xlsx") as archive:
        entries = archive.infolist()
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert {entry.compress_type for entry in entries} == {zipfile.ZIP_STORED}
    assert {entry.create_system for entry in entries} == {0}


def test_verify_makes_workbooks_again(folder: Path, tmp_path: Path, discreet: Run) -> None:  # noqa: F811
    assert verify_folder(folder).not_compared == {}
    shown = discreet("verify", str(folder))
    assert shown.code == 0
    assert "every claim holds" in shown.out

    def other_count(copy: Copy) -> None:
        path = copy.folder / "t.xlsx"
        raw = path.read_bytes()
        start = raw.index(b"<v>", raw.index(b"xl/worksheets/sheet1.xml") + 2000)
        position = next(i for i in range(start + 3, len(raw)) if raw[i : i + 1] in b"123456789")
        path.write_bytes(
            raw[:position] + (b"8" if raw[position : position + 1] == b"9" else b"9") + raw[position + 1 :]
        )

    with pytest.raises(CertificateError, match=r"t\.xlsx: is not what the measurements make"):
        verify_folder(changed(folder, tmp_path / "changed", other_count))


def test_without_the_library_verify_says_what_to_install(
    folder: Path,
    discreet: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table_workbook, "can_make", lambda: False)
    assert list(verify_folder(folder).not_compared) == ["t.xlsx"]
    shown = discreet("verify", str(folder))
    assert shown.code == 0
    assert "every claim holds" not in shown.out
    assert "not compared   t.xlsx" in shown.out
    assert "discreet[excel]" in shown.out


def test_a_workbook_whose_stated_version_was_overwritten_is_refused(folder: Path, tmp_path: Path) -> None:
    def older(copy: Copy) -> None:
        path = copy.folder / "t.xlsx"
        running = table_workbook.running_writer().encode()
        path.write_bytes(path.read_bytes().replace(running, b"XlsxWriter 0.0.1".ljust(len(running), b"1")))

    copy = changed(folder, tmp_path / "older", older)
    # the checksum of the part is wrong now, so the workbook names no writer
    with pytest.raises(CertificateError, match=r"t\.xlsx"):
        verify_folder(copy)


@pytest.mark.parametrize("version", ["0.0.1", "9.9.9"])
def test_the_version_in_a_workbook_is_read(
    version: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xlsxwriter.__version__", version)
    other = release(tmp_path, outputs=["csv", "xlsx"])
    monkeypatch.undo()
    assert table_workbook.writer_of((other / "t.xlsx").read_bytes()) == f"XlsxWriter {version}"
    reason = verify_folder(other).not_compared["t.xlsx"]
    assert version in reason
    assert table_workbook.running_writer() in reason


@pytest.mark.parametrize("raw", [b"", b"PK\x05\x06" + bytes(18), b"text"])
def test_what_is_no_workbook_names_no_version(raw: bytes) -> None:
    assert table_workbook.writer_of(raw) is None


def test_nothing_is_drawn_if_a_workbook_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_workbook, "MOST_ROWS", 3)
    with pytest.raises(SpecError, match=r"'t' has 6 cells"):
        injected(tmp_path)
    monkeypatch.setattr("discreet.extras.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"discreet\[excel\]"):
        injected(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]
