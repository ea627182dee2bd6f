"""What the templates of the explorer are filled with."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs

from discreet.errors import DiscreetError, ParameterError
from discreet.infer.any_table.answered_table import is_published
from discreet.infer.any_table.table_question import AxisChoice, TableQuestion, resolve_question
from discreet.labels import TOTAL
from discreet.publish.display_labels import DisplayLabels
from discreet.publish.report.guarantee_section import promise_text
from discreet.publish.table_workbook import can_make
from discreet.web.explorer.api_routes import answered, error_document
from discreet.web.explorer.catalogue import Catalogue, ShownRelease
from discreet.web.explorer.chart_svg import can_be_pyramid, table_chart
from discreet.web.explorer.documents import (
    display_labels,
    filters_in_words,
    published_question,
    reading_lines,
    release_entry,
    release_in_words,
)
from discreet.web.explorer.downloads import ENDINGS
from discreet.web.explorer.table_grid_view import table_grid
from discreet.web.explorer.table_view import TableView, read_view
from discreet.web.shared.language import PageTexts

MOST_PAGE_CELLS = 5000
MOST_LISTED = 400
"""The most categories of a dimension that a page lists for a filter."""


@dataclass(frozen=True)
class Choice:
    """An option that a reader can choose."""

    value: str
    text: str
    is_chosen: bool


@dataclass(frozen=True)
class Chip:
    """A dimension, as a part of the page: where it is, its levels, and the categories that are kept."""

    number: int
    name: str
    text: str
    zone: str
    levels: list[Choice]
    categories: list[Choice]
    hidden: list[str]
    kept: int
    is_possible: bool
    has_earlier: bool
    has_later: bool


def release_values(release: ShownRelease, labels: DisplayLabels) -> dict[str, Any]:
    """Return what a page says about a release."""
    spec, promise = release.opened.spec, release.opened.published.plan.promise
    return release_entry(release, labels) | {
        "description": labels.description,
        "notes": labels.notes,
        "contact": spec.metadata.contact,
        "licence": spec.metadata.licence,
        "promise": None if promise is None else promise_text(labels.words, spec, promise),
        "epsilon": None if promise is None else promise.epsilon,
        "delta": None if promise is None else repr(float(promise.delta)),
        "tables": [
            (labels.table(table.name), TableView(published_question(release, number)).page_query())
            for number, (table, _) in enumerate(release.opened.layout.tables)
        ],
        "dimensions": [labels.dimension(name) for name in release.levels],
    }


def view_values(
    catalogue: Catalogue,
    release: ShownRelease,
    view: TableView,
    texts: PageTexts,
    api: str,
    root: str,
    lang: str | None,
) -> dict[str, Any]:
    """Return what the part of the page is filled with that changes: the builder and the answer.

    Parameters
    ----------
    catalogue, release, view
        What is shown.
    texts
        The texts of the page.
    api
        The full address of the API with a slash at its end, for lines that read the table.
    root
        The address of the first page, relative to this one.
    lang
        The language that the reader chose; None if the browser decides.
    """
    labels = display_labels(release, texts.language)
    values: dict[str, Any] = {
        "view": view,
        "release_name": release.name,
        "chips": _chips(release, view, labels, texts),
        "releases": [
            Choice(name, release_in_words(own, texts.language), name == release.name)
            for name, own in catalogue.releases.items()
        ],
        "earlier": [
            Choice(name, release_in_words(catalogue.releases[name], texts.language), name == view.before)
            for name in catalogue.comparable[release.name]
        ],
        "lang": lang,
        "permalink": f"{release.name}?{view.page_query(lang)}",
        "status": 200,
        "error": None,
        "nearest": [],
        "grid": None,
    }
    try:
        own = answered(catalogue, release, view)
    except DiscreetError as error:
        return values | _refusal(release, view, error, labels, texts, lang)
    query = view.query(lang=texts.language)
    cells = own.shown.resolved.shape[0] * own.shown.resolved.shape[1]
    earlier = None if view.before is None else catalogue.answer(view.before, view.question)
    before = None if view.before is None else release_in_words(catalogue.releases[view.before], texts.language)
    values |= {
        "shown": own.shown,
        "cells": cells,
        "shape": own.shown.resolved.shape,
        "most_cells": MOST_PAGE_CELLS,
        "before": before,
        "filters": filters_in_words(view.question, labels),
        "sources": sorted({block.release.layout.groupings[block.index].name for block in own.shown.blocks.values()}),
        "downloads": [
            (ending, f"{root}api/releases/{release.name}/table.{ending}?{query}")
            for form, ending in ENDINGS.items()
            if form != "xlsx" or can_make()
        ],
        "api_link": f"{root}api/releases/{release.name}/table?{query}",
        "read": reading_lines(release, view, api),
        "charts": _charts(view, can_be_pyramid(own.shown), texts),
        "chart": None,
        "chart_error": None,
        "chart_link": f"{root}api/releases/{release.name}/chart.svg?{query}&kind={view.chart}",
    }
    if cells <= MOST_PAGE_CELLS:
        values["grid"] = table_grid(own.shown, own.changes, earlier, labels, texts, view.intervals)
    if view.chart != "off":
        try:
            values["chart"] = table_chart(own.shown, own.changes, view.chart, labels, texts, before)
        except ParameterError as error:
            values["chart_error"] = str(error)
    return values


def _charts(view: TableView, has_pyramid: bool, texts: PageTexts) -> list[Choice]:
    kinds = ["off", "bars", *(["pyramid"] if has_pyramid else []), *(["change"] if view.before else [])]
    return [Choice(kind, texts(f"chart_{kind}"), kind == view.chart) for kind in kinds]


def _refusal(
    release: ShownRelease,
    view: TableView,
    error: DiscreetError,
    labels: DisplayLabels,
    texts: PageTexts,
    lang: str | None,
) -> dict[str, Any]:
    """Return why there is no table, links to tables that there are, and the status of the page."""
    status, document = error_document(error, release, view)
    kind = document["kind"]
    near = []
    for query in document["nearest"]:
        question = _question_of(release, query)
        link = replace(view, question=question).page_query(lang)
        near.append((f"{release.name}?{link}", question_in_words(question, labels, texts)))
    size = document["cells"]
    words = {
        "unpublished": texts("unpublished"),
        "too_large": texts("too_large", cells=texts.number(size or 0)),
    }
    return {"status": status, "error": words.get(kind, document["error"]), "error_kind": kind, "nearest": near}


def _question_of(release: ShownRelease, query: str) -> TableQuestion:
    parts = parse_qs(query)
    rows, columns, level, keep = (parts.get(name, []) for name in ("rows", "columns", "level", "keep"))
    return read_view(release, rows, columns, level, keep).question


def question_in_words(question: TableQuestion, labels: DisplayLabels, texts: PageTexts) -> str:
    """Return what a table shows, in a few words."""
    rows, columns = (
        ", ".join(labels.axis(axis.dimension, axis.level) for axis in axes)
        for axes in (question.rows, question.columns)
    )
    sides = " \u00d7 ".join(filter(None, (rows, columns))) or texts("all_people")
    kept = "; ".join(
        f"{labels.dimension(name)}: {', '.join(labels.category(name, label) for label in own[:5])}"
        for name, own in question.keep
    )
    return f"{sides} ({kept})" if kept else sides


def _chips(release: ShownRelease, view: TableView, labels: DisplayLabels, texts: PageTexts) -> list[Chip]:
    """Return all dimensions: those in rows, in columns, and then the others."""
    question = view.question
    zones = [("rows", question.rows), ("columns", question.columns)]
    used = {axis.dimension for axis in question.axes}
    others = tuple(AxisChoice(name, levels[0]) for name, levels in release.levels.items() if name not in used)
    kept = dict(question.keep)
    numbers = {name: number for number, name in enumerate(release.opened.books)}
    chips = []
    for zone, axes in (*zones, ("out", others)):
        for position, axis in enumerate(axes):
            if axis.dimension not in numbers:
                continue
            levels = release.levels.get(axis.dimension, [None])
            own = list(kept.get(axis.dimension, ()))
            listed = _listed_labels(release, axis)
            chips.append(
                Chip(
                    numbers[axis.dimension],
                    axis.dimension,
                    labels.dimension(axis.dimension),
                    zone,
                    [
                        Choice(f"{axis.dimension}={level or ''}", level or texts("finest"), level == axis.level)
                        for level in levels
                    ],
                    [
                        Choice(f"{axis.dimension}={label}", labels.category(axis.dimension, label), label in own)
                        for label in listed
                    ],
                    [f"{axis.dimension}={label}" for label in own if label not in listed],
                    len(own),
                    zone != "out" or _can_add(release, question, axis),
                    zone != "out" and position > 0,
                    zone != "out" and position + 1 < len(axes),
                )
            )
    return chips


def _listed_labels(release: ShownRelease, axis: AxisChoice) -> list[str]:
    book = release.opened.books[axis.dimension]
    names = book.levels.get(axis.level or "", book.levels[""]).labels
    return [name for name in names if name != TOTAL][:MOST_LISTED]


def _can_add(release: ShownRelease, question: TableQuestion, axis: AxisChoice) -> bool:
    """Return True if a published table adds up to the table with one dimension more."""
    more = replace(question, rows=(*question.rows, axis))
    known = {name for name, _ in question.keep} | {own.dimension for own in more.axes}
    if not known <= release.levels.keys():
        return False
    try:
        resolve_question(more, release.opened.books, most=10**18)
    except DiscreetError:
        return False
    return is_published(release.opened, more)
