"""Noise on a cycle: optimal, private in both directions, exact in integers, and clear about bad input."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import discreet
from discreet import Counts, Cycle
from discreet.design import cyclic
from discreet.errors import InputError, ParameterError, PrivacyWarning, SolverError
from discreet.testing import check_mechanism

# Closed forms against programs


def peer(size: int, differences: tuple[int, ...], alpha: float, delta: float, cost: np.ndarray) -> float:
    """The least cost under true DP, from scipy, without folding."""
    m = len(differences)
    objective = np.concatenate([cost, np.zeros(m * size)])
    rows, bounds = [], []
    for k, difference in enumerate(differences):
        for x in range(size):
            row = np.zeros(len(objective))
            row[x] += alpha
            row[(x + difference) % size] -= 1
            row[size + k * size + x] = -1
            rows.append(row)
            bounds.append(0.0)
        row = np.zeros(len(objective))
        row[size + k * size : size + (k + 1) * size] = 1
        rows.append(row)
        bounds.append(alpha * delta)
    whole = np.concatenate([np.ones(size), np.zeros(m * size)])[None]
    return float(linprog(objective, np.array(rows), bounds, whole, [1.0], method="highs").fun)


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
@pytest.mark.parametrize("delta", ["0", "0.001", "0.1"])
@pytest.mark.parametrize(
    ("size", "steps"), [(2, (1,)), (3, (1,)), (7, (2,)), (9, (1, 2, 3)), (10, (1, 4)), (12, (3, 5))]
)
def test_noise_is_optimal_for_every_objective(size: int, steps: tuple[int, ...], delta: str) -> None:
    x = np.arange(size)
    differences = Cycle(size).neighbours(steps)
    prior = 1.0 + x % 3
    costs = {
        "error_rate": (x > 0) * 1.0,
        "circular": np.minimum(x, size - x) ** 2.0,
        "uniform_prior": x * (size - x) * 1.0,
        "prior": np.array([sum(prior[q] * ((q + z) % size - q) ** 2 for q in x) for z in x]) / prior.sum(),
    }
    for objective, cost in costs.items():
        mechanism = cyclic(
            size=size,
            epsilon=0.8,
            delta=delta,
            neighbours=steps,
            objective=objective,
            prior=prior if objective == "prior" else None,
        )
        assert cost @ mechanism.interior[0].values == pytest.approx(
            peer(size, differences, math.exp(-0.8), float(delta), cost), rel=1e-8
        )
        assert mechanism.delta(0.8) <= float(delta) * (1 + 1e-12)
    user = cyclic(size=size, epsilon=0.8, delta=delta, neighbours=steps, objective=costs["circular"])
    assert costs["circular"] @ user.interior[0].values == pytest.approx(
        costs["circular"]
        @ cyclic(size=size, epsilon=0.8, delta=delta, neighbours=steps, objective="circular").interior[0].values
    )


def test_worst_case_is_the_largest_error_over_true_values() -> None:
    mechanism = cyclic(size=9, epsilon=1, objective="worst")
    noise = mechanism.interior[0].values
    each = [sum(((q + z) % 9 - q) ** 2 * noise[z] for z in range(9)) for q in range(9)]
    for objective in ("circular", "uniform_prior", "error_rate"):
        other = cyclic(size=9, epsilon=1, objective=objective).interior[0].values
        assert max(each) <= max(sum(((q + z) % 9 - q) ** 2 * other[z] for z in range(9)) for q in range(9)) * (
            1 + 1e-12
        )


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
@given(st.integers(2, 9), st.data(), st.sampled_from([0.3, 1.0, 2.0]), st.sampled_from([0.0, 0.02, 0.3]))
def test_the_closed_form_has_the_error_rate_of_the_program(
    size: int, data: st.DataObject, epsilon: float, delta: float
) -> None:
    steps = data.draw(st.lists(st.integers(1, size - 1), min_size=1, max_size=3))
    if math.gcd(size, *steps) > 1:
        return
    differences = Cycle(size).neighbours(steps)
    mechanism = cyclic(size=size, epsilon=epsilon, delta=delta, neighbours=steps)
    optimum = peer(size, differences, math.exp(-epsilon), delta, (np.arange(size) > 0) * 1.0)
    assert 1 - mechanism.interior[0].values[0] == pytest.approx(optimum, abs=1e-9)
    assert mechanism.delta(epsilon) == pytest.approx(delta, abs=1e-12)


def test_all_differences_are_randomized_response() -> None:
    ours = cyclic(size=5, epsilon="0.7", neighbours=range(1, 5))
    other = discreet.design.randomized_response(epsilon="0.7", categories=5)
    assert np.allclose(ours.interior[0].values, other.interior[0].values, rtol=1e-15)


def test_noise_on_a_product_of_cycles_is_the_product_of_noises() -> None:
    mechanism = cyclic(shape=(5, 5), epsilon=1.5)
    one = cyclic(size=5, epsilon=1.5).interior[0].values
    assert np.allclose(mechanism.interior[0].values.reshape(5, 5), np.outer(one, one), rtol=1e-14)
    assert mechanism.delta(1.5) == 0


@pytest.mark.parametrize("objective", ["circular", "uniform_prior", "worst"])
def test_programs_in_several_dimensions_keep_delta(objective: str) -> None:
    mechanism = cyclic(shape=(3, 4), epsilon=1, delta="1e-7", objective=objective)
    check_mechanism(mechanism)
    assert mechanism.delta(1) <= 1e-7


def test_noise_in_floats_is_noise_in_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    exactly = cyclic(size=4000, epsilon="0.37", neighbours=(1, 7), delta="1e-9")
    monkeypatch.setattr(sys.modules["discreet.design.cycle._closed_forms"], "LARGEST_EXACT", 1)
    floats = cyclic(size=4000, epsilon="0.37", neighbours=(1, 7), delta="1e-9")
    assert np.allclose(exactly.interior[0].values, floats.interior[0].values, rtol=2e-15, atol=0)
    assert floats.delta("0.37") == pytest.approx(1e-9, rel=1e-5)
    assert np.allclose(exactly.interior[0].logs, floats.interior[0].logs, rtol=1e-14)


def test_a_large_cycle_stays_purely_private_where_floats_underflow() -> None:
    mechanism = cyclic(size=100_000, epsilon=5, neighbours=(1, 2))
    assert mechanism.interior[0].values.min() == 0
    assert mechanism.delta(5) == 0
    assert mechanism.epsilon() == pytest.approx(5, rel=1e-9)
    assert mechanism.epsilon() >= 5


# Probabilistic privacy and the inverse problem


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.1, 0.2, 0.4])
@pytest.mark.parametrize(("size", "epsilon"), [(5, 0.5), (8, 1.0), (9, 1.5), (9, 0.25)])
def test_the_closed_form_of_a_single_difference_is_that_of_the_program(size: int, epsilon: float, delta: float) -> None:
    closed = cyclic(size=size, epsilon=epsilon, delta=delta, privacy="pdp")
    cost = np.where(np.arange(size) > 0, 1.0, 0.0)
    programmed = cyclic(size=size, epsilon=epsilon, delta=delta, privacy="pdp", objective=cost)
    assert closed.interior[0].values[0] == pytest.approx(programmed.interior[0].values[0], abs=1e-9)
    for mechanism in (closed, programmed):
        assert mechanism.delta(epsilon, kind="pdp") <= delta + 1e-15
        assert mechanism.delta(epsilon) <= mechanism.delta(epsilon, kind="pdp") + 1e-15


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
def test_dp_is_never_costlier_than_pdp() -> None:
    for objective in ("error_rate", "circular"):
        for delta in (0.02, 0.15):
            costs = {}
            for privacy in ("dp", "pdp"):
                noise = (
                    cyclic(size=9, epsilon=1, delta=delta, neighbours=(1, 2, 3), objective=objective, privacy=privacy)
                    .interior[0]
                    .values
                )
                x = np.arange(9)
                costs[privacy] = noise @ ((x > 0) * 1.0 if objective == "error_rate" else np.minimum(x, 9 - x) ** 2)
            assert costs["dp"] <= costs["pdp"] + 1e-12


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
@pytest.mark.parametrize("privacy", ["dp", "pdp"])
@pytest.mark.parametrize(("objective", "distortion"), [("error_rate", 0.3), ("circular", 0.9), ("worst", 5.0)])
def test_the_least_delta_reaches_the_distortion(privacy: str, objective: str, distortion: float) -> None:
    """The least delta for a cost; the least cost for that delta is the same cost."""
    mechanism = cyclic(size=8, epsilon=1, objective=objective, privacy=privacy, distortion=distortion)
    delta = Fraction(mechanism.design["delta"])
    assert mechanism.delta(1, kind=privacy) == pytest.approx(float(delta), abs=1e-9)

    def cost(mechanism: discreet.Mechanism) -> float:
        noise = mechanism.interior[0].values
        if objective == "error_rate":
            return float(1 - noise[0])
        if objective == "circular":
            return float(noise @ np.minimum(np.arange(8), 8 - np.arange(8)) ** 2)
        return float(max(sum(((q + z) % 8 - q) ** 2 * noise[z] for z in range(8)) for q in range(8)))

    assert cost(mechanism) == pytest.approx(distortion, abs=1e-8)
    back = cyclic(size=8, epsilon=1, objective=objective, privacy=privacy, delta=delta)
    assert cost(back) == pytest.approx(distortion, abs=1e-7)


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
def test_the_least_probabilistic_delta_is_found_beside_a_jump() -> None:
    """At epsilon 1.93312401678 the cost 1.5 is reached within a solver's tolerance by a choice that jumps."""
    for epsilon in (1.9331, 1.9331240167841321, 1.93312401678, 1.9332):
        noise = cyclic(size=9, epsilon=epsilon, neighbours=(1, 2), objective="circular", distortion=1.5, privacy="pdp")
        assert noise.delta(epsilon, kind="pdp") <= 0.0596


