"""The pipeline: from a specification to a folder that can be published as it is.

    specification -> plan -> rows counted once -> measurements -> tables -> folder

The plan sees the specification only. Rows come from the source that the specification names, or from a data frame.
Without a folder the release stays in memory. A release that fails leaves no folder. A release draws once: if it fails
after the draw, its measurements stay in a private file, and the next run goes on from them (`publish.pending`).
"""

import os
import warnings
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from discreet import files, interrupts
from discreet.count import found_categories
from discreet.errors import FixedCountWarning, ParameterError, SpecError
from discreet.measure.kept_plans import kept_plans
from discreet.measure.unit_allowance import ledger_units
from discreet.plan import read_spec
from discreet.plan.metadata import known_language
from discreet.plan.release_plan import ReleasePlan, make_plan
from discreet.plan.spec import ReleaseSpec
from discreet.publish import pending, steward_log
from discreet.publish.folder import MANIFEST, Published, written_version
from discreet.publish.folder_claim import ReleasePaths, claimed_paths
from discreet.publish.manifest import Manifest, SoftwareEntry
from discreet.publish.table_workbook import require_workbooks
from discreet.reconcile import distance
from discreet.reconcile.table_plan import TablePlan, make_table_plan
from discreet.release.count_and_draw import Drawn, Progress, draw_or_resume
from discreet.release.release_value import Release

if TYPE_CHECKING:
    from discreet.count.frame_rows import FrameRows

PUBLISHED = "published"
"""The step that `progress` is called with when the folder is complete, before a pending signal is answered."""


def run(
    spec: Any,
    output: str | os.PathLike[str] | None = None,
    *,
    data: Any = None,
    log: str | os.PathLike[str] | None = None,
    language: str | None = None,
    progress: Progress | None = None,
) -> Release:
    """Make a release.

    A release draws once. If it fails after the draw, its measurements stay in `OUTPUT.unpublished.json`, beside the
    folder, or, without a folder, in a private file that the error names. The next run goes on from them and reads no
    data. It may have another reconcile, seed, fixed, outputs, title, language or metadata.

    Parameters
    ----------
    spec
        A path of a YAML file, a dict or a ReleaseSpec.
    output
        The folder to make. It must not exist. None: no folder is made, and the release stays in memory.
    data
        The rows, instead of the source of the specification: a pandas or Polars DataFrame, a PyArrow table or record
        batch reader, or a DuckDB relation.
    log
        A private file for the steward: record counts, undeclared categories, realised errors. It holds true counts.
    language
        The language of the report, of README.md and of labels: "en", "de", "fr" or "es". Default: the language of the
        specification.
    progress
        Called with the name of the current step and the fraction of the step that is done.

    Returns
    -------
    Release
        The release, with its tables, and its folder if there is one.

    Raises
    ------
    DiscreetError
        The specification has a mistake, the source or the data cannot be read, both or none of them are given, the
        budget does not suffice, the folder exists, or measurements of another release wait for the folder. No folder is
        left.

    Examples
    --------
    >>> import discreet as dc, pathlib, tempfile
    >>> temporary = tempfile.TemporaryDirectory()
    >>> people = pathlib.Path(temporary.name, "people.csv")
    >>> _ = people.write_text("sex\\n" + 40 * "f\\n" + 60 * "m\\n")
    >>> spec = {
    ...     "version": "2026",
    ...     "source": {"csv": str(people)},
    ...     "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
    ...     "tables": [{"name": "people", "dimensions": ["sex"], "margins": "all"}],
    ...     "design": {"name": "geometric", "epsilon": "0.5"},
    ...     "budget": {"epsilon": 1, "delta": "1e-6"},
    ...     "key": "fresh",
    ... }
    >>> release = dc.release.run(spec, people.with_name("published"))
    >>> release.cells, release.touches
    (4, 2)
    >>> release.promise.epsilon
    '1'
    >>> sorted(path.name for path in release.folder.iterdir() if path.suffix == ".csv")
    ['measurements.csv', 'people.csv', 'people.intervals.csv']
    >>> temporary.cleanup()
    """
    tell = progress or (lambda _, __: None)
    _refuse_other_than_paths(output, log)
    with ExitStack() as stack:
        paths = stack.enter_context(claimed_paths(output, log))
        tell("reading the specification", 0)
        plan, table_plan, frame = _plans(spec, data, language, tell)
        drawn = draw_or_resume(plan, frame, paths, stack, tell)

        tell("making the tables", 0)
        measurements = plan.measured.by_grouping(drawn.kept.measurements)
        published = Published(
            plan, table_plan, measurements, table_plan.fitted(measurements), written_version(plan.spec)
        )
        distance.require_near(table_plan, published.fitted, measurements, published.noise)
        _warn_of_fixed_counts(published)

        tell("writing", 0)
        manifest, content = _publish(published, drawn, paths, tell)
    charge = drawn.ledger.charged()
    return Release(published, manifest.document(), content, paths.folder, drawn.resumed, charge)


