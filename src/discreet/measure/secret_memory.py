"""What was released with a secret: a private file beside it, so that one label is for one file of data.

Under one version label a cell has the same noise whenever it is asked for. If the data changed in between, two folders
would show the exact difference. A ledger refuses that; without one, this file does. It is an SQLite database,

    SECRET.memory               beside the file of the secret, or where `secret: {memory: FILE}` says,

readable by its owner only, which holds

    cells       for every release with query keys and without a ledger: the names of its cells, and for each of them a
                keyed hash of its name and true count, written before anything is drawn
    heads       for every ledger: the last entry that was seen, so that a ledger restored from an older copy is noticed
    unpublished where the measurements of a release are kept until it is published (`pending`), by its identity

Names and hashes say nothing of a count to those who do not have the secret. A memory that is lost is not noticed: keep
it with the secret, and copy both.
"""

import os
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from discreet.errors import DataChangedError, SecretError
from discreet.plan.sections import Secret
from discreet.redact import shown

SIZE = 16
WAIT = 600.0
"""Seconds to wait for another release with the same secret."""

TABLES = """
CREATE TABLE IF NOT EXISTS cells (names BLOB NOT NULL, hashes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS heads (ledger TEXT PRIMARY KEY, seq INTEGER NOT NULL, mac TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS unpublished (identity TEXT PRIMARY KEY, file TEXT NOT NULL);
"""


@dataclass(frozen=True)
class Memory:
    """The file of one secret."""

    file: Path

    @classmethod
    def of(cls, secret: Secret | None) -> "Memory | None":
        """Where a specification has it; None for a secret from the environment that says nothing of it."""
        return None if secret is None or secret.place is None else cls(Path(secret.place))

    def remember(self, label: str, names: Sequence[bytes], hashes: Sequence[bytes]) -> None:
        """Keep the hashes of cells; those that were kept before must come with the same.

        Raises
        ------
        DataChangedError
            A cell was released with another true count. For the steward only; nothing was kept.
        SecretError
            The file cannot be read or written, or others can read it.
        """
        given, order = np.unique(_packed(names), return_index=True)
        truths = _packed(hashes)[order]
        new = np.ones(len(given), dtype=np.bool_)
        with self._opened() as base:
            for kept, true in base.execute("SELECT names, hashes FROM cells"):
                stored = _unpacked(kept)
                place = np.minimum(np.searchsorted(stored, given), len(stored) - 1)
                known = stored[place] == given
                if (_unpacked(true)[place][known] != truths[known]).any():
                    raise DataChangedError(
                        f"the data changed since they were first released under the version label {label!r:.200};"
                        " nothing was drawn: with the same noise, both releases would show the exact differences. Give"
                        " changed data a new label, or restore the data that was first released under this one"
                    )
                new &= ~known
            if new.any():
                base.execute("INSERT INTO cells VALUES (?, ?)", (given[new].tobytes(), truths[new].tobytes()))

    def head(self, ledger: str) -> tuple[int, str] | None:
        """The last entry of a ledger that was seen; None where none was. The file is made if there is none yet."""
        with self._opened() as base:
            row = base.execute("SELECT seq, mac FROM heads WHERE ledger = ?", (ledger,)).fetchone()
        return None if row is None else (int(row[0]), str(row[1]))

    def saw(self, ledger: str, head: tuple[int, str]) -> None:
        """Keep the last entry of a ledger; an earlier one changes nothing."""
        with self._opened() as base:
            base.execute(
                "INSERT INTO heads VALUES (?, ?, ?) ON CONFLICT (ledger) DO UPDATE SET seq = excluded.seq,"
                " mac = excluded.mac WHERE excluded.seq > heads.seq",
                (ledger, *head),
            )

    def will_keep(self, identity: str, file: Path) -> None:
        """Note where measurements will be kept, before they are drawn."""
        with self._opened() as base:
            base.execute("INSERT OR REPLACE INTO unpublished VALUES (?, ?)", (identity, os.path.realpath(file)))

    def unpublished(self, identity: str) -> Path | None:
        """Where the measurements of a release were kept when it was last drawn; they may be published or given up."""
        with self._opened() as base:
            row = base.execute("SELECT file FROM unpublished WHERE identity = ?", (identity,)).fetchone()
        return None if row is None else Path(row[0])

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A transaction that nobody else can be in; all of it is kept, or nothing."""
        self._private()
        try:
            with closing(sqlite3.connect(self.file, timeout=WAIT, isolation_level=None)) as base:
                base.execute("PRAGMA synchronous = FULL")
                base.execute("BEGIN IMMEDIATE")
                for statement in filter(str.strip, TABLES.split(";")):
                    base.execute(statement)
                try:
                    yield base
                except BaseException:
                    base.execute("ROLLBACK")
                    raise
                base.execute("COMMIT")
        except sqlite3.Error as error:
            raise SecretError(
                f"the memory of the secret, {shown(self.file)}, cannot be used ({error}); nothing was drawn."
                " Restore it from a copy, or make room for it; without it, what was released is not known"
            ) from None

    def _private(self) -> None:
        """Make the file if there is none, and refuse one that others can read."""
        try:
            os.close(os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600))
            status = self.file.lstat()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SecretError(
                f"the memory of the secret, {shown(self.file)}, cannot be written ({reason}); nothing was"
                " drawn: give a place for it under secret: {memory: FILE}"
            ) from None
        if not stat.S_ISREG(status.st_mode) or (os.name == "posix" and status.st_mode & 0o077):
            raise SecretError(
                f"the memory of the secret, {shown(self.file)}, is no file, or can be read by others; nothing"
                " was drawn: take the right away with chmod 600"
            )


def _unpacked(data: bytes) -> npt.NDArray[np.bytes_]:
    """Names or hashes one after another; as numbers of fixed width, so zeros at the end count."""
    return np.frombuffer(data, dtype=f"S{SIZE}")


def _packed(given: Sequence[bytes]) -> npt.NDArray[np.bytes_]:
    return _unpacked(b"".join(given))
