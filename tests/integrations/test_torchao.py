"""Quantised weights through torchao: close to the float model, schedule-independent, with reasons for refusals."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import AutoModelForCausalLM

from tests import fakes, models
from tests.integrations.family_models import SPECIAL
from torchpaged import LLM, EngineConfig, SamplingParams
from torchpaged.cli import main
from torchpaged.config import QUANTIZATIONS
from torchpaged.errors import ConfigError, EngineError, ModelError
from torchpaged.execution import export
from torchpaged.integrations.checkpoints import torchao
from torchpaged.integrations.transformers import adapter
from torchpaged.ops import active_backend
from torchpaged.weights.packed_linear import PackedEmbedding, PackedLinear

pytest.importorskip("torchao", reason="torchao is not installed")

from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig
from torchao.quantization import (
    Float8DynamicActivationFloat8WeightConfig,
    Float8WeightOnlyConfig,
    FqnToConfig,
    Int8WeightOnlyConfig,
    quantize_,
)

# A text.
CODE = Path(__file__).parents[2] / "torchpaged" / "scheduling" / "scheduler.py"
SETTINGS: dict[str, Any] = {"num_blocks": 60, "block_size": 4, "max_num_batched_tokens": 64}
# Whether int8 runs in the C++ library instead of torchao's own kernels.
PACKED = active_backend("packed_linear", "cpu") == "cpp"
GREEDY = SamplingParams(temperature=0, max_tokens=12)


def tokens(llm: LLM, seed: int = 0) -> list[list[int]]:
    outputs = llm.generate(models.prompts([1, 17, 30], seed=seed), GREEDY, use_tqdm=False)
    return [output.outputs[0].token_ids for output in outputs]


def tiny(kind: str = "llama", **overrides: Any) -> Any:
    return models.build(kind, num_hidden_layers=2, **overrides)


def prompt_logprobs(llm: LLM, prompt: list[int]) -> Tensor:
    """Return the logprob of each prompt token but the first."""
    params = SamplingParams(temperature=0, max_tokens=1, prompt_logprobs=0)
    found = llm.generate(prompt, params, use_tqdm=False)[0].prompt_logprobs
    assert found is not None
    return torch.tensor([each[token].logprob for each, token in zip(found[1:], prompt[1:], strict=True)])  # type: ignore[index]


@pytest.mark.parametrize(
    ("name", "bound"), [("int8", 0.02), ("int8-dynamic", 0.03), ("int4", 0.15)], ids=lambda v: str(v)
)
def test_every_linear_of_the_layers_and_where_it_is_packed_the_head(name: str, bound: float) -> None:
    """`bound` is of each linear's output: an int8 weight is off by a 500th of its row's largest, uniformly."""
    model, original = tiny("qwen3"), tiny("qwen3")
    llm = LLM(model, quantization=name, **SETTINGS)
    x = {size: torch.randn(5, size) for size in (64, 96)}
    for path, linear in original.named_modules():
        if isinstance(linear, nn.Linear):
            own = model.get_submodule(path)
            quantised = path != "lm_head" or PACKED or name == "int4"
            assert (type(own) is not nn.Linear or hasattr(own.weight.data, "__tensor_flatten__")) == quantised, path
            expected, found = linear(x[linear.in_features]), own(x[linear.in_features])
            error = ((found - expected).norm() / expected.norm()).item()
            assert 0 < error < bound if quantised else error == 0, (path, error)
    assert len(tokens(llm)[0]) == 12


@pytest.mark.parametrize("kind", ["mamba2", "jamba", "mamba"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_weights_that_a_models_code_reads(kind: str, dtype: str) -> None:
    """A head's dtype is read, and Mamba's scan multiplies the steps' weight directly."""
    model = models.build(kind, **SPECIAL[kind])
    prompt = models.prompts([40])[0]
    expected = prompt_logprobs(LLM(copy.deepcopy(model), **SETTINGS), prompt)
    found = prompt_logprobs(LLM(model, dtype=dtype, quantization="int8", **SETTINGS), prompt)
    assert 0 < (found - expected).abs().mean() < 0.2
    if kind != "mamba2":
        assert all(type(each) is nn.Linear for name, each in model.named_modules() if name.endswith(".dt_proj"))


