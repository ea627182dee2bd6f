"""Give a YAML text another content, part by part, so that comments stay where nothing changes.

The old and the new content are compared from the root down. A mapping or a list of which a part changed is descended
into, so that only the smallest changed parts are written (`yaml_edit.changed`).
"""

from collections.abc import Iterator
from typing import Any

from discreet.errors import SpecError
from discreet.plan.yaml_edit import REMOVED, changed
from discreet.plan.yaml_file import YamlPath, parsed


def updated(content: str, document: dict[str, Any]) -> str:
    """Return a YAML text with another content.

    Parameters
    ----------
    content
        YAML, whose root is a mapping.
    document
        What the text is to say: dicts, lists, texts, numbers, booleans and None.

    Returns
    -------
    str
        The text. Comments, order and layout are kept in all parts that do not change.

    Raises
    ------
    SpecError
        The text is not a YAML mapping, or a value cannot be written.

    Examples
    --------
    >>> from discreet.plan.yaml_update import updated
    >>> text = "version: 1   # a label\\ndimensions:\\n  sex: {column: sex}   # f, m\\n  age: {column: age}\\n"
    >>> print(updated(text, {"version": 2, "dimensions": {"sex": {"column": "sex"}}}))
    version: 2   # a label
    dimensions:
      sex: {column: sex}   # f, m
    <BLANKLINE>
    """
    before, _ = parsed(content, "the specification")
    if not isinstance(before, dict):
        raise SpecError("the specification is no mapping; it has version, source, dimensions, tables and budget")
    for yaml_path, value in _differences(before, document, ()):
        content = changed(content, yaml_path, value)
    return content


def _differences(before: Any, after: Any, path: YamlPath) -> Iterator[tuple[YamlPath, Any]]:
    """Yield paths and new values, in the order in which they are to be applied."""
    if repr(before) == repr(after):
        return
    if before and after and isinstance(before, dict) and isinstance(after, dict):
        yield from _of_mappings(before, after, path)
    elif before and after and isinstance(before, list) and isinstance(after, list):
        yield from _of_lists(before, after, path)
    else:
        yield path, after


def _of_mappings(before: dict[Any, Any], after: dict[Any, Any], path: YamlPath) -> Iterator[tuple[YamlPath, Any]]:
    common = [key for key in before if key in after]
    if path and list(after)[: len(common)] != common:  # in another order
        yield path, after
        return
    for key in common:
        yield from _differences(before[key], after[key], (*path, key))
    for key in after:
        if key not in before:
            yield (*path, key), after[key]
    for key in before:
        if key not in after:
            yield (*path, key), REMOVED


def _of_lists(before: list[Any], after: list[Any], path: YamlPath) -> Iterator[tuple[YamlPath, Any]]:
    if len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _differences(old, new, (*path, index))
        return
    kept = _kept_positions(before, after)
    if not kept:
        yield path, after
        return
    dropped = [index for index in range(len(before)) if index not in kept]
    for index in reversed(dropped):
        yield (*path, index), REMOVED
    for index in range(len(kept), len(after)):
        yield (*path, index), after[index]


def _kept_positions(before: list[Any], after: list[Any]) -> list[int]:
    """Return the positions of the old items that the new list begins with; none if other items come in between."""
    kept: list[int] = []
    for index, old in enumerate(before):
        if len(kept) < len(after) and repr(old) == repr(after[len(kept)]):
            kept.append(index)
    return kept
