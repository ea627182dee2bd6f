"""What is decided before a row is read: the groupings, the perturbation table, and what one person may lose in all.

It sees the specification only, so nothing here depends on the data.
"""

import warnings
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

import discreet
from discreet.account.compose import compose
from discreet.account.profile import profile
from discreet.certify.ptable import PTable, load
from discreet.domain import Counts
from discreet.errors import ParameterError, PrecisionWarning, ReleaseError, SpecError
from discreet.exact import Epsilon, exact
from discreet.release import cells, keys
from discreet.release.codebook import resolve
from discreet.release.spec import ReleaseSpec

MOST_KEY_BITS = 32


@dataclass(frozen=True)
class Promise:
    """What one person may lose in all: an upper bound."""

    epsilon: str
    delta: float
    floor: float


def unpromised(asked: ReleaseSpec) -> str | None:
    """Why nothing is promised for a release as a whole; None where something is."""
    return spoiled(asked) or ("contributor keys do not compose" if asked.key == "contributors" else None)


def spoiled(asked: ReleaseSpec) -> str | None:
    """Why nothing is promised even for one count, read alone; None where its certificate holds."""
    if asked.record_keys is not None:
        return "the record keys came with the data"
    if any(asked.dimensions[name].from_data for name in asked.used):
        return "categories were taken from the data"
    return None


def alone(asked: ReleaseSpec, ptable: PTable) -> Fraction | None:
    """Delta of one count, read alone, at the certificate's epsilon; None where nothing is promised.

    It is the certificate's own where a person is in it with one row at most, else an upper bound.
    """
    if spoiled(asked) is not None:
        return None
    epsilon, _, delta = ptable.guarantee
    if asked.unit.contributions == 1 and asked.key != "contributors":
        return delta
    bound = alone_at(asked, ptable, np.array([float(epsilon) * (1 - 2.0**-50)]))
    return max(delta, Fraction(float(bound[0])))


def alone_at(asked: ReleaseSpec, ptable: PTable, epsilons: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """An upper bound of delta of one count, read alone, at every epsilon.

    All rows of a person may be in it, and the chances of contributor keys are a little uneven.
    """
    bound = np.zeros(len(epsilons))
    for rows in range(asked.unit.contributions):
        bound = np.maximum(bound, profile(ptable, rows + 1).delta(epsilons))
    if asked.key == "contributors":
        bound += (1 + np.exp(epsilons)) * float(keys.unevenness(ptable.bits)) * (1 + 1e-9)
    return np.minimum(bound, 1)


def layout_of(asked: ReleaseSpec) -> cells.Layout:
    """The groupings of a specification."""
    return cells.layout(asked, {name: resolve(name, given) for name, given in asked.dimensions.items()})


def table_of(asked: ReleaseSpec, touches: int) -> PTable:
    """The perturbation table: a certificate, a design by name, or the adviser's best."""
    bits = asked.bits or (32 if asked.key == "contributors" else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        ptable = _table(asked, touches, bits)
    if not isinstance(ptable.domain, Counts) or ptable.domain.lower:
        raise SpecError(
            "the design is not one for counts from 0 on; give geometric, maxent, gaussian or another", ("design",)
        )
    if asked.key == "contributors" and asked.record_keys is None and ptable.bits not in keys.PRIMES:
        raise SpecError(f"the table has {ptable.bits} bits; contributor keys have 8, 16 or 32: give bits", ("bits",))
    if asked.record_keys is not None and ptable.bits > MOST_KEY_BITS:
        raise SpecError(
            f"the table has {ptable.bits} bits; record keys that came with the data have {MOST_KEY_BITS} at most",
            ("bits",),
        )
    return ptable


def _table(asked: ReleaseSpec, touches: int, bits: int | None) -> PTable:
    if asked.design is None:
        assert asked.budget is not None
        if exact(asked.budget.delta, "delta") == 0:
            raise SpecError(
                "delta is 0, and noise on counts without end always has a little; give delta, for example 1e-9",
                ("budget",),
            )
        found = discreet.design.advise(
            epsilon=asked.budget.epsilon,
            delta=asked.budget.delta,
            cells=touches,
            contributions=asked.unit.contributions,
            bits=bits,
        )
        return found[0].ptable
    given = dict(asked.design)
    if "certificate" in given:
        return load(given["certificate"])
    name = given.pop("name", None)
    make = getattr(discreet.design, str(name), None)
    if name not in discreet.design.__all__ or name in ("Advice", "advise") or make is None:
        raise SpecError(
            f"the design is {name!r}; give the name of a design, such as geometric, or {{certificate: FILE}}",
            ("design",),
        )
    at = given.pop("certify_at", None)
    try:
        return PTable(make(**given).certify(at, bits or 32).certificate)
    except TypeError as error:
        raise SpecError(
            f"the design {name} does not take these parameters ({error}); see: discreet design {name} --help",
            ("design",),
        ) from None
    except ParameterError as error:
        raise SpecError(str(error), ("design",)) from None


def promise_of(asked: ReleaseSpec, ptable: PTable, touches: int) -> Promise | None:
    """The composed guarantee, refused where it exceeds the budget."""
    if unpromised(asked) is not None:
        return None
    assert asked.budget is not None
    rows = asked.unit.contributions
    epsilon, delta = Epsilon.of(asked.budget.epsilon), exact(asked.budget.delta, "delta")
    together = compose(ptable, touches, contributions=rows if rows > 1 else None)
    bound = together.delta(float(epsilon) * (1 - 2.0**-50))
    own = ptable.guarantee
    if rows == 1 and epsilon.exponent is not None:  # added up cell by cell, exactly
        alone = touches * ptable.delta(epsilon.exponent / touches)
        bound = min(bound, float(np.nextafter(float(alone), 1)) if alone else 0.0)
    if bound > delta:
        raise ReleaseError(
            f"the budget is epsilon {asked.budget.epsilon} and delta {asked.budget.delta}; with this design (epsilon"
            f" {own.epsilon} a cell) one person in {touches} cells may lose delta {bound:.3g} there, and"
            f" {together.floor:.3g} at any epsilon: publish fewer margins, take a noisier design, or leave it to the"
            " adviser"
        )
    return Promise(asked.budget.epsilon, bound, together.floor)
