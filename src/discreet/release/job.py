"""The release: from a specification to a folder that can be published as it is.

    specification -> groupings, touches -> design, composition, budget -> rows counted once -> measurements -> tables

Everything up to the budget sees the specification only. Whatever fails, fails before the folder exists.
"""

import os
import platform
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import discreet
from discreet import files
from discreet.account.compose import compose
from discreet.certify import verify
from discreet.certify.ptable import PTable, load
from discreet.domain import Counts
from discreet.errors import ParameterError, PrecisionWarning, ReleaseError, SpecError
from discreet.exact import Epsilon, exact, text
from discreet.release import cells, keys, measure, output, secrets, tabulate
from discreet.release import spec as specification
from discreet.release.account import Account
from discreet.release.codebook import resolve
from discreet.release.engines import Engine, Plan, open_engine
from discreet.release.spec import ReleaseSpec
from discreet.report.page import page

FORMAT, VERSION = "discreet release", 1

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Promise:
    """What one person may lose in all: an upper bound. None where guarantees do not compose."""

    epsilon: str
    delta: float
    floor: float


@dataclass(frozen=True)
class Release:
    """A published folder.

    Attributes
    ----------
    measurements
        The unclamped noisy integers of every grouping, in the order of the manifest.
    """

    folder: Path
    spec: ReleaseSpec
    ptable: PTable
    touches: int
    promise: Promise | None
    measurements: tuple[npt.NDArray[np.int64], ...]
    manifest: Mapping[str, Any]


def run(spec: Any, output: str | os.PathLike[str], *, progress: Progress | None = None) -> Release:
    """Make a release.

    Parameters
    ----------
    spec
        A path, a dict or a ReleaseSpec.
    output
        The folder to leave; it must not exist.
    progress
        Called with what is being done.

    Raises
    ------
    DiscreetError
        A mistake in the specification, a source that cannot be read, a budget that does not suffice, a folder that
        exists; no folder is left then.
    """
    tell = progress or (lambda _: None)
    files.free(output)
    asked = specification.load(spec)
    tell("reading the specification")
    layout = layout_of(asked)
    touches = layout.touches()
    tell("choosing and certifying the design")
    ptable = table_of(asked, touches)
    promise = promise_of(asked, ptable, touches)
    secret = _secret(asked)
    account = Account.of(asked, layout, ptable, secret)
    plan = Plan(tuple(book.recode for book in layout.books), asked.unit.id)
    with account.holding():
        with open_engine(asked.source) as engine:
            plan.check(engine.columns())
            tell("counting")
            found = _leaves(engine, plan, asked, ptable, secret)
        counts, sums = measure.true_counts(layout, found)
        account.check(asked, layout, counts, secret)
        tell("measuring")
        account.spend()
        chosen = _keys(asked, layout, ptable, account.start, secret, counts, sums)
        values = measure.by_grouping(layout, measure.measure(ptable, counts, chosen))
    del counts, sums, found, chosen
    tell("writing")
    content, document = folder(asked, layout, ptable, touches, promise, values, secret, account.head())
    files.write_folder(output, content)
    account.complete()
    return Release(Path(output), asked, ptable, touches, promise, tuple(values), document)


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
        raise SpecError("the design is not one for counts from 0 on; give geometric, maxent, gaussian or another")
    if asked.key == "contributors" and ptable.bits not in keys.PRIMES:
        raise SpecError(f"the table has {ptable.bits} bits; contributor keys have 8, 16 or 32: give bits")
    return ptable


def _table(asked: ReleaseSpec, touches: int, bits: int | None) -> PTable:
    if asked.design is None:
        assert asked.budget is not None
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
            f"the design is {name!r}; give the name of a design, such as geometric, or {{certificate: FILE}}"
        )
    at = given.pop("certify_at", None)
    try:
        return PTable(make(**given).certify(at, bits or 32).certificate)
    except TypeError as error:
        raise SpecError(
            f"the design {name} does not take these parameters ({error}); see: discreet design {name} --help"
        ) from None


