"""The pages of the explorer, without a browser: every step is a link or a button of a form."""

import gzip
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import CertificateError, ParameterError
from discreet.web.explorer.catalogue import open_catalogue
from discreet.web.shared.language import LANGUAGES, page_texts
from tests.infer.any_table.releases import publish
from tests.web.explorer.shown import Reader

PLAIN = "/releases/plain-2026"
FRAGMENT = {"hx-request": "true", "accept-language": "en"}


class Grid(HTMLParser):
    """Reads the cells of the table of a page: every row with its headings and its counts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._text: list[str] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self._text = []
        if tag == "small":
            self._text = None

    def handle_endtag(self, tag: str) -> None:
        if tag in ("th", "span") and self._text is not None and self.rows:
            self.rows[-1].append("".join(self._text).strip())
            self._text = None

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)


def test_the_first_page_leads_to_every_release_and_every_published_table(reader: Reader) -> None:
    page = reader.get("/").text
    for release in reader.catalogue.releases.values():
        assert f"releases/{release.name}" in page
    links = re.findall(r'href="\./(releases/[^"]+\?[^"]+)"', page)
    assert len(links) == sum(len(own.opened.layout.tables) for own in reader.catalogue.releases.values())
    for link in links:
        answer = reader.get("/" + link.replace("&amp;", "&"))
        assert "<table" in answer.text


def test_a_page_has_the_counts_of_the_api(reader: Reader) -> None:
    asked: dict[str, Any] = {"rows": "age", "columns": "sex"}
    grid = Grid(reader.get(PLAIN, **asked).text)
    blocks = reader.get(f"/api{PLAIN}/table", **asked).json()["blocks"]
    cells, totals = blocks["cells"]["count"], blocks["row_totals"]["count"]
    rows = [[*map(str, cells[3 * row : 3 * row + 3]), str(totals[row])] for row in range(4)]
    assert [row[1:] for row in grid.rows[1:-1]] == rows
    assert grid.rows[-1] == ["Total", *map(str, blocks["column_totals"]["count"]), str(blocks["total"]["count"][0])]


def test_headings_of_several_dimensions_span_their_cells(reader: Reader) -> None:
    page = reader.get(PLAIN, rows=["age", "sex"], columns="area", level="area=region").text
    assert page.count('rowspan="3"') == 4
    assert page.count('scope="rowgroup"') == 4
    assert [len(row) for row in Grid(page).rows[1:4]] == [7, 6, 6]


@pytest.mark.parametrize(
    ("before", "action", "after"),
    [
        ("rows=age", "rows:sex", "rows=age&rows=sex"),
        ("rows=age", "columns:age", "columns=age"),
        ("rows=age&columns=sex", "out:sex", "rows=age"),
        ("rows=age&rows=sex", "later:age", "rows=sex&rows=age"),
        ("rows=age&rows=sex", "earlier:age", "rows=age&rows=sex"),
        ("rows=age&columns=sex", "pivot", "rows=sex&columns=age"),
        ("rows=age&keep=age%3Dold&keep=sex%3Dm", "all:age", "rows=age&keep=sex%3Dm"),
        ("rows=age&rows=age", "out:age", "rows="),
        ("rows=age", "rows:nowhere", "rows=age"),
        ("rows=area&level=area%3Dregion", "columns:area", "columns=area&level=area%3Dregion"),
    ],
)
def test_a_button_leads_to_the_address_of_the_new_table(before: str, action: str, after: str, reader: Reader) -> None:
    answer = reader.get(f"{PLAIN}?{before}&do={action}")
    assert (answer.status_code, answer.headers["location"]) == (303, f"plain-2026?{after}")
    part = reader.get(f"{PLAIN}?{before}&do={action}", FRAGMENT)
    assert part.headers["hx-push-url"] == f"plain-2026?{after}"
    assert "<html" not in part.text
    assert part.text.strip().startswith('<div id="view"')


def test_a_form_without_a_script_leads_to_the_address_of_the_table(reader: Reader) -> None:
    form = "shown=1&rows=age&level=age%3Dlegal&keep=sex%3Dm&intervals=on&chart=bars&before=&lang=de"
    answer = reader.get(f"{PLAIN}?{form}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "plain-2026?rows=age&level=age%3Dlegal&keep=sex%3Dm&chart=bars&lang=de"


def test_another_release_is_asked_the_same_question(reader: Reader) -> None:
    query = "rows=age&columns=sex&before=plain-2025&release=plain-2025&lang=de"
    assert reader.get(f"{PLAIN}?{query}").headers["location"] == "plain-2025?rows=age&columns=sex&lang=de"
    assert reader.get(f"{PLAIN}?{query}", FRAGMENT).headers["hx-redirect"] == "plain-2025?rows=age&columns=sex&lang=de"


def test_a_link_gives_the_same_table_again(reader: Reader) -> None:
    asked = "rows=area&columns=sex&level=area%3Dregion&keep=age%3Dyoung&intervals=off&chart=bars"
    page = reader.get(f"{PLAIN}?{asked}").text
    link = re.search(r'id="permalink" href="([^"]+)"', page)
    assert link is not None
    again = reader.get("/releases/" + link[1].replace("&amp;", "&")).text
    assert Grid(again).rows == Grid(page).rows
    assert "<svg" in again
    assert "<small>" not in again


def test_a_table_that_cannot_be_shown_leads_to_others(reader: Reader) -> None:
    answer = reader.get("/releases/levels-2024?rows=area&columns=age")
    assert answer.status_code == 422
    page = answer.text
    assert 'role="alert"' in page
    assert "<table" not in page
    links = re.findall(r'<li><a href="(levels-2024\?[^"]+)"', page)
    assert links
    for link in links:
        assert "<table" in reader.get("/releases/" + link.replace("&amp;", "&")).text


def test_a_change_is_shown_with_both_counts(reader: Reader) -> None:
    page = reader.get(PLAIN, rows="age", before="plain-2025", chart="change").text
    earlier = reader.get("/api/releases/plain-2025/table", rows="age").json()["blocks"]["cells"]["count"]
    assert all(f"2025: {count}" in page for count in earlier)
    assert "change since Release · 2025</caption>" in page
    assert "change since Release · 2025</title>" in page


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("rows=town", 400),
        ("rows=age&before=nowhere", 404),
        ("rows=age&before=plain-2026", 422),
        ("rows=age&before=a-filter-2023", 422),
    ],
)
def test_a_page_without_a_table_has_the_status_of_the_api(query: str, status: int, reader: Reader) -> None:
    page = reader.get(f"{PLAIN}?{query}")
    assert (page.status_code, reader.get(f"/api{PLAIN}/table?{query}").status_code) == (status, status)
    assert 'role="alert"' in page.text
    part = reader.get(f"{PLAIN}?{query}", FRAGMENT)
    assert part.status_code == 200  # htmx shows no other answers
    assert 'role="alert"' in part.text


def test_only_earlier_releases_of_one_title_are_offered_for_a_change(reader: Reader) -> None:
    assert reader.catalogue.comparable == {
        "plain-2026": ["levels-2024", "plain-2025"],
        "plain-2025": ["levels-2024"],
        "levels-2024": [],
        "a-filter-2023": [],
    }
    page = reader.get("/releases/plain-2025?rows=age").text
    field = page[page.index('id="before"') :]
    assert re.findall(r'<option value="([^"]*)"', field[: field.index("</select>")]) == ["", "levels-2024"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_speaks_every_language(language: str, reader: Reader) -> None:
    texts = page_texts("discreet.web.explorer", language)
    for address in ("/", f"{PLAIN}?rows=age", "/nowhere", "/releases/levels-2024?rows=area&columns=age"):
        separator = "&" if "?" in address else "?"
        page = reader.get(f"{address}{separator}lang={language}").text
        assert f'<html lang="{language}">' in page
        assert texts("all_releases") in page
    assert f'<html lang="{language}">' in reader.get("/", {"accept-language": language}).text


def test_words_of_a_publisher_are_text(reader: Reader) -> None:
    for address in (
        "/",
        "/releases/a-filter-2023?rows=sex&chart=bars",
        "/releases/a-filter-2023?rows=sex&keep=sex%3Dm",
    ):
        page = reader.get(address).text
        assert "<script>alert" not in page
        assert "<b>" not in page
        assert "<img" not in page
        assert "</td><td>men" not in page
    assert "&lt;b&gt;gender" in reader.get("/releases/a-filter-2023?rows=sex").text


def test_no_page_has_inline_scripts_or_styles_or_other_origins(reader: Reader) -> None:
    for address in ("/", f"{PLAIN}?rows=age&columns=sex&chart=pyramid", "/nowhere"):
        answer = reader.get(address)
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert not re.search(r"<style|<script>|\sstyle=|\son\w+=|javascript:", answer.text)
        without_code = re.sub(r"<pre.*?</pre>|xmlns=\"[^\"]+\"", "", answer.text, flags=re.DOTALL)
        assert "://" not in without_code


def test_the_verifier_is_served_with_its_own_policy(reader: Reader) -> None:
    answer = reader.get("/verify")
    assert answer.status_code == 200
    assert "sha256-" in answer.headers["content-security-policy"]
    assert "connect-src" not in answer.headers["content-security-policy"]


def test_a_page_that_is_not_there_says_so(reader: Reader) -> None:
    for address in ("/nowhere", "/releases/nowhere", "/static/nowhere.js", "/static/../secrets"):
        answer = reader.get(address)
        assert answer.status_code == 404
        assert '<a class="button"' in answer.text


def test_the_first_page_is_small(reader: Reader) -> None:
    files = ["/", "/static/discreet.css", "/static/htmx.min.js", "/static/explorer.js", "/static/icon.svg"]
    assert sum(len(gzip.compress(reader.get(file).content)) for file in files) < 100_000


def test_a_folder_that_does_not_verify_is_refused(tmp_path: Path) -> None:
    folder = publish(tmp_path)
    (folder / "people.csv").write_bytes((folder / "people.csv").read_bytes().replace(b",0\n", b",1\n", 1))
    with pytest.raises(CertificateError, match=r"people\.csv"):
        open_catalogue([str(folder)])
    for other in (tmp_path, tmp_path / "nowhere", Path(__file__)):
        with pytest.raises(CertificateError):
            open_catalogue([str(other)])


def test_folders_get_names_for_addresses(tmp_path: Path) -> None:
    folder = publish(tmp_path)
    names = ["<script>", "Bürger 2026", "..a", "x" * 80, "\u202e\U0001f4a9"]
    for name in names:
        folder = folder.rename(tmp_path / name)
        [own] = open_catalogue([str(folder)]).releases
        assert re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", own)


def test_a_folder_is_given_once(tmp_path: Path) -> None:
    folder = publish(tmp_path)
    with pytest.raises(ParameterError, match="twice"):
        open_catalogue([str(folder), f"{folder}/../{folder.name}"])
    with pytest.raises(ParameterError):
        open_catalogue([])


def test_two_folders_of_one_name_have_two_addresses(tmp_path: Path) -> None:
    folders = []
    for parent in ("a", "b"):
        (tmp_path / parent).mkdir()
        folders.append(str(publish(tmp_path / parent)))
    assert list(open_catalogue(folders).releases) == ["plain-2025", "plain-2025-2"]
