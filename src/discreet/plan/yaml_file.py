"""Read a YAML file, and find the line of each of its parts.

Texts stay as they are in the file: `2026-01-01`, `007`, `12:30`, `no` and `1_000` are texts, as they are in the data.
YAML 1.1 would make a date, numbers and a boolean of them. `true`, `false`, `null`, `12` and `1.5` are a boolean, null
and numbers. A key that occurs twice in a mapping is refused, because the second value would silently replace the first.
"""

import datetime
import re
from pathlib import Path
from typing import Any

import yaml

from discreet import files
from discreet.errors import SpecError

LARGEST_FILE = 4_000_000
"""Bytes that a specification may have, and parts that its aliases may stand for."""

YamlPath = tuple[int | str, ...]
"""A part of a document: keys of mappings, and positions or names of items in lists."""


class _Loader(yaml.SafeLoader):
    """YAML's safe constructors. Every error has a line."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return the value of a node. PyYAML raises several kinds of error if a value does not fit its tag."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError, TypeError) as error:
            tag = node.tag.removeprefix("tag:yaml.org,2002:")
            raise yaml.constructor.ConstructorError(
                None, None, f"a value is not of its type, {tag:.60}: {error!s:.120}", node.start_mark
            ) from None


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in [
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"-?(0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"-?(0|[1-9][0-9]*)[.][0-9]*([eE][-+]?[0-9]+)?|[-+]?[.](inf|Inf|INF)|[.](nan|NaN|NAN)", "-+.0123456789"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("merge", r"<<", "<"),
]:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), list(_first))


def read(path: Path) -> tuple[Any, yaml.Node | None]:
    """Read a YAML file; see `file_text` and `parsed`."""
    return parsed(file_text(path), str(path))


def file_text(path: Path) -> str:
    """Return the text of a YAML file.

    Raises
    ------
    SpecError
        The file cannot be read, is too large, or is not UTF-8.
    """
    try:
        with files.open_file(path) as file:
            raw = file.read(LARGEST_FILE + 1)
        if len(raw) > LARGEST_FILE:
            raise SpecError(f"{path} has more than {LARGEST_FILE} bytes; a specification is shorter")
        return raw.decode("utf-8")
    except OSError as error:
        raise SpecError(f"{path} cannot be read ({error.strerror}); give the path of a specification") from None
    except UnicodeDecodeError:
        raise SpecError(f"{path} is not text in UTF-8; give a YAML file") from None


def parsed(content: str, name: str) -> tuple[Any, yaml.Node | None]:
    """Read YAML from a text.

    Parameters
    ----------
    content
        The text.
    name
        The name of the text in messages, such as the path of its file.

    Returns
    -------
    document
        The content as dicts, lists and scalars; None if the text is empty.
    node
        The root of the tree of nodes, which know their lines; None if the text is empty.

    Raises
    ------
    SpecError
        The text is not YAML, or has a key twice in one mapping.
    """
    try:
        loader = _Loader(content)
    except yaml.YAMLError as error:
        raise SpecError(f"{name}: this is not YAML ({getattr(error, 'reason', error)})") from None
    try:
        node = loader.get_single_node()
        if node is None:
            return None, None
        _refuse_endless_aliases(node, name)
        _refuse_repeated_keys(node, loader, name)
        return loader.construct_document(node), node
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        position = f", line {mark.line + 1}" if mark else ""
        raise SpecError(f"{name}{position}: this is not YAML ({getattr(error, 'problem', error)})") from None
    except RecursionError:
        raise SpecError(f"{name} is nested too deep; a specification has a few levels only") from None
    finally:
        loader.dispose()


def line(node: yaml.Node | None, yaml_path: YamlPath) -> int | None:
    """Return the line of a part, or of the innermost enclosing part that the file has."""
    if node is None:
        return None
    number = node.start_mark.line + 1
    for part in yaml_path:
        inner = _inner(node, part)
        if inner is None:
            break
        key, node = inner
        number = key.start_mark.line + 1
    return int(number)


def text(value: Any) -> Any:
    """Return a boolean, a number or a date as text, as files hold it; anything else unchanged."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    return str(value) if isinstance(value, (int, float)) else value


def _inner(node: yaml.Node, part: int | str) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the node where a part begins, and the node of the part; None if there is no such part."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == str(part)), None)
    if not isinstance(node, yaml.SequenceNode):
        return None
    for index, item in enumerate(node.value):
        name = _inner(item, "name") if isinstance(item, yaml.MappingNode) else None
        if index == part or (name is not None and name[1].value == part):
            return item, item
    return None


def _refuse_endless_aliases(root: yaml.Node, name: str) -> None:
    """Raise SpecError if an alias stands for itself, or for more parts than a file can have."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()
    stack = [(root, False)]
    while stack:
        node, visited = stack.pop()
        parts = _parts(node)
        if visited:
            open_nodes.discard(id(node))
            sizes[id(node)] = 1 + sum(sizes[id(part)] for part in parts)
            if sizes[id(node)] > LARGEST_FILE:
                raise SpecError(f"{name} has aliases that stand for millions of parts; write the parts out")
        elif id(node) in open_nodes:
            raise SpecError(f"{name}, line {node.start_mark.line + 1}: an alias stands for itself; write the part out")
        elif id(node) not in sizes:
            open_nodes.add(id(node))
            stack += [(node, True), *((part, False) for part in parts)]


def _parts(node: yaml.Node) -> list[yaml.Node]:
    """Return keys and values of a mapping, or the items of a list."""
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return node.value if isinstance(node, yaml.CollectionNode) else []


def _refuse_repeated_keys(root: yaml.Node, loader: _Loader, document_name: str) -> None:
    """Raise SpecError if a mapping has a key twice, also if it is written in two ways, such as 1 and "1"."""
    stack, visited = [root], set()
    while stack:
        node = stack.pop()
        if id(node) in visited or not isinstance(node, yaml.CollectionNode):
            continue
        visited.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            stack += node.value
            continue
        lines: dict[Any, int] = {}
        for key, value in node.value:
            stack.append(value)
            if not isinstance(key, yaml.ScalarNode):
                continue
            name = key.value if key.tag.endswith(":merge") else text(loader.construct_object(key))
            number = key.start_mark.line + 1
            if isinstance(name, (dict, list, set)):
                raise SpecError(f"{document_name}, line {number}: a key is a list or a mapping; give a text")
            if name in lines:
                raise SpecError(
                    f"{document_name}, line {number}: {key.value} is also given in line {lines[name]}; give it once"
                )
            lines[name] = number
