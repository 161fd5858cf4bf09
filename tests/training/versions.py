"""A tiny model with several versions of its weights, and transformers' logprobs of a text that several have written."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel

from tests import models
from torchpaged.outputs import CompletionOutput


@dataclass
class Versions:
    """Versions of a model's weights, and what was done with them.

    Args:
        model: is not changed.
        count: number of different weights.

    Attributes:
        weights: tensors by name, of each.
        number_of: by the version's name, which of them it is.
        resets: names of the versions with which the requests under way were computed again.
        order: names in the order of the updates.
    """

    model: PreTrainedModel
    count: int = 4
    weights: list[dict[str, Tensor]] = field(init=False)
    number_of: dict[str, int] = field(default_factory=lambda: {"default": 0})
    resets: set[str] = field(default_factory=set)
    order: list[str] = field(default_factory=lambda: ["default"])

    def __post_init__(self) -> None:
        self.model = copy.deepcopy(self.model)
        own = {name: value.detach().clone() for name, value in self.model.state_dict().items()}
        self.weights = [own]
        for seed in range(1, self.count):
            generator = torch.Generator().manual_seed(seed)
            self.weights.append(
                {name: value + 0.1 * torch.randn(value.shape, generator=generator) for name, value in own.items()}
            )
        self.adopt(self.weights)

    def adopt(self, weights: Sequence[Mapping[str, Tensor]]) -> None:
        """Have transformers compute with these weights, instead of the engine's."""
        self._models = [copy.deepcopy(self.model) for _ in weights]
        for model, own in zip(self._models, weights, strict=True):
            model.load_state_dict(own)

    def note(self, version: str, number: int, *, reset: bool) -> None:
        """Note an update."""
        self.order.append(version)
        self.number_of[version] = number
        if reset:
            self.resets.add(version)

    def names(self, completion: CompletionOutput) -> list[str]:
        """Return the version of each token, and check that the runs are all tokens, each run as long as it can be."""
        spans = completion.weight_versions
        assert spans is not None
        found: list[str] = []
        for version, start, end in spans:
            assert start == len(found) < end
            assert not found or found[-1] != version
            found += [version] * (end - start)
        assert len(found) == len(completion.token_ids)
        places = [self.order.index(each) for each in found]
        assert places == sorted(places), "weights do not come back under an old name"
        return found

    def _is_reset(self, before: str, after: str) -> bool:
        first, last = self.order.index(before), self.order.index(after)
        return any(each in self.resets for each in self.order[first + 1 : last + 1])

    @torch.no_grad()
    def logprobs(
        self, prompt: Sequence[int], tokens: Sequence[int], names: Sequence[str], *, exact: bool = False
    ) -> list[float]:
        """Return the logprob of each token by transformers, in float32, or in float64 if `exact`.

        The keys of a position are those of the version that drew the token after it, unless all were computed again.
        """
        text = [*prompt, *tokens]
        cache, done, found = DynamicCache(), 0, []
        before = None
        for version, run in itertools.groupby(names):
            if before is not None and self._is_reset(before, version):
                cache, done = DynamicCache(), 0
            before, count = version, len(list(run))
            # Logits of a token are those of the position before it.
            end = len(prompt) + len(found) + count - 1
            model = self._models[self.number_of[version]]
            model = copy.deepcopy(model).double() if exact else model
            logits = model(torch.tensor([text[done:end]]), past_key_values=cache, use_cache=True).logits[0, -count:]
            done, drawn = end, torch.tensor(text[end - count + 1 : end + 1])
            found += logits.log_softmax(-1).gather(1, drawn[:, None])[:, 0].tolist()
        return found

    def require_same(self, prompt: Sequence[int], completion: CompletionOutput) -> float:
        """Check the logprobs of a completion's tokens, and return the largest difference."""
        names = self.names(completion)
        wanted = self.logprobs(prompt, completion.token_ids, names)
        assert completion.logprobs is not None
        rows: list[Mapping] = list(completion.logprobs)  # type: ignore[type-arg, arg-type]
        got = [row[token].logprob for row, token in zip(rows, completion.token_ids, strict=True)]
        worst = max((abs(a - b) for a, b in zip(got, wanted, strict=True)), default=0.0)
        if worst >= 1e-4:  # once in some ten thousand tokens a text amplifies roundings, transformers' own too
            exact = self.logprobs(prompt, completion.token_ids, names, exact=True)
            theirs = max(abs(a - b) for a, b in zip(wanted, exact, strict=True))
            ours = max(abs(a - b) for a, b in zip(got, exact, strict=True))
            assert ours < max(1e-4, 5 * theirs) and worst < 1e-3, (ours, theirs, worst, names)
        return worst


def versions(kind: str = "llama", **overrides: object) -> Versions:
    """Make a tiny model of a kind, and its versions."""
    return Versions(models.build(kind, seed=3, **overrides))
