"""One request to the workbench: what the steward sent, and how a page answers.

Every form carries the token of the session, besides the check of the origin that all servers make.
"""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qs, quote

from fastapi import Depends
from jinja2 import Environment
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from discreet.errors import DiscreetError
from discreet.redact import hide_secrets
from discreet.web.shared.language import PageTexts, chosen_language, page_texts
from discreet.web.shared.security import READING
from discreet.web.shared.templating import rendered
from discreet.web.workbench.workspace import Workspace

PACKAGE = "discreet.web.workbench"
FORM_TOKEN = "form_token"  # noqa: S105 - the name of a field
MOST_FIELDS = 20_000
FORM_TYPE = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Form:
    """The fields of a form, each with all its values."""

    fields: Mapping[str, list[str]]

    def text(self, name: str, default: str = "") -> str:
        """Return the first value of a field without spaces around it."""
        return self.fields.get(name, [default])[0].strip()

    def texts(self, name: str) -> list[str]:
        """Return all values of a field."""
        return list(self.fields.get(name, []))

    def raw(self, name: str) -> str:
        """Return the first value of a field as it was sent."""
        return self.fields.get(name, [""])[0]

    def has(self, name: str) -> bool:
        """Return True if the field was sent."""
        return name in self.fields


@dataclass(frozen=True)
class Session:
    """What all requests of a session share."""

    workspace: Workspace
    templates: Environment
    root: str
    form_token: str


@dataclass(frozen=True)
class Visit:
    """One request.

    Attributes
    ----------
    session
        What all requests share.
    request
        The request.
    form
        The fields that were sent.
    texts
        The texts in the language of the steward.
    """

    session: Session
    request: Request
    form: Form
    texts: PageTexts

    @property
    def workspace(self) -> Workspace:
        """The state of the session."""
        return self.session.workspace

    def query(self, name: str) -> str:
        """Return a value of the address; empty if there is none."""
        return self.request.query_params.get(name, "")

    def render(self, template: str, **values: object) -> str:
        """Return a page or a part of a page."""
        session = self.session
        return rendered(
            session.templates, template, self.texts, root=session.root, form_token=session.form_token,
            workspace=session.workspace, here=self.request.url.path.removeprefix(session.root),
            here_name=self.query("name") or self.form.raw("name"), **values,
        )  # fmt: skip

    def page(self, template: str, *, error: DiscreetError | None = None, **values: object) -> Response:
        """Return a page as an answer, with the message of an error if there is one."""
        html = self.render(template, error=None if error is None else message_of(error), **values)
        changed = {"HX-Trigger-After-Settle": "spec-changed"} if "hx-request" in self.request.headers else {}
        return HTMLResponse(html, 200 if error is None else 422, changed | NO_STORE)

    def part(self, template: str, *, status: int = 200, **values: object) -> Response:
        """Return a part of a page as an answer."""
        return HTMLResponse(self.render(template, **values), status, NO_STORE)

    def to(self, page: str, **query: str) -> Response:
        """Lead to another page."""
        address = "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())
        return RedirectResponse(f"{self.session.root}{page}{'?' if address else ''}{address}", 303)

    def back(self, page: str, name: str) -> Response:
        """Lead back to the page that a link or a form was on; `name` is the dimension of the page of one dimension."""
        if page == "dimension":
            known = self.workspace.is_open and name in self.workspace.document.current.spec.dimensions
            return self.to("dimension", name=name) if known else self.to("columns")
        return self.to(page if page.isascii() and page.isalpha() else "")

    def acting(self, act: Callable[[], Response], show: Callable[[DiscreetError], Response]) -> Response:
        """Do what a form asks for. Show the page of the form with the message if that is a mistake."""
        try:
            return act()
        except DiscreetError as error:
            return show(error)


NO_STORE = {"cache-control": "no-store"}


def message_of(error: BaseException) -> list[str]:
    """Return the lines of an error and of its notes, without what may be a secret."""
    text = "\n".join([str(error), *getattr(error, "__notes__", ())])
    return hide_secrets(text).splitlines() or [type(error).__name__]


async def visit_of(request: Request) -> Visit:
    """Return the visit of a request.

    Raises
    ------
    HTTPException
        The form does not come from a page of the session, or is no form.
    """
    session: Session = request.app.state.session
    language = chosen_language(session.workspace.language, request.headers.get("accept-language"))
    texts = page_texts(PACKAGE, language)
    form = Form({}) if request.method in READING else await _form(request)
    if request.method not in READING and not hmac.compare_digest(
        form.raw(FORM_TOKEN).encode("utf-8", "replace"), session.form_token.encode()
    ):
        raise HTTPException(403, "this form does not come from a page of this session; load the page again")
    return Visit(session, request, form, texts)


Visiting = Annotated[Visit, Depends(visit_of)]
"""The visit of a request, as the parameter of a page."""


async def _form(request: Request) -> Form:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM_TYPE:
        raise HTTPException(415, f"forms are sent as {FORM_TYPE}")
    body = await request.body()
    try:
        fields = parse_qs(
            body.decode("utf-8", "replace"), keep_blank_values=True, errors="replace", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise HTTPException(413, f"a form has at most {MOST_FIELDS:,} fields") from None
    return Form(fields)
