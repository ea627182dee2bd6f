"""The explorer as files: published tables and their margins, for any web server, without a server of our own.

    index.html, index.de.html, ...        the releases, in every language
    NAME/index.html, ...                  a release; static/site.js shows its tables
    NAME/TABLE.json                       a table with its margins and intervals, for the page
    NAME/TABLE.csv, NAME/TABLE.stat.json  the same for readers, as CSV and JSON-stat
    verify.html                           the page that checks folders

A site has the numbers that are published, and no others: sums of them need their intervals, which `discreet serve`
computes.
"""

import json
from collections.abc import Callable, Sequence
from operator import methodcaller
from pathlib import Path
from typing import Any

from discreet import files
from discreet.plan.metadata import Language
from discreet.plan.sections import TableSpec
from discreet.publish import table_files
from discreet.publish.cell_intervals import NO_END
from discreet.publish.display_labels import DisplayLabels
from discreet.web.explorer.api_routes import PACKAGE
from discreet.web.explorer.application import static_files
from discreet.web.explorer.catalogue import Catalogue, ShownRelease, open_catalogue
from discreet.web.explorer.documents import display_labels
from discreet.web.explorer.page_values import release_values
from discreet.web.shared.language import LANGUAGES, page_texts
from discreet.web.shared.templating import environment, rendered
from discreet.web.verifier_page import verifier_page

MOST_SITE_CELLS = 200_000
"""The most cells of a table, with its margins, that a page of a site shows. Larger tables are files only."""

SCRIPT_TEXTS = (
    "to_rows", "to_columns", "take_out", "filter", "filtered", "filter_of", "total", "count", "all_people", "or_more",
    "no_table", "site_unpublished", "site_missing", "table", "caption_intervals", "only",
)  # fmt: skip


def write_site(folders: Sequence[str], output: str) -> Catalogue:
    """Write a site that shows published folders. Return their catalogue.

    Parameters
    ----------
    folders
        Folders of releases.
    output
        The folder of the site, which must not exist.

    Raises
    ------
    OutputError
        Something exists at `output`, or it cannot be written.
    ParameterError, CertificateError
        As in `open_catalogue`.
    """
    files.writable_path(output)
    catalogue = open_catalogue(folders)
    files.write_folder(Path(output), site_files(catalogue))
    return catalogue


def site_files(catalogue: Catalogue) -> dict[str, bytes]:
    """Return the files of a site, by their paths."""
    content = {f"static/{name}": data for name, data in static_files().items() if name in _STATIC}
    content["verify.html"] = verifier_page().encode()
    for language in LANGUAGES:
        cards = [_about(release, language) for release in catalogue.releases.values()]
        content[_page_name(language)] = _page("site_releases.html", language, "", cards=cards)
        for release, about in zip(catalogue.releases.values(), cards, strict=True):
            tables = _tables(release, display_labels(release, language))
            name = f"{release.name}/{_page_name(language)}"
            content[name] = _page("site_release.html", language, "../", about=about, tables=tables)
    for release in catalogue.releases.values():
        content |= {f"{release.name}/{name}": data for name, data in _release_files(release).items()}
    return content


_STATIC = ("discreet.css", "icon.svg", "site.js")


def _page_name(language: str) -> str:
    return "index.html" if language == LANGUAGES[0] else f"index.{language}.html"


def _page(template: str, language: Language, root: str, **values: Any) -> bytes:
    texts = page_texts(PACKAGE, language)
    page = rendered(
        environment(PACKAGE),
        template,
        texts,
        root=root,
        page_name=_page_name(language),
        language_link=_page_name,
        words={name: texts.texts[name] for name in SCRIPT_TEXTS},
        **values,
    )
    return page.encode()


def _about(release: ShownRelease, language: Language) -> dict[str, Any]:
    labels = display_labels(release, language)
    titles = [labels.table(table.name) for table, _ in release.opened.layout.tables]
    return release_values(release, labels) | {"table_titles": titles}


def _tables(release: ShownRelease, labels: DisplayLabels) -> list[dict[str, Any]]:
    """Return the list of the tables of a release."""
    return [
        {
            "name": table.name,
            "title": labels.table(table.name),
            "dimensions": len(table.dimensions),
            "shown": _cells(release, indices) <= MOST_SITE_CELLS,
        }
        for table, indices in release.opened.layout.tables
    ]


def _cells(release: ShownRelease, indices: Sequence[int]) -> int:
    return sum(release.opened.layout.groupings[index].size for index in indices)


def _release_files(release: ShownRelease) -> dict[str, bytes]:
    """Return the files of the tables of a release, by name."""
    published = release.opened.published
    made = table_files.tables_as_files(
        display_labels(release), release.opened.layout, published.tables, ("csv", "json-stat"), published.intervals
    )
    content = {}
    for table, indices in release.opened.layout.tables:
        content[f"{table.name}.csv"] = made[f"{table.name}.{table_files.INTERVALS}.csv"]
        content[f"{table.name}.stat.json"] = made[f"{table.name}.json"]
        if _cells(release, indices) <= MOST_SITE_CELLS:
            document = _document(release, table, indices)
            content[f"{table.name}.json"] = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    return content


def _document(release: ShownRelease, table: TableSpec, indices: Sequence[int]) -> dict[str, Any]:
    """Return a table with its margins, for the script. The last axis changes fastest."""
    layout, by_language = release.opened.layout, {own: display_labels(release, own) for own in LANGUAGES}

    def in_languages(word: Callable[[DisplayLabels], str]) -> dict[str, str]:
        return {language: word(labels) for language, labels in by_language.items()}

    names = [axis.dimension for axis in table.dimensions]
    return {
        "dimensions": [
            {
                "name": in_languages(methodcaller("axis", axis.book.name, axis.level)),
                "categories": [in_languages(methodcaller("category", axis.book.name, label)) for label in axis.labels],
            }
            for axis in layout.groupings[indices[0]].axes
        ],
        "keep": [
            {
                "name": in_languages(methodcaller("dimension", name)),
                "categories": [in_languages(methodcaller("category", name, label)) for label in kept],
            }
            for name, kept in table.filter.items()
        ],
        "margins": [
            {
                "axes": [names.index(axis.book.name) for axis in layout.groupings[index].axes],
                "count": release.opened.counts[index].ravel().tolist(),
                "low": release.opened.intervals[index].low.ravel().tolist(),
                "high": [
                    None if end == NO_END else end for end in release.opened.intervals[index].high.ravel().tolist()
                ],
            }
            for index in indices
        ],
    }
