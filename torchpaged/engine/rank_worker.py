"""A rank other than 0: makes the engine's parts with rank 0's arguments, then repeats its executor's calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torchpaged.config import EngineConfig
from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.engine.loader import device_of, load
from torchpaged.execution import ranks
from torchpaged.ops.collectives import SharedMemoryGroup


def work(channel: SharedMemoryGroup, model: str, tokenizer: Any, given: Mapping[str, Any]) -> None:
    """Serve rank 0; `ranks.run` calls it.

    Args:
        model, tokenizer, given: as of `LLM`.

    Raises:
        Stopped: rank 0 has ended.
    """
    config = EngineConfig(**{name: given[name] for name in ("device",) if given.get(name) is not None})
    ranks.join(channel, device_of(config))
    loaded = load(model, tokenizer, given)
    LLMEngine(
        loaded.model,
        loaded.config,
        tokenizer=loaded.tokenizer,
        eos_token_ids=loaded.eos_token_ids,
        executor=loaded.executor,
    )
