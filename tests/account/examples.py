"""Mechanisms that the tests of this folder share, and their exact compositions."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

from hypothesis import strategies as st

from discreet import Counts, Mechanism, Row

GAMMA = Fraction(127, 12495)
"""Sadeghi 2023, Example 1: .5/49 - 1/24990, with the support 25."""

Distribution = dict[object, Fraction]


def maximum_entropy(support: int, gamma: Fraction = GAMMA) -> Mechanism:
    """Return noise in proportion to exp(-gamma z**2)."""
    weights = [math.exp(-float(gamma) * z * z) for z in range(-support, support + 1)]
    return Mechanism(Counts(), interior=(Row.of(-support, [w / math.fsum(weights) for w in weights]),))


def rows(*weights: list[int]) -> Mechanism:
    """Return a mechanism on 0, 1, ... with these weights of the outputs 0, 1, ..."""
    return Mechanism(
        Counts(0, len(weights) - 1), tuple(Row.of(0, [Fraction(w, sum(row)) for w in row]) for row in weights)
    )


def pairs(mechanism: Mechanism, distance: int | None = None) -> Iterator[tuple[Distribution, Distribution]]:
    """Yield every ordered pair of neighbours of a mechanism on counts, exactly; far enough for every period."""
    assert isinstance(mechanism.domain, Counts)
    distances = mechanism.neighbours if distance is None else (distance,)
    lower, upper = mechanism.domain.lower, mechanism.domain.upper
    last = lower + len(mechanism.rows) + 3 * len(mechanism.interior) + max(distances)
    for count in range(0, (last if upper is None else max(upper, last)) + 1):
        for apart in distances:
            p, q = distribution(mechanism, count), distribution(mechanism, count + apart)
            yield p, q
            yield q, p


def distribution(mechanism: Mechanism, count: int) -> Distribution:
    """Return the exact probability of every output at a count, clamped into the domain."""
    row = mechanism.row(count)
    assert row.numerators is not None
    return {y: Fraction(w, row.denominator) for y, w in zip(row.outputs.tolist(), row.numerators, strict=True) if w}


def hockey(p: Distribution, q: Distribution, a: Fraction) -> Fraction:
    """Return the sum of max(0, p - a q)."""
    return sum((max(Fraction(0), mass - a * q.get(y, Fraction(0))) for y, mass in p.items()), Fraction(0))


def product(distributions: tuple[Distribution, ...]) -> Distribution:
    """Return the joint distribution of independent outputs."""
    return {
        tuple(y for y, _ in outcome): math.prod((p for _, p in outcome), start=Fraction(1))
        for outcome in itertools.product(*(distribution.items() for distribution in distributions))
    }


def composed(parts: list[list[tuple[Distribution, Distribution]]], a: Fraction) -> Fraction:
    """Return the largest hockey-stick sum over all choices of one pair from each part."""
    return max(
        hockey(product(tuple(p for p, _ in choice)), product(tuple(q for _, q in choice)), a)
        for choice in itertools.product(*parts)
    )


def above(epsilon: float) -> Fraction:
    """Return a rational just above e**epsilon, where delta is not above delta at epsilon."""
    return Fraction(math.exp(epsilon)) * (1 + Fraction(1, 2**50))


@st.composite
def tiny(draw: st.DrawFn, outputs: int = 3, most_rows: int = 2) -> Mechanism:
    """Draw a few rows of small integers, zeros among them. As a rule the two directions of a pair differ."""
    row = st.lists(st.integers(0, 9), min_size=outputs, max_size=outputs).filter(any)
    return rows(*draw(st.lists(row, min_size=2, max_size=most_rows)))


EXAMPLE = maximum_entropy(25)
