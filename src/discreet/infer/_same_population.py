"""Whether two releases count the same people, in words where they do not: codebooks, labels, filters and the unit."""

from typing import TYPE_CHECKING

from discreet.labels import listed

if TYPE_CHECKING:
    from discreet.plan.codebook import Codebook
    from discreet.plan.layout import Grouping
    from discreet.plan.sections import Unit


def counted(unit: "Unit") -> str:
    """In words, what a specification counts."""
    rows = "one row" if unit.contributions == 1 else f"up to {unit.contributions} rows"
    return "every row" if unit.id is None else f"{rows} of each {unit.name or unit.id!r}"


def differing(ours: "Grouping", theirs: "Grouping") -> str | None:
    """In words, the first difference between the people of two groupings with the same dimensions."""
    for one, other in zip(ours.axes, theirs.axes, strict=True):
        name = one.book.name
        if said := _recoded(one.book, other.book):
            return said
        if one.labels != other.labels:
            apart = sorted({*one.labels} ^ {*other.labels}) or [*one.labels]
            return f"the labels of {name!r} differ or are in another order ({listed(apart, 5)})"
        for label, mine, its in zip(one.labels, one.members, other.members, strict=True):
            if _names(one.book, mine) != _names(other.book, its):
                return (
                    f"{label!r} of {name!r} holds {', '.join(_names(other.book, its))} there and"
                    f" {', '.join(_names(one.book, mine))} here"
                )
    here, there = _filters(ours), _filters(theirs)
    for name in sorted({*here, *there}):
        if name in here and name in there and (said := _recoded(here[name][0], there[name][0])):
            return said
        kept = [", ".join(_names(*given[name])) if name in given else "all" for given in (there, here)]
        if kept[0] != kept[1]:
            return f"its filter on {name!r} keeps {kept[0]} there and {kept[1]} here"
    return None


def _filters(grouping: "Grouping") -> dict[str, tuple["Codebook", frozenset[int]]]:
    """What a grouping is filtered to, by dimension; a filter that leaves everyone is none."""
    return {book.name: (book, kept) for book, kept in grouping.within if len(kept) < len(book.leaves)}


def _recoded(one: "Codebook", other: "Codebook") -> str | None:
    """In words, how two codebooks of one name differ: by their digests."""
    if one.digest == other.digest:
        return None
    if apart := sorted({*one.leaves} ^ {*other.leaves}):
        return f"the categories of {one.name!r} differ ({listed(apart, 5)})"
    return f"the categories of {one.name!r} are made from another column or from other raw values"


def _names(book: "Codebook", leaves: frozenset[int]) -> list[str]:
    return sorted(book.leaves[leaf] for leaf in leaves)
