"""From the precisions of a plan, of which only the ratios count, to certified tables that meet a budget together.

All noises of a plan have one kind. A search in floats finds the least noise whose composition meets the budget. Then
the noises are certified, and the certified integers are composed. Tables that miss the budget are made a little noisier
and certified again, so that tables that exceed the budget are never returned.

Noise must end somewhere, and the ends take a share of delta. Bell-shaped noise loses little if its ends take next to
nothing, and noise between a bell and geometric noise too. Geometric noise whose epsilons add up to the budget has no
other use for delta.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.account.composition import MOST_PARTITIONED, Composition, Curve, compose
from discreet.account.group_privacy import group_profile
from discreet.account.privacy_profile import profile
from discreet.arrays import Floats
from discreet.certify.ptable import PTable
from discreet.errors import CertifyError, ParameterError, PrecisionWarning
from discreet.mechanism import Mechanism
from discreet.plan._noise_families import SHARES
from discreet.plan.adviser import ATTEMPTS, BITS, best_advice, certify_at
from discreet.plan.planner._least_widening import CLOSE, MARGIN, SEARCHED, lattice_step, least_widening
from discreet.plan.planner._noise_kinds import Budget, Kind, Persons

CLOSE_OF_MANY = 2e-3
"""The same as `CLOSE`, for more than `SEARCHED` rows of one person."""

WEIGHT_OF_END = 16
"""The least integer weight that the end of noise should have: bits are chosen by this."""

INFLATION = 1e-5
"""Share of the variance of the loss that the lattice of the composition of certified tables may add."""


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
    candidates = []
    for share in kind.end_shares if budget.bits is None else (*kind.end_shares, *SHARES):
        end_delta = share * budget.end_delta / (_most_cells(persons) * budget.contributions)
        widening = least_widening(kind, scales, persons, end_delta, budget)
        if widening is not None:
            candidates.append((widening, end_delta))
    step = CLOSE if budget.contributions <= SEARCHED else CLOSE_OF_MANY
    for widening, end_delta in sorted(candidates, key=lambda pair: (pair[0], -pair[1])):
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
            end_delta = share * budget.end_delta / (_most_cells(persons) * budget.contributions)
            widening = least_widening(kind, scales, persons, end_delta, budget)
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


def noise_of_table(table: PTable, persons: Persons, budget: Budget) -> CertifiedNoise | None:
    """Return a certified table that all cells have; None if it misses the budget."""
    delta = _composed_delta([table], persons, budget, False)
    if Fraction(delta) > budget.delta * Fraction(MARGIN):
        return None
    return CertifiedNoise((table,), np.array([variance(table)]), delta)


def _composed_delta(tables: Sequence[PTable], persons: Persons, budget: Budget, few_losses: bool) -> float:
    """Return an upper bound of delta of certified tables, for the kind of person who loses most."""
    deltas: list[float] = []
    for numbers in persons:
        pairs = [(table, cells) for table, cells in zip(tables, numbers, strict=True) if cells]
        own, cells = zip(*pairs, strict=True)
        deltas.append(_composition(own, cells, budget, few_losses).delta(budget.loss))
    return max(deltas)


def is_affordable(tables: Sequence[PTable], persons: Persons, budget: Budget) -> bool:
    """Return True if certified tables cost no more units of a ledger than they may, or if there is no ledger."""
    if budget.units is None:
        return True
    parts = [[(table, cells) for table, cells in zip(tables, row, strict=True) if cells] for row in persons]
    return all(budget.units.cover(own, budget.contributions) for own in parts)


def _composition(tables: Sequence[PTable], times: Sequence[int], budget: Budget, few_losses: bool) -> Composition:
    """Return the composition of certified tables. A lattice holds geometric noise, which has few losses, exactly."""
    rows = budget.contributions
    if rows <= MOST_PARTITIONED:
        curves: list[tuple[Curve, int]] = [
            (profile(table, rows), cells) for table, cells in zip(tables, times, strict=True)
        ]
        step = None if few_losses else lattice_step(curves, INFLATION)
        if rows == 1:
            return compose(curves, step=step)
        return compose(list(zip(tables, times, strict=True)), contributions=rows, step=step)
    curves = [(group_profile(table, rows), cells) for table, cells in zip(tables, times, strict=True)]
    return compose(curves, step=None if few_losses else lattice_step(curves, INFLATION))


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
        if Fraction(delta) <= budget.delta * Fraction(MARGIN) and is_affordable(tables, persons, budget):
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
