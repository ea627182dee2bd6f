"""A changed certificate is refused, wherever and however well it was changed."""

import copy
import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import discreet
from discreet import design
from discreet.certify import verify
from discreet.errors import CertificateError, OutputError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "m.json"
    design.geometric(epsilon=1, upper=4).certify(bits=16).save(file)
    return file


def document() -> dict[str, Any]:
    return copy.deepcopy(design.geometric(epsilon=1, upper=4).certify(bits=16).certificate.document)


def forged(change: dict[str, Any]) -> dict[str, Any]:
    """Return the document with a digest that fits, as a forger would make it."""
    change.pop("digest", None)
    return change | {"digest": verify.digest(change)}


def test_an_unchanged_certificate_is_accepted(path: Path) -> None:
    certificate = discreet.verify(path)
    assert certificate.guarantee.epsilon == 1
    assert certificate.guarantee.delta == 0
    assert discreet.load(path).digest == certificate.digest


def test_every_changed_byte_is_noticed(path: Path) -> None:
    """Exhaustive: each byte of the file, changed to a neighbouring byte and to a digit."""
    written = path.read_bytes()
    for index, byte in enumerate(written):
        for other in {byte ^ 1, ord("7")} - {byte}:
            changed = written[:index] + bytes([other]) + written[index + 1 :]
            with pytest.raises(CertificateError):
                verify._check_bytes(changed)


def test_every_truncation_is_noticed(path: Path) -> None:
    written = path.read_bytes()
    for length in range(len(written)):
        with pytest.raises(CertificateError):
            verify._check_bytes(written[:length])


def test_anything_appended_is_noticed(path: Path) -> None:
    for extra in (b"\n", b" ", b"{}", b"\x00"):
        with pytest.raises(CertificateError):
            verify._check_bytes(path.read_bytes() + extra)


def test_one_changed_weight_is_named(path: Path) -> None:
    claims = json.loads(path.read_text())
    claims["rows"][3]["weights"][2] = str(int(claims["rows"][3]["weights"][2]) + 1)
    path.write_bytes(verify.canonical(claims))
    with pytest.raises(CertificateError, match=r"count 3: .*65537") as failed:
        discreet.verify(path)
    assert len(failed.value.failures) == 2  # the digest and the row


def test_a_forged_weight_is_found_where_it_breaks_the_promise() -> None:
    claims = document()
    column = claims["rows"][2]["weights"]
    column[1], column[2] = str(int(column[1]) - 300), str(int(column[2]) + 300)
    with pytest.raises(CertificateError, match=r"delta: .* \(output \d, counts \d and \d"):
        verify.check(forged(claims))


def test_a_forged_epsilon_is_refused() -> None:
    claims = document()
    claims["guarantee"]["epsilon"] = "0.9"
    with pytest.raises(CertificateError, match=r"exp_epsilon: .*e\*\*0\.9"):
        verify.check(forged(claims))


def test_e_above_its_taylor_sum_is_refused() -> None:
    """The bound moved up by a unit of its last place is above e**epsilon, and so is a decimal rounded up."""
    claims = document()
    bound = Fraction(claims["guarantee"]["exp_epsilon"])
    for above in (bound + Fraction(1, 2**250), Fraction("2.71828182845904523536028747135266249776")):
        claims["guarantee"]["exp_epsilon"] = discreet.exact.text(above)
        with pytest.raises(CertificateError, match="exp_epsilon"):
            verify.check(forged(claims))


def test_alpha_must_be_one_over_e() -> None:
    claims = copy.deepcopy(design.geometric(alpha="1/2", upper=3).certify(bits=16).certificate.document)
    assert claims["guarantee"]["exp_epsilon"] == "2"
    claims["guarantee"]["exp_epsilon"] = "2.01"
    with pytest.raises(CertificateError, match=r"exp_epsilon: .*2\.01, 1/alpha is 2"):
        verify.check(forged(claims))


def test_a_smaller_delta_is_refused_and_so_is_a_larger_one() -> None:
    claims = copy.deepcopy(design.geometric(epsilon=1).certify(bits=16).certificate.document)
    for wrong in ("0", "0.5"):
        claims["guarantee"]["delta"] = wrong
        with pytest.raises(CertificateError, match=f"delta: .*{wrong}, "):
            verify.check(forged(claims))


