"""A first specification: it runs as it is, says what was found, and promises nothing until somebody has checked it."""

import datetime
import os
import random
import string
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError, ParameterError
from discreet.plan import read_spec, yaml_file
from discreet.plan.yaml_text import quoted
from discreet.prepare.initial_spec import initial_spec
from discreet.prepare.preview_counts import preview
from discreet.prepare.proposal import Proposal, Proposed
from discreet.prepare.spec_text import spec_text
from discreet.release import run
from tests import workbooks
from tests.cli.conftest import Run, discreet  # noqa: F401

ROWS = 3000


def people(rows: int = ROWS) -> dict[str, list[Any]]:
    """Return columns of every kind that init has to tell apart."""
    rng = random.Random(3)
    words = ["".join(rng.choices(string.ascii_lowercase, k=6)) for _ in range(400)]
    return {
        "person_id": [f"P{i:05}" for i in range(rows)],
        "sex": [rng.choice(["female", "male", "Male"]) for _ in range(rows)],
        "region": [rng.choice(["Zürich", "Bern", "St. Gallen", "n/a"]) for _ in range(rows)],
        "age": [rng.randrange(100) for _ in range(rows)],
        "income": [round(rng.lognormvariate(10, 1), 2) for _ in range(rows)],
        "children": [rng.randrange(5) for _ in range(rows)],
        "postcode": [f"{rng.randrange(40):05}" for _ in range(rows)],
        "occupation": [f"occupation {rng.randrange(500)}" for _ in range(rows)],
        "remark": [" ".join(rng.choices(words, k=8)) for _ in range(rows)],
        "phone": [f"079 {rng.randrange(10**7):07}" for _ in range(rows)],
        "born": [datetime.date(1950, 1, 1) + datetime.timedelta(days=rng.randrange(9000)) for _ in range(rows)],
        "wave": ["2026"] * rows,
        "empty": [None] * rows,
        "typo": [rng.choice(["yes", "no"]) for _ in range(rows - 1)] + ["yess"],
    }


def write_csv(path: Path, columns: dict[str, list[Any]], delimiter: str = ",", encoding: str = "utf-8") -> Path:
    lines = [delimiter.join(columns)]
    lines += [delimiter.join("" if v is None else str(v) for v in row) for row in zip(*columns.values(), strict=True)]
    path.write_bytes(("\n".join(lines) + "\n").encode(encoding))
    return path


def source_of(kind: str, folder: Path, request: pytest.FixtureRequest) -> dict[str, Any]:
    """Write the people as a source of a kind. Return the arguments of `initial_spec`."""
    columns = people()
    if kind == "csv":
        return {"data": str(write_csv(folder / "people.csv", columns))}
    if kind == "excel":
        rows = [list(columns), *map(list, zip(*columns.values(), strict=True))]
        return {"data": str(workbooks.write(folder / "people.xlsx", {"People": rows}))}
    table = pa.table(columns | {"empty": pa.array(columns["empty"], pa.string())})
    if kind == "postgres":
        server = request.getfixturevalue("postgres")
        source = server.load("people", table)
        request.getfixturevalue("monkeypatch").setenv("TOWN", source["postgres"])
        return {"data": "env:TOWN", "table": source["table"]}
    pq.write_table(table, folder / "people.parquet")
    if kind == "spark":
        request.getfixturevalue("spark")
        return {"data": str(folder / "people.parquet"), "kind": "spark"}
    return {"data": str(folder / "people.parquet")}


