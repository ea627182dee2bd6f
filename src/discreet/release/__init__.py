"""From microdata to a folder that can be published: one specification, one command."""

from discreet.plan.release_plan import ReleasePlan
from discreet.plan.spec import ReleaseSpec
from discreet.publish.planned_release import PlannedRelease, describe
from discreet.release.plan_of import plan
from discreet.release.release_value import Release
from discreet.release.run import run

__all__ = ["PlannedRelease", "Release", "ReleasePlan", "ReleaseSpec", "describe", "plan", "run"]
