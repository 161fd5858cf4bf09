"""LLMEngine: requests in, outputs out. add_request, step, abort; one step at a time, in one thread."""

from __future__ import annotations

import functools
import gc
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from torchpaged import logits_processors as processors
from torchpaged.config import EngineConfig, VllmConfig
from torchpaged.engine import memory_keeper
from torchpaged.engine.adapters import AdapterRegistry, of_state_dict, registry_of
from torchpaged.engine.input_processor import InputProcessor, Params, keys_of, require_salt
from torchpaged.engine.loader import load
from torchpaged.engine.make_scheduler import make_scheduler
from torchpaged.engine.metrics import EngineStats, Metric, engine_metrics
from torchpaged.engine.output_processor import OutputProcessor
from torchpaged.engine.prompt_embeds import require_embeddings
from torchpaged.engine.prompt_media import media_keys
from torchpaged.engine.speculation import drafter_of, renew_drafter, require_exact, with_draft
from torchpaged.engine.step_pipeline import Pipeline
from torchpaged.engine.tier_blocks import close_tier, prefetch_blocks
from torchpaged.engine.weights import EngineWeights, weights_of
from torchpaged.errors import ConfigError, EngineError, MediaError, RequestError, not_copied
from torchpaged.execution.executor import Executor, LocalExecutor
from torchpaged.execution.phases import STEP, span
from torchpaged.execution.ranks.executor import RankedExecutor, explained
from torchpaged.kv_cache import CacheKeys, MemoryLimit, PoolMemory
from torchpaged.kv_cache.journal import PrefixChanges
from torchpaged.lora_request import LoRARequest
from torchpaged.models.fast_tokenizer import transformers_tokenizer
from torchpaged.models.model import PagedModel
from torchpaged.outputs import CallableBool, RequestOutput
from torchpaged.requests.group import Group
from torchpaged.requests.output import TokenNames
from torchpaged.requests.prefixes import PinnedPrefix, Prefetched, PrefixStore
from torchpaged.requests.prompts import Prompt
from torchpaged.requests.sampling import Vocabulary
from torchpaged.sampling_params import RequestOutputKind, SamplingParams
from torchpaged.scheduling import Step
from torchpaged.utils import startup
from torchpaged.utils.absent_methods import absent
from torchpaged.utils.fingerprint import fingerprint_of
from torchpaged.utils.huge_pages import lack_as_model_error
from torchpaged.utils.pausing import require_level, require_mode
from torchpaged.utils.torch_state import host_by_default, watch_forks
from torchpaged.utils.transaction import Transaction
from torchpaged.weights.transfer import WeightReceiver, update_info_of

if TYPE_CHECKING:
    import torch

    # Tensors by name, a checkpoint's folder, or `{"update_info": ...}`.
    WeightSource = Mapping[str, Any] | Iterable[tuple[str, torch.Tensor]] | str | Path

logger = logging.getLogger(__name__)

_NO_LOCK = nullcontext()

