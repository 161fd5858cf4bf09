"""Reads images and sounds from files and arrays: bounded before anything is decoded.

Errors are ValueErrors that name the value and the limit; callers say which item of which request it is.
"""

from __future__ import annotations

import io
import math
import numbers
import struct
from typing import TYPE_CHECKING, Any

from torchpaged.errors import MissingPackageError
from torchpaged.media.limits import LIMITS, MediaLimits

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

# Formats that are decoded, under Pillow's names. Others of Pillow's start programs (EPS) or are hardly ever sent.
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
# Modes whose numbers do not fit into eight bits; Pillow would clip them.
_WIDE_MODES = ("I", "F", "I;16", "I;16L", "I;16B", "I;16N")
_WHITE = (255, 255, 255)
_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
# Lengths of samples from here on are those of recorders that write a WAV file before they know its length.
_UNKNOWN_LENGTH = 0x7FFFF000
# libsndfile tells this many frames, the largest integer, or more than a file can have, if it does not know.
_UNKNOWN_FRAMES = 1 << 40
_PIECE = 1 << 18  # frames that are decoded at once
# An empty tag. libsndfile 1.2 reads an MP3 file from memory only if it begins with one.
_ID3 = b"ID3\4\0\0\0\0\0\x0a" + bytes(10)
# Samples a second. Below the lower bound a small file would become a sound of many minutes at the model's rate.
_SLOWEST, _FASTEST = 1000, 1_000_000
# Largest number of a sound: twice that of 32-bit integers. The squares of a spectrogram's sums would overflow at 1e19.
_LOUDEST = 2.0**32
# Resampling: zeros of the sinc function on each side, Kaiser's window, and the share of the lower rate that is kept.
_ZEROS, _BETA, _ROLL_OFF = 32, 9.0, 0.95
_MOST_WEIGHTS = 1 << 21
# Beginnings of files that are recognised only for a better message.
_KNOWN = (
    (b"<svg", "an SVG"),
    (b"<?xml", "an SVG"),
    (b"%PDF", "a PDF"),
    (b"<!DOCTYPE", "a web page"),
    (b"<html", "a web page"),
)


def pillow() -> Any:
    """Import Pillow's package. Raises MissingPackageError if it is not installed."""
    try:
        import PIL.Image
        import PIL.ImageOps
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            "images need Pillow, which is not installed: pip install 'torchpaged[images]'"
        ) from error
    return PIL


def image_from(value: Any, limits: MediaLimits = LIMITS) -> Image.Image:
    """Return an image in mode RGB, turned as its EXIF orientation says.

    Transparent pixels are put on white, as in vLLM.

    Args:
        value: a file's bytes; an image of Pillow; or an array or tensor of numbers [height, width, channels],
            [channels, height, width] or [height, width], with 1, 3 or 4 channels: uint8, or floats from 0 to 1, which
            are rounded to 256 steps.

    Raises:
        ValueError: it is none of those, too large, animated, or cannot be decoded.
    """
    package = pillow()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _decoded(bytes(value), limits)
    if isinstance(value, package.Image.Image):
        require_pixels(value.size, limits)
        return _plain(value)
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return _from_array(value, limits)
    raise ValueError(
        f"it is a {type(value).__name__}, expected an image of Pillow, an array, a tensor, the bytes of a file, a "
        "URL or a path"
    )


def require_pixels(size: tuple[int, int], limits: MediaLimits) -> None:
    """Raise ValueError for an image that is empty or too large."""
    width, height = size
    if not width or not height:
        raise ValueError(f"it has {width} x {height} pixels, expected at least one")
    if width * height > limits.pixels:
        raise ValueError(f"it has {width} x {height} pixels, expected at most {limits.pixels}; scale it down")


