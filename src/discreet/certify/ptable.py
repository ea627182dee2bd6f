"""The perturbation table: certified integers, and the only thing that is ever sampled."""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet import categories, files
from discreet.arrays import Integers, rectangular
from discreet.certify import table as exactly
from discreet.certify import verify
from discreet.certify.keystream import Keystream
from discreet.certify.lookup import Lookup, Places
from discreet.certify.table import IntegerRow, Table
from discreet.certify.verify import Certificate, Guarantee
from discreet.domain import LARGEST, Cycle, Domain
from discreet.errors import InputError
from discreet.exact import Epsilon, Number, upper

CHUNK = 1 << 17
"""Counts drawn at a time: small enough for the cache, so that memory does not grow with the input."""

MOST_THREADS = 8


class PTable:
    """Integer weights with a promise. Made by `mechanism.certify` and `discreet.load`, both of which verify it.

    Attributes
    ----------
    guarantee
        (epsilon as given, a rational lower bound of e**epsilon, delta as a Fraction).
    properties
        Which of the seven properties hold exactly.
    """

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate

    @property
    def table(self) -> Table:
        """The integers."""
        return self.certificate.table

    @property
    def bits(self) -> int:
        """Every row sums to 2**bits; keys are below it."""
        return self.table.bits

    @property
    def domain(self) -> Domain:
        """The values a true count may take."""
        return self.table.domain

    @property
    def neighbours(self) -> tuple[Any, ...]:
        """Distances, or differences, that one person can make."""
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
        """Which of the seven properties hold exactly."""
        return self.certificate.properties

    @property
    def utility(self) -> dict[str, tuple[Fraction, Fraction]]:
        """Least and greatest chance of the truth, bias and variance over the true counts."""
        return self.certificate.utility

    @property
    def design(self) -> Mapping[str, Any]:
        """Where the table came from; the promise does not depend on it."""
        return dict(self.certificate.document["design"])

    @property
    def digest(self) -> str:
        """sha256:... of the certificate."""
        return self.certificate.digest

    def delta(self, epsilon: Number) -> Fraction:
        """The exact delta of these integers at another epsilon."""
        return exactly.delta(self.table, Epsilon.of(epsilon).exp)[0]

    def perturb(self, counts: npt.ArrayLike, keys: npt.ArrayLike | None = None) -> Any:
        """Noisy integers for true counts, of the same shape.

        Parameters
        ----------
        counts
            Integers; a count outside the domain is clamped into it. On a cycle of several dimensions the last
            axis holds the parts of a value. Where the design named its categories, names, and names come back.
        keys
            One integer in [0, 2**bits) for each count: the result is then a pure function of both, the same
            on every platform. None draws fresh keys from the system's generator; a single count is then
            answered in a time that does not depend on the draw.
        """
        known = categories.names(self.design, self.domain.size)
        if known and categories.is_text(counts):
            return np.array(known)[self.perturb(categories.codes(counts, known), keys)]
        true = _integers(counts, "counts")
        dimensions = len(self.domain.shape) if isinstance(self.domain, Cycle) else 1
        if dimensions > 1 and (true.ndim == 0 or true.shape[-1] != dimensions):
            raise InputError(
                f"counts have shape {true.shape}; in {self.domain} their last axis has length {dimensions}"
            )
        cells = true.shape if dimensions == 1 else true.shape[:-1]
        given = None if keys is None else self._keys(keys, cells)
        if not cells:
            return self._one(true, given)
        flat = true.reshape(-1) if dimensions == 1 else true.reshape(-1, dimensions)
        result = np.empty(flat.shape, dtype=np.int64)
        lookup = self._lookup

        def fill(share: range) -> None:
            stream = Keystream() if given is None else None
            for start in range(share.start, share.stop, CHUNK):
                part = slice(start, min(start + CHUNK, share.stop))
                inside = self._clamp(flat[part])
                rows = self._row_places(inside)
                if stream is not None:
                    result[part] = self._add(inside, lookup.draw(rows, len(inside), stream))
                elif given is not None:
                    result[part] = self._add(inside, lookup.many(rows, given[part]))

        shares = _shares(len(flat))
        if len(shares) == 1:
            fill(shares[0])
        else:
            with ThreadPoolExecutor(len(shares)) as pool:
                list(pool.map(fill, shares))
        return result.reshape(true.shape)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate; the file is complete or not there."""
        files.write(path, verify.canonical(self.certificate.document))

    def __repr__(self) -> str:
        epsilon, _, delta = self.guarantee
        promise = f"epsilon={epsilon}, delta={upper(delta, 3)}"
        return f"PTable({self.design.get('name')}, {self.domain}, {promise}, bits={self.bits})"

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.table)

    def _one(self, true: npt.NDArray[Any], keys: npt.NDArray[np.uint64] | None) -> Any:
        inside = self._clamp(true.reshape(1, *true.shape))
        key = Keystream().keys(1, self.bits)[0] if keys is None else keys[0]
        rows = self._row_places(inside)
        displacement = self._lookup.one(0 if rows is None else int(rows[0]), int(key))
        return self._add(inside, np.array([displacement]))[0]

    def _clamp(self, true: npt.NDArray[Any]) -> Integers:
        if true.dtype == np.uint64:
            true = np.minimum(true, np.uint64(LARGEST))
        inside = true.astype(np.int64, copy=False)
        if isinstance(self.domain, Cycle):
            ends = np.array(self.domain.shape) - 1
            return np.clip(inside, 0, ends[0] if len(ends) == 1 else ends)
        return np.clip(inside, self.domain.lower, LARGEST if self.domain.upper is None else self.domain.upper)

    def _row_places(self, inside: Integers) -> Places | None:
        """The place of each count's row among rows + interior; None where there is only one row."""
        small, period = len(self.rows), len(self.interior)
        if small + period == 1 or isinstance(self.domain, Cycle):
            return None
        place = inside - self.domain.lower
        if period == 0:
            return place
        return np.where(place < small, place, small + (place - small) % period)

    def _add(self, inside: Integers, displacement: npt.NDArray[Any]) -> Any:
        if not isinstance(self.domain, Cycle):
            return inside + displacement
        if len(self.domain.shape) == 1:
            return (inside + displacement) % self.domain.size
        noise = np.stack(np.unravel_index(displacement, self.domain.shape), axis=-1)
        return (inside + noise) % np.array(self.domain.shape)

    def _keys(self, keys: npt.ArrayLike, shape: tuple[int, ...]) -> npt.NDArray[np.uint64]:
        given = _integers(keys, "keys")
        if given.shape != shape:
            raise InputError(f"keys have shape {given.shape}; give one for each count, shape {shape}")
        if given.size and (given.min() < 0 or given.max() >= 1 << self.bits):
            raise InputError(
                f"a key is outside 0..2**{self.bits} - 1; take the top {self.bits} bits of a keyed hash,"
                " never a remainder"
            )
        return given.astype(np.uint64).reshape(-1)


def load(path: str | os.PathLike[str]) -> PTable:
    """The table of a certificate file, after every claim in it was checked."""
    return PTable(verify.verify(path))


def _integers(given: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """An integer array; integers beyond 64 bits are brought to the edge of the domain's range."""
    array = rectangular(given, name)
    if array.dtype.kind == "f" and not isinstance(given, np.ndarray):
        array = np.array(given, dtype=object)  # Python integers beyond 64 bits become floats
    if array.dtype == object and all(type(item) is int for item in array.ravel()):
        return np.clip(array, -LARGEST, LARGEST).astype(np.int64) if name == "counts" else array
    if array.dtype.kind not in "iu" and array.size:
        kind = type(array.ravel()[0]).__name__ if array.dtype == object else array.dtype
        raise InputError(f"{name} have type {kind}; give integers, for example array.astype(np.int64)")
    return array if array.size else array.astype(np.int64)


def _shares(size: int) -> list[range]:
    """A large input in equal parts, one for each usable processor; each draws from a key of its own."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = max(1, min(processors, MOST_THREADS, size // (4 * CHUNK)))
    edges = [size * thread // threads for thread in range(threads + 1)]
    return [range(first, last) for first, last in pairwise(edges)]
