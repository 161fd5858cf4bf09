"""An independent oracle of attention, convolutions and adapters: float64, contiguous, one row at a time.

Shares no code with `torchpaged.ops`. Nothing here knows of blocks; the tests lay the same keys and values
out in a paged cache and compare.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor


def attend_row(
    q: Tensor,  # [heads, head_dim]
    k: Tensor,  # [seq_len, kv_heads, head_dim]
    v: Tensor,  # [seq_len, kv_heads, head_dim_v]
    position: int,
    seen: list[int],  # the keys that this row sees
    *,
    scale: float | None = None,
    softcap: float = 0.0,
    alibi_slopes: Tensor | None = None,
    distance_bias: Tensor | None = None,
    sinks: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return one row's output [heads, head_dim_v] and log-sum-exp [heads], in float64."""
    scale = 1.0 / math.sqrt(q.shape[1]) if scale is None else scale
    index = torch.tensor(seen, dtype=torch.int64)
    only = slice(seen[0], seen[-1] + 1) if seen and len(seen) == seen[-1] - seen[0] + 1 else index  # without a copy
    keys, values, of_groups = k[only].double(), v[only].double(), (k.shape[1], q.shape[0] // k.shape[1])
    logits = scale * torch.einsum("kgd,skd->kgs", q.double().unflatten(0, of_groups), keys).flatten(0, 1)
    if softcap > 0:
        logits = softcap * torch.tanh(logits / softcap)
    if alibi_slopes is not None:
        logits = logits + alibi_slopes.double()[:, None] * (index - position)
    if distance_bias is not None:
        logits = logits + distance_bias.double()[:, (position - index).clamp(0, distance_bias.shape[1] - 1)]
    everything = logits if sinks is None else torch.cat([logits, sinks.double()[:, None]], 1)
    if everything.shape[1] == 0:
        out = torch.zeros(q.shape[0], v.shape[2], dtype=torch.float64)
        return out, torch.full((q.shape[0],), -math.inf, dtype=torch.float64)
    top = everything.max(1, keepdim=True).values
    total = torch.exp(everything - top).sum(1, keepdim=True)
    lse = (top + torch.log(total))[:, 0]
    weights = torch.exp(logits - top) / total
    return torch.einsum("kgs,skd->kgd", weights.unflatten(0, of_groups), values).flatten(0, 1), lse


def seen_keys(
    position: int,
    seq_len: int,
    context_len: int,
    *,
    causal: bool = True,
    sliding_window: int = 0,
    tree_row: Tensor | None = None,
) -> list[int]:
    """Return the keys that a query at `position` sees; `context_len` keys came before this step."""
    if position < 0 and (causal or tree_row is not None):
        return []
    keys = []
    for j in range(seq_len):
        if tree_row is not None and j >= context_len:
            allowed = j - context_len < tree_row.numel() and bool(tree_row[j - context_len])
        elif tree_row is not None:
            allowed = True
        else:
            allowed = j <= position or not causal
        if allowed and (sliding_window == 0 or position - j < sliding_window):
            keys.append(j)
    return keys


def attend(
    queries: list[Tensor],
    keys: list[Tensor],
    values: list[Tensor],
    *,
    causal: bool = True,
    sliding_window: int = 0,
    tree_mask: list[Tensor] | None = None,
    selected: list[list[Sequence[set[int]]]] | None = None,
    **options: object,
) -> tuple[Tensor, Tensor]:
    """Return the rows of all sequences, stacked: out [tokens, heads, head_dim_v], lse [tokens, heads]; on the CPU.

    Args:
        selected: of each sequence's tokens, the keys selected for all KV heads or for each.
    """
    queries, keys, values = ([each.cpu().double() for each in of] for of in (queries, keys, values))
    tree_mask = None if tree_mask is None else [each.cpu() for each in tree_mask]
    options = {name: each.cpu() if isinstance(each, Tensor) else each for name, each in options.items()}
    outs, lses = [], []
    for i, (q, k, v) in enumerate(zip(queries, keys, values, strict=True)):
        context = k.shape[0] - q.shape[0]
        for row in range(q.shape[0]):
            seen = seen_keys(
                context + row,
                k.shape[0],
                context,
                causal=causal,
                sliding_window=sliding_window,
                tree_row=None if tree_mask is None else tree_mask[i][row],
            )
            if k.shape[0] == 0:  # a padded sequence: nothing at all, not even a sink
                heads = q.shape[1]
                outs.append(torch.zeros(heads, v.shape[2], dtype=torch.float64))
                lses.append(torch.full((heads,), -math.inf, dtype=torch.float64))
                continue
            if selected is None:
                out, lse = attend_row(q[row], k, v, context + row, seen, **options)
            else:
                out, lse = _attend_selected(q[row], k, v, context + row, seen, selected[i][row], options)
            outs.append(out)
            lses.append(lse)
    return torch.stack(outs), torch.stack(lses)


def _attend_selected(
    q: Tensor, k: Tensor, v: Tensor, position: int, seen: list[int], selected: Sequence[set[int]], options: dict
) -> tuple[Tensor, Tensor]:
    """Attend KV head by KV head, each to the selected ones of the keys that the row sees."""
    kv_heads, group = k.shape[1], q.shape[0] // k.shape[1]
    results = []
    for head in range(kv_heads):
        chosen = selected[head if len(selected) > 1 else 0]
        rows = slice(head * group, (head + 1) * group)
        own = {name: each[rows] if isinstance(each, Tensor) else each for name, each in options.items()}
        kept, only = [j for j in seen if j in chosen], slice(head, head + 1)
        results.append(attend_row(q[rows], k[:, only], v[:, only], position, kept, **own))
    return torch.cat([out for out, _ in results]), torch.cat([lse for _, lse in results])


def choose(
    query: Tensor,
    index: Tensor,
    position: int,
    *,
    rule: str,
    weights: Tensor | None,
    scale: float,
    granularity: int,
    num_selections: int,
    initial: int,
    local: int,
    tokens_per_row: int,
) -> list[list[tuple[float, int]]]:
    """Return the groups that one token sees, for each selection, as (score, group), best first.

    Those that are always chosen have the score inf.

    Args:
        query: [heads, head_dim].
        index: [rows, index_heads, head_dim], or twice as many numbers for bounds.
    """
    (heads, dim), order = query.shape, []
    seen = index[: position // tokens_per_row + 1 if position >= 0 else 0].double()
    of_heads = [head * index.shape[1] // heads for head in range(heads)]
    product = query.double().repeat(1, seen.shape[2] // dim) * seen[:, of_heads]
    product = product if rule != "bounds" else torch.maximum(product[..., :dim], product[..., dim:])
    scores = product.sum(-1) * scale
    scores = torch.where(scores < 0, 0.0, scores) if rule == "relu" else scores
    of_rows = (scores if weights is None else scores * weights.double()).tolist()
    for selection in range(num_selections):
        best: dict[int, float] = {}
        for row, of_row in enumerate(of_rows):
            joined = of_row[selection * heads // num_selections : (selection + 1) * heads // num_selections]
            score = max(joined) if weights is None else math.fsum(joined)
            score = math.nan if any(map(math.isnan, joined)) else score
            group = row * tokens_per_row // granularity
            best[group] = math.nan if math.isnan(score) else max(best.get(group, -math.inf), score)
        for group in best:
            if group < initial or group > position // granularity - local:
                best[group] = math.inf
            elif math.isnan(best[group]):
                best[group] = -math.inf
        order.append(sorted(((score, group) for group, score in best.items()), key=lambda pair: (-pair[0], pair[1])))
    return order


def convolve(inputs: Tensor, weight: Tensor, bias: Tensor | None, *, silu: bool = False) -> Tensor:
    """Compute a causal convolution of one sequence, row by row and tap by tap: [seq_len, channels] float64.

    Args:
        inputs: [seq_len, channels].
        weight: [channels, width].
    """
    rows = []
    for position in range(len(inputs)):
        row = torch.zeros(inputs.shape[1], dtype=torch.float64) if bias is None else bias.double()
        for back in range(min(weight.shape[1], position + 1)):
            row = row + inputs[position - back].double() * weight[:, weight.shape[1] - 1 - back].double()
        rows.append(row / (1.0 + torch.exp(-row)) if silu else row)
    return torch.stack(rows) if rows else torch.zeros(0, inputs.shape[1], dtype=torch.float64)


def add_adapters(
    out: Tensor,
    x: Tensor,
    lora_a: Tensor,
    lora_b: Tensor,
    slots: list[int],
    sizes: list[int],
    eps: float,
    ranks: list[list[int]] | None = None,
) -> tuple[Tensor, Tensor]:
    """Return each row with its adapter's outputs added, float64, and a bound of the error where float32 is summed up.

    Args:
        lora_a, lora_b: [num_slots, parts * rank, in_features], [num_slots, rank, outputs].
        slots: negative for a row without an adapter.
        eps: distance of 1 to the next number of the type that the inner numbers and the results are rounded to.
        ranks: [num_slots][parts], how many ranks each part has; None: all.
    """
    expected, bound = out.double().clone(), torch.zeros(out.shape, dtype=torch.float64)
    rank, in_features, step = lora_b.shape[1], x.shape[1], 2.0**-24
    for row, slot in enumerate(slots):
        if slot < 0:
            continue
        first = 0
        for part, size in enumerate(sizes):
            count = ranks[slot][part] if ranks else rank
            a = lora_a[slot, part * rank : part * rank + count].double()
            b = lora_b[slot, :count, first : first + size].double()
            inner, magnitude = a @ x[row].double(), a.abs() @ x[row].double().abs()
            # A rounding in float32 for each product, in any order of the sum; one to the type, or its smallest number.
            error = 1.01 * (in_features * step * magnitude + eps / 2 * inner.abs()) + 2.0**-24
            columns = slice(first, first + size)
            expected[row, columns] += inner @ b
            bound[row, columns] = error @ b.abs() + 1.01 * (rank + 1) * step * ((inner.abs() + error) @ b.abs())
            first += size
        bound[row] += eps / 2 * (expected[row].abs() + bound[row]) + 2.0**-24
    return expected, bound
