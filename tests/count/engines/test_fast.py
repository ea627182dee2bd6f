"""The fast queries of DuckDB and the streams give the same results as a plain loop over the rows."""

import contextlib
import hashlib
import hmac
import math
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.count import arrow_batches
from discreet.count.engines import _duckdb_dialect
from discreet.count.engines import duckdb as engine_of_duckdb
from discreet.count.engines.engine import Engine
from discreet.count.engines.sql import Column
from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.measure import keys
from discreet.plan.codebook import Recode
from tests.count import hostile

TEXTS = [
    "a",
    "A",
    " a",
    "a\t",
    "á",
    "ab",
    "a b",
    "",
    " ",
    "\v\f",
    "\u00a0a",
    "'",
    "''",
    '"',
    "\\",
    "%",
    "NULL",
    "0",
    "07",
]
NUMBERS = [0.0, -0.0, 1.0, 7.5, math.nan, math.inf, -math.inf, 1e16, 1e300, 5e-324]
DECIMALS = [Decimal("0.00"), Decimal("-0.50"), Decimal("7.00"), Decimal("7.50")]
DECLARED = ["a", "A", "á", "ab", "a b", "'", "''", '"', "\\", "%", "NULL", "0", "7", "7.5", "-0.5", "1e-07", "\u00a0a"]

ROW = st.fixed_dictionaries(
    {
        "text": st.none() | st.sampled_from(TEXTS) | st.text("ab A\t", max_size=3),
        "real": st.none() | st.sampled_from(NUMBERS),
        "whole": st.none() | st.integers(-3, 9),
        "exact": st.none() | st.sampled_from(DECIMALS),
        "id": st.none() | st.integers(-2, 6),
    }
)
KINDS = {"text": pa.string(), "real": pa.float64(), "whole": pa.int64(), "exact": pa.decimal128(9, 2), "id": pa.int64()}
SCHEMA = pa.schema(list(KINDS.items()))


@st.composite
def recodes(draw: st.DrawFn) -> Recode:
    """Draw values with their own code, values that share a code, codes without values, and long lists."""
    column = draw(st.sampled_from(["text", "text", "text", "real", "whole", "exact"]))
    leaves = draw(st.integers(8, 20))
    chosen = draw(st.lists(st.sampled_from(DECLARED), unique=True, min_size=4, max_size=leaves))
    one_to_one = draw(st.booleans())
    values = {text: index if one_to_one else draw(st.integers(0, leaves - 1)) for index, text in enumerate(chosen)}
    long = draw(st.booleans())
    further_values = {str(999 + i): draw(st.integers(0, leaves - 1)) for i in range(80)} if long else {}
    return Recode(column, leaves, values=values | further_values)


def counted(engine: Engine, plan: CountPlan) -> dict[tuple[int, ...], int]:
    lines = [tuple(line.values()) for line in engine.count(plan).to_pylist()]
    assert lines == sorted(lines)
    return {line[:-1]: line[-1] for line in lines}


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(ROW, max_size=40), plan=st.lists(recodes(), max_size=2), dictionary=st.booleans())
def test_counts_of_unusual_values_are_those_of_a_loop(
    rows: list[dict[str, Any]], plan: list[Recode], dictionary: bool, tmp_path: Path
) -> None:
    pq.write_table(pa.Table.from_pylist(rows, SCHEMA), tmp_path / "x.parquet", use_dictionary=dictionary)
    by_row, by_person = CountPlan(tuple(plan)), CountPlan(tuple(plan), unit="id")
    with open_engine({"parquet": tmp_path / "x.parquet"}) as engine:
        assert counted(engine, by_row) == hostile.answers(by_row, [row | {"key": 0} for row in rows]).counts
        expected = hostile.answers(by_person, [row | {"key": 0} for row in rows])
        assert counted(engine, by_person) == expected.counts
        for size in (arrow_batches._DENSE, 1):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(arrow_batches, "_DENSE", size)
                sums = engine.sums(by_person, hostile.keys, expected.dropped)
            lines = [tuple(line.values()) for line in sums.to_pylist()]
            assert {line[: len(plan)]: line[len(plan) :] for line in lines} == expected.sums


