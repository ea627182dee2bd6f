"""Counting rows by leaf codes, in whatever database they lie."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from types import TracebackType
from typing import Protocol, Self, TypeVar

import pyarrow as pa

from discreet.count import arrow_batches
from discreet.count.engines import sql
from discreet.count.engines.sql import Column, Dialect
from discreet.count.recode import CountPlan, Kind, Numbered, RecordKeys, Unlisted, find
from discreet.errors import InputError, ManyValuesError
from discreet.plan.canonical_text import texts

MANY_VALUES = 100_000
T = TypeVar("T")

_FORMS = {"int": pa.int64(), "float": pa.float64(), "text": pa.string()}


class Database(Protocol):
    """What an engine needs of a database."""

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
        """What a query gives, in bounded memory; in order of ids where the schema has them, and the query orders."""

    def mend(self) -> bool:
        """After a failure: whether the source, which may be called otherwise now, can be read where it could not."""

    def close(self) -> None:
        """Free what is held."""


class Engine:
    """Something that can count rows by leaf codes. It is a context manager: leaving it frees what it holds."""

    def __init__(self, database: Database) -> None:
        self._base = database

    def columns(self) -> dict[str, Kind]:
        """The names of the source's columns and the kinds of their values."""
        kinds = {name: sql.KINDS[column.type] for name, column in self._base.columns.items()}
        return next((kind(kinds) for kind in (Unlisted, Numbered) if isinstance(self._base.columns, kind)), kinds)

    def count(self, plan: CountPlan) -> pa.Table:
        """Columns c0, c1, ... (int32) and count (int64), one line a non-empty leaf combination, in order of codes."""
        return self._counts(plan, (), 0)

    def excess(self, plan: CountPlan, most: int) -> Iterator[pa.RecordBatch]:
        """The rows of every id that has more than `most` of them; none without a unit.

        Columns id (canonical text), c0, c1, ... and times (int64), one line for an id and a leaf combination. All lines
        of an id are in one batch, next to each other.
        """
        if plan.unit is None:
            return

        def begun() -> Iterator[pa.RecordBatch]:  # the query orders, so all is read when the first batch is there
            repeated = self._base.dialect.repeated(self._coded(CountPlan(unit=plan.unit)), most)
            query = sql.excess(plan, self._coded(plan), repeated)
            batches = iter(self._base.rows(query, self._schema(plan, ["times"])))
            return chain([batch for batch in [next(batches, None)] if batch is not None], batches)

        yield from arrow_batches.whole_ids(plan, self._surely(begun))

    def sums(self, plan: CountPlan, record_keys: RecordKeys, dropped: pa.Table | None = None) -> pa.Table:
        """As `count`, and s0, ..., s3 (uint64): the sums of the record keys' components over the rows of a cell.

        The rows in `dropped` (columns as `excess` gives them) do not count. Keys never leave this process.
        """

        def made() -> pa.Table:
            rows = self._base.rows(self._coded(plan), self._schema(plan, []))
            return arrow_batches.sums(plan, rows, record_keys, dropped)

        return self._surely(made)

    def key_sums(self, plan: CountPlan, columns: Sequence[str], modulus: int, fractions: bool = False) -> pa.Table:
        """As `count`, and s0, ... (uint64): sums of record keys that came with the data, each reduced by `modulus`.

        A key is an integer, or text that is one; with `fractions` it is a number from 0 to below 1, of which the whole
        part of `modulus` times as much is taken, so that sums do not depend on the order of rows. Anything else counts
        as 0, as the row itself still counts.
        """
        find(columns, self._base.columns)
        dialect, given = self._base.dialect, [self._base.columns[name] for name in columns]
        keys = [sql.reduced(dialect.whole(column), modulus) for column in given]
        if fractions:
            keys = [sql.scaled(dialect.number(column), modulus) for column in given]
        return self._counts(plan, keys, len(keys))

    def values(self, column: str, limit: int = MANY_VALUES) -> list[str]:
        """The different values of a column as canonical texts, in order; missing ones are left out.

        Refuses a column that has more than `limit`.
        """
        find([column], self._base.columns)
        given = self._base.columns[column]
        schema = pa.schema([("value", _FORMS[given.family])])

        def made() -> pa.Table:
            query = sql.values(self._base.dialect.value(given), self._base.source, limit + 1)
            return pa.Table.from_batches(self._base.rows(query, schema), schema)

        found = self._surely(made).column("value")
        if len(found) > limit:
            raise ManyValuesError(
                f"the column {column!r} has more than {limit} different values; declare categories or ranges of it"
            )
        return sorted(text for chunk in found.chunks for text in texts(chunk).to_pylist())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._base.close()

    def _rows(self, plan: CountPlan, keys: Sequence[str] = ()) -> sql.Rows:
        plan.check(self._base.columns)
        return sql.rows(plan, self._base.columns, self._base.dialect, self._base.source, keys)

    def _coded(self, plan: CountPlan) -> str:
        return sql.coded(plan, self._rows(plan))

    def _surely(self, made: Callable[[], T]) -> T:
        """What is made of the rows, if need be of rows that were mended: nobody's value may make a release fail."""
        try:
            return made()
        except InputError:
            if not self._base.mend():
                raise
        return made()

    def _counts(self, plan: CountPlan, keys: Sequence[str], sums: int) -> pa.Table:
        totals = ["count", *(f"s{i}" for i in range(sums))]
        schema = pa.schema([*((code, pa.int32()) for code in plan.codes), *((name, pa.int64()) for name in totals)])

        def made() -> pa.Table:
            return pa.Table.from_batches(self._base.rows(sql.count(self._rows(plan, keys), sums), schema), schema)

        return arrow_batches.counts(plan, self._surely(made), sums)

    def _schema(self, plan: CountPlan, totals: Sequence[str]) -> pa.Schema:
        ids = [] if plan.unit is None else [("id", _FORMS[self._base.columns[plan.unit].family])]
        codes = [(code, pa.int32()) for code in plan.codes]
        return pa.schema([*ids, *codes, *((name, pa.int64()) for name in totals)])
