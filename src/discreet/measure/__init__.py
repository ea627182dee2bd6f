"""True counts to measurements: secrets, keys, lookups, and what a ledger is charged."""
