"""The report of a release: its numbers follow from the integers, no label is markup, anyone can make it again."""

import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.certify.ptable import PTable
from discreet.errors import CertificateError
from discreet.plan.guarantee import composed_promise
from discreet.plan.noise_table import ReleaseNoise
from discreet.plan.release_plan import plan_with, resolve
from discreet.plan.spec import ReleaseSpec
from discreet.plan.touches import Touches
from discreet.publish.cell_intervals import own_intervals
from discreet.publish.folder import MANIFEST, REPORT, Published
from discreet.publish.manifest import digest
from discreet.publish.report import table_grid
from discreet.publish.report.distortion import distortion, noise, sizes
from discreet.publish.report.numbers import factor, one_in, percent
from discreet.publish.report.report_page import SECTIONS, report_html
from discreet.publish.verify_folder import verify_folder
from discreet.reconcile.table_plan import make_table_plan
from discreet.release import run
from tests import manifests

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=y>', "&amp;", "</title></style>", "x" * 200]

OTHER_TEXT = "Other or not stated"

SPEC: dict[str, Any] = {
    "title": "People",
    "version": "1",
    "source": {"csv": "people.csv"},
    "unit": {"id": "id"},
    "dimensions": {
        "sex": {"column": "sex", "categories": ["f", "m"]},
        "age": {"column": "age", "ranges": {"child": [0, 16], "adult": [16, None]}},
        "place": {
            "column": "place",
            "categories": [f"p{k}" for k in range(40)],
            "levels": {"side": {"north": [f"p{k}" for k in range(20)], "south": [f"p{k}" for k in range(20, 40)]}},
        },
    },
    "tables": [{"name": "people", "dimensions": ["sex", "age"], "margins": "all"}],
    "design": {"name": "geometric", "epsilon": "1/4", "support": 60},
    "budget": {"epsilon": 1, "delta": 1e-4},
    "key": "fresh",
}


def report_text(changes: dict[str, Any] | None = None, value: int = 7) -> str:
    """Return the report of a specification. Each measurement is `value`."""
    spec = ReleaseSpec.model_validate(SPEC | (changes or {}))
    design = dict(spec.design or {})
    ptable = getattr(discreet.design, design.pop("name"))(**design).certify(bits=spec.bits or 32)
    resolved = resolve(spec)
    noise = ReleaseNoise.of_one_table(resolved.layout, ptable)
    plan = plan_with(resolved, noise, None)
    plan = replace(plan, promise=composed_promise(spec, [ptable], plan.exposure))
    values = tuple(np.full(grouping.shape, value, dtype=np.int64) for grouping in plan.layout.groupings)
    table_plan = make_table_plan(plan)
    return report_html(Published(plan, table_plan, values, table_plan.fitted(values))).decode()


class Reader(HTMLParser):
    """Collects the elements of a page, checks their nesting, and collects the rows of tables without intervals."""

    EMPTY = ("meta",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open) and "small" not in self.open:
            self.tables[-1][-1][-1] += data


def table(text: str, first: str) -> list[list[str]]:
    """Return the table whose first heading is `first`."""
    return next(rows for rows in Reader(text).tables if rows[0][0] == first)


def test_the_report_is_one_file_that_loads_nothing_and_serves_screen_readers() -> None:
    text = report_text()
    tags = Reader(text).tags
    names = [tag for tag, _ in tags]
    assert not {"script", "link", "img", "iframe", "object", "form"} & set(names)
    assert not re.search(r"url\(|@import|src=|https?:", text)
    assert ("html", {"lang": "en"}) in tags
    assert names.count("h1") == 1
    assert names.count("svg") == 3
    assert names.count("desc") == 3
    assert all("scope" in attributes for tag, attributes in tags if tag == "th")
    assert names.count("caption") == names.count("table")
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in tags:
        assert set((attributes.get("aria-labelledby") or "").split()) <= set(ids)
    links = {attributes["href"] for tag, attributes in tags if tag == "a"}
    tables = {"people.csv", "people.intervals.csv", "people.csv-metadata.json", "people.intervals.csv-metadata.json"}
    files = {*tables, "certificate.json", "measurements.csv"}
    assert links == {f"#{name}" for name in (*SECTIONS, "table-people")} | files
    assert {link[1:] for link in links if link and link.startswith("#")} <= set(ids)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_label_is_markup(hostile: str) -> None:
    plain, hostile_text = (
        report_text(
            {
                "title": name,
                "version": name[:100],
                "dimensions": {
                    name: {
                        "column": name,
                        "categories": [name, "other"],
                        "levels": {name: {name: [name], "rest": ["other"]}},
                    },
                    "b": {"column": "b", "ranges": {name: [0, 1]}},
                },
                "tables": [
                    {"name": "t", "dimensions": [name, "b"], "margins": "all", "filter": {"b": [name]}},
                    {"name": "u", "dimensions": [{"dimension": name, "level": name}]},
                ],
            }
        )
        for name in ("plain", hostile)
    )
    assert [tag for tag, _ in Reader(hostile_text).tags] == [tag for tag, _ in Reader(plain).tags]
    assert "<script" not in hostile_text
    assert "onerror=y>" not in hostile_text


