"""Issue a certificate: quantise, write the claims down, and let `verify` check the claims before anyone sees them.

A `PTable` holds a `Certificate`, and only `verify` makes a `Certificate`. So every table that is sampled was certified.
"""

import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from discreet.certify import table as integer_table
from discreet.certify import verify
from discreet.certify.ptable import PTable
from discreet.certify.quantise import Quantised, quantise, requested_delta
from discreet.certify.table import IntegerRow
from discreet.domain import Counts, Domain
from discreet.errors import CertifyError, EpsilonError, PrecisionWarning
from discreet.exact import Epsilon, Number, is_integer, text

if TYPE_CHECKING:
    from discreet.mechanism import Mechanism

FAR = 0.01
"""A total variation distance between integers and design above this gives a warning."""

_MORE_BITS = (10, 12, 16, 20, 24, 28, 32, 40, 48, 56, 62)


def certify(mechanism: "Mechanism", epsilon: Number | None = None, bits: int = 32) -> PTable:
    """Return the certified perturbation table of a mechanism.

    Parameters
    ----------
    mechanism
        The mechanism to quantise.
    epsilon
        The epsilon of the guarantee. None: the design's own.
    bits
        Every row sums to 2**bits; 8 to 62.

    Returns
    -------
    PTable
        The table, all claims of its certificate checked.

    Raises
    ------
    CertifyError
        The mechanism does not fit into so many bits at this epsilon, or `bits` is out of range.
    EpsilonError
        `epsilon` is None and the design has no epsilon.

    Warns
    -----
    PrecisionWarning
        The integers are far from the design, or their delta is above the delta that the design was made for.
    """
    if not is_integer(bits) or int(bits) not in verify.BITS:
        raise CertifyError(f"bits is {bits!r}; give an integer from 8 to 62 (32 suits most tables)")
    bits = int(bits)
    certified_epsilon = _epsilon(mechanism, epsilon)
    quantised = quantise(mechanism, certified_epsilon, bits)
    if quantised is None:
        raise CertifyError(_refusal(mechanism, certified_epsilon, bits))
    for warning in _warnings(mechanism, certified_epsilon, quantised):
        warnings.warn(warning, PrecisionWarning, stacklevel=3)
    return PTable(verify.check(_document(mechanism, certified_epsilon, quantised)))


def _epsilon(mechanism: "Mechanism", epsilon: Number | None) -> Epsilon:
    if epsilon is not None:
        return Epsilon.of(epsilon)
    own = {name: mechanism.design[name] for name in ("epsilon", "alpha") if mechanism.design.get(name) is not None}
    if not own:
        raise EpsilonError(
            f"the design {mechanism.design.get('name')!r} has no epsilon of its own; give certify(epsilon=...)"
        )
    return Epsilon.of(**own)


def _warnings(mechanism: "Mechanism", epsilon: Epsilon, quantised: Quantised) -> Iterator[str]:
    """Yield a message if the integers are far from the design, and one if delta is above the requested delta."""
    bits = quantised.table.bits
    if quantised.distance > FAR:
        better = _enough_bits(mechanism, epsilon, bits, lambda other: other.distance <= FAR)
        remedy = f"bits={better} is closer" if better else "no bits are closer"
        yield (
            f"at {bits} bits the integers keep their promise, but differ from the design by {quantised.distance:.1%}"
            f" in total variation: {remedy}"
        )
    requested = requested_delta(mechanism, epsilon)
    if requested and quantised.delta > requested:
        better = _enough_bits(mechanism, epsilon, bits, lambda other: other.delta <= requested)
        remedy = f"bits={better} keeps it" if better else "no bits keep it"
        delta = f"delta is {float(quantised.delta):.4g}, above the {float(requested):.4g} asked for"
        yield f"at {bits} bits {delta}: {remedy}"


def _refusal(mechanism: "Mechanism", epsilon: Epsilon, bits: int) -> str:
    name = mechanism.design.get("name", "mechanism")
    enough = _enough_bits(mechanism, epsilon, bits)
    remedy = (
        f"bits={enough} would do"
        if enough
        else "no number of bits up to 62 would do: choose a larger epsilon or a smaller support"
    )
    return (
        f"{name} cannot be certified at epsilon {epsilon} with {bits} bits: its smallest steps are lost in rounding;"
        f" {remedy}"
    )


def _enough_bits(
    mechanism: "Mechanism", epsilon: Epsilon, bits: int, is_good: Callable[[Quantised], bool] = lambda _: True
) -> int | None:
    """Return a larger number of bits at which there is a good table; None if there is none."""
    for more in _MORE_BITS:
        if more > bits and (quantised := quantise(mechanism, epsilon, more)) is not None and is_good(quantised):
            return more
    return None


def _document(mechanism: "Mechanism", epsilon: Epsilon, quantised: Quantised) -> dict[str, Any]:
    table = quantised.table
    document = {
        "format": verify.FORMAT,
        "version": verify.VERSION,
        "bits": table.bits,
        "domain": _domain(table.domain),
        "neighbours": [list(d) if isinstance(d, tuple) else d for d in table.neighbours],
        "rows": [_row(row) for row in table.rows],
        "interior": [_row(row) for row in table.interior],
        "guarantee": {**epsilon.parameters, "exp_epsilon": text(epsilon.exp), "delta": text(quantised.delta)},
        "properties": sorted(integer_table.properties(table)),
        "utility": {name: [text(value) for value in values] for name, values in integer_table.utility(table).items()},
        "design": {key: _plain(value) for key, value in mechanism.design.items()},
        "quantised": {
            "method": quantised.method,
            "design_delta": repr(quantised.design_delta),
            "distance": repr(quantised.distance),
        },
    }
    return document | {"digest": verify.digest(document)}


def _domain(domain: Domain) -> dict[str, Any]:
    if isinstance(domain, Counts):
        return {"kind": "counts", "lower": domain.lower, "upper": domain.upper}
    return {"kind": "cycle", "shape": list(domain.shape)}


def _row(row: IntegerRow) -> dict[str, Any]:
    return {"first": row.first, "weights": [str(weight) for weight in row.weights]}


def _plain(value: Any) -> Any:
    """Return a design's parameter as JSON without floats."""
    if isinstance(value, Fraction):
        return text(value)
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
