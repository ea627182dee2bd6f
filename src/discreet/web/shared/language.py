"""The texts of pages in four languages, and numbers as each language writes them.

Every application has a folder `texts` with one JSON file for each language. `shared/texts` has the texts of all pages.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import get_args

from discreet.plan.metadata import Language
from discreet.publish.report.texts import SEPARATORS

LANGUAGES: tuple[Language, ...] = get_args(Language)

NAMES: dict[Language, str] = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
"""What each language calls itself."""


@dataclass(frozen=True)
class PageTexts:
    """The texts of an application in one language.

    Attributes
    ----------
    language
        The language.
    texts
        The texts by name.
    """

    language: Language = "en"
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __call__(self, text_name: str, **values: object) -> str:
        """Return a text with its values filled in."""
        return self.texts[text_name].format(**values)

    def number(self, number: float, decimals: int = 0) -> str:
        """Return a number with the separators of the language, and a true minus sign."""
        thousands, point = SEPARATORS[self.language]
        text = format(round(number, decimals) + 0, f",.{decimals}f")  # adding 0 turns -0.0 into 0.0
        return text.translate({ord(","): thousands, ord("."): point, ord("-"): "\u2212"})

    def whole_numbers(self, numbers: Iterable[int]) -> list[str]:
        """Return many whole numbers as `number` writes them, quicker."""
        thousands, _ = SEPARATORS[self.language]
        return [f"{number:,}".replace(",", thousands).replace("-", "\u2212") for number in numbers]

    def signed(self, number: float, decimals: int = 0) -> str:
        """Return a number with its sign, as for a change."""
        return ("+" if number > 0 else "") + self.number(number, decimals)

    def percent(self, share: float, decimals: int = 1) -> str:
        """Return a share in percent."""
        return self.number(100 * share, decimals) + ("%" if self.language == "en" else "\u202f%")


@lru_cache
def page_texts(package: str, language: Language) -> PageTexts:
    """Return the texts of an application, and those of all pages.

    Parameters
    ----------
    package
        The package whose folder `texts` has the files, such as "discreet.web.explorer".
    language
        The language.

    Examples
    --------
    >>> from discreet.web.shared.language import page_texts
    >>> page_texts("discreet.web.shared", "de").number(1234.5, 1)
    '1.234,5'
    """
    texts: dict[str, str] = {}
    for name in dict.fromkeys((__package__, package)):
        text = resources.files(name).joinpath("texts", f"{language}.json").read_text(encoding="utf-8")
        texts |= json.loads(text)
    return PageTexts(language, texts)


def chosen_language(requested: str | None, accepted: str | None) -> Language:
    """Return the language of a page.

    Parameters
    ----------
    asked
        The language that the reader chose, or None. Anything that is no language counts as None.
    accepted
        The header Accept-Language, or None.

    Examples
    --------
    >>> from discreet.web.shared.language import chosen_language
    >>> chosen_language(None, "da, fr-CH;q=0.9, en;q=0.8"), chosen_language("es", "fr"), chosen_language("xx", None)
    ('fr', 'es', 'en')
    """
    for language in LANGUAGES:
        if language == requested:
            return language
    wishes = []
    for position, part in enumerate((accepted or "")[:500].split(",")):
        name, _, weight = part.strip().partition(";q=")
        try:
            wishes.append((-float(weight or 1), position, name.lower()))
        except ValueError:
            continue
    for _, _, name in sorted(wishes):
        for language in LANGUAGES:
            if name.split("-")[0] == language:
                return language
    return "en"
