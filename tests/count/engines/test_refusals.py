"""A wrong source is refused in one line, before anything is counted, without passwords or rows."""

import errno
import gzip
import os
import re
import sys
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.errors import DiscreetError, InputError, ParameterError
from discreet.plan.canonical_text import canonical, typed
from discreet.plan.codebook import Recode
from tests import workbooks
from tests.count import hostile
from tests.servers import PASSWORD, Postgres

ODD = '"my.schema"."a ""table"" x"'
COUNT = CountPlan((Recode("a", 1, values={"x": 0}),))


@pytest.mark.parametrize(
    ("source", "error", "named"),
    [
        ({}, ParameterError, "csv, parquet, excel, duckdb, postgres, spark"),
        ({"csv": "a", "parquet": "b"}, ParameterError, "names csv, parquet;"),
        ({"csv": "a", "table": "b"}, ParameterError, "table; allowed: dates, decimal, delimiter, encoding, header"),
        ({"parquet": 3}, ParameterError, "parquet"),
        ({"duckdb": "a.duckdb"}, ParameterError, "duckdb has no table"),
        ({"postgres": "env:X"}, ParameterError, "postgres has no table"),
        ({"csv": "no/such.csv"}, InputError, r"no file no/such\.csv"),
        ({"csv": "/"}, InputError, "/ is a folder"),
        ({"excel": "no/such.xlsx"}, InputError, r"no file no/such\.xlsx"),
        ({"excel": "x.xlsx", "header": True}, ParameterError, "header; allowed: sheet"),
        ({"parquet": "no/such.parquet"}, InputError, r"no/such\.parquet"),
        ({"parquet": "no/*.parquet"}, InputError, r"no/\*\.parquet"),
        ({"duckdb": "no/such.duckdb", "table": "t"}, InputError, r"no/such\.duckdb"),
        ({"postgres": "env:DISCREET_NONE", "table": "t"}, InputError, "DISCREET_NONE"),
        ({"spark": "x", "format": "orc"}, ParameterError, "'orc'"),
    ],
)
def test_a_wrong_source_is_refused(source: dict[str, Any], error: type[DiscreetError], named: str) -> None:
    with pytest.raises(error, match=named):
        open_engine(source)


def test_a_file_of_another_kind_is_refused_without_its_content(tmp_path: Path) -> None:
    rows = {"secret": ["rows"] * 9}
    contents: dict[str, bytes | Path] = {
        "csv": b"secret,rows\n" * 999,
        "parquet": tmp_path / "p",
        "excel": workbooks.write(tmp_path / "x", {"secret": [["rows"]]}),
        "duckdb": tmp_path / "d",
        "xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1secret",
        "gzip": gzip.compress(b"secret,rows\n"),
    }
    pq.write_table(pa.table(rows), tmp_path / "p")
    with duckdb.connect(str(tmp_path / "d")) as database:
        database.execute("CREATE TABLE secret AS SELECT 1 AS rows")
    for kind, content in contents.items():
        file = tmp_path / f"file.{kind}"
        file.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
        for expected in {"csv", "parquet", "excel", "duckdb"} - {kind}:
            source = {expected: file} | ({"table": "t"} if expected == "duckdb" else {})
            with pytest.raises(InputError, match=rf"file\.{kind} is ") as caught:
                open_engine(source)
            assert "secret" not in str(caught.value)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty"):
        open_engine({"parquet": tmp_path / "empty"})


