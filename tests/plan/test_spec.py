"""Mistakes in a specification: each is refused before any data are read, with its line and a remedy."""

import copy
import datetime
import json
import math
import re
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
from discreet.plan.read_spec import read, read_text
from discreet.plan.release_plan import resolve as resolve_names
from discreet.plan.sections import Dimension
from discreet.plan.spec import ReleaseSpec
from discreet.release import run
from discreet.release.plan_release import plan

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
    """Return the specification of FILE as a dict."""
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


def load(spec: Any) -> ReleaseSpec:
    """Read a specification, and resolve its names."""
    spec_file = read(spec)
    with spec_file.errors_with_lines():
        resolve_names(spec_file.spec)
    return spec_file.spec


def refused(tmp_path: Path, text: str) -> str:
    """Return the message of the error that a file raises."""
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


def test_a_text_is_read_as_the_file_that_it_will_be(tmp_path: Path) -> None:
    text = FILE.replace("secret.key}", "secret.key, new_label: v1}")
    path = tmp_path / "release.yaml"
    path.write_text(text)
    assert read_text(text, path).spec == read(path).spec
    secret = read_text(text, path).spec.secret
    assert secret is not None
    assert (secret.file, secret.new_label) == (str(tmp_path / "secret.key"), "v1")
    with pytest.raises(SpecError, match=r"release.yaml, line 2: version: "):
        read_text("# no version\nversion: [1]\n" + FILE.partition("\n")[2], path)


