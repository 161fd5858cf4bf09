"""GGUF files with an mmproj file: tiny models are written as llama.cpp's converters write them, and read again."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import pytest
import torch
import transformers
from gguf import GGMLQuantizationType as Kind
from torch import Tensor

from tests import vision_models
from tests.integrations import gguf_files
from tests.integrations.test_media_llm import GREEDY, expect, given, prompts_of, tokens_of
from tests.vision_models import VisionModel
from torchpaged import LLM, SamplingParams, cli
from torchpaged.engine.prepared import PreparedModel
from torchpaged.engine_args import LoadOptions
from torchpaged.errors import ConfigError, ModelError, RequestError
from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
from torchpaged.integrations.checkpoints.model_loader import build_empty, stream_weights
from torchpaged.integrations.transformers.media_encoder import tower_tensors

# Model type: clip.projector_type.
KINDS = {
    "llava": "mlp",
    "gemma3": "gemma3",
    "idefics3": "idefics3",
    "qwen2_vl": "qwen2vl_merger",
    "qwen2_5_vl": "qwen2.5vl_merger",
}
_CAUSAL = {
    "llava": "Llama",
    "gemma3": "Gemma3",
    "idefics3": "Llama",
    "qwen2_vl": "Qwen2",
    "qwen2_5_vl": "Qwen2",
}


def built(name: str) -> VisionModel:
    """Make a tiny model, of a kind that a file can describe: Gemma 3's first layers have windows."""
    made = vision_models.build(name)
    if name == "gemma3":
        config: Any = made.model.config
        config.text_config.layer_types = ["sliding_attention"] * config.text_config.num_hidden_layers
        made = made._replace(model=vision_models._random(type(made.model), config))
    return made


def tokenizer_keys(tokenizer: Any) -> dict[str, Any]:
    """Return the keys of a vocabulary."""
    made = json.loads(tokenizer.backend_tokenizer.to_str())
    added = {each["id"] for each in made["added_tokens"]}
    tokens = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3 if number in added else 1 for number in range(len(tokens))],
        "tokenizer.ggml.merges": [" ".join(each) for each in made["model"]["merges"]],
    }


