"""Which design fits a budget: the total (epsilon, delta) of one person, over all the cells that person touches.

Which noise is best depends on how often a person is counted. Once, it is truncated geometric noise (epsilon .5, delta
1e-4: variance 7.75, against 38.9 for maximum entropy), because every one of its steps costs exactly epsilon. A
thousand times, it is the bell of maximum entropy, because what it loses averages out (variance 49, delta 1e-3:
epsilon 23 in all, against 39).

Every family has a scale s that makes it noisier, and noise on unbounded counts also has an end, whose probability
is lost outright: over k cells 1 - (1 - p(D))^k of delta. So for several shares of delta that the ends may take, the
least s is found whose composition (`account.compose`, an upper bound) meets the budget. The answer is rounded to a
short number on the noisy side, certified, and the certified integers are composed once more: what misses the budget
then is made noisier, and is never returned.
"""

import math
import warnings
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

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
"""Tried in turn: few bits lose what a small delta a cell needs."""

CLOSE = 1.002
"""How closely the scale is found."""

ATTEMPTS = 12

MOST_CONTRIBUTIONS = 10

SMALLEST_SCALE, LARGEST_SCALE = 1e-2, 2e3
"""Standard deviations between which noise is looked for."""

FARTHEST = 10.0
"""Standard deviations of a bell beyond which nothing is left to lose."""

NOTES = {
    "geometric": "every step costs exactly its epsilon, which is best where one person is in few cells",
    "maxent": "losses average out over many cells, and the noise has a hard end",
    "gaussian": "losses average out over many cells; the end of the noise follows from the budget",
    "staircase": "flat steps as wide as the rows of one person",
    "bounded": "the largest chance of the true count for its support",
    "constrained": "the least squared error on so few counts",
    "fair": "the same chance of the true count everywhere",
    "cyclic": "the largest chance of the true answer",
}
"""What speaks for a family."""


@dataclass(frozen=True)
class Advice:
    """A certified design that meets the budget.

    Attributes
    ----------
    ptable
        The certified table, for one cell.
    variance
        Mean squared error of a cell, over the true counts; on a cycle the chance of another value than the true one.
    epsilon, delta
        Upper bounds for one person over all cells: epsilon at the delta of the budget, delta at its epsilon.
    floor
        The delta that no epsilon undercuts.
    reason
        What speaks for it, in a sentence.
    """

    name: str
    mechanism: Mechanism
    ptable: PTable
    variance: float
    epsilon: float
    delta: float
    floor: float
    reason: str


@dataclass(frozen=True)
class Budget:
    """What one person may lose in all, over how many cells, with how many rows in each grouping."""

    epsilon: Epsilon
    delta: Fraction
    cells: int
    contributions: int

    def met(self, composed: Composition) -> bool:
        """Whether the upper bound is within it."""
        return Fraction(composed.delta(float(self.epsilon) * (1 - 2.0**-50))) <= self.delta

    def met_by(self, ptable: PTable) -> bool:
        """Whether certified integers are within it: added up cell by cell in fractions, or composed."""
        each = Fraction(1, self.cells * self.contributions)
        if self.epsilon.exponent is not None and (self.contributions == 1 or ptable.guarantee.delta == 0):
            alone = ptable.delta(self.epsilon.exponent * each)
            if self.cells * alone <= self.delta and (self.contributions == 1 or alone == 0):
                return True
        return self.met(_composed(self, ptable))

    def nearly(self, mechanism: Mechanism | PTable) -> bool:
        """Whether it is met with all rows of a person in one cell and with all in different ones: the quick check."""
        if self.contributions == 1:
            return self.met(compose(mechanism, self.cells))
        one, apart = profile(mechanism, self.contributions), profile(mechanism, 1)
        return self.met(compose(one, self.cells)) and self.met(compose(apart, self.cells * self.contributions))


@lru_cache(maxsize=2)
def _composed(budget: Budget, ptable: PTable) -> Composition:
    """The table over all cells."""
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
    """The certified designs that meet a total budget, the least noisy first.

    Parameters
    ----------
    epsilon, delta
        What one person may lose in all.
    cells
        How many cells one person touches: one for each grouping, for example 8 for all margins of three dimensions.
    domain
        Counts() or Counts(lower, upper), `lower` being a public promise; or Cycle(size).
    contributions
        Most rows that one person has in a grouping.
    bits
        Of the table. None: 32, or more where the budget needs it.

    Raises
    ------
    ParameterError
        A number that cannot be, or no design meets the budget; the message says what would.
    """
    budget = Budget(
        Epsilon.of(epsilon),
        exact(delta, "delta"),
        parameters.integer(cells, "cells", 1, 10**6, "the cells that contain one person"),
        parameters.integer(contributions, "contributions", 1, MOST_CONTRIBUTIONS, "keep fewer rows of each person"),
    )
    where = Counts() if domain is None else domain
    if not isinstance(where, (Counts, Cycle)):
        raise ParameterError(f"domain is {domain!r}; give Counts(), Counts(lower, upper) or Cycle(size)")
    if not 0 <= budget.delta < 1:
        raise ParameterError(f"delta is {delta!r}; it is a probability from 0 to below 1")
    if isinstance(where, Cycle) and budget.contributions > 1:
        raise ParameterError(f"contributions is {contributions} on {where}; there one answer is replaced: give 1")
    if budget.delta == 0 and isinstance(where, Counts) and where.upper is None:
        raise ParameterError(
            "delta is 0, and noise on counts without end always has a little; give delta, for example 1e-9,"
            " or domain=Counts(0, n)"
        )
    if 0 < budget.delta < SMALLEST_DELTA:
        raise ParameterError(f"delta is {delta!r}; below 1e-200 no table can hold it: give a larger one")
    size = None if bits is None else parameters.integer(bits, "bits", 8, 62, "32 suits most tables")
    tried = list(families(where, budget.delta, budget.contributions))
    if not tried:
        raise ParameterError(
            f"delta is 0, and on {where} only noise is designed, which always has a little; give delta,"
            f" for example 1e-9, or counts from 0 to at most {WIDEST}"
        )
    found = [_best(family, budget, size) for family in tried]
    advice = [one for one in found if one is not None]
    if not advice:
        raise ParameterError(
            f"no design meets epsilon {budget.epsilon} and delta {float(budget.delta):g} over {budget.cells} cells;"
            " give a larger epsilon or delta, or publish fewer margins"
        )
    return sorted(advice, key=lambda one: one.variance)


