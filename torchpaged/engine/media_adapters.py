"""MediaAdapters: the adapters of prompts with images or sounds that name none."""

from __future__ import annotations

import os
from collections.abc import Mapping

from torchpaged.engine.adapters import AdapterRegistry
from torchpaged.errors import ConfigError, RequestError
from torchpaged.lora_request import LoRARequest
from torchpaged.media.items import PromptMedia


class MediaAdapters:
    """Adapters by modality (`EngineConfig.default_mm_loras`). Their files are read at once.

    Args:
        folders: of the adapters, by modality.
        adapters: the engine's; None: it has none.
        modalities: of the items that the model takes.

    Raises:
        ConfigError: the model takes no such items.
        ModelError: an adapter cannot be read, or does not fit the model.
    """

    def __init__(
        self, folders: Mapping[str, str], adapters: AdapterRegistry | None, modalities: frozenset[str]
    ) -> None:
        self._requests: dict[str, LoRARequest] = {}
        for number, modality in enumerate(sorted(folders), start=1):
            if modality not in modalities:
                taken = f"takes {', '.join(sorted(modalities))} alone" if modalities else "takes texts alone"
                raise ConfigError(f"EngineConfig: default_mm_loras has {modality!r}, and the model {taken}")
            assert adapters is not None, "the config requires enable_lora"
            request = LoRARequest(modality, number, os.fspath(folders[modality]))
            adapters.reserve(request)  # no request and no update takes its name or number away
            adapters.resolve(request)
            self._requests[modality] = request

    def of(self, label: str, media: PromptMedia) -> LoRARequest | None:
        """Return the adapter of a prompt with these items; None: they need none.

        Raises:
            RequestError: its items have different ones.
        """
        found = sorted({item.modality for item in media.items} & self._requests.keys())
        if len(found) > 1:
            raise RequestError(
                f"{label}: the prompt has items of {' and '.join(map(repr, found))}, and default_mm_loras another "
                "adapter for each; name one (lora_request)"
            )
        return self._requests[found[0]] if found else None
