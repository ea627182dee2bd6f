"""Speed and memory against peers, in one run on one machine, as ratios."""
