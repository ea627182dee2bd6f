"""The request to an engine: how raw columns become leaf codes (`plan.codebook`), and which rows count.

Without a unit every row is a person. With a unit, rows without an id never count, and an id may have more rows than the
contributions allow. `Engine.excess` finds such ids, and `contributions` decides which of their rows count.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discreet.errors import InputError
from discreet.plan.codebook import Recode
from discreet.spelling import nearest_spelling

T = TypeVar("T")
Kind = Literal["int", "float", "text", "bool", "date", "other"]

RecordKeys = Callable[[pa.Array], tuple[npt.NDArray[np.uint32], ...]]
"""From canonical ids (an array of strings, in which an id may occur several times) to four components."""

COMPONENTS = 4
"""Components of a record key."""

HEADER = "Is its first line a header? Give header: false if not"
MOST_LISTED = 50
"""Columns that a message lists, at most."""


@dataclass(frozen=True)
class CountPlan:
    """What an engine counts.

    Attributes
    ----------
    recodes
        How columns become codes, in the order of the codes.
    unit
        The column with the id of a person, or None if every row is a person.
    """

    recodes: tuple[Recode, ...] = ()
    unit: str | None = None

    @property
    def codes(self) -> list[str]:
        """The names of the code columns: c0, c1, ..."""
        return [f"c{i}" for i in range(len(self.recodes))]

    def check(self, columns: Mapping[str, object]) -> None:
        """Raise InputError if the source does not have all columns of the plan."""
        names = [recode.column for recode in self.recodes] + ([] if self.unit is None else [self.unit])
        require_columns(names, columns)


class HeaderColumns(dict[str, T]):
    """Columns of a CSV file or a sheet by the names in its first line, which no message lists: it may be a record.

    Attributes
    ----------
    hint
        What to check: what the first line says about a wrong delimiter or encoding, if it does.
    """

    def __init__(self, columns: Mapping[str, T], hint: str = "") -> None:
        super().__init__(columns)
        self.hint = hint


class NumberedColumns(dict[str, T]):
    """Columns column1, column2, ... of a CSV file without a header, as many as are read."""


def require_columns(names: Iterable[str], columns: Mapping[str, object]) -> None:
    """Raise InputError if a source does not have a column. The message lists the columns, unless they may be data."""
    for name in names:
        if name in columns:
            continue
        if isinstance(columns, HeaderColumns):
            hint = _similar_name(name, columns)
            number = "one column" if len(columns) == 1 else f"{len(columns)} columns"
            raise InputError(f"the source has no column {name!r}; it has {number}{hint}. {columns.hint or HEADER}")
        if isinstance(columns, NumberedColumns):
            raise InputError(
                f"the source has no column {name!r}; columns without a header have the names column1, column2, ...,"
                " column9999"
            )
        listed = ", ".join(sorted(columns)[:MOST_LISTED]) + (", ..." if len(columns) > MOST_LISTED else "")
        raise InputError(f"the source has no column {name!r}; it has {listed or 'none'}")


def _similar_name(name: str, columns: Mapping[str, object]) -> str:
    near = nearest_spelling(name, list(columns))
    return "" if near is None else f", one of them {near!r}"
