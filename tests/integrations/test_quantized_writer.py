"""`torchpaged quantize`: its output equals quantising at load, bit for bit, by the format's definition."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from tests import models
from tests.integrations.family_models import SPECIAL
from tests.integrations.quantized_checkpoints import save
from tests.models import OMIT
from torchpaged import LLM, SamplingParams
from torchpaged.cli import main
from torchpaged.errors import ConfigError
from torchpaged.execution import export
from torchpaged.integrations.checkpoints import quantized_writer
from torchpaged.integrations.checkpoints.calibration import calibration_tokens
from torchpaged.integrations.checkpoints.int4 import round_layers
from torchpaged.integrations.checkpoints.quantized_writer import write_quantized
from torchpaged.integrations.transformers import adapter
from torchpaged.integrations.transformers.pooler_config import pooler_config
from torchpaged.pooling_params import PoolerConfig

SETTINGS: dict[str, Any] = {"num_blocks": 40, "block_size": 4, "skip_tokenizer_init": True}


def tiny(kind: str = "llama", **overrides: Any) -> Any:
    """Return a model with few positions, which is the length of the calibration sequences."""
    return models.build(kind, **{"num_hidden_layers": 2, "max_position_embeddings": 64, **overrides})


def scores(llm: LLM) -> list[float]:
    params = SamplingParams(temperature=0, max_tokens=1, prompt_logprobs=0)
    prompt = models.prompts([30])[0]
    found: Any = llm.generate(prompt, params, use_tqdm=False)[0].prompt_logprobs
    return [at[token].logprob for at, token in zip(found[1:], prompt[1:], strict=True)]


def plain(words: torch.Tensor, inputs: int) -> torch.Tensor:
    """Return the 4-bit numbers of int32 words, the first in the lowest bits."""
    return torch.stack([words >> (4 * i) & 15 for i in range(8)], -1).flatten(-2)[:, :inputs]


@pytest.mark.parametrize(
    ("to", "tied"), [("int4", True), ("int4", False), ("int4-g128", True), ("int4-hq", True), ("int8", True)]
)
def test_a_written_model_is_the_one_that_is_quantised_at_load(to: str, tied: bool, tmp_path: Path) -> None:
    if to == "int8":
        pytest.importorskip("torchao", reason="torchao is not installed")
    kind, settings = ("qwen3", {"tie_word_embeddings": tied, "intermediate_size": 80})
    write_quantized(tiny(kind, **settings), None, to, tmp_path)
    expected = LLM(tiny(kind, **settings), quantization=to, **SETTINGS)
    found = LLM(tmp_path, **SETTINGS)
    assert found.engine.model.spec.dtype == torch.float32
    assert scores(found) == scores(expected)


def test_a_head_of_its_own_in_spite_of_the_config(tmp_path: Path) -> None:
    source, written = tmp_path / "source", tmp_path / "written"
    tiny(tie_word_embeddings=False).save_pretrained(source)
    config = json.loads((source / "config.json").read_text())
    (source / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": True}))
    head = load_file(source / "model.safetensors")["lm_head.weight"]
    model = adapter.load(str(source)).model
    write_quantized(model, None, "int8", written)
    assert torch.equal(load_file(written / "model.safetensors")["lm_head.weight"], head)
    modes = {name: (written / name).stat().st_mode for name in ("model.safetensors", "config.json")}
    assert modes["model.safetensors"] == modes["config.json"]


def test_a_model_keeps_its_dtype(tmp_path: Path) -> None:
    """It keeps the model's dtype: its config still names the original one."""
    model = tiny().bfloat16()
    assert model.config.dtype == torch.float32
    write_quantized(model, None, "int4", tmp_path)
    assert LLM(tmp_path, **SETTINGS).engine.model.spec.dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("kind", "settings"), [("bloom", {}), ("mpt", {}), ("falcon", {"alibi": True, "head_dim": OMIT})]
)
def test_slopes_lie_where_packed_weights_do(kind: str, settings: dict[str, Any], tmp_path: Path) -> None:
    """These attention modules have a buffer besides their weights; its device must be found."""
    write_quantized(tiny(kind, **settings), None, "int4", tmp_path)
    expected = LLM(tiny(kind, **settings), quantization="int4", **SETTINGS)
    assert scores(LLM(tmp_path, **SETTINGS)) == scores(expected)


