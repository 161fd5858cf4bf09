"""Answers: the JSON of completions and chats, whole or as stream frames. An answer has one request and no HTTP."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from typing import Any

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.async_engine.request_streams import RequestStream
from torchpaged.outputs import FIRST_VERSION, CompletionOutput, FlatLogprobs, Logprob, Logprobs, RequestOutput
from torchpaged.serving import logprobs
from torchpaged.serving.json_text import WrittenJSON, to_json
from torchpaged.serving.messages import MessageReader, Parts
from torchpaged.serving.protocol import ChatBody, CompletionBody, Sampling
from torchpaged.serving.receipts import AnswerReceipts
from torchpaged.serving.refusals import Refusal, ended
from torchpaged.serving.streams import DONE, every, last_of, together

logger = logging.getLogger(__name__)

# The ending of a choice that goes on, in the form of `Answer._ending`.
_GOES_ON = b'"finish_reason":null,"stop_reason":null}'
# Characters of a whole answer that are parsed before other tasks run: 1 to 25 ms, depending on the template.
_READ_AT_ONCE = 1024


class Answer:
    """The answer to one request, which may have several prompts and several choices for each.

    Args:
        llm: engine.
        body: the request.
        streams: one per prompt.
        id: id of the answer.
        model: name of the model.
        fingerprint: the system fingerprint.
        receipts: makes the receipts of its choices; None: none are asked for.
        write: sends bytes of a stream at once, or returns False if that would block; None: not available.
    """

    kind: str
    chunk_kind: str

    def __init__(
        self,
        llm: AsyncLLM,
        body: Sampling,
        streams: Sequence[RequestStream[RequestOutput]],
        *,
        id: str,
        model: str,
        fingerprint: str,
        receipts: AnswerReceipts | None = None,
        write: Callable[[bytes], bool] | None = None,
    ) -> None:
        self._llm, self._streams, self._id, self._write = llm, streams, id, write
        self._num_choices, self._body = body.n or 1, body
        self._head = {"id": id, "object": self.kind, "created": int(time.time()), "model": model}
        self._fingerprint = {"system_fingerprint": fingerprint}
        self._receipts = receipts
        self._begun: set[int] = set()
        self._prompt_tokens: dict[int, int] = {}
        self._cached_tokens: dict[int, int] = {}
        self._prompt_logprobs: dict[int, Logprobs] = {}  # only the first output of a stream has them
        self._prompt_json: dict[int, WrittenJSON] = {}  # vLLM's field of them
        self._num_tokens = 0
        self._told: dict[int, int] = {}  # by choice, the tokens already counted in frames with usage

    async def whole(self) -> dict[str, Any]:
        """Return the whole answer.

        Raises:
            Refusal: it could not be computed.
        """
        outputs = await every([last_of(stream) for stream in self._streams])
        choices = []
        for place, output in enumerate(outputs):
            self._note(place, output)
            await self._write_prompt(place, output)
            for completion in output.outputs:
                require_good(self._id, completion)
                more = await self._at_end(place, completion)
                choices.append({**await self._choice(place, output, completion), **more})
        return {**self._head, "choices": choices, "usage": self._usage(), **self._fingerprint}

    async def frames(self) -> AsyncGenerator[bytes, None]:
        """Yield server-sent events, those of one step in one piece.

        Raises:
            Refusal: it could not be computed.
        """
        head = to_json({**self._head, "object": self.chunk_kind, **self._fingerprint})
        before = b"data: " + head[:-1] + b',"choices":['
        after = b'],"usage":null}\n\n' if self._body.wants_usage else b"]}\n\n"
        if len(self._streams) == 1:  # most answers; this saves a layer per token
            (stream,), texts = self._streams, self._texts(before, after)
            try:
                async for output in stream:
                    frame = texts.frame(output) if texts is not None and self._begun else None
                    if frame is None:
                        frame = await self._frame(0, output, before, after)
                    if frame:
                        yield frame
                    if texts is not None:  # the consumer came back, so it has sent the first frame
                        stream.offer_to(texts.take)
            finally:
                stream.offer_to(None)
            if texts is not None:
                self._num_tokens += texts.num_tokens
        else:
            async for place, output in together(self._streams):
                if frame := await self._frame(place, output, before, after):
                    yield frame
        if self._body.wants_usage:
            yield before + b'],"usage":' + to_json(self._usage()) + b"}\n\n"
        yield DONE

    async def _frame(self, place: int, output: RequestOutput, before: bytes, after: bytes) -> bytes:
        """Make a frame from a step's output."""
        self._note(place, output)
        await self._write_prompt(place, output)
        pieces: list[bytes] = []
        for completion in output.outputs:
            require_good(self._id, completion)
            deltas = await self._deltas(place, output, completion)
            if completion.finished and deltas:
                deltas[-1] |= await self._at_end(place, completion)
            for number, choice in enumerate(deltas, start=1):
                if self._body.wants_usage_always:
                    usage = self._usage_of(place, completion, is_last=number == len(deltas))
                    after = b'],"usage":' + to_json(usage) + b"}\n\n"
                pieces += (before, to_json(choice), after)
            if not deltas:
                self._usage_of(place, completion, is_last=True)  # its tokens are counted in the next frame
        return b"".join(pieces)

    def _usage_of(self, place: int, completion: CompletionOutput, *, is_last: bool) -> dict[str, Any]:
        """Count the usage of one choice, which vLLM reports in each of its frames.

        Args:
            is_last: this is the last frame for the output, so its tokens are counted here.
        """
        index, asked = self._index(place, completion), self._prompt_tokens[place]
        if is_last:
            self._told[index] = self._told.get(index, 0) + len(completion.token_ids)
        return _usage(asked, self._told.get(index, 0), self._cached_tokens[place])

    def _texts(self, before: bytes, after: bytes) -> Texts | None:
        plain = self._plain_choice() if self._num_choices == 1 and self._receipts is None else None
        return None if plain is None else Texts(before + plain[0], plain[1] + after, self._write)

    def _plain_choice(self) -> tuple[bytes, bytes] | None:
        """Return the JSON around a text in a frame that has nothing but the text; None: there is more in it."""
        raise NotImplementedError

    async def _choice(self, place: int, output: RequestOutput, completion: CompletionOutput) -> dict[str, Any]:
        """Make a choice of the whole answer."""
        raise NotImplementedError

    async def _deltas(self, place: int, output: RequestOutput, completion: CompletionOutput) -> list[dict[str, Any]]:
        """Make a frame's choices from new output of one completion."""
        raise NotImplementedError

    def _note(self, place: int, output: RequestOutput) -> None:
        self._prompt_tokens[place] = len(output.prompt_token_ids)
        self._cached_tokens[place] = output.num_cached_tokens or 0
        if output.prompt_logprobs is not None:
            self._prompt_logprobs[place] = output.prompt_logprobs
        for completion in output.outputs:
            self._num_tokens += len(completion.token_ids)
            if self._receipts is not None:
                self._receipts.note(self._index(place, completion), output, completion)

    async def _at_end(self, place: int, completion: CompletionOutput) -> dict[str, Any]:
        """Return fields of a choice that has ended: which weights drew it, once they have a name, and a receipt."""
        told: dict[str, Any] = {}
        if any(each.version != FIRST_VERSION for each in completion.weight_versions or ()):
            told["weight_versions"] = [each._asdict() for each in completion.weight_versions or ()]
        if self._receipts is not None:
            told |= await self._receipts.fields(self._index(place, completion))
        return told

    def _usage(self) -> dict[str, Any]:
        return _usage(sum(self._prompt_tokens.values()), self._num_tokens, sum(self._cached_tokens.values()))

    def _index(self, place: int, completion: CompletionOutput) -> int:
        return place * self._num_choices + completion.index

    def _ending(self, completion: CompletionOutput) -> dict[str, Any]:
        return {"finish_reason": completion.finish_reason, "stop_reason": completion.stop_reason}

    def _token_ids(self, completion: CompletionOutput) -> dict[str, Any]:
        return {"token_ids": completion.token_ids} if self._body.return_token_ids else {}

    def _vllm_s(self, place: int, output: RequestOutput, completion: CompletionOutput) -> dict[str, Any]:
        """Return vLLM's fields of a whole answer, which are always present, as null if not requested."""
        names = dict.fromkeys(("token_ids", "prompt_logprobs", "prompt_token_ids"))
        return {**names, **self._token_ids(completion), **self._of_prompt(place, output)}

    def _of_prompt(self, place: int, output: RequestOutput) -> dict[str, Any]:
        """Return vLLM's fields about the prompt, if requested."""
        told: dict[str, Any] = {}
        if self._body.return_token_ids:
            told["prompt_token_ids"] = output.prompt_token_ids
        if self._body.prompt_logprobs is not None:
            told["prompt_logprobs"] = self._prompt_json.get(place)
        return told

    async def _write_prompt(self, place: int, output: RequestOutput) -> None:
        if output.prompt_logprobs is not None and self._body.prompt_logprobs is not None:
            assert isinstance(output.prompt_logprobs, FlatLogprobs), "routes ask for these"
            self._prompt_json[place] = await logprobs.of_prompt(output.prompt_logprobs)


