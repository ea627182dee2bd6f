"""The specification as YAML: to read, to change, to save, to take a change back."""

from fastapi import APIRouter
from starlette.responses import Response

from discreet.errors import DiscreetError, OutputError, SpecError
from discreet.web.workbench.visit import Visit, Visiting

router = APIRouter()


@router.get("/yaml")
def yaml_page(visit: Visiting) -> Response:
    """Show the text of the specification."""
    return _shown(visit)


def _shown(visit: Visit, error: DiscreetError | None = None) -> Response:
    workspace = visit.workspace
    if workspace.unread is not None:
        file, draft = workspace.unread
        return visit.page("yaml.html", error=error or draft.error, content=draft.content, file=file, document=None)
    document = workspace.document
    draft_or_none = document.draft if error is not None else None
    content = document.current.content if draft_or_none is None else draft_or_none.content
    return visit.page("yaml.html", error=error, content=content, file=document.file, document=document)


@router.post("/yaml")
def replace_text(visit: Visiting) -> Response:
    """Take the text of the form."""

    def act() -> Response:
        workspace, number = visit.workspace, visit.form.text("number")
        if workspace.unread is None and number and number != str(workspace.document.current.number):
            raise SpecError(
                "the specification was changed on another page since this text was shown; copy what you changed, load"
                " this page again, and change it there"
            )
        workspace.replace(visit.form.raw("content"))
        return visit.to("yaml")

    return visit.acting(act, lambda error: _shown(visit, error))


@router.get("/yaml-text")
def yaml_text(visit: Visiting) -> Response:
    """Show the text beside a form."""
    return visit.part("yaml-text.html", content=visit.workspace.document.current.content)


@router.post("/undo")
def undo(visit: Visiting) -> Response:
    """Take the last change back."""
    visit.workspace.document.undo()
    return visit.back(visit.form.text("page") or "yaml", visit.form.raw("name"))


@router.post("/save")
def save(visit: Visiting) -> Response:
    """Write the specification to its file, or to a new file beside it."""

    def act() -> Response:
        document, name = visit.workspace.document, visit.form.text("name")
        if name in ("", document.file.name):
            document.save()
        else:
            if "/" in name or "\\" in name:
                raise OutputError(f"the name is {name!r:.100}; give a name without slashes, and the file stays beside")
            document.save(visit.workspace.folder.new(_beside(visit, name), "the name of the specification"))
        return visit.to("yaml")

    return visit.acting(act, lambda error: _shown(visit, error))


def _beside(visit: Visit, name: str) -> str:
    """Return the path of a file beside the specification, below the working folder."""
    workspace = visit.workspace
    folder = workspace.folder.relative(workspace.document.file.parent)
    return name if folder == "." else f"{folder}/{name}"
