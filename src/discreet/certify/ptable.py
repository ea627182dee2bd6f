"""The perturbation table: certified integers, and the only thing that is ever sampled."""

import hashlib
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet import categories, data_frames, files, pictures
from discreet.arrays import Indices, Integers, Keys, rectangular
from discreet.certify import _table_view, verify
from discreet.certify import table as integer_table
from discreet.certify._key_lookup import Keystream, Lookup
from discreet.certify.table import IntegerRow, Table
from discreet.certify.verify import Certificate, Guarantee
from discreet.domain import LARGEST, Cycle, Domain
from discreet.errors import InputError
from discreet.exact import Epsilon, Number, upper

CHUNK = 1 << 17
"""Counts drawn at a time: small enough for the cache. Memory does not grow with the input."""

MOST_THREADS = 8


class PTable:
    """Integer weights with a promise. Made by `mechanism.certify` and `discreet.load`, which both verify the promise.

    Parameters
    ----------
    certificate
        A certificate that `discreet.certify.verify` checked.

    Attributes
    ----------
    guarantee
        (epsilon as given, a rational lower bound of e**epsilon, delta as a Fraction).
    properties
        The properties, of seven, that hold exactly.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(alpha="1/2", upper=3).certify(bits=10)
    >>> table.guarantee.exp_epsilon, table.guarantee.delta
    (Fraction(2, 1), Fraction(0, 1))
    >>> table.rows[2].weights
    (171, 171, 341, 341)
    """

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate

    @property
    def table(self) -> Table:
        """The integers."""
        return self.certificate.table

    @property
    def bits(self) -> int:
        """Every row sums to 2**bits, and every key is below 2**bits."""
        return self.table.bits

    @property
    def domain(self) -> Domain:
        """The values a true count may take."""
        return self.table.domain

    @property
    def neighbours(self) -> tuple[Any, ...]:
        """The distances between counts, or differences on a cycle, that one person can make."""
        return self.table.neighbours

    @property
    def rows(self) -> tuple[IntegerRow, ...]:
        """Weights of the smallest counts, as outputs."""
        return self.table.rows

    @property
    def interior(self) -> tuple[IntegerRow, ...]:
        """Weights of all larger counts, as noise, repeated."""
        return self.table.interior

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon as given, a rational lower bound of e**epsilon, delta as a Fraction)."""
        return self.certificate.guarantee

    @property
    def properties(self) -> frozenset[str]:
        """The properties, of seven, that hold exactly."""
        return self.certificate.properties

    @property
    def utility(self) -> dict[str, tuple[Fraction, Fraction]]:
        """The least and greatest chance of the truth, bias and variance over the true counts."""
        return self.certificate.utility

    @property
    def design(self) -> Mapping[str, Any]:
        """The design and its parameters. The promise does not depend on them."""
        return dict(self.certificate.document["design"])

    @property
    def digest(self) -> str:
        """The digest of the certificate, sha256:..."""
        return self.certificate.digest

    @cached_property
    def table_digest(self) -> str:
        """Digest of what decides which noise a key gives: bits, domain and weights, however they were designed."""
        document = self.certificate.document
        parts = {name: document[name] for name in ("bits", "domain", "rows", "interior")}
        return hashlib.sha256(verify.canonical(parts)).hexdigest()

    def delta(self, epsilon: Number) -> Fraction:
        """Return the exact delta of these integers at another epsilon.

        Parameters
        ----------
        epsilon
            A number above 0: a float, an int, a Fraction or a decimal string.

        Returns
        -------
        Fraction
            The largest delta over all neighbours, in both directions.

        Raises
        ------
        ParameterError
            `epsilon` is not a number from 1e-9 to 100.
        """
        return integer_table.delta(self.table, Epsilon.of(epsilon).exp)[0]

    def perturb(self, counts: npt.ArrayLike, keys: npt.ArrayLike | None = None) -> Any:
        """Return noisy integers for true counts.

        Parameters
        ----------
        counts
            Integers of any shape; a count outside the domain is clamped into the domain first. On a cycle with several
            dimensions the last axis holds the residues. If the design names the categories, categories may be given by
            name; the result then has names, too.
        keys
            One uniform integer in [0, 2**bits) for each count: the result is then a pure function of counts and keys,
            the same on every platform. None draws fresh keys from the system's generator; the time of the answer to a
            single count then does not depend on the draw.

        Returns
        -------
        numpy.ndarray or numpy.int64
            The noisy integers, in the shape of `counts`. They are not clamped. A pandas Series gives a Series with the
            same index and name.

        Raises
        ------
        InputError
            Counts or keys are not integers, their shapes or indices differ, or a key is out of range.
        EntropyError
            The operating system gave no random bytes.

        Examples
        --------
        >>> import discreet as dc
        >>> table = dc.design.geometric(epsilon=1).certify()
        >>> table.perturb([0, 3, 2041], keys=[12, 2_000_000_000, 4_000_000_000])
        array([ -19,    3, 2043])
        >>> table.perturb([0, 3, 2041]).shape
        (3,)
        """
        if not isinstance(counts, np.ndarray) and data_frames.is_series(counts):
            aligned_keys = data_frames.aligned(keys, counts)
            return data_frames.series_like(counts, self.perturb(np.asarray(counts), aligned_keys))
        names = categories.names(self.design, self.domain.size)
        if names and categories.is_text(counts):
            return np.array(names)[self.perturb(categories.codes(counts, names), keys)]
        true = _integers(counts, "counts")
        dimensions = len(self.domain.shape) if isinstance(self.domain, Cycle) else 1
        if dimensions > 1 and (true.ndim == 0 or true.shape[-1] != dimensions):
            raise InputError(
                f"counts have shape {true.shape}; in {self.domain} their last axis has length {dimensions}"
            )
        cells = true.shape if dimensions == 1 else true.shape[:-1]
        checked = None if keys is None else self._checked_keys(keys, cells)
        if not cells:
            return self._perturb_one(true, checked)
        flat = true.reshape(-1) if dimensions == 1 else true.reshape(-1, dimensions)
        return self._perturb_many(flat, checked).reshape(true.shape)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate to a file, whole or not at all.

        Parameters
        ----------
        path
            The file. An existing file is replaced.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        files.write(path, verify.canonical(self.certificate.document))

    def __repr__(self) -> str:
        epsilon, _, delta = self.guarantee
        promise = f"epsilon={epsilon}, delta={upper(delta, 3)}"
        return f"PTable({self.design.get('name')}, {self.domain}, {promise}, bits={self.bits})"

    def to_frame(self, *, to: str | None = None) -> Any:
        """Return the weights as a data frame: the columns count, noise, weight and probability.

        A row of the interior has the first count that it belongs to; it also belongs to larger counts. On a cycle all
        residues have the same noise, which has the count 0.

        Parameters
        ----------
        to
            "pandas", "polars" or "arrow". None: pandas if it is installed, else arrow.

        Examples
        --------
        >>> import discreet as dc
        >>> table = dc.design.geometric(alpha="1/2", upper=1).certify(bits=8)
        >>> table.to_frame(to="arrow").to_pylist()[0]
        {'count': 0, 'noise': 0, 'weight': 170, 'probability': 0.6640625}
        """
        return data_frames.frame(_table_view.columns(self.table), to)

    def plot(self, count: int | None = None, *, axes: Any = None) -> Any:
        """Draw the chance of each noise at one true count, and return the axes.

        Parameters
        ----------
        count
            The true count. None: a large count, or the middle of the domain.
        axes
            Axes of matplotlib. None: new axes.

        Raises
        ------
        MissingExtraError
            matplotlib is not installed.
        InputError
            The count is not in the domain.
        """
        return _table_view.draw(self.table, f"{self.design.get('name')}", count, axes)

    def noise_picture(self) -> str:
        """Return a small picture of the noise as an SVG element."""
        return _table_view.picture(self.table)

    def _repr_html_(self) -> str:
        epsilon, _, delta = self.guarantee
        promise = f"epsilon {epsilon}, delta {upper(delta, 3)} for one count"
        facts = {"domain": self.domain, "guarantee": promise, "bits": self.bits}
        return pictures.card(f"Perturbation table: {self.design.get('name')}", facts, self.noise_picture())

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.table)

    def _perturb_one(self, true: npt.NDArray[Any], keys: Keys | None) -> Any:
        inside = self._clamp(true.reshape(1, *true.shape))
        key = Keystream().keys(1, self.bits)[0] if keys is None else keys[0]
        rows = self._row_indices(inside)
        displacement = self._lookup.displacement(0 if rows is None else int(rows[0]), int(key))
        return self._add(inside, np.array([displacement]))[0]

    def _perturb_many(self, flat: npt.NDArray[Any], keys: Keys | None) -> Integers:
        """Return noisy integers for a list of counts, in threads and chunks."""
        result = np.empty(flat.shape, dtype=np.int64)
        lookup = self._lookup

        def fill(share: range) -> None:
            stream = Keystream() if keys is None else None
            for start in range(share.start, share.stop, CHUNK):
                chunk = slice(start, min(start + CHUNK, share.stop))
                inside = self._clamp(flat[chunk])
                rows = self._row_indices(inside)
                if stream is not None:
                    result[chunk] = self._add(inside, lookup.draw(rows, len(inside), stream))
                elif keys is not None:
                    result[chunk] = self._add(inside, lookup.displacements(rows, keys[chunk]))

        shares = _shares(len(flat))
        if len(shares) == 1:
            fill(shares[0])
        else:
            with ThreadPoolExecutor(len(shares)) as pool:
                list(pool.map(fill, shares))
        return result

    def _clamp(self, true: npt.NDArray[Any]) -> Integers:
        if true.dtype == np.uint64:
            true = np.minimum(true, np.uint64(LARGEST))
        inside = true.astype(np.int64, copy=False)
        if isinstance(self.domain, Cycle):
            ends = np.array(self.domain.shape) - 1
            return np.clip(inside, 0, ends[0] if len(ends) == 1 else ends)
        return np.clip(inside, self.domain.lower, LARGEST if self.domain.upper is None else self.domain.upper)

    def _row_indices(self, inside: Integers) -> Indices | None:
        """Return the index of each count's row among the rows and then the interior; None if there is only one row."""
        small, period = len(self.rows), len(self.interior)
        if small + period == 1 or isinstance(self.domain, Cycle):
            return None
        index = inside - self.domain.lower
        if period == 0:
            return index
        return np.where(index < small, index, small + (index - small) % period)

    def _add(self, inside: Integers, displacement: npt.NDArray[Any]) -> Any:
        if not isinstance(self.domain, Cycle):
            return inside + displacement
        if len(self.domain.shape) == 1:
            return (inside + displacement) % self.domain.size
        noise = np.stack(np.unravel_index(displacement, self.domain.shape), axis=-1)
        return (inside + noise) % np.array(self.domain.shape)

    def _checked_keys(self, keys: npt.ArrayLike, shape: tuple[int, ...]) -> Keys:
        integers = _integers(keys, "keys")
        if integers.shape != shape:
            raise InputError(f"keys have shape {integers.shape}; give one for each count, shape {shape}")
        if integers.size and (integers.min() < 0 or integers.max() >= 1 << self.bits):
            raise InputError(
                f"a key is outside 0..2**{self.bits} - 1; take the top {self.bits} bits of a keyed hash,"
                " never a remainder"
            )
        return integers.astype(np.uint64).reshape(-1)


