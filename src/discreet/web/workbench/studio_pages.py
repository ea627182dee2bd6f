"""The studio: designs of noise side by side."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from discreet.web.workbench.visit import Visit, visit_of

router = APIRouter()

Visiting = Annotated[Visit, Depends(visit_of)]


@router.get("/studio")
def studio_page(visit: Visiting) -> Response:
    """Show the studio."""
    return visit.page("studio.html")
