"""Section 8: Bayesian models from private counts, what they cost in privacy, column privacy, range queries."""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from discreet import design
from discreet.arrays import Floats
from discreet.assess.properties import column_epsilon
from discreet.certify.table import PROPERTIES
from discreet.papers.claim import Claim
from discreet.papers.cormode2019.bayes_models import (
    People,
    accuracy,
    exact_shares,
    grouped,
    information_kept,
    synthetic_people,
    tree_quality,
    whole_table,
)
from discreet.papers.cormode2019.count_mechanisms import COLUMNS, NAMES, WEAK, distances, epsilon_of, matrix, named
from discreet.papers.cormode2019.statements import SAME, every, judged, listed, measured, ours
from discreet.papers.wording import ABOUT, MUCH, about, much

SIZE = 8


def composition() -> Sequence[Claim]:
    """Judge the privacy of a joint distribution: a person who changes an answer leaves one cell and enters another."""
    gm, epsilon = np.log(matrix("GM", 2, "1/2")), epsilon_of("1/2")
    worst = max(
        float(gm[a, i] + gm[b, j + 1] - gm[a, i + 1] - gm[b, j])
        for a, b in product(range(3), repeat=2)
        for i, j in product(range(2), repeat=2)
    )
    note = (
        "the paper's neighbours differ by a changed answer: two cells change by 1, and one table costs 2 epsilon;"
        " k tables (naive Bayes: one an attribute, Chow-Liu: one a pair) cost 2 k epsilon"
    )
    return [
        measured(
            "Section 8, composition",
            "one table, two of its cells, GM, n = 2: epsilon over that of one count",
            1,
            worst / epsilon,
            6,
            note,
            "stated",
        ),
        ours(
            "Section 8, composition",
            "naive Bayes with 7 attributes besides the class, Chow-Liu on 8: epsilon over that of one count",
            f"{2 * 7}, {2 * math.comb(8, 2)}",
        ),
    ]


def models() -> Sequence[Claim]:
    """Judge section 8 on synthetic people."""
    return model_claims("Section 8, applications", "synthetic", synthetic_people())


def model_claims(item: str, data: str, people: People) -> list[Claim]:
    """Return claims about naive Bayes and Chow-Liu trees on some people, in groups of 8."""
    names = ("GM", WEAK, COLUMNS, "EM", "EM*")
    kept = {
        (name, alpha): information_kept(people, grouped(matrix(name, SIZE, alpha), 1))
        for name in names
        for alpha in ("0.9", "0.67", "0.2")
    }
    trees = [tree_quality(people, grouped(matrix(name, SIZE, "0.67"), 1)) for name in names]
    hits = [accuracy(people, grouped(matrix(name, SIZE, "0.9"), 1)) for name in names]
    all_people = whole_table(0.9, 1)
    kept_by_all = information_kept(people, all_people)
    return [
        judged(
            item,
            f"{data}, alpha = .67: share of the mutual information that GM, WM (WH), EM keep {ABOUT} {MUCH}",
            "GM and WM similar, EM much weaker",
            listed(kept[name, "0.67"] for name in ("GM", WEAK, "EM")),
            about(kept[WEAK, "0.67"], kept["GM", "0.67"]) and much(kept["GM", "0.67"], kept["EM", "0.67"]),
            "it is not so",
        ),
        judged(
            item,
            f"{data}, alpha = .9: the same for GM, WM (two readings), EM {MUCH}",
            "much weaker than without privacy",
            listed(kept[name, "0.9"] for name in names[:4]),
            much(1, max(kept[name, "0.9"] for name in names[:4])),
            "it is not",
        ),
        judged(
            item,
            f"{data}, alpha = .2: the same, not much weaker than without privacy for GM {MUCH}",
            "better if alpha is very low",
            listed(kept[name, "0.2"] for name in names[:4]),
            not much(1, kept["GM", "0.2"]),
            "it is not",
        ),
        ours(
            item,
            f"{data}, alpha = .67: quality of the Chow-Liu trees of GM, WM (two readings), EM, EM*",
            listed(trees),
        ),
        ours(
            item,
            f"{data}, alpha = .9: accuracy of naive Bayes without privacy, of GM, WM (two readings), EM, EM*",
            listed([accuracy(people, exact_shares), *hits]),
        ),
        ours(
            item,
            f"{data}, alpha = .9, one count a cell for all people together: information kept, tree, accuracy",
            listed([kept_by_all, tree_quality(people, all_people), accuracy(people, all_people)]),
            kept_by_all > 0.9,
        ),
    ]


