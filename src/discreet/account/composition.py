"""What several cells cost together: an upper bound of delta for everything that one person touches.

A person in k cells meets k tables. `compose` takes the profile of every table (`privacy_profile`), a dominating pair of
every profile on one lattice of losses (`dominating_pair`), and convolves the pairs (`convolution`):

    delta(epsilon) <= floor + finite(epsilon),      floor = 1 - prod (1 - mass at infinity).

Basic composition is computed as well: if part j has delta_j at epsilon_j, the whole has 1 - prod (1 - delta_j) at the
sum of the epsilon_j. Both figures are upper bounds, and the smaller one is returned.

Several rows of one person. With `contributions` = k a person may have up to k rows in a grouping, in one cell or in
many cells. Counts that differ by d have a profile H^(d) of their own, and d rows in one cell are not d touches (noise
of variance 49 on -25..25, five rows, epsilon 1: delta .0413 in one cell). So a grouping costs the pointwise maximum,
over the integer partitions of k, of the composed H^(parts). A partition of less than k is part of a partition of k.
Above `MOST_PARTITIONED` rows there are too many partitions. Then a grouping costs what group privacy gives
(`group_privacy`), which is nowhere below that maximum, and equal to it for log-concave noise.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple, cast

import numpy as np

from discreet import data_frames
from discreet.account import _composition_view
from discreet.account._arguments import delta_number, epsilon_array, integer
from discreet.account.convolution import Ladder
from discreet.account.dominating_pair import LARGEST_LOSS, ULP, Pair, choose_step
from discreet.account.group_privacy import GroupProfile, group_profile
from discreet.account.privacy_profile import Profile, Source, profile
from discreet.arrays import Floats
from discreet.certify.ptable import PTable
from discreet.certify.table import Table
from discreet.errors import ParameterError
from discreet.exact import Number, exact
from discreet.mechanism import Mechanism

Curve = Profile | Pair | GroupProfile
CURVES = (Profile, Pair, GroupProfile)

MOST_CELLS = 10**6

MOST_PARTITIONED = 10
"""Up to so many rows of one person every partition is composed (42 for ten rows); more rows cost group privacy."""

MOST_CONTRIBUTIONS = 10**6

MOST_KNOTS = 1 << 18

WIDEST_STEP = 50.0
"""A natural step above this is divided: e**step and its square must be floats."""


class Part(NamedTuple):
    """A profile, the pair that stands for the profile on the lattice, and how many times both are used."""

    curve: Curve
    pair: Pair
    times: int


@dataclass(frozen=True, eq=False, repr=False)
class Composition:
    """An upper bound of delta(epsilon) of several parts together; immutable. Made by `compose`.

    Attributes
    ----------
    step
        The step of the lattice of losses.
    parts
        The parts, each with its pair on the lattice.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> dc.account.compose(table, cells=10)
    Composition(10 uses of 1 table, delta never below 4.66e-09, largest loss 10)
    """

    step: float
    parts: tuple[Part, ...]

    def delta(self, epsilon: Any) -> Any:
        """Return an upper bound of delta at epsilon.

        The bound at an epsilon is the same to the last bit, whatever other epsilons are given before or with it.

        Parameters
        ----------
        epsilon
            A number of 0 or more, or an array of such numbers.

        Returns
        -------
        float or numpy.ndarray
            The bound, or an array of bounds for an array of epsilons.

        Raises
        ------
        ParameterError
            An epsilon is negative or not a finite number.

        Examples
        --------
        >>> import discreet as dc
        >>> table = dc.design.geometric(epsilon="0.1", upper=100).certify()
        >>> together = dc.account.compose(table, cells=20)
        >>> together.delta([1, 2]).round(7).tolist()
        [0.0023967, 0.0]
        """
        epsilons = epsilon_array(epsilon)
        bound, _ = self.at(epsilons)
        return bound if epsilons.ndim else float(bound)

    def error(self, epsilon: Any) -> Any:
        """Return the part of delta(epsilon) that was added for numerical error.

        The pairs, composed without any rounding, have at least delta(epsilon) - error(epsilon). Parameters, result and
        errors are as for `delta`.
        """
        epsilons = epsilon_array(epsilon)
        _, error = self.at(epsilons)
        return error if epsilons.ndim else float(error)

    def at(self, losses: Floats) -> tuple[Floats, Floats]:
        """Return `delta` and `error` at an array of floats >= 0. Each float is taken in binary, not as its decimals."""
        flat = losses.ravel()
        finite, error = self._ladder.finite(flat)
        bound = np.minimum(finite + self.floor, self._basic(flat))
        error = np.minimum(error + (finite + self.floor) * self._inflation, bound)
        return bound.reshape(losses.shape), error.reshape(losses.shape)

    def epsilon(self, delta: Number) -> float:
        """Return the smallest epsilon whose bound is at most delta.

        Parameters
        ----------
        delta
            A probability from 0 to below 1.

        Returns
        -------
        float
            The epsilon; math.inf if delta is below the floor.

        Raises
        ------
        ParameterError
            `delta` is not a probability from 0 to below 1.

        Examples
        --------
        >>> import discreet as dc
        >>> table = dc.design.geometric(epsilon="0.1", upper=100).certify()
        >>> round(dc.account.compose(table, cells=20).epsilon(delta="1e-3"), 4)
        1.154
        """
        target = delta_number(delta)
        if target < self.floor:
            return math.inf
        end = math.nextafter(self.largest, math.inf)  # the decimals of `largest` may name a number just below it
        epsilon = min(self._ladder.crossing(target - self.floor), end)
        epsilon = self._basic_epsilon(target, epsilon)
        nudge = 4 * ULP
        while self.delta(epsilon) > target:
            epsilon, nudge = min(epsilon + nudge * (epsilon + self.step), end), 2 * nudge
        return epsilon

    def to_frame(self, *, points: int = 61, to: str | None = None) -> Any:
        """Return the bound as a data frame: the columns epsilon and delta.

        Parameters
        ----------
        points
            Number of epsilons, from 0 to where delta is 1e-9 or close to the floor.
        to
            "pandas", "polars" or "arrow". None: pandas if it is installed, else arrow.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The bound at each epsilon.
        """
        number = integer(points, "points", 10**6, "the epsilons of the curve")
        return data_frames.frame(_composition_view.curve(self, number), to)

    def plot(self, *, axes: Any = None) -> Any:
        """Draw the bound of delta against epsilon.

        Parameters
        ----------
        axes
            Axes of matplotlib. None: new axes.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        MissingExtraError
            matplotlib is not installed.
        """
        return _composition_view.draw(self, axes)

    def __repr__(self) -> str:
        uses = _composition_view.uses(self)
        return f"Composition({uses}, delta never below {self.floor:.3g}, largest loss {self.largest:.4g})"

    def _repr_html_(self) -> str:
        return _composition_view.html(self)

    @cached_property
    def floor(self) -> float:
        """Delta never falls below this: the chance of an output that only one of two neighbours can have."""
        lost = math.fsum(part.times * math.log1p(-min(part.pair.infinite, 0.999999)) for part in self.parts)
        if any(part.pair.infinite >= 0.999999 for part in self.parts):
            return 1.0
        return min(1.0, abs(math.expm1(lost)) * (1 + self._inflation))

    @cached_property
    def _inflation(self) -> float:
        """By how much the masses of all parts together exceed one, plus the rounding of sums of logarithms."""
        logs = math.fsum(part.times * max(math.log(part.pair.total), 0.0) for part in self.parts)
        return math.expm1(logs) + 16 * ULP

    @cached_property
    def largest(self) -> float:
        """The sum of the largest finite losses. From this epsilon on, delta is the floor."""
        return math.fsum(part.times * part.curve.largest for part in self.parts) * (1 + 4 * ULP)

    @cached_property
    def _ladder(self) -> Ladder:
        return Ladder(tuple((part.pair, part.times) for part in self.parts))

    def _basic(self, epsilons: Floats) -> Floats:
        """Return delta by basic composition, with epsilon shared out in proportion to the largest losses."""
        logs = np.zeros_like(epsilons)
        for part in self.parts:
            share = part.curve.largest / self.largest if self.largest > 0 else 0.0
            delta = np.minimum(part.curve.delta(epsilons * share * (1 - 8 * ULP)), 1 - ULP)
            delta = np.where(epsilons >= self.largest, min(part.curve.floor, 1 - ULP), delta)
            logs += part.times * np.log1p(-delta)
        return np.asarray(np.where(logs < -35, 1.0, np.abs(np.expm1(logs)) * (1 + 16 * ULP)))

    def _basic_epsilon(self, target: float, highest: float) -> float:
        """Return the smallest epsilon up to `highest` where basic composition meets the target; `highest` if none."""
        lowest = 0.0
        for _ in range(9):
            grid = np.linspace(lowest, highest, 65)
            meeting = np.flatnonzero(self._basic(grid) <= target)
            if not meeting.size:
                return highest
            highest, lowest = float(grid[meeting[0]]), float(grid[max(meeting[0] - 1, 0)])
        return highest


def compose(parts: Any, cells: int = 1, *, contributions: int | None = None, step: float | None = None) -> Composition:
    """Return an upper bound of delta(epsilon) for everything that one person touches.

    Parameters
    ----------
    parts
        A mechanism, a perturbation table, a profile, a pair or a composition, or a list of them, each alone or as
        (part, times).
    cells
        How many times one person meets all parts: the cells that contain one person, one for each grouping.
    contributions
        Most rows that one person has in a grouping (for counts), up to 1,000,000. Up to 10 rows, all ways to split the
        rows over cells are composed; above, the bound is group privacy. None: one touch is a step between neighbours of
        each mechanism, as a rule one row.
    step
        The step of the lattice. None: a step that holds the losses, or a fine one.

    Returns
    -------
    Composition
        Bounds of delta and epsilon of all parts together.

    Raises
    ------
    ParameterError
        There is nothing to compose, a number is not an integer in its range, contributions are given on a cycle, or the
        step is too fine to compute with.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.gaussian(sigma2=49, support=60).certify(epsilon="0.5", bits=62)
    >>> together = dc.account.compose(table, cells=100)
    >>> f"{together.delta(5):.3g}, and never below {together.floor:.2g}"
    '0.000811, and never below 6.3e-16'
    """
    times = integer(cells, "cells", MOST_CELLS, "the cells that contain one person")
    listed = list(_listed(parts, times))
    if not listed:
        raise ParameterError("there is nothing to compose: give a mechanism, a table, or a list of them")
    if contributions is not None:
        rows = integer(contributions, "contributions", MOST_CONTRIBUTIONS, "the most rows one person has in a grouping")
        if rows > MOST_PARTITIONED:
            groups: list[tuple[Curve, int]] = [(group_profile(_source(item), rows), n) for item, n in listed]
            return _composition(_step(step, groups), groups)
        groupings = [([_profile(item, distance) for distance in range(1, rows + 1)], n) for item, n in listed]
        spacing = _step(step, [(curve, n) for curves, n in groupings for curve in curves])
        return _composition(spacing, [(_grouping(curves, spacing), n) for curves, n in groupings])
    curves = [(curve, n * m) for item, n in listed for curve, m in _curves(item)]
    known = {item.step for item, _ in listed if isinstance(item, Composition)}
    if step is None and len(known) == 1 and all(isinstance(item, Composition) for item, _ in listed):
        return _composition(known.pop(), curves)
    return _composition(_step(step, curves), curves)


def _composition(step: float, curves: list[tuple[Curve, int]]) -> Composition:
    """Return the composition of curves, each curve once and with the number of all its uses."""
    times: dict[int, int] = {}
    for curve, n in curves:
        times[id(curve)] = times.get(id(curve), 0) + n
    distinct = {id(curve): curve for curve, _ in curves}
    return Composition(step, tuple(Part(curve, curve.pair(step), times[key]) for key, curve in distinct.items()))


def _grouping(curves: list[Curve], step: float) -> Pair:
    """Return the pair of one grouping: the largest delta over the partitions of all rows. curves[d - 1] is H^(d)."""
    pairs = [curve.pair(step) for curve in curves]
    compositions = [
        Composition(step, tuple(Part(curves[d - 1], pairs[d - 1], len(list(equal))) for d, equal in groupby(partition)))
        for partition in _partitions(len(curves), len(curves))
    ]
    reach = max(sum(part.pair.reach * part.times for part in split.parts) for split in compositions)
    knots: Floats = step * np.arange(min(reach + 2, int(LARGEST_LOSS / step) + 1), dtype=np.float64)
    return Pair.of(step, np.max([split.at(knots)[0] for split in compositions], axis=0))


def _partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to write the total as a sum of falling parts."""
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in _partitions(total - part, part):
            yield (part, *rest)


