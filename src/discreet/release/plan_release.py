"""`dc.release.plan`: what a release would measure and promise, around what was measured under its version label."""

from typing import Any

from discreet.errors import SpecError
from discreet.measure.kept_plans import kept_plans
from discreet.measure.unit_allowance import ledger_units
from discreet.plan import read_spec
from discreet.plan.release_plan import ReleasePlan, make_plan


def plan(spec: Any) -> ReleasePlan:
    """Return what a release would measure and promise. No data are read, and nothing is reserved.

    If the release is planned, the plan that is kept under its version label is reused: it is read from the ledger or,
    without a ledger, from the memory of the secret. A new plan costs no more units of the ledger than the budget of the
    release allows.

    Parameters
    ----------
    spec
        The path of a YAML file, a dict or a ReleaseSpec.

    Returns
    -------
    ReleasePlan
        The groupings, the tables of noise, the touches and the promise.

    Raises
    ------
    SpecError
        The specification has a mistake, or takes categories from the data.
    ReleaseError
        The budget does not suffice, or a plan leaves out what was measured under its label.
    SecretError
        The secret, or its memory, cannot be used.
    LedgerError
        The ledger cannot be read.

    Examples
    --------
    >>> import discreet as dc
    >>> spec = {
    ...     "version": "2026",
    ...     "source": {"csv": "people.csv"},
    ...     "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
    ...     "tables": [{"name": "people", "dimensions": ["sex"], "margins": "all"}],
    ...     "budget": {"epsilon": 1, "delta": "1e-6"},
    ...     "key": "fresh",
    ... }
    >>> plan = dc.release.plan(spec)
    >>> plan
    ReleasePlan(1 tables, 2 groupings, geometric, 1 touches, epsilon 1, delta 3.85e-07)
    >>> plan.touches
    1
    >>> plan.promise.epsilon, plan.promise.delta <= 1e-6
    ('1', True)
    >>> [(grouping.name, grouping.size) for grouping in plan.layout.groupings]
    [('sex', 3), ('total', 1)]
    >>> plan.ptable_of(0) is plan.ptables[0]
    True
    """
    spec_file = read_spec.read(spec)
    for name, dimension in spec_file.spec.dimensions.items():
        if dimension.from_data and dimension.categories is None:
            raise SpecError(
                f"dimension {name!r} takes its categories from the data, and a plan sees none; declare them"
            )
    with spec_file.errors_with_lines():
        return make_plan(spec_file.spec, kept_plans(spec_file.spec), ledger_units(spec_file.spec), compare=True)