@pytest.mark.parametrize("privacy", ["dp", "pdp"])
@pytest.mark.parametrize("objective", ["error_rate", "circular"])
def test_a_distortion_that_pure_privacy_reaches_needs_no_delta(privacy: str, objective: str) -> None:
    mechanism = cyclic(size=8, epsilon=1, objective=objective, privacy=privacy, distortion=20)
    assert mechanism.design["delta"] == "0"
    assert mechanism.delta(1) == 0


# Mean 0 and equal probabilities


def constrained_peer(
    size: int, differences: tuple[int, ...], alpha: float, cost: np.ndarray, equalities: np.ndarray
) -> float:
    """The least cost under pure privacy with more equalities, from scipy."""
    rows = []
    for difference in differences:
        for x in range(size):
            row = np.zeros(size)
            row[x] += alpha
            row[(x + difference) % size] -= 1
            rows.append(row)
    whole = np.vstack([np.ones(size), equalities])
    sums = np.append(1.0, np.zeros(len(equalities)))
    return float(linprog(cost, np.array(rows), np.zeros(len(rows)), whole, sums, method="highs").fun)


@pytest.mark.parametrize("size", [5, 8, 9])
def test_noise_of_mean_0_is_optimal_among_such_noise(size: int) -> None:
    x = np.arange(size)
    signed = np.where(2 * x == size, 0, np.where(2 * x > size, x - size, x))
    cost = x**2.0
    free = cyclic(size=size, epsilon=0.8, neighbours=(1, 2), objective=cost).interior[0].values
    mechanism = cyclic(size=size, epsilon=0.8, neighbours=(1, 2), objective=cost, zero_mean=True)
    noise = mechanism.interior[0].values
    assert abs(signed @ free) > 0.01
    assert signed @ noise == pytest.approx(0, abs=1e-9)
    optimum = constrained_peer(size, Cycle(size).neighbours((1, 2)), math.exp(-0.8), cost, signed[None])
    assert cost @ noise == pytest.approx(optimum, rel=1e-8)
    assert mechanism.delta(0.8) == 0
    check_mechanism(mechanism)
    assert mechanism.design["zero_mean"] is True


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
@pytest.mark.parametrize("privacy", ["dp", "pdp"])
def test_every_kind_of_privacy_keeps_mean_0_and_equal_probabilities(privacy: str) -> None:
    signed = np.array([0, 1, 2, 3, -3, -2, -1])
    labels = [0, 1, 1, 2, 2, 3, 3]
    cost = np.arange(7.0) ** 2
    for delta, distortion in ((0.1, None), (0, 4.0)):
        mechanism = cyclic(
            size=7,
            epsilon=0.8,
            delta=delta,
            distortion=distortion,
            objective=cost,
            privacy=privacy,
            zero_mean=True,
            equal=labels,
        )
        noise = mechanism.interior[0].values
        assert signed @ noise == pytest.approx(0, abs=1e-9)
        assert noise[[1, 3, 5]] == pytest.approx(noise[[2, 4, 6]], rel=1e-12)
        assert mechanism.delta(0.8, kind=privacy) <= float(Fraction(mechanism.design["delta"])) + 1e-12
    assert cost @ noise == pytest.approx(4, abs=1e-8)