@pytest.mark.parametrize(
    ("old", "new", "line", "named"),
    [
        ("source: {csv: people.csv}", "source: {csv: people.csv, delimiter: 5}", None, "delimiter is 5"),
        ("source: {csv: people.csv}", "source: {csv: people.csv, delimiter: null}", None, "delimiter is None"),
        ("source: {csv: people.csv}", "source: {csv: people.csv, header: nein}", None, "header is 'nein'"),
        ("source: {csv: people.csv}", "source: {csv: people.csv, header: no}", None, "header is 'no'"),
        ("both: [f, m]", "both: null", None, "dimensions.sex.levels.all.both: null"),
        ("both: [f, m]", "both: 5", None, "'5'"),
        ("both: [f, m]", "both: [f, x]", None, "'x'"),
        ("both: [f, m]", "both: [[f]]", None, "dimensions.sex.levels.all.both.item 1: "),
        ("both: [f, m]", "_other: [f]", None, "'_other'"),
        ("both: [f, m]", "both: [f, m]\n      none: null", 11, "levels.none: null"),
        ("outputs: [csv]", "outputs: []", None, "outputs: give at least 1"),
        ("outputs: [csv]", "outputs: [csv, csv]", None, "outputs: "),
        ("outputs: [csv]", "outputs: [excel]", None, "outputs.item 1: 'excel' is given; give 'csv', 'parquet'"),
        ("delta: 1e-6", "delta: 2", None, "delta is 2"),
        ("delta: 1e-6", "delta: -0.1", None, "delta is -0.1"),
        ("delta: 1e-6", "delta: little", None, "delta is 'little'"),
        ("epsilon: 5", "epsilon: 0", None, "epsilon is '0'"),
        ("epsilon: 5", "epsilon: -1", None, "epsilon is '-1'"),
        ("epsilon: 5", "epsilon: .nan", None, "epsilon is 'nan'"),
        ("epsilon: 5", "epsilon: true", None, "epsilon is 'True'"),
        ("epsilon: 5", "epsilon: null", None, "epsilon is 'None'"),
        ("version: v1", 'version: "a\\nb"', None, r"version is 'a\nb'"),
        ("version: v1", f"version: {'x' * 101}", None, "give at most 100 characters"),
        ("version: v1", 'version: "\\ud800"', None, "version: "),
        ("version: v1", 'version: v1\ntitle: "a\\0"', 2, "title: "),
        ("categories: [f, m]", 'categories: [f, "\\udfff"]', None, "dimensions.sex.categories.item 2: "),
        ("categories: [f, m]", 'categories: {f: f, "\\udfff": x}', None, "dimensions.sex.categories: "),
        ("categories: [f, m]", "categories: 5", None, "categories: 5 is given; give a list, or a mapping"),
        ("categories: [f, m]", "categories: [f, [m]]", None, "dimensions.sex.categories.item 2: "),
        ("categories: [f, m]", "categories: {f: {m: x}}", None, "dimensions.sex.categories.f: "),
        ("categories: [f, m]", "categories: [f, m, f]", None, "dimensions.sex.categories.item 3: dimension 'sex'"),
        ("categories: [f, m]", "categories: {f: [x], m: [x]}", None, "categories.m: dimension 'sex' gives the raw"),
        ("categories: [f, m]", f"categories: [f, m, {'x' * 201}]", None, "201 characters; give 200"),
        ("categories: [f, m]", 'categories: [f, m, " x"]', None, "column 'sex' declares ' x'"),
        ("margins: all", "margins: some", None, "tables.people.margins: 'some' is given; give 'all' or 'none'"),
        ("margins: all", "margins: [[sex], [town]]", None, "'town'"),
        ("sex: [f]", "sex: [x]", None, "the filter of table 'people' on 'sex' names 'x'"),
        ("sex: [f]", "town: [x]", None, "tables.people.filter.town: "),
        ("sex: [f]", "sex: []", None, "tables.people.filter.sex: "),
        ("dimensions: [sex, age]", "dimensions: [sex, town]", None, "'town'"),
        ("dimensions: [sex, age]", "dimensions: [{dimension: sex, level: x}]", None, "level 'x'"),
        ("- name: people", "- name: Report", None, "tables.Report.name: the table Report"),
        ("- name: people", "- name: a b", None, "'a b'"),
        ("age: {column: age, ranges: {young: [0, 30], old: [30, null]}}",
         "age: {column: age, ranges: {a: [0, 9], b: [5, 12]}}", None,
         "the ranges 'a' ([0, 9]) and 'b' ([5, 12])"),
        ("age: {column: age, ranges: {young: [0, 30], old: [30, null]}}", "age: {column: age, ranges: {a: [0]}}",
         None, "dimensions.age.ranges.a.item 2: this is missing"),
        ("unit: {id: id}", "unit: {contributions: 2}", None, "unit.contributions: contributions is 2"),
        ("unit: {id: id}", "unit: {id: id, contributions: 1.5}", None, "unit.contributions: 1.5"),
        ("unit: {id: id}", "unit: id", None, "unit: 'id'"),
        ("secret: {file: secret.key}", "secret: 3f2a", None, "secret: give a mapping"),
        ("secret: {file: secret.key}", "key: query", None, "key is query"),
        ("design: {name: geometric, epsilon: 0.5}", "design: {certificate: c.json, name: x}", None, "also has name"),
        ("unit: {id: id}", "unit: {id: id, 5}", None, "unit.5: a field is named 5; "),
        ("design: {name: geometric, epsilon: 0.5}", "design: {certificate: 5}", None, "design.certificate: "),
        ("design: {name: geometric, epsilon: 0.5}", "design: {certificate: c.json}\nbits: 20", 19, "bits: "),
        ("secret: {file: secret.key}", "secret: {file: secret.key}\nfixed: [{where: {}, count: 2199023255553}]", 23,
         "2199023255553 is given; give a number up to 2199023255552"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(tmp_path: Path, old: str, new: str, line: int | None, named: str) -> None:
    message = refused(tmp_path, FILE.replace(old, new, 1))
    assert message.startswith(f"FILE, line {line or LINE[old]}: ")
    assert named in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("new", "named"),
    [
        ("design: {name: geometric}", "epsilon is None, alpha is None"),
        ("design: {name: geometrical}", "'geometrical'"),
        ("design: {name: geometric, x: 1}", "'x'"),
        ("design: {name: uniform, lower: 0, upper: 3}", "'lower'"),
    ],
)
def test_a_mistake_in_the_design_has_its_line(tmp_path: Path, new: str, named: str) -> None:
    path = tmp_path / "release.yaml"
    path.write_text(FILE.replace("design: {name: geometric, epsilon: 0.5}", new))
    with pytest.raises(SpecError) as raised:
        run(path, tmp_path / "out")
    assert str(raised.value).startswith(f"{path}, line 18: design: ")
    assert named in str(raised.value)


@pytest.mark.parametrize(
    ("fixed", "named"),
    [
        ("[{count: 3}, {where: {town: x}, count: 3}]", "fixed.item 2: 'town' (town: x)"),
        ("[{count: 3}, {count: 4}]", "fixed.item 2: fixed gives 3 for everyone and 4 for everyone"),
        ("[{count: 3}, {where: {sex: f}, count: 4}]", "fixed.item 1: fixed gives 3 for everyone, and 4 for sex"),
    ],
)
def test_a_mistake_in_a_fixed_count_has_its_line(tmp_path: Path, fixed: str, named: str) -> None:
    assert f"FILE, line 24: {named}" in refused(tmp_path, FILE + f"fixed: {fixed}\n")


@pytest.mark.parametrize(
    "source",
    [{"csv": "x.csv"}, {"csv": "x.csv", "header": False, "delimiter": ";"}, {"duckdb": "x.db", "table": "main.t"}],
)
def test_a_specification_that_is_written_can_be_read_again(source: dict[str, Any]) -> None:
    spec = ReleaseSpec.model_validate(changed(source=source))
    assert spec.model_dump()["source"] == source
    assert ReleaseSpec.model_validate(spec.model_dump()) == spec
    assert ReleaseSpec.model_validate_json(spec.model_dump_json()) == spec


def test_every_field_is_described() -> None:
    schema = ReleaseSpec.model_json_schema()
    parts = [schema, *schema["$defs"].values()]
    assert [name for part in parts for name, field in part["properties"].items() if not field.get("description")] == []


def test_several_mistakes_are_told_at_once(tmp_path: Path) -> None:
    text = FILE.replace("version: v1\n", "").replace("outputs: [csv]", "outputs: [csv]\nbudgt: 1")
    assert refused(tmp_path, text).splitlines() == [
        "FILE, line 1: version: this is missing; add it",
        "FILE, line 23: budgt: there is no such field; did you mean budget? If not, leave it out",
    ]


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("budget:", "budgett:", "budgett: there is no such field; did you mean budget?"),
        ("    categories: [f, m]", "    categoris: [f, m]", "dimensions.sex.categoris: .* did you mean categories?"),
        ("    margins: all", "    margin: all", "tables.people.margin: .* did you mean margins?"),
        (
            "  epsilon: 5",
            "  eps: 5",
            "budget.eps: there is no such field; leave it out, or give one of: epsilon, delta",
        ),
        ("{file: secret.key}", "{files: secret.key}", "secret.files: .* did you mean file?"),
        ("{csv: people.csv}", "{csv: people.csv, delimeter: x}", "no field delimeter; .* did you mean 'delimiter'?"),
        ("[sex, age]", "[Sex, age]", "'Sex', which is not declared; .* did you mean 'sex'?"),
        ("[sex, age]", "[{dimension: sex, level: al}, age]", "no level 'al'; .* did you mean 'all'?"),
        ("      sex: [f]", "      sexx: [f]", "on 'sexx', which is no dimension; .* did you mean 'sex'?"),
        ("      sex: [f]", "      sex: [bothh]", "names 'bothh', .* did you mean 'both'?"),
        ("    margins: all", "    margins: [[aeg, age], [agee]]", "over 'aeg', which is none of its dimensions"),
        ("    margins: all", "    margins: [[agee]]", "over 'agee', .* did you mean 'age'?"),
        ("geometric", "geometrik", "the design is 'geometrik'; .* did you mean 'geometric'?"),
        ("epsilon: 0.5}", "epsilom: 0.5}", "no parameter 'epsilom'; .* did you mean 'epsilon'?"),
        ("outputs: [csv]", "measure: [{table: peopel}]", "'peopel', .* did you mean 'people'?"),
        ("outputs: [csv]", "measure: [{tabel: people}]", "measure.item 1.tabel: .* did you mean table?"),
        (
            "outputs: [csv]",
            "measure: plan\naccuracy: {within: [{plusminus: 3}]}",
            "plusminus: .* did you mean plus_minus?",
        ),
        ("outputs: [csv]", "metadata: {descripton: x}", "metadata.descripton: .* did you mean description?"),
        ("outputs: [csv]", "metadata: {dimensions: {sex: {lable: x}}}", "sex.lable: .* did you mean label?"),
        ("outputs: [csv]", "metadata: {tables: {peple: x}}", "'peple' is no table; .* did you mean 'people'?"),
        ("outputs: [csv]", "fixed: [{were: {}, count: 3}]", "fixed.item 1.were: .* did you mean where?"),
        ("outputs: [csv]", "fixed: [{where: {agee: young}, count: 3}]", "'agee' .* did you mean 'age'?"),
    ],
)
def test_a_name_that_does_not_exist_is_told_with_the_nearest_one(
    tmp_path: Path, old: str, new: str, named: str
) -> None:
    assert FILE.count(old) == 1, "the mistake is made in one place"
    path = tmp_path / "release.yaml"
    path.write_text(FILE.replace(old, new))
    with pytest.raises(SpecError, match=named.replace("?", "[?]")):
        plan(path)


