"""AsyncLLM: an engine in a thread or process of its own, for tasks: `async for output in llm.generate(...)`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from torchpaged import pooling
from torchpaged.async_engine.client import EngineClient, in_thread
from torchpaged.async_engine.core import ServedModel, build
from torchpaged.async_engine.engine_process import EngineArguments, EngineProcess
from torchpaged.async_engine.process import in_process
from torchpaged.async_engine.request_streams import RequestArgs, RequestStream, RequestStreams, last_outputs, unchanged
from torchpaged.async_engine.tokenizer_pool import Length, TokenizerPool
from torchpaged.engine_args import EngineArgs
from torchpaged.errors import ConfigError, EngineDeadError, EngineError, not_copied
from torchpaged.models.fast_tokenizer import transformers_tokenizer
from torchpaged.outputs import PoolingOutput, PoolingRequestOutput, RequestOutput, ScoringRequestOutput
from torchpaged.pooling_params import PoolerConfig, PoolingParams
from torchpaged.requests.chat import Conversation
from torchpaged.requests.pooling import instructed
from torchpaged.utils.absent_methods import absent
from torchpaged.utils.pausing import require_level, require_mode

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from torchpaged.engine.input_processor import Params
    from torchpaged.engine.llm_engine import EngineStats, LLMEngine, WeightSource
    from torchpaged.engine.metrics import Metric
    from torchpaged.lora_request import LoRARequest
    from torchpaged.requests.prompts import Prompt

_T = TypeVar("_T")

# vLLM's class has one more argument, for its logs.
AsyncEngineArgs: Any = EngineArgs


class AsyncLLM:
    """A model that answers any number of tasks, of any number of event loops. Names are vLLM's.

    Prompts are tokenized in other threads than the engine's and the event loop's, long ones in one of their own. A step
    wakes a loop once, however many outputs it has; outputs that a slow task has not taken are merged.

    Args:
        model, tokenizer, settings: as of `LLM`.
        step_timeout: seconds after which a step that has not ended makes the engine unhealthy.
        engine_process: run the engine in a process of its own, whose steps wait for no other Python code. The script
            needs `if __name__ == "__main__":`, because the process imports it too.
        restart_engine: start another process when that one dies, at most twice in a row (a death after five minutes
            counts as the first). Unfinished requests end with `EngineRestartingError`, as do those that come before the
            new one is ready; pinned prefixes are lost. Not after `call` has changed the weights.

    Attributes:
        name: of the model.
        config: the resolved settings.
        spec: of the model.
        max_model_len: most tokens of prompt and completion together.
        default_params: parameters of requests without any.
        chat_template: for conversations; None: the tokenizer's own.
        chat_params: parameters of HTTP chats without any.
        tokenizer_pool: tokenizes prompts.

    Raises:
        ModelError, ConfigError: as `LLM`.
    """

    def __init__(
        self,
        model: str | Path | PreTrainedModel,
        tokenizer: Any = None,
        *,
        step_timeout: float = 120.0,
        engine_process: bool = False,
        restart_engine: bool = False,
        **settings: Any,
    ) -> None:
        _require_seconds(step_timeout)
        if restart_engine and not engine_process:
            raise ConfigError(
                "AsyncLLM: restart_engine is True, and engine_process False: a thread cannot be restarted"
            )
        if engine_process:
            started = EngineProcess(EngineArguments.of(model, tokenizer, settings, torch.get_num_threads()))
            self._begin(*in_process(started, restart=restart_engine), step_timeout)
        else:
            engine, served = build(model, tokenizer, settings)
            self._begin(in_thread(engine), served, step_timeout)

    @classmethod
    def from_engine(
        cls, engine: LLMEngine, *, name: str | None = None, chat_template: str | None = None, step_timeout: float = 120
    ) -> AsyncLLM:
        """Make an AsyncLLM over an engine, which must not be used directly from now on."""
        _require_seconds(step_timeout)
        llm = cls.__new__(cls)
        llm._begin(in_thread(engine), ServedModel.of(engine, name, chat_template), step_timeout)
        return llm

    @classmethod
    def from_process(
        cls, started: EngineProcess, *, step_timeout: float = 120.0, restart_engine: bool = False
    ) -> AsyncLLM:
        """Make an AsyncLLM over an engine in a process that has been started already.

        Raises:
            ModelError, ConfigError: as `LLM`.
        """
        _require_seconds(step_timeout)
        llm = cls.__new__(cls)
        llm._begin(*in_process(started, restart=restart_engine), step_timeout)
        return llm

    @classmethod
    def from_engine_args(cls, engine_args: Any, *, usage_context: Any = None, stat_loggers: Any = None) -> AsyncLLM:
        """Make an AsyncLLM from `AsyncEngineArgs`.

        Args:
            usage_context: ignored: it is for usage statistics that vLLM collects.
            stat_loggers: None; use `stats` and `get_metrics`.
        """
        if stat_loggers:
            raise ConfigError(f"AsyncLLM: stat_loggers is {stat_loggers!r:.80}, expected None; ask get_metrics")
        return cls(engine_args.model, engine_args.tokenizer, **engine_args.settings())

    def _begin(self, client: EngineClient, served: ServedModel, step_timeout: float) -> None:
        self.name, self.config, self.spec = served.name, served.config, served.spec
        self.max_model_len = served.max_model_len
        self.chat_template = served.chat_template
        self.default_params, self.chat_params = served.default_params, served.chat_params
        self.tokenizer_pool = TokenizerPool(
            served.tokenizer,
            self.spec.vocab_size,
            served.chat_template,
            max_model_len=served.max_model_len,
            truncates=self.spec.is_encoder,
            media_processor=served.media_processor,
            config=served.config,
        )
        self._step_timeout = step_timeout
        self._client = client
        self._requests = RequestStreams(client, None if served.has_encoder else self.tokenizer_pool)
        self._fingerprint: Future[str] | None = None  # None: not asked for yet, or weights have changed

    # --- Requests ------------------------------------------------------------------------------------------

    def generate(
        self,
        prompt: Prompt,
        sampling_params: Params | None = None,
        request_id: str | None = None,
        *,
        lora_request: LoRARequest | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
        priority: int = 0,
        cache_salt: str | None = None,
    ) -> RequestStream[RequestOutput]:
        """Run a request: `async for output in llm.generate(...)` gives an output each time it has got tokens.

        `SamplingParams.output_kind` decides if an output has everything so far, only what is new, or comes only at the
        end. Leaving the loop, cancelling its task or dropping the stream aborts the request. The last output is
        `finished`; with finish_reason "error" it has a description of the error.

        Args:
            prompt, lora_request, tokenization_kwargs, priority, cache_salt: as of `LLMEngine.add_request`.
            sampling_params: None: `default_params`.
            request_id: any text that no unfinished request has as its id; None: a unique one is made.

        Raises, when the loop begins:
            RequestError, ConfigError: the request can never run.
            ModelError: its adapter cannot be read, or does not fit the model.
            EngineDeadError: the engine has ended.
        """
        params = self.default_params if sampling_params is None else sampling_params
        args = RequestArgs(prompt, params, tokenization_kwargs, priority, cache_salt, lora_request)
        return RequestStream(self._requests, self, request_id, args, unchanged)

    def encode(
        self,
        prompt: Prompt,
        pooling_params: PoolingParams | None = None,
        request_id: str | None = None,
        *,
        lora_request: LoRARequest | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
        priority: int = 0,
        cache_salt: str | None = None,
    ) -> RequestStream[PoolingRequestOutput[PoolingOutput]]:
        """Do the same for outputs of a prompt's hidden states, as of `LLM.encode`: one output.

        Raises, when the loop begins:
            EngineError: the request ended without a result; and as `generate`.
        """
        params = PoolingParams() if pooling_params is None else pooling_params
        if isinstance(params, PoolingParams):
            prompt, params = instructed(self.config.pooler_config or PoolerConfig(), prompt, params, self.spec)
        args = RequestArgs(prompt, params, tokenization_kwargs, priority, cache_salt, lora_request)
        return RequestStream(self._requests, self, request_id, args, pooling.pooled)

    async def score(
        self,
        data_1: Any,
        data_2: Any,
        pooling_params: PoolingParams | None = None,
        *,
        lora_request: LoRARequest | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
        priority: int = 0,
        cache_salt: str | None = None,
    ) -> list[ScoringRequestOutput]:
        """Return the similarity of texts, as of `LLM.score`: one output for each pair. Cancelling ends its requests.

        Raises:
            ConfigError: the model cannot score, or the arguments are not texts.
            RequestError, EngineError, EngineDeadError: as `encode`.
        """
        task, given = pooling.scoring_task(self.spec, self.config.pooler_config), tokenization_kwargs or {}
        both = pooling.pairs(data_1, data_2, takes_prompts=task != "classify")
        (params,) = pooling.one_task("score", pooling_params, task, 1)

        async def pool(texts: Iterable[tuple[Any, Mapping[str, Any]]]) -> list[RequestOutput]:
            every = [RequestArgs(text, params, more, priority, cache_salt, lora_request) for text, more in texts]
            return await last_outputs([RequestStream(self._requests, self, None, args, unchanged) for args in every])

        if task == "classify":
            return [pooling.scored(each) for each in await pool((a, {**given, "text_pair": b}) for a, b in both)]
        unique, key = pooling.unique_prompts(both), pooling.prompt_key
        pooler = self.config.pooler_config or PoolerConfig()
        read = [pooler.instructed(each, params) for each in unique.values()]
        params = replace(params, prompt_name=None)
        found = dict(zip(unique, await pool((each, given) for each, _ in read), strict=True))
        return [pooling.compared(found[key(one)], found[key(other)], pooler.similarity) for one, other in both]

    async def abort(self, request_id: str | Iterable[str]) -> None:
        """End requests: their readers get a last output with finish_reason "abort". Ids of no request are ignored.

        Raises:
            ConfigError: neither an id nor several.
        """
        if not isinstance(request_id, Iterable):
            raise ConfigError(f"abort: request_id is {request_id!r:.80}, expected an id or several")
        given = [request_id] if isinstance(request_id, str) else list(request_id)
        self._requests.abort(given)

    def abort_all(self) -> None:
        """End all requests that are unfinished now, as `abort` does."""
        self._requests.abort_all()

    async def preprocess_chat(
        self, messages: Conversation, *, length: Length = Length.WHOLE, **options: Any
    ) -> dict[str, Any]:
        """Return the prompt of a conversation, for `generate`.

        Args:
            length: how long its text may be.
            options: of `ChatReader.prompts`: add_generation_prompt, continue_final_message, tools, template_kwargs, ...

        Raises:
            RequestError: a conversation that cannot be made a prompt.
        """
        return await self.tokenizer_pool.chat(messages, length=length, **options)

    def get_num_unfinished_requests(self) -> int:
        """Return the number of unfinished requests."""
        return len(self._requests)

    def get_num_queued_tokens(self) -> int:
        """Return the number of tokens of prompts that wait for their first step."""
        return self._client.num_queued_tokens

    async def wait_for_requests_to_drain(self, drain_timeout: float = 300) -> None:
        """Return when no request is unfinished. Raises TimeoutError if some are after so many seconds."""
        end = time.monotonic() + drain_timeout
        while len(self._requests):
            if time.monotonic() > end:
                raise TimeoutError(f"{len(self._requests)} requests are unfinished after {drain_timeout:g} seconds")
            await asyncio.sleep(0.02)

    # --- Engine --------------------------------------------------------------------------------------------

    async def call(self, method: str | Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return the result of a method of the engine, called between two steps: `pin_prefix`, `update_weights`, ...

        Args:
            method: its name; or a function that takes the engine as its first argument, which must be defined in a
                module if the engine is in a process of its own.

        Raises:
            ConfigError: there is no such method, or it adds or runs requests.
            Exception: an error of the method.
            EngineDeadError: the engine has ended.
        """
        if not isinstance(method, str) and not callable(method):
            raise ConfigError(f"call: method is {method!r:.80}, expected a name or a function")
        if method in _BETWEEN_REQUESTS:
            return await getattr(self, str(method))(*args, **kwargs)
        return await self._call(method, *args, **kwargs)

    async def _call(self, method: str | Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        changes = method in _CHANGES_WEIGHTS
        if changes or method == "update_lora":
            self._client.may_restart = False
        try:
            return await asyncio.wrap_future(self._client.call(method, args, kwargs))
        finally:
            if changes:
                self._fingerprint = None

    async def add_lora(self, lora_request: LoRARequest) -> bool:
        """`LLMEngine.add_lora`, in a thread of its own: steps go on."""
        return bool(await self.call("add_lora", lora_request))

    async def remove_lora(self, lora_id: int) -> bool:
        """`LLMEngine.remove_lora`, between two steps."""
        return bool(await self.call("remove_lora", lora_id))

    async def list_loras(self) -> set[int]:
        """`LLMEngine.list_loras`, between two steps."""
        return set(await self.call("list_loras"))

    async def pin_lora(self, lora_id: int) -> bool:
        """`LLMEngine.pin_lora`, between two steps."""
        return bool(await self.call("pin_lora", lora_id))

    async def update_lora(
        self,
        lora_name: str,
        weights: Mapping[str, torch.Tensor],
        config: Any = None,
        *,
        lora_int_id: int | None = None,
    ) -> LoRARequest:
        """`LLMEngine.update_lora`, between two steps."""
        made: LoRARequest = await self.call("update_lora", lora_name, weights, config, lora_int_id=lora_int_id)
        return made

    async def update_weights(
        self,
        weights: WeightSource,
        *,
        version: str | None = None,
        reset_running_requests: bool = False,
        allow_non_finite: bool = False,
    ) -> int:
        """`LLMEngine.update_weights`, between two steps: texts go on with the new weights. No pause is needed."""
        options = {
            "version": version,
            "reset_running_requests": reset_running_requests,
            "allow_non_finite": allow_non_finite,
        }
        return int(await self.call("update_weights", weights, **options))

    async def init_weight_transfer_engine(self, request: Any) -> None:
        """`LLMEngine.init_weight_transfer_engine`, between two steps; it waits for the trainer."""
        await self.call("init_weight_transfer_engine", request)

    async def shutdown_weight_transfer_engine(self) -> None:
        """`LLMEngine.shutdown_weight_transfer_engine`."""
        await self.call("shutdown_weight_transfer_engine")

    async def start_weight_update(self) -> None:
        """`LLMEngine.start_weight_update`."""
        await self.call("start_weight_update")

    async def finish_weight_update(
        self, weight_version: str | None = None, *, reset_running_requests: bool = False
    ) -> int:
        """`LLMEngine.finish_weight_update`, between two steps."""
        options = {"reset_running_requests": reset_running_requests}
        return int(await self.call("finish_weight_update", weight_version, **options))

    async def update_weight_version(self, new_version: str) -> None:
        """`LLMEngine.set_weight_version`, between two steps, by vLLM's name for it here."""
        await self.call("set_weight_version", new_version)

    async def get_weight_version(self) -> str:
        """Return the name of the weights: `LLMEngine.weight_version`."""
        return str(await self.call("get_weight_version"))

    async def system_fingerprint(self) -> str:
        """`LLMEngine.system_fingerprint`; computed once for all callers, and again after a change of the weights."""
        while True:
            pending = self._fingerprint
            if pending is None or (pending.done() and pending.exception() is not None):
                pending = self._fingerprint = self._client.call("system_fingerprint", (), {})
            # A caller that is cancelled shall not cancel it for the others.
            found: str = await asyncio.shield(asyncio.wrap_future(pending))
            if self._fingerprint is pending:
                return found

    async def stats(self) -> EngineStats:
        """`LLMEngine.stats`, between two steps."""
        stats: EngineStats = await self.call("stats")
        return stats

    async def get_metrics(self, model_name: str | None = None) -> list[Metric]:
        """`LLMEngine.get_metrics`, between two steps; None: labelled with the model's own name."""
        metrics: list[Metric] = await self.call("get_metrics", model_name or self.name)
        return metrics

    async def reset_prefix_cache(self, reset_running_requests: bool = False, reset_connector: bool = False) -> bool:
        """`LLMEngine.reset_prefix_cache`, between two steps."""
        return bool(await self.call("reset_prefix_cache", reset_running_requests, reset_connector))

    async def pause_generation(self, *, mode: str = "abort", clear_cache: bool = True) -> None:
        """Hold requests back until `resume_generation`; those that come in the meantime begin then.

        Args:
            mode: for requests in flight: "abort" ends them, "wait" returns when they have ended, "keep" stops them
                where they are.
            clear_cache: if the prefix cache is emptied. Kept requests are computed again then.

        Raises:
            ConfigError: another mode.
            EngineDeadError: the engine has ended.
        """
        require_mode("pause_generation", mode)
        if not isinstance(clear_cache, bool):
            raise ConfigError(f"pause_generation: clear_cache is {clear_cache!r:.80}, expected True or False")
        await self._call("pause_generation", mode=mode, clear_cache=clear_cache)

    async def resume_generation(self) -> None:
        """End `pause_generation`; does nothing without a pause."""
        await self._call("resume_generation")

    async def is_paused(self) -> bool:
        """Return True if requests are held back."""
        return bool(await self._call("is_paused"))

    async def sleep(self, level: int = 1, mode: str = "abort") -> None:
        """`LLMEngine.sleep`, once the requests have ended or are kept; those that come later begin after `wake_up`."""
        require_mode("sleep", mode)
        require_level("sleep", level)
        if level == 2:
            self._client.may_restart = False
        await self._call("sleep", level=level, mode=mode)

    async def wake_up(self, tags: Sequence[str] | None = None) -> bool:
        """`LLMEngine.wake_up`, which ends the pause too, unless that was there before `sleep`."""
        return bool(await self._call("wake_up", tags))

    async def is_sleeping(self) -> bool:
        """Return True from `sleep` until `wake_up` of everything."""
        return bool(await self.call("is_sleeping"))

    def get_tokenizer(self) -> Any:
        """Return transformers' tokenizer for short prompts, which another thread uses; None if there is none.

        A prepared start loads it at the first call.
        """
        return transformers_tokenizer(self.tokenizer_pool.tokenizer)

    @property
    def is_running(self) -> bool:
        """True while the engine takes requests."""
        return self._client.dead is None

    @property
    def is_stopped(self) -> bool:
        """True if the engine has been shut down, or has died."""
        return not self.is_running

    @property
    def errored(self) -> bool:
        """True if the engine has died."""
        return self._client.has_died

    @property
    def dead_error(self) -> EngineDeadError:
        """The error that requests get once the engine has ended."""
        return self._client.dead or EngineDeadError("the engine has not ended")

    @property
    def is_healthy(self) -> bool:
        """True if the engine runs, and its steps end in time and do not fail repeatedly."""
        return self._client.unhealthy_reason(self._step_timeout) is None

    async def check_health(self) -> None:
        """Raise EngineDeadError if the engine has ended, EngineError if it is not healthy."""
        if self._client.dead is not None:
            raise self._client.dead
        if (unhealthy_reason := self._client.unhealthy_reason(self._step_timeout)) is not None:
            raise EngineError(unhealthy_reason)

    def shutdown(self, timeout: float | None = None) -> None:
        """End all requests, which get a last output, and the engine. A second call does nothing.

        Args:
            timeout: seconds to wait for the running step; None: until it has ended.
        """
        self._client.stop(timeout)
        self.tokenizer_pool.close()

    def __del__(self) -> None:
        if hasattr(self, "_client"):
            self._client.stop(wait=False)
            self.tokenizer_pool.close()

    if not TYPE_CHECKING:  # mypy would take any name

        def __getattr__(self, name: str) -> Any:
            raise absent(self, name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Refuse pickling and copying."""
        raise not_copied(self)


# Methods of the engine that change answers.
_CHANGES_WEIGHTS = ("apply_model", "quantize", "update_weights", "finish_weight_update")
# Methods of an `AsyncLLM` whose arguments it checks, and whose part in the engine's thread relies on that.
_BETWEEN_REQUESTS = ("pause_generation", "resume_generation", "is_paused", "sleep", "wake_up")


def _require_seconds(step_timeout: object) -> None:
    if isinstance(step_timeout, bool) or not isinstance(step_timeout, (int, float)) or not step_timeout > 0:
        raise ConfigError(f"AsyncLLM: step_timeout is {step_timeout!r:.80}, expected seconds, more than 0")
