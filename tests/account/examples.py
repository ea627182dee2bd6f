"""Mechanisms that the tests of this folder share, and compositions of them made by hand."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

from hypothesis import strategies as st

from discreet import Counts, Mechanism, Row

GAMMA = Fraction(127, 12495)
"""Sadeghi 2023, Example 1: .5/49 - 1/24990, with the support 25."""

Law = dict[object, Fraction]


def maximum_entropy(support: int, gamma: Fraction = GAMMA) -> Mechanism:
    """Noise in proportion to exp(-gamma z**2)."""
    weights = [math.exp(-float(gamma) * z * z) for z in range(-support, support + 1)]
    return Mechanism(Counts(), interior=(Row.of(-support, [w / math.fsum(weights) for w in weights]),))


def rows(*weights: list[int]) -> Mechanism:
    """A mechanism on 0, 1, ... with these weights over the outputs 0, 1, ..."""
    return Mechanism(
        Counts(0, len(weights) - 1), tuple(Row.of(0, [Fraction(w, sum(row)) for w in row]) for row in weights)
    )


def pairs(mechanism: Mechanism, distance: int | None = None) -> Iterator[tuple[Law, Law]]:
    """Every ordered pair of neighbours of a mechanism on counts, exactly; far enough for every period."""
    assert isinstance(mechanism.domain, Counts)
    distances = mechanism.neighbours if distance is None else (distance,)
    lower, upper = mechanism.domain.lower, mechanism.domain.upper
    last = lower + len(mechanism.rows) + 3 * len(mechanism.interior) + max(distances)
    for count in range(0, (last if upper is None else max(upper, last)) + 1):
        for apart in distances:
            one, other = law(mechanism, count), law(mechanism, count + apart)
            yield one, other
            yield other, one


def law(mechanism: Mechanism, count: int) -> Law:
    """Outputs and exact probabilities at a count, clamped into the domain."""
    row = mechanism.row(count)
    assert row.numerators is not None
    return {y: Fraction(w, row.denominator) for y, w in zip(row.outputs.tolist(), row.numerators, strict=True) if w}


def hockey(p: Law, q: Law, a: Fraction) -> Fraction:
    """The sum of max(0, p - a q)."""
    return sum((max(Fraction(0), mass - a * q.get(y, Fraction(0))) for y, mass in p.items()), Fraction(0))


def product(laws: tuple[Law, ...]) -> Law:
    """The law of independent outputs."""
    return {
        tuple(y for y, _ in chosen): math.prod((p for _, p in chosen), start=Fraction(1))
        for chosen in itertools.product(*(each.items() for each in laws))
    }


def composed(parts: list[list[tuple[Law, Law]]], a: Fraction) -> Fraction:
    """The largest hockey-stick sum over all choices of one pair from each part."""
    return max(
        hockey(product(tuple(p for p, _ in chosen)), product(tuple(q for _, q in chosen)), a)
        for chosen in itertools.product(*parts)
    )


def above(epsilon: float) -> Fraction:
    """A rational just above e**epsilon: delta there is not above delta at epsilon."""
    return Fraction(math.exp(epsilon)) * (1 + Fraction(1, 2**50))


@st.composite
def tiny(draw: st.DrawFn, outputs: int = 3, most_rows: int = 2) -> Mechanism:
    """A few rows of small integers, zeros among them, as a rule with two different directions."""
    row = st.lists(st.integers(0, 9), min_size=outputs, max_size=outputs).filter(any)
    return rows(*draw(st.lists(row, min_size=2, max_size=most_rows)))


EXAMPLE = maximum_entropy(25)
