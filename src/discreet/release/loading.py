"""A specification read from a file, and checked: a mistake is told with its line."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from discreet.errors import ParameterError, SpecError
from discreet.release import cells, codebook, document, fixed, mistakes
from discreet.release.engines.source import kind_of
from discreet.release.sections import Secret
from discreet.release.spec import ReleaseSpec


def load(given: Any) -> ReleaseSpec:
    """A specification from a path, a dict, or itself; relative paths in it are relative to its file."""
    if isinstance(given, ReleaseSpec):
        return given
    if isinstance(given, dict):
        return _checked(given, None, "the specification")
    if not isinstance(given, (str, os.PathLike)):
        raise SpecError(f"the specification is {type(given).__name__}; give a path, a dict or a ReleaseSpec")
    path = Path(given)
    parts, node = document.read(path)
    if not isinstance(parts, dict):
        raise SpecError(f"{path} is not a specification; it has version, source, dimensions, tables and budget")
    return _relative(_checked(parts, node, str(path)), path.parent)


@contextmanager
def telling(given: Any) -> Iterator[None]:
    """Tell a mistake that is found after `load`, where the design is made, with its place too."""
    try:
        yield
    except SpecError as error:
        if not isinstance(given, (str, os.PathLike)):
            raise
        parts, node = document.read(Path(given))
        place = error.place if error.place and error.place[0] in parts else ()
        raise SpecError(_said(str(given), parts, node, place, str(error)), place) from None


def _said(where: str, parts: Any, node: Any, place: document.Place, message: str) -> str:
    if not place:
        return f"{where}: {message}"
    line = document.line(node, place)
    return f"{where}{f', line {line}' if line else ''}: {mistakes.name(place, parts)}: {message}"


def _checked(parts: dict[str, Any], node: Any, where: str) -> ReleaseSpec:
    try:
        mistakes.unwritable(parts)
        spec = ReleaseSpec.model_validate(parts)
        _resolved(spec)
    except ValidationError as error:
        told = (_said(where, parts, node, *mistake) for mistake in mistakes.of(error, parts))
        raise SpecError("\n".join(told)) from None
    except SpecError as error:
        raise SpecError(_said(where, parts, node, error.place, str(error)), error.place) from None
    return spec


def _resolved(spec: ReleaseSpec) -> None:
    """Resolve all names once, so that a mistake is told with its place; later only what is found in the data is new."""
    try:
        kind_of(spec.source)
    except ParameterError as error:
        raise SpecError(str(error), ("source",)) from None
    if any(each.from_data and each.categories is None for each in spec.dimensions.values()):
        return
    books = {name: codebook.resolve(name, each) for name, each in spec.dimensions.items()}
    fixed.known(spec, cells.layout(spec, books))


def _relative(spec: ReleaseSpec, folder: Path) -> ReleaseSpec:
    """The same with paths that do not depend on the current folder."""

    def at(path: str) -> str:
        return str(folder / path)

    source = {
        key: at(value) if key in ("csv", "parquet", "duckdb") and isinstance(value, str) else value
        for key, value in spec.source.items()
    }
    changed: dict[str, Any] = {"source": source}
    if spec.secret is not None:
        file, memory = spec.secret.file, spec.secret.memory
        changed["secret"] = Secret(
            file=None if file is None else at(file), env=spec.secret.env, memory=None if memory is None else at(memory)
        )
    if spec.ledger is not None and "://" not in spec.ledger:
        changed["ledger"] = at(spec.ledger)
    if spec.design is not None and "certificate" in spec.design:
        changed["design"] = {**spec.design, "certificate": at(str(spec.design["certificate"]))}
    return spec.model_copy(update=changed)
