"""Every text of a page exists in every language, with the same values to fill in, and pages are shown in each."""

import json
import re
from importlib import resources
from pathlib import Path

import pytest

from discreet.plan.metadata import Language
from discreet.web.shared.language import LANGUAGES
from tests.web.workbench.steward import opened
from tests.web.workbench.test_journey import ready

PACKAGE = resources.files("discreet.web.workbench")
TEXTS = {
    language: json.loads(PACKAGE.joinpath("texts", f"{language}.json").read_text(encoding="utf-8"))
    for language in LANGUAGES
}
SOURCES = "\n".join(
    file.read_text(encoding="utf-8")
    for file in sorted(Path(str(PACKAGE)).rglob("*"))
    if file.suffix in (".html", ".py")
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_texts_with_the_same_values(language: Language) -> None:
    english, texts = TEXTS["en"], TEXTS[language]
    assert list(texts) == list(english)
    for name, text in texts.items():
        assert text.strip() == text.lstrip(" ") != ""
        assert sorted(re.findall(r"{\w*}", text)) == sorted(re.findall(r"{\w*}", english[name])), name


def test_no_two_languages_share_a_sentence() -> None:
    for name, text in TEXTS["en"].items():
        if len(text.split()) > 4:
            assert len({TEXTS[language][name] for language in LANGUAGES}) == len(LANGUAGES), name


def test_every_text_is_used() -> None:
    families = ("refused_", "margins_", "key_", "running_", "stage_", "failed_", "verdict_", "error_", "state_",
                "chart_", "property_", "largest_", "mean_", "root_")  # fmt: skip
    unused = [name for name in TEXTS["en"] if f'"{name}"' not in SOURCES and f"'{name}'" not in SOURCES]
    assert [name for name in unused if not name.startswith(families)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_shown_in_every_language(tmp_path: Path, language: str) -> None:
    steward = ready(tmp_path)
    assert steward.get("language", to=language, page="tables").url.path.endswith("/tables")
    for page in (
        "",
        "columns",
        "tables",
        "plan",
        "settings",
        "yaml",
        "release",
        "check",
        "ledger",
        "studio",
        "left-out",
    ):
        answer = steward.get(page)
        assert answer.status_code == 200
        assert f'lang="{language}"' in answer.text or page in ("plan", "left-out")
    for page in ("dimension", "preview"):
        assert steward.get(page, name="age").status_code == 200


def test_the_language_of_the_browser_is_taken_first(tmp_path: Path) -> None:
    steward = opened(tmp_path)
    page = steward.request("GET", steward.made.root + "tables", headers={"accept-language": "fr-CH, en;q=0.5"})
    assert '<html lang="fr">' in page.text
    assert steward.get("language", to="//evil.example", page="//evil.example").url.path == steward.made.root
