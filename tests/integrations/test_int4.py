"""Four bits on the CPU: inputs used for rounding, the resulting model, and its distance from the float model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from tests import models
from tests.integrations.family_models import SPECIAL
from torchpaged import LLM
from torchpaged.errors import ConfigError, ModelError
from torchpaged.integrations.checkpoints.calibration import Inputs, calibration_tokens, round_along
from torchpaged.integrations.checkpoints.int4 import SCHEMES, round_layers
from torchpaged.integrations.checkpoints.torchao import linears_of_layers
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_linear import PackedEmbedding, PackedLinear
from torchpaged.weights.rounding import round_weight

SETTINGS: dict[str, Any] = {"num_blocks": 60, "block_size": 4, "max_num_batched_tokens": 64}
# A text.
CODE = Path(__file__).parents[2] / "torchpaged" / "scheduling" / "scheduler.py"
IDS = torch.tensor(models.prompts([12, 12]))


def tiny(kind: str = "llama", **overrides: Any) -> Any:
    return models.build(kind, num_hidden_layers=2, **overrides)


@pytest.mark.parametrize("name", SCHEMES)
def test_layers_in_four_bits_the_head_in_eight(name: str) -> None:
    model, plain = tiny(tie_word_embeddings=True), tiny(tie_word_embeddings=True)
    done = LLM(model, **SETTINGS).quantize(name)
    assert (done.num_modules, done.num_skipped) == (15, 0)
    assert type(model.lm_head) is PackedLinear and type(model.model.embed_tokens) is PackedEmbedding
    for path, linear in linears_of_layers(plain).items():
        own = model.get_submodule(path)
        size = 32 if linear.in_features == 96 or name != "int4-g128" else 64
        assert own.format is not None and (own.format.bits, own.format.group_size) == (4, size)
        x = torch.randn(9, linear.in_features)
        assert 0.01 < (own(x) - linear(x)).norm() / linear(x).norm() < 0.2, path
    four = sum(each.weight.numel() for each in linears_of_layers(plain).values())
    scales = {"int4": 2 / 32, "int4-g128": 2 / 64, "int4-hq": 3 / 32}[name]
    assert done.bytes_after < four * (0.5 + scales) * 1.2 + models.VOCAB * 64 * 1.3


def test_layers_of_fewer_inputs_than_share_a_scale_stay_floats() -> None:
    """Gemma 3n mixes its four streams by 4 x 4 weights: they are no reason to refuse the model."""
    model = models.build("gemma3n_text", **SPECIAL["gemma3n_text"])
    llm = LLM(model, quantization="int4", **SETTINGS)
    linears = {name: type(each) for name, each in model.named_modules() if name.startswith("model.layers.0.")}
    assert linears["model.layers.0.altup.correction_coefs"] is nn.Linear
    assert linears["model.layers.0.mlp.down_proj"] is PackedLinear
    assert len(llm.generate([IDS[0].tolist()], use_tqdm=False)) == 1


@pytest.mark.parametrize("optimize", ["auto", False])
def test_a_model_that_reads_a_weight_itself_is_refused(optimize: Any) -> None:
    """Refused at loading: not at its first step, and not by an error about an empty tensor."""
    model = tiny()
    mlp = model.model.layers[1].mlp
    mlp.forward = lambda x: nn.functional.linear(mlp.act_fn(mlp.gate_proj(x)), mlp.down_proj.weight)
    with pytest.raises(ModelError, match="reads the weight of a packed layer"):
        LLM(model, quantization="int4", optimize=optimize, **SETTINGS).generate([IDS[0].tolist()], use_tqdm=False)


def test_a_layer_is_rounded_for_what_rounded_layers_give() -> None:
    """If all modules before it output 0, the second layer's input is the first one's."""
    model = tiny("qwen3")
    linears = linears_of_layers(model)
    before = {name: each.weight.clone() for name, each in linears.items()}
    seen: list[Inputs | None] = []

    def nothing(weight: Tensor, inputs: Inputs | None) -> GroupedWeight:
        seen.append(inputs)
        return GroupedWeight(
            torch.full(weight.shape, 8, dtype=torch.uint8), 4, 32, torch.ones(weight.shape[0], weight.shape[1] // 32)
        )

    told: list[str] = []
    assert list(round_along(model, linears, nothing, IDS, told.append)) == list(linears)
    by_name = dict(zip(told, seen, strict=True))
    first, second = (by_name[f"model.layers.{i}.self_attn.q_proj"] for i in (0, 1))
    assert first is not None and second is not None and torch.equal(first.rows, second.rows)
    assert first is by_name["model.layers.0.self_attn.v_proj"], "they read the same tensor, which is asked about once"
    assert torch.equal(first.squares(), first.rows.square().mean(0)) and first.moments() is first.moments()
    torch.testing.assert_close(first.moments().diagonal(), first.squares())
    for name, each in linears.items():
        assert "forward" not in vars(each) and torch.equal(each.weight, before[name])


def test_text_makes_errors_count_as_its_inputs_do() -> None:
    model = tiny()
    ours, blind = round_layers(model, "int4", IDS), round_layers(model, "int4", None)
    weight = model.model.layers[0].self_attn.q_proj.weight
    name = "model.layers.0.self_attn.q_proj"
    assert torch.equal(blind[name].dequantize(), round_weight(weight, 32).dequantize())
    inputs = model.model.layers[0].input_layernorm(model.model.embed_tokens(IDS)).flatten(0, 1)
    counts = inputs.square().mean(0)
    errors = [((each[name].dequantize() - weight).square() * counts).sum() for each in (ours, blind)]
    assert errors[0] < errors[1]


def test_calibration_in_every_form() -> None:
    tokenizer = LLM(models.STDLIB_LM, num_blocks=8).tokenizer
    text = calibration_tokens(tokenizer, 4096, 1024, 24)
    assert text.shape == (24, 256) and len({tuple(row) for row in text.tolist()}) == 24
    assert "quant" not in tokenizer.decode(text[0]) and len(tokenizer.decode(text[0]).split()) > 60
    assert calibration_tokens(tokenizer, 4096, 40, 3).shape == (3, 40)
    assert calibration_tokens(None, 128, 1024, 2).shape == (2, 256)
    short = calibration_tokens(tokenizer, 4096, 1024, 4, ["def main():", [1, 2, 3]])
    assert short.tolist() == [[*tokenizer("def main():")["input_ids"], 1, 2, 3]]
    given = calibration_tokens(None, 128, 1024, 2, [list(range(100))] * 9)
    assert given.shape == (2, 256) and given[0, :3].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        ("text", "calibration is 'text', expected a list of texts"),
        (["text"], "there is no tokenizer"),
        ([[1, 128]], r"calibration has \[1, 128\], expected tokens from 0 to 127"),
        ([], "calibration has no tokens"),
        (7, "calibration is 7"),
        ([None], "calibration has None, expected tokens from 0 to 127"),
    ],
)
def test_calibration_that_is_none(prompts: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        LLM(tiny(), **SETTINGS).quantize("int4", calibration=prompts)


def test_what_cannot_be_done_changes_nothing() -> None:
    model = tiny()
    llm = LLM(model, **SETTINGS)
    with pytest.raises(ConfigError, match="calibration is given, and 'int8' does not use it"):
        llm.quantize("int8", calibration=[[1, 2]])
    with torch.no_grad():
        model.model.layers[1].input_layernorm.weight[0] = float("inf")
    with pytest.raises(ConfigError, match=r"layers.1.self_attn.q_proj is given numbers that are not finite"):
        llm.quantize("int4-hq")
    assert all(type(each) is nn.Linear and "forward" not in vars(each) for each in linears_of_layers(model).values())
    with pytest.raises(ConfigError, match="quantised already"):
        llm = LLM(tiny(), quantization="int4", **SETTINGS)
        llm.quantize("int4")


@pytest.mark.parametrize("number", [float("nan"), float("-inf")])
def test_a_weight_that_is_no_finite_number_is_refused(number: float) -> None:
    """Otherwise its group would become zeros, and a broken checkpoint would seem to run."""
    model = tiny()
    with torch.no_grad():
        model.model.layers[1].mlp.down_proj.weight[3, 5] = number
    for name in SCHEMES:
        with pytest.raises(ConfigError, match=f"layers.1.mlp.down_proj has a weight of {number}, expected finite"):
            LLM(model, quantization=name, **SETTINGS)
    assert not any(isinstance(each, PackedLinear) for each in model.modules())


def test_experts_without_a_token_and_models_with_an_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.partition(".")[0] == "torchao"]:
        monkeypatch.setitem(sys.modules, name, None)  # nothing of it is needed
    model = tiny()
    linears = dict(linears_of_layers(model), never=nn.Linear(32, 8))
    found = round_along(model, linears, lambda weight, inputs: round_weight(weight, 32), IDS)
    assert found.keys() == linears.keys()
    LLM(model, quantization="int4-hq", **SETTINGS)


@pytest.mark.long
def test_nearer_the_float_model_than_plain_rounding() -> None:
    """stdlib-lm: the divergence of the next token's distribution, over 800 tokens of a file."""
    tokenizer = AutoTokenizer.from_pretrained(models.STDLIB_LM)
    ids = tokenizer(CODE.read_text(), verbose=False)["input_ids"][:800]

    def model() -> PreTrainedModel:
        return AutoModelForCausalLM.from_pretrained(models.STDLIB_LM, dtype=torch.float32)

    def plainly(weight: Tensor, inputs: Inputs | None) -> GroupedWeight:
        """Quantise as llama.cpp's Q4_0."""
        values = weight.unflatten(1, (-1, 32))
        scale = values.gather(-1, values.abs().argmax(-1, keepdim=True)) / -8
        codes = (values / scale + 8.5).floor().clamp(0, 15).flatten(1).to(torch.uint8)
        return GroupedWeight(codes, 4, 32, scale[..., 0])

    exact = models.logprobs(model(), ids)
    off = {}
    for name in ("plain", "int4", "int4-hq"):
        changed = model()
        tokens = None if name == "plain" else calibration_tokens(tokenizer, 4096, 1024, 8)
        if name == "plain":
            found = round_along(changed, linears_of_layers(changed), plainly, tokens)
        else:
            found = round_layers(changed, name, tokens)
        for path, weight in found.items():
            changed.get_submodule(path).weight.data = weight.dequantize()
        logprobs = models.logprobs(changed, ids)
        off[name] = (exact.exp() * (exact - logprobs)).sum(-1).mean().item()
    assert off["int4"] < 0.95 * off["plain"] and off["int4-hq"] < 0.75 * off["int4"], off
