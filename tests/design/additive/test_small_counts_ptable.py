"""The tables of statistical offices: those of the R package ptable, and what they cost in privacy.

The tables were printed by its authors or made by running it (version 1.0.0), and are copied here as facts; its
own solver is accurate to about 1e-7.
"""

import re
from typing import Any

import numpy as np
import pytest

from discreet import Mechanism
from discreet.design import maxent
from discreet.errors import ParameterError
from discreet.testing import check_mechanism

# parameters, outputs, and the rows of the counts 0, 1, ...; blanks are zeros at the end of a row
REPRODUCED: list[tuple[dict[str, Any], str, str]] = [
    (
        {"support": 2, "variance": 1},
        "0 1 2 3 4",
        """
    1
    .366485506 .366485506 .167572471 .099456517
    .063827137 .244691453 .38296282 .244691453 .063827137
    """,
    ),
    (
        {"support": 3, "variance": 1},
        "0 1 2 3 4 5 6",
        """
    1
    .369882178 .369882178 .171060399 .068703957 .020471289
    .060276508 .247231035 .391499626 .239349827 .056494785 .005148218
    .004508197 .054347239 .24203727 .398214588 .24203727 .054347239 .004508197
    """,
    ),
    (
        {"support": 4, "variance": 1, "pstay": 0.5},
        "0 1 2 3 4 5 6 7 8",
        """
    1
    .314907529 .5 .100086293 .050665828 .023871819 .010468531
    .071571967 .185467519 .5 .170435062 .060440129 .011045165 .00104016
    .008826804 .058732905 .182936808 .5 .182039172 .058157942 .008697503 .000608867
    .00057626 .008477185 .057846209 .183100347 .5 .183100345 .057846214 .00847718 .000576261
    """,
    ),
    (
        {"support": 5, "variance": 3, "js": 2},
        "0 3 4 5 6 7 8 9 10 11 12 13",
        """
    1
    .734469541 .13672019 .072796314 .037429556 .018584399
    .408807044 .406643537 .147624012 .032318821 .004266868 .000339719
    .203986177 .393662525 .247492391 .110568468 .035102043 .007918906 .001269491
    .08485487 .277921233 .277921233 .189393694 .105125448 .045455357 .015310774 .004017391
    .020147489 .173347467 .220633016 .221318283 .174967643 .109016465 .05353283 .020717693 .006319113
    0 .072029825 .136717078 .197351383 .216652933 .180882256 .114850887 .055459983 .020367237 .005688418
    0 .018439196 .055483886 .121621036 .194208159 .225914023 .191441399 .118180404 .053146176 .017410672 .004155049
    0 .00379186 .01659093 .05229263 .11873037 .19419346 .2288015 .19419346 .11873037 .05229263 .01659093 .00379186
    """,
    ),
    (
        {"support": 2, "variance": 1.08, "js": 1, "mono": [True, True, False, True]},
        "0 2 3 4 5 6",
        """
    1
    .513333333 .46 .026666667
    .165608347 .546349919 .244866775 .043174959
    0 .420784681 .277645956 .182354044 .119215319
    0 .073946678 .244213288 .363680068 .244213288 .073946678
    """,
    ),
    (
        {"support": 3, "variance": 1.08, "js": 1, "mono": [True, True, False, True, True]},
        "0 2 3 4 5 6 7 8",
        """
    1
    .513258151 .460451095 .026065206 .000225548
    .16409844 .552855755 .24044834 .040043858 .002553608
    .023689601 .306608769 .374257456 .222231008 .064192937 .00902023
    0 .069046925 .248017351 .374543485 .237796187 .06347314 .007122911
    0 .006106553 .06084094 .241677263 .382750488 .241677263 .06084094 .006106553
    """,
    ),
    (
        {"support": 4, "variance": 1.225, "pstay": [0.8, 0.9, 0.9, 0.9]},
        "0 1 2 3 4 5 6 7 8",
        """
    1
    .380400388 .4 .116181925 .059950343 .029551598 .013915746
    .09890389 .09890389 .65 .065056079 .044734504 .02741996 .014981676
    .037098813 .045081525 .049331842 .75 .043137531 .034471048 .024805264 .016073978
    .01642907 .022608283 .02839923 .032563417 .8 .032563417 .028399231 .022608283 .01642907
    """,
    ),
]

