"""The vLLM plugin: registers torchpaged's attention as a backend of vLLM, and selects it on the CPU if asked to.

vLLM calls `register` in each of its processes (entry points of the group `vllm.general_plugins`). Its CPU platform
always uses the backend CPU_ATTN, whatever `--attention-backend` says, so the plugin replaces that one by
`register_backend`. It does so only if VLLM_PLUGINS names it, so that installing torchpaged beside vLLM changes nothing.
This module imports vLLM only when vLLM calls it.
"""

from __future__ import annotations

import logging

PLUGIN = "torchpaged"
BACKEND = "torchpaged.integrations.vllm.attention.TorchpagedAttentionBackend"

# A child of vLLM's logger, for its level and format.
logger = logging.getLogger("vllm.torchpaged")


def register() -> None:
    """Register the backend as CUSTOM, and as CPU_ATTN if VLLM_PLUGINS names this plugin. May be called repeatedly."""
    from vllm import envs
    from vllm.v1.attention.backends.registry import AttentionBackendEnum, register_backend

    register_backend(AttentionBackendEnum.CUSTOM, BACKEND)
    if PLUGIN in (envs.VLLM_PLUGINS or ()):
        register_backend(AttentionBackendEnum.CPU_ATTN, BACKEND)
        logger.info("Attention on the CPU is torchpaged's, since VLLM_PLUGINS names it.")
