"""Towers and projectors in llama.cpp's second file of a model that reads images, `mmproj-NAME.gguf`.

The conventions are those of llama.cpp's converters and of its clip.cpp; tests/integrations/test_gguf_mmproj.py writes
such files by the tables of the `gguf` package, and reads them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from torchpaged.integrations.checkpoints.gguf.metadata import Config, Fields
from torchpaged.integrations.checkpoints.gguf.tensor_names import Weight
from torchpaged.weights.gguf_file import Gguf

_BLOCK = re.compile(r"v\.blk\.(\d+)\.(\w+)\.(weight|bias)")
_LONGEST_SIDE = 1 << 13  # of an image, in pixels
# Keys for llama.cpp's own preprocessing of images, or that the tensors say too.
_UNUSED = ("has_text_encoder", "has_llava_projector", "vision.mm_patch_merge_type", "vision.projection_dim")


class Projector(NamedTuple):
    """A kind of mmproj file as a model type of transformers.

    Args:
        model_type: of the whole model.
        architectures: of the file with the text part.
        text: path of the text part in the whole model.
        config: makes the values of the whole config that `text_config` does not have. Given the file's keys, the values
            of the text part, and the file with the text part.
        names: of the model's modules, by llama.cpp's; {} stands for the number of a layer.
    """

    model_type: str
    architectures: frozenset[str]
    text: str
    config: Callable[[Fields, Config, Fields], Config]
    names: Mapping[str, str]


class Mmproj(NamedTuple):
    """An opened file, and how it is read.

    Args:
        is_swapped: True if the two products of a layer's MLP have each other's names.
    """

    file: Gguf
    projector: Projector
    is_swapped: bool

    @classmethod
    def read(cls, file: Gguf, text: Gguf, values: Config) -> tuple[Mmproj, Config]:
        """Make the values of the whole model's config.

        Args:
            text: the file with the text part.
            values: of the text part's config, to which positions of several axes are added.

        Raises:
            ModelError: an unknown kind of file, one for another text part, or a key that is not supported.
        """
        if (kind := file.text("general.architecture")) != "clip":
            raise file.fault("general.architecture", kind, "'clip': an mmproj file, which has no text part")
        fields, of_text = Fields(file), Fields(text)
        kind = fields.text("vision.projector_type", "") or fields.text("projector_type", "mlp")
        projector = _PROJECTORS.get(kind)
        if projector is None:
            raise file.fault("clip.projector_type", kind, f"one of {', '.join(_PROJECTORS)}")
        if of_text.prefix not in projector.architectures:
            expected = " or ".join(sorted(projector.architectures))
            raise file.fault("clip.projector_type", kind, f"another beside a text part {of_text.prefix!r}: {expected}")
        fields.expect("has_vision_encoder", fields.boolean("has_vision_encoder", True), True)
        fields.expect("has_audio_encoder", fields.boolean("has_audio_encoder", False), False)
        for name in _UNUSED:
            fields.value(name)
        config = projector.config(fields, values, of_text)
        fields.require_all_asked()
        return cls(file, projector, _is_swapped(fields)), config

    def weights(self, file: Gguf, values: Config) -> dict[str, Weight]:
        """Map all weights by the whole model's names. Raises ModelError for a tensor that the model does not have."""
        found: dict[str, Weight] = {}
        for tensor in file.tensors:
            name, change = self._name(tensor)
            if name is None:
                raise file.fault(f"tensor {tensor!r}", "there", f"none: {self.projector.model_type!r} has none such")
            if name in found:
                tensors = (*found[name].tensors, tensor)
                found[name] = found[name]._replace(tensors=tuple(sorted(tensors, key=_order)))
            else:
                joined = _two_frames if tensor.startswith("v.patch_embd.weight") and _is_of_videos(self) else None
                found[name] = Weight((tensor,), change=change, joined=joined)
        return found | self._left_out(found, file)

    def _name(self, tensor: str) -> tuple[str | None, Callable[[Tensor], Tensor] | None]:
        """Return a tensor's name in the whole model, and how its values change."""
        if match := _BLOCK.fullmatch(tensor):
            number, leaf, kind = match.groups()
            if self.is_swapped and leaf in ("ffn_up", "ffn_down"):
                leaf = "ffn_down" if leaf == "ffn_up" else "ffn_up"
            module = self.projector.names.get(f"v.blk.{{}}.{leaf}")
            return (None if module is None else f"{module.format(number)}.{kind}"), None
        if tensor == "v.patch_embd.weight.1" and _is_of_videos(self):
            tensor = "v.patch_embd.weight"
        stem, _, kind = tensor.rpartition(".")
        module = self.projector.names.get(tensor)
        if module is not None:  # a parameter of its own
            return module, None
        module = self.projector.names.get(stem)
        change = _minus_one if tensor == "mm.soft_emb_norm.weight" else None
        return (None if module is None or kind not in ("weight", "bias") else f"{module}.{kind}"), change

    def _left_out(self, found: Collection[str], file: Gguf) -> dict[str, Weight]:
        """Return weights that converters leave out, since nothing that the projector reads depends on them."""
        name = self.projector.names.get("v.post_ln", "")
        if self.projector.model_type != "llava" or f"{name}.weight" in found:
            return {}
        size = file.tensors["v.position_embd.weight"].shape[1]
        return {f"{name}.{kind}": Weight((), value=torch.ones(size)) for kind in ("weight", "bias")}


