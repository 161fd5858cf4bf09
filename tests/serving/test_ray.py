"""Ray itself, on this machine: `make test-ray` installs it. Actors die, runs are interrupted, replicas answer."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="ray is not installed: make test-ray")
pytest.importorskip("openai", reason="openai is not installed")

import openai
import pyarrow as pa
import pyarrow.parquet
import ray
from ray import serve
from ray.data.checkpoint import CheckpointConfig

from tests.models import STDLIB_LM
from tests.ports import free_port
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ConfigError
from torchpaged.serving.ray import BatchLLM, build_openai_app

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = [f"def name_{number}(" for number in range(24)]
SAMPLING = {"temperature": 0.8, "seed": 5, "max_tokens": 12}
SETTINGS = {"num_blocks": 200, "dtype": "bfloat16"}
OPEN = {"allow_anonymous": True}


class Clumsy(BatchLLM):
    """An actor that kills its process at its first batch, once, and records each row that it computes."""

    def __init__(self, *args: Any, notes: str, dies: bool, **more: Any) -> None:
        super().__init__(*args, **more)
        self._notes, self._dies = Path(notes), dies

    async def __call__(self, batch: pa.Table) -> pa.Table:
        done = await super().__call__(batch)
        if self._dies and not (death := self._notes / "death").exists():
            death.touch()
            os._exit(1)
        for id in batch.column("id").to_pylist():
            (self._notes / f"{id}-{time.time_ns()}").touch()
        return done


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    # CPUs as Ray counts them; a checkpoint's filter and a reader take one each in addition to two actors of two ranks.
    environment = {"PYTHONPATH": str(ROOT)}
    ray.init(num_cpus=6, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": environment})
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def expected() -> list[list[int]]:
    """Return the tokens of a single process."""
    with LLM(STDLIB_LM, **SETTINGS) as llm:
        outputs = llm.generate(PROMPTS, SamplingParams(**SAMPLING), use_tqdm=False)
    return [list(output.outputs[0].token_ids) for output in outputs]


def mapped(dataset: Any, notes: Path, *, dies: bool, **more: Any) -> Any:
    given = {
        "model": str(STDLIB_LM),
        "sampling_params": SAMPLING,
        "notes": str(notes),
        "dies": dies,
        **SETTINGS,
        **more,
    }
    return dataset.map_batches(
        Clumsy,
        fn_constructor_kwargs=given,
        batch_format="pyarrow",
        batch_size=4,
        compute=ray.data.ActorPoolStrategy(size=2),
        num_cpus=1,
    )


def test_two_actors_one_of_which_dies_give_what_one_process_gives(
    cluster: None, expected: list[list[int]], tmp_path: Path
) -> None:
    table = pa.table({"id": list(range(24)), "prompt": PROMPTS})
    dataset = ray.data.from_arrow(table).repartition(6)
    rows = sorted(mapped(dataset, tmp_path, dies=True).take_all(), key=lambda row: row["id"])
    assert (tmp_path / "death").exists()
    assert [list(row["generated_tokens"]) for row in rows] == expected
    assert [row["prompt"] for row in rows] == PROMPTS and not any(row["error"] for row in rows)


def test_two_actors_of_two_ranks(cluster: None, tmp_path: Path) -> None:
    """Actors of two ranks give the texts of one process; one actor dies, and its work is done again."""
    settings: dict[str, Any] = {**SETTINGS, "tensor_parallel_size": 2}
    with LLM(STDLIB_LM, **settings) as llm:
        outputs = llm.generate(PROMPTS, SamplingParams(**SAMPLING), use_tqdm=False)
    table = pa.table({"id": list(range(24)), "prompt": PROMPTS})
    dataset = ray.data.from_arrow(table).repartition(6)
    found = mapped(dataset, tmp_path, dies=True, tensor_parallel_size=2).take_all()
    rows = sorted(found, key=lambda row: row["id"])
    assert (tmp_path / "death").exists()
    assert [list(row["generated_tokens"]) for row in rows] == [list(each.outputs[0].token_ids) for each in outputs]
    assert not any(row["error"] for row in rows)


def test_a_run_goes_on_where_one_was_cut_off(cluster: None, expected: list[list[int]], tmp_path: Path) -> None:
    notes, source = tmp_path / "notes", tmp_path / "source.parquet"
    notes.mkdir()
    context = ray.data.DataContext.get_current()
    context.checkpoint_config = CheckpointConfig(
        id_column="id", checkpoint_path=str(tmp_path / "progress"), delete_checkpoint_on_success=False
    )
    try:
        for count in (10, 24):  # what a run that was cut off has written, and all of it
            pa.parquet.write_table(pa.table({"id": list(range(count)), "prompt": PROMPTS[:count]}), source)
            dataset = ray.data.read_parquet(str(source), override_num_blocks=4)
            mapped(dataset, notes, dies=False).write_parquet(str(tmp_path / "done"), mode="append")
    finally:
        context.checkpoint_config = None
    assert sorted(int(path.name.split("-")[0]) for path in notes.iterdir()) == list(range(24)), "once each"
    rows = sorted(pa.parquet.read_table(tmp_path / "done").to_pylist(), key=lambda row: row["id"])
    assert [row["generated_tokens"] for row in rows] == expected


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_replica_answers_openai_s_client_and_is_replaced(ranks: int, cluster: None) -> None:
    port = free_port()
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    app = build_openai_app(
        {
            "model": str(STDLIB_LM),
            "engine_kwargs": {**SETTINGS, "tensor_parallel_size": ranks},
            "server_options": {"served_model_name": ["stdlib"], "api_key": ["correct-horse"]},
            "deployment_config": {"num_replicas": 1, "ray_actor_options": {"num_cpus": 1}, "health_check_period_s": 1},
        }
    )
    try:
        serve.run(app)
        base_url = f"http://127.0.0.1:{port}/v1"
        client = openai.OpenAI(base_url=base_url, api_key="correct-horse", timeout=60, max_retries=30)
        request: Any = {"model": "stdlib", "prompt": "def main(", "max_tokens": 8, "temperature": 0}
        whole = client.completions.create(**request)
        assert whole.usage is not None and whole.usage.completion_tokens == 8
        streamed = [chunk.choices[0].text for chunk in client.completions.create(**request, stream=True)]
        assert len(streamed) > 1 and "".join(streamed) == whole.choices[0].text
        with pytest.raises(openai.AuthenticationError):
            openai.OpenAI(base_url=base_url, api_key="wrong-horse").models.list()
        with pytest.raises(openai.BadRequestError, match="temperature"):
            client.completions.create(**{**request, "temperature": -1})
        named = ray.util.list_named_actors(all_namespaces=True)
        (replica,) = [each for each in named if each["name"].startswith("SERVE_REPLICA")]
        ray.kill(ray.get_actor(**replica))
        assert client.completions.create(**request).choices[0].text == whole.choices[0].text
    finally:
        serve.shutdown()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ({}, "model is None"),
        ({"modell": "x"}, "did you mean 'model'"),
        ({"model": "x"}, "there is no key"),
        ({"model": "x", "server_options": {"api_key": ["correct-horse"], "port": 80}}, "port is Ray Serve's"),
        ({"model": "x", "server_options": {"allow_anonymus": True}}, "did you mean 'allow_anonymous'"),
        ({"model": "x", "server_options": {"chat_template": "x"}}, "chat_template is a setting of LLM.*engine_kw"),
        ({"model": "x", "server_options": OPEN, "engine_kwargs": {"blocksize": 8}}, "did you mean 'block_size'"),
        ({"model": "x", "server_options": OPEN, "engine_kwargs": {"dtype": "wide"}}, "dtype is 'wide'"),
    ],
)
def test_what_is_refused_before_there_is_a_replica(args: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        build_openai_app(args)


@pytest.mark.parametrize("name", ["ray_batch.py", "ray_serve.py"])
def test_examples(name: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "examples" / name)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("def sum_of_0(" if name == "ray_batch.py" else "self):")
