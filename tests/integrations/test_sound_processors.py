"""Processors of sounds that work without the packages which transformers has them with."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests import vision_models
from tests.integrations.test_media_llm import GREEDY, given, loaded
from tests.vision_models import sound
from torchpaged.integrations.transformers.sound_processors import MelSpectrogram, fbank


def waveform() -> torch.Tensor:
    time = np.arange(4000) / 16000
    return torch.from_numpy(np.sin(2 * np.pi * 440 * time) + 0.3 * np.sin(2 * np.pi * 2250 * time)).float()


def test_spectrograms_are_torchaudios() -> None:
    """Numbers of torchaudio 2.11: `transforms.MelSpectrogram(...)(x).log()[::10, 7]`, `kaldi.fbank(...)[7, ::10]`."""
    mel = MelSpectrogram(sample_rate=16000, n_fft=512, win_length=400, hop_length=160, n_mels=80)(waveform()).log()
    assert mel.shape == (80, 26)
    expected = [-9.4122, -2.9441, -2.5304, -10.7742, -9.9477, -9.6908, -16.8667, -20.0475]
    assert mel[::10, 7].tolist() == pytest.approx(expected, abs=2e-4)
    settings = {"num_mel_bins": 80, "frame_length": 25, "frame_shift": 10, "sample_frequency": 16000}
    bank = fbank(waveform()[None], **settings, window_type="hamming")
    assert bank.shape == (23, 80) and bank.dtype is torch.float32
    expected = [-4.696, -4.8126, -5.1811, -6.1168, -4.2436, -3.8796, -5.8489, -6.5829]
    assert bank[7, ::10].tolist() == pytest.approx(expected, abs=2e-4)


def test_voxtral_chats_without_a_template_for_sounds() -> None:
    """A template of texts gets the text that mistral_common's tokens stand for."""
    made = vision_models.build("voxtral")
    template = "{% for m in messages %}[INST]{{ m.content }}[/INST]{% endfor %}"
    content = [{"type": "audio", "audio": sound(1)}, {"type": "text", "text": "What is it?"}]
    with loaded(made) as llm:
        (output,) = llm.chat([{"role": "user", "content": content}], GREEDY, chat_template=template, use_tqdm=False)
        expected = made.processor.tokenizer("[INST][BEGIN_AUDIO][AUDIO]\nWhat is it?[/INST]")["input_ids"]  # type: ignore[attr-defined]
        place = expected.index(24)
        assert output.prompt_token_ids == expected[:place] + [24] * 10 + expected[place + 1 :]


def test_hits_are_of_the_same_sound() -> None:
    """Two requests with one sound share its blocks, whatever they ask; another sound of its length shares none."""
    made = vision_models.build("voxtral")
    text = f"{made.placeholder} import os"
    with loaded(made, block_size=4) as llm:
        counts = []
        for seed in (1, 1, 2):
            (output,) = llm.generate(given(made, text, [sound(seed)]), GREEDY, use_tqdm=False)
            counts.append(output.num_cached_tokens)
        assert counts[0] == 0 and counts[1] >= 8 and counts[2] == 0
        assert llm.stats().media.num_encoded == 2
