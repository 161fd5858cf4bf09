"""`optimize`: every model type is optimized, with accurate, batch-invariant results, and weights can be restored."""

from __future__ import annotations

import copy
import gc
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests import models
from tests.integrations.family_models import SPECIAL
from torchpaged import LLM, SamplingParams
from torchpaged.compiler.graph import Graph, NotTraceable
from torchpaged.compiler.linear_pass import linears
from torchpaged.compiler.optimize import OptimizeReport, _Check
from torchpaged.compiler.passes import rewrite
from torchpaged.compiler.product_cache import CachedProducts, ReducedProducts
from torchpaged.compiler.tracer import trace
from torchpaged.integrations.families import FAMILIES, SUPPORTED
from torchpaged.integrations.transformers import adapter
from torchpaged.ops import cpu

pytestmark = pytest.mark.skipif(cpu.isa() in ("none", "portable"), reason="no fast kernels here: ops.cpu.isa()")

# Model types that are not optimized, and the reason.
LEFT = {
    "llama4_text": "its queries are scaled by their position",
    "longcat_flash": "its shapes depend on values (aten.one_hot.default)",
}
TESTED = [
    "apertus",
    "arcee",
    "biogpt",
    "cohere",
    "cohere2",
    "deepseek_v2",
    "deepseek_v3",
    "ernie4_5",
    "ernie4_5_moe",
    "exaone4",
    "flex_olmo",
    "gemma",
    "gemma2",
    "gemma3_text",
    "glm",
    "glm4",
    "glm4_moe",
    "gpt2",
    "gpt_bigcode",
    "gpt_neox",
    "gpt_oss",
    "granite",
    "granitemoe",
    "granitemoeshared",
    "helium",
    "lfm2",
    "lfm2_moe",
    "lfm3",
    "llama",
    "llama4_text",
    "longcat_flash",
    "mamba2",
    "mistral",
    "mixtral",
    "olmo",
    "olmo2",
    "olmo3",
    "olmoe",
    "opt",
    "persimmon",
    "phi",
    "phi3",
    "qwen2",
    "qwen2_moe",
    "qwen3",
    "qwen3_moe",
    "qwen3_next",
    "seed_oss",
    "smollm3",
    "starcoder2",
    "vaultgemma",
]
# Other model types with recurrent layers, in long runs.
RECURRENT = [kind for kind in SUPPORTED if "recurrent" in FAMILIES[kind].attention and kind not in TESTED]
# Norms of both kinds of weight and on either side of a transpose, gates, rotations whole, partial and interleaved, tied
# and fused weights, biases, softcaps, latents and experts.
NUMBERS = (
    *(
        "deepseek_v3",
        "gemma2",
        "gemma3_text",
        "glm4",
        "gpt2",
        "gpt_neox",
        "mamba2",
        "olmo2",
        "phi3",
        "qwen2",
        "qwen3_moe",
    ),
    pytest.param("qwen3_next", marks=pytest.mark.long),
)


def build(kind: str, **overrides: Any) -> Any:
    special = SPECIAL.get(kind, {})
    num_layers = len(special.get("layer_types", ())) or (4 if kind == "llama4_text" else 2)
    sizes = {"num_hidden_layers": special.get("num_hidden_layers", num_layers), "initializer_range": 0.05}
    return models.build(kind, **{**special, **sizes, **overrides})


def optimized(model: adapter.TransformersModel) -> OptimizeReport:
    """Optimize and return the report."""
    model.weights.optimize()
    assert model.weights.report is not None
    return model.weights.report


def logprobs(model: Any, batch: list[list[int]], **settings: Any) -> list[Tensor]:
    """Return the engine's log-probabilities, [len(prompt) - 1, vocab], for each prompt."""
    settings |= {"enable_prefix_caching": False, "skip_tokenizer_init": isinstance(model, str)}
    llm = LLM(model, num_blocks=64, block_size=4, **settings)
    params = SamplingParams(max_tokens=1, temperature=0, prompt_logprobs=models.VOCAB)
    outputs = llm.generate(batch, params, use_tqdm=False)
    rows = [[each for each in output.prompt_logprobs if each] for output in outputs]
    return [torch.tensor([[row[t].logprob for t in range(models.VOCAB)] for row in each]) for each in rows]


