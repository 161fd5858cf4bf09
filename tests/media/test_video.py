"""Videos of prompts: frames in several forms, files, and what is refused."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from torchpaged.media.limits import MediaLimits
from torchpaged.media.video import is_video, video_from

PIXELS = np.random.default_rng(0).integers(0, 255, (3, 6, 8, 3), dtype=np.uint8)


@pytest.mark.parametrize(
    "value",
    [
        PIXELS,
        torch.from_numpy(PIXELS),
        torch.from_numpy(PIXELS).permute(0, 3, 1, 2),
        PIXELS / np.float32(255),
        [Image.fromarray(each) for each in PIXELS],
        list(PIXELS),
        (PIXELS, {}),
    ],
    ids=["array", "tensor", "channels first", "floats", "images", "frames", "pair"],
)
def test_frames_in_several_forms(value: Any) -> None:
    found = video_from(value)
    np.testing.assert_array_equal(found.frames, PIXELS)
    assert found.num_pixels == 3 * 6 * 8
    assert found.metadata == {"total_num_frames": 3, "fps": None, "duration": None, "frames_indices": [0, 1, 2]}


def test_metadata_of_given_frames() -> None:
    about = {"fps": 2, "duration": 4.5, "total_num_frames": 9, "frames_indices": np.array([0, 4, 8])}
    found = video_from((PIXELS, {**about, "video_backend": "opencv", "do_sample_frames": False}))
    assert found.metadata == {"total_num_frames": 9, "fps": 2, "duration": 4.5, "frames_indices": [0, 4, 8]}
    of_numpy = {"fps": np.float32(2), "duration": np.float64(4.5), "total_num_frames": np.int64(9)}
    assert video_from((PIXELS, {**about, **of_numpy})).metadata == found.metadata


def test_one_video_or_several() -> None:
    frames = [Image.fromarray(each) for each in PIXELS]
    assert is_video(frames) and is_video(list(PIXELS))
    assert not is_video([PIXELS]) and not is_video([frames]) and not is_video([(PIXELS, {})]) and not is_video(["a"])


LIMITS = MediaLimits(pixels=100, all_pixels=200, frames=4, decoded_frames=12, decoded_pixels=100 * 12)
BAD: dict[str, tuple[Any, str]] = {
    "a number": (3, "a int, expected an array of frames"),
    "one image": (PIXELS[0], r"shape \[6, 8, 3\], expected \[num_frames"),
    "no frames": (PIXELS[:0], "0 frames, expected at least one"),
    "channels": (PIXELS[..., :2], "frame 0: it has the shape"),
    "sizes": ([PIXELS[0], PIXELS[0, :4]], "frame 1 has 8 x 4 pixels, and frame 0 8 x 6"),
    "large frames": (np.zeros((1, 11, 11, 3), np.uint8), "frame 0: it has 11 x 11 pixels, expected at most 100"),
    "many frames": (np.zeros((5, 6, 8, 3), np.uint8), "have 240 pixels or more together, expected at most 200"),
    "an option": ((PIXELS, {"rate": 3}), "its metadata has 'rate', expected"),
    "fps": ((PIXELS, {"fps": float("nan")}), "has fps=nan, expected a number above 0"),
    "fast": ((PIXELS, {"fps": 1e9}), "expected at most 1000"),
    "places": ((PIXELS, {"frames_indices": [0]}), "has 1 frames_indices, expected one"),
    "no places": ((PIXELS, {"frames_indices": 5}), "has frames_indices=5, expected a list of integers"),
    "places of texts": ((PIXELS, {"frames_indices": "012"}), "has frames_indices='012', expected a list of integers"),
    "no frame": ((PIXELS, {"frames_indices": [0, 1, None]}), "expected a list of integers"),
    "infinity": ((PIXELS, {"frames_indices": [0, 1, float("inf")]}), "expected a list of integers"),
    "halves": ((PIXELS, {"frames_indices": [0, 1, 1.5]}), "expected a list of integers"),
    "huge": ((PIXELS, {"total_num_frames": 10**400}), "has total_num_frames=1000.*, expected a number above 0"),
    "no file": (b"#EXTM3U\nfile:///etc/passwd", "no video, expected an MP4"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused(case: str) -> None:
    value, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        video_from(value, LIMITS)


def written(num_frames: int, size: tuple[int, int] = (16, 16), container: str = "mp4", codec: str = "mpeg4") -> bytes:
    """Return a video file whose frames get brighter."""
    av = pytest.importorskip("av")
    file = io.BytesIO()
    with av.open(file, "w", format=container) as output:
        stream = output.add_stream(codec, rate=10, options={})
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for number in range(num_frames):
            shade = np.full((size[1], size[0], 3), number * 20, np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(shade, format="rgb24")):
                output.mux(packet)
        for packet in stream.encode():
            output.mux(packet)
    return file.getvalue()


@pytest.mark.parametrize(
    ("container", "codec"), [("mp4", "mpeg4"), ("matroska", "mpeg4"), ("avi", "mpeg4"), ("webm", "vp9")]
)
def test_frames_of_files_are_taken_in_even_steps(container: str, codec: str) -> None:
    limits = MediaLimits(frames=4)
    found = video_from(written(10, container=container, codec=codec), limits)
    assert found.frames.shape == (4, 16, 16, 3) and found.frames.dtype == np.uint8
    assert found.metadata["frames_indices"] == [0, 3, 6, 9]
    assert found.metadata["total_num_frames"] == 10 and found.metadata["fps"] == pytest.approx(10)
    shades = found.frames.reshape(4, -1).mean(1)
    np.testing.assert_allclose(shades, [0, 60, 120, 180], atol=12)
    assert len(video_from(written(3, container=container, codec=codec), limits).frames) == 3


@pytest.mark.parametrize("quarters", range(4))
def test_frames_are_turned_as_the_file_says(quarters: int) -> None:
    """A phone that is held upright writes frames that lie, and a matrix."""
    av = pytest.importorskip("av")
    file, lying = io.BytesIO(), np.zeros((16, 32, 3), np.uint8)
    lying[:8, :16] = 200
    with av.open(file, "w", format="mp4") as output:
        stream = output.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 32, 16, "yuv420p"
        for packet in [*stream.encode(av.VideoFrame.from_ndarray(lying, format="rgb24")), *stream.encode()]:
            output.mux(packet)
    data = bytearray(file.getvalue())
    place = data.index(b"tkhd") + 4 + 40  # the matrix is behind times, layer and volume
    sine, cosine = ((0, 1), (1, 0), (0, -1), (-1, 0))[quarters]
    data[place : place + 36] = struct.pack(
        ">9i", *(each << 16 for each in (cosine, sine, 0, -sine, cosine, 0, 0, 0)), 1 << 30
    )
    (frame,) = video_from(bytes(data)).frames
    assert np.abs(frame.astype(int) - np.rot90(lying, -quarters)).max() < 40


def test_files_that_are_refused() -> None:
    """Truncated, of other contents, with too many frames or pixels; each names what is wrong."""
    whole = written(10)
    for end in range(0, len(whole), 97):
        try:
            assert len(video_from(whole[:end]).frames)
        except ValueError as error:
            assert str(error)
    rng = np.random.default_rng(0)
    for _ in range(30):
        damaged = bytearray(whole)
        for place in rng.integers(12, len(whole), 8):
            damaged[place] = rng.integers(256)
        try:
            assert len(video_from(bytes(damaged), MediaLimits(pixels=1 << 16)).frames)
        except ValueError as error:
            assert str(error)
    with pytest.raises(ValueError, match="has 13 frames, expected at most 12"):
        video_from(written(13), MediaLimits(decoded_frames=12))
    with pytest.raises(ValueError, match="16 x 16 pixels, expected at most 100"):
        video_from(whole, MediaLimits(pixels=100))
    with pytest.raises(ValueError, match="frames have more than 1024 pixels together"):
        video_from(whole, MediaLimits(decoded_pixels=4 * 16 * 16))
    with pytest.raises(ValueError, match="expected at most 600"):
        video_from(whole, MediaLimits(all_pixels=600))
