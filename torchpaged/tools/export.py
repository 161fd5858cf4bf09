"""`torchpaged export`: writes a transformers checkpoint as a program that runs without transformers."""

from __future__ import annotations

from pathlib import Path

from torchpaged.config import EngineConfig
from torchpaged.engine.loader import device_of
from torchpaged.errors import needing
from torchpaged.execution import export
from torchpaged.models.tokenizer import load_tokenizer
from torchpaged.requests import generation_config


def export_checkpoint(
    model: str | Path,
    output: str | Path,
    *,
    dtype: str = "auto",
    device: str = "auto",
    block_size: int = 16,
    kv_cache_dtype: str = "auto",
    quantization: str | None = None,
    max_model_len: int | None = None,
    trust_remote_code: bool = False,
) -> None:
    """Write a transformers checkpoint as a .pt2 file for `LLM(output)`, tokenizer included.

    Args:
        model: a folder or hub id.
        output: path that ends in .pt2.
        dtype, block_size, kv_cache_dtype, quantization, max_model_len: as in `EngineConfig`; fixed in the file, like
            `device`.
        trust_remote_code: run the code that the checkpoint brings.

    Raises:
        ModelError: the model cannot be loaded, is not supported, or cannot be captured.
        ConfigError: a setting is out of its range, or the file cannot be written.
    """
    with needing("export of a transformers model"):
        from torchpaged.integrations.transformers import adapter

    export.check_path(output)
    config = EngineConfig(
        dtype=dtype,
        device=device,
        block_size=block_size,
        kv_cache_dtype=kv_cache_dtype,
        quantization=quantization,
        max_model_len=max_model_len,
    )
    paged = adapter.load(
        str(model), config.dtype, device_of(config), max_model_len, trust_remote_code=trust_remote_code
    )
    if quantization is not None:
        paged.weights.quantize(quantization)
    tokenizer = load_tokenizer(model, trust_remote_code=trust_remote_code)
    values = adapter.generation_values(paged.model)
    export.export(
        paged,
        output,
        block_size=block_size,
        kv_cache_dtype=kv_cache_dtype,
        max_model_len=max_model_len,
        tokenizer=tokenizer,
        eos_token_ids=generation_config.eos_token_ids(values, tokenizer, paged.spec.name),
        default_sampling=generation_config.default_sampling(values, paged.spec.name),
    )