def test_the_same_input_gives_the_same_bytes_and_nothing_private_enters() -> None:
    first = report_text()
    private = {"source": {"parquet": "/secret/place"}, "key": "query", "secret": {"file": "/secret/key"}}
    assert report_text() == first
    assert "secret/place" not in report_text(private)
    assert "secret/key" not in report_text(private)
    assert report_text(private) == report_text(
        private | {"source": {"csv": "x"}, "secret": {"env": "Y"}, "ledger": "z"}
    )


def test_a_delta_is_not_broken_between_two_lines() -> None:
    rows = re.findall(r'<td class="text">([^<]*<span class="whole">[^<]*</span>|[^<]*)</td>', report_text())
    deltas = [row for row in rows if re.search("[0-9]e-[0-9]", row)]
    assert len(deltas) == 3
    assert all("whole" in row for row in deltas)


def test_the_guarantee_is_stated_in_words_and_symbols_and_never_understated() -> None:
    text = report_text()
    assert "Whether or not any one person took part" in text
    assert "a factor of at most 2.72, plus a chance of at most 1 in" in text  # e = 2.71828...
    rows = {row[0]: row[1] for row in table(text, "what")}
    spec = ReleaseSpec.model_validate(SPEC)
    ptable = discreet.design.geometric(epsilon="1/4", support=60).certify()
    promise = composed_promise(spec, [ptable], Touches(4, ((4,),)))
    assert promise is not None
    assert rows["epsilon (ε)"] == "1"
    assert promise.delta <= float(rows["delta (δ)"]) <= promise.delta * 1.001
    assert promise.floor <= float(rows["floor of delta"]) <= promise.floor * 1.001
    assert (rows["touches"], rows["contributions"], rows["unit"]) == ("4", "1", "one person")
    result = re.search(r"plus a chance of at most 1 in ([0-9,]+)\.", text)
    assert result is not None
    assert 1 / int(result[1].replace(",", "")) >= promise.delta


def test_a_row_is_not_called_a_person() -> None:
    text = report_text({"unit": {}})
    assert "Whether or not any one row was in the data" in text
    assert "protected for each row alone" in text


def test_contributor_keys_promise_nothing_together() -> None:
    keys = {"budget": None, "key": "contributors", "secret": {"env": "X"}}
    text = report_text(keys)
    assert "No guarantee is given for these tables as a whole" in text
    assert "do not add up" in text
    assert "Whether or not" not in text
    assert {"epsilon (ε)", "delta (δ)"}.isdisjoint(row[0] for row in table(text, "what"))
    hostile_text = report_text(keys | {"record_keys": ["k"], "unit": {}})
    assert "No guarantee is given.</strong>" in hostile_text
    assert "one count alone" not in hostile_text
    assert '<path class="curve"' not in hostile_text


def test_the_curve_is_never_below_the_recomputed_curve() -> None:
    from discreet.account import compose

    together = compose(discreet.design.geometric(epsilon="1/4", support=60).certify(), 4)
    rows = table(report_text(), "ε")[1:]
    assert len(rows) == 9
    for epsilon, delta in rows:
        below = together.delta(epsilon) if float(epsilon) < 1 else together.floor
        assert below * (1 - 1e-9) <= float(delta) <= together.delta(epsilon) * 1.001


