"""The tables of noise of a release, each from a certificate, from a design by name, or from the adviser.

`measure` of a specification says which groupings are measured. With `published` these are all of them, with one table.
With a list, each entry may name a design of its own, and a grouping that is not listed is published from the others by
least squares. So it must be the sum of cells of a listed grouping (`determined`).
"""

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from inspect import signature
from typing import Any, NamedTuple

from discreet.certify.ptable import PTable, load
from discreet.design import registry
from discreet.domain import Counts
from discreet.errors import ParameterError, PrecisionWarning, SpecError
from discreet.exact import exact
from discreet.plan import contributor_keys
from discreet.plan.determined import require_determined, same_cells
from discreet.plan.layout import Layout
from discreet.plan.measured_cells import MeasuredCells
from discreet.plan.named_groupings import margin_in_words, published_index
from discreet.plan.sections import MeasuredGrouping
from discreet.plan.spec import ReleaseSpec
from discreet.plan.yaml_file import YamlPath
from discreet.spelling import did_you_mean

Design = dict[str, Any]


class ReleaseNoise(NamedTuple):
    """The noise of a release.

    Attributes
    ----------
    ptables
        The certified tables. No two have the same integers.
    measured
        The groupings that are measured, each with the number of its table.
    reason
        Why this noise was chosen, in words; empty for a folder that is read.
    """

    ptables: tuple[PTable, ...]
    measured: MeasuredCells
    reason: str = ""

    def parts(self, numbers: Sequence[int]) -> list[tuple[PTable, int]]:
        """Return the tables that have a number above 0, each with its number."""
        return [(ptable, number) for ptable, number in zip(self.ptables, numbers, strict=True) if number]

    @classmethod
    def of_one_table(cls, layout: Layout, ptable: PTable, reason: str = "") -> "ReleaseNoise":
        """Return the noise of a release that measures every grouping with one table."""
        return cls((ptable,), MeasuredCells.all_alike(layout), reason)

    @classmethod
    def in_order(
        cls, layout: Layout, ptables: Sequence[PTable], numbers: Sequence[int | None], reason: str = ""
    ) -> "ReleaseNoise":
        """Return the noise of a release, with tables in the order in which groupings first use them.

        Parameters
        ----------
        layout
            The groupings.
        ptables
            The certified tables, no two with the same integers.
        numbers
            For every grouping the number of its table among `ptables`; None if the grouping is not measured.
        reason
            Why this noise was chosen, in words.
        """
        used = list(dict.fromkeys(number for number in numbers if number is not None))
        noise_of = tuple(None if number is None else used.index(number) for number in numbers)
        return cls(tuple(ptables[number] for number in used), MeasuredCells(layout, noise_of), reason)


