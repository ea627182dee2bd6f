"""Files of published folders as they are, and the steward's private logs.

A published page comes from a file, so it gets a policy of its own: no scripts, nothing from elsewhere, and a sandbox.
"""

import base64
import hashlib
import re
from pathlib import Path
from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, ValidationError
from starlette.responses import FileResponse, Response

from discreet import files
from discreet.errors import InputError
from discreet.publish.steward_log import WARNING
from discreet.web.workbench.release_pages import LOG_ENDING
from discreet.web.workbench.visit import NO_STORE, Visiting
from discreet.web.workbench.working_folder import MANIFEST

router = APIRouter()

SHOWN_TYPES = {
    ".csv": "text/plain; charset=utf-8", ".json": "application/json", ".md": "text/plain; charset=utf-8",
    ".yaml": "text/plain; charset=utf-8", ".txt": "text/plain; charset=utf-8",
}  # fmt: skip
"""Types of files that a browser shows. Others are downloaded."""

REPORT = "report.html"
LARGEST_LOG = 20_000_000
LARGEST_MANIFEST = 100_000_000
_STYLE = re.compile(b"<style>(.*?)</style>", re.DOTALL)


@router.get("/published/{path:path}")
def published_file(visit: Visiting, path: str) -> Response:
    """Return a file of a published folder."""
    file = visit.workspace.folder.existing(path)
    if not _is_published(file):
        raise InputError(f"{path!r:.200} is no file of a published folder; choose a folder from the list")
    if file.name == REPORT:
        return _report(file.read_bytes())
    shown = SHOWN_TYPES.get(file.suffix.lower())
    disposition = "attachment" if shown is None else "inline"
    return FileResponse(
        file, media_type=shown or "application/octet-stream", filename=file.name, headers=NO_STORE,
        content_disposition_type=disposition,
    )  # fmt: skip


def _is_published(file: Path) -> bool:
    """Return True if the manifest beside a file, or above its folder, is the manifest of a release and lists the file.

    The path of the file is real: it has no links. So a link in a published folder leads to nothing else.
    """
    for folder in (file.parent, file.parent.parent):
        try:
            with files.open_file(folder / MANIFEST) as opened:
                stated = _PublishedFiles.model_validate_json(opened.read(LARGEST_MANIFEST)).files
        except (OSError, InputError, ValidationError):
            continue
        return file.is_file() and file.relative_to(folder).as_posix() in (MANIFEST, *stated)
    return False


class _PublishedFiles(BaseModel):
    """What is read of a manifest."""

    format: Literal["discreet release"]
    files: dict[str, str]


def _report(content: bytes) -> Response:
    """Return a report with a policy that allows its own style sheet, by digest, and no script."""
    digests = [base64.b64encode(hashlib.sha256(style).digest()).decode() for style in _STYLE.findall(content)]
    sources = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    policy = (
        f"default-src 'none'; style-src {sources}; img-src data:; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'; sandbox allow-same-origin allow-downloads"
    )
    return Response(
        content, media_type="text/html; charset=utf-8", headers={"content-security-policy": policy} | NO_STORE
    )


@router.get("/log")
def log_page(visit: Visiting) -> Response:
    """Show a private log of a release."""
    name = visit.query("file")
    file = visit.workspace.folder.existing(name)
    try:
        with files.open_file(file) as opened:
            log = _Log.model_validate_json(opened.read(LARGEST_LOG))
    except (OSError, ValidationError):
        log = None
    if not name.endswith(LOG_ENDING) or log is None or log.warning != WARNING:
        raise InputError(f"{name!r:.200} is no log of a release; logs end in {LOG_ENDING}")
    return visit.page("log.html", log=log, name=name, error_keys=tuple(_Errors.model_fields))


class _Errors(BaseModel):
    largest_error: int
    mean_absolute_error: float
    root_mean_square_error: float


class _LogTable(BaseModel):
    table: str
    errors: list[_Errors]


class _LogDimension(BaseModel):
    rows_in_other: int
    undeclared: str | list[str | int | float | None] = []


class _Log(BaseModel):
    """What a page shows of a log."""

    warning: str
    rows_in_source: int
    rows_counted: int
    dimensions: dict[str, _LogDimension]
    tables: list[_LogTable]
