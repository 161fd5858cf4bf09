"""Reads prompts with images, sounds or videos by the checkpoint's own processor of transformers.

The processor makes the tokens of the whole prompt. Each item is processed alone, once: the result is remembered by the
item's content, and a prompt's tokens are made of remembered results.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
import transformers
from torch import Tensor
from transformers import MODEL_MAPPING, AutoProcessor, PretrainedConfig, ProcessorMixin
from transformers.models.auto.processing_auto import PROCESSOR_MAPPING, processor_class_from_name
from transformers.utils import is_torchvision_available

from torchpaged.errors import ModelError, RequestError, reason_of
from torchpaged.integrations.families import MediaFamily, media_family, seeing_config
from torchpaged.integrations.transformers.media_attention import tile_size
from torchpaged.integrations.transformers.media_encoder import feature_id
from torchpaged.integrations.transformers.page_processors import PAGES_TEMPLATE, is_of_pages, page_prompt
from torchpaged.integrations.transformers.sound_processors import reads_texts, texts_options, without_torchaudio
from torchpaged.media.items import MediaItem, PromptMedia
from torchpaged.media.limits import LIMITS

# Bytes of processed items that are remembered: 20 images of 1024 x 1024 pixels in float32.
_REMEMBERED_BYTES = 256 * 2**20
# Arguments of a processor that a request must not set: they are the prompt itself, or decide what the results are.
_OWN_OPTIONS = frozenset(
    [
        *("text", "images", "audio", "audios", "videos", "text_pair", "suffix", "max_length"),
        *("return_tensors", "return_dict", "return_mm_token_type_ids", "return_text_replacement_offsets"),
        *("padding", "truncation", "video_metadata"),
    ]
)


class _Processed(NamedTuple):
    """The processor's result for one item alone.

    Args:
        inputs: of the model's tower, by name.
        replacement: the text that replaces the item's placeholder.
        content: `MediaItem.content`.
    """

    inputs: Mapping[str, Tensor]
    replacement: str
    content: str

    @property
    def num_bytes(self) -> int:
        """Memory of its tensors."""
        return sum(each.numel() * each.element_size() for each in self.inputs.values())


class TransformersMediaProcessor:
    """A processor of transformers, as a `MediaProcessor`. Threads may share one: they take turns.

    Args:
        processor: of the checkpoint. It is copied, and the copy changed.
        config: of the whole model, or of the one in an embedder.
        family: of its model type.
        rope_index: the model's `get_rope_index`, for positions of several axes; see `rope_index_of`.

    Attributes:
        modalities, placeholders, placeholder_ids: as in `MediaProcessor`.
        sampling_rate: of sounds, samples a second; None: the model takes none.
        chat_template: of an embedder, whose tokenizer's is for chats; None for other models.
    """

    def __init__(
        self, processor: ProcessorMixin, config: PretrainedConfig, family: MediaFamily, rope_index: Any = None
    ) -> None:
        self._given_arguments = (processor, config, family, rope_index)
        self._processor = reads_texts(processor, config)
        self._tokenizer: Any = processor.tokenizer
        self._rope_index, self._whole_prompt = rope_index, family.whole_prompt
        self._least, self._sees_runs = family.least_features, family.attends_both_ways and not family.whole_prompt
        self._page_prompt = page_prompt(processor) if is_of_pages(processor) else None
        self.chat_template = None if self._page_prompt is None else PAGES_TEMPLATE
        self._tile_size = tile_size(config) if family.attends_to_tiles else 0
        self._lock = threading.Lock()
        self._remembered: OrderedDict[tuple[str, str], _Processed] = OrderedDict()
        self._used: dict[str, list[_Processed]] = {}  # of the prompt that is read, by modality
        self.modalities = frozenset(each for each in family.modalities if self._placeholder(each) is not None)
        placed = {"video": "image"} if family.frames_are_images else {}
        self._feature_ids = {each: feature_id(config, placed.get(each, each)) for each in self.modalities}
        self._texts: dict[str, str] = {each: str(self._placeholder(each)) for each in self.modalities}
        # None where the text is several tokens, as it may be for Aya Vision.
        self._text_ids = {each: self._single(text) for each, text in self._texts.items()}
        ids = (*self._feature_ids.values(), *self._text_ids.values())
        self.placeholder_ids = frozenset(each for each in ids if each is not None)
        self.placeholders: Mapping[str, str] = {each: self._with_ends(config, each) for each in self.modalities}
        self.sampling_rate: int | None = None
        if "audio" in self.modalities:
            self.sampling_rate = self._processor._audio_processor.sampling_rate
        images = getattr(processor, "image_processor", None)
        # SmolVLM's processor, and GLM-4V's model in transformers.
        self._takes_one_kind = family.frames_are_images and self._name != "InternVLProcessor"
        self._counts_images = "batch_num_images" in getattr(images, "model_input_names", ())
        methods = {"image": "_process_images", "audio": "_process_audio", "video": "_process_videos"}
        for modality, method in methods.items():
            if modality in self.modalities:
                setattr(self._processor, method, _Remembering(self, modality, getattr(self._processor, method)))

    def __reduce__(self) -> Any:
        """Pickle without a lock and what is remembered. Processes of a server send it to each other."""
        processor, config, family, rope_index = self._given_arguments
        kind = None if rope_index is None else type(rope_index.__self__)
        name = type(processor).__name__
        own = None if processor_class_from_name(name) is not None else type(processor)
        return _rebuilt, (name, own, dict(vars(processor)), config, family, kind)

    def _single(self, text: str) -> int | None:
        """Return the token of a text; None if it is not one."""
        found = self._ids(text)
        return found[0] if len(found) == 1 else None

    def _placeholder(self, modality: str) -> str | None:
        """Return the text that the processor replaces by an item's placeholders; None if it reads no such items."""
        if modality == "video" and getattr(self._processor, "video_processor", None) is None:
            return None
        own = getattr(self._processor, f"{modality}_placeholder_token", None)  # QianfanOCR's, beside that of features
        found: str | None = own or getattr(self._processor, f"{modality}_token", None)
        return found

    def _with_ends(self, config: PretrainedConfig, modality: str) -> str:
        """Return the text that a chat template would write for one item; of an embedder's image the whole prompt."""
        if self._page_prompt is not None:
            return self._page_prompt
        names = [(f"vision_{end}_token_id", f"im_{end}_id") for end in ("start", "end")]
        ends = [getattr(config, name, getattr(config, other, None)) for name, other in names]
        if modality == "audio" or None in ends:
            return str(getattr(self._processor, f"{modality}_in_chats", self._texts[modality]))
        before, after = self._tokenizer.convert_ids_to_tokens(ends)
        return f"{before}{self._texts[modality]}{after}"

    def process(
        self, label: str, prompt: str | Sequence[int], media: Mapping[str, Sequence[Any]], options: Mapping[str, Any]
    ) -> tuple[list[int], PromptMedia]:
        """Return the tokens of a prompt and its items: `MediaProcessor.process`."""
        given = {each: list(items) for each, items in media.items() if items}
        if self._page_prompt is not None and not prompt and len(given.get("image", ())) == 1:
            prompt = self._page_prompt
        self._check(label, prompt, given, options)
        with self._lock:
            self._used = {each: [] for each in given}
            try:
                if isinstance(prompt, str):
                    tokens = self._of_text(prompt, given, options)
                else:
                    tokens = self._of_tokens(prompt, given, options)
            except RequestError:
                raise
            except Exception as error:  # whatever the processor raises for an item or option that it cannot read
                raise RequestError(f"{label}: {self._name} cannot read the prompt: {reason_of(error)}") from error
            finally:
                used, self._used = self._used, {}
        items = self._items(label, tokens, used, self._order(prompt))
        return tokens, self._with_positions(label, tokens, items)

    @property
    def _name(self) -> str:
        return type(self._processor).__name__

    def _check(
        self, label: str, prompt: str | Sequence[int], media: Mapping[str, Sequence[Any]], options: Mapping[str, Any]
    ) -> None:
        """Raise RequestError for items that the model does not take, or another number of them than placeholders."""
        for modality in media.keys() - self.modalities:
            raise RequestError(
                f"{label}: multi_modal_data has {modality!r}, and the model takes {', '.join(sorted(self.modalities))}"
            )
        for _, rate in media.get("audio", ()):
            if rate != self.sampling_rate:
                raise RequestError(
                    f"{label}: multi_modal_data has a sound of {rate} samples a second, expected {self.sampling_rate}"
                )
        for number, image in enumerate(media.get("image", ())):
            self._require_resized(f"{label}: image {number}", image.size, options)
        if self._whole_prompt and len(media.get("image", ())) > 1:
            raise RequestError(
                f"{label}: multi_modal_data has {len(media['image'])} images, and the model takes one in a prompt"
            )
        if media.keys() >= {"image", "video"} and self._takes_one_kind:
            raise RequestError(
                f"{label}: multi_modal_data has images and videos, and the model takes one of them in a prompt"
            )
        if refused := sorted(_OWN_OPTIONS & options.keys()):
            raise RequestError(f"{label}: mm_processor_kwargs has {refused[0]!r}, which is not a setting; leave it out")
        for modality, text in self._texts.items():
            found = self._count(prompt, modality)
            given = len(media.get(modality, ()))
            if found != given and not (given and self._is_expanded(prompt, modality)):
                raise RequestError(
                    f"{label}: the prompt has {found} placeholders {text!r} and multi_modal_data has {given} of "
                    f"{modality!r}, expected one for each"
                )

    def _require_resized(self, label: str, size: tuple[int, int], options: Mapping[str, Any]) -> None:
        """Raise RequestError for an image that the processor would make too large.

        CLIP's gives the shorter side a length, so that a line of 1 x 100,000 pixels becomes one of 336 x 33,600,000,
        which takes 34 GB, before it cuts out the middle.
        """
        images = getattr(self._processor, "image_processor", None)
        wanted: Any = options.get("size", getattr(images, "size", None)) or {}
        shortest, longest = (
            wanted.get(name) if isinstance(wanted, Mapping) else getattr(wanted, name, None)
            for name in ("shortest_edge", "longest_edge")
        )
        if not isinstance(shortest, int) or longest or not options.get("do_resize", getattr(images, "do_resize", True)):
            return
        pixels = shortest**2 * max(size) // min(size)
        if pixels > LIMITS.pixels:
            raise RequestError(
                f"{label}: it has {size[0]} x {size[1]} pixels, of which {type(images).__name__} makes {pixels}, with "
                f"{shortest} on the shorter side; expected at most {LIMITS.pixels}; cut it"
            )

    def _count(self, prompt: str | Sequence[int], modality: str) -> int:
        if isinstance(prompt, str):
            return prompt.count(self._texts[modality])
        return sum(token == self._text_ids[modality] for token in prompt)

    def _order(self, prompt: str | Sequence[int]) -> list[str]:
        """Return the modality of each placeholder of a prompt."""
        if isinstance(prompt, str):
            found = [
                (place, modality)
                for modality, text in self._texts.items()
                for place in range(len(prompt))
                if prompt.startswith(text, place)
            ]
            return [modality for _, modality in sorted(found)]
        of_token = {token: modality for modality, token in self._text_ids.items()}
        return [of_token[token] for token in prompt if token in of_token]

    def _is_expanded(self, prompt: str | Sequence[int], modality: str) -> bool:
        """Tell if tokens have placeholders already as the processor writes them: one for each feature."""
        return not isinstance(prompt, str) and self._feature_ids[modality] in prompt

    def _of_text(self, text: str, media: Mapping[str, list[Any]], options: Mapping[str, Any]) -> list[int]:
        options = dict(options)
        # Chat templates write special tokens. Not all processors take the option, so it is given where it matters.
        if options.pop("add_special_tokens", True) is False and self._tokenizer.num_special_tokens_to_add():
            options["add_special_tokens"] = False
        found = self._processor(text=[text], return_tensors="pt", **{**self._given(media), **options})
        tokens: list[int] = found["input_ids"][0].tolist()
        return tokens

    def _given(self, media: Mapping[str, list[Any]]) -> dict[str, Any]:
        """Return the items as arguments of the processor."""
        given: dict[str, Any] = {}
        if "image" in media:
            # A list for each text, as chat templates give them; GOT-OCR takes lists for the pages of one document.
            given["images"] = media["image"] if self._name == "GotOcr2Processor" else [media["image"]]
        if "audio" in media:
            given["audio"], given["sampling_rate"] = [samples for samples, _ in media["audio"]], self.sampling_rate
        if "video" in media:
            given["videos"] = [each.frames for each in media["video"]]
            given["video_metadata"] = [each.metadata for each in media["video"]]
            given["do_sample_frames"] = False  # the frames that are given are the prompt's
            given["return_metadata"] = True  # Muse's processors need it, and do not ask for it
        return given

    def _of_tokens(
        self, tokens: Sequence[int], media: Mapping[str, list[Any]], options: Mapping[str, Any]
    ) -> list[int]:
        """Replace each placeholder by its item's, unless they are replaced already."""
        # The processor reads the items beside a text of placeholders alone; only its items are used.
        self._of_text("".join(self.placeholders[each] * len(items) for each, items in media.items()), media, options)
        texts = {each: self._numbered(each, options) for each in media}
        replaced: dict[int, Iterator[str]] = {}  # by the placeholder
        features = Counter(self._feature_ids[modality] for modality in media)
        for modality in media:
            feature, place = self._feature_ids[modality], self._text_ids[modality]
            is_written = feature != place and feature in tokens and features[feature] == 1
            if place is not None and not is_written and self._count(tokens, modality) == len(media[modality]):
                replaced[place] = iter(texts[modality])
        found: list[int] = []
        for token in self._without_wrappers(tokens) if "video" in media else tokens:
            found += self._ids(next(replaced[token])) if token in replaced else [token]
        return found

    def _without_wrappers(self, tokens: Sequence[int]) -> list[int]:
        """Drop the tokens around the placeholders of videos that the processor replaces too: Cosmos 3 Edge's."""
        wrapped = self._ids(self.placeholders["video"])
        if len(wrapped) != 3:
            return list(tokens)
        (text,), _ = self._processor.get_text_with_replacements([self.placeholders["video"]], [], ["x"])
        found: list[int] = []
        place = 0
        while place < len(tokens):
            is_wrapped = text == "x" and list(tokens[place : place + 3]) == wrapped
            found.append(wrapped[1] if is_wrapped else tokens[place])
            place += 3 if is_wrapped else 1
        return found

    def _numbered(self, modality: str, options: Mapping[str, Any]) -> list[str]:
        """Return the texts that replace the placeholders of a prompt; MiniCPM-V's begin with the item's number."""
        found = [each.replacement for each in self._used[modality]]
        number = getattr(self._processor, "_prepend_local_ids", None)
        if number is None or not options.get("use_image_id", self._processor.default_use_image_id):
            return found
        text = self._texts[modality]
        return list(number([text * len(found)], found, text))

    def _ids(self, text: str) -> list[int]:
        found: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return found

    def _items(
        self, label: str, tokens: Sequence[int], used: Mapping[str, list[_Processed]], order: Sequence[str]
    ) -> tuple[MediaItem, ...]:
        """Give the placeholders of a prompt to its items, in order.

        Args:
            tokens: with placeholders as the processor has written them.
            used: items by modality.
            order: the modality of each placeholder before that.
        """
        items = []
        for token in dict.fromkeys(self._feature_ids[each] for each in used):
            text = str(self._tokenizer.convert_ids_to_tokens(token))
            places = [place for place, each in enumerate(tokens) if each == token]
            own = {each: processed for each, processed in used.items() if self._feature_ids[each] == token}
            counts = {each: [one.replacement.count(text) for one in processed] for each, processed in own.items()}
            if sum(map(sum, counts.values())) != len(places):
                raise RequestError(
                    f"{label}: the prompt has {len(places)} placeholders for features of {' and '.join(own)}, and its "
                    f"items need {sum(map(sum, counts.values()))}"
                )
            kinds = [modality for modality, processed in own.items() for _ in processed]
            if len(own) > 1:
                written, kinds = kinds, [each for each in order if each in own]
                if sorted(kinds) != sorted(written):
                    raise RequestError(
                        f"{label}: the prompt's tokens do not tell images from videos; give one placeholder for each"
                    )
            left = {each: iter(enumerate(zip(counts[each], own[each], strict=True))) for each in own}
            for modality in kinds:
                number, (count, each) = next(left[modality])
                if count < self._least:
                    raise RequestError(
                        f"{label}: {modality} {number} has {count} features, expected at least {self._least}: it is "
                        "too short or too small"
                    )
                of_item, places = places[:count], places[count:]
                start, length = of_item[0], of_item[-1] - of_item[0] + 1
                if self._whole_prompt:
                    start, length = 0, len(tokens)
                gaps = None if length == count else tuple(place - start for place in of_item)
                runs = None if not self._sees_runs else () if modality == "audio" else _runs_of(gaps)
                items.append(MediaItem(modality, start, length, each.content, each.inputs, gaps, runs))
        items.sort(key=lambda item: item.start)
        return tuple(_joined_runs(items, self._tile_size) if self._tile_size else items)

    def _with_positions(self, label: str, tokens: list[int], items: tuple[MediaItem, ...]) -> PromptMedia:
        """Add positions of several axes, where the model has any."""
        if self._rope_index is None:
            return PromptMedia(items)
        for one, other in pairwise(items):
            if one.end == other.start and one.modality == other.modality:
                raise RequestError(
                    f"{label}: two items of type {one.modality} follow each other, and their positions are told apart "
                    f"by the tokens between them; write {self.placeholders[one.modality]!r} for each"
                )
        types = torch.tensor(self._processor.create_mm_token_type_ids([tokens]))
        grids = {}
        names = inspect.signature(self._rope_index).parameters
        for modality in ("image", "video"):
            name = f"{modality}_grid_thw"
            if name not in names:  # MiniCPM-V's
                name = "target_sizes" if modality == "image" else "target_sizes_videos"
            own = [item.inputs[name] for item in items if item.modality == modality]
            grids[name] = torch.cat(own) if own else None
        positions, delta = self._rope_index(torch.tensor([tokens]), mm_token_type_ids=types, **grids)
        return PromptMedia(items, positions[:, 0].T.contiguous().to(torch.int64), int(delta))

    def _read(self, modality: str, item: Any, process: Any, options: Mapping[str, Any], is_alone: bool) -> _Processed:
        """Process one item alone, unless that is remembered.

        Args:
            process: the processor's own method.
            options: of it.
            is_alone: True for the only item of a prompt: LLaVA-OneVision cuts no other image into patches.
        """
        twice = self._counts_images and not is_alone and modality == "image"
        key = (_hash(modality, item), repr((sorted(options.items(), key=lambda pair: pair[0]), twice)))
        found = self._remembered.get(key)
        if found is None:
            inputs, replacements = process([[item, item]] if twice else [item], **options)
            tensors = {name: _tensor(value) for name, value in inputs.items()}
            kept = {name: value for name, value in tensors.items() if value is not None}
            if twice:
                kept = {name: value[:1] for name, value in kept.items()}
            found = _Processed(kept, replacements[0], _hash(modality, kept))
            self._remembered[key] = found
            while sum(each.num_bytes for each in self._remembered.values()) > _REMEMBERED_BYTES:
                self._remembered.popitem(last=False)
        else:
            self._remembered.move_to_end(key)
        self._used[modality].append(found)
        return found


