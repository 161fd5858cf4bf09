"""OpenRequests: the requests of an AsyncLLM that somebody waits for; RequestStream: what each gives to who waits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from torchpaged.async_engine.client import EngineClient
from torchpaged.async_engine.output_queue import OutputCallback, OutputQueue
from torchpaged.async_engine.tokenizer_pool import TokenizerPool
from torchpaged.engine.input_processor import Params
from torchpaged.engine.llm_engine import Prompt
from torchpaged.errors import ConfigError, EngineError, RequestError
from torchpaged.outputs import RequestOutput, copied
from torchpaged.sampling_params import RequestOutputKind, SamplingParams

_T = TypeVar("_T")


class RequestStreams:
    """Each has two names: the user's, which no other unfinished one has, and the engine's.

    Args:
        client: of the engine.
        desk: makes tokens of prompts before they are sent; None: the engine does.
    """

    def __init__(self, client: EngineClient, tokenizer_pool: TokenizerPool | None) -> None:
        self._client, self._tokenizer_pool = client, tokenizer_pool
        self._unfinished: dict[str, str] = {}  # the engine's name for a request, by the user's
        self._sent: set[str] = set()  # of them, by the engine's: those whose prompts were read, and were sent
        self._to_abort: set[str] = set()  # those that were aborted before

    def __len__(self) -> int:
        return len(self._unfinished)

    def enter(self, request_id: str | None) -> tuple[str, str]:
        """(the user's name for a new request, the engine's)

        Raises:
            ConfigError, RequestError: a name that is none, or that an unfinished one has.
            EngineDeadError: the engine has ended.
        """
        number = self._client.new_name()
        name = f"request-{number}" if request_id is None else request_id
        if not isinstance(name, str):
            raise ConfigError(f"generate: request_id is {name!r:.80}, expected a text or None")
        if self._client.dead is not None:
            raise self._client.dead
        if name in self._unfinished:
            raise RequestError(f"request {name!r}: an unfinished request has this id already")
        self._unfinished[name] = number
        return name, number

    async def send(self, name: str, number: str, asked: Asked) -> OutputQueue:
        """A request to the engine, its prompt as tokens."""
        prompt, given = asked.prompt, asked.tokenization_kwargs
        if self._tokenizer_pool is not None:
            prompt, kept = await self._tokenizer_pool.read(f"request {name!r}", prompt, given)
            given = None if kept is None else {"truncate_prompt_tokens": kept}
        options = {
            "priority": asked.priority,
            "cache_salt": asked.cache_salt,
            "lora_request": asked.lora_request,
            "tokenization_kwargs": given,
        }
        params = asked.params
        deltas = isinstance(params, SamplingParams) and params.output_kind is RequestOutputKind.DELTA
        box = self._client.add(number, prompt, params, options, deltas=deltas)
        self._sent.add(number)
        if number in self._to_abort:
            self._client.abort([number])
        return box

    def leave(self, name: str, number: str, *, finished: bool) -> None:
        """A request that nobody waits for any more. For any thread, and for finalizers."""
        self._unfinished.pop(name, None)
        self._sent.discard(number)
        self._to_abort.discard(number)
        self._client.leave(number, finished=finished)

    def abort(self, names: Iterable[str]) -> None:
        """Ends requests, by the user's names; others are passed by. One that is not sent yet ends when it is."""
        known = [self._unfinished[each] for each in names if each in self._unfinished]
        self._to_abort.update(each for each in known if each not in self._sent)
        self._client.abort([each for each in known if each in self._sent])


class Asked(NamedTuple):
    """What a request is about."""

    prompt: Prompt
    params: Params
    tokenization_kwargs: Mapping[str, Any] | None
    priority: int
    cache_salt: str | None
    lora_request: None


class RequestStream(Generic[_T]):
    """The outputs of one request, as an asynchronous iterator: what `AsyncLLM.generate` returns.

    The request is sent when the first output is asked for. `aclose`, an exception in `__anext__` (its task's
    cancellation among them) and the last reference to the stream going away all end it.

    Args:
        requests: that it becomes one of.
        owner: is not let go while there is the stream.
        request_id, asked: as of `RequestStreams`.
        convert: makes of an output of the engine what is given.
    """

    def __init__(
        self,
        requests: RequestStreams,
        owner: object,
        request_id: str | None,
        asked: Asked,
        convert: Callable[[RequestOutput], _T],
    ) -> None:
        self._requests, self._owner, self._request_id = requests, owner, request_id
        self._asked, self._convert = asked, convert
        self._names: tuple[str, str] | None = None  # while it is unfinished
        self._box: OutputQueue | None = None
        self._ended = self._is_read = False

    def __aiter__(self) -> AsyncIterator[_T]:
        return self

    async def __anext__(self) -> _T:
        """The next output.

        Raises:
            RequestError, ConfigError, EngineDeadError: as `AsyncLLM.generate`.
            EngineError: another task waits for it.
        """
        if self._is_read:
            raise EngineError("a stream is read by two tasks at once; give each task a request of its own")
        if self._ended:
            raise StopAsyncIteration
        self._is_read = True
        try:
            if self._box is None:
                self._box = await self._begin()
            output = await self._box.take()
            assert self._names is not None
            output.request_id = self._names[0]
            output.prompt_token_ids = list(output.prompt_token_ids)  # who reads it may do as he likes
            if output.prompt_logprobs is not None:
                output.prompt_logprobs = copied(output.prompt_logprobs)
            if output.finished:
                self._end(finished=True)
            return self._convert(output)
        except BaseException as error:
            names = self._names
            self._end(finished=False)
            if names is None or not isinstance(error, (RequestError, ConfigError)):
                raise
            said = str(error).replace(f"request {names[1]!r}", f"request {names[0]!r}", 1)
            raise type(error)(said) from error
        finally:
            self._is_read = False

    def offer_to(self, callback: OutputCallback | None) -> None:
        """From its first output on: while a task waits for the next one, this function of the loop is offered it.

        It takes it and returns True, and the task waits on; or False, and the task gets it, with what came since.
        It gets the engine's output, and none behind one that it did not take before the task waits again. What it
        raises is raised in the task. None: nobody is offered anything any more.
        """
        if self._box is not None:
            self._box.callback = callback

    async def _begin(self) -> OutputQueue:
        self._names = self._requests.enter(self._request_id)
        return await self._requests.send(*self._names, self._asked)

    async def aclose(self) -> None:
        """Ends the request, if it has not ended. A task that waits for it gets EngineError."""
        if self._is_read and self._box is not None:
            self._box.room.put([(self._box, EngineError("the stream was closed while a task waited for it"))])
        self._end(finished=False)

    def _end(self, *, finished: bool) -> None:
        self._ended = True
        if self._names is not None:
            names, self._names = self._names, None
            self._requests.leave(*names, finished=finished)

    def __del__(self) -> None:
        self._end(finished=False)


def unchanged(output: RequestOutput) -> RequestOutput:
    """For streams whose outputs are the engine's."""
    return output
