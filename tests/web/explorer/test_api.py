"""The API of the explorer, against the published folders."""

import csv
import io
import json
import re
import zipfile
from itertools import product
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from discreet.web.explorer.application import explorer
from discreet.web.explorer.catalogue import Catalogue
from tests.infer.any_table.releases import AREAS, rows
from tests.web.explorer.shown import Reader

PLAIN = "plain-2026"


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def sorted_rows(table: list[dict[str, str]]) -> list[list[tuple[str, str]]]:
    return sorted(sorted(row.items()) for row in table)


def test_every_published_table_can_be_downloaded_as_it_is_published(reader: Reader) -> None:
    for release in reader.catalogue.releases.values():
        for entry in reader.get(f"/api/releases/{release.name}").json()["tables"]:
            answer = reader.get(f"/api/releases/{release.name}/table.csv?{entry['query']}")
            shown = records(answer.text)
            published = rows(release.opened.path / f"{entry['table']}.intervals.csv")
            by_labels = {tuple(row.items())[:-3]: row for row in published}
            assert shown
            for row in shown:
                key = tuple((name, row[name]) for name in entry["dimensions"])
                if key in by_labels:
                    assert {name: row[name] for name in by_labels[key]} == by_labels[key]
                else:
                    assert "_total" in row.values()
            assert sum("_total" not in row.values() for row in shown) == entry["cells"]


def test_a_document_has_the_numbers_of_its_download(reader: Reader) -> None:
    asked: dict[str, Any] = {
        "rows": ["area"],
        "columns": ["age", "sex"],
        "level": "area=region",
        "keep": ["age=young", "age=old"],
    }
    document = reader.get(f"/api/releases/{PLAIN}/table", **asked).json()
    table = records(reader.get(f"/api/releases/{PLAIN}/table.csv", **asked).text)
    assert [axis["dimension"] for axis in document["columns"]] == ["age", "sex"]
    names = [[entry["label"] for entry in axis["categories"]] for axis in (*document["rows"], *document["columns"])]
    labels = list(product(*names))
    cells = document["blocks"]["cells"]
    assert len(labels) == len(cells["count"])
    assert {row.pop("only age") for row in table} == {"young + old"}
    by_labels = {(row["area"], row["age"], row["sex"]): row for row in table}
    for label, count, low, high in zip(labels, cells["count"], cells["low"], cells["high"], strict=True):
        assert by_labels[label] == {
            **dict(zip(("area", "age", "sex"), label, strict=True)),
            "count": str(count),
            "low": str(low),
            "high": str(high),
        }
    total = document["blocks"]["total"]
    assert by_labels["_total", "_total", "_total"]["count"] == str(total["count"][0])
    assert sum(cells["count"]) == total["count"][0]
    assert set(document["blocks"]) == {"cells", "row_totals", "column_totals", "total"}


def test_all_formats_have_the_same_numbers(reader: Reader) -> None:
    asked: dict[str, Any] = {"rows": "area", "columns": "sex", "level": "area=region"}
    counts = [int(row["count"]) for row in records(reader.get(f"/api/releases/{PLAIN}/table.csv", **asked).text)]
    parquet = pq.read_table(io.BytesIO(reader.get(f"/api/releases/{PLAIN}/table.parquet", **asked).content))
    assert parquet["count"].to_pylist() == counts
    cube = json.loads(reader.get(f"/api/releases/{PLAIN}/table.json", **asked).content)
    assert sorted(cube["value"][::3]) == sorted(counts)
    book = zipfile.ZipFile(io.BytesIO(reader.get(f"/api/releases/{PLAIN}/table.xlsx", **asked).content))
    sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    values = [own.text for own in sheet.iter("{http://schemas.openxmlformats.org/spreadsheetml/2006/main}v")]
    assert set(map(str, counts)) <= set(values)


def test_a_change_has_its_interval(reader: Reader) -> None:
    asked: dict[str, Any] = {"rows": "age", "before": "plain-2025"}
    document = reader.get(f"/api/releases/{PLAIN}/table", **asked).json()
    earlier = reader.get("/api/releases/plain-2025/table", rows="age").json()
    own = document["changes"]["cells"]
    pairs = zip(document["blocks"]["cells"]["count"], earlier["blocks"]["cells"]["count"], strict=True)
    assert own["change"] == [now - then for now, then in pairs]
    assert all(low <= change <= high for change, low, high in zip(own["change"], own["low"], own["high"], strict=True))


