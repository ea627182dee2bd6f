"""Cubes that cannot be made are refused, and the message says why."""

from typing import Any

import numpy as np
import pytest

from discreet.errors import InputError, ParameterError, SolverError
from discreet.reconcile import cube
from discreet.reconcile.margins import Margins
from tests.reconcile.cube_cases import Margin


@pytest.mark.parametrize(
    ("margins", "complaint"),
    [
        ({}, "no margins"),
        ([1, 2], "no margins"),
        ({0: [1, 2]}, "tuple of axes"),
        ({(0,): [[1, 2]]}, "keeps 1 axes"),
        ({(0,): [1, 2], (0, 1): [[1], [2], [3]]}, "3 categories on axis 0"),
        ({(0,): [1, 2], (2,): [1]}, "axis 1"),
        ({(-1,): [1]}, "axes are 0, 1"),
        ({(0, 0): [[1]]}, "twice"),
        ({(0, 1): [[1]], (1, 0): [[1]]}, "given twice"),
        ({(): float("nan")}, "nan"),
        ({(0,): [1, 2.5]}, "2.5"),
        ({(0,): np.ma.masked_equal([1, 2], 2)}, "masked"),
        (
            {(0, 1): np.full((64, 64), 2**36), (0,): np.zeros(64, dtype=int)},
            "counts of \\(0, 1\\) add up to 2.81e\\+14",
        ),
        ({(0,): []}, "no categories"),
        ({((0, "state"),): [1, 2]}, "describe it in levels"),
        ({(0, 1): np.broadcast_to(1, (20_000, 20_000))}, "smaller tables"),
    ],
)
def test_bad_margins_are_refused(margins: Any, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        cube(margins)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"variance": 0}, "above 0"),
        ({"variance": -1}, "above 0"),
        ({"variance": {(0, 1): 1}}, "no entry for the margin"),
        ({"variance": {(0, 1): 1, (0,): 1, (): 1, (1,): 1}}, "not given"),
        ({"variance": {(0, 1): [1, 2], (0,): 1, (): 1}}, "one a cell"),
        ({"variance": {(0, 1): 1, (0,): 1, (): np.inf}}, "finite"),
        ({"fixed": {(0,): [5, 5], (): 11}}, "\\(0,\\) adds up to 10 and \\(\\) to 11 in all"),
        ({"fixed": {(): 3, (0, 1): {(0, 0): 4}}}, "margin \\(\\) at \\(\\) is fixed at 3, .* at least 4"),
        ({"fixed": {(0,): [9, 9], (0, 1): {(0, 0): 1, (0, 1): 1}}}, "at \\(0,\\) is fixed at 9"),
        ({"fixed": {(0, 1): {(5, 5): 0}}}, "cell \\(5, 5\\)"),
        ({"fixed": {(0, 1): {(0, 0): -1}}}, "from 0"),
        ({"fixed": {(0,): [1, -1]}}, "holds -1"),
        ({"fixed": {(0,): [1, 2, 3]}}, "shape"),
        ({"fixed": {(0,): {1.0: 3}}}, "cell 1.0"),
        ({"fixed": {(0,): {True: 3}}}, "cell True"),
        ({"fixed": {(0,): {(): 3}}}, "cell \\(\\)"),
        ({"fixed": [1]}, "values by margin"),
        ({"fixed": {(0,): {1: 20}, (): 10}}, "\\(0,\\) adds up to at least 20 and \\(\\) to 10 in all"),
        ({"fixed": {(0,): {0: 6, 1: 6}, (1,): {0: 4, 1: 7}}}, "adds up to 12 and \\(1,\\) to 11 in all"),
        ({"fixed": {(0,): [8, 8], (0, 1): {(0, 0): 9}}}, "at \\(0,\\) is fixed at 8, .* at least 9"),
        ({"variance": np.inf}, "is inf; give finite"),
        ({"seed": "x"}, "seed"),
    ],
)  # fmt: skip
def test_bad_options_are_refused(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint):
        cube({(0, 1): [[1, 2], [3, 4]], (0,): [3, 7], (): 10}, **options)


def test_public_values_that_no_integers_meet_are_refused() -> None:
    """Two rows have one cell left each, in a column that is too small for both: no two sums tell."""
    zeros = dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 1)], 0)
    with pytest.raises(
        SolverError, match=r"no tables were found that meet the fixed values of \(0, 1\), \(0,\), \(1,\)"
    ):
        cube(
            {(0, 1): np.ones((3, 3), dtype=int)},
            fixed={(0,): [3, 3, 2], (1,): [2, 2, 4], (0, 1): zeros},
            seed=1,
        )


def test_levels_are_checked() -> None:
    tables: Margin = {(0,): [1, 2, 3], ((0, "half"),): [3, 3]}
    for labels, complaint in (([0, 2, 2], "gaps"), ([0, 1], "categories on axis 0"), ([[0, 1]], "gaps")):
        with pytest.raises(InputError, match=complaint):
            cube(tables, levels={0: {"half": labels}})
    with pytest.raises(InputError, match="shape"):
        cube({(0,): [1, 2, 3], ((0, "half"),): [3, 3, 3]}, levels={0: {"half": [0, 0, 1]}})
    for levels in ([1], {0: [0, 0, 1]}, {"x": {"half": [0, 0, 1]}}):
        with pytest.raises(InputError, match="level"):
            cube(tables, levels=levels)  # type: ignore[arg-type]
    with pytest.raises(
        ParameterError, match=r"\(0,\) adds up to at most 5 and \(\(0, 'half'\),\) to at least 9 for margin"
    ):
        cube(
            {(0, 1): np.ones((3, 2), dtype=int)},
            levels={0: {"half": [0, 0, 1]}},
            fixed={(0,): {0: 2, 1: 3}, ((0, "half"),): {0: 9}},
        )
    Margins((3,), [((0, None),)], {})
