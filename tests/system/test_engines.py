"""A whole release with each engine, compared with the truth."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.release import run
from tests.system import truth

SIDES = {"a": 7, "b": 5, "c": 3}


@pytest.mark.parametrize("engine", ["csv", "parquet", "postgres", "spark"])
def test_a_release_is_right_with_each_engine(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    people = truth.zipf(8, 5_000, SIDES)
    rows = pa.Table.from_pylist(people)
    if engine == "csv":
        source: dict[str, Any] = {"csv": str(truth.write(tmp_path / "people.csv", people))}
    elif engine == "postgres":
        source = request.getfixturevalue("postgres").load("people", rows)
    else:
        pq.write_table(rows, tmp_path / "people.parquet")
        source = {engine: str(tmp_path / "people.parquet")}
        if engine == "spark":
            request.getfixturevalue("spark")
    spec = {
        "version": "1",
        "source": source,
        "dimensions": truth.dimensions(SIDES),
        "tables": [
            {"name": "t", "dimensions": ["a", "b"], "margins": "all"},
            {"name": "u", "dimensions": ["b", "c"], "margins": "all"},
            {"name": "v", "dimensions": ["a", "c"], "margins": "all"},
        ],
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
    }
    assert truth.wrong_in(run(spec, tmp_path / "out"), people) == []
