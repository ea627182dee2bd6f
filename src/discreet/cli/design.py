"""`discreet design NAME`: one subcommand a design, its options read from the function's own signature and docstring."""

import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_type_hints

import typer

from discreet.cli import _streams, show
from discreet.design import registry
from discreet.domain import Cycle
from discreet.errors import EpsilonError, ParameterError
from discreet.mechanism import Mechanism

app = typer.Typer(
    help="Design a mechanism, certify it, and write its certificate.", no_args_is_help=True, add_completion=False
)

_SEVERAL = ("mono", "pstay", "weights")
"""Parameters that may have a value for each row or count."""

_AFTER = {
    "bits": (int, 32, typer.Option(help="Every row of the table sums to 2**bits; 8 to 62.")),
    "count": (int | None, None, typer.Option(help="True count to draw the chart for; the middle one unless given.")),
    "output": (str | None, None, typer.Option("--output", "-o", metavar="FILE", help="Write the certificate here.")),
}


def run(
    make: Callable[..., Mechanism],
    parameters: dict[str, Any],
    at: str | None,
    bits: int,
    count: int | None,
    output: str | None,
) -> None:
    """Design, certify, show, write."""
    with show.waiting(f"designing {make.__name__}"):
        mechanism = make(**parameters)
    chart = count if count is not None else _middle(mechanism)
    try:
        ptable = mechanism.certify(at, bits)
    except EpsilonError:
        if output is not None:
            raise
        show.law(mechanism, chart)
        show.console.print("This design has no epsilon of its own: give --epsilon to certify it.")
        return
    if output is not None:
        ptable.save(output)
        _streams.left(f"{output} is written")
    show.law(Mechanism.from_table(ptable.table, mechanism.design), chart)
    show.guarantee(ptable)
    if output is not None:
        show.console.print(f"certificate written to {output}")


def _middle(mechanism: Mechanism) -> int:
    if isinstance(mechanism.domain, Cycle):
        return 0
    return (
        mechanism.domain.lower
        if mechanism.domain.upper is None
        else (mechanism.domain.lower + mechanism.domain.upper) // 2
    )


def _default(value: Any) -> Any:
    """A default that a command line can show."""
    return None if value == () else value


def _several(key: str, given: Any) -> list[str] | list[bool]:
    """Numbers, or true and false, separated by commas or spaces."""
    parts = str(given).replace(",", " ").split()
    if key != "mono":
        return parts
    words = {"true": True, "false": False}
    if not parts or not {part.lower() for part in parts} <= set(words):
        raise ParameterError(f"{key} is {given!r}; give true or false, or several of them separated by commas")
    return [words[part.lower()] for part in parts]


def _add(name: str, make: Callable[..., Mechanism]) -> None:
    """A subcommand with the design's parameters, --epsilon where it has none, and the common options."""
    documented = inspect.getdoc(make) or ""
    hints = get_type_hints(make)
    parameters = []
    for parameter in inspect.signature(make).parameters.values():
        help_text = re.search(rf"^{parameter.name}\n((?:    .*\n?)+)", documented, re.MULTILINE)
        option = typer.Option(help=" ".join(help_text[1].split()) if help_text else None)
        hint = hints[parameter.name]
        whole = int in get_args(hint) and float not in get_args(hint)
        kind: Any = hint if hint in (bool, int, float) else int if whole else str
        optional = parameter.default is not inspect.Parameter.empty
        parameters.append(
            parameter.replace(
                annotation=Annotated[kind | None if optional else kind, option],
                default=_default(parameter.default) if optional else inspect.Parameter.empty,
            )
        )
    own = {parameter.name for parameter in parameters}
    extra = dict(_AFTER)
    if "epsilon" not in own:
        extra = {
            "epsilon": (
                str | None,
                None,
                typer.Option(help="Certify at this epsilon; the design has none of its own."),
            ),
            **extra,
        }
    for key, (kind, default, option) in extra.items():
        parameters.append(
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[kind, option], default=default)
        )

    def command(**given: Any) -> None:
        chosen = {
            key: _several(key, given[key]) if key in _SEVERAL else given[key] for key in own if given[key] is not None
        }
        run(
            make, chosen, None if "epsilon" in own else given["epsilon"], given["bits"], given["count"], given["output"]
        )

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app.command(name.replace("_", "-"), help=documented.split("\n\n")[0])(command)


for _name in registry.MODULES:
    _add(_name, registry.design(_name))
