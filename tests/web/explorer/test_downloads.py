"""Downloads of filtered tables: no file states the counts of some people as those of all."""

import csv
import io
import json
import zipfile
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest

from discreet.web.explorer.catalogue import open_catalogue
from discreet.web.explorer.downloads import filter_column
from tests.infer.any_table.releases import publish
from tests.web.explorer.shown import Reader

TABLE = "/api/releases/plain-2026/table"
FILTERED: dict[str, Any] = {"rows": "area", "level": "area=region", "keep": ["area=area 0", "area=area 7", "sex=m"]}


def csv_rows(reader: Reader, **asked: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(reader.get(f"{TABLE}.csv", **asked).text)))


def sheets(reader: Reader, **asked: Any) -> list[str]:
    book = zipfile.ZipFile(io.BytesIO(reader.get(f"{TABLE}.xlsx", **asked).content))
    texts = ElementTree.fromstring(book.read("xl/sharedStrings.xml"))
    return ["".join(own.itertext()) for own in texts]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_every_row_says_whom_the_filters_keep(ending: str, reader: Reader) -> None:
    if ending == "csv":
        table: list[dict[str, Any]] = list(csv_rows(reader, **FILTERED))
    else:
        table = pq.read_table(io.BytesIO(reader.get(f"{TABLE}.parquet", **FILTERED).content)).to_pylist()
    assert list(table[0]) == ["area", "only area", "sex", "count", "low", "high"]
    assert {(row["only area"], row["sex"]) for row in table} == {("area 0 + area 7", "m")}
    assert [row["area"] for row in table] == ["north", "south", "_total"]
    document = reader.get(TABLE, **FILTERED).json()["blocks"]
    counts = [*document["cells"]["count"], *document["total"]["count"]]
    assert [int(row["count"]) for row in table] == counts


def test_the_counts_of_a_filter_are_those_of_the_whole_table(reader: Reader) -> None:
    """A table by area and sex has the same people."""
    whole = {(row["area"], row["sex"]): int(row["count"]) for row in csv_rows(reader, rows=["area", "sex"])}
    filtered = csv_rows(reader, **FILTERED)
    expected = [whole["area 0", "m"], whole["area 7", "m"]]
    assert [int(row["count"]) for row in filtered] == [*expected, sum(expected)]


def test_a_table_without_a_filter_has_no_more_columns(reader: Reader) -> None:
    assert list(csv_rows(reader, rows="age")[0]) == ["age", "count", "low", "high"]


def test_a_workbook_says_whom_the_filters_keep_and_is_no_folder(reader: Reader) -> None:
    texts = sheets(reader, **FILTERED)
    assert {"only area", "area 0 + area 7", "sex", "m", "Only area: area 0, area 7; sex: m."} <= set(texts)
    assert not any("discreet verify" in text for text in texts)


def test_json_stat_says_whom_the_filters_keep(reader: Reader) -> None:
    document = json.loads(reader.get(f"{TABLE}.json", **FILTERED).text)
    assert document["note"][0] == "Only area: area 0, area 7; sex: m."
    assert document["id"] == ["area", "measure"]


@pytest.mark.parametrize("kind", ["bars", "change", "pyramid"])
def test_a_chart_says_whom_the_filters_keep(kind: str, reader: Reader) -> None:
    asked: dict[str, Any] = {"rows": "area", "columns": "age", "keep": ["age=young", "age=old", "sex=m"]}
    picture = reader.get("/api/releases/plain-2026/chart.svg", kind=kind, before="plain-2025", **asked).text
    [title] = [own.text for own in ElementTree.fromstring(picture) if own.tag.endswith("title")]
    assert "age: young, old; sex: m" in unescape(title or "")
    assert ("2025" in (title or "")) == (kind == "change")


def test_a_document_names_the_earlier_release(reader: Reader) -> None:
    document = reader.get(TABLE, rows="age", before="plain-2025").json()
    assert document["before_release"] == {"release": "plain-2025", "title": "Release", "version": "2025"}
    assert reader.get(TABLE, rows="age").json()["before_release"] is None


def test_no_answer_names_a_folder_of_the_server(tmp_path: Path) -> None:
    folders = [publish(tmp_path, version="2026"), publish(tmp_path, version="2025", unit={"id": "area"})]
    reader = Reader(open_catalogue([str(folder) for folder in folders]))
    answer = reader.get(TABLE, rows="age", before="plain-2025")
    assert answer.status_code == 422
    assert "plain-2025 counts" in answer.json()["error"]
    assert str(tmp_path) not in answer.text


def test_the_column_of_a_filter_has_the_name_of_no_dimension(reader: Reader) -> None:
    books = reader.catalogue.releases["plain-2026"].opened.books
    assert filter_column("age", books) == "only age"
    assert filter_column("age", books | {"only age": books["age"]}) == "only only age"
