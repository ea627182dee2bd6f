"""Whose privacy is kept, the labels of the release, its keys and its ledger."""

from fastapi import APIRouter
from starlette.responses import Response

from discreet.errors import DiscreetError
from discreet.measure import secrets
from discreet.web.workbench import spec_forms
from discreet.web.workbench.visit import Visit, Visiting

router = APIRouter()

OUTPUTS = ("csv", "parquet", "json-stat", "sdmx-csv", "xlsx")


@router.get("/settings")
def settings_page(visit: Visiting) -> Response:
    """Show the settings."""
    return _shown(visit)


def _shown(visit: Visit, error: DiscreetError | None = None) -> Response:
    current = visit.workspace.document.current
    secret = (current.document.get("secret") or {}).get("file", "")
    return visit.page("settings.html", error=error, current=current, secret=secret, outputs=OUTPUTS)


@router.post("/settings")
def change_settings(visit: Visiting) -> Response:
    """Change the settings."""

    def act() -> Response:
        visit.workspace.document.change(lambda document: spec_forms.with_settings(document, visit.form))
        return visit.to("settings")

    return visit.acting(act, lambda error: _shown(visit, error))


@router.post("/new-secret")
def new_secret(visit: Visiting) -> Response:
    """Make a new secret beside the specification, and use it."""

    def act() -> Response:
        document, name = visit.workspace.document, visit.form.text("name")
        inner = visit.workspace.folder.relative(document.file.parent / name) if name else ""
        secrets.new_secret(visit.workspace.folder.new(inner, "the name of the secret"))
        document.change(lambda content: {key: part for key, part in content.items() if key != "key"} | _secret(name))
        return visit.to("settings")

    return visit.acting(act, lambda error: _shown(visit, error))


def _secret(name: str) -> dict[str, object]:
    return {"secret": {"file": name}, "key": "query"}
