"""What is refused when a model is looked at, whatever the table says; and that the judge says so."""

from __future__ import annotations

import pytest
from transformers import PretrainedConfig

from tests import models
from tests.integrations import judge_families
from torchpaged.errors import ModelError
from torchpaged.integrations import transformers as adapter


def test_verdicts(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "unsupported_reason", adapter.unsupported_reason)  # put back behind the judge
    judge_families.main(["bloom", "diffllama", "bert", "mamba", "mpt"])
    said = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert said["bloom"] == said["mpt"] == "equal"
    assert "layer 3 attends more than once" in said["diffllama"]
    assert "layer 3 is not causal" in said["bert"]
    assert "0 of 4 layers use the attention interface" in said["mamba"]


def test_a_supported_family_made_bidirectional_is_refused() -> None:
    with pytest.raises(ModelError, match="layer 3 is not causal"):
        adapter.wrap(models.build("gemma3_text", sliding_window=7, use_bidirectional_attention=True))


def test_layers_of_another_type_are_noticed() -> None:
    def reason(*kinds: str) -> str | None:
        return adapter.unknown_layers(PretrainedConfig(layer_types=list(kinds)))

    assert reason("full_attention", "sliding_attention", "chunked_attention") is None
    assert reason("full_attention", "linear_attention") == "layer 1 is of type 'linear_attention'"
    assert adapter.unknown_layers(PretrainedConfig()) is None
