"""Small tables in the format of each tool."""

from collections.abc import Callable
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"

Write = Callable[[str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes text or bytes to a file and returns its path."""

    def put(content: str | bytes) -> Path:
        path = tmp_path / "table.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return put


def change(count: int, key: int) -> int:
    """Return a change of -1, 0 or +1. Three quarters of the keys, and count % 10 more, change nothing."""
    up = 32 - (count % 10) // 2
    down = 32 - count % 10 + (count % 10) // 2
    return -1 if key < down else 1 if key >= 256 - up else 0


def ons_lines() -> list[str]:
    """Return the lines of a table of ONS: the header, and 750 counts by 256 keys."""
    pairs = ((count, key) for count in range(1, 751) for key in range(256))
    return ["pcv,ckey,pvalue", *(f"{count},{key},{change(count, key)}" for count, key in pairs)]


def ptable_lines() -> list[str]:
    """Return the lines of a published table of R ptable: the header and 10 lines, counts 0 to 2."""
    return (DATA / "ptable_D2_V1.csv").read_text().splitlines()
