"""What a model's linear layers are given: text runs through it once, and each layer is rounded when its turn comes.

So the inputs that a layer is rounded for are those that the layers before it give once they are rounded themselves.
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

# Whose documentation is read where nobody gives texts: English, some code, and there wherever Python is.
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
# Letters: more of one module says little more.
_READ_OF_EACH = 3000
# Tokens that say what an expert is given; one to which fewer go is asked about so many of the others' too.
_TOKENS_OF_AN_EXPERT = 64
# Tokens of a sequence; models that know fewer positions get as many.
_LENGTH = 256


class Inputs:
    """Rows that a layer is given: [rows, in_features] float32."""

    def __init__(self, rows: Tensor) -> None:
        self.rows = rows
        self._moments: Tensor | None = None

    def squares(self) -> Tensor:
        """[in_features]: the mean squares."""
        return self.rows.square().mean(0)

    def moments(self) -> Tensor:
        """[in_features, in_features]: the mean of x x^T; the same object each time."""
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
    """Sequences that say what a model is used for: int64 [count or fewer, up to 256].

    Args:
        tokenizer: of transformers. None: random tokens, where there are no prompts.
        max_length: of the model.
        count: of sequences at most.
        prompts: texts or tokens; None: documentation and source of Python's standard library.

    Raises:
        ConfigError: prompts that are none, or have no tokens of the model's.
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
        if isinstance(each, str):  # not verbose: it may be longer than what the model runs over at once
            found = tokenizer(each, add_special_tokens=False, verbose=False)["input_ids"]
        else:
            found = list(each) if isinstance(each, Iterable) else [each]
        if not all(isinstance(token, int) and 0 <= token < vocab_size for token in found):
            raise ConfigError(f"quantize: calibration has {each!r:.80}, expected tokens from 0 to {vocab_size - 1}")
        stream += found
    if not stream:
        raise ConfigError("quantize: calibration has no tokens, expected some hundred")
    length = min(length, len(stream))
    places = len(stream) // length
    count = min(count, places)
    rows = [stream[length * (i * places // count) :][:length] for i in range(count)]
    return torch.tensor(rows)


def _documentation() -> Iterator[str]:
    """Two texts of each module: what its documentation says, and the beginning of its source where there is one."""
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
        except (OSError, TypeError):  # it is C, or came without
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
    """The weights of linear layers, rounded; the model stays as it is.

    Args:
        module: a model of transformers.
        linears: by their names in it.
        rule: makes a weight of few bits of a float one and of what its layer is given; of None where that is not known.
        tokens: [sequences, length]; None: nothing is known of any inputs.
        progress: is told of each name.
        experts: those of mixtures that `experts.holds_experts`, by their names: each expert's weights are rounded too,
            under the names of `expert_weights`.
        of_experts: the rule for those; None: the same.

    Raises:
        ConfigError: the model does not run over the tokens, or they are too much for its dtype.
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
            except Exception as error:  # of a model's own code
                raise ConfigError(
                    f"quantize: {type(module).__name__} does not run over the calibration's tokens: {reason_of(error)}"
                ) from error
            finally:
                module.train(was_training)
    for name in [each for each in weights if each not in done]:  # experts without a token
        add(name, None)
    return {name: done[name] for name in weights}


@contextmanager
def _asked(
    linears: Mapping[str, nn.Linear], done: Mapping[str, GroupedWeight], add: Callable[[str, Inputs], None]
) -> Iterator[None]:
    """While it is entered a layer is rounded when it is first called, and gives what the rounded one does.

    Products are float32: there are CPUs for which others are much slower.
    """
    last: list[Any] = [None, None]  # what several layers read is asked about once

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
    """The same of mixtures, expert by expert, of the tokens that go to each."""

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
