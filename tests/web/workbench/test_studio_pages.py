"""The studio shows what `discreet compare` and `discreet advise` compute, and refuses what they refuse."""

from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.design.compare import compare
from discreet.exact import rounded_up
from discreet.web.shared.language import page_texts
from discreet.web.workbench.studio_charts import (
    SHADES,
    Line,
    Names,
    delta_chart,
    linear_chart,
    nice_step,
    probability_map,
)
from tests.web.workbench.steward import Steward, words

TEXTS = page_texts("discreet.web.workbench", "en")
NAMES = Names("a chart", "across", "up")


class Paths(HTMLParser):
    """Collects the paths of an SVG by class."""

    def __init__(self, svg: str) -> None:
        super().__init__()
        self.paths: dict[str, str] = {}
        self.feed(svg)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "path":
            self.paths[str(found["class"])] = str(found["d"])


def test_the_numbers_are_those_of_the_command(tmp_path: Path) -> None:
    steward = Steward(tmp_path)
    shown = words(steward.get("studio", counts="bounded", n="12", design="fair", epsilon="1/2", delta="0"))
    (entry,) = compare(["fair"], epsilon="1/2", n=12)
    assert f"fair {rounded_up(entry.delta)} {rounded_up(entry.epsilon, 4)} {entry.variance:.2f}" in shown.replace(
        "\u2212", "-"
    )
    assert "fairness" in shown


def test_designs_are_tuned_to_a_variance(tmp_path: Path) -> None:
    shown = words(Steward(tmp_path).get("studio", at="variance", variance="9", design="gaussian"))
    assert "9.00" in shown


@pytest.mark.parametrize(
    "query",
    [
        {"epsilon": "-1"}, {"epsilon": "x"}, {"delta": "2"}, {"counts": "bounded", "n": "0"}, {"delta": "0"},
        {"counts": "bounded", "n": "1e9"}, {"count": "-1"}, {"at": "variance", "variance": "-3"}, {"epsilon": "1/0"},
        {"at": "variance", "variance": "1e999"}, {"at": "variance", "variance": "1e7"}, {"epsilon": "1e-4"},
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_told(tmp_path: Path, query: dict[str, str]) -> None:
    answer = Steward(tmp_path).get("studio", **query)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def test_unknown_designs_are_left_out_and_at_most_four_are_drawn(tmp_path: Path) -> None:
    steward = Steward(tmp_path)
    query = "studio?design=nonsense&design=geometric&design=gaussian&design=power&design=staircase&design=maxent"
    answer = steward.request("GET", steward.made.root + query)
    assert answer.status_code == 200
    assert answer.text.count("line-3") >= 1
    assert "line-4" not in answer.text


def test_the_adviser_lists_the_designs_of_the_command(tmp_path: Path) -> None:
    steward = Steward(tmp_path)
    shown = words(steward.get("advice", epsilon="1", delta="1e-6", cells="3"))
    best = dc.design.advise(epsilon=1, delta="1e-6", cells=3)[0]
    assert f"{best.name} {best.variance:.2f}" in shown
    assert steward.get("advice", cells="none").status_code == 200
    assert "none" in words(steward.get("advice", cells="none"))


def test_the_map_covers_every_cell_that_is_likely_once() -> None:
    matrix = dc.design.geometric(epsilon=1, upper=9).matrix()
    paths = Paths(probability_map(matrix, "map")).paths
    covered = np.zeros((10, 10), dtype=int)
    for path in paths.values():
        for run in filter(None, path.split("M")):
            position, width = run.split("h")[:2]
            x, y = map(int, position.split())
            covered[9 - y, x : x + int(width.split("v")[0])] += 1
    assert set(paths) <= {f"shade-{shade}" for shade in range(1, SHADES + 1)}
    assert (covered == (matrix > 1e-4 * matrix.max())).all()


def test_the_highest_point_of_a_chart_is_the_largest_number() -> None:
    points = [(0.0, 0.1), (1.0, 0.4), (2.0, 0.2)]
    path = Paths(linear_chart([Line(points, 0)], NAMES, TEXTS)).paths["curve line-0"]
    heights = [float(part.split()[1]) for part in path.removeprefix("M").split("L")]
    assert heights.index(min(heights)) == 1


def test_delta_falls_in_equal_steps_on_its_scale() -> None:
    points = [(float(k), 10.0**-k) for k in range(1, 5)]
    path = Paths(delta_chart([Line(points, 0)], 1.0, NAMES, TEXTS)).paths["curve line-0"]
    heights = [float(part.split()[1]) for part in path.removeprefix("M").split("L")]
    assert np.ptp(np.diff(heights)) <= 0.2


def test_a_chart_without_points_is_an_empty_chart() -> None:
    assert "curve" not in delta_chart([Line([(0.0, 0.0)], 0)], 1.0, NAMES, TEXTS)
    assert "curve" not in linear_chart([Line([], 0)], NAMES, TEXTS)
    assert nice_step(0.0, 4) > 0
