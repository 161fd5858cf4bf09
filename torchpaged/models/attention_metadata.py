"""AttentionMetadata and StepMetadata: the device tensors that one step's operators read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class LayerCache:
    """One layer's pool: key [num_blocks, block_size, num_kv_heads, head_dim], value likewise with head_dim_v.

    A quantised pool has its scales beside it, [num_blocks, block_size, num_kv_heads] float32. Where values are a
    part of the keys, `value` has width 0 and no scale.

    Args:
        key_factor: [num_kv_heads, head_dim], what keys are multiplied with before they are written, powers of two;
            queries are divided by it. None for 1.
    """

    key: Tensor
    value: Tensor
    k_scale: Tensor | None = None
    v_scale: Tensor | None = None
    key_factor: Tensor | None = None

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Those of the pool that are there."""
        return tuple(each for each in (self.key, self.value, self.k_scale, self.v_scale) if each is not None)


@dataclass(frozen=True, slots=True)
class RowCache:
    """The inputs of one layer's convolution: a token's row lies in these tensors, one after the other.

    Each is [num_blocks, block_size, num_heads, head_dim], and may be a tensor of layers of attention too: a block is of
    one group of layers at a time.
    """

    tensors: tuple[Tensor, ...]


@dataclass(frozen=True, slots=True)
class StateCache:
    """One recurrent layer's pools: the state behind a chunk of tokens, and the rows of the chunk that is not complete.

    A state slot is of a boundary, a multiple of `chunk` tokens; a tail slot of a chunk. What lies in them is the
    operators' business: see `ops.docs`.

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
        """Those that are there."""
        return tuple(each for each in (self.state, self.tail, self.conv_state, self.conv_tail) if each is not None)


@dataclass(frozen=True, slots=True)
class AttentionMetadata:
    """Where this step's tokens go and what they attend to, in all layers that share block tables.

    Args:
        slot_mapping: [num_tokens] int64, the slot of each token; -1 is padding. In cross-attention: of each token that
            the encoder has read for this step.
        block_tables: [num_seqs, max_blocks_per_seq] int32.
        seq_lens: [num_seqs] int32, tokens in the cache, this step's included.
        query_start_loc: [num_seqs + 1] int32, cumulative query lengths.
        max_query_len: the longest query of the step, a hint.
        causal: False in cross-attention: a query sees every token of its sequence. No query is longer than its keys
            there, since the operators put it at their end: a longer one stands as several sequences.
    """

    slot_mapping: Tensor
    block_tables: Tensor
    seq_lens: Tensor
    query_start_loc: Tensor
    max_query_len: int
    causal: bool = True

    def mark_dynamic(self, *rows: Tensor) -> None:
        """Tells torch.compile which sizes differ from step to step, so that it makes one graph of all steps.

        Without it each size that is 1 at first (a token, a sequence, a table of one block) is a graph of its own. It is
        enough to mark the first step. `max_query_len` is a number and counts too: 0 leaves it open, and is one graph.

        Args:
            rows: what else has a row a token: input ids, positions, hidden states.
        """
        from torch._dynamo.decorators import mark_unbacked  # a second, for those who compile

        for tensor in (*rows, self.slot_mapping, self.block_tables, self.seq_lens, self.query_start_loc):
            mark_unbacked(tensor, 0)
        mark_unbacked(self.block_tables, 1)

    def to(self, device: torch.device) -> AttentionMetadata:
        """With its tensors on a device."""
        return AttentionMetadata(
            self.slot_mapping.to(device),
            self.block_tables.to(device),
            self.seq_lens.to(device),
            self.query_start_loc.to(device),
            self.max_query_len,
            self.causal,
        )


@dataclass(frozen=True, slots=True)
class StepMetadata:
    """What a model's forward is handed: the metadata of each kind of layer, and every layer's pool.

    Args:
        groups: one for each set of layers that share block tables and read them alike.
        group_of_layer: by layer index, the place in `groups`.
        caches: by layer index, None for a layer without attention. Layers of different groups may share tensors: their
            block ids differ.
        states: by layer index, None for a layer that is not recurrent; empty where none is.
        state_group: the place in `groups` of the state slots' tables; behind it are the tail slots'.
        encoder_states: [num_tokens, hidden], what the encoder has made of its input for requests that begin, packed;
            None when none does.
    """

    groups: Sequence[AttentionMetadata]
    group_of_layer: Sequence[int]
    caches: Sequence[LayerCache | RowCache | None]
    encoder_states: Tensor | None = None
    states: Sequence[StateCache | None] = ()
    state_group: int = -1

    def of_layer(self, index: int) -> tuple[AttentionMetadata, LayerCache]:
        """What `attend` and `PagedAttention` take in this layer."""
        cache = self.caches[index]
        assert isinstance(cache, LayerCache)
        return self.groups[self.group_of_layer[index]], cache

    def of_convolution(self, index: int) -> tuple[AttentionMetadata, RowCache]:
        """What `convolve` takes in this layer."""
        cache = self.caches[index]
        assert isinstance(cache, RowCache)
        return self.groups[self.group_of_layer[index]], cache

    def of_state(self, index: int) -> tuple[AttentionMetadata, AttentionMetadata, StateCache]:
        """What an operator over states takes in this layer: (metadata of the states, of the tails, their slots).

        Their block tables are the slots of each chunk.
        """
        cache = self.states[index]
        assert cache is not None
        return self.groups[self.state_group], self.groups[self.state_group + 1], cache