def promise_of(asked: ReleaseSpec, ptable: PTable, touches: int) -> Promise | None:
    """The composed guarantee, refused where it exceeds the budget."""
    if asked.budget is None:
        return None
    rows = asked.unit.contributions
    try:
        epsilon, delta = Epsilon.of(asked.budget.epsilon), exact(asked.budget.delta, "delta")
    except ParameterError as error:
        raise SpecError(f"budget: {error}") from None
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


def _secret(asked: ReleaseSpec) -> bytes:
    if asked.secret is None:
        return os.urandom(secrets.SIZE)
    return secrets.secret(asked.secret.file or f"env:{asked.secret.env}")


def _leaves(engine: Engine, plan: Plan, asked: ReleaseSpec, ptable: PTable, secret: bytes) -> tabulate.Leaves:
    rows = asked.unit.contributions
    if asked.key != "contributors":
        return tabulate.leaves(engine, plan, rows, secret)
    return tabulate.with_keys(engine, plan, rows, secret, asked.record_keys or (), _modulus(asked, ptable))


def _modulus(asked: ReleaseSpec, ptable: PTable) -> int:
    """Of contributor keys: a prime, or 2**bits for keys that came with the data."""
    return 1 << ptable.bits if asked.record_keys else keys.PRIMES[ptable.bits]


def _keys(
    asked: ReleaseSpec,
    layout: cells.Layout,
    ptable: PTable,
    start: bytes,
    secret: bytes,
    counts: npt.NDArray[np.int64],
    sums: list[npt.NDArray[np.uint64]],
) -> keys.Keys | None:
    if asked.key == "fresh":
        return None
    asking = keys.query(secret, start, layout.cells[0], ptable.bits)
    if asked.key == "query":
        return asking
    return keys.contributors(sums, counts, _modulus(asked, ptable), asking)


def public(asked: ReleaseSpec) -> dict[str, Any]:
    """The part of a specification that is published: nothing of where the data or the secret are."""
    return asked.model_dump(mode="json", exclude={"source", "secret", "ledger", "record_keys"}) | {
        "design": None if asked.design is None or "certificate" in asked.design else asked.design
    }


def folder(
    asked: ReleaseSpec,
    layout: cells.Layout,
    ptable: PTable,
    touches: int,
    promise: Promise | None,
    values: list[npt.NDArray[np.int64]],
    secret: bytes,
    ledger: dict[str, Any] | None,
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The files of a release, and its manifest."""
    counts = measure.clamped(values)
    content = {
        output.MEASUREMENTS: output.measurements(layout, values),
        **output.files(layout, counts, asked.outputs),
        output.REPORT: page(asked, layout, ptable, touches, promise, values, counts),
        output.CERTIFICATE: verify.canonical(ptable.certificate.document),
    }
    epsilon, _, delta = ptable.guarantee
    document = {
        "format": FORMAT,
        "version": VERSION,
        "spec": public(asked),
        "engine": next(iter(asked.source)),
        "key": {
            "kind": asked.key,
            "fingerprint": None if asked.secret is None else secrets.fingerprint(secret),
            "came_with_the_data": asked.record_keys is not None,
        },
        "groupings": output.groupings(layout, ptable.digest, asked.unit.contributions),
        "privacy": {
            "unit": "one row" if asked.unit.id is None else "one person",
            "contributions": asked.unit.contributions,
            "touches": touches,
            "cell": {"epsilon": str(epsilon), "delta": text(delta)},
            "composed": None
            if promise is None
            else {"epsilon": promise.epsilon, "delta": repr(promise.delta), "floor": repr(promise.floor)},
        },
        "ledger": ledger,
        "files": {name: output.digest(data) for name, data in sorted(content.items())},
        "software": {"discreet": discreet.__version__, "python": platform.python_version()},
    }
    return content | {output.MANIFEST: output.manifest(document)}, document
