"""The files and the manifest of a release, made from public values only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from discreet.arrays import Integers
from discreet.certify import verify
from discreet.certify.table import Table
from discreet.exact import text
from discreet.plan.guarantee import cell_delta, cell_epsilon, why_no_promise
from discreet.plan.release_plan import ReleasePlan
from discreet.plan.spec import ReleaseSpec
from discreet.publish import table_files, table_workbook
from discreet.publish.cell_intervals import CountIntervals, count_intervals
from discreet.publish.display_labels import DisplayLabels
from discreet.publish.joint_intervals import Ends, JointIntervals, joint_intervals
from discreet.publish.manifest import (
    FILTERS_SINCE,
    FORMAT,
    JOINT_SINCE,
    LISTS,
    VERSION,
    VERSION_OF_LISTS,
    CellGuarantee,
    CertificateEntry,
    ComposedGuarantee,
    KeyEntry,
    LedgerEntry,
    Manifest,
    MethodEntry,
    PrivacyEntry,
    SoftwareEntry,
    Version,
    certificate_names,
    digest,
)
from discreet.publish.metadata_files import readme
from discreet.publish.report.expected import Expected, expected
from discreet.publish.report.report_page import report_html
from discreet.reconcile.distance import GivenCount, given_counts
from discreet.reconcile.table_plan import Fitted, TablePlan, Tables

MANIFEST = "manifest.json"
REPORT = "report.html"
README = "README.md"


@dataclass(frozen=True)
class Published:
    """Everything that the files of a folder are made from.

    Attributes
    ----------
    plan
        The groupings that were measured, the noise, and the promise.
    table_plan
        How tables are made from measurements.
    measurements
        One array of measurements for each grouping, in the order of the layout; None if it is not measured.
    fitted
        The fitted counts of each part of the table plan.
    version
        The version of the format of the folder.
    """

    plan: ReleasePlan
    table_plan: TablePlan
    measurements: tuple[Integers | None, ...]
    fitted: Sequence[Fitted]
    version: Version = VERSION

    @cached_property
    def tables(self) -> Tables:
        """The published counts: for each table, one array for each of its groupings."""
        return self.table_plan.by_table(self.measurements, self.fitted)

    @cached_property
    def intervals(self) -> list[list[CountIntervals]]:
        """The intervals of the published counts: for each table, one entry for each of its groupings."""
        return self.intervals_of(self.tables)

    def intervals_of(self, tables: Tables) -> list[list[CountIntervals]]:
        """Return the intervals of other counts that were made from the same measurements."""
        return count_intervals(self.table_plan, self.noise, self.measurements, self.fitted, tables, self._joint_ends)

    @cached_property
    def joint(self) -> JointIntervals:
        """The estimates from all measurements together, and the laws of their errors."""
        return joint_intervals(self.plan, self.table_plan, one_each=self.version >= FILTERS_SINCE)

    @cached_property
    def _joint_ends(self) -> dict[int, Ends]:
        """The ends of the intervals from all measurements together, by grouping index; none in old versions."""
        return self.joint.ends(self.measurements) if self.version >= JOINT_SINCE else {}

    @cached_property
    def noise(self) -> list[Table]:
        """The certified integers of every table of noise."""
        return [ptable.table for ptable in self.plan.ptables]

    @cached_property
    def given_counts(self) -> list[GivenCount]:
        """The counts that the specification fixes, each beside its measurement."""
        return given_counts(self.table_plan, self.measurements, self.noise)

    @cached_property
    def expected(self) -> Expected:
        """The errors to expect in each grouping."""
        return expected(self)

    @property
    def _labels(self) -> DisplayLabels:
        """The words of the specification, as files other than the report use them."""
        return DisplayLabels(self.plan.spec, self.version >= FILTERS_SINCE)

    def files(self) -> dict[str, bytes]:
        """Return the content of each file except the manifest, by file name."""
        layout = self.plan.layout
        of_tables = self.table_files(self.tables, self.plan.spec.outputs)
        return {
            table_files.MEASUREMENTS: table_files.measurements_file(layout, self.measurements, self.version),
            **of_tables,
            **({} if self.version == 1 else {README: self._readme(list(of_tables))}),
            REPORT: report_html(self),
            **{
                name: verify.canonical(ptable.certificate.document)
                for name, ptable in zip(certificate_names(len(self.plan.ptables)), self.plan.ptables, strict=True)
            },
        }

    def table_files(self, tables: Tables, formats: Sequence[str]) -> dict[str, bytes]:
        """Return the content of the files of tables in some formats, by file name."""
        intervals = None if self.version == 1 else self.intervals_of(tables)
        labels = self._labels
        files = table_files.tables_as_files(labels, self.plan.layout, tables, formats, intervals)
        if table_workbook.EXTENSION in formats:
            for index, (table, _) in enumerate(self.plan.layout.tables):
                margins = table_files.table_margins(self.plan.layout, index, tables, intervals)
                rows = table_files.table_rows(table, margins)
                name = f"{table.name}.{table_workbook.EXTENSION}"
                files[name] = table_workbook.table_workbook(labels, self.plan, table, rows)
        return files

    def _readme(self, names: Sequence[str]) -> bytes:
        """Return README.md. `names` are the files of tables."""
        layout = self.plan.layout
        margins = [
            (table, table_files.table_margins(layout, index, self.tables, self.intervals))
            for index, (table, _) in enumerate(layout.tables)
        ]
        return readme(self._labels, self.plan, margins, names)

    def manifest(
        self,
        files: Mapping[str, bytes],
        engine: str,
        key: KeyEntry,
        ledger: LedgerEntry | None,
        software: SoftwareEntry,
    ) -> Manifest:
        """Return the manifest of a folder.

        Parameters
        ----------
        files
            The content of each file of the folder, by file name.
        engine
            The kind of source that was counted, e.g. "csv".
        key, ledger, software
            How keys were made, what a ledger was charged (None without a ledger), and the versions that ran.
        """
        spec = self.plan.spec
        listed = {"certificates": self._certificates()} if self.version in LISTS else {}
        return Manifest(
            format=FORMAT,
            version=self.version,
            spec=public(spec, self.version),
            engine=engine,  # type: ignore[arg-type]
            key=key,
            groupings=table_files.grouping_entries(self.plan),
            **listed,
            reconciled=[MethodEntry(tables=names, method=method) for names, method in self.table_plan.methods],
            privacy=self._privacy(),
            ledger=ledger,
            files={name: digest(data) for name, data in sorted(files.items())},
            software=software,
        )

    def _certificates(self) -> list[CertificateEntry]:
        """Return the entries of all tables of noise, in the order in which groupings first use them."""
        return [
            CertificateEntry(
                file=name,
                ptable=ptable.digest,
                touches=max(numbers[table] for numbers in self.plan.exposure.by_table),
            )
            for table, (name, ptable) in enumerate(
                zip(certificate_names(len(self.plan.ptables)), self.plan.ptables, strict=True)
            )
        ]

    def _privacy(self) -> PrivacyEntry:
        spec, ptables, promise = self.plan.spec, self.plan.ptables, self.plan.promise
        delta = cell_delta(spec, ptables)
        epsilon = str(cell_epsilon(ptables))
        return PrivacyEntry(
            unit="one row" if spec.unit.id is None else "one person",
            contributions=spec.unit.contributions,
            touches=self.plan.touches,
            cell=None if delta is None else CellGuarantee(epsilon=epsilon, delta=self._text(delta)),
            composed=None
            if promise is None
            else ComposedGuarantee(epsilon=promise.epsilon, delta=repr(promise.delta), floor=repr(promise.floor)),
            no_guarantee=why_no_promise(spec),
        )

    def _text(self, delta: Fraction) -> str:
        """Return delta as text: exact if it is the delta of a certificate, else rounded up."""
        if delta in [ptable.guarantee.delta for ptable in self.plan.ptables]:
            return text(delta)
        return repr(min(float(np.nextafter(float(delta), 2)), 1.0))


def written_version(spec: ReleaseSpec) -> Version:
    """Return the version of the format in which a release is written."""
    return VERSION_OF_LISTS if isinstance(spec.measure, list) else VERSION


def public(spec: ReleaseSpec, version: Version = VERSION) -> dict[str, Any]:
    """Return the published part of a specification. Source, secret, ledger and unused dimensions are left out.

    The aim of a plan (accuracy) is left out too: the plan itself is published, as the list `measure`.
    """
    private = {"source", "secret", "ledger", "record_keys", "accuracy"}
    private |= {"language", "metadata"} if version == 1 else set()
    private |= {"measure"} if version not in LISTS else set()
    published = spec.model_copy(update={"metadata": spec.metadata.without_unused(spec.used)})
    document = published.model_dump(mode="json", exclude=private)
    changed: dict[str, Any] = {"design": _public_design(spec.design)}
    changed["dimensions"] = {name: part for name, part in document["dimensions"].items() if name in spec.used}
    if "measure" in document and isinstance(spec.measure, list):
        changed["measure"] = [entry | {"design": _public_design(entry["design"])} for entry in document["measure"]]
    return document | changed


def _public_design(design: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a design; None instead of the path of a certificate."""
    return None if design is None or "certificate" in design else design
