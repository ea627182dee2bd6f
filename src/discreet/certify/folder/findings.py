"""The findings of a check: claims that are proved, fail or are not shown, and statements that cannot be checked."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, MemoryError)
"""Errors that a document of another form causes in code that expects the form of a release."""

LONGEST_NUMBER = 4000
"""Characters in a number that is written as text."""

LONGEST_EXPONENT = 3
"""Digits in the exponent of such a number: "1e999999999" would fill the memory."""


def rounded_up(value: Fraction, digits: int = 6) -> str:
    """Return a number with so many digits, rounded up: no delta is printed smaller than it is."""
    context = Context(prec=digits, rounding=ROUND_CEILING)
    return f"{float(context.divide(Decimal(value.numerator), Decimal(value.denominator))):.{digits}g}"


class WrongError(Exception):
    """A claim that does not hold, in words."""


class Finding(NamedTuple):
    """One claim and the verdict on it.

    Attributes
    ----------
    verdict
        "proved", "fails" or "not shown".
    claim
        The file or the part of the manifest that the claim is about.
    text
        The finding in words.
    """

    verdict: str
    claim: str
    text: str


@dataclass
class Report:
    """All findings on a folder, and the statements of the folder that nothing in it can show to be true or false."""

    findings: list[Finding] = field(default_factory=list)
    stated: list[str] = field(default_factory=list)

    @property
    def failures(self) -> list[str]:
        """Every claim that fails, one line each."""
        return [f"{finding.claim}: {finding.text}" for finding in self.findings if finding.verdict == "fails"]

    def attempt(self, claim: str, check: Callable[..., T], *arguments: Any) -> T | None:
        """Return the result of a check. If the claim fails or a document has another form, add a finding; return None.

        Parameters
        ----------
        claim
            The claim that a finding names.
        check
            A function that raises WrongError if the claim fails.
        arguments
            The arguments of the function.
        """
        try:
            return check(*arguments)
        except WrongError as wrong:
            self.add("fails", claim, str(wrong))
        except MALFORMED as error:
            form = f"it does not have the form of a release ({type(error).__name__}: {error!s:.200})"
            self.add("fails", claim, form)
        return None

    def add(self, verdict: str, claim: str, text: str) -> None:
        """Add a finding."""
        self.findings.append(Finding(verdict, claim, printable(text)))

    def state(self, text: str) -> None:
        """Add a statement that is not checked."""
        self.stated.append(printable(text))


def printable(text: str) -> str:
    """Return a text with "?" for line ends and control characters, safe for a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def need(holds: object, text: str) -> None:
    """Raise WrongError with the text unless `holds` is true."""
    if not holds:
        raise WrongError(text)


def integer(value: object, least: int, most: int, name: str) -> int:
    """Return the value if it is an integer within the limits. Raise WrongError for anything else, also for booleans."""
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
    """Return a JSON document. Raise WrongError if a field occurs twice in one object."""

    def unique(items: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(items)) == len(items), "a field occurs twice in one JSON object")
        return dict(items)

    return json.loads(raw.decode(), object_pairs_hook=unique)
