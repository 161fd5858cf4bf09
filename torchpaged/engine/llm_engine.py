"""LLMEngine: requests in, outputs out. add_request, step, abort; one step at a time, in one thread."""

from __future__ import annotations

import functools
import gc
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from torchpaged import logits_processors as processors
from torchpaged.config import EngineConfig, VllmConfig
from torchpaged.engine.input_processor import InputProcessor, Params, keys_of, require_salt
from torchpaged.engine.loader import load
from torchpaged.engine.metrics import EngineStats, Gauge, Metric
from torchpaged.engine.output_processor import OutputProcessor
from torchpaged.engine.prompt_embeds import require_embeddings
from torchpaged.engine.speculation import drafter_of, renew_drafter, require_exact, with_draft
from torchpaged.engine.step_pipeline import Pipeline
from torchpaged.engine.weights import EngineWeights, weights_of
from torchpaged.errors import ConfigError, EngineError, RequestError, not_copied
from torchpaged.execution.executor import Executor, LocalExecutor
from torchpaged.execution.phases import STEP, span
from torchpaged.kv_cache import CacheKeys, KVCacheManager
from torchpaged.models.model import PagedModel
from torchpaged.outputs import CallableBool, RequestOutput
from torchpaged.requests.group import Group
from torchpaged.requests.output import TokenNames
from torchpaged.requests.prefixes import PinnedPrefix, PrefixStore
from torchpaged.requests.prompts import Prompt
from torchpaged.requests.sampling import Vocabulary
from torchpaged.sampling_params import RequestOutputKind, SamplingParams
from torchpaged.scheduling import Scheduler, Step
from torchpaged.scheduling.drafter import Drafter
from torchpaged.utils.absent_methods import absent
from torchpaged.utils.huge_pages import lack_as_model_error
from torchpaged.utils.torch_state import host_by_default, watch_forks
from torchpaged.utils.transaction import Transaction

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _alone(method: Callable[Concatenate[LLMEngine, _P], _R]) -> Callable[Concatenate[LLMEngine, _P], _R]:
    """One call at a time: a second, of another thread or from within the first, is refused before it changes anything.

    A call that finds what an interrupt has left behind clears it up first.
    """

    @functools.wraps(method)
    def call(self: LLMEngine, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        if self._is_shut_down:
            raise EngineError(f"LLMEngine.{method.__name__}: the engine has been shut down; make another")
        if self._lock.locked():
            raise EngineError(
                f"LLMEngine.{method.__name__}: another call of this engine is running, expected one thread; give each "
                "thread an engine of its own, or use LLM, whose calls wait for each other"
            )
        # `with` over a lock in C: no interrupt comes between taking it and being bound to give it back.
        with self._lock, host_by_default():
            if not (self._transaction.settled and self.executor.settled):
                self._begin_anew()
            self._output_processor.end_alone()
            return method(self, *args, **kwargs)

    return call


class LLMEngine:
    """Continuous batching over one model, for one thread.

    Ctrl-C, or any exception, at whatever line leaves it usable: a step whose forward was cut short is as if it had not
    been; where bookkeeping was, all requests end with finish_reason "error" in the next `step`, cached prefixes are
    forgotten and pins stay.

    Args:
        model: what to run; `torchpaged.integrations.transformers.adapter` makes one of a transformers model.
        config: settings.
        tokenizer: of transformers; None when prompts are tokens and only tokens are wanted.
        eos_token_ids: tokens that end a text.
        default_params: of requests that bring none.
        chat_params: of chats that bring none; None: `default_params`.
        executor: makes what computes the steps, of the model and the resolved settings.

    Attributes:
        config: the settings as they are for this model.
        executor: computes the steps.
        scheduler: makes them.

    Raises:
        ConfigError: the pool cannot be sized as asked, max_model_len is longer than the model's, or its weights cannot
            be quantised as asked.
        ModelError: the system gives no memory for what is made of it.
    """

    @host_by_default()
    @lack_as_model_error()
    def __init__(
        self,
        model: PagedModel,
        config: EngineConfig | None = None,
        *,
        tokenizer: Any = None,
        eos_token_ids: Sequence[int] = (),
        default_params: SamplingParams | None = None,
        chat_params: SamplingParams | None = None,
        executor: Callable[[PagedModel, EngineConfig], Executor] = LocalExecutor,
    ) -> None:
        watch_forks()
        self.model = model
        self.config = (config or EngineConfig()).resolve(model.spec, has_encoder=model.encoder is not None)
        self.default_params = default_params or SamplingParams()
        self.chat_params = chat_params or self.default_params
        if self.config.quantization is not None:  # before the pool takes what memory there is
            weights_of(model, "quantization").quantize(self.config.quantization, tokenizer)
        self._computed = with_draft(model, self.config, tokenizer)  # with what guesses its tokens
        self.config = self.config.resolve(self._computed.spec, has_encoder=model.encoder is not None)
        require_embeddings(model.spec, self.config)
        self._weights = EngineWeights(self._computed, self.config)
        require_exact(model, self.config)
        given = [*processors.installed(), *(self.config.logits_processors or ())]
        named = dict(zip(processors.load(given), given, strict=True))  # each class once
        self.config = replace(self.config, logits_processors=tuple(named.values()))
        self.executor = executor(self._computed, self.config)
        self.scheduler = _scheduler(self.executor, self.config, drafter_of(model, self.config, self.executor))
        vocab_size = model.spec.vocab_size
        eos = frozenset(token for token in eos_token_ids if 0 <= token < vocab_size)
        self.vocabulary = Vocabulary(tokenizer, eos, TokenNames(tokenizer), self.config.seed, vocab_size)
        # Of processors the classes are asked about parameters alone; who computes makes its own.
        self._input_processor = InputProcessor(
            model, self.config, self.vocabulary, tuple(named), in_process=self.executor.in_process
        )
        self._is_shut_down = False
        self._lock = threading.Lock()
        self._transaction = Transaction()
        overlaps = self.config.overlaps(model.spec.device.type)
        self.pipeline = Pipeline(self.scheduler, self.executor, self._transaction, overlaps=overlaps)
        self._output_processor = OutputProcessor(self.scheduler, self.pipeline, self._transaction)
        self.prefixes = PrefixStore(self.scheduler, self.executor, self._run_alone, self._transaction)
        self._weights.renew = self._renew

    @property
    def tokenizer(self) -> Any:
        """Of transformers, or None."""
        return self.vocabulary.tokenizer

    @property
    def eos_token_ids(self) -> tuple[int, ...]:
        """Tokens that end a text."""
        return tuple(sorted(self.vocabulary.eos_token_ids))

    @property
    def max_model_len(self) -> int:
        """Prompt and completion together at most."""
        return self.config.max_model_len or self.model.spec.max_model_len

    @property
    def last_step(self) -> Step | None:
        """The one that was scheduled last, for whoever looks on."""
        return self.pipeline.last_step

    def get_num_unfinished_requests(self) -> int:
        """How many have not ended."""
        return len(self._output_processor)

    def get_tokenizer(self) -> Any:
        """`tokenizer`, by vLLM's other name."""
        return self.tokenizer

    @property
    def is_busy(self) -> bool:
        """Whether a call is running, which another would be refused beside."""
        return self._lock.locked()

    @property
    def is_shut_down(self) -> bool:
        """Whether `shutdown` has been called."""
        return self._is_shut_down

    def name_of(self, number: int) -> str:
        """The user's id of the unfinished request whose sequences have this owner."""
        return self._output_processor.name_of(number)

    def requests_in(self, step: Step | None) -> list[str]:
        """Ids of the unfinished requests that have a part in a step."""
        return self._output_processor.names_in(step)

    @property
    def has_unfinished_requests(self) -> CallableBool:
        """Whether `step` has anything to do; vLLM's is called."""
        return CallableBool(
            not self._is_shut_down and bool(self._output_processor or self._output_processor.has_outputs)
        )

    @_alone
    def unfinished_requests(self) -> list[str]:
        """Ids of the requests that `step` has something to do for."""
        return self._output_processor.names_to_show()

    # --- Requests ------------------------------------------------------------------------------------------

    @_alone
    def add_request(
        self,
        request_id: str,
        prompt: Prompt,
        params: Params | None = None,
        *,
        priority: int = 0,
        cache_salt: str | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
        lora_request: None = None,
    ) -> None:
        """Queues a prompt; it may be called between any two steps.

        Args:
            request_id: any text that no unfinished request has.
            prompt: a text, token ids, or a dictionary of vLLM's (`requests/prompts.py`); for a model with an encoder,
                what `prompts.split_prompt` takes.
            params: None for the engine's `default_params`.
            priority: lower runs first, with the scheduling policy "priority".
            cache_salt: only requests with the same salt share cached blocks. A prompt may bring its own.
            tokenization_kwargs: of the tokenizer, where the prompt is a text; and vLLM's `truncate_prompt_tokens`, how
                many of the prompt's last tokens are kept, -1: as many as leave room for the completion, and
                `truncation_side`, "right" for the first ones instead.
            lora_request: None.

        Raises:
            RequestError: the request can never run (empty, too long, tokens out of the vocabulary, an id in use, a
                text that the tokenizer fails on).
            ConfigError: an argument is none of those. Nothing has changed then, as with a RequestError.
        """
        asked = self._input_processor.read(
            request_id,
            prompt,
            self.default_params if params is None else params,
            priority=priority,
            cache_salt=cache_salt,
            tokenization_kwargs=tokenization_kwargs,
            lora_request=lora_request,
        )
        self._look_at_weights()
        if self._output_processor.has_name(request_id):
            raise RequestError(f"{asked.label}: an unfinished request has this id already")
        self.scheduler.require_room(
            asked.label,
            asked.token_ids,
            num_given=asked.num_given,
            encoder=asked.encoder,
            generates=asked.generates,
        )
        self._output_processor.add(lambda number: self._input_processor.group(number, asked))

    def tokenize(
        self, prompt: Prompt, tokenization_kwargs: Mapping[str, Any] | None = None, label: str = "prompt"
    ) -> dict[str, Any]:
        """A text as a prompt that is tokenized already; arguments and errors as above, which say the label."""
        return self._input_processor.tokenize(label, prompt, tokenization_kwargs)

    def prepare(self, params: Params | None, *, label: str = "request") -> None:
        """Compiles the grammar of parameters that have one, for a request that is added later. For any thread.

        Raises:
            RequestError: as `add_request`.
        """
        given = self.default_params if params is None else params
        if isinstance(given, SamplingParams) and given.structured_outputs is not None:
            self._input_processor.grammars.compile(label, given.structured_outputs)

    def is_prepared(self, params: Params | None) -> bool:
        """Whether `prepare` takes no time."""
        given = self.default_params if params is None else params
        structured = given.structured_outputs if isinstance(given, SamplingParams) else None
        return structured is None or self._input_processor.grammars.knows(structured)

    @_alone
    def abort(self, request_id: str, error: str | None = None) -> RequestOutput | None:
        """Ends a request in whatever state it is and returns what there is of it; None when there is none.

        Args:
            error: why it cannot go on: its finish_reason is "error" then.
        """
        if not isinstance(request_id, str):
            raise ConfigError(f"abort: request_id is {request_id!r:.80}, expected a text")
        return self._output_processor.abort(request_id, error)

    def abort_request(self, request_ids: str | Iterable[str]) -> None:
        """`abort` of one or several, by vLLM's name; ids that no unfinished request has are passed by."""
        if not isinstance(request_ids, Iterable):
            raise ConfigError(f"abort_request: request_ids is {request_ids!r:.80}, expected an id or several")
        for request_id in [request_ids] if isinstance(request_ids, str) else list(request_ids):
            self.abort(request_id)

    # --- Steps ---------------------------------------------------------------------------------------------

    @_alone
    def step(self) -> list[RequestOutput]:
        """Computes one batch. Returns what the requests have to show that got tokens or ended, as values of their own.

        A request whose results cannot be processed ends with finish_reason "error"; the others go on.

        Raises:
            EngineError: the scheduler found nothing to run.
            Exception: what the forward itself raised; the step's requests are as before it and may be tried again or
                aborted. What an earlier step has brought comes with the next call that returns.
        """
        if not self.pipeline.idle:
            self._advance()
        elif self._output_processor and not self._output_processor.has_outputs:
            raise EngineError(
                f"the scheduler has lost requests {self._output_processor.names()[:8]}; abort them, and report this"
            )
        return self._output_processor.take_outputs()

    def _run_alone(self, group: Group) -> None:
        """Runs a group to its end while there is no other."""
        self._output_processor.run_alone(group, self._advance)

    def _advance(self) -> None:
        with span(STEP):
            self.pipeline.advance(self._output_processor.take)

    def _begin_anew(self) -> None:
        """After bookkeeping that was cut short: all requests end, nothing is cached but what is pinned."""
        logger.warning(
            "an interrupt has cut the engine's bookkeeping short: %d requests end, the prefix cache is emptied",
            len(self._output_processor),
        )
        self.executor.reset()
        self.scheduler.reset(self.prefixes.names)
        self.pipeline.clear()
        self.prefixes.reset()
        self._output_processor.abandon()
        self._transaction.settle()

    # --- Weights -------------------------------------------------------------------------------------------

    @property
    def exact(self) -> bool:
        """Whether a row's logits have the same bits alone, among others and in a prefill: found out when first asked.

        A greedy completion does not depend on what runs beside it then.
        """
        from torchpaged.execution.exact import is_exact

        return is_exact(self.model)

    @_alone
    def system_fingerprint(self) -> str:
        """One word for all that decides on an answer's bits, of the weights as they are now.

        It takes some small steps, and about a second for each gigabyte of weights, two at most.
        """
        from torchpaged.engine.fingerprint import system_fingerprint

        return system_fingerprint(self.model, self.config, self.default_params, self.chat_params)

    @_alone
    def quantize(self, config: Any, calibration: Sequence[str | Sequence[int]] | None = None) -> Any:
        """Quantises the weights in place, between requests; cached blocks are forgotten, they are the old weights'.

        Args:
            config: a name as of `EngineConfig.quantization`, or a config of torchao.
            calibration: texts or tokens that say what the model is used for, for four bits on the CPU; None: the
                documentation and source of Python's standard library.

        Where tokens are guessed ahead and rows depend on each other afterwards, none are from then on, with a warning.

        Returns:
            `torchpaged.integrations.checkpoints.torchao.QuantizedWeights`.

        Raises:
            EngineError: requests are unfinished, or a prefix is pinned.
            ConfigError: it cannot be done to this model on this device; the weights are as they were then.
        """
        self._require_idle("quantize")
        if self.prefixes.names:
            raise EngineError(
                "quantize: a prefix is pinned, whose keys and values are the old weights'; unpin it first"
            )
        weights_of(self.model, "quantize")
        return self._weights.quantize(config, self.tokenizer, calibration)

    @_alone
    def update_weights(self, weights: Mapping[str, torch.Tensor] | Iterable[tuple[str, torch.Tensor]]) -> int:
        """Copies new numbers into the model's weights, between requests; returns how many tensors.

        What was made of the old ones is made anew: packed weights, graphs, pinned prefixes; cached ones are forgotten.

        Args:
            weights: by their names in the model's `state_dict()`, all of them or some; any float dtype and device.

        Raises:
            EngineError: requests are unfinished.
            ConfigError: a name or shape that the model does not have, or a weight that is quantised; those before it
                are copied.
        """
        self._require_idle("update_weights")
        return self._weights.update(weights)

    @classmethod
    def from_engine_args(cls, engine_args: Any) -> LLMEngine:
        """An engine of `EngineArgs`.

        Raises:
            ModelError, ConfigError: as `LLM`.
        """
        loaded = load(engine_args.model, engine_args.tokenizer, engine_args.settings())
        return cls(
            loaded.model,
            loaded.config,
            tokenizer=loaded.tokenizer,
            eos_token_ids=loaded.eos_token_ids,
            default_params=loaded.default_params,
            chat_params=loaded.chat_params,
        )

    @_alone
    def apply_model(self, func: Callable[[torch.nn.Module], _R]) -> list[_R]:
        """What a function gives for the model's module, between requests, in a list as vLLM's; it may change weights.

        It sees the weights as the checkpoint has them, whatever was made of them to run faster; that is made anew
        afterwards, and cached prefixes are forgotten.

        Raises:
            EngineError: requests are unfinished.
            ConfigError: the model is no module (a .pt2 file).
        """
        if not callable(func):
            raise ConfigError(f"apply_model: func is {func!r:.80}, expected a function of a module")
        self._require_idle("apply_model")
        return [self._weights.apply(func)]

    def _require_idle(self, what: str) -> None:
        if self._output_processor:
            raise EngineError(
                f"{what}: {len(self._output_processor)} requests are unfinished; do it before or after them"
            )

    def _look_at_weights(self) -> None:
        """Before an idle engine runs again: whether somebody has changed the model since it ran last."""
        if self.pipeline.idle:
            self._weights.look()

    def _renew(self, others: bool) -> None:
        """The weights are others: what was made of the old ones is made anew.

        Args:
            others: whether they may be of another kind too, so that rows may depend on each other that did not.
        """
        self.executor.renew()
        self.pipeline.drain()  # of requests that have ended
        with self._transaction:
            self.scheduler.drop_cache()
        if others and self.scheduler.drafter is not None:
            renew_drafter(self.scheduler.drafter, self.model, self.config, self.executor)
        self.prefixes.renew()

    # --- Prefixes ------------------------------------------------------------------------------------------

    @_alone
    def reset_prefix_cache(self, reset_running_requests: bool = False, reset_connector: bool = False) -> bool:
        """Forgets all cached blocks; False, and nothing changes, while a request or a pin holds one.

        Args:
            reset_running_requests: take requests' blocks too: they are computed again, and give the tokens that they
                would have given.
            reset_connector: False: there is none.
        """
        if reset_connector:
            raise ConfigError("reset_prefix_cache: reset_connector is True, expected False: there are no KV connectors")
        if reset_running_requests and not self.prefixes.names:
            self.pipeline.recompute()
        with self._transaction:
            return self.scheduler.manager.reset_prefix_cache()

    @_alone
    def pin_prefix(self, prompt: Prompt, *, cache_salt: str | None = None) -> str:
        """`PrefixStore.pin` of a prompt, a text or tokens.

        Raises:
            RequestError: as `add_request`, or a prefix that cannot be pinned.
        """
        return self._pin(prompt, require_salt("pin_prefix", cache_salt))

    def _pin(self, prompt: Prompt, cache_salt: str | None) -> str:
        if self.model.encoder is not None:
            raise ConfigError(
                "pin_prefix: the model has an encoder; what follows from its input is not found by tokens"
            )
        read = self._input_processor.prompts.read("prefix", prompt)
        keys = keys_of("prefix", cache_salt, read.cache_salt)
        self._look_at_weights()
        return self.prefixes.pin(read.token_ids, keys)

    @_alone
    def pinned_prefixes(self) -> list[PinnedPrefix]:
        """`PrefixStore.described`."""
        return self.prefixes.described()

    @_alone
    def unpin_prefix(self, name: str) -> None:
        """`PrefixStore.unpin`."""
        self.prefixes.unpin(name)

    @_alone
    def save_prefix(self, path: str | Path, prompt: Prompt | None = None) -> int:
        """`PrefixStore.save` of a prompt, computed first unless it is cached, or of all pins."""
        if prompt is None:
            self._look_at_weights()
            return self.prefixes.save(path)
        there = set(self.prefixes.names)
        try:
            try:
                return self.prefixes.save(path, [self._pin(prompt, None)])
            finally:
                self._unpin_others(there)
        finally:  # an interrupt may have struck within the first one
            self._unpin_others(there)

    def _unpin_others(self, names: set[str]) -> None:
        for name in set(self.prefixes.names) - names:
            self.prefixes.unpin(name)

    @_alone
    def load_prefix(self, path: str | Path, *, cache_salt: str | None = None) -> list[str]:
        """`PrefixStore.load`."""
        self._look_at_weights()
        return self.prefixes.load(path, CacheKeys(salt=require_salt("load_prefix", cache_salt)))

    # --- What there is -------------------------------------------------------------------------------------

    @property
    def vllm_config(self) -> VllmConfig:
        """The settings as far as vLLM's scripts read them: `vllm_config.model_config.hf_config` and others."""
        model_config = getattr(getattr(self.model, "model", None), "config", None)
        return VllmConfig.of(self.model.spec, self.config, hf_config=model_config, tokenizer=self.tokenizer)

    @property
    def num_waiting_tokens(self) -> int:
        """Of sequences that wait to be computed from the start."""
        return sum(sequence.num_tokens for sequence in self.scheduler.sequence_table.queues.waiting)

    @property
    def num_generated_tokens(self) -> int:
        """Since the engine was made."""
        return self._output_processor.num_generated - self.scheduler.num_cut_tokens

    @property
    def num_computed_tokens(self) -> int:
        """Since the engine was made."""
        return self.pipeline.num_computed_tokens

    @_alone
    def get_metrics(self, model_name: str | None = None) -> list[Metric]:
        """vLLM's metrics, by its names, of the engine since it was made: objects of `torchpaged.engine.metrics`.

        Args:
            model_name: their label; None: the model's class.
        """
        stats, cache = self._stats(), self.scheduler.manager.stats()
        gauges = {
            "num_requests_running": stats.num_running,
            "num_requests_waiting": stats.num_waiting + stats.num_swapped,
            "kv_cache_usage_perc": cache.num_used_blocks / cache.num_blocks,
        }
        counters = {
            "prefix_cache_queries": cache.num_queried_tokens,
            "prefix_cache_hits": cache.num_hit_tokens,
            "num_preemptions": stats.num_preemptions,
            "generation_tokens": stats.num_generated_tokens,
        }
        labels = {"model_name": model_name or self.model.spec.name, "engine": "0"}
        found = self._output_processor.ended.metrics(labels, gauges, counters, stats.drafts, stats.prefill_budget)
        waiting = {"capacity": stats.num_waiting + stats.num_swapped - stats.num_parked, "deferred": stats.num_parked}
        found += [
            Gauge("vllm:num_requests_waiting_by_reason", {**labels, "reason": reason}, float(count))
            for reason, count in waiting.items()
        ]
        return [*found, Gauge("vllm:cache_config_info", {**labels, **self._cache_config()}, 1.0)]

    def _cache_config(self) -> dict[str, str]:
        """The cache's settings by vLLM's names, as the labels of a metric that is always 1."""
        config, cache = self.config, self.scheduler.manager.stats()
        settings = {
            "block_size": config.block_size,
            "cache_dtype": config.kv_cache_dtype,
            "enable_prefix_caching": config.enable_prefix_caching,
            "num_gpu_blocks": cache.num_blocks,
            "num_cpu_blocks": self.executor.num_swap_blocks,
        }
        return {name: str(value) for name, value in settings.items()}

    @_alone
    def stats(self) -> EngineStats:
        """How full the cache is and what has been done."""
        return self._stats()

    def _stats(self) -> EngineStats:
        sequence_table = self.scheduler.sequence_table
        return EngineStats(
            cache=self.scheduler.manager.stats(),
            peak=self._output_processor.peak,
            num_steps=self.pipeline.num_steps,
            num_computed_tokens=self.pipeline.num_computed_tokens,
            num_generated_tokens=self.num_generated_tokens,
            num_preemptions=sequence_table.num_preemptions,
            num_swaps=sequence_table.num_swaps,
            num_running=len(sequence_table.queues.running),
            num_waiting=len(sequence_table.queues.waiting),
            num_swapped=len(sequence_table.queues.swapped) + len(sequence_table.queues.parked),
            num_parked=len(sequence_table.queues.parked),
            waits=dict(self.scheduler.waits),
            drafts=None if self.scheduler.drafter is None else self.scheduler.drafter.counts,
            prefill_budget=None if self.scheduler.prefill_budget is None else self.scheduler.prefill_budget.counts,
        )

    @_alone
    def check(self) -> None:
        """Asserts the invariants of everything below, between steps."""
        self.pipeline.check()
        self.scheduler.check()
        self.executor.check()
        self.prefixes.check()
        self._output_processor.check()

    # --- The end -------------------------------------------------------------------------------------------

    def shutdown(self) -> None:
        """Ends all requests and gives the pool's memory back, and the model's unless it is somebody else's.

        Whatever is called after it raises EngineError; a second time it does nothing.
        """
        if self._is_shut_down:
            return
        self.abort_request(self._output_processor.names())
        with self._lock:
            self._is_shut_down = True
            self._input_processor.grammars.close()
            gone: Any = _Gone()
            self.model = self._computed = self.executor = self.scheduler = self.pipeline = self.prefixes = gone
            self._weights = self._output_processor = gone
        gc.collect()  # steps and tensors know each other in circles

    if not TYPE_CHECKING:  # mypy would take any name

        def __getattr__(self, name: str) -> Any:
            raise absent(self, name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Neither pickled nor copied."""
        raise not_copied(self)


class _Gone:
    """What an engine's parts are after its shutdown: nothing is in them."""

    def __len__(self) -> int:
        return 0

    def __getattr__(self, name: str) -> Any:
        raise EngineError(f"LLMEngine: its {name} was asked for after its shutdown; make another engine")


def _scheduler(executor: Executor, config: EngineConfig, drafter: Drafter | None) -> Scheduler:
    """Over the executor's pool."""
    manager = KVCacheManager(
        executor.groups,
        executor.num_blocks,
        block_size=config.block_size,
        num_swap_blocks=executor.num_swap_blocks,
        num_state_slots=executor.slots.states,
        num_tail_slots=executor.slots.tails,
        num_swap_state_slots=executor.slots.swap_states,
        num_swap_tail_slots=executor.slots.swap_tails,
        enable_prefix_caching=config.enable_prefix_caching,
        eviction_policy=config.eviction_policy,
    )
    assert config.max_model_len is not None, "the settings are not resolved"
    return Scheduler(
        manager,
        max_num_seqs=config.max_num_seqs,
        max_num_batched_tokens=config.max_num_batched_tokens,
        max_model_len=config.max_model_len,
        long_prefill_token_threshold=config.long_prefill_token_threshold,
        enable_chunked_prefill=config.enable_chunked_prefill,
        policy=config.scheduling_policy,
        preemption_mode=config.preemption_mode,
        watermark=config.watermark,
        drafter=drafter,
        max_step_ms=config.max_step_ms,
    )


__all__ = ["EngineError", "EngineStats", "LLMEngine", "Prompt", "RequestOutputKind"]
