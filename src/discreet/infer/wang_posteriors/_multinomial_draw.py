"""The rows of algorithm 2: the noisy components that a multinomial draw may come from.

Let b be the noisy components, negative ones replaced by 0, T their sum, and k the released counts, with sum N. The draw
has a chance proportional to b_1**k_1 ... b_S**k_S / T**N, and

    T**-N  =  1/Gamma(N)  integral of exp(N u - lambda T) du,    lambda = exp(u),

so given lambda the components are independent, b_i with the weights b**k_i exp(-lambda b). The integral is replaced by
a sum with step h. By Poisson's summation formula the relative error, for every T, is at most
2 sum_m |Gamma(N + i y m)| / Gamma(N) with y = 2 pi / h, and

    log |Gamma(N + i y)| / Gamma(N)  <=  N/2 log(1 + y**2 / N**2) - y arctan(y / N),

so h is chosen to make this bound e**-DEPTH. All terms are positive, so it is also the relative error of every
probability.

b_i = 0 stands for every noisy value up to 0. If all components are 0 the proportions are equal: one more row, with
S**-N in place of T**-N. Noisy values are followed until their tilted weight is e**-DEPTH of the largest. Values of
lambda are followed until the bound of a row is e**-DEPTH of the largest bound and falling. Below that lambda the bounds
fall like lambda**N, above it faster.
"""

import math

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.infer.wang_posteriors._coupled import Part, Row, noise, trim

DEPTH = 50.0
"""Weights below exp(-DEPTH) of the largest weight are not followed."""

LARGEST_TILT = 1023 / 1024
"""The largest tilt of a row, as a part of epsilon."""

CLOSE_ENOUGH = 1.0
"""Standard deviations within which a tilt has to bring the mean of a row's sum to the total."""

SMALLEST_VARIANCE = 1e-300
"""Stands for a variance of 0."""


def draw_rows(released: Integers, epsilon: float) -> list[Row]:
    """Return all rows that matter, for a total above 0."""
    maker = _RowMaker(released, epsilon)
    rows = [maker.row(0)]
    for direction in (1, -1):
        step, previous = 0, rows[0]
        while True:
            step += direction
            row = maker.row(step, previous.tilt)
            rows.append(row)
            if row.log_bound < min(previous.log_bound, max(row.log_bound for row in rows) - DEPTH):
                break
            previous = row
    return [*rows, maker.all_zero_row(max(row.log_bound for row in rows) - DEPTH)]


class _RowMaker:
    """Makes rows, with the tilt that brings the mean of the sum near the total."""

    def __init__(self, released: Integers, epsilon: float) -> None:
        self.total, self.epsilon, self.size = int(released.sum()), epsilon, len(released)
        self.members_by_count = {int(count): np.flatnonzero(released == count) for count in np.unique(released)}
        self.step = 2 * math.pi / _frequency(self.total)

    def row(self, step: int, tilt: float = 0.0) -> Row:
        """Return the row of lambda = exp(step * self.step). The search for its tilt starts at `tilt`."""
        rate = math.exp(step * self.step)
        log_weight = math.log(self.step) + self.total * step * self.step - math.lgamma(self.total)
        return self._tilted_row(rate, log_weight, tilt)

    def all_zero_row(self, low_enough: float) -> Row:
        """Return the row of no noisy component above 0. The search ends at a bound below `low_enough`."""
        return self._tilted_row(math.inf, -self.total * math.log(self.size), 0.0, low_enough)

    def _tilted_row(self, rate: float, log_weight: float, tilt: float, low_enough: float = -math.inf) -> Row:
        low, high = -LARGEST_TILT * self.epsilon, LARGEST_TILT * self.epsilon
        low = max(low, -rate / 2)
        best_bound = math.inf
        while high - low > 1e-4 * self.epsilon:
            parts, log_mass, mean, variance = self._parts(rate, tilt)
            bound, excess = log_mass + tilt * self.total, mean - self.total
            if bound < best_bound:
                best_bound, best_tilt, best_parts = bound, tilt, parts
            if abs(excess) <= CLOSE_ENOUGH * math.sqrt(variance) or best_bound + log_weight < low_enough:
                break
            low, high = (tilt, high) if excess > 0 else (low, tilt)
            tilt += excess / max(variance, SMALLEST_VARIANCE)
            if not low < tilt < high:
                tilt = (low + high) / 2
        return Row(best_bound + log_weight, best_tilt, tuple(best_parts))

    def _parts(self, rate: float, tilt: float) -> tuple[list[Part], float, float, float]:
        """Return the parts of a row; the log mass, the mean and the variance of their sum."""
        parts, log_bound, mean, variance = [], 0.0, 0.0, 0.0
        members_by_count = self.members_by_count if rate < math.inf else {0: np.arange(self.size)}
        for count, members in members_by_count.items():
            distribution, start, log_mass = self._distribution(count, rate, tilt)
            values = start + np.arange(len(distribution))
            average = float((values * distribution).sum())
            size = len(members)
            log_bound += size * log_mass
            mean += size * average
            variance += size * float(((values - average) ** 2 * distribution).sum())
            parts.append(Part(distribution, members, np.full(size, start)))
        return parts, log_bound, mean, variance

    def _distribution(self, count: int, rate: float, tilt: float) -> tuple[Floats, int, float]:
        """Return the tilted distribution of a true count, its least value, and the log of the sum of its weights."""
        first, last = _noisy_range(count, rate + tilt)
        noisy = np.arange(first, last + 1)
        if count:
            logs = count * np.log(noisy) - (rate + tilt) * noisy
        else:
            logs = np.append(-math.log(-math.expm1(-self.epsilon)), -(rate + tilt) * noisy[1:])
        highest = float(logs.max())
        errors, start = noise(self.epsilon, tilt, last)
        weights = np.convolve(np.exp(logs - highest), errors)
        start += first
        weights, start = weights[max(-start, 0) :], max(start, 0)
        mass = float(weights.sum())
        distribution, cut_below = trim(weights / mass)
        return distribution, start + cut_below, highest + math.log(mass)


def _noisy_range(count: int, rate: float) -> tuple[int, int]:
    """Return the first and last noisy value at which b**count exp(-rate b) is above exp(-DEPTH) of its maximum.

    At a distance d left of the mode the logarithm falls by more than (rate d)**2 / (2 count), right of it by more than
    (rate d)**2 / (2 (count + rate d)).
    """
    if rate == math.inf:
        return 0, 0
    below, above = math.sqrt(2 * DEPTH * count), DEPTH + math.sqrt(DEPTH * DEPTH + 2 * DEPTH * count)
    return max(math.floor((count - below) / rate), min(count, 1)), math.ceil((count + above) / rate)


def _frequency(total: int) -> float:
    """Return the y at which the bound of |Gamma(total + i y)| / Gamma(total) is exp(-DEPTH)."""
    low, high = 0.0, DEPTH + 10 * math.sqrt(DEPTH * total)
    for _ in range(60):
        middle = (low + high) / 2
        bound = middle * math.atan(middle / total) - total / 2 * math.log1p((middle / total) ** 2)
        low, high = (middle, high) if bound < DEPTH else (low, middle)
    return high
