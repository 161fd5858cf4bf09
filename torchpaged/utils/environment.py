"""Settings that come from variables of the environment: switches, numbers and a folder.

An empty variable counts as one that is not set.
"""

from __future__ import annotations

import os
import re

from torchpaged.errors import ConfigError

CACHE, CACHE_BYTES = "TORCHPAGED_CACHE", "TORCHPAGED_CACHE_BYTES"
PREPARED_CACHE, CHECK, CHECK_RANKS = "TORCHPAGED_PREPARED_CACHE", "TORCHPAGED_CHECK", "TORCHPAGED_CHECK_RANKS"
FUSED_STEP, PDL, SM90_DECODE = "TORCHPAGED_FUSED_STEP", "TORCHPAGED_PDL", "TORCHPAGED_SM90_DECODE"
RANK_TIMEOUT = "TORCHPAGED_RANK_TIMEOUT"
CODE_PRODUCTS = "TORCHPAGED_CODE_PRODUCTS"

_SWITCHES = (PREPARED_CACHE, CHECK, CHECK_RANKS, FUSED_STEP, PDL, SM90_DECODE)
# Defaults: bytes of the cache of prepared models, and seconds that a rank may be behind the others within a step.
_CACHE_BYTES, _RANK_TIMEOUT = 32 << 30, 8.0


def switch(name: str, *, default: bool = False) -> bool:
    """Return the value of a switch: 0 or 1. Raises ConfigError for another value."""
    given = os.environ.get(name, "")
    if given not in ("", "0", "1"):
        raise ConfigError(f"{name} is {given!r:.80}, expected 0 or 1")
    return given == "1" if given else default


def code_products() -> str:
    """Return TORCHPAGED_CODE_PRODUCTS: "", "query", "query-twice" or "all". Raises ConfigError for another value."""
    given = os.environ.get(CODE_PRODUCTS, "")
    if given not in ("", "query", "query-twice", "all"):
        raise ConfigError(f"{CODE_PRODUCTS} is {given!r:.80}, expected query, query-twice or all")
    return given


def cache_bytes() -> int:
    """Return TORCHPAGED_CACHE_BYTES, 32 GiB by default. Raises ConfigError if it is not a number of bytes."""
    given = os.environ.get(CACHE_BYTES, "")
    if not re.fullmatch("[0-9]{0,18}", given):
        raise ConfigError(f"{CACHE_BYTES} is {given!r:.80}, expected a number of bytes: digits alone, 18 at most")
    return int(given) if given else _CACHE_BYTES


def cache_folder() -> str | None:
    """Return TORCHPAGED_CACHE. Raises ConfigError if it names something other than a folder; it need not exist."""
    given = os.environ.get(CACHE)
    if given and os.path.exists(given) and not os.path.isdir(given):
        raise ConfigError(f"{CACHE} is {given!r:.200}, expected a folder")
    return given or None


def rank_timeout() -> float:
    """Return TORCHPAGED_RANK_TIMEOUT in seconds, 8 by default. Raises ConfigError if it is not a positive number."""
    given = os.environ.get(RANK_TIMEOUT) or str(_RANK_TIMEOUT)
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ConfigError(f"{RANK_TIMEOUT} is {given!r:.80}, expected a positive number of seconds")
    return seconds


def check() -> None:
    """Raise ConfigError for the first of these variables whose value is invalid, whether or not anything reads it."""
    for name in _SWITCHES:
        switch(name)
    code_products()
    cache_folder()
    cache_bytes()
    rank_timeout()
