"""What noise on a cycle costs: one cost, or one for each true value, of every residue that noise can be."""

import math
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.domain import Cycle
from discreet.errors import ParameterError

OBJECTIVES = ("error_rate", "circular", "uniform_prior", "prior", "worst")

LARGEST_WORST = 1_000_000
"""Most pairs of a true and a published value, each with its cost."""


def costs(domain: Cycle, objective: Any, prior: Any) -> Floats:
    """One line a cost, over the flattened residues."""
    if isinstance(objective, str) and objective not in OBJECTIVES:
        objective = _numbers(objective, f"objective is {objective!r}; give one of {', '.join(OBJECTIVES)}, or")
    if not isinstance(objective, str):
        return _user_cost(domain, objective)
    if objective == "prior" and prior is None:
        raise ParameterError("objective is 'prior' and there is none; give prior=..., one weight for each value")
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
    return squared if objective == "worst" else np.asarray(_prior(domain, prior) @ squared)[None]


def _numbers(given: str, otherwise: str) -> list[float]:
    try:
        return [float(part) for part in given.replace(",", " ").split()]
    except ValueError:
        raise ParameterError(f"{otherwise} numbers separated by commas, one for each value") from None


def _vector(domain: Cycle, given: Any, name: str, meaning: str) -> Floats:
    if isinstance(given, str):
        given = _numbers(given, f"{name} is {given!r}; give")
    try:
        vector = np.asarray(given, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise ParameterError(f"{name} is {given!r:.60}; give {domain.size} numbers, {meaning}") from None
    if vector.shape != (domain.size,) or not np.isfinite(vector).all() or (vector < 0).any() or not vector.any():
        raise ParameterError(
            f"{name} holds {vector.size} numbers; give {domain.size}, {meaning}: finite, not negative, not all 0"
        )
    return vector


def _user_cost(domain: Cycle, objective: Any) -> Floats:
    return _vector(domain, objective, "objective", "the cost of each noise, 0 first")[None]


def _prior(domain: Cycle, prior: Any) -> Floats:
    weights = _vector(domain, prior, "prior", "the chance of each true value")
    return weights / math.fsum(weights)