def _rebuilt(
    name: str,
    own: type[ProcessorMixin] | None,
    state: Mapping[str, Any],
    config: PretrainedConfig,
    family: MediaFamily,
    kind: type | None,
) -> TransformersMediaProcessor:
    """Unpickle: transformers' processor of this name, which may be a class that was made here."""
    made: Any = object.__new__(own or without_videos(available(processor_class_from_name(name))))
    vars(made).update(state)
    return TransformersMediaProcessor(made, config, family, None if kind is None else rope_index_of(kind, config))


def _runs_of(places: Sequence[int] | None) -> tuple[tuple[int, int], ...] | None:
    """Return the ranges [begin, end) of neighbouring places; None for None."""
    if places is None:
        return None
    found: list[tuple[int, int]] = []
    for place in places:
        if found and found[-1][1] == place:
            found[-1] = found[-1][0], place + 1
        else:
            found.append((place, place + 1))
    return tuple(found)


def _joined_runs(items: Sequence[MediaItem], tile_size: int) -> Iterator[MediaItem]:
    """Join images that follow each other: a token behind them sees all of them.

    Args:
        items: images with a placeholder each.
        tile_size: features of a tile of an image.
    """
    run: list[MediaItem] = []
    for item in items:
        if run and item.start != run[-1].end:
            yield _joined(run, tile_size)
            run = []
        run.append(item)
    if run:
        yield _joined(run, tile_size)