@pytest.mark.parametrize("kind", [*TESTED, *(pytest.param(kind, marks=pytest.mark.long) for kind in RECURRENT)])
def test_model_types_are_optimized(kind: str) -> None:
    report = optimized(adapter.wrap(build(kind), "bfloat16"))
    assert (LEFT[kind] in (report.reason or "")) if kind in LEFT else report.reason is None
    if kind not in LEFT:
        assert report.packed_bytes and report.rewrites["linear"]


@pytest.mark.parametrize("kind", NUMBERS)
def test_no_further_from_float32_than_transformers(kind: str) -> None:
    """Errors are root mean squares of log-probabilities, against a float32 run of the same rounded weights."""
    narrow = build(kind).to(torch.bfloat16)
    batch = models.prompts((40, 23), seed=2)
    exact = [models.logprobs(copy.deepcopy(narrow).float(), tokens)[:-1] for tokens in batch]
    own = [models.logprobs(narrow, tokens)[:-1] for tokens in batch]
    found = logprobs(copy.deepcopy(narrow), batch)

    def error(rows: list[Tensor]) -> float:
        return (torch.cat(rows) - torch.cat(exact)).square().mean().sqrt().item()

    assert error(found) <= 1.25 * error(own)


@pytest.mark.parametrize("kind", ["qwen3", "gemma2", "lfm2", pytest.param("qwen3_next", marks=pytest.mark.long)])
def test_bits_do_not_depend_on_the_batch(kind: str) -> None:
    model = build(kind).to(torch.bfloat16)
    batch = models.prompts((31, 9, 17, 2, 26), seed=4)
    together = logprobs(model, batch)
    for tokens, rows in zip(batch, together, strict=True):
        assert torch.equal(logprobs(model, [tokens])[0], rows)


def test_number_of_rewrites() -> None:
    report = optimized(adapter.wrap(build("qwen3", tie_word_embeddings=True), "bfloat16"))
    assert report.rewrites == {
        "rms_norm": 9,
        "gated_activation": 2,
        "rotary_embedding": 2,
        "add_rms_norm": 4,
        "linear": 15,
        "grouped_linear": 0,
        "adapter": 0,
        "by_row": 0,
    }


@pytest.mark.parametrize(
    ("kind", "dtype", "stays"),
    [
        ("qwen3", torch.bfloat16, ("norm", "embed", "lm_head")),
        ("qwen3", torch.float32, ("norm", "embed", "lm_head")),
        ("gpt2", torch.float32, ("ln_", "wte", "wpe", "bias", "lm_head")),  # [in, out]
        ("falcon", torch.float16, ("ln_", "norm", "embed", "lm_head")),  # by matmul
        ("qwen3_moe", torch.float32, ("norm", "embed", "lm_head")),  # experts [out, in],
        ("gpt_oss", torch.bfloat16, ("norm", "embed", "lm_head", "bias", "sinks")),  # and [in, out]
        ("deepseek_v3", torch.float32, ("norm", "embed", "lm_head", "kv_b_proj", "bias")),  # heads read parts of one
    ],
)
def test_weights_of_a_loaded_model_are_freed(
    tmp_path: Path, kind: str, dtype: torch.dtype, stays: tuple[str, ...]
) -> None:
    """The freed weights can be restored with the same bits and fingerprint."""
    build(kind, tie_word_embeddings=True).to(dtype).save_pretrained(tmp_path)
    model = adapter.load(str(tmp_path))
    before, fingerprint = copy.deepcopy(model.model.state_dict()), model.fingerprint()
    assert optimized(model).reason is None
    kept = {name for name, each in model.model.state_dict().items() if each.numel()}
    assert kept == {name for name in before if any(part in name for part in stays)}
    assert model.fingerprint() == fingerprint
    model.weights.restore()
    assert all(torch.equal(each, before[name]) for name, each in model.model.state_dict().items())
    assert model.fingerprint() == fingerprint


def test_an_instance_keeps_its_weights() -> None:
    instance = build("llama").to(torch.bfloat16)
    before = copy.deepcopy(instance.state_dict())
    optimized(adapter.wrap(instance))
    gc.collect()
    assert all(torch.equal(each, before[name]) for name, each in instance.state_dict().items())


def test_float32_is_rewritten_when_asked() -> None:
    model = build("llama")
    assert LLM(model, num_blocks=64, block_size=4).engine.model.weights.optimized is None
    assert LLM(model, num_blocks=64, block_size=4, optimize=True).engine.model.weights.optimized is not None


