"""Designs: functions from parameters to a mechanism. One file a family, the mathematics in its docstring."""

from discreet.design.exponential import exponential
from discreet.design.gaussian import gaussian
from discreet.design.geometric import geometric
from discreet.design.randomized import randomized_response
from discreet.design.staircase import staircase
from discreet.design.uniform import uniform

__all__ = ["exponential", "gaussian", "geometric", "randomized_response", "staircase", "uniform"]
