"""Check a release folder as a third party would: with nothing but the folder.

- The certificates: every claim is recomputed in integers, and the specification does not contradict them.
- The measurements: each measured cell has one, the same in all groupings with its table of noise, and this table can
  give it.
- The tables: no count is further from its measurement, or from least squares, than noise explains (`distance`).
- The files: they are made again from the measurements and compared byte for byte, and there are no others. A Parquet
  file that another version of pyarrow wrote is compared by content; its other bytes are not checked. A workbook of
  another version of XlsxWriter is not compared, nor is any workbook where XlsxWriter is not installed.
- The manifest: it is made again and compared as a whole. The last digits of the composed guarantee may differ, because
  machines differ there.

Another version of Discreet or numpy may make other tables and another report. If the folder names another version and
its tables differ, counts are compared with the measurements (`_other_version`), and the report is not checked.

A folder cannot show whether the publisher used the certificate's table, kept the secret, or counted the columns that
the specification names. The kind of source, the fingerprint of the secret, the ledger and the software are checked for
their form only.
"""

import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError, ExceededBudgetError, ParameterError, SolverError
from discreet.plan.guarantee import GROUP, Promise, composed_promise
from discreet.plan.noise_table import contradictions
from discreet.plan.release_plan import ReleasePlan, plan_with
from discreet.publish import table_files
from discreet.publish._opened_folder import Measurements, open_folder, read_measurements, refused
from discreet.publish._other_version import (
    is_replayed_but_for_the_report,
    other_software,
    same_parquet,
    wrong_tables,
)
from discreet.publish.folder import REPORT, Published
from discreet.publish.manifest import ComposedGuarantee, Manifest
from discreet.publish.table_workbook import why_not_compared
from discreet.reconcile import distance
from discreet.reconcile.table_plan import Fitted, TablePlan, make_table_plan

ROUNDED_DOWN, ROUNDED_UP = 1e-9, 1e-5
"""A stated guarantee may be this share of the recomputed guarantee below it, and this share above it.

Machines differ after 9 digits. Rounding up to 6 digits adds 1e-5 at most.
"""

GROUP_ROUNDED_UP = 0.0111
"""For group privacy: a thousandth is added, and three digits are left, which adds a hundredth at most."""


@dataclass(frozen=True)
class MeasuredFolder:
    """The plan of a release folder, and its measurements: one array for each grouping, None if it is not measured."""

    path: Path
    plan: ReleasePlan
    measurements: Measurements


@dataclass(frozen=True)
class VerifiedFolder:
    """A release folder in which no claim fails. Every claim was checked if the last three attributes are empty.

    Attributes
    ----------
    folder
        The path of the folder.
    published
        The plan, the measurements and the tables of the folder.
    manifest
        The manifest of the folder.
    other_software
        The versions that made the folder and the running versions, as text; None if every file was made again.
    not_replayed
        The names of the files that the running version makes otherwise.
    by_content
        The names of Parquet files that another version of pyarrow wrote. Only their content was compared.
    not_compared
        The names of workbooks that were not compared, each with the reason.
    """

    folder: Path
    published: Published
    manifest: Manifest
    other_software: str | None = None
    not_replayed: tuple[str, ...] = ()
    by_content: tuple[str, ...] = ()
    not_compared: Mapping[str, str] = field(default_factory=dict)


def verify_folder(folder: str | os.PathLike[str]) -> VerifiedFolder:
    """Recompute every claim of a release folder.

    Parameters
    ----------
    folder
        The path of the folder.

    Returns
    -------
    VerifiedFolder
        What the folder holds, and which files could not be made again.

    Raises
    ------
    CertificateError
        If a file is missing, or a claim does not hold. `failures` has one line for each.
    """
    path = Path(folder)
    opened = open_folder(path)
    manifest, content, noise, resolved = opened.manifest, opened.content, opened.noise, opened.resolved
    failures = [f"manifest: {contradiction}" for contradiction in contradictions(resolved.spec, noise)]
    measurements = read_measurements(opened, failures)
    if failures:
        raise refused(path, failures)
    plan = _with_promise(manifest, plan_with(resolved, noise, None), failures)
    table_plan = make_table_plan(plan)
    fitted, tables = _fitted(path, table_plan, measurements), [ptable.table for ptable in plan.ptables]
    failures.extend(f"fixed: {line}" for line in distance.contradicted(table_plan, measurements, tables))
    failures.extend(f"tables: {line}" for line in distance.too_far(table_plan, fitted, measurements, tables))
    published = Published(plan, table_plan, measurements, fitted, manifest.version)
    if not failures:
        _compare_manifest(manifest, content, published, failures)
    if failures:
        raise refused(path, failures)
    other = other_software(manifest)
    differing, by_content, not_compared = _compare_files(content, published, other, failures)
    if other is None or is_replayed_but_for_the_report(manifest):
        wrong = [name for name in differing if other is None or name != REPORT]
        failures.extend(f"{name}: is not what the measurements make" for name in wrong)
    else:
        mistakes, more_by_content = wrong_tables(published, fitted, content, differing)
        failures.extend(f"{line} ({other})" for line in mistakes)
        by_content += more_by_content
    if failures:
        raise refused(path, failures)
    return VerifiedFolder(
        path, published, manifest, other if differing else None, tuple(differing), tuple(by_content), not_compared
    )


def _fitted(path: Path, table_plan: TablePlan, measurements: Measurements) -> list[Fitted]:
    try:
        return table_plan.fitted(measurements)
    except (SolverError, ParameterError) as error:
        raise refused(path, [f"tables: they cannot be made from the measurements: {error}"]) from error


