"""Posteriors of two true counts: the paper's brute force, and algorithm 1, which the paper leaves for later.

Known values (004.table4.*, 004.table5.*) were found once by other programs.
"""

from typing import Any

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.infer import wang_pair
from discreet.papers.wang2020.algorithm_1_posterior import algorithm_1
from discreet.papers.wang2020.posterior_grid import RELEASED, grid, most_probable
from discreet.papers.wang2020.repeated_runs import noisy
from discreet.reconcile import wang
from tests.papers.wang2020.enumerated import enumerated


@pytest.mark.parametrize("algorithm", ["1i", "1c"])
@pytest.mark.parametrize("released", [(1, 2), (0, 2)])
def test_algorithm_1_beside_a_sum_over_everything_that_can_happen(algorithm: Any, released: tuple[int, int]) -> None:
    known = enumerated(released, algorithm, epsilon=3, far=7)
    one, other, table = algorithm_1(released, algorithm=algorithm, epsilon=3)
    assert table.sum() == pytest.approx(1, rel=1e-12)
    for (first, second), chance in known.items():
        assert table[one == first, other == second][0] == pytest.approx(chance, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("algorithm", ["1i", "1c"])
def test_algorithm_1_beside_releases_of_known_counts(algorithm: Any) -> None:
    """Release all pairs of counts up to 7 many times, and count the pairs behind the releases of (3, 5)."""
    pairs = np.stack(np.meshgrid(np.arange(8), np.arange(8), indexing="ij"), axis=-1).reshape(-1, 2)
    true = np.repeat(pairs, 4_000, axis=0)
    components, totals = zip(*(noisy(pair, 4_000, seed) for seed, pair in enumerate(pairs)), strict=True)
    found = wang(np.concatenate(components), np.concatenate(totals), epsilon=1, algorithm=algorithm, seed=5)
    behind = true[(found == (3, 5)).all(axis=1)]
    table = algorithm_1((3, 5), algorithm=algorithm)[2]
    inside = table[:8, :8] / table[:8, :8].sum()
    counts = np.zeros((8, 8))
    np.add.at(counts, (behind[:, 0], behind[:, 1]), 1)
    assert len(behind) > 2_500
    expected = inside * len(behind)
    assert ((counts - expected) ** 2 / expected).sum() < 63 + 5 * np.sqrt(2 * 63)


def test_the_table_of_algorithm_1_is_symmetric_in_the_components() -> None:
    for algorithm in ("1i", "1c"):
        table = algorithm_1((2, 6), algorithm=algorithm)[2]
        swapped = algorithm_1((6, 2), algorithm=algorithm)[2]
        np.testing.assert_allclose(table, swapped.T, rtol=1e-9, atol=1e-18)


@pytest.mark.parametrize(
    ("released", "options", "named"),
    [
        ([1, 2, 3], {}, "3"),
        ([4], {}, "1"),
        ([1, -2], {}, "-2"),
        ([1, 2.5], {}, "2.5"),
        ([1, float("nan")], {}, "nan"),
        (["a", "b"], {}, "a"),
        ([600, 500], {}, "1100"),
        ([1, 2], {"epsilon": 0.1}, "0.1"),
        ([1, 2], {"algorithm": "2"}, "'2'"),
    ],
)
def test_algorithm_1_refuses_by_the_value(released: Any, options: dict[str, Any], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        algorithm_1(released, **{"algorithm": "1i", **options})


@pytest.mark.parametrize(
    ("algorithm", "window", "pair", "chance"),
    [
        ("2", 10, (250, 357), 0.025596655010107456), ("2", 10, (255, 352), 0.023532307452206035),
        ("2", 10, (246, 361), 0.024243862697789453), ("2", 30, (250, 357), 0.015376612630300381),
        ("2", 30, (251, 356), 0.01532500337420217), ("2", 30, (255, 352), 0.014136502439354636),
        ("2", 100, (250, 357), 0.015173562186056672), ("2", 100, (249, 358), 0.015122116212055491),
        ("3", 30, (250, 357), 0.21355257664138758), ("3", 30, (251, 356), 0.12822200282843108),
        ("3", 30, (251, 357), 0.078561606088188), ("3", 30, (250, 356), 0.07856159518591366),
        ("3", 30, (249, 358), 0.06543927521013311), ("3", 30, (250, 358), 0.04717024227903908),
        ("3", 30, (249, 357), 0.04717023137676467), ("3", 30, (251, 358), 0.02890120104483656),
        ("3", 30, (249, 356), 0.028901188667099762), ("3", 30, (252, 355), 0.026546203970680898),
    ],
)  # fmt: skip
def test_the_grid_of_section_3_2(algorithm: Any, window: int, pair: tuple[int, int], chance: float) -> None:
    one, other, table = grid(algorithm, window)
    assert table[one == pair[0], other == pair[1]][0] == pytest.approx(chance, rel=1e-11)


def test_random_ties_are_even() -> None:
    """Known values 004.table5_randomties.*: a window of 30 leaves out less than 1e-12."""
    one, other, table = wang_pair(RELEASED, epsilon=1, algorithm="3", ties="random")
    for first, second, chance in (
        (250, 357, 0.21355257664138758),
        (249, 358, 0.0811349571147076),
        (251, 357, 0.06286592418361356),
        (251, 358, 0.02890120104483656),
        (249, 356, 0.028901188667099762),
    ):
        assert table[one == first, other == second][0] == pytest.approx(chance, rel=1e-10)


def test_the_window_of_table_4_is_10_and_no_other() -> None:
    """The printed 0.03 and 0.02 come out for one width of the window only."""
    printed = [0.03] * 5 + [0.02] * 5
    widths = []
    for window in range(5, 41):
        found = list(most_probable(*grid("2", window)).values())
        if [round(chance, 2) for chance in found] == printed:
            widths.append(window)
    assert widths == [10]
