"""Divides a model's weights over ranks, as plain tensors: modules keep their code and get local shapes.

Attention is divided by heads, so that each rank caches its own heads alone; MLPs and experts by their inner size, after
transformers' plan (`tp_plan`) or, for `_OWN_PLANS`, by the usual names; embedding and head by tokens. All else is whole
on each rank. Modules whose result is a sum over ranks, or a part of it, are wrapped: `Reduced`, `Gathered` and
`VocabRows`.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from torchpaged.errors import ConfigError
from torchpaged.ops.collectives import Group
from torchpaged.weights.lora_adapter import LoraAdapter, LoraWeight

# Model types whose divided logits are those of the whole model; tests/execution/test_ranks.py compares each. Modules of
# the others use their sizes in other ways.
DIVIDED = frozenset(
    {
        *("apertus", "arcee", "aria_text", "axk1", "bamba", "biogpt", "bloom", "cohere", "cohere2", "cohere2_moe"),
        *("cwm", "deepseek_v2", "deepseek_v3", "deepseek_v32", "dots1", "ernie4_5", "ernie4_5_moe", "exaone4"),
        *("exaone_moe", "falcon", "falcon_h1", "flex_olmo", "flint", "gemma", "gemma2", "gemma3_text"),
        *("gemma4_unified_text", "glm", "glm4", "glm4_moe", "glm4_moe_lite", "glm_moe_dsa", "gpt2", "gpt_neo"),
        *("gpt_neox", "gpt_neox_japanese", "gpt_oss", "gptj", "granite", "granite_swa", "granitemoe"),
        *("granitemoe_swa", "granitemoehybrid", "granitemoeshared", "helium", "hunyuan_v1_dense", "hunyuan_v1_moe"),
        *("hy_v3", "hyperclovax", "internlm3", "iquestcoder", "jais2", "jamba", "kolibri1", "lfm2", "lfm2_moe"),
        *("llama", "mellum", "minicpm3", "minimax_m2", "ministral", "ministral3", "mistral", "mixtral", "mpt"),
        *("nanochat", "nemotron", "nemotron_h", "olmo", "olmo2", "olmo3", "olmoe", "opt", "persimmon", "phi"),
        *("phi3", "phimoe", "qwen2", "qwen2_moe", "qwen3", "qwen3_5_moe_text", "qwen3_5_text", "qwen3_moe"),
        *("qwen3_next", "seed_oss", "smollm3", "solar_open", "stablelm", "starcoder2", "vaultgemma", "youtu"),
        "zamba2",
    }
)
# Model types without a plan, or with one that leaves out what can be divided.
_OWN_PLANS = ("bloom", "falcon", "gpt2", "gpt_oss", "mpt", "phi3")
# Projections of an attention module and its output, by the form of the first: see `_Divider._attention`.
_OUTPUTS = ("o_proj", "out_proj", "dense", "c_proj")
_FUSED_BY_GROUP, _FUSED_BY_KIND = ("query_key_value",), ("qkv_proj", "c_attn", "Wqkv")
# Names of an MLP's projections: inputs, inputs of which two are packed side by side, output.
_MLPS: Sequence[tuple[Sequence[str], Sequence[str], str]] = (
    (("gate_proj", "up_proj"), (), "down_proj"),
    ((), ("gate_up_proj",), "down_proj"),
    (("up_proj",), (), "down_proj"),
    (("fc1",), (), "fc2"),
    (("c_fc",), (), "c_proj"),
    (("dense_h_to_4h",), (), "dense_4h_to_h"),
)
# Attributes in which modules keep sizes that a division changes.
_HEADS = ("num_heads", "num_attention_heads", "n_heads", "n_head")
_KV_HEADS = ("num_key_value_heads", "num_kv_heads")


@dataclass(frozen=True, slots=True)
class Cut:
    """A rank's part of a tensor.

    Args:
        dim: the dimension that is divided.
        parts: (first, count) of the whole tensor's indices, in order.
        size: of the part; zeros stand behind `parts` if there are fewer.
        is_zero: if the part is zeros: one rank adds a bias, not each.
    """

    dim: int
    parts: tuple[tuple[int, int], ...]
    size: int
    is_zero: bool = False

    def of(self, whole: Any) -> Tensor:
        """Return the part of a tensor, or of a slice of safetensors, which reads no more than that."""
        shape = whole.shape if isinstance(whole, Tensor) else whole.get_shape()
        place = self.dim % len(shape)

        def run(first: int, count: int) -> Tensor:
            index = (*[slice(None)] * place, slice(first, first + count))
            found: Tensor = whole[index]
            return found

        found = [run(first, count) for first, count in self.parts if count]
        missing = self.size - sum(count for _, count in self.parts)
        if missing:
            like = found[0] if found else run(0, 1)
            sizes = list(like.shape)
            sizes[place] = missing
            found.append(like.new_zeros(sizes))
        part = torch.cat(found, self.dim) if len(found) > 1 else found[0].clone()
        return torch.zeros_like(part) if self.is_zero else part.contiguous()


class LinearCut(NamedTuple):
    """A rank's part of a linear module: of its inputs, or else of its outputs."""

    of_inputs: bool
    cut: Cut