# golden 003.small.maxent, D = 5, V = 3, without mono and with the variance met: js, count, output, probability
FIXED: list[tuple[int, int, int, float]] = [
    (0, 0, 0, 1.0),
    (0, 1, 0, 0.6248450394958361),
    (0, 1, 3, 0.03422721431688667),
    (0, 2, 0, 0.23321611818648846),
    (0, 2, 1, 0.22771277921044705),
    (0, 2, 3, 0.14727774890073242),
    (0, 2, 5, 0.05678185879253616),
    (0, 3, 0, 0.07202982476517442),
    (0, 3, 4, 0.18088225609546024),
    (0, 3, 5, 0.11485088685382873),
    (0, 3, 6, 0.05545998322532391),
    (0, 3, 7, 0.02036723660705158),
    (0, 4, 0, 0.018439196647108504),
    (0, 4, 1, 0.0554838861198994),
    (0, 4, 4, 0.22591402254051654),
    (0, 4, 5, 0.19144139813046612),
    (0, 4, 6, 0.11818040513032174),
    (0, 4, 7, 0.053146178249732),
    (0, 4, 8, 0.017410672782207336),
    (0, 5, 5, 0.22880149692005655),
    (0, 5, 8, 0.052292633422825516),
    (0, 6, 2, 0.016590928309167433),
    (0, 6, 4, 0.11873036906608503),
    (0, 6, 5, 0.19419346035682467),
    (0, 6, 7, 0.19419346035682467),
    (0, 6, 8, 0.11873036906608503),
    (0, 6, 9, 0.052292633422825516),
    (0, 6, 11, 0.0037918603850690944),
    (0, 7, 2, 0.0037918603850690944),
    (0, 7, 8, 0.19419346035682467),
    (0, 7, 12, 0.0037918603850690944),
    (0, 8, 5, 0.052292633422825516),
    (0, 8, 6, 0.11873036906608503),
    (0, 8, 7, 0.19419346035682467),
    (0, 8, 9, 0.19419346035682467),
    (0, 8, 10, 0.11873036906608503),
    (0, 8, 12, 0.016590928309167433),
    (1, 0, 0, 1.0),
    (1, 1, 2, 0.11355178684600019),
    (1, 1, 3, 0.06278891151638798),
    (1, 1, 5, 0.03648711602517437),
    (1, 1, 6, 0.03834485848393996),
    (1, 2, 2, 0.2758535960869735),
    (1, 2, 4, 0.10922802739130827),
    (1, 2, 6, 0.02135470685209164),
    (1, 3, 0, 0.1355521673286762),
    (1, 3, 2, 0.253304077697176),
    (1, 3, 3, 0.2426072371879629),
    (1, 3, 4, 0.18329943739865906),
    (1, 3, 5, 0.1092482076948863),
    (1, 4, 5, 0.18061943541393988),
    (1, 4, 6, 0.11226853250180441),
    (1, 4, 7, 0.053635339175009775),
    (1, 4, 9, 0.0055582139790536335),
    (1, 5, 0, 0.006264540663829579),
    (1, 5, 2, 0.06362485185987708),
    (1, 5, 3, 0.1299409680958245),
    (1, 5, 4, 0.19725700614693187),
    (1, 5, 6, 0.18668361076204198),
    (1, 5, 9, 0.018576740533267702),
    (1, 5, 10, 0.0047561769851037486),
    (1, 6, 2, 0.018439196647108504),
    (1, 6, 6, 0.22591402254051654),
    (1, 6, 9, 0.053146178249732),
    (1, 6, 10, 0.017410672782207336),
    (1, 7, 2, 0.0037918603850690944),
    (1, 7, 3, 0.016590928309167433),
    (1, 7, 5, 0.11873036906608503),
    (1, 7, 6, 0.19419346035682467),
    (1, 7, 7, 0.22880149692005655),
    (1, 7, 8, 0.19419346035682467),
    (1, 7, 11, 0.016590928309167433),
    (1, 7, 12, 0.0037918603850690944),
    (1, 8, 5, 0.052292633422825516),
    (1, 8, 6, 0.11873036906608503),
    (1, 8, 7, 0.19419346035682467),
    (1, 8, 8, 0.22880149692005655),
    (1, 8, 10, 0.11873036906608503),
    (2, 0, 0, 1.0),
    (2, 1, 0, 0.7344695410835125),
    (2, 1, 3, 0.1367201900516758),
    (2, 1, 4, 0.07279631359228413),
    (2, 1, 5, 0.03742955615932887),
    (2, 1, 6, 0.01858439911319859),
    (2, 2, 4, 0.14762398361895548),
    (2, 2, 5, 0.03231882249602143),
    (2, 2, 6, 0.004266873094316707),
    (2, 2, 7, 0.00033971874522367636),
    (2, 3, 5, 0.11056846733403672),
    (2, 3, 6, 0.03510204300119481),
    (2, 3, 7, 0.00791890554720317),
    (2, 4, 0, 0.08328003114988121),
    (2, 4, 3, 0.289317159673066),
    (2, 4, 5, 0.19012716969404797),
    (2, 4, 6, 0.10592866833968373),
    (2, 4, 8, 0.015531766051653044),
    (2, 4, 9, 0.0040875100971913365),
    (2, 5, 0, 0.020147482476749527),
    (2, 5, 4, 0.22063303355558853),
    (2, 5, 5, 0.22131828475751925),
    (2, 5, 6, 0.17496766013183832),
    (2, 5, 8, 0.05353279845382246),
    (2, 5, 10, 0.006319126147252295),
    (2, 6, 3, 0.07202982476517442),
    (2, 6, 4, 0.1367170784693109),
    (2, 6, 5, 0.19735138305840413),
    (2, 6, 6, 0.21665293324839555),
    (2, 6, 8, 0.11485088685382873),
    (2, 7, 4, 0.0554838861198994),
    (2, 7, 5, 0.12162103520539713),
    (2, 7, 7, 0.22591402254051654),
    (2, 7, 8, 0.19144139813046612),
    (2, 7, 10, 0.053146178249732),
    (2, 7, 11, 0.017410672782207336),
    (2, 8, 4, 0.016590928309167433),
    (2, 8, 6, 0.11873036906608503),
    (2, 8, 9, 0.19419346035682467),
    (2, 8, 11, 0.052292633422825516),
    (2, 8, 12, 0.016590928309167433),
]

