"""Releases that are refused after the draw, and what they keep."""

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
    """No tables can be made from measurements; of zeros, which are tried before the draw, they can."""
    real = table_plan.TablePlan.fitted

    def tables(self: table_plan.TablePlan, values: Any) -> Any:
        if any(np.any(part) for part in values):
            raise error
        return real(self, values)

    with mock.patch.object(table_plan.TablePlan, "fitted", tables):
        yield


def refuse(spec: dict[str, Any], output: Path) -> dict[str, Any]:
    """Run a release that is refused after the draw; the file it leaves."""
    with refusing(SolverError("no answer")), pytest.raises(SolverError, match="no answer"):
        run(spec, output)
    return dict(json.loads(Path(f"{output}.unpublished.json").read_text()))


@contextmanager
def nothing_is_drawn() -> Iterator[None]:
    """Neither a row is read, nor a number drawn, nor a unit reserved."""
    with (
        mock.patch("discreet.release.draw.open_engine", side_effect=AssertionError("read")),
        mock.patch("discreet.measure.lookup.measure", side_effect=AssertionError("drew")),
        mock.patch("discreet.account.ledger.ledger.Ledger.reserve", side_effect=AssertionError("reserved")),
    ):
        yield


def published(path: Path) -> list[int]:
    """The measurements of a folder in the order of the file that kept them: by the definition of their cells."""
    made = verify_folder(path).published
    definitions, where = made.plan.layout.cells
    found: dict[bytes, int] = {}
    for cells, values in zip(where, made.measurements, strict=True):
        found |= {definitions[cell]: value for cell, value in zip(cells.tolist(), values.ravel().tolist(), strict=True)}
    return [found[definition] for definition in sorted(found)]