@dataclass(slots=True)
class Division:
    """The result of a division.

    Args:
        cuts, shapes: a rank's part and the whole shape of each parameter that is divided, by its name in the whole
            model.
        linears: likewise of linear modules.
    """

    cuts: dict[str, Cut] = field(default_factory=dict)
    shapes: dict[str, torch.Size] = field(default_factory=dict)
    linears: dict[str, LinearCut] = field(default_factory=dict)

    @staticmethod
    def whole_name(name: str) -> str:
        """Return the name that a parameter or a module had before the division."""
        return name.replace(".inner.", ".").removeprefix("inner.").removesuffix(".inner")

    def part(self, name: str, value: Tensor) -> Tensor:
        """Return a rank's part of a whole parameter."""
        return self.cuts[name].of(value) if name in self.cuts else value

    def linear_shape(self, name: str, own: tuple[int, int]) -> tuple[int, int]:
        """Return (out_features, in_features) of a whole linear module; `own` is that of the rank's part."""
        if name not in self.linears:
            return own
        of_inputs, cut = self.linears[name]
        whole = self.shapes[f"{name}.weight"][cut.dim]
        return (own[0], whole) if of_inputs else (whole, own[1])

    def adapter_part(self, adapter: LoraAdapter, names: Mapping[str, str]) -> LoraAdapter:
        """Return a rank's part of an adapter of the whole model: `b` has its outputs, `a` its inputs.

        Args:
            names: of the rank's modules, by that in the whole model.
        """
        modules = {}
        for name, weight in adapter.modules.items():
            a, b = weight.a, weight.b
            if name in self.linears:
                of_inputs, cut = self.linears[name]
                a, b = (replace(cut, dim=1).of(a), b) if of_inputs else (a, replace(cut, dim=0).of(b))
            modules[names[name]] = LoraWeight(a, b, weight.scale)
        return LoraAdapter(adapter.content, adapter.rank, modules)


