"""The explorer in Chromium: a reader builds a table by mouse or by keyboard alone, and takes it away."""

import csv
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from discreet.web.explorer.static_site import write_site
from tests.browser import visits
from tests.conftest import unavailable
from tests.infer.any_table.releases import AREAS, REGIONS, rows
from tests.web.explorer.shown import series


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    reason = visits.missing()
    if reason is not None:
        unavailable(reason)
    return series(tmp_path_factory.mktemp("explored"))


@pytest.fixture(scope="module")
def address(folders: list[Path]) -> Iterator[str]:
    """Start `discreet serve` as a reader's office does. Yield its address."""
    program = str(Path(sys.executable).with_name("discreet"))
    command = [program, "serve", *map(str, folders), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield next(line.split(" at ")[1].split()[0] for line in server.stdout if " at " in line)
        finally:
            server.terminate()


def journey(address: str, kind: str) -> dict[str, Any]:
    """Return what a reader sees on a journey."""
    request = {"browser": shutil.which("chromium"), "address": address, "journey": kind}
    command = ["node", str(visits.HERE / "explore.mjs")]
    done = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert result["wrong"] == []
    return {step["name"]: step for step in result["steps"]} | {"file": result["file"]}


def young_by_region(folder: Path) -> dict[tuple[str, str], int]:
    """Return the published counts of young people, added up over the areas of each region, by region and sex."""
    published = rows(folder / "people.csv")
    counts: dict[tuple[str, str], int] = {}
    for row in published:
        for region, areas in {**REGIONS, "_other": ["_other"]}.items():
            if row["age"] == "young" and row["area"] in areas and row["sex"] != "_total":
                counts[region, row["sex"]] = counts.get((region, row["sex"]), 0) + int(row["count"])
    return counts


def downloaded(file: str) -> dict[tuple[str, str], int]:
    return {
        (row["area"], row["sex"]): int(row["count"])
        for row in csv.DictReader(io.StringIO(file))
        if "_total" not in row.values()
    }


def test_a_reader_builds_a_table_narrows_it_reloads_the_link_and_downloads_it(
    address: str, folders: list[Path]
) -> None:
    seen = journey(address, "mouse")
    assert [row[0] for row in seen["regions"]["table"]] == [*REGIONS, "Other or not stated", "Total"]
    counts = young_by_region(folders[0])
    columns = ("f, female", "m", "_other")
    for row, region in zip(seen["narrowed"]["table"], [*REGIONS, "_other"], strict=False):
        assert [int(count) for count in row[1:4]] == [counts[region, sex] for sex in columns]
    assert "keep=age%3Dyoung" in seen["narrowed"]["query"]
    assert len(seen["dragged"]["table"]) == 4 * 3 + 1
    assert seen["reloaded"]["table"] == seen["charted"]["table"] != []
    assert seen["reloaded"]["query"] == seen["charted"]["query"]
    assert downloaded(seen["file"]) == counts
    assert seen["back"]["query"] != seen["reloaded"]["query"]


def test_a_reader_without_a_mouse_does_the_same(address: str, folders: list[Path]) -> None:
    seen = journey(address, "keyboard")
    assert seen["taken out"]["focused"] not in ("", "BODY")  # the focus stays with the dimension
    assert [row[0] for row in seen["narrowed"]["table"]] == [*REGIONS, "Other or not stated", "Total"]
    assert downloaded(seen["file"]) == young_by_region(folders[0])


def test_a_site_without_a_server_shows_the_published_tables(folders: list[Path], tmp_path: Path) -> None:
    write_site(list(map(str, folders)), str(tmp_path / "site"))
    with visits.served(tmp_path / "site") as root:
        seen = journey(root, "site")
        pages = ["index.html", "plain-2026/index.de.html", "a-filter-2023/index.fr.html", "verify.html"]
        assert visits.findings_at(root, pages) == {}
    published = {
        row["area"]: row["count"]
        for row in rows(folders[0] / "people.csv")
        if (row["age"], row["sex"]) == ("_total", "f, female")
    }
    shown = {row[0]: row[1] for row in seen["narrowed"]["table"]}
    assert {area: shown[area] for area in AREAS} == {area: published[area] for area in AREAS}
    assert seen["reloaded"]["table"] == seen["narrowed"]["table"]
    assert seen["reloaded"]["query"] == seen["narrowed"]["query"]
    assert seen["back"]["query"] != seen["reloaded"]["query"]
    assert seen["file"] == (folders[0] / "people.intervals.csv").read_text()


def test_every_page_is_accessible_and_fits_a_phone(address: str) -> None:
    pages = [
        "",
        "releases/plain-2026",
        "releases/plain-2026?rows=area&rows=age&columns=sex&chart=off&lang=de",
        "releases/plain-2026?rows=age&columns=sex&chart=pyramid&lang=fr",
        "releases/plain-2026?rows=age&before=plain-2025&chart=change&keep=area%3Dsouth&lang=es",
        "releases/plain-2026?rows=",
        "releases/levels-2024?rows=area&columns=age",  # refused, with the nearest tables
        "releases/a-filter-2023?rows=area&columns=sex",
        "verify",
    ]
    assert visits.findings_at(address, pages) == {}