def test_a_property_that_does_not_hold_is_refused() -> None:
    claims = document()
    claims["properties"] = sorted([*claims["properties"], "F"])
    with pytest.raises(CertificateError, match="property F"):
        verify.check(forged(claims))


def test_fewer_properties_may_be_claimed() -> None:
    claims = document()
    claims["properties"] = ["S"]
    assert verify.check(forged(claims)).properties == {"S"}


def test_a_flattered_utility_is_refused() -> None:
    claims = document()
    claims["utility"]["variance"] = ["0", "0.1"]
    with pytest.raises(CertificateError, match="variance"):
        verify.check(forged(claims))


WRONG: list[tuple[str, object]] = [
    ("bits", 7),
    ("bits", 63),
    ("bits", "16"),
    ("bits", True),
    ("version", 2),
    ("version", True),
    ("format", "other"),
    ("rows", []),
    ("rows", [{}]),
    ("rows", "x"),
    ("interior", [{"first": 0, "weights": ["65536"]}]),
    ("neighbours", []),
    ("neighbours", [2]),
    ("neighbours", [0]),
    ("neighbours", [[1]]),
    ("neighbours", ["1"]),
    ("neighbours", 1),
    ("domain", {}),
    ("domain", {"kind": "counts", "lower": -1, "upper": 4}),
    ("domain", {"kind": "counts", "lower": 0, "upper": 5}),
    ("domain", {"kind": "cycle", "shape": [5]}),
    ("domain", {"kind": "cycle", "shape": 5}),
    ("domain", {"kind": "cycle", "shape": [1000000000.0]}),
    ("domain", {"kind": "counts", "lower": 0, "upper": "4"}),
    ("domain", {"kind": "counts", "lower": 0, "upper": None}),
    ("properties", ["X"]),
    ("properties", "S"),
    ("properties", [1]),
    ("properties", [["S"]]),
    ("utility", []),
    ("utility", {}),
    ("utility", {"x": 1}),
    ("guarantee", {}),
    ("guarantee", {"epsilon": "1"}),
    ("design", []),
    ("quantised", None),
    ("digest", 5),
    ("digest", None),
    ("guarantee", {"epsilon": "1e999999999", "exp_epsilon": "2", "delta": "0"}),
    ("guarantee", {"epsilon": "1", "exp_epsilon": "1", "delta": "0"}),
    ("guarantee", {"epsilon": "1", "exp_epsilon": "0/1", "delta": "0"}),
    ("guarantee", {"epsilon": "-1", "exp_epsilon": "2", "delta": "0"}),
    ("guarantee", {"epsilon": "1", "exp_epsilon": "2", "delta": "-1"}),
    ("guarantee", {"epsilon": 1, "exp_epsilon": 2, "delta": 0}),
    ("guarantee", {"alpha": "2", "exp_epsilon": "2", "delta": "0"}),
    ("guarantee", {"alpha": "1/2", "epsilon": "1", "exp_epsilon": "2", "delta": "0"}),
]


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_a_document_of_the_wrong_kind_is_refused(key: str, value: object) -> None:
    claims = document()
    claims[key] = value
    with pytest.raises(CertificateError):
        verify.check(forged(claims) if key != "digest" else claims)


@pytest.mark.parametrize("weight", ["-1", "1.5", "", "x", "1e3", "9" * 20, 5, None, "\u0661"])
def test_a_weight_that_is_no_decimal_text_is_refused(weight: object) -> None:
    claims = document()
    claims["rows"][0]["weights"][0] = weight
    with pytest.raises(CertificateError):
        verify.check(forged(claims))


def test_far_apart_outputs_cannot_exhaust_the_memory() -> None:
    claims = document()
    claims["rows"][0]["first"] = 2**60
    with pytest.raises(CertificateError, match=r"the noise: .*4194304"):
        verify.check(forged(claims))


@pytest.mark.parametrize("far", [2**27, 2**40, 2**61])
def test_far_noise_cannot_exhaust_the_time(far: int) -> None:
    claims = copy.deepcopy(design.geometric(epsilon=1).certify(bits=16).certificate.document)
    claims["interior"] = [{"first": 0, "weights": ["65536"]}, {"first": far, "weights": ["65536"]}]
    with pytest.raises(CertificateError, match=r"the noise: .*4194304"):
        verify.check(forged(claims))


