"""Drawing: every key owns an output, draws follow the weights, and no two draws share random bits."""

import multiprocessing
import os
from collections import Counter

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet import Counts, Cycle, Mechanism, PTable, Row, design
from discreet.certify import ptable
from discreet.certify._key_lookup import Keystream, Lookup
from discreet.errors import EntropyError, InputError
from discreet.testing import chi_square


def custom(rows: int = 2, period: int = 2, bits: int = 10) -> PTable:
    rng = np.random.default_rng(rows + 10 * period)

    def row(first: int) -> Row:
        weights = rng.integers(1, 50, 5).tolist()
        return Row(first, np.array(weights) / sum(weights))

    mechanism = Mechanism(Counts(3), tuple(row(k) for k in range(rows)), tuple(row(-2) for _ in range(period)))
    return mechanism.certify(epsilon=2, bits=bits)


@pytest.mark.parametrize("bits", [8, 10, 12])
def test_every_output_owns_as_many_keys_as_its_weight(bits: int) -> None:
    """Exhaustive: all keys, every kind of row, in bulk and one at a time."""
    table = custom(bits=bits)
    keys = np.arange(1 << bits)
    for count in range(3, 9):
        row = table.table.row(count)
        drawn = table.perturb(np.full(len(keys), count), keys=keys)
        assert Counter(drawn.tolist()) == {row.first + k: w for k, w in enumerate(row.weights) if w}
        assert (np.diff(drawn) >= 0).all()
        assert [table.perturb(count, keys=int(key)) for key in keys[::37]] == drawn[::37].tolist()


def test_a_lookup_is_the_same_everywhere() -> None:
    """Fixed answers: a platform with other answers would break every repeatable release."""
    table = design.geometric(epsilon=1).certify()
    keys = [0, 1, 2**31, 2**32 - 1, 1234567890, 3456789012]
    assert table.perturb([5] * 6, keys=keys).tolist() == [-17, -17, 5, 27, 5, 6]
    small = design.geometric(alpha="1/2", upper=4).certify(bits=16)
    assert small.perturb([0, 1, 2, 3, 4, 4], keys=[40000, 100, 30000, 60000, 65535, 0]).tolist() == [0, 0, 2, 4, 4, 0]


@pytest.mark.filterwarnings("ignore::discreet.errors.PrecisionWarning")
@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 30),
    st.integers(0, 3),
    st.integers(1, 30),
    st.sampled_from([8, 16, 17, 40, 62]),
    st.integers(0, 2**32),
)
def test_the_guide_and_the_search_agree(small: int, period: int, width: int, bits: int, seed: int) -> None:
    """Bulk lookup through the guide table against a plain walk along the weights, at and around every threshold."""
    rng = np.random.default_rng(seed)
    period = max(period, 1)

    def row(first: int) -> Row:
        probabilities = rng.dirichlet(np.full(width, 0.3))
        return Row(first, probabilities / probabilities.sum())

    mechanism = Mechanism(Counts(), tuple(row(0) for _ in range(small)), tuple(row(-3) for _ in range(period)))
    table = mechanism.certify(epsilon=50, bits=bits)
    counts = rng.integers(0, small + period, 300)
    edges = [int(x) for r in table.rows + table.interior for x in np.cumsum(np.array(r.weights, dtype=np.uint64))]
    near = rng.choice(edges, 300) + rng.integers(-1, 2, 300)
    keys = np.where(rng.random(300) < 0.5, near, rng.integers(0, 1 << bits, 300)).clip(0, (1 << bits) - 1)
    outputs = table.perturb(counts, keys=keys)
    for count, key, output in zip(counts.tolist(), keys.tolist(), outputs.tolist(), strict=True):
        owner = table.table.row(count)
        total, index = 0, 0
        while key >= total + owner.weights[index]:
            total, index = total + owner.weights[index], index + 1
        assert output == owner.first + index


@pytest.mark.parametrize(
    "mechanism",
    [
        design.gaussian(sigma2=49, support=25),
        design.geometric(epsilon="0.2", upper=30),
        design.randomized_response(epsilon=1, categories=9),
    ],
)
def test_ten_million_draws_follow_the_weights_and_no_others(mechanism: Mechanism) -> None:
    table = mechanism.certify(epsilon=1 if "epsilon" not in mechanism.design else None)
    count = 7
    assert chi_square(table, count, 10_000_000) > 1e-6
    _, wrong = Mechanism.from_table(table.table).pmf(count)
    shifted = wrong * (1 + 0.005 * (-1.0) ** np.arange(len(wrong)))
    assert chi_square(table, count, 10_000_000, weights=shifted) < 1e-9


