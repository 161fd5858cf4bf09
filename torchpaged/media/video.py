"""Reads videos of prompts: frames that are given as arrays or images, or a file, some of whose frames PyAV decodes."""

from __future__ import annotations

import io
import math
import numbers
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from torchpaged.errors import MissingPackageError
from torchpaged.media.limits import LIMITS, MediaLimits
from torchpaged.media.reading import image_from, require_pixels

if TYPE_CHECKING:
    import numpy as np

# Containers by their first bytes, with the offset, under FFmpeg's names. Its other formats include playlists,
# which name further files and hosts.
_CONTAINERS = ((4, b"ftyp", "mov"), (0, b"\x1a\x45\xdf\xa3", "matroska"), (8, b"AVI ", "avi"))
_KNOWN = frozenset(["fps", "duration", "total_num_frames", "frames_indices", "do_sample_frames", "video_backend"])
_FASTEST = 1000.0  # frames a second
_MOST_TOLD = 1e12  # largest number of metadata: a frame, or seconds


class Video(NamedTuple):
    """The frames of a video that a prompt has.

    Args:
        frames: [num_frames, height, width, 3] uint8.
        metadata: what transformers' VideoMetadata has: total_num_frames, fps, duration and frames_indices of the video
            that the frames are from.
    """

    frames: np.ndarray
    metadata: dict[str, Any]

    @property
    def num_pixels(self) -> int:
        """Pixels of all frames together."""
        return int(self.frames[..., 0].size)


def is_video(value: Any) -> bool:
    """Return True for a list of frames, as opposed to one of videos."""
    if not isinstance(value, (list, tuple)) or not value:
        return False
    first = value[0]
    dimensions = len(shape) if (shape := getattr(first, "shape", None)) is not None else 0
    return hasattr(first, "getbands") or dimensions == 3  # an image of Pillow, or an array of one frame


def video_from(value: Any, limits: MediaLimits = LIMITS) -> Video:
    """Return the frames of a video.

    Args:
        value: the bytes of an MP4, MOV, WebM, Matroska or AVI file, of which at most `limits.frames` frames are taken,
            in even steps; an array or tensor [num_frames, height, width, channels] or [num_frames, channels, height,
            width], as `image_from` takes a frame of it; a list of images; or a pair of frames and a dictionary with
            fps, duration, total_num_frames and frames_indices, as in vLLM.

    Raises:
        ValueError: it is none of those, too large, or cannot be decoded.
        MissingPackageError: it is a file, and PyAV is not installed.
    """
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _decoded(bytes(value), limits)
    given: Mapping[str, Any] = {}
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], Mapping):
        value, given = value
    is_array = hasattr(value, "shape") and hasattr(value, "dtype")
    if not is_array and not is_video(value):
        raise ValueError(
            f"it is a {type(value).__name__}, expected an array of frames, a list of images, the bytes of a file, a "
            "URL or a path"
        )
    if is_array and len(value.shape) != 4:
        raise ValueError(f"it has the shape {list(value.shape)}, expected [num_frames, height, width, channels]")
    if not len(value):
        raise ValueError("it has 0 frames, expected at least one")
    frames = _stacked(value, limits)
    return Video(frames, _metadata(given, len(frames)))


def _stacked(value: Any, limits: MediaLimits) -> np.ndarray:
    import numpy as np

    found: list[np.ndarray] = []
    total = 0
    for number, each in enumerate(value):
        try:
            image = image_from(each, limits)
        except ValueError as error:
            raise ValueError(f"frame {number}: {error}") from None
        if found and (image.height, image.width) != found[0].shape[:2]:
            height, width = found[0].shape[:2]
            raise ValueError(
                f"frame {number} has {image.width} x {image.height} pixels, and frame 0 {width} x {height}"
            )
        total += image.width * image.height
        _require_total(total, limits)
        found.append(np.asarray(image))
    frames: np.ndarray = np.stack(found)
    return frames


def _require_total(pixels: int, limits: MediaLimits) -> None:
    if pixels > limits.all_pixels:
        raise ValueError(
            f"its frames have {pixels} pixels or more together, expected at most {limits.all_pixels}; give fewer or "
            "smaller ones"
        )


