"""Calibration: text runs through a model once, and each linear layer is rounded when it is reached.

So each layer is rounded for the inputs that the layers before it produce once they are rounded themselves.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.errors import ConfigError, reason_of
from torchpaged.integrations.checkpoints.expert_modules import expert_weights, projections, through_expert
from torchpaged.weights.grouped_weight import GroupedWeight

# Modules whose documentation is the default calibration text: English and some code, installed with every Python.
# fmt: off
_DOCUMENTED = (
    "argparse", "ast", "asyncio", "builtins", "calendar", "collections", "concurrent.futures", "configparser",
    "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "dis", "email.message", "enum",
    "fnmatch", "fractions", "functools", "getopt", "gettext", "glob", "heapq", "http.server", "inspect",
    "itertools", "json", "locale", "logging", "math", "optparse", "pathlib", "pickle", "queue", "random", "re",
    "sched", "shutil", "socket", "socketserver", "statistics", "string", "struct", "subprocess", "tarfile",
    "tempfile", "textwrap", "threading", "tokenize", "typing", "unittest", "urllib.parse", "urllib.request",
    "zipfile",
)
# fmt: on
# Characters of each text: a longer piece of one module adds little.
_READ_OF_EACH = 3000
# Tokens that an expert is calibrated with; if fewer are routed to it, about this many others are added.
_TOKENS_OF_AN_EXPERT = 64
# Tokens of a sequence; fewer if the model has fewer positions.
_LENGTH = 256


class Inputs:
    """The inputs of a layer: [rows, in_features] float32."""

    def __init__(self, rows: Tensor) -> None:
        self.rows = rows
        self._moments: Tensor | None = None

    def squares(self) -> Tensor:
        """Return the mean squares, [in_features]."""
        return self.rows.square().mean(0)

    def moments(self) -> Tensor:
        """Return the mean of x x^T, [in_features, in_features]; computed once."""
        if self._moments is None:
            self._moments = self.rows.T @ self.rows / len(self.rows)
        return self._moments


Rule = Callable[[Tensor, "Inputs | None"], GroupedWeight]


def calibration_tokens(
    tokenizer: Any,
    vocab_size: int,
    max_length: int,
    count: int,
    prompts: Sequence[str | Sequence[int]] | None = None,
) -> Tensor:
    """Make sequences of typical tokens: int64 [count or fewer, up to 256].

    Args:
        tokenizer: of transformers. None: random tokens, if there are no prompts.
        max_length: of the model's sequences.
        count: maximum number of sequences.
        prompts: texts or tokens; None: documentation and source of Python's standard library.

    Raises:
        ConfigError: prompts of another type, without tokens, or with tokens outside the vocabulary.
    """
    length = min(_LENGTH, max_length)
    if prompts is None and tokenizer is None:
        return torch.randint(vocab_size, (count, length), generator=torch.Generator().manual_seed(0))
    if isinstance(prompts, str) or not (prompts is None or isinstance(prompts, Sequence)):
        raise ConfigError(f"quantize: calibration is {prompts!r:.80}, expected a list of texts or of lists of tokens")
    stream: list[int] = []
    for each in _documentation() if prompts is None else prompts:
        if isinstance(each, str) and tokenizer is None:
            raise ConfigError("quantize: calibration has a text, and there is no tokenizer; give lists of tokens")
        if isinstance(each, str):  # not verbose: it would warn of texts longer than the model's sequences
            found = tokenizer(each, add_special_tokens=False, verbose=False)["input_ids"]
        else:
            found = list(each) if isinstance(each, Iterable) else [each]
        if not all(isinstance(token, int) and 0 <= token < vocab_size for token in found):
            raise ConfigError(f"quantize: calibration has {each!r:.80}, expected tokens from 0 to {vocab_size - 1}")
        stream += found
    if not stream:
        raise ConfigError("quantize: calibration has no tokens, expected a few hundred")
    length = min(length, len(stream))
    places = len(stream) // length
    count = min(count, places)
    rows = [stream[length * (i * places // count) :][:length] for i in range(count)]
    return torch.tensor(rows)


def _documentation() -> Iterator[str]:
    """Yield two texts of each module: its documentation, and the end of its source if that is available."""
    for name in _DOCUMENTED:
        module = importlib.import_module(name)
        parts = [module.__doc__]
        for item, value in sorted(vars(module).items()):
            if (inspect.isclass(value) or inspect.isroutine(value)) and not item.startswith("_"):
                parts.append(value.__doc__)
        whole = "\n\n".join(inspect.cleandoc(part) for part in parts if isinstance(part, str))
        yield whole[:_READ_OF_EACH] + "\n\n"
        try:
            yield inspect.getsource(module)[-_READ_OF_EACH:] + "\n\n"
        except (OSError, TypeError):  # written in C, or installed without source
            continue


@torch.no_grad()
def round_along(
    module: Any,
    linears: Mapping[str, nn.Linear],
    rule: Rule,
    tokens: Tensor | None,
    progress: Callable[[str], None] | None = None,
    experts: Mapping[str, Any] | None = None,
    of_experts: Rule | None = None,
) -> dict[str, GroupedWeight]:
    """Round the weights of linear layers and experts while text runs through a model, which stays as it is.

    Args:
        module: a transformers model.
        linears: its linear modules to round, by name.
        rule: rounds a float weight for the inputs of its layer; the inputs are None if they are not known.
        tokens: [sequences, length]; None: no inputs are known.
        progress: is called with each name.
        experts: modules for which `holds_experts`, by name: each expert's weights are rounded too, under the names of
            `expert_weights`.
        of_experts: the rule for experts; None: the same.

    Raises:
        ConfigError: the model does not run over the tokens, or they overflow its dtype.
    """
    done: dict[str, GroupedWeight] = {}
    experts = experts or {}
    weights = {name: linear.weight for name, linear in linears.items()}
    for path, own in experts.items():
        weights |= expert_weights(path, own)

    def add(name: str, inputs: Inputs | None) -> None:
        own = rule if name in linears else of_experts or rule
        done[name] = own(weights[name].detach().contiguous(), inputs)
        if progress is not None:
            progress(name)

    if tokens is not None:
        was_training = module.training
        with _asked(linears, done, add), _routed(experts, done, add):
            try:
                module.eval().base_model(input_ids=tokens, use_cache=False)
            except ConfigError:
                raise
            except Exception as error:  # raised by the model's own code
                raise ConfigError(
                    f"quantize: {type(module).__name__} does not run over the calibration's tokens: {reason_of(error)}"
                ) from error
            finally:
                module.train(was_training)
    for name in [each for each in weights if each not in done]:  # experts that no token was routed to
        add(name, None)
    return {name: done[name] for name in weights}


@contextmanager
def _asked(
    linears: Mapping[str, nn.Linear], done: Mapping[str, GroupedWeight], add: Callable[[str, Inputs], None]
) -> Iterator[None]:
    """Let each layer round itself at its first call, and compute with the rounded weight.

    Products are float32: on some CPUs other dtypes are much slower.
    """
    last: list[Any] = [None, None]  # the statistics of an input that several layers read are computed once

    def forward_of(name: str, linear: nn.Linear) -> Callable[[Tensor], Tensor]:
        def forward(input: Tensor) -> Tensor:
            if last[0] is not input:
                rows = input.detach().reshape(-1, input.shape[-1]).float()
                if not bool(rows.isfinite().all()):
                    raise ConfigError(f"quantize: {name} is given numbers that are not finite, in {input.dtype}")
                last[:] = input, Inputs(rows)
            inputs: Inputs = last[1]
            if name not in done and len(inputs.rows):
                add(name, inputs)
            weight = done[name].dequantize() if name in done else linear.weight.float()
            out = nn.functional.linear(inputs.rows, weight, None if linear.bias is None else linear.bias.float())
            return out.to(input.dtype).view(*input.shape[:-1], -1)

        return forward

    for name, linear in linears.items():
        linear.forward = forward_of(name, linear)  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        for linear in linears.values():
            del linear.forward


@contextmanager
def _routed(
    experts: Mapping[str, Any], done: Mapping[str, GroupedWeight], add: Callable[[str, Inputs], None]
) -> Iterator[None]:
    """Do the same for mixtures: each expert is rounded for the tokens that are routed to it."""

    def forward_of(path: str, own: Any) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        def forward(hidden_states: Tensor, top_k_index: Tensor, top_k_weights: Tensor) -> Tensor:
            rows = hidden_states.detach().float()
            if not bool(rows.isfinite().all()):
                raise ConfigError(f"quantize: {path} is given numbers that are not finite, in {hidden_states.dtype}")
            others = rows[:: max(1, len(rows) // _TOKENS_OF_AN_EXPERT)]
            out = torch.zeros_like(rows)
            for expert in range(own.num_experts):
                tokens, places = (top_k_index == expert).nonzero(as_tuple=True)
                given = rows[tokens]
                seen = given if len(given) >= _TOKENS_OF_AN_EXPERT else torch.cat([given, others])
                for leaf in projections(own):
                    name = f"{path}.{expert}.{leaf}"
                    if name not in done:
                        add(name, Inputs(seen))
                    weight = done[name].dequantize()
                    given, seen = (through_expert(own, leaf, expert, weight, each) for each in (given, seen))
                out.index_add_(0, tokens, given * top_k_weights[tokens, places, None].float())
            return out.to(hidden_states.dtype)

        return forward

    for path, own in experts.items():
        own.forward = forward_of(path, own)
    try:
        yield
    finally:
        for own in experts.values():
            del own.forward
