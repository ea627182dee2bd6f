"""Check a certificate without trusting any number in it.

A certificate is one JSON document in canonical form (sorted keys, one space of indent, ASCII, a final
newline) with the SHA-256 of everything in it. `verify` reads it and recomputes, in integers:

1. the file is its own canonical form, and its digest is the digest of its contents;
2. E, the rational that stands for e**epsilon, is at most a partial sum of the Taylor series of e**epsilon,
   each term rounded down (or is exactly 1/alpha);
3. every row is non-negative and sums to 2**bits;
4. delta is the exact sum over all neighbours in both directions;
5. every claimed property and every figure of utility holds.

This proves the promise of the table. It does not prove that a publisher used the table. The digest is not a
signature: it detects change, not authorship. `design` and `quantised` say where the table came from; the promise does
not depend on them.

Only the standard library is used, by this file and by the files of Discreet that it imports.
"""

import hashlib
import json
import os
import re
from dataclasses import dataclass
from fractions import Fraction
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple

from discreet import files
from discreet.certify import table as integer_table
from discreet.certify._other_files import refuse_other_files
from discreet.certify.table import IntegerRow, Table
from discreet.domain import Counts, Cycle, Domain
from discreet.errors import CertificateError, DiscreetError
from discreet.exact import PRECISION, Epsilon, exp_lower, text

_DECIMAL = re.compile("0|[1-9][0-9]{0,18}")
"""A weight: an integer below 10**19, in one spelling only."""

FORMAT = "discreet-certificate"
VERSION = 1
BITS = range(8, 63)
MOST_BYTES = 1 << 26
MOST_WEIGHTS = 1 << 22
MOST_WORK = 1 << 26
"""Comparisons of weights that a check of delta may take."""

MOST_DESIGN = 1 << 18
"""Bytes of the parts that the promise does not depend on."""

_KEYS = {
    "bits", "design", "digest", "domain", "format", "guarantee", "interior",
    "neighbours", "properties", "quantised", "rows", "utility", "version",
}  # fmt: skip


class Guarantee(NamedTuple):
    """(epsilon, delta) of a table: epsilon as given, a rational E <= e**epsilon, and delta at E integer_table."""

    epsilon: int | float | Fraction
    exp_epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True)
class Certificate:
    """A certificate all of whose claims hold. Only `verify` and `check` make one."""

    document: dict[str, Any]
    table: Table
    epsilon: Epsilon
    guarantee: Guarantee
    properties: frozenset[str]
    utility: dict[str, tuple[Fraction, Fraction]]

    @property
    def digest(self) -> str:
        """The digest of the document, sha256:..."""
        return str(self.document["digest"])


