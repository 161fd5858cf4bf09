"""Adapters of llama.cpp: GGUF files of general.type "adapter" (convert_lora_to_gguf.py), as pairs of our own modules.

A file has no targets: the modules that it has tensors of are adapted. The scale is adapter.lora.alpha / rank, or 1 if
there is no alpha or it is 0, as in llama.cpp. rsLoRA's scale and patterns are lost when a file is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from torchpaged.errors import ModelError, reason_of
from torchpaged.integrations.checkpoints.gguf.architectures import ARCHITECTURES
from torchpaged.integrations.checkpoints.gguf.tensor_names import Architecture, Order
from torchpaged.integrations.checkpoints.lora_names import Key
from torchpaged.integrations.checkpoints.lora_reader import AdapterReader, ModelConfig, ScaleByRank, Shapes
from torchpaged.weights.gguf_blocks import decode
from torchpaged.weights.gguf_file import Gguf, TensorInfo
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.lora_adapter import LoraAdapter

# Model types that llama.cpp converts to an architecture, besides the architecture's own.
_ALSO = {
    "llama": ("mistral", "mixtral"),
    "mistral3": ("mistral",),
    "olmo2": ("olmo3",),
    "granitemoe": ("granitemoeshared",),
    "qwen3next": ("qwen3_next",),
    "deepseek2": ("deepseek_v2",),
}
# Of the header and the alignment of a file.
_HEADER = 1 << 26


def read_gguf_adapter(path: Path, modules: Shapes, max_rank: int, model_config: ModelConfig | None) -> LoraAdapter:
    """Read an adapter's file.

    Args:
        path: of the file.
        modules: (out_features, in_features) of each linear module that can be adapted, by name.
        max_rank: the largest rank that is accepted.
        model_config: of the model.

    Raises:
        ModelError: the file cannot be read or is damaged, or does not fit the model.
    """
    where = f"adapter {str(path)!r}:"
    if model_config is None:
        raise ModelError(f"{where} the model's config is needed to read a GGUF adapter (model_config)")
    # A file is read into memory whole: a model that is named by mistake shall not be.
    most = _HEADER + sum(4 * max_rank * (outputs + inputs) for outputs, inputs in modules.values())
    try:
        before = path.stat()
        if before.st_size > most:
            raise ModelError(
                f"{where} the file has {before.st_size} bytes, expected at most {most} for rank {max_rank}"
            )
        file = Gguf(path, copied=True)
        if path.stat().st_mtime_ns != before.st_mtime_ns:
            raise ModelError(f"{where} the file was written while it was read; try again")
    except OSError as error:
        raise ModelError(f"{where} the file could not be read: {reason_of(error)}") from error
    for key, expected in (("general.type", "adapter"), ("adapter.type", "lora")):
        if (found := file.text(key)) != expected:
            raise file.fault(key, found, repr(expected))
    if "adapter.alora.invocation_tokens" in file.metadata:
        raise file.fault("adapter.alora.invocation_tokens", "there", "none: an adapter cannot begin at a token (aLoRA)")
    text_config = model_config.get_text_config()
    source = _Pairs(file, _architecture(file, text_config.model_type), _ConfigValues(text_config))
    config = ScaleByRank(where, file.number("adapter.lora.alpha", 0.0), source.ranks())
    return AdapterReader(where, modules, max_rank, model_config).read(config, source, source.parse)


def _architecture(file: Gguf, model_type: str) -> Architecture:
    """Return how a file names its weights. ModelError if its architecture is another one than the model's."""
    name = file.text("general.architecture")
    found = ARCHITECTURES.get(name)
    if found is None or model_type not in (found.model_type, *_ALSO.get(name, ())):
        raise file.fault("general.architecture", name, f"that of the model, whose type is {model_type!r}")
    return found


class _ConfigValues(dict[str, Any]):
    """A config's values under the common names that GGUF's architectures use."""

    def __init__(self, config: Any) -> None:
        self._config = config

    def __missing__(self, key: str) -> Any:
        if key == "num_key_value_heads" and getattr(self._config, key, None) is None:
            key = "num_attention_heads"
        if key == "head_dim" and getattr(self._config, key, None) is None:
            return self._config.hidden_size // self._config.num_attention_heads
        return getattr(self._config, key)


@dataclass(frozen=True, slots=True)
class _Half:
    """One half of an update.

    Args:
        key: the module and the half.
        info: the tensor in the file.
        order: rows of a "b" and columns of an "a", by the weight that is updated.
    """

    key: Key
    info: TensorInfo
    order: Order

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape in the order of the weight."""
        index = self.order.rows if self.key.half == "b" else self.order.columns
        if index is None or len(self.info.shape) != 2:
            return self.info.shape
        return (len(index), self.info.shape[1]) if self.key.half == "b" else (self.info.shape[0], len(index))


class _Pairs:
    """The tensors of a file as halves of our modules' updates: a TensorSource."""

    def __init__(self, file: Gguf, architecture: Architecture, config: dict[str, Any]) -> None:
        self._file = file
        self.entries: dict[str, _Half] = {}
        for name, info in file.tensors.items():
            tensor, _, end = name.rpartition(".")
            if end not in ("lora_a", "lora_b"):
                raise file.fault(
                    f"tensor {name!r}", "there", "names like blk.0.attn_q.weight.lora_a: only LoRA is read"
                )
            if len(info.shape) > 2:
                raise file.fault(f"tensor {name!r}", "there", "none: fused experts are not adapted")
            a, b = (file.tensors.get(f"{tensor}.{each}") for each in ("lora_a", "lora_b"))
            if a is None or b is None or len(a.shape) != 2 or len(b.shape) != 2:
                raise file.fault(f"tensor {name!r}", "there", "its other half beside it, both of two dimensions")
            updated = architecture.updated(tensor, (b.shape[0], a.shape[1]), file, config)
            for weight, order in updated.items():
                module = weight.removesuffix(".weight")
                own = name if len(updated) == 1 else f"{name} of {module}"
                self.entries[own] = _Half(Key(module, end[-1], "", False), info, order)

    def ranks(self) -> dict[str, int]:
        """Return the rank of each module."""
        return {each.key.module: each.info.shape[0] for each in self.entries.values() if each.key.half == "a"}

    def parse(self, name: str) -> Key | str:
        """Return the module and the half that a tensor is of."""
        return self.entries[name].key

    def read(self, name: str) -> Tensor:
        """Return a half in the order of the weight, as float32, float16 or bfloat16."""
        half = self.entries[name]
        data = decode(half.info.block, self._file.data(half.info))
        values = data.dequantize() if isinstance(data, GroupedWeight) else data
        index = half.order.rows if half.key.half == "b" else half.order.columns
        if index is None:
            return values.clone()

        return values[index] if half.key.half == "b" else values[:, index].contiguous()
