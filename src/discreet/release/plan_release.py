"""Plan a release as it would be made now, around what earlier releases under its version label measured."""

from typing import Any

from discreet.measure.kept_plans import kept_plans
from discreet.plan import release_plan
from discreet.plan.release_plan import ReleasePlan


def plan(spec: Any) -> ReleasePlan:
    """Return what a release would measure and promise. No data are read, and nothing is reserved.

    With `measure: plan`, the plan that is kept under the version label is reused: it is read from the ledger, or from
    the memory of the secret, if there is one.

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
    LedgerError
        The ledger cannot be read.
    SecretError
        The secret, or its memory, cannot be used.

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
    ReleasePlan(1 tables, 2 groupings, geometric, 2 touches, epsilon 1, delta 6.73e-07)
    >>> plan.touches
    2
    """
    return release_plan.plan(spec, kept_plans)
