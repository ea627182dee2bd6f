"""The engine: counts rows by leaf codes, in any database."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from types import TracebackType
from typing import Protocol, Self, TypeVar

import pyarrow as pa

from discreet.count import arrow_batches
from discreet.count.engines import look, sql
from discreet.count.engines.look import ColumnLook
from discreet.count.engines.sql import Column, Dialect
from discreet.count.recode import CountPlan, HeaderColumns, Kind, NumberedColumns, RecordKeys, require_columns
from discreet.errors import InputError, ManyValuesError, ParameterError
from discreet.plan.canonical_text import texts
from discreet.plan.codebook import Recode

MOST_VALUES = 100_000
"""Different values of a column that are listed, unless another limit is given."""

T = TypeVar("T")

_ARROW_TYPES = {"int": pa.int64(), "float": pa.float64(), "text": pa.string()}


class Database(Protocol):
    """A database, as the engine uses it."""

    @property
    def columns(self) -> Mapping[str, Column]:
        """The columns of the source."""

    @property
    def source(self) -> str:
        """The table, as a query names it."""

    @property
    def dialect(self) -> Dialect:
        """How queries are written."""

    def rows(self, query: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield the result of a query in bounded memory, by id if the schema has an id and the query orders."""

    def repair(self) -> bool:
        """Repair the source after a failed read.

        Return True if the caller should retry. `source` may have changed.
        """

    def close(self) -> None:
        """Close the connection, and remove temporary files."""


