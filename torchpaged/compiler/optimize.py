"""`optimize`: both parts of a transformers model as lists of operators, with fused ones and packed weights in them.

Nothing is taken on trust. The recorded lists must give the model's own logits bit for bit, every rewrite the recorded
numbers, every packed weight its layer's product; and before the first weight is packed, the whole is compared again.
What fails is left as it was, and the report says why.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from torchpaged.compiler.graph import NotRecordable, Recording
from torchpaged.compiler.layer_dedup import repeat
from torchpaged.compiler.passes import rewrite
from torchpaged.compiler.product_cache import RememberedProducts
from torchpaged.compiler.program import Replayed
from torchpaged.compiler.repeated_layers import RepeatedLayers
from torchpaged.compiler.tracer import record
from torchpaged.compiler.weight_packing import FreedWeight, WrongWeight, pack
from torchpaged.errors import ModelError
from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.execution.state_pool import StatePool
from torchpaged.models.attention_metadata import AttentionMetadata, StepMetadata
from torchpaged.models.model import ModelSpec
from torchpaged.utils.huge_pages import Region, uncollected

logger = logging.getLogger(__name__)

# (tokens, rows) of the two recordings: see `record`.
_RECORDED = ((7, 3), (17, 11))
# Tokens of each sequence, and how many of the last ones' logits: sizes that were not recorded, 1 among them. Several
# sequences, since a token that a router sends to another expert changes all that see it.
_CHECKED = (((1,), 1), ((2, 3, 3, 8), 15))
_BLOCK = 16  # tokens, as many as any of them has at most
# Of the norm of a token's logits, in the middle of all tokens: another kernel's roundings make 0.01 to 0.02 in a model
# of 28 layers, and more in those few tokens that a router sends to another expert.
_LARGEST_DIFFERENCE = 0.1


class Parts(Protocol):
    """What runs a model, as a `PagedModel` does; only the forward where the model has no hidden size."""

    module: nn.Module

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: Any, rows: Tensor) -> Tensor: ...
    def logits(self, hidden: Tensor) -> Tensor: ...
    def embed(self, input_ids: Tensor) -> Tensor: ...


@dataclass(slots=True)
class OptimizeReport:
    """What `optimize` has done.

    Args:
        reason: why it has done nothing; None when it has.
        rewrites: how often each operator stands in for several; "linear" counts layers, those of a group one by one,
            "by_row" what torch computes in a way that depends on where a number stands.
        packed_bytes: of the packed weights.
        seconds: that it took.
    """

    reason: str | None = None
    rewrites: Mapping[str, int] = field(default_factory=dict)
    packed_bytes: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Optimized:
    """The parts that `optimize` has made of a model's own.

    Args:
        forward, logits: of the same arguments as these; the forward of a model that takes embeddings, of these alone.
        embed: makes embeddings of tokens.
        report: what has been done.
        freed: the model's weights that lie in packed ones alone.
    """

    forward: Callable[[Tensor, Tensor, StepMetadata, Tensor], Tensor]
    logits: Callable[[Tensor], Tensor]
    embed: Callable[[Tensor], Tensor]
    report: OptimizeReport
    freed: list[FreedWeight]

    def unpack(self) -> None:
        """Puts freed weights back where they were."""
        for each in self.freed:
            each.tensor.data = each.values()
        self.freed = []


class _Refused(Exception):
    """Why a forward stays as it was."""


@uncollected()
@torch.inference_mode()
def optimize(own: Parts, spec: ModelSpec, *, free: bool, region: Region | None = None) -> Optimized | OptimizeReport:
    """Faster parts of the same model, on the CPU.

    Args:
        own: of a transformers model in this process.
        spec: of the model.
        free: whether the memory of weights that have been packed is given back. The model itself cannot run then.
        region: as of `pack`.

    Returns:
        The parts, or a report of why there are none.
    """
    begin = time.perf_counter()
    result = Optimized(own.forward, own.logits, own.embed, OptimizeReport(), [])
    report = result.report
    try:
        check = _Check(own, spec)
        recordings, embedding = _recorded(own, spec, check), _embedding(own, spec)
        counts: Counter[str] = Counter()
        for recording in (*recordings, *embedding):
            counts.update(rewrite(recording))
        report.rewrites = dict(counts)
        check.close([recording.run for recording in recordings])
        with torch.inference_mode(False), torch.no_grad():  # weights that come back are a module's parameters again
            report.packed_bytes = pack([*recordings, *embedding], result.freed, free=free, region=region)
        for recording in embedding:
            result.embed = recording.module().forward
        forward, *logits = (recording.module().forward for recording in recordings)
        result.forward = Replayed(forward, spec.vocab_size)
        result.logits = logits[0] if logits else own.logits
    except (NotRecordable, WrongWeight, _Refused) as error:
        report.reason = str(error)
    except ModelError:  # it would not run without a recorder either
        raise
    except Exception as error:  # whatever a model's code does under a recorder: it still runs without one
        report.reason = f"{type(error).__name__}: {error}"
    report.seconds = time.perf_counter() - begin
    if report.reason is None:
        return result
    result.unpack()
    logger.warning("the model runs as it is, unoptimized: %s", report.reason)
    return report


def _recorded(own: Parts, spec: ModelSpec, check: _Check) -> list[Recording]:
    """Both parts, with the model's own bits; one layer of a kind is recorded for all, where that gives them."""

    def recorded(layers: RepeatedLayers | None) -> list[Recording]:
        recordings = _record(own, spec, layers)
        check.equal([recording.run for recording in recordings])
        return recordings

    if layers := RepeatedLayers(own.module, lambda index: (spec.layers.get(index), spec.states.get(index))):
        try:
            return recorded(layers)
        except Exception as error:  # they differ in what nobody has looked at
            logger.info("each layer is recorded by itself: %s: %s", type(error).__name__, error)
    return recorded(None)


