"""ExportedModel: runs a file that `execution/export.py` wrote, without the model's Python.

One program runs every step, prefill and decode: tokens, sequences, table widths, logit rows and the pool's blocks are
symbols. `groups_of` and `distinct_caches` make its inputs from a step.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError, ModelError, reason_of
from torchpaged.models import pt2_file
from torchpaged.models.attention_metadata import LayerCache, RowCache, StepMetadata
from torchpaged.models.model import ModelSpec
from torchpaged.models.tokenizer import load_tokenizer
from torchpaged.sampling_params import SamplingParams

LEAST = 2  # torch specialises on sizes 0 and 1


class ExportedModel:
    """`PagedModel` of an exported file. The program includes the head: its `forward` returns logits.

    Args:
        path: of the file.
        device: where to run it; a file is exported for one type of device.

    Attributes:
        settings: values that `EngineConfig` must have or leave open.
        default_sampling: of requests without sampling parameters.

    Raises:
        ModelError: the file does not exist, is not an exported model, is damaged, or is for another device.
    """

    encoder = None
    weights = None

    def __init__(self, path: str | Path, device: torch.device) -> None:
        self.path = str(path)
        record = pt2_file.read_record(self.path)
        if record.device != device.type:
            raise ModelError(f"model {self.path!r} was exported for {record.device!r}, device is {device.type!r}")
        self.spec = ModelSpec(
            name=Path(path).name,
            layers=record.layers,
            vocab_size=record.vocab_size,
            max_model_len=record.settings["max_model_len"],
            dtype=getattr(torch, record.dtype),
            device=device,
            least=LEAST,
        )
        self.settings = record.settings
        self.eos_token_ids = record.eos_token_ids
        self.default_sampling = SamplingParams(**record.sampling)
        self._fingerprint = record.fingerprint
        index = -1 if device.index is None else device.index
        try:
            # Single-threaded, since the events that a multi-threaded package waits for cannot be captured in a CUDA
            # graph.
            self._run = torch._inductor.aoti_load_package(self.path, run_single_threaded=True, device_index=index)
        except (RuntimeError, OSError) as error:
            raise ModelError(f"model {self.path!r}: torch could not load its program: {reason_of(error)}") from error

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Map packed tokens [num_tokens] to logits [num_rows, vocab_size]; writes the cache."""
        logits: Tensor = self._run(input_ids, positions, rows, groups_of(metadata), distinct_caches(metadata.caches)[0])
        return logits

    def logits(self, hidden: Tensor) -> Tensor:
        """Return the input: `forward` returns logits already."""
        return hidden

    def in_use(self) -> AbstractContextManager[None]:
        """Do nothing: the model needs no preparation."""
        return nullcontext()

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """Return the fingerprint of the model that was exported."""
        return self._fingerprint

    def configure(self, settings: Mapping[str, Any]) -> EngineConfig:
        """Return the engine's settings with the values that the program fixes.

        Raises:
            ConfigError: a setting differs from the one that the model was exported with.
        """
        if settings.get("quantization") is not None:
            raise ConfigError(
                f"EngineConfig: quantization is {settings['quantization']!r}, but the weights in {self.path!r} are "
                "fixed in it; leave it out, or export the model again"
            )
        fixed = {**self.settings, "dtype": str(self.spec.dtype).removeprefix("torch."), "compile": False}
        asked = EngineConfig(**settings)  # normalises values: "half" is "float16"
        for name in settings.keys() & fixed.keys():
            value = getattr(asked, name)
            if value not in ("auto", None) and value != fixed[name]:
                raise ConfigError(
                    f"EngineConfig: {name} is {value!r}, but {self.path!r} was exported with {fixed[name]!r}; "
                    "leave it out, or export the model again"
                )
        return EngineConfig(**{**settings, **fixed})

    def tokenizer(self, trust_remote_code: bool = False) -> Any:
        """Return the tokenizer of transformers; None if the model was exported without one."""
        with tempfile.TemporaryDirectory() as folder:
            if not pt2_file.unpack_tokenizer(self.path, Path(folder)):
                return None
            return load_tokenizer(folder, trust_remote_code=trust_remote_code)


def groups_of(metadata: StepMetadata) -> list[tuple[Tensor, Tensor, Tensor, Tensor]]:
    """Return the tensors of each group, as the program takes them."""
    return [(g.slot_mapping, g.block_tables, g.seq_lens, g.query_start_loc) for g in metadata.groups]


def distinct_caches(caches: Sequence[LayerCache | RowCache | None]) -> tuple[list[tuple[Tensor, ...]], list[int]]:
    """Return the distinct pairs of tensors, and the place of each layer's pair; groups of layers share pairs."""
    found: dict[int, int] = {}
    distinct: list[tuple[Tensor, ...]] = []
    places = []
    for cache in caches:
        assert isinstance(cache, LayerCache)  # models with other layers cannot be exported
        if id(cache.key) not in found:
            found[id(cache.key)] = len(distinct)
            distinct.append(cache.tensors)
        places.append(found[id(cache.key)])
    return distinct, places
