"""ReceiptWriter: makes and signs receipts of answers, and refuses them for answers that could not be computed again."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from torchpaged.outputs import CompletionOutput, RequestOutput
from torchpaged.receipts.keys import SigningKey
from torchpaged.receipts.receipt import FORMAT, PARAMS, ReceiptError, hash_text, hash_tokens, signed_bytes
from torchpaged.sampling_params import SamplingParams
from torchpaged.structured_outputs import StructuredOutputsParams
from torchpaged.utils.fingerprint import EXACT, fingerprint_of

if TYPE_CHECKING:
    from torchpaged.engine.llm_engine import LLMEngine
    from torchpaged.llm import LLM

# Fields of SamplingParams that do not decide a completion's text; "n" and "best_of" are part of each completion's seed.
_INDIFFERENT = frozenset(
    {
        *("n", "best_of", "logprobs", "prompt_logprobs", "prompt_logprobs_start", "flat_logprobs", "output_kind"),
        *("stream_interval", "skip_clone", "num_speculative_tokens", "truncate_prompt_tokens"),
        "cache_hint",  # how long blocks are kept
        "extra_args",  # for logits processors, which are refused
    }
)


@dataclass(frozen=True, slots=True)
class Adapter:
    """The adapter of an answer: its name, and the hash of its contents."""

    name: str
    content: str


class ReceiptWriter:
    """Signs receipts of one engine's answers.

    Args:
        key: signs them.
        model: name of the model that they have.
        facts: of `LLMEngine.system_facts`, at the time of the answers.
    """

    def __init__(self, key: SigningKey, model: str, facts: Mapping[str, Any]) -> None:
        self._key, self._model, self._facts = key, model, dict(facts)

    def why_not(self, params: object) -> str | None:
        """Return why an answer with these parameters has no receipt; None: it can have one."""
        return _why_not_system(self._facts) or _why_not_params(params)

    def write(
        self,
        prompt_token_ids: Sequence[int],
        params: SamplingParams,
        completion: CompletionOutput,
        *,
        adapter: Adapter | None = None,
        id: str | None = None,
        full: bool = False,
    ) -> dict[str, Any]:
        """Return the signed receipt of a completion that has ended.

        Args:
            prompt_token_ids: the prompt as it was computed.
            params: parameters of the request.
            adapter: of the request; None: it had none.
            id: of the answer.
            full: include the tokens of prompt and completion, not only their hashes.

        Raises:
            ReceiptError: it could not be computed again, with the reason.
        """
        if (reason := self.why_not(params)) is not None:
            raise ReceiptError(reason)
        if completion.finish_reason not in ("stop", "length"):
            raise ReceiptError(f"the completion ended with {completion.finish_reason!r}")
        if len(completion.weight_versions or ()) > 1:
            raise ReceiptError("the weights changed while the answer was computed")
        tokens = completion.token_ids
        receipt: dict[str, Any] = {
            "format": FORMAT,
            "id": id,
            "index": completion.index,
            "created": int(time.time()),
            "model": self._model,
            "system_fingerprint": fingerprint_of(self._facts, None if adapter is None else adapter.content),
            "system": self._facts,
            "adapter": None if adapter is None else {"name": adapter.name, "sha256": adapter.content},
            "prompt": _hashed(prompt_token_ids, full),
            "params": _params(params, completion.index),
            "output": {
                **_hashed(tokens, full),
                "text_sha256": hash_text(completion.text),
                "finish_reason": completion.finish_reason,
                "stop_reason": completion.stop_reason,
            },
            "public_key": self._key.public.hex,
        }
        receipt["signature"] = self._key.sign(signed_bytes(receipt)).hex()
        return receipt


def make_receipts(
    llm: LLM,
    outputs: Sequence[RequestOutput],
    sampling_params: SamplingParams | Sequence[SamplingParams],
    key: SigningKey,
    *,
    model: str = "model",
    full: bool = False,
) -> list[dict[str, Any]]:
    """Return a signed receipt for each completion of `llm.generate`'s outputs, in their order.

    Call it before the weights or an adapter change.

    Args:
        sampling_params: as they were given to `generate`; those that draw need a seed.
        model: name of the model.
        full: include the tokens of prompts and completions, not only their hashes.

    Raises:
        ReceiptError: a completion could not be computed again, with the reason.
    """
    if llm.engine.config.enable_prompt_embeds:
        raise ReceiptError("the engine takes prompts of embeddings, which have no tokens")
    several = [sampling_params] * len(outputs) if isinstance(sampling_params, SamplingParams) else sampling_params
    writer = ReceiptWriter(key, model, llm.engine.system_facts())
    made = []
    for output, params in zip(outputs, several, strict=True):
        require_no_media(output)
        request, adapter = output.lora_request, None
        if request is not None:
            content = adapter_content(llm.engine, request.lora_name, output.lora_version)
            if content is None:
                raise ReceiptError(f"the adapter {request.lora_name!r} has been replaced or removed since the answer")
            adapter = Adapter(request.lora_name, content)
        for completion in output.outputs:
            if {each.version for each in completion.weight_versions or ()} - {llm.engine.weight_version}:
                raise ReceiptError("the weights have changed since the answer, or have another name")
            prompt, id = output.prompt_token_ids, output.request_id
            made.append(writer.write(prompt, params, completion, adapter=adapter, id=id, full=full))
    return made


def require_no_media(output: RequestOutput) -> None:
    """Raise ReceiptError if the prompt has images or sounds: its tokens alone do not give the answer again."""
    if output.multi_modal_placeholders:
        kinds = " and ".join(sorted(output.multi_modal_placeholders))
        raise ReceiptError(f"the prompt has items of type {kinds}, which a receipt does not hold")


def adapter_content(engine: LLMEngine, name: str, version: int | None) -> str | None:
    """Return the hash of the contents that a version of an adapter has; None: it is not the name's version now."""
    found = None if engine.adapters is None else engine.adapters.named.get(name)
    return None if found is None or found.version != version else found.content


