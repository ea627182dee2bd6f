"""Mistakes in a specification: each is refused before anything is read, with its line and a remedy."""

import copy
import datetime
import json
import math
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import discreet.cli
from discreet.errors import SpecError
from discreet.measure import secrets
from discreet.plan import spec_errors
from discreet.plan.codebook import resolve
from discreet.plan.read_spec import read
from discreet.plan.release_plan import resolve as resolve_names
from discreet.plan.sections import Dimension
from discreet.plan.spec import ReleaseSpec
from discreet.release import run

FILE = """\
version: v1
source: {csv: people.csv}
unit: {id: id}
dimensions:
  sex:
    column: sex
    categories: [f, m]
    levels:
      all:
        both: [f, m]
  age: {column: age, ranges: {young: [0, 30], old: [30, null]}}
tables:
  - name: people
    dimensions: [sex, age]
    margins: all
    filter:
      sex: [f]
design: {name: geometric, epsilon: 0.5}
budget:
  epsilon: 5
  delta: 1e-6
secret: {file: secret.key}
outputs: [csv]
"""
LINE = {text.strip(): number for number, text in enumerate(FILE.splitlines(), 1)}


def spec() -> dict[str, Any]:
    """The same as a dict."""
    return {
        "version": "v1",
        "source": {"csv": "people.csv"},
        "unit": {"id": "id"},
        "dimensions": {
            "sex": {"column": "sex", "categories": ["f", "m"], "levels": {"all": {"both": ["f", "m"]}}},
            "age": {"column": "age", "ranges": {"young": [0, 30], "old": [30, None]}},
        },
        "tables": [{"name": "people", "dimensions": ["sex", "age"], "margins": "all", "filter": {"sex": ["f"]}}],
        "design": {"name": "geometric", "epsilon": "0.5"},
        "budget": {"epsilon": "5", "delta": "1e-6"},
        "secret": {"file": "secret.key"},
        "outputs": ["csv"],
    }


def load(given: Any) -> ReleaseSpec:
    """Read a specification, and resolve its names."""
    file = read(given)
    with file.errors_with_lines():
        resolve_names(file.spec)
    return file.spec


def refused(tmp_path: Path, text: str) -> str:
    """What is said of a file."""
    path = tmp_path / "release.yaml"
    path.write_text(text)
    with pytest.raises(SpecError) as caught:
        load(path)
    return str(caught.value).replace(str(path), "FILE")


def changed(**parts: Any) -> dict[str, Any]:
    return spec() | parts


