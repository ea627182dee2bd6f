"""The fixed texts of the report and of README.md, in several languages, and numbers as each language writes them."""

from dataclasses import dataclass
from typing import get_args

from discreet.plan.metadata import Language
from discreet.publish.report.texts import english, french, german, spanish

CATALOGUE: dict[str, dict[str, str]] = {
    "en": english.TEXTS,
    "de": german.TEXTS,
    "fr": french.TEXTS,
    "es": spanish.TEXTS,
}

SEPARATORS = {"en": (",", "."), "de": (".", ","), "fr": ("\u202f", ","), "es": ("\u202f", ",")}
"""The separators of thousands and of decimals."""

assert CATALOGUE.keys() == SEPARATORS.keys() == set(get_args(Language))


@dataclass(frozen=True)
class Words:
    """The fixed texts in one language, and numbers as the language writes them."""

    language: Language = "en"

    def __call__(self, name: str, **values: object) -> str:
        """Return a text with its values filled in."""
        return CATALOGUE[self.language][name].format(**values)

    def number(self, number: object, form: str = ",") -> str:
        """Return a number with the separators of the language.

        Parameters
        ----------
        number
            A number, or a number as English text.
        form
            How Python formats the number. It is ignored for a text.
        """
        thousands, decimals = SEPARATORS[self.language]
        english_text = number if isinstance(number, str) else format(number, form)
        return english_text.translate({ord(","): thousands, ord("."): decimals})

    def percent(self, number: str) -> str:
        """Return a number in percent: French, German and Spanish write a space before the sign."""
        return self.number(number) + ("%" if self.language == "en" else "\u202f%")


ENGLISH = Words()
