"""Values of Parquet files that DuckDB does not read count as missing, and change nothing for other people."""

import datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.count.engines.engine import Engine
from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.errors import InputError
from discreet.plan.codebook import Recode
from tests.count import hostile


def text(values: list[bytes]) -> pa.Array:
    """Return text whose bytes may not be UTF-8, as a careless program writes it."""
    return pa.Array.from_buffers(pa.string(), len(values), pa.array(values, pa.binary()).buffers())


BAD = {
    "text": text([b"f", b"m", b"f", b"\xff\xfe"]),
    "milliseconds": pa.array([0, 1000, 0, 2**62], pa.timestamp("ms")),
    "milliseconds, UTC": pa.array([0, 1000, 0, -(2**62)], pa.timestamp("ms", "UTC")),
}


@pytest.mark.parametrize("name", BAD)
def test_a_value_that_cannot_be_read_is_missing(name: str, tmp_path: Path) -> None:
    bad = BAD[name]
    ids = text([b"p", b"p", b"q", b"\xff"])
    pq.write_table(pa.table({"bad": bad, "id": ids, "n": [1, 2, 3, 4]}), tmp_path / "x.parquet")
    recode = Recode("bad", 2, values={"f": 0, "m": 1, "1970-01-01T00:00:00": 0, "1970-01-01T00:00:01": 1})
    number = Recode("n", 4, values={str(i + 1): i for i in range(4)})

    def opened() -> Engine:
        return open_engine({"parquet": tmp_path / "x.parquet"})

    with opened() as engine:
        lines = [tuple(line.values()) for line in engine.count(CountPlan((recode, number))).to_pylist()]
        assert lines == [(0, 0, 1), (0, 2, 1), (1, 1, 1), (2, 3, 1)]
    with opened() as engine:
        assert len(engine.values("bad")) == 2
    with opened() as engine:
        assert engine.count(CountPlan((number,), unit="id")).num_rows == 3
    with opened() as engine:
        excess = [line for batch in engine.excess(CountPlan((), unit="id"), 1) for line in batch.to_pylist()]
        assert excess == [{"id": "p", "times": 2}]
    with opened() as engine:
        assert engine.sums(CountPlan((recode,), unit="id"), hostile.keys).column("count").to_pylist() == [2, 1]
    with opened() as engine:
        assert sum(engine.count(CountPlan((number,), unit="bad")).column("count").to_pylist()) == 3


@pytest.mark.parametrize("last", [b"m", b"\xff"])
def test_times_of_day_in_utc_stay_in_utc(last: bytes, tmp_path: Path) -> None:
    """Arrow does not keep the zone, and DuckDB writes times without a zone in another way."""
    table = pa.table({"t": pa.array([0, 3_600_000_000, 0], pa.time64("us")), "sex": text([b"f", b"m", last])})
    pq.write_table(table, tmp_path / "x.parquet", write_time_adjusted_to_utc=True)
    with open_engine({"parquet": tmp_path / "x.parquet"}) as engine:
        engine.count(CountPlan((Recode("sex", 1, values={"f": 0}),)))
        assert engine.values("t") == ["00:00:00+00", "01:00:00+00"]


def test_a_file_with_intervals_is_not_repaired(tmp_path: Path) -> None:
    """An interval is bytes to Arrow, and would be counted as something else."""
    duckdb.sql(f"COPY (SELECT INTERVAL 1 DAY AS i, 'f' AS sex) TO '{tmp_path / 'x.parquet'}'")
    with open_engine({"parquet": tmp_path / "x.parquet"}) as engine:
        assert engine.values("i") == ["1 day"]
        assert not engine._database.repair()