def _is_of_videos(mmproj: Mmproj) -> bool:
    """Tell if patches are of two frames, whose weights are two tensors."""
    return "v.patch_embd.weight.1" in mmproj.file.tensors


def _two_frames(frames: object) -> Tensor:
    return torch.stack(list(frames), dim=2)  # type: ignore[call-overload]


def _minus_one(values: Tensor) -> Tensor:
    return values.float() - 1


def _order(tensor: str) -> int:
    """Return the place of a tensor among those of one weight: queries, keys and values, or two frames."""
    return next((place for place, leaf in enumerate(_QKV) if f".{leaf}." in tensor), len(tensor))


_QKV = ("attn_q", "attn_k", "attn_v")


def _is_swapped(fields: Fields) -> bool:
    """Tell if the two products of a layer's MLP have each other's names, as in files of older converters."""
    up, down = (fields.file.tensors.get(f"v.blk.0.ffn_{name}.weight") for name in ("up", "down"))
    hidden = fields.integer("vision.embedding_length")
    if up is None or down is None or len(down.shape) != 2:
        return False
    return down.shape[1] == hidden != down.shape[0]


# --- Configs -----------------------------------------------------------------------------------------------------


def _tower(fields: Fields, activation: str) -> Config:
    """Return the values of a vision tower's config that all kinds have, by CLIP's names."""
    numbers = {match[1] for name in fields.file.tensors if (match := _BLOCK.fullmatch(name))}
    fields.expect("vision.block_count", fields.integer("vision.block_count"), len(numbers))
    leaf = "ffn_down" if _is_swapped(fields) else "ffn_up"
    fields.value("vision.feed_forward_length")  # Qwen2-VL's converter writes another size there
    inner, hidden = fields.tensor(f"v.blk.0.{leaf}.weight", 2)
    fields.expect("vision.embedding_length", fields.integer("vision.embedding_length"), hidden)
    size, patch = (_side(fields, f"vision.{name}_size") for name in ("image", "patch"))
    fields.expect("vision.patch_size", patch, fields.tensor("v.patch_embd.weight", 4)[3])
    if fields.there("v.position_embd.weight"):  # else of a tower whose images may have any size
        rows = fields.tensor("v.position_embd.weight", 2)[0] - fields.there("v.class_embd")
        fields.expect("vision.image_size", size, patch * math.isqrt(rows))
    return {
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": len(numbers),
        "num_attention_heads": fields.integer("vision.attention.head_count"),
        "image_size": size,
        "patch_size": patch,
        "layer_norm_eps": fields.number("vision.attention.layer_norm_epsilon", above=0),
        "hidden_act": _activation(fields, activation),
        **{name: _channels(fields, name) for name in ("image_mean", "image_std")},
    }


def _side(fields: Fields, name: str, default: int | None = None) -> int:
    """Return a number of pixels in a row: of one that is too large images would fill the memory."""
    found = fields.integer(name, default)
    fields.expect(name, found, min(found, _LONGEST_SIDE))
    return found


def _activation(fields: Fields, of_gelu: str) -> str:
    """Return the name of a tower's activation, in files that do not say that of CLIP."""
    gelu, silu = (fields.boolean(f"use_{name}", False) for name in ("gelu", "silu"))
    fields.expect("use_silu", silu, silu and not gelu)
    return of_gelu if gelu else "silu" if silu else "quick_gelu"


def _channels(fields: Fields, name: str) -> list[float]:
    """Return a number for each colour."""
    found = fields.numbers(f"vision.{name}", 3)
    is_finite = all(isinstance(each, float) and math.isfinite(each) for each in found)
    if not is_finite or (name == "image_std" and min(found) <= 0):
        raise fields.file.fault(f"clip.vision.{name}", found, "three numbers")
    return list(map(float, found))


def _require_width(fields: Fields, tensor: str, axis: int, text: Config) -> None:
    """Raise ModelError if a projector's results do not have the width of the text part's embeddings."""
    found, expected = fields.tensor(tensor, 2)[axis], text["hidden_size"]
    if found != expected:
        raise fields.file.fault(f"tensor {tensor!r}", found, f"{expected}, as the text part: it is another model's")


