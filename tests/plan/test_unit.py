"""Whose privacy is kept: the guarantee of one count for a person with several rows, and whom a ledger protects."""

import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet import design
from discreet.account.ledger.ledger import Ledger
from discreet.account.privacy_profile import profile
from discreet.certify import folder
from discreet.errors import InputError, LedgerError, ParameterError, SpecError
from discreet.measure import secrets
from discreet.plan import contributor_keys, read_spec
from discreet.publish.verify_folder import verify_folder
from discreet.release import ReleaseSpec, run


@pytest.fixture
def spec(tmp_path: Path) -> dict[str, Any]:
    rows = "".join(f"{i // 3},{i},{'fm'[i % 2]}\n" for i in range(300))
    (tmp_path / "people.csv").write_text("person,visit,sex\n" + rows)
    secret = secrets.new_secret(tmp_path / "secret.key")
    unit = design.geometric(epsilon="0.25").certify()
    Ledger.open(tmp_path / "town.ledger", unit=unit, epsilon=3, delta="1e-6", secret=secret)
    return {
        "version": "v1",
        "source": {"csv": str(tmp_path / "people.csv")},
        "unit": {"id": "person"},
        "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
        "tables": [{"name": "t", "dimensions": ["sex"]}],
        "design": {"name": "geometric", "epsilon": "0.25"},
        "budget": {"epsilon": 3, "delta": "1e-6"},
        "secret": {"file": str(tmp_path / "secret.key")},
    }


@pytest.mark.parametrize("bits", range(8, 33))
def test_sums_are_reduced_by_the_largest_prime_below_the_number_of_keys(bits: int) -> None:
    def divided(number: int) -> bool:
        return any(number % divisor == 0 for divisor in range(2, math.isqrt(number) + 1))

    prime = contributor_keys.largest_prime(bits)
    assert not divided(prime)
    assert all(map(divided, range(prime + 1, 1 << bits)))


@pytest.mark.parametrize("bits", [7, 33, 0, 8.5])
def test_contributor_keys_of_other_sizes_are_refused(bits: Any) -> None:
    with pytest.raises(ParameterError, match=str(bits)):
        contributor_keys.largest_prime(bits)


@pytest.mark.parametrize(
    ("bits", "most"), [(8, 1.3e-6), (11, 1.3e-8), (12, 1e-11), (15, 1.5e-11), (16, 4e-13), (28, 2e-21), (32, 1e-29)]
)
def test_contributor_keys_are_nearly_even(bits: int, most: float) -> None:
    assert contributor_keys.unevenness(bits) < most


