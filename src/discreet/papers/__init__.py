"""The papers, one package each: every numbered item, every printed number and every figure, next to ours.

A package has `PAPER`, a `register.Paper`: the register of the paper's items, the claims that judge them, the figures.
"""