# golden 003.small.delta: js, epsilon, delta
FIXED_DELTA: list[tuple[int, float, float]] = [
    (0, 2.0, 0.37515496050416397),
    (1, 0.5, 0.2941789130538358),
    (1, 1.5, 0.2941789130538358),
    (1, 2.0, 0.2941789130538358),
    (2, 1.0, 0.26553045891648736),
    (2, 1.5, 0.26553045891648736),
    (2, 2.0, 0.26553045891648736),
]


def by_output(mechanism: Mechanism, count: int) -> dict[int, float]:
    outputs, probabilities = mechanism.pmf(count)
    return dict(zip(outputs.tolist(), probabilities.tolist(), strict=True))


@pytest.mark.parametrize(("parameters", "outputs", "rows"), REPRODUCED, ids=lambda value: str(value)[:60])
def test_tables_are_those_of_the_r_package_ptable(parameters: dict[str, Any], outputs: str, rows: str) -> None:
    mechanism = maxent(small="sdc", **parameters)
    lines = [line.split() for line in rows.split("\n") if line.strip()]
    assert len(mechanism.rows) == len(lines) - 1
    for count, line in enumerate(lines):
        expected = dict(zip(map(int, outputs.split()), map(float, line), strict=False))
        row = by_output(mechanism, count)
        for output in row.keys() | expected.keys():
            assert row.get(output, 0.0) == pytest.approx(expected.get(output, 0.0), abs=1e-7)


def test_tables_are_as_printed_in_the_vignette_of_ptable() -> None:
    """ptable's vignette (D = 2, V = .9 and V = 1.08) and its own test of pt_ex_cnts."""
    assert list(by_output(maxent(support=2, variance="0.9", small="sdc"), 1).values()) == pytest.approx(
        [0.3625, 0.3625, 0.1875, 0.0875], abs=1e-9
    )
    assert list(by_output(maxent(support=2, variance="1.08", small="sdc", js=1), 1).values()) == pytest.approx(
        [0.5133, 0, 0.46, 0.0267], abs=5e-5
    )
    example = maxent(support=2, variance="1.05", small="sdc", js=1, mono=[True, True, False, True])
    rows = [p for count in range(5) for p in by_output(example, count).values() if p]
    expected = [1, 0.50833333, 0.475, 0.01666667, 0.16155827, 0.55565037, 0.24246618, 0.04032518, 0.41231301]
    expected += [0.28806097, 0.18693903, 0.11268699, 0.07012498, 0.24450007, 0.3707499, 0.24450007, 0.07012498]
    assert rows == pytest.approx(expected, abs=2e-8)


