"""The workloads that the tests of the planner share."""

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from discreet.plan.planner import Workload

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden_plans.json").read_text())
"""Plans of the town (10 groupings) and of Adult (20 groupings) with their standard deviations; see its `source`."""


def golden_workload(name: str) -> Workload:
    """Return the workload of the town or of Adult."""
    return Workload(GOLDEN[name]["axes"], GOLDEN[name]["groupings"])


def golden_precisions(design: list[Any]) -> list[float]:
    """Return 1 / variance of every grouping: of bell-shaped noise, of geometric noise, or 0."""
    return [
        0.0 if noise is None else 1 / noise["variance"] if "variance" in noise else math.cosh(noise["epsilon"]) - 1
        for noise in design
    ]


def summing_matrix(workload: Workload, grouping: int) -> Any:
    """Return the matrix that adds the finest cells of all axes up to the cells of a grouping."""
    matrix = np.ones((1, 1))
    for sizes, level in zip(workload.axes, workload.groupings[grouping], strict=True):
        groups = np.arange(sizes[-1]) * sizes[level] // sizes[-1]
        matrix = np.kron(matrix, (np.arange(sizes[level])[:, None] == groups[None, :]).astype(float))
    return matrix


def dense_estimator(workload: Workload, tau: Any, grouping: int) -> tuple[Any, list[int]]:
    """Return the matrix from all measured cells to least-squares estimates, and the grouping of each measured cell."""
    measured = [index for index, precision in enumerate(tau) if precision > 0]
    sums = np.vstack([summing_matrix(workload, index) for index in measured])
    owners = [index for index in measured for _ in range(int(workload.cells[index]))]
    roots = np.sqrt(np.array([tau[index] for index in owners]))
    inverse = np.linalg.pinv(sums * roots[:, None], rcond=1e-10) * roots[None, :]
    return summing_matrix(workload, grouping) @ inverse, owners


def all_levels(axes: tuple[tuple[int, ...], ...]) -> Workload:
    """Return the workload of all groupings of some axes."""
    return Workload(axes, tuple(product(*(range(len(sizes)) for sizes in axes))))
