"""Kadam 2024's closed forms for a single difference mu, one-sided: Lemma 3, (19), Theorem 2 and Corollary 1.

The multiples of mu form a cycle of length L = N / gcd(N, mu), which the paper calls N_mu. Along this cycle the noise is
sorted: f_(h) = f(h mu). Remark 3 replaces n by N_mu; right is n = N_mu - 1 (`length` is L, so n is length - 1).
"""

import math

import numpy as np

from discreet.arrays import Floats, Integers


def multiples(size: int, mu: int) -> Integers:
    """Return 0, mu, 2 mu, ... modulo the size, each once: the order in which Figure 1 assigns values."""
    return np.arange(size // math.gcd(size, mu)) * mu % size


def flat_first(length: int, epsilon: float, k: int) -> float:
    """Return f(0) of the flat noise with k zeros: (17b) for k = 0, (20) at h = 0 for others."""
    return 1 / math.fsum(math.exp(-epsilon * h) for h in range(length - k))


def regions(length: int, epsilon: float) -> list[tuple[float, float]]:
    """Return (19): from which delta to which delta the noise with k zeros is optimal, k = 0..n."""
    n = length - 1
    intervals = []
    for k in range(length):
        first = flat_first(length, epsilon, k)
        low = first * math.exp(-epsilon * (n - k)) if k else 0.0
        high = first * math.exp(-epsilon * (n - k - 1)) if k < n else 1.0
        intervals.append((low, high))
    return intervals


def theorem_2(size: int, mu: int, epsilon: float, delta: float) -> Floats:
    """Return the noise of Theorem 2: (20) where the error rate is flat in delta, (21) where it falls."""
    indices = multiples(size, mu)
    length = len(indices)
    n, ends = length - 1, regions(length, epsilon)
    noise = np.zeros(size)
    h = np.arange(length)
    for k, (low, high) in enumerate(ends):
        if low <= delta <= high:
            kept = h[: n - k + 1]
            noise[indices[kept]] = flat_first(length, epsilon, k) * np.exp(-epsilon * kept)
            return noise
        if delta < low:
            kept, rest = h[: n - k + 1], h[n - k + 1 :]
            noise[indices[kept]] = delta * np.exp((n - k - kept) * epsilon)
            ratio = math.expm1(epsilon) / math.expm1(k * epsilon)
            noise[indices[rest]] = np.exp((n - rest) * epsilon) * ratio * (1 - delta / low)
            return noise
    raise AssertionError("the last flat region ends at delta 1")


def epsilons(length: int, rho: float) -> list[float]:
    """Return (25): the epsilon at which the noise with k zeros has the error rate rho, k = 0..n; 0 if there is none."""
    return [root(terms, 1 / (1 - rho)) if terms > 1 / (1 - rho) else 0.0 for terms in range(length, 0, -1)]


def root(terms: int, total: float) -> float:
    """Return the epsilon at which 1 + alpha + ... of so many terms is the total, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(200):
        alpha = (low + high) / 2
        low, high = (alpha, high) if sum(alpha**i for i in range(terms)) < total else (low, alpha)
    return -math.log(high)


def corollary_1(length: int, epsilon: float, rho: float) -> float:
    """Return (24): the least delta of Definition 2, one-sided, at which the error rate is at most rho."""
    n, ends = length - 1, epsilons(length, rho)
    if epsilon >= ends[0]:
        return 0.0
    k = next(k for k in range(1, length) if epsilon >= ends[k])
    return (1 - rho) * math.exp(-epsilon * (n - k))
