"""AttentionMetadata and StepMetadata: the device tensors that one step's operators read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class LayerCache:
    """One layer's pool of keys and values.

    Args:
        key: [num_blocks, block_size, num_kv_heads, head_dim], or bytes of a 4-bit pool (`ops/int4_cache.py`).
        value: likewise with head_dim_v; of width 0 and without a scale where values are a part of the keys.
        k_scale, v_scale: [num_blocks, block_size, num_kv_heads] float32 of a pool in int8 or float8; else None.
        key_factor: [num_kv_heads, head_dim], powers of two that keys are multiplied by before they are written;
            queries are divided by them. None for 1.
        index: pools of the layer's index keys, one for each `IndexShape`, with keys
            [num_blocks, block_size / tokens_per_row, heads, dim] and values of width 0. Block ids are the same.
    """

    key: Tensor
    value: Tensor
    k_scale: Tensor | None = None
    v_scale: Tensor | None = None
    key_factor: Tensor | None = None
    index: tuple[LayerCache, ...] = field(default=(), kw_only=True)

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Return the pool's tensors, those of the index last, without those that are None."""
        own = tuple(each for each in (self.key, self.value, self.k_scale, self.v_scale) if each is not None)
        return own + tuple(each for part in self.index for each in part.tensors)

    def with_tensors(self, tensors: Iterator[Tensor]) -> LayerCache:
        """Return a pool like this one of other tensors, in the order of `tensors`."""
        names = ("key", "value", "k_scale", "v_scale")
        own: dict[str, Any] = {name: None if getattr(self, name) is None else next(tensors) for name in names}
        return replace(self, **own, index=tuple(part.with_tensors(tensors) for part in self.index))


@dataclass(frozen=True, slots=True)
class RowCache:
    """One layer's pool of convolution inputs: a token's row is split over these tensors, in order.

    Each is [num_blocks, block_size, num_heads, head_dim]. Attention layers may use the same tensors, since a block
    belongs to one group of layers at a time.
    """

    tensors: tuple[Tensor, ...]


