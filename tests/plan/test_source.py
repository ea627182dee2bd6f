"""Fields of a source that have the wrong type."""

from pathlib import Path
from typing import Any

import pytest

from discreet.count.sources import open_engine
from discreet.errors import ParameterError


@pytest.mark.parametrize("field", [{"delimiter": 5}, {"delimiter": None}, {"header": "nein"}, {"header": 1}])
def test_a_field_of_the_wrong_type_is_refused(tmp_path: Path, field: dict[str, Any]) -> None:
    (tmp_path / "people.csv").write_text("a\n1\n")
    with pytest.raises(ParameterError, match=f"the source's {next(iter(field))} is "):
        open_engine({"csv": str(tmp_path / "people.csv"), **field})
