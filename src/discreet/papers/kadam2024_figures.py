"""The figures of Kadam 2024, drawn again: the paper's one-sided curves dashed, what is true two-sided in full lines.

Epsilon and delta are those of the paper where it prints them; where it does not, the title says which were taken.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from discreet import design, files
from discreet.arrays import Floats
from discreet.papers import kadam2024_fair as fair
from discreet.papers import kadam2024_onesided as onesided
from discreet.papers.kadam2024_fair import modulo

ONE_SIDED: dict[str, Any] = {"ls": "--", "color": "0.45"}
BOUNDED = (1, 2, 3)
LEAST = 1e-4
"""Deltas below this are not drawn."""


def figures(folder: Path) -> list[Path]:
    """Draw Figures 5 to 12 and 14, the limits of (44)-(48), and the error of each count; returns the files."""
    drawn: dict[str, Callable[[Axes, Axes], None]] = {
        "table_1_true_delta": _table_1,
        "figure_5_error_against_epsilon": _figure_5,
        "figure_6_and_8_clamping": _figure_6,
        "figure_7_least_delta": _figure_7,
        "figure_9_single_difference": _figure_9,
        "figure_10_differences_1_to_3": _figure_10,
        "figure_11_error_against_mu": _figure_11,
        "figure_12_error_against_delta": _figure_12,
        "figure_14_any_differences": _figure_14,
        "limits_44_to_48": _limits,
        "error_of_each_count": _counts,
    }
    return [_draw(folder / f"kadam2024_{name}.png", both) for name, both in drawn.items()]


def _draw(path: Path, both: Callable[[Axes, Axes], None]) -> Path:
    figure = Figure(figsize=(12, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    both(left, right)
    for panel in (left, right):
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="0.92")
        panel.set_axisbelow(True)
        if panel.get_legend_handles_labels()[1]:
            panel.legend(frameon=False, fontsize=8)
    data = BytesIO()
    figure.savefig(data, format="png", dpi=160)
    files.write(path, data.getvalue())
    return path


def _bars(panel: Axes, laws: Mapping[str, Floats], title: str) -> None:
    """Laws side by side; those of two-sided privacy, named so, in colour, the paper's in greys."""
    width = 0.8 / len(laws)
    greys = [name for name in laws if "two-sided" not in name]
    for place, (name, law) in enumerate(laws.items()):
        shade = f"{0.15 + 0.65 * greys.index(name) / max(1, len(greys))}" if name in greys else f"C{place - len(greys)}"
        panel.bar(np.arange(len(law)) + width * (place - (len(laws) - 1) / 2), law, width, color=shade, label=name)
    panel.set(xlabel="noise", ylabel="probability", title=title)
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))


def _table_1(left: Axes, right: Axes) -> None:
    epsilons = np.linspace(0, 7, 281)
    for place, (asked, name) in enumerate(((0.1212, "0.1212, and 0"), (0.13, "0.1238"), (0.16, "0.1522"))):
        law = onesided.literal(8, BOUNDED, 1.5, asked)
        mechanism = onesided.two_sided(law, BOUNDED)
        curve = mechanism.deltas(epsilons)
        left.plot(epsilons, curve, color=f"C{place}", label=f"printed for delta {name}: true delta")
        left.plot(1.5, mechanism.delta(1.5), "o", color=f"C{place}", ms=5)
        left.plot(1.5, float(name[:6]), "x", color=f"C{place}", ms=7)
    left.plot([], [], "x", color="0.3", ls="", label="what the paper promises at epsilon 1.5")
    left.axvline(1.5, color="0.7", lw=0.8)
    left.set(xlabel="epsilon", ylabel="delta", title="Table 1, neighbours in both directions", ylim=(0, 1))
    deltas = np.linspace(0, 0.95, 20)
    rates = [fair.error_rate(modulo(9, 1.5, delta=float(delta), neighbours=BOUNDED)) for delta in deltas]
    right.plot(deltas, rates, color="C0", label="two-sided optimum")
    for kind, marker in (("dp", "o"), ("pdp", "s")):
        laws = [onesided.literal(8, BOUNDED, 1.5, asked) for asked in (0.0, 0.13, 0.16)]
        x = [onesided.two_sided(law, BOUNDED).delta(1.5, kind=kind) for law in laws]
        right.plot(
            x, [1 - law[0] for law in laws], marker, color="C3", label=f"Table 1, its true delta ({kind.upper()})"
        )
    right.plot(
        (0, 0.1212, 0.1238, 0.1522), (0.4568, 0.4568, 0.4452, 0.4425), "x", color="0.3", label="Table 1, as printed"
    )
    right.set(
        xlabel="delta at epsilon 1.5",
        ylabel="error rate",
        title="Error rate and the delta it costs",
        xlim=(-0.02, 1),
        ylim=(0, 0.65),
    )


