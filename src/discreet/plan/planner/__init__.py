"""Which groupings to measure, and with which noise, so that published groupings have the least error."""

from discreet.plan.planner.aim import Aim, Target
from discreet.plan.planner.error_law import ErrorLaw, interval_around, law_of_terms
from discreet.plan.planner.noise_plan import NoisePlan, plan_noise
from discreet.plan.planner.workload import Workload

__all__ = [
    "Aim",
    "ErrorLaw",
    "NoisePlan",
    "Target",
    "Workload",
    "interval_around",
    "law_of_terms",
    "plan_noise",
]
