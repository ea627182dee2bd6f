"""Designs: functions from parameters to a mechanism. One file a family, the mathematics in its docstring."""

from discreet.design.advise import Advice, advise
from discreet.design.bounded import bounded
from discreet.design.constrained import constrained
from discreet.design.cyclic import cyclic
from discreet.design.exponential import exponential
from discreet.design.fair import fair
from discreet.design.gaussian import gaussian
from discreet.design.geometric import geometric
from discreet.design.maxent import maxent
from discreet.design.randomized import randomized_response
from discreet.design.select import select
from discreet.design.staircase import staircase
from discreet.design.uniform import uniform
from discreet.design.weakly_honest import weakly_honest

__all__ = [
    "Advice",
    "advise",
    "bounded",
    "constrained",
    "cyclic",
    "exponential",
    "fair",
    "gaussian",
    "geometric",
    "maxent",
    "randomized_response",
    "select",
    "staircase",
    "uniform",
    "weakly_honest",
]
