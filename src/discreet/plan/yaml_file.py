"""A YAML file as a document, and the line of each of its parts.

Texts stay what they are in the file: `2026-01-01`, `007`, `12:30`, `no` and `1_000` are texts, as they are in the data,
and not the date, the numbers and the boolean that YAML 1.1 makes of them. `true`, `false`, `null`, `12` and `1.5` are
what they look like. A key that a mapping has twice is refused, as the second would override the first in silence.
"""

import datetime
import re
from pathlib import Path
from typing import Any

import yaml

from discreet import files
from discreet.errors import SpecError

LARGEST_FILE = 4_000_000

Place = tuple[int | str, ...]


class _Loader(yaml.SafeLoader):
    """YAML's safe constructors, whose errors all have a line."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """The value of a node; of a value that is not what its tag says, PyYAML makes any kind of error."""
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
    """The document of a file, and its nodes, which know their lines."""
    try:
        with files.opened(path) as file:
            raw = file.read(LARGEST_FILE + 1)
        if len(raw) > LARGEST_FILE:
            raise SpecError(f"{path} has more than {LARGEST_FILE} bytes; a specification is shorter")
        loader = _Loader(raw.decode("utf-8"))
    except OSError as error:
        raise SpecError(f"{path} cannot be read ({error.strerror}); give the path of a specification") from None
    except UnicodeDecodeError:
        raise SpecError(f"{path} is not text in UTF-8; give a YAML file") from None
    except yaml.YAMLError as error:
        raise SpecError(f"{path}: this is not YAML ({getattr(error, 'reason', error)})") from None
    try:
        node = loader.get_single_node()
        if node is None:
            return None, None
        _bounded(node, path)
        _once(node, loader, path)
        return loader.construct_document(node), node
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark else "it"
        raise SpecError(f"{path}, {where}: this is not YAML ({getattr(error, 'problem', error)})") from None
    except RecursionError:
        raise SpecError(f"{path} is nested too deep; a specification has a few levels only") from None
    finally:
        loader.dispose()


def line(node: yaml.Node | None, place: Place) -> int | None:
    """The line of the innermost part of the place that the file has; items of a list by position, or by their name."""
    if node is None:
        return None
    found = node.start_mark.line + 1
    for part in place:
        inner = _inner(node, part)
        if inner is None:
            break
        key, node = inner
        found = key.start_mark.line + 1
    return int(found)


def text(value: Any) -> Any:
    """A scalar as a text, as files hold it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    return str(value) if isinstance(value, (int, float)) else value


def _inner(node: yaml.Node, part: int | str) -> tuple[yaml.Node, yaml.Node] | None:
    """Where a part of a node begins, and its node."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == str(part)), None)
    if not isinstance(node, yaml.SequenceNode):
        return None
    for at, item in enumerate(node.value):
        named = _inner(item, "name") if isinstance(item, yaml.MappingNode) else None
        if at == part or (named is not None and named[1].value == part):
            return item, item
    return None


def _bounded(root: yaml.Node, path: Path) -> None:
    """Refuse aliases that stand for more parts than any file has, or for themselves."""
    sizes: dict[int, int] = {}
    inside: set[int] = set()
    left = [(root, False)]
    while left:
        node, done = left.pop()
        parts = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value
        parts = parts if isinstance(node, yaml.CollectionNode) else []
        if done:
            inside.discard(id(node))
            sizes[id(node)] = 1 + sum(sizes[id(part)] for part in parts)
            if sizes[id(node)] > LARGEST_FILE:
                raise SpecError(f"{path} has aliases that stand for millions of parts; write out what is meant")
        elif id(node) in inside:
            raise SpecError(
                f"{path}, line {node.start_mark.line + 1}: an alias stands for itself; write out what is meant"
            )
        elif id(node) not in sizes:
            inside.add(id(node))
            left += [(node, True), *((part, False) for part in parts)]


def _once(root: yaml.Node, loader: _Loader, path: Path) -> None:
    """Refuse a key that a mapping has twice, also where it is written in two ways, such as 1 and "1"."""
    left, done = [root], set()
    while left:
        node = left.pop()
        if id(node) in done or not isinstance(node, yaml.CollectionNode):
            continue
        done.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            left += node.value
            continue
        seen: dict[Any, int] = {}
        for key, value in node.value:
            left.append(value)
            if not isinstance(key, yaml.ScalarNode):
                continue
            name = key.value if key.tag.endswith(":merge") else text(loader.construct_object(key))
            here = key.start_mark.line + 1
            if isinstance(name, (dict, list, set)):
                raise SpecError(f"{path}, line {here}: a key is a list or a mapping; give a text")
            if name in seen:
                raise SpecError(f"{path}, line {here}: {key.value} is also given in line {seen[name]}; give it once")
            seen[name] = here
