"""The formulas of Sadeghi 2020, section III, in any numbers: in exact fractions they can be compared without rounding.

E = e^epsilon is given as a number of its own, B = 2/(1 - eta), C = 2 eta/(1 - eta). `design.bounded` has the same
formulas in floats that do not overflow.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import NamedTuple


class Case(NamedTuple):
    """A case of section III in fractions: E, eta and D."""

    big: Fraction
    eta: Fraction
    support: int

    @property
    def b(self) -> Fraction:
        """B = 2/(1 - eta)."""
        return 2 / (1 - self.eta)

    @property
    def c(self) -> Fraction:
        """C = 2 eta/(1 - eta)."""
        return 2 * self.eta / (1 - self.eta)

    def powers(self, number: int) -> Fraction:
        """Return 1 + E + ... with so many terms."""
        return sum((self.big**j for j in range(number)), Fraction(0))

    def rising(self, number: int) -> Fraction:
        """Return the sum of (j+1) E^j with so many terms."""
        return sum(((j + 1) * self.big**j for j in range(number)), Fraction(0))

    def falling(self, number: int) -> Fraction:
        """Return the sum of (number - j) E^j with so many terms."""
        return sum(((number - j) * self.big**j for j in range(number)), Fraction(0))

    def lower_bound(self, k: int) -> Fraction:
        """Return delta_k: (23) for k = 1..D, (32) for k = D+1."""
        if k == self.support + 1:
            return 1 / (self.b * self.falling(self.support))
        return (self.c * self.powers(k) - self.big**k) / (self.b * self.rising(k))

    def crossover(self, k: int) -> Fraction:
        """Return C_k, (34)."""
        return self.powers(k + 1) / self.falling(k)

    def selected(self) -> int:
        """Return the k with C_k < C <= C_(k-1), where C_(D+1) = 0: Theorem 2."""
        return next((k for k in range(1, self.support + 1) if self.c > self.crossover(k)), self.support + 1)

    def coefficients(self) -> list[Fraction]:
        """Return alpha_1, ..., alpha_D of Definition 2, by its recursions."""
        k = self.selected()
        step = self.b * self.lower_bound(k)
        if k == self.support + 1:
            upward = [step]
            while len(upward) < self.support:
                upward.append(self.big * upward[-1] + step)
            return upward[::-1]
        alphas = [(self.c - step) / self.big]
        while len(alphas) < k:
            alphas.append((alphas[-1] - step) / self.big)
        return alphas + [Fraction(0)] * (self.support - k)

    def slacks(self) -> list[Fraction]:
        """Return right minus left side of (17), of (18) for i = D-1, ..., 1, and of (19), times B."""
        alphas = self.coefficients()
        step = self.b * self.lower_bound(self.selected())
        inner = [self.big * alphas[i + 1] + step - alphas[i] for i in reversed(range(self.support - 1))]
        return [step - alphas[-1], *inner, self.big * alphas[0] + step - self.c]

    def left_out(self) -> Fraction:
        """Return E eta + delta - (1-eta)/2 alpha_1, times B: the inequality that Proposition 4 leaves out."""
        return self.big * self.c + self.b * self.lower_bound(self.selected()) - self.coefficients()[0]


def grid() -> Iterator[Case]:
    """Yield 288 cases: six E from 1.1 to 20, six eta from .02 to .95, D from 1 to 8."""
    bigs = [Fraction(text) for text in ("11/10", "3/2", "2", "3", "9", "20")]
    etas = [Fraction(text) for text in ("1/50", "1/10", "3/10", "1/2", "4/5", "19/20")]
    for big, eta, support in product(bigs, etas, range(1, 9)):
        yield Case(big, eta, support)
