"""Images and sounds are read as Pillow reads them, bounded before anything is decoded."""

from __future__ import annotations

import io
import resource
import tracemalloc
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from tests.media.files import bomb, file_of, picture, wav
from torchpaged.media.limits import MediaLimits
from torchpaged.media.reading import image_from, sound_from

WHITE = (255, 255, 255)


def same(image: Image.Image, other: Image.Image) -> bool:
    """Return whether two images have the same pixels."""
    return image.mode == other.mode == "RGB" and image.size == other.size and image.tobytes() == other.tobytes()


@pytest.mark.parametrize("form", ["PNG", "WEBP", "BMP"])
def test_a_file_is_read_exactly(form: str) -> None:
    more = {"lossless": True} if form == "WEBP" else {}
    assert same(image_from(file_of(picture(), form, **more)), picture())


def test_a_jpeg_and_a_gif_are_read_as_pillow_reads_them() -> None:
    for form in ("JPEG", "GIF"):
        data = file_of(picture(), form)
        assert same(image_from(data), Image.open(io.BytesIO(data)).convert("RGB"))


def test_the_pixels_are_turned_as_exif_says() -> None:
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        data = file_of(picture(), "PNG", exif=exif)
        expected = picture()
        turns = {2: [0], 3: [3], 4: [1], 5: [5], 6: [4], 7: [6], 8: [2]}
        for each in turns.get(orientation, []):
            expected = expected.transpose(Image.Transpose(each))
        assert same(image_from(data), expected), orientation


def test_broken_exif_data_turn_nothing() -> None:
    expected = np.asarray(picture())
    for data in (b"no EXIF data at all", b"Exif\0\0MM\0*", b"Exif\0\0II*\0\xff\xff\xff\xff"):
        assert (np.asarray(image_from(file_of(picture(), "PNG", exif=data))) == expected).all()


def test_transparent_pixels_are_white() -> None:
    clear = picture().convert("RGBA")
    clear.putalpha(0)
    for given in (clear, file_of(clear), np.asarray(clear)):
        assert image_from(given).getcolors() == [(24, WHITE)]
    grey = Image.new("LA", (2, 2), (10, 255))
    assert image_from(grey).getcolors() == [(4, (10, 10, 10))]
    palette = Image.new("P", (2, 2))
    palette.info["transparency"] = 0
    assert image_from(palette).getcolors() == [(4, WHITE)]


@pytest.mark.parametrize("mode", ["1", "L", "P", "CMYK", "YCbCr", "LAB", "HSV", "RGBX"])
def test_other_modes_become_rgb(mode: str) -> None:
    assert image_from(picture().convert("RGB" if mode == "LAB" else mode)).mode == "RGB"


@pytest.mark.parametrize("mode", ["I", "F", "I;16"])
def test_numbers_of_more_than_eight_bits_are_refused(mode: str) -> None:
    with pytest.raises(ValueError, match="wider than eight bits"):
        image_from(Image.new(mode, (2, 2)))


ARRAY = np.asarray(picture())


@pytest.mark.parametrize(
    "value",
    [
        ARRAY,
        ARRAY.transpose(2, 0, 1),
        torch.from_numpy(ARRAY.copy()),
        torch.from_numpy(ARRAY.copy()).permute(2, 0, 1),
        ARRAY / 255,
        (torch.from_numpy(ARRAY.copy()).permute(2, 0, 1) / 255).requires_grad_(),
        ARRAY[::-1][::-1],
    ],
)
def test_an_array_and_a_tensor(value: Any) -> None:
    assert same(image_from(value), picture())


