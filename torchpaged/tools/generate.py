"""`torchpaged generate`: completes prompts, writes or prints each when it ends, and reports the use of the cache."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tqdm import tqdm

from torchpaged.engine.llm_engine import LLMEngine, Prompt
from torchpaged.errors import RequestError
from torchpaged.execution.executor import local_pool
from torchpaged.llm import LLM
from torchpaged.lora_request import LoRARequest
from torchpaged.outputs import CompletionOutput, RequestMetrics, RequestOutput
from torchpaged.sampling_params import SamplingParams
from torchpaged.tools import profiling
from torchpaged.tools.completion_file import BadPrompt, CompletionFile, prompt_of
from torchpaged.tools.receipt_file import ReceiptFile


@dataclass(slots=True)
class _Done:
    """Totals of the finished requests."""

    num_requests: int = 0
    num_completions: int = 0
    num_tokens: int = 0
    seconds: float = 0.0
    errors: list[str] = field(default_factory=list)

    def add(self, output: RequestOutput) -> None:
        self.num_requests += 1
        self.num_completions += len(output.outputs)
        self.num_tokens += sum(len(completion.token_ids) for completion in output.outputs)
        self.errors += [completion.error for completion in output.outputs if completion.error is not None][:1]


def generate(
    llm: LLM,
    records: Sequence[Mapping[str, Any]],
    params: SamplingParams,
    file: CompletionFile | None,
    *,
    media: Mapping[str, Sequence[str]] = MappingProxyType({}),
    receipts: ReceiptFile | None = None,
    adapters: Sequence[LoRARequest | None] = (),
    profile: Path | None = None,
    quiet: bool = False,
    stream: bool = False,
    show_drafts: bool = False,
) -> list[str]:
    """Complete the prompts that are not in the file yet, and write the completions there, or print them.

    Args:
        media: URLs of images and sounds of each prompt, before those of its line, by modality.
        receipts: gets a receipt of each completion, before the file gets the completion.
        adapters: the adapter of each prompt; empty: none has one.
        stream: print texts as they are generated: the first prompt's, then the next one's so far, and so on.
        show_drafts: colour accepted draft tokens in streamed text.

    Returns:
        An error for each prompt that could not be completed.

    Raises:
        InputError: the file cannot be written.
        KeyboardInterrupt: after Ctrl-C; the message has the number of prompts in the file.
    """
    done, prompts = _Done(), [prompt_of(record, media) for record in records]
    profiled: AbstractContextManager[profiling.Profile | None] = (
        nullcontext() if profile is None else profiling.profile(profile)
    )
    try:
        with profiled as phases, nullcontext() if file is None else file, receipts or nullcontext():
            if stream:
                teller = Teller(llm.engine.vocabulary.tokenizer if show_drafts else None)
                _stream(llm, prompts, params, adapters, done, teller)
            else:
                _run(llm, records, prompts, params, adapters, file, receipts, done, quiet)
    except KeyboardInterrupt:
        if file is None:
            raise
        raise KeyboardInterrupt(
            f"{file.count()} of {len(records)} prompts are in {file.path}; --resume goes on"
        ) from None
    if not quiet and done.num_tokens:
        print(
            "\n" + _table(llm, done) + ("" if phases is None else f"\n\n{phases.table()}"),
            file=sys.stderr if file is None and not sys.stdout.isatty() else sys.stdout,
        )
    return done.errors


def _run(
    llm: LLM,
    records: Sequence[Mapping[str, Any]],
    prompts: Sequence[Prompt | BadPrompt],
    params: SamplingParams,
    adapters: Sequence[LoRARequest | None],
    file: CompletionFile | None,
    receipts: ReceiptFile | None,
    done: _Done,
    quiet: bool,
) -> None:
    todo = [(i, prompt) for i, prompt in enumerate(prompts) if file is None or i not in file.done]
    start = time.perf_counter()
    with tqdm(total=len(todo), desc="generate", unit="request", disable=quiet, dynamic_ncols=True) as bar:
        for ended in complete(llm.engine, todo, params, adapters):
            for output in ended:
                number = int(output.request_id)
                if receipts is not None:
                    receipts.write(output)
                if file is not None:
                    file.write(number, records[number], output)
                else:
                    with bar.external_write_mode():
                        _show(output)
                done.add(output)
                bar.update()
            done.seconds = time.perf_counter() - start
            tokens = llm.engine.num_generated_tokens
            bar.set_postfix_str(f"{tokens} tokens, {tokens / done.seconds:.0f} tokens/s", refresh=False)
    if file is not None:
        file.sort()


def _stream(
    llm: LLM,
    prompts: Sequence[Prompt | BadPrompt],
    params: SamplingParams,
    adapters: Sequence[LoRARequest | None],
    done: _Done,
    teller: Teller,
) -> None:
    start = time.perf_counter()
    for outputs in steps(llm.engine, enumerate(prompts), params, adapters):
        for output in outputs:
            if output.finished:
                done.add(output)
        teller.tell(outputs)
    done.seconds = time.perf_counter() - start


class Teller:
    """Printer of streamed completions, one after the other in the order of the prompts; later ones wait.

    Args:
        tokenizer: decodes draft tokens, which are all but the last of a step, to colour their text; None: no colours.
    """

    def __init__(self, tokenizer: Any = None) -> None:
        self._tokenizer = tokenizer
        self._num_tokens = 0  # shown tokens of the current completion
        self._latest: dict[int, RequestOutput] = {}
        self._number = self._index = 0  # prompt and completion being shown
        self._num_shown: int | None = None  # shown characters; None: not even its heading

    def tell(self, outputs: Sequence[RequestOutput]) -> None:
        """Print new text from the outputs of a step."""
        self._latest.update({int(output.request_id): output for output in outputs})
        while (output := self._latest.get(self._number)) is not None and self._show(output):
            self._index += 1
            self._num_shown, self._num_tokens = None, 0
            if self._index == len(output.outputs):
                del self._latest[self._number]
                self._number, self._index = self._number + 1, 0
        sys.stdout.flush()

    def _show(self, output: RequestOutput) -> bool:
        """Print new text of the current completion; return whether it has ended."""
        completion = output.outputs[self._index]
        if self._num_shown is None:
            which = f", {self._index + 1} of {len(output.outputs)}" if len(output.outputs) > 1 else ""
            print(f"\n--- prompt {output.request_id}{which} " + "-" * 40)
            print(output.prompt or "", end="")
            self._num_shown = 0
        new, tokens = completion.text[self._num_shown :], completion.token_ids[self._num_tokens :]
        print(new if self._tokenizer is None else self._coloured(new, tokens), end="")
        self._num_shown, self._num_tokens = len(completion.text), len(completion.token_ids)
        if completion.finish_reason is None:
            return False
        print(f"\n({completion.error or completion.finish_reason})")
        return True

    def _coloured(self, text: str, tokens: Sequence[int]) -> str:
        """Return a step's text, with accepted draft tokens in green."""
        if len(tokens) < 2:
            return text
        last = self._tokenizer.decode(tokens[-1:])
        guessed = text.removesuffix(last)
        return f"\033[32m{guessed}\033[0m{text[len(guessed) :]}"


