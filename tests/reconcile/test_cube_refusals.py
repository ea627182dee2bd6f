"""Cubes that cannot be made are refused, and the message names what is wrong."""

from typing import Any

import numpy as np
import pytest

from discreet.errors import InputError, ParameterError, SolverError
from discreet.reconcile import cube
from discreet.reconcile.margins import Margins
from tests.reconcile.cube_cases import CubeMargins


@pytest.mark.parametrize(
    ("margins", "named"),
    [
        ({}, "margins"),
        ([1, 2], "margins"),
        ({0: [1, 2]}, "key 0"),
        ({(0,): [[1, 2]]}, r"\(0,\) .*\(1, 2\)"),
        ({(0,): [1, 2], (0, 1): [[1], [2], [3]]}, r"\(0, 1\) has 3 .* axis 0.* \(0,\) has 2"),
        ({(0,): [1, 2], (2,): [1]}, "axis 1"),
        ({(-1,): [1]}, "axis -1"),
        ({(0, 0): [[1]]}, r"\(0, 0\)"),
        ({(0, 1): [[1]], (1, 0): [[1]]}, "twice"),
        ({(): float("nan")}, "nan"),
        ({(0,): [1, 2.5]}, r"2\.5"),
        ({(0,): np.ma.masked_equal([1, 2], 2)}, r"\(0,\): .*masked"),
        ({(0, 1): np.full((64, 64), 2**36), (0,): np.zeros(64, dtype=int)}, r"\(0, 1\) .*2\.81e\+14"),
        ({(0,): []}, "categories"),
        ({((0, "state"),): [1, 2]}, "'state' of axis 0"),
        ({(0, 1): np.broadcast_to(1, (20_000, 20_000))}, r"\(0, 1\) has 400,000,000 cells"),
    ],
)
def test_bad_margins_are_refused(margins: Any, named: str) -> None:
    with pytest.raises(InputError, match=named):
        cube(margins)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"variance": 0}, "variance .* 0;"),
        ({"variance": -1}, "variance .* -1;"),
        ({"variance": {(0, 1): 1}}, r"variance .*\(0,\)"),
        ({"variance": {(0, 1): 1, (0,): 1, (): 1, (1,): 1}}, r"variance .*\(1,\)"),
        ({"variance": {(0, 1): [1, 2], (0,): 1, (): 1}}, r"variance of \(0, 1\) .*\(2,\)"),
        ({"variance": {(0, 1): 1, (0,): 1, (): np.inf}}, r"variance of \(\) is inf"),
        ({"fixed": {(0,): [5, 5], (): 11}}, r"fixed .*\(0,\) .* 10 and \(\) .* 11"),
        ({"fixed": {(): 3, (0, 1): {(0, 0): 4}}}, r"fixed .*\(\) at \(\) .* 3, .* at least 4"),
        ({"fixed": {(0,): [9, 9], (0, 1): {(0, 0): 1, (0, 1): 1}}}, r"fixed .* at \(0,\) .* 9.* at most 2"),
        ({"fixed": {(0, 1): {(5, 5): 0}}}, r"fixed .*\(5, 5\)"),
        ({"fixed": {(0, 1): {(0, 0): -1}}}, r"\(0, 0\) .*-1"),
        ({"fixed": {(0,): [1, -1]}}, r"fixed \(0,\) .*-1"),
        ({"fixed": {(0,): [1, 2, 3]}}, r"fixed \(0,\) .*\(3,\)"),
        ({"fixed": {(0,): {1.0: 3}}}, r"fixed .* 1\.0"),
        ({"fixed": {(0,): {True: 3}}}, "fixed .* True"),
        ({"fixed": {(0,): {(): 3}}}, r"fixed .* \(\) of margin \(0,\)"),
        ({"fixed": [1]}, r"fixed is \[1\]"),
        ({"fixed": {(0,): {1: 20}, (): 10}}, r"fixed .*\(0,\) .* at least 20 and \(\) .* 10"),
        ({"fixed": {(0,): {0: 6, 1: 6}, (1,): {0: 4, 1: 7}}}, r"fixed .*\(0,\) .* 12 and \(1,\) .* 11"),
        ({"fixed": {(0,): [8, 8], (0, 1): {(0, 0): 9}}}, r"fixed .* at \(0,\) .* 8, .* at least 9"),
        ({"variance": np.inf}, "variance of .* inf"),
        ({"seed": "x"}, "seed is 'x'"),
    ],
)  # fmt: skip
def test_bad_options_are_refused(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        cube({(0, 1): [[1, 2], [3, 4]], (0,): [3, 7], (): 10}, **options)


def test_fixed_values_that_no_integers_meet_are_refused() -> None:
    """Two rows have one cell left each, in a column too small for both: no two sums show the contradiction."""
    zeros = dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 1)], 0)
    with pytest.raises(SolverError, match=r"fixed values of \(0, 1\), \(0,\), \(1,\)"):
        cube(
            {(0, 1): np.ones((3, 3), dtype=int)},
            fixed={(0,): [3, 3, 2], (1,): [2, 2, 4], (0, 1): zeros},
            seed=1,
        )


@pytest.mark.parametrize(
    ("levels", "named"),
    [
        ({0: {"half": [0, 2, 2]}}, "'half' of axis 0"),
        ({0: {"half": [[0, 1]]}}, "'half' of axis 0"),
        ({0: {"half": [0, 1]}}, r"axis 0, level 'half' has 2"),
        ([1], r"levels are \[1\]"),
        ({0: [0, 0, 1]}, "levels of axis 0"),
        ({"x": {"half": [0, 0, 1]}}, "levels .* 'x'"),
    ],
)
def test_bad_levels_are_refused(levels: Any, named: str) -> None:
    with pytest.raises(InputError, match=named):
        cube({(0,): [1, 2, 3], ((0, "half"),): [3, 3]}, levels=levels)


def test_a_margin_must_have_one_number_a_group() -> None:
    margins: CubeMargins = {(0,): [1, 2, 3], ((0, "half"),): [3, 3, 3]}
    with pytest.raises(InputError, match=r"'half'.*\(3,\).*\(2,\)"):
        cube(margins, levels={0: {"half": [0, 0, 1]}})


def test_fixed_values_of_a_level_and_of_its_categories_must_agree() -> None:
    with pytest.raises(ParameterError, match=r"fixed .*\(0,\) .* at most 5 and \(\(0, 'half'\),\) .* at least 9"):
        cube(
            {(0, 1): np.ones((3, 2), dtype=int)},
            levels={0: {"half": [0, 0, 1]}},
            fixed={(0,): {0: 2, 1: 3}, ((0, "half"),): {0: 9}},
        )


def test_the_cells_of_a_cube_are_no_margin_of_it() -> None:
    assert Margins((3,), [((0, None),)], {}).keys == []
