"""What a release measured under a version label, with which noise: kept before anything is drawn, and reused.

A plan is frozen with its label. If a release could be planned again under the same label, one cell would be drawn with
two tables of noise: two independent draws, which cost more than either folder states. So every release keeps what it
measures (`FrozenPlan`), in the ledger or in the memory of the secret, before it draws. A later release with `measure:
plan` under the same label finds it. There are three cases:

    the same groupings are published    the kept plan is reused as it is, whatever `accuracy` says
    more groupings are published        what was measured keeps its noise; the rest of the budget is planned
    some groupings are left out         without a ledger the release is refused, because its promise would not cover
                                        what was measured; with a ledger it is planned, and what is new is charged

Two groupings are the same if they have the same cells under the same unit rule. A cell is defined by the digests of its
codebooks and by its leaves, so a changed codebook makes another grouping.

Nothing here depends on the data: every rule reads specifications and certified tables alone.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from discreet.certify import verify
from discreet.certify.ptable import PTable
from discreet.errors import CertificateError, ReleaseError, SpecError
from discreet.labels import listed
from discreet.plan.layout import Grouping, Layout
from discreet.plan.measured_cells import MeasuredCells
from discreet.plan.named_groupings import in_words
from discreet.plan.noise_table import ReleaseNoise, listed_groupings
from discreet.plan.spec import ReleaseSpec

VERSION = 1


@dataclass(frozen=True)
class FrozenGrouping:
    """A grouping that was measured.

    Attributes
    ----------
    cells
        A digest of the definitions of its cells, in any order.
    name
        Its name, for messages.
    noise
        The digest of the integers of its table of noise.
    earlier
        True if an earlier release under the label measured it first.
    """

    cells: str
    name: str
    noise: str
    earlier: bool = False

    @property
    def measurement(self) -> tuple[str, str]:
        """What makes two measurements the same: the cells, and the table of noise."""
        return self.cells, self.noise


@dataclass(frozen=True)
class FrozenPlan:
    """What one release measured under a label.

    Attributes
    ----------
    key
        How noise was chosen: query or fresh.
    unit
        A digest of the rule that says whose rows count, and which of them.
    published
        The groupings that the release publishes, as digests of their cells, sorted.
    measured
        The groupings that it measures.
    ptables
        The tables of noise.
    planned
        True if the planner chose the noise.
    budget
        The epsilon and the delta that the planner spent; None without a plan, and in plans of earlier versions.
    """

    key: str
    unit: str
    published: tuple[str, ...]
    measured: tuple[FrozenGrouping, ...]
    ptables: tuple[PTable, ...] = field(repr=False, compare=False)
    planned: bool
    budget: tuple[str, str] | None = field(default=None, compare=False)

    @classmethod
    def of(cls, spec: ReleaseSpec, measured: MeasuredCells, ptables: Sequence[PTable], planned: bool) -> Self:
        """Return what a release measures.

        Parameters
        ----------
        spec
            Its specification. A plan is a list of measured groupings there.
        measured
            The measured groupings, each with the number of its table.
        ptables
            The certified tables of noise.
        planned
            True if the planner chose the noise.
        """
        layout = measured.layout
        digests = digests_of(layout)
        marked = {
            digests[index]
            for index, entry in (listed_groupings(spec, layout) if isinstance(spec.measure, list) else {}).items()
            if entry.earlier
        }
        groupings = {
            digest: FrozenGrouping(digest, in_words(grouping), ptables[number].table_digest, digest in marked)
            for digest, grouping, number in reversed(
                list(zip(digests, layout.groupings, measured.noise_of, strict=True))
            )
            if number is not None
        }
        return cls(
            spec.key,
            unit_digest(spec, layout),
            tuple(sorted(set(digests))),
            tuple(groupings[digest] for digest in sorted(groupings)),
            tuple(sorted(ptables, key=lambda ptable: ptable.table_digest)),
            planned,
            (spec.budget.epsilon, spec.budget.delta) if planned and spec.budget is not None else None,
        )

    @property
    def measurements(self) -> frozenset[tuple[str, str]]:
        """The measured groupings, each with its table of noise."""
        return frozenset(grouping.measurement for grouping in self.measured)

    @property
    def promises_earlier(self) -> bool:
        """True if the release states that its promise covers earlier releases under the label."""
        return self.planned or any(grouping.earlier for grouping in self.measured)

    def repeats(self, other: "FrozenPlan") -> bool:
        """Return True if the other release publishes and measures the same, with the same noise."""
        return (self.unit, self.published, self.measurements) == (other.unit, other.published, other.measurements)

    def to_text(self) -> str:
        """Return the plan as a JSON text, the same for equal plans."""
        document = {
            "version": VERSION,
            "key": self.key,
            "unit": self.unit,
            "published": list(self.published),
            "measured": [[each.cells, each.name, each.noise, each.earlier] for each in self.measured],
            "tables": [ptable.certificate.document for ptable in self.ptables],
            "planned": self.planned,
            **({} if self.budget is None else {"budget": list(self.budget)}),
        }
        return json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the plan of a JSON text. Every certificate in it is checked.

        Raises
        ------
        ReleaseError
            A newer version of Discreet wrote the plan, or a certificate does not hold.
        """
        document: dict[str, Any] = json.loads(text)
        if document["version"] != VERSION:
            raise ReleaseError(
                f"the plan that is kept under this label has version {document['version']!r:.20}, and this Discreet"
                f" reads {VERSION}; nothing was drawn: get a newer Discreet"
            )
        try:
            ptables = tuple(PTable(verify.check(table)) for table in document["tables"])
        except CertificateError as error:
            raise ReleaseError(
                f"a certificate of the plan that is kept under this label does not hold ({error}); nothing was drawn:"
                " restore the ledger, or the memory of the secret, from a copy"
            ) from None
        return cls(
            document["key"],
            document["unit"],
            tuple(document["published"]),
            tuple(FrozenGrouping(*fields) for fields in document["measured"]),
            ptables,
            document["planned"],
            tuple(document["budget"]) if "budget" in document else None,
        )


