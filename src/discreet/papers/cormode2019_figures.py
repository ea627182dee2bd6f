"""The figures of Cormode 2019, drawn again, and the experiments behind them.

Nothing is simulated. The expected error of a mechanism on data is by_row @ weights, where by_row is the expected
error of every true count and weights the law of the true counts: binomial, or the groups of the Adult data.
"""

import csv
import gzip
import math
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox

from discreet import design, files
from discreet.arrays import Floats
from discreet.assess.utility import by_row
from discreet.certify.table import PROPERTIES
from discreet.design.matrix.constrained import losses
from discreet.design.matrix.fair import exponent
from discreet.errors import InputError
from discreet.mechanism import Mechanism

Loss = str | tuple[str, int]
Law = Callable[[int], Floats]
"""From n to the law of the true counts 0..n."""

NAMES = ("GM", "WM (WH)", "WM (WH, RM, CM)", "EM", "EM*", "UM")
"""The mechanisms of the paper, WM in both readings, and EM*."""

COMBINATIONS = ("WH", "WH+RH", "WH+RM", "CH", "CM", "RH+CH", "RH+CM", "RM+CH", "RM+CM")
"""The nine sets of properties with weak honesty and without fairness, up to what they imply."""

FIGURE_1: tuple[tuple[int, Loss, tuple[int, ...], str], ...] = (
    (7, "L1", (2, 5), "0.75"),
    (4, "L2", (2,), "0.85"),
    (5, ("L0", 1), (1, 4), "0.91"),
)
"""Largest count, objective, the outputs that swallow the others, and an alpha at which they do."""

KINDS: tuple[Loss, ...] = ("L0", ("L0", 1), "L1", "RMSE")
"""The errors that are drawn on data; the Adult data without L1."""

_STYLES = {
    "GM": ("C0", "o", "-"),
    "WM (WH)": ("C1", "s", "--"),
    "WM (WH, RM, CM)": ("C4", "D", "-."),
    "EM": ("C2", "^", "-"),
    "EM*": ("C3", "v", "-"),
    "UM": ("0.5", "x", ":"),
}
_UCI_PLACES = {"age": 0, "sex": 9, "income": 14}
_ADULT_FLAGS: dict[str, Callable[[dict[str, str]], bool]] = {
    "high income": lambda person: person["income"].startswith(">50K"),
    "women": lambda person: person["sex"] == "Female",
    "under 30": lambda person: int(person["age"]) < 30,
}


@lru_cache(maxsize=2048)
def named(name: str, n: int, alpha: str) -> Mechanism:
    """One of NAMES on 0..n."""
    if name == "GM":
        return design.geometric(upper=n, alpha=alpha)
    if name == "UM":
        return design.uniform(n=n)
    if name.startswith("EM"):
        return design.fair(n=n, alpha=alpha, variant="paper" if name == "EM" else None)
    return design.weakly_honest(n=n, alpha=alpha, columns="CM" in name)


@lru_cache(maxsize=2048)
def cheapest(n: int, alpha: str, properties: str) -> float:
    """Least L0 with properties such as "WH+RM", always by the linear program, never by a closed form."""
    asked = tuple(properties.split("+")) if properties else ()
    return design.constrained(n=n, alpha=alpha, properties=asked, objective=losses("L0", n)).loss("L0")


def optimum(n: int, alpha: str, kind: Loss, properties: str | tuple[str, ...]) -> float:
    """Least loss with the properties."""
    return design.constrained(n=n, alpha=alpha, objective=kind, properties=properties).loss(kind)


