"""`optimize`: a transformers model's forward as a list of operators, with fused ones in it and its weights packed.

Nothing is taken on trust. The recorded list must give the model's own logits bit for bit, every rewrite the recorded
numbers, every packed weight its layer's product; and before the first weight is packed, the whole is compared again.
What fails is left as it was, and the report says why.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from torchpaged.models.attention_metadata import AttentionMetadata, StepMetadata
from torchpaged.integrations.recording import NotRecordable, Recording, record
from torchpaged.integrations.rewrites import linears, packed_linears, rewrite
from torchpaged.models.packed_linear import on_huge_pages
from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.models.model import LayerShape

logger = logging.getLogger(__name__)

Forward = Callable[[Tensor, Tensor, StepMetadata, Tensor], Tensor]

# Tokens of one sequence, and how many of the last ones' logits: sizes that were not recorded, 1 among them.
_CHECKED = ((1, 1), (16, 15))
# Of the norm of a token's logits, in the middle of all tokens: another kernel's roundings make 0.01 to 0.02 in a model
# of 28 layers, and more in those few tokens that a router sends to another expert.
_LARGEST_DIFFERENCE = 0.1


@dataclass(slots=True)
class OptimizeReport:
    """What `optimize` has done.

    Args:
        reason: why it has done nothing; None when it has.
        rewrites: how often each operator stands in for several; "linear" counts layers, those of a group one by one.
        packed_bytes: of the packed weights.
        seconds: that it took.
    """

    reason: str | None = None
    rewrites: Mapping[str, int] = field(default_factory=dict)
    packed_bytes: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Freed:
    """A weight that lies in a packed one alone.

    Args:
        tensor: the model's own, empty now.
        packed: all outputs of the linear layers that read the same tensor.
        first: of these, where the weight begins.
        shape, dtype: of the weight.
    """

    tensor: Tensor
    packed: Tensor
    first: int
    shape: torch.Size
    dtype: torch.dtype

    @property
    def _is_packed(self) -> bool:
        """Whether the weight itself was packed, as int8, before it was joined to others."""
        return len(self.shape) == 4

    def values(self) -> Tensor:
        """All of it, as it was."""
        if self._is_packed:
            size = self.packed.shape[2]
            return self.packed[self.first // size : self.first // size + self.shape[0]].clone()
        return self.rows(0, self.shape[0])

    def rows(self, first: int, last: int) -> Tensor:
        """Its rows [first, last): outputs, or panels of outputs of one that was packed."""
        size = self.packed.shape[2]
        if self._is_packed:
            return self.packed[self.first // size + first : self.first // size + last]
        begin, end = self.first + first, self.first + last
        panels = self.packed[begin // size : -(-end // size)]
        skipped = begin // size * size
        rows = panels.transpose(1, 2).reshape(panels.shape[0] * size, -1)
        return rows[begin - skipped : end - skipped, : self.shape[1]].to(self.dtype, copy=True)


@dataclass(slots=True)
class Optimized:
    """A forward that `optimize` made.

    Args:
        forward: of the same arguments as the model's own.
        report: what has been done.
        freed: the model's weights that lie in packed ones alone.
    """

    forward: Forward
    report: OptimizeReport
    freed: list[Freed]

    def unpack(self) -> None:
        """Puts freed weights back where they were."""
        for each in self.freed:
            each.tensor.data = each.values()
        self.freed = []


class _Refused(Exception):
    """Why a forward stays as it was."""


@torch.inference_mode()
def optimize(
    forward: Forward, layers: Mapping[int, LayerShape], vocab_size: int, dtype: torch.dtype, *, free: bool
) -> Optimized | OptimizeReport:
    """A faster forward of the same model, on the CPU.

    Args:
        forward: of a transformers model in this process.
        layers: what each of its layers keeps.
        vocab_size: of its embedding.
        dtype: of its weights.
        free: whether the memory of weights that have been packed is given back. The model itself cannot run then.

    Returns:
        The forward, or a report of why there is none.
    """
    begin = time.perf_counter()
    result = Optimized(forward, OptimizeReport(), [])
    report = result.report
    try:
        recording = record(forward, vocab_size, torch.device("cpu"))
        check = _Check(forward, layers, vocab_size, dtype)
        with recording.running() as recorded:
            check.equal(recorded)
        report.rewrites = rewrite(recording)
        with recording.running() as rewritten:
            check.close(rewritten)
        with torch.inference_mode(False), torch.no_grad():  # weights that come back are a module's parameters again
            _pack(recording, result, free)
        result.forward = recording.module().forward
    except (NotRecordable, _Refused) as error:
        report.reason = str(error)
    except Exception as error:  # whatever a model's code does under a recorder: it still runs without one
        report.reason = f"{type(error).__name__}: {error}"
    report.seconds = time.perf_counter() - begin
    if report.reason is None:
        return result
    result.unpack()
    logger.warning("the model runs as it is, unoptimized: %s", report.reason)
    return report


class _Check:
    """Compares a forward with the model's own, over a small pool."""

    def __init__(self, forward: Forward, layers: Mapping[int, LayerShape], vocab_size: int, dtype: torch.dtype) -> None:
        caches = PagedKVCache(layers, 2, 16, dtype, torch.device("cpu")).by_layer()
        generator = torch.Generator().manual_seed(1)
        self._inputs = []
        for num_tokens, num_rows in _CHECKED:
            metadata = AttentionMetadata(
                slot_mapping=torch.arange(16, 16 + num_tokens),
                block_tables=torch.ones(1, 1, dtype=torch.int32),
                seq_lens=torch.tensor([num_tokens], dtype=torch.int32),
                query_start_loc=torch.tensor([0, num_tokens], dtype=torch.int32),
                max_query_len=num_tokens,
            )
            self._inputs.append(
                (
                    torch.randint(vocab_size, (num_tokens,), generator=generator),
                    torch.arange(num_tokens),
                    StepMetadata([metadata], [0] * len(caches), caches),
                    torch.arange(num_tokens - num_rows, num_tokens),
                )
            )
        self._expected = [forward(*inputs) for inputs in self._inputs]

    def equal(self, forward: Forward) -> None:
        """Raises _Refused unless all bits are the same."""
        for inputs, expected in zip(self._inputs, self._expected, strict=True):
            if not torch.equal(forward(*inputs), expected):
                raise _Refused(f"recorded, it gives other logits for {len(inputs[0])} tokens")

    def close(self, forward: Forward) -> None:
        """Raises _Refused unless the logits are the same but for rounding."""
        found = torch.cat([forward(*inputs) for inputs in self._inputs]).float()
        expected = torch.cat(self._expected).float()
        difference = ((found - expected).norm(dim=-1) / expected.norm(dim=-1)).median()
        if not difference <= _LARGEST_DIFFERENCE:
            raise _Refused(f"rewritten, its logits differ by {difference:.2%}")


