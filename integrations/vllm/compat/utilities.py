"""Small helpers that scripts import from vLLM's modules: loggers, ports, ids, the platform, tokenizers."""

from __future__ import annotations

import enum
import functools
import gc
import logging
import socket
import uuid
from collections.abc import Sequence
from typing import Any

import torch

from torchpaged.models.tokenizer import load_tokenizer

# Seconds that an idle connection stays open; vLLM's default.
VLLM_HTTP_TIMEOUT_KEEP_ALIVE = 5
# Tokenizers are transformers'.
TokenizerLike = Any
_OPEN_FILES = 65535


class UsageContext(str, enum.Enum):
    """The context that an engine is made in, for vLLM's usage statistics, which torchpaged does not have."""

    UNKNOWN_CONTEXT = "UNKNOWN_CONTEXT"
    LLM_CLASS = "LLM_CLASS"
    API_SERVER = "API_SERVER"
    OPENAI_API_SERVER = "OPENAI_API_SERVER"
    OPENAI_BATCH_RUNNER = "OPENAI_BATCH_RUNNER"
    ENGINE_CONTEXT = "ENGINE_CONTEXT"


class _Logger(logging.LoggerAdapter[logging.Logger]):
    """A logger with vLLM's methods that log a message only once."""

    def __init__(self, logger: logging.Logger) -> None:
        super().__init__(logger, {})
        self._said: set[tuple[int, str, tuple[Any, ...]]] = set()

    def debug_once(self, message: str, *args: Any, **_: Any) -> None:
        self._once(logging.DEBUG, message, args)

    def info_once(self, message: str, *args: Any, **_: Any) -> None:
        self._once(logging.INFO, message, args)

    def warning_once(self, message: str, *args: Any, **_: Any) -> None:
        self._once(logging.WARNING, message, args)

    def _once(self, level: int, message: str, args: tuple[Any, ...]) -> None:
        said = (level, message, tuple(map(str, args)))
        if said not in self._said:
            self._said.add(said)
            self.log(level, message, *args)


def hf_api() -> Any:
    """Return the client of the hub."""
    from huggingface_hub import HfApi

    return HfApi()


def init_logger(name: str) -> Any:
    """Return the logger of this name."""
    return _Logger(logging.getLogger(name))


def print_embeddings(embeds: Sequence[float], prefix: str = "Embeddings") -> None:
    """Print the first four numbers of a vector, and its length."""
    shown = ", ".join(map(str, embeds[:4]))
    print(f"{prefix}: [{shown}{', ...' if len(embeds) > 4 else ''}] (size={len(embeds)})")


def random_uuid() -> str:
    """Return 32 random hexadecimal digits."""
    return uuid.uuid4().hex


def get_open_port() -> int:
    """Return a port that is free at this moment."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def get_ip() -> str:
    """Return this machine's address; the loopback address without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # reserved for documentation; a UDP connect sends nothing
            address: str = probe.getsockname()[0]
            return address
        except OSError:
            return "127.0.0.1"


def set_ulimit(target_soft_limit: int = _OPEN_FILES) -> None:
    """Raise the limit of open files, as far as the system allows."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = target_soft_limit if hard == resource.RLIM_INFINITY else min(target_soft_limit, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def cleanup_dist_env_and_memory(shutdown_ray: bool = False) -> None:
    """Free the memory of objects that are no longer referenced."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


class _Platform:
    """The properties of the device that scripts query."""

    @property
    def device_type(self) -> str:
        return "cuda" if torch.cuda.is_available() else "cpu"

    @property
    def device_name(self) -> str:
        return self.device_type

    def is_cpu(self) -> bool:
        return self.device_type == "cpu"

    def is_cuda(self) -> bool:
        return self.device_type == "cuda" and torch.version.hip is None

    def is_rocm(self) -> bool:
        return self.device_type == "cuda" and torch.version.hip is not None

    def is_cuda_alike(self) -> bool:
        return self.device_type == "cuda"

    def is_tpu(self) -> bool:
        return False

    def is_xpu(self) -> bool:
        return False

    def device_count(self) -> int:
        return max(1, torch.cuda.device_count())


current_platform = _Platform()


def get_tokenizer(tokenizer_name: str, *args: Any, trust_remote_code: bool = False, **options: Any) -> Any:
    """Load the tokenizer of a folder or hub id."""
    return load_tokenizer(tokenizer_name, trust_remote_code=trust_remote_code, **options)


@functools.lru_cache(maxsize=8)
def cached_get_tokenizer(tokenizer_name: str, trust_remote_code: bool = False) -> Any:
    """Load a tokenizer, or return the one that was loaded for the same name."""
    return get_tokenizer(tokenizer_name, trust_remote_code=trust_remote_code)


def cached_tokenizer_from_config(model_config: Any) -> Any:
    """Return the tokenizer of `VllmConfig.model_config`."""
    return model_config.tokenizer