def test_the_file_is_the_dict(tmp_path: Path) -> None:
    (tmp_path / "release.yaml").write_text(FILE)
    from_file = load(tmp_path / "release.yaml").model_dump(exclude={"source", "secret"})
    from_dict = load(spec()).model_dump(exclude={"source", "secret"})
    assert float(from_file["design"].pop("epsilon")) == float(from_dict["design"].pop("epsilon"))
    assert from_file == from_dict


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("source: {csv: people.csv}", "source: {csv: people.csv, delimiter: 5}", None, "delimiter is 5; give a text"),
        ("source: {csv: people.csv}", "source: {csv: people.csv, delimiter: null}", None, "delimiter is None; give a"),
        ("source: {csv: people.csv}", "source: {csv: people.csv, header: nein}", None, "'nein'; give true or false"),
        ("source: {csv: people.csv}", "source: {csv: people.csv, header: no}", None, "'no'; give true or false"),
        ("both: [f, m]", "both: null", None, "dimensions.sex.levels.all.both: null is given; give a list"),
        ("both: [f, m]", "both: 5", None, "names '5', which is no leaf of 'sex'; its leaves are f, m, _other"),
        ("both: [f, m]", "both: [f, x]", None, "names 'x', which is no leaf"),
        ("both: [f, m]", "both: [[f]]", None, "dimensions.sex.levels.all.both.item 1: give a text"),
        ("both: [f, m]", "_other: [f]", None, "uses itself"),
        ("both: [f, m]", "both: [f, m]\n      none: null", 11, "levels.none: null is given; give a mapping"),
        ("outputs: [csv]", "outputs: []", None, "outputs: give at least 1"),
        ("outputs: [csv]", "outputs: [csv, csv]", None, "outputs: a format is given twice"),
        ("outputs: [csv]", "outputs: [excel]", None, "outputs.item 1: 'excel' is given; give 'csv', 'parquet' or"),
        ("delta: 1e-6", "delta: 2", None, "delta is 2; give a chance"),
        ("delta: 1e-6", "delta: -0.1", None, "delta is -0.1; give a chance"),
        ("delta: 1e-6", "delta: little", None, "give a finite number"),
        ("epsilon: 5", "epsilon: 0", None, "it must be above 0"),
        ("epsilon: 5", "epsilon: -1", None, "it must be above 0"),
        ("epsilon: 5", "epsilon: .nan", None, "give a finite number"),
        ("epsilon: 5", "epsilon: true", None, "give a finite number"),
        ("epsilon: 5", "epsilon: null", None, "give a finite number"),
        ("version: v1", 'version: "a\\nb"', None, "without line ends and control characters"),
        ("version: v1", f"version: {'x' * 101}", None, "give at most 100 characters"),
        ("version: v1", 'version: "\\ud800"', None, "version: the text has a character that files cannot hold"),
        ("version: v1", 'version: v1\ntitle: "a\\0"', 2, "title: the text has a character that files cannot hold"),
        ("categories: [f, m]", 'categories: [f, "\\udfff"]', None, "dimensions.sex.categories.item 2: the text has"),
        ("categories: [f, m]", 'categories: {f: f, "\\udfff": x}', None, "dimensions.sex.categories: the text has"),
        ("categories: [f, m]", "categories: 5", None, "categories: 5 is given; give a list, or a mapping, {name: ...}"),
        ("categories: [f, m]", "categories: [f, [m]]", None, "dimensions.sex.categories.item 2: give a text"),
        ("categories: [f, m]", "categories: {f: {m: x}}", None, "sex.categories.f: give a list, or a text"),
        ("categories: [f, m]", "categories: [f, m, f]", None, "declares a category twice"),
        ("categories: [f, m]", "categories: {f: [x], m: [x]}", None, "raw value 'x' to two categories"),
        ("categories: [f, m]", f"categories: [f, m, {'x' * 201}]", None, "has 201 characters; give 200 at most"),
        ("categories: [f, m]", 'categories: [f, m, " x"]', None, "dimension 'sex': column 'sex' declares ' x'"),
        ("margins: all", "margins: some", None, "people.margins: 'some' is given; give 'all' or 'none', or a list"),
        ("margins: all", "margins: [[sex], [town]]", None, "margin over 'town', which is none of its dimensions; they"),
        ("sex: [f]", "sex: [x]", None, "the filter of table 'people' on 'sex' names 'x', which is no leaf or group"),
        ("sex: [f]", "town: [x]", None, "filters on 'town', which is no dimension"),
        ("sex: [f]", "sex: []", None, "with no values"),
        ("dimensions: [sex, age]", "dimensions: [sex, town]", None, "'town', which is not declared"),
        ("dimensions: [sex, age]", "dimensions: [{dimension: sex, level: x}]", None, "no level 'x'"),
        ("- name: people", "- name: Report", None, "as a file of every folder is"),
        ("- name: people", "- name: a b", None, "'a b' is given; give at most 80 letters, digits"),
        ("age: {column: age, ranges: {young: [0, 30], old: [30, null]}}",
         "age: {column: age, ranges: {a: [0, 9], b: [5, 12]}}", None,
         "dimension 'age': column 'age' has the range 5.0 to 12.0, which is empty or overlaps"),
        ("age: {column: age, ranges: {young: [0, 30], old: [30, null]}}", "age: {column: age, ranges: {a: [0]}}",
         None, "dimensions.age.ranges.a.item 2: this is missing; add it"),
        ("unit: {id: id}", "unit: {contributions: 2}", None, "nothing says which rows are one person's; give id"),
        ("unit: {id: id}", "unit: {id: id, contributions: 1.5}", None, "1.5 is given; give a whole number"),
        ("unit: {id: id}", "unit: id", None, "unit: 'id' is given; give a mapping"),
        ("secret: {file: secret.key}", "secret: 3f2a", None, "secret: give a mapping"),
        ("secret: {file: secret.key}", "key: query", None, "needs a secret"),
        ("design: {name: geometric, epsilon: 0.5}", "design: {certificate: c.json, name: x}", None, "has name as well"),
        ("design: {name: geometric, epsilon: 0.5}", "design: {certificate: 5}", None, "not the path of a file"),
        ("design: {name: geometric, epsilon: 0.5}", "design: {certificate: c.json}\nbits: 20", 19, "has its own bits"),
        ("secret: {file: secret.key}", "secret: {file: secret.key}\nfixed: [{where: {}, count: 2199023255553}]", 23,
         "give a number up to 2199023255552"),
    ],
)  # fmt: skip
def test_a_mistake_has_its_line_and_a_remedy(tmp_path: Path, old: str, new: str, line: int | None, said: str) -> None:
    message = refused(tmp_path, FILE.replace(old, new, 1))
    assert message.startswith(f"FILE, line {line or LINE[old]}: ")
    assert said in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("design: {name: geometric}", "FILE, line 18: design: epsilon is None, alpha is None; give one of them"),
        (
            "design: {name: geometrical}",
            "FILE, line 18: design: the design is 'geometrical'; give the name of a design",
        ),
        ("design: {name: geometric, x: 1}", "FILE, line 18: design: the design geometric does not take these"),
        ("design: {name: uniform, lower: 0, upper: 3}", "FILE, line 18: design: "),
    ],
)
def test_a_mistake_in_the_design_has_its_line(tmp_path: Path, new: str, said: str) -> None:
    path = tmp_path / "release.yaml"
    path.write_text(FILE.replace("design: {name: geometric, epsilon: 0.5}", new))
    with pytest.raises(SpecError) as raised:
        run(path, tmp_path / "out")
    assert str(raised.value).replace(str(path), "FILE").startswith(said)


