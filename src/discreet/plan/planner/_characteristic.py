"""The characteristic function of the noise of a certified table.

It is tabulated over one period and interpolated by cubics. Near 0 it is the exponential of its cumulants,

    log phi(t) = sum over n of k_n (i t)^n / n!,

because there it is raised to large powers: a hundred thousand cells may have one small coefficient, and the error of an
interpolation would count as often.
"""

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.certify.ptable import PTable
from discreet.domain import Counts
from discreet.errors import ParameterError
from discreet.plan.planner._certified_noise import variance

Complex = npt.NDArray[np.complex128]

POINTS_PER_DEVIATION = 700.0
"""Points on which the characteristic function is tabulated, for each unit of the standard deviation of the noise."""

NEAR = 0.1
"""Cumulants are used up to this frequency, in units of 1 / standard deviation."""

CUMULANTS = 8
"""Number of cumulants that are used."""


def noise_of_all_counts(table: PTable) -> tuple[tuple[int, ...], int]:
    """Return the weights of the noise, and the least noise. Raise ParameterError if noise depends on the count."""
    if not isinstance(table.domain, Counts) or table.domain.upper is not None or table.rows or len(table.interior) != 1:
        raise ParameterError(
            "the noise of a table depends on the count, and then its error has no law of its own; take each cell's own"
            " interval"
        )
    row = table.interior[0]
    return tuple(row.weights), row.first


class Characteristic:
    """The characteristic function of the noise of a table.

    Parameters
    ----------
    table
        A table with the same noise for all counts.
    """

    def __init__(self, table: PTable) -> None:
        weights, first = noise_of_all_counts(table)
        masses: Floats = np.array(weights, dtype=np.float64) / 2.0**table.bits
        deviation = math.sqrt(variance(table))
        points = max(POINTS_PER_DEVIATION * (1 + deviation), 4.0 * len(weights))
        size = 1 << math.ceil(math.log2(points))
        spread = np.zeros(size)
        spread[(np.arange(len(masses)) + first) % size] = masses
        half = np.conj(np.fft.rfft(spread))
        values = np.concatenate([half, np.conj(half[-2:0:-1])])
        self._step = 2 * math.pi / size
        self._size = size
        self._values = np.concatenate([values[-1:], values, values[:3]])
        self._near = NEAR / deviation if deviation else 0.0
        self._cumulants = _cumulants(masses, np.arange(first, first + len(masses), dtype=np.float64))

    def power(self, frequencies: Floats, times: float) -> Complex:
        """Return the function at some frequencies, to a power."""
        near = np.abs(frequencies) <= self._near
        if near.all():
            return self._near_0(frequencies, times)
        result: Complex = self._interpolated(frequencies) ** times
        result[near] = self._near_0(frequencies[near], times)
        return result

    def _near_0(self, frequencies: Floats, times: float) -> Complex:
        turned = 1j * frequencies
        logarithm = np.zeros(len(frequencies), dtype=np.complex128)
        for number in range(CUMULANTS, 0, -1):
            logarithm = (logarithm + self._cumulants[number] / math.factorial(number)) * turned
        return np.asarray(np.exp(times * logarithm))

    def _interpolated(self, frequencies: Floats) -> Complex:
        """Return the function by the cubic through the four nearest points."""
        position = np.mod(frequencies / self._step, self._size)
        index = np.minimum(position.astype(np.int64), self._size - 1)
        x = position - index
        before, here, after, last = (self._values[index + shift] for shift in range(4))
        return np.asarray(
            here
            + x
            * (
                (after - before / 3 - here / 2 - last / 6)
                + x * ((before + after) / 2 - here + x * ((last - before) / 6 + (here - after) / 2))
            )
        )


@lru_cache(maxsize=4)
def characteristic(table: PTable) -> Characteristic:
    """Return the characteristic function of a table. The last ones are kept, because many laws have the same tables."""
    return Characteristic(table)


def _cumulants(masses: Floats, values: Floats) -> list[float]:
    """Return the first cumulants, from the moments; the one of number 0 is 0."""
    moments = [float(masses @ values**number) for number in range(CUMULANTS + 1)]
    cumulants = [0.0]
    for number in range(1, CUMULANTS + 1):
        lower = sum(
            math.comb(number - 1, other - 1) * cumulants[other] * moments[number - other] for other in range(1, number)
        )
        cumulants.append(moments[number] - lower)
    return cumulants
