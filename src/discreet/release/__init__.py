"""From microdata to a folder that can be published: one specification, one command."""

from discreet.plan.release_plan import ReleasePlan, plan
from discreet.plan.spec import ReleaseSpec
from discreet.release.release_value import Release
from discreet.release.run import run

__all__ = ["Release", "ReleasePlan", "ReleaseSpec", "plan", "run"]
