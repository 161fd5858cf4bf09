"""`torch.compile(backend="torchpaged")`: results, rewrites, dynamic shapes, changing weights and refusals."""

from __future__ import annotations

import gc
import logging
import os
import pickle
import runpy
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo.utils import counters

from torchpaged import LLM, SamplingParams
from torchpaged.compiler.backend import CompiledGraph, torchpaged
from torchpaged.compiler.graph_inputs import _size_pairs
from torchpaged.compiler.program import Program
from torchpaged.errors import ConfigError, GradientError
from torchpaged.ops import cpu
from torchpaged.weights.packed_linear import PackedLinear, quantise_weight
from torchpaged.weights.rounding import round_weight

pytestmark = pytest.mark.skipif(cpu.isa() in ("none", "portable"), reason="no fast kernels here: ops.cpu.isa()")

ops = torch.ops.torchpaged
EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "own_module.py"))
CONFIG = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "head_dim": 32,
    "rms_norm_eps": 1e-6,
    "vocab_size": 90,
}


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Reset torch's compiler: models share the example's functions, which have a recompile limit."""
    torch._dynamo.reset()
    counters.clear()
    with torch._dynamo.config.patch(fail_on_recompile_limit_hit=True):
        yield
    torch._dynamo.reset()


def llama(dtype: torch.dtype = torch.bfloat16) -> Any:
    torch.manual_seed(0)
    model = EXAMPLE["Llama"](CONFIG).to(dtype)
    for weight in model.parameters():
        weight.data = weight.data + 0.05 * torch.randn_like(weight)  # otherwise the weights of the norms would be ones
    return model


def compiled(function: Any, **options: Any) -> tuple[Any, list[CompiledGraph]]:
    """Return (compiled function, the backend's result for each graph)."""
    made: list[Any] = []

    def backend(graph: Any, inputs: Any) -> Any:
        made.append(torchpaged(graph, inputs, options=options))
        return made[-1]

    return torch.compile(function, backend=backend), made


def step(lengths: list[int], contexts: list[int] | None = None) -> tuple[Tensor, ...]:
    """Return the arguments of the example's model without its caches, for each sequence's next tokens."""
    contexts = contexts or [0] * len(lengths)
    pairs = list(zip(lengths, contexts, strict=True))
    tables = 1 + torch.arange(len(lengths) * 5, dtype=torch.int32).view(-1, 5)
    places = [(row, position) for row, (n, first) in enumerate(pairs) for position in range(first, first + n)]
    return (
        torch.tensor([(7 * row + 3 * position) % 90 for row, position in places]),
        torch.tensor([position for _, position in places]),
        torch.tensor([int(tables[row, p // 16]) * 16 + p % 16 for row, p in places]),
        tables,
        torch.tensor([n + first for n, first in pairs], dtype=torch.int32),
        torch.tensor([0, *lengths]).cumsum(0).to(torch.int32),
    )


@torch.inference_mode()
def logits(forward: Any, caches: Any, *args: Any) -> Tensor:
    token_ids, positions, *rest = step(*args)
    result: Tensor = forward(token_ids, positions, caches, *rest)
    return result


def steps_of(forward: Any, model: Any, *lengths: list[int]) -> list[Tensor]:
    """Return the logits of a prefill with each of these lengths, and of a decode step after it."""
    results = []
    for each in lengths:
        caches = model.new_caches(48)
        results += [logits(forward, caches, each), logits(forward, caches, [1] * len(each), each)]
    return results


# --- Numbers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_a_custom_model(dtype: torch.dtype) -> None:
    model = llama(dtype)
    expected = steps_of(model, model, [5, 9])
    forward, made = compiled(model)
    found = steps_of(forward, model, [5, 9])
    for a, b in zip(found, expected, strict=True):
        assert (a - b).float().norm() < {torch.bfloat16: 0.02, torch.float32: 1e-5}[dtype] * b.float().norm()
    for each in made:
        assert each.reason is None and each.replay_reason is None
        assert each.rewrites["linear"] == 15 and each.rewrites["by_row"] == 0
        assert (each.rewrites["rms_norm"], each.rewrites["rotary_embedding"]) == (5, 2)
        assert (each.rewrites["gated_activation"], each.rewrites["add_rms_norm"]) == (2, 3)


def test_the_logprobs_of_an_engine() -> None:
    """transformers' model of the same weights, through the engine: tokens and logprobs."""
    model = EXAMPLE["load"](EXAMPLE["MODEL"], torch.bfloat16)
    forward, made = compiled(model)
    rows: list[Tensor] = []

    def kept(*args: Any) -> Tensor:
        rows.append(forward(*args))
        return rows[-1]

    prompts = [[5, 6, 7, 8, 9, 10, 11], [9, 8, 7]]
    sequences = EXAMPLE["generate"](kept, model.new_caches(48), prompts, 8)
    llm = LLM(str(EXAMPLE["MODEL"]), num_blocks=32)
    outputs = llm.generate(prompts, SamplingParams(temperature=0, max_tokens=8, logprobs=0, ignore_eos=True))
    assert [each.prompt_token_ids + each.outputs[0].token_ids for each in outputs] == sequences
    for i, output in enumerate(outputs):
        with torch.inference_mode():
            picked = [logprob for each in output.outputs[0].logprobs for logprob in each.items()]
            own = torch.stack([each[i] for each in rows])
            tokens = torch.tensor([token for token, _ in picked])
            found = ops.token_logprobs(own, torch.arange(len(own)), tokens, 0)[0]
        assert [float(each) for each in found] == [each.logprob for _, each in picked]
    assert all(each.reason is None for each in made)


@pytest.mark.parametrize("replay", [True, False])
def test_programs_run_short_calls_with_the_same_bits(replay: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    model = llama()
    expected = steps_of(compiled(model, replay=False)[0], model, [5, 9], [70])
    torch._dynamo.reset()
    calls, run = [], Program.__call__

    def counted(program: Program, *args: Any) -> Tensor:
        calls.append(program)
        return run(program, *args)

    monkeypatch.setattr(Program, "__call__", counted)
    found = steps_of(compiled(model, replay=replay)[0], model, [5, 9], [70])
    assert all(map(torch.equal, found, expected))
    assert len(calls) == (3 if replay else 0), "all but the prefill of 70 tokens"


@pytest.mark.parametrize("quantization", ["int8", "int4"])
def test_quantised_weights_are_packed_layers(quantization: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the bits of modules that were quantised by hand. The head has eight bits."""
    model = llama()
    found = steps_of(compiled(model, quantization=quantization)[0], model, [5, 9])
    torch._dynamo.reset()
    for name, each in list(model.named_modules()):
        if isinstance(each, nn.Linear) and quantization == "int8":
            model.set_submodule(name, PackedLinear.from_linear(each, torch.int8))
        elif isinstance(each, nn.Linear):
            rounded = round_weight(each.weight.detach(), 32)
            model.set_submodule(name, PackedLinear.from_grouped(rounded, dtype=each.weight.dtype))
    int8, scale = quantise_weight(model.model["embed_tokens"].weight)
    head = PackedLinear(int8, None, scale, torch.bfloat16)
    monkeypatch.setitem(type(model).forward.__globals__, "linear", lambda x, weight: head(x))
    forward, made = compiled(model)
    expected = steps_of(forward, model, [5, 9])
    assert all(each.reason is None for each in made)
    assert all(map(torch.equal, found, expected))


def test_compiling_writes_no_cache() -> None:
    model = llama()
    caches = model.new_caches(48)
    for cache in (each for pair in caches for each in pair):
        cache.fill_(torch.nan)
    logits(compiled(model)[0], caches, [5])
    for cache in (each for pair in caches for each in pair):
        assert not cache[1, :5].isnan().any() and cache.flatten(0, 1)[21:].isnan().all()


# --- Rewrites --------------------------------------------------------------------------------------------------


def _turned(x: Tensor) -> Tensor:
    return torch.cat([-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]], -1)


def _whole(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    cos, sin = (torch.cat([each, each], -1) for each in (cos, sin))
    return x * cos + _turned(x) * sin


def _in_float32(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    return EXAMPLE["rotated"](x.float(), cos.float(), sin.float()).to(x.dtype)


def _of_the_beginning(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    return torch.cat([EXAMPLE["rotated"](x[..., :16], cos[..., :8], sin[..., :8]), x[..., 16:]], -1)


@pytest.mark.parametrize("rotated", [_whole, _in_float32, _of_the_beginning])
def test_every_form_of_rotation_is_found(rotated: Callable[..., Tensor], monkeypatch: pytest.MonkeyPatch) -> None:
    layer = EXAMPLE["Layer"]
    monkeypatch.setitem(layer.forward.__globals__, "rotated", rotated)
    model = llama()
    expected = logits(model, model.new_caches(48), [5, 9])
    forward, made = compiled(model)
    found = logits(forward, model.new_caches(48), [5, 9])
    assert made[0].reason is None and made[0].rewrites["rotary_embedding"] == 2
    assert (found - expected).float().norm() < 0.02 * expected.float().norm()


class _Dense(nn.Module):
    """Module with dense attention."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(64, 4 * 64)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (-1, 32)).transpose(1, 2).split([4, 2, 2], 1)
        q, k = (_whole(each, cos, sin) for each in (q, k))
        k, v = (each[:, :, None].expand(-1, -1, 2, -1, -1).flatten(1, 2) for each in (k, v))
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def test_rotations_of_dense_attention() -> None:
    torch.manual_seed(0)
    model, x, angles = _Dense(), torch.randn(3, 7, 64), torch.randn(7, 16)
    forward, made = compiled(model)
    with torch.inference_mode():
        torch.testing.assert_close(forward(x, angles.cos(), angles.sin()), model(x, angles.cos(), angles.sin()))
    assert made[0].reason is None and made[0].rewrites["rotary_embedding"] == 1


WEIGHT = torch.rand(32) + 0.5
NORMS: dict[str, Callable[[Tensor], Tensor]] = {
    "torch's": lambda x: nn.functional.rms_norm(x, (32,), WEIGHT.to(x.dtype), 1e-5),
    "torch's, by itself": lambda x: nn.functional.rms_norm(x, (32,)),
    "by hand": lambda x: WEIGHT * (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype),
}


@pytest.mark.parametrize("name", NORMS)
def test_every_form_of_norm_is_found(name: str) -> None:
    x = torch.randn(7, 32)
    forward, made = compiled(NORMS[name])
    with torch.inference_mode():
        torch.testing.assert_close(forward(x), NORMS[name](x))
    assert made[0].reason is None and made[0].rewrites["rms_norm"] == 1


def test_a_module_without_attention() -> None:
    """The products of an encoder layer are packed; operators without a rule stay."""
    torch.manual_seed(0)
    encoder = nn.Sequential(nn.Linear(32, 48), nn.LayerNorm(48), nn.GELU(), nn.Dropout(), nn.Linear(48, 32)).eval()
    forward, made = compiled(encoder)
    with torch.inference_mode():
        for batch in (2, 3, 4):
            x = torch.randn(batch, 5, 32)
            torch.testing.assert_close(forward(x), encoder(x))
    assert len(made) == 2 and all(each.rewrites["linear"] == 2 and each.reason is None for each in made)


def test_calls_before_and_after_a_write_are_not_merged() -> None:
    """Two calls with equal arguments and a cache write between them."""
    _, _, slots, tables, lens, starts = step([1], [3])  # of blocks 1 to 5

    def twice(x: Tensor, cache: Tensor) -> Tensor:
        first = ops.paged_attention(x, cache, cache, tables, lens, starts)
        ops.write_kv_cache(x, x, cache, cache, slots)
        return first - ops.paged_attention(x, cache, cache, tables, lens, starts)

    x, cache = torch.randn(1, 2, 32), torch.randn(6, 16, 2, 32)
    forward, made = compiled(twice)
    with torch.inference_mode():
        expected = twice(x, cache.clone())
        assert expected.any() and torch.equal(forward(x, cache), expected)
    assert made[0].reason is None


def test_results_share_no_memory() -> None:
    """A write into one result changes no other, nor those of the next call."""
    layer, weight = nn.Linear(8, 8), nn.Parameter(torch.ones(8))
    both, made = compiled(lambda x: (x + 1, x + 1, layer(x), weight + 1))
    alone, made_alone = compiled(lambda x: weight.view(2, 4) + 1)
    x = torch.zeros(3, 8)
    with torch.inference_mode():
        for _ in range(2):
            results = [*both(x), alone(x)]
            assert len({each.data_ptr() for each in results}) == len(results)
            assert all(torch.equal(results[i], torch.full_like(results[i], n)) for i, n in ((0, 1), (3, 2), (4, 2)))
            for each in results:
                each.add_(7)
    assert all(each.reason is None for each in (*made, *made_alone)) and made[0].rewrites["linear"] == 1


def test_expanded_and_overlapping_inputs() -> None:
    """Positions are often expanded over a batch; windows overlap."""
    layer = nn.Linear(8, 8)
    forward, made = compiled(lambda x, positions: layer(x) + positions[..., None])
    with torch.inference_mode():
        for batch, length in ((2, 3), (3, 5), (4, 6)):
            positions = torch.arange(length).expand(batch, length)
            x = torch.randn(batch + length, 8).unfold(0, length, 1)[:batch].mT
            torch.testing.assert_close(forward(x, positions), layer(x) + positions[..., None])
    assert len(made) == 2 and all(each.reason is None for each in made)


def test_float64_keeps_torchs_operators() -> None:
    """torchpaged's norms and gates do not support it."""
    forward, made = compiled(lambda x: nn.functional.silu(nn.functional.rms_norm(x, (8,))) * x)
    x = torch.randn(4, 8, dtype=torch.float64)
    with torch.inference_mode():
        assert torch.equal(forward(x), nn.functional.silu(nn.functional.rms_norm(x, (8,))) * x)
    assert made[0].reason is None and made[0].rewrites["rms_norm"] == 0


def test_random_operators_are_not_merged() -> None:
    def draws(x: Tensor) -> Tensor:
        return nn.functional.dropout(x) - nn.functional.dropout(x)

    forward, _ = compiled(draws)
    with torch.inference_mode():
        assert forward(torch.ones(100)).any()


# --- Shapes ----------------------------------------------------------------------------------------------------


def test_two_graphs_for_every_number_of_tokens() -> None:
    """With sizes marked dynamic, torch compiles size 1 separately and all others once."""
    model = llama()
    expected = {n: logits(model, model.new_caches(48), [1] * n, [4] * n) for n in (2, 1, 3, 9, 5, 8, 4, 6)}
    forward, made = compiled(model)
    for n, each in expected.items():
        inputs, caches = step([1] * n, [4] * n), model.new_caches(48)
        for tensor in inputs:
            torch._dynamo.maybe_mark_dynamic(tensor, 0)
        with torch.inference_mode():
            found = forward(inputs[0], inputs[1], caches, *inputs[2:])
        assert (found - each).float().norm() < 0.02 * each.float().norm()
    assert counters["stats"]["unique_graphs"] == len(made) == 2
    assert all(each.reason is None and each.replay_reason is None for each in made)


def test_unmarked_sizes_cost_two_recompilations() -> None:
    model = llama()
    forward, made = compiled(model)
    for n in (5, 7, 1, 2, 9, 3, 8, 4):
        logits(forward, model.new_caches(48), [1] * n, [4] * n)
    assert counters["stats"]["unique_graphs"] == len(made) <= 3


def test_no_size_is_a_multiple_of_another_plus_a_constant() -> None:
    """Otherwise a size computed from one could be mistaken for the other, instead of being refused."""
    pairs = _size_pairs(12)
    for a, b in pairs:
        others = [pair for pair in pairs if pair != (a, b)]
        assert not [(k, c, d) for c, d in others for k in range(1, 20) if c - k * a == d - k * b]

    forward, made = compiled(lambda x: x.new_ones(x.shape[0] + 18) + x[:1])
    with torch.inference_mode():
        for size in (3, 5):
            assert forward(torch.ones(size)).shape == (size + 18,)
    assert [each.reason is None for each in made] == [True, False]
    assert "has 35 and 41 with the sizes (17,) and (23,)" in str(made[1].reason)


def test_dynamo_explains_one_graph() -> None:
    model = llama()
    token_ids, positions, *rest = step([5])
    with torch.inference_mode():
        explained = torch._dynamo.explain(model)(token_ids, positions, model.new_caches(48), *rest)
    assert (explained.graph_count, explained.graph_break_count) == (1, 0)


# --- Weights ---------------------------------------------------------------------------------------------------


def _written(model: Any) -> None:
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(1.1)


def _loaded(model: Any) -> None:
    model.load_state_dict({name: 1.1 * weight for name, weight in model.state_dict().items()})


def _replaced(model: Any) -> None:
    for weight in model.parameters():
        weight.data = 1.1 * weight.data


def _trained(model: Any) -> None:
    """Train with a fused optimizer, whose writes torch's version counter misses."""
    for weight in model.parameters():
        weight.grad = torch.ones_like(weight)
    torch.optim.AdamW(model.parameters(), lr=0.1, fused=True).step()


@pytest.mark.parametrize("change", [_written, _loaded, _replaced, _trained])
def test_changed_weights_are_packed_again(change: Callable[[Any], None]) -> None:
    model = llama()
    forward, made = compiled(model)
    before = logits(forward, model.new_caches(48), [5])
    change(model)
    found = logits(forward, model.new_caches(48), [5])
    torch._dynamo.reset()
    expected = logits(compiled(model)[0], model.new_caches(48), [5])
    assert torch.equal(found, expected) and not torch.equal(found, before)
    assert len(made) == 1, "no graph was compiled again"


def test_a_changed_attribute_becomes_an_input() -> None:
    """A tensor attribute counts as a weight until it changes."""
    forward, made = compiled(lambda given: given.x @ given.weight)
    weight = torch.randn(16, 8)
    with torch.inference_mode():
        for _ in range(3):
            x = torch.randn(4, 16)
            torch.testing.assert_close(forward(SimpleNamespace(x=x, weight=weight)), x @ weight)
    assert len(made) == 1 and made[0].reason is None and made[0].rewrites["linear"] == 1


@torch.inference_mode()
def test_writes_to_weights_made_in_inference_mode_are_seen() -> None:
    """torch's version counter misses them."""
    model, x = nn.Sequential(nn.Linear(16, 8), nn.Linear(8, 8)), torch.randn(4, 16)
    forward, made = compiled(model)
    assert torch.equal(forward(x), forward(x))
    model.load_state_dict({name: 2 * weight for name, weight in model.state_dict().items()})
    torch.testing.assert_close(forward(x), model(x))
    assert len(made) == 1 and made[0].reason is None and made[0].rewrites["linear"] == 2


def test_layers_that_share_a_weight() -> None:
    """With biases of their own, and the same input: the weight is packed once for each layer."""
    one, other = nn.Linear(16, 8), nn.Linear(16, 8)
    other.weight = one.weight
    forward, made = compiled(lambda x: one(x) * other(x))
    x = torch.randn(4, 16)
    with torch.inference_mode():
        torch.testing.assert_close(forward(x), one(x) * other(x))
    assert made[0].reason is None


def test_graphs_of_one_model_share_its_packed_weights() -> None:
    model = llama()
    forward, made = compiled(model)
    steps_of(forward, model, [5, 9])
    assert len(made) == 2
    first, second = made
    assert len(first._held) == 9 and all(a is b for a, b in zip(first._held, second._held, strict=True))
    packed = weakref.ref(first._held[0].tensor)
    del first, second, forward
    made.clear()
    torch._dynamo.reset()
    gc.collect()
    assert packed() is None, "freed with the compiled code"


# --- Refusals --------------------------------------------------------------------------------------------------


def test_gradients_are_refused() -> None:
    model = nn.Linear(8, 8)
    forward = torch.compile(model, backend="torchpaged")
    with pytest.raises(GradientError, match="inference_mode"):
        forward(torch.randn(2, 8))
    x = torch.randn(2, 8)
    with torch.no_grad():
        torch.testing.assert_close(forward(x), model(x))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quantisation": "int8"}, "no option 'quantisation'.*did you mean 'quantization'"),
        ({"quantization": "int3"}, "option quantization .* is 'int3', expected None, 'int8', 'int4'"),
        ({"replay": 2}, "option replay .* is 2, expected True, False"),
    ],
)
def test_unknown_options_are_refused(options: dict[str, Any], message: str) -> None:
    forward = torch.compile(nn.Linear(8, 8), backend="torchpaged", options=options)
    with torch.inference_mode(), pytest.raises(ConfigError, match=message):
        forward(torch.randn(2, 8))


def test_modes_are_refused() -> None:
    forward = torch.compile(nn.Linear(8, 8), backend="torchpaged", mode="max-autotune")
    with torch.inference_mode(), pytest.raises(ConfigError, match="has no mode, got 'max-autotune'"):
        forward(torch.randn(2, 8))


def _counts(x: Tensor, seen: Tensor) -> Tensor:
    seen.add_(1)
    return x * 2


def _averages(x: Tensor, seen: Tensor) -> Tensor:
    return nn.functional.batch_norm(x, seen, seen + 1, training=True)


def _chooses(x: Tensor, seen: Tensor) -> Tensor:
    result: Tensor = torch.cond(seen.sum() > 0, torch.sin, torch.cos, (x,))
    return result


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_counts, "mutates what it did not make"),
        (_averages, "updates running means"),
        (_chooses, "it has a graph in its graph (cond)"),
    ],
)
def test_a_refused_graph_runs_as_it_is(
    function: Callable[..., Tensor], message: str, caplog: pytest.LogCaptureFixture
) -> None:
    x, seen, expected = torch.randn(5, 3), torch.zeros(3), torch.zeros(3)
    with torch.inference_mode(), caplog.at_level(logging.WARNING, "torchpaged"):
        found = torch.compile(function, backend="torchpaged")(x, seen)
        assert torch.equal(found, function(x, expected)) and torch.equal(seen, expected), "the write must happen once"
    assert "runs as it is" in caplog.text and message in caplog.text


def test_rows_that_are_fully_masked_in_samples() -> None:
    """Sample integers may mask every key. `torch.tensor(1)` in the graph is no write."""

    def attends(x: Tensor, lens: Tensor) -> Tensor:
        mask = torch.arange(len(x)) < lens[:, None] - torch.tensor(1)
        return (x @ x.T).masked_fill(~mask, -torch.inf).softmax(-1) @ x

    x, lens = torch.randn(6, 8), torch.tensor([2, 3, 4, 5, 6, 7])
    forward, made = compiled(attends)
    with torch.inference_mode():
        torch.testing.assert_close(forward(x, lens), attends(x, lens))
    assert made[0].reason is None


def test_a_compiled_module_can_be_pickled() -> None:
    layer, x = nn.Linear(8, 8), torch.randn(3, 8)
    again = pickle.loads(pickle.dumps(torch.compile(layer, backend="torchpaged")))
    with torch.inference_mode():
        torch.testing.assert_close(again(x), layer(x))


def test_the_backend_is_registered() -> None:
    assert "torchpaged" in torch._dynamo.list_backends()


# --- Beside torch's own ----------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_same_tokens_every_way(tmp_path: Path) -> None:
    """Eager, this backend, inductor, and AOTInductor from Python."""
    model, prompts = EXAMPLE["load"](EXAMPLE["MODEL"]), [[5, 6, 7, 8, 9, 10, 11], [9, 8, 7]]
    changes, stays = torch.export.Dim.DYNAMIC, torch.export.Dim.STATIC
    first = {0: changes}
    shapes = (first, first, [({}, {})] * 4, first, {0: changes, 1: stays}, first, first)
    token_ids, positions, slots, tables, *rest = step([3, 2])
    inputs = (token_ids, positions, model.new_caches(16), slots, tables[:, :1].contiguous(), *rest)
    with torch.no_grad():
        exported = torch.export.export(model, inputs, dynamic_shapes=shapes)
    path = torch._inductor.aoti_compile_and_package(exported, package_path=str(tmp_path / "own.pt2"))
    ways = {
        "eager": model,
        "torchpaged": torch.compile(model, backend="torchpaged"),
        "inductor": torch.compile(model),
        "AOTInductor": torch._inductor.aoti_load_package(path),
    }
    found = {name: EXAMPLE["generate"](forward, model.new_caches(16), prompts, 8) for name, forward in ways.items()}
    assert all(each == found["eager"] for each in found.values()), found


_CACHED = """
import runpy, sys, torch
from torch._dynamo.utils import counters
example = runpy.run_path(sys.argv[1])
model = example["load"](example["MODEL"])
print(example["generate"](torch.compile(model), model.new_caches(16), [[5, 6, 7]], 2))
print(counters["inductor"]["fxgraph_cache_miss"])
"""


@pytest.mark.long
def test_another_process_uses_inductors_cache(tmp_path: Path) -> None:
    """torch caches code that calls torchpaged's operators like other code."""
    command = [sys.executable, "-c", _CACHED, str(Path(__file__).parents[2] / "examples" / "own_module.py")]
    variables = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path), "TORCHINDUCTOR_FX_GRAPH_CACHE": "1"}
    variables.pop("TORCHINDUCTOR_FORCE_DISABLE_CACHES", None)
    (tokens, made), (again, anew) = (
        subprocess.run(command, capture_output=True, text=True, check=True, env=variables).stdout.split("\n")[:2]
        for _ in range(2)
    )
    assert tokens == again and int(made) > 0 and int(anew) == 0
