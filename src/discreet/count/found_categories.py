"""Categories that a specification takes from the data. A release with such categories promises nothing."""

from typing import TYPE_CHECKING

from discreet.count.sources import open_engine
from discreet.errors import SpecError
from discreet.plan.spec import ReleaseSpec

if TYPE_CHECKING:
    from discreet.count.frame_rows import FrameRows

MOST_CATEGORIES = 100_000
"""Categories of a dimension that may be taken from the data."""


def with_categories(spec: ReleaseSpec, frame: "FrameRows | None" = None) -> ReleaseSpec:
    """Return the specification with the categories that it takes from the data.

    A dimension that no table uses, and that declares no categories, is left out.

    Parameters
    ----------
    spec
        The specification.
    frame
        The rows of a data frame, if the specification names no source.

    Raises
    ------
    SpecError
        A column has no values.
    InputError
        The source cannot be read, or a column has more than MOST_CATEGORIES different values.
    """
    missing = {
        name: dimension
        for name, dimension in spec.dimensions.items()
        if dimension.from_data and dimension.categories is None
    }
    if not missing:
        return spec
    dimensions = {
        name: dimension.model_dump()
        for name, dimension in spec.dimensions.items()
        if name in spec.used or name not in missing
    }
    with open_engine(frame or spec.source, column_names=spec.columns) as engine:
        for name in missing.keys() & spec.used:
            column = missing[name].column
            dimension = missing[name].with_categories(engine.values(column, MOST_CATEGORIES))
            if not dimension.categories:
                raise SpecError(
                    f"dimension {name!r} takes its categories from column {column!r}, which has no values; declare"
                    " categories"
                )
            dimensions[name] = dimension.model_dump()
    return ReleaseSpec.model_validate(spec.model_dump() | {"dimensions": dimensions})