@pytest.mark.parametrize(
    ("path", "status", "kind", "named"),
    [
        ("nowhere/table", 404, "unknown", "nowhere"),
        (f"{PLAIN}/table?rows=town", 400, "invalid", "town"),
        (f"{PLAIN}/table?rows=area&level=area%3Dcounty", 400, "invalid", "county"),
        (f"{PLAIN}/table?rows=area&level=sex%3Dx", 400, "invalid", "sex"),
        (f"{PLAIN}/table?rows=area&rows=area", 400, "invalid", "area"),
        (f"{PLAIN}/table?rows=area&columns=area", 400, "invalid", "area"),
        (f"{PLAIN}/table?keep=area%3Dnowhere", 400, "invalid", "nowhere"),
        (f"{PLAIN}/table?keep=nonsense", 400, "invalid", "nonsense"),
        (f"{PLAIN}/table?rows=%F0%9F%92%A9%00%0A%E2%80%AE", 400, "invalid", "dimension"),
        (f"{PLAIN}/table?rows=%FF%FE", 400, "invalid", "dimension"),
        (f"{PLAIN}/table?before=nowhere", 404, "unknown", "nowhere"),
        (f"{PLAIN}/table?before={PLAIN}", 422, "incomparable", PLAIN),
        (f"{PLAIN}/table?before=a-filter-2023", 422, "incomparable", "a-filter-2023"),
        ("plain-2025/table?before=plain-2026", 422, "incomparable", "2026"),
        ("levels-2024/table?rows=area&columns=age", 422, "unpublished", "area"),
        (f"{PLAIN}/table?rows=" + "x" * 501, 422, "invalid", "rows"),
        (f"{PLAIN}/table?" + "&".join(["rows=area"] * 31), 422, "invalid", "rows"),
        (f"{PLAIN}/chart.svg?kind=pie", 422, "invalid", "kind"),
        (f"{PLAIN}/chart.svg?kind=pyramid&rows=area", 400, "invalid", ""),
        (f"{PLAIN}/table.exe?rows=area", 422, "invalid", "ending"),
        (f"{PLAIN}/chart.svg?rows=area&columns=age&columns=sex&kind=pyramid", 400, "invalid", ""),
    ],
)
def test_a_mistake_is_named_and_no_failure_of_the_server(
    path: str, status: int, kind: str, named: str, reader: Reader
) -> None:
    answer = reader.get(f"/api/releases/{path}")
    assert (answer.status_code, answer.json()["kind"]) == (status, kind)
    assert named in answer.json()["error"]


def test_a_table_that_is_not_published_is_refused_with_tables_that_can_be_shown(reader: Reader) -> None:
    refused = reader.get("/api/releases/levels-2024/table", rows="area", columns="age").json()
    assert refused["nearest"]
    for query in refused["nearest"]:
        assert reader.get(f"/api/releases/levels-2024/table?{query}").status_code == 200


