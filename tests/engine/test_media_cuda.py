"""Images on a simulated CUDA device: tokens are the CPU's, and no launch waits for the device except to encode."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.test_media import PROMPTS, run, tokens
from tests.execution.test_cuda_steps import cuda  # noqa: F401
from tests.fake_cuda import FakeCuda
from tests.media_model import MediaModel, engine
from torchpaged import SamplingParams


@pytest.mark.parametrize("kind", [{}, {"axes": 3}, {"both_ways": True}], ids=str)
@pytest.mark.parametrize("settings", [{}, {"max_num_batched_tokens": 13}], ids=str)
def test_tokens_are_those_of_the_whole_text(
    kind: dict[str, Any],
    settings: dict[str, Any],
    cuda: FakeCuda,  # noqa: F811
) -> None:
    own = MediaModel(**kind)
    params = SamplingParams(temperature=0, max_tokens=8, ignore_eos=True)
    expected = [own.generate(each, 8) for each in PROMPTS]
    running = engine(MediaModel(**kind, device="cuda"), max_num_seqs=8, compile=False, **settings)
    assert running.executor.runner.graphs is not None  # type: ignore[attr-defined]
    for _ in range(2):  # the second time with hits
        assert tokens(run(running, PROMPTS, params)) == expected