def _pack(recording: Recording, result: Optimized, free: bool) -> None:
    """Packs the weights of all linear layers, and gives the memory of what only they read back."""
    for node in [each for each in recording.graph.nodes if each.target in (linears, packed_linears)]:
        x, weight_nodes, *sizes, bias_nodes = node.args if node.target is linears else node.args[:-1]
        weights = [recording.values[each] for each in weight_nodes]
        biases = [None if each is None else recording.values[each] for each in bias_nodes]
        options: dict[str, Tensor] = {}
        if node.target is linears:
            counts = [weight.shape[0] for weight in weights]
            packed = _packed(weights[0] if len(weights) == 1 else torch.cat(weights))
        else:
            counts = sizes[0]
            packed = on_huge_pages(torch.cat(weights))
            options["weight_scale"] = torch.cat([recording.values[each] for each in node.args[-1]])
        if any(bias is not None for bias in biases):
            dtype = recording.values[x].dtype
            parts = zip(counts, biases, strict=True)
            options["bias"] = torch.cat([torch.zeros(n, dtype=dtype) if bias is None else bias for n, bias in parts])
        with recording.graph.inserting_before(node):
            kwargs = {name: recording.constant(tensor) for name, tensor in options.items()}
            args = (x, recording.constant(packed), sum(counts))
            new = recording.call(torch.ops.torchpaged.packed_linear.default, args, recording.values[node], **kwargs)
        node.replace_all_uses_with(new)
        recording.graph.erase_node(node)
        result.report.packed_bytes += packed.nbytes
        first = 0
        for each, weight, count in zip(weight_nodes, weights, counts, strict=True):
            recording.forget(each)
            if free and not recording.has(weight):
                result.freed.append(Freed(weight, packed, first, weight.shape, weight.dtype))
                weight.data = weight.new_empty(0)
            first += count
    recording.values.clear()


def _packed(weight: Tensor) -> Tensor:
    """Packed, and found to be the same weight.

    Raises:
        _Refused: it is not.
    """
    packed = on_huge_pages(torch.ops.torchpaged.pack_linear_weight(weight))
    x = torch.randn(2, weight.shape[1], generator=torch.Generator().manual_seed(2)).to(weight.dtype)
    found = torch.ops.torchpaged.packed_linear(x, packed, weight.shape[0]).float()
    expected = torch.nn.functional.linear(x, weight).float()
    if not (found - expected).norm() <= 0.01 * expected.norm():
        raise _Refused(f"a weight of shape {tuple(weight.shape)} is another one when packed")
    return packed
