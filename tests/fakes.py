"""A model without weights and a tokenizer without a vocabulary, for tests of the code around them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from torchpaged import EngineConfig, LLMEngine, RequestOutput
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.model import LayerShape, ModelSpec

VOCAB, EOS = 32, 1


def follower(token: int, position: int) -> int:
    """Return FakeModel's next token after a token at a position: never EOS."""
    return 2 + (7 * token + 3 * position) % (VOCAB - 2)


def follow(prompt: Sequence[int], count: int) -> list[int]:
    """Return FakeModel's greedy completion."""
    tokens = list(prompt)
    for _ in range(count):
        tokens.append(follower(tokens[-1], len(tokens) - 1))
    return tokens[len(prompt) :]


class FakeModel:
    """A `PagedModel` whose next token depends on the last one and its position, or is read from a script.

    Args:
        script: what a one-token prompt is completed with.
        nan_at: logits after this token are NaN.
        fails_at: with this token a forward raises IndexError.
    """

    spec = ModelSpec(
        name="FakeModel",
        layers={0: LayerShape(1, 8, 8)},
        vocab_size=VOCAB,
        max_model_len=128,
        dtype=torch.float32,
        device=torch.device("cpu"),
    )
    encoder = weights = None

    def __init__(self, script: Sequence[int] = (), nan_at: int = -1, fails_at: int = -1) -> None:
        self.script, self.nan_at, self.fails_at = list(script), nan_at, fails_at
        self.fails = False

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """Return the script's fingerprint."""
        return f"fake {self.script}"

    def in_use(self) -> AbstractContextManager[None]:
        """Do nothing."""
        return nullcontext()

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Return logits 9 for the next token, 0 to 1 for the others."""
        if self.fails:
            raise RuntimeError("the device is on fire")
        assert int(metadata.groups[0].query_start_loc[-1]) == len(input_ids)
        logits = torch.linspace(0, 1, VOCAB).repeat(len(rows), 1)
        for i, row in enumerate(rows.tolist()):
            token, position = int(input_ids[row]), int(positions[row])
            if token == self.fails_at:
                raise IndexError(token)
            logits[
                i, self.script[min(position, len(self.script) - 1)] if self.script else follower(token, position)
            ] = 9.0
            if token == self.nan_at:
                logits[i] = torch.nan
        return logits

    def logits(self, hidden: Tensor) -> Tensor:
        """Return the input: it holds logits already."""
        return hidden


class LongModel(FakeModel):
    """A `FakeModel` of long texts: a request of `LONG_TOKENS` outlasts anything that a test does meanwhile.

    Its engine needs `LONG_BLOCKS` blocks for one such request.
    """

    spec = replace(FakeModel.spec, max_model_len=20_480)


# Seconds of steps, even where nothing else runs; 100 tokens take less than a loaded machine may stop a thread for.
LONG_TOKENS, LONG_BLOCKS = 20_000, 5_121


class GatedModel(LongModel):
    """A model whose forwards wait while its gate is closed.

    Args:
        num_free: forwards before the gate closes; None: it is open.
    """

    def __init__(self, num_free: int | None = None) -> None:
        super().__init__()
        self.gate, self.num_waiting, self._num_free = threading.Event(), 0, num_free or 0
        if num_free is None:
            self.gate.set()

    def allow(self, num_free: int) -> None:
        """Close the gate behind so many more forwards; called between two."""
        self._num_free = num_free
        self.gate.clear()

    def forward(self, *args: Any) -> Tensor:
        """Wait, then compute."""
        if self._num_free > 0:
            self._num_free -= 1
        else:
            self.num_waiting += 1
            assert self.gate.wait(120)
            self.num_waiting -= 1
        return super().forward(*args)


class FakeDecoder(FakeModel):
    """A `FakeModel` with hidden states: of each token (token, position, 1)."""

    spec = replace(FakeModel.spec, hidden_size=3)

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Return whole numbers, whose sums are exact."""
        super().forward(input_ids, positions, metadata, rows[:0])
        return torch.stack([input_ids[rows], positions[rows], torch.ones_like(rows)], dim=1).float()

    def logits(self, hidden: Tensor) -> Tensor:
        """Return logits as `FakeModel` does."""
        logits = torch.linspace(0, 1, VOCAB).repeat(len(hidden), 1)
        for i, (token, position, _) in enumerate(hidden.long().tolist()):
            logits[i, follower(token, position)] = 9.0
        return logits


class FakeTokenizer:
    """A tokenizer whose token i is the i-th letter, "a" being 0; it fails on the given text or tokens."""

    eos_token_id = EOS

    def __init__(self, fails_on: str = "!", fails_at: int = -1) -> None:
        self.fails_on, self.fails_at = fails_on, fails_at

    def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:
        if self.fails_on in text:
            raise RuntimeError("the tokenizer is out of letters")
        return {"input_ids": [ord(letter) - ord("a") for letter in text]}

    def decode(self, tokens: Sequence[int], **options: Any) -> str:
        if self.fails_at in tokens:
            raise RuntimeError("the detokenizer is out of letters")
        return "".join(chr(ord("a") + token) for token in tokens)


def engine(model: FakeModel | None = None, *, tokenizer: Any = None, **settings: Any) -> LLMEngine:
    """Return an engine over a fake model, with room for a hundred blocks of 4."""
    config = EngineConfig(**{"num_blocks": 101, "block_size": 4, **settings})
    return LLMEngine(model or FakeModel(), config, tokenizer=tokenizer, eos_token_ids=[EOS])


def drain(running: LLMEngine) -> dict[str, RequestOutput]:
    """Run steps until all requests have ended; return their outputs by request id."""
    done = {}
    while running.has_unfinished_requests:
        for output in running.step():
            if output.finished:
                done[output.request_id] = output
        running.check()
    assert running.stats().cache.num_used_blocks == 0
    return done
