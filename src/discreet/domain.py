"""The values that a true count may take, and which values one person's change can connect.

This module uses only the standard library, because `certify.verify` imports it.
"""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from discreet.errors import MechanismError
from discreet.exact import is_integer

LARGEST = 2**62
"""Counts beyond this are clamped to it, so that count + noise always fits in 64 bits."""


@dataclass(frozen=True)
class Counts:
    """The integers lower, lower + 1, ..., upper.

    Parameters
    ----------
    lower : int
        The smallest count, 0 or more.
    upper : int, optional
        The largest count. None: counts have no end.

    Raises
    ------
    MechanismError
        A bound is not an integer within +-2**62, lower is negative, or upper is below lower.

    Examples
    --------
    >>> from discreet import Counts
    >>> Counts(0, 9).size
    10
    """

    lower: int = 0
    upper: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("lower", self.lower), ("upper", self.upper)):
            if (name, value) == ("upper", None):
                continue
            if not is_integer(value) or abs(value) > LARGEST:
                raise MechanismError(f"Counts: {name} is {value!r}; give an integer within +-2**62")
            object.__setattr__(self, name, int(value))
        if self.lower < 0:
            raise MechanismError(f"Counts: lower is {self.lower}; a count is never negative, so give 0 or more")
        if self.upper is not None and self.upper < self.lower:
            raise MechanismError(f"Counts: upper is {self.upper}, below lower = {self.lower}; swap or widen them")

    @property
    def size(self) -> int | None:
        """How many values there are; None if there is no end."""
        return None if self.upper is None else self.upper - self.lower + 1

    def neighbours(self, given: Any = None) -> tuple[int, ...]:
        """Return the distances 1..k by which one person can change a count, from k or from the distances.

        None: k = 1. Raise MechanismError if the distances are not 1..k.
        """
        if given is None or is_integer(given):
            largest = 1 if given is None else int(given)
            distances = tuple(range(1, largest + 1)) if largest <= 10_000 else ()
        elif isinstance(given, Iterable):
            distances = tuple(
                sorted({int(d) for d in given if is_integer(d)} | {0 for d in given if not is_integer(d)})
            )
        else:
            distances = ()
        if not distances or distances != tuple(range(1, len(distances) + 1)):
            raise MechanismError(
                f"neighbours of Counts are {given!r}; give k, or the distances 1, 2, ..., k that one person can make"
            )
        return distances


@dataclass(frozen=True, init=False)
class Cycle:
    """Residues modulo `size`, or vectors of residues.

    Parameters
    ----------
    size : int or sequence of int, optional
        How many values there are: Cycle(24). Several sizes are a shape: Cycle((7, 24)).
    shape : sequence of int, optional
        The sizes of several dimensions, instead of `size`.

    Raises
    ------
    MechanismError
        Both or neither are given, or a size is not an integer of 2 or more.

    Examples
    --------
    >>> from discreet import Cycle
    >>> Cycle((7, 24)).size
    168
    """

    shape: tuple[int, ...]

    def __init__(self, size: int | Iterable[int] | None = None, shape: Iterable[int] | None = None) -> None:
        if (size is None) == (shape is None):
            raise MechanismError(f"Cycle: size is {size!r} and shape is {shape!r}; give one of them")
        size = shape if size is None else size
        shape = (size,) if is_integer(size) else tuple(size) if isinstance(size, Iterable) else ()
        if not shape or any(not is_integer(side) or side < 2 for side in shape):
            raise MechanismError(f"Cycle: size is {size!r}; give an integer of 2 or more, or several as a shape")
        object.__setattr__(self, "shape", tuple(int(side) for side in shape))

    @property
    def size(self) -> int:
        """How many values there are."""
        return math.prod(self.shape)

    def neighbours(self, given: Any = None) -> tuple[Any, ...]:
        """Return the differences that replacing one answer can make, with their negatives. None: all differences.

        Differences are integers in one dimension and tuples in several. Raise MechanismError if one is 0 or no integer.
        """
        if given is None:
            every = itertools.product(*(range(side) for side in self.shape))
            differences = {d for d in every if any(d)}
        else:
            differences = {self._reduce(d) for d in (given if isinstance(given, Iterable) else [given])}
            differences |= {tuple(-x % side for x, side in zip(d, self.shape, strict=True)) for d in differences}
        if not differences or (0,) * len(self.shape) in differences:
            raise MechanismError(f"neighbours of {self} are {given!r}; give differences other than 0, at least one")
        ordered = sorted(differences)
        return tuple(d[0] for d in ordered) if len(self.shape) == 1 else tuple(ordered)

    def _reduce(self, difference: Any) -> tuple[int, ...]:
        """Return a difference as residues. Raise MechanismError if it does not fit the shape."""
        vector = (difference,) if is_integer(difference) else difference
        if not isinstance(vector, (tuple, list)) or len(vector) != len(self.shape) or not all(map(is_integer, vector)):
            raise MechanismError(f"a difference is {difference!r}; in {self} give {len(self.shape)} integers")
        return tuple(int(x) % side for x, side in zip(vector, self.shape, strict=True))

    def __str__(self) -> str:
        return f"Cycle({self.shape[0] if len(self.shape) == 1 else self.shape})"


Domain = Counts | Cycle
