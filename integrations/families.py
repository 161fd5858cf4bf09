"""Which of transformers' decoders run over a paged cache, what their attention is, and why the others do not.

A table and questions to it; it needs neither torch nor a model. Each supported family is compared with transformers'
own output by tests/integrations/test_families.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PretrainedConfig

# What a family's layers can do, as far as its checkpoints use it.
KINDS = ("full", "window", "chunked", "latent", "ALiBi", "sinks", "softcap")

# By kinds of attention.
_SUPPORTED = {
    "full": """
        apertus arcee biogpt cohere ernie4_5 ernie4_5_moe flex_olmo gemma glm glm4 glm4_moe
        gpt2 gpt_bigcode gpt_neox granite granitemoe granitemoeshared helium llama olmo olmo2 olmoe opt persimmon phi
        seed_oss
    """,
    "full window": """
        cohere2 exaone4 gemma3_text mistral mixtral olmo3 phi3 qwen2 qwen2_moe qwen3 qwen3_moe smollm3 starcoder2
    """,
    "full window softcap": "gemma2 vaultgemma",
    "full window sinks": "gpt_oss",
    "full chunked": "llama4_text",
    "latent": "axk1 deepseek_v2 deepseek_v3 glm4_moe_lite longcat_flash minicpm3 youtu",
}
# By reason.
_REFUSED = {
    "its attention does not go through transformers' attention interface (ALiBi inside the module)": "bloom mpt",
    "its attention does not go through transformers' attention interface": "falcon gptj",
    "it does not hand keyword arguments on to its attention": "nemotron stablelm",
    "its attention does not hand its sliding window on to the attention interface": "phimoe",
    "it has convolution layers, whose state is not a KV cache": "lfm2",
    "it has linear-attention layers, whose state is not a KV cache": "minimax",
    "it has recurrent layers, whose state is not a KV cache": "qwen3_next",
    "it is recurrent: there is no KV cache to page": "mamba mamba2",
}
# These scale by the longest position of the packed batch, which mixes up requests of different lengths.
_BATCH_DEPENDENT_ROPE = ("dynamic", "longrope")


@dataclass(frozen=True, slots=True)
class Family:
    """One of transformers' model types.

    Args:
        attention: of `KINDS`; empty when refused.
        reason: why it is refused, None when it is supported.
    """

    attention: tuple[str, ...]
    reason: str | None = None


FAMILIES: dict[str, Family] = dict(
    sorted(
        [
            *((name, Family(tuple(kinds.split()))) for kinds, names in _SUPPORTED.items() for name in names.split()),
            *((name, Family((), reason)) for reason, names in _REFUSED.items() for name in names.split()),
        ]
    )
)
SUPPORTED = tuple(name for name, family in FAMILIES.items() if family.reason is None)


def unsupported_reason(config: PretrainedConfig) -> str | None:
    """Why a model of this config cannot run, with what can; None when it can."""
    kind = config.model_type
    if kind not in SUPPORTED:
        why = (
            FAMILIES[kind].reason if kind in FAMILIES else "its output has not been verified against transformers' own"
        )
        return f"model type {kind!r} is not supported: {why}; {supported()}"
    if (rope := rope_type(config)) in _BATCH_DEPENDENT_ROPE:
        return (
            f"model type {kind!r} with rope type {rope!r} is not supported: its rotary frequencies depend on the "
            "longest sequence of the batch; use a checkpoint or config with another rope type"
        )
    return None


def rope_type(config: PretrainedConfig) -> str | None:
    """The kind of rotary embedding; where layers differ, one that depends on the batch if there is one."""
    parameters = getattr(config, "rope_parameters", None) or {}
    nested = [p for p in parameters.values() if isinstance(p, dict)] or [parameters]
    kinds = [p.get("rope_type") for p in nested]
    return next((kind for kind in kinds if kind in _BATCH_DEPENDENT_ROPE), kinds[0])


def supported() -> str:
    """The end of a refusal: what works."""
    return "supported are: " + ", ".join(SUPPORTED)
