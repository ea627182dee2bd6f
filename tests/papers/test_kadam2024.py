"""Kadam 2024: the paper's numbers in its own one-sided reading, and what is true with neighbours in both directions.

`kadam2024.json` holds known values by golden id: n, the differences M, epsilon, delta, the value, and the paper's
where it prints one or a formula gives one. Every one of them is recomputed.
"""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet import design
from discreet.papers import kadam2024
from discreet.papers import kadam2024_fair as fair
from discreet.papers import kadam2024_onesided as onesided
from discreet.papers.claim import Claim
from discreet.papers.kadam2024_fair import modulo
from tests.papers.claims import agreement

KNOWN: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("kadam2024.json").read_text())

TABLE_1 = {"0": 0.0, "0.1212": 0.12120251774871107, "0.1238": 0.12380358389679691, "0.1522": 0.1521564963332428}
CASES = {"SD1": (1,), "BD3": (1, 2, 3)}
COSTS = {"unif": "uniform_prior", "circ": "circular", "worst": "worst"}
CLAMPED = {"geo": design.geometric(alpha="0.7"), "gau": design.gaussian(sigma2="3.38")}


class Known:
    """One known value, its parameters by name."""

    def __init__(self, name: str) -> None:
        entry = KNOWN[name]
        self.name, self.parts = name, name.split("_")
        self.n: Any = entry.get("n")
        self.differences: Any = entry.get("M")
        self.epsilon: Any = entry.get("eps")
        self.delta: Any = entry.get("delta")
        self.value: Any = entry["value"]
        self.paper: Any = entry.get("paper_value")

    def numbers(self, letters: str) -> tuple[int, ...]:
        return tuple(int(re.search(rf"{letter}(\d+)", self.name)[1]) for letter in letters.split())  # type: ignore[index]


def _error(law: np.ndarray) -> float:
    return float(1 - law[0])


def _circular(law: np.ndarray) -> float:
    x = np.arange(len(law))
    return float(law @ np.minimum(x, len(law) - x) ** 2)


def _uniform(law: np.ndarray) -> float:
    x = np.arange(len(law))
    return float(law @ (x * (len(law) - x)))


# One-sided, and the two-sided delta of what is one-sided


def _pure(k: Known) -> Any:
    return onesided.pure((k.n + 1,), k.differences, k.epsilon)


def _single(k: Known) -> Any:
    return onesided.single(k.n + 1, k.differences[0], k.epsilon, k.delta)


def _single_two_sided(k: Known) -> Any:
    return onesided.two_sided(_single(k), k.differences).delta(k.epsilon)


def _lemma_3(k: Known) -> Any:
    mechanism = onesided.two_sided(onesided.pure((k.n + 1,), k.differences[:1], k.epsilon), k.differences)
    return mechanism.delta(k.epsilon) if "twosided" in k.name else mechanism.epsilon()


def _column(k: Known) -> Any:
    return onesided.literal(8, (1, 2, 3), 1.5, TABLE_1[k.parts[2]])


def _column_two_sided(k: Known) -> Any:
    mechanism = onesided.two_sided(_column(k), (1, 2, 3))
    return mechanism.epsilon() if k.name.endswith("eps") else mechanism.delta(1.5, kind=k.parts[-1])


def _column_optimum(k: Known) -> Any:
    if "pdp" in k.parts:
        return onesided.definition_2(onesided.wrong(8), (1, 2, 3), k.epsilon, k.delta)[0]
    return k.delta + (1 - k.delta) * onesided.pure((9,), (1, 2, 3), k.epsilon)[0]


def _region(k: Known) -> Any:
    asked = {"table1_delta0bar": 0.1, "table1_delta1": 0.13, "table1_delta2": 0.16}[k.name]
    law = onesided.literal(8, (1, 2, 3), 1.5, asked)
    return onesided.probabilistic(law, (1, 2, 3), 1.5) or law[1]


def _literal(k: Known) -> Any:
    deltas = np.atleast_1d(k.delta)
    first = np.array([onesided.literal(k.n, k.differences, k.epsilon, float(delta))[0] for delta in deltas])
    return 1 - first if k.name.startswith("fig") else first