def column_privacy() -> Sequence[Claim]:
    """Add what column privacy costs, and which mechanisms have it."""
    rates = [column_epsilon(named(name, SIZE, "9/10")) / epsilon_of("9/10") for name in NAMES]
    grid = list(product((4, 8), ("1/2", "2/3", "9/10")))
    free, costs = [], {}
    for n, alpha in grid:
        alone = design.constrained(n=n, alpha=alpha, properties=("CP",)).loss("L0")
        others = [("CP", "WH"), ("CP", "RM", "CM", "S")]
        free += [
            abs(alone - design.constrained(n=n, alpha=alpha, properties=required).loss("L0")) < 1e-6
            for required in others
        ]
        costs[n, alpha] = alone
    fair = [
        abs(design.constrained(n=n, alpha=a, properties=(*PROPERTIES, "CP")).loss("L0") - named("EM", n, a).loss("L0"))
        < 1e-6
        for n, a in grid
    ]
    row = [named("GM", 8, "9/10").loss("L0"), costs[8, "9/10"], named("EM", 8, "9/10").loss("L0")]
    item = "Section 8, column privacy"
    return [
        ours(
            item,
            "n = 8, alpha = .9: largest step between outputs of GM, WM (two readings), EM, EM*, UM, in epsilons",
            listed(rates, 2),
            abs(rates[3] - 1) < SAME,
        ),
        ours(
            item, "n = 8, alpha = .9: L0 of GM, least L0 with column privacy, L0 of EM", listed(row), sorted(row) == row
        ),
        ours(item, "n = 4, 8, three alphas: WH, and RM, CM, S together, cost nothing more", every(free), all(free)),
        ours(
            item,
            "n = 4, 8, three alphas: with all seven and column privacy the least L0 is that of EM",
            every(fair),
            all(fair),
        ),
    ]


def range_loss(n: int) -> Floats:
    """Return the share of the ranges a..b within 0..n that hold exactly one of output i and true count j.

    For |i - j| = d it is d (n + 2 - d) / ((n + 1)(n + 2)/2).
    """
    apart = distances(n)
    return apart * (n + 2 - apart) / ((n + 1) * (n + 2) / 2)


def range_queries() -> Sequence[Claim]:
    """Add mechanisms that are made for range queries: is the count between a and b?"""
    loss, item = range_loss(SIZE), "Section 8, range queries"
    wrong = {name: float((loss * matrix(name, SIZE, "9/10")).sum()) / (SIZE + 1) for name in NAMES}
    optima = {
        name: design.constrained(n=SIZE, alpha="9/10", properties=required, objective=loss)
        for name, required in (("none", ()), ("WH", ("WH",)), ("all", PROPERTIES))
    }
    error_rates = {name: float((loss * optimum.matrix()).sum()) / (SIZE + 1) for name, optimum in optima.items()}
    cells = next(k for k in range(1, 1000) if _range_sum("GM", k) > math.sqrt(k * 2 * 0.9) / 0.1)
    return [
        ours(
            item,
            "n = 8, alpha = .9: chance that a range query is answered wrongly by GM, WM (two readings), EM, EM*, UM",
            listed(wrong.values()),
        ),
        ours(
            item,
            "the same by mechanisms made for it: no property, WH, all seven",
            listed(error_rates.values()),
            error_rates["none"] <= error_rates["WH"] <= error_rates["all"] <= wrong["EM*"] + 1e-6,
        ),
        ours(
            item,
            "sum of cells with true count 2, n = 8, alpha = .9: cells from which GM errs more than unrestricted noise",
            cells,
        ),
    ]


def _range_sum(name: str, cells: int) -> float:
    """Return the root mean square error of a sum of cells that each have the true count 2."""
    mechanism = named(name, SIZE, "9/10")
    return math.sqrt(cells * mechanism.variance(2) + (cells * mechanism.bias(2)) ** 2)


CLAIMS = (composition, models, column_privacy, range_queries)
