"""The rows of a data frame: every library gives the counts of a plain loop, and only types decide what is refused."""

import datetime
import math
import random
import re
import uuid
from collections import Counter
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.count._pandas_columns import pandas_column, pandas_type
from discreet.count.engines.engine import Engine
from discreet.count.frame_rows import FrameRows
from discreet.count.frame_values import text_column, text_of
from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.errors import InputError
from discreet.plan.codebook import Recode
from tests.count import frames, hostile

ANSWERS: dict[str, list[Any]] = {
    "person": [None, 0, 1, 2, 3, 2**62, 2**62 + 1],
    "name": [None, "a", " a", "A", "", "ü", "07", "7"],
    "region": [None, "North", " South", "East\t", "Élan", "", "elsewhere"],
    "age": [None, -1, 0, 15, 16, 66, 2**31 - 1],
    "income": [None, math.nan, math.inf, -0.0, 0.3, 1e16, 999.5],
    "member": [None, True, False],
    "born": [None, datetime.date(1900, 1, 1), datetime.date(1900, 1, 2)],
    "seen": [None, frames.LATE, frames.LATE + datetime.timedelta(microseconds=1)],
}
RECODES = (
    Recode("region", 4, values={"North": 0, "South": 1, "East": 2, "Élan": 3}),
    Recode("age", 2, ranges=((0, 16, 0), (16, None, 1))),
    Recode("income", 2, values={"0": 0, "0.3": 1, "10000000000000000": 1}),
    Recode("member", 2, values={"true": 0, "false": 1}),
    Recode("born", 1, values={"1900-01-01": 0}),
    Recode("seen", 2, values={"2024-05-31T08:30:00": 0, "2024-05-31T08:30:00.000001": 1}),
)


def by_codes(engine: Engine, plan: CountPlan) -> dict[tuple[int, ...], int]:
    """Return the counts of an engine by leaf codes."""
    lines = [tuple(line.values()) for line in engine.count(plan).to_pylist()]
    return {line[:-1]: line[-1] for line in lines}


def counted(data: Any, plan: CountPlan) -> dict[tuple[int, ...], int]:
    """Return the counts of a frame by leaf codes."""
    names = {recode.column for recode in plan.recodes} | ({plan.unit} if plan.unit else set())
    with open_engine(FrameRows(data, names, plan.unit)) as engine:
        return by_codes(engine, plan)


@pytest.mark.parametrize("library", frames.LIBRARIES)
def test_every_library_gives_the_counts_of_a_loop(library: str) -> None:
    draw = random.Random(library)
    rows = [{name: draw.choice(values) for name, values in ANSWERS.items()} for _ in range(400)]
    with open_engine(FrameRows(frames.LIBRARIES[library](rows), ANSWERS.keys(), "person")) as engine:
        for unit in (None, "person", "name"):
            for recodes in [(), RECODES[:3], RECODES[3:]]:
                plan = CountPlan(recodes, unit)
                assert by_codes(engine, plan) == Counter(codes for _, codes in hostile.coded(plan, rows))


@pytest.mark.parametrize("library", frames.LIBRARIES)
def test_an_empty_frame_has_no_rows(library: str) -> None:
    assert counted(frames.LIBRARIES[library]([]), CountPlan(RECODES[:2], "person")) == {}


@pytest.mark.parametrize("library", frames.LIBRARIES)
def test_people_with_too_many_rows_are_found_in_every_library(library: str) -> None:
    rows = [
        {"person": person, "name": f"p{person}", "region": "North", "age": age, "income": None, "member": True}
        | {"born": None, "seen": None}
        for person, age in [(1, 3), (1, 4), (2**62 + 1, 5), (2**62, 5), (1, 3), (None, 3)]
    ]
    plan = CountPlan((RECODES[1],), unit="person")
    with open_engine(FrameRows(frames.LIBRARIES[library](rows), {"age", "person"}, "person")) as engine:
        lines = [line for batch in engine.excess(plan, 1) for line in batch.to_pylist()]
    assert lines == [{"id": "1", "c0": 0, "times": 3}]


class Word(StrEnum):
    YES = "yes"