def _definition_2(k: Known) -> Any:
    cost = onesided.wrong(k.n)
    return [_error(onesided.definition_2(cost, k.differences, k.epsilon, delta)) for delta in k.delta]


def _theorem_3(k: Known) -> Any:
    law, _, _ = onesided.theorem_3(k.n, max(k.differences), k.epsilon, *k.numbers("h j"))
    return law[0] if "phi" in k.parts else onesided.probabilistic(law, k.differences, k.epsilon)


def _counterexample(k: Known) -> Any:
    alpha = math.exp(-k.epsilon)
    law = np.array([1, alpha, alpha, alpha, 0]) / (1 + 3 * alpha)
    assert onesided.probabilistic(law, k.differences, k.epsilon) < k.delta
    return law[0]


def _limit(k: Known) -> Any:
    alpha, mu = math.exp(-k.epsilon), 3 if "BD3" in k.name else 1
    steps = (2 if "sym" in k.name else 1) * mu
    return 1 - 1 / (1 + steps * alpha / (1 - alpha))


def _vector(k: Known) -> Any:
    law = onesided.pure((5, 5), [tuple(difference) for difference in k.differences], k.epsilon)
    return {"57": law, "lastrow": law[-1], "marginal": law.sum(axis=0)}[k.parts[-1]]


def _figure_5(k: Known) -> Any:
    laws = [onesided.definition_2(onesided.square(8), (1,), epsilon, 0.3) for epsilon in k.epsilon]
    if "mse" in k.parts:
        return [law @ onesided.square(8) for law in laws]
    return [onesided.two_sided(law, (1,)).delta(epsilon) for law, epsilon in zip(laws, k.epsilon, strict=True)]


def _figure_7(k: Known) -> Any:
    laws = [onesided.definition_2(onesided.square(8), (1,), epsilon, None, 0.6101) for epsilon in k.epsilon]
    return [onesided.probabilistic(law, (1,), epsilon) for law, epsilon in zip(laws, k.epsilon, strict=True)]


def _figure_11(k: Known) -> Any:
    return [_error(onesided.literal(9, range(1, mu + 1), k.epsilon, k.delta)) for mu in range(2, 10)]


# Two-sided


def _optimum(k: Known) -> Any:
    return fair.distribution(modulo(k.n + 1, k.epsilon, delta=k.delta, neighbours=k.differences))


def _programmed(k: Known) -> Any:
    circular, kind = "msecirc" in k.parts, k.parts[0]
    objective = "circular" if circular else "error_rate"
    mechanism = modulo(9, k.epsilon, delta=k.delta, neighbours=CASES[k.parts[-3]], objective=objective, privacy=kind)
    assert mechanism.delta(k.epsilon, kind=kind) <= k.delta + 1e-14
    return (_circular if circular else _error)(fair.distribution(mechanism))


def _stair(k: Known) -> Any:
    mechanism = modulo(17, k.epsilon, neighbours=(1, 2, 3), objective=COSTS[k.parts[-1]])
    return (_circular if k.parts[-1] == "circ" else _uniform)(fair.distribution(mechanism))


def _figure_5_fair(k: Known) -> Any:
    cost = k.parts[-1]
    found = [modulo(9, e, delta=0.3, objective=COSTS[cost], privacy=k.parts[2]) for e in k.epsilon]
    if cost == "circ":
        return [_circular(fair.distribution(mechanism)) for mechanism in found]
    errors = [fair.squared(mechanism) for mechanism in found]
    return [error.max() if cost == "worst" else error.mean() for error in errors]


def _unrestricted(k: Known) -> Any:
    squares = k.parts[2] == "mse"
    cost = (lambda q, other: (q - other) ** 2) if squares else (lambda q, other: q != other)
    return [fair.unrestricted(k.n, epsilon, k.delta, cost) for epsilon in k.epsilon]


