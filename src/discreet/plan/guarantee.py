"""The guarantee of a release: the most that one person may lose by one count, and by all counts together.

The guarantee is computed from the specification and the certified table of noise, so it does not depend on the data.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.account.composition import MOST_PARTITIONED, compose
from discreet.account.group_privacy import group_profile
from discreet.account.privacy_profile import profile
from discreet.certify.ptable import PTable
from discreet.errors import ExceededBudgetError
from discreet.exact import Epsilon, exact, upper
from discreet.plan.contributor_keys import unevenness
from discreet.plan.spec import ReleaseSpec

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


def cell_delta(spec: ReleaseSpec, ptable: PTable) -> Fraction | None:
    """Return delta of one count, read alone, at the epsilon of the certificate, or None if nothing is promised.

    If a person has one row at most, this is the delta of the certificate. Otherwise it is an upper bound.
    """
    if why_no_cell_promise(spec) is not None:
        return None
    epsilon, _, delta = ptable.guarantee
    if spec.unit.contributions == 1 and spec.key != "contributors":
        return delta
    bound = float(cell_deltas(spec, ptable, np.array([float(epsilon) * (1 - 2.0**-50)]))[0])
    if method_of(spec.unit.contributions) == GROUP:
        bound = _rounded_up(bound, GROUP)
    return max(delta, Fraction(bound))


def cell_deltas(spec: ReleaseSpec, ptable: PTable, epsilons: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return an upper bound of delta of one count, read alone.

    All rows of a person may be in the count. Contributor keys are a little uneven, which adds to delta.

    Parameters
    ----------
    spec
        The specification: its unit and its kind of key.
    ptable
        The certified table of noise.
    epsilons
        The epsilons at which delta is bounded.
    """
    if method_of(spec.unit.contributions) == GROUP:
        bound = group_profile(ptable, spec.unit.contributions).delta(epsilons)
    else:
        curves = [profile(ptable, rows + 1).delta(epsilons) for rows in range(spec.unit.contributions)]
        bound = np.max(curves, axis=0)
    if spec.key == "contributors":
        bound += (1 + np.exp(epsilons)) * float(unevenness(ptable.bits)) * (1 + 1e-9)
    return np.minimum(bound, 1)


def composed_promise(spec: ReleaseSpec, ptable: PTable, touches: int) -> Promise | None:
    """Return the composed guarantee of a release, or None if nothing is promised.

    Parameters
    ----------
    spec
        The specification: its budget, its unit and its kind of key.
    ptable
        The certified table of noise.
    touches
        Number of times that one person's loss is composed.

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
    together = compose(ptable, touches, contributions=rows if rows > 1 else None)
    bound = together.delta(float(epsilon) * (1 - 2.0**-50))
    if epsilon.exponent is not None:  # the sum over cells, exactly; for several rows, if nothing is lost beside epsilon
        total = touches * ptable.delta(epsilon.exponent / (touches * rows))
        if rows == 1 or total == 0:
            bound = min(bound, float(np.nextafter(float(total), 1)) if total else 0.0)
    if bound > delta:
        raise ExceededBudgetError(
            f"the budget is epsilon {spec.budget.epsilon} and delta {spec.budget.delta}; with this design (epsilon"
            f" {ptable.guarantee.epsilon} a cell) one person {_in_cells(touches, rows)} may lose delta {bound:.3g}"
            f" there, and {together.floor:.3g} at any epsilon",
            "publish fewer margins, take a noisier design, or leave the design out, so that the adviser chooses",
        )
    return Promise(spec.budget.epsilon, bound, together.floor, method_of(rows))


def _in_cells(touches: int, rows: int) -> str:
    return f"in {touches} cells" if rows == 1 else f"with {rows} rows in {touches} groupings"
