"""The examples in the docstrings of src give the results that they show.

One test a module. Modules are imported by their own test only, so that collection stays fast and needs no extra.
"""

import doctest
import importlib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
MODULES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCE.rglob("*.py"))
    if ">>> " in path.read_text()
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_give_what_they_show(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    examples = [test for test in doctest.DocTestFinder(exclude_empty=True).find(module) if test.examples]
    assert examples, f"{name} has '>>> ' outside docstrings"
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    report: list[str] = []
    for test in examples:
        runner.run(test, out=report.append)
    if report:
        pytest.fail("".join(report), pytrace=False)
