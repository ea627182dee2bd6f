"""The folder of a release: tables, manifest, report, the steward's log, and the checks of a third party."""
