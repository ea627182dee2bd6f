"""Mechanisms as exact matrices."""

from fractions import Fraction

from discreet import Mechanism


def fractions(mechanism: Mechanism) -> list[list[Fraction]]:
    rows = []
    for row in mechanism.rows:
        assert row.numerators is not None
        rows.append([Fraction(w, row.denominator) for w in row.numerators])
    return [list(line) for line in zip(*rows, strict=True)]