def test_words_are_those_of_the_format(tmp_path: Path) -> None:
    model = tiny(intermediate_size=80)
    write_quantized(model, None, "int4-hq", tmp_path)
    said = json.loads((tmp_path / "config.json").read_text())["quantization_config"]
    assert said["quant_method"] == "compressed-tensors" and said["format"] == "pack-quantized"
    first, second = said["config_groups"].values()
    assert (first["targets"], first["weights"]["group_size"], first["weights"]["symmetric"]) == (["Linear"], 32, False)
    assert second["targets"] == [f"model.layers.{i}.mlp.down_proj" for i in (0, 1)]
    assert second["weights"]["group_size"] == 16, "32 does not divide 80"
    state = load_file(tmp_path / "model.safetensors")
    rounded = round_layers(model, "int4-hq", calibration_tokens(None, models.VOCAB, 64, 24))
    for name, weight in rounded.items():
        outputs, inputs = state[f"{name}.weight_shape"].tolist()
        codes = plain(state[f"{name}.weight_packed"], inputs)
        zeros = plain(state[f"{name}.weight_zero_point"].T, outputs).T
        scales = state[f"{name}.weight_scale"].float()
        size = inputs // scales.shape[1]
        values = (codes - zeros.repeat_interleave(size, 1)) * scales.repeat_interleave(size, 1)
        assert torch.equal(values, weight.dequantize()), name


@pytest.mark.parametrize("to", ["int4", "int4-hq"])
def test_experts_have_the_names_that_others_read(to: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "decoder_sparse_step": 1}
    write_quantized(tiny("qwen3_moe", **settings), None, to, tmp_path)
    state = load_file(tmp_path / "model.safetensors")
    assert state["model.layers.1.mlp.experts.3.gate_proj.weight_shape"].tolist() == [32, 64]
    assert not any(name.endswith(("experts.gate_up_proj", "experts.3.gate_proj.weight")) for name in state)
    expected = LLM(tiny("qwen3_moe", **settings), quantization=to, **SETTINGS)
    assert scores(LLM(tmp_path, **SETTINGS)) == scores(expected) and "expanded" not in caplog.text


