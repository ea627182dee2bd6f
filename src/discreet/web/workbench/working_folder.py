"""The one folder that the workbench reads files from and writes files to, and nothing outside of it.

The specification may name a source elsewhere, as on the command line: its text is the steward's own.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import InputError, OutputError

DATA_ENDINGS = (".csv", ".tsv", ".txt", ".gz", ".parquet", ".xlsx", ".xlsm", ".duckdb")
SPEC_ENDINGS = (".yaml", ".yml")

MOST_SHOWN = 500
"""Files of a folder that are listed."""

LONGEST_PATH = 4000
LONGEST_NAME = 255
"""Bytes of the longest name of a file; part of an ending that a program adds to it may need some of them."""

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Listing:
    """What is in one folder: names of folders to enter, data files, specifications and published folders.

    Attributes
    ----------
    inner
        The path of the folder below the working folder; empty for the working folder itself.
    """

    inner: str
    folders: tuple[str, ...]
    data: tuple[str, ...]
    specs: tuple[str, ...]
    published: tuple[str, ...]


@dataclass(frozen=True)
class WorkingFolder:
    """The working folder. Its path is real: it has no links."""

    path: Path

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> "WorkingFolder":
        """Return the working folder at a path. Raise InputError if there is no folder."""
        real = Path(os.path.realpath(path))
        if not real.is_dir():
            raise InputError(f"{path!s:.200} is not a folder; give the folder that holds the data")
        return cls(real)

    def existing(self, name: str) -> Path:
        """Return the real path of something in the folder. Raise InputError if it is outside, or does not exist."""
        real = self._inside(name)
        if real is None or not os.path.exists(real):
            raise InputError(f"{name!r:.200} is not in the folder {self.path}; choose a file from the list")
        return real

    def new(self, name: str, purpose: str) -> Path:
        """Return the path of something to write in the folder. Nothing is made.

        Parameters
        ----------
        name
            The path below the folder.
        purpose
            What the name is for, for messages.

        Raises
        ------
        OutputError
            The name is empty, leads out of the folder, or has a character that names cannot have.
        """
        wanted = name.strip()
        real = self._inside(wanted) if wanted not in ("", ".") and wanted.isprintable() else None
        if real is None or real == self.path:
            raise OutputError(f"{purpose} is {name!r:.100}; give a name in the folder {self.path}")
        return self.path / wanted

    def relative(self, path: Path) -> str:
        """Return a path below the folder as pages show it."""
        return os.path.relpath(path, self.path)

    def listing(self, inner: str = "") -> Listing:
        """Return what is in the folder, or in a folder of it. Hidden files are left out."""
        folder = self.existing(inner or ".")
        if not folder.is_dir():
            raise InputError(f"{inner!r:.200} is not a folder; choose a folder from the list")
        try:
            names = sorted(entry.name for entry in os.scandir(folder) if not entry.name.startswith("."))
        except OSError as error:
            raise InputError(f"the folder {inner!r:.200} cannot be read ({error.strerror})") from None
        prefix = "" if folder == self.path else self.relative(folder) + "/"
        safe = [prefix + name for name in names if name.isprintable() and self._inside(prefix + name) is not None]
        folders = [name for name in safe if (self.path / name).is_dir()]
        published = [name for name in folders if (self.path / name / MANIFEST).is_file()]
        others = [name for name in safe if (self.path / name).is_file()]
        return Listing(
            prefix.rstrip("/"),
            tuple(name for name in folders if name not in published)[:MOST_SHOWN],
            tuple(name for name in others if name.lower().endswith(DATA_ENDINGS))[:MOST_SHOWN],
            tuple(name for name in others if name.lower().endswith(SPEC_ENDINGS))[:MOST_SHOWN],
            tuple(published)[:MOST_SHOWN],
        )

    def _inside(self, name: str) -> Path | None:
        """Return the real path of a name if it is in the folder, links followed. None if it is not."""
        if "\0" in name or len(name) > LONGEST_PATH or os.path.isabs(name):
            return None
        if any(len(os.fsencode(part)) > LONGEST_NAME for part in name.split("/")):
            return None
        try:
            real = Path(os.path.realpath(self.path / name))
        except (OSError, ValueError):
            return None
        return real if real == self.path or self.path in real.parents else None
