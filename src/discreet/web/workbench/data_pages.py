"""The first step: choose a data file or a specification in the folder."""

from fastapi import APIRouter
from starlette.responses import Response

from discreet.errors import DiscreetError
from discreet.web.shared.language import chosen_language
from discreet.web.workbench.visit import Visit, Visiting
from discreet.web.workbench.working_folder import SPEC_ENDINGS

router = APIRouter()


@router.get("/")
def data_page(visit: Visiting) -> Response:
    """Show the folder, and what is open."""
    return _shown(visit)


def _shown(visit: Visit, error: DiscreetError | None = None) -> Response:
    listing = visit.workspace.folder.listing(visit.query("folder"))
    return visit.page("data.html", error=error, listing=listing)


@router.post("/open")
def open_file(visit: Visiting) -> Response:
    """Open a file."""
    name, form = visit.form.raw("file"), visit.form

    def act() -> Response:
        visit.workspace.open_file(name, table=form.text("table") or None, sheet=form.text("sheet") or None)
        return visit.to("columns")

    def show(error: DiscreetError) -> Response:
        if name.lower().endswith(SPEC_ENDINGS) and visit.workspace.unread is not None:
            return visit.to("yaml")
        return _shown(visit, error)

    return visit.acting(act, show)


@router.get("/language")
def choose_language(visit: Visiting) -> Response:
    """Take another language, and go back to the page."""
    visit.workspace.language = chosen_language(visit.query("to"), None)
    return visit.back(visit.query("page"), visit.query("name"))