def _metadata(given: Mapping[str, Any], num_frames: int) -> dict[str, Any]:
    """Return the metadata of given frames."""
    if unknown := sorted(map(str, given.keys() - _KNOWN)):
        raise ValueError(f"its metadata has {unknown[0]!r:.80}, expected {', '.join(sorted(_KNOWN))}")
    fps, duration, total = (given.get(name) for name in ("fps", "duration", "total_num_frames"))
    for name, number in (("fps", fps), ("duration", duration), ("total_num_frames", total)):
        is_number = isinstance(number, numbers.Real) and not isinstance(number, bool)  # numpy's are too
        if number is not None and not (is_number and 0 < number <= _MOST_TOLD):
            raise ValueError(f"its metadata has {name}={number!r:.80}, expected a number above 0")
    if fps is not None and fps > _FASTEST:
        raise ValueError(f"its metadata has fps={fps}, expected at most {_FASTEST:g}")
    indices = given.get("frames_indices")
    places = list(range(num_frames)) if indices is None else _places(indices)
    if len(places) != num_frames or min(places) < 0:
        raise ValueError(f"its metadata has {len(places)} frames_indices, expected one of 0 or more for each frame")
    whole = max(num_frames, max(places) + 1)
    return {
        "total_num_frames": whole if total is None else max(int(total), whole),
        "fps": None if fps is None else float(fps),
        "duration": None if duration is None else float(duration),
        "frames_indices": places,
    }


def _places(indices: Any) -> list[int]:
    """Return the places of frames in their video, from a list, an array or a tensor."""
    found = indices.tolist() if hasattr(indices, "tolist") else indices
    if not isinstance(found, (list, tuple)) or not all(
        isinstance(each, numbers.Integral) and each <= _MOST_TOLD for each in found
    ):
        raise ValueError(f"its metadata has frames_indices={indices!r:.80}, expected a list of integers")
    return [int(each) for each in found]


def _decoded(data: bytes, limits: MediaLimits) -> Video:
    """Decode frames of a file in even steps."""
    names = (name for start, magic, name in _CONTAINERS if data[start : start + len(magic)] == magic)
    container = next(names, None)
    if container is None:
        raise ValueError(f"its {len(data)} bytes are no video, expected an MP4, MOV, WebM, Matroska or AVI file")
    try:
        import av
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            "video files need PyAV, which is not installed: pip install 'torchpaged[video]'; or give frames as an array"
        ) from error
    try:
        with av.open(io.BytesIO(data), format=container, metadata_errors="ignore") as file:
            return _taken(file, limits)
    except Exception as error:  # of broken files: FFmpegError and Python's own
        if isinstance(error, (ValueError, MemoryError)) and not isinstance(error, av.error.FFmpegError):
            raise
        raise ValueError(f"it cannot be decoded: {error!s:.200}") from None


def _taken(file: Any, limits: MediaLimits) -> Video:
    """Return frames of an opened file, turned as it says.

    Frames between them are decoded too, since later ones are made of them.
    """
    import numpy as np

    streams = [each for each in file.streams.video if each.codec_context is not None]
    if not streams:
        raise ValueError("its file has no video that can be decoded")
    stream = streams[0]
    require_pixels((stream.codec_context.width, stream.codec_context.height), limits)
    total = sum(packet.size > 0 for packet in file.demux(stream))
    if not total:
        raise ValueError("its file has no frames")
    if total > limits.decoded_frames:
        raise ValueError(f"its file has {total} frames, expected at most {limits.decoded_frames}; cut it")
    file.seek(0, stream=stream)
    count = min(total, limits.frames)
    wanted = [round(place * (total - 1) / max(1, count - 1)) for place in range(count)]
    frames: list[np.ndarray] = []
    places: list[int] = []
    pixels = quarters = 0
    for number, frame in enumerate(file.decode(stream)):
        require_pixels((frame.width, frame.height), limits)  # a stream may change its size
        pixels += frame.width * frame.height
        if pixels > limits.decoded_pixels:
            raise ValueError(
                f"its frames have more than {limits.decoded_pixels} pixels together; cut it or scale it down"
            )
        if len(places) < count and number == wanted[len(places)]:
            size = frames[0].shape[:2] if frames else (frame.height, frame.width)
            _require_total((len(frames) + 1) * size[0] * size[1], limits)
            quarters = round(frame.rotation / 90) if not frames else quarters  # counterclockwise, of a phone's videos
            frames.append(frame.reformat(width=size[1], height=size[0], format="rgb24").to_ndarray())
            places.append(number)
    if not frames:
        raise ValueError("none of its frames can be decoded")
    rate = float(stream.average_rate) if stream.average_rate else None
    metadata = {
        "total_num_frames": total,
        "fps": rate if rate and math.isfinite(rate) and 0 < rate <= _FASTEST else None,
        "frames_indices": places,
    }
    duration = total / metadata["fps"] if metadata["fps"] else None
    turned = np.ascontiguousarray(np.rot90(np.stack(frames), quarters, axes=(1, 2)))
    return Video(turned, {**metadata, "duration": duration})
