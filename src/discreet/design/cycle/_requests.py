"""Read the parameters of `cyclic`: the cycle and its names, the neighbours, the goal, and labels of noise values.

Every function raises ParameterError if a parameter is not what it must be.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import Integers
from discreet.design import parameters
from discreet.domain import Counts, Cycle
from discreet.errors import MechanismError, ParameterError
from discreet.exact import Epsilon, Number, exact

LARGEST_SIZE = 4_000_000
"""Most values of a cycle: its certificate holds a weight for each."""


@dataclass(frozen=True)
class Goal:
    """What the noise must reach at epsilon: a delta, or an expected cost.

    Attributes
    ----------
    delta
        The largest delta; 0 if a distortion is given.
    distortion
        The largest expected cost; the noise has the least delta then. None: the noise has the least cost.
    """

    epsilon: Epsilon
    delta: Fraction
    distortion: Fraction | None

    @classmethod
    def read(cls, epsilon: Epsilon, delta: Number, distortion: Number | None) -> "Goal":
        """Check delta and distortion, of which one may be given."""
        target = exact(delta, "delta")
        if not 0 <= target < 1:
            raise ParameterError(f"delta is {delta!r}; give a probability from 0 to below 1")
        if distortion is None:
            return cls(epsilon, target, None)
        if target:
            raise ParameterError(
                f"delta is {delta!r} and distortion is {distortion!r}; give one: the other follows from it"
            )
        return cls(epsilon, target, parameters.positive(distortion, "distortion"))


def read_domain(size: Any, shape: Any, categories: Any, objective: Any) -> tuple[Cycle, list[str]]:
    """Return the cycle, and the names of its values; no names if the values are numbers."""
    if sum(value is not None for value in (size, shape, categories)) != 1:
        raise ParameterError(
            f"size is {size!r}, shape is {shape!r}, categories are {categories!r:.60}; give exactly one of them"
        )
    if isinstance(size, Counts) or (isinstance(objective, str) and objective.upper() in ("L1", "L2", "MSE", "MAE")):
        size = _size_of_counts(size, objective)
    names = [] if categories is None else _read_names(categories)
    try:
        domain = Cycle(len(names) if names else size, None) if shape is None else Cycle(shape=_integers(shape, "shape"))
    except MechanismError as error:
        raise ParameterError(str(error)) from None
    if domain.size > LARGEST_SIZE:
        raise ParameterError(f"{domain} has {domain.size} values; at most {LARGEST_SIZE} fit into a certificate")
    return domain, names


def _size_of_counts(size: Any, objective: Any) -> int:
    """Return the size of a range of counts under the error rate. Refuse objectives that use a distance."""
    if isinstance(objective, str) and objective == "error_rate" and size.size is not None:
        return int(size.size)
    raise ParameterError(
        f"objective is {objective!r} on counts, and counts do not wrap: noise on a cycle turns 0 into the largest count"
        " (at epsilon 1 and 0..100 the squared error at 0 is 2659, against 0.92 for clamped geometric noise);"
        " use geometric(epsilon=..., upper=n) or constrained(n=..., epsilon=...) for counts,"
        " and objective='circular' for hours, months and other values that do wrap"
    )


def _read_names(categories: Any) -> list[str]:
    """Return the names, from a list or from text separated by commas."""
    if not isinstance(categories, (str, Sequence, np.ndarray)):
        raise ParameterError(f"categories are {categories!r:.80}; give a list of names, in the order of the cycle")
    parts = categories.split(",") if isinstance(categories, str) else list(categories)
    names = [name.strip() if isinstance(name, str) else name for name in parts]
    if not all(isinstance(name, str) and name for name in names):
        raise ParameterError(f"categories are {categories!r:.80}; give names, each a text that is not empty")
    if len(set(names)) < len(names) or len(names) < 2:
        raise ParameterError(f"categories are {categories!r:.80}; give at least two names, each once")
    return names


def _integers(value: Any, name: str) -> list[int]:
    """Return integers, from a sequence, from text separated by commas, or from one integer."""
    if isinstance(value, str):
        parts: list[Any] = value.split(",")
    else:
        parts = list(value) if isinstance(value, (Sequence, np.ndarray)) else [value]
    try:
        return [int(part) if isinstance(part, str) else part for part in parts]
    except ValueError:
        raise ParameterError(f"{name} is {value!r}; give integers separated by commas") from None


def read_neighbours(domain: Cycle, neighbours: Any, names: list[str]) -> tuple[Any, ...]:
    """Return the differences between neighbours, closed under negation.

    By default neighbours differ by 1 in one dimension, but named categories are all neighbours.
    """
    dimensions = len(domain.shape)
    if isinstance(neighbours, str) and neighbours.strip() == "all":
        return domain.neighbours()
    if isinstance(neighbours, str) and dimensions > 1:
        neighbours = [tuple(_integers(part, "neighbours")) for part in neighbours.split(";")]
    elif isinstance(neighbours, str):
        neighbours = _integers(neighbours, "neighbours")
    if neighbours is None and not names:
        neighbours = [tuple(int(a == b) for b in range(dimensions)) for a in range(dimensions)]
    try:
        return domain.neighbours(neighbours)
    except MechanismError as error:
        raise ParameterError(str(error)) from None


def check_connected(domain: Cycle, differences: tuple[Any, ...], distance: Integers) -> None:
    """Raise ParameterError if a value has distance -1, so that no sum of differences leads to the value."""
    reached = int((distance >= 0).sum())
    if reached == domain.size:
        return
    shown = ", ".join(map(str, differences[:6])) + (", ..." if len(differences) > 6 else "")
    raise ParameterError(
        f"the neighbours {shown} connect only {reached} of the {domain.size} values of {domain}: the class of a value"
        " would be published as it is; add a difference (1 connects all), or give public_classes=True"
        " if the classes are public"
    )


def read_classes(domain: Cycle, equal: Any) -> Integers | None:
    """Return the number of every residue's label, in the order of their first occurrence; None if there are none."""
    if equal is None:
        return None
    try:
        labels = [label.strip() for label in equal.split(",")] if isinstance(equal, str) else np.ravel(equal).tolist()
        numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    except (TypeError, ValueError):
        raise ParameterError(f"equal is {equal!r:.60}; give {domain.size} labels: numbers or texts") from None
    if len(labels) != domain.size:
        raise ParameterError(f"equal has {len(labels)} labels; give {domain.size}, one for each noise value, 0 first")
    return np.array([numbers[label] for label in labels])
