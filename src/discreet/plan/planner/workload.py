"""What is published, as the planner sees it: axes with nested levels, and groupings that take one level of each axis.

Axis i has the levels 0, 1, ... with n_i(0) = 1 <= n_i(1) <= ... categories. A grouping g takes one level of each axis
and has N_g cells. A residual space s has levels s_i <= g_i, and what it describes is in the margin over the levels s
and in no coarser one. Its dimension is

    dim_s = prod_i (n_i(s_i) - n_i(s_i - 1)),      n_i(-1) = 0.

Let every cell of every measured grouping g have independent noise of precision tau_g = 1 / variance. Unbiased least
squares then has in the space s the precision lambda_s (here divided by the cells of all axes crossed, which cancel),
and a cell of a grouping t, measured or not, has on average the variance var_t:

    lambda_s = sum over measured g >= s of tau_g / N_g,      var_t = 1 / N_t^2 . sum over s <= t of dim_s / lambda_s.

A plan determines t if and only if lambda_s > 0 for all s <= t. Spaces of dimension 0 do not count. The formula is exact
if the groups of a level have equal sizes, as they have on axes without levels. With unequal groups the formula is what
the planner minimises; the true variances come from `reconcile.variances`.

Groupings may be of several populations, for example of all people and of women. Measurements of one population tell
nothing about another one, so the spaces of two populations are different spaces, and lambda_s sums over measured
groupings of one population.

Only pairs (s, t) with s <= t and t published are listed, never the cube of all axes: 19,651 pairs for the 2,626 margins
of 25 variables with up to three variables each.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.errors import ParameterError
from discreet.exact import is_integer

MOST_PAIRS = 20_000_000
"""Pairs of a residual space and a grouping that fit into memory."""


@dataclass(frozen=True)
class Workload:
    """The groupings that are published.

    Parameters
    ----------
    axes
        For every axis the numbers of categories of its levels, from coarse to fine, 1 first: (1, 50) for an axis
        without levels, (1, 16, 400) for states and districts.
    groupings
        For every published grouping the level of each axis; 0 is the whole axis.
    touches
        For every grouping the most cells that hold one person. More than 1 if categories overlap. None: 1 for all.
    given
        For every grouping the precision of a measurement that there is already; 0 if there is none. It adds to the
        precisions of every plan. None: 0 for all.
    populations
        For every grouping the number of its population. None: all groupings are of one population.
    persons
        For every kind of person, and every grouping, how many cells hold the person: women are in no cell of a table of
        men. 0 for all if the cells of a grouping are cells of another one with the same noise. None: one kind of
        person, who is in `touches` cells of each grouping.

    Raises
    ------
    ParameterError
        Axes, groupings and touches do not fit together.

    Examples
    --------
    >>> from discreet.plan.planner import Workload
    >>> workload = Workload(axes=((1, 13), (1, 7)), groupings=((1, 1), (1, 0), (0, 0)))
    >>> workload.cells.tolist()
    [91.0, 13.0, 1.0]
    >>> workload.variances([0.5, 0, 0]).tolist()
    [2.0, 14.0, 182.0]
    """

    axes: tuple[tuple[int, ...], ...]
    groupings: tuple[tuple[int, ...], ...]
    touches: tuple[int, ...] | None = None
    given: tuple[float, ...] | None = None
    populations: tuple[int, ...] | None = None
    persons: tuple[tuple[int, ...], ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", _tuples(self.axes, "axes"))
        object.__setattr__(self, "groupings", _tuples(self.groupings, "groupings"))
        touches = [1] * len(self.groupings) if self.touches is None else self.touches
        object.__setattr__(self, "touches", _tuples([touches], "touches")[0])
        populations = [0] * len(self.groupings) if self.populations is None else self.populations
        object.__setattr__(self, "populations", _tuples([populations], "populations")[0])
        persons = [self.touches] if self.persons is None else self.persons
        object.__setattr__(self, "persons", _tuples(persons, "persons"))
        self._check()

    def _check(self) -> None:
        for number, sizes in enumerate(self.axes):
            if not sizes or sizes[0] != 1 or any(fine < coarse for coarse, fine in pairwise(sizes)):
                raise ParameterError(
                    f"axis {number} has levels of {sizes} categories; give 1, then more, from coarse to fine"
                )
        if not self.groupings:
            raise ParameterError("groupings is empty; give at least one grouping to publish")
        for number, grouping in enumerate(self.groupings):
            if len(grouping) != len(self.axes):
                raise ParameterError(
                    f"grouping {number} is {grouping}; give one level for each of {len(self.axes)} axes"
                )
            if any(not 0 <= level < len(sizes) for level, sizes in zip(grouping, self.axes, strict=True)):
                raise ParameterError(f"grouping {number} is {grouping}; give levels that the axes {self.axes} have")
        if len(self.population_of) != len(self.groupings):
            raise ParameterError(
                f"populations are {self.population_of!r:.60}; give a number for each of {len(self.groupings)} groupings"
            )
        known: set[tuple[int, tuple[int, ...]]] = set()
        for pair in zip(self.population_of, self.groupings, strict=True):
            if pair in known:
                raise ParameterError(f"the grouping {pair[1]} is given twice; give every grouping once")
            known.add(pair)
        for name, rows, least in (("touches", (self.times,), 1), ("persons", self.kinds_of_person, 0)):
            if not rows or any(len(row) != len(self.groupings) or min(row) < least for row in rows):
                raise ParameterError(
                    f"{name} are {rows!r:.60}; give for each of {len(self.groupings)} groupings an integer from"
                    f" {least} on"
                )
        pairs = sum(math.prod(level + 1 for level in grouping) for grouping in self.groupings)
        if pairs > MOST_PAIRS:
            raise ParameterError(
                f"the groupings have {pairs} margins in all, and a plan considers at most {MOST_PAIRS}: publish"
                " groupings with fewer axes"
            )

    @property
    def times(self) -> tuple[int, ...]:
        """How many cells of every grouping hold one person, at most."""
        assert self.touches is not None
        return self.touches

    @property
    def population_of(self) -> tuple[int, ...]:
        """The number of the population of every grouping."""
        assert self.populations is not None
        return self.populations

    @property
    def kinds_of_person(self) -> tuple[tuple[int, ...], ...]:
        """For every kind of person, how many cells of every grouping hold the person."""
        assert self.persons is not None
        return self.persons

    @property
    def is_plain(self) -> bool:
        """True if there is one population, and everyone is in one cell of each grouping."""
        return len(set(self.population_of)) == 1 and set(self.kinds_of_person) == {(1,) * len(self.groupings)}

    @cached_property
    def cells(self) -> Floats:
        """The number of cells of every grouping."""
        sizes = [
            math.prod(levels[level] for levels, level in zip(self.axes, grouping, strict=True))
            for grouping in self.groupings
        ]
        return np.array(sizes, dtype=np.float64)

    @cached_property
    def spaces(self) -> "Spaces":
        """The residual spaces of all groupings."""
        return _spaces(self)

    def precisions(self, tau: Any) -> Floats:
        """Return lambda of every residual space, for precisions of groupings along the last axis."""
        precisions = np.asarray(tau, dtype=np.float64) + (0.0 if self.given is None else np.array(self.given))
        return self.spaces.sum_above(precisions / self.cells)

    def variances(self, tau: Any) -> Floats:
        """Return the mean variance of the cells of every grouping by least squares; math.inf if it is not determined.

        Parameters
        ----------
        tau
            For every grouping the precision of its noise, 1 / variance; 0 if it is not measured. Several plans at a
            time along the first axes.

        Returns
        -------
        numpy.ndarray
            One variance for every grouping, along the last axis.
        """
        with np.errstate(divide="ignore"):
            return self.spaces.sum_below(self.spaces.dimensions / self.precisions(tau)) / self.cells**2

    def undetermined(self, measured: Iterable[int]) -> list[int]:
        """Return the groupings that least squares cannot estimate from the measured ones."""
        tau = np.zeros(len(self.groupings))
        tau[list(measured)] = 1.0
        return np.flatnonzero(np.isinf(self.variances(tau))).tolist()


@dataclass(frozen=True, eq=False)
class Spaces:
    """The residual spaces of dimension 1 or more, and which of them are in which grouping.

    Attributes
    ----------
    dimensions
        The dimension of every space.
    space_of_pair, starts
        The spaces of grouping 0, then the spaces of grouping 1, ..., and where each grouping begins.
    grouping_of_pair, space_starts
        The groupings of space 0, then the groupings of space 1, ..., and where each space begins.
    boxes
        Like `space_of_pair`, with spaces of dimension 0 as -1: for a grouping t an array over all s <= t in C order.
    box_starts
        Where the box of each grouping begins.
    """

    dimensions: Floats
    space_of_pair: Integers
    starts: Integers
    grouping_of_pair: Integers
    space_starts: Integers
    boxes: Integers
    box_starts: Integers

    def sum_below(self, values: Floats) -> Floats:
        """Return for every grouping t the sum over s <= t of a value of each space, along the last axis."""
        return np.add.reduceat(values[..., self.space_of_pair], self.starts, axis=-1)

    def sum_above(self, values: Floats) -> Floats:
        """Return for every space s the sum over g >= s of a value of each grouping, along the last axis."""
        return np.add.reduceat(values[..., self.grouping_of_pair], self.space_starts, axis=-1)


def _spaces(workload: Workload) -> Spaces:
    """Return the residual spaces of a workload. Pairs are made one axis after the other, all groupings at once."""
    levels = np.array(workload.groupings, dtype=np.int16).reshape(len(workload.groupings), len(workload.axes))
    owner = np.arange(len(levels))
    rows = np.zeros_like(levels)
    for axis in range(levels.shape[1]):
        counts = levels[owner, axis].astype(np.int64) + 1
        repeated = np.repeat(np.arange(len(owner)), counts)
        first = np.repeat(np.cumsum(counts) - counts, counts)
        rows, owner = rows[repeated], owner[repeated]
        rows[:, axis] = np.arange(len(owner)) - first
    dimensions = np.ones(len(rows))
    for axis, sizes in enumerate(workload.axes):
        dimensions *= np.diff(np.array([0, *sizes], dtype=np.float64))[rows[:, axis]]
    present = dimensions > 0
    owners = owner[present]
    populations = np.array(workload.population_of, dtype=np.int32)[owners].view(np.int16).reshape(-1, 2)
    keys = np.ascontiguousarray(np.hstack([populations, rows[present]])).view(f"V{2 * levels.shape[1] + 4}").reshape(-1)
    _, first_pair, space_of_pair = np.unique(keys, return_index=True, return_inverse=True)
    boxes = np.full(len(rows), -1)
    boxes[present] = space_of_pair
    by_space = np.argsort(space_of_pair, kind="stable")
    numbers = np.arange(len(levels))
    return Spaces(
        dimensions[present][first_pair],
        space_of_pair,
        np.searchsorted(owners, numbers),
        owners[by_space],
        np.searchsorted(space_of_pair[by_space], np.arange(len(first_pair))),
        boxes,
        np.searchsorted(owner, numbers),
    )


def _tuples(values: Any, name: str) -> tuple[tuple[int, ...], ...]:
    """Return lists of integers as tuples. Raise ParameterError if they are something else."""
    try:
        lists = [list(items) for items in values]
    except TypeError:
        raise ParameterError(f"{name} are {values!r:.60}; give lists of integers") from None
    for items in lists:
        for item in items:
            if not is_integer(item):
                raise ParameterError(f"{name} have {item!r:.60}; give integers")
    return tuple(tuple(int(item) for item in items) for items in lists)
