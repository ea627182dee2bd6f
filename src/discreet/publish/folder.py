"""The files and the manifest of a release, made from public values only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.certify import verify
from discreet.exact import text
from discreet.plan.guarantee import cell_delta, why_no_promise
from discreet.plan.release_plan import ReleasePlan
from discreet.plan.spec import ReleaseSpec
from discreet.publish import table_files
from discreet.publish.manifest import (
    FORMAT,
    VERSION,
    CellGuarantee,
    ComposedGuarantee,
    KeyEntry,
    LedgerEntry,
    Manifest,
    MethodEntry,
    PrivacyEntry,
    SoftwareEntry,
    digest,
)
from discreet.publish.report.expected import Expected, expected
from discreet.publish.report.report_page import report_html
from discreet.reconcile.distance import GivenCount, given_counts
from discreet.reconcile.table_plan import Fitted, TablePlan, Tables

MANIFEST = "manifest.json"
CERTIFICATE = "certificate.json"
REPORT = "report.html"


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
        One array of measurements for each grouping, in the order of the layout.
    fitted
        The fitted counts of each part of the table plan.
    """

    plan: ReleasePlan
    table_plan: TablePlan
    measurements: tuple[npt.NDArray[np.int64], ...]
    fitted: Sequence[Fitted]

    @cached_property
    def tables(self) -> Tables:
        """The published counts: for each table, one array for each of its groupings."""
        return self.table_plan.by_table(self.measurements, self.fitted)

    @cached_property
    def given_counts(self) -> list[GivenCount]:
        """The counts that the specification fixes, each beside its measurement."""
        return given_counts(self.table_plan, self.measurements, self.plan.ptable.table)

    @cached_property
    def expected(self) -> Expected:
        """The errors to expect in each grouping."""
        return expected(self)

    def files(self) -> dict[str, bytes]:
        """Return the content of each file except the manifest, by file name."""
        return {
            table_files.MEASUREMENTS: table_files.measurements_file(self.plan.layout, self.measurements),
            **table_files.tables_as_files(self.plan.layout, self.tables, self.plan.spec.outputs),
            REPORT: report_html(self),
            CERTIFICATE: verify.canonical(self.plan.ptable.certificate.document),
        }

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
        spec, layout, ptable = self.plan.spec, self.plan.layout, self.plan.ptable
        return Manifest(
            format=FORMAT,
            version=VERSION,
            spec=public(spec),
            engine=engine,  # type: ignore[arg-type]
            key=key,
            groupings=table_files.grouping_entries(layout, ptable.digest, spec.unit.contributions),
            reconciled=[MethodEntry(tables=names, method=method) for names, method in self.table_plan.methods],
            privacy=self._privacy(),
            ledger=ledger,
            files={name: digest(data) for name, data in sorted(files.items())},
            software=software,
        )

    def _privacy(self) -> PrivacyEntry:
        spec, ptable, promise = self.plan.spec, self.plan.ptable, self.plan.promise
        delta = cell_delta(spec, ptable)
        epsilon = str(ptable.guarantee.epsilon)
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
        """Return delta as text: exact if it is the certificate's delta, else rounded up."""
        certified = self.plan.ptable.guarantee.delta
        return text(certified) if delta == certified else repr(min(float(np.nextafter(float(delta), 2)), 1.0))


def public(spec: ReleaseSpec) -> dict[str, Any]:
    """Return the published part of a specification. Source, secret, ledger and unused dimensions are left out."""
    document = spec.model_dump(mode="json", exclude={"source", "secret", "ledger", "record_keys"})
    return document | {
        "dimensions": {name: section for name, section in document["dimensions"].items() if name in spec.used},
        "design": None if spec.design is None or "certificate" in spec.design else spec.design,
    }
