"""Two tables whose levels do not nest, with a dimension that both have, and without the leaves."""

from pathlib import Path

import discreet as dc
from discreet.publish.verify_folder import verify_folder


def test_tables_at_crossing_levels_are_right_without_a_table_of_leaves(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("reg,age\n" + "x,a\ny,b\nx,c\n" * 200)
    levels = {"low": {"ab": ["a", "b"], "c": ["c"]}, "high": {"a": ["a"], "bc": ["b", "c"]}}
    spec = {
        "version": "1",
        "source": {"csv": str(tmp_path / "people.csv")},
        "dimensions": {
            "reg": {"column": "reg", "categories": ["x", "y"]},
            "age": {"column": "age", "categories": ["a", "b", "c"], "levels": levels},
        },
        "tables": [
            {"name": name, "dimensions": ["reg", {"dimension": "age", "level": name}], "margins": "none"}
            for name in levels
        ],
        "budget": {"epsilon": 20, "delta": "1e-9"},
        "key": "fresh",
    }
    release = dc.release.run(spec, tmp_path / "out")
    verify_folder(tmp_path / "out")
    low = release.table("low", to="pandas").set_index(["reg", "age"])["count"]
    high = release.table("high", to="pandas").set_index(["reg", "age"])["count"]
    assert abs(low["x", "ab"] - 200) < 10
    assert abs(high["x", "bc"] - 200) < 10
    assert low["x"].sum() == high["x"].sum()
    assert low["y"].sum() == high["y"].sum()
