"""PagedCache: a transformers cache on block tables, for models with attn_implementation="torchpaged".

`update` records a layer's new keys, and the attention function, which transformers calls next, writes and reads them
(`PagedCache.attend`). Repeating, selecting, cropping and copying rows change tables only: no key is moved.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from transformers import PretrainedConfig
from transformers.cache_utils import Cache

from torchpaged.errors import EngineError, ModelError
from torchpaged.execution.growing_cache import GrowingKVCache
from torchpaged.integrations.families import FAMILIES, OWN_ATTENTION, supported
from torchpaged.integrations.transformers.batch_columns import Columns, ColumnStep
from torchpaged.integrations.transformers.paged_cache_layer import PagedCacheLayer, gathered, kept_columns, over_columns
from torchpaged.kv_cache.batch_tables import BatchTables, GrowingBlocks
from torchpaged.kv_cache.spec import ChunkedLocalAttentionSpec, FullAttentionSpec, KVCacheSpec, SlidingWindowSpec
from torchpaged.models.attention import attend
from torchpaged.models.attention_metadata import AttentionMetadata, LayerCache
from torchpaged.models.model import LayerShape

ATTENTION = "torchpaged"


@dataclass(eq=False)
class NewKeys:
    """A record of a layer's new keys and values, passed from `update` to the attention function.

    Args:
        latents: what latent attention caches; the model expands them to the keys and values that it attends with.
    """

    cache: PagedCache
    layer: int
    latents: tuple[Tensor, Tensor] | None = None
    written: bool = False


class _Latest(threading.local):
    """The last update in this thread. Latent attention computes new tensors from the result of `update`, so that the
    record cannot travel on the key tensor."""

    keys: NewKeys | None = None


_latest = _Latest()


def new_keys(layer: int | None, key: Tensor) -> NewKeys | None:
    """Return the record that `update` made for these keys; None if they do not come from a PagedCache."""
    latest, _latest.keys = _latest.keys, None
    found: NewKeys | None = getattr(key, "torchpaged_keys", None)
    if found is None and latest is not None and latest.layer == layer:
        found = latest
    if found is not None:
        found.cache.unread.pop(found.layer, None)
    return found


@dataclass(eq=False)
class _Group:
    """Layers that see the same tokens: their block tables and pools.

    Args:
        number: the step that `metadata` belongs to.
        metadata: attention metadata on the host.
        has_holes: a window counts padding between tokens in that step's rows.
        uploaded: copies of `metadata` by device.
    """

    tables: BatchTables
    pools: GrowingKVCache
    number: int = 0
    metadata: AttentionMetadata | None = None
    has_holes: bool = False
    uploaded: dict[torch.device, AttentionMetadata] = field(default_factory=dict)


@dataclass(eq=False)
class _Layer:
    """One layer: its group, and the last step that it wrote."""

    group: _Group
    number: int


class PagedCache(Cache):  # type: ignore[misc]  # transformers has no types
    """Keys and values in blocks that rows of a batch share until one of them writes.

    `generate`, or a forward with `use_cache`, creates one for a model with `attn_implementation="torchpaged"`; or
    create it yourself and pass it as `past_key_values`. Memory is allocated as tokens arrive, none for padding. A deep
    copy shares all blocks, so that one prompt's cache can be continued many times.

    Args:
        config: the model's, or its text model's.
        block_size: tokens in a block.

    Raises:
        ModelError: the model type is not supported, or is an encoder-decoder; the message says why.
        ValueError: block_size is below 1.
    """

    def __init__(self, config: PretrainedConfig, block_size: int = 16) -> None:
        super().__init__(layers=[])
        text = config.get_text_config(decoder=True)
        family = FAMILIES.get(text.model_type)
        if config.is_encoder_decoder or (family is not None and "cross" in family.attention):
            raise ModelError(
                f"PagedCache: model type {config.model_type!r} is an encoder-decoder, whose cache generate makes of "
                "two; run it with torchpaged.LLM, or set attn_implementation='sdpa'"
            )
        if family is None or family.reason is not None:
            why = "its output has not been verified against transformers' own" if family is None else family.reason
            raise ModelError(f"PagedCache: model type {text.model_type!r} is not supported: {why}; {supported()}")
        if text.model_type in OWN_ATTENTION:
            raise ModelError(
                f"PagedCache: model type {text.model_type!r} has attention of its own, which takes no attention "
                "function; run it with torchpaged.LLM, or set attn_implementation='eager'"
            )
        stateful = {"conv": "layers of convolution", "recurrent": "recurrent layers", "sparse": "indexers"}
        for kind in stateful.keys() & set(family.attention):
            raise ModelError(
                f"PagedCache: model type {text.model_type!r} has {stateful[kind]}, whose states or keys this cache "
                "does not keep; run it with torchpaged.LLM, or set attn_implementation='sdpa'"
            )
        if block_size < 1:
            raise ValueError(f"PagedCache: block_size is {block_size}, expected 1 or more tokens")
        self.config, self.block_size = text, block_size
        self.is_latent = "latent" in family.attention
        self._chunks = chunks_of(text)
        self._groups: dict[KVCacheSpec, _Group] = {}
        self._members: dict[int, _Layer] = {}
        self.unread: dict[int, NewKeys] = {}  # records of layers that have not attended since their update
        self._columns: Columns | None = None  # None: nothing was written yet
        self._step: ColumnStep | None = None
        self._number = 0  # steps begun so far
        self._repeats = self._runs = 1  # equal rows in a run: announced for the first forward, and found in it
        self._keeps_past = False
        self._owner = weakref.finalize(self, _release, self._groups)

    # --- transformers' interface: queries -----------------------------------------------------------------

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Return how many columns were written, padding included, as transformers counts."""
        if self._columns is None or self._step is None:
            return 0 if self._columns is None else self._columns.count
        before, member = self._columns.count - self._step.length, self._members.get(layer_idx)
        # Within a forward, a layer that has not attended yet is one step behind. In the first forward such a layer is
        # not in `_members` yet.
        behind = member.number < self._number if member is not None else not before
        return before if behind else self._columns.count

    def get_mask_sizes(self, query_length: int, layer_idx: int) -> tuple[int, int]:
        """Return (number of visible columns, first of them): all columns, for windows and chunks too."""
        return self.get_seq_length(layer_idx) + int(query_length), 0

    def get_max_length(self, layer_idx: int | None = None) -> int:
        """Return -1: there is no limit."""
        return -1

    @property
    def batch_size(self) -> int:
        """The number of rows; -1 before the first forward."""
        return -1 if self._columns is None else self._columns.num_rows

    @property
    def is_initialized(self) -> bool:
        """True once a forward has written to the cache."""
        return bool(self._members)

    @property
    def is_croppable(self) -> bool:
        """True: `crop` removes tokens."""
        return True

    def is_recording_past(self, layer_idx: int) -> bool:
        """Return True if windows keep passed tokens until the next `crop`."""
        return self._keeps_past

    @property
    def layers(self) -> list[PagedCacheLayer]:
        """Views of the layers that have attended, in order, to read keys and values as from transformers' caches."""
        return [PagedCacheLayer(self, index) for index in sorted(self._members)]

    @layers.setter
    def layers(self, given: list[Any]) -> None:
        if given:  # transformers' constructor assigns an empty list
            raise ValueError(f"PagedCache: layers is {given!r:.80}, expected []: layers are added as they attend")

    def spec_of(self, layer_idx: int) -> KVCacheSpec:
        """Return the cache spec of a layer that has attended."""
        return self._members[layer_idx].group.tables.spec

    def columns_of(self, layer_idx: int) -> tuple[Tensor, Tensor]:
        """Gather a layer's keys and values [batch, num_kv_heads, columns, head_dim], 0 in padded columns.

        For a window these are its last columns, as in transformers' own caches. For latent attention the keys are the
        latents, and the values their rotated parts.
        """
        group, columns = self._members[layer_idx].group, self._columns or Columns.empty(0)
        kept = kept_columns(group.tables.spec)
        first = 0 if kept is None else max(0, columns.count - kept)
        key, value = (each[:, :, first:] for each in self._gathered(group, layer_idx, columns))
        if self.is_latent:
            rank = self.config.kv_lora_rank
            key, value = key[..., :rank], key[..., rank:]
        return key, value

    def _gathered(self, group: _Group, layer_idx: int, columns: Columns) -> tuple[Tensor, Tensor]:
        cache = group.pools.caches[layer_idx]
        return gathered(cache.key, group.tables.rows, columns), gathered(cache.value, group.tables.rows, columns)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        rows = "empty" if self._columns is None else f"{self.batch_size} rows of {self._columns.count} columns"
        return f"PagedCache({rows}, {self.num_blocks} blocks of {self.block_size} tokens, {len(self)} layers)"

    @property
    def num_blocks(self) -> int:
        """Blocks in use in all groups of layers; a block that rows share counts once."""
        return sum(len({block for row in group.tables for block in row if block}) for group in self._groups.values())

    # --- transformers' interface: operations on rows ------------------------------------------------------

    def reset(self) -> None:
        """Remove all tokens; the next forward may have another batch size."""
        self._columns = self._step = None
        self.unread.clear()
        for member in self._members.values():
            member.number = self._number
        for group in self._groups.values():
            group.tables.clear()

    def crop(self, tokens_to_remove: int) -> None:
        """Remove the last columns, given as a negative number. 0 lets windows free the tokens that they have passed.

        Raises:
            ValueError: a positive number, or more columns than there are.
            EngineError: a window has freed tokens that the remaining ones would see. Call `activate_past_recording`
                before the forward to keep them.
        """
        if tokens_to_remove > 0:
            raise ValueError(f"PagedCache.crop: tokens_to_remove is {tokens_to_remove}, expected 0 or less")
        if self._columns is None:
            return
        if -tokens_to_remove > self._columns.count:
            raise ValueError(
                f"PagedCache.crop: tokens_to_remove is {tokens_to_remove}, the cache has {self._columns.count} columns"
            )
        left = self._columns.cropped(-tokens_to_remove)
        if not all(group.tables.reaches_back_to(left.lengths) for group in self._groups.values()):
            raise EngineError(
                f"PagedCache.crop: tokens_to_remove is {tokens_to_remove}, and a sliding window has freed tokens that "
                "the remaining ones see; call activate_past_recording() before the forward"
            )
        self._columns, self._step = left, None
        for group in self._groups.values():
            group.tables.cut(left.lengths)
            group.tables.give_back(left.lengths)

    def activate_past_recording(self) -> None:
        """Make windows keep passed tokens until the next `crop`."""
        self._keeps_past = True

    def reorder_cache(self, beam_idx: Tensor) -> None:
        """Replace the rows by these rows, which share their blocks."""
        self._select(beam_idx.tolist())

    def batch_repeat_interleave(self, repeats: int) -> None:
        """Repeat each row in place, `repeats` times; the copies share its blocks."""
        self._select([row for row in range(max(self.batch_size, 0)) for _ in range(repeats)])

    def batch_select_indices(self, indices: Tensor) -> None:
        """Keep the rows with these indices, or those where a mask is True."""
        rows = indices.nonzero().flatten() if indices.dtype == torch.bool else indices
        self._select(rows.tolist())

    def _select(self, indices: Sequence[int]) -> None:
        if self._columns is None:
            return
        self._columns, self._step = self._columns.selected(indices), None
        for group in self._groups.values():
            group.tables.select(indices)

    def __deepcopy__(self, memo: dict[int, Any]) -> PagedCache:
        other = PagedCache(self.config, self.block_size)
        other._columns, other._number, other._keeps_past = self._columns, self._number, self._keeps_past
        copies = {}
        for spec, group in self._groups.items():
            copies[id(group)] = other._groups[spec] = _Group(group.tables.copy(), group.pools)
        for index, member in self._members.items():
            other._members[index] = _Layer(copies[id(member.group)], member.number)
        return other

    # --- A forward ----------------------------------------------------------------------------------------

    def expect_repeats(self, repeats: int) -> None:
        """Announce that the first forward's rows come in runs of `repeats` equal rows, of which one is written."""
        self._repeats = repeats

    def update(
        self, key_states: Tensor, value_states: Tensor, layer_idx: int, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Record a layer's new keys and values [batch, num_kv_heads, columns, head_dim], and return them.

        Raises:
            EngineError: the model's attention is not torchpaged's.
        """
        if layer_idx in self.unread or self.config._attn_implementation not in (ATTENTION, None):
            raise EngineError(
                f"PagedCache: the attention of layer {layer_idx} does not read block tables (the cache's config says "
                f"{self.config._attn_implementation!r}); load the model with attn_implementation='torchpaged', or pass "
                "a DynamicCache"
            )
        latents = (key_states, value_states) if self.is_latent else None
        keys = NewKeys(self, layer_idx, latents)
        self.unread[layer_idx] = _latest.keys = keys
        if latents is None:
            key_states.torchpaged_keys = keys  # type: ignore[attr-defined]  # read by `new_keys`
        return key_states, value_states

    def begins(self, keys: NewKeys) -> bool:
        """Return True if these are the cache's first columns, so that attention needs no cached keys."""
        return not self.get_seq_length(keys.layer)

    def attend(
        self,
        keys: NewKeys,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None,
        *,
        sliding_window: int = 0,
        **options: Any,
    ) -> Tensor:
        """Write the layer's new keys and values, unless another layer wrote them, and attend over each row's columns.

        Args:
            keys: the result of `new_keys`.
            query: [batch, num_heads, columns, head_dim].
            key, value: the layer's own, [batch, num_kv_heads, columns, head_dim (head_dim_v)]; a value of width 0
                for latents.
            mask: [batch, all columns] bool, False for padding; None: no padding.
            options: those of `torchpaged.models.attention.attend`.

        Returns:
            [batch, columns, num_heads, head_dim_v]; 0 in padded columns.

        Raises:
            EngineError: the layer missed the last forward, or memory is used up.
            ValueError: the mask or the batch size does not fit the columns before.
        """
        batch, _, length, _ = query.shape
        member = self._members.get(keys.layer)
        if member is None:
            shape = LayerShape(key.shape[1], key.shape[3], value.shape[3], sliding_window)
            member = self._add_member(keys.layer, shape, value)
        if not keys.written:
            self._advance(member, keys.layer, batch, length, mask)
        step, group = self._step, member.group
        assert step is not None
        metadata = self._metadata(group, step, query.device)
        if length != step.length:  # Gemma 4: layers that share another's keys compute the last columns only
            step = step.tail(length)
            metadata = step.metadata(group.tables.rows, group.tables.spec).to(query.device)
        q, k, v = (step.pack(x.to(value.dtype)) for x in (query, key, value))
        cache = group.pools.caches[keys.layer]
        if keys.written:  # the layer shares another's keys
            out = _read(q, metadata, cache, sliding_window=sliding_window, **options)
        else:
            out = attend(q, k, v, metadata, cache, sliding_window=sliding_window, **options)
            keys.written = True
        if group.has_holes:  # transformers' window counts padded columns, which blocks do not hold: attend densely
            valid = step.after.valid
            assert valid is not None
            both = self._gathered(group, keys.layer, step.after)
            out = over_columns(query.to(value.dtype), *both, valid, sliding_window=sliding_window, **options)
            return out * valid[:, -length:, None, None].to(out.device)
        return step.unpack(out)

    def _add_member(self, index: int, shape: LayerShape, value: Tensor) -> _Layer:
        """Add a layer at its first attention: choose its group and allocate a pool."""
        chunk, block_size = self._chunks.get(index, 0), self.block_size
        spec: KVCacheSpec = FullAttentionSpec(block_size)
        if chunk:
            spec = ChunkedLocalAttentionSpec(math.gcd(block_size, chunk), chunk)
        elif shape.sliding_window:
            spec = SlidingWindowSpec(block_size, shape.sliding_window)
        if spec not in self._groups:
            self._groups[spec] = _Group(
                BatchTables(GrowingBlocks(), spec, 0),
                GrowingKVCache(spec.block_size, 1 / self.config.num_hidden_layers),
            )
        group = self._groups[spec]
        group.pools.add_layer(index, shape, value.dtype, value.device)
        self._members[index] = _Layer(group, 0)
        return self._members[index]

    def _advance(self, member: _Layer, index: int, batch: int, length: int, mask: Tensor | None) -> None:
        """Move a layer on to the current forward; the first layer that attends begins a new step."""
        if member.number == self._number:
            before = self._columns or Columns.empty(batch)
            self._step = before.step(batch, length, mask)
            self._runs = self._repeats if not before.count and self._step.are_runs(self._repeats) else 1
            self._columns, self._repeats = self._step.after, 1
            self._number += 1
        elif member.number != self._number - 1 or self._step is None:
            raise EngineError(
                f"PagedCache: layer {index} missed a forward that other layers took part in, perhaps one that failed; "
                "call reset() and start again"
            )
        member.number = self._number

    def _metadata(self, group: _Group, step: ColumnStep, device: torch.device) -> AttentionMetadata:
        """Return the group's metadata for the running step on a device; the first layer of the group builds it."""
        if group.number != self._number or group.metadata is None:
            self._grow(group, step)
        assert group.metadata is not None
        if group.metadata.seq_lens.device == device:
            return group.metadata
        if device not in group.uploaded:
            group.uploaded[device] = group.metadata.to(device)
        return group.uploaded[device]

    def _grow(self, group: _Group, step: ColumnStep) -> None:
        tables, repeats = group.tables, self._runs
        if not tables.rows:
            tables.rows = [[] for _ in range(len(step.lengths) // repeats)]
        if isinstance(tables.spec, ChunkedLocalAttentionSpec):
            step.require_no_holes()
        group.has_holes = isinstance(tables.spec, SlidingWindowSpec) and step.has_holes
        if not self._keeps_past:
            tables.give_back(step.firsts[::repeats])
        copies = tables.grow(step.lengths[::repeats], step.firsts[::repeats])
        if repeats > 1:
            tables.select([row for row in range(len(tables.rows)) for _ in range(repeats)])
        group.pools.reserve(tables.blocks.num_ids)
        group.pools.copy(copies)
        group.metadata = step.metadata(tables.rows, tables.spec, repeats)
        group.number, group.uploaded = self._number, {}

    def check(self) -> None:
        """Assert the invariants. Call it only on a cache that shares no blocks with a copy."""
        for group in self._groups.values():
            group.tables.blocks.check(group.tables.rows)
            assert self._columns is None or len(group.tables.rows) == self._columns.num_rows
            assert group.tables.blocks.num_ids <= min(cache.key.shape[0] for cache in group.pools.caches.values())


def _read(query: Tensor, metadata: AttentionMetadata, cache: LayerCache, **options: Any) -> Tensor:
    """Attend over a layer's cached keys without writing: [num_tokens, num_heads, head_dim_v]."""
    options.pop("latent_dim", None)
    out: Tensor = torch.ops.torchpaged.paged_attention(
        query,
        cache.key,
        cache.value,
        metadata.block_tables,
        metadata.seq_lens,
        metadata.query_start_loc,
        max_query_len=metadata.max_query_len,
        **options,
    )
    return out


def chunks_of(config: PretrainedConfig) -> dict[int, int]:
    """Return the attention chunk size of each layer that has one."""
    kinds, size = getattr(config, "layer_types", None) or (), getattr(config, "attention_chunk_size", None)
    return {i: size for i, kind in enumerate(kinds) if kind == "chunked_attention" and size}


def _release(groups: dict[KVCacheSpec, _Group]) -> None:
    """Free the blocks of a cache that was garbage-collected, for copies that share its pools."""
    for group in groups.values():
        group.tables.clear()
