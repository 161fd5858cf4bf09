"""Extends torchpaged from a package of your own: a backend, an operator, and a graph rewrite."""

import torch
from torch import fx
from torch._inductor.custom_graph_pass import CustomGraphPass, get_hash_for_files
from torch.nn.functional import scaled_dot_product_attention

from torchpaged.ops import register_backend

# --- A backend: another implementation of torchpaged's paged_attention ----------------------------------------


def attend(query, key_cache, value_cache, block_tables, seq_lens, query_start_loc, out, lse, *, scale, **_):
    """Call torch's SDPA for each sequence, and write `out`. The signature is `ops.reference.paged_attention`'s."""
    group = query.shape[1] // key_cache.shape[2]
    starts = query_start_loc.tolist()
    out[starts[-1] :] = 0  # padding
    for table, seq_len, first, last in zip(block_tables, seq_lens.tolist(), starts, starts[1:], strict=False):
        if first == last:
            continue
        blocks = table[: -(-seq_len // key_cache.shape[1])].long()
        key, value = (
            cache[blocks].flatten(0, 1)[:seq_len].repeat_interleave(group, 1).transpose(0, 1)
            for cache in (key_cache, value_cache)
        )
        # The queries are the sequence's last tokens.
        sees = torch.ones(last - first, seq_len, dtype=torch.bool).tril(seq_len - (last - first))
        rows = query[first:last].transpose(0, 1)
        out[first:last] = scaled_dot_product_attention(rows, key, value, sees, scale=scale).transpose(0, 1)


def supports(*, query, key_cache, causal, sliding_window, num_splits, max_query_len, scale, **arguments):
    """Return None, or what `attend` does not support. torchpaged asks before each call, so no argument is ignored."""
    wanted = [name for name in ("softcap", "alibi_slopes", "sinks", "tree_mask") if arguments[name] not in (None, 0.0)]
    if wanted:
        return wanted[0]
    if sliding_window or not causal:
        return "a sliding window" if sliding_window else "attention that is not causal"
    return None if query.dtype == key_cache.dtype else f"a cache in {key_cache.dtype}"


def register():
    """Register the backend. An entry point of the group "torchpaged.backends", called when "own-sdpa" is selected."""
    register_backend("paged_attention", "cpu", "own-sdpa", attend, supports, summary="plain causal attention by SDPA")


# --- An operator: its implementation, and the shape of its result ---------------------------------------------


@torch.library.custom_op("own_backend::squared_relu", mutates_args=())
def squared_relu(x: torch.Tensor) -> torch.Tensor:
    """Compute relu(x) ** 2 in one pass. A real operator would call Triton or C++ here."""
    return torch.where(x > 0, x * x, 0)


@squared_relu.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


# --- A rewrite: replaces relu(x) ** 2 by the operator in unchanged model code ---------------------------------


class SquaredRelu(CustomGraphPass):
    """A graph pass: `torch.compile(model, options={"post_grad_custom_pre_pass": SquaredRelu()})`."""

    def __call__(self, graph: fx.Graph) -> None:
        for power in graph.find_nodes(op="call_function", target=torch.ops.aten.pow.Tensor_Scalar):
            relu, exponent = power.args
            if exponent == 2 and relu.target is torch.ops.aten.relu.default:
                with graph.inserting_before(power):
                    call = graph.call_function(torch.ops.own_backend.squared_relu.default, relu.args)
                call.meta = power.meta
                power.replace_all_uses_with(call)
                graph.erase_node(power)

    def uuid(self) -> bytes:
        """Return a hash of this file, so that torch's compile cache misses when the rewrite changes."""
        return get_hash_for_files((__file__,))
