"""Cells that were drawn under a version label, each with its noise: one cell is drawn with one table of noise.

Without a ledger nobody adds up the costs of two draws. So the memory of the secret keeps, for every release, the names
of its cells by table of noise, and a release is refused if it would draw a cell that was drawn with other noise. There
are two exceptions, whose promise covers all draws of the cell:

- The same cell with the same table is no new draw: query keys give the same number.
- A cell may have two tables in one release. Then a later release that measures both may add the second.

Fresh keys draw again each time, so every release with fresh keys has noise of its own.

Draws that a ledger charges are counted by the ledger, and by nothing else. Keys depend on the ledger, too: the same
cell with the same table is another draw without a ledger, and another one from another ledger. So the memory also
keeps which ledgers charge draws under a label. A release is refused if it draws under a label whose earlier draws
nobody adds to its own.

A name here is a digest of version label, unit rule and definition of the cell. (The names in the table `cells` also
depend on the table of noise.) A cell under another label, codebook or unit rule is another cell.

Files of an earlier version hold cells of which neither label nor noise is known. Then a label may have been released
with any noise. Its cells are drawn only if all of them were released with exactly this noise, or if the steward says
that nothing was released under the label (`secret: {new_label: LABEL}`). Such files do not tell either under which
labels the ledgers of their heads charged draws.

No rule here depends on a true count.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.certify.ptable import PTable
from discreet.errors import ReleaseError, SecretError
from discreet.plan.frozen_plan import FrozenGrouping, FrozenPlan, require_composed
from discreet.plan.spec import ReleaseSpec

SIZE = 16

Names = npt.NDArray[np.bytes_]
"""Names of cells, 16 bytes each, sorted."""

UNKNOWN = ("", "unknown", b"")
"""The row of a file that holds cells of an earlier version. No version label is empty."""

NEW = "new"
"""The noise in the row of a label under which nothing was released before, as the steward said."""

LEDGER = "ledger "
"""What stands before the id of a ledger, as the noise in the row of a label under which the ledger charges draws."""


@dataclass(frozen=True)
class Draw:
    """What a release draws.

    Attributes
    ----------
    spec
        The specification of the release.
    cells
        For every noise the names of the cells that are drawn with it.
    plan
        What the release measures.
    """

    spec: ReleaseSpec
    cells: Mapping[str, Names]
    plan: FrozenPlan

    @property
    def label(self) -> str:
        """The version label of the data."""
        return self.spec.version


def require_one_draw(connection: sqlite3.Connection, draw: Draw, names: Sequence[bytes]) -> None:
    """Raise an error if a release would draw a cell again, with other noise.

    Parameters
    ----------
    connection
        A transaction on the memory of the secret.
    draw
        What the release draws.
    names
        The names of its measurements in the table `cells`; none with fresh keys.

    Raises
    ------
    ReleaseError
        A cell was drawn with other noise, or a plan leaves out what was measured under its label.
    SecretError
        An earlier version wrote the file, and the label may have been released with other noise.
    """
    kept = [FrozenPlan.from_text(text) for text in plans(connection, draw.label)]
    require_composed(draw.spec, draw.plan, kept)
    _require_known_label(connection, draw, names)
    rows = list(_rows(connection, draw.label))
    new = {noise: cells[_is_new(noise, cells, rows)] for noise, cells in draw.cells.items()}
    charging = _ledgers(connection, draw.label)
    if charging and any(map(len, new.values())):
        raise _counted_elsewhere(draw.label, list(map(_from, charging)), None)
    for noise, cells in new.items():
        for other, stored in rows if len(cells) else []:
            again = cells[_among(cells, stored)]
            again = again[~_among(again, draw.cells[other])] if other in draw.cells else again
            if other != noise and len(again):
                raise _drawn_before(draw, kept, noise, other, len(again))


def require_counted_by(connection: sqlite3.Connection, spec: ReleaseSpec, ledger: str) -> None:
    """Raise an error if a ledger does not count all that was drawn under the label of a release.

    Parameters
    ----------
    connection
        A transaction on the memory of the secret.
    spec
        The specification of a release that draws cells which the ledger has not charged before.
    ledger
        The id of its ledger.

    Raises
    ------
    ReleaseError
        Cells were drawn under the label without a ledger, or from another one.
    SecretError
        An earlier version wrote the file, and such cells may have been drawn.
    """
    others = [_from(other) for other in _ledgers(connection, spec.version) if other != ledger]
    if next(_rows(connection, spec.version), None) is not None:
        others = ["without a ledger", *others]
    if others:
        raise _counted_elsewhere(spec.version, others, ledger)
    unknown = connection.execute("SELECT noise FROM draws WHERE label = ?", UNKNOWN[:1])
    if any(noise != LEDGER + ledger for (noise,) in unknown) and not _is_declared(connection, spec):
        raise _unknown(spec.version)


def _counted_elsewhere(label: str, earlier: Sequence[str], ledger: str | None) -> ReleaseError:
    """Return the error that says who counts what was drawn under a label."""
    this = "without a ledger" if ledger is None else _from(ledger)
    return ReleaseError(
        f"cells were drawn under the version label {label!r:.120} {' and '.join(earlier)}, and this release would draw"
        f" {this}. Nothing was drawn: the keys would be other ones, so each draw costs a person anew, and nobody would"
        f" add the costs up. Release {earlier[0]}, as then, or give a new version label, whose draws cost in addition"
    )


def _from(ledger: str) -> str:
    return f"from the ledger {ledger[:8]}"  # errors show no text that is as long as a secret


def _require_known_label(connection: sqlite3.Connection, draw: Draw, names: Sequence[bytes]) -> None:
    """Raise SecretError if an earlier version may have drawn cells of the label with noise that is not known."""
    unknown = connection.execute("SELECT 1 FROM draws WHERE label = ?", UNKNOWN[:1]).fetchone()
    if unknown is None or _is_declared(connection, draw.spec):
        return
    cells = np.unique(packed(names))
    is_new = np.ones(len(cells), dtype=np.bool_)
    for (stored,) in connection.execute("SELECT names FROM cells"):
        is_new &= ~_among(cells, unpacked(stored))
    if is_new.any() or not len(cells):
        raise _unknown(draw.label)


def _is_declared(connection: sqlite3.Connection, spec: ReleaseSpec) -> bool:
    """Return True if the steward says, or said, that nothing was released under the label before."""
    said = connection.execute("SELECT 1 FROM draws WHERE label = ? AND noise = ?", (spec.version, NEW)).fetchone()
    return said is not None or _says_new(spec)


def _says_new(spec: ReleaseSpec) -> bool:
    return spec.secret is not None and spec.secret.new_label == spec.version


def _unknown(label: str) -> SecretError:
    return SecretError(
        "the memory of the secret was begun by an earlier version of Discreet, which did not keep for each version"
        f" label what was drawn, with which noise and from which ledger; so cells of the label {label!r:.120} may have"
        " been drawn with other noise, and this release measures cells that were not released with this noise. Nothing"
        " was drawn. If nothing was ever released under this label with this secret, say so with secret: {...,"
        f" new_label: {label!r:.120}}}. Otherwise take the same measure and design as then, or a new label"
    )


def _drawn_before(draw: Draw, kept: Sequence[FrozenPlan], noise: str, other: str, cells: int) -> ReleaseError:
    """Return the error that says what was released under the label, with which noise, and what can be done."""
    earlier, again = _measured_with(kept, other), _measured_with([draw.plan], noise)
    was, is_now = ", ".join(_in_words(*pair) for pair in earlier[:5]), ", ".join(_in_words(*pair) for pair in again[:5])
    count = "one cell" if cells == 1 else f"{cells:,} cells"
    return ReleaseError(
        f"{count} of this release were drawn before under the version label {draw.label!r:.120} with other noise. What"
        f" was measured then: {was or 'cells of other groupings'}. Now: {is_now}. Nothing was drawn: two draws of a"
        " cell cost more than one folder states. Take the same measure and design as then (the manifest of that"
        " release states them; measure: plan reuses them), or give a new version label"
    )


def _measured_with(plans: Sequence[FrozenPlan], noise: str) -> list[tuple[FrozenGrouping, PTable, str]]:
    """Return the groupings that were measured with a noise, with their tables and kinds of keys."""
    found = []
    for plan in plans:
        ptables = {ptable.table_digest: ptable for ptable in plan.ptables}
        for grouping in plan.measured:
            if noise.endswith(grouping.noise) and (plan.key == "fresh") == (noise != grouping.noise):
                found.append((grouping, ptables[grouping.noise], plan.key))
    return found


def _in_words(grouping: FrozenGrouping, ptable: PTable, key: str) -> str:
    fresh = ", fresh keys" if key == "fresh" else ""
    design = str(ptable.design.get("name", "noise"))
    return f"{grouping.name[:80]!r} ({design:.40}, epsilon {ptable.guarantee.epsilon} a cell{fresh})"


def record(connection: sqlite3.Connection, draw: Draw) -> None:
    """Keep what a release draws, and its plan. What is kept already is not kept again."""
    _record_declared(connection, draw.spec)
    rows = list(_rows(connection, draw.label))
    for noise, cells in draw.cells.items():
        is_new = _is_new(noise, cells, rows)
        if is_new.any():
            connection.execute("INSERT INTO draws VALUES (?, ?, ?)", (draw.label, noise, cells[is_new].tobytes()))
    text = draw.plan.to_text()
    if text not in plans(connection, draw.label):
        connection.execute("INSERT INTO plans VALUES (?, ?)", (draw.label, text))


def record_charge(connection: sqlite3.Connection, spec: ReleaseSpec, ledger: str) -> None:
    """Keep that a ledger charges draws under the label of a release."""
    _record_declared(connection, spec)
    if ledger not in _ledgers(connection, spec.version):
        connection.execute("INSERT INTO draws VALUES (?, ?, ?)", (spec.version, LEDGER + ledger, b""))


def _record_declared(connection: sqlite3.Connection, spec: ReleaseSpec) -> None:
    """Keep what the steward says of the label, if it is the first row of the label."""
    if _says_new(spec) and not connection.execute("SELECT 1 FROM draws WHERE label = ?", (spec.version,)).fetchone():
        connection.execute("INSERT INTO draws VALUES (?, ?, ?)", (spec.version, NEW, b""))


def record_unknown(connection: sqlite3.Connection) -> None:
    """Note that an earlier version released without a ledger, under labels that are not known."""
    connection.execute("INSERT INTO draws VALUES (?, ?, ?)", UNKNOWN)


def record_unknown_charges(connection: sqlite3.Connection, ledger: str) -> None:
    """Note that a ledger charged draws for an earlier version, under labels that are not known."""
    connection.execute("INSERT INTO draws VALUES (?, ?, ?)", (UNKNOWN[0], LEDGER + ledger, b""))


def plans(connection: sqlite3.Connection, label: str) -> list[str]:
    """Return what was measured under a version label, in order."""
    return [text for (text,) in connection.execute("SELECT text FROM plans WHERE label = ? ORDER BY rowid", (label,))]


def _rows(connection: sqlite3.Connection, label: str) -> Iterator[tuple[str, Names]]:
    """Yield the cells that were drawn under a label without a ledger, by noise."""
    for noise, names in connection.execute("SELECT noise, names FROM draws WHERE label = ?", (label,)):
        if noise != NEW and not noise.startswith(LEDGER):
            yield noise, unpacked(names)


def _ledgers(connection: sqlite3.Connection, label: str) -> list[str]:
    """Return the ids of the ledgers that charge draws under a label."""
    noises = connection.execute("SELECT noise FROM draws WHERE label = ? ORDER BY rowid", (label,))
    return [noise.removeprefix(LEDGER) for (noise,) in noises if noise.startswith(LEDGER)]


def _is_new(noise: str, cells: Names, rows: Sequence[tuple[str, Names]]) -> npt.NDArray[np.bool_]:
    """Return for every cell whether it was not drawn with a noise before."""
    is_new = np.ones(len(cells), dtype=np.bool_)
    for other, stored in rows:
        if other == noise:
            is_new &= ~_among(cells, stored)
    return is_new


def _among(cells: Names, stored: Names) -> npt.NDArray[np.bool_]:
    """Return for every cell whether it is among sorted ones."""
    if not len(stored):
        return np.zeros(len(cells), dtype=np.bool_)
    index = np.minimum(np.searchsorted(stored, cells), len(stored) - 1)
    return np.asarray(stored[index] == cells, dtype=np.bool_)


def unpacked(data: bytes) -> Names:
    """Return the names or hashes in packed bytes. Their width is fixed, so zeros at the end count."""
    return np.frombuffer(data, dtype=f"S{SIZE}")


def packed(values: Sequence[bytes]) -> Names:
    """Return names or hashes as an array."""
    return unpacked(b"".join(values))
