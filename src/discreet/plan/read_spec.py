"""Read a specification from a file, and tell each mistake with its line."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from discreet.errors import SpecError
from discreet.plan import spec_errors, yaml_file
from discreet.plan.source import PATHS
from discreet.plan.spec import ReleaseSpec


@dataclass(frozen=True)
class SpecFile:
    """A specification, and the document that it was read from.

    Attributes
    ----------
    spec
        The specification. Relative paths in a file start at the folder of the file.
    document
        What was read: a dict; None for a ReleaseSpec.
    """

    spec: ReleaseSpec
    _name: str
    document: Any = None
    _node: Any = None

    @contextmanager
    def errors_with_lines(self) -> Iterator[None]:
        """Add the line of the file to a SpecError that is raised in the block."""
        try:
            yield
        except SpecError as error:
            if self.document is None:
                raise
            path = error.yaml_path if error.yaml_path and error.yaml_path[0] in self.document else ()
            raise SpecError(_message(self._name, self.document, self._node, path, str(error)), path) from None


def read(spec: Any) -> SpecFile:
    """Read a specification.

    Parameters
    ----------
    spec
        A path, a dict or a ReleaseSpec.

    Returns
    -------
    SpecFile
        The specification, and the document that it was read from.

    Raises
    ------
    SpecError
        The file cannot be read, or is not a specification. Each mistake is one line of the message.
    """
    if isinstance(spec, ReleaseSpec):
        return SpecFile(spec, "the specification")
    if isinstance(spec, dict):
        return SpecFile(_validated(spec, None, "the specification"), "the specification", spec)
    if not isinstance(spec, (str, os.PathLike)):
        raise SpecError(f"the specification is of the type {type(spec).__name__}; give a path, a dict or a ReleaseSpec")
    path = Path(spec)
    return _from_document(*yaml_file.read(path), path)


def read_text(content: str, path: Path) -> SpecFile:
    """Read the text of a specification.

    Parameters
    ----------
    content
        YAML.
    path
        The file that the text is in, or will be in. Relative paths start at its folder, and messages name it.

    Returns
    -------
    SpecFile
        The specification, and the document that it was read from.

    Raises
    ------
    SpecError
        The text is not a specification. Each mistake is one line of the message.
    """
    return _from_document(*yaml_file.parsed(content, str(path)), path)


def _from_document(document: Any, node: Any, path: Path) -> SpecFile:
    if not isinstance(document, dict):
        raise SpecError(f"{path} is not a specification; it has version, source, dimensions, tables and budget")
    validated = _validated(document, node, str(path))
    return SpecFile(_with_paths_from(path.parent, validated), str(path), document, node)


def _validated(document: dict[str, Any], node: Any, name: str) -> ReleaseSpec:
    try:
        spec_errors.refuse_unwritable_text(document)
        return ReleaseSpec.model_validate(document)
    except ValidationError as error:
        lines = (
            _message(name, document, node, *mistake) for mistake in spec_errors.mistakes(error, document, ReleaseSpec)
        )
        raise SpecError("\n".join(lines)) from None
    except SpecError as error:
        raise SpecError(_message(name, document, node, error.yaml_path, str(error)), error.yaml_path) from None


def _message(name: str, document: Any, node: Any, path: yaml_file.YamlPath, message: str) -> str:
    if not path:
        return f"{name}: {message}"
    line = yaml_file.line(node, path)
    return f"{name}{f', line {line}' if line else ''}: {spec_errors.path_text(path, document)}: {message}"


def _with_paths_from(folder: Path, spec: ReleaseSpec) -> ReleaseSpec:
    """Return the specification with relative paths joined to a folder."""

    def joined(path: str | None) -> str | None:
        return None if path is None else str(folder / path)

    changed: dict[str, Any] = {}
    if spec.source is not None:
        paths = {kind: joined(getattr(spec.source, kind)) for kind in PATHS}
        changed["source"] = spec.source.model_copy(update=paths)
    if spec.secret is not None:
        paths_of_secret = {name: joined(getattr(spec.secret, name)) for name in ("file", "memory")}
        changed["secret"] = spec.secret.model_copy(update=paths_of_secret)
    if spec.ledger is not None and "://" not in spec.ledger:
        changed["ledger"] = joined(spec.ledger)
    changed["design"] = _with_certificate_from(folder, spec.design)
    if isinstance(spec.measure, list):
        changed["measure"] = [
            entry.model_copy(update={"design": _with_certificate_from(folder, entry.design)}) for entry in spec.measure
        ]
    return spec.model_copy(update=changed)


def _with_certificate_from(folder: Path, design: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a design with the relative path of its certificate, if it has one, joined to a folder."""
    if design is None or "certificate" not in design:
        return design
    return {**design, "certificate": str(folder / str(design["certificate"]))}
