"""Which measurements belong to a release: one draw has one identity, in whatever order and spelling it is asked for.

**Order and spelling.** One draw must not get two identities, or a specification with its tables turned round would draw
again. So the identity takes the sorted definitions of cells, ranges being sorted by their bounds first. The source is
the file that its path leads to, links resolved, or the server and database of a connection string. Settings that are
left out are the same as their defaults. What cannot be seen through: copies of the data, and two patterns of paths that
match the same files.

**Kinds of key.** Fresh keys give other noise at every draw. Whatever the order of a specification, the release goes on,
every measurement at its cell. Query keys give the same noise again, with two exceptions. Keys depend on the order in
which ranges are declared (`plan.codebook`). Where `unit` has an id, keys depend on the order of dimensions and
categories, because that order decides which rows of a person count (`measure.ledger_use`). The same specification must
make the same folder, so a release with query keys in another such order is refused, and not continued. Contributor
keys, which promise nothing, are treated like query keys.
"""

import hmac
import json
import os
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from discreet.arrays import Integers
from discreet.count.engines import sql
from discreet.measure import keys
from discreet.plan import codebook
from discreet.plan.release_plan import ReleasePlan
from discreet.plan.source import PATHS, Source

DEFAULTS = {"delimiter": ",", "header": True}
"""What a source has where it does not say otherwise."""


@dataclass(frozen=True)
class Identity:
    """What decides which release measurements belong to.

    Attributes
    ----------
    label
        The version label of the data, for people.
    digest
        Of what was measured, whatever the order in which it was asked for.
    keys
        A digest of what keys are made from; None for fresh ones.
    order
        Which of the layout's cells is at each place of the file: by definition.
    key
        What the digests and the file's mac are keyed with.
    """

    label: str
    digest: str
    keys: str | None
    order: Integers = field(repr=False)
    key: bytes = field(repr=False)

    @classmethod
    def of(cls, plan: ReleasePlan, *, start: bytes, ledger: str | None, secret: bytes) -> "Identity":
        """The identity of a plan; `start` is what its query keys start with, `ledger` the id of its ledger."""
        spec, layout = plan.spec, plan.layout
        key = b"" if spec.secret is None else keys.derived(secret, "unpublished measurements")
        came = None if spec.record_keys is None else sorted(spec.record_keys)
        decided = [
            spec.version, ledger, keys.weights(plan.ptable), spec.key, spec.unit.protects, spec.unit.id,
            spec.unit.contributions, came, spec.record_keys_are, _source(spec.source),
        ]  # fmt: skip
        definitions = _definitions(plan)
        order = sorted(range(len(definitions)), key=definitions.__getitem__)
        digest = hmac.new(key, written(decided), "sha256")
        for place in order:
            digest.update(len(definitions[place]).to_bytes(4, "big") + definitions[place])
        books = b"".join(sorted(book.digest for book in layout.books))
        made_from = None if spec.key == "fresh" else hmac.digest(key, b"keys" + books + start, "sha256").hex()
        return cls(spec.version, digest.hexdigest(), made_from, np.array(order, dtype=np.int64), key)


def _definitions(plan: ReleasePlan) -> list[bytes]:
    """The definition of every cell, whatever the order in which ranges are declared.

    Keys tell two dimensions apart that declare the same ranges in two orders. If a release has both, so does this.
    """
    renamed, layout = {}, plan.layout
    for book in layout.books:
        dimension = plan.spec.dimensions[book.name]
        if dimension.ranges is not None:
            ranges = dict(sorted(dimension.ranges.items(), key=lambda item: [(x is not None, x or 0) for x in item[1]]))
            digest = codebook.resolve(book.name, dimension.model_copy(update={"ranges": ranges})).digest
            renamed[book.name] = replace(book, digest=digest)
    if all(renamed[book.name].digest == book.digest for book in layout.books if book.name in renamed):
        return layout.cells[0]
    groupings = [
        replace(
            grouping,
            axes=tuple(replace(side, book=renamed.get(side.book.name, side.book)) for side in grouping.axes),
            within=tuple((renamed.get(book.name, book), members) for book, members in grouping.within),
        )
        for grouping in layout.groupings
    ]
    found = replace(layout, groupings=tuple(groupings)).cells[0]
    return found if len(found) == len(layout.cells[0]) else layout.cells[0]


def _source(source: Source) -> dict[str, Any]:
    """The source, however its place is spelled, and whatever folder the command is run in."""
    found = {name: value for name, value in source.options.items() if value != DEFAULTS.get(name)}
    if source.kind in PATHS or (source.kind == "spark" and os.path.exists(source.location)):
        found[source.kind] = os.path.realpath(source.location)
    else:
        found[source.kind] = _server(source.location) if source.kind == "postgres" else source.location
    if "table" in found:
        found["table"] = sql.parts(found["table"])
    return found


def _server(given: str) -> Any:
    """Server and database of a connection string, without user and password; the string itself if it is none."""
    text = os.environ.get(given.removeprefix("env:"), given) if given.startswith("env:") else given
    if find_spec("psycopg") is None:
        return text
    from psycopg import Error
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(text)
    except Error:
        return text  # the engine refuses it
    return {name: str(parts[name]) for name in ("host", "hostaddr", "port", "dbname") if name in parts}


def written(value: Any) -> bytes:
    """The one way to write a value down."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=os.fspath).encode()