@pytest.mark.parametrize("name", ["int8", "int4"])
@pytest.mark.parametrize("kind", ["phimoe", "llama4_text", "longcat_flash"])
def test_routers_that_are_more_than_a_product_stay_floats(kind: str, name: str) -> None:
    """Phi's and Llama's are linear layers with a forward of their own, LongCat's is read by another module: packed, it
    would choose experts by whatever lies in memory."""
    model = models.build(kind, **SPECIAL[kind])
    llm = LLM(model, quantization=name, **{**SETTINGS, "block_size": 8, "num_blocks": 60})
    routers = [each for path, each in model.named_modules() if path.endswith((".router", ".classifier"))]
    assert routers and not any(isinstance(each, PackedLinear) for router in routers for each in router.modules())
    found = [prompt_logprobs(llm, models.prompts([40], seed=seed)[0]) for seed in (0, 1, 0)]
    assert torch.equal(found[0], found[2]) and not torch.equal(found[0], found[1])


def test_a_linear_class_of_a_models_own() -> None:
    """Falcon's multiplies directly, which torchao's weights do not support."""
    model = models.build("falcon", **SPECIAL["falcon"])
    prompt = models.prompts([40])[0]
    expected = prompt_logprobs(LLM(copy.deepcopy(model), **SETTINGS), prompt)
    found = prompt_logprobs(LLM(model, quantization="int8", **SETTINGS), prompt)
    assert 0 < (found - expected).abs().mean() < 0.2


def test_the_bytes() -> None:
    model = tiny(tie_word_embeddings=True)
    llm = LLM(model, **SETTINGS)
    done = llm.quantize("int8")
    linears = 2 * (2 * 64 * 64 + 2 * 32 * 64 + 3 * 96 * 64)
    rows = 2 * (2 * 64 + 2 * 32 + 2 * 96 + 64)
    scale = 4 if PACKED else 5  # float32, and torchao's zero point
    if PACKED:  # head and embedding, once
        linears, rows = linears + models.VOCAB * 64, rows + models.VOCAB
        assert model.model.embed_tokens.packed_weight is model.lm_head.packed_weight
    assert (done.num_modules, done.num_skipped) == (14 + PACKED, 0)
    assert done.bytes_before - done.bytes_after == 3 * linears - rows * scale


@pytest.mark.parametrize("name", QUANTIZATIONS)
def test_the_same_when_compiled(name: str) -> None:
    """As torch's own eager backend runs the graph: inductor's float32 sums differ in the last bit, and rounding to
    int8 makes more of that."""
    expected = tokens(LLM(tiny(), quantization=name, **SETTINGS))
    compiled = {"compile": True, "compile_backend": "eager"}
    llm = LLM(tiny(), quantization=name, **compiled, **SETTINGS)
    assert tokens(llm) == expected
    later = LLM(tiny(), **compiled, **SETTINGS)
    assert tokens(later) != expected or name == "int8"
    later.quantize(name)
    assert tokens(later) == expected


@pytest.mark.skipif(not PACKED, reason="torchao leaves the head")
@pytest.mark.parametrize(
    ("kind", "overrides", "table"),
    [
        ("qwen3", {"tie_word_embeddings": True}, PackedEmbedding),
        ("qwen3", {}, nn.Embedding),
        ("gemma2", {"tie_word_embeddings": True}, None),  # multiplies its rows with sqrt(hidden_size)
    ],
    ids=["tied", "not tied", "scaled"],
)
def test_the_head_is_near_the_float_one_however_a_step_is_made(
    kind: str, overrides: dict[str, Any], table: type[nn.Module] | None
) -> None:
    """Alone, in a batch, in chunks, over a prefix, compiled: the same tokens; and logprobs near the float model's."""
    model, plain = tiny(kind, **overrides), tiny(kind, **overrides)
    expected = models.logprobs(plain, models.prompts([30])[0])
    llm = LLM(model, quantization="int8", **SETTINGS)
    embedding = model.get_input_embeddings()
    assert type(embedding) is (table or type(plain.get_input_embeddings()))
    assert type(model.get_output_embeddings()) is PackedLinear
    ids = torch.tensor([[5, 127], [0, 32]])
    rows, known = embedding(ids), plain.get_input_embeddings()(ids)
    assert rows.shape == known.shape and rows.dtype == known.dtype
    assert (rows - known).norm() < 0.01 * known.norm()
    prompt = models.prompts([30])[0]
    found = prompt_logprobs(llm, prompt)
    wanted = expected[:-1].gather(1, torch.tensor(prompt)[1:, None])[:, 0]
    assert 0 < (found - wanted).square().mean().sqrt() < 0.3
    batch = tokens(llm)
    prompts = models.prompts([1, 17, 30])
    assert batch == [llm.generate(each, GREEDY, use_tqdm=False)[0].outputs[0].token_ids for each in prompts]
    assert batch == tokens(LLM(model, **{**SETTINGS, "max_num_batched_tokens": 8}))
    assert batch == tokens(LLM(model, compile=True, compile_backend="eager", **SETTINGS))


