"""The rules that keep the code easy to find: short modules, and file names that occur once, a map that is true."""

import re
from collections import defaultdict
from pathlib import Path

from tools import package_map

SOURCE = Path(__file__).parents[1] / "src" / "discreet"
MODULES = sorted(SOURCE.rglob("*.py"))
MOST_LINES = 400

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
