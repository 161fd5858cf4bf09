"""LLM: prompts in, completions out. The offline interface over one engine, with a progress bar."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm
from transformers import AutoTokenizer, PreTrainedModel

from torchpaged.config import EngineConfig
from torchpaged.engine import EngineStats, LLMEngine, Prompt
from torchpaged.errors import ConfigError, ModelError, RequestError
from torchpaged.integrations import transformers as adapter
from torchpaged.outputs import RequestOutput
from torchpaged.sampling_params import SamplingParams


class LLM:
    """A model ready to complete prompts.

    Args:
        model: a folder or hub id of a transformers checkpoint, or a transformers model instance. An instance's
            attention implementation is set to "torchpaged" and stays so.
        tokenizer: of transformers, a folder or hub id; None: the checkpoint's own (an instance then takes and
            gives tokens only).
        settings: of `EngineConfig`: dtype, device, max_model_len, max_num_seqs, max_num_batched_tokens,
            block_size, kv_cache_dtype, num_blocks, gpu_memory_utilization, seed, long_prefill_token_threshold.

    Raises:
        ModelError: the model cannot be loaded or is not supported.
        ConfigError: a setting is unknown or out of its range.
    """

    def __init__(self, model: str | Path | PreTrainedModel, tokenizer: Any = None, **settings: Any) -> None:
        unknown = settings.keys() - EngineConfig.__dataclass_fields__.keys()
        if unknown:
            known = ", ".join(EngineConfig.__dataclass_fields__)
            raise ConfigError(f"LLM: unknown setting {sorted(unknown)[0]!r}, expected one of {known}")
        config = EngineConfig(**settings)
        device = _device(config.device)
        if isinstance(model, PreTrainedModel):
            paged = adapter.wrap(model, config.dtype, device if config.device != "auto" else None)
        else:
            paged = adapter.load(str(model), config.dtype, device)
            tokenizer = str(model) if tokenizer is None else tokenizer
        self.tokenizer = _tokenizer(tokenizer) if isinstance(tokenizer, (str, Path)) else tokenizer
        self.engine = LLMEngine(
            paged,
            config,
            tokenizer=self.tokenizer,
            eos_token_ids=adapter.eos_token_ids(paged.model, self.tokenizer),
        )
        self._counter = 0

    def generate(
        self,
        prompts: Prompt | Sequence[Prompt],
        sampling_params: SamplingParams | Sequence[SamplingParams] | None = None,
        *,
        use_tqdm: bool = True,
    ) -> list[RequestOutput]:
        """Completes all prompts together and returns the results in their order.

        Args:
            prompts: a text, a list of token ids, or a list of either.
            sampling_params: for all of them, or one each; None: the defaults.
            use_tqdm: show progress on standard error.

        Raises:
            RequestError: a prompt that can never run, naming its index; nothing has been computed then.
        """
        single = isinstance(prompts, str) or (len(prompts) > 0 and isinstance(prompts[0], int))
        batch: list[Any] = [prompts] if single else list(prompts)
        params = _one_each(sampling_params, len(batch))
        ids = [f"{self._counter + i}" for i in range(len(batch))]
        self._counter += len(batch)
        try:
            for request_id, prompt, each in zip(ids, batch, params, strict=True):
                self.engine.add_request(request_id, prompt, each)
        except RequestError as error:
            self._abort(ids)
            raise RequestError(f"prompt {ids.index(request_id)}: {error}") from error
        except BaseException:
            self._abort(ids)
            raise
        done: dict[str, RequestOutput] = {}
        before = self.engine.stats().num_generated_tokens
        try:
            with tqdm(
                total=len(batch), desc="generate", unit="request", disable=not use_tqdm, dynamic_ncols=True
            ) as bar:
                while self.engine.has_unfinished_requests:
                    for output in self.engine.step():
                        if output.finished:
                            done[output.request_id] = output
                            bar.update()
                    elapsed = bar.format_dict["elapsed"] or 1e-9
                    tokens = self.engine.stats().num_generated_tokens - before
                    bar.set_postfix_str(f"{tokens} tokens, {tokens / elapsed:.0f} tokens/s", refresh=False)
        except BaseException:  # a failed step, or the user's Ctrl-C: the engine stays usable
            self._abort(ids)
            raise
        return [done[request_id] for request_id in ids]

    def stats(self) -> EngineStats:
        """How full the cache is and what has been done."""
        return self.engine.stats()

    def _abort(self, ids: Sequence[str]) -> None:
        for request_id in ids:
            self.engine.abort(request_id)


def _one_each(params: SamplingParams | Sequence[SamplingParams] | None, count: int) -> list[SamplingParams]:
    if params is None or isinstance(params, SamplingParams):
        return [params or SamplingParams()] * count
    if len(params) != count:
        raise ConfigError(
            f"generate: sampling_params has {len(params)} entries, expected one, or one for each of {count} prompts"
        )
    return list(params)


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


def _tokenizer(path: str | Path) -> Any:
    try:
        return AutoTokenizer.from_pretrained(str(path))
    except Exception as error:  # a broken file shows as KeyError, OSError, ValueError, the tokenizers' own, ...
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ModelError(f"tokenizer {str(path)!r} could not be loaded: {reason}") from error
