"""Read a specification from a file, and tell every mistake in it with its line."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from discreet.errors import SpecError
from discreet.plan import spec_errors, yaml_file
from discreet.plan.sections import Secret
from discreet.plan.source import PATHS
from discreet.plan.spec import ReleaseSpec


@dataclass(frozen=True)
class SpecFile:
    """A specification, and the document that it was read from.

    Attributes
    ----------
    spec
        The specification. Relative paths in a file are relative to the folder of the file.
    """

    spec: ReleaseSpec
    _name: str
    _document: Any = None
    _node: Any = None

    @contextmanager
    def errors_with_lines(self) -> Iterator[None]:
        """Add the line to a SpecError that is raised in the block."""
        try:
            yield
        except SpecError as error:
            if self._document is None:
                raise
            place = error.place if error.place and error.place[0] in self._document else ()
            raise SpecError(_message(self._name, self._document, self._node, place, str(error)), place) from None


def read(given: Any) -> SpecFile:
    """Read a specification from a path, a dict, or a ReleaseSpec.

    Raises
    ------
    SpecError
        The file cannot be read, or is not a specification. Each mistake is one line of the message.
    """
    if isinstance(given, ReleaseSpec):
        return SpecFile(given, "the specification")
    if isinstance(given, dict):
        return SpecFile(_checked(given, None, "the specification"), "the specification", given)
    if not isinstance(given, (str, os.PathLike)):
        raise SpecError(f"the specification is {type(given).__name__}; give a path, a dict or a ReleaseSpec")
    path = Path(given)
    document, node = yaml_file.read(path)
    if not isinstance(document, dict):
        raise SpecError(f"{path} is not a specification; it has version, source, dimensions, tables and budget")
    spec = _checked(document, node, str(path))
    return SpecFile(_relative(spec, path.parent), str(path), document, node)


def _checked(document: dict[str, Any], node: Any, name: str) -> ReleaseSpec:
    try:
        spec_errors.unwritable(document)
        return ReleaseSpec.model_validate(document)
    except ValidationError as error:
        lines = (_message(name, document, node, *mistake) for mistake in spec_errors.of(error, document))
        raise SpecError("\n".join(lines)) from None
    except SpecError as error:
        raise SpecError(_message(name, document, node, error.place, str(error)), error.place) from None


def _message(name: str, document: Any, node: Any, place: yaml_file.Place, message: str) -> str:
    if not place:
        return f"{name}: {message}"
    line = yaml_file.line(node, place)
    return f"{name}{f', line {line}' if line else ''}: {spec_errors.name(place, document)}: {message}"


def _relative(spec: ReleaseSpec, folder: Path) -> ReleaseSpec:
    """Return the specification with paths that do not depend on the current folder."""

    def at(path: str | None) -> str | None:
        return None if path is None else str(folder / path)

    source = spec.source.model_copy(update={kind: at(getattr(spec.source, kind)) for kind in PATHS})
    changed: dict[str, Any] = {"source": source}
    if spec.secret is not None:
        changed["secret"] = Secret(file=at(spec.secret.file), env=spec.secret.env, memory=at(spec.secret.memory))
    if spec.ledger is not None and "://" not in spec.ledger:
        changed["ledger"] = at(spec.ledger)
    if spec.design is not None and "certificate" in spec.design:
        changed["design"] = {**spec.design, "certificate": at(str(spec.design["certificate"]))}
    return spec.model_copy(update=changed)
