"""Columns of pandas as columns of Arrow, by their dtypes. No value decides how another value is read."""

from typing import Any

import pyarrow as pa

from discreet.count.frame_values import text_column


def pandas_type(series: Any) -> pa.DataType | None:
    """Return the type that `pandas_column` gives to a Series, from its dtype alone; None if there is none."""
    if _holds_objects(series):
        return pa.large_string()
    if _is_categorical(series):
        return pandas_type(_categories(series))
    try:
        return pa.array(series.array[:0], from_pandas=True).type
    except (pa.ArrowException, TypeError):  # complex numbers, sparse arrays
        return None


def pandas_column(series: Any, *, ids: bool = False) -> pa.Array | pa.ChunkedArray:
    """Return a Series as a column. Objects become texts, one by one. A categorical becomes a dictionary.

    In a column of `ids`, floats that may stand for two whole numbers are missing.
    """
    if _holds_objects(series):
        return text_column(series.to_numpy(dtype=object), ids=ids)
    if not _is_categorical(series):
        return pa.array(series.array, from_pandas=True)
    categories = pandas_column(_categories(series), ids=ids)
    values = categories.combine_chunks() if isinstance(categories, pa.ChunkedArray) else categories
    codes = series.cat.codes.to_numpy()
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), values)


def _holds_objects(series: Any) -> bool:
    """Return True if the values are Python objects: the dtype is object, or text that Python stores."""
    dtype = series.dtype
    return dtype.name == "object" or (type(dtype).__name__ == "StringDtype" and dtype.storage == "python")


def _categories(series: Any) -> Any:
    """Return the categories of a categorical as a Series of their own dtype. No value decides the dtype."""
    categories = series.cat.categories
    return type(series)(categories.array, dtype=categories.dtype)


def _is_categorical(series: Any) -> bool:
    return type(series.dtype).__name__ == "CategoricalDtype"
