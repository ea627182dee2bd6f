"""The rules that keep the code easy to find: short modules, file names that occur once, a short walk, a true map."""

import importlib
import pkgutil
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import grimp
from tools import package_map

import discreet

SOURCE = Path(__file__).parents[1] / "src" / "discreet"
MODULES = sorted(SOURCE.rglob("*.py"))
MOST_LINES = 400
FEWEST_LINES = 30
"""A module below this length that has one importer belongs into its importer."""

MOST_FILES = 44
"""The most files that the numbers of a release pass through, from the opened source to the published folder."""

SAME_NAME = {
    "__init__.py": "every package has one",
    "compare.py": "the command of design/compare",
    "items.py": "the register of each paper",
    "keys.py": "the command that makes the secrets of measure/keys",
    "ledger.py": "the command of account/ledger",
    "verify.py": "the command of certify/verify",
}
"""File names that occur more than once, and why."""


def test_no_module_is_longer_than_400_lines() -> None:
    lengths = {path.relative_to(SOURCE).as_posix(): len(path.read_text().splitlines()) for path in MODULES}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_no_short_module_has_one_importer() -> None:
    graph = grimp.build_graph("discreet", cache_dir=None)
    short = []
    for path in MODULES:
        name = ".".join(["discreet", *path.relative_to(SOURCE).with_suffix("").parts])
        if path.name in SAME_NAME or len(path.read_text().splitlines()) >= FEWEST_LINES:
            continue
        if len(graph.find_modules_that_directly_import(name)) == 1:
            short.append(name)
    assert short == []


def test_a_helper_module_is_used_by_its_own_package_alone() -> None:
    """A helper's name starts with an underscore."""
    graph = grimp.build_graph("discreet", cache_dir=None)
    used_elsewhere = set()
    for name in graph.modules:
        package, _, last = name.rpartition(".")
        if last.startswith("_") and last != "__main__":
            importers = graph.find_modules_that_directly_import(name)
            used_elsewhere |= {(name, own) for own in importers if not f"{own}.".startswith(f"{package}.")}
    assert used_elsewhere == set()


def test_no_public_name_hides_a_module() -> None:
    """`package.module` is the module, however it is imported. `release.run` is the exception: a contract names both."""
    hidden = []
    for package in pkgutil.walk_packages(discreet.__path__, "discreet."):
        if package.ispkg:
            names = vars(importlib.import_module(package.name))
            modules = {path.stem for path in SOURCE.parent.joinpath(*package.name.split(".")).glob("[a-z]*.py")}
            hidden += [f"{package.name}.{name}" for name in modules & names.keys() if callable(names[name])]
    assert hidden == ["discreet.release.run"]


def test_the_numbers_of_a_release_pass_through_few_files() -> None:
    """`uv run python -m tools.count_walk` lists the files; a star marks those that are counted here."""
    command = [sys.executable, "-m", "tools.count_walk"]
    done = subprocess.run(command, cwd=SOURCE.parents[1], capture_output=True, text=True, check=True)
    found = re.search(r"^data: (\d+) files, (\d+) with numbers$", done.stdout, re.MULTILINE)
    assert found is not None
    assert 20 < int(found[2]) <= MOST_FILES


def test_a_file_name_occurs_once_unless_both_files_are_one_idea() -> None:
    paths = defaultdict(list)
    for path in MODULES:
        paths[path.name].append(path.relative_to(SOURCE).as_posix())
    repeated = {name: paths_of_name for name, paths_of_name in paths.items() if len(paths_of_name) > 1}
    assert {name: paths_of_name for name, paths_of_name in repeated.items() if name not in SAME_NAME} == {}
    assert set(SAME_NAME) <= set(repeated), "these names occur once: remove them from SAME_NAME"


def test_the_map_of_the_packages_is_up_to_date() -> None:
    """The picture in CONTRIBUTING.md; `uv run python -m tools.package_map` draws it again."""
    assert package_map.PICTURE.read_text() == package_map.picture()


def test_contributing_names_files_that_exist() -> None:
    text = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text()
    table = text[text.index("| a public name") : text.index("## What we ask")]
    paths = re.findall(r"`([\w/]+(?:/|\.py))`", table)
    assert len(paths) > 20
    assert [path for path in paths if not (SOURCE / path).exists()] == []
