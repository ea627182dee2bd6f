"""The fixed texts of the report: all of them in every language, and reports in every language."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pytest

from discreet.errors import ParameterError
from discreet.plan.metadata import Language
from discreet.publish import metadata_files
from discreet.publish.report import (
    adding_section,
    guarantee_section,
    numbers,
    reading_section,
    report_page,
    table_grid,
)
from discreet.publish.report.texts import CATALOGUE, Words
from discreet.publish.verify_folder import verify_folder
from discreet.release import run
from tests.publish.changed import release
from tests.publish.report.test_report_page import Reader, report_text

ENGLISH = CATALOGUE["en"]
LANGUAGES = get_args(Language)
FOREIGN = [language for language in LANGUAGES if language != "en"]


@pytest.mark.parametrize("language", FOREIGN)
def test_every_text_is_present_in_every_language(language: str) -> None:
    assert list(CATALOGUE[language]) == list(ENGLISH)
    assert all(text.strip() for text in CATALOGUE[language].values())


@pytest.mark.parametrize("language", FOREIGN)
@pytest.mark.parametrize("name", ENGLISH)
def test_a_translation_has_the_values_and_the_markup_of_the_english_text(language: str, name: str) -> None:
    parts = re.compile(r"\{\w+\}|<[^>]+>|`[^`]+`")
    assert sorted(parts.findall(CATALOGUE[language][name])) == sorted(parts.findall(ENGLISH[name]))


def test_french_texts_have_the_signs_of_french_print() -> None:
    """A narrow space before double signs, and no straight apostrophe."""
    for name, text in CATALOGUE["fr"].items():
        words = re.sub("<code>.*?</code>|`.*?`|{.*?}", "x", text)
        assert not re.search("(?<!\u202f)[:;?!%»]", words), name
        assert "'" not in words, name


@pytest.mark.parametrize("language", CATALOGUE)
def test_no_text_has_two_spaces_or_a_straight_quotation_mark(language: str) -> None:
    for name, text in CATALOGUE[language].items():
        assert "  " not in text, name
        assert '"' not in text, name


@pytest.mark.parametrize("language", FOREIGN)
def test_sentences_are_translated(language: str) -> None:
    same = [name for name, text in ENGLISH.items() if len(text) > 25 and CATALOGUE[language][name] == text]
    assert same == ["symbols"] * (CATALOGUE[language]["symbols"] == ENGLISH["symbols"])


def test_every_text_is_used() -> None:
    modules: list[Any] = [
        adding_section, guarantee_section, metadata_files, numbers, reading_section, report_page, table_grid,
    ]  # fmt: skip
    source = "".join(Path(module.__file__).read_text("utf-8") for module in modules)
    source += Path(metadata_files.__file__).with_name("display_labels.py").read_text("utf-8")
    built = {"head", "method", "key", "outside", "promise", "coin", "fact", "touches", "states", "unit", "one", "1"}
    unused = [name for name in ENGLISH if f'"{name}"' not in source and f"'{name}'" not in source]
    assert [name for name in unused if name.partition("_")[0] not in built] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_report_in_every_language_says_its_language_and_leaves_no_value_open(language: str) -> None:
    text = report_text({"language": language, "fixed": [{"where": {"sex": "f"}, "count": 30}]})
    assert ("html", {"lang": language}) in Reader(text).tags
    assert CATALOGUE[language]["tables_intro"] in text
    assert not re.search(r"\{\w+\}", text.partition("</style>")[2])


def test_numbers_have_the_separators_of_the_language() -> None:
    shown = {language: Words(language).number(1234567.5, ",.1f") for language in LANGUAGES}
    assert shown == {
        "en": "1,234,567.5", "de": "1.234.567,5", "fr": "1\u202f234\u202f567,5", "es": "1\u202f234\u202f567,5",
    }  # fmt: skip
    assert [numbers.percent(Fraction(1, 3), Words(language)) for language in LANGUAGES] == [
        "33.3%",
        "33,3\u202f%",
        "33,3\u202f%",
        "33,3\u202f%",
    ]


def test_one_million_is_singular() -> None:
    assert [numbers.one_in(1e-6, Words(language)) for language in LANGUAGES] == [
        "1 in 1 million",
        "1 zu 1 Million",
        "1 sur 1 million",
        "1 entre 1 millón",
    ]
    assert numbers.one_in(3.3e-9, Words("de")) == "1 zu 300 Millionen"


def test_the_language_of_a_release_is_published_and_replayed(tmp_path: Path) -> None:
    folder = release(tmp_path, language="de")
    assert verify_folder(folder).manifest.spec["language"] == "de"
    assert "Die Tabellen" in (folder / "report.html").read_text("utf-8")
    assert "Dateien" in (folder / "README.md").read_text("utf-8")


def test_an_unknown_language_is_refused_and_named(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="tlh"):
        run(
            {
                "version": "1",
                "source": {"csv": str(tmp_path / "people.csv")},
                "dimensions": {"sex": {"column": "sex", "categories": ["f"]}},
                "tables": [{"name": "t", "dimensions": ["sex"]}],
                "budget": {"epsilon": 1, "delta": "1e-6"},
                "key": "fresh",
            },
            tmp_path / "out",
            language="tlh",
        )
