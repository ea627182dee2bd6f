"""From the precisions of a plan, of which only the ratios count, to certified tables that meet a budget together.

All noises of a plan have one kind. A search in floats finds the least noise whose composition meets the budget. Then
the noises are certified, and the certified integers are composed. Tables that miss the budget are made a little noisier
and certified again, so that tables that exceed the budget are never returned.

Noise must end somewhere, and the ends take a share of delta. Bell-shaped noise loses little if its ends take next to
nothing, and noise between a bell and geometric noise too. Geometric noise whose epsilons add up to the budget has no
other use for delta.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.account.composition import MOST_PARTITIONED, Composition, Curve, compose
from discreet.account.group_privacy import group_profile
from discreet.account.privacy_profile import DirectedPair, Profile, profile
from discreet.arrays import Floats
from discreet.certify.ptable import PTable
from discreet.design import parameters
from discreet.domain import Counts
from discreet.errors import CertifyError, ParameterError, PrecisionWarning
from discreet.exact import Epsilon
from discreet.mechanism import Mechanism
from discreet.plan._noise_families import SHARES, SHARES_BETWEEN, Family, between, families
from discreet.plan.adviser import ATTEMPTS, BITS, best_advice, certify_at
from discreet.plan.planner._gaussian_bound import mu_of

CLOSE = 2e-4
"""The search for a scale ends when its bounds are this close, relatively."""

NEAR = 2e-3
"""The search also ends where delta is this close to the delta of the budget, relatively."""

CLOSE_OF_MANY = 2e-3
"""The same for more than `SEARCHED` rows of one person."""

SEARCHED = 32
"""Contributions of the search if there are more."""

FARTHEST = 1e3
"""The search goes so far from its first guess, as a factor."""

WEIGHT_OF_END = 16
"""The least integer weight that the end of noise should have: bits are chosen by this."""

INFLATION, ROUGH_INFLATION = 1e-5, 1e-4
"""Share of the variance of the loss that the lattice of the composition may add, for certified tables and before."""

WIDEST_BETWEEN = 2_000
"""Largest support of noise between geometric and bell-shaped noise, whose tables take long to compute."""

MARGIN = 1 - 1e-9
"""Tables use no more than this share of delta, so that others, who sum in another order, come to no larger figure."""


Persons = Sequence[tuple[int, ...]]
"""For every kind of person, the number of cells of each noise that hold the person."""


@dataclass(frozen=True)
class Budget:
    """The most that one person may lose in all.

    Attributes
    ----------
    epsilon, delta
        The budget.
    contributions
        Most rows of one person in a grouping.
    bits
        Bits of every table; None: as many as the budget needs.
    """

    epsilon: Epsilon
    delta: Fraction
    contributions: int
    bits: int | None

    @property
    def loss(self) -> float:
        """Epsilon, a little less, so that its rounding is on the safe side."""
        return float(self.epsilon) * (1 - 2.0**-50)


@dataclass(frozen=True)
class Kind:
    """A kind of noise.

    Attributes
    ----------
    name
        The name of its family (`_noise_families`).
    power
        p of exp(-|x / s|^p): 1 for geometric noise, 2 for a bell.
    end_shares
        Shares of delta that the ends of the noise may take.
    loss_power
        What one person loses is about the sum of (1 / standard deviation)^loss_power, for the search (`_shares`). The
        same as `power` at both ends. Between them either may find the better plan.
    """

    name: str
    power: float
    end_shares: tuple[float, ...]
    loss_power: float

    @property
    def family(self) -> Family:
        """The designs of this kind."""
        if self.power not in (1, 2):
            return between(self.power)
        return next(family for family in families(Counts(), Fraction(1, 2), 1) if family.name == self.name)

    def scale(self, precision: float) -> float:
        """Return the scale of the family for a precision: 1/epsilon for geometric noise, else about a deviation."""
        return 0.5 / math.asinh(math.sqrt(precision / 2)) if self.power == 1 else 1 / math.sqrt(precision)

    def logs(self, scale: float, end_delta: float) -> Floats | None:
        """Return the logarithms, up to a constant, of the probabilities of 0, 1, ... up to the end of the noise.

        The end has about the probability `end_delta`. Return None if no table holds the noise.
        """
        p = self.power
        unit = scale if p == 1 else scale / math.sqrt(math.gamma(3 / p) / math.gamma(1 / p))
        whole = 1 / math.tanh(0.5 / scale) if p == 1 else 2 * unit * math.gamma(1 + 1 / p)
        reach = unit * max(-math.log(end_delta * whole), 1.0) ** (1 / p)
        if reach > (parameters.LARGEST_SUPPORT if p in (1, 2) else WIDEST_BETWEEN):
            return None
        return np.asarray(-((np.arange(max(math.ceil(reach), 1) + 1.0) / unit) ** p))


GEOMETRIC = Kind("geometric", 1.0, (0.9999, 0.5, 0.1), 1.0)
GAUSSIAN = Kind("gaussian", 2.0, (0.01,), 2.0)


def power_kind(power: float, loss_power: float) -> Kind:
    """Return the kind of noise of a power between 1 and 2."""
    return Kind("power", power, SHARES_BETWEEN, loss_power)


@dataclass(frozen=True, eq=False)
class CertifiedNoise:
    """Certified tables that meet a budget together.

    Attributes
    ----------
    tables
        One table for every noise of the plan.
    variances
        Their variances.
    delta
        An upper bound of delta of all tables together, at the epsilon of the budget.
    """

    tables: tuple[PTable, ...]
    variances: Floats
    delta: float


def certified_noise(kind: Kind, precisions: Floats, persons: Persons, budget: Budget) -> CertifiedNoise | None:
    """Return certified tables whose precisions are about in proportion to given ones; None if no table holds the noise.

    Parameters
    ----------
    kind
        The kind of noise.
    precisions
        The precision of every noise. For geometric noise, epsilons are in proportion, not precisions.
    persons
        How many cells with every noise hold one person, for every kind of person.
    budget
        What the tables must meet together.
    """
    scales = [kind.scale(float(precision)) for precision in precisions]
    found = []
    for share in kind.end_shares if budget.bits is None else (*kind.end_shares, *SHARES):
        end_delta = share * float(budget.delta) / (_most_cells(persons) * budget.contributions)
        widening = _least_widening(kind, scales, persons, end_delta, budget)
        if widening is not None:
            found.append((widening, end_delta))
    step = CLOSE if budget.contributions <= SEARCHED else CLOSE_OF_MANY
    for widening, end_delta in sorted(found, key=lambda pair: (pair[0], -pair[1])):
        for attempt in range(ATTEMPTS):
            wider = widening * (1 + step * attempt * (attempt + 1) / 2)
            certified = _certified(kind, [wider * scale for scale in scales], persons, end_delta, budget)
            if certified is not None:
                return certified
    return None


def rough_variances(kind: Kind, precisions: Floats, persons: Persons, budget: Budget) -> Floats | None:
    """Return the variances that `certified_noise` would have, about, without a certificate; None if none are found."""
    scales = [kind.scale(float(precision)) for precision in precisions]
    widening, end_delta = None, 0.0
    for share in kind.end_shares:
        if widening is None:
            end_delta = share * float(budget.delta) / (_most_cells(persons) * budget.contributions)
            widening = _least_widening(kind, scales, persons, end_delta, budget)
    if widening is None:
        return None
    variances = []
    for scale in scales:
        logs = kind.logs(widening * scale, end_delta)
        if logs is None:
            return None
        weights, squares = np.exp(logs), np.arange(float(len(logs))) ** 2
        variances.append(float((weights * squares).sum() / (weights.sum() - 0.5)))
    return np.array(variances)


def advised_noise(cells: int, budget: Budget) -> tuple[CertifiedNoise, str]:
    """Return the adviser's table for cells that all have one noise, and the name of its design.

    Raises
    ------
    ParameterError
        No design meets the budget.
    """
    advice = best_advice(
        epsilon=str(budget.epsilon),
        delta=budget.delta,
        cells=cells,
        contributions=budget.contributions,
        bits=budget.bits,
    )
    table = advice.ptable
    delta = _composed_delta([table], [(cells,)], budget, advice.name == "geometric")
    return CertifiedNoise((table,), np.array([variance(table)]), delta), advice.name


def _most_cells(persons: Persons) -> int:
    return max(map(sum, persons))


def _least_widening(
    kind: Kind, scales: Sequence[float], persons: Persons, end_delta: float, budget: Budget
) -> float | None:
    """Return the least factor of all scales whose composition meets the budget, in floats; None if none is found.

    All rows of a person are taken to be in one cell of each grouping. For noise with falling ratios this costs most.
    For many rows the search is for `SEARCHED` rows: noise that is k times as wide hides k times as many rows.
    """
    wider = max(budget.contributions / SEARCHED, 1.0)
    if wider > 1:
        scales, end_delta = [scale / wider for scale in scales], end_delta * wider
        budget = replace(budget, contributions=SEARCHED)

    def log_ratio(factor: float) -> float:
        profiles = []
        for scale in scales:
            logs = kind.logs(factor * scale, end_delta)
            if logs is None:
                return math.inf
            profiles.append(_profile(logs, budget.contributions))
        delta = 0.0
        for numbers in persons:
            curves = [(curve, cells) for curve, cells in zip(profiles, numbers, strict=True) if cells]
            together = compose(curves, step=_step(curves, ROUGH_INFLATION))
            delta = max(delta, together.delta(budget.loss * (1 + 1e-9)))
        return math.log(delta / float(budget.delta) / MARGIN) if delta > 0 else -math.inf

    return _crossing(log_ratio, _first_guess(kind, scales, persons, budget))


def _profile(half: Floats, rows: int) -> Profile:
    """Return the profile of noise with falling ratios, for counts that differ by a number of rows.

    Parameters
    ----------
    half
        The logarithms, up to a constant, of the probabilities of 0, 1, ...
    rows
        By how much counts differ.
    """
    logs = np.concatenate([half[:0:-1], half])
    logs = logs - math.log(math.fsum(np.exp(logs)))
    beyond = np.full(rows, -np.inf)
    p, q = np.append(beyond, logs)[::-1], np.append(logs, beyond)[::-1]  # the ratio p / q falls
    with np.errstate(over="ignore", invalid="ignore"):
        ratios = np.exp(p - q)
    kept = int(np.searchsorted(-ratios, -1.0, side="right"))
    p_sums, q_sums = (np.append(0.0, np.cumsum(np.exp(values[:kept]))) for values in (p, q))
    return Profile((DirectedPair(ratios[:kept], p_sums, q_sums, len(ratios)),))


def _first_guess(kind: Kind, scales: Sequence[float], persons: Persons, budget: Budget) -> float:
    """Return a factor with which the scales about meet the budget."""
    epsilon = float(budget.epsilon)
    if kind.power == 1:
        added = max(sum(cells / scale for cells, scale in zip(row, scales, strict=True)) for row in persons)
        return budget.contributions * added / epsilon
    squares = max(sum(cells / scale**2 for cells, scale in zip(row, scales, strict=True)) for row in persons)
    return budget.contributions * math.sqrt(squares) / mu_of(epsilon, float(budget.delta))


def _crossing(log_ratio: Callable[[float], float], guess: float) -> float | None:
    """Return the least factor at which a falling function is 0 or less, to `CLOSE`; None if there is none near.

    A guess that is nearly the least factor is returned as it is: for geometric noise it makes short numbers.
    """
    low = high = guess
    low_value = high_value = first_value = log_ratio(guess)
    stride = 1.004
    while low_value <= 0:
        if low < guess / FARTHEST:
            return low
        high, high_value = low, low_value
        low, stride = low / stride, min(stride**2, 2.0)
        low_value = log_ratio(low)
    while high_value > 0:
        if high > guess * FARTHEST:
            return None
        low, low_value = high, high_value
        high, stride = high * stride, min(stride**2, 2.0)
        high_value = log_ratio(high)
    while high > low * (1 + CLOSE) and high_value < -NEAR:
        finite = math.isfinite(low_value) and math.isfinite(high_value)
        share = min(max(low_value / (low_value - high_value), 0.1), 0.9) if finite else 0.5
        middle = low * (high / low) ** share
        value = log_ratio(middle)
        if value <= 0:
            high, high_value = middle, value
        else:
            low, low_value = middle, value
    return guess if first_value <= 0 and high > guess * (1 - 4 * CLOSE) else high


def _composed_delta(tables: Sequence[PTable], persons: Persons, budget: Budget, few_losses: bool) -> float:
    """Return an upper bound of delta of certified tables, for the kind of person who loses most."""
    deltas: list[float] = []
    for numbers in persons:
        pairs = [(table, cells) for table, cells in zip(tables, numbers, strict=True) if cells]
        own, cells = zip(*pairs, strict=True)
        deltas.append(_composition(own, cells, budget, few_losses).delta(budget.loss))
    return max(deltas)


def _composition(tables: Sequence[PTable], times: Sequence[int], budget: Budget, few_losses: bool) -> Composition:
    """Return the composition of certified tables. A lattice holds geometric noise, which has few losses, exactly."""
    rows = budget.contributions
    if rows <= MOST_PARTITIONED:
        curves: list[tuple[Curve, int]] = [
            (profile(table, rows), cells) for table, cells in zip(tables, times, strict=True)
        ]
        step = None if few_losses else _step(curves, INFLATION)
        if rows == 1:
            return compose(curves, step=step)
        return compose(list(zip(tables, times, strict=True)), contributions=rows, step=step)
    curves = [(group_profile(table, rows), cells) for table, cells in zip(tables, times, strict=True)]
    return compose(curves, step=None if few_losses else _step(curves, INFLATION))


def _step(curves: Sequence[tuple[Curve, int]], inflation: float) -> float:
    """Return a step of the lattice that adds a share to the variance of the loss."""
    variance = math.fsum(cells * curve.variance for curve, cells in curves)
    return math.sqrt(6 * inflation * variance / sum(cells for _, cells in curves))


def _certified(
    kind: Kind, scales: Sequence[float], persons: Persons, end_delta: float, budget: Budget
) -> CertifiedNoise | None:
    """Return certified tables for scales, or None if they miss the budget."""
    family = kind.family
    for bits in _sizes(end_delta, max(scales), budget):
        try:
            tables = tuple(_table(family.make(scale, end_delta), bits) for scale in scales)
        except (CertifyError, ParameterError):
            continue
        delta = _composed_delta(tables, persons, budget, kind.power == 1)
        if Fraction(delta) <= budget.delta * Fraction(MARGIN):
            return CertifiedNoise(tables, np.array([variance(table) for table in tables]), delta)
    return None


def _sizes(end_delta: float, scale: float, budget: Budget) -> Iterator[int]:
    """Yield the numbers of bits to try: the least that holds the end of the noise, and one more.

    Noise for many rows falls slowly, by about 1/scale from one weight to the next, so its rounding must be smaller.
    """
    if budget.bits is not None:
        yield budget.bits
        return
    least = WEIGHT_OF_END * (scale if budget.contributions > SEARCHED else 1.0)
    enough = [bits for bits in BITS if 2.0**bits * end_delta >= least]
    yield from enough[:2] or BITS[-1:]


def _table(mechanism: Mechanism, bits: int) -> PTable:
    epsilon = None if mechanism.design.get("epsilon") is not None else certify_at(mechanism)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        return mechanism.certify(epsilon, bits)


def variance(table: PTable) -> float:
    """Return the variance of the noise of a table; the largest, if it depends on the count."""
    return float(table.utility["variance"][1])
