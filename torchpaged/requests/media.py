"""MediaReader: makes tokens and encoder inputs of prompts with images, sounds or videos, by their processor."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from torchpaged.config import EngineConfig
from torchpaged.errors import MissingPackageError, RequestError, did_you_mean, reason_of
from torchpaged.media.fetching import MediaFetcher, is_web_address
from torchpaged.media.items import PromptMedia
from torchpaged.media.limits import LIMITS, MediaLimits
from torchpaged.media.reading import image_from, sound_from
from torchpaged.media.video import is_video, video_from
from torchpaged.models.model import MediaProcessor

MODALITIES = ("image", "audio", "video")
# Keys of prompts with media, under vLLM's names, and of one whose media have been read.
DATA, OPTIONS, UUIDS, READ = "multi_modal_data", "mm_processor_kwargs", "multi_modal_uuids", "media"
KEYS = (DATA, OPTIONS, UUIDS, READ)
NO_VIDEOS = "; videos are read by some model types, with torchvision installed (pip install 'torchpaged[video]')"
# vLLM's limit of items of a modality in a prompt.
_MOST = 999


def has_media(prompt: Any) -> bool:
    """Return True for a prompt with images or sounds that are not read yet."""
    return isinstance(prompt, Mapping) and prompt.get(DATA) is not None


def has_addresses(prompt: Mapping[str, Any]) -> bool:
    """Return True if files of a prompt are fetched over a network."""
    data = prompt[DATA]
    return isinstance(data, Mapping) and any(
        any(map(is_web_address, _several(each, str(modality)))) for modality, each in data.items()
    )


class MediaReader:
    """Reads the images and sounds of prompts. It keeps nothing of them. Thread-safe.

    Args:
        processor: of the checkpoint.
        config: of the engine: limits, and allowed places of files.
        limits: of the sizes of files.
    """

    def __init__(self, processor: MediaProcessor, config: EngineConfig, limits: MediaLimits = LIMITS) -> None:
        self._processor, self._limits, self._lock = processor, limits, threading.Lock()
        self._most = dict(config.limit_mm_per_prompt or {})
        self._options = dict(config.mm_processor_kwargs or {})
        folder = config.allowed_local_media_path or None
        self._fetcher = MediaFetcher(folder, config.allowed_media_domains or (), limits)

    def read(
        self, label: str, prompt: Mapping[str, Any], contents: str | Sequence[int], options: Mapping[str, Any]
    ) -> tuple[list[int], PromptMedia] | None:
        """Fetch, decode and process the media of a prompt; return its tokens, and the items. None: it has no media.

        Threads may call it at once: files are fetched side by side, and decoded one prompt after the other, which
        bounds the memory.

        Args:
            label: name of the request in messages.
            prompt: has multi_modal_data.
            contents: its text, or its tokens with one placeholder for each item.
            options: of the tokenizer.

        Raises:
            RequestError: media that the model does not read, too many, or one that cannot be read.
        """
        media = self._fetched(label, prompt)
        if not media:
            return None
        with self._lock:
            return self._process(label, prompt, media, contents, options)

    def _fetched(self, label: str, prompt: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Return the items of a prompt by modality, with the bytes of a file instead of its name."""
        media = self._items(label, prompt)
        deadline, left = time.monotonic() + self._limits.seconds, self._limits.num_bytes
        for modality, items in media.items():
            for number, item in enumerate(items):
                if isinstance(item, (str, os.PathLike)):
                    with _of_item(label, modality, number):
                        item = items[number] = self._fetcher.read(item, left, deadline)
                if isinstance(item, (bytes, bytearray, memoryview)):
                    left -= memoryview(item).nbytes
                    if left < 0:
                        raise RequestError(
                            f"{label}: the files of multi_modal_data have more than {self._limits.num_bytes} bytes "
                            "together"
                        )
        return media

    def _process(
        self,
        label: str,
        prompt: Mapping[str, Any],
        media: Mapping[str, list[Any]],
        contents: str | Sequence[int],
        options: Mapping[str, Any],
    ) -> tuple[list[int], PromptMedia]:
        """Decode the items, and process them with the prompt."""
        given = prompt.get(OPTIONS) or {}
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise RequestError(
                f"{label}: {OPTIONS} is {given!r:.80}, expected a dictionary of the processor's arguments"
            )
        decoded = {modality: self._decoded(label, modality, items) for modality, items in media.items()}
        every = {**options, **self._options, **given}
        try:
            return self._processor.process(label, contents, decoded, every)
        except RequestError:
            raise
        except Exception as error:  # a processor may raise anything, and only this request is affected
            raise RequestError(
                f"{label}: the processor failed on the prompt: {type(error).__name__}: {error!s:.300}"
            ) from error

    def require_no_placeholders(self, label: str, token_ids: Sequence[int]) -> None:
        """Raise RequestError if a prompt without media has a token that stands for a part of one."""
        found = self._processor.placeholder_ids.intersection(token_ids)
        if found:
            token = min(found)
            raise RequestError(
                f"{label}: the prompt has the placeholder token {token} {token_ids.count(token)} times and no "
                f"multi_modal_data; give an item for each placeholder, or leave them out"
            )

    def _items(self, label: str, prompt: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Return the items by modality, checked for their numbers."""
        if prompt.get(UUIDS):
            raise RequestError(
                f"{label}: the prompt has {UUIDS}, expected none: items are known by a hash of their contents"
            )
        data = prompt[DATA]
        if not isinstance(data, Mapping):
            raise RequestError(f"{label}: {DATA} is {data!r:.80}, expected a dictionary such as {{'image': [...]}}")
        media = {}
        for modality, given in data.items():
            if given is None:
                continue
            if modality not in self._processor.modalities:
                known = sorted(self._processor.modalities)
                hint = NO_VIDEOS if modality == "video" else did_you_mean(str(modality), known)
                raise RequestError(
                    f"{label}: {DATA} has {modality!r:.80}, and the model reads {' and '.join(known)}{hint}"
                )
            items, most = _several(given, modality), self._most.get(modality, _MOST)
            if len(items) > most:
                raise RequestError(
                    f"{label}: {DATA} has {len(items)} items of type {modality}, expected at most {most} "
                    "(limit_mm_per_prompt)"
                )
            if items:
                media[modality] = list(items)
        return media

    def _decoded(self, label: str, modality: str, items: list[Any]) -> list[Any]:
        """Return decoded items. Each is dropped from the list: nothing is kept twice."""
        decoded: list[Any] = []
        total = 0
        for number in range(len(items)):
            item, items[number] = items[number], None
            with _of_item(label, modality, number):
                if modality == "image":
                    image = image_from(item, self._limits)
                    total += image.width * image.height
                    decoded.append(image)
                elif modality == "video":
                    video = video_from(item, self._limits)
                    total += video.num_pixels
                    decoded.append(video)
                else:
                    sound = sound_from(item, getattr(self._processor, "sampling_rate", None), self._limits)
                    total += len(sound[0])
                    decoded.append(sound)
            is_sound = modality == "audio"
            most = self._limits.samples if is_sound else self._limits.all_pixels
            if total > most:
                raise RequestError(
                    f"{label}: {modality} 0 to {number} have {total} {'samples' if is_sound else 'pixels'} together, "
                    f"expected at most {most} in a prompt"
                )
        return decoded


def _several(given: Any, modality: str) -> Sequence[Any]:
    """Return the items of a value that may be one or several.

    A pair (samples, rate) is one sound, and a pair (frames, metadata) or a list of images one video.
    """
    if modality == "video" and is_video(given):
        return [given]
    return given if isinstance(given, list) or (isinstance(given, tuple) and modality == "image") else [given]


@contextmanager
def _of_item(label: str, modality: str, number: int) -> Iterator[None]:
    """Turn errors of reading an item into errors of its request."""
    try:
        yield
    except MissingPackageError:
        raise
    except ValueError as error:
        raise RequestError(f"{label}: {modality} {number}: {error}") from error
    except MemoryError as error:
        raise RequestError(f"{label}: {modality} {number}: there is no memory to decode it") from error
    except Exception as error:  # an image that Pillow has not decoded yet, or a tensor, may raise anything
        raise RequestError(f"{label}: {modality} {number} cannot be read: {reason_of(error)}") from error
