"""What is asked of an engine: how raw columns become leaf codes (`plan.codebook`), and which rows count.

Rows and people: without a unit every row is a person. With one, rows that have no id never count, and an id may have
more rows than the contributions allow; `Engine.excess` finds those ids, and the caller says which of their rows go.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discreet.errors import InputError
from discreet.plan.codebook import Recode

T = TypeVar("T")
Kind = Literal["int", "float", "text", "bool", "date", "other"]

RecordKeys = Callable[[pa.Array], tuple[npt.NDArray[np.uint32], ...]]
"""From canonical ids (a string array; an id may occur in it more than once, and again later) to four components."""

COMPONENTS = 4
HEADER = "Is its first line a header? Give header: false if not"


@dataclass(frozen=True)
class CountPlan:
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
