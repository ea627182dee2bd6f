"""What several cells cost together: an upper bound of delta for everything one person touches.

A person in k cells meets k tables. `compose` makes of every table its profile (`profile`), of every profile a
dominating pair on one lattice of losses (`pair`, `lattice`), and convolves the pairs (`convolve`):

    delta(epsilon) <= floor + finite(epsilon),      floor = 1 - prod (1 - mass at infinity).

It is never above basic composition, which is computed beside it: if part j has delta_j at epsilon_j, the whole
has 1 - prod (1 - delta_j) at the sum of the epsilon_j. The smaller of the two is returned; both are upper bounds.

Several rows of one person. With `contributions` = k a person may have up to k rows in a grouping, and these may fall in
one cell or in many. Counts that differ by d have a profile H^(d) of their own, and d rows in one cell are not d
touches (noise of variance 49 on -25..25, five rows, epsilon 1: delta .0413 in one cell). So a grouping costs the
pointwise maximum, over the integer partitions of k, of the composed H^(parts); a partition of less than k is part
of one of k.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from discreet.account import loss_lattice
from discreet.account.convolution import Ladder
from discreet.account.dominating_pair import LARGEST_LOSS, ULP, Pair
from discreet.account.privacy_profile import Profile, Source, profile
from discreet.arrays import Floats
from discreet.certify.ptable import PTable
from discreet.certify.table import Table
from discreet.errors import ParameterError
from discreet.exact import Number, exact
from discreet.mechanism import Mechanism

Curve = Profile | Pair

MOST_CELLS = 10**6

MOST_CONTRIBUTIONS = 20
"""627 partitions; 30 rows would have 5604."""

MOST_KNOTS = 1 << 18

WIDEST_STEP = 50.0
"""A natural step beyond it is divided: e**step and its square must be floats."""


NO_LOSS = 10**300
"""No loss is so large: an epsilon beyond it counts as this."""


class Part(NamedTuple):
    """A profile, the pair that stands for it on the lattice, and how many times it is used."""

    curve: Curve
    pair: Pair
    times: int


@dataclass(frozen=True, eq=False)
class Composition:
    """The upper bound of delta(epsilon) of several parts together; immutable. Made by `compose`.

    Attributes
    ----------
    step
        Of the lattice of losses.
    """

    step: float
    parts: tuple[Part, ...]

    def delta(self, epsilon: Any) -> Any:
        """An upper bound of delta at epsilon >= 0: a float, or an array for an array of epsilons.

        The bound at an epsilon is the same to the last bit whatever else is asked, before or in the same array.
        """
        epsilons = _epsilons(epsilon)
        bound, _ = self.at(epsilons)
        return bound if epsilons.ndim else float(bound)

    def error(self, epsilon: Any) -> Any:
        """What of delta(epsilon) was added for numerical error.

        The pairs, composed without any rounding, have at least delta(epsilon) - error(epsilon).
        """
        epsilons = _epsilons(epsilon)
        _, error = self.at(epsilons)
        return error if epsilons.ndim else float(error)

    def at(self, losses: Floats) -> tuple[Floats, Floats]:
        """`delta` and `error` at an array of floats >= 0, each of which is the number it is, not its decimals."""
        flat = losses.ravel()
        finite, error = self._ladder.finite(flat)
        bound = np.minimum(finite + self.floor, self._basic(flat))
        error = np.minimum(error + (finite + self.floor) * self._inflation, bound)
        return bound.reshape(losses.shape), error.reshape(losses.shape)

    def epsilon(self, delta: Number) -> float:
        """The smallest epsilon whose bound is at most delta; math.inf where delta is below the floor."""
        target = _delta(delta)
        if target < self.floor:
            return math.inf
        end = math.nextafter(self.largest, math.inf)  # its decimals may name a number just below it
        found = min(self._ladder.crossing(target - self.floor), end)
        found = self._basic_epsilon(target, found)
        nudge = 4 * ULP
        while self.delta(found) > target:
            found, nudge = min(found + nudge * (found + self.step), end), 2 * nudge
        return found

    @cached_property
    def floor(self) -> float:
        """The delta that no epsilon undercuts: the chance of an output that only one of two neighbours can have."""
        lost = math.fsum(part.times * math.log1p(-min(part.pair.infinite, 0.999999)) for part in self.parts)
        if any(part.pair.infinite >= 0.999999 for part in self.parts):
            return 1.0
        return min(1.0, abs(math.expm1(lost)) * (1 + self._inflation))

    @cached_property
    def _inflation(self) -> float:
        """By how much the masses of all parts together exceed one, and the rounding of sums of logarithms."""
        logs = math.fsum(part.times * max(math.log(part.pair.total), 0.0) for part in self.parts)
        return math.expm1(logs) + 16 * ULP

    @cached_property
    def largest(self) -> float:
        """The sum of the largest finite losses: from here on delta is the floor."""
        return math.fsum(part.times * part.curve.largest for part in self.parts) * (1 + 4 * ULP)

    @cached_property
    def _ladder(self) -> Ladder:
        return Ladder(tuple((part.pair, part.times) for part in self.parts))

    def _basic(self, epsilons: Floats) -> Floats:
        """Basic composition, epsilon shared out in proportion to the largest losses."""
        kept = np.zeros_like(epsilons)
        for part in self.parts:
            share = part.curve.largest / self.largest if self.largest > 0 else 0.0
            each = np.minimum(part.curve.delta(epsilons * share * (1 - 8 * ULP)), 1 - ULP)
            each = np.where(epsilons >= self.largest, min(part.curve.floor, 1 - ULP), each)
            kept += part.times * np.log1p(-each)
        return np.asarray(np.where(kept < -35, 1.0, np.abs(np.expm1(kept)) * (1 + 16 * ULP)))

    def _basic_epsilon(self, target: float, highest: float) -> float:
        """The smallest epsilon up to `highest` at which basic composition meets the target; `highest` if none does."""
        lowest = 0.0
        for _ in range(9):
            grid = np.linspace(lowest, highest, 65)
            met = np.flatnonzero(self._basic(grid) <= target)
            if not met.size:
                return highest
            highest, lowest = float(grid[met[0]]), float(grid[max(met[0] - 1, 0)])
        return highest


def compose(parts: Any, cells: int = 1, *, contributions: int | None = None, step: float | None = None) -> Composition:
    """The upper bound of delta(epsilon) for everything that one person touches.

    Parameters
    ----------
    parts
        A mechanism, a perturbation table, a profile, a pair or a composition, or a list of them, each alone or as
        (part, times).
    cells
        How many times all of it is met: the cells that contain one person, one for each grouping.
    contributions
        Most rows that one person has in a grouping (for counts). None: one touch is what the neighbours of each
        mechanism say, as a rule one row.
    step
        Of the lattice. None: one that holds the losses, or a fine one.

    Raises
    ------
    ParameterError
        Nothing to compose, numbers that are not counts, contributions on a cycle, or a step too fine to compute with.
    """
    times = _integer(cells, "cells", MOST_CELLS, "the cells that contain one person")
    listed = list(_listed(parts, times))
    if not listed:
        raise ParameterError("there is nothing to compose: give a mechanism, a table, or a list of them")
    if contributions is not None:
        rows = _integer(
            contributions, "contributions", MOST_CONTRIBUTIONS, "the most rows one person has in a grouping"
        )
        groupings = [([_profile(item, distance) for distance in range(1, rows + 1)], n) for item, n in listed]
        spacing = _step(step, [(curve, n) for curves, n in groupings for curve in curves])
        return _composition(spacing, [(_grouping(curves, spacing), n) for curves, n in groupings])
    curves = [(curve, n * m) for item, n in listed for curve, m in _curves(item)]
    known = {item.step for item, _ in listed if isinstance(item, Composition)}
    if step is None and len(known) == 1 and all(isinstance(item, Composition) for item, _ in listed):
        return _composition(known.pop(), curves)
    return _composition(_step(step, curves), curves)


def _composition(step: float, curves: list[tuple[Curve, int]]) -> Composition:
    """Equal curves counted once."""
    times: dict[int, int] = {}
    for curve, n in curves:
        times[id(curve)] = times.get(id(curve), 0) + n
    distinct = {id(curve): curve for curve, _ in curves}
    return Composition(step, tuple(Part(curve, curve.pair(step), times[key]) for key, curve in distinct.items()))


def _grouping(curves: list[Curve], step: float) -> Pair:
    """The pair of one grouping: the largest over the partitions of all rows; curves[d - 1] is H^(d)."""
    pairs = [curve.pair(step) for curve in curves]
    compositions = [
        Composition(step, tuple(Part(curves[d - 1], pairs[d - 1], len(list(same))) for d, same in groupby(partition)))
        for partition in _partitions(len(curves), len(curves))
    ]
    reach = max(sum(part.pair.reach * part.times for part in each.parts) for each in compositions)
    knots: Floats = step * np.arange(min(reach + 2, int(LARGEST_LOSS / step) + 1), dtype=np.float64)
    return Pair.of(step, np.max([each.at(knots)[0] for each in compositions], axis=0))


def _partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Every way to write the total as a sum of falling parts."""
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in _partitions(total - part, part):
            yield (part, *rest)


