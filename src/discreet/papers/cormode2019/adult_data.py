"""The UCI Adult data of section 7.2, as binary attributes of people and as counts in groups.

Groups are n consecutive lines of the file; the paper's groups are arbitrary. An incomplete last group is left out.
"""

import csv
import gzip
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.errors import InputError

TARGETS = ("high income", "women", "under 30")
"""The three sensitive attributes of the paper."""

_UCI_INDEX = {
    "age": 0,
    "workclass": 1,
    "education_num": 4,
    "marital_status": 5,
    "race": 8,
    "sex": 9,
    "hours_per_week": 12,
    "income": 14,
}
_INCOMES = {">50K": True, "<=50K": False, ">50K.": True, "<=50K.": False}
"""High or not. UCI's file of tests has a full stop at the end."""

_SEXES = {"Female": True, "Male": False}
_FLAGS: dict[str, Callable[[Mapping[str, str]], bool]] = {
    "high income": lambda person: _known(person, "income", _INCOMES),
    "women": lambda person: _known(person, "sex", _SEXES),
    "under 30": lambda person: int(person["age"]) < 30,
    "married": lambda person: person["marital_status"].startswith("Married"),
    "degree": lambda person: int(person["education_num"]) >= 13,
    "long hours": lambda person: int(person["hours_per_week"]) > 40,
    "private sector": lambda person: person["workclass"] == "Private",
    "white": lambda person: person["race"] == "White",
}


def _known(person: Mapping[str, str], column: str, meaning: Mapping[str, bool]) -> bool:
    value = person[column]
    if value not in meaning:
        raise ValueError(f"{column} is {value!r:.40}, and {' or '.join(list(meaning)[:2])} is expected")
    return meaning[value]


@dataclass(frozen=True)
class Adult:
    """People with binary attributes, in the order of the file."""

    attributes: tuple[str, ...]
    people: npt.NDArray[np.bool_]

    def counts(self, attribute: str, n: int) -> Floats:
        """Return the distribution of the counts of an attribute in groups of n people.

        Raises
        ------
        InputError
            There are fewer than n people.
        """
        flags = self.people[:, self.attributes.index(attribute)]
        groups = len(flags) // n
        if groups == 0:
            raise InputError(f"the data have {len(flags)} people, too few for a group of {n}; give more")
        together = flags[: groups * n].reshape(groups, n).sum(axis=1)
        return np.bincount(together, minlength=n + 1) / groups


def read(path: Path) -> Adult:
    """Read the Adult data.

    Parameters
    ----------
    path
        CSV, or CSV.gz: with a header that has the columns below, or without one in the order of the UCI file. The
        columns are age, workclass, education_num, marital_status, race, sex, hours_per_week and income.

    Raises
    ------
    InputError
        The file cannot be read, lacks one of these columns, or has values that the Adult data do not have.
    """
    opened = gzip.open if path.name.endswith(".gz") else open
    try:
        with opened(path, "rt", encoding="utf-8", newline="") as file:
            lines = [[entry.strip() for entry in line] for line in csv.reader(file) if line]
        header = lines.pop(0) if lines and "income" in lines[0] else None
        index = {name: header.index(name) if header else column for name, column in _UCI_INDEX.items()}
        short = next((line for line in lines if len(line) <= max(index.values())), None)
        if short is not None:
            raise ValueError(f"a line has {len(short)} columns, and {max(index.values()) + 1} are needed")
        people = [{name: line[column] for name, column in index.items()} for line in lines]
        flags = np.array([[flag(person) for flag in _FLAGS.values()] for person in people], dtype=np.bool_)
    except (OSError, EOFError, ValueError, csv.Error, zlib.error) as problem:
        raise InputError(
            f"{path} cannot be read as the Adult data ({problem}); give CSV or CSV.gz with {', '.join(_UCI_INDEX)}"
        ) from None
    return Adult(tuple(_FLAGS), flags.reshape(-1, len(_FLAGS)))