def test_wrong_values_with_one_probability_are_randomized_response() -> None:
    mechanism = cyclic(size=6, epsilon="0.7", equal="truth,wrong,wrong,wrong,wrong,wrong")
    assert mechanism.interior[0].values == pytest.approx(
        discreet.design.randomized_response(epsilon="0.7", categories=6).interior[0].values, rel=1e-12
    )
    assert mechanism.design["equal"] == [0, 1, 1, 1, 1, 1]


def test_equal_probabilities_are_optimal_among_such_noise() -> None:
    labels = [0, 1, 2, 1, 3, 3, 4, 4]
    equalities = np.zeros((3, 8))
    for row, pair in zip(equalities, ((1, 3), (4, 5), (6, 7)), strict=True):
        row[list(pair)] = 1, -1
    cost = (np.arange(8) > 0) * 1.0
    mechanism = cyclic(size=8, epsilon=1, neighbours=(1,), equal=labels)
    optimum = constrained_peer(8, (1, 7), math.exp(-1), cost, equalities)
    assert 1 - mechanism.interior[0].values[0] == pytest.approx(optimum, rel=1e-9)
    assert mechanism.certify().guarantee.delta == 0


def test_symmetric_noise_has_mean_0_by_itself() -> None:
    plain = cyclic(shape=(4, 5), epsilon=1, delta="1e-7")
    zero_mean = cyclic(shape=(4, 5), epsilon=1, delta="1e-7", zero_mean=True)
    assert np.array_equal(plain.interior[0].values, zero_mean.interior[0].values)