def unit_rule(spec: ReleaseSpec, layout: Layout) -> list[object]:
    """Return whose rows count, and which of them.

    If a person may have more rows than count, the codes of all dimensions in use decide which rows are kept. Two
    releases with different dimensions may keep different rows. Then a cell has two true counts, so it must have two
    keys.
    """
    dimensions = [[book.digest.hex(), *book.leaves] for book in layout.books] if spec.unit.id is not None else []
    return [spec.unit.id, spec.unit.contributions, dimensions]


def unit_digest(spec: ReleaseSpec, layout: Layout) -> str:
    """Return a digest of the unit rule."""
    return hashlib.sha256(json.dumps(unit_rule(spec, layout), ensure_ascii=True).encode()).hexdigest()


def digests_of(layout: Layout) -> list[str]:
    """Return a digest of the cells of every grouping, whatever their order."""
    return [_digest(grouping) for grouping in layout.groupings]


def _digest(grouping: Grouping) -> str:
    digest = hashlib.sha256()
    for definition in sorted(grouping.definitions):
        digest.update(len(definition).to_bytes(4, "big") + definition)
    return digest.hexdigest()


def reused_plan(spec: ReleaseSpec, layout: Layout, kept: Iterable[FrozenPlan]) -> FrozenPlan | None:
    """Return the kept plan of a release that publishes the same groupings; None if there is none.

    Without a ledger a plan promises all that was measured under its label. So a release that was not planned is not
    taken as the plan, unless it holds all that was measured.
    """
    published, unit, plans = tuple(sorted(set(digests_of(layout)))), unit_digest(spec, layout), list(kept)
    same = [plan for plan in plans if (plan.unit, plan.published) == (unit, published)]
    if spec.ledger is None:
        same = [plan for plan in same if plan.planned or covers(plan.measurements, plan.unit, plans)]
    return next(iter(same), None)


def covers(measurements: frozenset[tuple[str, str]], unit: str, kept: Iterable[FrozenPlan]) -> bool:
    """Return True if a release measures all that was measured under its label, with the same rule for rows.

    Parameters
    ----------
    measurements
        The cells and the noise of the groupings that the release measures.
    unit
        The digest of its rule for the rows of a person.
    kept
        What was measured under the label.
    """
    return all(plan.unit == unit and plan.measurements <= measurements for plan in kept)


def measured_before(spec: ReleaseSpec, layout: Layout, kept: Sequence[FrozenPlan]) -> dict[int, PTable]:
    """Return the groupings that earlier releases under the label measured, each with its table of noise.

    A grouping that was measured with several tables, which a ledger allows, has the most precise one. Noise of fresh
    keys is not drawn again, so it is not returned.

    Parameters
    ----------
    spec
        The specification of the new release.
    layout
        Its groupings.
    kept
        What earlier releases under the label measured.

    Raises
    ------
    ReleaseError
        There is no ledger, and the release does not publish all that was measured, or has fresh keys.
    """
    unit = unit_digest(spec, layout)
    if spec.ledger is None:
        _require_all_published(spec, layout, kept, unit)
    tables: dict[str, PTable] = {}
    for plan in kept:
        if plan.unit != unit or "fresh" in (plan.key, spec.key):
            continue
        ptables = {ptable.table_digest: ptable for ptable in plan.ptables}
        for grouping in plan.measured:
            new, old = ptables[grouping.noise], tables.get(grouping.cells)
            if old is None or new.utility["variance"][1] < old.utility["variance"][1]:
                tables[grouping.cells] = new
    return {index: tables[digest] for index, digest in enumerate(digests_of(layout)) if digest in tables}


def names_earlier(spec: ReleaseSpec) -> bool:
    """Return True if a list `measure` says of a grouping that an earlier release measured it."""
    return isinstance(spec.measure, list) and any(entry.earlier for entry in spec.measure)