@pytest.mark.parametrize("kind", ["csv", "parquet", "excel", "postgres", "spark"])
def test_every_kind_of_column_is_handled_with_every_engine(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    spec = initial_spec(**source_of(kind, tmp_path, request), folder=tmp_path)
    proposal = spec.proposal
    assert (proposal.id, proposal.rows_of_one_id) == ("person_id", 1)
    found = {dimension.column: dimension for dimension in proposal.dimensions}
    assert found["sex"].categories == {"female": ["female"], "male": ["Male", "male"]} or found["sex"].categories == {
        "female": ["female"],
        "Male": ["Male", "male"],
    }
    assert list(found["region"].categories or ()) == ["Bern", "St. Gallen", "Zürich"]
    assert found["region"].missing == ("n/a",)
    assert list(found["children"].categories or ()) == ["0", "1", "2", "3", "4"]
    assert found["typo"].rare == ("yess",)
    assert list(found["postcode"].categories or ())[:2] == ["00000", "00001"]
    assert all(str(low or high).endswith("-01-01") for low, high in (found["born"].ranges or {}).values())
    for column in ("age", "income", "born"):
        ranges = list((found[column].ranges or {}).values())
        assert 3 <= len(ranges) <= 6
        assert ranges[0][0] is ranges[-1][1] is None
        assert all(before[1] == after[0] for before, after in pairwise(ranges))
    words = {"occupation": "values", "remark": "free text", "phone": "people", "wave": "one value",
             "empty": "no values"}  # fmt: skip
    assert set(proposal.left_out) == set(words)
    assert all(word in proposal.left_out[column] for column, word in words.items())
    (tmp_path / "release.yaml").write_text(spec.text)
    release = run(tmp_path / "release.yaml", tmp_path / "out")
    assert release.promise is None
    assert release.manifest["engine"] == kind


@pytest.mark.parametrize(
    ("form", "order"), [("%d.%m.%Y", "dmy"), ("%d/%m/%Y", "dmy"), ("%m/%d/%Y", "mdy"), ("%Y-%m-%d", "ymd")]
)
def test_the_order_of_dates_is_found_and_their_ranges_count_every_person(form: str, order: str, tmp_path: Path) -> None:
    born = people()["born"]
    file = write_csv(tmp_path / "people.csv", {"id": list(range(ROWS)), "born": [date.strftime(form) for date in born]})
    spec = initial_spec(str(file), folder=tmp_path)
    assert spec.source.get("dates", "ymd") == order
    (tmp_path / "release.yaml").write_text(spec.text)
    (seen,) = preview(tmp_path / "release.yaml").dimensions
    ranges = spec.proposal.dimensions[0].ranges or {}
    expected = {
        label: sum((low or "") <= date.isoformat() < (high or "9") for date in born)
        for label, (low, high) in ranges.items()
        if not isinstance(low, float) and not isinstance(high, float)
    }
    assert seen.rows == expected | {"_other": 0}


def test_dates_of_one_year_get_ranges_of_months(tmp_path: Path) -> None:
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=i % 365) for i in range(1000)]
    file = write_csv(tmp_path / "people.csv", {"id": list(range(1000)), "visit": days})
    (visit,) = initial_spec(str(file), folder=tmp_path).proposal.dimensions
    ranges = visit.ranges or {}
    assert len(ranges) == 5
    for label, (low, high) in ranges.items():
        assert str(low or high).endswith("-01")
        assert str(low or high)[:7] in label
        assert 100 < sum(str(low or "0") <= day.isoformat() < str(high or "9") for day in days) < 350


def test_a_specification_promises_something_when_every_mark_has_a_source(tmp_path: Path) -> None:
    spec = initial_spec(str(write_csv(tmp_path / "people.csv", people())), folder=tmp_path)
    assert spec.text.count("found: data  ") == 1 + len(spec.proposal.dimensions)
    path = tmp_path / "release.yaml"
    path.write_text(spec.text.replace("found: data  ", "source: questionnaire 2026  "))
    release = run(path, tmp_path / "out")
    assert release.promise is not None
    assert release.manifest["spec"]["unit"]["source"] == "questionnaire 2026"


