"""What a check finds: claims that are proved, fail or are not shown, and what is merely stated."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

MISTAKES = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, MemoryError)
"""What code that expects one form of document runs into with another."""

LONGEST_NUMBER = 4000
"""Characters in a number that is written as text."""

LONGEST_EXPONENT = 3
"""Digits in the exponent of such a number: "1e999999999" would fill the memory."""


class WrongError(Exception):
    """A claim that does not hold, in words."""


class Finding(NamedTuple):
    """proved, fails or not shown; what it is about; and in words."""

    word: str
    what: str
    text: str


@dataclass
class Report:
    """What was found of a folder, and what it states that nothing in it can tell."""

    findings: list[Finding] = field(default_factory=list)
    stated: list[str] = field(default_factory=list)

    @property
    def failures(self) -> list[str]:
        """Every claim that fails, one line each."""
        return [f"{each.what}: {each.text}" for each in self.findings if each.word == "fails"]

    def attempt(self, what: str, check: Callable[..., T], *given: Any) -> T | None:
        """What a check returns; None, and a finding, if a claim fails or a document has another form."""
        try:
            return check(*given)
        except WrongError as wrong:
            self.add("fails", what, str(wrong))
        except MISTAKES as error:
            self.add("fails", what, f"it does not have the form of a release ({type(error).__name__}: {error!s:.200})")
        return None

    def add(self, word: str, what: str, text: str) -> None:
        """Note a finding."""
        self.findings.append(Finding(word, what, printable(text)))

    def state(self, text: str) -> None:
        """Note what is stated and not checked."""
        self.stated.append(printable(text))


def printable(text: str) -> str:
    """A stranger's text without line ends and control characters, for a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def need(holds: object, text: str) -> None:
    """Raise WrongError unless it holds."""
    if not holds:
        raise WrongError(text)


def integer(value: object, least: int, most: int, name: str) -> int:
    """An integer, and nothing that only looks like one."""
    if type(value) is not int or not least <= value <= most:
        raise WrongError(f"{name} is {value!r:.60}, and not an integer from {least} to {most}")
    return value


def number(value: object, name: str) -> Fraction:
    """Return the number that a text states, such as 0.5, 1e-06 or 1/3.

    Raise WrongError if the value is no text, is longer than any number of a release, or has a longer exponent.
    """
    need(isinstance(value, str) and len(value) <= LONGEST_NUMBER, f"{name} is {value!r:.60}, and not a number as text")
    text = str(value)
    exponent = text.lower().partition("e")[2].strip().lstrip("+-")
    need(len(exponent) <= LONGEST_EXPONENT, f"{name} is {text!r:.60}, and its exponent is out of range")
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise WrongError(f"{name} is {text!r:.60}, which does not have the form of a number") from None


def json_of(raw: bytes) -> Any:
    """A JSON document in which no field occurs twice."""

    def unique(items: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(items)) == len(items), "a field occurs twice in one JSON object")
        return dict(items)

    return json.loads(raw.decode(), object_pairs_hook=unique)