def test_collations_enumerations_and_other_types_of_duckdb_are_compared_as_text(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "x.duckdb") as base:
        base.execute("CREATE TYPE m0 AS ENUM ('b', 'a', ' a')")
        base.execute("CREATE TABLE declared AS SELECT 'a' AS raw, 1 AS code")
        base.execute("CREATE TABLE t (e m0, n VARCHAR COLLATE NOCASE, i INTERVAL, u UUID, h HUGEINT, f FLOAT)")
        base.execute(
            "INSERT INTO t VALUES ('a', 'A', '1 month', NULL, 7, 0.1), (' a', 'a', '30 days', NULL, -7, '-0'),"
            " ('b', 'a ', NULL, '00000000-0000-0000-0000-000000000001', NULL, 'nan'),"
            " (NULL, 'B', NULL, NULL, NULL, NULL)"
        )
    expected: Mapping[str, tuple[dict[str, int], dict[int, int]]] = {
        "e": ({"a": 0, "b": 1}, {0: 2, 1: 1, 2: 1}),
        "n": ({"a": 0, "A": 1}, {0: 2, 1: 1, 2: 1}),
        "i": ({"1 month": 0, "30 days": 1}, {0: 1, 1: 1, 2: 2}),
        "u": ({"00000000-0000-0000-0000-000000000001": 1}, {1: 1, 2: 3}),
        "h": ({"7": 0, "-7": 1}, {0: 1, 1: 1, 2: 2}),
        "f": ({"0": 0, "0.10000000149011612": 1}, {0: 1, 1: 1, 2: 2}),
    }
    with open_engine({"duckdb": tmp_path / "x.duckdb", "table": "t"}) as engine:
        for column, (values, counts) in expected.items():
            plan = CountPlan((Recode(column, 2, values=values),))
            assert counted(engine, plan) == {(code,): count for code, count in counts.items()}, column
            long_plan = CountPlan((Recode(column, 2, values=values | {str(9000 + i): 0 for i in range(80)}),))
            assert counted(engine, long_plan) == counted(engine, plan), column
        assert engine.values("n") == ["A", "B", "a"]
        assert engine.values("e") == ["a", "b"]
        assert engine.values("f") == ["0", "0.10000000149011612"]


def test_undeclared_texts_are_not_compared_with_every_declared_one(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a", "b"]}), tmp_path / "x.parquet")
    column = Column("text", "text")
    with contextlib.closing(engine_of_duckdb.DuckDB("parquet", tmp_path / "x.parquet")) as base:
        few_texts = base.dialect.lookup(column, 0, ["a", "c"], [0, 1])
        many_texts = base.dialect.lookup(column, 1, [f"a{i}" for i in range(100)], list(range(100)))
    assert "TRY_CAST" in few_texts.value
    assert "TRY_CAST" not in many_texts.value
    assert many_texts.join


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ids=st.lists(st.none() | st.integers(0, 12), max_size=60),
    most=st.integers(1, 4),
    share=st.sampled_from([3, 2**24]),
    most_hashes=st.sampled_from([0, 2**20]),
    as_text=st.booleans(),
)
def test_ids_with_too_many_rows_are_found(
    ids: list[int | None], most: int, share: int, most_hashes: int, as_text: bool, tmp_path: Path
) -> None:
    written_ids = [None if name is None else str(name) for name in ids] if as_text else ids
    column = pa.array(written_ids, pa.string() if as_text else pa.int64())
    pq.write_table(pa.table({"id": column}), tmp_path / "ids.parquet")
    with pytest.MonkeyPatch.context() as patch, open_engine({"parquet": tmp_path / "ids.parquet"}) as engine:
        patch.setattr(_duckdb_dialect, "_SHARE", share)
        patch.setattr(_duckdb_dialect, "_MOST_HASHES", most_hashes)
        lines = [line for batch in engine.excess(CountPlan(unit="id"), most) for line in batch.to_pylist()]
    times = Counter(str(name) for name in ids if name is not None)
    assert {line["id"]: line["times"] for line in lines} == {name: n for name, n in times.items() if n > most}
    assert len(lines) == len({line["id"] for line in lines})


@given(names=st.lists(st.text(max_size=20), max_size=20), start=st.integers(0, 3), large=st.booleans())
def test_record_keys_are_aes_of_the_id(names: list[str], start: int, large: bool) -> None:
    secret = hashlib.sha256(b"secret").digest()
    array = pa.array(names, pa.large_string() if large else pa.string()).slice(start)

    def derived(purpose: str) -> bytes:
        return hmac.digest(secret, b"discreet " + purpose.encode(), "sha256")

    def components(name: str) -> list[int]:
        text = name.encode()
        hashed = b"\xff" + hmac.digest(derived("long ids"), text, "sha256")[:15]
        block = bytes([len(text)]) + text.ljust(15, b"\0") if len(text) <= 15 else hashed
        encrypted = Cipher(algorithms.AES256(derived("record keys")), modes.ECB()).encryptor().update(block)
        return [int.from_bytes(encrypted[first : first + 4], "big") for first in (0, 4, 8, 12)]

    record_keys: npt.NDArray[Any] = np.array(keys.record_keys(secret)(array)).T
    assert record_keys.tolist() == [components(name) for name in names[start:]]
