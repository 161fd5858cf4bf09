"""The names and layouts that an architecture's weights have in a GGUF file, beside transformers'."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from torchpaged.integrations.checkpoints.gguf.metadata import BLOCK, Config, Fields
from torchpaged.weights.gguf_file import Gguf

# What is no module's weight.
_PARAMETERS = (
    ".sinks",
    ".A_log",
    ".dt_bias",
    ".D",
    ".e_score_correction_bias",
    ".expert_bias",
    "layer_scalar",
    ".correct_output_scale",
)
# Tensors that are read with the config.
_OF_THE_CONFIG = ("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight")


class Weight(NamedTuple):
    """Where one of a model's weights comes from.

    Args:
        tensors: one, or several of which each row (each expert's rows) are put behind the last one's.
        rows: of the weight, where in the tensors they stand; None: in order.
        change: of a float tensor, what the model has in its place.
        columns: of a weight with two dimensions, where in the tensor they stand; None: in order.
        joined: what is made of several tensors, as floats, that are not put behind each other; in order of their names.
        rows_of: how many rows a tensor has of which `rows` are some; None: as many.
        value: of a weight that is in no tensor but in a key.
        part: which matrix of a tensor with three dimensions it is; None: all.
    """

    tensors: tuple[str, ...]
    rows: Tensor | None = None
    change: Callable[[Tensor], Tensor] | None = None
    columns: Tensor | None = None
    joined: Callable[[Sequence[Tensor]], Tensor] | None = None
    rows_of: int | None = None
    value: Tensor | None = None
    part: int | None = None


@dataclass(frozen=True, slots=True)
class Architecture:
    """
    Args:
        model_type: of transformers.
        config: beyond what all have.
        names: of a layer's modules, by llama.cpp's; of several whose weights lie in one tensor a tuple.
        outer: of the modules that are no layer's; of several that are the matrices of a tensor a tuple.
        layers: the path of the layers.
        permuted: whether pairs of rotated rows of q and k are neighbours in the file, and half a head apart here.
        centred: whether norms are stored as w + 1.
        partial: whether only some of a head's dimensions may be rotated.
        transposed: modules that keep [inputs, outputs].
        placed: of a layer's tensor, by llama.cpp's name of the module, the tensor's, its shape and the config: where it
            stands, if that is not as of all families. Of several modules the names are "NAME.0", "NAME.1", ...
        keyed: by the model's names what is no tensor but in keys.
        guesses: whether layers that guess further tokens may be behind the others.
    """

    model_type: str
    config: Callable[[Fields, Config], Config] = field(default=lambda fields, common: {})
    names: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    outer: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    layers: str = "model.layers"
    permuted: bool = False
    centred: bool = False
    partial: bool = False
    transposed: tuple[str, ...] = ()
    placed: Callable[[str, str, tuple[int, ...], Config], Weight | None] = lambda *_: None
    keyed: Callable[[Gguf, Config], dict[str, Weight]] = lambda file, config: {}
    guesses: bool = False

    def weights(self, file: Gguf, config: Config) -> dict[str, Weight]:
        """By the model's names. Raises ModelError for a tensor that the architecture has not got."""
        found = self.keyed(file, config)
        for tensor in file.tensors:
            if tensor in _OF_THE_CONFIG or self.is_guessing(tensor, config):
                continue
            named = self._names(tensor)
            if not named:
                raise file.fault(f"tensor {tensor!r}", "there", f"none: {self.model_type!r} has no such weight")
            for number, (name, leaf) in enumerate(named.items()):
                if name in found:  # the other half: gates are before ups, and keys before values
                    others = (*found[name].tensors, tensor)
                    found[name] = found[name]._replace(tensors=tuple(sorted(others)))
                else:
                    found[name] = self._weight(tensor, leaf, file, config)
                if isinstance(self.outer.get(leaf), tuple):
                    found[name] = found[name]._replace(part=number)
        return found

    def is_guessing(self, tensor: str, config: Config) -> bool:
        """Whether it is of a layer behind the model's own."""
        block = BLOCK.fullmatch(tensor) if self.guesses else None
        return block is not None and int(block[1]) >= config["num_hidden_layers"]

    def _names(self, tensor: str) -> dict[str, str]:
        """llama.cpp's name of the module by the model's name of the weight."""
        if (match := BLOCK.fullmatch(tensor)) is None:
            leaf, _, kind = tensor.rpartition(".")
            outer = {**_OUTER, **self.outer}.get(leaf, ())
            return {f"{each}.{kind}": leaf for each in ((outer,) if isinstance(outer, str) else outer)}
        number, leaf, kind = match.groups()
        modules = {**_DECODER, **self.names}.get(f"{leaf}.scale" if kind == "scale" else leaf, "")
        if not isinstance(modules, str):
            return {f"{self.layers}.{number}.{each}.{kind}": f"{leaf}.{i}" for i, each in enumerate(modules)}
        name = _of_module(f"{self.layers}.{number}.{modules}", kind) if modules else None
        return {name: leaf} if name else {}

    def _weight(self, tensor: str, leaf: str, file: Gguf, config: Config) -> Weight:
        shape = file.tensors[tensor].shape
        if (found := self.placed(leaf, tensor, shape, config)) is not None:
            return found
        if self.permuted and leaf in ("attn_q", "attn_k"):
            heads = config["num_attention_heads" if leaf == "attn_q" else "num_key_value_heads"]
            if shape[0] % (2 * heads):
                raise file.fault(f"rows of tensor {tensor!r}", shape[0], f"a multiple of 2 x {heads} heads")
            return Weight((tensor,), torch.arange(shape[0]).view(heads, -1, 2).transpose(1, 2).flatten())
        if self.centred and tensor.endswith("norm.weight"):
            return Weight((tensor,), change=_minus_one)
        if leaf in self.transposed and tensor.endswith(".weight"):
            return Weight((tensor,), change=_transposed)
        if leaf == "shortconv.conv":
            return Weight((tensor,), change=in_the_middle)
        if leaf == "ffn_gate_inp_shexp":
            return Weight((tensor,), change=_as_row)
        return Weight((tensor,))


def _of_module(path: str, kind: str | None) -> str | None:
    """The name of its weight, bias or scale."""
    if "experts." in path and "shared_experts." not in path:
        return path if kind == "weight" else f"{path}_{kind}"
    if kind == "scale" or path.endswith((*_PARAMETERS, ".weight")):
        return path
    return None if kind is None else f"{path}.{kind}"


def _minus_one(values: Tensor) -> Tensor:
    return values.float() - 1


def _transposed(values: Tensor) -> Tensor:
    return values.T


def in_the_middle(values: Tensor) -> Tensor:
    """Of a convolution of each channel alone."""
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
    "ffn_gate_up_exps": "mlp.experts.gate_up_proj",
    "ffn_down_exps": "mlp.experts.down_proj",
    "ffn_gate_inp_shexp": "mlp.shared_expert_gate",
    "ffn_gate_shexp": "mlp.shared_expert.gate_proj",
    "ffn_up_shexp": "mlp.shared_expert.up_proj",
    "ffn_down_shexp": "mlp.shared_expert.down_proj",
}
