"""The synthetic town that ships with Discreet, and one table of it published.

The categories are declared here, not found in the data: which categories exist must not depend on who lives
in the town. The data come from examples/make_town.py.
"""

import csv
import gzip
import io
import os
import shutil
import tempfile
from dataclasses import dataclass
from importlib.resources import files as resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

from discreet.certify.ptable import PTable
from discreet.design.geometric import geometric
from discreet.errors import OutputError
from discreet.exact import Number

DISTRICTS = (
    "Abbey", "Bridge", "Castle", "Docks", "Elms", "Fairfield",
    "Gardens", "Harbour", "Island", "Junction", "Kiln", "Lighthouse",
)  # fmt: skip
AGES = ("0-15", "16-24", "25-44", "45-66", "67-79", "80+")
_FIRST_AGES = (0, 16, 25, 45, 67, 80)


@dataclass(frozen=True)
class Published:
    """A table of district by age group: measurements, and the counts made from them by clamping at 0."""

    ptable: PTable
    measurements: npt.NDArray[np.int64]

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """What is published: no count is below 0."""
        return np.maximum(self.measurements, 0)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Leave a folder with the certificate, the measurements and the table; complete or not at all."""
        target = free(folder)
        try:
            beside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
            try:
                self.ptable.save(beside / "certificate.json")
                for name, table in (("measurements.csv", self.measurements), ("table.csv", self.counts)):
                    (beside / name).write_text(_tidy(table), encoding="utf-8")
                beside.chmod(0o755)
                beside.rename(target)
            finally:
                shutil.rmtree(beside, ignore_errors=True)
        except OSError as error:
            raise OutputError(f"{target} cannot be written ({error.strerror}); choose another place") from None


def free(folder: str | os.PathLike[str]) -> Path:
    """The folder's path, refused where something is there already."""
    target = Path(folder)
    if os.path.lexists(target):
        raise OutputError(f"{target} exists already; choose another folder, or remove it")
    return target


def publish(epsilon: Number) -> Published:
    """Count the people of the town by district and age group, and perturb every cell, empty ones included."""
    ptable = geometric(epsilon=epsilon).certify()
    return Published(ptable, ptable.perturb(_count()))


def _count() -> npt.NDArray[np.int64]:
    counts = np.zeros((len(DISTRICTS), len(AGES)), dtype=np.int64)
    packed = resources("discreet").joinpath("data", "town.csv.gz").read_bytes()
    for person in csv.DictReader(io.StringIO(gzip.decompress(packed).decode())):
        age = int(np.searchsorted(_FIRST_AGES, int(person["age"]), side="right")) - 1
        counts[DISTRICTS.index(person["district"]), age] += 1
    return counts


def _tidy(table: npt.NDArray[np.int64]) -> str:
    """One row a cell."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["district", "age", "count"])
    rows.writerows((d, a, int(table[i, j])) for i, d in enumerate(DISTRICTS) for j, a in enumerate(AGES))
    return text.getvalue()