def _figure_5(left: Axes, right: Axes) -> None:
    epsilons = np.linspace(0.1, 3, 16)
    laws = [onesided.definition_2(onesided.square(8), (1,), epsilon, 0.3) for epsilon in epsilons]
    left.plot(epsilons, [law @ np.arange(9) ** 2 for law in laws], **ONE_SIDED, label="paper: one-sided, E Z^2")
    uniform = [modulo(9, epsilon, delta=0.3, objective="uniform_prior") for epsilon in epsilons]
    worst = [modulo(9, epsilon, delta=0.3, objective="worst") for epsilon in epsilons]
    clamped = [fair.squared(fair.clamped_geometric(8, epsilon, 0.3)) for epsilon in epsilons]
    least = [fair.unrestricted(8, epsilon, 0.3, lambda q, published: (q - published) ** 2) for epsilon in epsilons]
    left.plot(epsilons, [fair.squared(noise).max() for noise in worst], color="C3", label="modulo, worst count")
    left.plot(epsilons, [fair.squared(noise).mean() for noise in uniform], color="C1", label="modulo, mean of counts")
    left.plot(epsilons, [errors.max() for errors in clamped], color="C0", label="clamped geometric, worst count")
    left.plot(epsilons, least, color="C2", lw=2.5, label="any mechanism, worst count")
    left.set(xlabel="epsilon", ylabel="mean squared error", yscale="log", title="(a) n = 8, delta = 0.3")
    first = [onesided.single(8, 1, epsilon, 0.5)[0] for epsilon in epsilons]
    right.plot(epsilons, [1 - value for value in first], **ONE_SIDED, label="paper: one-sided, probabilistic")
    rates = [fair.error_rate(modulo(8, epsilon, delta=0.5)) for epsilon in epsilons]
    any_rate = [fair.unrestricted(7, epsilon, 0.5, lambda q, published: q != published) for epsilon in epsilons]
    right.plot(epsilons, any_rate, color="C2", lw=5, alpha=0.4, label="any mechanism, worst count")
    right.plot(epsilons, rates, color="C1", label="modulo")
    shown = [fair.error_rate(fair.clamped_geometric(7, epsilon, 0.5)) for epsilon in epsilons]
    right.plot(epsilons, shown, color="C0", ls=":", lw=2, label="clamped geometric, worst count")
    right.set(xlabel="epsilon", ylabel="error rate", title="(b) n = 7, delta = 0.5")


def _figure_6(left: Axes, right: Axes) -> None:
    epsilons = np.linspace(0.05, 2, 118)
    noises = {"geometric": design.geometric(alpha="0.7"), "Gaussian": design.gaussian(sigma2="3.38")}
    for panel, kind, title in ((left, "pdp", "probabilistic DP"), (right, "dp", "DP")):
        for place, (name, noise) in enumerate(noises.items()):
            curve = [noise.delta(float(epsilon), kind=kind) for epsilon in epsilons]
            inside = fair.clamped(noise, 8)
            panel.plot(epsilons, _positive(curve), color=f"C{place}", lw=4, alpha=0.35, label=f"{name}, as drawn")
            curve = [inside.delta(float(epsilon), kind=kind) for epsilon in epsilons]
            panel.plot(epsilons, _positive(curve), color=f"C{place}", label=f"{name}, clamped to 0..8")
        panel.set(
            xlabel="epsilon", ylabel="delta", yscale="log", title=f"alpha 0.7, sigma2 3.38: {title}", ylim=(LEAST, 1)
        )
    allowed, few = float(fair.squared(design.geometric(alpha="0.7", upper=8)).mean()), epsilons[::3]
    found = [modulo(9, float(epsilon), objective="uniform_prior", distortion=allowed) for epsilon in few]
    curve = [cyclic.delta(float(epsilon)) for cyclic, epsilon in zip(found, few, strict=True)]
    right.plot(few, _positive(curve), color="C3", label="modulo, with the clamped geometric's MSE")


def _positive(values: Sequence[float]) -> Floats:
    """The values that a logarithmic scale can show."""
    return np.where(np.array(values) > LEAST / 10, values, np.nan)


