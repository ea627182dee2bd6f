"""What releases measured under a version label: read for the next plan, and written before a draw."""

import os
from typing import TYPE_CHECKING

import numpy as np

from discreet.measure import keys, secrets
from discreet.measure._memory_path import memory_path
from discreet.measure.drawn_cells import Draw, packed
from discreet.measure.secret_memory import Memory
from discreet.plan.frozen_plan import FrozenPlan, names_earlier, unit_rule
from discreet.plan.measure_by_default import is_planned
from discreet.plan.release_plan import ReleasePlan
from discreet.plan.spec import ReleaseSpec

if TYPE_CHECKING:
    from discreet.account.ledger.label_plans import LabelPlan


def kept_plans(spec: ReleaseSpec) -> list[FrozenPlan]:
    """Return what earlier releases under the version label of a specification measured.

    It is read for `measure: plan`, and for a list that says what was measured earlier; otherwise it does not matter.

    It comes from the ledger or, without one, from the memory of the secret. Without a secret nothing is known.

    Parameters
    ----------
    spec
        The specification of a release.

    Raises
    ------
    LedgerError
        The ledger cannot be read, or was changed.
    SecretError
        The secret or its memory cannot be used.
    ReleaseError
        A newer version of Discreet kept a plan.
    """
    if spec.secret is None or not (is_planned(spec) or names_earlier(spec)):
        return []
    if spec.ledger is not None:
        from discreet.account.ledger.ledger import Ledger  # a release without a ledger does not load its database

        texts = Ledger.at(spec.ledger, secrets.of_spec(spec.secret)).plans(spec.version)
    else:
        file = memory_path(spec.secret)
        is_made = file is not None and os.path.lexists(file)  # a secret that was never used is not read
        memory = Memory.of(spec.secret, secrets.of_spec(spec.secret)) if is_made else None
        texts = [] if memory is None else memory.plans(spec.version)
    return [FrozenPlan.from_text(text) for text in texts]


def label_plan(plan: ReleasePlan) -> "LabelPlan":
    """Return what a ledger keeps of a plan, and, if it promises for them, which plans were known when it was made."""
    from discreet.account.ledger.label_plans import LabelPlan  # as above

    known = [kept.to_text() for kept in plan.kept] if plan.frozen.promises_earlier else None
    return LabelPlan(plan.spec.version, plan.frozen.to_text(), known)


def draw_of(plan: ReleasePlan) -> Draw:
    """Return what the memory of the secret keeps of a draw. Noise of fresh keys is other noise in every draw."""
    spec, measured = plan.spec, plan.measured
    header, nonce = keys.drawn_header(spec.version, unit_rule(spec, plan.layout)), secrets.random_bytes(16).hex()
    cells = {}
    for table, ptable in enumerate(plan.ptables):
        own = (measured.definitions[cell] for cell in measured.of_table(table).tolist())
        noise = f"fresh {nonce} {ptable.table_digest}" if spec.key == "fresh" else ptable.table_digest
        cells[noise] = np.unique(packed(keys.cell_identities(header, own)))
    return Draw(spec, cells, plan.frozen)
