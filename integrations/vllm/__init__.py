"""torchpaged's attention as a backend of vLLM; the entry point `vllm.general_plugins` names `register`."""

from torchpaged.integrations.vllm.plugin import register

__all__ = ["register"]
