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
from dataclasses import dataclass
from typing import Any

from discreet import data_frames, pictures
from discreet.account.composition import MOST_CONTRIBUTIONS, MOST_PARTITIONED
from discreet.certify.ptable import PTable
from discreet.design import parameters
from discreet.design.additive.maxent import SMALLEST_DELTA
from discreet.domain import Counts, Cycle, Domain
from discreet.errors import CertifyError, DiscreetError, ParameterError, PrecisionWarning
from discreet.exact import Epsilon, Number, exact, rounded_up
from discreet.mechanism import Mechanism
from discreet.plan._noise_families import WIDEST, Family, families, short
from discreet.plan._noise_search import ENDS, Found, TotalBudget, best_between, composed, found_scales, mean_error

BITS = (32, 48, 62)
"""Sizes of tables, tried in turn: a small delta in each cell needs many bits."""

ATTEMPTS = 12
"""Members of a family that are certified, each noisier than the one before."""

NOTES = {
    "geometric": "every step costs exactly epsilon, which is best if one person is in few cells",
    "maxent": "losses average out over many cells, and the noise has a hard end",
    "gaussian": "losses average out over many cells; the end of the noise follows from the budget",
    "power": "between geometric and Gaussian noise, which is best if one person is in neither few nor many cells",
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

    Examples
    --------
    >>> import discreet as dc
    >>> best = dc.design.advise(epsilon=1, delta="1e-6", cells=10)[0]
    >>> best.name, round(best.variance, 1)
    ('power', 159.5)
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
        """Return the advice as a data frame of one row.

        Parameters
        ----------
        to
            "pandas", "polars" or "arrow". None: pandas if it is installed, else arrow.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The attributes, one a column.
        """
        numbers = {name: [getattr(self, name)] for name in ("variance", "epsilon", "delta", "floor")}
        return data_frames.frame(
            {"design": [self.name], **numbers, "bits": [self.ptable.bits], "reason": [self.reason]}, to
        )

    def plot(self, *, axes: Any = None) -> Any:
        """Draw the noise of the table, and return the axes; see `PTable.plot`."""
        return self.ptable.plot(axes=axes)

    def _repr_html_(self) -> str:
        facts = {"variance": f"{self.variance:.4g}", "one person, in all": self._cost(), "reason": self.reason}
        return pictures.card(f"Advice: {self.name}", facts, self.ptable.noise_picture())

    def _cost(self) -> str:
        return f"epsilon {rounded_up(self.epsilon, 4)}, delta {rounded_up(self.delta)}"


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
    budget = _checked_budget(epsilon, delta, cells, contributions)
    domain = Counts() if domain is None else domain
    _refuse_impossible(budget, domain, delta)
    checked_bits = None if bits is None else parameters.integer(bits, "bits", 8, 62, "32 suits most tables")
    best_of_families = [_best(family, scales, budget, checked_bits) for family, scales in _searched(domain, budget)]
    advice = [best for best in best_of_families if best is not None]
    if not advice:
        raise _no_design(budget)
    return sorted(advice, key=lambda design: design.variance)


def best_advice(*, epsilon: Number, delta: Number, cells: int, contributions: int, bits: int | None) -> Advice:
    """Return the best design for unbounded counts, the first that `advise` lists.

    For many contributions tables are large. So families are certified in the order of the noise that the search found,
    and only until one meets the budget.

    Parameters
    ----------
    epsilon, delta, cells, contributions, bits
        As in `advise`.

    Raises
    ------
    ParameterError
        A parameter is out of range, or no design meets the budget.
    """
    if contributions <= MOST_PARTITIONED:
        return advise(epsilon=epsilon, delta=delta, cells=cells, contributions=contributions, bits=bits)[0]
    budget = _checked_budget(epsilon, delta, cells, contributions)
    _refuse_impossible(budget, Counts(), delta)
    candidates = [(family, scales) for family, scales in _searched(Counts(), budget) if scales]
    for family, scales in sorted(candidates, key=lambda candidate: candidate[1][0].noisiness):
        if (best := _best(family, scales, budget, bits)) is not None:
            return best
    raise _no_design(budget)


def _checked_budget(epsilon: Number, delta: Number, cells: int, contributions: int) -> TotalBudget:
    return TotalBudget(
        Epsilon.of(epsilon),
        exact(delta, "delta"),
        parameters.integer(cells, "cells", 1, 10**6, "the cells that contain one person"),
        parameters.integer(contributions, "contributions", 1, MOST_CONTRIBUTIONS, "keep fewer rows of each person"),
    )


def _searched(domain: Domain, budget: TotalBudget) -> list[tuple[Family, list[Found]]]:
    """Return the families for a domain, each with its least scales.

    Raises
    ------
    ParameterError
        No family is for the domain and the budget.
    """
    candidates = list(families(domain, budget.delta, budget.contributions))
    if not candidates:
        raise ParameterError(
            f"delta is 0, and {domain} only has designs that need delta > 0, because their noise must end somewhere;"
            f" give delta, for example 1e-9, or counts from 0 to at most {WIDEST}"
        )
    searched = [(family, found_scales(family, budget)) for family in candidates]
    if ENDS.keys() <= {family.name for family in candidates}:
        searched.append(best_between(searched, budget))
    return searched


def _no_design(budget: TotalBudget) -> ParameterError:
    rows = "" if budget.contributions == 1 else f" with {budget.contributions} rows of one person in each"
    fewer = "" if budget.contributions == 1 else ", keep fewer rows of each person"
    return ParameterError(
        f"no design meets epsilon {budget.epsilon} and delta {float(budget.delta):g} over {budget.cells} cells{rows};"
        f" give a larger epsilon or delta{fewer}, or publish fewer margins"
    )


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


def _best(family: Family, scales: list[Found], budget: TotalBudget, bits: int | None) -> Advice | None:
    """Return the least noisy certified member of a family, or None if no member meets the budget."""
    for _, scale, end_delta in scales:
        for attempt in range(ATTEMPTS):
            try:
                mechanism = family.make(scale * 1.01 ** (attempt * (attempt + 1) / 2), end_delta)
            except DiscreetError:
                break
            sizes = (bits,) if bits is not None else _sizes(scale, end_delta, budget)
            if (ptable := _certified(mechanism, budget, sizes, family.coarse)) is not None:
                return _advice(family.name, mechanism, ptable, budget)
    return None


def _sizes(scale: float, end_delta: float, budget: TotalBudget) -> tuple[int, ...]:
    """Return the numbers of bits to try.

    Noise for many contributions is wide and falls slowly: by about 1/scale from one weight to the next. The rounding of
    the last weights must be smaller.
    """
    if budget.contributions <= MOST_PARTITIONED:
        return BITS
    return tuple(size for size in BITS if 2.0**size * end_delta >= 16 * scale) or BITS[-1:]


def _certified(mechanism: Mechanism, budget: TotalBudget, sizes: tuple[int, ...], coarse: bool) -> PTable | None:
    """Return the table with the fewest bits that meets the budget, or None if none does.

    coarse
        If True, composing is slow, and is left out if a coarse lattice finds that the table misses the budget.
    """
    epsilon = None if mechanism.design.get("epsilon") is not None else certify_at(mechanism)
    for size in sizes:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PrecisionWarning)
                ptable = mechanism.certify(epsilon, size)
        except CertifyError:
            continue
        if (budget.contributions == 1 and not coarse) or budget.nearly(ptable, coarse):
            if budget.met_by(ptable):
                return ptable
            if budget.contributions > 1:  # more bits do not lower the cost of several cells at once: more noise does
                return None
    return None


def certify_at(mechanism: Mechanism) -> str:
    """Return an epsilon for noise without an epsilon of its own: one at which delta is the probability of the end."""
    end_delta = float(mechanism.interior[0].values[0])
    return short(min(max(mechanism.epsilon(end_delta * (1 + 1e-9)), 1e-6), 99.0), up=True)


def _advice(name: str, mechanism: Mechanism, ptable: PTable, budget: TotalBudget) -> Advice:
    together = composed(budget, ptable)
    epsilon = min(together.epsilon(budget.delta), math.nextafter(float(budget.epsilon), math.inf))
    delta = min(together.delta(float(budget.epsilon)), math.nextafter(float(budget.delta), 1) if budget.delta else 0.0)
    certified = Mechanism.from_table(ptable.table, mechanism.design)
    return Advice(
        name,
        mechanism,
        ptable,
        mean_error(certified),
        epsilon,
        delta,
        together.floor,
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
