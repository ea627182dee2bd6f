"""Count the rows and draw the measurements: the one step of a release that sees the truth.

Units of a ledger are reserved before a row is read, and spent right before the draw. What was drawn is written to a
private file before anything else is done with it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet import interrupts
from discreet.arrays import Keys
from discreet.count import contributions
from discreet.count.cell_counts import cell_counts
from discreet.count.contributions import Leaves
from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.measure import keys, lookup
from discreet.measure.ledger_use import LedgerUse
from discreet.plan.contributor_keys import PRIMES
from discreet.plan.release_plan import ReleasePlan
from discreet.publish import steward_log
from discreet.publish.pending import Keeper, Kept

Progress = Callable[[str, float], None]
"""Called with what is being done, and which fraction of it is done."""


def draw(
    plan: ReleasePlan, ledger: LedgerUse, secret: bytes, keeper: Keeper, tell: Progress, log: bool
) -> tuple[LedgerUse, steward_log.Truth, Kept]:
    """Count, pay, draw, and keep what was drawn.

    Returns
    -------
    ledger
        With the grant that was spent.
    truth
        What the steward's log is made from.
    kept
        The measurements of all distinct cells, and the private file that holds them.
    """
    with ledger.reserved(plan) as paying:
        leaves, rows = _count(plan, secret, tell, log)
        counts, sums = cell_counts(plan.layout, leaves)
        with interrupts.deferred():  # what is paid for is drawn and kept
            keeper.announce()
            paying.spend(plan, counts, secret)
            tell("measuring", 0)
            drawn = lookup.measure(plan.ptable, counts, _keys(plan, paying.start, secret, counts, sums))
            kept = keeper.keep(paying.release, drawn)
    return paying, steward_log.Truth(rows, counts), kept


def _count(plan: ReleasePlan, secret: bytes, tell: Progress, log: bool) -> tuple[Leaves, dict[str, Any]]:
    """Count leaf combinations, and collect what the steward's log says of the rows."""
    spec, layout = plan.spec, plan.layout
    wanted = CountPlan(tuple(book.recode for book in layout.books), spec.unit.id)
    most, order = spec.unit.contributions, keys.keyed_order(secret)
    with open_engine(spec.source, named=spec.columns, progress=lambda done: tell("counting", done)) as engine:
        wanted.check(engine.columns())
        tell("counting", 0)
        if spec.record_keys is not None:
            fractions = spec.record_keys_are == "fractions"
            leaves = contributions.leaves_with_given_keys(engine, wanted, spec.record_keys, _modulus(plan), fractions)
        elif spec.key == "contributors":
            made = keys.record_keys(secret)
            leaves = contributions.leaves_with_made_keys(engine, wanted, most, order, made, _modulus(plan))
        else:
            leaves = contributions.leaves(engine, wanted, most, order)
        return leaves, steward_log.found(engine, wanted, layout, leaves) if log else {}


def _modulus(plan: ReleasePlan) -> int:
    """Of contributor keys: a prime, or 2**bits for keys that came with the data."""
    return 1 << plan.ptable.bits if plan.spec.record_keys else PRIMES[plan.ptable.bits]


def _keys(
    plan: ReleasePlan,
    start: bytes,
    secret: bytes,
    counts: npt.NDArray[np.int64],
    sums: list[npt.NDArray[np.uint64]],
) -> Keys | None:
    if plan.spec.key == "fresh":
        return None
    query = keys.query(secret, start, plan.layout.cells[0], plan.ptable.bits)
    if plan.spec.key == "query":
        return query
    return keys.contributors(sums, counts, _modulus(plan), query)
