"""Results as data frames: pandas if it is installed, else Arrow; or the library that is asked for."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from discreet.errors import InputError, ParameterError
from discreet.extras import require

if TYPE_CHECKING:
    import pyarrow as pa

LIBRARIES = ("pandas", "polars", "arrow")


def frame(columns: Mapping[str, Any], to: str | None = None) -> Any:
    """Return columns as a data frame.

    Parameters
    ----------
    columns
        The columns by name: arrays or lists of one length, or arrays of Arrow.
    to
        "pandas", "polars" or "arrow". None: pandas if it is installed, else arrow.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The frame. Integers of which some are missing are nullable integers in pandas, too.

    Raises
    ------
    ParameterError
        There is no such library.
    MissingExtraError
        The library is not installed.

    Examples
    --------
    >>> frame({"sex": ["f", "m"], "count": [41, 59]}, to="arrow").to_pylist()
    [{'sex': 'f', 'count': 41}, {'sex': 'm', 'count': 59}]
    """
    import pyarrow as pa  # slow to load, and not needed for noise alone

    library = require_library(to)
    table = pa.table(dict(columns))
    if library == "arrow":
        return table
    if library == "polars":
        import polars

        return polars.from_arrow(table)
    return _pandas(table)


def require_library(to: str | None) -> str:
    """Return the library of a frame. Raise an error if there is no such library, or it is not installed."""
    if to is None:
        return "arrow" if find_spec("pandas") is None else "pandas"
    if to not in LIBRARIES:
        raise ParameterError(f"to is {to!r:.60}; give one of {', '.join(LIBRARIES)}")
    if to != "arrow":
        require(to, "frames", "the frame")
    return to


def is_series(values: Any) -> bool:
    """Return True for a Series of pandas, which need not be installed."""
    classes = type(values).__mro__
    return any(base.__name__ == "Series" and base.__module__.partition(".")[0] == "pandas" for base in classes)


def series_like(series: Any, values: Any) -> Any:
    """Return values as a Series with the index and the name of another Series."""
    return type(series)(values, index=series.index, name=series.name)


def aligned(values: Any, series: Any) -> Any:
    """Return values for the members of a Series; a Series without its index.

    Raises
    ------
    InputError
        The values are a Series with another index.
    """
    if not is_series(values):
        return values
    if not values.index.equals(series.index):
        raise InputError("counts and keys are Series with different indices; give both in the same order")
    return values.to_numpy()


def _pandas(table: "pa.Table") -> Any:
    """Return a table as a pandas DataFrame. pandas would make floats of integers of which some are missing."""
    import pandas
    import pyarrow as pa

    nullable = {pa.int64(): pandas.Int64Dtype()}.get
    columns = {
        name: column.to_pandas(types_mapper=nullable if column.null_count else None)
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pandas.DataFrame(columns)
