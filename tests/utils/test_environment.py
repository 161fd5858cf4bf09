"""Variables of the environment: a value that means nothing is an error, never the default."""

from __future__ import annotations

import pytest

from torchpaged import LLM
from torchpaged.errors import ConfigError
from torchpaged.utils import environment

_SWITCHES = ("PREPARED_CACHE", "CHECK", "CHECK_RANKS", "FUSED_STEP", "PDL", "SM90_DECODE")
_INVALID = [
    *((f"TORCHPAGED_{name}", value, "0 or 1") for name in _SWITCHES for value in ("off", " 1")),
    *(("TORCHPAGED_CACHE_BYTES", value, "a number of bytes") for value in ("x", "10GB", "-1", "1.5", "٣", "9" * 19)),
    *(("TORCHPAGED_RANK_TIMEOUT", value, "a positive number") for value in ("x", "0", "-1", "nan", "inf")),
    ("TORCHPAGED_CACHE", "/dev/null", "a folder"),
]


@pytest.mark.parametrize("name, value, expected", _INVALID)
def test_an_invalid_value_is_an_error_of_every_start(
    name: str, value: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=f"^{name} is '{value}', expected {expected}"):
        LLM("no such model")


@pytest.mark.parametrize("value", ["", None])
def test_an_empty_variable_counts_as_unset(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in {name for name, _, _ in _INVALID}:
        monkeypatch.setenv(name, value) if value is not None else monkeypatch.delenv(name, raising=False)
    environment.check()
    assert environment.switch(environment.PREPARED_CACHE, default=True) and not environment.switch(environment.CHECK)
    assert (environment.cache_folder(), environment.cache_bytes(), environment.rank_timeout()) == (None, 2**35, 8.0)


def test_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHPAGED_CHECK", "1")
    monkeypatch.setenv("TORCHPAGED_PREPARED_CACHE", "0")
    monkeypatch.setenv("TORCHPAGED_CACHE_BYTES", "12")
    monkeypatch.setenv("TORCHPAGED_RANK_TIMEOUT", "0.5")
    assert environment.switch(environment.CHECK) and not environment.switch(environment.PREPARED_CACHE, default=True)
    assert (environment.cache_bytes(), environment.rank_timeout()) == (12, 0.5)
