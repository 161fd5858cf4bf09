"""The operators' docstrings: what `help(torch.ops.torchpaged.paged_attention)` shows, shapes, dtypes, units, errors."""

from __future__ import annotations

_CACHE = """[num_blocks, block_size, num_kv_heads, {dim}],
        {dtype}; any strides, the last dimension contiguous"""
_TABLES = """\
    block_tables: [num_seqs, max_blocks_per_seq] int32, the block of each block_size tokens of a sequence.
    seq_lens: [num_seqs] int32, tokens of each sequence in the cache{more}; 0: padding."""
_SCALES = """\
    k_scale, v_scale: [] or [num_kv_heads] or [num_blocks, block_size, num_kv_heads] float32, what a quantised cache's
        numbers are multiplied with; None for 1."""
_STATES = """\
    state_cache: [num_slots, {state}] {dtype}; any strides, the last dimension
        contiguous: written, a slot at a boundary.
    tail_cache: [num_tails, chunk, {row}] {dtype}, the last dimension contiguous: written.{rows}
        A boundary is at each chunk tokens.
    state_tables: [num_seqs, chunks] int32; entry k names the slot of the state after (k + 1) * chunk tokens.
    tail_tables: [num_seqs, chunks] int32; entry k names the slot of the rows of the tokens from k * chunk on. In both
        tables 0, and what lies behind their width, is the null slot: nothing is kept there.
    seq_lens: [num_seqs] int32, tokens of each sequence, this step's included; 0: padding.
    query_start_loc: [num_seqs + 1] int32, where each sequence's tokens begin in {first}, and where the last ends."""
_RECURRENT = """
The state is stored at multiples of chunk tokens alone, in the slots that state_tables names, never in place; the rows
of the tokens since then lie in the slots that tail_tables names. A token's result depends on these alone: not on how
its sequence was cut into steps, and a step that is run again writes the same. A sequence that begins with its first
token reads nothing. Decode, prefill, chunks and mixes are one call.
"""
_SCAN = """\
    d: [{heads}], x's dtype or float32, what x is multiplied with in the result; None for 0.
    dt_bias: [{heads}], x's dtype or float32, added to dt; None for 0.
    dt_softplus: whether the softplus of that sum is meant."""
_FLOATS = "float32, float16 or bfloat16"
_RAISES = """
Raises:
    ValueError: an argument of another shape, dtype, device or stride; on the CPU also a length beyond its table, or a
        block or slot that the cache does not have. The message names the argument and what is expected.
    GradientError: a backward pass reached it: it is for inference.
    TransformError: torch.vmap reached it;
        {vmap}."""

_ATTENTION = f"""
Attention of each sequence's last tokens over its blocks: decode, prefill, chunks and mixes are one call.

Query i of a sequence stands at position seq_len - query_len + i and sees keys up to itself. Order of a score:
scale * q.k, softcap, ALiBi, biases, masks; then the softmax, with a head's sink as one more logit. What lies behind
seq_len in a block never reaches a result; tokens behind query_start_loc[-1] give 0. On a GPU no value is
read on the host.

Args:
    query: [num_tokens, num_heads, head_dim], all sequences packed; the cache's dtype, or any of
        {_FLOATS} over a quantised cache; any strides with the last dimension contiguous.
        torch.autocast casts it to the cache's dtype.
    key_cache: {_CACHE.format(dim="head_dim", dtype=_FLOATS + ", float8_e4m3fn, float8_e5m2 or int8")}.
    value_cache: {_CACHE.format(dim="head_dim_v", dtype="key_cache's dtype")}; it may lie in key_cache.
{_TABLES.format(more=", this step's included")}
    query_start_loc: [num_seqs + 1] int32, where each sequence's tokens begin in query, and where the last ends.
    scale: of the scores; None for head_dim ** -0.5.
    causal: False: a query sees all of its sequence.
    sliding_window: tokens that a query sees, itself included; 0 for all.
    softcap: scores become softcap * tanh(score / softcap); 0 for none.
    alibi_slopes: [num_heads] float32; a score gains slope * (key's position - query's).
    sinks: [num_heads], query's dtype or float32: one more logit of each head, without a value.
    tree_mask: [num_tokens, max_query_len] bool, which of this step's tokens of its sequence each token sees.
{_SCALES}
    max_query_len: the longest query, a hint; 0: not known. A wrong one may cost time, never truth.
    num_splits: parts that a long sequence is cut into, a hint; 0: chosen by its length.
    distance_bias: [num_heads, num_distances] float32; a score gains the head's bias at the distance of the key before
        the query: 0 for itself and for keys behind it, num_distances - 1 for all that are as far or further (T5's).
"""
_OUT = "    out: [num_tokens, num_heads, head_dim_v], query's dtype, the last dimension contiguous: written.\n"

