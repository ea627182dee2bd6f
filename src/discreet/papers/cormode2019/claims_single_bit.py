"""Section 5 and the proof of Theorem 3: one person with one bit."""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from discreet import design
from discreet.arrays import Floats
from discreet.certify.table import PROPERTIES
from discreet.mechanism import Mechanism
from discreet.papers.claim import Claim
from discreet.papers.cormode2019.count_mechanisms import COLUMNS, WEAK, epsilon_of, matrix, named, value
from discreet.papers.cormode2019.square_programs import SquareProgram
from discreet.papers.cormode2019.statements import SAME, close, every, judged, listed, measured, ours, stated

OFF = 1.0 - np.eye(2)


def theorem_3() -> Sequence[Claim]:
    """Judge Theorem 3: for which weights randomized response is the one optimum."""
    inside, outside, alone = [], [], []
    for alpha, step in product((0.3, 0.6, 0.9), np.linspace(0.02, 0.98, 7)):
        ratio = alpha ** (1 - 2 * step)  # of w1 to w0, between alpha and 1/alpha
        response = _response(alpha)
        inside.append(close(_least(alpha, ratio), float((_cost(ratio) * response).sum())))
        alone.append(all(np.abs(optimum - response).max() < 1e-5 for optimum in _pulled(alpha, ratio)))
        beyond = alpha * (0.9 - 0.8 * step)  # below alpha
        outside.append(close(_least(alpha, beyond), beyond / (1 + beyond)))  # always report 0
        outside.append(close(_least(alpha, 1 / beyond), beyond / (1 + beyond)))  # always report 1
    edge = _pulled(0.6, 0.6)
    apart = float(np.abs(edge[0] - edge[1]).max())
    weighted = [
        design.constrained(n=1, alpha="0.6", weights=[1 / (1 + ratio), ratio / (1 + ratio)], objective="L2").matrix()
        for ratio in (0.55, 0.65, 1.0, 1.6, 1.7)
    ]
    same = [bool(np.abs(optimum - _response(0.6)).max() < 1e-6) for optimum in weighted]
    proof = _least(0.6, 1.0)
    return [
        stated(
            "Theorem 3", "three alphas, seven weights: randomized response has the least cost", "all", every(inside)
        ),
        stated(
            "Theorem 3",
            "the same, w1/w0 strictly between alpha and 1/alpha: no other mechanism has it",
            "all",
            every(alone),
        ),
        judged(
            "Theorem 3",
            "alpha = .6, w1/w0 = alpha: how far two optima, none of them trivial, are apart",
            "0",
            apart,
            apart < 1e-5,
            "at w1/w0 = alpha and 1/alpha mixtures with 'always report 0' (or 1) are optimal too: unique needs <",
        ),
        stated(
            "Theorem 3",
            "alpha = .6, t = 2, w1/w0 = .55, .65, 1, 1.6, 1.7: constrained finds it",
            "no yes yes yes no",
            " ".join("yes" if one else "no" for one in same),
            kind="formula",
        ),
        stated("Proof of Theorem 3", "outside the range: one answer always", "all", every(outside), kind="formula"),
        judged(
            "Proof of Theorem 3",
            "alpha = .6, w1/w0 = 1, below 1/alpha: cost of always reporting 0, for the least cost",
            round(proof, 4),
            0.5,
            close(proof, 0.5),
            "the trivial mechanism is optimal if w1/w0 < alpha, not if w1/w0 < 1/alpha",
            "formula",
        ),
        measured(
            "Proof of Theorem 3",
            "alpha = .6: Pr[1|1] = 1 - Pr[0|0]/alpha, for 1/(1+alpha)",
            0.625,
            1 - 0.625 / 0.6,
            6,
            "1 - alpha Pr[0|0] is meant",
            "formula",
        ),
    ]