def write_text(made: VisionModel, path: Path, kind: Kind = Kind.F32) -> Path:
    """Write the file with the text part."""
    whole: Any = made.model
    name, values = whole.config.model_type, whole.config.get_text_config(decoder=True).to_dict()
    kept = {key: value for key, value in values.items() if key not in ("model_type", "architectures", "dtype")}
    if name.startswith("qwen"):
        kept |= {"use_sliding_window": False, "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}}
    prefix = _CAUSAL[name]
    config = getattr(transformers, "Gemma3TextConfig" if name == "gemma3" else f"{prefix}Config")(**kept)
    causal = getattr(transformers, f"{prefix}ForCausalLM")._from_config(config, dtype=torch.float32)
    parts = {f"model.{key}": value for key, value in whole.get_decoder().state_dict().items()}
    causal.load_state_dict({**parts, "lm_head.weight": whole.lm_head.weight}, strict=False)
    more = tokenizer_keys(made.processor.tokenizer)  # type: ignore[attr-defined]
    if name.startswith("qwen"):
        config.model_type = "qwen2vl"
        more["rope.dimension_sections"] = [*values["rope_parameters"]["mrope_section"], 0]
    return gguf_files.write(causal, path, kind, **more)


def keys_of(made: VisionModel) -> dict[str, Any]:
    """Return the keys that llama.cpp's converters write."""
    config: Any = made.model.config
    vision, kind = config.vision_config, KINDS[config.model_type]
    images: Any = made.processor.image_processor  # type: ignore[attr-defined]
    qwen = config.model_type.startswith("qwen")
    hidden = vision.embed_dim if config.model_type == "qwen2_vl" else vision.hidden_size
    layers = vision.depth if qwen else vision.num_hidden_layers
    if kind == "mlp":  # the layers whose results are used
        layers += config.vision_feature_layer + 1
    found = {
        "has_vision_encoder": True,
        "projector_type": kind,
        "vision.image_size": 560 if qwen else vision.image_size,
        "vision.patch_size": vision.patch_size,
        "vision.embedding_length": hidden,
        "vision.feed_forward_length": vision.hidden_size if config.model_type == "qwen2_vl" else 48,
        "vision.block_count": layers,
        "vision.attention.head_count": vision.num_heads if qwen else vision.num_attention_heads,
        "vision.attention.layer_norm_epsilon": 1e-6 if qwen else vision.layer_norm_eps,
        "vision.image_mean": list(map(float, images.image_mean)),
        "vision.image_std": list(map(float, images.image_std)),
        "vision.projection_dim": 64,
    }
    if kind in ("gemma3", "idefics3"):
        found |= {"use_gelu": True, "vision.projector.scale_factor": 2}
    if kind == "idefics3":
        found["vision.preproc_image_size"] = 64
    if qwen:
        found |= {"vision.image_min_pixels": 32 * 32, "vision.image_max_pixels": 64 * 64}
    if kind == "qwen2.5vl_merger":
        found |= {"use_silu": True, "vision.n_wa_pattern": 2, "vision.window_size": vision.window_size}
    if kind == "mlp":
        found |= {"has_text_encoder": False, "has_llava_projector": True, "vision.feature_layer": [layers]}
    return found


_OLD = {"layer_norm": "ln", "layrnorm": "ln", "layernorm": "ln", "embedding": "embd", "self_attn.": "attn_"}


def tower_of(made: VisionModel) -> Iterator[tuple[str, Tensor]]:
    """Yield a tower's tensors by llama.cpp's names."""
    config: Any = made.model.config
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.MMPROJ, 8)
    own = made.model.state_dict()
    for name in tower_tensors(made.model):
        if name not in own:  # buffers that are not kept
            continue
        values, name = own[name], name.removeprefix("model.")
        if config.model_type == "llava":  # the old converter's names, with the products of an MLP exchanged
            if f"encoder.layers.{config.vision_config.num_hidden_layers - 1}." in name or "post_lay" in name:
                continue
            name = name.replace("vision_tower.encoder.layers", "v.blk").replace("vision_tower.embeddings.", "v.")
            name = name.replace("vision_tower.", "v.").replace("_proj", "") if "projector" not in name else name
            name = name.replace("multi_modal_projector.linear_1", "mm.0").replace(
                "multi_modal_projector.linear_2", "mm.2"
            )
            for old, new in {**_OLD, "mlp.fc1": "ffn_down", "mlp.fc2": "ffn_up"}.items():
                name = name.replace(old, new)
            yield name, values
            continue
        if name.startswith("vision_model."):
            name = f"model.{name}"
        if name.startswith("connector."):
            name = f"model.{name}"
        if name.startswith("vision_tower."):
            name = name.replace("vision_tower.", "vision_tower.vision_model.")
        if name.endswith("mm_input_projection_weight"):
            name = name.replace("_weight", ".weight")
        if "soft_emb_norm" in name:
            values = values + 1
        if name.endswith("patch_embed.proj.weight"):
            yield "v.patch_embd.weight", values[:, :, 0]
            yield "v.patch_embd.weight.1", values[:, :, 1]
            continue
        stem, _, kind = name.rpartition(".")
        parts = [(stem, values)]
        if stem.endswith("attn.qkv"):
            parts = [(stem.replace("qkv", each), part) for each, part in zip("qkv", values.chunk(3), strict=True)]
        for each, part in parts:
            new = names.get_name(each)
            assert new is not None, each
            yield f"{new}.{kind}", part


