"""`prefault`: exactly the memory that a checkpoint is packed into, and none if that is unknown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from tests import models
from torchpaged import LLM
from torchpaged.ops import active_backend, cpu
from torchpaged.ops.grouped_weights import PANEL
from torchpaged.utils.huge_pages import Region
from torchpaged.weights import prefault
from torchpaged.weights.prefault import early_region

pytestmark = pytest.mark.skipif(
    active_backend("packed_linear", "cpu") != "cpp" or cpu.isa() == "portable", reason="nothing is packed here"
)


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the list of sizes of the created regions."""
    found = list[int]()

    class Noted(Region):
        def __init__(self, size: int) -> None:
            super().__init__(size)
            found.append(size)

    monkeypatch.setattr(prefault, "Region", Noted)
    return found


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("quantization", [None, "int8"])
def test_all_that_is_packed_fits_just_so(
    quantization: str | None, tied: bool, tmp_path: Path, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    if quantization:
        pytest.importorskip("torchao")
    models.build("llama", tie_word_embeddings=tied).to(torch.bfloat16).save_pretrained(tmp_path)
    cut, closed = list[int](), list[Region]()
    own, close = Region.zeros, Region.close

    def zeros(region: Region, shape: torch.Size, dtype: torch.dtype) -> torch.Tensor:
        made = own(region, shape, dtype)
        if type(region) is prefault.Region:
            cut.append(made.nbytes)
        return made

    monkeypatch.setattr(Region, "zeros", zeros)
    monkeypatch.setattr(Region, "close", lambda region: (closed.append(region), close(region)))
    settings = {"num_blocks": 32, "block_size": 4, "skip_tokenizer_init": True, "quantization": quantization}
    with LLM(str(tmp_path), **settings) as llm:
        found = llm.generate(models.prompts((12,)), use_tqdm=False)[0].outputs[0].token_ids
    assert sizes == [sum(cut)]
    assert [type(each) for each in closed] == [prefault.Region], "or what is left of it would stay taken"
    monkeypatch.setattr("torchpaged.engine.loader.early_region", lambda *args, **kwargs: None)
    with LLM(str(tmp_path), **settings) as llm:
        assert llm.generate(models.prompts((12,)), use_tqdm=False)[0].outputs[0].token_ids == found


def test_there_is_none_where_nobody_knows(tmp_path: Path, sizes: list[int]) -> None:
    def region(**weights: torch.Tensor) -> Region | None:
        named = {name.replace("_", "."): tensor for name, tensor in weights.items()}
        save_file(named, tmp_path / "model.safetensors")
        return early_region(tmp_path, "auto", None)

    weight = torch.zeros(64, 32, dtype=torch.bfloat16)
    assert region(layers_0_weight=weight) is not None and sizes == [weight.nbytes]
    assert early_region(tmp_path, "auto", "int4") is None and early_region(tmp_path / "other", "auto", None) is None
    assert region(layers_0_experts_1_weight=weight) is None
    assert region(layers_0_weight=weight.int()) is None
    assert region(layers_0_weight=weight.float()) is None
    assert early_region(tmp_path, "auto", None, float32=True) is not None
    assert region(layers_0_norm=weight[0].clone()) is None


def test_all_files_and_whole_panels_are_counted(
    tmp_path: Path, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With int8 as much memory as the largest float weight is not populated, since that weight is read besides."""
    spared = list[int]()
    monkeypatch.setattr(Region, "populate", lambda region, take, spared=0, own=spared: own.append(spared))
    save_file({"layers.0.weight": torch.zeros(33, 32), "norm.weight": torch.zeros(32)}, tmp_path / "1.safetensors")
    rows = {"embed.weight": torch.zeros(100, 32), "head.weight": torch.zeros(64, 32)}
    save_file(rows | {"layers.1.weight": torch.zeros(64, 96)}, tmp_path / "2.safetensors")
    count = (2 * PANEL + 128) * 32 + 64 * 96
    for dtype, quantization in (("bfloat16", None), ("auto", "int8"), ("auto", None)):
        assert early_region(tmp_path, dtype, quantization, float32=True) is not None
    assert PANEL == 32 and sizes == [2 * count, count, 4 * count] and spared == [0, 64 * 96 * 4, 0]


def _entry(dtype: str, shape: list[object], end: int) -> bytes:
    return json.dumps({"layers.0.weight": {"dtype": dtype, "shape": shape, "data_offsets": [0, end]}}).encode()


@pytest.mark.parametrize(
    ("header", "why"),
    [
        (b"{", "cut"),
        (b"[]", "list"),
        (_entry("BF16", [1 << 40, 1 << 20], 8), "huge"),
        (_entry("BF16", [64, 32], 64 * 32 * 2), "outside"),
        (_entry("BF16", ["a", None], 8), "text"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_hostile_header_takes_no_memory(header: bytes, why: str, tmp_path: Path, sizes: list[int]) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    assert early_region(tmp_path, "auto", None) is None and not sizes, why
    path.write_bytes((1 << 60).to_bytes(8, "little") + header)
    assert early_region(tmp_path, "auto", None) is None and not sizes, "a length that no file has"


def test_a_small_weight_in_a_file_is_counted(tmp_path: Path, sizes: list[int]) -> None:
    """A counterpart to the hostile headers, which could otherwise be refused for any reason."""
    header = _entry("BF16", [2, 2], 8)
    (tmp_path / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    assert early_region(tmp_path, "auto", None) is not None and sizes == [PANEL * 2 * 2]
