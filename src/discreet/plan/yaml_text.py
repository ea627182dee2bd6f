"""Write values as YAML that `yaml_file` reads back as the same values."""

import math
import re
from collections.abc import Mapping
from typing import Any

LONGEST_LINE = 100
"""Lists and mappings are written on one line up to so many characters."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.<>=+/()-]*( [A-Za-z0-9_.<>=+/()-]+)*")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def quoted(text: str, *, in_flow: bool = True) -> str:
    """Return a text as a YAML scalar: plain if no reader can take it for something else, else in double quotes.

    Parameters
    ----------
    text
        The text.
    in_flow
        True if the scalar may stand between brackets or braces.

    Examples
    --------
    >>> from discreet.plan.yaml_text import quoted
    >>> quoted("not stated"), quoted("no"), quoted("007"), quoted('say "a"')
    ('not stated', '"no"', '"007"', '"say \\\\"a\\\\""')
    """
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS and not (in_flow and set(text) & set(",[]{}")):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else _escape(c) for c in escaped) + '"'


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def inline(value: Any) -> str:
    """Return a value on one line: a scalar, [a, b] or {a: b}.

    Parameters
    ----------
    value
        Dicts, lists, texts, numbers, booleans and None.

    Examples
    --------
    >>> from discreet.plan.yaml_text import inline
    >>> inline({"ranges": {"under 16": [0, 16], "65 and over": [65, None]}})
    '{ranges: {under 16: [0, 16], "65 and over": [65, null]}}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{inline(key)}: {inline(part)}" for key, part in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(inline, value)) + "]"
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return _float(value)
    return str(value)


def _float(number: float) -> str:
    """Return a float with a point, without which `yaml_file` reads a text."""
    if not math.isfinite(number):
        return ".nan" if math.isnan(number) else ".inf" if number > 0 else "-.inf"
    digits, exponent, power = repr(number).partition("e")
    return f"{digits if '.' in digits else digits + '.0'}{exponent}{power}"


def lines(value: Any) -> list[str]:
    """Return a value as lines of a block: one for each entry of a mapping or list, or more if an entry is long.

    Examples
    --------
    >>> from discreet.plan.yaml_text import lines
    >>> lines({"name": "people", "dimensions": ["sex", "age"]})
    ['name: people', 'dimensions: [sex, age]']
    """
    if isinstance(value, Mapping) and value:
        return [line for key, part in value.items() for line in entry(key, part)]
    if isinstance(value, (list, tuple)) and value:
        items = [[inline(part)] if _is_short(part) else lines(part) for part in value]
        return [("  " if rest else "- ") + line for item in items for rest, line in enumerate(item)]
    return [inline(value)]


def entry(key: Any, value: Any) -> list[str]:
    """Return an entry of a mapping as lines."""
    if _is_short(value):
        return [f"{inline(key)}: {inline(value)}"]
    return [f"{inline(key)}:", *(f"  {line}" for line in lines(value))]


def _is_short(value: Any) -> bool:
    """Return True if a value is written on one line: scalars, empty collections, and short ones."""
    is_collection = isinstance(value, (Mapping, list, tuple)) and bool(value)
    return not is_collection or len(inline(value)) <= LONGEST_LINE