def _decoded(data: bytes, limits: MediaLimits) -> Image.Image:
    """Decode a file whose size in pixels is checked first."""
    package = pillow()
    start = data[:256].lstrip()
    for beginning, name in _KNOWN:
        if start.startswith(beginning):
            raise ValueError(f"it is {name}, expected a file of type {', '.join(FORMATS)}")
    try:
        # Opening reads the header alone.
        with package.Image.open(io.BytesIO(data), formats=FORMATS) as opened:
            require_pixels(opened.size, limits)
            if opened.format != "MPO" and getattr(opened, "is_animated", False):  # a MPO has a photo and its previews
                raise ValueError("it is animated or has several pages, expected one image; send one of its frames")
            opened.load()
            return _plain(opened)
    except package.Image.DecompressionBombError as error:  # far above the limit, so Pillow does not open it
        raise ValueError(f"it has too many pixels, expected at most {limits.pixels}; scale it down ({error})") from None
    except package.UnidentifiedImageError:
        raise ValueError(f"its {len(data)} bytes are no image, expected a file of type {', '.join(FORMATS)}") from None
    except ValueError:
        raise
    except Exception as error:  # broken files raise OSError, SyntaxError, struct.error, EOFError, IndexError, ...
        raise ValueError(f"it cannot be decoded: {error!s:.200}") from None


def _plain(image: Image.Image) -> Image.Image:
    """Return an image in mode RGB, without its EXIF orientation."""
    package = pillow()
    if image.mode in _WIDE_MODES:
        raise ValueError(
            f"its pixels are wider than eight bits (mode {image.mode!r}), expected eight; scale them to 0 to 255"
        )
    try:
        turned = package.ImageOps.exif_transpose(image)
    except (OSError, SyntaxError, ValueError, struct.error):  # broken EXIF data, which tell no orientation
        turned = image
    if turned.has_transparency_data:
        coloured = turned.convert("RGBA")
        white: Image.Image = package.Image.new("RGB", coloured.size, _WHITE)
        white.paste(coloured, mask=coloured.getchannel("A"))
        return white
    plain: Image.Image = turned.convert("RGB")
    return plain


def _from_array(value: Any, limits: MediaLimits) -> Image.Image:
    """Return an image of an array's or a tensor's numbers."""
    import numpy as np

    shape, expected = tuple(value.shape), "expected [height, width, channels] with 1, 3 or 4 channels"
    if len(shape) not in (2, 3):
        raise ValueError(f"it has the shape {list(shape)}, {expected}; give several images as a list")
    if is_tensor := hasattr(value, "detach"):  # of any device
        _require_dense(value)
        value = value.detach().cpu()
        value = value.float().numpy() if value.is_floating_point() else value.numpy()
    array = np.asarray(value)
    if array.ndim == 3 and not (last := _are_channels_last(shape, is_tensor=is_tensor)):
        if last is None:
            raise ValueError(f"it has the shape {list(shape)}, {expected}")
        array = array.transpose(1, 2, 0)
    require_pixels((array.shape[1], array.shape[0]), limits)
    if array.dtype != np.uint8:
        if array.dtype.kind != "f" or not (np.isfinite(array).all() and array.min() >= 0 and array.max() <= 1):
            raise ValueError(f"it is {array.dtype}, expected uint8, or floating-point numbers from 0 to 1")
        array = np.rint(array.astype(np.float32) * 255).astype(np.uint8)
    image = pillow().Image.fromarray(np.ascontiguousarray(array[..., 0] if array.shape[2:] == (1,) else array))
    return _plain(image)


def _require_dense(tensor: Any) -> None:
    """Raise ValueError for a tensor without values of its own for all places."""
    if getattr(tensor, "is_meta", False) or not str(tensor.layout).endswith("strided"):
        raise ValueError(
            f"it is a tensor of layout {tensor.layout} on {tensor.device}, expected a dense one with values"
        )


def _are_channels_last(shape: tuple[int, ...], *, is_tensor: bool) -> bool | None:
    """Return whether the last of three dimensions has the channels, not the first; None: neither can.

    If both can, as in very small images, three channels count before one or four, and then a tensor's first dimension.
    """
    order = (0, -1) if is_tensor else (-1, 0)
    for counts in ((3,), (1, 4)):
        for place in order:
            if shape[place] in counts:
                return place == -1
    return None