def read_folder(folder: str | os.PathLike[str]) -> MeasuredFolder:
    """Read the measurements of a release folder, and check what they rest on.

    Checked are the digests of all files, the certificate, its agreement with the specification and the groupings, the
    composed guarantee, and that each cell has one measurement. `verify_folder` checks the tables and the rest.

    Parameters
    ----------
    folder
        The path of a release folder.

    Returns
    -------
    MeasuredFolder
        The plan of the folder, and its measurements.

    Raises
    ------
    CertificateError
        If one of these checks fails. `failures` has one line for each.
    """
    path = Path(folder)
    opened = open_folder(path)
    noise, plan = opened.noise, plan_with(opened.resolved, opened.noise, None)
    failures = [f"manifest: {contradiction}" for contradiction in contradictions(plan.spec, noise)]
    if opened.manifest.groupings != table_files.grouping_entries(plan):
        failures.append("manifest: its groupings are not those of its specification and certificate")
    plan = plan if failures else _with_promise(opened.manifest, plan, failures)
    if failures:
        raise refused(path, failures)
    measurements = read_measurements(opened, failures)
    if failures:
        raise refused(path, failures)
    return MeasuredFolder(path, plan, measurements)


def _compare_manifest(manifest: Manifest, content: dict[str, bytes], published: Published, failures: list[str]) -> None:
    """Make the manifest again from specification, certificate and files. Add a failure for each difference."""
    key = manifest.key.model_copy(update={"kind": published.plan.spec.key})
    expected = published.manifest(content, manifest.engine, key, manifest.ledger, manifest.software)
    failures.extend(f"manifest: {line}" for line in _differences(manifest.document(), expected.document()))
    if not failures and json.dumps(manifest.document()) != json.dumps(expected.document()):
        failures.append("manifest: its fields are not in the order in which a release writes them")


def _differences(stated: Any, expected: Any, field: str = "") -> Iterator[str]:
    """Yield one line for each field in which two documents differ."""
    if isinstance(stated, dict) and isinstance(expected, dict):
        for name in (*expected, *(name for name in stated if name not in expected)):
            inner = f"{field}.{name}" if field else str(name)
            if name not in stated:
                yield f"{inner:.200} is missing"
            elif name not in expected:
                yield f"{inner:.200} is nothing that a release states"
            else:
                yield from _differences(stated[name], expected[name], inner)
    elif json.dumps(stated) != json.dumps(expected):
        yield f"{field:.200} is {stated!r:.80}, and comes out as {expected!r:.80}"


def _with_promise(manifest: Manifest, plan: ReleasePlan, failures: list[str]) -> ReleasePlan:
    """Return the plan with the stated promise."""
    return replace(plan, promise=_promise(manifest, plan, failures))


def _promise(manifest: Manifest, plan: ReleasePlan, failures: list[str]) -> Promise | None:
    """Return the stated promise. Add a failure if it is not the recomputed promise, or exceeds the budget."""
    try:
        promise = composed_promise(plan.spec, plan.ptables, plan.exposure)
    except ExceededBudgetError as error:
        failures.append(
            f"manifest: {error.finding}: the release exceeds the budget that it states. Do not rely on its promise; ask"
            " the publisher"
        )
        return None
    except DiscreetError as error:
        failures.append(f"manifest: {error}")
        return None
    stated = manifest.privacy.composed
    if (stated is None) != (promise is None):
        failures.append("manifest: a composed guarantee is stated where there is none, or missing where there is one")
    elif promise is not None and stated is not None:
        return _composed(stated, promise, failures)
    return promise


def _composed(stated: ComposedGuarantee, promise: Promise, failures: list[str]) -> Promise:
    """Return the stated guarantee. Add a failure if a number differs from the recomputed one by more than rounding."""
    if stated.epsilon != promise.epsilon:
        failures.append(f"manifest: the composed epsilon is {stated.epsilon}, not the budget's")
    numbers = {}
    for name in ("delta", "floor"):
        recomputed = float(getattr(promise, name))
        try:
            numbers[name] = float(getattr(stated, name))
        except ValueError:
            numbers[name] = math.nan
        highest = min(recomputed * (1 + (GROUP_ROUNDED_UP if promise.method == GROUP else ROUNDED_UP)), 1.0)
        if not recomputed * (1 - ROUNDED_DOWN) <= numbers[name] <= highest:
            failures.append(
                f"manifest: the composed {name} is {getattr(stated, name)}, and comes out as {recomputed!r}"
            )
    return replace(promise, delta=numbers["delta"], floor=numbers["floor"])


def _compare_files(
    content: dict[str, bytes], published: Published, other: str | None, failures: list[str]
) -> tuple[list[str], list[str], dict[str, str]]:
    """Make the files again from the measurements. Add a failure for each missing file and each other file.

    Return the names of files that differ, the names of Parquet files that are equal by content only, and the workbooks
    that cannot be compared, with the reason.
    """
    expected = published.files()
    failures.extend(f"{name}: is no file of this release" for name in content if name not in expected)
    differing: list[str] = []
    by_content: list[str] = []
    not_compared: dict[str, str] = {}
    for name, data in expected.items():
        if name not in content:
            failures.append(f"{name}: is missing")
        elif content[name] == data:
            continue
        elif name.endswith(".parquet") and same_parquet(content[name], data):
            by_content.append(name)
        elif name.endswith(".xlsx") and (reason := why_not_compared(content[name], data) or other):
            not_compared[name] = reason
        else:
            differing.append(name)
    return differing, by_content, not_compared
