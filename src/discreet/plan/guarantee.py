"""The guarantee of a release: the most that one person may lose by one count, and by all counts together.

The guarantee is computed from the specification and the certified tables of noise, so it does not depend on the data.

With several tables of noise, people in different cells lose differently. The composed guarantee is the largest over all
combinations of leaves: for each, the tables of all cells that hold it are composed (`touches`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.account.composition import MOST_PARTITIONED, Composition, compose
from discreet.account.group_privacy import group_profile
from discreet.account.privacy_profile import profile
from discreet.arrays import Floats
from discreet.certify.ptable import PTable
from discreet.errors import ExceededBudgetError
from discreet.exact import Epsilon, exact, rounded_up, upper
from discreet.plan.contributor_keys import unevenness
from discreet.plan.spec import ReleaseSpec
from discreet.plan.touches import Touches

PARTITIONS, GROUP = "all ways to split the rows", "group privacy"
"""How the rows of one person are accounted for."""


@dataclass(frozen=True)
class Promise:
    """The most that one person may lose in all: an upper bound.

    Attributes
    ----------
    epsilon
        Epsilon of the budget.
    delta
        Delta at this epsilon.
    floor
        Delta never falls below this, however large epsilon is.
    method
        How the rows of one person were accounted for: `PARTITIONS` (all ways to split the rows over cells) or `GROUP`
        (group privacy).
    """

    epsilon: str
    delta: float
    floor: float
    method: str = PARTITIONS

    def stated(self, budget: Fraction) -> "Promise":
        """Return the promise as it is published: rounded up to six digits, so that others can prove it easily.

        Group privacy is rounded up to three digits, because others may split a ratio among the rows less well. Delta is
        not rounded if it would exceed the delta of the budget.
        """
        delta, floor = (_rounded_up(value, self.method) for value in (self.delta, self.floor))
        return replace(self, delta=delta if delta <= budget else self.delta, floor=floor)


def _rounded_up(value: float, method: str) -> float:
    if method == PARTITIONS:
        return float(upper(Fraction(value)))
    return min(float(upper(Fraction(value) * Fraction(1001, 1000), 3)), 1.0)


def method_of(contributions: int) -> str:
    """Return how the cost of several rows of one person is bounded: by all partitions of the rows, or as a group."""
    return GROUP if contributions > MOST_PARTITIONED else PARTITIONS


def why_no_promise(spec: ReleaseSpec) -> str | None:
    """Return the reason why a release promises nothing, or None if it promises something."""
    return why_no_cell_promise(spec) or ("contributor keys do not compose" if spec.key == "contributors" else None)


def why_no_cell_promise(spec: ReleaseSpec) -> str | None:
    """Return the reason why not even one count, read alone, has a guarantee, or None if it has one."""
    if spec.record_keys is not None:
        return "the record keys came with the data"
    return spec.why_from_data


def cell_epsilon(ptables: Sequence[PTable]) -> int | float | Fraction:
    """Return an epsilon that holds for one count of any table, read alone: the largest of the certificates."""
    return max((ptable.guarantee.epsilon for ptable in ptables), key=lambda epsilon: Fraction(str(epsilon)))


def cell_delta(spec: ReleaseSpec, ptables: Sequence[PTable]) -> Fraction | None:
    """Return delta of one count, read alone, at `cell_epsilon`, or None if nothing is promised.

    With several tables, this is the largest of the tables, each at the epsilon of its own certificate. If a person has
    one row at most, the delta of one table is the delta of its certificate. Otherwise it is an upper bound.
    """
    if why_no_cell_promise(spec) is not None:
        return None
    return max(_one_table_delta(spec, ptable) for ptable in ptables)


def _one_table_delta(spec: ReleaseSpec, ptable: PTable) -> Fraction:
    epsilon, _, delta = ptable.guarantee
    if spec.unit.contributions == 1 and spec.key != "contributors":
        return delta
    bound = float(_one_table_deltas(spec, ptable, np.array([float(epsilon) * (1 - 2.0**-50)]))[0])
    if method_of(spec.unit.contributions) == GROUP:
        bound = _rounded_up(bound, GROUP)
    return max(delta, Fraction(bound))


def cell_deltas(spec: ReleaseSpec, ptables: Sequence[PTable], epsilons: Floats) -> Floats:
    """Return an upper bound of delta of one count of any table, read alone.

    All rows of a person may be in the count. Contributor keys are a little uneven, which adds to delta.

    Parameters
    ----------
    spec
        The specification: its unit and its kind of key.
    ptables
        The certified tables of noise.
    epsilons
        The epsilons at which delta is bounded.
    """
    return np.asarray(np.max([_one_table_deltas(spec, ptable, epsilons) for ptable in ptables], axis=0))


def _one_table_deltas(spec: ReleaseSpec, ptable: PTable, epsilons: Floats) -> Floats:
    if method_of(spec.unit.contributions) == GROUP:
        bound = group_profile(ptable, spec.unit.contributions).delta(epsilons)
    else:
        curves = [profile(ptable, rows + 1).delta(epsilons) for rows in range(spec.unit.contributions)]
        bound = np.max(curves, axis=0)
    if spec.key == "contributors":
        bound += (1 + np.exp(epsilons)) * float(unevenness(ptable.bits)) * (1 + 1e-9)
    return np.minimum(bound, 1)


def compositions(ptables: Sequence[PTable], touches: Touches, rows: int) -> list[Composition]:
    """Return what people lose in all their cells, composed, for every combination that may lose the most.

    Parameters
    ----------
    ptables
        The certified tables of noise.
    touches
        In how many cells of each table one person is.
    rows
        Most rows of one person.
    """
    return [compose(_parts(ptables, numbers), contributions=rows if rows > 1 else None) for numbers in touches.by_table]


def _parts(ptables: Sequence[PTable], numbers: Sequence[int]) -> list[tuple[PTable, int]]:
    return [(ptable, number) for ptable, number in zip(ptables, numbers, strict=True) if number]


def composed_promise(spec: ReleaseSpec, ptables: Sequence[PTable], touches: Touches) -> Promise | None:
    """Return the composed guarantee of a release, or None if nothing is promised.

    Parameters
    ----------
    spec
        The specification: its budget, its unit and its kind of key.
    ptables
        The certified tables of noise.
    touches
        In how many cells of each table one person is.

    Raises
    ------
    ExceededBudgetError
        The guarantee exceeds the budget.
    """
    if why_no_promise(spec) is not None:
        return None
    assert spec.budget is not None
    rows = spec.unit.contributions
    epsilon, delta = Epsilon.of(spec.budget.epsilon), exact(spec.budget.delta, "delta")
    bounds, together = [], compositions(ptables, touches, rows)
    for numbers, composition in zip(touches.by_table, together, strict=True):
        bound = composition.delta(float(epsilon) * (1 - 2.0**-50))
        if epsilon.exponent is not None:
            bound = min(bound, _basic_bound(_parts(ptables, numbers), epsilon.exponent, rows))
        bounds.append(bound)
    bound, floor = max(bounds), max(composition.floor for composition in together)
    if bound > delta:
        design = "this design" if len(ptables) == 1 else "these designs"
        raise ExceededBudgetError(
            f"the budget is epsilon {spec.budget.epsilon} and delta {spec.budget.delta}; with {design} (epsilon"
            f" {', '.join(str(ptable.guarantee.epsilon) for ptable in ptables)} a cell) one person"
            f" {_in_cells(touches.most, rows)} may lose delta {rounded_up(bound)} there, and"
            f" {rounded_up(floor)} at any epsilon",
            "publish fewer margins, take a noisier design, or leave the design out, so that the adviser chooses",
        )
    return Promise(spec.budget.epsilon, bound, floor, method_of(rows))


def _basic_bound(parts: Sequence[tuple[PTable, int]], epsilon: Fraction, rows: int) -> float:
    """Return the sum of the deltas of all cells, with epsilon shared out as the certificates say; 1 if none holds.

    One table: every cell has the same share; with several rows, the bound holds if nothing is lost beside epsilon.
    Several tables: k rows in a family of cells that are (e, d) private for one row are (k e, d + d exp(e) + ...
    + d exp((k - 1) e)) private, whichever cells the rows are in (group privacy).
    """
    if len(parts) == 1:
        ((ptable, number),) = parts
        total = number * ptable.delta(epsilon / (number * rows))
        if total == 0:
            return 0.0
        return float(np.nextafter(float(total), 1)) if rows == 1 else 1.0
    shares = [ptable.certificate.epsilon.exponent for ptable, _ in parts]
    exponents = [share for share in shares if share is not None]
    if len(exponents) < len(parts) or rows > MOST_PARTITIONED:
        return 1.0
    whole = rows * sum(number * share for (_, number), share in zip(parts, exponents, strict=True))
    bound = 0.0
    for (ptable, number), share in zip(parts, exponents, strict=True):
        own = epsilon * share / whole
        bound += number * float(ptable.delta(own)) * sum(math.exp(row * float(own)) for row in range(rows))
    return min(bound * (1 + 1e-9), 1.0)


def _in_cells(touches: int, rows: int) -> str:
    return f"in {touches} cells" if rows == 1 else f"with {rows} rows in {touches} groupings"