def require_earlier(spec: ReleaseSpec, new: FrozenPlan, kept: Sequence[FrozenPlan]) -> None:
    """Raise SpecError if a list `measure` says `earlier` and the promise does not cover the earlier releases.

    Parameters
    ----------
    spec
        The specification of the release.
    new
        What the release measures.
    kept
        What earlier releases under its label measured.
    """
    measured = frozenset[tuple[str, str]]().union(*(plan.measurements for plan in kept))
    wrong = [grouping for grouping in new.measured if grouping.earlier and grouping.measurement not in measured]
    is_fresh = "fresh" in (spec.key, *(plan.key for plan in kept))
    if not names_earlier(spec) or not (wrong or is_fresh or not covers(new.measurements, new.unit, kept)):
        return
    reason = "this release does not measure again all that was measured under the label, with the same numbers"
    if wrong:
        reason = f"no release that is known measured {_listed(wrong)} with this noise"
    raise SpecError(
        f"measure marks groupings as earlier, as measured before under the version label {spec.version!r:.120}, and"
        f" {reason}; nothing was drawn: the folder would promise for a release that it does not hold. Leave earlier"
        " out, or take measure: plan, which finds what was measured and marks it",
        ("measure",),
    )


def _require_all_published(spec: ReleaseSpec, layout: Layout, kept: Iterable[FrozenPlan], unit: str) -> None:
    """Raise ReleaseError unless the release publishes, and so can measure again, all that was measured."""
    published = set(digests_of(layout))
    for plan in kept:
        if "fresh" in (plan.key, spec.key):
            raise ReleaseError(
                f"under the version label {spec.version!r:.120} were measured {_listed(plan.measured)}, and noise of"
                " fresh keys cannot be measured again; nothing was drawn: a second draw would cost more than the"
                f" folder states. {_remedy(spec)}"
            )
        if plan.unit != unit:
            raise ReleaseError(
                f"under the version label {spec.version!r:.120} were measured {_listed(plan.measured)}, with another"
                f" rule for the rows of a person ({_other_rule(spec, layout, plan)}), so they cannot be measured again;"
                " nothing was drawn: the promise would not cover them."
                f" {_remedy(spec)}"
            )
        missing = [grouping for grouping in plan.measured if grouping.cells not in published]
        if missing:
            raise ReleaseError(
                f"under the version label {spec.version!r:.120} were also measured {_listed(missing)}, which this"
                " specification does not publish with the same categories; nothing was drawn: a plan promises all that"
                " is measured under its label. Publish these tables too, which costs nothing more, or"
                f" {_remedy(spec, capital=False)}"
            )


def _other_rule(spec: ReleaseSpec, layout: Layout, kept: FrozenPlan) -> str:
    """Return why the rule for the rows of a person differs from that of an earlier release.

    With an id, the dimensions in use decide which rows of a person count. The names of measured groupings have them.
    """
    names = " ".join(grouping.name for grouping in kept.measured)
    new = [repr(book.name) for book in layout.books if not re.search(rf"(?<!\w){re.escape(book.name)}(?!\w)", names)]
    if spec.unit.id is None or not new:
        return "another id, other contributions, or, with an id, other dimensions in use"
    are = "is a new dimension" if len(new) == 1 else "are new dimensions"
    return f"with an id, the dimensions in use are part of the rule, and {listed(new)} {are}"


def _remedy(spec: ReleaseSpec, capital: bool = True) -> str:
    text = "give a new version label"
    return text[0].upper() + text[1:] if capital else text


def _listed(groupings: Sequence[FrozenGrouping]) -> str:
    names = [repr(grouping.name[:80]) for grouping in groupings]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def noise_of(layout: Layout, tables: Mapping[str, PTable], reason: str) -> ReleaseNoise:
    """Return the noise of a release from the table of noise of every grouping that is measured, by its digest."""
    ptables = {ptable.table_digest: ptable for ptable in tables.values()}
    order = list(ptables)
    numbers = [order.index(tables[digest].table_digest) if digest in tables else None for digest in digests_of(layout)]
    return ReleaseNoise.in_order(layout, list(ptables.values()), numbers, reason)


def require_composed(spec: ReleaseSpec, new: FrozenPlan, kept: Iterable[FrozenPlan]) -> None:
    """Raise ReleaseError if a release without a ledger promises what was measured under its label, and leaves it out.

    The plan was made before the memory of the secret was locked. Another release may have been drawn since.

    Parameters
    ----------
    spec
        The specification of the release.
    new
        What the release measures.
    kept
        What was measured under its label up to now.
    """
    plans = list(kept)
    if not new.promises_earlier or any(plan.planned and plan.repeats(new) for plan in plans):
        return
    if not covers(new.measurements, new.unit, plans):
        raise ReleaseError(
            f"another release under the version label {spec.version!r:.120} was drawn while this one was planned;"
            " nothing was drawn: run it again, so that it is planned around what was measured"
        )
