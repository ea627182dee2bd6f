"""`discreet design NAME`: one subcommand for each design, with the parameters of the design as options."""

import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_type_hints

import typer

from discreet.cli import _show, _streams
from discreet.design import registry
from discreet.domain import Cycle
from discreet.errors import EpsilonError, ParameterError
from discreet.mechanism import Mechanism

app = typer.Typer(
    help="Design a mechanism, certify it, and write its certificate.", no_args_is_help=True, add_completion=False
)

_LISTS = ("mono", "pstay", "weights")
"""Parameters that may be a list, with a value for each row or count."""

_EPSILON = typer.Option(metavar="NUMBER", help="Certify at this epsilon. The design has no epsilon of its own.")
_BITS = typer.Option(help="Every row of the certified table sums to 2**bits. Give 8 to 62.")
_COUNT = typer.Option(help="Draw the chart for this true count. By default the middle of the domain.")
_OUTPUT = typer.Option("--output", "-o", metavar="FILE", help="Write the certificate to this file.")

_COMMON_OPTIONS = {
    "bits": (int, 32, _BITS),
    "count": (int | None, None, _COUNT),
    "output": (str | None, None, _OUTPUT),
}


def _run(
    make: Callable[..., Mechanism],
    parameters: dict[str, Any],
    epsilon: str | None,
    bits: int,
    count: int | None,
    output: str | None,
) -> None:
    """Design, certify, write and show a mechanism. `epsilon` is for designs without an epsilon of their own."""
    with _show.waiting(f"designing {make.__name__}"):
        mechanism = make(**parameters)
    chart_count = count if count is not None else _middle(mechanism)
    try:
        ptable = mechanism.certify(epsilon, bits)
    except EpsilonError:
        if output is not None:
            raise
        _show.distribution(mechanism, chart_count)
        _show.console.print("This design has no epsilon of its own: give --epsilon to certify it.")
        return
    if output is not None:
        ptable.save(output)
        _streams.left(f"{output} is written")
    _show.distribution(Mechanism.from_table(ptable.table, mechanism.design), chart_count)
    _show.guarantee(ptable, other_notions=True)
    if output is not None:
        _show.console.print(f"certificate written to {output}")


def _middle(mechanism: Mechanism) -> int:
    if isinstance(mechanism.domain, Cycle):
        return 0
    lower, upper = mechanism.domain.lower, mechanism.domain.upper
    return lower if upper is None else (lower + upper) // 2


def _parse_list(name: str, text: Any) -> list[str] | list[bool]:
    """Return numbers, or for `mono` true and false, separated by commas or spaces. Raise ParameterError for others."""
    parts = str(text).replace(",", " ").split()
    if name != "mono":
        return parts
    values = {"true": True, "false": False}
    if not parts or not {part.lower() for part in parts} <= set(values):
        raise ParameterError(f"{name} is {text!r}; give true or false, or several of them separated by commas")
    return [values[part.lower()] for part in parts]


def parameter_help(docstring: str, name: str) -> str | None:
    """Return the description of a parameter in a numpy docstring, on one line. Return None if there is none.

    The heading of the description may have several names, and a type after a colon.
    """
    heading = rf"^(?:\w+, )*{re.escape(name)}(?:, \w+)*(?: : .*)?\n"
    description = re.search(rf"{heading}((?:    .*\n?)+)", docstring, re.MULTILINE)
    return " ".join(description[1].split()) if description else None


def _option(parameter: inspect.Parameter, hint: Any, docstring: str) -> inspect.Parameter:
    """Return a parameter of a design as an option of the command line."""
    kinds = get_args(hint)
    is_whole = int in kinds and float not in kinds
    kind: Any = hint if hint in (bool, int, float) else int if is_whole else str
    required = parameter.default is inspect.Parameter.empty
    option = typer.Option(help=parameter_help(docstring, parameter.name))
    return parameter.replace(
        annotation=Annotated[kind if required else kind | None, option],
        default=None if parameter.default == () else parameter.default,  # a command line cannot show an empty tuple
    )


def _add_command(name: str, make: Callable[..., Mechanism]) -> None:
    """Add the subcommand of a design: its parameters, --epsilon if the design has none, and the common options."""
    docstring, hints = inspect.getdoc(make) or "", get_type_hints(make)
    options = [
        _option(parameter, hints[parameter.name], docstring)
        for parameter in inspect.signature(make).parameters.values()
    ]
    own_names = {option.name for option in options}
    common = dict(_COMMON_OPTIONS)
    if "epsilon" not in own_names:
        common = {"epsilon": (str | None, None, _EPSILON), **common}
    options += [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[kind, option], default=default)
        for key, (kind, default, option) in common.items()
    ]

    def command(**values: Any) -> None:
        parameters = {
            key: _parse_list(key, values[key]) if key in _LISTS else values[key]
            for key in own_names
            if values[key] is not None
        }
        epsilon = None if "epsilon" in own_names else values["epsilon"]
        _run(make, parameters, epsilon, values["bits"], values["count"], values["output"])

    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = {option.name: option.annotation for option in options}
    summary = docstring.split("\n\n")[0].removeprefix("Return ")
    app.command(name.replace("_", "-"), help=summary[:1].upper() + summary[1:])(command)


for _name in registry.MODULES:
    _add_command(_name, registry.design(_name))
