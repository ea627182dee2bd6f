"""Count the files of `src/discreet` that one release walks through, from the command to the published folder.

    uv run python -m tools.count_walk [SPEC]

runs `discreet release SPEC` in this process. A file is counted if a function of the file is called. Loading a module is
not counted. Neither are methods that `dataclass` writes. The files are listed in the order of the first call, in three
parts:

    plan      from the start of the command to the opening of the source
    data      from the opening of the source to the published folder, without the report
    report    what is called from `publish/report`, to write the page that explains the release

A file that is entered in two parts is listed in both. A star marks the files on the way of the data: a function of the
file takes or returns the numbers themselves, as arrays, as Arrow tables, or as the bytes of the published files.

Without SPEC, the release has one table with its margins: 158 people, by sex and age.
"""

import sys
import tempfile
import threading
from inspect import CO_NEWLOCALS
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pyarrow as pa

from discreet import cli
from discreet.count import sources
from discreet.release import run

SOURCE = Path(run.__code__.co_filename).parents[1]
REPORT = "publish/report/"

SPEC = """\
title: People by sex and age
version: "2026"
source: {csv: people.csv}
dimensions:
  sex: {column: sex, categories: [female, male]}
  age: {column: age, categories: [young, old]}
tables:
  - {name: people, dimensions: [sex, age], margins: all}
design: {name: geometric, epsilon: "0.5"}
budget: {epsilon: 2, delta: 1e-6}
key: fresh
"""
PEOPLE = {"female,young": 40, "female,old": 37, "male,young": 30, "male,old": 51}


class Walk:
    """The files of a release, in the order of the first call.

    Attributes
    ----------
    files
        For every part the files that are entered.
    with_numbers
        For every part the files in which a function takes or returns numbers.
    """

    def __init__(self) -> None:
        self.files: dict[str, list[str]] = {"plan": [], "data": [], "report": []}
        self.with_numbers: dict[str, set[str]] = {part: set() for part in self.files}
        self._step = "plan"
        self._report: FrameType | None = None
        self._names: dict[CodeType, str | None] = {}

    def note(self, frame: FrameType, event: str, returned: Any) -> None:
        """Note the file of a call or return. Python calls this method at every call and return."""
        code = frame.f_code
        if code not in self._names:
            self._names[code] = _file_name(code)
        name = self._names[code]
        if name is None or event not in ("call", "return") or self._step == "published":
            return
        if code is sources.open_engine.__code__:
            self._step = "data"
        if name.startswith(REPORT) and self._report is None:
            self._report = frame
        part = self._step if self._report is None else "report"
        if name not in self.files[part]:
            self.files[part].append(name)
        if name not in self.with_numbers[part]:
            arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            values = [frame.f_locals.get(argument) for argument in arguments] if event == "call" else [returned]
            if has_numbers(values):
                self.with_numbers[part].add(name)
        if event == "return" and frame is self._report:
            self._report = None
        if event == "return" and code is run.__code__:
            self._step = "published"


def has_numbers(value: Any) -> bool:
    """Return True if a value is an array, an Arrow table or bytes, or a list, tuple or dictionary that holds one."""
    if isinstance(value, (list, tuple)):
        return any(map(has_numbers, value))
    if isinstance(value, dict):
        return any(map(has_numbers, value.values()))
    return isinstance(value, (np.ndarray, pa.Table, pa.RecordBatch, pa.Array, pa.ChunkedArray, bytes))


def _file_name(code: CodeType) -> str | None:
    """Return the path of a function's file below src/discreet. Return None for modules, and for other packages."""
    path = Path(code.co_filename)
    if not path.is_relative_to(SOURCE) or not code.co_flags & CO_NEWLOCALS:
        return None
    return path.relative_to(SOURCE).as_posix()


def walk(spec: Path, output: Path) -> Walk:
    """Make a release as the command does, and return its walk."""
    noted = Walk()
    arguments, sys.argv = sys.argv, ["discreet", "release", str(spec), "-o", str(output)]
    threading.setprofile(noted.note)
    sys.setprofile(noted.note)
    try:
        cli.main()
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        sys.argv = arguments
    return noted


def small_release(folder: Path) -> Path:
    """Write the release that is walked if no specification is given. Return the specification."""
    rows = [f"{person}\n" for person, count in PEOPLE.items() for _ in range(count)]
    folder.joinpath("people.csv").write_text("".join(["sex,age\n", *rows]))
    folder.joinpath("people.yaml").write_text(SPEC)
    return folder / "people.yaml"


def main() -> None:
    """Print the walk of the specification in the command line, or of the small release."""
    with tempfile.TemporaryDirectory() as name:
        spec = Path(sys.argv[1]).absolute() if sys.argv[1:] else small_release(Path(name))
        noted = walk(spec, Path(name, "published"))
    for part, files in noted.files.items():
        print(f"\n{part}: {len(files)} files, {len(noted.with_numbers[part])} with numbers")
        for file in files:
            print("  *" if file in noted.with_numbers[part] else "   ", file)
    both = {*noted.files["plan"], *noted.files["data"]}
    print(f"\nplan and data: {len(both)} files; with the report: {len(both.union(noted.files['report']))}")


if __name__ == "__main__":
    main()