def write_mmproj(made: VisionModel, path: Path, kind: Kind = Kind.F32, **changed: Any) -> Path:
    """Write the file with the tower; keys that are changed to None are left out."""
    writer = gguf.GGUFWriter(path, "clip")
    for name, value in {**keys_of(made), **changed}.items():
        gguf_files.add_field(writer, f"clip.{name}", value)
    for name, values in tower_of(made):
        data = values.detach().float().contiguous().numpy()
        if kind == Kind.Q8_0 and data.ndim == 2 and data.shape[1] % 32 == 0 and "position" not in name:
            writer.add_tensor(name, gguf.quants.quantize(data, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, data)
    gguf_files.finish(writer)
    return path


def written(name: str, folder: Path) -> tuple[VisionModel, Path, Path]:
    """Write both files of a tiny model."""
    made = built(name)
    return made, write_text(made, folder / "text.gguf"), write_mmproj(made, folder / "mmproj.gguf")


@pytest.mark.parametrize("name", KINDS)
def test_tokens_are_those_of_transformers(name: str, tmp_path: Path) -> None:
    made, text, towers = written(name, tmp_path)
    prompts = prompts_of(made)
    with LLM(text, mmproj=towers, num_blocks=200, optimize=True) as llm:
        model: Any = llm.engine.model
        assert model.media_refusal is None and model.weights.report.reason is None
        own = dict(made.model.named_parameters())
        tower = {each: value for each, value in tower_tensors(model.model).items() if each in own}
        kept = {each: value for each, value in tower.items() if name != "llava" or "post_lay" not in each}
        assert len(kept) > 20
        assert all(torch.allclose(value, own[each], rtol=1e-6) for each, value in kept.items())
        found = tokens_of(llm.generate([given(made, *each) for each in prompts], GREEDY, use_tqdm=False))
        assert found == [expect(made, *each)[1] for each in prompts]


def test_a_file_without_towers_reads_texts(tmp_path: Path) -> None:
    made, text, _ = written("qwen2_vl", tmp_path)
    with LLM(text, num_blocks=200) as llm:
        (found,) = llm.generate(["import os"], GREEDY, use_tqdm=False)
        assert found.outputs[0].token_ids == expect(made, "import os", [])[1]
        with pytest.raises(RequestError, match="multi_modal_data"):
            llm.generate([given(made, *prompts_of(made)[1])], GREEDY, use_tqdm=False)


def test_quantised_files(tmp_path: Path) -> None:
    """The text part stays quantised; a tower of eight bits becomes floats, near to what they were."""
    made = built("gemma3")
    text = write_text(made, tmp_path / "text.gguf", Kind.Q8_0)
    towers = write_mmproj(made, tmp_path / "mmproj.gguf", Kind.Q8_0)
    with LLM(text, mmproj=towers, num_blocks=200, dtype="float32") as llm:
        model: Any = llm.engine.model
        own = dict(made.model.named_parameters())
        tower = {each: value for each, value in tower_tensors(model.model).items() if each in own}
        assert all(value.dtype == torch.float32 for value in tower.values())
        assert all(torch.allclose(value, own[each], atol=2e-3) for each, value in tower.items())
        assert llm.generate([given(made, *prompts_of(made)[0])], GREEDY, use_tqdm=False)[0].outputs[0].token_ids


@pytest.mark.long
def test_a_later_start_gives_the_same_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHPAGED_PREPARED_CACHE", "1")
    monkeypatch.setenv("TORCHPAGED_CACHE", str(tmp_path / "cache"))
    made, text, towers = written("idefics3", tmp_path)
    prompts, found = [given(made, *each) for each in prompts_of(made)], []
    params = SamplingParams(temperature=0, max_tokens=4, ignore_eos=True)
    for is_prepared in (False, True):
        with LLM(text, mmproj=towers, num_blocks=200, dtype="bfloat16") as llm:
            model: Any = llm.engine.model
            assert isinstance(model, PreparedModel) == is_prepared
            found.append(tokens_of(llm.generate(prompts, params, use_tqdm=False)))
            if not is_prepared:
                model.weights.observer.wait()
    assert found[0] == found[1]
    write_mmproj(made, towers, Kind.Q8_0)
    with LLM(text, mmproj=towers, num_blocks=200, dtype="bfloat16") as llm:
        assert not isinstance(llm.engine.model, PreparedModel), "another mmproj file is another model"


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"projector_type": "resampler"}, "clip.projector_type is 'resampler', expected one of mlp, gemma3"),
        ({"projector_type": "gemma3"}, "another beside a text part 'llama': gemma3"),
        ({"has_audio_encoder": True}, "clip.has_audio_encoder is True"),
        ({"vision.block_count": 7}, "clip.vision.block_count is 7, expected 2"),
        ({"vision.feature_layer": [1, 2]}, r"clip.vision.feature_layer is \[1, 2\]"),
        ({"vision.image_grid_pinpoints": [336, 672]}, "images in pieces"),
        ({"vision.image_std": [0.0, 1.0, 1.0]}, "clip.vision.image_std is"),
        ({"vision.attention.head_count": None}, "clip.vision.attention.head_count"),
        ({"vision.attention.head_count": 5}, "no config can be made of its keys"),
        ({"vision.image_size": 1 << 20}, "clip.vision.image_size is 1048576, expected"),
        ({"vision.patch_size": 1}, "clip.vision.patch_size is 1, expected 8"),
        ({"vision.something": 3}, "clip.vision.something is 3, expected none: its effect"),
    ],
    ids=str,
)
def test_a_file_that_does_not_fit_is_refused(changed: dict[str, Any], says: str, tmp_path: Path) -> None:
    made = built("llava")
    text, towers = write_text(made, tmp_path / "text.gguf"), write_mmproj(made, tmp_path / "mmproj.gguf", **changed)
    with pytest.raises(ModelError, match=says):
        LLM(text, mmproj=towers, num_blocks=200)


