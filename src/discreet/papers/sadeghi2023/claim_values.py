"""How claims about Sadeghi 2023 are written: decimals as printed, statements, values of formulas, values of ours."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

from discreet.papers.claim import Claim, Kind

SAME = 1e-9
"""Numbers that differ by a smaller part are one: more than floats leave open."""

DOUBLE = Fraction(1, 10**15)
"""A printed float has 15 significant digits that can be right."""


def decimals(item: str, what: str, paper: str, ours: float | Fraction, note: str = "") -> Claim:
    """Return a claim about a decimal number, with the digits that the paper prints.

    Of a number with more than 15 significant digits, the last ones need not agree: the paper computes in floats.
    """
    printed = Decimal(paper)
    value = Fraction(ours)
    with localcontext(prec=60):
        rounded = (Decimal(value.numerator) / value.denominator).quantize(printed)
    text = f"{rounded:e}" if "e" in paper else f"{rounded:f}"
    near = abs(value - Fraction(printed)) <= DOUBLE * abs(Fraction(printed))
    if near and rounded != printed:
        note = note or "the last digits are the rounding of floats in the paper"
    return Claim(item, what, paper, text, rounded == printed or near, note)


def integer(item: str, what: str, paper: int, ours: int, note: str = "") -> Claim:
    """Return a claim about an integer that the paper prints."""
    return Claim(item, what, str(paper), str(ours), ours == paper, note)


def statement(item: str, what: str, ours: str | float, holds: bool, note: str = "") -> Claim:
    """Return a claim about a statement in words. The column of the paper says that the paper makes the statement."""
    return Claim(item, what, "stated", ours, bool(holds), note, "stated")


def formula(item: str, what: str, paper: float, ours: float, note: str = "") -> Claim:
    """Return a claim about the value of a formula of the paper, beside a value that was computed without it."""
    return Claim(item, what, paper, ours, math.isclose(paper, ours, rel_tol=SAME, abs_tol=1e-300), note, "formula")


def ours(item: str, what: str, value: str | float, note: str = "") -> Claim:
    """Return a value of ours that the paper has nothing to compare with."""
    kind: Kind = "ours"
    return Claim(item, what, None, value, True, note, kind)


def share(flags: list[bool]) -> str:
    """Return how many of how many."""
    return f"{sum(flags)} of {len(flags)}"
