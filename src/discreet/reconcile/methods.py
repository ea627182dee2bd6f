"""The methods of `table_plan` that are not a cube: a tree, and Wang's list."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.reconcile import wang
from discreet.reconcile.axes import Array, Key
from discreet.reconcile.cliques import Part
from discreet.reconcile.trees import fit_tree


def reconcile_list(part: Part, noisy: Mapping[Key, Integers], seed: int) -> dict[Key, Integers]:
    """Return a list and its total by algorithm 3 of Wang 2020.

    Parameters
    ----------
    part
        A part with two groupings.
    noisy
        The measurements of both, by key.
    seed
        Decides ties.
    """
    total, components = sorted(noisy, key=lambda key: math.prod(part.shape(key)))
    counts = wang(noisy[components].ravel(), noisy[total].item(), algorithm="3", seed=seed)
    return {components: counts.reshape(noisy[components].shape), total: counts.sum().reshape(noisy[total].shape)}


def reconcile_chain(
    part: Part,
    chain: Sequence[Key],
    noisy: Mapping[Key, Integers],
    variance: Mapping[Key, Floats],
    settled: Mapping[Key, Integers],
    seed: int,
) -> tuple[dict[Key, Integers], dict[Key, Floats]]:
    """Return the integers of nested groupings, reconciled as a tree, and least squares without bounds.

    If the total is published and nothing is settled, the total is that of least squares without bounds, rounded.

    Parameters
    ----------
    part
        The part that the groupings are of.
    chain
        The groupings from coarse to fine; each contains the next.
    noisy, variance
        Measurements and their variances, by key.
    settled
        Numbers that are met exactly, by key.
    seed
        Decides ties.
    """
    starts = np.cumsum([0, *(noisy[key].size for key in chain)])
    parents = [np.full(noisy[chain[0]].size, -1)]
    for coarse, fine, start in zip(chain, chain[1:], starts, strict=False):
        cells = part.containing_cells(fine, coarse)
        assert cells is not None, "the groupings of a chain nest"
        parents.append(cells + start)
    fixed = {
        int(start) + cell: int(value)
        for key, start in zip(chain, starts, strict=False)
        if key in settled
        for cell, value in enumerate(settled[key].ravel())
    }
    counts = np.concatenate([noisy[key].ravel() for key in chain])
    variances = np.concatenate([np.broadcast_to(variance[key], noisy[key].shape).ravel() for key in chain])
    parent = np.concatenate(parents)
    _, _, free = fit_tree(counts, parent, variances, None, seed)
    if not fixed and chain[0] == () and len(chain) > 1:
        fixed = {0: max(0, round(float(free[0])))}
    integers, _, _ = fit_tree(counts, parent, variances, fixed, seed)

    def by_key(values: Array) -> dict[Key, Any]:
        split = np.split(values, starts[1:-1])
        return {key: numbers.reshape(noisy[key].shape) for key, numbers in zip(chain, split, strict=True)}

    return by_key(integers), by_key(free)