class Stubborn:
    def __str__(self) -> str:
        raise RuntimeError("no text")

    def __ne__(self, other: object) -> bool:
        raise RuntimeError("no comparison")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7, "7"),
        (np.int8(7), "7"),
        (7.0, "7"),
        (np.float64(7.25), "7.25"),
        (np.float32(0.1), "0.10000000149011612"),
        (True, "true"),
        (np.bool_(False), "false"),
        (" a\t", "a"),
        (np.str_("b"), "b"),
        (Word.YES, "yes"),
        (b"caf\xc3\xa9", "café"),
        (Decimal("7.50"), "7.5"),
        (datetime.date(2024, 5, 31), "2024-05-31"),
        (pd.Timestamp("2024-05-31 08:30:00.000001500"), "2024-05-31T08:30:00.000001"),
        (pd.Timestamp("2024-05-31 10:30", tz="Europe/Vienna"), "2024-05-31T08:30:00"),
        (np.datetime64("2024-05-31"), "2024-05-31"),
        (np.datetime64("2024-05-31T08:30:00", "ns"), "2024-05-31T08:30:00"),
        (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (2**64, "18446744073709551616"),
    ],
)
def test_a_value_of_any_type_has_its_canonical_text(value: object, text: str) -> None:
    assert text_of(value) == text


@pytest.mark.parametrize(
    "value",
    [
        None,
        pd.NA,
        pd.NaT,
        math.nan,
        math.inf,
        np.datetime64("NaT"),
        "",
        " ",
        b"\xff",
        10**5000,
        Decimal("1E+999999"),
        Decimal("sNaN"),
        1j,
        [1, 2],
        {"a": 1},
        np.array([1, 2]),
        datetime.time(1, 2),
        datetime.timedelta(1),
        datetime.datetime.min.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=5))),
        Stubborn(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_that_has_no_text_is_missing_and_stops_nothing(value: object) -> None:
    assert text_of(value) is None
    assert text_column(["a", value, "b"]).to_pylist()[::2] == ["a", "b"]


def test_half_a_surrogate_pair_is_missing_and_others_stay() -> None:
    assert text_column(["a", "\ud800", "é"]).to_pylist() == ["a", None, "é"]


@given(values=st.lists(st.sampled_from(["7", "07", " x", 7, 7.0, True, None, 2**70, Stubborn(), b"7"]), max_size=6))
def test_no_value_of_an_object_column_changes_how_another_is_read(values: list[object]) -> None:
    alone = [text_of(value) for value in values]
    read = [None if text is None else text.strip() for text in text_column(values).to_pylist()]
    assert read == alone


NOT_UTF8 = pa.Array.from_buffers(
    pa.string(), 3, [None, pa.py_buffer(np.array([0, 1, 2, 3], np.int32)), pa.py_buffer(b"\xffab")]
)


@pytest.mark.parametrize(
    "column",
    [
        NOT_UTF8,
        pa.Array.from_buffers(pa.string_view(), 3, NOT_UTF8.cast(pa.binary()).cast(pa.binary_view()).buffers()),
        pa.chunked_array([pa.DictionaryArray.from_arrays([0, 1, 2], NOT_UTF8)]),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.uint8()), pa.array([None, "a", "b"])),
        pa.chunked_array(
            [pa.DictionaryArray.from_arrays([0, 1], NOT_UTF8), pa.DictionaryArray.from_arrays([0], pa.array(["b"]))]
        ),
        pa.array(["x" * (2**24 + 1), "a", " b"]),
    ],
    ids=["text", "view", "dictionary", "missing in a dictionary", "two dictionaries", "long text"],
)
def test_texts_that_cannot_be_read_are_missing(column: Any) -> None:
    plan = CountPlan((Recode("x", 2, values={"a": 0, "b": 1}),))
    assert counted(pa.table({"x": column}), plan) == {(0,): 1, (1,): 1, (2,): 1}


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Vienna"])
def test_times_beyond_the_calendar_are_missing(unit: str, zone: str | None) -> None:
    second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    times = pa.array([0, second, -(2**63) + 5, None], pa.timestamp(unit, zone))
    plan = CountPlan((Recode("t", 2, values={"1970-01-01T00:00:00": 0, "1970-01-01T00:00:01": 1}),))
    assert counted(pa.table({"t": times}), plan) == {(0,): 1, (1,): 1, (2,): 2}
    assert counted(pa.table({"t": times.dictionary_encode()}), plan) == {(0,): 1, (1,): 1, (2,): 2}