class Reduced(nn.Module):
    """A module whose results are summed over ranks."""

    def __init__(self, inner: nn.Module, group: Group) -> None:
        super().__init__()
        self.inner = inner
        self.__dict__["group"] = group

    def forward(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the sum of the ranks' results."""
        group: Group = self.__dict__["group"]
        return group.all_reduce(self.inner(*args, **kwargs))


class WholeExperts(nn.Module):
    """Experts of which a rank has some, each of them whole.

    Args:
        inner: transformers' module, with this rank's experts. An index behind them has no effect.
        first, count: experts of this rank, of so many in all.
    """

    place: Tensor
    is_own: Tensor

    def __init__(self, inner: nn.Module, group: Group, first: int, count: int, size: int) -> None:
        super().__init__()
        self.inner = inner
        # Tables, as in `VocabRows`.
        own = torch.arange(size, device="cpu")[:, None] - first
        is_own = (own >= 0) & (own < count)
        self.register_buffer("place", torch.where(is_own, own, count), persistent=False)
        self.register_buffer("is_own", is_own.to(next(inner.parameters()).dtype), persistent=False)
        self.__dict__["group"] = group
        self.mask(True)

    def mask(self, is_masked: bool) -> None:
        """Have transformers' forward clear rows of others' experts, which packed products do by themselves."""
        inner: Any = self.inner
        inner._is_expert_parallel = is_masked

    def forward(self, hidden_states: Tensor, top_k_index: Tensor, top_k_weights: Tensor) -> Tensor:
        """Map [tokens, hidden] to [tokens, hidden], summed over ranks; indices and weights are [tokens, k]."""
        group: Group = self.__dict__["group"]
        place, is_own = (nn.functional.embedding(top_k_index, each)[..., 0] for each in (self.place, self.is_own))
        return group.all_reduce(self.inner(hidden_states, place, top_k_weights * is_own))


class Gathered(nn.Module):
    """A head with a rank's part of the tokens.

    Args:
        size: number of tokens.
    """

    def __init__(self, inner: nn.Module, group: Group, size: int) -> None:
        super().__init__()
        self.inner, self.size = inner, size
        self.__dict__["group"] = group

    def forward(self, x: Tensor) -> Tensor:
        """Map [.., hidden_size] to [.., vocab_size]."""
        group: Group = self.__dict__["group"]
        return group.all_gather(self.inner(x))[..., : self.size]


class VocabRows(nn.Module):
    """An embedding with a rank's part of the tokens.

    Args:
        size: number of tokens.
        first, count: tokens of this rank.
    """

    place: Tensor
    is_own: Tensor

    def __init__(self, inner: nn.Module, group: Group, size: int, first: int, count: int) -> None:
        super().__init__()
        self.inner = inner
        # Tables instead of comparisons: programs of the C++ library look rows up, and have no operators with scalars.
        own = torch.arange(size, device="cpu")[:, None] - first
        is_own = (own >= 0) & (own < count)
        self.register_buffer("place", own * is_own, persistent=False)
        self.register_buffer("is_own", is_own.to(self.weight.dtype), persistent=False)
        self.__dict__["group"] = group

    @property
    def weight(self) -> Any:
        """The rank's rows, of which models ask the dtype."""
        return self.inner.weight

    def forward(self, input_ids: Tensor) -> Tensor:
        """Map tokens of any shape to [.., hidden_size]: one rank has a token's row, the others add zeros."""
        group: Group = self.__dict__["group"]
        place, is_own = (nn.functional.embedding(input_ids, each) for each in (self.place, self.is_own))
        return group.all_reduce(self.inner(place[..., 0]) * is_own)


class DividedRMSNorm(nn.Module):
    """An RMSNorm over the heads of all ranks.

    Args:
        weight: of this rank's heads.
        copies: ranks that have the same heads.
    """

    def __init__(self, weight: nn.Parameter, eps: float, size: int, group: Group, copies: int) -> None:
        super().__init__()
        self.weight, self.eps, self.size, self.copies = weight, eps, size, copies
        self.__dict__["group"] = group

    def forward(self, x: Tensor) -> Tensor:
        """Normalise [.., heads * head_dim]."""
        group: Group = self.__dict__["group"]
        values = x.float()
        squares = group.all_reduce(values.pow(2).sum(-1, keepdim=True)) / (self.size * self.copies)
        return (self.weight * (values * torch.rsqrt(squares + self.eps))).to(x.dtype)


def divide(model: PreTrainedModel, group: Group, *, whole_experts: bool = False) -> Division:
    """Divide a model in place, on the meta device or with its weights.

    Args:
        whole_experts: give each rank some experts, instead of a part of each.

    Raises:
        ConfigError: its heads or inner sizes cannot be divided by the number of ranks, nothing of it is known, or its
            weights are quantised.
    """
    return _Divider(model, group, whole_experts).run()


class _Divider:
    """One call of `divide`."""

    def __init__(self, model: PreTrainedModel, group: Group, whole_experts: bool) -> None:
        self._model, self._group, self._whole_experts = model, group, whole_experts
        self._rank, self._world = group.rank, group.world
        self._config = model.config.get_text_config(decoder=True)
        self._kind = self._config.model_type
        plan: Mapping[str, str] = getattr(model, "tp_plan", None) or {}
        self._plan = {name: style for name, style in plan.items() if not style.startswith("replicated")}
        self._done = Division()
        self._configs: dict[int, Any] = {}  # local copies, by the whole model's

    def run(self) -> Division:
        """Divide all that is known."""
        if self._kind not in DIVIDED:
            raise ConfigError(
                f"LLM: tensor_parallel_size is {self._world}, but a model of type {self._kind!r} cannot be divided, "
                f"expected one of {', '.join(sorted(DIVIDED))}"
            )
        divided = 0
        for path, module in list(self._model.named_modules()):
            divided += self._attention(path, module)
            self._mlp(path, module)
            self._experts(path, module)
        if not divided:
            raise ConfigError(
                f"LLM: tensor_parallel_size is {self._world}, but no attention of {type(self._model).__name__} has "
                "projections of known names; expected 1"
            )
        if self._whole_experts and not any(isinstance(each, WholeExperts) for each in self._model.modules()):
            raise ConfigError(
                f"LLM: enable_expert_parallel is True, but {type(self._model).__name__} has no experts that are known "
                "to be divided; leave it out"
            )
        self._vocabulary()
        return self._done

    # --- Attention -----------------------------------------------------------------------------------------

    def _attention(self, path: str, module: Any) -> bool:
        """Divide an attention module's heads; False for any other module."""
        children = dict(module.named_children())
        output = next((name for name in _OUTPUTS if name in children), None)
        fused = next((name for name in (*_FUSED_BY_GROUP, *_FUSED_BY_KIND) if name in children), None)
        latent = "kv_b_proj" in children
        if output is None or not (fused or latent or {"q_proj", "k_proj", "v_proj"} <= children.keys()):
            return False
        heads = self._number(module, _HEADS)
        of_module = fused is not None and fused != "qkv_proj"  # a config of such a model may have any number
        kv_heads = heads if latent else self._number(module, _KV_HEADS, heads, of_module=of_module)
        if heads is None or kv_heads is None:
            return False
        if heads % self._world or (kv_heads % self._world and self._world % kv_heads):
            raise ConfigError(
                f"LLM: tensor_parallel_size is {self._world}, but {path} has {heads} heads, {kv_heads} of keys and "
                "values; expected a divisor of the first, and of the second or a multiple"
            )
        queries = self._share(heads)
        keys = self._share(kv_heads)
        if latent:
            for name in ("q_proj", "q_b_proj", "kv_b_proj"):
                if name in children:
                    self._columns(path, module, name, self._units(children[name], heads, [queries]))
        elif fused is None:
            for name, number, own in (("q_proj", heads, queries), *((n, kv_heads, keys) for n in ("k_proj", "v_proj"))):
                self._columns(path, module, name, self._units(children[name], number, [own]))
        elif fused in _FUSED_BY_GROUP:
            self._columns(path, module, fused, self._by_group(children[fused], heads, kv_heads))
        else:
            parts = [queries, (heads + keys[0], keys[1]), (heads + kv_heads + keys[0], keys[1])]
            self._columns(path, module, fused, self._units(children[fused], heads + 2 * kv_heads, parts))
        self._rows(path, module, output, *self._units(children[output], heads, [queries], inputs=True))
        self._norms(path, module, {"q_norm": (heads, queries), "k_norm": (kv_heads, keys)})
        if isinstance(getattr(module, "sinks", None), nn.Parameter):
            self._cut(path, module, "sinks", Cut(0, (queries,), queries[1]))
        module.divided_heads = (queries[0], heads)
        self._set(
            module, {**dict.fromkeys(_HEADS, (heads, queries[1])), **dict.fromkeys(_KV_HEADS, (kv_heads, keys[1]))}
        )
        if hasattr(module, "num_key_value_groups"):
            module.num_key_value_groups = queries[1] // keys[1]
        if fused == "c_attn":
            module.split_size = children[fused].nf // 3
        if fused == "qkv_proj":
            if id(module.config) not in self._configs:
                local = self._configs[id(module.config)] = copy.copy(module.config)
                local.num_attention_heads, local.num_key_value_heads = queries[1], keys[1]
            module.config = self._configs[id(module.config)]
        return True

    def _number(
        self, module: nn.Module, names: Sequence[str], otherwise: int | None = None, *, of_module: bool = False
    ) -> int | None:
        """Return the first of these numbers that a module has, or its config unless `of_module`."""
        for owner in (module,) if of_module else (module, getattr(module, "config", self._config)):
            for name in names:
                if isinstance(found := getattr(owner, name, None), int):
                    return found
        return otherwise

    def _share(self, count: int) -> tuple[int, int]:
        """Return (first, number) of a rank's heads; with fewer heads than ranks, several have the same one."""
        if count >= self._world:
            return self._rank * (count // self._world), count // self._world
        return self._rank * count // self._world, 1

    def _units(
        self, linear: nn.Module, count: int, own: Sequence[tuple[int, int]], *, inputs: bool = False
    ) -> list[tuple[int, int]]:
        """Scale runs of heads to runs of features."""
        unit = _features(linear)[0 if inputs else 1] // count
        return [(first * unit, number * unit) for first, number in own]

    def _by_group(self, linear: nn.Module, heads: int, kv_heads: int) -> list[tuple[int, int]]:
        """Return the features of a projection that has queries, key and value of one KV head after the other."""
        per_group = heads // kv_heads
        unit = _features(linear)[1] // (kv_heads * (per_group + 2))
        first, count = self._share(kv_heads)
        size = (per_group + 2) * unit
        if kv_heads >= self._world:
            return [(first * size, count * size)]
        ranks = self._world // kv_heads
        own = per_group // ranks * unit
        return [(first * size + self._rank % ranks * own, own), (first * size + per_group * unit, 2 * unit)]

    def _norms(self, path: str, module: Any, by_name: Mapping[str, tuple[int, tuple[int, int]]]) -> None:
        """Divide norms of queries and keys that have numbers for each head."""
        for name, (count, own) in by_name.items():
            norm: Any = getattr(module, name, None)
            weight = getattr(norm, "weight", None)
            if weight is None or weight.shape[0] == getattr(module, "head_dim", None) or weight.numel() % count:
                continue
            unit = weight.shape[0] // count
            cut = Cut(0, ((own[0] * unit, own[1] * unit),), own[1] * unit)
            self._cut(f"{path}.{name}", norm, "weight", cut)
            if weight.dim() > 1:
                continue  # each head is normalised by itself
            if not type(norm).__name__.endswith("RMSNorm"):
                raise ConfigError(
                    f"LLM: tensor_parallel_size is {self._world}, but {path}.{name} is a {type(norm).__name__} over "
                    "all heads; expected 1"
                )
            eps = getattr(norm, "variance_epsilon", getattr(norm, "eps", None))
            copies = max(1, self._world // count)
            setattr(module, name, DividedRMSNorm(norm.weight, float(eps or 0), weight.shape[0], self._group, copies))

    # --- MLPs and experts ----------------------------------------------------------------------------------

    def _mlp(self, path: str, module: nn.Module) -> None:
        children = dict(module.named_children())
        for plain, packed, output in _MLPS:
            names = (*plain, *packed, output)
            if all(_is_linear(children.get(name)) for name in names) and self._is_planned(path, names):
                break
        else:
            return
        inner = _features(children[output])[0]
        own = self._even(f"{path}.{output}", inner)
        for name in plain:
            self._columns(path, module, name, [own])
        for name in packed:
            self._columns(path, module, name, [own, (inner + own[0], own[1])])
        self._rows(path, module, output, own)

    def _is_planned(self, path: str, names: Sequence[str]) -> bool:
        """Tell if a plan divides these modules as a whole."""
        wildcard = re.sub(r"\d+", "*", path)
        planned = [self._plan.get(f"{wildcard}.{name}") for name in names]
        return all(planned) or self._kind in _OWN_PLANS

    def _even(self, what: str, size: int) -> tuple[int, int]:
        if size % self._world:
            raise ConfigError(
                f"LLM: tensor_parallel_size is {self._world}, but {what} has {size} inputs; expected a divisor"
            )
        return self._rank * (size // self._world), size // self._world

    def _experts(self, path: str, module: Any) -> None:
        """Divide each expert of a module with stacked weights."""
        leaf = "gate_up_proj" if getattr(module, "has_gate", True) else "up_proj"
        up, down = getattr(module, leaf, None), getattr(module, "down_proj", None)
        if not (isinstance(up, nn.Parameter) and isinstance(down, nn.Parameter) and up.dim() == down.dim() == 3):
            return
        style = self._plan.get(re.sub(r"\d+", "*", path))
        if style != "moe_tp_experts" and self._kind not in _OWN_PLANS:
            return
        if self._whole_experts:
            self._some_experts(path, module)
            return
        transposed = bool(getattr(module, "is_transposed", self._kind == "gpt_oss"))
        inner = down.shape[1 if transposed else 2]
        first, count = self._even(f"{path}.down_proj", inner)
        parts: tuple[tuple[int, int], ...] = ((first, count),)
        if leaf == "gate_up_proj":
            alternate = self._kind == "gpt_oss"  # gate and up
            parts = ((2 * first, 2 * count),) if alternate else (*parts, (inner + first, count))
        size = sum(number for _, number in parts)
        if up.shape[2 if transposed else 1] != size * self._world:
            raise ConfigError(f"LLM: tensor_parallel_size is {self._world}, but {path} is of unknown shape; expected 1")
        self._cut(path, module, leaf, Cut(2 if transposed else 1, parts, size))
        self._cut(path, module, "down_proj", Cut(1 if transposed else 2, ((first, count),), count))
        if isinstance(bias := getattr(module, "gate_up_proj_bias", None), nn.Parameter):
            self._cut(path, module, "gate_up_proj_bias", Cut(1, parts, size))
            bias = module.down_proj_bias
            whole = ((0, bias.shape[-1]),)
            self._cut(path, module, "down_proj_bias", Cut(bias.dim() - 1, whole, bias.shape[-1], self._rank > 0))
        self._set(module, dict.fromkeys(("intermediate_size", "intermediate_dim", "expert_dim"), (inner, count)))
        self._model.set_submodule(path, Reduced(module, self._group))

    def _some_experts(self, path: str, module: Any) -> None:
        """Keep some experts of a module."""
        size: int = module.num_experts
        if size % self._world:
            raise ConfigError(
                f"LLM: enable_expert_parallel is True and tensor_parallel_size is {self._world}, but {path} has {size} "
                "experts; expected a divisor"
            )
        count = size // self._world
        own = ((self._rank * count, count),)
        for leaf, weight in list(module.named_parameters(recurse=False)):
            if weight.shape[0] == size:  # rows of others' experts get a bias too: of zeros, behind the own ones
                self._cut(path, module, leaf, Cut(0, own, count + leaf.endswith("_bias")))
        module.num_experts = count
        self._model.set_submodule(path, WholeExperts(module, self._group, self._rank * count, count, size))

    # --- Embedding and head --------------------------------------------------------------------------------

    def _vocabulary(self) -> None:
        embedding, head = self._model.get_input_embeddings(), self._model.get_output_embeddings()
        paths = {id(module): path for path, module in self._model.named_modules()}
        is_tied = head is not None and head.weight is embedding.weight
        size = embedding.weight.shape[0]
        for module in (embedding, head):
            if not isinstance(module, (nn.Embedding, nn.Linear)) or id(module) not in paths:
                continue
            count = -(-size // self._world)
            first = min(size, self._rank * count)
            cut = Cut(0, ((first, min(count, size - first)),), count)
            path = paths[id(module)]
            for leaf in ("weight", "bias"):
                if getattr(module, leaf, None) is not None and getattr(module, leaf).shape[0] == size:
                    self._cut(path, module, leaf, cut)
            if is_tied:
                head.weight = embedding.weight
            wrapped: nn.Module
            if isinstance(module, nn.Linear):
                module.out_features = count
                wrapped = Gathered(module, self._group, size)
            else:
                module.num_embeddings, module.padding_idx = count, None
                wrapped = VocabRows(module, self._group, size, self._rank * count, count)
            self._model.set_submodule(path, wrapped)

    # --- Tensors -------------------------------------------------------------------------------------------

    def _columns(self, path: str, parent: nn.Module, name: str, own: Sequence[tuple[int, int]]) -> None:
        """Keep some outputs of a linear module."""
        linear = self._linear(path, parent, name)
        size = sum(count for _, count in own)
        cut = Cut(_dims(linear)[1], tuple(own), size)
        self._done.linears[f"{path}.{name}"] = LinearCut(False, cut)
        self._cut(f"{path}.{name}", linear, "weight", cut)
        if linear.bias is not None:
            self._cut(f"{path}.{name}", linear, "bias", Cut(0, tuple(own), size))
        setattr(linear, "nf" if isinstance(linear, Conv1D) else "out_features", size)

    def _rows(self, path: str, parent: nn.Module, name: str, own: tuple[int, int]) -> None:
        """Keep some inputs of a linear module, whose results are then summed."""
        linear = self._linear(path, parent, name)
        cut = Cut(_dims(linear)[0], (own,), own[1])
        self._done.linears[f"{path}.{name}"] = LinearCut(True, cut)
        self._cut(f"{path}.{name}", linear, "weight", cut)
        if linear.bias is not None:
            size = linear.bias.shape[0]
            self._cut(f"{path}.{name}", linear, "bias", Cut(0, ((0, size),), size, self._rank > 0))
        setattr(linear, "nx" if isinstance(linear, Conv1D) else "in_features", own[1])
        setattr(parent, name, Reduced(linear, self._group))

    def _linear(self, path: str, parent: nn.Module, name: str) -> Any:
        linear = getattr(parent, name)
        if not _is_linear(linear) or hasattr(linear.weight.data, "__tensor_flatten__"):
            raise ConfigError(
                f"LLM: tensor_parallel_size is {self._world}, but {path}.{name} is quantised; load a checkpoint of "
                "floats, and set quantization"
            )
        return linear

    def _cut(self, path: str, module: Any, leaf: str, cut: Cut) -> None:
        name = f"{path}.{leaf}".removeprefix(".")
        self._done.cuts[name], self._done.shapes[name] = cut, getattr(module, leaf).shape
        setattr(module, leaf, nn.Parameter(cut.of(getattr(module, leaf).data), requires_grad=False))

    @staticmethod
    def _set(module: Any, sizes: Mapping[str, tuple[int, int]]) -> None:
        """Replace sizes of the whole model by local ones."""
        for name, (whole, own) in sizes.items():
            if getattr(module, name, None) == whole:
                setattr(module, name, own)


def _is_linear(module: nn.Module | None) -> bool:
    return isinstance(module, (nn.Linear, Conv1D))


def _dims(linear: nn.Module) -> tuple[int, int]:
    """Return the weight's dimensions of inputs and outputs."""
    return (0, 1) if isinstance(linear, Conv1D) else (1, 0)


def _features(linear: Any) -> tuple[int, int]:
    """Return the numbers of inputs and outputs."""
    inputs, outputs = _dims(linear)
    return linear.weight.shape[inputs], linear.weight.shape[outputs]
