"""RequestStreams: the unfinished requests of an AsyncLLM; RequestStream: the outputs of one of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from torchpaged.async_engine.client import EngineClient, OutputCallback, OutputQueue
from torchpaged.async_engine.tokenizer_pool import Length, TokenizerPool
from torchpaged.engine.input_processor import is_truncated
from torchpaged.errors import ConfigError, EngineError, RequestError
from torchpaged.outputs import RequestOutput, copied
from torchpaged.sampling_params import RequestOutputKind, SamplingParams

if TYPE_CHECKING:
    from torchpaged.engine.input_processor import Params
    from torchpaged.lora_request import LoRARequest
    from torchpaged.requests.prompts import Prompt

_T = TypeVar("_T")

# Requests of a group that are sent at once; between two such pieces, an event loop has time for others.
_PIECE = 16


class RequestStreams:
    """Unfinished requests, each by two ids: the user's, which is unique among them, and the engine's.

    Args:
        client: of the engine.
        tokenizer_pool: tokenizes prompts before they are sent; None: the engine does.
    """

    def __init__(self, client: EngineClient, tokenizer_pool: TokenizerPool | None) -> None:
        self._client, self._tokenizer_pool = client, tokenizer_pool
        self._unfinished: dict[str, str] = {}  # the engine's id of each request by the user's id
        self._sent: set[str] = set()  # engine's ids of requests that were tokenized and sent
        self._to_abort: set[str] = set()  # engine's ids of requests that were aborted before they were sent

    def __len__(self) -> int:
        return len(self._unfinished)

    def enter(self, request_id: str | None) -> tuple[str, str]:
        """Return (the user's id of a new request, the engine's).

        Raises:
            ConfigError, RequestError: an id that is not a text, or that an unfinished request has.
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

    async def send(self, name: str, number: str, args: RequestArgs) -> OutputQueue:
        """Tokenize a request and send it to the engine."""
        prompt, given = args.prompt, args.tokenization_kwargs
        if self._tokenizer_pool is not None:
            length = Length.of(is_truncated({}, args.params))
            prompt, given = await self._tokenizer_pool.read(f"request {name!r}", prompt, given, length=length)
        options = {
            "priority": args.priority,
            "cache_salt": args.cache_salt,
            "lora_request": args.lora_request,
            "tokenization_kwargs": given,
        }
        params = args.params
        deltas = isinstance(params, SamplingParams) and params.output_kind is RequestOutputKind.DELTA
        output_queue = self._client.add(number, prompt, params, options, deltas=deltas)
        self._sent.add(number)
        if number in self._to_abort:
            self._client.abort([number])
        return output_queue

    def leave(self, names: Iterable[tuple[str, str]], *, finished: bool) -> None:
        """Drop requests that are not read any more. Thread-safe; finalizers may call it.

        Args:
            names: the user's id and the engine's of each.
        """
        numbers = []
        for name, number in names:
            self._unfinished.pop(name, None)
            self._sent.discard(number)
            self._to_abort.discard(number)
            numbers.append(number)
        self._client.leave(numbers, finished=finished)

    def abort(self, names: Iterable[str]) -> None:
        """End requests by the user's ids; others are ignored. A request that was not sent yet ends when it is."""
        known = [self._unfinished[each] for each in names if each in self._unfinished]
        self._to_abort.update(each for each in known if each not in self._sent)
        self._client.abort([each for each in known if each in self._sent])

    def abort_all(self) -> None:
        """End every request that is unfinished now."""
        self.abort(list(self._unfinished))


class RequestArgs(NamedTuple):
    """The arguments of a request."""

    prompt: Prompt
    params: Params
    tokenization_kwargs: Mapping[str, Any] | None
    priority: int
    cache_salt: str | None
    lora_request: LoRARequest | None


