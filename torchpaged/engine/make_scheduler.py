"""Makes an engine's scheduler from the resolved settings, over the pool that its executor has allocated."""

from __future__ import annotations

from torchpaged.config import EngineConfig
from torchpaged.engine.adapters import AdapterRegistry, num_pinnable
from torchpaged.execution.executor import Executor
from torchpaged.kv_cache import KVCacheManager, MemoryLimit
from torchpaged.models.model import PagedModel, media_encoder_of
from torchpaged.scheduling import Scheduler
from torchpaged.scheduling.adapter_turns import AdapterTurns
from torchpaged.scheduling.drafter import Drafter

# Tokens with logprobs beside decodes. On 2 cores (AVX2) 4 of stdlib-lm make a decode's step twice as long, and on a
# GPU a few hundred rows take little longer than one.
_MOST_SCORED_CPU, _MOST_SCORED_GPU = 4, 256


def make_scheduler(
    model: PagedModel,
    executor: Executor,
    config: EngineConfig,
    drafter: Drafter | None,
    limit: MemoryLimit | None,
    adapters: AdapterRegistry | None,
) -> Scheduler:
    """Return a scheduler over the executor's pool.

    Args:
        config: resolved.
        drafter: proposes drafts; None: no speculation.
        limit: bytes that the pool may take; None: all of it is allocated.
        adapters: of requests; None: they have none.
    """
    manager = KVCacheManager(
        executor.groups,
        executor.num_blocks,
        block_size=config.block_size,
        num_swap_blocks=executor.num_swap_blocks,
        num_state_slots=executor.slots.states,
        num_tail_slots=executor.slots.tails,
        num_swap_state_slots=executor.slots.swap_states,
        num_swap_tail_slots=executor.slots.swap_tails,
        enable_prefix_caching=config.enable_prefix_caching,
        eviction_policy=config.eviction_policy,
        limit=limit,
        block_bytes=executor.block_bytes,
        tier_reader=executor.tier,
        writes_through=config.prefix_cache_write == "through",
    )
    turns = None
    if adapters is not None:
        turns = AdapterTurns(adapters, config.max_loras, max_claims=config.num_host_adapters - num_pinnable(config))
    assert config.max_model_len is not None, "the settings are not resolved"
    return Scheduler(
        manager,
        max_num_seqs=config.max_num_seqs,
        max_num_batched_tokens=config.max_num_batched_tokens,
        max_model_len=config.max_model_len,
        long_prefill_token_threshold=config.long_prefill_token_threshold,
        enable_chunked_prefill=config.enable_chunked_prefill,
        policy=config.scheduling_policy,
        preemption_mode=config.preemption_mode,
        watermark=config.watermark,
        drafter=drafter,
        max_step_ms=config.max_step_ms,
        adapter_turns=turns,
        max_encoder_tokens=None if media_encoder_of(model) is None else config.num_encoder_tokens,
        encoder_cache_tokens=config.num_kept_encoder_tokens,
        keeps_media_whole=model.spec.media_attends_both_ways,
        max_scored_tokens=_MOST_SCORED_CPU if model.spec.device.type == "cpu" else _MOST_SCORED_GPU,
        holds_media=bool(model.spec.media_layers),
    )
