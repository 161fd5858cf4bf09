"""Shim for vLLM's tests of its KV cache manager: torchpaged's manager under vLLM's names.

vLLM's own Python supplies requests, specs and, in the scheduler's tests, the scheduler. Features that torchpaged does
not have raise `NotThereError`, which the list of differences explains.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from typing import Any

os.environ["VLLM_TARGET_DEVICE"] = "cpu"  # read when vllm.platforms is imported

import peers_recorder
import vllm.model_executor.models.registry as registry
import vllm.v1.core.kv_cache_manager as theirs
import vllm.v1.core.sched.scheduler as their_scheduler
import vllm.v1.core.single_type_kv_cache_manager as their_managers
from vllm.v1.core.kv_cache_utils import make_block_hash_with_group_id
from vllm.v1.kv_cache_interface import (
    ChunkedLocalAttentionSpec,
    CrossAttentionSpec,
    FullAttentionSpec,
    SlidingWindowSpec,
)
from vllm.v1.metrics.stats import PrefixCacheStats

from torchpaged import kv_cache as ours


class NotThereError(Exception):
    """A feature of vLLM's manager that torchpaged's does not have."""


class Sequence_:
    """vLLM request as torchpaged's manager reads it."""

    def __init__(self, request: Any) -> None:
        self.request = request
        lora = request.lora_request
        inputs = tuple(
            ours.MultimodalKey(each.mm_position.offset, each.mm_position.length, each.identifier)
            for each in request.mm_features or ()
        )
        self.cache_keys = ours.CacheKeys(request.cache_salt, lora.lora_name if lora else None, inputs)
        self.num_encoder_tokens = 0
        self.num_hit = 0  # found in the cache: vLLM's tests do not always set it on the request

    @property
    def id(self) -> str:
        return str(self.request.request_id)

    @property
    def num_computed_tokens(self) -> int:
        return max(int(self.request.num_computed_tokens), self.num_hit)

    @property
    def token_ids(self) -> Sequence[int]:
        return list(self.request.all_token_ids)

    @property
    def num_prompt_tokens(self) -> int:
        return int(self.request.num_prompt_tokens)


class Block:
    """Our block with vLLM's attributes; there is one object per block, since tests compare identities."""

    def __init__(self, block: ours.KVCacheBlock, manager: KVCacheManager) -> None:
        self._block, self._manager = block, manager

    @property
    def block_id(self) -> int:
        return self._block.block_id

    @property
    def ref_cnt(self) -> int:
        return self._block.ref_count

    @property
    def is_null(self) -> bool:
        return self.block_id == 0

    @property
    def block_hash(self) -> Any:
        content = self._block.content
        if content is None:
            return None
        return make_block_hash_with_group_id(self._manager.their_hash[content.hash], content.group)

    def __repr__(self) -> str:
        return repr(self._block)


class FreeQueue:
    """Queue of free blocks, in the order of allocation."""

    def __init__(self, manager: KVCacheManager) -> None:
        self._manager = manager
        self.fake_free_list_head, self.fake_free_list_tail = _End(self, True), _End(self, False)

    @property
    def num_free_blocks(self) -> int:
        return self._manager.ours.pool.num_free

    def get_all_free_blocks(self) -> list[Block]:
        return [self._manager.block(each) for each in self._manager.ours.pool.free_blocks()]


class _End:
    def __init__(self, queue: FreeQueue, first: bool) -> None:
        self._queue, self._first = queue, first

    @property
    def next_free_block(self) -> Any:
        return (self._queue.get_all_free_blocks() or [self._queue.fake_free_list_tail])[0]

    @property
    def prev_free_block(self) -> Any:
        return (self._queue.get_all_free_blocks() or [self._queue.fake_free_list_head])[-1]