def sound_from(value: Any, rate: int | None = None, limits: MediaLimits = LIMITS) -> tuple[np.ndarray, int]:
    """Return (float32 samples [num_samples], samples a second). Channels are averaged.

    Args:
        value: a WAV file's bytes (any format that soundfile decodes, if it is installed); (samples, samples a second),
            with samples [num_samples] or [channels, num_samples], floating-point; or such samples alone.
        rate: that of the result, and of samples that are given alone; None: that of the sound.

    Raises:
        ValueError: it is none of those, too long, or cannot be decoded.
    """
    if isinstance(value, (bytes, bytearray, memoryview)):
        samples, own = _decoded_sound(bytes(value), limits)
    else:
        values, told = value if isinstance(value, tuple) and len(value) == 2 else (value, rate)
        if told is None:
            raise ValueError("it has no rate, expected (samples, samples a second)")
        is_number = isinstance(told, numbers.Real) and not isinstance(told, bool)  # numpy's are too
        if not is_number or not _SLOWEST <= told <= _FASTEST or told % 1:
            raise ValueError(f"its rate is {told!r:.80}, expected {_SLOWEST} to {_FASTEST} samples a second")
        samples, own = _samples(values, limits), int(told)
    return (samples, own) if rate is None or rate == own else (_resampled(samples, own, rate, limits), rate)


