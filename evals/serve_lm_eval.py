"""lm-eval's client for servers (`local-completions`) compared with lm-eval in this process: the scores must be equal.

    python evals/serve_lm_eval.py [--model FOLDER] [--count 40]

It needs `pip install 'lm-eval[api]'`. An exact model (float32, optimize=True) scores texts of Python's library after a
context and continues them greedily, over HTTP and in process: scores, texts and the top tokens must be equal.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch

from torchpaged import AsyncLLM
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.server import Server, address_of, listen

STDLIB_LM = Path(__file__).parent / "models" / "stdlib-lm"
SETTINGS: dict[str, Any] = {"dtype": "float32", "optimize": True, "num_blocks": 1000}


def pairs(count: int) -> list[tuple[str, str]]:
    """Return (context, continuation) pairs from functions of the library."""
    functions = [each for each in vars(textwrap).values() if inspect.isfunction(each)]
    functions += [each for each in vars(inspect).values() if inspect.isfunction(each)]
    texts = [inspect.getsource(each) for each in functions if each.__module__ in ("textwrap", "inspect")]
    cuts = [(60 + 7 * number % 90, 20 + 11 * number % 60) for number in range(count)]
    return [(text[:cut], text[cut : cut + length]) for text, (cut, length) in zip(texts, cuts, strict=False)]


def compare(model: Path, count: int) -> dict[str, Any]:
    """Return the differences between the two ways."""
    import lm_eval.models  # noqa: F401  # imported first: registering ours would hide the others
    from lm_eval.api.instance import Instance
    from lm_eval.models.openai_completions import LocalCompletionsAPI

    from torchpaged.integrations.lm_eval.adapter import TorchPagedLM

    def instances(kind: str, arguments: list[Any]) -> list[Any]:
        return [Instance(request_type=kind, doc={}, arguments=each, idx=0) for each in arguments]

    scored = instances("loglikelihood", pairs(count))
    until = {"until": ["\n\n"], "max_gen_toks": 24, "temperature": 0}
    continued = instances("generate_until", [(context, until) for context, _ in pairs(count)[: count // 4]])
    here = TorchPagedLM(str(model), **SETTINGS)
    expected, texts = here.loglikelihood(scored), here.generate_until(continued)

    options = ServeOptions(port=0, served_model_name=["served"])
    listener = listen(options)
    llm = AsyncLLM(model, **SETTINGS)
    server = Server(llm, options)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    while not server.started:
        time.sleep(0.05)
    try:
        url = f"{address_of(listener, options)}/completions"
        more: dict[str, Any] = {"tokenizer": str(model), "tokenizer_backend": "huggingface", "num_concurrent": 8}
        client = LocalCompletionsAPI(base_url=url, model="served", batch_size=1, max_length=1024, **more)
        found, continuations = client.loglikelihood(scored), client.generate_until(continued)
    finally:
        server.handle_exit(15, None)
        thread.join()
        llm.shutdown()
    return {
        "scored": len(expected),
        "most_apart": max(abs(a[0] - b[0]) for a, b in zip(found, expected, strict=True)),
        "greedy_alike": sum(bool(a[1]) == bool(b[1]) for a, b in zip(found, expected, strict=True)),
        "continued": len(texts),
        "texts_alike": sum(a == b for a, b in zip(continuations, texts, strict=True)),
    }


def main() -> int:
    """Return 0 if the results are the same."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, default=STDLIB_LM)
    parser.add_argument("--count", type=int, default=40)
    given = parser.parse_args()
    torch.set_num_threads(2)
    report = compare(given.model, given.count)
    print(report)
    same = report["greedy_alike"] == report["scored"] and report["texts_alike"] == report["continued"]
    return 0 if same and report["most_apart"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
