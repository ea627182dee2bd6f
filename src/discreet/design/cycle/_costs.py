"""Costs of noise on a cycle: a cost of every residue. The objective "worst" has such costs for each true value."""

import math
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.domain import Cycle
from discreet.errors import ParameterError

OBJECTIVES = ("error_rate", "circular", "uniform_prior", "prior", "worst")

LARGEST_WORST = 1_000_000
"""Most pairs of a true value and a published value, each with a cost."""


def costs(domain: Cycle, objective: Any, prior: Any) -> Floats:
    """Return the costs of an objective: a line for each cost, over the flattened residues.

    Raises
    ------
    ParameterError
        The objective is not known, the objective "prior" has no prior, or the cycle is too long for the objective.
    """
    if isinstance(objective, str) and objective not in OBJECTIVES:
        objective = _numbers(objective, f"objective is {objective!r}; give one of {', '.join(OBJECTIVES)}, or")
    if not isinstance(objective, str):
        return _vector(domain, objective, "objective", "the cost of each noise, 0 first")[None]
    if objective == "prior" and prior is None:
        raise ParameterError("objective is 'prior', and prior is not given; give prior=..., one weight for each value")
    parts = np.indices(domain.shape).reshape(len(domain.shape), -1).astype(np.float64)
    sides = np.array(domain.shape, dtype=np.float64)[:, None]
    simple = {
        "error_rate": lambda: parts.max(axis=0) > 0,
        "circular": lambda: (np.minimum(parts, sides - parts) ** 2).sum(axis=0),
        "uniform_prior": lambda: (parts * (sides - parts)).sum(axis=0),
    }
    if objective in simple:
        return np.asarray(simple[objective](), dtype=np.float64)[None]
    if domain.size**2 > LARGEST_WORST:
        raise ParameterError(
            f"objective is {objective!r} on {domain}, which has {domain.size} values; beyond"
            f" {math.isqrt(LARGEST_WORST)} use 'uniform_prior' or 'circular'"
        )
    published = (parts[:, :, None] + parts[:, None, :]) % sides[:, :, None]
    squared: Floats = ((published - parts[:, :, None]) ** 2).sum(axis=0)
    if objective == "worst":
        return squared
    weights = _vector(domain, prior, "prior", "the chance of each true value")
    return np.asarray((weights / math.fsum(weights)) @ squared)[None]


def _numbers(value: str, complaint: str) -> list[float]:
    """Return numbers that are separated by commas. Raise ParameterError, which starts with the complaint, if not."""
    try:
        return [float(part) for part in value.replace(",", " ").split()]
    except ValueError:
        raise ParameterError(f"{complaint} numbers separated by commas, one for each value") from None


def _vector(domain: Cycle, value: Any, name: str, meaning: str) -> Floats:
    """Return one number for each value of the cycle. Raise ParameterError if there are others."""
    if isinstance(value, str):
        value = _numbers(value, f"{name} is {value!r}; give")
    try:
        vector = np.asarray(value, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise ParameterError(f"{name} is {value!r:.60}; give {domain.size} numbers, {meaning}") from None
    if vector.shape != (domain.size,) or not np.isfinite(vector).all() or (vector < 0).any() or not vector.any():
        raise ParameterError(
            f"{name} holds {vector.size} numbers; give {domain.size}, {meaning}: finite, not negative, not all 0"
        )
    return vector
