"""Sections 3 and 4: the linear program, the seven properties, Lemma 1, Theorems 1 and 2."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from discreet import design
from discreet.arrays import Floats
from discreet.certify.table import PROPERTIES
from discreet.mechanism import Mechanism
from discreet.papers.claim import Claim
from discreet.papers.cormode2019.count_mechanisms import (
    distances,
    epsilon_of,
    mass_beyond,
    named,
    optimal,
    powers,
)
from discreet.papers.cormode2019.square_programs import SquareProgram, largest_excess
from discreet.papers.cormode2019.statements import SAME, close, every, judged, listed, measured, ours, stated

SETS = ["+".join(filter(None, parts)) for parts in product(("", "RH", "RM"), ("", "WH", "CH", "CM"), ("", "F"))]
"""The 24 sets of properties without S that differ by more than what they imply."""


def section_3() -> Sequence[Claim]:
    """Judge the program of section 3, and add the optimum without a program."""
    squares = distances(4) ** 2
    plain = SquareProgram(4).private(0.85).solution(squares)
    gaps = np.flatnonzero(plain.max(axis=1) < SAME)
    floored = SquareProgram(4).private(0.85).at_least(0.01).solution(squares)
    at_floor = [abs(float(floored[i].min()) - 0.01) < SAME for i in gaps]
    remapped, gm = [], []
    for kind in ("L1", "L2"):
        remapped.append(optimal(50, "9/10", kind, ()).loss(kind))
        gm.append(named("GM", 50, "9/10").loss(kind))
    solved = [
        close(optimal(n, alpha, kind, ()).loss(kind), SquareProgram(n).private(float(alpha)).least(cost) / (n + 1))
        for n, alpha in product((3, 6), ("0.62", "0.9"))
        for kind, cost in (("L1", powers(1, n)), ("L2", powers(2, n)), ("L0", powers(0, n)))
        if kind != "L0"
    ]
    return [
        judged(
            "Section 3",
            "L2, n = 4, alpha = .85, no entry below .01: rows that had been zero and now have .01 as smallest entry",
            "all",
            every(at_floor),
            bool(at_floor) and all(at_floor),
            "some rows gain more",
        ),
        ours(
            "Section 3",
            "the same: largest entry of such a row, above .01 by powers of 1/alpha",
            float(floored[gaps].max()),
        ),
        stated(
            "Equations (4)-(7)",
            "the optimum without properties is GM and a Bayes remap: L1, L2, n = 3, 6, two alphas",
            "all",
            every(solved),
            kind="ours",
        ),
        ours("Equations (4)-(7)", "n = 50, alpha = .9: least L1, and L1 of GM", listed([remapped[0], gm[0]])),
        ours("Equations (4)-(7)", "n = 50, alpha = .9: least L2, and L2 of GM", listed([remapped[1], gm[1]])),
    ]


def implications() -> Sequence[Claim]:
    """Judge what section 4 says that the properties imply, over all mechanisms on 0..3."""
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]

    def most(properties: tuple[str, ...], along: str) -> float:
        """Return the largest excess of P[i, j] over the diagonal entry of its row or column."""
        return max(largest_excess(3, properties, (i, j), (i, i) if along == "row" else (j, j)) for i, j in pairs)

    uniform = 0.25 - SquareProgram(3).having("CH").least(_corner(3))
    monotone_not_private = Mechanism.from_matrix(np.eye(4)).epsilon()
    private = SquareProgram(3).private(0.5).solution(_corner(3, 0, 2, sign=-1.0) + _corner(3, 0, 1))
    gm = named("GM", 2, "9/10").properties()
    excesses = [
        ("Equation (9)", "RM implies RH", most(("RM",), "row")),
        ("Equation (11)", "CM implies CH", most(("CM",), "column")),
        ("Equation (12)", "F and RH imply CH", most(("F", "RH"), "column")),
        ("Equation (12)", "F and CH imply RH", most(("F", "CH"), "row")),
        ("Equation (14)", "CH implies WH", uniform),
    ]
    return [
        *(
            judged(item, f"{what}: largest excess in any mechanism, n = 3", "0", excess, excess < SAME, "it does not")
            for item, what, excess in excesses
        ),
        judged(
            "Equation (8)",
            "RH does not imply RM: largest P[0, 2] - P[0, 1], n = 3",
            "above 0",
            (excess := largest_excess(3, ("RH",), (0, 2), (0, 1))),
            excess > 0.01,
            "it does",
            kind="formula",
        ),
        judged(
            "Equation (9)",
            "n = 3: epsilon of a row monotone mechanism; P[0, 2] - P[0, 1] of one with alpha = .5",
            "independent",
            f"{monotone_not_private:g}, {private[0, 2] - private[0, 1]:.4f}",
            monotone_not_private == np.inf and private[0, 2] > private[0, 1] + SAME,
            "one implies the other",
        ),
        stated("Equation (10)", "GM, n = 2, alpha = .9: column honest", "no", "yes" if "CH" in gm else "no"),
        stated("Equation (12)", "GM, n = 2, alpha = .9: fair", "no", "yes" if "F" in gm else "no"),
        stated("Equation (14)", "GM, n = 2, alpha = .9: weakly honest", "no", "yes" if "WH" in gm else "no"),
    ]


def _corner(n: int, i: int = 0, j: int = 0, sign: float = 1.0) -> Floats:
    """Return a cost of one entry alone."""
    cost = np.zeros((n + 1, n + 1))
    cost[i, j] = sign
    return cost


def gaps() -> Sequence[Claim]:
    """Judge which properties prevent outputs that are never reported."""
    least = {
        name: min(SquareProgram(4).private(0.9).having(name).least(_corner(4, i, i)) for i in range(5))
        for name in ("F", "CH", "WH", "RH", "RM")
    }
    row = optimal(4, "0.85", "L2", ("RM",)).matrix()
    column = optimal(4, "0.85", "L2", ("CM",)).matrix()
    return [
        judged(
            "Section 4, consequences",
            "n = 4, alpha = .9: least chance of any true count with F, CH, WH",
            "above 0",
            listed(least[name] for name in ("F", "CH", "WH")),
            min(least[name] for name in ("F", "CH", "WH")) > SAME,
            "gaps are possible",
        ),
        ours(
            "Section 4, consequences",
            "the same with RH, RM, which do not prevent gaps",
            listed(least[name] for name in ("RH", "RM")),
            max(least["RH"], least["RM"]) < SAME,
        ),
        judged(
            "Section 4, consequences",
            "L2, n = 4, alpha = .85: largest excess over the chance of the true count, with CM, with RM alone",
            "no spike with CM",
            listed(float((p - np.diagonal(p)[None, :]).max()) for p in (column, row)),
            float((column - np.diagonal(column)[None, :]).max()) < SAME,
            "there is one",
        ),
    ]


def lemma_1() -> Sequence[Claim]:
    """Judge Lemma 1: fair optima do not depend on the weights."""
    rng = np.random.default_rng(2019)
    truths, rates = [], []
    for prior in rng.dirichlet(np.ones(6), 8):
        prior = prior / prior.sum()
        fair = design.constrained(n=5, alpha="0.8", properties=("F",), objective=powers(0, 5), weights=prior)
        truth = float(fair.matrix()[0, 0])
        truths.append(close(truth, float(named("EM", 5, "0.8").matrix()[0, 0])))
        rates.append(close(mass_beyond(named("EM", 5, "0.8").matrix(), 0, prior), 1 - truth))
    return [
        stated(
            "Lemma 1", "n = 5, alpha = .8: fair optima under 8 priors have the diagonal of EM", "all", every(truths)
        ),
        stated("Equation (13)", "the error rate of EM under 8 priors is 1 - y", "all", every(rates), kind="formula"),
    ]


def theorem_1() -> Sequence[Claim]:
    """Judge Theorem 1: symmetry costs nothing."""
    rng = np.random.default_rng(1)
    kept, traces, symmetric = [], [], []
    for joined in SETS:
        properties = tuple(filter(None, joined.split("+")))
        pull = powers(0, 4) + 1e-3 * rng.uniform(size=(5, 5))
        one = design.constrained(n=4, alpha="0.8", properties=properties, objective=pull)
        both = Mechanism.from_matrix((one.matrix() + one.matrix()[::-1, ::-1]) / 2)
        kept.append(set(properties) <= both.properties() and both.epsilon() <= epsilon_of("0.8") + SAME)
        symmetric.append("S" in both.properties())
        traces.append(close(float(one.matrix().trace()), float(both.matrix().trace())))
    nearly_equal = np.full(5, 0.2) * (1 + 1e-9 * np.arange(-2, 3))  # so that the program is not folded by itself
    free, costly = _with_and_without(4, ("CM",), nearly_equal), _with_and_without(3, (), np.array([0.7, 0.1, 0.1, 0.1]))
    skewed = Mechanism.from_matrix(np.array([[0.0, 0, 0], [1, 1, 0], [0, 0, 1]]))
    mirrored = Mechanism.from_matrix((skewed.matrix() + skewed.matrix()[::-1, ::-1]) / 2)
    worst = [mechanism.loss("L1", aggregate="max") for mechanism in (skewed, mirrored)]
    return [
        stated(
            "Theorem 1",
            "n = 4, alpha = .8: 24 sets of properties, the mean with the mirror image is symmetric",
            "all",
            every(symmetric),
        ),
        stated("Theorem 1", "the same: it keeps the properties and the privacy", "all", every(kept)),
        stated("Theorem 1", "the same: it keeps the trace", "all", every(traces)),
        judged(
            "Theorem 1",
            "CM, n = 4, alpha = .9: error rate without and with S",
            "equal",
            listed(free),
            close(*free),
            "not",
        ),
        ours(
            "Theorem 1",
            "n = 3, alpha = .9, weights .7 .1 .1 .1: error rate without and with S, which is then not free",
            listed(costly),
            not close(*costly),
        ),
        ours(
            "Theorem 1",
            "largest mean error of a mechanism and of its mirrored mean, which is then less",
            listed(worst),
            worst[1] < worst[0],
        ),
    ]


def _with_and_without(n: int, properties: tuple[str, ...], weights: Floats) -> tuple[float, float]:
    """Return the least error rate at alpha = .9 without S and with it."""
    without, with_s = (
        mass_beyond(design.constrained(n=n, alpha="9/10", properties=chosen, weights=weights).matrix(), 0, weights)
        for chosen in (properties, (*properties, "S"))
    )
    return without, with_s


def theorem_2() -> Sequence[Claim]:
    """Judge Theorem 2 and Definition 5: every set of properties can be met, and the constraints as printed."""
    uniform = [named("UM", n, "1/2").properties() == frozenset(PROPERTIES) for n in range(1, 13)]
    rate = mass_beyond(named("UM", 8, "1/2").matrix(), 0, np.full(9, 1 / 9))
    excess = max(largest_excess(3, ("printed RM",), (0, 1), (0, 0)), largest_excess(3, ("printed RM",), (3, 2), (3, 3)))
    true_excess = largest_excess(3, ("RM",), (0, 1), (0, 0))
    return [
        stated("Theorem 2", "UM has all seven, n = 1..12", "all", every(uniform)),
        judged(
            "Theorem 2",
            "n = 3: largest P[i, j] - P[i, i] that the printed constraints of RM allow",
            "0",
            excess,
            excess < SAME,
            f"the printed ranges i < j and j < i leave out the step beside the diagonal; with i <= j and j <= i the"
            f" largest is {abs(true_excess):.0f}",
            "formula",
        ),
        measured("Definition 5", "UM, n = 8: error rate n/(n+1)", round(8 / 9, 6), rate, 6, kind="formula"),
        measured("Definition 5", "UM, n = 8: L0", 1, named("UM", 8, "1/2").loss("L0"), 9),
    ]


CLAIMS = (section_3, implications, gaps, lemma_1, theorem_1, theorem_2)
