"""Receipts of a server's answers: their key, and the bookkeeping from a request to the receipts of its choices."""

from __future__ import annotations

import secrets
from typing import Any

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.engine.input_processor import Params
from torchpaged.lora_request import LoRARequest
from torchpaged.outputs import CompletionOutput, RequestOutput
from torchpaged.receipts.keys import PublicKey, SigningKey
from torchpaged.receipts.receipt import ReceiptError
from torchpaged.receipts.writer import Adapter, ReceiptWriter, adapter_content, require_no_media
from torchpaged.sampling_params import SamplingParams
from torchpaged.serving.refusals import Refusal

# Seeds that the server chooses: JSON's numbers are exact in every language below this.
_SEEDS = 1 << 53


class Receipts:
    """Makes receipts of an engine's answers.

    Args:
        llm: the engine.
        path: file of the key.

    Attributes:
        public_key: checks the signatures.

    Raises:
        ConfigError: the key cannot be used.
        MissingPackageError: `cryptography` is not installed.
    """

    def __init__(self, llm: AsyncLLM, path: str) -> None:
        self._llm, self._key = llm, SigningKey.load(path)
        self._facts: tuple[str, dict[str, Any]] | None = None  # of the fingerprint that they were computed with

    @property
    def public_key(self) -> PublicKey:
        """The key that checks the signatures."""
        return self._key.public

    async def begin(
        self, params: Params, lora: LoRARequest | None, *, id: str, model: str, kind: bool | str
    ) -> AnswerReceipts:
        """Return the maker of an answer's receipts, before its requests are added.

        Args:
            params: parameters that draw get a seed if they have none.
            lora: adapter of the requests.
            kind: True, or "full" for receipts with the tokens.

        Raises:
            Refusal: the answer could not be computed again.
        """
        version = await self._llm.get_weight_version()
        fingerprint = await self._llm.system_fingerprint()
        if self._facts is None or self._facts[0] != fingerprint:
            self._facts = fingerprint, await self._llm.call("system_facts")
        if isinstance(params, SamplingParams) and params.temperature and params.seed is None:
            params.seed = secrets.randbelow(_SEEDS)
        writer = ReceiptWriter(self._key, model, self._facts[1])
        if (reason := writer.why_not(params)) is not None:
            raise Refusal(f"receipt is {kind!r}, and {reason}", param="receipt", code="unsupported")
        assert isinstance(params, SamplingParams), "a reason is told for others"
        return AnswerReceipts(self._llm, writer, params, lora, fingerprint, version, id, full=kind == "full")


class AnswerReceipts:
    """Collects the tokens of an answer's choices, and makes their receipts.

    Args:
        llm: the engine.
        writer: signs them.
        params, lora: of the answer's requests.
        fingerprint: of the engine, before the requests were added.
        version: name of the weights then.
        id: of the answer.
        full: include the tokens.
    """

    def __init__(
        self,
        llm: AsyncLLM,
        writer: ReceiptWriter,
        params: SamplingParams,
        lora: LoRARequest | None,
        fingerprint: str,
        version: str,
        id: str,
        *,
        full: bool,
    ) -> None:
        self._llm, self._writer, self._params, self._lora = llm, writer, params, lora
        self._fingerprint, self._version, self._id, self._full = fingerprint, version, id, full
        self._choices: dict[int, tuple[RequestOutput, CompletionOutput]] = {}

    def note(self, index: int, output: RequestOutput, completion: CompletionOutput) -> None:
        """Add the new text and tokens of a choice."""
        known = self._choices.get(index)
        whole = CompletionOutput(completion.index, "", []) if known is None else known[1]
        whole.text += completion.text
        whole.token_ids += completion.token_ids
        whole.finish_reason, whole.stop_reason = completion.finish_reason, completion.stop_reason
        whole.weight_versions = completion.weight_versions
        self._choices[index] = output, whole

    async def fields(self, index: int) -> dict[str, Any]:
        """Return the fields of a choice that has ended: `receipt`, or null and `receipt_error` with the reason."""
        output, completion = self._choices.pop(index)
        try:
            require_no_media(output)
            adapter = await self._adapter(output)
            # Not only the fingerprint: weights may change and come back.
            names = {each.version for each in completion.weight_versions or ()}
            if names - {self._version} or await self._llm.system_fingerprint() != self._fingerprint:
                raise ReceiptError("the weights changed while the answer was computed")
            made = self._writer.write(
                output.prompt_token_ids, self._params, completion, adapter=adapter, id=self._id, full=self._full
            )
        except ReceiptError as error:
            return {"receipt": None, "receipt_error": str(error)}
        return {"receipt": made}

    async def _adapter(self, output: RequestOutput) -> Adapter | None:
        if self._lora is None:
            return None
        name = self._lora.lora_name
        content = await self._llm.call(adapter_content, name, output.lora_version)
        if content is None:
            raise ReceiptError(f"the adapter {name!r:.80} was replaced or removed while the answer was computed")
        return Adapter(name, content)
