"""What Cormode 2019 prints, beside golden values: which claims reproduce, and which do not."""

import csv
import gzip
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from discreet import design
from discreet.errors import InputError
from discreet.papers import cormode2019
from discreet.papers.claim import Claim
from discreet.papers.cormode2019_figures import (
    NAMES,
    adult_groups,
    binomial,
    cheapest,
    error,
    held,
    named,
    optimum,
    within_one,
)

WRONG = {
    ("Figure 1", "L1, n = 7, alpha = .62: least chance of output 2 or 5"),
    ("Figure 1", "L2, n = 4, alpha = .62: least chance of output 2"),
    ("Figure 1", "L0,1, n = 5, alpha = .62: least chance of output 1 or 4"),
    ("Figure 1", "alphas that show all three pictures"),
    ("Figure 2", "L2, all seven, n = 4, alpha = 0.62: least chance of an error of at most 1"),
    ("Figure 7", "EM, n = 4, alpha = 9/10: chance of the truth"),
    ("Figure 7", "GM, n = 4, alpha = 9/10: chance of the truth"),
    ("Definition 4", "alpha = .9: mass of the printed law (1-alpha)^|z| / (1+alpha)"),
    ("Definition 4", "alpha = .9: its epsilon, where -ln alpha is meant"),
    ("L0,d", "GM, n = 4, alpha = .9: mass at |i-j| >= 0, for the error rate"),
    ("Theorem 1", "n = 3, alpha = .9, weights .7 .1 .1 .1: error rate without and with S"),
    ("Theorem 4", "the same: epsilon that it has"),
    ("Lemma 3", "the same at n = 1, alpha = .9"),
    ("Lemma 4", "the same at n = 1, alpha = .9"),
    ("Equation (16)", "EM, n = 1, alpha = 1/2: column sum with the printed y"),
    ("Equation (16)", "EM, n = 3, alpha = 9/10: column sum with the printed y"),
    ("Equation (16)", "EM, n = 5, alpha = 2/3: column sum with the printed y"),
    ("Figure 6", "WM, n = 4, alpha = .9: L0"),
    ("WM", "WM derives from GM, n = 2, four alphas"),
    ("WM", "n = 20, alpha = 10/11: L0, two readings"),
    ("Figures 8(b), 9(c)", "alpha = .99, n = 10: L0 with WH, with CM, of EM"),
}
"""Every claim that does not reproduce."""

HEADER = (
    "person_id age workclass fnlwgt education education_num marital_status occupation relationship race sex"
    " capital_gain capital_loss hours_per_week native_country income"
)


@pytest.fixture(scope="module")
def claims() -> list[Claim]:
    return cormode2019.claims()


@pytest.fixture(scope="module")
def adult(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """480 invented people in the columns of the Adult data: every third rich, every second a woman, ages 20 to 59."""
    path = tmp_path_factory.mktemp("adult") / "adult.csv"
    blank = dict.fromkeys(HEADER.split(), "x")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(blank))
        writer.writeheader()
        for k in range(480):
            rich, sex = ">50K" if k % 3 == 0 else "<=50K", "Female" if k % 2 else "Male"
            writer.writerow(blank | {"age": 20 + k % 40, "sex": sex, "income": rich})
    return path


def test_exactly_the_known_claims_do_not_reproduce(claims: list[Claim]) -> None:
    assert {(claim.item, claim.what) for claim in claims if not claim.agrees} == WRONG


def test_every_claim_is_one_of_its_kind_and_what_fails_is_explained(claims: list[Claim]) -> None:
    assert len({(claim.item, claim.what) for claim in claims}) == len(claims) == 108
    explained = {claim.item for claim in claims if claim.note}
    assert {where for where, _ in WRONG} <= explained
    assert all(not claim.note for claim in claims if claim.agrees)
    assert all(claim.paper is not None for claim in claims if not claim.agrees)


