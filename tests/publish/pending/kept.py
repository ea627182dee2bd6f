"""Releases that fail after the draw, and the files that they leave."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from discreet.errors import SolverError
from discreet.publish.verify_folder import verify_folder
from discreet.reconcile import table_plan
from discreet.release import run

KEPT = "out.unpublished.json"


@contextmanager
def refusing(error: Exception) -> Iterator[None]:
    """Let the fit of tables fail, except for measurements of 0, which are tried before the draw."""
    real = table_plan.TablePlan.fitted

    def tables(self: table_plan.TablePlan, values: Any) -> Any:
        if any(np.any(part) for part in values):
            raise error
        return real(self, values)

    with mock.patch.object(table_plan.TablePlan, "fitted", tables):
        yield


def refuse(spec: dict[str, Any], output: Path) -> dict[str, Any]:
    """Run a release that fails after the draw. Return the private file that it leaves."""
    with refusing(SolverError("no answer")), pytest.raises(SolverError, match="no answer"):
        run(spec, output)
    return dict(json.loads(Path(f"{output}.unpublished.json").read_text()))


@contextmanager
def nothing_is_drawn() -> Iterator[None]:
    """Fail if a row is read, a number drawn or a unit reserved."""
    with (
        mock.patch("discreet.release.count_and_draw.open_engine", side_effect=AssertionError("read")),
        mock.patch("discreet.measure.lookup.measure", side_effect=AssertionError("drew")),
        mock.patch("discreet.account.ledger.ledger.Ledger.reserve", side_effect=AssertionError("reserved")),
    ):
        yield


def published(path: Path) -> list[int]:
    """Return the measurements of a folder in the order of the private file: by the definitions of cells."""
    release = verify_folder(path).published
    definitions, cell_indices = release.plan.layout.cells
    measurement_of: dict[bytes, int] = {}
    for cells, values in zip(cell_indices, release.measurements, strict=True):
        assert values is not None
        measurement_of |= {
            definitions[cell]: value for cell, value in zip(cells.tolist(), values.ravel().tolist(), strict=True)
        }
    return [measurement_of[definition] for definition in sorted(measurement_of)]
