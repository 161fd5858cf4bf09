"""Weights that come from elsewhere: a folder, shared memory, a group of torch.distributed."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
import torch

from tests import models
from tests.ports import free_port
from tests.training.versions import Versions, versions
from torchpaged import LLM, AsyncLLM, SamplingParams
from torchpaged.errors import ConfigError, EngineError
from torchpaged.weights.transfer import SharedWeights, WeightReceiver, WeightSender

PROMPT = models.prompts([21], seed=3)[0]
PARAMS = SamplingParams(temperature=1.0, seed=5, max_tokens=9, logprobs=0, ignore_eos=True)


def require(llm: LLM, known: Versions, number: int) -> None:
    """Check that the engine has one of the weights, under the next name."""
    known.note(llm.get_weight_version(), number, reset=False)
    known.require_same(PROMPT, llm.generate([PROMPT], PARAMS, use_tqdm=False)[0].outputs[0])


def saved(known: Versions, number: int, folder: Path) -> Path:
    model = copy.deepcopy(known.model)
    model.load_state_dict(known.weights[number])
    model.save_pretrained(folder)
    return folder


def test_a_folder(tmp_path: Path) -> None:
    known = versions()
    llm = LLM(known.model, num_blocks=60)
    assert llm.update_weights(saved(known, 1, tmp_path / "one")) == len(known.weights[1])
    require(llm, known, 1)
    llm.update_weights(str(saved(known, 2, tmp_path / "two")), version="two")
    require(llm, known, 2)
    (tmp_path / "none").mkdir()
    with pytest.raises(ConfigError, match=r"update_weights: '.*none' cannot be loaded"):
        llm.update_weights(tmp_path / "none")
    with pytest.raises(ConfigError, match=r"update_weights: weights is .*missing.*or the folder of a checkpoint"):
        llm.update_weights(tmp_path / "missing")


def test_shared_memory() -> None:
    known = versions()
    llm = LLM(known.model, num_blocks=60)
    for number in (1, 2):
        with SharedWeights(known.weights[number]) as shared:
            path = shared.update_info["shared_memory"]["path"]
            info = json.loads(json.dumps(shared.update_info))
            assert llm.update_weights({"update_info": info}) == len(known.weights[number])
        assert not os.path.exists(path)
        require(llm, known, number)
    with pytest.raises(ConfigError, match="the shared tensors cannot be read: FileNotFoundError"):
        llm.update_weights({"update_info": info})


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_other_dtypes(dtype: torch.dtype) -> None:
    tensors = {
        "a": torch.randn(3, 5, dtype=dtype),
        "b": torch.randn(0, 4, dtype=dtype),
        "c": torch.randn((), dtype=dtype),
    }
    receiver = WeightReceiver(torch.device("cpu"))
    with SharedWeights(tensors) as shared:
        found = dict(receiver.receive(shared.update_info))
    assert all(torch.equal(found[name], value) and found[name].dtype == dtype for name, value in tensors.items())


@pytest.mark.parametrize(
    ("info", "says"),
    [
        (None, "update_info is None, expected a dictionary"),
        ({"names": []}, r"update_info has \['names'\], expected names, dtype_names, shapes"),
        ({"names": ["a"], "dtype_names": [], "shapes": []}, "differ in length"),
        ({"names": ["a"], "dtype_names": ["int8"], "shapes": [[1]]}, "one of float64, float32"),
        ({"names": ["a"], "dtype_names": ["float32"], "shapes": [[-1]]}, "lists of sizes"),
        ({"names": ["a"], "dtype_names": ["float32"], "shapes": [[1]]}, "there is no group"),
        ({"names": [], "dtype_names": [], "shapes": [], "ipc_handles_pickled": ""}, "pickled, which would run"),
        (
            {
                "names": ["a"],
                "dtype_names": ["float32"],
                "shapes": [[9]],
                "shared_memory": {"path": __file__, "offsets": [-8]},
            },
            "does not lie in the",
        ),
        ({"names": ["a"], "dtype_names": ["float32"], "shapes": [[9]], "shared_memory": {}}, "KeyError: 'path'"),
        ({"names": ["a"], "dtype_names": ["float32"], "shapes": [[9]], "cuda_ipc": []}, "cannot be read: ValueError"),
    ],
)
def test_bad_descriptions(info: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        WeightReceiver(torch.device("cpu")).receive(info)


@pytest.mark.parametrize(
    ("info", "says"),
    [
        (None, "init_info is None"),
        ({"packed": True}, "packed is True"),
        ({"master_address": "localhost"}, "master_port is None, expected int"),
        (WeightSender.describe("localhost", 1, 1), "world_size is 1, expected gloo or nccl, and a rank"),
        ({**WeightSender.describe("localhost", 1), "backend": "mpi"}, "backend is 'mpi'"),
    ],
)
def test_bad_groups(info: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=f"init_weight_transfer_engine: .*{says}"):
        LLM(models.build("llama"), num_blocks=60).init_weight_transfer_engine({"init_info": info})


def test_a_trainer_that_is_not_there() -> None:
    receiver = WeightReceiver(torch.device("cpu"))
    with pytest.raises(EngineError, match="init_weight_transfer_engine: no group"):
        receiver.join(WeightSender.describe("127.0.0.1", free_port()), timeout=1)


def test_a_group_and_parts() -> None:
    """vLLM's calls: a trainer's group, and an update in parts, which nothing sees before its end."""
    known = versions()
    llm = LLM(known.model, num_blocks=60)
    port, made = free_port(), []
    trainer = threading.Thread(target=lambda: made.append(WeightSender("127.0.0.1", port)))
    trainer.start()
    llm.init_weight_transfer_engine({"init_info": WeightSender.describe("127.0.0.1", port)})
    trainer.join()
    (sender,) = made

    def send(weights: dict[str, torch.Tensor]) -> int:
        thread = threading.Thread(target=sender.send, args=(weights,))
        thread.start()
        count = llm.update_weights({"update_info": sender.update_info(weights)})
        thread.join()
        return count

    send(known.weights[1])
    require(llm, known, 1)
    items = list(known.weights[2].items())
    llm.start_weight_update()
    assert send(dict(items[:4])) == 4
    before = llm.generate([PROMPT], PARAMS, use_tqdm=False)[0].outputs[0]
    known.require_same(PROMPT, before)
    with SharedWeights(items[4:]) as shared:
        llm.update_weights({"update_info": shared.update_info})
    with pytest.raises(ConfigError, match="start_weight_update was called"):
        llm.update_weights(known.weights[3])
    assert llm.finish_weight_update("two") == len(items)
    require(llm, known, 2)
    with pytest.raises(EngineError, match="there is no update"):
        llm.finish_weight_update()
    llm.start_weight_update()
    with SharedWeights({"wrong": torch.ones(3)}) as shared, pytest.raises(ConfigError, match="no weight 'wrong'"):
        llm.update_weights({"update_info": shared.update_info})
    llm.shutdown_weight_transfer_engine()
    sender.close()
    llm.update_weights(known.weights[3])
    require(llm, known, 3)


def test_an_engine_in_another_process(tmp_path: Path) -> None:
    """Its weights come by the pipe, through shared memory, and from a trainer's group, in the middle of texts."""
    known = versions()
    folder = saved(known, 0, tmp_path / "model")
    llm = AsyncLLM(str(folder), num_blocks=60, dtype="float32", engine_process=True, skip_tokenizer_init=True)
    port = free_port()

    async def main() -> None:
        async def complete() -> Any:
            return [each async for each in llm.generate({"prompt_token_ids": PROMPT}, PARAMS)][-1]

        texts = [asyncio.ensure_future(complete()) for _ in range(3)]
        await asyncio.sleep(0)
        await llm.update_weights(known.weights[1])
        known.note("1", 1, reset=False)
        texts.append(asyncio.ensure_future(complete()))
        with SharedWeights(known.weights[2]) as shared:
            await llm.update_weights({"update_info": shared.update_info}, reset_running_requests=True)
        known.note("2", 2, reset=True)
        texts.append(asyncio.ensure_future(complete()))
        joined = asyncio.ensure_future(
            llm.init_weight_transfer_engine({"init_info": WeightSender.describe("127.0.0.1", port)})
        )
        sender = await asyncio.to_thread(WeightSender, "127.0.0.1", port)
        await joined
        sent = asyncio.ensure_future(asyncio.to_thread(sender.send, known.weights[3]))
        await llm.update_weights({"update_info": sender.update_info(known.weights[3])}, version="three")
        await sent
        known.note("three", 3, reset=False)
        texts.append(asyncio.ensure_future(complete()))
        for text in texts:
            known.require_same(PROMPT, (await text).outputs[0])
        assert {name for name, _, _ in (await texts[-1]).outputs[0].weight_versions} == {"three"}

    try:
        asyncio.run(main())
    finally:
        llm.shutdown()