def test_control_flow_on_values_is_refused() -> None:
    model = adapter.wrap(build("llama"), "bfloat16")
    bias = nn.Parameter(torch.zeros(64, dtype=torch.bfloat16))

    def by_value(module: nn.Module, inputs: Any, output: Tensor) -> Tensor:
        return output + bias if output.sum() > 0 else output

    model.model.model.embed_tokens.register_forward_hook(by_value)
    assert "its control flow depends on values" in (optimized(model).reason or "")


def loaded(path: Path, kind: str = "qwen3") -> adapter.TransformersModel:
    """Return a model that the loader made, whose logits are compared with reduced products."""
    build(kind).to(torch.bfloat16).save_pretrained(path)
    model = adapter.load(str(path))
    assert isinstance(model, adapter.TransformersModel)
    return model


def _is_swapped(traced: Graph) -> dict[str, int]:
    """Rewrite, and exchange the weights of two layers."""
    counts = rewrite(traced)
    calls = [node for node in traced.graph.nodes if node.target is linears and len(node.args[1]) == 2]
    if len(calls) == 2:
        first, second = (node.args for node in calls)
        with traced.graph.inserting_before(calls[0]):
            weights = [traced.constant(traced.values[each]) for each in second[1]]
            calls[0].args = (first[0], weights, *first[2:])
    return counts


def _is_scaled(traced: Graph) -> dict[str, int]:
    """Rewrite, and multiply what the last product gives."""
    counts = rewrite(traced)
    node = [node for node in traced.graph.nodes if node.target is linears][-1]
    with traced.graph.inserting_after(node):
        scaled = traced.call(torch.ops.aten.mul.Tensor, (node, 3), traced.values[node] * 3)
    node.replace_all_uses_with(scaled, delete_user_cb=lambda user: user is not scaled)
    return counts