def _best(family: Family, budget: Budget, bits: int | None) -> Advice | None:
    """The least noisy certified member of a family; None where none meets the budget."""
    scales = []
    for share in family.shares or (1.0,):
        lost = share * float(budget.delta) / (budget.cells * budget.contributions)
        scale = _least(family.roughly, not family.shares, lost, budget)
        if scale is not None:
            scales.append((_noisiness(family.roughly(scale, lost)), scale, lost))
    for _, scale, lost in sorted(scales):
        for attempt in range(ATTEMPTS):
            try:
                mechanism = family.make(scale * 1.01 ** (attempt * (attempt + 1) / 2), lost)
            except DiscreetError:
                break
            if (ptable := _certified(mechanism, budget, bits)) is not None:
                return _advice(family.name, mechanism, ptable, budget)
    return None


@lru_cache(maxsize=len(SHARES))  # two families have the same bell
def _least(roughly: Make, pure: bool, lost: float, budget: Budget) -> float | None:
    """The smallest scale, to a fifth of a percent, whose composition meets the budget."""

    def enough(scale: float) -> bool:
        try:
            mechanism = roughly(scale, lost)
        except DiscreetError:
            return False
        if pure and _added_up(mechanism, budget):
            return True
        return budget.delta > 0 and budget.nearly(mechanism)

    high = budget.contributions / float(budget.epsilon)
    sure = budget.cells * high  # where epsilons are simply added up
    bell = FARTHEST * math.sqrt(budget.cells) * high  # at which a bell loses less than 1e-20 of delta in all
    most = min(max(sure, bell), LARGEST_SCALE)
    if enough(high):
        low = high / 2
        while enough(low) and high > SMALLEST_SCALE:
            low, high = low / 2, low
    else:
        while high < most:
            low, high = high, min(2 * high, most)
            if enough(high):
                break
        else:
            return None
    while high > CLOSE * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return sure if low < sure < high and enough(sure) else high


def _added_up(mechanism: Mechanism, budget: Budget) -> bool:
    """Whether the epsilons of a purely private design, added up over all rows and cells, are within the budget."""
    own = exact(mechanism.design["epsilon"], "epsilon")
    return budget.epsilon.exponent is not None and own * budget.cells * budget.contributions <= budget.epsilon.exponent


def _certified(mechanism: Mechanism, budget: Budget, bits: int | None) -> PTable | None:
    """The table at the fewest bits that meet the budget."""
    own = None if mechanism.design.get("epsilon") is not None else _where(mechanism)
    for size in BITS if bits is None else (bits,):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PrecisionWarning)
                ptable = mechanism.certify(own, size)
        except CertifyError:
            continue
        if budget.contributions == 1 or budget.nearly(ptable):
            if budget.met_by(ptable):
                return ptable
            if budget.contributions > 1:  # more bits do not mend what several cells at once cost: more noise does
                return None
    return None


def _where(mechanism: Mechanism) -> str:
    """For noise without an epsilon of its own: one at which only its ends are lost."""
    ends = float(mechanism.interior[0].values[0])
    return short(min(max(mechanism.epsilon(ends * (1 + 1e-9)), 1e-6), 99.0), up=True)


def _noisiness(mechanism: Mechanism) -> float:
    return mechanism.loss(("L0", 0) if isinstance(mechanism.domain, Cycle) else "L2")


def _advice(name: str, mechanism: Mechanism, ptable: PTable, budget: Budget) -> Advice:
    composed = _composed(budget, ptable)
    epsilon = min(composed.epsilon(budget.delta), math.nextafter(float(budget.epsilon), math.inf))
    delta = min(composed.delta(float(budget.epsilon)), math.nextafter(float(budget.delta), 1) if budget.delta else 0.0)
    exactly = Mechanism.from_table(ptable.table, mechanism.design)
    return Advice(
        name,
        mechanism,
        ptable,
        _noisiness(exactly),
        epsilon,
        delta,
        composed.floor,
        _reason(name, exactly, epsilon, budget),
    )


def _reason(name: str, mechanism: Mechanism, epsilon: float, budget: Budget) -> str:
    largest = mechanism.epsilon(min(_ends(mechanism) * (1 + 1e-9), 0.999)) * budget.cells * budget.contributions
    together = (
        "one cell"
        if budget.cells * budget.contributions == 1
        else f"{budget.cells} cells cost {epsilon:.4g} together, {largest:.4g} if each were added in full"
    )
    return f"{NOTES[name.split(' ')[0]]}; {together}"


def _ends(mechanism: Mechanism) -> float:
    """The probability that is lost outright in one cell."""
    return mechanism.delta(100)