_TEXTS = {
    "paged_attention": f"{_ATTENTION}\nReturns:\n    [num_tokens, num_heads, head_dim_v], query's dtype.\n",
    "paged_attention.out": f"{_ATTENTION}{_OUT}\nReturns:\n    Nothing.\n",
    "paged_attention_with_lse": f"""{_ATTENTION}
Returns:
    (out [num_tokens, num_heads, head_dim_v] of query's dtype,
    lse [num_tokens, num_heads] float32: the natural logarithm of the softmax' sum, sinks included).
""",
    "merge_attention_states": f"""
Attention over two disjoint sets of keys, from the results over each: the parts of a context that were computed apart.

Args:
    out_a, out_b: [num_tokens, num_heads, head_dim_v], {_FLOATS}, both the same; the last
        dimension contiguous.
    lse_a, lse_b: [num_tokens, num_heads] float32, as `paged_attention_with_lse` gives them.

Returns:
    (out as out_a, lse as lse_a).
""",
    "write_kv_cache": f"""
New keys and values into their slots, quantised on the way if the cache is. The caches are written, nothing else.

Args:
    key: [num_tokens, num_kv_heads, head_dim], the cache's dtype, or any of
        {_FLOATS} for a quantised cache; any strides with the last dimension contiguous.
        torch.autocast casts it to the cache's dtype.
    value: [num_tokens, num_kv_heads, head_dim_v], as key.
    key_cache: {_CACHE.format(dim="head_dim", dtype="as of `paged_attention`")}: written.
    value_cache: {_CACHE.format(dim="head_dim_v", dtype="key_cache's dtype")}: written.
    slot_mapping: [num_tokens] int64, block * block_size + place in it; a negative one is skipped.
    k_scale, v_scale: [] or [num_kv_heads] float32, what numbers are divided by before they are rounded; None for 1.
    k_scale_cache, v_scale_cache: [num_blocks, block_size, num_kv_heads] float32: written, a scale for each token and
        head; instead of k_scale and v_scale.

Returns:
    Nothing.
""",
    "causal_conv1d": f"""
A causal convolution of each channel over its sequence's last tokens, whose inputs are cached rows: decode, prefill,
chunks and mixes are one call. This step's rows are written into their slots first; then the row at position p becomes
bias + the sum over k of weight[:, k] * input(p - width + 1 + k), in float32. What lies before position 0 adds nothing.

Args:
    x: [num_tokens, channels], all sequences packed; {_FLOATS}; the last dimension
        contiguous. torch.autocast casts it to the caches' dtype.
    weight: [channels, width], x's dtype or float32; any strides. The last column is of the token itself.
    bias: [channels], x's dtype or float32; None for 0.
    caches: tensors [num_blocks, block_size, num_heads, head_dim] of x's dtype, any strides with the last dimension
        contiguous, in which a token's row lies one after the other, head by head: written.
    slot_mapping: [num_tokens] int64, block * block_size + place in it; a negative one is skipped.
{_TABLES.format(more=", this step's included")}
    query_start_loc: [num_seqs + 1] int32, where each sequence's tokens begin in x, and where the last ends.
    silu: whether the SiLU of each result is meant.

Returns:
    [num_tokens, channels], x's dtype, contiguous; 0 for tokens of no sequence.
""",
    "chunked_conv1d": f"""
A causal convolution of each channel over its sequence's last tokens, as `causal_conv1d`, whose earlier inputs lie where
those of a recurrent layer do.
{_RECURRENT}
Args:
    x: [num_tokens, channels], all sequences packed; {_FLOATS}; the last dimension
        contiguous. torch.autocast casts it to tail_cache's dtype.
    weight: [channels, width], x's dtype or float32; any strides. The last column is of the token itself.
    bias: [channels], x's dtype or float32; None for 0.
{_STATES.format(state="width - 1, channels", dtype="of x's dtype", row="channels", rows="", first="x")}
    silu: whether the SiLU of each result is meant.

Returns:
    [num_tokens, channels], x's dtype, contiguous; 0 for tokens of no sequence.
""",
    "gated_delta_rule": f"""
The gated delta rule, with a gate a head (Gated DeltaNet) or a channel (Kimi's delta attention): a head's state S decays
by exp(gate); u = beta * (value - key . S); S = S + key u^T; and the result is scale * query . S.
{_RECURRENT}
Args:
    query: [num_tokens, num_key_heads, head_dim], all sequences packed; {_FLOATS};
        any strides with the last dimension contiguous. torch.autocast gives query, key and value one dtype.
    key: [num_tokens, num_key_heads, head_dim], query's dtype.
    value: [num_tokens, num_heads, head_dim_v], query's dtype; head h reads key h // (num_heads / num_key_heads).
    gate: [num_tokens, num_heads] or [num_tokens, num_heads, head_dim] float32, the logarithm of the decay: finite, at
        most 0.
    beta: [num_tokens, num_heads], query's dtype or float32.
{
        _STATES.format(
            state="num_heads, head_dim, head_dim_v",
            dtype="float32",
            row="row",
            rows=" A row: keys, u, gates.",
            first="query",
        )
    }
    scale: of the result; None for head_dim ** -0.5.
    normalize: divides query and key by sqrt(their sum of squares + 1e-6) first.

Returns:
    [num_tokens, num_heads, head_dim_v], query's dtype, contiguous; 0 for tokens of no sequence.
""",
    "mamba2_scan": f"""
Mamba2's state space: a head's state S decays by exp(dt * a); S = S + b (dt * x)^T; and the result is c . S + d * x.
{_RECURRENT}
Args:
    x: [num_tokens, num_heads, head_dim], all sequences packed; {_FLOATS}; any
        strides with the last dimension contiguous. torch.autocast gives x, b and c one dtype.
    dt: [num_tokens, num_heads], x's dtype or float32.
    a: [num_heads] float32, below 0.
    b, c: [num_tokens, num_groups, state_size], x's dtype; head h reads group h // (num_heads / num_groups).
{
        _STATES.format(
            state="num_heads, state_size, head_dim",
            dtype="float32",
            row="row",
            rows=" A row: b, dt * x, dt * a.",
            first="x",
        )
    }
{_SCAN.format(heads="num_heads")}
    dt_min, dt_max: limits of dt after that; None for no upper one.

Returns:
    As x, contiguous; 0 for tokens of no sequence.
""",
    "linear_attention": f"""
Linear attention with a fixed decay a head (lightning attention): a head's state S decays by exp(decay); S = S + key
value^T; and the result is scale * query . S.
{_RECURRENT}
Args:
    query: [num_tokens, num_key_heads, head_dim], all sequences packed; {_FLOATS};
        any strides with the last dimension contiguous. torch.autocast gives query, key and value one dtype.
    key: [num_tokens, num_key_heads, head_dim], query's dtype.
    value: [num_tokens, num_heads, head_dim_v], query's dtype; head h reads key h // (num_heads / num_key_heads).
    decay: [num_heads] float32, the logarithm of what a token leaves of the state, finite, at most 0.
{
        _STATES.format(
            state="num_heads, head_dim, head_dim_v",
            dtype="float32",
            row="row",
            rows=" A row: keys, values.",
            first="query",
        )
    }
    scale: of the result; None for 1.

Returns:
    [num_tokens, num_heads, head_dim_v], query's dtype, contiguous; 0 for tokens of no sequence.
""",
    "selective_scan": f"""
Mamba's selective scan: a state h decays by exp(dt * a), of its own in each channel and number of the state;
h = h + (dt * x) b^T; and the result is h . c + d * x.
{_RECURRENT}
Args:
    x: [num_tokens, channels], all sequences packed; {_FLOATS}; the last dimension
        contiguous. torch.autocast gives x, b and c one dtype.
    dt: [num_tokens, channels], x's dtype or float32.
    a: [channels, state_size] float32, below 0.
    b, c: [num_tokens, state_size], x's dtype.
{_STATES.format(state="channels, state_size", dtype="float32", row="row", rows=" A row: dt, dt * x, b.", first="x")}
{_SCAN.format(heads="channels")}

Returns:
    As x, contiguous; 0 for tokens of no sequence.
""",
    "gather_kv_cache": f"""
A paged cache as contiguous keys and values, dequantised.

Args:
    key_cache: {_CACHE.format(dim="head_dim", dtype="as of `paged_attention`")}.
    value_cache: {_CACHE.format(dim="head_dim_v", dtype="key_cache's dtype")}.
{_TABLES.format(more="")}
    max_tokens: rows of the result; longer sequences are cut.
{_SCALES}

Returns:
    (key [num_seqs, max_tokens, num_kv_heads, head_dim], value likewise with head_dim_v), the cache's dtype, float32 of
    a quantised one; rows behind a sequence's length are 0.
""",
    "copy_blocks": """
Whole blocks inside each of several caches: all sources are read before any destination is written.

Args:
    caches: of [num_blocks, ...] each, any dtype, on one device: written.
    block_mapping: [num_pairs, 2] int64, (source, destination).

Returns:
    Nothing.
""",
    "swap_blocks": """
Whole blocks from one pool to another, which may be on another device.

Args:
    src: [num_blocks, ...], any dtype.
    dst: [num_blocks, ...], src's dtype and shape of a block: written.
    block_mapping: [num_pairs, 2] int64, (source, destination).
    non_blocking: whether a copy to pinned memory of the host may arrive after the call, in the order of the stream.

Returns:
    Nothing.
""",
    "sample_tokens": f"""
A token of each row of logits, drawn with a hash of seed, position and token: the same whatever else is in the batch.

Filters, in this order: the top_k likeliest, of these the smallest set that reaches top_p, of these those at least min_p
times as likely as the likeliest. Equal values: the lowest token.

Args:
    logits: [num_rows, vocab_size], {_FLOATS}, rows of any stride.
    temperature: [num_rows] float32, what logits are divided by; 0: the likeliest token.
    top_k: [num_rows] int32; 0 or less: all.
    top_p: [num_rows] float32; 1: all.
    min_p: [num_rows] float32; 0: all.
    seeds: [num_rows] int64.
    positions: [num_rows] int64, new at each draw of a sequence.

Returns:
    [num_rows] int64; -1 for a row with a NaN, or of -inf alone.
""",
    "edit_logits": f"""
Rows of logits in which some tokens may not come, and others are made more or less likely.

First a row's mask: tokens whose bit is 0 get -inf. Then a row's edits, those from starts[i] to starts[i + 1]: each adds
its value to the logit of its token, if the row is shorter than `until` and ends with the edit's prefix.

Args:
    logits: [num_rows, vocab_size], {_FLOATS}, rows of any stride.
    token_table: [num_table_rows, max_tokens] int32, the tokens of sequences.
    rows: [num_rows] int64, the table's row of each row of logits; one that is not in it has no tokens.
    lengths, prompt_lengths: [num_rows] int32, tokens of the row, and how many of these are the prompt.
    masks: [num_masks, num_words] int32, a bit for each token, the first one the lowest of the first word.
    mask_of_row: [num_rows] int32, which of the masks; -1: all tokens are allowed.
    starts: [num_rows + 1] int32, ascending from 0 to num_edits.
    token_ids: [num_edits] int32; one out of the vocabulary means nothing.
    values: [num_edits] float32; no two of a row add finite values to one token.
    until: [num_edits] int32, tokens of the row, prompt included, from which on the edit is not made.
    prefixes: [num_edits, width] int32, aligned to the right; below 0: any token or none; the others must stand behind
        the row's prompt.

Returns:
    [num_rows, vocab_size] float32, a copy.
""",
    "penalize_logits": f"""
Rows of logits in which the tokens of a sequence so far are made less likely, as vLLM defines the three penalties.

Args:
    logits: [num_rows, vocab_size], {_FLOATS}, rows of any stride.
    token_table: [num_table_rows, max_tokens] int32, the tokens of sequences; ids out of the vocabulary mean nothing.
    rows: [num_rows] int64, the table's row of each row of logits.
    lengths, prompt_lengths: [num_rows] int32, tokens of the row, and how many of these are the prompt.
    repetition: [num_rows] float32, divides (multiplies) a positive (negative) logit of a token so far; 1: nothing.
    presence, frequency: [num_rows] float32, subtracted once and by count from tokens behind the prompt; 0: nothing.

Returns:
    [num_rows, vocab_size] float32, a copy.
""",
    "token_logprobs": f"""
Of chosen rows and tokens the logprob and rank, and the likeliest tokens beside them, without a log_softmax of all.

Args:
    logits: [num_rows, vocab_size], {_FLOATS}, rows of any stride.
    rows: [num_tokens] int64, the row of logits of each token.
    token_ids: [num_tokens] int64; one out of the vocabulary has logprob NaN and rank 0.
    num_top: how many of the likeliest, 0 to vocab_size.

Returns:
    (logprobs [num_tokens] float32, natural logarithms; ranks [num_tokens] int64, 1 for the likeliest; top_logprobs
    [num_tokens, num_top] float32 and top_ids likewise int64, the likeliest first, of equal ones the lower token).
""",
    "pack_linear_weight": """
A weight in the order in which `packed_linear` reads memory: panels of 32 outputs, padded with zeros.

Args:
    weight: [out_features, in_features], float32, float16, bfloat16 or int8, the last dimension contiguous.

Returns:
    [panels, words, 32, inputs of a word], the weight's dtype, uint8 of an int8 weight.
""",
    "pack_grouped_weight": """
A weight of 4 or 8 bits, with a scale for each group of neighbouring inputs, in the order in which `packed_linear` reads
memory: panels of 32 outputs, padded with zeros. A code stands for scale * (code - zero), scale * code + offset, or
scale times a number of a table.

Args:
    codes: [out_features, in_features] uint8, below 2 ** bits, the last dimension contiguous.
    format: the `code` of a `torchpaged.ops.grouped_weights.GroupedFormat`: bits (4 or 8); group_size (16, 32, 64 or 128
        inputs, the last group of a row may have fewer); scale_type (0 float32, 1 float16, 2 bfloat16, 3 uint8: an
        e is 2 ** (e - 128)); origin (0: a zero of 2 ** (bits - 1), 1: with `zero`, 2: with `offset`, 3 to 5: codes of
        4 bits stand in a table, twice E2M1's values, those of IQ4_NL, NF4's times 112.03, rounded); shared (0, or how
        many inputs share a scale, which each group multiplies with its step).
    scale: [out_features, groups of a row, or parts of `shared` inputs], contiguous.
    zero: [out_features, groups] uint8, contiguous.
    offset: [out_features, as scale] of scale's dtype, contiguous.
    scale_steps, offset_steps: [out_features, groups] int8, contiguous.

Returns:
    [panels, bytes of a panel] uint8.

Raises:
    ValueError: a code with more bits than the format.
""",
    "packed_linear": f"""
input @ weight.T + bias, summed in float32; on the CPU a row's bits do not depend on the other rows or on threads.

Args:
    input: [..., in_features], the weight's dtype, or any of {_FLOATS} with an int8
        weight; the last dimension contiguous. torch.autocast casts it to the weight's dtype.
    packed_weight: [panels, words, 32, inputs of a word], of `pack_linear_weight`, or [panels, bytes of a panel], of
        `pack_grouped_weight`, which takes inputs as int8 does.
    out_features: of the weight before it was packed.
    bias: [out_features], input's dtype or float32.
    weight_scale: [out_features] float32, of an int8 weight and of no other.
    format: what `pack_grouped_weight` was given, for its weights; 0 for others.

Returns:
    [..., out_features], input's dtype.
""",
    "packed_grouped_linear": f"""
Each row times the packed weight of its expert, with the bits of `packed_linear` by that weight alone.

Args:
    input: [..., in_features], the weights' dtype, or any of {_FLOATS} with int8
        weights; the last dimension contiguous. torch.autocast casts it to the weights' dtype.
    packed_weights: [num_experts, panels, words, 32, inputs of a word], stacked results of `pack_linear_weight`,
        or [num_experts, panels, bytes of a panel] of `pack_grouped_weight`.
    out_features: of each weight before it was packed.
    expert_of_row: [...] int64, contiguous; a row of an expert that there is not gives 0.
    weight_scale: [num_experts, out_features] float32, contiguous, of int8 weights and of no others.
    format: what `pack_grouped_weight` was given, for its weights; 0 for others.

Returns:
    [..., out_features], input's dtype.
""",
    "rms_norm": f"""
x / sqrt(mean(x^2) + eps) * weight over the last dimension, computed in float32 and rounded once.

Args:
    x: [..., n], 1 to 4 dimensions, {_FLOATS}, the last contiguous.
    weight: [n], x's dtype or float32.
    eps: added to the mean.

Returns:
    As x.
""",
    "add_rms_norm": f"""
`rms_norm` of x + residual as that sum is rounded to x's dtype, and the sum.

Args:
    x, residual: [..., n], 1 to 4 dimensions, {_FLOATS}, both the same, the last contiguous.
    weight: [n], x's dtype or float32.
    eps: added to the mean.

Returns:
    (sum, out), both as x.
""",
    "rotary_embedding": f"""
Rotates the first rotary_dim numbers of each head, as halves; with weights, of each head's `rms_norm`.

Args:
    query: [..., head_dim], 1 to 4 dimensions, {_FLOATS}, the last contiguous.
    key: [..., head_dim], as query but for the number of heads.
    cos, sin: [..., rotary_dim], query's dtype or float32; even, at most head_dim; broadcast over what is before.
    query_weight, key_weight: [head_dim], query's dtype or float32; None: no norm.
    eps: of the norm.

Returns:
    (query, key), rotated.
""",
    "silu_and_mul": f"""
silu(gate) * up, computed in float32 and rounded once.

Args:
    gate, up: [..., n], 1 to 4 dimensions, {_FLOATS}, both the same, the last contiguous.

Returns:
    As gate.
""",
    "gelu_tanh_and_mul": f"""
gelu(gate) * up in the approximation by tanh, computed in float32 and rounded once.

Args:
    gate, up: [..., n], 1 to 4 dimensions, {_FLOATS}, both the same, the last contiguous.

Returns:
    As gate.
""",
}


def of_overload(overload: str, schema: str, vmap: str) -> str:
    """The docstring of one overload: its schema, and what there is to know.

    Args:
        overload: "paged_attention.out".
        schema: without the name.
        vmap: what to do instead of torch.vmap.
    """
    return f"{overload}{schema}\n{_TEXTS[overload]}{_RAISES.format(vmap=vmap)}\n"