@pytest.mark.parametrize(
    ("fixed", "said"),
    [
        (
            "[{count: 3}, {where: {town: x}, count: 3}]",
            "line 24: fixed.item 2: this names 'town' (town: x), a dimension",
        ),
        ("[{count: 3}, {count: 4}]", "line 24: fixed.item 2: fixed gives 3 for everyone and 4 for everyone"),
        (
            "[{count: 3}, {where: {sex: f}, count: 4}]",
            "line 24: fixed.item 1: fixed gives 3 for everyone, and 4 for sex",
        ),
    ],
)
def test_a_mistake_in_what_is_fixed_has_its_line(tmp_path: Path, fixed: str, said: str) -> None:
    assert f"FILE, {said}" in refused(tmp_path, FILE + f"fixed: {fixed}\n")


@pytest.mark.parametrize(
    "source",
    [{"csv": "x.csv"}, {"csv": "x.csv", "header": False, "delimiter": ";"}, {"duckdb": "x.db", "table": "main.t"}],
)
def test_a_specification_that_is_written_can_be_read_again(source: dict[str, Any]) -> None:
    asked = ReleaseSpec.model_validate(changed(source=source))
    assert asked.model_dump()["source"] == source
    assert ReleaseSpec.model_validate(asked.model_dump()) == asked
    assert ReleaseSpec.model_validate_json(asked.model_dump_json()) == asked


def test_every_field_is_described() -> None:
    schema = ReleaseSpec.model_json_schema()
    parts = [schema, *schema["$defs"].values()]
    assert [name for part in parts for name, field in part["properties"].items() if not field.get("description")] == []


def test_several_mistakes_are_told_at_once(tmp_path: Path) -> None:
    text = FILE.replace("version: v1\n", "").replace("outputs: [csv]", "outputs: [csv]\nbudgt: 1")
    assert refused(tmp_path, text).splitlines() == [
        "FILE, line 1: version: this is missing; add it",
        "FILE, line 23: budgt: there is no such field; leave it out, or see: discreet release --schema",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FILE + "budget: {epsilon: 9}\n", "FILE, line 24: budget is also given in line 19; give it once"),
        (
            FILE.replace("both: [f, m]", 'both: [f, m]\n        1: [f]\n        "1": [m]'),
            "FILE, line 12: 1 is also given in line 11; give it once",
        ),
        ("a: " + "[" * 5000 + "]" * 5000, "FILE is nested too deep"),
        ("a: !!int x\n", "line 1: this is not YAML (a value is not of its type, int"),
        ("a: !!python/object:os.system x\n", "line 1: this is not YAML"),
        ("a: \x07\n", "FILE: this is not YAML"),
        ("", "FILE is not a specification"),
    ],
)
def test_files_that_are_no_document(tmp_path: Path, text: str, said: str) -> None:
    assert said in refused(tmp_path, text)


