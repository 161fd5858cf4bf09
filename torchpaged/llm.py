"""LLM: prompts in, completions out. The offline interface over one engine, with a progress bar."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import torch
from tqdm import tqdm

from torchpaged import pooling
from torchpaged.config import EngineConfig
from torchpaged.engine import EngineStats, LLMEngine, Prompt
from torchpaged.errors import ConfigError, EngineError, RequestError, did_you_mean, needing, not_copied
from torchpaged.execution import export
from torchpaged.models.exported import ExportedModel
from torchpaged.models.model import PagedModel
from torchpaged.models.tokenizer import load_tokenizer
from torchpaged.outputs import (
    ClassificationRequestOutput,
    ContinuationScore,
    EmbeddingRequestOutput,
    PoolingOutput,
    PoolingRequestOutput,
    RequestOutput,
)
from torchpaged.pooling_params import PoolingParams
from torchpaged.sampling_params import BeamSearchParams, RequestOutputKind, SamplingParams, ScoringParams

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _in_turn(method: Callable[Concatenate[LLM, _P], _R]) -> Callable[Concatenate[LLM, _P], _R]:
    """Calls of several threads wait for each other."""

    @functools.wraps(method)
    def call(self: LLM, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with self._turn:
            return method(self, *args, **kwargs)

    return call


class LLM:
    """A model ready to complete prompts. Any number of threads may call it: one call runs after the other.

    Args:
        model: a folder or hub id of a transformers checkpoint, a .pt2 file that `torchpaged export` wrote (a program:
            run only what you trust), or a transformers model instance, which stays its owner's: between calls it
            runs as it did before.
        tokenizer: of transformers, a folder or hub id; None: the checkpoint's own (an instance then takes and
            gives tokens only).
        settings: of `EngineConfig`: dtype, max_model_len, max_num_seqs, block_size, enable_prefix_caching,
            swap_space, ...

    Raises:
        ModelError: the model cannot be loaded or is not supported.
        ConfigError: a setting is unknown or out of its range; transformers is needed and not installed.
    """

    def __init__(self, model: str | Path | PreTrainedModel, tokenizer: Any = None, **settings: Any) -> None:
        unknown = settings.keys() - EngineConfig.__dataclass_fields__.keys()
        if unknown:
            name, known = sorted(unknown)[0], EngineConfig.__dataclass_fields__
            hint = did_you_mean(name, known)
            raise ConfigError(f"LLM: unknown setting {name!r}{hint or ', expected one of ' + ', '.join(known)}")
        config = EngineConfig(**settings)
        device = _device(config.device)
        paged: PagedModel
        if isinstance(model, (str, Path)) and str(model).endswith(".pt2"):
            paged = ExportedModel(model, device)
            config, eos = paged.configure(settings), paged.eos_token_ids
            tokenizer = paged.tokenizer(config.trust_remote_code) if tokenizer is None else tokenizer
        else:
            # An exported model needs none of the modelling code: that is why it is imported here.
            with needing("LLM of a transformers model"):
                from torchpaged.integrations import transformers as adapter
                from torchpaged.integrations.sentence_transformers import pooler_config

            if isinstance(model, (str, Path)):
                wrapped = adapter.load(
                    str(model),
                    config.dtype,
                    device,
                    config.max_model_len,
                    trust_remote_code=config.trust_remote_code,
                )
                given = config.pooler_config
                if given is None or given.pooling_type is None:
                    found = pooler_config(str(model))
                    config = replace(config, pooler_config=found if given is None else given.filled(found))
                tokenizer = str(model) if tokenizer is None else tokenizer
            else:
                target = device if config.device != "auto" else None
                wrapped = adapter.wrap(model, config.dtype, target, config.max_model_len)
            paged = wrapped
        if isinstance(tokenizer, (str, Path)):
            tokenizer = load_tokenizer(tokenizer, trust_remote_code=config.trust_remote_code)
        self.tokenizer = tokenizer
        if not isinstance(paged, ExportedModel):
            eos = list(adapter.eos_token_ids(wrapped.model, self.tokenizer))
        if config.generation_config == "ignore":
            params = SamplingParams()
        elif isinstance(paged, ExportedModel):
            params = paged.default_sampling
        else:
            params = adapter.default_sampling(wrapped.model)
        self.engine = LLMEngine(paged, config, tokenizer=self.tokenizer, eos_token_ids=eos, default_params=params)
        self._counter = 0
        self._turn = threading.RLock()
        self._running: list[str] = []  # requests of the call that runs, or of one that was interrupted in clearing up

    @_in_turn
    def generate(
        self,
        prompts: Prompt | Sequence[Prompt],
        sampling_params: SamplingParams | Sequence[SamplingParams] | None = None,
        *,
        use_tqdm: bool = True,
        priority: Sequence[int] | None = None,
        cache_salt: str | None = None,
    ) -> list[RequestOutput]:
        """Completes all prompts together and returns the results in their order.

        Args:
            prompts: a text, a list of token ids, or a list of either.
            sampling_params: for all of them, or one each; None: `get_default_sampling_params()`.
            use_tqdm: show progress on standard error.
            priority: one each, lower first, with scheduling_policy="priority".
            cache_salt: only calls with the same salt share cached prefixes.

        Raises:
            RequestError: a prompt that can never run, naming its index; nothing has been computed then.
            EngineError: `llm.engine` has unfinished requests of its own.
        """
        batch = _batch(prompts)
        if priority is not None:
            _require_count("generate: priority", priority, len(batch), f"one for each of {len(batch)}")
        given = self.engine.default_params if sampling_params is None else sampling_params
        params = _one_each(given, len(batch))
        return self._run("generate", batch, params, priority or [0] * len(batch), cache_salt, use_tqdm)

    def get_default_sampling_params(self) -> SamplingParams:
        """What `generate` uses where it is given none: as the checkpoint's generation config says, if it is asked."""
        return self.engine.default_params

    @_in_turn
    def beam_search(
        self, prompts: Prompt | Sequence[Prompt], params: BeamSearchParams, *, use_tqdm: bool = True
    ) -> list[RequestOutput]:
        """The likeliest continuations of each prompt, best first; their `score` is the logprob by length.

        All prompts are searched together; beams share their common past and fork by copy-on-write. The rules are
        those of transformers' `generate(num_beams=params.beam_width)`.

        Raises:
            RequestError: as `generate`.
        """
        batch = _batch(prompts)
        return self._run("beam search", batch, [params] * len(batch), [0] * len(batch), None, use_tqdm)

    @_in_turn
    def score_continuations(
        self,
        prompts: Sequence[Prompt],
        continuations: Sequence[Sequence[Sequence[int]]],
        *,
        use_tqdm: bool = True,
        cache_salt: str | None = None,
    ) -> list[list[ContinuationScore]]:
        """How likely given continuations of each prompt are. Nothing is generated.

        A prompt is computed once and forked for its continuations; logits are computed where a token of a
        continuation is predicted. Prompts that begin alike share through the prefix cache: bring them one after
        the other, as sorting does.

        Args:
            prompts: texts or token ids.
            continuations: for each prompt one or more, as token ids. Together they may be one token longer than
                max_model_len, since nothing follows the last.

        Raises:
            RequestError: a prompt that can never run, naming its index; nothing has been computed then.
            ConfigError: no continuation, or an empty one.
        """
        batch = _batch(prompts)
        _require_count(
            "score_continuations: continuations", continuations, len(batch), f"one for each of {len(batch)} prompts"
        )
        params = [ScoringParams(continuations=each) for each in continuations]
        outputs = self._run("score", batch, params, [0] * len(batch), cache_salt, use_tqdm)
        return [output.scores or [] for output in outputs]

    @_in_turn
    def encode(
        self,
        prompts: Prompt | Sequence[Prompt],
        pooling_params: PoolingParams | Sequence[PoolingParams] | None = None,
        *,
        use_tqdm: bool = True,
        lora_request: None = None,
        pooling_task: str | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
    ) -> list[PoolingRequestOutput[PoolingOutput]]:
        """What is made of the prompts' hidden states: a vector, or a classifier's probabilities, as a tensor each.

        Args:
            prompts: as of `generate`.
            pooling_params: for all of them, or one each; None: as the engine's `pooler_config` says.
            pooling_task: as of `PoolingParams.task`, for all of them.
            tokenization_kwargs: of the tokenizer, for texts; "truncate_prompt_tokens" is how many tokens are kept, the
                last ones, -1 for `max_model_len`.

        Raises:
            RequestError: as `generate`, or a task that the model was not made for.
        """
        outputs = self._pool(
            "encode", prompts, pooling_params, pooling_task, use_tqdm, lora_request, tokenization_kwargs
        )
        return [pooling.pooled(output) for output in outputs]

    @_in_turn
    def embed(
        self,
        prompts: Prompt | Sequence[Prompt],
        *,
        use_tqdm: bool = True,
        pooling_params: PoolingParams | Sequence[PoolingParams] | None = None,
        lora_request: None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
    ) -> list[EmbeddingRequestOutput]:
        """A vector of each prompt, of any decoder's hidden states: `outputs.embedding`. Arguments as of `encode`."""
        outputs = self._pool("embed", prompts, pooling_params, "embed", use_tqdm, lora_request, tokenization_kwargs)
        return [pooling.embedded(output) for output in outputs]

    @_in_turn
    def classify(
        self,
        prompts: Prompt | Sequence[Prompt],
        *,
        pooling_params: PoolingParams | Sequence[PoolingParams] | None = None,
        use_tqdm: bool = True,
        lora_request: None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
    ) -> list[ClassificationRequestOutput]:
        """The probabilities of each prompt's classes, `outputs.probs`, by a ...ForSequenceClassification decoder.

        Arguments and errors as of `encode`.
        """
        outputs = self._pool(
            "classify", prompts, pooling_params, "classify", use_tqdm, lora_request, tokenization_kwargs
        )
        return [pooling.classified(output) for output in outputs]

    @_in_turn
    def score(
        self,
        data_1: Any,
        data_2: Any,
        *,
        use_tqdm: bool = True,
        pooling_params: PoolingParams | None = None,
        lora_request: None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
        cache_salt: str | None = None,
    ) -> list[Any]:
        """How well two texts go together, as vLLM's `score`: `outputs.score`, by a model that was made for it.

        A ...ForSequenceClassification decoder with one label reads both texts as a pair; a model that embeds (a
        checkpoint of sentence-transformers, or any with a `pooler_config`) gives the cosine of their vectors.

        With lists of continuations, each of tokens, it is `score_continuations`, whose name it was; `cache_salt` is
        for these.

        Args:
            data_1, data_2: a text or a list of texts: one with each of the other list, or as many in both.

        Returns:
            `ScoringRequestOutput`, one for each pair.

        Raises:
            ConfigError: a model that was made for neither.
        """
        if pooling.are_continuations(data_2):
            return self.score_continuations(data_1, data_2, use_tqdm=use_tqdm, cache_salt=cache_salt)
        spec, texts = self.engine.model.spec, pooling.pairs(data_1, data_2)
        if spec.num_labels == 1:
            options = (pooling_params, "classify", use_tqdm, lora_request, tokenization_kwargs)
            return [pooling.scored(output) for output in self._pool("score", texts, *options)]
        if spec.num_labels or self.engine.config.pooler_config is None:
            raise ConfigError(
                f"score: {spec.name} was not made to score pairs of texts (a ...ForSequenceClassification with one "
                "label is, or an embedding model); use score_continuations for how likely given tokens are, or give "
                "pooler_config=PoolerConfig() for the cosine of its hidden states"
            )
        options = (pooling_params, "embed", use_tqdm, lora_request, tokenization_kwargs)
        unique = list(dict.fromkeys(text for pair in texts for text in pair))
        found = dict(zip(unique, self._pool("score", unique, *options), strict=True))
        return [pooling.compared(found[one], found[other]) for one, other in texts]

    def _pool(
        self,
        name: str,
        prompts: Any,
        params: PoolingParams | Sequence[PoolingParams] | None,
        task: str | None,
        use_tqdm: bool,
        lora_request: object,
        tokenization_kwargs: Mapping[str, Any] | None,
    ) -> list[RequestOutput]:
        pooling.require_no_lora(name, lora_request)
        limit = self.engine.max_model_len
        batch = pooling.tokenized(name, self.tokenizer, _batch(prompts), tokenization_kwargs, limit)
        every = pooling.one_task(name, params, task, len(batch))
        return self._run(name, batch, every, [0] * len(batch), None, use_tqdm)

    def _run(
        self,
        name: str,
        batch: Sequence[Prompt],
        params: Sequence[SamplingParams | BeamSearchParams | ScoringParams | PoolingParams],
        priority: Sequence[int],
        cache_salt: str | None,
        use_tqdm: bool,
    ) -> list[RequestOutput]:
        self._abort_all()  # what an interrupt has left of an earlier call
        if others := self.engine.unfinished_requests():
            raise EngineError(
                f"{name}: llm.engine has unfinished requests, {others[:4]}, whose outputs would be lost; step until "
                "they end, or abort them"
            )
        ids = [f"{self._counter + i}" for i in range(len(batch))]
        self._counter += len(batch)
        try:
            for request_id, prompt, each, rank in zip(ids, batch, params, priority, strict=True):
                self._running.append(request_id)
                self.engine.add_request(request_id, prompt, each, priority=rank, cache_salt=cache_salt)
            return self._complete(name, ids, use_tqdm)
        except RequestError as error:
            raise RequestError(f"prompt {len(self._running) - 1}: {error}") from error
        finally:  # after a refusal, a failed step or the user's Ctrl-C the engine stays usable
            self._abort_all()

    def _complete(self, name: str, ids: Sequence[str], use_tqdm: bool) -> list[RequestOutput]:
        """Steps until all have ended; their results in the order of the ids."""
        done: dict[str, RequestOutput] = {}
        before, before_computed = self.engine.num_generated_tokens, self.engine.num_computed_tokens
        with tqdm(total=len(ids), desc=name, unit="request", disable=not use_tqdm, dynamic_ncols=True) as bar:
            while self.engine.has_unfinished_requests:
                for output in self.engine.step():
                    if output.finished:
                        done[output.request_id] = output
                        bar.update()
                if use_tqdm:
                    elapsed = bar.format_dict["elapsed"] or 1e-9
                    tokens = self.engine.num_generated_tokens - before
                    tokens = tokens or self.engine.num_computed_tokens - before_computed  # where none is generated
                    bar.set_postfix_str(f"{tokens} tokens, {tokens / elapsed:.0f} tokens/s", refresh=False)
        return [done[request_id] for request_id in ids]

    @_in_turn
    def pin_prefix(self, prompt: Prompt, *, cache_salt: str | None = None) -> str:
        """Computes a prefix and keeps its full blocks, whatever is evicted, until `unpin_prefix(name)`.

        Returns:
            The pin's name.

        Raises:
            RequestError: shorter than a block, or so long that nothing could run beside it.
        """
        return self.engine.pin_prefix(prompt, cache_salt=cache_salt)

    @_in_turn
    def unpin_prefix(self, name: str) -> None:
        """Lets a pinned prefix go: it stays cached until its place is needed."""
        self.engine.unpin_prefix(name)

    @_in_turn
    def reset_prefix_cache(self) -> bool:
        """Forgets all cached blocks; False, and nothing changes, while a pin holds one."""
        return self.engine.reset_prefix_cache()

    @_in_turn
    def quantize(self, config: Any) -> Any:
        """Quantises the weights of the layers' linear modules in place, through torchao's `quantize_`.

        By a name they are what `EngineConfig.quantization` says; a config of torchao leaves embedding and head alone.
        Forgets the cached prefixes, and compiles again if the model is compiled.

        Args:
            config: a config of torchao (`torchao.core.config.AOBaseConfig`), or a name as of
                `EngineConfig.quantization`. With `FqnToConfig` the modules are those that it names.

        Returns:
            `torchpaged.integrations.torchao.QuantizedWeights`: how many modules, and the bytes of all weights before
            and after.

        Raises:
            ConfigError: torchao is not installed, or cannot do it to this model on this device; the weights are as
                they were then.
            EngineError: a prefix is pinned.
        """
        return self.engine.quantize(config)

    @_in_turn
    def update_weights(self, weights: Mapping[str, torch.Tensor] | Iterable[tuple[str, torch.Tensor]]) -> int:
        """Copies new numbers into the model's weights; cached prefixes are forgotten, pinned ones computed anew.

        Changes of whole weights of a model instance are seen without it, before the next call. What writes to single
        elements must say so: by this, or `update_weights({})` behind it.

        Args:
            weights: by their names in the model's `state_dict()`, all of them or some; any float dtype and device.

        Returns:
            How many tensors were copied.

        Raises:
            ConfigError: a name or shape that the model does not have, or a weight that is quantised; those before it
                are copied.
        """
        return self.engine.update_weights(weights)

    @_in_turn
    def save_prefix(self, path: str | Path, prompt: Prompt | None = None) -> int:
        """Writes a prefix's keys and values (None: those of all pins) to a safetensors file; returns its tokens."""
        return self.engine.save_prefix(path, prompt)

    @_in_turn
    def load_prefix(self, path: str | Path, *, cache_salt: str | None = None) -> list[str]:
        """Pins the prefixes of a file that `save_prefix` wrote, without computing them; returns the pins' names.

        Raises:
            ModelError: the file is another model's.
            ConfigError: no such file, or not one of ours.
        """
        return self.engine.load_prefix(path, cache_salt=cache_salt)

    @_in_turn
    def stats(self) -> EngineStats:
        """How full the cache is and what has been done."""
        return self.engine.stats()

    def _abort_all(self) -> None:
        """Ends what is left of a call."""
        while self._running:
            self.engine.abort(self._running[-1])
            self._running.pop()

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Neither pickled nor copied."""
        raise not_copied(self)


def export_checkpoint(
    model: str | Path,
    output: str | Path,
    *,
    dtype: str = "auto",
    device: str = "auto",
    block_size: int = 16,
    kv_cache_dtype: str = "auto",
    quantization: str | None = None,
    max_model_len: int | None = None,
    trust_remote_code: bool = False,
) -> None:
    """Writes a transformers checkpoint as a .pt2 file for `LLM(output)`, tokenizer included.

    Args:
        model: a folder or hub id.
        output: ends in .pt2.
        dtype, block_size, kv_cache_dtype, quantization, max_model_len: as of `EngineConfig`; fixed in the file, as
            `device` is.
        trust_remote_code: whether code that the checkpoint brings may run.

    Raises:
        ModelError: the model cannot be loaded, is not supported, or cannot be captured.
        ConfigError: a setting out of its range, or a file that cannot be written.
    """
    with needing("export of a transformers model"):
        from torchpaged.integrations import transformers as adapter

    export.check_path(output)
    config = EngineConfig(
        dtype=dtype, device=device, block_size=block_size, kv_cache_dtype=kv_cache_dtype, quantization=quantization
    )
    device_of = _device(config.device)
    paged = adapter.load(str(model), config.dtype, device_of, max_model_len, trust_remote_code=trust_remote_code)
    if quantization is not None:
        paged.weights.quantize(quantization)
    tokenizer = load_tokenizer(model, trust_remote_code=trust_remote_code)
    export.export(
        paged,
        output,
        block_size=block_size,
        kv_cache_dtype=kv_cache_dtype,
        max_model_len=max_model_len,
        tokenizer=tokenizer,
        eos_token_ids=adapter.eos_token_ids(paged.model, tokenizer),
        default_sampling=adapter.default_sampling(paged.model),
    )


def _batch(prompts: Prompt | Sequence[Prompt]) -> list[Any]:
    if isinstance(prompts, (str, bytes, Mapping)):
        return [prompts]
    try:
        batch = list(prompts)
    except TypeError:
        raise RequestError(
            f"the prompts are {prompts!r:.80}, expected a text, a sequence of token ids, or a sequence of either"
        ) from None
    return [batch] if batch and _is_token(batch[0]) else batch


def _is_token(value: Any) -> bool:
    """Whether it is an integer, also numpy's, or a tensor of no dimension."""
    return isinstance(value, Integral) or (isinstance(value, torch.Tensor) and value.dim() == 0)


def _require_count(name: str, values: Any, count: int, expected: str) -> None:
    """Raises ConfigError where it is no sequence, or has another length."""
    try:
        length = len(values)
    except TypeError:
        raise ConfigError(f"{name} is {values!r:.80}, expected {expected}") from None
    if length != count:
        raise ConfigError(f"{name} has {length} entries, expected {expected}")


def _one_each(params: SamplingParams | Sequence[SamplingParams], count: int) -> list[SamplingParams]:
    """For each prompt; nothing is shown before its end."""
    if isinstance(params, SamplingParams):
        return [_at_the_end(params)] * count
    _require_count("generate: sampling_params", params, count, f"one, or one for each of {count} prompts")
    return [_at_the_end(each) for each in params]


def _at_the_end(params: SamplingParams) -> SamplingParams:
    if not isinstance(params, SamplingParams):
        return params  # refused when its request is added
    return replace(params, output_kind=RequestOutputKind.FINAL_ONLY)


def _device(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise ConfigError(f"EngineConfig: device is {name!r}, expected 'auto', 'cpu' or 'cuda': {error}") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ConfigError(f"EngineConfig: device is {name!r}, but torch sees no CUDA device; use 'cpu' or 'auto'")
    return device