# Integers


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning", "ignore::discreet.errors.PrecisionWarning")
@given(
    st.integers(2, 40),
    st.data(),
    st.sampled_from(["0.1", "0.5", "1", "3"]),
    st.sampled_from(["0", "1e-6", "0.01", "0.2"]),
    st.sampled_from([16, 32, 62]),
)
def test_certified_delta_is_at_most_the_designs(
    size: int, data: st.DataObject, epsilon: str, delta: str, bits: int
) -> None:
    steps = data.draw(st.lists(st.integers(1, size - 1), min_size=1, max_size=3))
    if math.gcd(size, *steps) > 1:
        steps.append(1)
    mechanism = cyclic(size=size, epsilon=epsilon, neighbours=steps, delta=delta)
    ptable = mechanism.certify(bits=bits)
    assert ptable.guarantee.delta <= Fraction(delta)
    assert "S" in ptable.properties


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
@pytest.mark.parametrize("delta", ["0", "1e-5", "0.1"])
@pytest.mark.parametrize("objective", ["circular", "uniform_prior", "worst", "prior"])
def test_programs_certify_within_their_delta(objective: str, delta: str) -> None:
    prior = list(range(1, 13)) if objective == "prior" else None
    mechanism = cyclic(size=12, epsilon="0.9", neighbours=(1, 2), delta=delta, objective=objective, prior=prior)
    check_mechanism(mechanism)
    ptable = mechanism.certify()
    assert ptable.guarantee.delta <= Fraction(delta)
    assert float(ptable.guarantee.delta) == pytest.approx(float(delta), abs=1e-7)


@pytest.mark.parametrize("cost", [(9, 1, 9, 2, 9, 3), (9, 0, 1, 1, 1, 0), (1, 0, 0, 0, 0, 0), (5, 4, 3, 2, 1, 0)])
@pytest.mark.parametrize("steps", [(1,), (2,), (3,), (1, 2, 3)])
@pytest.mark.parametrize("bits", [12, 16, 32])
def test_noise_that_is_likeliest_elsewhere_than_at_0_certifies(
    cost: tuple[int, ...], steps: tuple[int, ...], bits: int
) -> None:
    mechanism = cyclic(size=6, epsilon="0.5", neighbours=steps, objective=cost, public_classes=True)
    table = mechanism.certify(bits=bits)
    assert table.guarantee.delta == 0
    assert np.asarray(table.table.interior[0].weights) / 2**bits == pytest.approx(
        mechanism.interior[0].values, abs=6 / 2**bits
    )


