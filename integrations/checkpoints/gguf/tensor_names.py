"""Maps the tensors of a GGUF file to transformers' weights: names and layouts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from torchpaged.integrations.checkpoints.gguf.metadata import BLOCK, Config, Fields
from torchpaged.weights.gguf_file import Gguf

# Ends of the names of parameters that belong to no linear, embedding or norm module.
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
# Tensors that the config is made with.
_OF_THE_CONFIG = ("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight")


class Weight(NamedTuple):
    """The tensors that a weight of a model is made of, and how.

    Args:
        tensors: names; the rows (for experts, each expert's rows) of several are concatenated.
        rows: indices of the weight's rows in the tensors; None: in order.
        change: function of the float tensor, applied last.
        columns: indices of a two-dimensional weight's columns; None: in order.
        joined: joins several tensors, as floats and in the order of their names, instead of concatenating them.
        rows_of: number of rows of the tensors, if `rows` are only some of them.
        value: the weight itself, if it comes from a key.
        part: index of the matrix in a three-dimensional tensor; None: all.
    """

    tensors: tuple[str, ...]
    rows: Tensor | None = None
    change: Callable[[Tensor], Tensor] | None = None
    columns: Tensor | None = None
    joined: Callable[[Sequence[Tensor]], Tensor] | None = None
    rows_of: int | None = None
    value: Tensor | None = None
    part: int | None = None


class Order(NamedTuple):
    """Rows and columns of a tensor that a weight is made of; None: all, in order."""

    rows: Tensor | None
    columns: Tensor | None


@dataclass(frozen=True, slots=True)
class Architecture:
    """An architecture of GGUF files as a model type of transformers.

    Args:
        model_type: of transformers.
        config: makes the config values that not all architectures have.
        names: of a layer's modules, by llama.cpp's; a tuple if one tensor has the weights of several.
        outer: of modules outside the layers; a tuple if the matrices of one tensor belong to several.
        layers: the path of the layers.
        permuted: whether rotated pairs of rows of q and k are neighbours in the file, and half a head apart here.
        centred: whether norms are stored as w + 1.
        partial: whether only some of a head's dimensions may be rotated.
        transposed: modules that keep [inputs, outputs].
        placed: maps a layer's tensor if its layout is special: a function of llama.cpp's name of the module ("NAME.0",
            "NAME.1", ... if it is several), the tensor's name, its shape and the config values.
        keyed: makes the weights that come from keys, by the model's names.
        nextn: whether layers for multi-token prediction may follow the others.
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
    nextn: bool = False

    def weights(self, file: Gguf, config: Config) -> dict[str, Weight]:
        """Map all weights by the model's names. Raises ModelError for a tensor that the architecture does not have."""
        found = self.keyed(file, config)
        for tensor in file.tensors:
            if tensor in _OF_THE_CONFIG or self._is_nextn(tensor, config):
                continue
            named = self._names(tensor)
            if not named:
                raise file.fault(f"tensor {tensor!r}", "there", f"none: {self.model_type!r} has no such weight")
            for number, (name, leaf) in enumerate(named.items()):
                if name in found:  # the other half; in order of names gates precede ups, and keys values
                    others = (*found[name].tensors, tensor)
                    found[name] = found[name]._replace(tensors=tuple(sorted(others)))
                else:
                    found[name] = self._weight(tensor, leaf, file.tensors[tensor].shape, file, config)
                if isinstance(self.outer.get(leaf), tuple):
                    found[name] = found[name]._replace(part=number)
        return found

    def updated(self, tensor: str, shape: tuple[int, int], file: Gguf, config: Config) -> dict[str, Order]:
        """Map the weights that are made of a tensor of this shape, in an adapter's file, to their rows and columns.

        Raises:
            ModelError: the architecture has no such tensor, or its weights are more than rows and columns of it.
        """
        found = {}
        for name, leaf in self._names(tensor).items():
            weight = self._weight(tensor, leaf, shape, file, config)
            is_plain = weight.change in (None, _transposed) and weight.joined is None and weight.value is None
            if not is_plain or isinstance(self.outer.get(leaf), tuple):
                raise file.fault(f"update of {tensor!r}", "there", f"none: {name} is not made of its rows alone")
            rows = weight.rows_of or (shape[0] if weight.rows is None else len(weight.rows))
            columns = shape[1] if weight.columns is None else len(weight.columns)
            if (rows, columns) != shape:
                raise file.fault(f"shape of the update of {tensor!r}", shape, str((rows, columns)))
            found[name] = Order(weight.rows, weight.columns)
        if not found:
            raise file.fault(f"update of {tensor!r}", "there", f"none: {self.model_type!r} has no such weight")
        return found

    def _is_nextn(self, tensor: str, config: Config) -> bool:
        """Tell if a tensor belongs to a multi-token prediction layer."""
        block = BLOCK.fullmatch(tensor) if self.nextn else None
        return block is not None and int(block[1]) >= config["num_hidden_layers"]

    def _names(self, tensor: str) -> dict[str, str]:
        """Map the model's names of the weights in a tensor to llama.cpp's name of their module."""
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

    def _weight(self, tensor: str, leaf: str, shape: tuple[int, ...], file: Gguf, config: Config) -> Weight:
        """Map a tensor to a weight by the module's llama.cpp name."""
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
    """Return the name of a module's weight, bias or scale; None for a tensor without such an ending."""
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
    """Add the middle dimension of a depthwise convolution's weight."""
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