def choose_noise(spec: ReleaseSpec, layout: Layout) -> ReleaseNoise:
    """Return the certified tables of noise for a specification, which groupings each is for, and why.

    Parameters
    ----------
    spec
        The specification.
    layout
        Its groupings.

    Raises
    ------
    SpecError
        A design cannot be made, is not for counts, contradicts the specification, or does not fit the keys; or
        `measure` names a grouping that is not published, or does not determine one that is.
    """
    bits = spec.bits or (32 if spec.key == "contributors" else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        noise = _noise(spec, layout, bits)
    require_fit(spec, noise)
    for contradiction in contradictions(spec, noise):
        raise SpecError(f"{contradiction}; leave it out of the specification, or correct it", ("design",))
    return noise


def require_fit(spec: ReleaseSpec, noise: ReleaseNoise) -> None:
    """Raise SpecError if a table is not for counts, its bits do not fit the keys, or a grouping is not determined."""
    for ptable in noise.ptables:
        if not isinstance(ptable.domain, Counts) or ptable.domain.lower:
            raise SpecError(
                "the design is not for counts from 0 on; give another design, such as geometric", ("design",)
            )
        if spec.key == "contributors" and ptable.bits not in contributor_keys.BITS:
            raise SpecError(
                f"the table has {ptable.bits} bits; contributor keys have 8 to 32 bits: give bits in this range",
                ("bits",),
            )
    ends = any(isinstance(ptable.domain, Counts) and ptable.domain.upper is not None for ptable in noise.ptables)
    require_determined(spec, noise.measured, ends)


def _noise(spec: ReleaseSpec, layout: Layout, bits: int | None) -> ReleaseNoise:
    rows = spec.unit.contributions
    if not isinstance(spec.measure, list):
        if spec.design is None:
            ptable, reason = _advised_noise(spec, MeasuredCells.all_alike(layout).touches(rows).most, bits)
        else:
            ptable, reason = _named_noise(spec.design, bits, ("design",))
        return ReleaseNoise.of_one_table(layout, ptable, reason)
    entries = listed_groupings(spec, layout)
    if spec.design is None and not any(entry.design for entry in entries.values()):
        measured = MeasuredCells(layout, with_same_cells(layout, dict.fromkeys(entries, 0)))
        ptable, reason = _advised_noise(spec, measured.touches(rows).most, bits)
        return ReleaseNoise((ptable,), measured, reason)
    ptables: list[PTable] = []
    numbers: dict[int, int] = {}
    number_of_design: dict[str, int] = {}
    for position, (index, entry) in enumerate(entries.items()):
        design = entry.design or spec.design
        if design is None:
            raise SpecError(
                f"{_name(entry)} has no design, and other measured groupings have one; give each a design, or give a"
                " design of the release, or leave all designs out, so that the adviser chooses",
                ("measure", position),
            )
        text = json.dumps(design, sort_keys=True, default=str)
        if text not in number_of_design:
            ptable, _ = _named_noise(design, bits, ("measure", position, "design"))
            digests = [other.table_digest for other in ptables]
            if ptable.table_digest not in digests:
                ptables.append(ptable)
            number_of_design[text] = [other.table_digest for other in ptables].index(ptable.table_digest)
        numbers[index] = number_of_design[text]
    noise_of = with_same_cells(layout, numbers)
    reason = "the specification names the noise of each measured grouping"
    return ReleaseNoise.in_order(layout, ptables, noise_of, reason)


def listed_groupings(spec: ReleaseSpec, layout: Layout) -> dict[int, MeasuredGrouping]:
    """Return the entries of the list `measure`, by the index of the grouping that each names.

    Raises
    ------
    SpecError
        An entry names a table or a margin that is not published, or one that another entry names.
    """
    assert isinstance(spec.measure, list)
    if not spec.measure:
        raise SpecError("measure lists no grouping; list some, or leave measure out", ("measure",))
    entries: dict[int, MeasuredGrouping] = {}
    for position, entry in enumerate(spec.measure):
        index = published_index(layout, entry.table, entry.margin, ("measure", position))
        if index in entries:
            raise SpecError(f"measure names {_name(entry)} twice; name it once", ("measure", position))
        entries[index] = entry
    return entries


def with_same_cells(layout: Layout, numbers: Mapping[int, int | None]) -> tuple[int | None, ...]:
    """Return the table of noise of every grouping. Groupings with exactly the same cells have the same table.

    Raises
    ------
    SpecError
        Two groupings with the same cells have different tables.
    """
    noise_of: list[int | None] = [numbers.get(index) for index in range(len(layout.groupings))]
    for group in same_cells(layout):
        tables = {noise_of[index] for index in group} - {None}
        if len(tables) > 1:
            raise SpecError(
                f"measure gives the cells of {layout.groupings[group[0]].name} two kinds of noise, because two tables"
                " have them; give one",
                ("measure",),
            )
        for index in group:
            noise_of[index] = next(iter(tables), None)
    return tuple(noise_of)


def _name(entry: MeasuredGrouping) -> str:
    return margin_in_words(entry.table, entry.margin)


def _named_noise(design: Design, bits: int | None, yaml_path: YamlPath) -> tuple[PTable, str]:
    """Return the table of a design that a specification states."""
    parameters = dict(design)
    if "certificate" in parameters:
        return load(parameters["certificate"]), "the specification names its certificate"
    name = parameters.pop("name", None)
    if not isinstance(name, str) or name not in registry.MODULES:
        raise SpecError(
            f"the design is {name!r:.80}; give the name of a design, such as geometric, or {{certificate: FILE}}"
            f"{did_you_mean(name, registry.MODULES)}",
            yaml_path,
        )
    epsilon = parameters.pop("certify_at", None)
    known = list(signature(registry.design(name)).parameters)
    if unknown := [parameter for parameter in parameters if parameter not in known]:
        raise SpecError(
            f"the design {name} has no parameter {unknown[0]!r:.80}; its parameters are"
            f" {', '.join([*known, 'certify_at'])}{did_you_mean(unknown[0], known)}",
            yaml_path,
        )
    try:
        ptable = PTable(registry.design(name)(**parameters).certify(epsilon, bits or 32).certificate)
    except TypeError as error:
        raise SpecError(
            f"the design {name} refuses these parameters ({error}); see: discreet design {name} --help",
            yaml_path,
        ) from None
    except ParameterError as error:
        raise SpecError(str(error), yaml_path) from None
    return ptable, "the specification names this design"


def require_delta(spec: ReleaseSpec) -> None:
    """Raise SpecError if the budget of a release has no delta, which noise on unbounded counts needs."""
    assert spec.budget is not None
    if exact(spec.budget.delta, "delta") == 0:
        raise SpecError(
            "delta is 0, and unbounded counts need delta > 0, because the noise must end somewhere; give delta, for"
            " example 1e-9",
            ("budget",),
        )


def _advised_noise(spec: ReleaseSpec, touches: int, bits: int | None) -> tuple[PTable, str]:
    """Return the adviser's best table for the budget."""
    require_delta(spec)
    assert spec.budget is not None
    from discreet.plan.adviser import best_advice  # loads all designs, and only releases without a design need them

    advice = best_advice(
        epsilon=spec.budget.epsilon,
        delta=spec.budget.delta,
        cells=touches,
        contributions=spec.unit.contributions,
        bits=bits,
    )
    return advice.ptable, f"the adviser's choice: {advice.reason}"


def contradictions(spec: ReleaseSpec, noise: ReleaseNoise) -> Iterator[str]:
    """Yield one line for each statement of a specification that differs from the certificates of its tables.

    A certificate holds the parameters of its design. Some of them were computed, so only numbers and words that both
    the specification and the certificate state are compared. Noise may end before the support of the specification.
    """
    for ptable in noise.ptables:
        if spec.bits is not None and spec.bits != ptable.bits:
            yield f"bits is {spec.bits}, and the certificate's table has {ptable.bits}"
    if not isinstance(spec.measure, list):
        yield from _of_design(spec.design, noise.ptables[0])
        return
    for index, entry in listed_groupings(spec, noise.measured.layout).items():
        number = noise.measured.noise_of[index]
        if number is None:
            yield f"measure names {_name(entry)}, which is not measured"
        else:
            yield from _of_design(entry.design or spec.design, noise.ptables[number])


def _of_design(design: Design | None, ptable: PTable) -> Iterator[str]:
    """Yield one line for each parameter of a design that differs from the certificate of its table."""
    if design is None or "certificate" in design:
        return
    recorded: dict[str, Any] = {**ptable.design, "certify_at": ptable.certificate.epsilon.exponent}
    name = recorded.get("name")
    if design.get("name") != name or name not in registry.MODULES:
        yield f"the design is {design.get('name')!r:.80}, and the certificate's {name!r:.80}"
        return
    known = {"name", "certify_at", *signature(registry.design(name)).parameters}
    for parameter, value in design.items():
        if parameter not in known:
            yield f"the design {name} has no parameter {parameter!r:.80}"
        elif not _agree(parameter, value, recorded):
            yield f"the design's {parameter} is {value!r:.80}, and the certificate's {recorded.get(parameter)!s:.80}"


def _agree(parameter: str, value: Any, recorded: dict[str, Any]) -> bool:
    """Return True unless a number or word of the specification differs from the recorded one."""
    if parameter not in recorded and parameter not in ("epsilon", "alpha"):  # a certificate has one of these two
        return True
    certified = recorded.get(parameter)
    if value is None or isinstance(value, (list, dict)) or isinstance(certified, (list, dict)) or value == certified:
        return True
    try:
        stated, actual = exact(value, parameter), exact(certified, parameter)  # type: ignore[arg-type]
    except ParameterError:
        return False
    return actual <= stated if parameter == "support" else actual == stated