def test_a_level_and_the_leaves_in_none_of_its_groups() -> None:
    dimension = Dimension(column="c", categories=["a", "b", "c"], levels={"l": {"ab": ["a", "b"]}, "m": {"g": ["c"]}})
    book = resolve("d", dimension)
    assert book.in_no_group("l") == ["c"]
    assert book.in_no_group("m") == ["a", "b"]
    assert book.in_no_group("") == []
    whole = Dimension(
        column="c", categories=["a", "b"], levels={"l": {"ab": ["a", "b"]}, "o": {"x": ["a", "b", "_other"]}}
    )
    assert resolve("d", whole).in_no_group("l") == [], "_other is not declared"
    assert resolve("d", whole).in_no_group("o") == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (FILE + "budget: {epsilon: 9}\n", "FILE, line 24: budget is also given in line 19"),
        (
            FILE.replace("both: [f, m]", 'both: [f, m]\n        1: [f]\n        "1": [m]'),
            "FILE, line 12: 1 is also given in line 11",
        ),
        ("a: " + "[" * 5000 + "]" * 5000, "FILE is nested too deep"),
        ("a: !!int x\n", "FILE, line 1: this is not YAML (a value is not of its type, int"),
        ("a: !!python/object:os.system x\n", "FILE, line 1: this is not YAML"),
        ("a: \x07\n", "FILE: this is not YAML"),
        ("", "FILE is not a specification"),
    ],
)
def test_a_file_that_is_no_document_is_refused(tmp_path: Path, text: str, named: str) -> None:
    assert named in refused(tmp_path, text)


