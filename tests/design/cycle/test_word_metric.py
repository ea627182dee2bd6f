"""Distances on cycles: against a search."""

import itertools
from collections import deque
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Cycle
from discreet.design.cycle._word_metric import distances

# Words


def searched(domain: Cycle, differences: tuple[object, ...]) -> list[int]:
    """Breadth-first search, one value after the other."""
    shape = domain.shape
    steps_to = {(0,) * len(shape): 0}
    queue = deque(steps_to)
    while queue:
        x = queue.popleft()
        for difference in differences:
            vector = difference if isinstance(difference, tuple) else (difference,)
            y = tuple((a + b) % side for a, b, side in zip(x, vector, shape, strict=True))
            if y not in steps_to:
                steps_to[y] = steps_to[x] + 1
                queue.append(y)
    return [steps_to.get(x, -1) for x in itertools.product(*map(range, shape))]


@given(st.integers(2, 900), st.lists(st.integers(1, 12), min_size=1, max_size=4), st.integers(1, 40))
def test_distances_are_those_of_a_search(size: int, steps: list[int], factor: int) -> None:
    steps = [step * factor % size or 1 for step in steps]
    domain = Cycle(size)
    differences = domain.neighbours(steps)
    expected = searched(domain, differences)
    assert distances(domain, differences).tolist() == expected
    with mock.patch("discreet.design.cycle._word_metric.SEARCHED", 0):  # by renaming and by shape, as long cycles are
        assert distances(domain, differences).tolist() == expected


@given(st.lists(st.integers(2, 7), min_size=2, max_size=3), st.data())
def test_distances_in_several_dimensions_are_those_of_a_search(shape: list[int], data: st.DataObject) -> None:
    domain = Cycle(shape)
    vectors = st.tuples(*(st.integers(0, side - 1) for side in shape)).filter(any)
    differences = domain.neighbours(data.draw(st.lists(vectors, min_size=1, max_size=3)))
    assert distances(domain, differences).tolist() == searched(domain, differences)


@pytest.mark.parametrize("steps", [(1, 2, 3, 4, 5, 6), (2, 4, 6, 8, 10, 12), (333_333, 333_334, 1, 2, 3, 4)])
def test_distances_on_a_long_cycle_change_by_one_a_step(steps: tuple[int, ...]) -> None:
    """999,999 values: too long for round after round, so the shape of the distance is used."""
    domain = Cycle(999_999)
    distance = distances(domain, domain.neighbours(steps))
    for step in steps:
        assert np.abs(distance - np.roll(distance, step)).max() == 1  # one change moves one step at most
    ends = np.min([np.roll(distance, step) for s in steps for step in (s, -s)], axis=0)
    assert (distance[1:] == ends[1:] + 1).all()  # and there is always a step that comes nearer
    assert distance[0] == 0