@dataclass(frozen=True, slots=True)
class StateCache:
    """One recurrent layer's pools: states at chunk boundaries, and rows of the tokens since the last boundary.

    A state slot belongs to a boundary, a multiple of `chunk` tokens; a tail slot to a chunk. The operators define their
    contents.

    Args:
        state: [num_state_slots, ...] float32.
        tail: [num_tail_slots, chunk, width] float32.
        conv_state: [num_state_slots, width - 1, channels], the last inputs of the layer's convolution before the
            boundary; None where it has none.
        conv_tail: [num_tail_slots, chunk, channels], its inputs since then.
    """

    state: Tensor
    tail: Tensor
    conv_state: Tensor | None = None
    conv_tail: Tensor | None = None

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Return the tensors, without those that are None."""
        return tuple(each for each in (self.state, self.tail, self.conv_state, self.conv_tail) if each is not None)


@dataclass(frozen=True, slots=True)
class AttentionMetadata:
    """Slots, block tables and lengths of a step, for all layers that share block tables.

    Args:
        slot_mapping: [num_tokens] int64, the slot of each token; -1 is padding. In cross-attention: of each encoder
            token of this step.
        block_tables: [num_seqs, max_blocks_per_seq] int32.
        seq_lens: [num_seqs] int32, tokens in the cache, this step's included.
        query_start_loc: [num_seqs + 1] int32, cumulative query lengths.
        max_query_len: the longest query of the step, a hint.
        causal: False in cross-attention, where a query attends to every token of its sequence. The operators align a
            query with the end of its keys, so a query longer than its keys is split into several sequences.
        tree_mask: [num_tokens, max_query_len] bool, which of the step's tokens of its sequence each token sees, where
            those of an image see each other; None: itself and earlier ones.
        masks_windows: the mask is for layers with a window alone.
        sees: [num_tokens, 1] bool, which tokens have a key at all, in layers that attend to images; None: all have.
    """

    slot_mapping: Tensor
    block_tables: Tensor
    seq_lens: Tensor
    query_start_loc: Tensor
    max_query_len: int
    causal: bool = True
    tree_mask: Tensor | None = None
    masks_windows: bool = False
    sees: Tensor | None = None

    def mark_dynamic(self, *rows: Tensor) -> None:
        """Tell torch.compile which sizes vary from step to step, so that it makes one graph for all steps.

        Otherwise each size that is 1 at first (one token, one sequence, a table of one block) gets a graph of its own.
        It is enough to mark the first step. Each value of `max_query_len` gets a graph too; with 0 there is only one.

        Args:
            rows: other tensors with one row per token: input ids, positions, hidden states.
        """
        from torch._dynamo.decorators import mark_unbacked  # takes a second to import, and only compilation needs it

        for tensor in (*rows, self.slot_mapping, self.block_tables, self.seq_lens, self.query_start_loc):
            mark_unbacked(tensor, 0)
        mark_unbacked(self.block_tables, 1)

    def to(self, device: torch.device) -> AttentionMetadata:
        """Return a copy with its tensors on a device."""
        return AttentionMetadata(
            self.slot_mapping.to(device),
            self.block_tables.to(device),
            self.seq_lens.to(device),
            self.query_start_loc.to(device),
            self.max_query_len,
            self.causal,
            None if self.tree_mask is None else self.tree_mask.to(device),
            self.masks_windows,
            None if self.sees is None else self.sees.to(device),
        )


class AdapterPool(NamedTuple):
    """Adapters of one linear module by slot, or of several that are computed by one product.

    Args:
        lora_a: [num_slots, parts * max_rank, in_features].
        lora_b: [num_slots, max_rank, sum of sizes].
        ranks: [num_slots, parts] int32, the rank of each part; what lies behind it is not read.
        sizes: outputs of each part.
    """

    lora_a: Tensor
    lora_b: Tensor
    ranks: Tensor
    sizes: tuple[int, ...]

    def part(self, index: int) -> AdapterPool:
        """Return the pool of one of the modules, as views."""
        rank, begin = self.lora_b.shape[1], sum(self.sizes[:index])
        size = self.sizes[index]
        a, b = self.lora_a.narrow(1, index * rank, rank), self.lora_b.narrow(2, begin, size)
        return AdapterPool(a, b, self.ranks.narrow(1, index, 1), (size,))


class AdapterPools:
    """The pools of all linear modules.

    Args:
        groups: pools by the names of their modules; each module is in one.

    Attributes:
        groups: as above.
        tensors: of all pools, in order.
        layout: names, shapes and dtype, as a text.
    """

    def __init__(self, groups: Mapping[tuple[str, ...], AdapterPool]) -> None:
        self.groups = dict(groups)
        self.tensors = tuple(tensor for pool in self.groups.values() for tensor in pool[:3])
        shapes = [(names, *(tuple(each.shape) for each in pool[:3])) for names, pool in self.groups.items()]
        self.layout = repr((shapes, {each.dtype for each in self.tensors}))
        self._places = {name: (names, i) for names in self.groups for i, name in enumerate(names)}

    def of(self, modules: tuple[str, ...]) -> list[AdapterPool]:
        """Return the pool of modules whose results lie side by side; of each module if they have none in common."""
        if (found := self.groups.get(modules)) is not None:
            return [found]
        return [self.groups[names].part(i) for names, i in map(self._places.__getitem__, modules)]

    def with_tensors(self, tensors: Iterable[Tensor]) -> AdapterPools:
        """Return pools with other tensors, in the order of `tensors`."""
        left = iter(tensors)
        groups = self.groups.items()
        return AdapterPools(
            {name: AdapterPool(next(left), next(left), next(left), pool.sizes) for name, pool in groups}
        )


@dataclass(frozen=True, slots=True)
class StepAdapters:
    """The adapter of each token of a step.

    Args:
        slots: [num_tokens] int32, the slot of each token's adapter; -1: it has none.
        pools: of the model's linear modules.
    """

    slots: Tensor
    pools: AdapterPools


@dataclass(frozen=True, eq=False)
class StepMetadata:
    """A step as a model's forward takes it: the metadata of each kind of layer, and every layer's pool.

    Compared by identity, and without slots, so that what is derived from it can be kept as long as it lives.

    Args:
        groups: one for each set of layers that share block tables and read them the same way.
        group_of_layer: by layer index, the place in `groups`.
        caches: by layer index, None for a layer without attention. Layers of different groups may share tensors: their
            block ids differ.
        encoder_states: [num_tokens, hidden], the encoder's output for requests that begin, packed; None if none does.
        states: by layer index, None for a layer that is not recurrent; empty without recurrent layers.
        state_group: the place in `groups` of the state slots' tables, which the tail slots' follow; -1: there are none.
        adapters: of the tokens; None: no token has one.
    """

    groups: Sequence[AttentionMetadata]
    group_of_layer: Sequence[int]
    caches: Sequence[LayerCache | RowCache | None]
    encoder_states: Tensor | None = None
    states: Sequence[StateCache | None] = ()
    state_group: int = -1
    adapters: StepAdapters | None = None

    def of_layer(self, index: int) -> tuple[AttentionMetadata, LayerCache]:
        """Return what `attend` and `PagedAttention` take in this layer."""
        cache = self.caches[index]
        assert isinstance(cache, LayerCache)
        return self.groups[self.group_of_layer[index]], cache

    def of_convolution(self, index: int) -> tuple[AttentionMetadata, RowCache]:
        """Return what `convolve` takes in this layer."""
        cache = self.caches[index]
        assert isinstance(cache, RowCache)
        return self.groups[self.group_of_layer[index]], cache

    def of_state(self, index: int) -> tuple[AttentionMetadata, AttentionMetadata, StateCache]:
        """Return what an operator over states takes in this layer: (metadata of states, metadata of tails, slots).

        The block tables hold the slot of each chunk.
        """
        cache = self.states[index]
        assert cache is not None
        return self.groups[self.state_group], self.groups[self.state_group + 1], cache