def _listed(parts: Any, cells: int) -> Iterator[tuple[Any, int]]:
    """Parts and how many times each is met."""
    if isinstance(parts, (Mechanism, PTable, Table, Profile, Pair, Composition)):
        yield parts, cells
        return
    if isinstance(parts, str) or not isinstance(parts, Iterable):
        raise ParameterError(
            f"parts are {parts!r:.60}; give a mechanism, a perturbation table, or a list of them, each alone or"
            " as (table, times)"
        )
    for item in parts:
        pair = isinstance(item, tuple) and len(item) == 2 and not isinstance(item, Pair)
        part, times = item if pair else (item, 1)
        if not isinstance(part, (Mechanism, PTable, Table, Profile, Pair, Composition)):
            raise ParameterError(f"a part is {item!r:.60}; give a mechanism, a perturbation table, or (table, times)")
        yield part, cells * _integer(times, "times", MOST_CELLS, "how many times one person meets the part")


def _curves(item: Source | Curve | Composition) -> list[tuple[Curve, int]]:
    if isinstance(item, Composition):
        return [(part.curve, part.times) for part in item.parts]
    return [(item if isinstance(item, (Profile, Pair)) else profile(item), 1)]


def _profile(item: Any, distance: int) -> Curve:
    if isinstance(item, (Profile, Pair, Composition)):
        raise ParameterError(
            f"contributions need counts that differ by more than one row, and a {type(item).__name__.lower()} has"
            " lost them: give mechanisms or perturbation tables"
        )
    return profile(item, distance)