def test_small_floats_and_columns_without_a_type_are_read() -> None:
    plan = CountPlan((Recode("x", 1, values={"0.5": 0}), Recode("n", 1, values={"a": 0})))
    table = pa.table({"x": pa.array(np.array([0.5, 1], np.float16)), "n": pa.nulls(2)})
    assert counted(table, plan) == {(0, 1): 1, (1, 1): 1}
    assert counted(pl.DataFrame({"x": [0.5, 1], "n": [None, None]}), plan) == {(0, 1): 1, (1, 1): 1}
    assert counted(pd.DataFrame({"x": [0.5, 1], "n": [None, None]}), plan) == {(0, 1): 1, (1, 1): 1}


def test_a_frame_of_which_no_column_is_read_has_its_rows() -> None:
    for data in (pd.DataFrame({"a": [1, 2, 3]}), pl.DataFrame({"a": [1, 2, 3]}), pa.table({"a": [1, 2, 3]})):
        assert counted(data, CountPlan()) == {(): 3}
    assert counted(duckdb.sql("SELECT * FROM range(3)"), CountPlan()) == {(): 3}


def test_categories_with_one_text_are_one_category() -> None:
    mixed = pd.Series([7, "7", 7.5, None, 7], dtype="category")
    plan = CountPlan((Recode("x", 2, values={"7": 0, "7.5": 1}),))
    assert counted(pd.DataFrame({"x": mixed}), plan) == {(0,): 3, (1,): 1, (2,): 1}


def test_column_labels_that_are_numbers_are_known_by_their_text() -> None:
    plan = CountPlan((Recode("1", 1, values={"x": 0}),))
    assert counted(pd.DataFrame([["a", "x"], ["b", "y"]]), plan) == {(0,): 1, (1,): 1}


def test_a_relation_and_a_reader_are_read_once_for_all_queries() -> None:
    rows = pa.table({"id": [1, 1, 2], "x": ["a", "b", "a"]})
    plan = CountPlan((Recode("x", 2, values={"a": 0, "b": 1}),), unit="id")
    for data in (rows.to_reader(), duckdb.connect().from_arrow(rows)):
        with open_engine(FrameRows(data, {"id", "x"}, "id")) as engine:
            assert engine.values("x") == ["a", "b"]
            assert sum(engine.count(plan).column("count").to_pylist()) == 3
            assert sum(batch.num_rows for batch in engine.excess(plan, 1)) == 2


