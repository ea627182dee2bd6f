"""The folder of a release: its files and its manifest, from what may be published and nothing else."""

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
from discreet.publish.report.report_page import page
from discreet.reconcile.distance import GivenCount, given_counts
from discreet.reconcile.table_plan import Fitted, TablePlan, Tables

MANIFEST = "manifest.json"
CERTIFICATE = "certificate.json"
REPORT = "report.html"


@dataclass(frozen=True)
class Published:
    """All that a folder is made from.

    Attributes
    ----------
    plan
        What was measured, and what is promised.
    table_plan
        How tables are made from measurements.
    measurements
        Of every grouping, in the order of the layout.
    fitted
        The numbers of every part of the table plan, made from the measurements.
    """

    plan: ReleasePlan
    table_plan: TablePlan
    measurements: tuple[npt.NDArray[np.int64], ...]
    fitted: Sequence[Fitted]

    @cached_property
    def tables(self) -> Tables:
        """For every table the counts of its groupings."""
        return self.table_plan.by_table(self.measurements, self.fitted)

    @cached_property
    def given_counts(self) -> list[GivenCount]:
        """Counts that were given from elsewhere, beside their measurements."""
        return given_counts(self.table_plan, self.measurements, self.plan.ptable.table)

    @cached_property
    def expected(self) -> Expected:
        """The errors to expect of every grouping."""
        return expected(self)

    def files(self) -> dict[str, bytes]:
        """Everything but the manifest."""
        return {
            table_files.MEASUREMENTS: table_files.measurements(self.plan.layout, self.measurements),
            **table_files.files(self.plan.layout, self.tables, self.plan.spec.outputs),
            REPORT: page(self),
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
        """Return the manifest of these files."""
        spec, layout, ptable = self.plan.spec, self.plan.layout, self.plan.ptable
        return Manifest(
            format=FORMAT,
            version=VERSION,
            spec=public(spec),
            engine=engine,  # type: ignore[arg-type]
            key=key,
            groupings=table_files.groupings(layout, ptable.digest, spec.unit.contributions),
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
        """Return the certificate's delta exactly, a larger one rounded up."""
        own = self.plan.ptable.guarantee.delta
        return text(own) if delta == own else repr(min(float(np.nextafter(float(delta), 2)), 1.0))


def public(spec: ReleaseSpec) -> dict[str, Any]:
    """Return the part of a specification that is published: what is used, and nothing of the data or the secret."""
    document = spec.model_dump(mode="json", exclude={"source", "secret", "ledger", "record_keys"})
    return document | {
        "dimensions": {name: book for name, book in document["dimensions"].items() if name in spec.used},
        "design": None if spec.design is None or "certificate" in spec.design else spec.design,
    }
