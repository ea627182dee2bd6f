"""Numbers as text for readers. Promised numbers are rounded so that no loss is understated."""

import math
from decimal import Decimal
from fractions import Fraction

from discreet.exact import upper
from discreet.publish.report.texts import ENGLISH, Words

_LARGE = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"))


def above(value: float, words: Words = ENGLISH) -> str:
    """Return a number with four digits, rounded up."""
    return words.number(upper(Fraction(value), digits=4))


def number(value: Fraction, words: Words = ENGLISH) -> str:
    """Return a number with six digits."""
    return "0" if value == 0 else words.number(f"{float(value):.6g}")


def factor(value: Fraction, words: Words = ENGLISH) -> str:
    """Return a factor with three digits, rounded up. Factors below a million have no exponent."""
    shown = Decimal(upper(value, digits=3))
    return words.number(f"{shown:,f}" if shown < 10**6 else f"{shown:e}")


def one_in(value: float, words: Words = ENGLISH) -> str:
    """Return a chance, rounded up: in percent if it is above 10%, else as "1 in N", N with two digits."""
    if value > 0.1:
        return words.percent(f"{math.ceil(Fraction(value) * 100)}")
    whole = math.floor(1 / Fraction(value))
    if whole >= 10**15:
        return words.number(upper(Fraction(value), digits=2))
    unit = 10 ** (len(str(whole)) - 2)
    whole = whole // unit * unit
    for size, name in _LARGE:
        if whole >= size:
            several = f"{words.number(f'{Decimal(whole) / size:g}')} {words(name)}"
            return words("one_in", number=words(f"1_{name}") if whole == size else several)
    return words("one_in", number=words.number(whole))


def percent(value: Fraction, words: Words = ENGLISH) -> str:
    """Return a share in percent with one decimal. Only 0 and 1 are written as 0% and 100%."""
    if value in (0, 1):
        return words.percent(str(100 * int(value)))
    if value < Fraction(1, 1000):
        return words("under", number=words.percent("0.1"))
    if value > Fraction(999, 1000):
        return words("over", number=words.percent("99.9"))
    return words.percent(f"{float(100 * value):.1f}")
