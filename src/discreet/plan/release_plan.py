"""The plan of a release: all that is decided before a row is read.

    specification -> codebooks, layout, fixed counts -> touches -> table of noise -> promise

It sees the specification only, so nothing in a plan depends on the data.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.certify.ptable import PTable
from discreet.errors import SpecError
from discreet.exact import exact
from discreet.plan import codebook, fixed, layout, read_spec
from discreet.plan.codebook import Codebook
from discreet.plan.fixed import Known
from discreet.plan.guarantee import Promise, composed_promise
from discreet.plan.layout import Layout
from discreet.plan.noise_table import noise_table
from discreet.plan.spec import ReleaseSpec


@dataclass(frozen=True)
class Resolved:
    """A specification whose names are resolved.

    Attributes
    ----------
    codebooks
        For each dimension.
    layout
        The groupings and cells of all tables.
    literals
        The counts that are fixed.
    """

    spec: ReleaseSpec
    codebooks: Mapping[str, Codebook]
    layout: Layout
    literals: tuple[Known, ...]

    @property
    def touches(self) -> int:
        """How many times one person's loss is composed."""
        return self.layout.touches(self.spec.unit.contributions)


@dataclass(frozen=True)
class ReleasePlan:
    """What a release will measure and promise.

    Attributes
    ----------
    ptable
        The certified table of noise.
    touches
        How many times one person's loss is composed.
    promise
        What one person may lose in all, or None if nothing is promised.
    """

    spec: ReleaseSpec
    codebooks: Mapping[str, Codebook]
    layout: Layout
    literals: tuple[Known, ...]
    ptable: PTable
    touches: int
    promise: Promise | None


def resolve(spec: ReleaseSpec) -> Resolved:
    """Resolve the names of a specification.

    Raises
    ------
    SpecError
        A name is not declared, two declarations contradict each other, or categories are still to be found in the data.
    """
    books = {name: codebook.resolve(name, dimension) for name, dimension in spec.dimensions.items()}
    cells = layout.layout(spec, books)
    return Resolved(spec, books, cells, tuple(fixed.known(spec, cells)))


def make_plan(spec: ReleaseSpec) -> ReleasePlan:
    """Plan a release: choose and certify its noise, and compose what it promises.

    Raises
    ------
    SpecError
        The specification contradicts itself.
    ReleaseError
        The budget does not suffice.
    """
    resolved = resolve(spec)
    ptable = noise_table(spec, resolved.touches)
    promise = composed_promise(spec, ptable, resolved.touches)
    if promise is not None and spec.budget is not None:
        promise = promise.stated(exact(spec.budget.delta, "delta"))
    return plan_with(resolved, ptable, promise)


def plan_with(resolved: Resolved, ptable: PTable, promise: Promise | None) -> ReleasePlan:
    """Complete a plan by a table of noise and a promise."""
    return ReleasePlan(
        resolved.spec, resolved.codebooks, resolved.layout, resolved.literals, ptable, resolved.touches, promise
    )


def plan(spec: Any) -> ReleasePlan:
    """Return what a release would measure and promise. No data are read, and nothing is written.

    Parameters
    ----------
    spec
        A path, a dict or a ReleaseSpec.

    Raises
    ------
    DiscreetError
        A mistake in the specification, or a budget that does not suffice.

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
    >>> dc.release.plan(spec).touches
    2
    """
    file = read_spec.read(spec)
    for name, dimension in file.spec.dimensions.items():
        if dimension.from_data and dimension.categories is None:
            raise SpecError(
                f"dimension {name!r} takes its categories from the data, and a plan sees none; declare them"
            )
    with file.errors_with_lines():
        return make_plan(file.spec)
