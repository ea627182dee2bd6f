"""What others publish from noisy margins: least squares in real numbers, without or with bounds, and Private-PGM.

An orthonormal basis of every axis, nested by levels (Helmert 1876), makes the residual spaces blocks of coordinates of
the cube of all axes. Least squares is then one division a coordinate, whatever was measured. With x >= 0 it is the
method of multipliers, whose two steps are a division and a clip. Groups of a level have equal sizes.

Private-PGM (McKenna, Sheldon and Miklau 2019) is the package `mbi`: mirror descent to the graphical model whose margins
are nearest to the measurements. An axis with levels becomes one attribute a level, the place within the group above.
"""

import math
import warnings
from itertools import product
from typing import Any

import numpy as np

from benchmarks.peer_planners import GaussianOnSpaces, Levels, NoiseOnMargins, is_within
from benchmarks.planner import margin
from discreet.plan.planner import Workload

CLOSE = 0.02
"""People: least squares with bounds ends when no cell moves by more, and none is further from the bound's side."""

HELD = 1e9
"""The precision of the total in least squares with bounds, relative to the usual one."""

MOST_ITERATIONS = 20_000

PGM_ITERATIONS, PGM_TOLERANCE = 20_000, 2e-5
"""Steps of mirror descent. It ends earlier if 50 steps lower its loss by no more than this share, twice."""


def axis_basis(sizes: tuple[int, ...]) -> tuple[Any, Any]:
    """Return an orthonormal basis of an axis, one column a function, and the level of each column."""
    columns, levels = [np.full((sizes[-1], 1), 1 / math.sqrt(sizes[-1]))], [0]
    for level in range(1, len(sizes)):
        children, leaves = sizes[level] // sizes[level - 1], sizes[-1] // sizes[level]
        contrasts = np.zeros((children, children - 1))
        for column in range(children - 1):
            contrasts[: column + 1, column] = 1.0
            contrasts[column + 1, column] = -(column + 1.0)
        contrasts /= np.sqrt((contrasts**2).sum(axis=0))
        along = np.kron(np.eye(sizes[level - 1]), np.kron(contrasts, np.full((leaves, 1), 1 / math.sqrt(leaves))))
        columns.append(along)
        levels += [level] * along.shape[1]
    return np.hstack(columns), np.array(levels)


