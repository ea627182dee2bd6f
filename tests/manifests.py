"""Manifests that a release would not write."""

import json
from typing import Any


def written(document: dict[str, Any]) -> bytes:
    """Any document, in the form in which a release writes its manifest."""
    return (json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n").encode()
