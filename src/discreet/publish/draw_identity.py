"""The identity of a draw: which measurements belong to which release, in any order and spelling of a specification.

**Order and spelling.** One draw must not have two identities: otherwise a specification with its tables in another
order would draw again. So the identity is made from the sorted definitions of measured cells, with ranges sorted by
their bounds, and from the tables of noise. The source counts as the real path of its file, or as the server and
database of its connection string. A setting that is left out counts as its default. Copies of the data are not
recognised, nor two patterns that match the same files. All data frames count as one source: the version label tells
data apart.

**Kinds of key.** With fresh keys, every draw has other noise. So a release continues in any order of its specification,
with each measurement at its cell. With query keys, a second draw has the same noise, with two exceptions: keys depend
on the order in which ranges are declared (`plan.codebook`), and, if `unit` has an id, on the order of dimensions and
categories, which decides which rows of a person count (`measure.ledger_use`). One specification must make one folder,
so a release with query keys is refused if such an order changed. Contributor keys are treated like query keys.
"""

import hmac
import json
import os
from collections.abc import Sequence
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

DEFAULTS = {"delimiter": ",", "header": True, "encoding": "utf-8", "decimal": ".", "dates": "ymd"}
"""The settings of a source that does not state them."""


@dataclass(frozen=True)
class Identity:
    """The identity of a draw.

    Attributes
    ----------
    label
        The version label of the data, for messages.
    digest
        A digest of what was measured, in any order.
    keys
        A digest of what the keys were made from; None for fresh keys.
    order
        The measured cells, sorted by their definitions: the order of measurements in the private file.
    key
        The key of the digests and of the mac of the private file.
    """

    label: str
    digest: str
    keys: str | None
    order: Integers = field(repr=False)
    key: bytes = field(repr=False)

    @classmethod
    def of(cls, plan: ReleasePlan, *, starts: Sequence[bytes], ledger: str | None, secret: bytes) -> "Identity":
        """Return the identity of the draw of a plan.

        Parameters
        ----------
        plan
            The plan of the release.
        starts
            For every table of noise, the bytes that query keys of its cells start with.
        ledger
            The id of the ledger; None without a ledger.
        secret
            The secret of the release.
        """
        spec, layout = plan.spec, plan.layout
        key = b"" if spec.secret is None else keys.derive_key(secret, "unpublished measurements")
        record_keys = None if spec.record_keys is None else sorted(spec.record_keys)
        digests = sorted(ptable.table_digest for ptable in plan.ptables)
        tables = digests[0] if len(digests) == 1 else digests
        settings = [
            spec.version, ledger, tables, spec.key, spec.unit.protects, spec.unit.id,
            spec.unit.contributions, record_keys, spec.record_keys_are, _source(spec.source),
        ]  # fmt: skip
        definitions = _definitions(plan)
        order = sorted(range(len(definitions)), key=definitions.__getitem__)
        digest = hmac.new(key, canonical_json(settings), "sha256")
        for cell in order:
            digest.update(len(definitions[cell]).to_bytes(4, "big") + definitions[cell])
        books = b"".join(sorted(book.digest for book in layout.books))
        start = b"".join(sorted(starts))
        key_digest = None if spec.key == "fresh" else hmac.digest(key, b"keys" + books + start, "sha256").hex()
        return cls(spec.version, digest.hexdigest(), key_digest, np.array(order, dtype=np.int64), key)


def _definitions(plan: ReleasePlan) -> list[bytes]:
    """Return the definition of each measured cell, and, if there are several, the digest of its table of noise."""
    distinct, measured = _distinct_definitions(plan), plan.measured
    definitions = [distinct[cell] for cell in measured.cells.tolist()]
    if len(plan.ptables) == 1:
        return definitions
    digests = [bytes.fromhex(ptable.table_digest) for ptable in plan.ptables]
    tables = measured.tables.tolist()
    return [definition + digests[table] for definition, table in zip(definitions, tables, strict=True)]


def _distinct_definitions(plan: ReleasePlan) -> list[bytes]:
    """Return the definition of each distinct cell of the layout, with ranges in the order of their bounds.

    Two dimensions may declare the same ranges in two orders, and have different keys. If sorting would make two cells
    one, the definitions of the layout are returned as they are.
    """
    sorted_books, layout = {}, plan.layout
    for book in layout.books:
        dimension = plan.spec.dimensions[book.name]
        if dimension.ranges is not None:
            ranges = dict(sorted(dimension.ranges.items(), key=lambda item: [(x is not None, x or 0) for x in item[1]]))
            digest = codebook.resolve(book.name, dimension.model_copy(update={"ranges": ranges})).digest
            sorted_books[book.name] = replace(book, digest=digest)
    if all(sorted_books[book.name].digest == book.digest for book in layout.books if book.name in sorted_books):
        return layout.cells.definitions
    groupings = [
        replace(
            grouping,
            axes=tuple(replace(axis, book=sorted_books.get(axis.book.name, axis.book)) for axis in grouping.axes),
            within=tuple((sorted_books.get(book.name, book), members) for book, members in grouping.within),
        )
        for grouping in layout.groupings
    ]
    definitions = replace(layout, groupings=tuple(groupings)).cells.definitions
    return definitions if len(definitions) == len(layout.cells.definitions) else layout.cells.definitions


def _source(source: Source | None) -> dict[str, Any]:
    """Return a source in one spelling, whatever folder the command is run in. A data frame has no name."""
    if source is None:
        return {"frame": None}
    fields = {name: value for name, value in source.options.items() if value != DEFAULTS.get(name)}
    if source.kind in PATHS or (source.kind == "spark" and os.path.exists(source.location)):
        fields[source.kind] = os.path.realpath(source.location)
    else:
        fields[source.kind] = _server(source.location) if source.kind == "postgres" else source.location
    if "table" in fields:
        fields["table"] = sql.table_parts(fields["table"])
    return fields


def _server(location: str) -> Any:
    """Return server and database of a connection string; other texts as they are. User and password are left out."""
    text = os.environ.get(location.removeprefix("env:"), location) if location.startswith("env:") else location
    if find_spec("psycopg") is None:
        return text
    from psycopg import Error
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(text)
    except Error:
        return text  # the engine refuses it
    return {name: str(parts[name]) for name in ("host", "hostaddr", "port", "dbname") if name in parts}


def canonical_json(value: Any) -> bytes:
    """Return a value as JSON with sorted keys and without spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=os.fspath).encode()
