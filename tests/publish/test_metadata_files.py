"""What readers and their programs are told: README.md, CSV on the Web, JSON-stat, SDMX-CSV."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from discreet.certify import folder as second_checker
from discreet.errors import CertificateError, SpecError
from discreet.publish.metadata_files import column_name
from discreet.publish.sdmx_csv import dimension_ids
from discreet.publish.verify_folder import verify_folder
from tests.publish.changed import Copy, changed, field, release

METADATA: dict[str, Any] = {
    "title": {"en": "People", "de": "Menschen"},
    "description": {"en": "Counts of people.", "de": "Zahl der Menschen."},
    "contact": "statistics@town.example",
    "licence": "CC-BY-4.0",
    "agency": "TOWN",
    "notes": ["Nobody lives here.", {"de": "Zweitens.", "en": "Second."}],
    "tables": {"t": {"en": "Places and sexes", "de": "Orte und Geschlechter"}},
    "dimensions": {
        "place": {"label": "Place", "categories": {"a": "Ash", "_other": "elsewhere", "_total": "all"}},
        "sex": {
            "label": {"en": "Sex", "de": "Geschlecht"},
            "categories": {"f": {"en": "female", "de": "weiblich"}},
            "codes": {"f": "F", "m": "M"},
        },
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outputs = ["csv", "parquet", "json-stat", "sdmx-csv"]
    return release(tmp_path_factory.mktemp("metadata"), metadata=METADATA, outputs=outputs, language="de")


def rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_a_folder_with_metadata_verifies_in_both_checkers(folder: Path) -> None:
    verified = verify_folder(folder)
    assert (verified.other_software, verified.by_content) == (None, ())
    assert second_checker.check(folder).failures == []


def test_json_stat_has_source_notes_and_labels_in_the_language_of_the_release(folder: Path) -> None:
    document = json.loads((folder / "t.json").read_bytes())
    assert document["label"] == "Orte und Geschlechter"
    assert document["source"] == "Menschen (1)"
    assert document["note"][:3] == ["Zahl der Menschen.", "Nobody lives here.", "Zweitens."]
    assert document["extension"] == {"contact": "statistics@town.example", "licence": "CC-BY-4.0"}
    assert document["id"] == ["place", "sex", "measure"]
    assert document["role"] == {"metric": ["measure"]}
    assert document["dimension"]["measure"]["category"]["index"] == ["count", "low", "high"]
    assert document["dimension"]["place"]["category"]["label"]["a"] == "Ash"
    assert document["dimension"]["place"]["category"]["label"]["_other"] == "elsewhere"
    sexes = document["dimension"]["sex"]
    assert sexes["label"] == "Geschlecht"
    assert sexes["category"]["label"] == {
        "f": "weiblich", "m": "m", "_other": "Sonstige oder ohne Angabe", "_total": "Insgesamt",
    }  # fmt: skip


def test_json_stat_has_the_numbers_of_the_csv_file(folder: Path) -> None:
    document = json.loads((folder / "t.json").read_bytes())
    sides = [document["dimension"][name]["category"]["index"] for name in document["id"]]
    for place, sex, *numbers in rows(folder / "t.intervals.csv")[1:]:
        start = (sides[0].index(place) * len(sides[1]) + sides[1].index(sex)) * 3
        assert [str(number) for number in document["value"][start : start + 3]] == numbers


def test_csv_on_the_web_describes_every_column_of_the_csv_file(folder: Path) -> None:
    document = json.loads((folder / "t.csv-metadata.json").read_bytes())
    assert document["@context"] == ["http://www.w3.org/ns/csvw", {"@language": "de"}]
    assert document["url"] == "t.csv"
    columns = document["tableSchema"]["columns"]
    head = rows(folder / "t.csv")[0]
    for column, name in zip(columns, head, strict=True):
        titles = column["titles"]
        assert name in ([titles] if isinstance(titles, str) else titles["de"])
    assert columns[1]["titles"] == {"de": ["sex", "Geschlecht"], "en": ["Sex"]}
    assert columns[1]["skos:hasTopConcept"][0] == {
        "rdf:value": "f",
        "skos:notation": "F",
        "skos:prefLabel": [{"@value": "female", "@language": "en"}, {"@value": "weiblich", "@language": "de"}],
    }
    assert document["tableSchema"]["primaryKey"] == ["place", "sex"]
    assert document["dc:license"] == "CC-BY-4.0"
    assert document["dcat:contactPoint"] == {"vcard:fn": "statistics@town.example"}


@pytest.mark.parametrize("name", ["age", "_age", "age group", "Größe", "a-b~c", "100%", "a.b"])
def test_names_of_columns_are_names_that_csv_on_the_web_allows(name: str) -> None:
    assert re.fullmatch(r"([A-Za-z0-9]|%[0-9A-F]{2})([A-Za-z0-9_.]|%[0-9A-F]{2})*", column_name(name))


def test_sdmx_csv_has_codes_and_the_numbers_of_the_csv_file(folder: Path) -> None:
    head, *coded = rows(folder / "t.sdmx.csv")
    plain = rows(folder / "t.intervals.csv")[1:]
    assert head == ["STRUCTURE", "STRUCTURE_ID", "ACTION", "PLACE", "SEX", "OBS_VALUE", "OBS_LOW", "OBS_HIGH"]
    codes = {"f": "F", "m": "M", "_other": "_O", "_total": "_T"}
    assert coded == [
        ["dataflow", "TOWN:t(1.0.0)", "I", codes.get(place, place), codes[sex], *numbers]
        for place, sex, *numbers in plain
    ]


def test_ids_of_dimensions_are_ids_of_sdmx_and_all_different() -> None:
    ids = dimension_ids(["age group", "age-group", "age_group", "Größe", "9 lives", "obs_value", "_x"])
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch("[A-Z][A-Z0-9_-]*", name) for name in ids)
    assert ids[0] == "AGE_GROUP"


def test_categories_that_are_no_ids_have_codes_by_number(tmp_path: Path) -> None:
    dimensions = {"age": {"column": "place", "categories": {"65+": ["a"], "C1": ["b"], "0-15": ["c"]}}}
    tables = [{"name": "t", "dimensions": ["age"], "margins": "all"}]
    folder = release(tmp_path, dimensions=dimensions, tables=tables, outputs=["sdmx-csv"])
    assert [row[3] for row in rows(folder / "t.sdmx.csv")[1:]] == ["C1", "C1_2", "0-15", "_O", "_T"]
    assert second_checker.check(folder).failures == []
    verify_folder(folder)


def test_the_readme_has_the_metadata_and_every_file(folder: Path) -> None:
    text = (folder / "README.md").read_text("utf-8")
    assert text.startswith("# Menschen\n")
    for part in ("Zahl der Menschen.", "statistics@town.example", "CC-BY-4.0", "Zweitens.", "Orte und Geschlechter"):
        assert part in text
    linked = set(re.findall(r"\]\(([^)]+)\)", text))
    assert linked == {path.name for path in folder.iterdir()} - {"README.md"}


def test_no_metadata_is_markup(tmp_path: Path) -> None:
    metadata = {"description": "<script>x</script>", "contact": "[a](javascript:b)", "notes": ["<b>&"]}
    folder = release(tmp_path, title="*a* <i>", metadata=metadata)
    page, text = ((folder / name).read_text("utf-8") for name in ("report.html", "README.md"))
    assert "<script" not in page
    assert "javascript" not in re.findall('href="([^"]*)"', page)
    assert "\\<script\\>" in text
    assert "\\[a\\](javascript:b)" in text


@pytest.mark.parametrize("name", ["README.md", "t.csv-metadata.json"])
def test_both_checkers_know_the_readme_and_the_metadata_of_csv_files(name: str, folder: Path, tmp_path: Path) -> None:
    def change(copy: Copy) -> None:
        (copy.folder / name).unlink()
        del copy.manifest["files"][name]

    path = changed(folder, tmp_path / "changed", change)
    with pytest.raises(CertificateError, match=re.escape(name)):
        verify_folder(path)
    assert any(name in line for line in second_checker.check(path).failures)


@pytest.mark.parametrize("name", ["README.md", "t.csv-metadata.json", "t.sdmx.csv", "t.json"])
def test_another_word_in_a_file_is_refused(name: str, folder: Path, tmp_path: Path) -> None:
    def change(copy: Copy) -> None:
        path = copy.folder / name
        path.write_text(path.read_text("utf-8").replace("t", "T", 1), "utf-8")

    with pytest.raises(CertificateError, match=re.escape(name)):
        verify_folder(changed(folder, tmp_path / "changed", change))


def test_the_second_checker_refuses_codes_that_are_not_one_to_one(folder: Path, tmp_path: Path) -> None:
    def change(copy: Copy) -> None:
        path = copy.folder / "t.sdmx.csv"
        path.write_text(path.read_text("utf-8").replace(",M,", ",F,", 1), "utf-8")

    failures = second_checker.check(changed(folder, tmp_path / "changed", change)).failures
    assert [line for line in failures if "t.sdmx.csv" in line]


def test_other_metadata_than_the_files_have_are_refused(folder: Path, tmp_path: Path) -> None:
    path = changed(folder, tmp_path / "changed", field("spec.metadata.licence", "CC0-1.0"))
    with pytest.raises(CertificateError, match="report"):
        verify_folder(path)


@pytest.mark.parametrize(
    ("metadata", "name"),
    [
        ({"tables": {"u": "x"}}, "u"),
        ({"dimensions": {"age": {"label": "x"}}}, "age"),
        ({"dimensions": {"sex": {"categories": {"female": "x"}}}}, "female"),
        ({"dimensions": {"sex": {"codes": {"x": "X"}}}}, "x"),
        ({"dimensions": {"sex": {"codes": {"_total": "X"}}}}, "_total"),
        ({"dimensions": {"sex": {"codes": {"f": "X", "m": "X"}}}}, "codes"),
        ({"dimensions": {"sex": {"codes": {"f": "a b"}}}}, "codes"),
        ({"title": {"English": "x"}}, "metadata.title"),
        ({"licence": "a\nb"}, "licence"),
    ],
)
def test_metadata_that_name_nothing_of_the_specification_are_refused(
    metadata: dict[str, Any], name: str, tmp_path: Path
) -> None:
    with pytest.raises(SpecError, match=name):
        release(tmp_path, metadata=metadata)


def test_words_for_a_dimension_that_no_table_uses_are_not_published(tmp_path: Path) -> None:
    tables = [{"name": "t", "dimensions": ["place"]}]
    folder = release(tmp_path, tables=tables, metadata={"dimensions": {"sex": {"label": "Unused"}}})
    assert verify_folder(folder).manifest.spec["metadata"]["dimensions"] == {}
    assert all(b"Unused" not in path.read_bytes() for path in folder.iterdir())


@pytest.mark.parametrize("name", ["low", "high", "measure", "Count"])
def test_a_dimension_may_not_have_the_name_of_a_column_of_the_files(name: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=name):
        release(
            tmp_path,
            dimensions={name: {"column": "sex", "categories": ["f", "m"]}},
            tables=[{"name": "t", "dimensions": [name]}],
        )


LEVEL: dict[str, Any] = {
    "dimensions": {
        "place": {"column": "place", "categories": ["a", "b", "c"], "levels": {"side": {"north": ["a"]}}},
        "sex": {"column": "sex", "categories": ["f", "m"]},
    },
    "tables": [{"name": "t", "dimensions": [{"dimension": "place", "level": "side"}, "sex"], "margins": "all"}],
}


def test_readers_see_the_level_of_a_dimension_and_what_its_other_group_holds(tmp_path: Path) -> None:
    folder = release(tmp_path, **LEVEL, outputs=["csv", "json-stat"])
    assert rows(folder / "t.csv")[0] == ["place", "sex", "count"], (
        "the heading is the dimension, as in measurements.csv"
    )
    also = "In place (side), `_other` also has b, c."
    readme = (folder / "README.md").read_text()
    assert "- t: place (side) × sex\n" in readme
    assert also in readme
    document = json.loads((folder / "t.json").read_bytes())
    assert document["dimension"]["place"]["label"] == "place (side)"
    assert document["note"][-1].endswith(also)
    columns = json.loads((folder / "t.csv-metadata.json").read_bytes())["tableSchema"]["columns"]
    assert columns[0]["titles"] == {"en": ["place", "place (side)"]}
    assert "(<bdi>b</bdi>, <bdi>c</bdi>)" in (folder / "report.html").read_text()
    assert verify_folder(folder).other_software is None
    assert second_checker.check(folder).failures == []


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_what_the_other_group_holds_is_said_in_every_language(language: str, tmp_path: Path) -> None:
    readme = (release(tmp_path, **LEVEL, language=language) / "README.md").read_text()
    assert re.search(r"place \(side\)[^.]* `_other` .* b, c\.", readme)
    assert "In place" not in readme