class Cube:
    """The cube of all axes of a workload, and its coordinates by residual space.

    Parameters
    ----------
    workload
        Axes whose groups have equal sizes.
    """

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        self.bases, self.levels = zip(*(axis_basis(sizes) for sizes in workload.axes), strict=True)
        self.shape = tuple(sizes[-1] for sizes in workload.axes)

    def coordinates(self, cells: Any) -> Any:
        """Return the coordinates of a cube."""
        for basis in self.bases:
            cells = np.tensordot(cells, basis, axes=(0, 0))  # the next axis comes to the front
        return cells

    def cells(self, coordinates: Any) -> Any:
        """Return the cube with given coordinates."""
        for basis in self.bases:
            coordinates = np.tensordot(coordinates, basis, axes=(0, 1))
        return coordinates

    def by_space(self, precisions: dict[Levels, float]) -> Any:
        """Return for every coordinate the precision of its space; 0 for spaces that are not named."""
        table = np.zeros([len(sizes) for sizes in self.workload.axes])
        for space, precision in precisions.items():
            table[space] = precision
        return table[np.ix_(*self.levels)]

    def spread(self, values: Any, grouping: Levels) -> Any:
        """Return the cube in which every cell has the value of the cell of a grouping that holds it."""
        values = np.asarray(values, dtype=float)
        for axis, (sizes, level) in enumerate(zip(self.workload.axes, grouping, strict=True)):
            values = np.expand_dims(values, axis) if level == 0 else values
            values = np.repeat(values, sizes[-1] // sizes[level], axis=axis)
        return values

    def least_squares(self, estimate: Any, precisions: Any) -> Any:
        """Return cells of 0 or more that are nearest to an estimate of the coordinates, by the method of multipliers.

        The total stays as it was estimated. On sparse tables, bounds alone would make it far too large.

        Raises
        ------
        RuntimeError
            The cells still move after many steps.
        """
        stiffness = float(np.exp(np.log(precisions[precisions > 0]).mean()))
        precisions = precisions.copy()
        precisions[(0,) * precisions.ndim] = stiffness * HELD
        clipped = np.maximum(self.cells(estimate), 0.0)
        dual = np.zeros(self.shape)
        for step in range(MOST_ITERATIONS):
            pulled = precisions * estimate + stiffness * self.coordinates(clipped - dual)
            free = self.cells(pulled / (precisions + stiffness))
            relaxed = 1.6 * free - 0.6 * clipped
            before, clipped = clipped, np.maximum(relaxed + dual, 0.0)
            dual = dual + relaxed - clipped
            if step % 10 == 0 and self._moved(free - clipped) < CLOSE and self._moved(clipped - before) < CLOSE / 10:
                return clipped
        raise RuntimeError(f"least squares with bounds moves after {MOST_ITERATIONS} steps")

    def _moved(self, difference: Any) -> float:
        """Return the largest change of a cell of a published grouping."""
        return max(
            float(np.abs(margin(difference, self.workload, grouping)).max()) for grouping in self.workload.groupings
        )

    def margins(self, cells: Any) -> list[Any]:
        """Return the published groupings of a cube."""
        return [margin(cells, self.workload, grouping) for grouping in self.workload.groupings]


def noisy_coordinates(
    cube: Cube, counts: Any, plan: GaussianOnSpaces | NoiseOnMargins, generator: np.random.Generator
) -> tuple[Any, Any]:
    """Measure true counts by a plan. Return unbiased coordinates and their precisions (0: not measured)."""
    truth = cube.coordinates(counts)
    if isinstance(plan, GaussianOnSpaces):
        precisions = cube.by_space(plan.precisions) * counts.size
        noise = generator.normal(size=counts.shape)
        with np.errstate(divide="ignore"):
            return np.where(precisions > 0, truth + noise / np.sqrt(precisions), 0.0), precisions
    spaces: dict[Levels, float] = {}
    total = np.zeros(counts.shape)
    for grouping, variance in plan.noise_variances.items():
        true = margin(counts, cube.workload, grouping)
        draw = generator.laplace if plan.laplace else generator.normal
        noisy = true + draw(0.0, math.sqrt(variance / 2 if plan.laplace else variance), true.shape)
        total += cube.spread(noisy, grouping) / variance
        for space in product(*(range(level + 1) for level in grouping)):
            spaces[space] = spaces.get(space, 0.0) + counts.size / (true.size * variance)
    precisions = cube.by_space(spaces)
    pulled = cube.coordinates(total)
    return np.where(precisions > 0, pulled / np.where(precisions > 0, precisions, 1.0), 0.0), precisions


class PrivatePgm:
    """Private-PGM for a workload: `mbi.estimation.MirrorDescent`, in double precision.

    Parameters
    ----------
    workload
        Axes whose groups have equal sizes.
    """

    def __init__(self, workload: Workload) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_enable_compilation_cache", False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import mbi
        self.workload = workload
        steps = [
            (f"{axis}.{level}", sizes[level] // sizes[level - 1])
            for axis, sizes in enumerate(workload.axes)
            for level in range(1, len(sizes))
        ]
        self.domain = mbi.Domain([name for name, _ in steps], [size for _, size in steps])

    def clique(self, grouping: Levels) -> tuple[str, ...]:
        """Return the attributes of a grouping."""
        return tuple(f"{axis}.{step}" for axis, level in enumerate(grouping) for step in range(1, level + 1))

    def margins(self, noisy: dict[Levels, Any], variances: dict[Levels, float]) -> list[Any]:
        """Return the estimates of all published groupings from noisy ones."""
        from mbi import estimation, marginal_loss

        measurements = [
            marginal_loss.LinearMeasurement(
                np.asarray(values, dtype=float).reshape(-1),
                self.clique(grouping),
                stddev=math.sqrt(variances[grouping]),
            )
            for grouping, values in noisy.items()
        ]
        model = estimation.MirrorDescent().estimate(self.domain, measurements, iters=PGM_ITERATIONS, tol=PGM_TOLERANCE)
        return [
            np.asarray(model.project(self.clique(grouping)).datavector()).reshape(
                [sizes[level] for sizes, level in zip(self.workload.axes, grouping, strict=True) if level]
            )
            for grouping in self.workload.groupings
        ]


def add_up(margins: list[Any], workload: Workload, close: float = 1e-4) -> bool:
    """Return True if every published grouping is the sum of the cells of every finer published grouping."""
    for number, grouping in enumerate(workload.groupings):
        for other, finer in enumerate(workload.groupings):
            if number != other and is_within(grouping, finer):
                kept = [axis for axis, level in enumerate(finer) if level]
                inner = Workload(
                    tuple(workload.axes[axis][: finer[axis] + 1] for axis in kept),
                    (tuple(grouping[axis] for axis in kept),),
                )
                sums = margin(margins[other], inner, inner.groupings[0])
                if np.abs(sums - margins[number]).max() > close:
                    return False
    return True
