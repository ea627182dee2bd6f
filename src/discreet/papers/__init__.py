"""The papers, one module each: every number and figure they print that can be computed, next to ours.

A module has `claims()`, a list of `Claim`, and `figures(folder)`, which draws the paper's figures into a folder.
"""
