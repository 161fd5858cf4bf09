"""What transformers calls what a GGUF file says: an architecture's config, and the names and layouts of its weights.

A key or a tensor that an architecture here has no use for is refused, since what it changes would be wrong without an
error. The conventions are those of llama.cpp's converters; tests/integrations/test_gguf.py goes there and back.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from torchpaged.errors import ModelError
from torchpaged.models.gguf import Gguf

# Keys that change nothing here: sizes that tensors have, and what only writers and other runtimes look at.
_HARMLESS = {
    "vocab_size",
    "rope.scaling.finetuned",
    "attention.causal",
    "tensor_data_layout",
    "feed_forward_length",
    "expert_feed_forward_length",
    "expert_shared_feed_forward_length",
    "expert_count",
    "expert_used_count",
    "expert_group_count",
    "expert_group_used_count",
}
# Tensors that are read with the config.
_OF_THE_CONFIG = ("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight")
_BLOCK = re.compile(r"blk\.(\d+)\.(.+)\.(weight|bias)")

Config = dict[str, Any]


class Fields:
    """The keys of an architecture, which remembers those that were asked for.

    Args:
        file: whose metadata they are in.
    """

    def __init__(self, file: Gguf) -> None:
        self.file, self.prefix = file, file.text("general.architecture")
        self._asked: set[str] = set()

    def _key(self, name: str) -> str:
        self._asked.add(name)
        return f"{self.prefix}.{name}"

    def integer(self, name: str, default: int | None = None, least: int = 1) -> int:
        """As of `Gguf`."""
        return self.file.integer(self._key(name), default, least=least)

    def number(self, name: str, default: float | None = None, above: float = -math.inf) -> float:
        """As of `Gguf`."""
        return self.file.number(self._key(name), default, above=above)

    def boolean(self, name: str, default: bool | None = None) -> bool:
        """As of `Gguf`."""
        return self.file.boolean(self._key(name), default)

    def text(self, name: str, default: str | None = None) -> str:
        """As of `Gguf`."""
        return self.file.text(self._key(name), default)

    def numbers(self, name: str, count: int) -> list[Any]:
        """As of `Gguf`."""
        return self.file.numbers(self._key(name), count)

    def value(self, name: str) -> Any:
        """Whatever it is; None where there is no such key."""
        return self.file.metadata.get(self._key(name))

    def has(self, name: str) -> bool:
        """Whether there is such a key."""
        return f"{self.prefix}.{name}" in self.file.metadata

    def expect(self, name: str, found: object, expected: object) -> None:
        """Raises ModelError unless a value is the only one that can be had."""
        if found != expected:
            raise self.file.fault(self._key(name), found, repr(expected))

    def require_all_asked(self) -> None:
        """Raises ModelError for a key that changes nobody knows what."""
        for key, value in self.file.metadata.items():
            name = key.removeprefix(f"{self.prefix}.")
            if name != key and name not in self._asked and name not in _HARMLESS:
                raise self.file.fault(key, value, f"none: it is not known what it changes in {self.prefix!r}")

    def tensor(self, name: str, dimensions: int) -> tuple[int, ...]:
        """The shape of a tensor that has to be there."""
        found = self.file.tensors.get(name)
        if found is None or len(found.shape) != dimensions:
            said = "missing" if found is None else found.shape
            raise self.file.fault(f"tensor {name!r}", said, f"{dimensions} dimensions")
        return found.shape

    def there(self, name: str) -> bool:
        """Whether there is such a tensor."""
        return name in self.file.tensors


class Weight(NamedTuple):
    """Where one of a model's weights comes from.

    Args:
        tensors: one, or several of which each row (each expert's rows) are put behind the last one's.
        rows: of the weight, where in the tensors they stand; None: in order.
        change: of a float tensor, what the model has in its place.
    """

    tensors: tuple[str, ...]
    rows: Tensor | None = None
    change: Callable[[Tensor], Tensor] | None = None


@dataclass(frozen=True, slots=True)
class Architecture:
    """
    Args:
        model_type: of transformers.
        config: beyond what all have.
        names: of a layer's modules, by llama.cpp's.
        outer: of the modules that are no layer's.
        layers: the path of the layers.
        permuted: whether pairs of rotated rows of q and k are neighbours in the file, and half a head apart here.
        centred: whether norms are stored as w + 1.
        partial: whether only some of a head's dimensions may be rotated.
        transposed: modules that keep [inputs, outputs].
        interleaved: whether gates and ups of experts are in turn here, in tensors [experts, inputs, outputs].
    """

    model_type: str
    config: Callable[[Fields, Config], Config] = field(default=lambda fields, common: {})
    names: Mapping[str, str] = field(default_factory=dict)
    outer: Mapping[str, str] = field(default_factory=dict)
    layers: str = "model.layers"
    permuted: bool = False
    centred: bool = False
    partial: bool = False
    transposed: tuple[str, ...] = ()
    interleaved: bool = False

    def weights(self, file: Gguf, config: Config) -> dict[str, Weight]:
        """By the model's names. Raises ModelError for a tensor that the architecture has not got."""
        found: dict[str, Weight] = {}
        for tensor in file.tensors:
            if tensor in _OF_THE_CONFIG:
                continue
            name, leaf = self._name(tensor)
            if name is None:
                raise file.fault(f"tensor {tensor!r}", "there", f"none: {self.model_type!r} has no such weight")
            if name in found:  # the other half of the experts' products: the gate is first
                others = (*found[name].tensors, tensor)
                found[name] = found[name]._replace(tensors=tuple(sorted(others, key=lambda each: "_up_" in each)))
            else:
                found[name] = self._weight(tensor, leaf, file, config)
        return found

    def _name(self, tensor: str) -> tuple[str | None, str]:
        """The model's name, and llama.cpp's of the module."""
        if (match := _BLOCK.fullmatch(tensor)) is None:
            leaf, _, kind = tensor.rpartition(".")
            module = {**_OUTER, **self.outer}.get(leaf)
            return (None if not module else f"{module}.{kind}"), leaf
        number, leaf, kind = match.groups()
        module = {**_DECODER, **self.names}.get(leaf)
        if not module:
            return None, leaf
        path = f"{self.layers}.{number}.{module}"
        if ".experts." in module:
            return path if kind == "weight" else f"{path}_{kind}", leaf
        return path if module.endswith(".sinks") else f"{path}.{kind}", leaf

    def _weight(self, tensor: str, leaf: str, file: Gguf, config: Config) -> Weight:
        shape = file.tensors[tensor].shape
        if self.permuted and leaf in ("attn_q", "attn_k"):
            heads = config["num_attention_heads" if leaf == "attn_q" else "num_key_value_heads"]
            if shape[0] % (2 * heads):
                raise file.fault(f"rows of tensor {tensor!r}", shape[0], f"a multiple of 2 x {heads} heads")
            return Weight((tensor,), torch.arange(shape[0]).view(heads, -1, 2).transpose(1, 2).flatten())
        if self.centred and tensor.endswith("norm.weight"):
            return Weight((tensor,), change=_minus_one)
        if self.interleaved and leaf.endswith("_exps"):
            return _expert(tensor, shape)
        if leaf in self.transposed and tensor.endswith(".weight"):
            return Weight((tensor,), change=_transposed)
        if leaf == "shortconv.conv":
            return Weight((tensor,), change=_in_the_middle)
        if leaf == "ffn_gate_inp_shexp":
            return Weight((tensor,), change=_as_row)
        return Weight((tensor,))


def _expert(tensor: str, shape: tuple[int, ...]) -> Weight:
    """One of the experts' tensors; the outputs of gate and up, which are behind each other in a file, in turn."""
    both = "_down_" not in tensor
    if tensor.endswith(".bias"):  # [experts, outputs], of which two are [2 x experts, outputs]
        return Weight((tensor,), change=(lambda values: torch.stack(values.chunk(2), -1).flatten(1)) if both else None)
    rows = torch.arange(2 * shape[1]).view(2, -1).T.flatten() if both else None
    return Weight((tensor,), rows, lambda values: (values if rows is None else values[:, rows]).mT)


def _minus_one(values: Tensor) -> Tensor:
    return values.float() - 1


def _transposed(values: Tensor) -> Tensor:
    return values.T


def _in_the_middle(values: Tensor) -> Tensor:
    return values.unsqueeze(1)


def _as_row(values: Tensor) -> Tensor:
    return values.view(1, -1)


_OUTER = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
_DECODER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "ffn_gate_inp": "mlp.gate",
    "ffn_gate_exps": "mlp.experts.gate_up_proj",
    "ffn_up_exps": "mlp.experts.gate_up_proj",
    "ffn_down_exps": "mlp.experts.down_proj",
    "ffn_gate_inp_shexp": "mlp.shared_expert_gate",
    "ffn_gate_shexp": "mlp.shared_expert.gate_proj",
    "ffn_up_shexp": "mlp.shared_expert.up_proj",
    "ffn_down_shexp": "mlp.shared_expert.down_proj",
}
_NORMED_AFTER = {
    "post_attention_norm": "post_attention_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_GEMMA = {**_NORMED_AFTER, "ffn_norm": "pre_feedforward_layernorm"}


def _biases(fields: Fields, common: Config) -> Config:
    return {
        "attention_bias": fields.there("blk.0.attn_q.bias"),
        "mlp_bias": fields.there("blk.0.ffn_up.bias"),
    }


def _llama(fields: Fields, common: Config) -> Config:
    experts = fields.integer("expert_count", 0, least=0)
    if not experts:
        return _biases(fields, common)
    used = fields.integer("expert_used_count")
    return {
        "model_type": "mixtral",
        "num_local_experts": experts,
        "num_experts_per_tok": used,
        "intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        "sliding_window": None,
    }


def _qwen2(fields: Fields, common: Config) -> Config:
    return {"use_sliding_window": False}


def _qwen3(fields: Fields, common: Config) -> Config:
    return {"use_sliding_window": False, **_biases(fields, common)}


def _moe(fields: Fields, common: Config) -> Config:
    """Qwen's: all layers have experts; those of Qwen2 a shared one, and weights that are not normalised."""
    config = {
        "num_experts": fields.integer("expert_count"),
        "num_experts_per_tok": fields.integer("expert_used_count"),
        "moe_intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        "norm_topk_prob": not fields.there("blk.0.ffn_down_shexp.weight"),
        "use_sliding_window": False,
        "decoder_sparse_step": 1,
        "mlp_only_layers": [],
    }
    if fields.there("blk.0.ffn_down_shexp.weight"):
        config["shared_expert_intermediate_size"] = fields.tensor("blk.0.ffn_down_shexp.weight", 2)[1]
    return config


def _gpt_oss(fields: Fields, common: Config) -> Config:
    config = {
        "num_local_experts": fields.integer("expert_count"),
        "num_experts_per_tok": fields.integer("expert_used_count"),
        "intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        "sliding_window": fields.integer("attention.sliding_window"),
        "layer_types": _windowed(fields, common, 2),
        "attention_bias": fields.there("blk.0.attn_q.bias"),
    }
    rope = common["rope_parameters"]
    # Its frequencies are blended between dimensions that are not rounded: a file has no word for that.
    return config | {"rope_parameters": {**rope, "truncate": False} if rope["rope_type"] == "yarn" else rope}


def _gemma2(fields: Fields, common: Config) -> Config:
    # The largest alone divides by what a head would have if there were as many dimensions as hidden ones.
    by_hidden = common["num_hidden_layers"] == 46
    scalar = common["hidden_size"] // common["num_attention_heads"] if by_hidden else common["head_dim"]
    return {
        "attn_logit_softcapping": fields.number("attn_logit_softcapping", 50.0),
        "final_logit_softcapping": fields.number("final_logit_softcapping", 30.0),
        "sliding_window": fields.integer("attention.sliding_window", 4096),
        "query_pre_attn_scalar": scalar,
        "layer_types": _windowed(fields, common, 2),
    }


def _gemma3(fields: Fields, common: Config) -> Config:
    by_hidden = common["num_hidden_layers"] == 62
    scalar = common["hidden_size"] // common["num_attention_heads"] if by_hidden else common["head_dim"]
    local = fields.number("rope.freq_base_swa", 10_000.0, above=0)
    capped = fields.has("final_logit_softcapping")
    return {
        "sliding_window": fields.integer("attention.sliding_window", 1024),
        "query_pre_attn_scalar": scalar,
        "layer_types": _windowed(fields, common, 6),
        "final_logit_softcapping": fields.number("final_logit_softcapping") if capped else None,
        "rope_parameters": {
            "full_attention": common["rope_parameters"],
            "sliding_attention": {"rope_type": "default", "rope_theta": local},
        },
    }


def _windowed(fields: Fields, common: Config, count: int) -> list[str]:
    """The kind of each layer; if a file does not say which have a window, each `count`-th has none."""
    layers = common["num_hidden_layers"]
    if isinstance(fields.value("attention.sliding_window_pattern"), np.ndarray):
        windows = fields.numbers("attention.sliding_window_pattern", layers)
    else:
        count = fields.integer("attention.sliding_window_pattern", count)
        windows = [i % count != count - 1 for i in range(layers)]
    return ["sliding_attention" if each else "full_attention" for each in windows]


def _phi3(fields: Fields, common: Config) -> Config:
    window = fields.integer("attention.sliding_window", 0, least=0)
    original = fields.integer("rope.scaling.original_context_length", common["max_position_embeddings"])
    config: Config = {"sliding_window": window or None, "original_max_position_embeddings": original}
    if fields.there("rope_factors_long.weight"):
        count = fields.tensor("rope_factors_long.weight", 1)[0]
        fields.expect("rope.scaling.type", fields.text("rope.scaling.type", "longrope"), "longrope")
        config["rope_parameters"] = {
            **common["rope_parameters"],
            "rope_type": "longrope",
            "long_factor": _floats(fields.file, "rope_factors_long.weight", count),
            "short_factor": _floats(fields.file, "rope_factors_short.weight", count),
            "original_max_position_embeddings": original,
            "factor": common["max_position_embeddings"] / original,
            "attention_factor": fields.number("rope.scaling.attn_factor", 1.0),
        }
    return config


def _granite(fields: Fields, common: Config) -> Config:
    return {
        **_biases(fields, common),
        "attention_multiplier": fields.number("attention.scale", common["head_dim"] ** -0.5),
        "embedding_multiplier": fields.number("embedding_scale", 1.0),
        "residual_multiplier": fields.number("residual_scale", 1.0),
        "logits_scaling": fields.number("logit_scale", 1.0),
    }


def _lfm2(fields: Fields, common: Config) -> Config:
    heads = fields.numbers("attention.head_count_kv", common["num_hidden_layers"])
    if not all(isinstance(each, int) and 0 <= each <= common["num_attention_heads"] for each in heads) or not max(
        heads
    ):
        raise fields.file.fault("lfm2.attention.head_count_kv", heads, "a number of heads for each layer")
    return {
        "num_key_value_heads": max(heads),
        "layer_types": ["full_attention" if each else "conv" for each in heads],
        "norm_eps": common["rms_norm_eps"],
        "conv_L_cache": fields.integer("shortconv.l_cache"),
        "conv_bias": any(name.endswith("shortconv.in_proj.bias") for name in fields.file.tensors),
        "block_auto_adjust_ff_dim": False,
    }


def _gpt2(fields: Fields, common: Config) -> Config:
    length, _ = fields.tensor("position_embd.weight", 2)
    fields.expect("context_length", common["max_position_embeddings"], length)
    return {
        "n_positions": length,
        "n_embd": common["hidden_size"],
        "n_layer": common["num_hidden_layers"],
        "n_head": common["num_attention_heads"],
        "n_inner": fields.tensor("blk.0.ffn_up.weight", 2)[0],
        "layer_norm_epsilon": fields.number("attention.layer_norm_epsilon", above=0),
    }


def _smollm3(fields: Fields, common: Config) -> Config:
    return {"use_sliding_window": False, "no_rope_layer_interval": 4, **_biases(fields, common)}


def _starcoder2(fields: Fields, common: Config) -> Config:
    return {
        "norm_epsilon": fields.number("attention.layer_norm_epsilon", above=0),
        "use_bias": fields.there("blk.0.attn_q.bias"),
        "sliding_window": None,
    }


def _stablelm(fields: Fields, common: Config) -> Config:
    return {
        "layer_norm_eps": fields.number("attention.layer_norm_epsilon", above=0),
        "use_qkv_bias": fields.there("blk.0.attn_q.bias"),
        "use_parallel_residual": fields.boolean("use_parallel_residual", False),
    }


def _cohere(fields: Fields, common: Config) -> Config:
    config: Config = {
        "logit_scale": fields.number("logit_scale", 1.0),
        "layer_norm_eps": fields.number("attention.layer_norm_epsilon", above=0),
        "attention_bias": fields.there("blk.0.attn_q.bias"),
    }
    if fields.prefix == "cohere2":
        config["sliding_window"] = fields.integer("attention.sliding_window")
        config["layer_types"] = _windowed(fields, common, 4)
    else:
        config["use_qk_norm"] = fields.there("blk.0.attn_q_norm.weight")
    return config


def _nemotron(fields: Fields, common: Config) -> Config:
    return {**_biases(fields, common), "norm_eps": fields.number("attention.layer_norm_epsilon", above=0)}


def _seed_oss(fields: Fields, common: Config) -> Config:
    return {**_biases(fields, common), "attention_out_bias": fields.there("blk.0.attn_output.bias")}


def _ernie(fields: Fields, common: Config) -> Config:
    return {"use_bias": fields.there("blk.0.attn_q.bias")}


def _exaone4(fields: Fields, common: Config) -> Config:
    """Where there is a window, layers that see everything rotate nothing: transformers' own rule."""
    count = common["num_hidden_layers"]
    if not fields.has("attention.sliding_window"):
        return {"sliding_window": None, "layer_types": ["full_attention"] * count}
    return {
        "sliding_window": fields.integer("attention.sliding_window"),
        "layer_types": _windowed(fields, common, 4),
    }


ARCHITECTURES: dict[str, Architecture] = {
    "llama": Architecture("llama", _llama, permuted=True),
    "qwen2": Architecture("qwen2", _qwen2),
    "qwen2moe": Architecture("qwen2_moe", _moe),
    "qwen3": Architecture("qwen3", _qwen3),
    "qwen3moe": Architecture("qwen3_moe", _moe),
    "gemma": Architecture("gemma", centred=True),
    "gemma2": Architecture("gemma2", _gemma2, _GEMMA, centred=True),
    "gemma3": Architecture("gemma3_text", _gemma3, _GEMMA, centred=True),
    "phi3": Architecture(
        "phi3", _phi3, {"attn_qkv": "self_attn.qkv_proj", "ffn_up": "mlp.gate_up_proj", "ffn_gate": ""}, partial=True
    ),
    "granite": Architecture("granite", _granite, permuted=True),
    "lfm2": Architecture(
        "lfm2",
        _lfm2,
        {
            "attn_norm": "operator_norm",
            "attn_output": "self_attn.out_proj",
            "attn_q_norm": "self_attn.q_layernorm",
            "attn_k_norm": "self_attn.k_layernorm",
            "ffn_norm": "ffn_norm",
            "ffn_gate": "feed_forward.w1",
            "ffn_up": "feed_forward.w3",
            "ffn_down": "feed_forward.w2",
            "shortconv.in_proj": "conv.in_proj",
            "shortconv.out_proj": "conv.out_proj",
            "shortconv.conv": "conv.conv",
        },
        {"output_norm": "model.embedding_norm", "token_embd_norm": "model.embedding_norm"},
    ),
    "gpt2": Architecture(
        "gpt2",
        _gpt2,
        {
            "attn_norm": "ln_1",
            "attn_qkv": "attn.c_attn",
            "attn_output": "attn.c_proj",
            "ffn_norm": "ln_2",
            "ffn_up": "mlp.c_fc",
            "ffn_down": "mlp.c_proj",
        },
        {"token_embd": "transformer.wte", "position_embd": "transformer.wpe", "output_norm": "transformer.ln_f"},
        layers="transformer.h",
        transposed=("attn_qkv", "attn_output", "ffn_up", "ffn_down"),
    ),
    "gpt-oss": Architecture(
        "gpt_oss",
        _gpt_oss,
        {
            "post_attention_norm": "post_attention_layernorm",
            "attn_sinks": "self_attn.sinks",
            "ffn_gate_inp": "mlp.router",
        },
        interleaved=True,
    ),
    "smollm3": Architecture("smollm3", _smollm3, permuted=True),
    "arcee": Architecture("arcee", _biases, permuted=True),
    "starcoder2": Architecture("starcoder2", _starcoder2, {"ffn_up": "mlp.c_fc", "ffn_down": "mlp.c_proj"}),
    "stablelm": Architecture("stablelm", _stablelm, partial=True),
    "olmo2": Architecture("olmo2", _biases, _NORMED_AFTER),
    "exaone4": Architecture("exaone4", _exaone4, _NORMED_AFTER),
    "command-r": Architecture("cohere", _cohere),
    "cohere2": Architecture("cohere2", _cohere),
    "nemotron": Architecture("nemotron", _nemotron, centred=True, partial=True),
    "seed_oss": Architecture("seed_oss", _seed_oss, {"post_attention_norm": "post_attention_layernorm"}),
    "ernie4_5": Architecture("ernie4_5", _ernie),
    "hunyuan-dense": Architecture(
        "hunyuan_v1_dense",
        _biases,
        {"attn_q_norm": "self_attn.query_layernorm", "attn_k_norm": "self_attn.key_layernorm"},
    ),
}


def config_of(file: Gguf) -> tuple[Architecture, Config]:
    """What a file's model is: how its weights are named, and the arguments of its config.

    Raises:
        ModelError: an architecture that is not known, a key that is missing, contradicts the tensors, or would change
            what nobody here knows of.
    """
    fields = Fields(file)
    architecture = ARCHITECTURES.get(fields.prefix)
    if architecture is None:
        known = ", ".join(sorted(ARCHITECTURES))
        raise ModelError(
            f"model {str(file.path)!r}: general.architecture is {fields.prefix!r}, expected one of {known}; of others "
            "name the checkpoint that the file was made of"
        )
    common = _common(fields, architecture)
    config = {**common, **architecture.config(fields, common)}
    fields.require_all_asked()
    return architecture, config


def _common(fields: Fields, architecture: Architecture) -> Config:
    """What all architectures say in the same words."""
    vocab, hidden = fields.tensor("token_embd.weight", 2)
    fields.expect("embedding_length", fields.integer("embedding_length"), hidden)
    blocks = {match[1] for name in fields.file.tensors if (match := _BLOCK.fullmatch(name))}
    fields.expect("block_count", fields.integer("block_count"), len(blocks))
    heads = fields.integer("attention.head_count")
    by_layer = fields.prefix == "lfm2"
    head_dim = fields.integer("attention.key_length", max(1, hidden // heads))
    fields.expect("attention.value_length", fields.integer("attention.value_length", head_dim), head_dim)
    config: Config = {
        "vocab_size": vocab,
        "hidden_size": hidden,
        "num_hidden_layers": len(blocks),
        "num_attention_heads": heads,
        "num_key_value_heads": heads if by_layer else fields.integer("attention.head_count_kv", heads),
        "head_dim": head_dim,
        "max_position_embeddings": fields.integer("context_length", 2048),
        "tie_word_embeddings": not fields.there("output.weight"),
    }
    if fields.there("blk.0.ffn_down.weight"):
        config["intermediate_size"] = fields.tensor("blk.0.ffn_down.weight", 2)[1]
    if fields.has("attention.layer_norm_rms_epsilon"):
        config["rms_norm_eps"] = fields.number("attention.layer_norm_rms_epsilon", above=0)
    rotated = fields.integer("rope.dimension_count", head_dim)
    if not architecture.partial:
        fields.expect("rope.dimension_count", rotated, head_dim)
    config["rope_parameters"] = _rope(fields, rotated / head_dim)
    for name, key in _TOKENS.items():
        number = fields.file.metadata.get(f"tokenizer.ggml.{key}")
        config[name] = number if type(number) is int and 0 <= number < vocab else None
    return config


_TOKENS = {"bos_token_id": "bos_token_id", "eos_token_id": "eos_token_id", "pad_token_id": "padding_token_id"}


def _rope(fields: Fields, part: float) -> Config:
    rope: Config = {"rope_type": "default", "rope_theta": fields.number("rope.freq_base", 10_000.0, above=0)}
    if part != 1:
        rope["partial_rotary_factor"] = part
    kind = fields.text("rope.scaling.type", "none")
    if kind in ("linear", "yarn"):
        rope |= {"rope_type": kind, "factor": fields.number("rope.scaling.factor", above=0)}
    if kind == "yarn":
        rope["original_max_position_embeddings"] = fields.integer("rope.scaling.original_context_length")
        for key, name in (
            ("yarn_attn_factor", "attention_factor"),
            ("yarn_beta_fast", "beta_fast"),
            ("yarn_beta_slow", "beta_slow"),
        ):
            if fields.has(f"rope.scaling.{key}"):
                rope[name] = fields.number(f"rope.scaling.{key}")
    elif kind == "none" and fields.has("rope.scaling.type"):
        # Said to be none, as of Hunyuan, whose frequency base is scaled already: the others change nothing.
        fields.number("rope.scaling.factor", 1.0)
        fields.integer("rope.scaling.original_context_length", 0)
    elif kind not in ("none", "linear", "longrope"):
        fields.expect("rope.scaling.type", kind, "none, linear, yarn or longrope")
    return rope


def rope_factors(file: Gguf, config: Config) -> list[float] | None:
    """By what each rotary frequency is divided, where a file says it by a tensor, as Llama 3's do."""
    info = file.tensors.get("rope_freqs.weight")
    if info is None:
        return None
    count = config["head_dim"] // 2
    if info.shape != (count,):
        raise file.fault("shape of tensor 'rope_freqs.weight'", info.shape, str((count,)))
    return _floats(file, "rope_freqs.weight", count)


def _floats(file: Gguf, name: str, count: int) -> list[float]:
    """A tensor of positive floats."""
    info = file.tensors.get(name)
    if info is None or info.shape != (count,) or info.block.name != "F32":
        raise file.fault(f"tensor {name!r}", "missing" if info is None else info, f"{count} numbers in F32")
    values: list[float] = file.data(info).clone().view(torch.float32).flatten().tolist()
    if not all(0 < value < 1e30 for value in values):
        raise file.fault(f"tensor {name!r}", values, "positive numbers")
    return values
