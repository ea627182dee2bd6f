"""The rows of algorithm 2: what noisy components a multinomial draw may come from.

Let b be the noisy components, negative ones replaced by 0, T their sum, and k the released counts, with sum N. The draw
has chance in proportion to b_1**k_1 ... b_S**k_S / T**N, and

    T**-N  =  1/Gamma(N)  integral of exp(N u - lambda T) du,    lambda = exp(u),

so given lambda the components are independent, b_i with the weights b**k_i exp(-lambda b). The integral is a sum with
step h. Its error is that of Poisson's formula: relative to every T, at most 2 sum_m |Gamma(N + i y m)| / Gamma(N) with
y = 2 pi / h, and

    log |Gamma(N + i y)| / Gamma(N)  <=  N/2 log(1 + y**2 / N**2) - y arctan(y / N),

so h is chosen to make it e**-DEPTH. All terms are positive, so that is also the relative error of every probability.

b_i = 0 stands for every noisy value up to 0. If all are 0 the proportions are equal: one row more, with S**-N in place
of T**-N. Noisy values are followed until their weight, tilted, is e**-DEPTH of the largest; lambda until the bound of a
row is e**-DEPTH of the largest bound and falling. Below that the bounds fall like lambda**N, above it faster.
"""

import math

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.infer.wang_posteriors._coupled import Part, Row, noise, trim

DEPTH = 50.0
"""Weights below exp(-DEPTH) of the largest are not followed."""

LARGEST_TILT = 1023 / 1024
"""Of a row, as a part of epsilon."""

NEAR = 1.0
"""Standard deviations within which the mean of a row's sum is brought to the total."""


SMALLEST = 1e-300
"""Stands for a variance of 0."""


def rows(released: Integers, epsilon: float) -> list[Row]:
    """All rows that matter, for a total above 0."""
    maker = Maker(released, epsilon)
    found = [maker.row(0)]
    for direction in (1, -1):
        place, last = 0, found[0]
        while True:
            place += direction
            row = maker.row(place, last.tilt)
            found.append(row)
            if row.log_bound < min(last.log_bound, max(each.log_bound for each in found) - DEPTH):
                break
            last = row
    return [*found, maker.zeros(max(each.log_bound for each in found) - DEPTH)]


class Maker:
    """Makes rows, with the tilt that brings the mean of the sum near the total."""

    def __init__(self, released: Integers, epsilon: float) -> None:
        self.total, self.epsilon, self.count = int(released.sum()), epsilon, len(released)
        self.classes = {int(count): np.flatnonzero(released == count) for count in np.unique(released)}
        self.step = 2 * math.pi / _frequency(self.total)

    def row(self, place: int, tilt: float = 0.0) -> Row:
        """The row of lambda = exp(place * step)."""
        scale = math.exp(place * self.step)
        weight = math.log(self.step) + self.total * place * self.step - math.lgamma(self.total)
        return self._tilted(scale, weight, tilt)

    def zeros(self, enough: float) -> Row:
        """No noisy component above 0; a bound below `enough` will do."""
        return self._tilted(math.inf, -self.total * math.log(self.count), 0.0, enough)

    def _tilted(self, scale: float, weight: float, tilt: float, enough: float = -math.inf) -> Row:
        low, high = -LARGEST_TILT * self.epsilon, LARGEST_TILT * self.epsilon
        low = max(low, -scale / 2)
        best = math.inf
        while high - low > 1e-4 * self.epsilon:
            parts, log_mass, mean, variance = self._parts(scale, tilt)
            bound, away = log_mass + tilt * self.total, mean - self.total
            if bound < best:
                best, chosen, found = bound, tilt, parts
            if abs(away) <= NEAR * math.sqrt(variance) or best + weight < enough:
                break
            low, high = (tilt, high) if away > 0 else (low, tilt)
            tilt += away / max(variance, SMALLEST)
            if not low < tilt < high:
                tilt = (low + high) / 2
        return Row(best + weight, chosen, tuple(found))

    def _parts(self, scale: float, tilt: float) -> tuple[list[Part], float, float, float]:
        parts, log_bound, mean, variance = [], 0.0, 0.0, 0.0
        for count, members in (self.classes if scale < math.inf else {0: np.arange(self.count)}).items():
            law, start, log_mass = self._law(count, scale, tilt)
            values = start + np.arange(len(law))
            average = float((values * law).sum())
            size = len(members)
            log_bound += size * log_mass
            mean += size * average
            variance += size * float(((values - average) ** 2 * law).sum())
            parts.append(Part(law, members, np.full(size, start)))
        return parts, log_bound, mean, variance

    def _law(self, count: int, scale: float, tilt: float) -> tuple[Floats, int, float]:
        """The tilted law of a count, its least value, and the logarithm of the sum of its weights."""
        first, last = _noisy(count, scale + tilt)
        noisy = np.arange(first, last + 1)
        if count:
            logs = count * np.log(noisy) - (scale + tilt) * noisy
        else:
            logs = np.append(-math.log(-math.expm1(-self.epsilon)), -(scale + tilt) * noisy[1:])
        highest = float(logs.max())
        errors, start = noise(self.epsilon, tilt, last)
        law = np.convolve(np.exp(logs - highest), errors)
        start += first
        law, start = law[max(-start, 0) :], max(start, 0)
        mass = float(law.sum())
        law, cut = trim(law / mass)
        return law, start + cut, highest + math.log(mass)


def _noisy(count: int, rate: float) -> tuple[int, int]:
    """Between which noisy values b**count exp(-rate b) is above exp(-DEPTH) of its largest value.

    Left of the mode m by d the logarithm falls by more than (rate d)**2 / (2 count), right of it by more than
    (rate d)**2 / (2 (count + rate d)).
    """
    if rate == math.inf:
        return 0, 0
    below, above = math.sqrt(2 * DEPTH * count), DEPTH + math.sqrt(DEPTH * DEPTH + 2 * DEPTH * count)
    return max(math.floor((count - below) / rate), min(count, 1)), math.ceil((count + above) / rate)


def _frequency(total: int) -> float:
    """y at which the bound of |Gamma(total + i y)| / Gamma(total) is exp(-DEPTH)."""
    low, high = 0.0, DEPTH + 10 * math.sqrt(DEPTH * total)
    for _ in range(60):
        middle = (low + high) / 2
        bound = middle * math.atan(middle / total) - total / 2 * math.log1p((middle / total) ** 2)
        low, high = (middle, high) if bound < DEPTH else (low, middle)
    return high
