"""Quantise a square matrix so that its promise and its properties hold exactly in integers.

An optimal mechanism P sits on the boundary of its constraints (p <= E q for neighbours, and the constraints of each of
the seven properties that P has), where any rounding may cross. So P is first moved a little way towards an interior
mechanism Q,

    (1 - theta) P + theta Q,      Q = 1/(n+1) + t A,

    A[i,j] = i - j/2  (i < j),   n/2  (i = j),   (n+j)/2 - i  (i > j).

The columns of A sum to 0, the diagonal of A is constant, A is symmetric under (i,j) -> (n-i,n-j), and A falls by at
least 1 down each column and 1/2 along each row away from the diagonal. So Q has all seven properties strictly, and for
small t Q is strictly within E. Every column is then rounded by largest remainder. F (one integer on the whole diagonal)
and S (mirrored columns; the middle one a palindrome with the parity in its centre) are kept by construction, and every
constraint is checked in integers. theta = 0 is tried first. Then floats choose theta and t (and nothing else), and if
the check fails, theta doubles.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.certify.rounding import GUARD, largest_remainders

ExactIntegers = npt.NDArray[np.object_]

RESOLUTION = 2.0**-50
"""Slack that the floats that choose theta cannot tell from 0."""

_STEEPNESS = [Fraction(k, 8) for k in range(8)]


def quantise(
    scaled: ExactIntegers, bits: int, exp_epsilon: Fraction | None, distances: int, properties: frozenset[str]
) -> ExactIntegers | None:
    """Return integer weights whose columns sum to 2**bits and keep all constraints; None if no theta gives them.

    Parameters
    ----------
    scaled
        P[i, j] * 2**(bits + GUARD), floored.
    exp_epsilon
        E if P is purely private at E. None: only the properties bind.
    distances
        Neighbouring columns are at most this far apart.
    properties
        The properties that the weights must have.
    """
    constraints = Constraints(len(scaled), exp_epsilon, distances, properties)
    theta, interior = constraints.interior(scaled, bits)
    for factor in (0, Fraction(1, 2), 1, 2, 4, 8):
        share = min(factor * theta, Fraction(1))
        scaled_share = (share.numerator << GUARD) // share.denominator
        mixed = (scaled * ((1 << GUARD) - scaled_share) + interior * scaled_share) >> GUARD
        weights = _round(mixed, bits, properties)
        if constraints.hold(weights, bits):
            return weights
        if share == 1:
            break
    return None


class Constraints:
    """The constraints of a matrix: differences of its entries that must not be negative."""

    def __init__(self, size: int, exp_epsilon: Fraction | None, distances: int, properties: frozenset[str]) -> None:
        self.size = size
        self.exp_epsilon = exp_epsilon
        self.distances = distances
        self.properties = properties

    def slacks(
        self, matrix: npt.NDArray[Any], up: Any, down: Any, total: Any
    ) -> Iterator[tuple[npt.NDArray[Any], int]]:
        """Yield every family of slacks, with the units of slack before rounding that keep the constraints after it.

        Both sides of p <= E q move by less than one unit. Rounding keeps the order of two entries of a column, and the
        order of two entries of a row to within one unit.

        Parameters
        ----------
        matrix
            Entries, as integers or as floats.
        up, down
            E is up / down.
        total
            The sum of a column.
        """
        i, j = np.arange(self.size)[:, None], np.arange(self.size)[None, :]
        truth = np.diagonal(matrix)
        if self.exp_epsilon is not None:
            for distance in range(1, self.distances + 1):
                left, right = matrix[:, :-distance], matrix[:, distance:]
                yield left * up - right * down, 2
                yield right * up - left * down, 2
            if "CP" in self.properties:
                yield matrix[:-1] * up - matrix[1:] * down, 2
                yield matrix[1:] * up - matrix[:-1] * down, 2
        if "RH" in self.properties:
            yield _off_diagonal(truth[:, None] - matrix), 1
        if "CH" in self.properties:
            yield _off_diagonal(truth[None, :] - matrix), 0
        if "RM" in self.properties:
            step = matrix[:, :-1] - matrix[:, 1:]
            yield np.where((i <= j)[:, :-1], step, -step), 1
        if "CM" in self.properties:
            step = matrix[:-1, :] - matrix[1:, :]
            yield np.where((i >= j)[:-1, :], step, -step), 0
        if "WH" in self.properties:
            yield truth * self.size - total, self.size

    def hold(self, weights: ExactIntegers, bits: int) -> bool:
        """Return True if all constraints hold exactly and no weight is negative."""
        up, down = (1, 1) if self.exp_epsilon is None else (self.exp_epsilon.numerator, self.exp_epsilon.denominator)
        slacks = self.slacks(weights, up, down, 1 << bits)
        return bool((weights >= 0).all()) and all(bool((slack >= 0).all()) for slack, _ in slacks)

    def interior(self, scaled: ExactIntegers, bits: int) -> tuple[Fraction, ExactIntegers]:
        """Return the share theta of Q that gives every constraint its slack, and Q scaled as P is, at the best t."""
        n = self.size - 1
        alpha = Fraction(0) if self.exp_epsilon is None else 1 / self.exp_epsilon
        steepest = 2 * (1 - alpha) / (n + 1) ** 2
        binding = self.properties & {"RH", "RM", "CH", "CM", "WH"}
        mechanism = scaled.astype(np.float64) / 2.0 ** (bits + GUARD)
        thetas = {}
        for part in _STEEPNESS if binding else _STEEPNESS[:1]:
            t = part * steepest
            interior = _twice_a(n).astype(np.float64) * float(t / 2) + 1 / (n + 1)
            thetas[t] = self._least_theta(mechanism, interior, float(alpha), bits)
        best = min(thetas, key=lambda t: thetas[t])
        return Fraction(min(thetas[best], 1.0)).limit_denominator(1 << 60), _interior(n, best, bits)

    def _least_theta(
        self, mechanism: npt.NDArray[np.float64], interior: npt.NDArray[np.float64], alpha: float, bits: int
    ) -> float:
        """Return the least theta at which (1 - theta) mechanism + theta interior has the slack; 1 if there is none."""
        theta = 0.0
        slacks = zip(self.slacks(mechanism, 1.0, alpha, 1.0), self.slacks(interior, 1.0, alpha, 1.0), strict=True)
        for (slack, units), (interior_slack, _) in slacks:
            need = units * 2.0**-bits + RESOLUTION
            short = slack < need
            if not short.any():
                continue
            gain = interior_slack[short] - slack[short]
            if (interior_slack[short] <= need).any():
                return 1.0
            theta = max(theta, float(((need - slack[short]) / gain).max()))
        return theta


def _off_diagonal(square: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return square[~np.eye(len(square), dtype=bool)]


def _twice_a(n: int) -> npt.NDArray[np.int64]:
    """Return 2 A of the module's docstring."""
    i, j = np.indices((n + 1, n + 1))
    return np.where(i < j, 2 * i - j, np.where(i > j, n + j - 2 * i, n))