def test_the_command_line_takes_both_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made, text, towers = written("llava", tmp_path)
    image = tmp_path / "image.png"
    vision_models.image(1).save(image)
    words = ["generate", str(text), "--mmproj", str(towers), "--prompt", "<image>import", "--image", str(image)]
    assert cli.main([*words, "--num-blocks", "99", "--max-tokens", "6", "--ignore-eos", "--temperature", "0"]) == 0
    expected = expect(made, "<image>import", [vision_models.image(1)])[1]
    assert made.processor.tokenizer.decode(expected) in capsys.readouterr().out  # type: ignore[attr-defined]
    assert cli.main(["generate", str(text), "--mmproj", str(text), "--prompt", "x"]) == 2
    assert "expected 'clip'" in capsys.readouterr().err


def test_files_of_other_models_are_refused(tmp_path: Path) -> None:
    made, text, towers = written("llava", tmp_path)
    with pytest.raises(ModelError, match=r"architecture is 'llama', expected 'clip'"):
        LLM(text, mmproj=text)
    with pytest.raises(ModelError, match=r"architecture is 'clip'"):
        LLM(towers)
    with pytest.raises(ModelError, match=r"nothing\.gguf"):
        LLM(text, mmproj=tmp_path / "nothing.gguf")
    with pytest.raises(ConfigError, match=r"mmproj is .* but the model is no GGUF file"):
        LLM(made.model, mmproj=towers)


def test_mutations_are_loaded_or_refused(tmp_path: Path) -> None:
    _, text, towers = written("idefics3", tmp_path)
    data, path, refused = towers.read_bytes(), tmp_path / "mutated.gguf", 0
    for seed in range(40):
        rng, changed = random.Random(seed), bytearray(data)
        for _ in range(3):
            changed[rng.randrange(8, 2500)] = rng.randrange(256)
        path.write_bytes(changed[: rng.randrange(len(data)) if seed % 8 == 0 else None])
        try:
            stream_weights(build_empty(Checkpoint.resolve(text, options=LoadOptions(mmproj=path)), "float32"))
        except ModelError as error:
            refused += 1
            assert ".gguf" in str(error)
    assert refused
