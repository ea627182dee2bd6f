"""Results in notebooks: data frames, short texts, small pictures, plots."""

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from matplotlib.figure import Figure

import discreet as dc
from discreet import data_frames
from discreet.errors import InputError

TABLE = dc.design.geometric(epsilon=1).certify()
RESULTS: dict[str, Any] = {
    "PTable of counts": TABLE,
    "PTable with an end": dc.design.geometric(epsilon=1, upper=20).certify(),
    "PTable of residues": dc.design.cyclic(size=7, epsilon=1).certify(),
    "Composition": dc.account.compose(TABLE, cells=20),
    "Advice": dc.design.advise(epsilon="0.5", delta="1e-4")[0],
    "Intervals": dc.infer.intervals(TABLE, np.arange(-3, 97)),
    "Intervals without an end": dc.infer.intervals(dc.design.geometric(epsilon=1, upper=20).certify(), [3, 20]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_shown_in_one_short_line_of_text(name: str) -> None:
    text = repr(RESULTS[name])
    assert text.startswith(name.split()[0])
    assert len(text) < 160
    assert "\n" not in text


@pytest.mark.parametrize("name", RESULTS)
def test_a_notebook_shows_a_picture_that_is_well_formed(name: str) -> None:
    html = ElementTree.fromstring(RESULTS[name]._repr_html_())
    svg = html.find("svg")
    assert svg is not None
    assert svg.get("aria-label")
    paths = [path.get("d", "") for path in svg.iter("path")]
    assert all(re.fullmatch(r"[-MLHVhvz .0-9]+", path) for path in paths)
    assert len(html.findall("table/tr")) >= 1


def _facts(html: str) -> dict[str, str]:
    """Return what a notebook shows of a result, by name."""
    lines = ElementTree.fromstring(html).findall("table/tr")
    return {"".join(line[0].itertext()): "".join(line[1].itertext()) for line in lines}


@pytest.mark.parametrize("cells", [1, 7, 20])
def test_a_notebook_shows_no_smaller_cost_than_the_composition_has(cells: int) -> None:
    composed = dc.account.compose(TABLE, cells=cells)
    facts = _facts(composed._repr_html_())
    assert float(facts["epsilon at delta 1e-6"]) >= composed.epsilon("1e-6")
    assert float(facts["floor of delta"]) >= composed.floor
    floor, largest = re.findall(r"below (.+), largest loss (.+)\)", repr(composed))[0]
    assert float(floor) >= composed.floor
    assert float(largest) >= composed.largest
    deltas = [float(text) for text in re.findall(": delta ([0-9.e-]+)<", composed._repr_html_())]
    assert len(deltas) == 2
    assert deltas[0] >= composed.delta(0)


def test_a_notebook_says_that_no_epsilon_has_a_delta_below_the_floor() -> None:
    facts = _facts(dc.account.compose(TABLE, cells=20)._repr_html_())
    assert facts["epsilon at delta 1e-9"] == "none, because delta never falls so low"


def test_a_notebook_shows_the_first_intervals_in_words() -> None:
    facts = _facts(RESULTS["Intervals without an end"]._repr_html_())
    assert facts["cell 0"] == "1 to 6, most likely 3"
    assert facts["cell 1"] == "17 to 20 or more, most likely 20"
    assert "cell 5" not in _facts(RESULTS["Intervals"]._repr_html_())


@pytest.mark.parametrize("name", RESULTS)
def test_a_plot_is_drawn_on_the_given_axes(name: str) -> None:
    axes = Figure().subplots()
    assert RESULTS[name].plot(axes=axes) is axes
    assert axes.patches or axes.lines or axes.collections
    assert axes.get_xlabel()


@pytest.mark.parametrize("name", RESULTS)
def test_a_frame_is_the_same_in_every_library(name: str) -> None:
    columns = RESULTS[name].to_frame(to="arrow").to_pydict()
    assert RESULTS[name].to_frame(to="polars").to_dict(as_series=False) == columns
    frame = RESULTS[name].to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert {column: [None if pd.isna(value) else value for value in frame[column]] for column in frame} == columns


def test_a_frame_of_a_table_has_every_weight() -> None:
    frame = RESULTS["PTable with an end"].to_frame()
    assert (frame.groupby("count")["weight"].sum() == 2**32).all()
    assert sorted(frame["count"].unique()) == list(range(21))
    assert (frame["count"] + frame["noise"]).between(0, 20).all()
    noise = TABLE.to_frame().query("count == 0")
    assert noise["weight"].tolist() == list(TABLE.interior[0].weights)
    assert noise["noise"].iloc[0] == TABLE.interior[0].first


def test_a_frame_of_a_composition_is_its_bound() -> None:
    composed = RESULTS["Composition"]
    frame = composed.to_frame(points=5)
    assert frame["delta"].tolist() == composed.delta(frame["epsilon"].tolist()).tolist()
    assert frame["epsilon"].iloc[0] == 0


def test_an_interval_without_an_end_has_no_high() -> None:
    frame = RESULTS["Intervals without an end"].to_frame(to="arrow")
    assert frame["high"].to_pylist() == [6, None]


def test_a_plot_without_matplotlib_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.extras.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"discreet\[plots\]"):
        TABLE.plot()


def test_a_plot_of_a_count_outside_the_domain_is_refused() -> None:
    with pytest.raises(InputError, match="-1"):
        TABLE.plot(-1, axes=Figure().subplots())


def test_perturb_keeps_the_index_and_the_name_of_a_series() -> None:
    counts = pd.Series([5, 7, 0], index=["x", "y", "z"], name="people")
    keys = [1, 2, 4_000_000_000]
    noisy = TABLE.perturb(counts, keys=keys)
    assert noisy.equals(pd.Series(TABLE.perturb([5, 7, 0], keys=keys), index=counts.index, name="people"))
    assert TABLE.perturb(counts.astype("Int64"), keys=keys).equals(noisy)
    assert TABLE.perturb(counts, keys=pd.Series(keys, index=counts.index)).equals(noisy)
    assert TABLE.perturb(counts).index.equals(counts.index)


def test_keys_of_another_order_are_refused() -> None:
    counts, keys = pd.Series([5, 7], index=["x", "y"]), pd.Series([1, 2], index=["y", "x"])
    with pytest.raises(InputError, match="indices"):
        TABLE.perturb(counts, keys=keys)


@pytest.mark.parametrize("counts", [pd.Series([1, None]), pd.Series([1, None], dtype="Int64"), pd.Series(["a"])])
def test_a_series_without_integers_is_refused(counts: Any) -> None:
    with pytest.raises(InputError, match="counts"):
        TABLE.perturb(counts)


def test_integers_stay_integers_in_pandas_if_some_are_missing() -> None:
    frame = data_frames.frame({"n": pa.array([2**60 + 1, None])}, to="pandas")
    assert frame["n"].iloc[0] == 2**60 + 1