def _cost(ratio: float) -> Floats:
    """Return the cost of P for weights w0 and w1 = ratio w0 that sum to 1."""
    return np.asarray(OFF * np.array([1.0, ratio]) / (1 + ratio))


def _least(alpha: float, ratio: float) -> float:
    return SquareProgram(1).private(alpha).least(_cost(ratio))


def _response(alpha: float) -> Floats:
    return np.array([[1.0, alpha], [alpha, 1.0]]) / (1 + alpha)


def _pulled(alpha: float, ratio: float) -> list[Floats]:
    """Return optima that are pulled a little towards each output: the same matrix if there is one optimum."""
    pulls = [np.array([[1.0, 1], [0, 0]]), np.array([[0.0, 0], [1, 1]])]
    optima = [SquareProgram(1).private(alpha).solution(_cost(ratio) + 1e-6 * pull) for pull in pulls]
    trivial = [bool(np.abs(p - p[:, :1]).max() < SAME) for p in optima]
    return [(p + _response(alpha)) / 2 if alone else p for p, alone in zip(optima, trivial, strict=True)]


def known_mechanisms() -> Sequence[Claim]:
    """Judge Fact 1, Theorem 4, Lemma 2 and the conclusion of section 5."""
    chances = (0.5, 0.6, 0.75, 0.99)
    all_seven = [
        Mechanism.from_matrix(np.array([[p, 1 - p], [1 - p, p]])).properties() == frozenset(PROPERTIES) for p in chances
    ]
    exponential = {epsilon: design.exponential(n=1, epsilon=epsilon) for epsilon in (0.5, 1.0, 2.0)}
    formula = [
        close(float(mechanism.matrix()[0, 0]), math.exp(epsilon / 2) / (1 + math.exp(epsilon / 2)))
        for epsilon, mechanism in exponential.items()
    ]
    spent = [close(mechanism.epsilon(), epsilon / 2) for epsilon, mechanism in exponential.items()]
    chance = float(exponential[1.0].matrix()[0, 0])
    alphas = ("1/2", "3/5", "9/10")
    gm = [bool(np.abs(matrix("GM", 1, alpha) - _response(value(alpha))).max() < SAME) for alpha in alphas]
    others = [
        bool(np.abs(matrix(name, 1, alpha) - matrix("GM", 1, alpha)).max() < SAME)
        for name, alpha in product((WEAK, COLUMNS, "EM", "EM*"), alphas)
    ]
    ratio = chance / (1 - chance)
    return [
        stated("Fact 1", "randomized response has all seven: p = .5, .6, .75, .99", "all", every(all_seven)),
        stated("Theorem 4", "epsilon = .5, 1, 2: p = exp(epsilon/2)/(1 + exp(epsilon/2))", "all", every(formula)),
        stated("Theorem 4", "epsilon = .5, 1, 2: its privacy is exp(-epsilon/2)", "all", every(spent)),
        ours(
            "Theorem 4",
            "epsilon = 1: chance of the truth of the exponential mechanism, of GM",
            listed([chance, float(design.geometric(upper=1, epsilon=1).matrix()[0, 0])]),
        ),
        measured(
            "Proof of Theorem 4",
            "epsilon = 1: Pr[0|0]/Pr[1|0], printed as exp(-epsilon/2)",
            round(math.exp(-0.5), 4),
            ratio,
            4,
            "the ratio is exp(epsilon/2); the guarantee is its inverse",
            "formula",
        ),
        stated("Lemma 2", "GM at n = 1 is randomized response with p = 1/(1+alpha): three alphas", "all", every(gm)),
        stated("Section 5", "n = 1: WM in both readings, EM and EM* are GM: three alphas", "all", every(others)),
        stated(
            "Section 5",
            "n = 1: epsilon of GM is its budget: three alphas",
            "all",
            every(close(named("GM", 1, alpha).epsilon(), epsilon_of(alpha)) for alpha in alphas),
            kind="formula",
        ),
    ]


CLAIMS = (theorem_3, known_mechanisms)
