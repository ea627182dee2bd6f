"""Tables and budget, with the plan beside them: guarantee, cost and error to expect, from the specification alone."""

from fastapi import APIRouter
from starlette.responses import Response

from discreet.errors import DiscreetError, InputError
from discreet.web.workbench import spec_forms
from discreet.web.workbench.visit import Visit, Visiting, message_of

router = APIRouter()


@router.get("/tables")
def tables_page(visit: Visiting) -> Response:
    """Show the tables, the budget and the plan."""
    return _shown(visit)


def _shown(visit: Visit, error: DiscreetError | None = None) -> Response:
    return visit.page("tables.html", error=error, current=visit.workspace.document.current)


def _changed(visit: Visit, edit: spec_forms.Edit) -> Response:
    def act() -> Response:
        visit.workspace.document.change(edit)
        return visit.to("tables")

    return visit.acting(act, lambda error: _shown(visit, error))


def _index(visit: Visit) -> int:
    """Return the number of the table that a form is about; the number of tables for a new one."""
    given, tables = visit.form.text("table"), visit.workspace.document.current.spec.tables
    if not (given.isascii() and given.isdigit() and int(given[:6]) <= len(tables)):
        raise InputError(f"there is no table {given!r:.40}; load the page again")
    return int(given)


@router.post("/table")
def change_table(visit: Visiting) -> Response:
    """Change a table, or add one."""
    index = _index(visit)
    return _changed(visit, lambda document: spec_forms.with_tables(document, index, visit.form))


@router.post("/remove-table")
def remove_table(visit: Visiting) -> Response:
    """Remove a table."""
    index = _index(visit)
    return _changed(visit, lambda document: spec_forms.without_table(document, index))


@router.post("/budget")
def change_budget(visit: Visiting) -> Response:
    """Change the budget."""
    return _changed(visit, lambda document: spec_forms.with_budget(document, visit.form))


@router.get("/plan")
def plan_part(visit: Visiting) -> Response:
    """Show what a release would promise, cost and get wrong."""
    try:
        planned, before = visit.workspace.planned()
    except DiscreetError as error:
        return visit.part("message.html", error=message_of(error))
    errors = {} if before is None else {grouping.name: grouping.error for grouping in before.groupings}
    return visit.part("plan.html", planned=planned, document=planned.document(), errors_before=errors)
