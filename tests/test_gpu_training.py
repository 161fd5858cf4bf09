"""On a GPU: weights that change in the middle of texts, CUDA IPC from another process, and sleep."""

from __future__ import annotations

import multiprocessing
from typing import Any

import pytest
import torch

from tests import models
from tests.training.versions import versions
from torchpaged import LLM, SamplingParams
from torchpaged.weights.transfer import SharedWeights

pytestmark = pytest.mark.gpu
PROMPT = models.prompts([21], seed=3)[0]
PARAMS = SamplingParams(temperature=1.0, seed=5, max_tokens=9, logprobs=0, ignore_eos=True)
DEVICE = "cuda"


def llm_of(model: Any, **settings: Any) -> LLM:
    torch.backends.cuda.matmul.allow_tf32 = False
    return LLM(model.to(DEVICE), dtype="float32", **{"num_blocks": 200, **settings})


@pytest.mark.parametrize("reset", [False, True])
def test_in_the_middle_of_a_text(reset: bool) -> None:
    """Graphs, captured with the old weights, are captured again; the step in flight belongs to the old ones."""
    known = versions()
    engine = llm_of(known.model).engine
    engine.add_request("a", PROMPT, PARAMS)
    for number in (1, 2):
        for _ in range(3):
            engine.step()
        engine.update_weights(known.weights[number], reset_running_requests=reset)
        known.note(engine.weight_version, number, reset=reset)
    while engine.has_unfinished_requests:
        outputs = engine.step()
    known.require_same(PROMPT, outputs[-1].outputs[0])


def _share(pipe: Any, weights: dict[str, torch.Tensor], parts: int) -> None:
    tensors = {name: value.to(DEVICE) for name, value in weights.items()}
    names = list(tensors)
    for first in range(parts):
        with SharedWeights({name: tensors[name] for name in names[first::parts]}) as shared:
            pipe.send(shared.update_info)
            pipe.recv()


@pytest.mark.parametrize("parts", [1, 3])
def test_cuda_ipc(parts: int) -> None:
    known = versions()
    llm = llm_of(known.model)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    trainer = context.Process(target=_share, args=(theirs, known.weights[1], parts))
    trainer.start()
    if parts > 1:
        llm.start_weight_update()
    for _ in range(parts):
        llm.update_weights({"update_info": ours.recv()})
        ours.send(None)
    if parts > 1:
        llm.finish_weight_update()
    trainer.join()
    assert trainer.exitcode == 0
    known.note("1", 1, reset=False)
    known.require_same(PROMPT, llm.generate([PROMPT], PARAMS, use_tqdm=False)[0].outputs[0])


@pytest.mark.parametrize("level", [1, 2])
def test_sleep(level: int) -> None:
    known = versions("llama", hidden_size=512, intermediate_size=2048, num_hidden_layers=4)
    llm = llm_of(known.model, num_blocks=20_000)
    before = llm.generate([PROMPT], PARAMS, use_tqdm=False)[0].outputs[0]
    held = torch.cuda.memory_allocated()
    weights = sum(each.nbytes for each in known.model.parameters())
    pool = sum(each.nbytes for pair in llm.engine.executor.runner.kv_cache.slots for each in pair.tensors)
    llm.sleep(level)
    assert torch.cuda.memory_allocated() <= held - 0.95 * (weights + pool)
    assert llm.wake_up()
    if level == 2:
        llm.update_weights(known.weights[0])
        known.note("1", 0, reset=False)
    after = llm.generate([PROMPT], PARAMS, use_tqdm=False)[0].outputs[0]
    assert after.token_ids == before.token_ids
    known.require_same(PROMPT, after)
