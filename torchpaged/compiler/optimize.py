"""`optimize`: all stages of the compiler for a transformers model in `LLM`.

Every stage is checked. The traced graphs must give the model's logits bit for bit, each rewrite the traced values
within rounding, each packed weight the product of its layer; before the first weight is packed, the logits are compared
again. If a check fails the model runs as it is, and the report says why.

A model that the loader made is traced, and its logits are compared, with `ReducedProducts`: they depend on the rows and
the weights, but do not read whole weights, which would take most of the time. Equal bits are then those of the model
because a traced graph calls the same operators with the same weights. The products themselves are compared when weights
are packed, each of them. If reduced products differ after the rewrites, the logits are compared with the model's own.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from torchpaged.compiler.adapter_pass import adapted_modules
from torchpaged.compiler.graph import Graph, NotTraceable
from torchpaged.compiler.launch_fusion import join_launches
from torchpaged.compiler.layer_dedup import RepeatedLayers, inline_repeats
from torchpaged.compiler.passes import rewrite
from torchpaged.compiler.product_cache import CachedProducts, ReducedProducts
from torchpaged.compiler.program import ReplayedForward
from torchpaged.compiler.tracer import trace
from torchpaged.compiler.weight_packing import FreedWeight, PackingMismatch, pack
from torchpaged.errors import ModelError
from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.execution.state_pool import StatePool
from torchpaged.models.attention_metadata import AttentionMetadata, StepMetadata
from torchpaged.models.model import ModelSpec
from torchpaged.utils.heap import uncollected
from torchpaged.utils.huge_pages import Region

logger = logging.getLogger(__name__)

# (tokens, rows) of the two traces: see `trace`.
_TRACE_SIZES = ((7, 3), (17, 11))
# (tokens of each sequence, number of last tokens whose logits are compared): sizes that are not traced, 1 among them.
# Several sequences, since a token that a router sends to another expert changes all later ones of its sequence.
_CHECKED = (((1,), 1), ((2, 3, 3, 8), 15))
_BLOCK = 16  # tokens; no checked sequence is longer
# Limit of |rewritten - original| / |original| of a token's logits, the median over tokens: the roundings of another
# kernel make 0.01 to 0.02 in a model of 28 layers, and more in the few tokens that a router sends to another expert.
_LARGEST_DIFFERENCE = 0.1


class ModelFunctions(Protocol):
    """The functions that run a model, as in `PagedModel`. A model without hidden size has no separate `logits`."""

    module: nn.Module

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: Any, rows: Tensor) -> Tensor: ...
    def logits(self, hidden: Tensor) -> Tensor: ...
    def embed(self, input_ids: Tensor) -> Tensor: ...


@dataclass(slots=True)
class OptimizeReport:
    """A report of what `optimize` did.

    Args:
        reason: why the model was left as it is; None if it was optimized.
        rewrites: number of rewrites by kind; "linear" counts single layers, also of a merged product, "by_row" the
            operators that were made batch-invariant.
        packed_bytes: size of the packed weights.
        seconds: duration.
    """

    reason: str | None = None
    rewrites: Mapping[str, int] = field(default_factory=dict)
    packed_bytes: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Optimized:
    """The optimized functions of a model.

    Args:
        forward, logits: as in `PagedModel`; the forward of a model with an embedding size takes embeddings only.
        embed: returns embeddings of tokens.
        report: what `optimize` did.
        freed: the model's weights whose memory was freed; only their packed form exists.
        graphs: of the forward, of the logits if they are separate, and of the embedding if the forward takes those.
        adapted: names of the modules of each product of the forward whose result adapters are added to.
    """

    forward: Callable[[Tensor, Tensor, StepMetadata, Tensor], Tensor]
    logits: Callable[[Tensor], Tensor]
    embed: Callable[[Tensor], Tensor]
    report: OptimizeReport
    freed: list[FreedWeight]
    graphs: Sequence[Graph] = ()
    adapted: Sequence[tuple[str, ...]] = ()

    def unpack(self) -> None:
        """Restore the freed weights of the model."""
        for each in self.freed:
            each.tensor.data = each.values()
        self.freed = []


class _Rejected(Exception):
    """The reason why a check failed."""


@uncollected()
@torch.inference_mode()
def optimize(
    model: ModelFunctions, spec: ModelSpec, *, free: bool, region: Region | None = None
) -> Optimized | OptimizeReport:
    """Compile a model for the CPU.

    Args:
        model: the functions of a transformers model in this process.
        spec: spec of the model.
        free: whether to free weights that have been packed. The model itself cannot run then.
        region: as in `pack`.

    Returns:
        The optimized functions, or a report that says why there are none.
    """
    begin = time.perf_counter()
    result = Optimized(model.forward, model.logits, model.embed, OptimizeReport(), [])
    report = result.report
    try:
        check = _Check(model, spec, ReducedProducts(model.module) if free else CachedProducts(model.module))
        graphs, embedding = _trace_model(model, spec, check), _trace_embedding(model, spec)
        counts: Counter[str] = Counter()
        for traced in (*graphs, *embedding):
            counts.update(rewrite(traced))
        report.rewrites = dict(counts)
        try:
            check.require_close([traced.run for traced in graphs])
        except _Rejected:  # a rewrite may have made a product, or changed one, that is not reduced
            if not free:
                raise
            _Check(model, spec, CachedProducts(model.module)).require_close([traced.run for traced in graphs])
        with torch.inference_mode(False), torch.no_grad():  # restored weights must not be inference tensors
            report.packed_bytes = pack([*graphs, *embedding], result.freed, free=free, region=region)
        for traced in embedding:
            result.embed = traced.module().forward
        forward, *logits = (traced.module().forward for traced in graphs)
        result.forward = ReplayedForward(forward, spec.vocab_size, position_axes=spec.position_axes)
        result.logits = logits[0] if logits else model.logits
        result.graphs = (*graphs, *embedding)
        result.adapted = adapted_modules(graphs[0])
    except (NotTraceable, PackingMismatch, _Rejected) as error:
        report.reason = str(error)
    except ModelError:  # the model itself cannot run
        raise
    except Exception as error:  # any model must still run as it is, whatever its code does while it is traced
        report.reason = f"{type(error).__name__}: {error}"
    report.seconds = time.perf_counter() - begin
    if report.reason is None:
        return result
    result.unpack()
    logger.warning("the model runs as it is, unoptimized: %s", report.reason)
    return report


@torch.inference_mode()
def fuse_launches(model: ModelFunctions, spec: ModelSpec) -> Optimized | OptimizeReport:
    """Replace a model's operators by fewer and larger ones, for a device where each launch costs; see `launch_fusion`.

    Weights stay where they are and as they are. Arguments and result are those of `optimize`.
    """
    begin = time.perf_counter()
    result = Optimized(model.forward, model.logits, model.embed, OptimizeReport(), [])
    report = result.report
    try:
        check = _Check(model, spec, CachedProducts(model.module))
        graphs = _trace_model(model, spec, check)
        counts: Counter[str] = Counter()
        for traced in graphs:
            counts.update(rewrite(traced, packs=False))
            counts.update(join_launches(traced))
        report.rewrites = dict(counts)
        check.require_close([traced.run for traced in graphs])
        result.forward, *logits = (traced.module().forward for traced in graphs)
        result.logits = logits[0] if logits else model.logits
        result.adapted = adapted_modules(graphs[0])
    except (NotTraceable, _Rejected) as error:
        report.reason = str(error)
    except ModelError:  # the model itself cannot run
        raise
    except Exception as error:  # as in `optimize`
        report.reason = f"{type(error).__name__}: {error}"
    report.seconds = time.perf_counter() - begin
    if report.reason is None:
        return result
    logger.warning("the model runs as it is, its launches are not joined: %s", report.reason)
    return report


def _trace_model(model: ModelFunctions, spec: ModelSpec, check: _Check) -> list[Graph]:
    """Trace forward and logits, one layer of a kind if that gives the model's bits, else every layer."""

    def checked(layers: RepeatedLayers | None) -> list[Graph]:
        with check.tracing:
            graphs = _trace_parts(model, spec, layers)
        check.require_equal([traced.run for traced in graphs])
        return graphs

    if spec.is_encoder:  # its layers share the cache of one, so none can be told by its index
        return checked(None)
    if layers := RepeatedLayers(model.module, lambda index: (spec.every_layer.get(index), spec.states.get(index))):
        try:
            return checked(layers)
        except Exception as error:  # layers differ in a way that RepeatedLayers does not compare
            logger.info("each layer is traced by itself: %s: %s", type(error).__name__, error)
    return checked(None)