def _joined(run: Sequence[MediaItem], tile_size: int) -> MediaItem:
    content = run[0].content
    if len(run) > 1:
        content = hashlib.sha256(" ".join(each.content for each in run).encode()).hexdigest()
    rows = tuple(tile_size * int(each.inputs["aspect_ratio_mask"].sum()) for each in run)
    return MediaItem(
        run[0].modality, run[0].start, len(run), content, _together([each.inputs for each in run]), rows=rows
    )


class _Remembering:
    """A stand-in for a processor's own method that processes all images of a call: it processes each alone.

    Args:
        owner: remembers what is processed.
        modality: of the method.
        process: the processor's own method.
    """

    def __init__(self, owner: TransformersMediaProcessor, modality: str, process: Any) -> None:
        self._owner, self._modality, self._process = owner, modality, process

    def __call__(self, items: Any, **options: Any) -> tuple[dict[str, Any], list[str]]:
        """Return the inputs of all items, where they have one shape, and the text that replaces each placeholder."""
        options["return_tensors"] = "pt"
        flat = list(_flat(items))
        own = [options] * len(flat)
        if metadata := options.pop("video_metadata", None):
            own = [{**options, "video_metadata": [each]} for each in metadata]
        found = []
        for number, (each, more) in enumerate(zip(flat, own, strict=True)):
            try:
                found.append(self._owner._read(self._modality, each, self._process, more, len(flat) == 1))
            except Exception as error:  # such as torch's for a sound that is shorter than a window of its spectrogram
                size = getattr(each, "size", "?")  # samples, or (width, height)
                raise ValueError(f"{self._modality} {number} of size {size}: {reason_of(error)}") from error
        return _together([each.inputs for each in found]), [each.replacement for each in found]