def test_arrow_columns_are_not_copied() -> None:
    table = pa.table({"x": pa.array(range(1000)), "s": pa.array(["text"] * 1000)})
    rows = FrameRows(table, {"x", "s"}).table
    for name, column in (("f1", "x"), ("f0", "s")):
        buffers = [buffer.address for buffer in rows.column(name).chunk(0).buffers() if buffer is not None]
        assert buffers == [buffer.address for buffer in table.column(column).chunk(0).buffers() if buffer is not None]


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (pd.DataFrame({"b": [1]}), "'a'"),
        (pl.DataFrame({"b": [1]}), "'a'"),
        (pa.table({"b": [1]}), "'a'"),
        (pd.DataFrame(), "'a'"),
        (pa.table({}), "'a'"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "2 columns 'a'"),
        (pa.table([[1], [2]], names=["a", "a"]), "2 columns 'a'"),
        (pd.DataFrame({"b": [1]}, index=pd.Index([5], name="a")), "reset_index"),
        (pd.DataFrame({"a": [1 + 2j]}), "'a' has the type complex128"),
        (pd.DataFrame({"a": pd.period_range("2020", periods=1)}), "period"),
        (pd.DataFrame({"a": pd.arrays.SparseArray([1])}), "Sparse"),
        (pd.DataFrame({"a": [pd.Timedelta(1)]}), "timedelta"),
        (pd.DataFrame({"a": pd.Series(pd.interval_range(0, 1), dtype="category")}), "'a' has the type"),
        (pl.DataFrame({"a": [[1]]}), "List"),
        (pl.DataFrame({"a": [{"b": 1}]}), "Struct"),
        (pl.DataFrame({"a": pl.Series([object()], dtype=pl.Object)}), "Object"),
        (pl.DataFrame({"a": pl.Series([1], dtype=pl.Int128)}), "Int128"),
        (pl.DataFrame({"a": [datetime.timedelta(1)]}), "Duration"),
        (pl.DataFrame({"a": [datetime.time(1)]}), "Time"),
        (pl.DataFrame({"a": [b"x"]}), "Binary"),
        (pa.table({"a": pa.array([1], pa.decimal256(50, 2))}), "decimal256"),
        (pa.table({"a": pa.array([b"x"])}), "binary"),
        (pd.Series([1], name="a"), "to_frame"),
        (pl.Series("a", [1]), "Series"),
        (pl.LazyFrame({"a": [1]}), "collect"),
        (pa.chunked_array([[1]]), "ChunkedArray"),
        ("people.csv", "people.csv"),
        (Path("people.csv"), "people.csv"),
        ({"a": [1]}, "dict"),
        ([{"a": 1}], "list"),
        (np.ones((2, 2)), "ndarray"),
        (7, "int"),
    ],
)
def test_what_is_no_frame_of_the_columns_is_refused(data: Any, named: str) -> None:
    with pytest.raises(InputError, match=re.escape(named)):
        FrameRows(data, {"a"})


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("SELECT 1 AS b", "'a'"),
        ("SELECT 1 AS a, 2 AS a", "2 columns 'a'"),
        ("SELECT [1] AS a", "INTEGER[]"),
        ("SELECT 1::DOUBLE AS a", "2**53"),
    ],
)
def test_a_relation_without_the_columns_is_refused(query: str, named: str) -> None:
    with pytest.raises(InputError, match=re.escape(named)):
        FrameRows(duckdb.sql(query), {"a"}, "a")


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame({"id": [1.0, 2.0]}),
        pd.DataFrame({"id": [1, None]}),
        pd.DataFrame({"id": pd.Series([1, None], dtype="Float64")}),
        pd.DataFrame({"id": pd.Series([1.5, None], dtype="category")}),
        pd.DataFrame({"id": pd.Series([], dtype=float)}),
        pl.DataFrame({"id": [1.0]}),
        pa.table({"id": pa.array([1.0], pa.float32())}),
        pa.table({"id": pa.array([1.0]).dictionary_encode()}),
    ],
)
def test_ids_that_are_floats_are_refused_whatever_the_values(data: Any) -> None:
    with pytest.raises(InputError, match=r"'id'.*2\*\*53"):
        FrameRows(data, {"id"}, "id")


def test_floats_are_refused_in_ids_only() -> None:
    FrameRows(pd.DataFrame({"id": pd.Series([1, None], dtype="Int64"), "x": [1, None]}), {"id", "x"}, "id")


def test_a_query_that_fails_on_a_row_is_refused_without_the_row() -> None:
    relation = duckdb.sql("SELECT CAST(x AS INTEGER) AS a FROM (VALUES ('1'), ('hunter2')) t(x)")
    with pytest.raises(InputError, match="relation") as caught:
        _ = FrameRows(relation, {"a"}).table
    assert "hunter2" not in str(caught.value)


def test_floats_that_may_be_two_ids_are_missing_in_object_columns() -> None:
    values = [2.0**53 - 1, 2.0**53, np.float64(-(2.0**60)), 2**53 + 1]
    assert text_column(values, ids=True).to_pylist() == ["9007199254740991", None, None, "9007199254740993"]
    assert None not in text_column(values).to_pylist()


def test_no_category_of_a_categorical_decides_how_others_are_read() -> None:
    categories = pd.Index(["a", "\ud800", 7], dtype=object)
    series = pd.Series(pd.Categorical.from_codes([0, 1, 2, -1], categories=categories))
    assert pandas_type(series) == pa.large_string()
    assert pandas_column(series).to_pylist() == ["a", None, "7", None]
