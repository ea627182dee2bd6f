"""What readers are told about a release: description, contact, licence, notes, and words for tables and categories.

Metadata are literals of the specification. They are published as they are, and decide nothing about counts and noise.
A wording is a text, or a text for each of several languages:

    metadata:
      description: {en: Residents by district, de: Einwohner nach Bezirk}
      licence: CC-BY-4.0
      dimensions:
        sex: {label: {en: Sex, de: Geschlecht}, categories: {female: {de: weiblich}}, codes: {female: F, male: M}}
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, field_validator

from discreet.errors import ParameterError, SpecError
from discreet.labels import OTHER, TOTAL, listed
from discreet.plan.sections import Dimension
from discreet.plan.spec_section import Label, Section, one_line
from discreet.spelling import did_you_mean

Language = Literal["en", "de", "fr", "es"]
"""Languages of the report and of the other fixed texts."""

LONGEST_TEXT = 2000

RESERVED_CODES = {TOTAL: "_T", OTHER: "_O"}
"""Codes of the labels that Discreet uses itself, as in the code lists of SDMX."""

_Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT), AfterValidator(one_line)]
_LanguageTag = Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$")]
Wording = _Text | Annotated[dict[_LanguageTag, _Text], Field(min_length=1)]
Code = Annotated[str, Field(pattern=r"^[A-Za-z0-9@$-][A-Za-z0-9_@$-]{0,59}$")]


def known_language(language: str) -> str:
    """Return a language unchanged. Raise ParameterError if there are no fixed texts in the language."""
    if language not in get_args(Language):
        raise ParameterError(f"the language is {language!r:.60}; choose from: {', '.join(get_args(Language))}")
    return language


def in_language(wording: Wording | None, language: str, default: str) -> str:
    """Return a wording in one language.

    Parameters
    ----------
    wording
        A text, or texts by language. None: the default.
    language
        The language that is asked for. If it is missing, English is taken, and then the first language that is given.
    default
        The text if there is no wording.
    """
    if wording is None or isinstance(wording, str):
        return default if wording is None else wording
    return wording.get(language) or wording.get("en") or next(iter(wording.values()))


class DimensionWords(Section):
    """Words and codes for a dimension and its categories."""

    label: Wording | None = Field(None, description="What readers call the dimension. Default: its name.")
    categories: dict[Label, Wording] = Field(
        default_factory=dict, description="What readers call a leaf or a group, also _other and _total."
    )
    codes: dict[Label, Code] = Field(
        default_factory=dict, description="Codes of leaves and groups: letters, digits, _, -, @ and $. Each code once."
    )

    @field_validator("codes")
    @classmethod
    def _distinct_codes(cls, codes: dict[str, str]) -> dict[str, str]:
        if len(set(codes.values())) < len(codes):
            raise ValueError("a code is given to two categories; give each category its own code")
        for name in RESERVED_CODES:
            if name in codes:
                raise SpecError(f"{name} has the code {RESERVED_CODES[name]}; leave it out", (name,))
        return codes


class Metadata(Section):
    """What readers are told about the release."""

    title: Wording | None = Field(None, description="The title in several languages. Default: title.")
    description: Wording | None = Field(None, description="What the tables are about.")
    contact: _Text | None = Field(None, description="Whom readers may ask: a name, an address or a URL.")
    licence: _Text | None = Field(None, description="The licence of the tables: a name, such as CC-BY-4.0, or a URL.")
    agency: Code | None = Field(None, description="Id of the publisher, as in SDMX. Default: SELF in SDMX files.")
    notes: list[Wording] = Field(default_factory=list, description="Remarks for readers.")
    tables: dict[Label, Wording] = Field(default_factory=dict, description="The titles of tables, by their names.")
    dimensions: dict[Label, DimensionWords] = Field(
        default_factory=dict, description="Words and codes for dimensions and categories, by the names of dimensions."
    )

    def without_unused(self, used: Collection[str]) -> "Metadata":
        """Return the metadata without words for dimensions that no table uses."""
        return self.model_copy(update={"dimensions": {k: v for k, v in self.dimensions.items() if k in used}})


def require_known_names(metadata: Metadata, tables: Collection[str], dimensions: Mapping[str, Dimension]) -> None:
    """Raise SpecError if metadata name a table, a dimension or a category that the specification does not have."""
    for name in metadata.tables:
        if name not in tables:
            _refuse(name, "table", tables, ("metadata", "tables", name))
    for name, words in metadata.dimensions.items():
        path = ("metadata", "dimensions", name)
        if name not in dimensions:
            _refuse(name, "dimension", list(dimensions), path)
        if dimensions[name].from_data:
            continue
        labels = [*_labels(dimensions[name]), OTHER, TOTAL]
        for field, names in (("categories", words.categories), ("codes", words.codes)):
            for label in names:
                if label not in labels:
                    _refuse(label, f"category of {name}", labels, (*path, field, label))


def _labels(dimension: Dimension) -> Iterator[str]:
    yield from dimension.ranges or dimension.categories or ()
    for groups in dimension.levels.values():
        yield from groups


def _refuse(name: str, kind: str, known: Collection[str], path: tuple[str, ...]) -> None:
    raise SpecError(f"{name!r:.60} is no {kind}; choose from: {listed(list(known))}{did_you_mean(name, known)}", path)
