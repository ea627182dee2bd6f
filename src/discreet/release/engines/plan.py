"""What is asked of an engine: how raw columns become leaf codes, and which rows count.

A recode is a total function: a declared value has its code, and everything else (missing, NaN, an infinity, text where
a number is expected, a category nobody declared) has the code `leaves`, which is `_other`. So nothing that a person
answers can make a release fail, or change anything but counts.

Rows and people: without a unit every row is a person. With one, rows that have no id never count, and an id may have
more rows than the contributions allow; `Engine.excess` finds those ids, and the caller says which of their rows go.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discreet.errors import InputError, ParameterError
from discreet.release.engines.canonical import LARGEST, canonical

T = TypeVar("T")
Kind = Literal["int", "float", "text", "bool", "date", "other"]

RecordKeys = Callable[[pa.Array], tuple[npt.NDArray[np.uint32], ...]]
"""From canonical ids (a string array; an id may occur in it more than once, and again later) to four components."""

COMPONENTS = 4
HEADER = "Is its first line a header? Give header: false if not"
MANY = 10_000_000


@dataclass(frozen=True)
class Recode:
    """How a column becomes the codes 0, ..., leaves - 1, and `leaves` for everything else.

    Attributes
    ----------
    column
        Its name in the source.
    leaves
        How many leaves are declared.
    values
        The code of each declared canonical text (see `canonical`).
    ranges
        (lower, upper, code): lower <= x < upper has the code; None is no bound. They may not overlap.
    """

    column: str
    leaves: int
    values: Mapping[str, int] | None = None
    ranges: Sequence[tuple[float | None, float | None, int]] | None = None

    def __post_init__(self) -> None:
        what = f"column {self.column!r}"
        if (self.values is None) == (self.ranges is None):
            raise ParameterError(f"{what} has both values and ranges, or neither; give one of them")
        if not 1 <= self.leaves <= MANY:
            raise ParameterError(f"{what} declares {self.leaves} leaves; give 1 to {MANY}")
        codes = self.values.values() if self.values is not None else [code for *_, code in self.ranges or ()]
        for code in codes:
            if not 0 <= code < self.leaves:
                raise ParameterError(f"{what} has the code {code}; codes go from 0 to leaves - 1 = {self.leaves - 1}")
        for text in self.values or ():
            if not isinstance(text, str) or canonical(text) != text or "\0" in text:
                raise ParameterError(
                    f"{what} declares {text!r}; give a text that is not blank, without white space at its ends"
                )
        self.segments()

    def segments(self) -> tuple[list[float], list[int]]:
        """Cuts and codes of the ranges: below cuts[0] the code is codes[0], from cuts[i] on it is codes[i + 1]."""
        what = f"column {self.column!r}"
        cuts: list[float] = []
        codes = [self.leaves]
        ordered = sorted(self.ranges or (), key=lambda r: -math.inf if r[0] is None else r[0])
        end = -math.inf
        for low, high, code in ordered:
            lower, upper = -math.inf if low is None else float(low), math.inf if high is None else float(high)
            if not lower < upper or lower < end:
                raise ParameterError(
                    f"{what} has the range {low} to {high}, which is empty or overlaps another one; give ranges apart"
                )
            for bound in (lower, upper):
                if math.isfinite(bound) and abs(bound) > LARGEST:
                    raise ParameterError(f"{what} has the bound {bound}; a number beyond {LARGEST} counts as infinite")
            if lower == end:
                codes[-1] = code
            else:
                cuts.append(lower)
                codes.append(code)
            if upper < math.inf:
                cuts.append(upper)
                codes.append(self.leaves)
            end = upper
        return cuts, codes


@dataclass(frozen=True)
class Plan:
    """What to count: recodes in the order of the codes, and the column with the id of a person, if there is one."""

    recodes: tuple[Recode, ...] = ()
    unit: str | None = None

    @property
    def codes(self) -> list[str]:
        """The names of the code columns: c0, c1, ..."""
        return [f"c{i}" for i in range(len(self.recodes))]

    def check(self, known: Mapping[str, object]) -> None:
        """Refuse columns that the source does not have."""
        named = [recode.column for recode in self.recodes] + ([] if self.unit is None else [self.unit])
        find(named, known)


class Unlisted(dict[str, T]):
    """Columns of a CSV file, by what stands in its first line, which may be a person's record: no message lists it."""


class Numbered(dict[str, T]):
    """Columns of a CSV file without a header, as many as are asked for."""


def find(named: Sequence[str], known: Mapping[str, object]) -> None:
    """Refuse names of columns that the source does not have, and say which it has, unless they may be data."""
    for name in named:
        if name in known:
            continue
        if isinstance(known, Unlisted):
            close = [other for other in known if other.lower() == name.lower()] or get_close_matches(
                name, known, n=1, cutoff=0.8
            )
            hint = f", one of them {close[0]!r}" if close else ""
            raise InputError(f"the source has no column {name!r}; it has {len(known)} columns{hint}. {HEADER}")
        if isinstance(known, Numbered):
            raise InputError(
                f"the source has no column {name!r}; without a header they are called column1, column2, ..., at most"
                " column9999"
            )
        shown = ", ".join(sorted(known)[:50]) + (", ..." if len(known) > 50 else "")
        raise InputError(f"the source has no column {name!r}; it has {shown or 'none'}")
