"""Release with progress, and what the release left: the folder, and the private log."""

from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from discreet.errors import DiscreetError, InputError
from discreet.publish.two_checks import TwoChecks
from discreet.web.workbench.release_job import Made, release_job, verify_job
from discreet.web.workbench.visit import Visit, Visiting, message_of

router = APIRouter()

LOG_ENDING = ".private.json"


@router.get("/release")
def release_page(visit: Visiting) -> Response:
    """Show the form, or how far the release is, or what it left."""
    return _shown(visit)


def _shown(visit: Visit, error: DiscreetError | None = None) -> Response:
    workspace = visit.workspace
    document = workspace.document
    return visit.page(
        "release.html", error=error, document=document, spec=document.current.spec, folder_name=_free_folder(visit),
        **_progress(visit),
    )  # fmt: skip


def _free_folder(visit: Visit) -> str:
    """Return a name for the folder that nothing has."""
    stem = f"{visit.workspace.document.file.stem}-published"
    number, name = 2, stem
    while (visit.workspace.folder.path / name).exists():
        number, name = number + 1, f"{stem}-{number}"
    return name


def _progress(visit: Visit) -> dict[str, Any]:
    """Return what pages show of the last job."""
    job = visit.workspace.job
    error = None if job is None or job.error is None else message_of(job.error)
    result = None if job is None else job.result
    return {
        "job": job,
        "job_error": error,
        "made": result if isinstance(result, Made) else None,
        "checks": result if isinstance(result, TwoChecks) else None,
    }


@router.post("/release")
def start_release(visit: Visiting) -> Response:
    """Save the specification, and start the release."""

    def act() -> Response:
        workspace, form = visit.workspace, visit.form
        name = form.text("folder")
        folder = workspace.folder.new(name, "the name of the published folder")
        log = (
            workspace.folder.new(f"{name.rstrip('/')}{LOG_ENDING}", "the name of the log") if form.has("log") else None
        )
        document = workspace.document
        document.save()
        workspace.start(release_job(document.file, workspace.folder.relative(folder), folder, log))
        return visit.to("release")

    return visit.acting(act, lambda error: _shown(visit, error))


@router.get("/progress")
def progress_part(visit: Visiting) -> Response:
    """Show how far the job is, or what it left."""
    return visit.part("progress.html", is_part=True, **_progress(visit))


@router.post("/verify")
def start_verify(visit: Visiting) -> Response:
    """Check a published folder."""
    name = visit.form.raw("folder")

    def act() -> Response:
        folder = visit.workspace.folder.existing(name)
        if not Path(folder).is_dir():
            raise InputError(f"{name!r:.200} is not a folder; choose the folder of a release")
        visit.workspace.start(verify_job(name, folder))
        return visit.to("check")

    return visit.acting(act, lambda error: _check_shown(visit, error))


@router.get("/check")
def check_page(visit: Visiting) -> Response:
    """Show what the check of a folder found."""
    return _check_shown(visit)


def _check_shown(visit: Visit, error: DiscreetError | None = None) -> Response:
    return visit.page("check.html", error=error, listing=visit.workspace.folder.listing(), **_progress(visit))
