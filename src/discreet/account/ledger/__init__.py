"""The budget ledger: an append-only record of what privacy was spent."""