def complete(
    engine: LLMEngine,
    prompts: Iterable[tuple[int, Prompt | BadPrompt]],
    params: SamplingParams,
    adapters: Sequence[LoRARequest | None] = (),
) -> Iterator[list[RequestOutput]]:
    """Yield the outputs of `steps` that have ended."""
    for outputs in steps(engine, prompts, params, adapters):
        yield [output for output in outputs if output.finished]


def steps(
    engine: LLMEngine,
    prompts: Iterable[tuple[int, Prompt | BadPrompt]],
    params: SamplingParams,
    adapters: Sequence[LoRARequest | None] = (),
) -> Iterator[list[RequestOutput]]:
    """Run numbered prompts together and yield the outputs of each step.

    The `request_id` is the prompt's number. An invalid prompt ends with an error, and the others go on. Prompts are
    added as the engine has room, so that the first ones end while later ones wait to be tokenized.

    Args:
        adapters: the adapter of each prompt, by its number; empty: none has one.
    """
    rest = iter(prompts)
    room, unfinished = 2 * engine.config.max_num_seqs, 0
    while True:
        shown = []
        while unfinished < room and (following := next(rest, None)) is not None:
            number, prompt = following
            if isinstance(prompt, BadPrompt):
                shown.append(_refused(number, None, prompt.error))
                continue
            try:
                engine.add_request(str(number), prompt, params, lora_request=adapters[number] if adapters else None)
            except RequestError as error:
                shown.append(_refused(number, prompt, str(error)))
            else:
                unfinished += 1
        if unfinished:
            outputs = engine.step()
            unfinished -= sum(output.finished for output in outputs)
            shown += outputs
        elif not shown:
            return
        yield shown


def _refused(number: int, prompt: Prompt | None, error: str) -> RequestOutput:
    text = prompt.get("prompt") if isinstance(prompt, Mapping) else prompt if isinstance(prompt, str) else None
    completion = CompletionOutput(0, "", [], finish_reason="error", error=error)
    return RequestOutput(str(number), text, [], [completion], True, RequestMetrics(time.monotonic()))


def _show(output: RequestOutput) -> None:
    """Print an output, and flush, so that a later error loses nothing."""
    for completion in output.outputs:
        which = f", {completion.index + 1} of {len(output.outputs)}" if len(output.outputs) > 1 else ""
        print(f"\n--- prompt {output.request_id}{which} ({completion.finish_reason}) " + "-" * 40)
        text = f"\033[1m{completion.text}\033[0m" if sys.stdout.isatty() else completion.text
        print(f"{output.prompt or ''}{text}" if completion.error is None else completion.error, flush=True)


def _table(llm: LLM, done: _Done) -> str:
    """Return a table with the speed, and the memory of the paged cache against that of a contiguous one."""
    stats, cache = llm.stats(), local_pool(llm.engine.executor)
    peak = stats.peak
    per_token = cache.bytes_per_block // cache.block_size
    allocated = peak.num_used_blocks * cache.bytes_per_block
    used = peak.num_tokens * per_token
    at_once = min(done.num_completions, llm.engine.config.max_num_seqs)
    reserved = at_once * llm.engine.max_model_len * per_token
    rows = [
        ("requests", f"{done.num_requests}, {stats.num_preemptions} preemptions"),
        (
            "generated",
            f"{done.num_tokens} tokens in {done.seconds:.2f} s, {done.num_tokens / done.seconds:.1f} tokens/s",
        ),
        (
            "blocks at the peak",
            f"{peak.num_used_blocks} of {peak.num_blocks}, {cache.block_size} tokens each",
        ),
        (
            "contiguous cache",
            f"{size_of(reserved)} reserved: {at_once} sequences at once, {llm.engine.max_model_len} tokens each",
        ),
        ("paged cache", f"{size_of(allocated)} allocated, {size_of(used)} used: {peak.waste:.1%} waste"),
        ("saved", f"{1 - allocated / reserved:.1%} of the contiguous cache's bytes"),
    ]
    if (drafts := stats.drafts) is not None:
        tokens = done.num_tokens / max(1, stats.num_steps)
        rows.insert(2, ("guessed ahead", f"{drafts.accepted} of {drafts.tokens} held, {tokens:.1f} tokens a step"))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def size_of(count: int) -> str:
    """Format a number of bytes."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.2f} {unit}"
