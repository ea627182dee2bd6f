"""delta* by Fourier-Motzkin elimination (Sadeghi 2020, section II-A), in exact fractions, for a few counts.

The program (9)-(13) has the weights alpha of all two-point noises, and delta. Eliminate the weights one by one: every
upper bound of a weight is at least every lower bound of it. Lower bounds of delta alone are left, and delta* is their
largest. The number of inequalities grows so fast that few weights are possible.
"""

from fractions import Fraction

from discreet.papers.sadeghi2020.two_point_noise import choices, two_point

Row = tuple[Fraction, ...]
"""Factors of the weights and of delta, then a bound: the sum of the products is at most the bound."""


def least_delta(big: Fraction, eta: Fraction, support: int, people: int) -> Fraction:
    """Return the least delta per output over counts 1..N, E given as a number of its own."""
    keys = [(n, points) for n in range(1, people + 1) for points in choices(n, support)]
    last = {n: len(keys) - 1 - [count for count, _ in keys][::-1].index(n) for n in range(1, people + 1)}
    size = len(keys) + 2
    rows = set()
    for n in range(1, people + 1):
        for other in {n - 1, n + 1} & set(range(1, people + 1)):
            for y in range(people + support + 1):
                row = [Fraction(0)] * size
                row[-2] = Fraction(-1)
                for variable, (count, points) in enumerate(keys):
                    mass = two_point(eta, points).get(y - count, Fraction(0))
                    row[variable] += mass if count == n else -big * mass if count == other else 0
                rows.add(_scaled(row))
    rows |= {_scaled([Fraction(-(column == variable)) for column in range(size)]) for variable in range(len(keys))}
    for n, variable in last.items():  # the weights of a count add up to 1
        mine = [column for column, (count, _) in enumerate(keys) if count == n]
        rows = {_substituted(row, variable, mine) for row in rows}
    for variable in range(len(keys)):
        rows = _eliminated(rows, variable)
    return max(row[-1] / row[-2] for row in rows if row[-2] < 0)


def _scaled(row: list[Fraction]) -> Row:
    """Return a row divided by its largest factor, so that equal inequalities are equal rows."""
    largest = max(map(abs, row[:-1])) or Fraction(1)
    return tuple(value / largest for value in row)


def _substituted(row: Row, variable: int, mine: list[int]) -> Row:
    """Return a row in which a weight is 1 minus the other weights of its count."""
    factor = row[variable]
    changed = [value - factor if column in mine else value for column, value in enumerate(row)]
    changed[-1] -= factor
    return _scaled(changed)


def _eliminated(rows: set[Row], variable: int) -> set[Row]:
    """Return what the rows say about the other variables."""
    above = [row for row in rows if row[variable] > 0]
    below = [row for row in rows if row[variable] < 0]
    kept = {row for row in rows if not row[variable]}
    kept |= {
        _scaled([a / up[variable] - b / down[variable] for a, b in zip(up, down, strict=True)])
        for up in above
        for down in below
    }
    tightest: dict[Row, Fraction] = {}
    for row in kept:
        if any(row[:-1]):
            tightest[row[:-1]] = min(row[-1], tightest.get(row[:-1], row[-1]))
    return {(*factors, bound) for factors, bound in tightest.items()}
