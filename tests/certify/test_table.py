"""The check in integers against the definition in fractions, on tables without symmetry."""

import math
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certify import table as integer_table
from discreet.certify.table import IntegerRow, Table
from discreet.domain import Counts, Cycle

BITS = 8
TOTAL = 1 << BITS


@st.composite
def weights(draw: st.DrawFn, size: int | None = None) -> tuple[int, ...]:
    """Draw integers that sum to 2**BITS, often with zeros."""
    length = size or draw(st.integers(1, 6))
    cuts = sorted(draw(st.lists(st.integers(0, TOTAL), min_size=length - 1, max_size=length - 1)))
    return tuple(b - a for a, b in zip([0, *cuts], [*cuts, TOTAL], strict=True))


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Draw tables with small rows, a period, an upper end or none, and several distances."""
    small, period = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    lower = draw(st.integers(0, 2))
    rows = tuple(IntegerRow(draw(st.integers(-2, 4)), draw(weights())) for _ in range(max(small, 0 if period else 2)))
    interior = tuple(IntegerRow(draw(st.integers(-4, 2)), draw(weights())) for _ in range(period))
    upper: int | None = lower + len(rows) - 1
    if period:
        upper = draw(st.none() | st.integers(lower + len(rows), lower + len(rows) + 6))
    return Table(BITS, Counts(lower, upper), tuple(range(1, draw(st.integers(1, 3)) + 1)), rows, interior)


@st.composite
def cycles(draw: st.DrawFn) -> Table:
    shape = draw(st.sampled_from([(2,), (5,), (6,), (2, 3), (2, 2, 2)]))
    domain = Cycle(shape)
    difference = st.tuples(*(st.integers(0, side - 1) for side in shape)).filter(any)
    neighbours = domain.neighbours(draw(st.lists(difference, min_size=1, max_size=3)))
    return Table(BITS, domain, neighbours, (), (IntegerRow(0, draw(weights(size=math.prod(shape)))),))


def distribution(table: Table, value: object) -> dict[object, Fraction]:
    """Return the probability of every output, straight from the representation."""
    if isinstance(table.domain, Cycle):
        noise = table.interior[0].weights
        shape = table.domain.shape
        residues = (value,) if isinstance(value, int) else value
        probabilities: dict[object, Fraction] = {}
        for index, weight in enumerate(noise):
            rest, z = index, []
            for side in reversed(shape):
                rest, x = divmod(rest, side)
                z.append(x)
            output = tuple((x + v) % side for x, v, side in zip(reversed(z), residues, shape, strict=True))  # type: ignore[call-overload]
            probabilities[output] = Fraction(weight, TOTAL)
        return probabilities
    assert isinstance(value, int)
    index = value - table.domain.lower
    if index < len(table.rows):
        row, shift = table.rows[index], 0
    else:
        row, shift = table.interior[(index - len(table.rows)) % len(table.interior)], value
    return {row.first + shift + k: Fraction(w, TOTAL) for k, w in enumerate(row.weights)}


def pairs(table: Table) -> list[tuple[dict[object, Fraction], dict[object, Fraction]]]:
    if isinstance(table.domain, Cycle):
        origin = (0,) * len(table.domain.shape)
        return [(distribution(table, origin), distribution(table, d)) for d in table.neighbours]
    last = table.domain.lower + len(table.rows) + 3 * len(table.interior) + 3
    last = last if table.domain.upper is None else min(last, table.domain.upper)
    counts = range(table.domain.lower, last + 1)
    steps = [d for d in table.neighbours if isinstance(d, int)]
    assert len(steps) == len(table.neighbours)
    return [(distribution(table, a), distribution(table, a + d)) for a in counts for d in steps if a + d <= last]


@settings(max_examples=400)
@given(tables() | cycles(), st.fractions(min_value=1, max_value=20, max_denominator=50))
def test_delta_is_the_definition_in_both_directions(table: Table, exp_epsilon: Fraction) -> None:
    worst = Fraction(0)
    for first, second in pairs(table):
        for p, q in ((first, second), (second, first)):
            worst = max(
                worst, sum((max(Fraction(0), p[y] - exp_epsilon * q.get(y, Fraction(0))) for y in p), Fraction(0))
            )
    assert integer_table.delta(table, exp_epsilon)[0] == worst


def test_one_direction_is_not_enough() -> None:
    """In one direction delta is 0, in the other direction it is 102/256."""
    rows = (IntegerRow(0, (256, 0)), IntegerRow(0, (154, 102)))
    for order in (rows, rows[::-1]):
        table = Table(BITS, Counts(0, 1), (1,), order, ())
        assert integer_table.delta(table, Fraction(3))[0] == Fraction(102, 256)


@settings(max_examples=300)
@given(tables())
def test_row_honesty_looks_at_every_output(table: Table) -> None:
    """Brute force over many more counts than the check inspects."""
    lower, upper = table.domain.lower, table.domain.upper  # type: ignore[union-attr]
    counts = range(lower, (lower + len(table.rows) + 3 * len(table.interior) + 12 if upper is None else upper) + 1)
    honest = all(
        distribution(table, y).get(y, Fraction(0)) >= chance
        for c in counts
        for y, chance in distribution(table, c).items()
        if isinstance(y, int) and y >= lower and (upper is None or y <= upper)
    )
    if table.rows or len(table.interior) > 1 or upper is None:
        assert ("RH" in integer_table.properties(table)) is honest
    else:  # additive noise is judged by its distribution alone, however short the domain is
        assert honest or "RH" not in integer_table.properties(table)


def test_a_far_output_of_a_small_row_counts() -> None:
    rows = (IntegerRow(0, (102, *(0,) * 49, 154)),)
    interior = (IntegerRow(-1, (64, 128, 64)),)
    assert "RH" not in integer_table.properties(Table(BITS, Counts(), (1,), rows, interior))


def test_symmetry_does_not_depend_on_how_it_is_written() -> None:
    noise = IntegerRow(-1, (64, 128, 64))
    for domain in (Counts(), Counts(0, 20), Counts(0, 10**12)):
        for rows, interior in (((), (noise,)), ((), (noise, noise)), ((noise,), (noise,))):
            assert "S" in integer_table.properties(Table(BITS, domain, (1,), rows, interior))