def _usage(asked: int, made: int, cached: int) -> dict[str, Any]:
    """Return OpenAI's usage object: prompt, completion and cached tokens."""
    return {
        "prompt_tokens": asked,
        "completion_tokens": made,
        "total_tokens": asked + made,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


class Texts:
    """Frames for outputs that have only a piece of text of the only choice.

    Nearly all frames are of this kind. Only the text differs, so the rest of the JSON is made once.

    Args:
        opening, closing: JSON before and after the text.
        write: as in `Answer`.

    Attributes:
        num_tokens: number of tokens of the outputs that frames were made from.
    """

    def __init__(self, opening: bytes, closing: bytes, write: Callable[[bytes], bool] | None) -> None:
        self._opening, self._closing, self._write = opening, closing, write
        self.num_tokens = 0

    def frame(self, output: RequestOutput) -> bytes | None:
        """Return the frame of an output; None: the output has more than text."""
        if output.finished or len(output.outputs) != 1:
            return None
        (completion,) = output.outputs
        if completion.finish_reason is not None or not completion.text:
            return None
        self.num_tokens += len(completion.token_ids)
        return self._opening + to_json(completion.text) + self._closing

    def take(self, output: RequestOutput) -> bool:
        """Send an output if that does not block, for `RequestStream.offer_to`."""
        before = self.num_tokens
        if self._write is None or (frame := self.frame(output)) is None:
            return False
        if not self._write(frame):
            self.num_tokens = before  # the stream delivers the output again
            return False
        return True


# How errors begin that are due to a request's grammar (`structured/`): too slow to follow, or a dead end.
_OWN_GRAMMAR = "structured_outputs: its grammar"


def require_good(id: str, completion: CompletionOutput) -> None:
    """Raise a Refusal if an answer could not be computed."""
    if completion.finish_reason == "abort":
        raise ended()
    if completion.finish_reason == "error":
        error = completion.error or ""
        if error.startswith(_OWN_GRAMMAR):  # the client's own doing, and it needs the reason
            raise Refusal(error, param="structured_outputs")
        logger.error("answer %s: %s", id, completion.error)
        raise Refusal(f"{id} could not be computed; the server's log says why", status=500)


class CompletionAnswer(Answer):
    """An answer of POST /v1/completions.

    Args:
        only_echo: return only the prompt, because max_tokens is 0; generated tokens are dropped.
    """

    kind = chunk_kind = "text_completion"
    _body: CompletionBody

    def __init__(self, *args: Any, only_echo: bool, **more: Any) -> None:
        super().__init__(*args, **more)
        self._only_echo = only_echo
        self._offsets: dict[int, int] = {}

    def _note(self, place: int, output: RequestOutput) -> None:
        if self._only_echo:
            for completion in output.outputs:
                completion.text, completion.token_ids = "", []
                completion.logprobs = None if completion.logprobs is None else []
                completion.finish_reason = completion.finish_reason and "length"
                completion.weight_versions = None
        super()._note(place, output)

    def _plain_choice(self) -> tuple[bytes, bytes] | None:
        body = self._body
        if self._only_echo or body.logprobs is not None or body.return_token_ids or body.wants_usage_always:
            return None
        return b'{"index":0,"text":', b',"logprobs":null,' + _GOES_ON

    async def _choice(self, place: int, output: RequestOutput, completion: CompletionOutput) -> dict[str, Any]:
        index = self._index(place, completion)
        return {
            "index": index,
            **await self._text(place, output, completion),
            **self._ending(completion),
            **self._vllm_s(place, output, completion),
        }

    async def _deltas(self, place: int, output: RequestOutput, completion: CompletionOutput) -> list[dict[str, Any]]:
        index = self._index(place, completion)
        is_new = index not in self._begun
        if not (is_new or completion.text or completion.token_ids or completion.finished):
            return []
        more = self._of_prompt(place, output) if is_new else {}
        text = await self._text(place, output, completion)
        self._begun.add(index)
        return [{"index": index, **text, **self._ending(completion), **self._token_ids(completion), **more}]

    async def _text(self, place: int, output: RequestOutput, completion: CompletionOutput) -> dict[str, Any]:
        """Return the text and its logprobs, after the prompt's if the prompt is echoed."""
        index = self._index(place, completion)
        text, echoes = completion.text, bool(self._body.echo) and index not in self._begun
        if echoes:
            text = await self._prompt(output) + text
        if self._body.logprobs is None:
            return {"text": text, "logprobs": None}
        tokens: Sequence[int] = completion.token_ids
        rows: Iterable[Mapping[int, Logprob] | None] = completion.logprobs or ()
        as_ids, first = bool(self._body.return_tokens_as_token_ids), ""
        if echoes:
            tokens = [*output.prompt_token_ids, *tokens]
            rows = itertools.chain(self._prompt_logprobs.get(place) or (), rows)
            first = f"token_id:{tokens[0]}" if as_ids else await self._decoded(tokens[:1])
        offset = self._offsets.get(index, 0)
        found = await logprobs.of_completion(tokens, rows, self._body.logprobs, offset, first=first, as_ids=as_ids)
        # Counted by tokens, as in a whole answer, because a stream may hold text back.
        self._offsets[index] = offset + sum(map(len, found["tokens"]))
        return {"text": text, "logprobs": found}

    async def _prompt(self, output: RequestOutput) -> str:
        return await self._decoded(output.prompt_token_ids) if output.prompt is None else output.prompt

    async def _decoded(self, tokens: list[int]) -> str:
        return "" if self._llm.tokenizer_pool.tokenizer is None else await self._llm.tokenizer_pool.text(tokens)


class ChatAnswer(Answer):
    """An answer of POST /v1/chat/completions.

    Args:
        readers: parsers of tool calls and reasoning, one per choice.
    """

    kind, chunk_kind = "chat.completion", "chat.completion.chunk"
    _body: ChatBody

    def __init__(self, *args: Any, readers: Sequence[MessageReader], **more: Any) -> None:
        super().__init__(*args, **more)
        self._readers = readers

    async def whole(self) -> dict[str, Any]:
        """Return the whole answer; vLLM's fields about the prompt are beside the choices."""
        answer = await super().whole()
        for choice in answer["choices"]:
            for name in ("prompt_token_ids", "prompt_logprobs"):
                if name in choice:
                    answer[name] = choice.pop(name)
        return answer

    def _plain_choice(self) -> tuple[bytes, bytes] | None:
        if self._tells_tokens or self._body.wants_usage_always or not self._readers[0].reads_nothing:
            return None
        return b'{"index":0,"delta":{"content":', b'},"logprobs":null,' + _GOES_ON

    async def _choice(self, place: int, output: RequestOutput, completion: CompletionOutput) -> dict[str, Any]:
        said = await self._read_all(completion)
        for call in said.calls:
            del call["index"]  # only streams have it
        nothing = None if said.calls else ""
        return {
            "index": completion.index,
            "message": {"role": "assistant", "content": nothing, "refusal": None, **said.message()},
            "logprobs": self._logprobs(completion),
            **self._ending(completion),
            **self._vllm_s(place, output, completion),
        }

    async def _deltas(self, place: int, output: RequestOutput, completion: CompletionOutput) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        index = completion.index
        if index not in self._begun:
            self._begun.add(index)
            delta = {"role": "assistant", "content": ""}
            more = self._of_prompt(place, output)
            found.append({"index": index, "delta": delta, "logprobs": None, "finish_reason": None, **more})
        said = self._read(completion).message()
        # Clients read the first call of a delta only.
        *before, last = said.pop("tool_calls", None) or [None]
        for call in before:
            one: dict[str, Any] = {**said, "tool_calls": [call]}
            said = {}
            found.append({"index": index, "delta": one, "logprobs": None, "finish_reason": None})
        if last is not None:
            said["tool_calls"] = [last]
        if said or completion.finished or (completion.token_ids and self._tells_tokens):
            found.append(
                {
                    "index": index,
                    "delta": said,
                    "logprobs": self._logprobs(completion),
                    **self._ending(completion),
                    **self._token_ids(completion),
                }
            )
        return found

    async def _read_all(self, completion: CompletionOutput) -> Parts:
        """Parse all of an answer, and let other tasks run meanwhile if it is long."""
        said, text = Parts(), completion.text
        reader = self._readers[completion.index]
        if not reader.reads_nothing:
            while len(text) > _READ_AT_ONCE:
                piece, text = text[:_READ_AT_ONCE], text[_READ_AT_ONCE:]
                said.extend(reader.read(piece, last=False))
                await asyncio.sleep(0)
        said.extend(reader.read(text, last=True, cut=completion.finish_reason == "length"))
        return said

    def _read(self, completion: CompletionOutput) -> Parts:
        reader, cut = self._readers[completion.index], completion.finish_reason == "length"
        return reader.read(completion.text, last=bool(completion.finished), cut=cut)

    def _ending(self, completion: CompletionOutput) -> dict[str, Any]:
        ending = super()._ending(completion)
        reader = self._readers[completion.index]
        if completion.finish_reason == "stop" and reader.num_calls and not reader.is_broken:
            ending["finish_reason"] = "tool_calls"
        return ending

    @property
    def _tells_tokens(self) -> bool:
        return bool(self._body.logprobs or self._body.return_token_ids)

    def _logprobs(self, completion: CompletionOutput) -> dict[str, Any] | None:
        if completion.logprobs is None:
            return None
        as_ids = bool(self._body.return_tokens_as_token_ids)
        most = self._body.top_logprobs or 0
        return logprobs.of_chat(completion.token_ids, completion.logprobs, most, as_ids=as_ids)