def test_a_merged_key_may_be_overridden(tmp_path: Path) -> None:
    text = FILE.replace("  age: {", "  gender:\n    <<: &sex {column: g, categories: [x]}\n    column: h\n  age: {")
    (tmp_path / "release.yaml").write_text(text)
    gender = load(tmp_path / "release.yaml").dimensions["gender"]
    assert (gender.column, gender.categories) == ("h", ["x"])


def test_texts_stay_as_they_are_in_the_file(tmp_path: Path) -> None:
    text = FILE.replace("version: v1", "version: 2026-01-01\ntitle: 2026-02-31")
    text = text.replace("[f, m]\n    levels", "[f, m, 2026-01-02, 007, 12:30, no, 1_000, 3, 1.5, true, =]\n    levels")
    text = text.replace("sex: [f]", "sex: [2026-01-02, 007]")
    (tmp_path / "release.yaml").write_text(text)
    loaded = load(tmp_path / "release.yaml")
    assert (loaded.version, loaded.title) == ("2026-01-01", "2026-02-31")
    raw_values = ["f", "m", "2026-01-02", "007", "12:30", "no", "1_000", "3", "1.5", "true", "="]
    assert loaded.dimensions["sex"].categories == raw_values
    assert loaded.tables[0].filter == {"sex": ["2026-01-02", "007"]}


def test_dates_of_a_dict_are_texts() -> None:
    day = datetime.date(2026, 1, 1)
    document = changed(version=day, title=day)
    document["dimensions"]["sex"] = {"column": "sex", "categories": ["f", day], "levels": {"l": {"g": day}}}
    document["tables"][0]["filter"] = {"sex": day}
    loaded = load(document)
    assert loaded.version == loaded.title == "2026-01-01"
    assert loaded.dimensions["sex"].categories == ["f", "2026-01-01"]
    assert loaded.dimensions["sex"].levels == {"l": {"g": ["2026-01-01"]}}
    assert loaded.tables[0].filter == {"sex": ["2026-01-01"]}


def test_one_leaf_of_a_group_may_stand_alone() -> None:
    document = spec()
    document["dimensions"]["sex"]["levels"] = {"l": {"g": "f"}}
    assert load(document).dimensions["sex"].levels == {"l": {"g": ["f"]}}


def test_names_that_are_the_same_as_text_are_refused() -> None:
    document = spec()
    document["dimensions"]["sex"] = {"column": "sex", "categories": {"f": "f", 1: "a", "1": "b"}}
    with pytest.raises(SpecError, match=r"dimensions\.sex\.categories: two names"):
        load(document)


@pytest.mark.parametrize("name", ["count", "grouping", "measurement", "Count"])
def test_a_dimension_cannot_have_the_name_of_a_column_of_the_files(name: str) -> None:
    document = spec()
    document["dimensions"][name] = {"column": "x", "categories": ["a"]}
    with pytest.raises(SpecError, match=f"dimensions.{name}: the dimension {name}"):
        load(document)