def test_contributions_are_the_rows_of_one_person(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {"respondent_id": [i // 3 for i in range(300)], "sex": ["f", "m"] * 150}
    proposal = initial_spec(str(write_csv(tmp_path / "x.csv", columns))).proposal
    assert (proposal.id, proposal.rows_of_one_id) == ("respondent_id", 3)


def test_more_than_ten_contributions_are_proposed(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {"respondent_id": [i // 15 for i in range(1500)], "sex": ["f", "m"] * 750}
    path = write_csv(tmp_path / "x.csv", columns)
    (tmp_path / "x.yaml").write_text(initial_spec(str(path), folder=tmp_path).text)
    assert read_spec.read(tmp_path / "x.yaml").spec.unit.contributions == 15


def test_other_ids_are_not_published(tmp_path: Path) -> None:
    columns = {"household_id": [i // 2 for i in range(300)], "person_id": range(300), "sex": ["f", "m"] * 150}
    proposal = initial_spec(str(write_csv(tmp_path / "x.csv", {k: list(v) for k, v in columns.items()}))).proposal
    assert proposal.id == "person_id"
    assert "id" in proposal.left_out["household_id"]


def test_numbers_of_households_are_not_published_and_quantities_are(tmp_path: Path) -> None:
    """Integers that nearly every household repeats point to people, whatever the column is called."""
    rng = random.Random(5)
    rows = range(ROWS)
    columns: dict[str, list[Any]] = {
        "sex": [rng.choice(["f", "m"]) for _ in rows],
        "Haushalt": [i // 3 + 1 for i in rows],
        "dwelling": sorted(rng.choices(rng.sample(range(10**6, 10**7), 1300), k=ROWS)),
        "income": [round(rng.lognormvariate(8, 0.6)) for _ in rows],
        "weight": [round(rng.gauss(190_000, 105_000) ** 2 / 10**6) for _ in rows],
        "age": [i % 100 for i in rows],
        "minutes": [rng.randrange(200) for _ in rows],
    }
    proposal = initial_spec(str(write_csv(tmp_path / "people.csv", columns))).proposal
    assert set(proposal.left_out) == {"Haushalt", "dwelling"}
    assert [dimension.column for dimension in proposal.dimensions] == ["sex", "income", "weight", "age", "minutes"]


def test_without_an_id_every_row_is_a_person_and_the_steward_has_to_say_so(tmp_path: Path) -> None:
    spec = initial_spec(str(write_csv(tmp_path / "x.csv", {"sex": ["f", "m"] * 50, "side": ["n", "n", "s", "s"] * 25})))
    (tmp_path / "x.yaml").write_text(spec.text)
    document = read_spec.read(tmp_path / "x.yaml").spec
    assert document.unit.id is None
    assert document.unit.found == "data"


DIALECTS = {
    "Excel in Germany": (";", "cp1252", ","),
    "Excel in Germany, CSV UTF-8": (";", "utf-8-sig", ","),
    "tabs": ("\t", "utf-8", "."),
    "bars": ("|", "utf-8", "."),
    "commas": (",", "utf-8", "."),
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", DIALECTS)
def test_the_dialect_of_a_file_is_found(name: str, end: str, tmp_path: Path) -> None:
    delimiter, encoding, decimal = DIALECTS[name]
    rng = random.Random(1)
    rows = [
        [rng.choice(["Köln", "Zürich", "Bern"]), f"{rng.random() * 100:.2f}".replace(".", decimal)] for _ in range(500)
    ]
    text = end.join(delimiter.join(row) for row in [["Straße", "Größe"], *rows]) + end
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode(encoding))
    spec = initial_spec(str(path), folder=tmp_path)
    assert spec.source.get("delimiter", ",") == delimiter
    assert spec.source.get("encoding", "utf-8") == ("cp1252" if encoding == "cp1252" else "utf-8")
    assert spec.source.get("decimal", ".") == decimal
    place, size = spec.proposal.dimensions
    assert list(place.categories or ()) == ["Bern", "Köln", "Zürich"]
    assert len(size.ranges or ()) >= 3


@pytest.mark.parametrize(
    ("numbers", "note"),
    [
        (["1,180", "950", "2,500"], "# decimal: 1,180 is read as 1.18. If the mark is one of thousands, write"),
        (["12.500", "-1.180", "7"], "# decimal: 12.500 is read as 12.5. If the mark is one of thousands, write"),
        (["1,180", "950", "2,5"], None),
        (["0,180", "1,234"], None),
        (["1180", "950"], None),
    ],
)
def test_a_mark_that_may_mark_thousands_is_told(numbers: list[str], note: str | None, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("\n".join(["wage;sex", *(f"{number};{sex}" for number in numbers for sex in "fm")]))
    found = [line for line in initial_spec(str(tmp_path / "x.csv")).text.splitlines() if "# decimal:" in line]
    assert [line[: len(note or "")] for line in found] == ([note] if note else [])


def test_the_budget_is_explained_as_a_factor_plus_a_chance(tmp_path: Path) -> None:
    text = initial_spec(str(write_csv(tmp_path / "x.csv", {"sex": ["f", "m"] * 50}))).text
    words = " ".join(text.replace("\n# ", " ").split())
    assert (
        "at most 2.72 times (e to the power of epsilon) their chance without this person, plus one in a million"
        in words
    )
    assert "apart" not in words


def test_one_damaged_byte_does_not_decide_the_encoding(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"ort\n" + "Zürich\nKöln\n".encode() * 50 + b"Z\xfcrich\n")
    spec = initial_spec(str(tmp_path / "x.csv"))
    assert "encoding" not in spec.source
    assert list(spec.proposal.dimensions[0].categories or ()) == ["Köln", "Zürich", "Z\ufffd<fc>rich"]
    assert "1 bytes" in spec.text


def test_columns_without_a_header_have_numbers(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("f,12\nm,12\n" * 30)
    spec = initial_spec(str(tmp_path / "x.csv"))
    assert spec.source["header"] is False
    assert [dimension.column for dimension in spec.proposal.dimensions] == ["column1"]


def test_a_relative_path_is_written_from_the_folder_of_the_specification(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "specs").mkdir()
    write_csv(tmp_path / "data" / "x.csv", {"sex": ["f", "m"] * 50})
    monkeypatch.chdir(tmp_path)
    spec = initial_spec(os.path.join("data", "x.csv"), folder="specs")
    (tmp_path / "specs" / "x.yaml").write_text(spec.text)
    monkeypatch.chdir("/")
    run(tmp_path / "specs" / "x.yaml", tmp_path / "out")


def test_an_existing_file_is_not_overwritten(tmp_path: Path, discreet: Run) -> None:  # noqa: F811
    write_csv(tmp_path / "x.csv", {"sex": ["f", "m"] * 50})
    assert discreet("init", "x.csv", "-o", "x.yaml").code == 0
    assert (tmp_path / "x.yaml").stat().st_mode & 0o777 == 0o600
    before = (tmp_path / "x.yaml").read_bytes()
    again = discreet("init", "x.csv", "-o", "x.yaml")
    assert again.code == 2
    assert "x.yaml" in again.err
    assert (tmp_path / "x.yaml").read_bytes() == before


@pytest.mark.parametrize("name", ["pipe.csv", "pipe.parquet", "pipe.xlsx", "pipe"])
def test_pipes_are_refused_at_once(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match=name):
        initial_spec(str(tmp_path / name))


@pytest.mark.parametrize("content", [b"", b"\n\n", b"a\n", b"a,b\n", b"a\nx\nx\n"])
def test_a_file_without_anything_to_count_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises(InputError, match=r"x\.csv"):
        initial_spec(str(tmp_path / "x.csv"))


def test_a_password_is_never_written(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="env:NAME"):
        initial_spec("postgresql://steward:hunter2@db/census", table="people")


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="'orc'"):
        initial_spec(str(write_csv(tmp_path / "x.csv", {"sex": ["f", "m"]})), kind="orc")


@given(st.text(min_size=1))
def test_every_text_is_read_back_from_yaml(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    if any("\ud800" <= character <= "\udfff" for character in text):
        return
    path = tmp_path_factory.mktemp("yaml") / "x.yaml"
    path.write_text(
        f"a: [{quoted(text)}]\n{quoted(text)}: 1\nb: {quoted(text, in_flow=False)}\n", encoding="utf-8", newline=""
    )
    document, _ = yaml_file.read(path)
    assert document["a"] == [text]
    assert document["b"] == text
    assert text in document


LABELS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029"), min_size=1, max_size=20
)


@given(
    st.lists(LABELS.filter(str.strip), min_size=2, max_size=4, unique=True), st.lists(LABELS, min_size=2, unique=True)
)
def test_every_proposal_is_a_specification(
    tmp_path_factory: pytest.TempPathFactory, columns: list[str], values: list[str]
) -> None:
    values = [value for value in values if value.strip(" \t\n\r\v\f") == value and value not in ("_other", "_total")]
    categories = {value: [value] for value in [*values, "x", "y"]}
    dimensions = tuple(Proposed(column, categories=categories) for column in columns[1:])
    text = spec_text(Proposal(columns[0], 99, dimensions, {"c\n:": "why"}), {"csv": "x.csv"}, name="x\n.csv")
    path = tmp_path_factory.mktemp("spec") / "x.yaml"
    path.write_text(text, encoding="utf-8", newline="")
    spec = read_spec.read(path).spec
    assert spec.unit.id == columns[0]
    assert [dimension.column for dimension in spec.dimensions.values()] == columns[1:]
    assert all(list(dimension.categories or ()) == list(categories) for dimension in spec.dimensions.values())
