"""The release: from a specification to a folder that can be published as it is.

    specification -> plan -> rows counted once -> measurements -> tables -> folder

The plan sees the specification only. Whatever fails, fails before the folder exists. A release draws once: if it fails
after the measurements were drawn, they stay in a private file, and the next run goes on from them (`publish.pending`).
"""

import os
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet import files, interrupts
from discreet.certify.ptable import PTable
from discreet.count import found_categories
from discreet.errors import FixedCountWarning, ReleaseError
from discreet.measure import lookup, secrets
from discreet.measure.ledger_use import LedgerUse
from discreet.plan import read_spec
from discreet.plan.guarantee import Promise
from discreet.plan.release_plan import ReleasePlan, make_plan
from discreet.plan.spec import ReleaseSpec
from discreet.publish import pending, steward_log
from discreet.publish.draw_identity import Identity
from discreet.publish.folder import MANIFEST, Published
from discreet.publish.folder_claim import claimed
from discreet.publish.manifest import KeyEntry, LedgerEntry, SoftwareEntry
from discreet.reconcile import distance
from discreet.reconcile.table_plan import make_table_plan
from discreet.release.draw import Progress, draw

PUBLISHED = "published"
"""What progress is called with when the folder is complete, before any signal that came meanwhile is answered."""


@dataclass(frozen=True)
class Release:
    """A published folder.

    Attributes
    ----------
    cells
        How many distinct cells were measured.
    measurements
        The unclamped noisy integers of every grouping, in the order of the manifest. A cell may be in several.
    promise
        What one person may lose in all, or None if nothing is promised.
    resumed
        The private file of measurements, drawn earlier, that the release went on from; None if it drew them.
    """

    folder: Path
    spec: ReleaseSpec
    ptable: PTable
    cells: int
    touches: int
    promise: Promise | None
    measurements: tuple[npt.NDArray[np.int64], ...]
    manifest: Mapping[str, Any]
    resumed: Path | None = None


def run(
    spec: Any,
    output: str | os.PathLike[str],
    *,
    log: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Release:
    """Make a release.

    A release draws once. If it fails after that, its measurements stay in `OUTPUT.unpublished.json`, beside the folder.
    The next run goes on from them, and reads no data; it may have another reconcile, seed, fixed, outputs or title.

    Parameters
    ----------
    spec
        A path, a dict or a ReleaseSpec.
    output
        The folder to leave; it must not exist.
    log
        A file for the steward alone: record counts, undeclared categories, realised errors. It holds the truth.
    progress
        Called with what is being done, and which fraction of it is done.

    Returns
    -------
    Release
        What was published, and where.

    Raises
    ------
    DiscreetError
        A mistake in the specification, a source that cannot be read, a budget that does not suffice, a folder that
        exists, or measurements of another release that wait for it. No folder is left then.
    """
    tell = progress or (lambda _, __: None)
    with ExitStack() as stack:
        pending.place(output)
        stack.enter_context(claimed(output))
        file = pending.place(output)  # again: another run may have ended in between
        private = None if log is None else steward_log.place(log, output)

        tell("reading the specification", 0)
        spec_file = read_spec.read(spec)
        with spec_file.errors_with_lines():
            found = found_categories.with_categories(spec_file.spec)
            tell("choosing and certifying the design", 0)
            plan = make_plan(found)
            table_plan = make_table_plan(plan)

        secret = _secret(plan.spec)
        ledger = LedgerUse.of(plan, secret)
        identity = Identity.of(plan, start=ledger.start, ledger=ledger.id, secret=secret)
        memory = None if plan.spec.key == "contributors" else ledger.memory
        kept = pending.find(file, identity, plan.ptable, memory)
        resumed, truth = None, None

        def note(drawn: pending.Kept) -> None:
            stack.enter_context(drawn.noting(output, private is not None))

        if kept is None:
            keeper = pending.Keeper(file, identity, memory, note)
            ledger, truth, kept = draw(plan, ledger, secret, keeper, tell, private is not None)
        elif private is None:
            tell("going on from measurements drawn earlier", 0)
            ledger, resumed = ledger.resumed(kept.release, kept.file), kept.file
            note(kept)
        else:
            raise ReleaseError(
                f"the log {log} needs the true counts, and this release goes on from measurements drawn earlier"
                f" ({kept.file}) without counting again, as the data may have changed since: leave the log out"
            )

        tell("making the tables", 0)
        measurements = tuple(lookup.by_grouping(plan.layout, kept.measurements))
        fitted = table_plan.fitted(measurements)
        distance.require_near(table_plan, fitted, measurements, plan.ptable.table)
        published = Published(plan, table_plan, measurements, fitted)
        for given in published.given_counts:
            if not given.explained:
                told = f"{given.text}; noise does not explain that: check what is fixed"
                warnings.warn(told, FixedCountWarning, stacklevel=2)

        tell("writing", 0)
        content = published.files()
        manifest = published.manifest(
            content,
            plan.spec.source.kind,
            _key(plan, secret, ledger),
            _charged(ledger),
            SoftwareEntry.of_this_process(),
        )
        content |= {MANIFEST: manifest.to_bytes()}
        with interrupts.deferred():
            if not pending.completes(output, content, kept.file):
                with steward_log.written(private, truth, published):
                    files.write_folder(output, content)
            ledger.complete()  # from here on the folder stays, whatever fails: a rerun tells the ledger
            kept.remove()
            tell(PUBLISHED, 1)
    return Release(
        folder=Path(output),
        spec=plan.spec,
        ptable=plan.ptable,
        cells=len(plan.layout.cells[0]),
        touches=plan.touches,
        promise=plan.promise,
        measurements=measurements,
        manifest=manifest.document(),
        resumed=resumed,
    )


def _secret(spec: ReleaseSpec) -> bytes:
    if spec.secret is None:
        return secrets.fresh()
    return secrets.secret(spec.secret.file or f"env:{spec.secret.env}")


def _key(plan: ReleasePlan, secret: bytes, ledger: LedgerUse) -> KeyEntry:
    return KeyEntry(
        kind=plan.spec.key,
        scheme=ledger.scheme,
        fingerprint=None if plan.spec.secret is None else secrets.fingerprint(secret),
        came_with_the_data=plan.spec.record_keys is not None,
    )


def _charged(ledger: LedgerUse) -> LedgerEntry | None:
    head = ledger.head()
    return None if head is None else LedgerEntry(**head)
