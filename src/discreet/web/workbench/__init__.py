"""The workbench of a steward: from a data file to a published folder, in a browser on the same machine.

The pages call the public functions that the command line calls, and have no logic of their own.
"""
