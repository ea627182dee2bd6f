"""Put the pages of the workbench together: security outside, then who may come in, then the pages."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from fastapi import Depends, FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from discreet.errors import DiscreetError
from discreet.exact import rounded_up
from discreet.web.shared.language import chosen_language, page_texts
from discreet.web.shared.security import Application, Guard
from discreet.web.shared.templating import environment, rendered
from discreet.web.workbench import (
    column_pages,
    data_pages,
    folder_pages,
    ledger_pages,
    release_pages,
    setting_pages,
    studio_pages,
    table_pages,
    yaml_pages,
)
from discreet.web.workbench.admission import STATIC as STATIC_PATH
from discreet.web.workbench.admission import Admission
from discreet.web.workbench.visit import NO_STORE, PACKAGE, Session, message_of, visit_of
from discreet.web.workbench.workspace import NothingOpenError, Workspace

STATIC = {
    "discreet.css": ("discreet.web.shared", "text/css; charset=utf-8"),
    "htmx.min.js": ("discreet.web.shared", "text/javascript; charset=utf-8"),
    "icon.svg": ("discreet.web.shared", "image/svg+xml"),
    "workbench.css": (PACKAGE, "text/css; charset=utf-8"),
    "workbench.js": (PACKAGE, "text/javascript; charset=utf-8"),
}
"""Files that every page uses: the package of each, and its type."""

PAGES = (
    data_pages,
    column_pages,
    table_pages,
    setting_pages,
    yaml_pages,
    release_pages,
    folder_pages,
    ledger_pages,
    studio_pages,
)


@dataclass(frozen=True)
class Workbench:
    """A workbench that can be served.

    Attributes
    ----------
    application
        The ASGI application.
    address
        From the address of the server to the address to print, which holds the one-time token.
    root
        The path of all pages.
    form_token
        The token that forms carry.
    """

    application: Application
    address: Callable[[str], str]
    root: str
    form_token: str


def workbench(workspace: Workspace) -> Workbench:
    """Return the workbench of a session.

    Parameters
    ----------
    workspace
        The state of the session.
    """
    templates = environment(PACKAGE)
    templates.filters["above"] = rounded_up  # no loss is shown smaller than it is

    def refused(accepted: str | None, reason: str) -> str:
        texts = page_texts(PACKAGE, chosen_language(None, accepted))
        return rendered(templates, "refused.html", texts, root="/", reason=reason)

    admission = Admission(refused)
    application = FastAPI(
        docs_url=None, redoc_url=None, openapi_url=None, dependencies=[Depends(visit_of)], redirect_slashes=False
    )
    application.state.session = Session(workspace, templates, admission.root, admission.form_token)
    for pages in PAGES:
        application.include_router(pages.router, prefix=admission.root.rstrip("/"))
    for path in (STATIC_PATH, f"{admission.root}static/"):
        application.add_api_route(f"{path}{{name}}", _static, methods=["GET"])
    application.add_exception_handler(DiscreetError, _show_mistake)
    application.add_exception_handler(HTTPException, _show_refusal)
    admission.application = application
    return Workbench(Guard(admission), admission.address, admission.root, admission.form_token)


@lru_cache
def _static_bytes(package: str, name: str) -> bytes:
    return resources.files(package).joinpath("static", name).read_bytes()


def _static(name: str) -> Response:
    if name not in STATIC:
        raise HTTPException(404)
    package, media_type = STATIC[name]
    return Response(_static_bytes(package, name), media_type=media_type, headers={"cache-control": "max-age=3600"})


async def _show_mistake(request: Request, error: Exception) -> Response:
    """Show the message of a user's mistake on a page of its own."""
    if isinstance(error, NothingOpenError):
        return _error_page(request, 422, [], nothing_open=True)
    return _error_page(request, 422, message_of(error))


async def _show_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _error_page(request, error.status_code, [str(error.detail)])


def _error_page(request: Request, status: int, lines: list[str], *, nothing_open: bool = False) -> Response:
    session: Session = request.app.state.session
    texts = page_texts(PACKAGE, chosen_language(session.workspace.language, request.headers.get("accept-language")))
    page = rendered(
        session.templates, "error.html", texts, root=session.root, form_token=session.form_token,
        workspace=session.workspace, here=request.url.path.removeprefix(session.root),
        here_name=request.query_params.get("name", ""), error=lines, status=status, nothing_open=nothing_open,
    )  # fmt: skip
    return HTMLResponse(page, status, NO_STORE)
