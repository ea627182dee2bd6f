"""The site without a server: every published number, in files that any web server can serve."""

import json
import re
from itertools import product
from pathlib import Path

import pytest

from discreet.errors import OutputError
from discreet.web.explorer import static_site
from discreet.web.explorer.static_site import site_files, write_site
from tests.infer.any_table.releases import publish, rows
from tests.web.explorer.shown import Reader


@pytest.fixture(scope="module")
def site(reader: Reader) -> dict[str, bytes]:
    return site_files(reader.catalogue)


def test_a_site_has_every_published_number_and_no_other(reader: Reader, site: dict[str, bytes]) -> None:
    for release in reader.catalogue.releases.values():
        for table, _ in release.opened.layout.tables:
            document = json.loads(site[f"{release.name}/{table.name}.json"])
            grouping = release.opened.layout.groupings[release.opened.layout.tables[0][1][0]]
            assert grouping.axes
            names = [axis.dimension for axis in table.dimensions]
            labels = [
                axis.labels
                for own, indices in release.opened.layout.tables
                if own.name == table.name
                for axis in release.opened.layout.groupings[indices[0]].axes
            ]
            shown = []
            for margin in document["margins"]:
                cells = product(*(labels[number] for number in margin["axes"]))
                for cell, count, low, high in zip(cells, margin["count"], margin["low"], margin["high"], strict=True):
                    row = dict.fromkeys(names, "_total")
                    row |= {names[number]: label for number, label in zip(margin["axes"], cell, strict=True)}
                    shown.append(
                        row | {"count": str(count), "low": str(low), "high": "" if high is None else str(high)}
                    )
            assert shown == rows(release.opened.path / f"{table.name}.intervals.csv")
            file = release.opened.path / f"{table.name}.intervals.csv"
            assert site[f"{release.name}/{table.name}.csv"] == file.read_bytes()


def test_every_link_of_a_site_is_a_file_of_the_site(site: dict[str, bytes]) -> None:
    pages = {name: data.decode() for name, data in site.items() if name.endswith(".html") and name != "verify.html"}
    assert len(pages) == 4 * (1 + 4)
    for name, page in pages.items():
        folder = name.rpartition("/")[0]
        links = re.findall(r'(?:href|src)="([^"#]+)', page)
        assert len(links) > 5
        for link in links:
            path = Path("/site", folder, link).resolve().relative_to("/site").as_posix()
            assert path in site or path == ".", (name, link)
        assert "unsafe" not in page
        assert not re.search(r"<style|<script>|\sstyle=|\son\w+=", page)


def test_words_of_a_publisher_are_text_in_a_site(site: dict[str, bytes]) -> None:
    for name, data in site.items():
        if name.endswith(".html") and name != "verify.html":
            assert "<script>alert" not in data.decode()
            assert "<img" not in data.decode()


def test_a_table_too_large_for_a_page_is_a_file(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_site, "MOST_SITE_CELLS", 150)
    files = site_files(reader.catalogue)
    assert "plain-2026/people.json" not in files
    assert "plain-2026/people.csv" in files
    assert "levels-2024/regions.json" in files


def test_a_site_is_written_to_a_new_folder_alone(tmp_path: Path) -> None:
    folder = str(publish(tmp_path))
    write_site([folder], str(tmp_path / "site"))
    assert (tmp_path / "site" / "index.html").exists()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OutputError):
        write_site([folder], str(tmp_path / "site"))
    with pytest.raises(OutputError):
        write_site([folder], str(tmp_path / "nowhere" / "site"))
    assert sorted(tmp_path.rglob("*")) == before
