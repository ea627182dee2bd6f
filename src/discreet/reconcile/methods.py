"""Trees, lists, totals and names: what the parts of a release need besides least squares over tables."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.reconcile import wang
from discreet.reconcile.cliques import Key, Part
from discreet.reconcile.problem import Naming
from discreet.reconcile.trees import fit_tree


def together(wanted: Mapping[Key, Integers], stated: Mapping[Key, Mapping[tuple[int, ...], int]]) -> dict[Key, Any]:
    """Both as `fixed` of a cube; a literal goes before a number that was settled."""
    if not stated:
        return dict(wanted)
    both: dict[Key, Any] = {
        key: {place: int(values[place]) for place in np.ndindex(values.shape)} for key, values in wanted.items()
    }
    for key, some in stated.items():
        both[key] = {**both.get(key, {}), **some}
    return both


def wang_list(part: Part, noisy: Mapping[Key, Integers], seed: int) -> dict[Key, Integers]:
    """A list and its total by algorithm 3 of Wang 2020."""
    whole, components = sorted(noisy, key=lambda key: math.prod(part.shape(key)))
    counts = wang(noisy[components].ravel(), noisy[whole].item(), algorithm="3", seed=seed)
    return {components: counts.reshape(noisy[components].shape), whole: counts.sum().reshape(noisy[whole].shape)}


def nested(
    part: Part,
    order: Sequence[Key],
    noisy: Mapping[Key, Integers],
    variance: Mapping[Key, Floats],
    settled: Mapping[Key, Integers],
    seed: int,
) -> tuple[dict[Key, Integers], dict[Key, Floats]]:
    """Integers, and least squares without bounds; `order` is from coarse to fine, each grouping holding the next.

    Where nothing is settled, and the total is published, it is the one of least squares without bounds.
    """
    starts = np.cumsum([0, *(noisy[key].size for key in order)])
    parent = [np.full(noisy[order[0]].size, -1)]
    for above, key, start in zip(order, order[1:], starts, strict=False):
        holders = part.holders(key, above)
        assert holders is not None, "the groupings of a chain nest"
        parent.append(holders + start)
    known = {
        int(start) + at: int(value)
        for key, start in zip(order, starts, strict=False)
        for at, value in enumerate(settled[key].ravel() if key in settled else ())
    }
    counts = np.concatenate([noisy[key].ravel() for key in order])
    spread = np.concatenate([np.broadcast_to(variance[key], noisy[key].shape).ravel() for key in order])
    _, _, free = fit_tree(counts, np.concatenate(parent), spread, None, seed)
    if not known and order[0] == () and len(order) > 1:
        known = {0: max(0, round(float(free[0])))}
    whole, _, _ = fit_tree(counts, np.concatenate(parent), spread, known, seed)

    def by_key(values: npt.NDArray[Any]) -> dict[Key, Any]:
        split = np.split(values, starts[1:-1])
        return {key: numbers.reshape(noisy[key].shape) for key, numbers in zip(order, split, strict=True)}

    return by_key(whole), by_key(free)


def naming(part: Part) -> Naming:
    """How errors speak of the groupings of a part: by the names of their dimensions."""

    def margin(key: tuple[tuple[int, Hashable], ...]) -> str:
        return " by ".join(part.names[axis] for axis, _ in key) or "the total"

    return Naming(margin, lambda key, at: f"cell {at} of {margin(key)}" if key else "the total")