def test_any_config_on_an_idle_engine() -> None:
    llm = LLM(tiny(), **SETTINGS)
    before = tokens(llm)
    done = llm.quantize(Float8WeightOnlyConfig(set_inductor_config=False))
    assert done.num_modules == 14 and done.bytes_after < done.bytes_before / 2
    assert llm.stats().cache.num_cached_blocks == 0
    assert tokens(llm) == tokens(llm)
    assert [len(each) for each in tokens(llm)] == [len(each) for each in before]


def test_a_config_that_names_its_modules() -> None:
    model = tiny()
    llm = LLM(model, **SETTINGS)
    config = FqnToConfig({r"re:.*\.mlp\..*_proj": Int8WeightOnlyConfig(set_inductor_config=False), "lm_head": None})
    done = llm.quantize(config)
    assert (done.num_modules, done.num_skipped) == (6, 9)
    assert type(model.model.layers[0].self_attn.q_proj.weight.data) is Tensor


def test_cached_keys_of_the_old_weights_are_forgotten() -> None:
    prompt = models.prompts([41])[0]
    llm = LLM(tiny(), **SETTINGS)
    llm.generate(prompt, GREEDY, use_tqdm=False)
    assert llm.generate(prompt, GREEDY, use_tqdm=False)[0].num_cached_tokens == 40
    llm.quantize("int4")
    fresh = llm.generate(prompt, GREEDY, use_tqdm=False)[0]
    assert fresh.num_cached_tokens == 0
    own = LLM(tiny(), quantization="int4", **SETTINGS).generate(prompt, GREEDY, use_tqdm=False)[0]
    assert fresh.outputs[0].token_ids == own.outputs[0].token_ids


def test_not_while_requests_run_nor_over_a_pin() -> None:
    llm = LLM(tiny(), **SETTINGS)
    llm.engine.add_request("a", [1, 2, 3], GREEDY)
    with pytest.raises(EngineError, match="1 requests are unfinished"):
        llm.quantize("int8")
    llm.engine.step()
    with pytest.raises(EngineError, match="1 requests are unfinished"):
        llm.quantize("int8")
    llm.engine.abort("a")
    pin = llm.pin_prefix([1, 2, 3, 4, 5])
    with pytest.raises(EngineError, match="a prefix is pinned"):
        llm.quantize("int8")
    llm.unpin_prefix(pin)
    assert llm.quantize("int8").num_modules == 14 + PACKED


def test_saved_prefixes_do_not_mix(tmp_path: Path) -> None:
    prompt, path = [1, 2, 3, 4, 5, 6, 7, 8], tmp_path / "prefix.safetensors"
    marks = {}
    for name in (None, *QUANTIZATIONS):
        llms = [LLM(tiny(), quantization=name, **SETTINGS) for _ in range(2)]
        marks[name], again = (llm.engine.model.fingerprint() for llm in llms)
        assert marks[name] == again
    same = {"int8", "int8-dynamic"} if PACKED else {"int8"}  # torchao's differ in their activations only
    assert len(set(marks.values())) == len(marks) - len(same) + 1
    LLM(tiny(), **SETTINGS).save_prefix(path, prompt)
    with pytest.raises(ModelError, match="was saved by another model"):
        LLM(tiny(), quantization="int8", **SETTINGS).load_prefix(path)


def test_what_cannot_be_done(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match="quantization is 'int3', expected None or one of int8, int8-dynamic, int4, "):
        EngineConfig(quantization="int3")
    with pytest.raises(ConfigError, match="quantization is 'int3', expected one of int8"):
        LLM(tiny(), **SETTINGS).quantize("int3")
    with pytest.raises(ConfigError, match=r"config is 8, expected one of .* or a config of torchao"):
        LLM(tiny(), **SETTINGS).quantize(8)
    with pytest.raises(ConfigError, match=r"q_proj has 72 inputs, expected a multiple of 16"):
        LLM(tiny(hidden_size=72, head_dim=18), quantization="int4", **SETTINGS)
    with pytest.raises(ConfigError, match=r"quantization: the weights of FakeModel are fixed"):
        fakes.engine(quantization="int8")
    with pytest.raises(ConfigError, match=r"the layers of GPT2LMHeadModel have no nn.Linear modules"):
        LLM(tiny("gpt2"), quantization="int8", **SETTINGS)
    flags = ["generate", "--model", str(models.STDLIB_LM), "--prompt", "a", "--max-tokens", "2", "--quiet"]
    assert main([*flags, "--quantization", "int3"]) == 2
    assert "quantization is 'int3'" in capsys.readouterr().err
    assert main([*flags, "--quantization", "int8"]) == 0


