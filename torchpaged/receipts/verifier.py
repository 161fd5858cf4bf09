"""verify_receipts: computes texts again, in batches, and compares them with their receipts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from torchpaged.errors import ConfigError, RequestError
from torchpaged.lora_request import LoRARequest
from torchpaged.outputs import CompletionOutput, RequestOutput
from torchpaged.receipts.keys import PublicKey
from torchpaged.receipts.receipt import PARAMS, Receipt, ReceiptError, hash_text, hash_tokens
from torchpaged.sampling_params import RequestOutputKind, SamplingParams

if TYPE_CHECKING:
    from torchpaged.llm import LLM

# Facts that name the model; if one differs, the receipt is another model's.
_OF_MODEL = ("model", "dtype", "quantization", "weights")
# How to change a fact. OMP_NUM_THREADS sets no more threads than there are cores.
_HINTS = {
    "threads": "verify --threads {0} or torch.set_num_threads({0}) sets it",
    "isa": "TORCHPAGED_ISA={} sets it if this machine has it",
}
# Receipts that are computed together.
BATCH = 256


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of verifying a receipt.

    Args:
        status: "same": the text was computed again, and its tokens, text and ending are the receipt's. "differs": they
            are not. "refused": it was not computed, so it is not known.
        reason: one line about the difference or the refusal; "" for "same".
        receipt: the receipt; None: the text is none.
        position: number of the first token that differs; None: there is none, or the receipt does not have its tokens.
    """

    status: Literal["same", "differs", "refused"]
    reason: str = ""
    receipt: Receipt | None = None
    position: int | None = None


@dataclass(slots=True)
class _Job:
    """A receipt to compute."""

    receipt: Receipt
    prompt: list[int]
    params: SamplingParams
    adapter: LoRARequest | None
    verdict: Verdict = field(default_factory=lambda: Verdict("refused"))


def verify_receipts(
    llm: LLM,
    receipts: Iterable[str | bytes | Mapping[str, Any] | ReceiptError],
    *,
    prompts: Iterable[Any] = (),
    public_keys: Sequence[PublicKey | str] | None = None,
    batch_size: int = BATCH,
) -> Iterator[Verdict]:
    """Yield a verdict for each receipt, in their order; the texts of a batch are computed together.

    Args:
        llm: model with the settings of the system that wrote the receipts. Adapters must have been loaded by
            `add_lora`; they are found by their contents.
        receipts: objects, or their JSON. Invalid ones get a verdict, as does an error in place of one.
        prompts: the prompts that the answers may be of, in any order: what `LLM.generate` takes, or dictionaries with
            "messages" and the other arguments of `LLM.chat`. None are needed for receipts with tokens, whose own
            prompts are taken then.
        public_keys: keys that receipts may be signed with; None: any key, so that only their integrity is checked.
        batch_size: number of receipts that are computed together.

    Raises:
        ConfigError: a key or the batch size is invalid.
        RequestError: a prompt is invalid.
    """
    if type(batch_size) is not int or batch_size < 1:
        raise ConfigError(f"verify_receipts: batch_size is {batch_size!r:.80}, expected an integer of 1 or more")
    keys = None
    if public_keys is not None:
        keys = {key.hex: key for key in (PublicKey.of(each) if isinstance(each, str) else each for each in public_keys)}
    return _verify(_Checker(llm, keys, prompts), iter(receipts), batch_size)


def _verify(checker: _Checker, receipts: Iterator[Any], batch_size: int) -> Iterator[Verdict]:
    while batch := list(islice(receipts, batch_size)):
        checked = [checker.check(each) for each in batch]
        checker.compute([each for each in checked if isinstance(each, _Job)])
        for each in checked:
            yield each.verdict if isinstance(each, _Job) else each


