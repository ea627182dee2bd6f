"""Where a ledger lives: three tables in an SQLite file or a PostgreSQL database, and two kinds of transaction.

A write holds the ledger alone from its first statement: in SQLite by BEGIN IMMEDIATE, in PostgreSQL by a lock on the
one row of the table `discreet_unit`. So nothing changes between its reads and its writes. A read sees one moment of the
ledger.

    discreet_unit      the certificate of the unit, and the pair that stands for it
    discreet_entries   the chain
    discreet_cells     digests of the cells that were spent, 16 bytes each, sorted and packed, by entry
"""

import os
import sqlite3
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    create_engine,
    event,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from discreet.errors import LedgerError, LostLedgerError
from discreet.extras import how_to_install

WAIT = 60
"""Seconds that a writer waits for other writers."""

PAUSE = 0.01
"""Seconds between two attempts of a waiting writer, in SQLite."""

metadata = MetaData()
unit = Table(
    "discreet_unit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("certificate", Text, nullable=False),
    Column("pair", LargeBinary, nullable=False),
)
entries = Table(
    "discreet_entries",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("time", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("fields", Text, nullable=False),
    Column("previous", Text, nullable=False),
    Column("mac", Text, nullable=False),
    Index("discreet_entries_subject", "subject", "seq"),
)
cells = Table(
    "discreet_cells",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("part", Integer, primary_key=True, autoincrement=False),
    Column("digests", LargeBinary, nullable=False),
)


class Store:
    """The database of a ledger. It holds no transaction between calls, so processes may fork.

    Parameters
    ----------
    location
        The path of a file (SQLite), or an address such as postgresql://user@host/database.

    Raises
    ------
    LedgerError
        The location is neither a path nor an address of SQLite or PostgreSQL.
    """

    def __init__(self, location: str | os.PathLike[str]) -> None:
        self.path: Path | None = None
        url = _url(location)
        if url is None or url.get_backend_name() == "sqlite":
            file = os.fspath(location) if url is None else url.database
            if not file or file == ":memory:":
                raise LedgerError("a ledger in memory would forget what was spent; give the name of a file")
            self.path = Path(os.path.abspath(file))
            self.name = str(self.path)
            self._engine = self._sqlite(self.path)
        else:
            self.name = f"{url.host or 'localhost'}:{url.port or 5432}/{url.database or ''}"
            self._engine = self._postgres(url)

    def __repr__(self) -> str:
        return f"Store({self.name})"

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that no other writer shares. Undo it if anything is raised."""
        with self._explained(), self._connect(alone=True) as connection, connection.begin():
            if self.path is None:
                connection.execute(text(f"SET LOCAL lock_timeout = '{WAIT}s'"))
            if connection.execute(select(unit.c.id).with_for_update()).first() is None:
                raise LedgerError(f"{self.name} has no unit: it is not a ledger, or is damaged")
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that sees one moment of the ledger and writes nothing."""
        with self._explained(), self._connect(alone=False) as connection, connection.begin():
            yield connection

    @contextmanager
    def creation(self) -> Iterator[Connection]:
        """Make the tables, and give the transaction. Raise LedgerError if there is anything to overwrite."""
        if self.path is not None:
            self._new_file(self.path)
        try:
            with self._explained(), self._connect(alone=True) as connection, connection.begin():
                if self.path is None:
                    connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('discreet_ledger'))"))
                    if set(inspect(connection).get_table_names()) & set(metadata.tables):
                        raise LedgerError(f"{self.name} holds a ledger already; use it, or give another database")
                metadata.create_all(connection)
                yield connection
        except BaseException:
            if self.path is not None:
                self.path.unlink(missing_ok=True)
            raise

    def _new_file(self, path: Path) -> None:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            raise LedgerError(f"{self.name} exists, and a ledger is never overwritten; choose another name") from None
        except OSError as error:
            raise LedgerError(f"{self.name} cannot be made ({error.strerror}); choose another path") from None

    def _connect(self, alone: bool) -> Connection:
        connection = self._engine.connect()
        if self.path is not None:
            return connection.execution_options(discreet_begin="IMMEDIATE" if alone else "DEFERRED")
        if alone:
            return connection.execution_options(isolation_level="READ COMMITTED")
        return connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    def _sqlite(self, path: Path) -> Engine:
        address = f"file:{quote(str(path))}?mode=rw"

        def connect() -> sqlite3.Connection:
            connection = sqlite3.connect(address, uri=True, timeout=WAIT, isolation_level=None)
            connection.execute("PRAGMA synchronous = EXTRA")
            return connection

        engine = create_engine("sqlite://", creator=connect, poolclass=NullPool, hide_parameters=True)
        event.listen(engine, "begin", _begin)
        return engine

    def _postgres(self, url: URL) -> Engine:
        try:
            engine = create_engine(
                url.set(drivername="postgresql+psycopg"),
                pool_size=1,
                pool_pre_ping=True,
                hide_parameters=True,
                connect_args={"connect_timeout": 10},
            )
        except ModuleNotFoundError:
            raise LedgerError(
                f"a ledger in PostgreSQL needs psycopg, which is not installed; {how_to_install('postgres')}"
            ) from None
        weakref.finalize(self, _dispose, engine, os.getpid())
        return engine

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn errors of the database into LedgerError, without statements, parameters or passwords."""
        if self.path is not None and os.path.isdir(self.path):
            raise LedgerError(f"{self.name} is a folder; give the name of a file")
        try:
            yield
        except SQLAlchemyError as error:
            kind = LostLedgerError if self.path is None and _is_lost(error) else LedgerError
            raise kind(self._reason(error)) from None

    def _reason(self, error: SQLAlchemyError) -> str:
        original = error.orig if isinstance(error, DBAPIError) else None
        message = " ".join(str(original or type(error).__name__).split())[:300]
        state = getattr(original, "sqlstate", None)
        if "no such table" in message or "not a database" in message or "malformed" in message or state == "42P01":
            return f"{self.name} is not a ledger, or is damaged ({message}); open one with `discreet ledger open`"
        if "locked" in message or state == "55P03":
            return f"{self.name} was held by others for {WAIT} seconds; nothing was written: try again"
        if "unable to open" in message:
            return f"{self.name} cannot be opened; check the path and who may read it"
        if "readonly" in message or state in ("25006", "42501"):
            return f"{self.name} cannot be written ({message}); nothing was granted: ask for write access"
        if self.path is None and _is_lost(error):
            return (
                f"the server of {self.name} cannot be reached or refused ({message}); try again when it answers, and"
                " see with `discreet ledger show` whether a step that was under way is written"
            )
        return f"{self.name}: {message}; nothing was written"


def _is_lost(error: SQLAlchemyError) -> bool:
    """Return True if the server caused the error: it gave no state, or it is going down or starting."""
    state = getattr(error.orig, "sqlstate", None) if isinstance(error, DBAPIError) else None
    return state is None or state.startswith("08") or state in ("57P01", "57P02", "57P03")


def _dispose(engine: Engine, owner: int) -> None:
    """Close open connections. A forked process leaves its parent's connection alone."""
    engine.dispose(close=os.getpid() == owner)


