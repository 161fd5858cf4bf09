"""The adapters of a command: `--lora NAME=PATH`, and the one that each prompt runs under."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from torchpaged.errors import InputError, did_you_mean
from torchpaged.lora_request import LoRARequest
from torchpaged.serving.lora_modules import parse_all
from torchpaged.tools.completion_file import BadPrompt
from torchpaged.utils.paths import expanded

if TYPE_CHECKING:
    from torchpaged.llm import LLM


class Adapters:
    """Adapters by name, numbered in their order.

    Args:
        texts: values of --lora.

    Attributes:
        requests: what `LLM.generate` needs, by name.

    Raises:
        ConfigError: as `parse_all`.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._modules = {module.name: module for module in parse_all(texts)}
        self.requests = {
            name: LoRARequest(name, number, expanded(module.path))
            for number, (name, module) in enumerate(self._modules.items(), start=1)
        }

    def load(self, llm: LLM) -> None:
        """Load all of them, so that a broken one is reported before any prompt is computed.

        Raises:
            ModelError, ConfigError: as `LLM.add_lora`.
        """
        for request in self.requests.values():
            llm.add_lora(request)

    def of_records(self, records: Sequence[Mapping[str, Any]]) -> list[LoRARequest | None]:
        """Return the adapter of each prompt: the one that its record names as `lora`, or the only one.

        Raises:
            InputError: a record names no adapter and there are several, or one that was not given.
        """
        return [self._of_record(number, record) for number, record in enumerate(records)]

    def _of_record(self, number: int, record: Mapping[str, Any]) -> LoRARequest | None:
        if isinstance(record["prompt"], BadPrompt):
            return None
        if "lora" not in record:
            if len(self.requests) > 1:
                raise InputError(
                    f"prompt {number} names no adapter, and --lora gives {len(self.requests)}; a line of --prompts "
                    'names its own: {"prompt": "...", "lora": "NAME"}, or null for none'
                )
            return next(iter(self.requests.values()), None)
        name = record["lora"]
        if name is None:
            return None
        if not isinstance(name, str) or name not in self.requests:
            hint = did_you_mean(str(name), self.requests)
            raise InputError(
                f"prompt {number} names the adapter {name!r:.80}, expected one that --lora gives"
                f"{hint or ' (' + ', '.join(self.requests) + ')' if self.requests else ': --lora NAME=PATH'}"
            )
        return self.requests[name]

    def identity(self, request: LoRARequest | None) -> dict[str, Any]:
        """Return what a completion depends on beside its other settings; nothing without an adapter."""
        return {} if request is None else {"lora": self._modules[request.lora_name].identity()}