@pytest.mark.parametrize(
    ("where", "what", "value"),
    [
        ("Example 1", "odds against 1 at count 1", 18),
        ("Figure 1", "least chance of output 2 or 5", 0.11165743679999984),
        ("Figure 1", "L2, n = 4", 0.2915040987654321),
        ("Figure 1", "least chance of output 1 or 4", 0.62),
        ("Figure 2", "alpha = 0.62", 0.6647168306301515),
        ("Figure 7", "EM, n = 4, alpha = 9/10", 0.22624434389140272),
        ("Figure 7", "GM, n = 4, alpha = 9/10", 0.24210526315789474),
        ("Figure 7", "EM, n = 4, alpha = 10/11", 0.22365988909426987),
        ("Figure 7", "GM, n = 4, alpha = 10/11", 0.23809523809523808),
        ("Definition 4", "mass", 0.6432748538011697),
        ("Definition 4", "epsilon", 2.3025850929940455),
        ("Theorem 3", "randomized response", 5 / 8),
        ("Theorem 4", "n = 1, epsilon = 1: truth", 0.6224593312018546),
        ("Theorem 4", "epsilon that it has", 0.5),
        ("Equation (16)", "n = 1, alpha = 1/2", 0.945902906223),
        ("Equation (16)", "n = 5, alpha = 2/3", 0.991564767753),
        ("Definition 3", "least largest error rate", 0.860921810241718),
        ("Figure 8(a)", "2 alpha/(1-alpha)", 6.333333333333334),
        ("Figure 8(a)", "L0 of GM", 0.8636363636363636),
        ("Section 7.4", "L1: least with WH", 1.5219439149844627),
        ("Section 7.4", "L2: least with all seven", 4.755851112018799),
        ("Bayes remap", "L1", 6.946078925257714),
        ("Bayes remap", "L2", 86.60566601756878),
    ],
)
def test_claims_have_the_golden_values(claims: list[Claim], where: str, what: str, value: float) -> None:
    (found,) = [claim.ours for claim in claims if claim.item == where and what in claim.what]
    assert found == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize(
    ("n", "alpha", "y"),
    [
        (1, "1/2", "2/3"),
        (1, "10/11", "11/21"),
        (2, "2/3", "3/7"),
        (2, "9/10", "5/14"),
        (3, "1/2", "4/9"),
        (4, "1/2", "2/5"),
        (4, "10/11", "121/541"),
        (5, "2/3", "27/95"),
        (5, "10/11", "1331/6951"),
    ],
)
def test_the_truth_in_em_for_odd_n_too(n: int, alpha: str, y: str) -> None:
    for name in ("EM", "EM*"):
        for count, row in enumerate(named(name, n, alpha).rows):
            assert row.numerators is not None
            assert Fraction(row.numerators[count], row.denominator) == Fraction(y)


@pytest.mark.parametrize(
    ("name", "n", "alpha", "cost"),
    [
        ("GM", 1, "10/11", "20/21"),
        ("GM", 4, "2/3", "4/5"),
        ("GM", 5, "9/10", "18/19"),
        ("EM", 2, "10/11", "30/31"),
        ("EM", 3, "9/10", "348/361"),
        ("EM", 4, "9/10", "855/884"),
        ("EM", 5, "2/3", "408/475"),
        ("EM", 7, "10/11", "662560/682227"),
        ("EM", 8, "2/3", "585/682"),
        ("WM (WH)", 3, "0.76", "371/418"),
        ("WM (WH)", 4, "9/10", "781/810"),
        ("WM (WH)", 8, "99/100", "3448245137/3458145636"),
        ("WM (WH)", 17, "9/10", "118775828656/125136817947"),
    ],
)
def test_exact_costs(name: str, n: int, alpha: str, cost: str) -> None:
    assert named(name, n, alpha).loss("L0") == pytest.approx(float(Fraction(cost)), abs=1e-14)


@pytest.mark.parametrize(
    ("n", "honest", "columns"),
    [
        (2, 0.894736842105263, 0.894736842105263),
        (7, 0.8636363636363638, 0.8861558327952845),
        (9, 0.8636363636363641, 0.8807045524497047),
        (12, 0.8636363636363639, 0.8764375052463695),
    ],
)
def test_figure_8a_has_two_curves(n: int, honest: float, columns: float) -> None:
    for asked in ("WH", "WH+RH", "WH+RM"):
        assert cheapest(n, "0.76", asked) == pytest.approx(honest, abs=1e-8)
    for asked in ("CH", "CM", "RH+CH", "RH+CM", "RM+CH", "RM+CM"):
        assert cheapest(n, "0.76", asked) == pytest.approx(columns, abs=1e-8)


