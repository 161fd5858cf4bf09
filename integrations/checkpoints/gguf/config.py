"""Makes the config values of a GGUF file's model.

Keys and tensors that an architecture does not use are refused: ignoring them could give wrong output silently.
"""

from __future__ import annotations

from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.gguf.architectures import ARCHITECTURES
from torchpaged.integrations.checkpoints.gguf.metadata import BLOCK, Config, Fields, floats
from torchpaged.integrations.checkpoints.gguf.tensor_names import Architecture
from torchpaged.weights.gguf_file import Gguf


def config_of(file: Gguf) -> tuple[Architecture, Config]:
    """Find the architecture of a file, and make the arguments of its config.

    Raises:
        ModelError: an unknown architecture, or a key that is missing, contradicts the tensors or is not supported.
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
    _require_usual(fields, config)
    _expect_long_factors(fields, config)
    fields.require_all_asked()
    return architecture, config


def _require_usual(fields: Fields, config: Config) -> None:
    """Raise ModelError for values that no architecture supports."""
    fields.expect("attention.causal", fields.boolean("attention.causal", True), True)
    experts = fields.integer("expert_count", 0, least=0)
    used = fields.integer("expert_used_count", 0, least=0)
    fields.expect("expert_used_count", used, min(used, experts))
    if "n_group" not in config:  # the architecture has no groups of experts
        groups = fields.integer("expert_group_count", 1, least=0)
        fields.expect("expert_group_count", groups, min(groups, 1))
        fields.integer("expert_group_used_count", 1, least=0)


def _expect_long_factors(fields: Fields, config: Config) -> None:
    """Raise ModelError for LongRoPE's tensors or key in an architecture without LongRoPE."""
    if config["rope_parameters"].get("rope_type") == "longrope":
        return
    for name in ("rope_factors_long.weight", "rope_factors_short.weight"):
        if fields.there(name):
            raise fields.file.fault(f"tensor {name!r}", "there", f"none in {fields.prefix!r}")
    if (kind := fields.value("rope.scaling.type")) == "longrope":
        raise fields.file.fault(
            "rope.scaling.type", kind, f"another in {fields.prefix!r}, or 'rope_factors_long.weight'"
        )


def _common(fields: Fields, architecture: Architecture) -> Config:
    """Make the config values that all architectures share."""
    vocab, hidden = fields.tensor("token_embd.weight", 2)
    fields.expect("embedding_length", fields.integer("embedding_length"), hidden)
    blocks = {match[1] for name in fields.file.tensors if (match := BLOCK.fullmatch(name))}
    fields.expect("block_count", fields.integer("block_count"), len(blocks))
    nextn = fields.integer("nextn_predict_layers", 0, least=0) if architecture.nextn else 0
    layers = len(blocks) - nextn
    fields.expect("nextn_predict_layers", nextn, min(nextn, len(blocks) - 1))
    heads = fields.integer("attention.head_count")
    head_dim = _head_dim(fields, max(1, hidden // heads))
    config: Config = {
        "vocab_size": vocab,
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": _kv_heads(fields, heads),
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
    elif rotated % 2 or rotated > head_dim:
        raise fields.file.fault(f"{fields.prefix}.rope.dimension_count", rotated, f"an even number up to {head_dim}")
    config["rope_parameters"] = _rope(fields, rotated / head_dim)
    for name, key in _TOKENS.items():
        number = fields.file.metadata.get(f"tokenizer.ggml.{key}")
        config[name] = number if type(number) is int and 0 <= number < vocab else None
    return config


_TOKENS = {"bos_token_id": "bos_token_id", "eos_token_id": "eos_token_id", "pad_token_id": "padding_token_id"}


def _rope(fields: Fields, part: float) -> Config:
    """Make `rope_parameters`; `part` of a head is rotated."""
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
        # Hunyuan says "none" since its frequency base is scaled already; the other keys have no effect then.
        fields.number("rope.scaling.factor", 1.0)
        fields.integer("rope.scaling.original_context_length", 0, least=0)
    elif kind not in ("none", "linear", "longrope"):
        fields.expect("rope.scaling.type", kind, "none, linear, yarn or longrope")
    return rope


def _head_dim(fields: Fields, default: int) -> int:
    """Return the size of a head; for latent attention that of its rotated part."""
    size = fields.integer("attention.key_length", default)
    if fields.has("attention.kv_lora_rank"):
        rank, rotated = fields.integer("attention.kv_lora_rank"), fields.integer("rope.dimension_count")
        fields.expect("attention.key_length", size, rank + rotated)
        fields.expect("attention.value_length", fields.integer("attention.value_length", rank), rank)
        return rotated
    fields.expect("attention.value_length", fields.integer("attention.value_length", size), size)
    return size


def _kv_heads(fields: Fields, heads: int) -> int:
    """Return the largest number of key/value heads of any layer."""
    name = "attention.head_count_kv"
    if not fields.by_layer(name):
        return fields.integer(name, heads)
    found = fields.numbers(name, fields.integer("block_count"))
    if not all(isinstance(each, int) and 0 <= each <= heads for each in found) or not max(found):
        raise fields.file.fault(f"{fields.prefix}.{name}", found, "a number of heads for each layer")
    return int(max(found))


def rope_factors(file: Gguf, config: Config) -> list[float] | None:
    """Read the divisors of rotary frequencies, which some files have as a tensor, such as Llama 3's; else None."""
    info, rope = file.tensors.get("rope_freqs.weight"), config["rope_parameters"]
    if info is None or rope.get("full_attention", {}).get("rope_type") == "proportional":  # Gemma 4's config has them
        return None
    if "full_attention" in rope or rope.get("rope_type") == "longrope":
        raise file.fault("tensor 'rope_freqs.weight'", "there", "none: it is not known which frequencies it divides")
    count = int(config["head_dim"] * rope.get("partial_rotary_factor", 1)) // 2
    if info.shape != (count,):
        raise file.fault("shape of tensor 'rope_freqs.weight'", info.shape, str((count,)))
    return floats(file, "rope_freqs.weight", count)