def _resampled(samples: np.ndarray, own: int, rate: int, limits: MediaLimits) -> np.ndarray:
    """Return a sound at another rate: the sum of its samples' sinc functions, cut off below both rates' halves."""
    import numpy as np

    up, down = rate // math.gcd(own, rate), own // math.gcd(own, rate)
    count = -(-len(samples) * up // down)
    _require_samples(count, limits)
    cutoff = _ROLL_OFF * min(1.0, up / down)
    width = math.ceil(_ZEROS / cutoff)
    if up * width > _MOST_WEIGHTS:
        raise ValueError(f"its rate is {own} samples a second, which is not resampled to {rate}; resample it")
    places = np.arange(-width + 1, width + 1)
    # Output n is at n * down / up of the input, so there are `up` different distances to the samples beside it.
    distances = places - np.arange(up)[:, None] / up
    window = np.i0(_BETA * np.sqrt(np.clip(1 - (distances / width) ** 2, 0, 1))) / np.i0(_BETA)
    weights = (cutoff * np.sinc(cutoff * distances) * window).astype(np.float32)
    padded = np.concatenate([np.zeros(width, np.float32), samples, np.zeros(width + 1, np.float32)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, len(places))[1:]  # without a copy
    found: np.ndarray = np.empty(count, np.float32)
    for first in range(min(up, count)):
        whole, phase = divmod(first * down, up)
        found[first::up] = windows[whole::down][: -(-(count - first) // up)] @ weights[phase]
    return found


def _samples(value: Any, limits: MediaLimits) -> np.ndarray:
    import numpy as np

    if hasattr(value, "detach"):
        _require_dense(value)
        if not value.is_floating_point():
            raise ValueError(f"its samples are {value.dtype}, expected floating-point numbers from -1 to 1")
        value = value.detach().cpu().float().numpy()
    elif not hasattr(value, "dtype") and not isinstance(value, (list, tuple)):
        raise ValueError(f"its samples are a {type(value).__name__}, expected an array of floating-point numbers")
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError("its samples are lists of different lengths, expected [num_samples]") from None
    if array.ndim == 2:
        if array.shape[0] > array.shape[1]:
            raise ValueError(f"its samples have the shape {list(array.shape)}, expected [channels, num_samples]")
    elif array.ndim != 1:
        raise ValueError(f"its samples have the shape {list(array.shape)}, expected [num_samples]")
    _require_samples(array.size, limits)
    if array.dtype.kind != "f":
        raise ValueError(f"its samples are {array.dtype}, expected floating-point numbers from -1 to 1")
    found: np.ndarray = array.astype(np.float32)
    if found.ndim == 2:
        found = found.mean(axis=0)
    if not np.isfinite(found).all():
        raise ValueError("its samples are not all finite")
    if (most := float(np.abs(found).max())) > _LOUDEST:
        raise ValueError(f"its samples reach {most:.3g}, expected floating-point numbers from -1 to 1")
    contiguous: np.ndarray = np.ascontiguousarray(found)
    return contiguous


def _require_samples(count: int, limits: MediaLimits) -> None:
    if not count:
        raise ValueError("it has no samples, expected at least one")
    if count > limits.samples:
        raise ValueError(f"it has {count} samples in all channels, expected at most {limits.samples}; cut it")


class _OtherEncoding(ValueError):
    """A WAV file whose samples are not decoded here."""


def _decoded_sound(data: bytes, limits: MediaLimits) -> tuple[np.ndarray, int]:
    """Decode a WAV file of integers or floats here, and others through soundfile."""
    problem = f"its {len(data)} bytes are no WAV file"
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        try:
            return _wav(data, limits)
        except struct.error:
            raise ValueError("its WAV file is truncated") from None
        except _OtherEncoding as error:
            problem = str(error)
    try:
        import soundfile
    except (ImportError, OSError):  # OSError: its C library is missing
        raise ValueError(f"{problem}; other formats need soundfile: pip install soundfile") from None
    if data[:1] == b"\xff" and data[1:2] >= b"\xe0" and data[1] & 6:
        data = _ID3 + data

    class Stream(soundfile.SoundFile):  # type: ignore[misc]
        def seekable(self) -> bool:
            return False  # else each read seeks, which fails behind the end of a file that does not tell its length

    try:
        with Stream(io.BytesIO(data)) as file:
            if file.frames < _UNKNOWN_FRAMES:
                _require_samples(file.frames * file.channels, limits)
            return _streamed(file, limits), int(file.samplerate)
    except (RuntimeError, TypeError) as error:  # soundfile's own error is a RuntimeError
        reason = getattr(error, "error_string", error)
        raise ValueError(f"{problem}, and soundfile cannot decode it: {reason!s:.200}") from None


def _streamed(file: Any, limits: MediaLimits) -> np.ndarray:
    """Return the samples that are left in an opened file, whatever length it tells."""
    import numpy as np

    pieces: list[np.ndarray] = []
    count = 0
    while len(piece := file.read(_PIECE, dtype="float32", always_2d=True)):
        count += piece.size
        _require_samples(count, limits)
        pieces.append(piece.mean(axis=1))
    return _samples(np.concatenate(pieces or [np.zeros(0, np.float32)]), limits)


def _wav(data: bytes, limits: MediaLimits) -> tuple[np.ndarray, int]:
    """Decode integers of 8 to 32 bits, or floats. The standard library's `wave` reads no floats."""
    import numpy as np

    place, form = 12, None
    while place + 8 <= len(data):
        kind, length = struct.unpack_from("<4sI", data, place)
        place += 8
        if kind == b"fmt ":
            code, channels, rate, _, align, bits = struct.unpack_from("<HHIIHH", data, place)
            if code == _EXTENSIBLE:
                (code,) = struct.unpack_from("<H", data, place + 24)
            form = (code, channels, rate, align, bits)
        elif kind == b"data":
            break
        place += length + length % 2
    else:
        raise ValueError("its WAV file has no samples")
    if form is None:
        raise ValueError("its WAV file does not say how its samples are stored")
    code, channels, rate, align, bits = form
    kinds = {
        (_PCM, 8): "u1",
        (_PCM, 16): "<i2",
        (_PCM, 24): "u1",
        (_PCM, 32): "<i4",
        (_FLOAT, 32): "<f4",
        (_FLOAT, 64): "<f8",
    }
    if (code, bits) not in kinds or not channels or align != channels * bits // 8:
        raise _OtherEncoding(
            f"its WAV file has the format {code} with {bits} bits and {channels} channels; expected integers of 8, 16, "
            "24 or 32 bits, or floats of 32 or 64"
        )
    if not _SLOWEST <= rate <= _FASTEST:
        raise ValueError(f"its WAV file has {rate} samples a second; expected {_SLOWEST} to {_FASTEST}")
    if length < _UNKNOWN_LENGTH and place + length > len(data):
        raise ValueError(f"its WAV file is truncated: it has {len(data) - place} bytes of samples, expected {length}")
    raw = memoryview(data)[place : place + length]
    count = len(raw) // align
    _require_samples(count * channels, limits)
    numbers = np.frombuffer(raw, np.dtype(kinds[code, bits]), count * align // np.dtype(kinds[code, bits]).itemsize)
    if code == _FLOAT:
        found = numbers.astype(np.float32)
    elif bits == 24:
        wide = np.zeros((count * channels, 4), np.uint8)
        wide[:, 1:] = numbers.reshape(-1, 3)
        found = wide.view("<i4")[:, 0] / np.float32(2**31)
    elif bits == 8:
        found = (numbers.astype(np.float32) - 128) / 128
    else:
        found = numbers / np.float32(2 ** (bits - 1))
    return _samples(found.astype(np.float32).reshape(count, channels).mean(axis=1), limits), rate
