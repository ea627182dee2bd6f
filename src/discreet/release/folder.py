"""The folder of a release: its files and its manifest, from what may be published and nothing else."""

import platform
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import discreet
from discreet.certify import verify
from discreet.certify.ptable import PTable
from discreet.exact import text
from discreet.release import additive, output
from discreet.release.cells import Layout
from discreet.release.promise import Promise, spoiled, unpromised
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
    tables
        For every table the counts of its groupings, made from the measurements.
    """

    spec: ReleaseSpec
    layout: Layout
    ptable: PTable
    touches: int
    promise: Promise | None
    plan: additive.Plan
    values: tuple[npt.NDArray[np.int64], ...]
    tables: additive.Tables

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
        epsilon, _, delta = self.ptable.guarantee
        return {
            "unit": "one row" if self.spec.unit.id is None else "one person",
            "contributions": self.spec.unit.contributions,
            "touches": self.touches,
            "cell": {"epsilon": str(epsilon), "delta": text(delta)} if spoiled(self.spec) is None else None,
            "composed": None
            if self.promise is None
            else {
                "epsilon": self.promise.epsilon,
                "delta": repr(self.promise.delta),
                "floor": repr(self.promise.floor),
            },
            "no_guarantee": unpromised(self.spec),
        }

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
    """The part of a specification that is published: nothing of where the data or the secret are."""
    return asked.model_dump(mode="json", exclude={"source", "secret", "ledger", "record_keys"}) | {
        "design": None if asked.design is None or "certificate" in asked.design else asked.design
    }
