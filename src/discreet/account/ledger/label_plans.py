"""What releases measure, by version label: entries of the chain, written with the reservation.

A plan is a text that the ledger does not read. The entry `plan` follows the entry that reserved the release. Plans of
releases that were refunded do not count, because nothing was drawn. So every release has an entry of its own, also if
another release has the same plan.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from discreet.account.ledger.entries import ChainStore
from discreet.errors import LedgerError


class LabelPlan(NamedTuple):
    """What a release measures under a version label.

    Attributes
    ----------
    label
        The version label.
    text
        What is measured, with which noise.
    known
        The plans of the label that were known when this one was made. If there are others by now, nothing is reserved.
        None: the release was not planned, so others do not matter.
    """

    label: str
    text: str
    known: Sequence[str] | None


def kept(chain: ChainStore, connection: Connection, release: str, plan: LabelPlan) -> list[str]:
    """Return the plans of a label that a release has entries of.

    Raises
    ------
    LedgerError
        A plan of the label was not known when the plan of this release was made, or an entry is not as it was written.
    """
    history = chain.replay(connection).check()
    texts = history.plans_of(plan.label)
    if plan.known is not None and set(texts) - {plan.text, *plan.known}:
        raise LedgerError(
            f"another release under the version label {plan.label!r:.120} was reserved while {release!r} was planned;"
            " nothing was reserved: run it again, so that it is planned around what was measured"
        )
    return [text for subject, label, text in history.plans if (subject, label) == (release, plan.label)]


def keep(chain: ChainStore, connection: Connection, release: str, plan: LabelPlan) -> None:
    """Append the plan of a release that was reserved in the same transaction."""
    fields = {"label": plan.label, "plan": plan.text}
    chain.append(connection, chain.last(connection), "plan", release, fields)
