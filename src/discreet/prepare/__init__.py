"""Before a release: propose a specification from a data file, and preview what a specification counts.

Everything here looks at the data as they are and is for the steward only.
"""
