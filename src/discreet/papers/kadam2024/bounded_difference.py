"""Kadam 2024's closed forms for the differences 1..mu, one-sided: Lemma 4, Theorem 3, Corollary 2, and what is right.

n = b mu + r. A staircase has values alpha^i times f(0) on its level i. Lemma 4's levels 0, 1, ... b, b + 1 have the
lengths 1, mu, ... mu, r. If the last value of level i may exceed (be more than E times what lies mu behind it), level
i + 1 is shorter by one, and all that follows moves forward.

Theorem 3's flat noise (h, j) lets the levels b - h, ... b - 1 exceed, without b - h + j. Between flat noises, the last
value of level b - h + j falls until it belongs to the next level.

What is right, for any n and mu (`optimum`). Let S be a set of values that exceed, at most one a level and the last of
it, and not one of the last mu values, which are followed by 0. W_S is the staircase with these values, not normalised,
1/f_S its sum, and xi_S the sum of its values in S. Program (13) has the optimum

    f(0) = max_S min(f_S, delta / xi_S).

For delta < f_S xi_S the noise is f(0) (W_S + t (W_S' - W_S)), where S' leaves out the last value of S and t makes the
sum one: inequalities that hold for W_S and for W_S' hold between them. Read the other way round, the least delta for
an error rate rho is (1 - rho) min {xi_S : f_S >= 1 - rho}.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from discreet.arrays import Floats

Lengths = tuple[int, ...]


@dataclass(frozen=True)
class Section:
    """Theorem 3 at h and j, for one n, mu and epsilon. `h` runs from 1 to b - 1, `j` from 1 to h."""

    n: int
    mu: int
    epsilon: float
    h: int
    j: int

    @property
    def b(self) -> int:
        """Number of whole levels."""
        return self.n // self.mu

    @property
    def r(self) -> int:
        """Number of values beyond the whole levels."""
        return self.n % self.mu

    @property
    def alpha(self) -> float:
        """e**-epsilon."""
        return math.exp(-self.epsilon)

    @property
    def before(self) -> "Section":
        """The section before this one; the section (0, 0) is Lemma 4."""
        h, j = (self.h, self.j - 1) if self.j > 1 else (self.h - 1, self.h - 1)
        return Section(self.n, self.mu, self.epsilon, h, j)

    def xi(self, terms: int) -> float:
        """1 + alpha + ... of so many terms."""
        return math.fsum(self.alpha**i for i in range(terms))

    def flat_lengths(self) -> Lengths:
        """Return (31): lengths of the levels 0..b + 1 of the flat noise. For (0, 0) they are those of Lemma 4."""
        whole = self.b - self.h + self.j + 1
        levels = [self.mu if i <= self.b - self.h or i == whole else self.mu - 1 for i in range(1, self.b + 1)]
        return (1, *levels, self.r + self.h - (self.j != self.h))

    def flat(self) -> Floats:
        """Return the flat noise (30)."""
        return staircase(self.flat_lengths(), self.epsilon)

    def first(self) -> float:
        """Return f(0) of the flat noise by the sum in (34)."""
        return float(self.flat()[0])

    def first_as_printed(self) -> float:
        """Return f(0) of the flat noise by the closed form in (34), with (35) and (36) as printed."""
        a, b, h, j, u = self.alpha, self.b, self.h, self.j, int(self.j != self.h)
        levels = a * self.xi(b) - (1 - u) * a ** (b - h + j + 1)
        rest = 1 + a ** (b - h + 1) * (a**j - self.xi(h)) + (self.r + h - u) * a ** (b + 1)
        return 1 / (self.mu * levels + rest)

    def low(self) -> float:
        """Return (37c): the delta at which the flat region begins."""
        return self.first() * self.alpha ** (self.b - self.h) * self.xi(self.j)

    def high(self) -> float:
        """Return (37a) or (37b): the delta at which the flat region ends."""
        if self.j == self.h:
            return self.first() * self.alpha ** (self.b - self.h - 1)
        return self.first() * self.alpha ** (self.b - self.h) * self.xi(self.j + 1)

    def linear_lengths(self, as_printed: bool = False) -> Lengths:
        """Return (38): lengths of the groups 0..b + 2 in the linear region before the flat one.

        The printed range of the groups of length mu - 1 ends at b. It has to end at b + 1.
        """
        alone = self.b - self.h + self.j + 1
        last = self.b if as_printed else self.b + 1
        groups = [
            self.mu if i <= self.b - self.h else 1 if i == alone else self.mu - 1 if i <= last else 0
            for i in range(1, self.b + 2)
        ]
        return (1, *groups, self.r + self.h - 1)

    def linear(self, delta: float) -> Floats:
        """Return (39): the noise in the linear region before the flat one, with the lengths (38) put right."""
        alone = self.b - self.h + self.j + 1
        levels = np.array([i if i < alone else i - 1 for i in range(self.b + 3)])
        values = delta * self.alpha ** (levels - (self.b - self.h)) / self.xi(self.j)
        lengths = np.array(self.linear_lengths())
        values[alone] = 0
        values[alone] = 1 - math.fsum(lengths * values)
        return np.repeat(values, lengths)


def sections(n: int, mu: int, epsilon: float) -> list[Section]:
    """Return all sections of Theorem 3: b (b - 1) / 2 of them."""
    return [Section(n, mu, epsilon, h, j) for h in range(1, n // mu) for j in range(1, h + 1)]


def staircase(lengths: Lengths, epsilon: float) -> Floats:
    """Return noise that falls by alpha from level to level."""
    weights = np.exp(-epsilon * np.repeat(np.arange(len(lengths)), lengths))
    return np.asarray(weights / math.fsum(weights))


def lemma_4(n: int, mu: int, epsilon: float) -> Floats:
    """Return the purely private noise (28)-(29)."""
    return Section(n, mu, epsilon, 0, 0).flat()


def theorem_3_first(n: int, mu: int, epsilon: float, delta: float) -> float:
    """Return f(0) that Theorem 3 states for a delta, with the sums in (34)."""
    known = [Section(n, mu, epsilon, 0, 0), *sections(n, mu, epsilon)]
    for section in known:
        if section.h and delta < section.low():
            return delta / (section.alpha ** (section.b - section.h) * section.xi(section.j))
        if delta <= section.high():
            return section.first()
    return delta


def corollary_2(n: int, mu: int, epsilon: float, rho: float) -> float:
    """Return (42) with (43) put right: the delta that Corollary 2 states for an error rate rho."""
    first, pure = 1 - rho, Section(n, mu, epsilon, 0, 0)
    if pure.first() >= first:
        return 0.0
    for section in sections(n, mu, epsilon):
        if section.first() >= first:
            return first * section.alpha ** (section.b - section.h) * section.xi(section.j)
    return first


def section_epsilon(n: int, mu: int, h: int, j: int, rho: float, as_printed: bool = False) -> float:
    """Return (43): the epsilon at which the flat noise (h, j) has the error rate rho, by bisection."""
    low, high = 0.0, 50.0
    for _ in range(100):
        middle = (low + high) / 2
        section = Section(n, mu, middle, h, j)
        first = section.first_as_printed() if as_printed else section.first()
        low, high = (middle, high) if first < 1 - rho else (low, middle)
    return (low + high) / 2


# What is right


@dataclass(frozen=True)
class Choice:
    """A set S of values that exceed: its staircase W_S, f_S = 1 / sum W_S, and xi_S."""

    exceeding: tuple[int, ...]
    weights: Floats
    first: float
    xi: float


@cache
def choices(n: int, mu: int, epsilon: float) -> tuple[Choice, ...]:
    """Return all sets of values that may exceed, at most one a level."""
    choices_of_values = []
    for exceeding in _sets(n, mu):
        weights = _weights(n, mu, epsilon, exceeding)
        xi = math.fsum(weights[list(exceeding)]) if exceeding else 0.0
        choices_of_values.append(Choice(exceeding, weights, 1 / math.fsum(weights), xi))
    return tuple(choices_of_values)


def optimum(n: int, mu: int, epsilon: float, delta: float) -> Floats:
    """Return the noise of least error rate under program (13), for any n and mu."""
    best = max(choices(n, mu, epsilon), key=lambda choice: (_first(choice, delta), -len(choice.exceeding)))
    first = _first(best, delta)
    if first == best.first:
        return best.weights * first
    other = _weights(n, mu, epsilon, best.exceeding[:-1])
    share = (1 / first - math.fsum(best.weights)) / (math.fsum(other) - math.fsum(best.weights))
    return np.asarray(first * (best.weights + share * (other - best.weights)))


def least_delta(n: int, mu: int, epsilon: float, rho: float) -> float:
    """Return the least delta at which program (13) has an error rate of at most rho."""
    return (1 - rho) * min(choice.xi for choice in choices(n, mu, epsilon) if choice.first >= 1 - rho)


def kinks(n: int, mu: int, epsilon: float) -> Floats:
    """Return deltas between which f(0) of `optimum` is linear."""
    known = choices(n, mu, epsilon)
    ends = {0.0, 1.0} | {one.first * other.xi for one in known for other in known}
    return np.array(sorted(end for end in ends if end <= 1))


def _first(choice: Choice, delta: float) -> float:
    return choice.first if choice.xi * choice.first <= delta else delta / choice.xi


def _sets(n: int, mu: int, begin: int = 0, length: int = 1) -> Iterator[tuple[int, ...]]:
    """Yield the sets of values that exceed, from the level that begins at `begin` and has this length."""
    last = begin + length - 1
    if last + mu > n:
        yield ()
        return
    yield from _sets(n, mu, last + 1, mu)
    rest = _sets(n, mu, last + 1, mu - 1) if length > 1 else ((),)  # where all of a level exceeds, nothing follows
    yield from ((last, *exceeding) for exceeding in rest)


def _weights(n: int, mu: int, epsilon: float, exceeding: tuple[int, ...]) -> Floats:
    """Return the staircase W_S: each value alpha times the largest of the mu values before it that do not exceed."""
    weights = np.zeros(n + 1)
    weights[0], free = 1.0, set(range(n + 1)) - set(exceeding)
    for x in range(1, n + 1):
        weights[x] = math.exp(-epsilon) * max((weights[y] for y in range(max(0, x - mu), x) if y in free), default=0.0)
    return weights
