"""The folder of a release: its files and its manifest, from what may be published and nothing else."""

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from inspect import signature
from typing import Any

import numpy as np
import numpy.typing as npt

import discreet
from discreet.certify import verify
from discreet.certify.ptable import PTable
from discreet.errors import ParameterError
from discreet.exact import exact, text
from discreet.release import additive, output
from discreet.release.cells import Layout
from discreet.release.promise import Promise, alone, unpromised
from discreet.release.spec import ReleaseSpec
from discreet.report.page import page

FORMAT, VERSION = "discreet release", 1


@dataclass(frozen=True)
class Published:
    """All that a folder is made from.

    Attributes
    ----------
    plan
        How tables are made from measurements.
    values
        The measurements of every grouping, in the order of the layout.
    fitted
        The numbers of every part of the plan, made from the measurements.
    """

    spec: ReleaseSpec
    layout: Layout
    ptable: PTable
    touches: int
    promise: Promise | None
    plan: additive.Plan
    values: tuple[npt.NDArray[np.int64], ...]
    fitted: Sequence[additive.Fitted]

    @cached_property
    def tables(self) -> additive.Tables:
        """For every table the counts of its groupings."""
        return self.plan.by_table(self.values, self.fitted)

    def files(self) -> dict[str, bytes]:
        """Everything but the manifest."""
        return {
            output.MEASUREMENTS: output.measurements(self.layout, self.values),
            **output.files(self.layout, self.tables, self.spec.outputs),
            output.REPORT: page(self),
            output.CERTIFICATE: verify.canonical(self.ptable.certificate.document),
        }

    def privacy(self) -> dict[str, Any]:
        """What the manifest says of the guarantee."""
        delta = alone(self.spec, self.ptable)
        epsilon = str(self.ptable.guarantee.epsilon)
        return {
            "unit": "one row" if self.spec.unit.id is None else "one person",
            "contributions": self.spec.unit.contributions,
            "touches": self.touches,
            "cell": None if delta is None else {"epsilon": epsilon, "delta": self._told(delta)},
            "composed": None
            if self.promise is None
            else {
                "epsilon": self.promise.epsilon,
                "delta": repr(self.promise.delta),
                "floor": repr(self.promise.floor),
            },
            "no_guarantee": unpromised(self.spec),
        }

    def _told(self, delta: Fraction) -> str:
        """The certificate's delta exactly, a larger one rounded up."""
        own = self.ptable.guarantee.delta
        return text(own) if delta == own else repr(min(float(np.nextafter(float(delta), 2)), 1.0))

    def manifest(self, files: dict[str, bytes], engine: str, key: dict[str, Any], ledger: Any) -> dict[str, Any]:
        """The manifest; `key` tells the kind of key and the fingerprint of the secret."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "spec": public(self.spec),
            "engine": engine,
            "key": key,
            "groupings": output.groupings(self.layout, self.ptable.digest, self.spec.unit.contributions),
            "reconciled": self.plan.methods,
            "privacy": self.privacy(),
            "ledger": ledger,
            "files": {name: output.digest(data) for name, data in sorted(files.items())},
            "software": {
                "discreet": discreet.__version__,
                "python": platform.python_version(),
                "numpy": np.__version__,
            },
        }


def public(asked: ReleaseSpec) -> dict[str, Any]:
    """The part of a specification that is published: what is used, and nothing of where the data or the secret are."""
    said = asked.model_dump(mode="json", exclude={"source", "secret", "ledger", "record_keys"})
    return said | {
        "dimensions": {name: book for name, book in said["dimensions"].items() if name in asked.used},
        "design": None if asked.design is None or "certificate" in asked.design else asked.design,
    }


def contradictions(asked: ReleaseSpec, ptable: PTable) -> Iterator[str]:
    """What a specification says of its table that is not what the certificate says; one line each.

    A certificate holds the parameters of its design, some of them found rather than given, so those are compared that
    both have, where they are numbers or words. Noise may end before the support that was asked for.
    """
    if asked.bits is not None and asked.bits != ptable.bits:
        yield f"bits is {asked.bits}, and the certificate's table has {ptable.bits}"
    if asked.design is None or "certificate" in asked.design:
        return
    recorded: dict[str, Any] = {**ptable.design, "certify_at": ptable.certificate.epsilon.exponent}
    name = recorded.get("name")
    if asked.design.get("name") != name or name not in discreet.design.__all__:
        yield f"the design is {asked.design.get('name')!r:.80}, and the certificate's {name!r:.80}"
        return
    taken = {"name", "certify_at", *signature(getattr(discreet.design, str(name))).parameters}
    for parameter, value in asked.design.items():
        if parameter not in taken:
            yield f"the design {name} has no parameter {parameter!r:.80}"
        elif not _agree(parameter, value, recorded):
            yield (f"the design's {parameter} is {value!r:.80}, and the certificate's {recorded.get(parameter)!s:.80}")


def _agree(parameter: str, value: Any, recorded: dict[str, Any]) -> bool:
    if parameter not in recorded and parameter not in ("epsilon", "alpha"):  # a certificate has one of these two
        return True
    here = recorded.get(parameter)
    if value is None or isinstance(value, (list, dict)) or isinstance(here, (list, dict)) or value == here:
        return True
    try:
        one, other = exact(value, parameter), exact(here, parameter)  # type: ignore[arg-type]
    except ParameterError:
        return False
    return other <= one if parameter == "support" else other == one