@pytest.mark.parametrize("first", [b"PAR1,x", b"PK,x", b"id,name\nDUCKBILL,x", b"\x1f,x"])
def test_no_answer_in_a_csv_file_makes_it_another_kind(first: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(first + b"\na,PAR1")
    with open_engine({"csv": tmp_path / "x.csv", "header": False}) as engine:
        assert "PAR1" in engine.values("column2")


def test_a_file_without_read_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.csv").write_bytes(b"a\n")

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", refuse)  # root may read everything
    with pytest.raises(InputError, match=r"x\.csv cannot be read \(Permission denied\)"):
        open_engine({"csv": tmp_path / "x.csv"})


def test_tables_and_views_of_a_duckdb_file_are_read_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with duckdb.connect(path) as base:
        base.execute(f"CREATE SCHEMA \"my.schema\"; CREATE TABLE {ODD} AS SELECT 'x' AS a")
        base.execute(f"CREATE VIEW v AS SELECT * FROM {ODD}")
    before = path.read_bytes()
    for name in (ODD, "v", "main.v"):
        with open_engine({"duckdb": path, "table": name}) as engine:
            assert engine.count(COUNT).to_pylist() == [{"c0": 0, "count": 1}]
    assert path.read_bytes() == before
    for name in ("w", "main.w", "s.v", "v; DROP TABLE v", "COUNT", "before"):
        with pytest.raises(InputError, match="DuckDB"):
            open_engine({"duckdb": path, "table": name})
    for name in ("a..b", ".a", "a.", 'a"b', "a.b.c.d"):
        with pytest.raises(InputError, match=re.escape(repr(name))):
            open_engine({"duckdb": path, "table": name})


def test_a_folder_and_a_pattern_of_parquet_files_are_read_together(tmp_path: Path) -> None:
    for i, value in enumerate(("x", "y", "x")):
        (tmp_path / "year=1").mkdir(exist_ok=True)
        pq.write_table(pa.table({"a": [value]}), tmp_path / "year=1" / f"part [{i}]'.parquet")
    single_file = tmp_path / "year=1" / "part [2]'.parquet"
    for source, rows in ((tmp_path, 3), (tmp_path / "*" / "part*.parquet", 3), (single_file, 1)):
        with open_engine({"parquet": source}) as engine:
            assert list(engine.columns()) == ["a"]
            assert sum(engine.count(COUNT).column("count").to_pylist()) == rows


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.extras.find_spec", lambda name: None)
    for extra in ("postgres", "spark"):
        with pytest.raises(InputError, match=rf"pip install 'discreet\[{extra}\]'"):
            open_engine({extra: "x"} | ({"table": "t"} if extra == "postgres" else {}))


def test_missing_java_is_told_before_spark_starts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from pyspark.sql import SparkSession

    monkeypatch.setattr(SparkSession, "getActiveSession", staticmethod(lambda: None))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(InputError, match="Java 17"):
        open_engine({"spark": "t"})


def test_a_source_that_spark_cannot_read_is_refused_without_its_content(spark: object, tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"secret,rows\n" * 9)
    for source in ({"spark": "no_such"}, {"spark": str(tmp_path / "none.parquet")}):
        with pytest.raises(InputError, match=re.escape(source["spark"])):
            open_engine(source)
    with pytest.raises(InputError, match=r"x\.parquet") as caught:
        open_engine({"spark": str(tmp_path / "x.parquet")})
    assert "secret,rows" not in str(caught.value)


class TestPostgres:
    """Refusals and values that only PostgreSQL has."""

    def test_the_password_is_in_no_message(self, postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
        secret = "hunter2 xyz"
        for dsn in (
            postgres.dsn.replace(PASSWORD, secret),
            postgres.dsn.replace(PASSWORD, secret).replace(str(postgres.port), "1"),
            f"host=127.0.0.1 password={secret}",
            f"postgresql://steward:{secret.replace(' ', '%20')}@127.0.0.1:{postgres.port}/none",
            f"postgresql://steward:{secret}@[127.0.0.1/x",
            f"nonsense{secret}",
        ):
            monkeypatch.setenv("TOWN", dsn)
            with pytest.raises(InputError, match=r"PostgreSQL at|connection string") as caught:
                open_engine({"postgres": "env:TOWN", "table": "t"})
            assert not re.search("hunter2|xyz", str(caught.value))
            assert caught.value.__suppress_context__

    def test_tables_that_cannot_be_read_are_refused(self, postgres: Postgres) -> None:
        postgres.execute(
            "DROP TABLE IF EXISTS hidden", "CREATE TABLE hidden (a text)", "DROP ROLE IF EXISTS guest",
            f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'",
        )  # fmt: skip
        guest = postgres.dsn.replace("steward", "guest")
        with pytest.raises(InputError, match="may not read hidden"):
            open_engine({"postgres": guest, "table": "hidden"})
        for name in ("none", "none.none", "none.none.none", "hidden; DROP TABLE hidden"):
            with pytest.raises(InputError, match=f"no table or view {name}"):
                open_engine({"postgres": postgres.dsn, "table": name})
        with open_engine({"postgres": postgres.dsn, "table": "hidden"}) as engine:
            assert engine.count(COUNT).num_rows == 0

    def test_values_that_only_postgresql_has_are_counted(self, postgres: Postgres) -> None:
        """NaN is the largest number, dates may be infinite, and a numeric may be larger or smaller than any double."""
        postgres.execute(
            "DROP TABLE IF EXISTS odd", "DROP TYPE IF EXISTS mood", "CREATE TYPE mood AS ENUM ('x', 'sad')",
            "CREATE TABLE odd (a mood, d date, t timestamptz, n numeric, f float4, s text, j jsonb)",
            """INSERT INTO odd VALUES
               ('x', 'infinity', '2024-05-31 10:30+02', 'NaN', 'NaN', '1e-999', '{}'),
               ('x', '4713-01-01 BC', '-infinity', '1e400', 'Infinity', '-1e-400', '[]'),
               ('sad', '2024-05-31', NULL, '-1e-400', 0.1, '1e999', NULL),
               ('sad', '2024-05-31', '2024-05-31 08:30Z', '2.50', 1e30, '""" + "9" * 299 + "', '1')",
        )  # fmt: skip
        positive = ((0, None, 1), (None, 0, 0))
        recodes = (
            Recode("a", 1, values={"x": 0}),
            Recode("d", 2, values={"2024-05-31": 0, "infinity": 1}),
            Recode("t", 1, values={"2024-05-31T08:30:00": 0}),
            Recode("n", 2, ranges=positive),
            Recode("n", 1, values={"2.5": 0}),
            Recode("f", 2, ranges=positive),
            Recode("s", 2, ranges=positive),
            Recode("j", 1, values={"[]": 0}),
        )
        with open_engine({"postgres": postgres.dsn, "table": "public.odd"}) as engine:
            assert list(engine.columns().values()) == ["text", "date", "date", "float", "float", "text", "other"]
            counted = engine.count(CountPlan(recodes)).to_pylist()
        assert sorted(tuple(line.values()) for line in counted) == sorted([
            (0, 1, 0, 2, 1, 2, 1, 1, 1),
            (0, 2, 1, 2, 1, 2, 1, 0, 1),
            (1, 0, 1, 1, 1, 1, 2, 1, 1),
            (1, 0, 0, 1, 0, 1, 1, 1, 1),
        ])  # fmt: skip

    def test_all_queries_see_the_same_rows(self, postgres: Postgres) -> None:
        source = postgres.load("moving", pa.table({"a": ["x", "x"]}))
        with open_engine(source) as engine:
            first = engine.count(COUNT)
            postgres.execute("INSERT INTO moving VALUES ('x')")
            assert engine.count(COUNT) == first
        with open_engine(source) as engine:
            assert engine.count(COUNT).to_pylist() == [{"c0": 0, "count": 3}]

    def test_a_server_that_stops_answering_is_told(self, postgres: Postgres) -> None:
        source = postgres.load("gone", pa.table({"a": ["x"]}))
        with open_engine(source) as engine:
            postgres.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'discreet'"
            )
            with pytest.raises(InputError, match="PostgreSQL stopped"):
                engine.count(COUNT)

    def test_no_key_reaches_the_server(self, postgres: Postgres) -> None:
        """The server's own record of statements holds none of the keys."""
        source = postgres.load("keyed", pa.table({"a": ["x"], "person": [5]}))
        components: list[int] = []

        def keys(ids: pa.Array) -> Any:
            record_keys = hostile.keys(ids)
            components.extend(int(part[0]) for part in record_keys)
            return record_keys

        plan = CountPlan(COUNT.recodes, unit="person")
        with open_engine(source) as engine:
            engine.sums(plan, keys)
            import psycopg

            with psycopg.connect(postgres.dsn) as base:
                query = "SELECT query FROM pg_stat_activity WHERE application_name = 'discreet'"
                statements = "".join(row[0] for row in base.execute(query).fetchall())
        assert len(components) == 4
        assert not any(str(component) in statements for component in components)


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"leaves": 1}, "values and ranges"),
        ({"leaves": 1, "values": {"x": 0}, "ranges": ()}, "values and ranges"),
        ({"leaves": 0, "values": {}}, "0 leaves"),
        ({"leaves": 1, "values": {"x": 1}}, "code 1"),
        ({"leaves": 1, "values": {" x": 0}}, "' x'"),
        ({"leaves": 1, "values": {"": 0}}, "''"),
        ({"leaves": 1, "values": {"\0": 0}}, r"'\\x00'"),
        ({"leaves": 1, "ranges": ((1, 1, 0),)}, "range 1.0 to 1.0"),
        ({"leaves": 1, "ranges": ((0, 2, 0), (1, 3, 0))}, "range 1.0 to 3.0"),
        ({"leaves": 1, "ranges": ((None, 2, 0), (None, 1, 0))}, "range -inf to 1.0"),
        ({"leaves": 1, "ranges": ((float("nan"), 2, 0),)}, "range nan to 2.0"),
        ({"leaves": 1, "ranges": ((0, 1e301, 0),)}, r"bound 1e\+301"),
    ],
)
def test_a_wrong_recode_is_refused(parameters: dict[str, Any], named: str) -> None:
    with pytest.raises(ParameterError, match=f"column 'a' .*{named}"):
        Recode("a", **parameters)


