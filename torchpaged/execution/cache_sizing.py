"""Sizes of a model's cache: groups of layers that share tables, bytes of blocks and slots, and how many to allocate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from torchpaged.config import KV_CACHE_DTYPES, EngineConfig
from torchpaged.errors import ConfigError
from torchpaged.execution.paged_kv_cache import bytes_per_block, kv_cache_groups, memory_for_pools, tensor_slots
from torchpaged.kv_cache.spec import KVCacheGroup, StateSpec, TailSpec
from torchpaged.models.model import ModelSpec, PagedModel
from torchpaged.ops import int4_cache


@dataclass(frozen=True, slots=True)
class Slots:
    """Numbers of slots for recurrent layers, the null slot included; 0 without recurrent layers.

    Args:
        states: slots for states at chunk boundaries: two per running sequence, and the checkpoints.
        tails: slots for the tokens since the last boundary: two per running sequence.
        swap_states, swap_tails: slots on the host, without a null slot.
    """

    states: int = 0
    tails: int = 0
    swap_states: int = 0
    swap_tails: int = 0


# Slots of a pool that is made for measuring.
LEAST_SLOTS = Slots(2, 2)


def groups_of(model: PagedModel, config: EngineConfig) -> list[KVCacheGroup]:
    """Return the groups of layers that share tables, for the longest sequence allowed; state and tail groups last."""
    spec, longest = model.spec, config.max_model_len or model.spec.max_model_len
    groups = kv_cache_groups(spec.layers, config.block_size, max_model_len=longest) if spec.layers else []
    if spec.states:
        recurrent = tuple(spec.states)
        groups.append(KVCacheGroup(StateSpec(spec.state_chunk, config.state_checkpoint_interval), recurrent))
        groups.append(KVCacheGroup(TailSpec(spec.state_chunk), recurrent))
    return groups


def groups_of_blocks(groups: Sequence[KVCacheGroup]) -> list[KVCacheGroup]:
    """Return the groups whose tables hold blocks, not slots."""
    return [group for group in groups if not isinstance(group.spec, (StateSpec, TailSpec))]


def block_bytes(model: PagedModel, config: EngineConfig, groups: Sequence[KVCacheGroup]) -> int:
    """Return the bytes of one block in all of a pool's tensors, on the device or on the host."""
    shapes = tensor_slots(model.spec.layers, groups_of_blocks(groups))
    return bytes_per_block(shapes, config.block_size, cache_dtype(model, config))


def slot_bytes(spec: ModelSpec) -> tuple[int, int]:
    """Return the bytes of a state slot and of a tail slot in all layers."""
    states = sum(shape.state_bytes(spec.dtype) for shape in spec.states.values())
    return states, sum(shape.tail_bytes(spec.state_chunk, spec.dtype) for shape in spec.states.values())


def slots_bytes(model: PagedModel, slots: Slots) -> int:
    """Return the bytes of slots on the device."""
    state, tail = slot_bytes(model.spec)
    return slots.states * state + slots.tails * tail


def num_slots(model: PagedModel, config: EngineConfig) -> Slots:
    """Return slots for as many running sequences as half of the memory has room for, and for checkpoints.

    Raises:
        ConfigError: no room for one sequence, or `num_state_slots` is set for a model without recurrent layers.
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
    parts = 2 if spec.layers else 1  # blocks take the other half of the swap space
    host = min(config.max_num_seqs, int(config.swap_space * 2**30) // parts // (state + tail))
    return Slots(states, 1 + 2 * seqs, host, host)


def cache_dtype(model: PagedModel, config: EngineConfig) -> torch.dtype:
    """Return the dtype of the pool's tensors.

    Raises:
        ConfigError: the model has convolutions, whose inputs need the model's own dtype, and another one is set; or 4
            bits are set, and the model is on a GPU, has index keys, or heads that are not whole groups of 32.
    """
    name = KV_CACHE_DTYPES[config.kv_cache_dtype]
    if name is not None and any(shape.convolution for shape in model.spec.layers.values()):
        raise ConfigError(
            f"EngineConfig: kv_cache_dtype is {config.kv_cache_dtype!r}, but {model.spec.name} has layers of "
            "convolution, whose inputs lie in the same blocks in the model's own type; expected 'auto'"
        )
    if config.kv_cache_dtype == "int4":
        _require_groups(model.spec)
    return model.spec.dtype if name is None else getattr(torch, name)


def _require_groups(spec: ModelSpec) -> None:
    """Raise ConfigError unless a 4-bit cache can hold the model's keys and values."""
    sizes = sorted({dim for shape in spec.layers.values() for dim in (shape.head_dim, shape.head_dim_v)})
    odd = [dim for dim in sizes if dim % int4_cache.GROUP]
    reason = ""
    if spec.device.type != "cpu":
        reason = f"{spec.name} is on {spec.device}, and only a CPU has kernels for it"
    elif any(shape.index for shape in spec.layers.values()):
        reason = f"{spec.name} chooses tokens by index keys, which are compared in 8 bits or more"
    elif odd:
        reason = f"{spec.name} has heads of {odd[0]} numbers, no multiple of the {int4_cache.GROUP} that share a scale"
    if reason:
        raise ConfigError(f"EngineConfig: kv_cache_dtype is 'int4', but {reason}; expected 'int8', 'fp8' or 'auto'")


def num_asked_blocks(model: PagedModel, config: EngineConfig, slots: Slots) -> int | None:
    """Return the blocks that the settings ask for, by number or by bytes; None: as many as fit.

    Raises:
        ConfigError: fewer than the null block and one more.
    """
    per_block = block_bytes(model, config, groups_of(model, config))
    if not per_block:  # all layers are recurrent, so blocks hold nothing
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
    """Return the blocks that `swap_space` has room for, beside slots.

    Raises:
        ConfigError: no room for one block, or for one sequence's slots.
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
