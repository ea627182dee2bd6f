"""Section 8: naive Bayes classifiers and Chow-Liu trees from private counts.

As the paper describes it: people are put into groups of n; in every group each cell of a joint distribution of two
binary attributes is counted and published by a mechanism on 0..n; the published counts are averaged over the groups.
`whole_table` is ours: one count a cell for all people together, with two-sided geometric noise of the same alpha.
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats

People = npt.NDArray[np.bool_]
"""One row a person, one column a binary attribute. The first attribute is the class of the classifier."""

SMALLEST = 1e-9
"""The share of a cell in which nobody is, so that it has a logarithm."""

JointShares = Callable[[npt.NDArray[np.int64]], Floats]
"""Estimate the shares of the four cells (0, 0), (0, 1), (1, 0), (1, 1) from everybody's cell, 0 to 3."""


def exact_shares(cells: npt.NDArray[np.int64]) -> Floats:
    """Return the true shares."""
    return np.bincount(cells, minlength=4) / len(cells)


def grouped(mechanism: Floats, seed: int) -> JointShares:
    """Return an estimator that publishes every group's counts by a mechanism on 0..n, and averages."""
    n, rng = len(mechanism) - 1, np.random.default_rng(seed)
    cumulative = np.cumsum(mechanism, axis=0)

    def shares(cells: npt.NDArray[np.int64]) -> Floats:
        groups = len(cells) // n
        together = cells[: groups * n].reshape(groups, n)
        counts = (together[:, :, None] == np.arange(4)).sum(axis=1)
        drawn = (rng.random(counts.shape)[..., None] > cumulative.T[counts][..., :-1]).sum(axis=-1)
        return _proper(drawn.mean(axis=0))

    return shares


def whole_table(alpha: float, seed: int) -> JointShares:
    """Return an estimator that publishes one count a cell for all people, with two-sided geometric noise."""
    rng = np.random.default_rng(seed)

    def shares(cells: npt.NDArray[np.int64]) -> Floats:
        noise = rng.geometric(1 - alpha, 4) - rng.geometric(1 - alpha, 4)
        return _proper(np.bincount(cells, minlength=4) + noise)

    return shares


def _proper(counts: Floats) -> Floats:
    """Return counts as shares, each above 0."""
    positive = np.maximum(counts, 1e-3)
    return np.asarray(positive / positive.sum())


def naive_bayes(people: People, shares: JointShares) -> npt.NDArray[np.bool_]:
    """Return the class that the classifier assigns to every person."""
    classes = people[:, 0].astype(np.int64)
    score = np.zeros(len(people))
    priors = []
    for column in range(1, people.shape[1]):
        joint = np.maximum(shares(2 * classes + people[:, column]).reshape(2, 2), SMALLEST)
        priors.append(joint.sum(axis=1))
        conditional = np.log(joint / joint.sum(axis=1, keepdims=True))
        difference = conditional[1] - conditional[0]
        score += difference[people[:, column].astype(np.int64)]
    prior = np.mean(priors, axis=0)
    return np.asarray(score + np.log(prior[1] / prior[0]) > 0)


def accuracy(people: People, shares: JointShares) -> float:
    """Return the share of people whose class the classifier finds."""
    return float((naive_bayes(people, shares) == people[:, 0]).mean())


def mutual_information(joint: Floats) -> float:
    """Return the mutual information of two binary attributes, in nats, from the shares of the four cells."""
    table = joint.reshape(2, 2)
    independent = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
    seen = table > 0
    return float((table[seen] * np.log(table[seen] / independent[seen])).sum())


def information(people: People, shares: JointShares) -> Floats:
    """Return the estimated mutual information of every pair of attributes."""
    size = people.shape[1]
    estimates = np.zeros((size, size))
    for a, b in combinations(range(size), 2):
        joint = shares(2 * people[:, a].astype(np.int64) + people[:, b])
        estimates[a, b] = estimates[b, a] = mutual_information(joint)
    return estimates


def chow_liu(weights: Floats) -> list[tuple[int, int]]:
    """Return the edges of a tree over all attributes with the largest sum of weights (Prim's algorithm)."""
    inside, edges = {0}, []
    while len(inside) < len(weights):
        outside = [b for b in range(len(weights)) if b not in inside]
        best = max(((a, b) for a in sorted(inside) for b in outside), key=lambda edge: float(weights[edge]))
        edges.append(best)
        inside.add(best[1])
    return edges


def tree_quality(people: People, shares: JointShares) -> float:
    """Return the true mutual information on the edges of a private tree, as part of that of the best tree."""
    true = information(people, exact_shares)
    private = chow_liu(information(people, shares))
    return float(sum(true[edge] for edge in private) / sum(true[edge] for edge in chow_liu(true)))


def information_kept(people: People, shares: JointShares) -> float:
    """Return the estimated mutual information on the edges of the best tree, as part of the true one."""
    true = information(people, exact_shares)
    estimated, edges = information(people, shares), chow_liu(true)
    return float(sum(estimated[edge] for edge in edges) / sum(true[edge] for edge in edges))


def synthetic_people(size: int = 10_000, attributes: int = 7, seed: int = 2019) -> People:
    """Return people whose attributes form a chain: each repeats the one before it with probability .6 to .85."""
    rng = np.random.default_rng(seed)
    people = np.empty((size, attributes), dtype=np.bool_)
    people[:, 0] = rng.random(size) < 0.35
    for column in range(1, attributes):
        kept = rng.random(size) < 0.6 + 0.25 * (column - 1) / (attributes - 2)
        people[:, column] = np.where(kept, people[:, column - 1], rng.random(size) < 0.3)
    return people
