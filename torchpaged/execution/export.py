"""Export of a `PagedModel` to a file that `models/exported.py` runs: one program, by torch.export and AOTInductor.

The file is torch's .pt2 package with the engine's record and the tokenizer in it (`models/pt2_file.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError, ModelError, reason_of
from torchpaged.execution.model_runner import ModelRunner
from torchpaged.models import pt2_file
from torchpaged.models.attention_metadata import AttentionMetadata, LayerCache, StepMetadata
from torchpaged.models.exported import LEAST, distinct_caches, groups_of
from torchpaged.models.model import ModelSpec, PagedModel
from torchpaged.sampling_params import SamplingParams
from torchpaged.utils import quiet
from torchpaged.utils.atomic_files import replaced


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
    """Compile a model and write it, weights included, to a .pt2 file.

    Args:
        model: what to export; its `forward` and `logits` are torch code over the operators.
        path: of the file.
        block_size, kv_cache_dtype, max_model_len: as of `EngineConfig`; fixed in the file.
        tokenizer: of transformers, to store with it.
        eos_token_ids: tokens that end a text.
        default_sampling: of requests without sampling parameters; None: `SamplingParams()`.

    Raises:
        ModelError: the model has an encoder, convolutions or recurrent layers, torch.export cannot capture it, or its
            program does not compile.
        ConfigError: a setting is out of its range, or the file cannot be written.
    """
    path = check_path(path)
    spec = model.spec
    if model.encoder is not None or spec.is_encoder:
        what = "is" if spec.is_encoder else "has"
        raise ModelError(f"export: {spec.name} {what} an encoder, and only decoders can be exported")
    if spec.media_layers:
        raise ModelError(
            f"export: {spec.name} has layers that attend to images, and only those of tokens can be exported"
        )
    if any(shape.convolution for shape in spec.layers.values()):
        raise ModelError(f"export: {spec.name} has layers of convolution, and only those of attention can be exported")
    if any(shape.index or shape.num_selected for shape in spec.layers.values()):
        raise ModelError(f"export: {spec.name} has indexers, whose keys an exported program does not keep")
    if spec.position_axes > 1:
        raise ModelError(f"export: {spec.name} has positions of several axes, which an exported program does not keep")
    if spec.states:
        raise ModelError(f"export: {spec.name} has recurrent layers, and only those of attention can be exported")
    settings: dict[str, Any] = {
        "block_size": block_size,
        "kv_cache_dtype": kv_cache_dtype,
        "max_model_len": EngineConfig(max_model_len=max_model_len).resolve(spec).max_model_len,
    }
    # Sizes above 1, which torch.export takes for symbols, not for constants.
    config = EngineConfig(num_blocks=5, max_num_seqs=4, max_num_batched_tokens=64, compile=False, **settings)
    inputs = ModelRunner(model, config, least=LEAST).batch.blank((3, 2, 4))
    caches, places = distinct_caches(inputs.metadata.caches)
    program = _Program(model, places, inputs.metadata.group_of_layer)
    auto = torch.export.Dim.DYNAMIC
    groups = groups_of(inputs.metadata)
    with torch.no_grad(), quiet.exporting(), model.in_use():
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
        except Exception as error:  # torch.export raises many types
            raise ModelError(f"export: torch.export could not capture {spec.name}: {reason_of(error)}") from error
        described = {"aot_inductor.metadata": _described(spec, settings, len(groups), caches)}
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
    try:
        with replaced(path) as made, quiet.exporting(), torch.no_grad(), model.in_use():
            torch._inductor.aoti_compile_and_package(exported, package_path=str(made), inductor_configs=described)
            pt2_file.add_record(made, record, tokenizer)
    except OSError as error:
        raise ConfigError(f"export: {str(path)!r} could not be written: {reason_of(error)}") from error
    except RuntimeError as error:  # from its compiler, its archive writer, or C++ that does not compile
        raise ModelError(f"export: torch could not make a program of {spec.name}: {reason_of(error)}") from error


def _described(
    spec: ModelSpec, settings: dict[str, Any], num_groups: int, caches: Sequence[tuple[Tensor, ...]]
) -> dict[str, str]:
    """Return the metadata that a C++ program needs to run the file (csrc/include/torchpaged/exported_model.h).

    A cache is described by its dtype, its sizes after the number of blocks, and its strides.
    """
    if any(0 < shape.attention_chunk_size < settings["max_model_len"] for shape in spec.layers.values()):
        return {}  # chunked attention: that header does not split steps at chunk borders
    flat = [tensor for cache in caches for tensor in cache]
    numbers = {
        "vocab_size": spec.vocab_size,
        "max_model_len": settings["max_model_len"],
        "block_size": settings["block_size"],
        "least": LEAST,
        "num_groups": num_groups,
        "num_caches": len(flat),
    }
    texts = {f"torchpaged_{name}": str(number) for name, number in numbers.items()}
    for place, tensor in enumerate(flat):
        words = [str(tensor.dtype).removeprefix("torch."), *tensor.shape[1:], ":", *tensor.stride()]
        texts[f"torchpaged_cache_{place}"] = " ".join(map(str, words))
    return texts


def check_path(path: str | Path) -> Path:
    """Return the path to export to; raise ConfigError if its name or folder is wrong."""
    path = Path(path)
    if path.suffix != ".pt2":
        raise ConfigError(f"export: the file is {str(path)!r}, expected a name that ends in .pt2")
    if not path.absolute().parent.is_dir():
        raise ConfigError(f"export: there is no folder {str(path.absolute().parent)!r}")
    return path


class _Program(nn.Module):
    """Module that computes a model's logits and takes only tensors."""

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
            # max_query_len is a hint: with 0 the operator derives it from the shapes.
            [AttentionMetadata(*group, 0) for group in groups],
            self._group_of_layer,
            [LayerCache(*caches[place]) for place in self._places],
        )
        return self._logits_of_model(self._forward_of_model(input_ids, positions, metadata, rows))