@pytest.mark.parametrize("bits", [8, 9, 10, 11])
def test_the_bound_on_the_unevenness_of_keys_holds(bits: int) -> None:
    """The exact distance, in floats, by Walsh transform, for one person whose components are farthest from uniform."""
    prime, keys = contributor_keys.largest_prime(bits), 1 << bits
    distribution = np.zeros(keys)
    distribution[:prime] = [(2**32 - residue + prime - 1) // prime / 2**32 for residue in range(prime)]
    hadamard = np.array([[1.0]])
    for _ in range(bits):
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    joined = hadamard @ (hadamard @ distribution) ** 4 / keys
    distance = np.abs(joined - 1 / keys).sum() / 2
    assert 1e-13 < distance < contributor_keys.unevenness(bits)


@pytest.mark.parametrize("bits", [9, 12, 13, 31])
def test_contributor_keys_may_have_any_number_of_bits(bits: int, spec: dict[str, Any], tmp_path: Path) -> None:
    spec |= {"key": "contributors", "bits": bits}
    spec["design"] = {"name": "maxent", "epsilon": 1, "support": 5}
    del spec["budget"]
    release = run(spec, tmp_path / "out")
    assert release.ptable.bits == bits
    assert Fraction(release.manifest["privacy"]["cell"]["delta"]) > release.ptable.guarantee.delta
    assert verify_folder(tmp_path / "out").manifest.document() == release.manifest
    second = folder.check(tmp_path / "out")
    assert [finding.verdict for finding in second.findings if finding.claim == "one cell"] == ["proved"]
    assert not second.failures


def test_contributor_keys_have_at_most_32_bits(spec: dict[str, Any], tmp_path: Path) -> None:
    spec |= {"key": "contributors", "bits": 33}
    del spec["budget"]
    with pytest.raises(SpecError, match="33 bits"):
        run(spec, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("bits", "modulus"), [(8, 251), (13, 8191), (32, 4_294_967_291)])
def test_components_that_came_with_the_data_are_summed_modulo_a_prime(
    bits: int, modulus: int, spec: dict[str, Any], tmp_path: Path
) -> None:
    """Sadeghi 2023, (3.1) and (3.2): sums of four components modulo bigN, joined by XOR."""
    rng = np.random.default_rng(7)
    components = rng.integers(1, 2**32, (300, 4))
    lines = [f"{'fm'[i % 2]},{a},{b},{c},{d}" for i, (a, b, c, d) in enumerate(components.tolist())]
    (tmp_path / "people.csv").write_text("sex,r1,r2,r3,r4\n" + "\n".join(lines) + "\n")
    spec |= {
        "unit": {},
        "key": "contributors",
        "bits": bits,
        "record_keys": ["r1", "r2", "r3", "r4"],
        "record_keys_are": "components",
    }
    spec["tables"][0]["margins"] = "all"
    spec["design"] = {"name": "maxent", "epsilon": 1, "support": 5}
    del spec["budget"]
    release = run(spec, tmp_path / "out")
    groupings = [components[::2], components[1::2]], [components]
    for measured, cells in zip(release.measurements, groupings, strict=True):
        sums = [[sum(column) % modulus for column in cell.T.tolist()] for cell in cells]
        keys = [a ^ b ^ c ^ d for a, b, c, d in sums]
        expected = release.ptable.perturb([len(cell) for cell in cells], keys=keys)
        assert measured.ravel()[: len(cells)].tolist() == expected.tolist()
    assert release.manifest["privacy"]["cell"] is None
    assert release.manifest["spec"]["record_keys_are"] == "components"
    verify_folder(tmp_path / "out")


@pytest.mark.parametrize("contributions", [1, 3])
def test_the_guarantee_of_one_count_covers_a_person_with_all_rows_in_it(
    contributions: int, spec: dict[str, Any], tmp_path: Path
) -> None:
    spec |= {"key": "contributors", "unit": {"id": "person", "contributions": contributions}, "bits": 8}
    spec["tables"][0]["margins"] = "all"
    del spec["budget"]
    release = run(spec, tmp_path / "out")
    stated = Fraction(release.manifest["privacy"]["cell"]["delta"])
    deltas = [float(profile(release.ptable, rows).delta(0.25)) for rows in range(1, contributions + 1)]
    assert deltas == sorted(deltas)
    assert deltas[-1] + 2 * contributor_keys.unevenness(8) < stated < deltas[-1] + 4 * contributor_keys.unevenness(8)
    assert verify_folder(tmp_path / "out").manifest.document() == release.manifest
    page = (tmp_path / "out" / "report.html").read_text()
    assert ("one person more or less, with up to 3 rows in it, an upper bound" in page) == (contributions == 3)
    touches = re.search("of these counts can include one and the same person</dt><dd>≤ ([0-9]+)", page)
    assert touches is not None
    assert int(touches[1]) == {1: 2, 3: 4}[contributions]  # there are four counts in all


def test_one_count_has_its_own_guarantee_in_a_release_that_composes(spec: dict[str, Any], tmp_path: Path) -> None:
    release = run(spec, tmp_path / "one row")
    assert Fraction(release.manifest["privacy"]["cell"]["delta"]) == release.ptable.guarantee.delta
    spec |= {"unit": {"id": "person", "contributions": 2}}
    release = run(spec, tmp_path / "two rows")
    assert Fraction(release.manifest["privacy"]["cell"]["delta"]) >= float(profile(release.ptable, 2).delta(0.25)) > 0.1


OTHERS = [{}, {"id": "visit"}, {"id": "person", "name": "household"}]


@pytest.mark.parametrize("unit", OTHERS)
def test_a_ledger_protects_one_kind_of_unit(unit: dict[str, Any], spec: dict[str, Any], tmp_path: Path) -> None:
    """Otherwise a person with five rows would lose five times as much as the ledger says."""
    spec["ledger"] = str(tmp_path / "town.ledger")
    run(spec, tmp_path / "one")
    with pytest.raises(LedgerError, match="protects each person"):
        run(spec | {"unit": unit}, tmp_path / "two")
    assert not (tmp_path / "two").exists()
    statement = Ledger.at(tmp_path / "town.ledger", secrets.read_secret(tmp_path / "secret.key")).verify()
    assert (statement.protects, statement.spent, statement.reserved) == ("each person", 1, 0)


def test_the_id_column_may_be_renamed_if_the_unit_has_a_name(spec: dict[str, Any], tmp_path: Path) -> None:
    spec["ledger"] = str(tmp_path / "town.ledger")
    run(spec | {"unit": {"id": "person", "name": "person"}}, tmp_path / "one")
    (tmp_path / "people.csv").write_text("pid,sex\n1,f\n2,m\n")
    release = run(spec | {"version": "v2", "unit": {"id": "pid", "name": "person"}}, tmp_path / "two")
    assert release.manifest["ledger"]["units"] == 1


def test_of_two_grants_for_different_units_the_second_cannot_be_spent(spec: dict[str, Any], tmp_path: Path) -> None:
    """Both fit when they are reserved. The second one can be given back."""
    ledger = Ledger.at(tmp_path / "town.ledger", secrets.read_secret(tmp_path / "secret.key"))
    first, second = (ledger.reserve(name, 1, [name.encode() * 16], {}, protects=name) for name in "ab")
    first.spend()
    with pytest.raises(LedgerError, match=r"protects b, .* protects a"):
        second.spend()
    second.refund()
    assert ledger.verify().spent == 1


def test_the_first_unit_that_has_a_name_binds_later_releases(spec: dict[str, Any], tmp_path: Path) -> None:
    ledger = Ledger.at(tmp_path / "town.ledger", secrets.read_secret(tmp_path / "secret.key"))
    for name, protects in (("a", None), ("b", "person")):
        ledger.reserve(name, 1, [name.encode() * 16], {}, protects=protects).spend()
    for protects in ("household", None):
        with pytest.raises(LedgerError, match="protects person"):
            ledger.reserve("c", 1, [b"c" * 16], {}, protects=protects)
    assert (ledger.verify().spent, ledger.verify().protects) == (2, "person")


def test_delta_is_at_most_1(spec: dict[str, Any], tmp_path: Path) -> None:
    spec |= {"key": "contributors", "unit": {"id": "person", "contributions": 10}, "bits": 8}
    spec["design"]["epsilon"] = 5
    del spec["budget"]
    assert run(spec, tmp_path / "out").manifest["privacy"]["cell"]["delta"] == "1.0"


def test_a_ledger_refuses_a_release_without_a_guarantee(spec: dict[str, Any], tmp_path: Path) -> None:
    """This holds even if a checked specification is changed afterwards."""
    spec["dimensions"]["sex"]["from_data"] = True
    changed: ReleaseSpec = read_spec.read(spec).spec.model_copy(update={"ledger": str(tmp_path / "town.ledger")})
    with pytest.raises(LedgerError, match="no composed guarantee"):
        run(changed, tmp_path / "out")


def test_the_first_failure_is_told(spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same release is completed elsewhere while this one counts, and then its engine dies."""
    spec["ledger"] = str(tmp_path / "town.ledger")

    def dies(*_: object) -> None:
        monkeypatch.undo()
        run(spec, tmp_path / "elsewhere")
        raise InputError("the engine died")

    monkeypatch.setattr("discreet.release.count_and_draw._count", dies)
    with pytest.raises(InputError, match="the engine died"):
        run(spec, tmp_path / "out")