def _hashed(tokens: Sequence[int], full: bool) -> dict[str, Any]:
    return {"num_tokens": len(tokens), "sha256": hash_tokens(tokens), "token_ids": list(tokens) if full else None}


def _why_not_system(facts: Mapping[str, Any]) -> str | None:
    """Return why no answer of a system has a receipt."""
    if facts["exact"] != EXACT:
        return f"the model is not exact ({facts['exact']}), so its texts depend on other requests"
    if facts["logits_processors"] is not None:
        return "the engine has logits processors, whose code a receipt does not cover"
    if str(facts["device"]) != "cpu":
        return f"the model is on {facts['device']}, where no bits are promised"
    return None


def _why_not_params(params: object) -> str | None:
    """Return why a request with these parameters has no receipt."""
    if not isinstance(params, SamplingParams):
        return "it is a beam search, and receipts are of sampled and greedy texts"
    if params.best_of not in (None, params.n):
        return f"best_of is {params.best_of}, and the completions that were not best are not returned; leave it out"
    if params.temperature and params.seed is None:
        return "the text is drawn without a seed; set one, or temperature 0"
    for field in fields(params):
        value = getattr(params, field.name)
        if field.name in PARAMS or field.name in _INDIFFERENT or value == field.default:
            continue
        return f"{field.name} is {value!r:.80}, which receipts do not cover"
    grammar = params.structured_outputs
    for field in fields(grammar) if grammar is not None else ():
        value = getattr(grammar, field.name)
        if not isinstance(value, (str, bool, list, Mapping, type(None))):
            return f"structured_outputs.{field.name} is {value!r:.80}, which receipts do not cover"
    return None


def _params(params: SamplingParams, index: int) -> dict[str, Any]:
    """Return the parameters that decide a completion's text as JSON's values, for the completion alone."""
    found = {name: getattr(params, name) for name in PARAMS}
    if params.seed is not None:
        found["seed"] = (params.seed + index + 2**63) % 2**64 - 2**63  # as for completion `index` of n
    if params.logit_bias is not None:
        found["logit_bias"] = {str(token): bias for token, bias in params.logit_bias.items()}
    if params.structured_outputs is not None:
        found["structured_outputs"] = _grammar(params.structured_outputs)
    if params.reasoning is not None:
        found["reasoning"] = {name: _listed(value) for name, value in asdict(params.reasoning).items()}
    return found


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _grammar(params: StructuredOutputsParams) -> dict[str, Any]:
    """Return the fields that are given. Schemas become texts, because the order of their properties matters."""
    return {
        field.name: params.text_of(field.name) if isinstance(value, Mapping) else value
        for field in fields(params)
        if (value := getattr(params, field.name)) != field.default
    }
