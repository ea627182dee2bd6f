"""Manifests with other content than a release writes."""

import json
from typing import Any


def written(document: dict[str, Any]) -> bytes:
    """Return a document in the form of a manifest."""
    return (json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n").encode()
