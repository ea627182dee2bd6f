"""Check a certificate without trusting any number in it.

A certificate is one JSON document in canonical form (sorted keys, one space of indent, ASCII, a final
newline) with the SHA-256 of everything in it. `verify` reads it and recomputes, in integers:

1. the file is its own canonical form and its digest is that of its contents;
2. E, the rational that stands for e**epsilon, is at most a partial sum of the Taylor series of e**epsilon,
   each term rounded down (or is exactly 1/alpha);
3. every row is non-negative and sums to 2**bits;
4. delta is the exact sum over all neighbours in both directions;
5. every claimed property and every figure of utility holds.

What this proves is the promise of the table. It does not prove that a publisher used the table, and the
digest is not a signature: it detects change, not authorship. `design` and `quantised` say where the table came
from; the promise does not depend on them.

Only the standard library is used, here and in the four small files this one imports.
"""

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from discreet import files
from discreet.certify import table as exactly
from discreet.certify.table import IntegerRow, Table
from discreet.domain import Counts, Cycle, Domain
from discreet.errors import CertificateError, DiscreetError
from discreet.exact import PRECISION, Epsilon, exp_lower, text

FORMAT = "discreet-certificate"
VERSION = 1
BITS = range(8, 63)
MOST_BYTES = 1 << 26
MOST_WEIGHTS = 1 << 22
MOST_WORK = 1 << 26
MOST_DESIGN = 1 << 18
_KEYS = {
    "bits", "design", "digest", "domain", "format", "guarantee", "interior",
    "neighbours", "properties", "quantised", "rows", "utility", "version",
}  # fmt: skip


class Guarantee(NamedTuple):
    """(epsilon, delta) of a table: epsilon as given, a rational E <= e**epsilon, and delta at E exactly."""

    epsilon: int | float | Fraction
    exp_epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True)
class Certificate:
    """A certificate all of whose claims hold; only `check` makes one."""

    document: dict[str, Any]
    table: Table
    epsilon: Epsilon
    guarantee: Guarantee
    properties: frozenset[str]
    utility: dict[str, tuple[Fraction, Fraction]]

    @property
    def digest(self) -> str:
        """sha256:... of everything in the document."""
        return str(self.document["digest"])


