"""Section 8: Bayesian models, range queries and composition, against enumeration."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from discreet import design
from discreet.papers.cormode2019.bayes_models import (
    accuracy,
    chow_liu,
    exact_shares,
    grouped,
    information,
    information_kept,
    mutual_information,
    naive_bayes,
    synthetic_people,
    tree_quality,
    whole_table,
)
from discreet.papers.cormode2019.claims_applications import range_loss
from discreet.papers.cormode2019.count_mechanisms import matrix

PEOPLE = synthetic_people(400, 4, seed=3)


def test_naive_bayes_is_bayes_rule() -> None:
    """Products of conditional shares, person by person."""
    assigned = naive_bayes(PEOPLE, exact_shares)
    for person, found in list(zip(PEOPLE, assigned, strict=True))[:60]:
        chances = []
        for label in (False, True):
            same = PEOPLE[PEOPLE[:, 0] == label]
            others = [float((same[:, k] == person[k]).mean()) for k in range(1, 4)]
            chances.append(len(same) / len(PEOPLE) * math.prod(others))
        assert found == (chances[1] > chances[0])
    assert accuracy(PEOPLE, exact_shares) == float((assigned == PEOPLE[:, 0]).mean())


def test_the_chow_liu_tree_is_the_best_of_all_trees() -> None:
    """All 125 trees on five attributes."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        weights = rng.random((5, 5))
        weights += weights.T
        found = chow_liu(weights)
        pairs = list(combinations(range(5), 2))
        trees = [edges for edges in combinations(pairs, 4) if _connects(edges)]
        assert len(trees) == 125
        best = max(sum(weights[edge] for edge in edges) for edges in trees)
        assert _connects(tuple(found))
        assert sum(weights[edge] for edge in found) == pytest.approx(best)


def _connects(edges: tuple[tuple[int, int], ...]) -> bool:
    reached = {0}
    for _ in edges:
        reached |= {b for a, b in edges if a in reached} | {a for a, b in edges if b in reached}
    return len(reached) == 5


def test_mutual_information_of_equal_and_of_independent_attributes() -> None:
    assert mutual_information(np.array([0.5, 0, 0, 0.5])) == pytest.approx(math.log(2))
    assert mutual_information(np.array([0.06, 0.14, 0.24, 0.56])) == pytest.approx(0)
    assert information(PEOPLE, exact_shares)[0, 1] > information(PEOPLE, exact_shares)[0, 3]


def test_grouped_counts_have_the_mean_of_the_mechanism() -> None:
    """Groups of 4 with known counts: the published shares are near the expected outputs."""
    cells = np.tile(np.array([0, 0, 0, 1]), 20_000)
    p = matrix("GM", 4, "0.67")
    means = np.arange(5) @ p
    expected = np.array([means[3], means[1], means[0], means[0]])
    assert grouped(p, seed=1)(cells) == pytest.approx(expected / expected.sum(), abs=0.005)


def test_without_noise_nothing_is_lost() -> None:
    assert grouped(np.eye(9), seed=1)(np.arange(80) % 4) == pytest.approx([0.25] * 4)
    assert tree_quality(PEOPLE, exact_shares) == 1
    assert information_kept(PEOPLE, exact_shares) == 1
    assert information_kept(PEOPLE, grouped(np.eye(5), seed=1)) == pytest.approx(1, rel=1e-9)
    assert whole_table(1e-9, seed=1)(np.arange(80) % 4) == pytest.approx([0.25] * 4)


def test_a_changed_answer_changes_two_cells() -> None:
    """The largest log ratio of two published cells is exactly twice the epsilon of one count."""
    mechanism = design.geometric(upper=3, epsilon=1)
    p = mechanism.matrix()
    ratios = [
        p[a, i] * p[b, j] / (p[a, i - 1] * p[b, j + 1])
        for a, b in product(range(4), repeat=2)
        for i, j in product(range(1, 4), range(3))
    ]
    assert math.log(max(ratios)) == pytest.approx(2 * mechanism.epsilon())


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_the_range_loss_counts_ranges(n: int) -> None:
    ranges = [(a, b) for a in range(n + 1) for b in range(a, n + 1)]
    for i, j in product(range(n + 1), repeat=2):
        separated = sum((a <= i <= b) != (a <= j <= b) for a, b in ranges)
        assert range_loss(n)[i, j] == pytest.approx(separated / len(ranges))


def test_mechanisms_for_ranges_are_optimal() -> None:
    """No named mechanism, and no mechanism for another loss, has fewer wrong answers."""
    loss = range_loss(6)
    best = design.constrained(n=6, alpha="0.8", objective=loss).matrix()
    rivals = [design.constrained(n=6, alpha="0.8", objective=kind).matrix() for kind in ("L0", "L1", "L2")]
    rivals += [matrix(name, 6, "0.8") for name in ("GM", "EM", "EM*", "UM")]
    assert all((loss * best).sum() <= (loss * rival).sum() + 1e-7 for rival in rivals)
