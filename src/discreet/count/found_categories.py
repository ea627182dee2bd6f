"""Categories that a specification takes from the data. A release with such categories promises nothing."""

from discreet.count.sources import open_engine
from discreet.errors import SpecError
from discreet.plan.spec import ReleaseSpec

MOST_CATEGORIES = 100_000
"""Categories that may be taken from the data."""


def with_categories(spec: ReleaseSpec) -> ReleaseSpec:
    """Return the specification with the categories that it takes from the data.

    Dimensions that no table uses are not looked up, and left out.
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
    with open_engine(spec.source, named=spec.columns) as engine:
        for name in missing.keys() & spec.used:
            column = missing[name].column
            dimension = missing[name].with_categories(engine.values(column, MOST_CATEGORIES))
            if not dimension.categories:
                raise SpecError(
                    f"dimension {name!r} takes its categories from column {column!r}, where there is none; declare its"
                    " categories"
                )
            dimensions[name] = dimension.model_dump()
    return ReleaseSpec.model_validate(spec.model_dump() | {"dimensions": dimensions})