@pytest.mark.parametrize("bits", [16, 32, 48])
def test_noise_whose_levels_are_not_symmetric_certifies(bits: int) -> None:
    mechanism = cyclic(size=7, epsilon="0.1", neighbours=(2,), objective=(0, 3, 2, 1, 2, 3, 0))
    assert mechanism.certify(bits=bits).guarantee.delta == 0


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
def test_every_number_of_bits_reaches_the_delta_of_the_design() -> None:
    mechanism = cyclic(size=3, epsilon="4.6912", delta="1e-6", objective="worst")
    for bits in (16, 32, 62):
        assert mechanism.certify(bits=bits).guarantee.delta <= Fraction(1, 10**6)


def test_public_classes_are_never_left() -> None:
    mechanism = cyclic(size=8, epsilon=1, neighbours=(2,), public_classes=True)
    ptable = mechanism.certify()
    assert [weight > 0 for weight in ptable.interior[0].weights] == [True, False] * 4
    assert ptable.guarantee.delta == 0
    assert set(ptable.perturb(np.full(1000, 3)) % 2) == {1}


# Names


def test_names_are_perturbed_into_names(tmp_path: object) -> None:
    mechanism = cyclic(categories=["red", "green", "blue"], epsilon=1)
    assert mechanism.neighbours == (1, 2)
    outputs, chances = mechanism.pmf("green")
    assert dict(zip(outputs.tolist(), chances, strict=True))["green"] == pytest.approx(math.e / (math.e + 2))
    path = f"{tmp_path}/colours.json"
    mechanism.certify().save(path)
    ptable = discreet.load(path)
    keys = np.arange(0, 2**32, 2**26)
    published = ptable.perturb(["blue"] * len(keys), keys)
    assert published.tolist() == [["red", "green", "blue"][x] for x in ptable.perturb([2] * len(keys), keys)]
    assert ptable.perturb(np.array([["red"], ["green"]], dtype=object), [[0], [0]]).shape == (2, 1)
    assert isinstance(str(ptable.perturb("red")), str)


def test_undeclared_names_become_other_or_are_refused_unquoted() -> None:
    with_other = cyclic(categories=["yes", "no", "_other"], epsilon=1).certify()
    assert with_other.perturb(["perhaps"], [0]).tolist() == with_other.perturb(["_other"], [0]).tolist()
    without = cyclic(categories=["yes", "no"], epsilon=1).certify()
    with pytest.raises(InputError, match="_other") as refused:
        without.perturb(["yes", "secret answer"])
    assert "secret" not in str(refused.value)
    with pytest.raises(InputError, match="integers"):
        cyclic(size=3, epsilon=1).certify().perturb(["yes"])
    with pytest.raises(InputError, match="categories"):
        cyclic(size=3, epsilon=1).pmf("yes")


# Warnings and bad input


