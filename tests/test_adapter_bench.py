"""The benchmark of adapters, with tiny sizes: rows, targets, the files that it writes, the log of its server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from evals.bench import adapters, adapters_zipf, lora_inputs
from evals.bench.adapters_zipf import Events
from evals.bench.peers import checkpoint
from torchpaged.integrations.checkpoints.lora import read_adapter


def test_adapters_are_what_the_library_reads(tmp_path: Path) -> None:
    modules = lora_inputs.linears(checkpoint.TINY)
    assert len(modules) == 7 * checkpoint.TINY["num_hidden_layers"]
    folder = lora_inputs.write(modules, tmp_path / "a", 0)
    assert lora_inputs.write(modules, tmp_path / "a", 1) == folder  # written once
    read = read_adapter(folder, modules)
    assert read.rank == lora_inputs.RANK and read.modules.keys() == modules.keys()
    assert read.nbytes == lora_inputs.num_bytes(modules) < lora_inputs.weights_file(folder).stat().st_size


def test_a_gguf_adapter_has_the_numbers_of_its_folder(tmp_path: Path) -> None:
    pytest.importorskip("gguf", reason="gguf is not installed")
    from transformers import AutoConfig

    from evals.bench.peers import gguf_writer

    modules = lora_inputs.linears(checkpoint.TINY)
    folder = lora_inputs.write(modules, tmp_path / "a", 0)
    gguf_writer.convert_adapter(folder, tmp_path / "a.gguf")
    config = AutoConfig.for_model("qwen3", **checkpoint.TINY)
    found, expected = read_adapter(tmp_path / "a.gguf", modules, model_config=config), read_adapter(folder, modules)
    assert found.modules.keys() == expected.modules.keys()
    for name, each in expected.modules.items():
        assert found.modules[name].scale == each.scale == 1.0
        assert (found.modules[name].a.float() - each.a.float()).abs().max() < 1e-4


def test_steps_and_their_targets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "--tiny",
        "--models",
        "SmolLM2",
        "--weights",
        "bf16",
        "--seconds",
        "0",
        "--prefills",
        "1",
        "--peer-rounds",
        "0",
    ]
    adapters.main([*words, "--folder", str(tmp_path), "--output", str(tmp_path / "found")])
    rows = json.loads((tmp_path / "found.json").read_text())["rows"]
    assert [row["case"] for row in rows] == list(adapters.CASES)
    assert [row["pairs"] >= 3 for row in rows] == [True, True, True, True, False]
    share = rows[0]["share"]
    assert 0.2 < share < 0.4  # 0.08 of 0.27 MB
    assert [row["target"] for row in rows] == pytest.approx([1.03 + share, 1.08, 1.06 + 8 * share, 1.01, 1.08])
    assert all(row["met"] == (row["ratio"] <= row["target"]) for row in rows)
    assert len(capsys.readouterr().out.splitlines()) == 6


def test_the_log_tells_where_an_adapter_was() -> None:
    lines = [
        [1.0, "name", "c1", "a"],
        [1.1, "missed", "c1", ""],
        [1.4, "read", "c1", ""],
        [1.5, "slot", "c1", ""],
        [2.0, "found", "c1", ""],
        [2.1, "slot", "c1", ""],
    ]
    events = Events.parse("\n".join(map(json.dumps, lines)))
    assert events.place("a", 1.05, 1.6) == "disk"
    assert events.place("a", 1.3, 1.6) == "disk"  # it came while another request's turn waited for the file
    assert events.place("a", 1.9, 2.2) == "host"
    assert events.place("a", 2.5, 2.6) == "slot"
    assert events.place("base", 1.0, 2.0) == "base"


@pytest.mark.long
def test_zipf_traffic_through_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--zipf", "--tiny", "--adapters", "6", "--max-loras", "2", "--max-cpu-loras", "3", "--clients", "3"]
    adapters.main([*words, "--requests", "30", "--folder", str(tmp_path), "--output", str(tmp_path / "found")])
    found = json.loads((tmp_path / "found.json").read_text())
    (run,) = found["runs"]
    firsts = run["first_token_seconds"]
    assert sum(each["requests"] for each in firsts.values()) == run["requests"] == 30
    assert firsts["disk"]["requests"] > 0 and run["reads"] > 0  # 6 adapters, of which memory keeps 3
    assert all(each["p50"] <= each["p99"] <= each["longest"] for each in firsts.values())
    assert run["turns"]["misses"] > 0 and 0 <= run["share_in_slots"] <= run["share_in_host_memory"] <= 1
    assert found["loading"]["bytes"] > 0 and found["memory"]["peak"] > found["memory"]["before_adapters"]
    assert "clients" in capsys.readouterr().out


def test_requests_follow_zipfs_law() -> None:
    names = [f"adapter-{number}" for number in range(50)]
    asked = adapters_zipf.requests(names, 4000, 100, 0)
    counts = [sum(each["model"] == name for each in asked) for name in ["base", *names]]
    assert 400 < counts[0] < 600  # one in eight
    assert 1.6 < counts[1] / counts[2] < 2.5 and 3 < counts[1] / counts[4] < 5.5
