"""Count the rows and draw the measurements: the one step of a release that sees the truth.

Units of a ledger are reserved before a row is read, and spent right before the draw. The measurements are written to a
private file before anything else is done with them. A run that finds such a file goes on from it, and draws nothing.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet import interrupts
from discreet.arrays import Integers, Keys
from discreet.count import contributions
from discreet.count.cell_counts import cell_counts
from discreet.count.contributions import Leaves
from discreet.count.engines.engine import Engine
from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.errors import ReleaseError
from discreet.measure import keys, lookup, secrets
from discreet.measure.ledger_use import LedgerUse
from discreet.plan.contributor_keys import largest_prime
from discreet.plan.release_plan import ReleasePlan
from discreet.publish import pending, steward_log
from discreet.publish.draw_identity import Identity
from discreet.publish.folder_claim import ReleasePaths
from discreet.publish.manifest import KeyEntry, LedgerEntry
from discreet.publish.pending import Keeper, Kept
from discreet.publish.steward_log import Truth

if TYPE_CHECKING:
    from discreet.count.frame_rows import FrameRows

Progress = Callable[[str, float], None]
"""Called with the name of the current step, and the fraction of the step that is done."""


@dataclass(frozen=True, repr=False)
class Drawn:
    """The measurements of a release, and what the folder and the log say of the draw.

    Attributes
    ----------
    kept
        The measurements of all measured cells, and the private file that holds them.
    key
        How noise was chosen.
    ledger
        The ledger, with the grant that was spent.
    truth
        True counts for the steward's log. None if an earlier run drew.
    """

    kept: Kept
    key: KeyEntry
    ledger: LedgerUse
    truth: Truth | None

    @property
    def resumed(self) -> Path | None:
        """The private file that an earlier run left, or None if this run drew."""
        return self.kept.file if self.truth is None else None

    @property
    def charge(self) -> LedgerEntry | None:
        """The entry of the ledger that was charged, or None if there is no ledger."""
        head = self.ledger.head()
        return None if head is None else LedgerEntry(**head)


def draw_or_resume(
    plan: ReleasePlan, frame: "FrameRows | None", paths: ReleasePaths, stack: ExitStack, tell: Progress
) -> Drawn:
    """Return the measurements that an earlier run of the release kept, or count and draw them.

    Parameters
    ----------
    plan
        The plan of the release.
    frame
        The rows of a data frame, or None if the specification names a source.
    paths
        The folder, the private file of measurements, and the log.
    stack
        From the draw on, errors that pass through this stack get a note that says where the measurements are.
    tell
        Called with the name of the current step and the fraction done.

    Raises
    ------
    ReleaseError
        A log is wanted, and an earlier run drew: the true counts of that run are gone.
    DiscreetError
        The secret, the ledger, the source or a private file cannot be used.
    """
    secret = secrets.of_spec(plan.spec.secret)
    ledger = LedgerUse.of(plan, secret)
    key = KeyEntry(
        kind=plan.spec.key,
        scheme=ledger.scheme,
        fingerprint=None if plan.spec.secret is None else secrets.fingerprint(secret),
        came_with_the_data=plan.spec.record_keys is not None,
    )
    identity = Identity.of(plan, starts=ledger.starts, ledger=ledger.id, secret=secret)
    memory = None if plan.spec.key == "contributors" else ledger.memory

    def note(kept: Kept) -> None:
        stack.enter_context(kept.explaining_errors(paths.folder, paths.log is not None))

    file = paths.unpublished(identity)
    kept = pending.find(file, identity, plan, memory)
    if kept is None:
        keeper = Keeper(file, identity, memory, note)
        ledger, truth, kept = _draw(plan, frame, ledger, secret, keeper, tell, paths.log is not None)
        return Drawn(kept, key, ledger, truth)
    if paths.log is not None:
        raise ReleaseError(
            f"the log {paths.log} needs the true counts, and this release goes on from measurements drawn earlier"
            f" ({kept.file}) without counting again, as the data may have changed since: leave the log out"
        )
    tell("going on from measurements drawn earlier", 0)
    ledger = ledger.resumed(kept.release, kept.file)
    note(kept)
    return Drawn(kept, key, ledger, None)


def _draw(
    plan: ReleasePlan,
    frame: "FrameRows | None",
    ledger: LedgerUse,
    secret: bytes,
    keeper: Keeper,
    tell: Progress,
    log: bool,
) -> tuple[LedgerUse, Truth, Kept]:
    """Count, pay, draw, and keep the measurements."""
    with ledger.reserved(plan) as paying:
        leaves, rows = _count(plan, frame, secret, tell, log)
        counts, sums = cell_counts(plan.layout, leaves)
        with interrupts.deferred():  # measurements that are paid for are drawn and kept
            keeper.announce()
            paying.spend(plan, counts, secret)
            tell("measuring", 0)
            measurements = lookup.measure(plan, counts, _keys(plan, paying.starts, secret, counts, sums))
            kept = keeper.keep(paying.release, measurements)
    return paying, Truth(rows, counts), kept


def _count(
    plan: ReleasePlan, frame: "FrameRows | None", secret: bytes, tell: Progress, log: bool
) -> tuple[Leaves, dict[str, Any]]:
    """Count leaf combinations. With a log, also return what the log says of the rows."""
    spec, layout = plan.spec, plan.layout
    count_plan = CountPlan(tuple(book.recode for book in layout.books), spec.unit.id)
    source = frame or spec.source
    with open_engine(source, column_names=spec.columns, progress=lambda done: tell("counting", done)) as engine:
        count_plan.check(engine.columns())
        tell("counting", 0)
        leaves = _leaves(engine, count_plan, plan, secret)
        return leaves, steward_log.row_summary(engine, count_plan, layout, leaves) if log else {}


def _leaves(engine: Engine, count_plan: CountPlan, plan: ReleasePlan, secret: bytes) -> Leaves:
    """Count leaf combinations, with sums of record keys if the kind of key needs them."""
    spec = plan.spec
    if spec.record_keys is not None:
        fractions = spec.record_keys_are == "fractions"
        return contributions.leaves_with_given_keys(engine, count_plan, spec.record_keys, _modulus(plan), fractions)
    most, order = spec.unit.contributions, keys.row_order(secret)
    if spec.key == "contributors":
        record_keys = keys.record_keys(secret)
        return contributions.leaves_with_made_keys(engine, count_plan, most, order, record_keys, _modulus(plan))
    return contributions.leaves(engine, count_plan, most, order)


def _modulus(plan: ReleasePlan) -> int:
    """Return the modulus of contributor keys: a prime, or 2**bits for other offices' keys that came with the data."""
    spec, bits = plan.spec, plan.ptable.bits
    if spec.record_keys is not None and spec.record_keys_are != "components":
        return 1 << bits
    return largest_prime(bits)


def _keys(
    plan: ReleasePlan,
    starts: Sequence[bytes],
    secret: bytes,
    counts: Integers,
    sums: list[npt.NDArray[np.uint64]],
) -> list[Keys] | None:
    """Return the keys of the cells of every table of noise, or None for fresh keys."""
    if plan.spec.key == "fresh":
        return None
    measured, all_keys = plan.measured, []
    for table, (start, ptable) in enumerate(zip(starts, plan.ptables, strict=True)):
        cells = measured.of_table(table)
        definitions = (measured.definitions[cell] for cell in cells.tolist())
        query_keys = keys.query_keys(secret, start, definitions, ptable.bits)
        if plan.spec.key == "query":
            all_keys.append(query_keys)
        else:
            distinct = measured.cells[cells]
            own_sums = [part[distinct] for part in sums]
            all_keys.append(keys.contributor_keys(own_sums, counts[distinct], _modulus(plan), query_keys))
    return all_keys
