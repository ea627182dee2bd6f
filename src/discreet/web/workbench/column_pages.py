"""Columns and what they become: categories and ranges, with the private preview of the true counts beside them."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from discreet.errors import DiscreetError, InputError
from discreet.labels import OTHER
from discreet.plan.yaml_file import text
from discreet.prepare.proposal import Proposed
from discreet.web.workbench import spec_forms
from discreet.web.workbench.visit import Visit, Visiting, message_of

router = APIRouter()

MOST_ROWS = 400
"""Categories of a dimension that are shown as rows."""


@router.get("/columns")
def columns_page(visit: Visiting) -> Response:
    """Show the dimensions, and the columns that are left out."""
    return _list_shown(visit)


def _list_shown(visit: Visit, error: DiscreetError | None = None) -> Response:
    return visit.page("columns.html", error=error, current=visit.workspace.document.current)


@router.get("/left-out")
def left_out_part(visit: Visiting) -> Response:
    """Show the columns that no dimension uses, with what is proposed for them."""
    try:
        proposal, current = visit.workspace.proposal(), visit.workspace.document.current
    except DiscreetError as error:
        return visit.part("message.html", error=message_of(error))
    used = {dimension.column for dimension in current.spec.dimensions.values()}
    proposed = [dimension for dimension in proposal.dimensions if dimension.column not in used]
    return visit.part("left-out.html", proposal=proposal, proposed=proposed)


@router.post("/add-dimension")
def add_dimension(visit: Visiting) -> Response:
    """Add a dimension for a column, as it is proposed."""
    column = visit.form.raw("column")

    def act() -> Response:
        workspace = visit.workspace
        proposed = next((part for part in workspace.proposal().dimensions if part.column == column), None)
        if proposed is None:
            raise InputError(f"nothing is proposed for the column {column!r:.80}; declare it as YAML")
        names = list(workspace.document.current.spec.dimensions)
        name = column.strip()
        while name in names or name.lower() in ("count", "grouping", "measurement", "low", "high", "measure"):
            name += "_"
        workspace.document.change(
            lambda document: document | {"dimensions": document["dimensions"] | {name: _as_section(proposed)}}
        )
        return visit.to("dimension", name=name)

    return visit.acting(act, lambda error: _list_shown(visit, error))


def _as_section(proposed: Proposed) -> dict[str, Any]:
    """Return a proposal as a dimension of a specification, marked as found in the data."""
    section: dict[str, Any] = {"column": proposed.column, "found": "data"}
    if proposed.ranges is not None:
        return section | {"ranges": {label: list(bounds) for label, bounds in proposed.ranges.items()}}
    categories = {label: list(values) for label, values in (proposed.categories or {}).items()}
    same = all(values == [label] for label, values in categories.items())
    return section | {"categories": list(categories) if same else categories}


@router.post("/declare")
def declare(visit: Visiting) -> Response:
    """Say where several dimensions are declared, which takes their marks away."""
    names, source = visit.form.texts("name"), visit.form.text("source")

    def act() -> Response:
        if not names or not source:
            raise InputError(
                "nothing is chosen, or no source is given; choose what you have checked, and say against what"
            )
        visit.workspace.document.change(lambda document: spec_forms.with_sources(document, names, source))
        return visit.to("columns")

    return visit.acting(act, lambda error: _list_shown(visit, error))


@router.post("/remove-dimension")
def remove_dimension(visit: Visiting) -> Response:
    """Remove a dimension that no table uses."""
    name = visit.form.raw("name")

    def act() -> Response:
        document = visit.workspace.document
        if name in document.current.spec.used:
            raise InputError(f"a table uses the dimension {name!r:.80}; take it out of the tables first")
        document.change(
            lambda content: (
                content
                | {"dimensions": {key: part for key, part in content["dimensions"].items() if text(key) != name}}
            )
        )
        return visit.to("columns")

    return visit.acting(act, lambda error: _list_shown(visit, error))


@router.get("/dimension")
def dimension_page(visit: Visiting) -> Response:
    """Show one dimension, to be changed."""
    return _shown(visit, visit.query("name"))


def _shown(visit: Visit, name: str, error: DiscreetError | None = None) -> Response:
    current = visit.workspace.document.current
    dimension = current.spec.dimensions.get(name)
    if dimension is None:
        raise InputError(f"there is no dimension {name!r:.80}; choose one from the list of columns")
    kind = visit.query("kind") or ("ranges" if dimension.ranges is not None else "categories")
    categories: Any = dimension.categories or []
    rows = (
        [(label, "" if values in ([label], label) else _lines(values)) for label, values in categories.items()]
        if isinstance(categories, dict)
        else [(label, "") for label in categories]
    )
    ranges = [
        (label, spec_forms.bound_text(_plain(lower)), spec_forms.bound_text(_plain(upper)))
        for label, (lower, upper) in (dimension.ranges or {}).items()
    ]
    return visit.page(
        "dimension.html",
        error=error,
        name=name,
        dimension=dimension,
        kind=kind,
        rows=rows,
        ranges=ranges,
        most_rows=MOST_ROWS,
    )


def _lines(values: Any) -> str:
    return "\n".join(values) if isinstance(values, list) else str(values)


def _plain(bound: Any) -> Any:
    """Return a whole number without a point, as people write it."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


@router.post("/dimension")
def change_dimension(visit: Visiting) -> Response:
    """Change what a dimension declares."""
    name = visit.form.raw("name")

    def act() -> Response:
        document = visit.workspace.document
        if name not in document.current.spec.dimensions:
            raise InputError(f"there is no dimension {name!r:.80}; choose one from the list of columns")
        document.change(lambda content: spec_forms.with_dimension(content, name, visit.form))
        return visit.to("dimension", name=name)

    return visit.acting(act, lambda error: _after_mistake(visit, name, error))


def _after_mistake(visit: Visit, name: str, error: DiscreetError) -> Response:
    if name in visit.workspace.document.current.spec.dimensions:
        return _shown(visit, name, error)
    return _list_shown(visit, error)


@router.get("/preview")
def preview_part(visit: Visiting) -> Response:
    """Show the true counts of a dimension. For the steward only."""
    if visit.query("again"):
        visit.workspace.results.clear()
    try:
        counts = visit.workspace.preview_of(visit.query("name"))
    except DiscreetError as error:
        return visit.part("message.html", error=message_of(error))
    return visit.part("preview.html", counts=counts, dimension=counts.dimensions[0], other=OTHER, most_rows=MOST_ROWS)