class Engine:
    """Counts rows by leaf codes. An engine is a context manager, which closes its database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def columns(self) -> dict[str, Kind]:
        """Return the names of the source's columns and the kinds of their values."""
        columns = self._database.columns
        kinds = {name: sql.KINDS[column.type] for name, column in columns.items()}
        if isinstance(columns, HeaderColumns):
            return HeaderColumns(kinds, columns.hint)
        return NumberedColumns(kinds) if isinstance(columns, NumberedColumns) else kinds

    def count(self, plan: CountPlan) -> pa.Table:
        """Count rows by leaf combination.

        Returns
        -------
        pyarrow.Table
            c0, c1, ... (int32) and count (int64), one line for each leaf combination that occurs, by codes.

        Raises
        ------
        InputError
            The source has no such column, or cannot be read.
        """
        return self._counts(plan, ())

    def excess(self, plan: CountPlan, most: int) -> Iterator[pa.RecordBatch]:
        """Yield the rows of every id that has more than `most` rows; none without a unit.

        Columns id (canonical text), c0, c1, ... and times (int64): one line for an id and a leaf combination. All
        lines of an id are in one batch, next to each other.
        """
        if plan.unit is None:
            return

        def first_batch_on() -> Iterator[pa.RecordBatch]:
            """Read the first batch: the query orders, so the database has read all rows when this batch comes."""
            repeated = self._database.dialect.repeated(self._coded(CountPlan(unit=plan.unit)), most)
            query = sql.excess(plan, self._coded(plan), repeated)
            batches = iter(self._database.rows(query, self._schema(plan, ["times"])))
            return chain([batch for batch in [next(batches, None)] if batch is not None], batches)

        yield from arrow_batches.whole_ids(plan, self._with_repair(first_batch_on))

    def sums(self, plan: CountPlan, record_keys: RecordKeys, dropped: pa.Table | None = None) -> pa.Table:
        """Count as `count`, with the sums s0, ..., s3 (uint64) of the components of record keys.

        Record keys are made from ids in this process and never leave it.

        Parameters
        ----------
        plan
            The recodes, and the column of ids.
        record_keys
            From ids to four components.
        dropped
            Rows that do not count, with the columns of `excess`.
        """

        def read() -> pa.Table:
            rows = self._database.rows(self._coded(plan), self._schema(plan, []))
            return arrow_batches.sums(plan, rows, record_keys, dropped)

        return self._with_repair(read)

    def key_sums(self, plan: CountPlan, columns: Sequence[str], modulus: int, fractions: bool = False) -> pa.Table:
        """Count as `count`, with the sums s0, ... (uint64) of record keys that came with the data.

        Every key is reduced to an integer below the modulus first, so that sums do not depend on the order of rows. A
        key that is no number counts as 0, because its row still counts.

        Parameters
        ----------
        plan
            The recodes.
        columns
            The columns of keys.
        modulus
            From 2 to 2**32.
        fractions
            False: a key is an integer, or text that is one. True: a key is a number from 0 to below 1, and the integer
            part of key times modulus is taken.

        Raises
        ------
        ParameterError
            The modulus is out of range.
        """
        if not 2 <= modulus <= 2**32:
            raise ParameterError(f"the modulus of the record keys is {modulus}; give 2 to 2**32")
        require_columns(columns, self._database.columns)
        dialect = self._database.dialect
        keys = []
        for name in columns:
            column = self._database.columns[name]
            if fractions:
                keys.append(sql.scaled(sql.number_of(column, dialect), modulus))
            else:
                keys.append(sql.reduced(sql.integer_of(column, dialect), modulus))
        return self._counts(plan, keys)

    def values(self, column: str, limit: int = MOST_VALUES) -> list[str]:
        """Return the different values of a column as canonical texts, in order. Missing values are left out.

        Raises
        ------
        ManyValuesError
            The column has more than `limit` different values.
        """
        require_columns([column], self._database.columns)
        source_column = self._database.columns[column]
        schema = pa.schema([("value", _ARROW_TYPES[source_column.family])])

        def read() -> pa.Table:
            value = sql.value_of(source_column, self._database.dialect)
            query = sql.values(value, self._database.source, limit + 1)
            return pa.Table.from_batches(self._database.rows(query, schema), schema)

        values = self._with_repair(read).column("value")
        if len(values) > limit:
            raise ManyValuesError(
                f"the column {column!r} has more than {limit} different values; declare categories or ranges of it"
            )
        return sorted(text for chunk in values.chunks for text in texts(chunk).to_pylist())

    def frequencies(self, column: str, most: int) -> list[tuple[str, int]]:
        """Return the most frequent values of a column as canonical texts, with their numbers of rows.

        Missing values are left out. At most `most` values are returned.
        """
        require_columns([column], self._database.columns)
        source_column = self._database.columns[column]

        def read() -> list[tuple[str | None, int]]:
            value = sql.value_of(source_column, self._database.dialect)
            return self._values_and_times(look.frequencies(value, self._database.source, most), source_column)

        return [(text, times) for text, times in self._with_repair(read) if text is not None]

    def undeclared(self, recode: Recode, unit: str | None, most: int) -> list[tuple[str | None, int]]:
        """Return the values that a recode puts into `_other`, with their numbers of rows, the most frequent first.

        None stands for missing values, and comes first. With a unit, rows without an id are left out. At most `most`
        values are returned.
        """
        CountPlan((recode,), unit).check(self._database.columns)
        columns, dialect = self._database.columns, self._database.dialect

        def read() -> list[tuple[str | None, int]]:
            id_column = None if unit is None else columns[unit]
            query = look.undeclared(recode, columns[recode.column], id_column, dialect, self._database.source, most)
            return self._values_and_times(query, columns[recode.column])

        return self._with_repair(read)

    def look(self, column: str, *, dates: bool = False) -> ColumnLook:
        """Return what the values of a column are like: numbers of values, of numbers, of dates, and quantiles.

        With `dates`, dates take the place of numbers: each is the number YYYYMMDD.
        """
        require_columns([column], self._database.columns)
        width = len(look.FIELDS) + len(look.QUANTILES)
        schema = pa.schema([(f"q{i}", pa.float64()) for i in range(width)])

        def read() -> pa.Table:
            query = look.look(
                self._database.columns[column], self._database.dialect, self._database.source, dates=dates
            )
            return pa.Table.from_batches(self._database.rows(query, schema), schema)

        return ColumnLook.of([field[0].as_py() for field in self._with_repair(read).columns])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def _rows(self, plan: CountPlan, keys: Sequence[str] = ()) -> sql.Rows:
        plan.check(self._database.columns)
        return sql.rows(plan, self._database.columns, self._database.dialect, self._database.source, keys)

    def _coded(self, plan: CountPlan) -> str:
        return sql.coded(plan, self._rows(plan))

    def _with_repair(self, read: Callable[[], T]) -> T:
        """Call `read`. If it fails, repair the source and call `read` again: no person's value may stop a release."""
        try:
            return read()
        except InputError:
            if not self._database.repair():
                raise
        return read()

    def _counts(self, plan: CountPlan, keys: Sequence[str]) -> pa.Table:
        totals = ["count", *(f"s{i}" for i in range(len(keys)))]
        schema = pa.schema([*((code, pa.int32()) for code in plan.codes), *((name, pa.int64()) for name in totals)])

        def read() -> pa.Table:
            query = sql.count(self._rows(plan, keys), len(keys))
            return pa.Table.from_batches(self._database.rows(query, schema), schema)

        return arrow_batches.counts(plan, self._with_repair(read), len(keys))

    def _values_and_times(self, query: str, column: Column) -> list[tuple[str | None, int]]:
        """Return the result of a query for values of a column and their numbers of rows, with canonical texts."""
        schema = pa.schema([("value", _ARROW_TYPES[column.family]), ("times", pa.int64())])
        table = pa.Table.from_batches(self._database.rows(query, schema), schema)
        values = [text for chunk in table["value"].chunks for text in texts(chunk).to_pylist()]
        return list(zip(values, table["times"].to_pylist(), strict=True))

    def _schema(self, plan: CountPlan, totals: Sequence[str]) -> pa.Schema:
        ids = [] if plan.unit is None else [("id", _ARROW_TYPES[self._database.columns[plan.unit].family])]
        codes = [(code, pa.int32()) for code in plan.codes]
        return pa.schema([*ids, *codes, *((name, pa.int64()) for name in totals)])
