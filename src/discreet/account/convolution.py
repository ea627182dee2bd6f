"""The composed delta of dominating pairs: a tilted Fourier transform with its error added.

With P the finite masses of all pairs convolved, each as often as it is used,

    finite(epsilon) = sum over losses x > epsilon of P(x) (1 - e**(epsilon - x)).

A transform is wrong by an amount relative to its largest value, and 1e-12 would drown in that. So every pair is
tilted first: p(x) e**(theta x - K), K making the sum one, has its peak where theta puts it. Tilts commute with
convolution, so the result only has to be tilted back, and its error is then relative to about P near the
peak, however small. One tilt serves two standard deviations; `Ladder` keeps a row of them, chosen by the pairs
alone, so that an answer does not depend on what was asked before.

What is added (all of it is in `error`):

transform
    Every output of a transform of length n passes log2(n) levels, so it is wrong by at most
    r = 16 log2(n) u times the sum of its inputs' sizes, u = 2**-53. A k-fold power is then wrong by at most
    (|F| + r)**k k (r / (|F| + r) + 4u), and the inverse by the mean of that plus r times the mean of its inputs' sizes.
wrapping
    The transform is circular. What lies outside its window is folded back in: it adds to values, never takes away.
cutting
    What lies above the window is bounded by Chernoff's inequality, at e**-46 of the tilted mass, and charged.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.account.dominating_pair import ULP, Pair, interpolate
from discreet.arrays import Floats
from discreet.errors import ParameterError

Complex = npt.NDArray[np.complex128]

TAIL = 46.0
"""Tilted mass beyond a window is at most e**-46 = 1e-20 on each side."""

NEGLIGIBLE = -740.0
"""Below e**-740 a tilt leads nowhere that a float could show."""

GAP = 4.0
"""Relative to delta the error of one tilt may grow by e**4 before the next takes over."""

LONGEST = 1 << 23
"""Points of the longest transform."""


@dataclass(frozen=True, eq=False)
class Factor:
    """One pair, used so many times, with the logarithms of its masses."""

    pair: Pair
    times: int

    @cached_property
    def places(self) -> npt.NDArray[np.int64]:
        """Finite losses that have a mass, in steps."""
        return np.flatnonzero(self.pair.masses > 0) - self.pair.reach

    @cached_property
    def losses(self) -> Floats:
        """The same as losses."""
        return np.asarray(self.pair.step * self.places)

    @cached_property
    def logs(self) -> Floats:
        """Logarithms of those masses."""
        return np.asarray(np.log(self.pair.masses[self.pair.masses > 0]))

    def tilted(self, theta: float) -> tuple[Floats, float]:
        """Masses times e**(theta x - K), and K, which makes their sum about one."""
        exponents = self.logs + theta * self.losses
        top = float(exponents.max())
        weights = np.exp(exponents - top)
        whole = float(weights.sum())
        return weights / whole, top + math.log(whole)


class Moments(NamedTuple):
    """Of the whole composition under a tilt: the logarithm of its mass, its mean, its standard deviation.

    `doubt` is the sum of the sizes that log_mass was added from, to bound its rounding error.
    """

    log_mass: float
    mean: float
    deviation: float
    doubt: float


class Window(NamedTuple):
    """The finite part of delta at the lattice's points first, first + 1, ..., and what of it is error."""

    first: int
    delta: Floats
    error: Floats


