"""Minimise a smooth function from many starts at a time: L-BFGS (Nocedal 1980) with all starts as rows of one array.

A step is halved until the function falls by a small part of what its slope promises (Armijo). Every row has its own
step and its own memory of the last `MEMORY` changes. A change of negative curvature is forgotten.
"""

from collections.abc import Callable

import numpy as np

from discreet.arrays import Floats

MEMORY = 8

LONGEST = 3.0
"""The largest change of a coordinate in one step. Coordinates are logarithms."""

Function = Callable[[Floats], tuple[Floats, Floats]]
"""From an array with a row for every start to a value and a gradient for every row."""


def minimise(function: Function, starts: Floats, steps: int, tolerance: float = 1e-10) -> tuple[Floats, Floats]:
    """Return the points and values that a number of steps of L-BFGS reaches from each start.

    Parameters
    ----------
    function
        The function and its gradient.
    starts
        One start in each row.
    steps
        The most steps.
    tolerance
        End if no row falls by more than this in a step.
    """
    points = starts.copy()
    values, slopes = function(points)
    moves: list[Floats] = []
    turns: list[Floats] = []
    for _ in range(steps):
        direction = -_by_curvature(slopes, moves, turns)
        promised = (direction * slopes).sum(axis=1)
        uphill = promised >= 0
        direction[uphill], promised[uphill] = -slopes[uphill], -(slopes[uphill] ** 2).sum(axis=1)
        direction *= np.minimum(1.0, LONGEST / np.maximum(np.abs(direction).max(axis=1), 1e-300))[:, None]
        new_points, new_values, new_slopes = _line_search(function, points, values, direction, promised)
        moves, turns = [*moves[1 - MEMORY :], new_points - points], [*turns[1 - MEMORY :], new_slopes - slopes]
        fall = values - new_values
        points, values, slopes = new_points, new_values, new_slopes
        if fall.max() <= tolerance:
            break
    return points, values


def _line_search(
    function: Function, points: Floats, values: Floats, direction: Floats, promised: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return points with smaller values along the direction; a row that finds none stays."""
    length = np.ones(len(points))
    for _ in range(30):
        new_points = points + length[:, None] * direction
        new_values, new_slopes = function(new_points)
        poor = ~(new_values <= values + 1e-4 * length * promised)
        if not poor.any():
            return new_points, new_values, new_slopes
        length[poor] /= 2
    length[poor] = 0
    new_points = points + length[:, None] * direction
    return new_points, *function(new_points)


def _by_curvature(slopes: Floats, moves: list[Floats], turns: list[Floats]) -> Floats:
    """Return the slopes times the inverse curvature that the last changes show (the two loops of Nocedal)."""
    result = slopes.copy()
    inner = [(move * turn).sum(axis=1) for move, turn in zip(moves, turns, strict=True)]
    scales = [np.where(value > 1e-300, 1 / np.maximum(value, 1e-300), 0.0) for value in inner]
    shares = []
    for move, turn, scale in zip(moves[::-1], turns[::-1], scales[::-1], strict=True):
        share = scale * (move * result).sum(axis=1)
        result -= share[:, None] * turn
        shares.append(share)
    if moves:
        square = (turns[-1] ** 2).sum(axis=1)
        fits = (scales[-1] > 0) & (square > 0)
        result *= np.where(fits, inner[-1] / np.where(fits, square, 1.0), 1.0)[:, None]
    for move, turn, scale, share in zip(moves, turns, scales, shares[::-1], strict=True):
        result += (share - scale * (turn * result).sum(axis=1))[:, None] * move
    return result