def _listed(parts: Any, cells: int) -> Iterator[tuple[Any, int]]:
    """Yield every part, and how many times one person meets it."""
    if isinstance(parts, (Mechanism, PTable, Table, Composition, *CURVES)):
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
        if not isinstance(part, (Mechanism, PTable, Table, Composition, *CURVES)):
            raise ParameterError(f"a part is {item!r:.60}; give a mechanism, a perturbation table, or (table, times)")
        yield part, cells * integer(times, "times", MOST_CELLS, "how many times one person meets the part")


def _curves(item: Source | Curve | Composition) -> list[tuple[Curve, int]]:
    if isinstance(item, Composition):
        return [(part.curve, part.times) for part in item.parts]
    return [(item if isinstance(item, CURVES) else profile(item), 1)]


def _profile(item: Any, distance: int) -> Curve:
    return profile(_source(item), distance)


def _source(item: Any) -> Source:
    """Return a mechanism or a table. Raise ParameterError for a profile, which has lost the counts."""
    if isinstance(item, (Composition, *CURVES)):
        raise ParameterError(
            f"contributions need counts that differ by more than one row, and a {type(item).__name__.lower()} has"
            " lost them: give mechanisms or perturbation tables"
        )
    return cast(Source, item)


def _step(step: float | None, curves: list[tuple[Curve, int]]) -> float:
    if step is None:
        natural = choose_step(curves)
        return natural / math.ceil(natural / WIDEST_STEP)
    size = float(exact(step, "step"))
    largest = max(curve.largest for curve, _ in curves)
    if not 0 < size < 100 or largest / size > MOST_KNOTS:
        raise ParameterError(
            f"step is {step!r}; give a number from {largest / MOST_KNOTS:.2g} to 100, a small part of the losses,"
            " or leave it out"
        )
    return size
