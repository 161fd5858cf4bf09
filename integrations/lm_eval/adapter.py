"""lm-eval over the engine: `torchpaged eval --tasks ...`, or `--model torchpaged` once this module is imported.

The whole list of requests goes to the engine at once. Requests with the same context become one engine request: the
context is computed once and forked for its continuations. Contexts are sorted, so that common prefixes are found in the
prefix cache. Scoring and truncation follow lm-eval's `hf` backend.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import lm_eval.models  # noqa: F401 - before a model is registered, or lm-eval's own are lost
import numpy as np
import torch
from lm_eval.api.instance import Instance
from lm_eval.api.model import TemplateLM
from lm_eval.api.registry import model_registry, register_model
from lm_eval.models.utils import handle_stop_sequences, has_bos_prefix, normalize_gen_kwargs, postprocess_generated_text
from lm_eval.utils import get_rolling_token_windows, make_disjoint_window

from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError, EngineError, InputError, RequestError, did_you_mean
from torchpaged.llm import LLM
from torchpaged.lora_request import LoRARequest
from torchpaged.models.model import media_processor_of
from torchpaged.models.tokenizer import load_tokenizer
from torchpaged.sampling_params import SamplingParams
from torchpaged.serving.lora_modules import LoRAModulePath
from torchpaged.utils.paths import expanded

NAME = "torchpaged"
_log = logging.getLogger(__name__)

# Texts that stand for an item in the contexts of lm-eval's tasks, and the tasks' fields of items, by modality.
_PLACES = {"image": "<image>", "audio": "<audio>"}
_FIELDS = {"image": "visual", "audio": "audio"}
# Generation arguments of lm-eval that SamplingParams has under the same names.
_SAMPLING = ("top_p", "top_k", "min_p")
_ALWAYS = ("repetition_penalty", "presence_penalty", "frequency_penalty", "min_tokens", "seed")

# A request of lm-eval: ((context, continuation), tokens of the context, tokens of the continuation).
TokenRequest = tuple[tuple[str, str] | None, list[int], list[int]]


@register_model(NAME)
class TorchPagedLM(TemplateLM):  # type: ignore[misc]  # lm-eval has no types
    """lm-eval's model `--model torchpaged --model_args pretrained=...,kv_cache_dtype=...,...`.

    Args:
        pretrained: a model as for `LLM`: a folder or hub id, a .pt2 file, or a transformers model instance.
        tokenizer: a transformers tokenizer, or a folder or hub id; None: the model's own.
        batch_size, max_batch_size: accepted and ignored, because the engine makes its own batches.
        device: lm-eval's default "cuda:0" means the CPU if there is no CUDA device, as with the hf backend.
        max_length: lm-eval's name of max_model_len.
        add_bos_token: begin texts with the beginning-of-sequence token; None: as the tokenizer does.
        prefix_token_id: token before a text without context; None: the beginning-of-sequence token, else the
            end-of-sequence token.
        lora_local_path: folder or file of an adapter, under which everything is computed; lm-eval's name in its vllm
            backend.
        chat_template_args, enable_thinking: passed to the tokenizer's chat template.
        think_end_token: text or token id; only text after it counts as generated.
        settings: settings of `EngineConfig`.

    Attributes:
        MULTIMODAL: lm-eval's sign that tasks with images or sounds can be run.

    Raises:
        ConfigError: an argument is unknown, or out of its range.
        ModelError: as in `LLM`.
    """

    def __init__(
        self,
        pretrained: Any,
        tokenizer: Any = None,
        *,
        batch_size: int | str = "auto",
        max_batch_size: int | None = None,
        device: str | None = None,
        max_length: int | None = None,
        add_bos_token: bool | None = None,
        prefix_token_id: int | None = None,
        lora_local_path: str | None = None,
        chat_template_args: dict[str, Any] | None = None,
        enable_thinking: bool | None = None,
        think_end_token: str | int | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()
        own = [n for n in TorchPagedLM.__init__.__kwdefaults__ or () if n != "device"]
        if unknown := sorted(settings.keys() - EngineConfig.__dataclass_fields__.keys()):
            known = ["pretrained", "tokenizer", *own, *EngineConfig.__dataclass_fields__]
            hint = did_you_mean(unknown[0], known) or f", expected one of {', '.join(known)}"
            raise ConfigError(f"--model {NAME}: unknown argument {unknown[0]!r}{hint}")
        if isinstance(speculation := settings.get("speculative_config"), str):  # JSON from a command line
            try:
                settings["speculative_config"] = json.loads(speculation)
            except ValueError as error:
                raise ConfigError(
                    f"--model {NAME}: speculative_config is {speculation!r:.80}, expected JSON as "
                    f'{{"method": "suffix"}}: {error}'
                ) from None
        if max_length is not None:
            if settings.get("max_model_len", max_length) != max_length:
                raise ConfigError(
                    f"--model {NAME}: max_length is {max_length} and max_model_len {settings['max_model_len']}; "
                    "they are the same, give one of them"
                )
            settings["max_model_len"] = max_length
        if not str(batch_size).startswith("auto") and not str(batch_size).isdigit():
            raise ConfigError(f"--model {NAME}: batch_size is {batch_size!r}, expected 'auto' or an integer")
        if enable_thinking and think_end_token is None:
            raise ConfigError(f"--model {NAME}: enable_thinking needs think_end_token, the text or token that ends it")
        source = tokenizer if tokenizer is not None or str(pretrained).endswith(".pt2") else pretrained
        if add_bos_token is not None and isinstance(source, (str, Path)):
            trusted = settings.get("trust_remote_code", False)
            tokenizer = load_tokenizer(source, trust_remote_code=trusted, add_bos_token=add_bos_token)
        elif tokenizer is None and not isinstance(pretrained, (str, Path)):
            tokenizer = pretrained.name_or_path
        if lora_local_path is not None:
            settings.setdefault("enable_lora", True)
        self.llm = LLM(pretrained, tokenizer, device=_device(device), **settings)
        self._adapter = None
        if lora_local_path is not None:
            path = expanded(lora_local_path)
            self._adapter = LoRARequest(os.path.basename(path) or "adapter", 1, path)
            self.llm.add_lora(self._adapter)
        self.tokenizer = self.llm.tokenizer
        if self.tokenizer is None:
            raise ConfigError(f"--model {NAME}: the model has no tokenizer; pass tokenizer=FOLDER")
        self._device = self.llm.engine.model.spec.device
        processor = media_processor_of(self.llm.engine.model)
        self._placeholders: Mapping[str, str] = {} if processor is None else processor.placeholders
        self.MULTIMODAL = bool(self._placeholders)
        self._is_chat = False
        self.batch_size = batch_size
        self.add_bos_token, self._prefix_token_id = add_bos_token, prefix_token_id
        self.enable_thinking = enable_thinking
        thinking = {} if enable_thinking is None else {"enable_thinking": enable_thinking}
        self.chat_template_args = {**(chat_template_args or {}), **thinking}
        self.think_end_token = int(str(think_end_token)) if str(think_end_token).isdigit() else think_end_token

    # --- Facts about the model for lm-eval -------------------------------------------------------------------

    @property
    def eot_token_id(self) -> int:
        """The tokenizer's end-of-sequence token."""
        return int(self.tokenizer.eos_token_id)

    @property
    def prefix_token_id(self) -> int:
        """Token before a text without context."""
        if self._prefix_token_id is not None:
            return int(self._prefix_token_id)
        begin = self.tokenizer.bos_token_id
        return int(self.tokenizer.eos_token_id if begin is None else begin)

    @property
    def max_length(self) -> int:
        """Length of the model's context."""
        return self.llm.engine.max_model_len

    @property
    def max_gen_toks(self) -> int:
        """Generated tokens if a task does not set a number: lm-eval's default."""
        return 256

    @property
    def tokenizer_name(self) -> str:
        """Name of the tokenizer for lm-eval's cache of requests."""
        return str(self.tokenizer.name_or_path).replace("/", "__")

    def apply_chat_template(self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True) -> str:
        """Render messages by the tokenizer's template, without the system message if the template refuses it.

        A model that reads images or sounds gets parts, as its template expects them, where lm-eval writes their places.
        """
        self._is_chat = True

        def apply(messages: list[dict[str, Any]]) -> str:
            if self.MULTIMODAL:
                messages = [{**each, "content": _parts(each["content"], self._placeholders)} for each in messages]
            text: str = self.tokenizer.apply_chat_template(
                messages,
                tokenize=False,
                add_generation_prompt=add_generation_prompt,
                continue_final_message=not add_generation_prompt,
                **self.chat_template_args,
            )
            return text

        try:
            return apply(chat_history)
        except jinja2.exceptions.TemplateError:
            _log.warning("the chat template failed; trying again without the system message")
            return apply([message for message in chat_history if message["role"] != "system"])

    def get_model_info(self) -> dict[str, Any]:
        """Return facts for lm-eval's record of the run."""
        config = self.llm.engine.config
        settings = {name: getattr(config, name) for name in EngineConfig.__dataclass_fields__}
        return {
            "model_dtype": str(self.llm.engine.model.spec.dtype),
            "engine": {name: value for name, value in settings.items() if isinstance(value, (str, int, float))},
        }

    # --- Tokens ----------------------------------------------------------------------------------------------

    def tok_encode(self, string: str, add_special_tokens: bool | None = None, **_: Any) -> list[int]:
        """Return the tokens of a text."""
        return self._encode([string], add_special_tokens)[string]

    def _encode(self, texts: Sequence[str], add_special_tokens: bool | None = None) -> dict[str, list[int]]:
        """Tokenize texts, each distinct one once. A text that begins with the prefix token's text gets no other."""
        prefix = self.tokenizer.decode(self.prefix_token_id)
        found: dict[str, list[int]] = {}
        for begins in (False, True):
            part = [text for text in dict.fromkeys(texts) if has_bos_prefix(text, prefix) == begins]
            special = self.add_bos_token if add_special_tokens is None else add_special_tokens
            if begins and add_special_tokens is None:
                special = False
            options = {} if special is None else {"add_special_tokens": special}
            if part:
                found.update(zip(part, self.tokenizer(part, verbose=False, **options)["input_ids"], strict=True))
        return found

    # --- Likelihoods -----------------------------------------------------------------------------------------

    def loglikelihood(self, requests: list[Instance], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        """Compute `TemplateLM.loglikelihood`, with each distinct text tokenized once, in one call."""
        if self.enable_thinking:
            raise ConfigError(f"--model {NAME}: enable_thinking is for tasks that generate, and these compare texts")
        if any(len(request.args) > 2 for request in requests):
            raise ConfigError(f"--model {NAME}: tasks with images or sounds can only generate, and these compare texts")
        pairs = [request.args for request in requests]
        bare = [continuation for context, continuation in pairs if not context]
        split = [_split(*pair) for pair in pairs if pair[0]]
        alone = self._encode(bare, add_special_tokens=False)
        whole = self._encode([text for context, continuation in split for text in (context, context + continuation)])
        encoded: list[TokenRequest] = []
        rest = iter(split)
        for pair in pairs:
            if pair[0]:
                context, continuation = next(rest)
                before = whole[context]
                after = whole[context + continuation][len(before) :]
            else:
                before, after = [self.prefix_token_id], alone[pair[1]]
                if after[:1] == before:
                    after = after[1:]
            encoded.append((pair, before, after))
        return self._loglikelihood_tokens(encoded, disable_tqdm=disable_tqdm)

    def _loglikelihood_tokens(
        self, requests: Sequence[TokenRequest], disable_tqdm: bool = False, **_: Any
    ) -> list[tuple[float, bool]]:
        """Return the log-likelihood of each continuation, and whether greedy decoding generates it.

        Too long a context loses its beginning: the model sees the `max_length` tokens before the last one.

        Raises:
            RequestError: a continuation has no tokens, or more than the model's context.
        """
        places: dict[tuple[int, ...], dict[tuple[int, ...], list[int]]] = {}
        for index, (texts, context, continuation) in enumerate(requests):
            count = len(continuation)
            if not 1 <= count <= self.max_length:
                text = "" if texts is None else f" {texts[1]!r:.40}"
                raise RequestError(
                    f"--model {NAME}: continuation{text} of request {index} has {count} tokens, expected 1 to "
                    f"max_length, {self.max_length}"
                )
            before = tuple(context[-(self.max_length + 1 - count) :])
            places.setdefault(before, {}).setdefault(tuple(continuation), []).append(index)
        contexts = sorted(places)
        continuations = [list(places[context]) for context in contexts]
        scores = self.llm.score_continuations(
            contexts, continuations, use_tqdm=not disable_tqdm, lora_request=self._adapter
        )
        answers: list[tuple[float, bool]] = [(0.0, False)] * len(requests)
        for before, several, found in zip(contexts, continuations, scores, strict=True):
            for own, score in zip(several, found, strict=True):
                for index in places[before][own]:
                    if score.logprob != score.logprob:
                        raise EngineError(f"request {index}: the model's logits are NaN; try dtype=float32 or bfloat16")
                    answers[index] = (score.logprob, score.is_greedy)
        for request, answer in zip(requests, answers, strict=True):
            if request[0] is not None:
                self.cache_hook.add_partial("loglikelihood", request[0], answer)
        return answers

    def loglikelihood_rolling(self, requests: list[Instance], disable_tqdm: bool = False) -> list[float]:
        """Return each text's log-likelihood, computed in lm-eval's windows of `max_length` tokens."""
        texts = [request.args[0] for request in requests]
        encoded = self._encode(texts)
        windows: list[TokenRequest] = []
        owners: list[int] = []
        for index, text in enumerate(texts):
            for window in get_rolling_token_windows(
                token_list=encoded[text],
                prefix_token=self.prefix_token_id,
                max_seq_len=self.max_length,
                context_len=1,
            ):
                windows.append((None, *make_disjoint_window(window)))
                owners.append(index)
        totals = [0.0] * len(texts)
        for owner, (logprob, _) in zip(owners, self._loglikelihood_tokens(windows, disable_tqdm), strict=True):
            totals[owner] += logprob
        for text, total in zip(texts, totals, strict=True):
            self.cache_hook.add_partial("loglikelihood_rolling", (text,), total)
        return totals

    # --- Generation ------------------------------------------------------------------------------------------

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """Generate up to the first stop sequence, which is cut off. Too long a context loses its beginning.

        A context with images or sounds is not cut.
        """
        pairs = [request.args[:2] for request in requests]
        media = [self._media(*request.args) for request in requests]
        encoded = self._encode([context for (context, _), items in zip(pairs, media, strict=True) if not items])
        end = self.tokenizer.decode(self.eot_token_id, skip_special_tokens=False)
        prompts: list[Any] = []
        params, stops = [], []
        for (context, arguments), items in zip(pairs, media, strict=True):
            arguments = dict(normalize_gen_kwargs(arguments, self.max_gen_toks))
            stop = handle_stop_sequences(arguments.pop("until"), eos=end)
            room = self.max_length - arguments["max_gen_toks"]
            if room < 1:
                raise RequestError(
                    f"--model {NAME}: max_gen_toks is {arguments['max_gen_toks']}, expected less than max_length, "
                    f"{self.max_length}"
                )
            prompts.append(items or encoded[context][-room:])
            params.append(self._sampling_params(arguments, [text for text in stop if text]))
            stops.append(stop)
        order = sorted(range(len(pairs)), key=lambda i: [] if media[i] else prompts[i])
        outputs = self.llm.generate(
            [prompts[i] for i in order],
            [params[i] for i in order],
            use_tqdm=not disable_tqdm,
            lora_request=self._adapter,
            tokenization_kwargs={"add_special_tokens": False} if self._is_chat and any(media) else None,
        )
        answers = [""] * len(pairs)
        for index, output in zip(order, outputs, strict=True):
            (completion,) = output.outputs
            if completion.error is not None:
                raise EngineError(f"request {index}: {completion.error}")
            answers[index] = self._answer(completion.token_ids, stops[index])
        for pair, items, answer in zip(pairs, media, answers, strict=True):
            if not items:  # the key of a cached answer has no images
                self.cache_hook.add_partial("generate_until", pair, answer)
        return answers

    def _media(self, context: str, arguments: Any, given: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
        """Return the prompt of a context with images or sounds; None for a text alone.

        Raises:
            ConfigError: the model does not read them.
        """
        items = {each: list((given or {}).get(name) or ()) for each, name in _FIELDS.items()}
        media = {each: [_item(item) for item in several] for each, several in items.items() if several}
        if not media:
            return None
        for modality in media:
            if modality not in self._placeholders:
                known = " and ".join(sorted(self._placeholders)) or "texts alone"
                raise ConfigError(f"--model {NAME}: the task has items of type {modality}, and the model reads {known}")
            if not self._is_chat:
                context = context.replace(_PLACES[modality], self._placeholders[modality])
        return {"prompt": context, "multi_modal_data": media}

    def _sampling_params(self, arguments: dict[str, Any], stop: list[str]) -> SamplingParams:
        """Translate lm-eval's arguments; the checkpoint's generation config has the defaults."""
        known = ("do_sample", "temperature", "max_gen_toks", "num_beams", *_SAMPLING, *_ALWAYS)
        if unknown := sorted(arguments.keys() - set(known)):
            hint = did_you_mean(unknown[0], known) or f", expected one of until, {', '.join(known)}"
            raise ConfigError(f"--model {NAME}: unknown generation argument {unknown[0]!r}{hint}")
        if (beams := arguments.get("num_beams", 1)) != 1:
            raise ConfigError(f"--model {NAME}: num_beams is {beams}, expected 1: no beam search with stop sequences")
        weights = self.llm.engine.model.weights
        config = None if weights is None else getattr(weights.module, "generation_config", None)
        taken = (*_SAMPLING, *_ALWAYS) if arguments["do_sample"] else _ALWAYS
        chosen = {name: getattr(config, name, None) for name in taken if name not in ("seed", "min_tokens")}
        chosen.update({name: arguments[name] for name in taken if name in arguments})
        if arguments["do_sample"] and not arguments.get("temperature"):
            raise ConfigError(f"--model {NAME}: do_sample is True and temperature 0, expected a temperature above 0")
        return SamplingParams(
            temperature=float(arguments["temperature"]) if arguments["do_sample"] else 0.0,
            max_tokens=arguments["max_gen_toks"],
            stop=stop,
            stop_token_ids=[self.eot_token_id],
            **{name: value for name, value in chosen.items() if value is not None},
        )

    def _answer(self, token_ids: list[int], stop: list[str]) -> str:
        """Return the text after the thinking and before the first stop sequence."""
        end = self.think_end_token
        if isinstance(end, int) and end in token_ids:
            token_ids = token_ids[len(token_ids) - token_ids[::-1].index(end) :]
        text = self.tokenizer.decode(token_ids, skip_special_tokens=True)
        if isinstance(end, int):
            text = text.lstrip()
        answer: str = postprocess_generated_text(text, stop, end if isinstance(end, str) else None)
        return answer


def _parts(content: str, placeholders: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the parts of a message: texts, and an item where a task has written its place."""
    found, kinds = [], {_PLACES[each]: each for each in placeholders}
    for piece in re.split(f"({'|'.join(map(re.escape, kinds))})", content):
        if piece:
            found.append({"type": kinds[piece]} if piece in kinds else {"type": "text", "text": piece})
    return found


def _item(item: Any) -> Any:
    """Return an image, or a sound as (samples, samples a second): datasets have a dictionary for one."""
    if isinstance(item, Mapping) and "array" in item:
        return np.asarray(item["array"], np.float32), int(item["sampling_rate"])
    return item


def _split(context: str, continuation: str) -> tuple[str, str]:
    """Move spaces at the end of the context to the continuation, where tokenizers expect them."""
    kept = context.rstrip()
    return kept, context[len(kept) :] + continuation


def _device(name: str | None) -> str:
    if name is not None and str(name).startswith("cuda") and not torch.cuda.is_available():
        _log.info("device is %r, lm-eval's default, and torch sees no CUDA device: running on the CPU", name)
        return "cpu"
    return name or "auto"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run lm-eval's own command line, with this model registered and the default.

    `--model FOLDER` is short for `--model torchpaged --model_args pretrained=FOLDER`, and `--trust-remote-code` for
    lm-eval's `--trust_remote_code`. `--lora NAME=PATH` is the model's argument `lora_local_path`.
    """
    from lm_eval.__main__ import cli_evaluate

    words = list(sys.argv[1:] if arguments is None else arguments)
    runs = bool(words) and words[0] not in ("ls", "validate", "-h", "--help")
    if runs:
        words = _with_model(words[1:] if words[0] == "run" else words)
        words = ["run", *words]
    before = sys.argv
    sys.argv = ["torchpaged eval", *words]
    try:
        cli_evaluate()
    finally:
        sys.argv = before


def _with_model(words: list[str]) -> list[str]:
    words = _with_adapter(words)
    words = ["--trust_remote_code" if word == "--trust-remote-code" else word for word in words]
    flags = [i for i, word in enumerate(words) if word in ("--model", "-M")]
    if not flags:
        named = any(word.startswith(("--model=", "--config", "-C", "-h", "--help")) for word in words)
        return words if named else ["--model", NAME, *words]
    place = flags[-1] + 1
    if place >= len(words) or words[place] in model_registry or not Path(words[place]).exists():
        return words
    return [*words[: place - 1], "--model", NAME, "--model_args", f"pretrained={words[place]}", *words[place + 1 :]]


def _with_adapter(words: list[str]) -> list[str]:
    """Turn `--lora NAME=PATH` into an argument of the model.

    Raises:
        InputError: it has no value, or is given several times.
        ConfigError: as `LoRAModulePath.parse`.
    """
    joined = [f"--lora={words[i + 1]}" if word == "--lora" and words[i + 1 :] else word for i, word in enumerate(words)]
    kept = [word for i, word in enumerate(joined) if i == 0 or words[i - 1] != "--lora"]
    given = [word for word in kept if word == "--lora" or word.startswith("--lora=")]
    if not given:
        return words
    if len(given) > 1 or given == ["--lora"]:
        raise InputError(f"eval: --lora is given {len(given)} times, expected --lora NAME=PATH once")
    path = LoRAModulePath.parse(given[0].removeprefix("--lora=")).path
    return [*(word for word in kept if word not in given), "--model_args", json.dumps({"lora_local_path": path})]


if __name__ == "__main__":
    main()