def test_a_merged_key_may_be_overridden(tmp_path: Path) -> None:
    text = FILE.replace("  age: {", "  gender:\n    <<: &sex {column: g, categories: [x]}\n    column: h\n  age: {")
    (tmp_path / "release.yaml").write_text(text)
    gender = load(tmp_path / "release.yaml").dimensions["gender"]
    assert (gender.column, gender.categories) == ("h", ["x"])


def test_texts_are_what_stands_in_the_file(tmp_path: Path) -> None:
    text = FILE.replace("version: v1", "version: 2026-01-01\ntitle: 2026-02-31")
    text = text.replace("[f, m]\n    levels", "[f, m, 2026-01-02, 007, 12:30, no, 1_000, 3, 1.5, true, =]\n    levels")
    text = text.replace("sex: [f]", "sex: [2026-01-02, 007]")
    (tmp_path / "release.yaml").write_text(text)
    asked = load(tmp_path / "release.yaml")
    assert (asked.version, asked.title) == ("2026-01-01", "2026-02-31")
    raws = ["f", "m", "2026-01-02", "007", "12:30", "no", "1_000", "3", "1.5", "true", "="]
    assert asked.dimensions["sex"].categories == raws
    assert asked.tables[0].filter == {"sex": ["2026-01-02", "007"]}


def test_dates_of_a_dict_are_texts() -> None:
    day = datetime.date(2026, 1, 1)
    given = changed(version=day, title=day)
    given["dimensions"]["sex"] = {"column": "sex", "categories": ["f", day], "levels": {"l": {"g": day}}}
    given["tables"][0]["filter"] = {"sex": day}
    asked = load(given)
    assert asked.version == asked.title == "2026-01-01"
    assert asked.dimensions["sex"].categories == ["f", "2026-01-01"]
    assert asked.dimensions["sex"].levels == {"l": {"g": ["2026-01-01"]}}
    assert asked.tables[0].filter == {"sex": ["2026-01-01"]}


def test_one_leaf_of_a_group_may_stand_alone() -> None:
    given = spec()
    given["dimensions"]["sex"]["levels"] = {"l": {"g": "f"}}
    assert load(given).dimensions["sex"].levels == {"l": {"g": ["f"]}}


def test_names_that_are_the_same_as_texts() -> None:
    given = spec()
    given["dimensions"]["sex"] = {"column": "sex", "categories": {"f": "f", 1: "a", "1": "b"}}
    with pytest.raises(SpecError, match="the same when written as text"):
        load(given)


@pytest.mark.parametrize("name", ["count", "grouping", "measurement", "Count"])
def test_dimensions_are_not_called_as_columns(name: str) -> None:
    given = spec()
    given["dimensions"][name] = {"column": "x", "categories": ["a"]}
    with pytest.raises(SpecError, match=f"dimensions.{name}: a dimension is called {name}, as a column of the files"):
        load(given)


def test_tables_are_not_called_alike() -> None:
    table = {"dimensions": ["sex"]}
    with pytest.raises(SpecError, match="two tables have the same name, People, capital letters aside"):
        load(changed(tables=[{"name": "people", **table}, {"name": "People", **table}]))


def test_record_keys_have_no_unit() -> None:
    keys = changed(key="contributors", budget=None, record_keys=["k"])
    with pytest.raises(SpecError, match="unit: record keys came with the data, so nothing is promised and rows are"):
        load(keys)
    assert load(keys | {"unit": {}}).record_keys == ["k"]
    with pytest.raises(SpecError, match="record_keys: give at least 1"):
        load(keys | {"record_keys": [], "unit": {}})


def test_a_fixed_count_is_not_called_a_filter() -> None:
    with pytest.raises(SpecError, match="fixed, on 'sex' names 'x', which is no leaf or group"):
        load(changed(fixed=[{"where": {"sex": "x"}, "count": 1}]))


