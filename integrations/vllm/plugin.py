"""vLLM's plugin: it makes torchpaged's attention a backend of vLLM's, and on the CPU the one that runs, if asked to.

vLLM calls `register` in each of its processes (entry points of the group `vllm.general_plugins`). Its CPU platform
takes the backend CPU_ATTN whatever `--attention-backend` says, so that one is replaced, which `register_backend` is
for. Only a plugin that VLLM_PLUGINS names does that: an environment where torchpaged happens to lie goes on as before.
Nothing here imports vLLM before it calls.
"""

from __future__ import annotations

import logging

PLUGIN = "torchpaged"
BACKEND = "torchpaged.integrations.vllm.attention.TorchpagedAttentionBackend"

# Below vLLM's own logger, whose level and format it has.
logger = logging.getLogger("vllm.torchpaged")


def register() -> None:
    """Names our backend CUSTOM; replaces CPU_ATTN by it where VLLM_PLUGINS names this plugin. May be called again."""
    from vllm import envs
    from vllm.v1.attention.backends.registry import AttentionBackendEnum, register_backend

    register_backend(AttentionBackendEnum.CUSTOM, BACKEND)
    if PLUGIN in (envs.VLLM_PLUGINS or ()):
        register_backend(AttentionBackendEnum.CPU_ATTN, BACKEND)
        logger.info("Attention on the CPU is torchpaged's, since VLLM_PLUGINS names it.")
