"""A rank other than 0: makes the engine's parts with rank 0's arguments, then repeats its executor's calls."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import torch

from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError
from torchpaged.execution import ranks

_joined: list[ranks.Link] = []  # of this process, if `work` runs in it


def link_for(
    model: Any, tokenizer: Any, given: Mapping[str, Any], config: EngineConfig, device: torch.device
) -> ranks.Link:
    """Return this rank's link to the others, which are started if they do not run.

    Args:
        model, tokenizer, given: as of `LLM`.

    Raises:
        ConfigError: the model is an instance or an exported program, or as `ranks.start`.
    """
    size = config.tensor_parallel_size
    if str(model).endswith(".pt2"):
        raise ConfigError(
            f"LLM: tensor_parallel_size is {size}, but {str(model)!r} is a program of one process; export is for one rank"
        )
    if _joined:
        return _joined[-1]
    if ranks.launched() > 1:
        return ranks.join_launched(size, device)
    if not isinstance(model, (str, Path)):
        raise ConfigError(
            f"LLM: tensor_parallel_size is {size}, and the model is an instance, which the other ranks do not have; give "
            "a folder or a hub id, or start all ranks with torchrun"
        )
    return ranks.start(size, work, (str(model), tokenizer, dict(given)), device)


def work(
    number: int, path: str, world: int, threads: int, model: str, tokenizer: Any, given: Mapping[str, Any]
) -> None:
    """Run a rank that `ranks.start` has started; `number` counts them from 0."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for rank 0, which then ends this process
    torch.set_num_threads(threads)
    from torchpaged.engine.llm_engine import LLMEngine
    from torchpaged.engine.loader import device_of

    config = EngineConfig(**{name: given[name] for name in ("device",) if given.get(name) is not None})
    link = ranks.join(number + 1, path, world, device_of(config))
    _joined.append(link)
    try:
        serve(link, LLMEngine, model, tokenizer, given)
    except ranks.Stopped:
        _leave()
    except BaseException:
        if link.channel.failed not in (None, link.rank):
            _leave()  # another rank has failed before, and its traceback is the one to show
        ranks.report_failure(link)
        raise


def _leave() -> NoReturn:
    """End the process at once: the interpreter's own end takes seconds where torch is loaded."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def serve(link: ranks.Link, make: Any, model: Any, tokenizer: Any, given: Mapping[str, Any]) -> None:
    """Make the engine's parts, and serve rank 0 with them."""
    from torchpaged.engine.loader import load

    loaded = load(model, tokenizer, given)
    make(
        loaded.model,
        loaded.config,
        tokenizer=loaded.tokenizer,
        eos_token_ids=loaded.eos_token_ids,
        executor=loaded.executor,
    )
