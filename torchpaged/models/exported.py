"""A model as a file: torch.export and AOTInductor make one of a `PagedModel`, and run it without the model's Python.

The file is torch's .pt2 package with the engine's record and the tokenizer in it (`pt2_file`). One program runs every
step, prefill and decode: tokens, sequences, table widths, logit rows and the pool's blocks are symbols.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from torchpaged import noise
from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError, ModelError, reason_of
from torchpaged.execution.model_runner import ModelRunner
from torchpaged.models import pt2_file
from torchpaged.models.attention_metadata import AttentionMetadata, LayerCache, RowCache, StepMetadata
from torchpaged.models.model import ModelSpec, PagedModel
from torchpaged.models.tokenizer import load_tokenizer
from torchpaged.sampling_params import SamplingParams

LEAST = 2  # torch compiles sizes of 0 and 1 for themselves


class ExportedModel:
    """A `PagedModel` out of a file that `export` wrote, which has its head in it: its `forward` gives logits.

    Args:
        path: of the file.
        device: where it is to run; it was exported for one type of device.

    Attributes:
        settings: what `EngineConfig` must say, or leave open.
        default_sampling: what requests without sampling parameters take.

    Raises:
        ModelError: no such file, not one of ours, damaged, or for another device.
    """

    encoder = None
    weights = None

    def __init__(self, path: str | Path, device: torch.device) -> None:
        self.path = str(path)
        record = pt2_file.read(self.path)
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
            # Without the events that a package of many threads waits for: a CUDA graph cannot hold them.
            self._run = torch._inductor.aoti_load_package(self.path, run_single_threaded=True, device_index=index)
        except (RuntimeError, OSError) as error:
            raise ModelError(f"model {self.path!r}: torch could not load its program: {reason_of(error)}") from error

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Packed tokens [num_tokens] -> logits [len(rows), vocab_size]; writes the cache on its way."""
        logits: Tensor = self._run(input_ids, positions, rows, _groups(metadata), _distinct(metadata.caches)[0])
        return logits

    def logits(self, hidden: Tensor) -> Tensor:
        """What `forward` gives, which are logits."""
        return hidden

    def in_use(self) -> AbstractContextManager[None]:
        """Nothing is changed while it is in use."""
        return nullcontext()

    def fingerprint(self) -> str:
        """Of the model that was exported."""
        return self._fingerprint

    def configure(self, settings: Mapping[str, Any]) -> EngineConfig:
        """The engine's settings with what the program fixes.

        Raises:
            ConfigError: a setting that differs from what the model was exported with.
        """
        if settings.get("quantization") is not None:
            raise ConfigError(
                f"EngineConfig: quantization is {settings['quantization']!r}, but the weights in {self.path!r} are "
                "fixed in it; leave it out, or export the model anew"
            )
        fixed = {**self.settings, "dtype": str(self.spec.dtype).removeprefix("torch."), "compile": False}
        asked = EngineConfig(**settings)  # in its own words: "half" is "float16"
        for name in settings.keys() & fixed.keys():
            value = getattr(asked, name)
            if value not in ("auto", None) and value != fixed[name]:
                raise ConfigError(
                    f"EngineConfig: {name} is {value!r}, but {self.path!r} was exported with {fixed[name]!r}; "
                    "leave it out, or export the model anew"
                )
        return EngineConfig(**{**settings, **fixed})

    def tokenizer(self, trust_remote_code: bool = False) -> Any:
        """transformers' tokenizer, None when the model was exported without one."""
        with tempfile.TemporaryDirectory() as folder:
            if not pt2_file.unpack_tokenizer(self.path, Path(folder)):
                return None
            return load_tokenizer(folder, trust_remote_code=trust_remote_code)


