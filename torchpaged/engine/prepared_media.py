"""Images and sounds of a prepared model: transformers' code computes with the towers' tensors, which the entry holds.

Nothing of transformers is imported before the first prompt with an item: texts need neither towers nor processor.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from torchpaged.engine.prepared_cache import NotPrepared
from torchpaged.engine_args import LoadOptions
from torchpaged.errors import ModelError
from torchpaged.integrations.transformers.deferred_imports import deferring
from torchpaged.media.items import MediaItem, PromptMedia
from torchpaged.models.model import MediaEncoder, MediaProcessor, PagedModel, media_encoder_of
from torchpaged.weights.tensor_file import TensorWriter


def written_media(model: Any, tensors: TensorWriter) -> dict[str, Any]:
    """Return what an entry's record holds of a model's towers and processor, and add the towers' tensors.

    Args:
        model: a `TransformersModel`.

    Raises:
        NotPrepared: the towers cannot be built without the checkpoint's own code, or written.
    """
    encoder, processor, towers, values = model.media_encoder, model.media_processor, None, None
    if encoder is not None:
        try:
            name, own = encoder.towers()
            towers = {
                "class": name,
                "modalities": sorted(encoder.modalities),
                "tensors": {each: tensors.add(tensor) for each, tensor in own.items()},
                "packed": [None if each is None else tensors.add(each) for each in encoder.products.weights()],
            }
        except (ModelError, ValueError) as error:  # a tensor that cannot be written
            raise NotPrepared(str(error)) from error
    if processor is not None:
        values = {
            "modalities": sorted(processor.modalities),
            "placeholders": dict(processor.placeholders),
            "placeholder_ids": sorted(processor.placeholder_ids),
            "sampling_rate": processor.sampling_rate,
            "chat_template": processor.chat_template,
        }
    return {"refusal": model.media_refusal, "towers": towers, "processor": values}


class PreparedMediaEncoder:
    """`MediaEncoder` of a prepared model. Its towers are built at the first item.

    Args:
        towers: of the record.
        tensors: of the entry, by number.
        loaded: returns the model that runs instead of the prepared one; None while there is none.
        config: returns the whole model's config.
        dtype: of the model.

    Attributes:
        modalities: `MediaEncoder.modalities`.
    """

    def __init__(
        self,
        towers: Mapping[str, Any],
        tensors: Sequence[Tensor],
        loaded: Callable[[], PagedModel | None],
        config: Callable[[], Any],
        dtype: torch.dtype,
    ) -> None:
        self.modalities = frozenset(towers["modalities"])
        self._towers, self._tensors = towers, tensors
        self._loaded, self._config, self._dtype = loaded, config, dtype
        self._own: MediaEncoder | None = None

    def encode(self, item: MediaItem) -> Tensor:
        """Return the features of one item: `MediaEncoder.encode`."""
        if (loaded := self._loaded()) is not None:
            self._own = None
            encoder = media_encoder_of(loaded)
            assert encoder is not None
            return encoder.encode(item)
        if self._own is None:
            self._own = self._built()
        return self._own.encode(item)

    @deferring()
    def _built(self) -> MediaEncoder:
        """Build the towers, with transformers' classes."""
        from torchpaged.integrations.transformers.media_encoder import of_towers

        tensors = {name: self._tensors[number] for name, number in self._towers["tensors"].items()}
        packed = [None if number is None else self._tensors[number] for number in self._towers["packed"]]
        return of_towers(self._towers["class"], self._config(), self._dtype, tensors, packed)

    def forget_weights(self) -> None:
        """Tell the model that runs instead that its weights have changed; a prepared model's do not."""
        loaded = self._loaded()
        if loaded is not None and (encoder := media_encoder_of(loaded)) is not None:
            encoder.forget_weights()


@dataclass(frozen=True, slots=True)
class ReadsProcessor:
    """A call that reads a checkpoint's processor, as a value: processes of a server send it to each other.

    Args:
        path: of the checkpoint, or a hub id.
        trust_remote_code: of the engine.
        options: how the checkpoint is found and read.
    """

    path: str
    trust_remote_code: bool
    options: LoadOptions

    @deferring()
    def __call__(self) -> MediaProcessor:
        """Read the processor. ModelError if that is not possible any more."""
        from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
        from torchpaged.integrations.transformers.checkpoint_processor import checkpoint_processor
        from torchpaged.integrations.transformers.media_processor import media_processor

        checkpoint = Checkpoint.resolve(self.path, trust_remote_code=self.trust_remote_code, options=self.options)
        return media_processor(checkpoint_processor(checkpoint), checkpoint.config)


class PreparedMediaProcessor:
    """`MediaProcessor` of a prepared model. The checkpoint's processor is read at the first prompt with an item.

    Args:
        values: of the record.
        read: reads the processor.

    Attributes:
        modalities, placeholders, placeholder_ids: as in `MediaProcessor`.
        sampling_rate: of sounds, samples a second; None: the model takes none.
        chat_template: as in `TransformersMediaProcessor`.
    """

    def __init__(self, values: Mapping[str, Any], read: ReadsProcessor) -> None:
        self.modalities = frozenset(values["modalities"])
        self.placeholders: Mapping[str, str] = values["placeholders"]
        self.placeholder_ids = frozenset(values["placeholder_ids"])
        self.sampling_rate: int | None = values["sampling_rate"]
        self.chat_template: str | None = values["chat_template"]
        self._values, self._read, self._lock = values, read, threading.Lock()
        self._own: MediaProcessor | None = None

    def __reduce__(self) -> Any:
        """Pickle without the processor that was read."""
        return PreparedMediaProcessor, (self._values, self._read)

    def process(
        self, label: str, prompt: str | Sequence[int], media: Mapping[str, Sequence[Any]], options: Mapping[str, Any]
    ) -> tuple[list[int], PromptMedia]:
        """Return the tokens of a prompt and its items: `MediaProcessor.process`."""
        with self._lock:
            if self._own is None:
                self._own = self._read()
        return self._own.process(label, prompt, media, options)
