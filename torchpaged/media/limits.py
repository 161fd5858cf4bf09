"""MediaLimits: bounds on the images, sounds and videos of a prompt, and so on the memory and time to read them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MediaLimits:
    """Limits on the files of one prompt.

    Args:
        num_bytes: most bytes of all files of a prompt together, as they are stored.
        pixels: most pixels of an image. A camera of 50 megapixels is within; an RGB image takes three bytes a pixel.
        all_pixels: most pixels of all images of a prompt together, and of all frames of its videos.
        frames: most frames that are taken of a video's file, in even steps, as in vLLM; given frames are all taken.
        decoded_frames, decoded_pixels: most frames of a video's file, and their pixels, which are all decoded.
        samples: most samples of all sounds of a prompt together, each channel counted: half an hour at 16 kHz.
        seconds: most time for downloading all files of a prompt.
    """

    num_bytes: int = 32 << 20
    pixels: int = 64 << 20
    all_pixels: int = 128 << 20
    frames: int = 32
    decoded_frames: int = 20_000
    decoded_pixels: int = 4 << 30
    samples: int = 30 * 60 * 16_000
    seconds: float = 10.0


LIMITS = MediaLimits()
