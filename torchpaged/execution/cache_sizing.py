"""What a model's settings make of memory: which layers share tables, bytes of blocks and slots, how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from torchpaged.config import KV_CACHE_DTYPES, EngineConfig
from torchpaged.errors import ConfigError
from torchpaged.execution.paged_kv_cache import bytes_per_block, kv_cache_groups, memory_for_pools, tensor_slots
from torchpaged.kv_cache.spec import KVCacheGroup, StateSpec, TailSpec
from torchpaged.models.model import ModelSpec, PagedModel


@dataclass(frozen=True, slots=True)
class Slots:
    """How many a model's recurrent layers have, the null slot included; 0: none.

    Args:
        states: of states at boundaries: two for each sequence that runs, and what is kept to be found.
        tails: of the tokens since: two for each sequence that runs.
        swap_states, swap_tails: on the host, without a null slot.
    """

    states: int = 0
    tails: int = 0
    swap_states: int = 0
    swap_tails: int = 0


# What a pool has that is made to measure with.
LEAST_SLOTS = Slots(2, 2)


def groups_of(model: PagedModel, config: EngineConfig) -> list[KVCacheGroup]:
    """Which layers share block tables, for sequences as long as the settings allow; those of slots are the last two."""
    spec, longest = model.spec, config.max_model_len or model.spec.max_model_len
    groups = kv_cache_groups(spec.layers, config.block_size, max_model_len=longest) if spec.layers else []
    if spec.states:
        recurrent = tuple(spec.states)
        groups.append(KVCacheGroup(StateSpec(spec.state_chunk, config.state_checkpoint_interval), recurrent))
        groups.append(KVCacheGroup(TailSpec(spec.state_chunk), recurrent))
    return groups


def groups_of_blocks(groups: Sequence[KVCacheGroup]) -> list[KVCacheGroup]:
    """Those whose tables are of blocks, not of slots."""
    return [group for group in groups if not isinstance(group.spec, (StateSpec, TailSpec))]


def block_bytes(model: PagedModel, config: EngineConfig, groups: Sequence[KVCacheGroup]) -> int:
    """What one block takes in all of the pool's tensors, on the device or in the swap pool."""
    shapes = tensor_slots(model.spec.layers, groups_of_blocks(groups))
    return bytes_per_block(shapes, config.block_size, cache_dtype(model, config))


def slot_bytes(spec: ModelSpec) -> tuple[int, int]:
    """What a state slot and a tail slot take in all layers."""
    states = sum(shape.state_bytes(spec.dtype) for shape in spec.states.values())
    return states, sum(shape.tail_bytes(spec.state_chunk, spec.dtype) for shape in spec.states.values())


def slots_bytes(model: PagedModel, slots: Slots) -> int:
    """What slots take on the device."""
    state, tail = slot_bytes(model.spec)
    return slots.states * state + slots.tails * tail


def num_slots(model: PagedModel, config: EngineConfig) -> Slots:
    """Slots for as many sequences as may run, where half of the memory has room for them, and for checkpoints.

    Raises:
        ConfigError: not one sequence has room, or slots are asked for that nothing would be kept in.
    """
    spec = model.spec
    if not spec.states:
        if config.num_state_slots is not None:
            raise ConfigError(
                f"EngineConfig: num_state_slots is {config.num_state_slots}, but {spec.name} has no layer that keeps "
                "states; leave it out"
            )
        return Slots()
    state, tail = slot_bytes(spec)
    given = config.kv_cache_memory_bytes
    room = memory_for_pools(spec.device, config.gpu_memory_utilization) if given is None else given
    seqs = min(config.max_num_seqs, room // 2 // (2 * (state + tail)))
    if seqs < 1:
        what = "kv_cache_memory_bytes" if given is not None else "gpu_memory_utilization"
        raise ConfigError(
            f"EngineConfig: {what} is {getattr(config, what)}, which leaves {max(0, room):,} bytes; a sequence of "
            f"{spec.name} takes {2 * (state + tail):,} for its states, expected twice that; raise it"
        )
    states = config.num_state_slots
    if states is None:
        longest = config.max_model_len or spec.max_model_len
        useful = config.max_num_seqs * (2 + longest // config.state_checkpoint_interval)
        checkpoints = min(useful, int(config.state_checkpoint_memory * room) // state)
        states = 1 + 2 * seqs + (checkpoints if config.enable_prefix_caching else 0)
    parts = 2 if spec.layers else 1  # what swaps has blocks too
    host = min(config.max_num_seqs, int(config.swap_space * 2**30) // parts // (state + tail))
    return Slots(states, 1 + 2 * seqs, host, host)


def cache_dtype(model: PagedModel, config: EngineConfig) -> torch.dtype:
    """Of the pool's tensors.

    Raises:
        ConfigError: one that the inputs of the model's convolutions cannot have.
    """
    name = KV_CACHE_DTYPES[config.kv_cache_dtype]
    if name is not None and any(shape.convolution for shape in model.spec.layers.values()):
        raise ConfigError(
            f"EngineConfig: kv_cache_dtype is {config.kv_cache_dtype!r}, but {model.spec.name} has layers of "
            "convolution, whose inputs lie in the same blocks in the model's own type; expected 'auto'"
        )
    return model.spec.dtype if name is None else getattr(torch, name)


def num_asked_blocks(model: PagedModel, config: EngineConfig, slots: Slots) -> int | None:
    """Blocks of the pool where the settings say how many, or how many bytes; None: what there is room for.

    Raises:
        ConfigError: not even the null block and one more.
    """
    per_block = block_bytes(model, config, groups_of(model, config))
    if not per_block:  # all layers are recurrent: there is nothing to lie in a block
        return 2
    if config.kv_cache_memory_bytes is None:
        return config.num_blocks
    count = (config.kv_cache_memory_bytes - slots_bytes(model, slots)) // per_block
    if count < 2:
        raise ConfigError(
            f"EngineConfig: kv_cache_memory_bytes is {config.kv_cache_memory_bytes}, a block takes {per_block} bytes; "
            "expected two blocks or more"
        )
    return count


def num_swap_blocks(model: PagedModel, config: EngineConfig, slots: Slots) -> int:
    """Blocks that `swap_space` has room for, beside slots.

    Raises:
        ConfigError: not one.
    """
    if not config.swap_space:
        return 0
    per_block = block_bytes(model, config, groups_of(model, config))
    spec = model.spec
    state, tail = slot_bytes(spec)
    room = int(config.swap_space * 2**30) - slots.swap_states * state - slots.swap_tails * tail
    count = room // per_block if per_block else 1
    if count < 1 or (spec.states and not slots.swap_states):
        least = per_block + (2 if spec.layers else 1) * (state + tail)
        raise ConfigError(
            f"EngineConfig: swap_space is {config.swap_space} GiB, a block takes {least >> 10} KiB; raise it, or set 0"
        )
    return count