def _token(text: Fields, *names: str) -> int:
    """Return the first of these tokens that the text part has."""
    tokens = text.file.texts("tokenizer.ggml.tokens")
    for name in names:
        if name in tokens:
            return tokens.index(name)
    raise text.file.fault("tokenizer.ggml.tokens", f"{len(tokens)} tokens", f"{names[0]!r}, an image's place, in them")


def _llava(fields: Fields, text: Config, of_text: Fields) -> Config:
    for name in ("vision.image_grid_pinpoints", "vision.image_crop_resolution"):
        if fields.value(name) is not None:
            raise fields.file.fault(f"clip.{name}", "there", "none: images in pieces (LLaVA-NeXT) are not read")
    if not fields.there("v.class_embd"):
        raise fields.file.fault("tensor 'v.class_embd'", "missing", "one: towers other than CLIP's are not read")
    fields.tensor("v.position_embd.weight", 2)
    vision = _tower(fields, "gelu")
    layers, last = fields.value("vision.feature_layer"), [vision["num_hidden_layers"]]
    if layers is not None and np.asarray(layers).tolist() != last:
        found = np.asarray(layers).tolist()
        raise fields.file.fault("clip.vision.feature_layer", found, f"{last}, the last layer alone")
    _require_width(fields, "mm.2.weight", 0, text)
    return {
        "vision_config": {"model_type": "clip_vision_model", **vision},
        "image_token_index": _token(of_text, "<image>", "<unk>"),
        "vision_feature_layer": -1,
        "vision_feature_select_strategy": "default",
    }


def _gemma3(fields: Fields, text: Config, of_text: Fields) -> Config:
    vision = _tower(fields, "gelu_pytorch_tanh")
    side = vision["image_size"] // vision["patch_size"] // fields.integer("vision.projector.scale_factor", 4)
    _require_width(fields, "mm.input_projection.weight", 1, text)
    return {
        "vision_config": {"model_type": "siglip_vision_model", "vision_use_head": False, **vision},
        "mm_tokens_per_image": max(1, side) ** 2,
        "boi_token_index": _token(of_text, "<start_of_image>"),
        "eoi_token_index": _token(of_text, "<end_of_image>"),
        "image_token_index": _token(of_text, "<image_soft_token>"),
    }


def _idefics3(fields: Fields, text: Config, of_text: Fields) -> Config:
    vision = _tower(fields, "gelu_pytorch_tanh")
    vision["preproc_image_size"] = _side(fields, "vision.preproc_image_size", vision["image_size"])
    _require_width(fields, "mm.model.fc.weight", 0, text)
    return {
        "vision_config": vision,
        "scale_factor": fields.integer("vision.projector.scale_factor", 2),
        "image_token_id": _token(of_text, "<image>"),
    }