def test_a_table_that_is_too_large_is_refused_with_its_size(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.infer.any_table.answered_table.answer.__defaults__", (100,))
    small = Reader(Catalogue(reader.catalogue.releases))
    answer = small.get(f"/api/releases/{PLAIN}/table", rows=["area", "age"], columns="sex")
    assert (answer.status_code, answer.json()["kind"], answer.json()["cells"]) == (422, "too_large", 120)


def test_charts_show_every_number(reader: Reader) -> None:
    charts: list[tuple[str, dict[str, Any]]] = [
        ("bars", {"rows": "age", "columns": "sex"}),
        ("pyramid", {"rows": "age", "columns": "sex"}),
        ("change", {"rows": "age", "before": "plain-2025"}),
    ]
    for kind, asked in charts:
        answer = reader.get(f"/api/releases/{PLAIN}/chart.svg", kind=kind, **asked)
        picture = ElementTree.fromstring(answer.text)
        bars = picture.findall(".//{http://www.w3.org/2000/svg}rect")
        legend = 0 if kind == "change" else {"bars": 3, "pyramid": 2}[kind]
        assert len(bars) == legend + 4 * max(legend, 1)
        if kind != "pyramid":
            document = reader.get(f"/api/releases/{PLAIN}/table", **asked).json()
            block = document["changes"] if kind == "change" else document["blocks"]
            numbers = block["cells"]["change" if kind == "change" else "count"]
            texts = "".join(picture.itertext()).replace("\u2212", "-").replace(",", "")
            assert all(re.search(rf"(?<!\d){number}(?!\d)", texts) for number in numbers)


def test_a_release_is_described_with_what_can_be_shown(reader: Reader) -> None:
    assert [own["release"] for own in reader.get("/api/releases").json()] == [
        "plain-2026",
        "plain-2025",
        "levels-2024",
        "a-filter-2023",
    ]
    document = reader.get(f"/api/releases/{PLAIN}").json()
    assert document["guarantee"]["delta"] <= 1e-6
    assert document["guarantee"]["unit"] == "one row"
    levels = {own["dimension"]: [level["level"] for level in own["levels"]] for own in document["dimensions"]}
    assert levels == {"area": [None, "region"], "age": [None, "legal"], "sex": [None]}
    assert "plain-2025" in document["comparable"]
    hidden = reader.get("/api/releases/a-filter-2023").json()
    assert "age" not in {own["dimension"] for own in hidden["dimensions"]}  # known for some people only


def test_words_of_a_publisher_are_data_in_every_answer(reader: Reader) -> None:
    document = reader.get("/api/releases/a-filter-2023/table", rows="sex").json()
    assert document["rows"][0]["name"] == "Sex & <b>gender</b>"
    picture = reader.get("/api/releases/a-filter-2023/chart.svg", rows="sex").text
    assert "<b>" not in picture
    assert ElementTree.fromstring(picture) is not None


def test_lines_of_python_and_r_name_the_address_of_the_table(reader: Reader) -> None:
    document = reader.get(f"/api/releases/{PLAIN}/table", rows="area", keep=f"area={AREAS[0]}").json()
    for line in document["read"].values():
        address = re.search(r'"(http://localhost/api/[^"]+)"', line)
        assert address is not None
        table = records(reader.get(address[1].removeprefix("http://localhost")).text)
        assert [row["area"] for row in table] == [AREAS[0], "_total"]


CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
ANY_REQUEST = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


def test_the_api_keeps_to_its_description_for_any_request(reader: Reader) -> None:
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", explorer(reader.catalogue, hosts=None))
    operations: list[Any] = [operation.ok() for operation in schema.get_all_operations()]  # type: ignore[union-attr]
    assert len(operations) == 5

    for operation in operations:

        @ANY_REQUEST
        @given(
            case=operation.as_strategy(),
            name=st.sampled_from([*reader.catalogue.releases, None]),
            asked=st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=6),
        )
        def requested(case: Any, name: str | None, asked: list[tuple[str, str]]) -> None:
            if name is not None and case.path_parameters:
                case.path_parameters["name"] = name
                for parameter, value in asked:
                    case.query.setdefault(parameter, []).append(value)
            response = case.call()
            assert response.status_code < 500
            case.validate_response(response, checks=CHECKS)

        requested()


NAMES = ["rows", "columns", "level", "keep"]
VALUES = [
    "area", "age", "sex", "area=region", "area=south", "age=legal", "age=adult", "sex=f, female", "=", "", "\U0001f4a9",
    "area=", "\u202e", "age=_other", "age=_total", "sex=m", "a" * 500,
]  # fmt: skip
"""Names and labels of the releases, and odd ones."""


@ANY_REQUEST
@given(
    asked=st.lists(
        st.tuples(
            st.sampled_from([*NAMES, "before", "chart", "do", "lang"]),
            st.sampled_from([*VALUES, "rows:age", "pivot", "bars", "de"]),
        ),
        max_size=8,
    )
)
def test_no_page_fails(reader: Reader, asked: list[tuple[str, str]]) -> None:
    answer = reader.get("/releases/plain-2026?" + urlencode(asked))
    assert answer.status_code in (200, 303, 400, 404, 422)
