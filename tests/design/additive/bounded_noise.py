"""Bounded noise, and its delta by other means."""

import math
import warnings
from itertools import pairwise

from discreet import Counts, Mechanism, PTable
from discreet.design import bounded
from discreet.errors import PrecisionWarning


def noise(epsilon: float, eta: float, support: int, variant: str | None = None) -> Mechanism:
    """Noise for counts that are all at least the support."""
    return bounded(epsilon=epsilon, eta=eta, support=support, lowest=support, variant=variant)


def certified(mechanism: Mechanism, bits: int) -> PTable:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        return mechanism.certify(bits=bits)


def per_output(mechanism: Mechanism, epsilon: float) -> float:
    """The paper's delta, by its definition, over the sixty smallest counts."""
    return max(
        mass - math.exp(epsilon) * other.get(output, 0.0)
        for one, other in _neighbours(mechanism)
        for output, mass in one.items()
    )


def summed(mechanism: Mechanism, epsilon: float) -> float:
    """delta by its definition: sums over dictionaries, over the sixty smallest counts, both directions."""
    return max(
        math.fsum(max(0.0, mass - math.exp(epsilon) * other.get(output, 0.0)) for output, mass in one.items())
        for one, other in _neighbours(mechanism)
    )


def _neighbours(mechanism: Mechanism) -> list[tuple[dict[int, float], dict[int, float]]]:
    assert isinstance(mechanism.domain, Counts)
    lower, laws = mechanism.domain.lower, []
    for count in range(lower, lower + 60):
        outputs, probabilities = mechanism.pmf(count)
        laws.append(dict(zip(outputs.tolist(), probabilities.tolist(), strict=True)))
    up = list(pairwise(laws))
    return up + [(other, one) for one, other in up]