def _qwen2_vl(fields: Fields, text: Config, of_text: Fields) -> Config:
    vision = _tower(fields, "gelu_pytorch_tanh")
    hidden, inner = vision.pop("hidden_size"), vision.pop("intermediate_size")
    if inner % hidden:
        raise fields.file.fault("tensor 'v.blk.0.ffn_up.weight'", inner, f"a multiple of {hidden}")
    return _of_qwen(fields, text, of_text, {**vision, "embed_dim": hidden, "mlp_ratio": inner // hidden})


def _qwen2_5_vl(fields: Fields, text: Config, of_text: Fields) -> Config:
    vision = _tower(fields, "gelu_pytorch_tanh")
    step = fields.integer("vision.n_wa_pattern")
    vision["fullatt_block_indexes"] = list(range(step - 1, vision["num_hidden_layers"], step))
    vision["window_size"] = fields.integer("vision.window_size", 112)
    vision["out_hidden_size"] = text["hidden_size"]
    return _of_qwen(fields, text, of_text, vision)


def _of_qwen(fields: Fields, text: Config, of_text: Fields, vision: Config) -> Config:
    """Return the values that Qwen2-VL and Qwen2.5-VL share; positions of the text part get three axes."""
    for name in ("image_min_pixels", "image_max_pixels"):
        if (found := fields.integer(f"vision.{name}", 0, least=0)) > 0:
            fields.expect(f"vision.{name}", found, min(found, _LONGEST_SIDE**2))
            vision[name] = found
    fields.tensor("v.patch_embd.weight.1", 4)
    _require_width(fields, "mm.2.weight", 0, text)
    sections = of_text.numbers("rope.dimension_sections", 4)
    half = text["head_dim"] // 2
    if not all(isinstance(each, int) and each >= 0 for each in sections) or sum(sections) != half or sections[3]:
        raise of_text.file.fault("rope.dimension_sections", sections, f"three numbers with the sum {half}, and 0")
    text["rope_parameters"] = {**text["rope_parameters"], "mrope_section": sections[:3]}
    size = vision.pop("num_hidden_layers"), vision.pop("num_attention_heads")
    of_width = {} if "out_hidden_size" in vision else {"hidden_size": text["hidden_size"]}
    merge = fields.integer("vision.spatial_merge_size", 2)
    return {
        "vision_config": {**vision, **of_width, "depth": size[0], "num_heads": size[1], "spatial_merge_size": merge},
        "image_token_id": _token(of_text, "<|image_pad|>"),
        "video_token_id": _token(of_text, "<|video_pad|>"),
        "vision_start_token_id": _token(of_text, "<|vision_start|>"),
        "vision_end_token_id": _token(of_text, "<|vision_end|>"),
    }


def _of_siglip(tower: str) -> dict[str, str]:
    """Return the modules of CLIP's and SigLIP's towers, by llama.cpp's names."""
    layer = f"{tower}.encoder.layers.{{}}"
    return {
        "v.patch_embd": f"{tower}.embeddings.patch_embedding",
        "v.position_embd": f"{tower}.embeddings.position_embedding",
        "v.post_ln": f"{tower}.post_layernorm",
        "v.blk.{}.ln1": f"{layer}.layer_norm1",
        "v.blk.{}.ln2": f"{layer}.layer_norm2",
        "v.blk.{}.attn_q": f"{layer}.self_attn.q_proj",
        "v.blk.{}.attn_k": f"{layer}.self_attn.k_proj",
        "v.blk.{}.attn_v": f"{layer}.self_attn.v_proj",
        "v.blk.{}.attn_out": f"{layer}.self_attn.out_proj",
        "v.blk.{}.ffn_up": f"{layer}.mlp.fc1",
        "v.blk.{}.ffn_down": f"{layer}.mlp.fc2",
    }


_OF_QWEN = {
    "v.patch_embd": "model.visual.patch_embed.proj",
    "v.post_ln": "model.visual.merger.ln_q",
    "mm.0": "model.visual.merger.mlp.0",
    "mm.2": "model.visual.merger.mlp.2",
    "v.blk.{}.ln1": "model.visual.blocks.{}.norm1",
    "v.blk.{}.ln2": "model.visual.blocks.{}.norm2",
    "v.blk.{}.attn_q": "model.visual.blocks.{}.attn.qkv",
    "v.blk.{}.attn_k": "model.visual.blocks.{}.attn.qkv",
    "v.blk.{}.attn_v": "model.visual.blocks.{}.attn.qkv",
    "v.blk.{}.attn_out": "model.visual.blocks.{}.attn.proj",
}
_LANGUAGE = "model.language_model"
# By clip.projector_type.
_PROJECTORS = {
    "mlp": Projector(
        "llava",
        frozenset(["llama", "mistral3", "qwen2", "qwen3"]),
        _LANGUAGE,
        _llava,
        {
            **_of_siglip("model.vision_tower"),
            "v.class_embd": "model.vision_tower.embeddings.class_embedding",
            "v.pre_ln": "model.vision_tower.pre_layrnorm",
            "mm.0": "model.multi_modal_projector.linear_1",
            "mm.2": "model.multi_modal_projector.linear_2",
        },
    ),
    "gemma3": Projector(
        "gemma3",
        frozenset(["gemma3"]),
        _LANGUAGE,
        _gemma3,
        {
            **_of_siglip("model.vision_tower"),
            "mm.input_projection.weight": "model.multi_modal_projector.mm_input_projection_weight",
            "mm.soft_emb_norm": "model.multi_modal_projector.mm_soft_emb_norm",
        },
    ),
    "idefics3": Projector(
        "idefics3",
        frozenset(["llama"]),
        "model.text_model",
        _idefics3,
        {**_of_siglip("model.vision_model"), "mm.model.fc": "model.connector.modality_projection.proj"},
    ),
    "qwen2vl_merger": Projector(
        "qwen2_vl",
        frozenset(["qwen2vl"]),
        _LANGUAGE,
        _qwen2_vl,
        {
            **_OF_QWEN,
            "v.blk.{}.ffn_up": "model.visual.blocks.{}.mlp.fc1",
            "v.blk.{}.ffn_down": "model.visual.blocks.{}.mlp.fc2",
        },
    ),
    "qwen2.5vl_merger": Projector(
        "qwen2_5_vl",
        frozenset(["qwen2vl"]),
        _LANGUAGE,
        _qwen2_5_vl,
        {
            **_OF_QWEN,
            "v.blk.{}.ffn_gate": "model.visual.blocks.{}.mlp.gate_proj",
            "v.blk.{}.ffn_up": "model.visual.blocks.{}.mlp.up_proj",
            "v.blk.{}.ffn_down": "model.visual.blocks.{}.mlp.down_proj",
        },
    ),
}