class Pool:
    """Block pool with vLLM's names."""

    def __init__(self, manager: KVCacheManager) -> None:
        self._manager = manager
        self.blocks = [manager.block(each) for each in manager.ours.pool.blocks]
        self.null_block = self.blocks[0]
        self.free_block_queue = FreeQueue(manager)
        self.enable_caching = manager.enable_caching
        self.num_gpu_blocks = len(self.blocks)

    def get_num_free_blocks(self) -> int:
        return self._manager.ours.pool.num_free

    def get_usage(self) -> float:
        pool = self._manager.ours.pool
        return 1 - pool.num_free / pool.num_usable

    @property
    def cached_block_hash_to_block(self) -> dict[Any, Block]:
        return {each.block_hash: each for each in self.blocks if each.block_hash is not None}

    def get_cached_block(self, block_hash: Any, kv_cache_group_ids: Sequence[int]) -> list[Block] | None:
        cached = self.cached_block_hash_to_block
        found = [cached.get(make_block_hash_with_group_id(block_hash, group)) for group in kv_cache_group_ids]
        return None if None in found else [each for each in found if each is not None]

    def __getattr__(self, name: str) -> Any:
        raise NotThereError(f"BlockPool.{name}")


class Tables:
    """Block tables of one group, by request."""

    def __init__(self, manager: KVCacheManager, group: int) -> None:
        self._manager, self.kv_cache_group_id = manager, group
        self.kv_cache_spec = manager.kv_cache_config.kv_cache_groups[group].kv_cache_spec
        self.block_size = self.kv_cache_spec.block_size
        self.req_to_blocks = self
        self.retains_longer_hit = False

    def __getitem__(self, name: str) -> list[Block]:
        return self._manager.tables(name)[self.kv_cache_group_id]

    def get(self, name: str, default: Any = None) -> Any:
        found = self[name]
        return found if any(found) else default

    def __contains__(self, name: str) -> bool:
        return name in self._manager.sequences and any(self[name])

    @property
    def num_cached_block(self) -> dict[str, int]:
        return {name: sum(each.block_hash is not None for each in self[name]) for name in self}

    def __len__(self) -> int:
        return sum(name in self for name in self._manager.sequences)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._manager.sequences if name in self)

    def __getattr__(self, name: str) -> Any:
        raise NotThereError(f"SingleTypeKVCacheManager.{name}")


class CrossTables(Tables):
    """Block tables of cross-attention."""


class Coordinator:
    """Coordinator with the groups' tables."""

    def __init__(self, manager: KVCacheManager) -> None:
        self.block_pool = manager.block_pool
        self.single_type_managers = tuple(
            (CrossTables if isinstance(group.spec, ours.CrossAttentionSpec) else Tables)(manager, index)
            for index, group in enumerate(manager.ours.groups)
        )
        self.eagle_group_ids: set[int] = set()
        self.enable_partial_hash_hits = False
        self.num_reprefillable_tokens = 0

    def __getattr__(self, name: str) -> Any:
        raise NotThereError(f"KVCacheCoordinator.{name}")


