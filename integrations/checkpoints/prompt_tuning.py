"""Virtual tokens of peft's prompt tuning and p-tuning: embeddings that are put before a text's own."""

from __future__ import annotations

from pathlib import Path

from torch import Tensor

from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.adapter_folder import CONFIG, WEIGHTS, AdapterFolder
from torchpaged.weights.lora_adapter import is_finite
from torchpaged.weights.safetensors_file import SafetensorsFile

_NAME = "prompt_embeddings"
_KINDS = ("PROMPT_TUNING", "P_TUNING")


def read_prompt_embeddings(path: str | Path, hidden_size: int) -> Tensor:
    """Read the virtual tokens in a folder that peft wrote.

    With `enable_prompt_embeds=True`, the prompt {"prompt_embeds": torch.cat([found, embeddings of the text])} gives
    what peft's model does. The prefix cache knows a prompt by its embeddings' bytes, so requests share these tokens.

    Args:
        path: of the folder.
        hidden_size: of the model's embeddings.

    Returns:
        [virtual tokens, hidden_size] in the file's dtype.

    Raises:
        ModelError: the folder cannot be read, is damaged, of another kind of adapter, or does not fit the model.
    """
    folder = AdapterFolder(str(path))
    values = folder.config()
    where, kind = folder.where(CONFIG), values.get("peft_type")
    if kind not in _KINDS:
        raise ModelError(f"{where} has peft_type {kind!r:.80}, expected one of {', '.join(_KINDS)}")
    if (submodules := values.get("num_transformer_submodules")) not in (None, 1):
        raise ModelError(f"{where} has num_transformer_submodules {submodules!r:.80}, expected 1: a decoder")
    expected = (values.get("num_virtual_tokens"), hidden_size)
    with folder.reading(WEIGHTS), SafetensorsFile(folder.file(WEIGHTS)) as file:
        found = {name: each.shape for name, each in file.entries.items()}
        if found != {_NAME: expected}:
            raise ModelError(
                f"{folder.where(WEIGHTS)} has {found!r:.200}, expected {_NAME!r} of shape {expected!r:.80}"
            )
        embeddings = file.read(_NAME)
        file.require_unchanged()
    if embeddings.numel() and not is_finite(embeddings):
        raise ModelError(f"{folder.where(WEIGHTS)} has {_NAME!r} with numbers not finite")
    return embeddings
