"""Adapters that prompts with images or sounds have without naming them: Granite Speech's own, and default_mm_loras."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from tests import peft_folders, vision_models
from tests.integrations.test_media_llm import GREEDY, NEW, expect, given, prompts_of, tokens_of
from tests.vision_models import VisionModel, inputs_of, save
from torchpaged import LLM, LoRARequest
from torchpaged.errors import ConfigError, ModelError


def speaking(folder: Path) -> tuple[VisionModel, list[list[int]]]:
    """Write a checkpoint of Granite Speech with an adapter of rank 20; return it and what transformers generates."""
    from peft import LoraConfig

    made = vision_models.build("granite_speech")
    model: Any = made.model
    model.config.has_lora_adapter = True
    save(made, folder)
    model.add_adapter(LoraConfig(r=20, lora_alpha=60, target_modules=["q_proj", "v_proj"]))
    generator = torch.Generator().manual_seed(1)
    for name, weight in model.named_parameters():
        if "lora_B" in name:
            nn.init.normal_(weight, std=0.2, generator=generator)
    expected = []
    for text, sounds in prompts_of(made):
        tokens = {"input_ids": made.processor.tokenizer(text, return_tensors="pt")["input_ids"]}  # type: ignore[attr-defined]
        own = inputs_of(made, text, sounds) if sounds else tokens
        out = model.generate(**own, max_new_tokens=NEW, do_sample=False, pad_token_id=0, eos_token_id=None)
        expected.append(out[0, own["input_ids"].shape[1] :].tolist())
    state = {f"base_model.model.{name.replace('.default', '')}": each for name, each in model.state_dict().items()}
    save_file({name: each for name, each in state.items() if "lora_" in name}, folder / "adapter_model.safetensors")
    config = model.peft_config["default"].to_dict()
    config["target_modules"] = sorted(config["target_modules"])
    (folder / "adapter_config.json").write_text(json.dumps(config, default=str))
    return made, expected


def test_granite_speech_has_its_adapter_for_sounds_alone(tmp_path: Path) -> None:
    """In a batch with texts without it, and under names of the text part that its checkpoints have."""
    made, expected = speaking(tmp_path)
    plain = vision_models.build("granite_speech")
    prompts = prompts_of(made)
    inputs = [given(made, *each) for each in prompts]
    without = [expect(plain, *each)[1] for each in prompts]
    assert [a == b for a, b in zip(expected, without, strict=True)] == [not sounds for _, sounds in prompts]
    for is_old in (False, True):
        if is_old:
            file = tmp_path / "adapter_model.safetensors"
            tensors = load_file(file)
            renamed = "base_model.model.language_model.model."
            save_file(
                {k.replace("base_model.model.model.language_model.", renamed): v for k, v in tensors.items()}, file
            )
        with LLM(str(tmp_path), dtype="float32", num_blocks=200, max_num_batched_tokens=40) as llm:
            outputs = llm.generate(inputs, GREEDY, use_tqdm=False)
            assert tokens_of(outputs) == expected
            names = [each.lora_request and each.lora_request.lora_name for each in outputs]
            assert names == ["audio" if sounds else None for _, sounds in prompts]
            assert tokens_of(llm.generate(inputs, GREEDY, use_tqdm=False)) == expected, "with hits"
            assert (llm.engine.config.max_loras, llm.engine.config.max_lora_rank) == (1, 20)
    with pytest.raises(
        ModelError, match="its adapter is for prompts with sounds alone, and an instance has it for all"
    ):
        LLM(made.model, tokenizer=made.processor)
    with LLM(str(tmp_path), dtype="float32", num_blocks=50, language_model_only=True) as llm:
        assert not llm.engine.config.enable_lora


def test_default_adapters(tmp_path: Path) -> None:
    """A prompt with images that names no adapter has the default one; one that names an adapter has only that."""
    made = vision_models.build("llava")
    prompts, expected = prompts_of(made), []
    for number in (1, 2):
        peft_folders.write(tmp_path / str(number), made.model, number, targets=("o_proj", "down_proj"))
        with peft_folders.merged(made.model, tmp_path / str(number)):
            expected.append([expect(made, *each)[1] for each in prompts])
    plain = [expect(made, *each)[1] for each in prompts]
    inputs = [given(made, *each) for each in prompts]
    settings: dict[str, Any] = {"tokenizer": made.processor, "num_blocks": 200}
    folders = {"image": str(tmp_path / "1")}
    with LLM(made.model, enable_lora=True, default_mm_loras=folders, **settings) as llm:
        assert llm.list_loras() == {1}
        found = tokens_of(llm.generate(inputs, GREEDY, use_tqdm=False))
        assert found == [expected[0][i] if items else plain[i] for i, (_, items) in enumerate(prompts)]
        other = LoRARequest("other", 2, str(tmp_path / "2"))
        assert tokens_of(llm.generate(inputs, GREEDY, use_tqdm=False, lora_request=other)) == expected[1]
        # Its name and number are its own, before and after it is removed.
        taken = "which default_mm_loras has for .*1', with lora_int_id 1; choose"
        targets = ("o_proj", "down_proj")
        state, config = peft_folders.tensors(made.model, 2, targets=targets), peft_folders.config(targets=targets)
        for _ in range(2):
            for name, number, folder in (("image", 1, "2"), ("image", 9, "1"), ("thief", 1, "2")):
                with pytest.raises(ConfigError, match=taken):
                    llm.generate("a", GREEDY, lora_request=LoRARequest(name, number, str(tmp_path / folder)))
            with pytest.raises(ConfigError, match=taken):
                llm.update_lora("image", state, config)
            assert tokens_of(llm.generate(inputs, GREEDY, use_tqdm=False)) == found
            assert llm.remove_lora(1)
        assert llm.update_lora("new", state, config).lora_int_id == 3
        assert tokens_of(llm.generate(inputs, GREEDY, use_tqdm=False)) == found
    with pytest.raises(ConfigError, match="default_mm_loras has adapters, which need enable_lora=True"):
        LLM(made.model, default_mm_loras=folders, **settings)
    with pytest.raises(ConfigError, match="default_mm_loras has 'audio', and the model takes image alone"):
        LLM(made.model, enable_lora=True, default_mm_loras={"audio": str(tmp_path / "1")}, **settings)
    with pytest.raises(ConfigError, match="default_mm_loras has 'smell', expected 'audio', 'image' or 'video'"):
        LLM(made.model, enable_lora=True, default_mm_loras={"smell": str(tmp_path / "1")}, **settings)
    for folder in (None, ""):
        with pytest.raises(ConfigError, match=f"default_mm_loras has {folder!r} for 'image', expected a folder"):
            LLM(made.model, enable_lora=True, default_mm_loras={"image": folder}, **settings)
    with pytest.raises(ModelError, match="no such folder"):
        LLM(made.model, enable_lora=True, default_mm_loras={"image": str(tmp_path / "3")}, **settings)
