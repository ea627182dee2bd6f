"""The ledger: what was spent, what is reserved, what is left, whether the chain holds, and its export."""

from fastapi import APIRouter
from starlette.responses import Response

from discreet.account.ledger.ledger import Ledger
from discreet.account.ledger.statement import Statement
from discreet.errors import DiscreetError, InputError
from discreet.exact import text
from discreet.measure import secrets
from discreet.web.workbench.visit import Visit, Visiting

router = APIRouter()


@router.get("/ledger")
def ledger_page(visit: Visiting) -> Response:
    """Show the ledger of the specification."""
    if not visit.workspace.is_open or visit.workspace.document.current.spec.ledger is None:
        return _shown(visit, None)
    try:
        return _shown(visit, _opened(visit).show())
    except DiscreetError as error:
        return _shown(visit, None, error=error)


def _shown(
    visit: Visit,
    statement: Statement | None,
    *,
    verified: bool | None = None,
    exported: str | None = None,
    error: DiscreetError | None = None,
) -> Response:
    budget = None if statement is None else statement.budget
    return visit.page(
        "ledger.html", error=error, statement=statement, verified=verified, exported=exported,
        budget_epsilon="" if budget is None else text(budget.epsilon),
        budget_delta="" if budget is None else text(budget.delta),
    )  # fmt: skip


def _opened(visit: Visit) -> Ledger:
    spec = visit.workspace.document.current.spec
    if spec.ledger is None:
        raise InputError("the specification names no ledger; give one in the settings")
    return Ledger.at(spec.ledger, secrets.of_spec(spec.secret))


@router.post("/verify-ledger")
def verify_ledger(visit: Visiting) -> Response:
    """Recompute the chain, the sums and the cells."""
    return visit.acting(
        lambda: _shown(visit, _opened(visit).verify(), verified=True), lambda error: _shown(visit, None, error=error)
    )


@router.post("/export-ledger")
def export_ledger(visit: Visiting) -> Response:
    """Write all entries to a file in the folder."""

    def act() -> Response:
        ledger, name = _opened(visit), visit.form.text("name")
        ledger.export(visit.workspace.folder.new(name, "the name of the file"))
        return _shown(visit, ledger.show(), exported=name)

    return visit.acting(act, lambda error: _shown(visit, None, error=error))