def test_a_delta_above_a_millionth_is_warned_of() -> None:
    with pytest.warns(PrivacyWarning, match=r"0\.01"):
        cyclic(size=24, epsilon=1, delta=0.01)
    cyclic(size=24, epsilon=1, delta="1e-7")


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"size": 1}, "size is 1;"),
        ({"size": 8, "neighbours": (2,)}, "connect only 4 of the 8"),
        ({"size": 8, "neighbours": (0,)}, r"neighbours of Cycle\(8\) are \(0,\);"),
        ({"size": 8, "neighbours": (1.5,)}, "difference is 1.5;"),
        ({"size": 8, "neighbours": "a"}, "neighbours is 'a';"),
        ({"shape": (7, 24), "neighbours": (1,)}, r"difference is 1; in Cycle\(\(7, 24\)\)"),
        ({"size": 8, "delta": 1}, "delta is 1;"),
        ({"size": 8, "delta": -0.1}, "delta is -0.1;"),
        ({"size": 8, "delta": "x"}, "delta is 'x';"),
        ({}, "size is None, shape is None, categories are None;"),
        ({"size": 8, "shape": (2, 4)}, r"size is 8, shape is \(2, 4\)"),
        ({"size": 10**9}, "has 1000000000 values;"),
        ({"size": 8, "privacy": "zcdp"}, "privacy is 'zcdp';"),
        ({"size": 8, "objective": "distance"}, "objective is 'distance';"),
        ({"size": 8, "objective": [1, 2]}, "objective holds 2 numbers; give 8"),
        ({"size": 8, "equal": [1, 2]}, "equal has 2 labels; give 8"),
        ({"size": 8, "equal": "1,2"}, "equal has 2 labels; give 8"),
        ({"size": 2, "equal": [[1], [1, 2]]}, "2 labels"),
        ({"size": 3, "objective": [0, 1, -1]}, "objective holds 3 numbers;"),
        ({"size": 3, "objective": [0, 0, 0]}, "objective holds 3 numbers;"),
        ({"size": 3, "objective": [0, math.nan, 1]}, "objective holds 3 numbers;"),
        ({"size": 8, "objective": "prior"}, "objective is 'prior', and prior is not given;"),
        ({"size": 8, "objective": "prior", "prior": [1] * 7}, "prior holds 7 numbers; give 8"),
        ({"size": 8, "prior": [1] * 8}, "prior is given"),
        ({"size": 5000, "objective": "worst"}, "objective is 'worst' on .* 5000 values;"),
        ({"size": 100_000, "neighbours": (1, 2), "objective": "circular"}, "100000 values with 4 differences"),
        ({"size": 999, "neighbours": (1, 2), "objective": "circular", "privacy": "pdp", "delta": 0.1}, "999 values"),
        ({"size": 8, "delta": 0.1, "distortion": 0.1}, "delta is 0.1 and distortion is 0.1;"),
        ({"size": 8, "distortion": 0}, "distortion is 0;"),
        ({"size": 8, "distortion": "1e-30", "privacy": "pdp"}, "distortion is 1e-30;"),
        ({"size": 3, "objective": [1, 2, 3], "distortion": 0.5}, "distortion is 0.5; .* 1:"),
        ({"size": 8, "objective": "circular", "time_limit": 0}, "time_limit is 0;"),
        ({"categories": ["a"]}, r"categories are \['a'\];"),
        ({"categories": 5}, "categories are 5;"),
        ({"categories": {"a"}}, "categories are {'a'};"),
        ({"categories": ["a", "a"]}, r"categories are \['a', 'a'\];"),
        ({"categories": ["a", 1]}, r"categories are \['a', 1\];"),
        ({"size": Counts(0, 100), "objective": "circular"}, "objective is 'circular' on counts"),
        ({"size": Counts(0, 100), "objective": [1] * 101}, r"objective is \[1, .* on counts"),
        ({"size": Counts(0), "objective": "error_rate"}, "objective is 'error_rate' on counts"),
        ({"size": 101, "objective": "L2"}, "objective is 'L2' on counts"),
        ({"size": 101, "objective": "mse"}, "objective is 'mse' on counts"),
    ],
)
def test_parameters_that_are_no_design_are_refused_by_name(parameters: dict[str, object], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        cyclic(epsilon=1, **parameters)  # type: ignore[arg-type]


def test_a_shape_may_be_an_array() -> None:
    assert cyclic(shape=np.array([3, 4]), epsilon=1).domain == Cycle((3, 4))  # type: ignore[arg-type]


def test_counts_under_the_error_rate_are_a_cycle() -> None:
    assert cyclic(size=Counts(0, 9), epsilon=1) == cyclic(size=10, epsilon=1)  # type: ignore[arg-type]


def test_wrapping_counts_is_as_harmful_as_the_message_says() -> None:
    noise = cyclic(size=101, epsilon=1).interior[0].values
    assert noise @ np.arange(101) ** 2 == pytest.approx(2659, abs=0.5)
    geometric = discreet.design.geometric(epsilon=1, upper=100)
    assert geometric.rmse(0) ** 2 == pytest.approx(0.92, abs=0.005)


def test_a_program_that_exceeds_its_time_limit_is_given_up() -> None:
    with pytest.raises(SolverError, match="time_limit"):
        cyclic(size=60, epsilon=1, delta="1e-7", objective="circular", neighbours=(1, 2, 3), time_limit=1e-9)
