"""Pack stage: packs the weights of the products that `linear_pass` found, and frees the weights they replace."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler.graph import Graph
from torchpaged.compiler.linear_pass import by_head, experts, linears, packed_by_head, packed_linears
from torchpaged.compiler.patterns import leads_to_output
from torchpaged.errors import ConfigError
from torchpaged.ops import active_backend, cpu
from torchpaged.ops.grouped_weights import PANEL
from torchpaged.utils.huge_pages import Region, huge_page_zeros, joined
from torchpaged.weights.grouped_weight import GROUP_SIZES
from torchpaged.weights.packed_linear import Int8Weight, on_huge_pages, pack_grouped, packed_whole, quantise_weight
from torchpaged.weights.rounding import round_weight

ops = torch.ops.torchpaged
# Elements of each weight that are compared before a call. For 200 weights that takes some 75 microseconds.
_SAMPLED_ELEMENTS = 8
_MAX_GROUP = 32  # inputs per scale, as for "int4" in integrations/checkpoints/int4.py


def missing_kernels(device: torch.device) -> str | None:
    """Return why packed weights are of no use on a device, or None."""
    if device.type != "cpu":
        return f"it is on {device.type}, not on the CPU"
    if active_backend("packed_linear", "cpu") != "cpp" or cpu.isa() == "portable":
        return f"the C++ library has no vectors for this machine (its instruction set is {cpu.isa()!r})"
    return None


class PackingMismatch(Exception):
    """An error: the product with a packed weight differs from the product with the weight."""


@dataclass(frozen=True)
class PackedWeight:
    """A packed weight that graphs share.

    Args:
        tensor: argument `packed_weight` of `packed_linear`.
        options: further arguments of `packed_linear`: scales or format.
        sources: the weights that it was packed from.
    """

    tensor: Tensor
    options: dict[str, Any]
    sources: tuple[weakref.ref[Tensor], ...]


# By sources and packing: all graphs of one model share a packed weight.
_shared: weakref.WeakValueDictionary[Any, PackedWeight] = weakref.WeakValueDictionary()


@dataclass(frozen=True, slots=True)
class FreedWeight:
    """A weight whose memory was freed; it can be restored from its packed form.

    Args:
        tensor: the model's tensor, empty now.
        packed: packed weight of all layers that read the same input, or of all experts.
        first: the weight's first output in `packed`.
        shape, dtype: of the weight.
        transposed: True if its last two dimensions are [inputs, outputs].
    """

    tensor: Tensor
    packed: Tensor
    first: int
    shape: torch.Size
    dtype: torch.dtype
    transposed: bool = False

    @property
    def _is_packed(self) -> bool:
        """True if the weight was packed bytes before it was joined to others."""
        return self.dtype == torch.uint8

    def values(self) -> Tensor:
        """Return the original weight."""
        if self._is_packed:
            first = self.first // PANEL
            return self.packed[first : first + self.shape[0]].clone()
        return self.rows(0, self.shape[0])

    def rows(self, first: int, last: int) -> Tensor:
        """Return indices [first, last) of its first dimension: outputs, inputs, experts, or panels of packed bytes."""
        if len(self.shape) == 3:
            outputs, inputs = self._sizes
            each = [_unpacked(packed, 0, outputs, inputs) for packed in self.packed[first:last]]
            whole = torch.stack([weight.T if self.transposed else weight for weight in each])
        elif self._is_packed:
            panels = self.first // PANEL
            return self.packed[panels + first : panels + last]
        elif self.transposed:
            outputs, inputs = self._sizes
            whole = _unpacked(self.packed, self.first, self.first + outputs, inputs).T[first:last]
        else:
            whole = _unpacked(self.packed, self.first + first, self.first + last, self.shape[1])
        return whole.to(self.dtype).clone(memory_format=torch.contiguous_format)

    @property
    def _sizes(self) -> tuple[int, int]:
        """(outputs, inputs)."""
        a, b = self.shape[-2:]
        return (b, a) if self.transposed else (a, b)


def _unpacked(packed: Tensor, begin: int, end: int, inputs: int) -> Tensor:
    """Return the outputs [begin, end) of a packed weight: [end - begin, inputs]."""
    size = packed.shape[2]
    panels = packed[begin // size : -(-end // size)]
    skipped = begin // size * size
    rows = panels.transpose(1, 2).reshape(panels.shape[0] * size, -1)
    return rows[begin - skipped : end - skipped, :inputs]


def pack(
    graphs: Sequence[Graph],
    freed: list[FreedWeight],
    *,
    free: bool,
    quantization: str | None = None,
    held: list[PackedWeight] | None = None,
    region: Region | None = None,
) -> int:
    """Pack the weights of all products that `rewrite_products` found, in place.

    Args:
        freed: receives the weights whose memory was freed.
        free: whether to free weights that only products read.
        quantization: of the float weights of linear layers: "int8", "int4" (int8 for a layer whose result is returned)
            or None.
        held: receives the packed weights of linear layers, which other graphs share for as long as one is held.
        region: memory for packed weights of linear layers that stay floats; None: an allocation for each.

    Returns:
        Bytes of the packed weights.

    Raises:
        PackingMismatch: the product with a packed weight is wrong. Weights before it are packed.
    """
    packing = _Packing(freed, graphs if free else None, quantization, held, region)
    kinds: dict[Any, Callable[[Graph, fx.Node], None]] = {
        linears: packing.linears,
        packed_linears: packing.linears,
        experts: packing.experts,
        by_head: packing.by_head,
    }
    for traced in graphs:
        for node in [each for each in traced.graph.nodes if each.target in kinds]:
            kinds[node.target](traced, node)
    for traced in graphs:
        traced.values.clear()
    return packing.num_bytes


class _Packing:
    """Packs weights, and frees those that no graph uses any more.

    Args:
        freed, quantization, held, region: as in `pack`.
        readers: all graphs that may use a weight; None: free nothing.
    """

    def __init__(
        self,
        freed: list[FreedWeight],
        readers: Sequence[Graph] | None,
        quantization: str | None = None,
        held: list[PackedWeight] | None = None,
        region: Region | None = None,
    ) -> None:
        self._freed, self._readers = freed, readers
        self._quantization, self._held, self._region = quantization, held, region
        self.num_bytes = 0

    def linears(self, traced: Graph, node: fx.Node) -> None:
        """Pack the weights of all linear layers of one input: float weights, or joined packed bytes."""
        plain = node.target is linears
        x, weight_nodes, *sizes, bias_nodes = node.args if plain else node.args[:-1]
        transposed = bool(node.kwargs.get("transposed"))
        weights = [traced.values[each] for each in weight_nodes]
        biases = [None if each is None else traced.values[each] for each in bias_nodes]
        options: dict[str, Any] = {}
        whole = None if plain else joined(weights)  # None unless they are adjacent in memory already
        if plain:
            matrices = [weight.T if transposed else weight for weight in weights]
            counts = [matrix.shape[0] for matrix in matrices]
            packed, options = self._linear(weights, matrices, node)
        else:
            counts = sizes[0]
            packed = on_huge_pages(torch.cat(weights)) if whole is None else whole
            if "format" in node.kwargs:
                options["format"] = node.kwargs["format"]
            else:
                options["weight_scale"] = torch.cat([traced.values[each] for each in node.args[-1]])
        if any(bias is not None for bias in biases):
            dtype = traced.values[x].dtype
            parts = zip(counts, biases, strict=True)
            options["bias"] = torch.cat([torch.zeros(n, dtype=dtype) if bias is None else bias for n, bias in parts])
        self._replace(traced, node, ops.packed_linear.default, x, packed, (sum(counts),), options)
        first, gone = 0, set[fx.Node]()
        for each, weight, count in zip(weight_nodes, weights, counts, strict=True):
            if each not in gone:  # layers may share a weight
                traced.remove_if_unused(each)
                if whole is None:
                    self._release(weight, packed, first, transposed)
            gone.add(each)
            first += count

    def _linear(self, weights: list[Tensor], matrices: list[Tensor], node: fx.Node) -> tuple[Tensor, dict[str, Any]]:
        """Return (packed weight, options of `packed_linear`) of float weights; `matrices` are these as [out, in]."""
        bits = _bits(self._quantization, matrices[0].shape[1], leads_to_output(node))
        if self._held is None:
            return _packed_in(bits, matrices, self._region)
        sources = tuple(weakref.ref(each) for each in weights)
        samples = [sampled_bytes(each).flatten().numpy().tobytes() for each in weights]
        versions = [(id(w), w.data_ptr(), version_of(w), sample) for w, sample in zip(weights, samples, strict=True)]
        key = (bits, matrices[0].stride(), *versions)
        known = _shared.get(key)
        if known is None or any(source() is not each for source, each in zip(known.sources, weights, strict=True)):
            known = _shared[key] = PackedWeight(*_packed_in(bits, matrices), sources)
        self._held.append(known)
        return known.tensor, dict(known.options)

    def experts(self, traced: Graph, node: fx.Node) -> None:
        """Pack the weights of all experts."""
        x, weight_node, expert_of_row, transposed = node.args
        weight = traced.values[weight_node]
        packed = _packed_each(weight, transposed)
        out_features = weight.shape[2 if transposed else 1]
        self._replace(traced, node, ops.packed_grouped_linear.default, x, packed, (out_features, expert_of_row))
        traced.remove_if_unused(weight_node)
        self._release(weight, packed, 0, transposed)

    def by_head(self, traced: Graph, node: fx.Node) -> None:
        """Pack a weight of each head. It is a view of a tensor with other users, so that is not freed."""
        x, weight_node, transposed = node.args
        weight = traced.values[weight_node]
        packed = _packed_each(weight, transposed)
        self._replace(traced, node, packed_by_head, x, packed, (weight.shape[2 if transposed else 1],))
        traced.remove_if_unused(weight_node)

    def _replace(
        self,
        traced: Graph,
        node: fx.Node,
        target: Any,
        x: fx.Node,
        packed: Tensor,
        rest: tuple[Any, ...],
        options: dict[str, Any] | None = None,
    ) -> None:
        with traced.graph.inserting_before(node):
            kwargs = {
                name: traced.constant(each) if isinstance(each, Tensor) else each
                for name, each in (options or {}).items()
            }
            args = (x, traced.constant(packed), *rest)
            new = traced.call(target, args, traced.values[node], **kwargs)
        node.replace_all_uses_with(new)
        traced.graph.erase_node(node)
        self.num_bytes += packed.nbytes

    def _release(self, weight: Tensor, packed: Tensor, first: int, transposed: bool) -> None:
        if self._readers is not None and not any(each.has_constant(weight) for each in self._readers):
            self._freed.append(FreedWeight(weight, packed, first, weight.shape, weight.dtype, transposed))
            weight.data = weight.new_empty(0)


def version_of(tensor: Tensor) -> int:
    """Return torch's version counter of a tensor; -1 for an inference tensor, which has none."""
    return -1 if tensor.is_inference() else tensor._version


