"""The bounds of the independent checker, against every outcome of small tables."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certify.folder.findings import rounded_up
from discreet.certify.folder.lattice import Lattice
from discreet.certify.folder.losses import Exposure, judge, lower_bound, partitions, upper_bound
from discreet.certify.folder.tables import reachable
from discreet.certify.folder.weights import ONE, DirectedPair, Row, Table, exp_bounds

BITS = 8


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Draw a table with three outputs a row, and rows for small counts, for all counts, or both."""

    def row() -> Row:
        cuts = sorted(draw(st.lists(st.integers(0, 256), min_size=2, max_size=2)))
        weights = (cuts[0], cuts[1] - cuts[0], 256 - cuts[1])
        return Row(draw(st.integers(-1, 1)), weights)

    rows = tuple(row() for _ in range(draw(st.integers(0, 2))))
    interior = tuple(row() for _ in range(draw(st.integers(0 if rows else 1, 2))))
    upper = len(rows) - 1 if not interior else draw(st.sampled_from([None, len(rows) + 1, len(rows) + 4]))
    return Table(BITS, upper, 1, rows, interior)


def delta(pairs: tuple[DirectedPair, ...], epsilon: float) -> float:
    """Return delta of one pair of counts in each cell, by every outcome."""
    total = 0.0
    for outcome in itertools.product(*(zip(pair.p, pair.q, strict=True) for pair in pairs)):
        p, q = (math.prod(weights) / 2 ** (BITS * len(pairs)) for weights in zip(*outcome, strict=True))
        total += max(0.0, p - math.exp(epsilon) * q)
    return total


def worst(table: Table, epsilon: float, touches: int, rows: int) -> float:
    """Return the largest delta over all pairs of counts in all cells, and all ways to split the rows."""
    families = [
        pairs for split in partitions(rows, rows) for pairs in itertools.product(*(table.pairs(d) for d in split))
    ]
    choices = itertools.combinations_with_replacement(families, touches)
    return max((delta(tuple(itertools.chain(*choice)), epsilon) for choice in choices), default=0.0)


@settings(deadline=None, max_examples=60)
@given(tables(), st.integers(1, 2), st.integers(1, 2), st.fractions("1/10", 3, max_denominator=10))
def test_every_bound_holds_for_all_pairs_of_counts(table: Table, touches: int, rows: int, epsilon: Fraction) -> None:
    true = worst(table, float(epsilon), touches, rows)
    exposure = Exposure(touches, rows, touches)
    for step in (Fraction(1, 3), Fraction(1, 50)):
        up, down = (Lattice(step, 40, 10**10, up) for up in (True, False))
        assert float(upper_bound(table, epsilon, exposure, up)) >= true - 1e-12
        for pair in table.pairs(rows):
            bound = lower_bound(pair, BITS, epsilon, touches, down)
            assert float(bound) <= delta((pair,) * touches, float(epsilon)) + 1e-12
    if rows == 1:
        judged = judge(table, Fraction(true) * Fraction("0.7"), epsilon, exposure)
        assert float(judged.lower) - 1e-12 <= true <= float(judged.upper) + 1e-12
        assert judged.verdict == ("fails" if true * 0.7 < float(judged.lower) else judged.verdict)
        larger = min(Fraction(true) * 2 + Fraction("0.01"), Fraction(1))
        assert judge(table, larger, epsilon, exposure).verdict == "proved"


def test_finer_lattices_give_closer_bounds() -> None:
    """The noise has losses that lie on no lattice."""
    table = Table(BITS, None, 1, (), (Row(-3, (9, 20, 41, 116, 41, 20, 9)),))
    true = max(delta((pair,) * 3, 0.7) for pair in table.pairs(1))
    three_cells = Exposure(3, 1, 3)
    coarse, fine = (
        upper_bound(table, Fraction("0.7"), three_cells, Lattice(Fraction(1, n), 40, 0, True)) for n in (10, 1000)
    )
    assert true - 1e-12 <= float(fine) < float(coarse)
    assert float(fine) == pytest.approx(true, rel=1e-4)
    verdicts = [
        judge(table, Fraction(true) * Fraction(times), Fraction("0.7"), three_cells).verdict
        for times in ("1.0001", "0.99", "0.999999999")
    ]
    assert verdicts == ["proved", "fails", "not shown"]


@given(st.fractions(0, 100, max_denominator=1000))
def test_powers_of_e_lie_between_their_bounds(x: Fraction) -> None:
    low, high = exp_bounds(x)
    assert low < high
    assert Fraction(high - low, low) < Fraction(1, 10**40)
    assert math.log(low / ONE) == pytest.approx(float(x), abs=1e-12, rel=1e-12)


@given(tables())
def test_reachable_measurements_are_the_outputs_of_all_counts(table: Table) -> None:
    last = 40 if table.upper is None else table.upper
    rows = [table.row(count) for count in range(last + 1)]
    outputs = {output for row in rows for output, weight in enumerate(row.weights, row.first) if weight}
    is_reachable = reachable(table)
    assert {y for y in range(-9, 30) if is_reachable(y)} == {y for y in outputs if y < 30}


@pytest.mark.parametrize("digits", [6, 9])
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 3), Fraction(10**18 + 1, 10**25), Fraction(1)], ids=str)
def test_no_delta_is_printed_smaller_than_it_is(delta: Fraction, digits: int) -> None:
    printed = Fraction(rounded_up(delta, digits))
    assert delta <= printed <= delta * (1 + Fraction(10, 10**digits))