def _begin(connection: Connection) -> None:
    """Begin a transaction. A writer tries again every few milliseconds.

    SQLite's own waiting tries less and less often, so that the last writer to come goes first, and one writer among
    many may wait for ever.
    """
    kind = connection.get_execution_options()["discreet_begin"]
    connection.exec_driver_sql("PRAGMA busy_timeout = 0")
    end = time.monotonic() + WAIT
    while True:
        try:
            connection.exec_driver_sql(f"BEGIN {kind}")
            break
        except OperationalError as error:
            if "locked" not in str(error.orig) or time.monotonic() > end:
                raise
        time.sleep(PAUSE)
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {WAIT * 1000}")


def _url(location: Any) -> URL | None:
    """Return the address of a database; None for a path."""
    if not isinstance(location, (str, os.PathLike)) or not os.fspath(location) or "\0" in str(location):
        raise LedgerError("a ledger is a file or an address such as postgresql://steward@host/database")
    if not isinstance(location, str) or "://" not in location:
        return None
    try:
        url = make_url(location)
        name = url.get_backend_name()
    except (ArgumentError, ValueError):
        raise LedgerError("the ledger's address cannot be read; write postgresql://user@host:port/database") from None
    if name not in ("sqlite", "postgresql"):
        raise LedgerError(f"a ledger cannot live in {name!r:.30}; give a file or a postgresql:// address")
    return url