def binomial(n: int, p: float) -> Floats:
    """The law of a count of n people of whom each has the attribute with chance p."""
    return np.array([math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


def error(mechanism: Mechanism, kind: Loss, laws: Floats) -> Floats:
    """Expected error over a law of the true counts, or over one law a column.

    "L0", "L1", "L2" and ("L0", d) are not rescaled; "RMSE" is the root of "L2".
    """
    expected = by_row(mechanism, "L2" if kind == "RMSE" else kind)[0] @ laws
    return np.asarray(np.sqrt(expected) if kind == "RMSE" else expected)


def adult_groups(path: str) -> dict[str, Law]:
    """For each attribute of the Adult data, a function from n to the law of its counts in groups of n people.

    Groups are n consecutive lines of the file; an incomplete last group is left out.

    Parameters
    ----------
    path
        CSV, or CSV.gz: with a header that has age, sex and income, or without one in the order of the UCI file.

    Raises
    ------
    InputError
        The file cannot be read or has not these columns.
    """
    opened = gzip.open if str(path).endswith(".gz") else open
    try:
        with opened(path, "rt", encoding="utf-8", newline="") as file:
            lines = [[entry.strip() for entry in line] for line in csv.reader(file) if line]
        header = lines.pop(0) if lines and "income" in lines[0] else None
        places = {name: header.index(name) if header else place for name, place in _UCI_PLACES.items()}
        people = [{name: line[place] for name, place in places.items()} for line in lines]
        flags = {name: np.array([flag(person) for person in people]) for name, flag in _ADULT_FLAGS.items()}
    except (OSError, EOFError, ValueError, IndexError, csv.Error, zlib.error) as problem:
        raise InputError(
            f"{path} cannot be read as the Adult data ({problem}); give CSV or CSV.gz with age, sex and income"
        ) from None
    return {name: _grouped(flag) for name, flag in flags.items()}


def _grouped(flags: npt.NDArray[np.bool_]) -> Law:
    def law(n: int) -> Floats:
        groups = len(flags) // n
        if groups == 0:
            raise InputError(f"the data have {len(flags)} people, too few for a group of {n}; give more")
        counts = flags[: groups * n].reshape(groups, n).sum(axis=1)
        return np.bincount(counts, minlength=n + 1) / groups

    return law


def figures(folder: Path, adult: str | None = None) -> list[Path]:
    """Draw every figure into the folder, those on the Adult data where its file is given; return the files."""
    drawn = {
        "figure_01_unconstrained": _figure_1(),
        "figure_02_all_properties": _figure_2(),
        "figure_04_exponents": _figure_4(),
        "figure_06_properties": _figure_6(),
        "figure_07_mechanisms": _figure_7(),
        "figure_08_combinations": _figure_8(),
        "figure_09_named": _figure_9(),
        **{f"binomial_n{n:02}": _binomial_losses(n) for n in (4, 8, 12)},
        "binomial_distances": _distances(
            {f"binomial, p = {p}": binomial(12, p) for p in (0.1, 0.3, 0.5)}, 12, "Chance of an error beyond d, n = 12"
        ),
        "objectives_l1_l2": _objectives(),
    }
    if adult is not None:
        groups = adult_groups(adult)
        drawn |= {f"adult_alpha_{alpha[2:]}": _adult(groups, alpha) for alpha in ("0.91", "0.67")}
        laws = {name: law(8) for name, law in groups.items()}
        drawn["adult_distances"] = _distances(laws, 8, "Adult data: chance of an error beyond d, groups of 8")
    paths = []
    for name, figure in drawn.items():
        data = BytesIO()
        figure.savefig(data, format="png", dpi=130)
        paths.append(Path(folder) / f"cormode2019_{name}.png")
        files.write(paths[-1], data.getvalue())
    return paths


def _figure_1() -> Figure:
    """Unconstrained optima: at the alpha the paper gives, and where they are as the paper describes them."""
    figure = Figure(figsize=(13.5, 9), layout="constrained")
    panels = figure.subplots(2, 3)
    for column, (n, objective, outputs, found) in enumerate(FIGURE_1):
        for row, alpha in enumerate(("0.62", found)):
            matrix = design.constrained(n=n, alpha=alpha, objective=objective).matrix()
            least = matrix[list(outputs)].sum(axis=0).min()
            told = f"output {' or '.join(map(str, outputs))}: at least {least:.2f} for every count"
            title = f"{_label(objective)}, n = {n}, alpha = {alpha}\n{told}"
            _heatmap(panels[row, column], matrix, title)
    figure.suptitle("Figure 1. Optimal where nothing but privacy is asked; above at alpha = 0.62, below where it fits")
    return figure


def _figure_2() -> Figure:
    figure = Figure(figsize=(13.5, 5.7), layout="constrained")
    for panel, (n, objective, _, _) in zip(figure.subplots(1, 3), FIGURE_1, strict=True):
        matrix = design.constrained(n=n, alpha="0.62", objective=objective, properties="all").matrix()
        title = f"{_label(objective)}, n = {n}, alpha = 0.62\nat most 1 off: at least {within_one(matrix):.4f}"
        _heatmap(panel, matrix, title)
    figure.suptitle("Figure 2. The same objectives with all seven properties")
    return figure


def within_one(matrix: Floats) -> float:
    """The least chance, over true counts, of an output at most 1 away."""
    distance = np.abs(np.subtract.outer(np.arange(len(matrix)), np.arange(len(matrix))))
    return float(np.where(distance <= 1, matrix, 0).sum(axis=0).min())


def _figure_4() -> Figure:
    figure = Figure(figsize=(5.2, 5), layout="constrained")
    powers = np.array([[exponent(i, j, 7) for j in range(8)] for i in range(8)], dtype=np.float64)
    _heatmap(figure.subplots(), powers, "Figure 4. EM, n = 7: the power of alpha", "{:.0f}", "Blues_r")
    return figure


def held(name: str, n: int, alphas: Sequence[str]) -> dict[str, str]:
    """For each property "yes", "no", or the largest of the rising alphas up to which the mechanism has it."""
    sets = [named(name, n, alpha).properties() for alpha in alphas]
    cells = {}
    for one in PROPERTIES:
        having = [alpha for alpha, properties in zip(alphas, sets, strict=True) if one in properties]
        up_to = "some" if having != list(alphas[: len(having)]) else f"alpha to {having[-1]}" if having else "no"
        cells[one] = "yes" if len(having) == len(alphas) else up_to
    return cells


def _figure_6() -> Figure:
    alphas = [f"{k / 50:.2f}" for k in range(1, 50)]
    text = [[*held(name, 8, alphas).values(), f"{named(name, 8, '0.9').loss('L0'):.4f}"] for name in NAMES]
    shades = {"yes": "#d7ead3", "no": "#f4d3d0"}
    colours = [[*(shades.get(cell, "#fdf0c8") for cell in row[:-1]), "white"] for row in text]
    figure = Figure(figsize=(12, 3.2), layout="constrained")
    panel = figure.subplots()
    panel.axis("off")
    heads, box = [*PROPERTIES, "L0 at alpha 0.9"], Bbox.from_bounds(0.06, 0, 0.94, 1)
    grid = panel.table(text, colours, "center", rowLabels=NAMES, colLabels=heads, bbox=box)
    grid.auto_set_font_size(False)
    grid.set_fontsize(10)
    for cell in grid.get_celld().values():
        cell.set_edgecolor("0.75")
    panel.set_title("Figure 6. Which mechanism has which property: n = 8, alpha = 0.02 to 0.98", pad=10)
    return figure


def _figure_7() -> Figure:
    figure = Figure(figsize=(12.5, 8.6), layout="constrained")
    for panel, name in zip(figure.subplots(2, 3).flat, NAMES, strict=True):
        matrix = named(name, 4, "10/11").matrix()
        _heatmap(panel, matrix, f"{name}: truth {matrix.trace() / 5:.4f}", "{:.3f}", top=0.53)
    figure.suptitle("Figure 7. The mechanisms at n = 4, alpha = 10/11; chance of the truth over equally likely counts")
    return figure


def _figure_8() -> Figure:
    figure = Figure(figsize=(15, 5.2), layout="constrained")
    panels = figure.subplots(1, 3)
    sizes = range(2, 17)
    for place, properties in enumerate(COMBINATIONS):
        style = ("C1" if place < 3 else "C4", "osD^v<>hp"[place], "-")
        for panel, alpha in zip(panels, ("0.76", "0.99"), strict=False):
            _line(panel, properties, sizes, [cheapest(n, alpha, properties) for n in sizes], style=style)
        gaps = [named("EM", n, "0.99").loss("L0") - cheapest(n, "0.99", properties) for n in sizes]
        _line(panels[2], properties, sizes, np.array(gaps), style=style)
    for panel, alpha in zip(panels, ("0.76", "0.99"), strict=False):
        for name in ("GM", "EM"):
            panel.plot(sizes, [named(name, n, alpha).loss("L0") for n in sizes], color=_STYLES[name][0], label=name)
        _finish(panel, f"alpha = {alpha}", "largest count n", "L0")
    _finish(panels[2], "alpha = 0.99: how far below EM", "largest count n", "L0 of EM minus L0")
    panels[2].ticklabel_format(axis="y", scilimits=(0, 0))
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    figure.suptitle("Figure 8. Least L0 with the nine combinations of properties: two curves, neither that of EM")
    return figure


def _figure_9() -> Figure:
    figure = Figure(figsize=(13.5, 4.8), layout="constrained")
    sizes = range(2, 31)
    for panel, alpha in zip(figure.subplots(1, 3), ("2/3", "10/11", "99/100"), strict=True):
        for name in NAMES:
            if name != "EM*":
                _line(panel, name, sizes, [named(name, n, alpha).loss("L0") for n in sizes])
        _finish(panel, f"alpha = {alpha}", "largest count n", "L0")
    _legend(figure, panel)
    figure.suptitle("Figure 9. L0 of the named mechanisms (EM* has that of EM)")
    return figure


def _binomial_losses(n: int) -> Figure:
    chances = np.linspace(0, 1, 41)
    laws = np.stack([binomial(n, p) for p in chances], axis=1)
    figure = Figure(figsize=(15, 7.4), layout="constrained")
    panels = figure.subplots(2, 4, sharex=True)
    for row, alpha in zip(panels, ("0.91", "0.67"), strict=True):
        for panel, kind in zip(row, KINDS, strict=True):
            for name in NAMES:
                _line(panel, name, chances, error(named(name, n, alpha), kind, laws), every=5)
            _finish(panel, f"{_label(kind)}, alpha = {alpha}", "p" if alpha == "0.67" else "", "")
    _legend(figure, panels[0, 0])
    figure.suptitle(f"Binomial true counts: each of n = {n} people has the attribute with chance p")
    return figure


def _adult(groups: dict[str, Law], alpha: str) -> Figure:
    sizes = range(2, 21)
    figure = Figure(figsize=(13, 10), layout="constrained")
    panels = list(figure.subplots(3, 3, sharex=True))
    for row, (attribute, law) in zip(panels, groups.items(), strict=True):
        laws = {n: law(n) for n in sizes}
        for panel, kind in zip(row, (KINDS[0], KINDS[1], KINDS[3]), strict=True):
            for name in NAMES:
                _line(panel, name, sizes, [error(named(name, n, alpha), kind, laws[n]) for n in sizes])
            _finish(panel, f"{attribute}: {_label(kind)}", "people in a group, n" if row is panels[-1] else "", "")
    _legend(figure, panels[0][0])
    figure.suptitle(f"Adult data, counts in groups of n people, alpha = {alpha}")
    return figure


def _distances(laws: dict[str, Floats], n: int, title: str) -> Figure:
    figure = Figure(figsize=(13.5, 8), layout="constrained")
    panels = figure.subplots(2, len(laws), sharex=True, sharey=True)
    reach = range(n)
    for row, alpha in zip(panels, ("0.91", "0.67"), strict=True):
        for panel, (told, law) in zip(row, laws.items(), strict=True):
            for name in NAMES:
                _line(panel, name, reach, [error(named(name, n, alpha), ("L0", d), law) for d in reach])
            _finish(panel, f"{told}, alpha = {alpha}", "d", "Pr[|error| > d]")
            panel.label_outer()
    _legend(figure, panels[0, 0])
    figure.suptitle(title)
    return figure


def _objectives() -> Figure:
    """Section 7.4: L1 and L2 with no, some and all properties, as multiples of the least there can be."""
    figure = Figure(figsize=(12.5, 8.4), layout="constrained")
    panels = figure.subplots(2, 2, sharex=True)
    sizes = range(2, 13)
    asked = {"WH": ("C1", "s", "--"), "F": ("C8", "P", "--"), "all": ("k", "o", ":")}
    for row, alpha in zip(panels, ("0.91", "0.67"), strict=True):
        for panel, kind in zip(row, ("L1", "L2"), strict=True):
            least = np.array([optimum(n, alpha, kind, ()) for n in sizes])
            for properties, style in asked.items():
                values = [optimum(n, alpha, kind, properties) for n in sizes]
                _line(panel, f"optimal with {properties}", sizes, values / least, style=style)
            for name in ("GM", "EM", "EM*", "UM"):
                _line(panel, name, sizes, [named(name, n, alpha).loss(kind) for n in sizes] / least)
            _finish(panel, f"{kind}, alpha = {alpha}", "largest count n" if alpha == "0.67" else "", f"{kind} / least")
    panels[1, 0].set_ylim(0.97, 1.6)
    panels[1, 1].set_ylim(0.95, 2.6)
    _legend(figure, panels[0, 0])
    figure.suptitle("L1 and L2 of optimal and named mechanisms, as multiples of the optimum without properties")
    return figure


def _label(kind: Loss) -> str:
    if isinstance(kind, tuple):
        return f"chance of an error beyond {kind[1]}"
    return {"L0": "chance of an error", "L1": "mean absolute error", "L2": "mean squared error"}.get(kind, kind)


def _heatmap(
    panel: Axes, matrix: Floats, title: str, form: str = "{:.2f}", colours: str = "Blues", top: float = 0
) -> None:
    """Outputs down, true counts across, every entry written in its cell."""
    largest = top or float(matrix.max())
    panel.imshow(matrix, cmap=colours, vmin=0, vmax=largest * 1.1)
    dark = matrix > 0.6 * largest if colours == "Blues" else matrix < 0.4 * largest
    for (i, j), value in np.ndenumerate(matrix):
        ink = "white" if dark[i, j] else "black"
        panel.text(j, i, form.format(value) if value else "0", ha="center", va="center", color=ink, size=9)
    panel.set(xlabel="true count", ylabel="output", xticks=range(len(matrix)), yticks=range(len(matrix)))
    panel.set_title(title, size=11)
    panel.spines[:].set_visible(False)
    panel.tick_params(length=0)


def _line(
    panel: Axes, name: str, x: npt.ArrayLike, y: npt.ArrayLike, every: int = 1, style: Sequence[str] | None = None
) -> None:
    colour, marker, dashes = style or _STYLES[name]
    (line,) = panel.plot(x, y, color=colour, marker=marker, ls=dashes, lw=1.3, ms=5, fillstyle="none", label=name)
    line.set_markevery(every)


def _finish(panel: Axes, title: str, xlabel: str, ylabel: str) -> None:
    panel.set(xlabel=xlabel, ylabel=ylabel)
    panel.set_title(title, size=11)
    panel.xaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(color="0.92")
    panel.set_axisbelow(True)


def _legend(figure: Figure, panel: Axes) -> None:
    figure.legend(*panel.get_legend_handles_labels(), loc="outside lower center", ncols=7, frameon=False)
