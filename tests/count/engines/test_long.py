"""A text of more than 16 MB is missing in every source, so that one person's value does not affect others."""

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.plan.canonical_text import LONGEST_TEXT
from discreet.plan.codebook import Recode

SEX = Recode("sex", 2, values={"f": 0, "m": 1})
NUMBER = Recode("sex", 1, ranges=[(0, 10, 0)])
LIMIT = "x" * LONGEST_TEXT
LONG = {
    "plain": LIMIT + "x",
    "two bytes a character": "\N{LATIN SMALL LETTER E WITH ACUTE}" * (LONGEST_TEXT // 2 + 1),
    "tabs before a category": "\t" * LONGEST_TEXT + "m",
    "blanks after a number": "7" + " " * LONGEST_TEXT,
}


def source(kind: str, folder: Path, rows: dict[str, list[str]], request: pytest.FixtureRequest) -> dict[str, Any]:
    """Write rows to a source of this kind, and return the source."""
    table = pa.table({name: pa.array(column, pa.string()) for name, column in rows.items()})
    pq.write_table(table, folder / "x.parquet")
    if kind == "duckdb":
        with duckdb.connect(folder / "x.duckdb") as base:
            base.execute("CREATE TABLE t AS FROM read_parquet($1)", [str(folder / "x.parquet")])
        return {"duckdb": folder / "x.duckdb", "table": "t"}
    if kind == "csv":
        lines = [",".join(rows), *(",".join(row) for row in zip(*rows.values(), strict=True))]
        (folder / "x.csv").write_text("\n".join(lines) + "\n")
        return {"csv": folder / "x.csv"}
    if kind == "postgres":
        return dict(request.getfixturevalue("postgres").load("long_texts", table))
    if kind == "spark":
        request.getfixturevalue("spark")
        return {"spark": str(folder / "x.parquet")}
    return {"parquet": folder / "x.parquet"}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("kind", ["csv", "parquet", "duckdb", "postgres", "spark"])
def test_a_long_text_is_missing(kind: str, name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    rows = {"sex": ["f", "m", "7", LONG[name]], "id": ["p", "p", LONG[name], "q"]}
    with open_engine(source(kind, tmp_path, rows, request)) as engine:
        assert engine.values("sex") == ["7", "f", "m"]
        assert engine.values("id") == ["p", "q"]
        assert [tuple(line.values()) for line in engine.count(CountPlan((SEX,))).to_pylist()] == [
            (0, 1),
            (1, 1),
            (2, 2),
        ]
        assert [tuple(line.values()) for line in engine.count(CountPlan((NUMBER,))).to_pylist()] == [(0, 1), (1, 3)]
        assert engine.count(CountPlan((), unit="id")).to_pylist() == [{"count": 3}]


@pytest.mark.parametrize("kind", ["csv", "parquet", "postgres"])
def test_a_text_of_just_16_mb_is_a_value(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    with open_engine(source(kind, tmp_path, {"sex": ["f", LIMIT], "id": ["p", "q"]}, request)) as engine:
        assert engine.values("sex") == ["f", LIMIT]


@pytest.mark.parametrize("dictionary", [False, True])
def test_texts_that_the_memory_of_duckdb_does_not_hold_are_missing(dictionary: bool, tmp_path: Path) -> None:
    """The file is copied without these texts."""
    long = "x" * 200_000_000
    sex = pa.array(["f", "m", long, long])
    table = pa.table({"sex": sex.dictionary_encode() if dictionary else sex, "id": ["p", "q", "r", "s"]})
    pq.write_table(table, tmp_path / "x.parquet", compression="none")
    with open_engine({"parquet": tmp_path / "x.parquet"}, memory="100MB") as engine:
        assert engine.count(CountPlan((SEX,))).column("count").to_pylist() == [1, 1, 2]
        assert engine.values("sex") == ["f", "m"]
        assert engine.count(CountPlan((), unit="sex")).to_pylist() == [{"count": 2}]
