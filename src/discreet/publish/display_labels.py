"""What readers call tables, dimensions and categories, in the language of the release.

The words come from the metadata of the specification. Without words, names and labels stand as they are, except for
`_total` and `_other`, which have a text in each language.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from discreet.labels import OTHER, TOTAL, listed
from discreet.plan.layout import GroupingAxis
from discreet.plan.metadata import in_language
from discreet.plan.sections import TableSpec
from discreet.plan.spec import ReleaseSpec
from discreet.publish.report.texts import Words


@dataclass(frozen=True)
class DisplayLabels:
    """The words of a specification for its readers.

    Attributes
    ----------
    spec
        The specification.
    names_filters
        False for folders of old versions of the format, which name filters in the report only.
    """

    spec: ReleaseSpec
    names_filters: bool = True

    @property
    def words(self) -> Words:
        """The fixed texts in the language of the release."""
        return Words(self.spec.language)

    @property
    def title(self) -> str:
        """The title of the release."""
        return in_language(self.spec.metadata.title, self.spec.language, self.spec.title)

    @property
    def description(self) -> str:
        """The description of the release; an empty text if there is none."""
        return in_language(self.spec.metadata.description, self.spec.language, "")

    @property
    def notes(self) -> list[str]:
        """The notes of the release."""
        return [in_language(note, self.spec.language, "") for note in self.spec.metadata.notes]

    def table(self, name: str) -> str:
        """Return the title of a table. Default: its name."""
        return in_language(self.spec.metadata.tables.get(name), self.spec.language, name)

    def people(self, table: TableSpec) -> str:
        """Return a sentence that says whom the filter of a table keeps; an empty text without a filter."""
        if not table.filter or not self.names_filters:
            return ""
        parts = (
            f"{self.dimension(name)}: {', '.join(self.category(name, text) for text in values)}"
            for name, values in table.filter.items()
        )
        return self.words("only", filter="; ".join(parts))

    def dimension(self, name: str) -> str:
        """Return what readers call a dimension. Default: its name."""
        words = self.spec.metadata.dimensions.get(name)
        return in_language(None if words is None else words.label, self.spec.language, name)

    def axis(self, dimension: str, level: str | None) -> str:
        """Return what readers call a dimension of a table, with its level if that is not the finest."""
        return self.dimension(dimension) + (f" ({level})" if level else "")

    def leaves_in_other(self, axes: Iterable[GroupingAxis]) -> list[str]:
        """Return a sentence for each axis whose group `_other` has declared leaves, which are in no group."""
        sentences = []
        for axis in axes:
            leaves = axis.book.in_no_group(axis.level or "")
            if leaves and OTHER in axis.labels:
                names = listed([self.category(axis.book.name, leaf) for leaf in leaves])
                sentences.append(
                    self.words("leaves_in_other", dimension=self.axis(axis.book.name, axis.level), leaves=names)
                )
        return sentences

    def category(self, dimension: str, label: str) -> str:
        """Return what readers call a leaf or a group. Default: its label, or a text for `_total` and `_other`."""
        words = self.spec.metadata.dimensions.get(dimension)
        default = {TOTAL: self.words("total"), OTHER: self.words("other")}.get(label, label)
        return in_language(None if words is None else words.categories.get(label), self.spec.language, default)
