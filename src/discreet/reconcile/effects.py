"""Least squares on a cube in closed form, by the effects of the analysis of variance.

A margin A splits into effects, one for each set B of its axes: average over the axes outside B, take away the mean
along those in B. For cells with one variance c and margins with variances v_A, the matrix c A A' + V leaves the effects
apart. On effect B, with n_A the number of cells in a sum of A, it maps s_A to v_A s_A + c n_A S, S being the sum of s
over the margins that contain B, so

    S = (sum r_A / v_A) / (1 + c sum n_A / v_A),       s_A = (r_A - c n_A S) / v_A.
"""

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from discreet.reconcile.check import Floats
from discreet.reconcile.margins import Margins


class Effects:
    """The inverse of c A A' + V for margins of a cube without levels."""

    def __init__(self, margins: Margins, variances: Sequence[float]) -> None:
        self._axes = [tuple(axis for axis, _ in key) for key in margins.keys]
        self._variances = variances
        cells = math.prod(margins.sides)
        self._summed = [cells // math.prod(margins.shape(key)) for key in margins.keys]
        self._effects = sorted({b for axes in self._axes for r in range(len(axes) + 1) for b in combinations(axes, r)})

    def solve(self, right: Sequence[Floats], cell_variance: float) -> list[Floats]:
        """s with (c A A' + V) s = right, c the variance of the cells."""
        scaled = [r / v for r, v in zip(right, self._variances, strict=True)]
        shared = [np.zeros_like(r) for r in right]
        for effect in self._effects:
            inside = [place for place, axes in enumerate(self._axes) if set(effect) <= set(axes)]
            weight = 1 + cell_variance * sum(self._summed[at] / self._variances[at] for at in inside)
            part = sum(_effect(scaled[at], self._axes[at], effect) for at in inside) / weight
            for at in inside:
                kept = tuple(place for place, axis in enumerate(self._axes[at]) if axis not in effect)
                shared[at] += np.expand_dims(part, kept)
        return [
            (r - cell_variance * n * s) / v
            for r, n, s, v in zip(right, self._summed, shared, self._variances, strict=True)
        ]


def _effect(values: Floats, axes: tuple[int, ...], effect: tuple[int, ...]) -> Floats:
    for place in reversed(range(len(axes))):
        mean = values.mean(axis=place, keepdims=True)
        values = values - mean if axes[place] in effect else mean.squeeze(axis=place)
    return values
