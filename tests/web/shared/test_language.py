"""The texts of pages: every language says the same things, with the same values."""

import json
import re
from pathlib import Path

import pytest

import discreet.web
from discreet.web.shared.language import LANGUAGES, chosen_language, page_texts

FOLDERS = sorted(Path(discreet.web.__file__).parent.glob("*/texts"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_language_has_the_same_texts_with_the_same_values(folder: Path) -> None:
    texts = {language: json.loads((folder / f"{language}.json").read_text(encoding="utf-8")) for language in LANGUAGES}
    for language in LANGUAGES:
        assert list(texts[language]) == list(texts["en"]), language
        for name, text in texts["en"].items():
            values = [sorted(set(re.findall(r"\{(\w+)", one))) for one in (text, texts[language][name])]
            assert values[0] == values[1], (language, name)


def test_numbers_are_written_as_the_language_writes_them() -> None:
    assert page_texts("discreet.web.shared", "en").number(-1234567) == "\u22121,234,567"
    assert page_texts("discreet.web.shared", "de").number(1234.56, 1) == "1.234,6"
    assert page_texts("discreet.web.shared", "es").percent(0.123) == "12,3\u202f%"
    assert page_texts("discreet.web.shared", "en").signed(5) == "+5"
    for language in LANGUAGES:
        texts, numbers = page_texts("discreet.web.shared", language), [0, -1, 999, 1000, -1234567]
        assert texts.whole_numbers(numbers) == list(map(texts.number, numbers))
    assert page_texts("discreet.web.shared", "en").number(-0.01, 1) == "0.0"


@pytest.mark.parametrize(
    ("requested", "accepted", "language"),
    [
        ("fr", "de", "fr"),
        (None, "de-AT,de;q=0.9,en;q=0.8", "de"),
        (None, "en;q=0.1, es;q=0.7", "es"),
        ("<script>", "x" * 10_000, "en"),
        (None, "de;q=ä, fr", "fr"),
        (None, None, "en"),
    ],
)
def test_the_reader_chooses_the_language_then_the_browser(requested: str | None, accepted: str, language: str) -> None:
    assert chosen_language(requested, accepted) == language