@pytest.mark.parametrize(
    ("n", "alpha", "costs"),
    [
        (6, "2/3", (0.8, 0.8, 0.8166666666666668, 0.86084142394822)),
        (30, "2/3", (0.8, 0.8, 0.8033333333333326, 0.826288410788532)),
        (5, "10/11", (0.9523809523809523, 0.9671428571428572, 0.9688253968253968, 0.9702201122140699)),
        (19, "10/11", (0.9523809523809523, 0.9538690287220551, 0.9647560548315802, 0.9710549399085154)),
        (20, "10/11", (0.9523809523809523, 0.9523809523809523, 0.9641372997090446, 0.9709880806908757)),
        (10, "99/100", (0.9949748743718593, 0.9971701273537258, 0.9972077948848177, 0.9972343917547714)),
        (25, "99/100", (0.9949748743718593, 0.997162444860983, 0.9972700117504518, 0.9973303861509041)),
    ],
)
def test_figure_9(n: int, alpha: str, costs: tuple[float, ...]) -> None:
    found = [named(name, n, alpha).loss("L0") for name in NAMES[:4]]
    assert found == pytest.approx(costs, abs=1e-8)


@pytest.mark.parametrize(
    ("kind", "n", "alpha", "costs"),
    [
        ("L1", 4, "0.76", (1.106863127, 1.195678948, 1.228006478, 1.252345424, 1.376404005, 1.252345424)),
        ("L1", 7, "0.91", (1.91589275, 2.215200841, 2.274931862, 2.315051201, 2.425605247, 2.315051201)),
        ("L1", 12, "0.62", (1.547768017, 1.555180029, 1.590436405, 1.628430197, 2.128596484, 1.628430197)),
        ("L2", 4, "0.91", (2.0, 3.314833202, 3.468693537, 3.518597942, 3.758563067, 3.518597942)),
        ("L2", 7, "0.91", (5.065759459, 7.774436512, 8.265563702, 8.523407958, 9.386572434, 8.537218942)),
        ("L2", 12, "0.76", (8.265246983, 8.882878548, 9.629797644, 10.065542396, 15.95598871, 10.065542396)),
    ],
)
def test_the_losses_of_section_7_4(kind: str, n: int, alpha: str, costs: tuple[float, ...]) -> None:
    """Optimal without properties, with WH, F and all seven; EM and EM*."""
    found = [optimum(n, alpha, kind, asked) for asked in ((), "WH", "F", "all")]
    found += [named(name, n, alpha).loss(kind) for name in ("EM", "EM*")]
    assert found == pytest.approx(costs, abs=1e-7)


BINOMIAL = [
    (4, "0.91", 0.9, "GM", (0.640239790576, 0.454631235602, 0.375365156754, 2.351623532481)),
    (4, "0.91", 0.9, "WM (WH, RM, CM)", (0.766917604154, 0.480389744813, 0.278319705253, 2.088167683128)),
    (4, "0.67", 0.3, "WM (WH)", (0.702566709735, 0.3383508, 0.131395576, 1.606877533135)),
    (8, "0.91", 0.1, "EM", (0.864035134126, 0.669839938462, 0.531411031101, 3.956329502954)),
    (8, "0.91", 0.1, "EM*", (0.864035134126, 0.657788029079, 0.502242287337, 3.680187723502)),
    (8, "0.67", 0.5, "UM", (0.888888888889, 0.667534722222, 0.453125, 2.943920288776)),
    (8, "0.91", 0.5, "WM (WH, RM, CM)", (0.87636703035, 0.640490301692, 0.420600829138, 2.813443626661)),
    (12, "0.67", 0.1, "EM", (0.786929860255, 0.541734664537, 0.400166802651, 4.014477095223)),
    (12, "0.67", 0.1, "EM*", (0.786929860255, 0.474809197275, 0.260759671046, 2.622145255792)),
]


@pytest.mark.parametrize(("n", "alpha", "p", "name", "values"), BINOMIAL)
def test_errors_on_binomial_counts(n: int, alpha: str, p: float, name: str, values: tuple[float, ...]) -> None:
    kinds = ("L0", ("L0", 1), ("L0", 2), "RMSE")
    found = [float(error(named(name, n, alpha), kind, binomial(n, p))) for kind in kinds]
    assert found == pytest.approx(values, abs=1e-10)


