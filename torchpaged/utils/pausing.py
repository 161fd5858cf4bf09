"""Modes of a pause and levels of sleep, and their checks."""

from __future__ import annotations

from torchpaged.errors import ConfigError

# What a pause does with requests under way: it ends them, waits for their end, or keeps them as they are.
PAUSE_MODES = ("abort", "wait", "keep")
# What sleep gives back: nothing; the cache and a GPU's weights; the cache and all weights.
SLEEP_LEVELS = (0, 1, 2)


def require_mode(what: str, mode: object) -> None:
    """Raise ConfigError unless it is a mode; `what` names the method."""
    if mode not in PAUSE_MODES:
        raise ConfigError(f"{what}: mode is {mode!r:.80}, expected one of {', '.join(PAUSE_MODES)}")


def require_level(what: str, level: object) -> None:
    """Raise ConfigError unless it is a level; `what` names the method."""
    if isinstance(level, bool) or level not in SLEEP_LEVELS:
        raise ConfigError(f"{what}: level is {level!r:.80}, expected one of {', '.join(map(str, SLEEP_LEVELS))}")
