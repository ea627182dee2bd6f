"""The explorer as an ASGI application: pages, the API, the verifier, and static files."""

import re
from collections.abc import Callable, Iterable
from importlib import resources
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from discreet import __version__
from discreet.errors import DiscreetError
from discreet.web.explorer.api_routes import PACKAGE, api_routes, json_response
from discreet.web.explorer.catalogue import Catalogue, UnknownReleaseError
from discreet.web.explorer.documents import display_labels
from discreet.web.explorer.page_values import release_values, view_values
from discreet.web.explorer.table_view import TableView, acted, read_view, with_options
from discreet.web.shared.language import PageTexts, chosen_language, page_texts
from discreet.web.shared.security import LOOPBACK, Guard
from discreet.web.shared.templating import environment, rendered
from discreet.web.verifier_page import verifier_page

MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}

_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]+)"')
_Texts = Annotated[list[str], Query(max_length=5000)]


def static_files() -> dict[str, bytes]:
    """Return the style sheet, the scripts and the icon of pages, by file name."""
    found = {}
    for package in ("discreet.web.shared", PACKAGE):
        for file in resources.files(package).joinpath("static").iterdir():
            found[file.name] = file.read_bytes()
    return found


def explorer(catalogue: Catalogue, hosts: Iterable[str] | None = LOOPBACK) -> Guard:
    """Return the explorer of a catalogue.

    Parameters
    ----------
    catalogue
        The releases.
    hosts
        The names under which the server is reached; None: any name.
    """
    application = FastAPI(
        title="Discreet explorer",
        version=__version__,
        description="Tables of counts from published folders, with a privacy guarantee that anyone can check.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    application.include_router(api_routes(catalogue))
    pages, templates = APIRouter(include_in_schema=False), environment(PACKAGE)
    files, verifier = static_files(), verifier_page()
    policy = _POLICY.search(verifier)
    assert policy is not None

    def page(template: str, texts: PageTexts, request: Request, status: int = 200, **values: Any) -> HTMLResponse:
        text = rendered(
            templates,
            template,
            texts,
            root=_root(request.url.path),
            language_link=_language_link(request),
            **values,
        )
        return HTMLResponse(text.encode("utf-8", "replace"), status, headers={"vary": "HX-Request, Accept-Language"})

    @pages.get("/")
    def releases(request: Request) -> Response:
        texts = _texts(request)
        cards = [release_values(own, display_labels(own, texts.language)) for own in catalogue.releases.values()]
        return page("releases.html", texts, request, cards=cards, lang=_chosen(request))

    @pages.get("/releases/{name}")
    def table_page(
        request: Request,
        name: str,
        rows: _Texts = [],  # noqa: B006 - FastAPI copies defaults
        columns: _Texts = [],  # noqa: B006
        level: _Texts = [],  # noqa: B006
        keep: _Texts = [],  # noqa: B006
        before: str = "",
        do: str = "",
        release: str = "",
    ) -> Response:
        texts, lang = _texts(request), _chosen(request)
        own = catalogue.release(name)
        if release and release != name and release in catalogue.releases:
            other = catalogue.releases[release]
            return _to(request, f"{other.name}?{_same_question(request)}")
        view = read_view(own, rows, columns, level, keep, before)
        if not request.query_params.keys() - {"lang"}:
            view = TableView(own.first_question)
        view = with_options(view, request.query_params)
        acted_view = acted(view, own, do)
        if (do or "shown" in request.query_params) and not _is_fragment(request):
            return RedirectResponse(f"{name}?{acted_view.page_query(lang)}", 303)
        values = view_values(catalogue, own, acted_view, texts, f"{request.base_url}api/", "../", lang)
        values["about"] = release_values(own, display_labels(own, texts.language))
        status = values.pop("status")
        if _is_fragment(request):  # has the status 200, because htmx shows no other answers
            answer = page("view.html", texts, request, **values)
            answer.headers["hx-push-url"] = f"{name}?{acted_view.page_query(lang)}"
            answer.headers["cache-control"] = "no-store"
            return answer
        return page("release.html", texts, request, status, **values)

    @pages.get("/verify")
    def verify() -> Response:
        return HTMLResponse(verifier, headers={"content-security-policy": policy[1]})

    @pages.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in files:
            raise HTTPException(404)
        kind = MEDIA_TYPES[name.rpartition(".")[2]]
        return Response(files[name], media_type=kind, headers={"cache-control": "max-age=3600"})

    application.include_router(pages)
    _answer_errors(application, page)
    return Guard(application, hosts)


def _answer_errors(application: FastAPI, page: Callable[..., HTMLResponse]) -> None:
    """Answer mistakes with a document below /api, and with a page elsewhere."""

    def refused(request: Request, status: int, text: str, kind: str) -> Response:
        if request.url.path.startswith("/api"):
            return json_response({"error": text, "kind": kind, "nearest": [], "cells": None}, status)
        return page("refused.html", _texts(request), request, status, text=text, code=status, lang=_chosen(request))

    @application.exception_handler(DiscreetError)
    def mistake(request: Request, error: Exception) -> Response:
        unknown = isinstance(error, UnknownReleaseError)
        return refused(request, 404 if unknown else 400, str(error), "unknown" if unknown else "invalid")

    @application.exception_handler(RequestValidationError)
    def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"][1:]))
        return refused(request, 422, f"{where}: {first['msg']}", "invalid")

    @application.exception_handler(HTTPException)
    def other(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return refused(
            request, error.status_code, str(error.detail), "unknown" if error.status_code == 404 else "invalid"
        )


def _root(path: str) -> str:
    """Return the address of the first page, relative to a page."""
    return "../" * (path.count("/") - 1) or "./"


def _is_fragment(request: Request) -> bool:
    """Return True if htmx asks for the part of the page that changes."""
    return request.headers.get("hx-request") == "true" and request.headers.get("hx-history-restore-request") != "true"


def _to(request: Request, address: str) -> Response:
    """Send the reader to another page, from a form or from htmx."""
    if _is_fragment(request):
        return Response(status_code=204, headers={"hx-redirect": address})
    return RedirectResponse(address, 303)


def _same_question(request: Request) -> str:
    """Return the query string of a page without the buttons that were pressed."""
    kept = [pair for pair in request.query_params.multi_items() if pair[0] not in ("do", "release", "shown", "before")]
    return urlencode(kept)


def _chosen(request: Request) -> str | None:
    """Return the language that the reader chose by a link; None if the browser decides."""
    lang = request.query_params.get("lang")
    return lang if lang is not None and chosen_language(lang, None) == lang else None


def _texts(request: Request) -> PageTexts:
    language = chosen_language(request.query_params.get("lang"), request.headers.get("accept-language"))
    return page_texts(PACKAGE, language)


def _language_link(request: Request) -> Callable[[str], str]:
    """Return a function that gives the address of the page in a language."""
    kept = [pair for pair in request.query_params.multi_items() if pair[0] not in ("lang", "do", "shown", "release")]
    return lambda language: "?" + urlencode([*kept, ("lang", language)])
