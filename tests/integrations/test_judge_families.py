"""Models that are refused by their structure, even if the table has them, and the reasons in the errors."""

from __future__ import annotations

import pytest
from transformers import PretrainedConfig

from tests import models
from tests.integrations import judge_families
from torchpaged.errors import ModelError
from torchpaged.integrations.transformers import adapter
from torchpaged.integrations.transformers.attention_interface import Probe
from torchpaged.models.model import LayerShape


def test_verdicts(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "unsupported_reason", adapter.unsupported_reason)  # restored after the judge
    judge_families.main(["bloom", "diffllama", "roberta-prelayernorm", "xlstm", "mpt", "nemotron_h"])
    said = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert said["bloom"] == said["mpt"] == said["nemotron_h"] == "equal"
    assert "layer 3 attends more than once" in said["diffllama"]
    assert "layer 3 is not causal" in said["roberta-prelayernorm"]
    assert "0 of 4 layers use the attention interface" in said["xlstm"]


def test_a_supported_family_made_bidirectional_is_refused() -> None:
    with pytest.raises(ModelError, match="layer 3 is not causal"):
        adapter.wrap(models.build("gemma3_text", sliding_window=7, use_bidirectional_attention=True))


def test_layers_of_another_type_are_noticed() -> None:
    keys, state = LayerShape(2, 16, 16), ((4, 8, 12), 68)

    def reason(*kinds: str, attends: int = 3, recurs: tuple[int, ...] = ()) -> str | None:
        """Return the reason to refuse layers of these types, the first of which attend."""
        probe = Probe(dict.fromkeys(range(attends), keys), recurrences=dict.fromkeys(recurs, state))
        return adapter.unknown_layers(PretrainedConfig(layer_types=list(kinds)), probe)

    assert reason("full_attention", "sliding_attention", "chunked_attention") is None
    assert reason("conv", "hybrid", "linear_attention", "moe", attends=2, recurs=(1, 2)) is None
    assert reason("full_attention", "foreseeing_attention") == "layer 1 is of type 'foreseeing_attention'"
    says = "layer 1 is of type 'linear_attention' and was found to attend alone"
    assert reason("full_attention", "linear_attention") == says
    assert reason("hybrid", attends=0, recurs=(0,)) == "layer 0 is of type 'hybrid' and was found to recur alone"
    assert adapter.unknown_layers(PretrainedConfig(), Probe()) is None