def test_record_keys_need_an_id_and_four_components(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": ["x"], "id": [1]}), tmp_path / "x.parquet")
    with open_engine({"parquet": tmp_path / "x.parquet"}) as engine:
        with pytest.raises(ParameterError, match="no unit"):
            engine.sums(COUNT, hostile.keys)
        with pytest.raises(ParameterError, match="4 components"):
            engine.sums(CountPlan(unit="id"), lambda ids: hostile.keys(ids)[:3])
        unknown_rows = pa.table({"id": ["2"], "times": pa.array([2], pa.int64())})
        with pytest.raises(InputError, match="does not have rows"):
            engine.sums(CountPlan(unit="id"), hostile.keys, unknown_rows)
        for modulus in (1, 2**32 + 1):
            for fractions in (False, True):
                with pytest.raises(ParameterError, match=f"modulus .* is {modulus};"):
                    engine.key_sums(CountPlan(), ["id"], modulus, fractions)


def test_wide_numbers_and_other_types_of_duckdb_are_counted(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "x.duckdb") as base:
        base.execute(
            """CREATE TABLE t AS SELECT 12345678901234567890::UBIGINT AS u,
            170141183460469231731687303715884105727::HUGEINT AS h, 'x'::ENUM('x', 'y') AS e, [1, 2] AS l,
            'infinity'::DATE AS d, TIMESTAMPTZ '2024-05-31 10:30:00.5+02' AS t"""
        )
    recodes = (
        Recode("u", 1, values={"12345678901234567890": 0}),
        Recode("h", 1, ranges=((1e38, 2e38, 0),)),
        Recode("e", 1, values={"x": 0}),
        Recode("l", 1, values={"[1, 2]": 0}),
        Recode("d", 1, values={"infinity": 0}),
        Recode("t", 1, values={"2024-05-31T08:30:00.5": 0}),
    )
    with open_engine({"duckdb": tmp_path / "x.duckdb", "table": "t"}) as engine:
        assert list(engine.columns().values()) == ["int", "int", "text", "other", "date", "date"]
        assert list(engine.count(CountPlan(recodes)).to_pylist()[0].values()) == [0, 0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("kind", ["duckdb", "postgres", "spark"])
def test_a_collation_that_ignores_case_does_not_merge_people(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Nor does it count a row twice, once for each spelling of a category."""
    source: dict[str, str]
    if kind == "duckdb":
        with duckdb.connect(tmp_path / "x.duckdb") as base:
            base.execute("CREATE TABLE t (id VARCHAR COLLATE NOCASE, a VARCHAR COLLATE NOCASE)")
            base.execute("INSERT INTO t VALUES ('a', 'x'), ('A', 'X'), ('a', 'x')")
        source = {"duckdb": str(tmp_path / "x.duckdb"), "table": "t"}
    elif kind == "postgres":
        server = request.getfixturevalue("postgres")
        server.execute(
            "DROP TABLE IF EXISTS collated", "DROP COLLATION IF EXISTS anycase",
            "CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
            "CREATE TABLE collated (id text COLLATE anycase, a text COLLATE anycase)",
            "INSERT INTO collated VALUES ('a', 'x'), ('A', 'X'), ('a', 'x')",
        )  # fmt: skip
        source = {"postgres": server.dsn, "table": "collated"}
    else:
        from pyspark.sql import SparkSession

        request.getfixturevalue("spark")
        session = SparkSession.getActiveSession()
        assert session is not None
        rows = "SELECT id COLLATE UTF8_LCASE AS id, a COLLATE UTF8_LCASE AS a"
        session.sql(f"{rows} FROM VALUES ('a', 'x'), ('A', 'X'), ('a', 'x') AS t(id, a)").createOrReplaceTempView(
            "lower"
        )
        source = {"spark": "lower"}
    values = {"x": 0, "X": 1}
    with open_engine(source) as engine:
        for further_values in ({}, {f"v{i}": 0 for i in range(100)}):
            plan = CountPlan((Recode("a", 2, values=values | further_values),), unit="id")
            assert engine.count(plan).to_pylist() == [{"c0": 0, "count": 2}, {"c0": 1, "count": 1}]
            lines = [line for batch in engine.excess(plan, 1) for line in batch.to_pylist()]
            assert lines == [{"id": "a", "c0": 0, "times": 2}]


def test_an_id_is_never_split_between_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.count.arrow_batches.BATCH", 2)
    rows = {"id": [7] * 9000 + [8] * 3000 + [9], "a": [str(i) for i in range(12_001)]}
    pq.write_table(pa.table(rows), tmp_path / "x.parquet")
    plan = CountPlan((Recode("a", 12_000, values={str(i): i for i in range(12_000)}),), unit="id")
    with open_engine({"parquet": tmp_path / "x.parquet"}) as engine:
        batches = [batch.column("id").to_pylist() for batch in engine.excess(plan, 1)]
    assert sorted({name for batch in batches for name in batch}) == ["7", "8"]
    assert sum(map(len, batches)) == 12_000
    assert all(not set(batch) & set(earlier) for i, batch in enumerate(batches) for earlier in batches[:i])


def test_progress_is_reported(tmp_path: Path) -> None:
    file = hostile.write_parquet(tmp_path / "x.parquet", hostile.rows(1, 100))
    fractions: list[float] = []
    with open_engine({"parquet": file}, progress=fractions.append) as engine:
        engine.count(CountPlan())
    assert fractions[-1] == 1.0
    assert all(0 <= fraction <= 1 for fraction in fractions)


def test_canonical_texts_read_back() -> None:
    for value in (0, -7, 2**62, 1.5, -0.0, 1e22, 1e-7, 123456.75):
        text = canonical(value)
        assert text is not None
        assert typed({text: 3}, "float" if isinstance(value, float) else "int") == ([value], [3])
    assert typed({"07": 0, "7.0": 1, "x": 2, "nan": 3, "1e400": 4, "\u0667": 5}, "float") == ([], [])
    assert typed({"07": 0, "7.0": 1, "-0": 2, "9223372036854775808": 3, "\u0667": 4}, "int") == ([], [])


def test_engines_are_imported_only_when_they_are_used(tmp_path: Path) -> None:
    import subprocess

    code = "import sys, discreet.count.engines; print({'pyspark', 'psycopg', 'duckdb'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


@pytest.mark.parametrize("encoding", ["LATIN1", "WIN1252", "SQL_ASCII"])
def test_a_database_that_is_not_in_utf8_is_refused_before_a_row_is_read(postgres: Postgres, encoding: str) -> None:
    """WIN1252 has bytes without a translation, and LATIN1 lacks characters: one row could make a release fail."""
    name = f"in_{encoding.lower()}"
    postgres.execute(
        f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
    )
    source = {"postgres": postgres.dsn.replace("dbname=postgres", f"dbname={name}"), "table": "nothing"}
    with pytest.raises(InputError, match=f"the encoding {encoding};"):
        open_engine(source)