def export(
    model: PagedModel,
    path: str | Path,
    *,
    block_size: int = 16,
    kv_cache_dtype: str = "auto",
    max_model_len: int | None = None,
    tokenizer: Any = None,
    eos_token_ids: Sequence[int] = (),
    default_sampling: SamplingParams | None = None,
) -> None:
    """Compiles a model and writes it, weights included, to a .pt2 file.

    Args:
        model: whose `forward` and `logits` are torch code over the operators.
        block_size, kv_cache_dtype, max_model_len: as of `EngineConfig`; fixed in the file.
        tokenizer: of transformers, to go with it.
        eos_token_ids: tokens that end a text.
        default_sampling: what requests without sampling parameters take; None: `SamplingParams()`.

    Raises:
        ModelError: a forward that torch.export cannot capture.
        ConfigError: the file cannot be written.
    """
    path = check_path(path)
    spec = model.spec
    if model.encoder is not None:
        raise ModelError(f"export: {spec.name} has an encoder, and only decoders can be exported")
    if any(shape.convolution for shape in spec.layers.values()):
        raise ModelError(f"export: {spec.name} has layers of convolution, and only those of attention can be exported")
    settings: dict[str, Any] = {
        "block_size": block_size,
        "kv_cache_dtype": kv_cache_dtype,
        "max_model_len": max_model_len or spec.max_model_len,
    }
    # Two blocks, and three sequences: sizes that the program takes for symbols, not for constants.
    config = EngineConfig(num_blocks=5, max_num_seqs=4, max_num_batched_tokens=64, compile=False, **settings)
    inputs = ModelRunner(model, config, least=LEAST).batch.blank((3, 2, 4))
    caches, places = _distinct(inputs.metadata.caches)
    program = _Program(model, places, inputs.metadata.group_of_layer)
    auto = torch.export.Dim.DYNAMIC
    groups = _groups(inputs.metadata)
    with torch.no_grad(), noise.exporting(), model.in_use():
        try:
            exported = torch.export.export(
                program,
                (inputs.input_ids, inputs.positions, inputs.wanted_rows, groups, caches),
                dynamic_shapes=(
                    {0: auto},
                    {0: auto},
                    {0: auto},
                    [({0: auto}, {0: auto, 1: auto}, {0: auto}, {0: auto}) for _ in groups],
                    [tuple({0: auto} for _ in cache) for cache in caches],
                ),
                strict=False,
            )
        except Exception as error:  # torch.export's own are many
            raise ModelError(f"export: torch.export could not capture {spec.name}: {reason_of(error)}") from error
        torch._inductor.aoti_compile_and_package(exported, package_path=str(path))
    record = pt2_file.Record(
        device=spec.device.type,
        vocab_size=spec.vocab_size,
        dtype=str(spec.dtype).removeprefix("torch."),
        layers=dict(spec.layers),
        settings=settings,
        eos_token_ids=list(eos_token_ids),
        sampling=pt2_file.sampling_of(default_sampling or SamplingParams()),
        fingerprint=model.fingerprint(),
    )
    pt2_file.add(path, record, tokenizer)


def check_path(path: str | Path) -> Path:
    """Where a model can be exported to; ConfigError where it cannot."""
    path = Path(path)
    if path.suffix != ".pt2":
        raise ConfigError(f"export: the file is {str(path)!r}, expected a name that ends in .pt2")
    if not path.absolute().parent.is_dir():
        raise ConfigError(f"export: there is no folder {str(path.absolute().parent)!r}")
    return path


class _Program(nn.Module):
    """A model's logits with tensors alone as its arguments."""

    def __init__(self, model: PagedModel, places: Sequence[int], group_of_layer: Sequence[int]) -> None:
        super().__init__()
        self.module = None if model.weights is None else model.weights.module  # for torch.export to find the weights
        self._forward_of_model, self._logits_of_model = model.forward, model.logits
        self._places, self._group_of_layer = places, group_of_layer

    def forward(
        self,
        input_ids: Tensor,
        positions: Tensor,
        rows: Tensor,
        groups: list[tuple[Tensor, Tensor, Tensor, Tensor]],
        caches: list[tuple[Tensor, ...]],
    ) -> Tensor:
        metadata = StepMetadata(
            # The longest query is a hint: 0 leaves it to the operator to look at the shapes.
            [AttentionMetadata(*group, 0) for group in groups],
            self._group_of_layer,
            [LayerCache(*caches[place]) for place in self._places],
        )
        return self._logits_of_model(self._forward_of_model(input_ids, positions, metadata, rows))


def _groups(metadata: StepMetadata) -> list[tuple[Tensor, Tensor, Tensor, Tensor]]:
    return [(g.slot_mapping, g.block_tables, g.seq_lens, g.query_start_loc) for g in metadata.groups]


def _distinct(caches: Sequence[LayerCache | RowCache]) -> tuple[list[tuple[Tensor, ...]], list[int]]:
    """Each pair of tensors once, and for each layer which it is: layers of different groups share them."""
    found: dict[int, int] = {}
    distinct: list[tuple[Tensor, ...]] = []
    places = []
    for cache in caches:
        assert isinstance(cache, LayerCache)
        if id(cache.key) not in found:
            found[id(cache.key)] = len(distinct)
            distinct.append(cache.tensors)
        places.append(found[id(cache.key)])
    return distinct, places
