"""Programs for contributors, run with `python -m tools.NAME`."""
