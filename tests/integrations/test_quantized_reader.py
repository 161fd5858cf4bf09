"""Quantised checkpoints: the model of their values, kept quantised, and clear errors for unreadable ones."""

from __future__ import annotations

import itertools
import json
import logging
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from tests import models
from tests.integrations.quantized_checkpoints import FORMATS, Packed, fp8, fp8_whole, save, save_as, write
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ConfigError, ModelError
from torchpaged.integrations.checkpoints import model_loader
from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
from torchpaged.integrations.checkpoints.expert_modules import experts_of_layers, experts_weight, projections
from torchpaged.integrations.checkpoints.quantized_writer import write_quantized
from torchpaged.integrations.checkpoints.streaming_load import Reordered
from torchpaged.ops.linear_reference import dequantize_grouped
from torchpaged.weights.packed_linear import PackedLinear

SETTINGS: dict[str, Any] = {"num_blocks": 40, "block_size": 4, "dtype": "float32", "skip_tokenizer_init": True}
GREEDY = SamplingParams(temperature=0, max_tokens=8)
PROMPTS = models.prompts([1, 17, 30])


def tiny(kind: str = "llama", **overrides: Any) -> Any:
    return models.build(kind, num_hidden_layers=2, **overrides)


def read(folder: Path) -> Any:
    checkpoint = Checkpoint.resolve(folder)
    assert checkpoint.scheme is not None
    return model_loader.stream_weights(model_loader.build_empty(checkpoint, "float32")).model