def _least_delta(k: Known) -> Any:
    kind = k.parts[2]
    return [modulo(8, e, distortion=0.3, privacy=kind).delta(e, kind=kind) for e in k.epsilon]


def _errors(k: Known) -> Any:
    pairs = [(k.epsilon, d) for d in k.delta] if isinstance(k.delta, list) else [(e, k.delta) for e in k.epsilon]
    return [_error(fair.distribution(modulo(k.n + 1, e, delta=d, neighbours=k.differences))) for e, d in pairs]


def _wide(k: Known) -> Any:
    return [fair.error_rate(modulo(10, k.epsilon, delta=k.delta, neighbours=range(1, m + 1))) for m in range(1, 10)]


def _noise(k: Known) -> Any:
    noise = CLAMPED[k.parts[2][:3]]
    mechanism = noise if k.parts[1] == "unclamped" else fair.clamped(noise, 8)
    return [mechanism.delta(epsilon, kind=k.parts[-1]) for epsilon in k.epsilon]


def _cut(k: Known) -> Any:
    alpha, x = float(k.name[-3:]), np.arange(-4, 5)
    return (1 - alpha) / (1 + alpha) * alpha ** np.abs(x) @ x**2


def _response(k: Known) -> Any:
    return [onesided.two_sided(np.array([0.7] + [0.3 / 7] * 7), range(1, 8)).delta(e) for e in k.epsilon]


OURS: dict[str, tuple[Callable[[Known], Any], float]] = {
    r"lemma[34]_n\d.*eps[\d.]+|vec_f1|fig14_n16_onesided": (_pure, 1e-12),
    r"thm2_n.*": (_single, 1e-12),
    r"thm2_twosided_.*": (_single_two_sided, 1e-12),
    r"lemma3_(pureeps|twosided)_.*": (_lemma_3, 1e-12),
    r"thm2_bounds_.*": (lambda k: onesided.regions(k.n + 1, k.epsilon), 1e-12),
    r"remark3_.*": (lambda k: _single(k)[0], 1e-12),
    r"fig12a_.*": (lambda k: [_error(onesided.single(10, 3, k.epsilon, delta)) for delta in k.delta], 1e-12),
    r"cor1_.*": (lambda _: onesided.epsilons(8, 0.3), 1e-12),
    r"table1_delta.*": (_region, 1e-9),
    r"table1_col_[\d.]+": (_column, 1e-9),
    r"table1_col_.*_twosided_p?dp": (_column_two_sided, 1e-9),
    r"table1_col_.*_twosided_pureeps": (_column_two_sided, 1e-7),  # a ratio of small numbers of a program
    r"table1_col_[\d.]+_(pdp|dp)_opt": (_column_optimum, 1e-9),
    r"fig12b_literal_.*|literal13_.*": (_literal, 1e-8),
    r"fig12b_pdp_.*": (_definition_2, 1e-8),
    r"thm3_(phi|actualpdp)_.*": (_theorem_3, 1e-12),
    r"thm3_counterexample_.*": (_counterexample, 1e-12),
    r"limit_.*": (_limit, 1e-12),
    r"eq53_.*": (lambda k: onesided.limit_52(7, 1.0, *k.numbers("c j"))[0], 1e-12),
    r"vec_57.*": (_vector, 1e-12),
    r"fig5a_onesided_.*": (_figure_5, 1e-8),
    r"fig7a_onesided_.*": (_figure_7, 1e-8),
    r"fig11_literal_.*": (_figure_11, 1e-8),
    r"symSD_.*|fig14_.*_sym|table1_col_.*_sym_dp_opt": (_optimum, 1e-12),
    r"(pdp|dp)_sym_.*": (_programmed, 1e-9),
    r"stair_sym_.*": (_stair, 1e-9),
    r"fig5a_sym_.*": (_figure_5_fair, 1e-9),
    r"fig5[ab]_full_.*": (_unrestricted, 1e-8),
    r"fig7b_sym_.*": (_least_delta, 1e-8),
    r"fig12_dp_sym_.*|fig5b_sym_dp_er": (_errors, 1e-12),
    r"fig11_sym_.*": (_wide, 1e-12),
    r"fig6_.*": (_noise, 1e-11),
    r"fig7a_geo0.2_dp": (lambda k: design.geometric(alpha="0.2", upper=8).deltas(k.epsilon), 1e-12),
    r"fig7b_rr_dp": (_response, 1e-12),
    r"mse_const_alpha0\.\d": (_cut, 1e-12),
    r"mse_const_.*_true_avg": (lambda _: fair.squared(design.geometric(alpha="0.7", upper=8)).mean(), 1e-12),
    r"mse_per_q_symSD": (lambda _: fair.squared(modulo(9, 1.0)), 1e-12),
    r"wrap_prob_.*": (lambda k: modulo(k.n + 1, 1.0).pmf(0)[1][k.n], 1e-12),
    r"vec_sym_product_f00": (lambda _: fair.distribution(modulo(5, 1.5, neighbours=(1, 2)))[0] ** 2, 1e-12),
}
"""How each known value is recomputed, by a pattern of its id, and to which tolerance."""