def verify(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate and return it if every claim holds.

    Raises
    ------
    CertificateError
        The file cannot be read, is not in canonical form, or a claim fails. `failures` lists every one.
    """
    try:
        return _check_bytes(_read(path))
    except CertificateError as error:
        raise CertificateError(f"{path!s}: {error}", error.failures) from None


def check(document: dict[str, Any]) -> Certificate:
    """The same for a document in memory: every claim is recomputed, whoever made it."""
    return _check_bytes(canonical(document))


def canonical(document: dict[str, Any]) -> bytes:
    """The one way to write a document down."""
    try:
        written = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise CertificateError(f"the certificate cannot be written as JSON: {error}") from None
    return written.encode("ascii") + b"\n"


def digest(document: dict[str, Any]) -> str:
    """SHA-256 of the canonical form of everything but the digest itself."""
    rest = {key: value for key, value in document.items() if key != "digest"}
    return "sha256:" + hashlib.sha256(canonical(rest)).hexdigest()


def _read(path: str | os.PathLike[str]) -> bytes:
    try:
        with files.open_file(path) as file:
            data = file.read(MOST_BYTES + 1)
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
    delta, where = exactly.delta(table, epsilon.exp)
    if delta != claimed:
        at = exactly.broken_step(table, epsilon.exp) if claimed == 0 else where
        failures.append(f"delta: the file says {text(claimed)}, the weights give {float(delta):.6g} ({at})")
    held = exactly.properties(table)
    for name in document["properties"]:
        if name not in held:
            failures.append(f"property {name}: claimed, but the weights do not have it")
    utility = exactly.utility(table)
    written = {name: [text(value) for value in values] for name, values in utility.items()}
    for name in sorted(written.keys() | document["utility"].keys()):
        if written.get(name) != document["utility"].get(name):
            failures.append(
                f"{name!r}: the file says {document['utility'].get(name)!r:.200}, the weights give {written.get(name)}"
            )
    if failures:
        raise _failed(failures)
    guarantee = Guarantee(epsilon.number, epsilon.exp, delta)
    return Certificate(document, table, epsilon, guarantee, frozenset(document["properties"]), utility)


def _failed(failures: list[str]) -> CertificateError:
    count = "1 check fails" if len(failures) == 1 else f"{len(failures)} checks fail"
    return CertificateError(f"not a valid certificate, {count}:\n- " + "\n- ".join(failures), tuple(failures))


def _parse(data: bytes) -> dict[str, Any]:
    """JSON to a document with the right keys and types; duplicate keys, floats and NaN are refused."""

    def unique(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) != len(items):
            raise CertificateError("a key occurs twice in one JSON object")
        return found

    def no_float(number: str) -> None:
        raise CertificateError(f"the number {number[:40]} is not an integer; a certificate holds no floats")

    try:
        document: dict[str, Any] = json.loads(
            data.decode("ascii"), object_pairs_hook=unique, parse_float=no_float, parse_constant=no_float
        )
    except CertificateError:
        raise
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"is not a certificate: it is not JSON text, or was cut short ({error})") from None
    _need(isinstance(document, dict) and document.get("format") == FORMAT, "format", f"'{FORMAT}'")
    version = document.get("version")
    _need(_is_int(version) and version == VERSION, "version", f"{VERSION}; a newer Discreet may read it")
    _need(document.keys() == _KEYS, "the keys", ", ".join(sorted(_KEYS)))
    _need(_is_int(document["bits"]) and document["bits"] in BITS, "bits", "an integer from 8 to 62")
    for key in ("design", "quantised", "utility", "guarantee", "domain"):
        _need(isinstance(document[key], dict), key, "an object")
    claims = document["properties"]
    known = isinstance(claims, list) and all(isinstance(name, str) and name in exactly.PROPERTIES for name in claims)
    _need(known and claims == sorted(set(claims)), "properties", "a sorted list of names")
    size = len(canonical({key: document[key] for key in ("design", "quantised", "utility")}))
    _need(size <= MOST_DESIGN, "design", f"at most {MOST_DESIGN} bytes")
    return document


def _table(document: dict[str, Any]) -> Table:
    """The table, its shape checked: rows that fit the domain, sizes within limits."""
    domain = _domain(document["domain"])
    neighbours = _neighbours(document["neighbours"], domain)
    for key in ("rows", "interior"):
        rows = document[key]
        _need(isinstance(rows, list) and all(isinstance(row, dict) for row in rows), key, "a list of rows")
        for row in rows:
            _need(
                row.keys() == {"first", "weights"} and isinstance(row["weights"], list),
                key,
                "rows with first and weights",
            )
    size = sum(len(row["weights"]) for row in document["rows"] + document["interior"])
    _need(size <= MOST_WEIGHTS, "the number of weights", f"at most {MOST_WEIGHTS}")
    rows = tuple(_row(row, f"rows[{place}]") for place, row in enumerate(document["rows"]))
    interior = tuple(_row(row, f"interior[{place}]") for place, row in enumerate(document["interior"]))
    if isinstance(domain, Cycle):
        fits = not rows and len(interior) == 1 and interior[0].first == 0 and len(interior[0].weights) == domain.size
    elif domain.size is None:
        fits = bool(interior)
    else:
        fits = len(rows) < domain.size if interior else len(rows) == domain.size
    _need(fits, "the rows", "rows for every value of the domain, and no others")
    table = Table(document["bits"], domain, neighbours, rows, interior)
    _need(_work(table) <= MOST_WORK, "the table", f"one that takes at most {MOST_WORK} comparisons to check")
    return table


def _work(table: Table) -> int:
    """How many weights the check of delta compares: widths and offsets are a stranger's, so they are bounded first."""
    if isinstance(table.domain, Cycle):
        return table.domain.size * len(table.neighbours)
    lower = table.domain.lower
    noise = [(row.first - lower - place, len(row.weights)) for place, row in enumerate(table.rows)]
    noise += [(row.first, len(row.weights)) for row in table.interior]
    first, last = min(first for first, _ in noise), max(first + length for first, length in noise)
    _need(max(-first, last) <= MOST_WEIGHTS, "the noise", f"outputs within {MOST_WEIGHTS} of the count")
    rows = len(noise) + len(exactly.far_counts(table))
    return rows * len(table.neighbours) * (last - first + len(table.neighbours))


def _domain(given: dict[str, Any]) -> Domain:
    try:
        if given.get("kind") == "counts" and given.keys() == {"kind", "lower", "upper"}:
            return Counts(given["lower"], given["upper"])
        if given.get("kind") == "cycle" and given.keys() == {"kind", "shape"} and isinstance(given["shape"], list):
            return Cycle(given["shape"])
    except DiscreetError as error:
        raise CertificateError(f"domain: {error}") from None
    raise CertificateError("domain: expected counts with lower and upper, or a cycle with a shape")


def _neighbours(given: Any, domain: Domain) -> tuple[Any, ...]:
    _need(isinstance(given, list) and 0 < len(given) <= MOST_WEIGHTS, "neighbours", "a list")
    flat = [tuple(item) if isinstance(item, list) else item for item in given]
    parts = [part for item in flat for part in (item if isinstance(item, tuple) else (item,))]
    _need(all(map(_is_int, parts)), "neighbours", "integers")
    try:
        meant = domain.neighbours(flat)
    except (DiscreetError, TypeError) as error:
        raise CertificateError(f"neighbours: {error}") from None
    _need(list(meant) == flat, "neighbours", "distances 1..k, or differences closed under negation, in order")
    return meant


def _row(given: dict[str, Any], name: str) -> IntegerRow:
    weights = given["weights"]
    _need(_is_int(given["first"]) and abs(given["first"]) < 1 << 62, f"{name}.first", "an integer")
    _need(bool(weights) and all(map(_is_decimal, weights)), name, "weights as decimal text")
    return IntegerRow(given["first"], tuple(map(int, weights)))


def _row_failures(table: Table) -> list[str]:
    failures = []
    named: list[tuple[Callable[[int], str], tuple[IntegerRow, ...]]] = [
        (lambda place: f"the row of count {table.start - len(table.rows) + place}", table.rows),
        (lambda place: f"interior row {place}", table.interior),
    ] if isinstance(table.domain, Counts) else [(lambda place: "the noise", table.interior)]  # fmt: skip
    for name, rows in named:
        for place, row in enumerate(rows):
            if sum(row.weights) != table.total:
                failures.append(
                    f"{name(place)}: its weights sum to {sum(row.weights)}, not 2**{table.bits} = {table.total}"
                )
    return failures


def _guarantee(given: dict[str, Any], failures: list[str]) -> tuple[Epsilon, Fraction]:
    parameter = "alpha" if "alpha" in given else "epsilon"
    _need(given.keys() == {parameter, "exp_epsilon", "delta"}, "guarantee", "epsilon or alpha, exp_epsilon and delta")
    stated, bound, delta = (_fraction(given[key], f"guarantee.{key}") for key in (parameter, "exp_epsilon", "delta"))
    try:
        epsilon = Epsilon.of(**{parameter: stated})
    except DiscreetError as error:
        raise CertificateError(f"guarantee: {error}") from None
    if bound <= 1:
        raise CertificateError(f"guarantee.exp_epsilon is {given['exp_epsilon'][:60]!r}; expected a fraction above 1")
    if parameter == "alpha" and bound != epsilon.exp:
        failures.append(f"exp_epsilon: the file says {text(bound)[:60]}, 1/alpha is {text(epsilon.exp)[:60]}")
    if epsilon.exponent is not None and bound > exp_lower(epsilon.exponent, 2 * PRECISION):
        failures.append(f"exp_epsilon: {given['exp_epsilon'][:60]} is not proved to be at most e**{text(stated)}")
    return Epsilon(epsilon.exponent, bound), delta


def _fraction(given: Any, name: str) -> Fraction:
    """Exact text back to a fraction; only the shortest spelling counts."""
    if isinstance(given, str) and len(given) <= 4000 and set(given) <= set("0123456789./"):
        try:
            value = Fraction(given)
        except (ValueError, ZeroDivisionError):
            value = Fraction(-1)
        if value >= 0 and text(value) == given:
            return value
    raise CertificateError(
        f"{name} is {str(given)[:60]!r}; expected a non-negative integer, decimal or fraction as text"
    )


def _is_decimal(value: object) -> bool:
    return (
        isinstance(value, str)
        and value.isascii()
        and value.isdecimal()
        and len(value) <= 19
        and str(int(value)) == value
    )


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _need(holds: bool, name: str, expected: str) -> None:
    if not holds:
        raise CertificateError(f"{name}: expected {expected}")
