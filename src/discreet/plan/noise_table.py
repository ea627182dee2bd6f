"""The perturbation table of a release: from a certificate, from a design by name, or from the adviser."""

import warnings
from collections.abc import Iterator
from inspect import signature
from typing import Any, NamedTuple

from discreet.certify.ptable import PTable, load
from discreet.design import registry
from discreet.domain import Counts
from discreet.errors import ParameterError, PrecisionWarning, SpecError
from discreet.exact import exact
from discreet.plan import contributor_keys
from discreet.plan.spec import ReleaseSpec


class Noise(NamedTuple):
    """A certified table of noise, and the reason why it was chosen, in words."""

    ptable: PTable
    reason: str


def choose_noise(spec: ReleaseSpec, touches: int) -> Noise:
    """Return the certified table of noise for a specification, and why it was chosen.

    Parameters
    ----------
    spec
        The specification.
    touches
        Number of times that one person's loss is composed.

    Raises
    ------
    SpecError
        The design cannot be made, is not for counts, contradicts the specification, or does not fit the keys.
    """
    bits = spec.bits or (32 if spec.key == "contributors" else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        noise = _noise(spec, touches, bits)
    require_fit(spec, noise.ptable)
    for contradiction in contradictions(spec, noise.ptable):
        raise SpecError(f"{contradiction}; leave it out of the specification, or correct it", ("design",))
    return noise


def require_fit(spec: ReleaseSpec, ptable: PTable) -> None:
    """Raise SpecError if a table is not for counts, or its bits do not fit the keys."""
    if not isinstance(ptable.domain, Counts) or ptable.domain.lower:
        raise SpecError("the design is not for counts from 0 on; give another design, such as geometric", ("design",))
    if spec.key == "contributors" and ptable.bits not in contributor_keys.BITS:
        raise SpecError(
            f"the table has {ptable.bits} bits; contributor keys have 8 to 32 bits: give bits in this range", ("bits",)
        )


def _noise(spec: ReleaseSpec, touches: int, bits: int | None) -> Noise:
    if spec.design is None:
        return _advised_noise(spec, touches, bits)
    parameters = dict(spec.design)
    if "certificate" in parameters:
        return Noise(load(parameters["certificate"]), "the specification names its certificate")
    name = parameters.pop("name", None)
    if name not in registry.MODULES:
        raise SpecError(
            f"the design is {name!r}; give the name of a design, such as geometric, or {{certificate: FILE}}",
            ("design",),
        )
    epsilon = parameters.pop("certify_at", None)
    try:
        ptable = PTable(registry.design(name)(**parameters).certify(epsilon, bits or 32).certificate)
    except TypeError as error:
        raise SpecError(
            f"the design {name} refuses these parameters ({error}); see: discreet design {name} --help",
            ("design",),
        ) from None
    except ParameterError as error:
        raise SpecError(str(error), ("design",)) from None
    return Noise(ptable, "the specification names this design")


def _advised_noise(spec: ReleaseSpec, touches: int, bits: int | None) -> Noise:
    """Return the adviser's best table for the budget."""
    assert spec.budget is not None
    if exact(spec.budget.delta, "delta") == 0:
        raise SpecError(
            "delta is 0, and unbounded counts need delta > 0, because the noise must end somewhere; give delta, for"
            " example 1e-9",
            ("budget",),
        )
    from discreet.plan.adviser import best_advice  # loads all designs, and only releases without a design need them

    advice = best_advice(
        epsilon=spec.budget.epsilon,
        delta=spec.budget.delta,
        cells=touches,
        contributions=spec.unit.contributions,
        bits=bits,
    )
    return Noise(advice.ptable, f"the adviser's choice: {advice.reason}")


def contradictions(spec: ReleaseSpec, ptable: PTable) -> Iterator[str]:
    """Yield one line for each statement of a specification that differs from the certificate of its table.

    A certificate holds the parameters of its design. Some of them were computed, so only numbers and words that both
    the specification and the certificate state are compared. Noise may end before the support of the specification.
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
    """Return True unless a number or word of the specification differs from the recorded one."""
    if parameter not in recorded and parameter not in ("epsilon", "alpha"):  # a certificate has one of these two
        return True
    certified = recorded.get(parameter)
    if value is None or isinstance(value, (list, dict)) or isinstance(certified, (list, dict)) or value == certified:
        return True
    try:
        stated, actual = exact(value, parameter), exact(certified, parameter)  # type: ignore[arg-type]
    except ParameterError:
        return False
    return actual <= stated if parameter == "support" else actual == stated