def verify(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate file and recompute every claim in it.

    Parameters
    ----------
    path
        A file that `PTable.save` wrote.

    Returns
    -------
    Certificate
        The certificate, if every claim holds.

    Raises
    ------
    CertificateError
        The file cannot be read, is not in canonical form, or a claim fails. `failures` lists every claim that fails.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import discreet as dc
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name) / "noise.json"
    >>> dc.design.geometric(epsilon=1, upper=20).certify().save(file)
    >>> dc.verify(file).guarantee.delta
    Fraction(0, 1)
    >>> size = file.write_text(file.read_text().replace('"bits": 32', '"bits": 31'))
    >>> try:
    ...     dc.verify(file)
    ... except dc.DiscreetError as error:
    ...     print(len(error.failures), "checks fail")
    22 checks fail
    >>> folder.cleanup()
    """
    try:
        data = _read(path)
        refuse_other_files(path, data)
        return _check_bytes(data)
    except CertificateError as error:
        raise CertificateError(f"{path!s}: {error}", error.failures) from None


def check(document: dict[str, Any]) -> Certificate:
    """Recompute every claim of a document in memory, and return the certificate if every claim holds.

    Raises
    ------
    CertificateError
        The document cannot be written as JSON, or a claim fails.
    """
    return _check_bytes(canonical(document))


def canonical(document: dict[str, Any]) -> bytes:
    """Return the canonical form of a document: sorted keys, one space of indent, ASCII, a final newline.

    Raises
    ------
    CertificateError
        The document cannot be written as JSON.
    """
    try:
        written = _written(document, "\n")
    except (TypeError, ValueError, RecursionError) as error:
        raise CertificateError(f"the certificate cannot be written as JSON: {error}") from None
    return written.encode("ascii") + b"\n"


def _written(value: Any, line: str) -> str:
    """Return json.dumps(value, sort_keys=True, indent=1), fast for lists of texts. `line`: line end and indent."""
    inner = line + " "
    if isinstance(value, dict) and value and all(isinstance(key, str) for key in value):
        fields = (f"{json.dumps(key)}: {_written(value[key], inner)}" for key in sorted(value))
        return "{" + inner + ("," + inner).join(fields) + line + "}"
    if isinstance(value, (list, tuple)) and value:
        if set(map(type, value)) == {str}:
            return "[" + inner + ("," + inner).join(map(encode_basestring_ascii, value)) + line + "]"
        return "[" + inner + ("," + inner).join(_written(item, inner) for item in value) + line + "]"
    return json.dumps(value, sort_keys=True, indent=1, allow_nan=False).replace("\n", line)


def digest(document: dict[str, Any]) -> str:
    """Return sha256:... of the canonical form of everything in the document but the digest itself."""
    rest = {key: value for key, value in document.items() if key != "digest"}
    return "sha256:" + hashlib.sha256(canonical(rest)).hexdigest()


def _read(path: str | os.PathLike[str]) -> bytes:
    try:
        with files.open_file(path) as file:
            data = file.read(MOST_BYTES + 1)
    except IsADirectoryError:
        raise CertificateError(f"is a folder; give a certificate file, or run: discreet verify {path!s}") from None
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CertificateError(f"cannot be read ({reason}); give the path of a certificate file") from None
    if len(data) > MOST_BYTES:
        raise CertificateError(f"is larger than {MOST_BYTES} bytes, which no certificate is")
    return data


def _check_bytes(data: bytes) -> Certificate:
    document = _parse(data)
    failures: list[str] = []
    if canonical(document) != data:
        failures.append("the file is not in canonical form: it was edited or reformatted after it was issued")
    if document["digest"] != digest(document):
        failures.append(f"digest: the file says {document['digest']!r}, its contents give {digest(document)}")

    table = _table(document)
    epsilon, claimed = _guarantee(document["guarantee"], failures)
    if wrong_rows := _row_failures(table):
        raise _failed(failures + wrong_rows)
    delta, worst_pair = integer_table.delta(table, epsilon.exp)
    if delta != claimed:
        example = integer_table.broken_step(table, epsilon.exp) if claimed == 0 else worst_pair
        failures.append(f"delta: the file says {text(claimed)}, the weights give {float(delta):.6g} ({example})")
    properties = integer_table.properties(table)
    for name in document["properties"]:
        if name not in properties:
            failures.append(f"property {name}: claimed, but the weights do not have it")
    utility = integer_table.utility(table)
    failures += _utility_failures(document["utility"], utility)
    if failures:
        raise _failed(failures)
    guarantee = Guarantee(epsilon.number, epsilon.exp, delta)
    return Certificate(document, table, epsilon, guarantee, frozenset(document["properties"]), utility)


def _utility_failures(claimed: dict[str, Any], utility: dict[str, tuple[Fraction, Fraction]]) -> list[str]:
    expected = {name: [text(value) for value in values] for name, values in utility.items()}
    return [
        f"{name!r}: the file says {claimed.get(name)!r:.200}, the weights give {expected.get(name)}"
        for name in sorted(expected.keys() | claimed.keys())
        if expected.get(name) != claimed.get(name)
    ]


def _failed(failures: list[str]) -> CertificateError:
    count = "1 check fails" if len(failures) == 1 else f"{len(failures)} checks fail"
    return CertificateError(f"not a valid certificate, {count}:\n- " + "\n- ".join(failures), tuple(failures))


def _parse(data: bytes) -> dict[str, Any]:
    """Return the document with the right keys and types. Refuse keys that occur twice, floats and NaN."""
    document = _json(data)
    _require(isinstance(document, dict) and document.get("format") == FORMAT, "format", f"'{FORMAT}'")
    version = document.get("version")
    _require(_is_int(version) and version == VERSION, "version", f"{VERSION}; a newer Discreet may read it")
    _require(document.keys() == _KEYS, "the keys", ", ".join(sorted(_KEYS)))
    _require(_is_int(document["bits"]) and document["bits"] in BITS, "bits", "an integer from 8 to 62")
    for key in ("design", "quantised", "utility", "guarantee", "domain"):
        _require(isinstance(document[key], dict), key, "an object")
    claims = document["properties"]
    known = isinstance(claims, list) and all(
        isinstance(name, str) and name in integer_table.PROPERTIES for name in claims
    )
    _require(known and claims == sorted(set(claims)), "properties", "a sorted list of names")
    size = len(canonical({key: document[key] for key in ("design", "quantised", "utility")}))
    _require(size <= MOST_DESIGN, "design", f"at most {MOST_DESIGN} bytes")
    return document


def _json(data: bytes) -> dict[str, Any]:
    def unique(items: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(items)
        if len(content) != len(items):
            raise CertificateError("a key occurs twice in one JSON object")
        return content

    def no_float(number: str) -> None:
        raise CertificateError(f"the number {number[:40]} is not an integer; a certificate holds no floats")

    try:
        document: dict[str, Any] = json.loads(
            data.decode("ascii"), object_pairs_hook=unique, parse_float=no_float, parse_constant=no_float
        )
    except CertificateError:
        raise
    except (ValueError, RecursionError) as error:
        raise CertificateError(
            f"is not a certificate: its JSON text has a mistake, or was cut short ({error}); give a certificate, or the"
            " folder of a release"
        ) from None
    return document


def _table(document: dict[str, Any]) -> Table:
    """Return the table. Refuse rows that do not fit the domain, and sizes above the limits."""
    domain = _domain(document["domain"])
    neighbours = _neighbours(document["neighbours"], domain)
    for key in ("rows", "interior"):
        documents = document[key]
        _require(isinstance(documents, list) and all(isinstance(row, dict) for row in documents), key, "a list of rows")
        for row in documents:
            formed = row.keys() == {"first", "weights"} and isinstance(row["weights"], list)
            _require(formed, key, "rows with first and weights")
    size = sum(len(row["weights"]) for row in document["rows"] + document["interior"])
    _require(size <= MOST_WEIGHTS, "the number of weights", f"at most {MOST_WEIGHTS}")
    rows = tuple(_row(row, f"rows[{index}]") for index, row in enumerate(document["rows"]))
    interior = tuple(_row(row, f"interior[{index}]") for index, row in enumerate(document["interior"]))
    if isinstance(domain, Cycle):
        fits = not rows and len(interior) == 1 and interior[0].first == 0 and len(interior[0].weights) == domain.size
    elif domain.size is None:
        fits = bool(interior)
    else:
        fits = len(rows) < domain.size if interior else len(rows) == domain.size
    _require(fits, "the rows", "rows for every value of the domain, and no others")
    table = Table(document["bits"], domain, neighbours, rows, interior)
    _require(_work(table) <= MOST_WORK, "the table", f"one that takes at most {MOST_WORK} comparisons to check")
    return table


def _work(table: Table) -> int:
    """Return how many weights the check of delta compares. Refuse noise that reaches too far from the count."""
    if isinstance(table.domain, Cycle):
        return table.domain.size * len(table.neighbours)
    lower = table.domain.lower
    noise = [(row.first - lower - index, len(row.weights)) for index, row in enumerate(table.rows)]
    noise += [(row.first, len(row.weights)) for row in table.interior]
    first, last = min(first for first, _ in noise), max(first + length for first, length in noise)
    _require(max(-first, last) <= MOST_WEIGHTS, "the noise", f"outputs within {MOST_WEIGHTS} of the count")
    rows = len(noise) + len(integer_table.far_counts(table))
    return rows * len(table.neighbours) * (last - first + len(table.neighbours))


def _domain(document: dict[str, Any]) -> Domain:
    kind, keys = document.get("kind"), document.keys()
    try:
        if kind == "counts" and keys == {"kind", "lower", "upper"}:
            return Counts(document["lower"], document["upper"])
        if kind == "cycle" and keys == {"kind", "shape"} and isinstance(document["shape"], list):
            return Cycle(document["shape"])
    except DiscreetError as error:
        raise CertificateError(f"domain: {error}") from None
    raise CertificateError("domain: expected counts with lower and upper, or a cycle with a shape")


def _neighbours(document: Any, domain: Domain) -> tuple[Any, ...]:
    _require(isinstance(document, list) and 0 < len(document) <= MOST_WEIGHTS, "neighbours", "a list")
    differences = [tuple(item) if isinstance(item, list) else item for item in document]
    parts = [part for item in differences for part in (item if isinstance(item, tuple) else (item,))]
    _require(all(map(_is_int, parts)), "neighbours", "integers")
    try:
        neighbours = domain.neighbours(differences)
    except (DiscreetError, TypeError) as error:
        raise CertificateError(f"neighbours: {error}") from None
    ordered = list(neighbours) == differences
    _require(ordered, "neighbours", "distances 1..k, or differences closed under negation, in order")
    return neighbours


def _row(document: dict[str, Any], name: str) -> IntegerRow:
    weights = document["weights"]
    _require(_is_int(document["first"]) and abs(document["first"]) < 1 << 62, f"{name}.first", "an integer")
    texts = set(map(type, weights)) == {str}
    _require(texts and all(map(_DECIMAL.fullmatch, weights)), name, "weights as decimal text")
    return IntegerRow(document["first"], tuple(map(int, weights)))


def _row_failures(table: Table) -> list[str]:
    """Return a line for every row whose weights do not sum to 2**bits."""
    if isinstance(table.domain, Cycle):
        named_rows = [("the noise", row) for row in table.interior]
    else:
        lower = table.domain.lower
        named_rows = [(f"the row of count {count}", row) for count, row in enumerate(table.rows, lower)]
        named_rows += [(f"interior row {index}", row) for index, row in enumerate(table.interior)]
    return [
        f"{name}: its weights sum to {sum(row.weights)}, not 2**{table.bits} = {table.total}"
        for name, row in named_rows
        if sum(row.weights) != table.total
    ]


def _guarantee(document: dict[str, Any], failures: list[str]) -> tuple[Epsilon, Fraction]:
    """Return epsilon with the file's E, and the claimed delta. Add to `failures` if E is not proved."""
    parameter = "alpha" if "alpha" in document else "epsilon"
    complete = document.keys() == {parameter, "exp_epsilon", "delta"}
    _require(complete, "guarantee", "epsilon or alpha, exp_epsilon and delta")
    stated, bound, delta = (_fraction(document[key], f"guarantee.{key}") for key in (parameter, "exp_epsilon", "delta"))
    try:
        epsilon = Epsilon.of(**{parameter: stated})
    except DiscreetError as error:
        raise CertificateError(f"guarantee: {error}") from None
    written = document["exp_epsilon"][:60]
    if bound <= 1:
        raise CertificateError(f"guarantee.exp_epsilon is {written!r}; expected a fraction above 1")
    if parameter == "alpha" and bound != epsilon.exp:
        failures.append(f"exp_epsilon: the file says {text(bound)[:60]}, 1/alpha is {text(epsilon.exp)[:60]}")
    if epsilon.exponent is not None and bound > exp_lower(epsilon.exponent, 2 * PRECISION):
        failures.append(f"exp_epsilon: {written} is not proved to be at most e**{text(stated)}")
    return Epsilon(epsilon.exponent, bound), delta


def _fraction(written: Any, name: str) -> Fraction:
    """Return the number that a text states. Refuse all spellings but the shortest exact one."""
    if isinstance(written, str) and len(written) <= 4000 and set(written) <= set("0123456789./"):
        try:
            value = Fraction(written)
        except (ValueError, ZeroDivisionError):
            value = Fraction(-1)
        if value >= 0 and text(value) == written:
            return value
    raise CertificateError(
        f"{name} is {str(written)[:60]!r}; expected a non-negative integer, decimal or fraction as text"
    )


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _require(holds: bool, name: str, expected: str) -> None:
    if not holds:
        raise CertificateError(f"{name}: expected {expected}")
