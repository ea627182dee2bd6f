"""What every section of a specification is: its fields are declared, and nothing changes after it is read."""

import re
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from discreet.errors import SpecError

LONGEST_LABEL = 200

UNPRINTED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def one_line(label: str) -> str:
    """Return a text unchanged. Raise ValueError if it has a line end or a control character."""
    if UNPRINTED.search(label):
        raise ValueError(f"the text {label!r:.60} has a line end or a control character; remove it")
    return label


Label = Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL), AfterValidator(one_line)]
Text = Annotated[str, Field(min_length=1)]


class Section(BaseModel):
    """A part of a specification: no other fields than declared ones, and no changes after it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Marked(Section):
    """A part of a specification with marks: fields that are written last, and only if they are given."""

    marks: ClassVar[tuple[str, ...]]

    @model_serializer(mode="wrap")
    def _without_empty_marks(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = serialize(self)
        marks = {name: fields.pop(name) for name in self.marks}
        return fields | {name: mark for name, mark in marks.items() if mark is not None}


class Declared(Marked):
    """What is declared with the place it comes from: the data themselves (`found`), or a public source."""

    marks = ("found", "source")

    found: Literal["data"] | None = Field(
        None,
        description="data: this was found in the data. Then nothing is promised, and a ledger is refused."
        " Replace the field by source, when somebody has checked it.",
    )
    source: Label | None = Field(
        None, description="What declares it apart from the data, such as: questionnaire 2026. It is published."
    )

    @model_validator(mode="after")
    def _found_or_source(self) -> Self:
        if self.found is not None and self.source is not None:
            raise SpecError(
                f"found: data and source: {self.source} contradict each other; remove found, if what is declared does"
                " not come from the data",
                ("found",),
            )
        return self
