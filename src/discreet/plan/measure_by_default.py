"""What a release measures if its specification does not say: a plan, wherever there can be one.

A release whose specification has no `measure` is planned, unless it has a design, no budget, keys made from
contributors, tables that are not made to add up (`reconcile: none` or `wang-3`), or fixed counts, beside which margins
that are not measured have intervals without an end: then it measures what it publishes.
A specification that states `accuracy` asks for a plan.

The rule sees the specification only. The published specification states what was measured.
"""

from typing import NamedTuple

from discreet.plan.sections import Accuracy
from discreet.plan.spec import ReleaseSpec
from discreet.plan.yaml_file import YamlPath


class NotPlanned(NamedTuple):
    """Why there is no plan, how to get one, and where the specification says so."""

    reason: str
    remedy: str
    path: YamlPath


def why_not_planned(spec: ReleaseSpec) -> NotPlanned | None:
    """Return why no plan can be made for a specification; None if there can be one."""
    if spec.key == "contributors":
        return NotPlanned("noise that people's keys choose does not compose", "take key: query", ("key",))
    if spec.design is not None:
        return NotPlanned("design chooses the noise, which a plan chooses too", "leave design out", ("design",))
    if spec.budget is None:
        return NotPlanned("a plan needs a budget", "give budget", ("budget",))
    if spec.reconcile in ("none", "wang-3"):
        return NotPlanned(
            f"reconcile is {spec.reconcile}; a plan publishes some groupings from others by least squares",
            "take reconcile: auto",
            ("reconcile",),
        )
    if spec.fixed:
        reason = "beside fixed counts, margins that are not measured have intervals without an end"
        return NotPlanned(reason, "leave fixed out", ("fixed",))
    return None


def is_planned(spec: ReleaseSpec) -> bool:
    """Return True if a release is planned: its specification asks for a plan, or leaves it to the default."""
    return with_measure(spec)[0].measure == "plan"


def with_measure(spec: ReleaseSpec) -> tuple[ReleaseSpec, str | None]:
    """Return a specification that says what is measured, and why it is not a plan if it was left to the default.

    Parameters
    ----------
    spec
        A specification.

    Returns
    -------
    ReleaseSpec, str or None
        The specification with `measure`, and the reason in words if it is measured as published for lack of a plan.
    """
    if spec.measure is not None:
        return spec, None
    not_planned = None if spec.accuracy != Accuracy() else why_not_planned(spec)
    if not_planned is None:
        return spec.model_copy(update={"measure": "plan"}), None
    return spec.model_copy(update={"measure": "published"}), f"as published, because {not_planned.reason}"
