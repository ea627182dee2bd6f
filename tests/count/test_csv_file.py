"""CSV files as people write them: no row is lost silently, nothing is guessed, and broken files are refused."""

import csv
import gzip
import os
import re
import tempfile
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.count import csv_file
from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.errors import InputError
from discreet.plan.canonical_text import canonical
from discreet.plan.codebook import Recode
from discreet.prepare.initial_spec import initial_spec

LETTERS = {"x": 0, "y": 1, "x\ny": 2, "x\r\ny": 3, "p,q": 4, 'say "x"': 5, "é": 6, "NULL": 7, "#x": 8, "x\\": 9}
OTHER = len(LETTERS)
PLAN = CountPlan((Recode("a", OTHER, values=LETTERS), Recode("b", 3, ranges=((0, 1, 0), (1, 2, 1), (2, None, 2)))))


def counted(data: bytes, path: Path, plan: CountPlan = PLAN, **options: object) -> Counter[tuple[int, ...]]:
    """Write a file, and return the number of its rows by codes."""
    path.write_bytes(data)
    with open_engine({"csv": path, **options}) as engine:
        lines = [tuple(line.values()) for line in engine.count(plan).to_pylist()]
    return Counter({line[:-1]: line[-1] for line in lines})


FILES = {
    "plain": (b"a,b\nx,0\ny,1\n", [(0, 0), (1, 1)]),
    "no line end at the end": (b"a,b\nx,0\ny,1", [(0, 0), (1, 1)]),
    "CRLF": (b"a,b\r\nx,0\r\ny,1\r\n", [(0, 0), (1, 1)]),
    "CR": (b"a,b\rx,0\ry,1\r", [(0, 0), (1, 1)]),
    "line ends of every kind": (b"a,b\r\nx,0\ny,1\r\nx,2\n", [(0, 0), (1, 1), (0, 2)]),
    "CR alone in a file with CRLF": (b"a,b\r\nx\r,0\r\ny,1\r\n", [(0, 3), (OTHER, 0), (1, 1)]),
    "CR alone in a file with LF": (b"a,b\nx\r,0\ny,1\n", [(0, 3), (OTHER, 0), (1, 1)]),
    "mark of UTF-8": (b"\xef\xbb\xbfa,b\nx,0\n", [(0, 0)]),
    "mark of UTF-8, quoted": (b'\xef\xbb\xbf"a","b"\n"x",0\n', [(0, 0)]),
    "header only": (b"a,b\n", []),
    "header only, no line end": (b"a,b", []),
    "too few fields": (b"a,b\nx\ny,1\n", [(0, 3), (1, 1)]),
    "too many fields": (b"a,b\nx,0,1,2\ny,1\n", [(0, 0), (1, 1)]),
    "too many fields, quoted": (b'a,b\n"x",0,1,2\n"y",1\n', [(0, 0), (1, 1)]),
    "too few fields, quoted": (b'a,b\n"x"\n"y",1\n', [(0, 3), (1, 1)]),
    "blank lines": (b"a,b\nx,0\n\n\ny,1\n\n", [(0, 0), (1, 1)]),
    "blank lines, quoted": (b'a,b\nx,0\n\n\n"y",1\n\n', [(0, 0), (1, 1)]),
    "lines of blanks": (b"a,b\nx,0\n \n\t\n\0\ny,1\n", [(0, 0), (OTHER, 3), (OTHER, 3), (OTHER, 3), (1, 1)]),
    "empty fields": (b'a,b\n,\n"",""\n" "," "\n', [(OTHER, 3)] * 3),
    "white space": (b'a,b\n x ,\t1\n" y "," 1 "\n', [(0, 1), (1, 1)]),
    "spaces before quotes": (b'a,b\nx, "1"\n  "p,q",  "0"\n', [(0, 1), (4, 0)]),
    "quotes": (b'a,b\n"say ""x""",0\n"p,q",1\n', [(5, 0), (4, 1)]),
    "line ends in quotes": (b'a,b\n"x\ny",0\n"x\r\ny",1\n', [(2, 0), (3, 1)]),
    "line ends in quotes, and too few fields": (b'a,b\n"x\ny",0\nx\n"x\r\ny",1,2\n', [(2, 0), (0, 3), (3, 1)]),
    "line ends in quotes, and of every kind": (b'a,b\r\n"x\ny",0\ny,1\r\n', [(2, 0), (1, 1)]),
    "a quote inside": (b'a,b\nx"y,0\ny,1\n', [(OTHER, 0), (1, 1)]),
    "not UTF-8": (b"a,b\n\xff\xfe,0\n\xc3\xa9,1\n\xc3,1\n", [(OTHER, 0), (6, 1), (OTHER, 1)]),
    "not UTF-8, quoted": (b'a,b\n"\xff",0\n"x\ny",1\ny\n', [(OTHER, 0), (2, 1), (1, 3)]),
    "cut inside a letter": (b"a,b\nx,0\ny,1\n\xc3", [(0, 0), (1, 1), (OTHER, 3)]),
    "NUL": (b"a,b\nx\0,0\ny,1\n", [(OTHER, 0), (1, 1)]),
    "words that are not missing": (b"a,b\nNULL,nan\n#x,inf\nx\\,-\n", [(7, 3), (8, 3), (9, 3)]),
    "numbers": (b"a,b\nx,1e0\nx,+1.\nx,.5\nx,1e-400\nx,1e308\nx,1_0\nx,0x1\nx,1e999\nx,1 1\nx,\xd9\xa1\nx,1d\n",
                [(0, 1)] * 2 + [(0, 0)] * 2 + [(0, 3)] * 7),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_every_row_of_a_file_counts_once(name: str, tmp_path: Path) -> None:
    data, codes = FILES[name]
    assert counted(data, tmp_path / "x.csv") == Counter(codes)


@pytest.mark.parametrize("name", FILES)
def test_spark_reads_a_file_as_duckdb_does(name: str, tmp_path: Path, spark: object) -> None:
    data, codes = FILES[name]
    path = tmp_path / "x.csv"
    path.write_bytes(data)
    with open_engine({"spark": path}) as engine:
        lines = [tuple(line.values()) for line in engine.count(PLAN).to_pylist()]
    assert Counter({line[:-1]: line[-1] for line in lines}) == Counter(codes)


PIECES = [
    "x",
    "y",
    ",",
    ",",
    "\n",
    "\n",
    "\r\n",
    "\r",
    '"',
    '""',
    '"x"',
    '"x,\n"',
    " ",
    "\t",
    "é",
    "\0",
    "\ufeff",
    "#",
    "\\",
]


@settings(max_examples=100)
@given(st.sampled_from(["a,b", "a"]), st.sampled_from(["\n", "\r\n"]), st.lists(st.sampled_from(PIECES), max_size=40))
def test_a_file_and_its_copy_have_the_same_rows(head: str, end: str, pieces: list[str]) -> None:
    """One person's byte that is not UTF-8 makes a copy necessary: it must not change the rows of others."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        path = Path(folder) / "x.csv"
        path.write_bytes((head + end + "".join(pieces)).encode())
        try:
            file = csv_file.prepare(path, Path(folder))
        except InputError:
            return
        longer = Path(folder) / "longer.csv"
        longer.write_bytes(path.read_bytes() + end.encode() * 2 + b"\xff")
        copy = csv_file.prepare(longer, Path(folder))
        assert copy.copied
        rows, copied_rows = (
            [tuple(canonical(value) for value in row) for row in database.sql(f"FROM {read.sql()}").fetchall()]
            for read in (file, copy)
        )
        assert copied_rows[-1] == ("\ufffd<ff>", *[None] * (len(file.names) - 1))
        blank = [(None,)] * (len(copied_rows) - 1 - len(rows)) if head == "a" else []
        assert rows + blank == copied_rows[:-1]


def test_a_long_file_has_the_same_counts_with_and_without_quotes(tmp_path: Path) -> None:
    """DuckDB reads parts of a file side by side. No row may be lost or doubled where two parts meet."""
    rows = [("x" if i % 3 else "y", str(i % 2)) for i in range(400_000)]
    plain = "a,b,c\n" + "".join(f"{a},{b},{'z' * 60}\n" for a, b in rows)
    quoted = "a,b,c\n" + "".join(f'"{a}",{b},"{"z" * 55}\nz,"\n' for a, b in rows)
    expected = Counter((LETTERS[a], int(b)) for a, b in rows)
    assert counted(plain.encode(), tmp_path / "plain.csv") == expected
    assert counted(quoted.encode(), tmp_path / "quoted.csv") == expected


@pytest.mark.parametrize("kind", ["csv", "spark"])
@pytest.mark.parametrize("data", [b'a,b\n"x,0\ny,1\n', b'a,b\nx,0\n"x"y,1\n"z,1\n', b'a,b\nx,0\ny,"1'])
def test_broken_quotes_are_refused_without_a_word_of_the_data(
    kind: str, data: bytes, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if kind == "spark":
        request.getfixturevalue("spark")
    (tmp_path / "x.csv").write_bytes(data)
    with pytest.raises(InputError, match=r"x\.csv .*quote") as caught:
        open_engine({kind: tmp_path / "x.csv"})
    assert "y,1" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"", "is empty"),
        (b"a,b,a\n1,2,3\n", "columns 1 and 3 of .*header: false"),
        (b"a,b, a \n1,2,3\n", "columns 1 and 3 of .*header: false"),
        ("a,b\n1,2\n".encode("utf-16"), "UTF-16"),
    ],
)
def test_headers_that_name_no_columns_are_refused(data: bytes, named: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=named):
        counted(data, tmp_path / "x.csv")


def test_names_differ_by_case_and_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b'a,A,,"b,""c"\nx,y,x,z\n')
    with open_engine({"csv": tmp_path / "x.csv"}) as engine:
        assert list(engine.columns()) == ["a", "A", "column3", 'b,"c']
        plan = CountPlan(tuple(Recode(name, 2, values={"x": 0, "y": 1}) for name in engine.columns()))
        assert engine.count(plan).to_pylist() == [{"c0": 0, "c1": 1, "c2": 0, "c3": 2, "count": 1}]


def test_columns_without_a_header_have_numbers(tmp_path: Path) -> None:
    plan = CountPlan((Recode("column1", 2, values={"x": 0, "y": 1}),))
    assert counted(b"x,0\ny,1\nx,1\n", tmp_path / "x.csv", plan, header=False) == Counter([(0,), (1,), (0,)])
    assert counted(b'x,0\n"y",1\nx,1,1\n', tmp_path / "x.csv", plan, header=False) == Counter([(0,), (1,), (0,)])


def test_one_column_has_a_row_for_every_line(tmp_path: Path) -> None:
    plan = CountPlan((Recode("a", 1, values={"x": 0}),))
    for data in (b"a\nx\n\nx\n", b'a\nx\n""\nx\n', b'a\nx\n\n"x",1\n'):
        assert counted(data, tmp_path / "x.csv", plan) == Counter([(0,), (1,), (0,)])


def test_a_file_may_have_another_delimiter_and_be_compressed(tmp_path: Path) -> None:
    data = b'a;b\nx;0\n"y";1\n'
    assert counted(data, tmp_path / "x.csv", delimiter=";") == Counter([(0, 0), (1, 1)])
    assert counted(gzip.compress(data), tmp_path / "x.csv.gz", delimiter=";") == Counter([(0, 0), (1, 1)])
    plain = data.replace(b'"', b"")
    assert counted(gzip.compress(plain), tmp_path / "y.csv.gz", delimiter=";") == Counter([(0, 0), (1, 1)])
    with pytest.raises(InputError, match=r"z\.csv\.gz"):
        counted(gzip.compress(plain)[:-12], tmp_path / "z.csv.gz", delimiter=";")
    with pytest.raises(InputError, match="delimiter is ';;'"):
        counted(data, tmp_path / "x.csv", delimiter=";;")


def test_the_type_of_a_column_does_not_depend_on_its_rows(tmp_path: Path) -> None:
    """After 30,000 numbers comes a word. A type guessed from the rows would fail, or drop the word."""
    data = b"a,b\n" + b"1,1\n" * 30_000 + b"x,one\n"
    plan = CountPlan((Recode("a", 2, values={"1": 0, "x": 1}), PLAN.recodes[1]))
    assert counted(data, tmp_path / "x.csv", plan) == Counter({(0, 1): 30_000, (1, 3): 1})


def test_nothing_is_left_in_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private = tmp_path / "private"
    private.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(private))
    (tmp_path / "x.csv").write_bytes(FILES["not UTF-8"][0])
    with open_engine({"csv": tmp_path / "x.csv"}) as engine:
        engine.count(PLAN)
        (folder,) = private.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
    assert list(private.iterdir()) == []
    (tmp_path / "x.csv").write_bytes(b'a,b\n"')
    with pytest.raises(InputError):
        open_engine({"csv": tmp_path / "x.csv"})
    assert list(private.iterdir()) == []


def test_reading_does_not_change_the_limit_of_the_process(tmp_path: Path) -> None:
    before = csv.field_size_limit(1000)
    try:
        assert counted(b"a,b\nx,0\n", tmp_path / "people.csv") == {(0, 0): 1}
        assert csv.field_size_limit() == 1000
    finally:
        csv.field_size_limit(before)


IDS = {
    "latin-1": [b"N\xe9", b"N\xe8", b"N", b"N\xc3\xa9", b"N\xef\xbf\xbd"],
    "marks": [b"N\xe9", "N\ufffd<e9>".encode(), "N\ufffd<<e9>".encode(), b"N\xef\xbf\xbd\xe9", b"\xff", b"\xfffd"],
    "marks in UTF-8": ["N\ufffd<e9>".encode(), "N\ufffd<<e9>".encode(), b"N"],
}


@pytest.mark.parametrize("kind", ["csv", "spark"])
@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("delimiter", [b",", b"e"])
def test_ids_that_differ_in_any_byte_are_different_people(
    kind: str, name: str, delimiter: bytes, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if kind == "spark":
        request.getfixturevalue("spark")
    ids = [person for person in IDS[name] if delimiter not in person]
    path = tmp_path / "x.csv"
    lines_of_file = [field + delimiter + b"x\n" for field in [b"id", *ids, *ids]]
    path.write_bytes(b"".join(lines_of_file).replace(b"x\n", b"a\n", 1))
    plan = CountPlan((Recode("a", 1, values={"x": 0}),), unit="id")
    with open_engine({kind: path, "delimiter": delimiter.decode()}) as engine:
        lines = [line for batch in engine.excess(plan, 1) for line in batch.to_pylist()]
    assert [line["times"] for line in lines] == [2] * len(ids)
    assert len({line["id"] for line in lines}) == len(ids)
    if name == "latin-1":
        assert {"N\ufffd<e9>", "N\ufffd<e8>", "Né", "N\ufffd"} - {line["id"] for line in lines} == set()


@pytest.mark.parametrize("size", [3_000_000, 17_000_000])
@pytest.mark.parametrize("quote", [b"", b'"'])
def test_a_very_long_answer_is_other(size: int, quote: bytes, tmp_path: Path) -> None:
    long = quote + b"9" * size + quote
    data = b"a,b\nx,0\n" + long + b",1\ny," + long + b"\ny,1\n"
    assert counted(data, tmp_path / "x.csv") == Counter([(0, 0), (OTHER, 1), (1, 3), (1, 1)])


@pytest.mark.parametrize("kind", ["csv", "spark"])
def test_a_first_line_that_may_be_a_record_is_in_no_message(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if kind == "spark":
        request.getfixturevalue("spark")
    path = tmp_path / "x.csv"
    path.write_bytes(b"jane roe,f,72\np1,m,15\n")
    with open_engine({kind: path}) as engine:
        for columns in (engine._database.columns, engine.columns()):
            with pytest.raises(InputError, match=r"no column 'sex'; it has 3 columns.*header: false") as caught:
                CountPlan((Recode("sex", 1, values={"f": 0}),)).check(columns)
            assert not re.search("jane|72", str(caught.value))
    path.write_bytes(b"jane roe,f,f\np1,m,15\n")
    with pytest.raises(InputError, match=r"columns 2 and 3 .*header: false") as caught:
        open_engine({kind: path})
    assert "'f'" not in str(caught.value)
    path.write_bytes(b"Sex,district\np1,m\n")
    with open_engine({kind: path}) as engine:
        for name, similar in (("sex", "Sex"), ("districts", "district")):
            with pytest.raises(InputError, match=f"2 columns, one of them '{similar}'"):
                engine.values(name)


@pytest.mark.parametrize("data", [b"a,b\nx,0\ny,1\n", b"a,b\nx,0\ny,1\r\n"])
@pytest.mark.parametrize("name", ["people[1].csv", "people*.csv", "p?ople.csv", "job [2026]/people.csv"])
def test_a_name_is_no_pattern(name: str, data: bytes, tmp_path: Path) -> None:
    """The file with this name is counted, even if its name is a pattern that other files match."""
    for other in ("people1.csv", "people2.csv", "paople.csv", "job 2/people.csv"):
        (tmp_path / other).parent.mkdir(exist_ok=True)
        (tmp_path / other).write_bytes(b"a,b\nx,2\n")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    assert counted(data, tmp_path / name) == Counter({(0, 0): 1, (1, 1): 1})


FIRST = (b"x,1", b"x,1,z,w", b"x", b"", b'"x"', b"x,1\r")


@pytest.mark.parametrize(("kind", "first"), [*(("csv", first) for first in FIRST), ("spark", b"x")])
def test_the_first_row_without_a_header_is_a_row_like_others(kind: str, first: bytes, tmp_path: Path) -> None:
    """Its number of fields neither makes a release fail nor changes how other rows count."""
    (tmp_path / "x.csv").write_bytes(first + b"\n\ny,0\nx,1,y\n")
    plan = CountPlan(tuple(Recode(f"column{i}", 10, values={"x": 0, "y": 1, "0": 2, "1": 3}) for i in (2, 3)))
    with open_engine({kind: tmp_path / "x.csv", "header": False}, column_names={"column2", "column3", "id"}) as engine:
        counts = Counter({(line["c0"], line["c1"]): line["count"] for line in engine.count(plan).to_pylist()})
        with pytest.raises(InputError, match=r"no column 'id'; .*column1, column2"):
            engine.values("id")
    codes = {b"x,1": (3, 10), b"x,1,z,w": (3, 10), b"x": (10, 10), b'"x"': (10, 10), b"x,1\r": (3, 10)}
    assert counts == Counter([(2, 10), (3, 1), *([codes[first]] if first else [])])


def test_a_file_that_cannot_be_decompressed_is_refused(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b"a,b\n" + b"".join(b"x,%d\n" % (i * i) for i in range(5000))))
    packed[200:260] = bytes(60)
    (tmp_path / "x.csv.gz").write_bytes(packed)
    with pytest.raises(InputError, match=r"x\.csv\.gz"):
        open_engine({"csv": tmp_path / "x.csv.gz"})


@pytest.mark.parametrize("header", [True, False])
def test_a_pipe_is_refused(header: bool, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.csv")
    with pytest.raises(InputError, match=r"x\.csv is a pipe"):
        open_engine({"csv": tmp_path / "x.csv", "header": header}, column_names={"column1"})


def test_a_blank_line_is_no_row_whichever_columns_are_read(tmp_path: Path) -> None:
    """A cell has one count, whatever other columns are read."""
    (tmp_path / "x.csv").write_bytes(b"x,y\n\nx,y\n\n")
    for names in ({"column1"}, {"column1", "column2"}, {"column1", "column5"}):
        with open_engine({"csv": tmp_path / "x.csv", "header": False}, column_names=names) as engine:
            counts = engine.count(CountPlan((Recode("column1", 1, values={"x": 0}),))).to_pylist()
        assert counts == [{"c0": 0, "count": 2}]


def test_a_first_answer_may_look_like_the_mark_of_another_encoding(tmp_path: Path) -> None:
    """Without a header the first bytes are a person's answer. A whole file in UTF-16 is still refused."""
    plan = CountPlan((Recode("column1", 1, values={"x": 0}),))
    counts = []
    for data in (b"\xff\xfe,1\nx\nx\n", b"x\nx\n\xff\xfe,1\n"):
        (tmp_path / "x.csv").write_bytes(data)
        with open_engine({"csv": tmp_path / "x.csv", "header": False}, column_names={"column1"}) as engine:
            counts.append(engine.count(plan).to_pylist())
    assert counts[0] == counts[1] == [{"c0": 0, "count": 2}, {"c0": 1, "count": 1}]
    (tmp_path / "x.csv").write_text("x,1\n" * 9, encoding="utf-16")
    with pytest.raises(InputError, match="UTF-16"):
        open_engine({"csv": tmp_path / "x.csv", "header": False}, column_names={"column1"})


def test_a_path_is_not_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path in the specification is the name of a file, not of a home folder or an address."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("home/x.csv", "~/x.csv", f"file:{tmp_path}/home/x.csv"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("a,b\nx,0\n" if name == "home/x.csv" else "a,b\ny,1\ny,1\n")
    for name in ("~/x.csv", f"file:{tmp_path}/home/x.csv"):
        with open_engine({"csv": name}) as engine:
            assert engine.count(PLAN).to_pylist() == [{"c0": 1, "c1": 1, "count": 2}]


def test_a_copy_has_the_columns_that_are_read(tmp_path: Path) -> None:
    """If one of them is missing, the copy has all columns, so that the message is the same as without a copy."""
    (tmp_path / "x.csv").write_bytes(b"id,a,b,c\n1,x,0,\xff\n2,y,1\n3\n,,,y\n")
    with open_engine({"csv": tmp_path / "x.csv"}, column_names={"c", "a"}) as engine:
        assert list(engine.columns()) == ["a", "c"]
        plan = CountPlan(tuple(Recode(name, 2, values={"x": 0, "y": 1}) for name in ("c", "a")))
        lines = [tuple(line.values()) for line in engine.count(plan).to_pylist()]
    assert Counter({line[:2]: line[2] for line in lines}) == Counter([(2, 0), (2, 1), (2, 2), (1, 2)])
    for data in (b"id,a\n1,x\n", b"id,a\n1,\xff\n"):
        (tmp_path / "x.csv").write_bytes(data)
        with (
            open_engine({"csv": tmp_path / "x.csv"}, column_names={"A"}) as engine,
            pytest.raises(InputError, match="2 columns, one of them 'a'"),
        ):
            engine.values("A")
    (tmp_path / "x.csv").write_bytes(b"id,a\n1,\xff\n2,x\n")
    with open_engine({"csv": tmp_path / "x.csv"}, column_names=set()) as engine:
        assert engine.count(CountPlan()).to_pylist() == [{"count": 2}]


@pytest.mark.parametrize("content", [b"\r0", b"\r\r\x82", b"\rsex\rf"])
def test_a_file_that_begins_with_a_blank_line_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "people.csv").write_bytes(content)
    with pytest.raises(InputError, match="blank line"):
        initial_spec(str(tmp_path / "people.csv"))
