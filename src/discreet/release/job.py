"""The release: from a specification to a folder that can be published as it is.

    specification -> groupings, touches -> design, composition, budget -> rows counted once -> measurements -> tables

Everything up to the budget sees the specification only. Whatever fails, fails before the folder exists. A release draws
once: what fails after the measurements were drawn leaves them in a private file, from which the next run goes on
(`pending`).
"""

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet import files, interrupts
from discreet.certify.ptable import PTable
from discreet.errors import ReleaseError, SpecError
from discreet.release import additive, cells, distance, keys, loading, measure, pending, secrets, tabulate
from discreet.release import log as steward
from discreet.release.account import Account
from discreet.release.claim import claimed
from discreet.release.engines import Plan, open_engine
from discreet.release.engines.source import kind_of
from discreet.release.folder import Published, contradictions
from discreet.release.output import MANIFEST, manifest
from discreet.release.promise import Promise, layout_of, promise_of, table_of
from discreet.release.spec import ReleaseSpec

Progress = Callable[[str, float], None]
"""Called with what is being done, and which fraction of it is."""

MOST_CATEGORIES = 100_000
"""Categories that may be taken from the data."""


@dataclass(frozen=True)
class Release:
    """A published folder.

    Attributes
    ----------
    measurements
        The unclamped noisy integers of every grouping, in the order of the manifest.
    promise
        What one person may lose in all; None where nothing is promised.
    resumed
        The private file of measurements, drawn earlier, that the release went on from; None where it drew them.
    """

    folder: Path
    spec: ReleaseSpec
    ptable: PTable
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
        Called with what is being done, and which fraction of it is.

    Raises
    ------
    DiscreetError
        A mistake in the specification, a source that cannot be read, a budget that does not suffice, a folder that
        exists, measurements of another release that wait for it; no folder is left then.
    """
    tell = progress or (lambda _, __: None)
    with contextlib.ExitStack() as stack:
        pending.place(output)
        stack.enter_context(claimed(output))
        file = pending.place(output)  # again: another run may have ended in between
        private = None if log is None else steward.place(log, output)
        tell("reading the specification", 0)
        asked = _found(loading.load(spec))
        layout = layout_of(asked)
        touches = layout.touches(asked.unit.contributions)
        tell("choosing and certifying the design", 0)
        with loading.telling(spec):
            ptable = table_of(asked, touches)
            for wrong in contradictions(asked, ptable):
                raise SpecError(f"{wrong}; leave it out, or give a design that has it", ("design",))
            promise = promise_of(asked, ptable, touches)
            plan = additive.plan(asked, layout, ptable)
        secret = _secret(asked)
        account = Account.of(asked, layout, ptable, secret)
        identity = pending.Identity.of(asked, layout, account.start, secret)
        kept = pending.find(file, identity, ptable)
        resumed = None if kept is None else kept.file
        truth = None
        if kept is None:
            with account.reserved(asked, layout, ptable) as account:
                leaves, seen = _count(asked, layout, ptable, secret, tell, private is not None)
                counts, sums = measure.true_counts(layout, leaves)
                truth = steward.Truth(seen, counts)
                with interrupts.deferred():  # what is paid for is drawn and kept
                    account.spend(asked, layout, counts, secret)
                    tell("measuring", 0)
                    chosen = _keys(asked, layout, ptable, account.start, secret, counts, sums)
                    drawn = measure.measure(ptable, counts, chosen)
                    kept = pending.keep(file, identity, account.release, drawn)
                    stack.enter_context(kept.noting(output, private is not None))
        elif private is None:
            tell("going on from measurements drawn earlier", 0)
            account = account.resumed(kept)
            stack.enter_context(kept.noting(output, False))
        else:
            raise ReleaseError(
                f"the log {log} needs the true counts, and this release goes on from measurements drawn earlier"
                f" ({kept.file}) without counting again, as the data may have changed since: leave the log out"
            )
        tell("making the tables", 0)
        values = tuple(measure.by_grouping(layout, kept.measurements))
        fitted = plan.fitted(values)
        distance.require_near(plan, fitted, values, ptable.table)
        made = Published(asked, layout, ptable, touches, promise, plan, values, fitted)
        tell("writing", 0)
        content = made.files()
        document = made.manifest(content, kind_of(asked.source), _key(asked, secret, account.scheme), account.head())
        content |= {MANIFEST: manifest(document)}
        with interrupts.deferred():
            if not pending.completes(output, content, kept.file):
                with steward.written(private, truth, made):
                    files.write_folder(output, content)
            account.complete()  # from here on the folder stays, whatever fails: a rerun tells the ledger
            kept.remove()
        return Release(Path(output), asked, ptable, touches, promise, values, document, resumed)


def _found(asked: ReleaseSpec) -> ReleaseSpec:
    """The specification with the categories that it takes from the data; those that no table uses are not looked up."""
    missing = {name: each for name, each in asked.dimensions.items() if each.from_data and each.categories is None}
    if not missing:
        return asked
    dimensions = {
        name: each.model_dump() for name, each in asked.dimensions.items() if name in asked.used or name not in missing
    }
    with open_engine(asked.source, named=asked.columns) as engine:
        for name in missing.keys() & asked.used:
            found = engine.values(missing[name].column, MOST_CATEGORIES)
            dimension = missing[name].with_categories(found)
            if not dimension.categories:
                raise SpecError(
                    f"dimension {name!r} takes its categories from column {missing[name].column!r}, where there is"
                    " none; declare its categories"
                )
            dimensions[name] = dimension.model_dump()
    return loading.load(asked.model_dump() | {"dimensions": dimensions})


def _secret(asked: ReleaseSpec) -> bytes:
    if asked.secret is None:
        return secrets.fresh()
    return secrets.secret(asked.secret.file or f"env:{asked.secret.env}")


def _key(asked: ReleaseSpec, secret: bytes, scheme: int) -> dict[str, Any]:
    """What the manifest says of keys."""
    return {
        "kind": asked.key,
        "scheme": scheme,
        "fingerprint": None if asked.secret is None else secrets.fingerprint(secret),
        "came_with_the_data": asked.record_keys is not None,
    }


def _count(
    asked: ReleaseSpec, layout: cells.Layout, ptable: PTable, secret: bytes, tell: Progress, log: bool
) -> tuple[tabulate.Leaves, dict[str, Any]]:
    """The leaf combinations, and what the steward's log says of the rows."""
    plan = Plan(tuple(book.recode for book in layout.books), asked.unit.id)
    rows = asked.unit.contributions
    with open_engine(asked.source, named=asked.columns, progress=lambda done: tell("counting", done)) as engine:
        plan.check(engine.columns())
        tell("counting", 0)
        if asked.key == "contributors":
            came, fractions = asked.record_keys or (), asked.record_keys_are == "fractions"
            leaves = tabulate.with_keys(engine, plan, rows, secret, came, _modulus(asked, ptable), fractions)
        else:
            leaves = tabulate.leaves(engine, plan, rows, secret)
        return leaves, steward.found(engine, plan, layout, leaves) if log else {}


def _modulus(asked: ReleaseSpec, ptable: PTable) -> int:
    """Of contributor keys: a prime, or 2**bits for keys that came with the data."""
    return 1 << ptable.bits if asked.record_keys else keys.PRIMES[ptable.bits]


def _keys(
    asked: ReleaseSpec,
    layout: cells.Layout,
    ptable: PTable,
    start: bytes,
    secret: bytes,
    counts: npt.NDArray[np.int64],
    sums: list[npt.NDArray[np.uint64]],
) -> keys.Keys | None:
    if asked.key == "fresh":
        return None
    asking = keys.query(secret, start, layout.cells[0], ptable.bits)
    if asked.key == "query":
        return asking
    return keys.contributors(sums, counts, _modulus(asked, ptable), asking)