def _trace_parts(model: ModelFunctions, spec: ModelSpec, layers: RepeatedLayers | None) -> list[Graph]:
    """Trace the forward, and the logits of a model with a hidden size."""
    generator = torch.Generator().manual_seed(0)
    steps: list[Mapping[str, Tensor | None]] = []
    hidden: list[Tensor] = []
    for num_tokens, num_rows in _TRACE_SIZES:
        tokens = torch.randint(spec.vocab_size, (num_tokens,), generator=generator).to(spec.device)
        steps.append(
            {
                "input_ids": model.embed(tokens) if spec.embedding_size else tokens,
                "positions": _on_axes(torch.arange(3, num_tokens + 3, device=spec.device), spec),
                "metadata": None,
                "rows": torch.arange(num_rows, device=spec.device) + 1,
            }
        )
        hidden.append(torch.randn(num_rows, spec.hidden_size or 0, generator=generator).to(spec.device))
    graphs = [trace(model.forward, steps, ("input_ids", "rows"), layers=layers)]
    if layers is not None:
        inline_repeats(graphs[0], layers)
    if spec.hidden_size is not None:
        heads = [{"hidden": each.to(graphs[0].result.dtype)} for each in hidden]
        graphs.append(trace(model.logits, heads, ("hidden",)))
    return graphs