def _figure_7(left: Axes, right: Axes) -> None:
    epsilons = np.linspace(0.1, 2, 20)
    geometric = design.geometric(alpha="0.2", upper=8)
    allowed = float(fair.squared(geometric).mean())
    laws = [onesided.definition_2(onesided.square(8), (1,), epsilon, None, 0.6101) for epsilon in epsilons]
    pairs = list(zip(laws, epsilons, strict=True))
    claimed = [onesided.probabilistic(law, (1,), epsilon) for law, epsilon in pairs]
    left.plot(epsilons, claimed, **ONE_SIDED, label="paper: one-sided, E Z^2 at most 0.6101")
    true = [onesided.two_sided(law, (1,)).delta(epsilon) for law, epsilon in pairs]
    left.plot(epsilons, true, color="C3", ls=":", lw=2, label="the same laws, their true delta")
    fairly = [modulo(9, epsilon, objective="uniform_prior", distortion=allowed).delta(epsilon) for epsilon in epsilons]
    left.plot(epsilons, fairly, color="C1", label=f"modulo, mean of counts {allowed:.3f}")
    left.plot(
        epsilons, geometric.deltas(epsilons), color="C0", label=f"clamped geometric, mean of counts {allowed:.3f}"
    )
    left.set(xlabel="epsilon", ylabel="delta", title="(a) n = 8, least delta at a squared error", ylim=(-0.02, 1))
    epsilons = np.linspace(0.1, 2, 115)
    least = [onesided.least_delta(8, epsilon, 0.3) for epsilon in epsilons]
    right.plot(epsilons, least, **ONE_SIDED, label="paper: one-sided, probabilistic")
    response = onesided.two_sided(np.array([0.7] + [0.3 / 7] * 7), range(1, 8))
    both = [modulo(8, epsilon, distortion=0.3) for epsilon in epsilons]
    pdp = [modulo(8, epsilon, distortion=0.3, privacy="pdp") for epsilon in epsilons]
    found = [noise.delta(epsilon, kind="pdp") for noise, epsilon in zip(pdp, epsilons, strict=True)]
    right.plot(epsilons, found, color="C4", label="modulo, probabilistic DP")
    right.plot(epsilons, response.deltas(epsilons), color="C0", label="randomized response")
    found = [noise.delta(epsilon) for noise, epsilon in zip(both, epsilons, strict=True)]
    right.plot(epsilons, found, color="C1", label="modulo, DP")
    right.set(xlabel="epsilon", ylabel="delta", title="(b) n = 7, least delta at an error rate of 0.3", ylim=(-0.02, 1))


def _figure_9(left: Axes, right: Axes) -> None:
    for panel, mu in ((left, 3), (right, 2)):
        laws = {f"one-sided, delta {delta:g}": onesided.single(8, mu, 0.75, delta) for delta in (0, 0.1, 0.4)}
        for delta in (0.0, 0.1):
            noise = modulo(8, 0.75, delta=delta, neighbours=(mu,), public_classes=True)
            laws[f"two-sided, delta {delta:g}"] = fair.distribution(noise)
        _bars(panel, laws, f"n = 7, difference {mu}, epsilon 0.75")


def _figure_10(left: Axes, right: Axes) -> None:
    asked = {"0": 0.0, "0.1238": 0.13, "0.1522": 0.16}
    laws = {f"one-sided, delta {name}": onesided.literal(8, BOUNDED, 1.5, delta) for name, delta in asked.items()}
    for delta in (0.0, 0.1522):
        laws[f"two-sided, delta {delta:g}"] = fair.distribution(modulo(9, 1.5, delta=delta, neighbours=BOUNDED))
    _bars(left, laws, "n = 8, differences 1 to 3, epsilon 1.5 (Table 1)")
    deltas = np.linspace(0, 0.2, 41)
    first = [onesided.literal(8, BOUNDED, 1.5, float(delta))[0] for delta in deltas]
    right.plot(deltas, first, **ONE_SIDED, label="one-sided, (13) as printed")
    first = [onesided.definition_2(onesided.wrong(8), BOUNDED, 1.5, float(delta))[0] for delta in deltas[::8]]
    right.plot(deltas[::8], first, "s", color="0.1", ms=4, label="one-sided, Definition 2")
    for privacy, style in (("pdp", "D"), ("dp", "o-")):
        noises = [modulo(9, 1.5, delta=float(d), neighbours=BOUNDED, privacy=privacy) for d in deltas[::8]]
        first = [fair.distribution(noise)[0] for noise in noises]
        right.plot(deltas[::8], first, style, color="C1", ms=5, label=f"two-sided, {privacy.upper()}")
    right.set(xlabel="delta", ylabel="f(0)", title="The chance of the truth")