def _plans(
    spec: Any, data: Any, language: str | None, tell: Progress
) -> tuple[ReleasePlan, TablePlan, "FrameRows | None"]:
    """Return what is measured, how tables are made from the measurements, and the rows of a data frame, if any."""
    spec_file = read_spec.read(spec)
    with spec_file.errors_with_lines():
        frame = _frame(spec_file.spec, data)
        complete_spec = found_categories.with_categories(spec_file.spec, frame)
        if language is not None:
            complete_spec = complete_spec.model_copy(update={"language": known_language(language)})
        tell("choosing and certifying the design", 0)
        plan = make_plan(complete_spec, kept_plans(complete_spec), ledger_units(complete_spec))
        require_workbooks(plan)
        return plan, make_table_plan(plan), frame


def _frame(spec: ReleaseSpec, data: Any) -> "FrameRows | None":
    """Return the rows of a data frame, or None if the specification names a source."""
    if (data is None) == (spec.source is None):
        given = "no source, and no data are" if data is None else "a source, and data are also"
        raise SpecError(
            f"the specification names {given} given; give either source: {{csv: people.csv}} or run(spec, data=frame)",
            () if data is None else ("source",),
        )
    if data is None:
        return None
    from discreet.count.frame_rows import FrameRows  # files need less

    return FrameRows(data, spec.columns, spec.unit.id)


def _refuse_other_than_paths(*paths: object) -> None:
    """Raise ParameterError if an output is no path. A data frame that is given without its name arrives as one."""
    for path in paths:
        if path is not None and not isinstance(path, (str, os.PathLike)):
            raise ParameterError(
                f"the output is of the type {type(path).__name__}; give the path of a folder to make, and data by name:"
                " run(spec, data=frame)"
            )


def _warn_of_fixed_counts(published: Published) -> None:
    for fixed_count in published.given_counts:
        if not fixed_count.explained:
            message = f"{fixed_count.text}; noise does not explain that: {fixed_count.differs}"
            warnings.warn(message, FixedCountWarning, stacklevel=3)  # at the caller of `run`


def _publish(
    published: Published, drawn: Drawn, paths: ReleasePaths, tell: Progress
) -> tuple[Manifest, dict[str, bytes]]:
    """Write the folder, if any, and the log, and complete the grant of the ledger. Return manifest and files."""
    content = published.files()
    source = published.plan.spec.source
    engine = "frame" if source is None else source.kind
    manifest = published.manifest(content, engine, drawn.key, drawn.charge, SoftwareEntry.of_this_process())
    content |= {MANIFEST: manifest.to_bytes()}
    with interrupts.deferred():
        if paths.folder is None or not pending.is_published(paths.folder, content, drawn.kept.file):
            with steward_log.written_log(paths.log, drawn.truth, published):
                if paths.folder is not None:
                    files.write_folder(paths.folder, content)
        drawn.ledger.complete()  # from here on the folder stays, whatever fails: a rerun tells the ledger
        drawn.kept.remove()
        tell(PUBLISHED, 1)
    return manifest, content