class RequestStream(Generic[_T]):
    """The outputs of one request as an asynchronous iterator: returned by `AsyncLLM.generate`.

    The request is sent when the first output is asked for. `aclose`, an exception in `__anext__` (also its task's
    cancellation) and dropping the last reference all end it.

    Args:
        requests: the collection that it joins.
        owner: kept alive by the stream.
        request_id: see `RequestStreams`.
        args: of the request.
        convert: converts each output of the engine.
    """

    def __init__(
        self,
        requests: RequestStreams,
        owner: object,
        request_id: str | None,
        args: RequestArgs,
        convert: Callable[[RequestOutput], _T],
    ) -> None:
        self._requests, self._owner, self._request_id = requests, owner, request_id
        self._args, self._convert = args, convert
        self._names: tuple[str, str] | None = None  # the user's id and the engine's, while it is unfinished
        self._queue: OutputQueue | None = None
        self._ended = self._is_read = False

    def __aiter__(self) -> AsyncIterator[_T]:
        return self

    async def __anext__(self) -> _T:
        """Return the next output.

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
            if self._queue is None:
                self._queue = await self._begin()
            return self._received(await self._queue.take())
        except BaseException as error:
            names = self._names
            self._end(finished=False)
            named = _with_users_id(error, names)
            raise named from named.__cause__
        finally:
            self._is_read = False

    def _received(self, output: RequestOutput) -> _T:
        """Return an output of the engine to the reader."""
        assert self._names is not None
        output.request_id = self._names[0]
        output.prompt_token_ids = list(output.prompt_token_ids)  # the reader may change it
        if output.prompt_logprobs is not None:
            output.prompt_logprobs = copied(output.prompt_logprobs)
        if output.finished:
            self._end(finished=True)
        return self._convert(output)

    def offer_to(self, callback: OutputCallback | None) -> None:
        """Offer outputs to a function of the event loop while a task waits for the next one.

        It may be set after the first output. It returns True if it takes the output, and the task waits on; or False,
        and the task gets the output, merged with newer ones. It gets the engine's output, and no further one after it
        returned False until the task waits again. What it raises is raised in the task. None: no function any more.
        """
        if self._queue is not None:
            self._queue.callback = callback

    async def _begin(self) -> OutputQueue:
        self._names = self._requests.enter(self._request_id)
        return await self._requests.send(*self._names, self._args)

    async def aclose(self) -> None:
        """End the request, if it has not ended. A task that waits for it gets EngineError."""
        if self._is_read and self._queue is not None:
            self._queue.owner.put([(self._queue, EngineError("the stream was closed while a task waited for it"))])
        self._end(finished=False)

    def _end(self, *, finished: bool) -> None:
        self._ended = True
        if self._names is not None:
            names, self._names = self._names, None
            self._requests.leave([names], finished=finished)

    def __del__(self) -> None:
        if hasattr(self, "_is_read"):  # an interrupt may have come before it was set
            self._end(finished=False)


def _with_users_id(error: BaseException, names: tuple[str, str] | None) -> BaseException:
    """Return an error of a request with the user's id in place of the engine's."""
    if names is None or not isinstance(error, (RequestError, ConfigError)):
        return error
    named = type(error)(str(error).replace(f"request {names[1]!r}", f"request {names[0]!r}", 1))
    named.__cause__ = error
    return named


async def last_outputs(streams: Sequence[RequestStream[_T]]) -> list[_T]:
    """Return the last output of each stream. If one fails, or the task is cancelled, all requests end.

    There is one task for all of them: a thousand tasks, which all run when they are made and when they are cancelled,
    would keep an event loop from other work for 50 ms.

    Raises:
        RequestError, ConfigError, EngineError, EngineDeadError: as `RequestStream.__anext__`.
    """
    group = _Group(streams)
    try:
        return await group.outputs()
    finally:
        group.end()


class _Group(Generic[_T]):
    """Streams of which only the last outputs are read, all by one task.

    Args:
        streams: none of them has been read.
    """

    def __init__(self, streams: Sequence[RequestStream[_T]]) -> None:
        self._streams = streams
        self._outputs: dict[int, _T] = {}  # by the place of the stream

    async def outputs(self) -> list[_T]:
        """Send the requests, and wait for their last outputs."""
        for place in range(0, len(self._streams), _PIECE):
            piece = self._streams[place : place + _PIECE]
            begun = await asyncio.gather(*(each._begin() for each in piece), return_exceptions=True)
            for stream, queue in zip(piece, begun, strict=True):
                if isinstance(queue, BaseException):
                    raise _with_users_id(queue, stream._names)
                stream._queue = queue
        if self._streams:
            await self._wait()
        return [self._outputs[place] for place in range(len(self._streams))]

    async def _wait(self) -> None:
        done = asyncio.get_running_loop().create_future()
        for place, stream in enumerate(self._streams):
            assert stream._queue is not None
            stream._queue.attach(done, self._taker(place, stream, done))
        await done
        for stream in self._streams:
            if stream._queue is not None and (error := stream._queue.error) is not None:
                raise _with_users_id(error, stream._names)

    def _taker(self, place: int, stream: RequestStream[_T], done: asyncio.Future[None]) -> OutputCallback:
        def take(output: RequestOutput) -> bool:
            if output.finished:
                self._outputs[place] = stream._received(output)
                if len(self._outputs) == len(self._streams) and not done.done():
                    done.set_result(None)
            return True

        return take

    def end(self) -> None:
        """End the requests that have not ended."""
        names = [stream._names for stream in self._streams if stream._names is not None]
        for stream in self._streams:
            stream._names, stream._ended = None, True
        if names:
            self._streams[0]._requests.leave(names, finished=False)


def unchanged(output: RequestOutput) -> RequestOutput:
    """Return the output: for streams that do not convert."""
    return output
