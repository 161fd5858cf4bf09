"""Virtual tokens of peft: passed as embeddings they give peft's texts, and broken files are refused."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests import file_mutations, models
from tests.adapters import change_config, change_tensors
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.prompt_tuning import read_prompt_embeddings

GREEDY = SamplingParams(temperature=0, max_tokens=6)
PROMPTS = models.prompts([21, 3], seed=3)


def _tuned(kind: str) -> Any:
    import peft

    model = peft.get_peft_model(models.build("llama"), getattr(peft, kind)(task_type="CAUSAL_LM", num_virtual_tokens=5))
    torch.manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "prompt_encoder" in name:
                parameter.normal_()
    return model.eval()


@pytest.mark.parametrize("kind", ["PromptTuningConfig", "PromptEncoderConfig"])
def test_texts_are_those_of_peft(kind: str, tmp_path: Path) -> None:
    tuned = _tuned(kind)
    tuned.save_pretrained(tmp_path)
    model = models.build("llama")
    virtual = read_prompt_embeddings(tmp_path, 64)
    assert virtual.shape == (5, 64)
    with LLM(model, enable_prompt_embeds=True, num_blocks=60, block_size=4) as llm:
        prompts = [
            {"prompt_embeds": torch.cat([virtual, model.get_input_embeddings()(torch.tensor(ids))])} for ids in PROMPTS
        ]
        found = llm.generate(prompts, GREEDY, use_tqdm=False)
        again = llm.generate(prompts, GREEDY, use_tqdm=False)
        plain = llm.generate(PROMPTS, GREEDY, use_tqdm=False)
    for ids, output, same, other in zip(PROMPTS, found, again, plain, strict=True):
        expected = tuned.generate(
            input_ids=torch.tensor([ids]), attention_mask=torch.ones(1, len(ids)), max_new_tokens=6, do_sample=False
        )[0, len(ids) :]
        assert output.outputs[0].token_ids == same.outputs[0].token_ids == expected.tolist()
        assert other.outputs[0].token_ids != expected.tolist() and same.num_cached_tokens >= 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    _tuned("PromptTuningConfig").save_pretrained(tmp_path / "a")
    return tmp_path / "a"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"peft_type": "LORA"}, "peft_type 'LORA', expected one of PROMPT_TUNING, P_TUNING"),
        ({"peft_type": "PREFIX_TUNING"}, "peft_type 'PREFIX_TUNING'"),
        ({"peft_type": ["PROMPT_TUNING"]}, "peft_type"),
        ({"num_virtual_tokens": 6}, r"\(5, 64\).*expected 'prompt_embeddings' of shape \(6, 64\)"),
        ({"num_virtual_tokens": "5"}, r"shape \('5', 64\)"),
        ({"num_transformer_submodules": 2}, "num_transformer_submodules 2"),
    ],
)
def test_configs_that_are_refused(values: dict[str, Any], message: str, folder: Path) -> None:
    change_config(folder, **values)
    with pytest.raises(ModelError, match=message):
        read_prompt_embeddings(folder, 64)


def test_tensors_that_are_refused(folder: Path) -> None:
    with pytest.raises(ModelError, match=r"shape \(5, 32\)"):
        read_prompt_embeddings(folder, 32)
    change_tensors(folder, lambda tensors: {name: each * float("nan") for name, each in tensors.items()})
    with pytest.raises(ModelError, match="not finite"):
        read_prompt_embeddings(folder, 64)
    save_file({"x": torch.ones(5, 64)}, folder / "adapter_model.safetensors")
    with pytest.raises(ModelError, match="expected 'prompt_embeddings'"):
        read_prompt_embeddings(folder, 64)
    with pytest.raises(ModelError, match="no such folder"):
        read_prompt_embeddings(folder / "x", 64)


def test_mutations_are_read_or_refused(folder: Path, tmp_path: Path) -> None:
    assert json.loads((folder / "adapter_config.json").read_text())["num_virtual_tokens"] == 5
    expected, refused = load_file(folder / "adapter_model.safetensors")["prompt_embeddings"], 0
    for seed in range(200):
        copied = shutil.copytree(folder, tmp_path / str(seed))
        json_first = seed % 2 == 0
        twist = file_mutations.twist_json if json_first else file_mutations.twist_safetensors
        twist(random.Random(seed), copied / ("adapter_config.json" if json_first else "adapter_model.safetensors"))
        try:
            assert read_prompt_embeddings(copied, 64).shape == expected.shape
        except ModelError as error:
            refused += 1
            assert len(str(error)) < 1000 and "\n" not in str(error)
    assert refused > 40
