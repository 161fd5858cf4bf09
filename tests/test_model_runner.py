"""ModelRunner: followers, logprobs of prompts in parts, failures of single rows, and the groups it hands out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.fakes import VOCAB, FakeModel, follow
from torchpaged import EngineConfig, SamplingParams
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.kv_cache import BlockCopy, FullAttentionSpec, KVCacheGroup, SlidingWindowSpec
from torchpaged.kv_cache.block import CopyDirection
from torchpaged.execution.model_runner import ModelRunner, block_bytes
from torchpaged.models.model import LayerShape
from torchpaged.request import Request
from torchpaged.scheduler import ScheduledRequest, SchedulerOutput

CONFIG = EngineConfig(block_size=4, num_blocks=33, max_num_seqs=4)


def runner(model: FakeModel | None = None) -> ModelRunner:
    return ModelRunner(model or FakeModel(), CONFIG, 128)


def request(name: str, tokens: Sequence[int] = (5, 6, 7), **params: Any) -> Request:
    return Request(name, tokens, SamplingParams(**params), arrival=0, max_total_tokens=99)


def scheduled(
    leader: Request, *followers: Request, first: int = 0, count: int | None = None, blocks: Sequence[int] = (1, 2, 3)
) -> ScheduledRequest:
    count = leader.num_tokens - first if count is None else count
    samples = first + count == leader.num_tokens
    return ScheduledRequest(leader, first, count, samples, first == 0, (list(blocks),), (), followers)


class Flat(FakeModel):
    """Every token is as likely as the others, so that only the random numbers choose."""

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, logit_rows: Tensor) -> Tensor:
        return torch.zeros(len(logit_rows), VOCAB)


def test_followers_choose_from_the_leaders_logits() -> None:
    """Each by its own parameters and seed; another request is beside them."""
    leader, greedy = request("a", temperature=0), request("a#1", temperature=0, logprobs=3)
    banned = request("a#2", temperature=0, min_tokens=1, stop_token_ids=follow((5, 6, 7), 1))
    other = request("b", (9, 3), temperature=0)
    result = runner().run(SchedulerOutput([scheduled(leader, greedy, banned), scheduled(other, blocks=[4])]))
    assert result.token_ids["a"] == result.token_ids["a#1"] == follow((5, 6, 7), 1)[0]
    assert result.token_ids["a#2"] not in (result.token_ids["a"], None)
    assert result.token_ids["b"] == follow((9, 3), 1)[0]
    assert list(result.logprobs) == ["a#1"] and len(result.logprobs["a#1"]) == 3 and not result.errors


def test_a_followers_seed_is_its_own() -> None:
    together = runner(Flat())
    names = [f"a#{i}" for i in range(8)]
    requests = [request(name, seed=i) for i, name in enumerate(names)]
    result = together.run(SchedulerOutput([scheduled(*requests)]))
    for i, name in enumerate(names):
        alone = runner(Flat()).run(SchedulerOutput([scheduled(request(name, seed=i))]))
        assert result.token_ids[name] == alone.token_ids[name]
    assert len(set(result.token_ids.values())) > 4


def test_nan_is_an_error_of_each_who_needed_the_row() -> None:
    result = runner(FakeModel(nan_at=7)).run(
        SchedulerOutput([scheduled(request("a"), request("a#1")), scheduled(request("b", (2, 3)), blocks=[4])])
    )
    assert sorted(result.errors) == ["a", "a#1"] and list(result.token_ids) == ["b"]


@pytest.mark.parametrize("sizes", [(9,), (4, 5), (1, 1, 7), (8, 1)], ids=str)
@pytest.mark.parametrize("start", [1, 2, 5, 8, 9, 20])
def test_prompt_logprobs_in_parts(sizes: Sequence[int], start: int) -> None:
    """The model gives 9 to what it would say next and 0 to 1 to the others."""
    prompt = [3, *follow([3], 4), 4, 5, 6, 7]
    running = runner()
    own = request("a", prompt, prompt_logprobs=2, prompt_logprobs_start=start, temperature=0)
    got: dict[int, dict[int, tuple[float, int]]] = {}
    first = 0
    for size in sizes:
        item = scheduled(own, first=first, count=size)
        item.new_block_ids = ([1, 2, 3],) if first == 0 else ([],)
        result = running.run(SchedulerOutput([item]))
        got |= result.prompt_logprobs.get("a", {})
        first += size
    assert list(result.token_ids) == ["a"]
    assert list(got) == list(range(start, len(prompt)))
    for position, row in got.items():
        token = prompt[position]
        assert next(iter(row)) == token and len(row) == (2 if row[token][1] <= 2 else 3)
        assert row[token][1] == 1 or position > 4
        assert sorted(rank for _, rank in row.values())[:2] == [1, 2]


def test_a_recomputed_prompt_is_not_scored_again() -> None:
    own = request("a", (5, 6, 7), prompt_logprobs=2, temperature=0, max_tokens=9)
    own.append(8)
    result = runner().run(SchedulerOutput([scheduled(own)]))
    assert result.prompt_logprobs == {} and list(result.token_ids) == ["a"]


def test_groups_and_swap_blocks() -> None:
    model = FakeModel()
    model.layers = {0: LayerShape(1, 8, 8, sliding_window=10), 1: LayerShape(1, 8, 8)}
    running = ModelRunner(model, CONFIG, 128, num_swap_blocks=3)
    running.check()
    assert running.groups == [KVCacheGroup(SlidingWindowSpec(4, 10), (0,)), KVCacheGroup(FullAttentionSpec(4), (1,))]
    assert running.kv_cache.bytes_per_block == block_bytes(model, CONFIG, running.groups) == 4 * 16 * 4
    assert ModelRunner(model, CONFIG, 10).groups == [KVCacheGroup(FullAttentionSpec(4), (0, 1))]
    key = running.kv_cache.caches[0].key
    key[5] = 7.0
    out, back = BlockCopy(5, 3, CopyDirection.OUT), BlockCopy(3, 6, CopyDirection.IN)
    running.copy([out, back, BlockCopy(6, 8)])
    assert bool((key[8] == 7.0).all())
