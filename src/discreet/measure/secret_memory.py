"""The memory of a secret: a private file that keeps what was released with the secret.

Under one version label a cell has the same noise in every release. If the data changed in between, two folders would
show the exact difference. A ledger refuses such a release. Without a ledger, the memory refuses it. The memory is an
SQLite database,

    SECRET.memory               beside the file of the secret, or where `secret: {memory: FILE}` says,

readable by its owner only, with these tables:

    cells       for every release with query keys and without a ledger: the names of its cells, and for each cell a
                keyed hash of its name and true count, written before anything is drawn
    draws       for every release without a ledger: its version label, and for each table of noise the names of the
                cells that were drawn with it; for every release with a ledger: its version label and the ledger;
                written before anything is drawn (`drawn_cells`)
    plans       what releases without a ledger measured, by version label (`plan.frozen_plan`)
    heads       for every ledger: the last entry that was seen, so that an older copy of the ledger is noticed
    unpublished where the measurements of a release are kept until it is published (`pending`), by its identity
    seals       for each of these tables a MAC of all its rows, under a key derived from the secret

Without the secret, names and hashes reveal nothing of a count. If other software removed, changed or added rows, the
seal does not fit, and nothing is drawn. Files of earlier versions have no seals, no draws and plans, or no draws from
ledgers: they are read as they are, and sealed when they are first opened. A memory that is lost, or replaced by an
older copy, is not noticed: keep it with the secret, and copy both.
"""

import hmac
import os
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType

import numpy as np

from discreet import files
from discreet.errors import DataChangedError, OutputError, SecretError
from discreet.measure import drawn_cells, keys
from discreet.measure._memory_path import memory_path
from discreet.measure.drawn_cells import SIZE, Draw, packed, unpacked
from discreet.plan.sections import Secret
from discreet.plan.spec import ReleaseSpec
from discreet.redact import quoted

WAIT = 600.0
"""Seconds to wait for another release with the same secret."""

TABLES = """
CREATE TABLE IF NOT EXISTS cells (names BLOB NOT NULL, hashes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS draws (label TEXT NOT NULL, noise TEXT NOT NULL, names BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS plans (label TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS heads (ledger TEXT PRIMARY KEY, seq INTEGER NOT NULL, mac TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS unpublished (identity TEXT PRIMARY KEY, file TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS seals (part TEXT PRIMARY KEY, mac BLOB NOT NULL);
"""

PARTS: dict[str, tuple[str, tuple[type | UnionType, ...]]] = {
    "cells": ("SELECT names, hashes FROM cells ORDER BY rowid", (bytes, bytes)),
    "draws": ("SELECT label, noise, names FROM draws ORDER BY rowid", (str, str, bytes)),
    "plans": ("SELECT label, text FROM plans ORDER BY rowid", (str, str)),
    "heads": ("SELECT ledger, seq, mac FROM heads ORDER BY ledger", (str, int, str)),
    "unpublished": ("SELECT identity, file FROM unpublished ORDER BY identity", (str, str | bytes)),
}
"""For every sealed table a query for its rows in a fixed order, and the types of a row."""

SEAL, SECOND_SEAL, FIRST_SEAL = "3 ", "2 ", ""
"""What the name of a table begins with in its seal. The first seals were those of files without draws and plans, the
second those of files without draws from ledgers."""

FIRST_PARTS = ("cells", "heads", "unpublished")
"""The tables of files with the first seals."""


