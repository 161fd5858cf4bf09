"""The operators' docstrings, which `help(torch.ops.torchpaged.paged_attention)` shows: the parts that families share.

A family's file has each operator's own text; `of_overload` adds the schema and the errors.
"""

from __future__ import annotations

from collections.abc import Sequence

FLOATS = "float32, float16 or bfloat16"
SCALES = """\
    k_scale, v_scale: [] or [num_kv_heads] or [num_blocks, block_size, num_kv_heads] float32, factors of a quantised
        cache's numbers; None for 1."""
MODS = """\
    score_mod, mask_mod: names that `torchpaged.ops.register_score_mod` and `register_mask_mod` were given, of functions
        that change scores and that say which keys are seen; None for none."""
SLOTS = "    slot_mapping: [num_tokens] int64, block * block_size + offset in the block; negative slots are skipped."
# Alternatives to torch.vmap.
VMAP_PACKED = "pack the tokens of all sequences into one call, query_start_loc says where each begins"
VMAP_ROWS = "give it all rows in one call, its leading dimensions are rows"
# Why DTensors are refused.
TAKES_A_LIST = "takes a list of tensors: call it with the local tensors of each rank, to_local()"
_RAISES = """
Raises:
    ValueError: an argument has another shape, dtype, device or stride; on the CPU also where a length is beyond its
        table, or a block or slot is not in the cache. The message names the argument and what is expected.
    GradientError: {gradient}.
    TransformError: {vmap}."""


def cache(head_dim: str, dtype: str) -> str:
    """Describe a cache of keys or values."""
    return f"""\
[num_blocks, block_size, num_kv_heads, {head_dim}],
        {dtype}; any strides, the last dimension contiguous"""


def tables(more: str = "") -> str:
    """Describe block tables and lengths."""
    return f"""\
    block_tables: [num_seqs, max_blocks_per_seq] int32, the block of each block_size tokens of a sequence.
    seq_lens: [num_seqs] int32, each sequence's tokens in the cache{more}; 0 for padding."""


def starts(rows: str) -> str:
    """Describe where sequences begin in the argument `rows`."""
    return f"""\
    query_start_loc: [num_seqs + 1] int32, where each sequence's tokens begin in {rows}, and where the last sequence's
        end."""


def of_overload(overload: str, schema: str, text: str, vmap: str, gradient: Sequence[str] = ()) -> str:
    """Return an overload's docstring: its schema, its text, and its errors.

    Args:
        overload: "paged_attention.out".
        schema: without the name.
        text: a summary, Args and Returns.
        vmap: `vmap` of the operator.
        gradient: arguments that have a derivative.
    """
    reached = "a backward pass reached the operator, which is for inference"
    if gradient:
        reached = "a backward pass reached another argument than these, or it reached a backward pass,\n"
        reached += f"        or torch.func: {', '.join(gradient)}"
    return f"{overload}{schema}\n\n{text.strip()}\n{_RAISES.format(vmap=vmap, gradient=reached)}\n"


def vmap(instead: str, names: Sequence[str]) -> str:
    """Describe the error under torch.vmap: what to do instead, and the arguments that may differ between examples."""
    if not names:
        return f"torch.vmap reached it;\n        {instead}"
    return f"under torch.vmap another argument than these differs between examples:\n        {', '.join(names)}"
