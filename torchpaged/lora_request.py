"""LoRARequest: names the adapter that a request runs with."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from torchpaged.errors import ConfigError


@dataclass(frozen=True, slots=True)
class LoRARequest:
    """An adapter of low rank (LoRA) by name. Fields, their order and equality, which is by name, follow vLLM's.

    Args:
        lora_name: name of the adapter.
        lora_int_id: its number, 1 or more, by which it is removed and pinned; adapters of other files have others.
        lora_path: folder in peft's or torchtune's format, or llama.cpp's file NAME.gguf; "": the engine knows the name
            from `add_lora` or `update_lora`. A known name is read again when its files have changed.
        base_model_name: name of the base model, for listings.
        load_inplace: make `add_lora` read the files again even if they have not changed.
        is_3d_lora_weight: accepted for vLLM's scripts; the names in the file say how experts are stored.

    Raises:
        ConfigError: a value has the wrong type or is out of its range; the message has name, value and limit.
    """

    lora_name: str
    lora_int_id: int = field(compare=False)
    lora_path: str = field(default="", compare=False)
    base_model_name: str | None = field(default=None, compare=False)
    load_inplace: bool = field(default=False, compare=False)
    is_3d_lora_weight: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        self._require("lora_name", isinstance(self.lora_name, str) and bool(self.lora_name), "a text, not empty")
        number = self.lora_int_id
        self._require("lora_int_id", type(number) is int and 1 <= number < 2**63, "an integer of 1 or more")
        if isinstance(self.lora_path, os.PathLike):
            object.__setattr__(self, "lora_path", os.fspath(self.lora_path))
        self._require("lora_path", isinstance(self.lora_path, str), "a folder, or '' for an adapter that is known")
        self._require("base_model_name", isinstance(self.base_model_name, (str, type(None))), "a text or None")
        for name in ("load_inplace", "is_3d_lora_weight"):
            self._require(name, isinstance(getattr(self, name), bool), "True or False")

    def _require(self, name: str, condition: bool, expected: str) -> None:
        if not condition:
            raise ConfigError(f"LoRARequest: {name} is {getattr(self, name)!r:.80}, expected {expected}")

    @property
    def adapter_id(self) -> int:
        """`lora_int_id`, by vLLM's other name."""
        return self.lora_int_id

    @property
    def name(self) -> str:
        """`lora_name`, by vLLM's other name."""
        return self.lora_name

    @property
    def path(self) -> str:
        """`lora_path`, by vLLM's other name."""
        return self.lora_path