def test_the_keystream_is_aes_256_in_counter_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a known key: the words are those of AES-256-CTR from counter 0, all 32 bytes of the key in use."""
    key = bytes(range(32))
    sizes: list[int] = []

    def urandom(size: int) -> bytes:
        sizes.append(size)
        return key

    monkeypatch.setattr(os, "urandom", urandom)
    stream = Keystream()
    assert sizes == [32]
    expected = Cipher(AES(key), CTR(bytes(16))).encryptor().update(bytes(64))
    assert stream.words(16).tobytes() + stream.words(16).tobytes() == expected
    assert stream.keys(1, 62)[0] < 2**62


def test_a_draw_is_the_lookup_of_its_key() -> None:
    """With a known stream, a bulk draw is the lookup of the key that its words and the further bits make up."""
    table = Mechanism(Counts(), interior=(Row.of(-2, [0.1, 0.2, 0.4, 0.2, 0.1]),)).certify(epsilon=3, bits=20)
    lookup = Lookup(table.table)
    edges = np.cumsum(np.array(table.interior[0].weights, dtype=np.uint64))[:-1]
    whole = np.concatenate([edges - np.uint64(1), edges, edges + np.uint64(1)])

    class Known:
        def words(self, size: int) -> np.ndarray:
            return (whole >> np.uint64(4)).astype(np.uint16)

        def keys(self, size: int, bits: int) -> np.ndarray:
            assert bits == 4
            buckets = self.words(0)
            undecided = lookup._guided(None, buckets) == lookup._undecided
            return np.asarray((whole & np.uint64(15))[undecided][:size])

    drawn = lookup.draw(None, len(whole), Known())  # type: ignore[arg-type]
    assert drawn.tolist() == lookup.displacements(None, whole).tolist()
    assert drawn.tolist() == [lookup.displacement(0, int(key)) for key in whole]


def test_neighbouring_draws_are_independent() -> None:
    table = design.randomized_response(epsilon="0.0001").certify()
    bits = table.perturb(np.zeros(1_000_000, dtype=int))
    for lag in (1, 2, 7, 8, 64, 131072):
        agree = float((bits[:-lag] == bits[lag:]).mean())
        assert abs(agree - 0.5) < 6 / np.sqrt(len(bits))


def test_threads_share_no_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """With chunks of 16 every thread draws many; a shared or repeated key would repeat blocks of outputs."""
    monkeypatch.setattr(ptable, "CHUNK", 1 << 10)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    table = design.geometric(epsilon="0.001").certify()
    drawn = table.perturb(np.zeros(1 << 16, dtype=int))
    assert len(ptable._shares(1 << 16)) == 8
    blocks = drawn.reshape(-1, 16)
    assert len(np.unique(blocks, axis=0)) == len(blocks)


def _draw(queue: "multiprocessing.Queue[list[int]]") -> None:
    queue.put(TABLE.perturb(np.zeros(64, dtype=int)).tolist())


TABLE = design.geometric(epsilon="0.01").certify(bits=32)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_processes_share_no_stream() -> None:
    TABLE.perturb(np.zeros(10, dtype=int))
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[list[int]] = context.Queue()
    children = [context.Process(target=_draw, args=(queue,)) for _ in range(4)]
    for child in children:
        child.start()
    drawn = [tuple(queue.get(timeout=300)) for _ in children]
    for child in children:
        child.join()
    drawn.append(tuple(TABLE.perturb(np.zeros(64, dtype=int)).tolist()))
    assert len(set(drawn)) == 5


@pytest.mark.parametrize("failure", [OSError("no entropy"), NotImplementedError("no source"), None])
def test_a_failing_entropy_source_raises(monkeypatch: pytest.MonkeyPatch, failure: Exception | None) -> None:
    def broken(size: int) -> bytes:
        if failure is not None:
            raise failure
        return bytes(size - 1)

    monkeypatch.setattr(os, "urandom", broken)
    for counts in (5, [5, 6]):
        with pytest.raises(EntropyError, match=str(failure or "31 random bytes of 32")):
            TABLE.perturb(counts)
    assert TABLE.perturb([5], keys=[0]).shape == (1,)  # a lookup needs no entropy


def test_a_count_outside_the_domain_is_clamped_never_refused() -> None:
    table = design.geometric(epsilon=1, upper=4).certify()
    keys = [123456789] * 7
    assert table.perturb([-5, 0, 4, 5, 10**18, 2**64 - 1, -(10**30)], keys=keys).tolist() == [
        *table.perturb([0, 0, 4, 4, 4, 4, 0], keys=keys).tolist()
    ]
    half = [1 << 31]  # a key that gives different outputs in different rows
    assert table.perturb([0], keys=half) != table.perturb([4], keys=half)
    for outside, clamped in (
        (np.array([200], dtype=np.uint8), 4),
        (np.array([-3], dtype=np.int8), 0),
        (np.array([2**64 - 1], dtype=np.uint64), 4),
        ([2**63, -1][:1], 4),
    ):
        assert table.perturb(outside, keys=half) == table.perturb([clamped], keys=half)
    assert table.perturb([2**63, -1], keys=half * 2).tolist() == table.perturb([4, 0], keys=half * 2).tolist()
    unbounded = design.geometric(epsilon=1).certify()
    assert unbounded.perturb([2**63 - 1, 2**62], keys=[0, 0]).tolist() == [2**62 - 22] * 2
    clock = design.randomized_response(epsilon=1, categories=5).certify()
    assert clock.perturb([7, -2], keys=[0, 0]).tolist() == clock.perturb([4, 0], keys=[0, 0]).tolist()


def test_the_result_has_the_shape_of_the_counts() -> None:
    table = design.geometric(epsilon=1).certify()
    for shape in ((), (1,), (0,), (2, 3), (2, 0, 3)):
        result = table.perturb(np.zeros(shape, dtype=int))
        assert np.shape(result) == shape
        assert result.dtype == np.int64
    assert table.perturb([]).shape == (0,)
    fortran = np.asfortranarray(np.arange(6).reshape(2, 3))
    keys = np.arange(6).reshape(2, 3) * 700_000_000
    assert np.array_equal(table.perturb(fortran, keys=keys), table.perturb(np.ascontiguousarray(fortran), keys=keys))


def test_vectors_are_perturbed_on_a_cycle_of_several_dimensions() -> None:
    weights = np.arange(1.0, 13.0)
    week = Mechanism(Cycle((3, 4)), interior=(Row(0, weights / weights.sum()),)).certify(epsilon=3, bits=12)
    keys = np.arange(1 << 12)
    drawn = week.perturb(np.tile((2, 3), (len(keys), 1)), keys=keys)
    assert drawn.shape == (4096, 2)
    owners = Counter(map(tuple, ((drawn - (2, 3)) % (3, 4)).tolist()))
    assert [owners[residues] for residues in np.ndindex(3, 4)] == list(week.interior[0].weights)
    assert week.perturb((1, 1)).shape == (2,)
    with pytest.raises(InputError, match=r"shape \(3,\).*length 2"):
        week.perturb([1, 2, 3])


@pytest.mark.parametrize(
    ("counts", "named"),
    [
        (1.0, "float"),
        ([1.5], "float"),
        (["a"], "astype"),
        ([None], "NoneType"),
        ([True], "bool"),
        (np.array([1.0]), "float64"),
        (np.ma.masked_array([1, 2], mask=[True, False]), "masked"),
        ([[1], [1, 2]], "different lengths"),
        (float("nan"), "float"),
    ],
)
def test_counts_that_are_not_integers_are_refused(counts: object, named: str) -> None:
    with pytest.raises(InputError, match=named):
        TABLE.perturb(counts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("keys", "named"),
    [
        ([-1], "0..2"),
        ([2**32], "0..2"),
        ([2**70], "0..2"),
        ([0.5], "float"),
        ([1, 2], "shape"),
        (1, "shape"),
        ([[1]], "shape"),
    ],
)
def test_keys_that_do_not_fit_are_refused(keys: object, named: str) -> None:
    with pytest.raises(InputError, match=named):
        TABLE.perturb([5], keys=keys)  # type: ignore[arg-type]


def test_a_single_answer_compares_with_every_threshold() -> None:
    """The lookup has no early exit: the same comparisons for every key, whatever the row."""
    table = custom(rows=3, period=1)
    lookup = Lookup(table.table)
    assert lookup.thresholds.shape == (4, 5)
    assert [lookup.displacement(0, key) for key in (0, 1023)] == [lookup.firsts[0], lookup.firsts[0] + 4]


def test_a_loaded_table_draws_like_the_saved_table(tmp_path: os.PathLike[str]) -> None:
    path = os.path.join(tmp_path, "t.json")
    TABLE.save(path)
    keys = np.random.default_rng(0).integers(0, 2**32, 1000)
    counts = np.arange(1000)
    assert np.array_equal(discreet.load(path).perturb(counts, keys=keys), TABLE.perturb(counts, keys=keys))
