"""The dashboard: its Prometheus queries match the server's metrics."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")

from tests.fakes import FakeModel, drain, engine, follow
from tests.tier_stores import DictStore
from torchpaged import SamplingParams
from torchpaged.serving.prometheus import text_of
from torchpaged.speculative_config import SpeculativeConfig

DASHBOARD = Path(__file__).resolve().parents[2] / "examples" / "grafana.json"


def test_each_metric_of_the_dashboard_is_exported() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    asked = {name for each in panels for t in each["targets"] for name in re.findall(r"\w+:\w+", t["expr"])}
    speculative = SpeculativeConfig(method="suffix", allow_inexact=True)
    running = engine(FakeModel(), speculative_config=speculative, max_step_ms=100, prefix_cache_dir=DictStore())
    text = text_of(running.get_metrics("fake"))
    told = set(re.findall(r"^(\w+:\w+)\{", text, re.MULTILINE))
    assert len(asked) > 20 and asked <= told
    # Each has one model's label to choose by, and no two panels one place.
    assert all(re.search(r'model_name="fake"', line) for line in text.splitlines() if not line.startswith("#"))
    places = {(each["gridPos"]["x"], each["gridPos"]["y"]) for each in panels}
    assert len(places) == len({each["id"] for each in panels}) == len(panels)


def observed(running: object, name: str) -> tuple[int, float]:
    (found,) = [each for each in running.get_metrics() if each.name == f"vllm:{name}"]  # type: ignore[attr-defined]
    return found.count, found.sum


def test_times_of_requests_and_tokens() -> None:
    running = engine(max_num_seqs=2)
    params = SamplingParams(temperature=0, max_tokens=6, ignore_eos=True)
    for name in "abcd":  # two of which wait for the others
        running.add_request(name, [3, 4], params)
    outputs = drain(running)
    assert all(output.outputs[0].token_ids == follow([3, 4], 6) for output in outputs.values())
    for output in outputs.values():
        times = output.metrics
        assert times.first_scheduled_time is not None and times.first_token_time is not None
        assert times.first_scheduled_time <= times.first_token_time <= (times.finished_time or 0)
    waited = sorted(each.metrics.first_scheduled_time - each.metrics.arrival_time for each in outputs.values())  # type: ignore
    assert waited[2] > waited[1]
    assert observed(running, "inter_token_latency_seconds")[0] == 4 * 5
    for name in ("queue", "prefill", "inference"):
        assert observed(running, f"request_{name}_time_seconds")[0] == 4
    queued, inferred = (observed(running, f"request_{name}_time_seconds")[1] for name in ("queue", "inference"))
    assert queued + inferred == pytest.approx(observed(running, "e2e_request_latency_seconds")[1], abs=0.05)


def test_what_is_kept_of_sequences_does_not_grow() -> None:
    running = engine(max_num_seqs=2)
    for name in range(150):
        running.add_request(str(name), [3, 4], SamplingParams(temperature=0, max_tokens=2, ignore_eos=True))
    drain(running)
    assert len(running._output_processor.ended._times) < 80
