"""Packed weights in the place of the products that `products` found, and the memory of the weights they replace."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler.graph import Recording
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
# Elements of each weight that are compared before a call: of 200 weights in some 75 microseconds.
_LOOKED_AT = 8
_LARGEST_GROUP = 32  # inputs to a scale, as of `four_bits`' "int4"


def missing_kernels(device: torch.device) -> str | None:
    """Why packed weights are no gain there; None: they are one."""
    if device.type != "cpu":
        return f"it is on {device.type}, not on the CPU"
    if active_backend("packed_linear", "cpu") != "cpp" or cpu.isa() == "portable":
        return f"the C++ library has no vectors for this machine (its instruction set is {cpu.isa()!r})"
    return None


class WrongWeight(Exception):
    """A weight that is another one when it is packed."""


@dataclass(frozen=True)
class PackedWeight:
    """A weight as `packed_linear` takes it.

    Args:
        tensor: packed.
        options: what else it is told of the weight.
        sources: what it was made of, while that lives.
    """

    tensor: Tensor
    options: dict[str, Any]
    sources: tuple[weakref.ref[Tensor], ...]


# By what they are made of and how: graphs of one model have one packed weight.
_shared: weakref.WeakValueDictionary[Any, PackedWeight] = weakref.WeakValueDictionary()


@dataclass(frozen=True, slots=True)
class FreedWeight:
    """A weight that lies in a packed one alone.

    Args:
        tensor: the model's own, empty now.
        packed: all outputs of the linear layers that read the same tensor; or of all experts.
        first: of these outputs, where the weight begins.
        shape, dtype: of the weight.
        transposed: whether its last two dimensions are inputs and outputs, in this order.
    """

    tensor: Tensor
    packed: Tensor
    first: int
    shape: torch.Size
    dtype: torch.dtype
    transposed: bool = False

    @property
    def _is_packed(self) -> bool:
        """Whether the weight itself was packed, as bytes, before it was joined to others."""
        return self.dtype == torch.uint8

    def values(self) -> Tensor:
        """All of it, as it was."""
        if self._is_packed:
            first = self.first // PANEL
            return self.packed[first : first + self.shape[0]].clone()
        return self.rows(0, self.shape[0])

    def rows(self, first: int, last: int) -> Tensor:
        """Its rows [first, last): outputs, experts, inputs, or panels of outputs of one that was packed."""
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
        """Outputs and inputs."""
        a, b = self.shape[-2:]
        return (b, a) if self.transposed else (a, b)


def _unpacked(packed: Tensor, begin: int, end: int, inputs: int) -> Tensor:
    """The outputs [begin, end) of a packed weight: [end - begin, inputs]."""
    size = packed.shape[2]
    panels = packed[begin // size : -(-end // size)]
    skipped = begin // size * size
    rows = panels.transpose(1, 2).reshape(panels.shape[0] * size, -1)
    return rows[begin - skipped : end - skipped, :inputs]


def pack(
    recordings: Sequence[Recording],
    freed: list[FreedWeight],
    *,
    free: bool,
    quantization: str | None = None,
    held: list[PackedWeight] | None = None,
    region: Region | None = None,
) -> int:
    """Packs the weights of all products found, in place.

    Args:
        freed: gets those whose memory was given back.
        free: whether to give back what only products read.
        quantization: of linear layers' float weights: "int8", "int4" (what is returned comes of int8) or None.
        held: gets linear layers' weights, which are shared with other recordings while somebody holds them.
        region: where linear layers' float weights are to lie that stay floats; None: each for itself.

    Returns:
        Bytes of the packed weights.

    Raises:
        WrongWeight: a product with a packed weight is another one. Those before it are packed.
    """
    packing = _Packing(freed, recordings if free else None, quantization, held, region)
    kinds: dict[Any, Callable[[Recording, fx.Node], None]] = {
        linears: packing.linears,
        packed_linears: packing.linears,
        experts: packing.experts,
        by_head: packing.by_head,
    }
    for recording in recordings:
        for node in [each for each in recording.graph.nodes if each.target in kinds]:
            kinds[node.target](recording, node)
    for recording in recordings:
        recording.values.clear()
    return packing.num_bytes


class _Packing:
    """
    Args:
        freed: as of `pack`.
        readers: a weight that none of them has any more is given back; None: not at all.
        quantization, held, region: as of `pack`.
    """

    def __init__(
        self,
        freed: list[FreedWeight],
        readers: Sequence[Recording] | None,
        quantization: str | None = None,
        held: list[PackedWeight] | None = None,
        region: Region | None = None,
    ) -> None:
        self._freed, self._readers = freed, readers
        self._quantization, self._held, self._region = quantization, held, region
        self.num_bytes = 0

    def linears(self, recording: Recording, node: fx.Node) -> None:
        """All linear layers that read one tensor, of float weights or of packed ones of bytes."""
        plain = node.target is linears
        x, weight_nodes, *sizes, bias_nodes = node.args if plain else node.args[:-1]
        transposed = bool(node.kwargs.get("transposed"))
        weights = [recording.values[each] for each in weight_nodes]
        biases = [None if each is None else recording.values[each] for each in bias_nodes]
        options: dict[str, Any] = {}
        whole = None if plain else joined(weights)  # they lie behind each other already, and stay whole
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
                options["weight_scale"] = torch.cat([recording.values[each] for each in node.args[-1]])
        if any(bias is not None for bias in biases):
            dtype = recording.values[x].dtype
            parts = zip(counts, biases, strict=True)
            options["bias"] = torch.cat([torch.zeros(n, dtype=dtype) if bias is None else bias for n, bias in parts])
        self._replace(recording, node, ops.packed_linear.default, x, packed, (sum(counts),), options)
        first, gone = 0, set[fx.Node]()
        for each, weight, count in zip(weight_nodes, weights, counts, strict=True):
            if each not in gone:  # layers may share one
                recording.forget(each)
                if whole is None:
                    self._release(weight, packed, first, transposed)
            gone.add(each)
            first += count

    def _linear(self, weights: list[Tensor], matrices: list[Tensor], node: fx.Node) -> tuple[Tensor, dict[str, Any]]:
        """(packed, the operator's options) of float weights that are multiplied as these matrices [out, in]."""
        bits = _bits(self._quantization, matrices[0].shape[1], leads_to_output(node))
        if self._held is None:
            return _packed_in(bits, matrices, self._region)
        sources = tuple(weakref.ref(each) for each in weights)
        some = [some_of(each).flatten().numpy().tobytes() for each in weights]
        look = [(id(w), w.data_ptr(), version_of(w), found) for w, found in zip(weights, some, strict=True)]
        key = (bits, matrices[0].stride(), *look)
        known = _shared.get(key)
        if known is None or any(source() is not each for source, each in zip(known.sources, weights, strict=True)):
            known = _shared[key] = PackedWeight(*_packed_in(bits, matrices), sources)
        self._held.append(known)
        return known.tensor, dict(known.options)

    def experts(self, recording: Recording, node: fx.Node) -> None:
        """All experts' weights."""
        x, weight_node, expert_of_row, transposed = node.args
        weight = recording.values[weight_node]
        packed = _packed_each(weight, transposed)
        out_features = weight.shape[2 if transposed else 1]
        self._replace(recording, node, ops.packed_grouped_linear.default, x, packed, (out_features, expert_of_row))
        recording.forget(weight_node)
        self._release(weight, packed, 0, transposed)

    def by_head(self, recording: Recording, node: fx.Node) -> None:
        """A weight of each head, which is part of a tensor that others may read: it stays."""
        x, weight_node, transposed = node.args
        weight = recording.values[weight_node]
        packed = _packed_each(weight, transposed)
        self._replace(recording, node, packed_by_head, x, packed, (weight.shape[2 if transposed else 1],))
        recording.forget(weight_node)

    def _replace(
        self,
        recording: Recording,
        node: fx.Node,
        target: Any,
        x: fx.Node,
        packed: Tensor,
        rest: tuple[Any, ...],
        options: dict[str, Any] | None = None,
    ) -> None:
        with recording.graph.inserting_before(node):
            kwargs = {
                name: recording.constant(each) if isinstance(each, Tensor) else each
                for name, each in (options or {}).items()
            }
            args = (x, recording.constant(packed), *rest)
            new = recording.call(target, args, recording.values[node], **kwargs)
        node.replace_all_uses_with(new)
        recording.graph.erase_node(node)
        self.num_bytes += packed.nbytes

    def _release(self, weight: Tensor, packed: Tensor, first: int, transposed: bool) -> None:
        if self._readers is not None and not any(each.has(weight) for each in self._readers):
            self._freed.append(FreedWeight(weight, packed, first, weight.shape, weight.dtype, transposed))
            weight.data = weight.new_empty(0)


def version_of(tensor: Tensor) -> int:
    """How often torch has seen it written into; of an inference tensor it does not count."""
    return -1 if tensor.is_inference() else tensor._version


def some_of(tensor: Tensor) -> Tensor:
    """A view of some elements' bytes [count, itemsize], in even steps over all of them: most writes that torch does not
    count, as a fused optimizer's, change one."""
    tensor = tensor.detach()
    span = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    count = span if span == tensor.numel() else min(1, tensor.numel())  # what lies between is not its own
    return tensor.as_strided((count,), (1,)).view(torch.uint8).view(count, -1)[:: -(-count // _LOOKED_AT) or 1]


def _bits(quantization: str | None, inputs: int, returned: bool) -> int | None:
    """Of a weight; None: it stays a float. So few inputs that a scale would be most of a weight are left."""
    if quantization is None or inputs < GROUP_SIZES[0]:
        return None
    # As in LLM the head, whose result is what is returned, has eight.
    return 4 if quantization == "int4" and not returned and inputs % GROUP_SIZES[0] == 0 else 8


def _packed_in(bits: int | None, matrices: list[Tensor], region: Region | None = None) -> tuple[Tensor, dict[str, Any]]:
    """(packed, the operator's options)."""
    if bits is None:
        return _packed(matrices, region), {}
    whole = matrices[0] if len(matrices) == 1 else torch.cat(matrices)
    low, high = whole.detach().aminmax()
    if not bool(low.isfinite() & high.isfinite()):
        found = high if low.isfinite() else low
        raise ConfigError(f"quantization: a weight {tuple(whole.shape)} has a number of {found}, expected finite ones")
    if bits == 8:
        packed, scale = Int8Weight(whole.detach(), quantise_weight).pack()
        return packed, {"weight_scale": scale}
    size = next(each for each in reversed(GROUP_SIZES) if each <= _LARGEST_GROUP and whole.shape[1] % each == 0)
    packed, form = pack_grouped(round_weight(whole.detach(), size))
    return on_huge_pages(packed), {"format": form.code}


def _packed_each(weight: Tensor, transposed: bool) -> Tensor:
    """Each of several weights packed, [count, ..]: one after the other, so that there is never a second copy of all."""
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
    """[out, in] each, packed below each other, and found to be the same weights.

    Raises:
        WrongWeight: they are not.
    """
    packed = packed_whole([each.detach() for each in weights], region)
    x = torch.randn(2, weights[0].shape[1], generator=torch.Generator().manual_seed(2)).to(weights[0].dtype)
    found = ops.packed_linear(x, packed, sum(map(len, weights))).float()
    expected = torch.cat([torch.nn.functional.linear(x, each) for each in weights], dim=-1).float()
    if not (found - expected).norm() <= 0.01 * expected.norm():
        shapes = ", ".join(str(tuple(each.shape)) for each in weights)
        raise WrongWeight(f"a weight of shape {shapes} is another one when packed")
    return packed