class KVCacheManager:
    """torchpaged's manager with vLLM's signatures."""

    def __init__(
        self,
        kv_cache_config: Any,
        max_model_len: int,
        scheduler_block_size: int,
        hash_block_size: int,
        max_in_flight_tokens: int | None = None,
        enable_caching: bool = True,
        use_eagle: bool = False,
        num_prefill_lookahead: int = 0,
        log_stats: bool = False,
        enable_kv_cache_events: bool = False,
        dcp_world_size: int = 1,
        pcp_world_size: int = 1,
        metrics_collector: Any = None,
        watermark: float = 0.0,
        enable_mamba_shared_prefix_checkpoint: bool = False,
    ) -> None:
        peers_recorder.touch()
        refused = {
            "use_eagle": use_eagle,
            "enable_kv_cache_events": enable_kv_cache_events,
            "dcp_world_size": dcp_world_size > 1,
            "pcp_world_size": pcp_world_size > 1,
            "hash_block_size": hash_block_size != scheduler_block_size,
            "prefix_cache_retention_interval": kv_cache_config.prefix_cache_retention_interval is not None,
            "hisparse_host_num_blocks": kv_cache_config.hisparse_host_num_blocks is not None,
            "metrics_collector": metrics_collector is not None,
        }
        if asked := [name for name, value in refused.items() if value]:
            raise NotThereError(f"KVCacheManager({asked[0]}=...)")
        self.kv_cache_config, self.max_model_len = kv_cache_config, max_model_len
        self.enable_caching, self.log_stats = enable_caching, log_stats
        self.use_eagle = False
        self.prefix_cache_stats = PrefixCacheStats() if log_stats else None
        self.max_in_flight_tokens = max_in_flight_tokens or max_model_len
        groups = [ours.KVCacheGroup(_spec(each.kv_cache_spec), (index,)) for index, each in _groups(kv_cache_config)]
        self.ours = ours.KVCacheManager(groups, kv_cache_config.num_blocks, enable_prefix_caching=enable_caching)
        self.block_size = self.ours.block_size
        self.num_kv_cache_groups = len(groups)
        self.watermark_blocks = int(watermark * kv_cache_config.num_blocks)
        self.sequences: dict[str, Sequence_] = {}
        self.their_hash: dict[bytes, Any] = {}
        self._blocks = {each.block_id: Block(each, self) for each in self.ours.pool.blocks}
        self.block_pool = Pool(self)
        self.coordinator = Coordinator(self)
        self.empty_kv_cache_blocks = theirs.KVCacheBlocks(tuple(() for _ in groups))
        self.retained_hit_group_ids: tuple[int, ...] = ()
        self.mamba_shared_prefix_checkpoint = False

    def block(self, block: ours.KVCacheBlock) -> Block:
        return self._blocks[block.block_id]

    def sequence(self, request: Any) -> Sequence_:
        """Return the request's sequence, and record vLLM's hashes of its blocks beside ours."""
        known = self.sequences.get(request.request_id)
        if known is None or known.request is not request:
            known = self.sequences[request.request_id] = Sequence_(request)
        if self.enable_caching:
            chain = self.ours._cache.chain(known, len(known.token_ids) // self.block_size)
            self.their_hash.update(zip(chain[1:], request.block_hashes, strict=False))
        return known

    @property
    def usage(self) -> float:
        return self.block_pool.get_usage()

    def make_prefix_cache_stats(self) -> PrefixCacheStats | None:
        if not self.log_stats:
            return None
        stats, self.prefix_cache_stats = self.prefix_cache_stats, PrefixCacheStats()
        return stats

    def prefix_cache_lookup_enabled(self, request: Any) -> bool:
        return self.enable_caching and not request.skip_reading_prefix_cache

    def record_prefix_cache_stats(self, request: Any, num_hits: int) -> None:
        if self.prefix_cache_stats is not None and self.prefix_cache_lookup_enabled(request):
            self.prefix_cache_stats.record(
                num_tokens=request.num_tokens, num_hits=num_hits, preempted=request.num_preemptions > 0
            )

    def get_computed_blocks(self, request: Any) -> tuple[Any, int, int]:
        if not self.prefix_cache_lookup_enabled(request):
            return self.empty_kv_cache_blocks, 0, 0
        found, _ = self.ours.get_computed_blocks(self.sequence(request))
        found = found.whole_blocks(self.block_size)  # ours also copies the beginning of a partly shared block
        blocks = theirs.KVCacheBlocks(tuple([self.block(each) for each in table] for table in found.tables))
        return blocks, found.num_tokens, 0

    def allocate_slots(
        self,
        request: Any,
        num_new_tokens: int,
        num_new_computed_tokens: int = 0,
        new_computed_blocks: Any = None,
        num_lookahead_tokens: int = 0,
        num_external_computed_tokens: int = 0,
        delay_cache_blocks: bool = False,
        num_encoder_tokens: int = 0,
        full_sequence_must_fit: bool = False,
        reserved_blocks: int = 0,
        has_scheduled_reqs: bool = True,
        skip_zeroing_group_ids: tuple[int, ...] = (),
    ) -> Any:
        if num_external_computed_tokens or delay_cache_blocks:
            raise NotThereError("allocate_slots(num_external_computed_tokens=...)")
        sequence = self.sequence(request)
        sequence.num_encoder_tokens = num_encoder_tokens or sequence.num_encoder_tokens
        computed = None
        if request.request_id not in self.ours._held:
            tables = new_computed_blocks.blocks if new_computed_blocks is not None else ()
            if any(tables) or request.num_computed_tokens == 0:
                kept = tuple([each._block for each in table] for table in tables) or ([],) * self.num_kv_cache_groups
                computed = ours.KVCacheBlocks(kept, (), num_new_computed_tokens)
        reserved = reserved_blocks + (self.watermark_blocks if has_scheduled_reqs and computed is not None else 0)
        if full_sequence_must_fit and request.num_tokens > self.ours.max_tokens(self.max_in_flight_tokens):
            return None
        if full_sequence_must_fit and computed is not None:
            revived = sum(b.ref_count == 0 and b.block_id != 0 for table in computed.tables for b in table)
            whole = sum(max(0, -(-request.num_tokens // self.block_size) - len(t)) for t in computed.tables)
            full = all(type(group.spec) is ours.FullAttentionSpec for group in self.ours.groups)
            if full and whole > self.ours.pool.num_free - revived:
                return None
        added = self.ours.allocate_slots(
            sequence,
            num_new_tokens,
            computed=computed,
            num_lookahead_tokens=num_lookahead_tokens,
            num_reserved_blocks=reserved,
        )
        if added is None:
            return None
        if computed is not None:
            sequence.num_hit = computed.num_tokens
        self.ours.commit()  # vLLM's tests have no step between two calls
        skipped = [len(table) for table in computed.tables] if computed else [0] * self.num_kv_cache_groups
        blocks = tuple(
            [self._blocks[name] for name in names[count:]] for names, count in zip(added, skipped, strict=True)
        )
        self.ours.check()
        return theirs.KVCacheBlocks(blocks)

    def free(self, request: Any) -> None:
        self.ours.free(self.sequence(request))
        self.sequences.pop(request.request_id)
        self.ours.check()

    def tables(self, name: str) -> tuple[list[Block], ...]:
        if name not in self.sequences:
            return tuple([] for _ in range(self.num_kv_cache_groups))
        return tuple([self._blocks[each] for each in ids] for ids in self.ours.block_ids(self.sequences[name]))

    def get_blocks(self, request_id: str) -> Any:
        return theirs.KVCacheBlocks(self.tables(request_id))

    def get_block_ids(self, request_id: str) -> tuple[list[int], ...]:
        return self.get_blocks(request_id).get_block_ids()

    def reset_prefix_cache(self) -> bool:
        return self.ours.reset_prefix_cache()

    def create_kv_cache_blocks(self, blocks: Any) -> Any:
        return theirs.KVCacheBlocks(blocks) if any(blocks) else self.empty_kv_cache_blocks

    def get_num_common_prefix_blocks(self, running_request_id: str) -> list[int]:
        return [0] * self.num_kv_cache_groups  # for cascade attention, which torchpaged does without

    def take_events(self) -> list[Any]:
        return []

    def take_new_block_ids(self) -> list[int]:
        return []

    def take_kv_cache_block_copies(self, *_: Any, **__: Any) -> tuple[list[Any], list[Any]]:
        return [], []

    def take_boundary_state_offloads(self, *_: Any, **__: Any) -> list[Any]:
        return []

    def estimate_cached_tokens(self, request: Any) -> int:
        return self.sequence(request).num_hit

    def new_step_starts(self) -> None:
        self.ours.commit()

    def __getattr__(self, name: str) -> Any:
        raise NotThereError(f"KVCacheManager.{name}")


def _groups(config: Any) -> list[tuple[int, Any]]:
    return list(enumerate(config.kv_cache_groups))


def _spec(spec: Any) -> Any:
    if type(spec) is FullAttentionSpec and spec.sliding_window is None:
        return ours.FullAttentionSpec(spec.block_size)
    if type(spec) is SlidingWindowSpec:
        return ours.SlidingWindowSpec(spec.block_size, spec.sliding_window)
    if type(spec) is ChunkedLocalAttentionSpec:
        return ours.ChunkedLocalAttentionSpec(spec.block_size, spec.attention_chunk_size)
    if type(spec) is CrossAttentionSpec:
        return ours.CrossAttentionSpec(spec.block_size)
    raise NotThereError(type(spec).__name__)


def _inspected(self: Any) -> Any:
    """Return the info of a plain decoder; vLLM would load the model's class in another process."""
    flags = {field.name: False for field in dataclasses.fields(registry._ModelInfo)}
    flags |= {"architecture": self.class_name, "is_text_generation_model": True, "supports_pp": True}
    flags |= {"attn_type": "decoder", "default_seq_pooling_type": "LAST", "default_tok_pooling_type": "ALL"}
    flags |= {"score_type": "bi-encoder", "supported_video_pruning_methods": ()}
    return registry._ModelInfo(**flags)


registry._LazyRegisteredModel.inspect_model_cls = _inspected
their_managers.CrossAttentionManager = CrossTables  # type: ignore[assignment, misc]
theirs.KVCacheManager = KVCacheManager  # type: ignore[misc]
their_scheduler.KVCacheManager = KVCacheManager  # type: ignore[misc]
