"""The folder of a release: tables, manifest, report, the steward's log, and how a third party verifies it."""