def test_all_experts_have_one_group_size(tmp_path: Path) -> None:
    """vLLM and transformers support one scheme for all experts; dense layers keep theirs, by name."""
    settings = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 96, "decoder_sparse_step": 1}
    settings |= {"hidden_size": 128, "head_dim": 32}
    write_quantized(tiny("qwen3_moe", **settings), None, "int4-g128", tmp_path)
    state = load_file(tmp_path / "model.safetensors")
    experts = "model.layers.1.mlp.experts.3"
    assert state[f"{experts}.down_proj.weight_scale"].shape == (128, 96 // 32)
    assert state[f"{experts}.gate_proj.weight_scale"].shape == (96, 128 // 32)
    assert state["model.layers.1.self_attn.q_proj.weight_scale"].shape == (128, 1)
    said = json.loads((tmp_path / "config.json").read_text())["quantization_config"]
    first, second = said["config_groups"].values()
    assert (first["targets"], first["weights"]["group_size"]) == (["Linear"], 32)
    assert len(second["targets"]) == 8 and all("self_attn" in name for name in second["targets"])
    expected = LLM(tiny("qwen3_moe", **settings), quantization="int4-g128", **SETTINGS)
    assert scores(LLM(tmp_path, **SETTINGS)) == scores(expected)


def test_fewer_experts_than_other_layers_are_found_by_a_pattern(tmp_path: Path) -> None:
    """transformers takes experts' groups from the pattern that names "experts", otherwise from that of "Linear"."""
    experts = {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 48}
    model = tiny("qwen3_moe", **experts, num_hidden_layers=4, mlp_only_layers=[0, 1, 2], decoder_sparse_step=1)
    write_quantized(model, None, "int4", tmp_path)
    said = json.loads((tmp_path / "config.json").read_text())["quantization_config"]
    assert [(each["targets"], each["weights"]["group_size"]) for each in said["config_groups"].values()] == [
        (["Linear"], 32),
        ([r"re:.*\.experts\..*"], 16),
    ]


def test_modules_have_the_names_of_the_family_s_checkpoints(tmp_path: Path) -> None:
    """vLLM asks for these; transformers, which renames modules, uses its own names in a config."""
    build = {**SPECIAL["laguna"], "max_position_embeddings": 64}
    write_quantized(models.build("laguna", **build), None, "int4", tmp_path)
    state = load_file(tmp_path / "model.safetensors")
    assert "model.layers.1.mlp.shared_expert.up_proj.weight_packed" in state
    assert not any("shared_experts" in name for name in state)
    assert scores(LLM(tmp_path, **SETTINGS)) == scores(
        LLM(models.build("laguna", **build), quantization="int4", **SETTINGS)
    )


def test_experts_without_a_name_each_stay_floats(tmp_path: Path) -> None:
    """As in a file that has them in one tensor, which the format does not cover; int8 experts stay floats too."""
    settings = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "decoder_sparse_step": 1}
    model = tiny("qwen3_moe", **settings)
    model._weight_conversions = []
    write_quantized(model, None, "int4", tmp_path / "4")
    write_quantized(tiny("qwen3_moe", **settings), None, "int8", tmp_path / "8")
    state = load_file(tmp_path / "4" / "model.safetensors")
    assert state["model.layers.1.mlp.experts.gate_up_proj"].dtype == torch.float32
    state = load_file(tmp_path / "8" / "model.safetensors")
    assert state["model.layers.1.mlp.experts.3.gate_proj.weight"].dtype == torch.float32


def test_eight_bits_are_packed_as_other_tools_expect_them(tmp_path: Path) -> None:
    """int-quantized would mean quantised activations to them: compressed-tensors 0.20 and vLLM refuse it."""
    pytest.importorskip("torchao", reason="torchao is not installed")
    model = tiny(intermediate_size=82)
    write_quantized(model, None, "int8", tmp_path)
    said = json.loads((tmp_path / "config.json").read_text())["quantization_config"]
    (group,) = said["config_groups"].values()
    assert (said["format"], group["format"], group["weights"]["num_bits"]) == ("pack-quantized", "pack-quantized", 8)
    state = load_file(tmp_path / "model.safetensors")
    name = "model.layers.1.mlp.down_proj"
    words, scale = state[f"{name}.weight_packed"], state[f"{name}.weight_scale"]
    assert words.shape == (64, 21) and state[f"{name}.weight_shape"].tolist() == [64, 82]
    values = torch.stack([(words >> (8 * i) & 255) - 128 for i in range(4)], -1).flatten(-2)[:, :82] * scale
    linear = model.get_submodule(name)
    assert ((values - linear.weight).abs() <= scale * 0.501).all()


@pytest.mark.parametrize(
    ("kind", "to", "expected"),
    [
        ("llama", "int4", []),
        ("qwen2_moe", "int4", ["mlp.gate", "mlp.shared_expert_gate"]),
        ("qwen3_moe", "int4", ["mlp.gate"]),
        ("phimoe", "int4", ["block_sparse_moe.gate", "mlp.router"]),  # the checkpoint's name, and the model's
        ("granitemoe", "int4", ["block_sparse_moe.router.layer", r"re:.*\.experts\..*"]),
        ("qwen3_moe", "int8", ["mlp.gate", r"re:.*\.experts\..*"]),
        ("deepseek_v3", "int4", ["kv_b_proj", "mlp.gate"]),
        ("jamba", "int4", ["mamba.dt_proj", "feed_forward.router"]),
    ],
)
def test_what_stays_float_is_named(kind: str, to: str, expected: list[str], tmp_path: Path) -> None:
    """Other tools quantise, or expect to be quantised, every linear module that is not named."""
    if to == "int8":
        pytest.importorskip("torchao", reason="torchao is not installed")
    write_quantized(models.build(kind, **{**SPECIAL.get(kind, {}), "max_position_embeddings": 64}), None, to, tmp_path)
    ignored = json.loads((tmp_path / "config.json").read_text())["quantization_config"]["ignore"]
    assert "lm_head" in ignored
    others = [each for each in ignored if each != "lm_head"]
    assert all(any(each.endswith(own) for each in others) for own in expected)
    assert all(any(each.endswith(own) for own in expected) for each in others), ignored


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, output = tmp_path / "text.txt", tmp_path / "made"
    text.write_text("def main():\n    return 0\n" * 20)
    words = ["quantize", str(models.STDLIB_LM), "--to", "int4", "-o", str(output), "--calibration", str(text)]
    (output / ".torchpaged-killed.part").mkdir(parents=True)  # of a run that a signal has ended
    assert main([*words, "--report", str(text)]) == 0
    captured = capsys.readouterr()
    assert "made: 3.48 MiB of weights, before 7.25 MiB" in captured.out
    assert "perplexity of " in captured.out and "28/28" in captured.err
    names = {each.name for each in output.iterdir()}
    assert {"tokenizer.json", "tokenizer_config.json", "generation_config.json"} < names
    assert ".torchpaged-killed.part" not in names
    assert main(words) == 2
    assert "it is not empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--to", "int3"], "--to int3: expected one of int4, int4-g128, int4-hq, int8"),
        (["--to", "int8", "--calibration", __file__], "int8 needs no calibration"),
        (["--to", "int4", "--calibration", "/nowhere"], "--calibration /nowhere: No such file"),
        (["--to", "int4", "--report", "/"], "--report /: "),
    ],
)
def test_words_that_cannot_be_used(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["quantize", str(models.STDLIB_LM), "-o", str(tmp_path / "made"), *words]) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "made").exists()


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("error", [SafetensorError("No space left on device (os error 28)"), KeyboardInterrupt()])
def test_nothing_is_left_of_what_was_not_finished(
    error: BaseException, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a checkpoint would block the next attempt, or be loaded."""

    def fails(state: Any, folder: Path, **_: Any) -> None:
        (folder / "model.safetensors").write_bytes(b"some")
        raise error

    output = tmp_path / "made"
    if there:
        output.mkdir()
    monkeypatch.setattr(quantized_writer, "save_torch_state_dict", fails)
    stopped = isinstance(error, KeyboardInterrupt)
    message = None if stopped else "could not be written: No space left"
    with pytest.raises(KeyboardInterrupt if stopped else ConfigError, match=message):
        write_quantized(tiny(), None, "int4", output)
    assert [each.name for each in tmp_path.iterdir()] == ["made"] * there
    assert not there or not any(output.iterdir())


def test_two_that_write_the_same_folder(tmp_path: Path) -> None:
    """The second one is refused before it computes anything, and does not affect the first."""
    output, refused = tmp_path / "made", []

    def another(_: str) -> None:
        if not refused:
            with pytest.raises(ConfigError, match="another process is writing there") as caught:
                write_quantized(tiny(), None, "int4", output)
            refused.append(str(caught.value))
            assert main(["quantize", str(models.STDLIB_LM), "--to", "int4", "-o", str(output)]) == 2

    write_quantized(tiny(), None, "int4", output, progress=another)
    assert refused and LLM(output, **SETTINGS)


def test_a_folder_that_cannot_be_made_is_said_before_anything_is_computed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    rounded: list[str] = []
    with pytest.raises(ConfigError, match=r"file/made' could not be written: .*Not a directory"):
        write_quantized(tiny(), None, "int4", tmp_path / "file" / "made", progress=rounded.append)
    assert not rounded


def test_pooling_goes_with_the_weights(tmp_path: Path) -> None:
    """A sentence-transformers folder: its vectors are means before and after."""
    source, output = tmp_path / "source", tmp_path / "made"
    tiny().save_pretrained(source)
    (source / "1_Pooling").mkdir()
    (source / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    modules = [{"type": "models.Transformer", "path": ""}, {"type": "models.Pooling", "path": "1_Pooling"}]
    (source / "modules.json").write_text(json.dumps(modules))
    write_quantized(tiny(), None, "int4", output, source=source)
    expected = PoolerConfig(pooling_type="MEAN", use_activation=False, dense=())
    assert pooler_config(str(output)) == pooler_config(str(source)) == expected


def test_what_is_quantised_already_is_not_again(tmp_path: Path) -> None:
    save(tiny(), tmp_path, "awq")
    llm = LLM(tmp_path, **SETTINGS)
    model: Any = llm.engine.model.weights
    with pytest.raises(ConfigError, match="quantised already; load a model of floats"):
        write_quantized(model.module, None, "int4", tmp_path / "made")
    assert not (tmp_path / "made").exists()


@pytest.mark.long
@pytest.mark.parametrize("kind", ["int4-hq", "gptq-desc_act"])
def test_such_models_are_exported(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    if kind == "int4-hq":
        write_quantized(tiny(), None, kind, folder)
    else:
        save(tiny(), folder, kind)
    export.export(adapter.load(str(folder)), tmp_path / "model.pt2", block_size=4)
    found, expected = scores(LLM(tmp_path / "model.pt2", num_blocks=40)), scores(LLM(folder, **SETTINGS))
    # Sums that differ in the last bit are rounded to int8 differently here and there.
    assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) < 0.1
