"""The law of a sum of independent noises, each times a coefficient (docs/folder.md, "Intervals").

Its characteristic function is the product of those of the noises. Normal noise of standard deviation sigma is added,
because the law is discrete; the ends are moved outward by 5 sigma for it. Only the standard library is used.
"""

import cmath
import math
from collections.abc import Sequence
from functools import cached_property, lru_cache

from .findings import need

SMOOTHING, RELATIVE_SMOOTHING = 0.01, 1e-3
"""Sigma is at least .01, and at least a thousandth of the standard deviation of the sum."""

ADDED, BEYOND, TAIL = 5.0, 3e-7, 0.025
"""The sigmas that are added to an end, the chance of more, and the chance that is left out at either end."""

PERIODS = 30.0
"""The inverted law repeats after so many standard deviations."""

LARGEST = 6.6
"""Frequencies above this, in units of 1 / sigma, have less than a billionth of the height."""

NEGLIGIBLE = 1e-18

POINTS = 700
"""Points on which a characteristic function is tabulated, for each unit of standard deviation and one more."""

NEAR = 0.1
"""Up to this frequency, in units of 1 / standard deviation, the sum itself is taken, and no table."""


class NoiseLaw:
    """The characteristic function of noise on integers.

    Parameters
    ----------
    first, weights
        The least noise, and the weights of it and all larger ones.
    """

    def __init__(self, first: int, weights: Sequence[int]) -> None:
        total = sum(weights)
        self._masses = [(z, weight / total) for z, weight in enumerate(weights, first) if weight]
        mean = sum(z * mass for z, mass in self._masses)
        self.variance = sum((z - mean) ** 2 * mass for z, mass in self._masses)
        self.is_symmetric = 2 * first == 1 - len(weights) and tuple(weights) == tuple(weights)[::-1]

    @cached_property
    def _table(self) -> list[complex]:
        points = max(POINTS * (1 + math.sqrt(self.variance)), 4 * len(self._masses))
        size = 1 << math.ceil(math.log2(points))
        spread = [0j] * size
        for z, mass in self._masses:
            spread[z % size] += mass
        return [value.conjugate() for value in _fourier(spread)]

    def at(self, frequency: float) -> complex:
        """Return the characteristic function."""
        if abs(frequency) * math.sqrt(self.variance) <= NEAR:
            return sum((mass * cmath.exp(1j * frequency * z) for z, mass in self._masses), 0j)
        size = len(self._table)
        position = frequency * size / (2 * math.pi)
        index = math.floor(position)
        x = position - index
        before, here, after, last = (self._table[(index + shift) % size] for shift in (-1, 0, 1, 2))
        return (
            -before * x * (x - 1) * (x - 2) / 6
            + here * (x + 1) * (x - 1) * (x - 2) / 2
            - after * (x + 1) * x * (x - 2) / 2
            + last * (x + 1) * x * (x - 1) / 6
        )


def _fourier(values: list[complex]) -> list[complex]:
    """Return the discrete Fourier transform; the length is a power of 2."""
    size = len(values)
    if size == 1:
        return values
    even, odd = _fourier(values[::2]), _fourier(values[1::2])
    turned = [cmath.exp(-2j * math.pi * k / size) * value for k, value in enumerate(odd)]
    pairs = list(zip(even, turned, strict=True))
    return [a + b for a, b in pairs] + [a - b for a, b in pairs]


@lru_cache(maxsize=4096)
def ends(
    noises: tuple[tuple[int, tuple[int, ...]], ...], terms: tuple[tuple[int, float, int], ...]
) -> tuple[float, float]:
    """Return the ends of the sum of noises times coefficients, as `ErrorLaw.ends`.

    Parameters
    ----------
    noises
        The least noise of every table, and the weights of it and all larger ones.
    terms
        Numbers of tables, each with a coefficient and the number of noises that have it.
    """
    laws = {number: _noise_law(*noises[number]) for number, _, _ in terms}
    return ErrorLaw([(laws[number], value, times) for number, value, times in terms]).ends()


@lru_cache(maxsize=64)
def _noise_law(first: int, weights: tuple[int, ...]) -> NoiseLaw:
    return NoiseLaw(first, weights)


class ErrorLaw:
    """The law of a sum.

    Parameters
    ----------
    terms
        Noises, each with a coefficient and the number of independent noises that have it.
    """

    def __init__(self, terms: Sequence[tuple[NoiseLaw, float, int]]) -> None:
        need(terms, "no measurement tells anything about a cell")
        self._terms = sorted(terms, key=lambda term: -abs(term[1]) * math.sqrt(term[2]))
        self.deviation = math.sqrt(sum(noise.variance * value**2 * number for noise, value, number in terms))
        self._sigma = max(SMOOTHING, RELATIVE_SMOOTHING * self.deviation)
        self._spacing = 2 * math.pi / (PERIODS * max(self.deviation, self._sigma))

    def ends(self) -> tuple[float, float]:
        """Return ends of the sum: below the first and above the second end with at most 2.5% each."""
        added = ADDED * self._sigma
        upper = self._crossing(1 - TAIL + BEYOND) + added
        symmetric = all(noise.is_symmetric for noise, _, _ in self._terms)
        return (-upper if symmetric else self._crossing(TAIL - BEYOND) - added), upper

    @cached_property
    def _heights(self) -> list[tuple[float, complex]]:
        count = math.ceil(LARGEST / self._sigma / self._spacing)
        frequencies = [(number + 0.5) * self._spacing for number in range(count)]
        heights = [(t, complex(math.exp(-((self._sigma * t) ** 2) / 2))) for t in frequencies]
        for noise, value, number in self._terms:
            heights = [(t, height * noise.at(value * t) ** number) for t, height in heights]
            heights = [(t, height) for t, height in heights if abs(height) > NEGLIGIBLE]
        return heights

    def _below(self, x: float) -> float:
        """Return the chance that the sum, with normal noise, is at most x."""
        turned = math.fsum((height * cmath.exp(-1j * t * x)).imag / t for t, height in self._heights)
        return 0.5 - self._spacing / math.pi * turned

    def _crossing(self, chance: float) -> float:
        reach = max(self.deviation, self._sigma)
        low, high = -PERIODS / 2 * reach, PERIODS / 2 * reach
        while high - low > 1e-8 * reach:
            middle = (low + high) / 2
            low, high = (middle, high) if self._below(middle) < chance else (low, middle)
        return high