def _trace_embedding(model: ModelFunctions, spec: ModelSpec) -> list[Graph]:
    """Trace the embedding of a model whose forward takes embeddings, so that packing keeps its weight."""
    if not spec.embedding_size:
        return []
    inputs = [{"input_ids": torch.arange(count) % spec.vocab_size} for count, _ in _TRACE_SIZES]
    return [trace(model.embed, inputs, ("input_ids",))]


def _on_axes(positions: Tensor, spec: ModelSpec) -> Tensor:
    """Return positions as the model takes them: [num_tokens], or [num_tokens, axes]."""
    return positions if spec.position_axes == 1 else positions[:, None].repeat(1, spec.position_axes)


class _Check:
    """Compares logits with the model's, over a small pool.

    Args:
        products: reduced for both, or cached: a traced graph multiplies the same values as the model, so each product
            is computed once.

    Attributes:
        tracing: context in which the graphs are traced.
    """

    def __init__(self, model: ModelFunctions, spec: ModelSpec, products: CachedProducts | ReducedProducts) -> None:
        device = spec.device
        places = 1 + max(len(lengths) for lengths, _ in _CHECKED)
        groups: list[Any] | None = None if spec.layers else []
        caches = PagedKVCache(spec.every_layer, places, _BLOCK, spec.dtype, device, groups=groups).by_layer()
        slots = StatePool(spec.states, spec.state_chunk, places, places, spec.dtype, device) if spec.states else None
        states = () if slots is None else slots.by_layer()
        generator = torch.Generator().manual_seed(1)
        self._inputs = []
        for lengths, num_rows in _CHECKED:
            num_tokens, count = sum(lengths), len(lengths)
            positions = torch.cat([torch.arange(length) for length in lengths])
            blocks = torch.arange(1, 1 + count)
            metadata = AttentionMetadata(
                slot_mapping=positions + _BLOCK * blocks.repeat_interleave(torch.tensor(lengths)),
                block_tables=blocks.to(torch.int32).unsqueeze(1),
                seq_lens=torch.tensor(lengths, dtype=torch.int32),
                query_start_loc=torch.tensor([0, *lengths]).cumsum(0).to(torch.int32),
                max_query_len=max(lengths),
                causal=not spec.is_encoder,
            ).to(device)
            tokens = torch.randint(spec.vocab_size, (num_tokens,), generator=generator).to(device)
            self._inputs.append(
                (
                    model.embed(tokens) if spec.embedding_size else tokens,
                    _on_axes(positions.to(device), spec),
                    # Attention, states and tails share the metadata: each table has one block or slot per sequence.
                    StepMetadata([metadata] * 3, [0] * len(caches), caches, states=states, state_group=1),
                    torch.arange(num_tokens - num_rows, num_tokens, device=device),
                )
            )
        self._products: CachedProducts | ReducedProducts | None = products
        self.tracing = products if isinstance(products, ReducedProducts) else nullcontext()
        with products:
            self._expected = self._logits((model.forward, model.logits))

    def _logits(self, calls: Sequence[Callable[..., Tensor]]) -> list[Tensor]:
        """Return the logits of each step, computed by one call after the other."""
        forward, *rest = calls
        results = [forward(*inputs) for inputs in self._inputs]
        for call in rest:
            results = [call(each) for each in results]
        return results

    def require_equal(self, calls: Sequence[Callable[..., Tensor]]) -> None:
        """Raise _Rejected unless all bits are equal. Not after `require_close`."""
        assert self._products is not None
        with self._products:
            logits = self._logits(calls)
        for found, expected in zip(logits, self._expected, strict=True):
            if not torch.equal(found, expected):
                raise _Rejected(f"traced, it gives other logits for {len(expected)} rows")

    def require_close(self, calls: Sequence[Callable[..., Tensor]]) -> None:
        """Raise _Rejected unless the logits agree within rounding."""
        if isinstance(self._products, CachedProducts):
            self._products = None  # rewritten, other values are multiplied
        with self._products or nullcontext():
            logits = self._logits(calls)
        steps = zip(logits, self._expected, strict=True)
        rows = [pair for found, expected in steps for pair in zip(found, expected, strict=True)]
        # Row by row: all logits in float32 would be the largest allocation of a load after the weights.
        differences = [(found.float() - known.float()).norm() / known.float().norm() for found, known in rows]
        difference = torch.stack(differences).median()
        if not difference <= _LARGEST_DIFFERENCE:
            raise _Rejected(f"rewritten, its logits differ by {difference:.2%}")