@pytest.mark.parametrize("name", [name for name in KNOWN if name != "quant_c"])
def test_known_value(name: str) -> None:
    (recompute, tolerance), *others = [how for pattern, how in OURS.items() if re.fullmatch(pattern, name)]
    assert not others
    known = Known(name)
    np.testing.assert_allclose(np.array(recompute(known)), np.array(known.value), rtol=0, atol=tolerance)


def test_quantised_noise_on_a_cycle_is_as_known_by_its_certificate() -> None:
    """quant_c: 24 values, epsilon 0.5, delta 1e-6, 62 bits; where the last units go is free."""
    table = design.cyclic(size=24, epsilon="0.5", delta="1e-6").certify(bits=62)
    assert 0.99999e-6 < table.guarantee.delta <= 1e-6
    weights = np.array(table.table.interior[0].weights, dtype=np.float64)
    assert sum(table.table.interior[0].weights) == 1 << 62
    np.testing.assert_allclose(weights, [int(weight) for weight in KNOWN["quant_c"]["value"]], rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in KNOWN if name.startswith(("thm3_phi", "thm3_actual", "eq53"))])
def test_formulas_as_printed(name: str) -> None:
    """(34)-(36) are wrong for j = h, and right otherwise; (37c) claims less than it has where j < h - 1; (53)."""
    known = Known(name)
    if name.startswith("eq53"):
        printed = onesided.limit_52(7, 1.0, *known.numbers("c j"))[1]
    else:
        h, j = known.numbers("h j")
        _, claimed, first = onesided.theorem_3(known.n, max(known.differences), known.epsilon, h, j)
        printed = first if "phi" in known.parts else claimed
        wrong = j == h if "phi" in known.parts else j < h - 1
        assert (abs(printed - known.value) > 1e-9) == wrong
    assert printed == pytest.approx(known.paper, abs=1e-12)


# Facts beside the known values


@pytest.mark.parametrize(("n", "mu"), [(9, 4), (15, 5), (8, 3), (12, 4)])
def test_what_is_printed_for_delta_0_is_lemma_4_and_a_staircase(n: int, mu: int) -> None:
    law = onesided.pure((n + 1,), range(1, mu + 1), 1.0)
    np.testing.assert_allclose(onesided.literal(n, range(1, mu + 1), 1.0, 0.0), law, atol=1e-9)
    np.testing.assert_allclose(onesided.staircase(n, mu, 1.0), law, atol=1e-15)


@pytest.mark.parametrize("delta", [0.0, 0.001, 0.02, 0.1, 0.2, 0.3, 0.45, 0.7])
def test_theorem_2_is_the_optimum_of_definition_2(delta: float) -> None:
    law = onesided.single(8, 3, 0.75, delta)
    best = onesided.definition_2(onesided.wrong(7), (3,), 0.75, delta)
    assert math.fsum(law) == pytest.approx(1, abs=1e-15)
    assert onesided.probabilistic(law, (3,), 0.75) <= delta + 1e-15
    assert law[0] == pytest.approx(best[0], abs=1e-9)