def _figure_11(left: Axes, right: Axes) -> None:
    wide = np.arange(1, 10)
    for place, (epsilon, delta) in enumerate(((1.0, 0.0), (1.0, 0.2), (2.0, 0.0), (2.0, 0.2))):
        panel = left if epsilon == 1 else right
        first = [onesided.literal(9, range(1, mu + 1), epsilon, delta)[0] for mu in wide]
        colour = f"C{place % 2}"
        panel.plot(
            wide, [1 - f for f in first], "o--", color=colour, fillstyle="none", label=f"one-sided, delta {delta:g}"
        )
        rates = [fair.error_rate(modulo(10, epsilon, delta=delta, neighbours=range(1, mu + 1))) for mu in wide]
        panel.plot(wide, rates, "o-", color=colour, label=f"two-sided, delta {delta:g}")
        panel.set(xlabel="largest difference", ylabel="error rate", title=f"n = 9, epsilon {epsilon:g}", ylim=(0, 1))


def _figure_12(left: Axes, right: Axes) -> None:
    deltas = np.linspace(0, 0.9, 31)
    for place, epsilon in enumerate((0.5, 1.0, 2.0)):
        colour, name = f"C{place}", f"epsilon {epsilon:g}"
        first = [onesided.single(10, 3, epsilon, float(delta))[0] for delta in deltas]
        left.plot(deltas, [1 - f for f in first], color=colour, ls="--", label=f"{name}, one-sided")
        for panel, differences in ((left, (3,)), (right, BOUNDED)):
            rates = [fair.error_rate(modulo(10, epsilon, delta=float(d), neighbours=differences)) for d in deltas]
            panel.plot(deltas, rates, color=colour, label=f"{name}, two-sided")
        first = [onesided.literal(9, BOUNDED, epsilon, float(delta))[0] for delta in deltas]
        right.plot(deltas, [1 - f for f in first], color=colour, ls="--", label=f"{name}, one-sided (13)")
    left.set(xlabel="delta", ylabel="error rate", title="(a) n = 9, difference 3", ylim=(0, 0.9))
    right.set(xlabel="delta", ylabel="error rate", title="(b) n = 9, differences 1 to 3", ylim=(0, 0.9))


def _figure_14(left: Axes, right: Axes) -> None:
    for panel, n, differences in ((left, 10, (1, 2, 3, 4)), (right, 16, (1, 3, 5, 6))):
        law = onesided.pure((n + 1,), differences, 1.0)
        true = onesided.two_sided(law, differences).delta(1.0)
        laws = {
            f"one-sided, true delta {true:.3f}": law,
            "two-sided, delta 0": fair.distribution(modulo(n + 1, 1.0, neighbours=differences)),
        }
        _bars(panel, laws, f"n = {n}, differences {', '.join(map(str, differences))}, epsilon 1")


def _limits(left: Axes, right: Axes) -> None:
    epsilons = np.linspace(0.02, 3, 300)
    for panel, mu in ((left, 1), (right, 3)):
        alpha = np.exp(-epsilons)
        rate = 1 - 1 / (1 + mu * alpha / (1 - alpha))
        paper = np.where(epsilons < math.log(1 + mu), 0.5, rate)
        panel.plot(epsilons, paper, **ONE_SIDED, lw=2, label="paper, capped at 0.5")
        panel.plot(epsilons, rate, color="C0", label="one-sided")
        panel.plot(epsilons, 1 - 1 / (1 + 2 * mu * alpha / (1 - alpha)), color="C1", label="two-sided")
        title = f"n to infinity, {'difference 1' if mu == 1 else f'differences 1 to {mu}'}"
        panel.set(xlabel="epsilon", ylabel="error rate", title=title, ylim=(0, 1))


def _counts(left: Axes, right: Axes) -> None:
    for panel, n in ((left, 8), (right, 100)):
        noise, geometric = modulo(n + 1, 1.0), design.geometric(epsilon=1, upper=n)
        paper = float(fair.distribution(noise) @ np.arange(n + 1) ** 2)
        style = "o-" if n < 20 else "-"
        panel.axhline(paper, **ONE_SIDED, label="E Z^2, the paper's distortion")
        panel.plot(fair.squared(noise), style, color="C1", label="modulo")
        panel.plot(fair.squared(geometric), style, color="C0", label="clamped geometric")
        title = f"n = {n}, epsilon 1, two-sided: squared error"
        panel.set(xlabel="true count", ylabel="mean squared error", yscale="log", title=title)
