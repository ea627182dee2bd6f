"""Which groupings to measure, and with which noise, so that published groupings have the least error."""

from discreet.plan.planner.workload import Workload

__all__ = ["Workload"]