def load(path: str | os.PathLike[str]) -> PTable:
    """Return the table of a certificate file, after every claim in the file was checked.

    Parameters
    ----------
    path
        A file that `PTable.save` wrote.

    Returns
    -------
    PTable
        The table, with the guarantee that was recomputed.

    Raises
    ------
    CertificateError
        The file cannot be read, or a claim in it does not hold.

    Examples
    --------
    >>> import tempfile
    >>> import discreet as dc
    >>> folder = tempfile.TemporaryDirectory()
    >>> dc.design.geometric(epsilon=1, upper=20).certify().save(f"{folder.name}/noise.json")
    >>> dc.load(f"{folder.name}/noise.json")
    PTable(geometric, Counts(lower=0, upper=20), epsilon=1, delta=0, bits=32)
    >>> folder.cleanup()
    """
    return PTable(verify.verify(path))


def _integers(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """Return an integer array; counts beyond 64 bits are brought to the largest integers that a count may be."""
    array = rectangular(values, name)
    if array.dtype.kind == "f" and not isinstance(values, np.ndarray):
        array = np.array(values, dtype=object)  # Python integers beyond 64 bits become floats
    if array.dtype == object and all(type(item) is int for item in array.ravel()):
        return np.clip(array, -LARGEST, LARGEST).astype(np.int64) if name == "counts" else array
    if array.dtype.kind not in "iu" and array.size:
        kind = type(array.ravel()[0]).__name__ if array.dtype == object else array.dtype
        raise InputError(f"{name} have type {kind}; give integers, for example array.astype(np.int64)")
    return array if array.size else array.astype(np.int64)


def _shares(size: int) -> list[range]:
    """Return the indices of a large input in equal parts, one for each usable processor and its own keystream."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = max(1, min(processors, MOST_THREADS, size // (4 * CHUNK)))
    edges = [size * thread // threads for thread in range(threads + 1)]
    return [range(first, last) for first, last in pairwise(edges)]
