"""LLM: prompts in, completions out. The offline interface over one engine, with a progress bar."""

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
from torchpaged.engine.streaming import Stream, StreamRouter
from torchpaged.errors import ConfigError, EngineError, RequestError, not_copied
from torchpaged.execution.profiler import FolderProfiler
from torchpaged.outputs import (
    ClassificationRequestOutput,
    ContinuationScore,
    EmbeddingRequestOutput,
    PoolingOutput,
    PoolingRequestOutput,
    RequestOutput,
)
from torchpaged.pooling_params import PoolingParams
from torchpaged.requests.chat import ChatReader, Conversation, load_template
from torchpaged.requests.prompts import batch_of
from torchpaged.sampling_params import BeamSearchParams, RequestOutputKind, SamplingParams, ScoringParams
from torchpaged.utils.absent_methods import absent

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _in_turn(method: Callable[Concatenate[LLM, _P], _R]) -> Callable[Concatenate[LLM, _P], _R]:
    """Calls of several threads wait for each other."""

    @functools.wraps(method)
    def call(self: LLM, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with self._turn:
            if self.engine.is_shut_down:
                raise EngineError(f"LLM.{method.__name__}: it has been shut down; make another")
            self._router.abort_left()  # of streams that were let go where nothing could be aborted
            return method(self, *args, **kwargs)

    return call


class LLM:
    """A model ready to complete prompts. Any number of threads may call it: one call runs after the other.

    Args:
        model: a folder or hub id of a transformers checkpoint, a GGUF file, a .pt2 file that `torchpaged export` wrote
            (a program: run only what you trust), or a transformers model instance, which stays its owner's: between
            calls it runs as it did before.
        tokenizer: of transformers, a folder, hub id or GGUF file; None: the checkpoint's own (an instance then takes
            and gives tokens only).
        settings: of `EngineConfig` (dtype, max_model_len, max_num_seqs, block_size, enable_prefix_caching,
            swap_space, ...) and `LoadOptions` (revision, load_format, chat_template, ...), or by vLLM's names
            (docs/vllm.md). None: as if not given.

    `with LLM(...) as llm:` ends it with `shutdown`.

    Raises:
        ModelError: the model cannot be loaded or is not supported.
        ConfigError: a setting is unknown or out of its range; transformers is needed and not installed.
    """

    def __init__(self, model: str | Path | PreTrainedModel, tokenizer: Any = None, **settings: Any) -> None:
        loaded = load(model, tokenizer, settings)
        self.tokenizer = loaded.tokenizer
        self._chats = ChatReader(loaded.tokenizer, load_template(loaded.options.chat_template))
        self._name = loaded.options.served_model_name or (str(model) if isinstance(model, (str, Path)) else None)
        self.engine = LLMEngine(
            loaded.model,
            loaded.config,
            tokenizer=loaded.tokenizer,
            eos_token_ids=loaded.eos_token_ids,
            default_params=loaded.default_params,
            chat_params=loaded.chat_params,
        )
        self._counter = 0
        self._turn = threading.RLock()
        self._profiler = FolderProfiler(loaded.options.profiler_config)
        self._router = StreamRouter(self.engine, self._turn, self._profiler.note_step)
        self._running: list[str] = []  # requests of the call that runs, or of one that was interrupted in clearing up

    @classmethod
    def from_engine_args(cls, engine_args: Any) -> LLM:
        """Of `EngineArgs`."""
        return cls(engine_args.model, engine_args.tokenizer, **engine_args.settings())

    @property
    def llm_engine(self) -> LLMEngine:
        """The engine, by vLLM's name."""
        return self.engine

    @_in_turn
    def generate(
        self,
        prompts: Prompt | Iterable[Prompt],
        sampling_params: SamplingParams | Sequence[SamplingParams] | None = None,
        *,
        use_tqdm: bool | Callable[..., Any] = True,
        lora_request: None = None,
        priority: int | Sequence[int] | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
        cache_salt: str | None = None,
    ) -> list[RequestOutput]:
        """Completes all prompts together and returns the results in their order.

        Args:
            prompts: a text, token ids (a sequence, an array, a tensor), a dictionary of vLLM's, what a tokenizer
                returned, or any iterable of those.
            sampling_params: for all of them, or one each; None: `get_default_sampling_params()`.
            use_tqdm: show progress on standard error; or what makes the bar, called as `tqdm` is.
            lora_request: None: adapters are the model's own.
            priority: for all of them, or one each; lower first, with scheduling_policy="priority".
            tokenization_kwargs: of the tokenizer, for prompts that are texts.
            cache_salt: only calls with the same salt share cached prefixes; a prompt may bring its own.

        Raises:
            RequestError: a prompt that can never run, naming its index; nothing has been computed then.
            EngineError: `llm.engine` has unfinished requests of its own.
        """
        batch = batch_of(prompts)
        params = self._one_each("generate", sampling_params, len(batch), _at_the_end)
        more = {"lora_request": lora_request, "tokenization_kwargs": tokenization_kwargs, "cache_salt": cache_salt}
        return self._run("generate", batch, params, _ranks("generate", priority, len(batch)), use_tqdm, **more)

    def chat(
        self,
        messages: Conversation | Iterable[Conversation],
        sampling_params: SamplingParams | Sequence[SamplingParams] | None = None,
        use_tqdm: bool | Callable[..., Any] = True,
        lora_request: None = None,
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
        """Answers one conversation, or each of several, all together.

        The tokenizer's template makes a prompt of each, beginning of sequence included. A conversation that goes on
        finds in the prefix cache what it had already.

        Args:
            messages: a list of {"role": ..., "content": ...}, or a list of such lists.
            chat_template, chat_template_content_format, add_generation_prompt, continue_final_message, tools: as of
                `ChatReader.prompts`.
            chat_template_kwargs: what else the template is told.
            sampling_params, use_tqdm, lora_request, priority, tokenization_kwargs, cache_salt: as of `generate`.

        Raises:
            RequestError: a conversation that no prompt can be made of, naming it, or as `generate`.
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
            tokenization_kwargs=truncation,  # here the completion's length is known
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
        """The prompts that `chat` makes of conversations, text and tokens, for `generate`, `stream` and the others."""
        if self.engine.is_shut_down:
            raise EngineError("LLM.chat: it has been shut down; make another")
        if self.engine.model.encoder is not None:
            raise ConfigError("chat: the model has an encoder, which reads no conversations; use generate")
        texts = self._chats.prompts(
            messages,
            chat_template=chat_template,
            content_format=chat_template_content_format,
            add_generation_prompt=add_generation_prompt,
            continue_final_message=continue_final_message,
            tools=tools,
            template_kwargs=chat_template_kwargs,
        )
        options, truncation = read_options("chat", tokenization_kwargs)
        # The template has written the special tokens.
        options = {"add_special_tokens": False, **options, **truncation}
        return [self.engine.tokenize(text, options, f"conversation {number}") for number, text in enumerate(texts)]

    @_in_turn
    def stream(
        self,
        prompts: Prompt | Iterable[Prompt],
        sampling_params: SamplingParams | Sequence[SamplingParams] | None = None,
        *,
        lora_request: None = None,
        priority: int | Sequence[int] | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
        cache_salt: str | None = None,
    ) -> Stream:
        """Completes all prompts together; `for delta in llm.stream(...)` gives what each gets as it comes.

        A delta is a `RequestOutput` with the text and tokens that came since the last one; its `request_id` is the
        prompt's place, "0", "1", ... With output_kind=FINAL_ONLY it is a whole result when a request ends. Leaving the
        loop aborts what is unfinished. Other calls may come in between, from within the loop too.

        Args:
            prompts, sampling_params, lora_request, priority, tokenization_kwargs, cache_salt: as of `generate`.

        Raises:
            RequestError: as `generate`, before the loop begins.
        """
        batch = batch_of(prompts)
        params = self._one_each("stream", sampling_params, len(batch), _as_it_comes)
        more = {"lora_request": lora_request, "tokenization_kwargs": tokenization_kwargs, "cache_salt": cache_salt}
        ranks = _ranks("stream", priority, len(batch))
        try:
            stream = Stream(self._router, self._add("stream", batch, params, ranks, more))
            self._running.clear()  # they are the stream's now
            return stream
        finally:
            self._abort_all()

    def get_default_sampling_params(self) -> SamplingParams:
        """What `generate` uses where it is given none: as the checkpoint's generation config says, if it is asked."""
        return replace(self.engine.default_params)

    def get_tokenizer(self) -> Any:
        """The tokenizer; None where there is none."""
        return self.tokenizer

    @_in_turn
    def beam_search(
        self,
        prompts: Prompt | Iterable[Prompt],
        params: BeamSearchParams,
        *,
        lora_request: None = None,
        use_tqdm: bool | Callable[..., Any] = True,
    ) -> list[RequestOutput]:
        """The likeliest continuations of each prompt, best first; their `score` is the logprob by length.

        All prompts are searched together; beams share their common past and fork by copy-on-write. The rules are
        those of transformers' `generate(num_beams=params.beam_width)`.

        Raises:
            RequestError: as `generate`.
        """
        if not isinstance(params, BeamSearchParams):
            raise ConfigError(f"beam_search: params is {params!r:.80}, expected BeamSearchParams")
        batch = batch_of(prompts)
        ranks = [0] * len(batch)
        return self._run("beam search", batch, [params] * len(batch), ranks, use_tqdm, lora_request=lora_request)

    @_in_turn
    def score_continuations(
        self,
        prompts: Prompt | Iterable[Prompt],
        continuations: Sequence[Sequence[Sequence[int]]],
        *,
        use_tqdm: bool | Callable[..., Any] = True,
        cache_salt: str | None = None,
    ) -> list[list[ContinuationScore]]:
        """How likely given continuations of each prompt are. Nothing is generated.

        A prompt is computed once and forked for its continuations; logits are computed where a token of a
        continuation is predicted. Prompts that begin alike share through the prefix cache: bring them one after
        the other, as sorting does.

        Args:
            prompts: as of `generate`.
            continuations: for each prompt one or more, as token ids. Together they may be one token longer than
                max_model_len, since nothing follows the last.

        Raises:
            RequestError: a prompt that can never run, naming its index; nothing has been computed then.
            ConfigError: no continuation, or an empty one.
            EngineError: a prompt could not be scored; the message says why.
        """
        batch = batch_of(prompts)
        _require_count(
            "score_continuations: continuations", continuations, len(batch), f"one for each of {len(batch)} prompts"
        )
        params = [ScoringParams(continuations=each) for each in continuations]
        outputs = self._run("score", batch, params, [0] * len(batch), use_tqdm, cache_salt=cache_salt)
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
        lora_request: None = None,
        pooling_task: str | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
    ) -> list[PoolingRequestOutput[PoolingOutput]]:
        """What is made of the prompts' hidden states: a vector, or a classifier's probabilities, as a tensor each.

        Args:
            prompts: as of `generate`.
            pooling_params: for all of them, or one each; None: as the engine's `pooler_config` says.
            pooling_task: as of `PoolingParams.task`, for all of them.
            tokenization_kwargs: of the tokenizer, for texts; "truncate_prompt_tokens" is how many tokens are kept, the
                last ones, -1 for `max_model_len`.

        Raises:
            RequestError: as `generate`, or a task that the model was not made for.
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
        lora_request: None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
    ) -> list[EmbeddingRequestOutput]:
        """A vector of each prompt, of any decoder's hidden states: `outputs.embedding`. Arguments as of `encode`."""
        outputs = self._pool("embed", prompts, pooling_params, "embed", use_tqdm, lora_request, tokenization_kwargs)
        return [pooling.embedded(output) for output in outputs]

    @_in_turn
    def classify(
        self,
        prompts: Prompt | Sequence[Prompt],
        *,
        pooling_params: PoolingParams | Sequence[PoolingParams] | None = None,
        use_tqdm: bool = True,
        lora_request: None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
    ) -> list[ClassificationRequestOutput]:
        """The probabilities of each prompt's classes, `outputs.probs`, by a ...ForSequenceClassification decoder.

        Arguments and errors as of `encode`.
        """
        outputs = self._pool(
            "classify", prompts, pooling_params, "classify", use_tqdm, lora_request, tokenization_kwargs
        )
        return [pooling.classified(output) for output in outputs]

    @_in_turn
    def score(
        self,
        data_1: Any,
        data_2: Any,
        *,
        use_tqdm: bool = True,
        pooling_params: PoolingParams | None = None,
        lora_request: None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
        chat_template: str | None = None,
        cache_salt: str | None = None,
    ) -> list[Any]:
        """How well two texts go together, as vLLM's `score`: `outputs.score`, by a model that was made for it.

        A ...ForSequenceClassification decoder with one label reads both texts as a pair; a model that embeds (a
        checkpoint of sentence-transformers, or any with a `pooler_config`) gives the cosine of their vectors; with
        `PoolerConfig(task="token_embed")` ColBERT's sum over the first text's tokens.

        With lists of continuations, each of tokens, it is `score_continuations`, whose name it was; `cache_salt` is
        for these.

        Args:
            data_1, data_2: a text or a list of texts: one with each of the other list, or as many in both.
            chat_template: Jinja, of messages with the roles "query" and "document": makes one text of a pair, for a
                model that reads both; None: the tokenizer's own way to join them.

        Returns:
            `ScoringRequestOutput`, one for each pair.

        Raises:
            ConfigError: a model that was made for neither.
        """
        if pooling.are_continuations(data_2):
            return self.score_continuations(data_1, data_2, use_tqdm=use_tqdm, cache_salt=cache_salt)
        spec, texts = self.engine.model.spec, pooling.pairs(data_1, data_2)
        task = pooling.scoring_task(spec, self.engine.config.pooler_config)
        if task == "classify":
            options, truncation = read_options("score", tokenization_kwargs)
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
        unique = list(dict.fromkeys(text for pair in texts for text in pair))
        found = dict(zip(unique, self._pool("score", unique, *rest), strict=True))
        return [pooling.compared(found[one], found[other]) for one, other in texts]

    def _pool(
        self,
        name: str,
        prompts: Any,
        params: PoolingParams | Sequence[PoolingParams] | None,
        task: str | None,
        use_tqdm: bool,
        lora_request: object,
        tokenization_kwargs: Mapping[str, Any] | None,
    ) -> list[RequestOutput]:
        batch = batch_of(prompts)
        every = pooling.one_task(name, params, task, len(batch))
        more = {"lora_request": lora_request, "tokenization_kwargs": tokenization_kwargs}
        return self._run(name, batch, every, [0] * len(batch), use_tqdm, **more)

    def _run(
        self,
        name: str,
        batch: Sequence[Prompt],
        params: Sequence[Params],
        priority: Sequence[int],
        use_tqdm: bool | Callable[..., Any],
        **more: Any,
    ) -> list[RequestOutput]:
        try:
            return self._complete(name, self._add(name, batch, params, priority, more), use_tqdm)
        finally:  # after a refusal, a failed step or the user's Ctrl-C the engine stays usable
            self._abort_all()

    def _add(
        self,
        name: str,
        batch: Sequence[Prompt],
        params: Sequence[Params],
        priority: Sequence[int],
        more: Mapping[str, Any],
    ) -> list[str]:
        """Queues all prompts, or none; returns their ids."""
        self._abort_all()  # what an interrupt has left of an earlier call
        others = [each for each in self.engine.unfinished_requests() if not self._router.knows(each)]
        if others:
            raise EngineError(
                f"{name}: llm.engine has unfinished requests, {others[:4]}, whose outputs would be lost; step until "
                "they end, or abort them"
            )
        ids = [f"{self._counter + i}" for i in range(len(batch))]
        self._counter += len(batch)
        try:
            for request_id, prompt, each, rank in zip(ids, batch, params, priority, strict=True):
                self._running.append(request_id)
                self.engine.add_request(request_id, prompt, each, priority=rank, **more)
        except RequestError as error:
            raise RequestError(f"prompt {len(self._running) - 1}: {error}") from error
        return ids

    def _complete(self, name: str, ids: Sequence[str], use_tqdm: bool | Callable[..., Any]) -> list[RequestOutput]:
        """Steps until all have ended; their results in the order of the ids."""
        done: dict[str, RequestOutput] = {}
        before, before_computed = self.engine.num_generated_tokens, self.engine.num_computed_tokens
        if not (callable(use_tqdm) or isinstance(use_tqdm, bool)):
            raise ConfigError(f"{name}: use_tqdm is {use_tqdm!r:.80}, expected True, False or what makes a bar")
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

    def _one_each(
        self,
        name: str,
        given: SamplingParams | Sequence[SamplingParams] | None,
        count: int,
        shown: Callable[[SamplingParams], SamplingParams],
    ) -> list[SamplingParams]:
        """Parameters for each prompt, with the kind of output that the call has a use for."""
        params = self.engine.default_params if given is None else given
        if isinstance(params, SamplingParams):
            return [shown(params)] * count
        expected = f"SamplingParams, or one for each of {count} prompts"
        if isinstance(params, (str, Mapping)) or not isinstance(params, Sequence):
            hint = "; LLM.beam_search takes it" if isinstance(params, BeamSearchParams) else ""
            raise ConfigError(f"{name}: sampling_params is {params!r:.80}, expected {expected}{hint}")
        _require_count(f"{name}: sampling_params", params, count, expected)
        for each in params:
            if not (each is None or isinstance(each, SamplingParams)):
                raise ConfigError(f"{name}: sampling_params has {each!r:.80}, expected {expected}")
        return [shown(self.engine.default_params if each is None else each) for each in params]

    @_in_turn
    def pin_prefix(self, prompt: Prompt, *, cache_salt: str | None = None) -> str:
        """Computes a prefix and keeps its full blocks, whatever is evicted, until `unpin_prefix(name)`.

        Returns:
            The pin's name.

        Raises:
            RequestError: shorter than a block, or so long that nothing could run beside it.
        """
        return self.engine.pin_prefix(prompt, cache_salt=cache_salt)

    @_in_turn
    def unpin_prefix(self, name: str) -> None:
        """Lets a pinned prefix go: it stays cached until its place is needed."""
        self.engine.unpin_prefix(name)

    @_in_turn
    def reset_prefix_cache(self, reset_running_requests: bool = False, reset_connector: bool = False) -> bool:
        """Forgets all cached blocks; False, and nothing changes, while a pin or a stream's request holds one.

        Args:
            reset_running_requests, reset_connector: as of `LLMEngine.reset_prefix_cache`.
        """
        return self.engine.reset_prefix_cache(reset_running_requests, reset_connector)

    @_in_turn
    def quantize(self, config: Any, calibration: Sequence[str | Sequence[int]] | None = None) -> Any:
        """Quantises the weights of the layers' linear modules in place.

        By a name they are what `EngineConfig.quantization` says; a config of torchao leaves embedding and head alone.
        Forgets the cached prefixes, and compiles again if the model is compiled.

        Args:
            config: a config of torchao (`torchao.core.config.AOBaseConfig`), or a name as of
                `EngineConfig.quantization`. With `FqnToConfig` the modules are those that it names.
            calibration: texts or lists of tokens that say what the model is used for; some hundred tokens or more. Of
                use to "int4" and its kin on the CPU; None: the documentation and source of Python's standard library.

        Returns:
            `integrations.checkpoints.torchao.QuantizedWeights`: the number of modules, and the bytes of all weights
            before and after.

        Raises:
            ConfigError: torchao is not installed where it is needed, or it cannot be done to this model on this device;
                the weights are as they were then.
            EngineError: a prefix is pinned.
        """
        return self.engine.quantize(config, calibration)

    @_in_turn
    def update_weights(self, weights: Mapping[str, torch.Tensor] | Iterable[tuple[str, torch.Tensor]]) -> int:
        """Copies new numbers into the model's weights; cached prefixes are forgotten, pinned ones computed anew.

        Changes of whole weights of a model instance are seen without it, before the next call. What writes to single
        elements must say so: by this, or `update_weights({})` behind it.

        Args:
            weights: by their names in the model's `state_dict()`, all of them or some; any float dtype and device.

        Returns:
            How many tensors were copied.

        Raises:
            ConfigError: a name or shape that the model does not have, or a weight that is quantised; those before it
                are copied.
        """
        return self.engine.update_weights(weights)

    @_in_turn
    def save_prefix(self, path: str | Path, prompt: Prompt | None = None) -> int:
        """Writes a prefix's keys and values (None: those of all pins) to a safetensors file; returns its tokens."""
        return self.engine.save_prefix(path, prompt)

    @_in_turn
    def load_prefix(self, path: str | Path, *, cache_salt: str | None = None) -> list[str]:
        """Pins the prefixes of a file that `save_prefix` wrote, without computing them; returns the pins' names.

        Raises:
            ModelError: the file is another model's.
            ConfigError: no such file, or not one of ours.
        """
        return self.engine.load_prefix(path, cache_salt=cache_salt)

    @_in_turn
    def apply_model(self, func: Callable[[torch.nn.Module], _R]) -> list[_R]:
        """What a function gives for the model's module, in a list as vLLM's; it may change weights.

        Raises:
            ConfigError: the model is a .pt2 file.
            EngineError: requests are unfinished.
        """
        return self.engine.apply_model(func)

    @_in_turn
    def start_profile(
        self,
        profile_prefix: str | None = None,
        delay_iterations: int | None = None,
        max_iterations: int | None = None,
    ) -> None:
        """From now on what runs is recorded by torch.profiler, as `LLM(profiler_config=...)` says.

        Args:
            profile_prefix: what the trace's name begins with.
            delay_iterations, max_iterations: as of `ProfilerConfig`; None: as the LLM was told.

        Raises:
            ConfigError: the LLM was told no folder, it cannot be made, or a profile has been started.
        """
        self._profiler.start_profile(profile_prefix, delay_iterations=delay_iterations, max_iterations=max_iterations)

    @_in_turn
    def stop_profile(self) -> Path:
        """Writes the trace and returns its path. Raises ConfigError where none was started."""
        return self._profiler.stop_profile()

    @_in_turn
    def get_metrics(self) -> list[Metric]:
        """vLLM's metrics by its names: `Counter`, `Gauge` and `Histogram` of `torchpaged.engine.metrics`."""
        return self.engine.get_metrics(self._name)

    @_in_turn
    def stats(self) -> EngineStats:
        """How full the cache is and what has been done."""
        return self.engine.stats()

    def _abort_all(self) -> None:
        """Ends what is left of a call."""
        while self._running:
            self.engine.abort(self._running[-1])
            self._running.pop()

    def shutdown(self) -> None:
        """Ends all requests and gives the memory of the pool back, and of the model unless it is somebody else's.

        Whatever is called after it raises EngineError; a second time it does nothing.
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

    if not TYPE_CHECKING:  # mypy would take any name

        def __getattr__(self, name: str) -> Any:
            raise absent(self, name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Neither pickled nor copied."""
        raise not_copied(self)


def _require_count(name: str, values: Any, count: int, expected: str) -> None:
    """Raises ConfigError where it is no sequence, or has another length."""
    try:
        length = len(values)
    except TypeError:
        raise ConfigError(f"{name} is {values!r:.80}, expected {expected}") from None
    if length != count:
        raise ConfigError(f"{name} has {length} entries, expected {expected}")


def _at_the_end(params: SamplingParams) -> SamplingParams:
    """Nothing is shown before its end."""
    return replace(params, output_kind=RequestOutputKind.FINAL_ONLY)


def _as_it_comes(params: SamplingParams) -> SamplingParams:
    """All is shown once, unless the end alone is asked for."""
    if params.output_kind is RequestOutputKind.FINAL_ONLY:
        return params
    return replace(params, output_kind=RequestOutputKind.DELTA)


def _ranks(name: str, priority: int | Sequence[int] | None, count: int) -> list[int]:
    """A priority for each prompt."""
    if priority is None or isinstance(priority, int):
        return [priority or 0] * count
    if isinstance(priority, (str, bytes)) or not isinstance(priority, Sequence):
        raise ConfigError(
            f"{name}: priority is {priority!r:.80}, expected an integer or one for each of {count} prompts"
        )
    _require_count(f"{name}: priority", priority, count, f"one for each of {count}")
    return list(priority)