def _step(step: float | None, curves: list[tuple[Curve, int]]) -> float:
    if step is None:
        natural = loss_lattice.choose(curves)
        return natural / math.ceil(natural / WIDEST_STEP)
    size = float(exact(step, "step"))
    largest = max(curve.largest for curve, _ in curves)
    if not 0 < size < 100 or largest / size > MOST_KNOTS:
        raise ParameterError(
            f"step is {step!r}; give a number from {largest / MOST_KNOTS:.2g} to 100, a small part of the losses,"
            " or leave it out"
        )
    return size


def _integer(value: object, name: str, most: int, meaning: str) -> int:
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise ParameterError(f"{name} is {value!r:.60}; give an integer from 1 to {most}: {meaning}")
    number = int(value.__index__())
    if not 1 <= number <= most:
        raise ParameterError(f"{name} is {number}; give an integer from 1 to {most}: {meaning}")
    return number


def _epsilons(given: Any) -> Floats:
    """Floats, none above what was written; a member of an array is read as it would be alone."""
    written = np.asarray(given, dtype=object)
    return np.array([_epsilon(each) for each in written.ravel().tolist()], dtype=np.float64).reshape(written.shape)


def _epsilon(given: Any) -> float:
    """The nearest float, or the one below it where the nearest is above the number."""
    number = exact(given, "epsilon")
    if number < 0:
        raise ParameterError(f"epsilon is {given!r:.60}; give finite numbers of 0 or more")
    nearest = float(number) if number < NO_LOSS else float(NO_LOSS)
    return math.nextafter(nearest, 0.0) if Fraction(nearest) > number else nearest


def _delta(given: Number) -> float:
    number = exact(given, "delta")
    if not 0 <= number < 1:
        raise ParameterError(f"delta is {given!r:.60}; it is a probability from 0 to below 1")
    nearest = float(number)
    return math.nextafter(nearest, 0.0) if Fraction(nearest) > number else nearest
