"""A real instruct model through the chat, beside transformers: `evals/smollm2.py` has the conversations.

`TORCHPAGED_SMOLLM2` names the folder that `evals/smollm2.py prepare` has made; the package with the model is 93 MB.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evals import smollm2

FOLDER = os.environ.get("TORCHPAGED_SMOLLM2", "")


@pytest.mark.long
@pytest.mark.skipif(not Path(FOLDER, "model.safetensors").is_file(), reason="TORCHPAGED_SMOLLM2 names no folder")
def test_conversations_are_transformers() -> None:
    report = smollm2.compare(Path(FOLDER))
    assert report.num_answers == 60 and report.different == [] and report.misspoken == []
    assert report.least_share > 0.5, "a later turn's prompt is mostly what was said before"


def test_conversations_are_twenty_of_several_turns() -> None:
    assert len(smollm2.ASKED) == 20 and {len(lines) for lines in smollm2.ASKED} == {3}


@pytest.mark.long
@pytest.mark.skipif(not Path(FOLDER, "model.safetensors").is_file(), reason="TORCHPAGED_SMOLLM2 names no folder")
def test_the_pipeline_over_blocks_is_the_eager_one() -> None:
    """One conversation at a time, and in batches padded on the left."""
    report = smollm2.compare_pipeline(Path(FOLDER))
    assert report.num_answers == 60 and report.different == [] and report.different_padded == []