def sampled_bytes(tensor: Tensor) -> Tensor:
    """Return a view of some elements' bytes [count, itemsize], at even steps.

    It shows most writes that the version counter misses, such as a fused optimizer's.
    """
    tensor = tensor.detach()
    span = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    count = span if span == tensor.numel() else min(1, tensor.numel())  # gaps may belong to another tensor
    return tensor.as_strided((count,), (1,)).view(torch.uint8).view(count, -1)[:: -(-count // _SAMPLED_ELEMENTS) or 1]


def _bits(quantization: str | None, inputs: int, returned: bool) -> int | None:
    """Return the bits to quantize a weight to, or None. Weights with fewer inputs than a group stay floats."""
    if quantization is None or inputs < GROUP_SIZES[0]:
        return None
    # A layer whose result is returned is usually the LM head, which has 8 bits in LLM too.
    return 4 if quantization == "int4" and not returned and inputs % GROUP_SIZES[0] == 0 else 8


def _packed_in(bits: int | None, matrices: list[Tensor], region: Region | None = None) -> tuple[Tensor, dict[str, Any]]:
    """Return (packed weight, options of `packed_linear`)."""
    if bits is None:
        return _packed(matrices, region), {}
    whole = matrices[0] if len(matrices) == 1 else torch.cat(matrices)
    low, high = whole.detach().aminmax()
    if not bool(low.isfinite() & high.isfinite()):
        found = high if low.isfinite() else low
        raise ConfigError(f"quantization: a weight {tuple(whole.shape)} has an element {found}, expected finite ones")
    if bits == 8:
        packed, scale = Int8Weight(whole.detach(), quantise_weight).pack()
        return packed, {"weight_scale": scale}
    size = next(each for each in reversed(GROUP_SIZES) if each <= _MAX_GROUP and whole.shape[1] % each == 0)
    packed, form = pack_grouped(round_weight(whole.detach(), size))
    return on_huge_pages(packed), {"format": form.code}


def _packed_each(weight: Tensor, transposed: bool) -> Tensor:
    """Pack each of several weights: [count, ...]. One by one, so that peak memory has no second copy of all."""
    matrices = weight.mT if transposed else weight
    whole: Tensor | None = None
    for i, matrix in enumerate(matrices):
        packed = _packed([matrix])
        if whole is None:
            whole = huge_page_zeros((len(matrices), *packed.shape), packed.dtype)
        whole[i] = packed
    assert whole is not None
    return whole


def _packed(weights: Sequence[Tensor], region: Region | None = None) -> Tensor:
    """Pack weights [out, in] below each other and check a product with the result.

    Raises:
        PackingMismatch: the product differs.
    """
    packed = packed_whole([each.detach() for each in weights], region)
    x = torch.randn(2, weights[0].shape[1], generator=torch.Generator().manual_seed(2)).to(weights[0].dtype)
    found = ops.packed_linear(x, packed, sum(map(len, weights))).float()
    expected = torch.cat([torch.nn.functional.linear(x, each) for each in weights], dim=-1).float()
    if not (found - expected).norm() <= 0.01 * expected.norm():
        shapes = ", ".join(str(tuple(each.shape)) for each in weights)
        raise PackingMismatch(f"the product with a packed weight of shape {shapes} is wrong")
    return packed
