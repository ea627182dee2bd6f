"""The units of its ledger that a release may cost, for the planner."""

from discreet.account.ledger.currency import Budget
from discreet.measure import secrets
from discreet.plan.measure_by_default import is_planned
from discreet.plan.planner.ledger_units import LedgerUnits
from discreet.plan.spec import ReleaseSpec


def ledger_units(spec: ReleaseSpec) -> LedgerUnits | None:
    """Return the units of its ledger that the budget of a release allows it to cost.

    These are as many as the ledger would hold if the budget of the release were the budget of the ledger. What was
    spent before does not count, so that a plan is the same whatever was published before. Nothing is reserved.

    Parameters
    ----------
    spec
        The specification of a release.

    Returns
    -------
    LedgerUnits or None
        The unit and the number of units. None if there is no ledger, if the release is not planned, or if the budget
        does not hold one unit.

    Raises
    ------
    SecretError
        The secret cannot be read.
    LedgerError
        The ledger cannot be opened.
    """
    if spec.ledger is None or spec.budget is None or not is_planned(spec):
        return None
    from discreet.account.ledger.ledger import Ledger  # a release without a ledger does not load its database

    ledger = Ledger.at(spec.ledger, secrets.of_spec(spec.secret))
    most = ledger.unit.fitting(Budget.of(spec.budget.epsilon, spec.budget.delta), ledger.capacity)
    return LedgerUnits(ledger.unit, most) if most else None
