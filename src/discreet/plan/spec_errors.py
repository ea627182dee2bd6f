"""Mistakes in a specification, told to the person who wrote it: one line for each, with the part that it is about."""

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from discreet.errors import SpecError
from discreet.labels import listed
from discreet.plan.yaml_file import YamlPath, text
from discreet.spelling import nearest_spelling

HIDDEN = ("secret", "source", "ledger")
"""Parts of a specification whose values no message repeats."""

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


def mistakes(error: ValidationError, document: Any, model: type[BaseModel]) -> Iterator[tuple[YamlPath, str]]:
    """Yield the path and the message of each mistake.

    A value may be allowed in several forms. Then only the mistakes of the form that comes nearest are told.

    Parameters
    ----------
    error
        What pydantic found.
    document
        What was validated.
    model
        What the document should be. Its fields are offered in place of a field that does not exist.
    """
    problems_by_path: dict[YamlPath, list[dict[str, Any]]] = {}
    several_forms = set()
    for problem in error.errors(include_url=False):
        own_error = problem.get("ctx", {}).get("error")
        location = (*problem["loc"], *getattr(own_error, "yaml_path", ()))
        yaml_path, forms_dropped = _yaml_path(document, location)
        if forms_dropped:
            several_forms.add(yaml_path)
        problems_by_path.setdefault(yaml_path, []).append(dict(problem))
    for yaml_path, problems in problems_by_path.items():
        if yaml_path in several_forms and any(_is_inside(other, yaml_path) for other in problems_by_path):
            continue
        yield yaml_path, _message(yaml_path, problems, model)


def _is_inside(yaml_path: YamlPath, outer: YamlPath) -> bool:
    return len(yaml_path) > len(outer) and yaml_path[: len(outer)] == outer


def path_text(yaml_path: YamlPath, document: Any) -> str:
    """Return a path in words. An item of a list goes by its name if it has one, else by its number from 1."""
    parts = []
    for part in yaml_path:
        item = document[part] if isinstance(part, int) and isinstance(document, list) and part < len(document) else None
        name = item.get("name") if isinstance(item, dict) else None
        is_item = isinstance(part, int) and not isinstance(document, dict)
        parts.append(name if isinstance(name, str) else f"item {int(part) + 1}" if is_item else str(part))
        document = _inner(document, part)
    return ".".join(parts) or "the specification"


def refuse_unwritable_text(document: Any) -> None:
    """Raise SpecError if a text holds a character that no file can hold: a NUL or half of a surrogate pair."""
    stack: list[tuple[YamlPath, Any]] = [((), document)]
    visited = set()
    while stack:
        yaml_path, part = stack.pop()
        if isinstance(part, str) and not _is_writable(part):
            raise SpecError(
                "the text has a character that files cannot hold (a NUL or a lone surrogate); remove it", yaml_path
            )
        if isinstance(part, (dict, list)) and id(part) not in visited:
            visited.add(id(part))
            if isinstance(part, dict):
                stack += [((*yaml_path, text(key)), value) for key, value in part.items()]
                stack += [(yaml_path, key) for key in part]
            else:
                stack += [((*yaml_path, index), item) for index, item in enumerate(part) if not _is_writable(item)]


def _is_writable(part: Any) -> bool:
    """Return True if a part is a text that files can hold."""
    return isinstance(part, str) and "\0" not in part and part.encode(errors="replace").decode() == part


def _message(yaml_path: YamlPath, problems: list[dict[str, Any]], model: type[BaseModel]) -> str:
    """Return one line for all problems that pydantic found at one path."""
    problem_by_type = {problem["type"]: problem for problem in problems}
    if "value_error" in problem_by_type:
        return str(problem_by_type["value_error"]["msg"]).removeprefix("Value error, ")
    if "missing" in problem_by_type:
        return "this is missing; add it"
    if "invalid_key" in problem_by_type:
        return (
            f"a field is named {yaml_path[-1]}; names are texts. Between braces a comma ends a field: write decimals"
            " with a point, such as 2.5"
        )
    if "extra_forbidden" in problem_by_type:
        return _no_such_field(yaml_path, model)
    expected = [
        _EXPECTED[kind].format(**problem.get("ctx", {}))
        for kind, problem in problem_by_type.items()
        if kind in _EXPECTED
    ]
    if not expected:
        message = str(problems[0]["msg"])
        return message[:1].lower() + message[1:]
    value = problems[0]["input"]
    remedy = f"give {', or '.join(dict.fromkeys(expected))}"
    if not isinstance(value, (str, int, float, type(None))) or (yaml_path and yaml_path[0] in HIDDEN):
        return remedy
    shown = "null" if value is None else text(value) if isinstance(value, bool) else f"{value!r:.60}"
    return f"{shown} is given; {remedy}"


def _no_such_field(yaml_path: YamlPath, model: type[BaseModel]) -> str:
    """Return the message about a field that does not exist, with the field of the nearest name."""
    fields = _fields_beside(yaml_path, model)
    near = nearest_spelling(str(yaml_path[-1]), fields)
    if near is not None:
        return f"there is no such field; did you mean {near}? If not, leave it out"
    return f"there is no such field; leave it out, or give one of: {listed(fields, most=len(fields))}"


def _fields_beside(yaml_path: YamlPath, model: type[BaseModel]) -> list[str]:
    """Return the fields of the section that the last part of a path is in."""
    forms: list[Any] = [model]
    for part in yaml_path[:-1]:
        forms = [inner for form in forms for inner in _forms_inside(form, part)]
    return [name for form in forms if _is_section(form) for name in form.model_fields]


def _forms_inside(form: Any, part: int | str) -> list[Any]:
    """Return the types that a part of a section, a list or a mapping may have."""
    if _is_section(form):
        field = form.model_fields.get(part)
        return [] if field is None else _forms(field.annotation)
    return _forms(get_args(form)[-1]) if get_origin(form) in (list, dict) else []


def _forms(annotation: Any) -> list[Any]:
    """Return the types that an annotation allows."""
    if get_origin(annotation) is Annotated:
        return _forms(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [form for part in get_args(annotation) for form in _forms(part)]
    return [annotation]


def _is_section(form: Any) -> bool:
    return isinstance(form, type) and issubclass(form, BaseModel)


def _yaml_path(document: Any, location: tuple[int | str, ...]) -> tuple[YamlPath, bool]:
    """Return the path of a pydantic location, and True if names of forms, such as list[str], were left out."""
    yaml_path: list[int | str] = []
    forms_dropped = False
    for index, part in enumerate(location):
        missing_field = index == len(location) - 1 and isinstance(document, (dict, list)) and _may_be_field(part)
        if missing_field or _has(document, part):
            yaml_path.append(part)
            document = _inner(document, part)
        else:
            forms_dropped = True
    return tuple(yaml_path), forms_dropped


def _may_be_field(part: int | str) -> bool:
    """Return True if a part may be the name of a field, and is not the name of a form, such as list[str]."""
    return isinstance(part, int) or (part.isidentifier() and part not in ("str", "dict", "list"))


def _has(document: Any, part: int | str) -> bool:
    if isinstance(document, dict):
        return any(text(key) == part for key in document)
    return isinstance(document, list) and isinstance(part, int) and part < len(document)


def _inner(document: Any, part: int | str) -> Any:
    """Return a part of a document, or None if there is no such part."""
    if isinstance(document, dict):
        return next((value for key, value in document.items() if text(key) == part), None)
    if isinstance(document, list):
        for index, item in enumerate(document):
            if index == part or (isinstance(item, dict) and item.get("name") == part):
                return item
    return None