def test_arrays_of_one_channel_and_of_bfloat16() -> None:
    for value in (ARRAY[..., 0], ARRAY[..., :1], ARRAY[..., 0][None]):
        assert same(image_from(value), Image.fromarray(ARRAY[..., 0]).convert("RGB"))
    assert image_from(torch.ones(3, 5, 4, dtype=torch.bfloat16)).getcolors() == [(20, WHITE)]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.zeros((5, 6, 2), np.uint8), "shape [5, 6, 2], expected [height, width, channels] with 1, 3 or 4"),
        (np.zeros((5, 6, 7), np.uint8), "shape [5, 6, 7]"),
        (np.zeros((5,), np.uint8), "shape [5]"),
        (np.zeros((2, 3, 4, 3), np.uint8), "give several images as a list"),
        (np.zeros((0, 4, 3), np.uint8), "4 x 0 pixels"),
        (np.full((2, 2, 3), 255.0), "is float64, expected uint8, or floating-point numbers from 0 to 1"),
        (np.full((2, 2, 3), np.nan), "floating-point numbers from 0 to 1"),
        (np.zeros((2, 2, 3), np.int64), "is int64"),
        (np.zeros((2, 2, 3), bool), "is bool"),
        (np.zeros((2, 2, 3), "U3"), "is <U3"),
        (torch.zeros(2, 2, 3, dtype=torch.complex64), "is complex64"),
        (17, "it is a int, expected an image"),
        ({"url": "x"}, "it is a dict"),
        (b"", "0 bytes are no image"),
        (b"GIF89a", "no image|cannot be decoded"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "it is an SVG"),
        (b"  <?xml version='1.0'?><svg/>", "it is an SVG"),
        (b"%PDF-1.7", "it is a PDF"),
        (b"<!DOCTYPE html>", "it is a web page"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "no image"),
    ],
)
def test_a_value_that_is_no_image(value: Any, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        image_from(value)
    assert any(each in str(caught.value) for each in said.split("|")), caught.value


def test_a_truncated_file_at_each_length() -> None:
    for form in ("PNG", "JPEG", "WEBP", "GIF", "BMP"):
        data = file_of(picture(40, 30), form)
        for length in range(0, len(data) - 40, max(1, len(data) // 40)):
            with pytest.raises(ValueError):
                image_from(data[:length])


def test_a_file_with_changed_bytes_is_an_image_or_a_value_error() -> None:
    random = np.random.default_rng(0)
    for form in ("PNG", "JPEG", "WEBP", "GIF", "BMP"):
        data = np.frombuffer(file_of(picture(40, 30), form), np.uint8)
        for _ in range(60):
            broken = data.copy()
            broken[random.integers(0, len(data), 4)] = random.integers(0, 256, 4)
            try:
                assert image_from(broken.tobytes()).mode == "RGB"
            except ValueError as error:
                assert str(error)


@pytest.mark.parametrize("form", ["GIF", "PNG", "WEBP"])
def test_an_animation_is_refused(form: str) -> None:
    data = file_of(picture(), form, save_all=True, append_images=[picture(seed=1)])
    with pytest.raises(ValueError, match="animated or has several pages"):
        image_from(data)


def test_a_photo_with_a_preview_is_its_photo() -> None:
    data = file_of(picture(16, 8), "MPO", save_all=True, append_images=[picture(4, 2)])
    assert image_from(data).size == (16, 8)


@pytest.mark.parametrize(("width", "height"), [(10_000, 10_000), (30_000, 30_000), (2**31 - 1, 2**31 - 1), (1, 2**30)])
def test_a_bomb_is_refused_before_it_is_decoded(width: int, height: int) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ValueError) as caught:
            image_from(bomb(width, height))
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
    assert "pixels, expected at most" in str(caught.value) or "decompression bomb" in str(caught.value)


def test_a_webp_that_says_it_is_large_takes_no_memory() -> None:
    """Its decoder is made when the file is opened, before its size can be asked for."""
    data = bytearray(file_of(picture(), "WEBP", lossless=True))
    place = data.index(b"VP8L") + 9
    size = int.from_bytes(data[place : place + 4], "little") >> 28 << 28 | 16382 << 14 | 16382
    data[place : place + 4] = size.to_bytes(4, "little")
    image_from(file_of(picture(), "WEBP"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match="268402689 pixels"):
        image_from(bytes(data))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10


def test_the_limit_of_pixels_holds_for_all_kinds() -> None:
    limits = MediaLimits(pixels=23)
    for value in (picture(), file_of(picture()), ARRAY):
        with pytest.raises(ValueError, match="6 x 4 pixels, expected at most 23; scale it down"):
            image_from(value, limits)
        assert image_from(value, MediaLimits(pixels=24)).size == (6, 4)


# --- Sounds ---------------------------------------------------------------------------------------------------------

TONE = np.sin(np.arange(160) / 5).astype(np.float32) * 0.9


@pytest.mark.parametrize(
    ("code", "bits", "kind", "factor", "error"),
    [
        (1, 16, "<i2", 2**15, 2e-5),
        (1, 32, "<i4", 2**31, 1e-7),
        (3, 32, "<f4", 1, 0),
        (3, 64, "<f8", 1, 0),
    ],
)
@pytest.mark.parametrize("extensible", [False, True])
def test_wav_files(code: int, bits: int, kind: str, factor: int, error: float, extensible: bool) -> None:
    scaled = TONE.astype(np.float64) * factor
    data = (scaled if code == 3 else np.rint(scaled)).astype(kind).tobytes()
    samples, rate = sound_from(wav(data, 16_000, code, bits, extensible=extensible))
    assert rate == 16_000 and samples.dtype == np.float32
    np.testing.assert_allclose(samples, TONE, atol=error)


def test_wav_files_of_8_and_24_bits() -> None:
    eight = np.rint(TONE * 127 + 128).astype(np.uint8).tobytes()
    np.testing.assert_allclose(sound_from(wav(eight, 8000, bits=8))[0], TONE, atol=0.012)
    wide = np.rint(TONE * (2**23 - 1)).astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
    np.testing.assert_allclose(sound_from(wav(wide, 8000, bits=24))[0], TONE, atol=1e-6)


def test_channels_are_averaged() -> None:
    both = np.stack([TONE, TONE * 0.5], axis=1)
    data = wav(both.astype("<f4").tobytes(), 8000, 3, 32, channels=2)
    np.testing.assert_allclose(sound_from(data)[0], TONE * 0.75, atol=1e-6)
    np.testing.assert_allclose(sound_from((both.T, 8000))[0], TONE * 0.75, atol=1e-6)


def test_arrays_of_samples() -> None:
    for value in (TONE, TONE.astype(np.float64), torch.from_numpy(TONE), TONE.tolist()):
        samples, rate = sound_from((value, 8000))
        np.testing.assert_allclose(samples, TONE)
        assert rate == 8000 and samples.dtype == np.float32
    assert sound_from(TONE, rate=16_000)[1] == 16_000


@pytest.mark.parametrize("own", [8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000])
@pytest.mark.parametrize("rate", [8000, 16_000])
def test_a_sound_is_resampled(own: int, rate: int) -> None:
    """A tone of 440 Hz stays one, of half a second; what the lower rate cannot hold is gone."""
    times, expected = np.arange(own // 2) / own, np.arange(rate // 2) / rate
    samples, found = sound_from((np.sin(2 * np.pi * 440 * times), own), rate)
    assert found == rate and abs(len(samples) - rate // 2) <= 1
    edge = rate // 50
    inner = slice(edge, rate // 2 - edge)
    np.testing.assert_allclose(samples[inner], np.sin(2 * np.pi * 440 * expected)[inner], atol=1e-3)
    if own > rate:
        high = sound_from((np.sin(2 * np.pi * (rate * 0.6) * times), own), rate)[0]
        assert np.abs(high[inner]).max() < 2e-3


@pytest.mark.parametrize("rate", [np.int64(8000), np.int32(8000), np.float32(8000)])
def test_rates_of_numpy(rate: Any) -> None:
    """As files read by other packages have them."""
    samples, found = sound_from((TONE, rate))
    np.testing.assert_array_equal(samples, TONE)
    assert found == 8000 and type(found) is int


@pytest.mark.parametrize(("own", "rate"), [(1009, 16_000), (44_099, 16_000), (8000, 16_000), (96_000, 8000)])
def test_a_sound_is_resampled_as_the_formula_says(own: int, rate: int) -> None:
    """Also between rates without a common divisor, whose output has thousands of phases."""
    sound = np.random.default_rng(0).standard_normal(60).astype(np.float32)
    found = sound_from((sound, own), rate)[0]
    cutoff = 0.95 * min(1, rate / own)
    width = int(np.ceil(32 / cutoff))
    places = np.arange(len(sound)) - np.arange(len(found))[:, None] * own / rate
    window = np.i0(9 * np.sqrt(np.clip(1 - (places / width) ** 2, 0, 1))) / np.i0(9.0)
    expected = (cutoff * np.sinc(cutoff * places) * window * (np.abs(places) <= width)) @ sound
    assert len(found) == -(-len(sound) * rate // own)
    np.testing.assert_allclose(found, expected, atol=5e-5)


def test_rates_that_are_not_resampled() -> None:
    cases = ((1000, "32000000 samples in all channels, expected at most"), (999_983, "not resampled to 16000"))
    for own, said in cases:
        with pytest.raises(ValueError, match=said):
            sound_from((np.zeros(2_000_000), own), 16_000)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (TONE, "no rate"),
        ((TONE, 0), "its rate is 0"),
        ((TONE, 999), "its rate is 999, expected 1000 to 1000000 samples a second"),
        (wav(bytes(8), 7), "7 samples a second; expected 1000 to 1000000"),
        ((TONE, float("nan")), "its rate is nan"),
        ((TONE, True), "its rate is True"),
        ((TONE, 8000.5), "its rate is 8000.5"),
        ((TONE.astype(np.int16), 8000), "its samples are int16, expected floating-point"),
        ((torch.ones(9, dtype=torch.int16), 8000), "its samples are torch.int16, expected floating-point"),
        ((torch.ones(9, dtype=torch.bool), 8000), "its samples are torch.bool, expected floating-point"),
        ((torch.ones(9, dtype=torch.complex64), 8000), "its samples are torch.complex64, expected floating-point"),
        ((torch.ones(9, device="meta"), 8000), "layout torch.strided on meta, expected a dense one with values"),
        ((torch.ones(9).to_sparse(), 8000), "layout torch.sparse_coo on cpu, expected a dense one with values"),
        ((TONE * 1e20, 8000), "its samples reach 9e+19, expected floating-point numbers from -1 to 1"),
        ((TONE[:, None], 8000), "expected [channels, num_samples]"),
        ((TONE[None, None], 8000), "expected [num_samples]"),
        ((np.zeros(0, np.float32), 8000), "it has no samples"),
        ((np.full(5, np.inf), 8000), "not all finite"),
        (("abc", 8000), "its samples are a str"),
        (([[1.0], [1.0, 2.0]], 8000), "different lengths"),
        ((np.zeros(2**26, np.float32), 8000), "67108864 samples in all channels, expected at most"),
        (b"ID3 an mp3", "no WAV file"),
        (b"", "no WAV file"),
        (wav(bytes(8), 8000, code=2), "the format 2 with 16 bits"),
        (wav(bytes(8), 8000, channels=0), "0 channels"),
        (wav(bytes(8), 0), "0 samples a second"),
        (wav(b"", 8000), "it has no samples"),
    ],
)
def test_a_value_that_is_no_sound(value: Any, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        sound_from(value)
    assert said in str(caught.value)


def test_a_cut_wav_file_is_refused() -> None:
    data = wav((TONE * 2**15).astype("<i2").tobytes(), 8000)
    for length in range(len(data)):
        with pytest.raises(ValueError, match=r"[a-z]"):
            sound_from(data[:length])
    with pytest.raises(ValueError, match=f"is truncated: it has {2 * len(TONE) - 7} bytes of samples, expected"):
        sound_from(data[:-7])


@pytest.mark.parametrize("length", [0xFFFFFFFF, 0x7FFFF000])
def test_a_streamed_wav_file_does_not_know_its_length(length: int) -> None:
    data = wav((TONE * 2**15).astype("<i2").tobytes(), 8000)
    place = data.index(b"data") + 4
    assert len(sound_from(data[:place] + length.to_bytes(4, "little") + data[place + 4 :])[0]) == len(TONE)


def test_a_bomb_of_pillows_limit_is_refused_by_ours() -> None:
    stream = io.BytesIO()
    Image.new("1", (13400, 13400)).save(stream, "PNG")  # Pillow opens no file of more than 178,956,970 pixels
    with pytest.raises(ValueError, match=r"too many pixels, expected at most 67108864"):
        image_from(stream.getvalue())


@pytest.mark.parametrize("value", [torch.zeros(3, 4, 4).to_sparse(), torch.zeros(3, 4, 4, device="meta")], ids=str)
def test_a_tensor_without_dense_values_is_refused(value: torch.Tensor) -> None:
    with pytest.raises(ValueError, match=r"it is a tensor of layout .*, expected a dense one"):
        image_from(value)


def test_an_image_of_pillow_counts_as_its_current_frame() -> None:
    stream, frames = io.BytesIO(), [Image.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    frames[0].save(stream, "GIF", save_all=True, append_images=frames[1:])
    opened = Image.open(stream)
    opened.seek(1)
    assert image_from(opened).getpixel((0, 0)) == (0, 0, 255)
