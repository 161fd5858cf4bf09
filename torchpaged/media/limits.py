"""MediaLimits: bounds on the images and sounds of one prompt, and so on the memory and time that reading them takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MediaLimits:
    """Limits on the files of one prompt.

    Args:
        num_bytes: most bytes of all files of a prompt together, as they are stored.
        pixels: most pixels of an image. A camera of 50 megapixels is within; an RGB image takes three bytes a pixel.
        all_pixels: most pixels of all images of a prompt together.
        samples: most samples of all sounds of a prompt together, each channel counted: half an hour at 16 kHz.
        seconds: most time for downloading all files of a prompt.
    """

    num_bytes: int = 32 << 20
    pixels: int = 64 << 20
    all_pixels: int = 128 << 20
    samples: int = 30 * 60 * 16_000
    seconds: float = 10.0


LIMITS = MediaLimits()
