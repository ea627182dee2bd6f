"""The mechanisms of Cormode 2019 and their expected errors, each computed once.

P[i, j] = Pr[output i | true count j] on 0..n, and alpha = exp(-epsilon). Nothing is simulated: the expected error on
data is a sum over the distribution of the true counts, which is binomial, equal, or that of groups of real people.
"""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from discreet import design
from discreet.arrays import Floats
from discreet.certify.table import PROPERTIES
from discreet.mechanism import Mechanism

WEAK, COLUMNS = "WM (WH)", "WM (WH, RM, CM)"
NAMES = ("GM", WEAK, COLUMNS, "EM", "EM*", "UM")
"""The paper's mechanisms, WM in both readings, and EM*, which is ours."""

PAPER_NAMES = ("GM", WEAK, COLUMNS, "EM", "UM")

COMBINATIONS = ("WH", "WH+RH", "WH+RM", "CH", "CM", "RH+CH", "RH+CM", "RM+CH", "RM+CM")
"""Section 7.1: the nine sets with weak honesty and without fairness, written without what they imply."""

OBJECTIVE_SETS: dict[str, tuple[str, ...]] = {"UCM": (), "WM": ("WH",), "FM": ("F",), "AM": PROPERTIES}
"""Section 7.4: the properties of the mechanisms for L1 and L2."""

Objective = str | tuple[str, int]


@cache
def named(name: str, n: int, alpha: str) -> Mechanism:
    """Return one of NAMES on 0..n."""
    if name == "GM":
        return design.geometric(upper=n, alpha=alpha)
    if name == "UM":
        return design.uniform(n=n)
    if name.startswith("EM"):
        return design.fair(n=n, alpha=alpha, variant="paper" if name == "EM" else None)
    return design.weakly_honest(n=n, alpha=alpha, columns=name == COLUMNS)


@cache
def matrix(name: str, n: int, alpha: str) -> Floats:
    """Return P of one of NAMES. Callers must not change the array."""
    return named(name, n, alpha).matrix()


@cache
def optimal(n: int, alpha: str, objective: Objective, properties: tuple[str, ...]) -> Mechanism:
    """Return the mechanism of least loss with the properties."""
    return design.constrained(n=n, alpha=alpha, objective=objective, properties=properties)


@cache
def least_wrong(n: int, alpha: str, properties: str) -> float:
    """Return the least L0 with properties such as "WH+RM". A linear program is solved, never a closed form used."""
    separate = tuple(filter(None, properties.split("+")))
    return design.constrained(n=n, alpha=alpha, properties=separate, objective=powers(0, n)).loss("L0")


@cache
def distances(n: int) -> Floats:
    """Return |i - j| for outputs i and true counts j in 0..n."""
    return np.asarray(np.abs(np.subtract.outer(np.arange(n + 1.0), np.arange(n + 1.0))))


def powers(power: int, n: int) -> Floats:
    """Return the loss |i - j|^power, with 0^0 = 0."""
    return np.where(distances(n) > 0, distances(n) ** power, 0.0)


@cache
def binomial(n: int, p: float) -> Floats:
    """Return the distribution of a count of n people of whom each has the attribute with probability p."""
    return np.array([math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


def mass_beyond(mechanism: Floats, d: int, counts: Floats) -> float:
    """Return the probability of an error of more than d, for a distribution of the true counts."""
    return float((np.where(distances(len(mechanism) - 1) > d, mechanism, 0.0)).sum(axis=0) @ counts)


def tail_loss(mechanism: Floats, power: int, d: int, counts: Floats) -> float:
    """Return the expected |error|^power of errors of more than d."""
    apart = distances(len(mechanism) - 1)
    return float((np.where(apart > d, apart**power, 0.0) * mechanism).sum(axis=0) @ counts)


def root_mean_square(mechanism: Floats, counts: Floats) -> float:
    """Return the root of the mean squared error."""
    return math.sqrt(tail_loss(mechanism, 2, 0, counts))


def error_histogram(mechanism: Floats, counts: Floats) -> Floats:
    """Return the probabilities of the errors -n, ..., 0, ..., n (output minus true count)."""
    n = len(mechanism) - 1
    return np.array([np.diagonal(mechanism * counts, -e).sum() for e in range(-n, n + 1)])


def truth(mechanism: Floats) -> float:
    """Return the probability of the true count if all counts are equally likely."""
    return float(mechanism.trace()) / len(mechanism)


def epsilon_of(alpha: str) -> float:
    """Return -ln(alpha) of a decimal or a fraction such as "10/11"."""
    return -math.log(value(alpha))


def value(alpha: str) -> float:
    """Return alpha as a float."""
    over, _, under = alpha.partition("/")
    return float(over) / float(under or 1)


def has_properties(name: str, n: int, alphas: Sequence[str]) -> dict[str, list[bool]]:
    """Return for each property whether the mechanism has it, alpha by alpha."""
    sets = [named(name, n, alpha).properties() for alpha in alphas]
    return {one: [one in properties for properties in sets] for one in PROPERTIES}
