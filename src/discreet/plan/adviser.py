"""The adviser: the designs that meet a budget, the total (epsilon, delta) of one person over all touched cells.

The best noise depends on the number of cells that one person touches. For one cell it is truncated geometric noise
(epsilon .5, delta 1e-4: variance 7.75, against 38.9 for maximum entropy), because each of its steps costs exactly
epsilon. For a thousand cells it is the bell of maximum entropy, because its losses average out (variance 49, delta
1e-3: epsilon 23 in all, against 39).

Every family of designs has a scale s: a larger s means more noise. Noise on unbounded counts also has an end, and the
probability of the end is lost outright: over k cells 1 - (1 - p(D))^k of delta. So, for several shares of delta that
the ends may take, the adviser finds the least s whose composition (`account.compose`, an upper bound) meets the budget.
The adviser rounds s to a short number on the noisy side, certifies the design and composes the certified integers. A
table that misses the budget is made noisier and is never returned.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from discreet import data_frames, pictures
from discreet.account.composition import Composition, compose
from discreet.account.privacy_profile import profile
from discreet.certify.ptable import PTable
from discreet.design import parameters
from discreet.design.additive.maxent import SMALLEST_DELTA
from discreet.domain import Counts, Cycle, Domain
from discreet.errors import CertifyError, DiscreetError, ParameterError, PrecisionWarning
from discreet.exact import Epsilon, Number, exact
from discreet.mechanism import Mechanism
from discreet.plan._noise_families import SHARES, WIDEST, Family, Make, families, short

BITS = (32, 48, 62)
"""Sizes of tables, tried in turn: a small delta in each cell needs many bits."""

CLOSE = 1.002
"""Ratio of the bounds between which the search for a scale ends."""

ATTEMPTS = 12
"""Members of a family that are certified, each noisier than the one before."""

MOST_CONTRIBUTIONS = 10

SMALLEST_SCALE, LARGEST_SCALE = 1e-2, 2e3
"""Standard deviations between which the search for noise goes."""

FARTHEST = 10.0
"""Scale, in units of sqrt(cells) * contributions / epsilon, at which a bell loses less than 1e-20 of delta in all."""

NOTES = {
    "geometric": "every step costs exactly epsilon, which is best if one person is in few cells",
    "maxent": "losses average out over many cells, and the noise has a hard end",
    "gaussian": "losses average out over many cells; the end of the noise follows from the budget",
    "staircase": "flat steps as wide as the number of rows of one person",
    "bounded": "the largest chance of the true count for its support",
    "constrained": "the least squared error on a small range of counts",
    "fair": "the same chance of the true count for every true count",
    "cyclic": "the largest chance of the true answer",
}
"""The advantage of each family."""


@dataclass(frozen=True, repr=False)
class Advice:
    """A certified design that meets the budget.

    Attributes
    ----------
    name
        The family of the design.
    mechanism
        The design, before it is certified.
    ptable
        The certified table, for one cell.
    variance
        Mean squared error of a cell, over the true counts. On a cycle: the chance of a value other than the true one.
    epsilon, delta
        Upper bounds for one person over all cells: epsilon at the delta of the budget, delta at the epsilon of the
        budget.
    floor
        Delta never falls below this, however large epsilon is.
    reason
        The advantage of the design, in a sentence.
    """

    name: str
    mechanism: Mechanism
    ptable: PTable
    variance: float
    epsilon: float
    delta: float
    floor: float
    reason: str

    def __repr__(self) -> str:
        return f"Advice({self.name}, variance {self.variance:.4g}, {self._cost()} in all)"

    def to_frame(self, *, to: str | None = None) -> Any:
        """Return the advice as a data frame of one row. `to` is "pandas", "polars", "arrow" or None, as elsewhere."""
        numbers = {name: [getattr(self, name)] for name in ("variance", "epsilon", "delta", "floor")}
        return data_frames.frame(
            {"design": [self.name], **numbers, "bits": [self.ptable.bits], "reason": [self.reason]}, to
        )

    def plot(self, *, axes: Any = None) -> Any:
        """Draw the noise of the table; see `PTable.plot`."""
        return self.ptable.plot(axes=axes)

    def _repr_html_(self) -> str:
        facts = {"variance": f"{self.variance:.4g}", "one person, in all": self._cost(), "reason": self.reason}
        return pictures.card(f"Advice: {self.name}", facts, self.ptable.noise_picture())

    def _cost(self) -> str:
        return f"epsilon {self.epsilon:.4g}, delta {self.delta:.3g}"


@dataclass(frozen=True)
class TotalBudget:
    """The most that one person may lose in all.

    Attributes
    ----------
    epsilon, delta
        The budget.
    cells
        Number of cells that one person touches.
    contributions
        Most rows of one person in each grouping.
    """

    epsilon: Epsilon
    delta: Fraction
    cells: int
    contributions: int

    def met(self, composed: Composition) -> bool:
        """Return True if the upper bound of a composition is within the budget."""
        return Fraction(composed.delta(float(self.epsilon) * (1 - 2.0**-50))) <= self.delta

    def met_by(self, ptable: PTable) -> bool:
        """Return True if a certified table is within the budget, by a sum over cells in fractions or by composition."""
        if self.epsilon.exponent is not None and (self.contributions == 1 or ptable.guarantee.delta == 0):
            cell_delta = ptable.delta(self.epsilon.exponent / (self.cells * self.contributions))
            if self.cells * cell_delta <= self.delta and (self.contributions == 1 or cell_delta == 0):
                return True
        return self.met(_composed(self, ptable))

    def nearly(self, mechanism: Mechanism | PTable) -> bool:
        """Return True if the budget is met with all rows of a person in one cell, and with all in different cells.

        This is a quick check, not a proof.
        """
        if self.contributions == 1:
            return self.met(compose(mechanism, self.cells))
        same_cell, different_cells = profile(mechanism, self.contributions), profile(mechanism, 1)
        return self.met(compose(same_cell, self.cells)) and self.met(
            compose(different_cells, self.cells * self.contributions)
        )


@lru_cache(maxsize=2)
def _composed(budget: TotalBudget, ptable: PTable) -> Composition:
    """Return the composition of a table over all cells."""
    return compose(ptable, budget.cells, contributions=None if budget.contributions == 1 else budget.contributions)


def advise(
    *,
    epsilon: Number,
    delta: Number = 0,
    cells: int = 1,
    domain: Domain | None = None,
    contributions: int = 1,
    bits: int | None = None,
) -> list[Advice]:
    """Return the certified designs that meet a total budget, the least noisy first.

    Parameters
    ----------
    epsilon, delta
        The most that one person may lose in all.
    cells
        Number of cells that one person touches: one for each grouping, for example 8 for all margins of three
        dimensions.
    domain
        Counts() (the default), Counts(lower, upper), where `lower` is a public promise, or Cycle(size).
    contributions
        Most rows of one person in a grouping.
    bits
        Bits of the table. None: 32, or more if the budget needs more.

    Returns
    -------
    list of Advice
        One certified design of each family that can meet the budget.

    Raises
    ------
    ParameterError
        A parameter is out of range, or no design meets the budget.

    Examples
    --------
    >>> import discreet as dc
    >>> best = dc.design.advise(epsilon="0.5", delta="1e-4")[0]
    >>> best.name, best.mechanism.design["support"]
    ('geometric', 16)
    >>> f"{best.variance:.2f}"
    '7.75'
    """
    budget = TotalBudget(
        Epsilon.of(epsilon),
        exact(delta, "delta"),
        parameters.integer(cells, "cells", 1, 10**6, "the cells that contain one person"),
        parameters.integer(contributions, "contributions", 1, MOST_CONTRIBUTIONS, "keep fewer rows of each person"),
    )
    domain = Counts() if domain is None else domain
    _refuse_impossible(budget, domain, delta)
    checked_bits = None if bits is None else parameters.integer(bits, "bits", 8, 62, "32 suits most tables")
    candidates = list(families(domain, budget.delta, budget.contributions))
    if not candidates:
        raise ParameterError(
            f"delta is 0, and {domain} only has designs that need delta > 0, because their noise must end somewhere;"
            f" give delta, for example 1e-9, or counts from 0 to at most {WIDEST}"
        )
    advice = [best for family in candidates if (best := _best(family, budget, checked_bits)) is not None]
    if not advice:
        raise ParameterError(
            f"no design meets epsilon {budget.epsilon} and delta {float(budget.delta):g} over {budget.cells} cells;"
            " give a larger epsilon or delta, or publish fewer margins"
        )
    return sorted(advice, key=lambda design: design.variance)


def _refuse_impossible(budget: TotalBudget, domain: Domain, delta: Number) -> None:
    """Raise ParameterError if a budget is out of range, or no design on the domain can have it."""
    if not isinstance(domain, (Counts, Cycle)):
        raise ParameterError(f"domain is {domain!r}; give Counts(), Counts(lower, upper) or Cycle(size)")
    if not 0 <= budget.delta < 1:
        raise ParameterError(f"delta is {delta!r}; give a probability from 0 to below 1")
    if isinstance(domain, Cycle) and budget.contributions > 1:
        raise ParameterError(
            f"contributions is {budget.contributions} on {domain}, where one answer is replaced; give 1"
        )
    if budget.delta == 0 and isinstance(domain, Counts) and domain.upper is None:
        raise ParameterError(
            "delta is 0, and unbounded counts need delta > 0, because the noise must end somewhere; give delta, for"
            " example 1e-9, or domain=Counts(0, n)"
        )
    if 0 < budget.delta < SMALLEST_DELTA:
        raise ParameterError(f"delta is {delta!r}; no table can hold a delta below 1e-200: give a larger delta")


def _best(family: Family, budget: TotalBudget, bits: int | None) -> Advice | None:
    """Return the least noisy certified member of a family, or None if no member meets the budget."""
    scales = []
    for share in family.shares or (1.0,):
        end_delta = share * float(budget.delta) / (budget.cells * budget.contributions)
        scale = _least_scale(family.roughly, not family.shares, end_delta, budget)
        if scale is not None:
            scales.append((_noisiness(family.roughly(scale, end_delta)), scale, end_delta))
    for _, scale, end_delta in sorted(scales):
        for attempt in range(ATTEMPTS):
            try:
                mechanism = family.make(scale * 1.01 ** (attempt * (attempt + 1) / 2), end_delta)
            except DiscreetError:
                break
            if (ptable := _certified(mechanism, budget, bits)) is not None:
                return _advice(family.name, mechanism, ptable, budget)
    return None


@lru_cache(maxsize=len(SHARES))  # two families have the same bell
def _least_scale(roughly: Make, pure: bool, end_delta: float, budget: TotalBudget) -> float | None:
    """Return the smallest scale, to a fifth of a percent, whose composition meets the budget; None if there is none."""

    def enough(scale: float) -> bool:
        try:
            mechanism = roughly(scale, end_delta)
        except DiscreetError:
            return False
        if pure and _sum_is_within(mechanism, budget):
            return True
        return budget.delta > 0 and budget.nearly(mechanism)

    first_scale = budget.contributions / float(budget.epsilon)
    sum_scale = budget.cells * first_scale  # the sum of epsilons over cells meets the budget
    bell_scale = FARTHEST * math.sqrt(budget.cells) * first_scale
    bracket = _bracket(enough, first_scale, min(max(sum_scale, bell_scale), LARGEST_SCALE))
    if bracket is None:
        return None
    low, high = bracket
    while high > CLOSE * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return sum_scale if low < sum_scale < high and enough(sum_scale) else high


def _bracket(enough: Callable[[float], bool], scale: float, largest: float) -> tuple[float, float] | None:
    """Return a scale that is not enough and one that is, a factor of 2 apart at most; None if no scale is enough."""
    if enough(scale):
        low, high = scale / 2, scale
        while enough(low) and high > SMALLEST_SCALE:
            low, high = low / 2, low
        return low, high
    while scale < largest:
        low, scale = scale, min(2 * scale, largest)
        if enough(scale):
            return low, scale
    return None


def _sum_is_within(mechanism: Mechanism, budget: TotalBudget) -> bool:
    """Return True if the sum of the epsilons of a pure design, over all rows and cells, is within the budget."""
    epsilon = exact(mechanism.design["epsilon"], "epsilon")
    total = epsilon * budget.cells * budget.contributions
    return budget.epsilon.exponent is not None and total <= budget.epsilon.exponent


def _certified(mechanism: Mechanism, budget: TotalBudget, bits: int | None) -> PTable | None:
    """Return the table with the fewest bits that meets the budget, or None if none does."""
    epsilon = None if mechanism.design.get("epsilon") is not None else _certify_at(mechanism)
    for size in BITS if bits is None else (bits,):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PrecisionWarning)
                ptable = mechanism.certify(epsilon, size)
        except CertifyError:
            continue
        if budget.contributions == 1 or budget.nearly(ptable):
            if budget.met_by(ptable):
                return ptable
            if budget.contributions > 1:  # more bits do not lower the cost of several cells at once: more noise does
                return None
    return None


def _certify_at(mechanism: Mechanism) -> str:
    """Return an epsilon for noise without an epsilon of its own: one at which delta is the probability of the end."""
    end_delta = float(mechanism.interior[0].values[0])
    return short(min(max(mechanism.epsilon(end_delta * (1 + 1e-9)), 1e-6), 99.0), up=True)


def _noisiness(mechanism: Mechanism) -> float:
    if isinstance(mechanism.domain, Cycle):
        return mechanism.loss("L0", aggregate="max")  # the error rate, not rescaled
    return mechanism.loss("L2")


def _advice(name: str, mechanism: Mechanism, ptable: PTable, budget: TotalBudget) -> Advice:
    composed = _composed(budget, ptable)
    epsilon = min(composed.epsilon(budget.delta), math.nextafter(float(budget.epsilon), math.inf))
    delta = min(composed.delta(float(budget.epsilon)), math.nextafter(float(budget.delta), 1) if budget.delta else 0.0)
    certified = Mechanism.from_table(ptable.table, mechanism.design)
    return Advice(
        name,
        mechanism,
        ptable,
        _noisiness(certified),
        epsilon,
        delta,
        composed.floor,
        _reason(name, certified, epsilon, budget),
    )


def _reason(name: str, mechanism: Mechanism, epsilon: float, budget: TotalBudget) -> str:
    cell_epsilon = mechanism.epsilon(min(_end_delta(mechanism) * (1 + 1e-9), 0.999))
    total = cell_epsilon * budget.cells * budget.contributions
    cost = (
        "one cell"
        if budget.cells * budget.contributions == 1
        else f"{budget.cells} cells cost {epsilon:.4g} together, {total:.4g} if the costs were added up"
    )
    return f"{NOTES[name.split(' ')[0]]}; {cost}"


def _end_delta(mechanism: Mechanism) -> float:
    """Return the probability that is lost outright in one cell."""
    return mechanism.delta(100)
