"""Items that transformers' processors cannot process, or only with more memory than there is, are refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests import vision_models
from torchpaged.errors import RequestError
from torchpaged.integrations.transformers.media_processor import media_processor


@pytest.mark.parametrize("name", ["llava", "vipllava"])
def test_lines_that_would_become_huge(name: str) -> None:
    """CLIP's processor gives the shorter side 32 pixels before it cuts: of a line it makes 102 million of them."""
    made = vision_models.build(name)
    processor = media_processor(made.processor, made.model.config)

    def read(of: tuple[int, int], **options: Any) -> int:
        images = [Image.new("L", (32, 32)), Image.new("L", of)]
        text = f"{made.placeholder}{made.placeholder}"
        return len(
            processor.process("request '0'", text, {"image": [each.convert("RGB") for each in images]}, options)[0]
        )

    for size in ((1, 100_000), (100_000, 1)):
        with pytest.raises(RequestError) as caught:
            read(size)
        said = (
            f"request '0': image 1: it has {size[0]} x {size[1]} pixels, of which CLIPImageProcessorPil makes 102400000"
        )
        assert str(caught.value) == f"{said}, with 32 on the shorter side; expected at most 67108864; cut it"
    with pytest.raises(RequestError, match="makes 102400000, with 320 on the shorter side"):
        read((1, 1000), size={"shortest_edge": 320})
    count = read((32, 32))
    assert read((1, 1000)) == read((300, 200)) == read((1, 2000), size={"shortest_edge": 32}) == count


@pytest.mark.parametrize("name", ["granite_speech", "fun_asr_nano"])
def test_sounds_shorter_than_a_window(name: str) -> None:
    made = vision_models.build(name)
    processor = media_processor(made.processor, made.model.config)
    sounds = [vision_models.sound(1), (np.ones(9, np.float32), 16_000)]
    if name == "fun_asr_nano":  # it takes one sound a prompt
        del sounds[0]
    said = f"request '0': .* cannot read the prompt: audio {len(sounds) - 1} of size 9: "
    with pytest.raises(RequestError, match=said):
        processor.process("request '0'", made.placeholder * len(sounds), {"audio": sounds}, {})


def test_images_without_a_token_between_them() -> None:
    """Positions of several axes are told by runs of placeholders: two images in one would have those of the first."""
    made = vision_models.build("qwen2_vl")
    processor = media_processor(made.processor, made.model.config)
    images = [vision_models.image(1), vision_models.image(2)]
    with pytest.raises(RequestError) as caught:
        processor.process("request '0'", "a<|image_pad|><|image_pad|>", {"image": images}, {})
    said = "request '0': two items of type image follow each other, and their positions are told apart by the tokens "
    assert str(caught.value) == f"{said}between them; write {made.placeholder!r} for each"
    assert len(processor.process("request '0'", "<|image_pad|> <|image_pad|>", {"image": images}, {})[1].items) == 2