def test_two_tables_cannot_have_the_same_name() -> None:
    table = {"dimensions": ["sex"]}
    with pytest.raises(SpecError, match=r"tables\.People\.name: two tables"):
        load(changed(tables=[{"name": "people", **table}, {"name": "People", **table}]))


def test_record_keys_have_no_unit() -> None:
    keys = changed(key="contributors", budget=None, record_keys=["k"])
    with pytest.raises(SpecError, match="unit: record keys came with the data"):
        load(keys)
    assert load(keys | {"unit": {}}).record_keys == ["k"]
    with pytest.raises(SpecError, match="record_keys: give at least 1"):
        load(keys | {"record_keys": [], "unit": {}})


def test_a_fixed_count_is_not_called_a_filter() -> None:
    with pytest.raises(SpecError, match="fixed, on 'sex' names 'x'"):
        load(changed(fixed=[{"where": {"sex": "x"}, "count": 1}]))


def test_categories_from_the_data_are_taken_as_they_are() -> None:
    values = ["a", "_other", "_total", "x" * 5000, "nul\0"]
    dimension = Dimension(column="d", from_data=True).with_categories(values)
    assert dimension.categories == ["a", "x" * 5000]
    assert resolve("d", dimension).leaves == ("a", "x" * 5000, "_other")
    document = copy.deepcopy(spec())
    document["dimensions"]["sex"] = json.loads(dimension.model_dump_json())  # as a manifest holds it
    document["tables"][0]["filter"] = {}
    assert ReleaseSpec.model_validate(document).dimensions["sex"] == dimension


def test_the_command_exits_with_2_and_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    result = CliRunner().invoke(
        discreet.cli.app, ["release", str(tmp_path / "release.yaml"), "-o", str(tmp_path / "out")]
    )
    assert result.exit_code == 0


GEOMETRIC = {"name": "geometric", "epsilon": "0.5"}
SMALL: dict[str, Any] = {
    "version": "v1",
    "source": {"csv": "people.csv"},
    "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
    "tables": [{"name": "t", "dimensions": ["sex"]}],
    "budget": {"epsilon": 1, "delta": "1e-6"},
    "secret": {"env": "SECRET", "memory": "secret.memory"},
}


@pytest.mark.parametrize("line_end", ["\r", "\n", "\x85", "\u2028"])
def test_labels_have_one_line(line_end: str) -> None:
    """Labels stand in files, reports and messages. A raw value with a line end can be given a label."""
    label = f"a{line_end}b"
    for change in (
        {"title": label},
        {"dimensions": {label: {"column": "sex", "categories": ["f"]}}},
        {"dimensions": {"sex": {"column": "sex", "categories": [label]}}},
        {"dimensions": {"sex": {"column": "sex", "categories": {label: "f"}}}},
        {"dimensions": {"sex": {"column": "sex", "ranges": {label: [0, 1]}}}},
        {"dimensions": {"sex": {"column": "sex", "categories": ["f"], "levels": {label: {"all": ["f"]}}}}},
        {"dimensions": {"sex": {"column": "sex", "categories": ["f"], "levels": {"all": {label: ["f"]}}}}},
    ):
        with pytest.raises(SpecError, match=re.escape(repr(label))):
            load({**SMALL, **change})
    assert load({**SMALL, "title": "Villes\u00a0: 2026"}).title == "Villes\u00a0: 2026"
    assert Dimension(column="d", from_data=True).with_categories([label, "c"]).categories == ["c"]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_design_has_finite_numbers(number: float) -> None:
    """This holds even for a parameter that other parameters make idle."""
    with pytest.raises(SpecError, match="design: "):
        load({**SMALL, "design": {"name": "geometric", "epsilon": "0.5", "upper": 10, "tail": number}})


def test_a_dimension_that_no_table_uses_decides_nothing() -> None:
    idle = {"column": "county", "from_data": True, "categories": ["a"]}
    with pytest.raises(SpecError, match="give a budget"):
        load({**SMALL, "budget": None, "design": GEOMETRIC, "dimensions": {**SMALL["dimensions"], "county": idle}})
    load({**SMALL, "ledger": "x", "dimensions": {**SMALL["dimensions"], "county": idle}})


def test_looking_for_characters_that_files_cannot_hold_keeps_no_texts() -> None:
    names = [f"category {number}" for number in range(20_000)]
    tracemalloc.start()
    spec_errors.refuse_unwritable_text({"dimensions": {"a": {"column": "a", "categories": names}}})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 * len(names)
