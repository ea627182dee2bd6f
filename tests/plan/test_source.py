"""Sources that are none."""

from pathlib import Path
from typing import Any

import pytest

from discreet.count.sources import open_engine
from discreet.errors import ParameterError


@pytest.mark.parametrize("field", [{"delimiter": 5}, {"delimiter": None}, {"header": "nein"}, {"header": 1}])
def test_engines_refuse_what_is_no_dialect(tmp_path: Path, field: dict[str, Any]) -> None:
    (tmp_path / "people.csv").write_text("a\n1\n")
    with pytest.raises(ParameterError, match=f"the source's {next(iter(field))} is .*; give (a text|true or false)"):
        open_engine({"csv": str(tmp_path / "people.csv"), **field})
