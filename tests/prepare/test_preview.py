"""A preview: rows by category, undeclared values with the nearest spelling, and rows that do not count."""

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from discreet.errors import InputError, SpecError
from discreet.prepare.preview_counts import SHOWN, preview
from tests import workbooks
from tests.cli.conftest import Run, discreet  # noqa: F401

PEOPLE: list[dict[str, Any]] = [
    {"id": f"p{i % 90}" if i % 10 else None, "sex": ("female", "Male", "Male", None)[i % 4], "age": i % 110}
    for i in range(400)
]


def town(source: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": "1",
        "source": source,
        "unit": {"id": "id", "contributions": 2},
        "dimensions": {
            "sex": {"column": "sex", "categories": ["female", "male", "diverse"]},
            "age": {"column": "age", "ranges": {"child": [0, 16], "adult": [16, 100]}},
        },
        "tables": [{"name": "t", "dimensions": ["sex", "age"], "margins": "all"}],
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
    }


def source_of(kind: str, folder: Path, request: pytest.FixtureRequest) -> dict[str, Any]:
    table = pa.Table.from_pylist(PEOPLE)
    if kind == "postgres":
        source: dict[str, Any] = request.getfixturevalue("postgres").load("previewed", table)
        return source
    if kind == "excel":
        rows = [list(PEOPLE[0]), *(list(person.values()) for person in PEOPLE)]
        return {"excel": str(workbooks.write(folder / "x.xlsx", {"a": rows}))}
    if kind == "csv":
        lines = [",".join("" if value is None else str(value) for value in person.values()) for person in PEOPLE]
        (folder / "x.csv").write_text("\n".join(["id,sex,age", *lines]))
        return {"csv": str(folder / "x.csv")}
    pq.write_table(table, folder / "x.parquet")
    if kind == "spark":
        request.getfixturevalue("spark")
    return {kind: str(folder / "x.parquet")}