class Ladder:
    """Tilts from none upwards, each where the last one stops being exact, and their windows."""

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
        """The finite part of delta, an upper bound, and what was added to it, at a flat array of epsilons."""
        bound, error = np.zeros_like(epsilons), np.zeros_like(epsilons)
        rungs = self.rungs(epsilons)
        for rung in sorted(set(rungs.tolist())):
            asked = rungs == rung
            window = self.window(rung)
            below = epsilons[asked] < window.first * self.step
            found = interpolate(self.step, window.delta, epsilons[asked], window.first)
            wrong = interpolate(self.step, window.error, epsilons[asked], window.first)
            bound[asked] = np.where(below, self.whole, np.minimum(found, self.whole))
            error[asked] = np.where(below, self.whole - found + wrong, wrong)
        return bound, np.minimum(error, bound)

    def rungs(self, epsilons: Floats) -> npt.NDArray[np.int64]:
        """The tilt that serves each epsilon: the last before a mean is above it.

        Means grow with the tilt. Where rounding holds one back the largest so far counts, so that tilts added for
        a larger epsilon change nothing for a smaller one.
        """
        while not self.complete and epsilons.size and epsilons.max() >= self.moments[-1].mean:
            self._extend()
        means = np.maximum.accumulate([each.mean for each in self.moments])
        return np.maximum(np.searchsorted(means, epsilons, side="right") - 1, 0)

    def window(self, rung: int) -> Window:
        """The curve under one tilt; kept."""
        if rung not in self._windows:
            self._windows[rung] = self._window(self.tilts[rung], self.moments[rung])
        return self._windows[rung]

    def crossing(self, target: float) -> float:
        """The smallest epsilon >= 0 whose finite part is at most the target; math.inf where the tilts end before."""
        if target <= 0:
            return math.inf
        rung = max(self._surely_below(target) - 2, 0)
        while rung and self.finite(np.array([self.moments[rung].mean]))[0][0] <= target:
            rung -= 1
        while True:
            found = self._crossing(rung, target)
            if rung + 1 == len(self.moments) and not self.complete:
                self._extend()
            if rung + 1 == len(self.moments) or found < self.moments[rung + 1].mean:
                return found
            rung += 1

    def _surely_below(self, target: float) -> int:
        """The first tilt at whose mean Chernoff's inequality puts the finite part below the target."""
        rung = 0
        while True:
            here = self.moments[rung]
            if here.log_mass - self.tilts[rung] * here.mean <= math.log(target):
                return rung
            if rung + 1 == len(self.moments) and not self.complete:
                self._extend()
            if rung + 1 == len(self.moments):
                return rung + 1
            rung += 1

    def _crossing(self, rung: int, target: float) -> float:
        """The same within one window."""
        window = self.window(rung)
        least = max(self.moments[rung].mean, 0.0) if rung else 0.0
        start = max(math.floor(least / self.step) - window.first, 0)
        under = np.flatnonzero(window.delta[start:] <= target)
        if not under.size:
            return math.inf
        place = start + int(under[0])
        found = (window.first + place) * self.step
        if place > start and window.delta[place - 1] < math.inf:
            high, low = float(window.delta[place - 1]), float(window.delta[place])
            found += math.log1p((high - target) / (high - low) * math.expm1(self.step)) - self.step
        return max(found, least)

    def _extend(self) -> None:
        """Two standard deviations up; less where the first tilt would be too far off at the second's mean."""
        theta, here = self.tilts[-1], self.moments[-1]
        stride = 2 / here.deviation if here.deviation > 0 else math.inf
        end = self.reach * self.step
        if stride * self.step > 40 or here.log_mass - theta * here.mean < NEGLIGIBLE or end - here.mean < self.step / 4:
            self.complete = True
            return
        there = self._moments(theta + stride)
        while self._gap(theta, here, theta + stride, there) > GAP and stride * end > 1e-9:
            stride /= 2
            there = self._moments(theta + stride)
        self.tilts.append(theta + stride)
        self.moments.append(there)

    @staticmethod
    def _gap(theta: float, here: Moments, other: float, there: Moments) -> float:
        """By what exponent one tilt's error grows, relative to delta, up to the mean of another."""
        return here.log_mass - there.log_mass + (other - theta) * there.mean

    def _moments(self, theta: float) -> Moments:
        """Sums of numpy, not products of BLAS, whose last bits depend on the number of threads."""
        log_mass = mean = variance = doubt = 0.0
        for factor in self.factors:
            weights, exponent = factor.tilted(theta)
            centre = float((weights * factor.losses).sum())
            log_mass += factor.times * exponent
            doubt += factor.times * abs(exponent)
            mean += factor.times * centre
            variance += factor.times * float((weights * (factor.losses - centre) ** 2).sum())
        return Moments(log_mass, mean, math.sqrt(variance), doubt)

    def _ends(self, theta: float, here: Moments) -> tuple[int, int, float, float]:
        """The window in steps, and the tilted mass that can lie below and above it."""
        lowest, highest = -self.reach, self.reach
        below = above = 0.0
        size = math.sqrt(2 * TAIL) / max(here.deviation, self.step)
        for share in (0.125, 0.25, 0.5, 1.0, 2.0):
            rate = share * size
            up = (self._moments(theta + rate).log_mass - here.log_mass + TAIL) / rate
            down = (self._moments(theta - rate).log_mass - here.log_mass + TAIL) / rate
            if math.ceil(up / self.step) < highest:
                highest, above = math.ceil(up / self.step), 1.01 * math.exp(-TAIL)
            if math.floor(-down / self.step) > lowest:
                lowest, below = math.floor(-down / self.step), 1.01 * math.exp(-TAIL)
        return lowest, highest, below, above

    def _window(self, theta: float, here: Moments) -> Window:
        lowest, highest, below, above = self._ends(theta, here)
        size = max(16, 1 << (highest - lowest + 2).bit_length())
        if size > LONGEST:
            raise ParameterError(
                f"the composed loss spans {highest - lowest} steps of {self.step:.3g}, more than {LONGEST}: "
                "give a larger step"
            )
        values, wrong = self._power(theta, size)
        values = np.roll(values, -(lowest % size))
        rate = theta * self.step
        upper, lower = _decayed(values, rate), _decayed(values, rate + self.step)
        weight = float(size) if rate * size < 1 else 1 / -math.expm1(-rate)
        rounding = (8 * math.log2(size) + 16) * ULP * upper
        added = wrong * weight + above + rounding
        x = self.step * np.arange(lowest, lowest + size)
        with np.errstate(over="ignore"):
            scale = np.exp(here.log_mass - theta * x) * (1 + (here.doubt + theta * np.abs(x) + 8) * 4 * ULP)
            delta = scale * (upper - lower + added)
            wobble = (self.step * size + np.abs(x) + 1) * 16 * ULP  # epsilon is lowered when values are joined
            error = scale * (2 * added + below + above + wobble * lower)
        return Window(lowest, delta, error)

    def _power(self, theta: float, size: int) -> tuple[Floats, float]:
        """The tilted convolution modulo `size`, negative values cut, and how far each can be off."""
        relative = 16 * math.log2(size) * ULP / 2
        spectrum: Complex = np.ones(size // 2 + 1, dtype=np.complex128)
        largest, wrong = np.ones(len(spectrum)), np.zeros(len(spectrum))
        for factor in self.factors:
            weights, exponent = factor.tilted(theta)
            weights *= 1 + (np.abs(factor.logs) + np.abs(theta * factor.losses) + abs(exponent) + 16) * 4 * ULP
            transform = np.fft.rfft(np.bincount(factor.places % size, weights=weights, minlength=size))
            off = (relative + len(weights) // size * ULP) * float(weights.sum()) * (1 + len(weights) * ULP)
            height = np.abs(transform) + off
            spectrum *= _raised(transform, factor.times)
            largest *= height**factor.times
            wrong += factor.times * (off / height + 4 * ULP) + 4 * ULP
        each = largest * wrong + relative * np.abs(spectrum)
        mean = (2 * float(each.sum()) - float(each[0]) - float(each[-1])) / size
        return np.maximum(np.fft.irfft(spectrum, size), 0), 1.001 * mean


def _raised(base: Complex, times: int) -> Complex:
    """base**times by squaring: a relative error of at most 4u a factor."""
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
    """For every i the sum over j > i of values[j] e**(-rate (j - i)); positive terms only."""
    sums = np.append(values[1:], 0.0) * math.exp(-rate)
    shift = 1
    while shift < len(sums) and rate * shift < 745:
        sums[:-shift] = sums[:-shift] + math.exp(-rate * shift) * sums[shift:]
        shift *= 2
    return np.asarray(sums)