def test_the_chance_to_stay_gives_way_to_the_variance() -> None:
    """ptable's vignette, D = 4, V = 1.5, pstay .8 .9 .9 .9: at count 1 neither can be had."""
    mechanism = maxent(support=4, variance="1.5", small="sdc", pstay=[0.8, 0.9, 0.9, 0.9])
    assert [by_output(mechanism, i)[i] for i in range(5)] == pytest.approx([1, 0.38585, 0.6, 0.7, 0.8], abs=5e-6)
    assert [mechanism.variance(i) for i in range(5)] == pytest.approx([0, 1.22497, 1.5, 1.5, 1.5], abs=5e-6)


def test_the_row_of_large_counts_is_the_noise_itself() -> None:
    mechanism = maxent(support=5, variance=3, small="sdc", js=2)
    assert mechanism.pmf(50)[1] == pytest.approx(maxent(support=5, variance=3).pmf(50)[1], abs=1e-9)


@pytest.mark.parametrize("js", [0, 1, 2])
def test_fixed_rows_have_the_variance_and_the_golden_delta(js: int) -> None:
    mechanism = maxent(support=5, variance=3, small="sdc", js=js, mono=False, fixed=True)
    for _, count, output, probability in (fact for fact in FIXED if fact[0] == js):
        assert by_output(mechanism, count)[output] == pytest.approx(probability, abs=1e-10)
    for _, epsilon, delta in (fact for fact in FIXED_DELTA if fact[0] == js):
        assert mechanism.delta(epsilon) == pytest.approx(delta, abs=1e-10)
        assert mechanism.delta(epsilon) == pytest.approx(1 - by_output(mechanism, 1)[0], abs=1e-10)


@pytest.mark.parametrize("support", [1, 2, 3, 6, 10])
@pytest.mark.parametrize("share", [0.1, 0.4, 0.9])
@pytest.mark.parametrize("mono", [True, False])
def test_every_row_keeps_the_conditions(support: int, share: float, mono: bool) -> None:
    variance = max(share * support * (support + 1) / 3, 0.3)
    mechanism = maxent(support=support, variance=variance, small="sdc", mono=mono)
    assert by_output(mechanism, 0) == {0: 1.0}
    for count in range(1, support + 2):
        row = by_output(mechanism, count)
        assert min(row) >= 0
        assert abs(mechanism.bias(count)) < 1e-10
        assert mechanism.variance(count) <= variance + 1e-10
        below = [p for output, p in row.items() if output <= count]
        assert not mono or (np.diff(below) >= -1e-12).all()


def test_the_row_of_1_has_the_largest_entropy() -> None:
    """Moves that keep mass, mean and variance lose entropy at count 1, where nothing else binds."""
    row = np.array(list(by_output(maxent(support=5, variance=3, small="sdc", js=2), 1).values()))[[0, 3, 4, 5, 6]]
    change = np.array([-1, 2, 3, 4, 5])
    for move in np.linalg.svd(np.stack([np.ones(5), change, change**2]))[2][3:]:
        for step in (1e-5, -1e-5):
            other = row + step * move
            assert -(other @ np.log(other)) < -(row @ np.log(row))


def test_the_certificate_states_the_chance_that_1_is_not_published_as_0() -> None:
    mechanism = maxent(support=5, variance=3, small="sdc", js=2, epsilon=1)
    table = check_mechanism(mechanism, draws=20_000)
    assert float(table.guarantee.delta) == pytest.approx(1 - by_output(mechanism, 1)[0], abs=1e-8)
    assert float(table.guarantee.delta) == pytest.approx(0.26553045891648736, abs=1e-7)
    drawn = table.perturb(np.zeros(1000, dtype=np.int64))
    assert not drawn.any()


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"variance": 3, "js": 3}, "a count of 1 must have more than 3:"),
        ({"variance": 3, "js": 5}, "js is 5;"),
        ({"variance": 3, "js": -1}, "js is -1;"),
        ({"variance": 3, "pstay": 1}, "pstay is 1;"),
        ({"variance": 3, "pstay": [0.5, 0.5]}, "pstay has 2 values;"),
        ({"variance": 3, "mono": [True] * 4}, "mono has 4 values;"),
        ({"variance": 3, "mono": "yes"}, "mono is 'yes';"),
        ({"variance": 9, "fixed": True}, "variance is 9;"),
        ({"variance": 3, "delta": 0.1, "epsilon": 1}, "given is support, variance, epsilon, delta, small='sdc';"),
        ({}, "given is support, small='sdc';"),
    ],
)
def test_parameters_that_are_no_design_are_refused_by_name(parameters: dict[str, Any], named: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(named)):
        maxent(support=5, small="sdc", **parameters)