def _record(own: Parts, spec: ModelSpec, layers: RepeatedLayers | None) -> list[Recording]:
    """The forward, and the logits of a model that has a hidden size."""
    generator = torch.Generator().manual_seed(0)
    steps: list[Mapping[str, Tensor | None]] = []
    hidden: list[Tensor] = []
    for num_tokens, num_rows in _RECORDED:
        tokens = torch.randint(spec.vocab_size, (num_tokens,), generator=generator)
        steps.append(
            {
                "input_ids": own.embed(tokens) if spec.embedding_size else tokens,
                "positions": torch.arange(3, num_tokens + 3),
                "metadata": None,
                "rows": torch.arange(num_rows) + 1,
            }
        )
        hidden.append(torch.randn(num_rows, spec.hidden_size or 0, generator=generator))
    recordings = [record(own.forward, steps, ("input_ids", "rows"), layers=layers)]
    if layers is not None:
        repeat(recordings[0], layers)
    if spec.hidden_size is not None:
        heads = [{"hidden": each.to(recordings[0].result.dtype)} for each in hidden]
        recordings.append(record(own.logits, heads, ("hidden",)))
    return recordings


def _embedding(own: Parts, spec: ModelSpec) -> list[Recording]:
    """The embeddings of a model that takes them, recorded so that packing keeps the weight that they read."""
    if not spec.embedding_size:
        return []
    inputs = [{"input_ids": torch.arange(count) % spec.vocab_size} for count, _ in _RECORDED]
    return [record(own.embed, inputs, ("input_ids",))]


class _Check:
    """Compares logits with the model's own, over a small pool."""

    def __init__(self, own: Parts, spec: ModelSpec) -> None:
        device = torch.device("cpu")
        places = 1 + max(len(lengths) for lengths, _ in _CHECKED)
        groups: list[Any] | None = None if spec.layers else []
        caches = PagedKVCache(spec.layers, places, _BLOCK, spec.dtype, device, groups=groups).by_layer()
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
            )
            tokens = torch.randint(spec.vocab_size, (num_tokens,), generator=generator)
            self._inputs.append(
                (
                    own.embed(tokens) if spec.embedding_size else tokens,
                    positions,
                    # Of states and tails too, whose tables name a slot each.
                    StepMetadata([metadata] * 3, [0] * len(caches), caches, states=states, state_group=1),
                    torch.arange(num_tokens - num_rows, num_tokens),
                )
            )
        # What is recorded multiplies the same numbers as the model: that is computed once.
        self._products: RememberedProducts | None = RememberedProducts(own.module)
        with self._products:
            self._expected = self._logits((own.forward, own.logits))

    def _logits(self, calls: Sequence[Callable[..., Tensor]]) -> list[Tensor]:
        """Of each step, through one call after the other."""
        forward, *rest = calls
        results = [forward(*inputs) for inputs in self._inputs]
        for call in rest:
            results = [call(each) for each in results]
        return results

    def equal(self, calls: Sequence[Callable[..., Tensor]]) -> None:
        """Raises _Refused unless all bits are the same; before `close`."""
        assert self._products is not None
        with self._products:
            logits = self._logits(calls)
        for found, expected in zip(logits, self._expected, strict=True):
            if not torch.equal(found, expected):
                raise _Refused(f"recorded, it gives other logits for {len(expected)} rows")

    def close(self, calls: Sequence[Callable[..., Tensor]]) -> None:
        """Raises _Refused unless the logits are the same but for rounding."""
        self._products = None
        steps = zip(self._logits(calls), self._expected, strict=True)
        rows = [pair for found, expected in steps for pair in zip(found, expected, strict=True)]
        # One after the other: all of them as floats would be most of what a load takes beside the weights.
        differences = [(found.float() - own.float()).norm() / own.float().norm() for found, own in rows]
        difference = torch.stack(differences).median()
        if not difference <= _LARGEST_DIFFERENCE:
            raise _Refused(f"rewritten, its logits differ by {difference:.2%}")