def _flat(items: Any) -> Iterator[Any]:
    """Yield the items of nested lists."""
    for each in items:
        if isinstance(each, (list, tuple)):
            yield from _flat(each)
        else:
            yield each


def _together(inputs: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """Concatenate the inputs of several items, which some processors look at once more."""
    found = {}
    for name in inputs[0] if inputs else ():
        parts = [each[name] for each in inputs]
        if name == "pixel_values_videos":  # InternVL's processor divides them anew; how many frames, it does not use
            least = min(part.shape[1] for part in parts)
            parts = [part[:, :least] for part in parts]
        if all(part.dim() and part.shape[1:] == parts[0].shape[1:] for part in parts):
            found[name] = torch.cat(parts)
    return found


def _tensor(value: Any) -> Tensor | None:
    """Return a processor's output as a tensor; None for one that is not numbers."""
    if isinstance(value, Tensor):
        return value.float() if value.dtype is torch.bfloat16 else value  # Llama 4's pixels, which numpy cannot hold
    try:
        return torch.as_tensor(np.asarray(value))
    except (TypeError, ValueError, RuntimeError):
        return None


def _hash(modality: str, item: Any) -> str:
    """Return a sha256 over an item before or after processing."""
    found = hashlib.sha256(modality.encode())
    if isinstance(item, Mapping):
        parts = [(name, np.ascontiguousarray(value.numpy())) for name, value in sorted(item.items())]
    else:
        parts = [("", np.ascontiguousarray(np.asarray(item)))]
    for name, array in parts:
        found.update(f"{name} {array.dtype} {array.shape} ".encode())
        found.update(array.data)
    return found.hexdigest()


def read_processor(name: str, config: PretrainedConfig, *, trust_remote_code: bool = False, **hub: Any) -> Any:
    """Read the processor of a checkpoint.

    One that has a video processor is built without it where torchvision is missing, which that needs: transformers'
    AutoProcessor gives the tokenizer instead, without an error.

    Raises:
        ModelError: the checkpoint has none, or it cannot be built here.
    """
    try:
        kind = processor_class(name, config, hub)
        if kind is None or trust_remote_code:
            found = AutoProcessor.from_pretrained(name, trust_remote_code=trust_remote_code, **hub)
        else:
            found = kind.from_pretrained(name, **texts_options(kind), **hub)
    except Exception as error:  # OSError, ValueError, ImportError of a missing package, and the hub's own
        raise ModelError(f"model {name!r}: its processor could not be read: {reason_of(error)}") from error
    if not isinstance(found, ProcessorMixin):
        raise ModelError(
            f"model {name!r}: its processor could not be read: transformers found a {type(found).__name__} alone"
        )
    return found


def processor_class(name: str, config: PretrainedConfig, hub: Mapping[str, Any]) -> type[ProcessorMixin] | None:
    """Return the class of a checkpoint's processor: as named in its files, else by model type. None if there is none.

    It has no video processor if torchvision is missing.
    """
    kind = PROCESSOR_MAPPING.get(type(config), None)
    with suppress(OSError):  # older checkpoints have no such file
        named = ProcessorMixin.get_processor_dict(name, **hub)[0].get("processor_class")
        kind = (named and processor_class_from_name(named)) or kind
    return None if kind is None else without_videos(available(kind))


def available(kind: Any) -> type[ProcessorMixin]:
    """Return a processor class that transformers replaces by a stand-in where torchvision is missing.

    One that needs torchaudio can then be made without that.
    PixtralProcessor needs a function of its image processor's module, which imports torchvision; the module of the same
    image processor for PIL has that function too.
    """
    if kind.__name__ in ("GraniteSpeechProcessor", "FunAsrNanoProcessor"):
        without_torchaudio()
    if "torchvision" not in getattr(kind, "_backends", ()):
        return kind  # type: ignore[no-any-return]
    kind = getattr(transformers, kind.__name__)  # its module is named in full here alone
    parts = kind.__module__.rpartition(".processing_")
    images, of_pil = (f"{parts[0]}.image_processing_{name}{parts[2]}" for name in ("", "pil_"))
    if find_spec(of_pil) is None:
        return kind  # type: ignore[no-any-return]
    sys.modules[images] = import_module(of_pil)
    try:
        return getattr(import_module(kind.__module__), kind.__name__)  # type: ignore[no-any-return]
    finally:
        del sys.modules[images]


def without_videos(kind: type[ProcessorMixin]) -> type[ProcessorMixin]:
    """Return a class of the same processor whose video processor is None, unless torchvision is there."""
    every = kind.get_attributes()
    if "video_processor" not in every or is_torchvision_available():
        return kind
    own = [each for each in every if each != "video_processor"]
    read: Any = kind._get_arguments_from_pretrained

    def arguments(cls: type[ProcessorMixin], *given: Any, **options: Any) -> list[Any]:
        found: list[Any] = read.__func__(cls, *given, **options)
        found.insert(every.index("video_processor"), None)
        return found

    # `__init__` stays: transformers reads the names of its arguments.
    given = {"get_attributes": classmethod(lambda _: own), "_get_arguments_from_pretrained": classmethod(arguments)}
    place = {"place_of_videos": every.index("video_processor")}
    return type(kind.__name__, (kind, _WithoutVideos), {"video_processor": None, **place, **given})


class _WithoutVideos(ProcessorMixin):  # type: ignore[misc]
    """Stands between a processor's class and its base, to which it passes the video processor by name or place."""

    place_of_videos: int

    def __init__(self, *args: Any, **options: Any) -> None:
        if len(args) > self.place_of_videos and args[self.place_of_videos] is None:
            args = (*args[: self.place_of_videos], *args[self.place_of_videos + 1 :])
        if options.get("video_processor", 0) is None:
            del options["video_processor"]
        super().__init__(*args, **options)


def media_processor(processor: ProcessorMixin, config: PretrainedConfig) -> TransformersMediaProcessor:
    """Return a processor of transformers as the `MediaProcessor` of a model with this config.

    Args:
        config: of a model that has a `media_family`.

    Raises:
        ModelError: it does not fit the model.
    """
    family, config = media_family(config), seeing_config(config)
    assert family is not None
    rope_index = rope_index_of(MODEL_MAPPING[type(config)], config) if family.position_axes > 1 else None
    return TransformersMediaProcessor(processor, config, family, rope_index)


def rope_index_of(kind: type, config: PretrainedConfig) -> Any:
    """Return `get_rope_index` of a model class for this config, without a model: it reads no weight."""
    model: Any = object.__new__(kind)
    torch.nn.Module.__init__(model)
    model.config = config
    return model.get_rope_index
