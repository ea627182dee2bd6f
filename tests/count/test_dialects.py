"""CSV files of other encodings and with decimal commas, and workbooks: every value is read by itself."""

import datetime
import gzip
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.count.text_encoding import ENCODINGS, to_utf8
from discreet.errors import InputError, ParameterError
from discreet.plan.codebook import Recode
from tests import workbooks

TOWNS = CountPlan((Recode("Straße", 3, values={"Köln": 0, "Zürich €": 1, "x;y": 2}),))
PRICES = CountPlan((Recode("preis", 2, ranges=((0, 1.5, 0), (1.5, 100, 1))),))


def counted(source: dict[str, Any], plan: CountPlan) -> Counter[tuple[int, ...]]:
    with open_engine(source) as engine:
        lines = [tuple(line.values()) for line in engine.count(plan).to_pylist()]
    return Counter({line[:-1]: line[-1] for line in lines})


@pytest.mark.parametrize("kind", ["csv", "spark"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["cp1252", "windows-1252", "CP1252"])
def test_a_file_in_another_encoding_has_the_rows_of_its_copy_in_utf_8(
    kind: str, end: str, encoding: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if kind == "spark":
        request.getfixturevalue("spark")
    text = end.join(["id;Straße", "1;Köln", '2;"Zürich €"', '3;"x;y"', "4;Koln", ""])
    for path, data, options in (
        (tmp_path / "utf.csv", text.encode("utf-8-sig"), {}),
        (tmp_path / "old.csv", text.encode("cp1252"), {"encoding": encoding}),
        (tmp_path / "old.csv.gz", gzip.compress(text.encode("cp1252")), {"encoding": encoding}),
    ):
        path.write_bytes(data)
        source = {kind: str(path), "delimiter": ";", **options}
        assert counted(source, TOWNS) == Counter([(0,), (1,), (2,), (3,)])


@pytest.mark.parametrize("name", ENCODINGS)
def test_no_two_bytes_become_one_text_and_ascii_stays(name: str) -> None:
    texts = [to_utf8(bytes([byte]), name) for byte in range(256)]
    assert len(set(texts)) == 256
    assert texts[:128] == [bytes([byte]) for byte in range(128)]
    assert to_utf8(bytes(range(256)), name) == b"".join(texts)


def test_a_byte_that_an_encoding_does_not_define_changes_no_other_row(tmp_path: Path) -> None:
    rows = b"Stra\xdfe\nK\xf6ln\nK\xf6ln\n"
    for undefined in (b"", b"\x81\n", b"\x81\x8d\n", b'"\x81"\n'):
        (tmp_path / "x.csv").write_bytes(rows + undefined)
        other = Counter({(3,): 1}) if undefined else Counter()
        assert counted({"csv": tmp_path / "x.csv", "encoding": "cp1252"}, TOWNS) == Counter({(0,): 2}) + other


@pytest.mark.parametrize("encoding", ["utf-16", "shift_jis", "klingon", "utf-7", "base64", ""])
def test_encodings_in_which_bytes_depend_on_each_other_are_refused(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"a\n1\n")
    with pytest.raises(InputError, match=f"encoding is '{encoding}'"):
        open_engine({"csv": tmp_path / "x.csv", "encoding": encoding})


def test_a_file_that_is_marked_as_utf_8_is_not_read_otherwise(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes("Straße\nKöln\n".encode("utf-8-sig"))
    with pytest.raises(InputError, match=r"x\.csv .*UTF-8.*cp1252"):
        open_engine({"csv": tmp_path / "x.csv", "encoding": "cp1252"})


@pytest.mark.parametrize("kind", ["csv", "spark"])
def test_a_decimal_comma_is_declared_and_never_guessed(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if kind == "spark":
        request.getfixturevalue("spark")
    path = tmp_path / "x.csv"
    path.write_bytes(b"id;preis\n1;1,25\n2;1.25\n3;2\n4; 1,5 \n5;1.000,5\n6;,5\n7;1e1\n8;1,2,3\n9;+0,1\n")
    with_comma = Counter({(0,): 3, (1,): 3, (2,): 3})  # 1,25 ,5 +0,1 | 2 1,5 1e1 | 1.25 1.000,5 1,2,3
    assert counted({kind: path, "delimiter": ";", "decimal": ","}, PRICES) == with_comma
    with_point = Counter({(0,): 1, (1,): 2, (2,): 6})
    assert counted({kind: path, "delimiter": ";"}, PRICES) == with_point
    assert counted({kind: path, "delimiter": ";", "decimal": "."}, PRICES) == with_point


def test_other_decimal_marks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="decimal is ';'"):
        open_engine({"csv": tmp_path / "x.csv", "decimal": ";"})


SHEET: list[list[object]] = [
    [],
    [None, "id", "Straße", "born", "preis", "member"],
    [None, 1, "Köln", datetime.date(2024, 5, 31), 1.25, True],
    [None, 2, " Zürich € ", datetime.datetime(2024, 5, 31, 8, 30), 2, False],
    [],
    [None, 3.5, None, None, "#N/A", None, "stray"],
    [None, 2**60, "2024", None, "1,25", None],
]


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    return workbooks.write(tmp_path / "x.xlsx", {"Notes": [["read me"]], "People": SHEET})


def test_every_cell_of_a_sheet_becomes_its_own_text(workbook: Path) -> None:
    source = {"excel": workbook, "sheet": "People"}
    with open_engine(source) as engine:
        assert list(engine.columns()) == ["column1", "id", "Straße", "born", "preis", "member"]
        assert engine.values("id") == ["1", "2", "3.5"]
        assert engine.values("born") == ["2024-05-31", "2024-05-31T08:30:00"]
        assert engine.values("member") == ["false", "true"]
        assert engine.count(CountPlan()).to_pylist() == [{"count": 4}]
    assert counted(source, TOWNS) == Counter([(0,), (1,), (3,), (3,)])
    assert counted(source, PRICES) == Counter([(0,), (1,), (2,), (2,)])


def test_only_the_columns_that_are_read_are_copied(workbook: Path) -> None:
    with open_engine({"excel": workbook, "sheet": "People"}, column_names={"born", "id"}) as engine:
        assert list(engine.columns()) == ["id", "born"]


def test_the_first_sheet_is_read_unless_another_one_is_named(workbook: Path) -> None:
    with open_engine({"excel": workbook}) as engine:
        assert list(engine.columns()) == ["read me"]
    with pytest.raises(InputError, match=r"no sheet 'Leute'.*Notes, People"):
        open_engine({"excel": workbook, "sheet": "Leute"})


@pytest.mark.parametrize("rows", [[], [[None, None]], [["a", "b", "a"], [1, 2, 3]]])
def test_sheets_that_name_no_columns_are_refused(rows: list[list[object]], tmp_path: Path) -> None:
    path = workbooks.write(tmp_path / "x.xlsx", {"People": rows})
    with pytest.raises(InputError, match=r"x\.xlsx"):
        open_engine({"excel": path})


def test_damaged_workbooks_are_refused(tmp_path: Path) -> None:
    path = workbooks.write(tmp_path / "x.xlsx", {"People": SHEET})
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(InputError, match=r"x\.xlsx"):
        open_engine({"excel": path})