def test_a_failure_changes_nothing() -> None:
    model = tiny()
    llm = LLM(model, **SETTINGS)
    before = tokens(llm)
    with pytest.raises(ConfigError, match=r"torchao cannot do this to .*layers.0.self_attn.q_proj .* on cpu: Float8"):
        llm.quantize(Float8DynamicActivationFloat8WeightConfig(set_inductor_config=False))
    with pytest.raises(ConfigError, match="leaves every linear module as it is"):
        llm.quantize(PrototypeInt4WeightOnlyConfig(group_size=128, set_inductor_config=False))
    assert all(type(weight.data) is Tensor for weight in model.parameters())
    assert tokens(llm) == before
    llm.quantize("int8")
    with pytest.raises(ConfigError, match="q_proj is quantised already"):
        llm.quantize("int8")


def test_without_torchao(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.partition(".")[0] == "torchao"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigError, match=r"is 'int8', which needs torchao .*: pip install 'torchao>=0.18'"):
        LLM(tiny(), quantization="int8", **SETTINGS)


@pytest.mark.parametrize(("name", "bound"), [("int8", 1.005), ("int8-dynamic", 1.005)])
def test_perplexity(name: str, bound: float) -> None:
    """The trained model over 2 x 700 tokens of this repository, compared with its float weights'."""
    text = CODE.read_text()
    found = {}
    for which in (None, name):
        llm = LLM(models.STDLIB_LM, dtype="float32", num_blocks=100, quantization=which)
        ids = llm.tokenizer(text)["input_ids"][:1400]
        found[which] = -torch.cat([prompt_logprobs(llm, ids[:700]), prompt_logprobs(llm, ids[700:])]).mean()
    ratio = (found[name] - found[None]).exp().item()
    assert 1 / bound < ratio < bound and ratio != 1


def test_a_model_that_was_quantised_by_its_owner() -> None:
    model = AutoModelForCausalLM.from_pretrained(models.STDLIB_LM, dtype=torch.float32)
    quantize_(model.model.layers, Int8WeightOnlyConfig(set_inductor_config=False))
    mine, ours = LLM(model, **SETTINGS), LLM(models.STDLIB_LM, dtype="float32", **SETTINGS)
    ours.quantize(Int8WeightOnlyConfig(set_inductor_config=False))
    assert tokens(mine) == tokens(ours)
    assert mine.engine.model.fingerprint() == ours.engine.model.fingerprint()


def test_ours_is_nearer_the_float_model_than_torchao_s_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """torchao's kernels quantise activations with one scale per token, but leave embedding and head."""
    settings: dict[str, Any] = {"dtype": "float32", "num_blocks": 100}
    plain = LLM(models.STDLIB_LM, **settings)
    prompt = plain.tokenizer(CODE.read_text()[:2000])["input_ids"]
    exact = prompt_logprobs(plain, prompt)
    ours = prompt_logprobs(LLM(models.STDLIB_LM, quantization="int8-dynamic", **settings), prompt)
    monkeypatch.setattr(torchao, "active_backend", lambda op, device: "reference")
    theirs = LLM(models.STDLIB_LM, quantization="int8-dynamic", **settings)
    weight = theirs.engine.model.model.model.layers[0].mlp.up_proj.weight
    assert type(weight.data).__name__ == "Int8Tensor"
    assert 0 < (ours - exact).norm() < (prompt_logprobs(theirs, prompt) - exact).norm()


@pytest.mark.long
def test_a_quantised_model_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "model.pt2"
    model = adapter.wrap(models.build("llama", num_hidden_layers=1, tie_word_embeddings=True))
    model.weights.quantize("int8-dynamic")
    export.export(model, path, block_size=4)
    own = models.build("llama", num_hidden_layers=1, tie_word_embeddings=True)
    expected = LLM(own, quantization="int8-dynamic", **SETTINGS)
    prompt = models.prompts([30])[0]
    ours, theirs = prompt_logprobs(LLM(path, num_blocks=60), prompt), prompt_logprobs(expected, prompt)
    # Sums that differ in the last bit are rounded to int8 differently here and there.
    assert (ours - theirs).abs().max() < 0.1
    with pytest.raises(ConfigError, match=r"quantization is 'int8', but the weights in .*model.pt2' are fixed in it"):
        LLM(path, quantization="int8")
