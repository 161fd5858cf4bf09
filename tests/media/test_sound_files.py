"""Files of sounds that soundfile decodes."""

from __future__ import annotations

import io
import sys
from typing import Any

import numpy as np
import pytest

from tests.media.files import wav
from torchpaged.media.limits import MediaLimits
from torchpaged.media.reading import sound_from

TONE = (0.5 * np.sin(np.arange(8000) / 9)).astype(np.float32)


def file_of(form: str, samples: Any = TONE, rate: int = 16000, kind: str | None = None) -> bytes:
    soundfile = pytest.importorskip("soundfile", reason="soundfile is not installed: pip install soundfile")
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format=form, subtype=kind)
    return file.getvalue()


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize(
    ("form", "kind", "error"),
    [
        ("MP3", None, 0.05),  # without a tag, as of OpenAI's speech
        ("FLAC", "PCM_16", 1e-4),
        ("FLAC", "PCM_24", 1e-6),
        ("OGG", "VORBIS", 0.05),
        ("OGG", "OPUS", 0.05),
        ("WAV", "ULAW", 0.02),  # telephones' encodings, which are not decoded here
        ("WAV", "ALAW", 0.02),
        ("WAV", "IMA_ADPCM", 0.05),
        ("AIFF", "PCM_S8", 0.01),
        ("AU", "PCM_16", 1e-4),
    ],
)
def test_formats(form: str, kind: str | None, error: float, channels: int) -> None:
    data = file_of(form, np.stack([TONE] * channels, axis=1), kind=kind)
    samples, rate = sound_from(data)
    assert rate == 16000 and abs(len(samples) - 8000) < 600, "a codec may add samples to fill its last block"
    assert np.abs(samples[:8000] - TONE[: len(samples)])[1000:-1000].mean() < error


def test_a_stream_does_not_tell_its_length() -> None:
    """As ffmpeg writes FLAC to a pipe. The limit counts what is decoded."""
    data = bytearray(file_of("FLAC", np.tile(TONE, 5)))
    data[21] &= 0xF0
    data[22:26] = bytes(4)
    samples, _ = sound_from(bytes(data))
    assert np.abs(samples - np.tile(TONE, 5)).max() < 1e-4
    with pytest.raises(ValueError, match="it has 40000 samples in all channels, expected at most 30000"):
        sound_from(bytes(data), limits=MediaLimits(samples=30_000))
    data[21] |= 1
    with pytest.raises(ValueError, match="it has 4294967296 samples in all channels, expected at most"):
        sound_from(bytes(data))


def test_files_that_cannot_be_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = file_of("OGG", kind="VORBIS")
    with pytest.raises(ValueError, match="soundfile cannot decode it") as caught:
        sound_from(whole[:1000])
    assert "object at 0x" not in str(caught.value)
    with pytest.raises(ValueError, match="it has no samples"):
        sound_from(file_of("AU", TONE[:0]))
    assert len(sound_from(file_of("FLAC", np.zeros((1, 2))))[0]) == 1


def test_without_soundfile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "soundfile", None)
    for data, says in (
        (b"fLaC", "its 4 bytes are no WAV file"),
        (wav(bytes(80), 8000, 7, 8), "the format 7 with 8 bits"),
    ):
        with pytest.raises(ValueError, match=f"{says}.*other formats need soundfile: pip install soundfile"):
            sound_from(data)
