"""Images on a GPU, in graphs and in steps that overlap: the tokens of the whole text without a cache, on the CPU."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.test_media import PROMPTS, run, tokens
from tests.media_model import MediaModel, engine
from torchpaged import SamplingParams

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("kind", [{}, {"axes": 3}, {"both_ways": True}], ids=str)
@pytest.mark.parametrize("settings", [{}, {"max_num_batched_tokens": 13}, {"encoder_cache_tokens": 12}], ids=str)
def test_tokens_are_those_of_the_whole_text(kind: dict[str, Any], settings: dict[str, Any]) -> None:
    own = MediaModel(**kind)
    params = SamplingParams(temperature=0, max_tokens=12, ignore_eos=True)
    expected = [own.generate(each, 12) for each in PROMPTS]
    running = engine(MediaModel(**kind, device="cuda"), max_num_seqs=8, compile=False, **settings)
    for _ in range(2):  # the second time with hits
        assert tokens(run(running, PROMPTS, params)) == expected
