"""Public functions say what they take, what they return, what they refuse, and show an example.

Public are the names of `docs/reference/api`, which `test_documentation` compares with the names of the packages.
`test_doctests` runs the examples.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "discreet"
REFERENCE = "\n".join(page.read_text() for page in sorted((ROOT / "docs/reference/api").glob("*.md")))


def resolved(name: str) -> Any:
    """Return the object of a dotted name."""
    module, _, last = name.rpartition(".")
    return getattr(import_module(module), last)


OBJECTS = {name: resolved(name) for name in re.findall(r"^::: (\S+)$", REFERENCE, re.MULTILINE)}
FUNCTIONS = {name: value for name, value in OBJECTS.items() if inspect.isfunction(value)}


def methods() -> Iterator[tuple[str, type, Callable[..., Any]]]:
    """Yield the public methods of public classes: the name, the class and the function."""
    for name, owner in OBJECTS.items():
        for method_name, method in vars(owner).items() if inspect.isclass(owner) else ():
            function = method.__func__ if isinstance(method, (classmethod, staticmethod)) else method
            if inspect.isfunction(function) and not method_name.startswith("_"):
                yield f"{name}.{method_name}", owner, function


METHODS = {name: (owner, function) for name, owner, function in methods()}


def sections(function: Callable[..., Any] | type) -> set[str]:
    """Return the names of the sections of a docstring."""
    return set(re.findall(r"^(\w+)\n-{3,}$", inspect.getdoc(function) or "", re.MULTILINE))


def parameters(function: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters, `self` and `cls` left out."""
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def returns_something(function: Callable[..., Any]) -> bool:
    """Return True if the annotation says that a value is returned."""
    return inspect.signature(function).return_annotation not in (None, "None", inspect.Signature.empty)


def raises(function: Callable[..., Any]) -> bool:
    """Return True if an error is raised in the body itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return any(isinstance(node, ast.Raise) and node.exc is not None for node in ast.walk(tree))


def test_there_are_public_functions_and_methods() -> None:
    assert len(FUNCTIONS) > 30
    assert len(METHODS) > 50


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_describes_parameters_result_and_errors_and_has_an_example(name: str) -> None:
    function = FUNCTIONS[name]
    expected = {
        "Parameters": bool(parameters(function)),
        "Returns": returns_something(function),
        "Raises": raises(function),
        "Examples": True,
    }
    assert {section for section, is_needed in expected.items() if is_needed} <= sections(function)


@pytest.mark.parametrize("name", METHODS)
def test_a_public_method_describes_itself(name: str) -> None:
    """A method of at most one parameter may say in a sentence what it takes, returns and raises.

    The example may stand in the docstring of the class, or of the function that makes the object ("Made by `plan`").
    """
    owner, function = METHODS[name]
    text, has = inspect.getdoc(function) or "", sections(function)
    assert "Parameters" in has or len(parameters(function)) < 2
    assert "Returns" in has or not returns_something(function) or re.search(r"\b[Rr]eturn ", text)
    assert "Raises" in has or not raises(function) or re.search(r"\bRaise \w+", text)
    maker = re.search(r"Made by `(\w+)`", inspect.getdoc(owner) or "")
    made_by = FUNCTIONS.get(f"{name.rsplit('.', 2)[0]}.{maker[1]}") if maker else None
    assert "Examples" in has | sections(owner) | (sections(made_by) if made_by else set())


def test_every_public_function_and_class_of_a_module_has_a_docstring() -> None:
    missing = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                missing += [f"{path.name}: {node.name}"] if ast.get_docstring(node) is None else []
    assert missing == []