# Methods that need neither weights nor cache.
_WHILE_ASLEEP = {
    *("abort", "check", "get_metrics", "pinned_prefixes", "reset_prefix_cache", "sleep", "stats", "step"),
    *("unfinished_requests", "wake_up", "set_weight_version", "update_weights", "finish_weight_update"),
    *("init_weight_transfer_engine", "shutdown_weight_transfer_engine", "start_weight_update"),
}

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _alone(method: Callable[Concatenate[LLMEngine, _P], _R]) -> Callable[Concatenate[LLMEngine, _P], _R]:
    """Allow one call at a time: a second one, from another thread or within the first, raises and changes nothing.

    A call repairs what an interrupt has left behind before it starts.
    """

    @functools.wraps(method)
    def call(self: LLMEngine, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        if self._is_shut_down:
            raise EngineError(f"LLMEngine.{method.__name__}: the engine has been shut down; make another")
        if self._asleep and method.__name__ not in _WHILE_ASLEEP:
            raise EngineError(f"LLMEngine.{method.__name__}: the engine is asleep; call wake_up first")
        if self._lock.locked():
            raise EngineError(
                f"LLMEngine.{method.__name__}: another call of this engine is running, expected one thread; give each "
                "thread an engine of its own, or use LLM, whose calls wait for each other"
            )
        # `with` over a lock in C: no interrupt can come between acquiring it and entering the block.
        with self._lock, _NO_LOCK if self._keeper is None else self._keeper.lock, host_by_default():
            if not (self._transaction.settled and self.executor.settled):
                self._begin_anew()
            self._output_processor.end_alone()
            return method(self, *args, **kwargs)

    return call


class LLMEngine:
    """Continuous batching over one model, for one thread.

    Ctrl-C, or any exception, at any line leaves it usable. A step whose forward was interrupted has changed nothing. If
    tables were being changed, all requests end with finish_reason "error" in the next `step`, cached prefixes are
    forgotten and pins stay.

    Args:
        model: the model; `torchpaged.integrations.transformers.adapter` makes one of a transformers model.
        config: settings.
        tokenizer: of transformers; None if prompts are tokens and only tokens are wanted.
        eos_token_ids: tokens that end a text.
        default_params: parameters of requests without any.
        chat_params: parameters of chats without any; None: `default_params`.
        executor: makes the executor, from the model and the resolved settings.

    Attributes:
        config: the resolved settings.
        executor: computes the steps.
        scheduler: makes the steps.
        adapters: adapters by name; None without `EngineConfig.enable_lora`.

    Raises:
        ConfigError: the pool cannot be sized as asked, max_model_len is longer than the model's, or its weights cannot
            be quantised as asked.
        ModelError: the system has no memory for the pool, the weights or graphs.
    """

    @explained
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
        if self.config.quantization is not None:  # before the pool takes the free memory
            weights_of(model, "quantization").quantize(self.config.quantization, tokenizer)
        computed = with_draft(model, self.config, tokenizer)
        # Again, because the draft model may be limited to eager mode.
        self.config = self.config.resolve(computed.spec, has_encoder=model.encoder is not None)
        require_embeddings(model.spec, self.config)
        self._weights = EngineWeights(computed, self.config)
        self._receiver = WeightReceiver(model.spec.device)
        require_exact(model, self.config)
        given = [*processors.installed(), *(self.config.logits_processors or ())]
        named = dict(zip(processors.load(given), given, strict=True))  # each class once
        self.config = replace(self.config, logits_processors=tuple(named.values()))
        with startup.stage("pool"):
            self.executor = executor(computed, self.config)
        limit = None
        if self.executor.discards and self.config.sizes_pool_by_free_memory:
            limit = MemoryLimit(memory_keeper.free_memory, self.config.gpu_memory_utilization)
        drafter = drafter_of(model, self.config, self.executor)
        self.adapters = registry_of(model, self.config, self.executor)
        self.scheduler = make_scheduler(model, self.executor, self.config, drafter, limit, self.adapters)
        vocab_size = model.spec.vocab_size
        eos = frozenset(token for token in eos_token_ids if 0 <= token < vocab_size)
        self.vocabulary = Vocabulary(tokenizer, eos, TokenNames(tokenizer), self.config.seed, vocab_size)
        # It only asks the processors' classes about parameters; the executor makes instances of its own.
        self._input_processor = InputProcessor(
            model,
            self.config,
            self.vocabulary,
            tuple(named),
            in_process=self.executor.in_process,
            adapters=self.adapters,
        )
        self._is_shut_down = False
        self._asleep: set[str] = set()
        self._lock = threading.Lock()
        self._transaction = Transaction()
        overlaps = self.config.overlaps(model.spec.device.type)
        self.pipeline = Pipeline(self.scheduler, self.executor, self._transaction, overlaps=overlaps)
        self._output_processor = OutputProcessor(
            self.scheduler, self.pipeline, self._transaction, lambda: self._weights.version
        )
        self._keeper: memory_keeper.MemoryKeeper | None = None
        if limit is not None:
            self._keeper = memory_keeper.MemoryKeeper(
                limit, self.scheduler, self.executor, self._transaction, self._output_processor.fail
            )
        self.prefixes = PrefixStore(self.scheduler, self.executor, self._run_alone, self._transaction)
        self._weights.renew = self._renew
        if isinstance(self.executor, RankedExecutor):
            self._weights.ranks = self.executor
        self._log_memory()

    @property
    def tokenizer(self) -> Any:
        """transformers' tokenizer, or None. A prepared start loads it at the first access."""
        return transformers_tokenizer(self.vocabulary.tokenizer)

    @property
    def eos_token_ids(self) -> tuple[int, ...]:
        """Tokens that end a text."""
        return tuple(sorted(self.vocabulary.eos_token_ids))

    @property
    def max_model_len(self) -> int:
        """Most tokens of prompt and completion together."""
        return self.config.max_model_len or self.model.spec.max_model_len

    @property
    def last_step(self) -> Step | None:
        """The step that was scheduled last, for observers."""
        return self.pipeline.last_step

    def get_num_unfinished_requests(self) -> int:
        """Return the number of unfinished requests."""
        return len(self._output_processor)

    def get_tokenizer(self) -> Any:
        """Return `tokenizer`, by vLLM's other name."""
        return self.tokenizer

    @property
    def is_busy(self) -> bool:
        """True while a call is running; another call would be refused."""
        return self._lock.locked()

    @property
    def is_shut_down(self) -> bool:
        """True after `shutdown`."""
        return self._is_shut_down

    def name_of(self, number: int) -> str:
        """Return the user's id of the unfinished request whose sequences have this owner."""
        return self._output_processor.name_of(number)

    def requests_in(self, step: Step | None) -> list[str]:
        """Return the ids of the unfinished requests that take part in a step."""
        return self._output_processor.names_in(step)

    @property
    def has_unfinished_requests(self) -> CallableBool:
        """True if `step` has anything to do; may be called, as in vLLM."""
        return CallableBool(
            not self._is_shut_down and bool(self._output_processor or self._output_processor.has_outputs)
        )

    @_alone
    def unfinished_requests(self) -> list[str]:
        """Return the ids of the requests for which `step` has something to do."""
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
        lora_request: LoRARequest | None = None,
    ) -> None:
        """Queue a prompt; may be called between any two steps.

        Args:
            request_id: any text that no unfinished request has as its id.
            prompt: a text, token ids, or one of vLLM's dictionaries (`requests/prompts.py`); for a model with an
                encoder, an argument of `prompts.split_prompt`.
            params: None: the engine's `default_params`.
            priority: lower runs first, with the scheduling policy "priority".
            cache_salt: only requests with the same salt share cached blocks. A prompt may have its own.
            tokenization_kwargs: options of the tokenizer, if the prompt is a text; and vLLM's `truncate_prompt_tokens`,
                the number of the prompt's last tokens to keep (-1: as many as leave room for the completion), and
                `truncation_side`, "right" to keep the first ones instead.
            lora_request: the adapter that the request runs with; None: the model alone. Files that are new or have
                changed are read now, unless `prepare` has read them.

        Raises:
            RequestError: the request can never run (empty, too long, tokens out of the vocabulary, an id in use, a text
                that the tokenizer fails on). Nothing has changed then.
            ConfigError: an argument of another kind, or an adapter in an engine without `enable_lora`. Nothing has
                changed then.
            ModelError: an adapter that cannot be read, or does not fit the model. Nothing has changed then.
        """
        checked = self._input_processor.process(
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
            raise RequestError(f"{checked.label}: an unfinished request has this id already")
        self.scheduler.require_room(
            checked.label,
            checked.token_ids,
            num_given=checked.num_given,
            encoder=checked.encoder,
            generates=checked.generates,
            media=checked.media,
        )
        self._output_processor.add_request(lambda number: self._input_processor.group(number, checked))
        self._prune_adapters()

    def tokenize(
        self, prompt: Prompt, tokenization_kwargs: Mapping[str, Any] | None = None, label: str = "prompt"
    ) -> dict[str, Any]:
        """Return a text as a tokenized prompt; arguments and errors as above, with `label` as the prompt's name."""
        return self._input_processor.tokenize(label, prompt, tokenization_kwargs)

    def prepare(
        self, params: Params | None, *, label: str = "request", lora_request: LoRARequest | None = None
    ) -> None:
        """Compile the grammar and load the adapter of a request that is added later, if it has any. Thread-safe.

        Raises:
            RequestError, ConfigError, ModelError: as `add_request`.
        """
        given = self.default_params if params is None else params
        if isinstance(given, SamplingParams):
            budget = given.thinking_token_budget
            self._input_processor.grammars.guide(label, given.structured_outputs, given.reasoning, budget, ())
        if lora_request is not None:
            self._input_processor.adapter(label, lora_request)

    def is_prepared(self, params: Params | None, lora_request: LoRARequest | None = None) -> bool:
        """Return True if `prepare` would take no time."""
        given = self.default_params if params is None else params
        knows_grammar = True
        if isinstance(given, SamplingParams):
            knows_grammar = self._input_processor.grammars.knows(given.structured_outputs, given.reasoning)
        if lora_request is None or self.adapters is None:
            return knows_grammar
        return knows_grammar and self.adapters.knows(lora_request)

    @_alone
    def abort(self, request_id: str, error: str | None = None) -> RequestOutput | None:
        """End a request in any state and return its last output; None if there is no such request.

        Args:
            error: description of an error: its finish_reason is "error" then.
        """
        if not isinstance(request_id, str):
            raise ConfigError(f"abort: request_id is {request_id!r:.80}, expected a text")
        return self._output_processor.abort(request_id, error)

    def abort_request(self, request_ids: str | Iterable[str]) -> None:
        """`abort` for one or several ids, by vLLM's name; ids of no unfinished request are ignored."""
        if not isinstance(request_ids, Iterable):
            raise ConfigError(f"abort_request: request_ids is {request_ids!r:.80}, expected an id or several")
        for request_id in [request_ids] if isinstance(request_ids, str) else list(request_ids):
            self.abort(request_id)

    # --- Steps ---------------------------------------------------------------------------------------------

    @_alone
    def step(self) -> list[RequestOutput]:
        """Compute one batch and return the outputs of requests that got tokens or ended, as values that do not change
        later.

        A request whose results cannot be processed ends with finish_reason "error"; the others go on.

        Raises:
            EngineError: the scheduler found nothing to run.
            Exception: an error of the forward; the step's requests are as before it and may be tried again or aborted.
                Results of earlier steps come with the next call that returns.
        """
        if self._asleep and self._output_processor and not self._output_processor.has_outputs:
            raise EngineError("LLMEngine.step: the engine is asleep; call wake_up first")
        if self._asleep:
            return self._output_processor.take_outputs()
        self._weights.require_current()
        self._end_unreadable()
        if not self.pipeline.idle:
            self._advance()
        elif self._output_processor and not self._output_processor.has_outputs:
            raise EngineError(
                f"the scheduler has lost requests {self._output_processor.names()[:8]}; abort them, and report this"
            )
        return self._output_processor.take_outputs()

    def _run_alone(self, group: Group) -> None:
        """Run a group to its end while there is no other."""

        def advance() -> None:
            self._end_unreadable()
            self._advance()

        self._output_processor.run_alone(group, advance)

    def _end_unreadable(self) -> None:
        """End the requests whose adapters had left host memory and cannot be read again; others go on."""
        if self.adapters is None or not (failures := self.adapters.failures):
            return
        failed = {
            sequence.origin.owner: sequence
            for sequence in self.scheduler.sequences.values()
            if sequence.adapter in failures
        }
        for sequence in failed.values():
            self._output_processor.fail(sequence, failures[str(sequence.adapter)])

    def _end_unencodable(self, error: MediaError) -> None:
        """End the requests with an image that the model cannot encode; the step was taken back, and others go on."""
        failed = {
            sequence.origin.owner: sequence
            for sequence in self.scheduler.sequences.values()
            if (media := sequence.origin.media) is not None
            and any(item.content == error.content for item in media.items)
        }
        for sequence in failed.values():
            self._output_processor.fail(sequence, error.reason)

    def _advance(self) -> None:
        is_first = self.pipeline.num_steps == 0
        try:
            with startup.stage("first step") if is_first else nullcontext(), span(STEP):
                self.pipeline.advance(self._output_processor.process_results)
        except MediaError as error:
            self._end_unencodable(error)
            return
        if is_first:
            startup.finish()
        if (tiers := self.scheduler.manager.tiers) is not None:
            self.executor.copy_down(tiers.take_written())
        if self._keeper is not None:
            self._keeper.after_step()

    def _begin_anew(self) -> None:
        """Reset after tables were left half changed: all requests end, and only pinned prefixes stay cached."""
        logger.warning(
            "an interrupt left the engine's tables half changed: %d requests end, the prefix cache is emptied",
            len(self._output_processor),
        )
        self.executor.reset()
        self.scheduler.reset(self.prefixes.names)
        if self.adapters is not None:
            self.adapters.reset()
        self.pipeline.forget_steps()
        self.prefixes.resync()
        self._output_processor.abandon()
        self._transaction.settle()

    # --- Weights -------------------------------------------------------------------------------------------

    @property
    def exact(self) -> bool:
        """True if a row's logits have the same bits alone, among others and in a prefill; tested at the first access.

        A greedy completion does not depend on the rest of the batch then.
        """
        from torchpaged.execution.exact import is_exact

        if self.config.tensor_parallel_size > 1:  # the trial runs on one rank, which would wait for the others
            return False
        return self.config.batch_invariant or is_exact(self.model)

    @_alone
    def system_fingerprint(self) -> str:
        """Return a short text that identifies everything that decides an answer's bits, the current weights included.

        It takes a few small steps, and about a second per gigabyte of weights, at most two. With ranks it covers the
        weights of rank 0.
        """
        return fingerprint_of(self._facts())

    @_alone
    def system_facts(self) -> dict[str, Any]:
        """Return the values that `system_fingerprint` is a hash of, by name; it takes as long."""
        return self._facts()

    def _facts(self) -> dict[str, Any]:
        from torchpaged.engine.fingerprint import system_facts

        return system_facts(self.model, self.config, self.default_params, self.chat_params)

    @_alone
    def quantize(self, config: Any, calibration: Sequence[str | Sequence[int]] | None = None) -> Any:
        """Quantise the weights in place, between requests; cached blocks, which belong to the old weights, are
        forgotten.

        If tokens are guessed and rows depend on each other afterwards, speculation is switched off with a warning.

        Args:
            config: a name as in `EngineConfig.quantization`, or a config of torchao.
            calibration: texts or tokens of typical use, for four bits on the CPU; None: the documentation and source of
                Python's standard library.

        Returns:
            `torchpaged.integrations.checkpoints.torchao.QuantizedWeights`.

        Raises:
            EngineError: requests are unfinished, or a prefix is pinned.
            ConfigError: it is not possible for this model on this device; the weights have not changed then.
        """
        self._require_idle("quantize")
        if self.prefixes.names:
            raise EngineError(
                "quantize: a prefix is pinned, whose keys and values are the old weights'; unpin it first"
            )
        weights_of(self.model, "quantize")
        return self._weights.quantize(config, self.vocabulary.tokenizer, calibration)

    @_alone
    def update_weights(
        self,
        weights: WeightSource,
        *,
        version: str | None = None,
        reset_running_requests: bool = False,
        allow_non_finite: bool = False,
    ) -> int:
        """Copy new numbers into the model's weights, between two steps; return the number of tensors.

        Everything derived from the old ones is made again: packed weights, graphs, pinned prefixes; cached ones are
        forgotten. Requests under way go on with the new weights: their tokens so far stay, and so do the keys and
        values of these, which other requests cannot find. Outputs tell which weights drew each token:
        `CompletionOutput.weight_versions`.

        All tensors are read and checked before the first is copied, and no interrupt comes between two copies: Ctrl-C
        and errors leave either the old weights or the new ones.

        Args:
            weights: tensors by their names in the model's `state_dict()`, all or some, of any float dtype and device; a
                checkpoint's folder; or `{"update_info": ...}` of `torchpaged.weights.transfer`, for tensors in
                shared memory or sent through a group. Between `start_weight_update` and `finish_weight_update` the
                last is a part of an update, and nothing changes yet.
            version: a name for the new weights, another than that of the old ones; None: the number of the change, "1"
                for the first.
            reset_running_requests: free the blocks of requests under way, so that their tokens are computed again with
                the new weights; always with an int8 or 4-bit cache, whose scales follow the weights.
            allow_non_finite: take tensors with NaN or infinities, after which most answers are errors.

        Raises:
            EngineError: requests are unfinished and a prefix is pinned, or the last step failed.
            ConfigError: a name or shape that the model does not have, a weight that is quantised, or numbers that are
                not finite.
        """
        self._weights.require_new_version("update_weights", version)
        info = update_info_of(weights)
        if self._receiver.is_open:
            return self._stage(info, version, allow_non_finite)
        given = weights if info is None else self._receiver.receive(info)
        return self._update(given, version, reset_running_requests, allow_non_finite)

    def _stage(self, info: Any, version: str | None, allow_non_finite: bool) -> int:
        """Take a part of an update."""
        if info is None or version is not None:
            raise ConfigError(
                "update_weights: start_weight_update was called, so weights is expected to be {'update_info': ...}, "
                "and version is given to finish_weight_update"
            )
        received = self._receiver.receive(info)
        checked = self._weights.checked(received, is_part=True, allow_non_finite=allow_non_finite)
        self._receiver.stage(checked)
        return len(checked)

    def _update(self, weights: Any, version: str | None, reset_running_requests: bool, allow_non_finite: bool) -> int:
        if self._output_processor and self.prefixes.names:
            raise EngineError(
                f"update_weights: {len(self._output_processor)} requests are unfinished and a prefix is pinned, which "
                "would be computed again between them; unpin it, or do it before or after them"
            )
        if "weights" in self._asleep:
            raise EngineError('update_weights: the weights are asleep; call wake_up(["weights"]) first')
        checked = self._weights.checked(weights, allow_non_finite=allow_non_finite)
        self.pipeline.settle(self._output_processor.process_results)
        keeps = not reset_running_requests and self.config.kv_cache_dtype not in ("int8", "int4")
        self._weights.update(checked, version, keeps=keeps and bool(self._output_processor))
        return len(checked)

    @_alone
    def init_weight_transfer_engine(self, request: Any) -> None:
        """Join a trainer's group: vLLM's call, with `{"init_info": WeightSender.init_info}`. It waits for the trainer.

        Raises:
            ConfigError: another request.
            EngineError: the trainer does not answer.
        """
        info = request.get("init_info") if isinstance(request, Mapping) else getattr(request, "init_info", None)
        self._receiver.join(info)

    @_alone
    def shutdown_weight_transfer_engine(self) -> None:
        """Leave the trainer's group; vLLM's call."""
        self._receiver.leave()

    @_alone
    def start_weight_update(self) -> None:
        """Begin an update in several parts; vLLM's call. The parts change nothing until `finish_weight_update`."""
        self._receiver.begin()

    @_alone
    def finish_weight_update(self, weight_version: str | None = None, *, reset_running_requests: bool = False) -> int:
        """Copy all parts of an update at once, as `update_weights` does; return the number of tensors. vLLM's call.

        Args:
            weight_version: as `version` of `update_weights`.
            reset_running_requests: as of `update_weights`.
        """
        self._weights.require_new_version("finish_weight_update", weight_version)
        # Its parts were checked when they came.
        return self._update(self._receiver.finish(), weight_version, reset_running_requests, allow_non_finite=True)

    @property
    def weight_version(self) -> str:
        """Name of the weights: "default", then the number of the last change, or the name given with it."""
        return self._weights.version

    def get_weight_version(self) -> str:
        """Return `weight_version`, as vLLM's method."""
        return self.weight_version

    @_alone
    def set_weight_version(self, weight_version: str) -> None:
        """Name the weights, whose numbers stay.

        Raises:
            ConfigError: it is not a text, or the name that they have.
        """
        self._weights.require_new_version("set_weight_version", weight_version, may_be_absent=False)
        self.pipeline.settle(self._output_processor.process_results)
        self._weights.rename(weight_version)

    @classmethod
    def from_engine_args(cls, engine_args: Any) -> LLMEngine:
        """Make an engine from `EngineArgs`.

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
            executor=loaded.executor,
        )

    @_alone
    def apply_model(self, func: Callable[[torch.nn.Module], _R]) -> list[_R]:
        """Return a function's result for the model's module, in a list as vLLM does. It may change weights.

        It is called between requests and sees the weights as in the checkpoint, not the packed ones. These are made
        again afterwards, and cached prefixes are forgotten.

        Raises:
            EngineError: requests are unfinished.
            ConfigError: the model is not a module (a .pt2 file).
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
        """Before an idle engine runs again, check if the user has changed the model since its last step."""
        if self.pipeline.idle:
            self._weights.look()

    def _renew(self, others: bool, keeps: bool) -> None:
        """Make everything again that was derived from the weights, which have changed.

        Args:
            others: if their kind may have changed too, so that rows may depend on each other that did not.
            keeps: if sequences keep their blocks; otherwise they are computed again.
        """
        self.executor.renew()
        if not self.scheduler.has_unfinished:
            self.pipeline.drain()  # steps of requests that have ended
        with self._transaction:
            if keeps:
                self.scheduler.set_apart()
            else:
                self.scheduler.drop_cache()
        if others and self.scheduler.drafter is not None:
            renew_drafter(self.scheduler.drafter, self.model, self.config, self.executor)
        self.prefixes.renew()

    # --- Sleep ---------------------------------------------------------------------------------------------

    @_alone
    def sleep(self, level: int = 1, mode: str = "abort") -> None:
        """Give back memory until `wake_up`; the next `step` returns outputs of requests that end now.

        Args:
            level: 0: nothing, only no step is made; 1: the KV cache, and on a GPU the weights, which go to the host; 2:
                the KV cache and the weights, which `update_weights` has to give all again after `wake_up`.
            mode: of requests under way: "abort" ends them, "wait" runs them to their end, "keep" has them computed
                again after `wake_up`.

        Raises:
            ConfigError: another level or mode, or level 2 for weights that cannot be updated.
            EngineError: it is asleep, or requests are kept and a prefix is pinned. Nothing has changed then.
        """
        self.require_can_sleep(level, mode)
        if mode == "abort":
            self._output_processor.abort_all()
        while mode == "wait" and not self.pipeline.idle:
            self._end_unreadable()
            self._advance()
        self.pipeline.settle(self._output_processor.process_results)
        if not level:
            self._asleep = {"scheduling"}
            return
        self._weights.release(keep=level == 1)
        self._asleep = {"weights", "kv_cache"}
        with self._transaction:
            self.scheduler.drop_cache()
        if self._keeper is not None:
            self._keeper.give_back()
        self.executor.sleep()

    def require_can_sleep(self, level: int, mode: str) -> None:
        """Raise an error if `sleep` would refuse these arguments now. Errors as in `sleep`."""
        require_level("sleep", level)
        require_mode("sleep", mode)
        if self._asleep:
            raise EngineError("sleep: the engine is asleep already")
        if mode == "keep" and level and self.prefixes.names and self._output_processor:
            raise EngineError("sleep: requests are kept and a prefix is pinned, unpin it or use another mode")

    @_alone
    def wake_up(self, tags: Sequence[str] | None = None) -> bool:
        """End `sleep`, or a part of it; return True if the engine is awake. Pinned prefixes are computed again.

        Args:
            tags: "weights", "kv_cache", "scheduling"; None: all.
        """
        every = ("weights", "kv_cache", "scheduling")
        is_odd = tags is not None and (isinstance(tags, str) or not isinstance(tags, Iterable))
        if is_odd or any(tag not in every for tag in tags or ()):
            raise ConfigError(f"wake_up: tags is {tags!r:.80}, expected None or a list of {', '.join(every)}")
        awake = self._asleep.intersection(every if tags is None else tags)
        if "weights" in awake:
            self._weights.regain()
        if "kv_cache" in awake:
            self.executor.wake_up()
        was_asleep, self._asleep = bool(self._asleep), self._asleep - awake
        if was_asleep and not self._asleep:
            self._weights.is_asleep = False
            if self._weights.is_current:
                self.prefixes.renew()
            elif not self._weights.is_damaged:
                self._weights.require_current()
        return not self._asleep

    def is_sleeping(self) -> bool:
        """Return True from `sleep` until `wake_up` of everything."""
        return bool(self._asleep)

    # --- Adapters ------------------------------------------------------------------------------------------

    def add_lora(self, lora_request: LoRARequest) -> bool:
        """Load an adapter, in the calling thread, so that its requests need not wait for that. Thread-safe.

        A name that is known gets the adapter at the request's path; requests that came before keep theirs.

        Returns:
            True.

        Raises:
            ModelError: it cannot be read, or does not fit the model. Nothing has changed then.
            ConfigError: adapters are off, or the number is another name's.
        """
        if not isinstance(lora_request, LoRARequest):
            raise ConfigError(f"add_lora: lora_request is {lora_request!r:.80}, expected a LoRARequest")
        self._registry("add_lora").resolve(lora_request, again=lora_request.load_inplace)
        return True

    @_alone
    def remove_lora(self, lora_id: int) -> bool:
        """Forget the adapter with this number; its unfinished requests go on. Returns False if there is none."""
        removed = self._registry("remove_lora").remove(lora_id)
        self._prune_adapters()
        return removed

    def list_loras(self) -> set[int]:
        """Return the numbers of the adapters that have a name. Thread-safe."""
        return {each.number for each in self._registry("list_loras").named.values()}

    def pin_lora(self, lora_id: int) -> bool:
        """Keep the adapter with this number in host memory. Returns False if there is none. Thread-safe.

        Raises:
            ConfigError: so many are pinned that other adapters would have no room.
        """
        return self._registry("pin_lora").pin(lora_id)

    @_alone
    def update_lora(
        self,
        lora_name: str,
        weights: Mapping[str, torch.Tensor],
        config: Any = None,
        *,
        lora_int_id: int | None = None,
    ) -> LoRARequest:
        """Give a name new weights, between two steps; requests that came before keep theirs. The tensors are copied.

        Args:
            lora_name: a new name, or one that is known.
            weights: tensors as in peft's `get_peft_model_state_dict(model)` or in `model.state_dict()` of a PeftModel.
            config: peft's LoraConfig, its values as a dictionary, or the PeftModel; None: the same modules, ranks and
                scales as before.
            lora_int_id: None: the name's own number, or the smallest that is free.

        Returns:
            The request that names the adapter.

        Raises:
            ModelError: tensors or config do not fit the model. Nothing has changed then.
            ConfigError: adapters are off, a new name without a config, or the number is another name's.
        """
        adapters = self._registry("update_lora")
        request = LoRARequest(lora_name, 1 if lora_int_id is None else lora_int_id)  # checks both
        given = adapters.adapter_of(lora_name) if config is None else config
        if given is None:
            raise ConfigError(
                f"update_lora: config is None, but there is no adapter {request.lora_name!r:.80}, whose ranks and "
                "scales could stay; give peft's LoraConfig"
            )
        made = of_state_dict(self.model, self.config, self.executor, lora_name, weights, given)
        found = adapters.put(lora_name, made, lora_int_id)
        self._prune_adapters()
        return found.request

    def _registry(self, method: str) -> AdapterRegistry:
        if self.adapters is None:
            raise ConfigError(f"{method}: the engine was made without adapters; make it with enable_lora=True")
        return self.adapters

    def _prune_adapters(self) -> None:
        """Forget contents that no name and no request has any more."""
        if self.adapters is not None and self.adapters.has_stale:
            in_use = {each.adapter for each in self.scheduler.sequences.values() if each.adapter is not None}
            self.adapters.prune(in_use.union(self.prefixes.adapters))

    # --- Prefixes ------------------------------------------------------------------------------------------

    @_alone
    def reset_prefix_cache(self, reset_running_requests: bool = False, reset_connector: bool = False) -> bool:
        """Forget all cached blocks; return False, changing nothing, while a request or a pin holds one.

        Args:
            reset_running_requests: free the blocks of requests too: they are computed again, and give the same tokens.
            reset_connector: False: there are no connectors.
        """
        if reset_connector:
            raise ConfigError("reset_prefix_cache: reset_connector is True, expected False: there are no KV connectors")
        if reset_running_requests and not self.prefixes.names:
            self.pipeline.recompute()
        with self._transaction:
            return self.scheduler.manager.reset_prefix_cache()

    @_alone
    def pin_prefix(
        self, prompt: Prompt, *, cache_salt: str | None = None, lora_request: LoRARequest | None = None
    ) -> str:
        """`PrefixStore.pin` of a prompt, a text or tokens.

        Raises:
            RequestError, ModelError: as `add_request`, or a prefix that cannot be pinned.
        """
        return self._pin(prompt, require_salt("pin_prefix", cache_salt), lora_request)

    def _pin(self, prompt: Prompt, cache_salt: str | None, lora_request: LoRARequest | None) -> str:
        if self.model.encoder is not None:
            raise ConfigError(
                "pin_prefix: the model has an encoder; what follows from its input is not found by tokens"
            )
        if self.model.spec.is_encoder:
            raise ConfigError("pin_prefix: the model is an encoder, and nothing is kept of a text; there is no prefix")
        read = self._input_processor.prompts.read("prefix", prompt)
        if read.media is not None:
            raise RequestError(
                "prefix: the prompt has images or sounds, which are neither pinned nor saved; a request with the same "
                "ones finds their blocks without a pin while they are cached"
            )
        keys = keys_of("prefix", cache_salt, read.cache_salt)
        if lora_request is not None:
            keys = replace(keys, lora=self._input_processor.adapter("prefix", lora_request).content)
        self._look_at_weights()
        return self.prefixes.pin(read.token_ids, keys)

    @_alone
    def prefetch(
        self,
        prompts: Sequence[Prompt],
        *,
        cache_salt: str | None = None,
        lora_request: LoRARequest | None = None,
        timeout: float = 60.0,
    ) -> list[Prefetched]:
        """Bring the prompts' blocks from the store below the pools into them. A second call asks how far it is.

        Beside unfinished requests it only begins: their steps go on with it.

        Args:
            prompts: texts or tokens.
            cache_salt, lora_request: of the requests that will find the blocks.
            timeout: seconds to wait at most while the engine is idle.

        Raises:
            ConfigError: there is no store.
            RequestError: a prompt that no request could have.
        """
        if self.executor.tier is None:
            raise ConfigError(
                "prefetch: the engine has no tier below its pool; set prefix_cache_dir or prefix_cache_host_gb"
            )
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 <= timeout < float("inf"):
            raise ConfigError(f"prefetch: timeout is {timeout!r:.80}, expected seconds of 0 or more")
        require_salt("prefetch", cache_salt)
        self._look_at_weights()
        wanted = []
        for prompt in prompts:
            read = self._input_processor.prompts.read("prefetch", prompt)
            keys = keys_of("prefetch", cache_salt, read.cache_salt)
            if read.media is not None:
                keys = replace(keys, multimodal=media_keys(read.media))
            if lora_request is not None:
                keys = replace(keys, lora=self._input_processor.adapter("prefetch", lora_request).content)
            self.scheduler.require_room("prefetch", read.token_ids, media=read.media)
            wanted.append((tuple(read.token_ids), keys))
        return prefetch_blocks(
            wanted, timeout, self.scheduler, self.executor, self._transaction, lambda: self.pipeline.idle
        )

    @_alone
    def flush_prefix_cache(self, timeout: float = 10.0) -> bool:
        """Wait until the store below the pools has all blocks that were written to it.

        Args:
            timeout: seconds to wait at most.

        Returns:
            False if it has not got all of them in that time.

        Raises:
            ConfigError: there is no store.
        """
        if self.executor.tier is None:
            raise ConfigError("flush_prefix_cache: the engine has no tier below its pool; set prefix_cache_dir")
        return self.executor.tier.flush(timeout)

    @_alone
    def prefix_changes(self, epoch: str = "", number: int = 0) -> PrefixChanges:
        """Return the blocks that the prefix cache has got and lost since a reader last asked, by their hashes.

        Args:
            epoch, number: of the reader's last answer; everything is returned if they are not known.
        """
        return self.scheduler.manager.pool.journal().since(epoch, number)

    @_alone
    def pinned_prefixes(self) -> list[PinnedPrefix]:
        """`PrefixStore.described`."""
        return self.prefixes.described()

    @_alone
    def unpin_prefix(self, name: str) -> None:
        """`PrefixStore.unpin`."""
        self.prefixes.unpin(name)

    @_alone
    def save_prefix(
        self, path: str | Path, prompt: Prompt | None = None, *, lora_request: LoRARequest | None = None
    ) -> int:
        """`PrefixStore.save` for a prompt, computed first unless it is cached, or for all pins."""
        if prompt is None:
            if lora_request is not None:
                raise ConfigError("save_prefix: lora_request is given without a prompt; each pin has its own adapter")
            self._look_at_weights()
            return self.prefixes.save(path)
        there = set(self.prefixes.names)
        try:
            try:
                return self.prefixes.save(path, [self._pin(prompt, None, lora_request)])
            finally:
                self._unpin_others(there)
        finally:  # an interrupt may have come within the first `finally`
            self._unpin_others(there)

    def _unpin_others(self, names: set[str]) -> None:
        for name in set(self.prefixes.names) - names:
            self.prefixes.unpin(name)

    @_alone
    def load_prefix(
        self, path: str | Path, *, cache_salt: str | None = None, lora_request: LoRARequest | None = None
    ) -> list[str]:
        """`PrefixStore.load`.

        Args:
            lora_request: the adapter that the prefixes must have been computed with; None: any, or none.
        """
        self._look_at_weights()
        keys = CacheKeys(salt=require_salt("load_prefix", cache_salt))
        if lora_request is not None:
            keys = replace(keys, lora=self._input_processor.adapter("load_prefix", lora_request).content)
        return self.prefixes.load(path, keys)

    # --- State ---------------------------------------------------------------------------------------------

    @property
    def vllm_config(self) -> VllmConfig:
        """The settings that vLLM's scripts read: `vllm_config.model_config.hf_config` and others."""
        hf_config = getattr(self.model, "hf_config", None)  # a model that is not transformers' has none
        return VllmConfig.of(self.model.spec, self.config, hf_config=hf_config, tokenizer=self.tokenizer)

    @property
    def num_waiting_tokens(self) -> int:
        """Number of tokens of sequences that wait to be computed from the start."""
        queues = self.scheduler.sequence_table.queues
        return sum(sequence.num_tokens for sequence in (*queues.waiting, *queues.loading))

    @property
    def num_generated_tokens(self) -> int:
        """Number of generated tokens since the engine was made."""
        return self._output_processor.num_generated - self.scheduler.num_cut_tokens

    @property
    def num_computed_tokens(self) -> int:
        """Number of computed tokens since the engine was made."""
        return self.pipeline.num_computed_tokens

    @_alone
    def get_metrics(self, model_name: str | None = None) -> list[Metric]:
        """Return vLLM's metrics, by its names, since the engine was made: objects of `torchpaged.engine.metrics`.

        Args:
            model_name: label of the metrics; None: the model's class.
        """
        labels = {"model_name": model_name or self.model.spec.name, "engine": "0"}
        ended, num_swap_blocks = self._output_processor.ended, self.executor.num_swap_blocks
        return engine_metrics(
            labels, self._stats(), ended, self.config, num_swap_blocks, *self._output_processor.adapter_names()
        )

    @_alone
    def stats(self) -> EngineStats:
        """Return the state of the cache and counters.

        Raises:
            EngineError: a rank has failed.
        """
        self.executor.require_alive()
        return self._stats()

    def _stats(self) -> EngineStats:
        sequence_table = self.scheduler.sequence_table
        return EngineStats(
            cache=self.scheduler.manager.stats(),
            memory=self._memory(),
            peak=self._output_processor.peak,
            num_steps=self.pipeline.num_steps,
            num_computed_tokens=self.pipeline.num_computed_tokens,
            num_generated_tokens=self.num_generated_tokens,
            num_preemptions=sequence_table.num_preemptions,
            num_swaps=sequence_table.num_swaps,
            num_running=len(sequence_table.queues.running),
            num_waiting=len(sequence_table.queues.waiting) + len(sequence_table.queues.loading),
            num_swapped=len(sequence_table.queues.swapped) + len(sequence_table.queues.parked),
            num_parked=len(sequence_table.queues.parked),
            waits=dict(self.scheduler.waits),
            drafts=None if self.scheduler.drafter is None else self.scheduler.drafter.counts,
            prefill_budget=None if self.scheduler.prefill_budget is None else self.scheduler.prefill_budget.counts,
            adapters=None if self.adapters is None else self.adapters.counts,
            tiers=None if (tiers := self.scheduler.manager.tiers) is None else tiers.counts,
            tier_io=None if self.executor.tier is None else replace(self.executor.tier.counts),
            media=None if (cache := self.scheduler.encoder_cache) is None else replace(cache.counts),
        )

    def _memory(self) -> PoolMemory:
        """Return the bytes of the pools."""
        memory = self.scheduler.manager.memory()
        return memory if self.executor.discards else replace(memory, taken=memory.reserved)

    def _log_memory(self) -> None:
        """Log how much memory the pools may take."""
        memory, cache = self._memory(), self.scheduler.manager.stats()
        logger.info(
            "KV cache: %d blocks of %d tokens; %.1f MiB are reserved, %.1f MiB taken, the limit is %.1f MiB%s",
            cache.num_blocks,
            cache.block_size,
            *(size / 2**20 for size in (memory.reserved, memory.taken, memory.limit)),
            "" if self._keeper is None else " and follows the free memory",
        )

    @_alone
    def check(self) -> None:
        """Assert the invariants of all parts, between steps."""
        self.pipeline.check()
        self.scheduler.check()
        self.executor.check()
        self.prefixes.check()
        self._output_processor.check()
        if self.adapters is not None:
            self.adapters.check()

    # --- Shutdown ------------------------------------------------------------------------------------------

    def shutdown(self) -> None:
        """End all requests and free the pool's memory, and the model's if the engine owns it.

        Any later call raises EngineError; a second shutdown does nothing.
        """
        if self._is_shut_down:
            return
        self.abort_request(self._output_processor.names())
        with self._lock, _NO_LOCK if self._keeper is None else self._keeper.lock:
            self._is_shut_down = True
            if self._keeper is not None:
                self._keeper.close()
                self._keeper = None  # it refers to the other parts
            self._input_processor.grammars.close()
            close_tier(self.scheduler, self.executor, settled=self._transaction.settled and self.executor.settled)
            if isinstance(self.executor, RankedExecutor):
                self.executor.shutdown()
            gone: Any = _Gone()
            if self.adapters is not None:
                self.adapters.close()
                self.adapters = gone
            self.model = self.executor = self.scheduler = self.pipeline = self.prefixes = gone
            self._weights = self._output_processor = self._input_processor = gone
        gc.collect()  # the parts refer to each other in cycles

    if not TYPE_CHECKING:  # mypy would take any name

        def __getattr__(self, name: str) -> Any:
            raise absent(self, name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Refuse pickling and copying."""
        raise not_copied(self)


class _Gone:
    """Placeholder for an engine's parts after its shutdown; it is empty, and any attribute raises."""

    def __len__(self) -> int:
        return 0

    def __getattr__(self, name: str) -> Any:
        raise EngineError(f"LLMEngine: its {name} was asked for after its shutdown; make another engine")


__all__ = ["EngineError", "EngineStats", "LLMEngine", "Prompt", "RequestOutputKind"]
