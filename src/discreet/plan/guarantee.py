"""The guarantee of a release: the most that one person may lose by one count, and by all counts together.

The guarantee is computed from the specification and the certified table of noise, so it does not depend on the data.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.account.composition import compose
from discreet.account.privacy_profile import profile
from discreet.certify.ptable import PTable
from discreet.errors import ExceededBudgetError
from discreet.exact import Epsilon, exact, upper
from discreet.plan.contributor_keys import unevenness
from discreet.plan.spec import ReleaseSpec


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
    """

    epsilon: str
    delta: float
    floor: float

    def stated(self, budget: Fraction) -> "Promise":
        """Return the promise as it is published: rounded up to six digits, so that others can prove it easily.

        Delta is not rounded if it would exceed the delta of the budget.
        """
        delta = _rounded_up(self.delta)
        return replace(self, delta=delta if delta <= budget else self.delta, floor=_rounded_up(self.floor))


def _rounded_up(value: float) -> float:
    return float(upper(Fraction(value)))


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
    bound = cell_deltas(spec, ptable, np.array([float(epsilon) * (1 - 2.0**-50)]))
    return max(delta, Fraction(float(bound[0])))


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
    bound = np.zeros(len(epsilons))
    for rows in range(spec.unit.contributions):
        bound = np.maximum(bound, profile(ptable, rows + 1).delta(epsilons))
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
    if rows == 1 and epsilon.exponent is not None:  # the sum over cells, exactly
        total = touches * ptable.delta(epsilon.exponent / touches)
        bound = min(bound, float(np.nextafter(float(total), 1)) if total else 0.0)
    if bound > delta:
        raise ExceededBudgetError(
            f"the budget is epsilon {spec.budget.epsilon} and delta {spec.budget.delta}; with this design (epsilon"
            f" {ptable.guarantee.epsilon} a cell) one person in {touches} cells may lose delta {bound:.3g} there, and"
            f" {together.floor:.3g} at any epsilon",
            "publish fewer margins, take a noisier design, or leave the design out, so that the adviser chooses",
        )
    return Promise(spec.budget.epsilon, bound, together.floor)
