"""`torchpaged quantize`: writes a quantised checkpoint, and reports the change of its size and perplexity."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from torchpaged.errors import InputError
from torchpaged.llm import LLM
from torchpaged.sampling_params import SamplingParams
from torchpaged.tools.generate import size_of
from torchpaged.utils.paths import expanded

# Tokens per window, number of windows, and tokens at a window's beginning that are not scored.
_WINDOW, _WINDOWS, _UNSCORED = 256, 8, 16


def quantize(
    model: str,
    to: str,
    output: Path,
    *,
    calibration: Sequence[str] | None = None,
    report: str | None = None,
    trust_remote_code: bool = False,
    quiet: bool = False,
) -> None:
    """Write `output` and print sizes and perplexities.

    Args:
        model: a folder or hub id.
        to: as in `write_quantized`.
        calibration: texts.
        report: text for the comparison of perplexities; None: Python's documentation of its language.

    Raises:
        InputError: the text is too short to be scored.
        ConfigError, ModelError: as in `LLM` and `write_quantized`.
    """
    settings: dict[str, Any] = {"device": "cpu", "trust_remote_code": trust_remote_code, "num_blocks": 2 + _WINDOW // 8}
    llm = LLM(model, max_num_batched_tokens=_WINDOW, **settings)
    from torchpaged.integrations.checkpoints.expert_modules import experts_of_layers, projections
    from torchpaged.integrations.checkpoints.quantized_writer import write_quantized
    from torchpaged.integrations.checkpoints.torchao import linears_of_layers, num_bytes

    windows = _windows(llm, report)
    before = perplexity(llm, windows)
    weights: Any = llm.engine.model.weights
    weights.restore()
    module, folder = weights.module, Path(expanded(model))
    size = num_bytes(module)
    layers = len(linears_of_layers(module))
    if to != "int8":
        layers += sum(own.num_experts * len(projections(own)) for own in experts_of_layers(module).values())
    with tqdm(total=layers, desc=to, unit="layer", disable=quiet, file=sys.stderr) as bar:
        written = write_quantized(
            module,
            llm.tokenizer,
            to,
            output,
            source=folder if folder.is_dir() else None,
            calibration=calibration,
            progress=lambda _: bar.update() and None,
        )
    del llm, weights, module
    after = perplexity(LLM(str(output), max_num_batched_tokens=_WINDOW, **settings), windows)
    print(f"{output}: {size_of(written.num_bytes)} of weights, before {size_of(size)}")
    print(f"other tools that read it: {written.readers}")
    scored = sum(len(each) - _UNSCORED for each in windows)
    print(f"perplexity of {scored} tokens: {after:.3f}, before {before:.3f} ({after / before - 1:+.2%})")


def perplexity(llm: LLM, windows: Sequence[Sequence[int]]) -> float:
    """Return the perplexity of sequences, without the tokens at the beginning of each, and the number of tokens."""
    params = SamplingParams(temperature=0, max_tokens=1, prompt_logprobs=0)
    total, count = 0.0, 0
    for output, ids in zip(
        llm.generate([list(each) for each in windows], params, use_tqdm=False), windows, strict=True
    ):
        found: Any = output.prompt_logprobs
        for at, token in list(zip(found, ids, strict=True))[_UNSCORED:]:
            total, count = total - at[token].logprob, count + 1
    return math.exp(total / count)


def _windows(llm: LLM, text: str | None) -> list[list[int]]:
    if text is None:
        from pydoc_data.topics import topics

        text = "\n".join(topics.values())[: _WINDOW * _WINDOWS * 16]
    length = min(_WINDOW, llm.engine.max_model_len - 1)
    if llm.tokenizer is None:
        raise InputError("quantize: the model has no tokenizer, which the perplexity of a text needs")
    ids = llm.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    windows = [ids[first : first + length] for first in range(0, len(ids), length)][:_WINDOWS]
    windows = [each for each in windows if len(each) > 2 * _UNSCORED]
    if not windows:
        raise InputError(f"quantize: the text of --report has {len(ids)} tokens, expected more than {2 * _UNSCORED}")
    return windows
