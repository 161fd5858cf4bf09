"""What somebody else can add to torchpaged, in a package of their own: a backend, an operator, and a rewrite."""

import torch
from torch import fx
from torch._inductor.custom_graph_pass import CustomGraphPass, get_hash_for_files
from torch.nn.functional import scaled_dot_product_attention

from torchpaged.ops import register_backend

# --- A backend: torchpaged's paged_attention, computed another way --------------------------------------------


def attend(query, key_cache, value_cache, block_tables, seq_lens, query_start_loc, out, lse, *, scale, **_):
    """One torch SDPA a sequence. The signature of `torchpaged.ops.reference.paged_attention`: it writes `out`."""
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
        # Queries are a sequence's last tokens.
        sees = torch.ones(last - first, seq_len, dtype=torch.bool).tril(seq_len - (last - first))
        rows = query[first:last].transpose(0, 1)
        out[first:last] = scaled_dot_product_attention(rows, key, value, sees, scale=scale).transpose(0, 1)


def supports(*, query, key_cache, causal, sliding_window, num_splits, max_query_len, scale, **arguments):
    """None, or what `attend` cannot do: torchpaged asks before each call, and never lets an argument be ignored."""
    wanted = [name for name in ("softcap", "alibi_slopes", "sinks", "tree_mask") if arguments[name] not in (None, 0.0)]
    if wanted:
        return wanted[0]
    if sliding_window or not causal:
        return "a sliding window" if sliding_window else "attention that is not causal"
    return None if query.dtype == key_cache.dtype else f"a cache in {key_cache.dtype}"


def register():
    """The entry point of the group "torchpaged.backends": called when somebody asks for "own-sdpa"."""
    register_backend("paged_attention", "cpu", "own-sdpa", attend, supports, summary="plain causal attention by SDPA")


# --- An operator: what it gives, and of which shape it is -----------------------------------------------------


@torch.library.custom_op("own_backend::squared_relu", mutates_args=())
def squared_relu(x: torch.Tensor) -> torch.Tensor:
    """relu(x) ** 2 in one pass; Triton or C++ would stand here."""
    return torch.where(x > 0, x * x, 0)


@squared_relu.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


# --- A rewrite: models that say relu(x) ** 2 get the operator, without a change to their code -----------------


class SquaredRelu(CustomGraphPass):
    """`torch.compile(model, options={"post_grad_custom_pre_pass": SquaredRelu()})`."""

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
        """Of this file: compiled code in torch's cache is that of the rewrite that made it."""
        return get_hash_for_files((__file__,))