def _interior(n: int, t: Fraction, bits: int) -> ExactIntegers:
    """Return Q of the module's docstring, scaled."""
    numerators = 2 * t.denominator + (n + 1) * t.numerator * _twice_a(n).astype(object)
    return np.asarray((numerators << (bits + GUARD)) // ((n + 1) * 2 * t.denominator))


def _round(mixed: ExactIntegers, bits: int, properties: frozenset[str]) -> ExactIntegers:
    """Return columns of integers that sum to 2**bits, with F and S by construction."""
    n, total = len(mixed) - 1, 1 << bits
    symmetric, fair = "S" in properties, "F" in properties
    truth = -(-max(np.diagonal(mixed)) >> GUARD)
    if fair and symmetric and n % 2 == 0:
        truth += truth % 2
    weights = np.empty_like(mixed)
    for j in range(n // 2 + 1 if symmetric else n + 1):
        column = list(mixed[:, j])
        if symmetric and 2 * j == n:
            weights[:, j] = _palindrome(column, total, truth if fair else None)
        elif fair:
            others = largest_remainders(column[:j] + column[j + 1 :], total - truth, j)
            weights[:, j] = [*others[:j], truth, *others[j:]]
        else:
            weights[:, j] = largest_remainders(column, total, j)
        if symmetric:
            weights[:, n - j] = weights[::-1, j]
    return weights


def _palindrome(column: list[int], total: int, truth: int | None) -> list[int]:
    """Return the middle column: mirrored halves around `truth`, or, for None, around a centre of the right parity."""
    middle = len(column) // 2
    half = [(above + below) // 2 for above, below in zip(column[:middle], column[:middle:-1], strict=True)]
    if truth is None:
        rest = total - sum(value >> GUARD for value in half) * 2
        centre = column[middle] >> GUARD
        truth = centre + (rest - centre) % 2
    side = largest_remainders(half, (total - truth) // 2, middle)
    return [*side, truth, *reversed(side)]