def test_definition_2_allows_at_least_what_13_does() -> None:
    for delta in (0.03, 0.15):
        printed = onesided.literal(8, (1, 2, 3), 1.0, delta)
        assert onesided.probabilistic(printed, (1, 2, 3), 1.0) <= delta + 1e-9
        best = onesided.definition_2(onesided.wrong(8), (1, 2, 3), 1.0, delta)
        assert best[0] >= printed[0] - 1e-9


def test_clamped_geometric_noise_has_the_delta_asked_for() -> None:
    for epsilon, delta in ((0.25, 0.3), (1.0, 0.3), (2.0, 0.01)):
        assert fair.clamped_geometric(8, epsilon, delta).delta(epsilon) == pytest.approx(delta, abs=1e-12)


# The claims

AGREES = {
    "Table 1": [True, False] * 4 + [False],  # the laws as printed, never their delta; b + r
    "Figure 10": [True] * 3,
    "Definition 2": [False, True, False],
    "Lemma 3": [True, False, False] * 2,
    "Lemma 4": [True, False, False] * 2,
    "Theorem 2": [True, False] * 8,
    "Equation (19)": [True],
    "Remark 3": [False],
    "Equation (25)": [True],
    "Corollary 1": [True, True, True, False, True, False],
    "Equations (34)-(36)": [j < h for b in (2, 3, 4, 4) for h in range(1, b) for j in range(1, h + 1)],
    "Equation (37c)": [j >= h - 1 for b in (2, 3, 4, 4) for h in range(1, b) for j in range(1, h + 1)],
    "Theorem 3": [False, False],
    "Figure 12": [False],
    "Equations (44)-(45)": [False, True, True],
    "Equations (46)-(48)": [False, False, True],
    "Equations (52)-(53)": [False] * 3,
    "Vectors": [True, False],
    "Equation (57)": [True, True, False],
    "Distortion": [False, False],
    "Figure 5 (a)": [False] * 12,
    "Figure 5 (b)": [True] * 6,
    "Figures 6 and 8": [True, False] + [False] * 4,
    "Figure 7 (a)": [True, False] + [False] * 8,
    "Clamping": [False, False, False, True],  # only the probabilistic delta of the Gaussian
    "Figure 7 (b)": [True] * 5,
    "Figure 11": [True, True],
    "Figure 12 (b)": [False] * 3,
    "Figure 14": [False] * 2,
}


@pytest.fixture(scope="module")
def claims() -> list[Claim]:
    return kadam2024.claims()


def test_claims_hold_or_fail_as_known(claims: list[Claim]) -> None:
    assert agreement(claims) == AGREES


def test_what_fails_is_explained(claims: list[Claim]) -> None:
    assert [claim for claim in claims if not claim.agrees and not claim.note] == []


def test_table_1_has_its_true_delta_beside_it(claims: list[Claim]) -> None:
    """table1_col_*_twosided_dp: promised 0, .1212, .1238, .1522."""
    rows = [claim for claim in claims if claim.item == "Table 1" and claim.what.startswith("its delta")]
    assert [claim.paper for claim in rows] == [0, 0.1212, 0.1238, 0.1522]
    expected = [0.6103066424492393, 0.6103066424492393, 0.7195833961070248, 0.7446094424481469]
    assert [claim.ours for claim in rows] == pytest.approx(expected, abs=1e-9)
    assert all(claim.note.startswith("PRIVACY") for claim in rows)


def test_every_one_sided_delta_has_the_two_sided_one_beside_it(claims: list[Claim]) -> None:
    """Whoever reads a one-sided number finds in the same place what it is with neighbours in both directions."""
    shown = {claim.item for claim in claims if "one-sided" in claim.what}
    for where in shown - {"Definition 2", "Theorem 3"}:  # both at settings whose two-sided delta others show
        beside = [claim for claim in claims if claim.item == where]
        assert any("two-sided" in claim.note or "PRIVACY" in claim.note for claim in beside), where