class _Checker:
    """Decides if receipts can be computed, and computes them.

    Args:
        llm, prompts: as of `verify_receipts`.
        keys: public keys by their hex digits; None: any.
    """

    def __init__(self, llm: LLM, keys: Mapping[str, PublicKey] | None, prompts: Iterable[Any]) -> None:
        self._llm, self._keys = llm, keys
        self._facts = llm.engine.system_facts()
        self._prompts: dict[str, list[int]] = {}
        for number, prompt in enumerate(prompts):
            tokens = _tokens_of(llm, prompt, f"prompt {number}")
            self._prompts[hash_tokens(tokens)] = tokens

    def check(self, given: Any) -> Verdict | _Job:
        """Return a receipt's job, or the verdict that it is refused."""
        receipt = None
        try:
            if isinstance(given, ReceiptError):
                raise given
            receipt = Receipt.parse(given)
            receipt.require_signature(self._keys)
            self._require_system(receipt)
            prompt = self._prompt(receipt)
            return _Job(receipt, prompt, _params(receipt), self._adapter(receipt))
        except (ReceiptError, ConfigError) as error:
            return Verdict("refused", _line(error), receipt)

    def compute(self, jobs: Sequence[_Job]) -> None:
        """Compute the jobs together, and set their verdicts."""
        if not jobs:
            return
        try:
            outputs = self._llm.generate(
                [{"prompt_token_ids": job.prompt} for job in jobs],
                [job.params for job in jobs],
                lora_request=[job.adapter for job in jobs] if any(job.adapter for job in jobs) else None,
                use_tqdm=False,
            )
        except (RequestError, ConfigError) as error:
            if len(jobs) == 1:
                jobs[0].verdict = Verdict("refused", _line(error), jobs[0].receipt)
                return
            for job in jobs:  # one that can never run keeps the others from running
                self.compute([job])
            return
        for job, output in zip(jobs, outputs, strict=True):
            job.verdict = _compared(job.receipt, output)

    def _require_system(self, receipt: Receipt) -> None:
        """Require that the receipt's facts are those of the model here."""
        theirs, ours = receipt.fields["system"], self._facts
        differing = [name for name in (*ours, *theirs) if theirs.get(name) != ours.get(name) or name not in theirs]
        if not differing:
            return
        of_model = [name for name in dict.fromkeys(differing) if name in _OF_MODEL]
        names = of_model or list(dict.fromkeys(differing))
        told = [f"{name} is {_short(theirs.get(name))}, here {_short(ours.get(name))}" for name in names[:4]]
        hints = [_HINTS[name].format(_short(theirs.get(name))) for name in names if name in _HINTS]
        what = "another model" if of_model else "another system"
        raise ReceiptError(f"it is of {what}: {'; '.join(told)}{' (' + '; '.join(hints) + ')' if hints else ''}")

    def _prompt(self, receipt: Receipt) -> list[int]:
        part = receipt.fields["prompt"]
        if (found := self._prompts.get(part["sha256"])) is not None:
            return found
        if self._prompts:
            raise ReceiptError("its prompt is none of those that were given")
        if part["token_ids"] is None:
            raise ReceiptError("it has only a hash of its prompt, and no prompts were given")
        return list(part["token_ids"])

    def _adapter(self, receipt: Receipt) -> LoRARequest | None:
        if receipt.adapter is None:
            return None
        adapters = self._llm.engine.adapters
        for found in () if adapters is None else adapters.named.values():
            if found.content == receipt.adapter:
                return found.request
        name = receipt.fields["adapter"]["name"]
        raise ReceiptError(
            f"no adapter that is loaded has the contents {receipt.adapter:.12} of its adapter {name!r:.80}"
        )


def _tokens_of(llm: LLM, prompt: Any, label: str) -> list[int]:
    if isinstance(prompt, Mapping) and "messages" in prompt:
        given = dict(prompt)
        (read,) = llm.preprocess_chat(given.pop("messages"), **given)
    else:
        read = llm.engine.tokenize(prompt, None, label)
    return list(read["prompt_token_ids"])


def _params(receipt: Receipt) -> SamplingParams:
    """Return the parameters to compute the receipt's text, and at most one token more.

    Raises:
        ConfigError: a value is out of its range.
    """
    given = {name: receipt.fields["params"][name] for name in PARAMS}
    if given["logit_bias"] is not None:
        given["logit_bias"] = {int(token): bias for token, bias in given["logit_bias"].items()}
    SamplingParams(**given)  # as it was signed
    most = receipt.fields["output"]["num_tokens"] + 1
    given["max_tokens"] = most if given["max_tokens"] is None else min(most, given["max_tokens"])
    given["min_tokens"] = min(given["min_tokens"], given["max_tokens"])
    return SamplingParams(**given, output_kind=RequestOutputKind.FINAL_ONLY)


def _compared(receipt: Receipt, output: RequestOutput) -> Verdict:
    (found,) = output.outputs
    theirs = receipt.fields["output"]
    if found.finish_reason not in ("stop", "length"):
        return Verdict("refused", f"it could not be computed: {_line(found.error or found.finish_reason)}", receipt)
    if hash_tokens(found.token_ids) != theirs["sha256"] or len(found.token_ids) != theirs["num_tokens"]:
        return _tokens_differ(receipt, found)
    if hash_text(found.text) != theirs["text_sha256"]:
        return Verdict("differs", "the tokens are the same, and their text is not: another tokenizer wrote it", receipt)
    for name in ("finish_reason", "stop_reason"):
        if (here := getattr(found, name)) != theirs[name]:
            reason = f"the tokens are the same, but {name} is {_short(theirs[name])}, computed {_short(here)}"
            return Verdict("differs", reason, receipt)
    return Verdict("same", "", receipt)


def _tokens_differ(receipt: Receipt, found: CompletionOutput) -> Verdict:
    theirs, ours = receipt.fields["output"]["token_ids"], found.token_ids
    if theirs is None:
        count = receipt.fields["output"]["num_tokens"]
        reason = (
            f'its {count} tokens are not those computed; a receipt that is "full" would say where they begin to differ'
        )
        if count > len(ours):
            reason = f"it has {count} tokens, and the computed text ends after {len(ours)}"
        return Verdict("differs", reason, receipt)
    place = next((i for i, (a, b) in enumerate(zip(theirs, ours, strict=False)) if a != b), min(len(theirs), len(ours)))

    def told(tokens: Sequence[int]) -> str:
        return str(tokens[place]) if place < len(tokens) else "the end"

    return Verdict("differs", f"at token {place}: it has {told(theirs)}, computed {told(ours)}", receipt, place)


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return _line(text if len(text) <= 40 else f"{text[:12]}...")


def _line(error: object) -> str:
    """Return an error as one line of bounded length, without characters that could steer a terminal."""
    text = " ".join(str(error).split())[:500]
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
