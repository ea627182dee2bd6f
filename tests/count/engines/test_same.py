"""All engines, and a plain loop over the rows, give the same counts, whatever the order of the rows."""

import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from discreet.count.engines.engine import Engine
from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.errors import InputError, ManyValuesError
from discreet.plan.codebook import Recode
from tests.count import hostile

SEEDS = (1, 2)
SIZE = 1500
SOURCES = ("csv", "parquet", "duckdb", "postgres", "spark parquet", "spark csv", "spark table")

Maker = Callable[[str, list[hostile.Row]], Engine]


@pytest.fixture
def opened(tmp_path: Path, request: pytest.FixtureRequest) -> Maker:
    """Return a function that writes rows to a source and opens its engine."""

    def opened(kind: str, data: list[hostile.Row]) -> Engine:
        source: dict[str, Any]
        if kind == "csv":
            source = {"csv": hostile.write_csv(tmp_path / "town.csv", data)}
        elif kind == "parquet":
            source = {"parquet": hostile.write_parquet(tmp_path / "town.parquet", data)}
        elif kind == "duckdb":
            import duckdb

            with duckdb.connect(tmp_path / "town.duckdb") as base:
                base.register("rows", hostile.table(data))
                base.execute("CREATE SCHEMA IF NOT EXISTS s; CREATE OR REPLACE TABLE s.people AS SELECT * FROM rows")
            source = {"duckdb": tmp_path / "town.duckdb", "table": "s.people"}
        elif kind == "postgres":
            source = request.getfixturevalue("postgres").load("town", hostile.table(data))
        else:
            source = request.getfixturevalue("spark").load(kind, data, tmp_path)
        return open_engine(source)

    return opened


def by_codes(table: pa.Table, plan: CountPlan) -> dict[tuple[int, ...], Any]:
    """Return the other columns of each line by its codes."""
    width = len(plan.recodes)
    lines = [tuple(line.values()) for line in table.to_pylist()]
    assert lines == sorted(lines)
    result = {line[:width]: line[width:] for line in lines}
    assert len(result) == len(lines)
    return result


@pytest.mark.parametrize("kind", SOURCES)
def test_every_engine_gives_the_same_answers(kind: str, opened: Maker) -> None:
    data = hostile.rows(1, SIZE)
    with opened(kind, data) as engine:
        for name, plan in hostile.plans().items():
            if kind in ("spark csv", "spark table") and name not in ("rows", "text ids"):
                continue  # a query takes Spark seconds, and all plans run on "spark parquet"
            expected = hostile.answers(plan, data)
            counted = engine.count(plan)
            assert counted.schema.names == [*plan.codes, "count"], name
            assert set(counted.schema.types) <= {pa.int32(), pa.int64()}, name
            assert {codes: count for codes, (count,) in by_codes(counted, plan).items()} == expected.counts, name
            batches = [batch.to_pylist() for batch in engine.excess(plan, 3)]
            excess = {
                (line["id"], tuple(line[code] for code in plan.codes)): line["times"]
                for batch in batches
                for line in batch
            }
            assert excess == expected.excess, name
            assert sum(map(len, batches)) == len(excess), name
            if plan.unit is not None:
                assert by_codes(engine.sums(plan, hostile.keys, expected.dropped), plan) == expected.sums, name
            assert by_codes(engine.key_sums(plan, ["key"], 256), plan) == expected.key_sums, name


@pytest.mark.parametrize("kind", SOURCES)
def test_the_values_of_a_column_are_canonical_texts_in_order(kind: str, opened: Maker) -> None:
    data = hostile.rows(1, SIZE)
    columns = hostile.SCHEMA.names if kind != "spark csv" else ["region", "income"]
    with opened(kind, data) as engine:
        for column in columns:
            texts = (hostile.name_of(row[column]) for row in data)
            expected = sorted({text for text in texts if text is not None})
            assert engine.values(column) == expected, column
        assert engine.values("region", limit=len({hostile.name_of(row["region"]) for row in data}) - 1)
        with pytest.raises(ManyValuesError, match="'region' has more than 3 "):
            engine.values("region", limit=3)
        with pytest.raises(InputError, match="no column 'Region'"):
            engine.values("Region")


@pytest.mark.parametrize("kind", SOURCES)
def test_the_order_of_rows_does_not_matter(kind: str, opened: Maker) -> None:
    data = hostile.rows(2, 300)
    plan = hostile.plans()["people"]
    with opened(kind, data) as engine:
        first = engine.count(plan), engine.sums(plan, hostile.keys), engine.key_sums(plan, ["key"], 256)
    random.Random(3).shuffle(data)
    with opened(kind, data) as engine:
        assert first == (engine.count(plan), engine.sums(plan, hostile.keys), engine.key_sums(plan, ["key"], 256))


@pytest.mark.parametrize("kind", SOURCES)
def test_record_keys_may_be_fractions(kind: str, opened: Maker) -> None:
    data = hostile.rows(4, 300)
    plan = CountPlan((hostile.plans()["rows"].recodes[0],))
    expected: Counter[tuple[int, int]] = Counter()
    for row in data:
        code = hostile.code_of(plan.recodes[0], row[plan.recodes[0].column])
        for index, name in enumerate(("income", "level")):
            value = row[name]
            inside = value is not None and 0 <= value < 1
            expected[code, index] += math.floor(Fraction(value) * 2**32) if inside else 0
    with opened(kind, data) as engine:
        lines = engine.key_sums(plan, ["income", "level"], 2**32, fractions=True).to_pylist()
    assert {(line["c0"], index): line[f"s{index}"] for line in lines for index in range(2)} == dict(expected)


@pytest.mark.parametrize("kind", SOURCES)
def test_no_rows_make_no_lines(kind: str, opened: Maker) -> None:
    plan = hostile.plans()["people"]
    with opened(kind, []) as engine:
        assert engine.count(plan).num_rows == 0
        assert engine.count(CountPlan()).num_rows == 0
        assert engine.values("age") == []
        assert list(engine.excess(plan, 1)) == []
        assert engine.sums(plan, hostile.keys).to_pylist() == []
        assert engine.key_sums(plan, ["key"], 4096).num_rows == 0


@pytest.mark.parametrize("kind", SOURCES)
def test_an_unknown_column_is_refused_and_the_known_columns_are_named(kind: str, opened: Maker) -> None:
    with opened(kind, hostile.rows(1, 3)) as engine:
        assert list(engine.columns()) == hostile.SCHEMA.names
        refusals: list[Callable[[], object]] = [
            lambda: engine.count(CountPlan((Recode("Age", 1, values={"1": 0}),))),
            lambda: engine.count(CountPlan(unit="id")),
            lambda: engine.key_sums(CountPlan(), ["rkey"], 256),
        ]
        for refused in refusals:
            listed = "13 columns" if "csv" in kind else "Région.*age, born"
            with pytest.raises(InputError, match=rf"no column '(Age|id|rkey)'; it has {listed}"):
                refused()


def test_every_source_tells_the_kinds_of_its_columns(opened: Maker) -> None:
    with opened("csv", []) as engine:
        assert set(engine.columns().values()) == {"text"}
    kinds = ["int", "float", "text", "int", "float", "text", "float", "bool", "date", "date", "float", "int", "text"]
    for kind in SOURCES:
        if "csv" not in kind:
            with opened(kind, []) as engine:
                assert list(engine.columns().values()) == kinds, kind
