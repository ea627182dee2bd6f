"""Issue a certificate: quantise, write the claims down, and let `verify` check them before anyone sees them.

A `PTable` holds a `Certificate`, which only `verify` makes, so what is sampled is always what was certified.
"""

import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from discreet.certify import table as exactly
from discreet.certify import verify
from discreet.certify.ptable import PTable
from discreet.certify.quantise import Quantised, asked, quantise
from discreet.certify.table import IntegerRow
from discreet.domain import Counts, Domain
from discreet.errors import CertifyError, EpsilonError, PrecisionWarning
from discreet.exact import Epsilon, Number, is_integer, text

if TYPE_CHECKING:
    from discreet.mechanism import Mechanism

FAR = 0.01
"""Total variation between integers and design above which a warning says so."""

_OTHER_BITS = (10, 12, 16, 20, 24, 28, 32, 40, 48, 56, 62)


def certify(mechanism: "Mechanism", epsilon: Number | None = None, bits: int = 32) -> PTable:
    """The perturbation table of a mechanism at epsilon, the design's own unless given."""
    if not is_integer(bits) or int(bits) not in verify.BITS:
        raise CertifyError(f"bits is {bits!r}; give an integer from 8 to 62 (32 suits most tables)")
    bits = int(bits)
    at = _epsilon(mechanism, epsilon)
    quantised = quantise(mechanism, at, bits)
    if quantised is None:
        raise CertifyError(_refusal(mechanism, at, bits))
    if quantised.distance > FAR:
        better = _enough(mechanism, at, bits, lambda found: found.distance <= FAR)
        remedy = f"bits={better} is closer" if better else "no bits are closer"
        warnings.warn(
            f"at {bits} bits the integers keep their promise, but differ from the design by {quantised.distance:.1%}"
            f" in total variation: {remedy}",
            PrecisionWarning,
            stacklevel=3,
        )
    wanted = asked(mechanism, at)
    if wanted and quantised.delta > wanted:
        better = _enough(mechanism, at, bits, lambda found: found.delta <= wanted)
        remedy = f"bits={better} keeps it" if better else "no bits keep it"
        warnings.warn(
            f"at {bits} bits delta is {float(quantised.delta):.4g}, above the {float(wanted):.4g} asked for: {remedy}",
            PrecisionWarning,
            stacklevel=3,
        )
    return PTable(verify.check(_document(mechanism, at, quantised)))


def _epsilon(mechanism: "Mechanism", epsilon: Number | None) -> Epsilon:
    if epsilon is not None:
        return Epsilon.of(epsilon)
    own = {name: mechanism.design[name] for name in ("epsilon", "alpha") if mechanism.design.get(name) is not None}
    if not own:
        raise EpsilonError(
            f"the design {mechanism.design.get('name')!r} has no epsilon of its own; give certify(epsilon=...)"
        )
    return Epsilon.of(**own)


def _refusal(mechanism: "Mechanism", at: Epsilon, bits: int) -> str:
    name = mechanism.design.get("name", "mechanism")
    enough = _enough(mechanism, at, bits)
    remedy = (
        f"bits={enough} would do"
        if enough
        else "no number of bits up to 62 would do: choose a larger epsilon or a smaller support"
    )
    asked = f"{name} cannot be certified at epsilon {at} with {bits} bits"
    return f"{asked}: its smallest steps are lost in rounding; {remedy}"


def _enough(
    mechanism: "Mechanism", at: Epsilon, bits: int, good: Callable[[Quantised], bool] = lambda _: True
) -> int | None:
    """More bits at which there is a table, and a good one."""
    for more in _OTHER_BITS:
        if more > bits and (found := quantise(mechanism, at, more)) is not None and good(found):
            return more
    return None


def _document(mechanism: "Mechanism", at: Epsilon, quantised: Quantised) -> dict[str, Any]:
    table = quantised.table
    document = {
        "format": verify.FORMAT,
        "version": verify.VERSION,
        "bits": table.bits,
        "domain": _domain(table.domain),
        "neighbours": [list(d) if isinstance(d, tuple) else d for d in table.neighbours],
        "rows": [_row(row) for row in table.rows],
        "interior": [_row(row) for row in table.interior],
        "guarantee": {**at.parameters, "exp_epsilon": text(at.exp), "delta": text(quantised.delta)},
        "properties": sorted(exactly.properties(table)),
        "utility": {name: [text(value) for value in values] for name, values in exactly.utility(table).items()},
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
    """A design's parameter as JSON that holds no float."""
    if isinstance(value, Fraction):
        return text(value)
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