@pytest.mark.parametrize("kind", FORMATS)
def test_a_checkpoint_is_the_model_of_its_values(kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Each layer equals that of its values, except for activations in int8; the logits of the whole model are close."""
    expected = save(tiny("qwen3", attention_bias=True), tmp_path, kind)
    found = read(tmp_path)
    scaled = kind == "int-quantized" or "modelopt" in kind or "nvfp4" in kind
    assert ("scales of activations and caches are left out" in caplog.text) == scaled
    packed = [name for name, each in found.named_modules() if isinstance(each, (PackedLinear, Reordered))]
    assert len([name for name in packed if not name.endswith(".linear")]) == 14
    bound = 0.02 if kind.startswith(("fp8", "nf4")) else 0.012
    for name, linear in expected.named_modules():
        if isinstance(linear, nn.Linear):
            x = torch.randn(5, linear.in_features, generator=torch.Generator().manual_seed(0))
            wanted = linear(x)
            error = ((found.get_submodule(name)(x) - wanted).norm() / wanted.norm()).item()
            assert error < (bound if name != "lm_head" else 1e-5), (name, error)
    ids = models.prompts([24])[0]
    with torch.inference_mode():
        a, b = expected(input_ids=torch.tensor([ids])).logits, found(input_ids=torch.tensor([ids])).logits
    assert ((a - b).norm() / a.norm()).item() < 0.1


def test_greedy_tokens_are_those_of_the_values(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "torchpaged"):
        for kind in ("gptq-desc_act", "fp8"):
            folder = tmp_path / kind
            folder.mkdir()
            expected = save(tiny(tie_word_embeddings=True), folder, kind)
            llm = LLM(folder, **SETTINGS)
            found = [each.outputs[0].token_ids for each in llm.generate(PROMPTS, GREEDY, use_tqdm=False)]
            for prompt, tokens in zip(PROMPTS, found, strict=True):
                with torch.inference_mode():
                    logits = expected(torch.tensor([[*prompt, *tokens]])).logits[0, len(prompt) - 1 : -1]
                behind = logits.amax(-1) - logits.gather(1, torch.tensor(tokens)[:, None])[:, 0]
                assert (behind <= 0.1 * logits.std(-1)).all(), "activations in int8 may turn one that is close"
            with pytest.raises(ConfigError, match="quantised already"):
                llm.quantize("int4")
    said = [each.getMessage() for each in caplog.records if "runs" in each.getMessage()]
    assert len(said) == 1 and said[0].endswith("FP8 in blocks of 32 x 48 as 8 bits in groups of 32")


def test_without_kernels_weights_are_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = save(tiny(), tmp_path, "gptq-desc_act")
    monkeypatch.setattr(model_loader, "active_backend", lambda op, device: "reference")
    found = read(tmp_path)
    for name, weight in expected.state_dict().items():
        assert torch.equal(found.state_dict()[name], weight), name


@pytest.mark.parametrize(("kind", "size"), [("gptq", 32), ("nvfp4-pack-quantized", 16)])
def test_experts_are_merged_as_transformers_merges_them(
    kind: str, size: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A checkpoint has a layer for each expert; the model has one weight of all, packed like them."""
    settings = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "decoder_sparse_step": 1}
    model = tiny("qwen3_moe", **settings)
    pack = FORMATS[kind][0]
    save(model, tmp_path, kind)
    state = load_file(tmp_path / "model.safetensors")
    for layer in range(2):
        experts = model.model.layers[layer].mlp.experts
        for number in range(4):
            gate_up, down = experts.gate_up_proj.data[number], experts.down_proj.data[number]
            whole = {"gate_proj": gate_up[:32], "up_proj": gate_up[32:], "down_proj": down}
            for name, weight in whole.items():
                if number == 1:
                    weight[3, :16] /= 50  # in NVFP4 its scale is no multiple of what its neighbours share
                parts, values = pack(weight)
                prefix = f"model.layers.{layer}.mlp.experts.{number}.{name}"
                state |= {f"{prefix}.{part}": value.contiguous() for part, value in parts.items()}
                weight.copy_(values)
        for name in ("gate_up_proj", "down_proj"):
            del state[f"model.layers.{layer}.mlp.experts.{name}"]
    save_file(state, tmp_path / "model.safetensors", metadata={"format": "pt"})
    found, ids = read(tmp_path), torch.tensor(models.prompts([24]))
    for layer in range(2):
        packed = found.get_submodule(f"model.layers.{layer}.mlp.experts")
        for name, part in (("gate_up_proj", packed.up), ("down_proj", packed.down)):
            expected = model.get_parameter(f"model.layers.{layer}.mlp.experts.{name}")
            assert (part.format.bits, part.format.group_size) == (4, size)
            for weight, own in zip(expected, part.packed_weight, strict=True):
                every = torch.arange(part.out_features)
                values = dequantize_grouped(own, part.format, part.in_features, every)
                torch.testing.assert_close(values, weight, rtol=3e-7, atol=0)  # NVFP4's three numbers, by two orders
    with torch.inference_mode():
        a, b = model(input_ids=ids).logits, found(input_ids=ids).logits
    by_token = (a - b).norm(dim=-1) / a.norm(dim=-1)
    assert by_token.median() < 0.1 and "expanded" not in caplog.text, "a token that is close may take another expert"


