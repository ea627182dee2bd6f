"""The JSON API of the explorer: releases, tables, charts and downloads. The pages call the same functions."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query, Request
from pydantic import StringConstraints
from starlette.responses import Response

from discreet.errors import DiscreetError, IncomparableError, TooLargeTableError, UnpublishedTableError
from discreet.infer.any_table.answered_table import AnsweredTable
from discreet.infer.any_table.nearest_tables import nearest
from discreet.infer.any_table.table_change import ChangedCells, table_change, why_not_comparable
from discreet.plan.metadata import Language
from discreet.web.explorer.catalogue import Catalogue, ShownRelease, UnknownReleaseError
from discreet.web.explorer.chart_svg import table_chart
from discreet.web.explorer.documents import (
    ErrorDocument,
    ReleaseDocument,
    ReleaseEntry,
    TableDocument,
    display_labels,
    release_document,
    release_entry,
    release_in_words,
    table_document,
)
from discreet.web.explorer.downloads import ENDINGS, FORMATS, table_file
from discreet.web.explorer.table_view import TableView, read_view
from discreet.web.shared.language import PageTexts, chosen_language, page_texts

MOST_AXES, MOST_KEPT, LONGEST_PARAMETER = 30, 5000, 500

PACKAGE = "discreet.web.explorer"

_Text = Annotated[str, Query(max_length=LONGEST_PARAMETER)]
_Name = Annotated[str, Path(max_length=100, description="The name of a release, from the list.")]
_Short = Annotated[str, StringConstraints(max_length=LONGEST_PARAMETER)]
_Texts = Annotated[list[_Short], Query(max_length=MOST_KEPT)]
_Axes = Annotated[
    list[_Short],
    Query(max_length=MOST_AXES, description="Dimensions, from the outermost. The parameter may occur several times."),
]

ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorDocument, "description": "A name is unknown, or the request contradicts itself."},
    404: {"model": ErrorDocument, "description": "There is no such release."},
    422: {
        "model": ErrorDocument,
        "description": "The table is not published (nearest has others), or too large. Or there is no change to show,"
        " because the releases count other people.",
    },
}


@dataclass(frozen=True, eq=False)
class Answered:
    """A view of a release with its answer, and the earlier release of the view."""

    release: ShownRelease
    view: TableView
    shown: AnsweredTable
    changes: Mapping[str, ChangedCells] | None
    before: ShownRelease | None


def answered(catalogue: Catalogue, release: ShownRelease, view: TableView) -> Answered:
    """Return the answer to a view.

    Raises
    ------
    DiscreetError
        The table cannot be shown; see `answer` and `table_change`.
    """
    shown = catalogue.answer(release.name, view.question)
    if view.before is None:
        return Answered(release, view, shown, None, None)
    before = catalogue.release(view.before)
    reason = why_not_comparable(release.opened, before.opened)
    if reason is not None:
        raise IncomparableError(
            f"{_with_names(reason, release, before)}; releases with which {release.name!r} can be compared:"
            f" {', '.join(catalogue.comparable[release.name]) or 'none'}"
        )
    try:
        changes = table_change(shown, catalogue.answer(before.name, view.question))
    except IncomparableError as error:
        raise IncomparableError(_with_names(str(error), release, before)) from error
    return Answered(release, view, shown, changes, before)


def _with_names(text: str, *releases: ShownRelease) -> str:
    """Return a text with the names of releases instead of their folders, which are no business of readers."""
    for path, name in sorted(((str(own.opened.path), own.name) for own in releases), key=lambda pair: -len(pair[0])):
        text = re.sub(rf"(?<!\S){re.escape(path)}(?=[\s;,]|$)", name, text)
    return text


def error_document(error: DiscreetError, release: ShownRelease | None, view: TableView | None) -> tuple[int, Any]:
    """Return the status and the document of an error."""
    document: dict[str, Any] = {"error": str(error), "kind": "invalid", "nearest": [], "cells": None}
    if isinstance(error, UnknownReleaseError):
        return 404, document | {"kind": "unknown"}
    if isinstance(error, TooLargeTableError):
        return 422, document | {"kind": "too_large", "cells": error.cells}
    if isinstance(error, IncomparableError):
        return 422, document | {"kind": "incomparable"}
    if isinstance(error, UnpublishedTableError) and release is not None and view is not None:
        others = [TableView(question).query() for question in nearest(release.opened, view.question)]
        return 422, document | {"kind": "unpublished", "nearest": others}
    return 400, document


def json_response(document: Any, status: int = 200) -> Response:
    """Return a document as JSON. Its encoder is many times faster than that of FastAPI."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Response(text.encode("utf-8", "backslashreplace"), status, media_type="application/json")