@dataclass(frozen=True)
class Memory:
    """The memory of one secret.

    Attributes
    ----------
    file
        The path of the database.
    key
        The key of the seals, derived from the secret.
    """

    file: Path
    key: bytes = field(repr=False)

    @classmethod
    def of(cls, spec: Secret | None, secret: bytes) -> "Memory | None":
        """Return the memory of a secret; None for a secret from the environment without a path for its memory.

        Parameters
        ----------
        spec
            The section `secret` of a specification.
        secret
            The 32 bytes of the secret.

        Raises
        ------
        SecretError
            There is another memory of the secret.
        """
        file = memory_path(spec)
        return None if file is None else cls(file, keys.derive_key(secret, "memory"))

    def remember(self, label: str, names: Sequence[bytes], hashes: Sequence[bytes], draw: Draw | None = None) -> None:
        """Keep what is drawn: cells with the hashes of their true counts, the noise of each, and the plan.

        A cell that was kept before must come with the same hash. Call this right before the draw.

        Parameters
        ----------
        label
            The version label of the data.
        names
            The names of the cells, 16 bytes each; none with fresh keys.
        hashes
            For every cell a keyed hash of 16 bytes of its name and true count.
        draw
            The cells with their noise, and the plan. None: only the hashes are kept.

        Raises
        ------
        ReleaseError
            A cell was drawn under the label with other noise. Nothing was kept.
        DataChangedError
            A cell was released with another true count. Nothing was kept. Tell only the steward.
        SecretError
            The file cannot be read or written, others can read it, or it is not as it was written.
        """
        cells, order = np.unique(packed(names), return_index=True)
        truths = packed(hashes)[order]
        is_new = np.ones(len(cells), dtype=np.bool_)
        with self._opened("cells", "draws", "plans") as connection:
            if draw is not None:
                drawn_cells.require_one_draw(connection, draw, names)
            for stored_names, stored_hashes in connection.execute("SELECT names, hashes FROM cells"):
                stored = unpacked(stored_names)
                index = np.minimum(np.searchsorted(stored, cells), len(stored) - 1)
                known = stored[index] == cells
                if (unpacked(stored_hashes)[index][known] != truths[known]).any():
                    raise DataChangedError(
                        f"the data changed since they were first released under the version label {label!r:.200};"
                        " nothing was drawn: with the same noise, both releases would show the exact differences. Give"
                        " changed data a new label, or restore the data that was first released under this one"
                    )
                is_new &= ~known
            if is_new.any():
                row = (cells[is_new].tobytes(), truths[is_new].tobytes())
                connection.execute("INSERT INTO cells VALUES (?, ?)", row)
            if draw is not None:
                drawn_cells.record(connection, draw)

    def require_one_draw(self, draw: Draw, names: Sequence[bytes]) -> None:
        """Raise ReleaseError or SecretError if `remember` would, whatever the true counts. Nothing is kept.

        Parameters
        ----------
        draw
            The cells with their noise, and the plan.
        names
            The names of the cells as `remember` gets them.
        """
        if os.path.lexists(self.file):
            with self._opened("cells", "draws", "plans") as connection:
                drawn_cells.require_one_draw(connection, draw, names)

    def require_counted_by(self, spec: ReleaseSpec, ledger: str) -> None:
        """Raise ReleaseError or SecretError if `charged` would. Nothing is kept.

        Parameters
        ----------
        spec
            The specification of a release that draws cells which its ledger has not charged before.
        ledger
            The id of the ledger.
        """
        if os.path.lexists(self.file):
            with self._opened("draws") as connection:
                drawn_cells.require_counted_by(connection, spec, ledger)

    @contextmanager
    def charged(self, spec: ReleaseSpec, ledger: str) -> Iterator[None]:
        """Keep that a ledger charges draws under the label of a release, if nothing is raised within the context.

        Charge the ledger within the context, right before the draw.

        Parameters
        ----------
        spec, ledger
            As for `require_counted_by`.

        Raises
        ------
        ReleaseError
            Cells were drawn under the label without a ledger, or from another one. Nothing was kept.
        SecretError
            The file cannot be read or written, others can read it, or it is not as it was written.
        """
        with self._opened("draws") as connection:
            drawn_cells.require_counted_by(connection, spec, ledger)
            drawn_cells.record_charge(connection, spec, ledger)
            yield

    def plans(self, label: str) -> list[str]:
        """Return what was measured under a version label, as texts, in order; nothing if there is no file yet."""
        if not os.path.lexists(self.file):
            return []
        with self._opened("plans") as connection:
            return drawn_cells.plans(connection, label)

    def head(self, ledger: str) -> tuple[int, str] | None:
        """Return the last entry of a ledger that was seen; None if none was. Make the file if there is none yet."""
        with self._opened("heads") as connection:
            row = connection.execute("SELECT seq, mac FROM heads WHERE ledger = ?", (ledger,)).fetchone()
        return None if row is None else (int(row[0]), str(row[1]))

    def record_head(self, ledger: str, head: tuple[int, str]) -> None:
        """Keep the number and the mac of the last entry of a ledger. An earlier entry changes nothing."""
        with self._opened("heads") as connection:
            connection.execute(
                "INSERT INTO heads VALUES (?, ?, ?) ON CONFLICT (ledger) DO UPDATE SET seq = excluded.seq,"
                " mac = excluded.mac WHERE excluded.seq > heads.seq",
                (ledger, *head),
            )

    def record_pending(self, identity: str, file: Path) -> None:
        """Keep the path of the file of a release's measurements, before they are drawn."""
        with self._opened("unpublished") as connection:
            connection.execute(
                "INSERT OR REPLACE INTO unpublished VALUES (?, ?)", (identity, os.fsencode(os.path.realpath(file)))
            )

    def pending_file(self, identity: str) -> Path | None:
        """Return the file of the measurements of a release when it was last drawn; None if it never was.

        The measurements may have been published since, and the file may not exist any more.
        """
        if not os.path.lexists(self.file):
            return None
        with self._opened("unpublished") as connection:
            row = connection.execute("SELECT file FROM unpublished WHERE identity = ?", (identity,)).fetchone()
        return None if row is None else Path(os.fsdecode(row[0]))

    @contextmanager
    def _opened(self, *parts: str) -> Iterator[sqlite3.Connection]:
        """Open an exclusive transaction on some tables. Keep all changes, or none if anything is raised."""
        self._private()
        try:
            with closing(sqlite3.connect(self.file, timeout=WAIT, isolation_level=None)) as connection:
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("BEGIN IMMEDIATE")
                try:
                    self._check(connection, parts)
                    changes = connection.total_changes
                    yield connection
                    if connection.total_changes > changes:
                        for part in parts:
                            self._seal(connection, part)
                except BaseException:
                    connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise SecretError(
                f"the memory of the secret, {quoted(self.file)}, cannot be used ({error}); nothing was drawn."
                " Restore it from a copy, or make room for it: without it, nothing shows which cells were released"
            ) from None

    def _check(self, connection: sqlite3.Connection, parts: Sequence[str]) -> None:
        """Compare tables with their seals. Seal all tables of a file that an earlier version wrote."""
        if not _has_table(connection, "seals"):
            self._migrate(connection)
        elif not _has_table(connection, "draws"):
            self._require_sealed(connection, FIRST_PARTS, FIRST_SEAL)
            self._migrate(connection)
        elif not self._is_sealed(connection, parts, SEAL):
            self._require_sealed(connection, tuple(PARTS), SECOND_SEAL)
            self._migrate(connection)

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Make the tables that an earlier version did not have, note what it did not keep, and seal all tables.

        With fresh keys the first versions kept no cells of a release, only the path of its measurements.
        """
        had_draws = _has_table(connection, "draws")
        _create(connection)
        traces = "SELECT 1 FROM cells UNION ALL SELECT 1 FROM unpublished LIMIT 1"
        if not had_draws and connection.execute(traces).fetchone() is not None:
            drawn_cells.record_unknown(connection)
        for (ledger,) in connection.execute("SELECT ledger FROM heads ORDER BY ledger").fetchall():
            drawn_cells.record_unknown_charges(connection, ledger)
        for part in PARTS:
            self._seal(connection, part)

    def _require_sealed(self, connection: sqlite3.Connection, parts: Sequence[str], seal: str) -> None:
        if not self._is_sealed(connection, parts, seal):
            raise self._damaged()

    def _is_sealed(self, connection: sqlite3.Connection, parts: Sequence[str], seal: str) -> bool:
        """Return True if tables are as they were written, with seals of a kind."""
        rows = dict(connection.execute("SELECT part, mac FROM seals"))
        return all(
            type(rows.get(part)) is bytes and hmac.compare_digest(rows[part], self._mac(connection, part, seal))
            for part in parts
        )

    def _seal(self, connection: sqlite3.Connection, part: str) -> None:
        connection.execute("INSERT OR REPLACE INTO seals VALUES (?, ?)", (part, self._mac(connection, part, SEAL)))

    def _mac(self, connection: sqlite3.Connection, part: str, seal: str) -> bytes:
        """Return the MAC of all rows of a table, each value with its length."""
        query, types = PARTS[part]
        mac = hmac.new(self.key, f"{seal}{part}".encode(), "sha256")
        for row in connection.execute(query):
            if not all(map(isinstance, row, types)) or (part == "cells" and not _paired(*row)):
                raise self._damaged()
            for value in row:
                data = value if isinstance(value, bytes) else str(value).encode(errors="surrogatepass")
                mac.update(len(data).to_bytes(8, "big") + data)
        return mac.digest()

    def _damaged(self) -> SecretError:
        return SecretError(
            f"the memory of the secret, {quoted(self.file)}, was changed by other software, or is the memory of"
            " another secret; nothing was drawn: nothing else shows which cells were released. Restore it from a copy,"
            " and give each secret a memory of its own"
        )

    def _private(self) -> None:
        """Make the file if there is none. Refuse a file that is empty or that others can read."""
        try:
            if not os.path.lexists(self.file):
                self._make()
            os.close(os.open(self.file, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK))
            status = self.file.lstat()
        except (OSError, OutputError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SecretError(
                f"the memory of the secret, {quoted(self.file)}, cannot be written ({reason}); nothing was"
                " drawn: give a path for it under secret: {memory: FILE}"
            ) from None
        if not stat.S_ISREG(status.st_mode) or (os.name == "posix" and status.st_mode & 0o077):
            raise SecretError(
                f"the memory of the secret, {quoted(self.file)}, is no file, or can be read by others; nothing"
                " was drawn: run chmod 600"
            )
        if status.st_size == 0:
            raise SecretError(
                f"the memory of the secret, {quoted(self.file)}, is empty, which a memory never is; nothing was drawn:"
                " restore it from a copy. Remove it only if nothing was ever released with the secret"
            )

    def _make(self) -> None:
        """Write a file without rows, whole or not at all. Another run may write the file first."""
        with closing(sqlite3.connect(":memory:")) as connection:
            _create(connection)
            for part in PARTS:
                self._seal(connection, part)
            connection.commit()
            data = connection.serialize()
        with suppress(FileExistsError):
            files.write(self.file, data, private=True, new=True)


def _create(connection: sqlite3.Connection) -> None:
    for statement in filter(str.strip, TABLES.split(";")):
        connection.execute(statement)


def _has_table(connection: sqlite3.Connection, name: str) -> bool:
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return connection.execute(query, (name,)).fetchone() is not None


def _paired(names: bytes, hashes: bytes) -> bool:
    """Return True if there are names, and a hash for each."""
    return len(names) == len(hashes) > 0 and len(names) % SIZE == 0
