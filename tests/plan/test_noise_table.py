"""Statements of a specification are compared with the certificate of its table."""

import json
from typing import Any

import pytest

import discreet
from discreet.plan.noise_table import ReleaseNoise, contradictions
from discreet.plan.release_plan import resolve
from discreet.release import ReleaseSpec

DESIGNS: list[dict[str, Any]] = [
    {"name": "geometric", "epsilon": 0.25},
    {"name": "geometric", "alpha": "1/2", "upper": 5},
    {"name": "geometric", "epsilon": "1/3", "tail": 1e-9},
    {"name": "gaussian", "sigma2": 4, "support": 8, "certify_at": 3},
    {"name": "maxent", "epsilon": 1, "delta": 1e-3},
    {"name": "maxent", "support": 5, "variance": 2.0, "certify_at": "0.5"},
    {"name": "power", "scale": 3, "shape": "1.5", "certify_at": 1},
    {"name": "power", "epsilon": 1, "delta": 1e-5, "shape": 1.25},
    {"name": "bounded", "epsilon": 1, "eta": "0.9", "support": 4, "lowest": 4},
    {"name": "staircase", "epsilon": 1, "sensitivity": 2},
    {"name": "constrained", "n": 4, "epsilon": 1, "properties": "WH", "objective": "L1"},
    {"name": "select", "n": 4, "epsilon": 1, "properties": ["S", "F"]},
    {"name": "exponential", "n": 4, "epsilon": 1},
    {"name": "fair", "n": 4, "epsilon": 1, "variant": None},
    {"name": "uniform", "n": 4, "certify_at": 1},
    {"name": "weakly_honest", "n": 4, "alpha": 0.4, "columns": True},
]


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design["name"])
def test_a_design_does_not_contradict_its_own_certificate(design: dict[str, Any]) -> None:
    parameters = {name: value for name, value in design.items() if name not in ("name", "certify_at")}
    ptable = getattr(discreet.design, design["name"])(**parameters).certify(design.get("certify_at"), 32)
    spec = ReleaseSpec.model_validate(
        {
            "version": "1",
            "source": {"csv": "x"},
            "dimensions": {"sex": {"column": "sex", "categories": ["f"]}},
            "tables": [{"name": "t", "dimensions": ["sex"]}],
            "budget": {"epsilon": 1},
            "key": "fresh",
            "bits": 32,
            "design": json.loads(json.dumps(design)),
        }
    )
    noise = ReleaseNoise.of_one_table(resolve(spec).layout, ptable)
    assert list(contradictions(spec, noise)) == []
    for name, value in parameters.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool) and name not in ("tail", "delta"):
            changed = spec.model_copy(update={"design": design | {name: value / 1000}})
            assert list(contradictions(changed, noise)), name
