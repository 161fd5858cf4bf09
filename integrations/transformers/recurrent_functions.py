"""Replacements for transformers' recurrence and convolution functions, over a step's state pools.

`recurrent_modules.py` makes the model's own code call these while a step runs. Arguments and shapes are transformers',
with a batch of one: all sequences of the step packed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers.activations import ACT2FN

from torchpaged.compiler.fake_values import fake_recurrence
from torchpaged.integrations.transformers.attention_interface import CurrentStep, Probe
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.layer_calls import recur_layer
from torchpaged.models.recurrence import CONVOLUTION


def recurrence_forward(module: nn.Module, operator: str, *inputs: Tensor | None, **options: Any) -> Tensor:
    """Run one of a layer's recurrent operators over the running step's state pools.

    Args:
        module: the layer; it has `layer_idx` and `paged_step`.
        operator, inputs, options: as in `models.recurrence.recur`.

    Returns:
        The operator's output.
    """
    step: CurrentStep = module.paged_step  # type: ignore[assignment]
    layer: int = module.layer_idx  # type: ignore[assignment]
    metadata = step.metadata
    assert metadata is not None
    if isinstance(metadata, Probe):
        if operator == CONVOLUTION:
            metadata.add_convolution(layer, *inputs[1].shape)  # type: ignore[union-attr]
        else:
            metadata.add_recurrence(layer, operator, *_KEPT[operator](*inputs))
        return torch.zeros_like(fake_recurrence(operator, inputs))
    if isinstance(metadata, StepMetadata):
        return recur_layer(operator, inputs, metadata, layer, **options)
    return metadata.recur(layer, operator, inputs, **options)


def causal_conv1d(
    module: nn.Module,
    hidden_states: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    activation: str | None = None,
    **_: Any,
) -> Tensor:
    """Convolve: input and output are [1, channels, num_tokens], weight is [channels, width]."""
    silu = activation in ("silu", "swish")
    out = recurrence_forward(module, CONVOLUTION, hidden_states[0].t(), weight, bias, silu=silu)
    if activation is not None and not silu:
        out = ACT2FN[activation](out)
    return out.t()[None]


def chunk_gated_delta_rule(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    g: Tensor,
    beta: Tensor,
    initial_state: Tensor | None = None,
    use_qk_l2norm_in_kernel: bool = False,
    **_: Any,
) -> tuple[Tensor, None]:
    """Run the recurrence of Gated DeltaNet, or of Kimi's delta attention, whose decay differs by channel.

    query, key and value are [1, num_tokens, heads, dim]; beta is [1, num_tokens, heads]; g is [1, num_tokens, heads]
    for Gated DeltaNet, [1, num_tokens, heads, key dim] for Kimi's.
    """
    _require_no_state(initial_state)
    inputs = (query[0], key[0], value[0], g[0].float(), beta[0])
    out = recurrence_forward(module, "gated_delta_rule", *inputs, normalize=use_qk_l2norm_in_kernel)
    return out[None], None


def mamba2_chunk_scan(
    module: nn.Module,
    hidden_states: Tensor,
    dt: Tensor,
    A: Tensor,
    B: Tensor,
    C: Tensor,
    D: Tensor | None = None,
    dt_bias: Tensor | None = None,
    initial_states: Tensor | None = None,
    dt_softplus: bool = False,
    dt_limit: tuple[float, float] = (0.0, float("inf")),
    **_: Any,
) -> Tensor:
    """Run Mamba 2's scan: [1, num_tokens, heads, head_dim]; dt [1, num_tokens, heads]; A, D and dt_bias [heads]; B and
    C [1, num_tokens, groups, states]."""
    _require_no_state(initial_states)
    inputs = (hidden_states[0], dt[0], A, B[0], C[0])
    low, high = dt_limit
    out = recurrence_forward(
        module, "mamba2_scan", *inputs, d=D, dt_bias=dt_bias, dt_softplus=dt_softplus, dt_min=low, dt_max=high
    )
    return out[None]


def mamba_selective_scan(
    module: nn.Module,
    hidden_states: Tensor,
    dt: Tensor,
    A: Tensor,
    B: Tensor,
    C: Tensor,
    D: Tensor | None = None,
    z: Tensor | None = None,
    delta_bias: Tensor | None = None,
    delta_softplus: bool = False,
    **_: Any,
) -> Tensor:
    """Run Mamba's scan: [1, channels, num_tokens], also dt and the gate z; A [channels, states]; B and C [1, states,
    num_tokens]."""
    x, dt, b, c = (each[0].t().contiguous() for each in (hidden_states, dt, B, C))
    out = recurrence_forward(
        module, "selective_scan", x, dt, A, b, c, d=D, dt_bias=delta_bias, dt_softplus=delta_softplus
    )
    out = out.t()[None]
    return out if z is None else out * F.silu(z)


def lightning_attention(module: Any, hidden_states: Tensor, **_: Any) -> tuple[Tensor, None]:
    """Run MiniMax' linear attention: [1, num_tokens, hidden_size].

    It replaces the module's whole forward, because transformers has the recurrence inline instead of in a function.
    """
    fused = module.act_fn(module.qkv_proj(hidden_states[0])).unflatten(-1, (module.num_attention_heads, -1))
    decay = -module.slope_rate.flatten().float()
    out = recurrence_forward(module, "linear_attention", *fused.chunk(3, -1), decay).flatten(1)
    out = torch.sigmoid(module.output_gate(hidden_states)) * module.norm(out[None])
    return module.out_proj(out), None


def _require_no_state(state: Tensor | None) -> None:
    """Raise ValueError if a layer passes a state from its own cache: states are in the step's pools."""
    if state is not None:
        raise ValueError("a recurrent layer was given a state while a step runs, expected None: use_cache=False")


# By operator: a function of its inputs that returns (shape of a state, numbers in a row of the tail).
_KEPT: Mapping[str, Callable[..., tuple[tuple[int, ...], int]]] = {
    "gated_delta_rule": lambda q, k, v, gate, beta: (
        (v.shape[1], k.shape[2], v.shape[2]),
        prod(k.shape[1:]) + prod(v.shape[1:]) + prod(gate.shape[1:]),
    ),
    "mamba2_scan": lambda x, dt, a, b, c: (
        (x.shape[1], b.shape[2], x.shape[2]),
        prod(b.shape[1:]) + prod(x.shape[1:]) + x.shape[1],
    ),
    "linear_attention": lambda q, k, v, decay: (
        (v.shape[1], k.shape[2], v.shape[2]),
        prod(k.shape[1:]) + prod(v.shape[1:]),
    ),
    "selective_scan": lambda x, dt, a, b, c: (tuple(a.shape), 2 * x.shape[1] + b.shape[1]),
}
