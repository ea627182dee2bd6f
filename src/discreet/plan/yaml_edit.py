"""Change a part of a YAML text, and keep its comments, its order and its layout elsewhere.

The text is cut at the positions of the part, which the tree of nodes knows, and the new value is written into the gap.
Then the new text is read again. If its content is not exactly the content that was asked for (aliases and merged keys
can cause that), the whole document is written anew, without comments.
"""

import re
from collections.abc import Sequence
from enum import Enum
from typing import Any

import yaml

from discreet.errors import SpecError
from discreet.plan import yaml_text
from discreet.plan.yaml_file import YamlPath, parsed, text


class Change(Enum):
    """What can be done to a part besides giving it a value."""

    REMOVE = "remove"


REMOVED = Change.REMOVE
"""As the new value of a part: the part is removed."""

_INDENTED_COMMENT = re.compile(r"\n([ \t]*)#[^\n]*")


def changed(content: str, yaml_path: YamlPath, value: Any) -> str:
    """Return a YAML text with another value at a path.

    Parameters
    ----------
    content
        YAML, whose root is a mapping.
    yaml_path
        Keys of mappings, and positions in lists. The last part may be new: a key that is added to its mapping, or the
        position after the end of a list. Mappings on the way that do not exist are made.
    value
        Dicts, lists, texts, numbers, booleans and None; or REMOVED.

    Returns
    -------
    str
        The text. `yaml_file.parsed` reads the changed content from it.

    Raises
    ------
    SpecError
        The text is not a YAML mapping, or has a tag whose value cannot be written.

    Examples
    --------
    >>> from discreet.plan.yaml_edit import changed
    >>> print(changed("version: 1   # a label\\nbudget: {epsilon: 1}\\n", ("budget", "delta"), "1e-6"))
    version: 1   # a label
    budget: {epsilon: 1, delta: "1e-6"}
    <BLANKLINE>
    """
    document, node = parsed(content, "the specification")
    if not isinstance(document, dict) or node is None:
        raise SpecError("the specification is no mapping; it has version, source, dimensions, tables and budget")
    steps = _existing_keys(document, yaml_path)
    wanted, parent = _with_value(_copied(document), steps, value)
    spliced = _spliced(content, node, steps if parent or len(steps) == 1 else steps[:-1], wanted)
    if spliced is not None and _reads_as(spliced, wanted):
        return spliced
    rewritten = "\n".join(yaml_text.lines(wanted)) + "\n"
    if not _reads_as(rewritten, wanted):
        raise SpecError("the specification has a tag (!!) or another value that cannot be written; change it as YAML")
    return rewritten


def _reads_as(content: str, wanted: Any) -> bool:
    """Return True if a text has this content, with the same types and the same order."""
    try:
        return repr(parsed(content, "")[0]) == repr(wanted)
    except SpecError:
        return False


def _existing_keys(document: Any, yaml_path: YamlPath) -> YamlPath:
    """Return a path with keys as the document has them: a key that looks like a number is one there."""
    steps: list[Any] = []
    for part in yaml_path:
        if isinstance(document, dict):
            part = next((key for key in document if text(key) == part), part)
            document = document.get(part)
        elif isinstance(document, list) and isinstance(part, int) and 0 <= part < len(document):
            document = document[part]
        else:
            document = None
        steps.append(part)
    return tuple(steps)


def _copied(part: Any) -> Any:
    """Return a copy in which nothing is shared: what an alias stands for is changed in one place only."""
    if isinstance(part, dict):
        return {key: _copied(value) for key, value in part.items()}
    return [_copied(value) for value in part] if isinstance(part, list) else part


def _with_value(document: Any, steps: YamlPath, value: Any) -> tuple[Any, Any]:
    """Return a document after the change, and the mapping or list that was changed. Mappings on the way are made."""
    part = document
    for step in steps[:-1]:
        if isinstance(part, dict) and not isinstance(part.get(step), (dict, list)):
            part[step] = {}
        part = part[step]
    last: Any = steps[-1]
    if value is REMOVED:
        if isinstance(part, list):
            del part[last]
        else:
            part.pop(last, None)
    elif isinstance(part, list) and last == len(part):
        part.append(value)
    else:
        part[last] = value
    return document, part


