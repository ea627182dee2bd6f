"""The specification that is worked on: its text, its file, and what it was before.

The text is always a specification that can be read. A text with a mistake is kept apart as a draft, with its error, so
that pages can show both.
"""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet import files
from discreet.errors import OutputError, SpecError
from discreet.plan import yaml_file
from discreet.plan.read_spec import SpecFile, read_text
from discreet.plan.spec import ReleaseSpec
from discreet.plan.yaml_update import updated

MOST_STEPS = 100
"""Changes that can be taken back."""


@dataclass(frozen=True)
class Draft:
    """A text with a mistake, and its error."""

    content: str
    error: SpecError


@dataclass(frozen=True)
class Current:
    """A text, what was read from it, and its number, which every change increases."""

    content: str
    spec_file: SpecFile
    number: int

    @property
    def spec(self) -> ReleaseSpec:
        """The specification, with paths that start where the process runs."""
        return self.spec_file.spec

    @property
    def document(self) -> dict[str, Any]:
        """The content of the text as dicts, lists and scalars. Not to be changed."""
        document: dict[str, Any] = self.spec_file.document
        return document


class SpecDocument:
    """A specification with its history. Threads may use it at the same time.

    Attributes
    ----------
    file
        Where the specification is saved.

    Parameters
    ----------
    content
        The text.
    file
        The file. It need not exist.
    on_disk
        What the file holds; None if it does not exist.
    """

    def __init__(self, content: str, file: Path, *, on_disk: str | None = None) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._current = Current(content, read_text(content, file), 1)
        self._on_disk = on_disk
        self._before: list[str] = []
        self._draft: Draft | None = None

    @property
    def current(self) -> Current:
        """The text and what was read from it."""
        return self._current

    @property
    def draft(self) -> Draft | None:
        """The text with a mistake that was given last, or None."""
        return self._draft

    @property
    def is_saved(self) -> bool:
        """True if the file has the current text."""
        return self._on_disk == self._current.content

    @property
    def can_undo(self) -> bool:
        """True if there is a change to take back."""
        return bool(self._before)

    def replace(self, content: str) -> None:
        """Take another text. Raise SpecError, and keep the text as a draft, if it is no specification."""
        content = content.replace("\r\n", "\n")
        with self._lock:
            try:
                self._accept(content)
            except SpecError as error:
                self._draft = Draft(content, error)
                raise

    def change(self, edit: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Change the content, and keep the comments of the text.

        Parameters
        ----------
        edit
            Return the new content, from a copy of the old one.

        Raises
        ------
        SpecError
            The new content is no specification. The text stays as it was.
        """
        with self._lock:
            document, _ = yaml_file.parsed(self._current.content, str(self.file))
            self._accept(updated(self._current.content, edit(document)))

    def undo(self) -> None:
        """Take the last change back, if there is one."""
        with self._lock:
            if self._before:
                content = self._before.pop()
                self._current = Current(content, read_text(content, self.file), self._current.number + 1)

    def save(self, file: Path | None = None) -> None:
        """Write the text to its file, which only its owner can read, or to a new file.

        Raises
        ------
        OutputError
            The new file exists, another program changed the file, or the file cannot be written.
        """
        with self._lock:
            content = self._current.content
            if file is None or file == self.file:
                self._refuse_to_overwrite()
                files.write(self.file, content.encode(), private=True)
            else:
                files.new_path(file)
                spec_file = read_text(content, file)  # relative paths start at the folder of the file
                files.write(file, content.encode(), private=True)
                self._current = Current(content, spec_file, self._current.number + 1)
                self.file = file
            self._on_disk = content

    def _refuse_to_overwrite(self) -> None:
        """Raise OutputError if the file is not as it was when it was opened or saved."""
        if not os.path.lexists(self.file):
            return
        if self._on_disk is None or yaml_file.file_text(self.file) != self._on_disk:
            raise OutputError(
                f"another program wrote {self.file.name} after it was opened here; save under another name, or open it"
                " again"
            )

    def _accept(self, content: str) -> None:
        """Make a text the current one. Raise SpecError if it is no specification."""
        spec_file = read_text(content, self.file)
        if content != self._current.content:
            self._before = [*self._before, self._current.content][-MOST_STEPS:]
            self._current = Current(content, spec_file, self._current.number + 1)
        self._draft = None