def test_categories_that_were_found_are_taken_as_they_are() -> None:
    found = ["a", "_other", "_total", "x" * 5000, "nul\0"]
    dimension = Dimension(column="d", from_data=True).with_categories(found)
    assert dimension.categories == ["a", "x" * 5000]
    assert resolve("d", dimension).leaves == ("a", "x" * 5000, "_other")
    given = copy.deepcopy(spec())
    given["dimensions"]["sex"] = json.loads(dimension.model_dump_json())  # as a manifest holds it
    given["tables"][0]["filter"] = {}
    assert ReleaseSpec.model_validate(given).dimensions["sex"] == dimension


def test_the_command_says_it_in_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.csv").write_text("id,sex,age\n1,f,3\n")
    (tmp_path / "release.yaml").write_text(FILE.replace("sex: [f]", "sex: [x]"))
    secrets.new_secret(tmp_path / "secret.key")
    monkeypatch.setattr(
        "sys.argv", ["discreet", "release", str(tmp_path / "release.yaml"), "-o", str(tmp_path / "out")]
    )
    with pytest.raises(SystemExit) as stopped:
        discreet.cli.main()
    assert stopped.value.code == 2
    assert not (tmp_path / "out").exists()
    (tmp_path / "release.yaml").write_text(FILE)
    made = CliRunner().invoke(
        discreet.cli.app, ["release", str(tmp_path / "release.yaml"), "-o", str(tmp_path / "out")]
    )
    assert made.exit_code == 0


GEOMETRIC = {"name": "geometric", "epsilon": "0.5"}
SMALL: dict[str, Any] = {
    "version": "v1",
    "source": {"csv": "people.csv"},
    "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
    "tables": [{"name": "t", "dimensions": ["sex"]}],
    "budget": {"epsilon": 1, "delta": "1e-6"},
    "secret": {"env": "SECRET", "memory": "secret.memory"},
}


@pytest.mark.parametrize("odd", ["\r", "\n", "\x85", "\u2028"])
def test_labels_are_of_one_line(odd: str) -> None:
    """Files, reports and messages have them; a raw value that has such a character is given a label."""
    label = f"a{odd}b"
    for change in (
        {"title": label},
        {"dimensions": {label: {"column": "sex", "categories": ["f"]}}},
        {"dimensions": {"sex": {"column": "sex", "categories": [label]}}},
        {"dimensions": {"sex": {"column": "sex", "categories": {label: "f"}}}},
        {"dimensions": {"sex": {"column": "sex", "ranges": {label: [0, 1]}}}},
        {"dimensions": {"sex": {"column": "sex", "categories": ["f"], "levels": {label: {"all": ["f"]}}}}},
        {"dimensions": {"sex": {"column": "sex", "categories": ["f"], "levels": {"all": {label: ["f"]}}}}},
    ):
        with pytest.raises(SpecError, match="line end or a control character"):
            load({**SMALL, **change})
    assert load({**SMALL, "title": "Villes\u00a0: 2026"}).title == "Villes\u00a0: 2026"
    assert Dimension(column="d", from_data=True).with_categories([label, "c"]).categories == ["c"]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_design_of_finite_numbers(number: float) -> None:
    """Even in a parameter that its other parameters make idle."""
    with pytest.raises(SpecError, match="infinite or none"):
        load({**SMALL, "design": {"name": "geometric", "epsilon": "0.5", "upper": 10, "tail": number}})


def test_what_no_table_uses_decides_nothing() -> None:
    idle = {"column": "county", "from_data": True, "categories": ["a"]}
    with pytest.raises(SpecError, match="give a budget"):
        load({**SMALL, "budget": None, "design": GEOMETRIC, "dimensions": {**SMALL["dimensions"], "county": idle}})
    load({**SMALL, "ledger": "x", "dimensions": {**SMALL["dimensions"], "county": idle}})


def test_looking_for_characters_that_files_cannot_hold_keeps_no_texts() -> None:
    names = [f"category {at}" for at in range(20_000)]
    tracemalloc.start()
    spec_errors.refuse_unwritable_text({"dimensions": {"a": {"column": "a", "categories": names}}})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 * len(names)
