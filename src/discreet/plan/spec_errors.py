"""What is wrong with a specification, said to the person who wrote it: one line for each mistake, with its place."""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from discreet.errors import SpecError
from discreet.plan.yaml_file import Place, text

HIDDEN = ("secret", "source", "ledger")
"""Parts whose values are not repeated in a message."""

_EXPECTED = {
    "string_type": "a text",
    "list_type": "a list",
    "tuple_type": "[lower, upper]",
    "dict_type": "a mapping, {{name: ...}}",
    "model_type": "a mapping, {{name: ...}}",
    "model_attributes_type": "a mapping, {{name: ...}}",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number or null",
    "float_parsing": "a number or null",
    "literal_error": "{expected}",
    "string_too_short": "a text that is not empty",
    "string_too_long": "at most {max_length} characters",
    "string_pattern_mismatch": "at most 80 letters, digits, _ and -, with a letter or digit first",
    "too_short": "at least {min_length}",
    "too_long": "at most {max_length}",
    "greater_than_equal": "a number from {ge} on",
    "less_than_equal": "a number up to {le}",
    "less_than": "a number below {lt}",
}


def of(error: ValidationError, document: Any) -> Iterator[tuple[Place, str]]:
    """Place and text of each mistake. Where there were several ways to be right, the one that came nearest counts."""
    found: dict[Place, list[dict[str, Any]]] = {}
    tried = set()
    for problem in error.errors(include_url=False):
        own = problem.get("ctx", {}).get("error")
        place, ways = _place(document, (*problem["loc"], *getattr(own, "place", ())))
        if ways:
            tried.add(place)
        found.setdefault(place, []).append(dict(problem))
    for place, problems in found.items():
        if place in tried and any(len(other) > len(place) and other[: len(place)] == place for other in found):
            continue
        yield place, _said(place, problems)


def name(place: Place, document: Any) -> str:
    """A place in words: tables and what else has a name by it, other items of lists by their number from 1."""
    parts = []
    for part in place:
        item = document[part] if isinstance(part, int) and isinstance(document, list) and part < len(document) else None
        called = item.get("name") if isinstance(item, dict) else None
        parts.append(called if isinstance(called, str) else f"item {part + 1}" if isinstance(part, int) else str(part))
        document = _inner(document, part)
    return ".".join(parts) or "the specification"


def unwritable(document: Any) -> None:
    """Refuse text that no file can hold: half of a surrogate pair, or a character 0."""
    left: list[tuple[Place, Any]] = [((), document)]
    done = set()
    while left:
        place, part = left.pop()
        if isinstance(part, str) and not _writable(part):
            raise SpecError(
                "the text has a character that files cannot hold (a NUL or a lone surrogate); remove it", place
            )
        if isinstance(part, (dict, list)) and id(part) not in done:
            done.add(id(part))
            if isinstance(part, dict):
                left += [((*place, text(key)), value) for key, value in part.items()]
                left += [(place, key) for key in part]
            else:
                left += [((*place, at), value) for at, value in enumerate(part) if not _writable(value)]


def _writable(part: Any) -> bool:
    """Whether a part is a text that files can hold."""
    return isinstance(part, str) and "\0" not in part and part.encode(errors="replace").decode() == part


def _said(place: Place, problems: list[dict[str, Any]]) -> str:
    kinds = {problem["type"]: problem for problem in problems}
    if "value_error" in kinds:
        return str(kinds["value_error"]["msg"]).removeprefix("Value error, ")
    if "missing" in kinds:
        return "this is missing; add it"
    if "extra_forbidden" in kinds:
        return "there is no such field; leave it out, or see: discreet release --schema"
    expected = [
        _EXPECTED[kind].format(**problem.get("ctx", {})) for kind, problem in kinds.items() if kind in _EXPECTED
    ]
    if not expected:
        message = str(problems[0]["msg"])
        return message[:1].lower() + message[1:]
    given = problems[0]["input"]
    remedy = f"give {', or '.join(dict.fromkeys(expected))}"
    if not isinstance(given, (str, int, float, type(None))) or (place and place[0] in HIDDEN):
        return remedy
    shown = "null" if given is None else text(given) if isinstance(given, bool) else f"{given!r:.60}"
    return f"{shown} is given; {remedy}"


def _place(document: Any, loc: tuple[int | str, ...]) -> tuple[Place, bool]:
    """The parts of a location that the document has, or lacks at its end; and whether ways to be right were dropped."""
    place: list[int | str] = []
    dropped = False
    for at, part in enumerate(loc):
        lacking = at == len(loc) - 1 and isinstance(document, (dict, list)) and _field(part)
        if lacking or _has(document, part):
            place.append(part)
            document = _inner(document, part)
        else:
            dropped = True
    return tuple(place), dropped


def _field(part: int | str) -> bool:
    """Whether this may be the name of a field, and not of a way to be right, such as list[str]."""
    return isinstance(part, int) or (part.isidentifier() and part not in ("str", "dict", "list"))


def _has(document: Any, part: int | str) -> bool:
    if isinstance(document, dict):
        return any(text(key) == part for key in document)
    return isinstance(document, list) and isinstance(part, int) and part < len(document)


def _inner(document: Any, part: int | str) -> Any:
    """What a document has at a part; None where it has nothing."""
    if isinstance(document, dict):
        return next((value for key, value in document.items() if text(key) == part), None)
    if isinstance(document, list):
        for at, item in enumerate(document):
            if at == part or (isinstance(item, dict) and item.get("name") == part):
                return item
    return None