@pytest.mark.parametrize("wrong", [_is_swapped, _is_scaled])
@pytest.mark.parametrize("owned", [True, False])
def test_a_wrong_rewrite_is_found(wrong: Any, owned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchpaged.compiler.optimize.rewrite", wrong)
    model = loaded(tmp_path) if owned else adapter.wrap(build("qwen3"), "bfloat16")
    assert "rewritten, its logits differ" in (optimized(model).reason or "")


def test_products_that_cannot_be_reduced_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rewrite may change products so that reduced ones differ. The model's own decide then."""
    model = loaded(tmp_path)

    def reduced(mode: ReducedProducts, func: Any, args: Any, kwargs: Any) -> Tensor:
        result: Tensor = func(*args, **kwargs)
        return result * torch.rand(()) if func is torch.ops.aten.linear.default and own_weights[0] else result

    own_weights = [False]
    monkeypatch.setattr(ReducedProducts, "product", reduced)
    close = _Check.require_close

    def require_close(check: _Check, calls: Any) -> None:
        own_weights[0] = True
        compared.append(type(check._products))
        close(check, calls)

    compared: list[type] = []
    monkeypatch.setattr(_Check, "require_close", require_close)
    assert optimized(model).reason is None
    assert compared == [ReducedProducts, CachedProducts]


def test_optimize_false_is_transformers_own_arithmetic() -> None:
    model = build("qwen2").to(torch.bfloat16)
    llm = LLM(model, num_blocks=64, block_size=4, optimize=False)
    assert llm.engine.model.weights.optimized is None
    assert LLM(model, num_blocks=64, block_size=4).engine.model.weights.optimized is not None


def test_int8_weights_are_torchaos(tmp_path: Path) -> None:
    """Their codes are packed unchanged, also if the model is quantised after its weights were packed."""
    pytest.importorskip("torchao")
    build("qwen3").to(torch.bfloat16).save_pretrained(tmp_path)
    batch = models.prompts((40,), seed=2)
    plain = logprobs(str(tmp_path), batch, optimize=False)[0]
    slow = logprobs(str(tmp_path), batch, optimize=False, quantization="int8")[0]
    fast = logprobs(str(tmp_path), batch, quantization="int8")[0]
    assert (fast - plain).norm() < 1.25 * (slow - plain).norm()
    llm = LLM(str(tmp_path), num_blocks=64, block_size=4, skip_tokenizer_init=True)
    before = llm.engine.model.weights.optimized.report.packed_bytes
    llm.quantize("int8")
    after = llm.engine.model.weights.optimized.report.packed_bytes
    assert after < 0.6 * before


def test_an_optimized_model_compiles() -> None:
    """With the same tokens."""
    model = build("qwen3").to(torch.bfloat16)
    batch, params = models.prompts((7, 20, 3)), SamplingParams(max_tokens=6, temperature=0)
    tokens = []
    for settings in ({}, {"compile": True, "compile_backend": "eager"}):
        llm = LLM(model, num_blocks=64, block_size=4, max_num_batched_tokens=16, **settings)
        tokens.append([each.outputs[0].token_ids for each in llm.generate(batch, params, use_tqdm=False)])
    torch._dynamo.reset()
    assert tokens[0] == tokens[1]


class Toy:
    """A forward with the engine's signature around a test's body."""

    def __init__(self, body: Any) -> None:
        self.body, self.weight = body, torch.randn(50, 8)

    def __call__(self, input_ids: Tensor, positions: Tensor, metadata: Any, rows: Tensor) -> Tensor:
        return self.body(self, torch.nn.functional.embedding(input_ids, self.weight), rows)

    def trace(self) -> Graph:
        """Trace with 13 tokens and 3 rows, and with 17 and 11."""
        inputs = [
            {"input_ids": torch.arange(n), "positions": torch.arange(n), "metadata": None, "rows": torch.arange(m)}
            for n, m in ((13, 3), (17, 11))
        ]
        return trace(self, inputs, ("input_ids", "rows"))


def _mutates(toy: Toy, x: Tensor, rows: Tensor) -> Tensor:
    toy.weight.add_(1)
    return x[rows]


def _accumulates(toy: Toy, x: Tensor, rows: Tensor) -> Tensor:
    """Add to two buffers that are equal at first; they must not be merged."""
    sums = [torch.zeros(x.shape[0], 8), torch.zeros(x.shape[0], 8)]
    for i, each in enumerate(sums):
        each += x * (i + 1)
    return (sums[0] * sums[1])[rows]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (lambda toy, x, rows: x[rows] if x.shape[0] < 15 else x[rows] + 1, "control flow depends on the number"),
        (lambda toy, x, rows: x[x.sum(-1) > 0], "shapes depend on values"),
        (lambda toy, x, rows: x[rows] * torch.ones(x.shape[0] // 2).sum(), r"with the sizes \(13, 3\) and \(17, 11\)"),
        (lambda toy, x, rows: x[rows] if x.sum() > 0 else x[rows] + 1, "control flow depends on values"),
        (lambda toy, x, rows: x[rows] * x[0].tolist()[0], "control flow depends on values"),
        (_mutates, "mutates what it did not make"),
    ],
    ids=["branch", "mask", "half", "value", "list", "mutation"],
)
def test_refused_forwards(body: Any, says: str) -> None:
    toy = Toy(body)
    weight = toy.weight.clone()
    with torch.inference_mode(), pytest.raises(NotTraceable, match=says):
        toy.trace()
    assert torch.equal(toy.weight, weight), "a refused write must not happen"


def test_a_graph_follows_the_sizes_of_a_step() -> None:
    toy = Toy(_accumulates)
    with torch.inference_mode():
        traced = toy.trace()
        rewrite(traced)
        forward = traced.module()
        for num_tokens in (1, 2, 30):
            ids, rows = torch.arange(num_tokens), torch.tensor([num_tokens - 1])
            assert torch.equal(forward(ids, ids, None, rows), toy(ids, ids, None, rows))


@pytest.mark.parametrize(
    "body",
    [
        lambda toy, x, rows: (x @ toy.first.T @ toy.second.T)[rows],
        lambda toy, x, rows: (toy.first @ x[None].transpose(1, 2)).transpose(1, 2)[0, rows],
    ],
    ids=["a-layer-that-reads-a-layer", "a-weight-on-the-left"],
)
def test_every_form_of_product_is_found(body: Any) -> None:
    """torch's products are not batch-invariant, so none may remain."""
    toy = Toy(body)
    toy.first, toy.second = torch.randn(6, 8), torch.randn(5, 6)
    with torch.inference_mode():
        traced = toy.trace()
        rewrite(traced)
        forward = traced.module()
        found = [str(node.target) for node in traced.graph.nodes if node.op == "call_function"]
        assert not any(name in each for each in found for name in ("aten.linear", "aten.matmul", "aten.mm"))
        ids = torch.arange(9)
        torch.testing.assert_close(forward(ids, ids, None, ids), toy(ids, ids, None, ids))
