"""Spark reads a file or folder of this machine by its name, even if the name is a pattern."""

from pathlib import Path

import duckdb
import pytest

from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.plan.codebook import Recode


@pytest.mark.parametrize(("name", "kind"), [("people[1]", "parquet"), ("{people1,people2}", "csv")])
def test_a_name_is_no_pattern_for_spark(name: str, kind: str, tmp_path: Path) -> None:
    """A folder that exists is read, and not the folders that match its name."""
    for other in ("people1", "people2", name):
        (tmp_path / other).mkdir()
        (tmp_path / "rows.csv").write_text("a\nx\n" if other == name else "a\ny\n")
        with duckdb.connect() as base:
            base.execute(f"COPY (FROM '{tmp_path}/rows.csv') TO '{tmp_path / other}/x.{kind}' (FORMAT {kind})")
    with open_engine({"spark": str(tmp_path / name), "format": kind}) as engine:
        counts = engine.count(CountPlan((Recode("a", 2, values={"x": 0, "y": 1}),))).to_pylist()
    assert counts == [{"c0": 0, "count": 1}]