def published_chances(ptable: PTable, count: int) -> dict[int, Fraction]:
    """Return the chance of each published count, computed from the integers."""
    chances: dict[int, Fraction] = {}
    row = ptable.table.row(count)
    for index, weight in enumerate(row.weights):
        published = max(0, row.first + index)
        chances[published] = chances.get(published, Fraction(0)) + Fraction(weight, 2**ptable.bits)
    return chances


@pytest.mark.parametrize("count", [0, 1, 5, 10, 1000])
@pytest.mark.parametrize(
    "ptable",
    [
        discreet.design.geometric(epsilon="1", support=30).certify(),
        discreet.design.maxent(support=5, variance=3).certify("1"),
        discreet.design.maxent(support=5, variance=3, small="sdc", js=2).certify("1"),
    ],
    ids=["geometric", "maxent", "small counts"],
)
def test_the_error_by_size_is_the_error_of_the_integers(ptable: PTable, count: int) -> None:
    result = distortion(ptable.table, count)
    published = published_chances(ptable, count)
    added = {z: Fraction(w, 2**ptable.bits) for z, w in noise(ptable.table, count)}
    assert sum(added.values()) == 1
    assert result.truth == published.get(count, 0)
    assert result.lean == sum(p * (y - count) for y, p in published.items())
    mean = sum(z * p for z, p in added.items())
    assert result.deviation == pytest.approx(math.sqrt(sum((z - mean) ** 2 * p for z, p in added.items())), rel=1e-12)
    assert result.coverage == sum(p for z, p in added.items() if abs(z) <= result.within) >= Fraction(95, 100)
    assert sum(p for z, p in added.items() if abs(z) < result.within) < Fraction(95, 100)


def test_geometric_noise_has_the_error_of_its_formula() -> None:
    alpha = math.exp(-1)
    result = distortion(discreet.design.geometric(epsilon="1").certify(bits=62).table, 0)
    assert float(result.truth) == pytest.approx(1 / (1 + alpha), rel=1e-9)  # a true 0 published as 0
    assert float(result.lean) == pytest.approx(alpha / (1 - alpha**2), rel=1e-9)
    assert result.deviation == pytest.approx(math.sqrt(2 * alpha) / (1 - alpha), rel=1e-9)
    assert result.within == 3  # 1 - 2 alpha^4/(1 + alpha) = 0.973; with 2 it is 0.927


def test_sizes_stay_in_the_domain() -> None:
    assert sizes(discreet.design.geometric(epsilon="1").certify().table) == [0, 5, 10, 50, 100, 1000]
    assert sizes(discreet.design.geometric(epsilon="1", upper=20).certify().table) == [0, 5, 10, 20]
    text = report_text({"design": {"name": "geometric", "epsilon": "1/4", "upper": 3}})
    assert "A true count above 3 is treated as if it were 3" in text
    assert [row[0] for row in table(text, "true count")] == ["true count", "0", "3"]


def test_a_table_shows_published_totals_only() -> None:
    rows = table(report_text({"reconcile": "none"}), "sex")
    assert rows[0] == ["sex", "child", "adult", "Other or not stated", "Total"]
    assert rows[1] == ["f", "7", "7", "7", "7"]
    assert rows[-1] == ["Total", "7", "7", "7", "7"]
    without = table(report_text({"reconcile": "none", "tables": [{"name": "t", "dimensions": ["sex", "age"]}]}), "sex")
    assert without[0] == ["sex", "child", "adult", "Other or not stated"]
    assert without[-1] == ["Other or not stated", "7", "7", "7"]
    two_margins = report_text(
        {"reconcile": "none", "tables": [{"name": "t", "dimensions": ["sex", "age"], "margins": [["sex"], ["age"]]}]}
    )
    assert table(two_margins, "sex")[-1] == ["Total", "7", "7", "7", "–"]


