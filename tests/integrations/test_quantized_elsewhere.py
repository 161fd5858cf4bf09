"""Output of `torchpaged quantize` in other tools: transformers with compressed-tensors, and vLLM in its own Python.

`make test-vllm` names that Python. These tests check the command's list of tools that read a checkpoint.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from tests import models
from tests.models import OMIT
from torchpaged.integrations.checkpoints.calibration import calibration_tokens
from torchpaged.integrations.checkpoints.expert_modules import experts_of_layers, experts_weight, projections
from torchpaged.integrations.checkpoints.int4 import SCHEMES, round_layers
from torchpaged.integrations.checkpoints.quantized_writer import FORMS, Written, write_quantized
from torchpaged.integrations.checkpoints.torchao import int8_of, linears_of_layers

SHAPE: dict[str, Any] = {
    "hidden_size": 128,
    "intermediate_size": 192,
    "num_hidden_layers": 2,
    "head_dim": 32,
    "max_position_embeddings": 64,
    "initializer_range": 0.1,
}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 96}
KINDS: dict[str, dict[str, Any]] = {
    "llama": SHAPE,
    "qwen3_moe": {**SHAPE, **EXPERTS},
    "qwen2_moe": {**SHAPE, **EXPERTS, "shared_expert_intermediate_size": 96},  # with a gate of one output
    "olmoe": {**SHAPE, **EXPERTS, "head_dim": OMIT},
    "mixtral": {**SHAPE, "num_local_experts": 4, "num_experts_per_tok": 2},  # whose experts have other names
    "phimoe": {**SHAPE, "num_local_experts": 4, "num_experts_per_tok": 2},  # and its router too
    "granitemoe": {**SHAPE, "num_local_experts": 4, "num_experts_per_tok": 2},  # in one tensor, which stays float
}
# vLLM 0.32 does not run a float one either.
NOT_VLLM = {"phimoe"}
PROMPT = models.prompts([24])[0]


def written(kind: str, to: str, folder: Path) -> tuple[Written, PreTrainedModel]:
    """Return the written checkpoint's description, and a float model with its values."""
    if to == "int8":
        pytest.importorskip("torchao", reason="torchao is not installed")
    said = write_quantized(models.build(kind, **KINDS[kind]), None, to, folder)
    model = models.build(kind, **KINDS[kind])
    if to == "int8":
        for linear in linears_of_layers(model).values():
            codes, scale = int8_of(linear)
            linear.weight.data = codes.float() * scale.float().unsqueeze(1)
        return said, model
    weights = round_layers(model, to, calibration_tokens(None, models.VOCAB, 64, SCHEMES[to].sequences))
    for name in linears_of_layers(model):
        model.get_submodule(name).weight.data = weights[name].dequantize()
    for path, own in experts_of_layers(model).items() if kind != "granitemoe" else ():
        for name in projections(own):
            for i in range(own.num_experts):
                experts_weight(own, name).data[i] = weights[f"{path}.{i}.{name}"].dequantize()
    return said, model


@pytest.mark.parametrize("to", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_transformers(kind: str, to: str, tmp_path: Path) -> None:
    """Equal values, experts' rounded to float16 like their scales; or an error, if the command announces one."""
    pytest.importorskip("compressed_tensors", reason="compressed-tensors is not installed")
    said, expected = written(kind, to, tmp_path)
    more: dict[str, Any] = {"dtype": torch.float32, "attn_implementation": "eager"}
    if "dequantize=True" in said.readers:
        from transformers import CompressedTensorsConfig

        with pytest.raises(RuntimeError, match="mismatched"):
            AutoModelForCausalLM.from_pretrained(tmp_path, **more)
        more["quantization_config"] = CompressedTensorsConfig(dequantize=True)
    if "not transformers" in said.readers:
        with pytest.raises(RuntimeError, match="CONVERSION"):
            AutoModelForCausalLM.from_pretrained(tmp_path, **more)
        return
    model, found = AutoModelForCausalLM.from_pretrained(tmp_path, output_loading_info=True, **more)
    assert not any(found.values()), found
    models.logprobs(model, PROMPT)  # linear layers become floats in the first forward
    own = dict(model.named_parameters())
    for name, parameter in expected.named_parameters():
        rounded = parameter.half().float() if ".experts." in name or "quantization_config" in more else parameter
        assert torch.equal(own[name], rounded) or torch.equal(own[name], parameter), name


@pytest.mark.long
def test_vllm(tmp_path: Path) -> None:
    """Each checkpoint with torch's products of the values that vLLM read; dense 4-bit ones also with vLLM's own."""
    python = os.environ.get("VLLM_PYTHON")
    if not python:
        pytest.skip("VLLM_PYTHON names no Python that has vLLM: make test-vllm VLLM_PYTHON=/path/to/python")
    asked, expected = [], {}
    for kind in sorted(KINDS.keys() - NOT_VLLM):
        for to in FORMS:
            folder = tmp_path / f"{kind}-{to}"
            said, model = written(kind, to, folder)
            assert said.readers.startswith("vLLM")
            found = models.logprobs(model, PROMPT)[:-1].gather(1, torch.tensor(PROMPT[1:])[:, None]).flatten()
            for plain in (True, False) if kind == "llama" else (True,):
                name = f"{folder.name}{'' if plain else ', its own products'}"
                asked.append({"name": name, "folder": str(folder), "prompt": PROMPT, "plain": plain})
                expected[name] = found
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    script = Path(__file__).with_name("vllm_quantized.py")
    environment = {key: value for key, value in os.environ.items() if key != "VLLM_PYTHON"}
    with (tmp_path / "log").open("w") as log:
        command = [python, str(script), str(tmp_path / "asked.json"), str(tmp_path / "answers.json")]
        ended = subprocess.run(command, env=environment, stdout=log, stderr=log, timeout=1800)
    assert ended.returncode == 0, (tmp_path / "log").read_text()[-4000:]
    answers = json.loads((tmp_path / "answers.json").read_text())
    assert "Failed to find a kernel" in answers.pop("llama-int8, its own products")["error"], "it has one for 8 bits"
    for name, answer in answers.items():
        assert "error" not in answer, (name, answer)
        tolerance = 0.1 if "own" in name else 1e-4  # bfloat16, and activations that it rounds
        torch.testing.assert_close(torch.tensor(answer["logprobs"]), expected[name], rtol=0, atol=tolerance)
