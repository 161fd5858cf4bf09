"""Shim for transformers' tests of continuous batching: `generate_batch` and its manager run torchpaged's engine.

Every checkpoint that a test names is our small model, on a CPU.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import peers_recorder
import transformers
from transformers.generation.continuous_batching.requests import GenerationOutput, RequestStatus

from torchpaged import LLM, SamplingParams

MODEL = Path(os.environ["PEERS_STAGE"]) / "models" / "stdlib-chat"


class Manager:
    """transformers' `ContinuousBatchingManager` over an `LLMEngine` that a thread steps."""

    def __init__(
        self, model: Any, generation_config: Any = None, continuous_batching_config: Any = None, **_: Any
    ) -> None:
        config = continuous_batching_config
        settings: dict[str, Any] = {"num_blocks": (config and config.num_blocks) or 200, "skip_tokenizer_init": True}
        if config is not None:
            settings["block_size"] = min(config.block_size or 16, 64)
            settings["enable_prefix_caching"] = config.allow_block_sharing
        self.generation_config = generation_config or model.generation_config
        self.logit_processor: list[Any] = []
        self.num_return_sequences = 1
        self._logprobs = 0 if config is not None and config.return_logprobs else None
        self._engine = LLM(model, **settings).engine
        self._added: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._results: queue.Queue[GenerationOutput] = queue.Queue()
        self.output_router = Router(self._results)
        self._stops = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._numbers = itertools.count()
        peers_recorder.touch()

    def start(self) -> None:
        self._thread.start()

    def stop(self, block: bool = True, **_: Any) -> None:
        self._stops.set()
        if block:
            self._thread.join()

    def is_running(self) -> bool:
        return self._thread.is_alive()

    def add_request(
        self, input_ids: Sequence[int], max_new_tokens: int | None = None, streaming: bool = False, **options: Any
    ) -> str:
        name, config = options.pop("request_id", None) or f"req_{next(self._numbers)}", self.generation_config
        given = {each: options.get(each, getattr(config, each, None)) for each in ("temperature", "top_k", "top_p")}
        if not config.do_sample:
            given = {"temperature": 0.0}
        params = SamplingParams(
            max_tokens=max_new_tokens or config.max_new_tokens,
            logprobs=self._logprobs,
            n=self.num_return_sequences,
            detokenize=False,
            **{each: value for each, value in given.items() if value is not None},
        )
        self._added.put((name, list(input_ids), params, streaming))
        return name

    def add_requests(self, inputs: Sequence[Sequence[int]], **options: Any) -> None:
        for each in inputs:
            self.add_request(each, **options)

    def register_result_handler(self, name: str, handler: Callable[[GenerationOutput], None]) -> None:
        import asyncio

        self.output_router.handlers[name] = (asyncio.get_running_loop(), handler)

    def get_result(self, request_id: str | None = None, timeout: float | None = None) -> GenerationOutput | None:
        with contextlib.suppress(queue.Empty):
            return self._results.get(timeout=timeout)
        return None

    def request_id_iter(self, name: str) -> Iterator[GenerationOutput]:
        while True:
            found = self._results.get(timeout=60)
            if found.request_id == name:
                yield found
                if found.is_finished():
                    return

    def _run(self) -> None:
        streamed: set[str] = set()
        while not self._stops.is_set():
            with contextlib.suppress(queue.Empty):
                while True:
                    name, prompt, params, streaming = self._added.get(
                        timeout=0 if self._engine.has_unfinished_requests else 0.01
                    )
                    self._engine.add_request(name, prompt, params)
                    if streaming:
                        streamed.add(name)
            for output in self._engine.step() if self._engine.has_unfinished_requests else ():
                if output.finished or output.request_id in streamed:
                    for each in output.outputs:
                        self.output_router.deliver(_shown(output, each))
        self._engine.shutdown()


class Router:
    """Delivers outputs to a request's handler, or else to the queue."""

    def __init__(self, results: queue.Queue[GenerationOutput]) -> None:
        self.output_queue, self.handlers = results, dict[str, Any]()

    def deliver(self, output: GenerationOutput) -> None:
        if output.request_id in self.handlers:
            loop, handler = self.handlers[output.request_id]
            loop.call_soon_threadsafe(handler, output)
        else:
            self.output_queue.put(output)


def _shown(output: Any, completion: Any) -> GenerationOutput:
    tokens = list(completion.token_ids)
    logprobs = [row[token].logprob for token, row in zip(tokens, completion.logprobs or (), strict=False)]
    status = RequestStatus.FINISHED if output.finished else RequestStatus.DECODING
    prompt = list(output.prompt_token_ids)
    return GenerationOutput(output.request_id, prompt, tokens, logprobs=logprobs, status=status)


@contextlib.contextmanager
def manager_of(model: Any, **options: Any) -> Iterator[Manager]:
    """Stand in for `continuous_batching_context_manager`."""
    manager = Manager(
        model, **{name: options.get(name) for name in ("generation_config", "continuous_batching_config")}
    )
    manager.start()
    try:
        yield manager
    finally:
        manager.stop()


def generate_batch(model: Any, inputs: Sequence[Sequence[int]], **options: Any) -> dict[str, GenerationOutput]:
    """Stand in for `generate_batch`."""
    with manager_of(model, **options) as manager:
        manager.add_requests(inputs)
        found = [manager._results.get(timeout=100) for _ in inputs]
    return {each.request_id: each for each in sorted(found, key=lambda each: int(each.request_id.rpartition("_")[2]))}


def _ours(cls: Any) -> Any:
    load = cls.from_pretrained.__func__

    def loaded(cls: Any, name: str, *args: Any, **options: Any) -> Any:
        if "attn_implementation" in options:
            options["attn_implementation"] = "sdpa"
        return load(cls, str(MODEL), *args, **options)

    cls.from_pretrained = classmethod(loaded)


_ours(transformers.AutoTokenizer)
_ours(transformers.AutoModelForCausalLM)
for _name, _function in (
    ("generate_batch", generate_batch),
    ("init_continuous_batching", Manager),
    ("continuous_batching_context_manager", manager_of),
):
    setattr(transformers.PreTrainedModel, _name, lambda *args, _function=_function, **given: _function(*args, **given))
