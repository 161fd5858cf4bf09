"""The fingerprint as a hash of facts and of an adapter's contents, for processes that have no engine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

# Value of the fact "exact" of an exact model; another value is the reason why it is not.
EXACT = "exact"


def fingerprint_of(facts: Mapping[str, Any], adapter: str | None = None) -> str:
    """Return fp_ and twelve characters for the facts of `engine/fingerprint.py`, the same at every start.

    Args:
        adapter: hash of the contents of the request's adapter; None: it has none.
    """
    found = "fp_" + sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]
    return found if adapter is None else with_adapter(found, adapter)


def with_adapter(fingerprint: str, content: str) -> str:
    """Return the fingerprint of answers under an adapter, from the engine's and the hash of the adapter's contents."""
    return "fp_" + sha256(f"{fingerprint} {content}".encode()).hexdigest()[:12]
