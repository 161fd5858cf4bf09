"""system_fingerprint: equal at every start, different after any change that may alter a bit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests import models
from tests.fakes import FakeModel, engine
from torchpaged import LLM, AsyncLLM
from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.integrations.checkpoints import fingerprint


def of(model: Any = None, **settings: Any) -> str:
    made = models.build("llama") if model is None else model
    with LLM(made, num_blocks=20, **{"dtype": "float32", **settings}) as llm:
        return llm.engine.system_fingerprint()


def test_it_is_of_weights_settings_threads_and_the_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = of()
    assert plain == of() and len(plain) == 15 and plain.startswith("fp_")
    others = [of(dtype="bfloat16"), of(optimize=True), of(kv_cache_dtype="int8"), of(seed=1)]
    threads = torch.get_num_threads()
    torch.set_num_threads(threads + 1)
    try:
        others.append(of())
    finally:
        torch.set_num_threads(threads)
    monkeypatch.setattr("torchpaged.engine.fingerprint.why_not_exact", lambda model: "it has a cold")
    others.append(of())
    assert len({plain, *others}) == 7


def test_one_weight_more_or_less() -> None:
    model = models.build("llama")
    before = of(model)
    with torch.no_grad():
        model.model.layers[0].mlp.up_proj.weight[0, 0] += 1
    assert of(model) != before


def test_of_large_weights_so_much_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another checkpoint differs in all of its numbers."""
    read = [0]
    sha256: Callable[..., Any] = fingerprint.sha256

    class Counting:
        def __init__(self, data: bytes = b"") -> None:
            self._hash = sha256(data)

        def update(self, data: Any) -> None:
            read[0] += memoryview(data).nbytes
            self._hash.update(data)

        def hexdigest(self) -> str:
            return str(self._hash.hexdigest())

    monkeypatch.setattr(fingerprint, "sha256", Counting)
    monkeypatch.setattr(fingerprint, "_SAMPLED_AT_ONCE", 1 << 12)
    with LLM(models.STDLIB_LM, num_blocks=20, dtype="float32") as llm:
        model = llm.engine.model
        whole, all_bytes = model.fingerprint(), read[0]
        read[0] = 0
        part = model.fingerprint(all_bytes // 8)
        assert all_bytes // 10 < read[0] < all_bytes // 4
        assert part == model.fingerprint(all_bytes // 8) != whole == model.fingerprint(all_bytes)
        name, first = next(iter(fingerprint.named_parts(model.weights.module)))  # type: ignore[union-attr]
        llm.engine.update_weights({name: first.detach() * 2})
        assert model.fingerprint(all_bytes // 8) != part


def test_an_async_engine_takes_it_again_when_weights_have_changed() -> None:
    async def changed() -> None:
        llm = AsyncLLM.from_engine(engine(FakeModel()))
        first = await llm.system_fingerprint()
        assert await llm.system_fingerprint() == first
        with pytest.raises(Exception, match="weights"):
            await llm.call("quantize", "int8")
        assert llm._fingerprint is None and await llm.system_fingerprint() == first
        llm.shutdown()

    asyncio.run(changed())


def test_callers_share_one_computation_and_an_error_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller that leaves does not cancel it for the others."""
    asked = 0

    def compute(self: LLMEngine) -> str:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise ValueError("no bits")
        return f"fp_{asked}"

    monkeypatch.setattr(LLMEngine, "system_fingerprint", compute)

    async def several() -> None:
        llm = AsyncLLM.from_engine(engine(FakeModel()))
        with pytest.raises(ValueError, match="no bits"):
            await llm.system_fingerprint()
        leaving, *staying = (asyncio.ensure_future(llm.system_fingerprint()) for _ in range(3))
        await asyncio.sleep(0)
        leaving.cancel()
        assert await asyncio.gather(*staying) == ["fp_2"] * 2
        assert leaving.cancelled() and asked == 2
        llm.shutdown()

    asyncio.run(several())
