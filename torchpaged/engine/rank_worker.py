"""A rank other than 0: makes the engine's parts with rank 0's arguments, then repeats its executor's calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from torchpaged.config import EngineConfig
from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.engine.loader import device_of, load
from torchpaged.execution.ranks import launch
from torchpaged.ops.collectives import SharedMemoryGroup


def work(channel: SharedMemoryGroup, model: str, tokenizer: Any, given: Mapping[str, Any]) -> None:
    """Serve rank 0, which has started this process; `launch.run` calls it.

    Args:
        model, tokenizer, given: as of `LLM`.

    Raises:
        Stopped: rank 0 has ended.
    """
    launch.join(channel, _device(given))
    _serve(model, tokenizer, given)


def work_in_store(store: Any, rank: int, world: int, model: str, tokenizer: Any, given: Mapping[str, Any]) -> None:
    """Serve rank 0, which another launcher than torch's has started beside this process.

    Args:
        store: of torch.distributed, in which the ranks meet.
        model, tokenizer, given: as of `LLM`.

    Raises:
        Stopped: rank 0 has ended.
    """
    link = launch.join_store(store, rank, world, launch.machine(), _device(given))
    launch.remember(link)
    try:
        _serve(model, tokenizer, given)
    except Exception:
        link.channel.give_up(rank)
        raise


def _device(given: Mapping[str, Any]) -> torch.device:
    return device_of(EngineConfig(**{name: given[name] for name in ("device",) if given.get(name) is not None}))


def _serve(model: str, tokenizer: Any, given: Mapping[str, Any]) -> None:
    loaded = load(model, tokenizer, given)
    LLMEngine(
        loaded.model,
        loaded.config,
        tokenizer=loaded.tokenizer,
        eos_token_ids=loaded.eos_token_ids,
        executor=loaded.executor,
    )
