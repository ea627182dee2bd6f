"""From microdata to a folder that can be published: one specification, one command."""

from discreet.release.run import Release, run
from discreet.release.spec import ReleaseSpec

__all__ = ["Release", "ReleaseSpec", "run"]
