"""The bounds of the independent checker for several tables, against every outcome of small tables."""

import itertools
import math
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certify.folder.several import Exposures, judge_several, lower_floor_of, upper_floor_of
from discreet.certify.folder.weights import DirectedPair, Row, Table

BITS = 8


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Draw a table with three outputs a row, and rows for small counts and for all counts."""

    def row() -> Row:
        cuts = sorted(draw(st.lists(st.integers(0, 256), min_size=2, max_size=2)))
        return Row(draw(st.integers(-1, 1)), (cuts[0], cuts[1] - cuts[0], 256 - cuts[1]))

    return Table(BITS, None, 1, tuple(row() for _ in range(draw(st.integers(0, 1)))), (row(),))


def delta(pairs: tuple[DirectedPair, ...], epsilon: float) -> float:
    """Return delta of one pair of counts in each cell, by every outcome."""
    total = 0.0
    for outcome in itertools.product(*(zip(pair.p, pair.q, strict=True) for pair in pairs)):
        p, q = (math.prod(weights) / 2 ** (BITS * len(pairs)) for weights in zip(*outcome, strict=True))
        total += max(0.0, p - math.exp(epsilon) * q)
    return total


def worst(own: list[Table], numbers: tuple[int, ...], epsilon: float) -> float:
    """Return the largest delta over all counts in all cells, if one person is added, or removed."""
    found = 0.0
    for added in (True, False):
        cells = [
            table.pairs_in(1, added=added)
            for table, number in zip(own, numbers, strict=True)
            for _ in range(number)
        ]  # fmt: skip
        found = max(found, *(delta(pairs, epsilon) for pairs in itertools.product(*cells)))
    return found


@settings(deadline=None, max_examples=40)
@given(
    st.tuples(tables(), tables()),
    st.sampled_from([[(1, 1)], [(2, 1)], [(1, 0), (0, 2)]]),
    st.fractions("1/10", 2, max_denominator=10),
)
def test_the_verdict_on_several_tables_is_right(
    own: tuple[Table, Table], numbers: list[tuple[int, ...]], epsilon: Fraction
) -> None:
    """The largest delta over all combinations of leaves is between the bounds, and a larger one is proved."""
    listed = list(own)
    true = max(worst(listed, of_tables, float(epsilon)) for of_tables in numbers)
    exposures = Exposures(numbers, 1, numbers)
    larger = min(Fraction(true) * 2 + Fraction("0.01"), Fraction(1))
    assert judge_several(listed, larger, epsilon, exposures).verdict == "proved"
    judged = judge_several(listed, Fraction(true) * Fraction("0.7"), epsilon, exposures)
    assert float(judged.lower) - 1e-12 <= true <= float(judged.upper) + 1e-12
    infinite = max(worst(listed, of_tables, 60.0) for of_tables in numbers)
    assert float(lower_floor_of(listed, exposures)) <= infinite + 1e-12
    assert float(upper_floor_of(listed, exposures)) >= infinite - 1e-12


def test_a_delta_that_holds_for_most_people_only_fails() -> None:
    """Two cells of much noise cost less than one cell of little noise, which other people are in."""
    little = Table(BITS, None, 1, (), (Row(-1, (8, 240, 8)),))
    much = Table(BITS, None, 1, (), (Row(-2, (32, 64, 64, 64, 32)),))
    men = judge_several([little, much], Fraction(3, 4), Fraction(1), Exposures([(0, 2)], 1, [(0, 2)]))
    all_people = judge_several([little, much], Fraction(3, 4), Fraction(1), Exposures([(1, 0), (0, 2)], 1, [(1, 0)]))
    assert men.verdict == "proved"
    assert all_people.verdict == "fails"
