"""Names of an adapter's tensors, as peft and torchtune spell them."""

from __future__ import annotations

from dataclasses import dataclass

PREFIX = "base_model.model."
# torchtune's names of the parts of a layer.
TORCHTUNE = {
    "attn": "self_attn",
    "output_proj": "o_proj",
    "w1": "gate_proj",
    "w2": "down_proj",
    "w3": "up_proj",
    "output": "lm_head",
}
# Modules that torch wraps around others: DistributedDataParallel, compile, FSDP, activation checkpointing.
_WRAPPERS = ("module", "_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")


@dataclass(frozen=True, slots=True)
class Key:
    """The parsed name of a tensor.

    Args:
        module: as the model names it.
        half: "a" or "b".
        adapter: peft's name of the adapter, if the tensor's name has it.
        is_torchtune: whether it is spelled as torchtune spells it.
    """

    module: str
    half: str
    adapter: str
    is_torchtune: bool


def unwrapped(name: str) -> str:
    """Return a name of a state dict without the modules that torch wraps around others, and without peft's prefix."""
    parts = name.split(".")
    first = next((i for i, part in enumerate(parts) if part not in _WRAPPERS), 0)
    return ".".join(part for part in parts[first:] if part not in _WRAPPERS[1:]).removeprefix(PREFIX)


def parse(name: str) -> Key | str:
    """Return the parsed name of one half of an update; for other names the reason why they are not read."""
    parts = name.removeprefix(PREFIX).split(".")
    at = next((i for i, part in enumerate(parts) if part.startswith("lora_")), None)
    kind, rest = (parts[at], parts[at + 1 :]) if at is not None else ("", [])
    if at is None or kind not in ("lora_A", "lora_B", "lora_a", "lora_b") or rest[-1:] != ["weight"] or len(rest) > 2:
        return _reason(parts, kind, rest)
    is_torchtune = kind.islower()
    module = parts[:at]
    if is_torchtune:
        module = ["model"] * (module[:1] == ["layers"]) + [TORCHTUNE.get(each, each) for each in module]
    return Key(".".join(module), kind[-1].lower(), rest[0] if len(rest) == 2 else "", is_torchtune)


def _reason(parts: list[str], kind: str, rest: list[str]) -> str:
    if kind.startswith("lora_embedding"):
        return "but embeddings are not adapted; merge the adapter into the model"
    if kind.startswith("lora_magnitude") or parts[-1] == "magnitude":
        return "but DoRA's magnitudes are not supported; merge the adapter into the model"
    if kind in ("lora_B", "lora_b") and rest[-1:] == ["bias"]:
        return "but a bias of lora_B is not added; train without lora_bias"
    if not {"lora_down", "lora_up", "lora_mid"}.isdisjoint(parts) or parts[-1] == "alpha":
        return "in kohya's format (lora_down, lora_up, alpha); convert the adapter to peft's"
    if not kind and parts[-1] in ("weight", "bias"):
        return (
            "which replaces a weight of the model (modules_to_save, save_embedding_layers or bias); only LoRA's "
            "tensors are read: save without it, or merge the adapter into the model"
        )
    return f"expected names like {PREFIX}<module>.lora_A.weight"