def test_every_claim_has_one_spelling_only() -> None:
    for key, value in (("neighbours", [True]), ("properties", ["S", "S"]), ("properties", ["WH", "S"])):
        with pytest.raises(CertificateError):
            verify.check(forged(document() | {key: value}))
    for spelling in ("0000{}", "+{}", " {}"):
        claims = document()
        claims["rows"][0]["weights"][0] = spelling.format(claims["rows"][0]["weights"][0])
        with pytest.raises(CertificateError, match=r"rows\[0\]"):
            verify.check(forged(claims))


def test_a_forged_name_cannot_write_to_the_terminal() -> None:
    claims = document()
    claims["utility"]["\x1b[2Kevery claim holds"] = ["0", "0"]
    with pytest.raises(CertificateError) as refused:
        verify.check(forged(claims))
    assert "\x1b" not in str(refused.value)


def test_a_key_that_occurs_twice_is_refused(path: Path) -> None:
    text = path.read_text().replace('"bits": 16', '"bits": 16,\n "bits": 16')
    path.write_text(text)
    with pytest.raises(CertificateError, match="twice"):
        discreet.verify(path)


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{", '{"a": NaN}', "[" * 100_000, '{"bits": 1.5}', "\xff", '{"n": ' + "9" * 5000 + "}"]
)
def test_files_that_are_no_certificates_are_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(CertificateError, match=r"x\.json"):
        discreet.verify(tmp_path / "x.json")


def test_a_file_that_is_missing_a_folder_or_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (tmp_path / "none.json", tmp_path, "a\0b"):
        with pytest.raises(CertificateError, match=re.escape(str(path))):
            discreet.verify(path)
    large = tmp_path / "large.json"
    large.write_bytes(b" " * 2000)
    monkeypatch.setattr(verify, "MOST_BYTES", 1000)
    with pytest.raises(CertificateError, match=r"large\.json: .*1000"):
        discreet.verify(large)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["1", "0", "65536", "S", "counts", "1/2"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["first", "weights", "kind", "lower", "upper", "shape", "epsilon"]), inner)
    ),
    max_leaves=8,
)


@settings(max_examples=600, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_fuzzed_documents_are_refused_cleanly(data: st.DataObject) -> None:
    """Replace any part of a valid document by anything: it is refused with a CertificateError, or its claims hold."""
    claims = document()
    node: Any = claims
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(node[key], (dict, list)) or not node[key] or data.draw(st.booleans()):
            break
        node = node[key]
    node[key] = data.draw(JSON)
    try:
        accepted = verify.check(forged(claims))
    except CertificateError:
        return
    delta, _ = discreet.certify.table.delta(accepted.table, accepted.guarantee.exp_epsilon)
    assert delta == accepted.guarantee.delta


@settings(max_examples=300)
@given(st.binary(max_size=300))
def test_fuzzed_bytes_are_refused_cleanly(data: bytes) -> None:
    with pytest.raises(CertificateError):
        verify._check_bytes(data)


def test_verify_needs_neither_numpy_nor_scipy(path: Path) -> None:
    """A process that cannot import numpy and scipy checks a certificate."""
    code = (
        "import sys; sys.modules['numpy'] = sys.modules['scipy'] = None\n"
        "from discreet.certify.verify import verify\n"
        f"print(verify({str(path)!r}).guarantee.delta)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "0"


def test_a_certificate_is_canonical_and_the_same_every_time(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        design.geometric(epsilon=1).certify().save(tmp_path / name)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    text = (tmp_path / "a.json").read_text()
    assert json.dumps(json.loads(text), indent=1, sort_keys=True) + "\n" == text


def test_weights_are_text_so_that_62_bits_survive_javascript(tmp_path: Path) -> None:
    design.uniform(n=1).certify(epsilon=1, bits=62).save(tmp_path / "w.json")
    claims = json.loads((tmp_path / "w.json").read_text())
    assert claims["rows"][0]["weights"] == [str(2**61)] * 2


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    ptable = design.uniform(n=1).certify(epsilon=1)
    with pytest.raises(OutputError, match=r"none/m\.json"):
        ptable.save(tmp_path / "none" / "m.json")
    with pytest.raises(OutputError, match=re.escape(str(tmp_path))):
        ptable.save(tmp_path)
    assert os.listdir(tmp_path) == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_the_canonical_form_is_that_of_the_json_module(value: object) -> None:
    document = {"value": value, "weights": ["1", "23"]}
    written = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=True, allow_nan=False)
    assert verify.canonical(document) == written.encode("ascii") + b"\n"