def test_laws_in_columns_are_laws_one_by_one() -> None:
    laws = np.stack([binomial(8, p) for p in (0.2, 0.6)], axis=1)
    together = error(named("GM", 8, "0.91"), "RMSE", laws)
    assert together == pytest.approx([float(error(named("GM", 8, "0.91"), "RMSE", law)) for law in laws.T])


def test_two_thirds_is_the_golden_ratio() -> None:
    """Figure 2: alpha = (sqrt(5) - 1)/2 is what the paper calls .62."""
    ratio = (5**0.5 - 1) / 2
    matrix = design.constrained(n=4, alpha=repr(ratio), objective="L2", properties="all").matrix()
    assert within_one(matrix) == pytest.approx(2 / 3, abs=1e-9)


def test_the_table_of_figure_6() -> None:
    table = held("GM", 8, ["0.40", "0.50", "0.60", "0.80", "0.90"])
    assert table["CM"] == "alpha to 0.50"
    assert table["WH"] == "alpha to 0.80"
    assert table["F"] == "no"
    assert table["RM"] == table["S"] == "yes"


def test_counts_of_adult_groups(adult: Path) -> None:
    groups = adult_groups(str(adult))
    assert list(groups) == ["high income", "women", "under 30"]
    assert groups["high income"](3) == pytest.approx([0, 1, 0, 0])
    assert groups["women"](7) == pytest.approx(np.array([0, 0, 0, 34, 34, 0, 0, 0]) / 68)
    assert groups["under 30"](10) == pytest.approx([0.75, *[0] * 9, 0.25])


def test_the_file_may_be_as_uci_has_it(tmp_path: Path) -> None:
    """No header, blanks after the commas, and compressed."""
    path = tmp_path / "adult.data.gz"
    line = "{}, Private, 1, HS-grad, 9, Divorced, Sales, Husband, White, {}, 0, 0, 40, Cuba, {}\n"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(line.format(25, "Female", "<=50K") + line.format(31, "Male", ">50K"))
    groups = adult_groups(str(path))
    assert [groups[name](2).tolist() for name in groups] == [[0, 1, 0]] * 3


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("columns.csv", b"age,income\n30,>50K\n"),
        ("short.csv", b"1,2,3\n"),
        ("age.csv", b"age,sex,income\nold,Male,>50K\n"),
        ("coding.csv", b"age,sex,income\n30,\xff,>50K\n"),
        ("packed.csv.gz", b"age,sex,income\n30,Male,>50K\n"),
        ("cut.csv.gz", gzip.compress(b"age,sex,income\n30,Male,>50K\n", mtime=0)[:-9]),
    ],
)
def test_other_files_are_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match="with age, sex and income"):
        adult_groups(str(path))


def test_too_few_people_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("age,sex,income\n30,Male,>50K\n", encoding="utf-8")
    with pytest.raises(InputError, match="1 people, too few for a group of 8"):
        cormode2019.claims(str(path))


def test_claims_on_the_adult_data(adult: Path, claims: list[Claim]) -> None:
    found = cormode2019.claims(str(adult))
    added = [claim for claim in found if claim.item == "Section 7.2"]
    assert len(found) == len(claims) + len(added)
    assert len(added) == 12
    assert all(claim.agrees and claim.paper is None for claim in added)


def test_figures_are_drawn(tmp_path: Path, adult: Path) -> None:
    paths = cormode2019.figures(tmp_path, str(adult))
    assert sorted(paths) == sorted(tmp_path.iterdir())
    names = {path.stem.removeprefix("cormode2019_") for path in paths}
    assert {name[:9] for name in names} >= {f"figure_0{k}" for k in (1, 2, 4, 6, 7, 8, 9)}
    assert {"binomial_n12", "objectives_l1_l2", "adult_alpha_91", "adult_alpha_67", "adult_distances"} <= names
    for path in paths:
        data = path.read_bytes()
        assert data.startswith(b"\x89PNG\r\n\x1a\n")
        assert len(data) > 20_000