def test_a_table_shows_a_single_total_and_collapses_long_tables() -> None:
    assert table(report_text({"tables": [{"name": "all", "dimensions": []}]}), "count") == [["count"], ["7"]]
    tables = [{"name": "t", "dimensions": ["place", "sex", "age"], "margins": "all"}]
    long = report_text({"tables": tables, "budget": {"epsilon": 2, "delta": 1e-4}})
    assert "Show all 168 rows" in long  # (41 places and their total) x (3 sexes and their total)
    assert len(table(long, "place")) == 169
    assert table(long, "place")[-1][:2] == ["Total", "Total"]
    assert [tag for tag, _ in Reader(long).tags].count("details") == 1
    assert "<details" not in report_text()
    narrow = report_text({"tables": [{"name": "t", "dimensions": ["sex", "place"]}]})
    assert table(narrow, "place")[0] == ["place", "f", "m", "Other or not stated"]
    level = report_text({"tables": [{"name": "t", "dimensions": [{"dimension": "place", "level": "side"}]}]})
    assert [row[0] for row in table(level, "place (side)")] == ["place (side)", "north", "south", OTHER_TEXT]


def test_every_count_has_its_interval_below_it() -> None:
    text = report_text({"reconcile": "none"})
    own = own_intervals(discreet.design.geometric(epsilon="1/4", support=60).certify().table, [np.array([7])])[0]
    assert text.count(f"<td>7<small>{own.low[0]}–{own.high[0]}</small></td>") == 16


def test_a_fixed_count_stands_without_an_interval() -> None:
    text = report_text({"fixed": [{"where": {}, "count": 63}]})
    assert text.count("<td>63</td>") == 2  # in its table, and in the list of fixed counts
    assert "A count that is public from elsewhere stands without an interval." in text


def test_an_interval_without_an_end_is_shown_as_a_lower_bound() -> None:
    text = report_text({"design": {"name": "geometric", "epsilon": "1/4", "upper": 3}}, value=3)
    assert "<td>3<small>≥\u00a0" in text


def test_a_very_long_table_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_grid, "MOST_COUNTS", 100)
    text = report_text({"tables": [{"name": "t", "dimensions": ["place", "sex", "age"]}]})
    assert "The first 33 of 123 rows." in text


def test_measurements_below_zero_are_counted_once() -> None:
    assert "16 of the 16 measurements are below 0" in report_text(value=-3)  # 3 x 3 cells, 3 + 3 margins, the total
    assert "0 of the 16 measurements are below 0" in report_text(value=0)


def test_numbers_are_rounded_to_the_safe_side() -> None:
    assert (factor(Fraction(7389, 1000)), factor(Fraction(22026)), factor(Fraction(1))) == ("7.39", "22,100", "1")
    assert [one_in(chance) for chance in (1e-6, 0.019, 0.123)] == ["1 in 1 million", "1 in 52", "13%"]
    assert one_in(3.3e-9) == "1 in 300 million"
    assert (percent(Fraction(1)), percent(Fraction(9999, 10000)), percent(Fraction(1, 10**5))) == (
        "100%",
        "over 99.9%",
        "under 0.1%",
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people = "\n".join(f"{k},{'fm'[k % 2]},{k % 90},p{k % 7}" for k in range(500))
    (tmp_path / "people.csv").write_text(f"id,sex,age,place\n{people}\n")
    run(SPEC | {"source": {"csv": str(tmp_path / "people.csv")}}, tmp_path / "out")
    return tmp_path / "out"


def test_verify_makes_the_report_again_and_refuses_another(folder: Path) -> None:
    verify_folder(folder)
    report = folder / REPORT
    report.write_bytes(report.read_bytes().replace(b"at most 2.72", b"at most 1.01"))
    manifest = folder / MANIFEST
    document = json.loads(manifest.read_text())
    document["files"][REPORT] = digest(report.read_bytes())
    manifest.write_bytes(manifests.written(document))
    with pytest.raises(CertificateError, match=r"report\.html"):
        verify_folder(folder)


@pytest.mark.parametrize(("name", "value"), [("delta", "1e-12"), ("floor", "0.0"), ("floor", "nan"), ("delta", "2")])
def test_verify_refuses_a_better_guarantee_than_the_integers_have(folder: Path, name: str, value: str) -> None:
    manifest = folder / MANIFEST
    document = json.loads(manifest.read_text())
    document["privacy"]["composed"][name] = value
    manifest.write_bytes(manifests.written(document))
    with pytest.raises(CertificateError, match=f"composed {name} is {value}"):
        verify_folder(folder)
