"""The quick ways DuckDB and the streams take give what the slow definition, a loop over the rows, gives."""

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
    """Values of their own code, values that share one, codes that nothing has, and long lists."""
    column = draw(st.sampled_from(["text", "text", "text", "real", "whole", "exact"]))
    leaves = draw(st.integers(8, 20))
    chosen = draw(st.lists(st.sampled_from(DECLARED), unique=True, min_size=4, max_size=leaves))
    one_to_one = draw(st.booleans())
    values = {text: place if one_to_one else draw(st.integers(0, leaves - 1)) for place, text in enumerate(chosen)}
    long = draw(st.booleans())
    more = {f"{999 + place}": draw(st.integers(0, leaves - 1)) for place in range(80)} if long else {}
    return Recode(column, leaves, values=values | more)


def counted(engine: Engine, plan: CountPlan) -> dict[tuple[int, ...], int]:
    lines = [tuple(line.values()) for line in engine.count(plan).to_pylist()]
    assert lines == sorted(lines)
    return {line[:-1]: line[-1] for line in lines}


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(ROW, max_size=40), plan=st.lists(recodes(), max_size=2), dictionary=st.booleans())
def test_counts_of_odd_values(rows: list[dict[str, Any]], plan: list[Recode], dictionary: bool, tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(rows, SCHEMA), tmp_path / "odd.parquet", use_dictionary=dictionary)
    asked, people = CountPlan(tuple(plan)), CountPlan(tuple(plan), unit="id")
    with open_engine({"parquet": tmp_path / "odd.parquet"}) as engine:
        assert counted(engine, asked) == hostile.answers(asked, [row | {"key": 0} for row in rows]).counts
        expected = hostile.answers(people, [row | {"key": 0} for row in rows])
        assert counted(engine, people) == expected.counts
        for size in (arrow_batches._DENSE, 1):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(arrow_batches, "_DENSE", size)
                found = engine.sums(people, hostile.keys, expected.dropped)
            lines = [tuple(line.values()) for line in found.to_pylist()]
            assert {line[: len(plan)]: line[len(plan) :] for line in lines} == expected.sums


def test_collations_enumerations_and_other_types_of_duckdb(tmp_path: Path) -> None:
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
            many = CountPlan((Recode(column, 2, values=values | {str(9000 + each): 0 for each in range(80)}),))
            assert counted(engine, many) == counted(engine, plan), column
        assert engine.values("n") == ["A", "B", "a"]
        assert engine.values("e") == ["a", "b"]
        assert engine.values("f") == ["0", "0.10000000149011612"]


def test_undeclared_texts_are_not_compared_with_every_declared_one(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a", "b"]}), tmp_path / "x.parquet")
    column = Column("text", "text")
    with contextlib.closing(engine_of_duckdb.DuckDB(parquet=tmp_path / "x.parquet")) as base:
        few = base.dialect.lookup(column, 0, ["a", "c"], [0, 1])
        many = base.dialect.lookup(column, 1, [f"a{place}" for place in range(100)], list(range(100)))
    assert "TRY_CAST" in few.value
    assert "TRY_CAST" not in many.value
    assert many.join


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ids=st.lists(st.none() | st.integers(0, 12), max_size=60),
    most=st.integers(1, 4),
    share=st.sampled_from([3, 2**24]),
    often=st.sampled_from([0, 2**20]),
    as_text=st.booleans(),
)
def test_ids_with_too_many_rows_are_found(
    ids: list[int | None], most: int, share: int, often: int, as_text: bool, tmp_path: Path
) -> None:
    given_ids = [None if name is None else str(name) for name in ids] if as_text else ids
    column = pa.array(given_ids, pa.string() if as_text else pa.int64())
    pq.write_table(pa.table({"id": column}), tmp_path / "ids.parquet")
    with pytest.MonkeyPatch.context() as patch, open_engine({"parquet": tmp_path / "ids.parquet"}) as engine:
        patch.setattr(engine_of_duckdb, "_SHARE", share)
        patch.setattr(engine_of_duckdb, "_OFTEN", often)
        found = [line for batch in engine.excess(CountPlan(unit="id"), most) for line in batch.to_pylist()]
    times = Counter(str(name) for name in ids if name is not None)
    assert {line["id"]: line["times"] for line in found} == {name: n for name, n in times.items() if n > most}
    assert len(found) == len({line["id"] for line in found})


@given(names=st.lists(st.text(max_size=20), max_size=20), start=st.integers(0, 3), large=st.booleans())
def test_record_keys_are_aes_of_the_id(names: list[str], start: int, large: bool) -> None:
    secret = hashlib.sha256(b"secret").digest()
    array = pa.array(names, pa.large_string() if large else pa.string()).slice(start)

    def derived(purpose: str) -> bytes:
        return hmac.digest(secret, b"discreet " + purpose.encode(), "sha256")

    def slowly(name: str) -> list[int]:
        text = name.encode()
        hashed = b"\xff" + hmac.digest(derived("long ids"), text, "sha256")[:15]
        block = bytes([len(text)]) + text.ljust(15, b"\0") if len(text) <= 15 else hashed
        whole = Cipher(algorithms.AES256(derived("record keys")), modes.ECB()).encryptor().update(block)
        return [int.from_bytes(whole[at : at + 4], "big") for at in (0, 4, 8, 12)]

    found: npt.NDArray[Any] = np.array(keys.record_keys(secret)(array)).T
    assert found.tolist() == [slowly(name) for name in names[start:]]