@pytest.mark.parametrize("kind", ["csv", "parquet", "excel", "postgres", "spark"])
def test_a_preview_is_the_truth_with_every_engine(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    seen = preview(town(source_of(kind, tmp_path, request)))
    with_id = [person for person in PEOPLE if person["id"] is not None]
    rows = Counter(person["id"] for person in with_id)
    assert (seen.rows, seen.without_id) == (400, 400 - len(with_id))
    assert seen.beyond == sum(times - 2 for times in rows.values() if times > 2)
    assert seen.people_beyond == sum(times > 2 for times in rows.values())
    sex, age = seen.dimensions
    sexes = Counter(person["sex"] for person in with_id)
    assert sex.rows == {"female": sexes["female"], "male": 0, "diverse": 0, "_other": sexes["Male"] + sexes[None]}
    assert sex.missing == sexes[None]
    assert [(found.value, found.rows, found.nearest) for found in sex.undeclared] == [("Male", sexes["Male"], "male")]
    old = Counter(person["age"] for person in with_id if person["age"] >= 100)
    assert age.rows["_other"] == age.other == sum(old.values())
    assert {found.value: found.rows for found in age.undeclared}.items() <= {str(k): v for k, v in old.items()}.items()
    assert age.more == (len(old) > SHOWN)


def test_a_preview_of_categories_from_the_data_has_no_other(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    spec = town(source_of("csv", tmp_path, request))
    spec["dimensions"]["sex"] = {"column": "sex", "from_data": True}
    sex = preview(spec).dimensions[0]
    assert set(sex.rows) == {"Male", "female", "_other"}
    assert sex.undeclared == ()


def test_the_command_prints_the_truth_as_private_and_writes_nothing(
    tmp_path: Path,
    request: pytest.FixtureRequest,
    discreet: Run,  # noqa: F811
) -> None:
    spec = town(source_of("csv", tmp_path, request))
    spec["dimensions"]["sex"]["found"] = "data"
    (tmp_path / "x.yaml").write_text(yaml.safe_dump(spec))
    before = sorted(tmp_path.iterdir())
    shown = discreet("preview", "x.yaml")
    assert shown.code == 0, shown.err
    assert sorted(tmp_path.iterdir()) == before
    lines = shown.out.splitlines()
    assert lines[0].startswith("PRIVATE")
    assert lines[-1].startswith("PRIVATE")
    times = sum(person["sex"] == "Male" and person["id"] is not None for person in PEOPLE)
    assert f"    'Male' was found {times} times; you declared 'male'" in lines
    assert "  declared, and in no row: 'male', 'diverse'" in lines
    assert any("promises nothing" in line and "sex" in line for line in lines)


def test_a_value_cannot_steer_the_terminal(tmp_path: Path, discreet: Run) -> None:  # noqa: F811
    (tmp_path / "x.csv").write_bytes(b"id,sex,age\n1,\x1b[31mred[bold],3\n2,f\xe9male,\x07\n")
    (tmp_path / "x.yaml").write_text(yaml.safe_dump(town({"csv": "x.csv"})))
    shown = discreet("preview", "x.yaml").out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "[bold]" in shown
    assert "encoding" in shown


def test_mistakes_are_told_before_anything_is_counted(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,sex\n1,f\n")
    with pytest.raises(InputError, match="'age'"):
        preview(town({"csv": str(tmp_path / "x.csv")}))
    with pytest.raises(SpecError, match="version"):
        preview(town({"csv": "x"}) | {"version": ""})


@pytest.mark.parametrize(
    ("value", "bounds", "options", "words"),
    [
        ("1180,46", [0, 2000], {}, 'decimal mark is "."; give decimal: ","'),
        ("1180.46", [0, 2000], {"decimal": ","}, 'decimal mark is ","; give decimal: "."'),
        ("1180,46", [0, 1000], {"decimal": ","}, "in no range"),
        ("1.180,46", [0, 2000], {"decimal": ","}, "digits are grouped"),
        ("much", [0, 2000], {}, "not a number"),
        ("2026-12-31", [0, 2000], {}, "a date, and the ranges are of numbers"),
        ("31.12.2026", ["2026-01-01", None], {}, "dates is ymd; give dates: dmy"),
        ("12/31/2026", ["2026-01-01", None], {"dates": "dmy"}, "dates is dmy; give dates: mdy"),
        ("31.12.26", ["2026-01-01", None], {"dates": "dmy"}, "two digits"),
        ("31.12.2025", ["2026-01-01", None], {"dates": "dmy"}, "in no range"),
        ("soon", ["2026-01-01", None], {}, "not a date"),
    ],
)
def test_a_preview_says_why_no_range_takes_a_value(
    value: str, bounds: list[Any], options: dict[str, str], words: str, tmp_path: Path
) -> None:
    (tmp_path / "x.csv").write_text(f'id,age\n1,"{value}"\n2,"{value}"\n')
    spec = town({"csv": str(tmp_path / "x.csv"), **options})
    spec["dimensions"] = {"age": {"column": "age", "ranges": {"some": bounds}}}
    spec["tables"] = [{"name": "t", "dimensions": ["age"]}]
    (seen,) = preview(spec).dimensions
    ((undeclared),) = seen.undeclared
    assert (undeclared.value, undeclared.rows) == (value, 2)
    assert words in undeclared.reason


@pytest.mark.parametrize("kind", ["csv", "parquet", "duckdb", "excel", "postgres", "spark"])
def test_a_decimal_comma_is_told_by_every_source_that_has_texts(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    table = pa.table({"id": ["1", "2", "3"], "height": ["1180,46", "1180,46", "1.5"]})
    if kind == "csv":
        (tmp_path / "x.csv").write_text("id;height\n1;1180,46\n2;1180,46\n3;1.5\n")
        source: dict[str, Any] = {"csv": str(tmp_path / "x.csv"), "delimiter": ";"}
    elif kind == "postgres":
        source = request.getfixturevalue("postgres").load("commas", table)
    elif kind == "excel":
        rows = [["id", "height"], *map(list, zip(*table.to_pydict().values(), strict=True))]
        source = {"excel": str(workbooks.write(tmp_path / "x.xlsx", {"a": rows}))}
    else:
        if kind == "spark":
            request.getfixturevalue("spark")
        pq.write_table(table, tmp_path / "x.parquet")
        source = {kind: str(tmp_path / "x.parquet")}
    if kind == "duckdb":
        duckdb.connect(str(tmp_path / "x.db")).execute(f"CREATE TABLE t AS FROM '{tmp_path}/x.parquet'").close()
        source = {"duckdb": str(tmp_path / "x.db"), "table": "t"}
    spec = town(source)
    spec["dimensions"] = {"height": {"column": "height", "ranges": {"some": [0, 2000]}}}
    spec["tables"] = [{"name": "t", "dimensions": ["height"]}]
    (seen,) = preview(spec).dimensions
    assert seen.rows == {"some": 1, "_other": 2}
    (undeclared,) = seen.undeclared
    remedy = 'give decimal: "," in the source' if kind in ("csv", "spark") else "make numbers of the column"
    assert undeclared.reason == f'it is not a number, because the decimal mark is "."; {remedy}'
    if kind in ("csv", "spark"):
        (seen,) = preview(spec | {"source": source | {"decimal": ","}}).dimensions
        assert seen.rows == {"some": 2, "_other": 1}, "the remedy helps"


def test_leaves_in_no_group_of_a_level_are_told(
    tmp_path: Path,
    request: pytest.FixtureRequest,
    discreet: Run,  # noqa: F811
) -> None:
    spec = town(source_of("csv", tmp_path, request))
    spec["dimensions"]["sex"]["levels"] = {
        "two": {"women": ["female"], "others": ["diverse"]},
        "one": {"all": ["male"]},
    }
    assert preview(spec).dimensions[0].in_no_group == {"two": ["male"], "one": ["female", "diverse"]}
    assert preview(spec).dimensions[1].in_no_group == {}
    (tmp_path / "x.yaml").write_text(yaml.safe_dump(spec))
    shown = discreet("preview", "x.yaml").out
    assert "  in no group of level 'two', and counted as its _other: 'male'" in shown.splitlines()
    assert "  in no group of level 'one', and counted as its _other: 'female', 'diverse'" in shown.splitlines()


def test_a_reason_is_told_once_for_values_that_share_it(tmp_path: Path, discreet: Run) -> None:  # noqa: F811
    (tmp_path / "x.csv").write_text('id,age,sex\n1,"1,5",f\n2,"1,5",f\n3,"2,5",f\n4,old,f\n')
    (tmp_path / "x.yaml").write_text(yaml.safe_dump(town({"csv": "x.csv"})))
    lines = discreet("preview", "x.yaml").out.splitlines()
    start = next(i for i, line in enumerate(lines) if "'1,5' was found 2 times; it is not a number, because" in line)
    assert lines[start + 1 : start + 3] == [
        "    '2,5' was found 1 time; the same",
        "    'old' was found 1 time; it is not a number",
    ]