TIMES = [datetime.datetime(*day) for day in ((9999, 12, 31), (1582, 10, 14), (2024, 5, 31, 8, 30, 0, 1))]
GOOD = {
    "times": pa.array(TIMES, pa.timestamp("us")),
    "times, UTC": pa.array(TIMES, pa.timestamp("us", "UTC")),
    "nanoseconds": pa.array([-1, 10**18 + 1, 1], pa.timestamp("ns")),
    "seconds": pa.array([-1, 10**9, None], pa.timestamp("s")),
    "dates": pa.array([datetime.date(9999, 12, 31), datetime.date(1, 1, 1), None]),
    "times of day": pa.array([1, 86_399_999_999, None], pa.time64("us")),
    "integers": pa.array([2**63 + 5, 0, None], pa.uint64()),
    "floats": pa.array([0.1, float("nan"), -0.0]),
    "short floats": pa.array([0.1, float("inf"), None], pa.float32()),
    "decimals": pa.array([Decimal("1.50"), Decimal("-0.01"), None], pa.decimal128(10, 2)),
    "booleans": pa.array([True, False, None]),
    "texts": pa.array(["é", " x ", ""]),
    "a dictionary": pa.array(["a", "b", "a"]).dictionary_encode(),
    "long texts": pa.array(["é", None, "b"], pa.large_string()),
    "structs": pa.array([{"t": time} for time in TIMES], pa.struct([("t", pa.timestamp("us"))])),
    "lists": pa.array([["a"], [], None]),
}


@pytest.mark.parametrize("int96", [False, True])
@pytest.mark.parametrize("name", GOOD)
def test_repairing_one_value_changes_no_other_value(name: str, int96: bool, tmp_path: Path) -> None:
    def read(last: bytes) -> list[str]:
        table = pa.table({"good": GOOD[name], "bad": text([b"f", b"m", last])})
        pq.write_table(table, tmp_path / "x.parquet", use_deprecated_int96_timestamps=int96)
        with open_engine({"parquet": tmp_path / "x.parquet"}) as engine:
            engine.count(CountPlan((Recode("bad", 1, values={"f": 0}),)))
            return sorted(engine.values("good"))

    assert read(b"m") == read(b"\xff")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (pa.array([1.0]), pa.array([2**60 + 1, 2**60 + 2])),
        (pa.array([1], pa.int8()), pa.array([2])),
        (pa.array([1]), pa.array(["2"])),
        (pa.array([1]), None),
        (pa.nulls(2), None),
    ],
)
@pytest.mark.parametrize("reversed_order", [False, True])
def test_files_whose_types_differ_are_refused(
    first: pa.Array, second: pa.Array, reversed_order: bool, tmp_path: Path
) -> None:
    """They are refused if the column is used: ids cast to another type could become one id, or fail."""
    for name, column in zip("ba" if reversed_order else "ab", (first, second), strict=True):
        size = 2 if column is None else len(column)
        content = {"n": ["f"] * size} | ({} if column is None else {"x": column})
        pq.write_table(pa.table(content), tmp_path / f"{name}.parquet")
    with pytest.raises(InputError, match=r"column 'x' is .*\.parquet, .*\.parquet"):
        open_engine({"parquet": tmp_path}, column_names={"x", "n"})
    if second is not None or not reversed_order:
        with pytest.raises(InputError, match=r"column 'x' is .*\.parquet, .*\.parquet"):
            open_engine({"parquet": tmp_path})
    if second is not None:
        with open_engine({"parquet": tmp_path}, column_names={"n"}) as engine:
            total = len(first) + len(second)
            assert engine.count(CountPlan((Recode("n", 1, values={"f": 0}),))).to_pylist() == [
                {"c0": 0, "count": total}
            ]


@pytest.mark.parametrize("names", ["ab", "ba"])
@pytest.mark.parametrize("answer", [None, "f"])
def test_a_file_may_have_a_column_without_values(answer: str | None, names: str, tmp_path: Path) -> None:
    """The column has no type in this file, and a type in others. One value more is one count more."""
    pq.write_table(pa.table({"x": ["f", "f"], "y": [1, 2]}), tmp_path / f"{names[0]}.parquet")
    pq.write_table(pa.table({"x": [None, answer], "y": [None, None]}), tmp_path / f"{names[1]}.parquet")
    with open_engine({"parquet": tmp_path}, column_names={"x", "y"}) as engine:
        counts = engine.count(CountPlan((Recode("x", 1, values={"f": 0}),))).to_pylist()
        expected = [3, 1] if answer else [2, 2]
        assert counts == [{"c0": code, "count": count} for code, count in enumerate(expected)]
        assert engine.count(CountPlan((Recode("y", 2, values={"1": 0, "2": 1}),))).to_pylist()[:2] == [
            {"c0": 0, "count": 1},
            {"c0": 1, "count": 1},
        ]
