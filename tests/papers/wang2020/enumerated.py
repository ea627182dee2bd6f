"""Algorithm 1 of Wang 2020 for two components, by sums over everything that can happen, straight from the text."""

import math
from functools import cache

import numpy as np
import numpy.typing as npt


def enumerated(released: tuple[int, int], algorithm: str, epsilon: float, far: int) -> dict[tuple[int, int], float]:
    """Return the posterior of the true counts; noise beyond `far` is left out."""
    total, alpha = sum(released), math.exp(-epsilon)

    def noise(value: int) -> float:
        return (1 - alpha) / (1 + alpha) * alpha ** abs(value)

    draws = np.arange(total + 4 * far)

    @cache
    def component(noisy: int) -> npt.NDArray[np.float64]:
        """Step 4: a draw from (5), on counts from 0."""
        weights = np.array([alpha ** abs(count - noisy) for count in draws.tolist()])
        chances: npt.NDArray[np.float64] = weights / weights.sum()
        return chances

    def two_noises(value: int) -> float:
        return sum(noise(first) * noise(value - first) for first in range(-6 * far, 6 * far + 1))

    chance_of_sum = {value: two_noises(value) for value in range(-10 * far - total, 10 * far + total)}

    @cache
    def size(noisy_total: int, noisy_sum: int) -> float:
        """Step 3: the chance that the drawn total is the released one, by (4) or (6)."""
        weights = np.array([alpha ** abs(count - noisy_total) for count in draws.tolist()])
        if algorithm == "1c":
            weights *= np.array([chance_of_sum[noisy_sum - count] for count in draws.tolist()])
        return float(weights[total] / weights.sum())

    @cache
    def outcome(one: int, other: int) -> float:
        """Step 5: the chance of the released components, given their noisy counts and the released total."""
        first, second = draws[:, None], draws
        both = first + second
        share = np.where(both > 0, first / np.maximum(both, 1), 0.5)
        chances = math.comb(total, released[0]) * share ** released[0] * (1 - share) ** released[1]
        return float(component(one) @ chances @ component(other))

    @cache
    def size_given_true(true_total: int, noisy_sum: int) -> float:
        return sum(noise(e) * size(true_total + e, noisy_sum) for e in range(-far, far + 1))

    found = {}
    near = range(-far, far + 1)
    for one in range(total + far + 1):
        for other in range(total + far + 1 - one):
            found[one, other] = sum(
                noise(d) * noise(e) * outcome(one + d, other + e) * size_given_true(one + other, one + d + other + e)
                for d in near
                for e in near
            )
    whole = sum(found.values())
    return {pair: chance / whole for pair, chance in found.items()}
