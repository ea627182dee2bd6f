"""How DuckDB writes casts, tests and lookups, and which of its errors are passed on."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discreet.count import arrow_batches
from discreet.count.engines import sql
from discreet.count.engines.sql import Column, Lookup, literal
from discreet.errors import InputError
from discreet.plan.canonical_text import WHITE_SPACE

_FEW = 64
"""Declared values that are looked up without a join, at most."""
_SHARE = 2**24
"""Hashes of ids that are sorted together: 4 bytes each, twice."""
_MOST_HASHES = 2**20
"""Repeated hashes, at most. If there are more, all ids are grouped."""


class DuckDBDialect:
    """How DuckDB writes casts, tests and lookups; see `sql.Dialect`."""

    text_type, double_type, byte_length = "VARCHAR", "DOUBLE", "strlen"

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def text(self, x: str) -> str:
        return f'(CAST({x} AS VARCHAR) COLLATE "binary")'  # a column's own collation may ignore case or accents

    def stripped(self, text: str) -> str:
        """Test the first and the last character: the test is cheap, and trimming is not."""
        return f"CASE WHEN {text} < '!' OR {text}[-1] < '!' THEN trim({text}, {literal(WHITE_SPACE)}) ELSE {text} END"

    def is_finite(self, x: str) -> str:
        return f"isfinite({x})"

    def is_integral(self, x: str) -> str:
        return f"{x} = trunc({x})"

    def decimal_text(self, x: str) -> str:
        text = f"CAST({x} AS VARCHAR)"
        return f"CASE WHEN contains({text}, '.') THEN rtrim(rtrim({text}, '0'), '.') ELSE {text} END"

    def timestamp(self, x: str) -> str:
        return f"TRY_CAST({x} AS TIMESTAMP)"

    def matches(self, x: str, pattern: str) -> str:
        return f"regexp_full_match({x}, {literal(pattern)})"

    def parsed_double(self, x: str) -> str:
        return sql.bounded(f"TRY_CAST(CAST({x} AS VARCHAR) AS DOUBLE)", self)  # a text is rounded correctly

    def parsed_integer(self, x: str) -> str:
        return f"TRY_CAST({x} AS BIGINT)"

    def lookup(self, column: Column, index: int, raw: Sequence[object], codes: Sequence[int]) -> Lookup:
        if len(raw) <= _FEW and column.family == "text":
            return self._enumeration(column, index, [str(text) for text in raw], codes)
        value = sql.value_of(column, self)
        if len(raw) <= _FEW:
            listed = ", ".join(sql.double(item, self) if isinstance(item, float) else str(item) for item in raw)
            return Lookup(value, f"list_extract({list(codes)}, list_position([{listed}], r.v{index}))")
        table = pa.table({"raw": raw, "code": arrow_batches.column(np.array(codes, np.int32))})
        self._connection.register("declared", table)
        self._connection.execute(
            f"CREATE OR REPLACE TEMP TABLE m{index} AS SELECT raw, code FROM temp.declared"  # noqa: S608
        )
        self._connection.unregister("declared")
        return sql.joined(value, index, f"temp.m{index} AS m{index}")

    def _enumeration(self, column: Column, index: int, raw: list[str], codes: Sequence[int]) -> Lookup:
        """Look up a few texts in an enumeration, by which DuckDB finds and groups fastest.

        For a text that is not in an enumeration DuckDB takes as long as for all the texts that are. So many texts are
        joined instead.
        """
        raw = [text for _, text in sorted(zip(codes, raw, strict=True))]
        kind = f"m{index}"
        self._connection.execute(f"CREATE OR REPLACE TEMP TYPE {kind} AS ENUM ({', '.join(map(literal, raw))})")
        value = f"TRY_CAST({sql.value_of(column, self)} AS temp.{kind})"
        if column.type in ("text", "other"):  # texts that are declared as they stand need no trimming
            value = f"COALESCE(TRY_CAST({self.text(column.sql)} AS temp.{kind}), {value})"
        if sorted(codes) == list(range(len(codes))):
            return Lookup(value, f"r.v{index}", code=f"enum_code(t.t{index})")
        return Lookup(value, f"list_extract({sorted(codes)}, enum_code(r.v{index}) + 1)")

    def repeated(self, ids: str, most: int) -> str:
        """Group only ids whose hash occurs more than `most` times: as a rule these are few, and hashes sort fast."""
        hashed = "CAST(hash(id) >> 32 AS UINTEGER)"
        with refusals():
            total = self._connection.execute(f"SELECT COUNT(*) FROM ({ids}) u").fetchall()[0][0]  # noqa: S608
            shares = 1 + total // _SHARE
            repeated_hashes = []
            for share in range(shares):
                query = f"SELECT {hashed} FROM ({ids}) u WHERE hash(id) % 65536 % {shares} = {share}"  # noqa: S608
                batches = self._connection.sql(query).to_arrow_reader(arrow_batches.BATCH)
                repeated_hashes.append(_repeated_numbers(batches, most))
            if sum(map(len, repeated_hashes)) > _MOST_HASHES:
                return sql.repeated(ids, most)
            listed = np.concatenate(repeated_hashes).tolist()
            self._connection.execute(
                "CREATE OR REPLACE TEMP TABLE repeated AS SELECT unnest($1::UINTEGER[]) AS h", [listed]
            )
        return sql.repeated(f"SELECT id FROM ({ids}) u WHERE {hashed} IN (SELECT h FROM temp.repeated)", most)  # noqa: S608


def _repeated_numbers(batches: Iterable[pa.RecordBatch], most: int) -> npt.NDArray[np.uint32]:
    """Return the numbers that occur more than `most` times, each once."""
    numbers = np.concatenate([np.zeros(0, np.uint32), *(arrow_batches.numbers(batch.column(0)) for batch in batches)])
    numbers.sort()
    repeated = numbers[most:][numbers[most:] == numbers[:-most]]
    is_first = np.ones(len(repeated), dtype=bool)
    is_first[1:] = repeated[1:] != repeated[:-1]
    return np.asarray(repeated[is_first])


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """Raise errors of DuckDB as InputError, without messages that could quote the data."""
    try:
        yield
    except duckdb.OutOfMemoryException:
        raise InputError(
            "DuckDB has not enough memory, or the temporary folder is full; make room there, or set TMPDIR to another"
            " folder"
        ) from None
    except (duckdb.IOException, duckdb.CatalogException, duckdb.PermissionException) as error:
        raise InputError(f"DuckDB cannot read the source: {str(error).splitlines()[0][:300]}") from None
    except duckdb.Error as error:
        raise InputError(
            f"DuckDB cannot read the source ({type(error).__name__}); check that the source is complete"
        ) from None