def test_gpt_oss_s_experts_stay_packed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As transformers writes them, with its dequantiser's values; without kernels they are dequantised."""
    from transformers.integrations.mxfp4 import convert_moe_packed_tensors

    model = tiny("gpt_oss", num_local_experts=4, num_experts_per_tok=2, intermediate_size=96)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    g = torch.Generator().manual_seed(0)
    for layer, name in itertools.product(range(2), ("gate_up_proj", "down_proj")):
        path = f"model.layers.{layer}.mlp.experts.{name}"
        count, inputs, outputs = state.pop(path).shape
        blocks = torch.randint(256, (count, outputs, inputs // 32, 16), generator=g).to(torch.uint8)
        scales = torch.randint(117, 122, (count, outputs, inputs // 32), generator=g).to(torch.uint8)
        state |= {f"{path}_blocks": blocks, f"{path}_scales": scales}
        model.get_parameter(path).data = convert_moe_packed_tensors(blocks, scales, dtype=torch.float32)
        bias = torch.randn(count, outputs, generator=g)
        state[f"{path}_bias"] = bias
        model.get_parameter(f"{path}_bias").data = bias
    said = {"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"]}
    write(model, state, said, tmp_path)
    found, ids = read(tmp_path), torch.tensor(models.prompts([24]))
    for path, own in experts_of_layers(model).items():
        packed = found.get_submodule(path)
        for name, part in zip(projections(own), (packed.up, packed.down), strict=True):
            assert part.packed_weight.nbytes * 8 < 4.5 * getattr(own, name).numel()
            for weight, one in zip(experts_weight(own, name), part.packed_weight, strict=True):
                every = torch.arange(part.out_features)
                assert torch.equal(dequantize_grouped(one, part.format, part.in_features, every), weight)
    with torch.inference_mode():
        a, b = model(input_ids=ids).logits, found(input_ids=ids).logits
    assert ((a - b).norm() / a.norm()).item() < 0.1 and "expanded" not in caplog.text
    llm = LLM(tmp_path, **SETTINGS)
    alone = [llm.generate([each], GREEDY, use_tqdm=False)[0].outputs[0].token_ids for each in PROMPTS]
    assert [each.outputs[0].token_ids for each in llm.generate(PROMPTS, GREEDY, use_tqdm=False)] == alone
    assert llm.quantize("int4").num_modules == 9, "attention and head, which are floats in it"
    with pytest.raises(ConfigError, match=r"quantize: model.layers.0.mlp.experts is packed already"):
        write_quantized(found, None, "int4", tmp_path / "made")
    monkeypatch.setattr(model_loader, "active_backend", lambda op, device: "reference")
    assert all(torch.equal(each, model.state_dict()[name]) for name, each in read(tmp_path).state_dict().items())
    assert "4 weights (MXFP4) expanded to float32" in caplog.text


def test_zeros_that_tools_write_as_biases_and_weights_of_no_layer(tmp_path: Path) -> None:
    save(tiny(), tmp_path, "gptq")
    file = tmp_path / "model.safetensors"
    state = load_file(file)
    state["model.layers.0.self_attn.q_proj.bias"] = torch.zeros(64)
    state["model.layers.0.self_attn.rotary_emb.inv_freq"] = torch.zeros(8)
    save_file(state, file, metadata={"format": "pt"})
    read(tmp_path)
    state["model.layers.0.self_attn.q_proj.bias"] += 1
    save_file(state, file, metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"1 of its weights are unknown .*q_proj.bias the first"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        ("gptq", {"bits": 3}, r"\(gptq\): quantization_config has bits 3, expected 4 or 8"),
        ("gptq", {"group_size": 48}, r"groups are of 48 inputs, expected 16, 32"),
        ("gptq", {"group_size": 16}, r"_proj \(GPTQ, 4 bits\): qzeros is .* expected int32 \["),
        ("gptq", {"group_size": "many"}, "group_size 'many', expected a number of inputs"),
        ("gptq", {"checkpoint_format": "marlin"}, "checkpoint_format 'marlin'"),
        ("gptq", {"dynamic": {"x": {}}}, "expected the same bits and groups in all layers"),
        ("awq", {"version": "gemv"}, "version 'gemv', expected 'gemm'"),
        ("awq", {"quant_method": "compressed-tensors"}, "config_groups"),
        ("gptq", {"quant_method": "fp8"}, r"weights are quantised \(FP8\), and none has a weight"),
        ("pack-quantized", {"transform_config": {"a": 1}}, "transform_config"),
        ("pack-quantized", {"format": "marlin-24"}, "format 'marlin-24', expected pack-quantized"),
        ("nvfp4-modelopt", {"quant_algo": "W4A8_AWQ"}, "quant_algo 'W4A8_AWQ', expected 'NVFP4' or 'FP8'"),
        ("mxfp4-pack-quantized", {"format": "nvfp4-pack-quantized"}, "there is no weight_global_scale"),
        ("gptq-desc_act", {"desc_act": True}, r"_proj \(GPTQ, 4 bits\): there is no g_idx"),
        (
            "pack-quantized",
            {"symmetric": False},
            r"_proj \(compressed-tensors, 4 bits\): there is no weight_zero_point",
        ),
        ("int-quantized", {"symmetric": False}, r"\(compressed-tensors, int8\): there is no weight_zero_point"),
        (
            "pack-quantized",
            {"shape": 3},
            r"\(compressed-tensors, 4 bits\): weight_shape is \[3\], expected two numbers",
        ),
        ("fp8", {"weight_block_size": [16, 16]}, r"weight_scale_inv is \[\d, \d\], expected \[\d, \d\]"),
    ],
)
def test_what_cannot_be_read_is_refused_before_it_is(
    kind: str, changes: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "symmetric" in changes:
        said = FORMATS[kind][1]
        group = {"weights": {**said["config_groups"]["group_0"]["weights"], **changes}}
        changes = {"config_groups": {"group_0": group}}
    save(tiny(), tmp_path, kind, **changes)
    state = load_file(tmp_path / "model.safetensors")
    if message.endswith(("g_idx", "zero_point")):
        state = {name: tensor for name, tensor in state.items() if not name.endswith(("g_idx", "zero_point"))}
    if "shape" in changes:
        state = {name: torch.ones(3) if name.endswith("_shape") else tensor for name, tensor in state.items()}
    save_file(state, tmp_path / "model.safetensors", metadata={"format": "pt"})
    monkeypatch.setattr(model_loader, "fill", lambda *_, **__: pytest.fail("it was read"))
    with pytest.raises(ModelError, match=message):
        LLM(tmp_path, **SETTINGS)


@pytest.mark.parametrize("kind", ["fp8", "int-quantized", "fp8-modelopt", "nvfp4-modelopt"])
def test_codes_without_a_scale_are_no_weights(kind: str, tmp_path: Path) -> None:
    """They were once read as numbers up to 448, whereas weights are around zero."""
    save(tiny(), tmp_path, kind)
    gone = "model.layers.1.mlp.up_proj.weight_scale"
    state = {name: t for name, t in load_file(tmp_path / "model.safetensors").items() if not name.startswith(gone)}
    save_file(state, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"layers.1.mlp.up_proj.weight is \w+, and there is no scale for it"):
        LLM(tmp_path, **SETTINGS)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("kind", ["gptq", "awq", "pack-quantized", "int-quantized", "fp8", "nvfp4-pack-quantized"])
def test_scales_that_are_no_numbers_are_refused(kind: str, value: float, tmp_path: Path) -> None:
    """Read without an error, such scales turned FP8 codes into other codes and global scales into zero weights."""
    save(tiny(), tmp_path, kind)
    state = load_file(tmp_path / "model.safetensors")
    last = {"gptq": "scales", "awq": "scales", "fp8": "weight_scale_inv", "nvfp4-pack-quantized": "weight_global_scale"}
    state[f"model.layers.1.mlp.up_proj.{last.get(kind, 'weight_scale')}"].view(-1)[0] = value
    save_file(state, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"layers.1.mlp.up_proj \(.*\): \d+ of its scales are not finite"):
        LLM(tmp_path, **SETTINGS)


def test_a_byte_that_is_no_exponent_is_refused(tmp_path: Path) -> None:
    save(tiny(), tmp_path, "mxfp4-pack-quantized")
    state = load_file(tmp_path / "model.safetensors")
    state["model.layers.1.mlp.up_proj.weight_scale"][3, 1] = 255
    save_file(state, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"layers.1.mlp.up_proj \(MXFP4\): 1 of its scales are not finite"):
        LLM(tmp_path, **SETTINGS)


@pytest.mark.parametrize("form", ["whole, by transformers' name", "whole and static", "groups", "powers of two"])
def test_other_scales_of_fp8(form: str, tmp_path: Path) -> None:
    """Per tensor as transformers has it, and with scales of activations; by groups; of blocks in E8M0."""

    def pack(weight: torch.Tensor) -> Packed:
        if form == "powers of two":
            parts, _ = fp8(weight)
            scale = parts["weight_scale_inv"].log2().ceil().exp2()
            wide = scale.repeat_interleave(32, 0)[: weight.shape[0]].repeat_interleave(48, 1)[:, : weight.shape[1]]
            small = (weight / wide).to(torch.float8_e4m3fn)
            return {"weight": small, "weight_scale_inv": scale.to(torch.float8_e8m0fnu)}, small.float() * wide
        if form == "groups":
            groups = weight.unflatten(1, (-1, 32))
            scale = groups.abs().amax(-1) / 448
            small = (groups / scale.unsqueeze(-1)).to(torch.float8_e4m3fn)
            values = (small.float() * scale.unsqueeze(-1)).flatten(1)
            return {"weight": small.flatten(1), "weight_scale": scale}, values
        parts, values = fp8_whole(weight)
        parts = {"weight": parts["weight"], "weight_scale_inv": parts["weight_scale"]}
        return parts | ({} if form.endswith("name") else {"activation_scale": torch.ones(())}), values

    said: dict[str, Any] = {"quant_method": "fp8", "weight_block_size": [32, 48] if "two" in form else None}
    if form == "groups":
        weights = {"num_bits": 8, "type": "float", "strategy": "group", "group_size": 32}
        said = {"quant_method": "compressed-tensors", "format": "float-quantized"}
        said["config_groups"] = {"group_0": {"targets": ["Linear"], "weights": weights}}
    expected = save_as(tiny(), tmp_path, pack, said)
    found, x = read(tmp_path), torch.randn(5, 64, generator=torch.Generator().manual_seed(0))
    for name, linear in expected.named_modules():
        if name.endswith(("q_proj", "up_proj")):
            error = (found.get_submodule(name)(x) - linear(x)).norm() / linear(x).norm()
            assert error < 0.02, name


def test_a_head_of_its_own_in_spite_of_the_config(tmp_path: Path) -> None:
    expected = save(tiny(tie_word_embeddings=False), tmp_path, "gptq")
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": True}))
    found = read(tmp_path)
    assert torch.equal(found.lm_head.weight, expected.lm_head.weight)
    assert torch.equal(found.model.embed_tokens.weight, expected.model.embed_tokens.weight)


def test_two_files_with_one_tensor(tmp_path: Path) -> None:
    save(tiny(), tmp_path, "gptq")
    (tmp_path / "model.safetensors").rename(tmp_path / "gptq_model.safetensors")
    read(tmp_path)
    save_file({"model.norm.weight": torch.ones(3)}, tmp_path / "other.safetensors")
    with pytest.raises(
        ModelError, match=r"model.norm.weight is in more than one of its files \(gptq_model.safetensors"
    ):
        read(tmp_path)


def test_scales_without_a_config(tmp_path: Path) -> None:
    save(tiny(), tmp_path, "fp8")
    config = json.loads((tmp_path / "config.json").read_text())
    del config["quantization_config"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    for quantization in (None, "int8"):
        with pytest.raises(
            ModelError, match=r"weight_scale_inv the first, but its config.json has no quantization_config"
        ):
            LLM(tmp_path, **SETTINGS, quantization=quantization)


def test_a_layer_of_another_size(tmp_path: Path) -> None:
    save(tiny(), tmp_path, "gptq")
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "intermediate_size": 128}))
    with pytest.raises(ModelError, match=r"mlp.\w+ is \d+ x \d+, expected \("):
        LLM(tmp_path, **SETTINGS)
