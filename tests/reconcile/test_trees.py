"""Hierarchies: additive, non-negative, fixed values met, and fitted by exact least squares."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from discreet.errors import InputError, ParameterError
from discreet.reconcile import tree
from discreet.reconcile.trees import fit_tree


def additive(values: np.ndarray, parent: np.ndarray) -> bool:
    sums = np.zeros_like(values)
    inner = parent >= 0
    np.add.at(sums, parent[inner], values[inner])
    has_children = np.isin(np.arange(len(values)), parent)
    return bool((sums == values)[has_children].all())


def fitted(counts: np.ndarray, parent: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Return the least-squares values, in the order of the nodes."""
    return fit_tree(counts, parent, variance, None, 1)[1]


def incidence(parent: np.ndarray) -> np.ndarray:
    """Return a matrix with a row for each node: 1 for the leaves that the node is the sum of."""
    leaves = np.flatnonzero(~np.isin(np.arange(len(parent)), parent))
    matrix = np.zeros((len(parent), len(leaves)))
    for column, node in enumerate(leaves):
        while node >= 0:
            matrix[node, column] = 1
            node = parent[node]
    return matrix


@st.composite
def trees(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Counts, parents and variances of a small forest, nodes in any order."""
    size = draw(st.integers(1, 24))
    parent = [draw(st.integers(-1, node - 1)) for node in range(size)]
    order = np.array(draw(st.permutations(range(size))))
    new_index = np.argsort(order)
    shuffled = np.array([-1 if parent[node] < 0 else new_index[parent[node]] for node in order])
    counts = np.array(draw(st.lists(st.integers(-8, 30), min_size=size, max_size=size)))
    variance = np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 1.7, 9.0]), min_size=size, max_size=size)))
    return counts, shuffled, variance


@given(trees(), st.integers(0, 5))
def test_any_tree_adds_up(given_tree: Any, seed: int) -> None:
    counts, parent, variance = given_tree
    result = tree(counts, parent, variance=variance, seed=seed)
    assert result.dtype == np.int64
    assert (result >= 0).all()
    assert additive(result, parent)
    assert (np.abs(result - fitted(counts, parent, variance)) < 1 + 1e-6).all()
    assert np.array_equal(result, tree(counts, parent, variance=variance, seed=seed))


@given(trees())
def test_the_fit_is_the_least_squares_of_all(given_tree: Any) -> None:
    counts, parent, variance = given_tree
    matrix, scale = incidence(parent), 1 / np.sqrt(variance)
    _, norm = nnls(matrix * scale[:, None], counts * scale)
    result = fitted(counts, parent, variance)
    assert (result >= 0).all()
    assert np.sum((result - counts) ** 2 / variance) == pytest.approx(norm**2, rel=1e-9, abs=1e-9)


@given(trees(), st.data())
def test_fixed_values_are_met(given_tree: Any, data: st.DataObject) -> None:
    """Values of a tree that adds up, for any choice of nodes, cannot contradict each other."""
    counts, parent, variance = given_tree
    truth = tree(counts, parent, seed=1)
    nodes = data.draw(st.lists(st.integers(0, len(counts) - 1), unique=True))
    fixed = {node: int(truth[node]) for node in nodes}
    noisy = counts + np.array(data.draw(st.lists(st.integers(-9, 9), min_size=len(counts), max_size=len(counts))))
    result = tree(noisy, parent, variance=variance, fixed=fixed, seed=2)
    assert all(result[node] == value for node, value in fixed.items())
    assert additive(result, parent)
    assert (result >= 0).all()


@given(trees(), st.randoms())
def test_the_order_of_nodes_does_not_matter(given_tree: Any, chance: Any) -> None:
    """The result of every node is the same if no two nodes are alike; the set of (count, result) is always the same."""
    counts, parent, variance = given_tree
    order = np.arange(len(counts))
    chance.shuffle(order)
    new_index = np.argsort(order)
    new_parent = np.where(parent[order] < 0, -1, new_index[parent[order]])
    straight = tree(counts, parent, variance=variance, seed=3)
    shuffled = tree(counts[order], new_parent, variance=variance[order], seed=3)
    distinct = 100 * np.arange(len(counts)) + counts
    assert np.array_equal(
        tree(distinct[order], new_parent, variance=variance[order], seed=3),
        tree(distinct, parent, variance=variance, seed=3)[order],
    )
    alike = [sorted(zip(c.tolist(), v.tolist(), r.tolist(), strict=True)) for c, v, r in (
        (counts, variance, straight), (counts[order], variance[order], shuffled))]  # fmt: skip
    assert alike[0] == alike[1]


def balanced(fans: tuple[int, ...]) -> tuple[np.ndarray, list[slice]]:
    """Return the parents of a balanced tree, and where its levels are."""
    parent, levels, start, size = [np.array([-1])], [slice(0, 1)], 0, 1
    for fan in fans:
        parent.append(start + np.repeat(np.arange(size), fan))
        start, size = start + size, size * fan
        levels.append(slice(start, start + size))
    return np.concatenate(parent), levels


def test_the_error_is_not_above_that_of_clipping_at_any_level() -> None:
    """Clipping: negative leaves become 0 and the levels above are their sums, so that clipped trees add up as well."""
    parent, levels = balanced((6, 5, 8))
    generator = np.random.default_rng(7)
    truth = np.zeros(len(parent), dtype=int)
    truth[levels[-1]] = generator.poisson(generator.gamma(0.5, 6, 240))
    clipped_error, error = np.zeros(4), np.zeros(4)
    for below, above in ((3, 2), (2, 1), (1, 0)):
        np.add.at(truth, parent[levels[below]], truth[levels[below]])
        assert truth[levels[above]].sum() == truth[levels[3]].sum()
    for run in range(150):
        noisy = truth + generator.geometric(0.6, len(truth)) - generator.geometric(0.6, len(truth))
        clipped = np.zeros_like(truth)
        clipped[levels[3]] = noisy[levels[3]].clip(0)
        for below in (3, 2, 1):
            np.add.at(clipped, parent[levels[below]], clipped[levels[below]])
        result = tree(noisy, parent, seed=run)
        for depth, level in enumerate(levels):
            error[depth] += ((result - truth)[level] ** 2).mean()
            clipped_error[depth] += ((clipped - truth)[level] ** 2).mean()
    assert (error <= clipped_error).all(), (error, clipped_error)
    assert (error[:3] * 5 < clipped_error[:3]).all()


def test_a_million_tiny_shares_still_add_up() -> None:
    """The remainder of every leaf is too small to see, but their sum is not."""
    parent = np.concatenate([[-1], np.zeros(200_000, dtype=int)])
    counts = np.zeros(200_001, dtype=int)
    counts[0] = 7
    for fixed in (None, {0: 7}, {0: 7, 5: 0, 6: 3}):
        result = tree(counts, parent, fixed=fixed, variance=[1e-9, 1.0], seed=1)
        assert result[0] == result[1:].sum() == 7
    deep = np.concatenate([[-1], np.zeros(3, dtype=int), np.repeat([1, 2, 3], 100_000)])
    counts = np.zeros(len(deep), dtype=int)
    counts[0] = 1
    result = tree(counts, deep, fixed={0: 1, 4: 0}, seed=2)
    assert additive(result, deep)
    assert (result[0], result[4]) == (1, 0)


def test_variances_may_be_given_by_node_by_level_or_by_depth() -> None:
    parent = [-1, 0, 0, 1, 1, 2, 2]
    counts = [50, 20, 21, 3, 30, 9, 9]
    by_node = tree(counts, parent, variance=[1, 2, 2, 5, 5, 5, 5], seed=1)
    assert np.array_equal(by_node, tree(counts, parent, variance=[1, 2, 5], seed=1))
    assert np.array_equal(by_node, tree(counts, parent, variance={0: 1, 1: 2, 2: 5}, seed=1))


def test_a_node_not_measured_is_the_sum_of_its_children() -> None:
    result = tree([-999, 4, 5, 11], [-1, 0, 0, -1], variance=[np.inf, 1, 1, 1], seed=1)
    assert result.tolist() == [9, 4, 5, 11]


@pytest.mark.parametrize(
    ("counts", "parent", "named"),
    [
        ([1, 2], [-1], r"\(2,\).*\(1,\)"),
        ([], [], r"\(0,\)"),
        ([1, 2], [1, 0], r"\(0 -> 1 -> 0\)"),
        ([1, 2, 3], [-1, 1, 0], r"\(1 -> 1\)"),
        ([1, 2], [-1, 7], "node 1 .* parent 7"),
        ([1, 2], [-1, -2], "node 1 .* parent -2"),
        ([1, float("nan")], [-1, 0], "nan"),
        ([1, 2.5], [-1, 0], "2.5"),
        ([[1], [2]], [[-1], [0]], r"\(2, 1\)"),
        ([1, 2], [-1, 0.5], r"parent: 0\.5"),
        (np.ma.masked_equal([1, 2], 2), [-1, 0], "counts: .*masked"),
        ([2**42, 2**41, 2**42], [-1, 0, 0], r"leaves .*6\.6e\+12"),
    ],
)
def test_bad_trees_are_refused(counts: Any, parent: Any, named: str) -> None:
    with pytest.raises(InputError, match=named):
        tree(counts, parent)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"variance": 0}, "variance .* 0;"),
        ({"variance": [1, -1, 1, 1]}, "variance .* -1;"),
        ({"variance": [1, float("nan"), 1, 1]}, "variance .* nan;"),
        ({"variance": [1, 1, 1]}, r"variance .*\(3,\).* 4 nodes or 2 levels"),
        ({"variance": {0: 1}}, r"variance .*\[0\]"),
        ({"variance": [1, 1, 1, np.inf]}, "node 3 .* inf"),
        ({"variance": "x"}, "variance is 'x'"),
        ({"fixed": {0: 5, 1: 6}}, "fixed .*node 0 .* 5, .* at least 6"),
        ({"fixed": {0: 9, 1: 1, 2: 1, 3: 1}}, "fixed .*node 0 .* 9, .* at most 3"),
        ({"fixed": {0: -1}}, "node 0 is fixed at -1"),
        ({"fixed": {0: 1.5}}, r"node 0 is fixed at 1\.5"),
        ({"fixed": {9: 1}}, "fixed .*node 9"),
        ({"fixed": {True: 1}}, "fixed .*node True"),
        ({"fixed": [9]}, r"fixed is \[9\]"),
        ({"variance": {"a": 1, 0: 2}}, r"variance .*\['a', 0\]"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        tree([9, 3, 3, 3], [-1, 0, 0, 0], **options)


def test_ties_are_fair() -> None:
    """Three leaves have an equal claim to one unit: the seed decides, and no leaf has an advantage."""
    results = [tree([4, 1, 1, 1], [-1, 0, 0, 0], seed=seed)[1:].tolist() for seed in range(300)]
    assert {tuple(leaves) for leaves in results} == {(2, 1, 1), (1, 2, 1), (1, 1, 2)}
    assert all(70 < sum(leaves[index] == 2 for leaves in results) < 130 for index in range(3))
