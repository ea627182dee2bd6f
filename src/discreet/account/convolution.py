"""The composed delta of dominating pairs: a tilted Fourier transform with its error added.

With P the finite masses of all pairs convolved, each as often as it is used,

    finite(epsilon) = sum over losses x > epsilon of P(x) (1 - e**(epsilon - x)).

The error of a transform is relative to its largest value, and a delta of 1e-12 would drown in that error. So every pair
is tilted first: p(x) e**(theta x - K), where K makes the sum one, has its peak where theta puts it. Tilts commute with
convolution, so the result only has to be tilted back. Its error is then relative to about P near the peak, however
small P is there. One tilt serves two standard deviations. `Ladder` keeps a list of tilts that depends on the pairs
alone, so that an answer does not depend on earlier questions.

Errors that are added (all of them are in `error`):

transform
    Every output of a transform of length n passes log2(n) levels, so its error is at most r = 16 log2(n) u times the
    sum of its inputs' sizes, u = 2**-53. The error of a k-fold power is then at most
    (|F| + r)**k k (r / (|F| + r) + 4u). The error of the inverse is at most the mean of that, plus r times the mean of
    its inputs' sizes.
wrapping
    The transform is circular. Mass outside its window is folded back in, which adds to values and never subtracts.
cutting
    Mass above the window is bounded by Chernoff's inequality, at e**-46 of the tilted mass, and added.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from discreet.account.dominating_pair import ULP, Pair, interpolate
from discreet.arrays import Complex, Floats, Integers
from discreet.errors import ParameterError

TAIL = 46.0
"""Tilted mass beyond a window is at most e**-46 = 1e-20 on each side."""

NEGLIGIBLE = -740.0
"""Further tilts reach deltas below e**-740, which are no floats."""

GAP = 4.0
"""The error of one tilt may grow by e**4, relative to delta, before the next tilt is used."""

LONGEST = 1 << 23
"""Points of the longest transform."""


@dataclass(frozen=True, eq=False)
class Factor:
    """One pair that is used `times` times, with the logarithms of its masses."""

    pair: Pair
    times: int

    @cached_property
    def steps(self) -> Integers:
        """The finite losses that have a mass, in steps of the lattice."""
        return np.flatnonzero(self.pair.masses > 0) - self.pair.reach

    @cached_property
    def losses(self) -> Floats:
        """The finite losses that have a mass."""
        return np.asarray(self.pair.step * self.steps)

    @cached_property
    def logs(self) -> Floats:
        """The logarithms of the masses above 0."""
        return np.asarray(np.log(self.pair.masses[self.pair.masses > 0]))

    def tilted(self, theta: float) -> tuple[Floats, float]:
        """Return the masses times e**(theta x - K), and K, which makes their sum about one."""
        exponents = self.logs + theta * self.losses
        top = float(exponents.max())
        weights = np.exp(exponents - top)
        whole = float(weights.sum())
        return weights / whole, top + math.log(whole)


class Moments(NamedTuple):
    """The mass (its logarithm), the mean and the standard deviation of the whole composition under a tilt.

    `doubt` is the sum of the sizes of all terms of log_mass, which bounds its rounding error.
    """

    log_mass: float
    mean: float
    deviation: float
    doubt: float


class Window(NamedTuple):
    """The finite part of delta at the points first, first + 1, ... of the lattice, and the error in each value."""

    first: int
    delta: Floats
    error: Floats


class Ladder:
    """Tilts from 0 upwards, each where the tilt before stops being exact, and the window of each tilt.

    Parameters
    ----------
    parts
        Every pair, and how many times it is used. All pairs have one step.
    """

    def __init__(self, parts: tuple[tuple[Pair, int], ...]) -> None:
        self.factors = tuple(Factor(pair, times) for pair, times in parts)
        self.step = parts[0][0].step
        self.reach = sum(pair.reach * times for pair, times in parts)
        self.tilts = [0.0]
        self.moments = [self._moments(0.0)]
        self.whole = min(1.0, math.exp(self.moments[0].log_mass) * (1 + (self.moments[0].doubt + 1) * 16 * ULP))
        self.complete = False
        self._windows: dict[int, Window] = {}

    def finite(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """Return an upper bound of the finite part of delta, and the error in it, at a flat array of epsilons."""
        bound, error = np.zeros_like(epsilons), np.zeros_like(epsilons)
        rungs = self.rungs(epsilons)
        for rung in sorted(set(rungs.tolist())):
            served = rungs == rung
            window = self.window(rung)
            below = epsilons[served] < window.first * self.step
            delta = interpolate(self.step, window.delta, epsilons[served], window.first)
            delta_error = interpolate(self.step, window.error, epsilons[served], window.first)
            bound[served] = np.where(below, self.whole, np.minimum(delta, self.whole))
            error[served] = np.where(below, self.whole - delta + delta_error, delta_error)
        return bound, np.minimum(error, bound)

    def rungs(self, epsilons: Floats) -> Integers:
        """Return the index of the tilt that serves each epsilon: the last tilt before a mean is above epsilon.

        Means grow with the tilt. If rounding makes a mean smaller than an earlier mean, the earlier mean counts. So
        tilts that are added for a larger epsilon change nothing for a smaller epsilon.
        """
        while not self.complete and epsilons.size and epsilons.max() >= self.moments[-1].mean:
            self._extend()
        means = np.maximum.accumulate([moments.mean for moments in self.moments])
        return np.maximum(np.searchsorted(means, epsilons, side="right") - 1, 0)

    def window(self, rung: int) -> Window:
        """Return the curve under one tilt; each is computed once."""
        if rung not in self._windows:
            self._windows[rung] = self._window(self.tilts[rung], self.moments[rung])
        return self._windows[rung]

    def crossing(self, target: float) -> float:
        """Return the smallest epsilon >= 0 whose finite part is at most the target; math.inf if no tilt reaches it."""
        if target <= 0:
            return math.inf
        rung = max(self._surely_below(target) - 2, 0)
        while rung and self.finite(np.array([self.moments[rung].mean]))[0][0] <= target:
            rung -= 1
        while True:
            epsilon = self._crossing(rung, target)
            if rung + 1 == len(self.moments) and not self.complete:
                self._extend()
            if rung + 1 == len(self.moments) or epsilon < self.moments[rung + 1].mean:
                return epsilon
            rung += 1

    def _surely_below(self, target: float) -> int:
        """Return the first tilt at whose mean Chernoff's inequality puts the finite part below the target."""
        rung = 0
        while True:
            moments = self.moments[rung]
            if moments.log_mass - self.tilts[rung] * moments.mean <= math.log(target):
                return rung
            if rung + 1 == len(self.moments) and not self.complete:
                self._extend()
            if rung + 1 == len(self.moments):
                return rung + 1
            rung += 1

    def _crossing(self, rung: int, target: float) -> float:
        """Return the smallest epsilon of one window whose finite part is at most the target; math.inf if none is."""
        window = self.window(rung)
        least = max(self.moments[rung].mean, 0.0) if rung else 0.0
        start = max(math.floor(least / self.step) - window.first, 0)
        under = np.flatnonzero(window.delta[start:] <= target)
        if not under.size:
            return math.inf
        index = start + int(under[0])
        epsilon = (window.first + index) * self.step
        if index > start and window.delta[index - 1] < math.inf:
            high, low = float(window.delta[index - 1]), float(window.delta[index])
            epsilon += math.log1p((high - target) / (high - low) * math.expm1(self.step)) - self.step
        return max(epsilon, least)

    def _extend(self) -> None:
        """Add a tilt two standard deviations up, or less if the last tilt would be too far off at the new mean."""
        theta, last = self.tilts[-1], self.moments[-1]
        stride = 2 / last.deviation if last.deviation > 0 else math.inf
        end = self.reach * self.step
        if stride * self.step > 40 or last.log_mass - theta * last.mean < NEGLIGIBLE or end - last.mean < self.step / 4:
            self.complete = True
            return
        following = self._moments(theta + stride)
        while self._gap(theta, last, theta + stride, following) > GAP and stride * end > 1e-9:
            stride /= 2
            following = self._moments(theta + stride)
        self.tilts.append(theta + stride)
        self.moments.append(following)

    @staticmethod
    def _gap(theta: float, moments: Moments, next_theta: float, next_moments: Moments) -> float:
        """Return by what exponent one tilt's error grows, relative to delta, up to the mean of the next tilt."""
        return moments.log_mass - next_moments.log_mass + (next_theta - theta) * next_moments.mean

    def _moments(self, theta: float) -> Moments:
        """Return moments by sums of numpy; the last bits of a product of BLAS depend on the number of threads."""
        log_mass = mean = variance = doubt = 0.0
        for factor in self.factors:
            weights, exponent = factor.tilted(theta)
            centre = float((weights * factor.losses).sum())
            log_mass += factor.times * exponent
            doubt += factor.times * abs(exponent)
            mean += factor.times * centre
            variance += factor.times * float((weights * (factor.losses - centre) ** 2).sum())
        return Moments(log_mass, mean, math.sqrt(variance), doubt)

    def _ends(self, theta: float, moments: Moments) -> tuple[int, int, float, float]:
        """Return the ends of the window in steps, and the tilted mass that can lie below and above the window."""
        lowest, highest = -self.reach, self.reach
        below = above = 0.0
        size = math.sqrt(2 * TAIL) / max(moments.deviation, self.step)
        for share in (0.125, 0.25, 0.5, 1.0, 2.0):
            rate = share * size
            up = (self._moments(theta + rate).log_mass - moments.log_mass + TAIL) / rate
            down = (self._moments(theta - rate).log_mass - moments.log_mass + TAIL) / rate
            if math.ceil(up / self.step) < highest:
                highest, above = math.ceil(up / self.step), 1.01 * math.exp(-TAIL)
            if math.floor(-down / self.step) > lowest:
                lowest, below = math.floor(-down / self.step), 1.01 * math.exp(-TAIL)
        return lowest, highest, below, above

    def _window(self, theta: float, moments: Moments) -> Window:
        lowest, highest, below, above = self._ends(theta, moments)
        size = max(16, 1 << (highest - lowest + 2).bit_length())
        if size > LONGEST:
            raise ParameterError(
                f"the composed loss spans {highest - lowest} steps of {self.step:.3g}, more than {LONGEST}: "
                "give a larger step"
            )
        values, value_error = self._power(theta, size)
        values = np.roll(values, -(lowest % size))
        rate = theta * self.step
        upper, lower = _decayed(values, rate), _decayed(values, rate + self.step)
        weight = float(size) if rate * size < 1 else 1 / -math.expm1(-rate)
        rounding = (8 * math.log2(size) + 16) * ULP * upper
        added = value_error * weight + above + rounding
        x = self.step * np.arange(lowest, lowest + size)
        with np.errstate(over="ignore"):
            scale = np.exp(moments.log_mass - theta * x) * (1 + (moments.doubt + theta * np.abs(x) + 8) * 4 * ULP)
            delta = scale * (upper - lower + added)
            wobble = (self.step * size + np.abs(x) + 1) * 16 * ULP  # interpolation lowers epsilon
            error = scale * (2 * added + below + above + wobble * lower)
        return Window(lowest, delta, error)

    def _power(self, theta: float, size: int) -> tuple[Floats, float]:
        """Return the tilted convolution modulo `size`, negative values cut, and a bound of the error of each value."""
        relative = 16 * math.log2(size) * ULP / 2
        spectrum: Complex = np.ones(size // 2 + 1, dtype=np.complex128)
        largest, relative_error = np.ones(len(spectrum)), np.zeros(len(spectrum))
        for factor in self.factors:
            weights, exponent = factor.tilted(theta)
            weights *= 1 + (np.abs(factor.logs) + np.abs(theta * factor.losses) + abs(exponent) + 16) * 4 * ULP
            transform = np.fft.rfft(np.bincount(factor.steps % size, weights=weights, minlength=size))
            error = (relative + len(weights) // size * ULP) * float(weights.sum()) * (1 + len(weights) * ULP)
            height = np.abs(transform) + error
            spectrum *= _raised(transform, factor.times)
            largest *= height**factor.times
            relative_error += factor.times * (error / height + 4 * ULP) + 4 * ULP
        errors = largest * relative_error + relative * np.abs(spectrum)
        mean = (2 * float(errors.sum()) - float(errors[0]) - float(errors[-1])) / size
        return np.maximum(np.fft.irfft(spectrum, size), 0), 1.001 * mean


def _raised(base: Complex, times: int) -> Complex:
    """Return base**times by squaring, with a relative error of at most 4u a factor."""
    result, square = None, base
    while True:
        if times & 1:
            result = square if result is None else result * square
        times >>= 1
        if not times:
            assert result is not None
            return result
        square = square * square


def _decayed(values: Floats, rate: float) -> Floats:
    """Return for every i the sum over j > i of values[j] e**(-rate (j - i)). All terms are positive."""
    sums = np.append(values[1:], 0.0) * math.exp(-rate)
    shift = 1
    while shift < len(sums) and rate * shift < 745:
        sums[:-shift] = sums[:-shift] + math.exp(-rate * shift) * sums[shift:]
        shift *= 2
    return np.asarray(sums)
