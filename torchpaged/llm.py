"""LLM: the offline interface. It takes prompts, runs one engine with a progress bar, and returns completions."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import torch
from tqdm import tqdm

from torchpaged import pooling
from torchpaged.engine.input_processor import Params, read_options
from torchpaged.engine.llm_engine import EngineStats, LLMEngine, Prompt
from torchpaged.engine.loader import load
from torchpaged.engine.metrics import Metric
from torchpaged.engine.per_prompt import (
    Adapters,
    adapters_of,
    as_deltas,
    final_only,
    priorities_of,
    require_count,
    sampling_params_of,
)
from torchpaged.engine.streaming import Stream, StreamRouter
from torchpaged.errors import ConfigError, EngineError, RequestError, not_copied
from torchpaged.execution.profiler import FolderProfiler
from torchpaged.lora_request import LoRARequest
from torchpaged.models.model import media_processor_of
from torchpaged.outputs import (
    CallableBool,
    ClassificationRequestOutput,
    ContinuationScore,
    EmbeddingRequestOutput,
    PoolingOutput,
    PoolingRequestOutput,
    RequestOutput,
)
from torchpaged.pooling_params import PoolingParams
from torchpaged.requests.chat import ChatReader, Conversation, load_template
from torchpaged.requests.prefixes import Prefetched
from torchpaged.requests.prompts import batch_of
from torchpaged.sampling_params import BeamSearchParams, SamplingParams, ScoringParams
from torchpaged.utils import startup
from torchpaged.utils.absent_methods import absent
from torchpaged.utils.pausing import require_level, require_mode

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from torchpaged.engine.llm_engine import WeightSource

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _in_turn(method: Callable[Concatenate[LLM, _P], _R]) -> Callable[Concatenate[LLM, _P], _R]:
    """Serialise calls from several threads."""

    @functools.wraps(method)
    def call(self: LLM, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with self._turn:
            if self.engine.is_shut_down:
                raise EngineError(f"LLM.{method.__name__}: it has been shut down; make another LLM")
            self._router.abort_left()  # drops streams that were abandoned while nothing could be aborted
            return method(self, *args, **kwargs)

    return call


class LLM:
    """A model ready to complete prompts. Any number of threads may call it; calls run one after the other.

    Args:
        model: a folder or hub id of a transformers checkpoint, a GGUF file, a .pt2 file written by `torchpaged export`
            (it is a program: run only files that you trust), or a transformers model instance, which behaves as
            before between calls.
        tokenizer: a transformers tokenizer, or a folder, hub id or GGUF file with one; None: the checkpoint's own (with
            a model instance, prompts and completions are then token ids only).
        settings: settings of `EngineConfig` (dtype, max_model_len, max_num_seqs, block_size, enable_prefix_caching,
            swap_space, ...) and `LoadOptions` (revision, load_format, chat_template, ...), or under vLLM's names
            (docs/vllm.md). None: not given.

    `with LLM(...) as llm:` calls `shutdown` at the end.

    Raises:
        ModelError: the model cannot be loaded or is not supported.
        ConfigError: a setting is unknown or out of its range, or transformers is needed and not installed.
    """

    def __init__(self, model: str | Path | PreTrainedModel, tokenizer: Any = None, **settings: Any) -> None:
        loaded = load(model, tokenizer, settings)
        processor = media_processor_of(loaded.model)
        self._chats = ChatReader(loaded.tokenizer, load_template(loaded.options.chat_template), processor)
        self._name = loaded.options.served_model_name or (str(model) if isinstance(model, (str, Path)) else None)
        with startup.stage("engine"):
            self.engine = LLMEngine(
                loaded.model,
                loaded.config,
                tokenizer=loaded.tokenizer,
                eos_token_ids=loaded.eos_token_ids,
                default_params=loaded.default_params,
                chat_params=loaded.chat_params,
                executor=loaded.executor,
            )
        self._counter = 0
        self._turn = threading.RLock()
        self._profiler = FolderProfiler(loaded.options.profiler_config)
        self._router = StreamRouter(self.engine, self._turn, self._profiler.note_step)
        self._running: list[str] = []  # requests of the running call, or of one interrupted during cleanup

    @classmethod
    def from_engine_args(cls, engine_args: Any) -> LLM:
        """Make an LLM from `EngineArgs`."""
        return cls(engine_args.model, engine_args.tokenizer, **engine_args.settings())

    @property
    def llm_engine(self) -> LLMEngine:
        """The engine, under vLLM's name."""
        return self.engine

    @_in_turn
    def generate(
        self,
        prompts: Prompt | Iterable[Prompt],
        sampling_params: SamplingParams | Sequence[SamplingParams] | None = None,
        *,
        use_tqdm: bool | Callable[..., Any] = True,
        lora_request: Adapters = None,
        priority: int | Sequence[int] | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
        cache_salt: str | None = None,
    ) -> list[RequestOutput]:
        """Complete all prompts together and return the results in the order of the prompts.

        Args:
            prompts: a text, token ids (a sequence, an array, a tensor), a dictionary in vLLM's format, the output of a
                tokenizer, or any iterable of those.
            sampling_params: for all prompts, or one each; None: `get_default_sampling_params()`.
            use_tqdm: show progress on standard error; or a factory of the bar, called as `tqdm` is.
            lora_request: the adapter for all prompts, or one each, of which some may be None.
            priority: for all prompts, or one each; lower first, with scheduling_policy="priority".
            tokenization_kwargs: keyword arguments for the tokenizer, for prompts that are texts.
            cache_salt: only calls with the same salt share cached prefixes; a prompt may have its own.

        Raises:
            RequestError: a prompt can never run; the message has its index, and nothing has been computed.
            EngineError: `llm.engine` has unfinished requests of its own.
        """
        batch = batch_of(prompts)
        params = sampling_params_of("generate", sampling_params, len(batch), self.engine.default_params, final_only)
        more = {"tokenization_kwargs": tokenization_kwargs, "cache_salt": cache_salt}
        priorities = priorities_of("generate", priority, len(batch))
        return self._run("generate", batch, params, priorities, use_tqdm, lora_request, **more)

    def chat(
        self,
        messages: Conversation | Iterable[Conversation],
        sampling_params: SamplingParams | Sequence[SamplingParams] | None = None,
        use_tqdm: bool | Callable[..., Any] = True,
        lora_request: Adapters = None,
        priority: int | Sequence[int] | None = None,
        chat_template: str | None = None,
        chat_template_content_format: str = "auto",
        add_generation_prompt: bool = True,
        continue_final_message: bool = False,
        tools: Sequence[Mapping[str, Any]] | None = None,
        chat_template_kwargs: Mapping[str, Any] | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
        cache_salt: str | None = None,
    ) -> list[RequestOutput]:
        """Answer one conversation, or several together.

        The tokenizer's template turns each into a prompt, beginning of sequence included. Earlier turns of a
        conversation are found in the prefix cache.

        Args:
            messages: a list of {"role": ..., "content": ...}, or a list of such lists.
            chat_template, chat_template_content_format, add_generation_prompt, continue_final_message, tools: as in
                `ChatReader.prompts`.
            chat_template_kwargs: further variables for the template.
            sampling_params, use_tqdm, lora_request, priority, tokenization_kwargs, cache_salt: as in `generate`.

        Raises:
            RequestError: the template cannot render a conversation, which the message names; or as in `generate`.
        """
        options, truncation = read_options("chat", tokenization_kwargs)
        prompts = self.preprocess_chat(
            messages,
            chat_template=chat_template,
            chat_template_content_format=chat_template_content_format,
            add_generation_prompt=add_generation_prompt,
            continue_final_message=continue_final_message,
            tools=tools,
            chat_template_kwargs=chat_template_kwargs,
            tokenization_kwargs=options,
        )
        return self.generate(
            prompts,
            sampling_params,
            use_tqdm=use_tqdm,
            lora_request=lora_request,
            priority=priority,
            tokenization_kwargs=truncation,  # truncation needs the length of the completion, known here
            cache_salt=cache_salt,
        )

    def preprocess_chat(
        self,
        messages: Conversation | Iterable[Conversation],
        *,
        chat_template: str | None = None,
        chat_template_content_format: str = "auto",
        add_generation_prompt: bool = True,
        continue_final_message: bool = False,
        tools: Sequence[Mapping[str, Any]] | None = None,
        chat_template_kwargs: Mapping[str, Any] | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
    ) -> list[dict[str, Any]]:
        """Return the prompts that `chat` would run, for `generate`, `stream` and other methods.

        They have text and tokens, and images and sounds that have been read (`media`).
        """
        if self.engine.is_shut_down:
            raise EngineError("LLM.chat: it has been shut down; make another LLM")
        if self.engine.model.encoder is not None:
            raise ConfigError("chat: encoder-decoder models do not chat; use generate")
        prompts = self._chats.prompts(
            messages,
            chat_template=chat_template,
            content_format=chat_template_content_format,
            add_generation_prompt=add_generation_prompt,
            continue_final_message=continue_final_message,
            tools=tools,
            template_kwargs=chat_template_kwargs,
        )
        options, truncation = read_options("chat", tokenization_kwargs)
        # The template has already written the special tokens.
        options = {"add_special_tokens": False, **options, **truncation}
        return [self.engine.tokenize(each, options, f"conversation {number}") for number, each in enumerate(prompts)]

    @_in_turn
    def stream(
        self,
        prompts: Prompt | Iterable[Prompt],
        sampling_params: SamplingParams | Sequence[SamplingParams] | None = None,
        *,
        lora_request: Adapters = None,
        priority: int | Sequence[int] | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
        cache_salt: str | None = None,
    ) -> Stream:
        """Complete all prompts together; `for delta in llm.stream(...)` yields new text as it is generated.

        A delta is a `RequestOutput` with the text and tokens since the last one; its `request_id` is the prompt's
        index, "0", "1", ... With output_kind=FINAL_ONLY it is a whole result when a request ends. Leaving the loop
        aborts unfinished requests. Other methods may be called meanwhile, also inside the loop.

        Args:
            prompts, sampling_params, lora_request, priority, tokenization_kwargs, cache_salt: as in `generate`.

        Raises:
            RequestError: as in `generate`, before the loop begins.
        """
        batch = batch_of(prompts)
        params = sampling_params_of("stream", sampling_params, len(batch), self.engine.default_params, as_deltas)
        more = {"tokenization_kwargs": tokenization_kwargs, "cache_salt": cache_salt}
        priorities = priorities_of("stream", priority, len(batch))
        try:
            stream = Stream(self._router, self._add("stream", batch, params, priorities, lora_request, more))
            self._running.clear()  # the stream owns the requests from here on
            return stream
        finally:
            self._abort_all()

    def get_default_sampling_params(self) -> SamplingParams:
        """Return the defaults of `generate`: from the checkpoint's generation config, unless that is switched off."""
        return replace(self.engine.default_params)

    @property
    def tokenizer(self) -> Any:
        """transformers' tokenizer, or None. A prepared start loads it at the first access."""
        return self.engine.tokenizer

    def get_tokenizer(self) -> Any:
        """Return `tokenizer`, by vLLM's other name."""
        return self.tokenizer

    @_in_turn
    def beam_search(
        self,
        prompts: Prompt | Iterable[Prompt],
        params: BeamSearchParams,
        *,
        lora_request: Adapters = None,
        use_tqdm: bool | Callable[..., Any] = True,
    ) -> list[RequestOutput]:
        """Return the most likely continuations of each prompt, best first, by `score`.

        All prompts are searched together; beams share the blocks of their common past and fork by copy-on-write. The
        rules are those of transformers' `generate(num_beams=params.beam_width)`.

        Raises:
            RequestError: as in `generate`.
        """
        if not isinstance(params, BeamSearchParams):
            raise ConfigError(f"beam_search: params is {params!r:.80}, expected BeamSearchParams")
        batch = batch_of(prompts)
        priorities = [0] * len(batch)
        return self._run("beam search", batch, [params] * len(batch), priorities, use_tqdm, lora_request)

    @_in_turn
    def score_continuations(
        self,
        prompts: Prompt | Iterable[Prompt],
        continuations: Sequence[Sequence[Sequence[int]]],
        *,
        use_tqdm: bool | Callable[..., Any] = True,
        lora_request: Adapters = None,
        cache_salt: str | None = None,
    ) -> list[list[ContinuationScore]]:
        """Return the log probability of given continuations of each prompt. Nothing is generated.

        A prompt is computed once and forked for its continuations; logits are computed only where they predict a
        token of a continuation. Prompts with the same beginning share it through the prefix cache if they are adjacent,
        for example sorted.

        Args:
            prompts, lora_request: as in `generate`.
            continuations: for each prompt one or more, as token ids. A prompt and a continuation together may have one
                token more than max_model_len, since nothing follows the last.

        Raises:
            RequestError: a prompt can never run; the message has its index, and nothing has been computed.
            ConfigError: there is no continuation, or an empty one.
            EngineError: a prompt could not be scored; the message has the reason.
        """
        batch = batch_of(prompts)
        require_count("score_continuations: continuations", continuations, len(batch))
        params = [ScoringParams(continuations=each) for each in continuations]
        priorities = [0] * len(batch)
        outputs = self._run("score", batch, params, priorities, use_tqdm, lora_request, cache_salt=cache_salt)
        for index, output in enumerate(outputs):
            if output.scores is None:
                (ended,) = output.outputs
                raise EngineError(
                    f"score_continuations: prompt {index} ended with {ended.finish_reason!r}: {ended.error}"
                )
        return [output.scores or [] for output in outputs]

    @_in_turn
    def encode(
        self,
        prompts: Prompt | Sequence[Prompt],
        pooling_params: PoolingParams | Sequence[PoolingParams] | None = None,
        *,
        use_tqdm: bool = True,
        lora_request: Adapters = None,
        pooling_task: str | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
    ) -> list[PoolingRequestOutput[PoolingOutput]]:
        """Pool the prompts' hidden states: return an embedding or a classifier's probabilities, as a tensor each.

        Args:
            prompts: as in `generate`.
            pooling_params: for all prompts, or one each; None: the engine's `pooler_config`.
            pooling_task: `PoolingParams.task` for all prompts.
            tokenization_kwargs: keyword arguments for the tokenizer, for texts; "truncate_prompt_tokens" is the number
                of tokens to keep, the last ones, -1 for `max_model_len`.

        Raises:
            RequestError: as in `generate`, or the model does not support the task.
        """
        outputs = self._pool(
            "encode", prompts, pooling_params, pooling_task, use_tqdm, lora_request, tokenization_kwargs
        )
        return [pooling.pooled(output) for output in outputs]

    @_in_turn
    def embed(
        self,
        prompts: Prompt | Sequence[Prompt],
        *,
        use_tqdm: bool = True,
        pooling_params: PoolingParams | Sequence[PoolingParams] | None = None,
        lora_request: Adapters = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
    ) -> list[EmbeddingRequestOutput]:
        """Return an embedding of each prompt, `outputs.embedding`, by any model. Arguments as in `encode`.

        A model that makes a vector of each token, such as ColPali, gives a list of them: [num_tokens][dimensions].
        """
        task = "token_embed" if self.engine.model.spec.vector_size else "embed"
        outputs = self._pool("embed", prompts, pooling_params, task, use_tqdm, lora_request, tokenization_kwargs)
        return [pooling.embedded(output) for output in outputs]

    @_in_turn
    def classify(
        self,
        prompts: Prompt | Sequence[Prompt],
        *,
        pooling_params: PoolingParams | Sequence[PoolingParams] | None = None,
        use_tqdm: bool = True,
        lora_request: Adapters = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
    ) -> list[ClassificationRequestOutput]:
        """Return class probabilities of each prompt, `outputs.probs`, by a ...ForSequenceClassification model.

        Arguments and errors as in `encode`.
        """
        outputs = self._pool(
            "classify", prompts, pooling_params, "classify", use_tqdm, lora_request, tokenization_kwargs
        )
        return [pooling.classified(output) for output in outputs]

    @_in_turn
    def reward(
        self,
        prompts: Prompt | Sequence[Prompt],
        *,
        pooling_params: PoolingParams | Sequence[PoolingParams] | None = None,
        use_tqdm: bool = True,
        lora_request: Adapters = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
    ) -> list[PoolingRequestOutput[PoolingOutput]]:
        """Return the numbers of a classifier's head, without softmax or sigmoid: of each prompt, or of each token.

        Arguments and errors as in `encode`; the model must be a ...ForSequenceClassification or
        ...ForTokenClassification. `outputs.data` is [num_labels], or [num_tokens, num_labels].
        """
        task = "token_classify" if self.engine.model.spec.labels_tokens else "classify"
        count = len(batch_of(prompts))
        params = [
            each if each.use_activation is not None else replace(each, use_activation=False)
            for each in pooling.one_task("reward", pooling_params, task, count)
        ]
        outputs = self._pool("reward", prompts, params, task, use_tqdm, lora_request, tokenization_kwargs)
        return [pooling.pooled(output) for output in outputs]

    @_in_turn
    def score(
        self,
        data_1: Any,
        data_2: Any,
        *,
        use_tqdm: bool = True,
        pooling_params: PoolingParams | None = None,
        lora_request: Adapters = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
        chat_template: str | None = None,
        cache_salt: str | None = None,
    ) -> list[Any]:
        """Score the similarity of pairs of texts, as vLLM's `score` does: `outputs.score`.

        A ...ForSequenceClassification decoder with one label reads both texts as a pair; an embedding model (a
        checkpoint of sentence-transformers, or any with a `pooler_config`) gives the cosine of their vectors, or with
        `PoolerConfig(task="token_embed")` ColBERT's sum over the first text's tokens, as models such as ColPali do.

        Called with lists of tokenised continuations it is `score_continuations`, which had this name before;
        `cache_salt` is for these calls.

        Args:
            data_1, data_2: a text or a list of texts: one for all of the other list, or lists of the same length. An
                embedding model also takes prompts' dictionaries in the place of texts, such as those with images.
            chat_template: Jinja template over messages with the roles "query" and "document", which joins a pair for a
                model that reads both; None: the tokenizer joins them.

        Returns:
            One `ScoringRequestOutput` per pair.

        Raises:
            ConfigError: the model cannot score pairs.
        """
        if pooling.are_continuations(data_2):
            return self.score_continuations(
                data_1, data_2, use_tqdm=use_tqdm, lora_request=lora_request, cache_salt=cache_salt
            )
        spec, pooler = self.engine.model.spec, self.engine.config.pooler_config
        task = pooling.scoring_task(spec, pooler)
        texts = pooling.pairs(data_1, data_2, takes_prompts=task != "classify")
        if task == "classify":
            options, truncation = read_options("score", tokenization_kwargs)
            if spec.is_encoder:  # its tokenizer truncates both texts of a pair
                options, truncation = {**options, **truncation}, {}
            joined = [(first, {"text_pair": second}) for first, second in texts]
            if chat_template is not None:
                joined = [(each, {}) for each in pooling.templated(self._chats, chat_template, texts)]
            read = [
                self.engine.tokenize(text, {**options, **more}, f"prompt {index}")
                for index, (text, more) in enumerate(joined)
            ]
            rest: tuple[Any, ...] = (
                pooling_params,
                "classify",
                use_tqdm,
                lora_request,
                truncation,
            )
            return [pooling.scored(output) for output in self._pool("score", read, *rest)]
        if chat_template is not None:
            raise ConfigError(f"score: chat_template is given, but {spec.name} reads each text by itself; leave it out")
        rest = (pooling_params, task, use_tqdm, lora_request, tokenization_kwargs)
        unique = pooling.unique_prompts(texts)
        found = dict(zip(unique, self._pool("score", list(unique.values()), *rest), strict=True))
        similarity, key = None if pooler is None else pooler.similarity, pooling.prompt_key
        return [pooling.compared(found[key(one)], found[key(other)], similarity) for one, other in texts]

    def _pool(
        self,
        name: str,
        prompts: Any,
        params: PoolingParams | Sequence[PoolingParams] | None,
        task: str | None,
        use_tqdm: bool,
        lora_request: Adapters,
        tokenization_kwargs: Mapping[str, Any] | None,
    ) -> list[RequestOutput]:
        batch = batch_of(prompts)
        every = pooling.one_task(name, params, task, len(batch))
        priorities = [0] * len(batch)
        return self._run(
            name, batch, every, priorities, use_tqdm, lora_request, tokenization_kwargs=tokenization_kwargs
        )

    def _run(
        self,
        name: str,
        batch: Sequence[Prompt],
        params: Sequence[Params],
        priority: Sequence[int],
        use_tqdm: bool | Callable[..., Any],
        lora_request: Adapters = None,
        **more: Any,
    ) -> list[RequestOutput]:
        try:
            return self._complete(name, self._add(name, batch, params, priority, lora_request, more), use_tqdm)
        finally:  # keeps the engine usable after a refusal, a failed step or Ctrl-C
            self._abort_all()

    def _add(
        self,
        name: str,
        batch: Sequence[Prompt],
        params: Sequence[Params],
        priority: Sequence[int],
        lora_request: Adapters,
        more: Mapping[str, Any],
    ) -> list[str]:
        """Queue all prompts, or none of them, and return their ids. Waits for the end of a pause."""
        self._router.require_running(name)
        self._abort_all()  # requests that an interrupted call left behind
        others = [each for each in self.engine.unfinished_requests() if not self._router.knows(each)]
        if others:
            raise EngineError(
                f"{name}: llm.engine has unfinished requests, {others[:4]}, whose outputs would be lost; step until "
                "they end, or abort them"
            )
        adapters = adapters_of(name, lora_request, len(batch))
        ids = [f"{self._counter + i}" for i in range(len(batch))]
        self._counter += len(batch)
        try:
            for request_id, prompt, each, rank, lora in zip(ids, batch, params, priority, adapters, strict=True):
                self._running.append(request_id)
                self.engine.add_request(request_id, prompt, each, priority=rank, lora_request=lora, **more)
        except RequestError as error:
            raise RequestError(f"prompt {len(self._running) - 1}: {error}") from error
        return ids

    def _complete(self, name: str, ids: Sequence[str], use_tqdm: bool | Callable[..., Any]) -> list[RequestOutput]:
        """Run steps until all requests have ended; return their results in the order of the ids."""
        done: dict[str, RequestOutput] = {}
        before, before_computed = self.engine.num_generated_tokens, self.engine.num_computed_tokens
        if not (callable(use_tqdm) or isinstance(use_tqdm, bool)):
            raise ConfigError(f"{name}: use_tqdm is {use_tqdm!r:.80}, expected True, False or a factory of bars")
        make = use_tqdm if callable(use_tqdm) else tqdm
        with make(total=len(ids), desc=name, unit="request", disable=not use_tqdm, dynamic_ncols=True) as bar:
            start = time.perf_counter()
            while len(done) < len(ids) and self.engine.has_unfinished_requests:
                for output in self._router.step():
                    if output.finished:
                        done[output.request_id] = output
                        bar.update(1)
                if use_tqdm:
                    elapsed = time.perf_counter() - start
                    tokens = self.engine.num_generated_tokens - before
                    tokens = tokens or self.engine.num_computed_tokens - before_computed  # where none is generated
                    bar.set_postfix_str(f"{tokens} tokens, {tokens / elapsed:.0f} tokens/s", refresh=False)
        return [done[request_id] for request_id in ids]

    @_in_turn
    def pin_prefix(
        self, prompt: Prompt, *, cache_salt: str | None = None, lora_request: LoRARequest | None = None
    ) -> str:
        """Compute a prefix and protect its full blocks from eviction until `unpin_prefix(name)`.

        Args:
            cache_salt: only requests with the same salt share it.
            lora_request: the adapter that it is computed with; only requests under the same adapter share it.

        Returns:
            The pin's name.

        Raises:
            RequestError: the prefix is shorter than a block, or so long that nothing could run beside it.
        """
        return self.engine.pin_prefix(prompt, cache_salt=cache_salt, lora_request=lora_request)

    @_in_turn
    def prefetch(
        self,
        prompts: Prompt | Iterable[Prompt],
        *,
        cache_salt: str | None = None,
        lora_request: LoRARequest | None = None,
        timeout: float = 60.0,
    ) -> list[Prefetched]:
        """Bring the prompts' blocks from the store of `prefix_cache_dir` into the pool, and compute nothing.

        Args:
            prompts: one or several, as in `generate`.
            cache_salt, lora_request: of the requests that will find them.
            timeout: seconds to wait at most; what comes later is cached too.

        Returns:
            For each prompt, how many of its tokens are in the pool now.

        Raises:
            ConfigError: the engine has no such store.
            RequestError: a prompt that no request could have.
        """
        return self.engine.prefetch(
            batch_of(prompts), cache_salt=cache_salt, lora_request=lora_request, timeout=timeout
        )

    @_in_turn
    def unpin_prefix(self, name: str) -> None:
        """Unpin a prefix: it stays cached until its memory is needed."""
        self.engine.unpin_prefix(name)

    @_in_turn
    def reset_prefix_cache(self, reset_running_requests: bool = False, reset_connector: bool = False) -> bool:
        """Drop all cached blocks. Return False, and change nothing, while a pin or a stream's request holds one.

        Args:
            reset_running_requests, reset_connector: as in `LLMEngine.reset_prefix_cache`.
        """
        return self.engine.reset_prefix_cache(reset_running_requests, reset_connector)

    @_in_turn
    def quantize(self, config: Any, calibration: Sequence[str | Sequence[int]] | None = None) -> Any:
        """Quantise the weights of the layers' linear modules in place.

        A name selects the scheme described at `EngineConfig.quantization`; a config of torchao leaves embedding and
        head unchanged. Drops the cached prefixes, and compiles again if the model is compiled.

        Args:
            config: a config of torchao (`torchao.core.config.AOBaseConfig`), or a name as in
                `EngineConfig.quantization`. With `FqnToConfig` the modules are those that it names.
            calibration: texts or lists of tokens like those that the model is used for, some hundred tokens or more;
                used by the int4 schemes on the CPU. None: documentation and source of Python's standard library.

        Returns:
            `integrations.checkpoints.torchao.QuantizedWeights`: the number of modules, and the bytes of all weights
            before and after.

        Raises:
            ConfigError: torchao is needed and not installed, or the scheme does not suit the model or device; the
                weights are unchanged then.
            EngineError: a prefix is pinned.
        """
        return self.engine.quantize(config, calibration)

    @_in_turn
    def update_weights(
        self,
        weights: WeightSource,
        *,
        version: str | None = None,
        reset_running_requests: bool = False,
        allow_non_finite: bool = False,
    ) -> int:
        """Copy new values into the model's weights; cached prefixes are dropped and pinned ones computed again.

        If a weight of a model instance is replaced or written as a whole, the next call notices by itself. After
        writes to single elements call this method, or `update_weights({})`.

        Args:
            weights, version, reset_running_requests, allow_non_finite: as in `LLMEngine.update_weights`; requests under
                way are those of streams.

        Returns:
            The number of copied tensors.

        Raises:
            ConfigError: a name or shape that the model does not have, a quantised weight, numbers that are not finite,
                or a name that the weights have already. Nothing has changed then.
            EngineError: a stream is unfinished and a prefix is pinned. Nothing has changed then.
        """
        return self.engine.update_weights(
            weights,
            version=version,
            reset_running_requests=reset_running_requests,
            allow_non_finite=allow_non_finite,
        )

    @_in_turn
    def init_weight_transfer_engine(self, request: Any) -> None:
        """Join a trainer's group: `LLMEngine.init_weight_transfer_engine`."""
        self.engine.init_weight_transfer_engine(request)

    @_in_turn
    def shutdown_weight_transfer_engine(self) -> None:
        """Leave the trainer's group."""
        self.engine.shutdown_weight_transfer_engine()

    @_in_turn
    def start_weight_update(self) -> None:
        """Begin an update in several parts: `LLMEngine.start_weight_update`."""
        self.engine.start_weight_update()

    @_in_turn
    def finish_weight_update(self, weight_version: str | None = None, *, reset_running_requests: bool = False) -> int:
        """Copy all parts of an update at once: `LLMEngine.finish_weight_update`."""
        return self.engine.finish_weight_update(weight_version, reset_running_requests=reset_running_requests)

    def get_weight_version(self) -> str:
        """Return the name of the weights: `LLMEngine.weight_version`."""
        return self.engine.weight_version

    @_in_turn
    def update_weight_version(self, new_version: str) -> None:
        """Name the weights, whose numbers stay: `LLMEngine.set_weight_version`, by vLLM's name for it here."""
        self.engine.set_weight_version(new_version)

    @_in_turn
    def pause_generation(self, *, mode: str = "abort", clear_cache: bool = True) -> None:
        """Hold all requests back until `resume_generation`.

        Calls that run requests wait for that if they come from another thread, and raise an EngineError if they come
        from the one that has paused. The call that runs ends first; streams are requests under way.

        Args:
            mode: for streams: "abort" ends them, "wait" runs them to their end, whose outputs they give later, "keep"
                stops them where they are.
            clear_cache: if the prefix cache is emptied. Kept requests are computed again then.
        """
        require_mode("pause_generation", mode)
        if not isinstance(clear_cache, bool):
            raise ConfigError(f"pause_generation: clear_cache is {clear_cache!r:.80}, expected True or False")
        self._router.pause(mode)
        if clear_cache:
            self.engine.reset_prefix_cache(reset_running_requests=True)

    @_in_turn
    def resume_generation(self) -> None:
        """End `pause_generation`; does nothing without a pause."""
        self._router.resume()

    @property
    def is_paused(self) -> CallableBool:
        """True if requests are held back; may be called, as of `AsyncLLM`."""
        return CallableBool(self._router.paused_by is not None)

    @_in_turn
    def sleep(self, level: int = 1, mode: str = "abort") -> None:
        """Give back memory until `wake_up`: `LLMEngine.sleep`. Requests under way are those of streams."""
        require_level("sleep", level)
        require_mode("sleep", mode)
        if mode == "wait":
            self._router.finish()
        self.engine.sleep(level, mode)

    @_in_turn
    def wake_up(self, tags: Sequence[str] | None = None) -> bool:
        """End `sleep`, or a part of it; return True if the engine is awake: `LLMEngine.wake_up`."""
        return self.engine.wake_up(tags)

    def is_sleeping(self) -> bool:
        """Return True from `sleep` until `wake_up` of everything."""
        return self.engine.is_sleeping()

    def add_lora(self, lora_request: LoRARequest) -> bool:
        """Load an adapter before its first request; see `LLMEngine.add_lora`. Waits for no other call."""
        return self.engine.add_lora(lora_request)

    @_in_turn
    def remove_lora(self, lora_id: int) -> bool:
        """Forget the adapter with this number. Returns False if there is none."""
        return self.engine.remove_lora(lora_id)

    def list_loras(self) -> set[int]:
        """Return the numbers of the known adapters."""
        return self.engine.list_loras()

    def pin_lora(self, lora_id: int) -> bool:
        """Keep the adapter with this number in host memory. Returns False if there is none."""
        return self.engine.pin_lora(lora_id)

    @_in_turn
    def update_lora(
        self,
        lora_name: str,
        weights: Mapping[str, torch.Tensor],
        config: Any = None,
        *,
        lora_int_id: int | None = None,
    ) -> LoRARequest:
        """Give an adapter new weights, as in a training loop; cached prefixes of the old ones are not found any more.

        Args:
            lora_name, weights, config, lora_int_id: as in `LLMEngine.update_lora`.

        Returns:
            The `lora_request` for `generate`. The outputs' `lora_version` grows with each change.
        """
        return self.engine.update_lora(lora_name, weights, config, lora_int_id=lora_int_id)

    @_in_turn
    def save_prefix(
        self, path: str | Path, prompt: Prompt | None = None, *, lora_request: LoRARequest | None = None
    ) -> int:
        """Write a prefix's KV cache (None: that of all pins) to a safetensors file; return the number of tokens.

        Args:
            lora_request: the adapter that the prompt is computed with.
        """
        return self.engine.save_prefix(path, prompt, lora_request=lora_request)

    @_in_turn
    def load_prefix(
        self, path: str | Path, *, cache_salt: str | None = None, lora_request: LoRARequest | None = None
    ) -> list[str]:
        """Load and pin the prefixes of a file written by `save_prefix`; return the names of the pins.

        Only requests under the adapter that a prefix was computed with find it.

        Args:
            cache_salt: only requests with the same salt share them.
            lora_request: the adapter that they must have been computed with; None: whatever the file says.

        Raises:
            ModelError: the file was written for another model or adapter.
            ConfigError: there is no such file, or it has another format.
        """
        return self.engine.load_prefix(path, cache_salt=cache_salt, lora_request=lora_request)

    @_in_turn
    def apply_model(self, func: Callable[[torch.nn.Module], _R]) -> list[_R]:
        """Call a function with the model's module, and return its result in a list, as vLLM does.

        The function may change weights.

        Raises:
            ConfigError: the model is a .pt2 file.
            EngineError: there are unfinished requests.
        """
        return self.engine.apply_model(func)

    @_in_turn
    def start_profile(
        self,
        profile_prefix: str | None = None,
        delay_iterations: int | None = None,
        max_iterations: int | None = None,
    ) -> None:
        """Start recording with torch.profiler, as `LLM(profiler_config=...)` says.

        Args:
            profile_prefix: prefix of the trace's file name.
            delay_iterations, max_iterations: as in `ProfilerConfig`; None: those of `LLM(profiler_config=...)`.

        Raises:
            ConfigError: no folder is configured, it cannot be made, or a profile is being recorded.
        """
        self._profiler.start_profile(profile_prefix, delay_iterations=delay_iterations, max_iterations=max_iterations)

    @_in_turn
    def stop_profile(self) -> Path:
        """Write the trace and return its path. Raises a ConfigError if none was started."""
        return self._profiler.stop_profile()

    @_in_turn
    def get_metrics(self) -> list[Metric]:
        """Return vLLM's metrics under its names: `Counter`, `Gauge` and `Histogram` of `torchpaged.engine.metrics`."""
        return self.engine.get_metrics(self._name)

    @_in_turn
    def stats(self) -> EngineStats:
        """Return the use of the cache and counts of the work done."""
        return self.engine.stats()

    def _abort_all(self) -> None:
        """Abort the requests of the last call."""
        while self._running:
            self.engine.abort(self._running[-1])
            self._running.pop()

    def shutdown(self) -> None:
        """Abort all requests and free the pool's memory, and the model's unless it was passed as an instance.

        Other methods raise an EngineError afterwards; a second call does nothing.
        """
        with self._turn:
            self._profiler.close()
            self.engine.shutdown()
            self._running.clear()

    def __enter__(self) -> LLM:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.shutdown()

    def __repr__(self) -> str:
        if self.engine.is_shut_down:
            return f"LLM({self._name!r}, shut down)"
        config, spec = self.engine.config, self.engine.model.spec
        dtype = str(spec.dtype).removeprefix("torch.")
        weights = f", quantization={config.quantization!r}" if config.quantization is not None else ""
        pool = f"{self.engine.executor.num_blocks} blocks of {config.block_size}"
        return (
            f"LLM({self._name or spec.name!r}, {dtype} on {spec.device}{weights}, max_model_len="
            f"{self.engine.max_model_len}, max_num_seqs={config.max_num_seqs}, {pool}, kv_cache_dtype="
            f"{config.kv_cache_dtype!r})"
        )

    if not TYPE_CHECKING:  # mypy would accept any attribute otherwise

        def __getattr__(self, name: str) -> Any:
            raise absent(self, name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Refuse pickling and copying."""
        raise not_copied(self)
