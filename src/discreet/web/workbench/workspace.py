"""What one session of the workbench holds in memory: the specification, what follows from it, and the running job.

Results are computed by the public functions. They are kept for the text that they were computed from, because a page
needs them again with every click.
"""

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from discreet.count.sources import open_engine
from discreet.errors import DiscreetError, InputError, SpecError
from discreet.plan import yaml_file
from discreet.plan.metadata import Language
from discreet.plan.sections import Axis, TableSpec
from discreet.prepare.initial_spec import initial_spec
from discreet.prepare.preview_counts import Preview, preview
from discreet.prepare.proposal import Proposal, propose
from discreet.publish.planned_release import PlannedRelease, describe
from discreet.release.plan_release import plan
from discreet.web.workbench.release_job import Job
from discreet.web.workbench.spec_document import Draft, SpecDocument
from discreet.web.workbench.working_folder import SPEC_ENDINGS, WorkingFolder

MOST_KEPT = 40
"""Results that are kept."""

Result = TypeVar("Result")


class NothingOpenError(InputError):
    """No data file and no specification is open."""


class Results:
    """Results by key, the last ones. One computation runs at a time, because each uses every core."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()

    def of(self, key: tuple[Any, ...], compute: Callable[[], Result]) -> Result:
        """Return the result of a key. An error of the user's is kept as well, and raised again."""
        with self._lock:
            if key not in self._kept:
                try:
                    self._kept[key] = compute()
                except DiscreetError as error:
                    self._kept[key] = error
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            result = self._kept[key]
        if isinstance(result, DiscreetError):
            raise result
        kept: Result = result
        return kept

    def clear(self) -> None:
        """Forget everything, because data or a ledger may have changed."""
        with self._lock:
            self._kept.clear()


class Workspace:
    """The state of a session.

    Attributes
    ----------
    folder
        The folder that files are in.
    language
        The language that the steward chose; None: that of the browser.
    unread
        The file and the text of a specification that was opened and has a mistake; None if there is none.
    job
        The last release or check that was started; None if there was none.
    """

    def __init__(self, folder: WorkingFolder) -> None:
        self.folder = folder
        self.language: Language | None = None
        self.unread: tuple[Path, Draft] | None = None
        self.job: Job | None = None
        self.results = Results()
        self._document: SpecDocument | None = None
        self._starting = threading.Lock()
        self._plans: list[PlannedRelease] = []

    @property
    def document(self) -> SpecDocument:
        """The specification that is worked on. Raise InputError if there is none, or if it has a mistake."""
        if self.unread is not None:
            raise InputError(f"{self.unread[0].name} has a mistake; repair it on the page YAML, or open another file")
        if self._document is None:
            raise NothingOpenError("no data file is open; open one first, on the first page")
        return self._document

    @property
    def is_open(self) -> bool:
        """True if a specification is worked on."""
        return self._document is not None

    def open_file(self, name: str, *, table: str | None = None, sheet: str | None = None) -> None:
        """Open a data file, for which a specification is proposed, or a specification.

        Parameters
        ----------
        name
            The path of the file below the folder.
        table, sheet
            The table of a DuckDB file, or the sheet of a workbook.

        Raises
        ------
        DiscreetError
            The file is outside the folder, cannot be read, or nothing can be proposed for it.
        """
        file = self.folder.existing(name)
        if name.lower().endswith(SPEC_ENDINGS):
            self._open_spec(self.folder.path / name)
            return
        data = os.path.relpath(self.folder.path / name)  # a relative path stays relative in the specification
        spec = self.results.of(
            ("initial", data, table, sheet),
            lambda: initial_spec(data, folder=self.folder.path, table=table, sheet=sheet),
        )
        self._take(SpecDocument(spec.text, self._free_name(file)))

    def replace(self, content: str) -> None:
        """Take another text for the specification, also for one that was opened with a mistake."""
        if self.unread is None:
            self.document.replace(content)
            return
        file, _ = self.unread
        content = content.replace("\r\n", "\n")
        try:
            self._take(SpecDocument(content, file, on_disk=yaml_file.file_text(file)))
        except SpecError as error:
            self.unread = file, Draft(content, error)
            raise

    def proposal(self) -> Proposal:
        """Return what is proposed for each column of the source."""
        source = self.document.current.spec.source

        def look() -> Proposal:
            with open_engine(source) as engine:
                return propose(engine)

        return self.results.of(("proposal", repr(source)), look)

    def planned(self) -> tuple[PlannedRelease, PlannedRelease | None]:
        """Return the plan of the specification, and the plan that was shown before it, if it is another one."""
        current = self.document.current

        def make() -> PlannedRelease:
            with current.spec_file.errors_with_lines():
                return describe(plan(current.spec))

        planned = self.results.of(("plan", current.content), make)
        if not self._plans or self._plans[-1] is not planned:
            self._plans = [*self._plans[-1:], planned]
        return planned, self._plans[0] if len(self._plans) == 2 else None

    def preview_of(self, dimension: str) -> Preview:
        """Return the true counts of one dimension, whether or not a table uses it. For the steward only."""
        current = self.document.current
        if dimension not in current.spec.dimensions:
            raise InputError(f"there is no dimension {dimension!r:.80}; choose one from the list")
        table = TableSpec(name="preview", dimensions=[Axis(dimension=dimension)])
        reduced = current.spec.model_copy(update={"tables": [table]})
        key = (
            "preview", repr(reduced.source), repr(reduced.unit), dimension, repr(reduced.dimensions[dimension]),
            repr(sorted(reduced.columns)),
        )  # fmt: skip

        def count() -> Preview:
            with current.spec_file.errors_with_lines():
                return preview(reduced)

        return self.results.of(key, count)

    def start(self, job: Job) -> None:
        """Start a job. Raise InputError if one is running."""
        with self._starting:
            if self.job is not None and self.job.is_running:
                raise InputError("another release or check is running; wait until it has ended")
            self.job = job
            job.start(self.results.clear)

    def _open_spec(self, file: Path) -> None:
        on_disk = yaml_file.file_text(file)
        content = on_disk.replace("\r\n", "\n")
        try:
            self._take(SpecDocument(content, file, on_disk=on_disk))
        except SpecError as error:
            self._document, self.unread = None, (file, Draft(content, error))
            raise

    def _take(self, document: SpecDocument) -> None:
        self._document, self.unread, self._plans = document, None, []

    def _free_name(self, data: Path) -> Path:
        """Return a path for the specification of a data file that no file has."""
        stem = data.name.split(".")[0] or "release"
        number, file = 2, self.folder.path / f"{stem}.yaml"
        while file.exists() or file.is_symlink():
            number, file = number + 1, self.folder.path / f"{stem}-{number}.yaml"
        return file
