"""The perturbation table of a release: a certificate, a design by name, or the adviser's best."""

import warnings
from collections.abc import Iterator
from inspect import signature
from typing import Any

from discreet.certify.ptable import PTable, load
from discreet.design import registry
from discreet.domain import Counts
from discreet.errors import ParameterError, PrecisionWarning, SpecError
from discreet.exact import exact
from discreet.plan.contributor_keys import PRIMES
from discreet.plan.spec import ReleaseSpec

MOST_KEY_BITS = 32


def noise_table(spec: ReleaseSpec, touches: int) -> PTable:
    """Return the certified table of noise that a specification asks for.

    Raises
    ------
    SpecError
        The design cannot be made, is not one for counts, contradicts the specification, or does not fit the keys.
    """
    bits = spec.bits or (32 if spec.key == "contributors" else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        ptable = _table(spec, touches, bits)
    require_fit(spec, ptable)
    for contradiction in contradictions(spec, ptable):
        raise SpecError(f"{contradiction}; leave it out, or give a design that has it", ("design",))
    return ptable


def require_fit(spec: ReleaseSpec, ptable: PTable) -> None:
    """Raise SpecError if a table is not one for counts, or has not the bits that the keys need."""
    if not isinstance(ptable.domain, Counts) or ptable.domain.lower:
        raise SpecError(
            "the design is not one for counts from 0 on; give geometric, maxent, gaussian or another", ("design",)
        )
    if spec.key == "contributors" and spec.record_keys is None and ptable.bits not in PRIMES:
        raise SpecError(f"the table has {ptable.bits} bits; contributor keys have 8, 16 or 32: give bits", ("bits",))
    if spec.record_keys is not None and ptable.bits > MOST_KEY_BITS:
        raise SpecError(
            f"the table has {ptable.bits} bits; record keys that came with the data have {MOST_KEY_BITS} at most",
            ("bits",),
        )


def _table(spec: ReleaseSpec, touches: int, bits: int | None) -> PTable:
    if spec.design is None:
        assert spec.budget is not None
        if exact(spec.budget.delta, "delta") == 0:
            raise SpecError(
                "delta is 0, and unbounded counts need delta > 0, because the noise must end somewhere; give delta, for"
                " example 1e-9",
                ("budget",),
            )
        from discreet.plan.adviser import advise  # loads all designs: for releases that name none

        advice = advise(
            epsilon=spec.budget.epsilon,
            delta=spec.budget.delta,
            cells=touches,
            contributions=spec.unit.contributions,
            bits=bits,
        )
        return advice[0].ptable
    parameters = dict(spec.design)
    if "certificate" in parameters:
        return load(parameters["certificate"])
    name = parameters.pop("name", None)
    if name not in registry.MODULES:
        raise SpecError(
            f"the design is {name!r}; give the name of a design, such as geometric, or {{certificate: FILE}}",
            ("design",),
        )
    epsilon = parameters.pop("certify_at", None)
    try:
        return PTable(registry.design(name)(**parameters).certify(epsilon, bits or 32).certificate)
    except TypeError as error:
        raise SpecError(
            f"the design {name} does not take these parameters ({error}); see: discreet design {name} --help",
            ("design",),
        ) from None
    except ParameterError as error:
        raise SpecError(str(error), ("design",)) from None


def contradictions(spec: ReleaseSpec, ptable: PTable) -> Iterator[str]:
    """Yield one line for each statement of a specification that differs from the certificate of its table.

    A certificate holds the parameters of its design. Some of them were found rather than given, so only parameters that
    both have are compared, if they are numbers or words. Noise may end before the support that was asked for.
    """
    if spec.bits is not None and spec.bits != ptable.bits:
        yield f"bits is {spec.bits}, and the certificate's table has {ptable.bits}"
    if spec.design is None or "certificate" in spec.design:
        return
    recorded: dict[str, Any] = {**ptable.design, "certify_at": ptable.certificate.epsilon.exponent}
    name = recorded.get("name")
    if spec.design.get("name") != name or name not in registry.MODULES:
        yield f"the design is {spec.design.get('name')!r:.80}, and the certificate's {name!r:.80}"
        return
    known = {"name", "certify_at", *signature(registry.design(name)).parameters}
    for parameter, value in spec.design.items():
        if parameter not in known:
            yield f"the design {name} has no parameter {parameter!r:.80}"
        elif not _agree(parameter, value, recorded):
            yield f"the design's {parameter} is {value!r:.80}, and the certificate's {recorded.get(parameter)!s:.80}"


def _agree(parameter: str, value: Any, recorded: dict[str, Any]) -> bool:
    if parameter not in recorded and parameter not in ("epsilon", "alpha"):  # a certificate has one of these two
        return True
    certified = recorded.get(parameter)
    if value is None or isinstance(value, (list, dict)) or isinstance(certified, (list, dict)) or value == certified:
        return True
    try:
        wanted, actual = exact(value, parameter), exact(certified, parameter)  # type: ignore[arg-type]
    except ParameterError:
        return False
    return actual <= wanted if parameter == "support" else actual == wanted