def _spliced(content: str, root: yaml.Node, steps: YamlPath, wanted: Any) -> str | None:
    """Return the text with the wanted content, changed at a path only; None if there is no simple way."""
    node, part = root, wanted
    for depth, step in enumerate(steps):
        if not isinstance(node, yaml.CollectionNode):
            return None
        if node.flow_style:  # between brackets or braces: the outermost of them is written anew
            return _with_span(content, node.start_mark.index, _end(content, node), yaml_text.inline(part))
        inner = _entry(node, step)
        is_last = depth == len(steps) - 1
        if inner is not None and not is_last and isinstance(inner[1], yaml.CollectionNode):
            node, part = inner[1], part[step]
            continue
        if isinstance(node, yaml.MappingNode):
            return _changed_mapping(content, node, inner, step, part)
        return _changed_list(content, node, step, part)
    return None


def _entry(node: yaml.Node, step: Any) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the nodes of the key and the value of a mapping's entry, or an item of a list twice."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == text(step)), None)
    items = node.value if isinstance(node, yaml.SequenceNode) else []
    return (items[step], items[step]) if isinstance(step, int) and step < len(items) else None


def _changed_mapping(
    content: str, node: yaml.MappingNode, inner: tuple[yaml.Node, yaml.Node] | None, step: Any, part: dict[Any, Any]
) -> str | None:
    """Return the text after one entry of a block mapping is added, replaced or removed."""
    indent = " " * node.start_mark.column
    if inner is None:
        if step not in part or not node.value:
            return None
        return _with_lines(content, _end(content, node), indent, yaml_text.entry(step, part[step]))
    key, value = inner
    if step not in part:
        return _without_lines(content, key.start_mark.index, _end(content, value)) if part else None
    new = part[step]
    whole = yaml_text.entry(step, new)
    if len(whole) == 1 and (not isinstance(value, yaml.CollectionNode) or value.flow_style):
        start, end = value.start_mark.index, _end(content, value)
        return _with_span(content, start, end, ("" if end > start else " ") + yaml_text.inline(new))
    end_of_key_line = _line_end(content, key.end_mark.index)
    if len(whole) > 1 and end_of_key_line < value.start_mark.index:  # a comment beside the key stays
        return _with_span(
            content, end_of_key_line, _end(content, value), "".join(f"\n{indent}{line}" for line in whole[1:])
        )
    return _with_span(content, key.start_mark.index, _end(content, value), f"\n{indent}".join(whole))


def _changed_list(content: str, node: yaml.Node, step: Any, part: list[Any]) -> str | None:
    """Return the text after one item of a block list is appended, replaced or removed."""
    items, indent = node.value, " " * node.start_mark.column
    if len(part) > len(items):
        return _with_lines(content, _end(content, node), indent, yaml_text.lines([part[-1]]))
    item = items[step]
    if len(part) < len(items):
        dash = content.rindex("-", 0, item.start_mark.index)
        return _without_lines(content, dash, _end(content, item)) if part else None
    first, *others = yaml_text.lines([part[step]])
    written = "\n".join([first.removeprefix("- "), *(indent + line for line in others)])
    return _with_span(content, item.start_mark.index, _end(content, item), written)


def _end(content: str, node: yaml.Node) -> int:
    """Return the index after the last character of a node. The mark of a block is further down."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    end = int(node.end_mark.index)
    while end > node.start_mark.index and content[end - 1] in " \n":
        end -= 1
    return end


def _line_end(content: str, index: int) -> int:
    end = content.find("\n", index)
    return len(content) if end < 0 else end


def _with_span(content: str, start: int, end: int, new: str) -> str:
    return content[:start] + new + content[end:]


def _with_lines(content: str, after: int, indent: str, new: Sequence[str]) -> str:
    """Return the text with lines after the line of an index."""
    end = _line_end(content, after)
    return content[:end] + "".join(f"\n{indent}{line}" for line in new) + (content[end:] or "\n")


def _without_lines(content: str, start: int, end: int) -> str | None:
    """Return the text without the lines of a part, and without comments below them that are indented further."""
    line_start = content.rfind("\n", 0, start) + 1
    if content[line_start:start].strip():
        return None
    column = start - line_start
    line_end = _line_end(content, end)
    while (comment := _INDENTED_COMMENT.match(content, line_end)) and len(comment[1]) > column:
        line_end = comment.end()
    return content[:line_start] + content[line_end + 1 :]
