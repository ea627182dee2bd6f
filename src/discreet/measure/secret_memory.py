"""What was released with a secret: a private file beside it, so that one label is for one file of data.

Under one version label a cell has the same noise whenever it is asked for. If the data changed in between, two folders
would show the exact difference. A ledger refuses that; without one, this file does. It is an SQLite database,

    SECRET.memory               beside the file of the secret, or where `secret: {memory: FILE}` says,

readable by its owner only, which holds

    cells       for every release with query keys and without a ledger: the names of its cells, and for each of them a
                keyed hash of its name and true count, written before anything is drawn
    heads       for every ledger: the last entry that was seen, so that a ledger restored from an older copy is noticed
    unpublished where the measurements of a release are kept until it is published (`pending`), by its identity
    seals       for each of these tables a MAC of all its rows, under a key derived from the secret

Names and hashes say nothing of a count to those who do not have the secret. Rows that were removed, changed or added by
another hand do not fit the seal, and nothing is drawn then. Files of earlier versions have no seals: they are read as
they are, and sealed when they are first opened. A memory that is lost, or replaced by an older copy, is not noticed:
keep it with the secret, and copy both.
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
import numpy.typing as npt

from discreet import files
from discreet.errors import DataChangedError, OutputError, SecretError
from discreet.measure import keys
from discreet.plan.sections import Secret
from discreet.redact import quoted

SIZE = 16
WAIT = 600.0
"""Seconds to wait for another release with the same secret."""

TABLES = """
CREATE TABLE IF NOT EXISTS cells (names BLOB NOT NULL, hashes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS heads (ledger TEXT PRIMARY KEY, seq INTEGER NOT NULL, mac TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS unpublished (identity TEXT PRIMARY KEY, file TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS seals (part TEXT PRIMARY KEY, mac BLOB NOT NULL);
"""

PARTS: dict[str, tuple[str, tuple[type | UnionType, ...]]] = {
    "cells": ("SELECT names, hashes FROM cells ORDER BY rowid", (bytes, bytes)),
    "heads": ("SELECT ledger, seq, mac FROM heads ORDER BY ledger", (str, int, str)),
    "unpublished": ("SELECT identity, file FROM unpublished ORDER BY identity", (str, str | bytes)),
}
"""For every sealed table its rows, in an order of their own, and the types of a row."""


@dataclass(frozen=True)
class Memory:
    """The file of one secret.

    Attributes
    ----------
    key
        Of the seals; derived from the secret.
    """

    file: Path
    key: bytes = field(repr=False)

    @classmethod
    def of(cls, spec: Secret | None, secret: bytes) -> "Memory | None":
        """Return the memory of a secret; None for a secret from the environment that says nothing of a memory.

        Raises
        ------
        SecretError
            An earlier version kept a memory beside a link to the file of the secret.
        """
        if spec is None or spec.memory_path is None:
            return None
        if spec.memory is None:
            _not_beside_a_link(f"{spec.file}.memory", spec.memory_path)
        return cls(Path(spec.memory_path), keys.derived(secret, "memory"))

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
        with self._opened("cells") as base:
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
        with self._opened("heads") as base:
            row = base.execute("SELECT seq, mac FROM heads WHERE ledger = ?", (ledger,)).fetchone()
        return None if row is None else (int(row[0]), str(row[1]))

    def saw(self, ledger: str, head: tuple[int, str]) -> None:
        """Keep the last entry of a ledger; an earlier one changes nothing."""
        with self._opened("heads") as base:
            base.execute(
                "INSERT INTO heads VALUES (?, ?, ?) ON CONFLICT (ledger) DO UPDATE SET seq = excluded.seq,"
                " mac = excluded.mac WHERE excluded.seq > heads.seq",
                (ledger, *head),
            )

    def will_keep(self, identity: str, file: Path) -> None:
        """Note where measurements will be kept, before they are drawn."""
        with self._opened("unpublished") as base:
            base.execute(
                "INSERT OR REPLACE INTO unpublished VALUES (?, ?)", (identity, os.fsencode(os.path.realpath(file)))
            )

    def unpublished(self, identity: str) -> Path | None:
        """Where the measurements of a release were kept when it was last drawn; they may be published or given up."""
        if not os.path.lexists(self.file):
            return None
        with self._opened("unpublished") as base:
            row = base.execute("SELECT file FROM unpublished WHERE identity = ?", (identity,)).fetchone()
        return None if row is None else Path(os.fsdecode(row[0]))

    @contextmanager
    def _opened(self, part: str) -> Iterator[sqlite3.Connection]:
        """Open a transaction that nobody else can be in, to read or change one table. Keep all of it, or nothing."""
        self._private()
        try:
            with closing(sqlite3.connect(self.file, timeout=WAIT, isolation_level=None)) as base:
                base.execute("PRAGMA synchronous = FULL")
                base.execute("BEGIN IMMEDIATE")
                try:
                    self._check(base, part)
                    before = base.total_changes
                    yield base
                    if base.total_changes > before:
                        self._seal(base, part)
                except BaseException:
                    base.execute("ROLLBACK")
                    raise
                base.execute("COMMIT")
        except sqlite3.Error as error:
            raise SecretError(
                f"the memory of the secret, {quoted(self.file)}, cannot be used ({error}); nothing was drawn."
                " Restore it from a copy, or make room for it; without it, what was released is not known"
            ) from None

    def _check(self, base: sqlite3.Connection, part: str) -> None:
        """Compare a table with its seal; seal all tables of a file that an earlier version wrote."""
        sealed = base.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'seals'").fetchone()
        if sealed is None:
            _create(base)
            for each in PARTS:
                self._seal(base, each)
            return
        row = base.execute("SELECT mac FROM seals WHERE part = ?", (part,)).fetchone()
        if row is None or type(row[0]) is not bytes or not hmac.compare_digest(row[0], self._mac(base, part)):
            raise self._damaged()

    def _seal(self, base: sqlite3.Connection, part: str) -> None:
        base.execute("INSERT OR REPLACE INTO seals VALUES (?, ?)", (part, self._mac(base, part)))

    def _mac(self, base: sqlite3.Connection, part: str) -> bytes:
        """Return the MAC of all rows of a table, each value with its length."""
        query, types = PARTS[part]
        mac = hmac.new(self.key, part.encode(), "sha256")
        for row in base.execute(query):
            if not all(map(isinstance, row, types)) or (part == "cells" and not _paired(*row)):
                raise self._damaged()
            for value in row:
                data = value if isinstance(value, bytes) else str(value).encode(errors="surrogatepass")
                mac.update(len(data).to_bytes(8, "big") + data)
        return mac.digest()

    def _damaged(self) -> SecretError:
        return SecretError(
            f"the memory of the secret, {quoted(self.file)}, is not as it was written, or is the memory of another"
            " secret; nothing was drawn: without it, what was released is not known. Restore it from a copy, and give"
            " each secret a memory of its own"
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
                " drawn: give a place for it under secret: {memory: FILE}"
            ) from None
        if not stat.S_ISREG(status.st_mode) or (os.name == "posix" and status.st_mode & 0o077):
            raise SecretError(
                f"the memory of the secret, {quoted(self.file)}, is no file, or can be read by others; nothing"
                " was drawn: take the right away with chmod 600"
            )
        if status.st_size == 0:
            raise SecretError(
                f"the memory of the secret, {quoted(self.file)}, is empty, and no memory ever is; nothing was drawn:"
                " restore it from a copy. Remove it only if nothing was ever released with the secret"
            )

    def _make(self) -> None:
        """Write a file without rows, whole or not at all; another run may be faster."""
        with closing(sqlite3.connect(":memory:")) as base:
            _create(base)
            for part in PARTS:
                self._seal(base, part)
            base.commit()
            data = base.serialize()
        with suppress(FileExistsError):
            files.write(self.file, data, private=True, new=True)


def _create(base: sqlite3.Connection) -> None:
    for statement in filter(str.strip, TABLES.split(";")):
        base.execute(statement)


def _paired(names: bytes, hashes: bytes) -> bool:
    """Return True if there are names, and a hash for each."""
    return len(names) == len(hashes) > 0 and len(names) % SIZE == 0


def _not_beside_a_link(beside: str, place: str) -> None:
    """Refuse a memory that an earlier version kept beside a link to the file of the secret."""
    if os.path.lexists(beside) and os.path.realpath(beside) != os.path.realpath(place):
        raise SecretError(
            f"there is a memory beside a link to the secret, {quoted(beside)}; a memory is kept beside the file that"
            f" the link leads to, {quoted(place)}. Nothing was drawn: if there is no such file, move the memory there."
            " If there is one, give a new version label to all that was released by the link, then remove the memory"
            " beside the link"
        )


def _unpacked(data: bytes) -> npt.NDArray[np.bytes_]:
    """Names or hashes one after another; as numbers of fixed width, so zeros at the end count."""
    return np.frombuffer(data, dtype=f"S{SIZE}")


def _packed(given: Sequence[bytes]) -> npt.NDArray[np.bytes_]:
    return _unpacked(b"".join(given))
