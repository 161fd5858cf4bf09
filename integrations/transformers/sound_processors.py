"""Processors of sounds that transformers has beside other packages alone: Voxtral's, and what torchaudio computes."""

from __future__ import annotations

import copy
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PretrainedConfig, ProcessorMixin, VoxtralProcessor
from transformers.audio_utils import mel_filter_bank, spectrogram, window_function
from transformers.utils import is_torchaudio_available

from torchpaged.integrations.transformers.page_processors import is_of_pages, reads_placeholders


def reads_texts(processor: ProcessorMixin, config: PretrainedConfig) -> ProcessorMixin:
    """Return a copy of a processor, for a model with this config, that takes texts with placeholders."""
    if isinstance(processor, VoxtralProcessor):
        return VoxtralTextProcessor.of(processor, config)
    if is_of_pages(processor):
        return reads_placeholders(processor)
    return copy.copy(processor)


def texts_options(kind: type) -> dict[str, Any]:
    """Return the options with which a processor class reads a tokenizer that knows special tokens in texts.

    mistral_common's, which transformers takes where that is installed, does not.
    """
    return {"mistral_format": False} if issubclass(kind, VoxtralProcessor) else {}


class VoxtralTextProcessor(VoxtralProcessor):  # type: ignore[misc]
    """Voxtral's processor for texts with placeholders.

    transformers' own leaves texts with sounds to mistral_common, which puts [BEGIN_AUDIO] and a token for each feature
    in a sound's place; here a text has [BEGIN_AUDIO][AUDIO] there. Sounds are processed by its own method.

    Attributes:
        frames_per_feature: of the spectrogram, from the model's config.
    """

    frames_per_feature: int
    # Not mistral_common's options, and no padding: tekken.json names no token for it.
    text_kwargs: ClassVar[dict[str, Any]] = {"return_tensors": "pt"}
    __call__ = ProcessorMixin.__call__

    @classmethod
    def of(cls, processor: VoxtralProcessor, config: PretrainedConfig) -> VoxtralTextProcessor:
        """Return a copy of a processor for a model with this config."""
        made: Any = object.__new__(cls)
        vars(made).update(vars(processor))
        audio = config.audio_config
        made.frames_per_feature = 2 * audio.intermediate_size // audio.hidden_size  # a convolution halves them first
        return cast("VoxtralTextProcessor", made)

    @property
    def audio_in_chats(self) -> str:
        """The text of a sound in a chat, for templates that write none."""
        return f"[BEGIN_AUDIO]{self.audio_token}"

    def _process_audio(self, audio: Any, **options: Any) -> tuple[dict[str, Any], list[str]]:
        size, found = options.pop("max_source_positions"), []
        for each in audio:
            features = self._retrieve_input_features([each], size, **options)
            found.append((features, self.audio_token * (len(features) * size // self.frames_per_feature)))
        return {"input_features": found[0][0]}, [text for _, text in found]


class MelSpectrogram(nn.Module):
    """torchaudio.transforms.MelSpectrogram with the arguments that Granite Speech gives it.

    Args:
        sample_rate: samples a second.
        n_fft, win_length, hop_length: samples of a transform, of a window, and from one to the next.
        n_mels: number of triangular filters, of the HTK mel scale.
    """

    window: Tensor
    filters: Tensor

    def __init__(self, sample_rate: int, n_fft: int, win_length: int, hop_length: int, n_mels: int) -> None:
        super().__init__()
        self._sizes = (n_fft, hop_length, win_length)
        self.register_buffer("window", torch.hann_window(win_length), persistent=False)
        filters = mel_filter_bank(n_fft // 2 + 1, n_mels, 0.0, sample_rate / 2, sample_rate)
        self.register_buffer("filters", torch.from_numpy(filters).float(), persistent=False)

    def forward(self, waveform: Tensor) -> Tensor:
        """Map samples [..., num_samples] to powers [..., n_mels, num_frames]."""
        found = torch.stft(waveform, *self._sizes, window=self.window, return_complex=True)
        return (found.abs().square().transpose(-1, -2) @ self.filters).transpose(-1, -2)


def fbank(
    waveform: Tensor,
    *,
    num_mel_bins: int,
    frame_length: float,
    frame_shift: float,
    sample_frequency: float,
    window_type: str,
) -> Tensor:
    """Return torchaudio.compliance.kaldi.fbank of samples [1, num_samples], [num_frames, num_mel_bins].

    Args:
        num_mel_bins: number of triangular filters, of Kaldi's mel scale.
        frame_length, frame_shift: of a window, and from one to the next, in milliseconds.
        sample_frequency: samples a second.
        window_type: of `audio_utils.window_function`.
    """
    size, step = (round(sample_frequency * each / 1000) for each in (frame_length, frame_shift))
    length = 1 << (size - 1).bit_length()
    filters = mel_filter_bank(
        length // 2 + 1,
        num_mel_bins,
        20.0,
        sample_frequency / 2,
        int(sample_frequency),
        mel_scale="kaldi",
        triangularize_in_mel_space=True,
    )
    found = spectrogram(
        waveform[0].numpy(),
        window_function(size, window_type, periodic=False),
        frame_length=size,
        hop_length=step,
        fft_length=length,
        power=2.0,
        center=False,
        preemphasis=0.97,
        mel_filters=filters,
        mel_floor=float(np.finfo(np.float32).eps),
        log_mel="log",
        remove_dc_offset=True,
    )
    return torch.from_numpy(np.ascontiguousarray(found.T))


@cache
def without_torchaudio() -> None:
    """Let transformers' feature extractors of Granite Speech and Fun-ASR-Nano work without torchaudio.

    Of it they take one function each, which is here. PyPI has torchaudio for CUDA alone, and transformers cannot be
    imported beside that if torch is for CPUs.
    """
    if is_torchaudio_available():
        return
    kaldi = SimpleNamespace(kaldi=SimpleNamespace(fbank=fbank))
    own = SimpleNamespace(transforms=SimpleNamespace(MelSpectrogram=MelSpectrogram), compliance=kaldi)
    for name in ("granite_speech", "fun_asr_nano"):
        package = import_module(f"transformers.models.{name}")
        module: Any = import_module(f"{package.__name__}.feature_extraction_{name}")
        module.torchaudio, module.requires_backends = own, lambda *_: None
        # transformers' own name for a class that needs a missing package is a stand-in, which raises.
        for kind in module.__all__:
            setattr(package, kind, getattr(module, kind))