def api_routes(catalogue: Catalogue) -> APIRouter:
    """Return the routes of the API."""
    router = APIRouter(prefix="/api", tags=["tables"])

    def texts_of(lang: str | None, accepted: str | None) -> PageTexts:
        return page_texts(PACKAGE, chosen_language(lang, accepted))

    @router.get("/releases", response_model=list[ReleaseEntry], summary="List the releases")
    def releases() -> Response:
        return json_response([release_entry(own, display_labels(own)) for own in catalogue.releases.values()])

    @router.get("/releases/{name}", response_model=ReleaseDocument, responses=ERRORS, summary="Describe a release")
    def release(name: _Name, lang: Language | None = None) -> Response:
        try:
            own = catalogue.release(name)
        except DiscreetError as error:
            status, document = error_document(error, None, None)
            return json_response(document, status)
        return json_response(release_document(catalogue, own, display_labels(own, lang)))

    @router.get(
        "/releases/{name}/table",
        response_model=TableDocument,
        responses=ERRORS,
        summary="A table, with intervals and margins",
    )
    def table(
        request: Request,
        name: _Name,
        rows: _Axes = [],  # noqa: B006 - FastAPI copies defaults
        columns: _Axes = [],  # noqa: B006
        level: _Texts = [],  # noqa: B006
        keep: _Texts = [],  # noqa: B006
        before: _Text | None = None,
        lang: Language | None = None,
    ) -> Response:
        def document(own: Answered) -> Response:
            labels = display_labels(own.release, lang)
            address = f"{request.base_url}api/"
            return json_response(
                table_document(own.release, own.view, own.shown, own.changes, labels, address, own.before)
            )

        return _with_answer(catalogue, name, (rows, columns, level, keep, before), document)

    @router.get(
        "/releases/{name}/table.{ending}",
        responses=ERRORS | {200: {"content": {kind: {} for kind in FORMATS.values()}}},
        response_class=Response,
        summary="A table as a file",
    )
    def download(
        name: _Name,
        ending: Literal["csv", "xlsx", "parquet", "json"],
        rows: _Axes = [],  # noqa: B006
        columns: _Axes = [],  # noqa: B006
        level: _Texts = [],  # noqa: B006
        keep: _Texts = [],  # noqa: B006
        lang: Language | None = None,
    ) -> Response:
        form = next(form for form, own in ENDINGS.items() if own == ending)

        def file(own: Answered) -> Response:
            content = table_file(own.shown, form, display_labels(own.release, lang))
            disposition = f'attachment; filename="{own.release.name}-table.{ending}"'
            return Response(content, media_type=FORMATS[form], headers={"content-disposition": disposition})

        return _with_answer(catalogue, name, (rows, columns, level, keep, None), file)

    @router.get(
        "/releases/{name}/chart.svg",
        responses=ERRORS | {200: {"content": {"image/svg+xml": {}}}},
        response_class=Response,
        summary="A chart of a table",
    )
    def chart(
        name: _Name,
        kind: Literal["bars", "pyramid", "change"] = "bars",
        rows: _Axes = [],  # noqa: B006
        columns: _Axes = [],  # noqa: B006
        level: _Texts = [],  # noqa: B006
        keep: _Texts = [],  # noqa: B006
        before: _Text | None = None,
        lang: Language | None = None,
        accept_language: Annotated[str | None, Header(max_length=500)] = None,
    ) -> Response:
        def picture(own: Answered) -> Response:
            texts = texts_of(lang, accept_language)
            labels = display_labels(own.release, texts.language)
            before = None if own.before is None else release_in_words(own.before, texts.language)
            text = table_chart(own.shown, own.changes, kind, labels, texts, before)
            return Response(text.encode("utf-8", "replace"), media_type="image/svg+xml")

        return _with_answer(catalogue, name, (rows, columns, level, keep, before), picture)

    return router


def _with_answer(catalogue: Catalogue, name: str, parameters: tuple[Any, ...], respond: Any) -> Response:
    """Return what `respond` makes of an answer, or the document of the error."""
    own, view = None, None
    try:
        own = catalogue.release(name)
        view = read_view(own, *parameters)
        response: Response = respond(answered(catalogue, own, view))
    except DiscreetError as error:
        status, document = error_document(error, own, view)
        return json_response(document, status)
    return response
