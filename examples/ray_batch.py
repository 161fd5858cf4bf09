"""Completes a file of prompts with Ray Data: two actors process its rows, and an interrupted run can be resumed.

Run it from the root: `python examples/ray_batch.py`; it needs `pip install '.[ray]'`.
"""

import json
import tempfile
from pathlib import Path

import pyarrow.parquet
import ray
from ray.data.checkpoint import CheckpointConfig

from torchpaged.serving.ray import BatchLLM

MODEL = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"


def complete(source, folder, progress):
    """Read lines of {"id", "prompt"}, and write them with their completions to Parquet files.

    Ray Data records in `progress` which ids have been written, and skips these in the next run.
    """
    context = ray.data.DataContext.get_current()
    context.checkpoint_config = CheckpointConfig(
        id_column="id", checkpoint_path=str(progress), delete_checkpoint_on_success=False
    )
    rows = ray.data.read_json(str(source), override_num_blocks=8)
    rows.map_batches(
        BatchLLM,
        fn_constructor_kwargs={
            "model": str(MODEL),
            "sampling_params": {"temperature": 0.7, "seed": 1, "max_tokens": 16},
            "num_blocks": 256,
        },
        batch_format="pyarrow",
        batch_size=16,
        compute=ray.data.ActorPoolStrategy(size=2),
        num_cpus=1,
    ).write_parquet(str(folder), mode="append")


if __name__ == "__main__":
    # Ray assigns CPUs: one to each actor, whose torch uses as many threads, and two to reading and writing.
    ray.init(num_cpus=4, include_dashboard=False)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = [{"id": number, "prompt": f"def sum_of_{number}("} for number in range(40)]
        for count in (25, 40):  # the second run computes the 15 new prompts only
            source = folder / "prompts.jsonl"
            source.write_text("".join(json.dumps(line) + "\n" for line in lines[:count]))
            complete(source, folder / "completions", folder / "progress")
        found = sorted(pyarrow.parquet.read_table(folder / "completions").to_pylist(), key=lambda row: row["id"])
        assert [row["id"] for row in found] == list(range(40))
        print(found[0]["prompt"] + found[0]["generated_text"])
    ray.shutdown()
